/* Oblivious arcs: where the packets of a pair may go (used by
 * best_oblivious*.c alone). */
#ifndef NB_BOUNDS_OBLIVIOUS_ARCS_H
#define NB_BOUNDS_OBLIVIOUS_ARCS_H

#include "bounds/optimum/oblivious_work.h"

/* The arcs of one pair after another; owns its arrays. Nodes are
 * router * state_count + state. */
struct nb_oblivious_arcs {
    const struct nb_oblivious_case *here;
    struct nb_path_search search;
    size_t index; /* of the pair */
    uint32_t source, destination;
    uint32_t begin;    /* node */
    uint32_t *reached; /* [node] index of the pair that reaches it, plus 1 */
    uint32_t *queue;   /* [node] */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_oblivious_arcs_init(const struct nb_oblivious_case *here,
                                      struct nb_oblivious_arcs *out,
                                      struct nb_error *err);
void nb_oblivious_arcs_release(struct nb_oblivious_arcs *arcs);

/* Goes on to the index-th pair. */
void nb_oblivious_arcs_set(struct nb_oblivious_arcs *arcs, size_t index);

/* Whether packets of the pair may come to cross a channel in a layer; gives
 * the nodes on its sides. Channels into the source and out of the destination
 * are left out, which serve nobody. */
bool nb_oblivious_arcs_has(const struct nb_oblivious_arcs *arcs,
                           uint32_t channel, uint32_t layer, uint32_t *from,
                           uint32_t *to);

#endif
