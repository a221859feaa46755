/* Sizing over all kinds: published sizes, and the networks built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/fit_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FITS = 4096 };

/* All networks for a demand; returns their number. */
static size_t fits_list(uint64_t terminals, uint32_t radix, struct nb_fit *out)
{
    const struct nb_fit_demand demand = { terminals, radix };
    size_t count = 0;
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++)
        for (size_t i = 0;
             nb_topology_kinds[k]->fit != NULL && count < FITS &&
             fit_find(nb_topology_kinds[k]->kind.name, &demand, i, &out[count]);
             i++)
            count++;
    assert_true(count < FITS);
    return count;
}

/* The largest number of terminals among a kind's networks of a diameter at a
 * radix; 0: none. */
static uint64_t fits_most(const char *kind, uint32_t diameter, uint32_t radix)
{
    static struct nb_fit fits[FITS];
    const size_t count = fits_list(0, radix, fits);
    const size_t length = strlen(kind);
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(fits[i].specification, kind, length) == 0 &&
            fits[i].specification[length] == ':' &&
            fits[i].diameter == diameter && fits[i].terminals > most)
            most = fits[i].terminals;
    return most;
}

/* [Benito2020], section 2.2: the sizes at 64 ports given in its text next to
 * Figure 2-8, and those of balanced Dragonflies in chapter 3. */
static void test_published(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint32_t diameter, radix;
        uint64_t terminals;
    } sizes[] = {
        { "dragonfly", 3, 64, 262656 }, { "dragonfly", 5, 64, 16781312 },
        { "hyperx", 3, 64, 65536 },     { "hyperx", 4, 64, 371293 },
        { "hyperx", 5, 64, 1771561 },   { "clos", 4, 64, 65536 },
        { "dragonfly", 3, 7, 72 },      { "dragonfly", 3, 15, 1056 },
        { "dragonfly", 3, 23, 5256 },   { "dragonfly", 3, 31, 16512 },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t found =
            fits_most(sizes[i].kind, sizes[i].diameter, sizes[i].radix);
        TOPOLOGY_CHECK(found == sizes[i].terminals,
                       "%s, diameter %u, radix %u: %" PRIu64, sizes[i].kind,
                       sizes[i].diameter, sizes[i].radix, found);
    }
}

static uint64_t fits_power(uint64_t base, uint32_t exponent)
{
    return exponent == 0 ? 1 : base * fits_power(base, exponent - 1);
}

/*
 * The same by formula at every radix k: balanced Dragonflies of h =
 * floor((k + 1)/4), 2h routers of h terminals in each of 2h^2 + 1 groups;
 * those of s = floor((k + 2)/4), s^2 routers of s terminals in each of s^3 + 1;
 * n-dimensional flattened butterflies of c = floor((k + n)/(n + 1)), c^(n+1);
 * folded Clos networks of L levels, 2 floor(k/2)^L.
 */
static void test_formulas(void **state)
{
    (void)state;
    for (uint32_t k = 7; k <= 130; k++) {
        const uint64_t h = (k + 1) / 4, s = (k + 2) / 4;
        TOPOLOGY_CHECK(fits_most("dragonfly", 3, k) ==
                           4 * h * h * h * h + 2 * h * h,
                       "radix %u", k);
        if (s > 3)
            TOPOLOGY_CHECK(fits_most("dragonfly", 5, k) ==
                               s * s * s * (s * s * s + 1),
                           "radix %u", k);
        for (uint32_t n = 1; n < 6; n++) {
            const uint64_t c = (k + n) / (n + 1);
            TOPOLOGY_CHECK(fits_most("hyperx", n, k) ==
                               (c < 2 ? 0 : fits_power(c, n + 1)),
                           "radix %u, %u dimensions", k, n);
        }
        for (uint32_t l = 2; l <= 4; l++)
            TOPOLOGY_CHECK(fits_most("clos", 2 * (l - 1), k) ==
                               2 * fits_power(k / 2, l),
                           "radix %u, %u levels", k, l);
    }
}

static const uint64_t fits_terminals[] = { 0,   1,   2,    17,   64,
                                           300, 999, 5000, 20000 };
enum { FITS_DEMANDS = sizeof fits_terminals / sizeof *fits_terminals };

static int fits_compare(const void *a, const void *b)
{
    const struct nb_fit *one = a, *other = b;
    return strcmp(one->specification, other->specification);
}

static void fits_check_demand(uint64_t terminals, uint32_t radix)
{
    static struct nb_fit fits[FITS];
    const size_t count = fits_list(terminals, radix, fits);
    TOPOLOGY_CHECK(terminals > 0 || radix < 4 || count > 2,
                   "radix %u: %zu networks", radix, count);
    for (size_t i = 0; i < count; i++) {
        const struct nb_fit *fit = &fits[i];
        const bool is_possible =
            !nb_ratio_is_known(fit->capacity) ||
            (nb_ratio_compare(fit->capacity, nb_ratio_zero) > 0 &&
             nb_ratio_compare(fit->capacity, nb_ratio_one) <= 0);
        TOPOLOGY_CHECK(fit->terminals >= terminals && fit->terminals > 0 &&
                           fit->radix <= radix && fit->diameter > 0 &&
                           is_possible,
                       "%s for %" PRIu64 " terminals, radix %u",
                       fit->specification, terminals, radix);
    }
    qsort(fits, count, sizeof *fits, fits_compare);
    for (size_t i = 1; i < count; i++)
        TOPOLOGY_CHECK(fits_compare(&fits[i - 1], &fits[i]) != 0,
                       "%s twice for %" PRIu64 " terminals, radix %u",
                       fits[i].specification, terminals, radix);
}

static void test_demands(void **state)
{
    (void)state;
    for (uint32_t radix = 0; radix <= 40; radix++)
        for (size_t i = 0; i < FITS_DEMANDS; i++)
            fits_check_demand(fits_terminals[i], radix);
}

/* The numbers that need no search, compared with the network. */
static void fits_check_counts(const struct nb_fit *fit)
{
    struct nb_topology topology = { 0 };
    uint32_t radix = 0;
    topology_must_build(fit->specification, &topology);
    const uint64_t global = fit_global_channels(&topology);
    for (uint32_t r = 0; r < topology.router_count; r++) {
        const uint32_t ports = topology.terminals[r] +
                               topology.out_start[r + 1] -
                               topology.out_start[r];
        radix = ports > radix ? ports : radix;
    }
    TOPOLOGY_CHECK(fit->routers == topology.router_count &&
                       fit->terminals == topology.terminal_count &&
                       fit->radix == radix && 2 * fit->global_links == global &&
                       2 * (fit->local_links + fit->global_links) ==
                           topology.channel_count,
                   "%s", fit->specification);
    nb_topology_release(&topology);
}

static void fits_check_diameter(const struct nb_fit *fit)
{
    struct nb_topology topology = { 0 };
    struct nb_distance_summary distance;
    topology_must_build(fit->specification, &topology);
    assert_int_equal(nb_distance_search(&topology, &distance, NULL), NB_OK);
    TOPOLOGY_CHECK(fit->diameter == distance.diameter, "%s: %u, not %u",
                   fit->specification, fit->diameter, distance.diameter);
    nb_topology_release(&topology);
}

/* Each network once: counts up to 2000 routers, distances up to 300, and the
 * capacity, where it is known, up to 40. */
static void test_built(void **state)
{
    (void)state;
    static struct nb_fit fits[FITS];
    size_t count = 0, built = 0;
    for (uint32_t radix = 3; radix <= 40; radix++)
        for (size_t i = radix % 3; i < FITS_DEMANDS; i += 3) {
            static struct nb_fit found[FITS];
            const size_t own = fits_list(fits_terminals[i], radix, found);
            for (size_t k = 0; k < own; k++) {
                assert_true(count < FITS);
                if (found[k].routers <= 2000)
                    fits[count++] = found[k];
            }
        }
    qsort(fits, count, sizeof *fits, fits_compare);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && fits_compare(&fits[i - 1], &fits[i]) == 0)
            continue;
        if (fits[i].routers <= 40 && nb_ratio_is_known(fits[i].capacity))
            fit_must_be_built(&fits[i]);
        else
            fits_check_counts(&fits[i]);
        if (fits[i].routers <= 300)
            fits_check_diameter(&fits[i]);
        built++;
    }
    assert_true(built > 300);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_demands),
        cmocka_unit_test(test_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
