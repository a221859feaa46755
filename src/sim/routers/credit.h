/*
 * Credit: the router with virtual channels and credits. Only for
 * src/sim/credit*.c and watchdog.c.
 *
 * Each cycle, in this order: output buffers send what their channels' tokens
 * allow; then, `speedup` times, heads get virtual channels and the switches
 * pass flits, at most one per input port and one per output; a flit for which
 * its channel has a token is sent at once. Arrivals for the next cycle come
 * last.
 */
#ifndef NB_SIM_ROUTERS_CREDIT_H
#define NB_SIM_ROUTERS_CREDIT_H

#include "sim/network.h"

/* What kind of flit it is, as bits above its packet's number. */
enum {
    NB_FLIT_HEAD = 1u << 29,
    NB_FLIT_TAIL = 1u << 30,
    NB_FLIT_PACKET = NB_FLIT_HEAD - 1,
};
#define NB_FLIT_LAST (1u << 31) /* its next router is its last */

struct nb_credit_flit {
    uint32_t input;  /* where it arrives; NB_NONE: at a terminal */
    uint32_t packet; /* with the bits above */
};

/* What is under way for a fixed number of cycles, in order. */
struct nb_credit_line {
    struct nb_credit_flit *flits; /* [mask + 1] */
    size_t mask;
    size_t first, end; /* count on without wrapping */
    uint64_t delay;    /* >= 1 */
    size_t *mark;      /* [delay] end after each of the last cycles */
    size_t landed;     /* flits in the pipeline after it: credit_flow.c */
};

/* Flits of one packet in an input, behind those of the packet in front. */
struct nb_credit_part {
    uint32_t packet;
    uint32_t flits; /* that have arrived */
};

/* The lines of all channels of one latency. */
struct nb_credit_lines {
    struct nb_credit_line arrivals; /* to inputs where they bid for the next
                                     * hop */
    struct nb_credit_line ends;     /* to their last router or terminal */
    struct nb_credit_line credits;  /* back to the router before */
};

/*
 * A virtual channel's buffer at its router, or a place at a source for a packet
 * that is about to leave.
 */
struct nb_credit_input {
    uint64_t age; /* of the packet in front */
    /* Virtual channels for its hop, one bit each. Adaptive: the outputs that it
     * waits for, modulo 64; all before it has first asked. */
    uint64_t permitted;
    uint32_t packet; /* in front; NB_NONE: empty */
    uint16_t flits;  /* of it that have arrived */
    uint16_t left;   /* of it that have not left */
    uint32_t output; /* next output; NB_NONE: not known yet */
    uint32_t target; /* the input behind output that it holds; or NB_NONE */
    uint32_t router;
    uint32_t channel; /* that ends here; NB_NONE: a source */
    uint32_t list;    /* of a source: the one its packet is from */
    uint32_t first;   /* of the ring of parts behind the packet in front */
    uint32_t count;   /* parts in it */
    uint32_t moved;   /* cycle (its low bits) of the last change in front */
    bool is_begun;    /* the head of the packet in front has left */
    bool is_taken;    /* by its terminal, which has room for its reply */
    bool is_waiting;  /* for that room */
    bool is_last;     /* the next router is its last */
};

/* What the router before an input knows about it. */
struct nb_credit_link {
    uint32_t credits;
    uint32_t holder; /* input whose packet may send there; NB_NONE: none */
    uint32_t turn;   /* in turn: the port whose heads ask first for it and the
                      * virtual channels permitted with it */
};

/* A channel to another router or to a terminal. */
struct nb_credit_output {
    uint64_t idle;   /* virtual channels that no packet holds */
    uint64_t open;   /* those with credits */
    uint64_t stamp;  /* the last pass of a switch in which it took a flit */
    uint64_t tokens; /* a flit takes price .. */
    uint64_t price;
    uint64_t gain; /* .. and a cycle adds gain */
    uint64_t paid; /* cycles whose gain has been added */
    size_t bids;   /* place in bits of the inputs that bid for it */
    uint32_t bid_count;
    uint32_t turn;    /* in turn: the input it asks first */
    uint32_t inputs;  /* the first input behind it; NB_NONE: a terminal */
    uint32_t passing; /* packets: the input whose packet passes; or NB_NONE */
    uint32_t router;  /* from which it leads */
    uint32_t index;   /* among its router's outputs */
    uint32_t first;   /* of its output buffer */
    uint32_t count;   /* flits in it */
    uint32_t depth;   /* capacity in flits of each virtual channel's buffer
                       * behind it */
    uint32_t ring;    /* parts in the ring of each of those buffers .. */
    size_t parts;     /* .. from the first one's on */
    bool is_far;      /* it uses the second latency and its lines */
    /* credit_flow.c: virtual channels with flits before it, those it must not
     * send to, and those whose buffers behind it have said stop. */
    uint64_t waiting, paused, stopped;
    uint64_t begun;           /* a packet's head was sent, its tail was not */
    uint32_t lane;            /* the virtual channel that it asks first */
    uint32_t room, xon, xoff; /* of each buffer behind it */
};

struct nb_credit_router {
    uint32_t input; /* the first: virtual channels by port .. */
    uint32_t port_count;
    uint32_t source; /* .. then sources */
    uint32_t source_count;
    uint32_t channel_count;
    uint32_t output_count; /* channels, then those to terminals */
    uint32_t words;        /* in a set of its inputs */
    uint64_t offered; /* outputs modulo 64 with a virtual channel that became
                       * free */
    size_t heads;     /* place in bits of the inputs whose head has no target */
    size_t asked;     /* place in bits of its outputs that inputs bid for */
    size_t held;      /* packets: the same, of those that a packet passes */
    uint32_t head_count;
    uint32_t bid_count;
    uint32_t turn;   /* in turn: the port whose heads ask first */
    uint32_t active; /* injection queues with a packet that may leave */
};

/* Packets that wait at a source, in order. */
struct nb_credit_list {
    uint64_t age;          /* of the first packet */
    uint64_t outputs;      /* that the first waits for, as in struct
                            * nb_credit_input */
    uint32_t first, last;  /* NB_NONE: none */
    uint32_t count;        /* packets born that have not left */
    uint32_t counted;      /* packets that may leave and were reported to the
                            * scheme, from the first on .. */
    uint32_t last_counted; /* .. the last one */
    uint64_t sent;   /* of a terminal: the cycle after the one in which it sends
                      * the last flit of the packet in front */
    bool is_leaving; /* the packet before the first is in a place */
};

/* A virtual channel with its own output buffer, indexed by the input behind
 * it. */
struct nb_credit_lane {
    /* Flits in the input, including its pipeline; with credits also those whose
     * credits it has not sent back. */
    uint32_t filled;
    uint32_t first, count; /* of the output buffer before it */
};

/* The request to an output of a switch: separable allocation. */
struct nb_credit_asked {
    uint64_t place; /* of the input; the lowest is taken first */
    uint32_t input; /* NB_NONE: none */
};

/* The hop that a head asks for. */
struct nb_credit_wish {
    uint32_t output;
    uint64_t available;   /* virtual channels of it; 0: it has to wait */
    uint64_t outputs;     /* all that are permitted, modulo 64 */
    nb_route_state state; /* after the hop .. */
    uint32_t memory;      /* .. and what the packet remembers then */
};

/* A head that asks for a virtual channel. */
struct nb_credit_head {
    uint64_t age;
    uint32_t number; /* of its input, or of its list */
    bool is_in_list;
};

/* Owns its arrays. */
struct nb_credit {
    uint32_t virtual_channels;
    uint32_t messages; /* injection queues per terminal: requests, replies */
    uint32_t networks; /* disjoint sets of virtual channels */
    /* [network * classes + class] its virtual channels, one bit each */
    uint64_t channels_of[NB_MOST_VC_CLASSES];
    uint8_t class_of[64]; /* of a virtual channel: its place in channels_of */
    uint32_t *port_of;    /* [input among a router's ports] the port: dividing
                           * by virtual_channels would take as long as all the
                           * rest */
    bool is_by_age;
    bool is_separable;
    bool is_by_packet; /* allocation of whole packets */
    bool is_transit_first;
    bool has_lanes;    /* output buffers per virtual channel: credit_flow.c */
    bool has_messages; /* flow control without credits .. */
    bool is_by_class;  /* .. for all virtual channels of a class at once */
    bool is_adaptive;
    bool is_cut_through;
    bool is_alone;      /* a long packet needs an empty buffer: for the reason
                         * see credit_heads.c */
    bool has_lists;     /* injection queues by destination and start */
    bool has_far;       /* some channels have their own latency */
    bool is_begun_anew; /* a head's start is chosen each time it bids .. */
    bool is_begun_once; /* .. or when it comes to the front of its source */
    uint32_t shortest, longest; /* [flit] packet */
    uint32_t output_buffer, speedup;

    size_t input_count, router_count, output_count;
    struct nb_credit_input *inputs;
    struct nb_credit_link *links; /* [input] */
    struct nb_credit_router *routers;
    struct nb_credit_output *outputs;
    struct nb_credit_lane *lanes; /* [input] if there are any */
    uint8_t *turn;    /* [channel] in turn: the input behind it that is first */
    uint32_t *length; /* [output] waiting flits: see credit_queue */
    uint64_t *served; /* [input] with the least recently served first: number of
                       * times that inputs were taken until it was; else
                       * NULL */
    uint64_t taken_count;
    uint64_t *passed; /* [output] packets whose heads have passed the switch */
    uint64_t *bits;   /* all sets of inputs and of outputs */
    uint64_t *taken;  /* scratch: set of a router's inputs */
    uint64_t *eligible; /* scratch: the same, for separable allocation */
    uint64_t *asking;   /* [router] a bit each: heads may find a target */
    uint64_t *bidding;  /* [router] a bit each: inputs bid */
    uint64_t *stuck;    /* scratch set of all inputs: watchdog.c */
    uint64_t *loaded;   /* [output] a bit each: flits in its output buffer */
    struct nb_credit_part *parts;    /* rings of [channel, virtual channel] */
    struct nb_credit_flit *buffered; /* [output, output_buffer]; with output
                                      * buffers per virtual channel [output,
                                      * virtual channel, ..] */
    struct nb_credit_head *heads;    /* scratch: for the heads of any router */
    struct nb_credit_asked *named;   /* scratch: by output of a router */
    struct nb_credit_wish *wishes;   /* scratch: by input of a router, if whole
                                      * packets pass */
    struct nb_credit_lines lines[2]; /* of channels with the first and second
                                      * latency */
    size_t lists_each;               /* of a router */
    size_t list_count;
    struct nb_credit_list *lists;
    uint32_t *active; /* [router, lists_each] lists, sorted by age of the head,
                       * oldest first */
    uint32_t born_first, born_last; /* packets that do not bid yet */
    uint64_t born_flits;
    uint64_t ended_flits; /* arrived at their last router before their tails */
    uint64_t moved;       /* the last cycle in which a switch passed a flit */
    struct nb_pool pool;  /* of all arrays */
};

/* struct nb_engine */
enum nb_status nb_credit_build(struct nb_network *network,
                               struct nb_error *err);
void nb_credit_release(struct nb_network *network);

/* The virtual channels in which a packet may wait for a hop.
 * memory  out: what the packet remembers after the hop */
uint64_t nb_credit_permitted_to(const struct nb_network *network,
                                uint32_t packet, const struct nb_vc_hop *hop,
                                uint32_t *memory);
uint64_t nb_credit_permitted(const struct nb_network *network, uint32_t packet,
                             uint32_t router, uint32_t channel,
                             uint32_t *memory);
/* The credits a packet needs for a virtual channel behind an output. */
uint32_t nb_credit_need(const struct nb_credit *credit,
                        const struct nb_credit_output *out, uint32_t flits);
/* Whether a packet that comes to a router leaves the network there. */
bool nb_credit_is_end(struct nb_network *network, uint32_t packet,
                      uint32_t router);
/* A packet has come to the front of an input, whose packet and flits are
 * set. */
void nb_credit_face(struct nb_network *network, uint32_t input);
/* Counts the heads at a router's sources as blocked if they got no virtual
 * channel in this cycle. */
void nb_credit_block(struct nb_network *network, uint32_t router);
/* The hop that the head in front of an input asks for, now that no packet
 * passes to it. */
void nb_credit_wish(struct nb_network *network, uint32_t input,
                    struct nb_credit_wish *out);
/* It gets that hop, and the best of the virtual channels. */
void nb_credit_fulfil(struct nb_network *network, uint32_t input,
                      const struct nb_credit_wish *wish);
/* Gives virtual channels to the heads of a router. */
void nb_credit_allocate(struct nb_network *network, uint32_t router);

/* A packet is born. */
void nb_credit_announce(struct nb_network *network, uint32_t packet);
/* A packet may leave its source from this cycle on. */
void nb_credit_enlist(struct nb_network *network, uint32_t packet);
/* The packet in a place at a source has left: the next one may bid; false if
 * there is none. */
bool nb_credit_leave(struct nb_network *network, uint32_t place);
/* struct nb_engine */
uint32_t nb_credit_waiting(const void *network, uint32_t source,
                           uint32_t destination, size_t start);

/* An input begins to have both a flit and a credit for it, or ceases to. */
void nb_credit_bid(struct nb_credit *credit, uint32_t input);
/* One pass of a router's switch. pass: 0 .. speedup - 1 */
void nb_credit_switch(struct nb_network *network, uint32_t router,
                      uint32_t pass);
/* Sends requests that now have room for their replies to their terminals. */
void nb_credit_wake(struct nb_network *network);
/* The terminal takes the flits present of the packet in front of an input; it
 * has room for the reply. */
void nb_credit_swallow(struct nb_network *network, uint32_t input);
/* Sends from an output's buffer as far as its tokens allow. */
void nb_credit_drain(struct nb_network *network, uint32_t output);

/* Flow control without credits. land, leave: a flit has come to an input's
 * pipeline, or left the input; hear: its message has reached the router before
 * it; put: a flit has passed the switch; take: the next flit of an output that
 * may send one. */
void nb_credit_flow_land(struct nb_credit *credit, uint32_t input);
void nb_credit_flow_leave(struct nb_credit *credit, uint32_t input);
void nb_credit_flow_hear(struct nb_credit *credit, struct nb_credit_flit flit);
void nb_credit_flow_put(struct nb_credit *credit, struct nb_credit_flit flit);
/* A flit of a virtual channel's output buffer; index: counted from its
 * first. */
struct nb_credit_flit nb_credit_flow_look(const struct nb_credit *credit,
                                          uint32_t input, uint32_t index);
struct nb_credit_flit nb_credit_flow_take(struct nb_credit *credit,
                                          uint32_t output);
/* A flit starts on its channel. */
void nb_credit_flow_send(struct nb_credit *credit, struct nb_credit_flit flit);
/* A credit has come back. */
void nb_credit_flow_refund(struct nb_credit *credit, uint32_t input);
/* A place for a flit behind an output is free again: credit.c. */
void nb_credit_return(struct nb_credit *credit, uint32_t input);

/* struct nb_engine; credit_sample.c */
uint64_t nb_credit_passed(const void *network, uint32_t channel);
uint32_t nb_credit_latency(const void *network, uint32_t channel);
bool nb_credit_sample(const void *network, uint32_t channel, bool is_input,
                      uint64_t drawn, struct nb_sample *out);

/*
 * Looks for a deadlock from time to time, at the end of a cycle. Starts from
 * the buffers whose front has not moved for long and repeatedly removes those
 * whose front may go on: to a virtual channel that is free for it, or will be
 * since its buffer is not in the set. A head waits for all virtual channels of
 * all permitted hops, the flits behind it for the one that it holds. The
 * buffers that remain wait only for each other.
 *
 * Errors: NB_INVALID naming a cycle of channels.
 */
enum nb_status nb_watchdog_look(struct nb_network *network,
                                struct nb_error *err);

/* Virtual channels to which an output must not send now. */
static inline uint64_t nb_credit_held(const struct nb_credit_output *out)
{
    return out->paused & ~out->begun;
}

static inline void nb_credit_push(struct nb_credit_line *line, uint32_t input,
                                  uint32_t packet)
{
    line->flits[line->end++ & line->mask] =
        (struct nb_credit_flit){ .input = input, .packet = packet };
}

/* Sends a credit back over the channel that ends at an input. */
static inline void nb_credit_send_back(struct nb_credit *credit, uint32_t input)
{
    const uint32_t channel = credit->inputs[input].channel;
    if (credit->has_messages)
        return;
    nb_credit_push(&credit->lines[credit->outputs[channel].is_far].credits,
                   input, 0);
}

/* The index-th output of a router. */
static inline uint32_t
nb_credit_output_of(const struct nb_network *network,
                    const struct nb_credit_router *router, uint32_t number,
                    uint32_t index)
{
    const struct nb_topology *topology = network->topology;
    return index < router->channel_count ? topology->out_start[number] + index
                                         : (uint32_t)topology->channel_count +
                                               network->terminal_start[number] +
                                               index - router->channel_count;
}

/* The index-th part of the ring behind the packet in front. */
static inline struct nb_credit_part *
nb_credit_part_of(const struct nb_credit *credit, uint32_t input,
                  uint32_t index)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    const struct nb_credit_output *out = &credit->outputs[in->channel];
    const uint32_t room = out->ring - in->first;
    return &credit->parts[out->parts + (input - out->inputs) * out->ring +
                          (index < room ? in->first + index : index - room)];
}

static inline void nb_credit_ask(struct nb_credit *credit, uint32_t router)
{
    credit->asking[router / 64] |= (uint64_t)1 << router % 64;
}

/* A virtual channel of an output has become free. */
static inline void nb_credit_offer(struct nb_credit *credit, uint32_t output)
{
    const uint32_t number = credit->outputs[output].router;
    struct nb_credit_router *router = &credit->routers[number];
    if (router->head_count + router->active > 0) {
        router->offered |= (uint64_t)1 << output % 64;
        nb_credit_ask(credit, number);
    }
}

#endif
