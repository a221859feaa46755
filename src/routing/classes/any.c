/* any: one class for any hop, which prevents nothing. */
#include "routing/vc_classes.h"

static enum nb_status any_build(struct nb_vc_classes *out,
                                const struct nb_route_shape *shape,
                                uint64_t *count, struct nb_error *err)
{
    (void)out, (void)shape, (void)err;
    *count = 1;
    return NB_OK;
}

static uint64_t any_find(const struct nb_vc_classes *classes,
                         const struct nb_vc_hop *hop, uint32_t *next)
{
    (void)classes;
    *next = hop->memory;
    return 1;
}

const struct nb_vc_rule nb_vc_rule_any = {
    .name = "any",
    .summary = "none",
    .source = "",
    .is_unprotected = true,
    .build = any_build,
    .find = any_find,
};
