/* The choices of adaptive schemes in networks with given queues, compared with
 * their rules in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/adaptive.h"
#include "../support/topology_checks.h"

#include "core/random.h"

/* Singh2005, Figure 5.19: from (0, 0) to (2, 3). Its text gives quadrant (+-) 8
 * hops, but 2 to the right and 8 - 3 down are 7. */
enum { FIGURE_TARGET = 2 + 3 * 8, FIGURE_QUADRANTS = 4 };
static const struct {
    nb_route_state directions; /* bit 0: x, bit 1: y; 1: plus */
    uint32_t hops;
    size_t queue[2]; /* of a: +x, b: +y, c: -x, d: -y */
} figure[FIGURE_QUADRANTS] = {
    { 3, 5, { 0, 1 } },
    { 1, 7, { 0, 3 } },
    { 2, 9, { 1, 2 } },
    { 0, 11, { 2, 3 } },
};

static void figure_check(struct adaptive *adaptive, const uint32_t queue[4])
{
    size_t best = 0, chosen;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < FIGURE_QUADRANTS; i++) {
        const uint32_t one = queue[figure[i].queue[0]];
        const uint32_t other = queue[figure[i].queue[1]];
        const uint32_t product = figure[i].hops * (one < other ? one : other);
        if (product < least) {
            least = product;
            best = i;
        }
    }
    for (size_t i = 0; i < 4; i++)
        *adaptive_queue_to(adaptive, 0, i % 2, i < 2) = queue[i];
    const struct nb_start start =
        adaptive_choose(adaptive, 0, FIGURE_TARGET, &chosen);
    TOPOLOGY_CHECK(start.state == figure[best].directions,
                   "queues %u %u %u %u: directions %llu, not quadrant %zu",
                   queue[0], queue[1], queue[2], queue[3],
                   (unsigned long long)start.state, best + 1);
}

static void test_cqr_takes_least_hops_times_queue(void **state)
{
    (void)state;
    struct adaptive adaptive;
    struct nb_random random;
    adaptive_open(&adaptive, "torus:8x8", "cqr");
    nb_random_init(&random, 519, 0);
    for (uint32_t most = 1; most <= 64; most *= 2)
        for (int trial = 0; trial < 500; trial++) {
            uint32_t queue[4];
            for (size_t i = 0; i < 4; i++)
                queue[i] = (uint32_t)nb_random_below(&random, most + 1);
            figure_check(&adaptive, queue);
        }
    adaptive_close(&adaptive);
}

/* "CQR routes minimally as long as 3 q_m <= 5 q_nm" [Singh2005, 5.4.4]; also on
 * a torus, where a matched dimension has empty channels. */
static void tornado_check(const char *topology)
{
    struct adaptive adaptive;
    adaptive_open(&adaptive, topology, "cqr");
    for (uint32_t router = 0; router < 8; router++)
        for (uint32_t minimal = 0; minimal <= 20; minimal++)
            for (uint32_t other = 0; other <= 20; other++) {
                *adaptive_queue_to(&adaptive, router, 0, true) = minimal;
                *adaptive_queue_to(&adaptive, router, 0, false) = other;
                TOPOLOGY_CHECK(
                    adaptive_is_first(&adaptive, router, (router + 3) % 8) ==
                        (3 * minimal <= 5 * other),
                    "%s, router %u, queues %u and %u", topology, router,
                    minimal, other);
            }
    adaptive_close(&adaptive);
}

static void test_cqr_on_tornado(void **state)
{
    (void)state;
    tornado_check("ring:8");
    tornado_check("torus:8x8");
}

/* The first queue, in order of hops, below the threshold, else the shortest
 * one. */
static void gal_check(struct adaptive *adaptive, uint32_t destination,
                      size_t count, uint32_t threshold)
{
    size_t shortest = 0, expected = count, chosen;
    for (size_t i = 0; i < count; i++) {
        if (adaptive->waiting[i] < adaptive->waiting[shortest])
            shortest = i;
        if (expected == count && adaptive->waiting[i] < threshold)
            expected = i;
    }
    if (expected == count)
        expected = shortest;
    adaptive_choose(adaptive, 0, destination, &chosen);
    TOPOLOGY_CHECK(chosen == expected,
                   "threshold %u: %u %u %u %u wait: start %zu, not %zu",
                   threshold, adaptive->waiting[0], adaptive->waiting[1],
                   adaptive->waiting[2], adaptive->waiting[3], chosen,
                   expected);
}

static void test_gal_fills_queues_up_to_a_threshold(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing;
        uint32_t destination, threshold;
        size_t count;
    } cases[] = {
        { "ring:8", "gal", 3, 2, 2 },
        { "ring:8", "gal:1", 3, 1, 2 },
        { "ring:8", "gal:threshold=4", 5, 4, 2 },
        { "torus:8x8", "gal", FIGURE_TARGET, 2, 4 },
        { "torus:8x8", "gal:3", FIGURE_TARGET, 3, 4 },
        { "torus:8x8", "gal:stable=yes", FIGURE_TARGET, 2, 4 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct adaptive adaptive;
        adaptive_open(&adaptive, cases[i].topology, cases[i].routing);
        const uint32_t all = 7u * 7u * (cases[i].count == 4 ? 7u * 7u : 1u);
        for (uint32_t code = 0; code < all; code++) {
            uint32_t rest = code;
            for (size_t s = 0; s < cases[i].count; s++, rest /= 7)
                adaptive.waiting[s] = rest % 7;
            gal_check(&adaptive, cases[i].destination, cases[i].count,
                      cases[i].threshold);
        }
        adaptive_close(&adaptive);
    }
}

/* How often each start is taken in many cycles of unchanging queues. */
enum { EVEN_CYCLES = 8000, EVEN_SIGMAS = 5 };

static void even_check(struct adaptive *adaptive, const char *name,
                       uint32_t source, uint32_t destination,
                       const char *shared)
{
    const struct nb_routing *routing = &adaptive->problem.routing;
    uint32_t times[ADAPTIVE_STARTS] = { 0 };
    size_t chosen, sharers = 0;
    for (uint64_t cycle = 0; cycle < EVEN_CYCLES; cycle++) {
        adaptive_choose(adaptive, source, destination, &chosen);
        times[chosen]++;
        routing->kind->observe(routing, &adaptive->view, cycle);
    }
    for (size_t i = 0; shared[i] != '\0'; i++)
        sharers += shared[i] == 'y';
    for (size_t i = 0; shared[i] != '\0'; i++) {
        const double part = shared[i] == 'y' ? 1.0 / (double)sharers : 0;
        const double away = times[i] - EVEN_CYCLES * part;
        TOPOLOGY_CHECK(away * away <= EVEN_SIGMAS * EVEN_SIGMAS * EVEN_CYCLES *
                                          part * (1 - part),
                       "%s, %u to %u: start %zu taken %u times of %d", name,
                       source, destination, i, times[i], EVEN_CYCLES);
    }
}

static void test_equal_starts_share_evenly(void **state)
{
    (void)state;
    static const char *const schemes[] = { "cqr", "gal", "gal:stable=yes" };
    struct adaptive adaptive;
    for (size_t i = 0; i < 3; i++) {
        adaptive_open(&adaptive, "ring:8", schemes[i]);
        even_check(&adaptive, schemes[i], 0, 4, "yy");
        even_check(&adaptive, schemes[i], 6, 2, "yy");
        even_check(&adaptive, schemes[i], 6, 5, "yn");
        adaptive_close(&adaptive);
        adaptive_open(&adaptive, "torus:8x6", schemes[i]);
        even_check(&adaptive, schemes[i], 1, 1 + 4 + 8 * 3, "yyyy");
        even_check(&adaptive, schemes[i], 1, 2 + 8 * 3, "yynn");
        even_check(&adaptive, schemes[i], 9, 9, "y");
        adaptive_close(&adaptive);
    }
    /* If the shortest, with 4 hops, is excluded, both longer ones have 8. */
    adaptive_open(&adaptive, "torus:8x8", "gal");
    adaptive.waiting[0] = 9;
    even_check(&adaptive, "gal", 0, 18, "nyyn");
    adaptive.waiting[1] = adaptive.waiting[2] = 5;
    adaptive.waiting[3] = 6;
    even_check(&adaptive, "gal", 0, 18, "nyyn");
    adaptive_close(&adaptive);
    /* Of four at the same distance, those that may use the empty channel. */
    adaptive_open(&adaptive, "torus:8x8", "cqr");
    for (size_t d = 0; d < 2; d++)
        for (int is_plus = 0; is_plus < 2; is_plus++)
            *adaptive_queue_to(&adaptive, 0, d, is_plus) = 3;
    *adaptive_queue_to(&adaptive, 0, 0, true) = 1;
    even_check(&adaptive, "cqr", 0, 4 + 8 * 4, "nyny");
    adaptive_close(&adaptive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cqr_takes_least_hops_times_queue),
        cmocka_unit_test(test_cqr_on_tornado),
        cmocka_unit_test(test_gal_fills_queues_up_to_a_threshold),
        cmocka_unit_test(test_equal_starts_share_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
