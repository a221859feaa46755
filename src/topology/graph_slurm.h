/* What Slurm's two formats of topologies share. Internal to their readers. */
#ifndef NB_TOPOLOGY_GRAPH_SLURM_H
#define NB_TOPOLOGY_GRAPH_SLURM_H

#include "topology/graph.h"

/* Adds a switch or node. Errors: NB_INVALID naming file, line and name if it is
 * there already, or no text; NB_NO_MEMORY. */
enum nb_status nb_slurm_add(struct nb_graph *graph, size_t line,
                            const char *name, uint32_t terminals,
                            struct nb_error *err);

/*
 * Joins a switch with all names of a list, such as n[0-3,12],m; each is one
 * link, since Slurm does not say how many there are.
 *
 * are_nodes  false: they are switches
 *
 * Errors: NB_INVALID naming file, line and list; NB_NO_MEMORY.
 */
enum nb_status nb_slurm_join(struct nb_graph *graph, size_t line,
                             const char *name, const char *list, bool are_nodes,
                             struct nb_error *err);

/* Numbers switches before nodes, and sets their levels. Errors: NB_INVALID
 * naming what is not declared or below itself; NB_NO_MEMORY. */
enum nb_status nb_slurm_finish(struct nb_graph *graph, struct nb_error *err);

#endif
