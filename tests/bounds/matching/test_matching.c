/* The matching kernels against each other, the plain Hungarian method and all
 * permutations. Each answer must also carry its own proof: duals that cover
 * every weight and add up to the total. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bounds/matching/matching.h"
#include "support/hungarian.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 420 };

/* The kernel for doubles gets weight * 2^-20, so that sums stay exact. */
static const double unit = 0x1p-20;

/* One matrix in both forms, and one answer. */
struct matching_case {
    size_t n;
    int64_t *weight;
    double *real;
    uint32_t *column_of_row;
    int64_t *row_dual, *column_dual, total;
    double *real_row_dual, *real_column_dual, real_total;
};

static struct matching_case c;

static int test_setup(void **state)
{
    (void)state;
    const size_t square = (size_t)LARGEST * LARGEST;
    c.weight = malloc(square * sizeof *c.weight);
    c.real = malloc(square * sizeof *c.real);
    c.column_of_row = malloc(LARGEST * sizeof *c.column_of_row);
    c.row_dual = malloc(LARGEST * sizeof *c.row_dual);
    c.column_dual = malloc(LARGEST * sizeof *c.column_dual);
    c.real_row_dual = malloc(LARGEST * sizeof *c.real_row_dual);
    c.real_column_dual = malloc(LARGEST * sizeof *c.real_column_dual);
    return 0;
}

static int test_teardown(void **state)
{
    (void)state;
    free(c.weight);
    free(c.real);
    free(c.column_of_row);
    free(c.row_dual);
    free(c.column_dual);
    free(c.real_row_dual);
    free(c.real_column_dual);
    return 0;
}

static uint64_t test_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* 0 .. most. */
static int64_t test_upto(uint64_t *state, int64_t most)
{
    return (int64_t)(test_next(state) % ((uint64_t)most + 1));
}

enum matrix_kind {
    TIES,
    SPREAD,
    SPARSE,
    VERY_SPARSE,
    EQUAL,
    SUM,
    SUM_AND_NOISE,
    SUM_AND_SPARSE,
    PRODUCT,
    ZERO_ROW,
    NEAR_LIMIT, /* for integers only */
    KINDS
};

/* The parts of an entry from its row and its column. */
static int64_t test_part(uint64_t seed, size_t index)
{
    uint64_t state = seed ^ (index * 0x632be59bd9b4e019U);
    return test_upto(&state, 1 << 20);
}

static int64_t test_entry(enum matrix_kind kind, uint64_t seed, size_t i,
                          size_t j, uint64_t *state)
{
    const int64_t a = test_part(seed, 2 * i);
    const int64_t b = test_part(seed, 2 * j + 1);
    switch (kind) {
    case TIES:
        return test_upto(state, 1 + (int64_t)(seed % 7));
    case SPREAD:
        return test_upto(state, 1 << 24);
    case SPARSE:
        return test_upto(state, 9) == 0 ? test_upto(state, 1000) : 0;
    case VERY_SPARSE:
        return test_upto(state, 99) == 0 ? test_upto(state, 5) : 0;
    case EQUAL:
        return (int64_t)(seed % 3);
    case SUM:
        return a + b;
    case SUM_AND_NOISE:
        return a + b + test_upto(state, 1 << 15);
    case SUM_AND_SPARSE:
        return a + b + (test_upto(state, 9) == 0 ? test_upto(state, 999) : 0);
    case PRODUCT:
        return (int64_t)((i + 1) * (j + 1)) / (1 + (int64_t)(seed % 5));
    case ZERO_ROW:
        return i == seed % (j + 1) ? 0 : test_upto(state, 50);
    case NEAR_LIMIT:
    case KINDS:
        break;
    }
    return (((int64_t)1 << 62) - 1) / (int64_t)c.n - test_upto(state, 3);
}

static void test_make(enum matrix_kind kind, uint64_t seed, size_t n)
{
    uint64_t state = seed;
    c.n = n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            c.weight[i * n + j] = test_entry(kind, seed, i, j, &state);
    for (size_t k = 0; k < n * n; k++)
        c.real[k] = (double)c.weight[k] * unit;
}

/* NULL, or the error in the integer answer. */
static const char *test_fault(void)
{
    bool used[LARGEST] = { false };
    int64_t duals = 0;
    int64_t total = 0;
    for (size_t i = 0; i < c.n; i++) {
        const uint32_t j = c.column_of_row[i];
        if (j >= c.n || used[j])
            return "no permutation";
        used[j] = true;
        total += c.weight[i * c.n + j];
        duals += c.row_dual[i] + c.column_dual[i];
        if (c.row_dual[i] < 0 || c.column_dual[i] < 0)
            return "negative dual";
        for (size_t k = 0; k < c.n; k++)
            if (c.row_dual[i] + c.column_dual[k] < c.weight[i * c.n + k])
                return "dual too small";
    }
    if (total != c.total)
        return "total is not the permutation's";
    return duals != total ? "duals do not add up to the total" : NULL;
}

/* Takes the answer of the kernel for doubles, which is exact here. */
static void test_take_real(void)
{
    c.total = (int64_t)(c.real_total / unit);
    for (size_t i = 0; i < c.n; i++) {
        c.row_dual[i] = (int64_t)(c.real_row_dual[i] / unit);
        c.column_dual[i] = (int64_t)(c.real_column_dual[i] / unit);
    }
}

enum form { INTEGERS, DOUBLES, FORMS };

static enum nb_status test_solve(enum form form)
{
    if (form == INTEGERS)
        return nb_matching_integer(c.n, c.weight, NULL, c.column_of_row,
                                   c.row_dual, c.column_dual, &c.total, NULL);
    const enum nb_status status =
        nb_matching_double(c.n, c.real, NULL, c.column_of_row, c.real_row_dual,
                           c.real_column_dual, &c.real_total, NULL);
    test_take_real();
    return status;
}

/* Every kernel gives a proved answer with the expected total (-1: any). */
static void test_agree(enum matrix_kind kind, uint64_t seed, size_t n,
                       int64_t expected)
{
    const int forms = kind == NEAR_LIMIT ? DOUBLES : FORMS;
    for (int form = 0; form < forms; form++) {
        assert_int_equal(test_solve((enum form)form), NB_OK);
        const char *fault = test_fault();
        if (fault == NULL && expected >= 0 && c.total != expected)
            fault = "wrong total";
        if (fault != NULL)
            fail_msg("%s: kind %d, seed %" PRIu64 ", n %zu, form %d, total "
                     "%" PRId64 ", expected %" PRId64,
                     fault, (int)kind, seed, n, form, c.total, expected);
        expected = c.total;
    }
}

static void test_against_hungarian(size_t count, size_t least, size_t most)
{
    for (uint64_t seed = 0; seed < count; seed++) {
        const enum matrix_kind kind = (enum matrix_kind)(seed % KINDS);
        uint64_t state = ~seed;
        const size_t n = least + test_next(&state) % (most - least + 1);
        test_make(kind, seed, n);
        const int64_t expected =
            hungarian_integer(n, c.weight, c.column_of_row);
        test_agree(kind, seed, n, expected);
    }
}

static void test_small(void **state)
{
    (void)state;
    test_against_hungarian(6000, 1, 40);
}

static void test_medium(void **state)
{
    (void)state;
    test_against_hungarian(132, 65, 200);
}

/* Large enough for lists to be extended and rows to be read whole; the proof is
 * the only oracle needed. */
static void test_large(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2 * KINDS; seed++) {
        const enum matrix_kind kind = (enum matrix_kind)(seed % KINDS);
        const size_t n = 250 + (size_t)(seed * 37 % 171);
        test_make(kind, seed, n);
        test_agree(kind, seed, n, -1);
    }
}

/* The best completion of a permutation whose first rows are decided. */
static int64_t test_best(size_t row, unsigned used)
{
    int64_t best = row < c.n ? -1 : 0;
    for (size_t j = 0; j < c.n && row < c.n; j++) {
        if (used >> j & 1)
            continue;
        const int64_t total =
            c.weight[row * c.n + j] + test_best(row + 1, used | 1U << j);
        best = total > best ? total : best;
    }
    return best;
}

static void test_all_permutations(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 660; seed++) {
        const enum matrix_kind kind = (enum matrix_kind)(seed % KINDS);
        const size_t n = 1 + (size_t)(seed / KINDS % 8);
        test_make(kind, seed, n);
        const int64_t expected = test_best(0, 0);
        assert_true(hungarian_integer(n, c.weight, c.column_of_row) ==
                    expected);
        test_agree(kind, seed, n, expected);
    }
}

/* Doubles without a common unit: correct up to rounding. */
static void test_rounded(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const size_t n = 20 + (size_t)(seed * 29 % 300);
        const double tolerance = 16 * (double)n * 0x1p-53;
        double duals = 0;
        test_make((enum matrix_kind)(seed % NEAR_LIMIT), seed, n);
        for (size_t k = 0; k < n * n; k++)
            c.real[k] = c.weight[k] == 0 ? 0 : (double)c.weight[k] / 3e7;
        assert_int_equal(nb_matching_double(n, c.real, NULL, c.column_of_row,
                                            c.real_row_dual, c.real_column_dual,
                                            &c.real_total, NULL),
                         NB_OK);
        for (size_t i = 0; i < n; i++) {
            duals += c.real_row_dual[i] + c.real_column_dual[i];
            for (size_t j = 0; j < n; j++)
                assert_true(c.real_row_dual[i] + c.real_column_dual[j] >=
                            c.real[i * n + j] - tolerance);
        }
        assert_true(fabs(duals - c.real_total) <=
                    tolerance * (1 + c.real_total));
        assert_true(fabs(hungarian_double(n, c.real, c.column_of_row) -
                         c.real_total) <= tolerance * (1 + c.real_total));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),   cmocka_unit_test(test_medium),
        cmocka_unit_test(test_large),   cmocka_unit_test(test_all_permutations),
        cmocka_unit_test(test_rounded),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
