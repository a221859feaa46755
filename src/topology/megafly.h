/* Sizes of a Megafly, and what follows from the sizes only. */
#ifndef NB_TOPOLOGY_MEGAFLY_H
#define NB_TOPOLOGY_MEGAFLY_H

#include "topology/fit.h"
#include "topology/global_links.h"

struct nb_megafly_shape {
    uint64_t terminals;           /* per leaf */
    uint64_t leaves;              /* per group */
    struct nb_global_links links; /* its routers are the spines */
};

/* [packets/cycle/terminal] as nb_topology_kind.capacity. */
struct nb_ratio nb_megafly_capacity(const struct nb_megafly_shape *shape);

/*
 * As nb_topology_kind.fit, balanced: h terminals at each of h leaves and h
 * global channels at each of h spines, 2 h ports, h at most 1023.
 *
 * demand.terminals = 0: the greatest h and the most groups. Otherwise every h,
 * ascending, with the fewest groups that hold the terminals.
 */
enum nb_status nb_megafly_fit(const struct nb_fit_demand *demand, size_t index,
                              struct nb_fit *out, struct nb_error *err);

#endif
