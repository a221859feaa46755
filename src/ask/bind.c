/* Completes a model's options, checks them against each other, and binds them
 * to the fields of a question (declared in question.h). */
#include "ask/question.h"

#include "ask/claims.h"

#include "core/memory.h"
#include "ask/find.h"
#include "core/suggest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct nb_parameter *bind_find(const struct nb_parameter *rows,
                                            const char *name, size_t length)
{
    for (; rows->name != NULL; rows++)
        if (strlen(rows->name) == length &&
            strncmp(rows->name, name, length) == 0)
            return rows;
    return NULL;
}

enum nb_status nb_form_find(const struct nb_form *form, const char *name,
                            size_t length, const struct nb_parameter **out,
                            struct nb_error *err)
{
    struct nb_suggestion near = { .typed = name, .length = length };
    char meant[NB_SUGGESTED];
    *out = bind_find(form->options, name, length);
    if (*out != NULL)
        return NB_OK;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        nb_suggest(&near, row->name, strlen(row->name));
    return nb_fail(err, NB_USAGE,
                   "%s has no option \"%.*s\"%s (see: netbound help %s)",
                   form->name, (int)(length < 60 ? length : 60), name,
                   nb_suggestion_print(&near, "", meant), form->name);
}

/* The first of these blank-separated names that the model gives; NAME=VALUE:
 * with that value. A flag set to no does not count. NULL: none. */
static const struct nb_parameter *bind_given(const struct nb_form *form,
                                             const struct nb_model *model,
                                             const char *names)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " "), name = strcspn(names, " =");
        const struct nb_parameter *row = bind_find(form->options, names, name);
        const char *value = row != NULL ? nb_model_get(model, row->name) : NULL;
        if (value != NULL &&
            (name < length ? nb_word_is_in(value, ' ', names + name + 1,
                                           length - name - 1)
                           : row->type != NB_FLAG || strcmp(value, "no") != 0))
            return row;
        names += length + (names[length] == ' ');
    }
    return NULL;
}

bool nb_model_has_option(const struct nb_form *form,
                         const struct nb_model *model, const char *names)
{
    return bind_given(form, model, names) != NULL;
}

/* "--a, --b": the row's name and the further names. */
static void bind_print_names(const char *first, const char *names,
                             const char *before_last, char out[120])
{
    size_t used = (size_t)snprintf(out, 120, "--%s", first);
    while (names != NULL && *names != '\0' && used < 120) {
        const size_t length = strcspn(names, " ");
        const bool is_last = names[length] == '\0';
        used +=
            (size_t)snprintf(out + used, 120 - used, "%s--%.*s",
                             is_last ? before_last : ", ", (int)length, names);
        names += length + !is_last;
    }
}

/* Whether the row needs one of several options and none is given. */
static bool bind_lacks(const struct nb_form *form, const struct nb_model *model,
                       const struct nb_parameter *row)
{
    return row->with != NULL && bind_given(form, model, row->with) == NULL;
}

static enum nb_status bind_refuse(const struct nb_parameter *row,
                                  const char *value, struct nb_error *err)
{
    const size_t first = strcspn(row->with, " ");
    char head[40], names[120];
    snprintf(head, sizeof head, "%.*s", (int)first, row->with);
    bind_print_names(head,
                     row->with[first] != '\0' ? row->with + first + 1 : "",
                     " or ", names);
    return nb_fail(err, NB_USAGE, "--%s %.60s is not permitted without %s (%s)",
                   row->name, value, names, row->help);
}

static enum nb_status bind_check_row(const struct nb_form *form,
                                     const struct nb_model *model,
                                     const struct nb_parameter *row,
                                     struct nb_error *err)
{
    const bool is_given = bind_given(form, model, row->name) != NULL;
    const char *value = nb_model_get(model, row->name);
    const struct nb_parameter *other = bind_given(form, model, row->apart);
    char names[120];
    if (is_given && other != NULL)
        return nb_fail(err, NB_USAGE,
                       "--%s %.60s and --%s %.60s are both given (permitted: "
                       "one of them)",
                       row->name, value, other->name,
                       nb_model_get(model, other->name));
    if (is_given && bind_lacks(form, model, row))
        return bind_refuse(row, value, err);
    if (!is_given && row->either != NULL &&
        bind_given(form, model, row->either) == NULL) {
        bind_print_names(row->name, row->either, " or ", names);
        return nb_fail(err, NB_USAGE, "%s needs %s (see: netbound help %s)",
                       form->name, names, form->name);
    }
    return NB_OK;
}

enum nb_status nb_model_complete(const struct nb_form *form,
                                 struct nb_model *model, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < model->option_count; i++) {
        const struct nb_parameter *row;
        const char *name = model->options[i].name;
        NB_TRY(nb_form_find(form, name, strlen(name), &row, err));
    }
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        const char *value = nb_model_get(model, row->name);
        struct nb_error inner = { 0 };
        if (value != NULL && nb_parameter_check(row, value, &inner) != NB_OK)
            NB_TRY(nb_fail(err, NB_USAGE, "%s", inner.message));
        if (value != NULL)
            continue;
        if (row->initial == NULL)
            NB_TRY(nb_fail(err, NB_USAGE, "%s needs --%s (%s)", form->name,
                           row->name, row->help));
        else if (nb_model_initial(model, row) != NULL)
            NB_TRY(nb_model_set(model, row->name, nb_model_initial(model, row),
                                err));
    }
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        NB_TRY(bind_check_row(form, model, row, err));
done:
    return status;
}

/* The value of a field that is not set, and its size. */
static const union nb_value no_whole = { .whole = NB_NO_WHOLE },
                            no_number = { .number = { 0, 0 } },
                            no_real = { .real = NAN },
                            no_choice = { .choice = NB_NO_CHOICE },
                            no_flag = { .flag = false },
                            no_text = { .text = NULL };
static const struct {
    const union nb_value *none;
    size_t size;
} bind_types[] = {
    [NB_WHOLE] = { &no_whole, sizeof no_whole.whole },
    [NB_NUMBER] = { &no_number, sizeof no_number.number },
    [NB_REAL] = { &no_real, sizeof no_real.real },
    [NB_CHOICE] = { &no_choice, sizeof no_choice.choice },
    [NB_RADICES] = { &no_text, sizeof no_text.text },
    [NB_LIST] = { &no_text, sizeof no_text.text },
    [NB_PATH] = { &no_text, sizeof no_text.text },
    [NB_WORD] = { &no_text, sizeof no_text.text },
    [NB_FLAG] = { &no_flag, sizeof no_flag.flag },
};

/* value NULL: stores that the field is not set */
static void bind_store(const struct nb_parameter *row,
                       const union nb_value *value, void *question)
{
    memcpy((char *)question + row->field,
           value != NULL ? value : bind_types[row->type].none,
           bind_types[row->type].size);
}

enum nb_status nb_request_read(const struct nb_form *form,
                               const struct nb_model *model, void *question,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        const char *text = nb_model_get(model, row->name);
        union nb_value value;
        if (text != NULL)
            NB_TRY(nb_parameter_read(row, text, &value, err));
        bind_store(row, text != NULL ? &value : NULL, question);
    }
done:
    return status;
}

/* The first requested output file at or after a row; NULL: none. */
static const struct nb_parameter *
bind_output(const struct nb_form *form, const struct nb_question *question,
            size_t row)
{
    if (question->outputs == NULL || form->outputs == NULL)
        return NULL;
    while (form->outputs[row].name != NULL && question->outputs[row] == NULL)
        row++;
    return form->outputs[row].name != NULL ? &form->outputs[row] : NULL;
}

/* Refuses output files that the given options do not produce. */
static enum nb_status bind_check_outputs(const struct nb_form *form,
                                         const struct nb_question *question,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    const struct nb_parameter *row = bind_output(form, question, 0);
    while (row != NULL) {
        const size_t place = (size_t)(row - form->outputs);
        if (bind_lacks(form, question->model, row))
            NB_TRY(bind_refuse(row, question->outputs[place], err));
        row = bind_output(form, question, place + 1);
    }
done:
    return status;
}

/* Copies the question and binds its options, if its kind has a struct for them.
 * asked: owns that struct. */
static enum nb_status bind_question(const struct nb_question_kind *kind,
                                    const struct nb_question *question,
                                    struct nb_question *out, char **request,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = *question;
    *request = NULL;
    NB_TRY(bind_check_outputs(&kind->form, question, err));
    if (kind->size == 0)
        goto done;
    NB_TRY(nb_new(request, kind->size, 1, "a question", err));
    NB_TRY(nb_request_read(&kind->form, question->model, *request, err));
    out->request = *request;
done:
    return status;
}

/* Computes an answer, or rebuilds it from a given one, without a check of the
 * request. */
static enum nb_status
bind_find_answer(const struct nb_question_kind *kind, const void *request,
                 const struct nb_run *run, const struct nb_point *given,
                 void *answer, struct nb_text *said, struct nb_error *err)
{
    const enum nb_status status =
        given != NULL && kind->recheck != NULL
            ? kind->recheck(request, run, given, answer, said, err)
            : kind->compute(request, run, answer, err);
    if (status != NB_OK && kind->release != NULL)
        kind->release(answer);
    return status;
}

enum nb_status nb_request_recheck(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  const struct nb_point *given, void *answer,
                                  struct nb_text *said, struct nb_error *err)
{
    memset(answer, 0, kind->answer_size);
    const enum nb_status status =
        nb_request_check(kind->form.name, kind->form.options, request, err);
    return status == NB_OK
               ? bind_find_answer(kind, request, run, given, answer, said, err)
               : status;
}

enum nb_status nb_request_compute(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  void *answer, struct nb_error *err)
{
    return nb_request_recheck(kind, request, run, NULL, answer, NULL, err);
}

/* Answers a bound question, or rebuilds a given answer. */
static enum nb_status bind_answer(const struct nb_question_kind *kind,
                                  const struct nb_question *bound,
                                  const struct nb_point *given,
                                  struct nb_point *out, struct nb_text *said,
                                  struct nb_error *err)
{
    char *answer = NULL;
    enum nb_status status;
    if (given != NULL && kind->check != NULL)
        return kind->check(bound, given, out, said, err);
    if (kind->answer != NULL)
        return kind->answer(bound, out, err);
    NB_TRY(nb_new(&answer, kind->answer_size, 1, "an answer", err));
    NB_TRY(bind_find_answer(kind, bound->request, &bound->run, given, answer,
                            said, err));
    kind->report(answer, out);
    if (kind->release != NULL)
        kind->release(answer);
done:
    nb_delete(answer);
    return status;
}

/* Checks a given answer. The kind sees only the parts that it may use. */
static enum nb_status bind_check(const struct nb_question_kind *kind,
                                 const struct nb_question *bound,
                                 const struct nb_point *given,
                                 struct nb_point *out, struct nb_text *said,
                                 struct nb_error *err)
{
    struct nb_point stripped = { 0 };
    enum nb_status status;
    if (!nb_question_proves(kind))
        return bind_answer(kind, bound, NULL, out, NULL, err);
    status = nb_claims_strip(kind, given, &stripped, err);
    if (status == NB_OK)
        status = bind_answer(kind, bound, &stripped, out, said, err);
    nb_delete(stripped.tables);
    nb_delete(stripped.notes);
    return status;
}

/* Answers a question; given: checks that answer instead. */
static enum nb_status bind_ask(const struct nb_question_kind *kind,
                               const struct nb_question *question,
                               const struct nb_point *given,
                               struct nb_point *out, struct nb_text *said,
                               struct nb_error *err)
{
    struct nb_question bound;
    char *request;
    if (nb_model_is_search(question->model))
        return nb_find_answer(kind, question, given, out, said, err);
    enum nb_status status =
        bind_question(kind, question, &bound, &request, err);
    if (status == NB_OK)
        status = given != NULL
                     ? bind_check(kind, &bound, given, out, said, err)
                     : bind_answer(kind, &bound, NULL, out, NULL, err);
    nb_point_add_times(out, question->model);
    nb_delete(request);
    return status;
}

enum nb_status nb_question_answer(const struct nb_question_kind *kind,
                                  const struct nb_question *question,
                                  struct nb_point *out, struct nb_error *err)
{
    return bind_ask(kind, question, NULL, out, NULL, err);
}

enum nb_status nb_question_check(const struct nb_question_kind *kind,
                                 const struct nb_question *question,
                                 const struct nb_point *given,
                                 struct nb_point *out, struct nb_text *said,
                                 struct nb_error *err)
{
    return bind_ask(kind, question, given, out, said, err);
}

enum nb_status nb_question_write(const struct nb_question_kind *kind,
                                 const struct nb_question *question,
                                 const struct nb_point *point,
                                 struct nb_error *err)
{
    struct nb_question bound;
    char *request;
    if (bind_output(&kind->form, question, 0) == NULL)
        return NB_OK;
    enum nb_status status =
        bind_question(kind, question, &bound, &request, err);
    if (status == NB_OK)
        status = kind->write(&bound, point, err);
    nb_delete(request);
    return status;
}

/* Whether a field has a value. 0 means not set, as in zero-initialised fields,
 * where the row does not permit 0 or may stay unset; the first choice means not
 * set, too, where the row may stay unset. */
static bool hold_is_given(const struct nb_parameter *row,
                          const union nb_value *value)
{
    const bool may_be_unset = row->initial != NULL && *row->initial == '\0';
    switch (row->type) {
    case NB_WHOLE:
        return value->whole != NB_NO_WHOLE &&
               (value->whole != 0 || (row->least <= 0 && !may_be_unset));
    case NB_NUMBER:
        return nb_ratio_is_known(value->number);
    case NB_REAL:
        return !isnan(value->real) && (value->real != 0 || row->least <= 0);
    case NB_CHOICE:
        return value->choice != NB_NO_CHOICE &&
               (value->choice != 0 || !may_be_unset);
    case NB_FLAG:
        return value->flag;
    default:
        return value->text != NULL;
    }
}

static union nb_value hold_value(const struct nb_parameter *row,
                                 const void *question)
{
    union nb_value value = { 0 };
    memcpy(&value, (const char *)question + row->field,
           bind_types[row->type].size);
    return value;
}

/* The word of a choice, within the row's list; NULL: none. */
static const char *hold_choice(const struct nb_parameter *row, int choice)
{
    const char *word = choice >= 0 ? row->choices : NULL;
    for (; choice > 0 && word != NULL; choice--)
        word = (word = strchr(word, '|')) != NULL ? word + 1 : NULL;
    return word;
}

/* Whether a field has a value, and with "=WORD" that value. */
static bool hold_is_meant(const struct nb_parameter *row, const void *question,
                          const char *meant, size_t length)
{
    const union nb_value value = hold_value(row, question);
    if (length == 0)
        return hold_is_given(row, &value);
    const char *word = hold_choice(row, value.choice);
    return word != NULL && strcspn(word, "|") == length - 1 &&
           strncmp(word, meant + 1, length - 1) == 0;
}

/* bind_given for fields. */
static const struct nb_parameter *hold_find(const struct nb_parameter *rows,
                                            const void *question,
                                            const char *names)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " "), name = strcspn(names, " =");
        const struct nb_parameter *row = bind_find(rows, names, name);
        if (row != NULL &&
            hold_is_meant(row, question, names + name, length - name))
            return row;
        names += length + (names[length] == ' ');
    }
    return NULL;
}

/* Whether a field must not be filled: it has a value, or a field that excludes
 * it has. */
static bool fill_is_taken(const struct nb_parameter *rows,
                          const struct nb_parameter *row, const void *question)
{
    const union nb_value value = hold_value(row, question);
    if (row->type == NB_WHOLE && row->least <= 0 ? value.whole != NB_NO_WHOLE
                                                 : hold_is_given(row, &value))
        return true;
    for (const struct nb_parameter *other = rows; other->name != NULL;
         other++) {
        const union nb_value has = hold_value(other, question);
        if (other->apart != NULL &&
            nb_word_is_in(other->apart, ' ', row->name, strlen(row->name)) &&
            hold_is_given(other, &has))
            return true;
    }
    return hold_find(rows, question, row->apart) != NULL;
}

enum nb_status nb_request_apply_preset(const struct nb_parameter *rows,
                                       const char *settings, void *question,
                                       struct nb_text *given,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    while (*settings != '\0') {
        const size_t length = strcspn(settings, ","),
                     name = strcspn(settings, "=");
        const struct nb_parameter *row = bind_find(rows, settings, name);
        char text[40];
        union nb_value value;
        snprintf(text, sizeof text, "%.*s", (int)(length - name - 1),
                 settings + name + 1);
        settings += length + (settings[length] == ',');
        if (fill_is_taken(rows, row, question))
            continue;
        NB_TRY(nb_parameter_read(row, text, &value, err));
        bind_store(row, &value, question);
        nb_text_print(given, "%s%s %s", given->bytes != NULL ? ", " : "",
                      row->name, text);
    }
    status = nb_text_check(given, err);
done:
    return status;
}

/* Checks a value, written as a user would type it, against its row. */
static enum nb_status hold_range(const struct nb_parameter *row,
                                 const union nb_value *value,
                                 struct nb_error *err)
{
    char text[NB_RATIO_TEXT + 32];
    switch (row->type) {
    case NB_WHOLE:
        snprintf(text, sizeof text, "%lld", (long long)value->whole);
        return nb_parameter_check(row, text, err);
    case NB_NUMBER:
        nb_ratio_print(value->number, text);
        return nb_parameter_check(row, text, err);
    case NB_REAL:
        nb_number_print(value->real, text);
        return nb_parameter_check(row, text, err);
    case NB_CHOICE:
        if (hold_choice(row, value->choice) != NULL)
            return NB_OK;
        return nb_fail(err, NB_INVALID,
                       "%s %d is not permitted (permitted: the place of one of "
                       "%s, from 0 on)",
                       row->name, value->choice, row->choices);
    case NB_FLAG:
        return NB_OK;
    default:
        return nb_parameter_check(row, value->text, err);
    }
}

enum nb_status nb_request_check(const char *name,
                                const struct nb_parameter *rows,
                                const void *question, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = rows; row->name != NULL; row++) {
        const union nb_value value = hold_value(row, question);
        const bool is_given = hold_is_given(row, &value);
        const bool has_initial = row->initial != NULL && *row->initial != '\0';
        const struct nb_parameter *other =
            is_given ? hold_find(rows, question, row->apart) : NULL;
        if (is_given)
            NB_TRY(hold_range(row, &value, err));
        if (other != NULL)
            NB_TRY(nb_fail(err, NB_USAGE,
                           "%s and %s are both given (permitted: one of them)",
                           row->name, other->name));
        /* 0 in a field of whole numbers may mean that nobody has set it. */
        if (is_given && row->with != NULL &&
            (!has_initial || row->type == NB_FLAG) &&
            !(row->type == NB_WHOLE && value.whole == 0) &&
            hold_find(rows, question, row->with) == NULL)
            NB_TRY(nb_fail(err, NB_USAGE, "%s is not permitted without %s",
                           row->name, row->with));
        if (!is_given && row->either != NULL &&
            hold_find(rows, question, row->either) == NULL)
            NB_TRY(nb_fail(err, NB_USAGE, "%s needs %s or %s", name, row->name,
                           row->either));
        if (!is_given && row->type != NB_FLAG &&
            (row->initial == NULL ||
             (has_initial && (row->with == NULL ||
                              hold_find(rows, question, row->with) != NULL))))
            NB_TRY(nb_fail(err, NB_USAGE, "%s needs %s (%s)", name, row->name,
                           row->help));
    }
done:
    return status;
}
