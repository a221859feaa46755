/* The rows of a form and what a model gives for them (declared in
 * question.h). */
#include "ask/question.h"

#include "core/suggest.h"
#include "model/search.h"

#include <stdio.h>
#include <string.h>

const struct nb_parameter *nb_option_find(const struct nb_parameter *rows,
                                          const char *name, size_t length)
{
    for (; rows != NULL && rows->name != NULL; rows++)
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
    *out = nb_option_find(form->options, name, length);
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

const struct nb_parameter *nb_option_given(const struct nb_parameter *rows,
                                           const struct nb_model *model,
                                           const char *names)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " "), name = strcspn(names, " =");
        const struct nb_parameter *row = nb_option_find(rows, names, name);
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
    return nb_option_given(form->options, model, names) != NULL;
}

void nb_form_print_tables(const struct nb_form *form, const char *separator,
                          struct nb_text *out)
{
    const struct nb_table_kind *const *lists[] = { form->tables,
                                                   form->more_tables };
    struct nb_text names = { 0 }; /* each once: kinds may share a name */
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; lists[l] != NULL && lists[l][i] != NULL; i++) {
            const char *name = lists[l][i]->name;
            if (!nb_word_is_in(names.bytes, ' ', name, strlen(name)))
                nb_text_print(&names, "%s%s", names.length > 0 ? " " : "",
                              name);
        }
    if (form->prefixed_tables != NULL)
        nb_text_print(&names, " %s", form->prefixed_tables);
    for (const char *at = names.bytes; at != NULL && *at != '\0'; at++)
        nb_text_print(out, "%s%.*s", *at == ' ' ? separator : "", *at != ' ',
                      at);
    out->has_failed |= names.has_failed;
    nb_text_release(&names);
}

bool nb_model_sweeps(const struct nb_model *model, const char *name)
{
    for (size_t i = 0; i < model->sweep_count; i++)
        if (strcmp(model->sweeps[i].name, name) == 0)
            return true;
    return nb_find_is_of(model, name, strlen(name));
}

/* Whether the search sets one of these blank-separated names. */
static bool options_finds(const struct nb_model *model, const char *names)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " ");
        if (nb_find_is_of(model, names, length))
            return true;
        names += length + (names[length] == ' ');
    }
    return false;
}

/* Whether the model gives or sweeps one of these blank-separated options. */
static bool options_names(const struct nb_model *model, const char *names)
{
    for (size_t i = 0; i < model->option_count; i++) {
        const struct nb_model_option *option = &model->options[i];
        if (strcmp(option->value, "no") != 0 &&
            nb_word_is_in(names, ' ', option->name, strlen(option->name)))
            return true;
    }
    for (size_t i = 0; i < model->sweep_count; i++)
        if (nb_word_is_in(names, ' ', model->sweeps[i].name,
                          strlen(model->sweeps[i].name)))
            return true;
    return options_finds(model, names);
}

const char *nb_model_initial(const struct nb_model *model,
                             const struct nb_parameter *row)
{
    if (row->initial == NULL || *row->initial == '\0' ||
        (row->with != NULL && !options_names(model, row->with)))
        return NULL;
    if (row->beside == NULL)
        return row->initial;
    const size_t length = strcspn(row->beside, "=");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, row->beside);
    return options_names(model, name) ? row->beside + length + 1 : row->initial;
}
