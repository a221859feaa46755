/* Prints the ledger for readers: a source's table in its own layout, with rows
 * and columns from the labels of its cells, and the ledger as text (declared in
 * ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/locale.h"
#include "core/memory.h"
#include "report/grid.h"
#include "report/printed.h"

#include <math.h>
#include <string.h>

/* The labels of a source's table, in order of first appearance. Owns both;
 * zero-initialised is valid and empty. */
struct labels {
    size_t row_count, column_count;
    struct label {
        const char *text; /* not NUL-terminated */
        size_t length;
    } * rows, *columns;
};

static void labels_release(struct labels *labels)
{
    nb_delete(labels->rows);
    nb_delete(labels->columns);
    *labels = (struct labels){ 0 };
}

static void layout_split(const char *cell, struct label *row,
                         struct label *column)
{
    const char *divider = strstr(cell, NB_CELL_DIVIDER);
    *row = (struct label){ cell, (size_t)(divider - cell) };
    column->text = divider + strlen(NB_CELL_DIVIDER);
    column->length = strlen(column->text);
}

/* The index of the label; count if it is not found. */
static size_t layout_find(const struct label *labels, size_t count,
                          const struct label *label)
{
    size_t i = 0;
    while (i < count && (labels[i].length != label->length ||
                         strncmp(labels[i].text, label->text, label->length)))
        i++;
    return i;
}

static enum nb_status layout_add(struct label **labels, size_t *count,
                                 const struct label *label,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (layout_find(*labels, *count, label) < *count)
        return NB_OK;
    NB_TRY(nb_grow(labels, *count + 1, sizeof **labels, "labels", err));
    (*labels)[(*count)++] = *label;
done:
    return status;
}

/* cells  [count]  "row label / column label" each */
static enum nb_status labels_find(const char *const *cells, size_t count,
                                  struct labels *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct labels){ 0 };
    for (size_t i = 0; i < count; i++) {
        struct label row, column;
        layout_split(cells[i], &row, &column);
        NB_TRY(layout_add(&out->rows, &out->row_count, &row, err));
        NB_TRY(layout_add(&out->columns, &out->column_count, &column, err));
    }
done:
    if (status != NB_OK)
        labels_release(out);
    return status;
}

/* Finds the row and column of a cell. */
static void labels_place(const struct labels *labels, const char *cell,
                         size_t *row, size_t *column)
{
    struct label label[2];
    layout_split(cell, &label[0], &label[1]);
    *row = layout_find(labels->rows, labels->row_count, &label[0]);
    *column = layout_find(labels->columns, labels->column_count, &label[1]);
}

/* Turns a label into a column name: letters, digits, "-" and "_", beginning
 * with a letter. */
static void layout_name(const struct label *label, struct nb_text *text)
{
    if (label->length == 0 || !nb_is_letter(*label->text))
        nb_text_print(text, "column_");
    for (size_t i = 0; i < label->length; i++) {
        const char c = label->text[i];
        if (nb_is_letter_or_digit(c) || c == '-' || c == '_')
            nb_text_add(text, &c, 1);
        else if (text->length > 0 && text->bytes[text->length - 1] != '_')
            nb_text_add(text, "_", 1);
    }
}

/* The same for the index-th label, made different from earlier columns; the
 * first column is "row". */
static void layout_name_column(const struct labels *labels, size_t index,
                               struct nb_text *text)
{
    struct nb_text own = { 0 }, other = { 0 };
    size_t alike = 0;
    layout_name(&labels->columns[index], &own);
    for (size_t i = 0; i < index && !own.has_failed; i++) {
        nb_text_release(&other);
        layout_name(&labels->columns[i], &other);
        own.has_failed |= other.has_failed;
        alike += !own.has_failed && strcmp(other.bytes, own.bytes) == 0;
    }
    alike += !own.has_failed && strcmp(own.bytes, "row") == 0;
    text->has_failed |= own.has_failed;
    if (!own.has_failed)
        nb_text_add(text, own.bytes, own.length);
    if (alike > 0)
        nb_text_print(text, "_%zu", alike + 1);
    nb_text_release(&own);
    nb_text_release(&other);
}

/* Digits of a computed value: the number of printed digits, at least three. */
static int layout_digits(const struct nb_entry *entry)
{
    const double size = fabs(entry->value);
    const int before = size > 0 ? (int)floor(log10(size)) + 1 : 1;
    const int digits = entry->row->rounded.places + before;
    return digits > 3 ? digits : 3;
}

/* Prints the computed value to the printed digits; if it differs, adds the
 * printed one in parentheses and a mark. */
static void layout_print(const struct nb_entry *entry, struct nb_text *text)
{
    static const char marks[NB_VERDICTS] = { ' ', '*', '~', '!', '?', '=' };
    const struct nb_published_row *row = entry->row;
    const bool is_printed = *row->printed != '\0';
    const char *printed = is_printed ? row->printed : row->exact;
    if (entry->verdict == NB_VERDICT_AGREES) {
        nb_text_print(text, "%s", printed);
        return;
    }
    if (entry->is_computed && is_printed)
        nb_text_print(text, "%.*g ", layout_digits(entry), entry->value);
    else if (entry->is_computed)
        nb_text_print(text, "%.6g ", entry->value);
    nb_text_print(text, "(%s) %c", printed, marks[entry->verdict]);
}

/* at  [column_count]  the entries of one row of the layout; NULL: none */
static enum nb_status layout_add_row(const struct labels *labels, size_t label,
                                     const struct nb_entry *const *at,
                                     size_t table, struct nb_point *out,
                                     struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_text_add(&text, labels->rows[label].text, labels->rows[label].length);
    NB_TRY(nb_text_check(&text, err));
    NB_ROW(out, table, text.bytes);
    for (size_t c = 0; c < labels->column_count; c++) {
        nb_text_release(&text);
        nb_text_add(&text, "", 0);
        if (at[c] != NULL)
            layout_print(at[c], &text);
        NB_TRY(nb_text_check(&text, err));
        NB_ROW(out, table, text.bytes);
    }
done:
    nb_text_release(&text);
    return status;
}

/* Its further columns are those of the printed table. */
const struct nb_table_kind nb_ledger_layout_table = {
    .name = "layout", .columns = NB_SPELLED("row:text")
};

/* at  [row_count * column_count]  row by row */
static enum nb_status layout_add_table(const struct labels *labels,
                                       const struct nb_entry *const *at,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    struct nb_text header = { 0 };
    enum nb_status status;
    nb_text_print(&header, "row:text");
    for (size_t i = 0; i < labels->column_count; i++) {
        nb_text_print(&header, ",");
        layout_name_column(labels, i, &header);
        nb_text_print(&header, ":text");
    }
    NB_TRY(nb_text_check(&header, err));
    const size_t table = nb_point_add_table(out, nb_ledger_layout_table.name,
                                            false, header.bytes);
    for (size_t r = 0; r < labels->row_count; r++)
        NB_TRY(layout_add_row(labels, r, at + r * labels->column_count, table,
                              out, err));
done:
    nb_text_release(&header);
    return status;
}

enum nb_status nb_ledger_add_layout(const struct nb_entry *entries,
                                    size_t count, struct nb_point *out,
                                    struct nb_error *err)
{
    struct labels labels = { 0 };
    const struct nb_entry **at = NULL;
    const char **cells = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&cells, count, sizeof *cells, "cells", err));
    for (size_t i = 0; i < count; i++)
        cells[i] = entries[i].row->cell;
    NB_TRY(labels_find(cells, count, &labels, err));
    NB_TRY(nb_new(&at, labels.row_count * labels.column_count, sizeof *at,
                  "cells", err));
    for (size_t i = 0; i < count; i++) {
        size_t row, column;
        labels_place(&labels, cells[i], &row, &column);
        at[row * labels.column_count + column] = &entries[i];
    }
    NB_TRY(layout_add_table(&labels, at, out, err));
done:
    nb_delete(at);
    nb_delete(cells);
    labels_release(&labels);
    return status;
}

static const union nb_cell *print_cell(const struct nb_table *table, size_t row,
                                       int column)
{
    return &table->cells[row * table->column_count + (size_t)column];
}

static const char *print_text(const struct nb_table *table, size_t row,
                              int column)
{
    return print_cell(table, row, column)->text;
}

/* Whether the row needs no reason. */
static bool print_is_plain(const struct nb_table *table, size_t row)
{
    const char *agrees = nb_verdict_names[NB_VERDICT_AGREES];
    return strncmp(print_text(table, row, NB_LEDGER_VERDICT), agrees,
                   strlen(agrees)) == 0 &&
           strncmp(print_text(table, row, NB_LEDGER_REASON), NB_LEDGER_SURPRISE,
                   strlen(NB_LEDGER_SURPRISE)) != 0;
}

static void print_number(struct nb_text_grid *grid, double value)
{
    char text[NB_NUMBER_TEXT] = "";
    if (!isnan(value))
        nb_snprintf(text, sizeof text, "%.6g", value);
    nb_grid_add(grid, NB_SIDE_LEFT, text);
}

/* Prints the computed value, with its interval if that says more. */
static void print_computed(struct nb_text_grid *grid,
                           const struct nb_table *table, size_t row)
{
    char text[NB_PRINTED + NB_NUMBER_TEXT] = "";
    const struct nb_quantity quantity = {
        .exact = print_cell(table, row, NB_LEDGER_EXACT)->ratio,
        .value = print_cell(table, row, NB_LEDGER_COMPUTED)->number,
        .lower = print_cell(table, row, NB_LEDGER_LOWER)->number,
        .upper = print_cell(table, row, NB_LEDGER_UPPER)->number,
    };
    if (!isnan(quantity.value))
        nb_print_swept(&quantity, text);
    nb_grid_add(grid, NB_SIDE_LEFT, text);
}

static void print_row(struct nb_text_grid *grid, const struct nb_table *table,
                      size_t row)
{
    char exact[NB_RATIO_TEXT];
    const bool is_plain = print_is_plain(table, row);
    static const int texts[] = { NB_LEDGER_CELL,     NB_LEDGER_QUANTITY,
                                 NB_LEDGER_TOPOLOGY, NB_LEDGER_ROUTING,
                                 NB_LEDGER_TRAFFIC,  NB_LEDGER_PUBLISHED };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        nb_grid_add(grid, NB_SIDE_LEFT, print_text(table, row, texts[i]));
    print_computed(grid, table, row);
    nb_ratio_print(print_cell(table, row, NB_LEDGER_EXACT)->ratio, exact);
    nb_grid_add(grid, NB_SIDE_LEFT, exact);
    print_number(grid, print_cell(table, row, NB_LEDGER_DIFFERENCE)->number);
    nb_grid_add(grid, NB_SIDE_LEFT, print_text(table, row, NB_LEDGER_VERDICT));
    nb_grid_add(grid, NB_SIDE_LEFT,
                is_plain ? "" : print_text(table, row, NB_LEDGER_REASON));
}

/* Prints the rows from first to before end. all: also those that agree. */
static enum nb_status print_rows(const struct nb_table *table, size_t first,
                                 size_t end, bool all,
                                 const struct nb_look *look,
                                 struct nb_text *text, struct nb_error *err)
{
    static const char *const header[] = { "cell",     "quantity", "topology",
                                          "routing",  "traffic",  "published",
                                          "computed", "exact",    "difference",
                                          "verdict",  "reason" };
    enum { COLUMNS = sizeof header / sizeof *header };
    struct nb_text_grid grid = { .column_count = COLUMNS, .heading = 1 };
    size_t count = 0, reasons = 0;
    for (size_t row = first; row < end; row++) {
        count += all || !print_is_plain(table, row);
        reasons += !print_is_plain(table, row);
    }
    for (size_t i = 0; i < COLUMNS && count > 0; i++)
        nb_grid_add_ink(&grid, NB_SIDE_LEFT, NB_INK_NAME,
                        i + 1 < COLUMNS || reasons > 0 ? header[i] : "");
    for (size_t row = first; row < end; row++)
        if (all || !print_is_plain(table, row))
            print_row(&grid, table, row);
    const enum nb_status status = nb_grid_print(&grid, look, text, err);
    nb_grid_release(&grid);
    return status;
}

static void print_heading(const struct nb_table *table, size_t row,
                          const struct nb_look *look, struct nb_text *text)
{
    nb_text_print(text, "\n%s", nb_ink_begin(look, NB_INK_NAME));
    nb_text_add_plain(text, print_text(table, row, NB_LEDGER_SOURCE));
    nb_text_print(text, ", ");
    nb_text_add_plain(text, print_text(table, row, NB_LEDGER_TABLE));
    nb_text_print(text, "%s\n", nb_ink_end(look, NB_INK_NAME));
}

/* Prints the table layout under the source's own labels. */
static enum nb_status print_grid(const struct nb_table *layout,
                                 const struct labels *labels,
                                 const struct nb_look *look,
                                 struct nb_text *text, struct nb_error *err)
{
    struct nb_text_grid grid = { .column_count = layout->column_count,
                                 .heading = 1 };
    enum nb_status status = NB_OK;
    nb_grid_add(&grid, NB_SIDE_LEFT, "");
    for (size_t i = 0; i < labels->column_count; i++) {
        struct nb_text label = { 0 };
        nb_text_add(&label, labels->columns[i].text, labels->columns[i].length);
        status = nb_text_check(&label, err);
        if (status == NB_OK)
            nb_grid_add_ink(&grid, NB_SIDE_LEFT, NB_INK_NAME, label.bytes);
        nb_text_release(&label);
        NB_TRY(status);
    }
    for (size_t i = 0; i < layout->cell_count; i++)
        nb_grid_add(&grid, NB_SIDE_LEFT, layout->cells[i].text);
    NB_TRY(nb_grid_print(&grid, look, text, err));
done:
    nb_grid_release(&grid);
    return status;
}

static enum nb_status print_layout(const struct nb_table *ledger,
                                   const struct nb_table *layout,
                                   const struct nb_look *look,
                                   struct nb_text *text, struct nb_error *err)
{
    struct labels labels = { 0 };
    const char **cells = NULL;
    size_t remarks = 0;
    enum nb_status status;
    NB_TRY(nb_new(&cells, ledger->row_count, sizeof *cells, "cells", err));
    for (size_t i = 0; i < ledger->row_count; i++) {
        cells[i] = print_text(ledger, i, NB_LEDGER_CELL);
        remarks += !print_is_plain(ledger, i);
    }
    NB_TRY(labels_find(cells, ledger->row_count, &labels, err));
    print_heading(ledger, 0, look, text);
    NB_TRY(print_grid(layout, &labels, look, text, err));
    if (remarks == 0)
        goto done;
    nb_text_print(text,
                  "%scomputed (published, if different): * explained, ~ "
                  "consistent, ! disagrees, ? pending, = given\n\n",
                  nb_look_indent(look));
    NB_TRY(print_rows(ledger, 0, ledger->row_count, false, look, text, err));
done:
    nb_delete(cells);
    labels_release(&labels);
    return status;
}

static bool print_is_of_one(const struct nb_table *table, size_t a, size_t b)
{
    return strcmp(print_text(table, a, NB_LEDGER_SOURCE),
                  print_text(table, b, NB_LEDGER_SOURCE)) == 0 &&
           strcmp(print_text(table, a, NB_LEDGER_TABLE),
                  print_text(table, b, NB_LEDGER_TABLE)) == 0;
}

enum nb_status nb_ledger_print(const struct nb_point *point,
                               const struct nb_look *look, struct nb_text *text,
                               struct nb_error *err)
{
    const struct nb_table *ledger = nb_point_table(point, "ledger");
    const struct nb_table *layout = nb_point_table(point, "layout");
    enum nb_status status = NB_OK;
    if (layout != NULL)
        return print_layout(ledger, layout, look, text, err);
    for (size_t first = 0, end = 0; first < ledger->row_count; first = end) {
        while (end < ledger->row_count && print_is_of_one(ledger, first, end))
            end++;
        print_heading(ledger, first, look, text);
        NB_TRY(print_rows(ledger, first, end, true, look, text, err));
    }
done:
    return status;
}
