/*
 * acor: adaptive congestion-oblivious routing. Valiant's two phases with one of
 * a sequence of policies, from that of the shortest detours to that of any
 * router. Whenever a packet is blocked at the head of its source's queue, its
 * intermediate router is drawn again and a level rises: that of the packet at
 * once, or that of the switch by thresholds with hysteresis.
 * Source: [Benito2020, sections 5.3 and 5.4, Tables 5-2 and 5-3].
 */
#include "routing/acor_ways.h"

#include "core/memory.h"
#include "core/try.h"
#include "routing/two_phase.h"

static enum nb_status acor_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    enum nb_status status = NB_OK;
    NB_TRY(nb_two_phase_build(out, "min-adaptive", NULL, err));
    NB_TRY(nb_group_ways_list(out, nb_acor_policies(given),
                              nb_specification_is(given, "restricted", "yes"),
                              err));
    nb_two_phase_draw(out, false, out->sets);
    NB_TRY(
        nb_new(&out->plan, 1, sizeof(struct nb_acor_plan), "thresholds", err));
    nb_acor_read(given, out->plan);
done:
    return status;
}

static size_t acor_memory(const struct nb_routing *routing)
{
    return routing->topology->router_count * sizeof(struct nb_acor_switch);
}

static size_t acor_set(const struct nb_routing *routing,
                       const struct nb_view *view, uint32_t source,
                       uint32_t destination, uint32_t blocked)
{
    const struct nb_acor_switch *of = view->memory;
    (void)destination;
    return nb_acor_level(routing->plan, &of[source], blocked);
}

static void acor_blocked(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source)
{
    struct nb_acor_switch *of = view->memory;
    nb_acor_block(routing->plan, &of[source]);
}

static void acor_observe(const struct nb_routing *routing,
                         const struct nb_view *view, uint64_t cycle)
{
    nb_acor_observe(routing->plan, view->memory,
                    routing->topology->router_count, cycle);
}

static const struct nb_parameter acor_parameters[] = {
    NB_PARAMETERS_ACOR("500"),
    NB_PARAMETER_RESTRICTED,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_acor = {
    .kind = { .name = "acor",
              .summary = "Valiant with detours that grow with blocking",
              .detail =
                  "Starts with short non-minimal paths; the more packets are "
                  "blocked at their source, the longer the paths they may "
                  "take. Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = acor_parameters },
    .examples = "acor@dragonfly:h=1 acor:variant=packet@dragonfly:h=1 "
                "acor:sequence=2l-a,restricted=no@dragonfly:h=2,a=2,p=1 "
                "acor:sequence=2l-b,it1=2,interval=50@dragonfly:h=1",
    .is_adaptive = true,
    .is_asked_again = true,
    .heeds_buffers = true,
    .build = acor_build,
    .cost = nb_two_phase_no_cost,
    .memory = acor_memory,
    .set = acor_set,
    .blocked = acor_blocked,
    .observe = acor_observe,
};
