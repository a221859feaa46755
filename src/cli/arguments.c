/* Reading the command line (declared in command.h). */
#include "cli/command.h"
#include "cli/reference.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "core/try.h"
#include "ask/find.h"
#include "model/input.h"
#include "export/export.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct nb_parameter nb_common_options[] = {
    NB_COMMAND_OPTION(
        "format", OUTPUT, CHOICE, "text", "output format",
        .detail = "text: for people\ncsv: one table, for scripts\nxml: the "
                  "whole report; verify, export and run can read it\njson: the "
                  "whole report\nhtml: a page with charts, in one "
                  "file\nmarkdown, latex: tables\nsvg: the charts\nipynb: a "
                  "notebook that asks the question again\nnetbound export "
                  "makes the same formats from a report in XML.",
        .is_first = true, .choices = nb_format_choices),
    NB_COMMAND_OPTION(
        "output", OUTPUT, PATH, "",
        "write the report to this file instead of standard output",
        .is_first = true),
    NB_COMMAND_OPTION("table", OUTPUT, WORD, "",
                      "print only this table of the report, such as channels"),
    NB_COMMAND_OPTION("show", OUTPUT, WORD, "",
                      "quantities, tables or TABLE.COLUMN to show, in this "
                      "order, such as throughput,channels",
                      .detail =
                          "TABLE.all shows all columns of a table. One "
                          "quantity over two sweeps becomes a two-way table. "
                          "csv, xml and json always hold everything.",
                      .is_first = true),
    NB_COMMAND_OPTION("numbers", OUTPUT, CHOICE, "both",
                      "show exact numbers as decimals, as ratios, or both",
                      .detail = "csv, xml and json always hold both.",
                      .choices = "both|decimal|exact"),
    NB_COMMAND_OPTION(
        "title", OUTPUT, WORD, "", "title of the report, in every format",
        .detail = "Default: the title in the model, or the question."),
    NB_COMMAND_OPTION(
        "sweep", SEARCH, WORD, "",
        "one answer per value: NAME=FROM:TO:STEP or NAME=v1,v2,...; may be "
        "repeated",
        .detail =
            "NAME is an option, or a parameter in one, such as routing.ties.",
        .is_first = true),
    NB_COMMAND_OPTION(NB_FIND_NAME, SEARCH, WORD, "",
                      "find the value of this option that just meets --where, "
                      "such as load or load=0.1:0.9",
                      .detail = "The option may also be a parameter, such as "
                                "topology.h. NAME=A:B searches from A to B.",
                      .is_first = true),
    NB_COMMAND_OPTION(
        NB_FIND_WHERE, SEARCH, WORD, "",
        "condition for --find: 'QUANTITY <= VALUE' or 'QUANTITY >= VALUE'",
        .detail = "For example 'mean_latency <= 20'.", .is_first = true),
    NB_COMMAND_OPTION(NB_FIND_WITHIN, SEARCH, REAL, "",
                      "relative width of the bracket at which --find stops; "
                      "default 1e-4, or 0.01 if simulated",
                      .detail = "Whole numbers are found exactly.",
                      .least = 1e-12, .most = 1),
    NB_COMMAND_OPTION("save-model", OUTPUT, PATH, "",
                      "write the question to this file, for netbound run"),
    NB_COMMAND_OPTION(
        "checkpoint", RUN, PATH, "",
        "file for finished work; if it exists, its run is resumed",
        .detail =
            "It belongs to one question. If it cannot be written, standard "
            "error says so, and the answer is computed without it."),
    NB_COMMAND_OPTION("threads", RUN, WHOLE, "0",
                      "threads to use, 0 for all; results do not depend on it",
                      .most = 4096),
    NB_COMMAND_OPTION(
        "explain", OUTPUT, FLAG, "no",
        "also show the formula and sources of each number",
        .detail = "For each number: its formula, the formula with values "
                  "inserted, intermediate results, and the sources in full.",
        .is_first = true),
    NB_COMMAND_OPTION("progress", RUN, CHOICE, "auto",
                      "show progress on standard error",
                      .choices = "auto|always|never"),
    { 0 },
};

static const struct nb_parameter *
arguments_find(const struct nb_parameter *rows, const char *name, size_t length)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (nb_word_is_in(rows->name, ' ', name, length))
            return rows;
    return NULL;
}

bool nb_command_takes(const struct nb_command *command,
                      const struct nb_parameter *row)
{
    const size_t length = strlen(row->name);
    if (nb_find_is_part(row->name) && /* only some questions can be searched */
        (command->question == NULL || command->question->judge != NULL ||
         arguments_find(command->form->options, row->name, length) != NULL))
        return false;
    for (const char *word = command->form->common; word != NULL;) {
        word += strspn(word, " ");
        const size_t own = strcspn(word, " ");
        if (own == length && strncmp(word, row->name, length) == 0)
            return true;
        if (own == 0)
            return false;
        word += own;
    }
    return true;
}

const struct nb_parameter *nb_also_find(const struct nb_form *form,
                                        const char *name, size_t length,
                                        bool *is_shared)
{
    const struct nb_parameter *found = NULL;
    for (const struct nb_parameter *row = form->options;
         row != NULL && row->name != NULL; row++) {
        if (!nb_word_is_in(row->also, ' ', name, length))
            continue;
        if (found != NULL && is_shared != NULL)
            *is_shared = true;
        if (found == NULL)
            found = row;
    }
    return found;
}

/* Records the value of a shared name. Errors: NB_USAGE if it already has
 * one. */
static enum nb_status also_add(struct nb_invocation *invocation,
                               const char *name, const char *value,
                               struct nb_error *err)
{
    for (size_t i = 0; i < invocation->also_count; i++)
        if (strcmp(invocation->also[i].name, name) == 0)
            return nb_fail(err, NB_USAGE,
                           "--%s is given twice (permitted: once)", name);
    assert(invocation->also_count < NB_ALSO);
    invocation->also[invocation->also_count++] =
        (struct nb_also){ name, value };
    return NB_OK;
}

/* Sets the rows that share a name, except those set by their own names. */
static enum nb_status also_spread_one(struct nb_invocation *invocation,
                                      const struct nb_also *also,
                                      struct nb_error *err)
{
    struct nb_model *model = &invocation->model;
    struct nb_text names = { 0 };
    bool is_any = false;
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = invocation->command->form->options;
         row->name != NULL; row++) {
        if (row->also == NULL || strcmp(row->also, also->name) != 0)
            continue;
        nb_text_print(&names, "%s--%s", names.length > 0 ? " and " : "",
                      row->name);
        if (nb_model_get(model, row->name) != NULL ||
            nb_model_sweeps(model, row->name))
            continue;
        is_any = true;
        NB_TRY(nb_model_set(model, row->name, also->value, err));
    }
    NB_TRY(nb_text_check(&names, err));
    if (!is_any)
        status = nb_fail(err, NB_USAGE,
                         "--%s already sets %s (permitted: one of them)",
                         also->name, names.bytes);
done:
    nb_text_release(&names);
    return status;
}

/* Gives the value of a shared name to the rows not set by their own names.
 * Errors: NB_USAGE if there is none. */
static enum nb_status also_spread(struct nb_invocation *invocation,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < invocation->also_count && status == NB_OK; i++)
        status = also_spread_one(invocation, &invocation->also[i], err);
    return status;
}

/* Offers the names of the rows that the command takes. */
static void arguments_suggest(struct nb_suggestion *near,
                              const struct nb_command *command,
                              const struct nb_parameter *rows)
{
    const bool is_common = rows == nb_common_options;
    for (; rows != NULL && rows->name != NULL; rows++)
        if (!is_common || nb_command_takes(command, rows)) {
            nb_suggest(near, rows->name, strlen(rows->name));
            if (rows->also != NULL)
                nb_suggest(near, rows->also, strlen(rows->also));
        }
}

static enum nb_status arguments_set_sweep(struct nb_invocation *invocation,
                                          const char *value,
                                          struct nb_error *err)
{
    const char *equals = strchr(value, '=');
    const struct nb_command *command = invocation->command;
    char name[64], meant[NB_SUGGESTED];
    if (equals == NULL || equals == value || equals[1] == '\0' ||
        (size_t)(equals - value) >= sizeof name)
        return nb_fail(err, NB_USAGE,
                       "--sweep \"%.60s\" is not permitted (permitted: "
                       "NAME=A:B:STEP or NAME=v1,v2,...)",
                       value);
    memcpy(name, value, (size_t)(equals - value));
    name[equals - value] = '\0';
    bool is_shared = false;
    const struct nb_parameter *also =
        nb_also_find(command->form, name, strlen(name), &is_shared);
    if (also != NULL && !is_shared)
        snprintf(name, sizeof name, "%s", also->name);
    if (is_shared)
        return nb_fail(err, NB_USAGE,
                       "--sweep %s: it sets several options at once "
                       "(permitted: a sweep of one of them, see: netbound "
                       "help %s)",
                       name, command->form->name);
    struct nb_suggestion near = { .typed = name, .length = strcspn(name, ".") };
    if (arguments_find(command->form->options, name, near.length) == NULL) {
        arguments_suggest(&near, command, command->form->options);
        return nb_fail(err, NB_USAGE,
                       "--sweep %s: %s has no option \"%.*s\"%s (see: netbound "
                       "help %s)",
                       name, command->form->name, (int)near.length, name,
                       nb_suggestion_print(&near, "", meant),
                       command->form->name);
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

void nb_invocation_set_format(struct nb_invocation *invocation,
                              const char *name)
{
    invocation->format = NB_FORMAT_CSV;
    invocation->style = name;
    for (size_t i = 0; i < sizeof nb_format_names / sizeof *nb_format_names;
         i++)
        if (strcmp(name, nb_format_names[i]) == 0) {
            invocation->format = (enum nb_format)i;
            invocation->style = NULL;
        }
}

static enum nb_status arguments_set_common(struct nb_invocation *invocation,
                                           const struct nb_parameter *row,
                                           const char *value,
                                           struct nb_error *err)
{
    const char *name = row->name;
    int64_t whole;
    if (strcmp(name, "sweep") == 0)
        return arguments_set_sweep(invocation, value, err);
    if (nb_find_is_part(name))
        return nb_model_set(&invocation->model, name, value, err);
    if (strcmp(name, "format") == 0)
        nb_invocation_set_format(invocation, value);
    if (strcmp(name, "progress") == 0)
        invocation->progress = strcmp(value, "always") == 0 ? NB_PROGRESS_ALWAYS
                               : strcmp(value, "never") == 0 ? NB_PROGRESS_NEVER
                                                             : NB_PROGRESS_AUTO;
    if (strcmp(name, "output") == 0)
        invocation->output = value;
    if (strcmp(name, "table") == 0)
        invocation->table = value;
    if (strcmp(name, "show") == 0)
        invocation->show = value;
    if (strcmp(name, "numbers") == 0)
        invocation->numbers = strcmp(value, "exact") == 0 ? NB_NUMBERS_EXACT
                              : strcmp(value, "decimal") == 0
                                  ? NB_NUMBERS_DECIMAL
                                  : NB_NUMBERS_BOTH;
    if (strcmp(name, "title") == 0)
        invocation->title = value;
    if (strcmp(name, "save-model") == 0)
        invocation->save_model = value;
    if (strcmp(name, "checkpoint") == 0)
        invocation->checkpoint = value;
    if (strcmp(name, "explain") == 0)
        invocation->explains = strcmp(value, "yes") == 0;
    if (strcmp(name, "threads") == 0 &&
        nb_integer_read(value, name, (int64_t)row->least, (int64_t)row->most,
                        &whole, err) == NB_OK)
        invocation->threads = (int)whole;
    return NB_OK;
}

/* Every option may be given once, except --sweep and those that join their
 * values. */
static enum nb_status arguments_note(struct nb_invocation *invocation,
                                     const struct nb_parameter *row,
                                     struct nb_error *err)
{
    const size_t most = sizeof invocation->given / sizeof *invocation->given;
    if (strcmp(row->name, "sweep") == 0)
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

/* Stores one checked option where it belongs. */
static enum nb_status arguments_set(struct nb_invocation *invocation,
                                    const struct nb_parameter *row,
                                    const char *value, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    struct nb_error inner = { 0 };
    const enum nb_status status = arguments_note(invocation, row, err);
    if (status != NB_OK)
        return status;
    /* Values with a unit are checked after all options are read, because the
     * clock is needed. */
    if (row->unit == NULL && nb_parameter_check(row, value, &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "--%s", inner.message);
    for (size_t i = 0;
         command->form->outputs != NULL && command->form->outputs[i].name;
         i++) {
        if (&command->form->outputs[i] == row) {
            invocation->outputs[i] = value;
            return NB_OK;
        }
    }
    if (arguments_find(nb_common_options, row->name, strlen(row->name)) == row)
        return arguments_set_common(invocation, row, value, err);
    return arguments_set_option(&invocation->model, row, value, err);
}

static enum nb_status arguments_unknown(const struct nb_command *command,
                                        const char *argument,
                                        struct nb_error *err)
{
    const char *name = argument + strspn(argument, "-");
    struct nb_suggestion near = { .typed = name, .length = strcspn(name, "=") };
    char meant[NB_SUGGESTED];
    arguments_suggest(&near, command, command->form->options);
    arguments_suggest(&near, command, command->form->outputs);
    arguments_suggest(&near, command, nb_common_options);
    near.is_known = false; /* "-name" means "--name" */
    return nb_fail(
        err, NB_USAGE, "%s has no option \"%.60s\"%s (see: netbound help %s)",
        command->form->name, argument, nb_suggestion_print(&near, "--", meant),
        command->form->name);
}

/* Sets an option of any kind by its name. */
static enum nb_status arguments_set_named(struct nb_invocation *invocation,
                                          const struct nb_parameter *row,
                                          const struct nb_parameter *also,
                                          const char *value,
                                          struct nb_error *err)
{
    return also != NULL ? also_add(invocation, also->also, value, err)
                        : arguments_set(invocation, row, value, err);
}

/* The common option that may be given for a question in a file; NULL: none. */
static const struct nb_parameter *override_common(const char *name,
                                                  size_t length)
{
    const struct nb_parameter *row =
        arguments_find(nb_common_options, name, length);
    return row != NULL && (strcmp(row->name, "sweep") == 0 ||
                           nb_find_is_part(row->name))
               ? row
               : NULL;
}

/* Records an option that is not the command's own, but of the questions in its
 * files, which decide on it later. At least one question kind has it. */
static enum nb_status override_note(struct nb_invocation *invocation, int count,
                                    char **arguments, int *index,
                                    struct nb_error *err)
{
    const char *name = arguments[*index] + 2;
    const size_t length = strcspn(name, "=");
    const size_t most =
        sizeof invocation->overrides / sizeof *invocation->overrides;
    const struct nb_parameter *row = NULL;
    struct nb_suggestion near = { .typed = name, .length = length };
    char meant[NB_SUGGESTED];
    for (size_t i = 0; nb_questions[i] != NULL && row == NULL; i++) {
        const struct nb_form *form = &nb_questions[i]->form;
        arguments_suggest(&near, invocation->command, form->options);
        row = arguments_find(form->options, name, length);
        if (row == NULL)
            row = nb_also_find(form, name, length, NULL);
    }
    if (row == NULL)
        row = override_common(name, length);
    arguments_suggest(&near, invocation->command, nb_common_options);
    const bool is_flag = row != NULL && row->type == NB_FLAG;
    if (row == NULL || invocation->override_count == most)
        return nb_fail(err, NB_USAGE,
                       "%s has no option \"--%.*s\", nor has any question%s "
                       "(see: netbound help %s)",
                       invocation->command->form->name,
                       (int)(length < 60 ? length : 60), name,
                       nb_suggestion_print(&near, "--", meant),
                       invocation->command->form->name);
    if (name[length] != '=' && !is_flag && *index + 1 >= count)
        return nb_fail(err, NB_USAGE, "--%s needs a value (%s)", name,
                       row->help);
    invocation->overrides[invocation->override_count++] = (struct nb_override){
        .name = name,
        .length = length,
        .value = name[length] == '=' ? name + length + 1
                 : is_flag           ? "yes"
                                     : arguments[++*index],
    };
    return NB_OK;
}

static enum nb_status arguments_read_option(struct nb_invocation *invocation,
                                            int count, char **arguments,
                                            int *index, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    const char *name = arguments[*index] + 2;
    const size_t length = strcspn(name, "=");
    const struct nb_parameter *row =
        arguments_find(command->form->options, name, length);
    if (row == NULL)
        row = arguments_find(command->form->outputs, name, length);
    if (row == NULL) {
        row = arguments_find(nb_common_options, name, length);
        if (row != NULL && !nb_command_takes(command, row))
            row = NULL;
    }
    const struct nb_parameter *also =
        row == NULL ? nb_also_find(command->form, name, length, NULL) : NULL;
    const char *value = "yes"; /* value of a flag without one */
    if (row == NULL && also == NULL)
        return command->overrides
                   ? override_note(invocation, count, arguments, index, err)
                   : arguments_unknown(command, arguments[*index], err);
    const bool is_flag = also == NULL && row->type == NB_FLAG;
    if (name[length] == '=')
        value = name + length + 1;
    else if (!is_flag && *index + 1 < count)
        value = arguments[++*index];
    else if (!is_flag)
        return nb_fail(err, NB_USAGE, "--%s needs a value (%s)", name,
                       also != NULL ? also->help : row->help);
    return arguments_set_named(invocation, row, also, value, err);
}

/* Whether the name is in a list of NAME or NAME=VALUE, separated by blanks. */
static bool override_names(const char *names, const char *name)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " =");
        if (strlen(name) == length && strncmp(names, name, length) == 0)
            return true;
        names += strcspn(names, " ");
        names += strspn(names, " ");
    }
    return false;
}

static enum nb_status override_clear(struct nb_model *model, const char *name,
                                     struct nb_error *err)
{
    nb_model_remove_sweep(model, name);
    return nb_model_set(model, name, NULL, err);
}

/* Whether the two options are alternatives for the same thing. */
static bool override_is_instead(const struct nb_parameter *row,
                                const struct nb_parameter *other)
{
    static const char rates[] = "load rate";
    return override_names(row->either, other->name) ||
           override_names(other->either, row->name) ||
           (override_names(rates, row->name) &&
            override_names(rates, other->name));
}

/* Removes the file's value of an option, and of its alternatives. */
static enum nb_status override_make_room(const struct nb_form *form,
                                         const struct nb_parameter *row,
                                         struct nb_model *model,
                                         struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(override_clear(model, row->name, err));
    for (const struct nb_parameter *other = form->options; other->name != NULL;
         other++)
        if (override_is_instead(row, other))
            NB_TRY(override_clear(model, other->name, err));
done:
    return status;
}

static bool override_is(const struct nb_override *given, const char *name)
{
    return given->length == strlen(name) &&
           strncmp(given->name, name, given->length) == 0;
}

/* --find with an empty value removes the file's search. */
static bool override_ends_search(const struct nb_override *given)
{
    return override_is(given, NB_FIND_NAME) && *given->value == '\0';
}

/* Makes room for the option that an override sets, sweeps or finds; a part of
 * one, as in the sweep topology.k, replaces only a sweep of that part. */
static enum nb_status override_begin(struct nb_invocation *question,
                                     const struct nb_override *given,
                                     struct nb_error *err)
{
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
    if (override_ends_search(given)) {
        NB_TRY(override_clear(&question->model, NB_FIND_NAME, err));
        NB_TRY(override_clear(&question->model, NB_FIND_WHERE, err));
        NB_TRY(override_clear(&question->model, NB_FIND_WITHIN, err));
    }
    snprintf(part, sizeof part, "%.*s", (int)(length < 79 ? length : 79), name);
    nb_model_remove_sweep(&question->model, part);
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        if (strcmp(row->name, part) == 0 ||
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
    const struct nb_override *end = given->overrides + given->override_count;
    enum nb_status status = NB_OK;
    for (const struct nb_override *at = given->overrides; at < end; at++)
        NB_TRY(override_begin(question, at, err));
    for (const struct nb_override *at = given->overrides; at < end; at++) {
        const struct nb_parameter *row =
            arguments_find(form->options, at->name, at->length);
        const struct nb_parameter *also =
            row == NULL ? nb_also_find(form, at->name, at->length, NULL) : NULL;
        if (override_ends_search(at))
            continue;
        if (row == NULL && also == NULL)
            row = override_common(at->name, at->length);
        if ((row == NULL && also == NULL) ||
            (row != NULL && nb_find_is_part(row->name) &&
             question->command->question->judge != NULL))
            NB_TRY(arguments_unknown(question->command, at->name - 2, err));
        NB_TRY(arguments_set_named(question, row, also, at->value, err));
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

const struct nb_parameter *nb_command_network(const struct nb_command *command)
{
    const struct nb_parameter *row =
        command->words == NULL
            ? arguments_find(command->form->options, "topology", 8)
            : NULL;
    return row != NULL && row->type == NB_WORD ? row : NULL;
}

const char *nb_command_words(const struct nb_command *command)
{
    return nb_command_network(command) != NULL ? "[TOPOLOGY]" : command->words;
}

/* Refuses a word that follows no option and is not a network. */
static enum nb_status arguments_refuse(const struct nb_command *command,
                                       const struct nb_registry *registry,
                                       const char *word, struct nb_error *err)
{
    const struct nb_parameter *row = NULL;
    char meant[NB_SUGGESTED] = "";
    if (registry != NULL)
        row = arguments_find(command->form->options, registry->option,
                             strlen(registry->option));
    if (row != NULL && row->type == NB_WORD)
        snprintf(meant, sizeof meant, ": did you mean --%s %.60s?", row->name,
                 word);
    return nb_fail(err, NB_USAGE,
                   "%s does not take \"%.60s\"%s (see: netbound help %s)",
                   command->form->name, word, meant, command->form->name);
}

/* The network, given without --topology: by its kind or by its file's name. */
static enum nb_status arguments_read_network(struct nb_invocation *invocation,
                                             const char *word,
                                             struct nb_error *err)
{
    const struct nb_parameter *row = nb_command_network(invocation->command);
    const struct nb_registry *registry = nb_registry_of(word);
    const bool is_kind =
        registry != NULL && strcmp(registry->option, "topology") == 0;
    const bool is_file = registry == NULL && (access(word, F_OK) == 0 ||
                                              strpbrk(word, "/.") != NULL);
    struct nb_text text = { 0 };
    enum nb_status status;
    if (row == NULL || !(is_kind || is_file))
        return arguments_refuse(invocation->command, registry, word, err);
    nb_text_print(&text, "%s%s", is_file ? "file:" : "", word);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(arguments_set(invocation, row, text.bytes, err));
done:
    nb_text_release(&text);
    return status;
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
    const struct nb_command *command = invocation->command;
    const size_t most = sizeof invocation->words / sizeof *invocation->words;
    enum nb_status status = NB_OK;
    for (int i = 0; i < count && status == NB_OK; i++) {
        if (strncmp(arguments[i], "--", 2) == 0)
            status =
                arguments_read_option(invocation, count, arguments, &i, err);
        else if (arguments[i][0] == '-' && arguments[i][1] != '\0')
            status = arguments_unknown(command, arguments[i], err);
        else if (command->words == NULL)
            status = arguments_read_network(invocation, arguments[i], err);
        else if (invocation->word_count == most)
            status = nb_fail(err, NB_USAGE,
                             "%s takes at most %zu words; \"%.60s\" is one "
                             "too many (see: netbound help %s)",
                             command->form->name, most, arguments[i],
                             command->form->name);
        else if (command->word_at == NULL &&
                 strcmp(arguments[i], NB_FILE_STDIN) == 0 &&
                 nb_ranks_count() > 1)
            status = nb_answer_check_alone(invocation, err);
        else
            invocation->words[invocation->word_count++] = arguments[i];
    }
    /* The format's name in export. */
    const char *to = nb_model_get(&invocation->model, "to");
    if (to != NULL)
        nb_invocation_set_format(invocation, to);
    if (status == NB_OK && invocation->explains &&
        (invocation->format != NB_FORMAT_TEXT || invocation->style != NULL))
        status = nb_fail(err, NB_USAGE,
                         "--explain only adds to text (permitted: with "
                         "--format text or --to text; pages always have it)");
    if (status == NB_OK)
        status = also_spread(invocation, err);
    if (status == NB_OK)
        arguments_ask_percent(invocation);
    if (status == NB_OK)
        status = nb_model_convert(command->form, &invocation->model, err);
    return status;
}

void nb_invocation_release(struct nb_invocation *invocation)
{
    nb_model_release(&invocation->model);
}
