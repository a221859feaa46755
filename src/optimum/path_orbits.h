/* Path orbits: extends a routing from one pair of each orbit to all pairs. */
#ifndef NB_OPTIMUM_PATH_ORBITS_H
#define NB_OPTIMUM_PATH_ORBITS_H

#include "optimum/path_class.h"
#include "topology/symmetry.h"
#include "routing/path_table.h"

/*
 * Averages a routing over a group of symmetries. Given the paths of one pair of
 * each orbit, the pair's distribution over them moves with the group: of the m
 * images of a path that join one pair, each has 1/m of the total weight of the
 * given paths among its images. So, over the m_o channels c' of the orbit of c
 * for the given pair,
 *
 *     gamma_c(i, j) = 1/m_o sum_c' gamma_c'(pair),
 *
 * and every permutation or traffic that the group keeps loads all channels of
 * an orbit equally.
 *
 * given  sorted; each pair's weights have the same sum. At most one pair per
 *        orbit may be given
 * out    every pair's paths, sorted; weights of all pairs have one sum
 *
 * Errors: NB_OVERFLOW if that sum would exceed 2^53; NB_NO_MEMORY.
 */
enum nb_status nb_path_orbits_spread(const struct nb_symmetry *symmetry,
                                     const struct nb_topology *topology,
                                     const struct nb_path_table *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err);

/* Gives each pair without paths (a traffic may not use all pairs) one shortest
 * path of the class, so that every command accepts the table.
 *
 * table  sorted, also afterwards
 *
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_path_orbits_complete(const struct nb_path_class *path_class,
                                       struct nb_path_table *table,
                                       struct nb_error *err);

#endif
