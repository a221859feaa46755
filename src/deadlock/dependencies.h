/* Dependencies: which virtual channels packets wait for while they hold others,
 * on all routes of a scheme as they are executed. */
#ifndef NB_DEADLOCK_DEPENDENCIES_H
#define NB_DEADLOCK_DEPENDENCIES_H

#include "core/parallel.h"
#include "core/public.h"
#include "routing/vc_classes.h"

NB_PUBLIC_BEGIN

/*
 * The dependency graph of virtual-channel classes of channels: a vertex is
 * channel * classes->count + class. There is an arc where some packet that is
 * held in the one behind its channel may always fall back on the other for
 * its next hop: of oblivious schemes for the hop drawn, of adaptive ones for
 * each hop that it may choose.
 *
 * Where a hop has one class and nothing is chosen this is the graph of
 * [DallySeitz1987]. With a choice it holds the classes that a packet may always
 * fall back on [Duato1993]; of a rule with an escape the others are no
 * vertices, and what is held waits through hops over these as well (the
 * extended graph).
 *
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_dependencies {
    const struct nb_vc_classes *classes; /* borrowed */
    bool chooses_class, chooses_hop; /* packets may wait for one of several */
    bool lacks_escape; /* some packet has nothing to fall back on */
    /* Pairs of routers with terminals of which some route is missing; what is
     * there of it counts. */
    uint64_t unrouted;
    uint32_t longest; /* no route has more hops */
    /* First and second phases are put together whoever takes them, which no
     * packet might do, so that there may be arcs too many, but none too few. */
    bool is_wider;
    uint64_t used; /* classes in which packets are held */
    size_t vertex_count, count;
    size_t *first; /* [vertex_count + 1] a vertex's arcs in to */
    uint32_t *to;  /* [count] ascending for each vertex */
};

/*
 * Walks all routes between routers with terminals.
 *
 * is_exact  routes of two phases are walked as wholes; else, where that can be
 *           done, each phase by itself, which takes far less time
 * run       NULL: all cores
 *
 * Errors: as nb_walker_go; NB_INVALID for too many vertices; NB_NO_MEMORY.
 */
enum nb_status nb_dependencies_find(const struct nb_vc_classes *classes,
                                    bool is_exact, const struct nb_run *run,
                                    struct nb_dependencies *out,
                                    struct nb_error *err);
void nb_dependencies_release(struct nb_dependencies *dependencies);

/* Whether there is an arc from one vertex to another. */
bool nb_dependencies_have(const struct nb_dependencies *dependencies,
                          uint32_t from, uint32_t to);

NB_PUBLIC_END

#endif
