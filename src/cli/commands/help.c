/* netbound help: generated from the option tables. */
#include "cli/options.h"

#include "cli/reference.h"
#include "cli/terminal.h"
#include "core/suggest.h"
#include "core/version.h"
#include "explain/formula.h"

#include <string.h>

static const struct nb_parameter help_options[] = {
    NB_PARAMETER("all", FLAG, "no",
                 "show every option of the command, not only the usual ones"),
    { 0 },
};

/* A command with no more options of its own than this shows them all. */
enum { HELP_MOST = 16 };

static bool help_is_common(const struct nb_parameter *row)
{
    return nb_option_is_in(nb_common_options, row);
}

static bool help_is_long(const struct nb_command *command)
{
    size_t count = 0;
    const struct nb_parameter *row = NULL;
    while ((row = nb_option_next(command, row)) != NULL && !help_is_common(row))
        count++;
    return count > HELP_MOST;
}

/* Prints the options of a group under its heading. Returns how many are left
 * to --all. */
static size_t help_print_group(const struct nb_command *command, size_t group,
                               bool shows_all, struct nb_text *text)
{
    static const char *const headings[] = {
        [NB_GROUP_NONE] = "options",
        [NB_GROUP_NETWORK] = "network",
        [NB_GROUP_TRAFFIC] = "traffic and load",
        [NB_GROUP_ROUTER] = "router",
        [NB_GROUP_MEASUREMENT] = "measurement",
        [NB_GROUP_SEARCH] = "sweeps and searches",
        [NB_GROUP_OUTPUT] = "output",
        [NB_GROUP_RUN] = "running",
    };
    const bool is_long = help_is_long(command);
    const struct nb_parameter *row = NULL;
    size_t shown = 0, hidden = 0;
    while ((row = nb_option_next(command, row)) != NULL) {
        if (row->group != (enum nb_option_group)group)
            continue;
        if (!shows_all && !row->is_first && (is_long || help_is_common(row))) {
            hidden++;
            continue;
        }
        if (shown++ == 0)
            nb_text_print(text, "\n%s\n", headings[group]);
        nb_text_print(text, "  --%-20s ", row->name);
        nb_option_print_brief(row, text);
        nb_text_print(text, "\n");
    }
    return hidden;
}

static void help_print_program(struct nb_text *text)
{
    nb_text_print(text, NB_PROGRAM ": bounds of interconnection networks\n\n"
                                   "  netbound COMMAND [--option value]...\n"
                                   "  netbound help COMMAND [OPTION]\n"
                                   "  netbound help WORD\n"
                                   "  netbound --version\n\n"
                                   "WORD: a quantity, an option, a topology, "
                                   "a routing scheme, a traffic pattern,\n"
                                   "a topology parameter such as fail, or a "
                                   "list such as units or formats\n\n"
                                   "commands\n");
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_text_print(text, "  %-17s %s\n", nb_commands[i]->form->name,
                      nb_commands[i]->form->summary);
    nb_text_print(text, "\nenvironment\n");
    for (size_t i = 0; nb_variables[i].name != NULL; i++)
        nb_text_print(text, "  %-18s %s\n", nb_variables[i].name,
                      nb_variables[i].help);
    nb_text_print(text, "\nexit status\n");
    for (size_t i = 0; nb_exit_meanings[i] != NULL; i++)
        nb_text_print(text, "  %-18zu %s\n", i, nb_exit_meanings[i]);
}

static void help_print_command(const struct nb_command *command, bool shows_all,
                               struct nb_text *text)
{
    const char *name = command->form->name;
    size_t hidden = 0;
    nb_text_print(text, "netbound %s", name);
    if (nb_command_words(command) != NULL)
        nb_text_print(text, " %s", nb_command_words(command));
    nb_text_print(text, " [--option value]...\n  %s\n\nexample\n  %s\n",
                  command->form->summary, command->form->example);
    if (command->form->details != NULL)
        nb_text_print(text, "\n%s\n", command->form->details);
    if (command->print_lists != NULL) {
        nb_text_print(text, "\n");
        command->print_lists(text);
    }
    for (size_t group = 0; group < NB_GROUP_COUNT; group++)
        hidden += help_print_group(command, group, shows_all, text);
    nb_text_print(text, "\n");
    if (hidden > 0)
        nb_text_print(text, "%zu more options: netbound help %s --all\n",
                      hidden, name);
    nb_text_print(text, "more about an option: netbound help %s OPTION\n",
                  name);
}

/* The blank line between pages about the same word. */
static void help_separate(struct nb_text *text)
{
    if (text->length > 0)
        nb_text_print(text, "\n");
}

/* Kinds of that name, with their parameters and where they are used: "help
 * dor". */
static void help_print_kinds(const char *name, struct nb_text *text)
{
    size_t index;
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_kind *kind =
            nb_kind_find(at->kinds, name, strlen(name), &index);
        if (kind == NULL)
            continue;
        help_separate(text);
        nb_text_print(text, "--%s %s\n", at->option, kind->name);
        nb_list_print_kind(kind, text);
        nb_list_print_common(at, text);
    }
}

/* Parameters of that name that every kind of a registry takes: "help fail". */
static void help_print_common(const char *name, struct nb_text *text)
{
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_parameter *row =
            nb_option_find(at->common, name, strlen(name));
        if (row == NULL)
            continue;
        help_separate(text);
        nb_text_print(text, "%s of every --%s\n", name, at->option);
        nb_option_print_page(row, text);
    }
}

/* A command with its option of some name, or a kind with such a parameter. */
struct help_owner {
    const char *name;
    const struct nb_parameter *row; /* NULL: it has none */
};

/* The command (registry NULL) or kind at this index; name NULL past the
 * last. */
static struct help_owner help_owner_at(const struct nb_registry *registry,
                                       size_t index, const char *name)
{
    struct help_owner out = { 0 };
    if (registry == NULL && nb_commands[index] != NULL) {
        out.name = nb_commands[index]->form->name;
        out.row = nb_command_option(nb_commands[index], name, strlen(name));
    }
    const struct nb_kind *kind =
        registry != NULL ? registry->kinds(index) : NULL;
    if (kind != NULL) {
        out.name = kind->name;
        while ((out.row = nb_kind_next(registry, kind, out.row)) != NULL &&
               strcmp(out.row->name, name) != 0)
            ;
    }
    return out;
}

/* Whether both have the option and its pages say the same. */
static bool help_is_same(struct help_owner a, struct help_owner b,
                         struct nb_text *text)
{
    struct nb_text pages[2] = { 0 };
    if (a.row == NULL || b.row == NULL)
        return false;
    nb_option_print_page(a.row, &pages[0]);
    nb_option_print_page(b.row, &pages[1]);
    text->has_failed |= pages[0].has_failed || pages[1].has_failed;
    const bool is_same =
        !text->has_failed && strcmp(pages[0].bytes, pages[1].bytes) == 0;
    nb_text_release(&pages[0]);
    nb_text_release(&pages[1]);
    return is_same;
}

/* Options of that name, of any command, or parameters of any kind of a
 * registry: each page once, with all that have it so. */
static void help_print_owners(const struct nb_registry *registry,
                              const char *name, struct nb_text *text)
{
    struct help_owner owner, other;
    for (size_t i = 0; (owner = help_owner_at(registry, i, name)).name != NULL;
         i++) {
        size_t first = 0;
        while (first < i &&
               !help_is_same(help_owner_at(registry, first, name), owner, text))
            first++;
        if (owner.row == NULL || first < i)
            continue;
        help_separate(text);
        if (registry == NULL)
            nb_text_print(text, "--%s of", owner.row->name);
        else
            nb_text_print(text, "%s of --%s", name, registry->option);
        for (size_t k = i;
             (other = help_owner_at(registry, k, name)).name != NULL; k++)
            if (help_is_same(owner, other, text))
                nb_text_print(text, "%s %s", k > i ? "," : "", other.name);
        nb_text_print(text, "\n");
        nb_option_print_page(owner.row, text);
    }
}

/* "help vcs". */
static void help_print_options(const char *name, struct nb_text *text)
{
    help_print_owners(NULL, name, text);
}

/* "help terminals-at". */
static void help_print_parameters(const char *name, struct nb_text *text)
{
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        help_print_owners(at, name, text);
}

/* Whether a later row has the formula of the same quantity for the same
 * commands: the general one, if this one is for special cases. */
static bool help_is_special(const char *at, const struct nb_formula *row,
                            struct nb_stretch wanted)
{
    struct nb_formula later;
    while (nb_formula_next(&at, &later))
        if (later.commands.length == row->commands.length &&
            memcmp(later.commands.at, row->commands.at, row->commands.length) ==
                0 &&
            nb_stretch_fits(later.name, wanted))
            return true;
    return false;
}

/* The meaning of a quantity or a symbol of --explain, for every command that
 * has it: "help buffer_depth". */
static void help_print_quantity(const char *name, struct nb_text *text)
{
    const struct nb_stretch wanted = nb_stretch_of(name);
    const char *at = nb_formula_text();
    struct nb_formula row;
    while (nb_formula_next(&at, &row)) {
        if (!nb_stretch_fits(row.name, wanted) ||
            help_is_special(at, &row, wanted))
            continue;
        struct nb_stretch formula = nb_formula_field(&row, "words", 0);
        if (formula.at == NULL)
            formula = nb_formula_field(&row, "is", 0);
        help_separate(text);
        nb_text_print(text, "%s", name);
        if (!nb_stretch_is(row.commands, "*")) {
            nb_text_print(text, " of ");
            nb_stretch_print(row.commands, text);
        }
        nb_text_print(text, "\n  ");
        if (formula.at != NULL) {
            nb_stretch_print(formula, text);
            nb_text_print(text, "\n  ");
        }
        nb_stretch_print(nb_formula_field(&row, "means", 0), text);
        nb_text_print(text, "\n");
    }
}

static void help_offer(struct nb_suggestion *near, const char *word)
{
    nb_suggest(near, word, strlen(word));
}

/* Offers all that help can explain. */
static void help_suggest(struct nb_suggestion *near)
{
    enum { SHORTEST = 4 }; /* shorter names of quantities are symbols */
    const struct nb_parameter *row;
    const struct nb_kind *kind;
    const char *word, *at_formula = nb_formula_text();
    struct nb_formula formula;
    for (size_t i = 0; (word = nb_command_name_at(i)) != NULL; i++)
        help_offer(near, word);
    for (size_t i = 0; (word = nb_list_word_at(i)) != NULL; i++)
        help_offer(near, word);
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        for (size_t i = 0; (kind = at->kinds(i)) != NULL; i++) {
            help_offer(near, kind->name);
            nb_suggest_words(near, kind->aliases, ' ');
        }
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        for (row = at->common; row != NULL && row->name != NULL; row++)
            help_offer(near, row->name);
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        for (row = NULL; (row = nb_option_next(nb_commands[i], row)) != NULL;)
            help_offer(near, row->name);
    while (nb_formula_next(&at_formula, &formula))
        if (formula.name.length >= SHORTEST)
            nb_suggest(near, formula.name.at, formula.name.length);
}

/* Help on a word that is not a command. */
static enum nb_status help_print_word(const char *word, struct nb_text *text,
                                      struct nb_error *err)
{
    void (*const print[])(const char *word, struct nb_text *text) = {
        nb_list_print,      help_print_kinds,    help_print_common,
        help_print_options, help_print_quantity, help_print_parameters
    };
    struct nb_suggestion near = { .typed = word, .length = strlen(word) };
    char meant[NB_SUGGESTED];
    for (size_t i = 0; i < sizeof print / sizeof *print; i++)
        if (text->length == 0 && !text->has_failed)
            print[i](word, text);
    if (text->length > 0 || text->has_failed)
        return NB_OK;
    help_suggest(&near);
    return nb_fail(err, NB_USAGE, "no help on \"%.60s\"%s (see: netbound help)",
                   word, nb_suggestion_print(&near, "", meant));
}

static enum nb_status help_refuse_word(const char *word, struct nb_error *err)
{
    return nb_fail(err, NB_USAGE,
                   "help does not take \"%.60s\" (permitted: help COMMAND "
                   "OPTION, help KIND PARAMETER)",
                   word);
}

/* "help ugal threshold". */
static enum nb_status help_print_parameter(const char *name,
                                           const char *parameter,
                                           struct nb_text *text,
                                           struct nb_error *err)
{
    struct nb_suggestion near = { .typed = parameter,
                                  .length = strlen(parameter) };
    char meant[NB_SUGGESTED];
    bool is_kind = false;
    size_t index;
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_kind *kind =
            nb_kind_find(at->kinds, name, strlen(name), &index);
        const struct nb_parameter *row = NULL;
        is_kind |= kind != NULL;
        while (kind != NULL && (row = nb_kind_next(at, kind, row)) != NULL) {
            help_offer(&near, row->name);
            if (strcmp(row->name, parameter) != 0)
                continue;
            help_separate(text);
            nb_text_print(text, "%s of --%s %s\n", parameter, at->option,
                          kind->name);
            nb_option_print_page(row, text);
        }
    }
    if (text->length > 0 || text->has_failed)
        return NB_OK;
    if (!is_kind)
        return help_refuse_word(name, err);
    return nb_fail(err, NB_USAGE,
                   "%s has no parameter \"%.60s\"%s (see: netbound help %s)",
                   name, parameter, nb_suggestion_print(&near, "", meant),
                   name);
}

/* "help simulate buffer". */
static enum nb_status help_print_option(const struct nb_command *command,
                                        const char *name, struct nb_text *text,
                                        struct nb_error *err)
{
    const struct nb_parameter *row =
        nb_command_option(command, name, strlen(name));
    struct nb_suggestion near = { .typed = name, .length = strlen(name) };
    char meant[NB_SUGGESTED];
    if (row != NULL) {
        nb_text_print(text, "--%s of %s\n", row->name, command->form->name);
        nb_option_print_page(row, text);
        return NB_OK;
    }
    while ((row = nb_option_next(command, row)) != NULL)
        help_offer(&near, row->name);
    return nb_fail(err, NB_USAGE,
                   "%s has no option \"%.60s\"%s (see: netbound help %s --all)",
                   command->form->name, name,
                   nb_suggestion_print(&near, "", meant), command->form->name);
}

static enum nb_status help_print(const struct nb_invocation *invocation,
                                 struct nb_text *text, struct nb_error *err)
{
    const size_t count = invocation->word_count;
    const char *const *words = invocation->words;
    const char *all = nb_model_get(&invocation->model, "all");
    const struct nb_command *command =
        count > 0 ? nb_command_find(words[0]) : NULL;
    if (count > 2)
        return help_refuse_word(words[2], err);
    if (count == 2)
        return command != NULL
                   ? help_print_option(command, words[1], text, err)
                   : help_print_parameter(words[0], words[1], text, err);
    if (count == 1 && command == NULL)
        return help_print_word(words[0], text, err);
    if (command != NULL)
        help_print_command(command, all != NULL && strcmp(all, "yes") == 0,
                           text);
    else
        help_print_program(text);
    return NB_OK;
}

static const struct nb_form help_form = {
    .name = "help",
    .summary = "explain a command, an option, a kind or a quantity",
    .example = "netbound help worst-case",
    .options = help_options,
    .common = "output",
};

const struct nb_command nb_command_help = {
    .form = &help_form,
    .words = "[COMMAND [OPTION]]",
    .word_at = nb_command_name_at,
    .print = help_print,
    .is_wrapped = true,
};
