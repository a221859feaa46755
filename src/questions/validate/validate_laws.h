/* Distributions of a validation: predicted tails beside those that were
 * simulated. */
#ifndef NB_QUESTIONS_VALIDATE_VALIDATE_LAWS_H
#define NB_QUESTIONS_VALIDATE_VALIDATE_LAWS_H

#include "questions/validate/validate.h"

/* A tail P(X >= n): its points, n ascending, their probabilities > 0 and not
 * rising. Between points the logarithm is linear; before the first the tail is
 * 1, beyond the last it is not known. Owns its arrays; zero-initialised is
 * valid and empty. */
struct nb_tail {
    size_t count;
    double *value;       /* n */
    double *probability; /* P(X >= n) */
};
void nb_tail_release(struct nb_tail *tail);

/* From two columns of numbers of a table; points of no probability are left
 * out. Errors: NB_NO_MEMORY. */
enum nb_status nb_tail_of_table(const struct nb_table *table, const char *value,
                                const char *probability, struct nb_tail *out,
                                struct nb_error *err);
/* P(X >= n) of all n up to the largest that was counted. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_tail_of_histogram(const struct nb_histogram *histogram,
                                    struct nb_tail *out, struct nb_error *err);

/* P(X >= n); NAN beyond the last point. */
double nb_tail_at(const struct nb_tail *tail, double n);
/* Where the tail falls to a probability, in (0, 1): +inf if it does not. Whole
 * numbers alone could not tell 3 % of a depth of 10. */
double nb_tail_depth(const struct nb_tail *tail, double probability);

/* Of one distribution the tails of all replications. */
struct nb_tails {
    size_t count;
    struct nb_tail *tail; /* [count] owned */
    double *scratch;      /* [count] owned */
    size_t length;        /* values below are in one of them at least */
};

/* histogram: that of a replication, as the third argument says. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_tails_find(
    const struct nb_validation *validation,
    const struct nb_histogram *(*histogram)(const struct nb_simulation_result *,
                                            size_t index),
    size_t index, struct nb_tails *out, struct nb_error *err);
void nb_tails_release(struct nb_tails *tails);

/* Mean over the replications and its t interval. */
struct nb_estimate nb_tails_at(const struct nb_tails *tails, double n,
                               double confidence);
struct nb_estimate nb_tails_depth(const struct nb_tails *tails,
                                  double probability, double confidence);

/* Adds the tails to table ccdf, by the name of the distribution, with the
 * intervals of each value by itself at this confidence. */
void nb_validation_add_tails(struct nb_validation *validation, const char *name,
                             const struct nb_tail *predicted,
                             const struct nb_tails *simulated,
                             double confidence);

/* The probability at which depths are compared, and the confidence. Source:
 * [Singh2005, section 7.4.1]. */
#define NB_VALIDATE_PROBABILITY 1e-3
#define NB_VALIDATE_CONFIDENCE  0.99
/* Relative error of depths that counts as convergence there. */
#define NB_VALIDATE_CONVERGED 0.03

#endif
