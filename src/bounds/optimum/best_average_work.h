/* What the files of best_average*.c share. */
#ifndef NB_BOUNDS_BEST_AVERAGE_WORK_H
#define NB_BOUNDS_BEST_AVERAGE_WORK_H

#include "bounds/optimum/best_average.h"
#include "bounds/linear/linear_row.h"
#include "bounds/optimum/oblivious_work.h"

/* A question, its sample and the orbits of its network. Owns them; must not be
 * moved: here borrows plain. */
struct nb_average_case {
    const struct nb_average_question *question;
    struct nb_oblivious_question plain;
    struct nb_oblivious_case here;
    size_t terminal_count;
    /* [permutation * terminal_count + terminal] source * e + destination of
     * its packets, places of routers; NB_NONE: of one router. */
    uint32_t *pair;
    /* [pair * channel_count + channel], of a pair of two routers: index of the
     * pair of its orbit * channel_count + least channel alike. */
    uint32_t *cell;
    struct nb_ratio least; /* g that the terminals' own channels make: >= 0 */
    /* Mean of the greater of that and what every permutation's hops make of all
     * channels' bandwidth: no routing's is less. */
    struct nb_enclosure by_hops;
    bool is_group_partial;
    const char *kept_by;
};

/* Errors: NB_NO_MEMORY; NB_OVERFLOW as nb_oblivious_orbits_find. */
enum nb_status nb_average_case_init(const struct nb_average_question *question,
                                    struct nb_average_case *out,
                                    struct nb_error *err);
void nb_average_case_release(struct nb_average_case *here);

/* The cell of what a terminal sends over a channel under a permutation;
 * SIZE_MAX if that is nothing. */
static inline size_t nb_average_cell(const struct nb_average_case *average,
                                     size_t permutation, size_t terminal,
                                     size_t channel)
{
    const uint32_t pair =
        average->pair[permutation * average->terminal_count + terminal];
    const size_t m = average->here.topology->channel_count;
    return pair == NB_NONE ? SIZE_MAX : average->cell[pair * m + channel];
}

/* Permutations looked at in one task: so many that starting it is nothing
 * beside it. */
size_t nb_average_batch(const struct nb_average_case *average);

/* A common multiple of the numbers of channels alike in the cells given, the
 * least if it is at most limit; else limit itself. */
int64_t nb_average_unite(const struct nb_average_case *average,
                         const int64_t *given, size_t first, size_t count,
                         int64_t limit);

enum { NB_AVERAGE_SCALE = 1 << 20 }; /* such a limit, of lengths */

/* A row of the program: load of a channel under a permutation. */
struct nb_average_row {
    uint32_t permutation;
    uint32_t channel;
    size_t row;
};

enum { NB_AVERAGE_EACH = 8 }; /* rows added for a permutation at a time */

/*
 * Flows, one variable a permutation for what its g has more than the least,
 * and the rows added so far; and what the best solutions met say. Owns its
 * arrays.
 */
struct nb_average_program {
    const struct nb_average_case *average;
    struct nb_oblivious_program flows;
    size_t first; /* variable of permutation 0 */
    struct nb_linear_row row;
    size_t row_count, row_capacity;
    struct nb_average_row *rows;
    bool *has_row; /* [permutation * channel_count + channel] */
    /* Flows of the least sum of g met, and the last duals. */
    bool has_flow;
    double sum;
    double *flow; /* [first] */
    size_t weight_count;
    double *weight; /* [row_capacity] of the first weight_count rows */
    /* Scratch of the search. */
    double *value;   /* [pair_count * channel_count] flow of a cell */
    double *peak;    /* [permutation] g that the flows make */
    uint32_t *worst; /* [permutation * NB_AVERAGE_EACH] channels, or NB_NONE */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_average_program_build(const struct nb_average_case *average,
                                        struct nb_average_program *out,
                                        struct nb_error *err);
void nb_average_program_release(struct nb_average_program *program);

/* Makes the load per bandwidth that uniform traffic has on average cost this
 * much beside the mean of g. */
void nb_average_program_set_hops(struct nb_average_program *program,
                                 double part);

/* Adds load of the channel - bandwidth h <= bandwidth least, of g = least + h.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_average_program_add_row(struct nb_average_program *program,
                                          uint32_t permutation,
                                          uint32_t channel,
                                          struct nb_error *err);

/*
 * Solves, adding rows until no load passes its g, and keeps what the best
 * solutions met say.
 *
 * deadline  [s]  as nb_clock_now counts
 * end       out: of the last solution
 *
 * Errors: those of nb_linear_solve.
 */
enum nb_status nb_average_program_solve(struct nb_average_program *program,
                                        const struct nb_run *run,
                                        double deadline,
                                        enum nb_linear_end *end,
                                        struct nb_error *err);

/* The best paths and weights so far, and what they prove. */
struct nb_average_found {
    const struct nb_average_case *average;
    struct nb_best_average best; /* paths and weights; owned */
    bool has_routing;
    struct nb_enclosure lower; /* of the mean load, which best has the upper */
    size_t variables, rows;    /* of the program, if there was one */
    bool was_stopped;
};

/* Whether the two ends meet exactly. */
bool nb_average_is_met(const struct nb_average_found *found);

/* Offers the flows kept as paths, rounded in several ways. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_average_take_flows(const struct nb_average_program *program,
                                     const struct nb_run *run,
                                     struct nb_average_found *found,
                                     struct nb_error *err);

/* Offers a shortest path each, and paths by way of every router. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_average_plain_paths(const struct nb_run *run,
                                      struct nb_average_found *found,
                                      struct nb_error *err);

/* Offers the duals kept as weights, rounded in several ways. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_average_take_duals(const struct nb_average_program *program,
                                     struct nb_average_found *found,
                                     struct nb_error *err);

/* Sets what paths reach: mean load, throughputs and hops.
 * Errors: NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_average_check_paths(const struct nb_average_case *average,
                                      const struct nb_run *run,
                                      struct nb_best_average *claimed,
                                      struct nb_error *err);

/* Sets the rest of what a certificate proves from the lower end. */
void nb_average_conclude(const struct nb_average_case *average,
                         struct nb_enclosure lower,
                         struct nb_best_average *out);

/* The lower end of the mean load that weights prove. Errors: NB_REFUTED;
 * NB_NO_MEMORY. */
enum nb_status nb_average_check_weights(const struct nb_average_case *average,
                                        const struct nb_best_average *claimed,
                                        struct nb_enclosure *lower,
                                        struct nb_error *err);

#endif
