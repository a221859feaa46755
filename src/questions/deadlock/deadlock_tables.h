/* Tables of netbound deadlock: its proofs as certificates. */
#ifndef NB_QUESTIONS_DEADLOCK_DEADLOCK_TABLES_H
#define NB_QUESTIONS_DEADLOCK_DEADLOCK_TABLES_H

#include "deadlock/deadlock.h"
#include "report/report.h"

/* prefix: before the names of tables, "" or NB_ONE_CLASS. */
#define NB_ONE_CLASS "one_class_"
void nb_deadlock_add_tables(const struct nb_deadlock_proof *proof,
                            const struct nb_vc_classes *classes,
                            const char *prefix, struct nb_point *out);

/*
 * Reads them back. Without any of them out stays empty, with is_free false.
 *
 * vertices  channels times class_count
 *
 * Errors: NB_REFUTED; NB_NO_MEMORY.
 */
enum nb_status nb_deadlock_read_tables(const struct nb_point *given,
                                       const struct nb_topology *topology,
                                       unsigned class_count, const char *prefix,
                                       struct nb_deadlock_proof *out,
                                       struct nb_error *err);

/* The same of the pairs that are not in layer 0; without the table out stays
 * empty. */
void nb_deadlock_add_layers(const struct nb_dealt *dealt,
                            const struct nb_topology *topology,
                            struct nb_point *out);
enum nb_status nb_deadlock_read_layers(const struct nb_point *given,
                                       const struct nb_topology *topology,
                                       struct nb_dealt *out,
                                       struct nb_error *err);

/*
 * Adds how full the layers are of a scheme that has several and is executed
 * from tables: "routed_pairs" of different routers, "path_dependencies" of all
 * their paths, one for each hop but the first, "path_transitions" of them
 * between layers, and those within layer l as "path_dependencies_l", from 1 on.
 */
void nb_deadlock_add_paths(const struct nb_routing *routing,
                           struct nb_point *out);

#endif
