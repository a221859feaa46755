/*
 * Runs every scheme with its own virtual channels beyond saturation, on small
 * buffers, and looks for deadlocks: the credit router's watchdog would report
 * them, and in the chaos router arrivals would stop.
 *
 *     bench_soak [quick | CYCLES] [ROUTING@TOPOLOGY...]
 *
 * Cycles of each case: 20,000 with "quick", else 100,000. Without cases, all
 * examples of all schemes. Exits with status 1 if a case is deadlocked.
 */
#include "measure.h"
#include "sim/network.h"

#include <string.h>

static bool soak_must(enum nb_status status, const struct nb_error *err)
{
    if (status != NB_OK)
        printf("  %s\n", err->message);
    return status == NB_OK;
}

enum { SOAK_SPAN = 1 << 12 }; /* [cycle] something must arrive */

/* Simulates a full network; sources that find no room for a packet drop it. */
static bool soak_move(const struct nb_simulation *plan, uint64_t cycles)
{
    struct nb_error err = { 0 };
    struct nb_flows flows = { 0 };
    struct nb_network network = { 0 };
    bool is_right =
        soak_must(nb_flows_build(plan, &flows, &err), &err) &&
        soak_must(nb_network_init(plan, &flows, 0, &network, &err), &err);
    const double start = measure_now();
    uint64_t before = 0;
    for (uint64_t c = 1; c <= cycles && is_right; c++) {
        is_right = soak_must(nb_network_cycle(&network, &err), &err);
        if (c % SOAK_SPAN != 0 || !is_right)
            continue;
        is_right = network.flits_out > before;
        before = network.flits_out;
        if (!is_right)
            printf("  nothing arrives before cycle %llu\n",
                   (unsigned long long)c);
    }
    if (is_right)
        printf("  %2u VC  %11.0f flits  %8.1f k cycles/s\n",
               network.classes.count, (double)network.flits_out,
               (double)cycles / (measure_now() - start) / 1e3);
    nb_network_release(&network);
    nb_flows_release(&flows);
    return is_right;
}

/* word: "routing@topology" */
static bool soak_case(const char *word, uint64_t cycles, uint32_t flits)
{
    char routing_text[128], topology_text[128];
    struct nb_error err = { 0 };
    struct nb_topology topology = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    if (sscanf(word, "%127[^@]@%127s", routing_text, topology_text) != 2) {
        printf("\"%s\" is not ROUTING@TOPOLOGY\n", word);
        return false;
    }
    bool is_right =
        soak_must(nb_topology_build(topology_text, &topology, &err), &err) &&
        soak_must(nb_routing_build(routing_text, &topology, &routing, &err),
                  &err) &&
        soak_must(nb_traffic_build("uniform", &topology, false, &traffic, &err),
                  &err);
    printf("%-44s %u flits", word, flits);
    const bool is_chaos = routing.kind != NULL && routing.kind->is_deflecting;
    const bool is_free =
        routing.vc_rule != NULL && strcmp(routing.vc_rule, "any") == 0;
    const struct nb_simulation plan = {
        .topology = &topology,
        .routing = &routing,
        .traffic = &traffic,
        .router = { .model = is_chaos ? NB_ROUTER_CHAOS : NB_ROUTER_CREDIT,
                    .arbitration =
                        flits % 2 == 0 ? NB_IN_TURN : NB_OLDEST_FIRST,
                    .switching = flits > 2 ? NB_WORMHOLE : NB_CUT_THROUGH,
                    .buffer = is_chaos ? flits : 2,
                    .output_buffer = is_chaos ? flits : 1,
                    .shared_queue = 2 * flits,
                    .speedup = 1,
                    .channel_latency = 1 },
        .injection = { .kind = NB_INJECT_BERNOULLI,
                       .rate = 3, /* more than any of them carries */
                       .burst = 1,
                       .flits = flits },
        .seed = flits,
        .replications = 1,
        .cycles = 1,
        .packet_limit = 64 * (uint32_t)topology.terminal_count,
        .pair_source = NB_NONE,
        .pair_target = NB_NONE,
    };
    if (is_free)
        printf("  any virtual channel: may be deadlocked\n");
    else if (is_right)
        is_right = soak_move(&plan, cycles);
    fflush(stdout);
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
    nb_topology_release(&topology);
    return is_right;
}

/* All examples of a scheme, separated by blanks. */
static bool soak_examples(const char *examples, uint64_t cycles)
{
    bool is_right = true;
    char word[256];
    int length;
    for (; sscanf(examples, " %255s%n", word, &length) == 1; examples += length)
        for (uint32_t flits = 1; flits <= 3; flits++)
            is_right = soak_case(word, cycles, flits) && is_right;
    return is_right;
}

int main(int argc, char **argv)
{
    bool is_right = true;
    uint64_t cycles = 100000;
    if (argc > 1)
        cycles =
            strcmp(argv[1], "quick") == 0 ? 20000 : strtoull(argv[1], NULL, 10);
    for (int i = 2; i < argc; i++)
        is_right = soak_case(argv[i], cycles, 1) && is_right;
    for (size_t k = 0; nb_routing_kinds[k] != NULL && argc <= 2; k++)
        is_right =
            soak_examples(nb_routing_kinds[k]->examples, cycles) && is_right;
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
