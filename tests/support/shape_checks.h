/* Shapes: known sizes, distances and closed forms of networks. */
#ifndef NB_TESTS_SUPPORT_SHAPE_CHECKS_H
#define NB_TESTS_SUPPORT_SHAPE_CHECKS_H

#include "topology/topology.h"

struct shape_case {
    const char *specification;
    size_t routers, terminals, channels;
    uint32_t diameter;
    struct nb_ratio mean; /* distance, by search and by closed form */
    /* Closed forms at bandwidth 1; {0, 0}: none, and capacity is not checked
     * either. */
    struct nb_ratio capacity, bisection;
};

/* Builds each network and fails the test unless it matches; terminals' channels
 * have bandwidth 1. */
void shapes_must_hold(const struct shape_case *cases, size_t count);

#endif
