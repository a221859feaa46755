/* The table schemes: the registered routings beside the optimum (declared in
 * optimum_report.h). */
#include "bounds/worst_case/unbalanced_case.h"
#include "bounds/worst_case/worst_case.h"
#include "questions/optimum/optimum_report.h"
#include "core/try.h"
#include "load/channel_loads.h"
#include "load/permutation_sample.h"

#include <string.h>

#define SCHEMES_TABLE                                                          \
    "scheme:text,throughput:ratio [fraction of capacity],lower:number,"        \
    "upper:number,absolute:ratio [packets/cycle/terminal],"                    \
    "absolute_lower:number,absolute_upper:number,"                             \
    "locality:ratio,locality_lower:number,locality_upper:number"

/* What all rows share. */
struct schemes {
    const struct nb_optimum *optimum;
    struct nb_traffic uniform;
    struct nb_enclosure minimal_hops;
    struct nb_ratio most; /* sum of a terminal's row or column */
};

static void schemes_add_cells(struct nb_point *out, size_t table,
                              struct nb_enclosure value)
{
    nb_table_add_ratio(out, table, value.exact);
    nb_table_add_number(out, table, value.lower);
    nb_table_add_number(out, table, value.upper);
}

/* The harmonic mean over the sample that --average draws. */
static enum nb_status schemes_average(const struct schemes *schemes,
                                      const struct nb_routing *routing,
                                      struct nb_enclosure *out,
                                      struct nb_error *err)
{
    const struct nb_optimum *optimum = schemes->optimum;
    const struct nb_run *run = &optimum->question->run;
    const size_t count = nb_optimum_whole(optimum, "count", NB_OPTIMUM_COUNT);
    struct nb_permutation_loads loads = { 0 };
    struct nb_permutation_sample sample = { 0 };
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    enum nb_status status = NB_OK;
    size_t end;
    NB_TRY(
        nb_permutation_loads_find(routing, NB_KERNEL_BEST, run, &loads, err));
    NB_TRY(nb_permutation_sample_draw(&loads,
                                      nb_optimum_whole(optimum, "seed", 1),
                                      count, run, &sample, err));
    for (size_t first = 0; first < count; first = end) {
        const struct nb_enclosure found =
            nb_permutation_throughput(&loads, sample.peak[first]);
        end = nb_permutation_sample_run(&loads, &sample, first);
        sum = nb_enclosure_add(
            sum,
            nb_enclosure_divide(nb_enclosure_of_whole((uint32_t)(end - first)),
                                (struct nb_enclosure){ found.exact, found.lower,
                                                       found.upper }));
    }
    *out = nb_enclosure_divide(nb_enclosure_of_whole((uint32_t)count), sum);
done:
    nb_permutation_sample_release(&sample);
    nb_permutation_loads_release(&loads);
    return status;
}

/* What the channels between routers carry of what the question asks about. */
static enum nb_status schemes_throughput(const struct schemes *schemes,
                                         const struct nb_routing *routing,
                                         struct nb_enclosure *out,
                                         struct nb_error *err)
{
    const struct nb_question *question = schemes->optimum->question;
    const struct nb_traffic *traffic = &schemes->optimum->problem.traffic;
    struct nb_channel_loads loads = { 0 };
    struct nb_unbalanced_case unbalanced = { 0 };
    struct nb_worst_case worst = { 0 };
    enum nb_status status = NB_OK;
    if (schemes->optimum->goal == &nb_optimum_traffic) {
        NB_TRY(nb_channel_loads_find(routing, traffic, &question->run, &loads,
                                     err));
        *out = loads.throughput;
    } else if (schemes->optimum->goal == &nb_optimum_average) {
        NB_TRY(schemes_average(schemes, routing, out, err));
    } else if (nb_question_flag(question, "unbalanced")) {
        NB_TRY(nb_unbalanced_case_find(routing, schemes->optimum->overload,
                                       &question->run, &unbalanced, err));
        *out = unbalanced.rate;
    } else {
        NB_TRY(nb_worst_case_find(routing, &question->run, &worst, err));
        *out = worst.throughput;
    }
done:
    nb_channel_loads_release(&loads);
    nb_unbalanced_case_release(&unbalanced);
    nb_worst_case_release(&worst);
    return status;
}

static enum nb_status schemes_add_row(const struct schemes *schemes,
                                      const struct nb_routing *routing,
                                      size_t table, struct nb_point *out,
                                      struct nb_error *err)
{
    const struct nb_problem *problem = &schemes->optimum->problem;
    const struct nb_enclosure capacity = problem->capacity.rate;
    struct nb_channel_loads loads = { 0 };
    struct nb_enclosure throughput;
    enum nb_status status = NB_OK;
    NB_TRY(schemes_throughput(schemes, routing, &throughput, err));
    NB_TRY(nb_channel_loads_find(routing, &schemes->uniform,
                                 &schemes->optimum->question->run, &loads,
                                 err));
    throughput = nb_enclosure_least(
        throughput, nb_problem_terminal_limit(problem, schemes->most));
    nb_table_add_text(out, table, routing->kind->kind.name);
    schemes_add_cells(out, table, nb_enclosure_divide(throughput, capacity));
    schemes_add_cells(out, table, throughput);
    schemes_add_cells(
        out, table,
        nb_enclosure_divide(loads.mean_hops, schemes->minimal_hops));
done:
    nb_channel_loads_release(&loads);
    return status;
}

static enum nb_status schemes_begin(const struct nb_optimum *optimum,
                                    struct schemes *out, struct nb_error *err)
{
    const struct nb_problem *problem = &optimum->problem;
    struct nb_traffic_sums sums;
    enum nb_status status = NB_OK;
    *out = (struct schemes){ .optimum = optimum, .most = nb_ratio_one };
    NB_TRY(nb_traffic_build("uniform", &problem->topology, false, &out->uniform,
                            err));
    NB_TRY(
        nb_optimum_minimal_hops(&problem->topology, &out->minimal_hops, err));
    if (optimum->goal != &nb_optimum_traffic)
        goto done;
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums,
                                err));
    out->most =
        nb_ratio_compare(sums.row, sums.column) > 0 ? sums.row : sums.column;
done:
    return status;
}

enum nb_status nb_optimum_add_schemes(const struct nb_optimum *optimum,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    const struct nb_problem *problem = &optimum->problem;
    struct schemes schemes = { 0 };
    enum nb_status status = NB_OK;
    if (!nb_question_flag(optimum->question, "schemes"))
        return NB_OK;
    NB_TRY(schemes_begin(optimum, &schemes, err));
    const size_t table =
        nb_point_add_table(out, "schemes", false, SCHEMES_TABLE);
    for (size_t i = 0; nb_routing_kinds[i] != NULL; i++) {
        const struct nb_routing_kind *kind = nb_routing_kinds[i];
        struct nb_routing routing = { 0 };
        struct nb_error refused = { 0 };
        /* A table of a file is nothing that the program knows of itself. */
        if (kind->is_adaptive || strcmp(kind->kind.name, "file") == 0)
            continue;
        status = nb_routing_build(kind->kind.name, &problem->topology, &routing,
                                  &refused);
        if (status == NB_OK)
            status = schemes_add_row(&schemes, &routing, table, out, err);
        else if (status == NB_INVALID) /* not defined on this network */
            status = NB_OK;
        else
            nb_fail(err, status, "%s", refused.message);
        nb_routing_release(&routing);
        NB_TRY(status);
    }
done:
    nb_traffic_release(&schemes.uniform);
    return status;
}
