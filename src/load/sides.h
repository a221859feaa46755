/* Sides: the rows and columns of worst-case matrices. */
#ifndef NB_LOAD_SIDES_H
#define NB_LOAD_SIDES_H

#include "load/pair_loads.h"

/*
 * Where all routers with terminals have the same number p of them, the worst
 * permutation of terminals is p times the worst one of routers (a p-regular
 * bipartite multigraph is a union of p matchings), so routers are the sides and
 * loads count p-fold. Else every terminal is a side. Owns router;
 * zero-initialised is valid and empty.
 */
struct nb_sides {
    size_t count;
    uint32_t multiplicity; /* p, or 1 */
    uint32_t *router;      /* [count] the router of each side */
};

NB_INTERNAL_BEGIN

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_sides_find(const struct nb_topology *topology,
                             struct nb_sides *out, struct nb_error *err);

void nb_sides_release(struct nb_sides *sides);

/* Bytes for the matrices of this many channels at once, over endpoints and
 * then over sides. */
double nb_sides_bytes(const struct nb_sides *sides,
                      const struct nb_routing *routing, size_t channels);

/* Expands a matrix over endpoints to one over sides: rows and columns of
 * routers with several terminals repeat. Errors: NB_NO_MEMORY. */
enum nb_status nb_sides_expand(const struct nb_sides *sides,
                               struct nb_pair_loads *loads,
                               struct nb_error *err);

NB_INTERNAL_END

#endif
