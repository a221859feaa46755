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

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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

/* Opens a file that must be good for that question. */
static struct nb_checkpoint *open_question(const char *question)
{
    struct nb_checkpoint *checkpoint;
    struct nb_error error;
    assert_int_equal(open_as("p 1", question, &checkpoint, &error), NB_OK);
    return checkpoint;
}

/* Makes a new file: two loops, their tasks in arbitrary order. */
static void make(void)
{
    struct nb_checkpoint *checkpoint;
    unlink(path);
    checkpoint = open_question("q");
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

/* The bytes of a file with the question's first lines and these of its
 * tasks. */
static struct nb_text file_of(const char *question, uint64_t first,
                              uint64_t count)
{
    struct nb_text out = { 0 };
    unlink(path);
    struct nb_checkpoint *checkpoint = open_question(question);
    for (uint64_t i = first; i < first + count; i++)
        add(checkpoint, 5, i);
    nb_checkpoint_close(checkpoint);
    assert_int_equal(nb_text_read_file(path, 1 << 26, &out, NULL), NB_OK);
    return out;
}

/* Where the records begin. */
static size_t head_of(const struct nb_text *file)
{
    size_t at = 0;
    for (int i = 0; i < 3; i++)
        at += strcspn(file->bytes + at, "\n") + 1;
    return at;
}

static void expect_told(const struct nb_checkpoint *checkpoint,
                        const char *expected)
{
    struct nb_text told = { 0 };
    char line[NB_SCRATCH_PATH + 200];
    nb_checkpoint_tell(checkpoint, &told);
    snprintf(line, sizeof line, "\"%s\" holds %s\n", path, expected);
    assert_string_equal(told.bytes, line);
    nb_text_release(&told);
}

/* Records are believed only up to the first that was made for another
 * question. */
static void records_of_other_questions_are_discarded(void **state)
{
    const char *others[] = { "r", "", "q ", "qq" };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct nb_text own = file_of("q", 1, 3),
                       other = file_of(others[i], 4, 2);
        const size_t head = head_of(&other), left = other.length - head;
        char expected[120];
        nb_text_add(&own, other.bytes + head, left);
        nb_scratch_write(path, own.bytes, own.length);
        struct nb_checkpoint *checkpoint = open_question("q");
        snprintf(expected, sizeof expected,
                 "3 finished parts; the %zu bytes after them are incomplete or "
                 "belong to another question, and were discarded",
                 left);
        expect_told(checkpoint, expected);
        for (uint64_t task = 0; task < 7; task++)
            assert_int_equal(has(checkpoint, 5, task), task >= 1 && task <= 3);
        add(checkpoint, 5, 4);
        nb_checkpoint_close(checkpoint);
        checkpoint = open_question("q");
        assert_true(has(checkpoint, 5, 4));
        nb_checkpoint_close(checkpoint);
        nb_text_release(&own);
        nb_text_release(&other);
    }
}

/* A result that claims to be another task's, or of another loop. */
static void moved_records_are_discarded(void **state)
{
    (void)state;
    for (size_t number = 0; number < 2; number++) {
        struct nb_text file = file_of("q", 3, 1);
        file.bytes[head_of(&file) + number * sizeof(uint64_t)] ^= 1;
        nb_scratch_write(path, file.bytes, file.length);
        struct nb_checkpoint *checkpoint = open_question("q");
        for (uint64_t task = 0; task < 10; task++)
            assert_false(has(checkpoint, 4, task) || has(checkpoint, 5, task));
        nb_checkpoint_close(checkpoint);
        nb_text_release(&file);
    }
}

static void copies_are_counted_once(void **state)
{
    struct nb_text file = file_of("q", 1, 4);
    const size_t head = head_of(&file), length = file.length - head;
    struct nb_text twice = { 0 };
    (void)state;
    nb_text_add(&twice, file.bytes, file.length);
    nb_text_add(&twice, file.bytes + head, length);
    nb_scratch_write(path, twice.bytes, twice.length);
    struct nb_checkpoint *checkpoint = open_question("q");
    expect_told(checkpoint, "4 finished parts");
    nb_checkpoint_close(checkpoint);
    nb_text_release(&file);
    nb_text_release(&twice);
}

/* The file changes after it was opened. */
static void late_changes_are_noticed(void **state)
{
    struct nb_text text = file_of("q", 3, 1);
    struct nb_checkpoint *checkpoint = open_question("q");
    const int file = open(path, O_WRONLY);
    (void)state;
    assert_true(has(checkpoint, 5, 3));
    text.bytes[text.length - 70] ^= 4;
    assert_int_equal(pwrite(file, text.bytes, text.length, 0), text.length);
    close(file);
    assert_false(has(checkpoint, 5, 3));
    nb_checkpoint_close(checkpoint);
    nb_text_release(&text);
}

static void expect_failure(const struct nb_checkpoint *checkpoint,
                           const char *format)
{
    char said[NB_SCRATCH_PATH + 200];
    snprintf(said, sizeof said, format, path);
    assert_non_null(nb_checkpoint_failure(checkpoint));
    assert_string_equal(nb_checkpoint_failure(checkpoint), said);
}

/* The disk is full at any moment: nothing fails, and what was complete is found
 * again. */
static void full_disks_are_survived(void **state)
{
    struct nb_text whole = file_of("q", 0, 7);
    struct rlimit before, limit;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (size_t size = 0; size < whole.length; size += 1 + size / 9) {
        unlink(path);
        limit = before;
        limit.rlim_cur = size;
        setrlimit(RLIMIT_FSIZE, &limit);
        struct nb_checkpoint *checkpoint = open_question("q");
        for (uint64_t task = 0; task < 7; task++)
            add(checkpoint, 5, task);
        setrlimit(RLIMIT_FSIZE, &before);
        expect_failure(checkpoint,
                       "cannot write checkpoint \"%s\": File too large");
        nb_checkpoint_close(checkpoint);
        struct stat about;
        const bool is_there = stat(path, &about) == 0;
        assert_int_equal(is_there, size >= head_of(&whole) + 88);
        checkpoint = open_question("q");
        for (uint64_t task = 0, is_kept = 1; task < 7; task++) {
            const bool is_found = has(checkpoint, 5, task);
            assert_true(is_kept || !is_found);
            is_kept = is_found;
        }
        assert_null(nb_checkpoint_failure(checkpoint));
        nb_checkpoint_close(checkpoint);
    }
    nb_text_release(&whole);
}

static void a_missing_folder_is_survived(void **state)
{
    char name[NB_SCRATCH_PATH];
    (void)state;
    memcpy(name, path, sizeof name);
    nb_scratch_name("none/kept", path);
    struct nb_checkpoint *checkpoint = open_question("q");
    expect_failure(checkpoint,
                   "cannot write checkpoint \"%s\": No such file or "
                   "directory");
    add(checkpoint, 1, 1);
    assert_false(has(checkpoint, 1, 1));
    nb_checkpoint_sync(checkpoint);
    nb_checkpoint_close(checkpoint);
    memcpy(path, name, sizeof name);
}

static void removal_is_noticed(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        unlink(path);
        struct nb_checkpoint *checkpoint = open_question("q");
        add(checkpoint, 1, 1);
        nb_checkpoint_sync(checkpoint);
        assert_null(nb_checkpoint_failure(checkpoint));
        assert_int_equal(i == 0 ? unlink(path) : truncate(path, 90), 0);
        nb_checkpoint_sync(checkpoint);
        expect_failure(checkpoint, "checkpoint \"%s\" was removed or changed "
                                   "during the run");
        nb_checkpoint_close(checkpoint);
    }
}

/* A link stays what it was; the file that it names was ours. */
static void links_are_not_removed(void **state)
{
    char target[NB_SCRATCH_PATH];
    struct stat about;
    (void)state;
    nb_scratch_name("target", target);
    unlink(path);
    assert_int_equal(symlink("target", path), 0);
    for (int i = 0; i < 2; i++) {
        struct nb_checkpoint *checkpoint = open_question("q");
        if (i > 0)
            add(checkpoint, 1, 1);
        nb_checkpoint_close(checkpoint);
        assert_int_equal(lstat(path, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(stat(target, &about), 0);
        assert_int_equal(about.st_size > 0, i > 0);
    }
    unlink(path);
}

/* None of them waits, for a reader or for a writer. */
static void only_files_are_checkpoints(void **state)
{
    char said[NB_SCRATCH_PATH + 80];
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct nb_checkpoint *checkpoint;
        struct nb_error error;
        unlink(path);
        assert_int_equal(i == 0   ? mkfifo(path, 0600)
                         : i == 1 ? mkdir(path, 0700)
                                  : symlink("/dev/zero", path),
                         0);
        assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_INVALID);
        snprintf(said, sizeof said,
                 "checkpoint \"%s\" is not a file (permitted: a regular file)",
                 path);
        assert_string_equal(error.message, said);
        assert_null(checkpoint);
        remove(path);
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
    nb_scratch_write(path, "netbound checkpoint 1\np 1\n", 26);
    assert_int_equal(open_as("p 1", "q", &checkpoint, &error), NB_INVALID);
    snprintf(said, sizeof said,
             "checkpoint \"%s\" has the format of another version, netbound "
             "checkpoint 1 (permitted: netbound checkpoint 2)",
             path);
    assert_string_equal(error.message, said);
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
        cmocka_unit_test(records_of_other_questions_are_discarded),
        cmocka_unit_test(moved_records_are_discarded),
        cmocka_unit_test(copies_are_counted_once),
        cmocka_unit_test(late_changes_are_noticed),
        cmocka_unit_test(full_disks_are_survived),
        cmocka_unit_test(a_missing_folder_is_survived),
        cmocka_unit_test(removal_is_noticed),
        cmocka_unit_test(links_are_not_removed),
        cmocka_unit_test(only_files_are_checkpoints),
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
