/* Trials of a search: the question at one value after another. */
#include "ask/find_parts.h"

#include "core/locale.h"
#include "core/memory.h"
#include "explain/formula.h"
#include "report/tree.h"
#include "topology/topology.h"
#include "core/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIND_NEAR = 8 }; /* refused values in a row that are skipped */

/* Channels of the largest network tried if no range is given: for one quantity
 * that is answered separately, or for all quantities. */
#define FIND_CHANNELS_ALONE 4e6
#define FIND_CHANNELS       1e5

const char *const nb_find_verdicts[] = { "holds", "fails", "undecided",
                                         "refused" };

void nb_find_print(const struct nb_find *find, double value,
                   char out[NB_FIND_VALUE])
{
    int digits = 1;
    if (find->is_whole) {
        nb_snprintf(out, NB_FIND_VALUE, "%.0f", value);
        const size_t length = strlen(out);
        for (size_t i = 1; i < find->request.dimensions; i++) {
            const size_t at = i * (length + 1);
            nb_snprintf(out + at - 1, NB_FIND_VALUE - at + 1, "x%.0f", value);
        }
        return;
    }
    do
        nb_snprintf(out, NB_FIND_VALUE, "%.*g", digits, value);
    while (nb_strtod(out, NULL) != value && ++digits <= DBL_DECIMAL_DIG);
}

enum nb_status nb_find_model(const struct nb_find *find, double value,
                             struct nb_model *out, struct nb_error *err)
{
    char text[NB_FIND_VALUE];
    enum nb_status status;
    nb_find_print(find, value, text);
    NB_TRY(nb_model_at(&find->model, NULL, 0, out, err));
    NB_TRY(nb_model_put(out, find->request.name, text, err));
    NB_TRY(nb_model_complete(&find->kind->form, out, err));
done:
    return status;
}

enum nb_status nb_find_ask(struct nb_find *find, double value, bool is_alone,
                           const struct nb_point *given, struct nb_text *said,
                           struct nb_point *out, struct nb_error *err)
{
    struct nb_model here = { 0 };
    struct nb_question question = *find->question;
    enum nb_status status;
    NB_TRY(nb_find_model(find, value, &here, err));
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

/* The unit to which values of a quantity are converted; NULL: only plain
 * numbers. */
static const char *find_base(const char *unit)
{
    return strcmp(unit, "1") == 0 || strncmp(unit, "fraction", 8) == 0
               ? "fraction"
           : strncmp(unit, "packets/cycle", 13) == 0 ? "packets/cycle"
           : nb_unit_base_find(unit) != NULL         ? unit
                                                     : NULL;
}

/* Converts a value with a unit to the quantity's unit, once that is known. */
static enum nb_status find_convert(struct nb_find *find,
                                   const struct nb_quantity *quantity,
                                   struct nb_error *err)
{
    const struct nb_find_request *request = &find->request;
    const char *base = find_base(quantity->unit);
    const char *clock = nb_model_get(&find->model, "clock");
    struct nb_error inner = { 0 };
    struct nb_ratio cycle = { 1, 1 };
    bool uses_clock = false;
    if (base == NULL)
        return nb_fail_about(err, NB_USAGE, NB_FIND_WHERE,
                             "--where: %s is in %s, so %s is not permitted "
                             "(permitted: a plain number)",
                             request->quantity, quantity->unit, request->value);
    if (clock != NULL)
        nb_ratio_read(clock, &cycle, NULL);
    if (nb_unit_read(request->value, base, cycle, &find->exact, &uses_clock,
                     &inner) != NB_OK)
        return nb_fail_about(err, NB_USAGE, NB_FIND_WHERE, "--where %s: %s",
                             request->quantity, inner.message);
    return uses_clock && clock == NULL
               ? nb_model_set(&find->model, "clock", "1", err)
               : NB_OK;
}

/* ": it needs --percentiles" if the formula of the quantity needs an option
 * that is not given. */
static void find_print_needed(const struct nb_find *find, char out[])
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
            char needs[NB_FIND_WORD + 16];
            snprintf(needs, sizeof needs, "option.%.*s", NB_FIND_WORD,
                     row->name);
            const size_t length = strlen(needs);
            if (length <= when.length && strncmp(when.at, needs, length) == 0 &&
                (length == when.length || strchr("; ", when.at[length])) &&
                !nb_model_has_option(form, &find->model, row->name)) {
                snprintf(out, NB_FIND_WORD + 16, ": it needs --%.*s",
                         NB_FIND_WORD, row->name);
                return;
            }
        }
    }
}

/* Records that the answer lacks the quantity; it may have it at other
 * values. */
static enum nb_status find_lack(struct nb_find *find,
                                const struct nb_point *point,
                                struct nb_error *err)
{
    struct nb_text list = { 0 };
    for (size_t i = 0; i < point->quantity_count; i++)
        nb_text_print(&list, "%s%s", i > 0 ? ", " : "",
                      point->quantities[i].name);
    enum nb_status status = nb_text_check(&list, err);
    find->lacking++;
    if (status == NB_OK) {
        char with[NB_FIND_WORD + 16] = "";
        find_print_needed(find, with);
        nb_fail_about(
            &find->lack, NB_USAGE, NB_FIND_WHERE,
            "--where: the answer has no quantity \"%s\"%s (permitted: %s)",
            find->request.quantity, with,
            list.bytes != NULL ? list.bytes : "none");
        if (!find->is_known && find->lacking == FIND_NEAR)
            status = nb_fail_again(err, NB_USAGE, &find->lack);
    }
    nb_text_release(&list);
    return status;
}

/* Takes unit and method from the first answer with the quantity, and reads the
 * value that the quantity is compared with. */
static enum nb_status find_begin(struct nb_find *find,
                                 const struct nb_quantity *quantity,
                                 struct nb_error *err)
{
    const struct nb_find_request *request = &find->request;
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
        find->lower = find->upper = nb_strtod(request->value, NULL);
    find->is_known = true;
done:
    return status;
}

/* The verdict on the condition: holds or fails only if certain. */
static enum nb_find_verdict find_judge(const struct nb_find *find,
                                       const struct nb_quantity *quantity)
{
    const bool is_most = find->request.is_most;
    if (nb_ratio_is_known(quantity->exact) && nb_ratio_is_known(find->exact)) {
        const int order = nb_ratio_compare(quantity->exact, find->exact);
        return (is_most ? order <= 0 : order >= 0) ? NB_FIND_HOLDS
                                                   : NB_FIND_FAILS;
    }
    if (is_most ? quantity->upper <= find->lower
                : quantity->lower >= find->upper)
        return NB_FIND_HOLDS;
    if (is_most ? quantity->lower > find->upper : quantity->upper < find->lower)
        return NB_FIND_FAILS;
    return NB_FIND_UNDECIDED;
}

bool nb_find_is_refused(enum nb_status status)
{
    return status == NB_INVALID || status == NB_USAGE ||
           status == NB_OVERFLOW || status == NB_NO_CONVERGENCE;
}

/* Enters an answer or a refusal into a trial. */
static enum nb_status find_take(struct nb_find *find, enum nb_status status,
                                struct nb_error *inner, struct nb_point *point,
                                struct nb_find_trial *trial,
                                struct nb_error *err)
{
    const struct nb_quantity *quantity = NULL;
    if (status != NB_OK && !nb_find_is_refused(status))
        return nb_fail_again(err, status, inner);
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
    if (trial->verdict == NB_FIND_HOLDS) {
        nb_point_release(&find->kept);
        find->kept = *point;
        find->kept_value = trial->value;
        *point = (struct nb_point){ 0 };
    }
    return NB_OK;
}

/* Reports the last trial and the completed fraction of the search. */
static void find_report(struct nb_find *find)
{
    const struct nb_run *run = &find->question->run;
    const struct nb_find_trial *trial = &find->trials[find->count - 1];
    char value[NB_FIND_VALUE], text[2 * NB_FIND_WORD + 2 * NB_FIND_VALUE];
    find->share = fmax(find->share, (double)find->count /
                                        ((double)find->count + find->left));
    if (run->progress == NULL)
        return;
    nb_find_print(find, trial->value, value);
    if (trial->verdict == NB_FIND_REFUSED)
        snprintf(text, sizeof text, "%s %s: refused", find->request.name,
                 value);
    else
        nb_snprintf(text, sizeof text, "%s %s: %s %.6g, %s", find->request.name,
                    value, find->request.quantity, trial->number,
                    nb_find_verdicts[trial->verdict]);
    run->progress(run->progress_context, text,
                  1 + (size_t)floor(998 * find->share), 1000);
}

double nb_find_place(const struct nb_find *find, double value)
{
    return !find->is_log ? value
           : value > 0   ? log(value)
                         : log(NB_FIND_LEAST) - find->request.within;
}

enum nb_status nb_find_try(struct nb_find *find, double value, size_t *index,
                           struct nb_error *err)
{
    struct nb_point point = { 0 };
    struct nb_error inner = { 0 };
    size_t at;
    enum nb_status status = NB_OK;
    for (*index = 0; *index < find->count; ++*index)
        if (find->trials[*index].value == value)
            return NB_OK;
    if (find->count == NB_FIND_MOST) {
        *index = SIZE_MAX;
        return NB_OK;
    }
    struct nb_find_trial trial = { .value = value,
                                   .place = nb_find_place(find, value),
                                   .verdict = NB_FIND_REFUSED,
                                   .number = NAN,
                                   .lower = NAN,
                                   .upper = NAN };
    status =
        nb_find_ask(find, value, find->is_alone, NULL, NULL, &point, &inner);
    NB_TRY(find_take(find, status, &inner, &point, &trial, err));
    find->having[trial.verdict]++;
    find->trials[find->count] = trial;
    for (at = find->count; at > 0 && find->sorted[at - 1]->value > value; at--)
        find->sorted[at] = find->sorted[at - 1];
    find->sorted[at] = &find->trials[find->count++];
    find_report(find);
done:
    nb_point_release(&point);
    return status;
}

enum nb_status nb_find_try_near(struct nb_find *find, double value, double low,
                                double high, size_t *index,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_find_try(find, value, index, err));
    const size_t first = *index;
    if (!find->is_whole)
        goto done;
    for (int i = 2; i < 2 * FIND_NEAR + 2 && *index != SIZE_MAX &&
                    find->trials[*index].verdict == NB_FIND_REFUSED;
         i++) {
        const int away = i % 2 == 0 ? i / 2 : -(i / 2);
        if (value + away > low && value + away < high)
            NB_TRY(nb_find_try(find, value + away, index, err));
    }
    if (*index != SIZE_MAX && find->trials[*index].verdict == NB_FIND_REFUSED)
        *index = first;
done:
    return status;
}
