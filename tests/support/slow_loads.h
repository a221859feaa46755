/* Loads of every channel by following each route on its own: a slow second
 * way to them, and problems for the tests of worst cases. */
#ifndef NB_TESTS_SLOW_LOADS_H
#define NB_TESTS_SLOW_LOADS_H

#include "routing/routing.h"

/* A network and a scheme. Release: problem_close. */
struct problem {
    struct nb_topology topology;
    struct nb_routing routing;
};

/* Builds both or fails the test. */
void problem_open(struct problem *problem, const char *topology,
                  const char *routing);
/* The same for the text of a GraphML file or edge list, see
 * topology_must_build_file. */
void problem_open_file(struct problem *problem, const char *text,
                       const char *ending, const char *parameters,
                       const char *routing);
void problem_close(struct problem *problem);

/* GraphML of a random strongly connected graph: n routers on a directed
 * cycle and more channels, bandwidths 1/4 .. 2, terminals 0 .. 2 but at least
 * one and at most most_terminals together. */
void slow_random_graph(uint64_t seed, uint32_t n, uint32_t most_terminals,
                       char *text, size_t size);

/* GraphML of layers of four routers with one to four channels to the next
 * layer, the last to the first: 16 layers give counts of shortest paths whose
 * common multiple passes 62 bits. Every fourth router has a terminal. */
void slow_layered_graph(uint32_t layers, char *text, size_t size);

/* Zero-initialised is valid and empty. */
struct slow_loads {
    size_t routers;
    struct nb_ratio *cell; /* [(channel * routers + from) * routers + to] */
};

/* Walks every route of every pair, with exact probabilities. */
void slow_loads_find(const struct nb_routing *routing, struct slow_loads *out);
void slow_loads_release(struct slow_loads *loads);

enum { SLOW_TERMINALS = 64 };

/* The matrix of one channel over all terminals, in order of their routers,
 * row by row; returns its denominator. matrix: [terminal_count^2], at most
 * SLOW_TERMINALS^2. */
int64_t slow_matrix(const struct slow_loads *loads,
                    const struct nb_topology *topology, uint32_t channel,
                    int64_t *matrix);

#endif
