/* Oblivious case: a question about oblivious routing with the orbits of pairs,
 * crossings and sides that symmetry leaves. */
#ifndef NB_BOUNDS_OBLIVIOUS_CASE_H
#define NB_BOUNDS_OBLIVIOUS_CASE_H

#include "bounds/optimum/best_oblivious.h"

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

/* The name of the orbit of a crossing, and of a pair's first crossing. */
static inline uint32_t
nb_oblivious_crossing(const struct nb_oblivious_orbits *orbits, size_t pair,
                      uint32_t channel)
{
    return orbits->crossing[pair * orbits->topology->channel_count + channel];
}

/* A question and its orbits. Owns them; zero-initialised is valid. */
struct nb_oblivious_case {
    const struct nb_oblivious_question *question;
    const struct nb_topology *topology;
    struct nb_symmetry symmetry;
    struct nb_oblivious_orbits orbits;
    /* One pair i != j of each orbit, by its name, ascending. */
    size_t pair_count;
    uint32_t *pair;  /* [pair_count] */
    uint32_t *index; /* [e * e] place in pair, at its name */
    /* A program of so many flows would take hours, or all memory. */
    bool is_too_large;
    /* How many channels of the pair are alike:
     * [index of the pair * channel_count + channel]. */
    uint32_t *alike;
};

/* symmetry: taken over; of the question unless given. */
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
    return here->orbits.endpoint[pair / here->orbits.e];
}

static inline uint32_t
nb_oblivious_destination(const struct nb_oblivious_case *here, size_t pair)
{
    return here->orbits.endpoint[pair % here->orbits.e];
}

#endif
