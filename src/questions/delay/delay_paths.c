#include "questions/delay/delay_paths.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum nb_status nb_delay_paths_reserve(struct nb_delay_paths *paths,
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
    NB_TRY(nb_delay_paths_reserve(out, 1, 1, err));
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
                   "numbers from 0 to 1e6, as 0.9,0.8 or 0.9+0.8)",
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
    NB_TRY(nb_delay_paths_reserve(out, count, 1, err));
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
 * A k-ary n-tree under uniform traffic, heights 1 (leaf switches) to n. A
 * packet's common ancestor has height l or more with probability
 *
 *     F_1 = 1,  F_l = 1 - k^(l-1)/k^n,  F_{n+1} = 0.
 */
enum { TREE_LEVELS = 64 }; /* k^n is more than 64 bits beyond */
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

/* The packets whose common ancestor is at this height. */
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
 * The queue of a channel up from a switch of this height: k channels from
 * below bring load F_height each, of which load F_{height+1} goes on, spread
 * over k ways up.
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
 * The queue of a channel down from a switch of this height, of load F_height:
 * each of k channels from above gives every way down load F_{height+1} / k,
 * and what turns here comes from the k - 1 other subtrees, at the leaves from
 * all k terminals.
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

/* Whether every ratio above fits 64 bits: those of the lowest and the highest
 * heights have the largest parts. */
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
                       "load %Lg over %u^%u terminals is not a ratio of 64 "
                       "bits (permitted with rcar: fewer digits or levels)",
                       tree->load.rho, tree->k, tree->n);
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
    NB_TRY(nb_delay_paths_reserve(paths, 2 * (size_t)n - 1, n, err));
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

/* Distribution and moments of the wait, by Little's law from the queue's mean.
 */
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
        if (is_wait && queue->load.rho > 0) /* else none ever waits */
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
