/* Queues that packets join depending on their lengths, against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "queueing/joining.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 256 };

static double transit[DEPTH], injected[DEPTH], seen[2][DEPTH];

static struct nb_joining_law find(const struct nb_joining *queue)
{
    struct nb_joining_law law = { .transit = seen[0], .injected = seen[1] };
    nb_joining_find(queue, &law);
    return law;
}

/* If packets join at the same rate at every length, it is M/D/1, or the slotted
 * queue of [KruskalSnir1983]: rho times the wait is left after service. */
static void test_constant_rates(void **state)
{
    (void)state;
    static const double share[] = { 0.5, 0.25, 0.125, 0.125 };
    for (double rho = 0.1; rho < 0.95; rho += 0.2) {
        for (size_t n = 0; n < DEPTH; n++)
            transit[n] = rho;
        struct nb_joining queue = { .depth = DEPTH,
                                    .transit = transit,
                                    .injected = injected };
        struct nb_joining_law law = find(&queue);
        const double left = rho * rho / (2 * (1 - rho));
        TOPOLOGY_CHECK(fabs(law.mean - left) < 1e-9 * left,
                       "M/D/1 at %g: %.17g, not %.17g", rho, law.mean, left);
        TOPOLOGY_CHECK(fabs(law.rate - rho) < 1e-9, "rate %.17g, not %g",
                       law.rate, rho);
        queue.share = share;
        queue.input_count = 4;
        law = find(&queue);
        const double fewer = left * (1 - 0.25 - 0.0625 - 2 * 0.015625);
        TOPOLOGY_CHECK(fabs(law.mean - fewer) < 1e-9 * fewer,
                       "inputs at %g: %.17g, not %.17g", rho, law.mean, fewer);
    }
}

/* The same from terminals: two sources of 5/2 each act like inputs with shares
 * of 1/5, 1/5 and 1/10. */
static void test_sources(void **state)
{
    (void)state;
    static const double none[] = { 0 };
    for (double rho = 0.1; rho < 0.95; rho += 0.2) {
        for (size_t n = 0; n < DEPTH; n++)
            injected[n] = rho;
        const struct nb_joining queue = { .depth = DEPTH,
                                          .transit = transit,
                                          .injected = injected,
                                          .share = none,
                                          .source_count = 2,
                                          .source_rate = 2.5 };
        const struct nb_joining_law law = find(&queue);
        const double left =
            rho * rho / (2 * (1 - rho)) * (1 - 2 * (0.04 + 0.04 + 0.01));
        TOPOLOGY_CHECK(fabs(law.mean - left) < 1e-9 * left &&
                           fabs(law.rate - rho) < 1e-9,
                       "at %g: %.17g, not %.17g", rho, law.mean, left);
    }
    memset(injected, 0, sizeof injected);
}

/* With this many inputs, few of them bring a packet in a slot: as above, and
 * packets from terminals also meet a distribution. */
static void test_many_inputs(void **state)
{
    (void)state;
    enum { INPUTS = 100 };
    double share[INPUTS], sum[2] = { 0 };
    for (size_t i = 0; i < INPUTS; i++)
        share[i] = 1.0 / INPUTS;
    for (size_t n = 0; n < DEPTH; n++)
        transit[n] = 0.5;
    struct nb_joining queue = { .depth = DEPTH,
                                .transit = transit,
                                .injected = injected,
                                .share = share,
                                .input_count = INPUTS };
    const double left = 0.25 * (1 - 1.0 / INPUTS);
    struct nb_joining_law law = find(&queue);
    TOPOLOGY_CHECK(fabs(law.mean - left) < 1e-9, "%.17g, not %.17g", law.mean,
                   left);
    queue.source_count = 1;
    queue.source_rate = 0.2;
    for (size_t n = 0; n < DEPTH; n++)
        injected[n] = 0.2;
    law = find(&queue);
    for (size_t n = 0; n < DEPTH; n++) {
        sum[0] += law.transit[n];
        sum[1] += law.injected[n];
        injected[n] = 0;
    }
    TOPOLOGY_CHECK(fabs(sum[0] - 1) < 1e-9 && fabs(sum[1] - 1) < 1e-9,
                   "distributions of %.17g and %.17g", sum[0], sum[1]);
}

/* A queue that packets join only when it is empty never makes a packet wait. */
static void test_only_when_empty(void **state)
{
    (void)state;
    static const double share[] = { 0.5, 0.5 };
    for (size_t n = 0; n < DEPTH; n++)
        transit[n] = n == 0 ? 1 : 0;
    const struct nb_joining queue = { .depth = DEPTH,
                                      .transit = transit,
                                      .injected = injected,
                                      .share = share,
                                      .input_count = 2 };
    const struct nb_joining_law law = find(&queue);
    TOPOLOGY_CHECK(law.mean == 0 && fabs(law.rate - 0.75) < 1e-12,
                   "left %g, rate %.17g, not 0 and 3/4", law.mean, law.rate);
}

/* More than one per slot at every length: it grows without bound. */
static void test_overfull(void **state)
{
    (void)state;
    for (size_t n = 0; n < DEPTH; n++)
        transit[n] = 1.2;
    const struct nb_joining queue = { .depth = DEPTH,
                                      .transit = transit,
                                      .injected = injected };
    const struct nb_joining_law law = find(&queue);
    TOPOLOGY_CHECK(law.overflow > 0.1, "overflow %g", law.overflow);
}

/* Masses that exceed 10^100 on the way: packets from other routers and from
 * terminals meet the same lengths. */
static void test_overfull_by_far(void **state)
{
    (void)state;
    double sum = 0;
    for (size_t n = 0; n < DEPTH; n++)
        transit[n] = 3;
    const struct nb_joining queue = { .depth = DEPTH,
                                      .transit = transit,
                                      .injected = injected };
    const struct nb_joining_law law = find(&queue);
    for (size_t n = 0; n < DEPTH; n++) {
        TOPOLOGY_CHECK(law.transit[n] == law.injected[n],
                       "length %zu: %.17g and %.17g", n, law.transit[n],
                       law.injected[n]);
        sum += law.transit[n];
    }
    TOPOLOGY_CHECK(fabs(sum - 1) < 1e-9 && law.transit[DEPTH - 1] > 0.5,
                   "sum %.17g, last %g", sum, law.transit[DEPTH - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_rates),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_many_inputs),
        cmocka_unit_test(test_only_when_empty),
        cmocka_unit_test(test_overfull),
        cmocka_unit_test(test_overfull_by_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
