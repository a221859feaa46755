/* Equilibria of adaptive schemes: what their parts share: the network and the
 * paths through it (equilibrium_network.c), equivalent queues
 * (equilibrium_colours.c), choices in drawn networks (equilibrium_choices.c),
 * the flows that follow from them (equilibrium_flows.c), the distributions of
 * the queues (equilibrium_laws.c), and the rounds (equilibrium.c). */
#ifndef NB_EQUILIBRIUM_PARTS_H
#define NB_EQUILIBRIUM_PARTS_H

#include "core/memory.h"
#include "core/random.h"
#include "queueing/joining.h"
#include "equilibrium/equilibrium.h"
#include "sim/routes.h"

enum { NB_NET_DEPTH = 256 };   /* lengths that are distinguished */
#define NB_NET_FULL (1 - 1e-3) /* utilisation of one, by means */

struct nb_net_pair {
    uint32_t source, target;
    uint32_t least; /* hops of a shortest path */
    double rate;    /* at rate 1 */
};

struct nb_net_node {
    size_t first;  /* its hops, up to the next node's first */
    size_t choice; /* among its hops; SIZE_MAX: one hop, or none */
    uint32_t router;
    uint32_t left; /* least number of hops to its target */
};

struct nb_net_hop {
    uint32_t channel;
    uint32_t input; /* index of the channel among those into its target */
    uint32_t node;  /* for the same target */
};

/* Channels of a router from which the shortest queue is taken. */
struct nb_net_choice {
    const struct nb_net_hop *hop;
    size_t count;
    double *split;              /* [count] of transit packets */
    double *split_injected;     /* [count] of packets from terminals */
    double transit, injected;   /* [packets/slot] that choose */
    struct nb_net_choice *next; /* next choice of the router */
    struct nb_net_choice *like; /* the first choice with channels of the same
                                 * orbits; it is solved for all of them */
};

/* Channels that symmetry makes equivalent. */
struct nb_net_orbit {
    uint32_t size;
    size_t inputs, sources;     /* of a channel */
    size_t told;                /* inputs that are distinguished */
    size_t gathered;            /* channels sampled */
    double source_rate;         /* [packets/slot] that one of them sends */
    double load;                /* [packets/slot] of a channel */
    double *share;              /* [inputs] of the transit, largest first */
    double *transit, *injected; /* [NB_NET_DEPTH] as in struct nb_joining */
    double *next_transit, *next_injected; /* the same, being added up */
    double transit_only, injected_only;   /* of packets without another
                                           * channel */
    /* By drawn length: how often it was drawn, and the rates that joined
     * there. */
    double *visits, *joins; /* [NB_NET_DEPTH] */
    size_t reach;           /* lengths that are drawn */
    double *next_visits, *next_joins;
    struct nb_joining_law law;
    /* P(length above n). */
    double *above_transit, *above_injected;
};

struct nb_equilibrium_net {
    struct nb_equilibrium_question asked;
    const struct nb_routing *routing, *phase;
    const struct nb_topology *topology;
    bool draws;      /* starts are compared */
    size_t n, width; /* routers; inputs of a router, terminals as the last */
    double total;    /* [packet/cycle] at rate 1 */
    struct nb_net_pair *pair;
    size_t pair_count;

    /* Nodes target by target, of target t from target_node[t] on. */
    size_t *target_node; /* [n + 1] */
    struct nb_net_node *node;
    struct nb_net_hop *hop;
    uint32_t *order; /* of a target's nodes, each after those it leads to */
    size_t node_count, hop_count, node_room, hop_room, order_room;
    uint32_t *entry; /* [(target n + router) states + state] node of the target;
                      * NB_NONE: none */
    struct nb_net_choice *choice;
    size_t choice_count;
    double *splits;

    size_t orbit_count;
    struct nb_net_orbit *orbit;
    uint32_t *orbit_of; /* [channel] */
    uint32_t *input_of; /* [channel] index among those into its target */
    uint64_t cycle;
    size_t depth;     /* lengths that are distinguished, at most NB_NET_DEPTH */
    size_t decisions; /* drawn in a round, approximately */

    /* By round. */
    double *flow[2];  /* [phase][node * width + input] that enter there */
    double *drawn[2]; /* the same, in this round */
    double *second;   /* [router n + target] that go on in a second phase */
    double *drawn_second;
    double *arrived; /* [router * width + input] at intermediate routers */
    double *work;    /* [node of one target * width] */
    double *chance, *before; /* scratch: [channels of a choice] */
    double *turn;            /* [turn_start[channel] + input] */
    size_t *turn_start;
    double *load;                      /* [channel] */
    double *sent, *drawn_sent;         /* [pair * most_starts + start] */
    double *injected, *drawn_injected; /* [channel] */
    size_t asking;                     /* the pair that asks */
    double minimal, drawn_minimal;     /* [packet/slot] */
    uint32_t *length;                  /* [channel] drawn .. */
    uint64_t *drawn_at;                /* [channel] .. in this cycle */
    uint8_t *is_probed;                /* [channel] */

    struct nb_random random;
    struct nb_equilibrium_net *self; /* that a view of it draws from */
    struct nb_routes routes;
    struct nb_routes *view_routes;
    struct nb_start *starts; /* [most_starts] scratch */
    struct nb_view view;
    struct nb_pool pool;
};

static inline size_t nb_net_entry(const struct nb_equilibrium_net *net,
                                  uint32_t target, uint32_t router,
                                  nb_route_state state)
{
    return (target * net->n + router) * net->phase->state_count + state;
}

/*
 * Lists the pairs, nodes, hops, choices and orbits of a network whose question
 * is set, and allocates the arrays of the rounds.
 *
 * Errors: those of nb_equilibrium_open.
 */
enum nb_status nb_net_build(struct nb_equilibrium_net *net,
                            struct nb_error *err);

/*
 * Channels that pairs and channels do not distinguish: all ordered pairs of
 * routers are coloured by traffic and channels, and then by the colours of the
 * paths from one to the other over a third router, until no colour is divided.
 * Symmetric pairs have the same colour, whatever the symmetries are; n^3 steps
 * in each of a few rounds. For schemes defined by the graph.
 *
 * alike  out, [channel] the least one of its colour
 * size   out, [channel] zero before: channels of its colour
 *
 * Source: colour refinement of pairs, [WeisfeilerLeman1968].
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_net_find_alike(const struct nb_equilibrium_net *net,
                                 uint32_t *alike, uint32_t *size,
                                 struct nb_error *err);

/* The view that the scheme is given. Errors: NB_NO_MEMORY. */
enum nb_status nb_net_init_view(struct nb_equilibrium_net *net,
                                struct nb_error *err);

/* The mean delay at a load; it goes on rising beyond capacity, so that loads
 * there can be compared. */
double nb_net_mean_delay(const struct nb_equilibrium_net *net, double load);

/* The length of a queue in the network drawn, in flits, or a mean in parts of a
 * packet; drawn on first use. */
uint32_t nb_net_length(struct nb_equilibrium_net *net, uint32_t channel);

/* Draws networks and asks all pairs in each; step: the weight of this round in
 * the averages; outset: enum nb_outset, -1: by the queues. */
void nb_net_ask(struct nb_equilibrium_net *net, double rate, double step,
                int outset);

/* Schemes that compare nothing at the source: adds what begins where, once. */
void nb_net_inject(struct nb_equilibrium_net *net, double rate);

/* Shares of the channels of every choice, by the distributions. */
void nb_net_split(struct nb_equilibrium_net *net, double step);

/* Carries what begins through the network: loads, turns, arrivals. */
void nb_net_carry(struct nb_equilibrium_net *net);

/* Loads of orbits, and their transit by input, the largest first. */
void nb_net_gather(struct nb_equilibrium_net *net);

/* What joins each queue at each length, from what was drawn and carried. */
void nb_net_join(struct nb_equilibrium_net *net, double step);

/* The distribution of each queue, from what joins it. */
void nb_net_solve(struct nb_equilibrium_net *net);

#endif
