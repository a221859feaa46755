/* Best flow: the most that any routing carries of one traffic, with proof. */
#ifndef NB_OPTIMUM_BEST_FLOW_H
#define NB_OPTIMUM_BEST_FLOW_H

#include "optimum/path_class.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/path_table.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

struct nb_best_flow_question {
    const struct nb_topology *topology;
    const struct nb_traffic *traffic;
    const struct nb_path_class *path_class;
    double gap;     /* >= 0; stop once upper - lower <= gap * lower; 0: exact */
    double seconds; /* > 0; time limit, +inf: none */
    /* Every pair has its own paths, and lengths are not averaged: the
     * certificate then depends only on the network and the traffic. */
    bool ignores_symmetry;
};

/*
 * The greatest multiple Theta of a traffic that the channels carry, over all
 * permitted paths of its packets: maximum concurrent flow,
 *
 *     Theta = max { t : flows of t rate(i, j) within bandwidths }
 *           = min over lengths l >= 0 of
 *                 sum_c b_c l_c / sum_ij rate(i, j) distance_l(i, j)
 *
 * Certificate: the paths prove the lower end, the lengths the upper end. Where
 * these are not exactly equal, two other bounds may prove more: the bandwidth
 * of all channels over the hops of the traffic, and each router's bandwidth
 * over what it sends and receives. Zero-initialised is valid and empty; owns
 * its arrays.
 */
struct nb_best_flow {
    /* The paths of one pair of each orbit under the symmetries that keep the
     * traffic (nb_path_orbits_spread gives the rest), sorted; each pair's
     * weights have the same sum. The loads are those of the routing averaged
     * over the group: the load of an orbit of channels is divided evenly among
     * them. */
    struct nb_path_table paths;
    int64_t *length; /* [channel_count] 0 .. most_length of the class (2^40,
                      * unless the class is a scheme's); not all 0 */

    /* What the certificate proves. */
    struct nb_enclosure throughput; /* +inf: the traffic crosses no channel */
    struct nb_enclosure mean_hops;  /* of the routing found */
    size_t pair_orbits;             /* pairs given paths */
    size_t channel_orbits;
    /* How it was found (not part of the certificate). */
    size_t rounds;
    bool was_stopped; /* by the time limit */
};

/*
 * Shorter paths are added to a linear program as they are found (column
 * generation), with its duals as the lengths. Both are rounded to whole numbers
 * and judged as by nb_best_flow_check, so the answer is exact wherever the two
 * ends are equal. With a gap > 0, and where the program would be too large,
 * lengths grow with the load on them (multiplicative weights) until the ends
 * are within the gap; within 0.01 if gap is 0, which shows that the program was
 * too large.
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW: that of nb_traffic_column; NB_INVALID if a
 * pair with traffic has no permitted path, naming it.
 *
 * Source: column generation, [FordFulkerson1958]; multiplicative weights,
 * [GargKonemann2007], [Fleischer2000].
 */
enum nb_status nb_best_flow_find(const struct nb_best_flow_question *question,
                                 const struct nb_run *run,
                                 struct nb_best_flow *out,
                                 struct nb_error *err);
void nb_best_flow_release(struct nb_best_flow *flow);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Checks paths and lengths without solving anything and sets throughput,
 * mean_hops and the numbers of orbits from them. Every given pair is the only
 * one of its orbit, and every orbit with traffic has one; paths are in the
 * class. Loads are added up exactly where they fit; distances are recomputed.
 *
 * Errors: NB_REFUTED naming the pair or path that fails; NB_NO_MEMORY.
 */
enum nb_status nb_best_flow_check(const struct nb_best_flow_question *question,
                                  struct nb_best_flow *claimed,
                                  struct nb_error *err);

NB_INTERNAL_END

#endif
