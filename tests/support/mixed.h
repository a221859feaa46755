/*
 * Mixed: schemes of the tests' own whose packets go straight to their
 * destinations or through an intermediate router.
 */
#ifndef NB_TESTS_SUPPORT_MIXED_H
#define NB_TESTS_SUPPORT_MIXED_H

#include "routing/routing.h"

/* One packet of three goes straight, whatever the network's state. */
extern const struct nb_routing_kind mixed_oblivious;

/*
 * Straight or through a router drawn anywhere, whichever has less queue times
 * hops ahead; a router is remembered by how often it was asked. Asked once, or
 * again while the packet is blocked.
 */
extern const struct nb_routing_kind mixed_adaptive;
extern const struct nb_routing_kind mixed_asked_again;

/* The memory of an adaptive scheme of these. */
struct mixed_memory {
    uint64_t cycles;    /* cycles that it observed */
    uint32_t request[]; /* [router] number of times asked for packets from
                         * there */
};

/* Builds one in place of a scheme, which is released, or fails the test. */
void mixed_build(const struct nb_routing_kind *kind,
                 const struct nb_topology *topology,
                 struct nb_routing *routing);

#endif
