/*
 * Regular: n routers with d links each, drawn at random. Two free link ends are
 * drawn and joined, unless that would join a router with itself or two routers
 * twice; where nothing else is left, drawing restarts. Asymptotically all such
 * networks are equally likely.
 * Source: [StegerWormald1999]; [Hanlon2009, section 2.1.2].
 */
#include "core/memory.h"
#include "topology/drawn.h"

/* Failed draws in a row before checking whether any draw can succeed. */
enum { REGULAR_FAILURES = 100 };

/* A drawing of links. */
struct regular {
    bool are_others; /* draws the links that the network lacks */
    size_t degree;
    uint32_t *end; /* [count] routers of the link ends still free */
    size_t count;
    uint32_t *neighbour; /* [router * degree + k] */
    uint32_t *joined;    /* [router] number of its neighbours */
};

static bool regular_suits(const struct regular *work, uint32_t a, uint32_t b)
{
    const uint32_t *neighbour = work->neighbour + a * work->degree;
    for (size_t k = 0; k < work->joined[a]; k++)
        if (neighbour[k] == b)
            return false;
    return a != b;
}

static bool regular_is_stuck(const struct regular *work)
{
    for (size_t i = 0; i < work->count; i++)
        for (size_t j = 0; j < i; j++)
            if (regular_suits(work, work->end[i], work->end[j]))
                return false;
    return true;
}

static void regular_take(struct regular *work, size_t i)
{
    work->end[i] = work->end[--work->count];
}

/* Joins the routers of two free ends. */
static void regular_join(struct regular *work, size_t i, size_t j)
{
    const uint32_t a = work->end[i], b = work->end[j];
    work->neighbour[a * work->degree + work->joined[a]++] = b;
    work->neighbour[b * work->degree + work->joined[b]++] = a;
    regular_take(work, i > j ? i : j);
    regular_take(work, i > j ? j : i);
}

/* False: the draw got stuck. */
static bool regular_join_all(struct regular *work, struct nb_random *random)
{
    unsigned failures = 0;
    while (work->count > 0) {
        const size_t i = nb_random_below(random, work->count);
        const size_t j = nb_random_below(random, work->count);
        if (regular_suits(work, work->end[i], work->end[j])) {
            regular_join(work, i, j);
            failures = 0;
        } else if (++failures == REGULAR_FAILURES) {
            if (regular_is_stuck(work))
                return false;
            failures = 0;
        }
    }
    return true;
}

/* Adds the links of the network. */
static enum nb_status regular_add(const struct regular *work,
                                  struct nb_drawn *drawn, struct nb_error *err)
{
    const uint32_t n = drawn->router_count;
    struct nb_pool pool = { 0 };
    /* [router] 1 + the last router known to be its neighbour */
    uint32_t *of = nb_pool_array(&pool, n, sizeof *of);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "links", err));
    for (uint32_t a = 0; a < n; a++) {
        const uint32_t *neighbour = work->neighbour + a * work->degree;
        for (size_t k = 0; k < work->joined[a]; k++) {
            of[neighbour[k]] = a + 1;
            if (!work->are_others && neighbour[k] > a)
                NB_TRY(nb_drawn_add(drawn, a, neighbour[k], err));
        }
        for (uint32_t b = a + 1; b < n && work->are_others; b++)
            if (of[b] != a + 1)
                NB_TRY(nb_drawn_add(drawn, a, b, err));
    }
done:
    nb_pool_release(&pool);
    return status;
}

/* If more than half of all links are wanted, draws the complement instead: few
 * draws fail then, and the networks are equally likely. */
static enum nb_status regular_draw(const struct nb_specification *specification,
                                   struct nb_drawn *drawn, bool *is_whole,
                                   struct nb_error *err)
{
    const size_t n = drawn->router_count;
    const size_t wanted =
        (size_t)nb_specification_whole(specification, "degree");
    const bool are_others = 2 * wanted > n - 1;
    const size_t degree = are_others ? n - 1 - wanted : wanted;
    struct nb_pool pool = { 0 };
    struct regular work = { .are_others = are_others,
                            .degree = degree,
                            .count = n * degree };
    enum nb_status status;
    work.end = nb_pool_array(&pool, work.count, sizeof *work.end);
    work.neighbour = nb_pool_array(&pool, work.count, sizeof *work.neighbour);
    work.joined = nb_pool_array(&pool, n, sizeof *work.joined);
    NB_TRY(nb_pool_check(&pool, "links", err));
    for (size_t i = 0; i < work.count; i++)
        work.end[i] = (uint32_t)(i / degree);
    *is_whole = regular_join_all(&work, drawn->random);
    if (*is_whole)
        NB_TRY(regular_add(&work, drawn, err));
done:
    nb_pool_release(&pool);
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
                       "permitted (permitted: below the number of routers, "
                       "with an even number of link ends in all)",
                       (int)degree, (int)routers);
    return nb_drawn_build(specification, (uint32_t)routers, regular_draw, out,
                          err);
}

static const struct nb_parameter regular_parameters[] = {
    NB_PARAMETER("routers", WHOLE, NULL, "number of routers",
                 .is_leading = true, .least = 2, .most = 50000),
    NB_PARAMETER("degree", WHOLE, NULL, "links per router", .also = "d",
                 .least = 1, .most = 1000),
    NB_PARAMETER_DRAWN,
    { 0 },
};

const struct nb_topology_kind nb_topology_regular = {
    .kind = { .name = "regular",
              .aliases = "random-regular jellyfish",
              .summary = "random regular graph",
              .detail = "Every router has the same number of links, drawn at "
                        "random.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = regular_parameters },
    .examples = "regular:8,degree=3 regular:15,degree=4,seed=2,terminals=2 "
                "regular:2,degree=1 regular:6,degree=5",
    .build = regular_build,
};
