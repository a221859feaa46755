/* Claims about a best flow: which are rejected, and the bounds that weaker ones
 * prove. */
#include "optimum/best_flow_check.h"

#include "support/flow_case.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "core/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A flow of four pair orbits; one of them has two paths. */
static void open_claim(struct flow_case *testcase)
{
    flow_case_open(testcase, "mesh:4x4", "transpose");
    flow_case_solve(testcase, "any");
    assert_int_equal(testcase->flow.pair_orbits, 4);
    assert_true(testcase->flow.paths.path_count > 4);
}

static void must_refute(struct flow_case *testcase, const char *text)
{
    struct nb_error err = { 0 };
    const enum nb_status status =
        nb_best_flow_check(&testcase->question, &testcase->flow, &err);
    TOPOLOGY_CHECK(status == NB_REFUTED && strstr(err.message, text) != NULL,
                   "wanted \"%s\", got status %d, \"%s\"", text, (int)status,
                   err.message);
}

/* The first path whose pair has more than one. */
static struct nb_table_path *find_divided(struct flow_case *testcase)
{
    const struct nb_path_table *paths = &testcase->flow.paths;
    for (size_t p = 0; p + 1 < paths->path_count; p++)
        if (paths->path[p].source == paths->path[p + 1].source &&
            paths->path[p].destination == paths->path[p + 1].destination)
            return &paths->path[p];
    fail_msg("no pair has two paths");
    return NULL;
}

static void tamper_weights(struct flow_case *testcase)
{
    struct nb_table_path *path = find_divided(testcase);
    const uint64_t weight = path->weight;
    path->weight = weight + 1;
    must_refute(testcase, "differs from other pairs");
    path->weight = 0;
    must_refute(testcase, "a weight is not in 1 .. 2^53");
    path->weight = UINT64_MAX;
    must_refute(testcase, "a weight is not in 1 .. 2^53");
    path->weight = (uint64_t)1 << 53;
    must_refute(testcase, "the weights pass 2^53");
    path->weight = weight;
}

static void tamper_paths(struct flow_case *testcase)
{
    struct nb_path_table *paths = &testcase->flow.paths;
    struct nb_table_path *path = find_divided(testcase);
    const struct nb_table_path kept[2] = { path[0], path[1] };
    uint32_t *channel = paths->channel + path->first;
    const uint32_t first = channel[0];

    channel[0] = (uint32_t)testcase->topology.channel_count;
    must_refute(testcase, "one is not permitted");
    channel[0] = channel[1];
    must_refute(testcase, "one is not permitted");
    channel[0] = first;
    path->length--;
    must_refute(testcase, "one is not permitted");
    path[0] = kept[1];
    must_refute(testcase, "one is repeated, or they are not sorted");
    path[1] = kept[0];
    must_refute(testcase, "one is repeated, or they are not sorted");
    path[0] = kept[0];
    path[1] = kept[1];
    path->source = (uint32_t)testcase->topology.router_count;
    must_refute(testcase, "no such router");
    path->source = kept[0].source;
    path->destination = NB_NONE;
    must_refute(testcase, "no such router");
    path->destination = kept[0].destination;
}

static void tamper_lengths(struct flow_case *testcase)
{
    int64_t *length = testcase->flow.length;
    const size_t count = testcase->topology.channel_count;
    int64_t kept[100];
    assert_true(count <= 100);
    memcpy(kept, length, count * sizeof *length);
    length[0] = -1;
    must_refute(testcase, "channel 0: length -1; permitted: 0 .. 2^40");
    length[0] = ((int64_t)1 << 40) + 1;
    must_refute(testcase, "channel 0: length 1099511627777; permitted");
    length[0] = kept[0];
    length[count - 1]++;
    must_refute(testcase, "of its orbit");
    memset(length, 0, count * sizeof *length);
    must_refute(testcase, "all lengths are 0");
    memcpy(length, kept, count * sizeof *length);
}

static void refutes_what_is_wrong(void **state)
{
    (void)state;
    struct flow_case testcase;
    struct nb_error err = { 0 };
    open_claim(&testcase);
    tamper_weights(&testcase);
    tamper_paths(&testcase);
    tamper_lengths(&testcase);
    /* Nothing has changed. */
    assert_int_equal(
        nb_best_flow_check(&testcase.question, &testcase.flow, &err), NB_OK);
    assert_true(nb_ratio_is_known(testcase.flow.throughput.exact));
    flow_case_close(&testcase);
}

/* Each orbit once, and nothing else. */
static void refutes_other_pairs(void **state)
{
    (void)state;
    struct flow_case testcase;
    open_claim(&testcase);
    struct nb_path_table *paths = &testcase.flow.paths;
    const struct nb_topology *topology = &testcase.topology;
    /* Router 1 sends only to 4, and 4 to 1: an image of the pair 1, 4. */
    const uint32_t back[2] = { topology_find_channel(topology, 4, 0),
                               topology_find_channel(topology, 0, 1) };
    uint64_t sum = 0;
    for (size_t p = 0; p < paths->path_count; p++)
        if (paths->path[p].source == paths->path[0].source &&
            paths->path[p].destination == paths->path[0].destination)
            sum += paths->path[p].weight;
    assert_int_equal(nb_path_table_add(paths, 4, 1, sum, back, 2, NULL), NB_OK);
    must_refute(&testcase, "another pair of its orbit has paths");
    paths->path[paths->path_count - 1].destination = 0;
    paths->path[paths->path_count - 1].length = 1;
    must_refute(&testcase, "from router 4 to 0: the pair has no traffic");
    paths->path_count--;
    const struct nb_table_path last = paths->path[paths->path_count - 1];
    while (paths->path[paths->path_count - 1].source == last.source &&
           paths->path[paths->path_count - 1].destination == last.destination)
        paths->path_count--;
    must_refute(&testcase, "but no pair of their orbit has paths");
    flow_case_close(&testcase);
}

static void refutes_paths_of_other_classes(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "ring:8", "tornado");
    flow_case_solve(&testcase, "any");
    assert_int_equal(nb_path_class_init(&testcase.topology, NB_PATHS_MINIMAL,
                                        nb_ratio_one, &testcase.path_class,
                                        NULL),
                     NB_OK);
    must_refute(&testcase, "one is not permitted");
    flow_case_close(&testcase);
}

/* A channel that does not exist, at every hop of a scheme's paths. */
static void refutes_unknown_channels_of_schemes(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "mesh:4x4", "transpose");
    flow_case_solve_scheme(&testcase, "min-adaptive");
    const struct nb_path_table *paths = &testcase.flow.paths;
    for (size_t p = 0; p < paths->path_count; p++)
        for (uint32_t h = 0; h < paths->path[p].length; h++) {
            uint32_t *channel = &paths->channel[paths->path[p].first + h];
            const uint32_t kept = *channel;
            *channel = (uint32_t)testcase.topology.channel_count;
            must_refute(&testcase, "one is not permitted");
            *channel = kept;
        }
    flow_case_close(&testcase);
}

/* Weights that are valid but not optimal, and plain lengths prove less. */
static void weaker_claims_prove_less(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "ring:8", "tornado");
    flow_case_solve(&testcase, "any");
    struct nb_path_table *paths = &testcase.flow.paths;
    assert_int_equal(paths->path_count, 2);
    paths->path[0].weight = paths->path[1].weight = 1;
    assert_int_equal(
        nb_best_flow_check(&testcase.question, &testcase.flow, NULL), NB_OK);
    /* 1/2 of 3 and 1/2 of 5 hops: loads of 3/2 and 5/2. */
    struct nb_enclosure found = testcase.flow.throughput;
    assert_true(found.lower == 0.4 || found.lower == nextafter(0.4, 0));
    assert_true(found.upper >= 8 / 15.0 && found.upper < 0.5334);
    assert_false(nb_ratio_is_known(found.exact));
    ratio_must_equal(testcase.flow.mean_hops.exact, (struct nb_ratio){ 4, 1 },
                     "mean hops");
    for (size_t c = 0; c < testcase.topology.channel_count; c++)
        testcase.flow.length[c] = 1;
    assert_int_equal(
        nb_best_flow_check(&testcase.question, &testcase.flow, NULL), NB_OK);
    /* 16 channels, 3 hops of 8 packets. */
    found = testcase.flow.throughput;
    assert_true(found.upper >= 2 / 3.0 && found.upper < 0.6667);
    flow_case_close(&testcase);
}

/* Checks a claim with lengths of 1 on some channels, and compares the upper end
 * with a number. */
static void must_leave(struct flow_case *testcase, bool is_all, double most)
{
    for (size_t c = 0; c < testcase->topology.channel_count; c++) {
        const struct nb_channel *at = &testcase->topology.channels[c];
        testcase->flow.length[c] = is_all || at->source == at->target + 1 ||
                                   (at->source == 0 && at->target > 1);
    }
    assert_int_equal(
        nb_best_flow_check(&testcase->question, &testcase->flow, NULL), NB_OK);
    const struct nb_enclosure found = testcase->flow.throughput;
    TOPOLOGY_CHECK(found.lower <= most && most <= found.upper &&
                       found.upper <= most * (1 + 1e-12),
                   "%s: %.17g .. %.17g, not up to %.17g", testcase->name,
                   found.lower, found.upper, most);
}

/* Lengths in the direction of a ring without traffic prove nothing: 16 channels
 * carry 8 packets of 3 hops. With any lengths, the bound is what reaches a
 * router: 2 packets per cycle, from 15 that each send 1/2 and 1/16 of the
 * rest. */
static void weak_lengths_are_cut(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "ring:8", "tornado");
    flow_case_solve(&testcase, "minimal");
    must_leave(&testcase, false, 2 / 3.0);
    flow_case_close(&testcase);
    flow_case_open(&testcase, "mesh:4x4", "hot-spot:nodes=0,share=1/2");
    flow_case_solve(&testcase, "any");
    must_leave(&testcase, true, 64 / 255.0);
    flow_case_close(&testcase);
}

/* Rates of 63 bits times weights of 53 bits do not fit in 127 bits: then the
 * ends are rounded outward by little. */
static void rounds_large_sums_outward(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "mesh:8x4", "uniform");
    flow_case_solve(&testcase, "any");
    struct nb_path_table *paths = &testcase.flow.paths;
    uint64_t sum = 0;
    for (size_t p = 0; p < paths->path_count; p++)
        if (paths->path[p].source == paths->path[0].source &&
            paths->path[p].destination == paths->path[0].destination)
            sum += paths->path[p].weight;
    for (size_t p = 0; p < paths->path_count; p++)
        paths->path[p].weight *= ((uint64_t)1 << 53) / sum;
    assert_int_equal(
        nb_best_flow_check(&testcase.question, &testcase.flow, NULL), NB_OK);
    const struct nb_ratio throughput = testcase.flow.throughput.exact;
    const struct nb_ratio mean_hops = testcase.flow.mean_hops.exact;
    assert_true(nb_ratio_is_known(throughput) && nb_ratio_is_known(mean_hops));

    const uint64_t times = 9000000000000000001U, over = 2000000000000000003U;
    const double before = (double)testcase.traffic.denominator;
    testcase.traffic.background = times;
    testcase.traffic.denominator = over;
    assert_int_equal(
        nb_best_flow_check(&testcase.question, &testcase.flow, NULL), NB_OK);
    const double expected =
        (double)((long double)throughput.numerator /
                 (long double)throughput.denominator * (long double)over /
                 (long double)times / (long double)before);
    const struct nb_enclosure found = testcase.flow.throughput;
    TOPOLOGY_CHECK(found.lower <= expected && expected <= found.upper &&
                       found.upper <= found.lower * (1 + 1e-13),
                   "%.17g .. %.17g, not %.17g", found.lower, found.upper,
                   expected);
    const struct nb_enclosure hops = testcase.flow.mean_hops;
    const double mean = nb_ratio_value(mean_hops);
    TOPOLOGY_CHECK(hops.lower <= mean && mean <= hops.upper &&
                       hops.upper <= hops.lower * (1 + 1e-13),
                   "%.17g .. %.17g, not %.17g", hops.lower, hops.upper, mean);
    flow_case_close(&testcase);
}

/* A rate that is tiny compared with another still counts where the other has no
 * traffic: on a path of its own. */
static void keeps_small_rates(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open(&testcase, "ring:4", "uniform");
    struct nb_flow_pair pair[2] = {
        { .destination = 1, .rate = (uint64_t)1 << 62, .size = 1U << 31 },
        { .destination = 2, .rate = 1, .size = 1 },
    };
    uint32_t channel = 0, size = 1;
    const struct nb_flow_orbits orbits = {
        .topology = &testcase.topology,
        .traffic = &testcase.traffic,
        .pair_count = 2,
        .pair = pair,
        .lines = { .count = 1, .first = &channel, .length = &size },
    };
    const int64_t length = 1, distance[2] = { 0, (int64_t)1 << 62 };
    const struct nb_enclosure bound = nb_flow_bound(&orbits, &length, distance);
    const double exact = 0x1p-62 * (double)testcase.traffic.denominator;
    TOPOLOGY_CHECK(bound.lower <= exact && exact <= bound.upper, "%g .. %g",
                   bound.lower, bound.upper);
    flow_case_close(&testcase);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    struct flow_case testcase;
    open_claim(&testcase);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
        nb_memory_allow(allowed);
        status = nb_best_flow_check(&testcase.question, &testcase.flow, NULL);
        nb_memory_allow(-1);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                       "leaks after %ld allocations", allowed);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 20);
    flow_case_close(&testcase);
}

/* Pairs to one router form an orbit if their sources are equally far from it,
 * on both sides: the reflection of a ring moves only their sources. */
static void counts_orbits_to_one_router(void **state)
{
    (void)state;
    struct flow_case testcase;
    flow_case_open_demands(&testcase, "ring:8",
                           "source,destination,rate\n1,0,1/8\n2,0,1/8\n"
                           "3,0,1/8\n4,0,1/8\n5,0,1/8\n6,0,1/8\n7,0,1/8\n");
    flow_case_solve(&testcase, "any");
    assert_int_equal(testcase.flow.pair_orbits, 4);
    flow_case_close(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refutes_what_is_wrong),
        cmocka_unit_test(refutes_other_pairs),
        cmocka_unit_test(refutes_paths_of_other_classes),
        cmocka_unit_test(refutes_unknown_channels_of_schemes),
        cmocka_unit_test(weaker_claims_prove_less),
        cmocka_unit_test(weak_lengths_are_cut),
        cmocka_unit_test(rounds_large_sums_outward),
        cmocka_unit_test(keeps_small_rates),
        cmocka_unit_test(counts_orbits_to_one_router),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
