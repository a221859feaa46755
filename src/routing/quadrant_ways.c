#include "routing/quadrant_ways.h"

#include "core/memory.h"
#include "core/random.h"
#include "routing/grid_ways.h"
#include "routing/quadrant.h"

_Static_assert(NB_MAX_DIMENSIONS <= 7,
               "classes and their number fit in 8 bits");

/* The quadrant of a class; false unless the class represents the quadrant:
 * there is no choice in matched dimensions, so their bits must be 0. */
static bool ways_quadrant(const struct nb_grid *grid, size_t class,
                          uint32_t displacement, struct nb_quadrant_start *out)
{
    struct nb_quadrant quadrant;
    size_t bits = class;
    nb_quadrant_find(grid, class, 0, displacement, &quadrant);
    *out = (struct nb_quadrant_start){ .class = (uint8_t) class };
    for (size_t d = 0; d < grid->dimensions; d++) {
        const bool turns = nb_grid_turns(grid, d);
        if (quadrant.hops[d] == 0 && turns && bits % 2 == 1)
            return false;
        bits >>= turns;
        if (quadrant.hops[d] == 0)
            continue;
        out->hops += quadrant.hops[d];
        out->moves |= (uint8_t)(1u << d);
        out->is_plus |= (uint8_t)(quadrant.is_plus[d] << d);
    }
    return true;
}

/* start: out, [class_count] of one displacement. */
static void ways_fill(const struct nb_grid *grid, size_t class_count,
                      uint32_t displacement, struct nb_quadrant_start *start)
{
    size_t count = 0;
    for (size_t class = 0; class < class_count; class ++) {
        struct nb_quadrant_start quadrant;
        if (!ways_quadrant(grid, class, displacement, &quadrant))
            continue;
        size_t place = count++;
        for (; place > 0 && start[place - 1].hops > quadrant.hops; place--)
            start[place] = start[place - 1];
        start[place] = quadrant;
    }
    for (size_t i = 0; i < count; i++) {
        const bool is_like = i > 0 && start[i - 1].hops == start[i].hops;
        start[i].first = is_like ? start[i - 1].first : (uint8_t)i;
        start[start[i].first].alike++;
    }
    for (size_t i = 0; i < count; i++)
        start[i].alike = start[start[i].first].alike;
}

void nb_quadrant_ways_declare(struct nb_routing *out)
{
    const struct nb_grid *grid = &out->topology->grid;
    out->symmetries =
        NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION | NB_AXIS_SWAP;
    out->state_count = nb_grid_class_count(grid);
    out->most_starts = out->state_count;
    out->start_total = out->state_count;
    out->most_hops = grid->dimensions;
    out->vc_rule = "star";
}

enum nb_status nb_quadrant_ways_build(struct nb_routing *out, size_t plan_size,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct nb_grid *grid = &topology->grid;
    if (!grid->wraps)
        return nb_routing_refuse(
            out, "a ring or torus (permitted: such as ring:8, torus:8x8)", err);
    const size_t n = topology->router_count;
    const size_t class_count = nb_grid_class_count(grid);
    const size_t bytes =
        plan_size + n * class_count * sizeof(struct nb_quadrant_start);
    enum nb_status status = nb_memory_require((double)bytes, "quadrants", err);
    if (status == NB_OK)
        status = nb_new(&out->plan, 1, bytes, "quadrants", err);
    if (status != NB_OK)
        return status;
    struct nb_quadrant_start *start = (void *)((char *)out->plan + plan_size);
    for (uint32_t r = 0; r < n; r++)
        ways_fill(grid, class_count, r, start + r * class_count);
    *(struct nb_quadrant_ways *)out->plan =
        (struct nb_quadrant_ways){ class_count, start };
    nb_quadrant_ways_declare(out);
    return NB_OK;
}

/* All starts of a pair of routers. */
static const struct nb_quadrant_start *
ways_of_pair(const struct nb_routing *routing, uint32_t source,
             uint32_t destination)
{
    const struct nb_quadrant_ways *ways = routing->plan;
    const struct nb_grid *grid = &routing->topology->grid;
    uint32_t displacement = 0, stride = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        displacement +=
            stride * nb_grid_ahead(grid, d, source % k, destination % k);
        source /= k;
        destination /= k;
        stride *= k;
    }
    return ways->start + displacement * ways->class_count;
}

const struct nb_quadrant_start *
nb_quadrant_ways_find(const struct nb_routing *routing, uint32_t source,
                      uint32_t destination, size_t index)
{
    return ways_of_pair(routing, source, destination) + index;
}

size_t nb_quadrant_ways_start(const struct nb_routing *routing, uint32_t source,
                              uint32_t destination, struct nb_start *starts)
{
    const struct nb_quadrant_ways *ways = routing->plan;
    const struct nb_quadrant_start *start =
        ways_of_pair(routing, source, destination);
    size_t count = 0;
    for (; count < ways->class_count && start[count].alike > 0; count++)
        starts[count].state = start[count].class;
    for (size_t i = 0; i < count; i++)
        starts[i].weight = ways->class_count / count; /* powers of 2 */
    return count;
}

size_t nb_quadrant_ways_step(const struct nb_routing *routing,
                             const struct nb_route_table *table,
                             nb_route_state state, uint32_t router,
                             uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct nb_grid *grid = &routing->topology->grid;
    struct nb_quadrant quadrant;
    size_t count = 0;
    nb_quadrant_find(grid, state, router, destination, &quadrant);
    for (size_t d = 0; d < grid->dimensions; d++)
        if (quadrant.hops[d] > 0)
            hops[count++] = (struct nb_hop){
                .channel = nb_grid_way(grid, router, d, quadrant.is_plus[d]),
                .next = state,
                .weight = 1,
                .share = 1,
            };
    return count;
}

void nb_quadrant_ways_observe(const struct nb_routing *routing,
                              const struct nb_view *view, uint64_t cycle)
{
    (void)routing;
    struct nb_quadrant_memory *memory = view->memory;
    memory->cycle = cycle;
}

uint64_t nb_quadrant_ways_cost(const struct nb_routing *routing,
                               const struct nb_view *view, uint32_t source,
                               uint32_t destination, size_t index,
                               uint64_t primary)
{
    const struct nb_quadrant_start *start =
        nb_quadrant_ways_find(routing, source, destination, index);
    const struct nb_quadrant_memory *memory = view->memory;
    uint64_t drawn = 0;
    if (primary > NB_QUADRANT_MOST_PRIMARY)
        primary = NB_QUADRANT_MOST_PRIMARY;
    /* Among equal starts, any may have the least random number, whichever
     * starts these are; two equal numbers are too rare (2^-16) to matter. */
    if (start->alike > 1) {
        struct nb_random random;
        nb_random_init(&random, (uint64_t)source << 32 | destination,
                       memory->cycle << 8 | index);
        drawn = nb_random_next(&random) >> 48;
    }
    return primary << 24 | (uint64_t)start->first << 16 | drawn;
}
