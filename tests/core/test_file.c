/* Reading and writing whole files. The tests may run as root, for whom no
 * folder is closed: unwritable places are paths below a file, /proc and the
 * full device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "core/memory.h"
#include "core/text.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t file_count(const char *where)
{
    size_t count = 0;
    DIR *stream = opendir(where);
    assert_non_null(stream);
    while (readdir(stream) != NULL)
        count++;
    closedir(stream);
    return count - 2;
}

static void file_expect(const char *path, const char *bytes, size_t length)
{
    struct nb_text text = { 0 };
    assert_int_equal(nb_text_read_file(path, 1 << 20, &text, NULL), NB_OK);
    assert_int_equal(text.length, length);
    assert_memory_equal(text.bytes, bytes, length);
    nb_text_release(&text);
}

static void test_round_trip(void **state)
{
    (void)state;
    static char bytes[200000];
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("file", path);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 % 256);
    static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 200000, 3 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(nb_file_write(path, bytes, lengths[i], NULL), NB_OK);
        file_expect(path, bytes, lengths[i]);
        assert_int_equal(file_count(nb_scratch_folder()), 1);
    }
    unlink(path);
}

static void test_permissions(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct stat found;
    nb_scratch_name("file", path);
    const mode_t mask = umask(027);
    assert_int_equal(nb_file_write(path, "x", 1, NULL), NB_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(nb_file_write(path, "y", 1, NULL), NB_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0604);
    umask(mask);
    unlink(path);
}

static void test_reading_limit(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_scratch_name("file", path);
    nb_scratch_write(path, "12345", 5);
    assert_int_equal(nb_text_read_file(path, 5, &text, NULL), NB_OK);
    nb_text_release(&text);
    assert_int_equal(nb_text_read_file(path, 4, &text, &error), NB_INVALID);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "4 bytes"));
    nb_text_release(&text);
    /* A device without end is stopped at the limit as well. */
    error = (struct nb_error){ 0 };
    assert_int_equal(nb_text_read_file("/dev/zero", 100000, &text, &error),
                     NB_INVALID);
    assert_true(text.length < 1 << 20);
    nb_text_release(&text);
    unlink(path);
}

static void test_reading_refusals(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_scratch_name("missing", path);
    assert_int_equal(nb_text_read_file(path, 10, &text, &error), NB_IO);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "No such file"));
    error = (struct nb_error){ 0 };
    assert_int_equal(nb_text_read_file(nb_scratch_folder(), 10, &text, &error),
                     NB_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    nb_text_release(&text);
}

static void file_expect_unwritable(const char *path, const char *cause)
{
    struct nb_error error = { 0 };
    const enum nb_status status = nb_file_write(path, "abc", 3, &error);
    if (status != NB_IO || strstr(error.message, path) == NULL ||
        strstr(error.message, cause) == NULL)
        fail_msg("%s: status %d, \"%s\"", path, (int)status, error.message);
}

static void test_unwritable_places(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH], below[NB_SCRATCH_PATH];
    nb_scratch_name("file", path);
    nb_scratch_write(path, "kept", 4);
    nb_scratch_path(path, "below", below);
    file_expect_unwritable(below, "Not a directory");
    nb_scratch_name("no/such/folder", below);
    file_expect_unwritable(below, "No such file");
    file_expect_unwritable(nb_scratch_folder(), "directory");
    file_expect_unwritable("/proc/netbound-test", "No such file");
    file_expect_unwritable("/dev/full", "No space left");
    file_expect(path, "kept", 4);
    assert_int_equal(file_count(nb_scratch_folder()), 1);
    unlink(path);
}

static void test_devices_are_written_in_place(void **state)
{
    (void)state;
    struct stat found;
    assert_int_equal(nb_file_write("/dev/null", "abc", 3, NULL), NB_OK);
    assert_int_equal(stat("/dev/null", &found), 0);
    assert_true(S_ISCHR(found.st_mode));
}

static void test_failing_memory(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    nb_scratch_name("file", path);
    const long before = nb_memory_live_blocks();
    nb_memory_allow(0);
    assert_int_equal(nb_file_write(path, "abc", 3, NULL), NB_NO_MEMORY);
    nb_memory_allow(-1);
    assert_int_equal(file_count(nb_scratch_folder()), 0);
    nb_scratch_write(path, "abc", 3);
    nb_memory_allow(0);
    assert_int_equal(nb_text_read_file(path, 10, &text, NULL), NB_NO_MEMORY);
    nb_memory_allow(-1);
    nb_text_release(&text);
    assert_int_equal(nb_memory_live_blocks(), before);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_permissions),
        cmocka_unit_test(test_reading_limit),
        cmocka_unit_test(test_reading_refusals),
        cmocka_unit_test(test_unwritable_places),
        cmocka_unit_test(test_devices_are_written_in_place),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
