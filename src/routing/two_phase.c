#include "routing/two_phase.h"

#include "core/memory.h"
#include "routing/intermediates.h"
#include "routing/quadrant.h"
#include "topology/fabric.h"

#include <assert.h>
#include <string.h>

/*
 * In the first phase a state consists of a flag, the intermediate router (24
 * bits), the class drawn at the start (15 bits) and the phase's own state (24
 * bits); in the second phase it is only the phase's own state.
 */
#define TWO_PHASE_FIRST ((nb_route_state)1 << 63)
enum { TWO_PHASE_BITS = 24, TWO_PHASE_CLASS = 24, TWO_PHASE_POINT = 39 };
#define TWO_PHASE_OWN (((nb_route_state)1 << TWO_PHASE_BITS) - 1)

static enum nb_status two_phase_build_part(const struct nb_routing *out,
                                           const char *specification,
                                           struct nb_routing **part,
                                           struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(part, 1, sizeof **part, "routing phase", err));
    NB_TRY(nb_routing_build(specification, out->topology, *part, err));
    assert((*part)->state_count <= TWO_PHASE_OWN);
done:
    return status;
}

/* Routers with terminals; instead of a host, the switch where packets turn. */
static enum nb_status two_phase_find_endpoints(struct nb_routing *out,
                                               struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const enum nb_status status =
        nb_new(&out->endpoint, topology->router_count, sizeof(uint32_t),
               "intermediate routers", err);
    for (uint32_t r = 0; r < topology->router_count && status == NB_OK; r++)
        if (topology->terminals[r] > 0)
            out->endpoint[out->endpoint_count++] = nb_turn_router(topology, r);
    return status;
}

bool nb_two_phase_turns_at_switches(const struct nb_routing *routing)
{
    return routing->intermediate == NB_ANYWHERE &&
           nb_has_hosts(routing->topology);
}

enum nb_status nb_two_phase_build(struct nb_routing *out, const char *phase,
                                  const char *directions, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (out->topology->router_count > (size_t)1 << TWO_PHASE_BITS)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s on %zu routers (permitted: at most %zu)",
                       out->kind->kind.name, out->topology->router_count,
                       (size_t)1 << TWO_PHASE_BITS));
    NB_TRY(two_phase_build_part(out, phase, &out->phase, err));
    if (directions == NULL) {
        out->intermediate = NB_ANYWHERE;
        NB_TRY(two_phase_find_endpoints(out, err));
    } else {
        out->intermediate = NB_IN_QUADRANT;
        out->directions = out->phase;
        if (strcmp(directions, phase) != 0)
            NB_TRY(
                two_phase_build_part(out, directions, &out->directions, err));
        out->class_count = nb_grid_class_count(&out->topology->grid);
        out->most_starts = out->directions->most_starts;
        out->start_total = out->directions->start_total;
    }
    assert(out->directions == out->phase || out->phase->most_starts == 1);
    out->draws = out->sets = 1;
    out->symmetries = out->phase->symmetries;
    if (out->directions != NULL)
        out->symmetries &= out->directions->symmetries;
    out->most_hops = out->phase->most_hops;
    out->needs_table = out->phase->needs_table;
    out->is_minimal = out->directions != NULL && out->directions->is_minimal;
done:
    return status;
}

enum nb_status nb_two_phase_build_in_quadrant(struct nb_routing *out,
                                              const char *threshold,
                                              const char *ties,
                                              bool has_backtracking,
                                              struct nb_error *err)
{
    const char *order = nb_specification_text(&out->specification, "order");
    struct nb_text directions = { 0 }, phase = { 0 };
    enum nb_status status = NB_OK;
    if (out->topology->grid.dimensions == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s needs coordinates; topology %s has none "
                       "(permitted: ring, torus, mesh, hypercube)",
                       out->kind->kind.name, out->topology->kind->kind.name));
    nb_text_print(&directions, "rdr:order=%s,threshold=%s,ties=%s", order,
                  threshold, ties);
    if (has_backtracking)
        nb_text_print(&phase, "dor:order=%s,ties=%s", order, ties);
    NB_TRY(nb_text_check(&directions, err));
    NB_TRY(nb_text_check(&phase, err));
    NB_TRY(nb_two_phase_build(out,
                              has_backtracking ? phase.bytes : directions.bytes,
                              directions.bytes, err));
done:
    nb_text_release(&directions);
    nb_text_release(&phase);
    return status;
}

/* All routers with terminals, as a set. */
static void two_phase_anywhere(const struct nb_routing *routing, size_t set,
                               uint32_t source, uint32_t destination,
                               struct nb_intermediates *out)
{
    (void)set, (void)source, (void)destination;
    *out = (struct nb_intermediates){
        .count = routing->endpoint_count,
        .piece[0] = { routing->endpoint, routing->endpoint_count },
    };
}

void nb_two_phase_mix(struct nb_routing *out, uint64_t direct, uint64_t total)
{
    assert(out->intermediate != NB_IN_QUADRANT && direct < total);
    if (out->intermediate == NB_ANYWHERE) {
        const struct nb_topology *topology = out->topology;
        /* Sets are of nodes with terminals, hosts included. */
        for (uint32_t r = 0, i = 0; r < topology->router_count; r++)
            if (topology->terminals[r] > 0)
                out->endpoint[i++] = r;
        out->intermediate = NB_IN_SET;
        out->find_intermediates = two_phase_anywhere;
        out->most_intermediates = out->endpoint_count;
        out->intermediate_scale =
            nb_unite(1, (int64_t)out->endpoint_count, ((int64_t)1 << 31) - 1);
    }
    out->direct = direct;
    out->start_total = total;
    out->most_starts = 2;
}

void nb_two_phase_draw(struct nb_routing *out, bool goes_straight,
                       uint64_t draws)
{
    nb_two_phase_mix(out, goes_straight, goes_straight + draws);
    out->draws = draws;
    out->most_starts = goes_straight + draws;
}

uint64_t nb_two_phase_no_cost(const struct nb_routing *routing,
                              const struct nb_view *view, uint32_t source,
                              uint32_t destination,
                              const struct nb_candidate *candidate)
{
    (void)routing, (void)view, (void)source, (void)destination, (void)candidate;
    return 0;
}

static uint64_t two_phase_count(const struct nb_routing *routing, size_t set,
                                uint32_t source, uint32_t destination)
{
    struct nb_intermediates found;
    if (routing->intermediate == NB_ANYWHERE)
        return routing->endpoint_count;
    routing->find_intermediates(routing, set, source, destination, &found);
    return found.count;
}

/* The start straight to the destination comes first. */
static size_t two_phase_starts_of_set(const struct nb_routing *routing,
                                      uint32_t source, uint32_t destination,
                                      struct nb_start *starts)
{
    size_t count = 0;
    if (routing->direct > 0) {
        nb_route_starts(routing->phase, source, destination, &starts[0]);
        starts[count++].weight = routing->direct;
    }
    for (uint64_t i = 0; i < routing->draws; i++, count++) {
        if (i >= routing->sets) { /* another draw from the same set */
            starts[count] = starts[count - routing->sets];
            continue;
        }
        starts[count] = (struct nb_start){
            .weight = (routing->start_total - routing->direct) / routing->draws,
            .intermediates = two_phase_count(routing, i, source, destination),
            .set = (uint32_t)i,
        };
    }
    return count;
}

size_t nb_two_phase_starts(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, struct nb_start *starts)
{
    if (routing->intermediate != NB_IN_QUADRANT)
        return two_phase_starts_of_set(routing, source, destination, starts);
    const size_t count =
        nb_route_starts(routing->directions, source, destination, starts);
    for (size_t i = 0; i < count; i++) {
        struct nb_quadrant quadrant;
        nb_quadrant_find(&routing->topology->grid, starts[i].state, source,
                         destination, &quadrant);
        starts[i].intermediates = quadrant.size;
    }
    return count;
}

/* The phase's own state when a phase begins. */
static nb_route_state two_phase_enter(const struct nb_routing *routing,
                                      nb_route_state class, uint32_t from,
                                      uint32_t to)
{
    struct nb_start start;
    if (routing->directions == routing->phase)
        return class;
    nb_route_starts(routing->phase, from, to, &start);
    return start.state;
}

nb_route_state nb_two_phase_through(const struct nb_routing *routing,
                                    nb_route_state class, uint32_t source,
                                    uint32_t intermediate)
{
    return TWO_PHASE_FIRST | (nb_route_state)intermediate << TWO_PHASE_POINT |
           class << TWO_PHASE_CLASS |
           two_phase_enter(routing, class, source, intermediate);
}

nb_route_state nb_two_phase_begin(const struct nb_routing *routing,
                                  const struct nb_start *start, uint64_t index,
                                  uint32_t source, uint32_t destination)
{
    uint32_t router;
    if (start->intermediates == 0 && !routing->is_progressive)
        return start->state;
    if (start->intermediates == 0) {
        router = destination;
    } else if (routing->intermediate == NB_ANYWHERE) {
        router = routing->endpoint[index];
    } else if (routing->intermediate == NB_IN_SET) {
        struct nb_intermediates set;
        routing->find_intermediates(routing, start->set, source, destination,
                                    &set);
        router = nb_intermediates_router(&set, index);
    } else {
        struct nb_quadrant quadrant;
        nb_quadrant_find(&routing->topology->grid, start->state, source,
                         destination, &quadrant);
        router = nb_quadrant_router(&quadrant, index);
    }
    return nb_two_phase_through(routing, start->state, source, router);
}

static uint32_t two_phase_intermediate(nb_route_state state)
{
    return (uint32_t)(state >> TWO_PHASE_POINT) & TWO_PHASE_OWN;
}

bool nb_two_phase_is_first(nb_route_state state, uint32_t router)
{
    return (state & TWO_PHASE_FIRST) != 0 &&
           router != two_phase_intermediate(state);
}

bool nb_two_phase_turns(const struct nb_routing *routing, nb_route_state state,
                        uint32_t router, uint32_t destination)
{
    const uint32_t *group = routing->topology->groups.of;
    return routing->is_progressive && (state & TWO_PHASE_FIRST) != 0 &&
           two_phase_intermediate(state) == destination &&
           group[router] != group[destination];
}

uint32_t nb_two_phase_target(nb_route_state state, uint32_t router,
                             uint32_t destination)
{
    return nb_two_phase_is_first(state, router) ? two_phase_intermediate(state)
                                                : destination;
}

nb_route_state nb_two_phase_own(const struct nb_routing *routing,
                                nb_route_state *state, uint32_t router,
                                uint32_t *destination)
{
    nb_route_state own = *state;
    const uint32_t intermediate = two_phase_intermediate(own);
    *state = 0;
    if (routing->phase == NULL || (own & TWO_PHASE_FIRST) == 0)
        return own;
    if (nb_two_phase_is_first(own, router)) {
        *destination = intermediate;
        *state = own & ~TWO_PHASE_OWN;
        return own & TWO_PHASE_OWN;
    }
    /* just arrived at the intermediate router */
    const nb_route_state classes =
        ((nb_route_state)1 << (TWO_PHASE_POINT - TWO_PHASE_CLASS)) - 1;
    return two_phase_enter(routing, own >> TWO_PHASE_CLASS & classes,
                           intermediate, *destination);
}

size_t nb_two_phase_step(const struct nb_routing *routing,
                         const struct nb_route_table *table,
                         nb_route_state state, uint32_t router,
                         uint32_t destination, struct nb_hop *hops)
{
    const struct nb_routing *phase = routing->phase;
    const nb_route_state own =
        nb_two_phase_own(routing, &state, router, &destination);
    const size_t count =
        phase->kind->step(phase, table, own, router, destination, hops);
    for (size_t i = 0; i < count; i++)
        hops[i].next |= state;
    return count;
}
