/* No scheme carries more of a traffic than the optimum over its paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "load/channel_loads.h"
#include "support/cases.h"
#include "support/flow_case.h"
#include "support/topology_checks.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_ROUTERS = 64, /* tolerance on random networks */
    DRAWS = 150,
    SPECIFICATION = 300,
};

static void compare(const struct flow_case *testcase,
                    const struct nb_routing *routing, struct nb_enclosure best)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_channel_loads loads = { 0 };
    struct nb_error err = { 0 };
    TOPOLOGY_CHECK(nb_channel_loads_find(routing, &testcase->traffic, &run,
                                         &loads, &err) == NB_OK,
                   "%s: %s", testcase->name, err.message);
    const bool are_exact = nb_ratio_is_known(loads.throughput.exact) &&
                           nb_ratio_is_known(best.exact);
    TOPOLOGY_CHECK(
        are_exact ? nb_ratio_compare(loads.throughput.exact, best.exact) <= 0
                  : loads.throughput.lower <= best.upper,
        "%s: %s carries %.17g, above the optimum %.17g", testcase->name,
        routing->kind->kind.name, loads.throughput.lower, best.upper);
    nb_channel_loads_release(&loads);
}

/* Every oblivious scheme that is defined on the network, or the one named;
 * returns their number. */
static size_t compare_schemes(struct flow_case *testcase, const char *scheme)
{
    struct nb_enclosure best[2]; /* by whether paths are minimal */
    size_t count = 0;
    flow_case_solve(testcase, "any");
    best[0] = testcase->flow.throughput;
    flow_case_solve(testcase, "minimal");
    best[1] = testcase->flow.throughput;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const struct nb_routing_kind *kind = nb_routing_kinds[k];
        struct nb_routing routing = { 0 };
        const char *name = scheme != NULL ? scheme : kind->kind.name;
        if (!kind->is_adaptive &&
            nb_routing_build(name, &testcase->topology, &routing, NULL) ==
                NB_OK &&
            strcmp(routing.kind->kind.name, kind->kind.name) == 0) {
            compare(testcase, &routing, best[routing.is_minimal]);
            count++;
        }
        nb_routing_release(&routing);
    }
    return count;
}

/* The parts of "one@other". */
static void divide(const char *example, char one[SPECIFICATION],
                   char other[SPECIFICATION])
{
    const char *at = strrchr(example, '@');
    assert_non_null(at);
    snprintf(one, SPECIFICATION, "%.*s", (int)(at - example), example);
    snprintf(other, SPECIFICATION, "%s", at + 1);
}

static void bounds_schemes_on_their_examples(void **state)
{
    static const char *const traffics[] = { "uniform",
                                            "random-permutation:seed=1" };
    size_t tried = 0;
    (void)state;
    for (size_t i = 0; nb_routing_kinds[i] != NULL; i++) {
        const char *examples = nb_routing_kinds[i]->examples;
        char example[TOPOLOGY_WORD], one[SPECIFICATION], on[SPECIFICATION];
        while (!nb_routing_kinds[i]->is_adaptive &&
               topology_next_word(&examples, example)) {
            divide(example, one, on);
            for (size_t t = 0; t < 2; t++) {
                if (!nb_cases_have_most(tried++, 6, 3))
                    continue;
                struct flow_case testcase;
                flow_case_open(&testcase, on, traffics[t]);
                assert_int_equal(compare_schemes(&testcase, one), 1);
                flow_case_close(&testcase);
            }
        }
    }
}

static void bounds_schemes_on_every_pattern(void **state)
{
    (void)state;
    for (size_t i = 0; nb_traffic_kinds[i] != NULL; i++) {
        const char *examples = nb_traffic_kinds[i]->examples;
        char example[TOPOLOGY_WORD], one[SPECIFICATION], on[SPECIFICATION];
        while (topology_next_word(&examples, example)) {
            struct flow_case testcase;
            divide(example, one, on);
            flow_case_open(&testcase, on, one);
            assert_true(compare_schemes(&testcase, NULL) > 0);
            flow_case_close(&testcase);
        }
    }
}

/* A small network of the kinds' examples, and a pattern given by name only;
 * false if they do not fit each other. */
static bool draw(struct nb_random *random, char *network, char *pattern)
{
    size_t kinds = 0, patterns = 0;
    struct nb_topology topology = { 0 };
    struct nb_traffic traffic = { 0 };
    char word[TOPOLOGY_WORD];
    while (nb_topology_kinds[kinds] != NULL)
        kinds++;
    while (nb_traffic_kinds[patterns] != NULL)
        patterns++;
    const char *examples =
        nb_topology_kinds[nb_random_below(random, kinds)]->examples;
    for (uint64_t left = nb_random_below(random, 8) + 1;
         left > 0 && topology_next_word(&examples, word); left--)
        snprintf(network, SPECIFICATION, "%s", word);
    snprintf(pattern, SPECIFICATION, "%s",
             nb_traffic_kinds[nb_random_below(random, patterns)]->kind.name);
    const bool is_drawn =
        nb_topology_build(network, &topology, NULL) == NB_OK &&
        topology.router_count <= MOST_ROUTERS &&
        nb_traffic_build(pattern, &topology, false, &traffic, NULL) == NB_OK;
    nb_traffic_release(&traffic);
    nb_topology_release(&topology);
    return is_drawn;
}

static void bounds_schemes_on_networks_drawn(void **state)
{
    struct nb_random random;
    size_t drawn = 0;
    (void)state;
    nb_random_init(&random, 7, 1);
    for (int i = 0; i < DRAWS; i++) {
        char network[SPECIFICATION], pattern[SPECIFICATION];
        struct flow_case testcase;
        if (!draw(&random, network, pattern))
            continue;
        flow_case_open(&testcase, network, pattern);
        drawn += compare_schemes(&testcase, NULL) > 0;
        flow_case_close(&testcase);
    }
    assert_true(drawn > DRAWS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_schemes_on_their_examples),
        cmocka_unit_test(bounds_schemes_on_every_pattern),
        cmocka_unit_test(bounds_schemes_on_networks_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
