/* Pairs that a scheme cannot route because a link or router failed, or because
 * tables from a file have no route. */
#ifndef NB_ROUTING_UNROUTED_H
#define NB_ROUTING_UNROUTED_H

#include "core/public.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/*
 * Whether a scheme has all routes that it may take. A scheme by coordinates or
 * levels takes the routes it has on the whole network, and is not changed to go
 * round what failed: a pair is routed if none of its routes, through whatever
 * intermediate router and with whatever choice, needs a failed link. Its step
 * then names NB_NONE as the channel nowhere. Schemes that follow shortest paths
 * have routes on every network.
 *
 * traffic  the pairs that are asked about; NULL: all routers with terminals
 *
 * Errors: NB_INVALID with the number of pairs that are not routed, the first
 * one, and the failed link that it needs if one is; NB_NO_MEMORY.
 */
enum nb_status nb_routes_require(const struct nb_routing *routing,
                                 const struct nb_traffic *traffic,
                                 struct nb_error *err);

NB_PUBLIC_END

#endif
