/* netbound help: generated from the option tables. */
#include "cli/command.h"

#include "cli/reference.h"
#include "cli/terminal.h"
#include "core/suggest.h"
#include "core/version.h"
#include "core/try.h"
#include "explain/formula.h"
#include "ask/question.h"

#include <string.h>

enum { HELP_ALL };

static const struct nb_parameter help_options[] = {
    [HELP_ALL] = NB_PARAMETER(
        "all", FLAG, "no",
        "show every option of the command, not only the usual ones"),
    { 0 },
};

/* A command with no more options of its own than this shows them all. */
enum { HELP_MOST = 16 };

static bool help_is_long(const struct nb_command *command)
{
    size_t count = 0;
    const struct nb_parameter *row = NULL;
    while ((row = nb_option_next(command, row)) != NULL &&
           !nb_option_is_common(row))
        count++;
    return count > HELP_MOST;
}

/* Prints the options of a group under its heading. Returns how many are left
 * to --all. */
static size_t help_print_group(const struct nb_command *command,
                               enum nb_option_group group, bool shows_all,
                               struct nb_text *text)
{
    const bool is_long = help_is_long(command);
    const struct nb_parameter *row = NULL;
    size_t shown = 0, hidden = 0;
    while ((row = nb_option_next(command, row)) != NULL) {
        if (row->group != group)
            continue;
        if (!shows_all && !row->is_first &&
            (is_long || nb_option_is_common(row))) {
            hidden++;
            continue;
        }
        if (shown++ == 0)
            nb_text_print(text, "\n%s\n", nb_group_headings[group]);
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
        hidden += help_print_group(command, (enum nb_option_group)group,
                                   shows_all, text);
    nb_text_print(text, "\n");
    if (hidden > 0)
        nb_text_print(text, "%zu more options: netbound help %s --all\n",
                      hidden, name);
    nb_text_print(text, "more about an option: netbound help %s OPTION\n",
                  name);
}

/* Kinds of that name, with their parameters and where they are used: "help
 * dor". false: none. */
static bool help_print_kinds(const char *name, struct nb_text *text)
{
    bool is_any = false;
    size_t index;
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_kind *kind =
            nb_kind_find(at->kinds, name, strlen(name), &index);
        if (kind == NULL)
            continue;
        nb_text_print(text, "%s--%s %s\n", is_any ? "\n" : "", at->option,
                      kind->name);
        nb_list_print_kind(kind, text);
        nb_list_print_common(at, text);
        is_any = true;
    }
    return is_any;
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
 * has it: "help buffer_depth". false: none. */
static bool help_print_quantity(const char *name, struct nb_text *text)
{
    const struct nb_stretch wanted = nb_stretch_of(name);
    const char *at = nb_formula_text();
    struct nb_formula row;
    bool is_any = false;
    while (nb_formula_next(&at, &row)) {
        if (!nb_stretch_fits(row.name, wanted) ||
            help_is_special(at, &row, wanted))
            continue;
        struct nb_stretch formula = nb_formula_field(&row, "words", 0);
        if (formula.at == NULL)
            formula = nb_formula_field(&row, "is", 0);
        nb_text_print(text, "%s%s", is_any ? "\n" : "", name);
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
        is_any = true;
    }
    return is_any;
}

/* Offers names of quantities. */
static void help_suggest_quantities(struct nb_suggestion *near)
{
    enum { SHORTEST = 4 }; /* shorter ones are symbols */
    const char *at = nb_formula_text();
    struct nb_formula row;
    while (nb_formula_next(&at, &row))
        if (row.name.length >= SHORTEST)
            nb_suggest(near, row.name.at, row.name.length);
}

/* Offers all that help can explain. */
static void help_suggest(struct nb_suggestion *near)
{
    const struct nb_parameter *row;
    const struct nb_kind *kind;
    const char *word;
    for (size_t i = 0; (word = nb_command_name_at(i)) != NULL; i++)
        nb_suggest(near, word, strlen(word));
    for (size_t i = 0; (word = nb_command_find("list")->word_at(i)) != NULL;
         i++)
        nb_suggest(near, word, strlen(word));
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        for (size_t i = 0; (kind = at->kinds(i)) != NULL; i++) {
            nb_suggest(near, kind->name, strlen(kind->name));
            nb_suggest_words(near, kind->aliases, ' ');
        }
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        for (row = at->common; row != NULL && row->name != NULL; row++)
            nb_suggest(near, row->name, strlen(row->name));
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        for (row = NULL; (row = nb_option_next(nb_commands[i], row)) != NULL;)
            nb_suggest(near, row->name, strlen(row->name));
    help_suggest_quantities(near);
}

/* Parameters of that name that every kind of a registry takes: "help fail".
 * false: there is none. */
static bool help_print_parameter(const char *name, struct nb_text *text)
{
    bool is_any = false;
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        for (const struct nb_parameter *row = at->common;
             row != NULL && row->name != NULL; row++) {
            if (strcmp(row->name, name) != 0)
                continue;
            nb_text_print(text, "%s%s of every --%s\n", is_any ? "\n" : "",
                          name, at->option);
            nb_option_print_page(row, text);
            is_any = true;
        }
    return is_any;
}

/* A parameter of a kind; false: there is none. near and is_kind: what there is
 * instead. */
static bool help_print_of_kind(const char *name, const char *parameter,
                               struct nb_suggestion *near, bool *is_kind,
                               struct nb_text *text)
{
    bool is_any = false;
    size_t index;
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_kind *kind =
            nb_kind_find(at->kinds, name, strlen(name), &index);
        const struct nb_parameter *row = NULL;
        *is_kind |= kind != NULL;
        while (kind != NULL && (row = nb_kind_next(at, kind, row)) != NULL) {
            nb_suggest(near, row->name, strlen(row->name));
            if (strcmp(row->name, parameter) != 0)
                continue;
            nb_text_print(text, "%s%s of --%s %s\n", is_any ? "\n" : "",
                          parameter, at->option, kind->name);
            nb_option_print_page(row, text);
            is_any = true;
        }
    }
    return is_any;
}

static enum nb_status help_refuse_word(const char *word, struct nb_error *err)
{
    return nb_fail(err, NB_USAGE,
                   "help does not take \"%.60s\" (permitted: help COMMAND "
                   "OPTION, help KIND PARAMETER)",
                   word);
}

/* "help ugal threshold". */
static enum nb_status help_print_setting(const struct nb_invocation *invocation,
                                         struct nb_text *text,
                                         struct nb_error *err)
{
    const char *name = invocation->words[0], *parameter = invocation->words[1];
    struct nb_suggestion near = { .typed = parameter,
                                  .length = strlen(parameter) };
    char meant[NB_SUGGESTED];
    bool is_kind = false;
    if (help_print_of_kind(name, parameter, &near, &is_kind, text))
        return NB_OK;
    if (is_kind)
        return nb_fail(err, NB_USAGE,
                       "%s has no parameter \"%.60s\"%s (see: netbound help "
                       "%s)",
                       name, parameter, nb_suggestion_print(&near, "", meant),
                       name);
    return help_refuse_word(name, err);
}

/* The option of that name, or former name; NULL: there is none. */
static const struct nb_parameter *
help_option_find(const struct nb_command *command, const char *name)
{
    const struct nb_parameter *row = NULL;
    while ((row = nb_option_next(command, row)) != NULL)
        if (strcmp(row->name, name) == 0)
            return row;
    return nb_also_find(command->form, name, strlen(name), NULL);
}

/* Whether the pages of two options say the same. */
static bool help_is_same(const struct nb_parameter *a,
                         const struct nb_parameter *b, struct nb_text *text)
{
    struct nb_text pages[2] = { 0 };
    nb_option_print_page(a, &pages[0]);
    nb_option_print_page(b, &pages[1]);
    text->has_failed |= pages[0].has_failed || pages[1].has_failed;
    const bool is_same =
        !text->has_failed && strcmp(pages[0].bytes, pages[1].bytes) == 0;
    nb_text_release(&pages[0]);
    nb_text_release(&pages[1]);
    return is_same;
}

/* Prints an option that the command at this index has and no earlier one with
 * the same text, naming all commands that have it so. */
static bool help_print_shared(size_t index, const char *name, bool is_later,
                              struct nb_text *text)
{
    const struct nb_parameter *row = help_option_find(nb_commands[index], name);
    if (row == NULL)
        return false;
    for (size_t i = 0; i < index; i++) {
        const struct nb_parameter *earlier =
            help_option_find(nb_commands[i], name);
        if (earlier != NULL && help_is_same(earlier, row, text))
            return false;
    }
    nb_text_print(text, "%s--%s of", is_later ? "\n" : "", row->name);
    for (size_t i = index; nb_commands[i] != NULL; i++) {
        const struct nb_parameter *other =
            help_option_find(nb_commands[i], name);
        if (other != NULL && help_is_same(other, row, text))
            nb_text_print(text, "%s %s", i > index ? "," : "",
                          nb_commands[i]->form->name);
    }
    nb_text_print(text, "\n");
    nb_option_print_page(row, text);
    return true;
}

/* Options of that name, of any command: "help vcs". false: there is none. */
static bool help_print_options(const char *name, struct nb_text *text)
{
    bool is_any = false;
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        is_any |= help_print_shared(i, name, is_any, text);
    return is_any;
}

/* The parameter of that name of the kind at this index; NULL: there is none. */
static const struct nb_parameter *help_kind_find(const struct nb_registry *at,
                                                 size_t index, const char *name)
{
    const struct nb_parameter *row = NULL;
    while ((row = nb_kind_next(at, at->kinds(index), row)) != NULL)
        if (strcmp(row->name, name) == 0)
            break;
    return row;
}

/* As help_print_shared, for a parameter of the kinds of a registry. */
static bool help_print_own(const struct nb_registry *at, size_t index,
                           const char *name, bool is_later,
                           struct nb_text *text)
{
    const struct nb_parameter *row = help_kind_find(at, index, name);
    if (row == NULL)
        return false;
    for (size_t i = 0; i < index; i++) {
        const struct nb_parameter *earlier = help_kind_find(at, i, name);
        if (earlier != NULL && help_is_same(earlier, row, text))
            return false;
    }
    nb_text_print(text, "%s%s of --%s", is_later ? "\n" : "", name, at->option);
    for (size_t i = index; at->kinds(i) != NULL; i++) {
        const struct nb_parameter *other = help_kind_find(at, i, name);
        if (other != NULL && help_is_same(other, row, text))
            nb_text_print(text, "%s %s", i > index ? "," : "",
                          at->kinds(i)->name);
    }
    nb_text_print(text, "\n");
    nb_option_print_page(row, text);
    return true;
}

/* Parameters of that name, of any kind: "help terminals-at". false: there is
 * none. */
static bool help_print_all_own(const char *name, struct nb_text *text)
{
    bool is_any = false;
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        for (size_t i = 0; at->kinds(i) != NULL; i++)
            is_any |= help_print_own(at, i, name, is_any, text);
    return is_any;
}

static enum nb_status help_refuse(const char *word, struct nb_error *err)
{
    struct nb_suggestion near = { .typed = word, .length = strlen(word) };
    char meant[NB_SUGGESTED];
    help_suggest(&near);
    return nb_fail(err, NB_USAGE, "no help on \"%.60s\"%s (see: netbound help)",
                   word, nb_suggestion_print(&near, "", meant));
}

/* "help simulate buffer". */
static enum nb_status help_print_option(const struct nb_invocation *invocation,
                                        struct nb_text *text,
                                        struct nb_error *err)
{
    const struct nb_command *command = nb_command_find(invocation->words[0]);
    const char *name = invocation->words[1];
    const struct nb_parameter *row;
    char meant[NB_SUGGESTED];
    if (invocation->word_count > 2)
        return help_refuse_word(invocation->words[2], err);
    if (command == NULL)
        return help_print_setting(invocation, text, err);
    row = help_option_find(command, name);
    if (row == NULL) {
        struct nb_suggestion near = { .typed = name, .length = strlen(name) };
        while ((row = nb_option_next(command, row)) != NULL)
            nb_suggest(&near, row->name, strlen(row->name));
        return nb_fail(err, NB_USAGE,
                       "%s has no option \"%.60s\"%s (see: netbound help %s "
                       "--all)",
                       command->form->name, name,
                       nb_suggestion_print(&near, "", meant),
                       command->form->name);
    }
    nb_text_print(text, "--%s of %s\n", row->name, command->form->name);
    nb_option_print_page(row, text);
    return NB_OK;
}

/* Help on a word that is not a command. */
static enum nb_status help_print_word(const char *word, struct nb_text *text,
                                      struct nb_error *err)
{
    bool (*const print[])(const char *word, struct nb_text *text) = {
        help_print_kinds, help_print_parameter, help_print_options,
        help_print_quantity, help_print_all_own
    };
    bool is_any = nb_list_print(word, text);
    for (size_t i = 0; !is_any && i < sizeof print / sizeof *print; i++)
        is_any = print[i](word, text);
    return is_any ? NB_OK : help_refuse(word, err);
}

static enum nb_status help_find(const struct nb_invocation *invocation,
                                struct nb_text *text, struct nb_error *err)
{
    const char *word = invocation->word_count > 0 ? invocation->words[0] : "";
    const char *all = nb_model_get(&invocation->model, "all");
    const struct nb_command *command = nb_command_find(word);
    if (invocation->word_count > 1)
        return help_print_option(invocation, text, err);
    if (invocation->word_count == 0)
        help_print_program(text);
    else if (command != NULL)
        help_print_command(command, all != NULL && strcmp(all, "yes") == 0,
                           text);
    else
        return help_print_word(word, text, err);
    return NB_OK;
}

/* The column at which a line's description begins, after at least two blanks
 * behind its first word; a line without one is indented a little further. */
static size_t help_find_hang(const char *line, size_t length, size_t width)
{
    const size_t indent = strspn(line, " ");
    size_t hang = indent + 2;
    for (size_t i = indent + 1; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ') {
            hang = i + strspn(line + i, " ");
            break;
        }
    return hang < width / 2 ? hang : indent + 2;
}

/* Breaks a line at blanks; words that are too long are not broken. */
static void help_wrap_line(const char *line, size_t length, size_t width,
                           struct nb_text *out)
{
    const size_t hang = help_find_hang(line, length, width);
    size_t begin = 0, room = width;
    while (length - begin > room) {
        const size_t least = begin == 0 ? hang : begin;
        size_t end = begin + room;
        while (end > least && line[end] != ' ')
            end--;
        if (end <= least) /* the first blank after that word */
            for (end = least; end < length && line[end] != ' ';)
                end++;
        if (end >= length)
            break;
        size_t own = end - begin;
        while (own > 0 && line[begin + own - 1] == ' ')
            own--;
        nb_text_add(out, line + begin, own);
        nb_text_print(out, "\n%*s", (int)hang, "");
        begin = end + strspn(line + end, " ");
        room = width > hang ? width - hang : 1;
    }
    nb_text_add(out, line + begin, length - begin);
}

/* Keeps lines within the terminal's width; the terminal would break words. */
static void help_wrap(const struct nb_text *text, size_t width,
                      struct nb_text *out)
{
    for (const char *line = text->bytes; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        help_wrap_line(line, length, width, out);
        nb_text_add(out, "\n", 1);
        line += length + (line[length] == '\n');
    }
}

enum nb_status nb_reference_write(const struct nb_invocation *invocation,
                                  const struct nb_text *text,
                                  struct nb_error *err)
{
    struct nb_look look;
    struct nb_text wrapped = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_text_check(text, err));
    if (nb_terminal_look(false, invocation->output, &look, NULL) != NB_OK)
        look = (struct nb_look){ 0 }; /* help is printed anyway */
    const bool is_wrapped = look.has_columns && look.width > 0;
    if (is_wrapped)
        help_wrap(text, look.width, &wrapped);
    NB_TRY(nb_text_check(&wrapped, err));
    NB_TRY(
        nb_output_write(invocation->output, is_wrapped ? &wrapped : text, err));
done:
    nb_text_release(&wrapped);
    return status;
}

static enum nb_status help_run(struct nb_invocation *invocation,
                               struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(help_find(invocation, &text, err));
    NB_TRY(nb_reference_write(invocation, &text, err));
done:
    nb_text_release(&text);
    return status;
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
    .run = help_run,
};
