#include "optimum/best_oblivious.h"

#include "bounds/cuts/bisection.h"
#include "bounds/matching/transport.h"
#include "optimum/oblivious_program.h"
#include "optimum/whole.h"
#include "core/clock.h"
#include "core/memory.h"
#include "routing/unrouted.h"
#include "load/pair_loads.h"
#include "load/sides.h"
#include "topology/metrics.h"

#include <math.h>
#include <string.h>

/* The best routing and weights so far, and the bounds they prove. */
struct oblivious_found {
    const struct nb_oblivious_case *here;
    struct nb_oblivious_keeper keeper; /* whose context this is */
    struct nb_best_oblivious best;     /* paths, duals and weights; owned */
    bool has_routing, has_weights;
    struct nb_enclosure load, mean_hops, lower;
};

/* The worst traffic of the routing found. */

/* Memory for one channel's matrix over sides and its transportation problem. */
struct duals_work {
    const struct nb_oblivious_case *here;
    struct nb_pool pool;
    struct nb_sides sides;
    size_t *row_start; /* [sides + 1] */
    uint32_t *column;  /* [sides^2] */
    int64_t *weight;   /* [sides^2] */
    int64_t *load;     /* [e * e] */
    int64_t *flow;     /* [pair_count * channel_count] */
};

static enum nb_status duals_reserve(struct duals_work *work,
                                    struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const size_t e = here->e;
    struct nb_pool *pool = &work->pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_sides_find(here->topology, &work->sides, err));
    const size_t n = work->sides.count;
    work->row_start = nb_pool_array(pool, n + 1, sizeof(size_t));
    work->column = nb_pool_array(pool, n * n, sizeof(uint32_t));
    work->weight = nb_pool_array(pool, n * n, sizeof(int64_t));
    work->load = nb_pool_array(pool, e * e, sizeof(int64_t));
    work->flow =
        nb_pool_array(pool, here->pair_count * here->topology->channel_count,
                      sizeof(int64_t));
    NB_TRY(nb_pool_check(pool, "worst traffic of a channel", err));
done:
    return status;
}

/* Fills the matrix over sides, without loads of 0. */
static void duals_fill(struct duals_work *work)
{
    const struct nb_oblivious_case *here = work->here;
    size_t count = 0;
    for (size_t i = 0; i < work->sides.count; i++) {
        const size_t row = here->place[work->sides.router[i]] * here->e;
        work->row_start[i] = count;
        for (size_t j = 0; j < work->sides.count; j++) {
            const int64_t load =
                work->load[row + here->place[work->sides.router[j]]];
            if (load == 0)
                continue;
            work->column[count] = (uint32_t)j;
            work->weight[count++] = load;
        }
    }
    work->row_start[work->sides.count] = count;
}

/* The least dual of the terminals at one router serves all of them: each of
 * them satisfies the router's constraints. */
static void duals_take(const struct duals_work *work,
                       const struct nb_transport *transport,
                       struct nb_oblivious_dual *dual)
{
    const size_t n = work->here->topology->router_count;
    for (size_t r = 0; r < n; r++)
        dual->row[r] = dual->column[r] = -1;
    for (size_t s = 0; s < work->sides.count; s++) {
        int64_t *row = &dual->row[work->sides.router[s]];
        int64_t *column = &dual->column[work->sides.router[s]];
        if (*row < 0 || transport->row_dual[s] < *row)
            *row = transport->row_dual[s];
        if (*column < 0 || transport->column_dual[s] < *column)
            *column = transport->column_dual[s];
    }
    for (size_t r = 0; r < n; r++)
        if (dual->row[r] < 0)
            dual->row[r] = dual->column[r] = 0;
}

static enum nb_status duals_solve(struct duals_work *work,
                                  struct nb_oblivious_dual *dual,
                                  struct nb_error *err)
{
    const size_t n = work->here->topology->router_count;
    const struct nb_ratio rate = work->here->question->rate;
    struct nb_transport transport = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&dual->row, n, sizeof(int64_t), "duals", err));
    NB_TRY(nb_new(&dual->column, n, sizeof(int64_t), "duals", err));
    NB_TRY(nb_transport_init(&transport, work->sides.count, work->row_start,
                             work->column, work->weight, err));
    nb_transport_solve(&transport, rate.numerator, rate.denominator);
    duals_take(work, &transport, dual);
done:
    nb_transport_release(&transport);
    return status;
}

/*
 * Sets claimed->duals from the paths: the duals of the worst traffic of every
 * focus channel.
 *
 * Errors: NB_NO_MEMORY; NB_REFUTED: that of nb_oblivious_check_paths.
 */
static enum nb_status oblivious_find_duals(const struct nb_oblivious_case *here,
                                           struct nb_best_oblivious *claimed,
                                           struct nb_error *err)
{
    const size_t m = here->topology->channel_count;
    struct duals_work work = { .here = here };
    int64_t denominator;
    enum nb_status status = NB_OK;
    NB_TRY(duals_reserve(&work, err));
    NB_TRY(nb_new(&claimed->duals, m, sizeof *claimed->duals, "duals", err));
    NB_TRY(nb_oblivious_check_paths(here, &claimed->paths, work.flow,
                                    &denominator, err));
    for (uint32_t c = 0; c < m; c++) {
        if (nb_orbits_least(&here->channels, c) != c)
            continue;
        struct nb_oblivious_dual *dual = &claimed->duals[claimed->dual_count++];
        dual->channel = c;
        nb_oblivious_channel_loads(here, work.flow, c, work.load);
        duals_fill(&work);
        NB_TRY(duals_solve(&work, dual, err));
    }
done:
    nb_sides_release(&work.sides);
    nb_pool_release(&work.pool);
    return status;
}

/* The best routing and weights so far. */

static void found_release_routing(struct nb_best_oblivious *best)
{
    nb_path_table_release(&best->paths);
    for (size_t d = 0; d < best->dual_count; d++) {
        nb_delete(best->duals[d].row);
        nb_delete(best->duals[d].column);
    }
    nb_delete(best->duals);
    best->duals = NULL;
    best->dual_count = 0;
}

void nb_best_oblivious_release(struct nb_best_oblivious *best)
{
    found_release_routing(best);
    nb_delete(best->weights);
    *best = (struct nb_best_oblivious){ 0 };
}

/* Whether a routing is better than the best so far. */
static bool found_is_better(const struct oblivious_found *found,
                            struct nb_enclosure load,
                            struct nb_enclosure mean_hops)
{
    const struct nb_oblivious_question *question = found->here->question;
    if (!found->has_routing)
        return true;
    if (question->goal == NB_LEAST_WORST_LOAD)
        return load.upper < found->load.upper;
    const bool keeps = nb_oblivious_keeps(question, load);
    if (keeps != nb_oblivious_keeps(question, found->load))
        return keeps;
    return keeps ? mean_hops.upper < found->mean_hops.upper
                 : load.upper < found->load.upper;
}

/* Finds the duals of paths and keeps both if they are better than the best so
 * far. Takes ownership of the paths. Errors: NB_NO_MEMORY. */
static enum nb_status oblivious_offer_paths(void *context,
                                            struct nb_path_table *paths,
                                            struct nb_error *err)
{
    struct oblivious_found *found = context;
    struct nb_best_oblivious offer = { .paths = *paths };
    struct nb_enclosure load, mean_hops;
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(oblivious_find_duals(found->here, &offer, err));
    NB_TRY(nb_oblivious_check_routing(found->here, &offer, &load, &mean_hops,
                                      err));
    if (found_is_better(found, load, mean_hops)) {
        found_release_routing(&found->best);
        found->best.paths = offer.paths;
        found->best.duals = offer.duals;
        found->best.dual_count = offer.dual_count;
        found->load = load;
        found->mean_hops = mean_hops;
        found->has_routing = true;
        offer = (struct nb_best_oblivious){ 0 };
    }
done:
    found_release_routing(&offer);
    return status;
}

/* The same for weights, if they prove more. whole: [pair_count *
 * channel_count], 0 except at the least channel of an orbit */
static enum nb_status oblivious_offer_weights(void *context,
                                              const int64_t *whole,
                                              int64_t scale,
                                              struct nb_error *err)
{
    struct oblivious_found *found = context;
    const struct nb_oblivious_case *here = found->here;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    struct nb_best_oblivious offer = { .weight_scale = scale };
    struct nb_enclosure lower;
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (size_t cell = 0; cell < cells; cell++)
        count += whole[cell] > 0;
    NB_TRY(
        nb_new(&offer.weights, count, sizeof *offer.weights, "weights", err));
    for (size_t cell = 0; cell < cells; cell++) {
        const size_t pair = here->pair[cell / m];
        if (whole[cell] > 0)
            offer.weights[offer.weight_count++] = (struct nb_adversary_weight){
                .source = nb_oblivious_source(here, pair),
                .destination = nb_oblivious_destination(here, pair),
                .channel = (uint32_t)(cell % m),
                .weight = whole[cell],
            };
    }
    NB_TRY(nb_oblivious_check_weights(here, &offer, &lower, err));
    if (!found->has_weights || lower.lower > found->lower.lower) {
        nb_delete(found->best.weights);
        found->best.weights = offer.weights;
        found->best.weight_count = offer.weight_count;
        found->best.weight_scale = scale;
        found->lower = lower;
        found->has_weights = true;
        offer.weights = NULL;
    }
done:
    nb_delete(offer.weights);
    return status;
}

/* Whether the two ends of the goal are exactly equal. */
static bool oblivious_is_met(const void *context)
{
    const struct oblivious_found *found = context;
    const bool has_hops = found->here->question->goal == NB_LEAST_MEAN_HOPS;
    const struct nb_ratio upper =
        has_hops ? found->mean_hops.exact : found->load.exact;
    if (has_hops && !nb_oblivious_keeps(found->here->question, found->load))
        return false;
    return nb_ratio_is_known(upper) && nb_ratio_is_known(found->lower.exact) &&
           nb_ratio_compare(upper, found->lower.exact) == 0;
}

/* The program's solution in whole numbers. */

/* Offers routings from the program's flows. */
static enum nb_status
oblivious_take_flows(const struct nb_oblivious_program *program,
                     struct oblivious_found *found, struct nb_error *err)
{
    double *value = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&value, program->flow_count, sizeof *value, "flows", err));
    for (size_t f = 0; f < program->flow_count; f++)
        value[f] = fmax(0, nb_linear_value(program->linear, f));
    NB_TRY(nb_oblivious_offer_flows(program, value, &found->keeper, err));
done:
    nb_delete(value);
    return status;
}

/* Sets the adversary's weights of the cells; returns the greatest. */
static double round_find_weights(const struct nb_oblivious_program *program,
                                 double *value)
{
    const struct nb_oblivious_case *here = program->here;
    const size_t m = here->topology->channel_count;
    double most = 0;
    for (size_t cell = 0; cell < here->pair_count * m; cell++) {
        const double size =
            (double)nb_oblivious_pair_size(here, here->pair[cell / m]) *
            here->alike[cell];
        const size_t row = program->cell[cell];
        value[cell] =
            row == SIZE_MAX
                ? 0
                : fmax(0, nb_linear_dual(program->linear, row)) / size;
        most = fmax(most, value[cell]);
    }
    return most;
}

/* The largest scale at which no length exceeds NB_OBLIVIOUS_ROUNDED, with the
 * cost of a hop included. */
static int64_t round_most_scale(const struct nb_oblivious_case *here,
                                double most)
{
    double terminals = 0;
    for (size_t i = 0; i < here->e; i++)
        terminals =
            fmax(terminals, here->topology->terminals[here->endpoint[i]]);
    if (here->question->goal == NB_LEAST_MEAN_HOPS)
        most += terminals * terminals;
    return (int64_t)((double)NB_OBLIVIOUS_ROUNDED / fmax(most, 1));
}

/* Offers weights from the program's duals. */
static enum nb_status
oblivious_take_duals(const struct nb_oblivious_program *program,
                     struct oblivious_found *found, struct nb_error *err)
{
    const size_t cells =
        program->here->pair_count * program->here->topology->channel_count;
    double *value = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&value, cells, sizeof *value, "weights", err));
    const double most = round_find_weights(program, value);
    if (most > 0 && most < (double)NB_OBLIVIOUS_ROUNDED)
        NB_TRY(nb_oblivious_offer_weights(cells, value,
                                          round_most_scale(program->here, most),
                                          &found->keeper, err));
done:
    nb_delete(value);
    return status;
}

/* Weights from a cut. */

/* Weight terminals times terminals for every channel over the cut and every
 * pair on its two sides, averaged over the group and scaled down to 2^20.
 * value: [pair_count * channel_count], zeros on entry, set at the least channel
 * of an orbit. */
static void cut_fill(const struct nb_oblivious_case *here,
                     const bool *is_inside, double *value)
{
    const struct nb_topology *topology = here->topology;
    const size_t m = topology->channel_count, e = here->e;
    double most = 0;
    for (size_t i = 0; i < e; i++)
        most = fmax(most, topology->terminals[here->endpoint[i]]);
    const double unit = fmax(1, most * most * 0x1p-20);
    for (uint32_t c = 0; c < m; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (is_inside[at->source] == is_inside[at->target])
            continue;
        for (size_t p = 0; p < e * e; p++) {
            const uint32_t source = here->endpoint[p / e];
            const uint32_t destination = here->endpoint[p % e];
            if (is_inside[source] != is_inside[at->source] ||
                is_inside[destination] != is_inside[at->target])
                continue;
            value[here->cell[p * m + c]] +=
                (double)topology->terminals[source] *
                topology->terminals[destination];
        }
    }
    for (size_t cell = 0; cell < here->pair_count * m; cell++)
        value[cell] /= unit *
                       nb_oblivious_pair_size(here, here->pair[cell / m]) *
                       here->alike[cell];
}

/* For loads: offers the weights of a bisection, which its traffic must
 * cross. */
static enum nb_status oblivious_cut_weights(struct oblivious_found *found,
                                            const struct nb_run *run,
                                            struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const size_t cells = here->pair_count * here->topology->channel_count;
    struct nb_capacity capacity;
    struct nb_bisection bisection = { 0 };
    struct nb_pool pool = { 0 };
    double *value = nb_pool_array(&pool, cells, sizeof *value);
    int64_t *whole = nb_pool_array(&pool, cells, sizeof *whole);
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&pool, "weights", err));
    NB_TRY(nb_capacity_find(here->topology, run, &capacity, err));
    NB_TRY(
        nb_bisection_bracket(here->topology, &capacity, run, &bisection, err));
    if (bisection.is_inside == NULL)
        goto done;
    cut_fill(here, bisection.is_inside, value);
    const int64_t scale =
        nb_whole_find(cells, value, 1e-9, (int64_t)1 << 20, whole);
    if (scale == 0)
        nb_whole_find(cells, value, 0, (int64_t)1 << 20, whole);
    NB_TRY(oblivious_offer_weights(found, whole, 1, err));
done:
    nb_bisection_release(&bisection);
    nb_pool_release(&pool);
    return status;
}

/* Bounds that need no solution. */

/* A multiple of the usual orbit sizes, so that shares of an orbit are whole. */
enum { PLAIN_WEIGHT = 720720 };

/* Hops of every pair, and their maximum. */
static enum nb_status plain_distances(const struct nb_oblivious_case *here,
                                      uint32_t *distance, uint32_t *most,
                                      struct nb_error *err)
{
    const size_t n = here->topology->router_count;
    struct nb_pool pool = { 0 };
    uint32_t *away = nb_pool_array(&pool, n, sizeof *away);
    uint32_t *queue = nb_pool_array(&pool, n, sizeof *queue);
    enum nb_status status = NB_OK;
    *most = 0;
    NB_TRY(nb_pool_check(&pool, "distances", err));
    for (size_t index = 0; index < here->pair_count; index++) {
        const size_t pair = here->pair[index];
        nb_distances_to(here->topology, nb_oblivious_destination(here, pair),
                        away, queue);
        distance[index] = away[nb_oblivious_source(here, pair)];
        *most = distance[index] > *most ? distance[index] : *most;
    }
done:
    nb_pool_release(&pool);
    return status;
}

/* Weight 1 on all crossings of pairs at least this far apart. */
static void plain_fill(const struct nb_oblivious_case *here,
                       const uint32_t *distance, uint32_t least, int64_t *whole)
{
    const size_t m = here->topology->channel_count;
    for (size_t index = 0; index < here->pair_count; index++)
        for (uint32_t c = 0; c < m; c++)
            whole[index * m + c] =
                distance[index] >= least &&
                here->cell[here->pair[index] * m + c] == index * m + c;
}

/* Offers weights that need no solution. For hops: none, so that only shortest
 * paths count. For loads: 1 on all crossings of the farthest pairs, then 1 on
 * all crossings. */
static enum nb_status oblivious_plain_weights(struct oblivious_found *found,
                                              struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const size_t m = here->topology->channel_count;
    uint32_t *distance = NULL, most;
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, here->pair_count * m, sizeof *whole, "weights", err));
    if (here->question->goal == NB_LEAST_MEAN_HOPS) {
        NB_TRY(oblivious_offer_weights(found, whole, 1, err));
        goto done;
    }
    NB_TRY(nb_new(&distance, here->pair_count, sizeof *distance, "distances",
                  err));
    NB_TRY(plain_distances(here, distance, &most, err));
    plain_fill(here, distance, most, whole);
    NB_TRY(oblivious_offer_weights(found, whole, 1, err));
    plain_fill(here, distance, 0, whole);
    NB_TRY(oblivious_offer_weights(found, whole, 1, err));
done:
    nb_delete(distance);
    nb_delete(whole);
    return status;
}

/* Offers the routing given with the question. */
static enum nb_status oblivious_known_paths(struct oblivious_found *found,
                                            struct nb_error *err)
{
    const struct nb_path_table *known = found->here->question->known;
    struct nb_path_table paths = { 0 };
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < known->path_count; p++) {
        const struct nb_table_path *path = &known->path[p];
        NB_TRY(nb_path_table_add(&paths, path->source, path->destination,
                                 path->weight, known->channel + path->first,
                                 path->length, err));
    }
    NB_TRY(oblivious_offer_paths(found, &paths, err));
done:
    nb_path_table_release(&paths);
    return status;
}

/* The registered schemes. */

#define SCHEMES_BYTES 0x1p28 /* limit for loads held at once */

/* State while schemes are tried in turn. Flows are numbered by crossings of the
 * given pairs; there is no linear program. */
struct schemes_work {
    const struct nb_oblivious_case *here;
    const struct nb_run *run;
    struct nb_oblivious_program crossings;
    double *value; /* [flow_count] */
};

/* Adds one channel's loads, averaged over the group. */
static void schemes_add(struct schemes_work *work,
                        const struct nb_pair_loads *loads)
{
    const struct nb_oblivious_case *here = work->here;
    const size_t e = here->e, m = here->topology->channel_count;
    for (size_t p = 0; p < e * e; p++) {
        if (p / e == p % e)
            continue;
        const double load = nb_pair_load_value(loads, p / e, p % e);
        const size_t at = here->cell[p * m + loads->channel];
        if (load > 0)
            work->value[at] += load / ((double)nb_oblivious_pair_size(here, p) *
                                       here->alike[at]);
    }
}

/* The flows of a scheme: for every given pair, the mean over its orbit. */
static enum nb_status schemes_find_flows(struct schemes_work *work,
                                         const struct nb_routing *routing,
                                         struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const uint32_t m = (uint32_t)here->topology->channel_count;
    const double fit = SCHEMES_BYTES / nb_pair_loads_bytes(routing, 1);
    const uint32_t most = fit >= m ? m : fit > 1 ? (uint32_t)fit : 1;
    struct nb_pool pool = { 0 };
    struct nb_pair_loads *loads = nb_pool_array(&pool, most, sizeof *loads);
    uint32_t *channel = nb_pool_array(&pool, m, sizeof *channel);
    enum nb_status status = NB_OK;
    memset(work->value, 0, work->crossings.flow_count * sizeof *work->value);
    NB_TRY(nb_pool_check(&pool, "loads of a scheme", err));
    for (uint32_t c = 0; c < m; c++)
        channel[c] = c;
    for (uint32_t first = 0; first < m; first += most) {
        const uint32_t count = m - first < most ? m - first : most;
        NB_TRY(nb_pair_loads_find(routing, count, channel + first, work->run,
                                  loads, err));
        for (uint32_t i = 0; i < count; i++) {
            schemes_add(work, &loads[i]);
            nb_pair_loads_release(&loads[i]);
        }
    }
    /* The least channel of an orbit holds the value of all of them. */
    for (size_t at = 0; at < work->crossings.flow_count; at++)
        work->value[at] =
            work->value[here->cell[(size_t)here->pair[at / m] * m + at % m]];
done:
    nb_pool_release(&pool);
    return status;
}

/* Offers a scheme if it fits this network and these paths. */
static enum nb_status schemes_try(struct schemes_work *work,
                                  const struct nb_routing_kind *kind,
                                  struct oblivious_found *found,
                                  struct nb_error *err)
{
    const bool is_minimal =
        work->here->question->path_class->paths == NB_PATHS_MINIMAL;
    struct nb_routing routing = { 0 };
    struct nb_error refused = { 0 };
    enum nb_status status = NB_OK;
    if (kind->is_adaptive || strcmp(kind->kind.name, "file") == 0 ||
        nb_routing_build(kind->kind.name, work->here->topology, &routing,
                         &refused) != NB_OK)
        return NB_OK;
    if (nb_routes_require(&routing, NULL, &refused) != NB_OK)
        goto done;
    /* Intermediate routers in quadrants may lack terminals; their loads are
     * known only where every router has some. */
    const bool is_known = routing.intermediate != NB_IN_QUADRANT ||
                          work->here->e == work->here->topology->router_count;
    if (!is_known || (is_minimal && !routing.is_minimal))
        goto done;
    NB_TRY(schemes_find_flows(work, &routing, err));
    NB_TRY(nb_oblivious_offer_flows(&work->crossings, work->value,
                                    &found->keeper, err));
done:
    nb_routing_release(&routing);
    return status;
}

/* Offers every registered oblivious scheme that takes paths of the class (any
 * or minimal), averaged over the group, until the ends are equal or time is up.
 * Errors: NB_NO_MEMORY. */
static enum nb_status oblivious_take_schemes(struct oblivious_found *found,
                                             const struct nb_run *run,
                                             double deadline,
                                             struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const enum nb_paths paths = here->question->path_class->paths;
    struct schemes_work work = { .here = here, .run = run };
    enum nb_status status = NB_OK;
    if (paths != NB_PATHS_ANY && paths != NB_PATHS_MINIMAL)
        return NB_OK;
    work.crossings = (struct nb_oblivious_program){
        .here = here,
        .flow_count = here->pair_count * here->topology->channel_count,
    };
    NB_TRY(nb_new(&work.value, work.crossings.flow_count, sizeof(double),
                  "flows of a scheme", err));
    NB_TRY(nb_new(&work.crossings.flow, work.crossings.flow_count,
                  sizeof(size_t), "flows of a scheme", err));
    for (size_t f = 0; f < work.crossings.flow_count; f++)
        work.crossings.flow[f] = f;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++)
        if (!oblivious_is_met(found) && nb_clock_now() < deadline)
            NB_TRY(schemes_try(&work, nb_routing_kinds[k], found, err));
done:
    nb_delete(work.value);
    nb_oblivious_program_release(&work.crossings);
    return status;
}

/* Bound on the relative rounding error of a load, with a margin. */
#define OBLIVIOUS_SLACK 1e-9

/* Solves the program. If rounding makes a load that is just feasible look
 * infeasible, solves it again with a little slack. */
static enum nb_status oblivious_solve(const struct nb_oblivious_case *here,
                                      double deadline,
                                      struct nb_oblivious_program *program,
                                      enum nb_linear_end *end,
                                      struct nb_error *err)
{
    static const double slack[] = { 0, OBLIVIOUS_SLACK };
    enum nb_status status = NB_OK;
    for (size_t s = 0; s < sizeof slack / sizeof slack[0]; s++) {
        nb_oblivious_program_release(program);
        NB_TRY(nb_oblivious_program_build(here, slack[s], program, err));
        NB_TRY(nb_linear_solve(program->linear, NB_LINEAR_DUAL,
                               deadline - nb_clock_now(), end, err));
        if (*end != NB_LINEAR_INFEASIBLE)
            return NB_OK;
    }
    status = nb_fail(err, NB_INVALID,
                     "no routing keeps every load per bandwidth below %.9g",
                     nb_ratio_value(here->question->most_load));
done:
    return status;
}

/* Solves a similar question with the same orbits, and offers its routing and,
 * if has_weights, its weights for this question. */
static enum nb_status oblivious_try(const struct nb_oblivious_question *like,
                                    double slack, bool has_weights,
                                    double deadline,
                                    struct oblivious_found *found,
                                    struct nb_error *err)
{
    struct nb_oblivious_case same = *found->here; /* lends its parts */
    struct nb_oblivious_program program = { 0 };
    enum nb_linear_end end;
    enum nb_status status = NB_OK;
    same.question = like;
    NB_TRY(nb_oblivious_program_build(&same, slack, &program, err));
    NB_TRY(nb_linear_solve(program.linear, NB_LINEAR_DUAL,
                           deadline - nb_clock_now(), &end, err));
    if (end != NB_LINEAR_OPTIMAL)
        goto done;
    NB_TRY(oblivious_take_flows(&program, found, err));
    if (has_weights)
        NB_TRY(oblivious_take_duals(&program, found, err));
done:
    nb_oblivious_program_release(&program);
    return status;
}

/* With shortest paths only, the program is much smaller and often
 * sufficient. */
static enum nb_status oblivious_try_minimal(double deadline,
                                            struct oblivious_found *found,
                                            struct nb_error *err)
{
    struct nb_oblivious_question minimal = *found->here->question;
    struct nb_path_class class;
    enum nb_status status = NB_OK;
    if (minimal.path_class->paths != NB_PATHS_ANY)
        return NB_OK;
    NB_TRY(nb_path_class_init(minimal.topology, NB_PATHS_MINIMAL, nb_ratio_one,
                              &class, err));
    minimal.path_class = &class;
    NB_TRY(oblivious_try(&minimal, 0, true, deadline, found, err));
done:
    return status;
}

/*
 * Many routings have the least load, and the shares at the program's vertex may
 * not fit whole numbers. Of the routings that keep the load proved to be least,
 * the one with fewest hops is simpler and better. If the goal is fewest hops,
 * rounding may lift the load above its limit: then a slightly lower limit is
 * used.
 */
static enum nb_status oblivious_refine(double deadline,
                                       struct oblivious_found *found,
                                       struct nb_error *err)
{
    struct nb_oblivious_question hops = *found->here->question;
    if (hops.goal == NB_LEAST_MEAN_HOPS)
        return nb_oblivious_keeps(&hops, found->load) &&
                       found->mean_hops.upper <=
                           found->lower.lower * (1 + 100 * OBLIVIOUS_SLACK)
                   ? NB_OK
                   : oblivious_try(&hops, -OBLIVIOUS_SLACK, false, deadline,
                                   found, err);
    if (!nb_ratio_is_known(found->lower.exact))
        return NB_OK;
    hops.goal = NB_LEAST_MEAN_HOPS;
    hops.most_load = found->lower.exact;
    return oblivious_try(&hops, 0, false, deadline, found, err);
}

/* Certificates, from the best solution to those that need none. */
static enum nb_status oblivious_take(const struct nb_oblivious_program *program,
                                     enum nb_linear_end end, double deadline,
                                     struct oblivious_found *found,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (end == NB_LINEAR_OPTIMAL)
        NB_TRY(oblivious_take_flows(program, found, err));
    NB_TRY(oblivious_take_duals(program, found, err));
    if (end == NB_LINEAR_OPTIMAL && !oblivious_is_met(found))
        NB_TRY(oblivious_refine(deadline, found, err));
    if (end != NB_LINEAR_OPTIMAL)
        NB_TRY(nb_oblivious_offer_plain(found->here, PLAIN_WEIGHT,
                                        &found->keeper, err));
done:
    return status;
}

enum nb_status
nb_best_oblivious_find(const struct nb_oblivious_question *question,
                       const struct nb_run *run, struct nb_best_oblivious *out,
                       struct nb_error *err)
{
    const double deadline = nb_clock_now() + question->seconds;
    struct nb_oblivious_case here = { 0 };
    struct nb_oblivious_program program = { 0 };
    struct oblivious_found found = {
        .here = &here,
        .keeper = { &found, oblivious_offer_paths, oblivious_offer_weights,
                    oblivious_is_met },
    };
    enum nb_linear_end end;
    enum nb_status status = NB_OK;
    *out = (struct nb_best_oblivious){ 0 };
    NB_TRY(nb_oblivious_case_init(question, &here, err));
    NB_TRY(oblivious_plain_weights(&found, err));
    if (question->known != NULL)
        NB_TRY(oblivious_known_paths(&found, err));
    if (question->goal == NB_LEAST_WORST_LOAD)
        NB_TRY(oblivious_cut_weights(&found, run, err));
    if (here.is_too_large)
        NB_TRY(
            nb_oblivious_offer_plain(&here, PLAIN_WEIGHT, &found.keeper, err));
    /* Schemes are made for balanced traffic. */
    if (here.is_too_large ||
        (question->goal == NB_LEAST_WORST_LOAD && !question->is_unbalanced))
        NB_TRY(oblivious_take_schemes(&found, run, deadline, err));
    if (!oblivious_is_met(&found) && !here.is_too_large)
        NB_TRY(oblivious_try_minimal(deadline, &found, err));
    if (!oblivious_is_met(&found) && !here.is_too_large) {
        NB_TRY(oblivious_solve(&here, deadline, &program, &end, err));
        NB_TRY(oblivious_take(&program, end, deadline, &found, err));
        found.best.was_stopped =
            end == NB_LINEAR_STOPPED && nb_clock_now() >= deadline;
    }
    nb_oblivious_conclude(&here, found.load, found.mean_hops, found.lower,
                          &found.best);
    *out = found.best;
    found.best = (struct nb_best_oblivious){ 0 };
done:
    nb_oblivious_program_release(&program);
    nb_oblivious_case_release(&here);
    nb_best_oblivious_release(&found.best);
    return status;
}
