/* Path lengths: distributions known by hand, and the mean against walked
 * crossings of channels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/path_lengths.h"

#include <string.h>

/* Singh section 3.2: the quadrants of (2, 3) on an 8-ary 2-cube, and section
 * 3.3.6 on (1, 3); Valiant's by the convolution of two uniform phases of a ring
 * of 8 in each dimension. */
static void laws_are_as_published(void **state)
{
    static const struct {
        const char *routing;
        uint32_t target, hops;
        int64_t top, bottom;
    } cases[] = {
        { "rlb", 26, 5, 15, 32 }, { "rlb", 26, 7, 9, 32 },
        { "rlb", 26, 9, 5, 32 },  { "rlb", 26, 11, 3, 32 },
        { "rlb", 26, 6, 0, 1 },   { "rdr", 26, 11, 3, 32 },
        { "rlb", 25, 4, 35, 64 }, { "rlb", 25, 6, 21, 64 },
        { "rlb", 25, 10, 5, 64 }, { "rlb", 25, 12, 3, 64 },
        { "rlbth", 25, 4, 5, 8 }, { "rlbth", 25, 6, 3, 8 },
        { "val", 25, 4, 1, 8 },   { "val", 25, 8, 1, 4 },
        { "val", 25, 12, 1, 8 },  { "dor", 26, 5, 1, 1 },
        { "romm", 26, 5, 1, 1 },  { "min", 36, 8, 1, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_path_lengths lengths;
        struct nb_error err = { 0 };
        problem_open(&problem, "torus:8x8", cases[i].routing);
        if (nb_path_lengths_find(&problem.routing, 0, cases[i].target, &lengths,
                                 &err) != NB_OK)
            fail_msg("%s: %s", cases[i].routing, err.message);
        assert_true(cases[i].hops < lengths.count);
        ratio_must_equal(lengths.probability[cases[i].hops].exact,
                         nb_ratio_make(cases[i].top, cases[i].bottom),
                         cases[i].routing);
        nb_path_lengths_release(&lengths);
        nb_path_lengths_release(&lengths);
        problem_close(&problem);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The sum of probabilities is 1, and the mean the sum of crossings. */
static void lengths_check_pair(const struct problem *problem, uint32_t i,
                               uint32_t j, const struct nb_ratio *crossings,
                               const char *name)
{
    struct nb_path_lengths lengths;
    struct nb_error err = { 0 };
    struct nb_ratio all = nb_ratio_zero, mean = nb_ratio_zero;
    struct nb_ratio walked = nb_ratio_zero;
    if (nb_path_lengths_find(&problem->routing, i, j, &lengths, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    for (size_t h = 0; h < lengths.count; h++) {
        const struct nb_ratio p = lengths.probability[h].exact;
        all = nb_ratio_add(all, p);
        mean = nb_ratio_add(
            mean, nb_ratio_multiply(p, nb_ratio_make((nb_int128)h, 1)));
    }
    for (size_t c = 0; c < problem->topology.channel_count; c++)
        walked = nb_ratio_add(walked, crossings[c]);
    ratio_must_equal(all, nb_ratio_one, name);
    ratio_must_equal(mean, walked, name);
    assert_true(lengths.probability[lengths.count - 1].lower > 0);
    nb_path_lengths_release(&lengths);
}

static void lengths_check(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count;
    if (problem->routing.kind->is_adaptive)
        return;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (topology->terminals[i] > 0 && topology->terminals[j] > 0)
                lengths_check_pair(problem, i, j,
                                   &all[(i * n + j) * topology->channel_count],
                                   name);
    nb_delete(all);
}

static void means_are_crossings(void **state)
{
    (void)state;
    problem_each_example(lengths_check);
}

static void failed_allocations_leak_nothing(void **state)
{
    struct problem problem;
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    problem_open(&problem, "mesh:3x3", "val");
    const int64_t before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_path_lengths lengths;
        nb_memory_allow(allowed);
        status = nb_path_lengths_find(&problem.routing, 0, 8, &lengths, NULL);
        nb_memory_allow(-1);
        nb_path_lengths_release(&lengths);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_are_as_published),
        cmocka_unit_test(means_are_crossings),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
