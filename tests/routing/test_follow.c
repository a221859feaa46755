/* Drawn paths: their frequencies compared with exact walks on the examples of
 * every scheme, and a check that the scheme can take each path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "routing/follow.h"
#include "topology/metrics.h"

#include <math.h>
#include <string.h>

/* Paths drawn for each example, over all pairs. */
enum { FOLLOW_PATHS = 40000 };

/* The expected values for one example's paths. */
struct follow_check {
    const struct nb_routing *routing;
    const char *name;
    struct nb_follow follow;
    struct walk walk;
    struct nb_random random;
    struct nb_ratio *expected; /* [channel] of the pair */
    uint32_t *crossed;         /* [channel] by the pair's paths */
    uint32_t *visits;          /* [router] by one path */
    uint32_t *distance;
    /* Over all cells (pair, channel): squared deviations over variances, the
     * number of cells, and the root of the variance of the sum. */
    double squares, cells, spread;
};

static void follow_open(struct follow_check *check,
                        const struct nb_routing *routing, const char *name)
{
    const size_t n = routing->topology->router_count;
    const size_t channels = routing->topology->channel_count;
    *check = (struct follow_check){ .routing = routing, .name = name };
    assert_int_equal(nb_follow_init(routing, &check->follow, NULL), NB_OK);
    walk_open(&check->walk, routing, name);
    nb_random_init(&check->random, 2002, 1);
    check->expected = nb_new_array(channels, sizeof *check->expected);
    check->crossed = nb_new_array(channels, sizeof *check->crossed);
    check->visits = nb_new_array(n, sizeof *check->visits);
    check->distance = nb_new_array(n, sizeof *check->distance);
    assert_true(check->expected != NULL && check->crossed != NULL &&
                check->visits != NULL && check->distance != NULL);
}

static void follow_close(struct follow_check *check)
{
    nb_follow_release(&check->follow);
    nb_follow_release(&check->follow);
    walk_close(&check->walk);
    nb_delete(check->expected);
    nb_delete(check->crossed);
    nb_delete(check->visits);
    nb_delete(check->distance);
}

/* One drawn path: it goes from router to router, ends at the destination, no
 * phase meets a router twice (nor do paths up and down a tree), and it is
 * shortest if the scheme says so. */
static size_t follow_draw(struct follow_check *check, uint32_t source,
                          uint32_t destination)
{
    const struct nb_topology *topology = check->routing->topology;
    const struct nb_routing *routing = check->routing;
    const uint32_t phases =
        routing->phase != NULL || routing->leaves_source ? 2 : 1;
    struct nb_error error = { 0 };
    uint32_t at = source;
    size_t length;
    TOPOLOGY_CHECK(nb_follow_draw(&check->follow, &check->random, &length,
                                  &error) == NB_OK,
                   "%s: %s", check->name, error.message);
    TOPOLOGY_CHECK(length <= check->follow.most_length, "%s: %zu hops",
                   check->name, length);
    memset(check->visits, 0, topology->router_count * sizeof *check->visits);
    check->visits[source] = 1;
    for (size_t h = 0; h < length; h++) {
        const uint32_t c = check->follow.channel[h];
        TOPOLOGY_CHECK(c < topology->channel_count &&
                           topology->channels[c].source == at,
                       "%s: %u to %u: channel %u at %u", check->name, source,
                       destination, c, at);
        at = topology->channels[c].target;
        check->visits[at]++;
        TOPOLOGY_CHECK(check->visits[at] <= phases,
                       "%s: %u to %u: %u times at %u", check->name, source,
                       destination, check->visits[at], at);
    }
    TOPOLOGY_CHECK(at == destination, "%s: %u to %u ended at %u", check->name,
                   source, destination, at);
    TOPOLOGY_CHECK(
        !check->routing->is_minimal || length == check->distance[source],
        "%s: %u to %u: %zu hops", check->name, source, destination, length);
    return length;
}

/* Adds a pair's cells. Crossings are 0, 1 or, with two phases, 2. With mean p
 * their variance is p (1 - p), or at most p (2 - p). */
static void follow_compare(struct follow_check *check, uint32_t source,
                           uint32_t destination, double paths)
{
    const double most = nb_follow_most_crossings(check->routing);
    for (size_t c = 0; c < check->routing->topology->channel_count; c++) {
        const double p = nb_ratio_value(check->expected[c]);
        const double variance = paths * p * (most - p);
        const double deviation = check->crossed[c] - paths * p;
        if (variance > 0) {
            check->squares += deviation * deviation / variance;
            check->cells++;
            /* The variance of a binomial's square is below 2 + 1/variance;
             * those of one pair are correlated. */
            check->spread += sqrt(2 + 1 / variance);
        } else {
            TOPOLOGY_CHECK(deviation == 0, "%s: %u to %u: %u of %g on %zu",
                           check->name, source, destination, check->crossed[c],
                           paths, c);
        }
    }
}

static void follow_check_pair(struct follow_check *check, uint32_t source,
                              uint32_t destination, uint32_t paths)
{
    const size_t channels = check->routing->topology->channel_count;
    uint32_t longest;
    walk_pair(&check->walk, source, destination, check->expected, &longest);
    memset(check->crossed, 0, channels * sizeof *check->crossed);
    nb_follow_pair(&check->follow, source, destination);
    for (uint32_t p = 0; p < paths; p++) {
        const size_t length = follow_draw(check, source, destination);
        TOPOLOGY_CHECK(length <= longest, "%s: %u to %u: %zu hops, not %u",
                       check->name, source, destination, length, longest);
        TOPOLOGY_CHECK(length == 0 ||
                           nb_follow_moves(check->routing, source, destination),
                       "%s: %u to %u moves", check->name, source, destination);
        for (size_t h = 0; h < length; h++)
            check->crossed[check->follow.channel[h]]++;
    }
    follow_compare(check, source, destination, paths);
}

/* The mean of the sum of squares over variances is the number of cells (less if
 * two phases vary less than they could). Pairs are independent, so five times
 * the root of the sum of their variances is practically never reached by
 * chance. */
static void follow_check_example(const struct problem *problem,
                                 const char *name)
{
    const uint32_t n = (uint32_t)problem->topology.router_count;
    const uint32_t paths = FOLLOW_PATHS / (n * n) + 20;
    struct follow_check check;
    double variance = 0;
    if (problem->routing.is_progressive) /* where it turns depends on queues */
        return;
    follow_open(&check, &problem->routing, name);
    for (uint32_t j = 0; j < n; j++) {
        walk_shortest(&problem->topology, j, check.distance);
        for (uint32_t i = 0; i < n; i++) {
            if (!walk_has_pair(&problem->routing, i, j))
                continue;
            check.spread = 0;
            follow_check_pair(&check, i, j, paths);
            variance += check.spread * check.spread;
        }
    }
    TOPOLOGY_CHECK(check.squares <= check.cells + 5 * sqrt(variance),
                   "%s: %g for %g cells, at most %g more", name, check.squares,
                   check.cells, 5 * sqrt(variance));
    follow_close(&check);
}

static void test_frequencies_agree_with_walks(void **state)
{
    (void)state;
    problem_each_example(follow_check_example);
}

/* More shortest paths than 2^62: hops are drawn by share. Of all paths from
 * corner to corner, the fraction side / (sum of sides) begins along each side,
 * and the same fraction ends along it. */
static void test_shares(void **state)
{
    (void)state;
    enum { PATHS = 3000 };
    static const uint32_t side[] = { 39, 19, 24 }, stride[] = { 1, 40, 800 };
    const char *const name = "min@mesh:40x20x25";
    struct problem problem;
    struct follow_check check;
    problem_open_example(&problem, name);
    const struct nb_topology *topology = &problem.topology;
    const uint32_t last = (uint32_t)topology->router_count - 1;
    double first_hops[3] = { 0 }, last_hops[3] = { 0 };
    follow_open(&check, &problem.routing, name);
    walk_shortest(topology, last, check.distance);
    nb_follow_pair(&check.follow, 0, last);
    for (size_t p = 0; p < PATHS; p++) {
        const size_t length = follow_draw(&check, 0, last);
        const uint32_t begin = check.follow.channel[0];
        const uint32_t end = check.follow.channel[length - 1];
        for (size_t d = 0; d < 3; d++) {
            first_hops[d] += topology->channels[begin].target == stride[d];
            last_hops[d] += topology->channels[end].source == last - stride[d];
        }
    }
    for (size_t d = 0; d < 3; d++) {
        const double share = side[d] / 82.0;
        const double slack = 5 * sqrt(share * (1 - share) / PATHS);
        TOPOLOGY_CHECK(fabs(first_hops[d] / PATHS - share) < slack &&
                           fabs(last_hops[d] / PATHS - share) < slack,
                       "%s: %g and %g along side %zu of %d", name,
                       first_hops[d], last_hops[d], d, PATHS);
    }
    follow_close(&check);
    problem_close(&problem);
}

/* If not all tables fit, two routers alternate in one place. */
static void test_tables_that_do_not_fit(void **state)
{
    (void)state;
    const char *const name = "min@torus:64x64";
    struct problem problem;
    struct follow_check check;
    problem_open_example(&problem, name);
    const uint32_t n = (uint32_t)problem.topology.router_count;
    follow_open(&check, &problem.routing, name);
    const uint32_t places = (uint32_t)check.follow.tables.count;
    assert_true(places > 1 && places < n);
    for (uint32_t trial = 0; trial < 6; trial++) {
        const uint32_t j = 7 + trial % 2 * places, i = (j + 1000) % n;
        walk_shortest(&problem.topology, j, check.distance);
        nb_follow_pair(&check.follow, i, j);
        follow_draw(&check, i, j);
    }
    follow_close(&check);
    problem_close(&problem);
}

/* A scheme that never arrives. */
static size_t follow_step_round(const struct nb_routing *routing,
                                const struct nb_route_table *table,
                                nb_route_state state, uint32_t router,
                                uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    (void)destination;
    hops[0] = (struct nb_hop){ .channel = routing->topology->out_start[router],
                               .next = state,
                               .weight = 1,
                               .share = 1 };
    return 1;
}

static void test_circles_are_refused(void **state)
{
    (void)state;
    const struct nb_routing_kind kind = { .kind = { .name = "round" },
                                          .step = follow_step_round };
    struct nb_topology topology;
    struct nb_follow follow;
    struct nb_random random;
    struct nb_error error = { 0 };
    size_t length;
    topology_must_build("ring:5", &topology);
    const struct nb_routing routing = { .kind = &kind,
                                        .topology = &topology,
                                        .state_count = 1,
                                        .most_starts = 1,
                                        .start_total = 1,
                                        .most_hops = 1 };
    assert_int_equal(nb_follow_init(&routing, &follow, NULL), NB_OK);
    nb_random_init(&random, 1, 1);
    nb_follow_pair(&follow, 3, 1);
    assert_int_equal(nb_follow_draw(&follow, &random, &length, &error),
                     NB_INVALID);
    assert_string_equal(error.message, "routing round loops "
                                       "from router 3 to router 1");
    nb_follow_release(&follow);
    nb_topology_release(&topology);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const names[] = { "rlb@torus:4x3", "val@ccc:3",
                                         "min@complete:4" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct problem problem;
        struct nb_random random;
        problem_open_example(&problem, names[k]);
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        for (; status == NB_NO_MEMORY && allowed < 100; allowed++) {
            struct nb_follow follow = { 0 };
            size_t length;
            nb_random_init(&random, 1, 1);
            nb_memory_allow(allowed);
            status = nb_follow_init(&problem.routing, &follow, NULL);
            if (status == NB_OK) {
                nb_follow_pair(&follow, 0, 2);
                status = nb_follow_draw(&follow, &random, &length, NULL);
            }
            nb_memory_allow(-1);
            nb_follow_release(&follow);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations", names[k], allowed);
        }
        TOPOLOGY_CHECK(status == NB_OK && allowed > 3, "%s", names[k]);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequencies_agree_with_walks),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_tables_that_do_not_fit),
        cmocka_unit_test(test_circles_are_refused),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
