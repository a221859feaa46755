/* The adversary's weights added up (declared in oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

/* Room for checking; weight: [pair_count * channel_count], at the least of
 * channels alike. */
struct weights_work {
    const struct nb_oblivious_case *here;
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

enum nb_status nb_oblivious_sums_find(const struct nb_oblivious_case *here,
                                      const struct nb_best_oblivious *claim,
                                      int64_t hop,
                                      struct nb_oblivious_sums *out,
                                      struct nb_error *err)
{
    const uint32_t m = (uint32_t)here->topology->channel_count;
    struct weights_work work = { .here = here };
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_sums){ .here = here };
    NB_TRY(weights_reserve(&work, err));
    NB_TRY(nb_new(&out->row, m, sizeof *out->row, "sums of weights", err));
    NB_TRY(
        nb_new(&out->column, m, sizeof *out->column, "sums of weights", err));
    for (size_t i = 0; i < claim->weight_count; i++)
        NB_TRY(weights_take(&work, &claim->weights[i], err));
    NB_TRY(weights_distances(&work, hop, &out->distances, err));
    for (uint32_t c = 0; c < m; c++)
        if (here->orbits.channel[c] == c)
            weights_sum_channel(&work, c, &out->row[c], &out->column[c]);
done:
    weights_release(&work);
    if (status != NB_OK)
        nb_oblivious_sums_release(out);
    return status;
}

void nb_oblivious_sums_release(struct nb_oblivious_sums *sums)
{
    nb_delete(sums->row);
    nb_delete(sums->column);
    *sums = (struct nb_oblivious_sums){ 0 };
}
