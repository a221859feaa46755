/*
 * hop: structured buffer pool. A packet that has made h hops may be in any
 * class up to h.
 * Source: [Singh2005, sections 6.3.1, 6.5.1].
 */
#include "routing/route_shape.h"
#include "routing/vc_classes.h"

#include <assert.h>

static enum nb_status hop_build(struct nb_vc_classes *out,
                                const struct nb_route_shape *shape,
                                uint64_t *count, struct nb_error *err)
{
    (void)err;
    const uint64_t phase = shape->hops > 0 ? (uint64_t)shape->hops : 1;
    *count = nb_vc_phases(out->routing) * phase;
    return NB_OK;
}

static uint64_t hop_find(const struct nb_vc_classes *classes,
                         const struct nb_vc_hop *hop, uint32_t *next)
{
    assert(hop->memory < classes->count);
    *next = hop->memory + 1;
    return UINT64_MAX >> (NB_MOST_VC_CLASSES - 1 - hop->memory);
}

const struct nb_vc_rule nb_vc_rule_hop = {
    .name = "hop",
    .summary = "structured buffer pool",
    .source = "Singh2005, section 6.3.1",
    .rank = 4,
    .may_descend = true,
    .needs_shape = true,
    .build = hop_build,
    .find = hop_find,
};
