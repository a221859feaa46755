/* The quadratic model of a step of Newton's method (used by assignment_*.c
 * alone). */
#ifndef NB_QUEUEING_ASSIGNMENT_STEP_H
#define NB_QUEUEING_ASSIGNMENT_STEP_H

#include "queueing/assignment_work.h"

/* Vectors over all ways, in order of their pairs; 0 where a way is basic or
 * fixed. Views into one block. */
struct nb_assignment_step {
    size_t *basic;   /* [pair] which of its ways */
    double *block;   /* owned */
    bool *is_pinned; /* owned; not a variable, as it goes to 0 or stays there */
    double *diagonal; /* of the matrix; 0: not a variable */
    double *gain;     /* less the slope of the objective along each */
    double *step, *residual, *direction, *image;
    double *trial;  /* flows to be tried */
    double *change; /* [channel] */
    double *before; /* [channel] loads */
    size_t way_count;
};

/* Makes room, for the ways there are. Errors: NB_NO_MEMORY. */
enum nb_status nb_assignment_step_init(const struct nb_assignment_work *work,
                                       struct nb_assignment_step *step,
                                       struct nb_error *err);
void nb_assignment_step_release(struct nb_assignment_step *step);

/*
 * Of every pair a basic way takes what the others give, so that their flows
 * are free variables: with a_v the channels of way v less those of the basic
 * way, solves
 *
 *     sum_w (sum_c slope_c a_v(c) a_w(c)) step_w = - sum_c price_c a_v(c)
 *
 * by conjugate gradients; the steps of a pair add up to 0. Ways that would
 * fall below 0 are then pinned there, and the others solved for again.
 *
 * passes  how often, >= 1; 1: nothing is pinned
 */
void nb_assignment_step_solve(struct nb_assignment_work *work,
                              struct nb_assignment_step *step, int passes);

/* change = sum over ways of value and channels. */
void nb_assignment_step_spread(const struct nb_assignment_work *work,
                               struct nb_assignment_step *step,
                               const double *value);

#endif
