/* Automorphisms: a search for generators of all permutations of the routers
 * that keep a network. */
#ifndef NB_TOPOLOGY_AUTOMORPHISMS_H
#define NB_TOPOLOGY_AUTOMORPHISMS_H

#include "core/delete.h"
#include "topology/topology.h"
#include "topology/symmetry.h"

enum nb_automorphism_kind {
    NB_KEEPING_CHANNELS, /* bandwidths and terminals */
    NB_KEEPING_GROUPS,   /* also which channels are global */
};

/*
 * Individualisation and refinement: routers are distinguished by what their
 * channels lead to until nothing more changes; then one of those that still
 * look the same is singled out, and so on until every router is. Every other
 * end that the same choices can reach, and that fits, is an automorphism.
 * Parallel channels go to those of the same rank. Reversals are not found. The
 * answer depends only on the arguments, not on how a network was given.
 *
 * is_whole  out: whether they generate all automorphisms; false where that
 *           would take more than about a second
 *
 * Errors: NB_NO_MEMORY.
 *
 * Source: [McKayPiperno2014].
 */
enum nb_status nb_automorphisms_find(const struct nb_topology *topology,
                                     enum nb_automorphism_kind kind,
                                     struct nb_symmetry *out, bool *is_whole,
                                     struct nb_error *err);

#endif
