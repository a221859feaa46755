#include "report/grid.h"

#include "core/memory.h"
#include "core/utf8.h"
#include "report/grid_fit.h"

#include <assert.h>
#include <string.h>

enum { GRID_HEAD = 2 }; /* bytes before a cell's characters */

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
    const char head[GRID_HEAD] = { side == NB_SIDE_LEFT ? '<' : '>',
                                   (char)ink };
    nb_text_add(&grid->cells, head, sizeof head);
    nb_text_add_plain(&grid->cells, cell);
    nb_text_add(&grid->cells, "", 1); /* its NUL */
    grid->cell_count++;
}

static size_t grid_width(const char *cell)
{
    return nb_text_width(cell, strlen(cell));
}

/* The next cell. */
static const char *grid_next(const char *cell)
{
    return cell + GRID_HEAD + strlen(cell + GRID_HEAD) + 1;
}

static void grid_print_cell(const char *cell, const struct nb_look *look,
                            struct nb_text *text)
{
    nb_ink_add(look, (enum nb_ink)cell[1], cell + GRID_HEAD,
               strlen(cell + GRID_HEAD), text);
}

static void grid_find_widths(const struct nb_text_grid *grid, size_t *widths)
{
    const char *cell = grid->cells.bytes;
    for (size_t i = 0; i < grid->cell_count; i++) {
        const size_t width = grid_width(cell + GRID_HEAD);
        size_t *most = &widths[i % grid->column_count];
        *most = width > *most ? width : *most;
        cell = grid_next(cell);
    }
}

static void grid_print_columns(const struct nb_text_grid *grid,
                               const size_t *widths, const struct nb_look *look,
                               struct nb_text *text)
{
    const char *cell = grid->cells.bytes;
    const size_t indent = strlen(nb_look_indent(look));
    size_t blanks = indent; /* due before the next character */
    for (size_t i = 0; i < grid->cell_count; i++) {
        const size_t most = widths[i % grid->column_count];
        const size_t width = grid_width(cell + GRID_HEAD);
        const size_t pad = most - width;
        if (width > 0) {
            blanks += *cell == '>' ? pad : 0;
            nb_text_print(text, "%*s", (int)blanks, "");
            grid_print_cell(cell, look, text);
            blanks = *cell == '>' ? 0 : pad;
        } else {
            blanks += pad;
        }
        blanks += most > 0 ? 2 : 0;
        if ((i + 1) % grid->column_count == 0) {
            nb_text_add(text, "\n", 1);
            blanks = indent;
        }
        cell = grid_next(cell);
    }
}

static void grid_print_tabs(const struct nb_text_grid *grid,
                            const struct nb_look *look, struct nb_text *text)
{
    const char *cell = grid->cells.bytes;
    for (size_t i = 0; i < grid->cell_count; i++) {
        grid_print_cell(cell, look, text);
        nb_text_add(text, (i + 1) % grid->column_count == 0 ? "\n" : "\t", 1);
        cell = grid_next(cell);
    }
}

enum nb_status nb_grid_print(const struct nb_text_grid *grid,
                             const struct nb_look *look, struct nb_text *text,
                             struct nb_error *err)
{
    size_t *widths = NULL;
    enum nb_status status;
    NB_TRY(nb_text_check(&grid->cells, err));
    if (grid->cell_count == 0)
        goto done;
    assert(grid->cell_count % grid->column_count == 0);
    if (look->has_columns && look->width > 0) {
        NB_TRY(nb_grid_fit(grid, look, text, err));
        NB_TRY(nb_text_check(text, err));
        goto done;
    }
    NB_TRY(nb_new(&widths, grid->column_count, sizeof *widths, "columns", err));
    grid_find_widths(grid, widths);
    if (look->has_columns)
        grid_print_columns(grid, widths, look, text);
    else
        grid_print_tabs(grid, look, text);
    NB_TRY(nb_text_check(text, err));
done:
    nb_delete(widths);
    return status;
}

void nb_grid_release(struct nb_text_grid *grid)
{
    nb_text_release(&grid->cells);
    *grid = (struct nb_text_grid){ 0 };
}
