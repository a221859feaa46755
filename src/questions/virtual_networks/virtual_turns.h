/* Virtual turns: the order in which tokens activate virtual networks. */
#ifndef NB_QUESTIONS_VIRTUAL_NETWORKS_VIRTUAL_TURNS_H
#define NB_QUESTIONS_VIRTUAL_NETWORKS_VIRTUAL_TURNS_H

#include "questions/virtual_networks/virtual_networks_question.h"

/* Finds the order of those that asked->pending lists; none if it is not given.
 * out  empty; its name is freed by its owner, also after errors
 * Errors: NB_INVALID naming what is not a name, or is listed twice;
 * NB_NO_MEMORY. */
enum nb_status
nb_virtual_turns_find(const struct nb_virtual_networks_question *request,
                      struct nb_virtual_turns *out, struct nb_error *err);

/* Adds them to a report's point. */
void nb_virtual_turns_report(const struct nb_virtual_turns *turns,
                             struct nb_point *out);

#endif
