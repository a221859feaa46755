/*
 * Alike: the queues that carry the same on average as long as a network is
 * stable. For src/sim alone.
 */
#ifndef NB_SIM_ALIKE_H
#define NB_SIM_ALIKE_H

#include "sim/sim.h"

/*
 * What a channel of a stable network carries under an oblivious scheme is the
 * rate times its expected load, whatever the routers do: the same for channels
 * that an automorphism which keeps network, scheme and traffic takes to each
 * other, and for those to the terminals of such routers. Owns its arrays.
 */
struct nb_alike {
    size_t count; /* classes; 0: nothing is known to be alike, as with adaptive
                   * schemes, traces and batches */
    uint32_t *class_of; /* [queue] */
    uint32_t *first;    /* [count] least queue of a class */
    uint32_t *size;     /* [count] its queues */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_alike_find(const struct nb_simulation *plan,
                             struct nb_alike *out, struct nb_error *err);
void nb_alike_release(struct nb_alike *alike);

#endif
