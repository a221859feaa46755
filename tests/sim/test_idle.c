/* Traces with long gaps: cycles in which nothing happens are left out, and
 * everything else is as in a network that is driven cycle by cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "support/simulation.h"

#include <math.h>
#include <string.h>

enum { IDLE_PACKETS = 12 };

static const struct {
    const char *example;
    enum nb_router_model model;
} networks[] = {
    { "dor@mesh:3x2", NB_ROUTER_IDEAL },
    { "dor@mesh:3x2,bandwidth=1/40", NB_ROUTER_IDEAL },
    { "min@torus:3x3", NB_ROUTER_IDEAL },
    { "ugal@complete:5", NB_ROUTER_IDEAL },
    { "dor@mesh:3x2", NB_ROUTER_CREDIT },
    { "dor@mesh:3x2,bandwidth=1/40", NB_ROUTER_CREDIT },
    { "ugal@complete:5", NB_ROUTER_CREDIT },
    { "cqr@torus:3x3", NB_ROUTER_CREDIT }, /* observes: nothing is left out */
};

/* Bursts with gaps around the time after which cycles are left out; distinct
 * packets of one flit where channels are slow. */
static void draw_trace(struct nb_random *random, uint64_t terminals,
                       struct nb_trace_packet *packets, bool is_slow)
{
    uint64_t cycle = nb_random_below(random, 3000);
    for (size_t p = 0; p < IDLE_PACKETS; p++) {
        packets[p] = (struct nb_trace_packet){
            .cycle = cycle,
            .source = (uint32_t)nb_random_below(random, terminals),
            .target = (uint32_t)nb_random_below(random, terminals),
            .flits = is_slow ? 1 : 1 + (uint32_t)nb_random_below(random, 4),
        };
        if (nb_random_below(random, 3) == 0)
            cycle += nb_random_below(random, 4000);
    }
}

static void compare(const struct simulation *s,
                    const struct nb_simulation_result *result)
{
    const struct nb_batch *batch = &s->network.measure.batch[0];
    const double cycles = (double)result->cycles;
    assert_true(batch->packets == (double)result->packets);
    assert_true(fabs(batch->latency - result->latency.mean * batch->packets) <
                1e-9 * (1 + batch->latency));
    assert_true(fabs(batch->hops - result->hops.mean * batch->packets) <
                1e-9 * (1 + batch->hops));
    assert_true(fabs(batch->in_flight - result->in_flight.mean * cycles) <
                1e-9 * (1 + batch->in_flight));
}

static void idle_cycles_are_left_out(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (uint64_t trial = 0; trial < 8; trial++) {
            struct simulation s;
            struct nb_simulation_result result;
            struct nb_trace_packet packets[IDLE_PACKETS];
            struct nb_random random;
            nb_random_init(&random, SIMULATION_SEED(trial), n);
            simulation_open(&s, networks[n].example, "uniform", 0);
            s.plan.router.model = networks[n].model;
            draw_trace(&random, s.topology.terminal_count, packets,
                       strstr(networks[n].example, "1/") != NULL);
            simulation_set_trace(&s, packets, IDLE_PACKETS);
            simulation_run(&s, &result);
            simulation_start(&s);
            while (!nb_sources_are_done(&s.network.sources) ||
                   s.network.packets.count > 0)
                simulation_cycle(&s);
            compare(&s, &result);
            nb_simulation_result_release(&result);
            simulation_close(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_cycles_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
