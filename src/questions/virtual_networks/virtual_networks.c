/* netbound virtual-networks: progress, fairness and performance of Randall's
 * virtual router, as its theorems promise them. */
#include "questions/virtual_networks/virtual_networks_question.h"

#include "core/memory.h"
#include "core/try.h"
#include "questions/problem.h"
#include "queueing/binomial_tail.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

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
    out->has_removal = out->rounds > 1;
    out->has_few_claim =
        out->has_removal && request->small == NETWORKS_PRINTED_SMALL;
    if (out->has_few_claim)
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
    out->has_rounds = true;
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

/* Reads names, each below a limit, from a list "3,5,9"; cuts it in place. */
static enum nb_status turns_read(char *list, int64_t names,
                                 struct nb_virtual_turns *out,
                                 struct nb_error *err)
{
    size_t capacity = 0;
    enum nb_status status = NB_OK;
    while (list != NULL) {
        char *comma = strchr(list, ',');
        int64_t name;
        if (comma != NULL)
            *comma = '\0';
        NB_TRY(
            nb_integer_read(list, "virtual network", 0, names - 1, &name, err));
        NB_TRY(nb_reserve(&out->name, &capacity, out->count + 1,
                          sizeof *out->name, "virtual networks", err));
        out->name[out->count++] = (uint64_t)name;
        list = comma != NULL ? comma + 1 : NULL;
    }
done:
    return status;
}

/* Sorts the names into the order in which they win the token, each as the next
 * after the one before. */
static enum nb_status turns_sort(struct nb_virtual_turns *turns, uint64_t after,
                                 uint64_t names, struct nb_error *err)
{
    for (size_t i = 0; i < turns->count; i++) {
        size_t first = i;
        for (size_t j = i + 1; j < turns->count; j++)
            if (nb_token_rank(turns->name[j], after, names) <
                nb_token_rank(turns->name[first], after, names))
                first = j;
        const uint64_t winner = turns->name[first];
        if (i > 0 && winner == turns->name[i - 1])
            return nb_fail(err, NB_INVALID,
                           "virtual network %llu is pending twice (permitted: "
                           "each once)",
                           (unsigned long long)winner);
        turns->name[first] = turns->name[i];
        turns->name[i] = winner;
    }
    return NB_OK;
}

/* Finds the order of the networks in request->pending; none if it is not
 * given. */
static enum nb_status
turns_find(const struct nb_virtual_networks_question *request,
           struct nb_virtual_turns *out, struct nb_error *err)
{
    const int64_t names = request->names > 0 ? request->names : 0x100000000;
    const int64_t active = request->active > 0 ? request->active : 0;
    struct nb_text list = { 0 };
    enum nb_status status = NB_OK;
    if (request->pending == NULL)
        return NB_OK;
    if (active >= names)
        return nb_fail(err, NB_INVALID,
                       "virtual network %lld cannot be active: there are %lld "
                       "names (permitted: 0 to %lld)",
                       (long long)active, (long long)names,
                       (long long)names - 1);
    nb_text_print(&list, "%s", request->pending);
    NB_TRY(nb_text_check(&list, err));
    NB_TRY(turns_read(list.bytes, names, out, err));
    NB_TRY(turns_sort(out, (uint64_t)active, (uint64_t)names, err));
    out->next = (int64_t)out->name[0];
done:
    nb_text_release(&list);
    return status;
}

static enum nb_status
virtual_networks_compute(const struct nb_virtual_networks_question *request,
                         const struct nb_run *run,
                         struct nb_virtual_networks_answer *out,
                         struct nb_error *err)
{
    struct nb_virtual_share *share = &out->share;
    enum nb_status status;
    (void)run;
    if ((request->terminals & (request->terminals - 1)) != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%lld terminals are not permitted (permitted: a power "
                       "of two from 2 to 2^30)",
                       (long long)request->terminals));
    while (request->terminals >> share->levels > 1)
        share->levels++;
    networks_share(request, share);
    if (!nb_ratio_is_known(share->window) || !nb_ratio_is_known(share->wait) ||
        !nb_ratio_is_known(share->dedicated))
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "a window of %lld rounds is too long to count in "
                       "cycles (permitted: fewer networks, or a --round that "
                       "is shorter or has fewer digits)",
                       (long long)request->networks + 1));
    networks_rounds(request, share, &out->rounds);
    if (out->rounds.rounds > 0 && !nb_ratio_is_known(out->rounds.steps))
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "%lld rounds are too long to count in cycles "
                       "(permitted: less congestion, or a --round that is "
                       "shorter or has fewer digits)",
                       (long long)out->rounds.rounds));
    NB_TRY(turns_find(request, &out->turns, err));
done:
    return status;
}

void nb_virtual_networks_answer_release(
    struct nb_virtual_networks_answer *answer)
{
    nb_delete(answer->turns.name);
    answer->turns = (struct nb_virtual_turns){ 0 };
}

#define NETWORKS_OF(field) offsetof(struct nb_virtual_networks_answer, field)
#define NETWORKS_ROW(field, name, ...)                                         \
    NB_QUANTITY(struct nb_virtual_networks_answer, field, name, __VA_ARGS__)
#define NETWORKS_LEMMA(field, name, unit, ...)                                 \
    NETWORKS_ROW(rounds.field, name, unit, .source = "Randall1994, Lemma 1",   \
                 .only_if = NETWORKS_OF(rounds.has_rounds),                    \
                 .method = __VA_ARGS__)
#define NETWORKS_UNION(field, name)                                            \
    NETWORKS_LEMMA(field, name, "1", "union bound")
#define NETWORKS_THEOREM(condition, field, name, unit, ...)                    \
    NETWORKS_ROW(rounds.field, name, unit, .source = "Randall1994, Theorem 3", \
                 .only_if = NETWORKS_OF(rounds.condition),                     \
                 .method = __VA_ARGS__)
#define NETWORKS_FEW(condition, field, name, unit)                             \
    NETWORKS_THEOREM(condition, field, name, unit, "Chernoff bound")
#define NETWORKS_EXACT "binomial distribution"

static const struct nb_quantity_row networks_rows[] = {
    NETWORKS_ROW(share.window, "window", "cycles"),
    NETWORKS_ROW(share.dedicated, "dedicated_equivalent", "cycles"),
    NETWORKS_ROW(share.fraction, "guaranteed_fraction", "1"),
    NETWORKS_ROW(share.wait, "activation_wait", "cycles"),
    NETWORKS_ROW(share.round, "round_length", "cycles"),
    NETWORKS_ROW(share.levels, "levels", "1"),
    NETWORKS_THEOREM(has_rounds, rounds, "rounds", "rounds", "counting"),
    NETWORKS_THEOREM(has_rounds, steps, "steps", "cycles", "counting"),
    NETWORKS_LEMMA(probability, "small_probability", "1", "counting"),
    NETWORKS_LEMMA(small, "small_congestion", "packets", "counting"),
    NETWORKS_LEMMA(crowd, "congestion_tail", "1", NETWORKS_EXACT),
    NETWORKS_UNION(crowd_sum, "congestion_tail_sum"),
    NETWORKS_UNION(crowd_bound, "congestion_tail_bound"),
    NETWORKS_UNION(crowd_network, "congestion_tail_network"),
    NETWORKS_UNION(crowd_claim, "congestion_claim"),
    NETWORKS_UNION(crowd_network_claim, "congestion_network_claim"),
    NETWORKS_THEOREM(has_removal, few, "removal_tail", "1", NETWORKS_EXACT),
    NETWORKS_FEW(has_removal, few_bound, "removal_tail_bound", "1"),
    NETWORKS_FEW(has_removal, few_network, "removal_tail_network", "1"),
    NETWORKS_FEW(has_few_claim, few_claim, "removal_tail_claim", "1"),
    NETWORKS_THEOREM(has_removal, claim, "removal_claim", "1", "counting"),
    NETWORKS_FEW(has_removal, claim_holds, "claim_holds", "1 if true"),
    { 0 },
};
static const struct nb_quantity_row networks_turns[] = {
    NETWORKS_ROW(turns.next, "next_active", "1"),
    { 0 },
};
static const struct nb_table_kind networks_activations =
    NB_TABLE("activations", "round,network");

static void
virtual_networks_report(const struct nb_virtual_networks_answer *answer,
                        struct nb_point *out)
{
    const struct nb_virtual_turns *turns = &answer->turns;
    nb_point_add_quantities(out, networks_rows, answer, NULL, "counting",
                            "Randall1994, Theorem 2");
    if (turns->count == 0)
        return;
    nb_point_add_quantities(out, networks_turns, answer, NULL, "counting",
                            "Randall1994, section 2.4");
    const size_t table = nb_table_start(out, &networks_activations);
    for (size_t i = 0; i <= turns->count; i++)
        NB_ROW(out, table, i + 1, (int64_t)turns->name[i % turns->count]);
}

NB_DEFINE_QUESTION(virtual_networks);
NB_DEFINE_RELEASE(virtual_networks);

const struct nb_question_kind nb_question_kind_virtual_networks = {
    .form = {
        .name = "virtual-networks",
        .summary = "guaranteed share of each virtual network",
        .example = "netbound virtual-networks --terminals 1024 --round 8 --networks 15",
        .title = "<Shares> of {networks} virtual networks among {terminals} terminals[, congestion {congestion}][, pending {pending}]",
        .options = virtual_networks_options,
        .quantities = NB_QUANTITIES(networks_rows, networks_turns),
        .tables = NB_TABLES(&networks_activations),
    },
    NB_CALLS_OF(virtual_networks),
    .release = virtual_networks_release,
};
