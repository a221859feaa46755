/* Fuzz: targets, each a function of arbitrary bytes. clang's libFuzzer looks
 * for bytes on which one crashes, is caught by a sanitizer or fails a check
 * (make fuzz); every compiler tries those of tests/fuzz/corpus again (make
 * check). */
#ifndef NB_TESTS_SUPPORT_FUZZ_H
#define NB_TESTS_SUPPORT_FUZZ_H

#include "core/status.h"
#include "topology/topology.h"

#include <stddef.h>
#include <stdint.h>

/* What a target does with an input. It leaves no memory behind. */
typedef void fuzz_target(const uint8_t *bytes, size_t length);

/* Ends a target's file. */
#ifdef NB_FUZZ
#define FUZZ_TARGET(target)                                                    \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);           \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)            \
    {                                                                          \
        fuzz_try(target, bytes, length);                                       \
        return 0;                                                              \
    }
#else
#define FUZZ_TARGET(target)                                                    \
    int main(void)                                                             \
    {                                                                          \
        return fuzz_replay(__FILE__, target);                                  \
    }
#endif

/* Runs an input, and checks that all memory was given back. */
void fuzz_try(fuzz_target *target, const uint8_t *bytes, size_t length);
/* All inputs of tests/fuzz/corpus/NAME, for the file test_NAME.c; as the main
 * of a cmocka program. */
int fuzz_replay(const char *file, fuzz_target *target);

/* Ends the program, which counts as a finding. */
#define FUZZ_CHECK(condition, ...)                                             \
    do {                                                                       \
        if (!(condition))                                                      \
            fuzz_end(__FILE__, __LINE__, __VA_ARGS__);                         \
    } while (0)
void fuzz_end(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* A failure is recorded with a message, a success is not. */
void fuzz_check_error(enum nb_status status, const struct nb_error *err);

/* The path of that name in a folder that is removed at the end; valid until the
 * fourth next call. */
const char *fuzz_path(const char *name);
/* The same for a file with these bytes. */
const char *fuzz_file(const char *name, const void *bytes, size_t length);

/* Prepares what all inputs use, on the first call. */
void fuzz_once(void (*prepare)(void));
/* A network that is built once for all inputs. */
const struct nb_topology *fuzz_topology(const char *specification);

/* An input as a list of choices. After its end every choice is the first. */
struct fuzz_choices {
    const uint8_t *next;
    size_t left;
};
/* Below count, which is at most 2^16. */
uint32_t fuzz_choose(struct fuzz_choices *choices, uint32_t count);

#endif
