/* Requests: the options of a model as the fields of a struct, and their checks
 * (declared in question.h). */
#include "ask/question.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
         row++)
        if (nb_model_get(model, row->name) == NULL &&
            nb_model_initial(model, row) != NULL)
            NB_TRY(nb_model_set(model, row->name, nb_model_initial(model, row),
                                err));
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
} request_types[] = {
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
static void request_store(const struct nb_parameter *row,
                          const union nb_value *value, void *question)
{
    memcpy((char *)question + row->field,
           value != NULL ? value : request_types[row->type].none,
           request_types[row->type].size);
}

enum nb_status nb_request_read(const struct nb_form *form,
                               const struct nb_model *model, void *request,
                               struct nb_error *err)
{
    struct nb_error inner = { 0 };
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        const char *text = nb_model_get(model, row->name);
        union nb_value value;
        if (text != NULL &&
            nb_parameter_read(row, text, &value, &inner) != NB_OK)
            return nb_fail_in(nb_fail_again(err, NB_USAGE, &inner), err,
                              row->name);
        request_store(row, text != NULL ? &value : NULL, request);
    }
    return NB_OK;
}

/* Whether a field has a value. 0 means not set, as in zero-initialised fields,
 * where the row does not permit 0 or may stay unset; the first choice means not
 * set, too, where the row may stay unset. */
static bool field_is_given(const struct nb_parameter *row,
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

static union nb_value field_value(const struct nb_parameter *row,
                                  const void *question)
{
    union nb_value value = { 0 };
    memcpy(&value, (const char *)question + row->field,
           request_types[row->type].size);
    return value;
}

/* The word of a choice, within the row's list; NULL: none. */
static const char *field_choice(const struct nb_parameter *row, int choice)
{
    const char *word = choice >= 0 ? row->choices : NULL;
    for (; choice > 0 && word != NULL; choice--)
        word = (word = strchr(word, '|')) != NULL ? word + 1 : NULL;
    return word;
}

/* Whether a field has a value, and with "=WORD" that value. */
static bool field_has_value(const struct nb_parameter *row,
                            const void *question, const char *meant,
                            size_t length)
{
    const union nb_value value = field_value(row, question);
    if (length == 0)
        return field_is_given(row, &value);
    const char *word = field_choice(row, value.choice);
    return word != NULL && strcspn(word, "|") == length - 1 &&
           strncmp(word, meant + 1, length - 1) == 0;
}

/* What is checked: a struct, and the model that it was read from, if any, which
 * knows better what was given. */
struct request {
    const char *name; /* of the question */
    const struct nb_parameter *rows;
    const struct nb_model *model; /* NULL: filled by a caller */
    const void *fields;
};

/* The first of these blank-separated options that is given; NAME=VALUE: with
 * that value. NULL: none. */
static const struct nb_parameter *request_find(const struct request *request,
                                               const char *names)
{
    if (request->model != NULL)
        return nb_option_given(request->rows, request->model, names);
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " "), name = strcspn(names, " =");
        const struct nb_parameter *row =
            nb_option_find(request->rows, names, name);
        if (row != NULL &&
            field_has_value(row, request->fields, names + name, length - name))
            return row;
        names += length + (names[length] == ' ');
    }
    return NULL;
}

/* Whether a field must not be filled: it has a value, or a field that excludes
 * it has. */
static bool preset_is_taken(const struct nb_parameter *rows,
                            const struct nb_parameter *row,
                            const void *question)
{
    const union nb_value value = field_value(row, question);
    if (row->type == NB_WHOLE && row->least <= 0 ? value.whole != NB_NO_WHOLE
                                                 : field_is_given(row, &value))
        return true;
    for (const struct nb_parameter *other = rows; other->name != NULL;
         other++) {
        const union nb_value has = field_value(other, question);
        if (other->apart != NULL &&
            nb_word_is_in(other->apart, ' ', row->name, strlen(row->name)) &&
            field_is_given(other, &has))
            return true;
    }
    const struct request request = { NULL, rows, NULL, question };
    return request_find(&request, row->apart) != NULL;
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
        const struct nb_parameter *row = nb_option_find(rows, settings, name);
        char text[40];
        union nb_value value;
        snprintf(text, sizeof text, "%.*s", (int)(length - name - 1),
                 settings + name + 1);
        settings += length + (settings[length] == ',');
        if (preset_is_taken(rows, row, question))
            continue;
        NB_TRY(nb_parameter_read(row, text, &value, err));
        request_store(row, &value, question);
        nb_text_print(given, "%s%s %s", given->bytes != NULL ? ", " : "",
                      row->name, text);
    }
    status = nb_text_check(given, err);
done:
    return status;
}

/* Checks a value, written as a user would type it, against its row. */
static enum nb_status field_check(const struct nb_parameter *row,
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
        if (field_choice(row, value->choice) != NULL)
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

/* Appends "--rate 0.5", or "rate" where no text is known. */
static void request_print(const struct request *request,
                          const struct nb_parameter *row, struct nb_text *out)
{
    nb_text_print(out, "%s%s", request->model != NULL ? "--" : "", row->name);
    if (request->model != NULL)
        nb_text_print(out, " %.60s", nb_model_get(request->model, row->name));
}

/* Appends "--a, --b or --c". */
static void request_print_names(const struct request *request,
                                const char *names, struct nb_text *out)
{
    for (const char *name = names; *name != '\0';) {
        const size_t length = strcspn(name, " ");
        const bool is_last = name[length] == '\0';
        nb_text_print(out, "%s%s%.*s",
                      name == names ? ""
                      : is_last     ? " or "
                                    : ", ",
                      request->model != NULL ? "--" : "", (int)length, name);
        name += length + !is_last;
    }
}

/* Refuses a value given to a row that needs another option. */
static void request_print_lack(const struct request *request,
                               const struct nb_parameter *row,
                               struct nb_text *out)
{
    nb_text_print(out, " is not permitted without ");
    request_print_names(request, row->with, out);
    nb_text_print(out, " (%s)", row->help);
}

static enum nb_status request_fail(struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = nb_text_check(text, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_USAGE, "%s", text->bytes);
    nb_text_release(text);
    return status;
}

/* Fails with "A and B are both given", with the row it lacks, or with what the
 * question needs. */
static enum nb_status request_refuse(const struct request *request,
                                     const struct nb_parameter *row,
                                     const struct nb_parameter *other,
                                     bool is_given, struct nb_error *err)
{
    struct nb_text text = { 0 };
    if (other != NULL) {
        request_print(request, row, &text);
        nb_text_print(&text, " and ");
        request_print(request, other, &text);
        nb_text_print(&text, " are both given (permitted: one of them)");
    } else if (is_given) {
        request_print(request, row, &text);
        request_print_lack(request, row, &text);
    } else if (row->either != NULL) {
        nb_text_print(&text, "%s needs %s%s", request->name,
                      request->model != NULL ? "--" : "", row->name);
        nb_text_print(&text, strchr(row->either, ' ') ? ", " : " or ");
        request_print_names(request, row->either, &text);
        if (request->model != NULL)
            nb_text_print(&text, " (see: netbound help %s)", request->name);
    } else {
        nb_text_print(&text, "%s needs %s%s (%s)", request->name,
                      request->model != NULL ? "--" : "", row->name, row->help);
    }
    return request_fail(&text, err);
}

/* Whether a field must have a value: its row has no default, or one that
 * applies. Reading a model has filled in the defaults. */
static bool request_needs(const struct request *request,
                          const struct nb_parameter *row)
{
    return row->initial == NULL ||
           (request->model == NULL && row->type != NB_FLAG &&
            *row->initial != '\0' &&
            (row->with == NULL || request_find(request, row->with) != NULL));
}

/* Whether an option that is given needs another. In a field that a caller
 * filled, its default, and 0 in a whole number, may mean that nobody set it. */
static bool request_is_meant(const struct request *request,
                             const struct nb_parameter *row)
{
    return request->model != NULL ||
           ((*row->initial == '\0' || row->type == NB_FLAG) &&
            !(row->type == NB_WHOLE &&
              field_value(row, request->fields).whole == 0));
}

static enum nb_status request_check_row(const struct request *request,
                                        const struct nb_parameter *row,
                                        struct nb_error *err)
{
    const bool is_given = request_find(request, row->name) != NULL;
    const struct nb_parameter *other =
        is_given ? request_find(request, row->apart) : NULL;
    enum nb_status status = NB_OK;
    if (is_given && request->model == NULL) {
        const union nb_value value = field_value(row, request->fields);
        NB_TRY(field_check(row, &value, err));
    }
    if (other != NULL ||
        (is_given && row->with != NULL && request_is_meant(request, row) &&
         request_find(request, row->with) == NULL) ||
        (!is_given &&
         (row->either != NULL ? request_find(request, row->either) == NULL
                              : request_needs(request, row))))
        return request_refuse(request, row, other, is_given, err);
done:
    return status;
}

static enum nb_status request_check(const struct request *request,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = request->rows;
         row->name != NULL && status == NB_OK; row++)
        status =
            nb_fail_in(request_check_row(request, row, err), err, row->name);
    return status;
}

enum nb_status nb_request_check(const char *name,
                                const struct nb_parameter *rows,
                                const void *fields, struct nb_error *err)
{
    const struct request request = { name, rows, NULL, fields };
    return request_check(&request, err);
}

enum nb_status nb_request_check_model(const struct nb_form *form,
                                      const struct nb_model *model,
                                      const void *fields, struct nb_error *err)
{
    const struct request request = { form->name, form->options, model, fields };
    return request_check(&request, err);
}

enum nb_status nb_request_check_outputs(const struct nb_form *form,
                                        const struct nb_model *model,
                                        const char *const *outputs,
                                        struct nb_error *err)
{
    const struct request request = { form->name, form->options, model, NULL };
    for (size_t i = 0; form->outputs != NULL && form->outputs[i].name != NULL;
         i++) {
        const struct nb_parameter *row = &form->outputs[i];
        struct nb_text text = { 0 };
        if (outputs[i] == NULL || row->with == NULL ||
            request_find(&request, row->with) != NULL)
            continue;
        nb_text_print(&text, "--%s %.60s", row->name, outputs[i]);
        request_print_lack(&request, row, &text);
        return request_fail(&text, err);
    }
    return NB_OK;
}
