#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"

#include <math.h>
#include <string.h>

static void test_arrays_are_zeroed_and_counted(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    unsigned char *block = nb_new_array(1000, 3);
    assert_non_null(block);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(block[i], 0);
    assert_int_equal(nb_memory_live_blocks(), before + 1);
    nb_delete(block);
    nb_delete(NULL);
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_empty_arrays_are_blocks(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    void *none = nb_new_array(0, 8);
    void *hollow = nb_new_array(8, 0);
    assert_non_null(none);
    assert_non_null(hollow);
    assert_int_equal(nb_memory_live_blocks(), before + 2);
    nb_delete(none);
    nb_delete(hollow);
}

static void test_impossible_sizes(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    struct nb_error error = { 0 };
    uint64_t *block = NULL;
    assert_null(nb_new_array(SIZE_MAX, 2));
    assert_int_equal(nb_new(&block, SIZE_MAX / 2, 8, "matrix", &error),
                     NB_NO_MEMORY);
    assert_null(block);
    assert_non_null(strstr(error.message, "no memory for matrix"));
    error = (struct nb_error){ 0 };
    assert_int_equal(nb_grow(&block, SIZE_MAX / 2, 8, "list", &error),
                     NB_NO_MEMORY);
    assert_null(block);
    assert_non_null(strstr(error.message, "list"));
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_arrays_of_one_block(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    unsigned char *bytes = NULL;
    long double *numbers = NULL;
    uint32_t *none = NULL;
    const struct nb_array arrays[] = {
        NB_ARRAY(bytes, 3),
        NB_ARRAY(numbers, 5),
        NB_ARRAY(none, 0),
        { 0 },
    };
    assert_int_equal(nb_new_arrays(arrays, "parts", NULL), NB_OK);
    assert_int_equal(nb_memory_live_blocks(), before + 1);
    assert_int_equal((uintptr_t)numbers % _Alignof(long double), 0);
    assert_true((uintptr_t)(bytes + 3) <= (uintptr_t)numbers);
    assert_true((uintptr_t)(numbers + 5) <= (uintptr_t)none);
    memset(bytes, 1, 3);
    for (size_t i = 0; i < 5; i++)
        assert_true(numbers[i] == 0);
    nb_delete(bytes);
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_arrays_that_are_impossible(void **state)
{
    (void)state;
    static const size_t many[] = { SIZE_MAX / 2, SIZE_MAX / 8 - 4 };
    const long before = nb_memory_live_blocks();
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        struct nb_error error = { 0 };
        uint64_t *one = NULL, *other = NULL;
        const struct nb_array arrays[] = {
            NB_ARRAY(one, 8),
            NB_ARRAY(other, many[i]),
            { 0 },
        };
        assert_int_equal(nb_new_arrays(arrays, "matrix", &error), NB_NO_MEMORY);
        assert_null(one);
        assert_null(other);
        assert_non_null(strstr(error.message, "no memory for matrix"));
    }
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_reserving_doubles(void **state)
{
    (void)state;
    size_t capacity = 0;
    uint32_t *list = NULL;
    assert_int_equal(
        nb_reserve(&list, &capacity, 1, sizeof *list, "list", NULL), NB_OK);
    assert_int_equal(capacity, 64);
    list[63] = 7;
    uint32_t *const kept = list;
    assert_int_equal(
        nb_reserve(&list, &capacity, 64, sizeof *list, "list", NULL), NB_OK);
    assert_ptr_equal(list, kept);
    assert_int_equal(
        nb_reserve(&list, &capacity, 65, sizeof *list, "list", NULL), NB_OK);
    assert_int_equal(capacity, 128);
    assert_int_equal(list[63], 7);
    assert_int_equal(
        nb_reserve(&list, &capacity, 1000, sizeof *list, "list", NULL), NB_OK);
    assert_int_equal(capacity, 1000);
    assert_int_equal(
        nb_reserve(&list, &capacity, SIZE_MAX / 2, sizeof *list, "list", NULL),
        NB_NO_MEMORY);
    assert_int_equal(capacity, 1000);
    nb_delete(list);
}

static void test_growing_keeps_contents(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    uint32_t *list = NULL;
    for (uint32_t i = 0; i < 500; i++) {
        assert_int_equal(nb_grow(&list, i + 1, sizeof *list, "list", NULL),
                         NB_OK);
        list[i] = i * i;
        assert_int_equal(nb_memory_live_blocks(), before + 1);
    }
    for (uint32_t i = 0; i < 500; i++)
        assert_int_equal(list[i], i * i);
    nb_memory_allow(0);
    uint32_t *kept = list;
    assert_int_equal(nb_grow(&list, 100000, sizeof *list, "list", NULL),
                     NB_NO_MEMORY);
    nb_memory_allow(-1);
    assert_ptr_equal(list, kept);
    assert_int_equal(list[499], 499 * 499);
    nb_delete(list);
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_strings_are_copied(void **state)
{
    (void)state;
    char text[] = "torus:8x8";
    char *copy = nb_new_string(text);
    assert_non_null(copy);
    text[0] = 'T';
    assert_string_equal(copy, "torus:8x8");
    nb_delete(copy);
    copy = nb_new_string("");
    assert_string_equal(copy, "");
    nb_delete(copy);
}

static void test_allow_counts_allocations(void **state)
{
    (void)state;
    void *block[4] = { NULL };
    uint8_t *grown = NULL;
    nb_memory_allow(3);
    block[0] = nb_new_array(1, 1);
    block[1] = nb_new_string("x");
    assert_int_equal(nb_grow(&grown, 5, 1, "grown", NULL), NB_OK);
    block[2] = nb_new_array(1, 1);
    block[3] = nb_new_string("x");
    assert_int_equal(nb_grow(&grown, 9, 1, "grown", NULL), NB_NO_MEMORY);
    nb_memory_allow(-1);
    assert_non_null(block[0]);
    assert_non_null(block[1]);
    assert_null(block[2]);
    assert_null(block[3]);
    nb_delete(block[0]);
    nb_delete(block[1]);
    nb_delete(grown);
}

static void test_hopeless_sizes_are_refused(void **state)
{
    (void)state;
    struct nb_error error = { 0 };
    assert_int_equal(nb_memory_require(0, "nothing", &error), NB_OK);
    assert_int_equal(nb_memory_require(4096, "a page", &error), NB_OK);
    assert_int_equal(nb_memory_require(1e15, "loads of all pairs", &error),
                     NB_NO_MEMORY);
    /* 10^15 / 2^20 = 953674316.40625 */
    assert_non_null(strstr(error.message, "loads of all pairs"));
    assert_non_null(strstr(error.message, "953674316 MiB"));
    assert_non_null(strstr(error.message, "permitted here"));
    assert_int_equal(nb_memory_require(INFINITY, "all", NULL), NB_NO_MEMORY);
    assert_int_equal(nb_memory_require(NAN, "none", NULL), NB_NO_MEMORY);
}

static void test_reserving_keeps_contents(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    size_t room = 0, count = 0;
    int *list = NULL;
    for (; count < 1000; count++) {
        assert_int_equal(
            nb_reserve(&list, &room, count + 1, sizeof *list, "list", NULL),
            NB_OK);
        assert_true(room > count);
        list[count] = (int)count;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[i], i);
    struct nb_error error = { 0 };
    const size_t old = room;
    assert_int_equal(
        nb_reserve(&list, &room, SIZE_MAX / 2, sizeof *list, "list", &error),
        NB_NO_MEMORY);
    assert_non_null(strstr(error.message, "list"));
    assert_int_equal(room, old);
    nb_delete(list);
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_pool_owns_its_arrays(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    struct nb_pool pool = { 0 };
    unsigned char *bytes = nb_pool_array(&pool, 1000, 3);
    long double *wide = nb_pool_array(&pool, 5, sizeof *wide);
    void *empty = nb_pool_array(&pool, 0, 8);
    assert_int_equal(nb_pool_check(&pool, "arrays", NULL), NB_OK);
    assert_non_null(empty);
    assert_int_equal((uintptr_t)wide % sizeof *wide, 0);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(bytes[i], 0);
    nb_pool_release(&pool);
    nb_pool_release(&pool);
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_pool_says_once_what_could_not_be_had(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    struct nb_pool pool = { 0 };
    struct nb_error error = { 0 };
    assert_non_null(nb_pool_array(&pool, 4, 4));
    assert_null(nb_pool_array(&pool, SIZE_MAX / 2, 8));
    assert_null(nb_pool_array(&pool, 1, 1));
    assert_int_equal(nb_pool_check(&pool, "matrix", &error), NB_NO_MEMORY);
    assert_non_null(strstr(error.message, "no memory for matrix: "));
    assert_non_null(strstr(error.message, " x 8 bytes"));
    nb_pool_release(&pool);
    assert_int_equal(nb_pool_check(&pool, "matrix", NULL), NB_OK);
    nb_memory_allow(1);
    assert_non_null(nb_pool_array(&pool, 4, 4));
    assert_null(nb_pool_array(&pool, 4, 4));
    nb_memory_allow(-1);
    assert_int_equal(nb_pool_check(&pool, "list", NULL), NB_NO_MEMORY);
    nb_pool_release(&pool);
    assert_int_equal(nb_memory_live_blocks(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_are_zeroed_and_counted),
        cmocka_unit_test(test_empty_arrays_are_blocks),
        cmocka_unit_test(test_impossible_sizes),
        cmocka_unit_test(test_reserving_keeps_contents),
        cmocka_unit_test(test_pool_owns_its_arrays),
        cmocka_unit_test(test_pool_says_once_what_could_not_be_had),
        cmocka_unit_test(test_arrays_of_one_block),
        cmocka_unit_test(test_arrays_that_are_impossible),
        cmocka_unit_test(test_reserving_doubles),
        cmocka_unit_test(test_growing_keeps_contents),
        cmocka_unit_test(test_strings_are_copied),
        cmocka_unit_test(test_allow_counts_allocations),
        cmocka_unit_test(test_hopeless_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
