/* The table schemes: the registered routings, compared with the optimum
 * (declared in optimum.h). */
#include "bounds/worst_case/unbalanced_case.h"
#include "bounds/worst_case/worst_case.h"
#include "questions/optimum/optimum.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/permutation_sample.h"
#include "routing/unrouted.h"

#include <string.h>

const struct nb_table_kind nb_optimum_schemes = {
    .name = "schemes",
    .columns = NB_SPELLED(
        "scheme:text,throughput:ratio [fraction of capacity],lower:number,"
        "upper:number,absolute:ratio [packets/cycle/terminal],"
        "absolute_lower:number,absolute_upper:number,"
        "locality:ratio,locality_lower:number,locality_upper:number")
};

void nb_optimum_add_schemes(const struct nb_optimum_answer *answer,
                            struct nb_point *out)
{
    if (!answer->request.schemes)
        return;
    const size_t table = nb_table_start(out, &nb_optimum_schemes);
    for (size_t i = 0; i < answer->scheme_count; i++) {
        const struct nb_optimum_scheme *scheme = &answer->schemes[i];
        const struct nb_enclosure fraction = nb_enclosure_divide(
            scheme->throughput, answer->problem.capacity.rate);
        NB_ROW(out, table, scheme->name, NB_ENDS(fraction),
               NB_ENDS(scheme->throughput), NB_ENDS(scheme->locality));
    }
}

/* The harmonic mean over the sample that --average draws. */
static enum nb_status schemes_average(const struct nb_optimum *optimum,
                                      const struct nb_routing *routing,
                                      struct nb_enclosure *out,
                                      struct nb_error *err)
{
    const struct nb_run *run = optimum->run;
    const size_t count = (size_t)optimum->answer->request.count;
    const uint64_t seed = (uint64_t)optimum->answer->request.seed;
    struct nb_permutation_loads loads = { 0 };
    struct nb_permutation_sample sample = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_permutation_loads_find(routing, NB_KERNEL_BEST, run, &loads, err));
    NB_TRY(nb_permutation_sample_draw(&loads, seed, count, run, &sample, err));
    *out = nb_permutation_sample_harmonic(&loads, &sample);
done:
    nb_permutation_sample_release(&sample);
    nb_permutation_loads_release(&loads);
    return status;
}

enum nb_status nb_optimum_scheme(const struct nb_optimum *optimum,
                                 const struct nb_routing *routing,
                                 struct nb_enclosure *out, struct nb_error *err)
{
    const struct nb_optimum_answer *answer = optimum->answer;
    const struct nb_run *run = optimum->run;
    struct nb_channel_loads loads = { 0 };
    struct nb_unbalanced_case unbalanced = { 0 };
    struct nb_worst_case worst = { 0 };
    enum nb_status status = NB_OK;
    if (answer->goal == NB_OPTIMUM_TRAFFIC) {
        NB_TRY(nb_channel_loads_find(routing, &answer->problem.traffic, run,
                                     &loads, err));
        *out = loads.throughput;
    } else if (answer->goal == NB_OPTIMUM_AVERAGE) {
        NB_TRY(schemes_average(optimum, routing, out, err));
    } else if (answer->request.unbalanced) {
        NB_TRY(nb_unbalanced_case_find(routing, answer->request.saturated, run,
                                       &unbalanced, err));
        *out = unbalanced.rate;
    } else {
        NB_TRY(nb_worst_case_find(routing, run, &worst, err));
        *out = worst.throughput;
    }
done:
    nb_channel_loads_release(&loads);
    nb_unbalanced_case_release(&unbalanced);
    nb_worst_case_release(&worst);
    return status;
}

static enum nb_status schemes_find(const struct nb_optimum *optimum,
                                   const struct nb_routing *routing,
                                   const struct nb_traffic *uniform,
                                   struct nb_optimum_scheme *out,
                                   struct nb_error *err)
{
    const struct nb_optimum_answer *answer = optimum->answer;
    struct nb_channel_loads loads = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_scheme(optimum, routing, &out->throughput, err));
    NB_TRY(nb_channel_loads_find(routing, uniform, optimum->run, &loads, err));
    out->name = routing->kind->kind.name;
    out->throughput = nb_enclosure_least(
        out->throughput,
        nb_problem_terminal_limit(&answer->problem,
                                  nb_traffic_sums_most(&answer->sums)));
    out->locality = nb_enclosure_divide(loads.mean_hops, answer->minimal_hops);
done:
    nb_channel_loads_release(&loads);
    return status;
}

/* The same by the scheme's name. Adds nothing for a scheme that is not defined
 * on this network. */
static enum nb_status schemes_build(const struct nb_optimum *optimum,
                                    const char *name,
                                    const struct nb_traffic *uniform,
                                    struct nb_error *err)
{
    struct nb_optimum_answer *answer = optimum->answer;
    struct nb_routing routing = { 0 };
    struct nb_error refused = { 0 };
    enum nb_status status =
        nb_routing_build(name, &answer->problem.topology, &routing, &refused);
    if (status == NB_OK)
        status = nb_routes_require(&routing, NULL, &refused);
    if (status == NB_OK)
        status = schemes_find(optimum, &routing, uniform,
                              &answer->schemes[answer->scheme_count++], err);
    else if (status == NB_INVALID)
        status = NB_OK;
    else
        nb_fail(err, status, "%s", refused.message);
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_optimum_find_schemes(const struct nb_optimum *optimum,
                                       struct nb_error *err)
{
    struct nb_optimum_answer *answer = optimum->answer;
    const struct nb_topology *topology = &answer->problem.topology;
    struct nb_traffic uniform = { 0 };
    size_t count = 0;
    enum nb_status status = NB_OK;
    if (!answer->request.schemes)
        return NB_OK;
    while (nb_routing_kinds[count] != NULL)
        count++;
    NB_TRY(nb_new(&answer->schemes, count, sizeof *answer->schemes, "schemes",
                  err));
    NB_TRY(nb_traffic_build("uniform", topology, false, &uniform, err));
    NB_TRY(nb_optimum_minimal_hops(topology, &answer->minimal_hops, err));
    for (size_t i = 0; i < count; i++) {
        const struct nb_routing_kind *kind = nb_routing_kinds[i];
        /* A routing table from a file is not a routing of the program. */
        if (!kind->is_adaptive && strcmp(kind->kind.name, "file") != 0)
            NB_TRY(schemes_build(optimum, kind->kind.name, &uniform, err));
    }
done:
    nb_traffic_release(&uniform);
    return status;
}
