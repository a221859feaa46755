#include "bounds/cuts/bisection.h"

#include "bounds/cuts/bisection_work.h"
#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>
#include <stdlib.h>

/* What divides every channel's bandwidth; not known if it does not fit. */
static struct nb_ratio bisection_grain(const struct nb_topology *topology)
{
    struct nb_ratio grain = topology->channels[0].bandwidth;
    for (size_t c = 1; c < topology->channel_count; c++) {
        const struct nb_ratio other = topology->channels[c].bandwidth;
        const int64_t denominator =
            nb_unite(grain.denominator, other.denominator, INT64_MAX);
        if (denominator == 0)
            return (struct nb_ratio){ 0, 0 };
        /* In lowest terms, the numerators' divisor is prime to it. */
        grain.numerator = (int64_t)nb_gcd((uint64_t)grain.numerator,
                                          (uint64_t)other.numerator);
        grain.denominator = denominator;
    }
    return grain;
}

/* The least multiple of the grain that is no less than a. */
static struct nb_enclosure bisection_round_up(struct nb_enclosure a,
                                              struct nb_ratio grain)
{
    if (!nb_ratio_is_known(grain))
        return a;
    const struct nb_enclosure count =
        nb_enclosure_divide(a, nb_enclosure_of_ratio(grain));
    const struct nb_ratio exact = count.exact;
    double whole = ceil(count.lower);
    if (nb_ratio_is_known(exact) && !nb_ratio_is_infinite(exact))
        whole = (double)(exact.numerator / exact.denominator +
                         (exact.numerator % exact.denominator > 0));
    /* Beyond 2^53 the count itself may have been rounded up. */
    if (whole > 9e15)
        return a;
    const struct nb_enclosure rounded = nb_enclosure_multiply(
        nb_enclosure_of_double(whole), nb_enclosure_of_ratio(grain));
    return nb_ratio_is_known(rounded.exact) ? rounded : a;
}

/* The rate of uniform traffic that the channels between routers carry, also
 * where those of the terminals carry less. */
static enum nb_status bisection_find_rate(const struct nb_topology *topology,
                                          const struct nb_capacity *capacity,
                                          const struct nb_run *run,
                                          struct nb_enclosure *out,
                                          struct nb_error *err)
{
    const struct nb_ratio limit = nb_terminal_limit(topology, nb_ratio_one);
    struct nb_topology unlimited = *topology; /* owns nothing */
    struct nb_capacity channels = *capacity;
    const bool is_limited = nb_ratio_is_known(capacity->exact) &&
                            !nb_ratio_is_infinite(limit) &&
                            nb_ratio_compare(capacity->exact, limit) == 0;
    unlimited.terminal_bandwidth = (struct nb_ratio){ 0, 0 };
    if (is_limited) {
        const enum nb_status status =
            nb_capacity_find(&unlimited, run, &channels, err);
        if (status != NB_OK)
            return status;
    }
    *out =
        (struct nb_enclosure){ channels.exact, channels.lower, channels.upper };
    return NB_OK;
}

static struct nb_enclosure bisection_lower(const struct nb_topology *topology,
                                           struct nb_enclosure rate)
{
    const nb_int128 terminals = (nb_int128)topology->terminal_count;
    const struct nb_ratio pairs =
        nb_ratio_make(terminals / 2 * ((terminals + 1) / 2), terminals);
    /* One terminal sends to none but itself, at any rate. */
    if (pairs.numerator == 0)
        return nb_enclosure_of_ratio(nb_ratio_zero);
    const struct nb_enclosure way = bisection_round_up(
        nb_enclosure_multiply(rate, nb_enclosure_of_ratio(pairs)),
        bisection_grain(topology));
    return nb_enclosure_add(way, way);
}

/* What crosses the division, both ways. */
static struct nb_enclosure bisection_count(const struct nb_topology *topology,
                                           const bool *is_inside)
{
    struct nb_enclosure sum = nb_enclosure_of_ratio(nb_ratio_zero);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (is_inside[channel->source] != is_inside[channel->target])
            sum = nb_enclosure_add(sum,
                                   nb_enclosure_of_ratio(channel->bandwidth));
    }
    return sum;
}

/* Routers may all have multiples of so many terminals that no sums of them are
 * halves: five routers of three terminals. */
static bool bisection_may_halve(const struct nb_topology *topology)
{
    uint64_t unit = topology->terminal_count;
    for (size_t r = 0; r < topology->router_count; r++)
        unit = nb_gcd(unit, topology->terminals[r]);
    return unit == 1 || topology->terminal_count / unit % 2 == 0;
}

struct bisection_search {
    struct bisection_graph graph;
    bool *is_inside;    /* [order][router] */
    int64_t *imbalance; /* [order] */
    double *cut;        /* [order] */
};

static enum nb_status bisection_run_order(void *context, int thread,
                                          size_t index, struct nb_error *err)
{
    struct bisection_search *search = context;
    const size_t routers = search->graph.topology->router_count;
    struct bisection_division division = { .is_inside = search->is_inside +
                                                        index * routers };
    uint32_t *order = NULL;
    enum nb_status status;
    (void)thread;
    NB_TRY(nb_new(&order, routers, sizeof *order, "search", err));
    NB_TRY(nb_bisection_order(&search->graph, index, order, err));
    nb_bisection_divide(&search->graph, order, &division);
    NB_TRY(nb_bisection_improve(&search->graph, &division, err));
    search->imbalance[index] = division.imbalance;
    search->cut[index] = division.cut;
done:
    nb_delete(order);
    return status;
}

static enum nb_status bisection_set_weights(struct bisection_graph *graph,
                                            struct nb_error *err)
{
    const struct nb_topology *topology = graph->topology;
    const struct nb_ratio grain = bisection_grain(topology);
    const enum nb_status status =
        nb_new(&graph->weight, topology->channel_count, sizeof *graph->weight,
               "weights", err);
    const double unit = nb_ratio_value(
        nb_ratio_is_known(grain) ? grain : topology->channels[0].bandwidth);
    if (status != NB_OK)
        return status;
    for (size_t c = 0; c < topology->channel_count; c++)
        graph->weight[c] =
            nb_ratio_value(topology->channels[c].bandwidth) / unit;
    return NB_OK;
}

/* The best division from all orders; out->is_inside stays NULL if none halves
 * the terminals. */
static enum nb_status
bisection_search_divisions(const struct nb_topology *topology,
                           const struct nb_run *run, struct nb_bisection *out,
                           struct nb_error *err)
{
    const size_t orders = nb_bisection_order_count(topology);
    const size_t routers = topology->router_count;
    struct bisection_search search = { .graph = { .topology = topology } };
    size_t best = 0;
    enum nb_status status;
    NB_TRY(bisection_set_weights(&search.graph, err));
    NB_TRY(nb_new(&search.is_inside, orders * routers, sizeof *search.is_inside,
                  "search", err));
    NB_TRY(nb_new(&search.imbalance, orders, sizeof *search.imbalance, "search",
                  err));
    NB_TRY(nb_new(&search.cut, orders, sizeof *search.cut, "search", err));
    NB_TRY(nb_run_tasks(run, "bisection", orders, bisection_run_order, &search,
                        err));
    for (size_t i = 1; i < orders; i++)
        if (nb_bisection_is_better(search.imbalance[i], search.cut[i],
                                   search.imbalance[best], search.cut[best]))
            best = i;
    if (llabs(search.imbalance[best]) <= 1) {
        NB_TRY(nb_new(&out->is_inside, routers, sizeof *out->is_inside,
                      "search", err));
        for (size_t r = 0; r < routers; r++)
            out->is_inside[r] = search.is_inside[best * routers + r];
    }
done:
    nb_delete(search.graph.weight);
    nb_delete(search.is_inside);
    nb_delete(search.imbalance);
    nb_delete(search.cut);
    return status;
}

enum nb_status nb_bisection_bracket(const struct nb_topology *topology,
                                    const struct nb_capacity *capacity,
                                    const struct nb_run *run,
                                    struct nb_bisection *out,
                                    struct nb_error *err)
{
    struct nb_enclosure rate;
    enum nb_status status;
    *out = (struct nb_bisection){ .source = "" };
    NB_TRY(nb_topology_check(topology, err));
    if (!bisection_may_halve(topology))
        return NB_OK;
    NB_TRY(bisection_search_divisions(topology, run, out, err));
    if (out->is_inside == NULL)
        return NB_OK;
    NB_TRY(bisection_find_rate(topology, capacity, run, &rate, err));
    const struct nb_enclosure lower = bisection_lower(topology, rate);
    const struct nb_enclosure upper = bisection_count(topology, out->is_inside);
    out->is_known = true;
    out->bandwidth.lower = lower.lower;
    out->bandwidth.upper = upper.upper;
    if (nb_ratio_is_known(lower.exact) && nb_ratio_is_known(upper.exact) &&
        nb_ratio_compare(lower.exact, upper.exact) == 0)
        out->bandwidth = upper;
    out->method = "bracket: uniform traffic carried; best division found";
    out->basis = "at least what uniform traffic sends between any halves of "
                 "the terminals at a rate that is carried, at most what "
                 "crosses the best halves found";
done:
    if (status != NB_OK)
        nb_bisection_release(out);
    return status;
}

enum nb_status nb_bisection_find(const struct nb_topology *topology,
                                 const struct nb_capacity *capacity,
                                 const struct nb_run *run,
                                 struct nb_bisection *out, struct nb_error *err)
{
    const enum nb_status known = nb_topology_check(topology, err);
    *out = (struct nb_bisection){ .source = "" };
    if (known != NB_OK)
        return known;
    const bool has_form = topology->kind->bisection != NULL &&
                          nb_topology_is_regular(topology) &&
                          bisection_may_halve(topology);
    const struct nb_closed_form form =
        has_form ? topology->kind->bisection(topology)
                 : (struct nb_closed_form){ { 0, 0 }, "" };
    struct nb_ratio value = { 0, 0 };
    if (has_form) /* of a regular network, so that it has channels */
        value = nb_ratio_multiply(form.value, topology->channels[0].bandwidth);
    const bool is_found = nb_ratio_is_known(value);
    if (!is_found && (topology->router_count > NB_BISECTION_ROUTERS ||
                      !bisection_may_halve(topology)))
        return nb_bisection_bracket(topology, capacity, run, out, err);
    *out = (struct nb_bisection){
        .is_known = true,
        .method = is_found ? "closed form" : "every division tried",
        .source = is_found ? form.source : "",
    };
    if (!is_found) {
        const enum nb_status status =
            nb_bisection_search(topology, &value, err);
        if (status != NB_OK)
            return status;
    }
    out->bandwidth = nb_enclosure_of_ratio(value);
    return NB_OK;
}

void nb_bisection_release(struct nb_bisection *bisection)
{
    nb_delete(bisection->is_inside);
    *bisection = (struct nb_bisection){ 0 };
}
