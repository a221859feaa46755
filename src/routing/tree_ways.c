#include "routing/tree_ways.h"

/* The leaf's word without the digits below digit `first`. */
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

/* The channel from a router to the one on another level whose word differs in
 * one digit. If all channels are there, its place in the list is known. */
static uint32_t tree_channel(const struct nb_topology *topology,
                             uint32_t router, uint32_t level, uint32_t place,
                             uint32_t changed, uint32_t digit)
{
    const struct nb_tree *tree = &topology->tree;
    uint32_t unit = 1;
    if (!nb_has_failures(topology))
        return place;
    for (uint32_t i = 0; i < changed; i++)
        unit *= tree->arity;
    const uint32_t word = router % tree->words;
    const uint32_t own = word / unit % tree->arity;
    return nb_channel_find(
        topology, router,
        level * tree->words + word - own * unit + digit * unit, 0);
}

size_t nb_tree_ways_up(const struct nb_topology *topology, uint32_t router,
                       nb_route_state next, struct nb_hop *hops)
{
    const uint32_t arity = topology->tree.arity;
    const uint32_t level = router / topology->tree.words;
    const uint32_t first = topology->out_start[router + 1] - arity;
    for (uint32_t i = 0; i < arity; i++)
        hops[i] = (struct nb_hop){ .channel =
                                       tree_channel(topology, router, level + 1,
                                                    first + i, level, i),
                                   .next = next,
                                   .weight = 1,
                                   .share = 1 };
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
    const uint32_t place = topology->out_start[router] + digit;
    hops[0] =
        (struct nb_hop){ .channel = tree_channel(topology, router, level - 1,
                                                 place, level - 1, digit),
                         .next = next,
                         .weight = 1,
                         .share = 1 };
    return 1;
}
