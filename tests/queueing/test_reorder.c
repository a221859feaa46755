#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "queueing/reorder_load.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("" #condition ": " __VA_ARGS__);                          \
    } while (0)

static const struct nb_arrivals sixteen = { .radix = 16 };
static const struct nb_reorder_network singh = { &sixteen, 5, NB_HOP_QUEUE };

static struct nb_ratio ratio_of(const char *text)
{
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(text, &ratio, NULL), NB_OK);
    return ratio;
}

/* The tails of a stream at a load; burst {0, 0}: none. */
static void tails_must(const struct nb_reorder_network *network,
                       struct nb_ratio load, struct nb_ratio burst,
                       double least, struct nb_distribution *delay,
                       struct nb_reorder *out)
{
    const struct nb_queue_load here = nb_load_of_ratio(load);
    const struct nb_reorder_source source = { here, burst, NULL };
    assert_int_equal(nb_reorder_delay(network, here, least, delay, NULL),
                     NB_OK);
    assert_true(nb_scaled_value(delay->tail[delay->length]) < least);
    assert_int_equal(
        nb_reorder_find(delay, &source, least, SIZE_MAX, out, NULL), NB_OK);
}

/* Whether a bracket is narrow and contains the value, which has at least 17
 * digits. */
static bool holds(struct nb_bracket found, double value)
{
    return found.lower <= value * (1 + 1e-15) &&
           found.upper >= value * (1 - 1e-15) &&
           found.upper - found.lower <= 1e-9 * value;
}

/* One line of the table against both brackets. */
static void reference_check(const char *line)
{
    int radix, hops, depth;
    char distribution[8], load[16], burst[16];
    double probability, theorem_7;
    struct nb_distribution delay = { 0 };
    struct nb_reorder tails = { 0 };
    struct nb_reorder_bound bound = { 0 };
    const int fields =
        sscanf(line, "%d,%d,%7[^,],%15[^,],%15[^,],%d,%lf,%lf", &radix, &hops,
               distribution, load, burst, &depth, &probability, &theorem_7);
    CHECK(fields == 8, "%s", line);
    const struct nb_arrivals arrivals = { .radix = radix };
    const struct nb_reorder_network network = {
        &arrivals, hops, *distribution == 'w' ? NB_HOP_WAIT : NB_HOP_QUEUE
    };
    const struct nb_ratio none = { 0, 0 };
    tails_must(&network, ratio_of(load),
               strcmp(burst, "none") == 0 ? none : ratio_of(burst), 1e-60,
               &delay, &tails);
    const struct nb_bracket tail = nb_reorder_tail(&tails, (size_t)depth);
    CHECK(holds(tail, probability), "[%.17g, %.17g] at %s", tail.lower,
          tail.upper, line);
    assert_int_equal(nb_reorder_bound_find(&delay,
                                           nb_load_of_ratio(ratio_of(load)),
                                           &bound, NULL),
                     NB_OK);
    const struct nb_bracket over = nb_reorder_bound_tail(&bound, (size_t)depth);
    CHECK(holds(over, theorem_7), "[%.17g, %.17g] at %s", over.lower,
          over.upper, line);
    assert_int_equal(nb_reorder_bound_list(&bound, 0, NULL), NB_OK);
    const struct nb_bracket listed =
        nb_reorder_bound_tail(&bound, (size_t)depth);
    CHECK(bound.listed > (size_t)depth && holds(listed, theorem_7) &&
              listed.upper - listed.lower <= 2 * (over.upper - over.lower),
          "[%.17g, %.17g] listed at %s", listed.lower, listed.upper, line);
    nb_reorder_bound_release(&bound);
    nb_reorder_release(&tails);
    nb_distribution_release(&delay);
}

/* Tails and bounds equal direct sums in 60 digits. */
static void test_reference(void **state)
{
    (void)state;
    FILE *file = fopen("data/reference/reorder_tail.csv", "r");
    char line[200];
    int count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#' || *line == 'r')
            continue;
        reference_check(line);
        count++;
    }
    fclose(file);
    assert_true(count >= 25);
}

/* Depths for 1e-15: by theorem 7 96 and 198 packets, computed independently
 * from the chapter's own distribution of delays; exact ones by
 * data/reference. */
static void test_depths(void **state)
{
    (void)state;
    static const struct {
        const char *load;
        double exact, bound;
    } rows[] = { { "0.8", 77, 96 }, { "0.9", 173, 198 } };
    const struct nb_ratio none = { 0, 0 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_distribution delay;
        struct nb_reorder tails;
        struct nb_reorder_bound bound;
        const struct nb_queue_load load =
            nb_load_of_ratio(ratio_of(rows[i].load));
        tails_must(&singh, load.exact, none, 1e-40, &delay, &tails);
        assert_int_equal(nb_reorder_bound_find(&delay, load, &bound, NULL),
                         NB_OK);
        const struct nb_bracket over = nb_reorder_bound_depth(&bound, 1e-15);
        const struct nb_bracket depth = nb_reorder_depth(&tails, 1e-15);
        assert_true(over.lower == rows[i].bound && over.upper == over.lower);
        assert_true(depth.lower == rows[i].exact && depth.upper == depth.lower);
        nb_reorder_bound_release(&bound);
        nb_reorder_release(&tails);
        nb_distribution_release(&delay);
    }
}

/* A delay drawn from its distribution. */
static size_t delay_draw(const struct nb_distribution *delay,
                         struct nb_random *random)
{
    const double u = nb_random_unit(random);
    size_t n = 0;
    while (n < delay->length && nb_scaled_value(delay->tail[n + 1]) > u)
        n++;
    return n;
}

/* P(Q_r >= 18) at load 0.8 by drawing packets, each with its delay: 200000 of
 * them have a standard error of 7e-5; five of these are allowed. */
static void test_drawn(void **state)
{
    (void)state;
    enum { TRIALS = 200000, DEPTH = 18 };
    const struct nb_ratio none = { 0, 0 };
    struct nb_distribution delay;
    struct nb_reorder tails;
    struct nb_random random;
    int hits = 0;
    tails_must(&singh, ratio_of("0.8"), none, 1e-40, &delay, &tails);
    nb_random_init(&random, 20051, 0);
    for (int t = 0; t < TRIALS; t++) {
        const size_t d = delay_draw(&delay, &random);
        int count = 0;
        for (size_t i = 1; i <= d; i++)
            if (nb_random_unit(&random) < 0.8 &&
                i + delay_draw(&delay, &random) < d)
                count++;
        hits += count >= DEPTH;
    }
    const double expected = nb_reorder_tail(&tails, DEPTH).upper;
    const double error = sqrt(expected / TRIALS);
    CHECK(fabs((double)hits / TRIALS - expected) < 5 * error,
          "%d of %d, expected %g", hits, TRIALS, expected);
    nb_reorder_release(&tails);
    nb_distribution_release(&delay);
}

/* A depth is the least at which the tail is below the overflow, not equal to
 * it: for the tail of n packets it is more than n. */
static void check_least_depth(const struct nb_reorder_bound *bound, size_t n)
{
    const double given = nb_reorder_bound_tail(bound, n).upper;
    const double depth = nb_reorder_bound_depth(bound, given).upper;
    const size_t least = (size_t)depth;
    CHECK(least > n && nb_reorder_bound_tail(bound, least).upper < given &&
              nb_reorder_bound_tail(bound, least - 1).upper >= given,
          "%g packets for the %g of %zu", depth, given, n);
}

/* Tails never exceed theorem 7, fall with depth and grow with load. */
static void test_order(void **state)
{
    (void)state;
    static const char *const loads[] = { "0.05", "0.3", "0.55", "0.8", "0.93" };
    const struct nb_ratio none = { 0, 0 };
    for (int radix = 2; radix <= 32; radix *= 4) {
        const struct nb_arrivals arrivals = { .radix = radix };
        const struct nb_reorder_network network = { &arrivals, 3,
                                                    NB_HOP_QUEUE };
        double before[301] = { 0 };
        for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
            struct nb_distribution delay;
            struct nb_reorder tails;
            struct nb_reorder_bound bound;
            const struct nb_queue_load load =
                nb_load_of_ratio(ratio_of(loads[i]));
            double last = 1, last_bound = 1;
            tails_must(&network, load.exact, none, 1e-40, &delay, &tails);
            assert_int_equal(nb_reorder_bound_find(&delay, load, &bound, NULL),
                             NB_OK);
            for (size_t n = 1; n <= 300; n++) {
                const struct nb_bracket tail = nb_reorder_tail(&tails, n);
                const double over = nb_reorder_bound_tail(&bound, n).upper;
                CHECK(tail.lower <= over, "%g > %g at %s, %zu", tail.lower,
                      over, loads[i], n);
                CHECK(tail.lower <= last && over <= last_bound, "%s, %zu",
                      loads[i], n);
                CHECK(tail.upper >= before[n], "%s, %zu", loads[i], n);
                before[n] = tail.lower;
                last = tail.upper;
                last_bound = over;
            }
            for (size_t n = 1; n <= 16; n++)
                if (nb_reorder_bound_tail(&bound, n).upper > 1e-30)
                    check_least_depth(&bound, n);
            nb_reorder_bound_release(&bound);
            nb_reorder_release(&tails);
            nb_distribution_release(&delay);
        }
    }
}

/* Bursts of mean 1/(1 - load) are no bursts. */
static void test_no_bursts(void **state)
{
    (void)state;
    static const struct {
        const char *load, *burst;
    } rows[] = { { "0.8", "5" }, { "0.5", "2" }, { "0.1", "10/9" } };
    const struct nb_ratio none = { 0, 0 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_distribution delay, same;
        struct nb_reorder plain, bursty;
        tails_must(&singh, ratio_of(rows[i].load), none, 1e-60, &delay, &plain);
        tails_must(&singh, ratio_of(rows[i].load), ratio_of(rows[i].burst),
                   1e-60, &same, &bursty);
        for (size_t n = 0; n <= 40; n++) {
            const struct nb_bracket tail = nb_reorder_tail(&plain, n);
            CHECK(tail.upper < 1e-40 || holds(nb_reorder_tail(&bursty, n),
                                              tail.lower / 2 + tail.upper / 2),
                  "load %s, %zu", rows[i].load, n);
        }
        nb_reorder_release(&plain);
        nb_reorder_release(&bursty);
        nb_distribution_release(&delay);
        nb_distribution_release(&same);
    }
}

/* With no result, every tail is possible, and no depth is sufficient. */
static void test_empty(void **state)
{
    (void)state;
    const struct nb_reorder none = { 0 };
    const struct nb_bracket all = nb_reorder_tail(&none, 0);
    const struct nb_bracket tail = nb_reorder_tail(&none, 1);
    const struct nb_bracket depth = nb_reorder_depth(&none, 0.5);
    assert_true(all.lower == 1 && all.upper == 1);
    assert_true(tail.lower == 0 && tail.upper == 1);
    assert_true(depth.lower == 0 && depth.upper == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_depths),
        cmocka_unit_test(test_drawn),     cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_bursts), cmocka_unit_test(test_empty),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
