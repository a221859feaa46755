/* Uniform: every terminal sends equally to all terminals, itself included. */
#include "traffic/traffic.h"

static enum nb_status uniform_build(const struct nb_traffic_request *request,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    (void)err;
    out->background = 1;
    out->denominator = request->topology->terminal_count;
    return NB_OK;
}

const struct nb_traffic_kind nb_traffic_uniform = {
    .kind = { .name = "uniform",
              .aliases = "ur",
              .summary = "every terminal equally to all, itself included",},
    .examples = "uniform@torus:4x3 uniform@complete:5 uniform@ccc:3 "
                "uniform@mesh:3x3,terminals=2 uniform:self=no@torus:4x3 "
                "uniform:self=no@mesh:3x3,terminals=2",
    .build = uniform_build,
};
