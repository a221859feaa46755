#include "export/charts/chart_marks.h"

#include "core/locale.h"
#include "core/memory.h"
#include "export/view.h"

#include <math.h>
#include <stdint.h>

/* DENSE is the style sheet's too (chart_marks.xsl). Marks less than NEAR apart
 * would hide each other; RADIUS is that of the circle of several. An arrow
 * covers WIDE on both sides; those of a stack are HIGH apart. */
enum { DENSE = 48, NEAR = 3, RADIUS = 5, WIDE = 10, HIGH = 8 };

struct mark {
    xmlNodePtr node;
    size_t series; /* number of its series in the chart */
    double x, y;
    bool is_arrow, is_done;
};

static double marks_place(xmlNodePtr node, const char *name)
{
    xmlChar *text = xmlGetNoNsProp(node, BAD_CAST name);
    const double place =
        text != NULL ? nb_strtod((const char *)text, NULL) : NAN;
    xmlFree(text);
    return place;
}

static size_t marks_count(xmlNodePtr series)
{
    size_t count = 0;
    for (xmlNodePtr node = series->children; node != NULL; node = node->next)
        count += xmlStrEqual(node->name, BAD_CAST "point") != 0;
    return count;
}

/* Lists the marks of a series; returns how many there are. */
static size_t marks_list(xmlNodePtr series, size_t number, struct mark *out)
{
    size_t count = 0;
    for (xmlNodePtr node = series->children; node != NULL; node = node->next)
        if (xmlStrEqual(node->name, BAD_CAST "point"))
            out[count++] = (struct mark){
                .node = node,
                .series = number,
                .x = marks_place(node, "x"),
                .y = marks_place(node, "y"),
                .is_arrow = xmlHasProp(node, BAD_CAST "edge") != NULL,
            };
    return count;
}

/* Whether a mark is in the way of an arrow at a height. */
static bool marks_block(const struct mark *mark, const struct mark *arrow,
                        double y)
{
    return (!mark->is_arrow || mark < arrow) && mark->series != arrow->series &&
           fabs(mark->x - arrow->x) < WIDE &&
           fabs(mark->y - y) < HIGH - 1; /* rounding */
}

/* Lowers an arrow beneath those of earlier series, and other marks. */
static void marks_stack(struct mark *marks, size_t count, struct mark *arrow)
{
    double y = arrow->y;
    for (size_t i = 0; i < count;) {
        const bool is_blocked = marks_block(&marks[i], arrow, y);
        if (is_blocked)
            y = marks[i].y + HIGH;
        i = is_blocked ? 0 : i + 1;
    }
    if (!(y > arrow->y))
        return;
    arrow->y = y;
    xmlUnsetProp(arrow->node, BAD_CAST "y");
    nb_view_place(arrow->node, "y", y);
}

/* Whether a mark is at the place of another, of an earlier series. */
static bool marks_are_one(const struct mark *one, const struct mark *other)
{
    return !other->is_arrow && !other->is_done &&
           fabs(one->x - other->x) < NEAR && fabs(one->y - other->y) < NEAR;
}

/* The outline of slice i of a circle around 0, 0, clockwise from below, so that
 * the first of two is the left one. */
static void marks_slice(xmlNodePtr node, size_t i, size_t count)
{
    const double pi = acos(-1);
    const double from = pi / 2 + 2 * pi * (double)i / (double)count;
    const double to = from + 2 * pi / (double)count;
    nb_view_print(node, "slice", "M0 0L%.2f %.2fA%d %d 0 0 1 %.2f %.2fz",
                  RADIUS * cos(from), RADIUS * sin(from), RADIUS, RADIUS,
                  RADIUS * cos(to), RADIUS * sin(to));
}

/* Cuts the marks at the place of one, at most one of a series, into slices;
 * returns whether there are several. */
static bool marks_cut(struct mark *marks, size_t count, size_t own)
{
    size_t several = 0, series = SIZE_MAX;
    for (size_t i = own; i < count; i++)
        if (marks[i].series != series &&
            marks_are_one(&marks[own], &marks[i])) {
            series = marks[i].series;
            several++;
        }
    if (several < 2)
        return false;
    const struct mark first = marks[own];
    series = SIZE_MAX;
    for (size_t i = own, slice = 0; i < count; i++)
        if (marks[i].series != series && marks_are_one(&first, &marks[i])) {
            series = marks[i].series;
            marks_slice(marks[i].node, slice++, several);
            marks[i].is_done = true;
        }
    return true;
}

enum nb_status nb_marks_part(xmlNodePtr chart, bool *is_parted,
                             struct nb_error *err)
{
    struct mark *marks = NULL;
    size_t count = 0, most = 0, series = 0;
    *is_parted = false;
    for (xmlNodePtr node = chart->children; node != NULL; node = node->next)
        most += marks_count(node);
    const enum nb_status status =
        nb_new(&marks, most, sizeof *marks, "marks", err);
    for (xmlNodePtr node = chart->children; node != NULL && status == NB_OK;
         node = node->next)
        if (marks_count(node) <= DENSE)
            count += marks_list(node, series++, marks + count);
    for (size_t i = 0; i < count; i++) {
        if (marks[i].is_arrow)
            marks_stack(marks, count, &marks[i]);
        else if (!marks[i].is_done)
            *is_parted |= marks_cut(marks, count, i);
    }
    nb_delete(marks);
    return status;
}
