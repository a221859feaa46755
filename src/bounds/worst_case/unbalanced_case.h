/* Worst case of unbalanced traffic over all channels of a network, with its
 * proof. */
#ifndef NB_BOUNDS_UNBALANCED_CASE_H
#define NB_BOUNDS_UNBALANCED_CASE_H

#include "bounds/worst_case/unbalanced.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "load/sides.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/*
 * A rate below which no unbalanced traffic saturates a focus channel, nor any
 * other channel of its orbit: with bandwidth b, p equal terminals per router
 * and duals u, v,
 *
 *     u_i + v_j >= gamma_c(i, j),  u, v >= 0,
 *     p (rate sum(u) + sum(v)) <= b
 *
 * (an infinite rate: sum(u) = 0, and if a channel is saturated as soon as its
 * load equals its bandwidth, p sum(v) < b). The duals are whole numbers over
 * denominator. Without duals (row = NULL), u is the row maxima of the channel
 * and v = 0; such a rate is not below the worst channel's. Owns its arrays.
 */
struct nb_unbalanced_bound {
    uint32_t channel, source, target; /* with the routers at its ends */
    uint32_t orbit_size;
    bool has_duals;
    /* Whether denominator is that of the channel's loads, all exact: only where
     * nb_case_weights_copy gives them. Else it is a power of two, and the duals
     * lie above loads rounded upward to multiples of 1/denominator. */
    bool is_exact;
    int64_t denominator;  /* 1 .. 2^62 */
    int64_t *row;         /* [sides] u times denominator, 0 .. 2^62/sides */
    int64_t *column;      /* [sides] v times denominator, 0 .. 2^62/sides */
    struct nb_ratio rate; /* [packets/cycle] per terminal; known, may be inf */
};

/*
 * The answer for a routing scheme: the largest rate at which sources may
 * inject, while each terminal receives at most 1, such that below it no traffic
 * saturates a channel.
 *
 * Everything except sides (nb_sides_find) consists of plain numbers, from which
 * the answer can be stored and rebuilt. Zero-initialised is valid and empty;
 * owns its arrays.
 */
struct nb_unbalanced_case {
    enum nb_overload overload; /* when a channel is saturated */
    struct nb_sides sides;
    size_t bound_count;
    struct nb_unbalanced_bound *bounds; /* one per focus channel, in order */
    size_t worst; /* index of the first with the least rate among those with
                   * duals */
    /* The answer, exact if bounds[worst] is; +inf: no traffic can saturate any
     * channel. */
    struct nb_enclosure rate;
    /*
     * The traffic that fills the worst channel. Rows and columns are sides;
     * amounts are per terminal, so the p equal terminals of a router send p
     * times as much. Row sums <= flow_rate, column sums <= 1, and the worst
     * channel's load is its bandwidth, exactly if the worst bound is exact,
     * else at least that. Amounts are multiples of 1/flow_rate's denominator.
     * No flows and flow_rate = +inf if no such traffic is known.
     */
    struct nb_ratio flow_rate; /* [packets/cycle] = rate if that is known */
    size_t flow_count;
    struct nb_unbalanced_flow *flows;
};

/*
 *     rate = min_c sup { alpha : p T_c(alpha) < b_c }
 *
 * or <= b_c, with T_c and overload of nb_unbalanced_rate. Channels whose row
 * maxima show that they are not the worst are not solved. Where loads, or
 * ratios of them, might not fit 64 bits, they are rounded to multiples of a
 * power of two: upward for the duals, downward for the flows.
 *
 * Errors: NB_NO_MEMORY, before any matrix is allocated if those of all threads
 * do not fit; those of nb_pair_loads_find and nb_routing_check.
 * Source: unbalanced throughput, [TowlesDally2002, section 2.1].
 */
enum nb_status nb_unbalanced_case_find(const struct nb_routing *routing,
                                       enum nb_overload overload,
                                       const struct nb_run *run,
                                       struct nb_unbalanced_case *out,
                                       struct nb_error *err);

/* Frees the arrays; accepts a zero-initialised object, twice. */
void nb_unbalanced_case_release(struct nb_unbalanced_case *unbalanced);

/* Shared by solving and checking. */

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Checks a claimed answer without solving anything. The duals, mapped by
 * symmetry, lie above every channel's loads (recomputed); they, or the row
 * maxima, prove the rates; no rate is below the worst channel's. The flows are
 * admissible and fill the worst channel; where it is saturated only beyond its
 * bandwidth, more can be sent through it. A bound is rounded only where
 * necessary, and the rates of a rounded answer are no further apart than
 * rounding explains. The ends of rate are set from the checked values.
 *
 * As in nb_worst_case_check, only the focus channels are checked above
 * NB_CHECKED_CELLS cells; all_channels (out): whether all were.
 *
 * Errors: NB_REFUTED naming the channel and what is wrong.
 */
enum nb_status nb_unbalanced_case_check(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        struct nb_unbalanced_case *claimed,
                                        bool *all_channels,
                                        struct nb_error *err);

/* Allocates the duals. Errors: NB_NO_MEMORY. */
enum nb_status nb_unbalanced_bound_reserve(struct nb_unbalanced_bound *bound,
                                           size_t sides, struct nb_error *err);

/*
 * The rate that sums of duals prove, always known: infinite if rows = 0 and the
 * columns do not saturate the channel on their own, negative if they do.
 * Rounded down if it does not fit.
 *
 * rows, columns  0 .. 2^62, sums of duals times denominator
 */
struct nb_ratio nb_case_rate(struct nb_ratio bandwidth, int64_t denominator,
                             uint32_t multiplicity, int64_t rows,
                             int64_t columns, enum nb_overload overload);

NB_INTERNAL_END

#endif
