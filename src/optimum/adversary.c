#include "optimum/adversary.h"

#include "bounds/matching/matching.h"
#include "bounds/worst_case/necessary_case.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

/* Result of a descent. Owns its arrays; zero-initialised: none. */
struct adversary_end {
    size_t start; /* number of the descent */
    uint32_t *permutation;
    struct nb_best_flow flow;
};

/* State of one thread. Owns its arrays, best included. */
struct adversary_work {
    const struct nb_adversary_question *question;
    const struct nb_sides *sides; /* borrowed */
    struct nb_run run;            /* with one thread: the descents are divided
                                   * among the threads */
    struct adversary_end best;    /* best of the descents so far */
    size_t evaluated;             /* linear programs solved */
    bool was_stopped;

    /* State of the present descent. */
    struct nb_random random;
    double deadline; /* [s] on the monotonic clock; +inf: none */
    bool is_late;

    struct nb_path_search search;
    struct nb_pool pool;
    int64_t *length; /* [channel_count] for the next matching */
    int64_t *weight; /* [sides * sides] distances under the lengths of the last
                      * matching */
    int64_t *row, *column; /* [sides] duals of the last matching */
};

/* The traffic of a permutation of sides. */

/* Adds a demand to the last column, ordered by source; repeated pairs are added
 * up. */
static enum nb_status adversary_add(struct nb_traffic *traffic, size_t first,
                                    struct nb_demand demand,
                                    struct nb_error *err)
{
    size_t place = traffic->demand_count;
    while (place > first && traffic->demands[place - 1].source > demand.source)
        place--;
    if (place > first && traffic->demands[place - 1].source == demand.source) {
        traffic->demands[place - 1].weight += demand.weight;
        return NB_OK;
    }
    const enum nb_status status = nb_traffic_add(
        traffic, demand.source, demand.target, demand.weight, err);
    if (status != NB_OK)
        return status;
    for (size_t d = traffic->demand_count - 1; d > place; d--)
        traffic->demands[d] = traffic->demands[d - 1];
    traffic->demands[place] = demand;
    return NB_OK;
}

enum nb_status nb_adversary_traffic(const struct nb_topology *topology,
                                    const struct nb_sides *sides,
                                    const uint32_t *permutation,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    const size_t routers = topology->router_count;
    uint32_t *sender = NULL;
    size_t t = 0;
    enum nb_status status;
    *out = (struct nb_traffic){ .router_count = routers, .denominator = 1 };
    NB_TRY(nb_new(&sender, sides->count, sizeof *sender, "senders", err));
    NB_TRY(nb_new(&out->column_start, routers + 1, sizeof *out->column_start,
                  "columns of demands", err));
    for (uint32_t s = 0; s < sides->count; s++)
        sender[permutation[s]] = s;
    for (uint32_t r = 0; r < routers; r++) {
        for (; t < sides->count && sides->router[t] == r; t++)
            NB_TRY(adversary_add(out, out->column_start[r],
                                 (struct nb_demand){ sides->router[sender[t]],
                                                     r, sides->multiplicity },
                                 err));
        out->column_start[r + 1] = out->demand_count;
    }
done:
    nb_delete(sender);
    if (status != NB_OK)
        nb_traffic_release(out);
    return status;
}

/* Matchings and starts of the adversary. */

/* Errors: NB_NO_MEMORY. */
static enum nb_status adversary_work_init(struct adversary_work *work,
                                          struct nb_error *err)
{
    const size_t n = work->sides->count;
    const size_t channels = work->question->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    NB_TRY(nb_path_search_init(work->question->path_class, &work->search, err));
    work->length = nb_pool_array(pool, channels, sizeof *work->length);
    work->weight = nb_pool_array(pool, n * n, sizeof *work->weight);
    work->row = nb_pool_array(pool, n, sizeof *work->row);
    work->column = nb_pool_array(pool, n, sizeof *work->column);
    NB_TRY(nb_pool_check(pool, "distances", err));
done:
    return status;
}

static void adversary_end_release(struct adversary_end *end)
{
    nb_delete(end->permutation);
    nb_best_flow_release(&end->flow);
    *end = (struct adversary_end){ 0 };
}

static void adversary_work_release(struct adversary_work *work)
{
    adversary_end_release(&work->best);
    nb_path_search_release(&work->search);
    nb_pool_release(&work->pool);
    *work = (struct adversary_work){ 0 };
}

/* Fills weight; returns the greatest. Sides of one router are adjacent. */
static int64_t adversary_measure(struct adversary_work *work,
                                 const int64_t *length)
{
    const size_t n = work->sides->count;
    const uint32_t *router = work->sides->router;
    int64_t most = 0;
    for (size_t t = 0; t < n; t++) {
        if (t == 0 || router[t] != router[t - 1])
            nb_path_search_run(&work->search, router[t], length);
        for (size_t s = 0; s < n; s++) {
            const int64_t distance =
                nb_path_search_distance(&work->search, router[s]);
            work->weight[s * n + t] = distance;
            most = distance > most ? distance : most;
        }
    }
    return most;
}

/*
 * The permutation of greatest total distance under the given lengths; weight
 * keeps the distances, scaled down if their sum would overflow.
 *
 * length  [channel_count] each 0 .. 2^40
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status adversary_match(struct adversary_work *work,
                                      const int64_t *length,
                                      uint32_t *permutation,
                                      struct nb_error *err)
{
    const size_t n = work->sides->count;
    const int64_t limit = (((int64_t)1 << 62) - 1) / (int64_t)n;
    const int64_t most = adversary_measure(work, length);
    int64_t total;
    unsigned shift = 0;
    while (most >> shift > limit)
        shift++;
    for (size_t k = 0; k < n * n && shift > 0; k++)
        work->weight[k] >>= shift;
    return nb_matching_integer(n, work->weight, NULL, permutation, work->row,
                               work->column, &total, err);
}

/* Matches the remaining sources and destinations in order. */
static enum nb_status adversary_complete(size_t n, uint32_t *permutation,
                                         struct nb_error *err)
{
    bool *is_taken = NULL;
    uint32_t next = 0;
    const enum nb_status status =
        nb_new(&is_taken, n, sizeof *is_taken, "destinations", err);
    if (status != NB_OK)
        return status;
    for (size_t s = 0; s < n; s++)
        if (permutation[s] != NB_NONE)
            is_taken[permutation[s]] = true;
    for (size_t s = 0; s < n; s++) {
        if (permutation[s] != NB_NONE)
            continue;
        while (is_taken[next])
            next++;
        permutation[s] = next++;
    }
    nb_delete(is_taken);
    return NB_OK;
}

/* The matching of the necessary bound. */
static enum nb_status adversary_necessary(const struct adversary_work *work,
                                          uint32_t *permutation,
                                          struct nb_error *err)
{
    const size_t n = work->sides->count;
    struct nb_routing routing = { 0 };
    struct nb_necessary_case bound = { 0 };
    enum nb_status status;
    NB_TRY(nb_routing_build("any-minimal", work->question->topology, &routing,
                            err));
    NB_TRY(nb_necessary_case_find(&routing, &work->run, &bound, err));
    for (size_t s = 0; s < n; s++)
        permutation[s] = bound.match[s];
    NB_TRY(adversary_complete(n, permutation, err));
done:
    nb_necessary_case_release(&bound);
    nb_routing_release(&routing);
    return status;
}

/* The permutation that descent number start begins with. Errors:
 * NB_NO_MEMORY. */
static enum nb_status adversary_start(struct adversary_work *work, size_t start,
                                      uint32_t *permutation,
                                      struct nb_error *err)
{
    const size_t n = work->sides->count;
    nb_random_init(&work->random, work->question->seed, start);
    if (start == 0) {
        for (size_t c = 0; c < work->question->topology->channel_count; c++)
            work->length[c] = 1;
        return adversary_match(work, work->length, permutation, err);
    }
    if (start == 1 && work->question->path_class->paths == NB_PATHS_MINIMAL)
        return adversary_necessary(work, permutation, err);
    if (start == 1)
        for (size_t s = 0; s < n; s++)
            permutation[s] = (uint32_t)(n - 1 - s);
    else
        nb_random_permutation(&work->random, (uint32_t)n, permutation);
    return NB_OK;
}

/* Descents of the adversary. */

/* Failed swaps after which a descent ends, and pairs drawn for each swap. */
enum { ADVERSARY_SWAPS = 8, ADVERSARY_DRAWS = 32 };

/* One descent. Owns its arrays. */
struct adversary_descent {
    struct adversary_end now;
    uint32_t *candidate; /* [sides] */
    /* [channel_count] sum of all lengths found; each set is scaled to sum_c b_c
     * l_c = 1. */
    double *history;
};

static void adversary_descent_release(struct adversary_descent *descent)
{
    adversary_end_release(&descent->now);
    nb_delete(descent->candidate);
    nb_delete(descent->history);
    *descent = (struct adversary_descent){ 0 };
}

static enum nb_status adversary_descent_init(const struct adversary_work *work,
                                             struct adversary_descent *descent,
                                             struct nb_error *err)
{
    const size_t n = work->sides->count;
    const size_t channels = work->question->topology->channel_count;
    enum nb_status status;
    NB_TRY(nb_new(&descent->now.permutation, n, sizeof(uint32_t), "permutation",
                  err));
    NB_TRY(
        nb_new(&descent->candidate, n, sizeof(uint32_t), "permutation", err));
    NB_TRY(nb_new(&descent->history, channels, sizeof(double), "lengths", err));
done:
    return status;
}

/* The optimum of a permutation, or a bracket if time is short: even 1e-9 s
 * yields one. */
static enum nb_status adversary_evaluate(struct adversary_work *work,
                                         const uint32_t *permutation,
                                         struct nb_best_flow *out,
                                         struct nb_error *err)
{
    const struct nb_adversary_question *question = work->question;
    struct nb_traffic traffic = { 0 };
    struct nb_best_flow_question flow = {
        .topology = question->topology,
        .traffic = &traffic,
        .path_class = question->path_class,
        .seconds = fmax(work->deadline - nb_clock_now(), 1e-9),
        .ignores_symmetry = true,
    };
    enum nb_status status;
    NB_TRY(nb_adversary_traffic(question->topology, work->sides, permutation,
                                &traffic, err));
    NB_TRY(nb_best_flow_find(&flow, &work->run, out, err));
    work->evaluated++;
    work->is_late = out->was_stopped || nb_clock_now() >= work->deadline;
done:
    nb_traffic_release(&traffic);
    return status;
}

/* Adds the flow's lengths to the history. */
static void adversary_remember(const struct nb_topology *topology,
                               struct adversary_descent *descent)
{
    const int64_t *length = descent->now.flow.length;
    double sum = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        sum +=
            nb_ratio_value(topology->channels[c].bandwidth) * (double)length[c];
    for (size_t c = 0; c < topology->channel_count; c++)
        descent->history[c] += (double)length[c] / sum;
}

/* Replaces the permutation by the candidate if its throughput is lower. */
static enum nb_status adversary_try(struct adversary_work *work,
                                    struct adversary_descent *descent,
                                    bool *is_better, struct nb_error *err)
{
    const size_t n = work->sides->count;
    struct nb_best_flow flow = { 0 };
    enum nb_status status;
    *is_better = false;
    if (work->is_late || memcmp(descent->candidate, descent->now.permutation,
                                n * sizeof(uint32_t)) == 0)
        return NB_OK;
    NB_TRY(adversary_evaluate(work, descent->candidate, &flow, err));
    if (flow.throughput.upper >= descent->now.flow.throughput.upper)
        goto done;
    *is_better = true;
    const struct nb_best_flow old = descent->now.flow;
    descent->now.flow = flow;
    flow = old;
    memcpy(descent->now.permutation, descent->candidate, n * sizeof(uint32_t));
    adversary_remember(work->question->topology, descent);
done:
    nb_best_flow_release(&flow);
    return status;
}

/* The matching under the sum of all lengths found. */
static enum nb_status adversary_match_history(struct adversary_work *work,
                                              struct adversary_descent *descent,
                                              struct nb_error *err)
{
    const size_t channels = work->question->topology->channel_count;
    double most = 0;
    for (size_t c = 0; c < channels; c++)
        most = fmax(most, descent->history[c]);
    for (size_t c = 0; c < channels; c++)
        work->length[c] = llround(descent->history[c] / most * 0x1p40);
    return adversary_match(work, work->length, descent->candidate, err);
}

/* Draws some pairs of sources, and exchanges the destinations of the pair that
 * gives the greatest total distance under the lengths of the last matching. */
static void adversary_swap(struct adversary_work *work,
                           struct adversary_descent *descent)
{
    const size_t n = work->sides->count;
    const int64_t *weight = work->weight;
    const uint32_t *to = descent->now.permutation;
    uint32_t *candidate = descent->candidate;
    size_t a = 0, b = 0;
    int64_t most = INT64_MIN;
    for (int draw = 0; draw < ADVERSARY_DRAWS; draw++) {
        const size_t s = nb_random_below(&work->random, n);
        const size_t t = nb_random_below(&work->random, n);
        if (s == t)
            continue;
        const int64_t gain = weight[s * n + to[t]] - weight[s * n + to[s]] +
                             weight[t * n + to[s]] - weight[t * n + to[t]];
        if (gain <= most)
            continue;
        most = gain;
        a = s;
        b = t;
    }
    memcpy(candidate, to, n * sizeof *candidate);
    candidate[a] = to[b];
    candidate[b] = to[a];
}

/* One step: tries matchings, then swaps; is_better: whether one was an
 * improvement. */
static enum nb_status adversary_step(struct adversary_work *work,
                                     struct adversary_descent *descent,
                                     bool *is_better, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(adversary_match(work, descent->now.flow.length, descent->candidate,
                           err));
    NB_TRY(adversary_try(work, descent, is_better, err));
    if (*is_better)
        goto done;
    NB_TRY(adversary_match_history(work, descent, err));
    NB_TRY(adversary_try(work, descent, is_better, err));
    for (int swap = 0; swap < ADVERSARY_SWAPS && !*is_better; swap++) {
        adversary_swap(work, descent);
        NB_TRY(adversary_try(work, descent, is_better, err));
    }
done:
    return status;
}

/* Lower, or equal and of a descent with a lower number. */
static bool adversary_is_better(const struct adversary_end *end,
                                const struct adversary_end *than)
{
    const double ours = end->flow.throughput.upper;
    const double others = than->flow.throughput.upper;
    return than->permutation == NULL || ours < others ||
           (ours == others && end->start < than->start);
}

/* Exchanges the two if end is better than best. */
static void adversary_keep(struct adversary_end *best,
                           struct adversary_end *end)
{
    const struct adversary_end old = *best;
    if (end->permutation == NULL || !adversary_is_better(end, best))
        return;
    *best = *end;
    *end = old;
}

/* Descends from starting permutation number start until there is no improvement
 * or time is up, and updates work->best. Errors: those of nb_adversary_find. */
static enum nb_status adversary_descend(struct adversary_work *work,
                                        size_t start, struct nb_error *err)
{
    struct adversary_descent descent = { .now.start = start };
    struct adversary_end *now = &descent.now;
    bool is_better = true;
    enum nb_status status;
    NB_TRY(adversary_descent_init(work, &descent, err));
    NB_TRY(adversary_start(work, start, now->permutation, err));
    NB_TRY(adversary_evaluate(work, now->permutation, &now->flow, err));
    adversary_remember(work->question->topology, &descent);
    while (is_better && !work->is_late)
        NB_TRY(adversary_step(work, &descent, &is_better, err));
    work->was_stopped = work->was_stopped || work->is_late;
    adversary_keep(&work->best, now);
done:
    adversary_descent_release(&descent);
    return status;
}

/* Tasks: task i is descent number i. */
struct adversary_search {
    const struct nb_adversary_question *question;
    int threads;
    double end;                  /* [s] on the monotonic clock */
    struct adversary_work *work; /* [threads] */
};

/* Divides the time left evenly among this descent and those that follow on its
 * thread. The first descent always runs, until it has one bracket. */
static enum nb_status adversary_task(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    const struct adversary_search *search = context;
    struct adversary_work *work = &search->work[thread];
    const size_t threads = (size_t)search->threads;
    const size_t turns =
        (search->question->starts - index + threads - 1) / threads;
    const double now = nb_clock_now();
    if (index > 0 && now >= search->end) {
        work->was_stopped = true;
        return NB_OK;
    }
    work->deadline = now + (search->end - now) / (double)turns;
    return adversary_descend(work, index, err);
}

static enum nb_status adversary_search_init(struct adversary_search *search,
                                            const struct nb_sides *sides,
                                            struct nb_error *err)
{
    const double n = (double)sides->count;
    enum nb_status status;
    /* A matching needs up to half a matrix more. */
    NB_TRY(nb_memory_require(1.5 * search->threads * n * n * sizeof(int64_t),
                             "distances", err));
    NB_TRY(nb_new(&search->work, (size_t)search->threads, sizeof *search->work,
                  "adversary", err));
    for (int t = 0; t < search->threads; t++) {
        search->work[t].question = search->question;
        search->work[t].sides = sides;
        search->work[t].run.threads = 1;
        NB_TRY(adversary_work_init(&search->work[t], err));
    }
done:
    return status;
}

static void adversary_search_release(struct adversary_search *search)
{
    for (int t = 0; t < search->threads && search->work != NULL; t++)
        adversary_work_release(&search->work[t]);
    nb_delete(search->work);
}

/* Merges the results of the threads. */
static void adversary_conclude(struct adversary_search *search,
                               struct nb_adversary *out)
{
    struct adversary_end *best = &search->work[0].best;
    for (int t = 0; t < search->threads; t++) {
        adversary_keep(best, &search->work[t].best);
        out->evaluated += search->work[t].evaluated;
        out->was_stopped = out->was_stopped || search->work[t].was_stopped;
    }
    out->permutation = best->permutation;
    out->best = best->flow;
    *best = (struct adversary_end){ 0 };
}

enum nb_status nb_adversary_find(const struct nb_adversary_question *question,
                                 const struct nb_run *run,
                                 struct nb_adversary *out, struct nb_error *err)
{
    struct adversary_search search = {
        .question = question,
        .threads = nb_run_threads(run, question->starts),
        .end = nb_clock_now() + question->seconds,
    };
    enum nb_status status;
    *out = (struct nb_adversary){ 0 };
    NB_TRY(nb_sides_find(question->topology, &out->sides, err));
    NB_TRY(adversary_search_init(&search, &out->sides, err));
    NB_TRY(nb_run_tasks(run, "descents", question->starts, adversary_task,
                        &search, err));
    adversary_conclude(&search, out);
done:
    adversary_search_release(&search);
    if (status != NB_OK)
        nb_adversary_release(out);
    return status;
}

void nb_adversary_release(struct nb_adversary *adversary)
{
    nb_sides_release(&adversary->sides);
    nb_delete(adversary->permutation);
    nb_best_flow_release(&adversary->best);
    *adversary = (struct nb_adversary){ 0 };
}
