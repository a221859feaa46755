/* Passage: how a queue of ON/OFF sources comes down by one packet. */
#ifndef NB_QUEUEING_PASSAGE_H
#define NB_QUEUEING_PASSAGE_H

#include "queueing/phases.h"

/*
 * With A_l = change diag(P(A = l | phase)), the phases of the first passage
 * from a level to the one below have the matrix
 *
 *     G = sum_l A_l G^l = (I - U)^-1 A_0,   U = sum_{l>=1} A_l G^(l-1),
 *
 * found by repeating the second form from a stochastic G on, which it stays.
 * A passage ends in a slot without packets, so that only the first columns of
 * G are not 0, nor those of U but for phases of one sender. Owns the arrays;
 * zero-initialised is valid and empty.
 */
struct nb_passage {
    long double *down;    /* [count x silent] G */
    long double *factors; /* [count x calm] of I - U, see positive.h */
    /* An estimate of the greatest relative error of G, by the last change and
     * the pace at which changes fell. */
    long double error;
};

/*
 * Errors: NB_NO_MEMORY; NB_NO_CONVERGENCE.
 * Source: [Latouche1994], the U-based iteration.
 */
enum nb_status nb_passage_find(const struct nb_phases *phases,
                               struct nb_passage *out, struct nb_error *err);

void nb_passage_release(struct nb_passage *passage);

#endif
