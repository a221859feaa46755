/* Reports for people: 6 significant digits, columns or tabs, colours. */
#include "report/format.h"

#include "core/specification.h"
#include "core/try.h"
#include "report/grid.h"
#include "report/layout.h"
#include "report/printed.h"
#include "report/shown.h"
#include "report/wrap.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Whether lines have a limited width: then sources are listed separately, and a
 * generated title is printed, too. */
static bool text_is_fitted(const struct nb_look *look)
{
    return look->has_columns && look->width > 0;
}

/* Appends words in lines of the width, with further lines indented. */
static void text_words(const struct nb_text *words, size_t indent,
                       const struct nb_look *look, enum nb_ink ink,
                       struct nb_text *text)
{
    struct nb_text lines = { 0 };
    text->has_failed |= words->has_failed;
    if (words->length == 0 || text->has_failed)
        return;
    nb_text_wrap(words->bytes, text_is_fitted(look) ? look->width : 0, indent,
                 indent + 2, &lines);
    text->has_failed |= lines.has_failed;
    for (const char *line = lines.bytes; !text->has_failed && *line != '\0';) {
        const size_t blanks = strspn(line, " ");
        const size_t length = strcspn(line + blanks, "\n");
        nb_text_add(text, line, blanks);
        nb_ink_add(look, ink, line + blanks, length, text);
        nb_text_add(text, "\n", 1);
        line += blanks + length + 1;
    }
    nb_text_release(&lines);
}

/* Prints the question in lines that break only between options: single blanks
 * are within an option. */
static void text_question(const struct nb_model *model,
                          const struct nb_look *look, struct nb_text *text)
{
    enum { JOINED = 1 }; /* replaces a blank where no line may end */
    struct nb_text words = { 0 };
    nb_question_print(model, &words);
    for (size_t i = 1; i + 1 < words.length && !words.has_failed; i++)
        if (words.bytes[i] == ' ' && words.bytes[i - 1] != ' ' &&
            words.bytes[i + 1] != ' ')
            words.bytes[i] = JOINED;
    const size_t start = text->length;
    text_words(&words, 0, look, NB_INK_PLAIN, text);
    for (size_t i = start; i < text->length; i++)
        if (text->bytes[i] == JOINED)
            text->bytes[i] = ' ';
    nb_text_release(&words);
}

static void text_head(const struct nb_report *report,
                      const struct nb_look *look, struct nb_text *text)
{
    const struct nb_model *model = &report->model;
    const char *title = report->title != NULL && text_is_fitted(look)
                            ? report->title
                            : model->title;
    struct nb_text words = { 0 };
    if (title != NULL) {
        nb_text_add_plain(&words, title);
        text_words(&words, 0, look,
                   text_is_fitted(look) ? NB_INK_NAME : NB_INK_PLAIN, text);
    }
    nb_text_release(&words);
    text_question(model, look, text);
    if (look->lead != NULL)
        nb_text_print(text, "%s\n", look->lead);
}

/* Numbers are right-aligned, and so are the values of swept options next to
 * them. */
static enum nb_side text_side(const struct nb_layout_column *column)
{
    return column->type == NB_CELL_TEXT && !column->is_setting ? NB_SIDE_LEFT
                                                               : NB_SIDE_RIGHT;
}

/* The parts of a layout that a grid shows. */
struct text_shown {
    bool has_exact;   /* ratios next to decimals */
    bool has_sources; /* a column of marks, [1] */
    size_t columns;   /* this number of the layout's first columns */
    const struct nb_names *sources;
    enum nb_numbers numbers;
};

/* Whether any cell of the column has a ratio. */
static bool text_has_exact(const struct nb_layout *layout, size_t column)
{
    for (size_t i = column; i < layout->cell_count; i += layout->column_count)
        if (nb_layout_exact(layout, &layout->cells[i]) != NULL)
            return true;
    return false;
}

static void text_add_header(const struct nb_layout *layout,
                            const struct text_shown *shown,
                            struct nb_text_grid *grid)
{
    bool has_units = layout->kind == NB_LAYOUT_SWEEP;
    for (size_t i = 0; i < shown->columns; i++)
        has_units = has_units || *layout->columns[i].unit != '\0';
    enum { OVER, NAME, UNIT };
    bool is_first = true; /* the first value of the pivot's option */
    for (int line = layout->over != NULL ? OVER : NAME;
         line <= (has_units ? UNIT : NAME); line++) {
        for (size_t i = 0; i < shown->columns; i++) {
            const struct nb_layout_column *column = &layout->columns[i];
            const char *head = line == UNIT                   ? column->unit
                               : line == NAME                 ? column->name
                               : column->is_value && is_first ? layout->over
                                                              : "";
            is_first = is_first && !column->is_value;
            nb_grid_add_ink(grid,
                            line == OVER ? NB_SIDE_RIGHT : text_side(column),
                            line == UNIT ? NB_INK_DIM : NB_INK_NAME, head);
            if (shown->has_exact && text_has_exact(layout, i))
                nb_grid_add(grid, NB_SIDE_LEFT, "");
        }
        if (shown->has_sources)
            nb_grid_add(grid, NB_SIDE_LEFT, "");
        grid->heading++;
    }
}

/* Adds the source in brackets; given the list of sources, its index: "[2]", or
 * "" if it is the only one. */
static void text_add_source(const char *source, const struct nb_names *sources,
                            struct nb_text_grid *grid)
{
    struct nb_text mark = { 0 };
    if (sources == NULL && *source != '\0')
        nb_text_print(&mark, "[%s]", source);
    for (size_t i = 0; sources != NULL && i < sources->count; i++)
        if (sources->count > 1 && strcmp(sources->name[i], source) == 0)
            nb_text_print(&mark, "[%zu]", i + 1);
    grid->characters.has_failed |= mark.has_failed;
    nb_grid_add_ink(grid, NB_SIDE_LEFT, NB_INK_DIM,
                    mark.bytes != NULL ? mark.bytes : "");
    nb_text_release(&mark);
}

/* Whether a column is printed as ratios: if asked for, or if lines are not
 * fitted and it reads best so. */
static bool text_takes_exact(const struct nb_layout *layout, size_t column,
                             const struct text_shown *shown)
{
    return shown->numbers == NB_NUMBERS_EXACT ||
           (shown->numbers == NB_NUMBERS_BOTH && !shown->has_exact &&
            shown->sources == NULL && nb_layout_is_exact(layout, column));
}

/* The number of leading columns that name a row: the swept options, or the
 * first text columns of a table. */
static size_t text_names(const struct nb_layout *layout, size_t columns)
{
    size_t count = 0;
    while (count + 1 < columns &&
           (layout->kind == NB_LAYOUT_TABLE
                ? layout->columns[count].type == NB_CELL_TEXT
                : layout->columns[count].is_setting))
        count++;
    return count;
}

static void text_fill(const struct nb_layout *layout,
                      const struct text_shown *shown, struct nb_text_grid *grid)
{
    text_add_header(layout, shown, grid);
    grid->column_count = grid->cell_count / grid->heading;
    grid->names = text_names(layout, shown->columns);
    for (size_t i = 0; i < layout->cell_count; i++) {
        const size_t column = i % layout->column_count;
        const struct nb_layout_cell *cell = &layout->cells[i];
        const char *decimal = nb_layout_text(layout, cell);
        const char *exact = nb_layout_exact(layout, cell);
        const bool is_exact =
            exact != NULL && text_takes_exact(layout, column, shown);
        if (column < shown->columns) {
            nb_grid_add_ink(grid, text_side(&layout->columns[column]),
                            cell->ink, is_exact ? exact : decimal);
            if (shown->has_exact && text_has_exact(layout, column))
                nb_grid_add_ink(grid, NB_SIDE_LEFT, NB_INK_EXACT,
                                exact != NULL ? exact : "");
        }
        if (shown->has_sources && column == layout->column_count - 1)
            text_add_source(decimal, shown->sources, grid);
    }
}

/* "sources: [1] Singh2005, equation 7.3; [2] DallyTowles2004"; without marks if
 * the cells have none. */
static void text_sources(const struct nb_names *sources, bool is_marked,
                         const struct nb_look *look, struct nb_text *text)
{
    struct nb_text words = { 0 };
    for (size_t i = 0; i < sources->count; i++) {
        nb_text_print(&words, "%s",
                      i > 0                ? "; "
                      : sources->count > 1 ? "sources: "
                                           : "source: ");
        if (is_marked && sources->count > 1)
            nb_text_print(&words, "[%zu] ", i + 1);
        nb_text_add_plain(&words, sources->name[i]);
    }
    text_words(&words, strlen(nb_look_indent(look)), look, NB_INK_DIM, text);
    nb_text_release(&words);
}

/* Explains the "?" of cells without a number. */
static void text_unknown(const struct nb_layout *layout,
                         const struct nb_look *look, struct nb_text *text)
{
    for (size_t i = 0; i < layout->cell_count; i++)
        if (strcmp(nb_layout_text(layout, &layout->cells[i]), "?") == 0) {
            nb_text_print(text, "%s%s?: none, or not known%s\n",
                          nb_look_indent(look), nb_ink_begin(look, NB_INK_DIM),
                          nb_ink_end(look, NB_INK_DIM));
            return;
        }
}

/* The sources in the last column of a table. */
static void text_find_sources(const struct nb_layout *layout,
                              struct nb_names *out)
{
    const size_t last = layout->column_count - 1;
    if (layout->column_count < 2 ||
        strcmp(layout->columns[last].name, "source") != 0 ||
        layout->columns[last].type != NB_CELL_TEXT)
        return;
    for (size_t i = last; i < layout->cell_count; i += layout->column_count)
        if (*nb_layout_text(layout, &layout->cells[i]) != '\0')
            nb_names_add(out, nb_layout_text(layout, &layout->cells[i]));
}

/* Prints the layout: in lines of a limited width first with everything next to
 * the numbers, then without what does not fit. */
static enum nb_status text_layout(const struct nb_layout *layout,
                                  const struct nb_look *look,
                                  struct nb_text *text, struct nb_error *err)
{
    const bool is_fitted = text_is_fitted(look);
    struct text_shown shown = { .columns = layout->column_count,
                                .numbers = look->numbers };
    struct nb_names own = { 0 };
    struct nb_text_grid grid = { 0 };
    bool is_narrow = false;
    enum nb_status status;
    if (layout->column_count == 0)
        return NB_OK;
    if (is_fitted)
        text_find_sources(layout, &own);
    NB_TRY(nb_names_check(&own, err));
    if (is_fitted)
        shown.sources = &own;
    shown.columns -= own.count > 0;
    for (int left_out = is_fitted ? 0 : 2; left_out < 3 && !is_narrow;
         left_out++) {
        shown.has_exact = left_out < 2 && look->numbers == NB_NUMBERS_BOTH;
        shown.has_sources = left_out < 1 && own.count > 0;
        nb_grid_release(&grid);
        text_fill(layout, &shown, &grid);
        NB_TRY(nb_grid_is_narrow(&grid, look, &is_narrow, err));
    }
    NB_TRY(nb_grid_print(&grid, look, text, err));
    if (is_fitted)
        text_sources(own.count > 0 ? &own : &layout->sources, shown.has_sources,
                     look, text);
    if (look->has_columns)
        text_unknown(layout, look, text);
done:
    nb_grid_release(&grid);
    nb_names_release(&own);
    return status;
}

/* Ways to list quantities. The first is for lines of any width; the others are
 * tried in this order until the line is wide enough. */
static const struct text_list {
    bool has_sources; /* in full, in brackets; else listed below */
    bool is_marked;   /* with the mark of its source */
    bool is_spread;   /* +- instead of the interval */
    bool is_joined;   /* exact and inexact in one column */
    bool is_bare;     /* neither; listed below instead */
} text_lists[] = {
    { .has_sources = true, .is_joined = true },
    { .is_marked = true },
    { .is_marked = false },
    { .is_joined = true },
    { .is_marked = true, .is_spread = true },
    { .is_spread = true },
    { .is_spread = true, .is_joined = true },
    { .is_bare = true },
};
enum { TEXT_LISTS = sizeof text_lists / sizeof *text_lists };

/* How well a quantity is known: its ratio or range. */
static void text_certainty(const struct nb_quantity *quantity, bool is_spread,
                           enum nb_numbers numbers, char out[NB_PRINTED])
{
    const bool is_exact = nb_ratio_is_known(quantity->exact);
    if (is_exact && numbers != NB_NUMBERS_BOTH)
        *out = '\0';
    else if (is_spread && !is_exact)
        nb_print_spread(quantity, out);
    else
        nb_print_certainty(quantity, out);
}

static void text_list_row(const struct nb_quantity *quantity,
                          const struct text_list *way,
                          const struct nb_names *sources,
                          enum nb_numbers numbers, struct nb_text_grid *grid)
{
    char value[NB_PRINTED], beside[NB_PRINTED] = "";
    const bool is_exact = nb_ratio_is_known(quantity->exact);
    const enum nb_ink ink = is_exact ? NB_INK_EXACT : NB_INK_PLAIN;
    const bool is_left = way->is_joined || !is_exact;
    if (!way->is_bare)
        text_certainty(quantity, way->is_spread, numbers, beside);
    if (numbers == NB_NUMBERS_EXACT && is_exact)
        nb_ratio_print(quantity->exact, value);
    else if (way->is_spread) /* the spread is that of the six-digit value */
        nb_print_number(quantity->value, value);
    else
        nb_print_value(quantity, value);
    nb_grid_add_ink(grid, NB_SIDE_LEFT, NB_INK_NAME, quantity->name);
    nb_grid_add_ink(grid, NB_SIDE_LEFT,
                    isinf(quantity->value) ? NB_INK_ALERT : NB_INK_PLAIN,
                    value);
    nb_grid_add_ink(grid, NB_SIDE_LEFT, ink, is_left ? beside : "");
    nb_grid_add_ink(grid, NB_SIDE_LEFT, NB_INK_DIM, quantity->unit);
    if (!way->has_sources)
        nb_grid_add_ink(grid, NB_SIDE_LEFT, ink, is_left ? "" : beside);
    text_add_source(way->is_marked || way->has_sources ? quantity->source : "",
                    way->is_marked ? sources : NULL, grid);
}

/* If no list fits: the ratios and ranges, for the quantities that have one. */
static void text_list_rest(const struct nb_quantity *quantity,
                           enum nb_numbers numbers, struct nb_text_grid *grid)
{
    char beside[NB_PRINTED];
    text_certainty(quantity, false, numbers, beside);
    if (*beside == '\0')
        return;
    nb_grid_add_ink(grid, NB_SIDE_LEFT, NB_INK_NAME, quantity->name);
    nb_grid_add(grid, NB_SIDE_LEFT, beside);
}

/* The quantities, a row for each: values first, then their certainty, units,
 * ratios, sources; what does not fit into the line is below. */
static enum nb_status text_list(const struct nb_report *report,
                                const struct nb_names *names,
                                const struct nb_names *sources,
                                const struct nb_look *look,
                                struct nb_text *text, struct nb_error *err)
{
    const bool is_fitted = text_is_fitted(look) && report->point_count == 1;
    const struct text_list *way = &text_lists[is_fitted];
    struct nb_text_grid grid = { 0 }, rest = { 0 };
    bool is_narrow = false;
    enum nb_status status = NB_OK;
    for (; !is_narrow && way < text_lists + TEXT_LISTS; way++) {
        nb_grid_release(&grid);
        grid.column_count = way->has_sources ? 5 : 6;
        rest.column_count = 2;
        for (size_t p = 0; p < report->point_count; p++)
            for (size_t i = 0; i < names->count; i++) {
                const struct nb_quantity *quantity =
                    nb_point_quantity(&report->points[p], names->name[i]);
                if (quantity != NULL)
                    text_list_row(quantity, way, sources, look->numbers, &grid);
                if (quantity != NULL && way->is_bare)
                    text_list_rest(quantity, look->numbers, &rest);
            }
        is_narrow = !is_fitted;
        if (is_fitted)
            NB_TRY(nb_grid_is_narrow(&grid, look, &is_narrow, err));
    }
    NB_TRY(nb_grid_print(&grid, look, text, err));
    if (rest.cell_count > 0)
        nb_text_add(text, "\n", 1);
    NB_TRY(nb_grid_print(&rest, look, text, err));
    if (is_fitted)
        text_sources(sources, way[-1].is_marked, look, text);
done:
    nb_grid_release(&rest);
    nb_grid_release(&grid);
    return status;
}

/* Prints the quantities shown; a pivot begins with the quantity's name. */
static enum nb_status text_quantities(const struct nb_report *report,
                                      const struct nb_names *names,
                                      const struct nb_look *look,
                                      struct nb_text *text,
                                      struct nb_error *err)
{
    struct nb_layout layout;
    enum nb_status status = nb_layout_shown(report, SIZE_MAX, &layout, err);
    if (status != NB_OK || layout.column_count == 0)
        return status;
    if (layout.kind == NB_LAYOUT_PIVOT) {
        nb_ink_add(look, NB_INK_NAME, layout.name, strlen(layout.name), text);
        if (*layout.unit != '\0' && strcmp(layout.unit, "1") != 0) {
            nb_text_print(text, ", ");
            nb_text_add_plain(text, layout.unit);
        }
        nb_text_print(text, "\n");
    }
    status = layout.kind == NB_LAYOUT_LIST
                 ? text_list(report, names, &layout.sources, look, text, err)
                 : text_layout(&layout, look, text, err);
    nb_layout_release(&layout);
    return status;
}

/* Whether two texts of a note are the same; refusals also if only numbers
 * differ, such as those of the failed link. */
static bool text_is_alike(const char *name, const char *a, const char *b)
{
    static const char number[] = "0123456789.";
    const bool is_refusal = strcmp(name, NB_NOTE_REFUSED) == 0;
    while (*a != '\0' && *b != '\0') {
        const size_t skip = is_refusal ? strspn(a, number) : 0;
        const size_t other_skip = is_refusal ? strspn(b, number) : 0;
        if ((skip > 0) != (other_skip > 0) || (skip == 0 && *a != *b))
            return false;
        a += skip > 0 ? skip : 1;
        b += skip > 0 ? other_skip : 1;
    }
    return *a == *b;
}

/* Prints "NAME place: text", with a tab for the colon if there are no
 * columns. */
static void text_note_line(const char *name, const struct nb_text *place,
                           const char *note, const struct nb_look *look,
                           struct nb_text *text)
{
    struct nb_text words = { 0 };
    nb_text_print(&words, "%s%s%s", name,
                  place->bytes != NULL ? place->bytes : "",
                  look->has_columns ? ": " : "\t");
    words.has_failed |= place->has_failed;
    nb_text_add_plain(&words, note);
    text_words(&words, strlen(nb_look_indent(look)), look, NB_INK_DIM, text);
    nb_text_release(&words);
}

/* Notes of one name with the same text. */
struct text_notes {
    const char *text;    /* of the first point with it */
    size_t first, count; /* that point; number of points */
    bool differs;        /* the numbers in them differ */
};

/* " at load 0.1, 0.2 and 3 more points"; nothing if all points have it. If
 * numbers differ, only the first point is named, whose numbers are shown. */
static void text_note_place(const struct nb_report *report, const char *name,
                            const struct text_notes *notes,
                            struct nb_text *text)
{
    enum { VALUES = 4 };
    const struct nb_point *first = &report->points[notes->first];
    const size_t most =
        first->setting_count == 1 && !notes->differs ? VALUES : 1;
    size_t said = 1;
    if (notes->count == report->point_count && !notes->differs)
        return;
    nb_place_print(first, text);
    for (const struct nb_point *point = first + 1;
         said < most && said < notes->count; point++) {
        const char *own = nb_point_find_note(point, name);
        if (own == NULL || !text_is_alike(name, notes->text, own))
            continue;
        nb_text_print(text, ", ");
        nb_text_add_plain(text, point->settings[0].value);
        said++;
    }
    if (said < notes->count)
        nb_text_print(text, " and%s %zu more point%s",
                      notes->differs ? ", with other numbers," : "",
                      notes->count - said, notes->count - said > 1 ? "s" : "");
}

enum { TEXT_NOTES = 4 }; /* texts of a name that are shown */

/* The texts of the notes of a name, up to TEXT_NOTES; others: out, the number
 * of points with other texts. Returns the number of texts. */
static size_t text_find_notes(const struct nb_report *report, const char *name,
                              struct text_notes found[TEXT_NOTES],
                              size_t *others)
{
    size_t count = 0;
    *others = 0;
    for (size_t p = 0; p < report->point_count; p++) {
        const char *own = nb_point_find_note(&report->points[p], name);
        size_t n = 0;
        while (own != NULL && n < count &&
               !text_is_alike(name, found[n].text, own))
            n++;
        if (own == NULL)
            continue;
        if (n == TEXT_NOTES) {
            ++*others;
            continue;
        }
        if (n == count)
            found[count++] = (struct text_notes){ .text = own, .first = p };
        found[n].count++;
        found[n].differs |= strcmp(found[n].text, own) != 0;
    }
    return count;
}

/* Prints each note, each text once with its points; of many texts only the
 * first few. Notes on where the worst is are left out if they differ. */
static enum nb_status text_notes(const struct nb_report *report,
                                 const struct nb_look *look,
                                 struct nb_text *text, struct nb_error *err)
{
    static const char places[] = "max_channel worst_channel accepted_least";
    struct nb_names names;
    const enum nb_status status =
        nb_names_find(report, NB_NAME_NOTE, &names, err);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.name[i];
        struct text_notes found[TEXT_NOTES];
        size_t others;
        size_t count = text_find_notes(report, name, found, &others);
        if (count > 1 && nb_word_is_in(places, ' ', name, strlen(name)))
            continue;
        for (size_t n = 0; n < count + (others > 0); n++) {
            struct nb_text place = { 0 };
            if (n < count)
                text_note_place(report, name, &found[n], &place);
            else
                nb_text_print(&place, " and %zu more", others);
            text_note_line(name, &place,
                           n < count ? found[n].text : "--format xml", look,
                           text);
            nb_text_release(&place);
        }
    }
    nb_names_release(&names);
    return status;
}

/* A table of the point under its name; model: selects the columns. */
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
    const size_t start = text->length;
    nb_ink_add(look, NB_INK_NAME, table->name, strlen(table->name), text);
    nb_place_print(point, text);
    nb_text_print(text, "\n");
    nb_text_fit(text, start, look);
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
    struct nb_names tables = { 0 }, quantities = { 0 };
    enum nb_status status;
    NB_TRY(nb_shown_check(report, err));
    NB_TRY(nb_shown_tables(report, &tables, err));
    NB_TRY(nb_shown_quantities(report, &quantities, err));
    text_head(report, look, text);
    NB_TRY(text_quantities(report, &quantities, look, text, err));
    if (quantities.count > 0)
        NB_TRY(text_notes(report, look, text, err));
    for (size_t i = 0; i < tables.count; i++)
        NB_TRY(text_tables(report, tables.name[i], &report->model, look, text,
                           err));
    if (table != NULL)
        NB_TRY(text_tables(report, table, NULL, look, text, err));
    if (quantities.count == 0) { /* only tables are wanted: they come first */
        nb_text_print(text, "\n");
        NB_TRY(text_notes(report, look, text, err));
    }
done:
    nb_names_release(&quantities);
    nb_names_release(&tables);
    return status;
}
