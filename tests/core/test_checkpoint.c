/* Checkpoints: results that were kept are found again, incomplete or changed
 * ones are not, and files of others are left untouched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/checkpoint.h"
#include "core/memory.h"
#include "core/random.h"

#include "../support/cases.h"
#include "../support/scratch.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDS = 40, LONGEST = 100000 };

static char path[NB_SCRATCH_PATH];

static enum nb_status open_as(const char *program, const char *question,
                              struct nb_checkpoint **out, struct nb_error *err)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, "%s", question);
    *err = (struct nb_error){ 0 };
    const enum nb_status status =
        nb_checkpoint_open(path, program, &text, out, err);
    nb_text_release(&text);
    return status;
}

/* The result of a task: numbers from its own stream. */
static struct nb_text result_of(uint64_t loop, uint64_t index)
{
    struct nb_random random;
    struct nb_text out = { 0 };
    nb_random_init(&random, loop, index);
    const size_t length =
        index == 0
            ? 0
            : (size_t)(nb_random_next(&random) % (index == 7 ? LONGEST : 300));
    for (size_t i = 0; i < length; i++) {
        const char byte = (char)nb_random_next(&random);
        nb_text_add(&out, &byte, 1);
    }
    return out;
}

static void add(struct nb_checkpoint *checkpoint, uint64_t loop, uint64_t index)
{
    struct nb_text result = result_of(loop, index);
    struct nb_error error = { 0 };
    assert_int_equal(
        nb_checkpoint_add(checkpoint, loop, index, &result, &error), NB_OK);
    nb_text_release(&result);
}

/* Whether the task's result is kept; if so, checks that it is unchanged. */
static bool has(const struct nb_checkpoint *checkpoint, uint64_t loop,
                uint64_t index)
{
    struct nb_text result = result_of(loop, index), found = { 0 };
    const bool is_found = nb_checkpoint_find(checkpoint, loop, index, &found);
    if (is_found) {
        assert_int_equal(found.length, result.length);
        if (found.length > 0)
            assert_memory_equal(found.bytes, result.bytes, found.length);
    }
    nb_text_release(&result);
    nb_text_release(&found);
    return is_found;
}

/* Makes a new file: two loops, their tasks in arbitrary order. */
static void make(void)
{
    struct nb_checkpoint *checkpoint;
    struct nb_error error;
    unlink(path);
    assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
    for (uint64_t i = 0; i < RECORDS; i++)
        add(checkpoint, 5 - i % 2, (i * 17 + 3) % RECORDS / 2);
    nb_checkpoint_close(checkpoint);
}

static size_t count_kept(const struct nb_checkpoint *checkpoint)
{
    size_t count = 0;
    for (uint64_t i = 0; i < RECORDS; i++)
        count += has(checkpoint, 4 + i % 2, i / 2);
    return count;
}

static void all_is_there_again(void **state)
{
    struct nb_checkpoint *checkpoint;
    struct nb_error error;
    (void)state;
    make();
    assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
    assert_int_equal(count_kept(checkpoint), RECORDS);
    assert_false(has(checkpoint, 6, 1));
    assert_false(has(checkpoint, 5, RECORDS));
    nb_checkpoint_close(checkpoint);
}

/* Cut at every byte of the beginning, and at some of the rest: some records are
 * still found, others can be added and are found, too. */
static void torn_ends_are_cut_off(void **state)
{
    struct nb_checkpoint *checkpoint;
    struct nb_error error;
    struct stat about;
    struct nb_random random;
    size_t last = 0;
    (void)state;
    nb_random_init(&random, 3, 0);
    make();
    assert_int_equal(stat(path, &about), 0);
    for (off_t cut = 0; cut < about.st_size;
         cut += cut < 300 ? 1 : 1 + (off_t)(nb_random_next(&random) % 1999)) {
        if (!nb_cases_have((size_t)cut, cut < 300 ? 4 : 1))
            continue;
        make();
        assert_int_equal(truncate(path, cut), 0);
        assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
        const size_t kept = count_kept(checkpoint);
        assert_true(kept >= last && kept < RECORDS);
        last = kept;
        add(checkpoint, 9, 9);
        nb_checkpoint_close(checkpoint);
        assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
        assert_int_equal(count_kept(checkpoint), kept);
        assert_true(has(checkpoint, 9, 9));
        nb_checkpoint_close(checkpoint);
    }
    assert_true(last > RECORDS / 2);
}

/* A byte changed anywhere after the head: only original results are found. */
static void changed_bytes_are_noticed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct nb_checkpoint *checkpoint;
        struct nb_error error;
        struct nb_random random;
        struct stat about;
        nb_random_init(&random, seed, 0);
        make();
        assert_int_equal(stat(path, &about), 0);
        const long place = 100 + (long)(nb_random_next(&random) %
                                        (uint64_t)(about.st_size - 100));
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, place, SEEK_SET);
        const int byte = getc(file);
        fseek(file, place, SEEK_SET);
        putc(byte ^ 1 << (seed % 8), file);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
        if (count_kept(checkpoint) >= RECORDS)
            fail_msg("seed %lu: byte %ld was changed", (unsigned long)seed,
                     place);
        nb_checkpoint_close(checkpoint);
    }
}

/* A run that is refused before its first result leaves no file. */
static void without_results_there_is_no_file(void **state)
{
    struct nb_checkpoint *checkpoint;
    struct nb_error error;
    (void)state;
    unlink(path);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
        assert_int_equal(access(path, F_OK), 0);
        if (i > 0)
            add(checkpoint, 1, 1);
        nb_checkpoint_close(checkpoint);
        assert_int_equal(access(path, F_OK), i > 0 ? 0 : -1);
    }
    assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
    nb_checkpoint_close(checkpoint);
    assert_int_equal(access(path, F_OK), 0);
}

static void other_files_are_refused_by_name(void **state)
{
    struct nb_checkpoint *checkpoint, *second;
    struct nb_error error;
    struct stat before, after;
    char said[600];
    (void)state;
    make();
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(open_as("p 2", "q", &checkpoint, &error), NB_INVALID);
    snprintf(said, sizeof said,
             "checkpoint \"%s\" is by p 1 (permitted: by p 2)", path);
    assert_string_equal(error.message, said);
    assert_int_equal(open_as("p 1", "r", &checkpoint, &error), NB_INVALID);
    snprintf(said, sizeof said,
             "checkpoint \"%s\" belongs to another question (permitted: one "
             "of this question)",
             path);
    assert_string_equal(error.message, said);
    assert_null(checkpoint);
    assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_OK);
    assert_int_equal(open_as("p 1", "q", &second, &error), NB_IO);
    snprintf(said, sizeof said, "checkpoint \"%s\" is in use by another run",
             path);
    assert_string_equal(error.message, said);
    nb_checkpoint_close(checkpoint);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    nb_scratch_write(path, "my diary\n", 9);
    assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_INVALID);
    snprintf(said, sizeof said,
             "\"%s\" is not a checkpoint (permitted: a new file, or the "
             "checkpoint of this question)",
             path);
    assert_string_equal(error.message, said);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, 9);
}

static void memory_runs_out(void **state)
{
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    make();
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_checkpoint *checkpoint;
        struct nb_error error;
        struct nb_text question = { 0 };
        nb_text_print(&question, "q");
        nb_memory_allow(allowed);
        status =
            nb_checkpoint_open(path, "p 1", &question, &checkpoint, &error);
        nb_memory_allow(-1);
        nb_checkpoint_close(checkpoint);
        nb_text_release(&question);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_there_again),
        cmocka_unit_test(torn_ends_are_cut_off),
        cmocka_unit_test(changed_bytes_are_noticed),
        cmocka_unit_test(without_results_there_is_no_file),
        cmocka_unit_test(other_files_are_refused_by_name),
        cmocka_unit_test(memory_runs_out),
    };
    if (nb_scratch_setup(NULL) != 0)
        return 1;
    nb_scratch_name("kept", path);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nb_scratch_teardown(NULL);
    return failed;
}
