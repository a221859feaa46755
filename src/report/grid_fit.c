/* Grids in lines of a limited width (declared in report/grid_fit.h). */
#include "report/grid_fit.h"

#include "core/memory.h"

#include <string.h>

enum {
    FIT_GAP = 2,       /* blanks between columns */
    FIT_HEADING = 2,   /* maximal lines of a heading */
    FIT_NARROWEST = 16 /* width of a column of wrapped text */
};

struct fit_cell {
    char side, ink;
    const char *text;
};

/* cells: all rows, headings first. */
struct fit {
    size_t columns, rows, heading, names;
    struct fit_cell *cells;
    /* Per column: in use; with unbroken headings; of the longest word. */
    size_t *widths, *full, *least;
    size_t room; /* of a line without its indent */
    const struct nb_look *look;
    struct nb_text *text;
};

size_t nb_text_width(const char *text, size_t length)
{
    size_t width = 0;
    bool is_ink = false;
    for (size_t i = 0; i < length; i++) {
        is_ink = is_ink || text[i] == '\033';
        width += !is_ink && ((unsigned char)text[i] & 0xC0) != 0x80;
        is_ink = is_ink && text[i] != 'm';
    }
    return width;
}

/* Whether a line may end after the character at text. */
static bool fit_may_break(const char *text, bool is_heading)
{
    return *text == ' ' || (is_heading && (*text == '_' || *text == '/'));
}

/* The part of an overlong word up to the last comma that fits, or else to the
 * last colon, if any. */
static size_t fit_cut(const char *word, size_t length, size_t width)
{
    for (const char *mark = ",:"; *mark != '\0'; mark++)
        for (size_t cut = length; cut > 0; cut--)
            if (word[cut - 1] == *mark && nb_text_width(word, cut) <= width)
                return cut;
    return length;
}

/* The length in bytes of the first line, without trailing blanks: as many words
 * as fit, at least one. */
static size_t fit_line(const char *text, size_t width, bool is_heading)
{
    size_t length = 0, i = 0;
    while (text[i] != '\0') {
        do
            i++;
        while (text[i] != '\0' && !fit_may_break(text + i - 1, is_heading));
        size_t end = i;
        while (end > 0 && text[end - 1] == ' ')
            end--;
        const bool is_wide = nb_text_width(text, end) > width;
        if (length > 0 && is_wide)
            break;
        length = end;
        if (is_wide)
            return fit_cut(text, length, width);
    }
    return length;
}

static const char *fit_next_line(const char *text, size_t width,
                                 bool is_heading)
{
    text += fit_line(text, width, is_heading);
    return text + strspn(text, " ");
}

static size_t fit_lines(const char *text, size_t width, bool is_heading)
{
    size_t count = 0;
    for (; *text != '\0'; text = fit_next_line(text, width, is_heading))
        count++;
    return count;
}

/* The width of the widest line. */
static size_t fit_widest(const char *text, size_t width, bool is_heading)
{
    size_t widest = 0;
    for (; *text != '\0'; text = fit_next_line(text, width, is_heading)) {
        const size_t line =
            nb_text_width(text, fit_line(text, width, is_heading));
        widest = line > widest ? line : widest;
    }
    return widest;
}

/* The least width at which a heading fits into FIT_HEADING lines. */
static size_t fit_heading_width(const char *text)
{
    const size_t full = nb_text_width(text, strlen(text));
    size_t width = 1;
    while (width < full && (fit_lines(text, width, true) > FIT_HEADING ||
                            fit_widest(text, width, true) > width))
        width++;
    return width < full ? width : full;
}

void nb_text_wrap(const char *words, size_t width, size_t indent,
                  size_t hanging, struct nb_text *text)
{
    size_t margin = indent;
    do {
        const size_t room = width > margin ? width - margin : 1;
        const size_t length =
            width == 0 ? strlen(words) : fit_line(words, room, false);
        nb_text_print(text, "%*s%.*s\n", (int)margin, "", (int)length, words);
        words += length;
        words += strspn(words, " ");
        margin = hanging;
    } while (*words != '\0');
}

void nb_text_fit(struct nb_text *text, size_t from, const struct nb_look *look)
{
    struct nb_text fitted = { 0 };
    if (!look->has_columns || look->width == 0 || text->has_failed)
        return;
    nb_text_add(&fitted, "", 0);
    for (char *line = text->bytes + from; *line != '\0';) {
        const size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
        const bool is_last = line[length] == '\0';
        line[length] = '\0';
        if (nb_text_width(line, length) > look->width)
            nb_text_wrap(line + indent, look->width, indent, indent + 2,
                         &fitted);
        else
            nb_text_print(&fitted, "%s\n", line);
        line += length + !is_last;
    }
    text->length = from;
    nb_text_add(text, fitted.bytes, fitted.length);
    text->has_failed |= fitted.has_failed;
    nb_text_release(&fitted);
}

static const struct fit_cell *fit_at(const struct fit *fit, size_t row,
                                     size_t column)
{
    return &fit->cells[row * fit->columns + column];
}

static enum nb_status fit_read(const struct nb_text_grid *grid, struct fit *fit,
                               struct nb_error *err)
{
    enum nb_status status;
    fit->columns = grid->column_count;
    fit->rows = grid->cell_count / grid->column_count;
    fit->heading = grid->heading;
    fit->names = grid->names > 0 ? grid->names : 1;
    NB_TRY(nb_new(&fit->cells, grid->cell_count, sizeof *fit->cells, "cells",
                  err));
    NB_TRY(nb_new(&fit->widths, fit->columns, sizeof *fit->widths, "columns",
                  err));
    NB_TRY(
        nb_new(&fit->least, fit->columns, sizeof *fit->least, "columns", err));
    NB_TRY(nb_new(&fit->full, fit->columns, sizeof *fit->full, "columns", err));
    const char *cell = grid->cells.bytes;
    for (size_t i = 0; i < grid->cell_count; i++) {
        fit->cells[i] = (struct fit_cell){ cell[0], cell[1], cell + 2 };
        cell += 2 + strlen(cell + 2) + 1;
    }
    for (size_t r = 0; r < fit->rows; r++)
        for (size_t c = 0; c < fit->columns; c++) {
            const char *own = fit_at(fit, r, c)->text;
            const size_t full = nb_text_width(own, strlen(own));
            const size_t least =
                r < fit->heading ? fit_heading_width(own) : full;
            fit->full[c] = full > fit->full[c] ? full : fit->full[c];
            fit->widths[c] = least > fit->widths[c] ? least : fit->widths[c];
            const size_t word =
                r < fit->heading ? least : fit_widest(own, 1, false);
            fit->least[c] = word > fit->least[c] ? word : fit->least[c];
        }
done:
    return status;
}

static void fit_release(struct fit *fit)
{
    nb_delete(fit->cells);
    nb_delete(fit->widths);
    nb_delete(fit->full);
    nb_delete(fit->least);
}

/* The total width of columns, with the gaps after them. */
static size_t fit_sum(const size_t *widths, size_t first, size_t end)
{
    size_t sum = 0;
    for (size_t c = first; c < end; c++)
        sum += widths[c] > 0 ? widths[c] + FIT_GAP : 0;
    return sum;
}

static bool fit_is_narrow(const struct fit *fit, const size_t *widths)
{
    return fit_sum(widths, 0, fit->columns) <= fit->room + FIT_GAP;
}

/* Prints one line of a cell; headings are bottom-aligned. Returns the number of
 * blanks due after it. */
static size_t fit_print_cell(const struct fit *fit, size_t row, size_t column,
                             size_t line, size_t lines, size_t blanks)
{
    const struct fit_cell *cell = fit_at(fit, row, column);
    const bool is_heading = row < fit->heading;
    const size_t width = fit->widths[column];
    const size_t own = fit_lines(cell->text, width, is_heading);
    const size_t before = is_heading ? lines - own : 0;
    const char *at = cell->text;
    if (width == 0)
        return blanks;
    if (line < before || line - before >= own)
        return blanks + width + FIT_GAP;
    for (size_t i = before; i < line; i++)
        at = fit_next_line(at, width, is_heading);
    const size_t length = fit_line(at, width, is_heading);
    const size_t taken = nb_text_width(at, length);
    const size_t pad = taken < width ? width - taken : 0;
    nb_text_print(fit->text, "%*s",
                  (int)(blanks + (cell->side == '>' ? pad : 0)), "");
    nb_ink_add(fit->look, (enum nb_ink)cell->ink, at, length, fit->text);
    return FIT_GAP + (cell->side == '>' ? 0 : pad);
}

/* Prints the rows: the columns of names and those from first to before end. */
static void fit_print(const struct fit *fit, size_t first, size_t end)
{
    const size_t indent = strlen(nb_look_indent(fit->look));
    for (size_t r = 0; r < fit->rows; r++) {
        size_t lines = r < fit->heading ? 0 : 1;
        for (size_t c = 0; c < end; c++) {
            const size_t own = fit_lines(fit_at(fit, r, c)->text,
                                         fit->widths[c], r < fit->heading);
            if ((c < fit->names || c >= first) && own > lines)
                lines = own;
        }
        for (size_t line = 0; line < lines; line++) {
            size_t blanks = indent;
            for (size_t c = 0; c < end; c++)
                if (c < fit->names || c >= first)
                    blanks = fit_print_cell(fit, r, c, line, lines, blanks);
            nb_text_add(fit->text, "\n", 1);
        }
    }
}

/* Whether a column may be narrowed by wrapping its cells. */
static bool fit_is_text(const struct fit *fit, size_t column)
{
    return column >= fit->names && fit->widths[column] > FIT_NARROWEST &&
           fit_at(fit, fit->rows - 1, column)->side == '<';
}

/* The width of a column limited to cap, or more if its longest word is
 * wider. */
static size_t fit_cap(const struct fit *fit, size_t column, size_t cap)
{
    const size_t least = fit->least[column], width = fit->widths[column];
    const size_t capped = cap > least ? cap : least;
    return width < capped ? width : capped;
}

/* Narrows text columns until all fit; false if they would become too narrow. */
static bool fit_wrap(struct fit *fit)
{
    size_t cap = 0, sum = 0;
    for (size_t c = 0; c < fit->columns; c++)
        if (fit_is_text(fit, c) && fit->widths[c] > cap)
            cap = fit->widths[c];
    for (; cap >= FIT_NARROWEST; cap--) {
        sum = 0;
        for (size_t c = 0; c < fit->columns; c++)
            if (fit->widths[c] > 0)
                sum += FIT_GAP + (fit_is_text(fit, c) ? fit_cap(fit, c, cap)
                                                      : fit->widths[c]);
        if (sum <= fit->room + FIT_GAP)
            break;
    }
    if (cap < FIT_NARROWEST)
        return false;
    for (size_t c = fit->names; c < fit->columns; c++)
        if (fit_is_text(fit, c))
            fit->widths[c] = fit_cap(fit, c, cap);
    return true;
}

/* Prints the names with as many columns as fit, then again with the next
 * ones. */
static void fit_stack(struct fit *fit)
{
    while (fit->names > 1 &&
           fit_sum(fit->widths, 0, fit->names) > fit->room / 3 * 2)
        fit->names--;
    if (fit->names == 1)
        fit->widths[0] = fit_cap(fit, 0, fit->room / 2);
    const size_t names = fit_sum(fit->widths, 0, fit->names);
    const size_t left = fit->room > names ? fit->room - names : 1;
    for (size_t c = fit->names; c < fit->columns; c++)
        fit->widths[c] = fit_cap(fit, c, left);
    for (size_t first = fit->names, end; first < fit->columns; first = end) {
        for (end = first + 1; end < fit->columns; end++)
            if (fit_sum(fit->widths, first, end + 1) > left + FIT_GAP)
                break;
        if (first > fit->names)
            nb_text_add(fit->text, "\n", 1);
        fit_print(fit, first, end);
    }
}

/* The grid with one row per column: its heading, its values, its unit. */
static void fit_turn(const struct fit *fit, struct nb_text_grid *out)
{
    const size_t values = fit->rows - fit->heading;
    *out = (struct nb_text_grid){ .column_count = values + fit->heading,
                                  .heading = fit->names,
                                  .names = 1 };
    for (size_t c = 0; c < fit->columns; c++)
        for (size_t i = 0; i < fit->rows; i++) {
            const size_t r = i == 0        ? 0
                             : i <= values ? i + fit->heading - 1
                                           : i - values;
            const struct fit_cell *cell = fit_at(fit, r, c);
            nb_grid_add_ink(out,
                            i == 0 || i > values ? NB_SIDE_LEFT : NB_SIDE_RIGHT,
                            (enum nb_ink)cell->ink, cell->text);
        }
}

/* Whether the grid is a pivot: above the values that name its columns is the
 * name of their option, and nothing is above the names of its rows. */
static bool fit_is_pivot(const struct fit *fit)
{
    return fit->heading == 2 && *fit_at(fit, 0, 0)->text == '\0' &&
           *fit_at(fit, 0, fit->names)->text != '\0';
}

/* The pivot with rows and columns exchanged, again a pivot. */
static void fit_turn_pivot(const struct fit *fit, struct nb_text_grid *out)
{
    const size_t values = fit->rows - fit->heading;
    *out = (struct nb_text_grid){ .column_count = 1 + values,
                                  .heading = fit->heading,
                                  .names = 1 };
    nb_grid_add(out, NB_SIDE_LEFT, "");
    for (size_t r = 0; r < values; r++)
        nb_grid_add_ink(out, NB_SIDE_RIGHT, NB_INK_NAME,
                        r == 0 ? fit_at(fit, 1, 0)->text : "");
    for (size_t c = 0; c < fit->columns; c++) {
        const struct fit_cell *name =
            fit_at(fit, c == 0 ? 0 : 1, c == 0 ? 1 : c);
        nb_grid_add_ink(out, NB_SIDE_LEFT, (enum nb_ink)name->ink, name->text);
        for (size_t r = fit->heading; r < fit->rows; r++)
            nb_grid_add_ink(out, NB_SIDE_RIGHT,
                            (enum nb_ink)fit_at(fit, r, c)->ink,
                            fit_at(fit, r, c)->text);
    }
}

/* Prints the grid turned, if that fits. */
static enum nb_status fit_try_turned(struct fit *fit, bool *is_done,
                                     struct nb_error *err)
{
    struct nb_text_grid turned = { 0 };
    struct fit other = { .room = fit->room,
                         .look = fit->look,
                         .text = fit->text };
    const bool is_pivot = fit_is_pivot(fit);
    enum nb_status status = NB_OK;
    *is_done = false;
    if (!fit->look->has_columns || fit->heading == 0 || fit->heading > 2 ||
        fit->rows - fit->heading >= fit->columns ||
        (is_pivot && fit->names > 1))
        goto done;
    if (is_pivot)
        fit_turn_pivot(fit, &turned);
    else
        fit_turn(fit, &turned);
    NB_TRY(nb_text_check(&turned.cells, err));
    NB_TRY(fit_read(&turned, &other, err));
    *is_done = fit_is_narrow(&other, other.full);
    if (*is_done) {
        memcpy(other.widths, other.full, other.columns * sizeof *other.full);
        other.heading = is_pivot ? fit->heading : 0;
        fit_print(&other, other.names, other.columns);
    }
done:
    fit_release(&other);
    nb_grid_release(&turned);
    return status;
}

enum nb_status nb_grid_fit(const struct nb_text_grid *grid,
                           const struct nb_look *look, struct nb_text *text,
                           struct nb_error *err)
{
    const size_t indent = strlen(nb_look_indent(look));
    struct fit fit = { .look = look,
                       .text = text,
                       .room =
                           look->width > indent ? look->width - indent : 1 };
    bool is_done = false;
    enum nb_status status;
    NB_TRY(fit_read(grid, &fit, err));
    if (fit_is_narrow(&fit, fit.full))
        memcpy(fit.widths, fit.full, fit.columns * sizeof *fit.full);
    else if (!fit_is_narrow(&fit, fit.widths))
        NB_TRY(fit_try_turned(&fit, &is_done, err));
    if (!is_done && !fit_is_narrow(&fit, fit.widths) && !fit_wrap(&fit))
        fit_stack(&fit);
    else if (!is_done)
        fit_print(&fit, fit.names, fit.columns);
done:
    fit_release(&fit);
    return status;
}

enum nb_status nb_grid_is_narrow(const struct nb_text_grid *grid,
                                 const struct nb_look *look, bool *out,
                                 struct nb_error *err)
{
    struct fit fit = { .room = look->width };
    const size_t indent = strlen(nb_look_indent(look));
    enum nb_status status;
    fit.room = look->width > indent ? look->width - indent : 1;
    NB_TRY(nb_text_check(&grid->cells, err));
    NB_TRY(fit_read(grid, &fit, err));
    *out = look->width == 0 || fit_is_narrow(&fit, fit.widths);
done:
    fit_release(&fit);
    return status;
}
