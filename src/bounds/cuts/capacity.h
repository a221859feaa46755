/* Capacity: the rate that throughputs are fractions of. */
#ifndef NB_BOUNDS_CAPACITY_H
#define NB_BOUNDS_CAPACITY_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "load/channel_loads.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* The largest rate per terminal of uniform traffic, self included, under the
 * best routing known here, the bandwidth of the terminals' own channels at
 * most; exact where known, always bracketed. Where links or routers failed it
 * is that of the network before: what fails takes a part of it. */
struct nb_capacity {
    struct nb_enclosure rate; /* [packets/cycle/terminal] */
    bool is_most;      /* whether no routing carries more uniform traffic */
    const char *basis; /* a sentence for the report */
    const char *method;
    const char *source;
};

/*
 * The topology's closed form, scaled to its terminals and bandwidth, if the
 * network is regular (nb_topology_is_regular); of a grid or HyperX with a
 * bandwidth b_d in each dimension the least over dimensions of b_d times the
 * closed form along that dimension; else the throughput of uniform traffic
 * under shortest paths split evenly (scheme min), which is what that routing
 * reaches, not a bound on others.
 *
 * Errors: as nb_channel_loads_find.
 */
enum nb_status nb_capacity_find(const struct nb_topology *topology,
                                const struct nb_run *run,
                                struct nb_capacity *out, struct nb_error *err);

/* The same, with what scheme min loads channels with on uniform traffic where
 * that was found for it, else empty. loads: out, to be released */
enum nb_status nb_capacity_find_loads(const struct nb_topology *topology,
                                      const struct nb_run *run,
                                      struct nb_capacity *out,
                                      struct nb_channel_loads *loads,
                                      struct nb_error *err);

/* The same of what is left of a network, whatever its terminals' channels
 * carry. */
enum nb_status nb_capacity_of_channels(const struct nb_topology *topology,
                                       const struct nb_run *run,
                                       struct nb_capacity *out,
                                       struct nb_error *err);

NB_PUBLIC_END

#endif
