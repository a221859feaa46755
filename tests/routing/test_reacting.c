/* What schemes remember that react to blocked or offered packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"

#include "core/memory.h"
#include "core/random.h"
#include "routing/acor_ways.h"
#include "routing/traffic_counts.h"

#include <stdlib.h>

/* Table 5-3: above 15 blocked packets the level rises at once, above 500 again;
 * at the end of 500 cycles it falls with fewer than 15, then with fewer than
 * 5. */
static void test_levels_have_hysteresis(void **state)
{
    (void)state;
    const struct nb_acor_plan plan = {
        .levels = 3,
        .interval = 500,
        .rise = { 15, 500 },
        .fall = { 5, 15 },
    };
    struct nb_acor_switch of[2] = { 0 };
    for (int i = 0; i < 15; i++)
        nb_acor_block(&plan, of);
    assert_int_equal(nb_acor_level(&plan, of, 7), 0);
    nb_acor_block(&plan, of);
    assert_int_equal(nb_acor_level(&plan, of, 0), 1);
    for (int i = 16; i < 500; i++)
        nb_acor_block(&plan, of);
    assert_int_equal(of->level, 1);
    nb_acor_block(&plan, of);
    assert_int_equal(of->level, 2);
    assert_int_equal(of[1].level, 0);
    nb_acor_observe(&plan, of, 2, 498); /* the interval has not ended */
    assert_int_equal(of->blocked, 501);
    nb_acor_observe(&plan, of, 2, 499);
    assert_int_equal(of->level, 2);
    assert_int_equal(of->blocked, 0);
    for (int i = 0; i < 15; i++)
        nb_acor_block(&plan, of);
    nb_acor_observe(&plan, of, 2, 999); /* the number that keeps the level */
    assert_int_equal(of->level, 2);
    for (int i = 0; i < 14; i++)
        nb_acor_block(&plan, of);
    nb_acor_observe(&plan, of, 2, 1499);
    assert_int_equal(of->level, 1);
    nb_acor_observe(&plan, of, 2, 1999);
    assert_int_equal(of->level, 0);
}

static uint32_t no_queue(const void *network, uint32_t channel)
{
    (void)network, (void)channel;
    return 0;
}

static void test_levels_of_packets(void **state)
{
    (void)state;
    const struct nb_acor_plan plan = { .is_by_packet = true, .levels = 3 };
    const struct nb_acor_switch of = { .level = 2 };
    assert_int_equal(nb_acor_level(&plan, &of, 0), 0);
    assert_int_equal(nb_acor_level(&plan, &of, 1), 1);
    assert_int_equal(nb_acor_level(&plan, &of, 2), 2);
    assert_int_equal(nb_acor_level(&plan, &of, 900), 2);
}

/* acor and pb-acor: every router has a level of its own, which only its blocked
 * packets change. */
static void test_every_switch_has_a_level(void **state)
{
    (void)state;
    static const char *const schemes[] = {
        "acor:interval=50,it1=3,it2=6,dt1=2,dt2=4",
        "pb-acor:interval=50,it1=3,it2=6,dt1=2,dt2=4",
        "pb-acor:sequence=2l-a,interval=50,it1=3,dt1=2",
    };
    const uint32_t rise[] = { 3, 6 }, fall[] = { 2, 4 };
    enum { ROUTERS = 6 };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct problem problem;
        struct nb_random random;
        uint32_t level[ROUTERS] = { 0 }, blocked[ROUTERS] = { 0 };
        const uint32_t levels = i == 2 ? 2 : 3;
        problem_open(&problem, "dragonfly:h=1", schemes[i]);
        const struct nb_routing *routing = &problem.routing;
        struct nb_view view = { .queue = no_queue,
                                .memory =
                                    calloc(1, routing->kind->memory(routing)) };
        assert_non_null(view.memory);
        nb_random_init(&random, 3, i);
        for (uint64_t cycle = 0; cycle < 5000; cycle++) {
            const uint32_t at = (uint32_t)nb_random_below(&random, ROUTERS);
            /* routers differ in how often they are blocked */
            if (nb_random_below(&random, 40) < at) {
                routing->kind->blocked(routing, &view, at);
                blocked[at]++;
                while (level[at] + 1 < levels && blocked[at] > rise[level[at]])
                    level[at]++;
            }
            routing->kind->observe(routing, &view, cycle);
            for (uint32_t r = 0; r < ROUTERS; r++) {
                if (cycle % 50 == 49) {
                    if (level[r] > 0 && blocked[r] < fall[level[r] - 1])
                        level[r]--;
                    blocked[r] = 0;
                }
                assert_int_equal(
                    routing->kind->set(routing, &view, r, (r + 1) % ROUTERS, 9),
                    level[r]);
            }
        }
        free(view.memory);
        problem_close(&problem);
    }
}

/* The packets that left in the last cycles, compared with a list of all. */
static void test_counts_are_of_a_window(void **state)
{
    (void)state;
    enum { CYCLES = 400, MOST = 3 };
    static const uint32_t windows[] = { 1, 2, 7, 50 };
    struct problem problem;
    struct nb_random random;
    problem_open(&problem, "dragonfly:h=1", "tpr");
    const struct nb_groups *groups = &problem.topology.groups;
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        const struct nb_counts_plan plan = { .window = windows[w] };
        struct nb_counts *counts =
            calloc(1, nb_counts_memory(&problem.routing, &plan));
        uint32_t left[CYCLES][3] = { 0 };
        assert_non_null(counts);
        nb_random_init(&random, 21, w);
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            const uint64_t packets = nb_random_below(&random, MOST);
            for (uint64_t p = 0; p < packets; p++) {
                const uint32_t to = (uint32_t)nb_random_below(
                    &random, problem.topology.router_count);
                nb_counts_left(&problem.routing, counts, 1, to);
                left[cycle][groups->of[to]]++;
            }
            for (uint32_t g = 0; g < groups->count; g++) {
                uint32_t sum = 0;
                for (uint32_t c = 0; c < windows[w] && c <= cycle; c++)
                    sum += left[cycle - c][g];
                assert_int_equal(
                    nb_counts_left_of(&problem.routing, counts, 1)[g], sum);
                assert_int_equal(
                    nb_counts_left_of(&problem.routing, counts, 0)[g], 0);
            }
            nb_counts_observe(&problem.routing, &plan, counts);
        }
        free(counts);
    }
    problem_close(&problem);
}

/* Sends packets of one router to a group. Returns the set from which a packet
 * to another group, `on` groups ahead of the router's own, would be drawn. */
static size_t set_after(struct problem *problem, uint32_t to, uint32_t packets,
                        uint32_t on)
{
    const struct nb_routing *routing = &problem->routing;
    const struct nb_groups *groups = &problem->topology.groups;
    struct nb_view view = { .memory =
                                calloc(1, routing->kind->memory(routing)) };
    const uint32_t source = groups->member[groups->start[0]];
    assert_non_null(view.memory);
    for (uint32_t p = 0; p < packets; p++)
        routing->kind->left(routing, &view, source,
                            groups->member[groups->start[to]], 0);
    const size_t set = routing->kind->set(routing, &view, source,
                                          groups->member[groups->start[on]], 0);
    free(view.memory);
    return set;
}

/* The example below equation 6-2: at h = 4 IL(-3) has weights 1/4, 2/4, 3/4, 1,
 * 3/4, 2/4, 1/4 on groups 9 to 15; above 20 the second local hop is taken. */
static void test_local_channels_of_lian(void **state)
{
    (void)state;
    static const uint32_t quarters[] = { 1, 2, 3, 4, 3, 2, 1 };
    struct problem problem;
    problem_open(&problem, "dragonfly:h=4", "lian:groups=4");
    for (uint32_t g = 9; g <= 15; g++) {
        const uint32_t most = 80 / quarters[g - 9];
        assert_int_equal(set_after(&problem, g, most, 12), 0);
        assert_int_equal(set_after(&problem, g, most + 1, 12), 2);
        /* the same for groups on the other side */
        assert_int_equal(set_after(&problem, 33 - g, most + 1, 33 - 12), 2);
    }
    assert_int_equal(set_after(&problem, 8, 200, 12), 0);
    assert_int_equal(set_after(&problem, 16, 200, 12), 0);
    /* packets to 13 on go by IL(-3) and IL(-4); group 16 belongs to IL(-4) */
    assert_int_equal(set_after(&problem, 16, 21, 13), 2);
    /* one channel of k = 0 leads to group 1 and needs no hop */
    assert_int_equal(set_after(&problem, 4, 20, 1), 0);
    assert_int_equal(set_after(&problem, 4, 21, 1), 2);
    problem_close(&problem);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_have_hysteresis),
        cmocka_unit_test(test_levels_of_packets),
        cmocka_unit_test(test_every_switch_has_a_level),
        cmocka_unit_test(test_counts_are_of_a_window),
        cmocka_unit_test(test_local_channels_of_lian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
