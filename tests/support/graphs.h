/* Graphs: texts of networks that no kind builds, as GraphML. */
#ifndef NB_TESTS_SUPPORT_GRAPHS_H
#define NB_TESTS_SUPPORT_GRAPHS_H

#include "problem.h"

/* A random strongly connected graph: n routers on a directed cycle and more
 * channels, bandwidths 1/4 .. 2, terminals 0 .. 2 but at least one and at most
 * most_terminals together. */
void graph_random(uint64_t seed, uint32_t n, uint32_t most_terminals,
                  char *text, size_t size);

/* Runs a check on random graphs of seeds 1 .. seeds with min (even seeds) and
 * val, the numbers of routers taking least .. least + sizes - 1 in turn. */
void graph_each_random(uint64_t seeds, uint32_t least, uint32_t sizes,
                       uint32_t most_terminals, problem_check *check);

/* 16 layers of four routers with one to four channels to the next layer, the
 * last to the first, and min: the counts of shortest paths have a common
 * multiple past 62 bits. Every fourth router has a terminal. */
void graph_open_layers(struct problem *problem);

#endif
