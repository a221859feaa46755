/* Drawings of a report (declared in export/charts/chart.h). */
#include "export/charts/drawing.h"

/* Of a table at one point, if it is one that has a picture. */
static enum nb_status drawings_add(const struct nb_drawing *drawing,
                                   struct nb_error *err)
{
    const enum nb_status status = nb_drawing_add_network(drawing, err);
    return status == NB_OK ? nb_drawing_add_pairs(drawing, err) : status;
}

/* At the last chart, how many points of a sweep are not drawn. */
static void drawings_note_rest(const struct nb_report *report, xmlNodePtr chart)
{
    xmlChar *note = xmlGetProp(chart, BAD_CAST "note");
    xmlUnsetProp(chart, BAD_CAST "note");
    nb_view_print(chart, "note", "%s%sthe first %d of %zu points are drawn",
                  note != NULL ? (const char *)note : "",
                  note != NULL ? "; " : "", NB_DRAWING_POINTS,
                  report->point_count);
    xmlFree(note);
}

enum nb_status nb_charts_add_drawings(const struct nb_report *report,
                                      const char *prefix, int *number,
                                      xmlNodePtr parent, struct nb_error *err)
{
    const int before = *number;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count && p < NB_DRAWING_POINTS; p++) {
        const struct nb_point *point = &report->points[p];
        for (size_t t = 0; t < point->table_count && status == NB_OK; t++) {
            const struct nb_drawing drawing = {
                report, point, &point->tables[t], prefix, number, parent
            };
            status = drawings_add(&drawing, err);
        }
    }
    if (status == NB_OK && *number > before &&
        report->point_count > NB_DRAWING_POINTS)
        drawings_note_rest(report, xmlGetLastChild(parent));
    return status;
}
