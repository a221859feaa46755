/* Adds the names of a file's routers to tables, next to their numbers. */
#ifndef NB_ASK_ROUTER_NAMES_H
#define NB_ASK_ROUTER_NAMES_H

#include "model/model.h"
#include "report/report.h"

/*
 * If the model's network is a file whose routers have names, adds them to every
 * table of an answer: for each column source, target, destination or router, a
 * column source_name and so on at the end. A terminal has the name of its
 * router; the third terminal of a router with several is NAME.2.
 *
 * Errors: those of nb_topology_build; NB_NO_MEMORY.
 */
enum nb_status nb_point_name_routers(struct nb_point *point,
                                     const struct nb_model *model,
                                     struct nb_error *err);

#endif
