#include "routing/lanes.h"

#include "core/memory.h"
#include "routing/lane_survey.h"
#include "routing/quadrant.h"
#include "routing/two_phase.h"

#include <assert.h>
#include <inttypes.h>

/*
 * A channel's byte and, in the same bits, what a packet remembers of its last
 * hop. For NB_LANE_PLACE a channel is LANES_GLOBAL or 0; for NB_LANE_STAR the
 * memory has bit d + 1 for dimension d, set where its wrap-around channel was
 * crossed; for NB_LANE_HOP it counts hops.
 */
enum {
    LANES_DIMENSION = 31, /* dimension + 1; 0: no hop in this phase yet */
    LANES_PLUS = 32,      /* direction */
    LANES_WAY = LANES_DIMENSION | LANES_PLUS,
    LANES_WRAP = 64,    /* wrap-around channel; remembered: it was crossed in
                         * this line */
    LANES_SECOND = 128, /* remembered: the second phase has begun */
    LANES_GLOBAL = 1,
    LANES_FIRST_COUNT = 8,   /* bit of a count: levels, or local hops since
                              * the last global one */
    LANES_SECOND_COUNT = 16, /* another: global hops in this phase */
};

static const struct nb_routing *lanes_phase(const struct nb_routing *routing)
{
    return routing->phase != NULL ? routing->phase : routing;
}

/* A HyperX has coordinates without directions and wrap-around channels. */
static const struct nb_grid *lanes_grid(const struct nb_topology *topology)
{
    return topology->hyperx.dimensions > 0 ? &topology->hyperx
                                           : &topology->grid;
}

static bool lanes_turn(const struct nb_grid *grid)
{
    for (size_t d = 0; d < grid->dimensions; d++)
        if (nb_grid_turns(grid, d))
            return true;
    return false;
}

/* The rule. Of routes it knows by searching for them, survey is filled in. */
static enum nb_status lanes_choose(const struct nb_routing *routing,
                                   enum nb_lane_kind *kind,
                                   struct nb_lane_survey *survey,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const struct nb_routing *phase = lanes_phase(routing);
    const enum nb_lane_rule rule = routing->lane_rule;
    const bool is_grid = topology->grid.dimensions > 0;
    enum nb_status status = NB_OK;
    *survey = (struct nb_lane_survey){ 0 };
    if (rule == NB_LANES_ANY) {
        *kind = NB_LANE_ANY;
    } else if (rule == NB_LANES_STAR && is_grid && routing == phase) {
        *kind = NB_LANE_STAR;
    } else if (rule != NB_LANES_HOP && phase->lane_levels > 0) {
        *kind = NB_LANE_DIMENSION;
    } else if (rule != NB_LANES_HOP && topology->tree.levels > 0) {
        *kind = NB_LANE_PHASE;
    } else if (!phase->is_minimal) { /* no router twice in a phase */
        *kind = NB_LANE_HOP;
        survey->hops = phase->longest > 0
                           ? phase->longest
                           : (uint32_t)topology->router_count - 1;
    } else {
        NB_TRY(nb_lane_survey_find(topology, survey, err));
        *kind = rule == NB_LANES_HOP || is_grid ? NB_LANE_HOP
                : survey->is_up_down            ? NB_LANE_PHASE
                : topology->groups.count > 0    ? NB_LANE_PLACE
                                                : NB_LANE_HOP;
    }
done:
    return status;
}

/* Classes of the whole, a phase and its parts. */
static uint64_t lanes_count(struct nb_lanes *lanes,
                            const struct nb_lane_survey *survey)
{
    const struct nb_routing *routing = lanes->routing;
    const uint64_t phases = routing->phase != NULL ? 2 : 1;
    uint64_t phase = 1, global = 0;
    switch (lanes->kind) {
    case NB_LANE_ANY:
        return 1;
    case NB_LANE_STAR:
        lanes->level = lanes_turn(&routing->topology->grid) ? 2 : 1;
        return lanes->level + 1;
    case NB_LANE_DIMENSION:
        lanes->level = lanes_turn(&routing->topology->grid) ? 2 : 1;
        phase = (uint64_t)lanes->level * lanes_phase(routing)->lane_levels;
        break;
    case NB_LANE_PHASE:
        break;
    case NB_LANE_HOP:
        phase = survey->hops > 0 ? survey->hops : 1;
        break;
    case NB_LANE_PLACE:
        lanes->places = survey->before;
        global = survey->global;
        phase = global * survey->before + survey->after;
        phase = phase > survey->alone ? phase : survey->alone;
        break;
    }
    lanes->phase = (unsigned)phase;
    lanes->global = (unsigned)global;
    return phases * (phase > global ? phase : global);
}

/* The dimension, direction and kind of every channel. */
static void lanes_mark_dimensions(struct nb_lanes *lanes)
{
    const struct nb_topology *topology = lanes->routing->topology;
    const struct nb_grid *grid = lanes_grid(topology);
    for (size_t c = 0; c < topology->channel_count; c++) {
        uint32_t from[NB_MAX_GRID], to[NB_MAX_GRID];
        size_t d = 0;
        nb_grid_split(grid, topology->channels[c].source, from);
        nb_grid_split(grid, topology->channels[c].target, to);
        while (from[d] == to[d])
            d++;
        const bool is_wrap = nb_grid_turns(grid, d) && from[d] + 1 != to[d] &&
                             to[d] + 1 != from[d];
        const bool is_plus = is_wrap ? to[d] < from[d] : to[d] > from[d];
        lanes->channel[c] = (uint8_t)(d + 1 + (is_plus ? LANES_PLUS : 0) +
                                      (is_wrap ? LANES_WRAP : 0));
    }
}

/* Coordinates in as many bits as each dimension needs; all together they need
 * no more than 32 and one a dimension. */
static void lanes_pack(struct nb_lanes *lanes)
{
    const struct nb_topology *topology = lanes->routing->topology;
    const struct nb_grid *grid = &topology->grid;
    for (size_t d = 0; d < grid->dimensions; d++) {
        uint8_t bits = 1;
        while ((grid->radix[d] - 1) >> bits > 0)
            bits++;
        lanes->above[d + 1] = (uint8_t)(lanes->above[d] + bits);
    }
    for (size_t r = 0; r < topology->router_count; r++) {
        uint32_t at[NB_MAX_GRID];
        nb_grid_split(grid, (uint32_t)r, at);
        for (size_t d = 0; d < grid->dimensions; d++)
            lanes->coordinates[r] |= (uint64_t)at[d] << lanes->above[d];
    }
}

enum nb_status nb_lanes_build(const struct nb_routing *routing,
                              struct nb_lanes *out, struct nb_error *err)
{
    const char *what = "classes of virtual channels";
    struct nb_lane_survey survey;
    enum nb_status status = NB_OK;
    *out = (struct nb_lanes){ .routing = routing };
    NB_TRY(nb_routing_check(routing, err));
    const struct nb_topology *topology = routing->topology;
    const size_t channels = topology->channel_count;
    NB_TRY(lanes_choose(routing, &out->kind, &survey, err));
    const uint64_t count = lanes_count(out, &survey);
    if (count > NB_MOST_LANES)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s on topology %s takes %" PRIu64
                       " classes of virtual channels (permitted: at most %d)",
                       routing->kind->kind.name, topology->kind->kind.name,
                       count, NB_MOST_LANES));
    out->count = (unsigned)count;
    if (out->kind == NB_LANE_DIMENSION || out->kind == NB_LANE_STAR) {
        NB_TRY(nb_new(&out->channel, channels, sizeof(uint8_t), what, err));
        lanes_mark_dimensions(out);
    }
    if (out->kind == NB_LANE_STAR) {
        NB_TRY(nb_new(&out->coordinates, topology->router_count,
                      sizeof(uint64_t), what, err));
        lanes_pack(out);
    }
    if (out->kind == NB_LANE_PLACE) {
        NB_TRY(nb_new(&out->channel, channels, sizeof(uint8_t), what, err));
        for (uint32_t c = 0; c < channels; c++)
            out->channel[c] =
                nb_channel_is_global(topology, c) ? LANES_GLOBAL : 0;
    }
done:
    if (status != NB_OK)
        nb_lanes_release(out);
    return status;
}

void nb_lanes_release(struct nb_lanes *lanes)
{
    nb_delete(lanes->channel);
    nb_delete(lanes->coordinates);
    *lanes = (struct nb_lanes){ 0 };
}

/* Within a phase the pairs (level, dimension) ascend; in one of them all hops
 * go in one direction, so that behind the wrap-around channel none comes to it
 * again. */
static uint32_t lanes_find_level(const struct nb_lanes *lanes, uint32_t memory,
                                 uint32_t channel, uint32_t *next)
{
    const uint32_t at = lanes->channel[channel];
    const uint32_t dimension = at & LANES_DIMENSION, way = at & LANES_WAY;
    const uint32_t last = memory & LANES_DIMENSION;
    const bool is_straight = way == (memory & LANES_WAY);
    const bool is_back = dimension <= last && !is_straight;
    const uint32_t level = (memory >> LANES_FIRST_COUNT) + is_back;
    const uint32_t crossed = is_straight ? memory & LANES_WRAP : 0;
    *next = (memory & LANES_SECOND) | level << LANES_FIRST_COUNT | at | crossed;
    return level * lanes->level + (crossed != 0);
}

/* With g global hops made and more to come, local hops are in classes below
 * (g + 1) places, behind the next one in classes from there on. */
static uint32_t lanes_find_place(const struct nb_lanes *lanes, uint32_t memory,
                                 uint32_t channel, uint32_t *next)
{
    const uint32_t global = memory >> LANES_SECOND_COUNT;
    const uint32_t row = memory >> LANES_FIRST_COUNT & 255;
    if (lanes->channel[channel] == LANES_GLOBAL) {
        *next = (memory & LANES_SECOND) | (global + 1) << LANES_SECOND_COUNT;
        return global;
    }
    *next = memory + (1 << LANES_FIRST_COUNT);
    return global * lanes->places + row;
}

/* Star classes and the one that is free for all. */
static uint64_t lanes_find_star(const struct nb_lanes *lanes, uint32_t memory,
                                uint32_t router, uint32_t destination,
                                uint32_t channel, uint32_t *next)
{
    const uint32_t at = lanes->channel[channel];
    const uint32_t dimension = at & LANES_DIMENSION;
    const uint64_t differing =
        lanes->coordinates[router] ^ lanes->coordinates[destination];
    const bool is_highest = differing >> lanes->above[dimension] == 0;
    const uint32_t crossed = memory >> dimension & 1;
    *next = memory | ((at & LANES_WRAP) != 0 ? UINT32_C(1) << dimension : 0);
    return UINT64_C(1) << lanes->level |
           (is_highest ? UINT64_C(1) << crossed : 0);
}

uint64_t nb_lanes_find(const struct nb_lanes *lanes, uint32_t memory,
                       nb_route_state state, uint32_t router,
                       uint32_t destination, uint32_t channel, uint32_t *next)
{
    uint32_t class = 0, phase = lanes->phase;
    *next = memory;
    switch (lanes->kind) {
    case NB_LANE_ANY:
        return 1;
    case NB_LANE_HOP:
        *next = memory + 1;
        assert(memory < lanes->count);
        return UINT64_MAX >> (NB_MOST_LANES - 1 - memory);
    case NB_LANE_STAR:
        return lanes_find_star(lanes, memory, router, destination, channel,
                               next);
    case NB_LANE_DIMENSION:
    case NB_LANE_PHASE:
    case NB_LANE_PLACE:
        break;
    }
    if (lanes->routing->phase != NULL && (memory & LANES_SECOND) == 0 &&
        !nb_two_phase_is_first(state, router))
        memory = LANES_SECOND;
    if (lanes->kind == NB_LANE_DIMENSION) {
        class = lanes_find_level(lanes, memory, channel, next);
    } else if (lanes->kind == NB_LANE_PLACE) {
        if (lanes->channel[channel] == LANES_GLOBAL)
            phase = lanes->global;
        class = lanes_find_place(lanes, memory, channel, next);
    } else {
        *next = memory;
    }
    class += (memory & LANES_SECOND) != 0 ? phase : 0;
    assert(class < lanes->count);
    return UINT64_C(1) << class;
}
