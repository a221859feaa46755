/*
 * How often simulated intervals contain exactly known answers, and how wide
 * they are, as `simulate` and `validate` print them. Over many seeds: the share
 * of intervals that contain the answer, the share that lie below it, and the
 * mean half-width over 1.96 standard deviations of the values (or the number
 * for the interval's own level, if that is not 95 % of one value); this is 1 if
 * the values are normal and their error is known. Only closed intervals are
 * evaluated; open ones are counted.
 *
 *     bench_coverage [SEEDS [CASE]]      default: 200 (quick: 20), all cases
 *
 * A row is one entry of a case's answers: a quantity, or TABLE:COLUMN:ROW with
 * the half-width or both ends in the next columns, and the exact answer; for
 * row * all rows must be inside at the same time. If no answer is known
 * exactly, or only the final one while the measured values still settle, the
 * mean of all seeds is used instead (own mean): it is based on two hundred
 * times the data of one run. The greatest or least of rows that are not known
 * to be equal cannot be known better than a single row whose index is given:
 * its width is relative to that row's deviation, and its own mean is that of
 * the row with the extreme mean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ask/question.h"
#include "core/memory.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    const char *name;
    double exact; /* NAN: by find; OWN_MEAN */
    double (*find)(void);
    double sure;          /* deviations for its level; 0: 1.96 */
    const char *greatest; /* TABLE:COLUMN: it is the greatest mean of its rows
                           * .. */
    const char *least;    /* .. or the least */
};

/* No answer is below 0. */
#define OWN_MEAN (-1.0)

struct coverage_case {
    const char *name;
    const char *options; /* command name value ... */
    struct answer answers[20];
};

enum { LAW = 4096 };

/* Deviations of a normal value for 95 % of 64 at the same time. */
#define SURE_OF_64 3.3599

/* The least n such that a packet of an M/D/1 queue in slots waits for n others
 * or fewer with probability share: those left over, Q' = max(Q - 1, 0) + A, and
 * those that arrive in its own slot and go first. */
static size_t poisson_quantile(double rho, double share)
{
    static double queue[LAW], next[LAW], born[64], place[64], wait[LAW];
    double left[LAW] = { 0 };
    born[0] = exp(-rho);
    for (size_t n = 1; n < 64; n++)
        born[n] = born[n - 1] * rho / (double)n;
    memset(queue, 0, sizeof queue);
    queue[0] = 1;
    for (int i = 0; i < 20000; i++) {
        memset(next, 0, sizeof next);
        for (size_t q = 0; q < 1024; q++)
            for (size_t a = 0; a < 24 && queue[q] > 1e-18; a++)
                next[(q > 0 ? q - 1 : 0) + a] += queue[q] * born[a];
        double change = 0;
        for (size_t q = 0; q < LAW; q++)
            change += fabs(next[q] - queue[q]);
        memcpy(queue, next, sizeof queue);
        if (change < 1e-12)
            break;
    }
    for (size_t q = 0; q < LAW; q++)
        left[q > 0 ? q - 1 : 0] += queue[q];
    for (size_t n = 0; n < 64; n++) { /* P(more than n arrive) / rho */
        place[n] = 0;
        for (size_t a = n + 1; a < 64; a++)
            place[n] += born[a] / rho;
    }
    memset(wait, 0, sizeof wait);
    for (size_t q = 0; q < LAW - 64; q++)
        for (size_t n = 0; n < 64; n++)
            wait[q + n] += left[q] * place[n];
    double sum = 0;
    size_t n = 0;
    for (; n < LAW && (sum += wait[n]) < share; n++)
        ;
    return n + 1; /* and its own cycle */
}

static double median_of_8(void)
{
    return (double)poisson_quantile(0.8, 0.5);
}
static double p99_of_8(void)
{
    return (double)poisson_quantile(0.8, 0.99);
}
static double p999_of_8(void)
{
    return (double)poisson_quantile(0.8, 0.999);
}

/* The mean of the larger of two numbers of heads of 40 coins each. */
static double larger_of_two(void)
{
    double below = 0, mean = 0, share = pow(0.5, 40);
    for (int n = 0; n <= 40; n++) {
        const double upto = below + share;
        mean += n * (upto * upto - below * below);
        below = upto;
        share *= (40.0 - n) / (n + 1);
    }
    return mean;
}

static double larger_of_two_each(void)
{
    return larger_of_two() / 40;
}

#define SINGLE                                                                 \
    "simulate topology complete:2 traffic bit-complement arrivals poisson "
/* rho; the wait is rho / (2 (1 - rho)). */
#define SINGLE_ANSWERS(rho, wait)                                              \
    { .name = "accepted_throughput_absolute", .exact = rho },                  \
        { .name = "accepted_throughput_min_absolute", .exact = rho },          \
        { .name = "offered_throughput_absolute", .exact = rho },               \
        { .name = "mean_latency", .exact = 1 + (wait) },                       \
        { .name = "mean_queueing_delay", .exact = wait },                      \
        { .name = "in_flight", .exact = 2 * (rho) * (1 + (wait)) },            \
        { .name = "max_channel_utilisation", .exact = rho },                   \
        { .name = "router_accepted_min", .exact = rho },                       \
        { .name = "router_accepted_max", .exact = rho },                       \
        { .name = "channels:utilisation:0", .exact = rho },                    \
    {                                                                          \
        .name = "routers:accepted:1", .exact = rho                             \
    }

/* The accepted rate equals the offered one; if the rest is unknown, the own
 * mean is used. */
#define ADAPTIVE_ANSWERS(rate)                                                 \
    { .name = "accepted_throughput_absolute", .exact = rate },                 \
        { .name = "accepted_throughput_min_absolute", .exact = rate },         \
        { .name = "offered_throughput_absolute", .exact = rate },              \
        { .name = "minimal_fraction", .exact = OWN_MEAN },                     \
        { .name = "mean_hops", .exact = OWN_MEAN },                            \
        { .name = "mean_latency", .exact = OWN_MEAN },                         \
        { .name = "mean_queueing_delay", .exact = OWN_MEAN },                  \
    {                                                                          \
        .name = "in_flight", .exact = OWN_MEAN                                 \
    }
#define SATURATED_ANSWERS(rate)                                                \
    { .name = "offered_throughput_absolute", .exact = rate },                  \
        { .name = "accepted_throughput_absolute", .exact = OWN_MEAN },         \
        { .name = "accepted_throughput_min_absolute", .exact = OWN_MEAN },     \
    {                                                                          \
        .name = "routers:accepted:2", .exact = OWN_MEAN                        \
    }

static const struct coverage_case cases[] = {
    { "M/D/1, 0.8, 4 x 8192",
      SINGLE "rate 0.8 cycles 8192",
      { SINGLE_ANSWERS(0.8, 2.0),
        { .name = "latency_p50", .exact = NAN, .find = median_of_8 },
        { .name = "latency_p99", .exact = NAN, .find = p99_of_8 },
        { .name = "latency_p999", .exact = NAN, .find = p999_of_8 } } },
    { "M/D/1, 0.5, 1 x 4096",
      SINGLE "rate 0.5 cycles 4096 replications 1",
      { SINGLE_ANSWERS(0.5, 0.5) } },
    { "M/D/1, 0.9, 20 x 4096",
      SINGLE "rate 0.9 cycles 4096 replications 20",
      { SINGLE_ANSWERS(0.9, 4.5) } },
    { "M/D/1, 0.95, 4 x 8192",
      SINGLE "rate 0.95 cycles 8192",
      { SINGLE_ANSWERS(0.95, 9.5) } },
    { "M/D/1, 0.99, 4 x 51200",
      SINGLE "rate 0.99 cycles 51200",
      { SINGLE_ANSWERS(0.99, 49.5) } },
    { "M/D/1, 0.99, 1 x 51200",
      SINGLE "rate 0.99 cycles 51200 replications 1",
      { SINGLE_ANSWERS(0.99, 49.5) } },
    { "uniform by dor, torus:4x4, 0.6",
      "simulate topology torus:4x4 routing dor rate 0.6 cycles 2048",
      { { .name = "accepted_throughput_absolute", .exact = 0.6 },
        { .name = "accepted_throughput_min_absolute", .exact = 0.6 },
        { .name = "offered_throughput_absolute", .exact = 0.6 },
        { .name = "mean_hops", .exact = 2 },
        { .name = "max_channel_utilisation", .exact = 0.3 },
        { .name = "router_accepted_min", .exact = 0.6 },
        { .name = "router_accepted_max", .exact = 0.6 },
        { .name = "channels:utilisation:7", .exact = 0.3 },
        { .name = "routers:accepted:5", .exact = 0.6 } } },
    { "uniform by min, ring:5, 0.01",
      "simulate topology ring:5 rate 0.01 cycles 8192",
      { { .name = "accepted_throughput_absolute", .exact = 0.01 },
        { .name = "offered_throughput_absolute", .exact = 0.01 },
        { .name = "mean_hops", .exact = 6.0 / 5 },
        { .name = "channels:utilisation:3", .exact = 0.01 * 3 / 5 },
        { .name = "routers:accepted:2", .exact = 0.01 } } },
    { "M/D/1, 0.9, 4 x 8192",
      SINGLE "rate 0.9 cycles 8192",
      { SINGLE_ANSWERS(0.9, 4.5) } },
    { "tornado by rlb, ring:8, 0.3: 5/8 on minimal paths",
      "simulate topology ring:8 routing rlb traffic tornado rate 0.3 cycles "
      "4096",
      { { .name = "minimal_fraction", .exact = 5.0 / 8 },
        { .name = "mean_hops", .exact = 15.0 / 4 },
        { .name = "router_accepted_mean", .exact = 0.3 },
        { .name = "max_channel_utilisation", .exact = 0.3 * 15 / 8 },
        { .name = "mean_latency", .exact = OWN_MEAN },
        { .name = "latency_p99", .exact = OWN_MEAN } } },
    { "uniform by rrr, fattree:k=4,n=2, 0.8: channels to terminals",
      "simulate topology fattree:k=4,n=2 routing rrr rate 0.8 cycles 2048",
      { { .name = "accepted_throughput", .exact = 0.8 },
        { .name = "offered_throughput", .exact = 0.8 },
        { .name = "terminals:utilisation:3", .exact = 0.8 },
        { .name = "mean_latency", .exact = OWN_MEAN },
        { .name = "mean_queueing_delay", .exact = OWN_MEAN },
        { .name = "in_flight", .exact = OWN_MEAN } } },
    { "uniform by dor, torus:4x4, 0.6, credit router",
      "simulate topology torus:4x4 routing dor rate 0.6 cycles 2048 router "
      "credit",
      { { .name = "accepted_throughput_min_absolute", .exact = 0.6 },
        { .name = "max_channel_utilisation", .exact = 0.3 },
        { .name = "mean_latency", .exact = OWN_MEAN },
        { .name = "mean_queueing_delay", .exact = OWN_MEAN },
        { .name = "in_flight", .exact = OWN_MEAN } } },
    { "beyond saturation, tornado by dor, ring:8, 0.5: 1/3 forever",
      "simulate topology ring:8 routing dor traffic tornado rate 0.5 cycles "
      "8192",
      { { .name = "offered_throughput_absolute", .exact = 0.5 },
        { .name = "accepted_throughput_absolute", .exact = OWN_MEAN },
        { .name = "accepted_throughput_min_absolute", .exact = OWN_MEAN },
        { .name = "router_accepted_min", .exact = OWN_MEAN },
        { .name = "router_accepted_max", .exact = OWN_MEAN },
        { .name = "max_channel_utilisation", .exact = 1 },
        { .name = "routers:accepted:2", .exact = OWN_MEAN },
        { .name = "mean_hops", .exact = 3 },
        { .name = "mean_latency_measured", .exact = OWN_MEAN },
        { .name = "mean_queueing_delay_measured", .exact = OWN_MEAN },
        { .name = "in_flight_measured", .exact = OWN_MEAN } } },
    { "beyond saturation, tornado by dor, ring:8, 0.5: ended early",
      "simulate topology ring:8 routing dor traffic tornado rate 0.5",
      { { .name = "offered_throughput_absolute", .exact = 0.5 },
        { .name = "accepted_throughput_absolute", .exact = OWN_MEAN },
        { .name = "accepted_throughput_min_absolute", .exact = OWN_MEAN },
        { .name = "max_channel_utilisation", .exact = 1 },
        { .name = "routers:accepted:2", .exact = OWN_MEAN },
        { .name = "mean_hops", .exact = 3 },
        { .name = "in_flight_measured", .exact = OWN_MEAN } } },
    { "beyond saturation, transpose by dor, torus:8x8, 0.5: ended early",
      "simulate topology torus:8x8 routing dor traffic transpose rate 0.5",
      { { .name = "offered_throughput_absolute", .exact = 0.5 },
        { .name = "accepted_throughput_absolute", .exact = OWN_MEAN },
        { .name = "accepted_throughput_min_absolute", .exact = OWN_MEAN },
        { .name = "routers:accepted:2", .exact = OWN_MEAN } } },
    { "search for saturation, transpose by dor, torus:8x8",
      "simulate topology torus:8x8 routing dor traffic transpose find "
      "saturation precision 0.05",
      { { .name = "saturation_absolute", .exact = 2.0 / 7 } } },
    { "search for saturation, tornado by dor, ring:8",
      "simulate topology ring:8 routing dor traffic tornado find saturation "
      "precision 0.1 cycles 8192",
      { { .name = "saturation_absolute", .exact = 1.0 / 3 } } },
    { "uniform by min-adaptive, torus:4x4, 0.6",
      "simulate topology torus:4x4 routing min-adaptive rate 0.6 cycles 2048",
      { { .name = "accepted_throughput_min_absolute", .exact = 0.6 },
        { .name = "max_channel_utilisation", .exact = 0.3 },
        { .name = "router_accepted_min", .exact = 0.6 },
        { .name = "channels:utilisation:7", .exact = 0.3 } } },
    { "uniform by min, mesh:4x4, 0.8: unequal channels",
      "simulate topology mesh:4x4 routing dor rate 0.8 cycles 2048",
      { { .name = "accepted_throughput_min_absolute", .exact = 0.8 },
        { .name = "max_channel_utilisation", .exact = 0.8 },
        { .name = "router_accepted_max", .exact = 0.8 } } },
    { "uniform by min-adaptive, torus:4x4, 0.6, credit router",
      "simulate topology torus:4x4 routing min-adaptive rate 0.6 cycles 2048 "
      "router credit",
      { { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" },
        { .name = "router_accepted_min", .exact = 0.6 },
        { .name = "mean_latency", .exact = OWN_MEAN } } },
    { "beyond saturation, uniform by dor, torus:4x4, 1.9, credit router",
      "simulate topology torus:4x4 routing dor rate 1.9 cycles 4096 router "
      "credit drain no arrivals poisson",
      { { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" },
        { .name = "router_accepted_max",
          .exact = OWN_MEAN,
          .greatest = "routers:accepted" },
        { .name = "router_accepted_min",
          .exact = OWN_MEAN,
          .least = "routers:accepted" },
        { .name = "accepted_throughput_absolute", .exact = OWN_MEAN } } },
    { "beyond saturation, uniform by min-adaptive, mesh:4x4, 1.5, credit "
      "router",
      "simulate topology mesh:4x4 routing min-adaptive rate 1.5 cycles 4096 "
      "router credit drain no arrivals poisson",
      { { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" },
        { .name = "router_accepted_max",
          .exact = OWN_MEAN,
          .greatest = "routers:accepted" },
        { .name = "router_accepted_min",
          .exact = OWN_MEAN,
          .least = "routers:accepted" },
        { .name = "accepted_throughput_absolute", .exact = OWN_MEAN } } },
    { "uniform by goal, torus:4x4, 0.6",
      "simulate topology torus:4x4 routing goal rate 0.6 cycles 2048",
      { { .name = "accepted_throughput_min_absolute", .exact = 0.6 },
        { .name = "mean_hops", .exact = 2.5 },
        { .name = "minimal_fraction", .exact = 0.875 * 0.875 },
        { .name = "max_channel_utilisation", .exact = 0.375 },
        { .name = "channels:utilisation:7", .exact = 0.375 },
        { .name = "mean_latency", .exact = OWN_MEAN } } },
    { "tornado by goal, ring:8, 0.3, credit router",
      "simulate topology ring:8 routing goal traffic tornado rate 0.3 cycles "
      "4096 router credit",
      { { .name = "accepted_throughput_min_absolute", .exact = 0.3 },
        { .name = "minimal_fraction", .exact = 5.0 / 8 },
        { .name = "mean_hops", .exact = 15.0 / 4 },
        { .name = "mean_latency", .exact = OWN_MEAN } } },
    { "uniform by cqr, torus:4x4, 1.2",
      "simulate topology torus:4x4 routing cqr rate 1.2 cycles 2048",
      { ADAPTIVE_ANSWERS(1.2),
        { .name = "max_channel_utilisation", .exact = OWN_MEAN } } },
    { "uniform by ugal, torus:4x4, 1.2",
      "simulate topology torus:4x4 routing ugal rate 1.2 cycles 2048",
      { ADAPTIVE_ANSWERS(1.2),
        { .name = "max_channel_utilisation", .exact = OWN_MEAN } } },
    { "uniform by ugal, torus:4x4, 1.2, credit router",
      "simulate topology torus:4x4 routing ugal rate 1.2 cycles 2048 router "
      "credit speedup 4",
      { ADAPTIVE_ANSWERS(1.2),
        { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" } } },
    { "tornado by gal, ring:8, 0.4, credit router",
      "simulate topology ring:8 routing gal traffic tornado rate 0.4 cycles "
      "4096 router credit speedup 4",
      { ADAPTIVE_ANSWERS(0.4),
        { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" } } },
    { "uniform by chaos, torus:4x4, 1.2",
      "simulate topology torus:4x4 routing chaos rate 1.2 cycles 2048 router "
      "chaos",
      { ADAPTIVE_ANSWERS(1.2),
        { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" } } },
    { "pairs by ugal, complete:4, 1.6",
      "simulate topology complete:4 routing ugal traffic bit-complement rate "
      "1.6 cycles 2048",
      { ADAPTIVE_ANSWERS(1.6),
        { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" } } },
    { "tornado by cqr, ring:8, 0.45",
      "simulate topology ring:8 routing cqr traffic tornado rate 0.45 cycles "
      "4096",
      { ADAPTIVE_ANSWERS(0.45),
        { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" } } },
    { "next groups by par, dragonfly:h=1, 0.3",
      "simulate topology dragonfly:h=1 routing par traffic adv rate 0.3 cycles "
      "4096",
      { ADAPTIVE_ANSWERS(0.3),
        { .name = "max_channel_utilisation",
          .exact = OWN_MEAN,
          .greatest = "channels:utilisation" } } },
    { "beyond saturation, tornado by min-adaptive, torus:8x8, 0.5: ended early",
      "simulate topology torus:8x8 routing min-adaptive traffic tornado rate "
      "0.5",
      { SATURATED_ANSWERS(0.5) } },
    { "beyond saturation, tornado by ugal, torus:4x4, 1.9: ended early",
      "simulate topology torus:4x4 routing ugal traffic tornado rate 1.9",
      { SATURATED_ANSWERS(1.9) } },
    { "search for saturation, tornado by min-adaptive, torus:8x8",
      "simulate topology torus:8x8 routing min-adaptive traffic tornado find "
      "saturation precision 0.05",
      { { .name = "saturation_absolute", .exact = 1.0 / 3 } } },
    { "search for saturation, tornado by goal, ring:8",
      "simulate topology ring:8 routing goal traffic tornado find saturation "
      "precision 0.05",
      { { .name = "saturation_absolute", .exact = 8.0 / 15 } } },
    { "search for saturation, uniform by ugal, complete:4",
      "simulate topology complete:4 routing ugal find saturation precision "
      "0.05",
      { { .name = "saturation_absolute", .exact = 4 } } },
    { "validate, uniform by dor, torus:4x4, 0.6",
      "validate topology torus:4x4 routing dor rate 0.6 cycles 2048 check "
      "loads",
      { { .name = "max_channel_utilisation", .exact = 0.3, .sure = SURE_OF_64 },
        { .name = "channels:simulated:7", .exact = 0.3, .sure = SURE_OF_64 },
        { .name = "channels:simulated:*",
          .exact = 0.3,
          .sure = SURE_OF_64 } } },
    { "validate, uniform by dor, torus:4x4, 0.6: latency",
      "validate topology torus:4x4 routing dor rate 0.6 cycles 2048 check "
      "latency claim mean_hops=2",
      { { .name = "validation:simulated:0", .exact = 2 },
        { .name = "validation:simulated:2", .exact = OWN_MEAN },
        { .name = "validation:simulated:5", .exact = 2 },
        { .name = "mean_latency", .exact = OWN_MEAN } } },
    { "validate, M/D/1, 0.8: latency",
      "validate topology complete:2 traffic bit-complement arrivals poisson "
      "rate 0.8 cycles 8192 check latency",
      { { .name = "validation:simulated:3", .exact = 3 },
        { .name = "mean_latency", .exact = 3 } } },
    { "validate, tornado by dor, ring:8: saturation",
      "validate topology ring:8 routing dor traffic tornado cycles 8192 check "
      "saturation",
      { { .name = "saturation", .exact = 1.0 / 3 },
        { .name = "validation:simulated:0", .exact = 1.0 / 3 },
        { .name = "validation:simulated:2", .exact = 0.98 / 3 },
        { .name = "validation:simulated:3", .exact = OWN_MEAN } } },
    { "validate, tornado by rlb, ring:8, 0.3: split",
      "validate topology ring:8 routing rlb traffic tornado rate 0.3 cycles "
      "4096 check split",
      { { .name = "minimal_rate", .exact = 0.3 * 5 / 8 },
        { .name = "mean_latency", .exact = OWN_MEAN } } },
    { "validate, rrr, fattree:k=4,n=2, 0.8: distributions at 99 %",
      "validate topology fattree:k=4,n=2 routing rrr rate 0.8 cycles 8192 "
      "replications 16 arrivals poisson check queues+delay+reorder",
      { { .name = "hops:simulated:0", .exact = 16.7003, .sure = 2.5758 },
        { .name = "hops:simulated:2", .exact = OWN_MEAN, .sure = 2.5758 },
        { .name = "ccdf:simulated:1", .exact = 0.8, .sure = 2.5758 },
        { .name = "ccdf:simulated:4", .exact = 0.2379005, .sure = 2.5758 },
        { .name = "ccdf:simulated:10", .exact = 0.01793508, .sure = 2.5758 },
        { .name = "validation:simulated:3", .exact = OWN_MEAN, .sure = 2.5758 },
        { .name = "validation:simulated:4", .exact = OWN_MEAN, .sure = 2.5758 },
        { .name = "validation:simulated:7", .exact = OWN_MEAN, .sure = 2.5758 },
        { .name = "validation:simulated:8",
          .exact = OWN_MEAN,
          .sure = 4.65 } } },
    { "validate, a batch of 40, complete:2",
      "validate topology complete:2 batch 40",
      { { .name = "completion_time_per_packet",
          .exact = NAN,
          .find = larger_of_two_each } } },
    { "a batch of 40, complete:2",
      "simulate topology complete:2 batch 40",
      { { .name = "completion_time", .exact = NAN, .find = larger_of_two },
        { .name = "completion_time_per_packet",
          .exact = NAN,
          .find = larger_of_two_each } } },
    { "windows of 256, M/D/1, 0.5",
      SINGLE "rate 0.5 cycles 2048 window 256",
      { { .name = "series:accepted:5", .exact = 0.5 } } },
};

/* The interval in a table's row, with its half-width or both ends in the next
 * columns. */
static struct nb_quantity interval_of_row(const struct nb_table *from,
                                          const char *column, size_t row)
{
    const union nb_cell *cells = &from->cells[row * from->column_count];
    size_t c = 0;
    while (strcmp(from->columns[c].name, column) != 0)
        c++;
    const double value = cells[c].number, next = cells[c + 1].number;
    const bool is_half = strcmp(from->columns[c + 1].name, "half_width") == 0;
    return (struct nb_quantity){
        .value = value,
        .lower = is_half ? value - next : next,
        .upper = is_half ? value + next : cells[c + 2].number,
    };
}

/* The interval as it is printed; for all rows, the one that is farthest from
 * containing the exact value. */
static struct nb_quantity interval_of(const struct nb_point *point,
                                      const char *name, double exact)
{
    char table[32], column[32], row[32];
    if (sscanf(name, "%31[^:]:%31[^:]:%31s", table, column, row) != 3) {
        const struct nb_quantity *quantity = nb_point_quantity(point, name);
        assert_non_null(quantity);
        return *quantity;
    }
    const struct nb_table *from = nb_point_table(point, table);
    if (*row != '*')
        return interval_of_row(from, column, (size_t)atoi(row));
    struct nb_quantity worst = interval_of_row(from, column, 0);
    for (size_t r = 1; r < from->row_count; r++) {
        const struct nb_quantity each = interval_of_row(from, column, r);
        const double more = fmax(each.lower - exact, exact - each.upper);
        if (more > fmax(worst.lower - exact, exact - worst.upper))
            worst = each;
    }
    return worst;
}

/* Whether the interval is unbounded on at least one side. */
static bool is_open(const struct nb_quantity *interval)
{
    return isinf(interval->upper) || interval->lower <= 0;
}

/* The rows of a column over the seeds. */
struct rows {
    size_t count;
    double *sum, *square; /* [count] */
};

/* name: TABLE:COLUMN */
static void rows_add(struct rows *rows, const struct nb_point *point,
                     const char *name)
{
    char table[32], column[32];
    assert_int_equal(sscanf(name, "%31[^:]:%31s", table, column), 2);
    const struct nb_table *from = nb_point_table(point, table);
    if (rows->count == 0) {
        rows->count = from->row_count;
        rows->sum = calloc(rows->count, sizeof *rows->sum);
        rows->square = calloc(rows->count, sizeof *rows->square);
    }
    for (size_t r = 0; r < rows->count; r++) {
        const double value = interval_of_row(from, column, r).value;
        rows->sum[r] += value;
        rows->square[r] += value * value;
    }
}

/* The extreme mean of a row, and the deviation of that row. */
static double rows_extreme(const struct rows *rows, double seeds, bool is_least,
                           double *deviation)
{
    size_t found = 0;
    for (size_t r = 1; r < rows->count; r++)
        if (is_least ? rows->sum[r] < rows->sum[found]
                     : rows->sum[r] > rows->sum[found])
            found = r;
    const double mean = rows->sum[found] / seeds;
    *deviation =
        sqrt((rows->square[found] / seeds - mean * mean) * seeds / (seeds - 1));
    return mean;
}

/* interval: [count] of all seeds; rows: empty for the answer itself */
static void print(const struct answer *answer, double exact,
                  const struct nb_quantity *interval, size_t count,
                  const struct rows *rows)
{
    const double sure = answer->sure > 0 ? answer->sure : 1.96;
    double n = 0, mean = 0, square = 0, width = 0, inside = 0, below = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_open(&interval[i])) {
            n++;
            mean += interval[i].value;
            width += (interval[i].upper - interval[i].lower) / 2;
        }
    mean /= n;
    const bool is_own = exact == OWN_MEAN;
    double deviation = NAN, of_all = mean;
    if (rows->count > 0)
        of_all = rows_extreme(rows, (double)count, answer->least != NULL,
                              &deviation);
    const double truth = is_own ? of_all : exact;
    for (size_t i = 0; i < count; i++)
        if (!is_open(&interval[i])) {
            const double off = interval[i].value - mean;
            square += off * off;
            inside += interval[i].lower <= truth && truth <= interval[i].upper;
            below += interval[i].upper < truth;
        }
    if (rows->count == 0)
        deviation = sqrt(square / (n - 1));
    width = strchr(answer->name, '*') != NULL
                ? NAN /* a different row each time */
                : width / n / (sure * deviation);
    if (is_own)
        printf("  %-34s %10s", answer->name, "own mean");
    else
        printf("  %-34s %10.5g", answer->name, exact);
    if (n == 0)
        printf("  %47s\n", "all open");
    else
        printf(" %10.5g  %5.1f %%  %5.1f %%  %5.2f  %4.0f\n", mean,
               100 * inside / n, 100 * below / n, width, (double)count - n);
}

static void ask(const struct coverage_case *row, size_t seed,
                struct nb_point *out)
{
    struct nb_error err = { 0 };
    char text[300], *save;
    snprintf(text, sizeof text, "%s seed %zu", row->options,
             1000003 * (seed + 1));
    const char *name = strtok_r(text, " ", &save);
    const struct nb_question_kind *command = nb_question_find(name);
    struct nb_model model = { .command = nb_new_string(name) };
    const struct nb_question question = { .model = &model,
                                          .run = { .threads = 1 } };
    for (char *option = strtok_r(NULL, " ", &save); option != NULL;
         option = strtok_r(NULL, " ", &save))
        if (nb_model_set(&model, option, strtok_r(NULL, " ", &save), &err) !=
            NB_OK)
            fail_msg("%s", err.message);
    *out = (struct nb_point){ 0 };
    if (nb_model_complete(&command->form, &model, &err) != NB_OK ||
        nb_question_answer(command, &question, out, &err) != NB_OK)
        fail_msg("%s: %s", row->options, err.message);
    nb_model_release(&model);
}

static void cover(const struct coverage_case *row, size_t seeds)
{
    enum { MOST = sizeof row->answers / sizeof *row->answers };
    struct nb_quantity *seen[MOST] = { 0 };
    struct rows rows[MOST] = { 0 };
    double exact[MOST];
    size_t count = 0;
    for (; count < MOST && row->answers[count].name != NULL; count++) {
        exact[count] = row->answers[count].find != NULL
                           ? row->answers[count].find()
                           : row->answers[count].exact;
        seen[count] = calloc(seeds, sizeof *seen[count]);
        assert_non_null(seen[count]);
    }
    for (size_t seed = 0; seed < seeds; seed++) {
        struct nb_point point;
        ask(row, seed, &point);
        for (size_t i = 0; i < count; i++) {
            const struct answer *each = &row->answers[i];
            seen[i][seed] = interval_of(&point, each->name, exact[i]);
            if (each->greatest != NULL || each->least != NULL)
                rows_add(&rows[i], &point,
                         each->least != NULL ? each->least : each->greatest);
        }
        nb_point_release(&point);
    }
    printf("%s\n", row->name);
    for (size_t i = 0; i < count; i++) {
        print(&row->answers[i], exact[i], seen[i], seeds, &rows[i]);
        free(seen[i]);
        free(rows[i].sum);
        free(rows[i].square);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const size_t count = sizeof cases / sizeof *cases;
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const size_t seeds = is_quick ? 20 : argc > 1 ? (size_t)atoi(argv[1]) : 200;
    const size_t only = argc > 2 ? (size_t)atoi(argv[2]) : count;
    gsl_set_error_handler_off();
    printf("  %-34s %10s %10s  %7s  %7s  %5s  %4s\n", "quantity", "exact",
           "mean", "inside", "below", "width", "open");
    for (size_t i = 0; i < count; i++)
        if (only == count || only == i)
            cover(&cases[i], seeds);
    return 0;
}
