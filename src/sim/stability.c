/* Whether a simulated network was stable (declared in summary.h). */
#include "sim/summary.h"

#include <math.h>
#include <stddef.h>

const char *const nb_stability_names[] = { "stable", "saturated", "undecided" };

/* Chances of a wrong verdict over all that is tested at once. */
#define STABILITY_LEVEL 1e-4
/* Packets that a backlog has to grow by, and shares of what is offered that
 * it may grow by unseen: of all sources together and of one. */
#define STABILITY_LEAST 16.0
#define STABILITY_ALL   0.003
#define STABILITY_ONE   0.02

/* One backlog's growth over all replications. */
struct stability_growth {
    double sum, square;
};

struct stability_work {
    const struct nb_network *networks;
    size_t count;
    size_t batches;
    double length; /* of a batch */
    size_t tests;  /* queues and backlogs */
};

static void stability_add(struct stability_growth *to,
                          const struct nb_tally *tally)
{
    to->sum += tally->sum;
    to->square += tally->square;
}

/* tests: among which one alone would make the verdict a wrong one */
static struct nb_estimate stability_rate(const struct stability_work *work,
                                         const struct stability_growth *growth,
                                         size_t tests)
{
    return nb_summary_rate(growth->sum, growth->square, work->batches,
                           work->length,
                           1 - 2 * STABILITY_LEVEL / (double)tests);
}

static bool stability_is_growing(const struct stability_work *work,
                                 const struct stability_growth *growth)
{
    const struct nb_estimate rate = stability_rate(work, growth, work->tests);
    return growth->sum >= STABILITY_LEAST * (double)work->count &&
           rate.mean > rate.half_width;
}

/*
 * A queue that grows, where queues have no limit. One by one: of many queues
 * that are all close to saturation, each still grows a little while it settles,
 * which their sum would show.
 */
static bool stability_has_growing_queue(const struct stability_work *work)
{
    const size_t queues = work->networks[0].measure.queue_count;
    for (size_t q = 0; q < queues; q++) {
        struct stability_growth growth = { 0 };
        for (size_t i = 0; i < work->count; i++)
            stability_add(&growth, &work->networks[i].measure.depth[q]);
        if (stability_is_growing(work, &growth))
            return true;
    }
    return false;
}

/* Backlogs of sources, where buffers have a limit. */
static bool stability_has_growing_source(const struct stability_work *work)
{
    const size_t routers = work->networks[0].measure.router_count;
    struct stability_growth total = { 0 };
    for (size_t i = 0; i < work->count; i++)
        stability_add(&total, &work->networks[i].measure.total);
    if (stability_is_growing(work, &total))
        return true;
    for (size_t r = 0; r < routers; r++) {
        struct stability_growth growth = { 0 };
        for (size_t i = 0; i < work->count; i++)
            stability_add(&growth, &work->networks[i].measure.load[r]);
        if (stability_is_growing(work, &growth))
            return true;
    }
    return false;
}

/* Less comes to every queue than it can send, with certainty: so it is idle
 * now and then. What it has sent would not tell, since a queue that is about
 * to grow is idle at first. If one is not, its own test has to fail, so that
 * the chance is not to be shared. */
static bool stability_is_idle(const struct stability_work *work)
{
    const struct nb_network *first = &work->networks[0];
    for (uint32_t q = 0; q < first->measure.queue_count; q++) {
        struct stability_growth come = { 0 };
        for (size_t i = 0; i < work->count; i++)
            stability_add(&come, &work->networks[i].measure.come[q]);
        const struct nb_estimate rate = stability_rate(work, &come, 1);
        if (!(rate.mean + rate.half_width <
              nb_ratio_value(nb_network_bandwidth(first, q))))
            return false;
    }
    return true;
}

/* What is under way grows by less than a small part of what is offered, with
 * certainty. */
static bool stability_is_flat(const struct stability_work *work)
{
    const struct nb_measure *first = &work->networks[0].measure;
    struct stability_growth total = { 0 };
    double offered = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct nb_measure *measure = &work->networks[i].measure;
        stability_add(&total, &measure->total);
        for (size_t b = 0; b < measure->batch_count; b++)
            offered += measure->batch[b].offered;
    }
    offered /= (double)work->batches * work->length *
               work->networks[0].plan->injection.flits;
    struct nb_estimate rate = stability_rate(work, &total, 1);
    if (!(rate.mean + rate.half_width <= STABILITY_ALL * offered))
        return false;
    for (size_t r = 0; r < first->router_count; r++) {
        struct stability_growth growth = { 0 };
        double sent = 0;
        for (size_t i = 0; i < work->count; i++) {
            stability_add(&growth, &work->networks[i].measure.load[r]);
            sent += work->networks[i].measure.from[r].sum;
        }
        sent /= (double)work->batches * work->length *
                work->networks[0].plan->injection.flits;
        rate = stability_rate(work, &growth, 1);
        if (!(rate.mean + rate.half_width <= STABILITY_ONE * sent) && sent > 0)
            return false;
    }
    return true;
}

static enum nb_stability stability_find(const struct stability_work *work,
                                        const char **evidence)
{
    const struct nb_simulation *plan = work->networks[0].plan;
    const bool is_ideal = plan->router.model == NB_ROUTER_IDEAL;
    for (size_t i = 0; i < work->count; i++)
        if (work->networks[i].is_full) {
            *evidence = "as many packets are under way as are permitted";
            return NB_SATURATED;
        }
    if (plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH) {
        *evidence = "every packet arrived";
        return NB_STABLE;
    }
    if (is_ideal && stability_has_growing_queue(work)) {
        *evidence = "the queue of a channel grows";
        return NB_SATURATED;
    }
    if (!is_ideal && stability_has_growing_source(work)) {
        *evidence = "the packets under way become more and more";
        return NB_SATURATED;
    }
    if (is_ideal && stability_is_idle(work)) {
        *evidence = "no queue grows, and every channel is idle at times";
        return NB_STABLE;
    }
    if (!is_ideal && stability_is_idle(work) && stability_is_flat(work)) {
        *evidence = "the packets under way do not become more, and every "
                    "channel is idle at times";
        return NB_STABLE;
    }
    *evidence = is_ideal ? "a channel is hardly ever idle, but no queue is "
                           "seen to grow"
                         : "whether the packets under way become more is not "
                           "certain";
    return NB_UNDECIDED;
}

void nb_summary_judge(const struct nb_network *networks, size_t count,
                      struct nb_simulation_result *out)
{
    const struct nb_measure *measure = &networks[0].measure;
    struct stability_work work = {
        .networks = networks,
        .count = count,
        .length = (double)measure->batch_length,
        .tests = measure->queue_count + measure->router_count + 1,
    };
    for (size_t i = 0; i < count; i++)
        work.batches += networks[i].measure.batch_count;
    out->stability = stability_find(&work, &out->evidence);
}
