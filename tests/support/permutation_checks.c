#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "permutation_checks.h"

#include "ratio_checks.h"
#include "topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "load/channel_loads.h"

#include <math.h>

const enum nb_permutation_kernel peak_kernels[PEAK_KERNELS] = {
    NB_KERNEL_BEST, NB_KERNEL_LISTED, NB_KERNEL_DENSE
};

/* Which permutations: the identity, then random ones. */
static void peak_draw(size_t number, uint32_t terminals, uint32_t *permutation)
{
    struct nb_random random;
    nb_random_init(&random, 77, number);
    nb_random_permutation(&random, terminals, permutation);
    for (uint32_t t = 0; t < terminals && number == 0; t++)
        permutation[t] = t;
}

/* A permutation of terminals as rates between routers. */
static void peak_traffic(const struct nb_topology *topology,
                         const uint32_t *permutation,
                         struct nb_traffic *traffic)
{
    const size_t n = topology->router_count;
    uint32_t *router = nb_new_array(topology->terminal_count, sizeof *router);
    uint64_t *rate = nb_new_array(n * n, sizeof *rate);
    assert_true(router != NULL && rate != NULL);
    for (uint32_t r = 0, t = 0; r < n; r++)
        for (uint32_t own = 0; own < topology->terminals[r]; own++)
            router[t++] = r;
    for (size_t t = 0; t < topology->terminal_count; t++)
        rate[router[permutation[t]] * n + router[t]]++;
    *traffic = (struct nb_traffic){ .router_count = n, .denominator = 1 };
    traffic->column_start = nb_new_array(n + 1, sizeof(size_t));
    assert_non_null(traffic->column_start);
    for (uint32_t j = 0; j < n; j++) {
        traffic->column_start[j] = traffic->demand_count;
        for (uint32_t i = 0; i < n; i++)
            if (rate[j * n + i] > 0)
                assert_int_equal(
                    nb_traffic_add(traffic, i, j, rate[j * n + i], NULL),
                    NB_OK);
    }
    traffic->column_start[n] = traffic->demand_count;
    nb_delete(router);
    nb_delete(rate);
}

/* One throughput against the loads of the traffic. */
static void peak_compare(const struct problem *problem, const char *name,
                         size_t number, struct nb_enclosure found)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    uint32_t *permutation =
        nb_new_array(topology->terminal_count, sizeof *permutation);
    assert_non_null(permutation);
    peak_draw(number, (uint32_t)topology->terminal_count, permutation);
    peak_traffic(topology, permutation, &traffic);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    const struct nb_ratio limit = nb_terminal_limit(topology, nb_ratio_one);
    loads.throughput.upper =
        fmin(loads.throughput.upper, nb_ratio_value(limit));
    if (nb_ratio_is_known(found.exact))
        ratio_must_equal(found.exact,
                         nb_ratio_compare(loads.throughput.exact, limit) < 0
                             ? loads.throughput.exact
                             : limit,
                         name);
    TOPOLOGY_CHECK(found.lower <= loads.throughput.upper &&
                       found.upper >= fmin(loads.throughput.lower,
                                           nb_ratio_value(limit)) &&
                       found.lower <= found.upper,
                   "%s, %zu: [%.17g, %.17g], not [%.17g, %.17g]", name, number,
                   found.lower, found.upper, loads.throughput.lower,
                   loads.throughput.upper);
    if (number > 0)
        TOPOLOGY_CHECK(found.upper - found.lower < 1e-12 * found.upper ||
                           found.lower == found.upper,
                       "%s: [%.17g, %.17g]", name, found.lower, found.upper);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    nb_delete(permutation);
}

void peak_find(const struct problem *problem, const char *name,
               enum nb_permutation_kernel kernel,
               struct nb_permutation_loads *out)
{
    struct nb_error error = { 0 };
    const struct nb_run run = { .threads = 1 + (int)kernel % 3 };
    TOPOLOGY_CHECK(nb_permutation_loads_find(&problem->routing, kernel, &run,
                                             out, &error) == NB_OK,
                   "%s: %s", name, error.message);
    TOPOLOGY_CHECK(kernel == NB_KERNEL_BEST ? out->kernel != NB_KERNEL_BEST
                                            : out->kernel == kernel,
                   "%s: kernel %d", name, (int)out->kernel);
    assert_int_equal(out->terminal_count, problem->topology.terminal_count);
}

void peak_run(const struct nb_permutation_loads *loads,
              union nb_load_cell peak[PEAK_PERMUTATIONS])
{
    const size_t terminals = loads->terminal_count;
    uint32_t *permutation =
        nb_new_array(PEAK_PERMUTATIONS * terminals, sizeof *permutation);
    union nb_load_cell *sum = nb_new_array(loads->channel_count, sizeof *sum);
    assert_true(permutation != NULL && sum != NULL);
    for (size_t p = 0; p < PEAK_PERMUTATIONS; p++)
        peak_draw(p, (uint32_t)terminals, permutation + p * terminals);
    nb_permutation_peaks(loads, PEAK_PERMUTATIONS, permutation, sum, peak);
    nb_delete(permutation);
    nb_delete(sum);
}

void peak_check(const struct problem *problem, const char *name)
{
    union nb_load_cell first[PEAK_PERMUTATIONS], peak[PEAK_PERMUTATIONS];
    for (size_t k = 0; k < PEAK_KERNELS; k++) {
        struct nb_permutation_loads loads = { 0 };
        peak_find(problem, name, peak_kernels[k], &loads);
        peak_run(&loads, k == 1 ? first : peak);
        for (size_t p = 0; p < PEAK_PERMUTATIONS && k < 2; p++)
            peak_compare(
                problem, name, p,
                nb_permutation_throughput(&loads, (k == 1 ? first : peak)[p]));
        /* Terms come in the same order in both kernels. */
        if (k == 2)
            assert_memory_equal(first, peak, sizeof peak);
        nb_permutation_loads_release(&loads);
        nb_permutation_loads_release(&loads);
    }
}
