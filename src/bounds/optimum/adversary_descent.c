/* Descents of the adversary (declared in adversary_work.h). */
#include "bounds/optimum/adversary_work.h"

#include "core/clock.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* Swaps that a descent evaluates in vain before it ends, and pairs drawn for
 * each. */
enum { ADVERSARY_SWAPS = 8, ADVERSARY_DRAWS = 32 };

/* One descent. Owns its arrays. */
struct adversary_descent {
    struct nb_adversary_end now;
    uint32_t *candidate; /* [sides] */
    /* [channel_count] the sum of all lengths met, each as shares of what they
     * add up to over the bandwidths. */
    double *history;
};

static void adversary_descent_release(struct adversary_descent *descent)
{
    nb_adversary_end_release(&descent->now);
    nb_delete(descent->candidate);
    nb_delete(descent->history);
    *descent = (struct adversary_descent){ 0 };
}

static enum nb_status
adversary_descent_init(const struct nb_adversary_work *work,
                       struct adversary_descent *descent, struct nb_error *err)
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

/* The optimum of a permutation, or what can be said of it in time: in no time
 * (1e-9 s) there is a bracket still. */
static enum nb_status adversary_evaluate(struct nb_adversary_work *work,
                                         const uint32_t *permutation,
                                         struct nb_best_flow *out,
                                         struct nb_error *err)
{
    const struct nb_adversary_question *question = work->question;
    struct nb_traffic traffic = { 0 };
    struct nb_best_flow_question flow = {
        .topology = question->topology,
        .traffic = &traffic,
        .class = question->class,
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

/* Adds the lengths of the flow to the history. */
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

/* Takes the candidate in place of the permutation if its throughput is less. */
static enum nb_status adversary_try(struct nb_adversary_work *work,
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

/* The matching by all lengths met together. */
static enum nb_status adversary_match_history(struct nb_adversary_work *work,
                                              struct adversary_descent *descent,
                                              struct nb_error *err)
{
    const size_t channels = work->question->topology->channel_count;
    double most = 0;
    for (size_t c = 0; c < channels; c++)
        most = fmax(most, descent->history[c]);
    for (size_t c = 0; c < channels; c++)
        work->length[c] = llround(descent->history[c] / most * 0x1p40);
    return nb_adversary_match(work, work->length, descent->candidate, err);
}

/* Of some pairs of sources drawn, those two exchange destinations that leave
 * the greatest total distance by the lengths last matched. */
static void adversary_swap(struct nb_adversary_work *work,
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

/* One step down, by matching or else by swaps; is_better: whether there was. */
static enum nb_status adversary_step(struct nb_adversary_work *work,
                                     struct adversary_descent *descent,
                                     bool *is_better, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_adversary_match(work, descent->now.flow.length,
                              descent->candidate, err));
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

/* Lower, or as low and begun before. */
static bool adversary_is_better(const struct nb_adversary_end *end,
                                const struct nb_adversary_end *than)
{
    const double ours = end->flow.throughput.upper;
    const double others = than->flow.throughput.upper;
    return than->permutation == NULL || ours < others ||
           (ours == others && end->start < than->start);
}

void nb_adversary_keep(struct nb_adversary_end *best,
                       struct nb_adversary_end *end)
{
    const struct nb_adversary_end old = *best;
    if (end->permutation == NULL || !adversary_is_better(end, best))
        return;
    *best = *end;
    *end = old;
}

enum nb_status nb_adversary_descend(struct nb_adversary_work *work,
                                    size_t start, struct nb_error *err)
{
    struct adversary_descent descent = { .now.start = start };
    struct nb_adversary_end *now = &descent.now;
    bool is_better = true;
    enum nb_status status;
    NB_TRY(adversary_descent_init(work, &descent, err));
    NB_TRY(nb_adversary_start(work, start, now->permutation, err));
    NB_TRY(adversary_evaluate(work, now->permutation, &now->flow, err));
    adversary_remember(work->question->topology, &descent);
    while (is_better && !work->is_late)
        NB_TRY(adversary_step(work, &descent, &is_better, err));
    work->was_stopped = work->was_stopped || work->is_late;
    nb_adversary_keep(&work->best, now);
done:
    adversary_descent_release(&descent);
    return status;
}
