/* netbound help: made from the option tables. */
#include "cli/command.h"

#include "cli/reference.h"
#include "cli/terminal.h"
#include "core/suggest.h"
#include "core/version.h"
#include "core/try.h"
#include "explain/formula.h"
#include "questions/question.h"

#include <string.h>

static void help_print_rows(const struct nb_command *command,
                            const struct nb_parameter *rows,
                            struct nb_text *text)
{
    const bool is_common = rows == nb_common_options;
    for (; rows != NULL && rows->name != NULL; rows++) {
        if (is_common && !nb_command_takes(command, rows))
            continue;
        nb_text_print(text, "  --%-20s ", rows->name);
        nb_option_print(rows, text);
        nb_text_print(text, "\n");
    }
}

static void help_print_program(struct nb_text *text)
{
    nb_text_print(text, NB_PROGRAM ": bounds of interconnection networks\n\n"
                                   "  netbound COMMAND [--option value]...\n"
                                   "  netbound help COMMAND\n"
                                   "  netbound help QUANTITY\n"
                                   "  netbound --version\n\ncommands\n");
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_text_print(text, "  %-12s %s\n", nb_commands[i]->form->name,
                      nb_commands[i]->form->summary);
    nb_text_print(text, "\nenvironment\n");
    for (size_t i = 0; nb_variables[i].name != NULL; i++)
        nb_text_print(text, "  %-18s %s\n", nb_variables[i].name,
                      nb_variables[i].help);
    nb_text_print(text, "\nexit status:");
    for (size_t i = 0; nb_exit_meanings[i] != NULL; i++)
        nb_text_print(text, "%s %zu %s", i > 0 ? "," : "", i,
                      nb_exit_meanings[i]);
    nb_text_print(text, "\n");
}

/* Appends the help of the program (command = NULL) or of a command. */
static void help_print(const struct nb_command *command, struct nb_text *text)
{
    if (command == NULL) {
        help_print_program(text);
        return;
    }
    nb_text_print(text, "netbound %s", command->form->name);
    if (nb_command_words(command) != NULL)
        nb_text_print(text, " %s", nb_command_words(command));
    nb_text_print(text, " [--option value]...\n  %s\n\nexample\n  %s\n",
                  command->form->summary, command->form->example);
    if (command->form->options != NULL) {
        nb_text_print(text, "\noptions\n");
        help_print_rows(command, command->form->options, text);
        help_print_rows(command, command->form->outputs, text);
    }
    nb_text_print(text, "\ncommon options\n");
    help_print_rows(command, nb_common_options, text);
}

/* Kinds of the name, with what they take and where: "help dor". false: none. */
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
        nb_text_print(text, "%s--%s %s%s\n", is_any ? "\n" : "", at->option,
                      kind->name, nb_kind_mark(kind));
        nb_list_print_kind(kind, text);
        is_any = true;
    }
    return is_any;
}

/* Whether a later row says the same quantity's formula of the same commands,
 * the general one where this is of special cases. */
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

/* What a quantity or a symbol of --explain is, of every command that has it:
 * "help buffer_depth". false: there is none. */
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

/* Names of quantities that could have been meant. */
static void help_suggest_quantities(struct nb_suggestion *near)
{
    enum { SHORTEST = 4 }; /* shorter ones are symbols */
    const char *at = nb_formula_text();
    struct nb_formula row;
    while (nb_formula_next(&at, &row))
        if (row.name.length >= SHORTEST)
            nb_suggest(near, row.name.at, row.name.length);
}

/* What help can be asked about that is no command, too. */
static void help_suggest(struct nb_suggestion *near)
{
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
    help_suggest_quantities(near);
}

/* ": --vcs is an option of simulate", ": latency_p99 is a quantity of latency",
 * and in *command of which; "" if there is none of that name, or whose name
 * ends in it. */
static void help_find_part(const char *word, const char **command,
                           struct nb_text *said)
{
    const size_t length = strlen(word);
    const char *at = nb_formula_text();
    struct nb_formula row;
    for (size_t i = 0; nb_questions[i] != NULL; i++) {
        const struct nb_form *form = &nb_questions[i]->form;
        for (const struct nb_parameter *option = form->options;
             option->name != NULL; option++)
            if (strcmp(option->name, word) == 0) {
                nb_text_print(said, ": --%s is an option of %s", word,
                              form->name);
                *command = form->name;
                return;
            }
    }
    while (length > 0 && nb_formula_next(&at, &row)) {
        const char *end = row.name.at + row.name.length;
        if (row.name.length < length ||
            memcmp(end - length, word, length) != 0 ||
            (row.name.length > length && end[-(ptrdiff_t)length - 1] != '_'))
            continue;
        for (size_t i = 0; nb_questions[i] != NULL; i++) {
            const struct nb_form *form = &nb_questions[i]->form;
            if (!nb_formula_is_of(&row, form->name))
                continue;
            nb_text_print(said, ": %.*s is a quantity of %s",
                          (int)row.name.length, row.name.at, form->name);
            *command = form->name;
            return;
        }
    }
}

static enum nb_status help_refuse(const char *word, struct nb_error *err)
{
    struct nb_suggestion near = { .typed = word, .length = strlen(word) };
    const char *command = NULL;
    char meant[NB_SUGGESTED];
    struct nb_text part = { 0 };
    help_suggest(&near);
    nb_suggestion_print(&near, "", meant);
    if (*meant == '\0')
        help_find_part(word, &command, &part);
    nb_fail(err, NB_USAGE,
            "unknown command \"%.60s\"%s%s (see: netbound %s %s)", word, meant,
            part.bytes != NULL ? part.bytes : "",
            command != NULL ? "help" : "list",
            command != NULL ? command : "commands");
    nb_text_release(&part);
    return NB_USAGE;
}

/* Help on the words: none, a command, or something else there is. */
static enum nb_status help_find(const struct nb_invocation *invocation,
                                struct nb_text *text, struct nb_error *err)
{
    const char *word = invocation->word_count == 1 ? invocation->words[0] : "";
    const struct nb_command *command = nb_command_find(word);
    enum nb_status status = NB_OK;
    if (invocation->word_count > 1)
        NB_TRY(nb_word_command(invocation, &command, err));
    if (invocation->word_count == 0 || command != NULL) {
        help_print(command, text);
    } else if (!nb_list_print(word, text) && !help_print_kinds(word, text) &&
               !help_print_quantity(word, text)) {
        NB_TRY(help_refuse(word, err));
    }
done:
    return status;
}

/* The column at which a line's description begins, after two blanks or more
 * behind its first word; a line without is indented a little more. */
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

/* Breaks a line at blanks; a longer word stays whole. */
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

/* Lines no longer than the terminal's, whose own breaks tear words. */
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
        look = (struct nb_look){ 0 }; /* help is there all the same */
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
    .summary = "how to use the program or a command, what a kind takes or "
               "what a quantity is",
    .example = "netbound help worst-case",
    .common = "output",
};

const struct nb_command nb_command_help = {
    .form = &help_form,
    .words = "[COMMAND]",
    .word_at = nb_command_name_at,
    .run = help_run,
};
