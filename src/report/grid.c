#include "report/grid.h"

#include "core/memory.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

void nb_text_add_plain(struct nb_text *text, const char *added)
{
    while (*added != '\0') {
        size_t length = 0;
        while (added[length] != '\0' && !iscntrl((unsigned char)added[length]))
            length++;
        nb_text_add(text, added, length);
        added += length;
        if (*added != '\0') {
            nb_text_add(text, " ", 1);
            added++;
        }
    }
}

void nb_grid_add(struct nb_grid *grid, enum nb_side side, const char *cell)
{
    nb_text_add(&grid->cells, side == NB_SIDE_LEFT ? "<" : ">", 1);
    nb_text_add_plain(&grid->cells, cell);
    nb_text_add(&grid->cells, "", 1); /* its NUL */
    grid->cell_count++;
}

/* Characters, not bytes: continuation bytes of UTF-8 take no room. */
static size_t grid_width(const char *cell)
{
    size_t width = 0;
    for (; *cell != '\0'; cell++)
        width += ((unsigned char)*cell & 0xC0) != 0x80;
    return width;
}

static void grid_find_widths(const struct nb_grid *grid, size_t *widths)
{
    const char *cell = grid->cells.bytes;
    for (size_t i = 0; i < grid->cell_count; i++) {
        const size_t width = grid_width(cell + 1);
        size_t *most = &widths[i % grid->column_count];
        *most = width > *most ? width : *most;
        cell += strlen(cell) + 1;
    }
}

enum nb_status nb_grid_print(const struct nb_grid *grid, int indent,
                             struct nb_text *text, struct nb_error *err)
{
    size_t *widths = NULL;
    enum nb_status status;
    NB_TRY(nb_text_check(&grid->cells, err));
    if (grid->cell_count == 0)
        goto done;
    assert(grid->cell_count % grid->column_count == 0);
    NB_TRY(nb_new(&widths, grid->column_count, sizeof *widths, "columns", err));
    grid_find_widths(grid, widths);
    const char *cell = grid->cells.bytes;
    size_t blanks = (size_t)indent; /* due before the next character */
    for (size_t i = 0; i < grid->cell_count; i++) {
        const size_t most = widths[i % grid->column_count];
        const size_t length = strlen(cell + 1);
        const size_t pad = most - grid_width(cell + 1);
        if (length > 0) {
            blanks += *cell == '>' ? pad : 0;
            nb_text_print(text, "%*s", (int)blanks, "");
            nb_text_add(text, cell + 1, length);
            blanks = *cell == '>' ? 0 : pad;
        } else {
            blanks += pad;
        }
        blanks += most > 0 ? 2 : 0;
        if ((i + 1) % grid->column_count == 0) {
            nb_text_add(text, "\n", 1);
            blanks = (size_t)indent;
        }
        cell += length + 2;
    }
    NB_TRY(nb_text_check(text, err));
done:
    nb_delete(widths);
    return status;
}

void nb_grid_release(struct nb_grid *grid)
{
    nb_text_release(&grid->cells);
    *grid = (struct nb_grid){ 0 };
}
