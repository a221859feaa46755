/* Queues of a traffic in a fat tree, with the rate of every input. */
#include "cli/delay_traffic.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* The inputs of one queue at injection rate 1, the greatest first. */
struct row {
    uint32_t subtree;
    size_t width;
    const struct nb_ratio *rates; /* [width] */
};

uint32_t nb_delay_kinds_at(const struct nb_delay_kinds *kinds,
                           enum nb_tree_direction direction, uint32_t height,
                           uint32_t leaf)
{
    const uint32_t subtree = nb_tree_flows_subtree(&kinds->flows, leaf, height);
    return kinds
        ->of[2 * (kinds->flows.start[height] + subtree) + (size_t)direction];
}

static void kinds_release(struct nb_delay_kinds *kinds)
{
    nb_tree_flows_release(&kinds->flows);
    nb_delete(kinds->of);
    nb_delete(kinds->kinds);
    *kinds = (struct nb_delay_kinds){ 0 };
}

static int kinds_compare_rates(const void *a, const void *b)
{
    const struct nb_ratio *left = a, *right = b;
    return nb_ratio_compare(*right, *left);
}

static int kinds_compare_inputs(const struct row *left, const struct row *right)
{
    int order = 0;
    for (size_t i = 0; i < left->width && order == 0; i++)
        order = nb_ratio_compare(left->rates[i], right->rates[i]);
    return order;
}

static int kinds_compare_rows(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    const int order = kinds_compare_inputs(left, right);
    return order != 0 ? order
                      : (left->subtree > right->subtree) -
                            (left->subtree < right->subtree);
}

static enum nb_status kinds_refuse(struct nb_error *err)
{
    return nb_fail(
        err, NB_OVERFLOW,
        "the queues' inputs have rates that are no ratios of 64 bits "
        "(permitted: fewer digits of loads and rates, or levels)");
}

/* The inputs of one queue, the greatest first; width as there is room for. */
static enum nb_status kinds_inputs(const struct nb_delay_kinds *kinds,
                                   const struct nb_delay_kind *kind,
                                   struct nb_ratio *rates, size_t *width,
                                   struct nb_error *err)
{
    *width = nb_tree_flows_inputs(&kinds->flows, kind->direction, kind->height,
                                  kind->subtree, rates);
    for (size_t i = 0; i < *width; i++)
        if (!nb_ratio_is_known(rates[i]))
            return kinds_refuse(err);
    qsort(rates, *width, sizeof *rates, kinds_compare_rates);
    return NB_OK;
}

/* Equal rows are neighbours: each run of them is a kind. */
static enum nb_status kinds_add(struct nb_delay_kinds *kinds,
                                struct nb_delay_kind kind,
                                const struct row *rows, uint32_t count,
                                struct nb_error *err)
{
    const size_t first = kinds->count;
    enum nb_status status = NB_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || kinds_compare_inputs(&rows[i], &rows[i - 1]) != 0) {
            NB_TRY(nb_grow(&kinds->kinds, kinds->count + 1,
                           sizeof *kinds->kinds, "kinds of queues", err));
            kind.subtree = rows[i].subtree;
            kinds->kinds[kinds->count++] = kind;
        }
        kinds->of[2 * (kinds->flows.start[kind.height] + rows[i].subtree) +
                  (size_t)kind.direction] = (uint32_t)kinds->count - 1;
    }
    kinds->kinds[first].is_only = kinds->count == first + 1;
done:
    return status;
}

/* All queues of one height and direction. */
static enum nb_status kinds_find_of(struct nb_delay_kinds *kinds,
                                    enum nb_tree_direction direction,
                                    uint32_t height, struct nb_error *err)
{
    const uint32_t count = nb_tree_flows_count(&kinds->flows, height);
    const size_t most = 2 * (size_t)kinds->flows.tree.arity;
    struct nb_delay_kind kind = { .direction = direction, .height = height };
    struct nb_ratio *rates = NULL;
    struct row *rows = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require((double)count * (double)most * sizeof *rates,
                             "the inputs of queues", err));
    NB_TRY(nb_new(&rates, count * most, sizeof *rates, "inputs", err));
    NB_TRY(nb_new(&rows, count, sizeof *rows, "inputs", err));
    for (uint32_t c = 0; c < count; c++) {
        kind.subtree = c;
        rows[c] = (struct row){ c, 0, rates + c * most };
        NB_TRY(
            kinds_inputs(kinds, &kind, rates + c * most, &rows[c].width, err));
    }
    qsort(rows, count, sizeof *rows, kinds_compare_rows);
    NB_TRY(kinds_add(kinds, kind, rows, count, err));
done:
    nb_delete(rates);
    nb_delete(rows);
    return status;
}

static enum nb_status kinds_find(struct nb_delay_kinds *kinds,
                                 struct nb_error *err)
{
    const struct nb_tree_flows *flows = &kinds->flows;
    const uint32_t top = flows->tree.levels - 1;
    const size_t subtrees = flows->start[top] + nb_tree_flows_count(flows, top);
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&kinds->of, 2 * subtrees, sizeof *kinds->of,
                  "kinds of queues", err));
    for (uint32_t height = 1; height <= top; height++)
        NB_TRY(kinds_find_of(kinds, NB_TREE_UP, height, err));
    for (uint32_t height = 0; height <= top; height++)
        NB_TRY(kinds_find_of(kinds, NB_TREE_DOWN, height, err));
done:
    return status;
}

/*
 * Inputs that send, at the load asked for: equal ones by their number alone,
 * which gives the queue's moments as ratios.
 *
 * rates  [width]  the greatest first; spent
 */
static enum nb_status kinds_arrivals(struct nb_ratio *rates, size_t width,
                                     struct nb_queue_load load,
                                     struct nb_delay_queue *queue,
                                     struct nb_error *err)
{
    struct nb_ratio sum = nb_ratio_zero;
    size_t count = 0;
    for (size_t i = 0; i < width; i++) {
        rates[i] = nb_ratio_multiply(rates[i], load.exact);
        sum = nb_ratio_add(sum, rates[i]);
        count += rates[i].numerator > 0;
    }
    if (!nb_ratio_is_known(sum))
        return kinds_refuse(err);
    queue->load = nb_load_of_ratio(sum);
    queue->arrivals.radix = count > 0 ? (int64_t)count : 1;
    if (queue->arrivals.kind != NB_ARRIVE_BERNOULLI || count == 0 ||
        nb_ratio_compare(rates[0], rates[count - 1]) == 0)
        return NB_OK;
    const enum nb_status status = nb_new(&queue->arrivals.probabilities, count,
                                         sizeof *rates, "inputs", err);
    if (status != NB_OK)
        return status;
    queue->arrivals.probability_count = count;
    for (size_t i = 0; i < count; i++)
        queue->arrivals.probabilities[i] = rates[i];
    return NB_OK;
}

static enum nb_status kinds_queues(const struct nb_delay_kinds *kinds,
                                   struct nb_queue_load load,
                                   const struct nb_arrivals *arrivals,
                                   struct nb_delay_queue *queues,
                                   struct nb_error *err)
{
    struct nb_ratio *rates = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&rates, 2 * (size_t)kinds->flows.tree.arity, sizeof *rates,
                  "inputs", err));
    for (size_t i = 0; i < kinds->count; i++) {
        const struct nb_delay_kind *kind = &kinds->kinds[i];
        const bool is_up = kind->direction == NB_TREE_UP;
        const int length =
            snprintf(queues[i].name, sizeof queues[i].name, "%s %u",
                     is_up ? "up" : "down", kind->height + (is_up ? 0 : 1));
        size_t width;
        if (!kind->is_only)
            snprintf(queues[i].name + length,
                     sizeof queues[i].name - (size_t)length, " at %u",
                     kind->subtree);
        queues[i].arrivals = *arrivals;
        NB_TRY(kinds_inputs(kinds, kind, rates, &width, err));
        NB_TRY(kinds_arrivals(rates, width, load, &queues[i], err));
    }
done:
    nb_delete(rates);
    return status;
}

/* Whether terminals send more than a packet a cycle, which no channel to a
 * switch carries. */
static bool kinds_flood(const struct nb_tree_flows *flows,
                        struct nb_queue_load load)
{
    const uint32_t k = flows->tree.arity;
    const long double most = (long double)flows->denominator * k / load.rho;
    for (uint32_t leaf = 0; leaf < flows->tree.words; leaf++)
        if ((long double)(flows->out[leaf] + flows->turning[(size_t)leaf * k]) >
            most)
            return true;
    return false;
}

enum nb_status nb_delay_paths_traffic(const char *topology, const char *traffic,
                                      bool is_by_root,
                                      struct nb_queue_load load,
                                      const struct nb_arrivals *arrivals,
                                      struct nb_delay_paths *paths,
                                      struct nb_error *err)
{
    struct nb_topology network = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_traffic matrix = { 0 };
    struct nb_delay_kinds kinds = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_topology_build(topology, &network, err));
    NB_TRY(nb_traffic_build(traffic, &network, true, &matrix, err));
    NB_TRY(
        nb_routing_build(is_by_root ? "rrr" : "rcar", &network, &routing, err));
    NB_TRY(nb_tree_flows_find(&routing, &matrix, &kinds.flows, err));
    NB_TRY(kinds_find(&kinds, err));
    NB_TRY(nb_delay_paths_reserve(paths, kinds.count,
                                  is_by_root ? 1 : network.tree.levels, err));
    NB_TRY(kinds_queues(&kinds, load, arrivals, paths->queues, err));
    NB_TRY(nb_delay_ways_find(&kinds, &network, &matrix, paths, err));
    paths->is_by_level = !is_by_root;
    paths->is_of_traffic = true;
    paths->is_saturated = kinds_flood(&kinds.flows, load);
done:
    kinds_release(&kinds);
    nb_traffic_release(&matrix);
    nb_routing_release(&routing);
    nb_topology_release(&network);
    return status;
}
