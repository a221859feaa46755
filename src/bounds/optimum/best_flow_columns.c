/* Column generation of a best flow (declared in best_flow_work.h). */
#include "bounds/optimum/best_flow_work.h"
#include "bounds/linear/linear.h"

#include "core/memory.h"

#include <math.h>

/* Paths may be missing that are shorter by this share of the greatest length:
 * a few times what the duals are wrong by. */
#define COLUMNS_MARGIN 1e-11

/* Loads that differ by no more than this share are equal but for rounding. */
#define COLUMNS_EQUAL 1e-9

/*
 * Rows: lines, load - band lambda <= 0, then orbits of pairs, sum of shares
 * = 1. Columns: lambda = 1 / Theta, which is minimised, then the shares.
 */
struct columns_work {
    struct nb_flow_work *flow;
    struct nb_linear *linear;
    size_t path_count; /* paths that have columns: column 1 + path */
    double *crossed;   /* [line] entries of the path at hand */
    size_t *place;     /* [1 + most lines or routers] */
    double *value;     /* [the same] */
};

static enum nb_status columns_start(struct columns_work *work,
                                    struct nb_error *err)
{
    const struct nb_flow_work *flow = work->flow;
    const size_t lines = flow->orbits.line_count;
    const size_t routers = flow->orbits.topology->router_count;
    const size_t most = (lines > routers ? lines : routers) + 1;
    enum nb_status status;
    NB_TRY(nb_new(&work->crossed, lines, sizeof(double), "entries", err));
    NB_TRY(nb_new(&work->place, most, sizeof(size_t), "entries", err));
    NB_TRY(nb_new(&work->value, most, sizeof(double), "entries", err));
    NB_TRY(nb_linear_new(&work->linear, err));
    for (size_t k = 0; k < lines; k++) {
        NB_TRY(nb_linear_add_row(work->linear, NB_AT_MOST, 0, 0, NULL, NULL,
                                 NULL, err));
        work->place[k] = k;
        work->value[k] = -flow->band[k];
    }
    NB_TRY(nb_linear_add_column(work->linear, 1, INFINITY, lines, work->place,
                                work->value, NULL, err));
    for (size_t o = 0; o < flow->orbits.pair_count; o++)
        NB_TRY(nb_linear_add_row(work->linear, NB_EQUAL, 1, 0, NULL, NULL, NULL,
                                 err));
done:
    return status;
}

static enum nb_status columns_add(struct columns_work *work,
                                  const struct nb_flow_path *path,
                                  struct nb_error *err)
{
    const struct nb_flow_work *flow = work->flow;
    size_t count = 0;
    for (uint32_t h = 0; h < path->length; h++) {
        const uint32_t line = nb_flow_line_at(flow, path, h);
        if (work->crossed[line] == 0)
            work->place[count++] = line;
        work->crossed[line] += flow->demand[path->orbit];
    }
    for (size_t k = 0; k < count; k++) {
        work->value[k] = work->crossed[work->place[k]];
        work->crossed[work->place[k]] = 0;
    }
    work->place[count] = flow->orbits.line_count + path->orbit;
    work->value[count++] = 1;
    return nb_linear_add_column(work->linear, 0, INFINITY, count, work->place,
                                work->value, NULL, err);
}

/* Whether the program could be solved in the time that is left. */
static enum nb_status columns_solve(struct columns_work *work, bool *is_solved,
                                    struct nb_error *err)
{
    struct nb_flow_work *flow = work->flow;
    struct nb_error own = { 0 };
    enum nb_linear_end end = NB_LINEAR_STOPPED;
    const enum nb_status status = nb_linear_solve(
        work->linear, NB_LINEAR_PRIMAL, nb_flow_left(flow), &end, &own);
    *is_solved = status == NB_OK && end == NB_LINEAR_OPTIMAL;
    if (!*is_solved)
        nb_flow_left(flow); /* notes whether the time is over */
    return status == NB_OK || status == NB_NO_CONVERGENCE
               ? NB_OK
               : nb_fail(err, status, "%s", own.message);
}

/* Shares as the program has them, the best unless they carry less. */
static void columns_take(struct columns_work *work)
{
    struct nb_flow_work *flow = work->flow;
    for (size_t p = 0; p < flow->path_count; p++)
        flow->path[p].share = fmax(0, nb_linear_value(work->linear, 1 + p));
    const double top = nb_flow_load(flow);
    if (top <= flow->least_load * (1 + COLUMNS_EQUAL))
        nb_flow_keep(flow, top);
}

/* Of the best shares those with fewest hops: shorter, and of fewer paths a
 * pair, so that their common denominator is far less. */
static enum nb_status columns_shorten(struct columns_work *work,
                                      struct nb_error *err)
{
    const struct nb_flow_work *flow = work->flow;
    bool is_solved;
    nb_linear_set_most(work->linear, 0, nb_linear_value(work->linear, 0));
    nb_linear_set_cost(work->linear, 0, 0);
    for (size_t p = 0; p < work->path_count; p++) {
        const struct nb_flow_path *path = &flow->path[p];
        nb_linear_set_cost(work->linear, 1 + p,
                           flow->demand[path->orbit] * path->length);
    }
    const enum nb_status status = columns_solve(work, &is_solved, err);
    if (is_solved)
        columns_take(work);
    return status;
}

enum nb_status nb_flow_columns_run(struct nb_flow_work *flow, bool *is_solved,
                                   struct nb_error *err)
{
    struct columns_work work = { .flow = flow };
    const double gap = flow->question->gap;
    size_t added = 1;
    enum nb_status status;
    *is_solved = false;
    flow->margin = (int64_t)(COLUMNS_MARGIN * 0x1p40);
    NB_TRY(columns_start(&work, err));
    while (added > 0) {
        for (; work.path_count < flow->path_count; work.path_count++)
            NB_TRY(columns_add(&work, &flow->path[work.path_count], err));
        NB_TRY(columns_solve(&work, is_solved, err));
        if (!*is_solved)
            goto done;
        columns_take(&work);
        for (size_t k = 0; k < flow->orbits.line_count; k++)
            flow->price[k] = fmax(0, nb_linear_dual(work.linear, k));
        NB_TRY(nb_flow_search(flow, &added, err));
        *is_solved = added == 0;
        if (!*is_solved && gap > 0 && nb_flow_is_within(flow, gap))
            goto done;
    }
    NB_TRY(columns_shorten(&work, err));
done:
    nb_linear_release(&work.linear);
    nb_delete(work.crossed);
    nb_delete(work.place);
    nb_delete(work.value);
    return status;
}
