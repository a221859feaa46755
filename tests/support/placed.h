/* Placed: networks put on a drawing for a test. */
#ifndef NB_TESTS_PLACED_H
#define NB_TESTS_PLACED_H

#include "export/charts/placing.h"

#define PLACED_WIDTH 640.0

/* Places or fails the test. */
void placed_build(const struct nb_topology *topology,
                  struct nb_placing *placing);

double placed_apart(struct nb_place one, struct nb_place other);

/* Fails the test unless a place is inside the drawing, this far from its
 * edge. */
void placed_check_inside(const struct nb_placing *placing,
                         struct nb_place place, double room, const char *name);

#endif
