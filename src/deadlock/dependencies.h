/* Dependencies: which virtual channels packets wait for while they hold others,
 * over all routes of a scheme as they are executed. */
#ifndef NB_DEADLOCK_DEPENDENCIES_H
#define NB_DEADLOCK_DEPENDENCIES_H

#include "core/parallel.h"
#include "core/public.h"
#include "routing/vc_classes.h"

/*
 * The dependency graph of virtual-channel classes of channels. A vertex is
 * channel * classes->count + class. There is an arc from one vertex to another
 * if a packet held in the first may always fall back on the second for its next
 * hop. For oblivious schemes that is the hop drawn, for adaptive ones each hop
 * that it may choose.
 *
 * Where each hop has one class and nothing is chosen, this is the graph of
 * [DallySeitz1987]. With a choice, it contains the classes that a packet may
 * always fall back on [Duato1993]. If the rule has escapes, the other classes
 * are not vertices, and a packet waits through hops over these as well (the
 * extended graph).
 *
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_dependencies {
    const struct nb_vc_classes *classes; /* borrowed */
    bool chooses_class, chooses_hop; /* packets may wait for one of several */
    bool lacks_escape; /* some packet has nothing to fall back on */
    /* Pairs of routers with terminals for which a route is missing; their other
     * routes count, and so do packets that tables lead round or drop. */
    uint64_t unrouted;
    uint32_t longest; /* no route has more hops, nor a packet that is dropped */
    bool is_circling; /* packets go round, so no number of classes is enough */
    /* Every first phase is joined with every second phase, even where no packet
     * takes both, so there may be extra arcs, but none are missing. */
    bool is_wider;
    uint64_t used; /* classes in which packets are held */
    size_t vertex_count, count;
    size_t *first; /* [vertex_count + 1] index of a vertex's first arc in to */
    uint32_t *to;  /* [count] ascending within each vertex */
};

NB_INTERNAL_BEGIN

/*
 * Walks all routes between routers with terminals.
 *
 * is_exact  walk routes of two phases as wholes; else, where possible, walk
 *           each phase by itself, which is much faster
 * run       NULL: all cores
 *
 * Errors: those of nb_walker_go; NB_INVALID for too many vertices;
 * NB_NO_MEMORY.
 */
enum nb_status nb_dependencies_find(const struct nb_vc_classes *classes,
                                    bool is_exact, const struct nb_run *run,
                                    struct nb_dependencies *out,
                                    struct nb_error *err);
void nb_dependencies_release(struct nb_dependencies *dependencies);

/* Whether there is an arc from one vertex to another. */
bool nb_dependencies_have(const struct nb_dependencies *dependencies,
                          uint32_t from, uint32_t to);

struct nb_stray;

/* The class in which a stray waits behind one of its hops: that of the tables
 * if classes are lanes, else that of the hop's number, where the last class
 * takes all later hops. */
unsigned nb_waits_stray_class(const struct nb_vc_classes *classes,
                              const struct nb_strays *strays,
                              const struct nb_stray *stray, size_t hop);

NB_INTERNAL_END

#endif
