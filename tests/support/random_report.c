#include "random_report.h"

#include "core/memory.h"
#include "model/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fragments[] = {
    "<",
    ">",
    "&",
    "\"",
    "'",
    ",",
    "\n",
    "\r",
    "\t",
    "]]>",
    "<!-- x ",
    "&#0;",
    "<?x ",
    " ",
    "  ",
    "a",
    "7",
    "file",
    "/",
    "\x7f",
    "é",
    "\u2028",
    "😀",
    "&amp;",
    /* The following are not permitted in XML. */
    "\x01",
    "\x1b[2J",
    "\xff",
    "\xc3",
    "\xef\xbf\xbe",
    "\xed\xa0\x80",
    "\xc0\x80",
    "\xf4\x90\x80\x80",
};
enum { FRAGMENTS = sizeof fragments / sizeof *fragments, PERMITTED = 24 };

static void random_text(struct nb_random *random, enum nb_text_kind kind,
                        struct nb_text *out)
{
    nb_text_release(out);
    nb_text_add(out, "", 0);
    const uint64_t most = nb_random_below(random, 50) == 0 ? 3000 : 8;
    for (uint64_t n = nb_random_below(random, most); n > 0; n--) {
        const char *fragment = fragments[nb_random_below(
            random, kind == NB_TEXT_HOSTILE ? FRAGMENTS : PERMITTED)];
        nb_text_add(out, fragment, strlen(fragment));
    }
}

static const char *random_name(struct nb_random *random, char name[32])
{
    static const char *const stems[] = { "rate", "load-", "A", "mean_delay",
                                         "x9" };
    snprintf(name, 32, "%s%u", stems[nb_random_below(random, 5)],
             (unsigned)nb_random_below(random, 1000));
    return name;
}

static double random_number(struct nb_random *random)
{
    static const double special[] = { 0,        -0.0,   INFINITY, -INFINITY,
                                      NAN,      5e-324, 1e308,    0.1,
                                      -1.0 / 3, 2.5e-7, 1e22,     123456789 };
    if (nb_random_below(random, 2) == 0)
        return special[nb_random_below(random, 12)];
    return ldexp(nb_random_unit(random) - 0.5,
                 (int)nb_random_below(random, 200) - 100);
}

static struct nb_ratio random_ratio(struct nb_random *random)
{
    switch (nb_random_below(random, 5)) {
    case 0:
        return nb_ratio_infinity;
    case 1:
        return (struct nb_ratio){ 0, 0 };
    case 2:
        return nb_ratio_make(-INT64_MAX, INT64_MAX - 1);
    default:
        return nb_ratio_make((nb_int128)nb_random_below(random, 100) - 50,
                             (nb_int128)nb_random_below(random, 9) + 1);
    }
}

void nb_random_model(struct nb_random *random, enum nb_text_kind kind,
                     struct nb_model *out)
{
    struct nb_text text = { 0 };
    char name[32];
    out->command = nb_new_string("worst-case");
    if (nb_random_below(random, 2) == 0) {
        random_text(random, kind, &text);
        out->title = nb_new_string(text.bytes);
    }
    static const char *const own[] = { "topology", "traffic", "routing" };
    for (size_t i = 0; i < 3; i++) {
        random_text(random, kind, &text);
        if (nb_random_below(random, 2) == 0)
            nb_model_set(out, own[i], text.bytes, NULL);
    }
    for (uint64_t n = nb_random_below(random, 4); n > 0; n--) {
        random_text(random, kind, &text);
        nb_model_set(out, random_name(random, name), text.bytes, NULL);
    }
    for (uint64_t n = nb_random_below(random, 3); n > 0; n--) {
        random_text(random, kind, &text);
        snprintf(name, sizeof name, "sweep%u", (unsigned)n);
        nb_model_add_sweep(out, name, text.bytes, NULL);
    }
    for (uint64_t n = nb_random_below(random, 3); n > 0; n--) {
        nb_text_release(&text);
        nb_text_print(&text, "/nowhere/<&%u", (unsigned)n);
        nb_model_add_input(out, text.bytes,
                           n == 1 ? ""
                                  : "0123456789abcdef0123456789abcdef"
                                    "0123456789abcdef0123456789abcdef",
                           NULL);
    }
    nb_text_release(&text);
}

static void random_table(struct nb_random *random, enum nb_text_kind kind,
                         struct nb_point *point)
{
    static const char *const types[] = { "whole", "number", "ratio", "text" };
    struct nb_text columns = { 0 }, text = { 0 };
    char name[32];
    enum nb_cell_type type[5];
    const size_t count = 1 + (size_t)nb_random_below(random, 5);
    const uint64_t type_count = nb_random_below(random, 2) == 0 ? 3 : 4;
    for (size_t i = 0; i < count; i++) {
        type[i] = (enum nb_cell_type)nb_random_below(random, type_count);
        nb_text_print(&columns, "%s%s:%s%s", i > 0 ? "," : "",
                      random_name(random, name), types[type[i]],
                      nb_random_below(random, 2) == 0 ? " [<&, \">]" : "");
    }
    const size_t table =
        nb_point_add_table(point, random_name(random, name),
                           nb_random_below(random, 2) == 0, columns.bytes);
    const uint64_t cells = count * nb_random_below(random, 6);
    for (uint64_t i = 0; i < cells; i++) {
        switch (type[i % count]) {
        case NB_CELL_WHOLE:
            nb_table_add_whole(point, table,
                               nb_random_below(random, 9) == 0
                                   ? INT64_MIN
                                   : (int64_t)nb_random_below(random, 99));
            break;
        case NB_CELL_NUMBER:
            nb_table_add_number(point, table, random_number(random));
            break;
        case NB_CELL_RATIO:
            nb_table_add_ratio(point, table, random_ratio(random));
            break;
        case NB_CELL_TEXT:
            random_text(random, kind, &text);
            nb_table_add_text(point, table, text.bytes);
            break;
        }
    }
    nb_text_release(&columns);
    nb_text_release(&text);
}

static void random_point(struct nb_random *random, enum nb_text_kind kind,
                         struct nb_report *out)
{
    struct nb_point *point = nb_report_add_point(out);
    struct nb_text text = { 0 };
    char name[32];
    for (uint64_t n = nb_random_below(random, 3); n > 0; n--) {
        random_text(random, kind, &text);
        nb_point_add_setting(point, random_name(random, name), text.bytes);
    }
    for (uint64_t n = nb_random_below(random, 4); n > 0; n--) {
        struct nb_ratio exact = random_ratio(random);
        random_text(random, kind, &text);
        if (nb_ratio_is_known(exact))
            nb_point_add_exact(point, random_name(random, name), exact,
                               text.bytes, "closed form", text.bytes);
        else
            nb_point_add_bracket(point, random_name(random, name),
                                 random_number(random), random_number(random),
                                 "cycles", text.bytes, "");
    }
    for (uint64_t n = nb_random_below(random, 3); n > 0; n--) {
        random_text(random, kind, &text);
        nb_point_add_note(point, random_name(random, name), text.bytes);
    }
    for (uint64_t n = nb_random_below(random, 3); n > 0; n--)
        random_table(random, kind, point);
    nb_text_release(&text);
}

/* A quantity, a table or a column of one is shown. */
static void random_show(struct nb_random *random, struct nb_report *report)
{
    struct nb_text name = { 0 };
    const struct nb_point *point = report->points;
    const uint64_t form = nb_random_below(random, 6);
    if (report->point_count == 0)
        return;
    if (form == 0 && point->quantity_count > 0)
        nb_text_print(&name, "%s", point->quantities[0].name);
    else if (form < 3 && point->table_count > 0)
        nb_text_print(&name, "%s%s%s", point->tables[0].name,
                      form == 1 ? "." : "",
                      form == 1 ? point->tables[0].columns[0].name : "");
    if (name.length > 0)
        nb_model_set_show(&report->model, name.bytes, NULL);
    nb_text_release(&name);
}

void nb_random_report(struct nb_random *random, enum nb_text_kind kind,
                      struct nb_report *out)
{
    nb_random_model(random, kind, &out->model);
    out->program = nb_new_string("netbound 0.3.0");
    if (nb_random_below(random, 2) == 0) /* of the digits that are written */
        out->made = (struct nb_made){
            1 + (int)nb_random_below(random, 300),
            (double)nb_random_below(random, 1000) / 1000,
        };
    for (uint64_t n = nb_random_below(random, 4); n > 0; n--)
        random_point(random, kind, out);
    random_show(random, out);
}

/* NULL equals only NULL. */
static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_number(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static bool same_ratio(struct nb_ratio a, struct nb_ratio b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

static bool same_options(const struct nb_model_option *a,
                         const struct nb_model_option *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_text(a[i].name, b[i].name) ||
            !same_text(a[i].value, b[i].value))
            return false;
    return true;
}

bool nb_models_are_equal(const struct nb_model *a, const struct nb_model *b)
{
    bool is_same =
        same_text(a->command, b->command) && same_text(a->title, b->title) &&
        a->show_count == b->show_count && a->option_count == b->option_count &&
        a->sweep_count == b->sweep_count && a->input_count == b->input_count &&
        same_options(a->options, b->options, a->option_count) &&
        same_options(a->sweeps, b->sweeps, a->sweep_count);
    for (size_t i = 0; is_same && i < a->show_count; i++)
        is_same = same_text(a->show[i], b->show[i]);
    for (size_t i = 0; is_same && i < a->input_count; i++)
        is_same = same_text(a->inputs[i].path, b->inputs[i].path) &&
                  same_text(a->inputs[i].sha256, b->inputs[i].sha256);
    return is_same;
}

static bool same_cell(const union nb_cell *a, const union nb_cell *b,
                      enum nb_cell_type type)
{
    return type == NB_CELL_WHOLE    ? a->whole == b->whole
           : type == NB_CELL_NUMBER ? same_number(a->number, b->number)
           : type == NB_CELL_RATIO  ? same_ratio(a->ratio, b->ratio)
                                    : same_text(a->text, b->text);
}

static bool same_table(const struct nb_table *a, const struct nb_table *b)
{
    bool is_same =
        same_text(a->name, b->name) && a->is_certificate == b->is_certificate &&
        a->column_count == b->column_count && a->row_count == b->row_count &&
        a->cell_count == b->cell_count;
    for (size_t i = 0; is_same && i < a->column_count; i++)
        is_same = same_text(a->columns[i].name, b->columns[i].name) &&
                  same_text(a->columns[i].unit, b->columns[i].unit) &&
                  a->columns[i].type == b->columns[i].type;
    for (size_t i = 0; is_same && i < a->cell_count; i++)
        is_same = same_cell(&a->cells[i], &b->cells[i],
                            a->columns[i % a->column_count].type);
    return is_same;
}

static bool same_quantity(const struct nb_quantity *a,
                          const struct nb_quantity *b)
{
    return same_text(a->name, b->name) && same_number(a->value, b->value) &&
           same_number(a->lower, b->lower) && same_number(a->upper, b->upper) &&
           same_text(a->unit, b->unit) && same_ratio(a->exact, b->exact) &&
           same_text(a->method, b->method) && same_text(a->source, b->source);
}

static bool same_point(const struct nb_point *a, const struct nb_point *b)
{
    bool is_same = a->setting_count == b->setting_count &&
                   a->quantity_count == b->quantity_count &&
                   a->note_count == b->note_count &&
                   a->table_count == b->table_count &&
                   same_options(a->settings, b->settings, a->setting_count);
    for (size_t i = 0; is_same && i < a->quantity_count; i++)
        is_same = same_quantity(&a->quantities[i], &b->quantities[i]);
    for (size_t i = 0; is_same && i < a->note_count; i++)
        is_same = same_text(a->notes[i].name, b->notes[i].name) &&
                  same_text(a->notes[i].text, b->notes[i].text);
    for (size_t i = 0; is_same && i < a->table_count; i++)
        is_same = same_table(&a->tables[i], &b->tables[i]);
    return is_same;
}

bool nb_reports_are_equal(const struct nb_report *a, const struct nb_report *b)
{
    bool is_same = nb_models_are_equal(&a->model, &b->model) &&
                   same_text(a->program, b->program) &&
                   a->made.threads == b->made.threads &&
                   a->made.seconds == b->made.seconds &&
                   a->point_count == b->point_count;
    for (size_t i = 0; is_same && i < a->point_count; i++)
        is_same = same_point(&a->points[i], &b->points[i]);
    return is_same;
}
