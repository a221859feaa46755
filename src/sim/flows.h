/*
 * Flows: the pairs of routers whose accepted rates are compared with what they
 * demand; those of few packets are taken together by source. The same for all
 * replications.
 */
#ifndef NB_SIM_FLOWS_H
#define NB_SIM_FLOWS_H

#include "sim/sim.h"
#include "topology/orbits.h"

/* Pairs expecting fewer packets in all replications are pooled by source. */
enum { NB_FLOW_PACKETS = 400 };

struct nb_flow {
    uint32_t source; /* router */
    uint32_t target; /* NB_NONE: all of the source's that are pooled */
    double demand;   /* [flit/cycle] > 0 */
};

/*
 * The queues, routers and flows that do the same on average, by symmetry: that
 * of the automorphisms that keep network, scheme and traffic. What a channel of
 * a stable network carries under an oblivious scheme is the rate times its
 * expected load, whatever the routers do: the same for channels that such an
 * automorphism takes to each other, and for those to the terminals of such
 * routers. The ideal router that serves by age treats all that they take to
 * each other alike, ages being drawn, so that also under an adaptive scheme and
 * beyond saturation they do the same on average. Not so one with virtual
 * channels, whose datelines tell translations apart.
 */
struct nb_alike {
    bool is_always;          /* not of stable networks alone */
    struct nb_orbits queue;  /* none for traces and batches .. */
    struct nb_orbits router; /* .. nor, for these, unless is_always */
    struct nb_orbits flow;
};

/* Owns its arrays. */
struct nb_flows {
    size_t count;
    struct nb_flow *flow;
    size_t router_count;
    uint32_t *of_pair;         /* [source n + target]; NULL: all pooled */
    uint32_t *pooled;          /* [source] its pooled flow; NB_NONE: none */
    uint32_t *terminal_start;  /* [router_count + 1] first one of a router */
    uint32_t *terminal_router; /* [terminal] */
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
