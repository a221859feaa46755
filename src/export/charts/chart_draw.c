/* What all plots have in common when drawn (declared in
 * export/charts/chart_plot.h).
 */
#include "export/charts/chart_plot.h"

#include "export/charts/chart.h"

#include <string.h>

xmlNodePtr nb_plot_draw_axis(struct nb_plot *plot, const struct nb_axis *axis,
                             const char *side, const char *name,
                             const char *unit, double at, xmlNodePtr chart)
{
    struct nb_text label = { 0 };
    xmlNodePtr node = nb_view_add(chart, "axis");
    nb_view_set(node, "side", side);
    nb_text_add(&label, "", 0);
    nb_words_add_label(&label, name, unit);
    plot->has_failed |= label.has_failed;
    if (!label.has_failed)
        nb_view_set(node, "label", label.bytes);
    nb_text_release(&label);
    nb_view_place(node, "from", axis->from);
    nb_view_place(node, "to", axis->to);
    nb_view_place(node, "at", at);
    for (int i = 0; i < axis->tick_count; i++) {
        xmlNodePtr tick = nb_view_add(node, "tick");
        nb_view_place(tick, "at", nb_axis_place(axis, axis->ticks[i].value));
        nb_view_set(tick, "label", axis->ticks[i].label);
        nb_view_set(tick, "grid", "yes");
    }
    return node;
}

xmlNodePtr nb_plot_start_series(const struct nb_plot_series *series,
                                xmlNodePtr chart)
{
    xmlNodePtr node = nb_view_add(chart, "series");
    nb_view_set(node, "name",
                series->name.bytes != NULL ? series->name.bytes : "");
    nb_view_print(node, "index", "%zu", series->colour);
    return node;
}

static const char *draw_text(const struct nb_text *text)
{
    return text->bytes != NULL ? text->bytes : "";
}

/* Everything about the chart but its parts; false if there is nothing to see.
 */
static bool draw_head(struct nb_plot *plot, const char *prefix, int number,
                      xmlNodePtr chart)
{
    static const char *const kinds[] = { "lines", "bars", "comparison" };
    nb_view_print(chart, "id", "%s-chart-%d", prefix, number);
    nb_view_set(chart, "kind", kinds[plot->kind]);
    nb_view_set(chart, "title", draw_text(&plot->title));
    nb_view_set(chart, "data", plot->data);
    nb_view_set(chart, "x", plot->x_columns);
    nb_view_set(chart, "y", draw_text(&plot->y_columns));
    nb_view_set(chart, "series", draw_text(&plot->series_columns));
    if (plot->relative_to != NULL)
        nb_view_set(chart, "relative", "yes");
    nb_view_set(chart, "log-x", plot->is_log_x ? "yes" : "no");
    nb_view_set(chart, "log-y", plot->is_log_y ? "yes" : "no");
    if (plot->point != NULL)
        nb_chart_add_place(plot->report, plot->point, chart);
    if (plot->only != NULL) {
        xmlNodePtr at = nb_view_add(chart, "at");
        nb_view_set(at, "name", plot->only_column);
        nb_view_set(at, "value", plot->only);
    }
    return nb_plot_describe(plot, chart);
}

/* Whether an addition to the plot failed, to its texts included. */
static bool draw_has_failed(const struct nb_plot *plot)
{
    bool has_failed = plot->has_failed || plot->title.has_failed ||
                      plot->note.has_failed || plot->y_name.has_failed ||
                      plot->y_columns.has_failed ||
                      plot->series_columns.has_failed;
    for (size_t i = 0; i < plot->series_count; i++)
        has_failed = has_failed || plot->series[i].name.has_failed;
    for (size_t i = 0; i < plot->category_count; i++)
        has_failed = has_failed || plot->categories[i].has_failed;
    return has_failed;
}

enum nb_status nb_plot_draw(struct nb_plot *plot, const char *prefix,
                            int *number, xmlNodePtr parent,
                            struct nb_error *err)
{
    xmlNodePtr chart = NULL;
    if (!draw_has_failed(plot)) {
        chart = nb_view_add(parent, "chart");
        const bool is_drawn =
            draw_head(plot, prefix, *number + 1, chart) &&
            (plot->category_count > 0 ? nb_plot_draw_bars(plot, chart)
                                      : nb_plot_draw_lines(plot, chart));
        nb_view_set(chart, "note", draw_text(&plot->note));
        if (is_drawn) {
            ++*number;
        } else {
            xmlUnlinkNode(chart);
            xmlFreeNode(chart);
        }
    }
    const bool has_failed =
        draw_has_failed(plot) || nb_view_has_failed(parent->doc);
    nb_plot_release(plot);
    if (has_failed)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a chart");
    return NB_OK;
}
