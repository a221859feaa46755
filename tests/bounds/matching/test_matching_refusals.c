/* Inputs that the matching kernels reject, and their behaviour when memory is
 * short; and channel loads whose matching is known in closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bounds/matching/matching.h"
#include "core/memory.h"
#include "support/load_matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };

static int64_t weight[N * N];
static double real[N * N];
static uint32_t column_of_row[N];
static int64_t row_dual[N], column_dual[N];
static double real_row_dual[N], real_column_dual[N];

static void test_refuse_double(double value, const char *message)
{
    double total;
    struct nb_error err = { 0 };
    for (size_t k = 0; k < (size_t)N * N; k++)
        real[k] = 1;
    real[7 * N + 93] = value;
    assert_int_equal(nb_matching_double(N, real, NULL, column_of_row,
                                        real_row_dual, real_column_dual, &total,
                                        &err),
                     NB_INVALID);
    if (strstr(err.message, message) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", err.message, message);
    /* Mostly zeros: the other branch of the scan. */
    memset(real, 0, sizeof real);
    real[7 * N + 93] = value;
    assert_int_equal(nb_matching_double(N, real, NULL, column_of_row,
                                        real_row_dual, real_column_dual, &total,
                                        NULL),
                     NB_INVALID);
}

static void test_bad_doubles(void **state)
{
    (void)state;
    test_refuse_double(-0.5, "weight (7, 93) = -0.5 ");
    test_refuse_double(NAN, "weight (7, 93) = ");
    test_refuse_double(INFINITY, "permitted: 0 .. ");
    test_refuse_double(-INFINITY, "= -inf ");
    test_refuse_double(nb_matching_double_limit * 2, "weight (7, 93)");
}

static void test_bad_integers(void **state)
{
    (void)state;
    int64_t total;
    const int64_t limit = (((int64_t)1 << 62) - 1) / N;
    const int64_t bad[] = { -1, INT64_MIN, limit + 1, INT64_MAX };
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
        for (int64_t others = 0; others < 2; others++) {
            struct nb_error err = { 0 };
            for (size_t k = 0; k < (size_t)N * N; k++)
                weight[k] = others;
            weight[99 * N] = bad[b];
            assert_int_equal(nb_matching_integer(N, weight, NULL, column_of_row,
                                                 row_dual, column_dual, &total,
                                                 &err),
                             NB_INVALID);
            assert_non_null(strstr(err.message, "weight (99, 0) = "));
        }
}

/* Minus zero is zero. */
static void test_minus_zero(void **state)
{
    (void)state;
    double total;
    for (size_t k = 0; k < (size_t)N * N; k++)
        real[k] = k % 3 == 0 ? 1 : -0.0;
    assert_int_equal(nb_matching_double(N, real, NULL, column_of_row,
                                        real_row_dual, real_column_dual, &total,
                                        NULL),
                     NB_OK);
    assert_true(total == N);
}

static void test_bad_sizes(void **state)
{
    (void)state;
    int64_t total;
    struct nb_error err = { 0 };
    assert_int_equal(nb_matching_integer(0, weight, NULL, column_of_row,
                                         row_dual, column_dual, &total, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "0 rows; permitted: 1 .. "));
    assert_int_equal(nb_matching_integer(nb_matching_size_limit + 1, weight,
                                         NULL, column_of_row, row_dual,
                                         column_dual, &total, NULL),
                     NB_INVALID);
}

/* Fills half the entries, or one in fifty. */
static void test_fill(bool is_dense)
{
    uint64_t x = 1;
    for (size_t k = 0; k < (size_t)N * N; k++) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        const uint64_t rarity = is_dense ? 2 : 50;
        weight[k] = (x >> 33) % rarity == 0 ? (int64_t)(x >> 40) : 0;
    }
}

/* With few allocations permitted, either a clean error or an answer found
 * without lists. */
static void test_memory(void **state)
{
    (void)state;
    for (int is_dense = 0; is_dense < 2; is_dense++) {
        int64_t expected, total;
        test_fill(is_dense);
        assert_int_equal(nb_matching_integer(N, weight, NULL, column_of_row,
                                             row_dual, column_dual, &expected,
                                             NULL),
                         NB_OK);
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; allowed < 60; allowed++) {
            struct nb_error err = { 0 };
            nb_memory_allow(allowed);
            status = nb_matching_integer(N, weight, NULL, column_of_row,
                                         row_dual, column_dual, &total, &err);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), before);
            assert_int_equal(err.status, status);
            assert_true(status == NB_NO_MEMORY ||
                        (status == NB_OK && total == expected));
        }
        assert_int_equal(status, NB_OK);
    }
}

/*
 * On the k x k torus DOR (with equal distances split) loads the channel with (k
 * - 1)/2 at worst: throughput 2/7 at k = 8, where the capacity is 1, and 1/4 at
 * k = 9, which is 5/18 of the capacity 9/10. VAL loads every channel with k/4
 * for even k, whatever the traffic.
 */
static void test_known_loads(void **state)
{
    (void)state;
    for (unsigned k = 4; k <= 9; k++) {
        int64_t total;
        int64_t d = load_matrix_denominator(LOAD_DOR, k);
        load_matrix_integer(LOAD_DOR, k, d, weight);
        assert_int_equal(nb_matching_integer((size_t)k * k, weight, NULL,
                                             column_of_row, row_dual,
                                             column_dual, &total, NULL),
                         NB_OK);
        assert_true(2 * total == (int64_t)(k - 1) * d);
        if (k % 2 != 0)
            continue;
        d = load_matrix_denominator(LOAD_VAL, k);
        load_matrix_integer(LOAD_VAL, k, d, weight);
        assert_int_equal(nb_matching_integer((size_t)k * k, weight, NULL,
                                             column_of_row, row_dual,
                                             column_dual, &total, NULL),
                         NB_OK);
        assert_true(4 * total == (int64_t)k * d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_doubles), cmocka_unit_test(test_bad_integers),
        cmocka_unit_test(test_minus_zero),  cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_known_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
