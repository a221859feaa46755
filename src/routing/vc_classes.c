#include "routing/vc_classes.h"

#include "core/memory.h"
#include "routing/route_shape.h"
#include "routing/two_phase.h"

#include <inttypes.h>
#include <string.h>

const struct nb_routing *nb_vc_phase(const struct nb_routing *routing)
{
    return routing->phase != NULL ? routing->phase : routing;
}

unsigned nb_vc_phases(const struct nb_routing *routing)
{
    return routing->phase != NULL ? 2 : 1;
}

uint32_t nb_vc_phase_enter(const struct nb_vc_classes *classes,
                           const struct nb_vc_hop *hop)
{
    const bool enters = classes->routing->phase != NULL &&
                        (hop->memory & NB_VC_SECOND_PHASE) == 0 &&
                        !nb_two_phase_is_first(hop->state, hop->router);
    return enters ? NB_VC_SECOND_PHASE : hop->memory;
}

/* Chooses the rule asked for by name if it suits, else the one of least rank.
 * The shape is computed when the first rule needs it. */
static enum nb_status vc_choose(struct nb_vc_classes *out,
                                struct nb_route_shape *shape,
                                struct nb_error *err)
{
    const struct nb_routing *routing = out->routing;
    bool is_found = false;
    enum nb_status status = NB_OK;
    for (unsigned rank = 0; out->rule == NULL; rank++)
        for (size_t i = 0; nb_vc_rules[i] != NULL && out->rule == NULL; i++) {
            const struct nb_vc_rule *rule = nb_vc_rules[i];
            const bool is_asked = routing->vc_rule != NULL &&
                                  strcmp(routing->vc_rule, rule->name) == 0;
            if (rank == 0 ? !is_asked : rule->rank != rank)
                continue;
            if (rule->needs_shape && !is_found)
                NB_TRY(nb_route_shape_find(routing, shape, err));
            is_found = is_found || rule->needs_shape;
            if (rule->suits == NULL || rule->suits(routing, &shape[1]))
                out->rule = rule;
        }
done:
    return status;
}

enum nb_status nb_vc_classes_build(const struct nb_routing *routing,
                                   struct nb_vc_classes *out,
                                   struct nb_error *err)
{
    struct nb_route_shape shape[2];
    uint64_t count;
    enum nb_status status = NB_OK;
    *out = (struct nb_vc_classes){ .routing = routing };
    NB_TRY(nb_routing_check(routing, err));
    if (routing->kind->is_deflecting)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s deflects packets instead of using virtual "
                       "channels (permitted: the chaos router)",
                       routing->kind->kind.name));
    NB_TRY(vc_choose(out, shape, err));
    NB_TRY(out->rule->build(out, &shape[1], &count, err));
    if (count > NB_MOST_VC_CLASSES)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s on topology %s needs %" PRIu64
                       " virtual-channel classes (permitted: at most %d)",
                       routing->kind->kind.name,
                       routing->topology->kind->kind.name, count,
                       NB_MOST_VC_CLASSES));
    out->count = (unsigned)count;
done:
    if (status != NB_OK)
        nb_vc_classes_release(out);
    return status;
}

enum nb_status nb_vc_classes_choose(const char *name,
                                    struct nb_routing *routing,
                                    struct nb_error *err)
{
    struct nb_vc_classes classes = { 0 };
    struct nb_text names = { 0 };
    size_t i = 0;
    enum nb_status status = NB_OK;
    if (name == NULL)
        return NB_OK;
    for (; nb_vc_rules[i] != NULL && strcmp(nb_vc_rules[i]->name, name) != 0;
         i++)
        nb_text_print(&names, "%s%s", i > 0 ? ", " : "", nb_vc_rules[i]->name);
    NB_TRY(nb_text_check(&names, err));
    if (nb_vc_rules[i] == NULL)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "--classes %.40s: no such rule (permitted: %s)", name,
                       names.bytes));
    routing->vc_rule = nb_vc_rules[i]->name;
    NB_TRY(nb_vc_classes_build(routing, &classes, err));
    if (classes.rule != nb_vc_rules[i])
        NB_TRY(nb_fail(err, NB_INVALID,
                       "--classes %s does not suit routing %s on topology %s "
                       "(permitted: any, hop, %s)",
                       name, routing->kind->kind.name,
                       routing->topology->kind->kind.name, classes.rule->name));
done:
    nb_vc_classes_release(&classes);
    nb_text_release(&names);
    return status;
}

void nb_vc_classes_release(struct nb_vc_classes *classes)
{
    nb_delete(classes->plan);
    *classes = (struct nb_vc_classes){ 0 };
}

/* Whether classes need no more on either kind of channel and fewer on one. */
static bool vc_is_less(const struct nb_vc_classes *classes,
                       const struct nb_vc_need *need)
{
    const bool is_no_more =
        classes->count <= need->local &&
        (need->global == 0 || classes->count <= need->global);
    return !classes->rule->is_unprotected && is_no_more &&
           (classes->count < need->local || classes->count < need->global);
}

enum nb_status nb_vc_need_find(const struct nb_routing *routing,
                               struct nb_vc_need *out, struct nb_error *err)
{
    const bool has_groups = routing->topology->groups.count > 0;
    struct nb_virtual_channels counted = { 0 };
    struct nb_vc_classes classes = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_virtual_channels_find(routing, &counted, err));
    *out = (struct nb_vc_need){
        .local = counted.local,
        .global = counted.global,
        .rule = counted.is_by_place && has_groups ? "place" : "hop",
        .source = "Gunther1981",
    };
    if (!has_groups)
        out->global = 0; /* counted by hop, both kinds are treated equally */
    status = nb_vc_classes_build(routing, &classes, NULL);
    if (status == NB_NO_MEMORY)
        NB_TRY(nb_fail(err, status, "no memory for virtual channels"));
    if (status == NB_OK && vc_is_less(&classes, out)) {
        out->local = classes.count;
        out->global = out->global > 0 ? classes.count : 0;
        out->rule = classes.rule->name;
        out->source = classes.rule->source;
    }
    status = NB_OK; /* more classes than bits: the count by places or hops
                     * remains */
done:
    nb_vc_classes_release(&classes);
    return status;
}

uint64_t nb_vc_classes_escape(const struct nb_vc_classes *classes, uint64_t set)
{
    return classes->rule->escape != NULL
               ? classes->rule->escape(classes, set)
               : UINT64_C(1) << (63 - __builtin_clzll(set));
}
