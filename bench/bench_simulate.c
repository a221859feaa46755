/*
 * Times the simulator on one core: cycles and flit-hops per second, and, on
 * the 8-ary 2-cube, against a bare simulator of this one case.
 *
 *     bench_simulate [quick]    with "quick", fewer cycles
 */
#include "bare_torus.h"
#include "measure.h"
#include "sim/sim.h"

#include <string.h>

struct simulate_case {
    const char *topology, *routing;
    double rate; /* [packet/cycle/terminal] */
    uint64_t cycles;
    enum nb_router_model model;
    enum nb_arbitration arbitration;
    uint32_t virtual_channels;
    bool is_bare; /* the bare simulator has this case */
};

static const struct simulate_case simulate_cases[] = {
    { "torus:8x8", "dor", 0.1, 200000, NB_ROUTER_IDEAL, NB_IN_TURN, 0, true },
    { "torus:8x8", "dor", 0.4, 100000, NB_ROUTER_IDEAL, NB_IN_TURN, 0, true },
    { "torus:8x8", "dor", 0.95, 50000, NB_ROUTER_IDEAL, NB_IN_TURN, 0, true },
    { "torus:8x8", "dor", 0.1, 200000, NB_ROUTER_IDEAL, NB_OLDEST_FIRST, 0,
      true },
    { "torus:8x8", "dor", 0.4, 100000, NB_ROUTER_IDEAL, NB_OLDEST_FIRST, 0,
      true },
    { "torus:8x8", "dor", 0.95, 50000, NB_ROUTER_IDEAL, NB_OLDEST_FIRST, 0,
      true },
    { "torus:8x8", "dor", 0.1, 100000, NB_ROUTER_CREDIT, NB_IN_TURN, 8, false },
    { "torus:8x8", "dor", 0.3, 50000, NB_ROUTER_CREDIT, NB_IN_TURN, 8, false },
    { "torus:8x8", "dor", 0.4, 50000, NB_ROUTER_CREDIT, NB_IN_TURN, 8, false },
    { "torus:8x8", "dor", 1, 20000, NB_ROUTER_CREDIT, NB_IN_TURN, 8, false },
    { "torus:8x8", "dor", 1, 20000, NB_ROUTER_CREDIT, NB_OLDEST_FIRST, 8,
      false },
    { "fattree:k=16,n=3", "rrr", 0.6, 2000, NB_ROUTER_IDEAL, NB_IN_TURN, 0,
      false },
    { "fattree:k=4,n=3", "rrr", 0.6, 20000, NB_ROUTER_CREDIT, NB_IN_TURN, 4,
      false },
    { "dragonfly:h=4", "min", 0.4, 20000, NB_ROUTER_IDEAL, NB_IN_TURN, 0,
      false },
    { "dragonfly:h=4", "min", 0.4, 10000, NB_ROUTER_CREDIT, NB_IN_TURN, 4,
      false },
};

static void simulate_must(enum nb_status status, const struct nb_error *err)
{
    if (status == NB_OK)
        return;
    fprintf(stderr, "bench_simulate: %s\n", err->message);
    exit(EXIT_FAILURE);
}

/* Cycles per second; hops: out, flit-hops per second. */
static double simulate_time(const struct simulate_case *row, uint64_t cycles,
                            double *hops)
{
    struct nb_error err = { 0 };
    struct nb_topology topology = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    struct nb_simulation_result result;
    const struct nb_run run = { .threads = 1 };
    simulate_must(nb_topology_build(row->topology, &topology, &err), &err);
    simulate_must(nb_routing_build(row->routing, &topology, &routing, &err),
                  &err);
    simulate_must(nb_traffic_build("uniform", &topology, false, &traffic, &err),
                  &err);
    const struct nb_simulation plan = {
        .topology = &topology,
        .routing = &routing,
        .traffic = &traffic,
        .router = { .model = row->model,
                    .arbitration = row->arbitration,
                    .virtual_channels = row->virtual_channels,
                    .buffer = 8,
                    .output_buffer = 1,
                    .speedup = 1,
                    .channel_latency = 1 },
        .injection = { .kind = NB_INJECT_BERNOULLI,
                       .rate = row->rate,
                       .burst = 1,
                       .flits = 1 },
        .seed = 1,
        .replications = 1,
        .cycles = cycles,
        .packet_limit = 1 << 22,
        .pair_source = NB_NONE,
        .pair_target = NB_NONE,
    };
    const double start = measure_used();
    simulate_must(nb_simulate(&plan, &run, &result, &err), &err);
    const double seconds = measure_used() - start;
    *hops = 0;
    for (size_t q = 0; q < result.queue_count; q++)
        *hops += result.utilisation[q].mean * (double)cycles / seconds;
    nb_simulation_result_release(&result);
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
    nb_topology_release(&topology);
    return (double)cycles / seconds;
}

static double simulate_bare(const struct simulate_case *row, uint64_t cycles)
{
    const double start = measure_used();
    const double latency = bare_run(row->rate, (uint32_t)cycles);
    const double seconds = measure_used() - start;
    return latency > 0 ? (double)cycles / seconds : 0;
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    printf("%-18s %-6s %-7s %-5s %2s %5s  %12s %12s %8s\n", "topology",
           "scheme", "router", "order", "VC", "rate", "k cycles/s",
           "M flit-hop/s", "to bare");
    for (size_t i = 0; i < sizeof simulate_cases / sizeof *simulate_cases;
         i++) {
        const struct simulate_case *row = &simulate_cases[i];
        const uint64_t cycles = row->cycles / (is_quick ? 320 : 32) * 32;
        double hops;
        const double speed = simulate_time(row, cycles, &hops);
        printf("%-18s %-6s %-7s %-5s %2u %5g  %12.1f %12.2f", row->topology,
               row->routing, row->model == NB_ROUTER_IDEAL ? "ideal" : "credit",
               row->arbitration == NB_IN_TURN ? "turn" : "age",
               row->virtual_channels, row->rate, speed / 1e3, hops / 1e6);
        if (row->is_bare)
            printf(" %8.2f", speed / simulate_bare(row, cycles));
        printf("\n");
    }
    return EXIT_SUCCESS;
}
