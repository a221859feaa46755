/* The bound for every minimal routing, against brute force and against the
 * worst cases of schemes for which it must hold. */
#include "bounds/worst_case/necessary_case.h"

#include "support/graphs.h"
#include "support/hungarian.h"
#include "support/necessary_matrix.h"
#include "support/problem.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "bounds/cuts/capacity.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "load/focus.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { TERMINALS = 128 };

/* Found, and accepted by the check. */
static void must_find(const struct problem *problem, const char *name,
                      struct nb_necessary_case *out)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_error err = { 0 };
    if (nb_necessary_case_find(&problem->routing, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    const struct nb_necessary_case before = *out;
    if (nb_necessary_case_check(&problem->routing, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    TOPOLOGY_CHECK(out->worst == before.worst && out->load == before.load &&
                       out->throughput.lower == before.throughput.lower &&
                       out->throughput.upper == before.throughput.upper,
                   "%s: the check gives another result", name);
}

/* The maximum number of terminals that can send, each to a different one,
 * through a channel that all their shortest paths need. */
static int64_t most_pairs(const struct nb_topology *topology, uint32_t channel)
{
    static int64_t matrix[TERMINALS * TERMINALS];
    uint32_t permutation[TERMINALS];
    assert_true(topology->terminal_count <= TERMINALS);
    necessary_matrix_terminals(topology, channel, matrix);
    return hungarian_integer(topology->terminal_count, matrix, permutation);
}

/* Each bound against its whole orbit, the answer against all channels. */
static void compare(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_necessary_case found = { 0 };
    struct nb_focus focus = { 0 };
    struct nb_ratio least = nb_ratio_infinity;
    uint32_t worst = 0;
    must_find(problem, name, &found);
    assert_int_equal(nb_focus_find(&problem->routing, &focus, NULL), NB_OK);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const int64_t size = most_pairs(topology, c);
        const struct nb_necessary_bound *bound =
            &found.bounds[focus.channels.of[c]];
        TOPOLOGY_CHECK((int64_t)bound->size * found.sides.multiplicity == size,
                       "%s: channel %u has %zu, not %ld", name, c, bound->size,
                       (long)size);
        const struct nb_ratio share = nb_ratio_divide(
            topology->channels[c].bandwidth, (struct nb_ratio){ size, 1 });
        if (nb_ratio_compare(share, least) >= 0)
            continue;
        least = share;
        worst = c;
    }
    ratio_must_equal(found.throughput.exact, least, name);
    TOPOLOGY_CHECK(found.bounds[found.worst].channel == worst,
                   "%s: %u is the worst channel", name, worst);
    nb_focus_release(&focus);
    nb_necessary_case_release(&found);
    nb_necessary_case_release(&found);
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "any-minimal@ring:3",
        "any-minimal@ring:8",
        "any-minimal@ring:7,terminals=3",
        "any-minimal@torus:4x4",
        "any-minimal@torus:3x5,terminals=2",
        "any-minimal@torus:2x4,bandwidth=2/3",
        "any-minimal@mesh:6",
        "any-minimal@mesh:4x3,terminals=2",
        "any-minimal@mesh:2x3x3",
        "any-minimal@complete:6",
        "any-minimal@ccc:3",
        "any-minimal@hypercube:4",
        "any-minimal@file:data/topologies/abilene.txt",
        "any-minimal@file:data/topologies/petersen-networkx.graphml",
        "any-minimal@file:data/topologies/ring-directed.csv,directed=yes",
    };
    problem_each_of(examples, sizeof examples / sizeof *examples, compare);
}

static void agrees_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char text[8000], name[40];
        struct problem problem;
        graph_random(seed, 4 + (uint32_t)seed % 13, 20, text, sizeof text);
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        problem_open_file(&problem, text, ".graphml", "", "any-minimal");
        compare(&problem, name);
        problem_close(&problem);
    }
}

/*
 * Singh2005, section A.2.2: 1/64 and, with a matching of 3, 1/3 of capacity. A
 * ring of k has (k - 1)/2 routers, rounded down, behind a channel whose tornado
 * traffic must cross it, with capacity 8/k or, for odd k, 8k/(k^2 - 1). A
 * complete network has one pair per channel.
 */
static void finds_published_values(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        int64_t load;
        struct nb_ratio fraction;
    } cases[] = {
        { "complete:64", 1, { 1, 64 } },
        { "torus:8x8", 3, { 1, 3 } },
        { "torus:8x8,terminals=3", 9, { 1, 3 } },
        { "torus:8x8,bandwidth=5/7", 3, { 1, 3 } },
        { "ring:8", 3, { 1, 3 } },
        { "ring:9", 4, { 5, 18 } },
        { "complete:5", 1, { 1, 5 } },
        { "hypercube:6", 1, { 1, 2 } },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *name = cases[k].topology;
        struct problem problem;
        struct nb_necessary_case found = { 0 };
        struct nb_capacity capacity = { 0 };
        problem_open(&problem, name, "any-minimal");
        must_find(&problem, name, &found);
        assert_int_equal(
            nb_capacity_find(&problem.topology, NULL, &capacity, NULL), NB_OK);
        TOPOLOGY_CHECK(found.load == cases[k].load, "%s: load %ld", name,
                       (long)found.load);
        ratio_must_equal(
            nb_ratio_divide(found.throughput.exact, capacity.rate.exact),
            cases[k].fraction, name);
        nb_necessary_case_release(&found);
        problem_close(&problem);
    }
}

/*
 * Singh2005, section A.2.2, prints a matching of 10 on cube-connected cycles
 * of 64 routers, channel 0 to 4 (0.2 of capacity). It is not the greatest:
 * there are 11 pairs on each cube channel, by another method too, and 6 on
 * each ring channel.
 */
static void finds_more_pairs_than_printed(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_necessary_case found = { 0 };
    problem_open(&problem, "ccc:4", "any-minimal");
    const struct nb_topology *topology = &problem.topology;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const bool is_cube = channel->source / 4 != channel->target / 4;
        assert_int_equal(most_pairs(topology, c), is_cube ? 11 : 6);
    }
    must_find(&problem, "ccc:4", &found);
    const struct nb_channel *worst =
        &topology->channels[found.bounds[found.worst].channel];
    assert_int_equal(worst->source, 0);
    assert_int_equal(worst->target, 4);
    assert_int_equal(found.load, 11);
    ratio_must_equal(found.throughput.exact, (struct nb_ratio){ 1, 11 },
                     "ccc:4");
    nb_necessary_case_release(&found);
    problem_close(&problem);
}

/* No oblivious minimal scheme has a better worst case. */
static void compare_with_scheme(const struct problem *problem, const char *name)
{
    const struct nb_run run = { .threads = 1 };
    struct problem any = { .topology = problem->topology };
    struct nb_necessary_case bound = { 0 };
    struct nb_worst_case worst = { 0 };
    struct nb_error err = { 0 };
    if (!problem->routing.is_minimal || problem->routing.kind->is_adaptive)
        return;
    problem_add_routing(&any, "any-minimal");
    must_find(&any, name, &bound);
    if (nb_worst_case_find(&problem->routing, &run, &worst, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    const bool are_exact = nb_ratio_is_known(worst.throughput.exact) &&
                           nb_ratio_is_known(bound.throughput.exact);
    TOPOLOGY_CHECK(are_exact ? nb_ratio_compare(worst.throughput.exact,
                                                bound.throughput.exact) <= 0
                             : worst.throughput.lower <= bound.throughput.upper,
                   "%s: %g is above the bound %g", name, worst.throughput.lower,
                   bound.throughput.upper);
    nb_worst_case_release(&worst);
    nb_necessary_case_release(&bound);
    nb_routing_release(&any.routing);
}

/* A scheme's worst case is the bound where shortest paths leave no choice. */
static void is_met_without_choice(void **state)
{
    (void)state;
    static const char *const topologies[] = { "mesh:9", "ring:7", "complete:6",
                                              "ring:5,terminals=2" };
    for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++) {
        struct problem any, min;
        struct nb_necessary_case bound = { 0 };
        struct nb_worst_case worst = { 0 };
        problem_open(&any, topologies[k], "any-minimal");
        problem_open(&min, topologies[k], "min");
        must_find(&any, topologies[k], &bound);
        assert_int_equal(nb_worst_case_find(&min.routing, NULL, &worst, NULL),
                         NB_OK);
        ratio_must_equal(worst.throughput.exact, bound.throughput.exact,
                         topologies[k]);
        nb_worst_case_release(&worst);
        nb_necessary_case_release(&bound);
        problem_close(&min);
        problem_close(&any);
    }
}

static void bounds_every_minimal_scheme(void **state)
{
    (void)state;
    static const char *const more[] = {
        "dor@torus:6x4",
        "dor:ties=plus@torus:4x4",
        "dor:ties=parity@torus:4x4",
        "dor:order=random@torus:5x3",
        "dor@mesh:5x4",
        "min@mesh:5x4,terminals=2",
        "min@ccc:4",
        "min@file:data/topologies/abilene.txt",
    };
    problem_each_example(compare_with_scheme);
    problem_each_of(more, sizeof more / sizeof *more, compare_with_scheme);
}

/* Both directions of every link doubled: nothing is necessary. */
static void is_infinite_where_nothing_is_necessary(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_necessary_case found = { 0 };
    problem_open_file(&problem, "a b\nb c\nc a\na b\nb c\nc a\n", ".txt", "",
                      "any-minimal");
    compare(&problem, "doubled ring");
    must_find(&problem, "doubled ring", &found);
    assert_int_equal(found.load, 0);
    assert_true(nb_ratio_is_infinite(found.throughput.exact));
    assert_true(isinf(found.throughput.lower));
    nb_necessary_case_release(&found);
    problem_close(&problem);
}

/* Bandwidths 10^-18 apart, whose quotients cannot be distinguished by doubles
 * or by ratios of 64 bits. */
static void compares_bandwidths_exactly(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_necessary_case found = { 0 };
    problem_open_file(&problem,
                      "0 1 0.876543210987654322\n1 2 0.876543210987654323\n"
                      "2 3 0.876543210987654321\n3 0 0.876543210987654324\n",
                      ".txt", ",directed=yes,terminals=1000", "any-minimal");
    must_find(&problem, "ring", &found);
    const uint32_t channel = found.bounds[found.worst].channel;
    assert_int_equal(problem.topology.channels[channel].source, 2);
    assert_int_equal(found.load, 3000);
    assert_false(nb_ratio_is_known(found.throughput.exact));
    const double expected = 0.876543210987654321 / 3000;
    assert_true(found.throughput.lower <= expected);
    assert_true(expected <= found.throughput.upper);
    assert_true(found.throughput.upper < found.throughput.lower * (1 + 1e-14));
    nb_necessary_case_release(&found);
    problem_close(&problem);
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_necessary_case found[2];
    problem_open(&problem, "mesh:6x5", "any-minimal");
    for (int t = 0; t < 2; t++) {
        const struct nb_run run = { .threads = 1 + 3 * t };
        assert_int_equal(
            nb_necessary_case_find(&problem.routing, &run, &found[t], NULL),
            NB_OK);
    }
    assert_int_equal(found[0].worst, found[1].worst);
    assert_memory_equal(found[0].match, found[1].match,
                        found[0].sides.count * sizeof(uint32_t));
    for (size_t b = 0; b < found[0].bound_count; b++) {
        assert_int_equal(found[0].bounds[b].size, found[1].bounds[b].size);
        assert_memory_equal(found[0].bounds[b].cover, found[1].bounds[b].cover,
                            found[0].bounds[b].size * sizeof(uint32_t));
    }
    nb_necessary_case_release(&found[0]);
    nb_necessary_case_release(&found[1]);
    problem_close(&problem);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    const struct nb_run run = { .threads = 1 };
    struct problem problem;
    problem_open(&problem, "mesh:3x2", "any-minimal");
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
         allowed++) {
        struct nb_necessary_case found = { 0 };
        nb_memory_allow(allowed);
        status = nb_necessary_case_find(&problem.routing, &run, &found, NULL);
        if (status == NB_OK)
            status =
                nb_necessary_case_check(&problem.routing, &run, &found, NULL);
        nb_memory_allow(-1);
        nb_necessary_case_release(&found);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(agrees_on_random_graphs),
        cmocka_unit_test(finds_published_values),
        cmocka_unit_test(finds_more_pairs_than_printed),
        cmocka_unit_test(bounds_every_minimal_scheme),
        cmocka_unit_test(is_met_without_choice),
        cmocka_unit_test(is_infinite_where_nothing_is_necessary),
        cmocka_unit_test(compares_bandwidths_exactly),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
