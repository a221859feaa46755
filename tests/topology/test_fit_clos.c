/* Sizing of folded Clos networks: published sizes, and the networks built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/fit_checks.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"

#include <stdio.h>

/* The 3-level folded Clos of 64 ports: 65,536 terminals ([Benito2020],
 * section 2.2) and 5 k^2/4 switches. */
static void test_sizes(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    const struct nb_fit full =
        fit_must_find("clos", 0, 64, "clos:32x32x64,up=32x32");
    assert_int_equal(full.terminals, 65536);
    assert_int_equal(full.routers, 5120);
    assert_int_equal(full.local_links, 65536);
    assert_int_equal(full.global_links, 65536);
    assert_int_equal(full.radix, 64);
    assert_int_equal(full.diameter, 4);
    ratio_must_equal(full.capacity, nb_ratio_one, "k=64");
    topology_must_build(full.specification, &topology);
    assert_int_equal(topology.router_count, 5120);
    assert_int_equal(topology.terminal_count, 65536);
    assert_int_equal(topology.channel_count, 4 * 65536);
    nb_topology_release(&topology);
    /* 303,264 = 36^3 * 6.5 at 72 ports: the top reduced from 72 subtrees to
     * 7. */
    const struct nb_fit cut =
        fit_must_find("clos", 303264, 72, "clos:36x36x36x7,up=36x36x36");
    assert_int_equal(cut.terminals, 326592);
    /* 48 terminals at a leaf with 24 links up: 24 of 48 (1 - 48/T) packets. */
    const struct nb_fit slim =
        fit_must_find("clos", 3000, 72, "clos:48x63,up=24");
    assert_int_equal(slim.routers, 63 + 24);
    ratio_must_equal(slim.capacity, (struct nb_ratio){ 63, 124 }, "slim");
}

/* At 8 ports: neither fewer subtrees below the top nor fewer levels suffice. */
static void test_least(void **state)
{
    (void)state;
    for (uint32_t terminals = 17; terminals <= 128; terminals++) {
        const uint32_t top = (terminals + 15) / 16;
        char name[64];
        snprintf(name, sizeof name, "clos:4x4x%u,up=4x4", top);
        fit_must_find("clos", terminals, 8, name);
        snprintf(name, sizeof name, "clos:4x4x%u,up=2x4", top);
        fit_must_find("clos", terminals, 8, name);
        assert_int_equal(fit_count("clos", terminals, 8), terminals <= 32 ? 4
                                                          : terminals <= 64
                                                              ? 2
                                                              : 4);
    }
    assert_int_equal(fit_count("clos", 8193, 8), 0);
}

static void test_fits(void **state)
{
    (void)state;
    const size_t checked = fit_check_kind("clos", 8, 34, 60);
    TOPOLOGY_CHECK(checked > 250, "%zu networks", checked);
    assert_int_equal(fit_count("clos", 0, 1), 0);
    assert_int_equal(fit_count("clos", 0, 3), 1);
    assert_int_equal(fit_count("clos", 0, 4), 3);
    assert_int_equal(fit_count("clos", 129, 4), 0);
    assert_int_equal(fit_count("clos", UINT64_MAX, UINT32_MAX), 0);
    assert_int_equal(fit_count("clos", 0, UINT32_MAX), 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
