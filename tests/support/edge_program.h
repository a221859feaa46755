/* Edge program: the best flow as one plain linear program. */
#ifndef NB_TESTS_SUPPORT_EDGE_PROGRAM_H
#define NB_TESTS_SUPPORT_EDGE_PROGRAM_H

#include "bounds/optimum/best_flow.h"

/* Theta, from flows of all that goes to one destination over every channel
 * (and layer) there is; no symmetry and no paths. Fails the test if GLPK
 * does. Of two-turn paths: none. */
double edge_program_solve(const struct nb_best_flow_question *question);

#endif
