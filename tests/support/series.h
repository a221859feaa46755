/* Series: random numbers with known means that depend on the ones before. */
#ifndef NB_TESTS_SUPPORT_SERIES_H
#define NB_TESTS_SUPPORT_SERIES_H

#include "core/random.h"

#include <stddef.h>

/* A normal number of mean 0 and variance 1. */
double series_normal(struct nb_random *random);

/* An exponential number of mean 1. */
double series_exponential(struct nb_random *random);

/* A stationary series, summed up in batches. */
struct series {
    enum {
        SERIES_AUTOREGRESSIVE, /* x' = parameter x + normal */
        SERIES_WAITS,  /* of an M/M/1 queue whose load is the parameter */
        SERIES_UNEVEN, /* exponential and independent, and batches of any number
                        * of values from 0 to 2 size */
    } kind;
    double parameter;
    size_t replications, length, size; /* number of batches each, values of a
                                        * batch */
};

double series_mean(const struct series *series);

/* sum, weight: out, [replications * length]; weights are numbers of values */
void series_draw(const struct series *series, struct nb_random *random,
                 double *sum, double *weight);

#endif
