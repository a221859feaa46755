/* Oblivious check: a question about oblivious routing, its orbits of pairs,
 * crossings and sides, and the bounds that paths, duals and weights prove. */
#ifndef NB_OPTIMUM_OBLIVIOUS_CHECK_H
#define NB_OPTIMUM_OBLIVIOUS_CHECK_H

#include "optimum/best_oblivious.h"
#include "core/memory.h"
#include "topology/orbits.h"

/*
 * A question and the orbits of its group:
 *
 *     pairs      i * e + j, of the e routers with terminals
 *     channels
 *     sides      channel * 2 e + i of a row, channel * 2 e + e + j of a column
 *     cells      of channels that one pair of two routers may cross
 *
 * Owns them; zero-initialised is valid.
 */
struct nb_oblivious_case {
    const struct nb_oblivious_question *question;
    const struct nb_topology *topology;
    struct nb_pool pool;
    struct nb_symmetry symmetry;
    size_t e;
    uint32_t *endpoint; /* [e] router */
    uint32_t *place;    /* [router] its place in endpoint, or NB_NONE */
    uint64_t terminal_count;
    struct nb_orbits pairs, channels, sides;
    /* The first pair i != j of each orbit, ascending. */
    size_t pair_count;
    uint32_t *pair;  /* [pair_count] */
    uint32_t *index; /* [e * e] of its orbit in pair; NB_NONE: i = j */
    /* [i * e + j, of i != j, * channel_count + channel] the cell: the group's
     * image of the crossing, as index of the pair * channel_count + the least
     * channel of its orbit for the pair in `pair` */
    uint32_t *cell;
    /* Size of each orbit of channels for a pair: [index of the pair *
     * channel_count + channel]. */
    uint32_t *alike;
    /* A program with this many flows would take hours, or all memory. */
    bool is_too_large;
};

/* symmetry: ownership is taken; the first function uses the question's. Errors:
 * those of the question; NB_NO_MEMORY, before anything is allocated if the
 * cells do not fit; NB_OVERFLOW if there are 2^32 or more. */
enum nb_status
nb_oblivious_case_init(const struct nb_oblivious_question *question,
                       struct nb_oblivious_case *out, struct nb_error *err);

enum nb_status nb_oblivious_case_init_group(
    const struct nb_oblivious_question *question, struct nb_symmetry *symmetry,
    struct nb_oblivious_case *out, struct nb_error *err);

void nb_oblivious_case_release(struct nb_oblivious_case *here);

/* The routers of a pair. */
static inline uint32_t nb_oblivious_source(const struct nb_oblivious_case *here,
                                           size_t pair)
{
    return here->endpoint[pair / here->e];
}

static inline uint32_t
nb_oblivious_destination(const struct nb_oblivious_case *here, size_t pair)
{
    return here->endpoint[pair % here->e];
}

/* The place of a pair of routers with terminals among all e * e. */
static inline size_t nb_oblivious_pair(const struct nb_oblivious_case *here,
                                       uint32_t source, uint32_t destination)
{
    return here->place[source] * here->e + here->place[destination];
}

/* Number of pairs in a pair's orbit. */
static inline uint32_t
nb_oblivious_pair_size(const struct nb_oblivious_case *here, size_t pair)
{
    return here->pairs.length[here->pairs.of[pair]];
}

/*
 * Adds up the channel loads of the given paths.
 *
 * flow         out, [pair_count * channel_count], summed over each orbit of
 *              channels, written to each of them
 * denominator  out: sum of a pair's weights
 *
 * Errors: NB_REFUTED; NB_NO_MEMORY.
 */
enum nb_status nb_oblivious_check_paths(const struct nb_oblivious_case *here,
                                        const struct nb_path_table *paths,
                                        int64_t *flow, int64_t *denominator,
                                        struct nb_error *err);

/*
 * The loads of every pair on one channel, averaged over the group and rounded
 * up to multiples of 1/denominator.
 *
 * flow  from nb_oblivious_check_paths
 * load  out, [e * e]; the diagonal is not written
 */
void nb_oblivious_channel_loads(const struct nb_oblivious_case *here,
                                const int64_t *flow, uint32_t channel,
                                int64_t *load);

/* Mean hops of paths, self included; denominator: from
 * nb_oblivious_check_paths. */
struct nb_enclosure nb_oblivious_mean_hops(const struct nb_oblivious_case *here,
                                           const struct nb_path_table *paths,
                                           int64_t denominator);

/* The bracket from the lower end of lower to the upper end of upper. */
struct nb_enclosure nb_oblivious_span(struct nb_enclosure lower,
                                      struct nb_enclosure upper);

/* The lower end that claimed->weights prove, for load or mean_hops according to
 * the goal. Errors: NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_oblivious_check_weights(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *lower,
                                          struct nb_error *err);

/*
 * The rate x that no routing exceeds according to the weights, for unbalanced
 * traffic: with D the sum of the pairs' distances, A_c and B_c the greatest row
 * and column sums of channel c per terminal, the load at any rate alpha is at
 * least
 *
 *     D / sum_c b_c max(A_c / alpha, B_c),
 *
 * which grows, and exceeds 1 beyond x. +inf: never.
 *
 * Errors: NB_REFUTED; NB_NO_MEMORY.
 */
enum nb_status nb_oblivious_weights_rate(const struct nb_oblivious_case *here,
                                         const struct nb_best_oblivious *claim,
                                         struct nb_enclosure *upper,
                                         struct nb_error *err);

/* The upper ends that claimed->paths and duals prove. Errors: NB_REFUTED;
 * NB_NO_MEMORY. */
enum nb_status nb_oblivious_check_routing(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *load,
                                          struct nb_enclosure *mean_hops,
                                          struct nb_error *err);

/* Whether a load is certainly not more than the question allows. */
bool nb_oblivious_keeps(const struct nb_oblivious_question *question,
                        struct nb_enclosure load);

/* Sets the rest of a certificate's results from its ends. */
void nb_oblivious_conclude(const struct nb_oblivious_case *here,
                           struct nb_enclosure load,
                           struct nb_enclosure mean_hops,
                           struct nb_enclosure lower,
                           struct nb_best_oblivious *out);

#endif
