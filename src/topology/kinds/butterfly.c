/*
 * Butterfly: the k-ary n-fly. k^n terminals, each a router of its own with one
 * channel to the first of n stages and one from the last, and k^(n-1) switches
 * per stage, with k channels in and k out, one way. A row is a word of n
 * digits. Stage s sets the digit of place value k^(n-1-s): its switches join
 * the rows that differ only there. There is one path from each terminal to
 * each, itself included.
 * Source: [DallyTowles2004].
 */
#include "core/try.h"
#include "topology/topology.h"

struct butterfly {
    uint32_t k, n;
    uint32_t rows;     /* k^n: the terminals */
    uint32_t switches; /* per stage */
};

static struct butterfly
butterfly_of(const struct nb_specification *specification)
{
    struct butterfly out = {
        .k = (uint32_t)nb_specification_whole(specification, "k"),
        .n = (uint32_t)nb_specification_whole(specification, "n"),
        .switches = 1,
    };
    for (uint32_t i = 1; i < out.n; i++)
        out.switches *= out.k;
    out.rows = out.switches * out.k;
    return out;
}

/* Place value of the digit that a stage sets. */
static uint32_t butterfly_place(const struct butterfly *b, uint32_t stage)
{
    uint32_t place = b->switches;
    while (stage-- > 0)
        place /= b->k;
    return place;
}

/* The switch of a stage on a row. */
static uint32_t butterfly_switch(const struct butterfly *b, uint32_t stage,
                                 uint32_t row)
{
    const uint32_t place = butterfly_place(b, stage);
    return b->rows + stage * b->switches + row / (place * b->k) * place +
           row % place;
}

/* The row of a switch's output with this digit. */
static uint32_t butterfly_row(const struct butterfly *b, uint32_t router,
                              uint32_t digit)
{
    const uint32_t stage = (router - b->rows) / b->switches;
    const uint32_t word = (router - b->rows) % b->switches;
    const uint32_t place = butterfly_place(b, stage);
    return word / place * place * b->k + digit * place + word % place;
}

static enum nb_status
butterfly_build(const struct nb_specification *specification,
                struct nb_topology *out, struct nb_error *err)
{
    const double k = (double)nb_specification_whole(specification, "k");
    const double n = (double)nb_specification_whole(specification, "n");
    double switches = 1;
    enum nb_status status;
    for (double i = 1; i < n; i++)
        switches *= k;
    NB_TRY(nb_topology_reserve(out, (k + n) * switches, (n + 1) * k * switches,
                               err));
    const struct butterfly b = butterfly_of(specification);
    struct nb_channel *channel = out->channels;
    for (uint32_t row = 0; row < b.rows; row++) {
        out->terminals[row] = 1;
        *channel++ =
            (struct nb_channel){ row, butterfly_switch(&b, 0, row), { 0, 0 } };
    }
    for (uint32_t r = b.rows; r < out->router_count; r++) {
        const uint32_t next = (r - b.rows) / b.switches + 1;
        for (uint32_t digit = 0; digit < b.k; digit++) {
            const uint32_t row = butterfly_row(&b, r, digit);
            *channel++ = (struct nb_channel){
                r, next == b.n ? row : butterfly_switch(&b, next, row), { 0, 0 }
            };
        }
    }
done:
    return status;
}

static struct nb_closed_form
butterfly_diameter(const struct nb_topology *topology)
{
    const struct butterfly b = butterfly_of(&topology->specification);
    return (struct nb_closed_form){ { b.n + 1, 1 }, "counting" };
}

/* All terminals are n + 1 hops away. */
static struct nb_closed_form
butterfly_mean_distance(const struct nb_topology *topology)
{
    const struct butterfly b = butterfly_of(&topology->specification);
    return (struct nb_closed_form){ { b.n + 1, 1 }, "counting" };
}

/* Every channel carries the packets of one terminal. */
static struct nb_closed_form
butterfly_capacity(const struct nb_topology *topology)
{
    (void)topology;
    return (struct nb_closed_form){ nb_ratio_one, "counting" };
}

/* The row with digit i increased by one, cyclically, or with 0 and 1 exchanged
 * in it. */
static uint32_t butterfly_turn(const struct butterfly *b, size_t index,
                               uint32_t row)
{
    const uint32_t place = butterfly_place(b, (uint32_t)(index / 2));
    const uint32_t digit = row / place % b->k;
    const uint32_t image = index % 2 == 0 ? (digit + 1) % b->k
                           : digit < 2    ? 1 - digit
                                          : digit;
    return row - digit * place + image * place;
}

static unsigned butterfly_symmetry(const struct nb_topology *topology,
                                   size_t index, uint32_t *router_map)
{
    const struct butterfly b = butterfly_of(&topology->specification);
    if (index >= 2 * (size_t)b.n)
        return 0;
    for (uint32_t r = 0; r < topology->router_count; r++)
        router_map[r] =
            r < b.rows
                ? butterfly_turn(&b, index, r)
                : butterfly_switch(
                      &b, (r - b.rows) / b.switches,
                      butterfly_turn(&b, index, butterfly_row(&b, r, 0)));
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter butterfly_parameters[] = {
    NB_PARAMETER("k", WHOLE, NULL, "inputs and outputs of a switch",
                 .is_leading = true, .least = 2, .most = 1e6),
    NB_PARAMETER("n", WHOLE, NULL, "stages of switches", .least = 1,
                 .most = 31),
    { 0 },
};

const struct nb_topology_kind nb_topology_butterfly = {
    .kind = { .name = "butterfly",
              .summary = "k-ary n-fly: n one-way stages between k^n terminals",
              .family = NB_FAMILY_TREES,
              .parameters = butterfly_parameters },
    .examples = "butterfly:k=2,n=3 butterfly:k=3,n=2 butterfly:k=4,n=1",
    .has_own_terminals = true,
    .is_one_way = true,
    .build = butterfly_build,
    .diameter = butterfly_diameter,
    .mean_distance = butterfly_mean_distance,
    .capacity = butterfly_capacity,
    .symmetry = butterfly_symmetry,
};
