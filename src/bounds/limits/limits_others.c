/* The closed forms of other networks (declared in limits.h). */
#include "bounds/limits/limits.h"

#include <string.h>

/* Uniform traffic crosses every channel of dimension d p/k_d times; any router
 * as way-point makes two such phases of any traffic. */
static void others_add_hyperx(struct nb_limits_work *work)
{
    const struct nb_grid *hyperx = &work->topology->hyperx;
    const int64_t p = work->topology->terminals[0];
    uint32_t least = hyperx->radix[0];
    for (size_t d = 1; d < hyperx->dimensions; d++)
        least = hyperx->radix[d] < least ? hyperx->radix[d] : least;
    nb_limits_add(work,
                  nb_limit_row("min", "uniform", nb_ratio_make(least, p),
                               "min(1, k/p), k the least radix", "counting"));
    const struct nb_ratio half = nb_ratio_make(least, 2 * p);
    nb_limits_add(work, nb_limit_row("vlb", "uniform", half, "k/(2p)",
                                     "ValiantBrebner1981"));
    if (work->with_worst)
        nb_limits_add(work, nb_limit_row("vlb", "", half, "k/(2p)",
                                         "ValiantBrebner1981"));
    if (hyperx->dimensions != 2)
        return;
    nb_limits_add(work, nb_limit_row("min", "adversarial:offset=1",
                                     nb_ratio_make(1, p), "1/p", "counting"));
    nb_limits_add(work, nb_limit_row("min", "adversarial-local",
                                     nb_ratio_make(1, p), "1/p", "counting"));
    nb_limits_add(work, nb_limit_row("rvlb", "adversarial-local",
                                     nb_ratio_make(hyperx->radix[0], 2 * p),
                                     "k_0/(2p)", "counting"));
}

/* Grids and fat trees whose shortest paths carry uniform traffic at capacity:
 * two such phases carry any traffic at half of it. */
static void others_add_half(struct nb_limits_work *work, const char *direct)
{
    const struct nb_topology *topology = work->topology;
    const struct nb_closed_form form = topology->kind->capacity(topology);
    const int64_t terminals =
        topology->kind->has_own_terminals ? 1 : topology->terminals[0];
    const struct nb_ratio capacity =
        nb_ratio_divide(form.value, nb_ratio_make(terminals, 1));
    const struct nb_ratio half = nb_ratio_divide(capacity, nb_ratio_make(2, 1));
    nb_limits_add(work, nb_limit_row(direct, "uniform", capacity,
                                     "the capacity of the channels between "
                                     "routers",
                                     form.source));
    nb_limits_add(work, nb_limit_row("val", "uniform", half,
                                     "half the capacity of the "
                                     "channels between routers",
                                     "Singh2005, Theorem 2"));
    if (work->with_worst)
        nb_limits_add(work, nb_limit_row("val", "", half,
                                         "half the capacity of the "
                                         "channels between routers",
                                         "Singh2005, Theorem 2"));
}

void nb_limits_of_others(struct nb_limits_work *work)
{
    const struct nb_topology *topology = work->topology;
    const char *kind = topology->kind->kind.name;
    if (topology->hyperx.dimensions > 0)
        others_add_hyperx(work);
    else if (strcmp(kind, "ring") == 0 || strcmp(kind, "torus") == 0)
        others_add_half(work, "dor");
    else if (strcmp(kind, "fattree") == 0)
        others_add_half(work, "min");
}
