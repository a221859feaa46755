/* Transpose: exchanges the two halves of the coordinates, or of the bits of the
 * terminal's number. */
#include "traffic/pattern.h"

static bool transpose_has_halves(const struct nb_grid *grid)
{
    if (grid == NULL || grid->dimensions % 2 != 0)
        return false;
    const size_t half = grid->dimensions / 2;
    for (size_t d = 0; d < half; d++)
        if (grid->radix[d] != grid->radix[d + half])
            return false;
    return true;
}

static void transpose_move(const struct nb_grid *grid, uint32_t *coordinate,
                           const void *context)
{
    (void)context;
    const size_t half = grid->dimensions / 2;
    for (size_t d = 0; d < half; d++) {
        const uint32_t kept = coordinate[d];
        coordinate[d] = coordinate[d + half];
        coordinate[d + half] = kept;
    }
}

static uint32_t transpose_move_bits(uint32_t source, unsigned bits)
{
    return nb_pattern_rotate(source, bits, bits / 2);
}

static enum nb_status transpose_build(const struct nb_traffic_request *request,
                                      struct nb_traffic *out,
                                      struct nb_error *err)
{
    const struct nb_grid *grid = nb_pattern_grid(request);
    if (transpose_has_halves(grid))
        return nb_pattern_move_all(request, transpose_move, NULL, out, err);
    const size_t terminals = request->topology->terminal_count;
    size_t power = 1;
    while (power < terminals)
        power *= 4;
    if (power != terminals)
        return nb_fail(err, NB_INVALID,
                       "traffic transpose is not defined here: %zu dimensions, "
                       "%zu terminals (permitted: an even number of "
                       "dimensions whose second half has the radices of the "
                       "first, or a power of four terminals)",
                       grid != NULL ? grid->dimensions : 0, terminals);
    return nb_pattern_move_bits(request, transpose_move_bits, out, err);
}

const struct nb_traffic_kind nb_traffic_transpose = {
    .kind = { .name = "transpose",
              .aliases = "tp",
              .summary = "(x,y) to (y,x)",
.detail = "Exchanges halves of the coordinates of routers, whose terminals t send to terminals t; without coordinates, halves of the bits of the terminal's number.",},
    .examples = "transpose@torus:8x8 transpose@mesh:3x3 "
                "transpose@torus:2x3x2x3 transpose@torus:4x4x4 "
                "transpose@complete:16",
    .is_by_place = true,
    .build = transpose_build,
};
