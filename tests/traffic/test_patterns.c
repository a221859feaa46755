/* Golden: destinations worked out by hand from the definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/traffic_case.h"

#include <inttypes.h>
#include <string.h>

/* Router numbers of torus:8x8 are x + 8 y; of 4x3, x + 4 y. */
static const struct pattern_row {
    const char *example;
    uint32_t source, target;
    const char *source_of_value;
} pattern_rows[] = {
    { "bit-complement@torus:8x8", 0, 63, "(0,0) to (7,7)" },
    { "bit-complement@torus:8x8", 19, 44, "(3,2) to (4,5)" },
    { "bit-complement@mesh:4x3", 5, 6, "(1,1) to (2,1)" },
    { "bit-complement@mesh:4x3", 3, 8, "(3,0) to (0,2)" },
    { "bit-complement@complete:5", 1, 3, "1 to 5-1-1" },
    { "transpose@torus:8x8", 19, 26, "(3,2) to (2,3)" },
    { "transpose@torus:8x8", 7, 56, "(7,0) to (0,7)" },
    { "transpose@mesh:3x3", 5, 7, "(2,1) to (1,2)" },
    { "transpose@torus:2x3x2x3", 5, 30, "(1,2,0,0) to (0,0,1,2) = 6+24" },
    { "transpose@torus:4x4x4", 0x0B, 0x19, "bits 001 011 to 011 001" },
    { "transpose@complete:16", 6, 9, "bits 01 10 to 10 01" },
    { "tornado@torus:8x8", 0, 3, "0+4-1" },
    { "tornado@torus:8x8", 22, 17, "(6,2) to (1,2): 6+3 mod 8" },
    { "tornado:dims=all@torus:8x8", 22, 41, "(6,2) to (1,5)" },
    { "tornado@torus:9x9", 0, 4, "0+5-1" },
    { "tornado@torus:9x9", 7, 2, "7+4 mod 9" },
    { "tornado:dims=all@torus:9x4", 0, 13, "(0,0) to (4,1)" },
    { "tornado@complete:9", 7, 2, "one dimension of 9" },
    { "tornado@mesh:4x3", 3, 0, "3+1 mod 4" },
    { "tornado:dims=all@mesh:4x3", 3, 4, "(3,0) to (0,1)" },
    { "tornado@hypercube:3", 5, 5, "k=2 moves by 0" },
    { "neighbour@torus:8x8", 7, 0, "(7,0) to (0,0)" },
    { "neighbour:dims=all@torus:8x8", 7, 8, "(7,0) to (0,1)" },
    { "neighbour@mesh:4x3", 6, 7, "(2,1) to (3,1)" },
    { "neighbour@ccc:3", 23, 0, "one dimension of 24" },
    { "diameter@torus:8x8", 19, 55, "(3,2) to (7,6)" },
    { "diameter@torus:5x4", 4, 11, "(4,0) to (1,2)" },
    { "diameter@mesh:4x3", 11, 1, "(3,2) to (1,0)" },
    { "diameter@complete:5", 3, 0, "3+2 mod 5" },
    { "bit-reverse@torus:8x8", 1, 32, "000001 to 100000" },
    { "bit-reverse@torus:8x8", 11, 52, "001011 to 110100" },
    { "shuffle@torus:8x8", 33, 3, "100001 to 000011" },
    { "rotation@torus:8x8", 3, 33, "000011 to 100001" },
};

static void destinations_are_as_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pattern_rows / sizeof *pattern_rows; i++) {
        const struct pattern_row *row = &pattern_rows[i];
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        if (traffic_case_build(row->example, &testcase, &err) != NB_OK)
            fail_msg("%s: %s", row->example, err.message);
        const uint32_t target =
            traffic_case_destination(&testcase, row->source);
        if (target != row->target)
            fail_msg("%s: %" PRIu32 " sends to %" PRIu32 ", not %" PRIu32
                     " (%s)",
                     row->example, row->source, target, row->target,
                     row->source_of_value);
        traffic_case_release(&testcase);
    }
}

/* The formulas d_i = s_..., bit by bit. */
static void bit_permutations_follow_their_formulas(void **state)
{
    (void)state;
    static const char *const names[] = { "bit-reverse@hypercube:5",
                                         "shuffle@hypercube:5",
                                         "rotation@hypercube:5" };
    const unsigned b = 5;
    for (unsigned n = 0; n < 3; n++) {
        struct traffic_case testcase;
        assert_int_equal(traffic_case_build(names[n], &testcase, NULL), NB_OK);
        for (uint32_t s = 0; s < 32; s++) {
            const uint32_t d = traffic_case_destination(&testcase, s);
            for (unsigned i = 0; i < b; i++) {
                const unsigned from[] = { b - 1 - i, (i + b - 1) % b,
                                          (i + 1) % b };
                if ((d >> i & 1) != (s >> from[n] & 1))
                    fail_msg("%s: %" PRIu32 " to %" PRIu32, names[n], s, d);
            }
        }
        traffic_case_release(&testcase);
    }
}

static void transpose_rotates_bits_by_half(void **state)
{
    (void)state;
    static const char *const names[] = { "transpose@torus:8x8",
                                         "transpose@complete:64" };
    for (unsigned n = 0; n < 2; n++) {
        struct traffic_case testcase;
        assert_int_equal(traffic_case_build(names[n], &testcase, NULL), NB_OK);
        for (uint32_t s = 0; s < 64; s++)
            assert_int_equal(traffic_case_destination(&testcase, s),
                             s >> 3 | (s & 7) << 3);
        traffic_case_release(&testcase);
    }
}

/* Torus 8x4: shares 1/2 to {0, 5}, so 1/4 each above a background of 1/32;
 * columns 0 and 5: 32 (1/64 + 1/4) = 17/2, other columns 1/2. */
static void hot_spots_sum_exactly(void **state)
{
    (void)state;
    struct traffic_case testcase;
    struct nb_traffic_sums sums;
    assert_int_equal(
        traffic_case_build("hot-spot:nodes=0+5@torus:8x4", &testcase, NULL),
        NB_OK);
    assert_int_equal(nb_traffic_sums_find(&testcase.traffic, &testcase.topology,
                                          &sums, NULL),
                     NB_OK);
    const struct nb_ratio hot = traffic_case_rate(&testcase, 7, 5);
    const struct nb_ratio cold = traffic_case_rate(&testcase, 7, 6);
    assert_true(hot.numerator == 17 && hot.denominator == 64);
    assert_true(cold.numerator == 1 && cold.denominator == 64);
    assert_true(sums.row.numerator == 1 && sums.row.denominator == 1);
    assert_true(sums.column.numerator == 17 && sums.column.denominator == 2);
    assert_int_equal(sums.column_router, 0);
    traffic_case_release(&testcase);
}

/* A tenth to router 3, nine tenths one step on: router 2 sends all to 3. */
static void hot_spots_take_any_background(void **state)
{
    (void)state;
    struct traffic_case testcase;
    assert_int_equal(
        traffic_case_build(
            "hot-spot:nodes=3,share=0.1,background=neighbour@torus:4x3",
            &testcase, NULL),
        NB_OK);
    assert_int_equal(testcase.traffic.background, 0);
    assert_int_equal(testcase.traffic.denominator, 10);
    assert_int_equal(traffic_case_destination(&testcase, 2), 3);
    const struct nb_ratio near = traffic_case_rate(&testcase, 5, 6);
    const struct nb_ratio far = traffic_case_rate(&testcase, 5, 3);
    assert_true(near.numerator == 9 && near.denominator == 10);
    assert_true(far.numerator == 1 && far.denominator == 10);
    traffic_case_release(&testcase);
}

/* Mesh 4x3: the corner 0 has 2 neighbours, router 1 has 3, router 5 has 4;
 * column 1 is 1/2 (from 0) + 1/3 (from 2) + 1/4 (from 5). */
static void nearest_neighbours_share_by_degree(void **state)
{
    (void)state;
    struct traffic_case testcase;
    assert_int_equal(
        traffic_case_build("nearest-neighbour@mesh:4x3", &testcase, NULL),
        NB_OK);
    assert_int_equal(testcase.traffic.denominator, 12);
    const struct nb_ratio rate = traffic_case_rate(&testcase, 0, 1);
    assert_true(rate.numerator == 1 && rate.denominator == 2);
    const struct nb_ratio inner = traffic_case_rate(&testcase, 5, 1);
    assert_true(inner.numerator == 1 && inner.denominator == 4);
    assert_int_equal(traffic_case_rate(&testcase, 0, 2).numerator, 0);
    traffic_case_release(&testcase);
}

static void seeds_decide_permutations(void **state)
{
    (void)state;
    struct traffic_case first, again, other;
    assert_int_equal(
        traffic_case_build("random-permutation:seed=3@torus:8x8", &first, NULL),
        NB_OK);
    assert_int_equal(
        traffic_case_build("random-permutation:seed=3@mesh:8x8", &again, NULL),
        NB_OK);
    assert_int_equal(
        traffic_case_build("random-permutation:seed=4@torus:8x8", &other, NULL),
        NB_OK);
    const size_t bytes = 64 * sizeof(struct nb_demand);
    assert_memory_equal(first.traffic.demands, again.traffic.demands, bytes);
    assert_memory_not_equal(first.traffic.demands, other.traffic.demands,
                            bytes);
    traffic_case_release(&first);
    traffic_case_release(&again);
    traffic_case_release(&other);
}

/* Ring of 4 with 2, 0, 1, 1 terminals. */
static void terminals_may_differ(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 2, 0, 1, 1 };
    static const uint32_t fair[] = { 2, 0, 2, 0 };
    struct traffic_case testcase = { 0 };
    struct nb_error err = { 0 };
    assert_int_equal(nb_topology_build("ring:4", &testcase.topology, NULL),
                     NB_OK);
    traffic_case_set_terminals(&testcase.topology, terminals);
    assert_int_equal(nb_traffic_build("uniform", &testcase.topology, false,
                                      &testcase.traffic, NULL),
                     NB_OK);
    const struct nb_ratio self = traffic_case_rate(&testcase, 0, 0);
    const struct nb_ratio single = traffic_case_rate(&testcase, 2, 3);
    assert_true(self.numerator == 1 && self.denominator == 1);
    assert_true(single.numerator == 1 && single.denominator == 4);
    assert_int_equal(traffic_case_rate(&testcase, 0, 1).numerator, 0);
    nb_traffic_release(&testcase.traffic);

    /* 0: only its neighbour 3 has terminals; 3: both neighbours have. */
    assert_int_equal(nb_traffic_build("nn", &testcase.topology, false,
                                      &testcase.traffic, NULL),
                     NB_OK);
    assert_int_equal(traffic_case_destination(&testcase, 0), 3);
    const struct nb_ratio half = traffic_case_rate(&testcase, 3, 2);
    assert_true(half.numerator == 1 && half.denominator == 2);
    nb_traffic_release(&testcase.traffic);

    /* Terminals 0 and 1 at router 0, 2 at router 2, 3 at router 3, in one
     * dimension of 4: terminal 0 sends to 1, 1 to 2, 2 to 3, 3 to 0. */
    assert_int_equal(nb_traffic_build("neighbour", &testcase.topology, false,
                                      &testcase.traffic, &err),
                     NB_OK);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(nb_traffic_demand(&testcase.traffic, r,
                                           r == 3   ? 0
                                           : r == 2 ? 3
                                                    : 2),
                         r != 1);
    assert_int_equal(nb_traffic_demand(&testcase.traffic, 0, 0), 1);
    assert_int_equal(testcase.traffic.singles.count, 4);
    nb_traffic_release(&testcase.traffic);

    traffic_case_set_terminals(&testcase.topology, fair);
    assert_int_equal(nb_traffic_build("neighbour", &testcase.topology, false,
                                      &testcase.traffic, NULL),
                     NB_OK);
    /* two terminals at router 0 and two at router 2 */
    for (uint32_t i = 0; i < 4; i += 2)
        for (uint32_t j = 0; j < 4; j += 2)
            assert_int_equal(nb_traffic_demand(&testcase.traffic, i, j), 1);
    nb_traffic_release(&testcase.traffic);

    err = (struct nb_error){ 0 };
    assert_int_equal(nb_traffic_build("nn", &testcase.topology, false,
                                      &testcase.traffic, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "router 0 has 0 neighbours"));
    traffic_case_release(&testcase);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Mesh 3x2 whose routers 2 and 4 have no terminals: coordinates are ignored,
 * the endpoints 0, 1, 3, 5 are one dimension. */
static void coordinates_need_terminals_everywhere(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 1, 1, 0, 1, 0, 1 };
    static const uint32_t next[] = { 1, 3, NB_NONE, 5, NB_NONE, 0 };
    struct traffic_case testcase = { 0 };
    assert_int_equal(nb_topology_build("mesh:3x2", &testcase.topology, NULL),
                     NB_OK);
    traffic_case_set_terminals(&testcase.topology, terminals);
    assert_int_equal(nb_traffic_build("neighbour", &testcase.topology, false,
                                      &testcase.traffic, NULL),
                     NB_OK);
    for (uint32_t i = 0; i < 6; i++)
        if (terminals[i] > 0)
            assert_int_equal(traffic_case_destination(&testcase, i), next[i]);
    traffic_case_release(&testcase);
}

/* Undefined patterns are refused with the reason. */
static const struct refusal {
    const char *example, *reason;
} refusals[] = {
    { "transpose@torus:8x4", "2 dimensions, 32 terminals" },
    { "transpose@complete:8", "0 dimensions, 8 terminals" },
    { "bit-reverse@mesh:4x3", "12 terminals" },
    { "shuffle@complete:5", "5 terminals" },
    { "rotation@ccc:3", "24 terminals" },
    { "tornado:dims=some@torus:4x4", "first|all" },
    { "random-permutation:seed=-1@ring:4", "\"-1\"" },
    { "hot-spot@ring:4", "nodes" },
    { "hot-spot:nodes=4@ring:4", "from 0 to 3" },
    { "hot-spot:nodes=1+1@ring:4", "listed twice" },
    { "hot-spot:nodes=1,share=3/2@ring:4", "\"3/2\"" },
    { "hot-spot:nodes=1,background=nowhere@ring:4", "\"nowhere\"" },
    { "hot-spot:nodes=1,background=hot-spot@ring:4", "nodes" },
    { "hot-spot:nodes=1,share=1/4611686018427387903@ring:4", "62 bits" },
    { "nosuch@ring:4", "\"nosuch\"" },
};

static void undefined_patterns_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        if (traffic_case_build(refusals[i].example, &testcase, &err) == NB_OK ||
            strstr(err.message, refusals[i].reason) == NULL)
            fail_msg("%s: \"%s\"", refusals[i].example, err.message);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destinations_are_as_by_hand),
        cmocka_unit_test(bit_permutations_follow_their_formulas),
        cmocka_unit_test(transpose_rotates_bits_by_half),
        cmocka_unit_test(hot_spots_sum_exactly),
        cmocka_unit_test(hot_spots_take_any_background),
        cmocka_unit_test(nearest_neighbours_share_by_degree),
        cmocka_unit_test(seeds_decide_permutations),
        cmocka_unit_test(terminals_may_differ),
        cmocka_unit_test(coordinates_need_terminals_everywhere),
        cmocka_unit_test(undefined_patterns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
