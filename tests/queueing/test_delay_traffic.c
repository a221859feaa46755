/* Delays of any traffic in fat trees, compared with a computation of every
 * pair's path by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "queueing/delay_paths.h"
#include "core/memory.h"
#include "load/turn_flows.h"
#include "queueing/inputs.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <string.h>

enum { REACH = 60 };

static const struct nb_arrivals bernoulli = { .kind = NB_ARRIVE_BERNOULLI };

/* A traffic at a load, with the contribution of each channel's inputs to it. */
struct delay_case {
    const char *tree, *routing, *traffic;
    struct problem problem;
    struct nb_traffic matrix;
    struct nb_turn_flows turns;
    struct nb_queue_load load;
    double sum[REACH + 1]; /* of rates times P(D = d) */
    double total;
};

static void case_open(struct delay_case *test)
{
    struct nb_error error = { 0 };
    problem_open(&test->problem, test->tree, test->routing);
    TOPOLOGY_CHECK(nb_traffic_build(test->traffic, &test->problem.topology,
                                    true, &test->matrix, &error) == NB_OK &&
                       nb_turn_flows_find(&test->problem.routing, &test->matrix,
                                          NULL, &test->turns, &error) == NB_OK,
                   "%s: %s", test->traffic, error.message);
}

static void case_close(struct delay_case *test)
{
    nb_turn_flows_release(&test->turns);
    nb_traffic_release(&test->matrix);
    problem_close(&test->problem);
}

/* Adds a queue's length to D. Its inputs are the turns into one channel, of
 * `ways` channels that are counted together; the last flow is that of k
 * terminals. */
static void case_add_queue(const struct delay_case *test, size_t way,
                           uint32_t ways, double *distribution)
{
    const uint32_t k = test->problem.topology.tree.arity;
    const size_t start = test->turns.start[way],
                 end = test->turns.start[way + 1];
    struct nb_ratio p[64], sum;
    struct nb_distribution queue = { 0 };
    double next[REACH + 1] = { 0 };
    size_t count = 0;
    for (size_t i = start; i < end; i++) {
        const uint32_t alike = i + 1 == end ? k : 1;
        const double part =
            test->turns.flow[i] / ways / alike * test->load.rho.high * 0x1p45;
        for (uint32_t j = 0; j < alike; j++)
            p[count++] = nb_ratio_make(llround(part), (nb_int128)1 << 45);
    }
    assert_int_equal(nb_inputs_sum(p, count, &sum, NULL), NB_OK);
    const struct nb_arrivals arrivals = { .probabilities = p,
                                          .probability_count = count };
    assert_int_equal(
        nb_arrivals_law(&arrivals, nb_load_of_ratio(sum), &queue, NULL), NB_OK);
    for (int n = 0; n <= REACH; n++)
        for (int m = 0; m <= n; m++)
            next[n] +=
                distribution[n - m] * (double)nb_distribution_mass(&queue, m);
    memcpy(distribution, next, sizeof next);
    nb_distribution_release(&queue);
}

/* A channel from one router to another. */
static uint32_t case_channel(const struct nb_topology *topology,
                             uint32_t router, bool is_up, uint32_t digit)
{
    const uint32_t k = topology->tree.arity;
    return is_up ? topology->out_start[router + 1] - k + digit
                 : topology->out_start[router] + digit;
}

/* Adds one path of a pair's packets, and the distribution of their delay. */
static void case_add_pair(struct delay_case *test, uint32_t source,
                          uint32_t target, double rate)
{
    const struct nb_topology *topology = &test->problem.topology;
    const struct nb_tree *tree = &topology->tree;
    const bool is_by_root = strcmp(test->routing, "rrr") == 0;
    double distribution[REACH + 1] = { 1 };
    uint32_t level = 0, top = is_by_root ? tree->levels - 1 : 0, hops = 1;
    uint32_t router = source, power = 1;
    for (uint32_t s = source, d = target; !is_by_root && s != d; top++) {
        s /= tree->arity;
        d /= tree->arity;
    }
    for (; level < top; level++, hops++, power *= tree->arity) {
        const uint32_t channel = case_channel(topology, router, true,
                                              (source + target) % tree->arity);
        case_add_queue(test, channel, 1, distribution);
        router = topology->channels[channel].target;
    }
    for (; level > 0; level--, hops++) {
        power /= tree->arity;
        const uint32_t channel =
            case_channel(topology, router, false, target / power % tree->arity);
        case_add_queue(test, channel, 1, distribution);
        router = topology->channels[channel].target;
    }
    assert_int_equal(router, target);
    case_add_queue(test, topology->channel_count + router, tree->arity,
                   distribution);
    for (uint32_t d = hops; d <= REACH; d++)
        test->sum[d] += rate * distribution[d - hops];
    test->total += rate;
}

static void case_add_pairs(struct delay_case *test)
{
    const struct nb_topology *topology = &test->problem.topology;
    uint64_t *rate = nb_new_array(topology->router_count, sizeof *rate);
    assert_non_null(rate);
    for (uint32_t d = 0; d < topology->tree.words; d++) {
        assert_int_equal(
            nb_traffic_column(&test->matrix, topology, d, rate, NULL), NB_OK);
        for (uint32_t s = 0; s < topology->tree.words; s++)
            if (rate[s] > 0)
                case_add_pair(test, s, d, (double)rate[s]);
    }
    nb_delete(rate);
}

static void case_check(const struct delay_case *test)
{
    struct nb_delay_paths paths = { 0 };
    struct nb_error error = { 0 };
    double tail = 1;
    TOPOLOGY_CHECK(nb_delay_paths_traffic(test->tree, test->traffic,
                                          strcmp(test->routing, "rrr") == 0,
                                          test->load, &bernoulli, &paths,
                                          &error) == NB_OK &&
                       nb_delay_paths_solve(&paths, false, &error) == NB_OK &&
                       nb_delay_convolve(&paths.delay, REACH, &error) == NB_OK,
                   "%s, %s: %s", test->tree, test->traffic, error.message);
    for (int d = 0; d <= REACH; d++) {
        const struct nb_bracket found = nb_delay_tail(&paths.delay, d);
        TOPOLOGY_CHECK(fabs(found.lower - tail) < 1e-11 &&
                           found.upper - found.lower < 1e-12,
                       "%s, %s, %s, load %g, d %d: [%.17g, %.17g], not %.17g",
                       test->tree, test->routing, test->traffic,
                       test->load.rho.high, d, found.lower, found.upper, tail);
        tail -= test->sum[d] / test->total;
    }
    nb_delay_paths_release(&paths);
}

static void test_pairs_one_by_one(void **state)
{
    static const struct {
        const char *tree, *traffic;
        int percent;
    } cases[] = {
        { "fattree:k=2,n=2", "bit-complement", 70 },
        { "fattree:k=2,n=2", "tornado", 50 },
        { "fattree:k=2,n=4", "random-permutation:seed=4", 80 },
        { "fattree:k=2,n=4", "hot-spot:nodes=3,share=1/9", 55 },
        { "fattree:k=3,n=3", "random-permutation:seed=2", 75 },
        { "fattree:k=3,n=3", "neighbour", 60 },
        { "fattree:k=3,n=3",
          "hot-spot:nodes=0+5,share=1/4,background=random-permutation", 40 },
        { "fattree:k=4,n=2", "hot-spot:nodes=1,share=1/3", 45 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int by_root = 0; by_root < 2; by_root++) {
            struct delay_case test = { .tree = cases[i].tree,
                                       .routing = by_root ? "rrr" : "rcar",
                                       .traffic = cases[i].traffic };
            test.load = nb_load_of_ratio(nb_ratio_make(cases[i].percent, 100));
            case_open(&test);
            case_add_pairs(&test);
            case_check(&test);
            case_close(&test);
        }
}

/* Every kind of queue is found once, regardless of the number of channels. */
static void test_queues_are_found_once(void **state)
{
    struct nb_delay_paths paths = { 0 };
    const struct nb_queue_load load = nb_load_of_ratio(nb_ratio_make(1, 2));
    (void)state;
    assert_int_equal(nb_delay_paths_traffic("fattree:k=4,n=4", "bit-complement",
                                            false, load, &bernoulli, &paths,
                                            NULL),
                     NB_OK);
    /* All packets turn at the roots, so all channels of a height are
     * equivalent: three heights up, and four down. */
    assert_int_equal(paths.queue_count, 7);
    for (size_t i = 0; i < paths.queue_count; i++)
        assert_int_equal(
            nb_ratio_compare(paths.queues[i].load.exact, nb_ratio_make(1, 2)),
            0);
    assert_int_equal(paths.delay.path_count, 4);
    assert_int_equal(paths.delay.paths[3].mix.share_count, 1);
    assert_int_equal(paths.delay.paths[3].weight.numerator, 1);
    nb_delay_paths_release(&paths);
}

/* Rates above what a queue or a terminal's own channel carries saturate. */
static void test_saturation(void **state)
{
    static const struct {
        const char *traffic;
        int64_t load;
        bool is_saturated;
    } cases[] = {
        { "tornado", 999, false },
        { "tornado", 1000, true },
        { "neighbour", 999, false },
        { "neighbour", 1000, true },
        { "hot-spot:nodes=1,share=1", 111, false }, /* of 9 leaves */
        { "hot-spot:nodes=1,share=1", 112, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_delay_paths paths = { 0 };
        const struct nb_queue_load load =
            nb_load_of_ratio(nb_ratio_make(cases[i].load, 1000));
        bool is_saturated;
        assert_int_equal(nb_delay_paths_traffic("fattree:k=3,n=3",
                                                cases[i].traffic, false, load,
                                                &bernoulli, &paths, NULL),
                         NB_OK);
        is_saturated = paths.is_saturated;
        for (size_t q = 0; q < paths.queue_count; q++)
            is_saturated = is_saturated || paths.queues[q].load.idle.high <= 0;
        TOPOLOGY_CHECK(is_saturated == cases[i].is_saturated, "%s at %d",
                       cases[i].traffic, (int)cases[i].load);
        nb_delay_paths_release(&paths);
    }
}

static void test_failing_memory(void **state)
{
    const struct nb_queue_load load = nb_load_of_ratio(nb_ratio_make(2, 5));
    const long live = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_delay_paths paths = { 0 };
        nb_memory_allow(allowed);
        status = nb_delay_paths_traffic("fattree:k=2,n=3",
                                        "hot-spot:nodes=1,share=1/3", false,
                                        load, &bernoulli, &paths, NULL);
        if (status == NB_OK)
            status = nb_delay_paths_solve(&paths, true, NULL);
        if (status == NB_OK)
            status = nb_delay_convolve(&paths.delay, 20, NULL);
        nb_memory_allow(-1);
        nb_delay_paths_release(&paths);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == live, "%ld allowed: leaks",
                       allowed);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_one_by_one),
        cmocka_unit_test(test_queues_are_found_once),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
