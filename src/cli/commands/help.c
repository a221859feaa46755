/* netbound help: made from the option tables. */
#include "cli/command.h"

#include "cli/reference.h"
#include "cli/terminal.h"
#include "core/version.h"
#include "core/try.h"

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
    if (command->words != NULL)
        nb_text_print(text, " %s", command->words);
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

static enum nb_status help_run(struct nb_invocation *invocation,
                               struct nb_error *err)
{
    const struct nb_command *command = NULL;
    const size_t width = invocation->output == NULL ? nb_terminal_width() : 0;
    struct nb_text text = { 0 }, wrapped = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_word_command(invocation, &command, err));
    help_print(command, &text);
    NB_TRY(nb_text_check(&text, err));
    if (width > 0)
        help_wrap(&text, width, &wrapped);
    NB_TRY(nb_text_check(&wrapped, err));
    NB_TRY(
        nb_output_write(invocation->output, width > 0 ? &wrapped : &text, err));
done:
    nb_text_release(&text);
    nb_text_release(&wrapped);
    return status;
}

static const struct nb_form help_form = {
    .name = "help",
    .summary = "how to use the program or a command",
    .example = "netbound help worst-case",
    .common = "output",
};

const struct nb_command nb_command_help = {
    .form = &help_form,
    .words = "[COMMAND]",
    .word_at = nb_command_name_at,
    .run = help_run,
};
