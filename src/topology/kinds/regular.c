/*
 * Regular: n routers with d links each, drawn at random. Two ends of links that
 * are still free are drawn and joined, unless that would join a router with
 * itself or two routers twice; where nothing else is left, all begins anew.
 * Asymptotically all such networks are as likely. Source: [StegerWormald1999];
 * [Hanlon2009, section 2.1.2].
 */
#include "core/memory.h"
#include "topology/drawn.h"

/* Draws that may fail one after another before it is looked whether any can
 * succeed. */
enum { REGULAR_FAILURES = 100 };

/* The ends of links: the routers that they belong to. */
struct regular {
    uint32_t *end; /* [count] those still free */
    size_t count;
};

static bool regular_suits(const struct nb_drawn *drawn, uint32_t a, uint32_t b)
{
    return a != b && !nb_drawn_has(drawn, a, b);
}

static bool regular_is_stuck(const struct regular *ends,
                             const struct nb_drawn *drawn)
{
    for (size_t i = 0; i < ends->count; i++)
        for (size_t j = 0; j < i; j++)
            if (regular_suits(drawn, ends->end[i], ends->end[j]))
                return false;
    return true;
}

static void regular_take(struct regular *ends, size_t i)
{
    ends->end[i] = ends->end[--ends->count];
}

static enum nb_status regular_draw(const struct nb_specification *specification,
                                   struct nb_drawn *drawn, bool *is_whole,
                                   struct nb_error *err)
{
    const size_t degree =
        (size_t)nb_specification_whole(specification, "degree");
    const size_t all = drawn->router_count * degree;
    struct regular ends = { .count = all };
    unsigned failures = 0;
    enum nb_status status;
    NB_TRY(nb_new(&ends.end, all, sizeof *ends.end, "links", err));
    for (size_t i = 0; i < all; i++)
        ends.end[i] = (uint32_t)(i / degree);
    while (ends.count > 0 && *is_whole) {
        const size_t i = nb_random_below(drawn->random, ends.count);
        const size_t j = nb_random_below(drawn->random, ends.count);
        const uint32_t a = ends.end[i], b = ends.end[j];
        if (regular_suits(drawn, a, b)) {
            NB_TRY(nb_drawn_add(drawn, a, b, err));
            regular_take(&ends, i > j ? i : j);
            regular_take(&ends, i > j ? j : i);
            failures = 0;
        } else if (++failures == REGULAR_FAILURES) {
            *is_whole = !regular_is_stuck(&ends, drawn);
            failures = 0;
        }
    }
done:
    nb_delete(ends.end);
    return status;
}

static enum nb_status
regular_build(const struct nb_specification *specification,
              struct nb_topology *out, struct nb_error *err)
{
    const int64_t routers = nb_specification_whole(specification, "routers");
    const int64_t degree = nb_specification_whole(specification, "degree");
    if (degree >= routers || degree * routers % 2 != 0)
        return nb_fail(err, NB_INVALID,
                       "topology regular: degree %d of %d routers is not "
                       "permitted (permitted: below the number of routers, and "
                       "an even number of ends of links in all)",
                       (int)degree, (int)routers);
    return nb_drawn_build(specification, (uint32_t)routers, regular_draw, out,
                          err);
}

static const struct nb_parameter regular_parameters[] = {
    { .name = "routers",
      .help = "routers",
      .type = NB_WHOLE,
      .is_leading = true,
      .least = 2,
      .most = 50000 },
    { .name = "degree",
      .help = "links of each router",
      .also = "d",
      .type = NB_WHOLE,
      .least = 1,
      .most = 1000 },
    NB_PARAMETER_DRAWN,
    { 0 },
};

const struct nb_topology_kind nb_topology_regular = {
    .kind = { .name = "regular",
              .aliases = "random-regular jellyfish",
              .summary = "as many links at every router, drawn at random",
              .parameters = regular_parameters },
    .examples = "regular:8,degree=3 regular:15,degree=4,seed=2,terminals=2 "
                "regular:2,degree=1 regular:6,degree=5",
    .build = regular_build,
};
