/*
 * Virtual-channel classes: which virtual channels a hop may use, so that no
 * packets wait for each other in a circle. A packet's class depends on the
 * hops it has made, which loads do not, so a small memory beside the routing
 * state carries it. classes/: one rule a file.
 */
#ifndef NB_ROUTING_VC_CLASSES_H
#define NB_ROUTING_VC_CLASSES_H

#include "core/public.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/* The most classes, one bit each of a set of them. */
enum { NB_MOST_VC_CLASSES = 64 };

/* Owns plan; borrows the routing. Zero-initialised is valid and empty. */
struct nb_vc_classes {
    const struct nb_routing *routing;
    const struct nb_vc_rule *rule;
    unsigned count; /* classes in all: 1 .. NB_MOST_VC_CLASSES */
    void *plan;     /* the rule's own, one block */
};

/* A hop that a packet wants to make. */
struct nb_vc_hop {
    nb_route_state state; /* before it */
    uint32_t memory;      /* what the packet remembers: 0 at its source */
    uint32_t router, destination, channel;
};

struct nb_route_shape;

struct nb_vc_rule {
    const char *name;    /* by which a scheme asks for it */
    const char *summary; /* what the classes follow */
    const char *source;
    /* Where a scheme asks for none, or for one that does not suit, the rule
     * that suits with the least rank is taken; 0: only if asked for. */
    unsigned rank;
    bool is_unprotected; /* it does not keep packets from waiting in a circle */
    /* Classes do not ascend from hop to hop: a packet may take one below that
     * of its last hop. */
    bool may_descend;
    /* A packet that begins its second phase remembers nothing of the first:
     * its memory might as well be 0. */
    bool forgets_phase;
    bool needs_shape; /* suits and build want that of the phase's routes */

    bool (*suits)(const struct nb_routing *routing,
                  const struct nb_route_shape *shape); /* NULL: always */
    /* Sets plan and how many classes there would be. Errors: NB_NO_MEMORY. */
    enum nb_status (*build)(struct nb_vc_classes *out,
                            const struct nb_route_shape *shape, uint64_t *count,
                            struct nb_error *err);
    /* The classes in which the packet may wait behind the channel, one bit
     * each. next: out, what it remembers once it has made the hop. */
    uint64_t (*find)(const struct nb_vc_classes *classes,
                     const struct nb_vc_hop *hop, uint32_t *next);
    /* Of the classes of a hop those that a packet may always fall back on.
     * NULL: the highest one, which it waits for if it cannot have another. Of
     * a rule with escapes a hop may offer none, if another of the same router
     * does; what a packet held before may wait for those of any later hop. */
    uint64_t (*escape)(const struct nb_vc_classes *classes, uint64_t set);
};

extern const struct nb_vc_rule *const nb_vc_rules[];

/*
 * The classes of a scheme on its network.
 *
 * Errors: NB_INVALID if it needs more than NB_MOST_VC_CLASSES; NB_NO_MEMORY.
 */
enum nb_status nb_vc_classes_build(const struct nb_routing *routing,
                                   struct nb_vc_classes *out,
                                   struct nb_error *err);
void nb_vc_classes_release(struct nb_vc_classes *classes);

/*
 * Virtual channels that a scheme's own routes need on local and on global
 * channels, so that no packets wait for each other in a circle: the count by
 * the places or numbers of hops (nb_virtual_channels_find), or that of the
 * scheme's classes where these keep packets from it and are fewer, as up and
 * down a tree and in dimension order.
 *
 * Errors: as nb_virtual_channels_find.
 */
struct nb_vc_need {
    uint32_t local, global; /* 0: no hop takes such a channel */
    const char *rule;       /* what the virtual channel of a hop follows */
    const char *source;
};
enum nb_status nb_vc_need_find(const struct nb_routing *routing,
                               struct nb_vc_need *out, struct nb_error *err);

/* As find of struct nb_vc_rule. */
static inline uint64_t nb_vc_classes_find(const struct nb_vc_classes *classes,
                                          const struct nb_vc_hop *hop,
                                          uint32_t *next)
{
    return classes->rule->find(classes, hop, next);
}

/* As escape of struct nb_vc_rule. */
uint64_t nb_vc_classes_escape(const struct nb_vc_classes *classes,
                              uint64_t set);

/*
 * For rules that count phase by phase: the bit of a memory that is set in the
 * second phase of a two-phase scheme. nb_vc_phase_enter returns the memory of
 * a packet at a router, of which a new phase leaves that bit alone.
 */
#define NB_VC_SECOND_PHASE (UINT32_C(1) << 31)
uint32_t nb_vc_phase_enter(const struct nb_vc_classes *classes,
                           const struct nb_vc_hop *hop);

/* For rules: the number of phases, and the scheme of one. */
unsigned nb_vc_phases(const struct nb_routing *routing);
const struct nb_routing *nb_vc_phase(const struct nb_routing *routing);

NB_PUBLIC_END

#endif
