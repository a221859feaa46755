/*
 * Multiplicative weights for a best flow (declared in best_flow_work.h).
 *
 * The greatest of the relative loads u_k = load_k / band_k is smoothed to
 *
 *     Phi = 1/eta ln sum_k exp(eta u_k),   max u <= Phi <= max u +
 * ln(lines)/eta
 *
 * whose gradient gives the prices w_k / band_k, w_k = exp(eta (u_k - max u)).
 * A pair moves flow from dear paths to its cheapest by Newton's steps, prices
 * following each move; searches for cheaper paths come between such sweeps.
 * eta grows as the gap closes.
 */
#include "bounds/optimum/best_flow_work.h"

#include "core/memory.h"

#include <math.h>

/* Sweeps between two searches. */
enum { WEIGHTS_SWEEPS = 16 };

/* eta is so many times ln(lines) over the gap that is left. */
#define WEIGHTS_SHARPNESS 0.5

struct weights_work {
    struct nb_flow_work *flow;
    double eta;
    double top;      /* max u at the start of the sweep */
    double *change;  /* [line] of the load by one unit of the move at hand */
    uint32_t *moved; /* [2 longest path] lines that it changes */
    size_t moved_count;
};

static void weights_price(struct weights_work *work, size_t line)
{
    struct nb_flow_work *flow = work->flow;
    const double band = flow->band[line];
    /* A bound on the exponent: moves may pass the top of the sweep. */
    const double power =
        fmin(work->eta * (flow->load[line] / band - work->top), 500);
    flow->price[line] = exp(power) / band;
}

static double weights_cost(const struct nb_flow_work *flow,
                           const struct nb_flow_path *path)
{
    double cost = 0;
    for (uint32_t h = 0; h < path->length; h++)
        cost += flow->price[nb_flow_line_at(flow, path, h)];
    return cost;
}

static void weights_cross(struct weights_work *work,
                          const struct nb_flow_path *path, double sign)
{
    for (uint32_t h = 0; h < path->length; h++) {
        const uint32_t line = nb_flow_line_at(work->flow, path, h);
        if (work->change[line] == 0)
            work->moved[work->moved_count++] = line;
        work->change[line] += sign;
    }
}

/* Moves flow from one path to a cheaper one of the same pair. */
static void weights_move(struct weights_work *work, struct nb_flow_path *from,
                         struct nb_flow_path *to, double fall)
{
    struct nb_flow_work *flow = work->flow;
    const double demand = flow->demand[from->orbit];
    double curvature = 0, steepest = 0;
    work->moved_count = 0;
    weights_cross(work, from, -1);
    weights_cross(work, to, 1);
    for (size_t m = 0; m < work->moved_count; m++) {
        const uint32_t line = work->moved[m];
        const double slope = work->change[line] / flow->band[line];
        curvature += flow->price[line] * slope * work->change[line];
        steepest = fmax(steepest, fabs(slope));
    }
    /* Newton's step, as far as no weight changes by more than e. */
    const double step =
        fmin(fall / (work->eta * curvature), 1 / (work->eta * steepest));
    const double share = fmin(from->share, step / demand);
    from->share -= share;
    to->share += share;
    for (size_t m = 0; m < work->moved_count; m++) {
        const uint32_t line = work->moved[m];
        if (work->change[line] != 0) {
            flow->load[line] += work->change[line] * share * demand;
            weights_price(work, line);
        }
        work->change[line] = 0;
    }
}

static void weights_balance(struct weights_work *work, size_t orbit)
{
    struct nb_flow_work *flow = work->flow;
    struct nb_flow_path *cheapest = NULL;
    double least = INFINITY;
    for (uint32_t p = flow->newest[orbit]; p != NB_NONE;
         p = flow->path[p].next) {
        const double cost = weights_cost(flow, &flow->path[p]);
        if (cost < least) {
            least = cost;
            cheapest = &flow->path[p];
        }
    }
    for (uint32_t p = flow->newest[orbit]; p != NB_NONE;
         p = flow->path[p].next) {
        struct nb_flow_path *path = &flow->path[p];
        if (path == cheapest || path->share == 0)
            continue;
        const double fall =
            weights_cost(flow, path) - weights_cost(flow, cheapest);
        if (fall > 0)
            weights_move(work, path, cheapest, fall);
    }
}

/* Loads and prices anew, without the roundings of many moves. */
static void weights_refresh(struct weights_work *work, double gap)
{
    struct nb_flow_work *flow = work->flow;
    const size_t lines = flow->orbits.line_count;
    work->top = nb_flow_load(flow);
    if (work->top < flow->least_load)
        nb_flow_keep(flow, work->top);
    const double open = fmax(gap, flow->least_load / flow->most_bound - 1);
    const double eta = WEIGHTS_SHARPNESS * log((double)lines + 1) /
                       (fmin(open, 1) * flow->least_load);
    work->eta = fmax(work->eta, eta);
    for (size_t k = 0; k < lines; k++)
        weights_price(work, k);
}

enum nb_status nb_flow_weights_run(struct nb_flow_work *flow, double gap,
                                   size_t most_rounds, struct nb_error *err)
{
    const size_t lines = flow->orbits.line_count;
    struct weights_work work = { .flow = flow };
    enum nb_status status;
    NB_TRY(nb_new(&work.change, lines, sizeof(double), "loads", err));
    NB_TRY(nb_new(&work.moved, 2 * flow->orbits.topology->router_count,
                  sizeof(uint32_t), "loads", err));
    weights_refresh(&work, gap);
    for (size_t round = 0; round < most_rounds; round++) {
        size_t added;
        if (nb_flow_is_within(flow, gap) || nb_flow_left(flow) <= 0)
            break;
        for (int sweep = 0; sweep < WEIGHTS_SWEEPS; sweep++) {
            for (size_t o = 0; o < flow->orbits.pair_count; o++)
                weights_balance(&work, o);
            weights_refresh(&work, gap);
        }
        NB_TRY(nb_flow_search(flow, &added, err));
        if (added == 0 && !flow->is_large)
            break;
    }
done:
    nb_delete(work.change);
    nb_delete(work.moved);
    return status;
}
