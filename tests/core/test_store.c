/* Files are read only once, whatever happens to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "core/digest.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/store.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct nb_store store;

static int store_open(void **state)
{
    (void)state;
    nb_store_use(&store);
    return 0;
}

static int store_close(void **state)
{
    (void)state;
    nb_store_use(NULL);
    nb_store_release(&store);
    nb_store_release(&store);
    return 0;
}

static void store_expect(const char *path, const char *bytes)
{
    struct nb_text text = { 0 };
    assert_int_equal(nb_store_read(path, 100, &text, NULL), NB_OK);
    assert_string_equal(text.bytes, bytes);
    nb_text_release(&text);
}

static void test_first_bytes_stay(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH], digest[NB_DIGEST_TEXT], first[NB_DIGEST_TEXT];
    nb_scratch_write(nb_scratch_name("file", path), "old", 3);
    assert_int_equal(nb_digest_file(path, digest, NULL), NB_OK);
    nb_digest_bytes("old", 3, first);
    nb_scratch_write(path, "newer", 5);
    store_expect(path, "old");
    unlink(path);
    store_expect(path, "old");
    assert_string_equal(digest, first);
    nb_store_use(NULL); /* without a store every call reads the file again */
    nb_scratch_write(path, "newer", 5);
    store_expect(path, "newer");
    unlink(path);
}

/* One file under several names, also after it was replaced. */
static void test_spellings(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH], other[NB_SCRATCH_PATH], link[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("file", path), "old", 3);
    store_expect(path, "old");
    nb_scratch_write(nb_scratch_name("newer", other), "newer", 5);
    assert_int_equal(rename(other, path), 0);
    store_expect(nb_scratch_name("./file", other), "old");
    assert_int_equal(symlink("file", nb_scratch_name("link", link)), 0);
    store_expect(link, "old");
    unlink(link);
    unlink(path);
    store_expect(other, "old");
    assert_int_equal(store.count, 1);
}

static void test_refusals(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_scratch_name("file", path);
    assert_int_equal(nb_store_read(path, 9, &text, &error), NB_IO);
    assert_non_null(strstr(error.message, path));
    nb_scratch_write(path, "0123456789", 10);
    for (int i = 0; i < 2; i++) { /* whether it was read or not */
        error = (struct nb_error){ 0 };
        assert_int_equal(nb_store_read(path, 9, &text, &error), NB_INVALID);
        assert_non_null(strstr(error.message, "9 bytes"));
        nb_text_release(&text);
        store_expect(path, "0123456789");
    }
    unlink(path);
}

static void test_failing_memory(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    enum nb_status status = NB_NO_MEMORY;
    const long before = nb_memory_live_blocks();
    nb_scratch_write(nb_scratch_name("file", path), "old", 3);
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status = nb_store_read(path, 9, &text, NULL);
        nb_memory_allow(-1);
        nb_text_release(&text);
        assert_in_range(allowed, 0, 20);
    }
    assert_int_equal(status, NB_OK);
    store_expect(path, "old");
    assert_int_equal(store.count, 1);
    nb_store_release(&store);
    assert_int_equal(nb_memory_live_blocks(), before);
    unlink(path);
}

static enum nb_status read_one(void *context, int thread, size_t index,
                               struct nb_error *err)
{
    const char(*paths)[NB_SCRATCH_PATH] = context;
    struct nb_text text = { 0 };
    (void)thread;
    enum nb_status status = nb_store_read(paths[index % 7], 9, &text, err);
    if (status == NB_OK && *text.bytes != '0' + (char)(index % 7))
        status = nb_fail(err, NB_REFUTED, "%s", text.bytes);
    nb_text_release(&text);
    return status;
}

static void test_threads(void **state)
{
    (void)state;
    static char paths[7][NB_SCRATCH_PATH];
    const struct nb_run run = { .threads = 4 };
    for (int i = 0; i < 7; i++) {
        const char name[] = { (char)('0' + i), '\0' };
        nb_scratch_write(nb_scratch_name(name, paths[i]), name, 1);
    }
    assert_int_equal(nb_run_tasks(&run, "read", 1000, read_one, paths, NULL),
                     NB_OK);
    assert_int_equal(store.count, 7);
    for (int i = 0; i < 7; i++)
        unlink(paths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_first_bytes_stay, store_open,
                                        store_close),
        cmocka_unit_test_setup_teardown(test_spellings, store_open,
                                        store_close),
        cmocka_unit_test_setup_teardown(test_refusals, store_open, store_close),
        cmocka_unit_test_setup_teardown(test_failing_memory, store_open,
                                        store_close),
        cmocka_unit_test_setup_teardown(test_threads, store_open, store_close),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
