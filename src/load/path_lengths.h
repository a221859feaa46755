/* Path lengths: how many hops packets from one router to another take. */
#ifndef NB_LOAD_PATH_LENGTHS_H
#define NB_LOAD_PATH_LENGTHS_H

#include "core/public.h"
#include "core/enclosure.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/* Owns its array; zero-initialised is valid and empty. */
struct nb_path_lengths {
    size_t count;                     /* 1 + the most hops */
    struct nb_enclosure *probability; /* [count] of so many hops */
};

/*
 * P(h) = sum over ways to begin, intermediate routers and paths of h hops of
 * their probability, followed step by step:
 *
 *     p(r', s') += p(r, s) weight / sum of weights
 *
 * over routers r and states s, layer by layer of hops.
 *
 * source, destination  routers with terminals
 *
 * Errors: NB_INVALID if the scheme goes round in circles; NB_OVERFLOW if its
 * paths are too many to be counted; NB_NO_MEMORY.
 */
enum nb_status nb_path_lengths_find(const struct nb_routing *routing,
                                    uint32_t source, uint32_t destination,
                                    struct nb_path_lengths *out,
                                    struct nb_error *err);
void nb_path_lengths_release(struct nb_path_lengths *lengths);

NB_PUBLIC_END

#endif
