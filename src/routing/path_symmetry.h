/* Path symmetry: which automorphisms of a network keep a table of paths. */
#ifndef NB_ROUTING_PATH_SYMMETRY_H
#define NB_ROUTING_PATH_SYMMETRY_H

#include "routing/path_table.h"

/*
 * The classes of automorphisms of which every generator that the topology
 * offers, and that keeps bandwidths and terminals, takes the table to itself:
 * of any path from i to j the image is a path between the images of i and j,
 * of the same weight.
 *
 * table    sorted, no path twice; weights of all pairs have one sum
 * classes  out: sum of enum nb_symmetry_class
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_path_symmetries(const struct nb_path_table *table,
                                  const struct nb_topology *topology,
                                  unsigned *classes, struct nb_error *err);

#endif
