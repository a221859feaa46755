/* Capacity: closed forms, scheme min where there is none, and the effect of the
 * terminals' own channels on both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"

#include "bounds/cuts/capacity.h"
#include "core/enclosure.h"
#include "core/memory.h"

#include <math.h>

/* In a fat tree of k=4, n=2, 3 of 4 packets leave the leaf, over one channel
 * per terminal; the terminals' own channels have bandwidth 1. */
static const struct {
    const char *specification;
    struct nb_ratio capacity;
} capacities[] = {
    { "fattree:k=2,n=2", { 1, 1 } },
    { "fattree:k=16,n=3", { 1, 1 } },
    { "fattree:k=4,n=2,bandwidth=1/2", { 2, 3 } },
    { "fattree:k=4,n=2,bandwidth=3/4", { 1, 1 } },
    { "fattree:k=4,n=2,bandwidth=7", { 1, 1 } },
    { "torus:4x4", { 2, 1 } },
    { "torus:4x4,terminals=3,bandwidth=6,terminal-bandwidth=unlimited",
      { 4, 1 } },
};

static void test_capacities(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        struct nb_topology topology = { 0 };
        struct nb_capacity capacity = { 0 };
        topology_must_build(capacities[i].specification, &topology);
        assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL),
                         NB_OK);
        ratio_must_equal(capacity.rate.exact, capacities[i].capacity,
                         capacities[i].specification);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* With and without the closed form, shortest paths split evenly are best. */
static void test_min_reaches_the_form(void **state)
{
    (void)state;
    static const char *const names[] = { "fattree:k=3,n=3,bandwidth=1/2",
                                         "fattree:k=2,n=4", "torus:4x6" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_topology topology = { 0 };
        struct nb_topology_kind formless;
        struct nb_capacity form = { 0 }, found = { 0 };
        topology_must_build(names[i], &topology);
        formless = *topology.kind;
        formless.capacity = NULL;
        assert_int_equal(nb_capacity_find(&topology, NULL, &form, NULL), NB_OK);
        topology.kind = &formless;
        assert_int_equal(nb_capacity_find(&topology, NULL, &found, NULL),
                         NB_OK);
        ratio_must_equal(found.rate.exact, form.rate.exact, names[i]);
        nb_topology_release(&topology);
    }
}

/* Each dimension has its own bandwidth: for a torus, 8/k times the least of
 * b/k, with one terminal per router. Where terminals or the channels of a
 * dimension differ there is no form. */
static void test_form_by_dimension(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        struct nb_topology topology = { 0 };
        struct nb_topology_kind formless;
        struct nb_capacity form = { 0 }, found = { 0 };
        topology_must_build("torus:4x6", &topology);
        for (size_t c = 0; c < topology.channel_count; c++)
            if (nb_grid_coordinate(&topology.grid, topology.channels[c].source,
                                   0) !=
                nb_grid_coordinate(&topology.grid, topology.channels[c].target,
                                   0))
                topology.channels[c].bandwidth = (struct nb_ratio){ 1, 2 };
        if (trial == 1)
            topology.channels[20].bandwidth = (struct nb_ratio){ 1, 5 };
        if (trial == 2) {
            uint32_t terminals[24] = { 2 };
            for (size_t r = 1; r < 24; r++)
                terminals[r] = 1;
            traffic_case_set_terminals(&topology, terminals);
        }
        assert_int_equal(nb_capacity_find(&topology, NULL, &form, NULL), NB_OK);
        assert_int_equal(form.is_most, trial == 0);
        formless = *topology.kind;
        formless.capacity = NULL;
        topology.kind = &formless;
        assert_int_equal(nb_capacity_find(&topology, NULL, &found, NULL),
                         NB_OK);
        ratio_must_equal(form.rate.exact,
                         trial == 0 ? nb_ratio_one : found.rate.exact,
                         "torus:4x6");
        nb_topology_release(&topology);
    }
}

/* A limit below what the channels carry, and one above. */
static void test_capacity_without_form(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_capacity capacity = { 0 };
    topology_must_build("ccc:3", &topology);
    assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL), NB_OK);
    const struct nb_ratio unlimited = capacity.rate.exact;
    topology.terminal_bandwidth =
        nb_ratio_multiply(unlimited, (struct nb_ratio){ 2, 3 });
    assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL), NB_OK);
    ratio_must_equal(capacity.rate.exact, topology.terminal_bandwidth, "below");
    topology.terminal_bandwidth =
        nb_ratio_multiply(unlimited, (struct nb_ratio){ 4, 3 });
    assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL), NB_OK);
    ratio_must_equal(capacity.rate.exact, unlimited, "above");
    nb_topology_release(&topology);
}

/* Loads without a common denominator give a bracket; the limit of the
 * terminals' channels lies below it, at its ends, within it or above it. */
static void test_capacity_in_doubles(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_topology_kind formless;
    struct nb_capacity found = { 0 }, limited = { 0 };
    topology_must_build("mesh:20x20", &topology);
    formless = *topology.kind;
    formless.capacity = NULL;
    topology.kind = &formless;
    assert_int_equal(nb_capacity_find(&topology, NULL, &found, NULL), NB_OK);
    assert_false(nb_ratio_is_known(found.rate.exact));
    const double within = found.rate.lower / 2 + found.rate.upper / 2;
    const struct {
        double limit;
        bool is_limit; /* which then is the capacity */
        double lower, upper;
    } cases[] = {
        { nextafter(found.rate.lower, 0), true, nextafter(found.rate.lower, 0),
          nextafter(found.rate.lower, 0) },
        { found.rate.lower, true, found.rate.lower, found.rate.lower },
        { within, false, found.rate.lower, within },
        { nextafter(found.rate.upper, 0), false, found.rate.lower,
          nextafter(found.rate.upper, 0) },
        { found.rate.upper, false, found.rate.lower, found.rate.upper },
        { 2 * found.rate.upper, false, found.rate.lower, found.rate.upper },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        topology.terminal_bandwidth =
            nb_enclosure_of_double(cases[i].limit).exact;
        assert_true(nb_ratio_is_known(topology.terminal_bandwidth));
        assert_int_equal(nb_capacity_find(&topology, NULL, &limited, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(nb_ratio_is_known(limited.rate.exact) ==
                               cases[i].is_limit &&
                           limited.rate.lower == cases[i].lower &&
                           limited.rate.upper == cases[i].upper,
                       "case %zu: %.17g .. %.17g", i, limited.rate.lower,
                       limited.rate.upper);
    }
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacities),
        cmocka_unit_test(test_min_reaches_the_form),
        cmocka_unit_test(test_form_by_dimension),
        cmocka_unit_test(test_capacity_without_form),
        cmocka_unit_test(test_capacity_in_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
