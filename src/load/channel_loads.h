/* Channel loads: what a traffic matrix puts on every channel. */
#ifndef NB_LOAD_CHANNEL_LOADS_H
#define NB_LOAD_CHANNEL_LOADS_H

#include "core/parallel.h"
#include "core/ratio.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/*
 * Expected crossings per cycle at injection rate 1 per terminal:
 *
 *     gamma_c = sum_ij rate(i, j) gamma_c(i, j)   [packets/cycle]
 *
 * Exact: exact[c] is known for every channel. Otherwise lower <= load <=
 * upper. Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_channel_loads {
    size_t channel_count;
    bool is_exact;
    struct nb_ratio *exact; /* [channel_count], all unknown if not exact */
    double *lower;          /* [channel_count] */
    double *upper;          /* [channel_count] */
    /* Mean hops of a packet: sum of loads / sum of rates. */
    struct nb_ratio mean_hops;
    double mean_hops_lower, mean_hops_upper;
    /* The first channel of greatest load / bandwidth; not exact: of greatest
     * upper bound. */
    uint32_t worst_channel;
    /* Least bandwidth / load: how many times the channels between routers can
     * carry the traffic (nb_terminal_limit: those of the terminals).
     * Unknown unless every channel's quotient is exact. */
    struct nb_ratio throughput;
    double throughput_lower, throughput_upper;
};

/*
 * Source: [TowlesDally2002, section 2.2]; linearity, section 3.1.
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if the scheme goes round in circles, or as
 * nb_routing_check and nb_traffic_check; NB_OVERFLOW if the traffic's own sums
 * leave 62 bits.
 */
enum nb_status nb_channel_loads_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err);

void nb_channel_loads_release(struct nb_channel_loads *loads);

NB_PUBLIC_END

#endif
