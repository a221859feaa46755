/*
 * Equilibrium: where an adaptive scheme that compares queues settles. A model,
 * not a bound: every channel is a queue by itself, and a packet that chooses
 * finds each at a length from its own distribution, whatever the others hold.
 * The distributions determine the choices, and these the distributions: a fixed
 * point.
 */
#ifndef NB_EQUILIBRIUM_EQUILIBRIUM_H
#define NB_EQUILIBRIUM_EQUILIBRIUM_H

#include "core/enclosure.h"
#include "queueing/mean_delay.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/* What packets compare. */
enum nb_compared {
    NB_COMPARED_POISSON, /* random lengths, arrivals of a Poisson process */
    NB_COMPARED_INPUTS,  /* random lengths, at most one packet of each input in
                          * a slot */
    NB_COMPARED_MEANS,   /* exact mean delays by utilisation */
};

/* The starts from which the search begins. */
enum nb_outset {
    NB_OUTSET_FIRST, /* the first that the scheme lists: minimal */
    NB_OUTSET_LAST,  /* last */
    NB_OUTSET_EVEN,  /* any */
};

struct nb_equilibrium_question {
    const struct nb_routing *routing; /* borrowed, as is the traffic */
    const struct nb_traffic *traffic;
    enum nb_compared compared;
    struct nb_mean_delay delay; /* NB_COMPARED_MEANS: of a queue */
    uint32_t flits;             /* of a packet, >= 1 */
    uint64_t seed;              /* of the random generator */
};

/* Owns its array. */
struct nb_equilibrium {
    bool is_saturated; /* a channel has more than it can send: waits are those
                        * of the longest queues considered, and mean nothing */
    double hops;       /* [hop] mean, over channels between routers */
    double wait;       /* [packet service time] mean of a packet */
    double minimal;    /* share of packets on shortest paths */
    double busiest;    /* utilisation of the busiest channel */
    size_t rounds;
    /* Relative change of the mean latency, or change of the share of minimal
     * packets if larger, over the second half of the averaged rounds. */
    double residual;
    struct nb_equilibrium_channel {
        double load; /* [packets/slot] */
        double wait; /* [slot] */
    } * channel;     /* [channel_count] */
};

/* What is the same at every rate; opaque. */
struct nb_equilibrium_net;

enum { NB_EQUILIBRIUM_DIGEST = 65 };

NB_INTERNAL_BEGIN

/*
 * Lists every node and hop that packets can reach.
 *
 * Errors: NB_INVALID for a scheme that chooses by more than the lengths of
 * queues, and for channels of different bandwidths; those of nb_walker_go;
 * NB_NO_MEMORY.
 */
enum nb_status nb_equilibrium_open(const struct nb_equilibrium_question *asked,
                                   struct nb_equilibrium_net **out,
                                   struct nb_error *err);
void nb_equilibrium_close(struct nb_equilibrium_net *net);

/*
 * The fixed point at a rate, by rounds of drawn comparisons whose results are
 * averaged:
 *
 * - a network is drawn, each channel's length from its distribution; every pair
 *   of routers begins a packet there as the scheme does, by its own cost, over
 *   the shortest queue;
 * - behind the first hop the flows are carried on, over the hops listed, each
 *   with the probability that its queue is the shortest, ties evenly;
 * - the distributions are computed anew, for queues joined at the rates chosen
 *   at each length (queueing/joining.h).
 *
 * rate      [packets/slot/terminal] a slot is the time to send a packet
 * is_rough  with half of the draws, and fewer rounds
 *
 * Source: averaging of drawn assignments, [SheffiPowell1982]; queues that are
 * independent except for who joins them, [Mitzenmacher2001].
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_equilibrium_find(struct nb_equilibrium_net *net, double rate,
                                   enum nb_outset outset, bool is_rough,
                                   struct nb_equilibrium *out,
                                   struct nb_error *err);

/*
 * The rate from which queues grow without bound. The criterion is the mean load
 * of the long queues, weighted by their lengths. The upper end is the rate at
 * which it reaches 1, extrapolated from rates above, where queues are so long
 * that the noise of short ones does not matter. The lower end is the rate at
 * which the largest load of any channel reaches 1; the noise of loads lowers
 * it.
 *
 * most  > 0 [packets/slot/terminal] a rate proved to be too high, or the
 *       highest rate asked about, which is the answer if it is carried;
 *       +inf: what all channels together carry over shortest paths
 *
 * Source: drift of the sum of squares of queues, [TassiulasEphremides1992].
 */
struct nb_bracket nb_equilibrium_saturation(struct nb_equilibrium_net *net,
                                            double most);

/*
 * Everything that determines the saturation, except most, as SHA-256: what is
 * sent, over which channels, how it is chosen and what is compared.
 *
 * text  out, [NB_EQUILIBRIUM_DIGEST]
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_equilibrium_digest(const struct nb_equilibrium_net *net,
                                     char *text, struct nb_error *err);

void nb_equilibrium_release(struct nb_equilibrium *equilibrium);

NB_INTERNAL_END

#endif
