/*
 * Slim Fly: the graphs of McKay, Miller and Siran, of diameter 2. 2 q^2
 * routers (side, column, row) with column and row in the field of q elements,
 * numbered (side q + column) q + row:
 *     (0, x, y) - (0, x, y')  where y - y' is in the first generator set,
 *     (1, m, c) - (1, m, c')  where c - c' is in the second,
 *     (0, x, y) - (1, m, c)   where y = m x + c.
 * The terminals' own channels have bandwidth 1.
 * Source: [McKayMillerSiran1998]; generator sets of [Hafner2004] as in
 * [BestaHoefler2014].
 */
#include "topology/fit.h"
#include "topology/galois.h"

#include <inttypes.h>
#include <stdio.h>

enum { SLIMFLY_LEAST = 3, SLIMFLY_MOST = NB_GALOIS_MOST };

struct slimfly {
    struct nb_galois field;
    bool is_generator[2][NB_GALOIS_MOST]; /* [side][difference of rows] */
};

/* q = 4 w + delta. */
static int32_t slimfly_delta(uint32_t q)
{
    return q % 4 == 3 ? -1 : (int32_t)(q % 4);
}

/* Number of channels from each router. */
static uint32_t slimfly_degree(uint32_t q)
{
    return (uint32_t)(3 * (int32_t)q - slimfly_delta(q)) / 2;
}

/*
 * The generator sets over the field of q elements: even powers of the primitive
 * element for side 0, odd ones for side 1; where -1 is an odd power, the first
 * half of these and their negatives. False if q is not permitted.
 *
 * Source: [Hafner2004]; [BestaHoefler2014].
 */
static bool slimfly_make(uint32_t q, struct slimfly *out)
{
    *out = (struct slimfly){ 0 };
    if (q < SLIMFLY_LEAST || !nb_galois_build(q, &out->field))
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
 * shift[1], and y, c -> scale[1] times their f-th power + shift[2] + the term
 * that keeps y = m x + c. f is a power of the characteristic, so that f-th
 * powers keep sums and products. Then, if it swaps, (0, x, y) -> (1, x, y) and
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
    /* y' = y + v x' + t, where x' is scaled and shifted, and c' = c + t - m u,
     * where m is only scaled. */
    const uint32_t moved = side == 0 ? field->sum[column][move->shift[0]]
                                     : field->sum[column][move->shift[1]];
    const uint32_t tilt =
        side == 0 ? field->product[move->shift[1]][moved]
                  : field->negative[field->product[column][move->shift[0]]];
    row = field->sum[field->sum[row][tilt]][move->shift[2]];
    column = side == 1 && move->swaps ? field->negative[moved] : moved;
    return ((move->swaps ? 1 - side : side) * q + column) * q + row;
}

/* Whether this scaling of rows keeps the generator sets, or exchanges them. */
static bool slimfly_keeps(const struct slimfly *fly,
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

/* For each power, with a swap and without, the move with the least exponent
 * that keeps the sets; those with other exponents are its products with the
 * first move, of power 1 and no swap. */
static bool slimfly_find_scale(const struct slimfly *fly, size_t index,
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

/* As nb_topology_kind.symmetry: first the shifts of rows, columns and slopes by
 * every 1, p, p^2, .., then x -> z x, m -> m/z, then the scalings of rows;
 * where the field has one that exchanges the generator sets, this swaps the
 * sides. */
static unsigned slimfly_symmetry(const struct nb_topology *topology,
                                 size_t index, uint32_t *router_map)
{
    struct slimfly fly;
    struct slimfly_move move = { .power = 1 };
    const int64_t q = nb_specification_whole(&topology->specification, "q");
    (void)slimfly_make((uint32_t)q, &fly); /* cannot fail */
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

/* Half of the degree, as most packets take two hops: [BestaHoefler2014]. */
static uint32_t slimfly_terminals(uint32_t q)
{
    return (slimfly_degree(q) + 1) / 2;
}

static enum nb_status slimfly_refuse(uint32_t q, struct nb_error *err)
{
    char permitted[128] = "";
    int length = 0;
    struct slimfly unused;
    for (uint32_t order = SLIMFLY_LEAST; order <= SLIMFLY_MOST; order++)
        if (slimfly_make(order, &unused))
            length +=
                snprintf(permitted + length, sizeof permitted - (size_t)length,
                         "%s%" PRIu32, length > 0 ? ", " : "", order);
    return nb_fail(err, NB_INVALID,
                   "topology slimfly: q = %" PRIu32
                   " is not permitted (permitted: the prime powers %s)",
                   q, permitted);
}

/* The channels of a router, by target. */
static struct nb_channel *slimfly_join(const struct slimfly *fly,
                                       uint32_t router,
                                       struct nb_channel *channel)
{
    const struct nb_galois *field = &fly->field;
    const uint32_t q = field->order, side = router / (q * q);
    const uint32_t column = router / q % q, row = router % q;
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < q; i++) {
            const uint32_t product = field->product[column][i];
            uint32_t target = (s * q + i) * q;
            if (s == side) { /* i is the row of the target */
                const uint32_t step = field->sum[row][field->negative[i]];
                if (!fly->is_generator[side][step])
                    continue;
                target = (s * q + column) * q + i;
            } else if (side == 0) {
                target += field->sum[row][field->negative[product]];
            } else {
                target += field->sum[row][product];
            }
            channel->source = router;
            channel->target = target;
            channel++;
        }
    return channel;
}

static uint32_t slimfly_order(const struct nb_topology *topology)
{
    return (uint32_t)nb_specification_whole(&topology->specification, "q");
}

static enum nb_status
slimfly_build(const struct nb_specification *specification,
              struct nb_topology *out, struct nb_error *err)
{
    const uint32_t q = slimfly_order(out);
    const uint32_t p = (uint32_t)nb_specification_whole(specification, "p");
    struct slimfly fly;
    if (!slimfly_make(q, &fly))
        return slimfly_refuse(q, err);
    const double routers = 2.0 * q * q;
    const enum nb_status status =
        nb_topology_reserve(out, routers, routers * slimfly_degree(q), err);
    if (status != NB_OK)
        return status;
    struct nb_channel *channel = out->channels;
    for (uint32_t r = 0; r < out->router_count; r++) {
        out->terminals[r] = p > 0 ? p : slimfly_terminals(q);
        channel = slimfly_join(&fly, r, channel);
    }
    return NB_OK;
}

static struct nb_closed_form
slimfly_diameter(const struct nb_topology *topology)
{
    (void)topology;
    return (struct nb_closed_form){ { 2, 1 }, "McKayMillerSiran1998" };
}

/* Of R routers, one is the source, degree are one hop away, and the rest
 * two. */
static struct nb_closed_form
slimfly_mean_distance(const struct nb_topology *topology)
{
    const uint32_t q = slimfly_order(topology);
    const int64_t routers = 2 * q * q, degree = slimfly_degree(q);
    return (struct nb_closed_form){
        nb_ratio_make(2 * (routers - 1) - degree, routers), "counting"
    };
}

/*
 * The rate that shortest paths carry when split evenly; no routing carries
 * more.
 *
 * At least: a channel from (0, x, y) to (1, m, c) is the first hop of the only
 * path to the q - 1 other routers (0, x', y') next to its target, and of one
 * path to the (q - delta)/2 routers (1, m, c') next to its target; 1 - delta of
 * these have a second path, as c' - c is in both sets. It is a second hop for
 * the same number of pairs, and with its own ends it carries 3 q - 2 pairs. A
 * channel within a side carries no more for q > 4 (q = 3, 4: by counting): as
 * first hop, the share of one router on the other side for each slope, at most
 * q, and of the (q - delta)/2 - 1 other routers of its column next to its
 * target; for all of these except one, the two steps may be taken in either
 * order.
 *
 * At most: the q channels from a router to the other side carry its packets to
 * that side, q^2 pairs, once, and those to the q (q - 1) routers in the other
 * columns of its own side twice.
 */
static struct nb_ratio slimfly_rate(uint32_t q, uint32_t terminals)
{
    return nb_ratio_make(2 * (nb_int128)q * q,
                         (nb_int128)terminals * (3 * q - 2));
}

static struct nb_closed_form
slimfly_capacity(const struct nb_topology *topology)
{
    return (struct nb_closed_form){
        slimfly_rate(slimfly_order(topology), topology->terminals[0]),
        "counting",
    };
}

/*
 * The numbers of the network of q with p terminals per router. Local links are
 * those within the q racks (0, x, .), (1, x, .) of [BestaHoefler2014]: degree -
 * q from each router to its own column, and q between the two columns.
 */
static void slimfly_count(uint32_t q, uint32_t p, struct nb_fit *out)
{
    *out = (struct nb_fit){
        .routers = UINT64_C(2) * q * q,
        .switches = UINT64_C(2) * q * q,
        .terminals = UINT64_C(2) * q * q * p,
        .local_links = UINT64_C(1) * q * q * (slimfly_degree(q) - q + 1),
        .global_links = UINT64_C(1) * q * q * (q - 1),
        .radix = slimfly_degree(q) + p,
        .diameter = 2,
    };
    nb_fit_set_rate(out, slimfly_rate(q, p));
    snprintf(out->specification, sizeof out->specification,
             p == slimfly_terminals(q) ? "slimfly:%" PRIu32
                                       : "slimfly:%" PRIu32 ",p=%" PRIu32,
             q, p);
}

/* The largest network with the kind's own number of terminals per router; or
 * for every q the fewest terminals per router that suffice, no more than its
 * channels. */
static enum nb_status slimfly_fit(const struct nb_fit_demand *demand,
                                  size_t index, struct nb_fit *out,
                                  struct nb_error *err)
{
    const bool is_open = demand->terminals == 0;
    struct slimfly unused;
    (void)err;
    for (uint32_t i = 0; i <= SLIMFLY_MOST - SLIMFLY_LEAST; i++) {
        const uint32_t q = is_open ? SLIMFLY_MOST - i : SLIMFLY_LEAST + i;
        const uint64_t routers = UINT64_C(2) * q * q;
        const uint64_t p = is_open ? slimfly_terminals(q)
                                   : (demand->terminals - 1) / routers + 1;
        if (p > slimfly_degree(q) || slimfly_degree(q) + p > demand->radix ||
            !slimfly_make(q, &unused))
            continue;
        if (index-- > 0) {
            if (is_open)
                break;
            continue;
        }
        slimfly_count(q, (uint32_t)p, out);
        return NB_OK;
    }
    return nb_fit_end(out);
}

static const struct nb_parameter slimfly_parameters[] = {
    NB_PARAMETER(
        "q", WHOLE, NULL,
        "size of the finite field, a prime power: 2 q^2 routers of degree "
        "about 3 q/2",
        .detail = "The degree is 3 q/2, or half a channel more or less.",
        .is_leading = true, .least = SLIMFLY_LEAST, .most = SLIMFLY_MOST),
    NB_PARAMETER("p", WHOLE, "0",
                 "terminals per router; 0: half of its degree, rounded up",
                 .least = 0, .most = 1e6),
    { 0 },
};

const struct nb_topology_kind nb_topology_slimfly = {
    .kind = { .name = "slimfly",
              .summary = "2 q^2 routers, at most two hops apart",
              .detail =
                  "McKay-Miller-Siran graphs; terminals= is not accepted.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = slimfly_parameters },
    .examples = "slimfly:3 slimfly:4,p=1 slimfly:5,p=1,bandwidth=3/2",
    .has_own_terminals = true,
    .build = slimfly_build,
    .diameter = slimfly_diameter,
    .mean_distance = slimfly_mean_distance,
    .capacity = slimfly_capacity,
    .fit = slimfly_fit,
    .symmetry = slimfly_symmetry,
};
