/* Shuffle: the bits of the number rotated left, d_i = s_(i-1 mod b). */
#include "traffic/pattern.h"

static uint32_t shuffle_move(uint32_t source, unsigned bits)
{
    return nb_pattern_rotate(source, bits, bits > 0 ? 1 : 0);
}

static enum nb_status shuffle_build(const struct nb_traffic_request *request,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    return nb_pattern_move_bits(request, shuffle_move, out, err);
}

const struct nb_traffic_kind nb_traffic_shuffle = {
    .kind = { .name = "shuffle",
              .summary = "the bits of the number rotated left (2^b terminals)",},
    .examples = "shuffle@torus:8x4 shuffle@hypercube:5 shuffle@complete:16",
    .is_by_place = true,
    .build = shuffle_build,
};
