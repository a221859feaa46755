/*
 * Simulation: a network, cycle by cycle and flit by flit, along the routes of
 * the scheme's own step function.
 */
#ifndef NB_SIM_SIM_H
#define NB_SIM_SIM_H

#include "core/parallel.h"
#include "routing/vc_classes.h"
#include "sim/rate_limit.h"
#include "sim/statistics.h"
#include "sim/trace.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

enum nb_router_model {
    NB_ROUTER_IDEAL,   /* unbounded output queues: Singh2005, section 3.3.1 */
    NB_ROUTER_CREDIT,  /* input-queued virtual channels with credits */
    NB_ROUTER_CHAOS,   /* a shared queue, and deflection where it is full */
    NB_ROUTER_VIRTUAL, /* of a levelled network shared by virtual networks */
};

/* How virtual networks share a levelled network: Randall1994, chapter 2. */
enum nb_sharing {
    NB_SHARE_ROUTER,   /* the virtual router: one of them in its own logical
                        * network, all others in another one on the same
                        * wires */
    NB_SHARE_SLICES,   /* the whole network for one round each, in turn */
    NB_SHARE_CYCLES,   /* each wire by the clock, or the next that can send;
                        * common queues */
    NB_SHARE_CHANNELS, /* each wire to the next one with a packet; a reserved
                        * place for each in addition to common queues */
    NB_SHARE_SEPARATE, /* a part of each wire and separate queues */
};

enum {
    NB_MOST_VIRTUAL_NETWORKS = 4096,
    NB_MOST_ROUND = 1000000, /* cycles for each level */
    NB_SMALL_KEYS = 32,      /* a of theorem 3, for its probability */
};

/* The parameters of the virtual router's model in addition to struct
 * nb_router. */
struct nb_virtual {
    enum nb_sharing sharing;
    uint32_t networks; /* 1 .. NB_MOST_VIRTUAL_NETWORKS: a packet's is drawn */
    /* [networks] ascending, below names: the order of tokens */
    uint64_t names;       /* >= networks; 0: equal to networks */
    const uint64_t *name; /* NULL: spread evenly */
    /* Cycles of a round for each level of switches; for slices and the router.
     * Half of them are for packets. */
    struct nb_ratio round;
    const bool *refused; /* [networks] whose packets no terminal takes; NULL:
                          * none */
    /* a: of C packets that are to pass the busiest switch as a round begins,
     * those with the least a d / C of all keys are small, d being its levels;
     * 0: packets at switches are not counted. */
    uint32_t small;
};

enum nb_arbitration {
    NB_OLDEST_FIRST, /* by the cycle of birth, ties at random */
    NB_IN_TURN,      /* ideal: first come, first served; credit: round robin */
    /* Credit with separable allocation: of the virtual channels that bid, the
     * one that passed a packet or flit longest ago, or sources only where no
     * other one bids. */
    NB_LEAST_RECENT,
    NB_TRANSIT_FIRST,
};

/* How the switch of a credit router matches inputs with outputs. */
enum nb_allocation {
    NB_ALLOCATION_GREEDY, /* one output after another takes what is left */
    /* Every input proposes one of its packets, then every output takes one of
     * those proposed. In turn: a turn moves only when both agree. */
    NB_ALLOCATION_SEPARABLE,
    /* Separable, once per packet: a packet that is taken keeps its input port
     * and its output until its tail has passed. A head gets its virtual channel
     * only then, and a source is an input port that passes what its terminal
     * has sent, at most one flit per cycle, as fast as any other. Cut-through,
     * without injection queues. */
    NB_ALLOCATION_PACKET,
};

/* How a credit router keeps the buffer behind a channel from overflowing. */
enum nb_flow_control {
    NB_CREDITS,  /* a flit is sent where its place is known to be free */
    NB_XON_XOFF, /* until the buffer of a virtual channel says stop */
    NB_PAUSE,    /* the same, for all virtual channels of a class at once, and
                  * only between packets, like Ethernet's priority pause
                  * frames */
};

/* What a scheme is shown as the queue of a channel. */
enum nb_congestion {
    NB_CONGESTION_CREDITS, /* credits that are not available: for flits before
                            * the channel, on it, behind it, or on their way
                            * back */
    NB_CONGESTION_OUTPUT,  /* flits in the output buffer before it */
    NB_CONGESTION_WAITING, /* ideal: flits of packets before it, without the
                            * one in transmission */
};

/* The order in which packets that come to an ideal router in a cycle join its
 * queues, and compare them: each sees those that joined before. */
enum nb_slot_order {
    NB_SLOT_TRANSIT, /* packets in transit, the oldest first, then new ones */
    NB_SLOT_RANDOM,  /* all in random order */
};

/* Where flits of a credit router wait for room behind a channel, and what an
 * output buffer belongs to. */
enum nb_output_queues {
    NB_OUTPUT_OF_CHANNEL, /* before the switch: what has passed it goes on */
    NB_OUTPUT_OF_VIRTUAL, /* behind it, in one buffer per virtual channel */
};

enum nb_switching {
    NB_CUT_THROUGH, /* a packet goes on when all of it has room */
    NB_WORMHOLE,    /* when one flit has */
};

/*
 * A router. Without queues a hop takes pipeline + channel_latency cycles and
 * the flits after a packet's first one cycle each; delivery is free.
 * The ideal one has latency 1, pipeline 0 and no buffers to be set; the chaos
 * router latency 1, pipeline 0, no virtual channels and buffers of whole
 * packets.
 */
struct nb_router {
    enum nb_router_model model;
    enum nb_arbitration arbitration;
    enum nb_switching switching;
    uint32_t virtual_channels; /* per channel; 0: one for each class */
    /* Credit: number of disjoint sets of virtual channels; message m uses set m
     * modulo this number: requests are message 0, replies 1. 0: one for all. */
    uint32_t virtual_networks;
    uint32_t buffer;          /* [flit] of each virtual channel's input */
    uint32_t output_buffer;   /* [flit] of each channel; >= 1 */
    uint32_t speedup;         /* flits an input or output passes per cycle */
    uint32_t pipeline;        /* [cycle] in a router before the switch */
    uint32_t channel_latency; /* [cycle] of flits, and of credits; >= 1 */
    uint32_t shared_queue;    /* [flit] chaos: per outgoing channel */
    /* Credit: as channel_latency and buffer, for channels between groups; 0:
     * the same as for all others. */
    uint32_t global_latency, global_buffer;
    enum nb_allocation allocation;
    enum nb_flow_control flow_control;
    /* [flit] in the buffer of a virtual channel: it says stop from xoff on, and
     * go on below xon; 0: nb_flow_thresholds_find. Not with credits. */
    uint32_t xon, xoff;
    enum nb_output_queues output_queues; /* of virtual channels without
                                          * credits */
    enum nb_congestion congestion; /* ideal: of CREDITS and OUTPUT, both are all
                                    * flits before the channel */
    enum nb_slot_order slot_order;
};

/* Where a buffer says stop. */
struct nb_flow_thresholds {
    uint32_t xon, xoff; /* [flit] */
    uint32_t buffer;    /* [flit] */
    double sent;        /* [flit] that may still come once the buffer reaches
                         * xoff, including the one that fills it */
    double most;        /* xoff with which nothing is lost: buffer + 1 - sent */
};

/* The places for packets at an input: the total of all virtual networks'
 * reserved places, and the number of queues of router.buffer. */
struct nb_places {
    uint32_t reserved;
    uint32_t queues;
};

enum nb_injection_kind {
    NB_INJECT_BERNOULLI, /* the integer part of rate, and one more with
                          * probability of the rest */
    NB_INJECT_POISSON,   /* a Poisson number each cycle */
    NB_INJECT_ONOFF,     /* bursts of geometric length, one packet per cycle */
    NB_INJECT_TRACE,     /* the packets of a list */
    NB_INJECT_BATCH,     /* all at cycle 0 */
    NB_INJECT_MMP,       /* one with the probability of the source's state */
};

struct nb_injection {
    enum nb_injection_kind kind;
    double rate;       /* [packet/cycle] of a terminal whose row sums to 1 */
    double burst;      /* [packet] mean length, >= 1 */
    bool is_burst_one; /* a burst has one destination; otherwise each packet */
    uint32_t batch;    /* [packet] number per terminal that sends */
    uint32_t flits;    /* [flit] per packet; a trace has its own */
    const struct nb_trace *trace;
    /* For NB_INJECT_MMP: the probabilities per cycle to enter and to leave the
     * bursty state, 0 < alpha, beta <= 1; the rate in the other state as a
     * fraction of that in the bursty one, 0 <= low <= 1. */
    double alpha, beta, low;
};

enum nb_end {
    NB_END_NEVER,     /* after all cycles */
    NB_END_SATURATED, /* once it is certainly saturated: an eighth of the
                       * cycles, or more, measure what it carries */
    NB_END_DECIDED,   /* once it is certain whether it is saturated */
};

/* What terminals send from a cycle of a run on, by a rate; the length of
 * packets does not change. */
struct nb_step {
    uint64_t cycle; /* from the first measured one, 0, on; >= 1 */
    struct nb_injection injection;
    const struct nb_traffic *traffic;
};

/* What to simulate; everything pointed to is borrowed. */
struct nb_simulation {
    const struct nb_topology *topology;
    const struct nb_routing *routing;
    const struct nb_traffic *traffic;
    struct nb_router router;
    struct nb_virtual virtual_router; /* of NB_ROUTER_VIRTUAL */
    struct nb_injection injection;
    uint64_t seed;
    uint32_t replications; /* >= 1, each with its own random stream */
    uint64_t warm_up;      /* [cycle]; NB_WARM_UP_FOUND: until there is no
                            * transient */
    uint64_t cycles;       /* [cycle] measured per replication; >= 1 */
    double precision;      /* half-width over mean latency at which to stop; 0:
                            * exactly the cycles given */
    uint64_t most_cycles;  /* [cycle] maximum measured with a precision */
    bool is_drained;       /* go on until all measured packets have arrived */
    uint64_t age_limit;    /* [cycle] a packet may live; 0: no limit */
    uint32_t packet_limit; /* packets under way at once; more means
                            * saturation */
    enum nb_end end;       /* when it may end before all cycles are measured */
    struct nb_rate_limit limit; /* its rate 0: none is known */

    /* [packet] Every terminal answers each request that it takes by a reply,
     * and has room for this number of replies; 0: there are no replies. */
    uint32_t reply_buffer;

    bool has_depths;  /* queue depths */
    bool has_reorder; /* reorder buffers */
    /* Only latencies of packets between these routers; NB_NONE: of all. */
    uint32_t pair_source, pair_target;
    const bool *asked; /* [router] whose fairness is measured; NULL: none */
    double starved;    /* fraction of the mean share below which one starves */
    uint32_t window;   /* [cycle] per row of the series; 0: no series */
    size_t step_count; /* with steps, neither stability nor least is found */
    const struct nb_step *steps; /* [step_count] of ascending cycles */
};

#define NB_WARM_UP_FOUND UINT64_MAX

enum nb_stability {
    NB_STABLE,
    NB_SATURATED,
    NB_UNDECIDED, /* neither is certain */
};
extern const char *const nb_stability_names[];

/* What arrived in a window: over the replications, which give the intervals.
 * Mean NAN if nothing arrived. */
struct nb_window {
    struct nb_estimate accepted; /* as in the result */
    struct nb_estimate latency;
    struct nb_estimate minimal;
    struct nb_estimate level; /* of the scheme's sets of intermediate routers,
                               * from 1; 0 for packets that go straight */
};

/* The quantities followed window by window. */
enum nb_course {
    NB_COURSE_ACCEPTED, /* [flit/cycle] per terminal */
    NB_COURSE_LATENCY,  /* [cycle] */
    NB_COURSE_MINIMAL,  /* share of packets */
    NB_COURSE_LEVEL,    /* as in a window */
    NB_COURSES
};

/*
 * How long a course takes to settle after a step: from the step to the end of
 * the last window whose mean is not within 5 % of the level, which is the mean
 * of the last quarter of the windows before the next step or the end. 0: there
 * is no such window; +inf: a half of that quarter is outside, or one of its
 * windows certainly is. The interval is from the beginning of the last window
 * that is certainly outside to the end of the last one that is not certainly
 * within, by the replications. Not reported with fewer than 8 windows, or if
 * the level is 0 or undefined.
 */
struct nb_response {
    uint64_t cycle; /* of the step; 0: from the beginning */
    enum nb_course course;
    double level;
    struct nb_interval time; /* [cycle] */
};

enum nb_starved { NB_FED, NB_STARVED, NB_PERHAPS_STARVED };

/*
 * How fairly routers share: those that the plan asks about and that send, if
 * that is known. Rates are those of their terminals. If the network is is_met,
 * all get what they demand; NAN: the demand is not known.
 */
struct nb_fairness {
    struct nb_interval mean;        /* [flit/cycle] */
    struct nb_interval ratio;       /* of the largest rate to the least */
    struct nb_interval jain;        /* index: (sum x)^2 / (n sum x^2) */
    struct nb_interval share;       /* of what they demand */
    struct nb_interval share_least; /* the same for the router that gets
                                     * least */
    /* Routers whose share is below a fraction (starved of the plan) of share:
     * from those that certainly are, all of them at once, to those that may
     * be. */
    struct nb_interval starved;
    uint8_t *is_starved; /* [router] enum nb_starved. Owned. */
};

/* What virtual networks get on a levelled network, and the cost. Owns its
 * array. */
struct nb_virtual_result {
    size_t network_count;            /* 0: none */
    struct nb_estimate *accepted_of; /* [network_count] as in the result */
    /* Of those whose packets terminals take: the least and largest, and Jain's
     * index. */
    struct nb_interval least, most, jain;
    uint64_t cycles;       /* [cycle] of a round; 0: there are none */
    uint64_t rounds;       /* total ended while measuring; in them: */
    uint64_t sent;         /* packets, each time that one leaves its source */
    uint64_t acknowledged; /* number acknowledged, whatever became of them .. */
    uint64_t dropped;      /* .. and to be sent again */
    uint32_t queue;        /* [packet] the longest queue at an input so far */
    uint32_t wait;         /* [round] the longest that a virtual network with
                            * packets was not active */
    uint64_t window;       /* [packet] the fewest that one of V of them with
                            * more to send got through in V + 1 rounds;
                            * UINT64_MAX: each got all through */
    /* Packets still to pass switches as a round began, of the first
     * replication; 0 rounds: not counted. */
    size_t round_count;
    uint32_t *congestion; /* [round_count] packets, at the busiest switch */
    size_t switch_count;
    uint32_t *through;   /* [switch_count] packets as the first round began */
    uint32_t *small;     /* [switch_count] the number with small keys */
    uint64_t small_left; /* small packets that a round did not deliver */
};

/* Rates are of a terminal and in flits; latencies from a packet's birth to
 * its last flit's arrival. Owns its arrays; zero-initialised is empty. */
struct nb_simulation_result {
    enum nb_stability stability;
    const char *evidence; /* the evidence for it; a sentence */
    double carried; /* share of the offered load that a stable network certainly
                     * delivers: 1, or a little less by its growth */
    bool is_met;    /* stable, and no channel always busy: if one is, others may
                     * relieve it of all packets except those of some pairs */
    uint64_t warm_up;    /* [cycle] the longest of a replication */
    uint64_t cycles;     /* [cycle] measured, over all replications */
    uint64_t planned;    /* [cycle] planned; more than measured: it ended
                          * early */
    bool is_full;        /* because there was no room for more packets */
    size_t batches;      /* into which they were divided */
    uint64_t packets;    /* measured packets that arrived */
    uint64_t unfinished; /* measured packets that did not */

    /* A network that is not saturated, but settles so slowly that nothing that
     * depends on its queues has an interval: half_width is +inf, extremes are
     * from 0 to what is possible. Offered load and hops do have intervals. */
    bool is_slow;
    /* The same, but only for latencies and packets under way. */
    bool has_slow_waits;

    struct nb_estimate offered;
    struct nb_estimate accepted;
    double demanded; /* upper bound of accepted; +inf: not known */
    /* Least over pairs of delivered rate / demanded rate, and which pair; pairs
     * of few packets are pooled by source (target NB_NONE). If is_met it is
     * that of all pairs together, as each has what it demands (source NB_NONE).
     * NAN with a trace, batch or steps. */
    struct nb_interval least;
    uint32_t least_source, least_target; /* routers */
    struct nb_estimate latency;          /* [cycle] */
    struct nb_estimate queueing;         /* [cycle] latency minus that without
                                          * queues */
    /* [cycle] from a request's birth to its reply's arrival, and of the reply
     * from its own birth on; NAN: there are no replies */
    struct nb_estimate round_trip, reply_latency;
    struct nb_estimate hops;      /* over channels between routers */
    struct nb_estimate minimal;   /* share of packets on shortest paths */
    struct nb_estimate misrouted; /* share with an intermediate router, however
                                   * long its path; NAN: schemes that have
                                   * none, or may decide again on the way */
    struct nb_estimate in_flight; /* [packet] in the network and at sources */
    /* [cycle] of a trace or batch: its end, mean and maximum */
    struct nb_estimate completion_mean;
    uint64_t completion;

    struct nb_histogram latencies; /* [cycle] */
    /* Queue depths, by class of queue (nb_queue_class_*). */
    size_t class_count;
    struct nb_histogram *depths; /* [class_count] */
    /* The number of later packets that arrived before a packet. */
    struct nb_histogram reorder;
    /* Flits sent per cycle over every channel between routers, then over the
     * channels to terminals where those are limited. */
    size_t queue_count;
    struct nb_estimate *utilisation; /* [queue_count] */
    /* The largest of them: if symmetry makes queues equivalent (sim/flows.h)
     * that of their means. NAN without queues. */
    struct nb_interval busiest;
    size_t busiest_queue; /* the first of busiest_count equivalent ones */
    size_t busiest_count;
    struct nb_estimate *accepted_of; /* [router] flits/cycle/terminal sent by
                                      * its terminals that arrived; mean NAN if
                                      * it has none */
    /* The least and largest of them, or of those asked about: if is_met
     * accepted, split like the demand. */
    struct nb_interval router_least, router_most;
    struct nb_fairness fairness; /* if the plan asks about routers */
    struct nb_virtual_result virtual_networks;
    size_t window_count;
    struct nb_window *series; /* [window_count] from the first measured cycle */
    size_t response_count;
    struct nb_response *responses; /* [response_count] step after step */
};

/*
 * Simulates. The result does not depend on the number of threads.
 *
 * Errors: NB_INVALID if the plan is impossible, naming the value; if packets
 * are deadlocked, naming the channels of the dependency cycle, or outlive the
 * age limit; NB_NO_MEMORY.
 */
enum nb_status nb_simulate(const struct nb_simulation *plan,
                           const struct nb_run *run,
                           struct nb_simulation_result *out,
                           struct nb_error *err);

/* The checks of nb_simulate before it starts. Errors: NB_INVALID. */
enum nb_status nb_simulation_check(const struct nb_simulation *plan,
                                   struct nb_error *err);
void nb_simulation_result_release(struct nb_simulation_result *result);

/* The queues of a network: its channels and, where channels to terminals are
 * limited, those after them in the order of the terminals. */
size_t nb_queue_count(const struct nb_topology *topology);
/* The classes of queue depths: the hops of a fat tree, local and global
 * channels, channels to terminals; otherwise one class. */
size_t nb_queue_class_count(const struct nb_topology *topology);
void nb_queue_class_name(const struct nb_topology *topology, size_t queue_class,
                         char name[32]);
/* The class of a queue; of one beyond the last channel, that of the channels to
 * terminals. */
size_t nb_queue_class(const struct nb_topology *topology, size_t queue);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * The thresholds of a router's channels. Default: xoff is the largest value
 * that loses nothing; xon, if not larger, is what a channel serves until flits
 * come again:
 *
 *     sent = ceil(2 latency bandwidth), and with NB_PAUSE longest - 1
 *     xoff = buffer + 1 - sent
 *     xon = 1 + ceil((2 latency + pipeline) bandwidth)
 *
 * is_global  whether it is a channel between groups
 * longest    [flit] packet
 * out        xoff 0: the buffer is too small for any
 */
void nb_flow_thresholds_find(const struct nb_router *router, bool is_global,
                             struct nb_ratio bandwidth, uint32_t longest,
                             struct nb_flow_thresholds *out);

struct nb_places nb_virtual_places(const struct nb_virtual *plan);

/* The name of a virtual network, below names. */
uint64_t nb_virtual_name(const struct nb_virtual *plan,
                         uint32_t virtual_network);

/* The cyclic distance of a name from the one that was active last: if tokens
 * meet, the least wins. name, after: below names. Source: [Randall1994, section
 * 2.4] */
static inline uint64_t nb_token_rank(uint64_t name, uint64_t after,
                                     uint64_t names)
{
    return name > after ? name - after - 1 : name + names - after - 1;
}

/*
 * [packet/cycle] The mean rate of a Markov-modulated source that sends in every
 * cycle of the bursty state, (alpha + low beta) / (alpha + beta): the upper
 * limit of the load of a terminal. See nb_mmp_most.
 */
double nb_injection_mmp_most(const struct nb_injection *injection);

/*
 * Simulates every replication by itself, with random numbers of its own seed,
 * so that each result is an independent sample.
 *
 * out  [plan->replications] zero-initialised; released by the caller, after a
 *      failure too
 *
 * Errors: those of nb_simulate.
 */
enum nb_status nb_simulate_each(const struct nb_simulation *plan,
                                const struct nb_run *run,
                                struct nb_simulation_result *out,
                                struct nb_error *err);
/* [flit] of the longest packet that is sent; 1 of an empty trace. */
uint32_t nb_most_flits(const struct nb_simulation *plan);
/* [flit] The same of the shortest. */
uint32_t nb_least_flits(const struct nb_simulation *plan);

NB_INTERNAL_END

#endif
