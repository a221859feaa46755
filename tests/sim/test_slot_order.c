/* Conventions within a slot: which queues adaptive schemes see, and in which
 * order packets join them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a row of the reference. */
struct convention {
    char topology[24], routing[24], traffic[24], arrivals[24], congestion[24],
        order[24];
    double rate, latency, latency_error, detours, detours_error;
};

static bool convention_read(const char *line, struct convention *out)
{
    return sscanf(line,
                  "%23[^,],%23[^,],%23[^,],%lf,%23[^,],%23[^,],%23[^,],%lf,"
                  "%lf,%lf,%lf",
                  out->topology, out->routing, out->traffic, &out->rate,
                  out->arrivals, out->congestion, out->order, &out->latency,
                  &out->latency_error, &out->detours,
                  &out->detours_error) == 11;
}

/* Both are means with a 95 % half-width. Further apart than 2 of the
 * difference's: once in 10^4. */
static void convention_compare(const struct simulation *s,
                               const struct convention *row, const char *what,
                               struct nb_estimate found, double value,
                               double error)
{
    const double allowed = 2 * hypot(found.half_width, error) + 1e-9;
    SIMULATION_CHECK(fabs(found.mean - value) <= allowed,
                     "%s at %g, %s, %s, %s: %s %g +- %g, by the reference %g "
                     "+- %g",
                     s->name, row->rate, row->arrivals, row->congestion,
                     row->order, what, found.mean, found.half_width, value,
                     error);
}

static void convention_check(const struct convention *row)
{
    char example[50];
    struct nb_simulation_result result;
    struct simulation s;
    snprintf(example, sizeof example, "%s@%s", row->routing, row->topology);
    simulation_open(&s, example, row->traffic, row->rate);
    if (strcmp(row->arrivals, "poisson") == 0)
        s.plan.injection.kind = NB_INJECT_POISSON;
    if (strcmp(row->congestion, "waiting") == 0)
        s.plan.router.congestion = NB_CONGESTION_WAITING;
    if (strcmp(row->order, "random") == 0)
        s.plan.router.slot_order = NB_SLOT_RANDOM;
    simulation_run(&s, &result);
    convention_compare(&s, row, "latency", result.latency, row->latency,
                       row->latency_error);
    result.minimal.mean = 1 - result.minimal.mean;
    convention_compare(&s, row, "detours", result.minimal, row->detours,
                       row->detours_error);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Against a simulation that shares no code: tests/oracles. */
static void test_reference(void **state)
{
    FILE *file = fopen("data/reference/slot_conventions.csv", "r");
    char line[200];
    int count = 0;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        struct convention row;
        if (!convention_read(line, &row))
            continue; /* a comment or the header */
        convention_check(&row);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 32);
}

/* Packets of one source wait for one channel: after each cycle, the flits of
 * those that the channel does not send in the next one. */
static void check_waiting(const char *example, uint32_t packets, uint32_t flits,
                          const uint32_t *waiting, size_t cycles)
{
    struct nb_trace_packet list[8];
    struct simulation s;
    simulation_open(&s, example, "uniform", 0);
    for (uint32_t p = 0; p < packets; p++)
        list[p] = (struct nb_trace_packet){ 0, 0, 1, flits };
    simulation_set_trace(&s, list, packets);
    s.plan.router.congestion = NB_CONGESTION_WAITING;
    simulation_start(&s);
    for (size_t c = 0; c < cycles; c++) {
        simulation_cycle(&s);
        const uint32_t seen = s.network.view.queue(s.network.view.network, 0);
        SIMULATION_CHECK(seen == waiting[c], "%s, cycle %zu: %u flits wait",
                         s.name, c, seen);
    }
    simulation_close(&s);
}

static void test_waiting(void **state)
{
    (void)state;
    check_waiting("dor@mesh:2", 4, 1, (uint32_t[]){ 2, 1, 0, 0 }, 4);
    check_waiting("dor@mesh:2", 3, 3,
                  (uint32_t[]){ 6, 6, 3, 3, 3, 0, 0, 0, 0, 0 }, 10);
    check_waiting("dor@mesh:2,bandwidth=2", 7, 1, (uint32_t[]){ 3, 1, 0, 0 },
                  4);
    /* It sends in cycles 0, 2, 4. */
    check_waiting("dor@mesh:2,bandwidth=1/2", 3, 1,
                  (uint32_t[]){ 2, 1, 1, 0, 0 }, 5);
}

/* How often a packet in transit is before a new one in first come, first
 * served: its latency is 2, otherwise 3. */
static double transit_first(enum nb_slot_order order, size_t trials)
{
    static const struct nb_trace_packet packets[] = { { 0, 0, 2, 1 },
                                                      { 1, 1, 2, 1 } };
    size_t first = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        struct nb_simulation_result result;
        struct simulation s;
        simulation_open(&s, "dor@mesh:3", "uniform", 0);
        simulation_set_trace(&s, packets, 2);
        s.plan.seed = SIMULATION_SEED(trial);
        s.plan.router.arbitration = NB_IN_TURN;
        s.plan.router.slot_order = order;
        s.plan.pair_source = 0;
        s.plan.pair_target = 2;
        simulation_run(&s, &result);
        SIMULATION_CHECK(result.latency.mean == 2 || result.latency.mean == 3,
                         "latency %g", result.latency.mean);
        first += result.latency.mean == 2;
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
    return (double)first / (double)trials;
}

static void test_order(void **state)
{
    enum { TRIALS = 1000 };
    (void)state;
    assert_true(transit_first(NB_SLOT_TRANSIT, 20) == 1);
    const double share = transit_first(NB_SLOT_RANDOM, TRIALS);
    SIMULATION_CHECK(fabs(share - 0.5) < 4 * sqrt(0.25 / TRIALS),
                     "in transit first: %g", share);
}

static void check_refused(enum nb_router_model model,
                          enum nb_congestion congestion,
                          enum nb_slot_order order, const char *message)
{
    struct nb_error err = { 0 };
    struct simulation s;
    simulation_open(&s, "min@ring:4", "uniform", 0.1);
    s.plan.router.model = model;
    s.plan.router.congestion = congestion;
    s.plan.router.slot_order = order;
    assert_int_equal(nb_simulation_check(&s.plan, &err), NB_INVALID);
    assert_string_equal(err.message, message);
    simulation_close(&s);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused(NB_ROUTER_CREDIT, NB_CONGESTION_WAITING, NB_SLOT_TRANSIT,
                  "congestion waiting is not permitted with this router "
                  "(permitted: with the ideal router; with the credit router, "
                  "credits or output)");
    check_refused(NB_ROUTER_CREDIT, NB_CONGESTION_OUTPUT, NB_SLOT_RANDOM,
                  "slot order random is not permitted with this router, whose "
                  "arbitration orders packets (permitted: with the ideal "
                  "router)");
    check_refused(NB_ROUTER_IDEAL, NB_CONGESTION_OUTPUT, NB_SLOT_RANDOM + 1,
                  "slot order 2 (permitted: 0 to 1)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_refused),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
