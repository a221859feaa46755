/* Adversary: permutations for which even the best routing has low
 * throughput. */
#ifndef NB_OPTIMUM_ADVERSARY_H
#define NB_OPTIMUM_ADVERSARY_H

#include "optimum/best_flow.h"
#include "load/sides.h"

struct nb_adversary_question {
    const struct nb_topology *topology;
    const struct nb_path_class *path_class;
    uint64_t seed;
    size_t starts;  /* >= 1 descents, each from its own permutation */
    double seconds; /* time limit, +inf: none */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_adversary {
    struct nb_sides sides;
    uint32_t *permutation;    /* [sides.count] the worst found */
    struct nb_best_flow best; /* its optimum, with proof */
    size_t evaluated;         /* linear programs solved */
    bool was_stopped;
};

NB_INTERNAL_BEGIN

/*
 * Searches for the permutation pi whose optimum Theta(pi) (nb_best_flow) is
 * least. Given lengths l that prove Theta(pi) <= B(l, pi), the permutation of
 * greatest sum_i distance_l(i, pi(i)), a maximum-weight matching, has the least
 * bound; so
 *
 *     Theta(pi') <= B(l, pi') <= B(l, pi) = Theta(pi),
 *
 * and matching and linear program alternate until neither this, nor a matching
 * under the mean of all lengths found, nor a few exchanges of two destinations
 * lowers the value. The first start is the permutation of greatest total
 * distance; the second contains the matching of the necessary bound (minimal
 * paths; else it is the reverse order); the rest are random. Each gets an equal
 * share of the time.
 *
 * Symmetry is not used: the lengths, and so the permutations reached, would
 * depend on how much symmetry is known of a network.
 *
 * The result is an upper bound on the worst case of every routing, adaptive
 * ones included, that takes these paths; a worse permutation may exist.
 *
 * Errors: those of nb_best_flow_find.
 */
enum nb_status nb_adversary_find(const struct nb_adversary_question *question,
                                 const struct nb_run *run,
                                 struct nb_adversary *out,
                                 struct nb_error *err);
void nb_adversary_release(struct nb_adversary *adversary);

/* The traffic of a permutation of sides, with its multiplicity. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_adversary_traffic(const struct nb_topology *topology,
                                    const struct nb_sides *sides,
                                    const uint32_t *permutation,
                                    struct nb_traffic *out,
                                    struct nb_error *err);

NB_INTERNAL_END

#endif
