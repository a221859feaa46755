/* Bounds by maxima of rows and columns against the plain double loop, for every
 * form of a matrix of pair loads. */
#include "bounds/worst_case/worst_case.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 9, MULTIPLICITY = 3 };

struct matrix {
    struct nb_pair_loads loads;
    int64_t weight[MOST * MOST];
    double value[MOST * MOST];
};

static void draw(struct nb_random *random, bool is_exact, bool is_separable,
                 struct matrix *out)
{
    const size_t n = 1 + nb_random_below(random, MOST);
    out->loads = (struct nb_pair_loads){
        .n = n,
        .is_exact = is_exact,
        .is_separable = is_separable,
        .denominator = 1 + (int64_t)nb_random_below(random, 20),
        .relative_error = is_exact ? 0 : 1e-9,
    };
    for (size_t i = 0; i < n * n; i++) {
        out->weight[i] = (int64_t)nb_random_below(random, 50);
        out->value[i] = nb_random_unit(random);
    }
    out->loads.weight = is_exact ? out->weight : NULL;
    out->loads.value = is_exact ? NULL : out->value;
}

/* The lesser of the sums of maxima of rows and of columns, cell by cell. */
static double plain_bound(const struct nb_pair_loads *loads)
{
    double sum[2] = { 0, 0 };
    for (size_t i = 0; i < loads->n; i++) {
        double most[2] = { 0, 0 };
        for (size_t j = 0; j < loads->n; j++) {
            most[0] = fmax(most[0], nb_pair_load_value(loads, i, j));
            most[1] = fmax(most[1], nb_pair_load_value(loads, j, i));
        }
        sum[0] += most[0];
        sum[1] += most[1];
    }
    return fmin(sum[0], sum[1]) * MULTIPLICITY;
}

static void check_form(bool is_exact, bool is_separable)
{
    struct nb_random random;
    nb_random_init(&random, 20261121,
                   (is_exact ? 2u : 0u) + (is_separable ? 1u : 0u));
    for (int trial = 0; trial < 500; trial++) {
        struct matrix matrix;
        struct nb_ratio exact;
        double upper;
        draw(&random, is_exact, is_separable, &matrix);
        const double plain = plain_bound(&matrix.loads);
        assert_int_equal(nb_bound_by_maxima(&matrix.loads, MULTIPLICITY, &exact,
                                            &upper, NULL),
                         NB_OK);
        const double room = is_exact ? 1e-12 : 1e-8;
        if (!(upper >= plain * (1 - 1e-12) && upper <= plain * (1 + room)))
            fail_msg("trial %d, n %zu: %.17g instead of %.17g", trial,
                     matrix.loads.n, upper, plain);
        assert_int_equal(nb_ratio_is_known(exact), is_exact);
        if (is_exact)
            assert_true(fabs(nb_ratio_value(exact) - plain) <= plain * 1e-12);
        else
            assert_true(upper >= plain); /* relative_error leaves room */
    }
}

static void test_dense(void **state)
{
    (void)state;
    check_form(true, false);
    check_form(false, false);
}

static void test_separable(void **state)
{
    (void)state;
    check_form(true, true);
    check_form(false, true);
}

/* Sums that do not fit in 64 bits are bracketed. */
static void test_sums_beyond_64_bits(void **state)
{
    (void)state;
    int64_t weight[4] = { INT64_MAX / 4, INT64_MAX / 4, INT64_MAX / 4,
                          INT64_MAX / 4 - 1 };
    const struct nb_pair_loads loads = { .n = 2,
                                         .is_exact = true,
                                         .is_separable = true,
                                         .denominator = 3,
                                         .weight = weight };
    struct nb_ratio exact;
    double upper;
    assert_int_equal(nb_bound_by_maxima(&loads, 1000, &exact, &upper, NULL),
                     NB_OK);
    assert_false(nb_ratio_is_known(exact));
    assert_true(upper >= plain_bound(&loads) / MULTIPLICITY * 1000);
    assert_true(upper <= plain_bound(&loads) / MULTIPLICITY * 1000.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_separable),
        cmocka_unit_test(test_sums_beyond_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
