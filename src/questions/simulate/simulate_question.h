/* Simulate question: the simulation that a question's options name. */
#ifndef NB_QUESTIONS_SIMULATE_SIMULATE_QUESTION_H
#define NB_QUESTIONS_SIMULATE_SIMULATE_QUESTION_H

#include "questions/problem.h"
#include "sim/sim.h"

/* Rows of option tables (initialisers, as in problem.h). What must not be
 * given with something else has no default in the table. */
#define NB_OPTIONS_INJECTION                                                   \
    { .name = "load",                                                          \
      .help = "flits that a terminal sends per cycle, as a fraction of "       \
              "capacity; 0.5 unless this or --rate is given",                  \
      .type = NB_NUMBER,                                                       \
      .initial = "",                                                           \
      .least = 1e-9,                                                           \
      .most = 1000,                                                            \
      .unit = "fraction" },                                                    \
        { .name = "rate",                                                      \
          .help = "packets that a terminal sends per cycle",                   \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-9,                                                       \
          .most = 1000,                                                        \
          .unit = "packets/cycle" },                                           \
        NB_OPTION_CLOCK,                                                       \
        { .name = "arrivals",                                                  \
          .help = "when packets are sent: bernoulli (default), poisson, "      \
                  "onoff:burst=5,spread=packet|burst (see: netbound list "     \
                  "arrivals)",                                                 \
          .type = NB_WORD,                                                     \
          .initial = "" },                                                     \
        { .name = "trace",                                                     \
          .help = "send the packets of this CSV file instead: cycle, source, " \
                  "destination (terminals), flits",                            \
          .type = NB_PATH,                                                     \
          .initial = "" },                                                     \
        { .name = "batch",                                                     \
          .help = "send so many packets of each terminal at cycle 0 instead",  \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6 },                                                       \
    {                                                                          \
        .name = "flits", .help = "flits of a packet; 1 unless given",          \
        .type = NB_WHOLE, .initial = "", .least = 1, .most = NB_TRACE_FLITS    \
    }

#define NB_OPTIONS_ROUTER                                                      \
    { .name = "router",                                                        \
      .help = "unbounded output queues, or virtual channels with buffers and " \
              "credits",                                                       \
      .type = NB_CHOICE,                                                       \
      .initial = "ideal",                                                      \
      .choices = "ideal|credit" },                                             \
        { .name = "arbitration",                                               \
          .help = "who goes first: the oldest packet (--router ideal unless "  \
                  "given) or one after another (--router credit unless "       \
                  "given)",                                                    \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "age|turn" },                                             \
        { .name = "switching",                                                 \
          .help = "credit router: a packet goes on where all of it has room "  \
                  "(default) or a flit has",                                   \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "cut-through|wormhole" },                                 \
        { .name = "vcs",                                                       \
          .help = "credit router: virtual channels of a channel; as many as "  \
                  "the routing needs unless given",                            \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = NB_MOST_VC_CLASSES },                                        \
        { .name = "buffer",                                                    \
          .help = "credit router: flits that a virtual channel's input "       \
                  "takes; 8, or the longest packet, unless given",             \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6 },                                                       \
        { .name = "output-buffer",                                             \
          .help = "credit router: flits that an output takes; 1 unless given", \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 1e6 },                                                       \
        { .name = "speedup",                                                   \
          .help = "credit router: flits per cycle of an input and an output "  \
                  "of the switch; 1 unless given",                             \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .least = 1,                                                          \
          .most = 64 },                                                        \
        { .name = "pipeline",                                                  \
          .help = "credit router: cycles before the switch; 0 unless given",   \
          .type = NB_WHOLE,                                                    \
          .initial = "",                                                       \
          .most = 1000,                                                        \
          .unit = "cycles" },                                                  \
    {                                                                          \
        .name = "channel-latency",                                             \
        .help = "credit router: cycles of a flit or credit over a channel; 1 " \
                "unless given",                                                \
        .type = NB_WHOLE, .initial = "", .least = 1, .most = 10000,            \
        .unit = "cycles", .also = "link-latency"                               \
    }

#define NB_OPTIONS_MEASUREMENT                                                 \
    { .name = "seed",                                                          \
      .help = "of the random numbers",                                         \
      .type = NB_WHOLE,                                                        \
      .initial = "1",                                                          \
      .most = 0x1p53 },                                                        \
        { .name = "replications",                                              \
          .help = "independent simulations",                                   \
          .type = NB_WHOLE,                                                    \
          .initial = "4",                                                      \
          .least = 1,                                                          \
          .most = 1000 },                                                      \
        { .name = "warm-up",                                                   \
          .help = "cycles before measurement; auto (default): until the "      \
                  "packets under way have settled",                            \
          .type = NB_WORD,                                                     \
          .initial = "",                                                       \
          .unit = "cycles" },                                                  \
        { .name = "cycles",                                                    \
          .help = "cycles measured in each replication; auto (default): 2048 " \
                  "to 51200, the fewer the larger the network",                \
          .type = NB_WORD,                                                     \
          .initial = "",                                                       \
          .unit = "cycles" },                                                  \
        { .name = "precision",                                                 \
          .help = "go on until the mean latency is known to this fraction of " \
                  "it",                                                        \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-6,                                                       \
          .most = 1,                                                           \
          .unit = "fraction" },                                                \
        { .name = "drain",                                                     \
          .help = "go on until all packets measured have arrived; yes unless " \
                  "given",                                                     \
          .type = NB_CHOICE,                                                   \
          .initial = "",                                                       \
          .choices = "yes|no" },                                               \
    {                                                                          \
        .name = "age-limit",                                                   \
        .help = "most cycles that a packet may be under way",                  \
        .type = NB_WHOLE, .initial = "", .least = 1, .most = 1e15,             \
        .unit = "cycles"                                                       \
    }

#define NB_OPTIONS_SHOWN                                                       \
    { .name = "pair",                                                          \
      .help = "latencies of packets from router A to router B alone: A,B",     \
      .type = NB_WORD,                                                         \
      .initial = "" },                                                         \
        { .name = "depths",                                                    \
          .help = "table depths: how deep queues are",                         \
          .type = NB_FLAG,                                                     \
          .initial = "no" },                                                   \
        { .name = "reorder",                                                   \
          .help = "table reorder: how far packets overtake each other",        \
          .type = NB_FLAG,                                                     \
          .initial = "no" },                                                   \
    {                                                                          \
        .name = "window",                                                      \
        .help = "table series: what is accepted in every so many cycles, "     \
                "from cycle 0 on",                                             \
        .type = NB_WHOLE, .initial = "", .least = 1, .most = 1e9,              \
        .unit = "cycles"                                                       \
    }

/* Owns problem and trace, which plan borrows: not to be moved. */
struct nb_simulate_question {
    struct nb_problem problem;
    struct nb_trace trace;
    struct nb_simulation plan;
    struct nb_enclosure load; /* [flit/cycle] that a terminal sends at row sum
                               * 1; 0 of traces and batches */
    double most_rate;         /* [packet/cycle] that its sources can send */
};

/*
 * Builds what the options name; traffic is uniform unless given, and has no
 * part in a trace.
 *
 * Errors: NB_USAGE for options that exclude each other; NB_INVALID for what is
 * not permitted; those of the builders.
 */
enum nb_status nb_simulate_question_read(const struct nb_question *question,
                                         struct nb_simulate_question *out,
                                         struct nb_error *err);
void nb_simulate_question_release(struct nb_simulate_question *question);

/* [flit/cycle] The load as a double. */
double nb_simulate_load(const struct nb_simulate_question *asked);

/* Whether the option is set and no flag that says no. */
bool nb_question_names(const struct nb_question *question, const char *name);

/* A whole number; the option's row has checked it. */
int64_t nb_question_whole(const struct nb_question *question, const char *name,
                          int64_t otherwise);

#endif
