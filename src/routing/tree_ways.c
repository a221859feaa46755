#include "routing/tree_ways.h"

/* The leaf's word without the digits below the first-th. */
static uint32_t tree_shift(const struct nb_tree *tree, uint32_t word,
                           uint32_t first)
{
    for (uint32_t i = 0; i < first; i++)
        word /= tree->arity;
    return word;
}

bool nb_tree_is_root(const struct nb_tree *tree, uint32_t router)
{
    return router / tree->words == tree->levels - 1;
}

bool nb_tree_is_above(const struct nb_tree *tree, uint32_t router,
                      uint32_t leaf)
{
    const uint32_t level = router / tree->words;
    return tree_shift(tree, router % tree->words, level) ==
           tree_shift(tree, leaf, level);
}

size_t nb_tree_ways_up(const struct nb_topology *topology, uint32_t router,
                       nb_route_state next, struct nb_hop *hops)
{
    const uint32_t arity = topology->tree.arity;
    const uint32_t end = topology->out_start[router + 1];
    for (uint32_t i = 0; i < arity; i++)
        hops[i] = (struct nb_hop){
            .channel = end - arity + i, .next = next, .weight = 1, .share = 1
        };
    return arity;
}

size_t nb_tree_way_down(const struct nb_topology *topology, uint32_t router,
                        uint32_t leaf, nb_route_state next, struct nb_hop *hops)
{
    const struct nb_tree *tree = &topology->tree;
    const uint32_t level = router / tree->words;
    if (level == 0)
        return 0;
    const uint32_t digit = tree_shift(tree, leaf, level - 1) % tree->arity;
    hops[0] = (struct nb_hop){ .channel = topology->out_start[router] + digit,
                               .next = next,
                               .weight = 1,
                               .share = 1 };
    return 1;
}
