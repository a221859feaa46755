/* Tree order: a spanning tree of any network, or one for each of several roots,
 * and the order of routers that follows from it, which defines the channels
 * that lead up. */
#ifndef NB_ROUTING_TREE_ORDER_H
#define NB_ROUTING_TREE_ORDER_H

#include "routing/turn_ways.h"

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_tree_order {
    bool *is_root;    /* [router] */
    uint32_t *level;  /* [router] distance from the nearest root */
    uint64_t *rank;   /* [router] channels to a lesser rank lead up */
    uint32_t *parent; /* [router] in the tree; NB_NONE at a root and if there is
                       * no path */
    bool has_ways_down; /* any two routers with terminals have a root above
                         * both, from which paths lead down level by level */
};

/* Whether a channel leads up. */
static inline bool nb_is_up(const struct nb_tree_order *order,
                            const struct nb_channel *channel)
{
    return order->rank[channel->target] < order->rank[channel->source];
}

/*
 * Builds the order from a scheme's parameters root and tree. Roots are routers
 * by name or number, joined by +, auto, or random, one router drawn by seed.
 * auto takes the highest level of a tree of switches (cabling.h), which may
 * lack cables; or else the routers without terminals, if there are any, whose
 * greatest distance to the routers with terminals is least. If two routers with
 * terminals have no root above both, it takes only the first of the latter with
 * the most channels. Ranks are by distance from the nearest root and then by
 * number or, with dfs, in the order in which a search from the first root meets
 * routers.
 *
 * is_single  one root, so that parents span one tree
 *
 * Errors: NB_INVALID if there is no router of that name, or several are named
 * where one is permitted; NB_NO_MEMORY.
 */
enum nb_status nb_tree_order_build(const struct nb_routing *routing,
                                   bool is_single, struct nb_tree_order *out,
                                   struct nb_error *err);
/* The same with one given root. */
enum nb_status nb_tree_order_from(const struct nb_routing *routing,
                                  uint32_t root, struct nb_tree_order *out,
                                  struct nb_error *err);
void nb_tree_order_release(struct nb_tree_order *order);

/*
 * The roots that a scheme with root=auto may try, which others than the most
 * central one often serve better: the order's own first, then all others in an
 * order in which those far apart by number come first. Only the first if a root
 * is given, or the order has several.
 *
 * roots    out, [router_count]
 * returns  their number
 */
size_t nb_tree_order_roots(const struct nb_routing *routing,
                           const struct nb_tree_order *order, uint32_t *roots);

/* Prohibits turns from down to up; tree_alone: only channels between a router
 * and its parent are usable. */
void nb_tree_order_prohibit(const struct nb_tree_order *order, bool tree_alone,
                            struct nb_turns *turns);

/* Rows of the parameters; root=random needs a seed (parameters.h). */
#define NB_PARAMETER_ROOT                                                      \
    {                                                                          \
        .name = "root",                                                        \
        .help = "roots of the tree, by name or number, joined by +; auto: a "  \
                "fat tree's, or a central one; random",                        \
        .detail = "auto: updown and nue try other routers, too, and keep the " \
                  "best. random: one router, drawn by seed.",                  \
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
