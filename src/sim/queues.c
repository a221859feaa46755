/* The queues of a network and their classes (declared in sim.h). */
#include "sim/sim.h"

#include <stdio.h>

size_t nb_queue_count(const struct nb_topology *topology)
{
    return topology->channel_count +
           (nb_has_terminal_queues(topology) ? topology->terminal_count : 0);
}

/* Of a fat tree; 0 for other networks: a route that avoids failed channels may
 * go up and down more than once. */
static uint32_t queues_levels(const struct nb_topology *topology)
{
    return nb_has_failures(topology) ? 0 : topology->tree.levels;
}

/* Classes of channels between routers: up and then down a tree, in the order in
 * which a route takes them; local and global channels of other networks with
 * groups. */
static size_t queues_classes(const struct nb_topology *topology)
{
    const uint32_t levels = queues_levels(topology);
    if (levels > 1)
        return 2 * (levels - 1);
    if (levels == 1)
        return 0;
    return topology->groups.count > 0 ? 2 : 1;
}

size_t nb_queue_class_count(const struct nb_topology *topology)
{
    return queues_classes(topology) + nb_has_terminal_queues(topology);
}

void nb_queue_class_name(const struct nb_topology *topology, size_t class,
                         char name[32])
{
    if (queues_levels(topology) > 0)
        snprintf(name, 32, "hop %zu", class + 1);
    else if (class == queues_classes(topology))
        snprintf(name, 32, "to terminals");
    else if (topology->groups.count > 0)
        snprintf(name, 32, "%s", class == 0 ? "local" : "global");
    else
        snprintf(name, 32, "channels");
}

size_t nb_queue_class(const struct nb_topology *topology, size_t queue)
{
    const struct nb_tree *tree = &topology->tree;
    if (queue >= topology->channel_count)
        return queues_classes(topology);
    const struct nb_channel *channel = &topology->channels[queue];
    if (queues_levels(topology) > 1) {
        const uint32_t from = channel->source / tree->words;
        const uint32_t to = channel->target / tree->words;
        return to > from ? from : 2 * (tree->levels - 1) - from;
    }
    return topology->groups.count > 0 &&
           nb_channel_is_global(topology, (uint32_t)queue);
}
