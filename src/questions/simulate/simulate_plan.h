/* Simulate plan: a network in motion before it moves. */
#ifndef NB_QUESTIONS_SIMULATE_SIMULATE_PLAN_H
#define NB_QUESTIONS_SIMULATE_SIMULATE_PLAN_H

#include "questions/simulate/simulate_question.h"

#define NB_SIMULATE_METHOD "simulation, 95 % interval"
#define NB_SIMULATE_SOURCE "LawKelton2000"

/* What the options of the credit router are permitted beside. */
#define NB_WITH_CREDIT "router=credit router=benito"

/* Those of the virtual router. */
#define NB_WITH_VIRTUAL "router=virtual"

#define NB_SIMULATE(field) offsetof(struct nb_simulate_question, field)

/* Rows of option tables (initialisers, as in problem.h) for a question that
 * begins with struct nb_simulate_question. What must not be given with
 * something else has no default in the table.
 * WITH  what --virtual-networks goes with beside the virtual router */
#define NB_OPTIONS_SIMULATED(WITH)                                             \
    NB_OPTION_TOPOLOGY(NB_SIMULATE(topology)),                                 \
        NB_OPTION_ROUTING(NB_SIMULATE(routing)),                               \
        { .name = "traffic",                                                   \
          .field = NB_SIMULATE(traffic),                                       \
          .help = "who sends to whom, such as transpose (see: netbound list "  \
                  "traffics); uniform unless given",                           \
          .type = NB_WORD,                                                     \
          .initial = "" },                                                     \
        { .name = "allow-inadmissible",                                        \
          .field = NB_SIMULATE(allow_inadmissible),                            \
          .help = "accept traffic from a file with rows or columns that sum "  \
                  "to more than 1",                                            \
          .type = NB_FLAG,                                                     \
          .initial = "no" },                                                   \
        { .name = "load",                                                      \
          .field = NB_SIMULATE(load),                                          \
          .help = "flits that a terminal sends per cycle, as a fraction of "   \
                  "capacity; 0.5 unless this or --rate is given",              \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-9,                                                       \
          .most = 1000,                                                        \
          .unit = "fraction" },                                                \
        { .name = "rate",                                                      \
          .field = NB_SIMULATE(rate),                                          \
          .help = "packets that a terminal sends per cycle",                   \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-9,                                                       \
          .most = 1000,                                                        \
          .unit = "packets/cycle",                                             \
          .apart = "load" },                                                   \
        NB_OPTION_CLOCK(NB_SIMULATE(clock)),                                   \
        { .name = "arrivals",                                                  \
          .field = NB_SIMULATE(arrivals),                                      \
          .help = "when packets are sent: bernoulli (default), poisson, "      \
                  "onoff:burst=5,spread=packet|burst, "                        \
                  "mmp:alpha=0.1,beta=0.9,low=0 (see: netbound list "          \
                  "arrivals)",                                                 \
          .type = NB_WORD,                                                     \
          .initial = "" },                                                     \
        { .name = "trace",                                                     \
          .field = NB_SIMULATE(trace),                                         \
          .help = "send the packets of this CSV file instead: cycle, source, " \
                  "destination (terminals), flits",                            \
          .type = NB_PATH,                                                     \
          .initial = "",                                                       \
          .apart = "traffic load rate arrivals batch flits precision warm-up " \
                   "cycles drain allow-inadmissible" },                        \
        { .name = "batch",                                                     \
          .field = NB_SIMULATE(batch),                                         \
          .help = "send so many packets of each terminal at cycle 0 instead",  \
          .type = NB_WHOLE,                                                    \
          .counts = "packets",                                                 \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .apart = "load rate arrivals precision warm-up cycles drain" },      \
        { .name = "flits",                                                     \
          .field = NB_SIMULATE(flits),                                         \
          .help = "flits of a packet; 1 unless given",                         \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_TRACE_FLITS },                                            \
        { .name = "router",                                                    \
          .field = NB_SIMULATE(router),                                        \
          .help = "unbounded output queues; virtual channels with buffers "    \
                  "and credits; a shared queue in every router that deflects " \
                  "packets when it is full, with routing chaos; virtual "      \
                  "networks that share a levelled network such as butterfly; " \
                  "or a credit router by name, with options of its own "       \
                  "unless given: benito (Benito2020, Table 3-1)",              \
          .type = NB_CHOICE,                                                   \
          .initial = "ideal",                                                  \
          .choices = "ideal|credit|chaos|virtual|benito" },                    \
        { .name = "virtual-networks",                                          \
          .field = NB_SIMULATE(virtual_networks),                              \
          .help = "virtual router: virtual networks, of one of which each "    \
                  "packet is, drawn evenly; 2 unless given. Credit router: "   \
                  "disjoint sets of virtual channels, each with all classes "  \
                  "of the routing; requests use the first one, replies the "   \
                  "second; one for both unless given",                         \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_MOST_VIRTUAL_NETWORKS,                                    \
          .with = NB_WITH_VIRTUAL WITH },                                      \
        { .name = "sharing",                                                   \
          .field = NB_SIMULATE(sharing),                                       \
          .help = "virtual router: how they share the wires: router: "         \
                  "Randall's, one of them in a network of its own in each "    \
                  "round (default); slices: the whole network for a round in " \
                  "turn; cycles: every wire in turn, in queues of all; "       \
                  "channels: the same with a reserved place of each; "         \
                  "separate: queues and cycles of their own",                  \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "router|slices|cycles|channels|separate",                 \
          .with = NB_WITH_VIRTUAL },                                           \
        { .name = "round",                                                     \
          .field = NB_SIMULATE(round),                                         \
          .help = "virtual router, sharing router or slices: cycles of a "     \
                  "round for each level of switches (in a butterfly of k=2, "  \
                  "log2 of its terminals); 8 unless given",                    \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 2,                                                          \
          .most = NB_MOST_ROUND,                                               \
          .with = NB_WITH_VIRTUAL,                                             \
          .apart = "sharing=cycles sharing=channels sharing=separate" },       \
        { .name = "virtual-names",                                             \
          .field = NB_SIMULATE(virtual_names),                                 \
          .help = "virtual router, sharing router: names that there are for "  \
                  "virtual networks, over which those that send are spread "   \
                  "evenly; as many as these unless given",                     \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 0x1p32,                                                      \
          .with = NB_WITH_VIRTUAL,                                             \
          .apart = "sharing=slices sharing=cycles sharing=channels "           \
                   "sharing=separate" },                                       \
        { .name = "refused",                                                   \
          .field = NB_SIMULATE(refused),                                       \
          .help = "virtual router: virtual networks whose packets no "         \
                  "terminal takes, such as 0..2,7",                            \
          .type = NB_WORD,                                                     \
          .initial = "",                                                       \
          .with = NB_WITH_VIRTUAL },                                           \
        { .name = "arbitration",                                               \
          .field = NB_SIMULATE(arbitration),                                   \
          .help = "who goes first: the oldest packet or one after another; "   \
                  "by default the former with --router ideal, the latter "     \
                  "with credit and chaos",                                     \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|age|turn" },                                        \
        { .name = "allocation",                                                \
          .field = NB_SIMULATE(allocation),                                    \
          .help = "credit router: how the switch matches inputs with outputs " \
                  "in a cycle: greedy, one output after another (default), "   \
                  "or separable, every input names one packet, then every "    \
                  "output takes one input, and turns move only with what is "  \
                  "taken",                                                     \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|greedy|separable",                                  \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "output-queues",                                             \
          .field = NB_SIMULATE(output_queues),                                 \
          .help =                                                              \
              "credit router: where flits wait for room behind a channel: "    \
              "channel: before the switch, behind which is one buffer of "     \
              "each channel (default); virtual: behind it, in a buffer of "    \
              "each virtual channel, as always without credits",               \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|channel|virtual",                                   \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "congestion",                                                \
          .field = NB_SIMULATE(congestion),                                    \
          .help = "credit router: what an adaptive scheme takes for the "      \
                  "queue of a channel: credits: those that are not at hand, "  \
                  "for flits before it, on it and behind it (default); "       \
                  "output: flits in the output buffer before it",              \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "auto|credits|output",                                    \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "flow-control",                                              \
          .field = NB_SIMULATE(flow_control),                                  \
          .help =                                                              \
              "credit router: what keeps buffers from overflowing: "           \
              "credits (default), or messages that stop a channel and "        \
              "let it go on, of each virtual channel (xon-xoff) or of all "    \
              "of a class at once, as Ethernet's (pause)",                     \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "credits|xon-xoff|pause",                                 \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "xoff",                                                      \
          .field = NB_SIMULATE(xoff),                                          \
          .help =                                                              \
              "flits in the buffer of a virtual channel from which on it "     \
              "says stop; the most with which nothing is lost unless given",   \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = "flow-control=xon-xoff flow-control=pause" },                \
        { .name = "xon",                                                       \
          .field = NB_SIMULATE(xon),                                           \
          .help = "flits below which it lets the channel go on; those of a "   \
                  "round trip and the pipeline, or xoff if that is less, "     \
                  "unless given",                                              \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = "flow-control=xon-xoff flow-control=pause" },                \
        { .name = "switching",                                                 \
          .field = NB_SIMULATE(switching),                                     \
          .help = "credit router: a packet goes on where all of it has room "  \
                  "(default) or a flit has",                                   \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "cut-through|wormhole",                                   \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "vcs",                                                       \
          .field = NB_SIMULATE(vcs),                                           \
          .help = "credit router: virtual channels of a channel; as many as "  \
                  "the routing needs unless given",                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_MOST_VC_CLASSES,                                          \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "buffer",                                                    \
          .field = NB_SIMULATE(buffer),                                        \
          .help = "flits that an input takes; credit router: of each virtual " \
                  "channel, 8, or the longest packet, unless given; chaos "    \
                  "router: of each channel, the longest packet unless given; " \
                  "virtual router: of each network on its wires, 2 unless "    \
                  "given",                                                     \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = NB_WITH_CREDIT " router=chaos " NB_WITH_VIRTUAL },           \
        { .name = "buffer-total",                                              \
          .field = NB_SIMULATE(buffer_total),                                  \
          .help = "instead of --buffer: credit router: flits of all virtual "  \
                  "channels of a channel together, which share it evenly; "    \
                  "virtual router: packets that wait at an input in all "      \
                  "queues together: half of them in each of the router's two " \
                  "networks, with sharing channels one for each virtual "      \
                  "network and the rest for all, separate evenly",             \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e8,                                                         \
          .with = NB_WITH_CREDIT " " NB_WITH_VIRTUAL,                          \
          .apart = "buffer" },                                                 \
        { .name = "output-buffer",                                             \
          .field = NB_SIMULATE(output_buffer),                                 \
          .help =                                                              \
              "flits that an output takes; credit router: 1 unless given, "    \
              "with output-queues virtual the longest packet, of each "        \
              "virtual channel; chaos router: the longest packet unless "      \
              "given",                                                         \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = NB_WITH_CREDIT " router=chaos" },                            \
        { .name = "shared-queue",                                              \
          .field = NB_SIMULATE(shared_queue),                                  \
          .help =                                                              \
              "chaos router: flits that a router's shared queue takes for "    \
              "each of its channels to other routers; 96 unless given",        \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = "router=chaos" },                                            \
        { .name = "speedup",                                                   \
          .field = NB_SIMULATE(speedup),                                       \
          .help = "credit router: flits per cycle of an input and an output "  \
                  "of the switch; 1 unless given",                             \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 64,                                                          \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "pipeline",                                                  \
          .field = NB_SIMULATE(pipeline),                                      \
          .help = "credit router: cycles before the switch; 0 unless given",   \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .most = 1000,                                                        \
          .unit = "cycles",                                                    \
          .also = "router-delay",                                              \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "channel-latency",                                           \
          .field = NB_SIMULATE(channel_latency),                               \
          .help =                                                              \
              "credit router: cycles of a flit or credit over a channel; 1 "   \
              "unless given",                                                  \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 10000,                                                       \
          .unit = "cycles",                                                    \
          .also = "link-latency",                                              \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "global-latency",                                            \
          .field = NB_SIMULATE(global_latency),                                \
          .help = "credit router: channel-latency of channels between groups;" \
                  " as of the others unless given",                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 10000,                                                       \
          .unit = "cycles",                                                    \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "global-buffer",                                             \
          .field = NB_SIMULATE(global_buffer),                                 \
          .help = "credit router: buffer of channels between groups; as of "   \
                  "the others unless given",                                   \
          .type = NB_WHOLE,                                                    \
          .counts = "flits",                                                   \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6,                                                         \
          .with = NB_WITH_CREDIT },                                            \
        { .name = "seed",                                                      \
          .field = NB_SIMULATE(seed),                                          \
          .help = "of the random numbers",                                     \
          .type = NB_WHOLE,                                                    \
          .initial = "1",                                                      \
          .most = 0x1p53 },                                                    \
        { .name = "replications",                                              \
          .field = NB_SIMULATE(replications),                                  \
          .help = "independent simulations",                                   \
          .type = NB_WHOLE,                                                    \
          .initial = "4",                                                      \
          .least = 1,                                                          \
          .most = 1000 },                                                      \
        { .name = "warm-up",                                                   \
          .field = NB_SIMULATE(warm_up),                                       \
          .help = "cycles before measurement; by default until the "           \
                  "packets under way have settled",                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .choices = "auto",                                                   \
          .most = 1e12,                                                        \
          .unit = "cycles" },                                                  \
        { .name = "cycles",                                                    \
          .field = NB_SIMULATE(cycles),                                        \
          .help = "cycles measured in each replication; by default 2048 "      \
                  "to 51200, the fewer the larger the network",                \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .choices = "auto",                                                   \
          .least = NB_SIMULATE_BATCHES,                                        \
          .most = 1e12,                                                        \
          .unit = "cycles" },                                                  \
        { .name = "precision",                                                 \
          .field = NB_SIMULATE(precision),                                     \
          .help =                                                              \
              "go on until the mean latency is known to this fraction of it",  \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-6,                                                       \
          .most = 1,                                                           \
          .unit = "fraction" },                                                \
        { .name = "drain",                                                     \
          .field = NB_SIMULATE(drain),                                         \
          .help = "go on until all packets measured have arrived; yes unless " \
                  "given",                                                     \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "yes|no" },                                               \
    {                                                                          \
        .name = "age-limit", .field = NB_SIMULATE(age_limit),                  \
        .help = "most cycles that a packet may be under way",                  \
        .type = NB_WHOLE, .initial = "", .least = 1, .most = 1e15,             \
        .unit = "cycles"                                                       \
    }

enum { NB_SIMULATE_BATCHES = 32 }; /* cycles are a multiple of it */

/* Builds the network, its traffic and the scheme, and gives the options of a
 * named router. Errors: as nb_problem_open;
 * NB_INVALID for a scheme that stands for any. */
enum nb_status nb_simulate_open(const struct nb_simulate_question *asked,
                                const struct nb_run *run,
                                struct nb_simulate_told *out,
                                struct nb_error *err);

/* [cycle] The most that a search measures at a rate unless it is said: so many
 * times as much as one load takes in a small network, less in a large one. */
uint64_t nb_simulate_longest(const struct nb_simulate_told *told, int times);

/* Sets the plan of what was opened, which nb_simulate_told_release frees.
 * Errors: those of nb_simulate_ask. */
enum nb_status nb_simulate_plan(struct nb_simulate_told *out,
                                struct nb_error *err);

/* When packets are sent, by a rate. text: of an option; NULL: bernoulli.
 * Errors: nb_arrivals_read's. */
enum nb_status nb_simulate_read_arrivals(const char *text,
                                         struct nb_injection *injection,
                                         struct nb_error *err);

/*
 * Reads the option step into the plan: "CYCLE:OPTION=VALUE,...;...". What a
 * step does not name stays as it was.
 *
 * out  its plan's injection, traffic and cycles are set
 *
 * Errors: NB_USAGE or NB_INVALID naming the step and what is permitted;
 * those of the builders.
 */
enum nb_status nb_simulate_read_steps(struct nb_simulate_told *out,
                                      struct nb_error *err);
void nb_simulate_release_steps(struct nb_simulate_told *told);

/* [flit/cycle] The load as a double. */
double nb_simulate_load(const struct nb_simulate_told *told);

/* Adds the note router: what it has. */
void nb_simulate_note_router(const struct nb_simulate_told *told,
                             struct nb_point *out);

/* Sets the places of a queue of the virtual router from the places at an input,
 * in packets. Errors: NB_INVALID where they are too few. */
enum nb_status nb_simulate_share_places(uint64_t total,
                                        struct nb_simulation *plan,
                                        struct nb_error *err);
/* Adds how many places at an input the virtual router has. */
void nb_simulate_tell_places(const struct nb_simulate_told *told,
                             struct nb_point *out);

/* Adds what virtual networks get, where there are any. */
void nb_simulate_tell_virtual(const struct nb_simulate_told *told,
                              struct nb_point *out);
/* The note router of the virtual router. */
void nb_simulate_note_virtual(const struct nb_simulate_told *told,
                              struct nb_point *out);

/* The least latency that this share of the packets does not exceed, with an
 * interval by order statistics; result has packets that arrived. */
struct nb_interval
nb_simulate_quantile(const struct nb_simulation_result *result, double share);

#endif
