/* Graphs: texts of networks that no kind builds, as GraphML or edge lists. */
#ifndef NB_TESTS_SUPPORT_GRAPHS_H
#define NB_TESTS_SUPPORT_GRAPHS_H

#include "problem.h"

#include "core/random.h"

/* A random strongly connected graph: n routers on a directed cycle and more
 * channels, bandwidths 1/4 .. 2, terminals 0 .. 2 but at least one and at most
 * most_terminals in total. */
void graph_random(uint64_t seed, uint32_t n, uint32_t most_terminals,
                  char *text, size_t size);

/* Runs a check on random graphs of seeds 1 .. seeds with min (even seeds) and
 * val, the numbers of routers taking least .. least + sizes - 1 in turn. */
void graph_each_random(uint64_t seeds, uint32_t least, uint32_t sizes,
                       uint32_t most_terminals, problem_check *check);

/* A random tree of n routers with more links, some of them parallel, as an edge
 * list with both directions. */
void graph_links(struct nb_random *random, uint32_t n, uint32_t more,
                 char *text, size_t size);

/* Runs a check on such networks of 4 to 16 routers and n to 2 n links, of seeds
 * 1 .. seeds, with minhop. */
void graph_each_linked(uint64_t seeds, problem_check *check);

/* Layers of this number of routers, each with channels to all or all but one of
 * the next layer, the last to the first, and min: with 16 of four the counts of
 * shortest paths have a common multiple above 62 bits. One router of each layer
 * has a terminal. */
void graph_open_layers(uint32_t layers, uint32_t width,
                       struct problem *problem);

#endif
