/* The names of a file's routers beside their numbers in tables. */
#ifndef NB_QUESTIONS_ROUTER_NAMES_H
#define NB_QUESTIONS_ROUTER_NAMES_H

#include "model/model.h"
#include "report/report.h"

/*
 * Where the network that a model names is a file whose routers have names, adds
 * them to every table of an answer: to a column source, target, destination or
 * router one more at the end, source_name and so on. Terminals are called by
 * their routers, the third of one with several NAME.2.
 *
 * Errors: as nb_topology_build; NB_NO_MEMORY.
 */
enum nb_status nb_point_name_routers(struct nb_point *point,
                                     const struct nb_model *model,
                                     struct nb_error *err);

#endif
