/* The check virtual-networks: the promises of Randall's theorems and exact
 * tails, compared with simulation (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/locale.h"
#include "core/memory.h"
#include "core/try.h"
#include "questions/virtual_networks/virtual_networks_question.h"
#include "queueing/binomial_tail.h"

#include <math.h>
#include <stdio.h>

#define VIRTUAL_CONFIDENCE 0.99
/* For a sampled distribution of a hundred switches or more. */
#define VIRTUAL_TOLERANCE 0.03

static struct nb_interval virtual_at_least(double least)
{
    return (struct nb_interval){ least, least, INFINITY };
}

static struct nb_interval virtual_at_most(double most)
{
    return (struct nb_interval){ most, -INFINITY, most };
}

static struct nb_interval virtual_counted(double count)
{
    return (struct nb_interval){ count, count, count };
}

static void virtual_add_bound(struct nb_validate_answer *answer,
                              const char *name, struct nb_interval permitted,
                              double simulated)
{
    nb_validation_add(answer, name, NB_VALIDATE_BOUND, permitted,
                      virtual_counted(simulated), 0);
}

/* Packets that a dedicated network delivers in a quarter of a round. Its rounds
 * have half the length, because packets move in half of a round. 0 if a quarter
 * is too short for a packet. */
static enum nb_status
virtual_find_dedicated(const struct nb_validate_answer *answer,
                       const struct nb_run *run,
                       const struct nb_virtual_share *theorem, double *packets,
                       struct nb_error *err)
{
    struct nb_simulation plan = answer->simulation.plan;
    struct nb_simulation_result result = { 0 };
    const struct nb_virtual_result *found = &result.virtual_networks;
    enum nb_status status = NB_OK;
    *packets = 0;
    if (nb_ratio_value(theorem->dedicated) < (double)theorem->levels + 1)
        return NB_OK;
    plan.virtual_router.networks = 1;
    plan.virtual_router.names = 0;
    plan.virtual_router.refused = NULL;
    plan.virtual_router.round =
        nb_ratio_divide(plan.virtual_router.round, nb_ratio_make(2, 1));
    NB_TRY(nb_simulate(&plan, run, &result, err));
    if (found->rounds > 0)
        *packets = (double)(found->acknowledged - found->dropped) /
                   (double)found->rounds;
done:
    nb_simulation_result_release(&result);
    return status;
}

/* Theorem 2, for packets that come at a rate. */
static enum nb_status virtual_share(struct nb_validate_answer *answer,
                                    const struct nb_run *run,
                                    const struct nb_virtual_share *theorem,
                                    struct nb_error *err)
{
    const struct nb_virtual_result *found =
        &answer->simulation.result.virtual_networks;
    const struct nb_simulation *plan = &answer->simulation.plan;
    double dedicated;
    enum nb_status status = NB_OK;
    NB_TRY(nb_validation_simulate(answer, run, err));
    NB_TRY(virtual_find_dedicated(answer, run, theorem, &dedicated, err));
    const double window = (double)found->window;
    virtual_add_bound(answer, "rounds until a virtual network is active",
                      virtual_at_most(plan->virtual_router.networks),
                      found->wait);
    virtual_add_bound(answer, "packets in a queue",
                      virtual_at_most(plan->router.buffer), found->queue);
    answer->leaves_window = found->window == UINT64_MAX;
    if (answer->leaves_window)
        return NB_OK;
    virtual_add_bound(answer, "packets of a virtual network in V + 1 rounds",
                      virtual_at_least(dedicated), window);
    if (dedicated > 0)
        virtual_add_bound(answer, "share of a network of its own",
                          virtual_at_least(nb_ratio_value(theorem->fraction)),
                          window / dedicated *
                              nb_ratio_value(theorem->fraction));
done:
    return status;
}

/* Counts the switches of one replication by their number of packets. */
struct virtual_switches {
    struct nb_ratio small; /* the chance that a packet is small */
    size_t most;
    uint32_t *count; /* [most + 1] */
    const struct nb_virtual_result *found;
};

/* All replications; owns all. */
struct virtual_sample {
    size_t count;
    struct virtual_switches *of;
    double *share; /* [count] scratch */
    uint32_t most; /* packets at a switch */
    double total;  /* switches */
};

static void virtual_release(struct virtual_sample *sample)
{
    for (size_t i = 0; sample->of != NULL && i < sample->count; i++)
        nb_delete(sample->of[i].count);
    nb_delete(sample->of);
    nb_delete(sample->share);
}

/* packets: a log2 N; a switch with C packets has that many small ones on
 * average */
static enum nb_status virtual_sort(const struct nb_virtual_result *found,
                                   int64_t packets,
                                   struct virtual_switches *out,
                                   struct nb_error *err)
{
    out->found = found;
    out->most = found->congestion[0];
    out->small = packets >= (int64_t)out->most
                     ? nb_ratio_one
                     : nb_ratio_make(packets, (nb_int128)found->congestion[0]);
    const enum nb_status status =
        nb_new(&out->count, out->most + 1, sizeof *out->count, "switches", err);
    for (size_t s = 0; status == NB_OK && s < found->switch_count; s++)
        out->count[found->through[s]]++;
    return status;
}

static enum nb_status virtual_take(const struct nb_validate_answer *answer,
                                   int64_t packets, struct virtual_sample *out,
                                   struct nb_error *err)
{
    const char *what = "replications";
    enum nb_status status = NB_OK;
    out->count = answer->simulation.plan.replications;
    NB_TRY(nb_new(&out->of, out->count, sizeof *out->of, what, err));
    NB_TRY(nb_new(&out->share, out->count, sizeof *out->share, what, err));
    for (size_t i = 0; i < out->count; i++) {
        const struct nb_virtual_result *found =
            &answer->replication[i].virtual_networks;
        NB_TRY(virtual_sort(found, packets, &out->of[i], err));
        out->total += (double)found->switch_count;
        if (out->most < found->congestion[0])
            out->most = found->congestion[0];
    }
done:
    return status;
}

/* The expected share of switches with `least` small packets or more; each
 * packet is small independently. */
static double virtual_expect(const struct virtual_sample *sample,
                             uint32_t least)
{
    double sum = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const struct virtual_switches *of = &sample->of[i];
        double switches = 0;
        for (uint32_t n = 1; n <= of->most; n++)
            if (of->count[n] > 0)
                switches += of->count[n] *
                            nb_binomial_at_least(n, of->small, least).upper;
        sum += switches / (double)of->found->switch_count;
    }
    return sum / (double)sample->count;
}

/* The interval of an observed share. If nothing was observed, its upper end is
 * the share that would have been seen with the confidence's probability. */
static struct nb_interval virtual_interval(const struct virtual_sample *sample)
{
    const struct nb_interval found = nb_interval_of(
        nb_estimate_mean(sample->share, sample->count, VIRTUAL_CONFIDENCE), 1);
    const double unseen = -log(1 - VIRTUAL_CONFIDENCE) / sample->total;
    return (struct nb_interval){ found.value, found.lower,
                                 fmax(found.upper, unseen) };
}

/* The simulated share of switches with `least` small packets or more. */
static struct nb_interval virtual_crowded(const struct virtual_sample *sample,
                                          uint32_t least)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct nb_virtual_result *found = sample->of[i].found;
        size_t crowded = 0;
        for (size_t s = 0; s < found->switch_count; s++)
            crowded += found->small[s] >= least;
        sample->share[i] = (double)crowded / (double)found->switch_count;
    }
    return virtual_interval(sample);
}

/* The share of switches with half the congestion or more that have at most
 * `most` small packets. */
static struct nb_interval virtual_few(const struct virtual_sample *sample,
                                      double most)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct nb_virtual_result *found = sample->of[i].found;
        size_t congested = 0, few = 0;
        for (size_t s = 0; s < found->switch_count; s++) {
            const bool is = 2 * (size_t)found->through[s] >= sample->of[i].most;
            congested += is;
            few += is && found->small[s] <= most;
        }
        sample->share[i] = (double)few / (double)congested;
    }
    return virtual_interval(sample);
}

/* Small packets at a switch: exact tails, with an item where half, a tenth, a
 * hundredth .. of the switches have that many; then Lemma 1. */
static void virtual_add_tails(struct nb_validate_answer *answer,
                              const struct virtual_sample *sample,
                              const struct nb_virtual_rounds *lemma)
{
    const double crowd = ceil(lemma->small.upper);
    double beyond = 0.5, expected = 1;
    struct nb_validation_item item = {
        .kind = NB_VALIDATE_EXACT,
        .name = "small packets at a switch",
        .tolerance = nb_validation_tolerance(answer, VIRTUAL_TOLERANCE),
    };
    char name[80];
    answer->has_tails = true;
    for (uint32_t c = 1; c <= sample->most; c++) {
        expected = virtual_expect(sample, c);
        if (expected * sample->total < 1)
            break;
        item.value = c;
        item.predicted = virtual_counted(expected);
        item.simulated = virtual_crowded(sample, c);
        nb_validation_append(answer, &answer->tails, &item);
        if (expected > beyond)
            continue;
        beyond = beyond == 0.5 ? 0.1 : beyond / 10;
        snprintf(name, sizeof name, "switches with %u small packets", c);
        nb_validation_add(answer, name, item.kind, item.predicted,
                          item.simulated, item.tolerance);
    }
    nb_snprintf(name, sizeof name, "switches with %.0f small packets, Lemma 1",
                crowd);
    nb_validation_add(answer, name, NB_VALIDATE_BOUND,
                      virtual_at_most(fmin(1, lemma->crowd_bound.upper)),
                      virtual_crowded(sample, (uint32_t)crowd), 0);
}

/* The most rounds of a replication, and the least decrease of congestion in a
 * round that left some: NAN if none did. */
static void virtual_rounds(const struct nb_validate_answer *answer,
                           double *rounds, double *taken)
{
    *rounds = 0;
    *taken = NAN;
    for (size_t i = 0; i < answer->simulation.plan.replications; i++) {
        const struct nb_virtual_result *found =
            &answer->replication[i].virtual_networks;
        *rounds = fmax(*rounds, (double)found->round_count);
        for (size_t r = 1; r < found->round_count; r++)
            *taken = fmin(*taken, (double)found->congestion[r - 1] -
                                      (double)found->congestion[r]);
    }
}

/* Adds a promise for rounds that are long enough. If a round left small
 * packets, a broken promise proves nothing. */
static void virtual_add_promise(struct nb_validate_answer *answer,
                                const char *name, struct nb_interval promised,
                                double simulated)
{
    struct nb_interval found = virtual_counted(simulated);
    if (answer->small_left > 0 &&
        !(simulated >= promised.lower && simulated <= promised.upper))
        found.lower = NAN;
    nb_validation_add(answer, name, NB_VALIDATE_BOUND, promised, found, 0);
}

/* Theorem 3, for packets that all come at once. */
static enum nb_status
virtual_performance(struct nb_validate_answer *answer, const struct nb_run *run,
                    struct nb_virtual_networks_question request, int64_t levels,
                    struct nb_error *err)
{
    const int64_t small = request.small * levels;
    const double least = (double)small / 4;
    struct virtual_sample sample = { 0 };
    struct nb_virtual_networks_answer theorem;
    double rounds, taken;
    enum nb_status status = NB_OK;
    NB_TRY(nb_validation_replicate(answer, run, err));
    for (size_t i = 0; i < answer->simulation.plan.replications; i++) {
        const struct nb_virtual_result *found =
            &answer->replication[i].virtual_networks;
        if (found->round_count == 0)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "check virtual-networks: no packet passes a switch "
                           "on the only path (permitted: traffic between "
                           "terminals, on a butterfly)"));
        answer->small_left += found->small_left;
    }
    NB_TRY(virtual_take(answer, small, &sample, err));
    request.congestion = sample.most;
    NB_TRY(nb_virtual_networks_ask(&request, run, &theorem, err));
    virtual_rounds(answer, &rounds, &taken);
    virtual_add_promise(answer, "rounds",
                        virtual_at_most((double)theorem.rounds.rounds), rounds);
    if (!isnan(taken))
        virtual_add_promise(answer, "packets that a round removes",
                            virtual_at_least(least), taken);
    nb_validation_add(answer, "switches where a round removes fewer",
                      NB_VALIDATE_BOUND,
                      virtual_at_most(theorem.rounds.few_bound.upper),
                      virtual_few(&sample, least), 0);
    if (nb_ratio_compare(sample.of[0].small, nb_ratio_one) < 0)
        virtual_add_tails(answer, &sample, &theorem.rounds);
done:
    virtual_release(&sample);
    return status;
}

enum nb_status nb_validate_virtual(struct nb_validate_answer *answer,
                                   const struct nb_run *run,
                                   struct nb_error *err)
{
    const struct nb_simulation *plan = &answer->simulation.plan;
    struct nb_virtual_networks_question request = {
        .terminals = (int64_t)plan->topology->terminal_count,
        .round = plan->virtual_router.round,
        .networks = plan->virtual_router.networks,
    };
    struct nb_virtual_networks_answer theorem;
    enum nb_status status = NB_OK;
    NB_TRY(nb_virtual_networks_ask(&request, run, &theorem, err));
    request.small = answer->small;
    status = plan->injection.kind == NB_INJECT_BATCH
                 ? virtual_performance(answer, run, request,
                                       theorem.share.levels, err)
                 : virtual_share(answer, run, &theorem.share, err);
done:
    return status;
}
