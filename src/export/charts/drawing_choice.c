/* Which points of the sweeps are drawn (declared in export/charts/drawing.h).
 */
#include "export/charts/drawing.h"

#include "core/memory.h"
#include "export/charts/chart_sweep.h"

#include <math.h>
#include <string.h>

/* A table of the name at a point. */
struct choice_item {
    const struct nb_point *point;
    const struct nb_table *table;
    size_t column; /* of the values; column_count: none */
    double sum;    /* of the values */
    double margin; /* the widest that a simulation leaves open */
    bool is_finite;
    size_t series; /* of a sweep over a number; else each has its own */
    size_t drawn;  /* of the first of those that look alike: which is drawn */
    bool is_first;
};

struct choice {
    size_t count;
    struct choice_item *items;
};

static double choice_value(const struct choice_item *item, size_t row)
{
    return nb_drawing_value(item->table, row, item->column);
}

static void choice_init(struct choice_item *item)
{
    const struct nb_table *table = item->table;
    const size_t width = nb_table_column(table, "half_width");
    const double wide = 2; /* as one of many channels may well leave its own */
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

/* Whether two drawings would be the same but for their scales: the values
 * proportional, as far as simulations tell. */
static bool choice_are_alike(const struct choice_item *one,
                             const struct choice_item *other)
{
    static const char *const places[] = { "channel", "source", "target",
                                          "destination", "bandwidth" };
    const double near = 1e-6; /* of the mean value; none would see more */
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

/* Of those that look alike the last finite one is drawn. Returns how many
 * remain. */
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

/* Whether the item is the one drawn of those like it. */
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
        /* Of many the first, the last, and some between. */
        if (drawn == 1 ||
            number == out->count * (out->different - 1) / (drawn - 1))
            out->points[out->count++] = choice.items[i].point;
        number++;
    }
    nb_delete(choice.items);
    return NB_OK;
}
