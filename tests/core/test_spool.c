/* Spools: bytes in memory, and from a mebibyte on in a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "core/memory.h"
#include "core/spool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 100000, MOST = 25 * PIECE };

static char content[MOST];

static void expect(const char *path, size_t length)
{
    struct nb_text text = { 0 };
    assert_int_equal(nb_text_read_file(path, MOST + 1, &text, NULL), NB_OK);
    assert_int_equal(text.length, length);
    assert_memory_equal(text.bytes, content, length);
    nb_text_release(&text);
}

/* All bytes arrive in their order; those in memory stay below a mebibyte. */
static void test_bytes(void **state)
{
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("spooled", path);
    for (size_t pieces = 0; pieces <= 25; pieces += pieces < 9 ? 9 : 1) {
        struct nb_spool spool = { .place = path };
        for (size_t i = 0; i < pieces; i++) {
            assert_int_equal(
                nb_spool_add(&spool, content + i * PIECE, PIECE, NULL), NB_OK);
            assert_true(spool.text.length < 1 << 20);
            /* the eleventh piece fills the mebibyte */
            assert_int_equal(spool.file != NULL, i >= 10);
        }
        assert_int_equal(nb_file_write_spool(path, &spool, NULL), NB_OK);
        expect(path, pieces * PIECE);
        nb_spool_release(&spool);
        nb_spool_release(&spool);
    }
    unlink(path);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The device of a new file without a name, which has no link. */
static dev_t device_of(const char *place)
{
    struct stat about;
    FILE *file;
    assert_int_equal(nb_spool_open(place, &file, NULL), NB_OK);
    assert_int_equal(fstat(fileno(file), &about), 0);
    assert_int_equal(about.st_nlink, 0);
    assert_true(fputs("x", file) >= 0 && fflush(file) == 0);
    fclose(file);
    return about.st_dev;
}

/* The file goes into the folder of its place, else into that for temporary
 * files: seen by the file system where they differ, and where only one of them
 * exists. */
static void test_folders(void **state)
{
    char path[NB_SCRATCH_PATH], none[NB_SCRATCH_PATH];
    struct stat here;
    struct nb_error err = { 0 };
    FILE *file;
    const char *temporary = getenv("TMPDIR");
    char *before = temporary != NULL ? strdup(temporary) : NULL;
    (void)state;
    nb_scratch_write(nb_scratch_name("here", path), "", 0);
    nb_scratch_name("none/file", none);
    assert_int_equal(stat(path, &here), 0);
    assert_int_equal(setenv("TMPDIR", "/dev/shm", 1), 0);
    assert_true(device_of(path) == here.st_dev);
    struct stat other;
    if (stat("/dev/shm", &other) == 0 && other.st_dev != here.st_dev) {
        assert_true(device_of(NULL) == other.st_dev);
        assert_true(device_of(none) == other.st_dev);
        assert_true(device_of("/dev/null") == other.st_dev);
    }
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    device_of(NULL); /* /tmp */
    nb_scratch_name("none", none);
    assert_int_equal(setenv("TMPDIR", none, 1), 0);
    assert_true(device_of(path) == here.st_dev);
    assert_int_equal(nb_spool_open(NULL, &file, &err), NB_IO);
    assert_non_null(strstr(err.message, none));
    assert_null(file);
    if (before != NULL)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    unlink(path);
}

/* Without standard input the file may be descriptor 0. */
static void test_first_descriptor(void **state)
{
    const int input = dup(0);
    (void)state;
    close(0);
    device_of(NULL);
    if (input >= 0) {
        assert_int_equal(dup2(input, 0), 0);
        close(input);
    }
}

static void test_copies(void **state)
{
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("copy", path);
    for (size_t length = 0; length <= MOST; length += MOST / 5) {
        FILE *from = tmpfile(), *to = fopen(path, "wb");
        assert_true(from != NULL && to != NULL);
        assert_int_equal(fwrite(content, 1, length, from), length);
        assert_true(nb_spool_copy(from, to));
        fclose(from);
        assert_int_equal(fclose(to), 0);
        expect(path, length);
    }
    FILE *from = tmpfile(), *full = fopen("/dev/full", "wb");
    assert_true(from != NULL && full != NULL);
    assert_int_equal(fwrite(content, 1, MOST, from), MOST);
    assert_false(nb_spool_copy(from, full));
    fclose(from);
    fclose(full);
    unlink(path);
}

static int set_up(void **state)
{
    for (size_t i = 0; i < MOST; i++)
        content[i] = (char)(i * 31 % 251);
    return nb_scratch_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_first_descriptor),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, set_up, nb_scratch_teardown);
}
