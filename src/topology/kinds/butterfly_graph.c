/*
 * Butterfly graph: the binary butterfly whose nodes are switches, N = 2^n in
 * each of n + 1 levels. Node (i, row) leads to (i + 1, row) and to the node of
 * the next level whose row differs in bit n - 1 - i. The nodes of level 0 have
 * the terminals, and those of level n lead back to the terminals of their rows,
 * one way. A level has twice as many switches with two inputs as one of
 * butterfly:k=2. There is one path from each terminal to each, itself included.
 * Sources: [Leighton1992]; [Randall1994, section 3.2].
 */
#include "core/try.h"
#include "topology/topology.h"

static uint32_t graph_levels(const struct nb_topology *topology)
{
    return (uint32_t)nb_specification_whole(&topology->specification, "n");
}

static enum nb_status graph_build(const struct nb_specification *specification,
                                  struct nb_topology *out, struct nb_error *err)
{
    const uint32_t n = (uint32_t)nb_specification_whole(specification, "n");
    const uint32_t rows = UINT32_C(1) << n;
    enum nb_status status;
    NB_TRY(
        nb_topology_reserve(out, (n + 1.0) * rows, (2 * n + 1.0) * rows, err));
    struct nb_channel *channel = out->channels;
    for (uint32_t r = 0; r < out->router_count; r++) {
        const uint32_t level = r / rows, row = r % rows;
        if (level == n) {
            *channel++ = (struct nb_channel){ r, row, { 0, 0 } };
            continue;
        }
        const uint32_t next = (level + 1) * rows;
        const uint32_t cross = row ^ rows >> (level + 1);
        *channel++ = (struct nb_channel){ r, next + row, { 0, 0 } };
        *channel++ = (struct nb_channel){ r, next + cross, { 0, 0 } };
    }
    for (uint32_t row = 0; row < rows; row++)
        out->terminals[row] = 1;
done:
    return status;
}

/* All terminals are n + 1 hops away. */
static struct nb_closed_form graph_distance(const struct nb_topology *topology)
{
    return (struct nb_closed_form){ { graph_levels(topology) + 1, 1 },
                                    "counting" };
}

/* The channel to a terminal carries its packets. */
static struct nb_closed_form graph_capacity(const struct nb_topology *topology)
{
    (void)topology;
    return (struct nb_closed_form){ nb_ratio_one, "counting" };
}

/* All rows with one bit inverted. */
static unsigned graph_symmetry(const struct nb_topology *topology, size_t index,
                               uint32_t *router_map)
{
    if (index >= graph_levels(topology))
        return 0;
    for (uint32_t r = 0; r < topology->router_count; r++)
        router_map[r] = r ^ UINT32_C(1) << index;
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter graph_parameters[] = {
    NB_PARAMETER("n", WHOLE, NULL,
                 "levels of switches after the terminals: 2^n terminals",
                 .is_leading = true, .least = 1, .most = 24),
    { 0 },
};

const struct nb_topology_kind nb_topology_butterfly_graph = {
    .kind = { .name = "butterfly-graph",
              .summary = "binary butterfly of 2^n switches per level, one way",
              .family = NB_FAMILY_TREES,
              .parameters = graph_parameters },
    .examples = "butterfly-graph:1 butterfly-graph:3",
    .has_own_terminals = true,
    .is_one_way = true,
    .build = graph_build,
    .diameter = graph_distance,
    .mean_distance = graph_distance,
    .capacity = graph_capacity,
    .symmetry = graph_symmetry,
};
