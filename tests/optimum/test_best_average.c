/* Best average: known values, and other methods for them. */
#include "support/average_case.h"
#include "support/flow_case.h"
#include "support/graphs.h"
#include "support/plain_average.h"
#include "support/topology_checks.h"
#include "core/random.h"
#include "topology/symmetry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A row of data/reference/optimum_average.csv: "NAME",word,n,n,number,p/q with
 * the name's quotes only where it has a comma. */
struct row {
    char topology[100], paths[10], ratio[40];
    unsigned count, seed;
    double value;
};

static bool read_row(FILE *file, struct row *row)
{
    char line[400];
    do {
        if (fgets(line, sizeof line, file) == NULL)
            return false;
    } while (line[0] == '#' || strncmp(line, "topology,", 9) == 0);
    const bool is_quoted = line[0] == '"';
    const size_t length = strcspn(line + is_quoted, is_quoted ? "\"" : ",");
    assert_true(length < sizeof row->topology);
    memcpy(row->topology, line + is_quoted, length);
    row->topology[length] = '\0';
    row->ratio[0] = '\0';
    assert_true(sscanf(line + length + 2 * is_quoted,
                       ",%9[a-z],%u,%u,%lf,%39[0-9/]", row->paths, &row->count,
                       &row->seed, &row->value, row->ratio) >= 4);
    return true;
}

/* Values of an independent program; see the file's header. */
static void agrees_with_reference(void **state)
{
    (void)state;
    struct row row;
    size_t rows = 0;
    FILE *file = fopen("data/reference/optimum_average.csv", "r");
    assert_non_null(file);
    for (; read_row(file, &row); rows++) {
        struct average_case testcase;
        struct nb_ratio ratio;
        average_case_open(&testcase, row.topology, row.count, row.seed);
        if (strcmp(row.paths, "minimal") == 0)
            average_case_set_paths(&testcase, NB_PATHS_MINIMAL, nb_ratio_one);
        const struct nb_enclosure found = average_case_find(&testcase);
        average_must_enclose(&testcase, found, row.value);
        if (row.ratio[0] != '\0') {
            assert_int_equal(nb_ratio_read(row.ratio, &ratio, NULL), NB_OK);
            average_must_equal(&testcase, found, ratio);
        }
        average_case_close(&testcase);
    }
    fclose(file);
    assert_int_equal(rows, 18);
}

/* Number of routers that the permutation maps elsewhere. */
static unsigned count_moving(unsigned n, uint64_t seed, uint64_t x)
{
    uint32_t image[16];
    unsigned moving = 0;
    struct nb_random random;
    nb_random_init(&random, seed, x);
    nb_random_permutation(&random, n, image);
    for (unsigned i = 0; i < n; i++)
        moving += image[i] != i;
    return moving;
}

/*
 * On n routers joined each to each, packets go straight with probability a or
 * through any other router. If three or more of them send to another router, a
 * channel carries a, or two times (1 - a)/(n - 2): best is a = 2/n.
 */
static void answers_complete_networks(void **state)
{
    (void)state;
    for (unsigned n = 6; n <= 10; n++) {
        struct average_case testcase;
        char name[40];
        snprintf(name, sizeof name, "complete:%u", n);
        average_case_open(&testcase, name, 3, 1);
        for (uint64_t x = 0; x < 3; x++)
            assert_true(count_moving(n, 1, x) >= 3);
        average_must_equal(&testcase, average_case_find(&testcase),
                           nb_ratio_make(2, n));
        average_must_equal(&testcase, testcase.best.mean_throughput,
                           nb_ratio_make(n, 2));
        average_must_equal(&testcase, testcase.best.least_throughput,
                           nb_ratio_make(n, 2));
        /* a + 2 (1 - a) to all except the source */
        average_must_equal(
            &testcase, testcase.best.mean_hops,
            nb_ratio_make((n - 1) * (2 * (int64_t)n - 2), (int64_t)n * n));
        average_case_close(&testcase);
    }
}

/* Terminals at a single router have no traffic for the network. */
static void answers_trivial_networks(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        uint32_t terminals[3];
        struct nb_ratio limit; /* bandwidth of the terminals' channels */
        struct nb_ratio load;
    } cases[] = {
        { "0,1\n1,0\n", { 1, 0 }, { 0, 0 }, { 0, 1 } },
        { "0,1\n1,0\n", { 3, 0 }, { 0, 0 }, { 0, 1 } },
        { "0,1\n1,0\n", { 3, 0 }, { 2, 3 }, { 3, 2 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct average_case testcase;
        average_case_open_file(&testcase, cases[i].edges, ".csv",
                               ",directed=yes", 2, 1);
        struct nb_topology *topology = &testcase.topology;
        topology->terminal_count = 0;
        topology->terminal_bandwidth = cases[i].limit;
        for (size_t r = 0; r < topology->router_count; r++)
            topology->terminal_count += topology->terminals[r] =
                cases[i].terminals[r];
        average_must_equal(&testcase, average_case_find(&testcase),
                           cases[i].load);
        average_must_equal(&testcase, testcase.best.mean_throughput,
                           nb_ratio_divide(nb_ratio_one, cases[i].load));
        average_case_close(&testcase);
    }
}

/* Random networks without symmetry; every second one has terminals with narrow
 * channels. */
static void agrees_with_plain_program(void **state)
{
    (void)state;
    enum { SEEDS = 30 };
    size_t compared = 0, limited = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct average_case testcase;
        struct nb_symmetry symmetry;
        char text[8000];
        graph_random(seed, 4 + (uint32_t)seed % 3, 8, text, sizeof text);
        average_case_open_file(&testcase, text, ".graphml", "",
                               3 + (size_t)seed % 8, seed);
        snprintf(testcase.name, sizeof testcase.name, "random graph of seed %u",
                 (unsigned)seed);
        if (seed % 2 == 0)
            testcase.topology.terminal_bandwidth = nb_ratio_make(2, 3);
        assert_int_equal(
            nb_best_average_symmetry(&testcase.question, &symmetry, NULL),
            NB_OK);
        for (int paths = 0; paths < 2 && symmetry.generator_count == 0;
             paths++) {
            average_case_set_paths(&testcase,
                                   paths == 0 ? NB_PATHS_ANY : NB_PATHS_MINIMAL,
                                   nb_ratio_one);
            const struct nb_enclosure found = average_case_find(&testcase);
            average_must_enclose(&testcase, found,
                                 plain_average_load(&testcase.question));
            testcase.best.weight_count = 0; /* then hops prove no more */
            assert_int_equal(
                nb_best_average_check(&testcase.question, &testcase.best, NULL),
                NB_OK);
            assert_true(testcase.best.mean_load.lower <= found.upper);
            compared++;
            limited += seed % 2 == 0 && found.lower > 1.5;
        }
        nb_symmetry_release(&symmetry);
        average_case_close(&testcase);
    }
    assert_true(compared > SEEDS);
    assert_true(limited > 3);
}

/* For a single permutation, the best average is its best flow, where symmetry
 * adds no condition. */
static void agrees_with_best_flow(void **state)
{
    (void)state;
    static const char network[] =
        "file:data/topologies/oracle-random.txt,directed=yes";
    for (unsigned seed = 1; seed <= 10; seed++) {
        struct average_case testcase;
        struct flow_case flow;
        char traffic[60];
        snprintf(traffic, sizeof traffic, "random-permutation:seed=%u", seed);
        average_case_open(&testcase, network, 1, seed);
        flow_case_open(&flow, network, traffic);
        for (int paths = 0; paths < 2; paths++) {
            flow_case_solve(&flow, paths == 0 ? "any" : "minimal");
            average_case_set_paths(&testcase,
                                   paths == 0 ? NB_PATHS_ANY : NB_PATHS_MINIMAL,
                                   nb_ratio_one);
            average_must_equal(
                &testcase, average_case_find(&testcase),
                nb_ratio_divide(nb_ratio_one, flow.flow.throughput.exact));
        }
        flow_case_close(&flow);
        average_case_close(&testcase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_reference),
        cmocka_unit_test(answers_complete_networks),
        cmocka_unit_test(answers_trivial_networks),
        cmocka_unit_test(agrees_with_plain_program),
        cmocka_unit_test(agrees_with_best_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
