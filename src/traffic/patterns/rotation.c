/* Rotation: the bits of the number rotated right, d_i = s_(i+1 mod b). */
#include "traffic/pattern.h"

static uint32_t rotation_move(uint32_t source, unsigned bits)
{
    return nb_pattern_rotate(source, bits, bits > 0 ? bits - 1 : 0);
}

static enum nb_status rotation_build(const struct nb_traffic_request *request,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    return nb_pattern_move_bits(request, rotation_move, out, err);
}

const struct nb_traffic_kind nb_traffic_rotation = {
    .kind = { .name = "rotation",
              .summary = "the bits of the number rotated right (2^b terminals)",},
    .examples = "rotation@torus:8x4 rotation@hypercube:5 rotation@complete:16",
    .is_by_place = true,
    .build = rotation_build,
};
