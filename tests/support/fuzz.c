#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fuzz.h"

#include "scratch.h"

#include "core/memory.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char fuzz_folder[NB_SCRATCH_PATH];
static long fuzz_kept; /* blocks of memory that leak */

static void fuzz_remove_folder(void)
{
    nb_scratch_close(fuzz_folder);
}

void fuzz_end(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fuzz_remove_folder();
    abort();
}

void fuzz_check_error(enum nb_status status, const struct nb_error *err)
{
    FUZZ_CHECK(err->status == status, "returns %d, records %d: %s", status,
               err->status, err->message);
    FUZZ_CHECK((status != NB_OK) == (err->message[0] != '\0'),
               "status %d says \"%s\"", status, err->message);
}

const char *fuzz_path(const char *name)
{
    static char paths[4][NB_SCRATCH_PATH];
    static unsigned next;
    if (fuzz_folder[0] == '\0') {
        if (!nb_scratch_open(fuzz_folder))
            abort();
        atexit(fuzz_remove_folder);
    }
    return nb_scratch_path(fuzz_folder, name, paths[next++ % 4]);
}

const char *fuzz_file(const char *name, const void *bytes, size_t length)
{
    const char *path = fuzz_path(name);
    nb_scratch_write(path, bytes, length);
    return path;
}

void fuzz_once(void (*prepare)(void))
{
    static bool is_done;
    const long before = nb_memory_live_blocks();
    if (is_done)
        return;
    is_done = true;
    prepare();
    fuzz_kept += nb_memory_live_blocks() - before;
}

const struct nb_topology *fuzz_topology(const char *specification)
{
    enum { MOST = 8 };
    static struct nb_topology topologies[MOST];
    static const char *names[MOST];
    struct nb_error err = { 0 };
    int i = 0;
    while (names[i] != NULL && strcmp(names[i], specification) != 0)
        i++;
    if (names[i] == NULL) {
        const long live = nb_memory_live_blocks();
        nb_topology_build(specification, &topologies[i], &err);
        FUZZ_CHECK(err.status == NB_OK && i < MOST - 1, "%s", err.message);
        names[i] = specification;
        fuzz_kept += nb_memory_live_blocks() - live;
    }
    return &topologies[i];
}

uint32_t fuzz_choose(struct fuzz_choices *choices, uint32_t count)
{
    uint32_t drawn = 0;
    for (uint32_t most = count - 1; most > 0 && choices->left > 0; most >>= 8) {
        drawn = drawn << 8 | *choices->next++;
        choices->left--;
    }
    return drawn % count;
}

void fuzz_try(fuzz_target *target, const uint8_t *bytes, size_t length)
{
    const long before = nb_memory_live_blocks() - fuzz_kept;
    target(bytes, length);
    const long after = nb_memory_live_blocks() - fuzz_kept;
    FUZZ_CHECK(after == before, "%ld blocks are left", after - before);
}

/* The input that is replayed. */
static const char *fuzz_name;
static fuzz_target *fuzz_replayed;

/* A corpus is a list of lengths in decimal, each on a line, and of bytes, also
 * on a line (tools/fuzz.sh). */
static void fuzz_replay_file(const char *folder)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text corpus = { 0 };
    snprintf(path, sizeof path, "tests/fuzz/%s/%s", folder, fuzz_name);
    assert_int_equal(nb_text_read_file(path, 1 << 20, &corpus, NULL), NB_OK);
    char *next = corpus.bytes;
    const char *end = next + corpus.length;
    while (next < end) {
        const size_t length = strtoul(next, &next, 10);
        assert_true(*next == '\n' && length + 2 <= (size_t)(end - next));
        printf("%s:%zu ", path, (size_t)(next - corpus.bytes));
        fflush(stdout); /* the last one is the one that fails */
        /* In its own block, so that sanitizers see its end. */
        uint8_t *bytes = malloc(length + 1);
        assert_non_null(bytes);
        memcpy(bytes, next + 1, length);
        fuzz_try(fuzz_replayed, bytes, length);
        free(bytes);
        next += length + 2;
    }
    nb_text_release(&corpus);
}

static void fuzz_test_corpus(void **state)
{
    (void)state;
    fuzz_replay_file("corpus");
}

static void fuzz_test_found(void **state)
{
    char path[NB_SCRATCH_PATH];
    (void)state;
    snprintf(path, sizeof path, "tests/fuzz/found/%s", fuzz_name);
    if (access(path, F_OK) == 0)
        fuzz_replay_file("found");
}

int fuzz_replay(const char *file, fuzz_target *target)
{
    static char name[NB_SCRATCH_PATH];
    static const char before[] = "/test_";
    const char *from = strstr(file, before) + sizeof before - 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from, "."), from);
    fuzz_name = name;
    fuzz_replayed = target;
    const struct CMUnitTest tests[] = { cmocka_unit_test(fuzz_test_corpus),
                                        cmocka_unit_test(fuzz_test_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
