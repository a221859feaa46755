#include "queueing/delay_paths.h"

#include "optimum/worst_traffic.h"
#include "core/memory.h"
#include "core/twofold.h"
#include "load/tree_flows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocates queues and paths. */
static enum nb_status paths_reserve(struct nb_delay_paths *paths,
                                    size_t queue_count, size_t path_count,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&paths->queues, queue_count, sizeof *paths->queues, "queues",
                  err));
    paths->queue_count = queue_count;
    NB_TRY(nb_new(&paths->delay.paths, path_count, sizeof *paths->delay.paths,
                  "paths", err));
    paths->delay.path_count = path_count;
done:
    return status;
}

void nb_delay_paths_release(struct nb_delay_paths *paths)
{
    for (size_t i = 0; i < paths->queue_count; i++) {
        nb_arrivals_release(&paths->queues[i].arrivals);
        nb_distribution_release(&paths->queues[i].hop.distribution);
    }
    nb_delete(paths->queues);
    nb_delay_release(&paths->delay);
    *paths = (struct nb_delay_paths){ 0 };
}

enum nb_status nb_delay_paths_alike(size_t count, struct nb_queue_load load,
                                    const struct nb_arrivals *arrivals,
                                    struct nb_delay_paths *out,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(paths_reserve(out, 1, 1, err));
    NB_TRY(nb_delay_path_reserve(out->delay.paths, count, err));
    out->queues[0].load = load;
    out->queues[0].arrivals = *arrivals;
    out->delay.paths[0].weight = nb_ratio_one;
    for (size_t i = 0; i < count; i++)
        out->delay.paths[0].hops[i] = &out->queues[0].hop;
done:
    return status;
}

static enum nb_status paths_refuse_loads(const char *text, struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "loads \"%.60s\" is not permitted (permitted: 1 to %d "
                   "numbers from 0 to 1e6, such as 0.9,0.8 or 0.9+0.8)",
                   text, NB_DELAY_HOPS);
}

/* Reads "0.9,0.8" or "0.9+0.8" into loads[NB_DELAY_HOPS]. */
static enum nb_status paths_read_loads(const char *text, struct nb_ratio *loads,
                                       size_t *count, struct nb_error *err)
{
    *count = 0;
    for (const char *part = text; part != NULL;) {
        char digits[64] = "";
        const size_t length = strcspn(part, ",+");
        struct nb_ratio load;
        if (length < sizeof digits)
            memcpy(digits, part, length);
        if (*count == NB_DELAY_HOPS ||
            nb_ratio_read(digits, &load, NULL) != NB_OK || load.numerator < 0 ||
            nb_ratio_value(load) > 1e6)
            return paths_refuse_loads(text, err);
        loads[(*count)++] = load;
        part = part[length] != '\0' ? part + length + 1 : NULL;
    }
    return NB_OK;
}

enum nb_status nb_delay_paths_loads(const char *text,
                                    const struct nb_arrivals *arrivals,
                                    struct nb_delay_paths *out,
                                    struct nb_error *err)
{
    struct nb_ratio loads[NB_DELAY_HOPS];
    struct nb_delay_queue *queue = NULL;
    size_t count;
    enum nb_status status = NB_OK;
    NB_TRY(paths_read_loads(text, loads, &count, err));
    NB_TRY(paths_reserve(out, count, 1, err));
    NB_TRY(nb_delay_path_reserve(out->delay.paths, count, err));
    out->queue_count = 0;
    out->delay.paths[0].weight = nb_ratio_one;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || nb_ratio_compare(loads[i], loads[i - 1]) != 0) {
            queue = &out->queues[out->queue_count++];
            snprintf(queue->name, sizeof queue->name, "%zu", i + 1);
            queue->load = nb_load_of_ratio(loads[i]);
            queue->arrivals = *arrivals;
        }
        out->delay.paths[0].hops[i] = &queue->hop;
    }
done:
    return status;
}

/*
 * A k-ary n-tree under uniform traffic, with heights 1 (leaf switches) to n. A
 * packet's common ancestor has height l or more with probability
 *
 *     F_1 = 1,  F_l = 1 - k^(l-1)/k^n,  F_{n+1} = 0.
 */
enum { TREE_LEVELS = 64 }; /* beyond, k^n needs more than 64 bits */
struct tree {
    uint32_t k, n;
    struct nb_queue_load load;
    const struct nb_arrivals *arrivals;
};

static struct nb_ratio tree_reaching(const struct tree *tree, uint32_t height)
{
    struct nb_ratio share = nb_ratio_one; /* k^(height-1) / k^n */
    if (height == 1)
        return nb_ratio_one;
    for (uint32_t i = height; i <= tree->n; i++)
        share = nb_ratio_divide(share, nb_ratio_make(tree->k, 1));
    return nb_ratio_subtract(nb_ratio_one, share);
}

/* The fraction of packets whose common ancestor is at this height. */
static struct nb_ratio tree_turning(const struct tree *tree, uint32_t height)
{
    return nb_ratio_subtract(tree_reaching(tree, height),
                             tree_reaching(tree, height + 1));
}

static struct nb_ratio tree_each(const struct tree *tree, struct nb_ratio share,
                                 uint32_t inputs)
{
    return nb_ratio_divide(nb_ratio_multiply(tree->load.exact, share),
                           nb_ratio_make(inputs, 1));
}

/*
 * The queue of a channel up from a switch of this height. k channels from below
 * bring load F_height each; the part F_{height+1} of it continues, spread over
 * k channels up.
 */
static void tree_up(const struct tree *tree, uint32_t height,
                    struct nb_delay_queue *queue)
{
    snprintf(queue->name, sizeof queue->name, "up %u", height);
    queue->arrivals = *tree->arrivals;
    queue->load =
        nb_load_of_ratio(tree_each(tree, tree_reaching(tree, height + 1), 1));
}

/*
 * The queue of a channel down from a switch of this height, of load F_height.
 * Each of k channels from above brings load F_{height+1} / k to each channel
 * down. The packets that turn here come from the k - 1 other subtrees, at the
 * leaves from all k terminals.
 */
static enum nb_status tree_down(const struct tree *tree, uint32_t height,
                                struct nb_delay_queue *queue,
                                struct nb_error *err)
{
    const uint32_t k = tree->k, above = height < tree->n ? k : 0;
    const uint32_t turning = height == 1 ? k : k - 1;
    snprintf(queue->name, sizeof queue->name, "down %u", height);
    queue->arrivals = *tree->arrivals;
    queue->load =
        nb_load_of_ratio(tree_each(tree, tree_reaching(tree, height), 1));
    if (tree->arrivals->kind != NB_ARRIVE_BERNOULLI)
        return NB_OK;
    const size_t count = (size_t)above + turning;
    struct nb_ratio *p = NULL;
    const enum nb_status status = nb_new(&p, count, sizeof *p, "inputs", err);
    if (status != NB_OK)
        return status;
    queue->arrivals.probabilities = p;
    queue->arrivals.probability_count = count;
    const struct nb_ratio from_above =
        tree_each(tree, tree_reaching(tree, height + 1), k);
    const struct nb_ratio from_below =
        tree_each(tree, tree_turning(tree, height), turning);
    for (size_t i = 0; i < count; i++)
        p[i] = i < above ? from_above : from_below;
    return NB_OK;
}

/* Checks that every ratio above fits 64 bits: the lowest and the highest
 * heights have the largest numerators and denominators. */
static enum nb_status tree_check(const struct tree *tree, struct nb_error *err)
{
    for (uint32_t height = 1; height <= tree->n; height++) {
        const uint32_t turning = height == 1 ? tree->k : tree->k - 1;
        const struct nb_ratio above =
            tree_each(tree, tree_reaching(tree, height + 1), tree->k);
        const struct nb_ratio below =
            tree_each(tree, tree_turning(tree, height), turning);
        if (nb_ratio_is_known(above) && nb_ratio_is_known(below) &&
            nb_ratio_is_known(tree_reaching(tree, height)))
            continue;
        return nb_fail(err, NB_INVALID,
                       "load %g over %u^%u terminals does not fit a ratio of "
                       "64 bits (permitted with rcar: fewer digits or levels)",
                       tree->load.rho.high, tree->k, tree->n);
    }
    return NB_OK;
}

enum nb_status nb_delay_paths_tree(uint32_t k, uint32_t n,
                                   struct nb_queue_load load,
                                   const struct nb_arrivals *arrivals,
                                   struct nb_delay_paths *paths,
                                   struct nb_error *err)
{
    const struct tree tree = { k, n, load, arrivals };
    enum nb_status status = NB_OK;
    if (k < 2 || n < 1 || n > TREE_LEVELS)
        return nb_fail(err, NB_INVALID,
                       "a %u-ary %u-tree (permitted: k from 2 on, n from 1 to "
                       "%d)",
                       k, n, TREE_LEVELS);
    NB_TRY(tree_check(&tree, err));
    NB_TRY(paths_reserve(paths, 2 * (size_t)n - 1, n, err));
    struct nb_delay_queue *up = paths->queues, *down = up + n - 1;
    for (uint32_t height = 1; height < n; height++)
        tree_up(&tree, height, &up[height - 1]);
    for (uint32_t height = 1; height <= n; height++)
        NB_TRY(tree_down(&tree, height, &down[height - 1], err));
    for (uint32_t level = 1; level <= n; level++) {
        struct nb_delay_path *path = &paths->delay.paths[level - 1];
        NB_TRY(nb_delay_path_reserve(path, 2 * (size_t)level - 1, err));
        path->weight = tree_turning(&tree, level);
        for (uint32_t i = 0; i + 1 < level; i++)
            path->hops[i] = &up[i].hop;
        for (uint32_t i = 0; i < level; i++)
            path->hops[path->count - 1 - i] = &down[i].hop;
    }
    paths->is_by_level = true;
done:
    return status;
}

static struct nb_enclosure paths_enclose(struct nb_ratio exact,
                                         struct nb_bracket bracket)
{
    if (nb_ratio_is_known(exact))
        return nb_enclosure_of_ratio(exact);
    if (bracket.upper == 0)
        return nb_enclosure_of_ratio(nb_ratio_zero);
    return (struct nb_enclosure){ .lower = bracket.lower,
                                  .upper = bracket.upper };
}

/* Finds the distribution and moments of the wait, by Little's law from the
 * queue's mean. */
static enum nb_status paths_wait(struct nb_queue_load load,
                                 struct nb_hop_delay *hop, struct nb_error *err)
{
    struct nb_distribution wait = { 0 };
    const enum nb_status status =
        nb_distribution_wait(&hop->distribution, &wait, err);
    if (status != NB_OK)
        return status;
    const struct nb_ratio mean = nb_ratio_divide(
        nb_ratio_subtract(hop->mean.exact, load.exact), load.exact);
    nb_distribution_release(&hop->distribution);
    hop->distribution = wait;
    hop->mean = paths_enclose(mean, nb_distribution_mean(&wait));
    hop->variance = paths_enclose((struct nb_ratio){ 0, 0 },
                                  nb_distribution_variance(&wait));
    return NB_OK;
}

enum nb_status nb_delay_paths_solve(struct nb_delay_paths *paths, bool is_wait,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < paths->queue_count; i++) {
        const struct nb_delay_queue *queue = &paths->queues[i];
        struct nb_hop_delay *hop = &paths->queues[i].hop;
        struct nb_ratio mean, variance;
        NB_TRY(nb_arrivals_law(&queue->arrivals, queue->load,
                               &hop->distribution, err));
        nb_arrivals_moments(&queue->arrivals, queue->load, &mean, &variance);
        hop->mean =
            paths_enclose(mean, nb_distribution_mean(&hop->distribution));
        hop->variance = paths_enclose(
            variance, nb_distribution_variance(&hop->distribution));
        if (is_wait && queue->load.rho.high > 0) /* else no packet ever waits */
            NB_TRY(paths_wait(queue->load, hop, err));
    }
    for (size_t i = 0; i < paths->delay.path_count; i++) {
        struct nb_delay_path *path = &paths->delay.paths[i];
        for (size_t k = 0; k < path->kind_count; k++)
            path->distributions[k] = &path->hops[k]->distribution;
    }
done:
    return status;
}

/*
 * Kinds of queues: queues of the same height and direction whose inputs send at
 * the same rates are of one kind. Owns its arrays; zero-initialised is valid.
 */
struct kinds {
    struct nb_tree_flows flows;
    uint32_t *of; /* [2 * subtrees] see kinds_at */
    size_t count;
    struct kind {
        enum nb_tree_direction direction;
        uint32_t height, subtree; /* first subtree of this kind */
        bool is_only;             /* for its height and direction */
    } * kinds;
};

/* The inputs of one queue at injection rate 1, greatest first. */
struct row {
    uint32_t subtree;
    size_t width;
    const struct nb_ratio *rates; /* [width] */
};

/* The kind of the channels between the subtree of this height that contains the
 * leaf and what is above it (height 0, down: to its terminals). */
static uint32_t kinds_at(const struct kinds *kinds,
                         enum nb_tree_direction direction, uint32_t height,
                         uint32_t leaf)
{
    const uint32_t subtree = nb_tree_flows_subtree(&kinds->flows, leaf, height);
    return kinds
        ->of[2 * (kinds->flows.start[height] + subtree) + (size_t)direction];
}

static void kinds_release(struct kinds *kinds)
{
    nb_tree_flows_release(&kinds->flows);
    nb_delete(kinds->of);
    nb_delete(kinds->kinds);
    *kinds = (struct kinds){ 0 };
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
        "the rates of the queues' inputs do not fit ratios of 64 bits "
        "(permitted: fewer digits of loads and rates, or levels)");
}

/* Finds the inputs of one queue, greatest first.
 *
 * width  in: room; out: their number */
static enum nb_status kinds_inputs(const struct kinds *kinds,
                                   const struct kind *kind,
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

/* Adds the kinds of sorted rows: each run of equal rows is a kind. */
static enum nb_status kinds_add(struct kinds *kinds, struct kind kind,
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

/* Finds the kinds of all queues of one height and direction. */
static enum nb_status kinds_find_of(struct kinds *kinds,
                                    enum nb_tree_direction direction,
                                    uint32_t height, struct nb_error *err)
{
    const uint32_t count = nb_tree_flows_count(&kinds->flows, height);
    const size_t most = 2 * (size_t)kinds->flows.tree.arity;
    struct kind kind = { .direction = direction, .height = height };
    struct nb_ratio *rates = NULL;
    struct row *rows = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require((double)count * (double)most * sizeof *rates,
                             "the queues' inputs", err));
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

static enum nb_status kinds_find(struct kinds *kinds, struct nb_error *err)
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
 * Sets the inputs that send, at the given load. For equal inputs only their
 * number is set, which gives the queue's moments as ratios.
 *
 * rates  [width]  greatest first; overwritten
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

static enum nb_status kinds_queues(const struct kinds *kinds,
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
        const struct kind *kind = &kinds->kinds[i];
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

/* Whether terminals send more than one packet per cycle, which no channel to a
 * switch can carry. */
static bool kinds_flood(const struct nb_tree_flows *flows,
                        struct nb_queue_load load)
{
    const uint32_t k = flows->tree.arity;
    const struct nb_twofold most = nb_twofold_divide(
        nb_twofold_of((nb_int128)flows->denominator * k), load.rho);
    for (uint32_t leaf = 0; leaf < flows->tree.words; leaf++)
        if (nb_twofold_is_less(
                most,
                nb_twofold_of((nb_int128)(flows->out[leaf] +
                                          flows->turning[(size_t)leaf * k]))))
            return true;
    return false;
}

/* Classes of leaves whose packets have met the same kinds of queues so far on
 * the way up, or down. */
struct classes {
    enum nb_tree_direction direction;
    size_t count;
    uint32_t *of; /* [leaf] */
    struct way {
        uint32_t class, kind, leaf;
    } * ways; /* [leaves] by class, then leaf */
};

struct ways {
    const struct kinds *kinds;
    const struct nb_topology *topology;
    const struct nb_traffic *traffic;
    struct nb_delay_paths *paths;
    struct classes classes[NB_MIX_PARTS];
    uint64_t *rate;   /* [router] a column of the traffic */
    nb_uint128 *sum;  /* [leaves] of rates, by class of the source */
    uint32_t *number; /* [kinds or leaves] a new number, or NB_NONE */
    nb_uint128 total; /* sum of all rates */
};

static int ways_compare(const void *a, const void *b)
{
    const struct way *left = a, *right = b;
    if (left->class != right->class)
        return left->class < right->class ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return (left->leaf > right->leaf) - (left->leaf < right->leaf);
}

/* Splits classes by the kind of the next queue. */
static void ways_refine(const struct ways *work, struct classes *classes,
                        uint32_t height)
{
    const uint32_t leaves = work->kinds->flows.tree.words;
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        classes->ways[leaf] = (struct way){
            classes->of[leaf],
            kinds_at(work->kinds, classes->direction, height, leaf),
            leaf,
        };
    qsort(classes->ways, leaves, sizeof *classes->ways, ways_compare);
    classes->count = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        const struct way *way = &classes->ways[i];
        if (i == 0 || way->class != way[-1].class || way->kind != way[-1].kind)
            classes->count++;
        classes->of[way->leaf] = (uint32_t)classes->count - 1;
    }
}

/* Enters the sources' sums as shares of one class of destinations and clears
 * them. */
static enum nb_status ways_add_shares(struct ways *work, uint32_t last,
                                      struct nb_distribution_mix *mix,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t u = 0; u < work->classes[NB_MIX_FIRST].count; u++) {
        if (work->sum[u] == 0)
            continue;
        NB_TRY(nb_grow_one(&mix->shares, mix->share_count, sizeof *mix->shares,
                           "path classes", err));
        work->total += work->sum[u];
        if (work->total > INT64_MAX)
            return nb_fail(
                err, NB_OVERFLOW,
                "the sum of the traffic's rates does not fit in 63 bits over "
                "their common denominator (permitted: fewer digits)");
        mix->total += (uint64_t)work->sum[u];
        mix->shares[mix->share_count++] =
            (struct nb_distribution_share){ { u, last },
                                            (uint64_t)work->sum[u] };
        work->sum[u] = 0;
    }
done:
    return status;
}

/* Adds up the packets that turn at this height, one class of destinations after
 * the other. */
static enum nb_status ways_share(struct ways *work, uint32_t height,
                                 struct nb_distribution_mix *mix,
                                 struct nb_error *err)
{
    const struct nb_tree_flows *flows = &work->kinds->flows;
    const struct classes *last = &work->classes[NB_MIX_LAST];
    const bool is_by_root = flows->is_by_root;
    const uint32_t leaves = flows->tree.words;
    uint32_t span = 1, near = 0; /* leaves below that height, and below the
                                  * previous one */
    enum nb_status status = NB_OK;
    for (uint32_t h = 1; h < height; h++) {
        near = is_by_root ? 0 : span;
        span *= flows->tree.arity;
    }
    for (uint32_t i = 0; i < leaves; i++) {
        const uint32_t d = last->ways[i].leaf, first = d - d % span;
        const uint32_t skip = near > 0 ? d - d % near : leaves;
        NB_TRY(nb_traffic_column(work->traffic, work->topology, d, work->rate,
                                 err));
        for (uint32_t s = first; s < first + span; s++)
            if ((s < skip || s >= skip + near) && work->rate[s] > 0)
                work->sum[work->classes[NB_MIX_FIRST].of[s]] += work->rate[s];
        if (i + 1 == leaves || last->of[last->ways[i + 1].leaf] != last->of[d])
            NB_TRY(ways_add_shares(work, last->of[d], mix, err));
    }
done:
    return status;
}

/* Renumbers the classes that have shares, in order. */
static void ways_compress(struct ways *work, struct nb_distribution_mix *mix,
                          int part)
{
    const size_t count = work->classes[part].count;
    for (size_t i = 0; i < count; i++)
        work->number[i] = NB_NONE;
    for (size_t i = 0; i < mix->share_count; i++)
        work->number[mix->shares[i].part[part]] = 0;
    for (size_t i = 0; i < count; i++)
        if (work->number[i] != NB_NONE)
            work->number[i] = (uint32_t)mix->count[part]++;
    for (size_t i = 0; i < mix->share_count; i++)
        mix->shares[i].part[part] = work->number[mix->shares[i].part[part]];
}

/* Lists the kinds of queues in path order, for every class with shares (by
 * work->number). */
static enum nb_status ways_parts(struct ways *work, uint32_t height,
                                 struct nb_distribution_mix *mix, int part,
                                 struct nb_error *err)
{
    const struct classes *classes = &work->classes[part];
    const uint32_t leaves = work->kinds->flows.tree.words;
    const bool is_up = part == NB_MIX_FIRST;
    ways_compress(work, mix, part);
    mix->width[part] = is_up ? height - 1 : height;
    const enum nb_status status =
        nb_new(&mix->distributions[part], mix->count[part] * mix->width[part],
               sizeof *mix->distributions[part], "path classes", err);
    if (status != NB_OK)
        return status;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        const uint32_t number = work->number[classes->of[leaf]];
        if (number == NB_NONE)
            continue;
        for (uint32_t i = 0; i < mix->width[part]; i++)
            mix->distributions[part][number * mix->width[part] + i] =
                kinds_at(work->kinds, classes->direction,
                         is_up ? i + 1 : height - 1 - i, leaf);
    }
    return NB_OK;
}

/* Gives the path its kinds of queues, renumbered. */
static enum nb_status ways_hops(struct ways *work, struct nb_delay_path *path,
                                struct nb_error *err)
{
    struct nb_distribution_mix *mix = &path->mix;
    uint32_t count = 0;
    for (size_t i = 0; i < work->kinds->count; i++)
        work->number[i] = NB_NONE;
    for (int part = 0; part < NB_MIX_PARTS; part++)
        for (size_t i = 0; i < mix->count[part] * mix->width[part]; i++) {
            uint32_t *distribution = &mix->distributions[part][i];
            if (work->number[*distribution] == NB_NONE)
                work->number[*distribution] = count++;
        }
    const enum nb_status status = nb_delay_path_reserve(path, count, err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < work->kinds->count; i++)
        if (work->number[i] != NB_NONE)
            path->hops[work->number[i]] = &work->paths->queues[i].hop;
    for (int part = 0; part < NB_MIX_PARTS; part++)
        for (size_t i = 0; i < mix->count[part] * mix->width[part]; i++)
            mix->distributions[part][i] =
                work->number[mix->distributions[part][i]];
    return NB_OK;
}

static enum nb_status ways_path(struct ways *work, uint32_t height,
                                struct nb_delay_path *path,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(ways_share(work, height, &path->mix, err));
    for (int part = 0; part < NB_MIX_PARTS; part++)
        NB_TRY(ways_parts(work, height, &path->mix, part, err));
    NB_TRY(ways_hops(work, path, err));
    path->count = 2 * (size_t)height - 1;
done:
    return status;
}

static enum nb_status ways_reserve(struct ways *work, struct nb_error *err)
{
    const uint32_t leaves = work->kinds->flows.tree.words;
    const size_t numbers =
        work->kinds->count > leaves ? work->kinds->count : leaves;
    enum nb_status status = NB_OK;
    for (int part = 0; part < NB_MIX_PARTS; part++) {
        struct classes *classes = &work->classes[part];
        classes->direction = part == NB_MIX_FIRST ? NB_TREE_UP : NB_TREE_DOWN;
        classes->count = 1;
        NB_TRY(nb_new(&classes->of, leaves, sizeof *classes->of, "path classes",
                      err));
        NB_TRY(nb_new(&classes->ways, leaves, sizeof *classes->ways,
                      "path classes", err));
    }
    NB_TRY(nb_new(&work->rate, work->topology->router_count, sizeof *work->rate,
                  "rates", err));
    NB_TRY(nb_new(&work->sum, leaves, sizeof *work->sum, "rates", err));
    NB_TRY(nb_new(&work->number, numbers, sizeof *work->number, "path classes",
                  err));
done:
    return status;
}

/* Sets the paths' weights; the sum of all totals fits 63 bits. */
static enum nb_status ways_weigh(const struct ways *work, struct nb_error *err)
{
    struct nb_delay *delay = &work->paths->delay;
    if (work->total == 0)
        return nb_fail(err, NB_INVALID,
                       "traffic %s sends no packets (permitted: one that "
                       "does)",
                       work->traffic->specification.kind->name);
    for (size_t i = 0; i < delay->path_count; i++)
        delay->paths[i].weight = nb_ratio_make(
            (nb_int128)delay->paths[i].mix.total, (nb_int128)work->total);
    return NB_OK;
}

/*
 * Finds the paths of all pairs and sums them by the kinds of queues that they
 * pass: one mixture for each height at which packets turn.
 *
 * paths  out, with the queues by kind; path h - 1 turns at height h; with
 *        is_by_root, the only path turns at the roots
 *
 * Errors: NB_INVALID if there are no packets; NB_OVERFLOW; NB_NO_MEMORY.
 */
static enum nb_status ways_find(const struct kinds *kinds,
                                const struct nb_topology *topology,
                                const struct nb_traffic *traffic,
                                struct nb_delay_paths *paths,
                                struct nb_error *err)
{
    struct ways work = {
        .kinds = kinds, .topology = topology, .traffic = traffic, .paths = paths
    };
    const uint32_t levels = kinds->flows.tree.levels;
    const bool is_by_root = kinds->flows.is_by_root;
    enum nb_status status = NB_OK;
    NB_TRY(ways_reserve(&work, err));
    for (uint32_t height = 1; height <= levels; height++) {
        if (height > 1)
            ways_refine(&work, &work.classes[NB_MIX_FIRST], height - 1);
        ways_refine(&work, &work.classes[NB_MIX_LAST], height - 1);
        if (!is_by_root || height == levels)
            NB_TRY(ways_path(&work, height,
                             &paths->delay.paths[is_by_root ? 0 : height - 1],
                             err));
    }
    NB_TRY(ways_weigh(&work, err));
done:
    for (int part = 0; part < NB_MIX_PARTS; part++) {
        nb_delete(work.classes[part].of);
        nb_delete(work.classes[part].ways);
    }
    nb_delete(work.rate);
    nb_delete(work.sum);
    nb_delete(work.number);
    return status;
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
    struct kinds kinds = { 0 };
    struct nb_worst_search search = { .routing = &routing };
    const struct nb_worst_traffic worst = { nb_worst_search_run, &search };
    enum nb_status status = NB_OK;
    NB_TRY(nb_topology_build(topology, &network, err));
    NB_TRY(
        nb_routing_build(is_by_root ? "rrr" : "rcar", &network, &routing, err));
    NB_TRY(nb_traffic_build_for(traffic, &network, true, &worst, &matrix, err));
    NB_TRY(nb_tree_flows_find(&routing, &matrix, &kinds.flows, err));
    NB_TRY(kinds_find(&kinds, err));
    NB_TRY(paths_reserve(paths, kinds.count,
                         is_by_root ? 1 : network.tree.levels, err));
    NB_TRY(kinds_queues(&kinds, load, arrivals, paths->queues, err));
    NB_TRY(ways_find(&kinds, &network, &matrix, paths, err));
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
