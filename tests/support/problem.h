/* Problem: a network with a routing scheme, the start of most tests of loads
 * and bounds. */
#ifndef NB_TESTS_SUPPORT_PROBLEM_H
#define NB_TESTS_SUPPORT_PROBLEM_H

#include "routing/routing.h"

/* Must stay in place: the scheme points to the network. */
struct problem {
    struct nb_topology topology;
    struct nb_routing routing;
};

/* Each builds both or fails the test; released by problem_close, which may be
 * called twice. */
void problem_open(struct problem *problem, const char *topology,
                  const char *routing);
/* The same from "routing@topology". */
void problem_open_example(struct problem *problem, const char *example);
/* The same for the text of a GraphML file or edge list, see
 * topology_must_build_file. */
void problem_open_file(struct problem *problem, const char *text,
                       const char *ending, const char *parameters,
                       const char *routing);
void problem_close(struct problem *problem);

/* Adds the scheme to a network that the test has built, or fails it. */
void problem_add_routing(struct problem *problem, const char *routing);

/* A check of one problem, called with its name. */
typedef void problem_check(const struct problem *problem, const char *name);

/* Runs a check on every "routing@topology" of a list. */
void problem_each_of(const char *const *examples, size_t count,
                     problem_check *check);
/* The same on every example of every registered scheme. */
void problem_each_example(problem_check *check);

#endif
