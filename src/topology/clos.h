/* Folded Clos networks as extended generalised fat trees: their shape, what
 * follows from it by counting, and sizing. */
#ifndef NB_TOPOLOGY_CLOS_H
#define NB_TOPOLOGY_CLOS_H

#include "topology/fit.h"

/*
 * Levels of switches 1 .. L, the leaves level 1: down[0] terminals at each
 * leaf, down[l - 1] switches below each of level l, up[l - 1] ways up from
 * each of level l < L. A subtree of height l has its leaves, their switches
 * up to level l and, of that level, the product of up[0 .. l - 2] tops.
 */
struct nb_clos {
    uint32_t levels; /* L, 2 to NB_MAX_DIMENSIONS */
    uint32_t down[NB_MAX_DIMENSIONS];
    uint32_t up[NB_MAX_DIMENSIONS];
};

enum { NB_CLOS_MOST = 1000000 }; /* each number of a shape */

/* Below 2^53 these are exact. */
double nb_clos_subtrees(const struct nb_clos *clos, uint32_t height);
double nb_clos_tops(const struct nb_clos *clos, uint32_t height);
/* Switches of a level. */
double nb_clos_switches(const struct nb_clos *clos, uint32_t level);
double nb_clos_terminals(const struct nb_clos *clos);
/* Links between a level and the next. */
double nb_clos_links(const struct nb_clos *clos, uint32_t level);

/*
 * Capacity [packets/cycle/terminal] of the channels between switches under
 * uniform traffic, self included: with T_l the terminals of a subtree of
 * height l and U_l = up[0] .. up[l - 1] the channels up from it, the least
 * over l < L of
 *
 *     U_l / (T_l (1 - T_l/T_L))
 *
 * No routing does better: what leaves a subtree takes those channels. Even
 * shortest paths attain it: a packet that leaves the subtree draws each of
 * its ways up alike, whichever its source and destination, so it takes each
 * of the U_l channels with the same probability; the ways down to its
 * destination are those up from there, reversed, and drawn alike as well.
 *
 * clos  of at most 2^32 switches
 */
struct nb_ratio nb_clos_capacity(const struct nb_clos *clos);

/*
 * As nb_topology_kind.fit, with h = floor(radix/2), for L = 2, 3, 4 levels:
 * half of the ports down and half up, at the top 2 h down. With
 * demand.terminals > 0 the top has no more ways down than hold them, so where
 * one subtree of height L - 1 > 1 holds them there is no network of L levels;
 * and a second network has 2 w terminals at a leaf of w = floor(radix/3)
 * ways up.
 *
 * Source: counting; k = 2h and L = 3 [AlFaresEtAl2008].
 */
enum nb_status nb_clos_fit(const struct nb_fit_demand *demand, size_t index,
                           struct nb_fit *out, struct nb_error *err);

#endif
