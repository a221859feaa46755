/* Sources: files and pipes read piece by piece, once or twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "core/source.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 200000 };

static char content[MOST];

/* Reads to the end; checks that it is the content from a byte on. */
static void read_all(struct nb_source *source, size_t from, size_t length)
{
    static char bytes[NB_SOURCE_PIECE];
    size_t count, at = from;
    do {
        assert_int_equal(nb_source_read(source, bytes, &count, NULL), NB_OK);
        assert_true(at + count <= length);
        assert_memory_equal(bytes, content + at, count);
        at += count;
    } while (count > 0);
    assert_int_equal(at, length);
}

static void test_files(void **state)
{
    static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, MOST };
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("source", path);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int again = 0; again < 2; again++) {
            struct nb_source source;
            nb_scratch_write(path, content, lengths[i]);
            assert_int_equal(nb_source_open(path, again != 0, &source, NULL),
                             NB_OK);
            assert_true(source.is_regular && source.copy == NULL);
            assert_int_equal(nb_source_size(&source), lengths[i]);
            read_all(&source, 0, lengths[i]);
            assert_int_equal(nb_source_rewind(&source, NULL), NB_OK);
            read_all(&source, 0, lengths[i]);
            nb_source_close(&source);
            nb_source_close(&source);
        }
    unlink(path);
}

/* Standard input that somebody has read a part of goes on from there. */
static void test_standard_input(void **state)
{
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_write(nb_scratch_name("source", path), content, 1000);
    const int before = dup(0);
    for (int part = 0; part <= 1000; part += 500) {
        struct nb_source source;
        const int file = open(path, O_RDONLY);
        assert_true(file >= 0 && dup2(file, 0) == 0);
        assert_int_equal(lseek(0, part, SEEK_SET), part);
        assert_int_equal(nb_source_open("-", true, &source, NULL), NB_OK);
        assert_int_equal(nb_source_size(&source), 1000 - part);
        read_all(&source, (size_t)part, 1000);
        assert_int_equal(nb_source_rewind(&source, NULL), NB_OK);
        read_all(&source, (size_t)part, 1000);
        nb_source_close(&source);
        close(file);
    }
    assert_int_equal(dup2(before, 0), 0);
    close(before);
    unlink(path);
}

/* Writes the content to a pipe, unless the reader leaves. */
struct writer {
    const char *path;
    size_t length, written;
};

static void *write_all(void *context)
{
    struct writer *writer = context;
    const int file = open(writer->path, O_WRONLY);
    ssize_t count = 1;
    while (count > 0 && writer->written < writer->length) {
        count = write(file, content + writer->written,
                      writer->length - writer->written);
        writer->written += count > 0 ? (size_t)count : 0;
    }
    close(file);
    return NULL;
}

/* A pipe is read once, or twice if that was said before; what is left of it can
 * be drained. */
static void test_pipes(void **state)
{
    static const size_t lengths[] = { 0, 1, 65536, MOST };
    char path[NB_SCRATCH_PATH];
    (void)state;
    assert_int_equal(mkfifo(nb_scratch_name("pipe", path), 0600), 0);
    for (size_t i = 0; i < 12; i++) {
        struct writer writer = { .path = path, .length = lengths[i % 4] };
        struct nb_source source;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, write_all, &writer), 0);
        assert_int_equal(nb_source_open(path, i / 4 == 1, &source, NULL),
                         NB_OK);
        assert_false(source.is_regular);
        assert_int_equal(source.copy != NULL, i / 4 == 1);
        assert_int_equal(nb_source_size(&source), 0);
        if (i / 4 == 2)
            nb_source_drain(&source);
        else
            read_all(&source, 0, writer.length);
        if (i / 4 == 1)
            for (int twice = 0; twice < 2; twice++) {
                assert_int_equal(nb_source_rewind(&source, NULL), NB_OK);
                read_all(&source, 0, writer.length);
            }
        pthread_join(thread, NULL);
        assert_int_equal(writer.written, writer.length);
        nb_source_close(&source);
    }
    unlink(path);
}

static void test_refusals(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_source source;
    struct nb_error err = { 0 };
    (void)state;
    nb_scratch_name("none", path);
    assert_int_equal(nb_source_open(path, false, &source, &err), NB_IO);
    assert_non_null(strstr(err.message, "none\": No such file"));
    assert_null(source.file);
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_source_open(nb_scratch_folder(), false, &source, &err),
                     NB_IO);
    assert_non_null(strstr(err.message, "is a directory"));
    assert_null(source.file);
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
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, nb_scratch_teardown);
}
