/* Charts of random reports: whatever they contain, everything is drawn within
 * the axes, and nothing leaks when memory fails. */
#include "export/charts/chart.h"

#include "core/memory.h"
#include "core/random.h"

#include "../support/chart_checks.h"
#include "../support/random_report.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_sound(xmlDocPtr document, const char *what, int trial)
{
    char complaint[NB_CHART_COMPLAINT];
    assert_non_null(document);
    if (!nb_charts_are_sound(document, complaint))
        fail_msg("%s, trial %d: %s", what, trial, complaint);
}

static void start_report(struct nb_report *report, const char *command)
{
    *report = (struct nb_report){ 0 };
    report->program = nb_new_string("netbound");
    report->model.command = nb_new_string(command);
}

static double any_number(struct nb_random *random)
{
    static const double special[] = { 0,      -0.0,  INFINITY, -INFINITY, NAN,
                                      5e-324, 1e308, -1e308,   -0.25,     1 };
    if (nb_random_below(random, 3) == 0)
        return special[nb_random_below(random, 10)];
    return ldexp(nb_random_unit(random) - 0.1,
                 (int)nb_random_below(random, 30) - 15);
}

static void add_any_table(struct nb_random *random, struct nb_point *point,
                          uint64_t rows_most, const char *name,
                          const char *columns)
{
    static const char *const texts[] = { "dor", "val",    "uniform",
                                         "0.5", "agrees", "" };
    const size_t number = nb_point_add_table(point, name, false, columns);
    const struct nb_table *table = &point->tables[number];
    const size_t rows = (size_t)nb_random_below(random, rows_most);
    for (size_t i = 0; i < rows * table->column_count; i++) {
        /* The array of tables may move, but not while rows are added. */
        switch (table->columns[i % table->column_count].type) {
        case NB_CELL_WHOLE:
            nb_table_add_whole(point, number,
                               nb_random_below(random, 20) == 0
                                   ? INT64_MIN
                                   : (int64_t)(i / table->column_count));
            break;
        case NB_CELL_NUMBER:
            nb_table_add_number(point, number, any_number(random));
            break;
        case NB_CELL_RATIO:
            nb_table_add_ratio(
                point, number,
                nb_ratio_make((nb_int128)nb_random_below(random, 9),
                              (nb_int128)nb_random_below(random, 3)));
            break;
        case NB_CELL_TEXT:
            nb_table_add_text(point, number, texts[nb_random_below(random, 6)]);
            break;
        }
    }
}

/* Tables that have rules, with arbitrary numbers. */
static const char *const ruled[][2] = {
    { "ccdf", "depth,probability:number,lower:number,upper:number,"
              "bound:number" },
    { "ccdf", "delay:number,probability:number,lower:number,upper:number,"
              "chernoff:number" },
    { "ccdf", "law:text,value,predicted:number,simulated:number,lower:number,"
              "upper:number" },
    { "histogram", "lower:number,upper:number,count,fraction:number" },
    { "latency_histogram", "latency,packets" },
    { "depths", "class:text,depth,probability:number" },
    { "series", "cycle,accepted:number,half_width:number" },
    { "validation",
      "item:text,kind:text,prediction:number,lower:number,upper:number,"
      "simulated:number,sim_lower:number,sim_upper:number,error:number,"
      "verdict:text" },
    { "channels", "channel,way:text,predicted:number,simulated:number,"
                  "lower:number,upper:number,error:number,verdict:text" },
    { "latency", "traffic:text,routing:text,throughput:number,"
                 "zero_load_latency:number" },
    { "envelope", "traffic:text,load_from:number,load_to:number,routing:text,"
                  "zero_load_latency:number" },
    { "schemes", "scheme:text,throughput:ratio,lower:number,upper:number,"
                 "locality:ratio,locality_lower:number,locality_upper:number" },
    { "ledger", "cell:text,published:text,computed:number,lower:number,"
                "upper:number,verdict:text" },
    { "ledger", "cell:text" },
    { "validation", "item,verdict:number" },
    { "latency", "traffic,routing,throughput:text" },
    { "envelope", "traffic,routing" },
    { "schemes", "scheme,throughput" },
    { "histogram", "lower:text,fraction:text" },
};

static void any_report(struct nb_random *random, uint64_t rows_most,
                       struct nb_report *out)
{
    static const char *const settings[] = { "0.1", "0.2", "0.5", "3",  "1/3",
                                            "300", "x",   "k=2", "k=5" };
    static const char *const names[] = { "mean_latency", "throughput",
                                         "terminals_a", "terminals_b" };
    start_report(out, nb_random_below(random, 3) == 0 ? "validate" : "load");
    const uint64_t points =
        nb_random_below(random, 3) == 0 ? 1 : nb_random_below(random, 12);
    const uint64_t kinds = 2 + nb_random_below(random, 8);
    for (uint64_t p = 0; p < points; p++) {
        struct nb_point *point = nb_report_add_point(out);
        if (points > 1)
            nb_point_add_setting(point, "load",
                                 settings[nb_random_below(random, kinds)]);
        if (points > 1 && kinds > 5)
            nb_point_add_setting(point, "topology",
                                 settings[nb_random_below(random, kinds)]);
        for (size_t i = 0; i < 4; i++)
            nb_point_add_bracket(point, names[i], any_number(random),
                                 any_number(random), i < 2 ? "cycles" : "1", "",
                                 "");
        for (int i = 0; i < 3; i++) {
            const size_t rule =
                (size_t)nb_random_below(random, sizeof ruled / sizeof *ruled);
            add_any_table(random, point, rows_most, ruled[rule][0],
                          ruled[rule][1]);
        }
    }
}

static void everything_lies_within_the_axes(void **state)
{
    struct nb_random random;
    size_t charts = 0;
    (void)state;
    nb_random_init(&random, 11, 0);
    for (int trial = 0; trial < 800; trial++) {
        struct nb_report report = { 0 };
        if (trial % 5 == 0)
            nb_random_report(&random, NB_TEXT_HOSTILE, &report);
        else
            any_report(&random, trial % 40 == 1 ? 2000 : 12, &report);
        xmlDocPtr document = nb_chart_document(&report);
        expect_sound(document, "a random report", trial);
        charts += nb_chart_count(xmlDocGetRootElement(document), "chart");
        xmlFreeDoc(document);
        nb_report_release(&report);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_true(charts > 800); /* the trials did something */
}

/* Every allocation fails once: an error, no leak, and finally the same
 * charts. */
static void survives_failing_memory(void **state)
{
    struct nb_random random;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct nb_report report = { 0 };
        xmlDocPtr document = NULL;
        xmlChar *expected, *found;
        nb_random_init(&random, seed, 1);
        do {
            nb_report_release(&report);
            any_report(&random, 5, &report);
            xmlFreeDoc(document);
            document = nb_chart_document(&report);
        } while (nb_chart_count(xmlDocGetRootElement(document), "chart") < 2);
        xmlDocDumpMemory(document, &expected, NULL);
        xmlFreeDoc(document);
        document = NULL;
        const long blocks = nb_memory_live_blocks();
        for (long allowed = 0; document == NULL; allowed++) {
            nb_memory_allow(allowed);
            document = nb_chart_document(&report);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), blocks);
        }
        xmlDocDumpMemory(document, &found, NULL);
        assert_string_equal((const char *)found, (const char *)expected);
        xmlFree(found);
        xmlFree(expected);
        xmlFreeDoc(document);
        nb_report_release(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_lies_within_the_axes),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
