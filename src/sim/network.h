/*
 * Network: the parts of a network in motion that all router models share. For
 * src/sim only.
 */
#ifndef NB_SIM_NETWORK_H
#define NB_SIM_NETWORK_H

#include "core/random.h"
#include "sim/measure.h"
#include "sim/packets.h"
#include "sim/replies.h"
#include "sim/routes.h"
#include "sim/sim.h"
#include "sim/sources.h"

struct nb_network;

/* A router model: all of its channels and buffers, moved cycle by cycle. */
struct nb_engine {
    /* Errors: NB_INVALID if the router is impossible; NB_NO_MEMORY. */
    enum nb_status (*init)(struct nb_network *network, struct nb_error *err);
    void (*release)(struct nb_network *network);
    /* Takes over a packet that was born in this cycle at a router it has to
     * leave, or whose channel to its terminal has a queue. */
    void (*inject)(struct nb_network *network, uint32_t packet);
    /* Moves everything by a cycle; network->cycle is the one that ends, and
     * arrivals belong to the next. Errors: NB_INVALID on a deadlock. */
    enum nb_status (*move)(struct nb_network *network, struct nb_error *err);
    /* What an adaptive scheme sees, as in struct nb_view; network: a struct
     * nb_network. */
    uint32_t (*queue)(const void *network, uint32_t channel);
    uint32_t (*buffered)(const void *network, uint32_t channel,
                         uint32_t virtual_channel);
    uint64_t (*permitted)(const void *network, nb_route_state state,
                          uint32_t router, uint32_t destination,
                          uint32_t channel);
    uint64_t (*paused)(const void *network, uint32_t channel);
    uint64_t (*passed)(const void *network, uint32_t channel);
    uint32_t (*latency)(const void *network, uint32_t channel);
    bool (*sample)(const void *network, uint32_t channel, bool is_input,
                   uint64_t drawn, struct nb_sample *out);
    uint32_t (*waiting)(const void *network, uint32_t source,
                        uint32_t destination, size_t start);
    /* Flits before a channel only; NULL: as queue. */
    uint32_t (*standing)(const void *network, uint32_t channel);
    /* Flits of packets that the channel does not send in this cycle; NULL: not
     * known. */
    uint32_t (*unsent)(const void *network, uint32_t channel);
    /* A packet's start is chosen by the queues when it comes to the front of
     * its source, or joins a queue, not at its birth; except for schemes with
     * injection queues. */
    bool begins_at_front;
    /* Flits in queues, buffers and on channels, counted one by one: builds with
     * assertions compare their sum with what was injected. */
    uint64_t (*count_flits)(const struct nb_network *network);
};

extern const struct nb_engine nb_engine_ideal;
extern const struct nb_engine nb_engine_ideal_random; /* NB_SLOT_RANDOM */
extern const struct nb_engine nb_engine_credit;
extern const struct nb_engine nb_engine_chaos;
extern const struct nb_engine nb_engine_levelled;

/* Owns all but plan and what that points to. */
struct nb_network {
    const struct nb_simulation *plan;
    const struct nb_topology *topology;
    const struct nb_engine *engine;
    struct nb_random random;
    uint64_t cycle;

    /* Queues 0 .. channel_count - 1 are the topology's channels; the channels
     * to terminals follow if they have queues. */
    size_t queue_count;
    bool has_terminal_queues;
    const uint32_t *terminal_start;  /* [router_count + 1] of the flows */
    const uint32_t *terminal_router; /* [terminal] of the flows */

    struct nb_vc_classes classes;
    struct nb_packets packets;
    struct nb_routes routes;
    struct nb_sources sources;
    struct nb_replies replies;
    size_t steps; /* of the plan, that have begun */
    struct nb_measure measure;
    struct nb_view view;           /* for adaptive schemes */
    struct nb_routes *view_routes; /* routes, which builds its lists */
    uint32_t asked_about;          /* the packet that is about to begin */
    uint64_t flits_in;             /* injected since the start */
    uint64_t flits_out;            /* delivered since the start */
    bool is_full;  /* a packet was refused: plan->packet_limit */
    uint32_t late; /* the first one delivered above the age limit */
    uint64_t late_age;
    void *state; /* the engine's own; at least one block */
};

/* A network at rest. flows: borrowed. stream: of random numbers. Errors: the
 * plan's. */
enum nb_status nb_network_init(const struct nb_simulation *plan,
                               const struct nb_flows *flows, uint64_t stream,
                               struct nb_network *out, struct nb_error *err);
void nb_network_release(struct nb_network *network);

/* The state of a network and what it has counted, as bytes (core/pack.h). */
void nb_network_pack(const struct nb_network *network, struct nb_text *out);
/* Reads the same into a network of such a plan, zero-initialised or unpacked
 * before: it can be read, but not moved. Errors: those of nb_measure_unpack. */
enum nb_status nb_network_unpack(const struct nb_simulation *plan,
                                 const struct nb_flows *flows,
                                 struct nb_packed *in, struct nb_network *out,
                                 struct nb_error *err);

/* Draws the packets of a cycle, then moves. Errors: NB_INVALID on a deadlock
 * or a packet above the age limit. */
enum nb_status nb_network_cycle(struct nb_network *network,
                                struct nb_error *err);

/*
 * Leaves out the cycles until another one, in which nothing happens: without
 * packets, and the last of them left so long ago that credits are back and
 * channels have saved up what they can (nb_network_settling cycles).
 */
void nb_network_skip(struct nb_network *network, uint64_t cycle);
uint64_t nb_network_settling(const struct nb_network *network);

/* The last flit of a packet has arrived at its terminal, at this cycle: it is
 * measured and its place freed. */
void nb_network_deliver(struct nb_network *network, uint32_t packet,
                        uint64_t cycle);

/* Chooses how a packet begins at a router, by what the view shows; NULL: as
 * nb_routes_begin does without one. Returns the start chosen. */
size_t nb_network_begin(struct nb_network *network, const struct nb_view *view,
                        uint32_t packet, uint32_t router);

/* A packet has come to a router over a channel; under progressive schemes it
 * may choose its path anew. */
static inline void nb_network_turn(struct nb_network *network, uint32_t packet,
                                   uint32_t router)
{
    struct nb_packets *packets = &network->packets;
    const struct nb_routing *routing = network->plan->routing;
    const uint32_t destination =
        network->terminal_router[packets->target[packet]];
    if (routing->is_progressive &&
        nb_two_phase_turns(routing, packets->state[packet], router,
                           destination))
        nb_network_begin(network, &network->view, packet, router);
}

/* [flit/cycle] of a queue's channel. */
struct nb_ratio nb_network_bandwidth(const struct nb_network *network,
                                     uint32_t queue);

/* The queue to a packet's terminal: has_terminal_queues. */
static inline uint32_t
nb_network_terminal_queue(const struct nb_network *network, uint32_t packet)
{
    return (uint32_t)network->topology->channel_count +
           network->packets.target[packet];
}

#endif
