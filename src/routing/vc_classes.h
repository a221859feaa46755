/*
 * Virtual-channel classes: which virtual channels a hop may use, so that
 * packets do not wait for each other in a cycle. A packet's class depends on
 * the hops that it has made, but loads do not, so a small memory in addition to
 * the routing state carries it. classes/: one rule per file.
 */
#ifndef NB_ROUTING_VC_CLASSES_H
#define NB_ROUTING_VC_CLASSES_H

#include "core/public.h"
#include "routing/routing.h"

/* The maximum number of classes; a set of them has one bit each. */
enum { NB_MOST_VC_CLASSES = 64 };

/* Owns plan; borrows the routing. Zero-initialised is valid and empty. */
struct nb_vc_classes {
    const struct nb_routing *routing;
    const struct nb_vc_rule *rule;
    unsigned count; /* classes in total: 1 .. NB_MOST_VC_CLASSES */
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
    const char *name;    /* for a scheme that asks for it */
    const char *summary; /* what the classes follow */
    const char *source;
    /* If a scheme asks for no rule, or for one that does not suit, the suitable
     * rule of least rank is taken; 0: only if asked for. */
    unsigned rank;
    bool is_unprotected; /* it does not prevent cycles of waiting packets */
    /* Classes do not ascend from hop to hop: a packet may take a class below
     * that of its last hop. */
    bool may_descend;
    /* A packet that begins its second phase remembers nothing of the first: its
     * memory could be set to 0. */
    bool forgets_phase;
    bool needs_shape; /* suits and build need the shape of the phase's routes */

    bool (*suits)(const struct nb_routing *routing,
                  const struct nb_route_shape *shape); /* NULL: always */
    /* Sets plan and the number of classes. Errors: NB_NO_MEMORY. */
    enum nb_status (*build)(struct nb_vc_classes *out,
                            const struct nb_route_shape *shape, uint64_t *count,
                            struct nb_error *err);
    /* The classes in which the packet may wait behind the channel, one bit
     * each. next: out, what it remembers after the hop. */
    uint64_t (*find)(const struct nb_vc_classes *classes,
                     const struct nb_vc_hop *hop, uint32_t *next);
    /* The classes of a hop on which a packet may always fall back. NULL: the
     * highest one, for which it waits if it cannot have another. With an escape
     * function, a hop may offer none if another hop of the same router does; a
     * packet that holds a class from before may wait for the classes of any
     * later hop. */
    uint64_t (*escape)(const struct nb_vc_classes *classes, uint64_t set);
};

/*
 * Virtual channels that a scheme's own routes need on local and on global
 * channels, so that packets do not wait for each other in a cycle: the count by
 * the places or numbers of hops (nb_virtual_channels_find), or the number of
 * the scheme's classes if they prevent such cycles and are fewer, as up and
 * down a tree and in dimension order.
 *
 * Errors: those of nb_virtual_channels_find.
 */
struct nb_vc_need {
    uint32_t local, global; /* 0: no hop takes such a channel */
    const char *rule;       /* what the virtual channel of a hop follows */
    const char *source;
};

NB_INTERNAL_BEGIN

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

/* Makes a scheme use the rule of a name; NULL: it keeps its own. Errors:
 * NB_INVALID for a rule that does not exist or does not suit; those of
 * nb_vc_classes_build. */
enum nb_status nb_vc_classes_choose(const char *name,
                                    struct nb_routing *routing,
                                    struct nb_error *err);

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
 * second phase of a two-phase scheme. nb_vc_phase_enter returns the memory of a
 * packet at a router; when a new phase begins, only this bit remains.
 */
#define NB_VC_SECOND_PHASE (UINT32_C(1) << 31)
uint32_t nb_vc_phase_enter(const struct nb_vc_classes *classes,
                           const struct nb_vc_hop *hop);

/* For rules: the number of phases, and the scheme of one phase. */
unsigned nb_vc_phases(const struct nb_routing *routing);
const struct nb_routing *nb_vc_phase(const struct nb_routing *routing);

NB_INTERNAL_END

#endif
