/* Builds the answer of a search: the value found, the answer there, notes and
 * all trials. */
#include "ask/find_parts.h"

#include "core/memory.h"
#include "report/grid.h"
#include "report/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Result of a search. */
struct find_result {
    size_t held;   /* trial at the value found; SIZE_MAX: none */
    size_t beside; /* next trial, where it does not hold; SIZE_MAX: none */
    size_t about;  /* trial where the value satisfies the condition, next to one
                    * where it does not, if neither is certain; SIZE_MAX: not
                    * needed */
    bool is_greatest; /* holds below; else above */
    struct nb_quantity numbers;
};

/* The last trial with that verdict in a direction; SIZE_MAX: none. */
static size_t find_last(const struct nb_find *find,
                        enum nb_find_verdict verdict, bool is_greatest)
{
    for (size_t i = 0; i < find->count; i++) {
        const struct nb_find_trial *trial =
            find->sorted[is_greatest ? find->count - 1 - i : i];
        if (trial->verdict == verdict)
            return (size_t)(trial - find->trials);
    }
    return SIZE_MAX;
}

/* The value found with its bounds: from where the condition certainly holds to
 * where it may still hold. */
static struct nb_quantity find_numbers(const struct nb_find *find,
                                       const struct find_result *result)
{
    const bool is_greatest = result->is_greatest;
    const double away = is_greatest ? INFINITY : -INFINITY;
    const bool is_doubtful = nb_find_is_doubtful(find);
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

/* If all trials between the value found and the end next to it were refused,
 * the nearest of them becomes the end. */
static void find_stop_at_refused(const struct nb_find *find,
                                 struct find_result *result)
{
    const double held = find->trials[result->held].value;
    const double end = find->trials[result->beside].value;
    size_t nearest = result->beside;
    for (size_t i = 0; i < find->count && !find->is_whole; i++) {
        const struct nb_find_trial *trial = &find->trials[i];
        if (!(trial->value > fmin(held, end) && trial->value < fmax(held, end)))
            continue;
        if (trial->verdict != NB_FIND_REFUSED)
            return;
        if (fabs(trial->value - held) <
            fabs(find->trials[nearest].value - held))
            nearest = i;
    }
    result->beside = nearest;
}

static struct find_result find_conclude(const struct nb_find *find)
{
    struct find_result result = { .held = SIZE_MAX,
                                  .beside = SIZE_MAX,
                                  .about = SIZE_MAX };
    size_t low, high;
    const bool is_pair = find->low != SIZE_MAX;
    const bool is_low =
        is_pair && find->trials[find->low].verdict == NB_FIND_HOLDS;
    const bool is_high =
        is_pair && find->trials[find->high].verdict == NB_FIND_HOLDS;
    result.is_greatest = is_low || (!is_high && nb_find_is_greatest(find));
    if (find->request.is_simulated && nb_find_is_doubtful(find) &&
        nb_find_change(find, &low, &high)) {
        result.about =
            nb_find_holds_about(find, &find->trials[low]) ? low : high;
        if (!is_low && !is_high)
            result.is_greatest = result.about == low;
    }
    if (is_low || is_high) {
        result.held = is_low ? find->low : find->high;
        result.beside = is_low ? find->high : find->low;
        find_stop_at_refused(find, &result);
    } else {
        result.held = find_last(find, NB_FIND_HOLDS, result.is_greatest);
        if (result.held == SIZE_MAX)
            result.beside = find_last(find, NB_FIND_FAILS, !result.is_greatest);
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
    out->has_failed |= nb_text_check(text, NULL) != NB_OK;
    nb_text_release(text);
}

static void find_add_value(const struct nb_find *find,
                           const struct nb_find_trial *trial,
                           struct nb_text *text)
{
    char value[NB_FIND_VALUE];
    nb_find_print(find, trial->value, value);
    nb_text_print(text, "%s", value);
}

/* "the greatest load with delay_quantile <= 50" and its value. */
static void find_note_found(const struct nb_find *find,
                            const struct find_result *result,
                            struct nb_point *out)
{
    const struct nb_find_request *request = &find->request;
    const bool is_held = result->held != SIZE_MAX;
    const bool is_about = result->about != SIZE_MAX;
    struct nb_text text = { 0 };
    nb_text_print(&text, "the %s %s with %s %s ",
                  result->is_greatest ? "greatest" : "least", request->name,
                  request->quantity, request->is_most ? "<=" : ">=");
    nb_text_add_plain(&text, request->value);
    if (is_about) {
        nb_text_print(&text, ": about ");
        find_add_value(find, &find->trials[result->about], &text);
        nb_text_print(&text, ", judging by the estimates of %s",
                      request->quantity);
    }
    nb_text_print(&text, "%s the condition %sholds at ",
                  is_about  ? ";"
                  : is_held ? ":"
                            : ": none found;",
                  is_about || !is_held ? "certainly " : "");
    if (is_held)
        find_add_value(find, &find->trials[result->held], &text);
    if (is_held && result->beside != SIZE_MAX) {
        const struct nb_find_trial *beside = &find->trials[result->beside];
        nb_text_print(&text, " and %s at ",
                      beside->verdict == NB_FIND_REFUSED ? "is refused"
                                                         : "fails");
        find_add_value(find, beside, &text);
    } else {
        nb_text_print(&text, "%s of the %zu values tried from ",
                      is_held ? ", the last" : "none", find->count);
        find_add_value(find, find->sorted[0], &text);
        nb_text_print(&text, " to ");
        find_add_value(find, find->sorted[find->count - 1], &text);
        nb_text_print(&text, "%s", is_held ? "; it fails at none of them" : "");
    }
    find_note(out, "find", &text);
}

/* Notes a trial that contradicts a single change of the condition. */
static void find_note_contradiction(const struct nb_find *find,
                                    struct nb_point *out)
{
    if (find->low == SIZE_MAX)
        return;
    const struct nb_find_trial *low = &find->trials[find->low];
    const struct nb_find_trial *high = &find->trials[find->high];
    for (size_t i = 0; i < find->count; i++) {
        const struct nb_find_trial *trial = find->sorted[i];
        const struct nb_find_trial *end = trial->value < low->value    ? low
                                          : trial->value > high->value ? high
                                                                       : NULL;
        char value[NB_FIND_VALUE];
        struct nb_text text = { 0 };
        if (end == NULL || trial->verdict == end->verdict ||
            trial->verdict == NB_FIND_UNDECIDED ||
            trial->verdict == NB_FIND_REFUSED)
            continue;
        nb_find_print(find, trial->value, value);
        nb_text_print(
            &text,
            "%s is not monotone: the condition also %s at %s, so it changes "
            "more than once, and the result is only one of the changes",
            find->request.quantity, nb_find_verdicts[trial->verdict], value);
        find_note(out, "monotone", &text);
        return;
    }
}

static void find_note_trials(const struct nb_find *find, struct nb_point *out)
{
    struct nb_text text = { 0 };
    char value[NB_FIND_VALUE];
    const size_t undecided = find->having[NB_FIND_UNDECIDED];
    const size_t refused = find->having[NB_FIND_REFUSED];
    if (undecided > 0) {
        nb_text_print(&text,
                      "at %zu of the %zu values tried, the interval of %s "
                      "contains the value asked for",
                      undecided, find->count, find->request.quantity);
        if (find->request.is_simulated)
            nb_text_print(&text, "; more --cycles would decide more of them");
        find_note(out, "undecided", &text);
    }
    if (refused > 0) {
        nb_find_print(find, find->refused_value, value);
        nb_text_print(&text,
                      "%zu of the %zu values tried, such as %s: ", refused,
                      find->count, value);
        nb_text_add_plain(&text, find->refused.message);
        find_note(out, "refused_values", &text);
    }
    if (strstr(find->method, "interval") != NULL)
        nb_point_add_note(out, "confidence",
                          "a value counts only if the whole 95 % interval is "
                          "on one side of the value asked for");
}

/* The option's unit; else what it counts; else the unit of the answer's
 * quantity with the same name. */
static const char *find_unit(const struct nb_find *find,
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

static void find_add_trials(const struct nb_find *find, struct nb_point *out)
{
    const char *unit = find->unit;
    struct nb_text columns = { 0 };
    nb_text_print(&columns,
                  "value:%s [%s],quantity:number [%s],lower:number "
                  "[%s],upper:number [%s],verdict:text",
                  find->is_whole ? "whole" : "number", find_unit(find, out),
                  unit, unit, unit);
    if (nb_text_check(&columns, NULL) != NB_OK) {
        nb_text_release(&columns);
        out->has_failed = true;
        return;
    }
    const size_t table =
        nb_point_add_table(out, NB_FIND_TRIALS, false, columns.bytes);
    nb_text_release(&columns);
    for (size_t i = 0; i < find->count; i++) {
        const struct nb_find_trial *trial = &find->trials[i];
        if (find->is_whole)
            nb_table_add_whole(out, table, (int64_t)trial->value);
        else
            nb_table_add_number(out, table, trial->value);
        nb_table_add_number(out, table, trial->number);
        nb_table_add_number(out, table, trial->lower);
        nb_table_add_number(out, table, trial->upper);
        nb_table_add_text(out, table, nb_find_verdicts[trial->verdict]);
    }
}

/* Inserts the value found before all other quantities. */
static void find_add_found(const struct nb_find *find,
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

/* Replaces out, which holds only settings, by the question's answer at the
 * value found. */
static enum nb_status find_answer_at(struct nb_find *find, double value,
                                     const struct nb_point *given,
                                     struct nb_point *out, struct nb_text *said,
                                     struct nb_error *err)
{
    const bool is_checked = given != NULL && nb_question_proves(find->kind);
    struct nb_point answer = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    if (find->is_alone) {
        status = nb_find_ask(find, value, false, NULL, said, &answer, &inner);
        if (nb_find_is_refused(status)) {
            nb_point_release(&answer);
            NB_TRY(nb_find_ask(find, value, true, NULL, said, &answer, err));
            nb_point_note(&answer, "rest", "other quantities are refused: %s",
                          inner.message);
        } else if (status != NB_OK) {
            NB_TRY(nb_fail_again(err, status, &inner));
        }
    } else if (!is_checked && find->kept_value == value) {
        answer = find->kept;
        find->kept = (struct nb_point){ 0 };
    } else {
        NB_TRY(nb_find_ask(find, value, false, is_checked ? given : NULL, said,
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

static enum nb_status find_report(struct nb_find *find,
                                  const struct nb_point *given,
                                  struct nb_point *out, struct nb_text *said,
                                  struct nb_error *err)
{
    const struct find_result result = find_conclude(find);
    enum nb_status status = NB_OK;
    const size_t shown = result.about != SIZE_MAX ? result.about : result.held;
    if (shown != SIZE_MAX)
        NB_TRY(find_answer_at(find, find->trials[shown].value, given, out, said,
                              err));
    if (said != NULL && nb_question_proves(find->kind))
        nb_text_print(said, "%sall %zu trials of the search repeated",
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

static enum nb_status find_open(const struct nb_question_kind *kind,
                                const struct nb_model *model,
                                struct nb_find **out, struct nb_error *err)
{
    static const char *const options[] = { NB_FIND_NAME, NB_FIND_WHERE,
                                           NB_FIND_WITHIN };
    enum nb_status status;
    NB_TRY(nb_new(out, 1, sizeof **out, "a search", err));
    struct nb_find *find = *out;
    const struct nb_find_request *request = &find->request;
    find->kind = kind;
    NB_TRY(nb_find_read(&kind->form, model, &find->request, err));
    NB_TRY(nb_model_at(model, NULL, 0, &find->model, err));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        NB_TRY(nb_model_set(&find->model, options[i], NULL, err));
    find->is_whole = request->is_whole;
    find->is_log =
        !find->is_whole && (!request->has_range || request->least > 0);
    find->is_alone = nb_word_is_in(kind->alone, ' ', request->quantity,
                                   strlen(request->quantity));
    find->low = find->high = SIZE_MAX;
done:
    return status;
}

/* find  NULL: does nothing */
static void find_delete(struct nb_find *find)
{
    if (find == NULL)
        return;
    nb_model_release(&find->model);
    nb_point_release(&find->kept);
    nb_delete(find->unit);
    nb_delete(find->method);
    nb_delete(find);
}

enum nb_status nb_find_check(const struct nb_question_kind *kind,
                             const struct nb_model *model, struct nb_error *err)
{
    struct nb_find *find = NULL;
    struct nb_model here = { 0 };
    enum nb_status status;
    NB_TRY(find_open(kind, model, &find, err));
    const struct nb_find_request *request = &find->request;
    NB_TRY(nb_find_model(find,
                         request->has_range || find->is_whole
                             ? request->least
                             : fmax(request->least, fmin(1, request->most)),
                         &here, err));
    status = nb_question_try(kind, &here, err);
done:
    nb_model_release(&here);
    find_delete(find);
    return status;
}

enum nb_status nb_find_answer(const struct nb_question_kind *kind,
                              const struct nb_question *question,
                              const struct nb_point *given,
                              struct nb_point *out, struct nb_text *said,
                              struct nb_error *err)
{
    const struct nb_run *run = &question->run;
    struct nb_find *find = NULL;
    enum nb_status status;
    NB_TRY(find_open(kind, question->model, &find, err));
    find->question = question;
    find->run = *run;
    find->run.progress = NULL;
    if (run->progress != NULL)
        run->progress(run->progress_context, "search", 0, 1000);
    NB_TRY(nb_find_search(find, err));
    NB_TRY(find_report(find, given, out, said, err));
done:
    find_delete(find);
    return status;
}
