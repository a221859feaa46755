/* Losses of finite buffers against the solution of their chains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/queues.h"
#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "queueing/slotted.h"

#include <gsl/gsl_errno.h>
#include <math.h>

static void slotted_check_loss(const double *p, size_t inputs, size_t depth,
                               const struct nb_arrivals *arrivals,
                               struct nb_queue_load load)
{
    double mass[20], pi[41];
    struct nb_distribution distribution = { 0 };
    struct nb_bracket loss;
    struct nb_error err = { 0 };
    queue_convolve(p, inputs, mass, 20);
    queue_solve(mass, 20, depth, pi);
    /* Service against arrivals. */
    const double expected = 1 - (1 - pi[0]) / load.rho.high;
    const double slack = 1e-12 + 1e-13 / load.rho.high; /* of doubles */
    if (load.idle.high > 0)
        queue_must_find(arrivals, load, &distribution);
    assert_int_equal(nb_arrivals_loss(arrivals, load, (int64_t)depth,
                                      &distribution, &loss, &err),
                     NB_OK);
    QUEUE_CHECK(fabs(loss.lower - expected) < slack &&
                    fabs(loss.upper - expected) < slack &&
                    loss.lower <= loss.upper,
                "%zu inputs, load %.17g, depth %zu: [%.17g, %.17g], not %.17g",
                inputs, load.rho.high, depth, loss.lower, loss.upper, expected);
    nb_distribution_release(&distribution);
}

/* Finite buffers by solving their chains. */
static void test_loss(void **state)
{
    (void)state;
    static const char *const loads[] = { "0.2",    "0.7", "0.95", "0.9999", "1",
                                         "1.0001", "1.5", "3",    "1/1000" };
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
        for (size_t k = 2; k <= 16; k += 1 + k / 2) {
            const struct nb_queue_load load = queue_load(loads[l]);
            const struct nb_arrivals arrivals = queue_inputs((int64_t)k);
            double p[16];
            for (size_t i = 0; i < k; i++)
                p[i] = load.rho.high / (double)k;
            for (size_t depth = 1; depth <= 40 && load.rho.high <= (double)k;
                 depth += 1 + depth / 3)
                slotted_check_loss(p, k, depth, &arrivals, load);
        }
}

static void test_loss_unequal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        double p[8];
    } rows[] = {
        { "1,0.25", 2, { 1, 0.25 } },
        { "0.99,0.98,0.97", 3, { 0.99, 0.98, 0.97 } },
        { "0.5,4*1/8", 5, { 0.5, 0.125, 0.125, 0.125, 0.125 } },
        { "0.6,0.2,0.1", 3, { 0.6, 0.2, 0.1 } },
        { "8*1", 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_arrivals arrivals = queue_inputs(1);
        struct nb_ratio sum;
        assert_int_equal(
            nb_arrivals_read_inputs(rows[i].text, &arrivals, &sum, NULL),
            NB_OK);
        for (size_t depth = 2; depth <= 40; depth += 1 + depth / 3)
            slotted_check_loss(rows[i].p, rows[i].count, depth, &arrivals,
                               nb_load_of_ratio(sum));
        nb_arrivals_release(&arrivals);
    }
}

/* The loss falls with depth, beyond the limit for saturated queues, and tends
 * to the share that cannot be served; rare losses have relative errors. */
static void test_loss_limits(void **state)
{
    (void)state;
    static const char *const loads[] = { "1", "1.0000001", "1.01", "2", "300" };
    const struct nb_arrivals arrivals = queue_inputs(0);
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++) {
        const struct nb_queue_load load = queue_load(loads[l]);
        const double least = -load.idle.high / load.rho.high;
        double before = 1;
        for (int64_t depth = 1; depth <= 1000000000000; depth *= 100) {
            struct nb_bracket loss;
            assert_int_equal(
                nb_arrivals_loss(&arrivals, load, depth, NULL, &loss, NULL),
                NB_OK);
            QUEUE_CHECK(loss.upper <= before && loss.upper >= least &&
                            loss.lower <= loss.upper &&
                            loss.lower >= least * (1 - 1e-15),
                        "load %s, depth %lld: [%.17g, %.17g]", loads[l],
                        (long long)depth, loss.lower, loss.upper);
            before = loss.upper;
        }
        assert_true(before - least < 1e-5);
    }
    const struct nb_queue_load load = queue_load("0.6");
    struct nb_distribution distribution = { 0 };
    queue_must_find(&arrivals, load, &distribution);
    const struct nb_bracket loss = nb_slotted_loss(&distribution, load, 500);
    const long double expected =
        wide_of(load.idle) / wide_of(load.rho) * wide_tail(&distribution, 501);
    assert_true(loss.lower <= expected && loss.upper >= expected &&
                loss.upper - loss.lower < 1e-12L * expected &&
                loss.lower > 1e-250);
    nb_distribution_release(&distribution);
}

static void test_failing_memory(void **state)
{
    (void)state;
    const struct nb_arrivals arrivals = queue_inputs(16);
    const struct nb_queue_load load = queue_load("1.2");
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_bracket loss;
        nb_memory_allow(allowed);
        status = nb_arrivals_loss(&arrivals, load, 30, NULL, &loss, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_loss_unequal),
        cmocka_unit_test(test_loss_limits),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
