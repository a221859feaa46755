/* Rate limit: a rate above which a network is proved to be unstable. */
#ifndef NB_SIM_RATE_LIMIT_H
#define NB_SIM_RATE_LIMIT_H

#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

struct nb_rate_limit {
    double rate;       /* [flit/cycle] of a terminal whose row sums to 1; +inf:
                        * not known */
    bool is_reached;   /* by a router with unbounded queues */
    const char *basis; /* why: a sentence about it */
};

NB_INTERNAL_BEGIN

/*
 * For a scheme that is not adaptive the exact limit of its channels, and for
 * every scheme the limits that any scheme meets: the channels to terminals;
 * those round each router; and all channels together, as every packet uses at
 * least the number of hops between its routers:
 *
 *     rate sum_ij t_ij d(i, j) <= sum_c b_c.
 *
 * For an adaptive scheme, if this is searched for, what its paths carry for the
 * best split that it can produce (optimum/best_flow.h), to within a
 * thousandth.
 *
 * is_searched  of adaptive schemes: this takes a linear program, worth its time
 *              if many rates are tried
 *
 * Source: [TowlesDally2002, section 2.2]; [FordFulkerson1958]; counting.
 *
 * Limits that cannot be computed, because sums or paths are too many to be
 * counted, do not apply.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_rate_limit_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  bool is_searched, const struct nb_run *run,
                                  struct nb_rate_limit *out,
                                  struct nb_error *err);

NB_INTERNAL_END

#endif
