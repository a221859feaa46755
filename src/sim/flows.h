/*
 * Flows: the pairs of routers whose accepted rates are compared with what they
 * demand; those of few packets are pooled by source. The same for all
 * replications.
 */
#ifndef NB_SIM_FLOWS_H
#define NB_SIM_FLOWS_H

#include "core/delete.h"
#include "sim/sim.h"
#include "topology/orbits.h"

/* Pairs expecting fewer packets in all replications are pooled by source. */
enum { NB_FLOW_PACKETS = 400 };

struct nb_flow {
    uint32_t source; /* router */
    uint32_t target; /* NB_NONE: all pooled pairs of the source */
    double demand;   /* [flit/cycle] > 0 */
};

/*
 * The queues, routers and flows that do the same on average, by the
 * automorphisms that keep network, scheme and traffic. In a stable network
 * under an oblivious scheme, a channel carries the rate times its expected
 * load, whatever the routers do: the same for channels in one orbit, and for
 * those to the terminals of routers in one orbit. The ideal router that serves
 * by age treats all members of an orbit equally, as ages are drawn, so they do
 * the same on average also under an adaptive scheme and beyond saturation.
 * Routers with virtual channels do not: their datelines distinguish
 * translations.
 */
struct nb_alike {
    bool is_always;          /* not only in stable networks */
    struct nb_orbits queue;  /* empty for traces, batches and where the
                              * terminals of a router differ .. */
    struct nb_orbits router; /* .. this and flow also unless is_always */
    struct nb_orbits flow;
};

/* Owns its arrays. */
struct nb_flows {
    size_t count;
    struct nb_flow *flow;
    size_t router_count;
    uint32_t *of_pair;         /* [source n + target]; NULL: all pooled */
    uint32_t *pooled;          /* [source] its pooled flow; NB_NONE: none */
    uint32_t *terminal_start;  /* [router_count + 1] first terminal of a
                                * router */
    uint32_t *terminal_router; /* [terminal] */
    struct nb_pool pool;       /* of the last three */
    uint16_t *distance;        /* [target n + source] hops; NULL: not kept */
    struct nb_alike alike;
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_flows_build(const struct nb_simulation *plan,
                              struct nb_flows *out, struct nb_error *err);
void nb_flows_release(struct nb_flows *flows);

static inline uint32_t nb_flows_find(const struct nb_flows *flows,
                                     uint32_t source, uint32_t target)
{
    return flows->of_pair != NULL
               ? flows->of_pair[source * flows->router_count + target]
               : flows->pooled[source];
}

#endif
