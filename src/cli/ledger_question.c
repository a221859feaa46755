/* Rows as questions of other commands, and their answers (declared in
 * ledger.h). */
#include "cli/ledger.h"

#include "core/memory.h"
#include "model/input.h"

#include <stdio.h>
#include <string.h>

static const struct nb_quantity_command question_quantities[] = {
    { "throughput", "load", false },
    { "throughput_absolute", "load", false },
    { "max_channel_load", "load", false },
    { "mean_hops", "load", false },
    { "capacity", "load", false },
    { "worst_case_throughput", "worst-case", false },
    { "worst_case_throughput_absolute", "worst-case", false },
    { "worst_case_channel_load", "worst-case", false },
    { "mean_throughput", "permutations", true },
    { "min_throughput", "permutations", false },
};

/* What stands in column traffic for commands without an option of that name:
 * a word, perhaps with options: "permutations:count=1000,seed=1". */
static const struct {
    const char *command;
    const char *word;
    const char *option; /* that the word sets to yes; NULL: none */
} question_traffics[] = {
    { "worst-case", "worst", NULL },
    { "worst-case", "unbalanced", "unbalanced" },
    { "permutations", "permutations", NULL },
};
enum {
    QUESTION_TRAFFICS = sizeof question_traffics / sizeof *question_traffics
};

const struct nb_quantity_command *nb_quantity_command_find(const char *quantity)
{
    const size_t count =
        sizeof question_quantities / sizeof *question_quantities;
    for (size_t i = 0; i < count; i++)
        if (strcmp(question_quantities[i].quantity, quantity) == 0 &&
            nb_command_find(question_quantities[i].command) != NULL)
            return &question_quantities[i];
    return NULL;
}

/* Sets the options in "key=value,key=value". */
static enum nb_status question_set_options(const char *options,
                                           struct nb_model *model,
                                           struct nb_error *err)
{
    struct nb_text name = { 0 }, value = { 0 };
    enum nb_status status = NB_OK;
    while (*options != '\0') {
        const size_t length = strcspn(options, ",");
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

static enum nb_status question_set_traffic(const char *traffic,
                                           struct nb_model *model,
                                           struct nb_error *err)
{
    const size_t length = strcspn(traffic, ":");
    char words[100] = "";
    size_t used = 0;
    for (size_t i = 0; i < QUESTION_TRAFFICS; i++) {
        const char *word = question_traffics[i].word;
        const char *option = question_traffics[i].option;
        enum nb_status status = NB_OK;
        if (strcmp(question_traffics[i].command, model->command) != 0)
            continue;
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                 used > 0 ? ", " : "", word);
        if (strlen(word) != length || strncmp(word, traffic, length) != 0)
            continue;
        if (option != NULL)
            status = nb_model_set(model, option, "yes", err);
        if (status == NB_OK && traffic[length] == ':')
            status = question_set_options(traffic + length + 1, model, err);
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
    const struct nb_command *command =
        nb_command_find(nb_quantity_command_find(row->quantity)->command);
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_model){ .command = nb_new_string(command->name) };
    if (out->command == NULL)
        NB_TRY(nb_fail(&inner, NB_NO_MEMORY, "no memory for a question"));
    if (*row->topology != '\0')
        NB_TRY(nb_model_set(out, "topology", row->topology, &inner));
    if (*row->routing != '\0')
        NB_TRY(nb_model_set(out, "routing", row->routing, &inner));
    NB_TRY(question_set_traffic(row->traffic, out, &inner));
    NB_TRY(nb_model_complete(command, out, &inner));
    NB_TRY(nb_model_resolve_inputs(out, root, &inner));
done:
    if (status != NB_OK) {
        nb_model_release(out);
        status = nb_published_fail(row, status, inner.message, err);
    }
    return status;
}
