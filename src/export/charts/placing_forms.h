/* Forms of placing: each puts routers at least about 1 apart, wherever the
 * origin; nb_placing_build moves and scales that to the drawing. */
#ifndef NB_EXPORT_CHARTS_PLACING_FORMS_H
#define NB_EXPORT_CHARTS_PLACING_FORMS_H

#include "export/charts/placing.h"

/* The grid that a network is drawn as: its own or a HyperX's, of more than
 * one dimension or a line; NULL if there is none. */
const struct nb_grid *nb_placing_grid(const struct nb_topology *topology);

/* The least distance between two places. */
double nb_place_least_step(const struct nb_place *place, size_t count);

void nb_place_grid(const struct nb_grid *grid, size_t count,
                   struct nb_place *place);
/* Of a network whose routers all are in groups; of each group routers with
 * terminals and those without are in two rows, if it has both. */
void nb_place_groups(const struct nb_topology *topology,
                     struct nb_place *place);

/*
 * The networks of levels: those where every channel leads from a router to
 * one that is one hop nearer to, or farther from, the routers with terminals,
 * and not all routers have terminals.
 *
 * is_placed  out: whether it is one; else nothing is placed
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_place_levels(const struct nb_topology *topology,
                               struct nb_place *place, bool *is_placed,
                               struct nb_error *err);

/*
 * Places routers so that distances are near to the hops between them, weighed
 * by their inverse square: stress majorisation (Gansner, Koren and North,
 * Graph Drawing, 2004), router by router, from the two main axes of classical
 * scaling.
 *
 * is_placed  out: false if that makes no picture: for networks of diameter 2
 *            at most, above 400 routers, and where routers come to lie on top
 *            of each other; the places then mean nothing
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_place_spread(const struct nb_topology *topology,
                               struct nb_place *place, bool *is_placed,
                               struct nb_error *err);

#endif
