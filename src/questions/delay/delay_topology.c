/* Paths of a topology, routing and traffic (declared in delay_paths.h). */
#include "questions/delay/delay_paths.h"
#include "questions/queue_options.h"

#include "traffic/traffic.h"

#include <string.h>

/* Whether a traffic is uniform, which needs no matrix. */
static enum nb_status topology_read_traffic(const char *text, bool *is_uniform,
                                            struct nb_error *err)
{
    struct nb_specification traffic = { 0 };
    size_t index;
    *is_uniform = true;
    if (text == NULL)
        return NB_OK;
    const enum nb_status status = nb_specification_read(
        text, "traffic", nb_traffic_kind_at, NULL, &traffic, &index, err);
    if (status != NB_OK)
        return status;
    *is_uniform = strcmp(traffic.kind->name, "uniform") == 0;
    nb_specification_release(&traffic);
    return NB_OK;
}

enum nb_status nb_delay_paths_topology(const struct nb_model *model,
                                       struct nb_queue_load load,
                                       struct nb_arrivals *arrivals,
                                       struct nb_delay_paths *out,
                                       struct nb_error *err)
{
    const char *topology = nb_model_get(model, "topology");
    const char *routing = nb_model_get(model, "routing");
    const char *traffic = nb_model_get(model, "traffic");
    const bool is_by_root = routing == NULL || strcmp(routing, "rcar") != 0;
    uint32_t k, n;
    bool is_uniform;
    enum nb_status status =
        nb_question_tree(topology, "--hops or --loads", &k, &n, err);
    if (status == NB_OK)
        status = topology_read_traffic(traffic, &is_uniform, err);
    if (status != NB_OK)
        return status;
    arrivals->radix = k;
    if (is_by_root && is_uniform)
        return nb_delay_paths_alike(2 * (size_t)n - 1, load, arrivals, out,
                                    err);
    if (arrivals->kind == NB_ARRIVE_ONOFF)
        return nb_fail(
            err, NB_INVALID,
            "arrivals %.60s are not permitted with %s%.60s, whose "
            "queues have inputs of unequal loads (permitted: "
            "bernoulli, poisson; or %s)",
            nb_model_get(model, "arrivals"), is_uniform ? "rcar" : "traffic ",
            is_uniform ? "" : traffic, is_uniform ? "rrr" : "uniform traffic");
    if (is_uniform)
        return nb_delay_paths_tree(k, n, load, arrivals, out, err);
    return nb_delay_paths_traffic(topology, traffic, is_by_root, load, arrivals,
                                  out, err);
}
