/* Path classes and the search for shortest paths in them, against all simple
 * paths of small networks. */
#include "optimum/path_class.h"

#include "support/graphs.h"
#include "support/problem.h"
#include "support/topology_checks.h"
#include "core/memory.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 9, TRIALS = 12 }; /* routers; random lengths */

/* Class for a test. */
struct wanted {
    enum nb_paths paths;
    struct nb_ratio stretch;
};

static const struct wanted wanted[] = {
    { NB_PATHS_ANY, { 0 } },
    { NB_PATHS_MINIMAL, { 0 } },
    { NB_PATHS_STRETCH, { 1, 1 } },
    { NB_PATHS_STRETCH, { 3, 2 } },
    { NB_PATHS_STRETCH, { 299, 100 } },
    { NB_PATHS_TWO_TURN, { 0 } },
};

/* Values for a pair from its simple paths. */
struct pair {
    uint32_t hops;  /* the fewest */
    uint32_t ways;  /* the least of 100 times the number of global channels plus
                     * that of local ones */
    int64_t length; /* the least in the class */
    size_t count;   /* hops of the best path: fewest first, then the first by
                     * channels */
    uint32_t path[MOST];
};

/* Enumeration of all simple paths of a network. */
struct paths {
    const struct nb_topology *topology;
    const char *name;
    uint64_t trial;
    int64_t length[MOST * MOST * 4];
    struct nb_path_class path_class;
    struct nb_path_search search[MOST]; /* [destination] */
    struct pair pair[MOST][MOST];       /* [source][destination] */
    /* The present path. */
    uint32_t source, router;
    size_t count;
    uint32_t channel[MOST];
    bool is_met[MOST];
};

#define PATHS_CHECK(condition, paths)                                          \
    TOPOLOGY_CHECK(condition,                                                  \
                   "%s, paths %d, stretch %d/%d, lengths %d: from "            \
                   "%u to %u in %zu hops",                                     \
                   (paths)->name, (int)(paths)->path_class.paths,              \
                   (int)(paths)->path_class.stretch.numerator,                 \
                   (int)(paths)->path_class.stretch.denominator,               \
                   (int)(paths)->trial, (paths)->source, (paths)->router,      \
                   (paths)->count)

/* Visits every simple path that continues the present one, smaller channels
 * first. */
static void visit_all(struct paths *paths, void (*visit)(struct paths *paths))
{
    const struct nb_topology *topology = paths->topology;
    const uint32_t router = paths->router;
    paths->is_met[router] = true;
    visit(paths);
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        if (paths->is_met[topology->channels[c].target])
            continue;
        paths->channel[paths->count++] = c;
        paths->router = topology->channels[c].target;
        visit_all(paths, visit);
        paths->count--;
    }
    paths->router = router;
    paths->is_met[router] = false;
}

static void visit_from_everywhere(struct paths *paths,
                                  void (*visit)(struct paths *paths))
{
    for (uint32_t r = 0; r < paths->topology->router_count; r++) {
        paths->source = paths->router = r;
        visit_all(paths, visit);
    }
}

/* Hops; where global channels count first, each of these as 100. */
static uint32_t ways_of(const struct paths *paths)
{
    const struct nb_topology *topology = paths->topology;
    uint32_t ways = 0;
    for (size_t h = 0; h < paths->count; h++) {
        const struct nb_channel *at = &topology->channels[paths->channel[h]];
        const uint32_t *group = topology->groups.of;
        ways += topology->groups.counts_global_first &&
                        group[at->source] != group[at->target]
                    ? 100
                    : 1;
    }
    return ways;
}

static int turns_of(const struct paths *paths)
{
    int turns = 0;
    bool was_across = false;
    for (size_t h = 0; h < paths->count; h++) {
        const struct nb_channel *at =
            &paths->topology->channels[paths->channel[h]];
        const uint32_t radix = paths->topology->grid.radix[0];
        const bool is_across = at->source / radix == at->target / radix;
        turns += h > 0 && is_across != was_across;
        was_across = is_across;
    }
    return turns;
}

static void learn_shortest(struct paths *paths)
{
    struct pair *pair = &paths->pair[paths->source][paths->router];
    const uint32_t ways = ways_of(paths);
    if (paths->count < pair->hops)
        pair->hops = (uint32_t)paths->count;
    if (ways < pair->ways)
        pair->ways = ways;
}

/* Whether the present path is in the class, by the definition of the class. */
static bool is_in_class(const struct paths *paths)
{
    const struct pair *pair = &paths->pair[paths->source][paths->router];
    const struct nb_ratio stretch = paths->path_class.stretch;
    switch (paths->path_class.paths) {
    case NB_PATHS_MINIMAL:
        return ways_of(paths) == pair->ways;
    case NB_PATHS_STRETCH:
        return (int64_t)paths->count * stretch.denominator <=
               stretch.numerator * pair->hops;
    case NB_PATHS_TWO_TURN:
        return turns_of(paths) <= 2;
    default:
        return true;
    }
}

/* Whether a layer is listed among those that lead to a state. */
static bool leads_to(const struct nb_path_class *class, uint32_t layer,
                     uint32_t state)
{
    uint32_t named[2];
    const size_t count = nb_path_class_layers_to(class, state, named);
    return (count > 0 && named[0] == layer) || (count > 1 && named[1] == layer);
}

/* Whether the present path can be walked in layers. */
static bool has_layers(const struct paths *paths)
{
    const uint32_t hops = paths->pair[paths->source][paths->router].hops;
    uint64_t states = (uint64_t)1
                      << nb_path_class_start(&paths->path_class, hops);
    for (size_t h = 0; h < paths->count; h++) {
        uint64_t next = 0;
        uint32_t from, to, layer = 0;
        for (; nb_path_class_layer(&paths->path_class, paths->channel[h], layer,
                                   &from, &to);
             layer++) {
            PATHS_CHECK(from < paths->path_class.state_count &&
                            to < paths->path_class.state_count &&
                            leads_to(&paths->path_class, layer, to),
                        paths);
            if ((states >> from & 1) != 0)
                next |= (uint64_t)1 << to;
        }
        PATHS_CHECK(layer == paths->path_class.layer_count, paths);
        states = next;
    }
    return states != 0;
}

/* Evaluates the present path and keeps it if it is the best. */
static void compare_path(struct paths *paths)
{
    struct pair *pair = &paths->pair[paths->source][paths->router];
    const bool is_permitted = is_in_class(paths);
    int64_t length = 0;
    PATHS_CHECK(nb_path_search_permits(&paths->search[paths->router],
                                       paths->source, paths->count,
                                       paths->channel) == is_permitted,
                paths);
    PATHS_CHECK(paths->path_class.paths == NB_PATHS_MINIMAL ||
                    has_layers(paths) == is_permitted,
                paths);
    for (size_t h = 0; h < paths->count; h++)
        length += paths->length[paths->channel[h]];
    if (!is_permitted || length > pair->length ||
        (length == pair->length && paths->count >= pair->count))
        return;
    pair->length = length;
    pair->count = paths->count;
    memcpy(pair->path, paths->channel, sizeof pair->path);
}

/* The paths found must be the best ones of the pairs. */
static void compare_found(struct paths *paths)
{
    for (uint32_t s = 0; s < paths->topology->router_count; s++) {
        for (uint32_t t = 0; t < paths->topology->router_count; t++) {
            const struct nb_path_search *search = &paths->search[t];
            const struct pair *pair = &paths->pair[s][t];
            uint32_t found[MOST];
            paths->source = s;
            paths->router = t;
            paths->count = pair->count;
            PATHS_CHECK(nb_path_search_distance(search, s) == pair->length,
                        paths);
            PATHS_CHECK(nb_path_search_path(search, s, NULL) == pair->count,
                        paths);
            nb_path_search_path(search, s, found);
            PATHS_CHECK(
                memcmp(found, pair->path, pair->count * sizeof *found) == 0,
                paths);
        }
    }
    paths->count = 0;
}

/* Many lengths are 0, and many sums are equal; in the last trial lengths have
 * the maximum value. */
static void draw_lengths(struct paths *paths)
{
    static const uint64_t least[] = { 1, 2, 3, 10, 2 };
    const uint64_t most = (uint64_t)1 << 40;
    const size_t kind = paths->trial % 6;
    struct nb_random random;
    nb_random_init(&random, 1, paths->trial);
    for (size_t c = 0; c < paths->topology->channel_count; c++) {
        const uint64_t drawn =
            kind == 5 ? most : nb_random_below(&random, least[kind]);
        paths->length[c] = (int64_t)(kind == 4 ? drawn * most : drawn);
    }
}

/* The searches alternate between destinations, so that each meets the data of
 * another. */
static void compare_class(struct paths *paths)
{
    const size_t n = paths->topology->router_count;
    for (size_t r = 0; r < n; r++)
        assert_int_equal(
            nb_path_search_init(&paths->path_class, &paths->search[r], NULL),
            NB_OK);
    for (paths->trial = 0; paths->trial < TRIALS; paths->trial++) {
        const struct nb_path_search first = paths->search[0];
        memmove(paths->search, paths->search + 1,
                (n - 1) * sizeof *paths->search);
        paths->search[n - 1] = first;
        draw_lengths(paths);
        for (uint32_t t = 0; t < n; t++) {
            nb_path_search_run(&paths->search[t], t, paths->length);
            for (uint32_t s = 0; s < n; s++)
                paths->pair[s][t].length = INT64_MAX;
        }
        visit_from_everywhere(paths, compare_path);
        compare_found(paths);
    }
    for (size_t r = 0; r < n; r++)
        nb_path_search_release(&paths->search[r]);
}

static void compare_network(const struct nb_topology *topology,
                            const char *name)
{
    static struct paths paths;
    assert_true(topology->router_count <= MOST &&
                topology->channel_count <=
                    sizeof paths.length / sizeof *paths.length);
    paths = (struct paths){ .topology = topology, .name = name };
    for (size_t s = 0; s < MOST; s++)
        for (size_t t = 0; t < MOST; t++)
            paths.pair[s][t].hops = paths.pair[s][t].ways = UINT32_MAX;
    visit_from_everywhere(&paths, learn_shortest);
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        if (wanted[w].paths == NB_PATHS_TWO_TURN &&
            topology->grid.dimensions != 2)
            continue;
        assert_int_equal(nb_path_class_init(topology, wanted[w].paths,
                                            wanted[w].stretch,
                                            &paths.path_class, NULL),
                         NB_OK);
        compare_class(&paths);
    }
}

static void agrees_with_all_paths(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ring:5",     "torus:3x3",       "mesh:3x3",      "mesh:4x2",
        "torus:2x4",  "torus:2x2",       "hypercube:2",   "hypercube:3",
        "complete:5", "fattree:k=2,n=2", "dragonfly:h=1",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build(names[i], &topology);
        compare_network(&topology, names[i]);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void compare_problem(const struct problem *problem, const char *name)
{
    compare_network(&problem->topology, name);
}

/* Channels of one direction, parallel ones. */
static void agrees_on_random_graphs(void **state)
{
    (void)state;
    graph_each_random(24, 2, 6, 7, compare_problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_all_paths),
        cmocka_unit_test(agrees_on_random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
