/* Best unbalanced: the oblivious routing that lets sources inject most where
 * destinations receive up to 1 whatever the sources do. */
#ifndef NB_BOUNDS_BEST_UNBALANCED_H
#define NB_BOUNDS_BEST_UNBALANCED_H

#include "bounds/optimum/best_oblivious.h"

NB_PUBLIC_BEGIN

/*
 * With T_c(R, alpha) the greatest load of traffic whose row sums are up to
 * alpha per terminal and column sums up to 1,
 *
 *     sup { alpha : L(alpha) < 1 }    (NB_OVERLOAD_MEETS)
 *     max { alpha : L(alpha) <= 1 }   (NB_OVERLOAD_EXCEEDS)
 *
 *     L(alpha) = min_R max_c T_c / b_c
 *
 * Certificate:
 *
 *     lower end   duals u, v of every channel's loads prove that the routing
 *                 takes  min_c (b_c - sum_j p_j v_j) / sum_i p_i u_i; MEETS:
 *                 sum_j p_j v_j < b_c for all, so that below this rate they
 *                 prove less than b_c
 *     upper end   weights prove values below L at two rates, a < b:
 *                 l <= L(a), h <= L(b), h > 1 (MEETS: h >= 1, and so no more
 *                 than b is taken). Then no routing takes more than
 *                 - what the weights of b prove for every rate
 *                   (nb_oblivious_weights_rate);
 *                 - if all channels are alike, where the line through (a, l)
 *                   and (b, h) reaches 1: weights of both, mixed, prove a mean
 *                   of both values at the same mean of both rates;
 *                 - a, if l >= 1 and the weights of a lie on every channel that
 *                   those of b lie on. Mixed with a small part t of b's, with
 *                   v, v' their shares of each channel, the row sums allow at
 *                   a (1 + d) what is more than before by the positive part of
 *                   t v' (b/a - 1) - d v, while 1 + t (h - 1) is proved; for a
 *                   d that shrinks with t this is above 1.
 *
 * Zero-initialised is valid and empty; owns what its parts own.
 */
struct nb_best_unbalanced {
    struct nb_best_oblivious best;  /* paths, duals, weights of below */
    struct nb_best_oblivious above; /* weights alone */
    struct nb_ratio rate;  /* that the duals prove; known, > 0, may be +inf */
    struct nb_ratio below; /* 0: no weights, L(0) = 0 */
    struct nb_ratio above_rate;     /* > below; +inf: no weights, no bound */
    struct nb_enclosure throughput; /* [packets/cycle] of a source */
};

/*
 * The least worst load at a rate gives a routing, and so the next rate to
 * solve for, until both are the same; then one rate a little above. Where that
 * does not close the bracket, because L stays 1 over some rates (EXCEEDS) or
 * weights bound it loosely, the upper end is brought down by halves and
 * routings are sought a little below it, until the ends are within 1e-7 of each
 * other.
 *
 * question  goal, rate, is_unbalanced and most_load are not read
 *
 * Errors: as nb_best_oblivious_find.
 *
 * Source: unbalanced throughput, [TowlesDally2002, section 2.1]; Newton's
 * method on a parametric optimum, [Dinkelbach1967].
 */
enum nb_status
nb_best_unbalanced_find(const struct nb_oblivious_question *question,
                        const struct nb_run *run,
                        struct nb_best_unbalanced *out, struct nb_error *err);
void nb_best_unbalanced_release(struct nb_best_unbalanced *best);

/* A rate at which sources are held back by destinations alone. */
struct nb_ratio nb_unbalanced_vacuous_rate(const struct nb_topology *topology);

/*
 * Checks the certificate without solving anything and sets throughput.
 *
 * Errors: NB_REFUTED naming what fails; NB_NO_MEMORY.
 */
enum nb_status
nb_best_unbalanced_check(const struct nb_oblivious_question *question,
                         struct nb_best_unbalanced *claimed,
                         struct nb_error *err);

NB_PUBLIC_END

#endif
