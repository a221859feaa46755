/* Best unbalanced: the oblivious routing that allows the highest injection rate
 * where destinations receive at most 1 each, whatever the sources send. */
#ifndef NB_OPTIMUM_BEST_UNBALANCED_H
#define NB_OPTIMUM_BEST_UNBALANCED_H

#include "optimum/best_oblivious.h"

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
 *                 - the bound of b's weights over all rates
 *                   (nb_oblivious_weights_rate);
 *                 - if all channels form one orbit, the rate where the line
 *                   through (a, l) and (b, h) reaches 1: a mixture of both
 *                   sets of weights proves the weighted mean of both values at
 *                   the same mean of both rates;
 *                 - a, if l >= 1 and the weights of a lie on every channel that
 *                   those of b lie on. Mix them with a small part t of b's, and
 *                   let v, v' be their shares of each channel. At a (1 + d) the
 *                   row sums exceed the earlier limit by at most the positive
 *                   part of t v' (b/a - 1) - d v, while 1 + t (h - 1) is
 *                   proved; for a d that shrinks with t this is above 1.
 *
 * Zero-initialised is valid and empty; its parts own their arrays.
 */
struct nb_best_unbalanced {
    struct nb_best_oblivious best;  /* paths, duals, weights of below */
    struct nb_best_oblivious above; /* only weights */
    struct nb_ratio rate;  /* proved by the duals; known, > 0, may be +inf */
    struct nb_ratio below; /* 0: no weights, L(0) = 0 */
    struct nb_ratio above_rate;     /* > below; +inf: no weights, no bound */
    struct nb_enclosure throughput; /* [packets/cycle] of each source */
};

/*
 * The least worst load at a rate gives a routing, and the rate that it takes is
 * the next one to solve for, until both are equal; then one rate slightly
 * above. If that does not close the bracket, because L stays 1 over a range of
 * rates (EXCEEDS) or weights bound it loosely, the upper end is lowered by
 * bisection and routings are sought a little below it, until the relative gap
 * is at most 1e-7.
 *
 * question  goal, rate, is_unbalanced and most_load are not read
 *
 * Errors: those of nb_best_oblivious_find.
 *
 * Source: unbalanced throughput, [TowlesDally2002, section 2.1]; Newton's
 * method on a parametric optimum, [Dinkelbach1967].
 */
enum nb_status
nb_best_unbalanced_find(const struct nb_oblivious_question *question,
                        const struct nb_run *run,
                        struct nb_best_unbalanced *out, struct nb_error *err);
void nb_best_unbalanced_release(struct nb_best_unbalanced *best);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* A rate at which only destinations limit the sources. */
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

NB_INTERNAL_END

#endif
