/* Unbalanced answers: finding and checking one, or failing the test. */
#ifndef NB_TESTS_SUPPORT_UNBALANCED_CHECKS_H
#define NB_TESTS_SUPPORT_UNBALANCED_CHECKS_H

#include "bounds/worst_case/unbalanced_case.h"
#include "problem.h"

void unbalanced_must_find(const struct problem *problem, const char *name,
                          struct nb_unbalanced_case *out);

/* The check accepts the claim, over all channels. */
void unbalanced_must_pass(const struct problem *problem, const char *name,
                          struct nb_unbalanced_case *claimed);

/* The check refutes the claim with a message that contains the word; what names
 * the change, for the test's own message. */
void unbalanced_must_refute(const struct problem *problem,
                            struct nb_unbalanced_case *claimed,
                            const char *what, const char *word);

#endif
