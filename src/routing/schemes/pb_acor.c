/*
 * pb-acor: piggyback chooses between going straight and a detour, acor chooses
 * the policy of the detour. Packets that are blocked while going straight do
 * not count.
 * Source: [Benito2020, section 5.4.3, Table 5-3].
 */
#include "core/try.h"
#include "routing/acor_ways.h"
#include "routing/pb_ways.h"

struct pb_acor_plan {
    struct nb_pb_plan pb;
    struct nb_acor_plan acor;
};

static enum nb_status pb_acor_build(struct nb_routing *out,
                                    struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    enum nb_status status = NB_OK;
    NB_TRY(nb_pb_ways_build(out, nb_acor_policies(given),
                            sizeof(struct pb_acor_plan), err));
    struct pb_acor_plan *plan = out->plan;
    nb_acor_read(given, &plan->acor);
done:
    return status;
}

static size_t pb_acor_memory(const struct nb_routing *routing)
{
    return nb_pb_ways_memory(routing) +
           routing->topology->router_count * sizeof(struct nb_acor_switch);
}

/* The switches' levels, after the bits. */
static struct nb_acor_switch *pb_acor_of(const struct nb_routing *routing,
                                         const struct nb_view *view)
{
    return (struct nb_acor_switch *)((char *)view->memory +
                                     nb_pb_ways_memory(routing));
}

static size_t pb_acor_set(const struct nb_routing *routing,
                          const struct nb_view *view, uint32_t source,
                          uint32_t destination, uint32_t blocked)
{
    const struct pb_acor_plan *plan = routing->plan;
    (void)destination;
    return nb_acor_level(&plan->acor, pb_acor_of(routing, view) + source,
                         blocked);
}

static void pb_acor_blocked(const struct nb_routing *routing,
                            const struct nb_view *view, uint32_t source)
{
    const struct pb_acor_plan *plan = routing->plan;
    nb_acor_block(&plan->acor, pb_acor_of(routing, view) + source);
}

static void pb_acor_observe(const struct nb_routing *routing,
                            const struct nb_view *view, uint64_t cycle)
{
    const struct pb_acor_plan *plan = routing->plan;
    nb_pb_ways_observe(routing, view, cycle);
    nb_acor_observe(&plan->acor, pb_acor_of(routing, view),
                    routing->topology->router_count, cycle);
}

static const struct nb_parameter pb_acor_parameters[] = {
    NB_PARAMETERS_ACOR("50"),
    NB_PARAMETERS_PB,
    NB_PARAMETERS_UGAL,
    NB_PARAMETER_RESTRICTED,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_pb_acor = {
    .kind = { .name = "pb-acor",
              .summary = "pb, with longer detours under more blocking",
              .detail = "Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = pb_acor_parameters },
    .examples = "pb-acor@dragonfly:h=1 pb-acor:variant=packet@dragonfly:h=1 "
                "pb-acor:sequence=2l-a,restricted=no,candidates=2"
                "@dragonfly:h=2,a=2,p=1",
    .is_adaptive = true,
    .is_asked_again = true,
    .heeds_buffers = true,
    .build = pb_acor_build,
    .cost = nb_pb_ways_cost,
    .memory = pb_acor_memory,
    .set = pb_acor_set,
    .blocked = pb_acor_blocked,
    .observe = pb_acor_observe,
};
