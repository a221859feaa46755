/* Adversary: permutations that leave the best routing little throughput. */
#ifndef NB_BOUNDS_ADVERSARY_H
#define NB_BOUNDS_ADVERSARY_H

#include "bounds/optimum/best_flow.h"
#include "load/sides.h"

NB_PUBLIC_BEGIN

struct nb_adversary_question {
    const struct nb_topology *topology;
    const struct nb_path_class *path_class;
    uint64_t seed;
    size_t starts;  /* >= 1 descents, each from a permutation of its own */
    double seconds; /* time limit, +inf: none */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_adversary {
    struct nb_sides sides;
    uint32_t *permutation;    /* [sides.count] the worst met */
    struct nb_best_flow best; /* its optimum, with proof */
    size_t evaluated;         /* linear programs solved */
    bool was_stopped;
};

/*
 * Looks for the permutation pi whose optimum Theta(pi) (nb_best_flow) is
 * least. For lengths l that prove Theta(pi) <= B(l, pi) the permutation of
 * greatest sum_i distance_l(i, pi(i)), a maximum-weight matching, has the
 * least bound; so
 *
 *     Theta(pi') <= B(l, pi') <= B(l, pi) = Theta(pi),
 *
 * and matching and linear program take turns until nothing falls, not by the
 * mean of the lengths met and some exchanges of two destinations either. The
 * first start is the permutation of greatest total distance, the second one
 * that the necessary bound's matching is part of (minimal paths; else the
 * reverse order), the others are random. Each has its share of the time.
 *
 * No symmetry is made use of: it would change the lengths, and so where they
 * lead, by how much of it is known of a network.
 *
 * What is found is an upper bound on the worst case of every routing that
 * takes these paths, adaptive ones too, and no more: a worse permutation may
 * exist.
 *
 * Errors: as nb_best_flow_find.
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

NB_PUBLIC_END

#endif
