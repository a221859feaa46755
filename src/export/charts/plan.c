#include "export/charts/plan.h"

#include "export/charts/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A whole number that is written as a decimal; -1: none, or not below
 * limit. */
static int64_t plan_whole(const struct nb_table *table, size_t row,
                          const char *column, int64_t limit)
{
    const double value =
        nb_table_number(table, row, nb_table_column(table, column));
    return value >= 0 && value < (double)limit ? (int64_t)value : -1;
}

/* Reads the switches. False: they have no levels, or are not sorted. */
static bool plan_read(const struct nb_table *table, struct nb_plan *out)
{
    const size_t name = nb_table_column(table, "name");
    const size_t odd = nb_table_column(table, "odd");
    for (size_t i = 0; i < out->count; i++) {
        struct nb_plan_switch *at = &out->switches[i];
        const int64_t level = plan_whole(table, i, "level", NB_PLAN_LEVELS);
        const int64_t hosts = plan_whole(table, i, "hosts", INT32_MAX);
        at->router = plan_whole(table, i, "router", INT32_MAX);
        if (level < 0 || hosts < 0 ||
            at->router <= (i > 0 ? out->switches[i - 1].router : -1))
            return false;
        at->name = nb_table_text(table, i, name);
        at->odd = nb_table_text(table, i, odd);
        at->level = (uint32_t)level;
        at->hosts = (uint64_t)hosts;
        if (at->level >= out->levels)
            out->levels = at->level + 1;
        out->order[i] = at;
    }
    return out->levels > 1;
}

/* Whether a level has too many switches to draw each, and there are several
 * pods. */
static bool plan_wants_pods(const struct nb_table *table,
                            const struct nb_plan *plan)
{
    size_t switches[NB_PLAN_LEVELS] = { 0 };
    bool is_large = false, has_several = false;
    for (size_t i = 0; i < plan->count; i++) {
        const struct nb_plan_switch *at = &plan->switches[i];
        const bool is_top = at->level + 1 == plan->levels;
        const int64_t part =
            plan_whole(table, i, is_top ? "plane" : "pod", INT32_MAX);
        if (part < 0)
            return false;
        has_several |= !is_top && part > 0;
        is_large |= ++switches[at->level] > NB_PLAN_SINGLE;
    }
    return is_large && has_several;
}

/* Sets rows, and the parts that determine the order within rows. */
static void plan_set_rows(const struct nb_table *table, struct nb_plan *plan)
{
    plan->has_pods = plan_wants_pods(table, plan);
    plan->rows = plan->has_pods ? 2 : plan->levels;
    for (size_t i = 0; i < plan->count; i++) {
        struct nb_plan_switch *at = &plan->switches[i];
        const bool is_top = at->level + 1 == plan->levels;
        at->part = plan_whole(table, i, is_top ? "plane" : "pod", INT32_MAX);
        at->row = plan->has_pods ? is_top : at->level;
    }
}

/* From left to right: by part, then by level in a pod, then by name, in which
 * numbers count as such. */
static int plan_compare(const void *left, const void *right)
{
    const struct nb_plan_switch *a = *(struct nb_plan_switch *const *)left;
    const struct nb_plan_switch *b = *(struct nb_plan_switch *const *)right;
    if (a->row != b->row)
        return a->row > b->row ? 1 : -1;
    if (a->part != b->part)
        return a->part > b->part ? 1 : -1;
    if (a->level != b->level)
        return a->level > b->level ? 1 : -1;
    const int order = strverscmp(a->name, b->name);
    return order != 0 ? order
                      : (a->router > b->router) - (a->router < b->router);
}

/* Whether the switch at this place begins a new group: a pod or plane, or
 * itself. */
static bool plan_begins(const struct nb_plan *plan, size_t i)
{
    return i == 0 || !plan->has_pods ||
           plan->order[i]->row != plan->order[i - 1]->row ||
           plan->order[i]->part != plan->order[i - 1]->part;
}

/* Gives each switch its box; if a row has too many groups, boxes hold
 * several. */
static void plan_fill_boxes(struct nb_plan *plan)
{
    size_t groups[NB_PLAN_LEVELS] = { 0 }, group = 0;
    for (size_t i = 0; i < plan->count; i++)
        groups[plan->order[i]->row] += plan_begins(plan, i);
    for (size_t i = 0; i < plan->count; i++) {
        struct nb_plan_switch *at = plan->order[i];
        const size_t per = (groups[at->row] - 1) / NB_PLAN_BOXES + 1;
        const bool is_first = i == 0 || at->row != plan->order[i - 1]->row;
        const bool begins = plan_begins(plan, i);
        group = is_first ? 0 : group + begins;
        if (begins && group % per == 0)
            plan->boxes[plan->box_count++] =
                (struct nb_plan_box){ .row = at->row, .first = i };
        struct nb_plan_box *box = &plan->boxes[plan->box_count - 1];
        at->box = plan->box_count - 1;
        box->count++;
        box->hosts += at->hosts;
        box->odd += at->odd[0] != '\0';
    }
}

static int plan_compare_router(const void *key, const void *element)
{
    const int64_t router = *(const int64_t *)key;
    const struct nb_plan_switch *at = element;
    return (router > at->router) - (router < at->router);
}

static const struct nb_plan_switch *plan_find(const struct nb_plan *plan,
                                              int64_t router)
{
    return bsearch(&router, plan->switches, plan->count, sizeof *plan->switches,
                   plan_compare_router);
}

/* A channel between switches. */
struct plan_channel {
    size_t row;
    size_t from, to; /* boxes */
    double value;
    bool is_in_loop;
};

/* Reads the channels between switches; loads are divided by the bandwidths if
 * these differ. Returns their number. */
static size_t plan_read_channels(const struct nb_table *table,
                                 struct nb_plan *plan, struct plan_channel *out)
{
    const size_t source = nb_table_column(table, "source");
    const size_t target = nb_table_column(table, "target");
    const size_t load = nb_table_column(table, "load");
    const size_t speed = nb_table_column(table, "bandwidth");
    const size_t circle = nb_table_column(table, "credit_loop");
    bool is_even = true;
    size_t count = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        const struct nb_plan_switch *from =
            plan_find(plan, nb_drawing_whole(table, row, source, INT32_MAX));
        const struct nb_plan_switch *to =
            plan_find(plan, nb_drawing_whole(table, row, target, INT32_MAX));
        if (from == NULL || to == NULL)
            continue;
        out[count++] = (struct plan_channel){
            row, from->box, to->box, nb_table_number(table, row, load),
            nb_drawing_whole(table, row, circle, 2) == 1
        };
        is_even &= !(fabs(nb_table_number(table, row, speed) -
                          nb_table_number(table, out[0].row, speed)) > 0);
    }
    for (size_t i = 0; i < count && !is_even; i++)
        out[i].value /= nb_table_number(table, out[i].row, speed);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(out[i].value))
            out[i].value = 0;
    plan->value = is_even ? "load" : "load/bandwidth";
    plan->unit =
        load < table->column_count && is_even ? table->columns[load].unit : "";
    return count;
}

/* By their two boxes, then by the table's order. */
static int plan_compare_channels(const void *left, const void *right)
{
    const struct plan_channel *a = left, *b = right;
    const size_t low_a = a->from < a->to ? a->from : a->to;
    const size_t low_b = b->from < b->to ? b->from : b->to;
    const size_t high_a = a->from + a->to - low_a;
    const size_t high_b = b->from + b->to - low_b;
    if (low_a != low_b)
        return low_a > low_b ? 1 : -1;
    if (high_a != high_b)
        return high_a > high_b ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Combines sorted channels to links. */
static void plan_join(const struct plan_channel *channels, size_t count,
                      struct nb_plan *plan)
{
    const double least = plan->most * (1 - 1e-12);
    plan->fullest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct plan_channel *at = &channels[i];
        const size_t from = at->from < at->to ? at->from : at->to;
        const size_t to = at->from + at->to - from;
        const bool is_back = at->from != from;
        struct nb_plan_link *link =
            plan->link_count > 0 ? &plan->links[plan->link_count - 1] : NULL;
        if (link == NULL || link->from != from || link->to != to) {
            link = &plan->links[plan->link_count++];
            *link = (struct nb_plan_link){ .from = from, .to = to };
            if (from == to)
                plan->boxes[from].inside = plan->link_count;
        }
        link->cables[is_back]++;
        link->has_loop[is_back] |= at->is_in_loop;
        link->most = fmax(link->most, at->value);
        plan->loop += at->is_in_loop;
        if (plan->most > 0 && at->value >= least) {
            plan->equal++;
            if (at->row < plan->fullest) {
                plan->fullest = at->row;
                plan->fullest_link = plan->link_count - 1;
            }
        }
    }
}

static enum nb_status plan_add_links(const struct nb_table *table,
                                     struct nb_plan *plan, struct nb_error *err)
{
    struct plan_channel *channels =
        nb_pool_array(&plan->pool, table->row_count, sizeof *channels);
    plan->links =
        nb_pool_array(&plan->pool, table->row_count, sizeof *plan->links);
    const enum nb_status status = nb_pool_check(&plan->pool, "a drawing", err);
    if (status != NB_OK)
        return status;
    const size_t count = plan_read_channels(table, plan, channels);
    for (size_t i = 0; i < count; i++)
        plan->most = fmax(plan->most, channels[i].value);
    qsort(channels, count, sizeof *channels, plan_compare_channels);
    plan_join(channels, count, plan);
    for (size_t i = 0; i < plan->link_count; i++) {
        const struct nb_plan_link *link = &plan->links[i];
        /* Within a box, both directions of a cable run the same way. */
        plan->cables += link->from == link->to ? link->cables[0] / 2
                        : link->cables[0] > link->cables[1] ? link->cables[0]
                                                            : link->cables[1];
    }
    return NB_OK;
}

enum nb_status nb_plan_build(const struct nb_point *point, struct nb_plan *out,
                             struct nb_error *err)
{
    const struct nb_table *switches = nb_point_table(point, "switches");
    const struct nb_table *channels = nb_point_table(point, "channels");
    enum nb_status status = NB_OK;
    *out = (struct nb_plan){ 0 };
    if (switches == NULL || channels == NULL || switches->row_count == 0)
        return NB_OK;
    out->count = switches->row_count;
    out->switches =
        nb_pool_array(&out->pool, out->count, sizeof *out->switches);
    out->order = nb_pool_array(&out->pool, out->count, sizeof *out->order);
    out->boxes = nb_pool_array(&out->pool, out->count, sizeof *out->boxes);
    NB_TRY(nb_pool_check(&out->pool, "a drawing", err));
    if (!plan_read(switches, out))
        goto done;
    plan_set_rows(switches, out);
    qsort(out->order, out->count, sizeof(struct nb_plan_switch *),
          plan_compare);
    plan_fill_boxes(out);
    NB_TRY(plan_add_links(channels, out, err));
done:
    return status;
}

void nb_plan_release(struct nb_plan *plan)
{
    nb_pool_release(&plan->pool);
    *plan = (struct nb_plan){ 0 };
}
