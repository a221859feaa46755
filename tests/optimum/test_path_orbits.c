/* Path orbits: routings averaged over symmetries, against the whole group. */
#include "optimum/path_orbits.h"

#include "support/topology_checks.h"
#include "traffic/traffic_symmetry.h"
#include "core/memory.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PATHS = 6, MOST_HOPS = 64, MOST_GROUP = 4000 };

struct network {
    const char *name;
    struct nb_topology topology;
    struct nb_symmetry symmetry;
};

static void network_open(struct network *network, const char *name)
{
    network->name = name;
    topology_must_build(name, &network->topology);
    assert_int_equal(
        nb_symmetry_find(&network->topology, NULL, &network->symmetry, NULL),
        NB_OK);
}

static void network_close(struct network *network)
{
    nb_symmetry_release(&network->symmetry);
    nb_topology_release(&network->topology);
}

/* A random walk without its loops. */
static size_t draw_path(const struct nb_topology *topology,
                        struct nb_random *random, uint32_t source,
                        uint32_t destination, uint32_t *channel)
{
    uint32_t at = source;
    size_t length = 0;
    while (at != destination) {
        const uint32_t first = topology->out_start[at];
        const uint32_t c =
            first + (uint32_t)nb_random_below(
                        random, topology->out_start[at + 1] - first);
        at = topology->channels[c].target;
        size_t keep = 0;
        while (keep < length && topology->channels[channel[keep]].source != at)
            keep++;
        if (keep < length || at == source)
            length = at == source ? 0 : keep;
        else
            channel[length++] = c;
    }
    return length;
}

static bool same_path(const struct nb_path_table *table, size_t one,
                      size_t other)
{
    const struct nb_table_path *a = &table->path[one], *b = &table->path[other];
    return a->source == b->source && a->destination == b->destination &&
           a->length == b->length &&
           memcmp(table->channel + a->first, table->channel + b->first,
                  a->length * sizeof(uint32_t)) == 0;
}

/* Marks all images of a pair under the generators. */
static void mark_pairs(const struct nb_symmetry *symmetry, uint32_t source,
                       uint32_t destination, bool *is_marked)
{
    const size_t n = symmetry->router_count;
    if (is_marked[source * n + destination])
        return;
    is_marked[source * n + destination] = true;
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        uint32_t from = source, to = destination;
        nb_symmetry_pair(symmetry, g, &from, &to);
        mark_pairs(symmetry, from, to, is_marked);
    }
}

/* Distinct random paths of a pair chosen at random from every orbit; each
 * pair's weights sum to 100. */
static void draw_given(const struct network *network, struct nb_random *random,
                       struct nb_path_table *given)
{
    const struct nb_topology *topology = &network->topology;
    const size_t n = topology->router_count;
    bool *is_marked = nb_new_array(n * n, sizeof *is_marked);
    uint32_t *order = nb_new_array(n * n, sizeof *order);
    assert_true(is_marked != NULL && order != NULL);
    nb_random_permutation(random, (uint32_t)(n * n), order);
    for (size_t k = 0; k < n * n; k++) {
        const uint32_t i = (uint32_t)(order[k] / n),
                       j = (uint32_t)(order[k] % n);
        if (i == j || is_marked[order[k]] || topology->terminals[i] == 0 ||
            topology->terminals[j] == 0)
            continue;
        mark_pairs(&network->symmetry, i, j, is_marked);
        const size_t first = given->path_count;
        const size_t count = 1 + nb_random_below(random, MOST_PATHS);
        uint64_t left = 100;
        for (size_t q = 0; q < count; q++) {
            uint32_t channel[MOST_HOPS];
            const size_t length = draw_path(topology, random, i, j, channel);
            assert_int_equal(
                nb_path_table_add(given, i, j, 1, channel, length, NULL),
                NB_OK);
            const size_t last = given->path_count - 1;
            for (size_t p = first; p < last; p++)
                if (same_path(given, p, last)) {
                    given->channel_count = given->path[last].first;
                    given->path_count--;
                    break;
                }
        }
        for (size_t p = first; p < given->path_count; p++) {
            const bool is_last = p + 1 == given->path_count;
            given->path[p].weight =
                is_last ? left : 1 + nb_random_below(random, left / 2);
            left -= given->path[p].weight;
        }
    }
    nb_path_table_sort(given);
    nb_delete(is_marked);
    nb_delete(order);
}

/* gamma_c(i, j) times sum, [pair * channels + channel]. */
static uint64_t *crossings(const struct network *network,
                           const struct nb_path_table *table)
{
    const size_t n = network->topology.router_count;
    const size_t m = network->topology.channel_count;
    uint64_t *all = nb_new_array(n * n * m, sizeof *all);
    assert_non_null(all);
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        for (uint32_t k = 0; k < path->length; k++)
            all[(path->source * n + path->destination) * m +
                table->channel[path->first + k]] += path->weight;
    }
    return all;
}

/* The table is a routing: sorted, each path once and complete, with every pair
 * of different routers with terminals, all with the same sum, which is
 * returned. */
static uint64_t require_routing(const struct network *network,
                                const struct nb_path_table *table)
{
    const struct nb_topology *topology = &network->topology;
    const size_t n = topology->router_count;
    uint64_t *sum = nb_new_array(n * n, sizeof *sum);
    assert_non_null(sum);
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        uint32_t at = path->source;
        for (uint32_t k = 0; k < path->length; k++) {
            const uint32_t c = table->channel[path->first + k];
            TOPOLOGY_CHECK(topology->channels[c].source == at, "%s",
                           network->name);
            at = topology->channels[c].target;
        }
        TOPOLOGY_CHECK(at == path->destination && path->weight > 0, "%s",
                       network->name);
        TOPOLOGY_CHECK(p == 0 || !same_path(table, p - 1, p), "%s",
                       network->name);
        TOPOLOGY_CHECK(p == 0 || path[-1].destination < path->destination ||
                           (path[-1].destination == path->destination &&
                            path[-1].source <= path->source),
                       "%s", network->name);
        sum[path->source * n + path->destination] += path->weight;
    }
    uint64_t one = 0;
    for (size_t k = 0; k < n * n && one == 0; k++)
        one = sum[k];
    for (size_t k = 0; k < n * n; k++) {
        const bool is_pair = k / n != k % n && topology->terminals[k / n] > 0 &&
                             topology->terminals[k % n] > 0;
        TOPOLOGY_CHECK(sum[k] == (is_pair ? one : 0), "%s: pair %zu: %llu",
                       network->name, k, (unsigned long long)sum[k]);
    }
    nb_delete(sum);
    return one;
}

/* All products of generators on routers and channels, by closure; an element
 * consists of its images of the routers, then of the channels, then whether it
 * is a reversal. Returns their number, 0 if there are more than MOST_GROUP. */
static size_t close_group(const struct nb_symmetry *symmetry, uint32_t *element)
{
    const size_t n = symmetry->router_count, m = symmetry->channel_count;
    const size_t width = n + m + 1;
    size_t count = 1;
    for (uint32_t k = 0; k < n + m; k++)
        element[k] = k < n ? k : k - (uint32_t)n;
    element[n + m] = 0;
    for (size_t e = 0; e < count; e++) {
        for (size_t g = 0; g < symmetry->generator_count; g++) {
            uint32_t *next = element + count * width;
            const uint32_t *last = element + e * width;
            if (count == MOST_GROUP)
                return 0;
            for (size_t r = 0; r < n; r++)
                next[r] = symmetry->router[g * n + last[r]];
            for (size_t c = 0; c < m; c++)
                next[n + c] = symmetry->channel[g * m + last[n + c]];
            next[n + m] = last[n + m] ^ symmetry->is_reversal[g];
            size_t found = 0;
            while (memcmp(element + found * width, next,
                          width * sizeof *next) != 0)
                found++;
            count += found == count;
        }
    }
    return count;
}

/* Against the mean over every element of the group that maps a given pair to
 * this pair. */
static void require_mean(const struct network *network,
                         const struct nb_path_table *given,
                         const struct nb_path_table *out, uint64_t sum)
{
    const struct nb_symmetry *symmetry = &network->symmetry;
    const size_t n = symmetry->router_count, m = symmetry->channel_count;
    uint32_t *group =
        nb_new_array((MOST_GROUP + 1) * (n + m + 1), sizeof *group);
    uint64_t *mean = nb_new_array(n * n * m, sizeof *mean);
    uint64_t *times = nb_new_array(n * n, sizeof *times);
    assert_true(group != NULL && mean != NULL && times != NULL);
    uint64_t *before = crossings(network, given);
    uint64_t *after = crossings(network, out);
    const size_t count = close_group(symmetry, group);
    TOPOLOGY_CHECK(count > 0, "%s: group too large", network->name);
    for (size_t e = 0; e < count; e++) {
        const uint32_t *element = group + e * (n + m + 1);
        for (size_t p = 0; p < given->path_count; p++) {
            const struct nb_table_path *path = &given->path[p];
            if (p > 0 && path->source == path[-1].source &&
                path->destination == path[-1].destination)
                continue;
            const size_t pair = path->source * n + path->destination;
            const uint32_t from = element[path->source];
            const uint32_t to = element[path->destination];
            const size_t image =
                element[n + m] != 0 ? to * n + from : from * n + to;
            times[image]++;
            for (size_t c = 0; c < m; c++)
                mean[image * m + element[n + c]] += before[pair * m + c];
        }
    }
    for (size_t k = 0; k < n * n * m; k++)
        TOPOLOGY_CHECK(mean[k] * sum == after[k] * 100 * times[k / m],
                       "%s: pair %zu, channel %zu", network->name, k / m,
                       k % m);
    nb_delete(group);
    nb_delete(mean);
    nb_delete(times);
    nb_delete(before);
    nb_delete(after);
}

/* Every generator maps every path to one of the same weight. */
static void require_invariant(const struct network *network,
                              struct nb_path_table *out)
{
    const struct nb_symmetry *symmetry = &network->symmetry;
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        const uint32_t *map = symmetry->channel + g * symmetry->channel_count;
        struct nb_path_table images = { 0 };
        for (size_t p = 0; p < out->path_count; p++) {
            struct nb_table_path path = out->path[p];
            uint32_t channel[MOST_HOPS];
            for (uint32_t k = 0; k < path.length; k++)
                channel[symmetry->is_reversal[g] ? path.length - 1 - k : k] =
                    map[out->channel[path.first + k]];
            nb_symmetry_pair(symmetry, g, &path.source, &path.destination);
            assert_int_equal(nb_path_table_add(&images, path.source,
                                               path.destination, path.weight,
                                               channel, path.length, NULL),
                             NB_OK);
        }
        nb_path_table_sort(&images);
        for (size_t p = 0; p < out->path_count; p++) {
            const struct nb_table_path *one = &out->path[p];
            const struct nb_table_path *other = &images.path[p];
            TOPOLOGY_CHECK(one->weight == other->weight &&
                               one->source == other->source &&
                               one->destination == other->destination &&
                               one->length == other->length &&
                               memcmp(out->channel + one->first,
                                      images.channel + other->first,
                                      one->length * sizeof(uint32_t)) == 0,
                           "%s: path %zu, generator %zu", network->name, p, g);
        }
        nb_path_table_release(&images);
    }
}

static void averages_over_the_group(void **state)
{
    (void)state;
    const char *const names[] = { "ring:5",       "clos:4x2x2,up=2x2",
                                  "torus:4x4",    "mesh:3x3",
                                  "complete:5",   "ccc:3",
                                  "dragonfly:h=1" };
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        struct network network;
        network_open(&network, names[t]);
        for (uint64_t trial = 0; trial < 4; trial++) {
            struct nb_random random;
            struct nb_path_table given = { 0 }, out = { 0 };
            nb_random_init(&random, 73, trial);
            draw_given(&network, &random, &given);
            assert_int_equal(nb_path_orbits_spread(&network.symmetry,
                                                   &network.topology, &given,
                                                   &out, NULL),
                             NB_OK);
            const uint64_t sum = require_routing(&network, &out);
            require_invariant(&network, &out);
            require_mean(&network, &given, &out, sum);
            nb_path_table_release(&given);
            nb_path_table_release(&out);
        }
        network_close(&network);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct network network;
    struct nb_path_table given = { 0 };
    struct nb_random random;
    nb_random_init(&random, 74, 0);
    network_open(&network, "complete:5");
    draw_given(&network, &random, &given);
    const long blocks = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_path_table out = { 0 };
        nb_memory_allow(allowed);
        status = nb_path_orbits_spread(&network.symmetry, &network.topology,
                                       &given, &out, NULL);
        nb_memory_allow(-1);
        nb_path_table_release(&out);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
    nb_path_table_release(&given);
    network_close(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_over_the_group),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
