/* Equilibria of adaptive schemes: what their parts share: the network and the
 * ways through it (equilibrium_network.c), queues that are alike
 * (equilibrium_colours.c), what is chosen in networks that are
 * drawn (equilibrium_choices.c), how that flows on (equilibrium_flows.c), the
 * laws of the queues (equilibrium_laws.c), and the rounds (equilibrium.c). */
#ifndef NB_SIM_EQUILIBRIUM_PARTS_H
#define NB_SIM_EQUILIBRIUM_PARTS_H

#include "core/memory.h"
#include "core/random.h"
#include "queueing/joining.h"
#include "sim/equilibrium.h"
#include "sim/routes.h"

enum { NB_NET_DEPTH = 256 };   /* lengths that are told apart */
#define NB_NET_FULL (1 - 1e-3) /* utilisation of one, by means */

struct nb_net_pair {
    uint32_t source, target;
    uint32_t least; /* hops of a shortest path */
    double rate;    /* at rate 1 */
};

struct nb_net_node {
    size_t first;  /* its hops, up to the next node's first */
    size_t choice; /* of its hops; SIZE_MAX: there is one, or none */
    uint32_t router;
    uint32_t left; /* least number of hops to its target */
};

struct nb_net_hop {
    uint32_t channel;
    uint32_t input; /* index of the channel among those into its target */
    uint32_t node;  /* of the same target */
};

/* Channels of a router of which the shortest queue is taken. */
struct nb_net_choice {
    const struct nb_net_hop *hop;
    size_t count;
    double *split;              /* [count] of transit packets */
    double *split_injected;     /* [count] of packets from terminals */
    double transit, injected;   /* [packets/slot] that choose */
    struct nb_net_choice *next; /* of the router */
    struct nb_net_choice *like; /* the first whose channels are of the same
                                 * orbits, which is found for all */
};

/* Channels that symmetry makes alike. */
struct nb_net_orbit {
    uint32_t size;
    size_t inputs, sources;     /* of a channel */
    size_t told;                /* inputs that are told apart */
    size_t gathered;            /* channels looked at */
    double source_rate;         /* [packets/slot] that one of them sends */
    double load;                /* [packets/slot] of a channel */
    double *share;              /* [inputs] of the transit, largest first */
    double *transit, *injected; /* [NB_NET_DEPTH] as of struct nb_joining */
    double *next_transit, *next_injected; /* the same, as they add up */
    double transit_only, injected_only;   /* that have no other channel */
    /* Of the lengths drawn: how many, and rates that joined. */
    double *visits, *joins; /* [NB_NET_DEPTH] */
    size_t reach;           /* lengths that are drawn */
    double *next_visits, *next_joins;
    struct nb_joining_law law;
    /* P(length above n) of the law. */
    double *above_transit, *above_injected;
};

struct nb_equilibrium_net {
    struct nb_equilibrium_question asked;
    const struct nb_routing *routing, *phase;
    const struct nb_topology *topology;
    bool draws;      /* ways to begin are compared */
    size_t n, width; /* routers; inputs of a router, terminals the last */
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
    size_t depth;     /* lengths that are told apart, at most NB_NET_DEPTH */
    size_t decisions; /* that are drawn in a round, about */

    /* By round. */
    double *flow[2];  /* [phase][node * width + input] that come there first */
    double *drawn[2]; /* the same, of the round */
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
    size_t asking;                     /* the pair */
    double minimal, drawn_minimal;     /* [packet/slot] */
    uint32_t *length;                  /* [channel] drawn .. */
    uint64_t *drawn_at;                /* [channel] .. in this cycle */
    uint8_t *is_probed;                /* [channel] */

    struct nb_random random;
    struct nb_equilibrium_net *self; /* what a view of it draws in */
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
 * is set, and makes room for the rounds.
 *
 * Errors: as nb_equilibrium_open.
 */
enum nb_status nb_net_build(struct nb_equilibrium_net *net,
                            struct nb_error *err);

/*
 * Channels that a network of pairs and channels alone cannot tell apart: all
 * ordered pairs of routers are coloured by traffic and channels, and then by
 * the colours of the ways from one to the other over a third router until no
 * colour is divided. What is symmetric has one colour, whatever the symmetries
 * are; n^3 steps in each of a few rounds. For schemes defined by the graph.
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

/* The view in which the scheme is asked. Errors: NB_NO_MEMORY. */
enum nb_status nb_net_init_view(struct nb_equilibrium_net *net,
                                struct nb_error *err);

/* The mean delay at a load; beyond capacity it goes on rising, so that what is
 * compared does. */
double nb_net_mean_delay(const struct nb_equilibrium_net *net, double load);

/* The length of a queue in the network drawn, in flits, or a mean in parts of
 * a packet; drawn when it is asked for first. */
uint32_t nb_net_length(struct nb_equilibrium_net *net, uint32_t channel);

/* Draws networks and asks all pairs in each; step: what the round counts in
 * the averages; outset: enum nb_outset, -1: by the queues. */
void nb_net_ask(struct nb_equilibrium_net *net, double rate, double step,
                int outset);

/* Schemes that compare nothing at the source: adds what begins where, once. */
void nb_net_inject(struct nb_equilibrium_net *net, double rate);

/* Shares of the channels of every choice, by the laws. */
void nb_net_split(struct nb_equilibrium_net *net, double step);

/* Carries what begins over the network: loads, turns, what arrives. */
void nb_net_carry(struct nb_equilibrium_net *net);

/* Loads of orbits, and their transit by input, the largest first. */
void nb_net_gather(struct nb_equilibrium_net *net);

/* What joins each queue at each length, from what was drawn and carried. */
void nb_net_join(struct nb_equilibrium_net *net, double step);

/* The law of each queue, of what joins it. */
void nb_net_solve(struct nb_equilibrium_net *net);

#endif
