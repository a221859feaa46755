/* A best flow in whole numbers (declared in best_flow_work.h). */
#include "bounds/optimum/best_flow_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* Greatest sum of weights: averaging over a group multiplies it. */
#define ROUND_SUM    ((int64_t)1 << 31)
#define ROUND_LENGTH ((int64_t)1 << 40)

/* Tolerances by which values are read as ratios; 0: as multiples of 1 / limit,
 * which always works, and is all there is for what is no vertex. */
static const double round_tolerances[] = { 1e-7, 1e-9, 1e-11, 1e-13, 0 };
enum { ROUND_WAYS = sizeof round_tolerances / sizeof *round_tolerances };

struct round_work {
    struct nb_flow_work *flow;
    size_t first_way;
    double *value;   /* [path or line] */
    int64_t *whole;  /* [the same] */
    uint32_t *orbit; /* [path of a table] */
};

/* Whole numbers for the first count values; what they are over, 0 if they are
 * no such ratios. */
static int64_t round_values(const struct round_work *work, size_t count,
                            size_t way, int64_t limit)
{
    const double tolerance = round_tolerances[way];
    if (tolerance > 0)
        return nb_whole_find(count, work->value, tolerance, limit, work->whole);
    nb_whole_round(count, work->value, (double)limit, work->whole);
    return limit;
}

/* Makes the weights of each pair add up: what is missing or too much goes to
 * the path of greatest weight. False if that leaves it none. */
static bool round_complete(const struct round_work *work, int64_t sum)
{
    const struct nb_flow_work *flow = work->flow;
    for (size_t o = 0; o < flow->orbits.pair_count; o++) {
        uint32_t most = flow->newest[o];
        int64_t rest = sum;
        for (uint32_t p = most; p != NB_NONE; p = flow->path[p].next) {
            rest -= work->whole[p];
            if (work->whole[p] > work->whole[most])
                most = p;
        }
        work->whole[most] += rest;
        if (work->whole[most] <= 0)
            return false;
    }
    return true;
}

static enum nb_status round_table(const struct round_work *work,
                                  struct nb_path_table *table,
                                  struct nb_error *err)
{
    const struct nb_flow_work *flow = work->flow;
    for (size_t p = 0; p < flow->path_count; p++) {
        const struct nb_flow_path *path = &flow->path[p];
        const struct nb_flow_pair *pair = &flow->orbits.pair[path->orbit];
        if (work->whole[p] == 0)
            continue;
        work->orbit[table->path_count] = path->orbit;
        const enum nb_status status = nb_path_table_add(
            table, pair->source, pair->destination, (uint64_t)work->whole[p],
            flow->channel + path->first, path->length, err);
        if (status != NB_OK)
            return status;
    }
    return NB_OK;
}

/* The table that carries most. */
static enum nb_status round_paths(struct round_work *work,
                                  struct nb_path_table *paths,
                                  struct nb_error *err)
{
    const struct nb_flow_work *flow = work->flow;
    struct nb_path_table table = { 0 };
    struct nb_enclosure best = { 0 }, carried;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < flow->path_count; p++)
        work->value[p] = flow->path[p].best;
    for (size_t way = work->first_way; way < ROUND_WAYS; way++) {
        const int64_t sum =
            round_values(work, flow->path_count, way, ROUND_SUM);
        if (sum == 0 || !round_complete(work, sum))
            continue;
        NB_TRY(round_table(work, &table, err));
        NB_TRY(nb_flow_carried(&flow->orbits, &table, work->orbit, sum,
                               &carried, NULL, err));
        if (carried.lower > best.lower) {
            const struct nb_path_table other = *paths;
            *paths = table;
            table = other;
            best = carried;
        }
        nb_path_table_release(&table);
    }
    nb_path_table_sort(paths);
done:
    nb_path_table_release(&table);
    return status;
}

/* The lengths that prove most. */
static enum nb_status round_lengths(struct round_work *work, int64_t *length,
                                    struct nb_error *err)
{
    struct nb_flow_work *flow = work->flow;
    const struct nb_flow_orbits *orbits = &flow->orbits;
    const size_t channels = orbits->topology->channel_count;
    double most = 0, best = INFINITY;
    enum nb_status status = NB_OK;
    for (size_t k = 0; k < orbits->line_count; k++)
        most = fmax(most, flow->best_price[k]);
    for (size_t k = 0; k < orbits->line_count; k++)
        work->value[k] = flow->best_price[k] / most;
    for (size_t way = work->first_way; way < ROUND_WAYS; way++) {
        if (round_values(work, orbits->line_count, way, ROUND_LENGTH) == 0)
            continue;
        for (size_t c = 0; c < channels; c++)
            flow->length[c] = work->whole[orbits->line_of[c]];
        NB_TRY(nb_flow_measure(flow, err));
        const double upper =
            nb_flow_bound(orbits, flow->length, flow->distance).upper;
        if (upper < best) {
            memcpy(length, flow->length, channels * sizeof *length);
            best = upper;
        }
    }
done:
    return status;
}

enum nb_status nb_flow_round(struct nb_flow_work *flow, bool is_vertex,
                             struct nb_path_table *paths, int64_t *length,
                             struct nb_error *err)
{
    const size_t lines = flow->orbits.line_count;
    const size_t most = flow->path_count > lines ? flow->path_count : lines;
    struct round_work work = {
        .flow = flow,
        .first_way = is_vertex ? 0 : ROUND_WAYS - 1,
    };
    enum nb_status status;
    NB_TRY(nb_new(&work.value, most, sizeof(double), "values", err));
    NB_TRY(nb_new(&work.whole, most, sizeof(int64_t), "weights", err));
    NB_TRY(nb_new(&work.orbit, most, sizeof(uint32_t), "orbits", err));
    NB_TRY(round_paths(&work, paths, err));
    NB_TRY(round_lengths(&work, length, err));
done:
    nb_delete(work.value);
    nb_delete(work.whole);
    nb_delete(work.orbit);
    return status;
}
