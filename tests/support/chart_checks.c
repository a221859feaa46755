#include "chart_checks.h"

#include "export/charts/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

xmlDocPtr nb_chart_document(const struct nb_report *report)
{
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
    int number = 0;
    xmlDocSetRootElement(document, root);
    if (nb_charts_add_lines(report, "r1", &number, root, NULL) == NB_OK)
        return document;
    xmlFreeDoc(document);
    return NULL;
}

xmlNodePtr nb_chart_child(xmlNodePtr node, const char *name, size_t n)
{
    for (xmlNodePtr child = node->children; child != NULL; child = child->next)
        if (strcmp((const char *)child->name, name) == 0 && n-- == 0)
            return child;
    return NULL;
}

size_t nb_chart_count(xmlNodePtr node, const char *name)
{
    size_t count = 0;
    while (nb_chart_child(node, name, count) != NULL)
        count++;
    return count;
}

double nb_chart_number(xmlNodePtr node, const char *name)
{
    xmlChar *text = xmlGetProp(node, BAD_CAST name);
    char *end = NULL;
    double value = NAN;
    if (text != NULL && *text != '\0')
        value = strtod((const char *)text, &end);
    if (end != NULL && *end != '\0')
        value = NAN;
    xmlFree(text);
    return value;
}

bool nb_chart_is(xmlNodePtr node, const char *name, const char *value)
{
    xmlChar *text = xmlGetProp(node, BAD_CAST name);
    const bool is_same = text != NULL && strcmp((const char *)text, value) == 0;
    xmlFree(text);
    return is_same;
}

void nb_chart_kinds(xmlDocPtr document, char *out, size_t size)
{
    xmlNodePtr root = xmlDocGetRootElement(document);
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < nb_chart_count(root, "chart") && used < size; i++) {
        xmlChar *kind =
            xmlGetProp(nb_chart_child(root, "chart", i), BAD_CAST "kind");
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i > 0 ? " " : "", (const char *)kind);
        xmlFree(kind);
    }
}

/* The rectangle between the axes, a rounding error wider. */
struct area {
    double left, right, top, bottom;
};

static bool area_has(const struct area *area, double x, double y)
{
    return x >= area->left && x <= area->right && y >= area->top &&
           y <= area->bottom;
}

static bool area_has_points(const struct area *area, xmlNodePtr node)
{
    xmlChar *text = xmlGetProp(node, BAD_CAST "points");
    const char *at = (const char *)text;
    bool is_within = text != NULL;
    size_t count = 0;
    while (is_within && *at != '\0') {
        char *end;
        const double x = strtod(at, &end);
        is_within = *end == ',';
        if (!is_within)
            break;
        const double y = strtod(end + 1, &end);
        is_within = area_has(area, x, y) && (*end == ' ' || *end == '\0');
        at = *end == ' ' ? end + 1 : end;
        count++;
    }
    xmlFree(text);
    return is_within && count > 1;
}

static bool area_has_point(const struct area *area, xmlNodePtr node)
{
    const double x = nb_chart_number(node, "x"), y = nb_chart_number(node, "y");
    const double low = nb_chart_number(node, "low");
    const double high = nb_chart_number(node, "high");
    return area_has(area, x, y) && !nb_chart_is(node, "title", "") &&
           xmlHasProp(node, BAD_CAST "title") != NULL &&
           isnan(low) == isnan(high) &&
           (isnan(low) || (area_has(area, x, low) && area_has(area, x, high)));
}

static bool area_has_bar(const struct area *area, xmlNodePtr node)
{
    const double x = nb_chart_number(node, "x"), y = nb_chart_number(node, "y");
    const double width = nb_chart_number(node, "width");
    const double height = nb_chart_number(node, "height");
    return width >= 0 && height >= 0 && area_has(area, x, y) &&
           area_has(area, x + width, y + height) &&
           xmlHasProp(node, BAD_CAST "title") != NULL;
}

static bool axis_is_sound(xmlNodePtr axis, double size)
{
    const double from = nb_chart_number(axis, "from");
    const double to = nb_chart_number(axis, "to");
    const double least = fmin(from, to) - 0.01, most = fmax(from, to) + 0.01;
    bool is_sound = least >= 0 && most <= size && from != to &&
                    nb_chart_count(axis, "tick") > 0 &&
                    xmlHasProp(axis, BAD_CAST "label") != NULL;
    for (size_t i = 0; i < nb_chart_count(axis, "tick"); i++) {
        xmlNodePtr tick = nb_chart_child(axis, "tick", i);
        const double at = nb_chart_number(tick, "at");
        is_sound = is_sound && at >= least && at <= most &&
                   xmlHasProp(tick, BAD_CAST "label") != NULL;
    }
    return is_sound;
}

static const char *series_complaint(xmlNodePtr series, const struct area *area)
{
    for (xmlNodePtr node = series->children; node != NULL; node = node->next) {
        const char *name = (const char *)node->name;
        if (strcmp(name, "point") == 0 && !area_has_point(area, node))
            return "a point lies outside or has no title";
        if (strcmp(name, "bar") == 0 && !area_has_bar(area, node))
            return "a bar lies outside or has no title";
        if ((strcmp(name, "line") == 0 || strcmp(name, "band") == 0) &&
            !area_has_points(area, node))
            return "a line lies outside";
    }
    return NULL;
}

static const char *chart_complaint(xmlNodePtr chart)
{
    static const char *const attributes[] = {
        "id", "kind",   "title", "width", "height", "data",       "x",
        "y",  "series", "log-x", "log-y", "note",   "description"
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (xmlHasProp(chart, BAD_CAST attributes[i]) == NULL)
            return attributes[i];
    xmlNodePtr bottom = nb_chart_child(chart, "axis", 0);
    xmlNodePtr left = nb_chart_child(chart, "axis", 1);
    if (bottom == NULL || left == NULL || !nb_chart_is(left, "side", "left") ||
        !nb_chart_is(bottom, "side", "bottom") ||
        !axis_is_sound(bottom, nb_chart_number(chart, "width")) ||
        !axis_is_sound(left, nb_chart_number(chart, "height")))
        return "an axis is not sound";
    const double ends[] = { nb_chart_number(left, "from"),
                            nb_chart_number(left, "to") };
    const struct area area = {
        nb_chart_number(bottom, "from") - 0.03,
        nb_chart_number(bottom, "to") + 0.03,
        fmin(ends[0], ends[1]) - 0.03,
        fmax(ends[0], ends[1]) + 0.03,
    };
    for (size_t i = 0; i < nb_chart_count(chart, "series"); i++) {
        const char *complaint =
            series_complaint(nb_chart_child(chart, "series", i), &area);
        if (complaint != NULL)
            return complaint;
    }
    return NULL;
}

bool nb_charts_are_sound(xmlDocPtr document, char complaint[NB_CHART_COMPLAINT])
{
    xmlNodePtr root = xmlDocGetRootElement(document);
    for (size_t i = 0; i < nb_chart_count(root, "chart"); i++) {
        xmlNodePtr chart = nb_chart_child(root, "chart", i);
        char id[32];
        snprintf(id, sizeof id, "r1-chart-%zu", i + 1);
        const char *found = nb_chart_is(chart, "id", id)
                                ? chart_complaint(chart)
                                : "its id is not its number";
        if (found != NULL) {
            snprintf(complaint, NB_CHART_COMPLAINT, "%s: %s", id, found);
            return false;
        }
    }
    return true;
}
