/* Average case: a network, a class of paths, and the routing that does best on
 * a sample of permutations. */
#ifndef NB_TESTS_SUPPORT_AVERAGE_CASE_H
#define NB_TESTS_SUPPORT_AVERAGE_CASE_H

#include "optimum/best_average.h"

/* Must stay in place: its parts point to one another. */
struct average_case {
    struct nb_topology topology;
    struct nb_path_class path_class;
    struct nb_average_question question;
    struct nb_best_average best;
    char name[300]; /* for messages */
};

/* Builds the network or fails the test; asks for any paths, without time
 * limit. */
void average_case_open(struct average_case *testcase, const char *topology,
                       size_t count, uint64_t seed);
/* The same for the text of a network file (topology_must_build_file). */
void average_case_open_file(struct average_case *testcase, const char *text,
                            const char *ending, const char *parameters,
                            size_t count, uint64_t seed);
void average_case_close(struct average_case *testcase);

/* Asks for another class. stretch: used by NB_PATHS_STRETCH */
void average_case_set_paths(struct average_case *testcase, enum nb_paths paths,
                            struct nb_ratio stretch);

/* Finds the best routing, replacing any earlier one, and has it checked: the
 * check must conclude the same. Returns mean_load. */
struct nb_enclosure average_case_find(struct average_case *testcase);

/* Fails the test unless the number found is known exactly and is this one. */
void average_must_equal(const struct average_case *testcase,
                        struct nb_enclosure found, struct nb_ratio expected);

/* Fails the test unless a value known to 1e-8 lies between the ends, and these
 * are no farther apart. */
void average_must_enclose(const struct average_case *testcase,
                          struct nb_enclosure found, double value);

/* The routing found, for every pair. */
void average_case_spread(const struct average_case *testcase,
                         struct nb_path_table *out);

#endif
