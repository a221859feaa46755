#include "bounds/cuts/bisection.h"

#include "core/deal.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "topology/metrics.h"
#include "topology/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The network as the search sees it; weights only guide the search. */
struct bisection_graph {
    const struct nb_topology *topology;
    double *weight; /* [channel] bandwidth, in multiples of a common divisor */
};

/* A division of the routers in two. */
struct bisection_division {
    bool *is_inside;   /* [router_count] */
    int64_t imbalance; /* terminals inside - terminals outside */
    double cut;        /* weight between the sides, both directions */
};

/* Orders of the routers that keep neighbours together. */

enum {
    ORDERS_RANDOM = 4,
    ORDERS_STEPS = 100, /* of the power iteration */
};

struct orders_key {
    double key;
    uint32_t router;
};

static int orders_compare(const void *left, const void *right)
{
    const struct orders_key *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->router < b->router ? -1 : 1;
}

/* The coordinates that a network may have. */
static const struct nb_grid *orders_grid(const struct nb_topology *topology)
{
    return topology->hyperx.dimensions > 0 ? &topology->hyperx
                                           : &topology->grid;
}

static void orders_by_random(size_t index, size_t count, double *key)
{
    struct nb_random random;
    nb_random_init(&random, 1, index);
    for (size_t r = 0; r < count; r++)
        key[r] = nb_random_unit(&random);
}

/* By breadth-first search from router 0, or from the last router reached from
 * there. */
static enum nb_status orders_by_distance(const struct nb_topology *topology,
                                         bool from_last, double *key,
                                         struct nb_error *err)
{
    const size_t routers = topology->router_count;
    struct nb_pool pool = { 0 };
    uint32_t *distance = nb_pool_array(&pool, routers, sizeof *distance);
    uint32_t *queue = nb_pool_array(&pool, routers, sizeof *queue);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "distances", err));
    nb_distances_to(topology, 0, distance, queue);
    if (from_last)
        nb_distances_to(topology, queue[routers - 1], distance, queue);
    for (size_t i = 0; i < routers; i++)
        key[queue[i]] = (double)i;
done:
    nb_pool_release(&pool);
    return status;
}

/* x -> (c - L) x / c, where L is the Laplacian and c twice the greatest weight
 * at a router, then minus the mean: the slowest modes remain. */
static void orders_smooth(const struct bisection_graph *graph, double most,
                          double *x, double *next)
{
    const struct nb_topology *topology = graph->topology;
    const size_t routers = topology->router_count;
    double mean = 0;
    for (size_t r = 0; r < routers; r++)
        next[r] = x[r];
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double flow = graph->weight[c] / (2 * most) *
                            (x[channel->source] - x[channel->target]);
        next[channel->source] -= flow;
        next[channel->target] += flow;
    }
    for (size_t r = 0; r < routers; r++)
        mean += next[r] / (double)routers;
    for (size_t r = 0; r < routers; r++)
        x[r] = next[r] - mean;
}

/* Approximately the eigenvector of the second eigenvalue: [Fiedler1973]. */
static enum nb_status orders_by_mode(const struct bisection_graph *graph,
                                     double *key, struct nb_error *err)
{
    const struct nb_topology *topology = graph->topology;
    double most = 0;
    double *next = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&next, topology->router_count, sizeof *next, "search", err));
    for (size_t c = 0; c < topology->channel_count; c++) {
        next[topology->channels[c].source] += graph->weight[c];
        next[topology->channels[c].target] += graph->weight[c];
    }
    for (size_t r = 0; r < topology->router_count; r++)
        most = next[r] > most ? next[r] : most;
    orders_by_random(0, topology->router_count, key);
    for (int step = 0; step < ORDERS_STEPS; step++)
        orders_smooth(graph, most, key, next);
done:
    nb_delete(next);
    return status;
}

/* Keys of order number index: router numbers (all keys 0), groups, each
 * dimension, distances twice, the slowest mode, random numbers. */
static enum nb_status orders_find_keys(const struct bisection_graph *graph,
                                       size_t index, double *key,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = graph->topology;
    const struct nb_grid *grid = orders_grid(topology);
    const size_t routers = topology->router_count;
    if (index == 0)
        return NB_OK;
    index--;
    if (topology->groups.count > 0 && index-- == 0) {
        for (size_t r = 0; r < routers; r++)
            key[r] = topology->groups.of[r];
        return NB_OK;
    }
    if (index < grid->dimensions) {
        for (size_t r = 0; r < routers; r++)
            key[r] = nb_grid_coordinate(grid, (uint32_t)r, index);
        return NB_OK;
    }
    index -= grid->dimensions;
    if (index < 2)
        return orders_by_distance(topology, index == 1, key, err);
    if (index == 2)
        return orders_by_mode(graph, key, err);
    orders_by_random(index, routers, key);
    return NB_OK;
}

/* The number of orders for this network. */
static size_t bisection_order_count(const struct nb_topology *topology)
{
    const size_t groups = topology->groups.count > 0;
    return 1 + groups + orders_grid(topology)->dimensions + 3 + ORDERS_RANDOM;
}

/*
 * Order number index.
 *
 * order  out, [router_count]: the routers
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status bisection_order(const struct bisection_graph *graph,
                                      size_t index, uint32_t *order,
                                      struct nb_error *err)
{
    const size_t routers = graph->topology->router_count;
    struct nb_pool pool = { 0 };
    double *key = nb_pool_array(&pool, routers, sizeof *key);
    struct orders_key *sorted = nb_pool_array(&pool, routers, sizeof *sorted);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "search", err));
    NB_TRY(orders_find_keys(graph, index, key, err));
    for (size_t r = 0; r < routers; r++)
        sorted[r] = (struct orders_key){ key[r], (uint32_t)r };
    qsort(sorted, routers, sizeof *sorted, orders_compare);
    for (size_t r = 0; r < routers; r++)
        order[r] = sorted[r].router;
done:
    nb_pool_release(&pool);
    return status;
}

/* Divisions and their improvement. */

enum {
    IMPROVE_ROUTERS = 8000, /* largest network in which routers are moved */
    IMPROVE_PASSES = 20,
};

/* One pass; each array is [router_count]. */
struct improve_pass {
    const struct bisection_graph *graph;
    struct bisection_division *division;
    double *gain; /* decrease of the cut if the router moves */
    bool *is_moved;
    uint32_t *moved; /* in this order */
};

/* Whether a is better: halves more equal, or equally so and a smaller cut. */
static bool bisection_is_better(int64_t imbalance_a, double cut_a,
                                int64_t imbalance_b, double cut_b)
{
    const int64_t a = llabs(imbalance_a), b = llabs(imbalance_b);
    return a < b || (a == b && cut_a < cut_b);
}

/* Puts routers inside, in this order, as long as they fit into half of the
 * terminals. */
static void bisection_divide(const struct bisection_graph *graph,
                             const uint32_t *order,
                             struct bisection_division *division)
{
    const struct nb_topology *topology = graph->topology;
    const int64_t terminals = (int64_t)topology->terminal_count;
    int64_t inside = 0;
    memset(division->is_inside, 0,
           topology->router_count * sizeof *division->is_inside);
    for (size_t i = 0; i < topology->router_count && inside < terminals / 2;
         i++) {
        const int64_t own = topology->terminals[order[i]];
        if (inside + own > terminals / 2)
            continue;
        division->is_inside[order[i]] = true;
        inside += own;
    }
    division->imbalance = 2 * inside - terminals;
    division->cut = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        if (division->is_inside[topology->channels[c].source] !=
            division->is_inside[topology->channels[c].target])
            division->cut += graph->weight[c];
}

static void improve_begin(struct improve_pass *pass)
{
    const struct nb_topology *topology = pass->graph->topology;
    const bool *is_inside = pass->division->is_inside;
    for (size_t r = 0; r < topology->router_count; r++) {
        pass->gain[r] = 0;
        pass->is_moved[r] = false;
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double weight =
            is_inside[channel->source] != is_inside[channel->target]
                ? pass->graph->weight[c]
                : -pass->graph->weight[c];
        pass->gain[channel->source] += weight;
        pass->gain[channel->target] += weight;
    }
}

/* The router to move next: from the side with more terminals, or one without
 * terminals; NB_NONE if all have moved. */
static uint32_t improve_choose(const struct improve_pass *pass)
{
    const struct nb_topology *topology = pass->graph->topology;
    const struct bisection_division *division = pass->division;
    uint32_t best = NB_NONE;
    double most = -INFINITY;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (pass->gain[r] <= most || pass->is_moved[r])
            continue;
        const bool may_move =
            topology->terminals[r] == 0 || division->imbalance == 0 ||
            division->is_inside[r] == (division->imbalance > 0);
        if (may_move) {
            most = pass->gain[r];
            best = r;
        }
    }
    return best;
}

/* A channel between a router that has moved and another. */
static void improve_update(struct improve_pass *pass, uint32_t channel,
                           uint32_t moved, uint32_t other)
{
    const bool *is_inside = pass->division->is_inside;
    const double weight = 2 * pass->graph->weight[channel];
    pass->gain[other] +=
        is_inside[moved] != is_inside[other] ? weight : -weight;
}

static void improve_move(struct improve_pass *pass, uint32_t router)
{
    const struct nb_topology *topology = pass->graph->topology;
    struct bisection_division *division = pass->division;
    const int64_t own = 2 * (int64_t)topology->terminals[router];
    division->imbalance += division->is_inside[router] ? -own : own;
    division->is_inside[router] = !division->is_inside[router];
    division->cut -= pass->gain[router];
    pass->is_moved[router] = true;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        improve_update(pass, c, router, topology->channels[c].target);
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t c = topology->in_channel[i];
        improve_update(pass, c, router, topology->channels[c].source);
    }
}

/* Whether the pass improved the division. */
static bool improve_run(struct improve_pass *pass)
{
    struct bisection_division *division = pass->division;
    int64_t imbalance = division->imbalance;
    double cut = division->cut;
    size_t count = 0, best = 0;
    improve_begin(pass);
    for (uint32_t r; (r = improve_choose(pass)) != NB_NONE;) {
        improve_move(pass, r);
        pass->moved[count++] = r;
        /* Rounding errors must not cause endless passes. */
        if (bisection_is_better(division->imbalance, division->cut * (1 + 1e-9),
                                imbalance, cut)) {
            imbalance = division->imbalance;
            cut = division->cut;
            best = count;
        }
    }
    while (count > best) {
        const uint32_t r = pass->moved[--count];
        division->is_inside[r] = !division->is_inside[r];
    }
    division->imbalance = imbalance;
    division->cut = cut;
    return best > 0;
}

/*
 * Moves routers between the sides while that makes the halves more equal, or
 * the cut smaller with halves as they are. In a pass every router moves at most
 * once, the greatest gain first; the pass ends at the best division seen. In
 * very large networks no router is moved.
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status bisection_improve(const struct bisection_graph *graph,
                                        struct bisection_division *division,
                                        struct nb_error *err)
{
    const size_t routers = graph->topology->router_count;
    struct improve_pass pass = { .graph = graph, .division = division };
    struct nb_pool pool = { 0 };
    enum nb_status status = NB_OK;
    if (routers > IMPROVE_ROUTERS)
        return NB_OK;
    pass.gain = nb_pool_array(&pool, routers, sizeof *pass.gain);
    pass.is_moved = nb_pool_array(&pool, routers, sizeof *pass.is_moved);
    pass.moved = nb_pool_array(&pool, routers, sizeof *pass.moved);
    NB_TRY(nb_pool_check(&pool, "search", err));
    for (int i = 0; i < IMPROVE_PASSES && improve_run(&pass); i++)
        ;
done:
    nb_pool_release(&pool);
    return status;
}

/* Greatest common divisor of all bandwidths; unknown if it overflows. */
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

/* The least multiple of the grain that is at least a. */
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

/* The rate of uniform traffic that the channels between routers carry, even
 * where the terminals' channels carry less. */
static enum nb_status bisection_find_rate(const struct nb_topology *topology,
                                          const struct nb_capacity *capacity,
                                          const struct nb_run *run,
                                          struct nb_enclosure *out,
                                          struct nb_error *err)
{
    const struct nb_ratio limit = nb_terminal_limit(topology, nb_ratio_one);
    struct nb_capacity channels = *capacity;
    const bool is_limited = nb_ratio_is_known(capacity->rate.exact) &&
                            !nb_ratio_is_infinite(limit) &&
                            nb_ratio_compare(capacity->rate.exact, limit) == 0;
    if (is_limited || nb_has_failures(topology)) {
        const enum nb_status status =
            nb_capacity_of_channels(topology, run, &channels, err);
        if (status != NB_OK)
            return status;
    }
    *out = channels.rate;
    return NB_OK;
}

static struct nb_enclosure bisection_lower(const struct nb_topology *topology,
                                           struct nb_enclosure rate)
{
    const nb_int128 terminals = (nb_int128)topology->terminal_count;
    const struct nb_ratio pairs =
        nb_ratio_make(terminals / 2 * ((terminals + 1) / 2), terminals);
    /* A single terminal sends only to itself, at any rate. */
    if (pairs.numerator == 0)
        return nb_enclosure_of_ratio(nb_ratio_zero);
    const struct nb_enclosure way = bisection_round_up(
        nb_enclosure_multiply(rate, nb_enclosure_of_ratio(pairs)),
        bisection_grain(topology));
    return nb_enclosure_add(way, way);
}

/* Bandwidth across the division, both directions. */
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

/* The terminals of all routers may have a common divisor that rules out equal
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
                                          size_t index, struct nb_text *result,
                                          struct nb_error *err)
{
    struct bisection_search *search = context;
    const size_t routers = search->graph.topology->router_count;
    struct bisection_division division = { .is_inside = search->is_inside +
                                                        index * routers };
    uint32_t *order = NULL;
    enum nb_status status;
    (void)thread;
    NB_TRY(nb_new(&order, routers, sizeof *order, "search", err));
    NB_TRY(bisection_order(&search->graph, index, order, err));
    bisection_divide(&search->graph, order, &division);
    NB_TRY(bisection_improve(&search->graph, &division, err));
    nb_pack(result, &division.imbalance, sizeof division.imbalance);
    nb_pack(result, &division.cut, sizeof division.cut);
    nb_pack(result, division.is_inside, routers * sizeof(bool));
done:
    nb_delete(order);
    return status;
}

static enum nb_status bisection_take_order(void *context, size_t index,
                                           struct nb_packed *result,
                                           bool *is_enough,
                                           struct nb_error *err)
{
    struct bisection_search *search = context;
    const size_t routers = search->graph.topology->router_count;
    (void)is_enough;
    (void)err;
    nb_unpack(result, &search->imbalance[index], sizeof *search->imbalance);
    nb_unpack(result, &search->cut[index], sizeof *search->cut);
    nb_unpack(result, search->is_inside + index * routers,
              routers * sizeof(bool));
    return NB_OK;
}

static void bisection_set_weights(const struct nb_topology *topology,
                                  double *weight)
{
    const struct nb_ratio grain = bisection_grain(topology);
    const double unit = nb_ratio_value(
        nb_ratio_is_known(grain) ? grain : topology->channels[0].bandwidth);
    for (size_t c = 0; c < topology->channel_count; c++)
        weight[c] = nb_ratio_value(topology->channels[c].bandwidth) / unit;
}

/* The best division from all orders; out->is_inside stays NULL if none halves
 * the terminals. */
static enum nb_status
bisection_search_divisions(const struct nb_topology *topology,
                           const struct nb_run *run, struct nb_bisection *out,
                           struct nb_error *err)
{
    const size_t orders = bisection_order_count(topology);
    const size_t routers = topology->router_count;
    struct nb_pool pool = { 0 };
    struct bisection_search search = {
        .graph = { .topology = topology,
                   .weight = nb_pool_array(&pool, topology->channel_count,
                                           sizeof(double)) },
        .is_inside = nb_pool_array(&pool, orders * routers, sizeof(bool)),
        .imbalance = nb_pool_array(&pool, orders, sizeof(int64_t)),
        .cut = nb_pool_array(&pool, orders, sizeof(double)),
    };
    size_t best = 0;
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "search", err));
    bisection_set_weights(topology, search.graph.weight);
    NB_TRY(nb_deal_tasks(run,
                         &(struct nb_tasks){ .what = "bisection",
                                             .count = orders,
                                             .work = bisection_run_order,
                                             .take = bisection_take_order,
                                             .context = &search },
                         err));
    for (size_t i = 1; i < orders; i++)
        if (bisection_is_better(search.imbalance[i], search.cut[i],
                                search.imbalance[best], search.cut[best]))
            best = i;
    if (llabs(search.imbalance[best]) <= 1) {
        NB_TRY(nb_new(&out->is_inside, routers, sizeof *out->is_inside,
                      "search", err));
        for (size_t r = 0; r < routers; r++)
            out->is_inside[r] = search.is_inside[best * routers + r];
    }
done:
    nb_pool_release(&pool);
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
    out->basis = "lower end: the uniform traffic between any two halves of the "
                 "terminals, at a rate that the network carries; upper end: "
                 "the bandwidth between the best halves found";
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
    if (has_form) /* a regular network has channels */
        value = nb_ratio_multiply(form.value, topology->channels[0].bandwidth);
    const bool is_found = nb_ratio_is_known(value);
    if (!is_found && (topology->router_count > NB_BISECTION_ROUTERS ||
                      !bisection_may_halve(topology)))
        return nb_bisection_bracket(topology, capacity, run, out, err);
    if (!is_found) {
        const enum nb_status status =
            nb_bisection_search(topology, &value, err);
        /* Bandwidths of many digits have no common denominator. */
        if (status == NB_OVERFLOW)
            return nb_bisection_bracket(topology, capacity, run, out, err);
        if (status != NB_OK)
            return status;
    }
    *out = (struct nb_bisection){
        .is_known = true,
        .method = is_found ? "closed form" : "every division tried",
        .source = is_found ? form.source : "",
    };
    out->bandwidth = nb_enclosure_of_ratio(value);
    return NB_OK;
}

void nb_bisection_release(struct nb_bisection *bisection)
{
    nb_delete(bisection->is_inside);
    *bisection = (struct nb_bisection){ 0 };
}
