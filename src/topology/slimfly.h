/* Slim Fly: the field and the generator sets of a McKay-Miller-Siran graph,
 * and what its automorphisms do to them. */
#ifndef NB_TOPOLOGY_SLIMFLY_H
#define NB_TOPOLOGY_SLIMFLY_H

#include "topology/galois.h"
#include "topology/topology.h"

enum { NB_SLIMFLY_LEAST = 3, NB_SLIMFLY_MOST = NB_GALOIS_MOST };

struct nb_slimfly {
    struct nb_galois field;
    bool is_generator[2][NB_GALOIS_MOST]; /* [side][difference of rows] */
};

/*
 * The generator sets over the field of q elements: even powers of the
 * primitive element for side 0, odd ones for side 1; where -1 is an odd power,
 * the first half of these and their negatives. False if q is not permitted.
 *
 * Source: [Hafner2004]; [BestaHoefler2014].
 */
bool nb_slimfly_build(uint32_t q, struct nb_slimfly *out);

/* Channels from each router. */
uint32_t nb_slimfly_degree(uint32_t q);

/* As nb_topology_kind.symmetry: shifts of rows, columns and slopes, and
 * scalings of them; where the field has one that exchanges the generator sets,
 * the sides as well. */
unsigned nb_slimfly_symmetry(const struct nb_topology *topology, size_t index,
                             uint32_t *router_map);

#endif
