#include "report/tree.h"

#include "core/memory.h"
#include "model/search.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void nb_point_release(struct nb_point *point)
{
    for (size_t i = 0; i < point->setting_count; i++) {
        nb_delete(point->settings[i].name);
        nb_delete(point->settings[i].value);
    }
    for (size_t i = 0; i < point->quantity_count; i++) {
        nb_delete(point->quantities[i].name);
        nb_delete(point->quantities[i].unit);
        nb_delete(point->quantities[i].method);
        nb_delete(point->quantities[i].source);
    }
    for (size_t i = 0; i < point->note_count; i++) {
        nb_delete(point->notes[i].name);
        nb_delete(point->notes[i].text);
    }
    for (size_t i = 0; i < point->table_count; i++)
        nb_table_release(&point->tables[i]);
    nb_delete(point->settings);
    nb_delete(point->quantities);
    nb_delete(point->notes);
    nb_delete(point->tables);
    *point = (struct nb_point){ 0 };
}

void nb_report_release(struct nb_report *report)
{
    nb_model_release(&report->model);
    nb_delete(report->title);
    nb_delete(report->program);
    for (size_t i = 0; i < report->point_count; i++)
        nb_point_release(&report->points[i]);
    nb_delete(report->points);
    *report = (struct nb_report){ 0 };
}

struct nb_point *nb_report_add_point(struct nb_report *report)
{
    if (nb_grow_one(&report->points, report->point_count,
                    sizeof *report->points, "a report", NULL) != NB_OK)
        return NULL;
    struct nb_point *point = &report->points[report->point_count++];
    *point = (struct nb_point){ 0 };
    return point;
}

enum nb_status nb_point_check(const struct nb_point *point,
                              struct nb_error *err)
{
    if (point->has_failed)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a report");
    return NB_OK;
}

bool nb_point_has_room(struct nb_point *point, void *array, size_t count,
                       size_t size)
{
    if (!point->has_failed &&
        nb_grow_one(array, count, size, "a report", NULL) != NB_OK)
        point->has_failed = true;
    return !point->has_failed;
}

char *nb_point_copy(struct nb_point *point, const char *text)
{
    char *copy = nb_new_string(text != NULL ? text : "");
    if (copy == NULL)
        point->has_failed = true;
    return copy;
}

void nb_point_add_setting(struct nb_point *point, const char *name,
                          const char *value)
{
    if (!nb_point_has_room(point, &point->settings, point->setting_count,
                           sizeof *point->settings))
        return;
    point->settings[point->setting_count++] = (struct nb_model_option){
        .name = nb_point_copy(point, name),
        .value = nb_point_copy(point, value),
    };
}

void nb_point_add_note(struct nb_point *point, const char *name,
                       const char *text)
{
    if (!nb_point_has_room(point, &point->notes, point->note_count,
                           sizeof *point->notes))
        return;
    point->notes[point->note_count++] = (struct nb_note){
        .name = nb_point_copy(point, name),
        .text = nb_point_copy(point, text),
    };
}

void nb_point_take_note(struct nb_point *point, const char *name,
                        struct nb_text *text)
{
    if (text->has_failed)
        point->has_failed = true;
    else
        nb_point_add_note(point, name, text->bytes);
    nb_text_release(text);
}

void nb_point_note(struct nb_point *point, const char *name, const char *format,
                   ...)
{
    struct nb_text text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    nb_text_print_list(&text, format, arguments);
    va_end(arguments);
    nb_point_take_note(point, name, &text);
}

void nb_point_add_quantity(struct nb_point *point,
                           const struct nb_quantity *numbers, const char *name,
                           const char *unit, const char *method,
                           const char *source)
{
    if (!nb_point_has_room(point, &point->quantities, point->quantity_count,
                           sizeof *point->quantities))
        return;
    struct nb_quantity *added = &point->quantities[point->quantity_count++];
    *added = *numbers;
    added->name = nb_point_copy(point, name);
    added->unit = nb_point_copy(point, unit);
    added->method = nb_point_copy(point, method);
    added->source = nb_point_copy(point, source);
}

void nb_point_add_exact(struct nb_point *point, const char *name,
                        struct nb_ratio exact, const char *unit,
                        const char *method, const char *source)
{
    assert(nb_ratio_is_known(exact));
    struct nb_quantity quantity = {
        .exact = nb_ratio_make(exact.numerator, exact.denominator),
        .value = nb_ratio_value(exact),
    };
    nb_ratio_bracket(exact, &quantity.lower, &quantity.upper);
    nb_point_add_quantity(point, &quantity, name, unit, method, source);
}

/* Whether a quantity of this unit is something that the network carries. */
static bool report_is_carried(const char *unit)
{
    static const char rate[] = "/cycle/terminal";
    const size_t length = strlen(unit), tail = sizeof rate - 1;
    return strcmp(unit, "fraction of capacity") == 0 ||
           (length >= tail && strcmp(unit + length - tail, rate) == 0);
}

void nb_point_add_bracket(struct nb_point *point, const char *name,
                          double lower, double upper, const char *unit,
                          const char *method, const char *source)
{
    const struct nb_quantity quantity = {
        .value = isinf(upper) || report_is_carried(unit) ? lower : upper,
        .lower = lower,
        .upper = upper,
    };
    nb_point_add_quantity(point, &quantity, name, unit, method, source);
}

const struct nb_quantity *nb_point_quantity(const struct nb_point *point,
                                            const char *name)
{
    for (size_t i = 0; i < point->quantity_count && !point->has_failed; i++)
        if (strcmp(point->quantities[i].name, name) == 0)
            return &point->quantities[i];
    return NULL;
}

enum nb_status nb_point_model(const struct nb_model *model,
                              const struct nb_point *point,
                              struct nb_model *out, struct nb_error *err)
{
    const struct nb_quantity *found =
        point->quantity_count > 0 ? &point->quantities[0] : NULL;
    struct nb_error inner = { 0 };
    const enum nb_status status =
        nb_model_at(model, point->settings, point->setting_count, out, err);
    if (status == NB_OK && found != NULL && isfinite(found->value) &&
        nb_find_is_found(model, found->name) &&
        nb_find_put(out, found->value, &inner) == NB_NO_MEMORY) {
        nb_model_release(out);
        return nb_fail_again(err, NB_NO_MEMORY, &inner);
    }
    return status;
}
