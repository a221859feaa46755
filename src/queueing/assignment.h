/* Assignment: the routing of least delay for one traffic, by convex
 * programming, with a proof of how close the result is to the optimum. */
#ifndef NB_QUEUEING_ASSIGNMENT_H
#define NB_QUEUEING_ASSIGNMENT_H

#include "core/parallel.h"
#include "queueing/latency.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/* One path of the packets from one router to another: channels channel[first ..
 * first + length) carry this share of them. */
struct nb_assignment_path {
    uint32_t source, target;
    double share;
    size_t first, length;
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_assignment {
    size_t channel_count;
    /* Channel loads of the routing found, [packets/cycle] at injection rate 1.
     * It divides every demand exactly among paths; these are brackets of its
     * loads. */
    struct nb_bracket *load; /* [channel_count] */
    size_t path_count;
    struct nb_assignment_path *path; /* by target, then source */
    uint32_t *channel;
    struct nb_bracket hops; /* mean, of the routing found */
    struct nb_bracket wait; /* mean, of the routing found, [cycles] */
    /* Of the best possible routing, [cycles]: upper is the value of the routing
     * found, the best of all rounds; +inf if it saturates a channel. Both +inf:
     * proof that every routing saturates one. */
    struct nb_bracket latency;
    /* The least mean latency as the rate goes to 0. */
    struct nb_bracket zero_load;
    size_t rounds; /* of the method, executed */
};

/*
 * Minimises the mean latency of a traffic at one rate,
 *
 *     sum_c load_c (1 + W(rho_c) / b_c) / total,   rho_c = rate load_c / b_c,
 *
 * over all divisions of every demand among paths: paths of least marginal
 * latency are added as they are found, flow moves from every path of a pair to
 * its best (gradient projection with column generation), and all flows move
 * together by Newton's method with conjugate gradients. The lower bound is the
 * dual function: for lengths l_c = 1 + (d(rho W)/drho at any rho_c) / b_c,
 *
 *     latency >= sum_ij rate(i, j) distance_l(i, j) / total
 *                - factor/2 sum_c (rho_c / (1 - rho_c))^2 / (rate total);
 *
 * no routing carries the rate if sum_c b_c l_c <= rate sum_ij rate(i, j)
 * distance_l(i, j) for some lengths. If the rate is known exactly, this is
 * decided exactly with small whole lengths, which distinguishes a rate that
 * just saturates the network from one just below.
 *
 * delay  the same for all channels, factor > 0
 * rate   [packets/cycle/terminal] exact, or within a few roundings
 *
 * Errors: NB_INVALID for another delay or rate; those of nb_traffic_check;
 * NB_NO_MEMORY; NB_OVERFLOW as in nb_traffic_column.
 *
 * Source: [BertsekasGallager1992]; at the marginal latencies of a flow the
 * lower bound is that of [FrankWolfe1956].
 */
enum nb_status
nb_assignment_find(const struct nb_topology *topology,
                   const struct nb_traffic *traffic, struct nb_mean_delay delay,
                   struct nb_enclosure rate, const struct nb_run *run,
                   struct nb_assignment *out, struct nb_error *err);

void nb_assignment_release(struct nb_assignment *assignment);

NB_PUBLIC_END

#endif
