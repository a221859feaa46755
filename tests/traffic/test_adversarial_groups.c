/* Traffic between groups and within them, for unusual groups and undefined
 * patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/ratio_checks.h"
#include "support/traffic_case.h"

#include <string.h>

/* complete:7 with groups and terminals set by hand: no kind has such groups. */
static void complete_with_groups(uint32_t count, const uint32_t of[7],
                                 const uint32_t terminals[7],
                                 struct nb_topology *out)
{
    assert_int_equal(nb_topology_build("complete:7", out, NULL), NB_OK);
    traffic_case_set_terminals(out, terminals);
    assert_int_equal(nb_groups_reserve(out, count, NULL), NB_OK);
    struct nb_groups *groups = &out->groups;
    groups->start = nb_new_array(count + 1, sizeof *groups->start);
    groups->member = nb_new_array(7, sizeof *groups->member);
    assert_non_null(groups->start);
    assert_non_null(groups->member);
    uint32_t next = 0;
    for (uint32_t g = 0; g < count; g++) {
        groups->start[g] = next;
        for (uint32_t r = 0; r < 7; r++)
            if (of[r] == g)
                groups->member[next++] = r;
    }
    groups->start[count] = next;
    memcpy(groups->of, of, 7 * sizeof *of);
}

/* Groups {0, 2, 4} and {1, 3, 5} of 2 + 0 + 1 and 1 + 1 + 1 terminals, and a
 * router 6 in no group. */
static void groups_may_interleave(void **state)
{
    (void)state;
    static const uint32_t of[] = { 0, 1, 0, 1, 0, 1, NB_NONE };
    static const uint32_t terminals[] = { 2, 1, 0, 1, 1, 1, 0 };
    struct traffic_case testcase = { 0 };
    complete_with_groups(2, of, terminals, &testcase.topology);
    assert_int_equal(nb_traffic_build("advc", &testcase.topology, false,
                                      &testcase.traffic, NULL),
                     NB_OK);
    static const struct {
        uint32_t source, target;
        struct nb_ratio rate;
    } rows[] = {
        { 0, 1, { 2, 3 } }, { 1, 0, { 2, 3 } }, { 1, 4, { 1, 3 } },
        { 4, 5, { 1, 3 } }, { 1, 2, { 0, 1 } }, { 0, 4, { 0, 1 } },
        { 0, 6, { 0, 1 } }, { 6, 1, { 0, 1 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ratio_must_equal(
            traffic_case_rate(&testcase, rows[i].source, rows[i].target),
            rows[i].rate, "interleaved groups");
    traffic_case_release(&testcase);
}

/* Group {0, 2, 4} without terminals at 2: 0 and 4 are consecutive. */
static void rings_leave_out_routers_without_terminals(void **state)
{
    (void)state;
    static const uint32_t of[] = { 0, 1, 0, 1, 0, 1, NB_NONE };
    static const uint32_t terminals[] = { 1, 3, 0, 3, 1, 3, 0 };
    static const uint32_t next[] = { 4, 3, NB_NONE, 5, 0, 1, NB_NONE };
    struct traffic_case testcase = { 0 };
    complete_with_groups(2, of, terminals, &testcase.topology);
    assert_int_equal(nb_traffic_build("advl", &testcase.topology, false,
                                      &testcase.traffic, NULL),
                     NB_OK);
    for (uint32_t i = 0; i < 7; i++)
        if (terminals[i] > 0)
            assert_int_equal(traffic_case_destination(&testcase, i), next[i]);
    traffic_case_release(&testcase);
}

static const struct group_refusal {
    const char *traffic;
    uint32_t groups, of[7], terminals[7];
    const char *reason;
} group_refusals[] = {
    { "adv",
      2,
      { 0, 0, 0, 1, 1, 1, 1 },
      { 1, 1, 1, 1, 1, 1, 1 },
      "group 0 has 3 terminals, group 1 has 4" },
    { "advc",
      3,
      { 0, 0, 1, 1, 2, 2, 2 },
      { 1, 1, 1, 1, 1, 0, 0 },
      "group 0 has 2 terminals, group 2 has 1" },
    { "adv",
      1,
      { 0, 0, 0, 0, 0, 0, 0 },
      { 1, 1, 1, 1, 1, 1, 1 },
      "has 1 group (permitted: at least 2)" },
    { "advc",
      2,
      { 0, 0, 0, 1, 1, 1, NB_NONE },
      { 1, 1, 1, 1, 1, 1, 1 },
      "router 6 has terminals but is in no group" },
    { "advl",
      2,
      { 0, 0, 0, 1, 1, 1, 1 },
      { 1, 1, 1, 0, 0, 2, 0 },
      "group 1 has 1 router with terminals (permitted: at least 2)" },
    { "advl",
      1,
      { 0, 0, 0, 0, 0, 0, 0 },
      { 2, 2, 1, 1, 2, 2, 2 },
      "router 1 of 2 terminals with router 2 of 1 (permitted" },
    { "advl:-2",
      2,
      { 0, 0, 1, 1, 1, 1, 1 },
      { 1, 1, 1, 1, 1, 1, 1 },
      "a whole number from 1 to 1 or from -1 to -1" },
};

static void unfit_groups_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof group_refusals / sizeof *group_refusals;
         i++) {
        const struct group_refusal *row = &group_refusals[i];
        struct nb_topology topology;
        struct nb_traffic traffic;
        struct nb_error err = { 0 };
        complete_with_groups(row->groups, row->of, row->terminals, &topology);
        const enum nb_status status =
            nb_traffic_build(row->traffic, &topology, false, &traffic, &err);
        if (status != NB_INVALID || strstr(err.message, row->reason) == NULL)
            fail_msg("%s: \"%s\", not \"%s\"", row->traffic, err.message,
                     row->reason);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static const struct refusal {
    const char *example, *reason;
} refusals[] = {
    { "adv@torus:4x4",
      "traffic adversarial needs groups; topology torus has none (permitted: "
      "dragonfly, megafly, hyperx of 2 dimensions or more, clos and fattree of "
      "3 levels or more)" },
    { "adv@hyperx:5", "needs groups; topology hyperx has none" },
    { "adv@fattree:k=3,n=2", "needs groups; topology fattree has none" },
    { "advl@ring:4", "adversarial-local needs groups; topology ring" },
    { "advc@complete:4", "adversarial-consecutive needs groups" },
    { "mix:uniform=1/2,local=1/2@ring:4", "adversarial-local needs groups" },
    { "adv:0@dragonfly:h=2",
      "offset \"0\" of \"0\" is not permitted (permitted: up to 1024 whole "
      "numbers joined by \"+\", each from 1 to 8 or from -8 to -1)" },
    { "adv:3+9@dragonfly:h=2", "offset \"9\" of \"3+9\"" },
    { "adv:-9@dragonfly:h=2", "offset \"-9\"" },
    { "adv:1+@dragonfly:h=2", "offset \"\" of \"1+\"" },
    { "adv:1++2@dragonfly:h=2", "offset \"\" of \"1++2\"" },
    { "adv:--1@dragonfly:h=2", "offset \"--1\"" },
    { "adv:1.5@dragonfly:h=2", "offset \"1.5\"" },
    { "adv:1x@dragonfly:h=2", "offset \"1x\"" },
    { "adv:-@dragonfly:h=2", "offset \"-\"" },
    { "adv:@dragonfly:h=2", "offset is empty" },
    { "adv:1000000000000000000000001@dragonfly:h=2",
      "offset \"1000000000000000000000001\"" },
    { "advl:4@dragonfly:h=2",
      "offset \"4\" of \"4\" is not permitted (permitted: a whole number from "
      "1 to 3 or from -3 to -1)" },
    { "advl:1+2@dragonfly:h=2", "offset \"2\" of \"1+2\"" },
    { "advc:9@dragonfly:h=2",
      "count 9 is not permitted (permitted: from 1 to 8, or 0 for" },
    { "advc:-1@dragonfly:h=2", "\"-1\"" },
    { "mix@dragonfly:h=2", "sum to 0 (permitted: 1)" },
    { "mix:uniform=0.5,adversarial=0.25@dragonfly:h=2", "sum to 3/4" },
    { "mix:uniform=1,local=1@dragonfly:h=2", "sum to 2" },
    { "mix:uniform=1.5@dragonfly:h=2", "\"1.5\"" },
    { "mix:adversarial=1,offset=0@dragonfly:h=2", "offset \"0\"" },
    { "mix:consecutive=1,count=9@dragonfly:h=2", "count 9" },
    { "mix:uniform=1/4611686018427387903,adversarial=4611686018427387902/"
      "4611686018427387903@dragonfly:h=2",
      "62 bits" },
    { "mix:uniform=1/4611686018427387903,local=1/4611686018427387847@ring:4",
      "sum of the shares does not fit in 64 bits" },
};

static void undefined_patterns_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        if (traffic_case_build(refusals[i].example, &testcase, &err) == NB_OK ||
            strstr(err.message, refusals[i].reason) == NULL)
            fail_msg("%s: \"%s\", not \"%s\"", refusals[i].example, err.message,
                     refusals[i].reason);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* 1024 offsets are accepted, one more is refused. */
static void offsets_have_a_limit(void **state)
{
    (void)state;
    static char text[16 + 2 * 1025];
    struct nb_topology topology;
    struct nb_traffic traffic;
    struct nb_error err = { 0 };
    assert_int_equal(nb_topology_build("dragonfly:h=1", &topology, NULL),
                     NB_OK);
    strcpy(text, "adv:1");
    while (strlen(text) < strlen("adv:1") + 2 * 1023)
        strcat(text, "+1");
    assert_int_equal(nb_traffic_build(text, &topology, false, &traffic, &err),
                     NB_OK);
    assert_int_equal(traffic.denominator, 2);
    nb_traffic_release(&traffic);
    strcat(text, "+2");
    assert_int_equal(nb_traffic_build(text, &topology, false, &traffic, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "up to 1024"));
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_may_interleave),
        cmocka_unit_test(rings_leave_out_routers_without_terminals),
        cmocka_unit_test(unfit_groups_are_refused),
        cmocka_unit_test(undefined_patterns_are_refused),
        cmocka_unit_test(offsets_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
