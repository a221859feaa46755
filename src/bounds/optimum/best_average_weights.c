/* What weights prove (declared in best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

/* No weight or length may pass what a search adds up. */
#define WEIGHTS_MOST ((int64_t)1 << 40)

/* What weights put on the cells, and on the permutations. */
struct weights_work {
    const struct nb_average_case *average;
    int64_t *weight; /* [cell] */
    int64_t *length; /* [channel_count] */
    struct nb_path_search search;
    struct nb_enclosure most; /* Q: greatest sum of a permutation */
    struct nb_enclosure sum;  /* over all permutations */
};

/* Each weight in its range, in order, and none twice. */
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

/* Puts a weight on the cells of all packets that may cross its channel. */
static enum nb_status weights_spread(struct weights_work *work,
                                     const struct nb_average_weight *given,
                                     struct nb_error *err)
{
    const struct nb_average_case *average = work->average;
    for (size_t t = 0; t < average->terminal_count; t++) {
        const size_t cell =
            nb_average_cell(average, given->permutation, t, given->channel);
        if (cell == SIZE_MAX)
            continue;
        work->weight[cell] += given->weight;
        if (work->weight[cell] > (int64_t)1 << 60)
            return nb_fail(err, NB_REFUTED,
                           "the weights for channel %u and those alike pass "
                           "2^60",
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

/* The shortest path of a pair, over all packets of its orbit: a channel's
 * weight is shared out among those alike, rounded down if that is not a
 * multiple of 1/scale. */
static enum nb_status weights_distance(struct weights_work *work, size_t index,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->average->here;
    const size_t m = here->topology->channel_count;
    const uint32_t source = nb_oblivious_source(here, here->pair[index]);
    const uint32_t destination =
        nb_oblivious_destination(here, here->pair[index]);
    const uint32_t *name = here->orbits.crossing + here->pair[index] * m;
    const int64_t scale = nb_average_unite(work->average, work->weight,
                                           index * m, m, NB_AVERAGE_SCALE);
    for (size_t c = 0; c < m; c++) {
        const size_t cell = index * m + name[c] % m;
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
    const struct nb_average_case *average = work->average;
    const struct nb_enclosure least = nb_enclosure_of_ratio(average->least);
    const struct nb_enclosure all = nb_enclosure_multiply(
        work->most, nb_enclosure_of_whole((uint32_t)average->question->count));
    /* What the weights of a permutation leave of Q counts its least g. */
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

enum nb_status nb_average_check_weights(const struct nb_average_case *average,
                                        const struct nb_best_average *claimed,
                                        struct nb_enclosure *lower,
                                        struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const size_t m = here->topology->channel_count;
    const char *what = "weights of channels";
    struct weights_work work = { .average = average };
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_new(&work.weight, here->pair_count * m, sizeof(int64_t), what, err));
    NB_TRY(nb_new(&work.length, m, sizeof(int64_t), what, err));
    NB_TRY(nb_path_search_init(here->question->class, &work.search, err));
    NB_TRY(weights_take(&work, claimed, err));
    NB_TRY(weights_prove(&work, lower, err));
done:
    nb_delete(work.weight);
    nb_delete(work.length);
    nb_path_search_release(&work.search);
    return status;
}
