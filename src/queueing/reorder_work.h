/* What both ways to a reorder buffer's tails share (used by reorder*.c
 * alone). */
#ifndef NB_QUEUEING_REORDER_WORK_H
#define NB_QUEUEING_REORDER_WORK_H

#include "queueing/reorder.h"

/* 1 - P(X >= i) for P(X >= i) < 1/2; below that the sum of masses. */
long double nb_reorder_below(const struct nb_law *delay, size_t i,
                             long double sum);

/* Relative error of that, and of a mean of neighbouring tails weighted with it
 * and P(X >= i), which is at most the error of the two over it. */
long double nb_reorder_below_error(const struct nb_law *delay, size_t i);

/* What the delays from length on, and those below NB_LAW_LEAST, may add to a
 * probability or be wrong by. */
long double nb_reorder_far(const struct nb_law *delay);

/* Doubles around [low, high], of a probability. */
struct nb_bracket nb_reorder_bracket(long double low, long double high);

#endif
