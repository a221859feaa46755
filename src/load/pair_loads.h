/* Pair loads: the load of each source-destination pair on one channel. */
#ifndef NB_LOAD_PAIR_LOADS_H
#define NB_LOAD_PAIR_LOADS_H

#include "core/parallel.h"
#include "core/ratio.h"
#include "routing/routing.h"

/*
 * The matrix gamma_c(i, j): expected crossings of the channel per packet from
 * endpoint i to endpoint j (the routers with terminals, in order).
 *
 * Exact: load(i, j) = cell / denominator, and the sum of a row's cells stays
 * below 2^62 (separable matrix: the sum of any two terms). Otherwise value
 * cells with a bound on their relative error. With an intermediate router
 * anywhere a matrix is separable,
 *
 *     load(i, j) = (row(i) + column(j)),
 *
 * and only the 2n terms are kept: rows in cells 0..n-1, columns after them.
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_pair_loads {
    uint32_t channel;
    size_t n;
    bool is_exact;
    bool is_separable;
    int64_t denominator;
    int64_t *weight;       /* exact: cells, row by row */
    double *value;         /* not exact */
    double relative_error; /* of every value */
    uint8_t *has_load;     /* [n] 0: the row's cells are 0, and reading them
                            * would touch new memory; NULL: not known for any
                            * row. Dense matrices only. */
};

NB_INTERNAL_BEGIN

static inline bool nb_pair_row_has_load(const struct nb_pair_loads *loads,
                                        size_t row)
{
    return loads->has_load == NULL || loads->has_load[row] != 0;
}

void nb_pair_loads_release(struct nb_pair_loads *loads);

/* Lists the routers with terminals, in order; out has room for router_count.
 * Returns their number. */
size_t nb_endpoints(const struct nb_topology *topology, uint32_t *out);

/* Bytes for the matrices of this many channels at once, over endpoints. */
double nb_pair_loads_bytes(const struct nb_routing *routing, size_t channels);

/*
 * Pair loads of several channels.
 *
 * channel  [count]
 * out      out, [count]
 *
 * Errors: NB_NO_MEMORY before anything is allocated if the matrices cannot fit;
 * NB_INVALID if the scheme's paths form a cycle.
 * Source: [TowlesDally2002, section 3.3 and 3.5]; two phases composed by their
 * intermediate router, [Singh2005, section 2.5].
 */
enum nb_status nb_pair_loads_find(const struct nb_routing *routing,
                                  size_t count, const uint32_t *channel,
                                  const struct nb_run *run,
                                  struct nb_pair_loads *out,
                                  struct nb_error *err);

/* One entry; only for exact matrices. */
int64_t nb_pair_load_weight(const struct nb_pair_loads *loads, size_t i,
                            size_t j);
/* One entry as a double (rounded once more if exact). */
double nb_pair_load_value(const struct nb_pair_loads *loads, size_t i,
                          size_t j);

NB_INTERNAL_END

#endif
