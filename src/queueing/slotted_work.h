/* Slotted recursion: what laws and losses of the slotted queue share. */
#ifndef NB_QUEUEING_SLOTTED_WORK_H
#define NB_QUEUEING_SLOTTED_WORK_H

#include "queueing/inputs.h"

/* What the recursion of slotted.h reads and fills. Owns arrays. */
struct nb_slotted {
    long double step, rate, rate_error; /* of z */
    size_t reach;                       /* M: P(A>m) counts for m <= M */
    long double left_out;               /* bounds sum_{m>M} w_m */
    long double *mass, *above;          /* [reach + 1] */
    struct nb_inputs_error error;       /* of both */
    long double idle;                   /* pi_0 */
    long double *pi;                    /* [last + 1 at least] */
    size_t last;
    long double middle; /* of u_n / u_last, n >= last, and half its width */
    long double spread; /* over the middle */
};

void nb_slotted_release(struct nb_slotted *work);

/*
 * The first m for which the tilted law, P(A=m) z^m / A(z) with z = 1 + step,
 * has less than exp(-exponent) beyond m: a sum of independent inputs of mean
 * mu exceeds m with probability at most exp(-(m ln(m/mu) - m + mu)).
 *
 * reached  out: that exponent at m; +inf where the inputs send no more
 */
size_t nb_slotted_reach(const struct nb_inputs *inputs, long double step,
                        long double exponent, long double *reached);

/* pi_n from those before it. */
long double nb_slotted_next(const struct nb_slotted *work, size_t n);

/*
 * The relative error of pi_n, divided by n, but for weights left out. pi_n sums
 * over paths of at most n steps from 0 to n, whose indices m of P(A>m) come to
 * n - 1. A step has the errors of P(A>m) and of a_0, m + 2 roundings at most,
 * those of the later terms of its sum among them.
 */
long double nb_slotted_error(const struct nb_slotted *work);

#endif
