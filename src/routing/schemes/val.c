/*
 * val: Valiant's two phases. A packet goes to a way-point drawn evenly from
 * all routers with terminals, then to its destination; each phase is dor on
 * networks with coordinates and min elsewhere.
 */
#include "routing/routing.h"

#include "core/memory.h"

/* In the first phase a state is this flag, the way-point and the phase's own
 * state; in the second it is the phase's own state alone. */
#define VAL_FIRST ((nb_route_state)1 << 63)
enum { VAL_PHASE_BITS = 24 };

struct val_plan {
    uint32_t way_point_count;
    uint32_t way_point[];
};

static enum nb_status val_plan_build(struct nb_routing *out,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const size_t words = 1 + topology->router_count;
    const enum nb_status status =
        nb_new(&out->plan, words, sizeof(uint32_t), "way-points", err);
    if (status != NB_OK)
        return status;
    struct val_plan *plan = out->plan;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            plan->way_point[plan->way_point_count++] = r;
    return NB_OK;
}

static enum nb_status val_build(struct nb_routing *out, struct nb_error *err)
{
    struct nb_text phase = { 0 };
    const char *order = nb_specification_text(&out->specification, "order");
    const char *ties = nb_specification_text(&out->specification, "ties");
    enum nb_status status = NB_OK;
    if (out->topology->grid.dimensions > 0)
        nb_text_print(&phase, "dor:order=%s,ties=%s", order, ties);
    else if (nb_specification_is(&out->specification, "order", "fixed") &&
             nb_specification_is(&out->specification, "ties", "split"))
        nb_text_print(&phase, "min");
    else
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing val: order=%s,ties=%s need coordinates; "
                       "topology %s has none (permitted there: val)",
                       order, ties, out->topology->kind->kind.name));
    NB_TRY(nb_text_check(&phase, err));
    NB_TRY(nb_new(&out->phase, 1, sizeof *out->phase, "routing val", err));
    NB_TRY(nb_routing_build(phase.bytes, out->topology, out->phase, err));
    NB_TRY(val_plan_build(out, err));
    out->symmetries = out->phase->symmetries;
    out->most_hops = out->phase->most_hops;
    out->needs_table = out->phase->needs_table;
done:
    nb_text_release(&phase);
    return status;
}

static uint64_t val_start_count(const struct nb_routing *routing)
{
    const struct val_plan *plan = routing->plan;
    return plan->way_point_count;
}

static nb_route_state val_start(const struct nb_routing *routing,
                                uint64_t index, uint32_t source,
                                uint32_t destination)
{
    (void)destination;
    const struct val_plan *plan = routing->plan;
    const struct nb_routing *phase = routing->phase;
    const uint32_t way_point = plan->way_point[index];
    return VAL_FIRST | (nb_route_state)way_point << VAL_PHASE_BITS |
           phase->kind->start(phase, 0, source, way_point);
}

static bool val_is_first(nb_route_state state, uint32_t router,
                         uint32_t *way_point)
{
    *way_point = (uint32_t)(state >> VAL_PHASE_BITS);
    return (state & VAL_FIRST) != 0 && router != *way_point;
}

static uint32_t val_target(const struct nb_routing *routing,
                           nb_route_state state, uint32_t router,
                           uint32_t destination)
{
    (void)routing;
    uint32_t way_point;
    return val_is_first(state, router, &way_point) ? way_point : destination;
}

static size_t val_step(const struct nb_routing *routing,
                       const struct nb_route_table *table, nb_route_state state,
                       uint32_t router, uint32_t destination,
                       struct nb_hop *hops)
{
    const struct nb_routing *phase = routing->phase;
    const nb_route_state own = ((nb_route_state)1 << VAL_PHASE_BITS) - 1;
    uint32_t way_point;
    if (!val_is_first(state, router, &way_point)) {
        if ((state & VAL_FIRST) != 0) /* just arrived at the way-point */
            state = phase->kind->start(phase, 0, way_point, destination);
        return phase->kind->step(phase, table, state, router, destination,
                                 hops);
    }
    const size_t count =
        phase->kind->step(phase, table, state & own, router, way_point, hops);
    for (size_t i = 0; i < count; i++)
        hops[i].next |= state & ~own;
    return count;
}

static const struct nb_parameter val_parameters[] = {
    { .name = "order",
      .help = "order of dimensions in each phase",
      .type = NB_CHOICE,
      .initial = "fixed",
      .choices = "fixed|random" },
    { .name = "ties",
      .help = "direction at distance exactly k/2 in each phase",
      .type = NB_CHOICE,
      .initial = "split",
      .choices = "split|plus|parity" },
    { 0 },
};

const struct nb_routing_kind nb_routing_val = {
    .kind = { .name = "val",
              .aliases = "valiant vlb",
              .summary = "Valiant: through a uniform random way-point",
              .parameters = val_parameters },
    .examples = "val@ring:5 val@torus:4x3 val:ties=parity@torus:4x4 "
                "val:order=random@mesh:3x3 val@hypercube:3 val@complete:5 "
                "val@ccc:3",
    .build = val_build,
    .start_count = val_start_count,
    .start = val_start,
    .target = val_target,
    .step = val_step,
};
