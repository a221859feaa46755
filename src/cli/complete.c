/*
 * Answers the scripts of netbound completion (declared in reference.h).
 * "netbound complete WORD..." prints the candidates for the last word of a
 * command line, one per line: the whole word, a tab, a description. A line that
 * begins with a tab asks for files ("files", or "xml": only those that end so),
 * then a tab and the part of the word before the file's path.
 */
#include "cli/options.h"
#include "cli/reference.h"

#include <stdio.h>
#include <string.h>

struct complete {
    const struct nb_command *command;
    bool is_override;  /* of a file's question, not of the command typed */
    const char *word;  /* the last one */
    const char *value; /* start of the part to complete */
    struct nb_text *out;
};

/* Offers NAME followed by mark, if it begins with the value typed. length: of
 * the name; -1: all of it */
static void complete_offer(const struct complete *at, const char *name,
                           int length, const char *mark, const char *what)
{
    const size_t start = at->out->length;
    const size_t before = (size_t)(at->value - at->word);
    nb_text_add(at->out, at->word, before);
    nb_text_print(at->out, "%.*s%s\t%s\n", length, name, mark, what);
    if (!at->out->has_failed && strncmp(at->out->bytes + start + before,
                                        at->value, strlen(at->value)) != 0)
        at->out->length = start;
}

static void complete_offer_option(const struct complete *at, const char *name,
                                  const char *what)
{
    char option[80];
    snprintf(option, sizeof option, "--%s", name);
    complete_offer(at, option, -1, "", what);
}

static void complete_offer_words(const struct complete *at, const char *words)
{
    while (words != NULL) {
        const int length = (int)strcspn(words, "|");
        complete_offer(at, words, length, "", "");
        words = words[length] == '|' ? words + length + 1 : NULL;
    }
}

static void complete_offer_files(const struct complete *at, const char *which)
{
    nb_text_print(at->out, "\t%s\t%.*s\n", which, (int)(at->value - at->word),
                  at->word);
}

/* Values of a row that need no registry. */
static void complete_offer_values(const struct complete *at,
                                  const struct nb_parameter *row)
{
    if (row->choices != NULL)
        complete_offer_words(at, row->choices);
    else if (row->type == NB_FLAG)
        complete_offer_words(at, "yes|no");
    else if (row->type == NB_PATH)
        complete_offer_files(at, "files");
}

/* ":" if some parameter must be given; else "". */
static const char *complete_mark(const struct nb_kind *kind)
{
    for (const struct nb_parameter *row = kind->parameters;
         row != NULL && row->name != NULL; row++)
        if (row->initial == NULL)
            return ":";
    return "";
}

static void complete_offer_kinds(const struct complete *at,
                                 const struct nb_registry *registry)
{
    const struct nb_kind *kind;
    const char *name;
    int length;
    for (size_t k = 0; (kind = registry->kinds(k)) != NULL; k++)
        for (size_t n = 0; (name = nb_kind_name(kind, n, &length)) != NULL; n++)
            complete_offer(at, name, length, complete_mark(kind),
                           kind->summary);
}

/* A parameter of a kind, "KEY=VALUE" or, where it is leading, VALUE. */
static void complete_parameter(struct complete at,
                               const struct nb_registry *registry,
                               const struct nb_kind *kind, bool is_first)
{
    const char *equals = strchr(at.value, '=');
    const struct nb_parameter *row = NULL;
    bool is_file = false;
    while ((row = nb_kind_next(registry, kind, row)) != NULL) {
        const size_t length = strlen(row->name);
        if (equals == NULL && is_first && row->is_leading) {
            complete_offer_values(&at, row);
            is_file = is_file || row->type == NB_PATH;
        }
        if (equals == NULL || (size_t)(equals - at.value) != length ||
            strncmp(row->name, at.value, length) != 0)
            continue;
        at.value = equals + 1;
        complete_offer_values(&at, row);
        return;
    }
    while (equals == NULL && !is_file &&
           (row = nb_kind_next(registry, kind, row)) != NULL)
        complete_offer(&at, row->name, -1, "=", row->help);
}

/* "KIND:VALUE,KEY=VALUE,..."; the last one in a list of them. */
static void complete_specification(struct complete at,
                                   const struct nb_registry *registry,
                                   bool is_list)
{
    const char *comma = strrchr(at.value, ',');
    const char *part = comma != NULL ? comma + 1 : at.value;
    const char *colon = strrchr(at.value, ':'), *name = at.value;
    size_t index;
    if (colon == NULL || (is_list && strpbrk(part, ":=") == NULL)) {
        struct complete kinds = at;
        kinds.value = is_list ? part : at.value;
        complete_offer_kinds(&kinds, registry);
    }
    if (colon == NULL)
        return;
    for (const char *c = at.value; c < colon; c++)
        if (*c == ',')
            name = c + 1;
    const struct nb_kind *kind =
        nb_kind_find(registry->kinds, name, (size_t)(colon - name), &index);
    at.value = part <= colon ? colon + 1 : part;
    if (kind != NULL)
        complete_parameter(at, registry, kind, part <= colon);
}

static void complete_value(struct complete at, const struct nb_parameter *row,
                           bool is_list)
{
    const struct nb_registry *registry = nb_option_registry(row);
    if (registry != NULL) {
        complete_specification(at, registry, is_list);
        return;
    }
    const char *comma = is_list ? strrchr(at.value, ',') : NULL;
    at.value = comma != NULL ? comma + 1 : at.value;
    complete_offer_values(&at, row);
}

/* "NAME=VALUES" of a sweep. */
static void complete_sweep(struct complete at)
{
    const char *equals = strchr(at.value, '=');
    const struct nb_parameter *row = at.command->form->options;
    for (; equals == NULL && row != NULL && row->name != NULL; row++)
        complete_offer(&at, row->name, -1, "=", row->help);
    if (equals == NULL)
        return;
    row = nb_option_find(row, at.value, (size_t)(equals - at.value));
    at.value = equals + 1;
    if (row != NULL)
        complete_value(at, row, true);
}

static void complete_option_value(struct complete at,
                                  const struct nb_parameter *row)
{
    if (nb_option_is_in(nb_common_options, row) &&
        strcmp(row->name, "sweep") == 0)
        complete_sweep(at);
    else
        complete_value(at, row, false);
}

/* Files that a command writes are no options of run. */
static void complete_names(const struct complete *at)
{
    const struct nb_parameter *row = NULL;
    while ((row = nb_option_next(at->command, row)) != NULL) {
        if (at->is_override && nb_option_is_in(at->command->form->outputs, row))
            continue;
        complete_offer_option(at, row->name, row->help);
        if (nb_option_also(at->command, row) != NULL)
            complete_offer_option(at, row->also, row->help);
    }
    complete_offer_option(at, "help", "how to use the command");
}

/* Offers the command's words that are not options. */
static void complete_words(const struct complete *at)
{
    const char *word, *words = at->command->words;
    if (words == NULL)
        return;
    if (at->command->word_at == NULL)
        complete_offer_files(at,
                             strstr(words, ".xml") != NULL ? "xml" : "files");
    for (size_t i = 0; at->command->word_at != NULL &&
                       (word = at->command->word_at(i)) != NULL;
         i++)
        complete_offer(at, word, -1, "", "");
}

static void complete_first(const struct complete *at)
{
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        complete_offer(at, nb_commands[i]->form->name, -1, "",
                       nb_commands[i]->form->summary);
    complete_offer_option(at, "help", "how to use the program");
    complete_offer_option(at, "version", "which program it is");
}

/* The command whose options come next: for files whose options can be
 * overridden, the command of the first file's question. */
static const struct nb_command *
complete_overridden(const struct nb_command *command, char **words, int count)
{
    const struct nb_command *found = NULL;
    for (int i = 1; command->overrides && i + 1 < count && found == NULL; i++) {
        struct nb_model model = { 0 };
        if (*words[i] != '-' &&
            nb_model_read_file(words[i], &model, NULL) == NB_OK)
            found = nb_command_find(model.command);
        nb_model_release(&model);
    }
    return found != NULL ? found : command;
}

void nb_complete_print(char **words, int count, struct nb_text *text)
{
    const char *word = count > 0 ? words[count - 1] : "";
    const char *before = count > 2 ? words[count - 2] : "";
    const char *equals = strchr(word, '=');
    const struct nb_parameter *row = NULL;
    struct complete at = { .word = word, .value = word, .out = text };
    if (count < 2) {
        complete_first(&at);
        return;
    }
    at.command = nb_command_find(words[0]);
    if (at.command == NULL)
        return;
    if (*word == '-' || *before == '-')
        at.command = complete_overridden(at.command, words, count);
    at.is_override = at.command != nb_command_find(words[0]);
    if (strncmp(word, "--", 2) == 0 && equals != NULL) {
        at.value = equals + 1;
        row = nb_command_option(at.command, word + 2,
                                (size_t)(equals - word - 2));
        if (row != NULL)
            complete_option_value(at, row);
        return;
    }
    if (strncmp(before, "--", 2) == 0)
        row = nb_command_option(at.command, before + 2, strlen(before + 2));
    if (row != NULL && row->type != NB_FLAG)
        complete_option_value(at, row);
    else if (*word == '-' || (*word == '\0' && at.command->words == NULL))
        complete_names(&at);
    else if (nb_command_network(at.command) != NULL)
        complete_option_value(at, nb_command_network(at.command));
    else
        complete_words(&at);
}
