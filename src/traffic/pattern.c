#include "traffic/pattern.h"

#include "core/memory.h"

#include <string.h>

const struct nb_parameter nb_pattern_dims[] = {
    NB_PARAMETER("dims", CHOICE, "first", "dimensions in which it acts",
                 .choices = "first|all"),
    { 0 },
};

const struct nb_grid *nb_pattern_grid(const struct nb_traffic_request *request)
{
    const struct nb_topology *topology = request->topology;
    const struct nb_grid *grid = nb_coordinates(topology);
    const bool is_full = request->endpoint_count == topology->router_count;
    return is_full && grid->dimensions > 0 ? grid : NULL;
}

enum nb_status nb_pattern_move_all(const struct nb_traffic_request *request,
                                   nb_pattern_move *move, const void *context,
                                   struct nb_traffic *out, struct nb_error *err)
{
    const struct nb_grid *grid = nb_pattern_grid(request);
    const size_t count = grid != NULL ? request->endpoint_count
                                      : request->topology->terminal_count;
    const struct nb_grid line = { .dimensions = 1,
                                  .radix = { (uint32_t)count } };
    const struct nb_grid *coordinates = grid != NULL ? grid : &line;
    uint32_t *map = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&map, count, sizeof *map, "destinations", err));
    for (size_t i = 0; i < count; i++) {
        uint32_t coordinate[NB_MAX_GRID];
        nb_grid_split(coordinates, (uint32_t)i, coordinate);
        move(coordinates, coordinate, context);
        map[i] = nb_grid_join(coordinates, coordinate);
    }
    status = grid != NULL ? nb_traffic_add_map(request, map, out, err)
                          : nb_traffic_add_terminal_map(request, map, out, err);
done:
    nb_delete(map);
    return status;
}

struct pattern_shift {
    nb_pattern_step *step;
    bool is_first_only;
};

static void pattern_move_shift(const struct nb_grid *grid, uint32_t *coordinate,
                               const void *context)
{
    const struct pattern_shift *shift = context;
    const size_t dimensions = shift->is_first_only ? 1 : grid->dimensions;
    for (size_t d = 0; d < dimensions; d++) {
        const uint32_t radix = grid->radix[d];
        const uint64_t sum = (uint64_t)coordinate[d] + shift->step(radix);
        coordinate[d] = (uint32_t)(sum % radix);
    }
}

enum nb_status nb_pattern_shift(const struct nb_traffic_request *request,
                                nb_pattern_step *step, const char *dims,
                                struct nb_traffic *out, struct nb_error *err)
{
    const struct pattern_shift shift = { step, strcmp(dims, "first") == 0 };
    return nb_pattern_move_all(request, pattern_move_shift, &shift, out, err);
}

enum nb_status nb_pattern_move_bits(const struct nb_traffic_request *request,
                                    nb_pattern_bit_move *move,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    const size_t count = request->topology->terminal_count;
    if ((count & (count - 1)) != 0)
        return nb_fail(err, NB_INVALID,
                       "traffic %s is not defined on %zu terminals "
                       "(permitted: a power of two)",
                       request->specification->kind->name, count);
    unsigned bits = 0;
    while (count >> bits > 1)
        bits++;
    uint32_t *map = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&map, count, sizeof *map, "destinations", err));
    for (size_t i = 0; i < count; i++)
        map[i] = move((uint32_t)i, bits);
    NB_TRY(nb_traffic_add_terminal_map(request, map, out, err));
done:
    nb_delete(map);
    return status;
}

uint32_t nb_pattern_rotate(uint32_t source, unsigned bits, unsigned places)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    const uint64_t wide = (uint64_t)source << places;
    return (uint32_t)((wide | wide >> bits) & mask);
}
