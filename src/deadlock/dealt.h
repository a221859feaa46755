/* Dealt: pairs of routers dealt out to layers, in each of which no packets can
 * come to wait in a circle. */
#ifndef NB_DEADLOCK_DEALT_H
#define NB_DEADLOCK_DEALT_H

#include "core/public.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/*
 * If the packets of a pair keep to the class of its layer from their source to
 * their destination, the scheme is free with so many classes. Owns its array;
 * zero-initialised is valid and empty.
 */
struct nb_dealt {
    unsigned count; /* of layers; 0: none were found */
    uint8_t *layer; /* [destination * router_count + source] */
};

/*
 * Deals out pair after pair, each to the first layer in which the dependencies
 * of all its routes close no cycle. None are found where the routes of one pair
 * have a cycle by themselves, where more than NB_MOST_VC_CLASSES would be
 * needed, or where looking at all routes of all pairs takes too long.
 *
 * routing  of one phase that chooses no hops by queues
 *
 * Errors: as nb_walker_go; NB_NO_MEMORY.
 * Source: [SkeieLysneTheiss2002], for schemes of several paths as well.
 */
enum nb_status nb_dealt_find(const struct nb_routing *routing,
                             struct nb_dealt *out, struct nb_error *err);
void nb_dealt_release(struct nb_dealt *dealt);

/* Whether the layers given hold, by walking all routes again. Errors: as
 * nb_dealt_find. */
enum nb_status nb_dealt_check(const struct nb_routing *routing,
                              const struct nb_dealt *given, bool *holds,
                              struct nb_error *err);

NB_PUBLIC_END

#endif
