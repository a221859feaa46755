/*
 * mar-bp: multipath adaptive routing by pauses. A switch sends a packet that
 * leaves its group straight unless the port to that path is paused; else over
 * the detour of the port by which it entered, -g-. It decides again as long as
 * the packet is at the head of its terminal's queue.
 * Source: [Benito2020, section 4.5].
 */
#include "routing/rule_ways.h"

static enum nb_status mar_bp_build(struct nb_routing *out, struct nb_error *err)
{
    return nb_rule_ways_build(out, 0, err);
}

/* Whether none of the virtual channels that the packet may use accepts
 * flits. */
static bool mar_bp_is_paused(const struct nb_routing *routing,
                             const struct nb_view *view, uint32_t source,
                             uint32_t destination, nb_route_state state)
{
    const uint32_t channel =
        nb_rule_straight(routing, view, source, destination);
    if (channel == NB_NONE || view->paused == NULL || view->permitted == NULL)
        return false;
    const uint64_t permitted =
        view->permitted(view->network, state, source, destination, channel);
    return (permitted & ~view->paused(view->network, channel)) == 0;
}

static uint64_t mar_bp_cost(const struct nb_routing *routing,
                            const struct nb_view *view, uint32_t source,
                            uint32_t destination,
                            const struct nb_candidate *candidate)
{
    if (candidate->start->intermediates > 0)
        return 1;
    const bool is_off =
        !nb_rule_is_plain(routing, source, destination) &&
        mar_bp_is_paused(routing, view, source, destination, candidate->state);
    return is_off ? UINT64_MAX : 0;
}

static const struct nb_parameter mar_bp_parameters[] = {
    NB_PARAMETERS_RULE,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_mar_bp = {
    .kind = { .name = "mar-bp",
              .summary = "the minimal path, unless its port is paused",
              .detail =
                  "Otherwise a packet takes the non-minimal path that "
                  "belongs to its port of entry. Dragonflies, with --router "
                  "credit.",
              .family = NB_FAMILY_GROUPS,
              .parameters = mar_bp_parameters },
    .examples = "mar-bp@dragonfly:h=1 mar-bp@dragonfly:h=2,a=2,p=1 "
                "mar-bp:ways=drawn@dragonfly:h=1,groups=2,trunking=2 "
                "mar-bp:policy=lgl,ways=drawn@dragonfly:h=1",
    .is_adaptive = true,
    .build = mar_bp_build,
    .cost = mar_bp_cost,
    .is_asked_again = true,
    .heeds_buffers = true,
};
