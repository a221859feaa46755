/* Meshes and tori: numbering and channels; coordinates and symmetries, also
 * those of a HyperX. */
#include "core/memory.h"
#include "topology/topology.h"

enum { GRID_MINUS = 0, GRID_PLUS = 1 };

static double grid_channel_count(const struct nb_grid *grid,
                                 double router_count)
{
    double channels = 0;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const double radix = grid->radix[d];
        if (grid->wraps && radix > 2)
            channels += 2 * router_count;
        else /* a line of k routers has k - 1 links */
            channels += 2 * (radix - 1) * (router_count / radix);
    }
    return channels;
}

/* The router one step away, NB_NONE beyond the border. */
static uint32_t grid_neighbour(const struct nb_grid *grid, uint32_t router,
                               size_t dimension, uint32_t stride, int direction)
{
    const uint32_t radix = grid->radix[dimension];
    const uint32_t here = router / stride % radix;
    if (direction == GRID_PLUS) {
        if (here + 1 < radix)
            return router + stride;
        return grid->wraps ? router - (radix - 1) * stride : NB_NONE;
    }
    if (here > 0)
        return router - stride;
    return grid->wraps ? router + (radix - 1) * stride : NB_NONE;
}

/* Adds one router's channels from number next on; returns the next number. */
static uint32_t grid_join_router(struct nb_topology *out, uint32_t router,
                                 uint32_t next)
{
    const struct nb_grid *grid = &out->grid;
    uint32_t *slot = grid->channel + (size_t)router * grid->dimensions * 2;
    uint32_t stride = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        for (int direction = GRID_MINUS; direction <= GRID_PLUS; direction++) {
            const uint32_t target =
                grid_neighbour(grid, router, d, stride, direction);
            const bool is_shared =
                direction == GRID_PLUS && grid->wraps && grid->radix[d] == 2;
            uint32_t *channel = &slot[2 * d + (size_t)direction];
            *channel = NB_NONE;
            if (is_shared) {
                *channel = slot[2 * d + GRID_MINUS];
            } else if (target != NB_NONE) {
                out->channels[next].source = router;
                out->channels[next].target = target;
                *channel = next++;
            }
        }
        stride *= grid->radix[d];
    }
    return next;
}

enum nb_status nb_grid_build(size_t dimensions, const uint32_t *radix,
                             bool wraps, struct nb_topology *out,
                             struct nb_error *err)
{
    struct nb_grid *grid = &out->grid;
    double routers = 1;
    enum nb_status status;
    grid->dimensions = dimensions;
    grid->wraps = wraps;
    for (size_t d = 0; d < dimensions; d++) {
        grid->radix[d] = radix[d];
        routers *= radix[d];
    }
    NB_TRY(nb_topology_reserve(out, routers, grid_channel_count(grid, routers),
                               err));
    NB_TRY(nb_new(&grid->channel, out->router_count * dimensions * 2,
                  sizeof *grid->channel, "grid", err));
    uint32_t next = 0;
    for (size_t r = 0; r < out->router_count; r++)
        next = grid_join_router(out, (uint32_t)r, next);
done:
    return status;
}

uint32_t nb_grid_coordinate(const struct nb_grid *grid, uint32_t router,
                            size_t dimension)
{
    for (size_t d = 0; d < dimension; d++)
        router /= grid->radix[d];
    return router % grid->radix[dimension];
}

void nb_grid_split(const struct nb_grid *grid, uint32_t router,
                   uint32_t *coordinate)
{
    for (size_t d = 0; d < grid->dimensions; d++) {
        coordinate[d] = router % grid->radix[d];
        router /= grid->radix[d];
    }
}

uint32_t nb_grid_join(const struct nb_grid *grid, const uint32_t *coordinate)
{
    uint32_t router = 0;
    for (size_t d = grid->dimensions; d-- > 0;)
        router = router * grid->radix[d] + coordinate[d];
    return router;
}

const struct nb_grid *nb_coordinates(const struct nb_topology *topology)
{
    return topology->hyperx.dimensions > 0 ? &topology->hyperx
                                           : &topology->grid;
}

static uint32_t grid_stride(const struct nb_grid *grid, size_t dimension)
{
    uint32_t stride = 1;
    for (size_t d = 0; d < dimension; d++)
        stride *= grid->radix[d];
    return stride;
}

/* Whether every router is joined with all others of its lines. */
static bool grid_is_complete(const struct nb_grid *grid)
{
    return grid->channel == NULL;
}

/* One generator: steps and a reflection, or an exchange of dimensions. In
 * complete lines coordinates 0 and 1 are exchanged instead of a reflection;
 * with the steps, that generates all permutations. */
struct grid_move {
    uint32_t step[NB_MAX_GRID];
    size_t reflected;  /* dimensions: no reflection */
    size_t swapped[2]; /* equal: no exchange */
};

/* At radix 2 one step is the reflection, so a mesh has it as well. */
static bool grid_can_translate(const struct nb_grid *grid, size_t dimension)
{
    return grid->wraps || grid_is_complete(grid) || grid->radix[dimension] == 2;
}

/* The next dimension in which a step, combined with a step in another, keeps
 * the parity of the coordinate sum; dimensions if there is none. */
static size_t grid_next_even(const struct nb_grid *grid, size_t first)
{
    size_t d = first;
    while (d < grid->dimensions &&
           (!grid_can_translate(grid, d) || grid->radix[d] % 2 != 0))
        d++;
    return d;
}

/* Whether two dimensions have equal radices and equal bandwidths; every channel
 * of a dimension has the bandwidth of router 0's. */
static bool grid_is_alike(const struct nb_topology *topology, size_t one,
                          size_t other)
{
    const struct nb_grid *grid = nb_coordinates(topology);
    const uint32_t step[] = { grid_stride(grid, one),
                              grid_stride(grid, other) };
    if (grid->radix[one] != grid->radix[other])
        return false;
    const uint32_t channel = nb_channel_find(topology, 0, step[0], 0);
    return channel == NB_NONE ||
           nb_channel_alike(topology, channel, 0, step[1]) != NB_NONE;
}

static size_t grid_next_equal(const struct nb_topology *topology,
                              size_t dimension)
{
    const size_t end = nb_coordinates(topology)->dimensions;
    size_t d = dimension + 1;
    while (d < end && !grid_is_alike(topology, dimension, d))
        d++;
    return d;
}

/* Even translations are generated by 2 e_i and e_i + e_j, j next after i. */
static bool grid_choose_even(const struct nb_grid *grid, size_t index,
                             struct grid_move *move)
{
    const size_t end = grid->dimensions;
    for (size_t d = grid_next_even(grid, 0); d < end;
         d = grid_next_even(grid, d + 1)) {
        const size_t partner = grid_next_even(grid, d + 1);
        if (grid->radix[d] > 2 && index-- == 0) {
            move->step[d] = 2;
            return true;
        }
        if (partner < end && index-- == 0) {
            move->step[d] = move->step[partner] = 1;
            return true;
        }
    }
    return false;
}

/* Chooses the index-th generator; returns its class, 0 past the last. */
static unsigned grid_choose(const struct nb_topology *topology, size_t index,
                            struct grid_move *move)
{
    const struct nb_grid *grid = nb_coordinates(topology);
    const bool is_complete = grid_is_complete(grid);
    *move = (struct grid_move){ .reflected = grid->dimensions };
    for (size_t d = 0; d < grid->dimensions; d++) {
        if (grid_can_translate(grid, d) && index-- == 0) {
            move->step[d] = 1;
            return NB_TRANSLATION;
        }
    }
    /* Where complete lines have two routers, the step exchanges them. */
    for (size_t d = 0; d < grid->dimensions; d++) {
        if ((!is_complete || grid->radix[d] > 2) && index-- == 0) {
            move->reflected = d;
            return is_complete ? NB_OTHER_SYMMETRY : NB_REFLECTION;
        }
    }
    for (size_t d = 0; d < grid->dimensions; d++) {
        const size_t other = grid_next_equal(topology, d);
        if (other < grid->dimensions && index-- == 0) {
            move->swapped[0] = d;
            move->swapped[1] = other;
            return NB_AXIS_SWAP;
        }
    }
    return !is_complete && grid_choose_even(grid, index, move)
               ? NB_EVEN_TRANSLATION
               : 0;
}

static void grid_apply(const struct nb_grid *grid, const struct grid_move *move,
                       uint32_t *coordinate)
{
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t radix = grid->radix[d];
        /* In 64 bits: the sum may pass 2^32. */
        coordinate[d] =
            (uint32_t)(((uint64_t)coordinate[d] + move->step[d]) % radix);
    }
    if (move->reflected < grid->dimensions) {
        const uint32_t radix = grid->radix[move->reflected];
        uint32_t *here = &coordinate[move->reflected];
        /* A torus is reflected at router 0, which would change nothing at radix
         * 2. */
        if (grid_is_complete(grid))
            *here = *here < 2 ? 1 - *here : *here;
        else if (grid->wraps && radix > 2)
            *here = (radix - *here) % radix;
        else
            *here = radix - 1 - *here;
    }
    const uint32_t kept = coordinate[move->swapped[0]];
    coordinate[move->swapped[0]] = coordinate[move->swapped[1]];
    coordinate[move->swapped[1]] = kept;
}

unsigned nb_grid_symmetry(const struct nb_topology *topology, size_t index,
                          uint32_t *router_map)
{
    const struct nb_grid *grid = nb_coordinates(topology);
    struct grid_move move;
    const unsigned class = grid_choose(topology, index, &move);
    if (class == 0)
        return 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        uint32_t coordinate[NB_MAX_GRID];
        nb_grid_split(grid, (uint32_t)r, coordinate);
        grid_apply(grid, &move, coordinate);
        router_map[r] = nb_grid_join(grid, coordinate);
    }
    return class;
}
