/* Sums of many products of twofold numbers against one addition after the
 * other, with any width, step and unit. */
#include "core/random.h"
#include "core/twofold_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 40, TRIALS = 3000 };

static void draw(struct nb_random *random, struct nb_twofold *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = nb_twofold_join(nb_random_unit(random) + 0x1p-60,
                                 0x1p-55 * (nb_random_unit(random) - 0.5));
}

static void check(struct nb_twofold found, struct nb_twofold expected,
                  size_t terms, const char *what, int trial)
{
    const double off = fabs(nb_twofold_subtract(found, expected).high);
    const double wide =
        (double)(terms + 1) * (NB_TWOFOLD_ROWS_ERROR + 2 * NB_TWOFOLD_ERROR);
    if (!(off <= wide * expected.high))
        fail_msg("%s, trial %d: %a + %a, not %a + %a", what, trial, found.high,
                 found.low, expected.high, expected.low);
}

/* a b / unit */
static struct nb_twofold part(struct nb_twofold a, struct nb_twofold b,
                              double unit)
{
    return nb_twofold_shift(nb_twofold_multiply(a, b), 1 / unit);
}

static void sums_add_up(void **state)
{
    static struct nb_twofold rows[MOST * MOST], factors[MOST * MOST];
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 3, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct nb_twofold sums[MOST], dots[MOST], before[MOST];
        const size_t inner = nb_random_below(&random, MOST);
        const size_t n = 1 + nb_random_below(&random, MOST - 1);
        const double unit = trial % 2 == 0 ? 1 : 0x1p480;
        const bool is_back = trial % 3 == 0;
        const ptrdiff_t step = is_back ? -1 : (ptrdiff_t)n;
        const struct nb_twofold *first = is_back ? rows + MOST : rows;
        draw(&random, rows, MOST * MOST);
        draw(&random, factors, MOST * MOST);
        draw(&random, before, n);
        memcpy(sums, before, sizeof sums);
        memcpy(dots, before, sizeof dots);
        nb_twofold_sums(inner, factors, first, step, n, unit, sums);
        nb_twofold_dots(inner, factors, (ptrdiff_t)n, first, step, n, unit,
                        dots);
        for (size_t b = 0; b < n; b++) {
            struct nb_twofold sum = before[b], dot = before[b];
            for (size_t a = 0; a < inner; a++) {
                const struct nb_twofold at =
                    first[(ptrdiff_t)a * step + (ptrdiff_t)b];
                sum = nb_twofold_add(sum, part(factors[a], at, unit));
                dot = nb_twofold_add(dot, part(factors[a * n + b], at, unit));
            }
            check(sums[b], sum, inner, "sums", trial);
            check(dots[b], dot, inner, "dots", trial);
        }
    }
}

static void convolutions_add_up(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 4, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct nb_twofold x[MOST], first[MOST], sum[MOST], old[MOST];
        const size_t terms = 1 + nb_random_below(&random, MOST - 1);
        const size_t count = 1 + nb_random_below(&random, MOST - 1);
        const bool has_first = trial % 2 == 0;
        const double unit = trial % 3 == 0 ? 1 : 0x1p480;
        draw(&random, x, MOST);
        draw(&random, first, MOST);
        draw(&random, old, MOST);
        memcpy(sum, old, sizeof sum);
        nb_twofold_convolve(x, terms, has_first ? first : NULL, 0, count, unit,
                            sum);
        for (size_t n = 0; n < count; n++) {
            struct nb_twofold expected =
                has_first ? first[n] : nb_twofold_from(0);
            for (size_t m = 0; m < terms && m <= n; m++)
                expected =
                    nb_twofold_add(expected, part(x[m], old[n - m], unit));
            check(sum[n], expected, terms, "convolve", trial);
        }
        assert_memory_equal(sum + count, old + count,
                            (MOST - count) * sizeof *sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_add_up),
        cmocka_unit_test(convolutions_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
