#include "routing/rule_ways.h"

#include "core/memory.h"
#include "core/try.h"
#include "routing/two_phase.h"

#include <math.h>

enum { RULE_MOST_FEEDBACK = 63 };

enum nb_status nb_rule_ways_build(struct nb_routing *out, size_t bytes,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (out->topology->groups.count == 0)
        NB_TRY(nb_routing_refuse(
            out, "a network of groups (permitted: such as dragonfly:h=2)",
            err));
    NB_TRY(nb_two_phase_build(out, "min-adaptive", NULL, err));
    NB_TRY(nb_group_ways_build(out, false, err));
    nb_two_phase_draw(out, true, 1);
    out->vc_rule = out->phase->vc_rule;
    out->is_by_port =
        nb_specification_is(&out->specification, "ways", "by-port");
    if (bytes > 0)
        NB_TRY(nb_new(&out->plan, 1, bytes, "rules of switches", err));
done:
    return status;
}

bool nb_rule_is_plain(const struct nb_routing *routing, uint32_t source,
                      uint32_t destination)
{
    const uint32_t *of = routing->topology->groups.of;
    return of[source] == of[destination];
}

uint32_t nb_rule_straight(const struct nb_routing *routing,
                          const struct nb_view *view, uint32_t source,
                          uint32_t destination)
{
    struct nb_start start = { 0 };
    nb_route_starts(routing->phase, source, destination, &start);
    const nb_route_state state =
        nb_two_phase_begin(routing, &start, 0, source, destination);
    return view->way(view->network, state, source, destination).channel;
}

int nb_rule_feedback(const struct nb_rule_qcn *rule, double filled,
                     double before)
{
    const double above =
        filled - rule->reference + rule->weight * (filled - before);
    if (above <= 0)
        return -1;
    return (int)fmin(RULE_MOST_FEEDBACK,
                     floor(RULE_MOST_FEEDBACK * above / rule->reference));
}

double nb_rule_notified(const struct nb_rule_qcn *rule, double probability,
                        int feedback, double mean)
{
    double excess = feedback;
    if (rule->is_compared && feedback < mean - rule->below)
        return fmin(1, probability + rule->increase);
    if (rule->is_compared)
        excess = feedback > mean + rule->above ? feedback - mean : 0;
    return probability * fmax(0, 1 - rule->limit * excess);
}
