/* Queues: distributions for tests, and slower methods to find them. */
#ifndef NB_TESTS_SUPPORT_QUEUES_H
#define NB_TESTS_SUPPORT_QUEUES_H

#include "queueing/arrivals.h"

/* Fails the running test with a message if a check is false. */
#define QUEUE_CHECK(condition, ...)                                            \
    do {                                                                       \
        if (!(condition)) {                                                    \
            print_error("%s:%d: %s: ", __FILE__, __LINE__, #condition);        \
            print_error(__VA_ARGS__);                                          \
            print_error("\n");                                                 \
            fail();                                                            \
        }                                                                      \
    } while (0)

/* A decimal or fraction as a ratio or a load; fails the test if it is
 * neither. */
struct nb_ratio queue_ratio(const char *text);
struct nb_queue_load queue_load(const char *text);

/* Equal inputs; 0: Poisson. */
struct nb_arrivals queue_inputs(int64_t radix);

/* The distribution; fails the test if there is none. */
void queue_must_find(const struct nb_arrivals *arrivals,
                     struct nb_queue_load load, struct nb_distribution *out);

/* P(A = m), m < count, of inputs with these probabilities, one after
 * another. */
void queue_convolve(const double *p, size_t inputs, double *mass, size_t count);

/* The stationary distribution of Q' = min(Q - 1{Q>0} + A, depth) by
 * elimination: pi[depth + 1], depth <= 40; more than count - 1 arrivals have
 * probability 0. */
void queue_solve(const double *mass, size_t count, size_t depth, double *pi);

/* Whether value lies in the bracket, within a relative error. */
bool queue_holds(struct nb_bracket bracket, double value, double error);

#endif
