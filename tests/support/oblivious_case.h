/* Oblivious case: a network, a class of paths, and the best oblivious routing
 * of both. */
#ifndef NB_TESTS_SUPPORT_OBLIVIOUS_CASE_H
#define NB_TESTS_SUPPORT_OBLIVIOUS_CASE_H

#include "optimum/best_oblivious.h"

/* Must stay in place: its parts point to one another. */
struct oblivious_case {
    struct nb_topology topology;
    struct nb_path_class path_class;
    struct nb_oblivious_question question;
    struct nb_best_oblivious best;
    char name[300]; /* for messages */
};

/* Builds the network or fails the test; asks for the least load of balanced
 * traffic over any paths, without time limit. */
void oblivious_case_open(struct oblivious_case *testcase, const char *topology);
/* The same for the text of a network file (topology_must_build_file). */
void oblivious_case_open_file(struct oblivious_case *testcase, const char *text,
                              const char *ending, const char *parameters);
void oblivious_case_close(struct oblivious_case *testcase);

/* Asks for another class. stretch: used by NB_PATHS_STRETCH */
void oblivious_case_set_paths(struct oblivious_case *testcase,
                              enum nb_paths paths, struct nb_ratio stretch);

/*
 * Finds the best routing, replacing any earlier one, and has it checked: the
 * check must conclude the same. Returns the requested value: load or mean_hops.
 */
struct nb_enclosure oblivious_case_find(struct oblivious_case *testcase);

/* The same with another goal: the least mean hops at a load. */
struct nb_enclosure oblivious_case_find_hops(struct oblivious_case *testcase,
                                             struct nb_ratio most_load);

/* Fails the test unless the number found is known exactly and is this one. */
void oblivious_must_equal(const struct oblivious_case *testcase,
                          struct nb_enclosure found, struct nb_ratio expected);

/* Fails the test unless a value known to 1e-7 lies between the ends, and these
 * are no farther apart. */
void oblivious_must_enclose(const struct oblivious_case *testcase,
                            struct nb_enclosure found, double value);

/* The routing found, for every pair. */
void oblivious_case_spread(const struct oblivious_case *testcase,
                           struct nb_path_table *out);

#endif
