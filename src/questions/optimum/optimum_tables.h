/* Certificates of optimal routings as tables of the report, and back,
 * distrusting every cell: what `verify` checks. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_TABLES_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_TABLES_H

#include "bounds/optimum/best_flow.h"
#include "bounds/optimum/best_oblivious.h"
#include "bounds/optimum/best_unbalanced.h"
#include "load/sides.h"
#include "report/report.h"

/* Adds the table of paths, as routers joined by "-". prefix: before its name.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_optimum_add_paths(const struct nb_topology *topology,
                                    const char *prefix,
                                    const struct nb_path_table *paths,
                                    struct nb_point *out, struct nb_error *err);
/* Reads it back; the paths are sorted. Errors: NB_REFUTED if the table is
 * missing, a number is out of range or a path is none of the network. */
enum nb_status nb_optimum_read_paths(const struct nb_topology *topology,
                                     const char *prefix,
                                     const struct nb_point *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err);

/*
 * Adds the certificate: paths (those of the pairs that stand for the others)
 * and lengths (channels of length > 0); and the table bottleneck, these
 * channels with lengths as parts of the longest, unless nothing limits.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_optimum_add_flow(const struct nb_topology *topology,
                                   const struct nb_best_flow *best,
                                   struct nb_point *out, struct nb_error *err);

/* Reads the claim back from these tables. Errors: as nb_optimum_read_paths. */
enum nb_status nb_optimum_read_flow(const struct nb_topology *topology,
                                    const struct nb_point *given,
                                    struct nb_best_flow *out,
                                    struct nb_error *err);

/*
 * Adds the certificate: paths, duals (of each focus channel, rows of zeros
 * left out but for router 0), weights and, of least mean hops, weight_scale.
 *
 * prefix  before the tables' names: "" or "optimal_"
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_optimum_add_oblivious(const struct nb_topology *topology,
                                        const char *prefix,
                                        enum nb_oblivious_goal goal,
                                        const struct nb_best_oblivious *best,
                                        struct nb_point *out,
                                        struct nb_error *err);

/* Reads the claim back from these tables. Errors: as nb_optimum_read_paths. */
enum nb_status nb_optimum_read_oblivious(const struct nb_topology *topology,
                                         const char *prefix,
                                         enum nb_oblivious_goal goal,
                                         const struct nb_point *given,
                                         struct nb_best_oblivious *out,
                                         struct nb_error *err);

/* Of unbalanced traffic, the further tables weights_above and rates (one
 * row). */
void nb_optimum_add_rates(const struct nb_best_unbalanced *best,
                          struct nb_point *out);
/* Reads them back into out's above and its rates. Errors: NB_REFUTED. */
enum nb_status nb_optimum_read_rates(const struct nb_topology *topology,
                                     const struct nb_point *given,
                                     struct nb_best_unbalanced *out,
                                     struct nb_error *err);

/* The sides' permutation from the table permutation of terminals, of which
 * sides->router's first ones tell of all. permutation: out, [sides->count].
 * Errors: NB_REFUTED, also if it is no permutation. */
enum nb_status nb_optimum_read_permutation(const struct nb_sides *sides,
                                           const struct nb_point *given,
                                           uint32_t *permutation,
                                           struct nb_error *err);

#endif
