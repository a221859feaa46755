/* Oblivious program: flows of pairs as a linear program, and paths from these
 * flows or without them. */
#ifndef NB_OPTIMUM_OBLIVIOUS_PROGRAM_H
#define NB_OPTIMUM_OBLIVIOUS_PROGRAM_H

#include "bounds/linear/linear.h"
#include "optimum/oblivious_check.h"

/* The program, and the meaning of its variables and rows. Owns its arrays. */
struct nb_oblivious_program {
    const struct nb_oblivious_case *here;
    struct nb_linear *linear;
    double slack; /* relative excess of the load over most_load that is
                   * allowed */
    size_t flow_count;
    /* [(index of the pair * channel_count + channel) * layer_count + layer] its
     * variable; SIZE_MAX if the class has none. */
    size_t *flow;
    /* [index of the pair * channel_count + channel] the row that bounds the
     * flow by the duals, at the least channel of an orbit; SIZE_MAX elsewhere,
     * and where nothing flows. */
    size_t *cell;
    size_t *side; /* [channel_count * 2 e] variable of an orbit of sides */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_oblivious_program_build(const struct nb_oblivious_case *here,
                                          double slack,
                                          struct nb_oblivious_program *out,
                                          struct nb_error *err);

/* Only flows and their conservation, without cells and sides. Errors:
 * NB_NO_MEMORY. */
enum nb_status
nb_oblivious_program_build_flows(const struct nb_oblivious_case *here,
                                 struct nb_oblivious_program *out,
                                 struct nb_error *err);

void nb_oblivious_program_release(struct nb_oblivious_program *program);

/* Receives offers of routings and weights for a question. */
struct nb_oblivious_keeper {
    void *context;
    /* Keeps paths, taking ownership, if they are better than the best so
     * far. */
    enum nb_status (*keep_paths)(void *context, struct nb_path_table *paths,
                                 struct nb_error *err);
    /* Keeps weights if they prove more than the best so far. */
    enum nb_status (*keep_weights)(void *context, const int64_t *whole,
                                   int64_t scale, struct nb_error *err);
    /* Whether the two ends are exactly equal: then offers end. */
    bool (*is_met)(const void *context);
};

/*
 * Offers routings from flows, in several roundings: nearly all of the flow is
 * divided among paths if it is only nearly conserved, and all of it if it is
 * conserved.
 *
 * value  [flow_count] >= 0, per packet of a pair
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if a pair has no permitted path, naming it.
 */
enum nb_status nb_oblivious_offer_flows(
    const struct nb_oblivious_program *program, const double *value,
    const struct nb_oblivious_keeper *keeper, struct nb_error *err);

/* Offers weights, in several roundings. limit: of their scale; 0: no offer.
 * Errors: NB_NO_MEMORY. */
enum nb_status
nb_oblivious_offer_weights(size_t count, const double *value, int64_t limit,
                           const struct nb_oblivious_keeper *keeper,
                           struct nb_error *err);

/* Offers routings that need no solution: a shortest path of the class for every
 * pair, and, for the class "any", paths through every router with terminals;
 * each path has this weight. Errors: NB_NO_MEMORY. */
enum nb_status
nb_oblivious_offer_plain(const struct nb_oblivious_case *here, int64_t weight,
                         const struct nb_oblivious_keeper *keeper,
                         struct nb_error *err);

/* The greatest denominator of flows, and of weights and lengths: a little below
 * the permitted maximum. */
#define NB_OBLIVIOUS_ROUNDED ((int64_t)1 << 38)

#endif
