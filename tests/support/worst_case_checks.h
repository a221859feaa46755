/* Worst-case answers: finding and checking one, or failing the test. */
#ifndef NB_TESTS_SUPPORT_WORST_CASE_CHECKS_H
#define NB_TESTS_SUPPORT_WORST_CASE_CHECKS_H

#include "bounds/worst_case/worst_case.h"
#include "problem.h"

void worst_case_must_find(const struct problem *problem, const char *name,
                          int threads, struct nb_worst_case *out);

/* The check accepts the claim, over all channels, and the values it sets are
 * those that were there. */
void worst_case_must_pass(const struct problem *problem, const char *name,
                          struct nb_worst_case *claimed);

/* The load of a claim's permutation on its worst channel, by the crossings of
 * walk_all_pairs. */
struct nb_ratio worst_case_claim_load(const struct problem *problem,
                                      const struct nb_ratio *all,
                                      const struct nb_worst_case *claimed);

#endif
