/* Path latency: the distribution of packets' latency over all paths of a
 * network of queues. */
#ifndef NB_QUEUEING_PATH_LATENCY_H
#define NB_QUEUEING_PATH_LATENCY_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "queueing/distribution.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/* Waits of packets, in slots of a packet's flits, which take one cycle each.
 * All borrowed. */
struct nb_path_waits {
    const struct nb_routing *routing;
    const struct nb_traffic *traffic;
    uint32_t flits; /* of a packet; 0: 1 */
    size_t count;
    const struct nb_distribution *wait; /* [count] the distinct ones; none cut;
                                         * an empty one is infinite */
    const uint32_t *hop_cycles;  /* [count] of a hop with this wait, apart from
                                  * it, >= 1 */
    const uint32_t *of_channel;  /* [channel] index of its wait */
    const uint32_t *of_terminal; /* [terminal] at the channel to it; NULL:
                                  * terminals' channels take no time */
};

/*
 * P(D = n) of a packet drawn from the traffic, for n < count; the rest, except
 * for lost, never arrives. The masses may lack up to lost in total, and each is
 * also right within NB_PATH_ROUNDING.
 * Owns mass.
 */
struct nb_path_latency {
    size_t count;
    double *mass;
    double lost;
};

/* The part cut off each wait, and the roundings of the transforms. */
#define NB_PATH_CUT      1e-12
#define NB_PATH_ROUNDING 1e-12

/* The maximum number of products of complex numbers, some minutes. */
#define NB_PATH_WORK 2e11

NB_INTERNAL_BEGIN

/*
 * D = sum over the hops of a path of (hop_cycles + flits wait), and flits - 1
 * more if it has a hop. The waits are assumed to be independent, and weighted
 * over paths and pairs: with phi_c the characteristic function of a hop over
 * channel c,
 *
 *     G(node) = sum_hop w/W phi_c G(next),   G(arrived) = 1,
 *     E z^D   = sum over pairs and starts of their share times G(start)
 *
 * at one point of the unit circle for each cycle that the longest path can
 * take, so that nothing is aliased, and back by one transform.
 *
 * Errors: NB_INVALID beyond NB_PATH_WORK, and if nothing is sent; those of
 * nb_walker_go; NB_NO_MEMORY.
 */
enum nb_status nb_path_latency_find(const struct nb_path_waits *waits,
                                    const struct nb_run *run,
                                    struct nb_path_latency *out,
                                    struct nb_error *err);
void nb_path_latency_release(struct nb_path_latency *latency);

/* The least d with P(D <= d) >= share: a bracket; its upper end is +inf if the
 * lost part leaves it open. */
struct nb_bracket
nb_path_latency_quantile(const struct nb_path_latency *latency, double share);

NB_INTERNAL_END

#endif
