/*
 * Searches. A search makes trials until one at which the condition holds lies
 * beside one at which it does not, or which is refused; then it goes between
 * the two.
 */
#include "questions/find.h"

#include "core/crossing.h"
#include "core/memory.h"
#include "core/suggest.h"
#include "report/grid.h"
#include "explain/formula.h"
#include "questions/registry.h"
#include "report/tree.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIND_WORD = NB_FIND_WORD,
    FIND_VALUE = 80,        /* the same of what is tried */
    FIND_TRIALS = 400,      /* the most of a search */
    FIND_NEAR = 8,          /* values refused in a row that are passed over */
    FIND_PROBES = 2,        /* on each side of what was found */
    FIND_FIRST = 4,         /* trials until that lies between two, or so */
    FIND_SEEK = 31,         /* in a range, if all before are refused */
    FIND_KEYS = 63,         /* parameters are tried so far above their least */
    FIND_WHOLES = 65535,    /* and options */
    FIND_DOUBLINGS_UP = 10, /* of other numbers, from 1 */
    FIND_DIGITS = 17
};

/* Where the ends of what is found lie: as shares of the value. */
#define FIND_WITHIN           1e-4
#define FIND_WITHIN_SIMULATED 1e-2

/* Channels of the largest networks where no range is given: asked for one
 * quantity that is answered alone, or for all. */
#define FIND_CHANNELS_ALONE 4e6
#define FIND_CHANNELS       1e5

/* The least value that is tried where 0 is permitted. */
#define FIND_LEAST 1e-9

enum find_verdict { FIND_HOLDS, FIND_FAILS, FIND_UNDECIDED, FIND_REFUSED };
static const char *const find_verdicts[] = { "holds", "fails", "undecided",
                                             "refused" };

/* What is asked for. */
struct find_request {
    char name[FIND_WORD]; /* "load" or "topology.h" */
    const struct nb_parameter *row;
    bool is_parameter; /* of a kind of networks, patterns or schemes */
    bool is_whole;     /* only whole numbers are permitted */
    bool has_range;
    double least, most;
    char quantity[FIND_WORD];
    bool is_most;          /* <=; else >= */
    char value[FIND_WORD]; /* as given */
    double within;
    size_t dimensions; /* of radices, which are alike; 0: one number */
};

struct find_trial {
    double value;
    double place; /* where it lies: the value, or its logarithm */
    enum find_verdict verdict;
    double number, lower, upper; /* of the quantity; NaN: none */
    bool is_saturated;           /* by a simulation */
};

struct find {
    const struct nb_question_kind *kind;
    const struct nb_question *question;
    struct find_request request;
    struct nb_model model; /* without the search */
    struct nb_run run;     /* of a trial, which has no line of its own */
    double share;          /* of the search that is done */
    double left;           /* trials that are still expected */
    bool is_whole, is_log;
    bool is_alone; /* trials are asked for the condition's quantity alone */
    bool is_known; /* the quantity has been seen: its unit and method, and the
                    * value that it is held to */
    char *unit, *method;
    struct nb_ratio exact; /* not known: lower is it */
    double lower, upper;
    size_t count;
    struct find_trial trials[FIND_TRIALS];
    size_t lacking;          /* trials whose answer has not the quantity .. */
    struct nb_error lack;    /* .. which says what such a one has */
    struct nb_error refused; /* the first refusal */
    double refused_value;
    struct nb_point kept; /* the answer at the last value where it held */
    double kept_value;
    /* Trials on both sides of what is found, by number; none: SIZE_MAX. */
    size_t low, high;
    struct nb_crossing crossing;
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

/* --- What is asked for ---------------------------------------------------- */

static bool find_is_number(const struct nb_parameter *row)
{
    return row->type == NB_WHOLE || row->type == NB_NUMBER ||
           row->type == NB_REAL || row->type == NB_RADICES;
}

/* The kind that a model names for an option; NULL: none. */
static const struct nb_kind *find_kind(const struct nb_registry *registry,
                                       const struct nb_model *model)
{
    const char *value = nb_model_get(model, registry->option);
    size_t index;
    return value != NULL ? nb_kind_find(registry->kinds, value,
                                        strcspn(value, ":"), &index)
                         : NULL;
}

/* Adds a name that is permitted, if its row is a number. */
static void find_list_name(const struct nb_parameter *row, const char *option,
                           struct nb_text *list)
{
    if (find_is_number(row))
        nb_text_print(list, "%s%s%s%s", list->length > 0 ? ", " : "", option,
                      *option != '\0' ? "." : "", row->name);
}

/* Appends the options that are numbers, their parts, such as fit.radix, and
 * the parameters of the kinds that the model names: topology.routers. */
static void find_list_names(const struct nb_form *form,
                            const struct nb_model *model, struct nb_text *list)
{
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        find_list_name(row, "", list);
        for (const struct nb_parameter *part = row->parts;
             part != NULL && part->name != NULL; part++)
            find_list_name(part, row->name, list);
    }
    for (const struct nb_registry *registry = nb_registries;
         registry->option != NULL; registry++) {
        const struct nb_kind *kind = find_kind(registry, model);
        const struct nb_parameter *row =
            kind != NULL ? nb_kind_next(registry, kind, NULL) : NULL;
        for (; row != NULL && row->name != NULL;
             row = nb_kind_next(registry, kind, row))
            find_list_name(row, registry->option, list);
    }
}

static enum nb_status find_refuse_name(const struct nb_form *form,
                                       const struct nb_model *model,
                                       const char *name, const char *why,
                                       struct nb_error *err)
{
    struct nb_suggestion near = { .typed = name, .length = strlen(name) };
    struct nb_text list = { 0 };
    char meant[NB_SUGGESTED];
    find_list_names(form, model, &list);
    enum nb_status status = nb_text_check(&list, err);
    for (const char *at = list.bytes; status == NB_OK && at != NULL;) {
        const size_t length = strcspn(at, ",");
        nb_suggest(&near, at, length);
        at = at[length] != '\0' ? at + length + 2 : NULL;
    }
    if (status == NB_OK)
        status = nb_fail(err, NB_USAGE,
                         "--find %.60s: %s%s (permitted: %s%sa parameter that "
                         "is a number)",
                         name, why, nb_suggestion_print(&near, "", meant),
                         list.bytes != NULL ? list.bytes : "",
                         list.bytes != NULL ? " or " : "");
    nb_text_release(&list);
    return status;
}

/* The row of that name, up to its end or a dot; NULL: there is none. */
static const struct nb_parameter *find_row(const struct nb_parameter *row,
                                           const char *name)
{
    const size_t length = strcspn(name, ".");
    while (row != NULL && row->name != NULL &&
           (strncmp(row->name, name, length) != 0 || row->name[length] != '\0'))
        row++;
    return row != NULL && row->name != NULL ? row : NULL;
}

/* The row of "fit.radix", or of "topology.h", of the kind that the option
 * topology names. */
static const struct nb_parameter *find_key(const struct nb_form *form,
                                           const struct nb_model *model,
                                           const char *name)
{
    const struct nb_registry *registry = nb_registries;
    const size_t option = strcspn(name, ".");
    const struct nb_parameter *own = find_row(form->options, name);
    if (own != NULL && own->parts != NULL)
        return find_row(own->parts, name + option + 1);
    while (registry->option != NULL &&
           (strlen(registry->option) != option ||
            strncmp(registry->option, name, option) != 0))
        registry++;
    const struct nb_kind *kind =
        registry->option != NULL ? find_kind(registry, model) : NULL;
    const struct nb_parameter *row =
        kind != NULL ? nb_kind_next(registry, kind, NULL) : NULL;
    while (row != NULL && row->name != NULL &&
           strcmp(row->name, name + option + 1) != 0)
        row = nb_kind_next(registry, kind, row);
    return row != NULL && row->name != NULL ? row : NULL;
}

static enum nb_status find_read_row(const struct nb_form *form,
                                    const struct nb_model *model,
                                    struct find_request *out,
                                    struct nb_error *err)
{
    const struct nb_parameter *row = strchr(out->name, '.') != NULL
                                         ? find_key(form, model, out->name)
                                         : find_row(form->options, out->name);
    if (row == NULL)
        return find_refuse_name(form, model, out->name,
                                "there is no such option", err);
    if (!find_is_number(row))
        return find_refuse_name(form, model, out->name, "it is no number", err);
    const struct nb_parameter *own = find_row(form->options, out->name);
    out->row = row;
    out->is_parameter = row != own && (own == NULL || own->parts == NULL);
    out->is_whole = row->type == NB_WHOLE || row->type == NB_RADICES ||
                    (row->decimals != NULL &&
                     !nb_question_gives(form, model, row->decimals));
    return NB_OK;
}

/* "8x8": one number for all dimensions. */
static enum nb_status find_read_radices(const char *text, const char *name,
                                        struct find_request *request,
                                        double *out, struct nb_error *err)
{
    const struct nb_parameter *row = request->row;
    uint32_t list[NB_MAX_DIMENSIONS];
    struct nb_error inner = { 0 };
    size_t count;
    if (nb_whole_list_read(text, name, 'x', (int64_t)row->least,
                           (int64_t)row->most, NB_MAX_DIMENSIONS, list, &count,
                           &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "%s", inner.message);
    bool is_alike = request->dimensions == 0 || request->dimensions == count;
    for (size_t i = 1; i < count; i++)
        is_alike = is_alike && list[i] == list[0];
    if (!is_alike)
        return nb_fail(err, NB_USAGE,
                       "%s %s is not permitted (permitted: radices that are "
                       "alike, such as %s=2x2:16x16)",
                       name, text, request->name);
    request->dimensions = count;
    *out = list[0];
    return NB_OK;
}

/* A ratio, or with a unit, as the option's decimal; else nothing is done. */
static enum nb_status find_read_exact(const struct nb_parameter *row,
                                      const char *clock, char end[FIND_WORD],
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
        snprintf(end, FIND_WORD, "%.17g", nb_ratio_value(exact));
    return NB_OK;
}

/* clock  of the model; NULL: none */
static enum nb_status find_read_end(struct find_request *request,
                                    const char *clock, const char *text,
                                    size_t length, double *out,
                                    struct nb_error *err)
{
    char end[FIND_WORD], name[FIND_WORD + 8];
    struct nb_error inner = { 0 };
    snprintf(end, sizeof end, "%.*s", (int)length, text);
    snprintf(name, sizeof name, "--find %s:", request->name);
    if (request->row->type == NB_RADICES)
        return find_read_radices(end, name, request, out, err);
    if (find_read_exact(request->row, clock, end, &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "%s %s", name, inner.message);
    if (nb_number_read(end, name, request->row->least, request->row->most, out,
                       &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "%s", inner.message);
    return request->is_whole && *out != floor(*out)
               ? nb_fail(err, NB_USAGE,
                         "%s %s is not permitted (permitted: whole numbers)",
                         name, end)
               : NB_OK;
}

/* "=A:B", or what the option permits as far as it is tried. */
static enum nb_status find_read_range(const char *range, const char *clock,
                                      struct find_request *out,
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
                                      struct find_request *out,
                                      struct nb_error *err)
{
    struct nb_suggestion near = { .typed = where };
    char meant[NB_SUGGESTED];
    near.length = strcspn(where, " <>=");
    const char *at = where + near.length + strspn(where + near.length, " ");
    const bool is_relation =
        near.length > 0 && (*at == '<' || *at == '>') && at[1] == '=';
    const char *value = is_relation ? at + 2 + strspn(at + 2, " ") : "";
    if (!is_relation || *value == '\0' || near.length >= FIND_WORD ||
        strlen(value) >= FIND_WORD)
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
    const bool is_nan = isnan(strtod(value, &end));
    if (!nb_unit_is_written(value) && (*end != '\0' || is_nan) &&
        nb_ratio_read(value, &plain, NULL) != NB_OK)
        return nb_fail(err, NB_USAGE,
                       "--where \"%.80s\": \"%.40s\" is no number", where,
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

static enum nb_status find_read(const struct nb_form *form,
                                const struct nb_model *model,
                                struct find_request *out, struct nb_error *err)
{
    const char *name = nb_model_get(model, NB_FIND_NAME);
    const char *within = nb_model_get(model, NB_FIND_WITHIN);
    enum nb_status status = NB_OK;
    *out = (struct find_request){ 0 };
    if (name == NULL)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--where is not permitted without --find (permitted: "
                       "--find NAME --where 'QUANTITY <= VALUE')"));
    const size_t length = strcspn(name, "=");
    if (length == 0 || length >= FIND_WORD)
        NB_TRY(find_refuse_name(form, model, name, "there is no such option",
                                err));
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, name);
    NB_TRY(find_read_row(form, model, out, err));
    NB_TRY(
        find_read_range(name + length, nb_model_get(model, "clock"), out, err));
    NB_TRY(find_read_where(form, nb_model_get(model, NB_FIND_WHERE), out, err));
    out->within = find_is_simulated(form) ? FIND_WITHIN_SIMULATED : FIND_WITHIN;
    if (within != NULL && nb_number_read(within, "--within", 1e-12, 1,
                                         &out->within, err) != NB_OK)
        status = NB_USAGE;
done:
    return status;
}

/* --- Trials --------------------------------------------------------------- */

/* The shortest text that is read as the value. */
static void find_print(const struct find *find, double value,
                       char out[FIND_VALUE])
{
    int digits = 1;
    if (find->is_whole) {
        snprintf(out, FIND_VALUE, "%.0f", value);
        const size_t length = strlen(out);
        for (size_t i = 1; i < find->request.dimensions; i++) {
            const size_t at = i * (length + 1);
            snprintf(out + at - 1, FIND_VALUE - at + 1, "x%.0f", value);
        }
        return;
    }
    do
        snprintf(out, FIND_VALUE, "%.*g", digits, value);
    while (strtod(out, NULL) != value && ++digits <= FIND_DIGITS);
}

/* The question at a value. */
static enum nb_status find_model(const struct find *find, double value,
                                 struct nb_model *out, struct nb_error *err)
{
    char text[FIND_VALUE];
    enum nb_status status;
    find_print(find, value, text);
    NB_TRY(nb_model_at(&find->model, NULL, 0, out, err));
    NB_TRY(nb_model_put(out, find->request.name, text, err));
    NB_TRY(nb_model_complete(&find->kind->form, out, err));
done:
    return status;
}

/*
 * is_alone  for the condition's quantity alone
 * given     as of nb_question_check; NULL: the question is asked
 */
static enum nb_status find_ask(struct find *find, double value, bool is_alone,
                               const struct nb_point *given,
                               struct nb_text *said, struct nb_point *out,
                               struct nb_error *err)
{
    struct nb_model here = { 0 };
    struct nb_question question = *find->question;
    enum nb_status status;
    NB_TRY(find_model(find, value, &here, err));
    question.model = &here;
    question.run = find->run;
    question.outputs = NULL;
    question.wanted = is_alone ? find->request.quantity : NULL;
    if (!find->request.has_range && find->request.is_parameter)
        nb_topology_limit(is_alone ? FIND_CHANNELS_ALONE : FIND_CHANNELS);
    NB_TRY(given != NULL
               ? nb_question_check(find->kind, &question, given, out, said, err)
               : nb_question_answer(find->kind, &question, out, err));
    status = nb_point_check(out, err);
done:
    nb_topology_limit(0);
    nb_model_release(&here);
    return status;
}

/* The unit of values that a quantity is kept in; NULL: only plain numbers. */
static const char *find_base(const char *unit)
{
    return strcmp(unit, "1") == 0 || strncmp(unit, "fraction", 8) == 0
               ? "fraction"
           : strncmp(unit, "packets/cycle", 13) == 0 ? "packets/cycle"
           : nb_unit_base_find(unit) != NULL         ? unit
                                                     : NULL;
}

/* A value with a unit, in the quantity's, once that is known. */
static enum nb_status find_convert(struct find *find,
                                   const struct nb_quantity *quantity,
                                   struct nb_error *err)
{
    const struct find_request *request = &find->request;
    const char *base = find_base(quantity->unit);
    const char *clock = nb_model_get(&find->model, "clock");
    struct nb_error inner = { 0 };
    struct nb_ratio cycle = { 1, 1 };
    bool uses_clock = false;
    if (base == NULL)
        return nb_fail(err, NB_USAGE,
                       "--where: %s is in %s, so %s is not permitted "
                       "(permitted: a plain number)",
                       request->quantity, quantity->unit, request->value);
    if (clock != NULL)
        nb_ratio_read(clock, &cycle, NULL);
    if (nb_unit_read(request->value, base, cycle, &find->exact, &uses_clock,
                     &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "--where %s: %s", request->quantity,
                       inner.message);
    return uses_clock && clock == NULL
               ? nb_model_set(&find->model, "clock", "1", err)
               : NB_OK;
}

/* ": it needs --percentiles" where the formula of the quantity is for answers
 * with an option that is not given. */
static void find_print_needed(const struct find *find, char out[])
{
    const struct nb_form *form = &find->kind->form;
    const char *at = nb_formula_text();
    struct nb_formula formula;
    while (nb_formula_next(&at, &formula)) {
        if (!nb_formula_is_of(&formula, form->name) ||
            !nb_stretch_is(formula.name, find->request.quantity))
            continue;
        const struct nb_stretch when = nb_formula_field(&formula, "when", 0);
        for (const struct nb_parameter *row = form->options;
             when.at != NULL && row->name != NULL; row++) {
            char needs[FIND_WORD + 16];
            snprintf(needs, sizeof needs, "option.%.*s", FIND_WORD, row->name);
            const size_t length = strlen(needs);
            if (length <= when.length && strncmp(when.at, needs, length) == 0 &&
                (length == when.length || strchr("; ", when.at[length])) &&
                !nb_question_gives(form, &find->model, row->name)) {
                snprintf(out, FIND_WORD + 16, ": it needs --%.*s", FIND_WORD,
                         row->name);
                return;
            }
        }
    }
}

/* The answer has not the quantity, as it may have at other values. */
static enum nb_status find_lack(struct find *find, const struct nb_point *point,
                                struct nb_error *err)
{
    struct nb_text list = { 0 };
    for (size_t i = 0; i < point->quantity_count; i++)
        nb_text_print(&list, "%s%s", i > 0 ? ", " : "",
                      point->quantities[i].name);
    enum nb_status status = nb_text_check(&list, err);
    find->lacking++;
    if (status == NB_OK) {
        char with[FIND_WORD + 16] = "";
        find_print_needed(find, with);
        nb_fail(&find->lack, NB_USAGE,
                "--where: the answer has no quantity \"%s\"%s (permitted: %s)",
                find->request.quantity, with,
                list.bytes != NULL ? list.bytes : "none");
        if (!find->is_known && find->lacking == FIND_NEAR)
            status = nb_fail(err, NB_USAGE, "%s", find->lack.message);
    }
    nb_text_release(&list);
    return status;
}

/* What the first answer with the quantity tells: what it is held to. */
static enum nb_status find_begin(struct find *find,
                                 const struct nb_quantity *quantity,
                                 struct nb_error *err)
{
    const struct find_request *request = &find->request;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new_copy(&find->unit, quantity->unit, "a unit", err));
    NB_TRY(nb_new_copy(&find->method, quantity->method, "a method", err));
    if (nb_unit_is_written(request->value))
        NB_TRY(find_convert(find, quantity, err));
    else if (nb_ratio_read(request->value, &find->exact, NULL) != NB_OK)
        find->exact = (struct nb_ratio){ 0, 0 };
    if (nb_ratio_is_known(find->exact))
        nb_ratio_bracket(find->exact, &find->lower, &find->upper);
    else
        find->lower = find->upper = strtod(request->value, NULL);
    find->is_known = true;
done:
    return status;
}

/* Whether the condition holds, for certain. */
static enum find_verdict find_judge(const struct find *find,
                                    const struct nb_quantity *quantity)
{
    const bool is_most = find->request.is_most;
    if (nb_ratio_is_known(quantity->exact) && nb_ratio_is_known(find->exact)) {
        const int order = nb_ratio_compare(quantity->exact, find->exact);
        return (is_most ? order <= 0 : order >= 0) ? FIND_HOLDS : FIND_FAILS;
    }
    if (is_most ? quantity->upper <= find->lower
                : quantity->lower >= find->upper)
        return FIND_HOLDS;
    if (is_most ? quantity->lower > find->upper : quantity->upper < find->lower)
        return FIND_FAILS;
    return FIND_UNDECIDED;
}

/* What an answer, or that it was refused, says of a trial. */
static enum nb_status find_take(struct find *find, enum nb_status status,
                                struct nb_error *inner, struct nb_point *point,
                                struct find_trial *trial, struct nb_error *err)
{
    const struct nb_quantity *quantity = NULL;
    if (status != NB_OK && status != NB_INVALID && status != NB_USAGE &&
        status != NB_OVERFLOW && status != NB_NO_CONVERGENCE)
        return nb_fail(err, status, "%s", inner->message);
    if (status == NB_OK) {
        quantity = nb_point_quantity(point, find->request.quantity);
        const enum nb_status begun =
            quantity == NULL  ? find_lack(find, point, err)
            : !find->is_known ? find_begin(find, quantity, err)
                              : NB_OK;
        if (begun != NB_OK)
            return begun;
        if (quantity == NULL)
            status = nb_fail(inner, NB_INVALID, "the answer has no %s",
                             find->request.quantity);
    }
    if (status != NB_OK) {
        if (find->refused.status == NB_OK) {
            find->refused = *inner;
            find->refused_value = trial->value;
        }
        return NB_OK;
    }
    trial->verdict = find_judge(find, quantity);
    trial->number = quantity->value;
    trial->lower = quantity->lower;
    trial->upper = quantity->upper;
    const struct nb_quantity *stability = nb_point_quantity(point, "stability");
    trial->is_saturated = stability != NULL && stability->upper == 0;
    if (trial->verdict == FIND_HOLDS) {
        nb_point_release(&find->kept);
        find->kept = *point;
        find->kept_value = trial->value;
        *point = (struct nb_point){ 0 };
    }
    return NB_OK;
}

/* Tells what the last trial showed, and how much of the search is done. */
static void find_report(struct find *find)
{
    const struct nb_run *run = &find->question->run;
    const struct find_trial *trial = &find->trials[find->count - 1];
    char value[FIND_VALUE], text[2 * FIND_WORD + 2 * FIND_VALUE];
    find->share = fmax(find->share, (double)find->count /
                                        ((double)find->count + find->left));
    if (run->progress == NULL)
        return;
    find_print(find, trial->value, value);
    if (trial->verdict == FIND_REFUSED)
        snprintf(text, sizeof text, "%s %s: refused", find->request.name,
                 value);
    else
        snprintf(text, sizeof text, "%s %s: %s %.6g, %s", find->request.name,
                 value, find->request.quantity, trial->number,
                 find_verdicts[trial->verdict]);
    run->progress(run->progress_context, text,
                  1 + (size_t)floor(998 * find->share), 1000);
}

/* 0, which has no logarithm, is beside the least value that is tried. */
static double find_place(const struct find *find, double value)
{
    return !find->is_log ? value
           : value > 0   ? log(value)
                         : log(FIND_LEAST) - find->request.within;
}

/* The number of the trial at a value, which is made if it is a new one;
 * SIZE_MAX if there is no room. */
static enum nb_status find_try(struct find *find, double value, size_t *index,
                               struct nb_error *err)
{
    struct nb_point point = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    for (*index = 0; *index < find->count; ++*index)
        if (find->trials[*index].value == value)
            return NB_OK;
    if (find->count == FIND_TRIALS) {
        *index = SIZE_MAX;
        return NB_OK;
    }
    struct find_trial trial = { .value = value,
                                .place = find_place(find, value),
                                .verdict = FIND_REFUSED,
                                .number = NAN,
                                .lower = NAN,
                                .upper = NAN };
    status = find_ask(find, value, find->is_alone, NULL, NULL, &point, &inner);
    NB_TRY(find_take(find, status, &inner, &point, &trial, err));
    find->trials[find->count++] = trial;
    find_report(find);
done:
    nb_point_release(&point);
    return status;
}

/* The same; where a whole number is refused, of the next one beside it between
 * the ends that is not. */
static enum nb_status find_try_near(struct find *find, double value, double low,
                                    double high, size_t *index,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(find_try(find, value, index, err));
    const size_t first = *index;
    if (!find->is_whole)
        goto done;
    for (int i = 2; i < 2 * FIND_NEAR + 2 && *index != SIZE_MAX &&
                    find->trials[*index].verdict == FIND_REFUSED;
         i++) {
        const int away = i % 2 == 0 ? i / 2 : -(i / 2);
        if (value + away > low && value + away < high)
            NB_TRY(find_try(find, value + away, index, err));
    }
    if (*index != SIZE_MAX && find->trials[*index].verdict == FIND_REFUSED)
        *index = first;
done:
    return status;
}

/* --- The search ----------------------------------------------------------- */

static int find_order(const void *a, const void *b)
{
    const struct find_trial *left = *(struct find_trial *const *)a;
    const struct find_trial *right = *(struct find_trial *const *)b;
    return (left->value > right->value) - (left->value < right->value);
}

/* All trials by value. */
static void find_sort(const struct find *find,
                      const struct find_trial *out[FIND_TRIALS])
{
    for (size_t i = 0; i < find->count; i++)
        out[i] = &find->trials[i];
    if (find->count > 0)
        qsort(out, find->count, sizeof *out, find_order);
}

/* Whether the quantity rises, 1, or falls, -1, by what is certain; where that
 * is both ways, from the first to the last. 0: it is not certain to change. */
static int find_way(const struct find *find)
{
    const struct find_trial *sorted[FIND_TRIALS], *first = NULL, *last = NULL;
    double least_upper = INFINITY, most_lower = -INFINITY;
    bool rises = false, falls = false;
    find_sort(find, sorted);
    for (size_t i = 0; i < find->count; i++) {
        if (isnan(sorted[i]->number))
            continue;
        if (first == NULL)
            first = sorted[i];
        last = sorted[i];
        rises = rises || last->lower > least_upper;
        falls = falls || last->upper < most_lower;
        least_upper = fmin(least_upper, last->upper);
        most_lower = fmax(most_lower, last->lower);
    }
    if (rises && falls)
        return last->number >= first->number ? 1 : -1;
    return rises - falls;
}

/* Whether it holds below rather than above, by how the quantity goes, where
 * nothing else tells. What is not certain to change counts as rising. */
static bool find_is_greatest(const struct find *find)
{
    return (find_way(find) >= 0) == find->request.is_most;
}

static bool find_has(const struct find *find, enum find_verdict verdict)
{
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].verdict == verdict)
            return true;
    return false;
}

/* Finds the first neighbours between which the condition changes, whatever is
 * undecided or refused between them. */
static bool find_settle_change(struct find *find)
{
    const struct find_trial *sorted[FIND_TRIALS], *last = NULL;
    find_sort(find, sorted);
    for (size_t i = 0; i < find->count; i++) {
        const enum find_verdict verdict = sorted[i]->verdict;
        if (verdict == FIND_UNDECIDED || verdict == FIND_REFUSED)
            continue;
        if (last != NULL && last->verdict != verdict) {
            find->low = (size_t)(last - find->trials);
            find->high = (size_t)(sorted[i] - find->trials);
            return true;
        }
        last = sorted[i];
    }
    return false;
}

/* Where it holds at all that are decided, or at none: the last of them towards
 * where it may change, and the refused one behind it, where what is permitted
 * ends. On the other side a refusal tells nothing. Where a simulation leaves
 * some undecided, it may hold at these, which tells more than a refusal. */
static bool find_settle_end(struct find *find)
{
    const struct find_trial *sorted[FIND_TRIALS];
    const bool is_up = find_is_greatest(find) == find_has(find, FIND_HOLDS);
    size_t inner = SIZE_MAX, outer = SIZE_MAX;
    if (!find_has(find, FIND_HOLDS) && find_has(find, FIND_UNDECIDED) &&
        find_is_simulated(&find->kind->form))
        return false;
    find_sort(find, sorted);
    for (size_t i = 0; i < find->count; i++) {
        const size_t at = is_up ? i : find->count - 1 - i;
        const size_t index = (size_t)(sorted[at] - find->trials);
        if (sorted[at]->verdict == FIND_HOLDS ||
            sorted[at]->verdict == FIND_FAILS) {
            inner = index;
            outer = SIZE_MAX;
        } else if (sorted[at]->verdict == FIND_REFUSED && outer == SIZE_MAX) {
            outer = index;
        }
    }
    if (inner == SIZE_MAX || outer == SIZE_MAX)
        return false;
    find->low = is_up ? inner : outer;
    find->high = is_up ? outer : inner;
    return true;
}

static bool find_settle(struct find *find)
{
    return find_settle_change(find) || find_settle_end(find);
}

static bool find_is_enough(const struct find *find)
{
    return find_has(find, FIND_HOLDS) && find_has(find, FIND_FAILS);
}

/* Whole numbers from the least on, each twice as far. */
static enum nb_status find_widen_whole(struct find *find, struct nb_error *err)
{
    const struct find_request *request = &find->request;
    enum nb_status status = NB_OK;
    size_t index = 0;
    double last = request->least - 1;
    for (double step = 1;
         last < request->most && index != SIZE_MAX && !find_is_enough(find);
         step *= 2) {
        const double value = fmin(request->least + step - 1, request->most);
        NB_TRY(
            find_try_near(find, value, last, request->most + 1, &index, err));
        last = value;
    }
done:
    return status;
}

/* A value between two, of as few digits as the width asked for permits. */
static double find_round(const struct find *find, double value, double low,
                         double high)
{
    int digits = 1 + (int)ceil(-log10(find->request.within));
    if (find->is_whole)
        return rint(value) > low && rint(value) < high ? rint(value)
                                                       : floor(value);
    for (; digits < FIND_DIGITS; digits++) {
        char text[FIND_VALUE];
        snprintf(text, sizeof text, "%.*g", digits, value);
        const double rounded = strtod(text, NULL);
        if (rounded > low && rounded < high)
            return rounded;
    }
    return value;
}

/* A network that is saturated is so at all higher loads, and the longer to
 * simulate. */
static bool find_is_beyond(const struct find *find, size_t index)
{
    const char *name = find->request.name;
    return index != SIZE_MAX && find->trials[index].is_saturated &&
           (strcmp(name, "load") == 0 || strcmp(name, "rate") == 0);
}

/* From 1 down and up, each time by the square of the last factor, past what is
 * refused, which may lie between what is permitted, but not what is saturated;
 * the least at last. */
static enum nb_status find_widen_real(struct find *find, struct nb_error *err)
{
    const struct find_request *request = &find->request;
    const double middle = fmax(request->least, fmin(1, request->most));
    const double least = request->least > 0 ? request->least : FIND_LEAST;
    const double most = fmin(request->most, ldexp(middle, FIND_DOUBLINGS_UP));
    const double ends[] = { least, most };
    bool is_open[] = { middle > least, middle < most };
    enum nb_status status = NB_OK;
    size_t index;
    NB_TRY(find_try(find, middle, &index, err));
    is_open[1] = is_open[1] && !find_is_beyond(find, index);
    for (int power = 1; (is_open[0] || is_open[1]) && !find_is_enough(find);
         power *= 2)
        for (int up = 0; up < 2; up++) {
            const double next = ldexp(middle, up ? power : -power);
            const double end = ends[up];
            const double value = next > least && next < most
                                     ? find_round(find, next, least, most)
                                     : end;
            if (!is_open[up] || find_is_enough(find))
                continue;
            NB_TRY(find_try(find, value, &index, err));
            is_open[up] = value != end && index != SIZE_MAX &&
                          !(up && find_is_beyond(find, index));
        }
    if (request->least < least && !find_is_enough(find))
        NB_TRY(find_try(find, request->least, &index, err));
done:
    return status;
}

/* The value at a share of the way between two. */
static double find_between(const struct find *find, double low, double high,
                           double share)
{
    const double from = find_place(find, low), to = find_place(find, high);
    const double place = from + share * (to - from);
    return find_round(find, find->is_log ? exp(place) : place, low, high);
}

/* Some values between the first and last of two that say the same. */
static enum nb_status find_probe(struct find *find, double low, double high,
                                 int count, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t index;
    for (int i = 1; i <= count; i++) {
        const double value =
            find_between(find, low, high, (double)i / (count + 1));
        if (value > low && value < high)
            NB_TRY(find_try_near(find, value, low, high, &index, err));
    }
done:
    return status;
}

/* Narrows by a trial between low and high. */
static void find_narrow(struct find *find, size_t index)
{
    const enum find_verdict verdict = find->trials[index].verdict;
    const enum find_verdict low = find->trials[find->low].verdict;
    const enum find_verdict high = find->trials[find->high].verdict;
    enum nb_crossing_side side = NB_SIDE_OPEN;
    if (verdict == low ||
        (low == FIND_REFUSED && verdict != high && verdict != FIND_UNDECIDED))
        side = NB_SIDE_LOW;
    else if (verdict == high ||
             (high == FIND_REFUSED && verdict != FIND_UNDECIDED))
        side = NB_SIDE_HIGH;
    if (side == NB_SIDE_LOW)
        find->low = index;
    if (side == NB_SIDE_HIGH)
        find->high = index;
    nb_crossing_add(&find->crossing, find->trials[index].place, side);
}

static void find_narrow_tried(struct find *find)
{
    find->crossing = nb_crossing_between(find->trials[find->low].place,
                                         find->trials[find->high].place);
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].place > find->crossing.low &&
            find->trials[i].place < find->crossing.high)
            find_narrow(find, i);
}

/* Takes in what was tried between the ends before: what decides, and then what
 * is still between them. */
static void find_enclose(struct find *find)
{
    find_narrow_tried(find);
    find_narrow_tried(find);
}

/* The value to try at a place: nearest ends are those of the part that it
 * divides. */
static double find_value(const struct find *find, double place, double *low,
                         double *high)
{
    *low = find->trials[find->low].value;
    *high = find->trials[find->high].value;
    for (size_t i = 0; i < find->count; i++) {
        const struct find_trial *trial = &find->trials[i];
        if (trial->place <= place)
            *low = fmax(*low, trial->value);
        else
            *high = fmin(*high, trial->value);
    }
    return find_round(find, find->is_log ? exp(place) : place, *low, *high);
}

/* Trials until the parts below and above what is undecided are narrow. */
static double find_halvings(const struct find *find, double enough)
{
    const struct nb_crossing *crossing = &find->crossing;
    const bool has_doubt = !isinf(crossing->doubt_first);
    const double below =
        (has_doubt ? crossing->doubt_first : crossing->high) - crossing->low;
    const double above = has_doubt ? crossing->high - crossing->doubt_last : 0;
    return ceil(fmax(0, log2(below / enough))) +
           (above > 0 ? ceil(fmax(0, log2(above / enough))) : 0);
}

static enum nb_status find_close(struct find *find, struct nb_error *err)
{
    const double span = find->crossing.high - find->crossing.low;
    const double enough = find->is_whole ? 1
                          : find->is_log ? find->request.within
                                         : find->request.within * span;
    enum nb_status status = NB_OK;
    double place;
    while (!isnan(place = nb_crossing_next(&find->crossing, enough))) {
        double low, high;
        size_t index;
        const double value = find_value(find, place, &low, &high);
        if (!(value > low && value < high))
            break;
        find->left = find_halvings(find, enough) + 2 * FIND_PROBES;
        NB_TRY(find_try_near(find, value, low, high, &index, err));
        if (index == SIZE_MAX)
            break;
        find_narrow(find, index);
    }
done:
    return status;
}

static bool find_is_doubtful(const struct find *find)
{
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].verdict == FIND_UNDECIDED &&
            (find->low == SIZE_MAX ||
             (find->trials[i].place > find->crossing.low &&
              find->trials[i].place < find->crossing.high)))
            return true;
    return false;
}

/* Whether the condition holds by the value alone, which may have an interval
 * about it. */
static bool find_holds_about(const struct find *find,
                             const struct find_trial *trial)
{
    return find->request.is_most ? trial->number <= find->upper
                                 : trial->number >= find->lower;
}

/* How far a place is from where the condition holds for certain, or, if it
 * does nowhere, from where it fails. */
static double find_distance(const struct find *find, double place)
{
    const enum find_verdict sure =
        find_has(find, FIND_HOLDS) ? FIND_HOLDS : FIND_FAILS;
    double least = INFINITY;
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].verdict == sure)
            least = fmin(least, fabs(find->trials[i].place - place));
    return least;
}

/* Neighbours between which the condition changes by the values alone: of
 * several, as by chance, those nearest to what is certain. Where it is certain
 * which way the quantity goes, or nothing is, only a change that way counts.
 * low, high: out, by number */
static bool find_change(const struct find *find, size_t *low, size_t *high)
{
    const struct find_trial *sorted[FIND_TRIALS], *last = NULL;
    const bool is_pair = find->low != SIZE_MAX;
    const bool is_greatest = find_is_greatest(find);
    const bool is_one_way =
        !is_pair && (find_way(find) != 0 || !(find_has(find, FIND_HOLDS) ||
                                              find_has(find, FIND_FAILS)));
    bool is_found = false;
    double least = INFINITY;
    find_sort(find, sorted);
    for (size_t i = 0; i < find->count; i++) {
        const struct find_trial *trial = sorted[i];
        if (isnan(trial->number) ||
            (is_pair && (trial->value < find->trials[find->low].value ||
                         trial->value > find->trials[find->high].value)))
            continue;
        const double distance = find_distance(find, trial->place);
        if (last != NULL &&
            find_holds_about(find, last) != find_holds_about(find, trial) &&
            (!is_one_way || find_holds_about(find, last) == is_greatest) &&
            (!is_found || distance < least)) {
            *low = (size_t)(last - find->trials);
            *high = (size_t)(trial - find->trials);
            least = distance;
            is_found = true;
        }
        last = trial;
    }
    return is_found;
}

/* Where so much is undecided that the ends tell little: goes on between the
 * values by which the condition changes. */
static enum nb_status find_estimate(struct find *find, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t low, high, index;
    while (find_is_doubtful(find) && find_change(find, &low, &high)) {
        const struct find_trial *from = &find->trials[low];
        const struct find_trial *to = &find->trials[high];
        const double enough = find->is_whole ? 1
                              : find->is_log
                                  ? find->request.within
                                  : find->request.within * fabs(to->value);
        const double value = find_between(find, from->value, to->value, 0.5);
        if (to->place - from->place <= enough || !(value > from->value) ||
            !(value < to->value))
            break;
        find->left = ceil(log2((to->place - from->place) / enough));
        NB_TRY(find_try(find, value, &index, err));
        if (index == SIZE_MAX || isnan(find->trials[index].number))
            break;
        if (find->low != SIZE_MAX)
            find_enclose(find);
    }
done:
    return status;
}

/* Tries between the ends what is not tried yet; where nothing was answered more
 * and more. Fails if nothing is: with what the answers lack, or the first
 * refusal. */
static enum nb_status find_seek(struct find *find, double least, double most,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    int count = FIND_PROBES + 1;
    if (!find_is_enough(find))
        NB_TRY(find_probe(find, least, most, count, err));
    while (!find->is_known && count < FIND_SEEK) {
        count = 2 * count + 1;
        NB_TRY(find_probe(find, least, most, count, err));
    }
    if (!find->is_known)
        NB_TRY(find->lacking > 0
                   ? nb_fail(err, find->lack.status, "%s", find->lack.message)
                   : nb_fail(err, find->refused.status, "%s",
                             find->refused.message));
done:
    return status;
}

static enum nb_status find_search(struct find *find, struct nb_error *err)
{
    const struct find_request *request = &find->request;
    const struct find_trial *sorted[FIND_TRIALS];
    enum nb_status status = NB_OK;
    size_t index;
    find->left = FIND_FIRST + 2 * FIND_PROBES +
                 (find->is_whole ? log2(request->most - request->least + 1)
                                 : -log2(request->within));
    if (request->has_range) {
        NB_TRY(find_try_near(find, request->least, request->least - 1,
                             request->most, &index, err));
        NB_TRY(find_try_near(find, request->most, request->least,
                             request->most + 1, &index, err));
    } else {
        NB_TRY(find->is_whole ? find_widen_whole(find, err)
                              : find_widen_real(find, err));
    }
    find_sort(find, sorted);
    const double least = sorted[0]->value;
    const double most = sorted[find->count - 1]->value;
    NB_TRY(find_seek(find, least, most, err));
    find->low = find->high = SIZE_MAX;
    if (!find_settle(find)) {
        NB_TRY(find_estimate(find, err));
        if (find_settle(find))
            find_enclose(find);
        goto done;
    }
    find_enclose(find);
    NB_TRY(find_close(find, err));
    if (find_is_simulated(&find->kind->form))
        NB_TRY(find_estimate(find, err));
    find->left = 2 * FIND_PROBES;
    NB_TRY(find_probe(find, least, find->trials[find->low].value, FIND_PROBES,
                      err));
    NB_TRY(find_probe(find, find->trials[find->high].value, most, FIND_PROBES,
                      err));
done:
    return status;
}

/* --- The answer ----------------------------------------------------------- */

/* What was found. */
struct find_result {
    size_t held;   /* the trial at the value found; SIZE_MAX: none */
    size_t beside; /* the next one, where it does not hold; SIZE_MAX: none */
    size_t about;  /* where it holds by its value, beside one where it does not,
                    * where these are not certain; SIZE_MAX: not asked */
    bool is_greatest; /* it holds below; else above */
    struct nb_quantity numbers;
};

/* The last trial in a direction of that verdict; SIZE_MAX if there is none. */
static size_t find_last(const struct find *find, enum find_verdict verdict,
                        bool is_greatest)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].verdict == verdict &&
            (last == SIZE_MAX ||
             (find->trials[i].value > find->trials[last].value) == is_greatest))
            last = i;
    return last;
}

/* The numbers of the value found: up to where it may hold, from where it does
 * for certain. */
static struct nb_quantity find_numbers(const struct find *find,
                                       const struct find_result *result)
{
    const bool is_greatest = result->is_greatest;
    const double away = is_greatest ? INFINITY : -INFINITY;
    const bool is_doubtful = find_is_doubtful(find);
    double value = -away, end = away;
    if (result->held != SIZE_MAX)
        value = find->trials[result->held].value;
    if (result->beside != SIZE_MAX)
        end = find->trials[result->beside].value;
    else if (result->held != SIZE_MAX && !is_doubtful)
        end = value;
    if (find->is_whole && !is_doubtful && result->held != SIZE_MAX)
        end = value;
    else if (find->is_whole && isfinite(end) && result->held != SIZE_MAX)
        end -= is_greatest ? 1 : -1;
    if (result->about != SIZE_MAX)
        return (struct nb_quantity){
            .value = find->trials[result->about].value,
            .lower = fmax(fmin(value, end), find->request.least),
            .upper = fmax(value, end),
        };
    return (struct nb_quantity){
        .value = value,
        .lower = fmin(value, end),
        .upper = fmax(value, end),
        .exact = find->is_whole && isfinite(value) && value == end
                     ? nb_ratio_make((nb_int128)value, 1)
                     : (struct nb_ratio){ 0, 0 },
    };
}

/* Where all between what was found and the end beside it are refused, the
 * nearest of them is the end. */
static void find_stop_at_refused(const struct find *find,
                                 struct find_result *result)
{
    const double held = find->trials[result->held].value;
    const double end = find->trials[result->beside].value;
    size_t nearest = result->beside;
    for (size_t i = 0; i < find->count && !find->is_whole; i++) {
        const struct find_trial *trial = &find->trials[i];
        if (!(trial->value > fmin(held, end) && trial->value < fmax(held, end)))
            continue;
        if (trial->verdict != FIND_REFUSED)
            return;
        if (fabs(trial->value - held) <
            fabs(find->trials[nearest].value - held))
            nearest = i;
    }
    result->beside = nearest;
}

static struct find_result find_conclude(const struct find *find)
{
    struct find_result result = { .held = SIZE_MAX,
                                  .beside = SIZE_MAX,
                                  .about = SIZE_MAX };
    size_t low, high;
    const bool is_pair = find->low != SIZE_MAX;
    const bool is_low =
        is_pair && find->trials[find->low].verdict == FIND_HOLDS;
    const bool is_high =
        is_pair && find->trials[find->high].verdict == FIND_HOLDS;
    result.is_greatest = is_low || (!is_high && find_is_greatest(find));
    if (find_is_simulated(&find->kind->form) && find_is_doubtful(find) &&
        find_change(find, &low, &high)) {
        result.about = find_holds_about(find, &find->trials[low]) ? low : high;
        if (!is_low && !is_high)
            result.is_greatest = result.about == low;
    }
    if (is_low || is_high) {
        result.held = is_low ? find->low : find->high;
        result.beside = is_low ? find->high : find->low;
        find_stop_at_refused(find, &result);
    } else {
        result.held = find_last(find, FIND_HOLDS, result.is_greatest);
        if (result.held == SIZE_MAX)
            result.beside = find_last(find, FIND_FAILS, !result.is_greatest);
    }
    if (result.about == result.held)
        result.about = SIZE_MAX;
    result.numbers = find_numbers(find, &result);
    return result;
}

static void find_note(struct nb_point *out, const char *name,
                      struct nb_text *text)
{
    nb_point_add_note(out, name, text->bytes != NULL ? text->bytes : "");
    out->has_failed |= text->bytes == NULL;
    nb_text_release(text);
}

/* "the greatest load with delay_quantile <= 50" */
static void find_print_wanted(const struct find *find, bool is_greatest,
                              struct nb_text *text)
{
    const struct find_request *request = &find->request;
    nb_text_print(text, "the %s %s with %s %s ",
                  is_greatest ? "greatest" : "least", request->name,
                  request->quantity, request->is_most ? "<=" : ">=");
    nb_text_add_plain(text, request->value);
}

static void find_note_found(const struct find *find,
                            const struct find_result *result,
                            struct nb_point *out)
{
    const struct find_trial *sorted[FIND_TRIALS];
    struct nb_text text = { 0 };
    char held[FIND_VALUE], beside[FIND_VALUE] = "", first[FIND_VALUE],
                           last[FIND_VALUE];
    find_sort(find, sorted);
    find_print(find, sorted[0]->value, first);
    find_print(find, sorted[find->count - 1]->value, last);
    find_print_wanted(find, result->is_greatest, &text);
    if (result->beside != SIZE_MAX)
        find_print(find, find->trials[result->beside].value, beside);
    if (result->about != SIZE_MAX) {
        find_print(find, find->trials[result->about].value, held);
        nb_text_print(&text, ": about %s, by the estimates of %s", held,
                      find->request.quantity);
    }
    if (result->held == SIZE_MAX && result->about != SIZE_MAX) {
        nb_text_print(&text,
                      "; it holds for certain at none of the %zu values tried "
                      "from %s to %s",
                      find->count, first, last);
    } else if (result->held == SIZE_MAX) {
        nb_text_print(&text,
                      ": there is none, it holds for certain at none of the "
                      "%zu values tried from %s to %s",
                      find->count, first, last);
    } else {
        find_print(find, find->trials[result->held].value, held);
        nb_text_print(&text,
                      result->about != SIZE_MAX ? "; it holds for certain at %s"
                                                : ": it holds at %s",
                      held);
        if (result->beside == SIZE_MAX)
            nb_text_print(&text,
                          ", the last of the %zu values tried from %s to %s; "
                          "it fails at none",
                          find->count, first, last);
        else
            nb_text_print(&text, " and %s at %s",
                          find->trials[result->beside].verdict == FIND_REFUSED
                              ? "is refused"
                              : "fails",
                          beside);
    }
    find_note(out, "find", &text);
}

/* Says where the trials contradict that there is one change. */
static void find_note_contradiction(const struct find *find,
                                    struct nb_point *out)
{
    const struct find_trial *sorted[FIND_TRIALS];
    if (find->low == SIZE_MAX)
        return;
    const struct find_trial *low = &find->trials[find->low];
    const struct find_trial *high = &find->trials[find->high];
    find_sort(find, sorted);
    for (size_t i = 0; i < find->count; i++) {
        const struct find_trial *trial = sorted[i];
        const struct find_trial *end = trial->value < low->value    ? low
                                       : trial->value > high->value ? high
                                                                    : NULL;
        char value[FIND_VALUE];
        struct nb_text text = { 0 };
        if (end == NULL || trial->verdict == end->verdict ||
            trial->verdict == FIND_UNDECIDED || trial->verdict == FIND_REFUSED)
            continue;
        find_print(find, trial->value, value);
        nb_text_print(&text,
                      "%s is not monotone: the condition %s at %s, too, so "
                      "that there are several such ends, of which this is one",
                      find->request.quantity, find_verdicts[trial->verdict],
                      value);
        find_note(out, "monotone", &text);
        return;
    }
}

static void find_note_trials(const struct find *find, struct nb_point *out)
{
    struct nb_text text = { 0 };
    char value[FIND_VALUE];
    size_t undecided = 0, refused = 0;
    for (size_t i = 0; i < find->count; i++) {
        undecided += find->trials[i].verdict == FIND_UNDECIDED;
        refused += find->trials[i].verdict == FIND_REFUSED;
    }
    if (undecided > 0) {
        nb_text_print(&text,
                      "at %zu of the %zu values tried, what %s may be has the "
                      "value asked for within it",
                      undecided, find->count, find->request.quantity);
        if (find_is_simulated(&find->kind->form))
            nb_text_print(&text, "; more --cycles decide more of them");
        find_note(out, "undecided", &text);
    }
    if (refused > 0) {
        find_print(find, find->refused_value, value);
        nb_text_print(&text,
                      "%zu of the %zu values tried, such as %s: ", refused,
                      find->count, value);
        nb_text_add_plain(&text, find->refused.message);
        find_note(out, "refused_values", &text);
    }
    if (strstr(find->method, "interval") != NULL)
        nb_point_add_note(out, "confidence",
                          "a value counts where the whole 95 % interval is on "
                          "one side of what is asked for");
}

/* The option's unit, what it counts, or the unit of the answer's quantity of
 * its name. */
static const char *find_unit(const struct find *find,
                             const struct nb_point *answer)
{
    const struct nb_parameter *row = find->request.row;
    const struct nb_quantity *same =
        nb_point_quantity(answer, find->request.name);
    return row->unit != NULL     ? row->unit
           : row->counts != NULL ? row->counts
           : same != NULL        ? same->unit
                                 : "1";
}

static void find_add_trials(const struct find *find, struct nb_point *out)
{
    const char *unit = find->unit;
    struct nb_text columns = { 0 };
    nb_text_print(&columns,
                  "value:%s [%s],quantity:number [%s],lower:number "
                  "[%s],upper:number [%s],verdict:text",
                  find->is_whole ? "whole" : "number", find_unit(find, out),
                  unit, unit, unit);
    if (columns.bytes == NULL) {
        out->has_failed = true;
        return;
    }
    const size_t table =
        nb_point_add_table(out, NB_FIND_TRIALS, false, columns.bytes);
    nb_text_release(&columns);
    for (size_t i = 0; i < find->count; i++) {
        const struct find_trial *trial = &find->trials[i];
        if (find->is_whole)
            nb_table_add_whole(out, table, (int64_t)trial->value);
        else
            nb_table_add_number(out, table, trial->value);
        nb_table_add_number(out, table, trial->number);
        nb_table_add_number(out, table, trial->lower);
        nb_table_add_number(out, table, trial->upper);
        nb_table_add_text(out, table, find_verdicts[trial->verdict]);
    }
}

/* The value found, before all other quantities. */
static void find_add_found(const struct find *find,
                           const struct find_result *result,
                           struct nb_point *out)
{
    char name[NB_FIND_FOUND], method[80];
    nb_find_name(find->request.name, false, name);
    if (nb_point_quantity(out, name) != NULL)
        nb_find_name(find->request.name, true, name);
    snprintf(method, sizeof method, "search, %zu trials%s", find->count,
             strstr(find->method, "interval") != NULL ? ", 95 % intervals"
                                                      : "");
    nb_point_add_quantity(out, &result->numbers, name, find_unit(find, out),
                          method, "");
    if (out->has_failed)
        return;
    const struct nb_quantity found = out->quantities[out->quantity_count - 1];
    memmove(out->quantities + 1, out->quantities,
            (out->quantity_count - 1) * sizeof found);
    out->quantities[0] = found;
}

/* The question's answer at the value found, instead of out, which has only
 * settings. */
static enum nb_status find_answer_at(struct find *find, double value,
                                     const struct nb_point *given,
                                     struct nb_point *out, struct nb_text *said,
                                     struct nb_error *err)
{
    const bool is_checked = given != NULL && find->kind->check != NULL;
    struct nb_point answer = { 0 };
    struct nb_error inner = { 0 };
    char rest[sizeof inner.message + 40];
    enum nb_status status = NB_OK;
    if (find->is_alone) {
        status = find_ask(find, value, false, NULL, said, &answer, &inner);
        if (status == NB_OVERFLOW) {
            nb_point_release(&answer);
            NB_TRY(find_ask(find, value, true, NULL, said, &answer, err));
            snprintf(rest, sizeof rest, "other quantities are refused: %s",
                     inner.message);
            nb_point_add_note(&answer, "rest", rest);
        } else if (status != NB_OK) {
            NB_TRY(nb_fail(err, status, "%s", inner.message));
        }
    } else if (!is_checked && find->kept_value == value) {
        answer = find->kept;
        find->kept = (struct nb_point){ 0 };
    } else {
        NB_TRY(find_ask(find, value, false, is_checked ? given : NULL, said,
                        &answer, err));
    }
    answer.settings = out->settings;
    answer.setting_count = out->setting_count;
    out->settings = NULL;
    out->setting_count = 0;
    nb_point_release(out);
    *out = answer;
    answer = (struct nb_point){ 0 };
done:
    nb_point_release(&answer);
    return status;
}

static enum nb_status find_tell(struct find *find, const struct nb_point *given,
                                struct nb_point *out, struct nb_text *said,
                                struct nb_error *err)
{
    const struct find_result result = find_conclude(find);
    enum nb_status status = NB_OK;
    const size_t shown = result.about != SIZE_MAX ? result.about : result.held;
    if (shown != SIZE_MAX)
        NB_TRY(find_answer_at(find, find->trials[shown].value, given, out, said,
                              err));
    if (said != NULL && find->kind->check != NULL)
        nb_text_print(said, "%sall %zu trials of the search made again",
                      shown != SIZE_MAX ? "; " : "", find->count);
    find_add_found(find, &result, out);
    find_note_found(find, &result, out);
    find_note_contradiction(find, out);
    find_note_trials(find, out);
    find_add_trials(find, out);
    status = nb_point_check(out, err);
done:
    return status;
}

/* Takes the search out of a model. */
static enum nb_status find_strip(struct nb_model *model, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_model_set(model, NB_FIND_NAME, NULL, err));
    NB_TRY(nb_model_set(model, NB_FIND_WHERE, NULL, err));
    NB_TRY(nb_model_set(model, NB_FIND_WITHIN, NULL, err));
done:
    return status;
}

static enum nb_status find_open(const struct nb_form *form,
                                const struct nb_model *model, struct find *out,
                                struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(find_read(form, model, &out->request, err));
    NB_TRY(nb_model_at(model, NULL, 0, &out->model, err));
    NB_TRY(find_strip(&out->model, err));
    out->is_whole = out->request.is_whole;
    out->is_log =
        !out->is_whole && (!out->request.has_range || out->request.least > 0);
    out->low = out->high = SIZE_MAX;
done:
    return status;
}

static void find_release(struct find *find)
{
    nb_model_release(&find->model);
    nb_point_release(&find->kept);
    nb_delete(find->unit);
    nb_delete(find->method);
}

enum nb_status nb_find_hold(const struct nb_form *form,
                            const struct nb_model *model, struct nb_error *err)
{
    const struct nb_question_kind kind = { .form = *form };
    struct find *find = NULL;
    struct nb_model here = { 0 };
    enum nb_status status;
    NB_TRY(nb_new(&find, 1, sizeof *find, "a search", err));
    find->kind = &kind;
    NB_TRY(find_open(form, model, find, err));
    const struct find_request *request = &find->request;
    NB_TRY(find_model(find,
                      request->has_range || find->is_whole
                          ? request->least
                          : fmax(request->least, fmin(1, request->most)),
                      &here, err));
done:
    nb_model_release(&here);
    if (find != NULL)
        find_release(find);
    nb_delete(find);
    return status;
}

enum nb_status nb_find_answer(const struct nb_question_kind *kind,
                              const struct nb_question *question,
                              const struct nb_point *given,
                              struct nb_point *out, struct nb_text *said,
                              struct nb_error *err)
{
    struct find *find = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&find, 1, sizeof *find, "a search", err));
    find->kind = kind;
    find->question = question;
    find->run = question->run;
    find->run.progress = NULL;
    NB_TRY(find_open(&kind->form, question->model, find, err));
    const char *quantity = find->request.quantity;
    find->is_alone =
        nb_word_is_in(kind->alone, ' ', quantity, strlen(quantity));
    if (question->run.progress != NULL)
        question->run.progress(question->run.progress_context, "search", 0,
                               1000);
    NB_TRY(find_search(find, err));
    NB_TRY(find_tell(find, given, out, said, err));
done:
    if (find != NULL)
        find_release(find);
    nb_delete(find);
    return status;
}
