#include "report/grid.h"

#include "core/memory.h"
#include "core/utf8.h"
#include "report/wrap.h"

#include <assert.h>
#include <string.h>

enum {
    GRID_GAP = 2,       /* blanks between columns */
    GRID_HEADING = 2,   /* maximal lines of a heading */
    GRID_NARROWEST = 16 /* width of a column of wrapped text */
};

void nb_text_add_plain(struct nb_text *text, const char *added)
{
    while (*added != '\0') {
        const char *start = added;
        size_t length, step = 0;
        while ((length = nb_utf8_shown(added, &step)) > 0)
            added += length;
        nb_text_add(text, start, (size_t)(added - start));
        if (*added != '\0') {
            nb_text_add(text, " ", 1);
            added += step;
        }
    }
}

void nb_grid_add(struct nb_text_grid *grid, enum nb_side side, const char *cell)
{
    nb_grid_add_ink(grid, side, NB_INK_PLAIN, cell);
}

void nb_grid_add_ink(struct nb_text_grid *grid, enum nb_side side,
                     enum nb_ink ink, const char *cell)
{
    if (nb_grow_one(&grid->cells, grid->cell_count, sizeof *grid->cells,
                    "cells", NULL) != NB_OK)
        grid->characters.has_failed = true;
    if (grid->characters.has_failed)
        return;
    grid->cells[grid->cell_count++] =
        (struct nb_grid_cell){ grid->characters.length, side, ink };
    nb_text_add_plain(&grid->characters, cell);
    nb_text_add(&grid->characters, "", 1); /* its NUL */
}

void nb_grid_release(struct nb_text_grid *grid)
{
    nb_delete(grid->cells);
    nb_text_release(&grid->characters);
    *grid = (struct nb_text_grid){ 0 };
}

struct fit_column {
    size_t width; /* in use */
    size_t full;  /* with unbroken headings */
    size_t least; /* of the longest word */
};

/* A grid laid out in columns. */
struct fit {
    const struct nb_text_grid *grid;
    size_t rows, heading, names;
    struct fit_column *columns;
    size_t column_count;
    size_t room; /* of a line without its indent */
    const struct nb_look *look;
    struct nb_text *text;
};

static const struct nb_grid_cell *fit_cell(const struct fit *fit, size_t row,
                                           size_t column)
{
    return &fit->grid->cells[row * fit->column_count + column];
}

static const char *fit_text(const struct fit *fit, size_t row, size_t column)
{
    return fit->grid->characters.bytes + fit_cell(fit, row, column)->text;
}

static enum nb_breaks fit_breaks(const struct fit *fit, size_t row)
{
    return row < fit->heading ? NB_BREAKS_HEADING : NB_BREAKS_WORDS;
}

/* The least width at which a heading fits into GRID_HEADING lines. */
static size_t fit_heading_width(const char *text, size_t full)
{
    for (size_t width = 1; width < full; width++) {
        const struct nb_wrapped found =
            nb_wrap_measure(text, width, NB_BREAKS_HEADING);
        if (found.lines <= GRID_HEADING && found.widest <= width)
            return width;
    }
    return full;
}

static void fit_widen(size_t *width, size_t own)
{
    *width = own > *width ? own : *width;
}

/* Lays out columns, with headings in two lines where that makes them narrower.
 * The caller deletes fit->columns. */
static enum nb_status fit_open(const struct nb_text_grid *grid,
                               const struct nb_look *look, struct nb_text *text,
                               struct fit *fit, struct nb_error *err)
{
    const size_t indent = strlen(nb_look_indent(look));
    enum nb_status status;
    *fit = (struct fit){ .grid = grid,
                         .heading = grid->heading,
                         .names = grid->names > 0 ? grid->names : 1,
                         .column_count = grid->column_count,
                         .room = look->width == 0       ? SIZE_MAX / 2
                                 : look->width > indent ? look->width - indent
                                                        : 1,
                         .look = look,
                         .text = text };
    NB_TRY(nb_text_check(&grid->characters, err));
    assert(grid->cell_count % grid->column_count == 0);
    fit->rows = grid->cell_count / grid->column_count;
    NB_TRY(nb_new(&fit->columns, fit->column_count, sizeof *fit->columns,
                  "columns", err));
    for (size_t i = 0; i < grid->cell_count; i++) {
        struct fit_column *column = &fit->columns[i % fit->column_count];
        const char *own = grid->characters.bytes + grid->cells[i].text;
        const bool is_heading = i / fit->column_count < fit->heading;
        const size_t full = nb_text_width(own, strlen(own));
        const size_t least =
            look->width == 0 ? full
            : is_heading     ? fit_heading_width(own, full)
                             : nb_wrap_measure(own, 1, NB_BREAKS_WORDS).widest;
        fit_widen(&column->full, full);
        fit_widen(&column->width, is_heading ? least : full);
        fit_widen(&column->least, least);
    }
done:
    return status;
}

/* The total width of columns, with the gaps after them. */
static size_t fit_sum(const struct fit *fit, size_t first, size_t end)
{
    size_t sum = 0;
    for (size_t c = first; c < end; c++)
        sum += fit->columns[c].width > 0 ? fit->columns[c].width + GRID_GAP : 0;
    return sum;
}

static bool fit_is_narrow(const struct fit *fit)
{
    return fit_sum(fit, 0, fit->column_count) <= fit->room + GRID_GAP;
}

/* Leaves headings in one line if there is room. */
static bool fit_take_full(struct fit *fit)
{
    size_t sum = 0;
    for (size_t c = 0; c < fit->column_count; c++)
        sum += fit->columns[c].full > 0 ? fit->columns[c].full + GRID_GAP : 0;
    const bool is_narrow = sum <= fit->room + GRID_GAP;
    for (size_t c = 0; c < fit->column_count && is_narrow; c++)
        fit->columns[c].width = fit->columns[c].full;
    return is_narrow;
}

/* Prints one line of a cell; headings are bottom-aligned. Returns the number of
 * blanks due after it. */
static size_t fit_print_cell(const struct fit *fit, size_t row, size_t column,
                             size_t line, size_t lines, size_t blanks)
{
    const struct nb_grid_cell *cell = fit_cell(fit, row, column);
    const enum nb_breaks breaks = fit_breaks(fit, row);
    const size_t width = fit->columns[column].width;
    const char *at = fit_text(fit, row, column);
    const size_t own = nb_wrap_measure(at, width, breaks).lines;
    const size_t before = row < fit->heading ? lines - own : 0;
    if (width == 0)
        return blanks;
    if (line < before || line - before >= own)
        return blanks + width + GRID_GAP;
    for (size_t i = before; i < line; i++)
        at = nb_wrap_rest(at, width, breaks);
    const size_t length = nb_wrap_line(at, width, breaks);
    const size_t taken = nb_text_width(at, length);
    const size_t pad = taken < width ? width - taken : 0;
    const bool is_left = cell->side == NB_SIDE_LEFT;
    nb_text_print(fit->text, "%*s", (int)(blanks + (is_left ? 0 : pad)), "");
    nb_ink_add(fit->look, cell->ink, at, length, fit->text);
    return GRID_GAP + (is_left ? pad : 0);
}

/* Prints the rows: the columns of names and those from first to before end. In
 * lines of limited width, headings without characters are left out. */
static void fit_print(const struct fit *fit, size_t first, size_t end)
{
    const size_t indent = strlen(nb_look_indent(fit->look));
    for (size_t r = 0; r < fit->rows; r++) {
        size_t lines = r < fit->heading && fit->look->width > 0 ? 0 : 1;
        for (size_t c = 0; c < end; c++)
            if (c < fit->names || c >= first)
                fit_widen(&lines, nb_wrap_measure(fit_text(fit, r, c),
                                                  fit->columns[c].width,
                                                  fit_breaks(fit, r))
                                      .lines);
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
    return column >= fit->names &&
           fit->columns[column].width > GRID_NARROWEST &&
           fit_cell(fit, fit->rows - 1, column)->side == NB_SIDE_LEFT;
}

/* The width of a column limited to cap, or more if its longest word is
 * wider. */
static size_t fit_cap(const struct fit_column *column, size_t cap)
{
    const size_t capped = cap > column->least ? cap : column->least;
    return column->width < capped ? column->width : capped;
}

/* Narrows text columns until all fit; false if they would become too narrow. */
static bool fit_wrap(struct fit *fit)
{
    size_t cap = 0;
    for (size_t c = 0; c < fit->column_count; c++)
        if (fit_is_text(fit, c))
            fit_widen(&cap, fit->columns[c].width);
    for (; cap >= GRID_NARROWEST; cap--) {
        size_t sum = fit_sum(fit, 0, fit->column_count);
        for (size_t c = 0; c < fit->column_count; c++)
            if (fit_is_text(fit, c))
                sum -= fit->columns[c].width - fit_cap(&fit->columns[c], cap);
        if (sum <= fit->room + GRID_GAP)
            break;
    }
    if (cap < GRID_NARROWEST)
        return false;
    for (size_t c = fit->names; c < fit->column_count; c++)
        if (fit_is_text(fit, c))
            fit->columns[c].width = fit_cap(&fit->columns[c], cap);
    return true;
}

/* Prints the names with as many columns as fit, then again with the next
 * ones. */
static void fit_stack(struct fit *fit)
{
    while (fit->names > 1 && fit_sum(fit, 0, fit->names) > fit->room / 3 * 2)
        fit->names--;
    if (fit->names == 1)
        fit->columns[0].width = fit_cap(&fit->columns[0], fit->room / 2);
    const size_t names = fit_sum(fit, 0, fit->names);
    const size_t left = fit->room > names ? fit->room - names : 1;
    for (size_t c = fit->names; c < fit->column_count; c++)
        fit->columns[c].width = fit_cap(&fit->columns[c], left);
    for (size_t first = fit->names, end; first < fit->column_count;
         first = end) {
        for (end = first + 1; end < fit->column_count; end++)
            if (fit_sum(fit, first, end + 1) > left + GRID_GAP)
                break;
        if (first > fit->names)
            nb_text_add(fit->text, "\n", 1);
        fit_print(fit, first, end);
    }
}

/* Whether the grid is a pivot: above the values that name its columns is the
 * name of their option, and nothing is above the names of its rows. */
static bool fit_is_pivot(const struct fit *fit)
{
    return fit->heading == 2 && *fit_text(fit, 0, 0) == '\0' &&
           *fit_text(fit, 0, fit->names) != '\0';
}

/* The grid with one row per column: its heading, its values, its unit. A pivot
 * becomes a pivot: its rows and columns are exchanged. */
static void fit_turn(const struct fit *fit, bool is_pivot,
                     struct nb_text_grid *out)
{
    const size_t values = fit->rows - fit->heading;
    *out =
        (struct nb_text_grid){ .column_count =
                                   values + (is_pivot ? 1 : fit->heading),
                               .heading = is_pivot ? fit->heading : fit->names,
                               .names = 1 };
    for (size_t i = 0; i < out->column_count && is_pivot; i++)
        nb_grid_add_ink(out, i == 0 ? NB_SIDE_LEFT : NB_SIDE_RIGHT, NB_INK_NAME,
                        i == 1 ? fit_text(fit, 1, 0) : "");
    for (size_t c = 0; c < fit->column_count; c++)
        for (size_t i = 0; i < out->column_count; i++) {
            const bool is_value = i > 0 && i <= values;
            const bool is_corner = is_pivot && i == 0 && c == 0;
            const size_t row = is_value ? i + fit->heading - 1
                               : i > 0  ? i - values
                                        : is_pivot && c > 0;
            const size_t column = is_corner ? 1 : c;
            nb_grid_add_ink(out, is_value ? NB_SIDE_RIGHT : NB_SIDE_LEFT,
                            fit_cell(fit, row, column)->ink,
                            fit_text(fit, row, column));
        }
}

/* Prints the grid turned, if that fits. */
static enum nb_status fit_try_turned(const struct fit *fit, bool *is_done,
                                     struct nb_error *err)
{
    struct nb_text_grid turned = { 0 };
    struct fit other = { 0 };
    const bool is_pivot = fit_is_pivot(fit);
    enum nb_status status = NB_OK;
    *is_done = false;
    if (fit->heading == 0 || fit->heading > 2 ||
        fit->rows - fit->heading >= fit->column_count ||
        (is_pivot && fit->names > 1))
        goto done;
    fit_turn(fit, is_pivot, &turned);
    NB_TRY(fit_open(&turned, fit->look, fit->text, &other, err));
    *is_done = fit_take_full(&other);
    other.heading = is_pivot ? fit->heading : 0;
    if (*is_done)
        fit_print(&other, other.names, other.column_count);
done:
    nb_delete(other.columns);
    nb_grid_release(&turned);
    return status;
}

static void grid_print_tabs(const struct nb_text_grid *grid,
                            const struct nb_look *look, struct nb_text *text)
{
    for (size_t i = 0; i < grid->cell_count; i++) {
        const char *cell = grid->characters.bytes + grid->cells[i].text;
        nb_ink_add(look, grid->cells[i].ink, cell, strlen(cell), text);
        nb_text_add(text, (i + 1) % grid->column_count == 0 ? "\n" : "\t", 1);
    }
}

static enum nb_status grid_print_columns(const struct nb_text_grid *grid,
                                         const struct nb_look *look,
                                         struct nb_text *text,
                                         struct nb_error *err)
{
    struct fit fit;
    bool is_done = false;
    enum nb_status status;
    NB_TRY(fit_open(grid, look, text, &fit, err));
    if (!fit_take_full(&fit) && !fit_is_narrow(&fit))
        NB_TRY(fit_try_turned(&fit, &is_done, err));
    if (!is_done && !fit_is_narrow(&fit) && !fit_wrap(&fit))
        fit_stack(&fit);
    else if (!is_done)
        fit_print(&fit, fit.names, fit.column_count);
done:
    nb_delete(fit.columns);
    return status;
}

enum nb_status nb_grid_print(const struct nb_text_grid *grid,
                             const struct nb_look *look, struct nb_text *text,
                             struct nb_error *err)
{
    enum nb_status status = nb_text_check(&grid->characters, err);
    if (status == NB_OK && grid->cell_count > 0 && look->has_columns)
        status = grid_print_columns(grid, look, text, err);
    else if (status == NB_OK)
        grid_print_tabs(grid, look, text);
    return status == NB_OK ? nb_text_check(text, err) : status;
}

enum nb_status nb_grid_is_narrow(const struct nb_text_grid *grid,
                                 const struct nb_look *look, bool *out,
                                 struct nb_error *err)
{
    struct fit fit;
    const enum nb_status status = fit_open(grid, look, NULL, &fit, err);
    *out = status == NB_OK && fit_is_narrow(&fit);
    nb_delete(fit.columns);
    return status;
}
