#include "queueing/assignment.h"

#include "core/memory.h"

#include <math.h>
#include "queueing/assignment_work.h"

void nb_assignment_release(struct nb_assignment *assignment)
{
    nb_delete(assignment->load);
    nb_delete(assignment->path);
    nb_delete(assignment->channel);
    *assignment = (struct nb_assignment){ 0 };
}

static void assignment_release_work(struct nb_assignment_work *work)
{
    for (size_t p = 0; p < work->pair_count && work->pair != NULL; p++) {
        for (size_t w = 0; w < work->pair[p].way_count; w++)
            nb_delete(work->pair[p].way[w].channel);
        nb_delete(work->pair[p].way);
    }
    nb_delete(work->pair);
    nb_delete(work->pair_start);
    nb_delete(work->band);
    nb_delete(work->load);
    nb_delete(work->price);
    nb_delete(work->slope);
    nb_delete(work->length);
    nb_delete(work->distance);
    nb_delete(work->next);
    nb_delete(work->heap);
    nb_delete(work->on_best);
    nb_delete(work->on_other);
    nb_delete(work->leave);
    nb_delete(work->enter);
}

/* All but the pairs. */
static enum nb_status assignment_init(struct nb_assignment_work *work,
                                      struct nb_error *err)
{
    static const char what[] = "assignment of traffic to paths";
    const size_t n = work->topology->router_count;
    const size_t channels = work->topology->channel_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->band, channels, sizeof(double), what, err));
    NB_TRY(nb_new(&work->load, channels, sizeof(double), what, err));
    NB_TRY(nb_new(&work->price, channels, sizeof(double), what, err));
    NB_TRY(nb_new(&work->slope, channels, sizeof(double), what, err));
    NB_TRY(nb_new(&work->length, channels, sizeof(double), what, err));
    NB_TRY(nb_new(&work->distance, n, sizeof(double), what, err));
    NB_TRY(nb_new(&work->next, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->heap, channels + 1, sizeof *work->heap, what, err));
    NB_TRY(nb_new(&work->on_best, channels, sizeof(uint64_t), what, err));
    NB_TRY(nb_new(&work->on_other, channels, sizeof(uint64_t), what, err));
    NB_TRY(nb_new(&work->leave, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->enter, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&work->pair_start, n + 1, sizeof(size_t), what, err));
    for (uint32_t c = 0; c < channels; c++) {
        work->band[c] = nb_ratio_value(work->topology->channels[c].bandwidth);
        nb_assignment_price(work, c);
    }
done:
    return status;
}

/* Counts the demands into a router, or lists them if there is room. */
static size_t assignment_list(struct nb_assignment_work *work,
                              const struct nb_traffic *traffic,
                              const uint64_t *rate, uint32_t target)
{
    size_t count = work->pair_start[target];
    for (uint32_t s = 0; s < work->topology->router_count; s++) {
        if (rate[s] == 0 || s == target)
            continue;
        if (work->pair != NULL)
            work->pair[count] = (struct nb_assignment_pair){
                .source = s,
                .weight = rate[s],
                .demand = (double)rate[s] / (double)traffic->denominator,
            };
        count++;
    }
    return count;
}

static enum nb_status assignment_add_pairs(struct nb_assignment_work *work,
                                           const struct nb_traffic *traffic,
                                           struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    enum nb_status status = NB_OK;
    uint64_t *rate = NULL;
    NB_TRY(nb_new(&rate, n, sizeof *rate, "rates", err));
    for (int pass = 0; pass < 2; pass++) {
        work->weights = 0;
        for (uint32_t t = 0; t < n; t++) {
            NB_TRY(nb_traffic_column(traffic, work->topology, t, rate, err));
            for (size_t s = 0; s < n; s++)
                work->weights += rate[s];
            work->pair_start[t + 1] = assignment_list(work, traffic, rate, t);
        }
        if (pass == 0) {
            const double bytes =
                sizeof *work->pair + 2 * sizeof *work->pair->way;
            NB_TRY(nb_memory_require((double)work->pair_start[n] * bytes,
                                     "assignment of traffic to paths", err));
            NB_TRY(nb_new(&work->pair, work->pair_start[n], sizeof *work->pair,
                          "demands", err));
        }
    }
    work->pair_count = work->pair_start[n];
done:
    nb_delete(rate);
    return status;
}

static enum nb_status assignment_check(struct nb_mean_delay delay,
                                       struct nb_enclosure rate,
                                       struct nb_error *err)
{
    const bool is_delay =
        delay.factor > 0 && delay.factor <= 1 && delay.constant >= 0;
    const bool is_rate =
        rate.lower >= 0 && rate.lower <= rate.upper && rate.upper < INFINITY;
    if (is_delay && is_rate)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "delays of factor %g and constant %g at rates from %g to "
                   "%g (permitted: a factor above 0 up to 1, a constant of 0 "
                   "and more, rates of 0 and more in order)",
                   delay.factor, delay.constant, rate.lower, rate.upper);
}

enum nb_status
nb_assignment_find(const struct nb_topology *topology,
                   const struct nb_traffic *traffic, struct nb_mean_delay delay,
                   struct nb_enclosure rate, const struct nb_run *run,
                   struct nb_assignment *out, struct nb_error *err)
{
    struct nb_assignment_work work = {
        .topology = topology,
        .delay = delay,
        .rate = { rate.lower, rate.upper },
        .exact_rate = rate.exact,
        .total = nb_latency_total(traffic, topology),
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_assignment){ 0 };
    NB_TRY(nb_traffic_check(traffic, topology, err));
    NB_TRY(assignment_check(delay, rate, err));
    work.denominator = traffic->denominator;
    out->channel_count = topology->channel_count;
    NB_TRY(nb_new(&out->load, out->channel_count, sizeof *out->load, "loads",
                  err));
    NB_TRY(assignment_init(&work, err));
    NB_TRY(assignment_add_pairs(&work, traffic, err));
    if (work.pair_count == 0)
        goto done; /* nothing is sent, or to oneself: no latency */
    /* No load yet: the bound is the mean of the shortest ways. */
    out->zero_load.lower = nb_assignment_bound(&work);
    out->zero_load.upper =
        out->zero_load.lower * (1 + 4 * nb_assignment_error(&work));
    NB_TRY(nb_assignment_solve(&work, run, out, err));
done:
    assignment_release_work(&work);
    if (status != NB_OK)
        nb_assignment_release(out);
    return status;
}
