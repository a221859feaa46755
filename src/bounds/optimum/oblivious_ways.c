#include "bounds/optimum/oblivious_work.h"

#include "core/memory.h"

#include <string.h>

size_t nb_oblivious_shorten(const struct nb_topology *topology, uint32_t source,
                            uint32_t *channel, size_t length, size_t *at)
{
    size_t kept = 0;
    at[source] = 1;
    for (size_t i = 0; i < length; i++) {
        const uint32_t to = topology->channels[channel[i]].target;
        if (at[to] > 0) { /* back at a router: forget those behind it */
            while (kept + 1 > at[to])
                at[topology->channels[channel[--kept]].target] = 0;
            at[to] = kept + 1;
        } else {
            channel[kept++] = channel[i];
            at[to] = kept + 1;
        }
    }
    at[source] = 0;
    for (size_t i = 0; i < kept; i++)
        at[topology->channels[channel[i]].target] = 0;
    return kept;
}

enum nb_status nb_oblivious_add_path(struct nb_path_table *paths, size_t first,
                                     uint32_t source, uint32_t destination,
                                     int64_t weight, const uint32_t *channel,
                                     size_t length, struct nb_error *err)
{
    for (size_t p = first; p < paths->path_count; p++) {
        struct nb_table_path *path = &paths->path[p];
        if (path->length == length &&
            memcmp(paths->channel + path->first, channel,
                   length * sizeof *channel) == 0) {
            path->weight += (uint64_t)weight;
            return NB_OK;
        }
    }
    return nb_path_table_add(paths, source, destination, (uint64_t)weight,
                             channel, length, err);
}

/* The tree of shortest paths to every router with terminals: [place * n +
 * router] the channel to go on by, NB_NONE at the router itself. */
static enum nb_status ways_find_trees(const struct nb_oblivious_case *here,
                                      uint32_t **tree, struct nb_error *err)
{
    const struct nb_topology *topology = here->topology;
    const size_t n = topology->router_count, e = here->orbits.e;
    struct nb_path_class any;
    struct nb_path_search search = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(tree, e * n, sizeof **tree, "shortest paths", err));
    NB_TRY(nb_path_class_init(topology, NB_PATHS_ANY, nb_ratio_one, &any, err));
    NB_TRY(nb_path_search_init(&any, &search, err));
    for (size_t w = 0; w < e; w++) {
        nb_path_search_run(&search, here->orbits.endpoint[w], NULL);
        memcpy(*tree + w * n, search.onward, n * sizeof **tree);
    }
done:
    nb_path_search_release(&search);
    return status;
}

/* Appends the tree's path from a router to its root; returns the length. */
static size_t ways_follow(const struct nb_topology *topology,
                          const uint32_t *tree, uint32_t router,
                          uint32_t *channel, size_t length)
{
    while (tree[router] != NB_NONE) {
        channel[length++] = tree[router];
        router = topology->channels[tree[router]].target;
    }
    return length;
}

enum nb_status nb_oblivious_way_paths(const struct nb_oblivious_case *here,
                                      int64_t weight,
                                      struct nb_path_table *paths,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = here->topology;
    const size_t n = topology->router_count, e = here->orbits.e;
    uint32_t *tree = NULL, *channel = NULL;
    size_t *at = NULL;
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(ways_find_trees(here, &tree, err));
    NB_TRY(nb_new(&channel, 2 * n, sizeof *channel, "a path", err));
    NB_TRY(nb_new(&at, n, sizeof *at, "a path", err));
    for (size_t index = 0; index < here->pair_count; index++) {
        const size_t pair = here->pair[index], first = paths->path_count;
        const uint32_t source = nb_oblivious_source(here, pair);
        for (size_t w = 0; w < e; w++) {
            size_t length =
                ways_follow(topology, tree + w * n, source, channel, 0);
            length = ways_follow(topology, tree + pair % e * n,
                                 here->orbits.endpoint[w], channel, length);
            length =
                nb_oblivious_shorten(topology, source, channel, length, at);
            NB_TRY(nb_oblivious_add_path(paths, first, source,
                                         nb_oblivious_destination(here, pair),
                                         weight, channel, length, err));
        }
    }
    nb_path_table_sort(paths);
done:
    nb_delete(tree);
    nb_delete(channel);
    nb_delete(at);
    if (status != NB_OK)
        nb_path_table_release(paths);
    return status;
}

enum nb_status nb_oblivious_short_paths(const struct nb_oblivious_case *here,
                                        int64_t weight,
                                        struct nb_path_table *paths,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = here->topology;
    struct nb_path_search search = { 0 };
    uint32_t *channel = NULL;
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(nb_new(&channel, topology->router_count, sizeof *channel, "a path",
                  err));
    NB_TRY(nb_path_search_init(here->question->class, &search, err));
    for (size_t index = 0; index < here->pair_count; index++) {
        const uint32_t source = nb_oblivious_source(here, here->pair[index]);
        const uint32_t destination =
            nb_oblivious_destination(here, here->pair[index]);
        nb_path_search_run(&search, destination, NULL);
        const size_t count = nb_path_search_path(&search, source, channel);
        NB_TRY(nb_path_table_add(paths, source, destination, (uint64_t)weight,
                                 channel, count, err));
    }
    nb_path_table_sort(paths);
done:
    nb_path_search_release(&search);
    nb_delete(channel);
    if (status != NB_OK)
        nb_path_table_release(paths);
    return status;
}
