/* Oblivious orbits: pairs, crossings and sides that the symmetries of a
 * network make alike (used by best_oblivious*.c alone). */
#ifndef NB_BOUNDS_OBLIVIOUS_ORBITS_H
#define NB_BOUNDS_OBLIVIOUS_ORBITS_H

#include "bounds/optimum/best_oblivious.h"
#include "bounds/symmetry/symmetry.h"

/*
 * Orbits under a question's group, each named by its least member:
 *
 *     pairs      i * e + j, of the e routers with terminals
 *     crossings  pair * channel_count + channel, of pairs i != j
 *     sides      channel * 2 e + i of a row, channel * 2 e + e + j of a column
 *     channels
 *
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_oblivious_orbits {
    const struct nb_topology *topology;
    size_t e;
    uint32_t *endpoint;     /* [e] router */
    uint32_t *place;        /* [router] its place in endpoint, or NB_NONE */
    uint32_t *pair;         /* [e * e] */
    uint32_t *crossing;     /* [e * e * channel_count] */
    uint32_t *side;         /* [channel_count * 2 e] */
    uint32_t *channel;      /* [channel_count] */
    uint32_t *pair_size;    /* [e * e] of the orbit, at its name */
    uint32_t *channel_size; /* [channel_count] the same */
    uint64_t terminal_count;
};

/* Errors: NB_NO_MEMORY, before anything is allocated where they do not fit;
 * NB_OVERFLOW if there are 2^32 crossings or more. */
enum nb_status nb_oblivious_orbits_find(const struct nb_topology *topology,
                                        const struct nb_symmetry *symmetry,
                                        struct nb_oblivious_orbits *out,
                                        struct nb_error *err);
void nb_oblivious_orbits_release(struct nb_oblivious_orbits *orbits);

/* The name of the orbit of a crossing, and of a pair's first crossing. */
static inline uint32_t
nb_oblivious_crossing(const struct nb_oblivious_orbits *orbits, size_t pair,
                      uint32_t channel)
{
    return orbits->crossing[pair * orbits->topology->channel_count + channel];
}

#endif
