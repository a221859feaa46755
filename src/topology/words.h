/* Words: networks whose routers are words of letters, with a channel from each
 * word to those that begin as it ends: Kautz and de Bruijn networks. */
#ifndef NB_TOPOLOGY_WORDS_H
#define NB_TOPOLOGY_WORDS_H

#include "topology/topology.h"

/* Parameter row of the length. */
#define NB_PARAMETER_WORDS                                                     \
    {                                                                          \
        .name = "diameter", .help = "letters of a word, and maximum hops",     \
        .also = "n", .type = NB_WHOLE, .least = 1, .most = 31,                 \
    }

/*
 * All words of a length. A channel leads from a_1 a_2 .. a_n to a_2 .. a_n b,
 * but none from a word to itself. Router numbers are the ranks of the words,
 * the first letter most significant.
 *
 * letters    of the alphabet
 * length     of the words, >= 1
 * may_repeat whether a letter may follow itself
 */
struct nb_words {
    uint32_t letters, length;
    bool may_repeat;
};

/* Errors: those of nb_topology_reserve. */
enum nb_status nb_words_build(const struct nb_words *words,
                              struct nb_topology *out, struct nb_error *err);

/* The length; see nb_topology_kind.diameter. */
struct nb_closed_form nb_words_diameter(const struct nb_topology *topology);

/* Generators of the permutations of letters; see nb_topology_kind.symmetry. */
unsigned nb_words_symmetry(const struct nb_words *words, size_t index,
                           uint32_t *router_map);

#endif
