/* Limits: every closed form against exact loads and matchings, on many
 * networks; and bulk loads where a few channels differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/cases.h"
#include "support/problem.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"

#include "bounds/limits/bulk.h"
#include "bounds/limits/limits.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The exact throughput that a row refers to. */
static struct nb_ratio limits_exact(const struct nb_topology *topology,
                                    const struct nb_limit *row)
{
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_worst_case worst = { 0 };
    struct nb_error error = { 0 };
    struct nb_ratio exact;
    TOPOLOGY_CHECK(nb_routing_build(row->routing, topology, &routing, &error) ==
                       NB_OK,
                   "%s", error.message);
    if (*row->traffic == '\0') {
        assert_int_equal(nb_worst_case_find(&routing, NULL, &worst, NULL),
                         NB_OK);
        exact = worst.throughput.exact;
    } else {
        TOPOLOGY_CHECK(nb_traffic_build(row->traffic, topology, false, &traffic,
                                        &error) == NB_OK,
                       "%s", error.message);
        assert_int_equal(
            nb_channel_loads_find(&routing, &traffic, NULL, &loads, NULL),
            NB_OK);
        exact = loads.throughput.exact;
        if (row->link == NB_LIMIT_BULK) {
            assert_int_equal(nb_bulk_load(topology, &loads, &exact, NULL),
                             NB_OK);
            exact = nb_ratio_divide(nb_ratio_one, exact);
        }
    }
    const struct nb_ratio most = nb_terminal_limit(topology, nb_ratio_one);
    nb_worst_case_release(&worst);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
    return nb_ratio_compare(most, exact) < 0 ? most : exact;
}

/* Values equal the exact ones; bounds are not below them. Returns the number of
 * rows. */
static size_t limits_check_from(const char *name, int64_t first_offset,
                                int64_t most_offset, bool with_worst)
{
    struct nb_topology topology;
    struct nb_limits limits = { 0 };
    topology_must_build(name, &topology);
    assert_int_equal(nb_limits_find(&topology, first_offset, most_offset,
                                    with_worst, &limits, NULL),
                     NB_OK);
    for (size_t i = 0; i < limits.count; i++) {
        const struct nb_limit *row = &limits.rows[i];
        const struct nb_ratio exact = limits_exact(&topology, row);
        const int order = nb_ratio_compare(exact, row->value);
        TOPOLOGY_CHECK(row->is_bound ? order <= 0 : order == 0,
                       "%s: %s on %s, %s: %g, not %g", name, row->routing,
                       row->traffic, row->formula, nb_ratio_value(exact),
                       nb_ratio_value(row->value));
    }
    const size_t count = limits.count;
    nb_limits_release(&limits);
    nb_topology_release(&topology);
    return count;
}

static size_t limits_check(const char *name, int64_t most_offset,
                           bool with_worst)
{
    return limits_check_from(name, 1, most_offset, with_worst);
}

static void test_balanced_dragonflies(void **state)
{
    (void)state;
    assert_true(limits_check("dragonfly:h=2", 8, true) > 50);
    assert_true(limits_check("dragonfly:h=3", 18, true) > 100);
    if (nb_cases_are_all()) {
        assert_true(limits_check("dragonfly:h=4", 16, true) > 100);
        assert_true(limits_check("dragonfly:h=6", 8, false) > 60);
    }
    assert_true(limits_check("dragonfly:h=5", 7, false) > 50);
    limits_check("dragonfly:h=1", 1, true);
    assert_true(limits_check_from("dragonfly:h=3", -7, -7, false) > 10);
    assert_true(limits_check_from("dragonfly:h=4", 23, 23, false) > 10);
}

static void test_other_networks(void **state)
{
    (void)state;
    static const char *const names[] = {
        "dragonfly:h=2,p=1,a=5",
        "dragonfly:h=1,p=3,a=4",
        "dragonfly:h=3,p=2,a=2",
        "dragonfly:h=2,p=2,a=3,arrangement=consecutive",
        "dragonfly:h=2,arrangement=random,seed=7",
        "dragonfly:h=2,groups=5",
        "dragonfly:h=3,groups=4",
        "dragonfly:h=2,a=2x3",
        "dragonfly:h=2,bandwidth=1/3",
        "dragonfly:h=2,bandwidth=5",
        "hyperx:4x4,p=4,bandwidth=2/3",
        "torus:4x4,bandwidth=3,terminals=2",
        "hyperx:4x4,p=4",
        "hyperx:5x3,p=2",
        "hyperx:3x3x2,p=2",
        "hyperx:7,p=7",
        "torus:4x6",
        "ring:7",
        "fattree:k=3,n=3",
        "fattree:k=4,n=2,bandwidth=1/2",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        limits_check(names[i], 2, true);
}

/* The numbers of [Benito2020] and those derived from them, at h = 6. */
static void test_published(void **state)
{
    (void)state;
    static const struct {
        const char *routing, *traffic;
        enum nb_limit_link link;
        bool is_bound;
        struct nb_ratio value;
    } rows[] = {
        { "min", "adversarial:offset=1", NB_LIMIT_WORST, false, { 1, 72 } },
        { "min", "adversarial-consecutive", NB_LIMIT_WORST, false, { 1, 12 } },
        { "min", "adversarial-local", NB_LIMIT_WORST, false, { 1, 6 } },
        { "vlb:policy=lgl",
          "adversarial:offset=1",
          NB_LIMIT_WORST,
          false,
          { 73, 145 } },
        { "rvlb", "adversarial-local", NB_LIMIT_WORST, false, { 1, 1 } },
        { "vlb:policy=-g-",
          "adversarial:offset=8",
          NB_LIMIT_WORST,
          true,
          { 1, 4 } },
        { "vlb:policy=-g-",
          "adversarial:offset=8",
          NB_LIMIT_BULK,
          false,
          { 2, 9 } },
        { "vlb:policy=-g-",
          "adversarial:offset=8",
          NB_LIMIT_WORST,
          false,
          { 2, 11 } },
        { "vlb:policy=-g-",
          "adversarial:offset=6",
          NB_LIMIT_WORST,
          true,
          { 1, 6 } },
        { "vlb:policy=-g-",
          "adversarial:offset=6",
          NB_LIMIT_WORST,
          false,
          { 2, 13 } },
        { "vlb:policy=lg-",
          "adversarial:offset=6",
          NB_LIMIT_WORST,
          false,
          { 1, 7 } },
        { "vlb:policy=-g-",
          "adversarial-consecutive",
          NB_LIMIT_WORST,
          false,
          { 1, 4 } },
        { "vlb:policy=lg-",
          "adversarial-consecutive",
          NB_LIMIT_WORST,
          false,
          { 2, 9 } },
        { "vlb:policy=-gl", "", NB_LIMIT_WORST, false, { 1, 13 } },
        { "vlb:policy=lg-", "", NB_LIMIT_WORST, false, { 1, 7 } },
    };
    struct nb_topology topology;
    struct nb_limits limits = { 0 };
    topology_must_build("dragonfly:h=6", &topology);
    assert_int_equal(nb_limits_find(&topology, 1, 12, true, &limits, NULL),
                     NB_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = 0;
        while (at < limits.count &&
               (strcmp(limits.rows[at].routing, rows[i].routing) != 0 ||
                strcmp(limits.rows[at].traffic, rows[i].traffic) != 0 ||
                limits.rows[at].link != rows[i].link ||
                limits.rows[at].is_bound != rows[i].is_bound))
            at++;
        TOPOLOGY_CHECK(at < limits.count, "no row %s on %s", rows[i].routing,
                       rows[i].traffic);
        ratio_must_equal(limits.rows[at].value, rows[i].value, rows[i].routing);
    }
    nb_limits_release(&limits);
    nb_topology_release(&topology);
}

/* Offset h: all h channels into a router continue over the local channel one
 * back, to which the destination group adds 1/2. */
static void test_bulk_of_displacement(void **state)
{
    (void)state;
    for (uint32_t h = 2; h <= 4; h++) {
        char topology[40], traffic[40];
        struct problem problem;
        struct nb_traffic pattern;
        struct nb_channel_loads loads;
        struct nb_ratio bulk, most;
        snprintf(topology, sizeof topology, "dragonfly:h=%u", h);
        snprintf(traffic, sizeof traffic, "adversarial:offset=%u", h);
        problem_open(&problem, topology, "vlb:policy=-g-");
        assert_int_equal(
            nb_traffic_build(traffic, &problem.topology, false, &pattern, NULL),
            NB_OK);
        assert_int_equal(nb_channel_loads_find(&problem.routing, &pattern, NULL,
                                               &loads, NULL),
                         NB_OK);
        assert_int_equal(nb_bulk_of_displacement(&problem.topology, &loads,
                                                 2 * h - 1, &bulk, &most, NULL),
                         NB_OK);
        ratio_must_equal(bulk, nb_ratio_make(2 * h + 1, 2), topology);
        nb_channel_loads_release(&loads);
        nb_traffic_release(&pattern);
        problem_close(&problem);
    }
}

/* Loads in doubles, or groups that differ, have no bulk. */
static void test_no_bulk(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_channel_loads loads = { 0 };
    struct nb_ratio bulk;
    problem_open(&problem, "torus:4x4", "dor");
    loads.is_exact = true;
    assert_int_equal(nb_bulk_load(&problem.topology, &loads, &bulk, NULL),
                     NB_OK);
    assert_false(nb_ratio_is_known(bulk));
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct nb_topology topology;
    enum nb_status status = NB_NO_MEMORY;
    topology_must_build("dragonfly:h=2", &topology);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 100; allowed++) {
        struct nb_limits limits = { 0 };
        nb_memory_allow(allowed);
        status = nb_limits_find(&topology, 1, 4, true, &limits, NULL);
        nb_memory_allow(-1);
        nb_limits_release(&limits);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balanced_dragonflies),
        cmocka_unit_test(test_other_networks),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_bulk_of_displacement),
        cmocka_unit_test(test_no_bulk),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
