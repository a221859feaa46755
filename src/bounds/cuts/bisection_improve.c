/* Divisions and their improvement (declared in bisection_work.h). */
#include "bounds/cuts/bisection_work.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMPROVE_ROUTERS = 8000, /* most that are moved about */
    IMPROVE_PASSES = 20,
};

/* One pass; each array is [router_count]. */
struct improve_pass {
    const struct bisection_graph *graph;
    struct bisection_division *division;
    double *gain; /* what the cut loses if the router moves */
    bool *is_moved;
    uint32_t *moved; /* in this order */
};

bool nb_bisection_is_better(int64_t imbalance_a, double cut_a,
                            int64_t imbalance_b, double cut_b)
{
    const int64_t a = llabs(imbalance_a), b = llabs(imbalance_b);
    return a < b || (a == b && cut_a < cut_b);
}

void nb_bisection_divide(const struct bisection_graph *graph,
                         const uint32_t *order,
                         struct bisection_division *division)
{
    const struct nb_topology *topology = graph->topology;
    const int64_t terminals = (int64_t)topology->terminal_count;
    int64_t inside = 0;
    memset(division->is_inside, 0,
           topology->router_count * sizeof *division->is_inside);
    for (size_t i = 0; i < topology->router_count && inside < terminals / 2;
         i++) {
        const int64_t own = topology->terminals[order[i]];
        if (inside + own > terminals / 2)
            continue;
        division->is_inside[order[i]] = true;
        inside += own;
    }
    division->imbalance = 2 * inside - terminals;
    division->cut = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        if (division->is_inside[topology->channels[c].source] !=
            division->is_inside[topology->channels[c].target])
            division->cut += graph->weight[c];
}

static void improve_begin(struct improve_pass *pass)
{
    const struct nb_topology *topology = pass->graph->topology;
    const bool *is_inside = pass->division->is_inside;
    for (size_t r = 0; r < topology->router_count; r++) {
        pass->gain[r] = 0;
        pass->is_moved[r] = false;
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double weight =
            is_inside[channel->source] != is_inside[channel->target]
                ? pass->graph->weight[c]
                : -pass->graph->weight[c];
        pass->gain[channel->source] += weight;
        pass->gain[channel->target] += weight;
    }
}

/* The router to move next: of the side with more terminals, or without
 * terminals; NB_NONE if all have moved. */
static uint32_t improve_choose(const struct improve_pass *pass)
{
    const struct nb_topology *topology = pass->graph->topology;
    const struct bisection_division *division = pass->division;
    uint32_t best = NB_NONE;
    double most = -INFINITY;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (pass->gain[r] <= most || pass->is_moved[r])
            continue;
        const bool may_move =
            topology->terminals[r] == 0 || division->imbalance == 0 ||
            division->is_inside[r] == (division->imbalance > 0);
        if (may_move) {
            most = pass->gain[r];
            best = r;
        }
    }
    return best;
}

/* A channel between a router that has moved and another. */
static void improve_update(struct improve_pass *pass, uint32_t channel,
                           uint32_t moved, uint32_t other)
{
    const bool *is_inside = pass->division->is_inside;
    const double weight = 2 * pass->graph->weight[channel];
    pass->gain[other] +=
        is_inside[moved] != is_inside[other] ? weight : -weight;
}

static void improve_move(struct improve_pass *pass, uint32_t router)
{
    const struct nb_topology *topology = pass->graph->topology;
    struct bisection_division *division = pass->division;
    const int64_t own = 2 * (int64_t)topology->terminals[router];
    division->imbalance += division->is_inside[router] ? -own : own;
    division->is_inside[router] = !division->is_inside[router];
    division->cut -= pass->gain[router];
    pass->is_moved[router] = true;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        improve_update(pass, c, router, topology->channels[c].target);
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t c = topology->in_channel[i];
        improve_update(pass, c, router, topology->channels[c].source);
    }
}

/* Whether the pass ended at something better than it began with. */
static bool improve_run(struct improve_pass *pass)
{
    struct bisection_division *division = pass->division;
    int64_t imbalance = division->imbalance;
    double cut = division->cut;
    size_t count = 0, best = 0;
    improve_begin(pass);
    for (uint32_t r; (r = improve_choose(pass)) != NB_NONE;) {
        improve_move(pass, r);
        pass->moved[count++] = r;
        /* Rounding must not keep the passes going. */
        if (nb_bisection_is_better(division->imbalance,
                                   division->cut * (1 + 1e-9), imbalance,
                                   cut)) {
            imbalance = division->imbalance;
            cut = division->cut;
            best = count;
        }
    }
    while (count > best) {
        const uint32_t r = pass->moved[--count];
        division->is_inside[r] = !division->is_inside[r];
    }
    division->imbalance = imbalance;
    division->cut = cut;
    return best > 0;
}

enum nb_status nb_bisection_improve(const struct bisection_graph *graph,
                                    struct bisection_division *division,
                                    struct nb_error *err)
{
    const size_t routers = graph->topology->router_count;
    struct improve_pass pass = { .graph = graph, .division = division };
    enum nb_status status = NB_OK;
    if (routers > IMPROVE_ROUTERS)
        return NB_OK;
    NB_TRY(nb_new(&pass.gain, routers, sizeof *pass.gain, "search", err));
    NB_TRY(
        nb_new(&pass.is_moved, routers, sizeof *pass.is_moved, "search", err));
    NB_TRY(nb_new(&pass.moved, routers, sizeof *pass.moved, "search", err));
    for (int i = 0; i < IMPROVE_PASSES && improve_run(&pass); i++)
        ;
done:
    nb_delete(pass.gain);
    nb_delete(pass.is_moved);
    nb_delete(pass.moved);
    return status;
}
