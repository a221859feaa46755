#include "optimum/best_flow.h"

#include "bounds/linear/linear.h"
#include "optimum/best_flow_check.h"
#include "optimum/whole.h"
#include "core/clock.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* One path of the first pair of an orbit; for a scheme, a mixture of paths
 * treated as one. */
struct flow_path {
    uint32_t orbit;
    uint32_t next; /* next path of the orbit; NB_NONE: the last */
    size_t first;  /* first of its crossings, up to end */
    size_t end;
    size_t word, word_end; /* as found */
    double share;          /* present share of the pair's traffic */
    double best;           /* share in the best routing found */
};

/* How often a path crosses channels of a line, in units of the class. */
struct flow_crossing {
    uint32_t line;
    uint32_t times;
};

/* Results of the search for paths to one destination. Owns word. */
struct flow_group {
    size_t begin; /* first of its orbits, up to the next group's */
    size_t count; /* number of words. For each mixture: orbit, number of words
                   * that follow; for each of its paths FLOW_WAY_WORDS, then its
                   * channels */
    size_t room;
    uint32_t *word;
};

/* Words of a path in a mixture: units, start, turn, leg, length. */
enum { FLOW_WAY_WORDS = 5 };

/* Loads and lengths have units of their own: only quotients matter. Owns its
 * arrays; zero-initialised is valid and empty. */
struct flow_work {
    const struct nb_best_flow_question *question;
    struct nb_run run;
    bool is_large;   /* too large for the simplex method: only weights are
                      * used */
    double deadline; /* [s] */
    struct nb_flow_orbits orbits;
    struct nb_pool pool; /* all arrays except paths and what groups own */
    double *demand;      /* [orbit] sum over all its pairs */
    double *band;        /* [line] sum of its channels' bandwidth */

    size_t path_count;
    size_t path_room;
    struct flow_path *path;
    size_t word_count;
    size_t word_room;
    uint32_t *word; /* of all paths, in the format of a group */
    size_t crossing_count;
    size_t crossing_room;
    struct flow_crossing *crossing;
    uint32_t *newest; /* [orbit] its latest path; NB_NONE: none */
    uint32_t *met;    /* [line] its crossing in the present path, from 1 */
    double unit;      /* of the class of paths */

    struct flow_group *group; /* [router + 1] */
    int search_count;
    struct nb_path_search *search; /* [search_count] one per thread */
    struct nb_path_mix *mix;       /* [search_count] scratch */
    double *price;                 /* [line] lengths for searches */
    int64_t *length;               /* [channel] price, rounded */
    int64_t *distance;             /* [orbit] distances under these lengths */
    /* Whether a search adds paths: those shorter than every known path by more
     * than the margin. */
    bool is_adding;
    int64_t margin;

    double *load; /* [line] */
    /* Bracket of 1 / Theta: the greatest load / band of the best routing, and
     * the bound proved by the best prices. */
    double least_load;
    double most_bound;
    double *best_price; /* [line] */
    size_t rounds;
    const struct nb_run *shown; /* whose progress is called; NULL: none */
    double first_gap;           /* of the bounds; 0: not known yet */
    size_t done;                /* thousandths of the way to the wanted gap */
    bool was_stopped;
};

/* If its searches cross fewer channels, a network is searched by one thread:
 * waking others takes longer. */
#define WORK_PARALLEL_CROSSINGS 2e5

/* With more rows the simplex method takes more than a minute. Rows of pairs are
 * much quicker, as most have one or two paths. */
enum {
    WORK_MOST_ROWS = 3000,
    WORK_MOST_MIXED_ROWS = 1500, /* mixtures cross many lines */
    WORK_QUICK_ROWS = 4
};

/* Estimated memory of a pair of routers with two short paths. */
enum { WORK_PAIR_BYTES = 256 };

/* [s] until the time limit; when none is left, was_stopped is set. */
static double flow_left(struct flow_work *work)
{
    const double left = work->deadline - nb_clock_now();
    if (left <= 0)
        work->was_stopped = true;
    return left;
}

/* Divides by the power of two that brings the greatest below 1, so that values
 * of the linear program are of moderate size. */
static void work_scale(size_t count, double *value)
{
    double most = 0;
    int exponent;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, value[k]);
    frexp(most, &exponent);
    for (size_t k = 0; k < count; k++)
        value[k] = ldexp(value[k], -exponent);
}

static void work_fill(struct flow_work *work)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    for (size_t o = 0; o < orbits->pair_count; o++) {
        work->demand[o] =
            (double)orbits->pair[o].rate * (double)orbits->pair[o].size;
        work->newest[o] = NB_NONE;
    }
    for (size_t k = 0; k < orbits->lines.count; k++) {
        work->band[k] =
            nb_ratio_value(
                orbits->topology->channels[orbits->lines.first[k]].bandwidth) *
            orbits->lines.length[k];
        work->price[k] = work->best_price[k] = 1;
    }
    work_scale(orbits->pair_count, work->demand);
    work_scale(orbits->lines.count, work->band);
}

/* Groups orbits, which are sorted by destination. Returns the number of
 * destinations. */
static size_t work_group(struct flow_work *work)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    size_t count = 0, o = 0;
    for (uint32_t j = 0; j <= orbits->topology->router_count; j++) {
        work->group[j].begin = o;
        while (o < orbits->pair_count && orbits->pair[o].destination == j)
            o++;
        count += o > work->group[j].begin;
    }
    return count;
}

static enum nb_status work_reserve_searches(struct flow_work *work,
                                            struct nb_error *err)
{
    const size_t groups = work_group(work);
    enum nb_status status = NB_OK;
    if ((double)groups * (double)work->orbits.topology->channel_count <
        WORK_PARALLEL_CROSSINGS)
        work->run.threads = 1;
    const int count = nb_run_threads(&work->run, groups);
    work->run.threads = count;
    work->search =
        nb_pool_array(&work->pool, (size_t)count, sizeof *work->search);
    work->mix = nb_pool_array(&work->pool, (size_t)count, sizeof *work->mix);
    NB_TRY(nb_pool_check(&work->pool, "searches", err));
    for (; work->search_count < count; work->search_count++)
        NB_TRY(nb_path_search_init(work->question->path_class,
                                   &work->search[work->search_count], err));
done:
    return status;
}

/* Errors: NB_NO_MEMORY; NB_OVERFLOW: that of nb_traffic_column. */
static enum nb_status
flow_work_init(const struct nb_best_flow_question *question,
               const struct nb_run *run, struct flow_work *work,
               struct nb_error *err)
{
    const struct nb_topology *topology = question->topology;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    *work = (struct flow_work){
        .question = question,
        .run = run != NULL ? *run : (struct nb_run){ 0 },
        .shown = run,
        .deadline = nb_clock_now() + question->seconds,
        .least_load = INFINITY,
        .unit = (double)question->path_class->unit,
    };
    work->run.progress = NULL; /* of the whole search instead */
    NB_TRY(nb_flow_orbits_init(question, &work->orbits, err));
    const size_t pairs = work->orbits.pair_count;
    const size_t lines = work->orbits.lines.count;
    work->is_large = lines + pairs / WORK_QUICK_ROWS >
                     (question->path_class->unit > 1 ? WORK_MOST_MIXED_ROWS
                                                     : WORK_MOST_ROWS);
    NB_TRY(nb_memory_require((double)pairs * WORK_PAIR_BYTES,
                             "paths of all pairs", err));
    work->demand = nb_pool_array(pool, pairs, sizeof(double));
    work->newest = nb_pool_array(pool, pairs, sizeof(uint32_t));
    work->distance = nb_pool_array(pool, pairs, sizeof(int64_t));
    work->met = nb_pool_array(pool, lines, sizeof(uint32_t));
    work->band = nb_pool_array(pool, lines, sizeof(double));
    work->load = nb_pool_array(pool, lines, sizeof(double));
    work->price = nb_pool_array(pool, lines, sizeof(double));
    work->best_price = nb_pool_array(pool, lines, sizeof(double));
    work->length =
        nb_pool_array(pool, topology->channel_count, sizeof(int64_t));
    work->group =
        nb_pool_array(pool, topology->router_count + 1, sizeof *work->group);
    NB_TRY(nb_pool_check(pool, "an optimal flow", err));
    work_fill(work);
    NB_TRY(work_reserve_searches(work, err));
done:
    return status;
}

static void flow_work_release(struct flow_work *work)
{
    for (size_t j = 0;
         work->group != NULL && j < work->orbits.topology->router_count; j++)
        nb_delete(work->group[j].word);
    for (int k = 0; k < work->search_count; k++) {
        nb_path_search_release(&work->search[k]);
        nb_path_mix_release(&work->mix[k]);
    }
    nb_flow_orbits_release(&work->orbits);
    nb_delete(work->path);
    nb_delete(work->word);
    nb_delete(work->crossing);
    nb_pool_release(&work->pool);
    *work = (struct flow_work){ 0 };
}

/* Prices in whole numbers, scaled to the greatest length that the class
 * permits. length: out, [channel]. */
static void flow_lengths(const struct flow_work *work, const double *price,
                         int64_t *length)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    double most = 0;
    for (size_t k = 0; k < orbits->lines.count; k++)
        most = fmax(most, price[k]);
    for (size_t c = 0; c < orbits->topology->channel_count; c++)
        length[c] = llround(price[orbits->lines.of[c]] / most *
                            (double)work->question->path_class->most_length);
}

/* Adds up the loads of the shares; returns the greatest load / band. */
static double flow_load(struct flow_work *work)
{
    const size_t lines = work->orbits.lines.count;
    double most = 0;
    for (size_t k = 0; k < lines; k++)
        work->load[k] = 0;
    for (size_t p = 0; p < work->path_count; p++) {
        const struct flow_path *path = &work->path[p];
        const double flow =
            path->share * work->demand[path->orbit] / work->unit;
        for (size_t h = path->first; flow > 0 && h < path->end; h++)
            work->load[work->crossing[h].line] +=
                flow * work->crossing[h].times;
    }
    for (size_t k = 0; k < lines; k++)
        most = fmax(most, work->load[k] / work->band[k]);
    return most;
}

/* Keeps the shares as the best; top is their greatest load / band. */
static void flow_keep(struct flow_work *work, double top)
{
    work->least_load = fmin(work->least_load, top);
    for (size_t p = 0; p < work->path_count; p++)
        work->path[p].best = work->path[p].share;
}

/* Whether the two ends differ by no more than gap. */
static bool flow_is_within(const struct flow_work *work, double gap)
{
    return work->least_load <= (1 + gap) * work->most_bound;
}

/* Searching for paths of a best flow. */

/* The length of an orbit's shortest known path. */
static int64_t search_known(const struct flow_work *work, size_t orbit)
{
    int64_t least = INT64_MAX;
    for (uint32_t p = work->newest[orbit]; p != NB_NONE;
         p = work->path[p].next) {
        const struct flow_path *path = &work->path[p];
        int64_t sum = 0;
        for (size_t h = path->first; h < path->end; h++)
            sum +=
                work->length[work->orbits.lines.first[work->crossing[h].line]] *
                work->crossing[h].times;
        least = sum < least ? sum : least;
    }
    return least;
}

/* Records the path or mixture found for an orbit. */
static enum nb_status search_note(struct flow_group *group,
                                  const struct nb_path_search *search,
                                  struct nb_path_mix *mix, size_t orbit,
                                  uint32_t source, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_path_search_mix(search, source, mix, err));
    const size_t words = FLOW_WAY_WORDS * mix->way_count + mix->channel_count;
    NB_TRY(nb_reserve(&group->word, &group->room, group->count + 2 + words,
                      sizeof *group->word, "paths found", err));
    uint32_t *word = group->word + group->count;
    *word++ = (uint32_t)orbit;
    *word++ = (uint32_t)words;
    for (size_t w = 0; w < mix->way_count; w++) {
        const struct nb_path_way *way = &mix->way[w];
        *word++ = (uint32_t)way->units;
        *word++ = way->start;
        *word++ = way->turn;
        *word++ = way->leg;
        *word++ = way->length;
        memcpy(word, mix->channel + way->first, way->length * sizeof *word);
        word += way->length;
    }
    group->count += 2 + words;
done:
    return status;
}

static enum nb_status search_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    struct flow_work *work = context;
    struct nb_path_search *search = &work->search[thread];
    struct flow_group *group = &work->group[index];
    enum nb_status status = NB_OK;
    group->count = 0;
    if (group[0].begin == group[1].begin)
        return NB_OK;
    nb_path_search_run(search, (uint32_t)index, work->length);
    for (size_t o = group[0].begin; status == NB_OK && o < group[1].begin;
         o++) {
        const uint32_t source = work->orbits.pair[o].source;
        const int64_t distance = nb_path_search_distance(search, source);
        if (distance == INT64_MAX)
            return nb_fail(err, NB_INVALID,
                           "no permitted path from router %u to %u, which "
                           "have traffic",
                           source, (uint32_t)index);
        work->distance[o] = distance;
        if (work->is_adding && distance < search_known(work, o) - work->margin)
            status =
                search_note(group, search, &work->mix[thread], o, source, err);
    }
    return status;
}

/* Adds a channel to the crossings of the present path. */
static void work_cross(struct flow_work *work, const struct flow_path *path,
                       uint32_t channel, uint32_t units)
{
    const uint32_t line = work->orbits.lines.of[channel];
    if (work->met[line] == 0) {
        work->crossing[work->crossing_count++] =
            (struct flow_crossing){ .line = line };
        work->met[line] = (uint32_t)(work->crossing_count - path->first);
    }
    work->crossing[path->first + work->met[line] - 1].times += units;
}

static void work_cross_all(struct flow_work *work, struct flow_path *path,
                           const uint32_t *word, const uint32_t *end)
{
    while (word < end) {
        const uint32_t units = word[0], length = word[FLOW_WAY_WORDS - 1];
        word += FLOW_WAY_WORDS;
        for (uint32_t h = 0; h < length; h++)
            work_cross(work, path, *word++, units);
    }
    path->end = work->crossing_count;
    for (size_t h = path->first; h < path->end; h++)
        work->met[work->crossing[h].line] = 0;
}

static enum nb_status work_add_path(struct flow_work *work, uint32_t orbit,
                                    const uint32_t *word, uint32_t count,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&work->path, &work->path_room, work->path_count + 1,
                      sizeof *work->path, "paths", err));
    NB_TRY(nb_reserve(&work->word, &work->word_room, work->word_count + count,
                      sizeof *work->word, "paths", err));
    NB_TRY(nb_reserve(&work->crossing, &work->crossing_room,
                      work->crossing_count + count, sizeof *work->crossing,
                      "paths", err));
    memcpy(work->word + work->word_count, word, count * sizeof *word);
    struct flow_path *path = &work->path[work->path_count];
    *path = (struct flow_path){
        .orbit = orbit,
        .first = work->crossing_count,
        .word = work->word_count,
        .word_end = work->word_count + count,
        .next = work->newest[orbit],
        .share = work->newest[orbit] == NB_NONE ? 1 : 0,
    };
    work_cross_all(work, path, word, word + count);
    work->newest[orbit] = (uint32_t)work->path_count++;
    work->word_count += count;
done:
    return status;
}

/* Keeps the prices if they prove more than the best. */
static void search_judge(struct flow_work *work)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    double top = 0, bottom = 0;
    for (size_t o = 0; o < orbits->pair_count; o++)
        top += work->demand[o] * (double)work->distance[o] / work->unit;
    for (size_t k = 0; k < orbits->lines.count; k++)
        bottom += work->band[k] * (double)work->length[orbits->lines.first[k]];
    if (top / bottom > work->most_bound) {
        work->most_bound = top / bottom;
        memcpy(work->best_price, work->price,
               orbits->lines.count * sizeof *work->price);
    }
}

/* Distances under work->length, set by the caller. Errors: NB_NO_MEMORY. */
static enum nb_status flow_measure(struct flow_work *work, struct nb_error *err)
{
    return nb_run_tasks(&work->run, NULL, work->orbits.topology->router_count,
                        search_task, work, err);
}

/* The gap of the bounds shrinks about equally fast in its logarithm. How far it
 * is to an exact answer is not known. */
static void search_report(struct flow_work *work)
{
    const double wanted = work->question->gap;
    const double gap = work->least_load / work->most_bound - 1;
    if (work->shown == NULL || work->shown->progress == NULL)
        return;
    if (work->first_gap == 0 && gap < INFINITY)
        work->first_gap = gap;
    if (wanted > 0 && gap < work->first_gap && work->first_gap > wanted) {
        const double share =
            log(work->first_gap / gap) / log(work->first_gap / wanted);
        const size_t done = (size_t)(1000 * fmin(share, 1));
        work->done = done > work->done ? done : work->done;
    }
    work->shown->progress(work->shown->progress_context, "best routing",
                          work->done, wanted > 0 ? 1000 : 0);
}

/*
 * Searches under the prices, adds the paths that are shorter than those known,
 * with share 0, and keeps the prices if they prove more than the best.
 *
 * added  out: number of paths
 *
 * Errors: NB_INVALID if a pair has no permitted path, naming it; NB_NO_MEMORY.
 */
static enum nb_status flow_search(struct flow_work *work, size_t *added,
                                  struct nb_error *err)
{
    const size_t before = work->path_count;
    enum nb_status status;
    flow_lengths(work, work->price, work->length);
    work->is_adding = true;
    NB_TRY(flow_measure(work, err));
    for (size_t j = 0; j < work->orbits.topology->router_count; j++) {
        const struct flow_group *group = &work->group[j];
        for (size_t at = 0; at < group->count; at += 2 + group->word[at + 1])
            NB_TRY(work_add_path(work, group->word[at], group->word + at + 2,
                                 group->word[at + 1], err));
    }
    *added = work->path_count - before;
    work->rounds++;
    search_judge(work);
    search_report(work);
done:
    work->is_adding = false;
    return status;
}

/*
 * Multiplicative weights for a best flow.
 *
 * The greatest of the relative loads u_k = load_k / band_k is smoothed to
 *
 *     Phi = 1/eta ln sum_k exp(eta u_k),
 *     max u <= Phi <= max u + ln(lines)/eta
 *
 * whose gradient gives the prices w_k / band_k, w_k = exp(eta (u_k - max u)). A
 * pair moves flow from expensive paths to its cheapest one by Newton steps, and
 * prices follow each move; searches for cheaper paths come between such sweeps.
 * eta grows as the gap closes.
 */

/* Sweeps between two searches. */
enum { WEIGHTS_SWEEPS = 16 };

/* eta is this many times ln(lines) over the remaining gap. */
#define WEIGHTS_SHARPNESS 0.5

struct weights_work {
    struct flow_work *flow;
    double eta;
    double top;      /* max u at the start of the sweep */
    double *change;  /* [line] change of load per unit of the present move */
    uint32_t *moved; /* [2 lines] the lines it changes */
    size_t moved_count;
};

static void weights_price(struct weights_work *work, size_t line)
{
    struct flow_work *flow = work->flow;
    const double band = flow->band[line];
    /* A bound on the exponent: moves may exceed the maximum of the sweep. */
    const double power =
        fmin(work->eta * (flow->load[line] / band - work->top), 500);
    flow->price[line] = exp(power) / band;
}

static double weights_cost(const struct flow_work *flow,
                           const struct flow_path *path)
{
    double cost = 0;
    for (size_t h = path->first; h < path->end; h++)
        cost += flow->price[flow->crossing[h].line] * flow->crossing[h].times;
    return cost / flow->unit;
}

static void weights_cross(struct weights_work *work,
                          const struct flow_path *path, double sign)
{
    const struct flow_work *flow = work->flow;
    for (size_t h = path->first; h < path->end; h++) {
        const struct flow_crossing *crossing = &flow->crossing[h];
        if (work->change[crossing->line] == 0)
            work->moved[work->moved_count++] = crossing->line;
        work->change[crossing->line] += sign * crossing->times / flow->unit;
    }
}

/* Moves flow from one path to a cheaper one of the same pair. */
static void weights_move(struct weights_work *work, struct flow_path *from,
                         struct flow_path *to, double fall)
{
    struct flow_work *flow = work->flow;
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
    /* Newton step, limited so that no weight changes by more than a factor
     * e. */
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
    struct flow_work *flow = work->flow;
    struct flow_path *cheapest = NULL;
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
        struct flow_path *path = &flow->path[p];
        if (path == cheapest || path->share == 0)
            continue;
        const double fall =
            weights_cost(flow, path) - weights_cost(flow, cheapest);
        if (fall > 0)
            weights_move(work, path, cheapest, fall);
    }
}

/* Recomputes loads and prices without the rounding errors of many moves. */
static void weights_refresh(struct weights_work *work, double gap)
{
    struct flow_work *flow = work->flow;
    const size_t lines = flow->orbits.lines.count;
    work->top = flow_load(flow);
    if (work->top < flow->least_load)
        flow_keep(flow, work->top);
    const double open = fmax(gap, flow->least_load / flow->most_bound - 1);
    const double eta = WEIGHTS_SHARPNESS * log((double)lines + 1) /
                       (fmin(open, 1) * flow->least_load);
    work->eta = fmax(work->eta, eta);
    for (size_t k = 0; k < lines; k++)
        weights_price(work, k);
}

/*
 * Multiplicative weights: runs until the ends are within the gap, the number of
 * searches is reached, or a search found nothing and column generation can
 * continue.
 */
static enum nb_status flow_weights_run(struct flow_work *flow, double gap,
                                       size_t most_rounds, struct nb_error *err)
{
    const size_t lines = flow->orbits.lines.count;
    struct nb_pool pool = { 0 };
    struct weights_work work = {
        .flow = flow,
        .change = nb_pool_array(&pool, lines, sizeof(double)),
        .moved = nb_pool_array(&pool, 2 * lines, sizeof(uint32_t)),
    };
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "loads", err));
    weights_refresh(&work, gap);
    for (size_t round = 0; round < most_rounds; round++) {
        size_t added;
        if (flow_is_within(flow, gap) || flow_left(flow) <= 0)
            break;
        for (int sweep = 0; sweep < WEIGHTS_SWEEPS; sweep++) {
            for (size_t o = 0; o < flow->orbits.pair_count; o++)
                weights_balance(&work, o);
            weights_refresh(&work, gap);
        }
        NB_TRY(flow_search(flow, &added, err));
        if (added == 0 && !flow->is_large)
            break;
    }
done:
    nb_pool_release(&pool);
    return status;
}

/* Column generation of a best flow. */

/* Missing paths may be shorter by up to this fraction of the greatest length: a
 * few times the error of the duals. */
#define COLUMNS_MARGIN 1e-11

/* Loads that differ by at most this fraction are equal up to rounding. */
#define COLUMNS_EQUAL 1e-9

/*
 * Rows: lines, load - band lambda <= 0, then orbits of pairs, sum of shares
 * = 1. Columns: lambda = 1 / Theta, which is minimised, then the shares.
 */
struct columns_work {
    struct flow_work *flow;
    struct nb_linear *linear;
    size_t path_count;           /* paths that have columns: column 1 + path */
    struct nb_linear_row column; /* entries of the present path, by row */
};

/* Mean hops of its packets. */
static double columns_hops(const struct flow_work *flow,
                           const struct flow_path *path)
{
    double hops = 0;
    for (size_t h = path->first; h < path->end; h++)
        hops += flow->crossing[h].times;
    return hops / flow->unit;
}

static enum nb_status columns_start(struct columns_work *work,
                                    struct nb_error *err)
{
    const struct flow_work *flow = work->flow;
    const size_t lines = flow->orbits.lines.count;
    enum nb_status status;
    NB_TRY(nb_linear_row_init(&work->column, lines + flow->orbits.pair_count,
                              err));
    NB_TRY(nb_linear_new(&work->linear, err));
    for (size_t k = 0; k < lines; k++) {
        NB_TRY(nb_linear_add_row(work->linear, NB_AT_MOST, 0, 0, NULL, NULL,
                                 NULL, err));
        nb_linear_row_put(&work->column, k, -flow->band[k]);
    }
    NB_TRY(nb_linear_row_add_column(&work->column, work->linear, 1, err));
    for (size_t o = 0; o < flow->orbits.pair_count; o++)
        NB_TRY(nb_linear_add_row(work->linear, NB_EQUAL, 1, 0, NULL, NULL, NULL,
                                 err));
done:
    return status;
}

static enum nb_status columns_add(struct columns_work *work,
                                  const struct flow_path *path,
                                  struct nb_error *err)
{
    const struct flow_work *flow = work->flow;
    for (size_t h = path->first; h < path->end; h++)
        nb_linear_row_put(&work->column, flow->crossing[h].line,
                          flow->demand[path->orbit] * flow->crossing[h].times /
                              flow->unit);
    nb_linear_row_put(&work->column, flow->orbits.lines.count + path->orbit, 1);
    return nb_linear_row_add_column(&work->column, work->linear, 0, err);
}

/* Whether the program was solved in the time left. */
static enum nb_status columns_solve(struct columns_work *work, bool *is_solved,
                                    struct nb_error *err)
{
    struct flow_work *flow = work->flow;
    struct nb_error own = { 0 };
    enum nb_linear_end end = NB_LINEAR_STOPPED;
    const enum nb_status status = nb_linear_solve(
        work->linear, NB_LINEAR_PRIMAL, flow_left(flow), &end, &own);
    *is_solved = status == NB_OK && end == NB_LINEAR_OPTIMAL;
    if (!*is_solved)
        flow_left(flow); /* records whether time is up */
    return status == NB_OK || status == NB_NO_CONVERGENCE
               ? NB_OK
               : nb_fail_again(err, status, &own);
}

/* Takes the shares from the program; they are the best unless they carry
 * less. */
static void columns_take(struct columns_work *work)
{
    struct flow_work *flow = work->flow;
    for (size_t p = 0; p < flow->path_count; p++)
        flow->path[p].share = fmax(0, nb_linear_value(work->linear, 1 + p));
    const double top = flow_load(flow);
    if (top <= flow->least_load * (1 + COLUMNS_EQUAL))
        flow_keep(flow, top);
}

/* Of the best shares those with fewest hops: paths are shorter and fewer per
 * pair, so that their common denominator is much smaller. */
static enum nb_status columns_shorten(struct columns_work *work,
                                      struct nb_error *err)
{
    const struct flow_work *flow = work->flow;
    bool is_solved;
    nb_linear_set_most(work->linear, 0, nb_linear_value(work->linear, 0));
    nb_linear_set_cost(work->linear, 0, 0);
    for (size_t p = 0; p < work->path_count; p++) {
        const struct flow_path *path = &flow->path[p];
        nb_linear_set_cost(work->linear, 1 + p,
                           flow->demand[path->orbit] *
                               columns_hops(flow, path));
    }
    const enum nb_status status = columns_solve(work, &is_solved, err);
    if (is_solved)
        columns_take(work);
    return status;
}

/*
 * Column generation: runs until no path is missing or the ends are within the
 * gap. A failure of the solver is no error: earlier results stand.
 *
 * is_solved  out: whether the shares are those of an optimal vertex, and among
 *            these of one with few hops
 */
static enum nb_status flow_columns_run(struct flow_work *flow, bool *is_solved,
                                       struct nb_error *err)
{
    struct columns_work work = { .flow = flow };
    const double gap = flow->question->gap;
    size_t added = 1;
    enum nb_status status;
    *is_solved = false;
    flow->margin =
        (int64_t)(COLUMNS_MARGIN * 0x1p40) * flow->question->path_class->unit;
    NB_TRY(columns_start(&work, err));
    while (added > 0) {
        for (; work.path_count < flow->path_count; work.path_count++)
            NB_TRY(columns_add(&work, &flow->path[work.path_count], err));
        NB_TRY(columns_solve(&work, is_solved, err));
        if (!*is_solved)
            goto done;
        columns_take(&work);
        for (size_t k = 0; k < flow->orbits.lines.count; k++)
            flow->price[k] = fmax(0, nb_linear_dual(work.linear, k));
        NB_TRY(flow_search(flow, &added, err));
        *is_solved = added == 0;
        if (!*is_solved && gap > 0 && flow_is_within(flow, gap))
            goto done;
    }
    NB_TRY(columns_shorten(&work, err));
done:
    nb_linear_release(&work.linear);
    nb_linear_row_release(&work.column);
    return status;
}

/* A best flow in whole numbers. */

/* Greatest sum of weights. Averaging over a group multiplies it; for a scheme,
 * which is not averaged, the unit does. */
#define ROUND_SUM        ((int64_t)1 << 31)
#define ROUND_SCHEME_SUM ((int64_t)1 << 53)

/* Tolerances for reading values as ratios. 0: as multiples of 1 / limit, which
 * always works and is the only choice without a vertex. */
static const double round_tolerances[] = { 1e-7, 1e-9, 1e-11, 1e-13, 0 };
enum { ROUND_WAYS = sizeof round_tolerances / sizeof *round_tolerances };

struct round_work {
    struct flow_work *flow;
    size_t first_way;
    double *value;   /* [path or line] */
    int64_t *whole;  /* [path or line] */
    uint32_t *orbit; /* [path of a table] */
};

/* Corrects the sum of each pair's weights: the difference goes to the path of
 * greatest weight. False if that path is left without weight. */
static bool round_complete(const struct round_work *work, int64_t sum)
{
    const struct flow_work *flow = work->flow;
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

/* Adds the paths of a mixture to a table. */
static enum nb_status round_ways(const struct round_work *work,
                                 const struct flow_path *path, int64_t whole,
                                 struct nb_path_table *table,
                                 struct nb_error *err)
{
    const struct flow_work *flow = work->flow;
    const struct nb_flow_pair *pair = &flow->orbits.pair[path->orbit];
    for (size_t at = path->word; at < path->word_end;) {
        const uint32_t *word = flow->word + at;
        const uint32_t length = word[FLOW_WAY_WORDS - 1];
        work->orbit[table->path_count] = path->orbit;
        const enum nb_status status = nb_path_table_add(
            table, pair->source, pair->destination, (uint64_t)(whole * word[0]),
            word + FLOW_WAY_WORDS, length, err);
        if (status != NB_OK)
            return status;
        table->path[table->path_count - 1].start = word[1];
        table->path[table->path_count - 1].turn = word[2];
        table->path[table->path_count - 1].leg = word[3];
        at += FLOW_WAY_WORDS + length;
    }
    return NB_OK;
}

static enum nb_status round_table(const struct round_work *work,
                                  struct nb_path_table *table,
                                  struct nb_error *err)
{
    const struct flow_work *flow = work->flow;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < flow->path_count && status == NB_OK; p++)
        if (work->whole[p] > 0)
            status =
                round_ways(work, &flow->path[p], work->whole[p], table, err);
    return status;
}

/* Number of table paths of all mixtures. */
static size_t round_way_count(const struct flow_work *flow)
{
    size_t count = 0;
    for (size_t p = 0; p < flow->path_count; p++)
        for (size_t at = flow->path[p].word; at < flow->path[p].word_end;
             count++)
            at += FLOW_WAY_WORDS + flow->word[at + FLOW_WAY_WORDS - 1];
    return count;
}

/* The table with the highest throughput. */
static enum nb_status round_paths(struct round_work *work,
                                  struct nb_path_table *paths,
                                  struct nb_error *err)
{
    const struct flow_work *flow = work->flow;
    const struct nb_path_class *class = flow->question->path_class;
    const int64_t most =
        class->scheme == NULL ? ROUND_SUM : ROUND_SCHEME_SUM / class->unit;
    struct nb_path_table table = { 0 };
    struct nb_enclosure best = { 0 }, carried;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < flow->path_count; p++)
        work->value[p] = flow->path[p].best;
    for (size_t way = work->first_way; way < ROUND_WAYS; way++) {
        const int64_t sum =
            nb_whole_find(flow->path_count, work->value, round_tolerances[way],
                          most, work->whole);
        if (sum == 0 || !round_complete(work, sum))
            continue;
        NB_TRY(round_table(work, &table, err));
        NB_TRY(nb_flow_carried(&flow->orbits, &table, work->orbit,
                               sum * class->unit, &carried, NULL, err));
        if (carried.lower > best.lower) {
            const struct nb_path_table other = *paths;
            *paths = table;
            table = other;
            best = carried;
        }
        nb_path_table_release(&table);
    }
    nb_path_table_sort(paths);
    nb_path_table_unite(paths);
done:
    nb_path_table_release(&table);
    return status;
}

/* The lengths with the lowest bound. */
static enum nb_status round_lengths(struct round_work *work, int64_t *length,
                                    struct nb_error *err)
{
    struct flow_work *flow = work->flow;
    const struct nb_flow_orbits *orbits = &flow->orbits;
    const size_t channels = orbits->topology->channel_count;
    double most = 0, best = INFINITY;
    enum nb_status status = NB_OK;
    for (size_t k = 0; k < orbits->lines.count; k++)
        most = fmax(most, flow->best_price[k]);
    for (size_t k = 0; k < orbits->lines.count; k++)
        work->value[k] = flow->best_price[k] / most;
    for (size_t way = work->first_way; way < ROUND_WAYS; way++) {
        if (nb_whole_find(
                orbits->lines.count, work->value, round_tolerances[way],
                flow->question->path_class->most_length, work->whole) == 0)
            continue;
        for (size_t c = 0; c < channels; c++)
            flow->length[c] = work->whole[orbits->lines.of[c]];
        NB_TRY(flow_measure(flow, err));
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

/*
 * The best shares and prices in whole numbers: of several roundings, those that
 * prove most.
 *
 * is_vertex  whether they come from a vertex of the linear program, so that
 *            they are ratios
 * paths      out
 * length     out, [channel]
 */
static enum nb_status flow_round(struct flow_work *flow, bool is_vertex,
                                 struct nb_path_table *paths, int64_t *length,
                                 struct nb_error *err)
{
    const size_t lines = flow->orbits.lines.count;
    const size_t most = flow->path_count > lines ? flow->path_count : lines;
    struct nb_pool pool = { 0 };
    struct round_work work = {
        .flow = flow,
        .first_way = is_vertex ? 0 : ROUND_WAYS - 1,
        .value = nb_pool_array(&pool, most, sizeof(double)),
        .whole = nb_pool_array(&pool, most, sizeof(int64_t)),
        .orbit = nb_pool_array(&pool, round_way_count(flow), sizeof(uint32_t)),
    };
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "weights", err));
    NB_TRY(round_paths(&work, paths, err));
    NB_TRY(round_lengths(&work, length, err));
done:
    nb_pool_release(&pool);
    return status;
}

/* Multiplicative weights come first: they find most of the paths, and quickly a
 * routing close to the best. They stop at this gap or number of searches. */
#define FLOW_START_GAP 0.1

enum { FLOW_START_ROUNDS = 30 };

/* Limits where only they are used. */
#define FLOW_LARGE_GAP 0.01

enum { FLOW_LARGE_ROUNDS = 1000 };

static enum nb_status flow_solve(struct flow_work *work, bool *is_vertex,
                                 struct nb_error *err)
{
    const double gap = work->question->gap;
    bool is_solved = false;
    size_t added;
    enum nb_status status;
    NB_TRY(flow_search(work, &added, err));
    flow_keep(work, flow_load(work));
    if (!work->is_large) {
        NB_TRY(flow_weights_run(work, gap > 0 ? gap : FLOW_START_GAP,
                                FLOW_START_ROUNDS, err));
        if (gap == 0 || !flow_is_within(work, gap))
            NB_TRY(flow_columns_run(work, &is_solved, err));
        /* If the solver failed, only they remain. */
        work->is_large = true;
    }
    *is_vertex = is_solved;
    if (!is_solved)
        NB_TRY(flow_weights_run(work, gap > 0 ? gap : FLOW_LARGE_GAP,
                                FLOW_LARGE_ROUNDS, err));
done:
    return status;
}

enum nb_status nb_best_flow_find(const struct nb_best_flow_question *question,
                                 const struct nb_run *run,
                                 struct nb_best_flow *out, struct nb_error *err)
{
    struct flow_work work = { 0 };
    bool is_vertex = false;
    enum nb_status status;
    *out = (struct nb_best_flow){ 0 };
    NB_TRY(nb_flow_check_question(question, err));
    const size_t channels = question->topology->channel_count;
    NB_TRY(flow_work_init(question, run, &work, err));
    NB_TRY(nb_new(&out->length, channels, sizeof *out->length, "lengths", err));
    for (size_t c = 0; c < channels; c++)
        out->length[c] = 1;
    if (work.orbits.pair_count > 0) {
        NB_TRY(flow_solve(&work, &is_vertex, err));
        NB_TRY(flow_round(&work, is_vertex, &out->paths, out->length, err));
    }
    out->rounds = work.rounds;
    out->was_stopped = work.was_stopped;
    NB_TRY(nb_flow_check_claim(question, &work.orbits, out, err));
done:
    flow_work_release(&work);
    if (status != NB_OK)
        nb_best_flow_release(out);
    return status;
}

void nb_best_flow_release(struct nb_best_flow *flow)
{
    nb_path_table_release(&flow->paths);
    nb_delete(flow->length);
    *flow = (struct nb_best_flow){ 0 };
}
