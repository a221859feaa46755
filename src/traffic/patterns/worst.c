/* Worst: the permutation with the largest channel load under the routing. */
#include "traffic/traffic.h"

static enum nb_status worst_build(const struct nb_traffic_request *request,
                                  struct nb_traffic *out, struct nb_error *err)
{
    const struct nb_worst_traffic *worst = request->worst;
    if (worst == NULL)
        return nb_fail(err, NB_INVALID,
                       "traffic worst needs a routing, which is not known "
                       "here (permitted: questions that name one, such as "
                       "load --routing dor)");
    return worst->find(worst->context, out, err);
}

const struct nb_traffic_kind nb_traffic_worst = {
    .kind = { .name = "worst",
              .aliases = "wc",
              .summary = "the permutation that loads a channel most",
.detail = "Under the given routing. See: netbound help worst-case.",},
    .examples = "",
    .build = worst_build,
};
