#include "questions/reorder/reorder_question.h"

#include "core/try.h"

#include <string.h>

bool nb_reorder_is_bursty(const struct nb_reorder_question *work)
{
    return work->arrivals.kind == NB_ARRIVE_ONOFF;
}

/* An option that was checked, or its default. */
static int64_t reorder_whole(const struct nb_model *model, const char *name,
                             int64_t initial)
{
    int64_t value = initial;
    const char *text = nb_model_get(model, name);
    if (text != NULL)
        nb_integer_read(text, name, 0, INT64_MAX, &value, NULL);
    return value;
}

static enum nb_status reorder_read_network(const struct nb_model *model,
                                           struct nb_reorder_question *work,
                                           struct nb_error *err)
{
    const char *tree = nb_model_get(model, "topology");
    const char *radix = nb_model_get(model, "radix");
    const char *hops = nb_model_get(model, "hops");
    work->arrivals.radix = reorder_whole(model, "radix", 16);
    work->network.hops = reorder_whole(model, "hops", 5);
    if (tree == NULL)
        return NB_OK;
    if (radix != NULL || hops != NULL)
        return nb_fail(err, NB_USAGE,
                       "--topology %.60s and --%s %s are both given "
                       "(permitted: one of them)",
                       tree, radix != NULL ? "radix" : "hops",
                       radix != NULL ? radix : hops);
    uint32_t k = 0, n = 0;
    const enum nb_status status =
        nb_question_tree(tree, "--radix and --hops", &k, &n, err);
    work->arrivals.radix = k;
    work->network.hops = 2 * (int64_t)n - 1;
    return status;
}

enum nb_status nb_reorder_question_read(const struct nb_question *question,
                                        struct nb_reorder_question *work,
                                        struct nb_error *err)
{
    const struct nb_model *model = question->model;
    enum nb_status status = NB_OK;
    NB_TRY(nb_arrivals_read(nb_model_get(model, "arrivals"), &work->arrivals,
                            err));
    NB_TRY(reorder_read_network(model, work, err));
    NB_TRY(nb_question_load(question, &work->load, &work->has_load, err));
    work->network.arrivals = &work->arrivals;
    work->network.law = strcmp(nb_model_get(model, "law"), "wait") == 0
                            ? NB_HOP_WAIT
                            : NB_HOP_QUEUE;
    work->overflow = nb_question_overflow(question);
    work->depth = reorder_whole(model, "depth", 0);
    work->way = strcmp(nb_model_get(model, "bound"), "exact") == 0
                    ? NB_REORDER_EXACT
                    : NB_REORDER_CHERNOFF;
    if (!work->has_load && work->depth == 0)
        return nb_fail(err, NB_USAGE,
                       "reorder needs --load, --rate or --depth");
    if (nb_reorder_is_bursty(work) && work->way == NB_REORDER_CHERNOFF)
        return nb_fail(err, NB_USAGE,
                       "--bound chernoff: theorem 7 does not hold for bursts "
                       "(permitted with --arrivals onoff: exact)");
    if (nb_reorder_is_bursty(work) && work->arrivals.spread == NB_SPREAD_BURST)
        return nb_fail(err, NB_INVALID,
                       "spread=burst: packets of a burst that stay together "
                       "do not overtake each other (permitted: spread=packet)");
done:
    return status;
}

void nb_reorder_question_release(struct nb_reorder_question *work)
{
    nb_arrivals_release(&work->arrivals);
}
