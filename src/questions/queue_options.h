/* Queue options: read the same way by all commands about queues. */
#ifndef NB_QUESTIONS_QUEUE_OPTIONS_H
#define NB_QUESTIONS_QUEUE_OPTIONS_H

#include "core/public.h"
#include "ask/question.h"
#include "queueing/arrivals.h"

/* Rows of option tables (initialisers, as in problem.h); place: the field. */
#define NB_OPTION_RADIX(place)                                                 \
    NB_OPTION("radix", place, ROUTER, WHOLE, "",                               \
              "number of inputs of the switch, each sending equally to all "   \
              "outputs; default 16",                                           \
              .detail = "A k-ary tree has switches of 2k ports.",              \
              .is_first = true, .counts = "ports", .least = 1, .most = 1e6)
#define NB_OPTION_LOAD(place)                                                  \
    NB_OPTION("load", place, TRAFFIC, NUMBER, "",                              \
              "utilisation of the queue, a fraction of its capacity; "         \
              "saturated from 1 on",                                           \
              .is_first = true, .most = 1e6, .unit = "fraction")
#define NB_OPTION_RATE(place)                                                  \
    NB_OPTION("rate", place, TRAFFIC, NUMBER, "",                              \
              "load in packets per cycle; a channel carries one",              \
              .is_first = true, .most = 1e6, .unit = "packets/cycle",          \
              .apart = "load")
#define NB_OPTION_OVERFLOW(place)                                              \
    NB_OPTION("overflow", place, MEASUREMENT, REAL, "1e-15",                   \
              "probability that the result is exceeded: 0.001 gives the 99.9 " \
              "% quantile",                                                    \
              .is_first = true, .least = NB_DISTRIBUTION_LEAST, .most = 1)
#define NB_OPTION_ARRIVALS(place)                                              \
    NB_OPTION(                                                                 \
        "arrivals", place, TRAFFIC, WORD, "bernoulli",                         \
        "arrival process, such as onoff:burst=5 (netbound list arrivals)",     \
        .detail = "bernoulli, poisson, onoff:burst=5,spread=packet or "        \
                  "mmp:alpha=0.1,beta=0.9,low=0.",                             \
        .is_first = true)
#define NB_OPTION_LAW(place, otherwise)                                        \
    NB_OPTION("law", place, MEASUREMENT, CHOICE, otherwise,                    \
              "delay of a hop: what a packet really waits, or the length of "  \
              "its queue",                                                     \
              .detail = "wait: a packet waits for those before it. queue: "    \
                        "Singh2005, equation 7.6, for all packets there.",     \
              .choices = "queue|wait")

NB_INTERNAL_BEGIN

/* The probabilities that a queue is at least that long. */
extern const struct nb_table_kind nb_queue_ccdf;

/*
 * The options arrivals and radix.
 *
 * radix  below 1: not given
 *
 * Errors: NB_INVALID for unknown arrivals or their parameters.
 */
enum nb_status nb_queue_arrivals(const char *text, int64_t radix,
                                 struct nb_arrivals *out, struct nb_error *err);

/* The options load and rate, which mean the same for one queue; at most one is
 * known. Returns whether one is; if not, the load is 1. */
bool nb_queue_load_is_given(struct nb_ratio load, struct nb_ratio rate,
                            struct nb_queue_load *out);

/*
 * Reads "fattree:k=16,n=3" without building the network, which may be large.
 *
 * else_options  the options permitted instead, for the message
 *
 * Errors: NB_INVALID for other topologies and bandwidths other than 1.
 */
enum nb_status nb_question_tree(const char *text, const char *else_options,
                                uint32_t *k, uint32_t *n, struct nb_error *err);

/* Adds a note if bursty sources are equivalent to Bernoulli ones
 * (nb_arrivals_forget); returns whether they are. */
bool nb_queue_note_forgetting(struct nb_point *out,
                              const struct nb_arrivals *arrivals,
                              struct nb_queue_load load);

/* load / max_load, at least 1: how much faster a channel must be to carry the
 * load. This holds for sources without memory; not found for bursty ones, where
 * nb_queue_note_speedup says which sources max_load is for and why. */
struct nb_found nb_queue_speedup(const struct nb_arrivals *arrivals,
                                 struct nb_queue_load load,
                                 struct nb_bracket max_load,
                                 const char *method);
void nb_queue_note_speedup(struct nb_point *out,
                           const struct nb_arrivals *arrivals);

NB_INTERNAL_END

#endif
