/* Reading the command line (declared in command.h). */
#include "cli/command.h"

#include <assert.h>
#include <string.h>

const struct nb_parameter nb_common_options[] = {
    { .name = "format",
      .help = "text for people, csv for scripts, xml with everything",
      .type = NB_CHOICE,
      .initial = "text",
      .choices = "text|csv|xml" },
    { .name = "output",
      .help = "write the report to this file instead of standard output",
      .type = NB_PATH,
      .initial = "" },
    { .name = "table",
      .help = "print this table of the report",
      .type = NB_WORD,
      .initial = "" },
    { .name = "sweep",
      .help = "NAME=A:B:STEP or NAME=v1,v2,...: one answer for each value of "
              "an option or of routing.ties and the like; may be repeated",
      .type = NB_WORD,
      .initial = "" },
    { .name = "save-model",
      .help = "write the question as a model file",
      .type = NB_PATH,
      .initial = "" },
    { .name = "threads",
      .help = "threads to use; 0: all. Results do not depend on it",
      .type = NB_WHOLE,
      .initial = "0",
      .most = 4096 },
    { .name = "progress",
      .help = "progress of long computations on standard error",
      .type = NB_CHOICE,
      .initial = "auto",
      .choices = "auto|always|never" },
    { 0 },
};

bool nb_command_takes(const struct nb_command *command,
                      const struct nb_parameter *row)
{
    const size_t length = strlen(row->name);
    for (const char *word = command->common; word != NULL;) {
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

static const struct nb_parameter *
arguments_find(const struct nb_parameter *rows, const char *name, size_t length)
{
    for (; rows != NULL && rows->name != NULL; rows++)
        if (strlen(rows->name) == length &&
            strncmp(rows->name, name, length) == 0)
            return rows;
    return NULL;
}

static enum nb_status arguments_set_sweep(struct nb_invocation *invocation,
                                          const char *value,
                                          struct nb_error *err)
{
    const char *equals = strchr(value, '=');
    char name[64];
    if (equals == NULL || equals == value || equals[1] == '\0' ||
        (size_t)(equals - value) >= sizeof name)
        return nb_fail(err, NB_USAGE,
                       "--sweep \"%.60s\" is not permitted (permitted: "
                       "NAME=A:B:STEP or NAME=v1,v2,...)",
                       value);
    memcpy(name, value, (size_t)(equals - value));
    name[equals - value] = '\0';
    if (arguments_find(invocation->command->options, name,
                       strcspn(name, ".")) == NULL)
        return nb_fail(err, NB_USAGE,
                       "--sweep %s: %s has no option \"%.*s\" (see: netbound "
                       "help %s)",
                       name, invocation->command->name, (int)strcspn(name, "."),
                       name, invocation->command->name);
    for (size_t i = 0; i < invocation->model.sweep_count; i++)
        if (strcmp(invocation->model.sweeps[i].name, name) == 0)
            return nb_fail(err, NB_USAGE,
                           "--sweep %s is given twice (permitted: once)", name);
    return nb_model_add_sweep(&invocation->model, name, equals + 1, err);
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
    if (strcmp(name, "format") == 0)
        invocation->format = strcmp(value, "csv") == 0   ? NB_FORMAT_CSV
                             : strcmp(value, "xml") == 0 ? NB_FORMAT_XML
                                                         : NB_FORMAT_TEXT;
    if (strcmp(name, "progress") == 0)
        invocation->progress = strcmp(value, "always") == 0 ? NB_PROGRESS_ALWAYS
                               : strcmp(value, "never") == 0 ? NB_PROGRESS_NEVER
                                                             : NB_PROGRESS_AUTO;
    if (strcmp(name, "output") == 0)
        invocation->output = value;
    if (strcmp(name, "table") == 0)
        invocation->table = value;
    if (strcmp(name, "save-model") == 0)
        invocation->save_model = value;
    if (strcmp(name, "threads") == 0 &&
        nb_integer_read(value, name, (int64_t)row->least, (int64_t)row->most,
                        &whole, err) == NB_OK)
        invocation->threads = (int)whole;
    return NB_OK;
}

/* Every option may be given once, but for --sweep. */
static enum nb_status arguments_note(struct nb_invocation *invocation,
                                     const struct nb_parameter *row,
                                     struct nb_error *err)
{
    const size_t most = sizeof invocation->given / sizeof *invocation->given;
    if (strcmp(row->name, "sweep") == 0)
        return NB_OK;
    for (size_t i = 0; i < invocation->given_count; i++)
        if (invocation->given[i] == row)
            return nb_fail(err, NB_USAGE,
                           "--%s is given twice (permitted: once)", row->name);
    assert(invocation->given_count < most);
    (void)most;
    invocation->given[invocation->given_count++] = row;
    return NB_OK;
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
    if (nb_parameter_check(row, value, &inner) != NB_OK)
        return nb_fail(err, NB_USAGE, "--%s", inner.message);
    for (size_t i = 0; command->outputs != NULL && command->outputs[i].name;
         i++) {
        if (&command->outputs[i] == row) {
            invocation->outputs[i] = value;
            return NB_OK;
        }
    }
    if (arguments_find(nb_common_options, row->name, strlen(row->name)) == row)
        return arguments_set_common(invocation, row, value, err);
    return nb_model_set(&invocation->model, row->name, value, err);
}

static enum nb_status arguments_unknown(const struct nb_command *command,
                                        const char *argument,
                                        struct nb_error *err)
{
    return nb_fail(err, NB_USAGE,
                   "%s has no option \"%.60s\" (see: netbound help %s)",
                   command->name, argument, command->name);
}

static enum nb_status arguments_read_option(struct nb_invocation *invocation,
                                            int count, char **arguments,
                                            int *index, struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    const char *name = arguments[*index] + 2;
    const size_t length = strcspn(name, "=");
    const struct nb_parameter *row =
        arguments_find(command->options, name, length);
    if (row == NULL)
        row = arguments_find(command->outputs, name, length);
    if (row == NULL) {
        row = arguments_find(nb_common_options, name, length);
        if (row != NULL && !nb_command_takes(command, row))
            row = NULL;
    }
    if (row == NULL)
        return arguments_unknown(command, arguments[*index], err);
    if (name[length] == '=')
        return arguments_set(invocation, row, name + length + 1, err);
    if (row->type == NB_FLAG)
        return arguments_set(invocation, row, "yes", err);
    if (*index + 1 >= count)
        return nb_fail(err, NB_USAGE, "--%s needs a value (%s)", row->name,
                       row->help);
    return arguments_set(invocation, row, arguments[++*index], err);
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
        else if (command->words == NULL || invocation->word_count == most)
            status = nb_fail(err, NB_USAGE,
                             "%s does not take \"%.60s\" (see: netbound help "
                             "%s)",
                             command->name, arguments[i], command->name);
        else
            invocation->words[invocation->word_count++] = arguments[i];
    }
    return status;
}

void nb_invocation_release(struct nb_invocation *invocation)
{
    nb_model_release(&invocation->model);
}
