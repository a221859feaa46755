#include "example_report.h"

#include "core/memory.h"

#include <math.h>

void nb_example_report(struct nb_report *report, bool is_swept)
{
    report->program = nb_new_string("netbound 0.3.0");
    report->made = (struct nb_made){ 2, 0.123456 };
    report->model.command = nb_new_string("worst-case");
    nb_model_set(&report->model, "topology", "torus:8x8", NULL);
    nb_model_set(&report->model, "routing", "dor", NULL);
    for (int i = 0; i < (is_swept ? 2 : 1); i++) {
        struct nb_point *point = nb_report_add_point(report);
        if (is_swept)
            nb_point_add_setting(point, "rate", i == 0 ? "0.5" : "1,5");
        nb_point_add_exact(point, "throughput", nb_ratio_make(2, 7),
                           "fraction of capacity", "matching",
                           "TowlesDally2002, section 3");
        if (i == 0)
            nb_point_add_exact(point, "delay", nb_ratio_infinity, "cycles", "",
                               "");
        nb_point_add_bracket(point, "hops", 0.5, nextafter(0.5, 1), "hops",
                             "sampling", "");
        nb_point_add_note(point, "capacity_basis", "uniform\ntraffic");
        const size_t channels = nb_point_add_table(
            point, "channels", false,
            "channel,load:ratio [packets/cycle],mean:number,label:text");
        nb_table_add_whole(point, channels, -3);
        nb_table_add_ratio(point, channels, nb_ratio_make(1, 3));
        nb_table_add_number(point, channels, 0.1);
        nb_table_add_text(point, channels, "say \"a\", b");
        nb_table_add_whole(point, channels, 12);
        nb_table_add_ratio(point, channels, (struct nb_ratio){ 0, 0 });
        nb_table_add_number(point, channels, INFINITY);
        nb_table_add_text(point, channels, "\xc3\xa9");
        const size_t duals =
            nb_point_add_table(point, "duals", true, "row,dual:ratio");
        nb_table_add_whole(point, duals, 1);
        nb_table_add_ratio(point, duals, nb_ratio_make(9, 7));
    }
}
