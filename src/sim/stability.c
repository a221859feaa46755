/* Whether a simulated network was stable (declared in summary.h). */
#include "sim/summary.h"

#include <math.h>
#include <stddef.h>

const char *const nb_stability_names[] = { "stable", "saturated", "undecided" };

/* Probability of a wrong verdict. */
#define STABILITY_LEVEL 1e-4
/* Minimum number of packets by which a backlog must grow, and shares of the
 * offered load that it may grow by unseen: for all sources together and for
 * one. */
#define STABILITY_LEAST 16.0
#define STABILITY_ALL   0.003
#define STABILITY_ONE   0.02

/* Relative tolerance for rates compared with proved limits. */
#define STABILITY_ROUNDED 1e-9

/* Number of batches with packets in which the network must be empty at times.
 * After a batch in which a critical queue was empty, it is in the next one in
 * at most 0.55 of cases, however long batches are; 16 times in a row in
 * 7e-5. */
enum { STABILITY_BATCHES = 16 };

struct stability_work {
    struct nb_replications all;
    bool is_ideal; /* queues have no limit */
    double level;  /* probability of a wrong verdict over all tests */
    size_t merges; /* pairwise merges of batches: an extended replication keeps
                    * at least NB_BATCHES, nearly independent */
};

/* The index-th tally of an array. */
static struct nb_tally_total stability_total(const struct stability_work *work,
                                             size_t array, size_t index)
{
    return nb_replications_merged(&work->all, array, index, work->merges);
}

/* tests: any one of them could make the verdict wrong */
static struct nb_estimate stability_rate(const struct stability_work *work,
                                         struct nb_tally_total growth,
                                         double tests)
{
    const size_t batches = work->all.batches >> work->merges;
    return nb_summary_rate(growth.sum, growth.square, batches,
                           ldexp(work->all.length, (int)work->merges),
                           nb_t_tail(work->level / tests, batches));
}

/*
 * The number of tests that share the level if this number of backlogs is
 * tested, half of the level for each by itself and half for all together. While
 * a backlog settles it grows, at most as a critical one does, which is the
 * absolute value of a random walk: with R replications the sum of the values is
 * above x only if one of the 2^R sums of the walks, with signs, is.
 */
static double stability_tests(const struct stability_work *work, double count)
{
    return ldexp(2 * count, (int)work->all.count);
}

/*
 * Whether one of an array of queues or backlogs grows.
 *
 * One by one: if many queues are all close to saturation, each still grows a
 * little while it settles, which would show in their sum.
 */
static bool stability_has_growing(const struct stability_work *work,
                                  size_t array, size_t count)
{
    const size_t replications = work->all.count;
    const double tests = stability_tests(work, (double)count);
    for (size_t i = 0; i < count; i++) {
        const struct nb_tally_total growth = stability_total(work, array, i);
        const struct nb_estimate rate = stability_rate(work, growth, tests);
        if (growth.sum >= STABILITY_LEAST * (double)replications &&
            rate.mean > rate.half_width)
            return true;
    }
    return false;
}

/* All backlogs in the first batches of every replication: their growth in the
 * later half, and its excess over growth by the square root of time. */
struct stability_span {
    double later, excess;
    double later_squares, excess_squares; /* of their errors, over batches */
    size_t count;                         /* batches */
};

/* Growth of all that waits, over merged batches: if queues are unbounded, of
 * all packets under way, otherwise of those at sources. */
static double stability_waiting(const struct stability_work *work,
                                const struct nb_measure *measure, size_t merged)
{
    const size_t merges = work->merges;
    double sum = 0;
    for (size_t b = merged << merges; b < (merged + 1) << merges; b++)
        sum += work->is_ideal ? measure->batch[b].growth
                              : measure->batch[b].waiting;
    return sum;
}

/* part: the first 1/part of all batches */
static void stability_add_span(const struct stability_work *work,
                               const struct nb_measure *measure, size_t part,
                               struct stability_span *span)
{
    const size_t merges = work->merges;
    const size_t count = (measure->batch_count >> merges) / part;
    const size_t half = count / 2;
    const double length = ldexp((double)measure->batch_length, (int)merges);
    const double start = (double)measure->start;
    const double middle = start + (double)half * length;
    const double end = start + (double)count * length;
    /* Growth of a square root in the later half over that in the earlier
     * one. */
    const double slower =
        (sqrt(end) - sqrt(middle)) / (sqrt(middle) - sqrt(start));
    double sums[2] = { 0 };
    for (size_t b = 0; b < count; b++)
        sums[b >= half] += stability_waiting(work, measure, b);
    for (size_t b = 0; b < count; b++) {
        const bool is_later = b >= half;
        const double size = (double)(is_later ? count - half : half);
        const double error =
            stability_waiting(work, measure, b) - sums[is_later] / size;
        const double square = error * error * size / (size - 1);
        span->later_squares += is_later ? square : 0;
        span->excess_squares += is_later ? square : slower * slower * square;
    }
    span->later += sums[1];
    span->excess += sums[1] - slower * sums[0];
    span->count += count;
}

/*
 * All that waits together. It grows while the network settles; with many queues
 * and sources this is not by chance. But it grows more and more slowly: a
 * critical queue as the square root of time, and all others settle sooner. So a
 * saturated network shows by growing faster than that.
 */
static bool stability_is_filling(const struct stability_work *work, size_t part)
{
    struct stability_span span = { 0 };
    for (size_t i = 0; i < work->all.count; i++)
        stability_add_span(work, &work->all.networks[i].measure, part, &span);
    const double t =
        nb_t_tail(work->level / stability_tests(work, 1), span.count / 2);
    return span.later >= STABILITY_LEAST * (double)work->all.count &&
           span.later > t * sqrt(span.later_squares) &&
           span.excess > t * sqrt(span.excess_squares);
}

/* Growth of all together, over half of the time and again over all of it; or of
 * one: a queue if queues are unbounded, otherwise the backlog of a source. */
static bool stability_is_growing(const struct stability_work *work)
{
    const struct nb_measure *measure = &work->all.networks[0].measure;
    if (stability_is_filling(work, 2) && stability_is_filling(work, 1))
        return true;
    return work->is_ideal
               ? stability_has_growing(work, offsetof(struct nb_measure, depth),
                                       measure->queue_count)
               : stability_has_growing(work, offsetof(struct nb_measure, wait),
                                       measure->router_count);
}

/* The network is repeatedly without packets: an unstable one returns to that
 * more and more rarely. */
static bool stability_is_empty(const struct stability_work *work)
{
    size_t seen = 0;
    for (size_t i = 0; i < work->all.count; i++) {
        const struct nb_measure *measure = &work->all.networks[i].measure;
        for (size_t b = 0; b < measure->batch_count; b++) {
            seen += measure->batch[b].births > 0;
            if (!(measure->batch[b].empty > 0))
                return false;
        }
    }
    return seen >= STABILITY_BATCHES;
}

/* Every queue certainly receives less than it can send, so it is idle now and
 * then. What it has sent would not show this, since a queue that is about to
 * grow is idle at first. If a queue is not idle, its own test must fail, so the
 * level need not be shared. */
static bool stability_is_idle(const struct stability_work *work)
{
    const struct nb_network *first = &work->all.networks[0];
    for (uint32_t q = 0; q < first->measure.queue_count; q++) {
        const struct nb_tally_total come =
            stability_total(work, offsetof(struct nb_measure, come), q);
        const struct nb_estimate rate = stability_rate(work, come, 1);
        if (!(rate.mean + rate.half_width <
              nb_ratio_value(nb_network_bandwidth(first, q))))
            return false;
    }
    return true;
}

/* The same with longer batches, in total the number that one replication has.
 * What a stable network gains in one it loses in others, so the sum of squared
 * gains is smaller with fewer batches. */
static struct stability_work
stability_of_longer(const struct stability_work *work)
{
    const size_t each = work->all.networks[0].measure.batch_count;
    struct stability_work longer = *work;
    while (work->all.is_even && longer.merges < NB_MERGES &&
           each % ((size_t)2 << longer.merges) == 0 &&
           work->all.batches >> (longer.merges + 1) >= NB_BATCHES)
        longer.merges++;
    return longer;
}

/* The number under way certainly grows by less than a small part of the offered
 * load. work: of longer batches */
static bool stability_is_flat(const struct stability_work *work)
{
    const struct nb_replications *all = &work->all;
    const uint32_t flits = all->networks[0].plan->injection.flits;
    const double cycles = (double)all->batches * all->length;
    struct nb_tally_total total = { 0 };
    double offered = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct nb_measure *measure = &all->networks[i].measure;
        total.sum += measure->total.sum;
        total.square += work->merges == 0
                            ? measure->total.square
                            : measure->total.merged[work->merges - 1];
        for (size_t b = 0; b < measure->batch_count; b++)
            offered += measure->batch[b].offered;
    }
    offered /= cycles * flits;
    const struct nb_estimate rate = stability_rate(work, total, 1);
    return rate.mean + rate.half_width <= STABILITY_ALL * offered;
}

/* The same for the packets of every source. */
static bool stability_are_flat(const struct stability_work *work)
{
    const struct nb_replications *all = &work->all;
    const uint32_t flits = all->networks[0].plan->injection.flits;
    const double cycles = (double)all->batches * all->length;
    for (size_t r = 0; r < all->networks[0].measure.router_count; r++) {
        const struct nb_tally_total growth =
            stability_total(work, offsetof(struct nb_measure, load), r);
        const struct nb_tally_total from =
            stability_total(work, offsetof(struct nb_measure, from), r);
        const double sent = from.sum / (cycles * flits);
        const struct nb_estimate rate = stability_rate(work, growth, 1);
        if (!(rate.mean + rate.half_width <= STABILITY_ONE * sent) && sent > 0)
            return false;
    }
    return true;
}

/* All packets of every source have left it at times, in every sixteenth of the
 * time: like the whole network, a source that is not stable returns to that
 * more and more rarely. Behind it buffers are finite. */
static bool stability_is_relieved(const struct stability_work *work)
{
    const struct nb_replications *all = &work->all;
    for (size_t r = 0; r < all->networks[0].measure.router_count; r++) {
        size_t seen = 0, longest = 0;
        double sent = 0;
        for (size_t i = 0; i < all->count; i++) {
            const struct nb_measure *measure = &all->networks[i].measure;
            const struct nb_presence *presence = &measure->presence[r];
            seen += presence->seen;
            sent += measure->from[r].sum;
            if (presence->longest > longest)
                longest = presence->longest;
        }
        if (longest * STABILITY_BATCHES >= all->batches ||
            (seen < STABILITY_BATCHES && (sent > 0 || longest > 0)))
            return false;
    }
    return true;
}

/* Packets under way, the mean over merged batches. */
static double stability_under_way(const struct stability_work *work,
                                  const struct nb_measure *measure,
                                  size_t merged)
{
    const size_t merges = work->merges;
    double sum = 0;
    for (size_t b = merged << merges; b < (merged + 1) << merges; b++)
        sum += measure->batch[b].in_flight;
    return sum / ldexp((double)measure->batch_length, (int)merges);
}

/* The mean number of packets under way is hardly larger in the later half of
 * the time than in the earlier one: certainly by no more than if a small part
 * of the offered load stayed. That is far more certain than the numbers at two
 * cycles. Longer batches are nearly independent if sources empty repeatedly. */
static bool stability_is_level(const struct stability_work *work)
{
    const struct stability_work longer = stability_of_longer(work);
    const struct nb_replications *all = &work->all;
    double more = 0, variance = 0, offered = 0;
    size_t free = 1; /* degrees of freedom */
    for (size_t i = 0; i < all->count; i++) {
        const struct nb_measure *measure = &all->networks[i].measure;
        const size_t count = measure->batch_count >> longer.merges;
        const size_t half = count / 2;
        double means[2] = { 0 };
        for (size_t b = 0; b < measure->batch_count; b++)
            offered += measure->batch[b].births;
        for (size_t b = 0; b < count; b++)
            means[b >= half] += stability_under_way(&longer, measure, b) /
                                (double)(b < half ? half : count - half);
        for (size_t b = 0; b < count; b++) {
            const double size = (double)(b < half ? half : count - half);
            const double error =
                stability_under_way(&longer, measure, b) - means[b >= half];
            variance += error * error / (size * (size - 1));
        }
        more += means[1] - means[0];
        free += count - 2;
    }
    /* What would stay in half of a replication's time, for all sources
     * together. */
    const double most = STABILITY_ALL * offered / 2;
    return more + nb_t_tail(work->level, free) * sqrt(variance) <= most;
}

/* Above the proved limit, by more than rounding. */
static bool stability_is_beyond(const struct nb_simulation *plan)
{
    const double load = plan->injection.rate * plan->injection.flits;
    return plan->limit.rate > 0 &&
           load > plan->limit.rate * (1 + STABILITY_ROUNDED);
}

/* Below the proved limit, if that is reached: every channel is idle at times,
 * by its exact load. */
static bool stability_is_below(const struct nb_simulation *plan)
{
    const double load = plan->injection.rate * plan->injection.flits;
    return plan->router.model == NB_ROUTER_IDEAL && plan->limit.is_reached &&
           load < plan->limit.rate * (1 - STABILITY_ROUNDED);
}

static enum nb_stability stability_say(struct nb_simulation_result *out,
                                       enum nb_stability verdict,
                                       const char *evidence)
{
    out->evidence = evidence;
    return verdict;
}

/* A network that is not seen to grow, whether or not its channels are idle. */
static enum nb_stability stability_settle(const struct stability_work *work,
                                          struct nb_simulation_result *out)
{
    const struct nb_simulation *plan = work->all.networks[0].plan;
    const bool is_idle = stability_is_idle(work);
    if (work->is_ideal && is_idle)
        return stability_say(out, NB_STABLE,
                             "no queue grows, and every channel is idle at "
                             "times");
    /* Either length of batches may show it, each at half of the level. */
    struct stability_work half = *work;
    half.level /= 2;
    const struct stability_work longer = stability_of_longer(&half);
    const bool is_flat = stability_is_flat(&half) || stability_is_flat(&longer);
    if (stability_is_below(plan) && is_flat)
        return stability_say(out, NB_STABLE,
                             "the number of packets under way does not grow, "
                             "and every channel is idle at times, by its exact "
                             "load");
    out->is_met = is_idle;
    out->carried = 1 - STABILITY_ALL;
    /* An adaptive scheme may keep a channel always busy that others relieve. */
    if ((is_idle || plan->routing->kind->is_adaptive) && is_flat &&
        (stability_are_flat(&half) || stability_are_flat(&longer)))
        return stability_say(
            out, NB_STABLE,
            is_idle ? "the number of packets under way does not grow, and "
                      "every channel is idle at times"
                    : "the number of packets under way does not grow");
    if (is_idle && stability_is_relieved(work) && stability_is_level(work))
        return stability_say(out, NB_STABLE,
                             "every source is empty again and again, the "
                             "number of packets under way does not grow, and "
                             "every channel is idle at times");
    out->carried = 1;
    return stability_say(
        out, NB_UNDECIDED,
        work->is_ideal
            ? "a channel is hardly ever idle, but no queue is seen to grow"
            : "it is uncertain whether the number of packets under way grows");
}

static enum nb_stability stability_find(const struct stability_work *work,
                                        struct nb_simulation_result *out)
{
    const struct nb_simulation *plan = work->all.networks[0].plan;
    for (size_t i = 0; i < work->all.count; i++)
        if (work->all.networks[i].is_full)
            return stability_say(out, NB_SATURATED,
                                 "the permitted number of packets is under "
                                 "way");
    if (plan->injection.kind == NB_INJECT_TRACE ||
        plan->injection.kind == NB_INJECT_BATCH)
        return stability_say(out, NB_STABLE, "every packet arrived");
    if (plan->step_count > 0)
        return stability_say(out, NB_UNDECIDED,
                             "the injected traffic changes within the run");
    if (stability_is_growing(work))
        return stability_say(out, NB_SATURATED,
                             work->is_ideal
                                 ? "queues of channels grow"
                                 : "the number of packets waiting at sources "
                                   "grows");
    if (stability_is_beyond(plan))
        return stability_say(out, NB_SATURATED, plan->limit.basis);
    out->is_met = true;
    if (stability_is_empty(work))
        return stability_say(out, NB_STABLE,
                             "the network is empty again and again");
    return stability_settle(work, out);
}

/* level: probability of a wrong verdict */
static struct stability_work stability_of(const struct nb_network *networks,
                                          size_t count, double level)
{
    const struct nb_measure *measure = &networks[0].measure;
    struct stability_work work = {
        .all = nb_replications_of(networks, count),
        .is_ideal = networks[0].plan->router.model == NB_ROUTER_IDEAL,
        .level = level,
    };
    const size_t each = measure->batch_count;
    while (work.all.is_even && work.merges < NB_MERGES &&
           each % ((size_t)2 << work.merges) == 0 &&
           each >> (work.merges + 1) >= NB_BATCHES)
        work.merges++;
    return work;
}

enum nb_stability nb_summary_look(const struct nb_network *networks,
                                  size_t count, size_t looks)
{
    const struct stability_work work =
        stability_of(networks, count, STABILITY_LEVEL / (double)looks);
    struct nb_simulation_result ignored;
    return stability_find(&work, &ignored);
}

void nb_summary_judge(const struct nb_network *networks, size_t count,
                      struct nb_simulation_result *out)
{
    const struct stability_work work =
        stability_of(networks, count, STABILITY_LEVEL);
    out->carried = 1;
    out->stability = stability_find(&work, out);
    out->is_met = out->is_met && out->stability == NB_STABLE;
}
