/* Best oblivious routing against one large linear program without symmetry. */
#include "support/graphs.h"
#include "support/oblivious_case.h"
#include "support/plain_oblivious.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { TEXT = 8000, CLASSES = 5 };

static const struct {
    enum nb_paths paths;
    struct nb_ratio stretch;
} classes[CLASSES] = {
    { NB_PATHS_ANY, { 1, 1 } },      { NB_PATHS_MINIMAL, { 1, 1 } },
    { NB_PATHS_STRETCH, { 3, 2 } },  { NB_PATHS_STRETCH, { 2, 1 } },
    { NB_PATHS_TWO_TURN, { 1, 1 } },
};

/* A ratio slightly above a double. */
static struct nb_ratio ratio_above(double value)
{
    return nb_ratio_make((nb_int128)ceil(value * 0x1p20), (nb_int128)1 << 20);
}

/* Both goals for one class and rate; returns the least load. */
static struct nb_enclosure check_class(struct oblivious_case *testcase,
                                       size_t index)
{
    const struct plain_oblivious plain = {
        .topology = &testcase->topology,
        .paths = classes[index].paths,
        .stretch = nb_ratio_value(classes[index].stretch),
        .rate = nb_ratio_value(testcase->question.rate),
    };
    static const double room[] = { 1, 1.1, 1.75 };
    oblivious_case_set_paths(testcase, classes[index].paths,
                             classes[index].stretch);
    const struct nb_enclosure load = oblivious_case_find(testcase);
    oblivious_must_enclose(testcase, load, plain_oblivious_load(&plain));
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        const bool is_tight = i == 0 && nb_ratio_is_known(load.exact);
        const struct nb_ratio most =
            is_tight ? load.exact : ratio_above(load.upper * room[i]);
        const struct nb_enclosure hops =
            oblivious_case_find_hops(testcase, most);
        oblivious_must_enclose(
            testcase, hops,
            plain_oblivious_hops(&plain, nb_ratio_value(most) *
                                             (is_tight ? 1 + 1e-12 : 1)));
    }
    return load;
}

/* Any paths are at least as good as a narrower class. */
static void check_classes(struct oblivious_case *testcase, struct nb_ratio rate,
                          bool has_turns)
{
    struct nb_enclosure any = { 0 };
    testcase->question.rate = rate;
    for (size_t i = 0; i < CLASSES; i++) {
        if (classes[i].paths == NB_PATHS_TWO_TURN && !has_turns)
            continue;
        const struct nb_enclosure load = check_class(testcase, i);
        if (i == 0)
            any = load;
        TOPOLOGY_CHECK(any.lower <= load.upper, "%s, class %zu: %g above %g",
                       testcase->name, i, any.lower, load.upper);
    }
}

static const struct nb_ratio rates[] = { { 1, 1 }, { 3, 1 }, { 1, 2 } };

static void finds_the_same_on_directed_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        char text[TEXT];
        struct oblivious_case testcase;
        graph_random(seed, 4 + (uint32_t)seed % 3, 6, text, sizeof text);
        oblivious_case_open_file(&testcase, text, ".graphml", "");
        snprintf(testcase.name, sizeof testcase.name, "directed, seed %u",
                 (unsigned)seed);
        check_classes(&testcase, rates[seed % 3], false);
        oblivious_case_close(&testcase);
    }
}

/* A random tree with some more links, some of them parallel; every channel has
 * a reverse channel. */
static void draw_links(struct nb_random *random, uint32_t n, char *text,
                       size_t size)
{
    size_t at = 0;
    for (uint32_t link = 1; link < 2 * n; link++) {
        const uint32_t from =
            link < n ? link : (uint32_t)nb_random_below(random, n);
        const uint32_t to =
            link < n
                ? (uint32_t)nb_random_below(random, link)
                : (from + 1 + (uint32_t)nb_random_below(random, n - 1)) % n;
        at += (size_t)snprintf(text + at, size - at, "%u,%u,%u/2\n", from, to,
                               1 + (uint32_t)nb_random_below(random, 3));
    }
}

static void finds_the_same_on_undirected_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const uint32_t n = 3 + (uint32_t)seed % 3;
        uint32_t terminals[8];
        char text[TEXT];
        struct nb_random random;
        struct oblivious_case testcase;
        nb_random_init(&random, seed, 7);
        draw_links(&random, n, text, sizeof text);
        for (uint32_t r = 0; r < n; r++)
            terminals[r] = (uint32_t)nb_random_below(&random, 4);
        terminals[seed % n] = 2;
        terminals[(seed + 1) % n] = 1;
        oblivious_case_open_file(&testcase, text, ".csv", "");
        traffic_case_set_terminals(&testcase.topology, terminals);
        snprintf(testcase.name, sizeof testcase.name, "undirected, seed %u",
                 (unsigned)seed);
        check_classes(&testcase, rates[seed % 3], false);
        oblivious_case_close(&testcase);
    }
}

/* Networks with symmetries that terminals and bandwidths keep. */
static const struct {
    const char *topology;
    uint32_t terminals[8];
    struct nb_ratio bandwidth; /* of dimension 0; others have 1 */
    bool has_turns;
} symmetric[] = {
    { "ring:5", { 1, 1, 1, 1, 1 }, { 1, 1 }, false },
    { "ring:6", { 1, 2, 0, 1, 0, 2 }, { 1, 1 }, false },
    { "ring:6", { 1, 0, 1, 0, 1, 0 }, { 2, 3 }, false },
    { "mesh:3x2", { 1, 1, 1, 1, 1, 1 }, { 1, 1 }, true },
    { "mesh:3x2", { 3, 0, 3, 1, 2, 1 }, { 5, 2 }, true },
    { "mesh:2x2", { 1, 2, 2, 1 }, { 1, 1 }, true },
    { "torus:3x2", { 2, 2, 2, 1, 1, 1 }, { 1, 1 }, true },
    { "torus:3x2", { 1, 1, 1, 1, 1, 1 }, { 3, 1 }, true },
    { "complete:4", { 1, 1, 2, 2 }, { 1, 1 }, false },
    { "complete:4", { 0, 0, 5, 0 }, { 1, 1 }, false },
    { "hypercube:3", { 1, 0, 0, 1, 0, 1, 1, 0 }, { 1, 1 }, false },
};

static void set_bandwidth(struct nb_topology *topology,
                          struct nb_ratio bandwidth)
{
    for (size_t c = 0; c < topology->channel_count; c++) {
        struct nb_channel *channel = &topology->channels[c];
        if (topology->grid.dimensions > 0 &&
            nb_grid_coordinate(&topology->grid, channel->source, 0) !=
                nb_grid_coordinate(&topology->grid, channel->target, 0))
            channel->bandwidth = bandwidth;
    }
}

static void finds_the_same_with_symmetry(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof symmetric / sizeof *symmetric; i++) {
        struct oblivious_case testcase;
        oblivious_case_open(&testcase, symmetric[i].topology);
        traffic_case_set_terminals(&testcase.topology, symmetric[i].terminals);
        set_bandwidth(&testcase.topology, symmetric[i].bandwidth);
        check_classes(&testcase, rates[0], symmetric[i].has_turns);
        check_classes(&testcase, rates[1 + i % 2], symmetric[i].has_turns);
        oblivious_case_close(&testcase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_same_on_directed_graphs),
        cmocka_unit_test(finds_the_same_on_undirected_graphs),
        cmocka_unit_test(finds_the_same_with_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
