#include "optimum/best_average.h"

#include "bounds/linear/linear.h"
#include "optimum/oblivious_program.h"
#include "optimum/whole.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/random.h"
#include "routing/routing.h"
#include "topology/automorphisms.h"

#include <math.h>
#include <stdlib.h>

/* A question, its sample and the orbits of its network. Owns them; must not be
 * moved: `here` borrows `plain`. */
struct average_case {
    const struct nb_average_question *question;
    struct nb_oblivious_question plain;
    struct nb_oblivious_case here;
    struct nb_pool pool;
    size_t terminal_count;
    /* [permutation * terminal_count + terminal] source * e + destination of its
     * packets, as places of routers; NB_NONE: both at one router. */
    uint32_t *pair;
    struct nb_ratio least; /* g from the terminals' own channels: >= 0 */
    /* Mean over permutations of the greater of `least` and hops / bandwidth of
     * all channels: a lower bound for every routing. */
    struct nb_enclosure by_hops;
    bool is_group_partial;
    const char *kept_by;
};

/* The cell of a terminal's packets on a channel under a permutation; SIZE_MAX
 * if they never leave their router. */
static inline size_t average_cell(const struct average_case *average,
                                  size_t permutation, size_t terminal,
                                  size_t channel)
{
    const uint32_t pair =
        average->pair[permutation * average->terminal_count + terminal];
    const size_t m = average->here.topology->channel_count;
    return pair == NB_NONE ? SIZE_MAX : average->here.cell[pair * m + channel];
}

enum { AVERAGE_SCALE = 1 << 20 }; /* limit of average_unite for lengths */

/* A row of the program: load of a channel under a permutation. */
struct average_row {
    uint32_t permutation;
    uint32_t channel;
    size_t row;
};

enum { AVERAGE_EACH = 8 }; /* rows added per permutation and round */

/*
 * The program: flows, one variable per permutation for the excess of its g over
 * the least, and the rows added so far; and values of the best solutions found.
 * Owns its arrays.
 */
struct average_program {
    const struct average_case *average;
    struct nb_oblivious_program flows;
    struct nb_pool pool; /* all arrays except rows and weight, which grow */
    size_t first;        /* variable of permutation 0 */
    struct nb_linear_row row;
    size_t row_count, row_room, weight_room;
    struct average_row *rows;
    bool *has_row; /* [permutation * channel_count + channel] */
    /* Flows with the least sum of g so far, and the last duals. */
    bool has_flow;
    double sum;
    double *flow; /* [first] */
    size_t weight_count;
    double *weight; /* [weight_room] of the first weight_count rows */
    /* Scratch of the search. */
    double *value;   /* [pair_count * channel_count] flow of a cell */
    double *peak;    /* [permutation] g under these flows */
    uint32_t *worst; /* [permutation * AVERAGE_EACH] channels, or NB_NONE */
};

/* The best paths and weights so far, and what they prove. */
struct average_found {
    const struct average_case *average;
    const struct nb_run *run;
    const struct average_program *program; /* the program whose rows have
                                            * weights */
    struct nb_best_average best;           /* paths and weights; owned */
    bool has_routing;
    struct nb_enclosure lower; /* of the mean load; best has the upper end */
};

/* The sample and the cells of its packets. */

enum {
    SAMPLE_PERMUTATIONS = 100000,
    SAMPLE_ADDITIONS = 1 << 20, /* about a millisecond */
};

static struct nb_oblivious_question
sample_plain(const struct nb_average_question *question)
{
    return (struct nb_oblivious_question){
        .topology = question->topology,
        .path_class = question->path_class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .most_load = nb_ratio_one,
        .seconds = INFINITY,
    };
}

/* Marks the channels on shortest paths by the lengths of route tables. way:
 * out, [destination * channel_count + channel] */
static enum nb_status sample_mark_ways(const struct nb_topology *topology,
                                       bool *way, struct nb_error *err)
{
    const size_t m = topology->channel_count;
    struct nb_route_table table;
    uint32_t *queue = NULL;
    enum nb_status status = nb_route_table_init(topology, &table, err);
    NB_TRY(status);
    NB_TRY(
        nb_new(&queue, topology->router_count, sizeof *queue, "routers", err));
    for (uint32_t to = 0; to < topology->router_count; to++) {
        nb_ways_to(topology, to, table.distance, queue);
        for (uint32_t c = 0; c < m; c++)
            way[to * m + c] = nb_is_on_the_way(topology, &table, c);
    }
done:
    nb_delete(queue);
    nb_route_table_release(&table);
    return status;
}

/* Whether the symmetry maps shortest paths to shortest paths. */
static enum nb_status sample_keeps_ways(const struct nb_topology *topology,
                                        const struct nb_symmetry *symmetry,
                                        bool *is_kept, struct nb_error *err)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    bool *way = NULL;
    enum nb_status status = NB_OK;
    *is_kept = true;
    NB_TRY(nb_memory_require((double)n * (double)m, "shortest paths", err));
    NB_TRY(nb_new(&way, n * m, sizeof *way, "shortest paths", err));
    NB_TRY(sample_mark_ways(topology, way, err));
    for (size_t g = 0; g < symmetry->generator_count; g++)
        for (size_t to = 0; to < n; to++)
            for (size_t c = 0; c < m; c++)
                *is_kept =
                    *is_kept &&
                    way[to * m + c] == way[symmetry->router[g * n + to] * m +
                                           symmetry->channel[g * m + c]];
done:
    nb_delete(way);
    return status;
}

/* Most classes of paths depend only on the channels of a network; shortest
 * paths may count global channels first, and two-turn paths use dimensions. */
static enum nb_status
sample_find_group(const struct nb_average_question *question,
                  struct nb_symmetry *out, bool *is_partial,
                  const char **kept_by, struct nb_error *err)
{
    const struct nb_oblivious_question plain = sample_plain(question);
    const struct nb_topology *topology = question->topology;
    bool is_whole, is_kept = true;
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ 0 };
    *is_partial = false;
    NB_TRY(nb_path_class_check(question->path_class, topology, err));
    *kept_by = "every symmetry of the dimensions";
    if (question->path_class->paths == NB_PATHS_TWO_TURN)
        return nb_best_oblivious_symmetry(&plain, out, err);
    *kept_by = "every automorphism of the network";
    NB_TRY(nb_automorphisms_find(topology, NB_KEEPING_CHANNELS, out, &is_whole,
                                 err));
    if (question->path_class->paths == NB_PATHS_MINIMAL &&
        topology->groups.counts_global_first)
        NB_TRY(sample_keeps_ways(topology, out, &is_kept, err));
    if (!is_kept) {
        nb_symmetry_release(out);
        *kept_by = "every automorphism of the network and its global channels";
        NB_TRY(nb_automorphisms_find(topology, NB_KEEPING_GROUPS, out,
                                     &is_whole, err));
    }
    *is_partial = !is_whole;
done:
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}

enum nb_status
nb_best_average_symmetry(const struct nb_average_question *question,
                         struct nb_symmetry *out, struct nb_error *err)
{
    bool is_partial;
    const char *kept_by;
    return sample_find_group(question, out, &is_partial, &kept_by, err);
}

/* Draws the permutations of nb_permutation_sample_draw. */
static enum nb_status sample_draw(struct average_case *average,
                                  struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const struct nb_topology *topology = average->here.topology;
    const size_t n = average->terminal_count;
    struct nb_pool pool = { 0 };
    uint32_t *place = nb_pool_array(&pool, n, sizeof *place);
    uint32_t *permutation = nb_pool_array(&pool, n, sizeof *permutation);
    size_t next = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&pool, "a permutation", err));
    for (size_t i = 0; i < here->e; i++)
        for (uint32_t t = 0; t < topology->terminals[here->endpoint[i]]; t++)
            place[next++] = (uint32_t)i;
    for (size_t x = 0; x < average->question->count; x++) {
        struct nb_random random;
        nb_random_init(&random, average->question->seed, x);
        nb_random_permutation(&random, (uint32_t)n, permutation);
        for (size_t t = 0; t < n; t++) {
            const uint32_t from = place[t], to = place[permutation[t]];
            average->pair[x * n + t] =
                from == to ? NB_NONE : (uint32_t)(from * here->e + to);
        }
    }
done:
    nb_pool_release(&pool);
    return status;
}

/* Hops per packet of every pair: [pair_count]. */
static enum nb_status sample_count_hops(const struct nb_oblivious_case *here,
                                        int64_t *hops, struct nb_error *err)
{
    struct nb_path_search search = { 0 };
    const enum nb_status status =
        nb_path_search_init(here->question->path_class, &search, err);
    for (size_t i = 0; i < here->pair_count && status == NB_OK; i++) {
        const size_t pair = here->pair[i];
        nb_path_search_run(&search, nb_oblivious_destination(here, pair), NULL);
        hops[i] =
            nb_path_search_distance(&search, nb_oblivious_source(here, pair));
    }
    nb_path_search_release(&search);
    return status;
}

static enum nb_status sample_find_hops(struct average_case *average,
                                       struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const struct nb_topology *topology = here->topology;
    const size_t n = average->terminal_count, count = average->question->count;
    struct nb_enclosure all = nb_enclosure_of_whole(0), sum = all;
    int64_t *hops = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&hops, here->pair_count, sizeof *hops, "hops", err));
    NB_TRY(sample_count_hops(here, hops, err));
    for (uint32_t c = 0; c < topology->channel_count; c++)
        all = nb_enclosure_add(
            all, nb_enclosure_of_ratio(topology->channels[c].bandwidth));
    for (size_t x = 0; x < count; x++) {
        nb_int128 crossed = 0;
        for (size_t t = 0; t < n; t++) {
            const uint32_t pair = average->pair[x * n + t];
            if (pair != NB_NONE)
                crossed += hops[here->index[pair]];
        }
        struct nb_enclosure peak = nb_enclosure_of_ratio(average->least);
        if (crossed > 0)
            peak = nb_enclosure_most(
                peak, nb_enclosure_divide(nb_whole_quotient(crossed, 1), all));
        sum = nb_enclosure_add(sum, peak);
    }
    average->by_hops =
        nb_enclosure_divide(sum, nb_enclosure_of_whole((uint32_t)count));
done:
    nb_delete(hops);
    return status;
}

static void average_case_release(struct average_case *here)
{
    nb_oblivious_case_release(&here->here);
    nb_pool_release(&here->pool);
    *here = (struct average_case){ 0 };
}

/* Errors: NB_NO_MEMORY; NB_OVERFLOW: that of nb_oblivious_case_init. */
static enum nb_status
average_case_init(const struct nb_average_question *question,
                  struct average_case *out, struct nb_error *err)
{
    const char *what = "a sample of permutations";
    struct nb_symmetry symmetry;
    enum nb_status status = NB_OK;
    *out = (struct average_case){ .question = question,
                                  .plain = sample_plain(question) };
    if (question->count < 1 || question->count > SAMPLE_PERMUTATIONS ||
        isnan(question->seconds))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%zu permutations in %g seconds (permitted: 1 to %d, "
                       "any number of seconds)",
                       question->count, question->seconds,
                       SAMPLE_PERMUTATIONS));
    NB_TRY(sample_find_group(question, &symmetry, &out->is_group_partial,
                             &out->kept_by, err));
    NB_TRY(
        nb_oblivious_case_init_group(&out->plain, &symmetry, &out->here, err));
    const size_t n = question->topology->terminal_count;
    out->terminal_count = n;
    out->least = nb_ratio_divide(
        nb_ratio_one, nb_terminal_limit(question->topology, nb_ratio_one));
    NB_TRY(nb_memory_require(4.0 * (double)question->count * (double)n, what,
                             err));
    out->pair =
        nb_pool_array(&out->pool, question->count * n, sizeof *out->pair);
    NB_TRY(nb_pool_check(&out->pool, what, err));
    NB_TRY(sample_draw(out, err));
    NB_TRY(sample_find_hops(out, err));
done:
    if (status != NB_OK)
        average_case_release(out);
    return status;
}

/* Permutations per task: enough to make the cost of starting it negligible. */
static size_t average_batch(const struct average_case *average)
{
    const size_t additions =
        average->terminal_count * average->here.topology->channel_count;
    return additions < SAMPLE_ADDITIONS ? SAMPLE_ADDITIONS / additions : 1;
}

/* A common multiple of the orbit sizes of the given cells: the least one if it
 * is at most limit; else limit itself. */
static int64_t average_unite(const struct average_case *average,
                             const int64_t *given, size_t first, size_t count,
                             int64_t limit)
{
    int64_t united = 1;
    for (size_t cell = first; cell < first + count && united != 0; cell++)
        if (given[cell] > 0)
            united = nb_unite(united, average->here.alike[cell], limit);
    return united != 0 ? united : limit;
}

/* What weights prove. */

/* Maximum weight and length: a search can then add them up. */
#define WEIGHTS_MOST ((int64_t)1 << 40)

/* Weights by cell, and their sums by permutation. */
struct weights_work {
    const struct average_case *average;
    int64_t *weight; /* [cell] */
    int64_t *length; /* [channel_count] */
    struct nb_path_search search;
    struct nb_enclosure most; /* Q: greatest sum of a permutation */
    struct nb_enclosure sum;  /* over all permutations */
};

/* Checks that weights are in range, in order, and distinct. */
static enum nb_status weights_check_order(const struct weights_work *work,
                                          const struct nb_best_average *claim,
                                          struct nb_error *err)
{
    const size_t count = work->average->question->count;
    const size_t m = work->average->here.topology->channel_count;
    for (size_t w = 0; w < claim->weight_count; w++) {
        const struct nb_average_weight *given = &claim->weights[w];
        const struct nb_average_weight *before = given - (w > 0);
        if (given->permutation >= count || given->channel >= m ||
            given->weight < 1 || given->weight > WEIGHTS_MOST)
            return nb_fail(err, NB_REFUTED,
                           "a weight for channel %u and permutation %u is out "
                           "of range",
                           given->channel, given->permutation);
        if (w > 0 && (given->permutation < before->permutation ||
                      (given->permutation == before->permutation &&
                       given->channel <= before->channel)))
            return nb_fail(err, NB_REFUTED,
                           "the weight for channel %u and permutation %u is "
                           "given twice or out of order",
                           given->channel, given->permutation);
    }
    return NB_OK;
}

/* Adds a weight to the cells of all packets that may cross its channel. */
static enum nb_status weights_spread(struct weights_work *work,
                                     const struct nb_average_weight *given,
                                     struct nb_error *err)
{
    const struct average_case *average = work->average;
    for (size_t t = 0; t < average->terminal_count; t++) {
        const size_t cell =
            average_cell(average, given->permutation, t, given->channel);
        if (cell == SIZE_MAX)
            continue;
        work->weight[cell] += given->weight;
        if (work->weight[cell] > (int64_t)1 << 60)
            return nb_fail(err, NB_REFUTED,
                           "the weights for the orbit of channel %u pass 2^60",
                           given->channel);
    }
    return NB_OK;
}

static enum nb_status weights_take(struct weights_work *work,
                                   const struct nb_best_average *claim,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = work->average->here.topology;
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    enum nb_status status = NB_OK;
    work->most = work->sum = sum;
    NB_TRY(weights_check_order(work, claim, err));
    for (size_t w = 0; w < claim->weight_count; w++) {
        const struct nb_average_weight *given = &claim->weights[w];
        const struct nb_enclosure part = nb_enclosure_multiply(
            nb_enclosure_of_ratio(topology->channels[given->channel].bandwidth),
            nb_whole_quotient(given->weight, 1));
        sum = w > 0 && given->permutation == given[-1].permutation
                  ? nb_enclosure_add(sum, part)
                  : part;
        work->most = nb_enclosure_most(work->most, sum);
        work->sum = nb_enclosure_add(work->sum, part);
        NB_TRY(weights_spread(work, given, err));
    }
done:
    return status;
}

/* The shortest path of a pair, for all packets of its orbit: a channel's weight
 * is divided evenly over its orbit, rounded down if it is not a multiple of
 * 1/scale. */
static enum nb_status weights_distance(struct weights_work *work, size_t index,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->average->here;
    const size_t m = here->topology->channel_count;
    const uint32_t source = nb_oblivious_source(here, here->pair[index]);
    const uint32_t destination =
        nb_oblivious_destination(here, here->pair[index]);
    const uint32_t *cells = here->cell + here->pair[index] * m;
    const int64_t scale =
        average_unite(work->average, work->weight, index * m, m, AVERAGE_SCALE);
    for (size_t c = 0; c < m; c++) {
        const size_t cell = cells[c];
        const nb_int128 length =
            (nb_int128)work->weight[cell] * scale / here->alike[cell];
        if (length > WEIGHTS_MOST)
            return nb_fail(err, NB_REFUTED,
                           "the weights for packets from router %u to router "
                           "%u pass 2^40",
                           source, destination);
        work->length[c] = (int64_t)length;
    }
    nb_path_search_run(&work->search, destination, work->length);
    *out = nb_whole_quotient(nb_path_search_distance(&work->search, source),
                             scale);
    return NB_OK;
}

static enum nb_status weights_prove(struct weights_work *work,
                                    struct nb_enclosure *lower,
                                    struct nb_error *err)
{
    const struct average_case *average = work->average;
    const struct nb_enclosure least = nb_enclosure_of_ratio(average->least);
    const struct nb_enclosure all = nb_enclosure_multiply(
        work->most, nb_enclosure_of_whole((uint32_t)average->question->count));
    /* The part of Q that a permutation's weights leave over counts with the
     * least g. */
    struct nb_enclosure sum =
        nb_enclosure_multiply(nb_enclosure_excess(all, work->sum), least);
    enum nb_status status = NB_OK;
    for (size_t index = 0; index < average->here.pair_count; index++) {
        struct nb_enclosure distance;
        NB_TRY(weights_distance(work, index, &distance, err));
        sum = nb_enclosure_add(sum, distance);
    }
    *lower = least;
    if (!nb_enclosure_is_zero(all))
        *lower = nb_enclosure_most(least, nb_enclosure_divide(sum, all));
done:
    return status;
}

/* The lower end of the mean load that weights prove. Errors: NB_REFUTED;
 * NB_NO_MEMORY. */
static enum nb_status
average_check_weights(const struct average_case *average,
                      const struct nb_best_average *claimed,
                      struct nb_enclosure *lower, struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const size_t m = here->topology->channel_count;
    struct weights_work work = { .average = average };
    enum nb_status status = NB_OK;
    struct nb_pool pool = { 0 };
    work.weight = nb_pool_array(&pool, here->pair_count * m, sizeof(int64_t));
    work.length = nb_pool_array(&pool, m, sizeof(int64_t));
    NB_TRY(nb_pool_check(&pool, "weights of channels", err));
    NB_TRY(nb_path_search_init(here->question->path_class, &work.search, err));
    NB_TRY(weights_take(&work, claimed, err));
    NB_TRY(weights_prove(&work, lower, err));
done:
    nb_pool_release(&pool);
    nb_path_search_release(&work.search);
    return status;
}

/* Loads of paths. */

/* Maximum sum of loads. */
#define CHECK_MOST ((int64_t)1 << 62)

/* Loads of the permutations, over one denominator. */
struct check_work {
    const struct average_case *average;
    size_t batch;
    int64_t *load; /* [cell] at one packet per cycle */
    int64_t denominator;
    int64_t excess; /* maximum rounding error of a sum */
    size_t kinds;
    uint32_t *kind;            /* [channel] class of its bandwidth */
    uint32_t *example;         /* [kind] a channel of it */
    int64_t *sum;              /* [thread * channel_count + channel] */
    int64_t *most;             /* [thread * channel_count + kind] */
    struct nb_enclosure *peak; /* [permutation] */
    struct nb_pool pool;
};

static enum nb_status check_reserve(struct check_work *work, size_t threads,
                                    struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->average->here;
    const size_t m = here->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    work->load = nb_pool_array(pool, here->pair_count * m, sizeof(int64_t));
    work->kind = nb_pool_array(pool, m, sizeof(uint32_t));
    work->example = nb_pool_array(pool, m, sizeof(uint32_t));
    work->peak =
        nb_pool_array(pool, work->average->question->count, sizeof *work->peak);
    work->sum = nb_pool_array(pool, threads * m, sizeof(int64_t));
    work->most = nb_pool_array(pool, threads * m, sizeof(int64_t));
    return nb_pool_check(pool, "loads of permutations", err);
}

/* Channels of equal bandwidth are compared by load only. */
static void check_find_kinds(struct check_work *work)
{
    const struct nb_topology *topology = work->average->here.topology;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        size_t k = 0;
        while (k < work->kinds &&
               nb_ratio_compare(topology->channels[work->example[k]].bandwidth,
                                topology->channels[c].bandwidth) != 0)
            k++;
        if (k == work->kinds)
            work->example[work->kinds++] = c;
        work->kind[c] = (uint32_t)k;
    }
}

/* Divides the flow on an orbit of channels evenly among them: exactly, if the
 * orbit sizes have a small common multiple, else rounded up. */
static enum nb_status check_share(struct check_work *work,
                                  const struct nb_path_table *paths,
                                  int64_t *weights, struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->average->here;
    const size_t cells = here->pair_count * here->topology->channel_count;
    const int64_t terminals = (int64_t)work->average->terminal_count;
    int64_t *flow = work->load, scale;
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_check_paths(here, paths, flow, weights, err));
    const int64_t sum = *weights > 0 ? *weights : 1;
    if (sum > CHECK_MOST / terminals)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the weights of a pair's paths add up to %lld "
                       "(permitted: at most 2^62 / %lld terminals)",
                       (long long)sum, (long long)terminals));
    scale = average_unite(work->average, flow, 0, cells,
                          CHECK_MOST / terminals / sum);
    work->denominator = sum * scale;
    for (size_t cell = 0; cell < cells; cell++) {
        if (flow[cell] == 0)
            continue;
        const nb_int128 share = (nb_int128)flow[cell] * scale;
        const int64_t alike = here->alike[cell];
        if (share % alike != 0)
            work->excess = terminals;
        flow[cell] = (int64_t)((share + alike - 1) / alike);
    }
done:
    return status;
}

/* The load for a sum in units of 1 / denominator. */
static struct nb_enclosure check_quotient(const struct check_work *work,
                                          int64_t sum)
{
    const struct nb_enclosure upper = nb_whole_quotient(sum, work->denominator);
    if (work->excess == 0 || sum == 0)
        return upper;
    const int64_t least = sum > work->excess ? sum - work->excess : 0;
    return (struct nb_enclosure){
        .lower = nb_whole_quotient(least, work->denominator).lower,
        .upper = upper.upper,
    };
}

/* The peak of one permutation. */
static struct nb_enclosure check_peak(const struct check_work *work,
                                      size_t permutation, int64_t *sum,
                                      int64_t *most)
{
    const struct average_case *average = work->average;
    const struct nb_topology *topology = average->here.topology;
    const size_t m = topology->channel_count;
    struct nb_enclosure peak = nb_enclosure_of_ratio(average->least);
    for (size_t c = 0; c < m; c++)
        sum[c] = most[c] = 0;
    for (size_t t = 0; t < average->terminal_count; t++)
        for (size_t c = 0; c < m; c++) {
            const size_t cell = average_cell(average, permutation, t, c);
            if (cell != SIZE_MAX)
                sum[c] += work->load[cell];
        }
    for (size_t c = 0; c < m; c++)
        if (sum[c] > most[work->kind[c]])
            most[work->kind[c]] = sum[c];
    for (size_t k = 0; k < work->kinds; k++)
        peak = nb_enclosure_most(
            peak, nb_enclosure_divide(
                      check_quotient(work, most[k]),
                      nb_enclosure_of_ratio(
                          topology->channels[work->example[k]].bandwidth)));
    return peak;
}

static enum nb_status check_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    const struct check_work *work = context;
    const size_t count = work->average->question->count;
    const size_t end = (index + 1) * work->batch;
    const size_t own =
        (size_t)thread * work->average->here.topology->channel_count;
    (void)err;
    for (size_t x = index * work->batch; x < end && x < count; x++)
        work->peak[x] = check_peak(work, x, work->sum + own, work->most + own);
    return NB_OK;
}

/* Means over the sample. */
static void check_conclude(const struct check_work *work,
                           struct nb_best_average *out)
{
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    const size_t count = work->average->question->count;
    const struct nb_enclosure size = nb_enclosure_of_whole((uint32_t)count);
    struct nb_enclosure load = nb_enclosure_of_whole(0), throughput = load;
    out->idle_count = 0;
    out->mean_throughput = out->least_throughput =
        nb_enclosure_of_ratio(nb_ratio_infinity);
    for (size_t x = 0; x < count; x++) {
        if (nb_enclosure_is_zero(work->peak[x])) {
            out->idle_count++;
            continue;
        }
        const struct nb_enclosure each =
            nb_enclosure_divide(one, work->peak[x]);
        load = nb_enclosure_add(load, work->peak[x]);
        throughput = nb_enclosure_add(throughput, each);
        out->least_throughput = nb_enclosure_least(out->least_throughput, each);
    }
    out->mean_load = nb_enclosure_divide(load, size);
    if (out->idle_count < count)
        out->mean_throughput = nb_enclosure_divide(
            throughput,
            nb_enclosure_of_whole((uint32_t)(count - out->idle_count)));
}

/* Sets mean load, throughputs and hops from the paths. Errors: NB_REFUTED;
 * NB_NO_MEMORY. */
static enum nb_status average_check_paths(const struct average_case *average,
                                          const struct nb_run *run,
                                          struct nb_best_average *claimed,
                                          struct nb_error *err)
{
    struct check_work work = { .average = average,
                               .batch = average_batch(average) };
    const size_t tasks =
        (average->question->count + work.batch - 1) / work.batch;
    const size_t threads = (size_t)nb_run_threads(run, tasks);
    int64_t weights;
    enum nb_status status = NB_OK;
    NB_TRY(check_reserve(&work, threads, err));
    check_find_kinds(&work);
    NB_TRY(check_share(&work, &claimed->paths, &weights, err));
    NB_TRY(nb_run_tasks(run, "permutations", tasks, check_task, &work, err));
    check_conclude(&work, claimed);
    claimed->mean_hops =
        nb_oblivious_mean_hops(&average->here, &claimed->paths, weights);
done:
    nb_pool_release(&work.pool);
    return status;
}

/* Sets the rest of what a certificate proves from the lower end of the mean
 * load. */
static void average_conclude(const struct average_case *average,
                             struct nb_enclosure lower,
                             struct nb_best_average *out)
{
    if (average->by_hops.lower > lower.lower)
        lower = average->by_hops;
    out->mean_load = nb_oblivious_span(lower, out->mean_load);
    out->pair_orbits = average->here.pair_count;
    out->is_too_large = average->here.is_too_large;
    out->is_group_partial = average->is_group_partial;
    out->kept_by = average->kept_by;
}

enum nb_status nb_best_average_check(const struct nb_average_question *question,
                                     struct nb_best_average *claimed,
                                     struct nb_error *err)
{
    struct average_case average = { 0 };
    struct nb_enclosure lower;
    enum nb_status status = NB_OK;
    NB_TRY(average_case_init(question, &average, err));
    NB_TRY(average_check_paths(&average, NULL, claimed, err));
    NB_TRY(average_check_weights(&average, claimed, &lower, err));
    average_conclude(&average, lower, claimed);
done:
    average_case_release(&average);
    return status;
}

/* The program of a best average. */

static double program_bandwidth(const struct average_program *program,
                                size_t channel)
{
    return nb_ratio_value(
        program->average->here.topology->channels[channel].bandwidth);
}

static void average_program_release(struct average_program *program)
{
    nb_oblivious_program_release(&program->flows);
    nb_linear_row_release(&program->row);
    nb_delete(program->rows);
    nb_delete(program->weight);
    nb_pool_release(&program->pool);
    *program = (struct average_program){ 0 };
}

/* Errors: NB_NO_MEMORY. */
static enum nb_status average_program_build(const struct average_case *average,
                                            struct average_program *out,
                                            struct nb_error *err)
{
    const size_t count = average->question->count;
    const size_t m = average->here.topology->channel_count;
    const size_t cells = average->here.pair_count * m;
    struct nb_pool *pool = &out->pool;
    enum nb_status status = NB_OK;
    *out = (struct average_program){ .average = average };
    NB_TRY(nb_oblivious_program_build_flows(&average->here, &out->flows, err));
    out->first = out->flows.flow_count;
    for (size_t x = 0; x < count; x++)
        NB_TRY(nb_linear_add_column(out->flows.linear, 1, INFINITY, 0, NULL,
                                    NULL, NULL, err));
    NB_TRY(nb_linear_row_init(&out->row, out->first + count, err));
    out->has_row = nb_pool_array(pool, count * m, sizeof(bool));
    out->flow = nb_pool_array(pool, out->first, sizeof(double));
    out->value = nb_pool_array(pool, cells, sizeof(double));
    out->peak = nb_pool_array(pool, count, sizeof(double));
    out->worst = nb_pool_array(pool, count * AVERAGE_EACH, sizeof(uint32_t));
    NB_TRY(nb_pool_check(pool, "the linear program", err));
done:
    if (status != NB_OK)
        average_program_release(out);
    return status;
}

/* Sets the cost of hops: the mean load per bandwidth under uniform traffic,
 * times this factor, is added to the mean of g. */
static void average_program_set_hops(struct average_program *program,
                                     double part)
{
    const struct nb_oblivious_case *here = &program->average->here;
    const struct nb_topology *topology = here->topology;
    const size_t m = topology->channel_count;
    const size_t layers = here->question->path_class->layer_count;
    double all = 0;
    for (size_t c = 0; c < m; c++)
        all += program_bandwidth(program, c);
    part *= (double)program->average->question->count /
            (all * (double)here->terminal_count);
    for (size_t cell = 0; cell < here->pair_count * m; cell++) {
        const size_t pair = here->pair[cell / m];
        const double share =
            (double)topology->terminals[nb_oblivious_source(here, pair)] *
            topology->terminals[nb_oblivious_destination(here, pair)] *
            nb_oblivious_pair_size(here, pair) * here->alike[cell];
        for (size_t layer = 0; layer < layers; layer++) {
            const size_t flow = program->flows.flow[cell * layers + layer];
            if (flow != SIZE_MAX)
                nb_linear_set_cost(program->flows.linear, flow, part * share);
        }
    }
}

/* Adds the row load of the channel - bandwidth h <= bandwidth least, for g =
 * least + h. Errors: NB_NO_MEMORY. */
static enum nb_status average_program_add_row(struct average_program *program,
                                              uint32_t permutation,
                                              uint32_t channel,
                                              struct nb_error *err)
{
    const struct average_case *average = program->average;
    const size_t m = average->here.topology->channel_count;
    const size_t layers = average->here.question->path_class->layer_count;
    const double bandwidth = program_bandwidth(program, channel);
    const char *what = "loads of permutations";
    struct average_row row = { permutation, channel, 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&program->rows, &program->row_room,
                      program->row_count + 1, sizeof *program->rows, what,
                      err));
    NB_TRY(nb_reserve(&program->weight, &program->weight_room,
                      program->row_count + 1, sizeof *program->weight, what,
                      err));
    for (size_t t = 0; t < average->terminal_count; t++) {
        const size_t cell = average_cell(average, permutation, t, channel);
        for (size_t layer = 0; layer < layers && cell != SIZE_MAX; layer++) {
            const size_t flow = program->flows.flow[cell * layers + layer];
            if (flow != SIZE_MAX)
                nb_linear_row_put(&program->row, flow, 1);
        }
    }
    nb_linear_row_put(&program->row, program->first + permutation, -bandwidth);
    NB_TRY(nb_linear_row_add(&program->row, program->flows.linear, NB_AT_MOST,
                             bandwidth * nb_ratio_value(average->least),
                             &row.row, err));
    program->rows[program->row_count++] = row;
    program->has_row[permutation * m + channel] = true;
done:
    return status;
}

/* Solving the program of a best average. */

/* A row is added if the load exceeds g by more than this fraction. */
#define SEARCH_TOLERANCE 1e-9

/* Value of every cell in the solution; negative only by rounding. */
static void search_set_values(struct average_program *program)
{
    const struct nb_oblivious_case *here = &program->average->here;
    const size_t cells = here->pair_count * here->topology->channel_count;
    const size_t layers = here->question->path_class->layer_count;
    for (size_t cell = 0; cell < cells; cell++) {
        program->value[cell] = 0;
        for (size_t layer = 0; layer < layers; layer++) {
            const size_t flow = program->flows.flow[cell * layers + layer];
            if (flow != SIZE_MAX)
                program->value[cell] +=
                    fmax(0, nb_linear_value(program->flows.linear, flow));
        }
    }
}

/* The search for violated rows, permutation by permutation. */
struct search_watch {
    struct average_program *program;
    size_t batch;
    double *load; /* [thread * channel_count + channel] per bandwidth */
};

static void search_find_loads(const struct average_program *program,
                              size_t permutation, double *load)
{
    const struct average_case *average = program->average;
    const struct nb_topology *topology = average->here.topology;
    const size_t m = topology->channel_count;
    const uint32_t *pair =
        average->pair + permutation * average->terminal_count;
    for (size_t c = 0; c < m; c++)
        load[c] = 0;
    for (size_t t = 0; t < average->terminal_count; t++)
        for (size_t c = 0; c < m && pair[t] != NB_NONE; c++)
            load[c] += program->value[average->here.cell[pair[t] * m + c]];
    for (size_t c = 0; c < m; c++)
        load[c] /= nb_ratio_value(topology->channels[c].bandwidth);
}

/* Inserts a channel into the list of the worst, by falling load; returns its
 * length. */
static size_t search_insert(const double *load, uint32_t channel,
                            uint32_t *worst, size_t count)
{
    size_t at = count;
    while (at > 0 && load[channel] > load[worst[at - 1]])
        at--;
    if (at == AVERAGE_EACH)
        return count;
    count = count < AVERAGE_EACH ? count + 1 : count;
    for (size_t i = count - 1; i > at; i--)
        worst[i] = worst[i - 1];
    worst[at] = channel;
    return count;
}

/* Finds a permutation's peak, and the most loaded channels among those whose
 * load exceeds its g and that have no row. */
static void search_look(struct average_program *program, size_t permutation,
                        double *load)
{
    const size_t m = program->average->here.topology->channel_count;
    const double least = nb_ratio_value(program->average->least);
    const double g = least + nb_linear_value(program->flows.linear,
                                             program->first + permutation);
    double *peak = &program->peak[permutation];
    uint32_t *worst = program->worst + permutation * AVERAGE_EACH;
    size_t count = 0;
    *peak = least;
    search_find_loads(program, permutation, load);
    for (uint32_t c = 0; c < m; c++) {
        *peak = fmax(*peak, load[c]);
        if (load[c] > g * (1 + SEARCH_TOLERANCE) &&
            !program->has_row[permutation * m + c])
            count = search_insert(load, c, worst, count);
    }
    while (count < AVERAGE_EACH)
        worst[count++] = NB_NONE;
}

static enum nb_status search_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    const struct search_watch *watch = context;
    const struct average_case *average = watch->program->average;
    const size_t count = average->question->count;
    const size_t channels = average->here.topology->channel_count;
    const size_t end = (index + 1) * watch->batch;
    (void)err;
    for (size_t x = index * watch->batch; x < end && x < count; x++)
        search_look(watch->program, x, watch->load + (size_t)thread * channels);
    return NB_OK;
}

static enum nb_status search_find_worst(struct average_program *program,
                                        const struct nb_run *run,
                                        struct nb_error *err)
{
    const size_t m = program->average->here.topology->channel_count;
    struct search_watch watch = { .program = program,
                                  .batch = average_batch(program->average) };
    const size_t tasks =
        (program->average->question->count + watch.batch - 1) / watch.batch;
    const size_t threads = (size_t)nb_run_threads(run, tasks);
    enum nb_status status = NB_OK;
    search_set_values(program);
    NB_TRY(nb_new(&watch.load, threads * m, sizeof(double), "loads", err));
    NB_TRY(nb_run_tasks(run, "permutations", tasks, search_task, &watch, err));
done:
    nb_delete(watch.load);
    return status;
}

/* Keeps the duals, and the flows if their mean g is the least so far. */
static void search_keep(struct average_program *program)
{
    const size_t count = program->average->question->count;
    const struct nb_linear *linear = program->flows.linear;
    double sum = 0;
    for (size_t r = 0; r < program->row_count; r++)
        program->weight[r] =
            fmax(0, nb_linear_dual(linear, program->rows[r].row));
    program->weight_count = program->row_count;
    for (size_t x = 0; x < count; x++)
        sum += program->peak[x];
    if (program->has_flow && sum >= program->sum)
        return;
    program->sum = sum;
    program->has_flow = true;
    for (size_t f = 0; f < program->first; f++)
        program->flow[f] = fmax(0, nb_linear_value(linear, f));
}

/* Solves with the present cost of hops until no load exceeds its g. */
static enum nb_status search_stage(struct average_program *program,
                                   enum nb_linear_method method,
                                   const struct nb_run *run, double deadline,
                                   enum nb_linear_end *end,
                                   struct nb_error *err)
{
    const size_t places = program->average->question->count * AVERAGE_EACH;
    size_t before;
    enum nb_status status = NB_OK;
    do {
        before = program->row_count;
        NB_TRY(nb_linear_solve(program->flows.linear, method,
                               deadline - nb_clock_now(), end, err));
        if (*end != NB_LINEAR_OPTIMAL)
            break;
        NB_TRY(search_find_worst(program, run, err));
        search_keep(program);
        for (size_t i = 0; i < places; i++)
            if (program->worst[i] != NB_NONE)
                NB_TRY(average_program_add_row(program,
                                               (uint32_t)(i / AVERAGE_EACH),
                                               program->worst[i], err));
        method = NB_LINEAR_DUAL; /* new rows make only the primal infeasible */
    } while (program->row_count > before);
done:
    return status;
}

/*
 * Solves, adding rows until no load exceeds its g, and keeps values of the best
 * solutions found.
 *
 * deadline  [s]  on the clock of nb_clock_now
 * end       out: of the last solution
 *
 * Errors: those of nb_linear_solve.
 *
 * With few rows, flows avoid them at no cost, and many simplex steps change
 * nothing. A cost of hops, lowered in stages, reaches the optimum in a small
 * part of that time. The last stage has no cost of hops, so the optimum is the
 * same, but the routing found has few hops among the best ones.
 */
static enum nb_status average_program_solve(struct average_program *program,
                                            const struct nb_run *run,
                                            double deadline,
                                            enum nb_linear_end *end,
                                            struct nb_error *err)
{
    static const double part[] = { 1, 0.1, 0.01, 0.001, 0 };
    enum nb_status status = NB_OK;
    *end = NB_LINEAR_OPTIMAL;
    for (size_t i = 0;
         i < sizeof part / sizeof part[0] && *end == NB_LINEAR_OPTIMAL; i++) {
        average_program_set_hops(program, part[i]);
        NB_TRY(search_stage(program, i > 0 ? NB_LINEAR_PRIMAL : NB_LINEAR_DUAL,
                            run, deadline, end, err));
    }
done:
    return status;
}

/* Routings from the program's flows, and others. */

/* Whether the two ends are exactly equal. */
static bool average_is_met(const void *context)
{
    const struct average_found *found = context;
    return nb_ratio_is_known(found->best.mean_load.exact) &&
           nb_ratio_is_known(found->lower.exact) &&
           nb_ratio_compare(found->best.mean_load.exact, found->lower.exact) ==
               0;
}

/* Keeps paths, taking ownership, if they are better than the best so far. */
static enum nb_status average_keep_paths(void *context,
                                         struct nb_path_table *paths,
                                         struct nb_error *err)
{
    struct average_found *found = context;
    struct nb_best_average offer = found->best;
    enum nb_status status = NB_OK;
    offer.paths = *paths;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(average_check_paths(found->average, found->run, &offer, err));
    if (!found->has_routing ||
        offer.mean_load.upper < found->best.mean_load.upper) {
        nb_path_table_release(&found->best.paths);
        found->best = offer;
        found->has_routing = true;
        offer.paths = (struct nb_path_table){ 0 };
    }
done:
    nb_path_table_release(&offer.paths);
    return status;
}

/* Weights of the program's duals. */

static int duals_compare(const void *left, const void *right)
{
    const struct nb_average_weight *a = left, *b = right;
    if (a->permutation != b->permutation)
        return a->permutation < b->permutation ? -1 : 1;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

/* Keeps weights of the rows if they prove more than the best so far. */
static enum nb_status average_keep_weights(void *context, const int64_t *whole,
                                           int64_t scale, struct nb_error *err)
{
    struct average_found *found = context;
    const struct average_row *rows = found->program->rows;
    const size_t count = found->program->weight_count;
    struct nb_best_average offer = { 0 };
    struct nb_enclosure lower;
    enum nb_status status = NB_OK;
    (void)scale; /* the proof needs only the weights */
    NB_TRY(
        nb_new(&offer.weights, count, sizeof *offer.weights, "weights", err));
    for (size_t r = 0; r < count; r++)
        if (whole[r] > 0)
            offer.weights[offer.weight_count++] =
                (struct nb_average_weight){ rows[r].permutation,
                                            rows[r].channel, whole[r] };
    qsort(offer.weights, offer.weight_count, sizeof *offer.weights,
          duals_compare);
    NB_TRY(average_check_weights(found->average, &offer, &lower, err));
    if (lower.lower > found->lower.lower) {
        nb_delete(found->best.weights);
        found->best.weights = offer.weights;
        found->best.weight_count = offer.weight_count;
        found->lower = lower;
        offer.weights = NULL;
    }
done:
    nb_delete(offer.weights);
    return status;
}

/* The greatest weight or resulting length. */
static enum nb_status duals_find_most(const struct average_case *average,
                                      const struct average_row *rows,
                                      size_t count, const double *weight,
                                      double *most, struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    struct nb_pool pool = { 0 };
    double *length = nb_pool_array(&pool, cells, sizeof *length);
    int64_t *is_used = nb_pool_array(&pool, cells, sizeof *is_used);
    enum nb_status status = NB_OK;
    *most = 1;
    NB_TRY(nb_pool_check(&pool, "lengths", err));
    for (size_t r = 0; r < count; r++) {
        *most = fmax(*most, weight[r]);
        for (size_t t = 0; t < average->terminal_count && weight[r] > 0; t++) {
            const size_t cell =
                average_cell(average, rows[r].permutation, t, rows[r].channel);
            if (cell == SIZE_MAX)
                continue;
            length[cell] += weight[r];
            is_used[cell] = 1;
        }
    }
    for (size_t cell = 0; cell < cells; cell++) {
        if (is_used[cell] == 0)
            continue;
        const int64_t scale =
            average_unite(average, is_used, cell / m * m, m, AVERAGE_SCALE);
        *most = fmax(*most, length[cell] * (double)scale / here->alike[cell]);
    }
done:
    nb_pool_release(&pool);
    return status;
}

void nb_best_average_release(struct nb_best_average *best)
{
    nb_path_table_release(&best->paths);
    nb_delete(best->weights);
    *best = (struct nb_best_average){ 0 };
}

/* Offers the flows and the duals that the program kept. */
static enum nb_status average_take(const struct average_program *program,
                                   const struct nb_oblivious_keeper *keeper,
                                   struct nb_error *err)
{
    const size_t count = program->weight_count;
    double most;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_oblivious_offer_flows(&program->flows, program->flow, keeper, err));
    NB_TRY(duals_find_most(program->average, program->rows, count,
                           program->weight, &most, err));
    NB_TRY(nb_oblivious_offer_weights(
        count, program->weight, (int64_t)((double)NB_OBLIVIOUS_ROUNDED / most),
        keeper, err));
done:
    return status;
}

/* Solves the program, if it is not too large, and offers certificates from its
 * solution; without an optimum also those that need no solution. */
static enum nb_status average_solve(double deadline,
                                    struct average_found *found,
                                    struct nb_error *err)
{
    const struct nb_oblivious_keeper keeper = { found, average_keep_paths,
                                                average_keep_weights,
                                                average_is_met };
    struct average_program program = { 0 };
    enum nb_linear_end end = NB_LINEAR_STOPPED;
    enum nb_status status = NB_OK;
    found->program = &program;
    if (!found->average->here.is_too_large) {
        NB_TRY(average_program_build(found->average, &program, err));
        NB_TRY(
            average_program_solve(&program, found->run, deadline, &end, err));
        found->best.was_stopped =
            end == NB_LINEAR_STOPPED && nb_clock_now() >= deadline;
        found->best.variables = nb_linear_column_count(program.flows.linear);
        found->best.rows = nb_linear_row_count(program.flows.linear);
    }
    if (program.has_flow)
        NB_TRY(average_take(&program, &keeper, err));
    if (end != NB_LINEAR_OPTIMAL)
        NB_TRY(
            nb_oblivious_offer_plain(&found->average->here, 1, &keeper, err));
done:
    average_program_release(&program);
    found->program = NULL;
    return status;
}

enum nb_status nb_best_average_find(const struct nb_average_question *question,
                                    const struct nb_run *run,
                                    struct nb_best_average *out,
                                    struct nb_error *err)
{
    const double deadline = nb_clock_now() + question->seconds;
    struct average_case average = { 0 };
    struct average_found found = { .average = &average };
    /* Loops over permutations are short and many: not worth reporting. */
    struct nb_run quiet = run != NULL ? *run : (struct nb_run){ 0 };
    quiet.progress = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_best_average){ 0 };
    NB_TRY(average_case_init(question, &average, err));
    found.lower = nb_enclosure_of_ratio(average.least);
    found.run = &quiet;
    NB_TRY(average_solve(deadline, &found, err));
    *out = found.best;
    found.best = (struct nb_best_average){ 0 };
    average_conclude(&average, found.lower, out);
done:
    average_case_release(&average);
    nb_best_average_release(&found.best);
    return status;
}
