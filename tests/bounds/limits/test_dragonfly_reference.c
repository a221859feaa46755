/* Dragonflies against every route walked one by one: the rows made by
 * tests/oracles/dragonfly.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/problem.h"
#include "support/ratio_checks.h"

#include "bounds/limits/bulk.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "load/hop_classes.h"

#include <stdio.h>
#include <string.h>

enum {
    REFERENCE_TEXT = 40,
    REFERENCE_FULL = 4,    /* largest h with all rows checked */
    REFERENCE_SAMPLE = 4,  /* beyond it, one row of loads in this many */
    REFERENCE_LOADS = 540, /* minimum number of rows that are checked */
    REFERENCE_WORST = 63,  /* 21 for each h up to REFERENCE_FULL */
};

/* A row of data/reference/dragonfly.csv. */
struct reference_row {
    char line[200];
    unsigned h;
    char routing[8], traffic[REFERENCE_TEXT];
    char source[4],
        destination[4]; /* yes: intermediate routers may lie in the group */
    char load[REFERENCE_TEXT], bulk[REFERENCE_TEXT];
    char local[REFERENCE_TEXT], global[REFERENCE_TEXT];
};

/* The next row; false at the end. */
static bool reference_read(FILE *file, struct reference_row *row)
{
    do {
        if (fgets(row->line, sizeof row->line, file) == NULL)
            return false;
    } while (*row->line == '#' || *row->line == 'h');
    assert_int_equal(
        sscanf(row->line,
               "%u,%7[^,],%3[^,],%3[^,],%39[^,],%39[^,],%39[^,],%39[^,],"
               "%39[^,\n]",
               &row->h, row->routing, row->source, row->destination,
               row->traffic, row->load, row->bulk, row->local, row->global),
        9);
    return true;
}

/* The network and the scheme of a row, replacing those of the row before. */
static void reference_open(const struct reference_row *row, char *opened,
                           size_t size, struct problem *problem)
{
    char topology[REFERENCE_TEXT], routing[2 * REFERENCE_TEXT], both[200];
    const bool is_restricted = strcmp(row->routing, "rvlb") == 0;
    snprintf(topology, sizeof topology, "dragonfly:h=%u", row->h);
    if (strcmp(row->routing, "min") == 0)
        snprintf(routing, sizeof routing, "min");
    else
        snprintf(routing, sizeof routing,
                 "%s%s,source-group=%s,destination-group=%s",
                 is_restricted ? "rvlb:policy=" : "vlb:policy=",
                 is_restricted ? "lgl" : row->routing, row->source,
                 row->destination);
    snprintf(both, sizeof both, "%s@%s", routing, topology);
    if (strcmp(both, opened) == 0)
        return;
    problem_close(problem);
    problem_open(problem, topology, routing);
    snprintf(opened, size, "%s", both);
}

static void reference_must_equal(struct nb_ratio found, const char *expected,
                                 const char *what,
                                 const struct reference_row *row)
{
    char name[300];
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(expected, &ratio, NULL), NB_OK);
    snprintf(name, sizeof name, "%s of %s", what, row->line);
    ratio_must_equal(found, ratio, name);
}

static void reference_check_loads(const struct problem *problem,
                                  const struct reference_row *row)
{
    const char *name = strcmp(row->traffic, "mix") == 0
                           ? "mix:uniform=1/2,adversarial=1/2,offset=1"
                           : row->traffic;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_hop_classes hops;
    struct nb_error error = { 0 };
    struct nb_ratio bulk;
    if (nb_traffic_build(name, &problem->topology, false, &traffic, &error) !=
        NB_OK)
        fail_msg("%s: %s", row->line, error.message);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    assert_true(loads.is_exact);
    assert_int_equal(nb_bulk_load(&problem->topology, &loads, &bulk, NULL),
                     NB_OK);
    nb_hop_classes_find(&problem->topology, &loads, &hops);
    reference_must_equal(loads.load[loads.worst_channel].exact, row->load,
                         "greatest load", row);
    reference_must_equal(bulk, row->bulk, "bulk load", row);
    reference_must_equal(hops.local.exact, row->local, "local hops", row);
    reference_must_equal(hops.global.exact, row->global, "global hops", row);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
}

static void reference_check_worst(const struct problem *problem,
                                  const struct reference_row *row)
{
    struct nb_worst_case worst = { 0 };
    assert_int_equal(nb_worst_case_find(&problem->routing, NULL, &worst, NULL),
                     NB_OK);
    reference_must_equal(worst.load.exact, row->load, "worst load", row);
    nb_worst_case_release(&worst);
}

/* Checks the rows of worst cases or the other rows; returns their number. */
static size_t reference_check(bool of_worst)
{
    FILE *file = fopen("data/reference/dragonfly.csv", "r");
    struct problem problem = { 0 };
    struct reference_row row;
    char opened[200] = "";
    size_t read = 0, checked = 0;
    assert_non_null(file);
    while (reference_read(file, &row)) {
        if ((strcmp(row.traffic, "worst") == 0) != of_worst)
            continue;
        read++;
        if (row.h > REFERENCE_FULL &&
            (of_worst || read % REFERENCE_SAMPLE != 0))
            continue;
        reference_open(&row, opened, sizeof opened, &problem);
        if (of_worst)
            reference_check_worst(&problem, &row);
        else
            reference_check_loads(&problem, &row);
        checked++;
    }
    fclose(file);
    problem_close(&problem);
    assert_int_equal(nb_memory_live_blocks(), 0);
    return checked;
}

static void test_loads(void **state)
{
    (void)state;
    assert_true(reference_check(false) >= REFERENCE_LOADS);
}

static void test_worst_cases(void **state)
{
    (void)state;
    assert_int_equal(reference_check(true), REFERENCE_WORST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_worst_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
