/* Oblivious program: flows of pairs as a linear program, and the paths that
 * they, or none, are made of. */
#ifndef NB_BOUNDS_OBLIVIOUS_PROGRAM_H
#define NB_BOUNDS_OBLIVIOUS_PROGRAM_H

#include "bounds/linear/linear.h"
#include "bounds/optimum/oblivious_case.h"

/* The program and what its variables and rows stand for. Owns its arrays. */
struct nb_oblivious_program {
    const struct nb_oblivious_case *here;
    struct nb_linear *linear;
    double slack; /* the load may pass most_load by this part of it */
    size_t flow_count;
    /* [(index of the pair * channel_count + channel) * layer_count + layer]
     * its variable; SIZE_MAX where the class has none. */
    size_t *flow;
    /* [index of the pair * channel_count + channel] the row that holds the
     * flow below the duals, at the least channel of those alike; else, and
     * where nothing flows, SIZE_MAX. */
    size_t *cell;
    size_t *side; /* [channel_count * 2 e] variable of a side, at its name */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_oblivious_program_build(const struct nb_oblivious_case *here,
                                          double slack,
                                          struct nb_oblivious_program *out,
                                          struct nb_error *err);

/* Flows and their conservation alone, without cells and sides. Errors:
 * NB_NO_MEMORY. */
enum nb_status
nb_oblivious_program_build_flows(const struct nb_oblivious_case *here,
                                 struct nb_oblivious_program *out,
                                 struct nb_error *err);

void nb_oblivious_program_release(struct nb_oblivious_program *program);

/*
 * Divides whole flows of every pair among paths: by far the greatest part of
 * them if they are conserved only nearly, and all if they are.
 *
 * flow   [flow_count] numerators over denominator
 * paths  out; each pair's weights add up to denominator
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if a pair has no permitted path, naming it.
 */
enum nb_status nb_oblivious_peel(const struct nb_oblivious_program *program,
                                 const int64_t *flow, int64_t denominator,
                                 struct nb_path_table *paths,
                                 struct nb_error *err);

/* A shortest path of the class for every pair, of this weight. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_short_paths(const struct nb_oblivious_case *here,
                                        int64_t weight,
                                        struct nb_path_table *paths,
                                        struct nb_error *err);

/* Paths of every pair by way of every router with terminals, each of the same
 * weight: there are such of the class "any" without a program. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_way_paths(const struct nb_oblivious_case *here,
                                      int64_t weight,
                                      struct nb_path_table *paths,
                                      struct nb_error *err);

#endif
