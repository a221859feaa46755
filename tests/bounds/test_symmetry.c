/* Symmetry: every generator is what it says, and none is missing where the
 * whole group is known. */
#include "bounds/symmetry.h"

#include "../support/topology_checks.h"
#include "../support/traffic_case.h"
#include "bounds/path_class.h"
#include "core/memory.h"
#include "routing/routing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
    MOST_GROUP = 400,
    MOST_ROUTERS = 16,
    MOST_CHANNELS = 64,
    MOST_WAYS = 4000000,
};

static void must_permute(const uint32_t *map, size_t count, const char *name)
{
    bool *is_met = nb_new_array(count, sizeof *is_met);
    assert_non_null(is_met);
    for (size_t i = 0; i < count; i++) {
        TOPOLOGY_CHECK(map[i] < count && !is_met[map[i]], "%s: %zu -> %u", name,
                       i, map[i]);
        is_met[map[i]] = true;
    }
    nb_delete(is_met);
}

/* Routers and channels go to the same place, bandwidths and terminals stay. */
static void check_generator(const struct nb_topology *topology,
                            const struct nb_symmetry *symmetry, size_t g,
                            const char *name)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    const uint32_t *router = symmetry->router + g * n;
    const uint32_t *channel = symmetry->channel + g * m;
    must_permute(router, n, name);
    must_permute(channel, m, name);
    for (size_t r = 0; r < n; r++)
        TOPOLOGY_CHECK(topology->terminals[r] == topology->terminals[router[r]],
                       "%s: generator %zu, router %zu", name, g, r);
    for (size_t c = 0; c < m; c++) {
        const struct nb_channel *from = &topology->channels[c];
        const struct nb_channel *to = &topology->channels[channel[c]];
        const bool is_turned = symmetry->is_reversal[g];
        const uint32_t source = is_turned ? from->target : from->source;
        const uint32_t target = is_turned ? from->source : from->target;
        TOPOLOGY_CHECK(
            to->source == router[source] && to->target == router[target] &&
                nb_ratio_compare(to->bandwidth, from->bandwidth) == 0,
            "%s: generator %zu, channel %zu -> %u", name, g, c, channel[c]);
    }
}

/* Marks the channels of the shortest ways from every router to one, as route
 * tables count. is_met: [from * channels + channel] */
static void mark_ways(const struct nb_topology *topology,
                      const struct nb_route_table *table, const uint32_t *queue,
                      bool *is_met)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    for (size_t i = 0; i < n; i++) { /* the nearest first */
        const uint32_t from = queue[i];
        memset(is_met + from * m, 0, m);
        for (uint32_t c = topology->out_start[from];
             c < topology->out_start[from + 1]; c++) {
            if (!nb_is_on_the_way(topology, table, c))
                continue;
            const bool *rest = is_met + topology->channels[c].target * m;
            for (size_t other = 0; other < m; other++)
                is_met[from * m + other] |= rest[other];
            is_met[from * m + c] = true;
        }
    }
}

/* Shortest ways stay such. */
static void check_ways(const struct nb_topology *topology,
                       const struct nb_symmetry *symmetry, const char *name)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_route_table table;
    if (n * n * m > MOST_WAYS)
        return;
    bool *way = nb_new_array(n * n * m, sizeof *way); /* [to][from][channel] */
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(way != NULL && queue != NULL);
    assert_int_equal(nb_route_table_init(topology, &table, NULL), NB_OK);
    for (uint32_t to = 0; to < n; to++) {
        nb_ways_to(topology, to, table.distance, queue);
        table.target = to;
        mark_ways(topology, &table, queue, way + to * n * m);
    }
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        for (size_t p = 0; p < n * n; p++) {
            uint32_t from = (uint32_t)(p % n), to = (uint32_t)(p / n);
            nb_symmetry_pair(symmetry, g, &from, &to);
            for (size_t c = 0; c < m; c++)
                TOPOLOGY_CHECK(
                    way[p * m + c] ==
                        way[(to * n + from) * m + symmetry->channel[g * m + c]],
                    "%s: generator %zu, from %zu to %zu over %zu", name, g,
                    p % n, p / n, c);
        }
    }
    nb_route_table_release(&table);
    nb_delete(way);
    nb_delete(queue);
}

/* Two-turn paths stay such: the dimensions of a grid stay apart. */
static void check_turns(const struct nb_topology *topology,
                        const struct nb_symmetry *symmetry, const char *name)
{
    struct nb_path_class class;
    uint32_t from, along, image, first, first_image;
    if (topology->grid.dimensions != 2)
        return;
    assert_int_equal(nb_path_class_init(topology, NB_PATHS_TWO_TURN,
                                        nb_ratio_one, &class, NULL),
                     NB_OK);
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        const uint32_t *map = symmetry->channel + g * topology->channel_count;
        nb_path_class_layer(&class, 0, 0, &from, &first);
        nb_path_class_layer(&class, map[0], 0, &from, &first_image);
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            nb_path_class_layer(&class, c, 0, &from, &along);
            nb_path_class_layer(&class, map[c], 0, &from, &image);
            TOPOLOGY_CHECK((along == first) == (image == first_image),
                           "%s: generator %zu, channel %u", name, g, c);
        }
    }
}

static void check_network(const struct nb_topology *topology, const char *name)
{
    struct nb_symmetry symmetry;
    assert_int_equal(nb_symmetry_find(topology, NULL, &symmetry, NULL), NB_OK);
    assert_int_equal(symmetry.router_count, topology->router_count);
    assert_int_equal(symmetry.channel_count, topology->channel_count);
    for (size_t g = 0; g < symmetry.generator_count; g++)
        check_generator(topology, &symmetry, g, name);
    check_ways(topology, &symmetry, name);
    check_turns(topology, &symmetry, name);
    nb_symmetry_release(&symmetry);
    nb_symmetry_release(&symmetry);
}

static void keeps_every_network(void **state)
{
    (void)state;
    topology_each_example(check_network);
}

/* rate(i, j) is that of the image of the pair. */
static void check_rates(const struct traffic_case *testcase,
                        const struct nb_symmetry *symmetry, const char *name)
{
    const struct nb_topology *topology = &testcase->topology;
    const size_t n = topology->router_count;
    uint64_t *rate = nb_new_array(n * n, sizeof *rate); /* [to * n + from] */
    assert_non_null(rate);
    for (uint32_t to = 0; to < n; to++)
        assert_int_equal(nb_traffic_column(&testcase->traffic, topology, to,
                                           rate + to * n, NULL),
                         NB_OK);
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        check_generator(topology, symmetry, g, name);
        for (size_t p = 0; p < n * n; p++) {
            uint32_t from = (uint32_t)(p % n), to = (uint32_t)(p / n);
            nb_symmetry_pair(symmetry, g, &from, &to);
            TOPOLOGY_CHECK(rate[to * n + from] == rate[p],
                           "%s: generator %zu, from %zu to %zu", name, g, p % n,
                           p / n);
        }
    }
    nb_delete(rate);
}

static void check_traffic(const struct nb_traffic_kind *kind,
                          const char *example)
{
    struct traffic_case testcase;
    struct nb_symmetry symmetry;
    struct nb_error err = { 0 };
    (void)kind;
    TOPOLOGY_CHECK(traffic_case_build(example, &testcase, &err) == NB_OK,
                   "%s: %s", example, err.message);
    assert_int_equal(nb_symmetry_find(&testcase.topology, &testcase.traffic,
                                      &symmetry, NULL),
                     NB_OK);
    check_rates(&testcase, &symmetry, example);
    nb_symmetry_release(&symmetry);
    traffic_case_release(&testcase);
}

static void keeps_every_traffic(void **state)
{
    (void)state;
    traffic_case_for_each(check_traffic);
}

/* An element of a group. */
struct element {
    bool is_reversal;
    uint32_t router[MOST_ROUTERS];
    uint32_t channel[MOST_CHANNELS];
};

static void apply(const struct nb_symmetry *symmetry, size_t g,
                  const struct element *to, struct element *out)
{
    *out = (struct element){ .is_reversal =
                                 to->is_reversal != symmetry->is_reversal[g] };
    for (size_t r = 0; r < symmetry->router_count; r++)
        out->router[r] =
            symmetry->router[g * symmetry->router_count + to->router[r]];
    for (size_t c = 0; c < symmetry->channel_count; c++)
        out->channel[c] =
            symmetry->channel[g * symmetry->channel_count + to->channel[c]];
}

/* The size of the group that the generators make. */
static size_t group_size(const struct nb_symmetry *symmetry)
{
    static struct element group[MOST_GROUP + 1];
    size_t count = 1;
    assert_true(symmetry->router_count <= MOST_ROUTERS &&
                symmetry->channel_count <= MOST_CHANNELS);
    group[0] = (struct element){ 0 };
    for (uint32_t r = 0; r < symmetry->router_count; r++)
        group[0].router[r] = r;
    for (uint32_t c = 0; c < symmetry->channel_count; c++)
        group[0].channel[c] = c;
    for (size_t done = 0; done < count; done++) {
        for (size_t g = 0; g < symmetry->generator_count; g++) {
            size_t same = 0;
            apply(symmetry, g, &group[done], &group[count]);
            while (memcmp(&group[same], &group[count], sizeof *group) != 0)
                same++;
            count += same == count;
            assert_true(count <= MOST_GROUP);
        }
    }
    return count;
}

/*
 * Numbers counted by hand: those of the network's automorphisms, twice as many
 * where channels can be turned round; with a traffic, those that keep it.
 * Tornado on a ring: turns, and reflections of reversed paths. Transpose on
 * the torus: translations along the diagonal, and of the square's symmetries
 * the four that keep it. Hot spot: those that leave one router in its place,
 * forward.
 */
static const struct {
    const char *example; /* "traffic@topology" or topology */
    size_t size;
} known_groups[] = {
    { "ring:5", 2 * 10 },
    { "torus:3x3", 2 * 9 * 8 },
    { "torus:4x3", 2 * 12 * 4 },
    { "mesh:3x3", 2 * 8 },
    { "mesh:4x3", 2 * 4 },
    { "complete:4", 2 * 24 },
    { "hypercube:3", 2 * 48 },
    { "file:data/topologies/ring-directed.csv,directed=yes", 1 },
    { "file:data/topologies/abilene.txt", 2 },
    { "uniform@torus:3x3", 2 * 9 * 8 },
    { "tornado@ring:4", 4 + 4 },
    { "tornado@ring:7", 7 + 7 },
    { "transpose@torus:3x3", 2 * 3 * 4 },
    { "transpose@mesh:3x3", 2 * 4 },
    { "bit-complement@hypercube:3", 2 * 48 },
    { "nearest-neighbour@torus:3x3", 2 * 9 * 8 },
};

static void finds_known_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known_groups / sizeof *known_groups; i++) {
        const char *example = known_groups[i].example;
        struct traffic_case testcase = { 0 };
        struct nb_symmetry symmetry;
        struct nb_error err = { 0 };
        const bool has_traffic = strchr(example, '@') != NULL;
        if (has_traffic)
            TOPOLOGY_CHECK(traffic_case_build(example, &testcase, &err) ==
                               NB_OK,
                           "%s: %s", example, err.message);
        else
            topology_must_build(example, &testcase.topology);
        assert_int_equal(
            nb_symmetry_find(&testcase.topology,
                             has_traffic ? &testcase.traffic : NULL, &symmetry,
                             NULL),
            NB_OK);
        const size_t size = group_size(&symmetry);
        TOPOLOGY_CHECK(size == known_groups[i].size, "%s: %zu, not %zu",
                       example, size, known_groups[i].size);
        nb_symmetry_release(&symmetry);
        traffic_case_release(&testcase);
    }
}

/* Parallel channels are turned round rank by rank, or not at all. */
static void reverses_parallel_channels(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        size_t size;
    } cases[] = {
        { "0,1,1\n0,1,2\n1,0,1\n1,0,2\n", 2 },
        { "0,1,1\n0,1,2\n1,0,2\n1,0,1\n", 1 },
        { "0,1,1\n0,1,1\n1,0,1\n", 1 },
        { "0,1,1\n1,0,1\n1,2,1/2\n2,1,1/2\n", 2 },
        { "0,1,1\n1,0,1\n1,2,1/2\n2,1,2\n", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_symmetry symmetry;
        topology_must_build_file(cases[i].edges, ".csv", ",directed=yes",
                                 &topology);
        check_network(&topology, cases[i].edges);
        assert_int_equal(nb_symmetry_find(&topology, NULL, &symmetry, NULL),
                         NB_OK);
        assert_int_equal(group_size(&symmetry), cases[i].size);
        nb_symmetry_release(&symmetry);
        nb_topology_release(&topology);
    }
}

static void survives_failing_memory(void **state)
{
    (void)state;
    struct traffic_case testcase;
    enum nb_status status = NB_NO_MEMORY;
    assert_int_equal(traffic_case_build("transpose@torus:3x3", &testcase, NULL),
                     NB_OK);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_symmetry symmetry;
        nb_memory_allow(allowed);
        status = nb_symmetry_find(&testcase.topology, &testcase.traffic,
                                  &symmetry, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_symmetry_release(&symmetry);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    traffic_case_release(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_network),
        cmocka_unit_test(keeps_every_traffic),
        cmocka_unit_test(finds_known_groups),
        cmocka_unit_test(reverses_parallel_channels),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
