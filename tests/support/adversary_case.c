#include "support/adversary_case.h"

#include "core/memory.h"
#include "support/graphs.h"
#include "support/topology_checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

const enum nb_paths adversary_paths[2] = { NB_PATHS_ANY, NB_PATHS_MINIMAL };

static void adversary_case_add_class(struct adversary_case *network,
                                     enum nb_paths paths)
{
    assert_int_equal(nb_path_class_init(&network->topology, paths, nb_ratio_one,
                                        &network->path_class, NULL),
                     NB_OK);
}

void adversary_case_open(struct adversary_case *network, const char *topology,
                         enum nb_paths paths)
{
    topology_must_build(topology, &network->topology);
    adversary_case_add_class(network, paths);
}

void adversary_case_open_random(struct adversary_case *network, uint64_t seed,
                                uint32_t most_terminals, enum nb_paths paths)
{
    char text[8000];
    graph_random(seed, 4 + (uint32_t)seed % 4, most_terminals, text,
                 sizeof text);
    topology_must_build_file(text, ".graphml", "", &network->topology);
    adversary_case_add_class(network, paths);
}

void adversary_case_close(struct adversary_case *network)
{
    nb_topology_release(&network->topology);
}

struct nb_enclosure adversary_case_optimum(const struct adversary_case *network,
                                           const struct nb_sides *sides,
                                           const uint32_t *permutation,
                                           struct nb_best_flow *claimed)
{
    struct nb_traffic traffic = { 0 };
    struct nb_best_flow found = { 0 };
    struct nb_error err = { 0 };
    const struct nb_run run = { .threads = 1 };
    const struct nb_best_flow_question question = {
        .topology = &network->topology,
        .traffic = &traffic,
        .path_class = &network->path_class,
        .seconds = INFINITY,
        .ignores_symmetry = true,
    };
    assert_int_equal(nb_adversary_traffic(&network->topology, sides,
                                          permutation, &traffic, NULL),
                     NB_OK);
    const enum nb_status status =
        claimed != NULL ? nb_best_flow_check(&question, claimed, &err)
                        : nb_best_flow_find(&question, &run, &found, &err);
    if (status != NB_OK)
        fail_msg("%s", err.message);
    const struct nb_enclosure throughput =
        claimed != NULL ? claimed->throughput : found.throughput;
    nb_best_flow_release(&found);
    nb_traffic_release(&traffic);
    return throughput;
}

void adversary_must_be_permutation(size_t n, const uint32_t *permutation)
{
    bool *is_taken = nb_new_array(n, sizeof *is_taken);
    assert_non_null(is_taken);
    for (size_t s = 0; s < n; s++) {
        assert_true(permutation[s] < n && !is_taken[permutation[s]]);
        is_taken[permutation[s]] = true;
    }
    nb_delete(is_taken);
}

void adversary_must_find(const struct adversary_case *network, const char *name,
                         size_t starts, struct nb_adversary *out)
{
    const struct nb_run run = { .threads = 1 };
    const struct nb_adversary_question question = {
        .topology = &network->topology,
        .path_class = &network->path_class,
        .seed = 1,
        .starts = starts,
        .seconds = INFINITY,
    };
    struct nb_error err = { 0 };
    if (nb_adversary_find(&question, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    adversary_must_be_permutation(out->sides.count, out->permutation);
    const struct nb_enclosure before = out->best.throughput;
    const struct nb_enclosure proven = adversary_case_optimum(
        network, &out->sides, out->permutation, &out->best);
    TOPOLOGY_CHECK(proven.lower == before.lower && proven.upper == before.upper,
                   "%s: %g is proven, %g was claimed", name, proven.upper,
                   before.upper);
    TOPOLOGY_CHECK(!out->was_stopped && out->evaluated >= starts,
                   "%s: %zu evaluated", name, out->evaluated);
}
