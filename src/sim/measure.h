/* Measure: what is counted while a network moves. For src/sim only. */
#ifndef NB_SIM_MEASURE_H
#define NB_SIM_MEASURE_H

#include "core/delete.h"
#include "core/pack.h"
#include "sim/flows.h"
#include "sim/sim.h"

enum { NB_BATCHES = 32 }; /* of a replication, before it is extended */
enum { NB_MERGES = 6 };   /* of 2, 4, .., 64 neighbours, for tallies */

/* One batch of a replication. Packets are counted in the batch of their
 * birth. */
struct nb_batch {
    double offered;  /* flits born */
    double accepted; /* flits delivered in it, whenever born */
    double packets;  /* measured packets that arrived */
    double latency;  /* sum of their latencies, and so on */
    double queueing;
    double hops;
    double minimal;       /* the number of them on shortest paths */
    double misrouted;     /* the number with an intermediate router */
    double in_flight;     /* packets, summed over its cycles */
    double growth;        /* of the packets under way */
    double waiting;       /* growth of the packets waiting at sources */
    double births;        /* of packets */
    double empty;         /* cycles at whose end no packet was under way */
    double replies;       /* replies that arrived to measured requests */
    double round_trip;    /* sum of latencies from the request's birth, and
                           * .. */
    double reply_latency; /* .. from the reply's own birth */
};

/* Something counted in every batch. Only sums over the batches are kept, and
 * sums of the squares of neighbours merged. */
struct nb_tally {
    double now; /* of the batch under way; of a level: at its beginning */
    double sum;
    double square;
    double part[NB_MERGES];   /* of 2 << i batches under way */
    double merged[NB_MERGES]; /* their squares */
};

/* Of a router's terminals: consecutive batches in which packets waited at their
 * sources at all times. */
struct nb_presence {
    size_t now, longest;
    size_t seen;    /* batches in which any arrived */
    bool was_empty; /* in the batch under way */
};

/* What arrives in a window of the series. */
struct nb_window_sum {
    double flits;
    double packets; /* for which the next fields hold */
    double latency;
    double minimal;
    double level;
};

/* Counts of virtual networks on a levelled network while it is measured. */
struct nb_virtual_counts {
    uint64_t rounds;       /* rounds that ended, and in them .. */
    uint64_t sent;         /* .. packets, each time that one left its source */
    uint64_t acknowledged; /* .. the number acknowledged, whatever became of
                            * them .. */
    uint64_t dropped;      /* .. and the number to be sent again */
    struct {
        uint64_t sent, acknowledged, dropped;
    } round;         /* in the round under way */
    uint64_t cycles; /* [cycle] of a round */
    uint32_t queue;  /* [packet] the longest queue at an input so far */
    uint32_t wait;   /* [round] the longest wait for being active */
    /* [packet] the fewest that one of V virtual networks with more to send got
     * through in V + 1 rounds; UINT64_MAX: each got all through. */
    uint64_t window;
};

/* Packets still to pass switches as rounds began, from the first round that has
 * any. */
struct nb_rounds_count {
    size_t count, capacity; /* rounds */
    uint32_t *most;         /* [count] owned: packets, at the busiest switch */
    uint32_t *through;      /* [router] packets as the first of them began .. */
    uint32_t *small;        /* [router] .. and those of them with small keys */
    uint64_t left;          /* small ones that a round did not deliver */
    bool is_of_many_paths;  /* not known, as packets draw their paths */
};

/* Owns its arrays; borrows plan and flows. */
struct nb_measure {
    const struct nb_simulation *plan;
    const struct nb_flows *flows;
    uint64_t start;        /* measured packets are born from here .. */
    uint64_t end;          /* .. to before here */
    uint64_t batch_length; /* [cycle] */
    uint64_t batch_end;    /* of the batch under way */
    size_t batch_count;    /* ended */
    size_t batch_capacity;
    struct nb_batch *batch; /* [batch_capacity] */
    uint64_t alive;         /* measured packets under way */
    uint64_t packets;       /* measured packets that arrived */
    uint64_t last;          /* [cycle] the last arrival of any packet */

    size_t queue_count;
    uint64_t *sent;         /* [queue] flits since the start */
    uint64_t *sent_before;  /* [queue] until the batch under way */
    struct nb_tally *use;   /* [queue] flits sent per batch */
    struct nb_tally *come;  /* [queue] flits per batch that came to it */
    struct nb_tally *depth; /* [queue] growth of its length */
    size_t router_count;
    uint32_t *live;    /* [router] packets of its terminals under way .. */
    uint32_t *waiting; /* [router] .. and those still at their source */
    struct nb_presence *presence; /* [router] */
    struct nb_tally *load;        /* [router] growth of live */
    struct nb_tally *wait;        /* [router] growth of waiting */
    struct nb_tally total;        /* growth of all packets under way */
    struct nb_tally *from;  /* [router] its terminals' flits that arrived */
    struct nb_tally *asked; /* [1] of the routers that the plan asks about */
    struct nb_tally *flow;  /* [flows->count] flits that arrived */
    /* By class, over all equivalent members: use, from and flow. */
    struct nb_tally *use_alike, *from_alike, *flow_alike;
    size_t network_count;        /* virtual ones; 0: none */
    struct nb_tally *of_network; /* [network_count] their flits that arrived */
    struct nb_virtual_counts counts;
    struct nb_rounds_count congestion;
    struct nb_pool pool; /* of all arrays by queue, router or flow */

    struct nb_histogram latencies;
    size_t class_count; /* 0: no depths */
    struct nb_histogram *depths;
    uint8_t *class_of; /* [queue] */
    struct nb_overtaking *overtaking;
    size_t window_count;
    struct nb_window_sum *window; /* [window_count] */
};

struct nb_network;

/* Nothing is measured before nb_measure_begin.
 * flows: borrowed. Errors: NB_NO_MEMORY. */
enum nb_status nb_measure_init(const struct nb_simulation *plan,
                               const struct nb_flows *flows,
                               struct nb_measure *out, struct nb_error *err);
void nb_measure_release(struct nb_measure *measure);

/* What was counted, as bytes (core/pack.h), without the pairs' packet order
 * that further counting needs. */
void nb_measure_pack(const struct nb_measure *measure, struct nb_text *out);
/* Reads the same into measurements of such a plan. Errors: NB_INVALID if it is
 * not there; NB_NO_MEMORY. */
enum nb_status nb_measure_unpack(struct nb_packed *in, struct nb_measure *out,
                                 struct nb_error *err);

/*
 * Measures from this cycle on: cycles, a multiple of batches; called again,
 * cycles more.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_measure_begin(struct nb_network *network, uint64_t cycles,
                                size_t batches, struct nb_error *err);

/* Called by the network: a packet was born, or has arrived at this cycle. */
void nb_measure_birth(struct nb_network *network, uint32_t packet);
/* Called by the engine of levelled networks: as in struct nb_virtual_counts. */
void nb_measure_queue(struct nb_network *network, uint32_t packets);
void nb_measure_activation(struct nb_network *network, uint32_t rounds);
void nb_measure_round(struct nb_network *network, uint64_t cycles);
void nb_measure_window(struct nb_network *network, uint64_t begin,
                       uint64_t packets);
void nb_measure_sent(struct nb_network *network);
void nb_measure_acknowledged(struct nb_network *network, bool is_delivered);
/* Called by an engine whose sources hold packets: one begins to wait at its
 * source, or has left it. */
void nb_measure_wait(struct nb_network *network, uint32_t packet);
void nb_measure_leave(struct nb_network *network, uint32_t packet);
void nb_measure_arrival(struct nb_network *network, uint32_t packet,
                        uint64_t cycle);
/* A cycle has ended. */
void nb_measure_cycle(struct nb_network *network);
/* The same for cycles from now on in which the network is empty. */
void nb_measure_idle(struct nb_network *network, uint64_t cycles);

/* Ends the only batch of a run that ends by itself. */
void nb_measure_close(struct nb_network *network);

/* Counts the lengths of all queues, before they are served; for engines, if
 * class_count is not 0.
 * length  [queue] [flit] */
void nb_measure_depths(struct nb_network *network, const uint32_t *length);

#endif
