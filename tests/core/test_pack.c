/* Packed values: read back as they were written; bytes that are missing or left
 * over are noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/pack.h"

#include <string.h>

static const char *const strings[] = { "torus", NULL, "", "x" };

/* Two numbers, the strings, and a list of three. */
static void pack_all(struct nb_text *out)
{
    static const uint16_t list[] = { 1, 258, 65535 };
    nb_pack_whole(out, 0);
    nb_pack_whole(out, UINT64_MAX - 1);
    for (size_t i = 0; i < 4; i++)
        nb_pack_string(out, strings[i]);
    nb_pack_whole(out, 3);
    nb_pack(out, list, sizeof list);
}

static bool are_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Reads it; returns whether all values are those that were written. */
static bool unpack_all(struct nb_packed *in)
{
    uint16_t list[3] = { 7, 7, 7 };
    bool is_same = nb_unpack_whole(in) == 0;
    is_same &= nb_unpack_whole(in) == UINT64_MAX - 1;
    for (size_t i = 0; i < 4; i++) {
        char *text = nb_unpack_string(in);
        is_same &= are_same(text, strings[i]);
        nb_delete(text);
    }
    is_same &= nb_unpack_count(in, sizeof *list) == 3;
    nb_unpack(in, list, sizeof list);
    return is_same && list[0] == 1 && list[1] == 258 && list[2] == 65535;
}

static void test_round_trip(void **state)
{
    struct nb_text text = { 0 };
    (void)state;
    pack_all(&text);
    /* seven numbers and sizes, and "torus", "" and "x", each with its end */
    assert_int_equal(text.length, 7 * 8 + 6 + 1 + 2 + 6);
    struct nb_packed in = nb_packed_of(text.bytes, text.length);
    assert_true(unpack_all(&in));
    assert_int_equal(nb_packed_check(&in, NULL), NB_OK);
    nb_text_release(&text);
}

/* Cut anywhere: what is missing reads as zeros, and the check fails. */
static void test_missing(void **state)
{
    struct nb_text text = { 0 };
    (void)state;
    pack_all(&text);
    for (size_t length = 0; length < text.length; length++) {
        struct nb_packed in = nb_packed_of(text.bytes, length);
        assert_false(unpack_all(&in));
        assert_true(in.has_failed);
        assert_int_equal(nb_packed_check(&in, NULL), NB_INVALID);
        assert_int_equal(nb_unpack_whole(&in), 0);
    }
    nb_text_release(&text);
}

static void test_left_over(void **state)
{
    struct nb_text text = { 0 };
    (void)state;
    pack_all(&text);
    nb_pack(&text, "", 1);
    struct nb_packed in = nb_packed_of(text.bytes, text.length);
    assert_true(unpack_all(&in));
    assert_int_equal(nb_packed_check(&in, NULL), NB_INVALID);
    nb_text_release(&text);
}

/* A count is refused exactly if its elements do not fit into the rest. */
static void test_counts(void **state)
{
    (void)state;
    for (size_t rest = 0; rest <= 20; rest++)
        for (size_t bytes = 1; bytes <= 5; bytes++)
            for (uint64_t count = 0; count <= 22; count++) {
                struct nb_text text = { 0 };
                nb_pack_whole(&text, count);
                for (size_t i = 0; i < rest; i++)
                    nb_pack(&text, "x", 1);
                struct nb_packed in = nb_packed_of(text.bytes, text.length);
                const bool fits = count * bytes <= rest;
                assert_int_equal(nb_unpack_count(&in, bytes), fits ? count : 0);
                assert_int_equal(in.has_failed, !fits);
                nb_text_release(&text);
            }
}

/* Without memory for a string it is not the bytes that are wrong. */
static void test_no_memory(void **state)
{
    struct nb_text text = { 0 };
    (void)state;
    nb_pack_string(&text, "torus");
    struct nb_packed in = nb_packed_of(text.bytes, text.length);
    nb_memory_allow(0);
    assert_null(nb_unpack_string(&in));
    nb_memory_allow(-1);
    assert_int_equal(nb_packed_check(&in, NULL), NB_NO_MEMORY);
    nb_text_release(&text);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_left_over),  cmocka_unit_test(test_counts),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
