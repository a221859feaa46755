#include "bounds/worst_case/worst_case.h"

#include "bounds/matching/matching.h"
#include "bounds/worst_case/channel_check.h"
#include "core/deal.h"
#include "core/memory.h"
#include "core/twofold.h"
#include "load/propagate.h"

#include <math.h>
#include <string.h>

/* Shared by solving and checking a worst case. */

/* A value after up to ten operations on non-negative doubles, each with an
 * error of 2^-53, moved outward. The last term matters only for subnormal
 * numbers. */
static double bound_up(double value)
{
    return value * (1 + 10 * 0x1p-53) + 0x1p-1074;
}

static double bound_down(double value)
{
    return value * (1 - 10 * 0x1p-53);
}

/* Sums of non-negative doubles, infinity included. The errors of all additions
 * together are far below 2^-53. */
static void bound_add(struct nb_twofold *sum, double value)
{
    if (isinf(value) || isinf(sum->high))
        *sum = (struct nb_twofold){ INFINITY, 0 };
    else
        *sum = nb_twofold_more(*sum, value);
}

struct nb_pair_loads nb_pair_loads_widen(const struct nb_pair_loads *loads)
{
    struct nb_pair_loads wide = *loads;
    wide.relative_error = 4 * loads->relative_error + 0x1p-48;
    return wide;
}

double nb_pair_load_upper(const struct nb_pair_loads *loads, size_t i, size_t j)
{
    const double value = nb_pair_load_value(loads, i, j);
    return value > 0 ? bound_up(value * (1 + loads->relative_error)) : 0;
}

double nb_pair_load_lower(const struct nb_pair_loads *loads, size_t i, size_t j)
{
    const double value = nb_pair_load_value(loads, i, j);
    if (value < NB_LEAST_RELATIVE)
        return 0;
    return bound_down(value * (1 - loads->relative_error));
}

/* Sums of the greatest cells of rows and of columns, visited row by row; a
 * separable matrix has its greatest cells where its terms are greatest. */
struct bound_maxima {
    nb_int128 row, column;                     /* exact */
    struct nb_twofold row_value, column_value; /* not exact: sum of upper
                                                * bounds */
};

static bool bound_is_less(const struct nb_pair_loads *loads, size_t i, size_t j,
                          size_t k, size_t l)
{
    return loads->is_exact ? nb_pair_load_weight(loads, i, j) <
                                 nb_pair_load_weight(loads, k, l)
                           : nb_pair_load_value(loads, i, j) <
                                 nb_pair_load_value(loads, k, l);
}

static void bound_separable_maxima(const struct nb_pair_loads *loads,
                                   struct bound_maxima *out)
{
    const size_t n = loads->n;
    size_t most_row = 0, most_column = 0;
    for (size_t i = 1; i < n; i++) {
        if (bound_is_less(loads, most_row, 0, i, 0))
            most_row = i;
        if (bound_is_less(loads, 0, most_column, 0, i))
            most_column = i;
    }
    for (size_t i = 0; i < n; i++) {
        if (loads->is_exact) {
            out->row += nb_pair_load_weight(loads, i, most_column);
            out->column += nb_pair_load_weight(loads, most_row, i);
        } else {
            bound_add(&out->row_value,
                      nb_pair_load_upper(loads, i, most_column));
            bound_add(&out->column_value,
                      nb_pair_load_upper(loads, most_row, i));
        }
    }
}

static void bound_dense_maxima(const struct nb_pair_loads *loads,
                               int64_t *column, struct bound_maxima *out)
{
    const size_t n = loads->n;
    for (size_t i = 0; i < n; i++) {
        const int64_t *row = loads->weight + i * n;
        int64_t most = 0;
        for (size_t j = 0; j < n && nb_pair_row_has_load(loads, i); j++) {
            most = row[j] > most ? row[j] : most;
            column[j] = row[j] > column[j] ? row[j] : column[j];
        }
        out->row += most;
    }
    for (size_t j = 0; j < n; j++)
        out->column += column[j];
}

static void bound_dense_maxima_value(const struct nb_pair_loads *loads,
                                     double *column, struct bound_maxima *out)
{
    const size_t n = loads->n;
    const double up = 1 + loads->relative_error;
    for (size_t i = 0; i < n; i++) {
        const double *row = loads->value + i * n;
        double most = 0;
        for (size_t j = 0; j < n && nb_pair_row_has_load(loads, i); j++) {
            most = row[j] > most ? row[j] : most;
            column[j] = row[j] > column[j] ? row[j] : column[j];
        }
        bound_add(&out->row_value, bound_up(most * up));
    }
    for (size_t j = 0; j < n; j++)
        bound_add(&out->column_value, bound_up(column[j] * up));
}

/* total * multiplicity / denominator, and doubles around it. */
static struct nb_ratio bound_make(nb_int128 total, uint32_t multiplicity,
                                  int64_t denominator, double *lower,
                                  double *upper)
{
    const nb_int128 whole = total * (nb_int128)multiplicity;
    const struct nb_ratio exact = nb_ratio_make(whole, denominator);
    if (nb_ratio_is_known(exact)) {
        nb_ratio_bracket(exact, lower, upper);
    } else {
        const double value = (double)whole / (double)denominator;
        *lower = bound_down(value);
        *upper = bound_up(value);
    }
    return exact;
}

enum nb_status nb_bound_by_maxima(const struct nb_pair_loads *loads,
                                  uint32_t multiplicity, struct nb_ratio *exact,
                                  double *upper, struct nb_error *err)
{
    struct bound_maxima maxima = { 0 };
    int64_t *column = NULL;
    double *column_value = NULL, lower;
    enum nb_status status = NB_OK;
    if (loads->is_separable) {
        bound_separable_maxima(loads, &maxima);
    } else if (loads->is_exact) {
        NB_TRY(nb_new(&column, loads->n, sizeof *column, "maxima", err));
        bound_dense_maxima(loads, column, &maxima);
    } else {
        NB_TRY(nb_new(&column_value, loads->n, sizeof *column_value, "maxima",
                      err));
        bound_dense_maxima_value(loads, column_value, &maxima);
    }
    *exact = (struct nb_ratio){ 0, 0 };
    if (loads->is_exact)
        *exact =
            bound_make(maxima.row < maxima.column ? maxima.row : maxima.column,
                       multiplicity, loads->denominator, &lower, upper);
    else
        *upper =
            bound_up(fmin(maxima.row_value.high, maxima.column_value.high) *
                     multiplicity);
done:
    nb_delete(column);
    nb_delete(column_value);
    return status;
}

/* The sum of a bound's duals times multiplicity; doubles are rounded up. */
static void bound_by_duals(const struct nb_channel_bound *bound, size_t sides,
                           uint32_t multiplicity, struct nb_ratio *exact,
                           double *upper)
{
    nb_int128 whole = 0;
    struct nb_twofold value = { 0 };
    for (size_t i = 0; i < sides; i++) {
        if (bound->is_exact) {
            whole += (nb_int128)bound->row[i] + bound->column[i];
        } else {
            bound_add(&value, bound->row_value[i]);
            bound_add(&value, bound->column_value[i]);
        }
    }
    *exact = (struct nb_ratio){ 0, 0 };
    if (bound->is_exact) {
        double lower;
        *exact =
            bound_make(whole, multiplicity, bound->denominator, &lower, upper);
    } else {
        *upper = bound_up(value.high * multiplicity);
    }
}

/* The load that a permutation causes on the matrix's channel. */
static void load_of_permutation(const struct nb_pair_loads *loads,
                                const uint32_t *permutation,
                                uint32_t multiplicity, struct nb_ratio *exact,
                                double *lower, double *upper)
{
    nb_int128 whole = 0;
    struct nb_twofold low = { 0 }, high = { 0 };
    for (size_t i = 0; i < loads->n; i++) {
        if (loads->is_exact) {
            whole += nb_pair_load_weight(loads, i, permutation[i]);
        } else {
            bound_add(&low, nb_pair_load_lower(loads, i, permutation[i]));
            bound_add(&high, nb_pair_load_upper(loads, i, permutation[i]));
        }
    }
    *exact = (struct nb_ratio){ 0, 0 };
    if (loads->is_exact) {
        *exact =
            bound_make(whole, multiplicity, loads->denominator, lower, upper);
    } else {
        *lower = bound_down(low.high * multiplicity);
        *upper = bound_up(high.high * multiplicity);
    }
}

/* load / bandwidth where it is known exactly. */
static struct nb_ratio bound_share(const struct nb_topology *topology,
                                   const struct nb_channel_bound *bound)
{
    return nb_ratio_divide(bound->load.exact,
                           topology->channels[bound->channel].bandwidth);
}

/* Whether a's load per bandwidth is greater than b's: by the exact bounds if
 * both are known, else by the lower ends. */
static bool channel_bound_is_worse(const struct nb_topology *topology,
                                   const struct nb_channel_bound *a,
                                   const struct nb_channel_bound *b)
{
    const struct nb_ratio share_a = bound_share(topology, a);
    const struct nb_ratio share_b = bound_share(topology, b);
    const double band_a =
        nb_ratio_value(topology->channels[a->channel].bandwidth);
    const double band_b =
        nb_ratio_value(topology->channels[b->channel].bandwidth);
    if (nb_ratio_is_known(share_a) && nb_ratio_is_known(share_b))
        return nb_ratio_compare(share_a, share_b) > 0;
    return a->load.lower / band_a > b->load.lower / band_b;
}

/* Sets load, throughput and their overall brackets from the bounds; worst is
 * the first bound of greatest load per bandwidth. */
static void worst_case_conclude(const struct nb_topology *topology,
                                struct nb_worst_case *worst)
{
    double most_upper = 0;
    bool is_exact = true;
    worst->worst = SIZE_MAX;
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        const double band =
            nb_ratio_value(topology->channels[bound->channel].bandwidth);
        most_upper = fmax(most_upper, bound->load.upper / band);
        is_exact = is_exact && nb_ratio_is_known(bound_share(topology, bound));
        if (!bound->has_duals)
            continue;
        if (worst->worst == SIZE_MAX ||
            channel_bound_is_worse(topology, bound,
                                   &worst->bounds[worst->worst]))
            worst->worst = b;
    }
    const struct nb_channel_bound *most = &worst->bounds[worst->worst];
    const struct nb_ratio bandwidth =
        topology->channels[most->channel].bandwidth;
    if (is_exact) {
        worst->load = most->load;
        worst->throughput =
            nb_enclosure_of_ratio(nb_ratio_divide(bandwidth, most->load.exact));
        return;
    }
    /* The worst may be any channel whose bracket reaches the greatest lower
     * end. Each of the quotients, products and bandwidths is rounded. */
    const double band = nb_ratio_value(bandwidth);
    worst->load =
        (struct nb_enclosure){ .lower = most->load.lower,
                               .upper = most_upper * band * (1 + 0x1p-50) };
    worst->throughput = (struct nb_enclosure){
        .lower = 1 / most_upper * (1 - 0x1p-50),
        .upper = band / most->load.lower * (1 + 0x1p-50),
    };
}

/* Memory for the matrices held at once. */
#define WORST_BATCH_BYTES 0x1p30

/* The tasks of one batch: task i solves the i-th matrix. */
struct worst_batch {
    const struct nb_topology *topology;
    struct nb_worst_case *worst;
    size_t first; /* bound of the first matrix */
    struct nb_pair_loads *loads;
    uint32_t *permutation; /* [i * sides] of a solved matrix */
    struct nb_ratio best;  /* greatest load per bandwidth before this batch */
    double best_lower;
};

static void channel_bound_release(struct nb_channel_bound *bound)
{
    nb_delete(bound->row);
    nb_delete(bound->column);
    nb_delete(bound->row_value);
    nb_delete(bound->column_value);
    *bound = (struct nb_channel_bound){ 0 };
}

void nb_worst_case_release(struct nb_worst_case *worst)
{
    for (size_t b = 0; b < worst->bound_count; b++)
        channel_bound_release(&worst->bounds[b]);
    nb_delete(worst->bounds);
    nb_delete(worst->permutation);
    nb_sides_release(&worst->sides);
    *worst = (struct nb_worst_case){ 0 };
}

enum nb_status nb_channel_bound_reserve(struct nb_channel_bound *bound,
                                        size_t sides, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    bound->has_duals = true;
    if (bound->is_exact) {
        NB_TRY(nb_new(&bound->row, sides, sizeof(int64_t), "duals", err));
        NB_TRY(nb_new(&bound->column, sides, sizeof(int64_t), "duals", err));
    } else {
        NB_TRY(nb_new(&bound->row_value, sides, sizeof(double), "duals", err));
        NB_TRY(
            nb_new(&bound->column_value, sides, sizeof(double), "duals", err));
    }
done:
    return status;
}

/* Doubles: raises the row duals until they lie above every cell's upper bound
 * despite any rounding. */
static void worst_repair(const struct nb_pair_loads *loads,
                         struct nb_channel_bound *bound)
{
    for (size_t i = 0; i < loads->n; i++) {
        double most = 0;
        for (size_t j = 0; j < loads->n; j++) {
            const double need =
                nb_pair_load_upper(loads, i, j) - bound->column_value[j];
            most = need > most ? need : most;
        }
        /* The difference rounds, but keeps its sign. */
        bound->row_value[i] = most > 0 ? nextafter(most, INFINITY) : 0;
    }
}

/* Duals of a separable matrix: its own terms; any permutation will do. */
static void worst_solve_separable(const struct nb_pair_loads *loads,
                                  struct nb_channel_bound *bound,
                                  uint32_t *permutation)
{
    for (size_t i = 0; i < loads->n; i++) {
        permutation[i] = (uint32_t)i;
        if (loads->is_exact) {
            bound->row[i] = loads->weight[i];
            bound->column[i] = loads->weight[loads->n + i];
        } else {
            bound->column_value[i] = loads->value[loads->n + i];
        }
    }
}

static enum nb_status worst_solve(const struct nb_pair_loads *loads,
                                  struct nb_channel_bound *bound,
                                  uint32_t *permutation, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    int64_t total;
    double value;
    NB_TRY(nb_channel_bound_reserve(bound, loads->n, err));
    if (loads->is_separable)
        worst_solve_separable(loads, bound, permutation);
    else if (loads->is_exact)
        NB_TRY(nb_matching_integer(loads->n, loads->weight, loads->has_load,
                                   permutation, bound->row, bound->column,
                                   &total, err));
    else
        NB_TRY(nb_matching_double(loads->n, loads->value, loads->has_load,
                                  permutation, bound->row_value,
                                  bound->column_value, &value, err));
    if (!loads->is_exact) {
        const struct nb_pair_loads wide = nb_pair_loads_widen(loads);
        worst_repair(&wide, bound);
    }
done:
    return status;
}

/* Whether a channel's maxima are enough to show that it is not the worst. */
static bool worst_is_beaten(const struct worst_batch *batch,
                            const struct nb_channel_bound *bound)
{
    const struct nb_ratio bandwidth =
        batch->topology->channels[bound->channel].bandwidth;
    const struct nb_ratio share = nb_ratio_divide(bound->load.exact, bandwidth);
    if (nb_ratio_is_known(share) && nb_ratio_is_known(batch->best))
        return nb_ratio_compare(share, batch->best) <= 0;
    return bound->load.upper / nb_ratio_value(bandwidth) * (1 + 0x1p-51) <
           batch->best_lower;
}

/* One channel's bound, and its permutation if it was solved. */
static enum nb_status worst_bound(const struct worst_batch *batch, size_t index,
                                  struct nb_error *err)
{
    const struct nb_pair_loads *loads = &batch->loads[index];
    const uint32_t multiplicity = batch->worst->sides.multiplicity;
    struct nb_channel_bound *bound =
        &batch->worst->bounds[batch->first + index];
    uint32_t *permutation = batch->permutation + index * loads->n;
    struct nb_ratio exact;
    double upper;
    enum nb_status status = NB_OK;
    bound->is_exact = loads->is_exact;
    bound->denominator = loads->denominator;
    if (batch->first > 0) {
        const struct nb_pair_loads wide = nb_pair_loads_widen(loads);
        NB_TRY(nb_bound_by_maxima(&wide, multiplicity, &bound->load.exact,
                                  &bound->load.upper, err));
        if (worst_is_beaten(batch, bound))
            return NB_OK;
    }
    NB_TRY(worst_solve(loads, bound, permutation, err));
    bound_by_duals(bound, loads->n, multiplicity, &bound->load.exact,
                   &bound->load.upper);
    load_of_permutation(loads, permutation, multiplicity, &exact,
                        &bound->load.lower, &upper);
done:
    return status;
}

/* The duals are there if the channel was solved. */
static bool worst_is_solved(const struct nb_channel_bound *bound)
{
    return bound->row != NULL || bound->row_value != NULL;
}

/* Packs what was found for a channel, or unpacks it. */
static enum nb_status worst_pass(const struct worst_batch *batch, size_t index,
                                 const struct nb_packing *packing,
                                 struct nb_error *err)
{
    struct nb_channel_bound *bound =
        &batch->worst->bounds[batch->first + index];
    const size_t n = batch->worst->sides.count;
    enum nb_status status = NB_OK;
    bound->is_exact = batch->loads[index].is_exact;
    bound->denominator = batch->loads[index].denominator;
    nb_pass(packing, &bound->load, sizeof bound->load);
    if (nb_pass_whole(packing, worst_is_solved(bound)) == 0)
        goto done;
    if (!worst_is_solved(bound))
        NB_TRY(nb_channel_bound_reserve(bound, n, err));
    nb_pass(packing,
            bound->is_exact ? (void *)bound->row : (void *)bound->row_value,
            n * sizeof(int64_t));
    nb_pass(packing,
            bound->is_exact ? (void *)bound->column
                            : (void *)bound->column_value,
            n * sizeof(int64_t));
    nb_pass(packing, batch->permutation + index * n, n * sizeof(uint32_t));
done:
    return status;
}

static enum nb_status worst_task(void *context, int thread, size_t index,
                                 struct nb_text *result, struct nb_error *err)
{
    enum nb_status status;
    (void)thread;
    NB_TRY(worst_bound(context, index, err));
    status =
        worst_pass(context, index, &(struct nb_packing){ .out = result }, err);
done:
    return status;
}

static enum nb_status worst_take(void *context, size_t index,
                                 struct nb_packed *result, bool *is_enough,
                                 struct nb_error *err)
{
    (void)is_enough;
    return worst_pass(context, index, &(struct nb_packing){ .in = result },
                      err);
}

/* Records the worst channel so far, so that the next batches can skip
 * others. */
static void worst_take_best(struct worst_batch *batch, size_t count)
{
    struct nb_worst_case *worst = batch->worst;
    const size_t all = worst->bound_count, sides = worst->sides.count;
    worst->bound_count = batch->first + count;
    worst_case_conclude(batch->topology, worst);
    worst->bound_count = all;
    if (worst->worst >= batch->first)
        memcpy(worst->permutation,
               batch->permutation + (worst->worst - batch->first) * sides,
               sides * sizeof(uint32_t));
    const struct nb_ratio bandwidth =
        batch->topology->channels[worst->bounds[worst->worst].channel]
            .bandwidth;
    batch->best = nb_ratio_divide(worst->load.exact, bandwidth);
    batch->best_lower =
        worst->load.lower / nb_ratio_value(bandwidth) * (1 - 0x1p-51);
}

static enum nb_status worst_run_batch(const struct nb_routing *routing,
                                      const struct nb_run *run,
                                      const struct nb_focus *focus,
                                      struct worst_batch *batch, size_t count,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_loads_find(routing, count,
                              focus->channels.first + batch->first, run,
                              batch->loads, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_sides_expand(&batch->worst->sides, &batch->loads[i], err));
    NB_TRY(nb_deal_tasks(run,
                         &(struct nb_tasks){ .what = "matchings",
                                             .count = count,
                                             .work = worst_task,
                                             .take = worst_take,
                                             .context = batch },
                         err));
    worst_take_best(batch, count);
done:
    for (size_t i = 0; i < count; i++)
        nb_pair_loads_release(&batch->loads[i]);
    return status;
}

size_t nb_worst_batch_size(const struct nb_routing *routing,
                           const struct nb_sides *sides, size_t focus_count)
{
    const double most =
        fmax(1, WORST_BATCH_BYTES / nb_sides_bytes(sides, routing, 1));
    return most < (double)focus_count ? (size_t)most : focus_count;
}

enum nb_status nb_worst_case_find(const struct nb_routing *routing,
                                  const struct nb_run *run,
                                  struct nb_worst_case *out,
                                  struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    struct worst_batch batch = { .worst = out };
    struct nb_pool pool = { 0 };
    size_t size = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_worst_case){ 0 };
    NB_TRY(nb_routing_check(routing, err));
    batch.topology = routing->topology;
    NB_TRY(nb_sides_find(routing->topology, &out->sides, err));
    /* One matrix and the memory of its matching. */
    NB_TRY(nb_memory_require(1.5 * nb_sides_bytes(&out->sides, routing, 1),
                             "worst case: one channel's pair loads", err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(nb_new(&out->bounds, focus.channels.count, sizeof *out->bounds,
                  "worst case", err));
    out->bound_count = focus.channels.count;
    for (size_t b = 0; b < focus.channels.count; b++) {
        const uint32_t c = focus.channels.first[b];
        out->bounds[b].channel = c;
        out->bounds[b].source = focus.topology->channels[c].source;
        out->bounds[b].target = focus.topology->channels[c].target;
        out->bounds[b].orbit_size = focus.channels.length[b];
    }
    size = nb_worst_batch_size(routing, &out->sides, focus.channels.count);
    NB_TRY(nb_new(&out->permutation, out->sides.count, sizeof(uint32_t),
                  "permutation", err));
    batch.loads = nb_pool_array(&pool, size, sizeof *batch.loads);
    batch.permutation =
        nb_pool_array(&pool, size * out->sides.count, sizeof(uint32_t));
    NB_TRY(nb_pool_check(&pool, "batch", err));
    for (; batch.first < focus.channels.count; batch.first += size) {
        const size_t left = focus.channels.count - batch.first;
        NB_TRY(worst_run_batch(routing, run, &focus, &batch,
                               left < size ? left : size, err));
    }
    worst_case_conclude(routing->topology, out);
done:
    nb_pool_release(&pool);
    nb_focus_release(&focus);
    if (status != NB_OK)
        nb_worst_case_release(out);
    return status;
}

/* Checking a claimed worst case without solving. */

/* A claim and its orbits. */
struct worst_claim {
    const struct nb_focus *focus;
    const struct nb_worst_case *claimed;
};

/* Whether duals (r, c) of the focus channel lie above one cell. */
static bool check_cell(const struct nb_channel_bound *bound,
                       const struct nb_pair_loads *loads, size_t r, size_t c,
                       size_t i, size_t j)
{
    if (!bound->is_exact) /* the factor covers the rounding of this sum */
        return bound->row_value[r] + bound->column_value[c] >=
               nb_pair_load_upper(loads, i, j) * (1 - 0x1p-52);
    const nb_int128 dual = (nb_int128)bound->row[r] + bound->column[c];
    return dual * loads->denominator >=
           (nb_int128)nb_pair_load_weight(loads, i, j) * bound->denominator;
}

static enum nb_status check_cells(const struct worst_claim *claim,
                                  const struct nb_channel_bound *bound,
                                  const struct nb_pair_loads *loads,
                                  const uint32_t *side_map,
                                  struct nb_error *err)
{
    const size_t n = loads->n;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            if (!check_cell(bound, loads, r, c, side_map[r], side_map[c]))
                return nb_channel_refute_pair(&claim->claimed->sides,
                                              loads->channel, side_map[r],
                                              side_map[c], err);
    return NB_OK;
}

/* A bound without duals: equal to that of the focus channel's maxima, and not
 * below that of any channel of its orbit. */
static enum nb_status check_maxima(const struct worst_claim *claim,
                                   const struct nb_channel_bound *bound,
                                   const struct nb_pair_loads *loads,
                                   struct nb_error *err)
{
    const bool is_focus = loads->channel == bound->channel;
    const struct nb_pair_loads wide = nb_pair_loads_widen(loads);
    struct nb_ratio exact;
    double upper;
    const enum nb_status status = nb_bound_by_maxima(
        is_focus ? &wide : loads, claim->claimed->sides.multiplicity, &exact,
        &upper, err);
    if (status != NB_OK)
        return status;
    const bool is_right =
        is_focus ? exact.numerator == bound->load.exact.numerator &&
                       exact.denominator == bound->load.exact.denominator &&
                       upper == bound->load.upper
                 : upper <= bound->load.upper;
    return is_right
               ? NB_OK
               : nb_channel_refute(loads->channel,
                                   "the bound is not that of its maxima", err);
}

/* One channel, for nb_channel_check_run. */
static enum nb_status check_channel(const void *context,
                                    const struct nb_pair_loads *loads,
                                    const uint32_t *side_map,
                                    struct nb_error *err)
{
    const struct worst_claim *claim = context;
    const struct nb_channel_bound *bound =
        &claim->claimed->bounds[claim->focus->channels.of[loads->channel]];
    if (loads->is_exact != bound->is_exact)
        return nb_channel_refute(loads->channel, "exactness is not as claimed",
                                 err);
    return bound->has_duals ? check_cells(claim, bound, loads, side_map, err)
                            : check_maxima(claim, bound, loads, err);
}

/* Checks the form of the claim: a permutation, and one bound per focus channel
 * with non-negative duals. Sets every bound's sum. */
static enum nb_status check_form(const struct nb_focus *focus,
                                 struct nb_worst_case *claimed,
                                 struct nb_error *err)
{
    const size_t n = claimed->sides.count;
    bool *is_taken = NULL;
    enum nb_status status = NB_OK;
    if (claimed->bound_count != focus->channels.count)
        return nb_fail(err, NB_REFUTED,
                       "%zu channel bounds, but %zu focus channels",
                       claimed->bound_count, focus->channels.count);
    if (claimed->worst >= claimed->bound_count)
        return nb_fail(err, NB_REFUTED, "no bound is marked as the worst");
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        if (bound->channel != focus->channels.first[b] ||
            bound->orbit_size != focus->channels.length[b])
            return nb_channel_refute(
                bound->channel, "is not the focus channel expected here", err);
        if (!bound->has_duals)
            continue;
        for (size_t i = 0; i < n; i++)
            if (bound->is_exact ? bound->row[i] < 0 || bound->column[i] < 0
                                : !(bound->row_value[i] >= 0 &&
                                    bound->column_value[i] >= 0))
                return nb_channel_refute(bound->channel, "a dual is negative",
                                         err);
        bound_by_duals(bound, n, claimed->sides.multiplicity,
                       &bound->load.exact, &bound->load.upper);
    }
    NB_TRY(nb_new(&is_taken, n, sizeof *is_taken, "check", err));
    for (size_t i = 0; i < n; i++) {
        const uint32_t j = claimed->permutation[i];
        if (j >= n || is_taken[j])
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "the traffic is not a permutation: router %u sends "
                           "to a taken place",
                           claimed->sides.router[i]));
        is_taken[j] = true;
    }
done:
    nb_delete(is_taken);
    return status;
}

/* The permutation's load on the worst channel must equal its dual bound
 * (exact), or gives the lower bound (doubles). */
static enum nb_status check_permutation(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        struct nb_worst_case *claimed,
                                        struct nb_error *err)
{
    struct nb_channel_bound *most = &claimed->bounds[claimed->worst];
    struct nb_pair_loads loads = { 0 };
    struct nb_ratio exact;
    double upper;
    enum nb_status status = NB_OK;
    if (!most->has_duals)
        return nb_channel_refute(most->channel,
                                 "the worst channel has no duals", err);
    NB_TRY(nb_pair_loads_find(routing, 1, &most->channel, run, &loads, err));
    NB_TRY(nb_sides_expand(&claimed->sides, &loads, err));
    load_of_permutation(&loads, claimed->permutation,
                        claimed->sides.multiplicity, &exact, &most->load.lower,
                        &upper);
    if (most->is_exact && nb_ratio_is_known(exact) &&
        (!nb_ratio_is_known(most->load.exact) ||
         nb_ratio_compare(exact, most->load.exact) != 0))
        status =
            nb_channel_refute(most->channel,
                              "the permutation's load is not the sum of the "
                              "duals",
                              err);
done:
    nb_pair_loads_release(&loads);
    return status;
}

/* The relative error of the pair loads that are not exact; 0 if all are. */
static enum nb_status check_find_error(const struct nb_routing *routing,
                                       const struct nb_run *run,
                                       const struct nb_worst_case *claimed,
                                       double *error, struct nb_error *err)
{
    struct nb_pair_loads loads = { 0 };
    enum nb_status status = NB_OK;
    size_t b = 0;
    *error = 0;
    while (b < claimed->bound_count && claimed->bounds[b].is_exact)
        b++;
    if (b == claimed->bound_count)
        return NB_OK;
    NB_TRY(nb_pair_loads_find(routing, 1, &claimed->bounds[b].channel, run,
                              &loads, err));
    *error = loads.relative_error;
done:
    nb_pair_loads_release(&loads);
    return status;
}

/* No bound may exceed the worst channel's load. If either is not exact,
 * rounding may lift it: of cells, by (1 + 4 e) / (1 - e) and a little; of sums
 * of n duals and n cells; and of the matching, by some units in the last place
 * of the largest weight for each of n rows. */
static enum nb_status check_order(const struct nb_topology *topology,
                                  const struct nb_worst_case *claimed,
                                  double error, struct nb_error *err)
{
    const struct nb_channel_bound *worst = &claimed->bounds[claimed->worst];
    const double slack =
        8 * error + 0x1p-46 + 64 * (double)claimed->sides.count * 0x1p-53;
    const double most =
        worst->load.lower /
        nb_ratio_value(topology->channels[worst->channel].bandwidth) *
        (1 + slack);
    for (size_t b = 0; b < claimed->bound_count; b++) {
        const struct nb_channel_bound *bound = &claimed->bounds[b];
        const double share =
            bound->load.upper /
            nb_ratio_value(topology->channels[bound->channel].bandwidth);
        if (!(share <= most) || channel_bound_is_worse(topology, bound, worst))
            return nb_channel_refute(
                bound->channel, "has a bound above the worst channel's load",
                err);
    }
    return NB_OK;
}

enum nb_status nb_worst_case_check(const struct nb_routing *routing,
                                   const struct nb_run *run,
                                   struct nb_worst_case *claimed,
                                   bool *all_channels, struct nb_error *err)
{
    struct nb_focus focus = { 0 };
    const struct worst_claim claim = { &focus, claimed };
    const struct nb_channel_check check = {
        .routing = routing,
        .run = run,
        .focus = &focus,
        .sides = &claimed->sides,
        .check = check_channel,
        .context = &claim,
    };
    const size_t worst = claimed->worst;
    double error;
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_check(routing, err));
    NB_TRY(nb_channel_check_sides(routing->topology, &claimed->sides, err));
    NB_TRY(nb_focus_find(routing, &focus, err));
    NB_TRY(check_form(&focus, claimed, err));
    NB_TRY(check_permutation(routing, run, claimed, err));
    NB_TRY(nb_channel_check_run(&check, all_channels, err));
    NB_TRY(check_find_error(routing, run, claimed, &error, err));
    NB_TRY(check_order(routing->topology, claimed, error, err));
    worst_case_conclude(routing->topology, claimed);
    if (claimed->worst != worst)
        status = nb_channel_refute(
            claimed->bounds[claimed->worst].channel,
            "is the first channel this bad, not the one marked", err);
done:
    nb_focus_release(&focus);
    return status;
}
