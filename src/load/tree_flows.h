/* Tree flows: flows into and out of every subtree of a fat tree, by origin. */
#ifndef NB_LOAD_TREE_FLOWS_H
#define NB_LOAD_TREE_FLOWS_H

#include "core/memory.h"
#include "core/ratio.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

enum nb_tree_direction { NB_TREE_UP, NB_TREE_DOWN };

/*
 * A subtree of height h >= 1 is the part below a switch of level h - 1: the
 * leaves c k^(h-1) to (c + 1) k^(h-1) - 1, with k^h channels up out of it and
 * the same number down into it. Packets go up evenly and keep on the path down
 * the digits that they got on the path up, so that these channels are
 * equivalent. Height 0: the terminals of leaf c, which are equivalent too: each
 * sends an equal share of the leaf's packets and receives one.
 *
 * Numerators are over the traffic's denominator. Owns its arrays;
 * zero-initialised is valid and empty.
 */
struct nb_tree_flows {
    struct nb_pool pool;
    struct nb_tree tree;
    uint64_t denominator;
    /* By height of the least common subtree of two leaves: height, 1 to levels,
     * of the subtree above which their packets turn. */
    uint32_t turn[32];
    bool is_by_root;  /* all packets turn at the roots */
    size_t start[32]; /* subtree c of height h is number start[h] + c */
    /* From a subtree, up out of the subtree of the next height; from beyond
     * that one, into the subtree. */
    nb_uint128 *out, *in;
    /* [k] for each subtree: into it, from its siblings and itself, packets that
     * turn right above it; at height 0 only the first, for all terminals. */
    nb_uint128 *turning;
};

/* Number of subtrees of this height, 0 to levels - 1. */
uint32_t nb_tree_flows_count(const struct nb_tree_flows *flows,
                             uint32_t height);

/* The subtree of this height that contains a leaf. */
uint32_t nb_tree_flows_subtree(const struct nb_tree_flows *flows, uint32_t leaf,
                               uint32_t height);

/*
 * Adds up every pair's rate.
 *
 * routing  on a fat tree, that of the traffic; up evenly over all channels, to
 *          one height for all pairs whose least common subtrees have the
 *          same height, then down: the height is found by following its routes
 *
 * Errors: NB_NO_MEMORY; NB_INVALID for a tree of too many switches times
 * leaves; NB_OVERFLOW: that of nb_traffic_column.
 */
enum nb_status nb_tree_flows_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  struct nb_tree_flows *out,
                                  struct nb_error *err);

/*
 * Packets per cycle, at injection rate 1, from each input to one channel up out
 * of a subtree (of height 1 to levels - 1) or down into it (0 to levels - 1; 0:
 * the channel to one terminal).
 *
 * rate  out, [2 k]: up, one for each channel from below (at height 1 for each
 *       terminal), k in total; down, k for the channels from above (at a root,
 *       without any, 0) and k for those from below
 *
 * Returns their number.
 */
size_t nb_tree_flows_inputs(const struct nb_tree_flows *flows,
                            enum nb_tree_direction direction, uint32_t height,
                            uint32_t subtree, struct nb_ratio *rate);

void nb_tree_flows_release(struct nb_tree_flows *flows);

#endif
