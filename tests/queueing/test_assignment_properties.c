/* The routing of least mean latency against the method of Frank and Wolfe,
 * which is slow but independent of ours, and against schemes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/random.h"
#include "load/channel_loads.h"
#include "queueing/assignment.h"

#include <math.h>
#include <stdio.h>

enum { ASSIGNMENT_CHANNELS = 64, ASSIGNMENT_ROUTERS = 64 };

/* The slow method. */
struct slow {
    const struct nb_topology *topology;
    const struct nb_traffic *traffic;
    double rate, constant, total;
    double load[ASSIGNMENT_CHANNELS], price[ASSIGNMENT_CHANNELS];
    double target[ASSIGNMENT_CHANNELS];
    double lower, upper;
};

static double slow_band(const struct slow *slow, size_t c)
{
    return nb_ratio_value(slow->topology->channels[c].bandwidth);
}

static double slow_latency(const struct slow *slow, const double *load)
{
    double sum = 0;
    for (size_t c = 0; c < slow->topology->channel_count; c++) {
        const double band = slow_band(slow, c);
        const double rho = slow->rate * load[c] / band;
        if (rho >= 1)
            return INFINITY;
        sum += load[c] * (1 + (rho / (2 * (1 - rho)) + slow->constant) / band);
    }
    return sum / slow->total;
}

/* Puts all of every demand on a path of least price, by Bellman and Ford.
 * Returns the total cost. */
static double slow_fill(struct slow *slow)
{
    const struct nb_topology *topology = slow->topology;
    const size_t n = topology->router_count;
    double distance[ASSIGNMENT_ROUTERS], cost = 0;
    uint32_t next[ASSIGNMENT_ROUTERS];
    for (size_t c = 0; c < topology->channel_count; c++)
        slow->target[c] = 0;
    for (uint32_t t = 0; t < n; t++) {
        for (size_t r = 0; r < n; r++)
            distance[r] = r == t ? 0 : INFINITY;
        for (size_t pass = 0; pass < n; pass++)
            for (uint32_t c = 0; c < topology->channel_count; c++) {
                const struct nb_channel *channel = &topology->channels[c];
                const double way = slow->price[c] + distance[channel->target];
                if (way < distance[channel->source]) {
                    distance[channel->source] = way;
                    next[channel->source] = c;
                }
            }
        for (size_t d = 0; d < slow->traffic->demand_count; d++) {
            const struct nb_demand *demand = &slow->traffic->demands[d];
            const double flow =
                (double)demand->weight / (double)slow->traffic->denominator;
            for (uint32_t r = demand->source; demand->target == t && r != t;
                 r = topology->channels[next[r]].target)
                slow->target[next[r]] += flow;
            cost += demand->target == t ? flow * distance[demand->source] : 0;
        }
    }
    return cost;
}

/* The fraction of the step to the target loads that costs least, by
 * bisection. */
static double slow_search(const struct slow *slow)
{
    double low = 0, high = 1, load[ASSIGNMENT_CHANNELS];
    for (int i = 0; i < 100; i++) {
        const double part = (low + high) / 2;
        double slope = 0;
        for (size_t c = 0; c < slow->topology->channel_count; c++) {
            const double band = slow_band(slow, c);
            load[c] = slow->load[c] + part * (slow->target[c] - slow->load[c]);
            const double rho = slow->rate * load[c] / band;
            const double free = 1 - rho;
            const double marginal =
                (1 / (free * free) - 1) / 2 + slow->constant;
            slope += (rho < 1 ? 1 + marginal / band : 1e300) *
                     (slow->target[c] - slow->load[c]);
        }
        *(slope < 0 ? &low : &high) = part;
    }
    return low;
}

/* The method of Frank and Wolfe, from shortest paths at no load. */
static void slow_solve(struct slow *slow, int rounds)
{
    const size_t channels = slow->topology->channel_count;
    for (size_t c = 0; c < channels; c++)
        slow->price[c] = 1;
    slow_fill(slow);
    for (size_t c = 0; c < channels; c++)
        slow->load[c] = slow->target[c];
    slow->lower = 0;
    for (int round = 0; round < rounds; round++) {
        double here = 0;
        for (size_t c = 0; c < channels; c++) {
            const double band = slow_band(slow, c);
            const double free = 1 - slow->rate * slow->load[c] / band;
            slow->price[c] =
                1 + ((1 / (free * free) - 1) / 2 + slow->constant) / band;
            here += slow->price[c] * slow->load[c];
        }
        const double there = slow_fill(slow);
        slow->upper = slow_latency(slow, slow->load);
        slow->lower =
            fmax(slow->lower, slow->upper + (there - here) / slow->total);
        const double part = slow_search(slow);
        for (size_t c = 0; c < channels; c++)
            slow->load[c] += part * (slow->target[c] - slow->load[c]);
    }
}

/* Every demand is divided completely, each path leads from its source to its
 * target, and the loads are those of the paths. */
static void assignment_check_paths(const struct nb_topology *topology,
                                   const struct nb_traffic *traffic,
                                   const struct nb_assignment *found)
{
    double load[ASSIGNMENT_CHANNELS] = { 0 };
    size_t demands = 0;
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        double share = 0;
        for (size_t p = 0; p < found->path_count; p++) {
            const struct nb_assignment_path *path = &found->path[p];
            uint32_t router = path->source;
            if (path->source != demand->source ||
                path->target != demand->target)
                continue;
            share += path->share;
            for (size_t i = path->first; i < path->first + path->length; i++) {
                const uint32_t channel = found->channel[i];
                assert_int_equal(topology->channels[channel].source, router);
                router = topology->channels[channel].target;
                load[channel] += path->share * (double)demand->weight /
                                 (double)traffic->denominator;
            }
            assert_int_equal(router, path->target);
        }
        demands += demand->source != demand->target;
        assert_true(demand->source == demand->target ||
                    fabs(share - 1) < 1e-12);
    }
    for (size_t c = 0; c < topology->channel_count; c++)
        assert_true(fabs(load[c] - found->load[c].lower) < 1e-12);
    assert_true(found->path_count >= demands);
}

static void assignment_compare(const struct nb_topology *topology,
                               const struct nb_traffic *traffic,
                               struct nb_mean_delay delay, double rate,
                               const char *name)
{
    struct slow slow = {
        .topology = topology,
        .traffic = traffic,
        .rate = rate,
        .constant = delay.constant,
        .total = nb_latency_total(traffic, topology).lower,
    };
    struct nb_assignment found;
    assert_int_equal(nb_assignment_find(topology, traffic, delay,
                                        nb_enclosure_of_double(rate), NULL,
                                        &found, NULL),
                     NB_OK);
    slow_solve(&slow, 400);
    TOPOLOGY_CHECK(found.latency.lower <= found.latency.upper &&
                       found.latency.upper - found.latency.lower <=
                           1e-9 * found.latency.upper &&
                       slow.lower <= found.latency.upper * (1 + 1e-12) &&
                       found.latency.lower <= slow.upper * (1 + 1e-12) &&
                       slow.upper - slow.lower <= 0.02 * slow.upper,
                   "%s, rate %.17g: [%.17g, %.17g], Frank-Wolfe [%.17g, %.17g]",
                   name, rate, found.latency.lower, found.latency.upper,
                   slow.lower, slow.upper);
    assignment_check_paths(topology, traffic, &found);
    nb_assignment_release(&found);
}

/* Random permutations at random rates that a start on shortest paths can
 * carry. */
static void test_against_frank_wolfe(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "ring:5",
        "mesh:3x3",
        "torus:3x4",
        "complete:5",
        "mesh:4x2,bandwidth=3/2",
    };
    struct nb_random random;
    nb_random_init(&random, 11, 0);
    for (int trial = 0; trial < 25; trial++) {
        const char *network = networks[trial % 5];
        struct nb_topology topology;
        struct nb_traffic traffic;
        char pattern[64];
        snprintf(pattern, sizeof pattern, "random-permutation:seed=%d", trial);
        topology_must_build(network, &topology);
        assert_int_equal(
            nb_traffic_build(pattern, &topology, false, &traffic, NULL), NB_OK);
        struct slow slow = { .topology = &topology,
                             .traffic = &traffic,
                             .total = 1 };
        slow_solve(&slow, 1);
        double most = 0;
        for (size_t c = 0; c < topology.channel_count; c++)
            most = fmax(most, slow.target[c] / slow_band(&slow, c));
        if (most > 0)
            assignment_compare(&topology, &traffic,
                               trial % 2 ? nb_delay_singh
                                         : nb_delay_pollaczek_khinchine,
                               0.9 * nb_random_unit(&random) / most, network);
        nb_traffic_release(&traffic);
        nb_topology_release(&topology);
    }
}

/* Any scheme is one of the routings that the lower bound is for. */
static void test_no_scheme_is_better(void **state)
{
    (void)state;
    static const char *const schemes[] = { "min", "dor", "val", "rlb" };
    const struct nb_enclosure rate = nb_enclosure_of_double(0.6);
    struct nb_assignment best = { 0 };
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        struct problem problem;
        struct nb_traffic traffic;
        struct nb_channel_loads loads;
        double latency = 0;
        problem_open(&problem, "torus:4x4", schemes[s]);
        assert_int_equal(nb_traffic_build("tornado", &problem.topology, false,
                                          &traffic, NULL),
                         NB_OK);
        if (s == 0)
            assert_int_equal(nb_assignment_find(&problem.topology, &traffic,
                                                nb_delay_pollaczek_khinchine,
                                                rate, NULL, &best, NULL),
                             NB_OK);
        assert_int_equal(nb_channel_loads_find(&problem.routing, &traffic, NULL,
                                               &loads, NULL),
                         NB_OK);
        for (size_t c = 0; c < loads.channel_count; c++)
            latency += loads.load[c].upper / 16 *
                       (1 + nb_mean_delay_at(nb_delay_pollaczek_khinchine,
                                             0.6 * loads.load[c].upper));
        TOPOLOGY_CHECK(best.latency.lower <= latency * (1 + 1e-12),
                       "%s: %.17g below %.17g", schemes[s], latency,
                       best.latency.lower);
        nb_channel_loads_release(&loads);
        nb_traffic_release(&traffic);
        problem_close(&problem);
    }
    nb_assignment_release(&best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_frank_wolfe),
        cmocka_unit_test(test_no_scheme_is_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
