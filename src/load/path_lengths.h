/* Path lengths: the distribution of hops from one router to another. */
#ifndef NB_LOAD_PATH_LENGTHS_H
#define NB_LOAD_PATH_LENGTHS_H

#include "core/public.h"
#include "core/enclosure.h"
#include "routing/routing.h"

/* Owns its array; zero-initialised is valid and empty. */
struct nb_path_lengths {
    size_t count;                     /* 1 + the maximum number of hops */
    struct nb_enclosure *probability; /* [count] probability of this number of
                                       * hops */
};

NB_INTERNAL_BEGIN

/*
 * P(h) = sum over starts, intermediate routers and paths of h hops of their
 * probability, followed step by step:
 *
 *     p(r', s') += p(r, s) weight / sum of weights
 *
 * over routers r and states s, layer by layer of hops.
 *
 * source, destination  routers with terminals
 *
 * Errors: NB_INVALID if the scheme's paths form a cycle; NB_OVERFLOW if there
 * are too many paths to count; NB_NO_MEMORY.
 */
enum nb_status nb_path_lengths_find(const struct nb_routing *routing,
                                    uint32_t source, uint32_t destination,
                                    struct nb_path_lengths *out,
                                    struct nb_error *err);
void nb_path_lengths_release(struct nb_path_lengths *lengths);

NB_INTERNAL_END

#endif
