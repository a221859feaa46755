#include "queueing/assignment.h"

#include "core/memory.h"
#include "queueing/assignment_work.h"

#include <math.h>

/* The method ends when the bracket is this narrow, relative to its upper end,
 * or after so many rounds. */
#define ASSIGNMENT_GAP 0x1p-32
enum { ASSIGNMENT_ROUNDS = 200 };

/* Of Newton's steps every other pins ways at 0 that would fall below: either
 * kind gets stuck sometimes where the other goes on. */
enum { ASSIGNMENT_PASSES = 8 };

/* Where prices begin to be linear: while a utilisation is above, this moves
 * towards 1 every few rounds, up to where doubles still tell 1 - rho. */
#define ASSIGNMENT_KNEE      0x1p-7
#define ASSIGNMENT_LAST_KNEE 0x1p-21
enum { ASSIGNMENT_KNEE_ROUNDS = 6 };

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

/* Brackets loads, hops and wait of the flows as they are. Returns the most
 * that a channel is used. */
static double assignment_measure(const struct nb_assignment_work *work,
                                 double error, struct nb_assignment *out,
                                 struct nb_queue *queue)
{
    const size_t channels = out->channel_count;
    struct nb_bracket sum = { 0, 0 };
    double most = 0;
    for (size_t c = 0; c < channels; c++) {
        const double load = work->load[c];
        out->load[c] = (struct nb_bracket){ load * (1 - error),
                                                    load * (1 + error) };
        queue[c] = (struct nb_queue){
            .load_lower = out->load[c].lower,
            .load_upper = out->load[c].upper,
            .bandwidth = work->topology->channels[c].bandwidth,
            .delay_lower = work->delay,
            .delay_upper = work->delay,
        };
        sum.lower += out->load[c].lower;
        sum.upper += out->load[c].upper;
        most = fmax(most, work->rate.upper * load / work->band[c]);
    }
    const double sums = ((double)channels + 4) * 0x1p-53;
    out->hops.lower = sum.lower / work->total.upper * (1 - sums);
    out->hops.upper = sum.upper / work->total.lower * (1 + sums);
    out->wait =
        nb_latency_find_wait(queue, channels, work->rate, work->total, NULL);
    return most;
}

static void assignment_tell(const struct nb_run *run, size_t round)
{
    if (run != NULL && run->progress != NULL)
        run->progress(run->progress_context, "rounds of the assignment", round,
                      ASSIGNMENT_ROUNDS);
}

/* Rounds until the bracket is narrow. */
static enum nb_status assignment_solve(struct nb_assignment_work *work,
                                       const struct nb_run *run,
                                       struct nb_queue *queue,
                                       struct nb_assignment *out,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->latency =
        (struct nb_bracket){ out->zero_load.lower, INFINITY };
    assignment_tell(run, 0);
    for (size_t round = 1; round <= ASSIGNMENT_ROUNDS; round++) {
        NB_TRY(nb_assignment_extend(work, err));
        nb_assignment_balance(work);
        NB_TRY(nb_assignment_newton(
            work, round % 2 == 0 ? ASSIGNMENT_PASSES : 1, err));
        nb_assignment_balance(work);
        const double error = nb_assignment_settle(work);
        const double most = assignment_measure(work, error, out, queue);
        out->rounds = round;
        out->latency.upper =
            (out->hops.upper + out->wait.upper) * (1 + 0x1p-52);
        out->latency.lower =
            fmax(out->latency.lower, nb_assignment_bound(work));
        if (isinf(out->latency.lower) ||
            (!isinf(out->latency.upper) &&
             out->latency.upper - out->latency.lower <=
                 ASSIGNMENT_GAP * out->latency.upper))
            break;
        if (most > work->knee && round % ASSIGNMENT_KNEE_ROUNDS == 0 &&
            1 - work->knee > ASSIGNMENT_LAST_KNEE) {
            work->knee = 1 - (1 - work->knee) / 4;
            for (uint32_t c = 0; c < out->channel_count; c++)
                nb_assignment_price(work, c);
        }
        assignment_tell(run, round);
    }
    assignment_tell(run, ASSIGNMENT_ROUNDS);
done:
    return status;
}

/* Hands the paths over. */
static enum nb_status assignment_conclude(const struct nb_assignment_work *work,
                                          struct nb_assignment *out,
                                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t paths = 0, channels = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        paths += work->pair[p].way_count;
        for (size_t w = 0; w < work->pair[p].way_count; w++)
            channels += work->pair[p].way[w].length;
    }
    NB_TRY(nb_new(&out->path, paths, sizeof *out->path, "paths", err));
    NB_TRY(nb_new(&out->channel, channels, sizeof *out->channel, "paths", err));
    channels = 0;
    for (uint32_t t = 0; t < work->topology->router_count; t++)
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            for (size_t w = 0; w < work->pair[p].way_count; w++) {
                const struct nb_assignment_way *way = &work->pair[p].way[w];
                out->path[out->path_count++] = (struct nb_assignment_path){
                    .source = work->pair[p].source,
                    .target = t,
                    .share = way->flow / work->pair[p].demand,
                    .first = channels,
                    .length = way->length,
                };
                for (size_t i = 0; i < way->length; i++)
                    out->channel[channels++] = way->channel[i];
            }
done:
    return status;
}

enum nb_status
nb_assignment_find(const struct nb_topology *topology,
                   const struct nb_traffic *traffic, struct nb_mean_delay delay,
                   struct nb_bracket rate, const struct nb_run *run,
                   struct nb_assignment *out, struct nb_error *err)
{
    struct nb_assignment_work work = {
        .topology = topology,
        .delay = delay,
        .rate = rate,
        .total = nb_latency_total(traffic, topology),
        .knee = 1 - ASSIGNMENT_KNEE,
    };
    struct nb_queue *queue = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_assignment){ .channel_count = topology->channel_count };
    NB_TRY(nb_new(&out->load, out->channel_count, sizeof *out->load, "loads",
                  err));
    NB_TRY(nb_new(&queue, out->channel_count, sizeof *queue, "queues", err));
    NB_TRY(assignment_init(&work, err));
    NB_TRY(assignment_add_pairs(&work, traffic, err));
    if (work.pair_count == 0)
        goto done; /* nothing is sent, or to oneself: no latency */
    /* No load yet: the bound is the mean of the shortest ways. */
    out->zero_load.lower = nb_assignment_bound(&work);
    out->zero_load.upper =
        out->zero_load.lower * (1 + 4 * nb_assignment_error(&work));
    NB_TRY(assignment_solve(&work, run, queue, out, err));
    NB_TRY(assignment_conclude(&work, out, err));
done:
    nb_delete(queue);
    assignment_release_work(&work);
    if (status != NB_OK)
        nb_assignment_release(out);
    return status;
}
