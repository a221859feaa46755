#include "bounds/worst_case/single_worst.h"

#include "bounds/matching/cardinality.h"
#include "bounds/matching/matching.h"
#include "core/memory.h"
#include "core/try.h"

#include <stdlib.h>
#include <string.h>

/* A channel and the maximum number of a permutation's pairs on it, times
 * ways. */
struct worst_channel {
    uint32_t channel;
    uint64_t most;
    struct nb_ratio share; /* most / ways / bandwidth */
};

struct worst_work {
    const struct nb_single_paths *paths;
    size_t terminals;
    size_t *first; /* [count + 1] terminals of endpoints before this one */
    /* Pairs by channel: those of a channel begin at
     * pair[pair_start[channel]]. */
    uint32_t *pair;
    size_t *pair_start; /* [channel + 1] */
    /* [count] The greatest number of paths over the channel of a pair with this
     * source, or with this destination. */
    uint32_t *by_source, *by_destination;
    size_t *row_start;
    uint32_t *column;
    uint32_t *match;
    bool *left, *right;
    /* With several paths per pair: [destination * terminals + source] number of
     * paths over a channel, and the duals of the matching. */
    int64_t *weight, *dual;
    struct worst_channel *order; /* [channel_count] */
    struct nb_pool pool;
};

static enum nb_status worst_init(struct worst_work *work, struct nb_error *err)
{
    const struct nb_single_paths *paths = work->paths;
    const size_t n = paths->count, pairs = n * n;
    const size_t channels = paths->topology->channel_count;
    const char *what = "pairs of channels";
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    if (n > UINT16_MAX)
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "%zu routers have terminals (permitted: up to %d)", n,
                       UINT16_MAX));
    NB_TRY(nb_memory_require((double)paths->start[pairs] * sizeof *work->pair,
                             what, err));
    work->first = nb_pool_array(pool, n + 1, sizeof *work->first);
    work->pair = nb_pool_array(pool, paths->start[pairs], sizeof *work->pair);
    work->pair_start =
        nb_pool_array(pool, channels + 2, sizeof *work->pair_start);
    work->by_source = nb_pool_array(pool, n, sizeof *work->by_source);
    work->by_destination = nb_pool_array(pool, n, sizeof *work->by_destination);
    work->order = nb_pool_array(pool, channels, sizeof *work->order);
    NB_TRY(nb_pool_check(pool, what, err));
    for (size_t i = 0; i < n; i++)
        work->first[i + 1] =
            work->first[i] + paths->topology->terminals[paths->endpoint[i]];
    work->terminals = work->first[n];
    work->row_start =
        nb_pool_array(pool, work->terminals + 1, sizeof *work->row_start);
    work->match = nb_pool_array(pool, work->terminals, sizeof *work->match);
    work->left = nb_pool_array(pool, work->terminals, sizeof *work->left);
    work->right = nb_pool_array(pool, work->terminals, sizeof *work->right);
    NB_TRY(nb_pool_check(pool, "matching", err));
done:
    return status;
}

/* Sorts the pairs by channel, keeping their order within each. */
static void worst_sort(struct worst_work *work)
{
    const struct nb_single_paths *paths = work->paths;
    const size_t pairs = paths->count * paths->count;
    for (size_t k = 0; k < paths->start[pairs]; k++)
        work->pair_start[paths->channel[k] + 2]++;
    for (size_t c = 0; c < paths->topology->channel_count; c++)
        work->pair_start[c + 2] += work->pair_start[c + 1];
    for (size_t pair = 0; pair < pairs; pair++)
        for (size_t k = paths->start[pair]; k < paths->start[pair + 1]; k++)
            work->pair[work->pair_start[paths->channel[k] + 1]++] =
                (uint32_t)pair;
}

/* The number of paths of an entry's pair over the channel; the entries of a
 * pair follow each other. */
static uint32_t worst_ways(const struct worst_work *work, uint32_t channel,
                           size_t entry)
{
    size_t end = entry;
    while (end < work->pair_start[channel + 1] &&
           work->pair[end] == work->pair[entry])
        end++;
    return (uint32_t)(end - entry);
}

/* The smaller of the sums over terminals that send, and that receive, over a
 * channel. */
static uint64_t worst_most(struct worst_work *work, uint32_t channel)
{
    const size_t n = work->paths->count;
    uint64_t sources = 0, destinations = 0;
    uint32_t ways;
    memset(work->by_source, 0, n * sizeof *work->by_source);
    memset(work->by_destination, 0, n * sizeof *work->by_destination);
    for (size_t k = work->pair_start[channel];
         k < work->pair_start[channel + 1]; k += ways) {
        const size_t j = work->pair[k] / n, i = work->pair[k] % n;
        ways = worst_ways(work, channel, k);
        if (ways > work->by_source[i]) {
            sources += (ways - work->by_source[i]) *
                       (work->first[i + 1] - work->first[i]);
            work->by_source[i] = ways;
        }
        if (ways > work->by_destination[j]) {
            destinations += (ways - work->by_destination[j]) *
                            (work->first[j + 1] - work->first[j]);
            work->by_destination[j] = ways;
        }
    }
    return sources < destinations ? sources : destinations;
}

static int worst_compare(const void *left, const void *right)
{
    const struct worst_channel *a = left, *b = right;
    const int by_share = nb_ratio_compare(b->share, a->share);
    return by_share != 0
               ? by_share
               : (a->channel > b->channel) - (a->channel < b->channel);
}

/* The largest set of a channel's pairs of terminals with no common end; a row
 * is a destination. */
static enum nb_status worst_match(struct worst_work *work, uint32_t channel,
                                  size_t *size, struct nb_error *err)
{
    const size_t n = work->paths->count;
    size_t edges = 0, row = 0;
    enum nb_status status;
    for (size_t k = work->pair_start[channel];
         k < work->pair_start[channel + 1]; k++) {
        const size_t j = work->pair[k] / n, i = work->pair[k] % n;
        edges += (work->first[i + 1] - work->first[i]) *
                 (work->first[j + 1] - work->first[j]);
    }
    NB_TRY(nb_grow(&work->column, edges + 1, sizeof *work->column, "matching",
                   err));
    edges = 0;
    size_t k = work->pair_start[channel];
    while (row < work->terminals) {
        work->row_start[row] = edges;
        while (k < work->pair_start[channel + 1] &&
               work->first[work->pair[k] / n + 1] <= row)
            k++;
        for (size_t e = k; e < work->pair_start[channel + 1] &&
                           work->first[work->pair[e] / n] <= row;
             e++) {
            const size_t i = work->pair[e] % n;
            for (size_t t = work->first[i]; t < work->first[i + 1]; t++)
                work->column[edges++] = (uint32_t)t;
        }
        row++;
    }
    work->row_start[row] = edges;
    NB_TRY(nb_cardinality_matching(work->terminals, work->terminals,
                                   work->row_start, work->column, work->match,
                                   work->left, work->right, size, err));
done:
    return status;
}

/* The same set of greatest weight, where a pair weighs as many paths as it has
 * over the channel. */
static enum nb_status worst_weigh(struct worst_work *work, uint32_t channel,
                                  size_t *size, struct nb_error *err)
{
    const size_t n = work->paths->count, t = work->terminals;
    int64_t total = 0;
    enum nb_status status = NB_OK;
    if (work->weight == NULL) {
        NB_TRY(nb_memory_require((double)t * (double)t * sizeof *work->weight,
                                 "matching", err));
        work->weight = nb_pool_array(&work->pool, t * t, sizeof *work->weight);
        work->dual = nb_pool_array(&work->pool, 2 * t, sizeof *work->dual);
        NB_TRY(nb_pool_check(&work->pool, "matching", err));
    }
    memset(work->weight, 0, t * t * sizeof *work->weight);
    for (size_t k = work->pair_start[channel];
         k < work->pair_start[channel + 1]; k++) {
        const size_t j = work->pair[k] / n, i = work->pair[k] % n;
        for (size_t row = work->first[j]; row < work->first[j + 1]; row++)
            for (size_t s = work->first[i]; s < work->first[i + 1]; s++)
                work->weight[row * t + s]++;
    }
    NB_TRY(nb_matching_integer(t, work->weight, NULL, work->match, work->dual,
                               work->dual + t, &total, err));
    *size = (size_t)total;
done:
    return status;
}

static enum nb_status worst_search(struct worst_work *work,
                                   struct nb_single_worst *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = work->paths->topology;
    const uint32_t ways = work->paths->ways;
    enum nb_status status = NB_OK;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct worst_channel *order = &work->order[c];
        order->channel = c;
        order->most = worst_most(work, c);
        order->share =
            nb_ratio_divide(nb_ratio_make((nb_int128)order->most, ways),
                            topology->channels[c].bandwidth);
    }
    qsort(work->order, topology->channel_count, sizeof *work->order,
          worst_compare);
    for (size_t i = 0; i < topology->channel_count; i++) {
        const struct worst_channel *order = &work->order[i];
        size_t size = 0;
        if (nb_ratio_compare(order->share, out->share) <= 0)
            break;
        NB_TRY(ways == 1 ? worst_match(work, order->channel, &size, err)
                         : worst_weigh(work, order->channel, &size, err));
        out->matchings++;
        const struct nb_ratio load = nb_ratio_make((nb_int128)size, ways);
        const struct nb_ratio share =
            nb_ratio_divide(load, topology->channels[order->channel].bandwidth);
        if (nb_ratio_compare(share, out->share) <= 0)
            continue;
        out->share = share;
        out->load = load;
        out->channel = order->channel;
    }
done:
    return status;
}

enum nb_status nb_single_worst_find(const struct nb_single_paths *paths,
                                    struct nb_single_worst *out,
                                    struct nb_error *err)
{
    struct worst_work work = { .paths = paths };
    enum nb_status status;
    *out = (struct nb_single_worst){ .channel = NB_NONE,
                                     .load = nb_ratio_zero,
                                     .share = nb_ratio_zero };
    NB_TRY(worst_init(&work, err));
    worst_sort(&work);
    NB_TRY(worst_search(&work, out, err));
done:
    nb_delete(work.column);
    nb_pool_release(&work.pool);
    return status;
}
