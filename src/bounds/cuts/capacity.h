/* Capacity: the rate that throughputs are fractions of. */
#ifndef NB_BOUNDS_CAPACITY_H
#define NB_BOUNDS_CAPACITY_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "load/channel_loads.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* The largest rate per terminal of uniform traffic, self included, under the
 * best routing known here; at most the bandwidth of the terminals' own
 * channels. Exact where known, always bracketed. If links or routers failed, it
 * is the capacity of the intact network, so that failures cost a fraction of
 * it. */
struct nb_capacity {
    struct nb_enclosure rate; /* [packets/cycle/terminal] */
    bool is_most;      /* whether no routing carries more uniform traffic */
    const char *basis; /* a sentence for the report */
    const char *method;
    const char *source;
};

/*
 * The topology's closed form, scaled to its terminals and bandwidth, if the
 * network is regular (nb_topology_is_regular); for a grid or HyperX with
 * bandwidth b_d in dimension d, the least over dimensions of b_d times the
 * closed form along that dimension; else the throughput of uniform traffic
 * under shortest paths split evenly (scheme min). That is the value of this
 * routing, not a bound on others.
 *
 * Errors: those of nb_channel_loads_find.
 */
enum nb_status nb_capacity_find(const struct nb_topology *topology,
                                const struct nb_run *run,
                                struct nb_capacity *out, struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The same; also gives the channel loads of scheme min on uniform traffic if
 * they were computed, else none. loads: out, to be released */
enum nb_status nb_capacity_find_loads(const struct nb_topology *topology,
                                      const struct nb_run *run,
                                      struct nb_capacity *out,
                                      struct nb_channel_loads *loads,
                                      struct nb_error *err);

/* The same for a network as it is, with its failures, without the limit of the
 * terminals' channels. */
enum nb_status nb_capacity_of_channels(const struct nb_topology *topology,
                                       const struct nb_run *run,
                                       struct nb_capacity *out,
                                       struct nb_error *err);

NB_INTERNAL_END

#endif
