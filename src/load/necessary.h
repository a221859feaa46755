/* Necessary channels: those that lie on every shortest path of a pair. */
#ifndef NB_LOAD_NECESSARY_H
#define NB_LOAD_NECESSARY_H

#include "core/delete.h"
#include "core/parallel.h"
#include "load/sides.h"
#include "load/vertex_orbits.h"
#include "routing/routing.h"

/*
 * The routers through which every shortest path to a destination passes form a
 * tree: each router's parent is the first such router after it. A channel that
 * is the only next hop of its source u is necessary exactly for the routers of
 * u's subtree, so these trees give the answer for every channel.
 *
 * One tree represents all destinations of an orbit. Owns its arrays, borrows
 * topology and sides; zero-initialised is valid and empty.
 * Source: [Singh2005, section A.2.1], where a channel is necessary if the
 * distance grows without it.
 */
struct nb_necessary {
    const struct nb_topology *topology;
    const struct nb_sides *sides;
    struct nb_pool pool;
    uint32_t *side_start; /* [router + 1] first of the sides of each router */
    struct nb_vertex_orbits orbits;
    uint32_t *inverse; /* [router * n + r] inverse of orbits.map; NULL like
                        * it */
    size_t tree_count;
    uint32_t *root;    /* [tree] its destination */
    uint32_t *tree_of; /* [router] the tree of its orbit; NB_NONE: no sides */
    /* [tree * n + r], n routers */
    uint32_t *only;   /* r's only next channel; NB_NONE: none or several */
    uint32_t *place;  /* where r's subtree begins in list */
    uint32_t *extent; /* number of routers in r's subtree, r included */
    uint32_t *list;   /* [tree * n + place] routers, every subtree contiguous */
};

/*
 * The pairs of sides whose shortest paths all cross a channel, as a bipartite
 * graph: row j holds the sources i of the pairs (i, j), in any order. Owns its
 * arrays; zero-initialised is valid and empty.
 */
struct nb_necessary_pairs {
    size_t *row_start; /* [sides + 1] by destination */
    uint32_t *column;  /* [row_start[sides]] sources */
};

NB_INTERNAL_BEGIN

/*
 * routing  a scheme whose step lists every channel on a shortest path
 *          (any-minimal)
 *
 * Errors: NB_NO_MEMORY, before the greatest arrays are allocated if they do
 * not fit.
 */
enum nb_status nb_necessary_find(const struct nb_routing *routing,
                                 const struct nb_sides *sides,
                                 const struct nb_run *run,
                                 struct nb_necessary *out,
                                 struct nb_error *err);
void nb_necessary_release(struct nb_necessary *necessary);

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_necessary_pairs_find(const struct nb_necessary *necessary,
                                       uint32_t channel,
                                       struct nb_necessary_pairs *out,
                                       struct nb_error *err);
void nb_necessary_pairs_release(struct nb_necessary_pairs *pairs);

NB_INTERNAL_END

#endif
