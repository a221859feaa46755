#include "export/charts/chart.h"

#include "core/try.h"
#include "export/charts/chart_parts.h"
#include "export/charts/drawing.h"
#include "export/charts/fabric.h"
#include "report/shown.h"

#include <string.h>

void nb_chart_add_place(const struct nb_report *report,
                        const struct nb_point *point, xmlNodePtr chart)
{
    if (report->point_count < 2)
        return;
    for (size_t i = 0; i < point->setting_count; i++) {
        xmlNodePtr at = nb_view_add(chart, "at");
        nb_view_set(at, "name", point->settings[i].name);
        nb_view_set(at, "value", point->settings[i].value);
    }
}

enum nb_status nb_charts_add_lines(const struct nb_report *report,
                                   const char *prefix, int *number,
                                   xmlNodePtr parent, struct nb_error *err)
{
    const struct nb_chart_place out = { prefix, number, parent };
    struct nb_sweep sweep = { 0 };
    enum nb_status status;
    NB_TRY(nb_sweep_find(report, &sweep, err));
    if (strcmp(report->model.command, "validate") == 0)
        NB_TRY(nb_chart_validation(&sweep, &out, err));
    else
        NB_TRY(nb_chart_quantities(&sweep, &out, err));
    NB_TRY(nb_chart_tables(report, &out, err));
    NB_TRY(nb_chart_laws(report, &out, err));
    NB_TRY(nb_chart_names(report, &out, err));
    NB_TRY(nb_chart_ledger(report, &out, err));
done:
    nb_sweep_release(&sweep);
    return status;
}

/* Whether drawings of the table are wanted: all unless the model shows
 * something else; networks are wanted with their channels. */
static bool drawings_are_wanted(const struct nb_report *report,
                                const struct nb_names *shown, const char *table)
{
    const bool is_wanted = report->model.show_count == 0;
    bool is_network = false;
    for (size_t p = 0; p < report->point_count && !is_network; p++) {
        const struct nb_table *found =
            nb_point_table(&report->points[p], table);
        is_network = found != NULL &&
                     nb_drawing_network_column(found) < found->column_count;
    }
    return is_wanted || nb_names_has(shown, table) ||
           (is_network && nb_names_has(shown, "channels"));
}

/* States on the first drawing which points of a sweep are drawn. */
static enum nb_status
drawings_note_choice(const struct nb_drawing_choice *choice, size_t drawn,
                     xmlNodePtr chart, struct nb_error *err)
{
    if (choice->point_count == drawn)
        return NB_OK;
    return nb_drawing_add_note(
        chart, err, "%zu of %zu points %s drawn%s%s", drawn,
        choice->point_count, drawn == 1 ? "is" : "are",
        choice->different > choice->count ? ", spread over the sweep" : "",
        choice->different < choice->point_count
            ? "; of points that differ only in scale, only the last finite one"
            : "");
}

/* Draws a table at some of the points. */
static enum nb_status drawings_add(const struct nb_sweep *sweep,
                                   const char *table,
                                   const struct nb_drawing *out,
                                   struct nb_error *err)
{
    struct nb_drawing drawings[NB_DRAWING_POINTS];
    struct nb_drawing_choice choice;
    size_t networks = 0; /* drawn with their routers and channels */
    const int before = *out->number;
    xmlNodePtr last = xmlGetLastChild(out->parent);
    enum nb_status status;
    NB_TRY(nb_drawing_choose(sweep, table, &choice, err));
    for (size_t i = 0; i < choice.count; i++) {
        struct nb_drawing *drawing = &drawings[networks];
        bool is_drawn;
        *drawing = *out;
        drawing->point = choice.points[i];
        drawing->table = nb_point_table(choice.points[i], table);
        NB_TRY(nb_fabric_draw(drawing, &is_drawn, err));
        networks += !is_drawn;
    }
    NB_TRY(nb_drawing_add_networks(drawings, networks, err));
    for (size_t i = 0; i < networks; i++)
        NB_TRY(nb_drawing_add_pairs(&drawings[i], err));
    if (*out->number > before)
        NB_TRY(drawings_note_choice(
            &choice, (size_t)(*out->number - before),
            last != NULL ? last->next : out->parent->children, err));
done:
    return status;
}

enum nb_status nb_charts_add_drawings(const struct nb_report *report,
                                      const char *prefix, int *number,
                                      xmlNodePtr parent, struct nb_error *err)
{
    const struct nb_drawing out = {
        .report = report, .prefix = prefix, .number = number, .parent = parent
    };
    struct nb_sweep sweep = { 0 };
    struct nb_names tables = { 0 }, shown = { 0 };
    enum nb_status status;
    NB_TRY(nb_sweep_find(report, &sweep, err));
    NB_TRY(nb_names_find(report, NB_NAME_TABLE, &tables, err));
    NB_TRY(nb_shown_tables(report, &shown, err));
    for (size_t i = 0; i < tables.count; i++)
        if (drawings_are_wanted(report, &shown, tables.name[i]))
            NB_TRY(drawings_add(&sweep, tables.name[i], &out, err));
done:
    nb_names_release(&shown);
    nb_names_release(&tables);
    nb_sweep_release(&sweep);
    return status;
}

/* Whether a chart belongs to what the model shows; drawings are only made of
 * that. */
static bool charts_is_shown(xmlNodePtr chart, const struct nb_names *shown)
{
    xmlChar *data = xmlGetNoNsProp(chart, BAD_CAST "data");
    const bool is_shown =
        xmlStrEqual(data, BAD_CAST "quantities") ||
        (data != NULL && nb_names_has(shown, (const char *)data));
    xmlFree(data);
    return is_shown;
}

/* Removes the charts after an element (NULL: all) that do not belong to what
 * the model shows. Returns whether others remain. */
static bool charts_withdraw(xmlNodePtr parent, xmlNodePtr last,
                            const struct nb_names *shown)
{
    xmlNodePtr next, chart = last != NULL ? last->next : parent->children;
    bool has_shown = false;
    for (; chart != NULL; chart = next) {
        next = chart->next;
        if (charts_is_shown(chart, shown)) {
            has_shown = true;
            continue;
        }
        xmlUnlinkNode(chart);
        xmlFreeNode(chart);
    }
    return has_shown;
}

static enum nb_status charts_add_both(const struct nb_report *report,
                                      const char *prefix, xmlNodePtr parent,
                                      struct nb_error *err)
{
    int number = 0;
    enum nb_status status;
    NB_TRY(nb_charts_add_lines(report, prefix, &number, parent, err));
    NB_TRY(nb_charts_add_drawings(report, prefix, &number, parent, err));
done:
    return status;
}

/* Appends the network, routing and traffic, as far as they are the same at all
 * points, since a model's own title need not name them: ", on torus:8x8, dor,
 * uniform". */
static void charts_add_question(const struct nb_model *model,
                                struct nb_text *title)
{
    static const char *const names[] = { "topology", "routing", "traffic" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = nb_model_get(model, names[i]);
        if (value == NULL)
            continue;
        nb_text_print(title, "%s%s", i == 0 ? ", on " : ", ", value);
    }
}

/* Completes the title of every chart with its report, so that charts of
 * different reports have different titles. */
static enum nb_status charts_entitle(const struct nb_report *report,
                                     xmlNodePtr parent, struct nb_error *err)
{
    xmlChar *of = xmlGetNoNsProp(parent, BAD_CAST "title");
    enum nb_status status = NB_OK;
    for (xmlNodePtr chart = parent->children; chart != NULL && status == NB_OK;
         chart = chart->next) {
        struct nb_text title = { 0 };
        if (!xmlStrEqual(chart->name, BAD_CAST "chart"))
            continue;
        xmlChar *own = xmlGetNoNsProp(chart, BAD_CAST "title");
        nb_text_print(&title, "%s", own != NULL ? (const char *)own : "");
        xmlChar *kind = xmlGetNoNsProp(chart, BAD_CAST "kind");
        if (report->model.title != NULL ||
            xmlStrEqual(kind, BAD_CAST "network"))
            charts_add_question(&report->model, &title);
        xmlFree(kind);
        status = nb_text_check(&title, err);
        if (status == NB_OK) {
            xmlUnsetProp(chart, BAD_CAST "title");
            nb_view_set(chart, "title", title.bytes);
            nb_view_set(chart, "of", of != NULL ? (const char *)of : "");
        }
        xmlFree(own);
        nb_text_release(&title);
    }
    xmlFree(of);
    return status;
}

enum nb_status nb_charts_add(const struct nb_report *report, const char *prefix,
                             xmlNodePtr parent, struct nb_error *err)
{
    struct nb_names shown = { 0 };
    enum nb_status status;
    if (parent == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for charts");
    xmlNodePtr last = xmlGetLastChild(parent);
    NB_TRY(charts_add_both(report, prefix, parent, err));
    NB_TRY(nb_shown_tables(report, &shown, err));
    if (report->model.show_count > 0 &&
        !charts_withdraw(parent, last, &shown)) {
        struct nb_report whole = *report; /* borrows everything, but shows
                                           * all */
        whole.model.show_count = 0;
        NB_TRY(charts_add_both(&whole, prefix, parent, err));
    }
    NB_TRY(charts_entitle(report, parent, err));
done:
    nb_names_release(&shown);
    return status;
}
