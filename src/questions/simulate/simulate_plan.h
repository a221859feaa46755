/* Simulate plan: a network in motion before it moves. */
#ifndef NB_QUESTIONS_SIMULATE_SIMULATE_PLAN_H
#define NB_QUESTIONS_SIMULATE_SIMULATE_PLAN_H

#include "core/unit.h"
#include "questions/simulate/simulate_question.h"

#define NB_SIMULATE_METHOD "simulation, 95 % interval"
#define NB_SIMULATE_SOURCE "LawKelton2000"

/* One of these is needed by the options of the credit router. */
#define NB_WITH_CREDIT "router=credit router=benito router=benito-ethernet"

/* This is needed by the options of the ideal router. */
#define NB_WITH_IDEAL "router=ideal"

/* This is needed by the options of the virtual router. */
#define NB_WITH_VIRTUAL "router=virtual"

#define NB_SIMULATE(field) offsetof(struct nb_simulate_question, field)

/* Rows of option tables (initialisers, as in problem.h) for a question that
 * begins with struct nb_simulate_question. Options that exclude others have no
 * default in the table.
 * WITH  what --virtual-networks goes with, in addition to the virtual router
 * LOAD  the default of --load */
#define NB_OPTIONS_SIMULATED(WITH, LOAD)                                       \
    NB_OPTION_TOPOLOGY(NB_SIMULATE(topology)),                                 \
        NB_OPTION_ROUTING(NB_SIMULATE(routing)),                               \
        { .name = "traffic",                                                   \
          .field = NB_SIMULATE(traffic),                                       \
          .help = "traffic pattern, such as transpose (netbound list "         \
                  "traffics); default uniform",                                \
          .group = NB_GROUP_TRAFFIC,                                           \
          .is_first = true,                                                    \
          .type = NB_WORD,                                                     \
          .initial = "" },                                                     \
        { .name = "allow-inadmissible",                                        \
          .field = NB_SIMULATE(allow_inadmissible),                            \
          .help = "accept a traffic matrix with rows or columns that sum to "  \
                  "more than 1",                                               \
          .group = NB_GROUP_TRAFFIC,                                           \
          .type = NB_FLAG,                                                     \
          .initial = "no" },                                                   \
        { .name = "load",                                                      \
          .field = NB_SIMULATE(load),                                          \
          .help = "offered load as a fraction of capacity, such as 0.7 or "    \
                  "70%; default" LOAD,                                         \
          .group = NB_GROUP_TRAFFIC,                                           \
          .is_first = true,                                                    \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-9,                                                       \
          .most = 1000,                                                        \
          .unit = "fraction" },                                                \
        { .name = "rate",                                                      \
          .field = NB_SIMULATE(rate),                                          \
          .help = "offered packets per terminal and cycle, instead of --load", \
          .group = NB_GROUP_TRAFFIC,                                           \
          .is_first = true,                                                    \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-9,                                                       \
          .most = 1000,                                                        \
          .unit = "packets/cycle",                                             \
          .apart = "load" },                                                   \
        NB_OPTION_CLOCK(NB_SIMULATE(clock)),                                   \
        { .name = "arrivals",                                                  \
          .field = NB_SIMULATE(arrivals),                                      \
          .help = "arrival process, such as onoff:burst=5; default bernoulli", \
          .detail =                                                            \
              "bernoulli, poisson, onoff:burst=5,spread=packet or "            \
              "mmp:alpha=0.1,beta=0.9,low=0 (see: netbound list arrivals).",   \
          .group = NB_GROUP_TRAFFIC,                                           \
          .type = NB_WORD,                                                     \
          .initial = "" },                                                     \
        { .name = "trace",                                                     \
          .field = NB_SIMULATE(trace),                                         \
          .help = "send the packets of this CSV file: cycle, source, "         \
                  "destination, flits",                                        \
          .detail = "Sources and destinations are terminals.",                 \
          .group = NB_GROUP_TRAFFIC,                                           \
          .type = NB_PATH,                                                     \
          .initial = "",                                                       \
          .apart = "traffic load rate arrivals batch flits precision warm-up " \
                   "cycles drain allow-inadmissible" },                        \
        { .name = "batch",                                                     \
          .field = NB_SIMULATE(batch),                                         \
          .help = "instead of a load: each terminal has this many packets at " \
                  "cycle 0",                                                   \
          .group = NB_GROUP_TRAFFIC,                                           \
          .type = NB_WHOLE,                                                    \
          .counts = "packets",                                                 \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .apart = "load rate arrivals precision warm-up cycles drain" },      \
        { .name = "flits",                                                     \
          .field = NB_SIMULATE(flits),                                         \
          .help = "flits per packet; default 1",                               \
          .group = NB_GROUP_TRAFFIC,                                           \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_TRACE_FLITS },                                            \
        { .name = "router",                                                    \
          .field = NB_SIMULATE(router),                                        \
          .help = "router model",                                              \
          .detail =                                                            \
              "ideal: unbounded output queues.\ncredit: virtual channels "     \
              "with buffers and credits.\nchaos: a shared queue in every "     \
              "router, which deflects packets when it is full; needs routing " \
              "chaos.\nvirtual: virtual networks that share a levelled "       \
              "network such as a butterfly.\nbenito: a credit router with "    \
              "the parameters of Benito2020, Table 3-1, in cycles of 1 ns; "   \
              "options that are given replace them.\nbenito-ethernet: the "    \
              "same with Table 4-3, in cycles of 40 ns.",                      \
          .group = NB_GROUP_ROUTER,                                            \
          .is_first = true,                                                    \
          .type = NB_CHOICE,                                                   \
          .initial = "ideal",                                                  \
          .choices = "ideal|credit|chaos|virtual|benito|benito-ethernet" },    \
        { .name = "virtual-networks",                                          \
          .field = NB_SIMULATE(virtual_networks),                              \
          .help = "number of virtual networks",                                \
          .detail =                                                            \
              "Virtual router: each packet is assigned one at random; "        \
              "default 2.\nCredit router: disjoint sets of virtual channels, " \
              "each with all classes of the routing; requests use the first, " \
              "replies the second; default one for both.",                     \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_MOST_VIRTUAL_NETWORKS,                                    \
          .with = NB_WITH_VIRTUAL WITH },                                      \
        { .name = "sharing",                                                   \
          .field = NB_SIMULATE(sharing),                                       \
          .help = "virtual router: how virtual networks share the wires; "     \
                  "default router",                                            \
          .detail =                                                            \
              "router: Randall's scheme; in each round, one virtual network "  \
              "has a network of its own.\nslices: each virtual network in "    \
              "turn has the whole network for a round.\ncycles: each uses "    \
              "every wire in turn, and all share the queues.\nchannels: as "   \
              "cycles, but each has a reserved place.\nseparate: each has "    \
              "its own queues and cycles.",                                    \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "router|slices|cycles|channels|separate",                 \
          .with = NB_WITH_VIRTUAL },                                           \
        { .name = "round",                                                     \
          .field = NB_SIMULATE(round),                                         \
          .help = "virtual router: a round lasts this many cycles per level; " \
                  "default 8",                                                 \
          .detail = "With sharing router or slices. A butterfly with k=2 has " \
                    "log2 N levels for N terminals.",                          \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 2,                                                          \
          .most = NB_MOST_ROUND,                                               \
          .with = NB_WITH_VIRTUAL,                                             \
          .apart = "sharing=cycles sharing=channels sharing=separate" },       \
        { .name = "virtual-names",                                             \
          .field = NB_SIMULATE(virtual_names),                                 \
          .help = "virtual router: number of names for virtual networks",      \
          .detail =                                                            \
              "With sharing router. The networks that send are spread evenly " \
              "over the names. Default: the number of virtual networks.",      \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 0x1p32,                                                      \
          .with = NB_WITH_VIRTUAL,                                             \
          .apart = "sharing=slices sharing=cycles sharing=channels "           \
                   "sharing=separate" },                                       \
        { .name = "refused",                                                   \
          .field = NB_SIMULATE(refused),                                       \
          .help = "virtual router: virtual networks that the terminals "       \
                  "refuse, such as 0..2,7",                                    \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WORD,                                                     \
          .initial = "",                                                       \
          .with = NB_WITH_VIRTUAL },                                           \
        { .name = "arbitration",                                               \
          .field = NB_SIMULATE(arbitration),                                   \
          .help =                                                              \
              "order of service: the oldest packet first (age), or in turn",   \
          .detail = "auto: by age with --router ideal, in turn with credit "   \
                    "and chaos. With --allocation separable or packet also "   \
                    "lrs: the least recently served virtual channel first; "   \
                    "transit: the same, but packets from terminals wait for "  \
                    "all others.",                                             \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|age|turn|lrs|transit" },                            \
        { .name = "allocation",                                                \
          .field = NB_SIMULATE(allocation),                                    \
          .help = "credit router: how the switch matches inputs with outputs", \
          .detail = "greedy (default): one output after another. separable: "  \
                    "every input proposes one packet, then every output "      \
                    "takes one of these; an input or output moves on in its "  \
                    "round robin only when a packet is taken. packet: the "    \
                    "same, once per packet, which then passes the switch "     \
                    "without others between its flits.",                       \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|greedy|separable|packet",                           \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "output-queues",                                             \
          .field = NB_SIMULATE(output_queues),                                 \
          .help = "credit router: flits queue before the switch (channel), "   \
                  "or after it per VC (virtual)",                              \
          .detail =                                                            \
              "channel (default): before the switch, which has one output "    \
              "buffer per channel. virtual: after the switch, in a buffer "    \
              "per virtual channel; flow control without credits needs this.", \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|channel|virtual",                                   \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "congestion",                                                \
          .field = NB_SIMULATE(congestion),                                    \
          .help = "queue that adaptive schemes read: credits in use, output "  \
                  "queue or waiting",                                          \
          .detail =                                                            \
              "Credit router: credits (default), those in use for flits "      \
              "before, on and after the channel; output, the flits in the "    \
              "output buffer.\nIdeal router: output (default), all flits of "  \
              "the output queue; waiting, those without the packet in "        \
              "transmission.",                                                 \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|credits|output|waiting",                            \
          .with = NB_WITH_IDEAL " " NB_WITH_CREDIT },                          \
        { .name = "slot-order",                                                \
          .field = NB_SIMULATE(slot_order),                                    \
          .help = "ideal router: in a cycle, packets in transit join queues "  \
                  "first, or all at random",                                   \
          .detail =                                                            \
              "transit (default): packets in transit, the oldest first, then " \
              "new packets. random: all of them in random order. Each sees "   \
              "the packets before it.",                                        \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "transit|random",                                         \
          .with = NB_WITH_IDEAL },                                             \
        { .name = "flow-control",                                              \
          .field = NB_SIMULATE(flow_control),                                  \
          .help =                                                              \
              "credit router: what prevents buffer overflow; default credits", \
          .detail = "xon-xoff: messages stop and restart each virtual "        \
                    "channel. pause: they stop and restart all virtual "       \
                    "channels of a class together, as in Ethernet.",           \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "credits|xon-xoff|pause",                                 \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "xoff",                                                      \
          .field = NB_SIMULATE(xoff),                                          \
          .help = "occupancy of a virtual channel buffer, in flits, at which " \
                  "to send XOFF",                                              \
          .detail = "Default: the largest that loses nothing.",                \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = "flow-control=xon-xoff flow-control=pause" },                \
        { .name = "xon",                                                       \
          .field = NB_SIMULATE(xon),                                           \
          .help = "occupancy of a virtual channel buffer, in flits, below "    \
                  "which to send XON",                                         \
          .detail = "Default: the flits of a round trip and the pipeline, or " \
                    "xoff if that is less.",                                   \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = "flow-control=xon-xoff flow-control=pause" },                \
        { .name = "switching",                                                 \
          .field = NB_SIMULATE(switching),                                     \
          .help = "credit router: forward when there is room for the packet, " \
                  "or for one flit",                                           \
          .detail = "cut-through (default): when there is room for the whole " \
                    "packet. wormhole: when there is room for one flit.",      \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "cut-through|wormhole",                                   \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "vcs",                                                       \
          .field = NB_SIMULATE(vcs),                                           \
          .help = "credit router: virtual channels per channel; default: "     \
                  "what the routing needs",                                    \
          .group = NB_GROUP_ROUTER,                                            \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_MOST_VC_CLASSES,                                          \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "buffer",                                                    \
          .field = NB_SIMULATE(buffer),                                        \
          .help = "flits per input buffer; not with --router ideal",           \
          .detail = "Credit router: per virtual channel; default 8, or the "   \
                    "longest packet if that is longer. Chaos router: per "     \
                    "channel; default the longest packet. Virtual router: "    \
                    "per virtual network on its wires; default 2.",            \
          .group = NB_GROUP_ROUTER,                                            \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = NB_WITH_CREDIT " router=chaos " NB_WITH_VIRTUAL },           \
        { .name = "buffer-total",                                              \
          .field = NB_SIMULATE(buffer_total),                                  \
          .help = "instead of --buffer: flits per channel, divided among its " \
                  "virtual channels",                                          \
          .detail =                                                            \
              "Credit router: flits per channel, shared evenly by its "        \
              "virtual channels. Virtual router: the packets that all queues " \
              "of an input hold together. With sharing router, half of them "  \
              "are in each of its two networks; with channels, one place is "  \
              "reserved for each virtual network, and all share the rest; "    \
              "with separate, each virtual network has an equal part.",        \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e8,                                                         \
          .with = NB_WITH_CREDIT " " NB_WITH_VIRTUAL,                          \
          .apart = "buffer" },                                                 \
        { .name = "output-buffer",                                             \
          .field = NB_SIMULATE(output_buffer),                                 \
          .help = "flits per output buffer; credit or chaos router",           \
          .detail = "Credit router: default 1; with --output-queues virtual, " \
                    "per virtual channel, the longest packet. Chaos router: "  \
                    "default the longest packet.",                             \
          .group = NB_GROUP_ROUTER,                                            \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = NB_WITH_CREDIT " router=chaos" },                            \
        { .name = "shared-queue",                                              \
          .field = NB_SIMULATE(shared_queue),                                  \
          .help = "chaos router: shared queue, in flits per channel between "  \
                  "routers; default 96",                                       \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = "router=chaos" },                                            \
        { .name = "speedup",                                                   \
          .field = NB_SIMULATE(speedup),                                       \
          .help = "credit router: flits per cycle that the switch moves at "   \
                  "each port; default 1",                                      \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 64,                                                          \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "pipeline",                                                  \
          .field = NB_SIMULATE(pipeline),                                      \
          .help = "credit router: cycles that a flit spends in each router "   \
                  "before the switch; default 0",                              \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .most = 1000,                                                        \
          .unit = "cycles",                                                    \
          .also = "router-delay",                                              \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "channel-latency",                                           \
          .field = NB_SIMULATE(channel_latency),                               \
          .help = "credit router: cycles that a flit or credit takes over a "  \
                  "channel; default 1",                                        \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 10000,                                                       \
          .unit = "cycles",                                                    \
          .also = "link-latency",                                              \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "global-latency",                                            \
          .field = NB_SIMULATE(global_latency),                                \
          .help = "credit router: cycles on a channel between groups; "        \
                  "default: --channel-latency",                                \
          .detail = "Default: that of the other channels.",                    \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 10000,                                                       \
          .unit = "cycles",                                                    \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "global-buffer",                                             \
          .field = NB_SIMULATE(global_buffer),                                 \
          .help = "credit router: input buffer of a channel between groups; "  \
                  "default: --buffer",                                         \
          .detail = "Default: that of the other channels.",                    \
          .group = NB_GROUP_ROUTER,                                            \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "seed",                                                      \
          .field = NB_SIMULATE(seed),                                          \
          .help = "seed of the random-number generator",                       \
          .group = NB_GROUP_MEASUREMENT,                                       \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .initial = "1",                                                      \
          .most = 0x1p53 },                                                    \
        { .name = "replications",                                              \
          .field = NB_SIMULATE(replications),                                  \
          .help = "independent simulations",                                   \
          .group = NB_GROUP_MEASUREMENT,                                       \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .initial = "4",                                                      \
          .least = 1,                                                          \
          .most = 1000 },                                                      \
        { .name = "warm-up",                                                   \
          .field = NB_SIMULATE(warm_up),                                       \
          .help = "cycles before measurement; default auto: until the "        \
                  "packets in transit settle",                                 \
          .group = NB_GROUP_MEASUREMENT,                                       \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .choices = "auto",                                                   \
          .most = 1e12,                                                        \
          .unit = "cycles" },                                                  \
        { .name = "cycles",                                                    \
          .field = NB_SIMULATE(cycles),                                        \
          .help = "cycles measured per replication; default auto: 2048 to "    \
                  "51200, by network size",                                    \
          .detail = "A larger network is measured for fewer cycles.",          \
          .group = NB_GROUP_MEASUREMENT,                                       \
          .is_first = true,                                                    \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .choices = "auto",                                                   \
          .least = NB_SIMULATE_BATCHES,                                        \
          .most = 1e12,                                                        \
          .unit = "cycles" },                                                  \
        { .name = "precision",                                                 \
          .field = NB_SIMULATE(precision),                                     \
          .help = "simulate until the mean latency has this relative "         \
                  "precision, such as 0.01",                                   \
          .group = NB_GROUP_MEASUREMENT,                                       \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-6,                                                       \
          .most = 1,                                                           \
          .unit = "fraction" },                                                \
        { .name = "drain",                                                     \
          .field = NB_SIMULATE(drain),                                         \
          .help =                                                              \
              "continue until all measured packets have arrived; default yes", \
          .group = NB_GROUP_MEASUREMENT,                                       \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "yes|no" },                                               \
    {                                                                          \
        .name = "age-limit", .field = NB_SIMULATE(age_limit),                  \
        .help = "age in cycles at which a packet counts as stuck: the run "    \
                "then ends",                                                   \
        .group = NB_GROUP_MEASUREMENT, .type = NB_WHOLE, .initial = "",        \
        .least = 1, .most = 1e15, .unit = "cycles"                             \
    }

enum { NB_SIMULATE_BATCHES = 32 }; /* cycles are a multiple of it */

/* Builds the network, its traffic and the scheme, and sets the options of a
 * named router. Errors: those of nb_problem_open; NB_INVALID for a scheme that
 * does not choose paths. */
enum nb_status nb_simulate_open(const struct nb_simulate_question *asked,
                                const struct nb_run *run,
                                struct nb_simulate_told *out,
                                struct nb_error *err);

/* [cycle] Default limit of what a search measures at a rate: a multiple of one
 * load's cycles in a small network, less in a large one. */
uint64_t nb_simulate_longest(const struct nb_simulate_told *told, int times);

/* Sets the plan of an opened question; nb_simulate_told_release frees it.
 * Errors: those of nb_simulate_ask. */
enum nb_status nb_simulate_plan(struct nb_simulate_told *out,
                                struct nb_error *err);

/* Reads when packets are sent, at a given rate. text: of an option; NULL:
 * bernoulli. Errors: those of nb_arrivals_read. */
enum nb_status nb_simulate_read_arrivals(const char *text,
                                         struct nb_injection *injection,
                                         struct nb_error *err);

/*
 * Reads the option step into the plan: "CYCLE:OPTION=VALUE,...;...". A step
 * changes only what it names.
 *
 * out  its plan's injection, traffic and cycles are set
 *
 * Errors: NB_USAGE or NB_INVALID naming the step and what is permitted; those
 * of the builders.
 */
enum nb_status nb_simulate_read_steps(struct nb_simulate_told *out,
                                      struct nb_error *err);
void nb_simulate_release_steps(struct nb_simulate_told *told);

/* [flit/cycle] The load as a double. */
double nb_simulate_load(const struct nb_simulate_told *told);

/* Adds the note router, which describes it. */
void nb_simulate_note_router(const struct nb_simulate_told *told,
                             struct nb_point *out);

/* Sets the places of each queue of the virtual router from the total at an
 * input, in packets. Errors: NB_INVALID where they are too few. */
enum nb_status nb_simulate_share_places(uint64_t total,
                                        struct nb_simulation *plan,
                                        struct nb_error *err);
/* Adds the number of places at an input of the virtual router. */
void nb_simulate_tell_places(const struct nb_simulate_told *told,
                             struct nb_point *out);

/* Adds the results of virtual networks, if there are any. */
void nb_simulate_tell_virtual(const struct nb_simulate_told *told,
                              struct nb_point *out);
/* The note router of the virtual router. */
void nb_simulate_note_virtual(const struct nb_simulate_told *told,
                              struct nb_point *out);

/* The least latency that this share of the packets does not exceed, with an
 * interval by order statistics; result must have packets that arrived. */
struct nb_interval
nb_simulate_quantile(const struct nb_simulation_result *result, double share);

#endif
