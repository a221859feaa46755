/* Flow case: a network with a traffic and the best flow of both. */
#ifndef NB_TESTS_SUPPORT_FLOW_CASE_H
#define NB_TESTS_SUPPORT_FLOW_CASE_H

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"

/* Must stay in place: its parts point to one another. */
struct flow_case {
    struct nb_topology topology;
    struct nb_traffic traffic;
    struct nb_path_class path_class;
    struct nb_routing routing; /* of flow_case_solve_scheme */
    struct nb_scheme_paths scheme;
    struct nb_best_flow_question question; /* gap 0, no time limit */
    struct nb_best_flow flow;
    char name[300]; /* for messages */
};

/* Builds network and traffic or fails the test; paths as in flow_case_solve. */
void flow_case_open(struct flow_case *testcase, const char *topology,
                    const char *traffic);
/* The same with lines "source,destination,rate", which need not be
 * admissible. */
void flow_case_open_demands(struct flow_case *testcase, const char *topology,
                            const char *demands);
/* The same for the text of a network file (topology_must_build_file) and lines
 * "source,destination,rate", which need not be admissible. */
void flow_case_open_file(struct flow_case *testcase, const char *text,
                         const char *ending, const char *demands);
void flow_case_close(struct flow_case *testcase);

/* Random demands between a third of the pairs of terminals. */
void flow_case_draw(const struct nb_topology *topology, uint64_t seed,
                    char *demands, size_t size);

/*
 * Finds the best flow, replacing any earlier one, and has it checked: the check
 * must conclude the same, and an exact value must be both ends.
 *
 * paths  "any", "minimal", "two-turn" or a stretch
 */
void flow_case_solve(struct flow_case *testcase, const char *paths);
/* The same over the paths of an adaptive scheme. */
void flow_case_solve_scheme(struct flow_case *testcase, const char *routing);

#endif
