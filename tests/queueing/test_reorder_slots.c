#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/reorder.h"

#include <math.h>

enum { DELAYS = 5 };

/* All events that can happen in the slots after a packet of delay d. */
struct tree {
    const struct nb_distribution *delay;
    long double load;  /* without bursts: both for the next */
    long double stay;  /* from ON to ON */
    long double enter; /* from OFF to ON */
    size_t d;
    long double found[DELAYS + 1]; /* probability of each count */
};

/* Slot i; the source was ON or OFF before it: it sends or not, and a packet
 * that it sends has a delay of 0 .. DELAYS - 1. */
static void tree_walk(struct tree *tree, size_t i, bool was_on, size_t count,
                      long double probability)
{
    const long double on = was_on ? tree->stay : tree->enter;
    if (i > tree->d) {
        tree->found[count] += probability;
        return;
    }
    tree_walk(tree, i + 1, false, count, probability * (1 - on));
    for (size_t x = 0; x < DELAYS; x++)
        tree_walk(tree, i + 1, true, count + (i + x < tree->d),
                  probability * on * wide_of_scaled(tree->delay->mass[x]));
}

/* A distribution of up to DELAYS delays. */
static void law_draw(struct nb_random *random, struct nb_distribution *out)
{
    long double mass[DELAYS], sum = 0;
    assert_int_equal(nb_distribution_reserve(out, DELAYS, NULL), NB_OK);
    for (size_t n = 0; n < DELAYS; n++) {
        mass[n] = (long double)nb_random_below(random, 9);
        sum += mass[n];
    }
    mass[0] += sum == 0;
    sum += sum == 0;
    for (size_t n = 0; n < DELAYS; n++)
        out->mass[n] = wide_to_scaled(mass[n] / sum);
    out->rate = wide_to(INFINITY);
    out->error = 1e-18;
    nb_distribution_add_up(out);
    out->tail[0] = wide_to_scaled(1);
}

static void trial_check(struct nb_random *random, int trial)
{
    struct nb_distribution delay;
    struct nb_reorder tails;
    const int64_t p = 1 + (int64_t)nb_random_below(random, 9);
    /* a = (load / burst) / (1 - load) <= 1 */
    const int64_t extra = (int64_t)nb_random_below(random, 4);
    const struct nb_ratio burst = nb_ratio_make(
        p + extra > 10 - p + extra ? p + extra : 10 - p + extra, 10 - p);
    const struct nb_reorder_source source = {
        nb_load_of_ratio(nb_ratio_make(p, 10)),
        trial % 3 == 0 ? (struct nb_ratio){ 0, 0 } : burst,
        NULL,
    };
    struct tree tree = { .delay = &delay, .load = (long double)p / 10 };
    const long double mean =
        (long double)burst.numerator / (long double)burst.denominator;
    long double expected[DELAYS + 2] = { 0 };
    const bool is_bursty = trial % 3 != 0;
    tree.stay = is_bursty ? 1 - 1 / mean : tree.load;
    tree.enter = is_bursty ? tree.load / mean / (1 - tree.load) : tree.load;
    law_draw(random, &delay);
    for (tree.d = 0; tree.d < DELAYS; tree.d++)
        tree_walk(&tree, 1, true, 0, wide_of_scaled(delay.mass[tree.d]));
    for (size_t n = DELAYS + 1; n-- > 0;)
        expected[n] = expected[n + 1] + tree.found[n];
    assert_int_equal(
        nb_reorder_find(&delay, &source, 1e-30, SIZE_MAX, &tails, NULL), NB_OK);
    for (size_t n = 0; n <= DELAYS; n++) {
        const struct nb_bracket tail = nb_reorder_tail(&tails, n);
        const double value = (double)expected[n];
        if (!(tail.lower <= value + 1e-17 && tail.upper >= value - 1e-17 &&
              tail.upper - tail.lower <= 1e-14))
            fail_msg("trial %d: load %lld/10, burst %lld/%lld, P(>= %zu) "
                     "%.17g, found [%.17g, %.17g]",
                     trial, (long long)p, (long long)burst.numerator,
                     (long long)burst.denominator, n, value, tail.lower,
                     tail.upper);
    }
    nb_reorder_release(&tails);
    nb_distribution_release(&delay);
}

/* Tails equal those of an enumeration of all events. */
static void test_all_cases(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 75, 2);
    for (int trial = 0; trial < 300; trial++)
        trial_check(&random, trial);
}

/* Each mass changed by up to a factor 1 +- error. */
static void law_blur(const struct nb_distribution *distribution, double error,
                     struct nb_random *random, struct nb_distribution *out)
{
    assert_int_equal(nb_distribution_reserve(out, distribution->length, NULL),
                     NB_OK);
    for (size_t n = 0; n < distribution->length; n++)
        out->mass[n] =
            nb_twofold_times(distribution->mass[n],
                             1 + error * (2 * nb_random_unit(random) - 1));
    out->rate = distribution->rate;
    out->error = error;
    nb_distribution_add_up(out);
}

/* Brackets from a distribution known to within an error contain the results of
 * the true one. */
static void test_errors(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1, 1);
    for (int trial = 0; trial < 2000; trial++) {
        const double error = 1e-3;
        struct nb_distribution delay, blurred;
        struct nb_reorder tails, about;
        struct nb_reorder_bound bound, near;
        const struct nb_ratio burst = { trial % 2 * 7, trial % 2 * 2 };
        const struct nb_reorder_source source = {
            nb_load_of_ratio(nb_ratio_make(trial % 7, 10)),
            burst,
            NULL,
        };
        law_draw(&random, &delay);
        law_blur(&delay, error, &random, &blurred);
        assert_int_equal(
            nb_reorder_find(&delay, &source, 1e-30, 9, &tails, NULL), NB_OK);
        assert_int_equal(
            nb_reorder_find(&blurred, &source, 1e-30, 9, &about, NULL), NB_OK);
        assert_int_equal(
            nb_reorder_bound_find(&delay, source.load, &bound, NULL), NB_OK);
        assert_int_equal(
            nb_reorder_bound_find(&blurred, source.load, &near, NULL), NB_OK);
        for (size_t n = 0; n <= DELAYS; n++) {
            const struct nb_bracket a = nb_reorder_tail(&tails, n);
            const struct nb_bracket b = nb_reorder_tail(&about, n);
            const struct nb_bracket c = nb_reorder_bound_tail(&bound, n);
            const struct nb_bracket d = nb_reorder_bound_tail(&near, n);
            if (!(b.lower <= a.upper && a.lower <= b.upper &&
                  d.lower <= c.upper && c.lower <= d.upper))
                fail_msg("trial %d, %zu: [%.17g, %.17g] not in [%.17g, %.17g] "
                         "or [%.17g, %.17g] not in [%.17g, %.17g]",
                         trial, n, a.lower, a.upper, b.lower, b.upper, c.lower,
                         c.upper, d.lower, d.upper);
        }
        nb_reorder_bound_release(&near);
        nb_reorder_bound_release(&bound);
        nb_reorder_release(&about);
        nb_reorder_release(&tails);
        nb_distribution_release(&blurred);
        nb_distribution_release(&delay);
    }
}

/* Nothing is listed beyond the requested depth, and the listed values are the
 * same as without that limit. */
static void test_listed_depths(void **state)
{
    (void)state;
    struct nb_random random;
    struct nb_distribution delay;
    struct nb_reorder all, some;
    const struct nb_reorder_source source = {
        nb_load_of_ratio(nb_ratio_make(9, 10)),
        { 0, 0 },
        NULL,
    };
    nb_random_init(&random, 4, 0);
    law_draw(&random, &delay);
    assert_int_equal(nb_reorder_find(&delay, &source, 1e-30, 9, &all, NULL),
                     NB_OK);
    assert_int_equal(nb_reorder_find(&delay, &source, 1e-30, 2, &some, NULL),
                     NB_OK);
    assert_true(some.length == 3 && all.length > 3);
    for (size_t n = 0; n < 3; n++)
        assert_memory_equal(&some.tail[n], &all.tail[n], sizeof *all.tail);
    nb_reorder_release(&some);
    nb_reorder_release(&all);
    nb_distribution_release(&delay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_cases),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_listed_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
