/*
 * Mixed: schemes of the tests' own whose packets go straight to their
 * destinations or through an intermediate router.
 */
#ifndef NB_TESTS_SUPPORT_MIXED_H
#define NB_TESTS_SUPPORT_MIXED_H

#include "routing/routing.h"

/* Of three packets one goes straight, whatever the network's state. */
extern const struct nb_routing_kind mixed_oblivious;

/*
 * Straight or through a router drawn anywhere, whichever has less queue times
 * hops ahead; a router is remembered by how often it was asked. Asked once, or
 * again while the packet is blocked.
 */
extern const struct nb_routing_kind mixed_adaptive;
extern const struct nb_routing_kind mixed_asked_again;

/* What an adaptive scheme of these remembers. */
struct mixed_memory {
    uint64_t cycles;  /* that it observed */
    uint32_t asked[]; /* [router] about packets from there */
};

/* Builds one in the place of a scheme that is released, or fails the test. */
void mixed_build(const struct nb_routing_kind *kind,
                 const struct nb_topology *topology,
                 struct nb_routing *routing);

#endif
