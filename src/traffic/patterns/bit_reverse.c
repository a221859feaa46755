/* Bit reverse: the bits of the number in reverse order, d_i = s_(b-1-i). */
#include "traffic/pattern.h"

static uint32_t bit_reverse_move(uint32_t source, unsigned bits)
{
    uint32_t target = 0;
    for (unsigned i = 0; i < bits; i++)
        target |= (source >> i & 1) << (bits - 1 - i);
    return target;
}

static enum nb_status
bit_reverse_build(const struct nb_traffic_request *request,
                  struct nb_traffic *out, struct nb_error *err)
{
    return nb_pattern_move_bits(request, bit_reverse_move, out, err);
}

const struct nb_traffic_kind nb_traffic_bit_reverse = {
    .kind = { .name = "bit-reverse",
              .summary = "the bits of the number reversed (2^b terminals)",},
    .examples =
        "bit-reverse@torus:8x4 bit-reverse@hypercube:5 bit-reverse@complete:16",
    .is_by_place = true,
    .build = bit_reverse_build,
};
