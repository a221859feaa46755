#include "topology/slimfly.h"

/* q = 4 w + delta. */
static int32_t slimfly_delta(uint32_t q)
{
    return q % 4 == 3 ? -1 : (int32_t)(q % 4);
}

uint32_t nb_slimfly_degree(uint32_t q)
{
    return (uint32_t)(3 * (int32_t)q - slimfly_delta(q)) / 2;
}

bool nb_slimfly_build(uint32_t q, struct nb_slimfly *out)
{
    *out = (struct nb_slimfly){ 0 };
    if (q < NB_SLIMFLY_LEAST || !nb_galois_build(q, &out->field))
        return false;
    const bool is_mirrored = slimfly_delta(q) < 0;
    const uint32_t count = is_mirrored ? (q + 1) / 4 : q / 2;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint32_t g = out->field.power[i % (q - 1)];
        out->is_generator[i % 2][g] = true;
        if (is_mirrored)
            out->is_generator[i % 2][out->field.negative[g]] = true;
    }
    return true;
}

/*
 * An automorphism: x -> scale[0] x^f + shift[0], m -> scale[1]/scale[0] m^f +
 * shift[1], and y, c -> scale[1] times their f-th power + shift[2] + what
 * keeps y = m x + c; f is a power of the characteristic, so that f-th powers
 * keep sums and products. Then, if it swaps, (0, x, y) -> (1, x, y) and
 * (1, m, c) -> (0, -m, c).
 */
struct slimfly_move {
    uint32_t power;
    uint32_t scale[2]; /* as exponents of the primitive element */
    uint32_t shift[3]; /* elements */
    bool swaps;
};

/* a^power times the primitive element to the exponent. */
static uint32_t slimfly_scale(const struct nb_galois *field, uint32_t a,
                              uint32_t power, uint32_t exponent)
{
    const uint32_t scaled = field->logarithm[a] * power + exponent;
    return a == 0 ? 0 : field->power[scaled % (field->order - 1)];
}

static uint32_t slimfly_image(const struct nb_galois *field,
                              const struct slimfly_move *move, uint32_t router)
{
    const uint32_t q = field->order, side = router / (q * q);
    const uint32_t ratio =
        side == 0 ? move->scale[0] : move->scale[1] + q - 1 - move->scale[0];
    uint32_t column = slimfly_scale(field, router / q % q, move->power, ratio);
    uint32_t row =
        slimfly_scale(field, router % q, move->power, move->scale[1]);
    /* y' = y + v x' + t and c' = c + t - m u, of the moved x, m alike. */
    const uint32_t moved = side == 0 ? field->sum[column][move->shift[0]]
                                     : field->sum[column][move->shift[1]];
    const uint32_t tilt =
        side == 0 ? field->product[move->shift[1]][moved]
                  : field->negative[field->product[column][move->shift[0]]];
    row = field->sum[field->sum[row][tilt]][move->shift[2]];
    column = side == 1 && move->swaps ? field->negative[moved] : moved;
    return ((move->swaps ? 1 - side : side) * q + column) * q + row;
}

/* Whether rows scaled so keep the generator sets, or exchange them. */
static bool slimfly_keeps(const struct nb_slimfly *fly,
                          const struct slimfly_move *move)
{
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t g = 1; g < fly->field.order; g++) {
            const uint32_t image =
                slimfly_scale(&fly->field, g, move->power, move->scale[1]);
            const uint32_t other = move->swaps ? 1 - side : side;
            if (fly->is_generator[side][g] != fly->is_generator[other][image])
                return false;
        }
    return true;
}

/* Of each power, with a swap and without, the move of least exponent that
 * keeps the sets; those of other exponents are its products with the first,
 * of power 1 and no swap. */
static bool slimfly_find_scale(const struct nb_slimfly *fly, size_t index,
                               struct slimfly_move *out)
{
    const struct nb_galois *field = &fly->field;
    for (uint32_t i = 0; i < 2 * field->degree; i++) {
        struct slimfly_move move = { .power = 1, .swaps = i % 2 == 1 };
        for (uint32_t k = 0; k < i / 2; k++)
            move.power *= field->characteristic;
        move.scale[1] = i == 0 ? 1 : 0;
        while (move.scale[1] < field->order - 1 && !slimfly_keeps(fly, &move))
            move.scale[1]++;
        if (move.scale[1] == field->order - 1 || index-- > 0)
            continue;
        *out = move;
        return true;
    }
    return false;
}

/* First the shifts by every 1, p, p^2, .., then x -> z x, m -> m/z, then the
 * scalings of rows. */
unsigned nb_slimfly_symmetry(const struct nb_topology *topology, size_t index,
                             uint32_t *router_map)
{
    struct nb_slimfly fly;
    struct slimfly_move move = { .power = 1 };
    const int64_t q = nb_specification_whole(&topology->specification, "q");
    (void)nb_slimfly_build((uint32_t)q, &fly); /* it was built */
    const size_t shifts = 3 * fly.field.degree;
    if (index < shifts) {
        uint32_t *shift = &move.shift[index % 3];
        *shift = 1;
        for (size_t i = 0; i < index / 3; i++)
            *shift *= fly.field.characteristic;
    } else if (index == shifts) {
        move.scale[0] = 1;
    } else if (!slimfly_find_scale(&fly, index - shifts - 1, &move)) {
        return 0;
    }
    for (uint32_t r = 0; r < topology->router_count; r++)
        router_map[r] = slimfly_image(&fly.field, &move, r);
    return NB_OTHER_SYMMETRY;
}
