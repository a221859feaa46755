/* Bit complement: every coordinate x becomes k - 1 - x. */
#include "traffic/pattern.h"

static void bit_complement_move(const struct nb_grid *grid,
                                uint32_t *coordinate, const void *context)
{
    (void)context;
    for (size_t d = 0; d < grid->dimensions; d++)
        coordinate[d] = grid->radix[d] - 1 - coordinate[d];
}

static enum nb_status
bit_complement_build(const struct nb_traffic_request *request,
                     struct nb_traffic *out, struct nb_error *err)
{
    return nb_pattern_move_all(request, bit_complement_move, NULL, out, err);
}

const struct nb_traffic_kind nb_traffic_bit_complement = {
    .kind = { .name = "bit-complement",
              .aliases = "bc",
              .summary = "x to k-1-x in every dimension",
.detail = "Coordinates are those of routers; terminal t sends to terminal t. Without coordinates, terminal i of N sends to N-1-i.",},
    .examples = "bit-complement@torus:8x8 bit-complement@mesh:4x3 "
                "bit-complement@hypercube:4 bit-complement@complete:5",
    .is_by_place = true,
    .build = bit_complement_build,
};
