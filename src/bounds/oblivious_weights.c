/* What the adversary's weights prove (declared in oblivious_work.h). */
#include "bounds/oblivious_work.h"

#include "bounds/whole.h"
#include "core/memory.h"

#include <math.h>

/* Room for checking; weight: [pair_count * channel_count], at the least of
 * channels alike. */
struct weights_work {
    const struct nb_oblivious_case *here;
    const struct nb_best_oblivious *claim;
    int64_t *weight;
    int64_t *row;    /* [e] */
    int64_t *column; /* [e] */
    int64_t *length; /* [channel_count] */
    struct nb_path_search search;
};

static enum nb_status weights_take(struct weights_work *work,
                                   const struct nb_adversary_weight *given,
                                   struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const struct nb_oblivious_orbits *orbits = &here->orbits;
    const size_t n = here->topology->router_count;
    const size_t m = here->topology->channel_count;
    const bool is_known =
        given->source < n && given->destination < n && given->channel < m &&
        given->source != given->destination &&
        orbits->place[given->source] != NB_NONE &&
        orbits->place[given->destination] != NB_NONE && given->weight >= 1 &&
        given->weight <= NB_OBLIVIOUS_MOST;
    if (!is_known)
        return nb_fail(err, NB_REFUTED,
                       "a weight for channel %u and packets from router %u to "
                       "router %u is out of range",
                       given->channel, given->source, given->destination);
    const size_t pair = orbits->place[given->source] * orbits->e +
                        orbits->place[given->destination];
    const uint32_t name = nb_oblivious_crossing(orbits, pair, given->channel);
    int64_t *at = &work->weight[here->index[name / m] * m + name % m];
    if (*at != 0)
        return nb_fail(err, NB_REFUTED,
                       "two weights are given for channel %u and packets from "
                       "router %u to router %u",
                       given->channel, given->source, given->destination);
    *at = given->weight;
    return NB_OK;
}

/* The greatest of sums / terminals of the router. */
static struct nb_enclosure weights_most(const struct nb_oblivious_case *here,
                                        const int64_t *sum,
                                        struct nb_enclosure most)
{
    for (size_t i = 0; i < here->orbits.e; i++) {
        const uint32_t terminals =
            here->topology->terminals[here->orbits.endpoint[i]];
        most = nb_enclosure_most(most, nb_whole_quotient(sum[i], terminals));
    }
    return most;
}

/* The bandwidth of a channel and all like it. */
static struct nb_enclosure
weights_bandwidth(const struct nb_oblivious_case *here, uint32_t channel)
{
    return nb_enclosure_multiply(
        nb_enclosure_of_ratio(here->topology->channels[channel].bandwidth),
        nb_enclosure_of_whole(here->orbits.channel_size[channel]));
}

/* The greatest row and column sums of one channel's weights, per terminal. */
static void weights_sum_channel(struct weights_work *work, uint32_t channel,
                                struct nb_enclosure *rows,
                                struct nb_enclosure *columns)
{
    const struct nb_oblivious_case *here = work->here;
    const struct nb_enclosure none = nb_enclosure_of_whole(0);
    const size_t e = here->orbits.e, m = here->topology->channel_count;
    for (size_t i = 0; i < e; i++)
        work->row[i] = work->column[i] = 0;
    for (size_t p = 0; p < e * e; p++) {
        if (p / e == p % e)
            continue;
        const uint32_t name = nb_oblivious_crossing(&here->orbits, p, channel);
        const int64_t weight =
            work->weight[here->index[name / m] * m + name % m];
        work->row[p / e] += weight;
        work->column[p % e] += weight;
    }
    *rows = weights_most(here, work->row, none);
    *columns = weights_most(here, work->column, none);
}

/* sum_c b_c w_c */
static struct nb_enclosure weights_total(struct weights_work *work)
{
    const struct nb_oblivious_case *here = work->here;
    const struct nb_enclosure rate =
        nb_enclosure_of_ratio(here->question->rate);
    struct nb_enclosure total = nb_enclosure_of_whole(0);
    for (uint32_t c = 0; c < here->topology->channel_count; c++) {
        struct nb_enclosure rows, columns;
        if (here->orbits.channel[c] != c)
            continue;
        weights_sum_channel(work, c, &rows, &columns);
        total = nb_enclosure_add(
            total,
            nb_enclosure_multiply(
                weights_bandwidth(here, c),
                nb_enclosure_most(nb_enclosure_divide(rows, rate), columns)));
    }
    return total;
}

/* The sum of all pairs' distances; hop: of goal NB_LEAST_MEAN_HOPS, what a
 * hop of terminals alone costs. */
static enum nb_status weights_distances(struct weights_work *work, int64_t hop,
                                        nb_int128 *sum, struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const size_t m = here->topology->channel_count;
    *sum = 0;
    for (size_t index = 0; index < here->pair_count; index++) {
        const size_t pair = here->pair[index];
        const uint32_t source = nb_oblivious_source(here, pair);
        const uint32_t destination = nb_oblivious_destination(here, pair);
        const nb_int128 each = (nb_int128)hop *
                               here->topology->terminals[source] *
                               here->topology->terminals[destination];
        for (uint32_t c = 0; c < m; c++) {
            const uint32_t name = nb_oblivious_crossing(&here->orbits, pair, c);
            const nb_int128 length = each + work->weight[index * m + name % m];
            if (length > NB_OBLIVIOUS_MOST)
                return nb_fail(err, NB_REFUTED,
                               "the weights for packets from router %u to "
                               "router %u pass 2^40",
                               source, destination);
            work->length[c] = (int64_t)length;
        }
        nb_path_search_run(&work->search, destination, work->length);
        *sum += (nb_int128)here->orbits.pair_size[pair] *
                nb_path_search_distance(&work->search, source);
    }
    return NB_OK;
}

static enum nb_status weights_prove(struct weights_work *work,
                                    struct nb_enclosure *lower,
                                    struct nb_error *err)
{
    const struct nb_oblivious_question *question = work->here->question;
    const struct nb_best_oblivious *claim = work->claim;
    const bool has_hops = question->goal == NB_LEAST_MEAN_HOPS;
    const int64_t scale = has_hops ? claim->weight_scale : 0;
    const nb_int128 terminals = (nb_int128)work->here->orbits.terminal_count;
    nb_int128 sum;
    enum nb_status status = NB_OK;
    if (has_hops && (scale < 1 || scale > NB_OBLIVIOUS_MOST))
        return nb_fail(err, NB_REFUTED,
                       "the scale of the weights is %lld (permitted: 1 to "
                       "2^40)",
                       (long long)scale);
    for (size_t i = 0; i < claim->weight_count; i++)
        NB_TRY(weights_take(work, &claim->weights[i], err));
    NB_TRY(weights_distances(work, scale, &sum, err));
    const struct nb_enclosure total = weights_total(work);
    if (has_hops)
        *lower = nb_enclosure_divide(
            nb_enclosure_excess(
                nb_whole_quotient(sum, scale),
                nb_enclosure_divide(
                    nb_enclosure_multiply(
                        nb_enclosure_of_ratio(question->most_load), total),
                    nb_whole_quotient(scale, 1))),
            nb_whole_quotient(terminals * terminals, 1));
    else if (nb_enclosure_is_zero(total))
        *lower = nb_enclosure_of_whole(0);
    else
        *lower = nb_enclosure_divide(nb_whole_quotient(sum, 1), total);
done:
    return status;
}

static enum nb_status weights_reserve(struct weights_work *work,
                                      struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const size_t m = here->topology->channel_count, e = here->orbits.e;
    const char *what = "weights of the adversary";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->weight, here->pair_count * m, sizeof(int64_t), what,
                  err));
    NB_TRY(nb_new(&work->row, e, sizeof(int64_t), what, err));
    NB_TRY(nb_new(&work->column, e, sizeof(int64_t), what, err));
    NB_TRY(nb_new(&work->length, m, sizeof(int64_t), what, err));
    NB_TRY(nb_path_search_init(here->question->class, &work->search, err));
done:
    return status;
}

static void weights_release(struct weights_work *work)
{
    nb_delete(work->weight);
    nb_delete(work->row);
    nb_delete(work->column);
    nb_delete(work->length);
    nb_path_search_release(&work->search);
}

enum nb_status nb_oblivious_check_weights(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *lower,
                                          struct nb_error *err)
{
    struct weights_work work = { .here = here, .claim = claim };
    enum nb_status status = NB_OK;
    NB_TRY(weights_reserve(&work, err));
    NB_TRY(weights_prove(&work, lower, err));
done:
    weights_release(&work);
    return status;
}

/* sum_c b_c max(A_c / rate, B_c), A and B being row and column sums. */
static struct nb_enclosure weights_at(const struct nb_oblivious_case *here,
                                      const struct nb_enclosure *rows,
                                      const struct nb_enclosure *columns,
                                      struct nb_enclosure rate)
{
    struct nb_enclosure total = nb_enclosure_of_whole(0);
    for (uint32_t c = 0; c < here->topology->channel_count; c++)
        if (here->orbits.channel[c] == c)
            total = nb_enclosure_add(
                total, nb_enclosure_multiply(
                           weights_bandwidth(here, c),
                           nb_enclosure_most(nb_enclosure_divide(rows[c], rate),
                                             columns[c])));
    return total;
}

/* The rate at which weights_at, which falls, comes down to a sum: that of the
 * piece it is on at some rate near. */
static struct nb_enclosure weights_root(const struct nb_oblivious_case *here,
                                        const struct nb_enclosure *rows,
                                        const struct nb_enclosure *columns,
                                        struct nb_enclosure sum)
{
    double low = 0, high = 0x1p60;
    for (int step = 0; step < 200; step++) {
        const double middle = low < 1 && high > 4 ? 2 : low / 2 + high / 2;
        const bool is_above =
            weights_at(here, rows, columns, nb_enclosure_of_double(middle))
                .lower > sum.lower;
        *(is_above ? &low : &high) = middle;
    }
    struct nb_enclosure up = nb_enclosure_of_whole(0), down = up;
    for (uint32_t c = 0; c < here->topology->channel_count; c++) {
        const struct nb_enclosure bandwidth = weights_bandwidth(here, c);
        if (here->orbits.channel[c] != c)
            continue;
        if (rows[c].lower > high * columns[c].lower)
            up =
                nb_enclosure_add(up, nb_enclosure_multiply(bandwidth, rows[c]));
        else
            down = nb_enclosure_add(
                down, nb_enclosure_multiply(bandwidth, columns[c]));
    }
    return nb_enclosure_divide(up, nb_enclosure_excess(sum, down));
}

/* Whether weights_at has come down to a sum at a rate, for certain. */
static bool weights_proves(const struct nb_oblivious_case *here,
                           const struct nb_enclosure *rows,
                           const struct nb_enclosure *columns,
                           struct nb_enclosure rate, struct nb_enclosure sum)
{
    const struct nb_enclosure there = weights_at(here, rows, columns, rate);
    const bool is_exact = nb_ratio_is_known(rate.exact) &&
                          nb_ratio_is_known(there.exact) &&
                          nb_ratio_is_known(sum.exact);
    return is_exact ? nb_ratio_compare(there.exact, sum.exact) <= 0
                    : there.upper <= sum.lower;
}

enum nb_status nb_oblivious_weights_rate(const struct nb_oblivious_case *here,
                                         const struct nb_best_oblivious *claim,
                                         struct nb_enclosure *upper,
                                         struct nb_error *err)
{
    const size_t m = here->topology->channel_count;
    const struct nb_enclosure infinite =
        nb_enclosure_of_ratio(nb_ratio_infinity);
    struct weights_work work = { .here = here, .claim = claim };
    struct nb_enclosure *rows = NULL, *columns = NULL;
    nb_int128 distances;
    enum nb_status status = NB_OK;
    *upper = infinite;
    NB_TRY(weights_reserve(&work, err));
    NB_TRY(nb_new(&rows, m, sizeof *rows, "sums of weights", err));
    NB_TRY(nb_new(&columns, m, sizeof *columns, "sums of weights", err));
    for (size_t i = 0; i < claim->weight_count; i++)
        NB_TRY(weights_take(&work, &claim->weights[i], err));
    NB_TRY(weights_distances(&work, 0, &distances, err));
    for (uint32_t c = 0; c < m; c++)
        weights_sum_channel(&work, c, &rows[c], &columns[c]);
    const struct nb_enclosure sum = nb_whole_quotient(distances, 1);
    if (nb_enclosure_compare(weights_at(here, rows, columns, infinite), sum) >=
        0)
        goto done;
    const struct nb_enclosure root = weights_root(here, rows, columns, sum);
    if (weights_proves(here, rows, columns, root, sum))
        *upper = root;
    for (int digits = 45; digits > 20 && isinf(upper->upper); digits -= 5) {
        const struct nb_enclosure more =
            nb_enclosure_of_double(root.upper * (1 + ldexp(1, -digits)));
        if (weights_proves(here, rows, columns, more, sum))
            *upper = more;
    }
done:
    nb_delete(rows);
    nb_delete(columns);
    weights_release(&work);
    return status;
}
