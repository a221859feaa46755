/* Turn flows against every packet followed over every path it can take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/turn_flows.h"

#include <math.h>
#include <string.h>

/* Follows one packet's paths, adding probabilities up by turn. */
struct turn_walk {
    struct walk *walk;
    const struct nb_topology *topology;
    const struct nb_turn_flows *flows; /* for its array start */
    uint32_t destination;
    double *turns;
};

/* The number of a channel among a router's inputs. */
static size_t turn_input(const struct nb_topology *topology, uint32_t router,
                         uint32_t channel)
{
    size_t i = 0;
    while (topology->in_start[router] + i < topology->in_start[router + 1] &&
           topology->in_channel[topology->in_start[router] + i] != channel)
        i++;
    return i;
}

/* came_by: the channel to router, NB_NONE from a terminal. */
static void turn_follow(const struct turn_walk *turn, nb_route_state state,
                        uint32_t router, uint32_t came_by, double rate)
{
    const struct nb_topology *topology = turn->topology;
    struct nb_hop hops[16];
    const size_t input = turn_input(topology, router, came_by);
    const size_t count =
        walk_step(turn->walk, state, router, turn->destination);
    double shares = 0;
    assert_true(count <= 16);
    for (size_t h = 0; h < count; h++) {
        hops[h] = turn->walk->hops[h];
        shares += hops[h].share;
    }
    if (count == 0)
        turn->turns[turn->flows->start[topology->channel_count + router] +
                    input] += rate;
    for (size_t h = 0; h < count; h++) {
        const double part = rate * hops[h].share / shares;
        turn->turns[turn->flows->start[hops[h].channel] + input] += part;
        turn_follow(turn, hops[h].next,
                    topology->channels[hops[h].channel].target, hops[h].channel,
                    part);
    }
}

static void turn_walk_all(const struct problem *problem, const char *name,
                          const struct nb_traffic *traffic,
                          const struct nb_turn_flows *flows, double *turns)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count;
    struct walk walk;
    uint64_t *rate = nb_new_array(n, sizeof *rate);
    assert_non_null(rate);
    walk_open(&walk, &problem->routing, name);
    for (uint32_t d = 0; d < n; d++) {
        const struct turn_walk turn = { &walk, topology, flows, d, turns };
        assert_int_equal(nb_traffic_column(traffic, topology, d, rate, NULL),
                         NB_OK);
        for (uint32_t s = 0; s < n; s++) {
            if (rate[s] == 0)
                continue;
            const size_t starts =
                nb_route_starts(&problem->routing, s, d, walk.starts);
            for (size_t i = 0; i < starts; i++) {
                const struct nb_start start = walk.starts[i];
                turn_follow(&turn,
                            nb_route_begin(&problem->routing, &start, 0, s, d),
                            s, NB_NONE,
                            (double)rate[s] / (double)traffic->denominator *
                                (double)start.weight /
                                (double)problem->routing.start_total);
            }
        }
    }
    walk_close(&walk);
    nb_delete(rate);
}

/* Flow in equals flow out: the sum of the turns into a channel is its load. */
static void turn_check_loads(const struct problem *problem, const char *name,
                             const struct nb_traffic *traffic,
                             const struct nb_turn_flows *flows)
{
    struct nb_channel_loads loads;
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, traffic, NULL, &loads, NULL),
        NB_OK);
    for (size_t c = 0; c < problem->topology.channel_count; c++) {
        double sum = 0;
        for (size_t i = flows->start[c]; i < flows->start[c + 1]; i++)
            sum += flows->flow[i];
        TOPOLOGY_CHECK(fabs(sum - loads.load[c].lower) <=
                           loads.load[c].upper *
                               (flows->relative_error + 1e-14),
                       "%s: channel %zu: %.17g, not %.17g", name, c, sum,
                       loads.load[c].lower);
    }
    nb_channel_loads_release(&loads);
}

static void turn_check_traffic(const struct problem *problem, const char *name,
                               const char *pattern)
{
    struct nb_traffic traffic = { 0 };
    struct nb_turn_flows flows = { 0 }, other = { 0 };
    const struct nb_run three = { .threads = 3 };
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_traffic_build(pattern, &problem->topology, false,
                                    &traffic, &error) == NB_OK &&
                       nb_turn_flows_find(&problem->routing, &traffic, NULL,
                                          &flows, &error) == NB_OK &&
                       nb_turn_flows_find(&problem->routing, &traffic, &three,
                                          &other, &error) == NB_OK,
                   "%s, %s: %s", name, pattern, error.message);
    const size_t count = flows.start[flows.channel_count + flows.router_count];
    double *turns = nb_new_array(count, sizeof *turns);
    assert_non_null(turns);
    assert_memory_equal(flows.flow, other.flow, count * sizeof(double));
    TOPOLOGY_CHECK(flows.relative_error > 0 && flows.relative_error < 1e-9,
                   "%s, %s: error %g", name, pattern, flows.relative_error);
    turn_walk_all(problem, name, &traffic, &flows, turns);
    for (size_t i = 0; i < count; i++)
        TOPOLOGY_CHECK(fabs(turns[i] - flows.flow[i]) <= 1e-12 * turns[i],
                       "%s, %s: turn %zu: %.17g, not %.17g", name, pattern, i,
                       flows.flow[i], turns[i]);
    turn_check_loads(problem, name, &traffic, &flows);
    nb_delete(turns);
    nb_turn_flows_release(&other);
    nb_turn_flows_release(&other);
    nb_turn_flows_release(&flows);
    nb_traffic_release(&traffic);
}

static void turn_check(const struct problem *problem, const char *name)
{
    const struct nb_routing *routing = &problem->routing;
    if (routing->phase != NULL || routing->kind->is_adaptive ||
        problem->topology.router_count > 32)
        return;
    turn_check_traffic(problem, name, "uniform");
    turn_check_traffic(problem, name, "random-permutation:seed=5");
}

static void test_examples_agree_with_walks(void **state)
{
    (void)state;
    problem_each_example(turn_check);
}

/* Dimension order on a 3x3 mesh, all to all at 1/9 per pair: x comes first, so
 * only packets of routers 0 and 1 use channel 1>2, each to the 3 routers of
 * column 2; those of 0 come over channel 0>1. */
static void test_turns_of_a_mesh(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    struct nb_turn_flows flows = { 0 };
    problem_open(&problem, "mesh:3x3", "dor");
    const struct nb_topology *topology = &problem.topology;
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_turn_flows_find(&problem.routing, &traffic, NULL, &flows, NULL),
        NB_OK);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t source = topology->channels[c].source;
        if (source != 1 || topology->channels[c].target != 2)
            continue;
        for (size_t i = flows.start[c]; i < flows.start[c + 1]; i++) {
            const size_t from = topology->in_start[1] + i - flows.start[c];
            const bool is_terminal = i + 1 == flows.start[c + 1];
            const bool is_ahead =
                !is_terminal &&
                topology->channels[topology->in_channel[from]].source == 0;
            const double expected = is_terminal || is_ahead ? 1.0 / 3 : 0;
            assert_true(fabs(flows.flow[i] - expected) < 1e-14);
        }
    }
    nb_turn_flows_release(&flows);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    problem_open(&problem, "ring:5", "min");
    assert_int_equal(
        nb_traffic_build("uniform", &problem.topology, false, &traffic, NULL),
        NB_OK);
    const long blocks = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_turn_flows flows;
        nb_memory_allow(allowed);
        status =
            nb_turn_flows_find(&problem.routing, &traffic, NULL, &flows, NULL);
        nb_memory_allow(-1);
        nb_turn_flows_release(&flows);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 5);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples_agree_with_walks),
        cmocka_unit_test(test_turns_of_a_mesh),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
