/*
 * Moves: a local search over destinations. A move takes the paths to some
 * destinations out, finds them again one after another, and keeps them unless
 * they strain the network more than before. It leads on where finding the paths
 * to one destination again changes nothing.
 */
#ifndef NB_ROUTING_MOVES_H
#define NB_ROUTING_MOVES_H

#include "core/memory.h"
#include "core/random.h"
#include "topology/topology.h"

enum {
    NB_MOST_MOVED = 8,    /* destinations of a move */
    NB_MOVES_VAIN = 1000, /* moves in a row after which it is not worth more */
};

/* A destination to move, and its next hops before. */
struct nb_moved {
    uint32_t destination;
    uint32_t *next; /* [router] */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_moves {
    const struct nb_topology *topology;
    struct nb_random random;
    uint32_t *users; /* [router] scratch */
    struct nb_moved moved[NB_MOST_MOVED];
    size_t count;
    struct nb_pool pool;
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_moves_init(const struct nb_topology *topology,
                             struct nb_moves *out, struct nb_error *err);
void nb_moves_release(struct nb_moves *moves);

/* A random number below count. */
uint32_t nb_moves_number(struct nb_moves *moves, size_t count);

/*
 * Draws the destinations of a move, either among all with terminals or among
 * those with paths over one of the fullest channels, and copies their next
 * hops.
 *
 * load  [channel]
 * next  [destination * router_count + router] NB_NONE: no path passes
 */
void nb_moves_draw(struct nb_moves *moves, const double *load,
                   const uint32_t *next);

/* Whether a channel is not the only one out of or into a router. */
static inline bool nb_is_choice(const struct nb_topology *topology,
                                uint32_t channel)
{
    const uint32_t from = topology->channels[channel].source;
    const uint32_t to = topology->channels[channel].target;
    return topology->out_start[from + 1] - topology->out_start[from] > 1 &&
           topology->in_start[to + 1] - topology->in_start[to] > 1;
}

/* The greatest load on channels for which nb_is_choice is true. load:
 * [channel] */
double nb_load_most(const struct nb_topology *topology, const double *load);

/* The sum over the same channels of the 16th powers of load / most. */
double nb_load_strain(const struct nb_topology *topology, const double *load,
                      double most);

static inline double nb_eighth_power(double x)
{
    x *= x;
    x *= x;
    return x * x;
}

#endif
