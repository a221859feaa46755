/* Reports for people: aligned columns, 6 significant digits. */
#include "report/format.h"

#include "report/grid.h"
#include "report/printed.h"

#include <string.h>

static void text_question(const struct nb_model *model, struct nb_text *text)
{
    if (model->title != NULL) {
        nb_text_add_plain(text, model->title);
        nb_text_print(text, "\n");
    }
    nb_text_add_plain(text, model->command);
    for (size_t i = 0; i < model->option_count; i++) {
        if (strcmp(model->options[i].value, "no") == 0)
            continue; /* a flag that is not set goes without saying */
        nb_text_print(text, "  %s ", model->options[i].name);
        nb_text_add_plain(text, model->options[i].value);
    }
    for (size_t i = 0; i < model->sweep_count; i++) {
        nb_text_print(text, "  sweep %s=", model->sweeps[i].name);
        nb_text_add_plain(text, model->sweeps[i].value);
    }
    nb_text_print(text, "\n");
}

static enum nb_status text_quantities(const struct nb_point *point,
                                      struct nb_text *text,
                                      struct nb_error *err)
{
    struct nb_grid grid = { .column_count = 5 };
    for (size_t i = 0; i < point->quantity_count; i++) {
        const struct nb_quantity *quantity = &point->quantities[i];
        char number[NB_PRINTED];
        struct nb_text source = { 0 };
        if (quantity->source[0] != '\0')
            nb_text_print(&source, "[%s]", quantity->source);
        nb_grid_add(&grid, NB_SIDE_LEFT, quantity->name);
        nb_print_number(quantity->value, number);
        nb_grid_add(&grid, NB_SIDE_LEFT, number);
        nb_print_certainty(quantity, number);
        nb_grid_add(&grid, NB_SIDE_LEFT, number);
        nb_grid_add(&grid, NB_SIDE_LEFT, quantity->unit);
        nb_grid_add(&grid, NB_SIDE_LEFT,
                    source.bytes != NULL ? source.bytes : "");
        grid.cells.has_failed |= source.has_failed;
        nb_text_release(&source);
    }
    const enum nb_status status = nb_grid_print(&grid, 2, text, err);
    nb_grid_release(&grid);
    return status;
}

/* The unit a quantity has where it first appears. */
static const char *text_unit(const struct nb_report *report, const char *name)
{
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_quantity *quantity =
            nb_point_quantity(&report->points[p], name);
        if (quantity != NULL)
            return quantity->unit;
    }
    return "";
}

/* The swept settings and the quantities, one line each point. */
static enum nb_status text_sweep(const struct nb_report *report,
                                 const struct nb_names *settings,
                                 const struct nb_names *quantities,
                                 struct nb_text *text, struct nb_error *err)
{
    struct nb_grid grid = { .column_count =
                                settings->count + quantities->count };
    char number[NB_PRINTED + NB_NUMBER_TEXT];
    for (size_t i = 0; i < settings->count; i++)
        nb_grid_add(&grid, NB_SIDE_RIGHT, settings->name[i]);
    for (size_t i = 0; i < quantities->count; i++)
        nb_grid_add(&grid, NB_SIDE_RIGHT, quantities->name[i]);
    for (size_t i = 0; i < settings->count; i++)
        nb_grid_add(&grid, NB_SIDE_RIGHT, "");
    for (size_t i = 0; i < quantities->count; i++)
        nb_grid_add(&grid, NB_SIDE_RIGHT,
                    text_unit(report, quantities->name[i]));
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_point *point = &report->points[p];
        for (size_t i = 0; i < settings->count; i++)
            nb_grid_add(&grid, NB_SIDE_RIGHT,
                        nb_point_setting(point, settings->name[i]));
        for (size_t i = 0; i < quantities->count; i++) {
            const struct nb_quantity *quantity =
                nb_point_quantity(point, quantities->name[i]);
            if (quantity != NULL)
                nb_print_swept(quantity, number);
            nb_grid_add(&grid, NB_SIDE_RIGHT, quantity != NULL ? number : "-");
        }
    }
    const enum nb_status status = nb_grid_print(&grid, 2, text, err);
    nb_grid_release(&grid);
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

/* " at rate 0.1, radix 8" */
static void text_place(const struct nb_point *point, struct nb_text *text)
{
    for (size_t i = 0; i < point->setting_count; i++) {
        nb_text_print(text, "%s%s ", i == 0 ? " at " : ", ",
                      point->settings[i].name);
        nb_text_add_plain(text, point->settings[i].value);
    }
}

/* The notes that are the same wherever they stand; those that say something
 * else at each point are in the other formats. */
static void text_notes(const struct nb_report *report, struct nb_text *text)
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
            if (count == 0)
                continue;
            nb_text_print(text, "  %s", note->name);
            if (count < report->point_count)
                nb_text_print(text, " (%zu of %zu)", count,
                              report->point_count);
            nb_text_print(text, ": ");
            nb_text_add_plain(text, note->text);
            nb_text_print(text, "\n");
        }
    }
}

static void text_add_cell(struct nb_grid *grid, const union nb_cell *cell,
                          enum nb_cell_type type)
{
    char characters[NB_PRINTED];
    if (type == NB_CELL_TEXT) {
        nb_grid_add(grid, NB_SIDE_LEFT, cell->text);
        return;
    }
    if (type == NB_CELL_NUMBER)
        nb_print_number(cell->number, characters);
    else
        nb_cell_print(cell, type, characters);
    nb_grid_add(grid, NB_SIDE_RIGHT, characters);
}

static enum nb_status text_table(const struct nb_table *table,
                                 struct nb_text *text, struct nb_error *err)
{
    struct nb_grid grid = { .column_count = table->column_count };
    bool has_units = false;
    for (size_t i = 0; i < table->column_count; i++)
        has_units = has_units || *table->columns[i].unit != '\0';
    for (int line = 0; line < (has_units ? 2 : 1); line++)
        for (size_t i = 0; i < table->column_count; i++) {
            const struct nb_column *column = &table->columns[i];
            nb_grid_add(&grid,
                        column->type == NB_CELL_TEXT ? NB_SIDE_LEFT
                                                     : NB_SIDE_RIGHT,
                        line == 0 ? column->name : column->unit);
        }
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        text_add_cell(&grid, &table->cells[i],
                      table->columns[i % table->column_count].type);
    const enum nb_status status = nb_grid_print(&grid, 2, text, err);
    nb_grid_release(&grid);
    return status;
}

enum nb_status nb_point_print_table(const struct nb_point *point,
                                    const char *name, struct nb_text *text,
                                    struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, name);
    if (table == NULL)
        return NB_OK;
    nb_text_print(text, "\n%s", table->name);
    text_place(point, text);
    nb_text_print(text, "\n");
    return text_table(table, text, err);
}

static enum nb_status text_tables(const struct nb_report *report,
                                  const char *name, struct nb_text *text,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count && status == NB_OK; p++)
        status = nb_point_print_table(&report->points[p], name, text, err);
    return status;
}

enum nb_status nb_report_write_text(const struct nb_report *report,
                                    const char *table, struct nb_text *text,
                                    struct nb_error *err)
{
    struct nb_names settings = { 0 }, quantities = { 0 };
    enum nb_status status;
    NB_TRY(nb_names_find(report, NB_NAME_SETTING, &settings, err));
    NB_TRY(nb_names_find(report, NB_NAME_QUANTITY, &quantities, err));
    text_question(&report->model, text);
    if (settings.count > 0) {
        NB_TRY(text_sweep(report, &settings, &quantities, text, err));
    } else {
        for (size_t p = 0; p < report->point_count; p++)
            NB_TRY(text_quantities(&report->points[p], text, err));
    }
    text_notes(report, text);
    if (table != NULL)
        NB_TRY(text_tables(report, table, text, err));
done:
    nb_names_release(&settings);
    nb_names_release(&quantities);
    return status;
}
