#include "export/charts/drawing.h"

#include "core/digest.h"
#include "core/locale.h"
#include "core/memory.h"
#include "export/charts/chart_sweep.h"
#include "export/charts/matrix.h"
#include "export/charts/trunks.h"
#include "report/printed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends a text of any length. */
static void drawing_print(const char *added, struct nb_text *text)
{
    nb_text_add(text, added, strlen(added));
}

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
    /* A value that equals k/8 of the largest, up to rounding, has level k. */
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
    drawing_print(title, &text);
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

static void drawing_add_step(xmlNodePtr scale, int level, const char *label)
{
    xmlNodePtr step = nb_view_add(scale, "step");
    nb_view_print(step, "level", "%d", level);
    nb_view_set(step, "label", label);
}

static xmlNodePtr drawing_start_scale(xmlNodePtr chart, const char *name,
                                      const char *unit)
{
    xmlNodePtr scale = nb_view_add(chart, "scale");
    if (nb_view_has_unit(unit))
        nb_view_print(scale, "label", "%s [%s]", name, unit);
    else
        nb_view_set(scale, "label", name);
    return scale;
}

/* Three digits, or whole if that is more, rounded up: no value shown with a
 * level exceeds its end. */
static void drawing_print_end(double value, char out[NB_NUMBER_TEXT])
{
    if (value > 999 && value < 1e6) {
        nb_snprintf(out, NB_NUMBER_TEXT, "%.0f", ceil(value * (1 - 1e-9)));
        return;
    }
    nb_snprintf(out, NB_NUMBER_TEXT, "%.3g", value);
    if (nb_strtod(out, NULL) >= value * (1 - 1e-9))
        return;
    const double digit = pow(10, floor(log10(value)) - 2);
    nb_snprintf(out, NB_NUMBER_TEXT, "%.3g", nb_strtod(out, NULL) + digit);
}

void nb_drawing_add_scale(xmlNodePtr chart, const char *name, const char *unit,
                          double most)
{
    xmlNodePtr scale = drawing_start_scale(chart, name, unit);
    drawing_add_step(scale, 0, "0");
    for (int level = 1; level <= NB_DRAWING_LEVELS && most > 0; level++) {
        char end[NB_NUMBER_TEXT], text[NB_NUMBER_TEXT + 8];
        drawing_print_end(most * level / NB_DRAWING_LEVELS, end);
        snprintf(text, sizeof text, "\u2264 %s", end);
        drawing_add_step(scale, level, text);
    }
}

void nb_drawing_print_count(size_t count, const char *what,
                            struct nb_text *text)
{
    nb_text_print(text, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

/* Appends "router 3", or its name. */
static void drawing_print_router(const struct nb_topology *topology,
                                 uint32_t router, struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name != NULL)
        drawing_print(name, text);
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

/* The contents of a table about channels. */
struct channel_values {
    const char *name;   /* name of the quantity, "load"; "": only channels */
    const char *column; /* name of the table that they come from; "": as
                         * above */
    const char *unit;
    double *value;    /* [channel_count] NaN: not in the table. Owned. */
    bool *in_circle;  /* [channel_count] member of a credit loop; NULL: not
                       * known. Owned. */
    bool is_complete; /* no value is NaN */
    double most;      /* largest of the finite ones; 0 if there are none */
    double scale;     /* value of the highest level */
};

/* States the largest value and the first channel that has it; the number of
 * such channels only if all values are known. */
static enum nb_status drawing_describe(const struct nb_topology *topology,
                                       const struct channel_values *values,
                                       xmlNodePtr chart, struct nb_error *err)
{
    struct nb_text text = { 0 };
    double largest = -INFINITY;
    size_t count = 0, first = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        if (values->value[c] > largest)
            largest = values->value[c];
    for (size_t c = topology->channel_count; c-- > 0;)
        if (values->value[c] >= largest * (1 - 1e-12)) {
            first = c;
            count++;
        }
    nb_drawing_print_count(topology->router_count, "router", &text);
    nb_text_print(&text, " and ");
    nb_drawing_print_count(topology->channel_count, "channel", &text);
    nb_text_print(&text, ".");
    if (count > 0 && values->name[0] != '\0') {
        nb_text_print(&text, " The largest %s,", values->name);
        nb_drawing_print_value("", largest, values->unit, &text);
        if (!values->is_complete)
            nb_text_print(&text, ", is found on the channel from ");
        else
            nb_text_print(&text,
                          count == 1 ? ", is that of %zu channel, from "
                                     : ", is that of %zu channels, the "
                                       "first of them from ",
                          count);
        drawing_print_router(topology, topology->channels[first].source, &text);
        nb_text_print(&text, " to ");
        drawing_print_router(topology, topology->channels[first].target, &text);
        nb_text_print(&text, ".");
    }
    return nb_drawing_set(chart, "description", &text, err);
}

/* A row's value; the middle of its bracket if it is not known exactly. */
static double drawing_value(const struct nb_table *table, size_t row,
                            size_t column)
{
    const double value = nb_table_number(table, row, column);
    if (!isnan(value))
        return value;
    return nb_table_value(table, row, "lower") / 2 +
           nb_table_value(table, row, "upper") / 2;
}

static bool values_is_even(const struct nb_topology *topology)
{
    for (size_t c = 1; c < topology->channel_count; c++)
        if (nb_ratio_compare(topology->channels[c].bandwidth,
                             topology->channels[0].bandwidth) != 0)
            return false;
    return true;
}

/* The quantity of the values: a load is compared with the bandwidth if
 * bandwidths differ between channels; equal bandwidths are not worth
 * showing. */
static void values_name(const struct nb_topology *topology,
                        const struct nb_table *table, size_t column,
                        struct channel_values *out)
{
    const bool is_even = values_is_even(topology);
    out->name = out->column = table->columns[column].name;
    out->unit = table->columns[column].unit;
    if (is_even && strcmp(out->name, "bandwidth") == 0)
        out->name = out->column = "";
    if (is_even || strcmp(out->name, "load") != 0)
        return;
    out->name = "load/bandwidth";
    out->unit = "";
    for (size_t c = 0; c < topology->channel_count; c++)
        out->value[c] /= nb_ratio_value(topology->channels[c].bandwidth);
}

/*
 * Reads the rows "channel, source, target, ..." of a table; loads are divided
 * by the bandwidths if these differ between channels.
 *
 * column      of the values
 * number      [rows] their channels, NB_NONE: not in the network; NULL: as the
 *             table says
 * is_fitting  out: whether the channels are those of the network; otherwise the
 *             caller only releases value
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status values_read(const struct nb_topology *topology,
                                  const struct nb_table *table, size_t column,
                                  const uint32_t *number, bool *is_fitting,
                                  struct channel_values *out,
                                  struct nb_error *err)
{
    const size_t count = topology->channel_count;
    const size_t channel = nb_table_column(table, "channel");
    const size_t source = nb_table_column(table, "source");
    const size_t target = nb_table_column(table, "target");
    const size_t circle = nb_table_column(table, "credit_loop");
    enum nb_status status =
        nb_new(&out->value, count, sizeof *out->value, "channels", err);
    if (status == NB_OK && circle < table->column_count)
        status = nb_new(&out->in_circle, count, sizeof *out->in_circle,
                        "channels", err);
    *is_fitting = true;
    for (size_t c = 0; c < count && status == NB_OK; c++)
        out->value[c] = NAN;
    for (size_t row = 0;
         row < table->row_count && *is_fitting && status == NB_OK; row++) {
        if (number != NULL && number[row] == NB_NONE)
            continue;
        const int64_t c = number != NULL
                              ? (int64_t)number[row]
                              : nb_drawing_whole(table, row, channel, count);
        *is_fitting =
            number != NULL || (c >= 0 &&
                               nb_drawing_whole(table, row, source, SIZE_MAX) ==
                                   topology->channels[c].source &&
                               nb_drawing_whole(table, row, target, SIZE_MAX) ==
                                   topology->channels[c].target);
        if (*is_fitting)
            out->value[c] = drawing_value(table, row, column);
        if (*is_fitting && out->in_circle != NULL)
            out->in_circle[c] = nb_drawing_whole(table, row, circle, 2) == 1;
    }
    if (status != NB_OK || !*is_fitting)
        return status;
    values_name(topology, table, column, out);
    out->is_complete = true;
    for (size_t c = 0; c < count; c++) {
        if (isfinite(out->value[c]))
            out->most = fmax(out->most, out->value[c]);
        out->is_complete = out->is_complete && !isnan(out->value[c]);
    }
    out->scale = out->most;
    return NB_OK;
}

/* Tables of channels that are drawn, and how. */
static const struct network_look {
    const char *table;
    const char *column; /* NULL: the last one */
    const char *title;
    bool is_complete; /* it has a row for every channel */
} network_looks[] = {
    { "channels", "load", "Load of the channels", true },
    { "channels", "utilisation", "Utilisation of the channels", true },
    { "channels", "bandwidth", "The network", true },
    { "bottleneck", "length", "Channels that limit the throughput", false },
    { "worst_channel", NULL, "The worst channel", false },
};

/* How the table is drawn; NULL: it is not drawn. */
static const struct network_look *network_find(const struct nb_table *table)
{
    for (size_t i = 0; i < sizeof network_looks / sizeof *network_looks; i++) {
        const struct network_look *look = &network_looks[i];
        if (strcmp(look->table, table->name) == 0 &&
            (look->column == NULL ||
             nb_table_column(table, look->column) < table->column_count))
            return look;
    }
    return NULL;
}

size_t nb_drawing_network_column(const struct nb_table *table)
{
    const struct network_look *look = network_find(table);
    if (look == NULL || table->column_count == 0)
        return table->column_count;
    return look->column != NULL ? nb_table_column(table, look->column)
                                : table->column_count - 1;
}

/* A point's table of that name. */
struct choice_item {
    const struct nb_point *point;
    const struct nb_table *table;
    size_t column; /* of the values; column_count: none */
    double sum;    /* of the values */
    double margin; /* the widest interval of a simulation */
    bool is_finite;
    size_t series; /* in a sweep over a number; otherwise each has its own */
    size_t drawn;  /* index of the one to draw; kept in the first of equivalent
                    * ones */
    bool is_first;
};

struct choice {
    size_t count;
    struct choice_item *items;
};

static double choice_value(const struct choice_item *item, size_t row)
{
    return drawing_value(item->table, row, item->column);
}

static void choice_init(struct choice_item *item)
{
    const struct nb_table *table = item->table;
    const size_t width = nb_table_column(table, "half_width");
    const double wide = 2; /* since some of many channels may well lie outside
                            * theirs */
    item->column = nb_drawing_network_column(table);
    if (item->column == table->column_count)
        item->column = nb_table_column(table, "rate");
    item->is_finite = true;
    for (size_t row = 0; row < table->row_count; row++) {
        item->sum += choice_value(item, row);
        item->margin =
            fmax(item->margin, wide * nb_table_number(table, row, width));
        for (size_t c = 0; c < table->column_count; c++)
            item->is_finite =
                item->is_finite && !isinf(nb_table_number(table, row, c));
    }
}

/* Whether a column is in neither table, or the same in both. */
static bool choice_is_same(const struct nb_table *one,
                           const struct nb_table *other, const char *column)
{
    const size_t a = nb_table_column(one, column);
    const size_t b = nb_table_column(other, column);
    if (a == one->column_count || b == other->column_count)
        return a == one->column_count && b == other->column_count;
    for (size_t row = 0; row < one->row_count; row++) {
        const double difference =
            nb_table_number(one, row, a) - nb_table_number(other, row, b);
        if (!(fabs(difference) <= 0))
            return false;
    }
    return true;
}

/* Whether two drawings would be the same except for their scales: the values
 * are proportional, within the precision of simulations. */
static bool choice_are_alike(const struct choice_item *one,
                             const struct choice_item *other)
{
    static const char *const places[] = { "channel", "source", "target",
                                          "destination", "bandwidth" };
    const double near = 1e-6; /* of the mean value; smaller differences are
                               * invisible */
    const size_t count = one->table->row_count;
    if (one->series != other->series || other->table->row_count != count)
        return false;
    const bool has_values = one->column < one->table->column_count;
    if (has_values != (other->column < other->table->column_count))
        return false;
    const double margin = near * one->sum * other->sum / (double)count +
                          one->margin * other->sum + other->margin * one->sum;
    for (size_t row = 0; row < count && has_values; row++) {
        const double difference = choice_value(one, row) * other->sum -
                                  choice_value(other, row) * one->sum;
        if (!(fabs(difference) <= margin))
            return false;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!choice_is_same(one->table, other->table, places[i]))
            return false;
    return true;
}

static void choice_collect(const struct nb_sweep *sweep, const char *table,
                           struct choice *out)
{
    for (size_t p = 0; p < sweep->report->point_count; p++) {
        struct choice_item *item = &out->items[out->count];
        item->point = &sweep->report->points[p];
        item->table = nb_point_table(item->point, table);
        if (item->table == NULL || item->table->row_count == 0)
            continue;
        item->series = sweep->is_number ? sweep->series[p] : p;
        choice_init(item);
        out->count++;
    }
}

/* Of equivalent drawings, the last finite one is drawn. Returns the number of
 * distinct ones. */
static size_t choice_thin(struct choice *choice)
{
    size_t different = 0;
    for (size_t i = 0; i < choice->count; i++) {
        struct choice_item *item = &choice->items[i];
        size_t first = 0;
        while (first < i && !(choice->items[first].is_first &&
                              choice_are_alike(&choice->items[first], item)))
            first++;
        item->is_first = first == i;
        different += item->is_first;
        if (item->is_first || item->is_finite)
            choice->items[first].drawn = i;
    }
    return different;
}

/* Whether the item is the one drawn among its equivalents. */
static bool choice_has(const struct choice *choice, size_t item)
{
    for (size_t first = 0; first <= item; first++)
        if (choice->items[first].is_first && choice->items[first].drawn == item)
            return true;
    return false;
}

enum nb_status nb_drawing_choose(const struct nb_sweep *sweep,
                                 const char *table,
                                 struct nb_drawing_choice *out,
                                 struct nb_error *err)
{
    struct choice choice = { 0 };
    size_t number = 0;
    *out = (struct nb_drawing_choice){ 0 };
    const enum nb_status status =
        nb_new(&choice.items, sweep->report->point_count, sizeof *choice.items,
               "drawings", err);
    if (status != NB_OK)
        return status;
    choice_collect(sweep, table, &choice);
    out->point_count = choice.count;
    out->different = choice_thin(&choice);
    const size_t drawn = out->different < NB_DRAWING_POINTS
                             ? out->different
                             : (size_t)NB_DRAWING_POINTS;
    for (size_t i = 0; i < choice.count && out->count < drawn; i++) {
        if (!choice_has(&choice, i))
            continue;
        /* If many: the first, the last, and some between. */
        if (drawn == 1 ||
            number == out->count * (out->different - 1) / (drawn - 1))
            out->points[out->count++] = choice.items[i].point;
        number++;
    }
    nb_delete(choice.items);
    return NB_OK;
}

/*
 * The parts of a network. For a grid: neighbours, with a cell for each block of
 * them that has the largest value of the channels leaving its routers; all
 * dimensions but the first are combined to one number. For others: groups or
 * routers, with a cell for two ranges that has the largest value of the
 * channels from one to the other.
 */
struct parts {
    const struct nb_topology *topology;
    bool is_grid;
    bool has_groups;
    struct nb_chart_matrix matrix;
    double *most; /* [cell] owned; NAN: no channel */
};

static void parts_init(struct parts *parts, const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    parts->topology = topology;
    parts->is_grid = grid->dimensions > 1;
    parts->has_groups = topology->groups.count > 1;
    for (size_t r = 0; r < topology->router_count && parts->has_groups; r++)
        parts->has_groups = topology->groups.of[r] != NB_NONE;
    uint64_t x =
        parts->has_groups ? topology->groups.count : topology->router_count;
    uint64_t y = x;
    if (parts->is_grid) {
        x = grid->radix[0];
        y = topology->router_count / x;
    }
    parts->matrix = nb_matrix_make(x, y, NB_MATRIX_CELLS);
}

static void parts_find_cell(const struct parts *parts, uint32_t channel,
                            uint64_t *x, uint64_t *y)
{
    const struct nb_topology *topology = parts->topology;
    const struct nb_channel *way = &topology->channels[channel];
    if (parts->is_grid) {
        *x = way->source % topology->grid.radix[0];
        *y = way->source / topology->grid.radix[0];
    } else if (parts->has_groups) {
        *x = topology->groups.of[way->source];
        *y = topology->groups.of[way->target];
    } else {
        *x = way->source;
        *y = way->target;
    }
}

static enum nb_status parts_fill(struct parts *parts, const double *value,
                                 struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &parts->matrix;
    const size_t count = matrix->x.cells * matrix->y.cells;
    const enum nb_status status =
        nb_new(&parts->most, count, sizeof *parts->most, "a drawing", err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        parts->most[i] = NAN;
    for (uint32_t c = 0; c < parts->topology->channel_count; c++) {
        uint64_t x, y;
        parts_find_cell(parts, c, &x, &y);
        double *most = &parts->most[y / matrix->y.range * matrix->x.cells +
                                    x / matrix->x.range];
        *most = fmax(*most, value[c]); /* of a number and NaN: the number */
    }
    return NB_OK;
}

/* "from group 3 to group 5: load at most 1.75 packets/cycle" */
static enum nb_status parts_title(const struct parts *parts, uint64_t x,
                                  uint64_t y, double value,
                                  const struct channel_values *values,
                                  xmlNodePtr cell, struct nb_error *err)
{
    struct nb_text title = { 0 };
    const char *what = parts->has_groups ? "group" : "router";
    nb_text_print(&title, parts->is_grid ? "from %ss at x = " : "from %s ",
                  what);
    nb_matrix_print(&parts->matrix.x, x, &title);
    nb_text_print(&title, parts->is_grid ? ", y = " : " to %s ", what);
    nb_matrix_print(&parts->matrix.y, y, &title);
    nb_text_print(&title, ": at most ");
    nb_drawing_print_value(values->name, value, values->unit, &title);
    return nb_drawing_set(cell, "title", &title, err);
}

static enum nb_status parts_add_cells(const struct parts *parts,
                                      const struct channel_values *values,
                                      xmlNodePtr chart, struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &parts->matrix;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < matrix->x.cells * matrix->y.cells && status == NB_OK;
         i++) {
        const uint64_t x = i % matrix->x.cells * matrix->x.range;
        const uint64_t y = i / matrix->x.cells * matrix->y.range;
        if (isnan(parts->most[i]))
            continue;
        xmlNodePtr cell = nb_matrix_add_cell(
            matrix, x, y, nb_drawing_level(parts->most[i], values->scale),
            chart);
        status = parts_title(parts, x, y, parts->most[i], values, cell, err);
    }
    return status;
}

static void parts_add_axes(const struct parts *parts, xmlNodePtr chart)
{
    const bool is_plane = parts->topology->grid.dimensions == 2;
    if (parts->is_grid)
        nb_matrix_add_axes(&parts->matrix, "coordinate in dimension 0",
                           is_plane ? "coordinate in dimension 1"
                                    : "coordinates in the other dimensions",
                           chart);
    else if (parts->has_groups)
        nb_matrix_add_axes(&parts->matrix, "from group", "to group", chart);
    else
        nb_matrix_add_axes(&parts->matrix, "from router", "to router", chart);
}

static enum nb_status parts_add(const struct nb_drawing *drawing,
                                const char *title,
                                const struct nb_topology *topology,
                                const struct channel_values *values,
                                struct nb_error *err)
{
    struct parts parts = { 0 };
    xmlNodePtr chart;
    enum nb_status status;
    parts_init(&parts, topology);
    NB_TRY(parts_fill(&parts, values->value, err));
    NB_TRY(nb_drawing_start(drawing, "matrix", title, parts.matrix.height,
                            &chart, err));
    nb_view_set(chart, "x", "source");
    nb_view_set(chart, "y", "target");
    nb_view_set(chart, "value", values->column);
    nb_view_print(chart, "note",
                  "%zu channels are too many to be drawn one by one: each cell "
                  "shows the largest of the channels that %s",
                  topology->channel_count,
                  parts.is_grid ? "leave the routers there"
                                : "lead from one to the other");
    NB_TRY(drawing_describe(topology, values, chart, err));
    parts_add_axes(&parts, chart);
    NB_TRY(parts_add_cells(&parts, values, chart, err));
    nb_drawing_add_scale(chart, values->name, values->unit, values->scale);
done:
    nb_delete(parts.most);
    return status;
}

static enum nb_status wires_add_channel(const struct nb_topology *topology,
                                        const struct nb_placing *placing,
                                        const struct channel_values *values,
                                        uint32_t channel, xmlNodePtr chart,
                                        struct nb_error *err)
{
    const struct nb_channel *way = &topology->channels[channel];
    const double value = values->value[channel];
    struct nb_wire wires[NB_PLACING_WIRES];
    const size_t count = nb_placing_wires(topology, placing, channel, wires);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count && status == NB_OK; i++) {
        xmlNodePtr node = nb_view_add(chart, "wire");
        struct nb_text title = { 0 };
        nb_view_place(node, "x1", wires[i].from.x);
        nb_view_place(node, "y1", wires[i].from.y);
        nb_view_place(node, "x2", wires[i].to.x);
        nb_view_place(node, "y2", wires[i].to.y);
        nb_view_print(node, "bend", "%.3f", wires[i].bend);
        nb_view_print(node, "level", "%d",
                      values->name[0] == '\0'
                          ? 0
                          : nb_drawing_level(value, values->scale));
        if (values->in_circle != NULL && values->in_circle[channel])
            nb_view_set(node, "marked", "yes");
        nb_text_print(&title, "channel %u, ", channel);
        drawing_print_router(topology, way->source, &title);
        nb_text_print(&title, " to ");
        drawing_print_router(topology, way->target, &title);
        if (!isnan(value) && values->name[0] != '\0') {
            nb_text_print(&title, ": ");
            nb_drawing_print_value(values->name, value, values->unit, &title);
        }
        status = nb_drawing_set(node, "title", &title, err);
    }
    return status;
}

/* "router 5, group 1, at (1, 2), 4 terminals" */
static void wires_print_router(const struct nb_topology *topology,
                               uint32_t router, struct nb_text *title)
{
    const struct nb_grid *grid =
        topology->grid.dimensions > 0 ? &topology->grid : &topology->hyperx;
    const uint32_t terminals = topology->terminals[router];
    drawing_print_router(topology, router, title);
    if (grid->dimensions > 1)
        for (size_t d = 0; d < grid->dimensions; d++)
            nb_text_print(title, "%s%u%s", d == 0 ? ", at (" : ", ",
                          nb_grid_coordinate(grid, router, d),
                          d + 1 == grid->dimensions ? ")" : "");
    else if (topology->groups.count > 0 &&
             topology->groups.of[router] != NB_NONE)
        nb_text_print(title, ", group %u", topology->groups.of[router]);
    nb_text_print(title, ", %u terminal%s", terminals,
                  terminals == 1 ? "" : "s");
}

/* The router's name or number. number: buffer for it. */
static const char *wires_label(const struct nb_topology *topology,
                               uint32_t router, char number[16])
{
    const char *name = nb_router_name(topology, router);
    snprintf(number, 16, "%u", router);
    return name != NULL ? name : number;
}

/* Whether a router has a label, if there is room: hosts of a fabric, which
 * surround their switches, have none. */
static bool wires_has_label(const struct nb_topology *topology, uint32_t router)
{
    return topology->fabric == NULL || topology->terminals[router] == 0;
}

/* The least distance between two routers with labels; step is that of all. */
static double wires_distance(const struct nb_topology *topology,
                             const struct nb_placing *placing)
{
    double least = INFINITY;
    if (topology->fabric == NULL)
        return placing->step;
    for (uint32_t r = 0; r < topology->router_count; r++)
        for (uint32_t q = 0; q < r; q++)
            if (wires_has_label(topology, r) && wires_has_label(topology, q))
                least = fmin(
                    least, hypot(placing->router[r].x - placing->router[q].x,
                                 placing->router[r].y - placing->router[q].y));
    return least;
}

/* Whether there is room for the labels. Numbers stand in the circles; names may
 * extend beyond. */
static bool wires_has_room(const struct nb_topology *topology,
                           const struct nb_placing *placing)
{
    const double letter = 6.2; /* width */
    const double room = topology->names != NULL
                            ? wires_distance(topology, placing) + 12
                            : 2 * placing->radius;
    size_t longest = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        char number[16];
        const size_t length = strlen(wires_label(topology, r, number));
        if (wires_has_label(topology, r))
            longest = length > longest ? length : longest;
    }
    return letter * (double)longest <= room;
}

static enum nb_status wires_add_routers(const struct nb_topology *topology,
                                        const struct nb_placing *placing,
                                        xmlNodePtr chart, struct nb_error *err)
{
    const bool has_room = wires_has_room(topology, placing);
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < topology->router_count && status == NB_OK; r++) {
        xmlNodePtr node = nb_view_add(chart, "router");
        struct nb_text title = { 0 };
        char number[16];
        nb_view_place(node, "x", placing->router[r].x);
        nb_view_place(node, "y", placing->router[r].y);
        nb_view_place(node, "r", placing->radius);
        if (has_room && wires_has_label(topology, r))
            nb_view_set(node, "label", wires_label(topology, r, number));
        wires_print_router(topology, r, &title);
        status = nb_drawing_set(node, "title", &title, err);
    }
    return status;
}

static void wires_add_scale(const struct nb_drawing *drawing,
                            const struct channel_values *values,
                            xmlNodePtr chart)
{
    if (values->name[0] == '\0')
        return;
    if (drawing->table->row_count > 1) {
        nb_drawing_add_scale(chart, values->name, values->unit, values->scale);
        return;
    }
    xmlNodePtr scale = drawing_start_scale(chart, values->name, values->unit);
    char number[NB_PRINTED];
    nb_print_number(values->most, number);
    drawing_add_step(scale, 0, "other channels");
    drawing_add_step(scale, NB_DRAWING_LEVELS, number);
}

static enum nb_status
wires_add(const struct nb_drawing *drawing, const char *title,
          const struct nb_topology *topology, const struct nb_placing *placing,
          const struct channel_values *values, struct nb_error *err)
{
    xmlNodePtr chart;
    enum nb_status status;
    NB_TRY(nb_drawing_start(drawing, "network", title, placing->height, &chart,
                            err));
    nb_view_set(chart, "x", "source target");
    nb_view_set(chart, "y", values->column);
    nb_view_set(chart, "note",
                topology->grid.wraps && placing->form == NB_PLACED_GRID
                    ? "each channel keeps to the right of its direction; "
                      "those that leave at one edge enter at the opposite "
                      "edge"
                    : "each channel keeps to the right of its direction");
    NB_TRY(drawing_describe(topology, values, chart, err));
    for (uint32_t c = 0;
         values->in_circle != NULL && c < topology->channel_count; c++)
        if (values->in_circle[c]) {
            NB_TRY(nb_drawing_add_note(chart, err, "dashed: the credit loop"));
            break;
        }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        NB_TRY(wires_add_channel(topology, placing, values, c, chart, err));
    NB_TRY(wires_add_routers(topology, placing, chart, err));
    wires_add_scale(drawing, values, chart);
done:
    return status;
}

/* Whether a file still has the contents that the model recorded. */
static bool network_is_same(const struct nb_model *model, const char *path)
{
    char digest[NB_DIGEST_TEXT];
    for (size_t i = 0; i < model->input_count; i++)
        if (strcmp(model->inputs[i].path, path) == 0)
            return model->inputs[i].sha256[0] != '\0' &&
                   nb_digest_file(path, digest, NULL) == NB_OK &&
                   strcmp(digest, model->inputs[i].sha256) == 0;
    return false;
}

/* Whether the specification can be read and its files are unchanged; a pipe
 * must not even be opened. */
static enum nb_status network_check(const struct nb_model *model,
                                    const char *text, bool *is_same,
                                    struct nb_error *err)
{
    struct nb_specification specification = { 0 };
    struct nb_error inner = { 0 };
    size_t index;
    const enum nb_status status = nb_specification_read(
        text, "topology", nb_topology_kind_at, nb_topology_parameters,
        &specification, &index, &inner);
    *is_same = status == NB_OK;
    for (size_t i = 0; i < specification.count && *is_same; i++)
        if (specification.setting[i].parameter->type == NB_PATH)
            *is_same = network_is_same(model, specification.setting[i].value);
    nb_specification_release(&specification);
    return status == NB_NO_MEMORY ? nb_fail_again(err, status, &inner) : NB_OK;
}

/*
 * The network that the model names at the drawing's point, as it was when the
 * question was asked.
 *
 * is_known  out: false if it cannot be built, or files have changed
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status network_build(const struct nb_drawing *drawing,
                                    struct nb_topology *out, bool *is_known,
                                    struct nb_error *err)
{
    const struct nb_point *point = drawing->point;
    struct nb_model here = { 0 }; /* the model at the point */
    struct nb_error inner = { 0 };
    enum nb_status status;
    *is_known = false;
    NB_TRY(nb_point_model(&drawing->report->model, point, &here, err));
    const char *topology = nb_model_get(&here, "topology");
    if (topology == NULL)
        goto done;
    NB_TRY(network_check(&drawing->report->model, topology, is_known, err));
    if (!*is_known)
        goto done;
    status = nb_topology_build(topology, out, &inner);
    *is_known = status == NB_OK;
    status =
        status == NB_NO_MEMORY ? nb_fail_again(err, status, &inner) : NB_OK;
done:
    nb_model_release(&here);
    return status;
}

/* A network to draw. */
struct network {
    const struct nb_drawing *drawing;
    const struct network_look *look; /* NULL: it cannot be drawn */
    struct nb_topology topology;
    struct channel_values values;
};

/* Places the network if it is small enough to be drawn channel by channel.
 * Discards the places if they are too close together: step = 0. */
static enum nb_status network_place(const struct nb_topology *topology,
                                    struct nb_placing *out,
                                    struct nb_error *err)
{
    const double least = 5; /* from router to router */
    if (topology->channel_count > NB_DRAWING_WIRES)
        return NB_OK;
    const enum nb_status status =
        nb_placing_build(topology, NB_DRAWING_WIDTH, out, err);
    if (status == NB_OK && out->step < least)
        nb_placing_release(out);
    return status;
}

/* Reads the network and its values if the table fits it; of an audit whose
 * table has the channels of hosts, too, only the switches. */
static enum nb_status network_open(struct network *network,
                                   struct nb_error *err)
{
    const struct nb_drawing *drawing = network->drawing;
    const struct nb_table *table = drawing->table;
    const struct network_look *look = network_find(table);
    struct nb_topology *topology = &network->topology;
    uint32_t *number = NULL;
    bool is_known = true;
    enum nb_status status = NB_OK;
    if (look == NULL || table->row_count == 0)
        return NB_OK;
    if (look->is_complete)
        NB_TRY(nb_trunks_build(drawing->point, topology, &number, err));
    if (number == NULL)
        NB_TRY(network_build(drawing, topology, &is_known, err));
    if (!is_known || (number == NULL && look->is_complete &&
                      table->row_count != topology->channel_count))
        goto done;
    NB_TRY(values_read(topology, table, nb_drawing_network_column(table),
                       number, &is_known, &network->values, err));
    if (is_known && (look->is_complete || network->values.most > 0))
        network->look = look;
done:
    nb_delete(number);
    return status;
}

static enum nb_status network_add(const struct network *network,
                                  struct nb_error *err)
{
    const struct nb_drawing *drawing = network->drawing;
    const struct nb_topology *topology = &network->topology;
    struct nb_placing placing = { 0 };
    enum nb_status status;
    if (network->look == NULL)
        return NB_OK;
    NB_TRY(network_place(topology, &placing, err));
    if (placing.step > 0)
        NB_TRY(wires_add(drawing, network->look->title, topology, &placing,
                         &network->values, err));
    else if (network->values.name[0] != '\0' && drawing->table->row_count > 1)
        NB_TRY(parts_add(drawing, network->look->title, topology,
                         &network->values, err));
done:
    nb_placing_release(&placing);
    return status;
}

/* Whether the colours of two networks can be compared. */
static bool network_are_alike(const struct network *one,
                              const struct network *other)
{
    return one->look != NULL && other->look != NULL &&
           one->drawing->table->row_count > 1 &&
           other->drawing->table->row_count > 1 &&
           one->values.name[0] != '\0' &&
           strcmp(one->values.name, other->values.name) == 0;
}

/* Gives networks that can be compared the same scale. Returns whether all
 * can. */
static bool network_share_scale(struct network *networks, size_t count)
{
    bool is_one = count > 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const bool is_alike = network_are_alike(&networks[i], &networks[j]);
            is_one = is_one && is_alike;
            if (is_alike)
                networks[i].values.scale =
                    fmax(networks[i].values.scale, networks[j].values.most);
        }
    return is_one;
}

enum nb_status nb_drawing_add_networks(const struct nb_drawing *drawings,
                                       size_t count, struct nb_error *err)
{
    struct network networks[NB_DRAWING_POINTS] = { 0 };
    xmlNodePtr first = NULL;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count; i++) {
        networks[i].drawing = &drawings[i];
        NB_TRY(network_open(&networks[i], err));
    }
    const bool is_one = network_share_scale(networks, count);
    for (size_t i = 0; i < count; i++) {
        NB_TRY(network_add(&networks[i], err));
        if (i == 0)
            first = xmlGetLastChild(drawings[0].parent);
    }
    if (is_one)
        NB_TRY(nb_drawing_add_note(first, err, "all points have one scale"));
done:
    for (size_t i = 0; i < count; i++) {
        nb_delete(networks[i].values.value);
        nb_delete(networks[i].values.in_circle);
        nb_topology_release(&networks[i].topology);
    }
    return status;
}
