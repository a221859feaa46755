/* Two phases: to an intermediate router, then to the destination, each phase by
 * a scheme of one phase. */
#ifndef NB_ROUTING_TWO_PHASE_H
#define NB_ROUTING_TWO_PHASE_H

#include "routing/routing.h"

/*
 * For builders of two-phase schemes: builds the phase from its specification
 * and sets everything that follows from it.
 *
 * directions  NULL: the intermediate router comes from all routers with
 * terminals. Else a scheme whose starts are direction classes: one is drawn,
 * and the intermediate router from its quadrant. If this text is the same as
 *             phase, both phases go in the class's directions.
 *
 * Where the phases begin in their own states, the phase has one start.
 *
 * Errors: as nb_routing_build; NB_INVALID above 2^24 routers.
 */
enum nb_status nb_two_phase_build(struct nb_routing *out, const char *phase,
                                  const char *directions, struct nb_error *err);

/*
 * The same for schemes with an intermediate router in a quadrant that rdr
 * draws: order is the scheme's own parameter.
 *
 * threshold         below it rdr goes the shorter way; "1/2" is minimal
 * ties              of rdr
 * has_backtracking  both phases take shortest paths (dor) instead of keeping
 *                   the directions drawn
 */
enum nb_status nb_two_phase_build_in_quadrant(struct nb_routing *out,
                                              const char *threshold,
                                              const char *ties,
                                              bool has_backtracking,
                                              struct nb_error *err);

/*
 * For builders, after the intermediate routers are known, of a scheme that does
 * not draw them from a quadrant: packets go straight to their destinations in
 * one phase with probability direct / total, else in two. Of an adaptive scheme
 * either is a candidate of its cost.
 */
void nb_two_phase_mix(struct nb_routing *out, uint64_t direct, uint64_t total);

/* The same of adaptive schemes, of which all are candidates: going straight, if
 * that is permitted, or through one of several intermediate routers, each drawn
 * by itself, from one set after another. */
void nb_two_phase_draw(struct nb_routing *out, bool goes_straight,
                       uint64_t draws);

/* As cost of struct nb_routing_kind: whatever was drawn. */
uint64_t nb_two_phase_no_cost(const struct nb_routing *routing,
                              const struct nb_view *view, uint32_t source,
                              uint32_t destination,
                              const struct nb_candidate *candidate);

/* Whether a packet at router is on its way to its intermediate router. */
bool nb_two_phase_is_first(nb_route_state state, uint32_t router);

/*
 * Whether a packet of a progressive scheme that came to a router over a channel
 * is asked about as if it began there: it goes straight and has not left the
 * group of its source, whose routers are all that are not in the
 * destination's. Such packets head for their destination as an intermediate
 * router.
 */
bool nb_two_phase_turns(const struct nb_routing *routing, nb_route_state state,
                        uint32_t router, uint32_t destination);

/* The first state of a packet that goes from source through an intermediate
 * router. class: of directions drawn at the start, 0 where there are none. */
nb_route_state nb_two_phase_through(const struct nb_routing *routing,
                                    nb_route_state class, uint32_t source,
                                    uint32_t intermediate);

/* What nb_route_starts, _begin, _target and _step do with two phases. */
size_t nb_two_phase_starts(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, struct nb_start *starts);
nb_route_state nb_two_phase_begin(const struct nb_routing *routing,
                                  const struct nb_start *start, uint64_t index,
                                  uint32_t source, uint32_t destination);
uint32_t nb_two_phase_target(nb_route_state state, uint32_t router,
                             uint32_t destination);
size_t nb_two_phase_step(const struct nb_routing *routing,
                         const struct nb_route_table *table,
                         nb_route_state state, uint32_t router,
                         uint32_t destination, struct nb_hop *hops);

/*
 * What the phase under way sees of a packet at a router: returns its own state
 * and sets the router it heads for.
 *
 * state        in: the packet's; out: what is added (by bits) to a next state
 *              of the phase to make it the packet's
 * destination  in: the packet's; out: the phase's
 *
 * With a routing of one phase the state is returned as it is, and nothing is
 * to be added.
 */
nb_route_state nb_two_phase_own(const struct nb_routing *routing,
                                nb_route_state *state, uint32_t router,
                                uint32_t *destination);

/* Whether a packet's start tells which set its intermediate router is of for
 * all of its way: of two-phase schemes that do not turn on it. */
static inline bool nb_two_phase_has_levels(const struct nb_routing *routing)
{
    return routing->phase != NULL && !routing->is_progressive;
}

/* Which set that is, from 1 on; 0 of packets that go straight, and without
 * levels. start: index of the packet's start, as nb_two_phase_starts has them
 */
static inline uint32_t nb_two_phase_level(const struct nb_routing *routing,
                                          size_t start)
{
    const size_t first = routing->direct > 0;
    if (!nb_two_phase_has_levels(routing) || start < first)
        return 0;
    return routing->intermediate == NB_IN_SET
               ? (uint32_t)((start - first) % routing->sets) + 1
               : 1;
}

#endif
