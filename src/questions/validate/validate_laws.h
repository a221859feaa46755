/* Distributions of a validation: predicted and simulated tails. */
#ifndef NB_QUESTIONS_VALIDATE_VALIDATE_LAWS_H
#define NB_QUESTIONS_VALIDATE_VALIDATE_LAWS_H

#include "questions/validate/validate.h"

/* A tail P(X >= n): its points, n ascending, with probabilities > 0 that do not
 * rise. Between points the logarithm is linear; before the first the tail is 1,
 * beyond the last it is unknown. Owns its arrays; zero-initialised is valid and
 * empty. */
struct nb_tail {
    size_t count;
    double *value;       /* n */
    double *probability; /* P(X >= n) */
};
void nb_tail_release(struct nb_tail *tail);

/* Samples a function that returns P(X >= n) for `of`, from 0 to last in at most
 * about 4000 equal steps; empty if last is below 0. Points of probability 0 are
 * omitted. Errors: NB_NO_MEMORY. */
enum nb_status nb_tail_of(double (*at)(const void *of, double n),
                          const void *of, double last, struct nb_tail *out,
                          struct nb_error *err);
/* P(X >= n) for all n up to the largest counted value. Errors: NB_NO_MEMORY. */
enum nb_status nb_tail_of_histogram(const struct nb_histogram *histogram,
                                    struct nb_tail *out, struct nb_error *err);

/* P(X >= n); NAN beyond the last point. */
double nb_tail_at(const struct nb_tail *tail, double n);
/* The value where the tail falls to a probability in (0, 1); +inf if it does
 * not. Interpolated, because whole numbers cannot resolve 3 % of a depth of
 * 10. */
double nb_tail_depth(const struct nb_tail *tail, double probability);

/* The tails of one distribution in all replications. */
struct nb_tails {
    size_t count;
    struct nb_tail *tail; /* [count] owned */
    double *scratch;      /* [count] owned */
    size_t length;        /* each smaller value is in at least one of them */
};

/* of: latencies, how far packets overtake each other, or, from 0 on, the depths
 * of a hop's queues. Errors: NB_NO_MEMORY. */
enum { NB_TAILS_LATENCY = -2, NB_TAILS_REORDER };
enum nb_status nb_tails_find(const struct nb_validate_answer *answer, int of,
                             struct nb_tails *out, struct nb_error *err);
void nb_tails_release(struct nb_tails *tails);

/* Mean over the replications and its t interval. */
struct nb_estimate nb_tails_at(const struct nb_tails *tails, double n,
                               double confidence);
struct nb_estimate nb_tails_depth(const struct nb_tails *tails,
                                  double probability, double confidence);

#endif
