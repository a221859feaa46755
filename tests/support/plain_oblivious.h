/* Plain oblivious: the best oblivious routing by the textbook, a variable for
 * every path of every pair, without symmetry. */
#ifndef NB_TESTS_SUPPORT_PLAIN_OBLIVIOUS_H
#define NB_TESTS_SUPPORT_PLAIN_OBLIVIOUS_H

#include "optimum/path_class.h"

struct plain_oblivious {
    const struct nb_topology *topology; /* without groups */
    enum nb_paths paths;
    double stretch;
    double rate;
};

/*
 * By one linear program over all paths of the class that meet no router twice,
 * at most 4000, as a depth-first search lists them:
 *
 *     minimise  load   subject to
 *         sum_p x_p = 1                              for every pair
 *         sum_(p over c) x_p <= u_c(i) + v_c(j)      for every channel and pair
 *         rate sum_i p_i u_c(i) + sum_j p_j v_c(j) <= b_c load
 *
 * with p_i the terminals of router i.
 */
double plain_oblivious_load(const struct plain_oblivious *plain);

/* The least mean hops, self included, if no load may exceed most_load b_c; +inf
 * if that is infeasible. */
double plain_oblivious_hops(const struct plain_oblivious *plain,
                            double most_load);

#endif
