#include "bounds/optimum/path_class.h"

#include "core/memory.h"
#include "core/text.h"
#include "topology/metrics.h"

/* Two-turn: see the header. */
enum {
    TURN_LINES = 3,
    TURN_LAYERS = 6,
    TURN_STATES = 1 + 2 * TURN_LINES,
};

/* Sums of lengths stay below 2^63 on paths of fewer than 2^23 hops. */
static const size_t class_most_routers = (size_t)1 << 23;

/* The state along dimension d on line t. */
static uint32_t class_line(uint32_t t, uint32_t d)
{
    return 1 + 2 * t + d;
}

/* Which dimension of a grid of two a channel belongs to. */
static uint32_t class_dimension(const struct nb_topology *topology,
                                uint32_t channel)
{
    const uint32_t source = topology->channels[channel].source;
    const uint32_t *slot = topology->grid.channel + (size_t)source * 4;
    return slot[0] == channel || slot[1] == channel ? 0 : 1;
}

/* Hops that a path may make in a pair so many hops apart; more than a path
 * that meets no router twice has are of no use. */
static uint32_t class_allowance(const struct nb_path_class *class,
                                uint32_t distance)
{
    const nb_int128 most = (nb_int128) class->topology->router_count - 1;
    const nb_int128 allowance = (nb_int128) class->stretch.numerator *
                                distance / class->stretch.denominator;
    return (uint32_t)(allowance < most ? allowance : most);
}

/* Whether channels in their layers, and routers in their states, can be
 * numbered in 32 bits. */
static bool class_fits(const struct nb_topology *topology, uint32_t layer_count)
{
    const uint64_t channels = topology->channel_count;
    const uint64_t routers = topology->router_count;
    return channels * layer_count <= NB_NONE &&
           routers * ((uint64_t)layer_count + 1) <= NB_NONE;
}

/* Makes as many layers as hops are allowed to the pair farthest apart. */
static enum nb_status class_count_layers(struct nb_path_class *class,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = class->topology;
    const size_t n = topology->router_count;
    uint32_t *distance = NULL, *queue = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&distance, n, sizeof *distance, "distances", err));
    NB_TRY(nb_new(&queue, n, sizeof *queue, "distances", err));
    for (uint32_t target = 0; target < n; target++) {
        nb_distances_to(topology, target, distance, queue);
        const uint32_t allowance =
            class_allowance(class, distance[queue[n - 1]]);
        if (!class_fits(topology, allowance))
            NB_TRY(nb_fail(err, NB_NO_MEMORY,
                           "paths of up to %u hops over %zu channels are more "
                           "than fit (permitted: a product below 2^32)",
                           allowance, topology->channel_count));
        if (allowance > class->layer_count)
            class->layer_count = allowance;
    }
    class->state_count = class->layer_count + 1;
done:
    nb_delete(distance);
    nb_delete(queue);
    return status;
}

static enum nb_status class_init_stretch(struct nb_path_class *class,
                                         struct nb_error *err)
{
    const struct nb_ratio stretch = class->stretch;
    char text[NB_RATIO_TEXT];
    if (nb_ratio_is_known(stretch) && !nb_ratio_is_infinite(stretch) &&
        nb_ratio_compare(stretch, nb_ratio_one) >= 0)
        return class_count_layers(class, err);
    nb_ratio_print(stretch, text);
    return nb_fail(err, NB_INVALID,
                   "stretch %s is out of range (permitted: 1 or more)", text);
}

static enum nb_status class_init_turns(struct nb_path_class *class,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = class->topology;
    struct nb_text name = { 0 };
    enum nb_status status;
    class->layer_count = TURN_LAYERS;
    class->state_count = TURN_STATES;
    if (topology->grid.dimensions == 2)
        return NB_OK;
    nb_specification_print(&topology->specification, &name);
    status = nb_text_check(&name, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "paths two-turn: topology %.60s is not a torus, mesh "
                         "or hypercube of two dimensions",
                         name.bytes);
    nb_text_release(&name);
    return status;
}

enum nb_status nb_path_class_init(const struct nb_topology *topology,
                                  enum nb_paths paths, struct nb_ratio stretch,
                                  struct nb_path_class *out,
                                  struct nb_error *err)
{
    *out = (struct nb_path_class){ .topology = topology,
                                   .paths = paths,
                                   .stretch = stretch };
    const enum nb_status status = nb_topology_check(topology, err);
    if (status != NB_OK)
        return status;
    if (topology->router_count >= class_most_routers)
        return nb_fail(err, NB_INVALID,
                       "optimal routing of %zu routers is not possible "
                       "(permitted: fewer than %zu)",
                       topology->router_count, class_most_routers);
    if (paths == NB_PATHS_STRETCH)
        return class_init_stretch(out, err);
    if (paths == NB_PATHS_TWO_TURN)
        return class_init_turns(out, err);
    out->layer_count = out->state_count = 1;
    return NB_OK;
}

enum nb_status nb_path_class_check(const struct nb_path_class *class,
                                   const struct nb_topology *topology,
                                   struct nb_error *err)
{
    const enum nb_status status = nb_topology_check(topology, err);
    if (status != NB_OK)
        return status;
    if (class != NULL && class->layer_count > 0 && class->topology == topology)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "a class of paths of 0 layers or of another network "
                   "(permitted: one that nb_path_class_init made for this "
                   "network)");
}

uint32_t nb_path_class_start(const struct nb_path_class *class,
                             uint32_t distance)
{
    return class->paths == NB_PATHS_STRETCH ? class_allowance(class, distance)
                                            : 0;
}

/* The layers of a channel along dimension d. */
static void class_turn_layer(uint32_t layer, uint32_t d, uint32_t *from_state,
                             uint32_t *to_state)
{
    if (layer == 0) {
        *from_state = 0;
        *to_state = class_line(0, d);
    } else if (layer <= TURN_LINES) {
        *from_state = *to_state = class_line(layer - 1, d);
    } else {
        const uint32_t t = layer - TURN_LINES;
        *from_state = class_line(t - 1, 1 - d);
        *to_state = class_line(t, d);
    }
}

bool nb_path_class_layer(const struct nb_path_class *class, uint32_t channel,
                         uint32_t layer, uint32_t *from_state,
                         uint32_t *to_state)
{
    if (layer >= class->layer_count)
        return false;
    if (class->paths == NB_PATHS_TWO_TURN) {
        class_turn_layer(layer, class_dimension(class->topology, channel),
                         from_state, to_state);
    } else if (class->paths == NB_PATHS_STRETCH) {
        *from_state = layer + 1;
        *to_state = layer;
    } else {
        *from_state = *to_state = 0;
    }
    return true;
}

size_t nb_path_class_layers_to(const struct nb_path_class *class,
                               uint32_t state, uint32_t layer[2])
{
    if (class->paths != NB_PATHS_TWO_TURN) {
        layer[0] = state;
        return state < class->layer_count;
    }
    if (state == 0)
        return 0;
    const uint32_t t = (state - 1) / 2;
    layer[0] = 1 + t;
    layer[1] = t == 0 ? 0 : TURN_LINES + t;
    return 2;
}
