/* Quadrant: the routers between two routers when every dimension keeps one
 * direction. */
#ifndef NB_ROUTING_QUADRANT_H
#define NB_ROUTING_QUADRANT_H

#include "routing/routing.h"

/*
 * A direction class has one bit for each dimension in which a packet may go
 * either way round (those of a torus with radix above 2), the lowest dimension
 * first: 1 is plus. In the other dimensions the direction is fixed.
 * Source: [Singh2005, section 2.5, footnote 1].
 */
struct nb_quadrant {
    const struct nb_grid *grid;
    uint32_t source[NB_MAX_GRID]; /* coordinates */
    uint32_t hops[NB_MAX_GRID];   /* from source to destination */
    bool is_plus[NB_MAX_GRID];
    uint64_t size; /* number of routers: product of hops + 1 */
};

/* Whether a dimension has a bit in direction classes. */
bool nb_grid_turns(const struct nb_grid *grid, size_t dimension);

/* Whether it has two ends (that of a mesh with radix above 2), so that the
 * direction depends on the routers. With radix 2 there is only one
 * direction. */
bool nb_grid_ends(const struct nb_grid *grid, size_t dimension);

/* 2^(number of dimensions with a bit). */
size_t nb_grid_class_count(const struct nb_grid *grid);

void nb_quadrant_find(const struct nb_grid *grid, nb_route_state class,
                      uint32_t source, uint32_t destination,
                      struct nb_quadrant *out);

/* The index-th router of the quadrant, 0 <= index < size: the digits of index
 * count the hops from the source, dimension 0 fastest. */
uint32_t nb_quadrant_router(const struct nb_quadrant *quadrant, uint64_t index);

/*
 * Quadrants as boxes. Seen from a router, with all directions turned to plus,
 * the digits of place p count the hops in each dimension, dimension 0 fastest.
 * For all destinations in the same directions, the quadrant is then the box
 * between place 0 and the destination's place. In dimensions that end, the
 * direction is a bit of `mesh`.
 */
size_t nb_quadrant_mesh_count(const struct nb_grid *grid);

/*
 * Finds the router at each place.
 *
 * is_backward  seen from a destination, against the directions
 * places       out, [router_count]; NB_NONE where a dimension has ended
 */
void nb_quadrant_places(const struct nb_grid *grid, nb_route_state class,
                        size_t mesh, uint32_t router, bool is_backward,
                        uint32_t *places);

/* The place of the destination seen from the source, or, backward, of the
 * source seen from the destination. */
size_t nb_quadrant_place(const struct nb_quadrant *quadrant, bool is_backward,
                         size_t *mesh);

/* The least common multiple of all side lengths (numbers of routers) that
 * quadrants can have in one dimension; 0 above limit. */
int64_t nb_quadrant_sides(const struct nb_routing *routing, size_t dimension,
                          int64_t limit);

#endif
