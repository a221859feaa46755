/* What a search of shortest paths found (declared in path_class.h). */
#include "bounds/optimum/path_class.h"
#include "routing/routing.h"

/* The node that a path from a router begins at. */
static size_t found_start(const struct nb_path_search *search, uint32_t source)
{
    return (size_t)source * search->class->state_count +
           nb_path_class_start(search->class, search->hops[source]);
}

int64_t nb_path_search_distance(const struct nb_path_search *search,
                                uint32_t source)
{
    return search->distance[found_start(search, source)];
}

size_t nb_path_search_path(const struct nb_path_search *search, uint32_t source,
                           uint32_t *channel)
{
    const struct nb_path_class *class = search->class;
    size_t length = 0, node = found_start(search, source);
    while (search->onward[node] != NB_NONE) {
        const uint32_t c = search->onward[node] / class->layer_count;
        const uint32_t layer = search->onward[node] % class->layer_count;
        uint32_t from, to;
        nb_path_class_layer(class, c, layer, &from, &to);
        node =
            (size_t) class->topology->channels[c].target * class->state_count +
            to;
        if (channel != NULL)
            channel[length] = c;
        length++;
    }
    return length;
}

/* Whether channels follow one another from source to the destination and meet
 * no router twice. */
static bool found_is_simple(const struct nb_path_search *search,
                            uint32_t source, size_t length,
                            const uint32_t *channel)
{
    const struct nb_topology *topology = search->class->topology;
    uint32_t router = source;
    for (size_t h = 0; h < length; h++) {
        if (channel[h] >= topology->channel_count ||
            topology->channels[channel[h]].source != router)
            return false;
        router = topology->channels[channel[h]].target;
        for (size_t earlier = 0; earlier <= h; earlier++)
            if (topology->channels[channel[earlier]].source == router)
                return false;
    }
    return router == search->destination;
}

static bool found_is_minimal(const struct nb_path_search *search, size_t length,
                             const uint32_t *channel)
{
    const struct nb_route_table table = { .target = search->destination,
                                          .distance = search->hops };
    for (size_t h = 0; h < length; h++)
        if (!nb_is_on_the_way(search->class->topology, &table, channel[h]))
            return false;
    return true;
}

/* Whether the layers can be gone through: of a channel and a state there is
 * one at most, since a turn is known by the dimension before. */
static bool found_has_layers(const struct nb_path_class *class, size_t length,
                             const uint32_t *channel)
{
    uint32_t state = nb_path_class_start(class, 0);
    for (size_t h = 0; h < length; h++) {
        uint32_t layer = 0, from, to;
        do {
            if (!nb_path_class_layer(class, channel[h], layer++, &from, &to))
                return false;
        } while (from != state);
        state = to;
    }
    return true;
}

bool nb_path_search_permits(const struct nb_path_search *search,
                            uint32_t source, size_t length,
                            const uint32_t *channel)
{
    const struct nb_path_class *class = search->class;
    if (!found_is_simple(search, source, length, channel))
        return false;
    if (class->paths == NB_PATHS_MINIMAL)
        return found_is_minimal(search, length, channel);
    if (class->paths == NB_PATHS_STRETCH)
        return length <= nb_path_class_start(class, search->hops[source]);
    if (class->paths == NB_PATHS_TWO_TURN)
        return found_has_layers(class, length, channel);
    return true;
}
