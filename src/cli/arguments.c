/* Reading the command line (declared in command.h). */
#include "cli/options.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "core/try.h"
#include "ask/registry.h"
#include "model/input.h"
#include "model/search.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool arguments_is(const struct nb_parameter *row, const char *name)
{
    return strcmp(row->name, name) == 0;
}

/* Sets the rows that share a name, except those set by their own names. */
static enum nb_status also_spread_one(struct nb_invocation *invocation,
                                      const char *also, const char *value,
                                      struct nb_error *err)
{
    struct nb_model *model = &invocation->model;
    struct nb_text names = { 0 };
    bool is_any = false;
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = invocation->command->form->options;
         row->name != NULL; row++) {
        if (row->also == NULL || strcmp(row->also, also) != 0)
            continue;
        nb_text_print(&names, "%s--%s", names.length > 0 ? " and " : "",
                      row->name);
        if (nb_model_get(model, row->name) != NULL ||
            nb_model_sweeps(model, row->name))
            continue;
        is_any = true;
        NB_TRY(nb_model_set(model, row->name, value, err));
    }
    NB_TRY(nb_text_check(&names, err));
    if (!is_any)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--%s already sets %s (permitted: one of them)", also,
                       names.bytes));
    NB_TRY(nb_model_set(model, also, NULL, err));
done:
    nb_text_release(&names);
    return status;
}

/* Until all options are read, the model has the value of a shared name as one
 * more option. Gives it to the rows not set by their own names. Errors:
 * NB_USAGE if there is none. */
static enum nb_status also_spread(struct nb_invocation *invocation,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = invocation->command->form->options;
         row != NULL && row->name != NULL; row++) {
        const char *also = nb_option_also(invocation->command, row);
        const char *value =
            also != NULL ? nb_model_get(&invocation->model, also) : NULL;
        if (value != NULL)
            NB_TRY(also_spread_one(invocation, also, value, err));
    }
done:
    return status;
}

/* Offers the names of an option. */
static void arguments_suggest(struct nb_suggestion *near,
                              const struct nb_parameter *row)
{
    nb_suggest(near, row->name, strlen(row->name));
    nb_suggest_words(near, row->also, ' ');
}

static enum nb_status arguments_set_sweep(struct nb_invocation *invocation,
                                          const char *value,
                                          struct nb_error *err)
{
    const char *equals = strchr(value, '=');
    const struct nb_form *form = invocation->command->form;
    char name[64], meant[NB_SUGGESTED];
    if (equals == NULL || equals == value || equals[1] == '\0' ||
        (size_t)(equals - value) >= sizeof name)
        return nb_fail(err, NB_USAGE,
                       "--sweep \"%.60s\" is not permitted (permitted: "
                       "NAME=A:B:STEP or NAME=v1,v2,...)",
                       value);
    snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);
    struct nb_suggestion near = { .typed = name, .length = strcspn(name, ".") };
    const struct nb_parameter *row =
        nb_rows_find(form->options, name, near.length);
    const bool is_also =
        row != NULL && !nb_option_is_named(row, name, near.length);
    if (is_also && nb_rows_find(row + 1, name, near.length) != NULL)
        return nb_fail(err, NB_USAGE,
                       "--sweep %s: it sets several options at once "
                       "(permitted: a sweep of one of them, see: netbound "
                       "help %s)",
                       name, form->name);
    if (is_also && name[near.length] == '\0')
        snprintf(name, sizeof name, "%s", row->name);
    else if (row == NULL || is_also) {
        for (row = form->options; row != NULL && row->name != NULL; row++)
            arguments_suggest(&near, row);
        return nb_fail(err, NB_USAGE,
                       "--sweep %s: %s has no option \"%.*s\"%s (see: netbound "
                       "help %s)",
                       name, form->name, (int)near.length, name,
                       nb_suggestion_print(&near, "", meant), form->name);
    }
    for (size_t i = 0; i < invocation->model.sweep_count; i++)
        if (strcmp(invocation->model.sweeps[i].name, name) == 0)
            return nb_fail(err, NB_USAGE,
                           "--sweep %s is given twice (permitted: once)", name);
    return nb_model_add_sweep(&invocation->model, name, equals + 1, err);
}

const char *const nb_format_names[] = { [NB_FORMAT_TEXT] = "text",
                                        [NB_FORMAT_CSV] = "csv",
                                        [NB_FORMAT_XML] = "xml",
                                        [NB_FORMAT_JSON] = "json" };

/* Sets the format of that name, NULL: text; another name is a style sheet. */
static void arguments_set_format(struct nb_invocation *invocation,
                                 const char *name)
{
    if (name == NULL)
        return;
    invocation->format = NB_FORMAT_CSV;
    invocation->style = name;
    for (size_t i = 0; i < sizeof nb_format_names / sizeof *nb_format_names;
         i++)
        if (strcmp(name, nb_format_names[i]) == 0) {
            invocation->format = (enum nb_format)i;
            invocation->style = NULL;
        }
}

/* Every option may be given once, except --sweep and those that join their
 * values. */
static enum nb_status arguments_note(struct nb_invocation *invocation,
                                     const struct nb_parameter *row,
                                     struct nb_error *err)
{
    const size_t most = sizeof invocation->given / sizeof *invocation->given;
    if (arguments_is(row, "sweep"))
        return NB_OK;
    for (size_t i = 0; i < invocation->given_count; i++)
        if (invocation->given[i] == row && row->joins != NULL)
            return NB_OK;
        else if (invocation->given[i] == row)
            return nb_fail(err, NB_USAGE,
                           "--%s is given twice (permitted: once)", row->name);
    assert(invocation->given_count < most);
    (void)most;
    invocation->given[invocation->given_count++] = row;
    return NB_OK;
}

/* Sets an option of the question; if it joins its values, after those given
 * before. */
static enum nb_status arguments_set_option(struct nb_model *model,
                                           const struct nb_parameter *row,
                                           const char *value,
                                           struct nb_error *err)
{
    const char *before =
        row->joins != NULL ? nb_model_get(model, row->name) : NULL;
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    if (before == NULL)
        return nb_model_set(model, row->name, value, err);
    nb_text_print(&text, "%s%s%s", before, row->joins, value);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_model_set(model, row->name, text.bytes, err));
done:
    nb_text_release(&text);
    return status;
}

/* Checks one option and stores it where it belongs. */
static enum nb_status arguments_set(struct nb_invocation *invocation,
                                    const struct nb_parameter *row,
                                    const char *text, struct nb_error *err)
{
    const struct nb_form *form = invocation->command->form;
    struct nb_error inner = { 0 };
    union nb_value value;
    const enum nb_status status = arguments_note(invocation, row, err);
    if (status != NB_OK)
        return status;
    /* Values with a unit are checked after all options are read, because the
     * clock is needed. */
    if (row->unit == NULL &&
        nb_parameter_read(row, text, &value, &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "--%s", inner.message);
    if (nb_option_is_in(form->outputs, row))
        invocation->outputs[row - form->outputs] = text;
    else if (!nb_option_is_in(nb_common_options, row) ||
             nb_find_is_part(row->name))
        return arguments_set_option(&invocation->model, row, text, err);
    else if (arguments_is(row, "sweep"))
        return arguments_set_sweep(invocation, text, err);
    else
        memcpy((char *)invocation + row->field, &value, sizeof value);
    return NB_OK;
}

/* Sets an option by its name, or several by one that they share. */
static enum nb_status arguments_set_named(struct nb_invocation *invocation,
                                          const struct nb_parameter *row,
                                          const struct nb_given *given,
                                          struct nb_error *err)
{
    struct nb_model *model = &invocation->model;
    if (nb_option_is_named(row, given->name, given->length))
        return arguments_set(invocation, row, given->value, err);
    if (nb_model_get(model, row->also) != NULL)
        return nb_fail(err, NB_USAGE, "--%s is given twice (permitted: once)",
                       row->also);
    return nb_model_set(model, row->also, given->value, err);
}

static enum nb_status arguments_unknown(const struct nb_command *command,
                                        const char *argument,
                                        struct nb_error *err)
{
    const char *name = argument + strspn(argument, "-");
    const struct nb_parameter *row = NULL;
    struct nb_suggestion near = { .typed = name, .length = strcspn(name, "=") };
    char meant[NB_SUGGESTED];
    const bool overrides =
        command->overrides && strncmp(argument, "--", 2) == 0;
    const int shown = overrides ? (int)strcspn(argument, "=") : 60;
    for (size_t i = 0; overrides && nb_questions[i] != NULL; i++)
        for (row = nb_questions[i]->form.options; row->name != NULL; row++)
            arguments_suggest(&near, row);
    for (row = NULL; (row = nb_option_next(command, row)) != NULL;)
        arguments_suggest(&near, row);
    near.is_known = false; /* "-name" means "--name" */
    return nb_fail(
        err, NB_USAGE, "%s has no option \"%.*s\"%s%s (see: netbound help %s)",
        command->form->name, shown < 60 ? shown : 60, argument,
        overrides ? ", nor has any question" : "",
        nb_suggestion_print(&near, "--", meant), command->form->name);
}

/* An option of any question, or one that makes a sweep or search of it; NULL:
 * none. */
static const struct nb_parameter *override_find(const char *name, size_t length)
{
    const struct nb_parameter *row = NULL;
    for (size_t i = 0; nb_questions[i] != NULL && row == NULL; i++)
        row = nb_rows_find(nb_questions[i]->form.options, name, length);
    if (row == NULL)
        row = nb_rows_find(nb_common_options, name, length);
    return row == NULL || !nb_option_is_in(nb_common_options, row) ||
                   arguments_is(row, "sweep") || nb_find_is_part(row->name)
               ? row
               : NULL;
}

/* Reads an option with its value. One that is not the command's own, but of the
 * questions in its files, is recorded, since these decide on it later. */
static enum nb_status arguments_read_option(struct nb_invocation *invocation,
                                            int count, char **arguments,
                                            int *index, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    struct nb_given given = { .name = arguments[*index] + 2, .value = "yes" };
    given.length = strcspn(given.name, "=");
    const struct nb_parameter *row =
        nb_command_option(command, given.name, given.length);
    const bool is_override = row == NULL && command->overrides;
    if (is_override && invocation->override_count < NB_OVERRIDES)
        row = override_find(given.name, given.length);
    if (row == NULL)
        return arguments_unknown(command, arguments[*index], err);
    if (given.name[given.length] == '=')
        given.value = given.name + given.length + 1;
    else if (row->type != NB_FLAG && *index + 1 < count)
        given.value = arguments[++*index];
    else if (row->type != NB_FLAG)
        return nb_fail(err, NB_USAGE, "--%s needs a value (%s)", given.name,
                       row->help);
    if (!is_override)
        return arguments_set_named(invocation, row, &given, err);
    invocation->overrides[invocation->override_count++] = given;
    return NB_OK;
}

static bool override_is_in(const char *list, const struct nb_parameter *row)
{
    return nb_word_is_in(list, ' ', row->name, strlen(row->name));
}

/* Whether the two options are the same, or alternatives for the same thing. */
static bool override_is_instead(const struct nb_parameter *row,
                                const struct nb_parameter *other)
{
    static const char rates[] = "load rate";
    return row == other || override_is_in(row->either, other) ||
           override_is_in(other->either, row) ||
           (override_is_in(rates, row) && override_is_in(rates, other));
}

/* Removes the file's value and sweep of an option, and of its alternatives. */
static enum nb_status override_make_room(const struct nb_form *form,
                                         const struct nb_parameter *row,
                                         struct nb_model *model,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *other = form->options; other->name != NULL;
         other++)
        if (override_is_instead(row, other)) {
            nb_model_remove_sweep(model, other->name);
            NB_TRY(nb_model_set(model, other->name, NULL, err));
        }
done:
    return status;
}

static bool override_is(const struct nb_given *given, const char *name)
{
    return nb_word_is_in(name, ' ', given->name, given->length);
}

/* --find with an empty value removes the file's search. */
static bool override_ends_search(const struct nb_given *given)
{
    return override_is(given, NB_FIND_NAME) && *given->value == '\0';
}

/* Makes room for the option that an override sets, sweeps or finds; a part of
 * one, as in the sweep topology.k, replaces only a sweep of that part. */
static enum nb_status override_begin(struct nb_invocation *question,
                                     const struct nb_given *given,
                                     struct nb_error *err)
{
    static const char *const search[] = { NB_FIND_NAME, NB_FIND_WHERE,
                                          NB_FIND_WITHIN };
    const struct nb_form *form = question->command->form;
    const bool is_within =
        override_is(given, "sweep") || override_is(given, NB_FIND_NAME);
    const char *name = !is_within ? given->name
                       : strcmp(given->value, "saturation") == 0
                           ? "load" /* a search for the load */
                           : given->value;
    const size_t length = is_within ? strcspn(name, "=") : given->length;
    char part[80];
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < 3 && override_ends_search(given); i++)
        NB_TRY(nb_model_set(&question->model, search[i], NULL, err));
    snprintf(part, sizeof part, "%.*s", (int)(length < 79 ? length : 79), name);
    nb_model_remove_sweep(&question->model, part);
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        if (arguments_is(row, part) ||
            nb_word_is_in(row->also, ' ', part, strlen(part)))
            NB_TRY(override_make_room(form, row, &question->model, err));
done:
    return status;
}

/* Puts options in the order of the table, as in reports from a command line. */
static void override_sort(const struct nb_form *form, struct nb_model *model)
{
    size_t place = 0;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        for (size_t i = place; i < model->option_count; i++) {
            const struct nb_model_option option = model->options[i];
            if (strcmp(option.name, row->name) != 0)
                continue;
            model->options[i] = model->options[place];
            model->options[place++] = option;
            break;
        }
}

enum nb_status nb_invocation_override(struct nb_invocation *question,
                                      const struct nb_invocation *given,
                                      struct nb_error *err)
{
    const struct nb_form *form = question->command->form;
    const struct nb_given *end = given->overrides + given->override_count;
    enum nb_status status = NB_OK;
    for (const struct nb_given *at = given->overrides; at < end; at++)
        NB_TRY(override_begin(question, at, err));
    for (const struct nb_given *at = given->overrides; at < end; at++) {
        const struct nb_parameter *row =
            nb_command_option(question->command, at->name, at->length);
        if (override_ends_search(at))
            continue;
        if (row == NULL)
            NB_TRY(arguments_unknown(question->command, at->name - 2, err));
        NB_TRY(arguments_set_named(question, row, at, err));
    }
    NB_TRY(also_spread(question, err));
    NB_TRY(nb_model_convert(form, &question->model, err));
    if (given->override_count > 0) {
        nb_model_drop_inputs(&question->model);
        /* It describes the file's question; --title gives another. */
        nb_delete(question->model.title);
        question->model.title = NULL;
        override_sort(form, &question->model);
    }
done:
    return status;
}

/* The option that has kinds of the name that a specification begins with, or an
 * alias of it; NULL if there is none. */
static const char *word_option(const char *word)
{
    size_t index;
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        if (nb_kind_find(at->kinds, word, strcspn(word, ":"), &index) != NULL)
            return at->option;
    return NULL;
}

/* Refuses a word that follows no option and is not a network. */
static enum nb_status word_refuse(const struct nb_command *command,
                                  const char *option, const char *word,
                                  struct nb_error *err)
{
    const struct nb_parameter *row =
        option != NULL
            ? nb_rows_find(command->form->options, option, strlen(option))
            : NULL;
    char meant[NB_SUGGESTED] = "";
    if (row != NULL && row->type == NB_WORD)
        snprintf(meant, sizeof meant, ": did you mean --%s %.60s?", row->name,
                 word);
    return nb_fail(err, NB_USAGE,
                   "%s does not take \"%.60s\"%s (see: netbound help %s)",
                   command->form->name, word, meant, command->form->name);
}

/* The network, given without --topology: by its kind or by its file's name. */
static enum nb_status word_read_network(struct nb_invocation *invocation,
                                        const char *word, struct nb_error *err)
{
    const struct nb_parameter *row = nb_command_network(invocation->command);
    const char *option = word_option(word);
    const bool is_file = option == NULL && (access(word, F_OK) == 0 ||
                                            strpbrk(word, "/.") != NULL);
    struct nb_text text = { 0 };
    enum nb_status status;
    if (row == NULL ||
        !(is_file || (option != NULL && strcmp(option, "topology") == 0)))
        return word_refuse(invocation->command, option, word, err);
    nb_text_print(&text, "%s%s", is_file ? "file:" : "", word);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(arguments_set(invocation, row, text.bytes, err));
done:
    nb_text_release(&text);
    return status;
}

static enum nb_status word_read(struct nb_invocation *invocation,
                                const char *word, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    if (word[0] == '-' && word[1] != '\0')
        return arguments_unknown(command, word, err);
    if (command->words == NULL)
        return word_read_network(invocation, word, err);
    if (invocation->word_count == NB_WORDS)
        return nb_fail(err, NB_USAGE,
                       "%s takes at most %d words; \"%.60s\" is one too many "
                       "(see: netbound help %s)",
                       command->form->name, NB_WORDS, word,
                       command->form->name);
    if (command->word_at == NULL && strcmp(word, NB_FILE_STDIN) == 0 &&
        nb_ranks_count() > 1)
        return nb_invocation_check_alone(invocation, err);
    invocation->words[invocation->word_count++] = word;
    return NB_OK;
}

enum nb_status nb_invocation_check_alone(const struct nb_invocation *invocation,
                                         struct nb_error *err)
{
    return nb_ranks_count() == 1 && invocation->checkpoint.text == NULL
               ? NB_OK
               : nb_fail(err, NB_USAGE,
                         "standard input is not permitted with %s (permitted: "
                         "a file)",
                         invocation->checkpoint.text != NULL ? "--checkpoint"
                                                             : "several ranks");
}

/* Numbers from here to 100 for a fraction that may exceed 1 are usually meant
 * as percentages. */
#define ARGUMENTS_PERCENT 10

/* Asks on standard error whether --load 70 was meant as 70 %. */
static void arguments_ask_percent(const struct nb_invocation *invocation)
{
    for (size_t i = 0; i < invocation->given_count; i++) {
        const struct nb_parameter *row = invocation->given[i];
        const char *value = nb_model_get(&invocation->model, row->name);
        struct nb_ratio ratio;
        if (value == NULL || row->unit == NULL ||
            strcmp(row->unit, "fraction") != 0 || row->most <= 100 ||
            nb_ratio_read(value, &ratio, NULL) != NB_OK ||
            nb_ratio_value(ratio) < ARGUMENTS_PERCENT ||
            nb_ratio_value(ratio) > 100 || !nb_ranks_is_first())
            continue;
        fprintf(stderr,
                "netbound: note: --%s %s is a fraction, not a percentage: did "
                "you mean %s%%?\n",
                row->name, value, value);
    }
}

enum nb_status nb_invocation_read(struct nb_invocation *invocation, int count,
                                  char **arguments, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (int i = 0; i < count; i++)
        NB_TRY(
            strncmp(arguments[i], "--", 2) == 0
                ? arguments_read_option(invocation, count, arguments, &i, err)
                : word_read(invocation, arguments[i], err));
    /* The format's name in export. */
    const char *to = nb_model_get(&invocation->model, "to");
    arguments_set_format(invocation,
                         to != NULL ? to : invocation->format_name.text);
    if (invocation->explains.flag &&
        (invocation->format != NB_FORMAT_TEXT || invocation->style != NULL))
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--explain only adds to text (permitted: with "
                       "--format text or --to text; pages always have it)"));
    NB_TRY(also_spread(invocation, err));
    arguments_ask_percent(invocation);
    NB_TRY(
        nb_model_convert(invocation->command->form, &invocation->model, err));
done:
    return status;
}

void nb_invocation_release(struct nb_invocation *invocation)
{
    nb_model_release(&invocation->model);
}
