/* Which charts over axes the reports of shipped models have. */
#include "report/report.h"

#include "core/memory.h"

#include "../support/chart_checks.h"
#include "../support/scratch.h"

#include <libxml/tree.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *model, *kinds, *first;
} models[] = {
    { "singh-figure-7.6", "lines", "Tail of the depth" },
    { "singh-figure-7.7", "lines lines",
      "Mean delay, delay quantile and chernoff quantile by load" },
    { "singh-figure-7.11", "lines lines lines", "Buffer depth by load" },
    { "singh-figure-7.14", "lines", "Tail of the depth" },
    { "benito-figure-2-8", "lines lines lines", "Best terminals by radix" },
    { "benito-figure-5-2", "bars bars lines", "Throughput by routing" },
    { "torus-growth-dor", "bars",
      "Worst case throughput by topology, for each routing" },
    { "torus-8x8-dor", "", NULL },
    { "mesh-8x8-min", "bars bars", "Throughput by traffic" },
    { "towles-dally-table-1", "comparison", "Computed relative to published" },
    { "validate-latency", "comparison comparison",
      "Predicted and simulated: mean latency" },
};

static void models_have_their_charts(void **state)
{
    char report_path[NB_SCRATCH_PATH];
    const char *given = getenv("NETBOUND");
    (void)state;
    nb_scratch_name("report.xml", report_path);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct nb_report report = { 0 };
        bool is_digest_right;
        char line[3 * NB_SCRATCH_PATH], kinds[100];
        char complaint[NB_CHART_COMPLAINT];
        snprintf(line, sizeof line,
                 "%s run models/%s.xml --format xml --output %s",
                 given != NULL ? given : "build/netbound", models[i].model,
                 report_path);
        assert_int_equal(system(line), 0);
        assert_int_equal(
            nb_report_read_file(report_path, &report, &is_digest_right, NULL),
            NB_OK);
        xmlDocPtr document = nb_chart_document(&report);
        assert_non_null(document);
        if (!nb_charts_are_sound(document, complaint))
            fail_msg("%s: %s", models[i].model, complaint);
        nb_chart_kinds(document, kinds, sizeof kinds);
        assert_string_equal(kinds, models[i].kinds);
        if (models[i].first != NULL)
            assert_true(nb_chart_is(
                nb_chart_child(xmlDocGetRootElement(document), "chart", 0),
                "title", models[i].first));
        xmlFreeDoc(document);
        nb_report_release(&report);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_their_charts),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
