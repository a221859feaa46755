/* Sizing of Dragonflies, compared with the networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/fit_checks.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/dragonfly.h"

#include <stdio.h>
#include <string.h>

static void test_fits(void **state)
{
    (void)state;
    char last[NB_FIT_TEXT] = "";
    size_t count = 0;
    for (uint32_t radix = 0; radix <= 16; radix++)
        for (uint64_t terminals = 0; terminals <= 1100;
             terminals += terminals < 80 ? 1 : 37) {
            const struct nb_fit_demand demand = { terminals, radix };
            struct nb_fit fit;
            for (size_t i = 0; fit_find("dragonfly", &demand, i, &fit); i++) {
                TOPOLOGY_CHECK(fit.terminals >= terminals && fit.radix <= radix,
                               "%s", fit.specification);
                count++;
                if (strcmp(fit.specification, last) == 0 || fit.routers > 300)
                    continue;
                snprintf(last, sizeof last, "%s", fit.specification);
                fit_must_be_built(&fit);
            }
        }
    assert_true(count > 500);
}

/* Every number of groups, whatever the demand: all that have a known
 * diameter. */
static void test_groups(void **state)
{
    (void)state;
    for (uint64_t h = 1; h <= 4; h++)
        for (uint64_t groups = 2; groups <= 2 * h * h + 1; groups++) {
            const struct nb_fit_demand demand = { groups * 2 * h * h,
                                                  (uint32_t)(4 * h - 1) };
            struct nb_fit fit = { .specification = "" };
            char name[NB_FIT_TEXT];
            snprintf(name, sizeof name, "dragonfly:%d,groups=%d", (int)h,
                     (int)groups);
            for (size_t i = 0; fit_find("dragonfly", &demand, i, &fit); i++)
                if (strcmp(fit.specification, name) == 0)
                    fit_must_be_built(&fit);
        }
}

/* Uniform traffic at rate 1: 18/11 on each global channel of
 * dragonfly:3,groups=11; 8193/4097 on each local one of the largest with groups
 * of 16 x 16. In dragonfly:2,groups=2 a router has two links to the opposite
 * one: a global channel carries 1/2 of its pair's traffic, and 1/4 of that of
 * its ends with three routers each; a local channel all of its pair's, and 1/2
 * of that of each end with the other's opposite: 2 times the 1/4 between two
 * routers. */
static void test_capacities(void **state)
{
    (void)state;
    struct nb_fit fit =
        fit_must_find("dragonfly", 198, 11, "dragonfly:3,groups=11");
    ratio_must_equal(fit.capacity, (struct nb_ratio){ 11, 18 },
                     fit.specification);
    fit = fit_must_find("dragonfly", 0, 23, "dragonfly:6");
    ratio_must_equal(fit.capacity, nb_ratio_one, fit.specification);
    fit = fit_must_find("dragonfly", 0, 64, "dragonfly:16,a=16x16");
    ratio_must_equal(fit.capacity, (struct nb_ratio){ 4097, 8193 },
                     fit.specification);
    fit = fit_must_find("dragonfly", 0, 14, "dragonfly:4,a=4x4");
    fit_must_be_built(&fit);
    fit = fit_must_find("dragonfly", 1, 7, "dragonfly:2,groups=2");
    ratio_must_equal(fit.capacity, nb_ratio_one, fit.specification);
    ratio_must_equal(fit.worst_case, nb_ratio_one, fit.specification);
}

/* [Benito2020, section 2.2.1 and table 3-1]; 16,781,312 of diameter 5: a p
 * (a h + 1) for 16 x 16 routers, p = h = 16. */
static void test_published_fits(void **state)
{
    (void)state;
    struct nb_fit fit = fit_must_find("dragonfly", 0, 24, "dragonfly:6");
    assert_true(fit.terminals == 5256 && fit.routers == 876 &&
                fit.radix == 23 && fit.diameter == 3 &&
                fit.global_links == 73 * 36);
    fit = fit_must_find("dragonfly", 0, 64, "dragonfly:16");
    assert_true(fit.terminals == 262656 && fit.radix == 63);
    fit = fit_must_find("dragonfly", 0, 64, "dragonfly:16,a=16x16");
    assert_true(fit.terminals == 16781312 && fit.radix == 62 &&
                fit.diameter == 5 && fit.routers == 1048832);
    assert_int_equal(fit_count("dragonfly", 0, 64), 2);
    assert_int_equal(fit_count("dragonfly", 0, 2), 0);
    assert_int_equal(fit_count("dragonfly", 262656, 64), 2);
    assert_int_equal(fit_count("dragonfly", 262657, 64), 1);
    assert_int_equal(fit_count("dragonfly", 16781313, 64), 0);
    /* Just enough groups, and the number that capacity 1 takes. */
    fit = fit_must_find("dragonfly", 5000, 23, "dragonfly:6,groups=70");
    assert_int_equal(fit.terminals, 70 * 72);
    fit_must_find("dragonfly", 10 * 72, 23, "dragonfly:6,groups=10");
    fit_must_find("dragonfly", 11 * 72, 23, "dragonfly:6,groups=13");
    fit_must_find("dragonfly", 1, 23, "dragonfly:6,groups=2");
}

/* The largest that can be numbered, however many ports there are. */
static void test_great_radix(void **state)
{
    (void)state;
    const struct nb_fit_demand open = { 0, UINT32_MAX };
    const struct nb_fit_demand most = { UINT64_MAX, UINT32_MAX };
    struct nb_fit fit;
    assert_true(fit_find("dragonfly", &open, 0, &fit));
    assert_true(2 * (fit.local_links + fit.global_links) < NB_NONE);
    assert_true(fit_find("dragonfly", &open, 1, &fit));
    assert_true(2 * (fit.local_links + fit.global_links) < NB_NONE);
    assert_false(fit_find("dragonfly", &open, 2, &fit));
    assert_false(fit_find("dragonfly", &most, 0, &fit));
}

/* Without memory no network is left out and no diameter is unknown: both are
 * refused. */
static void test_failed_allocations(void **state)
{
    (void)state;
    static const struct nb_fit_demand demand = { 30, 15 };
    const long before = nb_memory_live_blocks();
    struct nb_topology topology = { 0 };
    struct nb_fit fit, same;
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    assert_true(fit_find("dragonfly", &demand, 0, &same));
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_error error = { 0 };
        nb_memory_allow(allowed);
        status = nb_dragonfly_fit(&demand, 0, &fit, &error);
        nb_memory_allow(-1);
        assert_int_equal(status, error.status);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_true(allowed > 1);
    assert_int_equal(status, NB_OK);
    assert_string_equal(fit.specification, same.specification);

    assert_int_equal(
        nb_topology_build("dragonfly:h=3,groups=5", &topology, NULL), NB_OK);
    nb_memory_allow(1);
    struct nb_closed_form form = topology.kind->diameter(&topology);
    nb_memory_allow(-1);
    assert_false(nb_ratio_is_known(form.value));
    assert_null(form.source);
    form = topology.kind->diameter(&topology);
    assert_true(nb_ratio_is_known(form.value));
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_capacities),
        cmocka_unit_test(test_published_fits),
        cmocka_unit_test(test_great_radix),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
