/* Patterns on networks with failed routers: patterns by place keep the rest of
 * their traffic on the whole network, other patterns use what is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"
#include "../support/traffic_case.h"

#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t failed_kept, failed_left; /* numbers of examples built, by place
                                         * or not */

static void failed_compare(const struct traffic_case *whole,
                           const struct traffic_case *left, bool is_by_place,
                           const char *example)
{
    const struct nb_topology *topology = &left->topology;
    for (uint32_t i = 0; i < topology->router_count; i++) {
        struct nb_ratio row = nb_ratio_zero;
        for (uint32_t j = 0; j < topology->router_count; j++) {
            const struct nb_ratio rate = traffic_case_rate(left, i, j);
            const bool is_gone = nb_router_has_failed(topology, i) ||
                                 nb_router_has_failed(topology, j);
            row = nb_ratio_add(row, rate);
            if (is_gone && rate.numerator != 0)
                fail_msg("%s: %" PRIu32 " sends to %" PRIu32, example, i, j);
            if (is_by_place && !is_gone &&
                !ratio_same(rate, traffic_case_rate(whole, i, j)))
                fail_msg("%s: %" PRIu32 " to %" PRIu32, example, i, j);
        }
        if (!is_by_place && !strstr(example, "background=") &&
            strncmp(example, "mix", 3) != 0 &&
            !ratio_same(row, nb_ratio_make(topology->terminals[i], 1)))
            fail_msg("%s: row %" PRIu32, example, i);
    }
}

/* Each router fails in turn. */
static void failed_check(const struct nb_traffic_kind *kind,
                         const char *example)
{
    struct traffic_case whole, left;
    if (strstr(example, "@file:") != NULL || strncmp(example, "file", 4) == 0 ||
        strstr(example, "fail=") != NULL)
        return; /* files do not change */
    assert_int_equal(traffic_case_build(example, &whole, NULL), NB_OK);
    for (uint32_t r = 0; r < whole.topology.router_count && r < 20; r++) {
        char name[300];
        snprintf(name, sizeof name, "%s%sfail=router:%" PRIu32, example,
                 strchr(strchr(example, '@'), ':') != NULL ? "," : ":", r);
        if (traffic_case_build(name, &left, NULL) != NB_OK)
            continue; /* not connected, or a pattern that names the router */
        failed_compare(&whole, &left, kind->is_by_place, name);
        *(kind->is_by_place ? &failed_kept : &failed_left) += 1;
        traffic_case_release(&left);
    }
    traffic_case_release(&whole);
}

static void patterns_by_place_keep_the_rest(void **state)
{
    (void)state;
    failed_kept = failed_left = 0;
    traffic_case_for_each(failed_check);
    assert_true(failed_kept > 100 && failed_left > 50);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_by_place_keep_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
