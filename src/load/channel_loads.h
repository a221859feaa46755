/* Channel loads: the load of a traffic matrix on every channel. */
#ifndef NB_LOAD_CHANNEL_LOADS_H
#define NB_LOAD_CHANNEL_LOADS_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/*
 * Expected crossings per cycle at injection rate 1 per terminal:
 *
 *     gamma_c = sum_ij rate(i, j) gamma_c(i, j)   [packets/cycle]
 *
 * Owns its array; zero-initialised is valid and empty.
 */
struct nb_channel_loads {
    size_t channel_count;
    bool is_exact;             /* all loads, or none */
    struct nb_enclosure *load; /* [channel_count] */
    /* Per packet: sum of loads / sum of rates. */
    struct nb_enclosure mean_hops;
    /* The first channel of greatest load / bandwidth; if not exact, of greatest
     * upper bound. */
    uint32_t worst_channel;
    /* Least bandwidth / load: the multiple of the traffic that the channels
     * between routers can carry (for the terminals' channels:
     * nb_terminal_limit). Exact if every channel's quotient is. */
    struct nb_enclosure throughput;
};

/*
 * Source: [TowlesDally2002, section 2.2]; linearity, section 3.1.
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if the scheme loops; those of
 * nb_routing_check and nb_traffic_check; NB_OVERFLOW if the traffic's own sums
 * do not fit in 62 bits.
 */
enum nb_status nb_channel_loads_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err);

void nb_channel_loads_release(struct nb_channel_loads *loads);

NB_PUBLIC_END

#endif
