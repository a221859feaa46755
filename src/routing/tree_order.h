/* Tree order: a spanning tree of any network, or one for each of several roots,
 * the order of routers that it gives, and so which channels lead up. */
#ifndef NB_ROUTING_TREE_ORDER_H
#define NB_ROUTING_TREE_ORDER_H

#include "routing/turn_ways.h"

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_tree_order {
    bool *is_root;    /* [router] */
    uint32_t *level;  /* [router] distance from the nearest root */
    uint64_t *rank;   /* [router] a channel to a lesser one leads up */
    uint32_t *parent; /* [router] in the tree; NB_NONE at a root and where there
                       * is no way */
    bool has_ways_down; /* all roots are as far from each router with terminals
                         * as the nearest one, so that each has ways down to
                         * all, as in a fat tree */
};

/* Whether a channel leads up. */
static inline bool nb_is_up(const struct nb_tree_order *order,
                            const struct nb_channel *channel)
{
    return order->rank[channel->target] < order->rank[channel->source];
}

/*
 * The order of a scheme's parameters root and tree. Roots are routers by name
 * or number, joined by +; or auto: those, without terminals if there are such,
 * of the least greatest distance to the routers with terminals, if all of them
 * have ways down to all; else the first one of the most channels of these.
 * Ranks are by distance from the nearest root and then by number, or with dfs,
 * from the first root alone, as a search meets routers.
 *
 * is_single  one root, so that parents span one tree
 *
 * Errors: NB_INVALID for no router of that name, or several where there is to
 * be one; NB_NO_MEMORY.
 */
enum nb_status nb_tree_order_build(const struct nb_routing *routing,
                                   bool is_single, struct nb_tree_order *out,
                                   struct nb_error *err);
void nb_tree_order_release(struct nb_tree_order *order);

/* Prohibits turns from down to up; tree_alone: only channels between a router
 * and its parent are usable. */
void nb_tree_order_prohibit(const struct nb_tree_order *order, bool tree_alone,
                            struct nb_turns *turns);

/* Rows of the parameters. */
#define NB_PARAMETER_ROOT                                                      \
    {                                                                          \
        .name = "root",                                                        \
        .help = "roots of the tree, by name or number, joined by +; auto: a "  \
                "fat tree's, or a central one",                                \
        .type = NB_WORD, .initial = "auto",                                    \
    }
#define NB_PARAMETER_TREE                                                      \
    {                                                                          \
        .name = "tree",                                                        \
        .help = "search that spans the tree: breadth first or depth first",    \
        .detail = "bfs: ranks by distance and number. dfs: ranks in the "      \
                  "order in which routers are met.",                           \
        .type = NB_CHOICE, .initial = "bfs", .choices = "bfs|dfs",             \
    }

#endif
