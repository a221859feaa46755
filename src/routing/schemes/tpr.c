/*
 * tpr: traffic-pattern-based routing. As ugal, but the threshold follows the
 * number of packets that the router's terminals recently sent to the packet's
 * group: few packets favour going straight, many favour detours.
 * Source: [Benito2020, section 6.1.1 and Table 6-1], after Faizian and others.
 */
#include "core/try.h"
#include "routing/traffic_counts.h"
#include "routing/ugal_ways.h"

struct tpr_plan {
    struct nb_ugal_plan ugal;
    struct nb_counts_plan counts;
};

static enum nb_status tpr_build(struct nb_routing *out, struct nb_error *err)
{
    struct nb_counts_plan counts;
    enum nb_status status = NB_OK;
    NB_TRY(nb_counts_read(out, &counts, err));
    NB_TRY(nb_ugal_ways_list(
        out, nb_specification_text(&out->specification, "policy"),
        sizeof(struct tpr_plan), err));
    ((struct tpr_plan *)out->plan)->counts = counts;
done:
    return status;
}

static size_t tpr_memory(const struct nb_routing *routing)
{
    const struct tpr_plan *plan = routing->plan;
    return nb_counts_memory(routing, &plan->counts);
}

static uint64_t tpr_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate)
{
    const struct tpr_plan *plan = routing->plan;
    const uint32_t *group = routing->topology->groups.of;
    const uint32_t *left = nb_counts_left_of(routing, view->memory, source);
    const int32_t threshold =
        group[source] == group[destination]
            ? 0
            : nb_counts_threshold(&plan->counts, left[group[destination]]);
    return nb_ugal_ways_cost_by(routing, view, source, destination, candidate,
                                threshold);
}

static void tpr_left(const struct nb_routing *routing,
                     const struct nb_view *view, uint32_t source,
                     uint32_t destination, uint64_t cycle)
{
    (void)cycle;
    nb_counts_left(routing, view->memory, source, destination);
}

static void tpr_observe(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle)
{
    const struct tpr_plan *plan = routing->plan;
    (void)cycle;
    nb_counts_observe(routing, &plan->counts, view->memory);
}

static const struct nb_parameter tpr_parameters[] = {
    NB_PARAMETERS_COUNTS,
    NB_PARAMETERS_UGAL_WITH("-30"),
    NB_PARAMETER_POLICY,
    NB_PARAMETER_RESTRICTED,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_tpr = {
    .kind = { .name = "tpr",
              .summary = "ugal, with a threshold set by recent traffic",
              .detail = "The threshold depends on how much the router recently "
                        "sent to the packet's destination group. Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = tpr_parameters },
    .examples = "tpr@dragonfly:h=1 tpr:policy=-gl,window=10@dragonfly:h=1 "
                "tpr:policy=-g-,restricted=no,low=1,high=2@dragonfly:h=2,a=2,"
                "p=1",
    .is_adaptive = true,
    .is_asked_again = true,
    .build = tpr_build,
    .cost = tpr_cost,
    .memory = tpr_memory,
    .left = tpr_left,
    .observe = tpr_observe,
};
