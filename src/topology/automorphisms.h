/* Automorphisms: generators of all permutations of the routers that keep a
 * network, found by search. */
#ifndef NB_TOPOLOGY_AUTOMORPHISMS_H
#define NB_TOPOLOGY_AUTOMORPHISMS_H

#include "core/delete.h"
#include "topology/topology.h"
#include "topology/symmetry.h"

NB_PUBLIC_BEGIN

enum nb_automorphism_kind {
    NB_KEEPING_CHANNELS, /* bandwidths and terminals */
    NB_KEEPING_GROUPS,   /* also what channels are global */
};

/*
 * Individualisation and refinement: routers are told apart by what their
 * channels lead to until no more can be, then one of those still alike is
 * singled out, and so on to the end; every other end that the same choices can
 * lead to, and that fits, is an automorphism. Of parallel channels those of the
 * same rank go to one another. There are no reversals among them. The answer
 * depends on nothing but the arguments, not on how a network was given.
 *
 * is_whole  out: they generate all automorphisms; false where that would take
 *           more than about a second
 *
 * Errors: NB_NO_MEMORY.
 *
 * Source: [McKayPiperno2014].
 */
enum nb_status nb_automorphisms_find(const struct nb_topology *topology,
                                     enum nb_automorphism_kind kind,
                                     struct nb_symmetry *out, bool *is_whole,
                                     struct nb_error *err);

NB_PUBLIC_END

#endif
