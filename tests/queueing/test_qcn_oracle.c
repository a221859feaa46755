/* The loop of QCN-Switch against tests/oracles/qcn.py, which follows the same
 * equations in 60 digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "queueing/qcn.h"

#include <math.h>

enum { SOURCES, DEMAND, TRANSIT, QUEUE, REFERENCE, WEIGHT, INTERVAL, LIMIT };
enum { PACKETS = LIMIT + 1, INCREASE, PORTS, ABOVE, INPUTS };

static const char *const response_names[] = {
    "first",  "told",
    "within", "share",
    "tries",  "moments",
    "times",  "least probabilities", /* sums over the moments, each times */
    "means",  "inflows",             /* its number, from 1 */
    "queues"
};
enum { RESPONSES = sizeof response_names / sizeof *response_names };

/* No notifications: no cycle. 99: no pattern of up to 16 repeats. */
static const char *const cycle_names[] = {
    "notifications", "increases", "period",   "least",  "most",
    "mean",          "accepted",  "shortest", "longest"
};
enum { CYCLES = sizeof cycle_names / sizeof *cycle_names };

/* Made by tests/oracles/qcn.py. */
static const struct oracle_case {
    int64_t of[INPUTS][2];
    double response[RESPONSES], cycle[CYCLES];
} cases[] = {
    { { { 12, 1 },
        { 12, 5 },
        { 1, 5 },
        { 100, 1 },
        { 20, 1 },
        { 0, 1 },
        { 1000, 3 },
        { 1, 64 },
        { 100, 1 },
        { 1, 100 },
        { 0, 1 },
        { 0, 1 } },
      { 255.65891472868216, 3922.3255813953488, INFINITY, 0.052291666666666667,
        12, 64, 27573609.457364339, 10.857083172611892, 141.31182221555773,
        3180.1804798080625, 207740 },
      { 1, 15, 5680.444947443968, 0.0023809523809523812, 0.15238095238095239,
        0.071736646874343502, 0.85965057084038565, 0, 100 } },
    { { { 12, 1 },
        { 12, 5 },
        { 1, 5 },
        { 100, 1 },
        { 20, 1 },
        { 0, 1 },
        { 500, 3 },
        { 1, 64 },
        { 100, 1 },
        { 1, 100 },
        { 17, 1 },
        { 30, 1 } },
      { 88.992248062015506, 1922.3255813953488, 3922.3255813953488,
        0.091862745098039211, 12, 27, 937811.31782945734, 16.582396193771626,
        68.677889273356399, 1088.3232110726644, 37540 },
      { 1, 9, 3438.5392527724366, 0.0071428571428571426, 0.097142857142857142,
        0.046656380688408203, 0.83770152803222586, 0, 100 } },
    { { { 4, 1 },
        { 4, 5 },
        { 1, 5 },
        { 100, 1 },
        { 20, 1 },
        { 0, 1 },
        { 500, 3 },
        { 1, 64 },
        { 100, 1 },
        { 1, 100 },
        { 5, 1 },
        { 30, 1 } },
      { 95.757575757575751, 595.75757575757575, 595.75757575757575, 0.2175, 4,
        7, 8594.545454545454, 10.675000000000001, 16.2225, 51.911999999999999,
        2540 },
      { 1, 29, 8013.8957687182246, 0.078253968253968256, 0.36825396825396828,
        0.20311038261913772, 0.6499532243812407, 0, 88.237520021707027 } },
    { { { 3, 1 },
        { 3, 4 },
        { 0, 1 },
        { 50, 1 },
        { 10, 1 },
        { 1, 2 },
        { 40, 1 },
        { 1, 64 },
        { 30, 1 },
        { 1, 50 },
        { 0, 1 },
        { 0, 1 } },
      { 23.111111111111111, 101.28823114869627, 49.571059431524546, 0.015625, 3,
        5, 784.72539346957956, 3.1875, 6.46875, 14.5546875, 423.2746065304205 },
      { 1, 26, 11513.000243077411, 0.0082539682539682548, 0.52825396825396831,
        0.093102614987240012, 0.20948088372129001, 0, 36.099717571337486 } },
    { { { 5, 1 },
        { 1, 2 },
        { 1, 10 },
        { 30, 1 },
        { 20, 1 },
        { 0, 1 },
        { 25, 1 },
        { 1, 80 },
        { 10, 1 },
        { 1, 20 },
        { 9, 1 },
        { 10, 1 } },
      { 28.333333333333332, 128.33333333333334, 728.33333333333337,
        0.7055555555555556, 5, 32, 248326.66666666666, 205.67403863351717,
        264.37322967329374, 660.93307418323434, 15790 },
      { 10, 31, 1278.8355758911198, 0.31843931748694698, 0.51843931748694694,
        0.40553044004846911, 1, 19.357936468169427, 30 } },
    { { { 2, 1 },
        { 3, 2 },
        { 1, 3 },
        { 40, 1 },
        { 5, 1 },
        { 2, 1 },
        { 30, 1 },
        { 1, 64 },
        { 25, 1 },
        { 3, 100 },
        { 4, 1 },
        { 20, 1 } },
      { 27.5, 55.822065150583896, 55.822065150583896, 0.26171875, 2, 4,
        315.78826060233558, 4.83203125, 5.939453125, 10.318359375,
        74.211739397664417 },
      { 1, 13, 440.63554584942074, 0.13825396825396824, 0.52825396825396831,
        0.30500812775842995, 0.88755779920989963, 0, 40 } },
    { { { 2, 1 },
        { 7, 4 },
        { 1, 8 },
        { 60, 1 },
        { 30, 1 },
        { 1, 1 },
        { 50, 1 },
        { 1, 100 },
        { 20, 1 },
        { 1, 25 },
        { 0, 1 },
        { 0, 1 } },
      { 48.571428571428569, 81.10662338124196, 175, 0.39000000000000001, 2, 7,
        2974.3262712309697, 9.4121000000000006, 11.639200000000001,
        32.862200000000001, 1434.8592207607464 },
      { 2, 15, 539.32713196810971, 0.1707890163364616, 0.4907890163364616,
        0.30689606804061076, 1, 26.066035080935201, 60 } },
    { { { 7, 1 },
        { 1, 3 },
        { 2, 5 },
        { 80, 1 },
        { 16, 1 },
        { 0, 1 },
        { 60, 1 },
        { 1, 70 },
        { 15, 1 },
        { 1, 40 },
        { 12, 1 },
        { 5, 1 } },
      { 37.714285714285715, 372.2045670223892, 308, 0.29999999999999999, 7, 10,
        11302.351631978672, 12.1, 30.960714285714285, 72.24166666666666,
        4060.811472633251 },
      { 1, 28, 788.2586718088121, 0.1484848484848485, 0.84848484848484851,
        0.47338257569005232, 0.94216586500507915, 0, 80 } },
    { { { 3, 1 },
        { 1, 2 },
        { 1, 4 },
        { 20, 1 },
        { 9, 1 },
        { 3, 1 },
        { 10, 1 },
        { 1, 64 },
        { 8, 1 },
        { 1, 30 },
        { 0, 1 },
        { 0, 1 } },
      { 11.166666666666666, 137.56296539835927, 76.858626680956647,
        0.6225694444444444, 3, 7, 2427.9225655524929, 5.5906250000000002,
        19.625, 29.4375, 180.78967046704952 },
      { 1, 29, 528.9792311944293, 0.015343915343915344, 0.982010582010582,
        0.40973493415476481, 0.59757433162533047, 0, 20 } },
    { { { 4, 1 },
        { 1, 2 },
        { 1, 5 },
        { 90, 1 },
        { 60, 1 },
        { 1, 4 },
        { 35, 1 },
        { 1, 200 },
        { 12, 1 },
        { 1, 60 },
        { 6, 1 },
        { 1, 1 } },
      { 65.5, 146, INFINITY, 0.90625, 4, 64, 2925124.1934414925,
        1330.748061289223, 1405.1077568677897, 2810.2155137355794,
        186922.85820895524 },
      { 1, 5, 140, 0.56182795698924726, 0.64516129032258063,
        0.59754224270353307, 1, 90, 90 } },
    { { { 6, 1 },
        { 1, 4 },
        { 0, 1 },
        { 25, 1 },
        { 3, 1 },
        { 0, 1 },
        { 12, 1 },
        { 1, 64 },
        { 500, 1 },
        { 1, 10 },
        { 0, 1 },
        { 0, 1 } },
      { 14, 161004.51089843857, 35.477070202129973, 0.6401041666666667, 6, 11,
        4831380.1803763267, 15.984375, 38.455729166666664, 57.68359375,
        271.63047798903375 },
      { 1, 7, 226065.31982637933, 0.011111111111111112, 0.71111111111111114,
        0.062282658910985389, 0.093423988366478083, 0, 7.4952380952380953 } },
    { { { 2, 1 },
        { 1, 1 },
        { 2, 5 },
        { 40, 1 },
        { 8, 1 },
        { 0, 1 },
        { 20, 1 },
        { 1, 63 },
        { 40, 1 },
        { 1, 4 },
        { 3, 1 },
        { 15, 1 } },
      { 56.666666666666664, 73.333333333333329, 92.385752688172047,
        0.58730158730158732, 2, 5, 1005.2620967741935, 8.3350690070266786,
        9.7416085775874137, 15.009143081100753, 186.73790322580646 },
      { 4, 6, 413.90888025502295, 0.18165784832451498, 1, 0.50529984497374392,
        0.89186423538011528, 0, 16.836465603850471 } },
    { { { 2, 1 },
        { 3, 5 },
        { 0, 1 },
        { 45, 1 },
        { 31, 1 },
        { 1, 3 },
        { 9, 1 },
        { 1, 300 },
        { 20, 1 },
        { 1, 90 },
        { 0, 1 },
        { 0, 1 } },
      { 123.75, 155.7143980704698, 228.42339791120824, 0.98833333333333329, 2,
        15, 22726.555432966365, 109.24451387893463, 110.50865825698584,
        132.61038990838301, 4286.1816178022009 },
      { 99 } },
};
enum { CASES = sizeof cases / sizeof *cases };

static struct nb_qcn loop_of(const struct oracle_case *at)
{
    struct nb_ratio of[INPUTS];
    for (size_t i = 0; i < INPUTS; i++)
        of[i] = nb_ratio_make(at->of[i][0], at->of[i][1]);
    return (struct nb_qcn){ .sources = (uint32_t)at->of[SOURCES][0],
                            .ports = (uint32_t)at->of[PORTS][0],
                            .demand = of[DEMAND],
                            .transit = of[TRANSIT],
                            .queue = of[QUEUE],
                            .reference = of[REFERENCE],
                            .weight = of[WEIGHT],
                            .interval = of[INTERVAL],
                            .limit = of[LIMIT],
                            .packets = of[PACKETS],
                            .increase = of[INCREASE],
                            .below = nb_ratio_zero,
                            .above = of[ABOVE] };
}

/* Numbers that do not fit a ratio become doubles after each event. */
static bool is_close(double found, double expected)
{
    return found == expected ||
           fabs(found - expected) <= 1e-9 * (1 + fabs(expected));
}

static void responds_as_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct nb_qcn loop = loop_of(&cases[i]);
        struct nb_qcn_response got;
        assert_int_equal(nb_qcn_respond(&loop, &got, NULL), NB_OK);
        double found[RESPONSES] = {
            got.first.upper,           got.told.upper,
            got.within.upper,          got.share.upper,
            (double)got.notifications, (double)got.moment_count
        };
        for (size_t m = 0; m < got.moment_count; m++) {
            const struct nb_qcn_moment *at = &got.moments[m];
            const struct nb_enclosure values[] = { at->time, at->least,
                                                   at->mean, at->inflow,
                                                   at->queue };
            for (size_t v = 0; v < 5; v++)
                found[6 + v] += (double)(m + 1) * values[v].upper;
        }
        for (size_t r = 0; r < RESPONSES; r++)
            TOPOLOGY_CHECK(is_close(found[r], cases[i].response[r]),
                           "case %zu, %s: %.17g, not %.17g", i,
                           response_names[r], found[r], cases[i].response[r]);
        nb_qcn_response_release(&got);
    }
}

/* Every cycle is a bracket around the oracle's numbers; a narrow one if it is
 * proved. */
static void cycles_as_the_oracle(void **state)
{
    (void)state;
    size_t proved = 0;
    for (size_t i = 0; i < CASES; i++) {
        const struct nb_qcn loop = loop_of(&cases[i]);
        const double *expected = cases[i].cycle;
        struct nb_qcn_cycle got;
        assert_int_equal(nb_qcn_cycle_find(&loop, &got, NULL), NB_OK);
        TOPOLOGY_CHECK(got.is_none == (expected[0] == 0), "case %zu", i);
        if (expected[0] == 0 || expected[0] == 99) {
            TOPOLOGY_CHECK(!got.is_proved, "case %zu", i);
            continue;
        }
        const struct nb_enclosure found[CYCLES] = {
            nb_enclosure_of_whole(got.notifications),
            nb_enclosure_of_whole((uint32_t)got.increases),
            got.period,
            got.least,
            got.most,
            got.mean,
            got.accepted,
            got.shortest,
            got.longest,
        };
        const double widest = got.is_proved ? 1e-5 : 1e-2;
        proved += got.is_proved;
        for (size_t c = 0; c < CYCLES; c++) {
            const struct nb_enclosure *at = &found[c];
            const double slack = 1e-15 * expected[c];
            TOPOLOGY_CHECK(at->lower <= expected[c] + slack &&
                               at->upper >= expected[c] - slack &&
                               at->upper - at->lower <=
                                   widest * (1 + expected[c]),
                           "case %zu, %s: %.17g to %.17g, not %.17g", i,
                           cycle_names[c], at->lower, at->upper, expected[c]);
        }
    }
    assert_int_equal(proved, 11); /* all with a pattern, except case 3 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responds_as_the_oracle),
        cmocka_unit_test(cycles_as_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
