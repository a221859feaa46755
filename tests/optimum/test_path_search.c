/* Searches for shortest paths: larger networks, invalid paths, rejected
 * input. */
#include "optimum/path_class.h"

#include "support/topology_checks.h"
#include "core/memory.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct nb_ratio one = { 1, 1 };

/* A class and a search in it. */
struct searched {
    struct nb_path_class path_class;
    struct nb_path_search search;
};

static void open_search(const struct nb_topology *topology, enum nb_paths paths,
                        struct nb_ratio stretch, struct searched *out)
{
    assert_int_equal(
        nb_path_class_init(topology, paths, stretch, &out->path_class, NULL),
        NB_OK);
    assert_int_equal(nb_path_search_init(&out->path_class, &out->search, NULL),
                     NB_OK);
}

/* The path found has the length found and is permitted. Returns its hops. */
static size_t check_path(const struct nb_path_search *search, uint32_t source,
                         const int64_t *length, const char *name)
{
    uint32_t channel[256];
    int64_t sum = 0;
    const size_t hops = nb_path_search_path(search, source, channel);
    for (size_t h = 0; h < hops; h++)
        sum += length[channel[h]];
    TOPOLOGY_CHECK(sum == nb_path_search_distance(search, source) &&
                       nb_path_search_permits(search, source, hops, channel),
                   "%s: paths %d from %u to %u", name,
                   (int)search->path_class->paths, source, search->destination);
    return hops;
}

static void draw_lengths(struct nb_random *random, size_t count,
                         int64_t *length)
{
    const uint64_t bound = 1 + nb_random_below(random, 6);
    for (size_t c = 0; c < count; c++)
        length[c] = (int64_t)nb_random_below(random, bound);
}

enum { ANY, ALL_HOPS, MINIMAL, FEWEST, TURNS, SEARCHES };

/* Dijkstra's method and paths of all hops layer by layer are two methods with
 * the same result; so are minimal paths by hops and layer by layer, unless
 * global channels count first. */
static void compare_searches(struct searched *searched, const char *name,
                             const int64_t *length)
{
    const struct nb_topology *topology = searched[ANY].path_class.topology;
    const int last = topology->grid.dimensions == 2 ? TURNS : FEWEST;
    for (uint32_t s = 0; s < topology->router_count; s++) {
        int64_t distance[SEARCHES];
        size_t hops[SEARCHES];
        for (int i = 0; i <= last; i++) {
            hops[i] = check_path(&searched[i].search, s, length, name);
            distance[i] = nb_path_search_distance(&searched[i].search, s);
        }
        TOPOLOGY_CHECK(distance[ANY] == distance[ALL_HOPS] &&
                           hops[ANY] == hops[ALL_HOPS] &&
                           distance[ANY] <= distance[MINIMAL],
                       "%s: from %u to %u", name, s,
                       searched[ANY].search.destination);
        TOPOLOGY_CHECK(topology->groups.counts_global_first ||
                           (distance[MINIMAL] == distance[FEWEST] &&
                            hops[MINIMAL] == hops[FEWEST]),
                       "%s: from %u to %u", name, s,
                       searched[ANY].search.destination);
        TOPOLOGY_CHECK(last != TURNS || distance[ANY] <= distance[TURNS],
                       "%s: from %u to %u", name, s,
                       searched[ANY].search.destination);
    }
}

static void compare_on(const char *name, uint64_t seed)
{
    struct nb_topology topology = { 0 };
    struct searched searched[SEARCHES] = { 0 };
    int64_t length[1000];
    struct nb_random random;
    topology_must_build(name, &topology);
    const uint32_t n = (uint32_t)topology.router_count;
    const struct nb_ratio far = { n, 1 };
    assert_true(topology.channel_count <= 1000 && n <= 256);
    open_search(&topology, NB_PATHS_ANY, one, &searched[ANY]);
    open_search(&topology, NB_PATHS_STRETCH, far, &searched[ALL_HOPS]);
    open_search(&topology, NB_PATHS_MINIMAL, one, &searched[MINIMAL]);
    open_search(&topology, NB_PATHS_STRETCH, one, &searched[FEWEST]);
    if (topology.grid.dimensions == 2)
        open_search(&topology, NB_PATHS_TWO_TURN, one, &searched[TURNS]);
    nb_random_init(&random, seed, 0);
    for (int draw = 0; draw < 6; draw++) {
        const uint32_t target = (uint32_t)nb_random_below(&random, n);
        draw_lengths(&random, topology.channel_count, length);
        for (int s = 0; s < SEARCHES; s++)
            if (searched[s].search.path_class != NULL)
                nb_path_search_run(&searched[s].search, target, length);
        compare_searches(searched, name, length);
    }
    for (int s = 0; s < SEARCHES; s++)
        nb_path_search_release(&searched[s].search);
    nb_topology_release(&topology);
}

static void two_ways_agree(void **state)
{
    (void)state;
    static const char *const names[] = { "torus:6x5",   "mesh:4x7",
                                         "torus:3x3x3", "hypercube:5",
                                         "ccc:4",       "complete:20",
                                         "ring:31",     "dragonfly:h=2",
                                         "torus:2x9",   "fattree:k=3,n=3" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        compare_on(names[i], i);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* On a ring of five, from 0 to 2: channels by routers. */
static void permits_no_other_walks(void **state)
{
    (void)state;
    static const struct {
        uint32_t routers[8];
        size_t length;
        bool is_permitted;
    } cases[] = {
        { { 0, 1, 2 }, 2, true },
        { { 0, 4, 3, 2 }, 3, true },
        { { 0 }, 0, false },          /* elsewhere */
        { { 0, 1 }, 1, false },       /* falls short */
        { { 0, 1, 2, 3 }, 3, false }, /* passes by */
        { { 1, 2 }, 1, false },       /* begins elsewhere */
        { { 0, 1, 0, 4, 3, 2 }, 5, false },
        { { 0, 1, 0, 1, 2 }, 4, false }, /* turns back */
        { { 0, 1, 2, 1, 2 }, 4, false }, /* there twice */
        { { 0, 4, 3, 2, 1, 0, 1, 2 }, 7, false },
    };
    struct nb_topology topology = { 0 };
    struct searched any = { 0 };
    static const int64_t length[10];
    const uint32_t broken[] = { 0, 10 };
    topology_must_build("ring:5", &topology);
    open_search(&topology, NB_PATHS_ANY, one, &any);
    nb_path_search_run(&any.search, 2, length);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t channel[8];
        for (size_t h = 0; h < cases[i].length; h++)
            channel[h] = topology_find_channel(&topology, cases[i].routers[h],
                                               cases[i].routers[h + 1]);
        TOPOLOGY_CHECK(nb_path_search_permits(&any.search, 0, cases[i].length,
                                              channel) == cases[i].is_permitted,
                       "case %zu", i);
    }
    assert_false(nb_path_search_permits(&any.search, 0, 2, broken));
    assert_false(nb_path_search_permits(&any.search, 0, 1, broken + 1));
    assert_true(nb_path_search_permits(&any.search, 2, 0, NULL));
    nb_path_search_release(&any.search);
    nb_topology_release(&topology);
}

static void must_refuse(const struct nb_topology *topology, enum nb_paths paths,
                        struct nb_ratio stretch, enum nb_status status,
                        const char *text)
{
    struct nb_path_class class;
    struct nb_error error = { 0 };
    const long blocks = nb_memory_live_blocks();
    assert_int_equal(
        nb_path_class_init(topology, paths, stretch, &class, &error), status);
    TOPOLOGY_CHECK(strstr(error.message, text) != NULL,
                   "\"%s\" does not say \"%s\"", error.message, text);
    assert_int_equal(nb_memory_live_blocks(), blocks);
}

static void refuses_what_is_not_defined(void **state)
{
    (void)state;
    static const char *const lines[] = { "ring:5", "ccc:3", "torus:3x3x3",
                                         "hypercube:3", "complete:4" };
    static const struct nb_ratio stretches[] = {
        { 1, 2 }, { 99, 100 }, { 0, 1 }, { -3, 1 }, { 1, 0 }, { 0, 0 },
    };
    struct nb_topology topology = { 0 };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        topology_must_build(lines[i], &topology);
        must_refuse(&topology, NB_PATHS_TWO_TURN, one, NB_INVALID, lines[i]);
        nb_topology_release(&topology);
    }
    topology_must_build("mesh:3x2", &topology);
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        char text[NB_RATIO_TEXT];
        nb_ratio_print(stretches[i], text);
        must_refuse(&topology, NB_PATHS_STRETCH, stretches[i], NB_INVALID,
                    text);
    }
    must_refuse(&topology, NB_PATHS_STRETCH, stretches[0], NB_INVALID,
                "stretch 1/2 is out of range (permitted: at least 1)");
    topology.router_count = (size_t)1 << 23;
    must_refuse(&topology, NB_PATHS_ANY, one, NB_INVALID, "8388608");
    topology.router_count = 6;
    nb_topology_release(&topology);
    /* 100000 channels in 49999 layers */
    topology_must_build("ring:50000", &topology);
    must_refuse(&topology, NB_PATHS_STRETCH, (struct nb_ratio){ 2, 1 },
                NB_NO_MEMORY, "49999");
    nb_topology_release(&topology);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("torus:3x3", &topology);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 100; allowed++) {
        struct nb_path_class class = { 0 };
        struct nb_path_search search = { 0 };
        nb_memory_allow(allowed);
        status =
            nb_path_class_init(&topology, NB_PATHS_STRETCH, one, &class, NULL);
        if (status == NB_OK)
            status = nb_path_search_init(&class, &search, NULL);
        nb_memory_allow(-1);
        assert_true(status == NB_OK || search.hops == NULL);
        nb_path_search_release(&search);
        nb_path_search_release(&search);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 8);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ways_agree),
        cmocka_unit_test(permits_no_other_walks),
        cmocka_unit_test(refuses_what_is_not_defined),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
