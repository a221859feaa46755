/* Options with units (declared in question.h). */
#include "ask/question.h"

#include "core/grammar.h"
#include "core/memory.h"
#include "report/tree.h"
#include "topology/topology.h"
#include "core/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shared by all conversions. */
struct units {
    const struct nb_form *form;
    struct nb_model *model;
    const struct nb_parameter *clock_row; /* NULL: the question has no clock */
    struct nb_ratio clock;                /* [ns]; unknown: none, or swept */
    bool uses_clock;
    bool is_in_network; /* the value converted is a parameter of a network */
    const struct nb_parameter *parts; /* of a specification with these rows */
};

static const char units_clock[] = "1"; /* ns, by default */

/* If other numbers of a network are in cycles, the default clock would mix them
 * with values that have units. */
static bool units_lack_clock(const struct units *units)
{
    return units->is_in_network && units->clock_row != NULL &&
           nb_model_get(units->model, units->clock_row->name) == NULL;
}

/* Converts a value of the row to a plain number and checks it. Words that the
 * row accepts ("auto") stay. */
static enum nb_status units_convert(struct units *units,
                                    const struct nb_parameter *row,
                                    const char *given, struct nb_text *out,
                                    struct nb_error *err)
{
    struct nb_error inner = { 0 };
    const bool has_unit = nb_unit_is_written(given);
    const bool is_part = units->is_in_network || units->parts != NULL;
    const char *dashes = is_part ? "" : "--";
    nb_text_release(out);
    if (has_unit) {
        struct nb_ratio value;
        char number[NB_RATIO_TEXT];
        bool uses_clock = false;
        if (nb_unit_read(given, row->unit, units->clock, &value, &uses_clock,
                         &inner) != NB_OK)
            return nb_fail(err, NB_USAGE, "%s%s %s", dashes, row->name,
                           inner.message);
        if (uses_clock && units_lack_clock(units))
            return nb_fail(err, NB_USAGE,
                           "%s=%.60s is not permitted without --clock "
                           "(permitted: packets per cycle, or also a clock "
                           "such as --clock 1GHz)",
                           row->name, given);
        units->uses_clock |= uses_clock;
        nb_unit_print_number(value, number);
        nb_text_print(out, "%s", number);
    } else {
        nb_text_print(out, "%s", given);
    }
    enum nb_status status = nb_text_check(out, err);
    if (status == NB_OK && nb_parameter_check(row, out->bytes, &inner) != NB_OK)
        status = has_unit
                     ? nb_fail(err, NB_USAGE, "%s%s; given: \"%.60s\"", dashes,
                               inner.message, given)
                     : nb_fail(err, NB_USAGE, "%s%s", dashes, inner.message);
    return status;
}

/* The row of that name if it has a unit; NULL: none. */
static const struct nb_parameter *
units_find_row(const struct nb_parameter *row, const char *name, size_t length)
{
    for (; row != NULL && row->name != NULL; row++)
        if (row->unit != NULL && nb_word_is_in(row->name, ' ', name, length))
            return row;
    return NULL;
}

/* The same among the parameters of the specification; of a network, among those
 * of all kinds. */
static const struct nb_parameter *
units_find_parameter(const struct units *units, const char *name, size_t length)
{
    const struct nb_parameter *row = units_find_row(
        units->is_in_network ? nb_topology_parameters : units->parts, name,
        length);
    const struct nb_kind *kind;
    for (size_t i = 0; row == NULL && units->is_in_network &&
                       (kind = nb_topology_kind_at(i)) != NULL;
         i++)
        row = units_find_row(kind->parameters, name, length);
    return row;
}

/* Converts the numbers of a value, joined by +. */
static enum nb_status units_convert_numbers(struct units *units,
                                            const struct nb_parameter *row,
                                            const char *given, size_t length,
                                            struct nb_text *out,
                                            struct nb_error *err)
{
    struct nb_text part = { 0 }, number = { 0 };
    enum nb_status status = NB_OK;
    for (size_t at = 0, end; at <= length; at = end + 1) {
        for (end = at; end < length && given[end] != '+';)
            end++;
        nb_text_release(&part);
        nb_text_add(&part, given + at, end - at);
        NB_TRY(nb_text_check(&part, err));
        if (nb_unit_is_written(part.bytes))
            NB_TRY(units_convert(units, row, part.bytes, &number, err));
        nb_text_print(out, "%s%s", at > 0 ? "+" : "",
                      nb_unit_is_written(part.bytes) ? number.bytes
                                                     : part.bytes);
    }
done:
    nb_text_release(&part);
    nb_text_release(&number);
    return status;
}

/* Converts values with units in specifications, or in a sweep's list of
 * them. */
static enum nb_status units_convert_list(struct units *units, char **list,
                                         struct nb_error *err)
{
    struct nb_slice rest = nb_slice_of(*list);
    struct nb_text all = { 0 };
    struct nb_part part;
    enum nb_status status = NB_OK;
    while (nb_part_next(&rest, &part)) {
        const size_t kind = nb_specification_kind(part.key).length;
        const struct nb_slice name =
            kind < part.key.length ? nb_slice_after(part.key, kind) : part.key;
        const struct nb_parameter *row =
            units_find_parameter(units, name.at, name.length);
        nb_text_add(&all, part.all.at,
                    (size_t)((row != NULL ? part.value.at
                                          : part.all.at + part.all.length) -
                             part.all.at));
        if (row != NULL)
            NB_TRY(units_convert_numbers(units, row, part.value.at,
                                         part.value.length, &all, err));
        nb_text_add(&all, ",", rest.at != NULL);
    }
    NB_TRY(nb_text_check(&all, err));
    nb_delete(*list);
    *list = all.bytes; /* its memory is that of a string */
    all = (struct nb_text){ 0 };
done:
    nb_text_release(&all);
    return status;
}

static enum nb_status units_convert_option(struct units *units,
                                           const struct nb_parameter *row,
                                           struct nb_error *err)
{
    struct nb_model *model = units->model;
    const char *given = nb_model_get(model, row->name);
    struct nb_text value = { 0 };
    enum nb_status status = NB_OK;
    if (given == NULL)
        return NB_OK;
    NB_TRY(units_convert(units, row, given, &value, err));
    NB_TRY(nb_model_set(model, row->name, value.bytes, err));
done:
    nb_text_release(&value);
    return status;
}

/* Converts the items of a list, or of A:B:STEP; plain items are checked with
 * the sweep. */
static enum nb_status units_convert_sweep(struct units *units,
                                          const struct nb_parameter *row,
                                          struct nb_model_option *sweep,
                                          struct nb_error *err)
{
    struct nb_text all = { 0 }, item = { 0 }, value = { 0 };
    bool is_any = false;
    enum nb_status status = NB_OK;
    /* Equal steps of frequency are not equal steps of time. */
    if (row->unit == nb_unit_clock && strchr(sweep->value, ':') != NULL &&
        strstr(sweep->value, "Hz") != NULL)
        return nb_fail_about(
            err, NB_USAGE, sweep->name,
            "--sweep %s=%.60s is not a range of times (permitted: "
            "a range of %s, or a list of frequencies)",
            sweep->name, sweep->value, row->unit);
    for (const char *part = sweep->value; part != NULL;) {
        const size_t length = strcspn(part, ":,");
        nb_text_release(&item);
        nb_text_add(&item, part, length);
        NB_TRY(nb_text_check(&item, err));
        if (nb_unit_is_written(item.bytes)) {
            NB_TRY(units_convert(units, row, item.bytes, &value, err));
            nb_text_print(&all, "%s", value.bytes);
            is_any = true;
        } else {
            nb_text_print(&all, "%s", item.bytes);
        }
        nb_text_add(&all, part + length, part[length] != '\0');
        part = part[length] != '\0' ? part + length + 1 : NULL;
    }
    NB_TRY(nb_text_check(&all, err));
    if (strchr(sweep->value, ':') != NULL && strchr(all.bytes, '/') != NULL)
        NB_TRY(
            nb_fail_about(err, NB_USAGE, sweep->name,
                          "--sweep %s=%.60s is %.60s in %s (permitted: a range "
                          "of decimals there, or a list)",
                          sweep->name, sweep->value, all.bytes, row->unit));
    if (is_any) {
        nb_delete(sweep->value);
        sweep->value = all.bytes; /* its memory is that of a string */
        all = (struct nb_text){ 0 };
    }
done:
    nb_text_release(&all);
    nb_text_release(&item);
    nb_text_release(&value);
    return status;
}

/* Converts the specifications of an option in the model and in its sweeps, and
 * sweeps of their parameters. */
static enum nb_status units_convert_specifications(struct units *units,
                                                   const char *option,
                                                   struct nb_error *err)
{
    struct nb_model *model = units->model;
    const size_t length = strlen(option);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < model->option_count; i++)
        if (strcmp(model->options[i].name, option) == 0)
            NB_TRY(units_convert_list(units, &model->options[i].value, err));
    for (size_t i = 0; i < model->sweep_count; i++) {
        struct nb_model_option *sweep = &model->sweeps[i];
        const char *part = sweep->name + length + 1;
        if (strncmp(sweep->name, option, length) != 0)
            continue;
        const struct nb_parameter *row =
            sweep->name[length] == '.'
                ? units_find_parameter(units, part, strlen(part))
                : NULL;
        if (sweep->name[length] == '\0')
            NB_TRY(units_convert_list(units, &sweep->value, err));
        else if (row != NULL)
            NB_TRY(units_convert_sweep(units, row, sweep, err));
    }
done:
    return status;
}

/* The clock is converted first; the others may need it. */
static enum nb_status units_find_clock(struct units *units,
                                       struct nb_error *err)
{
    const struct nb_model *model = units->model;
    for (const struct nb_parameter *row = units->form->options;
         row != NULL && row->name != NULL; row++)
        if (row->unit == nb_unit_clock)
            units->clock_row = row;
    if (units->clock_row == NULL ||
        nb_model_sweeps(model, units->clock_row->name))
        return NB_OK;
    enum nb_status status =
        nb_fail_in(units_convert_option(units, units->clock_row, err), err,
                   units->clock_row->name);
    if (status != NB_OK)
        return status;
    const char *clock = nb_model_get(model, units->clock_row->name);
    return nb_ratio_read(clock != NULL ? clock : units_clock, &units->clock,
                         err);
}

enum nb_status nb_model_convert(const struct nb_form *form,
                                struct nb_model *model, struct nb_error *err)
{
    struct units units = { .form = form, .model = model };
    enum nb_status status = NB_OK;
    NB_TRY(units_find_clock(&units, err));
    for (const struct nb_parameter *row = form->options;
         row != NULL && row->name != NULL; row++) {
        units.parts = row->parts;
        if (row->parts != NULL)
            NB_TRY(
                nb_fail_in(units_convert_specifications(&units, row->name, err),
                           err, row->name));
        if (row->unit == NULL)
            continue;
        if (row != units.clock_row)
            NB_TRY(nb_fail_in(units_convert_option(&units, row, err), err,
                              row->name));
        for (size_t i = 0; i < model->sweep_count; i++)
            if (strcmp(model->sweeps[i].name, row->name) == 0)
                NB_TRY(nb_fail_in(
                    units_convert_sweep(&units, row, &model->sweeps[i], err),
                    err, row->name));
    }
    units.is_in_network = true;
    NB_TRY(nb_fail_in(units_convert_specifications(&units, "topology", err),
                      err, "topology"));
    if (units.uses_clock && nb_model_get(model, units.clock_row->name) == NULL)
        NB_TRY(nb_model_set(model, units.clock_row->name, units_clock, err));
done:
    return status;
}

/* a b, rounded towards end unless it is exact. */
static double units_product(double a, double b, double end)
{
    const double product = a * b;
    return isinf(product) || fma(a, b, -product) == 0 ? product
                                                      : nextafter(product, end);
}

/* Adds NAME_ns for a quantity in cycles. */
static void units_add_time(struct nb_point *point, size_t place,
                           struct nb_ratio cycle)
{
    const struct nb_quantity *cycles = &point->quantities[place];
    struct nb_quantity times = *cycles;
    double lower, upper;
    char name[80];
    snprintf(name, sizeof name, "%.70s_ns", cycles->name);
    nb_ratio_bracket(cycle, &lower, &upper);
    times.value = cycles->value * nb_ratio_value(cycle);
    times.lower = units_product(cycles->lower, lower, -INFINITY);
    times.upper = units_product(cycles->upper, upper, INFINITY);
    if (nb_ratio_is_known(cycles->exact))
        times.exact = nb_ratio_multiply(cycles->exact, cycle);
    if (nb_ratio_is_known(times.exact))
        times.value = nb_ratio_value(times.exact);
    nb_point_add_quantity(point, &times, name, "ns", times.method,
                          times.source);
}

void nb_point_add_times(struct nb_point *point, const struct nb_model *model)
{
    const char *clock = nb_model_get(model, "clock");
    const size_t count = point->quantity_count;
    struct nb_ratio cycle;
    if (clock == NULL || nb_ratio_read(clock, &cycle, NULL) != NB_OK)
        return;
    for (size_t q = 0; q < count && !point->has_failed; q++)
        if (strcmp(point->quantities[q].unit, "cycles") == 0)
            units_add_time(point, q, cycle);
    nb_point_note(point, "clock", "a cycle is %.40s ns", clock);
}
