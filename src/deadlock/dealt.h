/* Dealt: an assignment of pairs of routers to layers such that within each
 * layer packets cannot wait for each other in a cycle. */
#ifndef NB_DEADLOCK_DEALT_H
#define NB_DEADLOCK_DEALT_H

#include "core/public.h"
#include "routing/routing.h"

/*
 * If packets of a pair stay in the class of its layer from source to
 * destination, the scheme is free of deadlock with `count` classes. Owns its
 * array; zero-initialised is valid and empty.
 */
struct nb_dealt {
    unsigned count; /* layers; 0: none were found */
    uint8_t *layer; /* [destination * router_count + source] */
};

NB_INTERNAL_BEGIN

/*
 * Takes pair after pair and assigns each to the first layer in which the
 * dependencies of all its routes close no cycle. No layers are found where the
 * routes of one pair have a cycle by themselves, where more than
 * NB_MOST_VC_CLASSES would be needed, or where visiting all routes of all pairs
 * takes too long.
 *
 * routing  one phase; chooses no hops by queues
 *
 * Errors: those of nb_walker_go; NB_NO_MEMORY.
 * Source: [SkeieLysneTheiss2002], extended to schemes of several paths.
 */
enum nb_status nb_dealt_find(const struct nb_routing *routing,
                             struct nb_dealt *out, struct nb_error *err);
void nb_dealt_release(struct nb_dealt *dealt);

/* Whether the given layers are valid, by walking all routes again. Errors:
 * those of nb_dealt_find. */
enum nb_status nb_dealt_check(const struct nb_routing *routing,
                              const struct nb_dealt *given, bool *holds,
                              struct nb_error *err);

NB_INTERNAL_END

#endif
