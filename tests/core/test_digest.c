#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "core/digest.h"

#include <string.h>

/* Source: the example messages that NIST publishes with FIPS 180-4. */
static const struct {
    const char *message;
    const char *digest;
} vectors[] = {
    { "abc",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

static void test_vectors(void **state)
{
    (void)state;
    char folder[NB_SCRATCH_PATH], path[NB_SCRATCH_PATH];
    char text[NB_DIGEST_TEXT];
    assert_true(nb_scratch_open(folder));
    nb_scratch_path(folder, "message", path);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const size_t length = strlen(vectors[i].message);
        nb_digest_bytes(vectors[i].message, length, text);
        assert_string_equal(text, vectors[i].digest);
        nb_scratch_write(path, vectors[i].message, length);
        assert_int_equal(nb_digest_file(path, text, NULL), NB_OK);
        assert_string_equal(text, vectors[i].digest);
    }
    nb_scratch_close(folder);
}

/* One million times "a": longer than any block the file is read in. */
static void test_long_message(void **state)
{
    (void)state;
    static char message[1000000];
    static const char expected[] =
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    char folder[NB_SCRATCH_PATH], path[NB_SCRATCH_PATH];
    char text[NB_DIGEST_TEXT];
    memset(message, 'a', sizeof message);
    nb_digest_bytes(message, sizeof message, text);
    assert_string_equal(text, expected);
    assert_true(nb_scratch_open(folder));
    nb_scratch_path(folder, "message", path);
    nb_scratch_write(path, message, sizeof message);
    assert_int_equal(nb_digest_file(path, text, NULL), NB_OK);
    assert_string_equal(text, expected);
    nb_scratch_close(folder);
}

static void test_devices_have_no_digest(void **state)
{
    (void)state;
    char text[NB_DIGEST_TEXT] = "x";
    assert_int_equal(nb_digest_file("/dev/null", text, NULL), NB_OK);
    assert_string_equal(text, "");
}

static void test_refusals(void **state)
{
    (void)state;
    char text[NB_DIGEST_TEXT] = "x";
    struct nb_error error = { 0 };
    assert_int_equal(nb_digest_file("/nowhere/at all", text, &error), NB_IO);
    assert_non_null(strstr(error.message, "/nowhere/at all"));
    assert_non_null(strstr(error.message, "No such file"));
    assert_string_equal(text, "");
    error = (struct nb_error){ 0 };
    assert_int_equal(nb_digest_file("/", text, &error), NB_IO);
    assert_non_null(strstr(error.message, "directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_long_message),
        cmocka_unit_test(test_devices_have_no_digest),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
