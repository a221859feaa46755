/* Oblivious program: flows of pairs as a linear program, and the paths that
 * they, or none, are made of. */
#ifndef NB_BOUNDS_OBLIVIOUS_PROGRAM_H
#define NB_BOUNDS_OBLIVIOUS_PROGRAM_H

#include "bounds/linear/linear.h"
#include "bounds/optimum/oblivious_check.h"

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

/* What is found to be worth keeping of a question's routings and weights. */
struct nb_oblivious_keeper {
    void *context;
    /* Keeps paths, which are taken over, if they are better than what there
     * is. */
    enum nb_status (*keep_paths)(void *context, struct nb_path_table *paths,
                                 struct nb_error *err);
    /* Keeps weights if they prove more than what there is. */
    enum nb_status (*keep_weights)(void *context, const int64_t *whole,
                                   int64_t scale, struct nb_error *err);
    /* Whether the two ends meet exactly: then nothing more is offered. */
    bool (*is_met)(const void *context);
};

/*
 * Offers routings of flows, in several roundings: by far the greatest part of
 * them is divided among paths if they are conserved only nearly, and all if
 * they are.
 *
 * value  [flow_count] >= 0, of a packet a pair
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if a pair has no permitted path, naming it.
 */
enum nb_status nb_oblivious_offer_flows(
    const struct nb_oblivious_program *program, const double *value,
    const struct nb_oblivious_keeper *keeper, struct nb_error *err);

/* Offers weights, in several roundings. limit: of their scale; 0: none is
 * offered. Errors: NB_NO_MEMORY. */
enum nb_status
nb_oblivious_offer_weights(size_t count, const double *value, int64_t limit,
                           const struct nb_oblivious_keeper *keeper,
                           struct nb_error *err);

/* Offers routings that need no solution: a shortest path of the class for
 * every pair, and, of the class "any", paths by way of every router with
 * terminals; each path of this weight. Errors: NB_NO_MEMORY. */
enum nb_status
nb_oblivious_offer_plain(const struct nb_oblivious_case *here, int64_t weight,
                         const struct nb_oblivious_keeper *keeper,
                         struct nb_error *err);

/* The greatest denominator of flows, and of weights and lengths: a little below
 * what may be. */
#define NB_OBLIVIOUS_ROUNDED ((int64_t)1 << 38)

#endif
