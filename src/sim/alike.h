/*
 * Alike: the queues, routers and flows that do the same on average, by
 * symmetry. For src/sim alone.
 */
#ifndef NB_SIM_ALIKE_H
#define NB_SIM_ALIKE_H

#include "sim/sim.h"
#include "topology/orbits.h"

/*
 * Of the automorphisms that keep network, scheme and traffic. What a channel of
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

struct nb_flows;

/* flows: but for alike itself. Errors: NB_NO_MEMORY. */
enum nb_status nb_alike_find(const struct nb_simulation *plan,
                             const struct nb_flows *flows, struct nb_alike *out,
                             struct nb_error *err);
void nb_alike_release(struct nb_alike *alike);

#endif
