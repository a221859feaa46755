/* The option fit: its questions, the order of its answer, its filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/fit_checks.h"
#include "../support/scratch.h"

#include "questions/fit/fit_question.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The table's columns that are checked. */
enum { TOPOLOGY, KIND, TERMINALS, ROUTERS, PORTS, LOCAL, GLOBAL };
enum { RADIX = GLOBAL + 1, DIAMETER, CAPACITY, WORST_CASE };
enum { LINKS_EACH = WORST_CASE + 1, PORTS_EACH, ROUTERS_EACH };
enum {
    COST = GLOBAL + 1,
    WATTS,
    PER_TERMINAL,
    PRICED = 3
}; /* columns of prices, which precede the later columns */

static const union nb_cell *fit_row(const struct nb_table *table, size_t row)
{
    return &table->cells[row * table->column_count];
}

static enum nb_status fit_answer(const char *text, struct nb_point *out,
                                 struct nb_error *err)
{
    struct nb_fit_question request;
    struct nb_fit_answer answer;
    enum nb_status status = nb_fit_question_read(text, &request, err);
    if (status == NB_OK)
        status = nb_fit_ask(&request, &answer, err);
    if (status == NB_OK) {
        nb_fit_report(&answer, out);
        nb_fit_answer_release(&answer);
    }
    return status;
}

static const struct nb_table *fit_ask(const char *text, struct nb_point *out)
{
    struct nb_error error = { 0 };
    *out = (struct nb_point){ 0 };
    if (fit_answer(text, out, &error) != NB_OK ||
        nb_point_check(out, &error) != NB_OK)
        fail_msg("%s: %s", text, error.message);
    const struct nb_table *table = nb_point_table(out, "networks");
    assert_non_null(table);
    return table;
}

static void test_read(void **state)
{
    (void)state;
    struct nb_fit_question request;
    assert_int_equal(nb_fit_question_read("radix=64", &request, NULL), NB_OK);
    assert_true(request.demand.radix == 64 && request.demand.terminals == 0 &&
                request.diameter == 0 && !nb_ratio_is_known(request.capacity) &&
                !nb_ratio_is_known(request.oversize));
    assert_int_equal(nb_fit_question_read("oversize=1.25,diameter=4,"
                                          "capacity=0,terminals=10,radix=2",
                                          &request, NULL),
                     NB_OK);
    assert_true(request.demand.radix == 2 && request.demand.terminals == 10 &&
                request.diameter == 4 &&
                nb_ratio_compare(request.capacity, nb_ratio_zero) == 0 &&
                nb_ratio_compare(request.oversize, nb_ratio_make(5, 4)) == 0);
    /* As spelled by --sweep fit.radix=... */
    assert_int_equal(
        nb_fit_question_read("terminals=10:radix=7,diameter=1", &request, NULL),
        NB_OK);
    assert_true(request.demand.radix == 7 && request.demand.terminals == 10);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum nb_status status;
        const char *message;
    } refusals[] = {
        { "terminals=10", NB_INVALID,
          "option fit needs radix (maximum ports per router)" },
        { "radix=64,colour=3", NB_INVALID,
          "option fit has no parameter \"colour\" (permitted: radix, "
          "terminals, diameter, capacity, worst_case, oversize, kind)" },
        { "64", NB_INVALID,
          "option fit has no parameter \"64\" (permitted: radix, terminals, "
          "diameter, capacity, worst_case, oversize, kind)" },
        { "radix=64,", NB_INVALID,
          "option fit has no parameter \"\" (permitted: radix, terminals, "
          "diameter, capacity, worst_case, oversize, kind)" },
        { "radix=1", NB_INVALID,
          "option fit: radix \"1\" is not permitted (permitted: a whole number "
          "from 2 to 1000000)" },
        { "radix=", NB_INVALID,
          "option fit: radix \"\" is not permitted (permitted: a whole number "
          "from 2 to 1000000)" },
        { "radix=8,radix=8", NB_INVALID, "option fit: radix is given twice" },
        { "radix=8,terminals=-1", NB_INVALID,
          "option fit: terminals \"-1\" is not permitted (permitted: a whole "
          "number from 0 to 1000000000000000)" },
        { "radix=8,diameter=0", NB_INVALID,
          "option fit: diameter \"0\" is not permitted (permitted: a whole "
          "number from 1 to 1000000)" },
        { "radix=8,capacity=1.5", NB_INVALID,
          "option fit: capacity \"1.5\" is not permitted (permitted: a number "
          "from 0 to 1, as p/q or decimal)" },
        { "radix=8,terminals=4,oversize=0.5", NB_INVALID,
          "option fit: oversize \"0.5\" is not permitted (permitted: a number "
          "from 1 to 1e+06, as p/q or decimal)" },
        { "radix=8,kind=dragonfly+ring", NB_INVALID,
          "option fit: kind \"dragonfly+ring\" is not permitted (permitted: "
          "one or several, joined by +, of clos, dragonfly, fattree, "
          "hypercube, "
          "hyperx, megafly, mesh, slimfly, torus)" },
        { "radix=8,kind=torus+", NB_INVALID,
          "option fit: kind \"torus+\" is not permitted (permitted: one or "
          "several, joined by +, of clos, dragonfly, fattree, hypercube, "
          "hyperx, megafly, mesh, slimfly, torus)" },
        { "radix=8,oversize=2", NB_USAGE,
          "option fit: oversize 2 is a multiple of terminals, which are not "
          "given (permitted: such as terminals=10000)" },
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct nb_fit_question request;
        struct nb_error error = { 0 };
        assert_int_equal(
            nb_fit_question_read(refusals[i].text, &request, &error),
            refusals[i].status);
        assert_string_equal(error.message, refusals[i].message);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Whether the table gives a network full capacity. */
static bool fit_is_full(const union nb_cell *row)
{
    return nb_ratio_is_known(row[CAPACITY].ratio) &&
           nb_ratio_compare(row[CAPACITY].ratio, nb_ratio_one) == 0;
}

/* Fails unless row a may precede row b: the first key in which they differ must
 * be less in a. */
static void fit_check_order(const char *text, bool is_open, bool is_limited,
                            const union nb_cell *a, const union nb_cell *b)
{
    const int64_t keys[][2] = {
        { is_open ? b[TERMINALS].whole : 0, is_open ? a[TERMINALS].whole : 0 },
        { !is_limited && !fit_is_full(a), !is_limited && !fit_is_full(b) },
        { a[ROUTERS].whole, b[ROUTERS].whole },
        { a[LOCAL].whole + a[GLOBAL].whole, b[LOCAL].whole + b[GLOBAL].whole },
        { a[DIAMETER].whole, b[DIAMETER].whole },
        { 0, strcmp(b[TOPOLOGY].text, a[TOPOLOGY].text) },
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] < keys[i][1])
            return;
        if (keys[i][0] > keys[i][1])
            break;
    }
    fail_msg("%s: %s before %s", text, a[TOPOLOGY].text, b[TOPOLOGY].text);
}

static void fit_check_costs(const union nb_cell *row)
{
    const double links = (double)(row[LOCAL].whole + row[GLOBAL].whole);
    const double terminals = (double)row[TERMINALS].whole;
    assert_true(row[LINKS_EACH].number == links / terminals);
    assert_true(row[PORTS_EACH].number == (terminals + 2 * links) / terminals);
    assert_true(row[ROUTERS_EACH].number ==
                (double)row[ROUTERS].whole / terminals);
}

static void fit_check_whole(const struct nb_point *point, const char *name,
                            int64_t expected)
{
    const struct nb_quantity *quantity = nb_point_quantity(point, name);
    assert_non_null(quantity);
    assert_int_equal(quantity->exact.numerator, expected);
    assert_int_equal(quantity->exact.denominator, 1);
}

static void fit_check_quantities(const struct nb_point *point,
                                 const struct nb_table *table)
{
    int64_t links = INT64_MAX, routers = INT64_MAX;
    const union nb_cell *best = fit_row(table, 0);
    for (size_t r = 0; r < table->row_count; r++) {
        const union nb_cell *row = fit_row(table, r);
        const int64_t own = row[LOCAL].whole + row[GLOBAL].whole;
        links = own < links ? own : links;
        routers = row[ROUTERS].whole < routers ? row[ROUTERS].whole : routers;
    }
    fit_check_whole(point, "best_terminals", best[TERMINALS].whole);
    fit_check_whole(point, "best_routers", best[ROUTERS].whole);
    fit_check_whole(point, "best_links",
                    best[LOCAL].whole + best[GLOBAL].whole);
    fit_check_whole(point, "best_diameter", best[DIAMETER].whole);
    fit_check_whole(point, "least_links", links);
    fit_check_whole(point, "least_routers", routers);
}

/* Whether some row is of the given kind, has the capacity and needs no more
 * links. */
static bool fit_has_better(const struct nb_table *table, const char *kind,
                           uint64_t links, struct nb_ratio capacity)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const union nb_cell *row = fit_row(table, r);
        if (strcmp(row[KIND].text, kind) == 0 &&
            (uint64_t)(row[LOCAL].whole + row[GLOBAL].whole) <= links &&
            nb_ratio_is_known(row[CAPACITY].ratio) &&
            nb_ratio_compare(row[CAPACITY].ratio, capacity) >= 0)
            return true;
    }
    return false;
}

/* The balanced networks of each kind are listed, or better ones; without
 * terminals all of them. */
static void fit_check_balanced(const struct nb_fit_demand *demand,
                               struct nb_ratio capacity,
                               const struct nb_table *table)
{
    struct nb_fit fit;
    size_t count = 0;
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++) {
        const struct nb_topology_kind *kind = nb_topology_kinds[k];
        for (size_t n = 0;
             kind->fit != NULL && fit_find(kind->kind.name, demand, n, &fit);
             n++, count++)
            if (demand->terminals > 0 && nb_ratio_is_known(fit.capacity) &&
                nb_ratio_compare(fit.capacity, capacity) >= 0 &&
                !fit_has_better(table, kind->kind.name,
                                fit.local_links + fit.global_links, capacity))
                fail_msg("%s is left out", fit.specification);
    }
    if (demand->terminals == 0)
        assert_int_equal(table->row_count, count);
}

/* Every radix and several numbers of terminals, in order. */
static void test_order(void **state)
{
    (void)state;
    static const uint64_t terminals[] = { 0, 1, 50, 400, 3000, 30000 };
    for (uint32_t radix = 3; radix <= 40; radix++)
        for (size_t i = 0; i < 2 * sizeof terminals / sizeof *terminals; i++) {
            const struct nb_fit_demand demand = { terminals[i / 2], radix };
            const bool is_open = demand.terminals == 0;
            const bool is_limited = i % 2 == 1 && !is_open;
            struct nb_point point;
            char text[100];
            snprintf(text, sizeof text, "radix=%u,terminals=%llu%s", radix,
                     (unsigned long long)demand.terminals,
                     is_limited ? ",capacity=1/3" : "");
            const struct nb_table *table = fit_ask(text, &point);
            const size_t count = table->row_count;
            fit_check_balanced(&demand, nb_ratio_make(1, is_limited ? 3 : 2),
                               table);
            fit_check_whole(&point, "networks", (int64_t)count);
            for (size_t r = 0; r < count; r++)
                fit_check_costs(fit_row(table, r));
            for (size_t r = 1; r < count; r++)
                fit_check_order(text, is_open, is_limited,
                                fit_row(table, r - 1), fit_row(table, r));
            if (count > 0 && !is_open)
                fit_check_quantities(&point, table);
            nb_point_release(&point);
        }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Limits select only networks that meet them, and keep the best of those. */
static void test_filters(void **state)
{
    (void)state;
    struct nb_point all, some;
    size_t passed = 0;
    const struct nb_ratio least = nb_ratio_make(3, 4);
    const struct nb_table *table = fit_ask("radix=40,terminals=900", &all);
    const struct nb_table *chosen =
        fit_ask("radix=40,terminals=900,diameter=3,capacity=0.75,oversize=5/4,"
                "kind=hyperx+dragonfly+torus",
                &some);
    for (size_t r = 0; r < chosen->row_count; r++) {
        const union nb_cell *row = fit_row(chosen, r);
        assert_true(row[DIAMETER].whole <= 3 &&
                    row[TERMINALS].whole * 4 <= 900 * 5 &&
                    nb_ratio_compare(row[CAPACITY].ratio, least) >= 0 &&
                    (strcmp(row[KIND].text, "hyperx") == 0 ||
                     strcmp(row[KIND].text, "dragonfly") == 0));
    }
    for (size_t r = 0; r < table->row_count; r++) {
        const union nb_cell *row = fit_row(table, r);
        if (row[DIAMETER].whole > 3 || row[TERMINALS].whole * 4 > 900 * 5 ||
            nb_ratio_compare(row[CAPACITY].ratio, least) < 0 ||
            (strcmp(row[KIND].text, "hyperx") != 0 &&
             strcmp(row[KIND].text, "dragonfly") != 0))
            continue;
        assert_true(fit_has_better(
            chosen, row[KIND].text,
            (uint64_t)(row[LOCAL].whole + row[GLOBAL].whole), least));
        passed++;
    }
    assert_true(passed > 0 && passed < table->row_count);
    nb_point_release(&all);
    nb_point_release(&some);
}

/* Money and watts are counts times prices, and rank networks of equal
 * capacity. */
static void test_prices(void **state)
{
    (void)state;
    char path[NB_SCRATCH_FILE];
    struct nb_fit_question request;
    struct nb_fit_answer answer;
    struct nb_point point = { 0 };
    nb_scratch_file(path, ".csv",
                    "item,money,watts\nlink.global,7,0.5\nrouter,50,10\n"
                    "# cables\n\"port\",2,1\nlink.terminal,3,0\n");
    assert_int_equal(
        nb_fit_question_read("radix=24,terminals=700", &request, NULL), NB_OK);
    request.prices = path;
    assert_int_equal(nb_fit_ask(&request, &answer, NULL), NB_OK);
    nb_fit_report(&answer, &point);
    nb_fit_answer_release(&answer);
    const struct nb_table *table = nb_point_table(&point, "networks");
    assert_true(table->row_count > 10);
    for (size_t r = 0; r < table->row_count; r++) {
        const union nb_cell *row = fit_row(table, r);
        const double ports = (double)row[PORTS].whole;
        const double routers = (double)row[ROUTERS].whole;
        const double global = (double)row[GLOBAL].whole;
        assert_true(row[PORTS].whole ==
                    row[TERMINALS].whole +
                        2 * (row[LOCAL].whole + row[GLOBAL].whole));
        assert_true(row[COST].number == 50 * routers + 2 * ports +
                                            3 * (double)row[TERMINALS].whole +
                                            7 * global);
        assert_true(row[WATTS].number == 10 * routers + ports + 0.5 * global);
        assert_true(row[PER_TERMINAL].number ==
                    row[COST].number / (double)row[TERMINALS].whole);
        if (r > 0 && fit_is_full(row + PRICED) ==
                         fit_is_full(fit_row(table, r - 1) + PRICED))
            assert_true(fit_row(table, r - 1)[COST].number <= row[COST].number);
    }
    nb_point_release(&point);
    assert_int_equal(remove(path), 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void test_failing_memory(void **state)
{
    (void)state;
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_point point = { 0 };
        struct nb_text text = { 0 };
        nb_memory_allow(allowed);
        status = fit_answer("radix=8,terminals=16", &point, NULL);
        if (status == NB_OK)
            status = nb_point_check(&point, NULL);
        if (status == NB_OK)
            status = nb_fit_print(&point, &nb_look_plain, &text, NULL);
        if (status == NB_OK)
            status = nb_text_check(&text, NULL);
        nb_memory_allow(-1);
        nb_text_release(&text);
        nb_point_release(&point);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_order),  cmocka_unit_test(test_filters),
        cmocka_unit_test(test_prices), cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
