/* Best oblivious routing: known loads and hops. */
#include "support/cases.h"
#include "support/oblivious_case.h"
#include "support/topology_checks.h"
#include "core/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Twice the load of uniform traffic, which is 1 / capacity: no routing does
 * better [Singh2005, Theorem 1], and, where minimal routing reaches capacity,
 * routing through a random router does as well (Theorem 2). Capacities: 8/k or
 * 8k/(k^2 - 1) of tori and rings, the least of all dimensions; 4/k of meshes of
 * even k (those of odd k have no equal halves, and do better); N of complete
 * graphs; 2 of hypercubes.
 */
static const struct {
    const char *topology;
    struct nb_ratio load;
} twice_uniform[] = {
    { "ring:3", { 2, 3 } },      { "ring:4", { 1, 1 } },
    { "ring:5", { 6, 5 } },      { "ring:6", { 3, 2 } },
    { "ring:9", { 20, 9 } },     { "torus:3x3", { 2, 3 } },
    { "torus:4x4", { 1, 1 } },   { "torus:5x5", { 6, 5 } },
    { "torus:6x6", { 3, 2 } },   { "torus:4x3", { 1, 1 } },
    { "torus:3x3x3", { 2, 3 } }, { "mesh:4", { 2, 1 } },
    { "mesh:4x4", { 2, 1 } },    { "mesh:2x4", { 2, 1 } },
    { "complete:4", { 1, 2 } },  { "complete:5", { 2, 5 } },
    { "complete:6", { 1, 3 } },  { "complete:7", { 2, 7 } },
    { "complete:8", { 1, 4 } },  { "hypercube:3", { 1, 1 } },
    { "hypercube:4", { 1, 1 } }, { "ring:4,terminals=3,bandwidth=2", { 3, 2 } },
};

static void has_twice_the_uniform_load(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof twice_uniform / sizeof *twice_uniform; i++) {
        struct oblivious_case testcase;
        oblivious_case_open(&testcase, twice_uniform[i].topology);
        oblivious_must_equal(&testcase, oblivious_case_find(&testcase),
                             twice_uniform[i].load);
        oblivious_case_close(&testcase);
    }
}

/* A single terminal, or two at one router, have no traffic for the network.
 * With one path in each direction the answer is unique; of two parallel
 * channels each carries half of the packets. */
static void answers_trivial_networks(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        uint32_t terminals[3];
        struct nb_ratio load, hops;
    } cases[] = {
        { "0,1\n1,0\n", { 1, 0 }, { 0, 1 }, { 0, 1 } },
        { "0,1\n1,0\n", { 3, 0 }, { 0, 1 }, { 0, 1 } },
        { "0,1\n1,0\n", { 1, 1 }, { 1, 1 }, { 1, 2 } },
        { "0,1,3\n1,0,2\n", { 1, 1 }, { 1, 2 }, { 1, 2 } },
        { "0,1\n0,1\n1,0\n1,0\n", { 1, 1 }, { 1, 2 }, { 1, 2 } },
        { "0,1\n1,2\n2,0\n", { 1, 1, 0 }, { 1, 1 }, { 3, 4 } },
        { "0,1\n1,2\n2,0\n", { 3, 0, 1 }, { 1, 1 }, { 9, 16 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct oblivious_case testcase;
        oblivious_case_open_file(&testcase, cases[i].edges, ".csv",
                                 ",directed=yes");
        struct nb_topology *topology = &testcase.topology;
        topology->terminal_count = 0;
        for (size_t r = 0; r < topology->router_count; r++)
            topology->terminal_count += topology->terminals[r] =
                cases[i].terminals[r];
        oblivious_must_equal(&testcase, oblivious_case_find(&testcase),
                             cases[i].load);
        oblivious_must_equal(&testcase,
                             oblivious_case_find_hops(&testcase, cases[i].load),
                             cases[i].hops);
        oblivious_case_close(&testcase);
    }
}

/* A row of data/reference/optimum_oblivious.csv. */
struct row {
    char topology[100], paths[10], quantity[40], at[10], ratio[40];
    double value;
};

/* Copies the next field, without its quotes. */
static void take_field(const char **line, char *field, size_t size)
{
    const bool is_quoted = **line == '"';
    const char *start = *line + is_quoted;
    const size_t length = strcspn(start, is_quoted ? "\"" : ",\n");
    assert_true(length < size);
    memcpy(field, start, length);
    field[length] = '\0';
    *line = start + length + is_quoted;
    *line += **line == ',';
}

static bool read_row(FILE *file, struct row *row)
{
    char line[400], value[40];
    do {
        if (fgets(line, sizeof line, file) == NULL)
            return false;
    } while (line[0] == '#' || strncmp(line, "topology,", 9) == 0);
    const char *rest = line;
    take_field(&rest, row->topology, sizeof row->topology);
    take_field(&rest, row->paths, sizeof row->paths);
    take_field(&rest, row->quantity, sizeof row->quantity);
    take_field(&rest, row->at, sizeof row->at);
    take_field(&rest, value, sizeof value);
    take_field(&rest, row->ratio, sizeof row->ratio);
    row->value = strtod(value, NULL);
    return true;
}

/* The number found is exact where the reference is, and close to it. */
static void compare_row(const struct oblivious_case *testcase,
                        const struct row *row, struct nb_enclosure found)
{
    struct nb_ratio ratio;
    const double room = 1e-9 * row->value;
    TOPOLOGY_CHECK(found.lower <= row->value + room &&
                       row->value - room <= found.upper &&
                       found.upper - found.lower <= room,
                   "%s, %s, %s at %s: %.12g .. %.12g, not %.12g", row->topology,
                   row->paths, row->quantity, row->at, found.lower, found.upper,
                   row->value);
    if (row->ratio[0] == '\0')
        return;
    assert_int_equal(nb_ratio_read(row->ratio, &ratio, NULL), NB_OK);
    oblivious_must_equal(testcase, found, ratio);
}

static void check_row(const struct row *row)
{
    struct oblivious_case testcase;
    struct nb_ratio at;
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    oblivious_case_open(&testcase, row->topology);
    if (strcmp(row->paths, "minimal") == 0)
        oblivious_case_set_paths(&testcase, NB_PATHS_MINIMAL, nb_ratio_one);
    if (strcmp(row->quantity, "unbalanced_throughput_absolute") == 0) {
        assert_int_equal(nb_ratio_read(row->ratio, &at, NULL), NB_OK);
        testcase.question.rate = at;
        oblivious_must_equal(&testcase, oblivious_case_find(&testcase),
                             nb_ratio_one);
        testcase.question.rate = nb_ratio_multiply(at, nb_ratio_make(65, 64));
        assert_true(oblivious_case_find(&testcase).lower > 1);
    } else {
        const struct nb_enclosure load = oblivious_case_find(&testcase);
        if (row->at[0] == '\0') {
            compare_row(&testcase, row, nb_enclosure_divide(one, load));
        } else {
            assert_int_equal(nb_ratio_read(row->at, &at, NULL), NB_OK);
            compare_row(&testcase, row,
                        oblivious_case_find_hops(
                            &testcase, nb_ratio_divide(load.exact, at)));
        }
    }
    oblivious_case_close(&testcase);
}

/* Values of an independent program; see the file's header. */
static void agrees_with_reference(void **state)
{
    (void)state;
    struct row row;
    size_t rows = 0;
    FILE *file = fopen("data/reference/optimum_oblivious.csv", "r");
    assert_non_null(file);
    for (; read_row(file, &row); rows++)
        if (nb_cases_have(rows, 3))
            check_row(&row);
    fclose(file);
    assert_true(rows > 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_twice_the_uniform_load),
        cmocka_unit_test(answers_trivial_networks),
        cmocka_unit_test(agrees_with_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
