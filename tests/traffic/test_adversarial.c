/* Traffic from group to group and within groups. Golden: rates worked out by
 * hand; property: whole matrices against the definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/ratio_checks.h"
#include "support/traffic_case.h"

#include <inttypes.h>
#include <stdio.h>

/* dragonfly:h=2 has G = 9 groups of a = 4 routers of p = 2 terminals, router
 * = 4 group + index; h=1: G = 3, a = 2, p = 1. The groups of hyperx:4x3 are
 * its rows x + 4 y, those of fattree:k=3,n=3 three leaves of 3 terminals. */
static const struct rate_row {
    const char *example;
    uint32_t source, target;
    struct nb_ratio rate;
    const char *source_of_value;
} rate_rows[] = {
    { "adversarial@dragonfly:h=2", 0, 4, { 1, 2 }, "p p / (a p)" },
    { "adversarial@dragonfly:h=2", 0, 7, { 1, 2 }, "p p / (a p)" },
    { "adversarial@dragonfly:h=2", 0, 8, { 0, 1 }, "group 2" },
    { "adversarial@dragonfly:h=2", 1, 2, { 0, 1 }, "its own group" },
    { "adversarial@dragonfly:h=2", 35, 0, { 1, 2 }, "group 8 to 8+1 mod 9" },
    { "adv:1@dragonfly:h=1", 0, 3, { 1, 2 }, "1/2" },
    { "adv:-3@dragonfly:h=2", 0, 24, { 1, 2 }, "0-3 mod 9 = 6" },
    { "adv:-3@dragonfly:h=2", 12, 3, { 1, 2 }, "3-3 = 0" },
    { "adv:1+3@dragonfly:h=2", 0, 4, { 1, 4 }, "half to +1" },
    { "adv:1+3@dragonfly:h=2", 0, 13, { 1, 4 }, "half to +3" },
    { "adv:1+3@dragonfly:h=2", 0, 8, { 0, 1 }, "none to +2" },
    { "adv:-2+5+5@dragonfly:h=2", 0, 28, { 1, 6 }, "a third to -2" },
    { "adv:-2+5+5@dragonfly:h=2", 0, 20, { 1, 3 }, "two thirds to +5" },
    { "adv:-2+7@dragonfly:h=2", 0, 28, { 1, 2 }, "both are group 7" },
    { "adv@hyperx:4x3,p=2", 3, 4, { 1, 2 }, "2*2/8" },
    { "adv@fattree:k=3,n=3", 8, 0, { 1, 1 }, "3*3/9, group 2 to 0" },
    { "advl@fattree:k=3,n=3", 5, 3, { 3, 1 }, "leaf 2 to 0 of group 1" },
    { "advl@dragonfly:h=2", 0, 1, { 2, 1 }, "p" },
    { "advl@dragonfly:h=2", 7, 4, { 2, 1 }, "index 3 to 3+1 mod 4" },
    { "advl:-1@dragonfly:h=2", 4, 7, { 2, 1 }, "index 0 to 0-1 mod 4" },
    { "advl:2@hyperx:4x3,p=3", 9, 11, { 3, 1 }, "p, in row 2" },
    { "advc@dragonfly:h=2", 0, 4, { 1, 4 }, "half of 1/2 to +1" },
    { "advc@dragonfly:h=2", 0, 11, { 1, 4 }, "half of 1/2 to +2" },
    { "advc@dragonfly:h=2", 0, 12, { 0, 1 }, "none to +3 = h+1" },
    { "advc:count=1@dragonfly:h=2", 0, 4, { 1, 2 }, "as adversarial" },
    { "advc:8@dragonfly:h=2", 9, 3, { 1, 16 }, "an eighth of 1/2 to each" },
    { "advc@hyperx:4x3,p=2", 0, 8, { 1, 4 }, "2 global channels" },
    { "advc@fattree:k=3,n=3", 0, 6, { 1, 2 }, "3 channels, 2 groups" },
    { "advc@clos:2x2x4,up=2x2", 1, 4, { 1, 2 }, "2 channels up: half of 1" },
    { "advc@clos:2x2x4,up=2x2", 1, 6, { 0, 1 }, "none to +3" },
    { "mix:uniform=0.5,adversarial=0.5@dragonfly:h=2",
      0,
      0,
      { 1, 36 },
      "1/2 p p / 72" },
    { "mix:uniform=0.5,adversarial=0.5@dragonfly:h=2",
      0,
      4,
      { 5, 18 },
      "1/36 + 1/2 1/2" },
    { "mix:uniform=1/3,adversarial=1/6,local=0.2,consecutive=0.3,"
      "offset=3+-5@dragonfly:h=2",
      0,
      1,
      { 113, 270 },
      "1/3 4/72 + 1/5 2" },
    { "mix:uniform=1/3,adversarial=1/6,local=0.2,consecutive=0.3,"
      "offset=3+-5@dragonfly:h=2",
      0,
      4,
      { 101, 1080 },
      "1/3 4/72 + 3/10 1/4" },
    { "mix:uniform=1/3,adversarial=1/6,local=0.2,consecutive=0.3,"
      "offset=3+-5@dragonfly:h=2",
      0,
      16,
      { 13, 216 },
      "1/3 4/72 + 1/6 1/4, group 0-5 mod 9 = 4" },
    { "mix:uniform=0.000000001,local=0.499999999,adversarial=1/2@dragonfly:h=2",
      0,
      1,
      { 3599999993, 3600000000 },
      "1e-9/18 + 2 0.499999999; the denominators' product does not fit in 64 "
      "bits" },
    { "mix:consecutive=1,count=1@dragonfly:h=2", 0, 4, { 1, 2 }, "count" },
    /* Patterns of coordinates also use those of a HyperX. */
    { "tornado@hyperx:5x3,p=1", 4, 1, { 1, 1 }, "4+2 mod 5" },
    { "tornado:dims=all@hyperx:5x3,p=1", 4, 6, { 1, 1 }, "(4,0) to (1,1)" },
    { "bit-complement@hyperx:4x3,p=2", 5, 6, { 2, 1 }, "(1,1) to (2,1)" },
    { "transpose@hyperx:3x3,p=1", 5, 7, { 1, 1 }, "(2,1) to (1,2)" },
    { "neighbour:dims=all@hyperx:4x3,p=1", 3, 4, { 1, 1 }, "(3,0) to (0,1)" },
};

static void rates_are_as_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rate_rows / sizeof *rate_rows; i++) {
        const struct rate_row *row = &rate_rows[i];
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        char name[256];
        if (traffic_case_build(row->example, &testcase, &err) != NB_OK)
            fail_msg("%s: %s", row->example, err.message);
        snprintf(name, sizeof name, "%s: %" PRIu32 " to %" PRIu32 " (%s)",
                 row->example, row->source, row->target, row->source_of_value);
        ratio_must_equal(traffic_case_rate(&testcase, row->source, row->target),
                         row->rate, name);
        traffic_case_release(&testcase);
    }
}

/* The definition on dragonfly:h=2: 1/2 from every router of group g to every
 * one of group g + offset mod 9; the negative offset gives the transposed
 * matrix. */
static void every_destination_is_as_defined(void **state)
{
    (void)state;
    for (int offset = -8; offset <= 8; offset++) {
        struct traffic_case there, back;
        char example[64];
        if (offset == 0)
            continue;
        snprintf(example, sizeof example, "adv:%d@dragonfly:h=2", offset);
        assert_int_equal(traffic_case_build(example, &there, NULL), NB_OK);
        snprintf(example, sizeof example, "adv:%d@dragonfly:h=2", -offset);
        assert_int_equal(traffic_case_build(example, &back, NULL), NB_OK);
        for (uint32_t i = 0; i < 36; i++)
            for (uint32_t j = 0; j < 36; j++) {
                const bool is_sent =
                    ((int)(j / 4) - (int)(i / 4) - offset) % 9 == 0;
                const struct nb_ratio rate = { is_sent, is_sent ? 2 : 1 };
                ratio_must_equal(traffic_case_rate(&there, i, j), rate,
                                 example);
                ratio_must_equal(traffic_case_rate(&back, j, i), rate, example);
            }
        traffic_case_release(&there);
        traffic_case_release(&back);
    }
}

/* Every row and every column sums to the terminals, exactly. */
static void rows_and_columns_are_full(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "adv@dragonfly:h=1",
        "adv:-2+5+5@dragonfly:h=2",
        "advl:-1@dragonfly:h=2",
        "advc@dragonfly:h=2",
        "advc:7@dragonfly:h=2",
        "mix:uniform=1/2,adversarial=1/6,consecutive=1/3@dragonfly:h=2",
        "adv:1+1+2@megafly:2",
        "advl@megafly:2",
        "advc@megafly:2",
        "adv@hyperx:3x3x2,p=2",
        "advl@fattree:k=2,n=3",
        "advc@fattree:k=2,n=3",
    };
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        if (traffic_case_build(examples[e], &testcase, &err) != NB_OK)
            fail_msg("%s: %s", examples[e], err.message);
        for (uint32_t i = 0; i < testcase.topology.router_count; i++) {
            struct nb_ratio row = nb_ratio_zero, column = nb_ratio_zero;
            for (uint32_t j = 0; j < testcase.topology.router_count; j++) {
                row = nb_ratio_add(row, traffic_case_rate(&testcase, i, j));
                column =
                    nb_ratio_add(column, traffic_case_rate(&testcase, j, i));
            }
            const struct nb_ratio all = { testcase.topology.terminals[i], 1 };
            ratio_must_equal(row, all, examples[e]);
            ratio_must_equal(column, all, examples[e]);
        }
        traffic_case_release(&testcase);
    }
}

enum { PARTS = 4 };

/* Four shares that sum to 1, over the same denominator. */
static void draw_shares(struct nb_random *random, struct nb_ratio *share)
{
    int64_t cut[PARTS], sum = 0;
    for (size_t p = 0; p < PARTS; p++) {
        cut[p] = (int64_t)nb_random_below(random, 40);
        sum += cut[p];
    }
    cut[0] += sum == 0;
    sum += sum == 0;
    for (size_t p = 0; p < PARTS; p++)
        share[p] = nb_ratio_make(cut[p], sum);
}

/* A mix is the weighted sum of the matrices of its parts. */
static void mixes_are_sums(void **state)
{
    (void)state;
    static const char *const parts[PARTS] = { "uniform@dragonfly:h=2",
                                              "adv:-2+5@dragonfly:h=2",
                                              "advl@dragonfly:h=2",
                                              "advc:3@dragonfly:h=2" };
    struct traffic_case part[PARTS];
    for (size_t p = 0; p < PARTS; p++)
        assert_int_equal(traffic_case_build(parts[p], &part[p], NULL), NB_OK);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct nb_random random;
        struct nb_ratio share[PARTS];
        struct nb_error err = { 0 };
        struct traffic_case mix;
        char text[PARTS][NB_RATIO_TEXT], example[320];
        nb_random_init(&random, seed, 0);
        draw_shares(&random, share);
        for (size_t p = 0; p < PARTS; p++)
            nb_ratio_print(share[p], text[p]);
        snprintf(example, sizeof example,
                 "mix:uniform=%s,adversarial=%s,local=%s,consecutive=%s,"
                 "offset=-2+5,count=3@dragonfly:h=2",
                 text[0], text[1], text[2], text[3]);
        if (traffic_case_build(example, &mix, &err) != NB_OK)
            fail_msg("%s: %s", example, err.message);
        for (uint32_t i = 0; i < 36; i++)
            for (uint32_t j = 0; j < 36; j++) {
                struct nb_ratio sum = nb_ratio_zero;
                for (size_t p = 0; p < PARTS; p++)
                    sum = nb_ratio_add(
                        sum, nb_ratio_multiply(
                                 share[p], traffic_case_rate(&part[p], i, j)));
                ratio_must_equal(traffic_case_rate(&mix, i, j), sum, example);
            }
        traffic_case_release(&mix);
    }
    for (size_t p = 0; p < PARTS; p++)
        traffic_case_release(&part[p]);
}

static void short_names_are_known(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "adv@hyperx:3x3", "adversarial" },
        { "advl@hyperx:3x3", "adversarial-local" },
        { "advc@hyperx:3x3", "adversarial-consecutive" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct traffic_case testcase;
        assert_int_equal(traffic_case_build(pairs[i][0], &testcase, NULL),
                         NB_OK);
        assert_string_equal(testcase.traffic.specification.kind->name,
                            pairs[i][1]);
        traffic_case_release(&testcase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_as_by_hand),
        cmocka_unit_test(every_destination_is_as_defined),
        cmocka_unit_test(rows_and_columns_are_full),
        cmocka_unit_test(mixes_are_sums),
        cmocka_unit_test(short_names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
