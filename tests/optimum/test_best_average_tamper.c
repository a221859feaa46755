/* Best average: certificates that were tampered with are rejected or prove
 * less, never something false. */
#include "support/average_case.h"
#include "support/topology_checks.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A copy of the certificate with its own arrays. */
static void copy(const struct nb_best_average *from,
                 struct nb_best_average *out)
{
    *out = (struct nb_best_average){ .weight_count = from->weight_count };
    for (size_t p = 0; p < from->paths.path_count; p++) {
        const struct nb_table_path *path = &from->paths.path[p];
        assert_int_equal(nb_path_table_add(&out->paths, path->source,
                                           path->destination, path->weight,
                                           from->paths.channel + path->first,
                                           path->length, NULL),
                         NB_OK);
    }
    out->weights = nb_new_array(from->weight_count, sizeof *out->weights);
    assert_non_null(out->weights);
    memcpy(out->weights, from->weights,
           from->weight_count * sizeof *out->weights);
}

/* Changes to one certificate, each with a part of the error message. */
static void double_path(struct nb_best_average *best)
{
    best->paths.path[0].weight *= 2;
}
static void leave_pair_out(struct nb_best_average *best)
{
    best->paths.path_count--;
}
static void cross_elsewhere(struct nb_best_average *best)
{
    uint32_t *channel = &best->paths.channel[best->paths.path[0].first];
    *channel = (*channel + 1) % 2;
}
static void name_late_permutation(struct nb_best_average *best)
{
    best->weights[best->weight_count - 1].permutation = 4;
}
static void name_late_channel(struct nb_best_average *best)
{
    best->weights[0].channel = 10;
}
static void weigh_nothing(struct nb_best_average *best)
{
    best->weights[0].weight = 0;
}
static void weigh_too_much(struct nb_best_average *best)
{
    best->weights[0].weight = ((int64_t)1 << 40) + 1;
}
static void give_twice(struct nb_best_average *best)
{
    best->weights[1] = best->weights[0];
}
static void turn_order(struct nb_best_average *best)
{
    const struct nb_average_weight first = best->weights[0];
    best->weights[0] = best->weights[best->weight_count - 1];
    best->weights[best->weight_count - 1] = first;
}
static void make_lengths_too_great(struct nb_best_average *best)
{
    for (size_t w = 0; w < best->weight_count; w++)
        best->weights[w].weight = (int64_t)1 << 40;
}

static void refuses_what_is_no_certificate(void **state)
{
    (void)state;
    static const struct {
        void (*change)(struct nb_best_average *best);
        const char *says;
    } changes[] = {
        { double_path, "add up to" },
        { leave_pair_out, "paths are given for 1 pairs" },
        { cross_elsewhere, "is not permitted" },
        { name_late_permutation, "permutation 4 is out of range" },
        { name_late_channel, "channel 10 and permutation" },
        { weigh_nothing, "out of range" },
        { weigh_too_much, "out of range" },
        { give_twice, "given twice or out of order" },
        { turn_order, "given twice or out of order" },
        { make_lengths_too_great, "pass 2^40" },
    };
    struct average_case testcase;
    average_case_open(&testcase, "ring:5", 4, 1); /* one path is straight */
    average_case_set_paths(&testcase, NB_PATHS_MINIMAL, nb_ratio_one);
    average_case_find(&testcase);
    assert_int_equal(testcase.best.paths.path_count, 2);
    assert_true(testcase.best.weight_count > 2);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct nb_best_average best;
        struct nb_error err = { 0 };
        copy(&testcase.best, &best);
        changes[i].change(&best);
        assert_int_equal(nb_best_average_check(&testcase.question, &best, &err),
                         NB_REFUTED);
        TOPOLOGY_CHECK(strstr(err.message, changes[i].says) != NULL,
                       "\"%s\" does not say \"%s\"", err.message,
                       changes[i].says);
        nb_best_average_release(&best);
    }
    average_case_close(&testcase);
}

/* Numbers near the old ones, or far from them. */
static int64_t change_number(struct nb_random *random, int64_t old)
{
    switch (nb_random_below(random, 4)) {
    case 0:
        return old + 1;
    case 1:
        return old / 2;
    case 2:
        return 2 * old;
    default:
        return 1 + (int64_t)nb_random_below(random, 1000);
    }
}

static void change(struct nb_random *random, const struct nb_topology *topology,
                   struct nb_best_average *best)
{
    const size_t p = nb_random_below(random, best->paths.path_count);
    const size_t w = nb_random_below(random, best->weight_count);
    struct nb_table_path *path = &best->paths.path[p];
    struct nb_table_path *next =
        &best->paths.path[(p + 1) % best->paths.path_count];
    struct nb_average_weight *weight = &best->weights[w];
    switch (nb_random_below(random, 6)) {
    case 0: /* the sum stays if both belong to one pair */
        path->weight--;
        next->weight++;
        break;
    case 1:
        path->weight = (uint64_t)change_number(random, (int64_t)path->weight);
        break;
    case 2:
        best->paths
            .channel[path->first + nb_random_below(random, path->length)] =
            (uint32_t)nb_random_below(random, topology->channel_count);
        break;
    case 3:
        weight->weight = change_number(random, weight->weight);
        break;
    case 4:
        weight->channel =
            (uint32_t)nb_random_below(random, topology->channel_count + 1);
        break;
    default:
        best->weight_count = w;
    }
}

static void proves_nothing_false(void **state)
{
    (void)state;
    static const char *const networks[] = { "torus:3x3", "mesh:2x3", "ring:6",
                                            "dragonfly:h=1" };
    enum { CHANGES = 200 };
    size_t refused = 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct average_case testcase;
        average_case_open(&testcase, networks[i], 8, 2);
        const struct nb_enclosure true_load = average_case_find(&testcase);
        for (uint64_t seed = 1; seed <= CHANGES; seed++) {
            struct nb_best_average best;
            struct nb_random random;
            nb_random_init(&random, seed, i);
            copy(&testcase.best, &best);
            change(&random, &testcase.topology, &best);
            const enum nb_status status =
                nb_best_average_check(&testcase.question, &best, NULL);
            refused += status == NB_REFUTED;
            TOPOLOGY_CHECK(status == NB_REFUTED ||
                               (status == NB_OK &&
                                best.mean_load.lower <= true_load.upper &&
                                true_load.lower <= best.mean_load.upper),
                           "%s, change %u: %.17g .. %.17g", networks[i],
                           (unsigned)seed, best.mean_load.lower,
                           best.mean_load.upper);
            nb_best_average_release(&best);
        }
        average_case_close(&testcase);
    }
    assert_in_range(refused, CHANGES, 3 * CHANGES);
}

/*
 * Without weights, hops prove a bound: for each permutation, drawn as by
 * `netbound permutations`, the shorter distances around a ring over its
 * channels in both directions, and 1 over the bandwidth of a terminal's
 * channel.
 */
static void hops_prove_without_weights(void **state)
{
    (void)state;
    enum { N = 7, COUNT = 6, SEED = 3 };
    for (int k = 0; k < 2; k++) {
        const double least = k == 0 ? 0 : 0.95;
        struct average_case testcase;
        double mean = 0;
        size_t raised = 0;
        average_case_open(&testcase, "ring:7", COUNT, SEED);
        if (k > 0)
            testcase.topology.terminal_bandwidth = nb_ratio_make(20, 19);
        average_case_find(&testcase);
        testcase.best.weight_count = 0;
        assert_int_equal(
            nb_best_average_check(&testcase.question, &testcase.best, NULL),
            NB_OK);
        for (uint64_t x = 0; x < COUNT; x++) {
            struct nb_random random;
            uint32_t to[N];
            double hops = 0;
            nb_random_init(&random, SEED, x);
            nb_random_permutation(&random, N, to);
            for (uint32_t t = 0; t < N; t++) {
                const uint32_t ahead = (to[t] + N - t) % N;
                hops += ahead < N - ahead ? ahead : N - ahead;
            }
            raised += hops / (2 * N) < least;
            mean += fmax(least, hops / (2 * N)) / COUNT;
        }
        TOPOLOGY_CHECK(fabs(testcase.best.mean_load.lower - mean) < 1e-12,
                       "%.17g, not %.17g", testcase.best.mean_load.lower, mean);
        assert_true(k == 0 ? raised == 0 : raised > 0 && raised < COUNT);
        average_case_close(&testcase);
    }
}

/* Another sample is another question: the routing's values there are computed
 * again, and the old weights prove some bound. */
static void draws_the_sample_again(void **state)
{
    (void)state;
    struct average_case testcase, other;
    average_case_open(&testcase, "torus:4x4", 10, 1);
    average_case_open(&other, "torus:4x4", 10, 2);
    average_case_find(&testcase);
    const struct nb_enclosure best = average_case_find(&other);
    assert_int_equal(
        nb_best_average_check(&other.question, &testcase.best, NULL), NB_OK);
    assert_true(testcase.best.mean_load.lower < best.lower);
    assert_true(testcase.best.mean_load.upper > best.upper);
    average_case_close(&testcase);
    average_case_close(&other);
}

/*
 * Shares of an orbit of channels that are not whole numbers are rounded up: the
 * weight 2^40 and 11 2^16 terminals leave no room for the 9 channels of an
 * orbit that begin paths of two hops between routers of eleven.
 */
static void rounds_shares_outward(void **state)
{
    (void)state;
    struct average_case testcase;
    average_case_open(&testcase, "complete:11,terminals=65536", 1, 1);
    struct nb_best_average *best = &testcase.best;
    const struct nb_topology *topology = &testcase.topology;
    const uint32_t path[2] = { topology_find_channel(topology, 0, 2),
                               topology_find_channel(topology, 2, 1) };
    struct nb_enclosure load[2];
    for (int i = 0; i < 2; i++) {
        const uint64_t weight = i == 0 ? 1 : (uint64_t)1 << 40;
        nb_path_table_release(&best->paths);
        assert_int_equal(
            nb_path_table_add(&best->paths, 0, 1, weight, path, 2, NULL),
            NB_OK);
        assert_int_equal(nb_best_average_check(&testcase.question, best, NULL),
                         NB_OK);
        load[i] = nb_enclosure_divide(nb_enclosure_of_whole(1),
                                      best->mean_throughput);
    }
    assert_true(nb_ratio_is_known(load[0].exact));
    assert_false(nb_ratio_is_known(load[1].exact));
    assert_true(load[1].lower < load[0].lower);
    assert_true(load[0].upper < load[1].upper);
    assert_true(load[1].upper - load[1].lower < 1e-6);
    average_case_close(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_certificate),
        cmocka_unit_test(proves_nothing_false),
        cmocka_unit_test(hops_prove_without_weights),
        cmocka_unit_test(draws_the_sample_again),
        cmocka_unit_test(rounds_shares_outward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
