/*
 * Random: n routers; any two of them are joined with probability p,
 * independently (Erdos and Renyi). Drawn again until the network is connected.
 * Source: [Hanlon2009, section 2.1.2].
 */
#include "core/try.h"
#include "topology/drawn.h"

#include <math.h>

static enum nb_status random_draw(const struct nb_specification *specification,
                                  struct nb_drawn *drawn, bool *is_whole,
                                  struct nb_error *err)
{
    const double p = nb_ratio_value(nb_specification_ratio(specification, "p"));
    enum nb_status status = NB_OK;
    (void)is_whole;
    for (uint32_t a = 0; a < drawn->router_count; a++)
        for (uint32_t b = a + 1; b < drawn->router_count; b++)
            if (nb_random_unit(drawn->random) < p)
                NB_TRY(nb_drawn_add(drawn, a, b, err));
done:
    return status;
}

/*
 * Refuses networks that would fail, or take hours. A search from one router
 * visits the routers met one after another, at most n; each of them meets
 * another router with probability p, so that
 *
 *     P(connected) <= (1 - (1 - p)^n)^(n - 1).
 *
 * The least probability permitted is 10^-7, at which none of NB_DRAWN_TRIES
 * networks is likely to be connected; for large networks, that at which 2^34
 * numbers are drawn.
 */
static enum nb_status
random_require_hope(const struct nb_specification *specification, double n,
                    double p, struct nb_error *err)
{
    const double pairs = n * (n - 1) / 2, most = 0x1p34;
    const double least = pairs * NB_DRAWN_TRIES < most ? 1e-7 : pairs / most;
    const double unmet = -expm1(log(least) / (n - 1));
    const double least_p = -expm1(log(unmet) / n);
    if (p >= least_p)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "topology random: networks of %.0f routers with p=%s are "
                   "too rarely connected to be drawn (permitted: at least "
                   "%.4g)",
                   n, nb_specification_text(specification, "p"), least_p);
}

static enum nb_status random_build(const struct nb_specification *specification,
                                   struct nb_topology *out,
                                   struct nb_error *err)
{
    const double n = (double)nb_specification_whole(specification, "routers");
    const double p = nb_ratio_value(nb_specification_ratio(specification, "p"));
    enum nb_status status;
    NB_TRY(random_require_hope(specification, n, p, err));
    NB_TRY(nb_topology_require(out, n, round(p * n * (n - 1)), err));
    NB_TRY(nb_drawn_build(specification, (uint32_t)n, random_draw, out, err));
done:
    return status;
}

static const struct nb_parameter random_parameters[] = {
    NB_PARAMETER("routers", WHOLE, NULL, "number of routers",
                 .is_leading = true, .least = 2, .most = 50000),
    NB_PARAMETER("p", NUMBER, NULL, "probability of a link between two routers",
                 .least = 1e-9, .most = 1),
    NB_PARAMETER_DRAWN,
    { 0 },
};

const struct nb_topology_kind nb_topology_random = {
    .kind = { .name = "random",
              .aliases = "erdos-renyi",
              .summary = "each pair linked with probability p",
              .detail =
                  "All links are drawn again until the network is connected.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = random_parameters },
    .examples = "random:8,p=0.4 random:20,p=1/5,seed=3,terminals=2 "
                "random:5,p=1",
    .build = random_build,
};
