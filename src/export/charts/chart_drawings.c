/* Drawings of a report (declared in export/charts/chart.h). */
#include "export/charts/drawing.h"

#include "core/try.h"
#include "export/charts/chart_sweep.h"
#include "report/shown.h"

#include <string.h>

/* Whether drawings of the table are wanted: all unless the model shows
 * something else; networks are wanted with their channels. */
static bool drawings_are_wanted(const struct nb_report *report,
                                const struct nb_names *shown, const char *table)
{
    bool is_wanted = report->model.show_count == 0;
    bool is_network = false;
    for (size_t p = 0; p < report->point_count && !is_network; p++) {
        const struct nb_table *found =
            nb_point_table(&report->points[p], table);
        is_network = found != NULL &&
                     nb_drawing_network_column(found) < found->column_count;
    }
    for (size_t i = 0; i < shown->count; i++)
        is_wanted = is_wanted || strcmp(shown->name[i], table) == 0 ||
                    (is_network && strcmp(shown->name[i], "channels") == 0);
    return is_wanted;
}

/* On the first drawing, which points of a sweep are drawn. */
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
            ? "; of those that differ only in scale, the last finite one"
            : "");
}

/* A table at some of the points. */
static enum nb_status drawings_add(const struct nb_sweep *sweep,
                                   const char *table,
                                   const struct nb_drawing *out,
                                   struct nb_error *err)
{
    struct nb_drawing drawings[NB_DRAWING_POINTS];
    struct nb_drawing_choice choice;
    const int before = *out->number;
    xmlNodePtr last = xmlGetLastChild(out->parent);
    enum nb_status status;
    NB_TRY(nb_drawing_choose(sweep, table, &choice, err));
    for (size_t i = 0; i < choice.count; i++) {
        drawings[i] = *out;
        drawings[i].point = choice.points[i];
        drawings[i].table = nb_point_table(choice.points[i], table);
    }
    NB_TRY(nb_drawing_add_networks(drawings, choice.count, err));
    for (size_t i = 0; i < choice.count; i++)
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
