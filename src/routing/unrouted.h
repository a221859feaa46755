/* Pairs that a scheme cannot route because a link or router failed, or because
 * tables from a file have no route for them. */
#ifndef NB_ROUTING_UNROUTED_H
#define NB_ROUTING_UNROUTED_H

#include "core/public.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/*
 * Refuses a scheme that lacks routes it may take. A scheme by coordinates or
 * levels takes the routes that it has on the whole network and does not avoid
 * failures: a pair is routed if none of its routes, through any intermediate
 * router and with any choice, needs a failed link. Where one does, its step
 * returns the channel NB_NONE. Schemes that follow shortest paths have routes
 * on every network.
 *
 * traffic  the pairs to check; NULL: all routers with terminals
 *
 * Errors: NB_INVALID with the number of pairs that are not routed, the first
 * one, and the failed link that it needs, if any; NB_NO_MEMORY.
 */
enum nb_status nb_routes_require(const struct nb_routing *routing,
                                 const struct nb_traffic *traffic,
                                 struct nb_error *err);

NB_PUBLIC_END

#endif
