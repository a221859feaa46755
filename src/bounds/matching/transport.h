/* Capacitated transportation: sends equal row supplies into equal column
 * demands at the greatest profit, solved exactly with a proof. */
#ifndef NB_BOUNDS_TRANSPORT_H
#define NB_BOUNDS_TRANSPORT_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A profit matrix given by its entries, and the last optimum found for it. The
 * matrix belongs to the caller and must outlive this; the rest is owned here.
 * Release: nb_transport_release.
 */
struct nb_transport {
    size_t n;
    const size_t *row_start; /* n + 1; first entry of each row */
    const uint32_t *column;  /* of each entry */
    const int64_t *weight;   /* of each entry */
    int64_t *flow;           /* of each entry, >= 0 */
    int64_t *row_dual;       /* n, each >= 0 */
    int64_t *column_dual;    /* n, each >= 0 */
    struct nb_transport_work *work;
};

/*
 * Prepares a matrix for nb_transport_solve; its duals are the row maxima and 0,
 * its flow is 0.
 *
 * out        zero-initialised or released
 * n          1 .. 2^30
 * row_start  n + 1; row i has the entries row_start[i] .. row_start[i+1] - 1,
 *            row_start[0] = 0, never decreasing
 * column     of each entry, 0 .. n - 1, distinct within a row, any order
 * weight     of each entry, 0 .. (2^62 - 1) / n; absent entries carry no flow
 *
 * The caller has checked the ranges. Errors: NB_NO_MEMORY.
 */
enum nb_status nb_transport_init(struct nb_transport *out, size_t n,
                                 const size_t *row_start,
                                 const uint32_t *column, const int64_t *weight,
                                 struct nb_error *err);

/*
 * Finds the flow x of greatest profit and the duals u, v proving it.
 *
 *     max { sum w x : sum_j x_ij <= supply, sum_i x_ij <= demand, x >= 0 }
 *   = min { supply sum u + demand sum v : u_i + v_j >= w_ij, u, v >= 0 }
 *
 * On entry the object may hold any duals that satisfy the constraints and do
 * not exceed the largest weight; those of a similar problem shorten the search.
 * No memory is allocated, and nothing can fail or overflow 64 bits (flow <=
 * min(supply, demand), duals <= the largest weight). The result depends only on
 * the arguments.
 *
 * transport  initialised; its flow and duals are replaced
 * supply     >= 1, of each row
 * demand     >= 1, of each column
 *
 * Source: primal-dual minimum cost flow, [AhujaMagnantiOrlin1993], with
 * blocking flows in the layered network of shortest paths [Dinic1970].
 */
void nb_transport_solve(struct nb_transport *transport, int64_t supply,
                        int64_t demand);

/* Frees what init allocated; accepts a zero-initialised object, twice. */
void nb_transport_release(struct nb_transport *transport);

#endif
