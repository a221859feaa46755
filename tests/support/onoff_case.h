/* On/off case: bursty sources from a line of text, their distribution, and a
 * simulation of the queue that they feed. */
#ifndef NB_TESTS_ONOFF_CASE_H
#define NB_TESTS_ONOFF_CASE_H

#include "queueing/onoff.h"

#include <stdint.h>

/* A condition, and what to print if it is false. */
#define ONOFF_CHECK(condition, ...)                                            \
    do {                                                                       \
        if (!(condition)) {                                                    \
            print_error(__VA_ARGS__);                                          \
            print_error("\n");                                                 \
        }                                                                      \
        assert_true(condition);                                                \
    } while (0)

struct onoff_case {
    struct nb_arrivals arrivals;
    struct nb_queue_load load;
};

/* "radix,load,burst,spread"; what follows a further comma is not read. */
struct onoff_case onoff_case_read(const char *text);

/* The distribution; fails the test if there is none. */
void onoff_must_solve(const struct onoff_case *made,
                      struct nb_distribution *distribution);

/* A mean of batches with a margin of 99.9 % and a little more: it is exceeded
 * once in several thousand seeds. */
struct onoff_interval {
    double value, margin;
};

enum { ONOFF_TAILS = 9 };
struct onoff_simulated {
    struct onoff_interval mean;
    struct onoff_interval tail[ONOFF_TAILS]; /* P(Q >= n) */
    struct onoff_interval loss;              /* lost of all packets */
};

/* The queue of one output slot by slot; packets above depth are lost. */
void onoff_simulate(const struct onoff_case *made, int64_t depth, uint64_t seed,
                    struct onoff_simulated *out);

/* Makes each allocation fail in turn, of the distribution (depth 0) or the
 * loss. */
void onoff_fail_memory(const char *text, int64_t depth);

#endif
