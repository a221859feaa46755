/* Automorphisms: groups of known size, compared with exhaustive search. */
#include "topology/automorphisms.h"

#include "support/symmetry_checks.h"
#include "support/topology_checks.h"
#include "core/memory.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void find(const struct nb_topology *topology, const char *name,
                 struct nb_symmetry *out)
{
    bool is_whole;
    assert_int_equal(nb_automorphisms_find(topology, NB_KEEPING_CHANNELS, out,
                                           &is_whole, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(is_whole, "%s", name);
    symmetry_must_fit(out, topology, name);
    for (size_t g = 0; g < out->generator_count; g++)
        assert_false(out->is_reversal[g]);
}

/* By hand; torus:4x4 is the hypercube of four dimensions. */
static const struct {
    const char *network;
    size_t size;
} named[] = {
    { "ring:5", 10 },         { "torus:3x3", 72 },   { "torus:4x3", 4 * 2 * 6 },
    { "torus:4x4", 16 * 24 }, { "mesh:3x3", 8 },     { "mesh:4x3", 4 },
    { "hypercube:3", 48 },    { "complete:5", 120 }, { "hyperx:3x2,p=1", 12 },
};

static void finds_known_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct nb_topology topology;
        struct nb_symmetry symmetry;
        topology_must_build(named[i].network, &topology);
        find(&topology, named[i].network, &symmetry);
        const size_t size = symmetry_group_size(&symmetry);
        TOPOLOGY_CHECK(size == named[i].size, "%s: %zu", named[i].network,
                       size);
        nb_symmetry_release(&symmetry);
        nb_topology_release(&topology);
    }
}

/* Petersen's graph: 120; K(3,3): 72; a path with unequal ends: 1; one with
 * different bandwidths each way: 1. */
static void finds_groups_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        size_t size;
    } cases[] = {
        { "0,1\n1,2\n2,3\n3,4\n4,0\n0,5\n1,6\n2,7\n3,8\n4,9\n5,7\n7,9\n9,6\n"
          "6,8\n8,5\n",
          120 },
        { "0,3\n0,4\n0,5\n1,3\n1,4\n1,5\n2,3\n2,4\n2,5\n", 72 },
        { "0,1,1\n1,2,1\n", 2 },
        { "0,1,1\n1,2,2\n", 1 },
        { "0,1,1\n0,1,1\n1,2,1\n", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_symmetry symmetry;
        topology_must_build_file(cases[i].edges, ".csv", "", &topology);
        find(&topology, cases[i].edges, &symmetry);
        assert_int_equal(symmetry_group_size(&symmetry), cases[i].size);
        nb_symmetry_release(&symmetry);
        nb_topology_release(&topology);
    }
}

static void keeps_every_network(const struct nb_topology *topology,
                                const char *name)
{
    struct nb_symmetry symmetry;
    find(topology, name, &symmetry);
    nb_symmetry_release(&symmetry);
}

static void keeps_every_example(void **state)
{
    (void)state;
    topology_each_example(keeps_every_network);
}

enum { PART = 3, ROUTERS = 2 * PART + 1 };

/* Two copies of a random directed graph around a hub, with random terminals:
 * for most seeds only the copies can be exchanged, for some, more is
 * possible. */
static void draw(uint64_t seed, struct nb_topology *out)
{
    char text[2000];
    size_t at = 0;
    struct nb_random random;
    nb_random_init(&random, seed, 0);
    for (unsigned a = 0; a < PART; a++) {
        const unsigned hub = 2 * PART, width = seed % 2 == 0 && a == 0 ? 2 : 1;
        for (unsigned copy = 0; copy < 2; copy++) {
            const unsigned here = copy * PART + a;
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "%u,%u,%u\n%u,%u,1\n", hub, here, width,
                                   here, hub);
        }
        for (unsigned b = 0; b < PART; b++)
            if (b != a && nb_random_below(&random, 2) == 0)
                at += (size_t)snprintf(text + at, sizeof text - at,
                                       "%u,%u,1\n%u,%u,1\n", a, b, PART + a,
                                       PART + b);
    }
    topology_must_build_file(text, ".csv", ",directed=yes", out);
    /* Files number routers in order of appearance; terminals may distinguish
     * the copies. */
    const uint32_t odd = (uint32_t)nb_random_below(&random, 4 * ROUTERS);
    if (odd < ROUTERS) {
        out->terminals[odd]++;
        out->terminal_count++;
    }
}

/* The bandwidth from one router to another, 0 if there is no channel. */
static int64_t width(const struct nb_topology *topology, uint32_t from,
                     uint32_t to)
{
    for (uint32_t c = topology->out_start[from];
         c < topology->out_start[from + 1]; c++)
        if (topology->channels[c].target == to)
            return topology->channels[c].bandwidth.numerator;
    return 0;
}

/* The number of ways to continue from the images of the first routers. */
static size_t count_on(const struct nb_topology *topology, uint32_t *map,
                       uint32_t count)
{
    size_t found = 0;
    if (count == ROUTERS)
        return 1;
    for (map[count] = 0; map[count] < ROUTERS; map[count]++) {
        bool fits =
            topology->terminals[map[count]] == topology->terminals[count];
        for (uint32_t r = 0; r < count; r++)
            fits = fits && map[r] != map[count] &&
                   width(topology, map[r], map[count]) ==
                       width(topology, r, count) &&
                   width(topology, map[count], map[r]) ==
                       width(topology, count, r);
        found += fits ? count_on(topology, map, count + 1) : 0;
    }
    return found;
}

static void finds_all_of_random_graphs(void **state)
{
    (void)state;
    size_t trivial = 0, others = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        char name[40];
        uint32_t map[ROUTERS];
        struct nb_topology topology;
        struct nb_symmetry symmetry;
        snprintf(name, sizeof name, "seed %u", (unsigned)seed);
        draw(seed, &topology);
        find(&topology, name, &symmetry);
        const size_t size = symmetry_group_size(&symmetry);
        const size_t expected = count_on(&topology, map, 0);
        TOPOLOGY_CHECK(size == expected, "%s: %zu, not %zu", name, size,
                       expected);
        trivial += size == 1;
        others += size > 2;
        nb_symmetry_release(&symmetry);
        nb_topology_release(&topology);
    }
    assert_true(trivial > 10 && others > 10);
}

static void survives_failing_memory(void **state)
{
    struct nb_topology topology;
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    topology_must_build("torus:3x3", &topology);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_symmetry symmetry;
        bool is_whole;
        nb_memory_allow(allowed);
        status = nb_automorphisms_find(&topology, NB_KEEPING_CHANNELS,
                                       &symmetry, &is_whole, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_symmetry_release(&symmetry);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_known_groups),
        cmocka_unit_test(finds_groups_of_files),
        cmocka_unit_test(keeps_every_example),
        cmocka_unit_test(finds_all_of_random_graphs),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
