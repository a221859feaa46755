/* Tree order: a spanning tree of any network, the order of routers that it
 * gives, and so which channels lead up, towards its root. */
#ifndef NB_ROUTING_TREE_ORDER_H
#define NB_ROUTING_TREE_ORDER_H

#include "routing/routing.h"

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_tree_order {
    uint32_t root;
    uint64_t *rank;   /* [router] 0 at the root; a channel to a lesser one leads
                       * up */
    uint32_t *parent; /* [router] in the tree; NB_NONE at the root and where
                       * there is no way */
};

/*
 * The tree of a scheme's parameters root and tree: a router's name or number,
 * or "auto", that with the least greatest distance to any other, of the most
 * channels, of the least number, where there are some without terminals of
 * these; and bfs, ranked by distance from the root and then number, or dfs,
 * ranked as the search meets them.
 *
 * Errors: NB_INVALID for no router of that name; NB_NO_MEMORY.
 */
enum nb_status nb_tree_order_build(const struct nb_routing *routing,
                                   struct nb_tree_order *out,
                                   struct nb_error *err);
void nb_tree_order_release(struct nb_tree_order *order);

/* Rows of the parameters. */
#define NB_PARAMETER_ROOT                                                      \
    {                                                                          \
        .name = "root",                                                        \
        .help =                                                                \
            "router at the root of the tree, by name or number; auto: one "    \
            "in the middle, without terminals if there are such",              \
        .type = NB_WORD, .initial = "auto",                                    \
    }
#define NB_PARAMETER_TREE                                                      \
    {                                                                          \
        .name = "tree",                                                        \
        .help =                                                                \
            "search that spans the tree: breadth first, ranks by distance "    \
            "and number; or depth first, ranks as it meets routers",           \
        .type = NB_CHOICE, .initial = "bfs", .choices = "bfs|dfs",             \
    }

#endif
