/* Oblivious changes: certificates of the best oblivious routing, changed at
 * random. */
#ifndef NB_TESTS_SUPPORT_OBLIVIOUS_CHANGES_H
#define NB_TESTS_SUPPORT_OBLIVIOUS_CHANGES_H

#include "optimum/best_oblivious.h"
#include "core/random.h"

/* A copy with its own arrays, released like the original. */
void oblivious_copy(const struct nb_best_oblivious *from, size_t routers,
                    struct nb_best_oblivious *out);

/* Changes a path, a dual or a weight: a number becomes another, near or far, a
 * router or channel some other or one that does not exist, an entry is
 * exchanged with another, shortened or left out, all numbers change. */
void oblivious_change(struct nb_random *random,
                      const struct nb_topology *topology,
                      struct nb_best_oblivious *best);

#endif
