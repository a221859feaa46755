/* netbound virtual-networks: progress, fairness and performance of Randall's
 * virtual router, as its theorems promise them. */
#include "questions/virtual_networks/virtual_turns.h"

#include "core/memory.h"
#include "core/try.h"
#include "questions/problem.h"
#include "queueing/binomial_tail.h"

#include <math.h>

/* a as chosen in the proof. */
enum { NETWORKS_PRINTED_SMALL = 32 };

#define NETWORKS(field) offsetof(struct nb_virtual_networks_question, field)

static const struct nb_parameter virtual_networks_options[] = {
    NB_OPTION("terminals", NETWORKS(terminals), NETWORK, WHOLE, "1024",
              "N: inputs of the butterfly, a power of two",
              .counts = "terminals", .least = 2, .most = 1 << 30),
    NB_OPTION("round", NETWORKS(round), ROUTER, NUMBER, "8",
              "A: a round lasts A log2 N cycles", .least = 2, .most = 1e6),
    NB_OPTION("networks", NETWORKS(networks), TRAFFIC, WHOLE, "16",
              "V: virtual networks with packets at some time in the window of "
              "Theorem 2",
              .counts = "networks", .least = 1, .most = 0x1p32),
    NB_OPTION("congestion", NETWORKS(congestion), TRAFFIC, WHOLE, "",
              "C: maximum packets through one switch; also report the rounds "
              "that they take",
              .counts = "packets", .least = 1, .most = 1e7),
    NB_OPTION("small", NETWORKS(small), MEASUREMENT, WHOLE, "32",
              "a: a packet of a round is small if its key is in the lowest "
              "fraction a log2 N / C",
              .least = 1, .most = 300, .with = "congestion"),
    NB_OPTION("small-congestion", NETWORKS(small_count), MEASUREMENT, WHOLE, "",
              "C_s: a switch with this many small packets is overloaded; "
              "default 2 a e log2 N",
              .counts = "packets", .least = 1, .most = 1e7,
              .with = "congestion"),
    NB_OPTION("pending", NETWORKS(pending), TRAFFIC, WORD, "",
              "also report in which order these waiting networks become "
              "active: names 3,5,9",
              .detail = "The order in which tokens make them active."),
    NB_OPTION("active", NETWORKS(active), TRAFFIC, WHOLE, "",
              "with --pending: name of the virtual network that is active now; "
              "default 0",
              .least = 0, .most = 0x1p32 - 1, .with = "pending"),
    NB_OPTION("names", NETWORKS(names), TRAFFIC, WHOLE, "",
              "with --pending: number of possible names; default 2^32",
              .least = 1, .most = 0x1p32, .with = "pending"),
    { 0 },
};

static struct nb_ratio networks_whole(int64_t a)
{
    return nb_ratio_make(a, 1);
}

/* A bracket of a double with this relative error, or with one unit of the least
 * double if it is near 0. value: above 0, or underflowed */
static struct nb_bracket networks_about(double value, double error)
{
    return (struct nb_bracket){ nextafter(value * (1 - error), 0),
                                nextafter(value * (1 + error), INFINITY) };
}

/* A bracket of a double computed in a few operations, each with errors in the
 * last digits. */
static struct nb_bracket networks_near(double value)
{
    return networks_about(value, 1e-12);
}

/* base^exponent, for rounded arguments; it may exceed the range of a double. */
static struct nb_bracket networks_power(double base, double exponent)
{
    return networks_about(pow(base, exponent), 1e-14 * (fabs(exponent) + 10));
}

static struct nb_bracket networks_times(struct nb_bracket a, double factor)
{
    return (struct nb_bracket){ nextafter(a.lower * factor, 0),
                                nextafter(a.upper * factor, INFINITY) };
}

/*
 * Theorem 2: a window of (V + 1) rounds contains one in which a given network
 * is active. Packets move forward in half of that round, in which N2 gets every
 * second cycle of a wire: equivalent to A log2 N / 4 cycles of a dedicated
 * network.
 */
static void networks_share(const struct nb_virtual_networks_question *request,
                           struct nb_virtual_share *out)
{
    const struct nb_ratio levels = networks_whole(out->levels);
    out->round = nb_ratio_multiply(request->round, levels);
    out->window =
        nb_ratio_multiply(out->round, networks_whole(request->networks + 1));
    out->wait =
        nb_ratio_multiply(out->round, networks_whole(request->networks));
    out->dedicated = nb_ratio_divide(out->round, networks_whole(4));
    out->fraction = nb_ratio_make(1, 4 * (request->networks + 1));
}

/* Lemma 1: X ~ Bin(C, a log2 N / C) packets of a switch are small. */
static void networks_crowd(const struct nb_virtual_networks_question *request,
                           int64_t levels, struct nb_virtual_rounds *out)
{
    const double mean = (double)(request->small * levels);
    const double limit = request->small_count > 0 ? (double)request->small_count
                                                  : 2 * M_E * mean;
    const double switches = (double)request->terminals * (double)(levels + 1);
    const uint32_t c = (uint32_t)request->congestion;
    const uint32_t least =
        (uint32_t)fmin(ceil(limit), (double)request->congestion + 1);
    out->small =
        request->small_count > 0
            ? nb_enclosure_of_ratio(networks_whole(request->small_count))
            : nb_enclosure_of_bracket(networks_near(limit));
    out->crowd = nb_binomial_at_least(c, out->probability, least);
    out->crowd_sum = nb_binomial_union(c, out->probability, least);
    out->crowd_bound = networks_power(M_E * mean / limit, limit);
    out->crowd_network = networks_times(out->crowd_bound, switches);
    out->crowd_claim = networks_power((double)request->terminals, -5);
    out->crowd_network_claim = networks_power((double)request->terminals, -3);
}

/* Of a switch with half the congestion, X ~ Bin(C / 2, a log2 N / C) packets
 * are delivered; log2 N a / 4 are promised. Chernoff's bound falls with the
 * number of packets, so that it holds for more than C / 2, too. */
static void networks_few(const struct nb_virtual_networks_question *request,
                         int64_t levels, struct nb_virtual_rounds *out)
{
    const double n = ceil((double)request->congestion / 2);
    const double small = (double)(request->small * levels);
    const double switches = (double)request->terminals * (double)(levels + 1);
    out->few = nb_binomial_at_most((uint32_t)n, out->probability,
                                   (uint32_t)floor(small / 4));
    const struct nb_bracket bound = networks_near(exp(-small / 16));
    /* A round that clears everything promises no number. */
    out->few_bound = (double)request->congestion > small
                         ? bound
                         : (struct nb_bracket){ 1, 1 };
    out->few_network = networks_times(bound, switches);
    if (request->small == NETWORKS_PRINTED_SMALL)
        out->few_claim = networks_power((double)request->terminals, -2.8);
    out->claim = nb_enclosure_of_ratio(nb_ratio_make(1, request->terminals));
    out->claim_holds = out->few_network.upper < 1 / (double)request->terminals;
}

/* Theorem 3: every round removes a log2 N / 4 from the congestion, and the last
 * one all of the a log2 N or fewer that are left, which are all small:
 *
 *     1 + ceil((C - a log2 N) / (a log2 N / 4))
 */
static void networks_rounds(const struct nb_virtual_networks_question *request,
                            const struct nb_virtual_share *share,
                            struct nb_virtual_rounds *out)
{
    if (request->congestion < 1) /* then small is not given either */
        return;
    const int64_t small = request->small * share->levels;
    const int64_t excess = request->congestion - small;
    out->rounds = excess <= 0 ? 1 : 1 + (4 * excess + small - 1) / small;
    out->steps = nb_ratio_multiply(share->round, networks_whole(out->rounds));
    out->probability = small >= request->congestion
                           ? nb_ratio_one
                           : nb_ratio_make(small, request->congestion);
    networks_crowd(request, share->levels, out);
    networks_few(request, share->levels, out);
}

enum nb_status
nb_virtual_networks_ask(const struct nb_virtual_networks_question *request,
                        const struct nb_run *run,
                        struct nb_virtual_networks_answer *out,
                        struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_virtual_networks_answer){ 0 };
    NB_TRY(nb_request_check("virtual-networks", virtual_networks_options,
                            request, err));
    (void)run;
    out->request = *request;
    if ((request->terminals & (request->terminals - 1)) != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%lld terminals are not permitted (permitted: a power "
                       "of two from 2 to 2^30)",
                       (long long)request->terminals));
    while (request->terminals >> out->share.levels > 1)
        out->share.levels++;
    networks_share(request, &out->share);
    if (!nb_ratio_is_known(out->share.window) ||
        !nb_ratio_is_known(out->share.wait) ||
        !nb_ratio_is_known(out->share.dedicated))
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "a window of %lld rounds is too long to count in "
                       "cycles (permitted: fewer networks, or a --round that "
                       "is shorter or has fewer digits)",
                       (long long)request->networks + 1));
    networks_rounds(request, &out->share, &out->rounds);
    if (out->rounds.rounds > 0 && !nb_ratio_is_known(out->rounds.steps))
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "%lld rounds are too long to count in cycles "
                       "(permitted: less congestion, or a --round that is "
                       "shorter or has fewer digits)",
                       (long long)out->rounds.rounds));
    NB_TRY(nb_virtual_turns_find(request, &out->turns, err));
done:
    if (status != NB_OK)
        nb_virtual_networks_answer_release(out);
    return status;
}

void nb_virtual_networks_answer_release(
    struct nb_virtual_networks_answer *answer)
{
    nb_delete(answer->turns.name);
    answer->turns = (struct nb_virtual_turns){ 0 };
}

static void report_share(const struct nb_virtual_share *share,
                         struct nb_point *out)
{
    const char *source = "Randall1994, Theorem 2";
    nb_point_add_exact(out, "window", share->window, "cycles", "counting",
                       source);
    nb_point_add_exact(out, "dedicated_equivalent", share->dedicated, "cycles",
                       "counting", source);
    nb_point_add_exact(out, "guaranteed_fraction", share->fraction, "1",
                       "counting", source);
    nb_point_add_exact(out, "activation_wait", share->wait, "cycles",
                       "counting", source);
    nb_point_add_exact(out, "round_length", share->round, "cycles", "counting",
                       source);
    nb_point_add_exact(out, "levels", networks_whole(share->levels), "1",
                       "counting", source);
}

static void report_bracket(struct nb_point *out, const char *name,
                           struct nb_bracket value, const char *method,
                           const char *source)
{
    nb_point_add_bracket(out, name, value.lower, value.upper, "1", method,
                         source);
}

static void report_rounds(const struct nb_virtual_rounds *rounds,
                          struct nb_point *out)
{
    const char *theorem = "Randall1994, Theorem 3";
    const char *lemma = "Randall1994, Lemma 1";
    const char *exact = "binomial distribution";
    nb_point_add_exact(out, "rounds", networks_whole(rounds->rounds), "rounds",
                       "counting", theorem);
    nb_point_add_exact(out, "steps", rounds->steps, "cycles", "counting",
                       theorem);
    nb_point_add_exact(out, "small_probability", rounds->probability, "1",
                       "counting", lemma);
    nb_point_add_enclosure(out, "small_congestion", rounds->small, "packets",
                           "counting", lemma);
    report_bracket(out, "congestion_tail", rounds->crowd, exact, lemma);
    report_bracket(out, "congestion_tail_sum", rounds->crowd_sum, "union bound",
                   lemma);
    report_bracket(out, "congestion_tail_bound", rounds->crowd_bound,
                   "union bound", lemma);
    report_bracket(out, "congestion_tail_network", rounds->crowd_network,
                   "union bound", lemma);
    report_bracket(out, "congestion_claim", rounds->crowd_claim, "union bound",
                   lemma);
    report_bracket(out, "congestion_network_claim", rounds->crowd_network_claim,
                   "union bound", lemma);
    if (rounds->rounds == 1) /* a single round removes everything */
        return;
    report_bracket(out, "removal_tail", rounds->few, exact, theorem);
    report_bracket(out, "removal_tail_bound", rounds->few_bound,
                   "Chernoff bound", theorem);
    report_bracket(out, "removal_tail_network", rounds->few_network,
                   "Chernoff bound", theorem);
    if (rounds->few_claim.upper > 0)
        report_bracket(out, "removal_tail_claim", rounds->few_claim,
                       "Chernoff bound", theorem);
    nb_point_add_enclosure(out, "removal_claim", rounds->claim, "1", "counting",
                           theorem);
    nb_point_add_exact(out, "claim_holds", networks_whole(rounds->claim_holds),
                       "1 if true", "Chernoff bound", theorem);
}

void nb_virtual_networks_report(const struct nb_virtual_networks_answer *answer,
                                struct nb_point *out)
{
    report_share(&answer->share, out);
    if (answer->rounds.rounds > 0)
        report_rounds(&answer->rounds, out);
    nb_virtual_turns_report(&answer->turns, out);
}

static enum nb_status
virtual_networks_answer(const struct nb_question *question,
                        struct nb_point *out, struct nb_error *err)
{
    struct nb_virtual_networks_answer answer;
    const enum nb_status status = nb_virtual_networks_ask(
        question->request, &question->run, &answer, err);
    if (status == NB_OK)
        nb_virtual_networks_report(&answer, out);
    nb_virtual_networks_answer_release(&answer);
    return status;
}

const struct nb_question_kind nb_question_kind_virtual_networks = {
    .form = {
        .name = "virtual-networks",
.summary = "guaranteed share of each virtual network",
        .example = "netbound virtual-networks --terminals 1024 --round 8 --networks 15",
        .title = "<Shares> of {networks} virtual networks among {terminals} terminals[, congestion {congestion}][, pending {pending}]",
        .options = virtual_networks_options,
        .tables = "activations",
    },
    .size = sizeof(struct nb_virtual_networks_question),
    .answer = virtual_networks_answer,
};
