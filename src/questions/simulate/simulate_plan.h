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
        NB_OPTION("traffic", NB_SIMULATE(traffic), TRAFFIC, WORD, "",          \
                  "traffic pattern, such as transpose (netbound list "         \
                  "traffics); default uniform",                                \
                  .is_first = true),                                           \
        NB_OPTION("allow-inadmissible", NB_SIMULATE(allow_inadmissible),       \
                  TRAFFIC, FLAG, "no",                                         \
                  "accept a traffic matrix with rows or columns that sum to "  \
                  "more than 1"),                                              \
        NB_OPTION("load", NB_SIMULATE(load), TRAFFIC, NUMBER, "",              \
                  "offered load as a fraction of capacity, such as 0.7 or "    \
                  "70%; default" LOAD,                                         \
                  .is_first = true, .least = 1e-9, .most = 1000,               \
                  .unit = "fraction"),                                         \
        NB_OPTION("rate", NB_SIMULATE(rate), TRAFFIC, NUMBER, "",              \
                  "offered packets per terminal and cycle, instead of --load", \
                  .is_first = true, .least = 1e-9, .most = 1000,               \
                  .unit = "packets/cycle", .apart = "load"),                   \
        NB_OPTION_CLOCK(NB_SIMULATE(clock)),                                   \
        NB_OPTION("arrivals", NB_SIMULATE(arrivals), TRAFFIC, WORD, "",        \
                  "arrival process, such as onoff:burst=5; default bernoulli", \
                  .detail = "bernoulli, poisson, onoff:burst=5,spread=packet " \
                            "or mmp:alpha=0.1,beta=0.9,low=0 (see: netbound "  \
                            "list arrivals)."),                                \
        NB_OPTION("trace", NB_SIMULATE(trace), TRAFFIC, PATH, "",              \
                  "send the packets of this CSV file: cycle, source, "         \
                  "destination, flits",                                        \
                  .detail = "Sources and destinations are terminals.",         \
                  .apart = "traffic load rate arrivals batch flits precision " \
                           "warm-up cycles drain allow-inadmissible"),         \
        NB_OPTION("batch", NB_SIMULATE(batch), TRAFFIC, WHOLE, "",             \
                  "instead of a load: each terminal has this many packets at " \
                  "cycle 0",                                                   \
                  .counts = "packets", .least = 1, .most = 1e6,                \
                  .apart =                                                     \
                      "load rate arrivals precision warm-up cycles drain"),    \
        NB_OPTION("flits", NB_SIMULATE(flits), TRAFFIC, WHOLE, "",             \
                  "flits per packet; default 1", .counts = "flits",            \
                  .least = 1, .most = NB_TRACE_FLITS),                         \
        NB_OPTION(                                                             \
            "router", NB_SIMULATE(router), ROUTER, CHOICE, "ideal",            \
            "router model",                                                    \
            .detail =                                                          \
                "ideal: unbounded output queues.\ncredit: virtual channels "   \
                "with buffers and credits.\nchaos: a shared queue in every "   \
                "router, which deflects packets when it is full; needs "       \
                "routing chaos.\nvirtual: virtual networks that share a "      \
                "levelled network such as a butterfly.\nbenito: a credit "     \
                "router with the parameters of Benito2020, Table 3-1, in "     \
                "cycles of 1 ns; options that are given replace "              \
                "them.\nbenito-ethernet: the same with Table 4-3, in cycles "  \
                "of 40 ns.",                                                   \
            .is_first = true,                                                  \
            .choices = "ideal|credit|chaos|virtual|benito|benito-ethernet"),   \
        NB_OPTION(                                                             \
            "virtual-networks", NB_SIMULATE(virtual_networks), ROUTER, WHOLE,  \
            "", "number of virtual networks",                                  \
            .detail =                                                          \
                "Virtual router: each packet is assigned one at random; "      \
                "default 2.\nCredit router: disjoint sets of virtual "         \
                "channels, each with all classes of the routing; requests "    \
                "use the first, replies the second; default one for both.",    \
            .least = 1, .most = NB_MOST_VIRTUAL_NETWORKS,                      \
            .with = NB_WITH_VIRTUAL WITH),                                     \
        NB_OPTION(                                                             \
            "sharing", NB_SIMULATE(sharing), ROUTER, CHOICE, "",               \
            "virtual router: how virtual networks share the wires; default "   \
            "router",                                                          \
            .detail =                                                          \
                "router: Randall's scheme; in each round, one virtual "        \
                "network has a network of its own.\nslices: each virtual "     \
                "network in turn has the whole network for a round.\ncycles: " \
                "each uses every wire in turn, and all share the "             \
                "queues.\nchannels: as cycles, but each has a reserved "       \
                "place.\nseparate: each has its own queues and cycles.",       \
            .choices = "router|slices|cycles|channels|separate",               \
            .with = NB_WITH_VIRTUAL),                                          \
        NB_OPTION("round", NB_SIMULATE(round), ROUTER, NUMBER, "",             \
                  "virtual router: a round lasts this many cycles per level; " \
                  "default 8",                                                 \
                  .detail = "With sharing router or slices. A butterfly with " \
                            "k=2 has log2 N levels for N terminals.",          \
                  .least = 2, .most = NB_MOST_ROUND, .with = NB_WITH_VIRTUAL,  \
                  .apart =                                                     \
                      "sharing=cycles sharing=channels sharing=separate"),     \
        NB_OPTION("virtual-names", NB_SIMULATE(virtual_names), ROUTER, WHOLE,  \
                  "", "virtual router: number of names for virtual networks",  \
                  .detail = "With sharing router. The networks that send are " \
                            "spread evenly over the names. Default: the "      \
                            "number of virtual networks.",                     \
                  .least = 1, .most = 0x1p32, .with = NB_WITH_VIRTUAL,         \
                  .apart = "sharing=slices sharing=cycles sharing=channels "   \
                           "sharing=separate"),                                \
        NB_OPTION("refused", NB_SIMULATE(refused), ROUTER, WORD, "",           \
                  "virtual router: virtual networks that the terminals "       \
                  "refuse, such as 0..2,7",                                    \
                  .with = NB_WITH_VIRTUAL),                                    \
        NB_OPTION(                                                             \
            "arbitration", NB_SIMULATE(arbitration), ROUTER, CHOICE, "",       \
            "order of service: the oldest packet first (age), or in turn",     \
            .detail =                                                          \
                "auto: by age with --router ideal, in turn with credit and "   \
                "chaos. With --allocation separable or packet also lrs: the "  \
                "least recently served virtual channel first; transit: the "   \
                "same, but packets from terminals wait for all others.",       \
            .choices = "auto|age|turn|lrs|transit"),                           \
        NB_OPTION("allocation", NB_SIMULATE(allocation), ROUTER, CHOICE, "",   \
                  "credit router: how the switch matches inputs with outputs", \
                  .detail =                                                    \
                      "greedy (default): one output after another. "           \
                      "separable: every input proposes one packet, then "      \
                      "every output takes one of these; an input or output "   \
                      "moves on in its round robin only when a packet is "     \
                      "taken. packet: the same, once per packet, which then "  \
                      "passes the switch without others between its flits.",   \
                  .choices = "auto|greedy|separable|packet",                   \
                  .with = NB_WITH_CREDIT),                                     \
        NB_OPTION("output-queues", NB_SIMULATE(output_queues), ROUTER, CHOICE, \
                  "",                                                          \
                  "credit router: flits queue before the switch (channel), "   \
                  "or after it per VC (virtual)",                              \
                  .detail = "channel (default): before the switch, which has " \
                            "one output buffer per channel. virtual: after "   \
                            "the switch, in a buffer per virtual channel; "    \
                            "flow control without credits needs this.",        \
                  .choices = "auto|channel|virtual", .with = NB_WITH_CREDIT),  \
        NB_OPTION("congestion", NB_SIMULATE(congestion), ROUTER, CHOICE, "",   \
                  "queue that adaptive schemes read: credits in use, output "  \
                  "queue or waiting",                                          \
                  .detail =                                                    \
                      "Credit router: credits (default), those in use for "    \
                      "flits before, on and after the channel; output, the "   \
                      "flits in the output buffer.\nIdeal router: output "     \
                      "(default), all flits of the output queue; waiting, "    \
                      "those without the packet in transmission.",             \
                  .choices = "auto|credits|output|waiting",                    \
                  .with = NB_WITH_IDEAL " " NB_WITH_CREDIT),                   \
        NB_OPTION("slot-order", NB_SIMULATE(slot_order), ROUTER, CHOICE, "",   \
                  "ideal router: in a cycle, packets in transit join queues "  \
                  "first, or all at random",                                   \
                  .detail =                                                    \
                      "transit (default): packets in transit, the oldest "     \
                      "first, then new packets. random: all of them in "       \
                      "random order. Each sees the packets before it.",        \
                  .choices = "transit|random", .with = NB_WITH_IDEAL),         \
        NB_OPTION(                                                             \
            "flow-control", NB_SIMULATE(flow_control), ROUTER, CHOICE, "",     \
            "credit router: what prevents buffer overflow; default credits",   \
            .detail = "xon-xoff: messages stop and restart each virtual "      \
                      "channel. pause: they stop and restart all virtual "     \
                      "channels of a class together, as in Ethernet.",         \
            .choices = "credits|xon-xoff|pause", .with = NB_WITH_CREDIT),      \
        NB_OPTION("xoff", NB_SIMULATE(xoff), ROUTER, WHOLE, "",                \
                  "occupancy of a virtual channel buffer, in flits, at which " \
                  "to send XOFF",                                              \
                  .detail = "Default: the largest that loses nothing.",        \
                  .counts = "flits", .least = 1, .most = 1e6,                  \
                  .with = "flow-control=xon-xoff flow-control=pause"),         \
        NB_OPTION("xon", NB_SIMULATE(xon), ROUTER, WHOLE, "",                  \
                  "occupancy of a virtual channel buffer, in flits, below "    \
                  "which to send XON",                                         \
                  .detail = "Default: the flits of a round trip and the "      \
                            "pipeline, or xoff if that is less.",              \
                  .counts = "flits", .least = 1, .most = 1e6,                  \
                  .with = "flow-control=xon-xoff flow-control=pause"),         \
        NB_OPTION(                                                             \
            "switching", NB_SIMULATE(switching), ROUTER, CHOICE, "",           \
            "credit router: forward when there is room for the packet, or "    \
            "for one flit",                                                    \
            .detail =                                                          \
                "cut-through (default): when there is room for the whole "     \
                "packet. wormhole: when there is room for one flit.",          \
            .choices = "cut-through|wormhole", .with = NB_WITH_CREDIT),        \
        NB_OPTION("vcs", NB_SIMULATE(vcs), ROUTER, WHOLE, "",                  \
                  "credit router: virtual channels per channel; default: "     \
                  "what the routing needs",                                    \
                  .is_first = true, .least = 1, .most = NB_MOST_VC_CLASSES,    \
                  .with = NB_WITH_CREDIT),                                     \
        NB_OPTION("classes", NB_SIMULATE(classes), ROUTER, WORD, "",           \
                  "credit router: rule of virtual-channel classes, such as "   \
                  "place or ascending",                                        \
                  .detail = "As in netbound deadlock. Default: the rule of "   \
                            "the routing scheme.",                             \
                  .with = NB_WITH_CREDIT),                                     \
        NB_OPTION(                                                             \
            "buffer", NB_SIMULATE(buffer), ROUTER, WHOLE, "",                  \
            "flits per input buffer; not with --router ideal",                 \
            .detail = "Credit router: per virtual channel; default 8, or the " \
                      "longest packet if that is longer. Chaos router: per "   \
                      "channel; default the longest packet. Virtual router: "  \
                      "per virtual network on its wires; default 2.",          \
            .is_first = true, .counts = "flits", .least = 1, .most = 1e6,      \
            .with = NB_WITH_CREDIT " router=chaos " NB_WITH_VIRTUAL),          \
        NB_OPTION(                                                             \
            "buffer-total", NB_SIMULATE(buffer_total), ROUTER, WHOLE, "",      \
            "instead of --buffer: flits per channel, divided among its "       \
            "virtual channels",                                                \
            .detail = "Credit router: flits per channel, shared evenly by "    \
                      "its virtual channels. Virtual router: the packets "     \
                      "that all queues of an input hold together. With "       \
                      "sharing router, half of them are in each of its two "   \
                      "networks; with channels, one place is reserved for "    \
                      "each virtual network, and all share the rest; with "    \
                      "separate, each virtual network has an equal part.",     \
            .counts = "flits", .least = 1, .most = 1e8,                        \
            .with = NB_WITH_CREDIT " " NB_WITH_VIRTUAL, .apart = "buffer"),    \
        NB_OPTION("output-buffer", NB_SIMULATE(output_buffer), ROUTER, WHOLE,  \
                  "", "flits per output buffer; credit or chaos router",       \
                  .detail =                                                    \
                      "Credit router: default 1; with --output-queues "        \
                      "virtual, per virtual channel, the longest packet. "     \
                      "Chaos router: default the longest packet.",             \
                  .is_first = true, .counts = "flits", .least = 1,             \
                  .most = 1e6, .with = NB_WITH_CREDIT " router=chaos"),        \
        NB_OPTION("shared-queue", NB_SIMULATE(shared_queue), ROUTER, WHOLE,    \
                  "",                                                          \
                  "chaos router: shared queue, in flits per channel between "  \
                  "routers; default 96",                                       \
                  .counts = "flits", .least = 1, .most = 1e6,                  \
                  .with = "router=chaos"),                                     \
        NB_OPTION("speedup", NB_SIMULATE(speedup), ROUTER, WHOLE, "",          \
                  "credit router: flits per cycle that the switch moves at "   \
                  "each port; default 1",                                      \
                  .least = 1, .most = 64, .with = NB_WITH_CREDIT),             \
        NB_OPTION("pipeline", NB_SIMULATE(pipeline), ROUTER, WHOLE, "",        \
                  "credit router: cycles that a flit spends in each router "   \
                  "before the switch; default 0",                              \
                  .most = 1000, .unit = "cycles", .also = "router-delay",      \
                  .with = NB_WITH_CREDIT),                                     \
        NB_OPTION("channel-latency", NB_SIMULATE(channel_latency), ROUTER,     \
                  WHOLE, "",                                                   \
                  "credit router: cycles that a flit or credit takes over a "  \
                  "channel; default 1",                                        \
                  .least = 1, .most = 10000, .unit = "cycles",                 \
                  .also = "link-latency", .with = NB_WITH_CREDIT),             \
        NB_OPTION(                                                             \
            "global-latency", NB_SIMULATE(global_latency), ROUTER, WHOLE, "",  \
            "credit router: cycles on a channel between groups; default: "     \
            "--channel-latency",                                               \
            .detail = "Default: that of the other channels.", .least = 1,      \
            .most = 10000, .unit = "cycles", .with = NB_WITH_CREDIT),          \
        NB_OPTION("global-buffer", NB_SIMULATE(global_buffer), ROUTER, WHOLE,  \
                  "",                                                          \
                  "credit router: input buffer of a channel between groups; "  \
                  "default: --buffer",                                         \
                  .detail = "Default: that of the other channels.",            \
                  .counts = "flits", .least = 1, .most = 1e6,                  \
                  .with = NB_WITH_CREDIT),                                     \
        NB_OPTION("seed", NB_SIMULATE(seed), MEASUREMENT, WHOLE, "1",          \
                  "seed of the random-number generator", .is_first = true,     \
                  .most = 0x1p53),                                             \
        NB_OPTION("replications", NB_SIMULATE(replications), MEASUREMENT,      \
                  WHOLE, "4", "independent simulations", .is_first = true,     \
                  .least = 1, .most = 1000),                                   \
        NB_OPTION("warm-up", NB_SIMULATE(warm_up), MEASUREMENT, WHOLE, "",     \
                  "cycles before measurement; default auto: until the "        \
                  "packets in transit settle",                                 \
                  .is_first = true, .choices = "auto", .most = 1e12,           \
                  .unit = "cycles"),                                           \
        NB_OPTION("cycles", NB_SIMULATE(cycles), MEASUREMENT, WHOLE, "",       \
                  "cycles measured per replication; default auto: 2048 to "    \
                  "51200, by network size",                                    \
                  .detail = "A larger network is measured for fewer cycles.",  \
                  .is_first = true, .choices = "auto",                         \
                  .least = NB_SIMULATE_BATCHES, .most = 1e12,                  \
                  .unit = "cycles"),                                           \
        NB_OPTION("precision", NB_SIMULATE(precision), MEASUREMENT, NUMBER,    \
                  "",                                                          \
                  "simulate until the mean latency has this relative "         \
                  "precision, such as 0.01",                                   \
                  .least = 1e-6, .most = 1, .unit = "fraction"),               \
        NB_OPTION(                                                             \
            "drain", NB_SIMULATE(drain), MEASUREMENT, CHOICE, "",              \
            "continue until all measured packets have arrived; default yes",   \
            .choices = "yes|no"),                                              \
        NB_OPTION("age-limit", NB_SIMULATE(age_limit), MEASUREMENT, WHOLE, "", \
                  "age in cycles at which a packet counts as stuck: the run "  \
                  "then ends",                                                 \
                  .least = 1, .most = 1e15, .unit = "cycles")

enum { NB_SIMULATE_BATCHES = 32 }; /* cycles are a multiple of it */

/* Builds the network, its traffic and the scheme, and sets the options of a
 * named router. Errors: those of nb_problem_open; NB_INVALID for a scheme that
 * does not choose paths. */
enum nb_status nb_simulate_open(const struct nb_simulate_question *request,
                                const struct nb_run *run,
                                struct nb_simulate_answer *out,
                                struct nb_error *err);

/* [cycle] Default limit of what a search measures at a rate: a multiple of one
 * load's cycles in a small network, less in a large one. */
uint64_t nb_simulate_longest(const struct nb_simulate_answer *answer,
                             int times);

/* Sets the plan of an opened question; nb_simulate_told_release frees it.
 * Errors: those of nb_simulate_ask. */
enum nb_status nb_simulate_plan(struct nb_simulate_answer *out,
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
enum nb_status nb_simulate_read_steps(struct nb_simulate_answer *out,
                                      struct nb_error *err);
void nb_simulate_release_steps(struct nb_simulate_answer *answer);

/* [flit/cycle] The load as a double. */
double nb_simulate_load(const struct nb_simulate_answer *answer);

/* What a report may have: shares of routers, of those asked about, and of
 * virtual networks; and all tables, those of virtual networks too. */
extern const struct nb_quantity_row nb_simulate_routers[],
    nb_simulate_fairness[], nb_simulate_virtual_shares[];
extern const struct nb_table_kind *const nb_simulate_tables[],
    nb_simulate_virtual, nb_simulate_rounds;

/* Adds the results of one load, or of a search for saturation. */
void nb_simulate_report_load(const struct nb_simulate_answer *answer,
                             struct nb_point *out);
void nb_simulate_report_saturation(const struct nb_simulate_answer *answer,
                                   struct nb_point *out);
/* Adds the note arrivals, of Markov-modulated sources. */
void nb_simulate_note_arrivals(const struct nb_simulate_answer *answer,
                               struct nb_point *out);
/* Adds the note router, which describes it. */
void nb_simulate_note_router(const struct nb_simulate_answer *answer,
                             struct nb_point *out);

/* Adds the places of the virtual router and the results of virtual networks, if
 * there are any. */
void nb_simulate_report_virtual(const struct nb_simulate_answer *answer,
                                struct nb_point *out);
/* The note router of the virtual router. */
void nb_simulate_note_virtual(const struct nb_simulate_answer *answer,
                              struct nb_point *out);

/* The least latency that this share of the packets does not exceed, with an
 * interval by order statistics; result must have packets that arrived. */
struct nb_interval
nb_simulate_quantile(const struct nb_simulation_result *result, double share);

#endif
