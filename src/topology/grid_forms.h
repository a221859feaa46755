/* Shared by grids: closed forms (one terminal per router, bandwidth 1) and the
 * reading of radices. */
#ifndef NB_TOPOLOGY_GRID_FORMS_H
#define NB_TOPOLOGY_GRID_FORMS_H

#include "topology/topology.h"

/*
 * The longest shortest path [hop]: the sum over dimensions of k - 1 (mesh) or
 * floor(k/2) (torus).
 *
 * Source: counting.
 */
struct nb_closed_form nb_grid_diameter(const struct nb_topology *topology);

/*
 * The mean shortest path [hop] over all ordered pairs: the sum over dimensions
 * of (k^2 - 1)/(3k) (mesh), k/4 (torus, k even) or (k^2 - 1)/(4k) (torus, k
 * odd).
 *
 * Source: [DallyTowles2004], with each router itself included.
 */
struct nb_closed_form nb_grid_mean_distance(const struct nb_topology *topology);

/*
 * The least bandwidth between two halves [packets/cycle], both directions. With
 * the radices in descending order, C_i the product of those after the i-th, and
 * e the first even one (or the last radix, if all are odd):
 *
 *     mesh   2 (C_1 + ... + C_e)
 *     torus  4 (C_1 + ... + C_e), every radix above 2
 *
 * A torus with radices of 2 has the bisection N capacity / 2 if a dimension of
 * least capacity has an even radix: this is the cut across that dimension, and
 * uniform traffic at capacity proves that none is smaller. Otherwise the value
 * is unknown.
 *
 * Source: mesh [Azizoglu2004], torus [ArjonaAroca2014].
 */
struct nb_closed_form nb_grid_bisection(const struct nb_topology *topology);

/*
 * Capacity [packets/cycle/terminal]: the least over dimensions of
 *
 *     mesh   4/k (k even), 4k/(k^2 - 1) (k odd)
 *     torus  2 (k = 2), 8/k (k even), 8k/(k^2 - 1) (k odd)
 *
 * The cut across the middle of a dimension allows no more, and dimension-order
 * routing with ties split attains it.
 *
 * Source: [DallyTowles2004]; counting.
 */
struct nb_closed_form nb_grid_capacity(const struct nb_topology *topology);

/* The same for one dimension of radix k. */
struct nb_ratio nb_grid_capacity_along(bool wraps, uint32_t k);

struct nb_fit_search;

/*
 * As nb_topology_kind.search: meshes or tori of 1 to 6 dimensions, none more
 * than twice as long as another; radices of a torus are above 2.
 */
enum nb_status nb_mesh_search(struct nb_fit_search *search,
                              struct nb_error *err);
enum nb_status nb_torus_search(struct nb_fit_search *search,
                               struct nb_error *err);

/* Builds a mesh (wraps = false) or torus from the parameter "radices".
 * Errors: those of nb_grid_build. */
enum nb_status nb_grid_read(const struct nb_specification *specification,
                            bool wraps, struct nb_topology *out,
                            struct nb_error *err);

#endif
