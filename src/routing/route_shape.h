/* Route shape: the maximum hops of a scheme's routes, by their place relative
 * to the global ones. */
#ifndef NB_ROUTING_ROUTE_SHAPE_H
#define NB_ROUTING_ROUTE_SHAPE_H

#include "core/public.h"
#include "routing/routing.h"

/* The maximum hops of the routes of one phase between routers with terminals; a
 * count is NB_NO_ROUTE if there are no such routes. */
enum { NB_NO_ROUTE = -1 };

struct nb_route_shape {
    int32_t hops;    /* in total */
    int32_t global;  /* global ones */
    int32_t before;  /* local ones before the first global one */
    int32_t between; /* consecutive local ones before any global one */
    int32_t after;   /* local ones after the last global one */
    int32_t alone;   /* local ones of routes without a global one */
    /* Channels lead away from the routers with terminals or towards them, and
     * no route goes away again once it went towards them. */
    bool is_up_down;
};

/*
 * For each phase; for a one-phase scheme both are the same.
 *
 * out  [2] the first covers only routes to routers that the policy of
 *      intermediate routers can choose, except between and is_up_down, which
 *      cover routes to any
 *
 * Errors: NB_NO_MEMORY; those of nb_walker_go.
 */
enum nb_status nb_route_shape_find(const struct nb_routing *routing,
                                   struct nb_route_shape *out,
                                   struct nb_error *err);

/* Upper bound on the local hops after which a detour begins: for a progressive
 * scheme all that precede a global one, else none. shape: of its first
 * phase. */
uint32_t nb_route_late(const struct nb_routing *routing,
                       const struct nb_route_shape *shape);

/*
 * Virtual channels that keep any routes free of cyclic waiting. If no route
 * crosses two global channels in one phase, the index of a hop is its place: in
 * each phase first the local hops before the global one, then those after it;
 * in a route without a global hop, all from the first index on,
 *
 *     local = sum over phases max(most before + most after, most without),
 *     global = phases with global hops.
 *
 * Otherwise it is the number of the hop in its route, and both are the sum over
 * phases of the maximum hops. Either index ascends with every hop, so that no
 * cycle closes [Gunther1981]; special orders, such as up and down a tree, need
 * fewer.
 *
 * Errors: those of nb_route_shape_find.
 */
struct nb_virtual_channels {
    uint32_t local, global;
    bool is_by_place;
};
enum nb_status nb_virtual_channels_find(const struct nb_routing *routing,
                                        struct nb_virtual_channels *out,
                                        struct nb_error *err);

#endif
