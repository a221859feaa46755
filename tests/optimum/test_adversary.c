/* The worst permutation found, against all permutations and against bounds that
 * hold for every one. */
#include "support/adversary_case.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "support/walk.h"
#include "bounds/cuts/capacity.h"
#include "bounds/worst_case/necessary_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void exchange(uint32_t *permutation, size_t a, size_t b)
{
    const uint32_t old = permutation[a];
    permutation[a] = permutation[b];
    permutation[b] = old;
}

/* The next permutation in lexicographic order; false after the last. */
static bool permutation_next(size_t n, uint32_t *permutation)
{
    size_t tail = n - 1, last = n - 1;
    while (tail > 0 && permutation[tail - 1] >= permutation[tail])
        tail--;
    if (tail == 0)
        return false;
    while (permutation[last] <= permutation[tail - 1])
        last--;
    exchange(permutation, tail - 1, last);
    for (size_t a = tail, b = n - 1; a < b; a++, b--)
        exchange(permutation, a, b);
    return true;
}

static void compare_with_all(const struct adversary_case *network,
                             const char *name)
{
    enum { STARTS = 6, SIDES = 6 };
    struct nb_adversary found = { 0 };
    struct nb_enclosure least = nb_enclosure_of_ratio(nb_ratio_infinity);
    uint32_t permutation[SIDES];
    adversary_must_find(network, name, STARTS, &found);
    assert_true(found.sides.count <= SIDES);
    for (uint32_t s = 0; s < found.sides.count; s++)
        permutation[s] = s;
    do
        least = nb_enclosure_least(
            least,
            adversary_case_optimum(network, &found.sides, permutation, NULL));
    while (permutation_next(found.sides.count, permutation));
    ratio_must_equal(found.best.throughput.exact, least.exact, name);
    nb_adversary_release(&found);
    nb_adversary_release(&found);
}

static void finds_the_worst_of_all_permutations(void **state)
{
    (void)state;
    static const char *const topologies[] = { "ring:5", "mesh:2x3",
                                              "torus:2x3,terminals=2",
                                              "complete:4" };
    for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++)
        for (int p = 0; p < 2; p++) {
            struct adversary_case network;
            adversary_case_open(&network, topologies[k], adversary_paths[p]);
            compare_with_all(&network, topologies[k]);
            adversary_case_close(&network);
        }
}

static void finds_the_worst_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct adversary_case network;
        char name[60];
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        adversary_case_open_random(&network, seed, 5,
                                   adversary_paths[seed % 2]);
        compare_with_all(&network, name);
        adversary_case_close(&network);
    }
}

/* The bound on every minimal routing, which the second start reaches. */
static struct nb_ratio necessary_bound(const struct nb_topology *topology)
{
    struct nb_routing routing = { 0 };
    struct nb_necessary_case found = { 0 };
    assert_int_equal(nb_routing_build("any-minimal", topology, &routing, NULL),
                     NB_OK);
    assert_int_equal(nb_necessary_case_find(&routing, NULL, &found, NULL),
                     NB_OK);
    const struct nb_ratio throughput = found.throughput.exact;
    nb_necessary_case_release(&found);
    nb_routing_release(&routing);
    return throughput;
}

static void is_not_above_the_necessary_bound(void **state)
{
    (void)state;
    static const char *const topologies[] = {
        "ring:8",
        "ring:7,terminals=3",
        "torus:8x8",
        "torus:5x4",
        "mesh:4x4,bandwidth=3/7",
        "mesh:5x3,terminals=2",
        "ccc:3",
        "ccc:4",
        "complete:8",
        "hypercube:4",
        "fattree:k=2,n=3",
        "dragonfly:h=1",
    };
    for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++) {
        const char *name = topologies[k];
        struct adversary_case network;
        struct nb_adversary found = { 0 };
        adversary_case_open(&network, name, NB_PATHS_MINIMAL);
        adversary_must_find(&network, name, 2, &found);
        const struct nb_ratio bound = necessary_bound(&network.topology);
        TOPOLOGY_CHECK(nb_enclosure_compare(found.best.throughput,
                                            nb_enclosure_of_ratio(bound)) <= 0,
                       "%s: %g is above %g", name, found.best.throughput.upper,
                       nb_ratio_value(bound));
        nb_adversary_release(&found);
        adversary_case_close(&network);
    }
}

/* VAL carries every permutation at half of capacity: Singh2005, Theorem 2. */
static void leaves_any_routing_half_of_capacity(void **state)
{
    (void)state;
    static const char *const topologies[] = { "ring:7", "ring:6,terminals=2",
                                              "torus:3x3", "torus:4x4",
                                              "torus:5x3" };
    for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++) {
        const char *name = topologies[k];
        struct adversary_case network;
        struct nb_adversary found = { 0 };
        struct nb_capacity capacity = { 0 };
        adversary_case_open(&network, name, NB_PATHS_ANY);
        adversary_must_find(&network, name, 3, &found);
        assert_int_equal(
            nb_capacity_find(&network.topology, NULL, &capacity, NULL), NB_OK);
        const struct nb_ratio half =
            nb_ratio_divide(capacity.rate.exact, nb_ratio_make(2, 1));
        TOPOLOGY_CHECK(nb_enclosure_compare(found.best.throughput,
                                            nb_enclosure_of_ratio(half)) >= 0,
                       "%s: %g is below %g", name, found.best.throughput.lower,
                       nb_ratio_value(half));
        nb_adversary_release(&found);
        adversary_case_close(&network);
    }
}

/* More starts find the same throughput as fewer, or a lower one. */
static void keeps_the_first_of_the_worst(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct adversary_case network;
        struct nb_adversary before = { 0 };
        adversary_case_open_random(&network, seed, 9, NB_PATHS_ANY);
        adversary_must_find(&network, "random graph", 1, &before);
        for (size_t starts = 2; starts <= 5; starts++) {
            struct nb_adversary found = { 0 };
            adversary_must_find(&network, "random graph", starts, &found);
            const double gain =
                before.best.throughput.upper - found.best.throughput.upper;
            TOPOLOGY_CHECK(
                gain > 0 || (gain == 0 &&
                             memcmp(found.permutation, before.permutation,
                                    found.sides.count * sizeof(uint32_t)) == 0),
                "seed %u: %zu starts", (unsigned)seed, starts);
            nb_adversary_release(&before);
            before = found;
        }
        nb_adversary_release(&before);
        adversary_case_close(&network);
    }
}

/* Without time only the first start is evaluated: in each dimension packets
 * take 2 hops around 4 routers, or 8 in total on a line of four routers. */
static void begins_with_the_greatest_distance(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t hops; /* of all packets */
    } cases[] = { { "torus:4x4", 64 },
                  { "mesh:4x4", 64 },
                  { "ring:7", 21 },
                  { "hypercube:4", 64 } };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct adversary_case network;
        struct nb_adversary found = { 0 };
        uint32_t hops[16];
        uint64_t sum = 0;
        adversary_case_open(&network, cases[k].name, NB_PATHS_ANY);
        const struct nb_adversary_question question = {
            .topology = &network.topology,
            .path_class = &network.path_class,
            .seed = 1,
            .starts = 1,
        };
        assert_int_equal(nb_adversary_find(&question, NULL, &found, NULL),
                         NB_OK);
        assert_true(found.was_stopped);
        for (size_t s = 0; s < found.sides.count; s++) {
            walk_shortest(&network.topology,
                          found.sides.router[found.permutation[s]], hops);
            sum += hops[found.sides.router[s]];
        }
        TOPOLOGY_CHECK(sum == cases[k].hops, "%s: %ju hops", cases[k].name,
                       (uintmax_t)sum);
        nb_adversary_release(&found);
        adversary_case_close(&network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_worst_of_all_permutations),
        cmocka_unit_test(finds_the_worst_on_random_graphs),
        cmocka_unit_test(is_not_above_the_necessary_bound),
        cmocka_unit_test(leaves_any_routing_half_of_capacity),
        cmocka_unit_test(keeps_the_first_of_the_worst),
        cmocka_unit_test(begins_with_the_greatest_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
