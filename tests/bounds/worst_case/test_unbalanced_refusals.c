/* Unbalanced rates: input that is rejected or does not fit, and lack of
 * memory. */
#include "bounds/worst_case/unbalanced.h"

#include "support/load_matrix.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { TORUS = 8, LARGEST = TORUS * TORUS };
static int64_t matrix[LARGEST * LARGEST];

/* Rates whose denominator or weights do not fit are reported, not wrapped. */
static void detects_overflow(void **state)
{
    (void)state;
    struct nb_unbalanced out = { 0 };
    struct nb_error err = { 0 };
    matrix[0] = (INT64_C(1) << 62) - 1;
    const struct nb_ratio third = { 1, 3 };
    assert_int_equal(
        nb_unbalanced_rate(1, matrix, third, NB_OVERLOAD_MEETS, &out, &err),
        NB_OVERFLOW);
    assert_non_null(strstr(err.message, "1/3"));
    err = (struct nb_error){ 0 };
    matrix[0]++;
    assert_int_equal(
        nb_unbalanced_rate(1, matrix, third, NB_OVERLOAD_MEETS, &out, &err),
        NB_OVERFLOW);
    assert_non_null(strstr(err.message, "4611686018427387904"));
    assert_null(out.row_dual);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void refuses_invalid_input(void **state)
{
    (void)state;
    struct nb_unbalanced out = { 0 };
    const struct nb_ratio one = nb_ratio_one;
    const struct nb_ratio unknown = { 0, 0 }, negative = { -1, 2 };
    memset(matrix, 0, sizeof matrix);
    assert_int_equal(
        nb_unbalanced_rate(0, matrix, one, NB_OVERLOAD_MEETS, &out, NULL),
        NB_INVALID);
    assert_int_equal(
        nb_unbalanced_rate(2, matrix, unknown, NB_OVERLOAD_MEETS, &out, NULL),
        NB_INVALID);
    assert_int_equal(
        nb_unbalanced_rate(2, matrix, negative, NB_OVERLOAD_MEETS, &out, NULL),
        NB_INVALID);
    struct nb_error err = { 0 };
    matrix[2] = -5;
    assert_int_equal(
        nb_unbalanced_rate(2, matrix, one, NB_OVERLOAD_MEETS, &out, &err),
        NB_INVALID);
    assert_string_equal(err.message, "weight -5 at (1, 0); permitted: 0 .. "
                                     "2305843009213693951");
    const struct {
        size_t row_start[3];
        uint32_t column[2];
        int64_t weight[2];
        enum nb_status status;
    } sparse[] = {
        { { 0, 1, 2 }, { 0, 0 }, { 1, 1 }, NB_OK },
        { { 1, 1, 2 }, { 0, 0 }, { 1, 1 }, NB_INVALID },
        { { 0, 2, 1 }, { 0, 1 }, { 1, 1 }, NB_INVALID },
        { { 0, 1, 2 }, { 0, 2 }, { 1, 1 }, NB_INVALID },
        { { 0, 0, 2 }, { 1, 1 }, { 1, 1 }, NB_INVALID },
        { { 0, 0, 2 }, { 0, 1 }, { 1, -1 }, NB_INVALID },
        { { 0, 0, 2 }, { 0, 1 }, { 1, INT64_MAX }, NB_OVERFLOW },
    };
    for (size_t c = 0; c < sizeof sparse / sizeof *sparse; c++) {
        assert_int_equal(
            nb_unbalanced_rate_sparse(2, sparse[c].row_start, sparse[c].column,
                                      sparse[c].weight, one, NB_OVERLOAD_MEETS,
                                      &out, NULL),
            sparse[c].status);
        nb_unbalanced_release(&out);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    const int64_t denominator = load_matrix_denominator(LOAD_VAL_Y, TORUS);
    const struct nb_ratio bound = { denominator, 1 };
    load_matrix_integer(LOAD_VAL_Y, TORUS, denominator, matrix);
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_unbalanced out = { 0 };
        nb_memory_allow(allowed);
        status = nb_unbalanced_rate(LARGEST, matrix, bound, NB_OVERLOAD_MEETS,
                                    &out, NULL);
        nb_memory_allow(-1);
        assert_true(status == NB_OK || out.row_dual == NULL);
        nb_unbalanced_release(&out);
        nb_unbalanced_release(&out);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detects_overflow),
        cmocka_unit_test(refuses_invalid_input),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
