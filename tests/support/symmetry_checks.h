/* Checks of a network's symmetries. */
#ifndef NB_TESTS_SUPPORT_SYMMETRY_CHECKS_H
#define NB_TESTS_SUPPORT_SYMMETRY_CHECKS_H

#include "topology/symmetry.h"

/* Every generator permutes routers and channels so that channels go where their
 * ends go; bandwidths and terminals stay. */
void symmetry_must_fit(const struct nb_symmetry *symmetry,
                       const struct nb_topology *topology, const char *name);

/* The number of elements of the group of the generators: at most 400, on at
 * most 16 routers and 64 channels. */
size_t symmetry_group_size(const struct nb_symmetry *symmetry);

#endif
