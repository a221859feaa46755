#include "optimum/path_class.h"

#include "bounds/matching/node_heap.h"
#include "optimum/scheme_paths.h"
#include "core/memory.h"
#include "core/text.h"
#include "routing/routing.h"
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

/* The dimension of a channel in a two-dimensional grid. */
static uint32_t class_dimension(const struct nb_topology *topology,
                                uint32_t channel)
{
    const uint32_t source = topology->channels[channel].source;
    const uint32_t *slot = topology->grid.channel + (size_t)source * 4;
    return slot[0] == channel || slot[1] == channel ? 0 : 1;
}

/* Hops allowed to a pair at this distance; at most those of a path that meets
 * no router twice. */
static uint32_t class_allowance(const struct nb_path_class *class,
                                uint32_t distance)
{
    const nb_int128 most = (nb_int128) class->topology->router_count - 1;
    const nb_int128 allowance = (nb_int128) class->stretch.numerator *
                                distance / class->stretch.denominator;
    return (uint32_t)(allowance < most ? allowance : most);
}

/* Whether channels in all layers, and routers in all states, fit in 32 bits. */
static bool class_fits(const struct nb_topology *topology, uint32_t layer_count)
{
    const uint64_t channels = topology->channel_count;
    const uint64_t routers = topology->router_count;
    return channels * layer_count <= NB_NONE &&
           routers * ((uint64_t)layer_count + 1) <= NB_NONE;
}

/* Makes one layer per hop allowed to the pair farthest apart. */
static enum nb_status class_count_layers(struct nb_path_class *class,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = class->topology;
    const size_t n = topology->router_count;
    struct nb_pool pool = { 0 };
    uint32_t *distance = nb_pool_array(&pool, n, sizeof *distance);
    uint32_t *queue = nb_pool_array(&pool, n, sizeof *queue);
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&pool, "distances", err));
    for (uint32_t target = 0; target < n; target++) {
        size_t reached = n;
        nb_distances_to(topology, target, distance, queue);
        while (distance[queue[reached - 1]] == NB_NONE)
            reached--;
        const uint32_t allowance =
            class_allowance(class, distance[queue[reached - 1]]);
        if (!class_fits(topology, allowance))
            NB_TRY(nb_fail(err, NB_NO_MEMORY,
                           "paths of up to %u hops over %zu channels do not "
                           "fit (permitted: a product below 2^32)",
                           allowance, topology->channel_count));
        if (allowance > class->layer_count)
            class->layer_count = allowance;
    }
    class->state_count = class->layer_count + 1;
done:
    nb_pool_release(&pool);
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
                   "stretch %s is out of range (permitted: at least 1)", text);
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

/* With failures a pair may have no path of the class. */
static enum nb_status class_require_paths(const struct nb_path_class *class,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = class->topology;
    struct nb_path_search search = { 0 };
    enum nb_status status = NB_OK;
    if (!nb_has_failures(topology) || class->paths != NB_PATHS_TWO_TURN)
        return NB_OK;
    NB_TRY(nb_path_search_init(class, &search, err));
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (topology->terminals[d] == 0)
            continue;
        nb_path_search_run(&search, d, NULL);
        for (uint32_t s = 0; s < topology->router_count; s++)
            if (topology->terminals[s] > 0 &&
                nb_path_search_distance(&search, s) == INT64_MAX)
                NB_TRY(nb_fail(err, NB_INVALID,
                               "paths two-turn: after failures no path of at "
                               "most two turns leads from router %u to router "
                               "%u (permitted: other classes of paths)",
                               s, d));
    }
done:
    nb_path_search_release(&search);
    return status;
}

static enum nb_status class_begin(const struct nb_topology *topology,
                                  enum nb_paths paths,
                                  struct nb_path_class *out,
                                  struct nb_error *err)
{
    *out = (struct nb_path_class){ .topology = topology,
                                   .paths = paths,
                                   .most_length = (int64_t)1 << 40,
                                   .unit = 1 };
    const enum nb_status status = nb_topology_check(topology, err);
    if (status != NB_OK || topology->router_count < class_most_routers)
        return status;
    return nb_fail(err, NB_INVALID,
                   "optimal routing of %zu routers is not possible "
                   "(permitted: fewer than %zu)",
                   topology->router_count, class_most_routers);
}

enum nb_status nb_path_class_init(const struct nb_topology *topology,
                                  enum nb_paths paths, struct nb_ratio stretch,
                                  struct nb_path_class *out,
                                  struct nb_error *err)
{
    const enum nb_status status = class_begin(topology, paths, out, err);
    if (status != NB_OK)
        return status;
    out->stretch = stretch;
    if (paths == NB_PATHS_STRETCH)
        return class_init_stretch(out, err);
    if (paths == NB_PATHS_TWO_TURN) {
        const enum nb_status turns = class_init_turns(out, err);
        return turns == NB_OK ? class_require_paths(out, err) : turns;
    }
    out->layer_count = out->state_count = 1;
    return NB_OK;
}

enum nb_status nb_path_class_init_scheme(const struct nb_routing *routing,
                                         struct nb_scheme_paths *scheme,
                                         struct nb_path_class *out,
                                         struct nb_error *err)
{
    enum nb_status status;
    *scheme = (struct nb_scheme_paths){ 0 };
    if (routing->kind->is_deflecting)
        return nb_path_class_init(routing->topology, NB_PATHS_ANY, nb_ratio_one,
                                  out, err);
    NB_TRY(class_begin(routing->topology, NB_PATHS_SCHEME, out, err));
    NB_TRY(nb_scheme_paths_init(routing, scheme, err));
    out->layer_count = out->state_count = 1;
    out->most_length = scheme->most_length;
    out->unit = scheme->unit;
    out->scheme = scheme;
done:
    return status;
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

/* Search for shortest permitted paths. */

/* Place of nodes that are not in the heap. Settled nodes keep their last place,
 * as no later offer is better. */
static const uint32_t search_unseen = UINT32_MAX;

enum nb_status nb_path_search_init(const struct nb_path_class *class,
                                   struct nb_path_search *out,
                                   struct nb_error *err)
{
    struct nb_pool *pool = &out->pool;
    enum nb_status status;
    *out =
        (struct nb_path_search){ .path_class = class, .destination = NB_NONE };
    NB_TRY(nb_path_class_check(class, class != NULL ? class->topology : NULL,
                               err));
    const size_t n = class->topology->router_count;
    const size_t nodes = n * class->state_count;
    const double bytes =
        (double)n * sizeof *out->hops +
        (double)nodes *
            (sizeof *out->distance + sizeof *out->onward + sizeof *out->count +
             sizeof *out->queue + sizeof *out->place);
    NB_TRY(nb_memory_require(bytes, "a search of shortest paths", err));
    out->unit =
        nb_pool_array(pool, class->topology->channel_count, sizeof *out->unit);
    out->hops = nb_pool_array(pool, n, sizeof *out->hops);
    out->distance = nb_pool_array(pool, nodes, sizeof *out->distance);
    out->onward = nb_pool_array(pool, nodes, sizeof *out->onward);
    out->count = nb_pool_array(pool, nodes, sizeof *out->count);
    out->queue = nb_pool_array(pool, nodes, sizeof *out->queue);
    out->place = nb_pool_array(pool, nodes, sizeof *out->place);
    NB_TRY(nb_pool_check(pool, "a search of shortest paths", err));
    for (size_t c = 0; c < class->topology->channel_count; c++)
        out->unit[c] = 1;
    if (class->scheme != NULL) {
        NB_TRY(nb_new(&out->scheme, 1, sizeof *out->scheme,
                      "a search of a scheme's paths", err));
        NB_TRY(nb_scheme_search_init(class->scheme, out->scheme, err));
    }
done:
    if (status != NB_OK)
        nb_path_search_release(out);
    return status;
}

void nb_path_search_release(struct nb_path_search *search)
{
    if (search->scheme != NULL)
        nb_scheme_search_release(search->scheme);
    nb_delete(search->scheme);
    nb_pool_release(&search->pool);
    *search = (struct nb_path_search){ 0 };
}

/*
 * Offers a node a path over a channel in a layer, `onward`. Among equal paths
 * the least number wins, in whatever order they are offered.
 *
 * Paths are compared by length, then hops, so that removing a loop always
 * improves a path: no best path meets a router twice, even with lengths of 0.
 */
static inline void search_offer(struct nb_path_search *search, uint32_t node,
                                int64_t distance, uint32_t count,
                                uint32_t onward, struct nb_node_heap *heap)
{
    const int64_t known = search->distance[node];
    if (distance > known || (distance == known && count > search->count[node]))
        return;
    if (distance == known && count == search->count[node]) {
        if (onward < search->onward[node])
            search->onward[node] = onward;
        return;
    }
    search->distance[node] = distance;
    search->count[node] = count;
    search->onward[node] = onward;
    const uint32_t place = search->place[node];
    nb_node_heap_raise(heap, node,
                       place == search_unseen ? heap->count++ : place);
}

/* Offers the settled node to its predecessors: any path. */
static void search_expand_any(struct nb_path_search *search, uint32_t router,
                              const int64_t *length, struct nb_node_heap *heap)
{
    const struct nb_topology *topology = search->path_class->topology;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t channel = topology->in_channel[i];
        search_offer(search, topology->channels[channel].source,
                     search->distance[router] + length[channel],
                     search->count[router] + 1, channel, heap);
    }
}

/* The same in the layers that lead to the node's state: two-turn. */
static void search_expand_layers(struct nb_path_search *search, uint32_t node,
                                 const int64_t *length,
                                 struct nb_node_heap *heap)
{
    const struct nb_path_class *class = search->path_class;
    const struct nb_topology *topology = class->topology;
    const uint32_t router = node / class->state_count;
    const uint32_t state = node % class->state_count;
    uint32_t layer[2], from, to;
    const size_t layers = nb_path_class_layers_to(class, state, layer);
    for (uint32_t i = topology->in_start[router];
         layers > 0 && i < topology->in_start[router + 1]; i++) {
        const uint32_t channel = topology->in_channel[i];
        const uint32_t before =
            topology->channels[channel].source * class->state_count;
        for (size_t l = 0; l < layers; l++)
            if (nb_path_class_layer(class, channel, layer[l], &from, &to) &&
                to == state)
                search_offer(search, before + from,
                             search->distance[node] + length[channel],
                             search->count[node] + 1,
                             channel * class->layer_count + layer[l], heap);
    }
}

static void search_clear(struct nb_path_search *search)
{
    const size_t nodes = search->path_class->topology->router_count *
                         search->path_class->state_count;
    for (size_t node = 0; node < nodes; node++) {
        search->distance[node] = INT64_MAX;
        search->onward[node] = NB_NONE;
        search->place[node] = search_unseen;
    }
}

static void search_nearest_first(struct nb_path_search *search,
                                 const int64_t *length)
{
    const uint32_t states = search->path_class->state_count;
    struct nb_node_heap heap = { search->distance, search->count, search->queue,
                                 search->place, 0 };
    search_clear(search);
    for (uint32_t state = 0; state < states; state++)
        search_offer(search, search->destination * states + state, 0, 0,
                     NB_NONE, &heap);
    while (heap.count > 0) {
        const uint32_t node = nb_node_heap_pop(&heap);
        if (states == 1)
            search_expand_any(search, node, length, &heap);
        else
            search_expand_layers(search, node, length, &heap);
    }
}

/* Every next router on a shortest path comes earlier in the queue. */
static void search_by_hops(struct nb_path_search *search, const int64_t *length)
{
    const struct nb_topology *topology = search->path_class->topology;
    const struct nb_route_table table = { .target = search->destination,
                                          .distance = search->hops };
    search->distance[search->destination] = 0;
    search->onward[search->destination] = NB_NONE;
    for (size_t i = 1; i < topology->router_count; i++) {
        const uint32_t router = search->queue[i];
        int64_t least = INT64_MAX;
        for (uint32_t c = topology->out_start[router];
             c < topology->out_start[router + 1]; c++) {
            if (!nb_is_on_the_way(topology, &table, c))
                continue;
            const int64_t distance =
                search->distance[topology->channels[c].target] + length[c];
            if (distance < least) {
                least = distance;
                search->onward[router] = c;
            }
        }
        search->distance[router] = least;
    }
}

/* The best next hop of a router with left > 0 hops allowed. */
static void search_look_ahead(struct nb_path_search *search, uint32_t router,
                              uint32_t left, const int64_t *length)
{
    const struct nb_path_class *class = search->path_class;
    const struct nb_topology *topology = class->topology;
    int64_t least = INT64_MAX;
    uint32_t count = UINT32_MAX, onward = NB_NONE;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const size_t next =
            (size_t)topology->channels[c].target * class->state_count + left -
            1;
        if (search->distance[next] == INT64_MAX)
            continue;
        const int64_t distance = search->distance[next] + length[c];
        if (distance < least ||
            (distance == least && search->count[next] + 1 < count)) {
            least = distance;
            count = search->count[next] + 1;
            onward = c * class->layer_count + left - 1;
        }
    }
    const size_t node = (size_t)router * class->state_count + left;
    search->distance[node] = least;
    search->count[node] = count;
    search->onward[node] = onward;
}

static void search_by_layers(struct nb_path_search *search,
                             const int64_t *length)
{
    const uint32_t states = search->path_class->state_count;
    const size_t n = search->path_class->topology->router_count;
    search_clear(search);
    for (uint32_t left = 0; left < states; left++) {
        const size_t end = (size_t)search->destination * states + left;
        search->distance[end] = 0;
        search->count[end] = 0;
        for (uint32_t router = 0; router < n; router++)
            if (router != search->destination && search->hops[router] <= left)
                search_look_ahead(search, router, left, length);
    }
}

void nb_path_search_run(struct nb_path_search *search, uint32_t destination,
                        const int64_t *length)
{
    const struct nb_path_class *class = search->path_class;
    if (length == NULL)
        length = search->unit;
    search->destination = destination;
    if (search->scheme != NULL) {
        nb_scheme_search_run(search->scheme, destination, length);
        return;
    }
    if (class->paths == NB_PATHS_MINIMAL) {
        nb_ways_to(class->topology, destination, search->hops, search->queue);
        search_by_hops(search, length);
        return;
    }
    nb_distances_to(class->topology, destination, search->hops, search->queue);
    if (class->paths == NB_PATHS_STRETCH)
        search_by_layers(search, length);
    else
        search_nearest_first(search, length);
}

/* Results of a search for shortest paths. */

/* The node at which a path from a router begins. */
static size_t found_start(const struct nb_path_search *search, uint32_t source)
{
    return (size_t)source * search->path_class->state_count +
           nb_path_class_start(search->path_class, search->hops[source]);
}

int64_t nb_path_search_distance(const struct nb_path_search *search,
                                uint32_t source)
{
    if (search->scheme != NULL)
        return nb_scheme_search_fill(search->scheme, source);
    return search->distance[found_start(search, source)];
}

size_t nb_path_search_path(const struct nb_path_search *search, uint32_t source,
                           uint32_t *channel)
{
    const struct nb_path_class *class = search->path_class;
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

/* Makes room for a path of at most `most` hops; `at` gives the place for its
 * channels. */
static enum nb_status mix_reserve(struct nb_path_mix *mix, size_t longest,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&mix->way, &mix->way_room, mix->way_count + 1,
                      sizeof *mix->way, "paths of a pair", err));
    NB_TRY(nb_reserve(&mix->channel, &mix->channel_room,
                      mix->channel_count + longest, sizeof *mix->channel,
                      "paths of a pair", err));
    mix->way[mix->way_count] =
        (struct nb_path_way){ .first = mix->channel_count };
done:
    return status;
}

static void mix_add(struct nb_path_mix *mix, int64_t units, size_t length)
{
    struct nb_path_way *way = &mix->way[mix->way_count++];
    way->units = units;
    way->length = (uint32_t)length;
    mix->channel_count += length;
}

enum nb_status nb_path_search_mix(const struct nb_path_search *search,
                                  uint32_t source, struct nb_path_mix *out,
                                  struct nb_error *err)
{
    struct nb_scheme_search *scheme = search->scheme;
    const struct nb_path_class *class = search->path_class;
    enum nb_status status = NB_OK;
    out->way_count = out->channel_count = 0;
    if (scheme == NULL) {
        NB_TRY(mix_reserve(out, class->topology->router_count, err));
        mix_add(out, 1, nb_path_search_path(search, source, out->channel));
        return NB_OK;
    }
    nb_scheme_search_fill(scheme, source);
    for (size_t w = 0; w < scheme->way_count; w++) {
        NB_TRY(mix_reserve(out, class->scheme->longest, err));
        struct nb_path_way *way = &out->way[out->way_count];
        way->start = scheme->way[w].start;
        way->turn = scheme->way[w].through == NB_NONE ? 0 : scheme->way[w].turn;
        mix_add(out, scheme->way[w].units,
                nb_scheme_search_path(scheme, &scheme->way[w],
                                      out->channel + way->first, &way->leg));
    }
done:
    return status;
}

void nb_path_mix_release(struct nb_path_mix *mix)
{
    nb_delete(mix->way);
    nb_delete(mix->channel);
    *mix = (struct nb_path_mix){ 0 };
}

/* Whether channels form a path from source to destination that meets no router
 * twice. */
static bool found_is_simple(const struct nb_path_search *search,
                            uint32_t source, size_t length,
                            const uint32_t *channel)
{
    const struct nb_topology *topology = search->path_class->topology;
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
        if (!nb_is_on_the_way(search->path_class->topology, &table, channel[h]))
            return false;
    return true;
}

/* Whether the layers can follow one another: a channel and a state have at most
 * one, since the previous dimension determines a turn. */
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
    const struct nb_path_class *class = search->path_class;
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
