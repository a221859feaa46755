/* Bisection: the least bandwidth between two halves of the terminals. */
#ifndef NB_BOUNDS_BISECTION_H
#define NB_BOUNDS_BISECTION_H

#include "bounds/cuts/capacity.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* Halves as nb_bisection_search defines them (they differ by one terminal if
 * their number is odd; routers are not divided). Zero-initialised is valid. */
struct nb_bisection {
    bool is_known;                 /* false: no halves were found */
    struct nb_enclosure bandwidth; /* [packets/cycle] both directions */
    /* The division whose cut is bandwidth.upper; NULL if no division was
     * searched for. Owned. */
    bool *is_inside;    /* [router_count] */
    const char *basis;  /* a sentence for the report; NULL: none needed */
    const char *method; /* "closed form", ... */
    const char *source;
};

/*
 * A bracket, for networks of any size.
 *
 * Lower bound: the channels between routers carry uniform traffic, self
 * included, at rate theta per terminal, hence theta A B / N in each direction
 * between A and B of N terminals, so that any cut between halves is at least
 *
 *     2 theta floor(N/2) ceil(N/2) / N,
 *
 * where each direction is rounded up to a multiple of the greatest common
 * divisor of the bandwidths. Upper bound: the best of several divisions, each
 * improved by moving routers.
 *
 * capacity  the network's, from nb_capacity_find
 *
 * Errors: those of nb_capacity_find.
 * Source: improvement: [FiducciaMattheyses1982].
 */
enum nb_status nb_bisection_bracket(const struct nb_topology *topology,
                                    const struct nb_capacity *capacity,
                                    const struct nb_run *run,
                                    struct nb_bisection *out,
                                    struct nb_error *err);

/*
 * The topology's closed form, if the network is regular; else, for few routers,
 * the best of all divisions; else, or if the bandwidths have no common
 * denominator that fits, the bracket.
 *
 * Errors: NB_NO_MEMORY; those of nb_bisection_bracket.
 */
enum nb_status nb_bisection_find(const struct nb_topology *topology,
                                 const struct nb_capacity *capacity,
                                 const struct nb_run *run,
                                 struct nb_bisection *out,
                                 struct nb_error *err);

void nb_bisection_release(struct nb_bisection *bisection);

NB_PUBLIC_END

#endif
