#include "load/tree_flows.h"

#include "core/memory.h"
#include "routing/walker.h"

#include <assert.h>

/* Limit of switches times leaves: takes seconds, as each leaf's column is
 * made. */
static const double tree_most_steps = 1 << 28;

static uint32_t tree_power(uint32_t k, uint32_t exponent)
{
    uint32_t power = 1;
    for (uint32_t i = 0; i < exponent; i++)
        power *= k;
    return power;
}

/* Number of leaves in a subtree. */
static uint32_t tree_leaves(const struct nb_tree_flows *flows, uint32_t height)
{
    return height < 2 ? 1 : tree_power(flows->tree.arity, height - 1);
}

uint32_t nb_tree_flows_count(const struct nb_tree_flows *flows, uint32_t height)
{
    return flows->tree.words / tree_leaves(flows, height);
}

uint32_t nb_tree_flows_subtree(const struct nb_tree_flows *flows, uint32_t leaf,
                               uint32_t height)
{
    return leaf / tree_leaves(flows, height);
}

/* The height of the least subtree that contains both leaves. */
static uint32_t tree_common(const struct nb_tree_flows *flows, uint32_t source,
                            uint32_t target)
{
    uint32_t height = 1;
    for (; source != target; height++) {
        source /= flows->tree.arity;
        target /= flows->tree.arity;
    }
    return height;
}

/* Routes from leaf 0 to the farthest leaf of each of its subtrees: those that
 * turn at height h take 2 (h - 1) hops. */
static enum nb_status tree_find_turns(const struct nb_routing *routing,
                                      struct nb_tree_flows *flows,
                                      struct nb_error *err)
{
    const uint32_t source = 0;
    struct nb_walker walker = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_init(routing, NULL, &walker, err));
    flows->is_by_root = true;
    for (uint32_t height = 1; height <= flows->tree.levels; height++) {
        NB_TRY(nb_walker_go(&walker, tree_leaves(flows, height) - 1, &source, 1,
                            0, 0, err));
        flows->turn[height] = walker.longest / 2 + 1;
        flows->is_by_root =
            flows->is_by_root && flows->turn[height] == flows->tree.levels;
    }
done:
    nb_walker_release(&walker);
    return status;
}

/* Adds a pair's packets at every subtree on their path. */
static void tree_add(struct nb_tree_flows *flows, uint32_t source,
                     uint32_t target, uint64_t rate)
{
    const uint32_t k = flows->tree.arity;
    const uint32_t top = flows->turn[tree_common(flows, source, target)] - 1;
    for (uint32_t h = 0; h < top; h++) {
        flows->out[flows->start[h] + source] += rate;
        flows->in[flows->start[h] + target] += rate;
        if (h > 0) { /* height 0 and 1: the leaves */
            source /= k;
            target /= k;
        }
    }
    flows->turning[(flows->start[top] + target) * k +
                   (top == 0 ? 0 : source % k)] += rate;
}

static enum nb_status tree_reserve(struct nb_tree_flows *flows,
                                   struct nb_error *err)
{
    const struct nb_tree *tree = &flows->tree;
    const double switches = (double)tree->levels * tree->words;
    struct nb_pool *pool = &flows->pool;
    enum nb_status status = NB_OK;
    size_t count = 0;
    if (switches * tree->words > tree_most_steps)
        return nb_fail(err, NB_INVALID,
                       "a fat tree of %u leaf switches and %.0f switches is "
                       "too large for traffic that is not uniform (permitted: "
                       "up to %.0f pairs of a switch and a leaf)",
                       tree->words, switches, tree_most_steps);
    for (uint32_t h = 0; h < tree->levels; h++) {
        flows->start[h] = count;
        count += nb_tree_flows_count(flows, h);
    }
    NB_TRY(nb_memory_require((tree->arity + 2.0) * sizeof *flows->in *
                                 (double)count,
                             "the flows of a fat tree", err));
    flows->out = nb_pool_array(pool, count, sizeof *flows->out);
    flows->in = nb_pool_array(pool, count, sizeof *flows->in);
    flows->turning =
        nb_pool_array(pool, count * tree->arity, sizeof *flows->turning);
    NB_TRY(nb_pool_check(pool, "flows", err));
done:
    return status;
}

enum nb_status nb_tree_flows_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  struct nb_tree_flows *out,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    uint64_t *rate = NULL;
    enum nb_status status = NB_OK;
    assert(topology->tree.levels > 0);
    if (nb_has_failures(topology))
        return nb_fail(err, NB_INVALID,
                       "the flows of a fat tree with failures are not those "
                       "of its levels (permitted: fail=none)");
    *out = (struct nb_tree_flows){ .tree = topology->tree,
                                   .denominator = traffic->denominator };
    NB_TRY(tree_reserve(out, err));
    NB_TRY(tree_find_turns(routing, out, err));
    NB_TRY(nb_new(&rate, topology->router_count, sizeof *rate, "rates", err));
    for (uint32_t d = 0; d < out->tree.words; d++) {
        NB_TRY(nb_traffic_column(traffic, topology, d, rate, err));
        for (uint32_t s = 0; s < out->tree.words; s++)
            if (rate[s] > 0)
                tree_add(out, s, d, rate[s]);
    }
done:
    nb_delete(rate);
    if (status != NB_OK)
        nb_tree_flows_release(out);
    return status;
}

/* flow / k^exponent: the part on one of that many channels. */
static struct nb_ratio tree_rate(const struct nb_tree_flows *flows,
                                 nb_uint128 flow, uint32_t exponent)
{
    nb_int128 ways = (nb_int128)flows->denominator;
    for (uint32_t i = 0; i < exponent; i++)
        ways *= flows->tree.arity;
    return nb_ratio_make((nb_int128)flow, ways);
}

size_t nb_tree_flows_inputs(const struct nb_tree_flows *flows,
                            enum nb_tree_direction direction, uint32_t height,
                            uint32_t subtree, struct nb_ratio *rate)
{
    const uint32_t k = flows->tree.arity;
    const size_t at = flows->start[height] + subtree;
    if (direction == NB_TREE_UP) {
        const size_t below = flows->start[height - 1];
        for (uint32_t i = 0; i < k; i++)
            rate[i] =
                height == 1
                    ? tree_rate(flows, flows->out[below + subtree], 2)
                    : tree_rate(flows, flows->out[below + subtree * k + i],
                                height);
        return k;
    }
    /* Leaves have k terminals in each direction, subtrees of height 1 k
     * channels. */
    for (uint32_t i = 0; i < k; i++) {
        rate[i] = tree_rate(flows, flows->in[at], height == 0 ? 2 : height + 1);
        rate[k + i] =
            height == 0 ? tree_rate(flows, flows->turning[at * k], 2)
                        : tree_rate(flows, flows->turning[at * k + i], height);
    }
    return 2 * (size_t)k;
}

void nb_tree_flows_release(struct nb_tree_flows *flows)
{
    nb_pool_release(&flows->pool);
    *flows = (struct nb_tree_flows){ 0 };
}
