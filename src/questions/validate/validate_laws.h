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

/* From a function that says P(X >= n) of what it is given, at 0 to last in no
 * more than about 4000 equal steps; empty below 0. Points of no probability are
 * left out. Errors: NB_NO_MEMORY. */
enum nb_status nb_tail_of(double (*at)(const void *of, double n),
                          const void *of, double last, struct nb_tail *out,
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

/* of: latencies, how far packets overtake each other, or from 0 on the depths
 * of a hop's queues. Errors: NB_NO_MEMORY. */
enum { NB_TAILS_LATENCY = -2, NB_TAILS_REORDER };
enum nb_status nb_tails_find(const struct nb_validate_told *told, int of,
                             struct nb_tails *out, struct nb_error *err);
void nb_tails_release(struct nb_tails *tails);

/* Mean over the replications and its t interval. */
struct nb_estimate nb_tails_at(const struct nb_tails *tails, double n,
                               double confidence);
struct nb_estimate nb_tails_depth(const struct nb_tails *tails,
                                  double probability, double confidence);

#endif
