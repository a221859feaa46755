/* Edge program: the best flow as one plain linear program. */
#ifndef NB_TESTS_SUPPORT_EDGE_PROGRAM_H
#define NB_TESTS_SUPPORT_EDGE_PROGRAM_H

#include "optimum/best_flow.h"

/* Theta, from flows of all traffic to one destination over every channel (and
 * layer); without symmetry or paths. Fails the test if GLPK fails. Not for
 * two-turn paths. */
double edge_program_solve(const struct nb_best_flow_question *question);

#endif
