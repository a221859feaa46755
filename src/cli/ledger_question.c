/* Rows as questions of other commands, and their answers (declared in
 * ledger.h). */
#include "cli/ledger.h"

#include "core/memory.h"
#include "model/input.h"

#include <stdio.h>
#include <string.h>

/* Quantities of rows whose traffic is a traffic; others name their command. */
static const struct {
    const char *quantity;
    const char *command;
} question_quantities[] = {
    { "throughput", "load" },
    { "throughput_absolute", "load" },
    { "max_channel_load", "load" },
    { "mean_hops", "load" },
    { "capacity", "load" },
    { "worst_case_throughput", "worst-case" },
    { "worst_case_throughput_absolute", "worst-case" },
    { "worst_case_channel_load", "worst-case" },
};

/* What stands in column traffic for commands without an option of that name:
 * a word, perhaps with options: "worst:sample-paths=1000,seed=1". */
static const struct {
    const char *command;
    const char *word;
    const char *option; /* that the word sets to yes; NULL: none */
} question_traffics[] = {
    { "worst-case", "worst", NULL },
    { "worst-case", "unbalanced", "unbalanced" },
};
enum {
    QUESTION_TRAFFICS = sizeof question_traffics / sizeof *question_traffics
};

/* The command that the traffic's first word names; NULL if it names none. A
 * ledger is none, as it would ask itself. */
static const struct nb_command *question_named(const char *traffic)
{
    const size_t length = strcspn(traffic, ":");
    for (const struct nb_command *const *at = nb_commands; *at != NULL; at++)
        if (strlen((*at)->name) == length &&
            strncmp((*at)->name, traffic, length) == 0 &&
            (*at)->answer != NULL && strcmp((*at)->name, "ledger") != 0)
            return *at;
    return NULL;
}

const struct nb_command *nb_entry_command(const struct nb_published_row *row)
{
    const size_t count =
        sizeof question_quantities / sizeof *question_quantities;
    const struct nb_command *named = question_named(row->traffic);
    for (size_t i = 0; i < count && named == NULL; i++)
        if (strcmp(question_quantities[i].quantity, row->quantity) == 0)
            return nb_command_find(question_quantities[i].command);
    return named;
}

bool nb_entry_is_sampled(const struct nb_published_row *row)
{
    return strcmp(row->quantity, "mean_throughput") == 0;
}

/* Whether text goes on with "OPTION=", an option of the command. */
static bool question_is_option(const struct nb_command *command,
                               const char *text)
{
    const size_t length = strcspn(text, "=,");
    for (const struct nb_parameter *row = command->options; row->name != NULL;
         row++)
        if (text[length] == '=' && strlen(row->name) == length &&
            strncmp(row->name, text, length) == 0)
            return true;
    return false;
}

/* The length of "OPTION=VALUE". A value with a colon is a specification, and
 * what follows it and is no option is one of its parameters: in
 * "arrivals=onoff:burst=5,spread=burst,load=0.6" the value ends before load. */
static size_t question_find_end(const struct nb_command *command,
                                const char *text)
{
    size_t length = strcspn(text, ",");
    while (memchr(text, ':', length) != NULL && text[length] == ',' &&
           !question_is_option(command, text + length + 1))
        length += 1 + strcspn(text + length + 1, ",");
    return length;
}

/* Sets the options in "key=value,key=value". */
static enum nb_status question_set_options(const struct nb_command *command,
                                           const char *options,
                                           struct nb_model *model,
                                           struct nb_error *err)
{
    struct nb_text name = { 0 }, value = { 0 };
    enum nb_status status = NB_OK;
    while (*options != '\0') {
        const size_t length = question_find_end(command, options);
        const char *equals = memchr(options, '=', length);
        if (equals == NULL)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "\"%.60s\" is not permitted (permitted: "
                           "OPTION=VALUE,...)",
                           options));
        nb_text_release(&name);
        nb_text_release(&value);
        nb_text_add(&name, options, (size_t)(equals - options));
        nb_text_add(&value, equals + 1,
                    (size_t)(options + length - equals - 1));
        NB_TRY(nb_text_check(&name, err));
        NB_TRY(nb_text_check(&value, err));
        if (nb_model_get(model, name.bytes) != NULL)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "option %s is given twice (permitted: in its "
                           "column, or once)",
                           name.bytes));
        NB_TRY(nb_model_set(model, name.bytes, value.bytes, err));
        options += length + (options[length] == ',');
    }
done:
    nb_text_release(&name);
    nb_text_release(&value);
    return status;
}

static enum nb_status question_set_traffic(const struct nb_command *command,
                                           const char *traffic,
                                           struct nb_model *model,
                                           struct nb_error *err)
{
    const size_t length = strcspn(traffic, ":");
    const char *options = traffic + length + (traffic[length] == ':');
    char words[100] = "";
    size_t used = 0;
    if (question_named(traffic) != NULL)
        return question_set_options(command, options, model, err);
    for (size_t i = 0; i < QUESTION_TRAFFICS; i++) {
        const char *word = question_traffics[i].word;
        const char *option = question_traffics[i].option;
        enum nb_status status = NB_OK;
        if (strcmp(question_traffics[i].command, command->name) != 0)
            continue;
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                 used > 0 ? ", " : "", word);
        if (strlen(word) != length || strncmp(word, traffic, length) != 0)
            continue;
        if (option != NULL)
            status = nb_model_set(model, option, "yes", err);
        if (status == NB_OK)
            status = question_set_options(command, options, model, err);
        return status;
    }
    if (used > 0)
        return nb_fail(err, NB_INVALID,
                       "traffic \"%.60s\" is not permitted (permitted: %s)",
                       traffic, words);
    return *traffic != '\0' ? nb_model_set(model, "traffic", traffic, err)
                            : NB_OK;
}

enum nb_status nb_entry_model(const struct nb_published_row *row,
                              const char *root, struct nb_model *out,
                              struct nb_error *err)
{
    const struct nb_command *command = nb_entry_command(row);
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_model){ .command = nb_new_string(command->name) };
    if (out->command == NULL)
        NB_TRY(nb_fail(&inner, NB_NO_MEMORY, "no memory for a question"));
    if (*row->topology != '\0')
        NB_TRY(nb_model_set(out, "topology", row->topology, &inner));
    if (*row->routing != '\0')
        NB_TRY(nb_model_set(out, "routing", row->routing, &inner));
    NB_TRY(question_set_traffic(command, row->traffic, out, &inner));
    NB_TRY(nb_model_complete(command, out, &inner));
    NB_TRY(nb_model_resolve_inputs(out, root, &inner));
done:
    if (status != NB_OK) {
        nb_model_release(out);
        status = nb_published_fail(row, status, inner.message, err);
    }
    return status;
}
