#include "export/charts/drawing.h"

#include "report/printed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t nb_drawing_whole(const struct nb_table *table, size_t row,
                         size_t column, size_t count)
{
    if (column >= table->column_count ||
        table->columns[column].type != NB_CELL_WHOLE)
        return -1;
    const int64_t value =
        table->cells[row * table->column_count + column].whole;
    return value >= 0 && (uint64_t)value < count ? value : -1;
}

int nb_drawing_level(double value, double most)
{
    if (!(value > 0))
        return 0;
    if (!(value < most))
        return NB_DRAWING_LEVELS;
    /* A value that is k/8 of the largest but for rounding is of level k. */
    const int level = (int)ceil(NB_DRAWING_LEVELS * (value / most) - 1e-9);
    return level > 1 ? level : 1;
}

enum nb_status nb_drawing_set(xmlNodePtr node, const char *name,
                              struct nb_text *text, struct nb_error *err)
{
    const enum nb_status status = nb_text_check(text, err);
    if (status == NB_OK)
        nb_view_set(node, name, text->bytes != NULL ? text->bytes : "");
    nb_text_release(text);
    return status;
}

enum nb_status nb_drawing_start(const struct nb_drawing *drawing,
                                const char *kind, const char *title,
                                double height, xmlNodePtr *out,
                                struct nb_error *err)
{
    xmlNodePtr chart = nb_view_add(drawing->parent, "chart");
    struct nb_text text = { 0 };
    nb_view_print(chart, "id", "%s-chart-%d", drawing->prefix,
                  ++*drawing->number);
    nb_view_set(chart, "kind", kind);
    nb_view_print(chart, "width", "%d", NB_DRAWING_WIDTH);
    nb_view_place(chart, "height", height);
    nb_view_set(chart, "data", drawing->table->name);
    nb_drawing_print(title, &text);
    nb_place_print(drawing->point, &text);
    nb_chart_add_place(drawing->report, drawing->point, chart);
    *out = chart;
    return nb_drawing_set(chart, "title", &text, err);
}

enum nb_status nb_drawing_add_note(xmlNodePtr chart, struct nb_error *err,
                                   const char *format, ...)
{
    struct nb_text text = { 0 };
    xmlChar *note = xmlGetProp(chart, BAD_CAST "note");
    va_list arguments;
    if (note != NULL)
        nb_text_print(&text, "%s; ", (const char *)note);
    va_start(arguments, format);
    nb_text_print_list(&text, format, arguments);
    va_end(arguments);
    xmlFree(note);
    xmlUnsetProp(chart, BAD_CAST "note");
    return nb_drawing_set(chart, "note", &text, err);
}

void nb_drawing_add_step(xmlNodePtr scale, int level, const char *label)
{
    xmlNodePtr step = nb_view_add(scale, "step");
    nb_view_print(step, "level", "%d", level);
    nb_view_set(step, "label", label);
}

xmlNodePtr nb_drawing_start_scale(xmlNodePtr chart, const char *name,
                                  const char *unit)
{
    xmlNodePtr scale = nb_view_add(chart, "scale");
    if (nb_view_has_unit(unit))
        nb_view_print(scale, "label", "%s [%s]", name, unit);
    else
        nb_view_set(scale, "label", name);
    return scale;
}

/* Three digits, rounded up: what is shown as a level is not above its end. */
static void drawing_print_end(double value, char out[NB_NUMBER_TEXT])
{
    snprintf(out, NB_NUMBER_TEXT, "%.3g", value);
    if (strtod(out, NULL) >= value * (1 - 1e-9))
        return;
    const double digit = pow(10, floor(log10(value)) - 2);
    snprintf(out, NB_NUMBER_TEXT, "%.3g", strtod(out, NULL) + digit);
}

void nb_drawing_add_scale(xmlNodePtr chart, const char *name, const char *unit,
                          double most)
{
    xmlNodePtr scale = nb_drawing_start_scale(chart, name, unit);
    nb_drawing_add_step(scale, 0, "0");
    for (int level = 1; level <= NB_DRAWING_LEVELS && most > 0; level++) {
        char end[NB_NUMBER_TEXT], text[NB_NUMBER_TEXT + 8];
        drawing_print_end(most * level / NB_DRAWING_LEVELS, end);
        snprintf(text, sizeof text, "\u2264 %s", end);
        nb_drawing_add_step(scale, level, text);
    }
}

void nb_drawing_print(const char *added, struct nb_text *text)
{
    nb_text_add(text, added, strlen(added));
}

void nb_drawing_print_count(size_t count, const char *what,
                            struct nb_text *text)
{
    nb_text_print(text, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

void nb_drawing_print_router(const struct nb_topology *topology,
                             uint32_t router, struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name != NULL)
        nb_drawing_print(name, text);
    else
        nb_text_print(text, "router %u", router);
}

void nb_drawing_print_value(const char *name, double value, const char *unit,
                            struct nb_text *text)
{
    char number[NB_PRINTED];
    nb_print_number(value, number);
    nb_text_print(text, "%s %s", name, number);
    if (nb_view_has_unit(unit))
        nb_text_print(text, " %s", unit);
}
