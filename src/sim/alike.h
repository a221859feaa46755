/*
 * Alike: the queues, routers and flows that do the same on average, by
 * symmetry. For src/sim alone.
 */
#ifndef NB_SIM_ALIKE_H
#define NB_SIM_ALIKE_H

#include "sim/sim.h"

/* Numbers 0, 1, .. in classes. Owns its arrays. */
struct nb_classes {
    size_t count; /* 0: nothing is known to be alike */
    uint32_t *class_of;
    uint32_t *first; /* [count] least member of a class */
    uint32_t *size;  /* [count] its members */
};

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
    bool is_always;           /* not of stable networks alone */
    struct nb_classes queue;  /* none for traces and batches .. */
    struct nb_classes router; /* .. nor, for these, unless is_always */
    struct nb_classes flow;
};

struct nb_flows;

/* flows: but for alike itself. Errors: NB_NO_MEMORY. */
enum nb_status nb_alike_find(const struct nb_simulation *plan,
                             const struct nb_flows *flows, struct nb_alike *out,
                             struct nb_error *err);
void nb_alike_release(struct nb_alike *alike);

#endif
