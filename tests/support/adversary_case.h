/* Adversary case: a network with a class of paths, and its worst permutation
 * found and checked. */
#ifndef NB_TESTS_SUPPORT_ADVERSARY_CASE_H
#define NB_TESTS_SUPPORT_ADVERSARY_CASE_H

#include "optimum/adversary.h"

/* Must stay in place: the class points to the network. */
struct adversary_case {
    struct nb_topology topology;
    struct nb_path_class path_class;
};

/* Any and minimal paths. */
extern const enum nb_paths adversary_paths[2];

/* Each builds both or fails the test. */
void adversary_case_open(struct adversary_case *network, const char *topology,
                         enum nb_paths paths);
/* On 4 to 7 routers. */
void adversary_case_open_random(struct adversary_case *network, uint64_t seed,
                                uint32_t most_terminals, enum nb_paths paths);
void adversary_case_close(struct adversary_case *network);

/* The optimum of a permutation, solved anew, or what a claim about it proves;
 * claimed: may be NULL. */
struct nb_enclosure adversary_case_optimum(const struct adversary_case *network,
                                           const struct nb_sides *sides,
                                           const uint32_t *permutation,
                                           struct nb_best_flow *claimed);

/* Fails the test unless all of 0 .. n - 1 are among the destinations. */
void adversary_must_be_permutation(size_t n, const uint32_t *permutation);

/* Searches with seed 1, no time limit and one thread, and fails the test
 * unless the answer is a permutation whose optimum the check confirms. */
void adversary_must_find(const struct adversary_case *network, const char *name,
                         size_t starts, struct nb_adversary *out);

#endif
