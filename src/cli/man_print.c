/* Manual pages in roff (declared in reference.h). */
#include "cli/options.h"
#include "cli/reference.h"
#include "cli/terminal.h"
#include "core/locale.h"
#include "core/version.h"

#include <string.h>

/* Prints characters literally: no requests, no typographer's quotes and dashes.
 * A line that begins with "." or "'" would be a request. Lists of choices may
 * be broken after "|". */
static void man_add(const char *characters, struct nb_text *text)
{
    static const struct nb_instead special[] = {
        { '\\', "\\e" },   { '-', "\\-" },
        { '\'', "\\(aq" }, { '`', "\\(ga" },
        { '^', "\\(ha" },  { '~', "\\(ti" },
        { '"', "\\(dq" },  { '.', "\\&." },
        { '|', "|\\:" },   { 0 },
    };
    for (; *characters != '\0'; characters++) {
        const char *roff = nb_instead_of(special, *characters);
        if (roff != NULL)
            nb_text_print(text, "%s", roff);
        else
            nb_text_add(text, characters, 1);
    }
}

/* A page's name: netbound or netbound-COMMAND. */
static void man_add_name(const struct nb_command *command, struct nb_text *text)
{
    nb_text_print(text, "netbound");
    if (command != NULL) {
        nb_text_print(text, "\\-");
        man_add(command->form->name, text);
    }
}

static void man_add_title(const struct nb_command *command, const char *summary,
                          struct nb_text *text)
{
    struct nb_text name = { 0 };
    man_add_name(command, &name);
    for (size_t i = 0; i < name.length; i++)
        name.bytes[i] = nb_to_upper(name.bytes[i]);
    /* Left-aligned and without hyphenation: words are to be typed as shown. */
    nb_text_print(text,
                  ".TH \"%s\" 1 \"\" \"" NB_PROGRAM "\" \"netbound\"\n"
                  ".ad l\n.nh\n.SH NAME\n",
                  name.bytes != NULL ? name.bytes : "");
    text->has_failed |= name.has_failed;
    nb_text_release(&name);
    man_add_name(command, text);
    nb_text_print(text, " \\- ");
    man_add(summary, text);
    nb_text_print(text, "\n.SH SYNOPSIS\n");
}

/* A labelled paragraph: the label in bold, what follows it in italics. */
static void man_add_label(const char *mark, const char *label,
                          const char *variable, struct nb_text *text)
{
    nb_text_print(text, ".TP\n\\fB");
    man_add(mark, text);
    man_add(label, text);
    nb_text_print(text, "\\fR");
    if (variable != NULL)
        nb_text_print(text, " \\fI%s\\fR", variable);
    nb_text_print(text, "\n");
}

/* Paragraphs under an option, one for each line. */
static void man_add_detail(const char *detail, struct nb_text *text)
{
    nb_text_print(text, "%s", detail != NULL ? ".IP\n" : "");
    for (const char *at = detail; at != NULL && *at != '\0'; at++) {
        const char character[2] = { *at, '\0' };
        if (*at == '\n')
            nb_text_print(text, "\n.IP\n");
        else
            man_add(character, text);
    }
    nb_text_print(text, "%s", detail != NULL ? "\n" : "");
}

static void man_add_option(const struct nb_parameter *row, struct nb_text *text)
{
    struct nb_text described = { 0 };
    const char *variable = row->type == NB_FLAG   ? NULL
                           : row->type == NB_PATH ? "FILE"
                                                  : "VALUE";
    nb_option_print(row, &described);
    man_add_label("--", row->name, variable, text);
    man_add(described.bytes != NULL ? described.bytes : "", text);
    nb_text_print(text, "\n");
    man_add_detail(row->detail, text);
    text->has_failed |= described.has_failed;
    nb_text_release(&described);
}

static void man_add_options(const struct nb_command *command,
                            struct nb_text *text)
{
    const struct nb_parameter *row = NULL;
    bool is_common = false;
    nb_text_print(text, ".SH OPTIONS\n");
    while ((row = nb_option_next(command, row)) != NULL) {
        if (nb_option_is_in(nb_common_options, row) && !is_common)
            nb_text_print(text, ".SS Common options\n");
        is_common = nb_option_is_in(nb_common_options, row);
        man_add_option(row, text);
    }
    nb_text_print(text, ".PP\nA value may follow after a blank or after "
                        "\\(dq=\\(dq.\n");
}

static void man_add_ending(struct nb_text *text)
{
    nb_text_print(text, ".SH \"EXIT STATUS\"\n");
    for (size_t i = 0; nb_exit_meanings[i] != NULL; i++) {
        nb_text_print(text, ".TP\n\\fB%zu\\fR\n", i);
        man_add(nb_exit_meanings[i], text);
        nb_text_print(text, "\n");
    }
    nb_text_print(text, ".SH ENVIRONMENT\n");
    for (size_t i = 0; nb_variables[i].name != NULL; i++) {
        man_add_label("", nb_variables[i].name, NULL, text);
        man_add(nb_variables[i].help, text);
        nb_text_print(text, "\n");
    }
}

/* The program's page refers to all others, and they refer back to it. */
static void man_add_others(const struct nb_command *command,
                           struct nb_text *text)
{
    nb_text_print(text, ".SH \"SEE ALSO\"\n");
    if (command != NULL) {
        nb_text_print(text, ".BR netbound (1)\n");
        return;
    }
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        nb_text_print(text, ".BR ");
        man_add_name(nb_commands[i], text);
        nb_text_print(text, " (1)%s\n", nb_commands[i + 1] != NULL ? "," : "");
    }
}

static void man_print_program(struct nb_text *text)
{
    man_add_title(NULL, "bounds of interconnection networks", text);
    nb_text_print(text, ".B netbound\n\\fICOMMAND\\fR [\\fB\\-\\-option\\fR "
                        "\\fIvalue\\fR]\\&...\n.br\n"
                        ".B netbound help\n\\fICOMMAND\\fR\n.br\n"
                        ".B netbound \\-\\-version\n"
                        ".SH COMMANDS\n");
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        man_add_label("", nb_commands[i]->form->name, NULL, text);
        man_add(nb_commands[i]->form->summary, text);
        nb_text_print(text, "\n");
    }
    man_add_ending(text);
    man_add_others(NULL, text);
}

static void man_add_lists(const struct nb_command *command,
                          struct nb_text *text)
{
    struct nb_text lists = { 0 };
    command->print_lists(&lists);
    nb_text_print(text, "\n.PP\n.nf\n");
    man_add(lists.bytes != NULL ? lists.bytes : "", text);
    nb_text_print(text, ".fi");
    nb_text_release(&lists);
}

/* Adds what its name and summary do not say. */
static void man_add_details(const struct nb_command *command,
                            struct nb_text *text)
{
    const char *tables = command->form->tables;
    if (command->form->details != NULL)
        man_add(command->form->details, text);
    if (command->form->details != NULL && command->question != NULL)
        nb_text_print(text, "\n.PP\n");
    if (command->print_lists != NULL)
        man_add_lists(command, text);
    if (command->question != NULL)
        nb_text_print(text, "An answer holds quantities and notes%s",
                      tables != NULL && *tables != '\0' ? ", and the tables "
                                                        : ".");
    if (command->question != NULL && tables != NULL && *tables != '\0') {
        man_add(tables, text);
        nb_text_print(text, " (\\-\\-table, \\-\\-show), some of them only "
                            "with certain options.");
    }
    nb_text_print(text, "\n");
}

void nb_man_print(const struct nb_command *command, struct nb_text *text)
{
    struct nb_text words = { 0 };
    if (command == NULL) {
        man_print_program(text);
        return;
    }
    man_add_title(command, command->form->summary, text);
    nb_text_print(text, ".B netbound ");
    man_add(command->form->name, text);
    nb_text_print(text, "\n");
    if (nb_command_words(command) != NULL) {
        nb_text_print(text, "\\fI");
        man_add(nb_command_words(command), text);
        nb_text_print(text, "\\fR\n");
    }
    nb_text_print(text, "[\\fB\\-\\-option\\fR \\fIvalue\\fR]\\&...\n"
                        ".SH DESCRIPTION\n");
    man_add_details(command, text);
    if (command->word_at != NULL) {
        const char *word;
        for (size_t i = 0; (word = command->word_at(i)) != NULL; i++)
            nb_text_print(&words, "%s%s", i > 0 ? " " : "", word);
        nb_text_print(text, ".PP\n\\fI");
        man_add("The word", text);
        nb_text_print(text, "\\fR is one of: ");
        man_add(words.bytes != NULL ? words.bytes : "", text);
        nb_text_print(text, "\n");
    }
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
    man_add_options(command, text);
    nb_text_print(text, ".SH EXAMPLES\n.nf\n");
    man_add(command->form->example, text);
    nb_text_print(text, "\n.fi\n");
    man_add_ending(text);
    man_add_others(command, text);
}
