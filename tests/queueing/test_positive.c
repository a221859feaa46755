#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/twofold_wide.h"

#include "core/random.h"
#include "queueing/positive.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition)) {                                                    \
            print_error(__VA_ARGS__);                                          \
            print_error("\n");                                                 \
        }                                                                      \
        assert_true(condition);                                                \
    } while (0)

enum { MOST = 12 };

static long double positive_draw(struct nb_random *random)
{
    return (long double)nb_random_unit(random) + 0x1p-60L;
}

/* A substochastic n x n matrix with zeros from column width on, its rows' rests
 * in exit; graded: entries over many orders of magnitude. */
static void positive_matrix(struct nb_random *random, size_t n, size_t width,
                            long double decades, long double *full,
                            long double *exit)
{
    for (size_t i = 0; i < n; i++) {
        long double row[MOST + 1] = { 0 }, sum = 0;
        for (size_t j = 0; j <= width; j++) {
            row[j] = positive_draw(random) *
                     powl(10, -decades * positive_draw(random));
            sum += row[j];
        }
        for (size_t j = 0; j < n; j++)
            full[i * n + j] = j < width ? row[j] / sum : 0;
        exit[i] = row[width] / sum;
    }
}

static void positive_store(size_t n, const long double *values,
                           struct nb_twofold *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = wide_to_scaled(values[i]);
}

static void positive_read(size_t n, const struct nb_twofold *values,
                          long double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = wide_of_scaled(values[i]);
}

static void positive_pack(size_t n, size_t width, const long double *full,
                          struct nb_twofold *packed)
{
    for (size_t i = 0; i < n; i++)
        positive_store(width, full + i * n, packed + i * width);
}

/* matrix x = right by plain elimination with the greatest pivot. */
static void gauss_solve(size_t n, long double *matrix, long double *right)
{
    for (size_t s = 0; s < n; s++) {
        size_t best = s;
        for (size_t i = s + 1; i < n; i++)
            if (fabsl(matrix[i * n + s]) > fabsl(matrix[best * n + s]))
                best = i;
        for (size_t j = 0; j < n; j++) {
            const long double held = matrix[s * n + j];
            matrix[s * n + j] = matrix[best * n + j];
            matrix[best * n + j] = held;
        }
        const long double held = right[s];
        right[s] = right[best];
        right[best] = held;
        for (size_t i = 0; i < n; i++) {
            const long double factor = matrix[i * n + s] / matrix[s * n + s];
            if (i == s)
                continue;
            for (size_t j = s; j < n; j++)
                matrix[i * n + j] -= factor * matrix[s * n + j];
            right[i] -= factor * right[s];
        }
    }
    for (size_t i = 0; i < n; i++)
        right[i] /= matrix[i * n + i];
}

/* I - u, or its transpose. */
static void positive_rest(size_t n, const long double *u, int is_transposed,
                          long double *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = (long double)(i == j) -
                             (is_transposed ? u[j * n + i] : u[i * n + j]);
}

/* Both solves agree with plain elimination, which is accurate enough here. */
static void test_gauss(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 11, 0);
    for (int trial = 0; trial < 400; trial++) {
        const size_t n = 1 + nb_random_below(&random, MOST);
        const size_t width = 1 + nb_random_below(&random, n);
        const size_t count = 1 + nb_random_below(&random, 3);
        long double u[MOST * MOST], exit[MOST];
        struct nb_twofold packed[MOST * MOST], leaves[MOST];
        long double rest[MOST * MOST], columns[MOST * 3];
        long double row[MOST], exact[MOST];
        positive_matrix(&random, n, width, 1, u, exit);
        positive_pack(n, width, u, packed);
        positive_store(n, exit, leaves);
        nb_positive_factor(n, width, packed, leaves);
        for (size_t i = 0; i < n * count; i++)
            columns[i] = positive_draw(&random);
        for (size_t c = 0; c < count; c++) {
            struct nb_twofold stored[MOST * 3];
            long double held[MOST * 3];
            positive_store(n * count, columns, stored);
            for (size_t i = 0; i < n; i++)
                exact[i] = columns[i * count + c];
            positive_rest(n, u, 0, rest);
            gauss_solve(n, rest, exact);
            nb_positive_solve(n, width, packed, count, stored);
            positive_read(n * count, stored, held);
            for (size_t i = 0; i < n; i++)
                CHECK(fabsl(held[i * count + c] / exact[i] - 1) < 1e-15L,
                      "trial %d: n %zu width %zu: x[%zu] %Lg for %Lg", trial, n,
                      width, i, held[i * count + c], exact[i]);
        }
        for (size_t i = 0; i < n; i++)
            row[i] = exact[i] = positive_draw(&random);
        positive_rest(n, u, 1, rest);
        gauss_solve(n, rest, exact);
        struct nb_twofold stored[MOST];
        positive_store(n, row, stored);
        nb_positive_solve_row(n, width, packed, stored);
        positive_read(n, stored, row);
        for (size_t i = 0; i < n; i++)
            CHECK(fabsl(row[i] / exact[i] - 1) < 1e-15L,
                  "trial %d: n %zu width %zu: row[%zu] %Lg for %Lg", trial, n,
                  width, i, row[i], exact[i]);
    }
}

/* Stationary vectors: x P = x, entry by entry if none is tiny. */
static void test_stationary(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 12, 0);
    for (int trial = 0; trial < 400; trial++) {
        const size_t n = 2 + nb_random_below(&random, MOST - 1);
        struct nb_twofold spent[MOST * MOST], stored[MOST];
        long double u[MOST * MOST], exit[MOST], x[MOST];
        long double sum = 0;
        positive_matrix(&random, n, n, trial % 2 ? 1 : 40, u, exit);
        for (size_t i = 0; i < n; i++)
            u[i * n + n - 1] += exit[i];
        positive_store(n * n, u, spent);
        nb_positive_stationary(n, spent, stored);
        positive_read(n, stored, x);
        for (size_t j = 0; j < n; j++) {
            long double after = 0, stays = 1;
            for (size_t i = 0; i < n; i++)
                after += x[i] * u[i * n + j];
            stays = after / x[j];
            CHECK(fabsl(stays - 1) < 1e-15L, "trial %d: x[%zu] %Lg", trial, j,
                  x[j]);
            sum += x[j];
        }
        assert_true(fabsl(sum - 1) < 1e-17L);
    }
}

/*
 * A walk on 0 .. n-1 that goes up with p and down with q from each place, and
 * leaves only from 0, with probability leave; all is known in closed form. It
 * certainly leaves, so (I - u)^-1 exit = 1; and the times spent at j after
 * starting in 0 are (p/q)^j / leave, over hundreds of orders of magnitude.
 */
static void walk_check(size_t n, long double up, long double down,
                       long double leave)
{
    long double u[MOST * MOST] = { 0 }, exit[MOST] = { 0 };
    long double row[MOST] = { 1 }, ones[MOST] = { 0 };
    struct nb_twofold factors[MOST * MOST], stored[MOST];
    if (1 / leave > 1e15L || powl(up / down, (long double)n) / leave > 1e15L ||
        powl(up / down, (long double)n) / leave < 1e-400L)
        return; /* out of the range of such matrices */
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n)
            u[i * n + i + 1] = up;
        if (i > 0)
            u[i * n + i - 1] = down;
        /* too coarse for the small rates, and not reliable */
        u[i * n + i] = fmaxl(1 - up - down, 0);
    }
    exit[0] = ones[0] = leave;
    positive_store(n * n, u, factors);
    positive_store(n, exit, stored);
    nb_positive_factor(n, n, factors, stored);
    positive_store(n, row, stored);
    nb_positive_solve_row(n, n, factors, stored);
    positive_read(n, stored, row);
    positive_store(n, ones, stored);
    nb_positive_solve(n, n, factors, 1, stored);
    positive_read(n, stored, ones);
    long double exact = 1 / leave;
    for (size_t j = 0; j < n; j++, exact *= up / down) {
        CHECK(fabsl(row[j] / exact - 1) < 4e-18L, "%Lg %Lg %Lg: %zu: %Lg, %Lg",
              up, down, leave, j, row[j], exact);
        CHECK(fabsl(ones[j] - 1) < 4e-18L, "%Lg %Lg %Lg: %zu: end %Lg", up,
              down, leave, j, ones[j]);
    }
}

static void test_graded(void **state)
{
    (void)state;
    static const long double parts[] = { 0.5L,   0.3L,   1e-3L,  1e-17L,
                                         1e-30L, 1e-90L, 1e-200L };
    const size_t count = sizeof parts / sizeof *parts;
    for (size_t n = 1; n <= MOST; n++)
        for (size_t u = 0; u < count; u++)
            for (size_t d = 0; d < count; d++)
                for (size_t e = 0; e < count; e++)
                    walk_check(n, parts[u], parts[d], parts[e]);
}

/* A ring of three places with rates over 100 orders of magnitude, by the
 * matrix-tree theorem: x_i is the sum over trees that lead to i. */
static void test_trees(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 13, 0);
    for (int trial = 0; trial < 2000; trial++) {
        struct nb_twofold stored[9], found[3];
        long double p[9], x[3], tree[3], sum = 0;
        for (int i = 0; i < 9; i++)
            p[i] = positive_draw(&random) *
                   powl(10, -100 * positive_draw(&random));
        for (int i = 0; i < 3; i++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            tree[i] = p[3 * a + i] * p[3 * b + i] +
                      p[3 * a + b] * p[3 * b + i] + p[3 * b + a] * p[3 * a + i];
            sum += tree[i];
        }
        positive_store(9, p, stored);
        nb_positive_stationary(3, stored, found);
        positive_read(3, found, x);
        for (int i = 0; i < 3; i++)
            CHECK(fabsl(x[i] / (tree[i] / sum) - 1) < 2e-18L,
                  "trial %d: x[%d] = %Lg for %Lg", trial, i, x[i],
                  tree[i] / sum);
    }
}

/* Products of rectangles, added to the previous contents. */
static void test_products(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 14, 0);
    for (int trial = 0; trial < 300; trial++) {
        const size_t rows = 1 + nb_random_below(&random, MOST);
        const size_t inner = 1 + nb_random_below(&random, MOST);
        const size_t n = 1 + nb_random_below(&random, MOST);
        long double left[MOST * MOST], right[MOST * MOST], out[MOST * MOST];
        struct nb_twofold a[MOST * MOST], b[MOST * MOST], product[MOST * MOST];
        long double row[MOST];
        for (size_t i = 0; i < rows * inner; i++)
            left[i] = positive_draw(&random);
        for (size_t i = 0; i < inner * n; i++)
            right[i] = positive_draw(&random);
        positive_store(rows * inner, left, a);
        positive_store(inner * n, right, b);
        nb_positive_multiply(rows, inner, n, a, b, product);
        positive_read(rows * n, product, out);
        for (size_t j = 0; j < n; j++)
            product[j] = wide_to_scaled(7);
        nb_positive_row_times(inner, n, a, b, product);
        positive_read(n, product, row);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < n; j++) {
                long double sum = 0;
                for (size_t k = inner; k-- > 0;)
                    sum += left[i * inner + k] * right[k * n + j];
                CHECK(fabsl(out[i * n + j] / sum - 1) < 1e-17L, "trial %d",
                      trial);
                CHECK(i > 0 || fabsl(row[j] / (7 + sum) - 1) < 1e-17L,
                      "trial %d", trial);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss),    cmocka_unit_test(test_stationary),
        cmocka_unit_test(test_graded),   cmocka_unit_test(test_trees),
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
