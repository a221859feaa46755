/* Problems whose schemes have one path for each pair. */
#ifndef NB_TESTS_SUPPORT_SINGLE_CASES_H
#define NB_TESTS_SUPPORT_SINGLE_CASES_H

#include "problem.h"

/* Runs a check on named networks, and on random graphs whose bandwidths and
 * numbers of terminals differ. */
void single_each(problem_check *check);

#endif
