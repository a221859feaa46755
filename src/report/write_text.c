/* Reports for people: 6 significant digits, columns or tabs, colours. */
#include "report/format.h"

#include "core/try.h"
#include "report/grid.h"
#include "report/layout.h"
#include "report/printed.h"
#include "report/shown.h"

#include <stdint.h>
#include <string.h>

static void text_question(const struct nb_model *model, struct nb_text *text)
{
    if (model->title != NULL) {
        nb_text_add_plain(text, model->title);
        nb_text_print(text, "\n");
    }
    nb_question_print(model, text);
    nb_text_print(text, "\n");
}

/* Numbers stand on the right, and what is swept does beside them. */
static enum nb_side text_side(const struct nb_layout_column *column)
{
    return column->type == NB_CELL_TEXT && !column->is_setting ? NB_SIDE_LEFT
                                                               : NB_SIDE_RIGHT;
}

static void text_add_header(const struct nb_layout *layout,
                            struct nb_text_grid *grid)
{
    bool has_units = layout->kind == NB_LAYOUT_SWEEP;
    for (size_t i = 0; i < layout->column_count; i++)
        has_units = has_units || *layout->columns[i].unit != '\0';
    bool is_first = true; /* of the values that the pivot's option is over */
    for (size_t i = 0; i < layout->column_count && layout->over != NULL; i++) {
        const bool is_value = layout->columns[i].is_value;
        nb_grid_add_ink(grid, NB_SIDE_RIGHT, NB_INK_NAME,
                        is_value && is_first ? layout->over : "");
        is_first = is_first && !is_value;
    }
    for (int line = 0; line < (has_units ? 2 : 1); line++)
        for (size_t i = 0; i < layout->column_count; i++) {
            const struct nb_layout_column *column = &layout->columns[i];
            nb_grid_add_ink(grid, text_side(column),
                            line == 0 ? NB_INK_NAME : NB_INK_DIM,
                            line == 0 ? column->name : column->unit);
        }
}

/* Sources stand in brackets. */
static void text_add_source(const char *source, enum nb_ink ink,
                            struct nb_text_grid *grid)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, "[%s]", source);
    grid->cells.has_failed |= text.has_failed;
    nb_grid_add_ink(grid, NB_SIDE_LEFT, ink,
                    text.bytes != NULL && *source != '\0' ? text.bytes : "");
    nb_text_release(&text);
}

/* A list of quantities has no header, and all of it stands on the left. */
static enum nb_status text_layout(const struct nb_layout *layout,
                                  const struct nb_look *look,
                                  struct nb_text *text, struct nb_error *err)
{
    const size_t columns = layout->column_count;
    const bool is_list = layout->kind == NB_LAYOUT_LIST;
    struct nb_text_grid grid = { .column_count = columns };
    if (!is_list)
        text_add_header(layout, &grid);
    for (size_t i = 0; i < layout->cell_count; i++) {
        const struct nb_layout_cell *cell = &layout->cells[i];
        const char *characters = nb_layout_text(layout, cell);
        if (is_list && i % columns == columns - 1)
            text_add_source(characters, cell->ink, &grid);
        else
            nb_grid_add_ink(&grid,
                            is_list ? NB_SIDE_LEFT
                                    : text_side(&layout->columns[i % columns]),
                            cell->ink, characters);
    }
    const enum nb_status status = nb_grid_print(&grid, look, text, err);
    nb_grid_release(&grid);
    return status;
}

/* The quantities that are shown; a pivot says which one it is. */
static enum nb_status text_quantities(const struct nb_report *report,
                                      const struct nb_look *look,
                                      struct nb_text *text,
                                      struct nb_error *err)
{
    struct nb_layout layout = { 0 };
    enum nb_status status;
    NB_TRY(nb_layout_shown(report, SIZE_MAX, &layout, err));
    if (layout.column_count == 0)
        goto done;
    if (layout.kind == NB_LAYOUT_PIVOT) {
        nb_ink_add(look, NB_INK_NAME, layout.name, strlen(layout.name), text);
        if (*layout.unit != '\0' && strcmp(layout.unit, "1") != 0) {
            nb_text_print(text, ", ");
            nb_text_add_plain(text, layout.unit);
        }
        nb_text_print(text, "\n");
    }
    NB_TRY(text_layout(&layout, look, text, err));
done:
    nb_layout_release(&layout);
    return status;
}

/* The point's note of a name; NULL if it has none. */
static const struct nb_note *text_note(const struct nb_point *point,
                                       const char *name)
{
    for (size_t i = 0; i < point->note_count; i++)
        if (strcmp(point->notes[i].name, name) == 0)
            return &point->notes[i];
    return NULL;
}

/* The number of points that have the note; 0 if another note of its name
 * stands at one of them. */
static size_t text_count(const struct nb_report *report,
                         const struct nb_note *note)
{
    size_t count = 0;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_note *own = text_note(&report->points[p], note->name);
        if (own != NULL && strcmp(own->text, note->text) != 0)
            return 0;
        count += own != NULL;
    }
    return count;
}

/* "NAME (3 of 5): text", a tab for the colon where there are no columns. */
static void text_print_note(const struct nb_note *note, size_t count,
                            const struct nb_report *report,
                            const struct nb_look *look, struct nb_text *text)
{
    nb_text_print(text, "%s%s%s", nb_look_indent(look),
                  nb_ink_begin(look, NB_INK_DIM), note->name);
    if (count < report->point_count)
        nb_text_print(text, " (%zu of %zu)", count, report->point_count);
    nb_text_print(text, "%s", look->has_columns ? ": " : "\t");
    nb_text_add_plain(text, note->text);
    nb_text_print(text, "%s\n", nb_ink_end(look, NB_INK_DIM));
}

/* Why each point that has no answer was refused. */
static void text_refusals(const struct nb_report *report,
                          const struct nb_look *look, struct nb_text *text)
{
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        const struct nb_note *note = text_note(point, NB_NOTE_REFUSED);
        if (note == NULL)
            continue;
        nb_text_print(text, "%s%s%s", nb_look_indent(look),
                      nb_ink_begin(look, NB_INK_DIM), note->name);
        nb_place_print(point, text);
        nb_text_print(text, "%s", look->has_columns ? ": " : "\t");
        nb_text_add_plain(text, note->text);
        nb_text_print(text, "%s\n", nb_ink_end(look, NB_INK_DIM));
    }
}

/* The notes that are the same wherever they stand; of those that say something
 * else at each point, which are in the other formats, the refusals alone. */
static void text_notes(const struct nb_report *report,
                       const struct nb_look *look, struct nb_text *text)
{
    enum { NAMES = 32 };
    const char *seen[NAMES];
    size_t seen_count = 0;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        for (size_t i = 0; i < point->note_count; i++) {
            const struct nb_note *note = &point->notes[i];
            size_t s = 0;
            while (s < seen_count && strcmp(seen[s], note->name) != 0)
                s++;
            if (s < seen_count || seen_count == NAMES)
                continue;
            seen[seen_count++] = note->name;
            const size_t count = text_count(report, note);
            if (count > 0)
                text_print_note(note, count, report, look, text);
            else if (strcmp(note->name, NB_NOTE_REFUSED) == 0)
                text_refusals(report, look, text);
        }
    }
}

/* A table of the point under its name; model: whose columns are shown. */
static enum nb_status text_table(const struct nb_point *point,
                                 const struct nb_table *table,
                                 const struct nb_model *model,
                                 const struct nb_look *look,
                                 struct nb_text *text, struct nb_error *err)
{
    struct nb_layout layout;
    enum nb_status status =
        nb_layout_table(table, model, SIZE_MAX, &layout, err);
    if (status != NB_OK)
        return status;
    nb_text_print(text, "\n");
    nb_ink_add(look, NB_INK_NAME, table->name, strlen(table->name), text);
    nb_place_print(point, text);
    nb_text_print(text, "\n");
    status = text_layout(&layout, look, text, err);
    nb_layout_release(&layout);
    return status;
}

enum nb_status nb_point_print_table(const struct nb_point *point,
                                    const char *name,
                                    const struct nb_look *look,
                                    struct nb_text *text, struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, name);
    if (table == NULL)
        return NB_OK;
    return text_table(point, table, NULL, look, text, err);
}

/* A table at every point that has it. */
static enum nb_status text_tables(const struct nb_report *report,
                                  const char *name,
                                  const struct nb_model *model,
                                  const struct nb_look *look,
                                  struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count && status == NB_OK; p++) {
        const struct nb_point *point = &report->points[p];
        const struct nb_table *table = nb_point_table(point, name);
        if (table != NULL)
            status = text_table(point, table, model, look, text, err);
    }
    return status;
}

enum nb_status nb_report_write_text(const struct nb_report *report,
                                    const char *table,
                                    const struct nb_look *look,
                                    struct nb_text *text, struct nb_error *err)
{
    struct nb_names tables = { 0 };
    enum nb_status status;
    NB_TRY(nb_shown_check(report, err));
    NB_TRY(nb_shown_tables(report, &tables, err));
    text_question(&report->model, text);
    NB_TRY(text_quantities(report, look, text, err));
    text_notes(report, look, text);
    for (size_t i = 0; i < tables.count; i++)
        NB_TRY(text_tables(report, tables.name[i], &report->model, look, text,
                           err));
    if (table != NULL)
        NB_TRY(text_tables(report, table, NULL, look, text, err));
done:
    nb_names_release(&tables);
    return status;
}
