/* Words: networks whose routers are words of letters, with a channel from each
 * word to those that begin as it ends: Kautz and de Bruijn networks. */
#ifndef NB_TOPOLOGY_WORDS_H
#define NB_TOPOLOGY_WORDS_H

#include "topology/topology.h"

/* Row of their length. */
#define NB_PARAMETER_WORDS                                                     \
    {                                                                          \
        .name = "diameter", .help = "letters of a word, and maximum hops",     \
        .also = "n", .type = NB_WHOLE, .least = 1, .most = 31,                 \
    }

/*
 * Words of so many letters. A channel leads from a_1 a_2 .. a_n to
 * a_2 .. a_n b; from a word to itself there is none. Router numbers are the
 * ranks of the words, the first letter counting most.
 *
 * letters    of the alphabet
 * length     of the words, >= 1
 * may_repeat whether a letter may follow itself
 */
struct nb_words {
    uint32_t letters, length;
    bool may_repeat;
};

/* Errors: as nb_topology_reserve. */
enum nb_status nb_words_build(const struct nb_words *words,
                              struct nb_topology *out, struct nb_error *err);

/* As nb_topology_kind.diameter: the length. */
struct nb_closed_form nb_words_diameter(const struct nb_topology *topology);

/* Generators of the permutations of letters, as nb_topology_kind.symmetry. */
unsigned nb_words_symmetry(const struct nb_words *words, size_t index,
                           uint32_t *router_map);

#endif
