/* The layout of a source's table: rows and columns from the labels of its
 * cells (declared in ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/memory.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static void layout_split(const char *cell, struct nb_label *row,
                         struct nb_label *column)
{
    const char *divider = strstr(cell, NB_CELL_DIVIDER);
    *row = (struct nb_label){ cell, (size_t)(divider - cell) };
    column->text = divider + strlen(NB_CELL_DIVIDER);
    column->length = strlen(column->text);
}

/* The label's place, count if it is not there. */
static size_t layout_find(const struct nb_label *labels, size_t count,
                          const struct nb_label *label)
{
    size_t i = 0;
    while (i < count && (labels[i].length != label->length ||
                         strncmp(labels[i].text, label->text, label->length)))
        i++;
    return i;
}

static enum nb_status layout_add(struct nb_label **labels, size_t *count,
                                 const struct nb_label *label,
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

enum nb_status nb_labels_find(const char *const *cells, size_t count,
                              struct nb_labels *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_labels){ 0 };
    for (size_t i = 0; i < count; i++) {
        struct nb_label row, column;
        layout_split(cells[i], &row, &column);
        NB_TRY(layout_add(&out->rows, &out->row_count, &row, err));
        NB_TRY(layout_add(&out->columns, &out->column_count, &column, err));
    }
done:
    if (status != NB_OK)
        nb_labels_release(out);
    return status;
}

void nb_labels_place(const struct nb_labels *labels, const char *cell,
                     size_t *row, size_t *column)
{
    struct nb_label label[2];
    layout_split(cell, &label[0], &label[1]);
    *row = layout_find(labels->rows, labels->row_count, &label[0]);
    *column = layout_find(labels->columns, labels->column_count, &label[1]);
}

void nb_labels_release(struct nb_labels *labels)
{
    nb_delete(labels->rows);
    nb_delete(labels->columns);
    *labels = (struct nb_labels){ 0 };
}

/* A label as the name of a column: letters, digits, "-" and "_", the first a
 * letter. */
static void layout_name(const struct nb_label *label, struct nb_text *text)
{
    if (label->length == 0 || !isalpha((unsigned char)*label->text))
        nb_text_print(text, "column_");
    for (size_t i = 0; i < label->length; i++) {
        const char c = label->text[i];
        if (isalnum((unsigned char)c) || c == '-' || c == '_')
            nb_text_add(text, &c, 1);
        else if (text->length > 0 && text->bytes[text->length - 1] != '_')
            nb_text_add(text, "_", 1);
    }
}

/* The same for the index-th label, told apart from the columns before it, the
 * first of which is "row". */
static void layout_name_column(const struct nb_labels *labels, size_t index,
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

/* Digits that a computed value is shown with: those printed, at least three. */
static int layout_digits(const struct nb_entry *entry)
{
    const double size = fabs(entry->value);
    const int before = size > 0 ? (int)floor(log10(size)) + 1 : 1;
    const int digits = entry->row->rounded.places + before;
    return digits > 3 ? digits : 3;
}

/* What is computed, to the printed digits; where that differs, in parentheses
 * what is printed and a mark. */
static void layout_print(const struct nb_entry *entry, struct nb_text *text)
{
    static const char marks[NB_VERDICTS] = { ' ', '*', '~', '!', '?' };
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

/* at  [column_count]  the entries of a row of the layout; NULL: none */
static enum nb_status layout_add_row(const struct nb_labels *labels,
                                     size_t label,
                                     const struct nb_entry *const *at,
                                     size_t table, struct nb_point *out,
                                     struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_text_add(&text, labels->rows[label].text, labels->rows[label].length);
    NB_TRY(nb_text_check(&text, err));
    nb_table_add_text(out, table, text.bytes);
    for (size_t c = 0; c < labels->column_count; c++) {
        nb_text_release(&text);
        nb_text_add(&text, "", 0);
        if (at[c] != NULL)
            layout_print(at[c], &text);
        NB_TRY(nb_text_check(&text, err));
        nb_table_add_text(out, table, text.bytes);
    }
done:
    nb_text_release(&text);
    return status;
}

/* at  [row_count * column_count]  row by row */
static enum nb_status layout_add_table(const struct nb_labels *labels,
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
    const size_t table = nb_point_add_table(out, "layout", false, header.bytes);
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
    struct nb_labels labels = { 0 };
    const struct nb_entry **at = NULL;
    const char **cells = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&cells, count, sizeof *cells, "cells", err));
    for (size_t i = 0; i < count; i++)
        cells[i] = entries[i].row->cell;
    NB_TRY(nb_labels_find(cells, count, &labels, err));
    NB_TRY(nb_new(&at, labels.row_count * labels.column_count, sizeof *at,
                  "cells", err));
    for (size_t i = 0; i < count; i++) {
        size_t row, column;
        nb_labels_place(&labels, cells[i], &row, &column);
        at[row * labels.column_count + column] = &entries[i];
    }
    NB_TRY(layout_add_table(&labels, at, out, err));
done:
    nb_delete(at);
    nb_delete(cells);
    nb_labels_release(&labels);
    return status;
}
