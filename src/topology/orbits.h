/* Orbits: sets of members 0, 1, .. that generators take to each other. */
#ifndef NB_TOPOLOGY_ORBITS_H
#define NB_TOPOLOGY_ORBITS_H

#include "core/delete.h"
#include "core/public.h"
#include "topology/symmetry.h"

/*
 * Orbits are numbered by their least members, ascending. Results for a least
 * member hold for the rest of its orbit, by way of the generators that lead
 * there. Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_orbits {
    size_t size; /* number of members in all orbits */
    size_t count;
    uint32_t *of;     /* [size] the orbit of a member */
    uint32_t *first;  /* [count] its least member */
    uint32_t *length; /* [count] number of its members */
    uint32_t *order;  /* [size] members orbit by orbit, in the order in which
                       * they were reached, the first one leading; those reached
                       * from one member are consecutive */
    uint32_t *start;  /* [count] where an orbit begins in order */
    /* How a member was reached: generator applied to parent; the first of an
     * orbit has parent NB_NONE. */
    uint32_t *parent;    /* [size] */
    uint32_t *generator; /* [size] */
    struct nb_pool pool;
};

/* Where a generator takes a member: a permutation of 0 .. size - 1. */
typedef uint32_t nb_orbit_image(const void *context, size_t generator,
                                uint32_t member);

NB_INTERNAL_BEGIN

/* size: below 2^32 - 1. Errors: NB_NO_MEMORY. */
enum nb_status nb_orbits_find(size_t size, size_t generator_count,
                              nb_orbit_image *image, const void *context,
                              struct nb_orbits *out, struct nb_error *err);

/* Orbits of the routers, and of the channels. Errors: NB_NO_MEMORY. */
enum nb_status nb_orbits_of_routers(const struct nb_symmetry *symmetry,
                                    struct nb_orbits *out,
                                    struct nb_error *err);
enum nb_status nb_orbits_of_channels(const struct nb_symmetry *symmetry,
                                     struct nb_orbits *out,
                                     struct nb_error *err);

void nb_orbits_release(struct nb_orbits *orbits);

/* The least member of a member's orbit. */
static inline uint32_t nb_orbits_least(const struct nb_orbits *orbits,
                                       uint32_t member)
{
    return orbits->first[orbits->of[member]];
}

NB_INTERNAL_END

#endif
