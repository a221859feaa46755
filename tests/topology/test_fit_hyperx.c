/* HyperX sizing: published sizes, and the networks built. */
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

/* The largest at 64 ports and 300,000 terminals at 72: sizes printed in
 * [Benito2020], sections 2.2 and 4.7.2; links by counting. */
static void test_sizes(void **state)
{
    (void)state;
    const struct nb_fit flat3 =
        fit_must_find("hyperx", 0, 64, "hyperx:16x16x16,p=16");
    assert_int_equal(flat3.terminals, 65536);
    assert_int_equal(flat3.radix, 61);
    assert_int_equal(
        fit_must_find("hyperx", 0, 64, "hyperx:13x13x13x13,p=13").terminals,
        371293);
    assert_int_equal(
        fit_must_find("hyperx", 0, 64, "hyperx:11x11x11x11x11,p=11").terminals,
        1771561);
    const struct nb_fit cut =
        fit_must_find("hyperx", 303264, 72, "hyperx:15x15x15x6,p=15");
    assert_int_equal(cut.routers, 20250);
    assert_int_equal(cut.terminals, 303750);
    assert_int_equal(cut.radix, 15 + 3 * 14 + 5);
    assert_int_equal(cut.local_links, 20250 * 14 / 2);
    assert_int_equal(cut.global_links, 20250 * (2 * 14 + 5) / 2);
    ratio_must_equal(cut.capacity, (struct nb_ratio){ 2, 5 }, "15x15x15x6");
    /* With the fewest ports instead. */
    const struct nb_fit least =
        fit_must_find("hyperx", 303264, 72, "hyperx:13x13x13x11,p=13");
    assert_int_equal(least.terminals, 13 * 24167);
    ratio_must_equal(least.capacity, (struct nb_ratio){ 11, 13 },
                     "13x13x13x11");
}

static void test_fits(void **state)
{
    (void)state;
    const size_t checked = fit_check_kind("hyperx", 10, 30, 64);
    TOPOLOGY_CHECK(checked > 250, "%zu networks", checked);
    assert_int_equal(fit_count("hyperx", 0, 2), 0);
    assert_int_equal(fit_count("hyperx", 0, 3), 1);
    assert_int_equal(fit_count("hyperx", 5, 3), 0);
    assert_int_equal(fit_count("hyperx", UINT64_MAX, UINT32_MAX), 0);
    assert_int_equal(fit_count("hyperx", 0, UINT32_MAX), 0);
    assert_true(fit_count("hyperx", 1000, UINT32_MAX) >= 6);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* No smaller radix and no narrower last dimension suffices. */
static void test_least(void **state)
{
    (void)state;
    for (uint32_t terminals = 5; terminals < 3000; terminals += 7) {
        char name[64];
        uint32_t c = 2;
        while (c * c * c < terminals)
            c++;
        uint32_t last = (terminals + c * c - 1) / (c * c);
        snprintf(name, sizeof name, "hyperx:%ux%u,p=%u", c, last < 2 ? 2 : last,
                 c);
        const struct nb_fit fit = fit_must_find("hyperx", terminals, 48, name);
        assert_int_equal(fit.diameter, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
