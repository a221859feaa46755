#include "bounds/worst_case/unbalanced.h"

#include "support/load_matrix.h"
#include "support/unbalanced_program.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

enum { LARGEST = 64, TORUS = 8 };
static int64_t matrix[LARGEST * LARGEST];

static void print_matrix(size_t n, struct nb_ratio bound)
{
    print_message("bound %lld/%lld, n = %zu\n", (long long)bound.numerator,
                  (long long)bound.denominator, n);
    for (size_t k = 0; k < n * n; k++)
        print_message("%lld%s", (long long)matrix[k],
                      (k + 1) % n == 0 ? "\n" : " ");
}

/* Fails the test, showing its input, unless a claim holds. */
static void require(bool holds, const char *claim, size_t n,
                    struct nb_ratio bound)
{
    if (!holds) {
        print_matrix(n, bound);
        fail_msg("%s", claim);
    }
}

/* Whether a/b = c, exactly. */
static bool is_quotient(nb_int128 a, int64_t b, struct nb_ratio c)
{
    const struct nb_ratio quotient = nb_ratio_make(a, b);
    return nb_ratio_is_known(quotient) && nb_ratio_compare(quotient, c) == 0;
}

/* The certificate, checked only by its definition in the header. */
static void check_certificate(size_t n, struct nb_ratio bound,
                              const struct nb_unbalanced *answer)
{
    nb_int128 rows = 0, columns = 0;
    assert_int_equal(answer->n, n);
    for (size_t i = 0; i < n; i++) {
        rows += answer->row_dual[i];
        columns += answer->column_dual[i];
        require(answer->row_dual[i] >= 0 && answer->column_dual[i] >= 0,
                "a dual is negative", n, bound);
        for (size_t j = 0; j < n; j++)
            require((nb_int128)answer->row_dual[i] + answer->column_dual[j] >=
                        matrix[i * n + j],
                    "duals are infeasible", n, bound);
    }
    if (nb_ratio_is_infinite(answer->rate)) {
        require(rows == 0 && answer->flow_count == 0 &&
                    columns * bound.denominator <= bound.numerator,
                "infinite rate is not proved", n, bound);
        return;
    }
    const int64_t p = answer->rate.numerator, q = answer->rate.denominator;
    require(is_quotient(p * rows + q * columns, q, bound),
            "duals do not sum to the bound", n, bound);
    nb_int128 sent[LARGEST] = { 0 }, received[LARGEST] = { 0 }, load = 0;
    bool is_used[LARGEST * LARGEST] = { false };
    for (size_t f = 0; f < answer->flow_count; f++) {
        const struct nb_unbalanced_flow *flow = &answer->flows[f];
        const size_t place = flow->row * n + flow->column;
        require(flow->row < n && flow->column < n && !is_used[place] &&
                    flow->amount.numerator > 0 && matrix[place] > 0 &&
                    q % flow->amount.denominator == 0,
                "a flow is malformed", n, bound);
        const nb_int128 units =
            (nb_int128)flow->amount.numerator * (q / flow->amount.denominator);
        is_used[place] = true;
        sent[flow->row] += units;
        received[flow->column] += units;
        load += matrix[place] * units;
    }
    for (size_t k = 0; k < n; k++)
        require(sent[k] <= p && received[k] <= q, "flows are inadmissible", n,
                bound);
    require(is_quotient(load, q, bound), "flows do not reach the bound", n,
            bound);
}

static struct nb_ratio solve_as(size_t n, struct nb_ratio bound,
                                enum nb_overload overload)
{
    struct nb_unbalanced answer = { 0 };
    struct nb_error err = { 0 };
    if (nb_unbalanced_rate(n, matrix, bound, overload, &answer, &err) != NB_OK)
        require(false, err.message, n, bound);
    check_certificate(n, bound, &answer);
    const struct nb_ratio rate = answer.rate;
    nb_unbalanced_release(&answer);
    return rate;
}

/* Both definitions agree unless the greatest load equals the bound. */
static struct nb_ratio solve(size_t n, struct nb_ratio bound)
{
    const struct nb_ratio rate = solve_as(n, bound, NB_OVERLOAD_EXCEEDS);
    const struct nb_ratio met = solve_as(n, bound, NB_OVERLOAD_MEETS);
    int64_t maxima = 0;
    for (size_t j = 0; j < n; j++) {
        int64_t most = 0;
        for (size_t i = 0; i < n; i++)
            most = matrix[i * n + j] > most ? matrix[i * n + j] : most;
        maxima += most;
    }
    if (nb_ratio_compare((struct nb_ratio){ maxima, 1 }, bound) == 0)
        require(!nb_ratio_is_infinite(met) && nb_ratio_is_infinite(rate),
                "a load equal to the bound is not seen", n, bound);
    else
        require(nb_ratio_compare(met, rate) == 0, "the definitions differ", n,
                bound);
    return rate;
}

static double solve_program(size_t n, double bound)
{
    static double load[LARGEST * LARGEST];
    for (size_t k = 0; k < n * n; k++)
        load[k] = (double)matrix[k];
    return unbalanced_program_solve(n, load, bound);
}

/* Kinds of matrices: few values, all equal, one row, one column, a_i + b_j,
 * wide range, sparse; returns the sum of column maxima. */
static int64_t draw_matrix(struct nb_random *random, size_t n)
{
    const uint64_t kind = nb_random_below(random, 8);
    const uint64_t range = kind == 5 ? 1000000 : 2 + nb_random_below(random, 5);
    const uint64_t zeros = nb_random_below(random, 3);
    const int64_t constant = (int64_t)nb_random_below(random, 5);
    int64_t side[2][LARGEST], maxima = 0;
    for (size_t k = 0; k < n; k++) {
        side[0][k] = (int64_t)nb_random_below(random, range);
        side[1][k] = (int64_t)nb_random_below(random, range);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            int64_t w = (int64_t)nb_random_below(random, range);
            if (kind == 1)
                w = constant;
            if ((kind == 2 && i != 0) || (kind == 3 && j != 0) ||
                (kind < 6 && nb_random_below(random, 4) < zeros) ||
                (kind == 7 && nb_random_below(random, 8) != 0))
                w = 0;
            matrix[i * n + j] = kind == 4 ? side[0][i] + side[1][j] : w;
        }
    }
    for (size_t j = 0; j < n; j++) {
        int64_t maximum = 0;
        for (size_t i = 0; i < n; i++)
            if (maximum < matrix[i * n + j])
                maximum = matrix[i * n + j];
        maxima += maximum;
    }
    return maxima;
}

/* Mostly below the sum of column maxima, sometimes on or above it. */
static struct nb_ratio draw_bound(struct nb_random *random, int64_t maxima)
{
    const int64_t scale = 1 + (int64_t)nb_random_below(random, 12);
    const uint64_t top = (uint64_t)(maxima * scale);
    if (nb_random_below(random, 10) == 0)
        return (struct nb_ratio){ maxima, 1 };
    return nb_ratio_make((nb_int128)nb_random_below(random, top + top / 8 + 1),
                         scale);
}

static void agrees_with_linear_program(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20020810, 0);
    for (int trial = 0; trial < 1500; trial++) {
        const size_t largest = trial % 10 == 0 ? 12 : 5;
        const size_t n = 1 + nb_random_below(&random, largest);
        const int64_t maxima = draw_matrix(&random, n);
        const struct nb_ratio bound = draw_bound(&random, maxima);
        const struct nb_ratio rate = solve(n, bound);
        const bool is_infinite =
            nb_ratio_compare((struct nb_ratio){ maxima, 1 }, bound) <= 0;
        require(is_infinite == nb_ratio_is_infinite(rate), "infinite?", n,
                bound);
        if (is_infinite && maxima > 0 &&
            nb_ratio_compare((struct nb_ratio){ maxima, 1 }, bound) == 0) {
            /* A slightly lower bound is met just before: the slope is at least
             * 1. */
            const double met =
                nb_ratio_value(solve_as(n, bound, NB_OVERLOAD_MEETS));
            const double before = solve_program(n, (double)maxima * (1 - 1e-6));
            require(fabs(met - before) <= 1e-6 * (1 + before + (double)maxima),
                    "linear program differs where the bound is met", n, bound);
        }
        if (is_infinite)
            continue;
        /* Both numbers are small; the simplex method's own tolerance on
         * constraints, 1e-7, is relative to alpha's slope, at least 1. */
        const double expected = solve_program(n, nb_ratio_value(bound));
        const double gap = fabs(nb_ratio_value(rate) - expected);
        require(gap <= 1e-6 * (1 + expected), "linear program differs", n,
                bound);
    }
}

static void proves_larger_answers(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20020811, 0);
    for (int trial = 0; trial < 1000; trial++) {
        const size_t n = 1 + nb_random_below(&random, 40);
        const int64_t maxima = draw_matrix(&random, n);
        solve(n, draw_bound(&random, maxima));
    }
}

/* The rate does not depend on the unit of weights and bound, or on the
 * numbering of sources and destinations; a larger bound does not lower it. */
static void keeps_invariants(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20020812, 0);
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 1 + nb_random_below(&random, 12);
        const int64_t unit = 1 + (int64_t)nb_random_below(&random, 9);
        const int64_t maxima = draw_matrix(&random, n);
        struct nb_ratio bound = draw_bound(&random, maxima);
        const struct nb_ratio rate = solve(n, bound);
        struct nb_ratio more = bound;
        more.numerator += unit;
        require(nb_ratio_compare(rate, solve(n, more)) <= 0,
                "falls with the bound", n, bound);

        uint32_t row[LARGEST], column[LARGEST];
        int64_t old[LARGEST * LARGEST];
        memcpy(old, matrix, n * n * sizeof *old);
        nb_random_permutation(&random, (uint32_t)n, row);
        nb_random_permutation(&random, (uint32_t)n, column);
        for (size_t k = 0; k < n * n; k++)
            matrix[row[k / n] * n + column[k % n]] = unit * old[k];
        bound.numerator *= unit;
        require(nb_ratio_compare(rate, solve(n, bound)) == 0,
                "changes with unit or names", n, bound);
    }
}

/*
 * 8x8 torus, by hand. DOR, dimension 0: the four sources of the row behind the
 * channel load it by 1, 1, 1, 1/2 each: 2/7. Dimension 1: eight times the
 * sources: 1/28. VAL, dimension 1: a_i sums to 1, b_j is 28, 20, 12 and 4
 * 64ths; with three destinations full and the fourth taking the rest, alpha +
 * 60/64 + (64 alpha - 3) 4/64 = 1: 1/20. VAL, dimension 0: eight destinations
 * each of 7, 5, 3, 1 128ths; alpha + 8 (7 + 5)/128 = 1 with 64 alpha = 16: 1/4.
 */
static void finds_known_rates(void **state)
{
    (void)state;
    const struct {
        enum load_scheme scheme;
        struct nb_ratio rate;
    } cases[] = {
        { LOAD_DOR, { 2, 7 } },
        { LOAD_DOR_Y, { 1, 28 } },
        { LOAD_VAL, { 1, 4 } },
        { LOAD_VAL_Y, { 1, 20 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t denominator =
            load_matrix_denominator(cases[c].scheme, TORUS);
        const struct nb_ratio bound = { denominator, 1 };
        load_matrix_integer(cases[c].scheme, TORUS, denominator, matrix);
        const struct nb_ratio rate = solve(LARGEST, bound);
        assert_int_equal(rate.numerator, cases[c].rate.numerator);
        assert_int_equal(rate.denominator, cases[c].rate.denominator);
    }
}

/* Weights up to the limit, where 64-bit sums would wrap. */
static void holds_at_the_limit(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20020813, 0);
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 1 + nb_random_below(&random, 6);
        const int64_t limit = ((INT64_C(1) << 62) - 1) / (int64_t)n;
        for (size_t k = 0; k < n * n; k++)
            matrix[k] = limit - (int64_t)nb_random_below(&random, 3) *
                                    (int64_t)nb_random_below(&random, 1000);
        if (trial % 2 == 0)
            matrix[0] = 0;
        const uint64_t part = nb_random_below(&random, n);
        solve(n, (struct nb_ratio){ (int64_t)part * limit, 1 });
    }
}

static void answers_special_cases(void **state)
{
    (void)state;
    memset(matrix, 0, sizeof matrix);
    assert_true(nb_ratio_is_infinite(solve(5, nb_ratio_zero)));
    matrix[7] = 3;
    assert_int_equal(nb_ratio_compare(solve(5, nb_ratio_zero), nb_ratio_zero),
                     0);
    assert_int_equal(
        nb_ratio_compare(solve(5, nb_ratio_one), nb_ratio_make(1, 3)), 0);
    assert_true(nb_ratio_is_infinite(solve(5, nb_ratio_make(3, 1))));
    assert_true(nb_ratio_is_infinite(solve(5, nb_ratio_infinity)));
}

/* Entries in reverse order and with zeros among them give the dense answer. */
static void agrees_with_sparse(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20020814, 0);
    for (int trial = 0; trial < 200; trial++) {
        const size_t n = 1 + nb_random_below(&random, 20);
        const struct nb_ratio bound =
            draw_bound(&random, draw_matrix(&random, n));
        size_t row_start[LARGEST + 1] = { 0 };
        uint32_t column[LARGEST * LARGEST];
        int64_t weight[LARGEST * LARGEST];
        for (size_t k = 0; k < n * n; k++) {
            column[k] = (uint32_t)(n - 1 - k % n);
            weight[k] = matrix[k / n * n + column[k]];
            row_start[k / n + 1] = k + 1;
        }
        struct nb_unbalanced answer = { 0 };
        assert_int_equal(nb_unbalanced_rate_sparse(n, row_start, column, weight,
                                                   bound, NB_OVERLOAD_EXCEEDS,
                                                   &answer, NULL),
                         NB_OK);
        check_certificate(n, bound, &answer);
        require(nb_ratio_compare(answer.rate, solve(n, bound)) == 0,
                "sparse differs from dense", n, bound);
        nb_unbalanced_release(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_linear_program),
        cmocka_unit_test(proves_larger_answers),
        cmocka_unit_test(keeps_invariants),
        cmocka_unit_test(finds_known_rates),
        cmocka_unit_test(holds_at_the_limit),
        cmocka_unit_test(answers_special_cases),
        cmocka_unit_test(agrees_with_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
