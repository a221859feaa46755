/* Sizing of HyperX networks: kinds/hyperx.c, by closed forms. */
#ifndef NB_TOPOLOGY_FIT_HYPERX_H
#define NB_TOPOLOGY_FIT_HYPERX_H

#include "topology/fit.h"

enum { NB_HYPERX_TERMINALS = 1000000 }; /* most at a router */

/*
 * As nb_topology_kind.fit. For n = 1 .. 6 dimensions:
 *
 * demand.terminals = 0: n times the radix c with c terminals at each router,
 * c = floor((radix + n)/(n + 1)) the most that c + n (c - 1) ports allow.
 * Otherwise radix c with c terminals at each router, the last radix cut to the
 * least (of two at least) that holds the terminals: first with the least c
 * whose c^(n+1) does, which leaves ports over; then, if it is larger and
 * c^n terminals are too few, with the c above, which needs the fewest routers
 * but has the narrowest last dimension.
 *
 * Source: counting; the sizes [KimDallyAbts2007].
 */
enum nb_status nb_hyperx_fit(const struct nb_fit_demand *demand, size_t index,
                             struct nb_fit *out, struct nb_error *err);

#endif
