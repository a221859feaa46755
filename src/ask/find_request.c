/* Reads and checks the request of a search. */
#include "ask/find_parts.h"

#include "core/locale.h"
#include "core/suggest.h"
#include "core/memory.h"
#include "explain/formula.h"
#include "ask/registry.h"
#include "core/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Default width of the final bracket, relative to the value. */
#define FIND_WITHIN           1e-4
#define FIND_WITHIN_SIMULATED 1e-2

enum {
    FIND_KEYS = 63,     /* values tried above the least: parameters */
    FIND_WHOLES = 65535 /* and options */
};

bool nb_find_has_quantity(const struct nb_form *form, const char *name,
                          size_t length, struct nb_suggestion *near)
{
    const struct nb_stretch wanted = { name, length };
    const char *at = nb_formula_text();
    struct nb_formula row;
    while (nb_formula_next(&at, &row)) {
        if (!nb_formula_is_of(&row, form->name))
            continue;
        if (nb_stretch_fits(row.name, wanted))
            return true;
        nb_suggest(near, row.name.at, row.name.length);
    }
    return false;
}

static bool find_is_number(const struct nb_parameter *row)
{
    return row->type == NB_WHOLE || row->type == NB_NUMBER ||
           row->type == NB_REAL || row->type == NB_RADICES;
}

/* Adds a permitted name, if its row is a number; sets found if it is the one
 * asked for. */
static void find_meet(const struct nb_parameter *row, const char *option,
                      const char *name, const struct nb_parameter **found,
                      struct nb_text *list)
{
    char full[2 * NB_FIND_WORD];
    snprintf(full, sizeof full, "%s%s%s", option, *option != '\0' ? "." : "",
             row->name);
    if (*found == NULL && strcmp(full, name) == 0)
        *found = row;
    if (find_is_number(row))
        nb_text_print(list, "%s%s", list->length > 0 ? ", " : "", full);
}

/* The row of an option, or of a part of one such as fit.radix; NULL: none. */
static const struct nb_parameter *
find_own(const struct nb_form *form, const char *name, struct nb_text *list)
{
    const struct nb_parameter *found = NULL;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        find_meet(row, "", name, &found, list);
        for (const struct nb_parameter *part = row->parts;
             part != NULL && part->name != NULL; part++)
            find_meet(part, row->name, name, &found, list);
    }
    return found;
}

/* The row of a parameter, such as topology.h, of a kind that the model names;
 * NULL: none. */
static const struct nb_parameter *find_parameter(const struct nb_model *model,
                                                 const char *name,
                                                 struct nb_text *list)
{
    const struct nb_parameter *found = NULL;
    for (const struct nb_registry *registry = nb_registries;
         registry->option != NULL; registry++) {
        const char *value = nb_model_get(model, registry->option);
        size_t index;
        const struct nb_kind *kind =
            value != NULL ? nb_kind_find(registry->kinds, value,
                                         strcspn(value, ":"), &index)
                          : NULL;
        const struct nb_parameter *row =
            kind != NULL ? nb_kind_next(registry, kind, NULL) : NULL;
        for (; row != NULL && row->name != NULL;
             row = nb_kind_next(registry, kind, row))
            find_meet(row, registry->option, name, &found, list);
    }
    return found;
}

/* list  the permitted names */
static enum nb_status find_refuse_name(const char *name, const char *why,
                                       const struct nb_text *list,
                                       struct nb_error *err)
{
    struct nb_suggestion near = { .typed = name, .length = strlen(name) };
    char meant[NB_SUGGESTED];
    for (const char *at = list->bytes; at != NULL;) {
        const size_t length = strcspn(at, ",");
        nb_suggest(&near, at, length);
        at = at[length] != '\0' ? at + length + 2 : NULL;
    }
    return nb_fail(err, NB_USAGE,
                   "--find %.60s: %s%s (permitted: %s%sa parameter that is a "
                   "number)",
                   name, why, nb_suggestion_print(&near, "", meant),
                   list->bytes != NULL ? list->bytes : "",
                   list->bytes != NULL ? " or " : "");
}

static enum nb_status find_read_row(const struct nb_form *form,
                                    const struct nb_model *model,
                                    struct nb_find_request *out,
                                    struct nb_error *err)
{
    struct nb_text list = { 0 };
    const struct nb_parameter *own = find_own(form, out->name, &list);
    const struct nb_parameter *other = find_parameter(model, out->name, &list);
    const struct nb_parameter *row = own != NULL ? own : other;
    enum nb_status status;
    NB_TRY(nb_text_check(&list, err));
    if (row == NULL || !find_is_number(row))
        NB_TRY(find_refuse_name(out->name,
                                row == NULL ? "no such option" : "not a number",
                                &list, err));
    out->row = row;
    out->is_parameter = own == NULL;
    out->is_whole = row->type == NB_WHOLE || row->type == NB_RADICES ||
                    (row->decimals != NULL &&
                     !nb_model_has_option(form, model, row->decimals));
done:
    nb_text_release(&list);
    return status;
}

/* "8x8": one number for all dimensions. */
static enum nb_status find_read_radices(const char *text, const char *name,
                                        struct nb_find_request *request,
                                        double *out, struct nb_error *err)
{
    const struct nb_parameter *row = request->row;
    uint32_t list[NB_MAX_DIMENSIONS];
    struct nb_error inner = { 0 };
    size_t count;
    if (nb_whole_list_read(text, name, 'x', (int64_t)row->least,
                           (int64_t)row->most, NB_MAX_DIMENSIONS, list, &count,
                           &inner) != NB_OK)
        return nb_fail_again(err, NB_USAGE, &inner);
    bool is_alike = request->dimensions == 0 || request->dimensions == count;
    for (size_t i = 1; i < count; i++)
        is_alike = is_alike && list[i] == list[0];
    if (!is_alike)
        return nb_fail(err, NB_USAGE,
                       "%s %s is not permitted (permitted: equal radices, "
                       "such as %s=2x2:16x16)",
                       name, text, request->name);
    request->dimensions = count;
    *out = list[0];
    return NB_OK;
}

/* Converts a ratio, or a value with a unit, to the option's decimal; leaves
 * anything else as it is. */
static enum nb_status find_read_exact(const struct nb_parameter *row,
                                      const char *clock, char end[NB_FIND_WORD],
                                      struct nb_error *err)
{
    struct nb_ratio cycle = { 0, 0 }, exact;
    bool uses_clock;
    const bool is_written = row->unit != NULL && nb_unit_is_written(end);
    if (is_written && clock != NULL)
        nb_ratio_read(clock, &cycle, NULL);
    if (is_written &&
        nb_unit_read(end, row->unit, cycle, &exact, &uses_clock, err) != NB_OK)
        return NB_USAGE;
    if (is_written || (row->type == NB_NUMBER && strchr(end, '/') != NULL &&
                       nb_ratio_read(end, &exact, NULL) == NB_OK))
        nb_snprintf(end, NB_FIND_WORD, "%.17g", nb_ratio_value(exact));
    return NB_OK;
}

/* clock  of the model; NULL: none */
static enum nb_status find_read_end(struct nb_find_request *request,
                                    const char *clock, const char *text,
                                    size_t length, double *out,
                                    struct nb_error *err)
{
    char end[NB_FIND_WORD], name[NB_FIND_WORD + 8];
    struct nb_error inner = { 0 };
    snprintf(end, sizeof end, "%.*s", (int)length, text);
    snprintf(name, sizeof name, "--find %s:", request->name);
    if (request->row->type == NB_RADICES)
        return find_read_radices(end, name, request, out, err);
    if (find_read_exact(request->row, clock, end, &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "%s %s", name, inner.message);
    if (nb_number_read(end, name, request->row->least, request->row->most, out,
                       &inner) != NB_OK)
        return nb_fail_again(err, NB_USAGE, &inner);
    return request->is_whole && *out != floor(*out)
               ? nb_fail(err, NB_USAGE,
                         "%s %s is not permitted (permitted: whole numbers)",
                         name, end)
               : NB_OK;
}

/* "=A:B", or else the option's permitted range as far as it is tried. */
static enum nb_status find_read_range(const char *range, const char *clock,
                                      struct nb_find_request *out,
                                      struct nb_error *err)
{
    const struct nb_parameter *row = out->row;
    const size_t first = strcspn(range, ":");
    enum nb_status status = NB_OK;
    out->has_range = *range == '=';
    out->least = row->least;
    out->most = row->most;
    if (!out->has_range && row->type == NB_RADICES)
        return nb_fail(err, NB_USAGE,
                       "--find %s needs a range (permitted: such as "
                       "%s=2x2:16x16)",
                       out->name, out->name);
    if (!out->has_range) {
        const double most =
            out->least + (out->is_parameter ? FIND_KEYS : FIND_WHOLES);
        if (out->is_whole)
            out->most = fmin(out->most, most);
        return NB_OK;
    }
    if (range[first] == ':') {
        NB_TRY(
            find_read_end(out, clock, range + 1, first - 1, &out->least, err));
        NB_TRY(find_read_end(out, clock, range + first + 1,
                             strlen(range + first + 1), &out->most, err));
    }
    if (range[first] != ':' || !(out->least < out->most))
        status = nb_fail(err, NB_USAGE,
                         "--find %s%.60s is not permitted (permitted: NAME or "
                         "NAME=A:B with A < B)",
                         out->name, range);
done:
    return status;
}

static enum nb_status find_read_where(const struct nb_form *form,
                                      const char *where,
                                      struct nb_find_request *out,
                                      struct nb_error *err)
{
    struct nb_suggestion near = { .typed = where };
    char meant[NB_SUGGESTED];
    near.length = strcspn(where, " <>=");
    const char *at = where + near.length + strspn(where + near.length, " ");
    const bool is_relation =
        near.length > 0 && (*at == '<' || *at == '>') && at[1] == '=';
    const char *value = is_relation ? at + 2 + strspn(at + 2, " ") : "";
    if (!is_relation || *value == '\0' || near.length >= NB_FIND_WORD ||
        strlen(value) >= NB_FIND_WORD)
        return nb_fail(err, NB_USAGE,
                       "--where \"%.80s\" is not permitted (permitted: "
                       "'QUANTITY <= VALUE' or 'QUANTITY >= VALUE')",
                       where);
    if (!nb_find_has_quantity(form, where, near.length, &near))
        return nb_fail(err, NB_USAGE,
                       "--where \"%.80s\": %s has no quantity \"%.*s\"%s",
                       where, form->name, (int)near.length, where,
                       nb_suggestion_print(&near, "", meant));
    snprintf(out->quantity, sizeof out->quantity, "%.*s", (int)near.length,
             where);
    snprintf(out->value, sizeof out->value, "%s", value);
    out->is_most = *at == '<';
    struct nb_ratio plain;
    char *end;
    const bool is_nan = isnan(nb_strtod(value, &end));
    if (!nb_unit_is_written(value) && (*end != '\0' || is_nan) &&
        nb_ratio_read(value, &plain, NULL) != NB_OK)
        return nb_fail(err, NB_USAGE,
                       "--where \"%.80s\": \"%.40s\" is not a number", where,
                       value);
    return NB_OK;
}

static bool find_is_simulated(const struct nb_form *form)
{
    const struct nb_parameter *row = form->options;
    while (row->name != NULL && strcmp(row->name, "replications") != 0)
        row++;
    return row->name != NULL;
}

enum nb_status nb_find_read(const struct nb_form *form,
                            const struct nb_model *model,
                            struct nb_find_request *out, struct nb_error *err)
{
    const char *name = nb_model_get(model, NB_FIND_NAME);
    const char *within = nb_model_get(model, NB_FIND_WITHIN);
    enum nb_status status = NB_OK;
    *out = (struct nb_find_request){ 0 };
    if (name == NULL)
        NB_TRY(
            nb_fail_about(err, NB_USAGE, NB_FIND_WHERE,
                          "--where is not permitted without --find (permitted: "
                          "--find NAME --where 'QUANTITY <= VALUE')"));
    const size_t length = strcspn(name, "=");
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, name);
    NB_TRY(nb_fail_in(find_read_row(form, model, out, err), err, NB_FIND_NAME));
    NB_TRY(nb_fail_in(
        find_read_range(name + length, nb_model_get(model, "clock"), out, err),
        err, NB_FIND_NAME));
    NB_TRY(nb_fail_in(
        find_read_where(form, nb_model_get(model, NB_FIND_WHERE), out, err),
        err, NB_FIND_WHERE));
    out->is_simulated = find_is_simulated(form);
    out->within = out->is_simulated ? FIND_WITHIN_SIMULATED : FIND_WITHIN;
    if (within != NULL && nb_number_read(within, "--within", 1e-12, 1,
                                         &out->within, err) != NB_OK)
        status = nb_fail_in(NB_USAGE, err, NB_FIND_WITHIN);
done:
    return status;
}
