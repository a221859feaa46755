/* Two phases: to an intermediate router, then to the destination, each phase
 * with a one-phase scheme. */
#ifndef NB_ROUTING_TWO_PHASE_H
#define NB_ROUTING_TWO_PHASE_H

#include "routing/routing.h"

/*
 * For builders of two-phase schemes: builds the phase from its specification
 * and sets everything that follows from it.
 *
 * directions  NULL: the intermediate router is drawn from all routers with
 *             terminals. Else a scheme whose starts are direction classes:
 *             one is drawn, and the intermediate router from its quadrant.
 *             If this text is the same as phase, both phases keep the
 *             directions of the class.
 *
 * If the phases begin in their own states, the phase has one start.
 *
 * Errors: those of nb_routing_build; NB_INVALID above 2^24 routers.
 */
enum nb_status nb_two_phase_build(struct nb_routing *out, const char *phase,
                                  const char *directions, struct nb_error *err);

/*
 * The same for schemes with an intermediate router in a quadrant that rdr
 * draws: order is the scheme's own parameter.
 *
 * threshold         below it rdr takes the shorter direction; "1/2" is minimal
 * ties              those of rdr
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
 * one phase with probability direct / total, else in two. In an adaptive scheme
 * both are candidates, compared by cost.
 */
void nb_two_phase_mix(struct nb_routing *out, uint64_t direct, uint64_t total);

/* The same for adaptive schemes that compare all candidates: going straight, if
 * permitted, or through one of several intermediate routers, each drawn
 * independently, from one set after another. */
void nb_two_phase_draw(struct nb_routing *out, bool goes_straight,
                       uint64_t draws);

/* As cost of struct nb_routing_kind: takes whatever was drawn. */
uint64_t nb_two_phase_no_cost(const struct nb_routing *routing,
                              const struct nb_view *view, uint32_t source,
                              uint32_t destination,
                              const struct nb_candidate *candidate);

/* Whether a packet at router is on its way to its intermediate router. */
bool nb_two_phase_is_first(nb_route_state state, uint32_t router);

/*
 * Whether a packet of a progressive scheme that reached a router over a channel
 * decides again as if it began there: it goes straight and has not left the
 * group of its source, which is the case at any router outside the
 * destination's group. Such packets head for their destination as an
 * intermediate router.
 */
bool nb_two_phase_turns(const struct nb_routing *routing, nb_route_state state,
                        uint32_t router, uint32_t destination);

/* The first state of a packet that goes from source through an intermediate
 * router. class: the direction class drawn at the start, 0 if there are
 * none. */
nb_route_state nb_two_phase_through(const struct nb_routing *routing,
                                    nb_route_state class, uint32_t source,
                                    uint32_t intermediate);

/* nb_route_starts, _begin, _target and _step for two phases. */
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
 * A packet at a router as the current phase sees it: returns the phase's own
 * state and sets the router that it heads for.
 *
 * state        in: the packet's; out: the bits that turn a next state of the
 *              phase into the packet's
 * destination  in: the packet's; out: the phase's
 *
 * For a routing of one phase the state is returned unchanged, and there are no
 * bits to add.
 */
nb_route_state nb_two_phase_own(const struct nb_routing *routing,
                                nb_route_state *state, uint32_t router,
                                uint32_t *destination);

/*
 * Whether packets turn at the switches of hosts, rather than at nodes with
 * terminals. Sums over phases between nodes with terminals then count the
 * channels of hosts that packets turn at, which none uses: the channel from a
 * host carries what it sends, and that to it what it receives.
 */
bool nb_two_phase_turns_at_switches(const struct nb_routing *routing);

/* Whether a packet's start determines for its whole path the set of its
 * intermediate router: true of two-phase schemes that do not decide again on
 * the path. */
static inline bool nb_two_phase_has_levels(const struct nb_routing *routing)
{
    return routing->phase != NULL && !routing->is_progressive;
}

/* The number of that set, from 1; 0 for packets that go straight, or if there
 * are no such levels. start: index of the packet's start in
 * nb_two_phase_starts */
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
