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

/* Adds roff, then characters literally, then roff. */
static void man_put(const char *before, const char *characters,
                    const char *after, struct nb_text *text)
{
    nb_text_print(text, "%s", before);
    man_add(characters, text);
    nb_text_print(text, "%s", after);
}

/* Makes what was added from a place on literal. */
static void man_quote(struct nb_text *text, size_t from)
{
    struct nb_text plain = { 0 };
    nb_text_print(&plain, "%s", text->has_failed ? "" : text->bytes + from);
    text->length = from;
    man_add(plain.has_failed ? "" : plain.bytes, text);
    text->has_failed |= plain.has_failed;
    nb_text_release(&plain);
}

/* A page's name: netbound or netbound-COMMAND. */
static void man_add_name(const struct nb_command *command, struct nb_text *text)
{
    nb_text_print(text, "netbound");
    if (command != NULL)
        man_put("\\-", command->form->name, "", text);
}

static void man_add_title(const struct nb_command *command, const char *summary,
                          struct nb_text *text)
{
    nb_text_print(text, ".TH \"");
    const size_t start = text->length;
    man_add_name(command, text);
    for (size_t i = start; i < text->length; i++)
        text->bytes[i] = nb_to_upper(text->bytes[i]);
    /* Left-aligned and without hyphenation: words are to be typed as shown. */
    nb_text_print(text, "\" 1 \"\" \"" NB_PROGRAM "\" \"netbound\"\n"
                        ".ad l\n.nh\n.SH NAME\n");
    man_add_name(command, text);
    man_put(" \\- ", summary, "\n.SH SYNOPSIS\n", text);
}

/* A labelled paragraph: the label in bold. */
static void man_add_row(const char *label, const char *described,
                        struct nb_text *text)
{
    man_put(".TP\n\\fB", label, "\\fR\n", text);
    man_put("", described, "\n", text);
}

/* Its variable is in italics; each line of its details is a paragraph. */
static void man_add_option(const struct nb_parameter *row, struct nb_text *text)
{
    const char *variable = row->type == NB_FLAG   ? ""
                           : row->type == NB_PATH ? " \\fIFILE\\fR"
                                                  : " \\fIVALUE\\fR";
    man_put(".TP\n\\fB\\-\\-", row->name, "\\fR", text);
    nb_text_print(text, "%s\n", variable);
    const size_t start = text->length;
    nb_option_print(row, text);
    man_quote(text, start);
    nb_text_print(text, "\n");
    for (const char *line = row->detail; line != NULL;) {
        const size_t length = strcspn(line, "\n");
        nb_text_print(text, ".IP\n");
        const size_t from = text->length;
        nb_text_add(text, line, length);
        man_quote(text, from);
        nb_text_print(text, "\n");
        line = line[length] != '\0' ? line + length + 1 : NULL;
    }
}

static void man_add_options(const struct nb_command *command,
                            struct nb_text *text)
{
    const struct nb_parameter *row = NULL;
    bool was_common = false;
    nb_text_print(text, ".SH OPTIONS\n");
    while ((row = nb_option_next(command, row)) != NULL) {
        const bool is_common = nb_option_is_in(nb_common_options, row);
        if (is_common && !was_common)
            nb_text_print(text, ".SS Common options\n");
        was_common = is_common;
        man_add_option(row, text);
    }
    nb_text_print(text, ".PP\nA value may follow after a blank or after "
                        "\\(dq=\\(dq.\n");
}

/* The program's page (command NULL) refers to all others, and they refer back
 * to it. */
static void man_add_ending(const struct nb_command *command,
                           struct nb_text *text)
{
    nb_text_print(text, ".SH \"EXIT STATUS\"\n");
    for (size_t i = 0; nb_exit_meanings[i] != NULL; i++)
        man_add_row((const char[]){ (char)('0' + i), '\0' },
                    nb_exit_meanings[i], text);
    nb_text_print(text, ".SH ENVIRONMENT\n");
    for (size_t i = 0; nb_variables[i].name != NULL; i++)
        man_add_row(nb_variables[i].name, nb_variables[i].help, text);
    nb_text_print(text, ".SH \"SEE ALSO\"\n");
    if (command != NULL)
        nb_text_print(text, ".BR netbound (1)\n");
    for (size_t i = 0; command == NULL && nb_commands[i] != NULL; i++) {
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
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        man_add_row(nb_commands[i]->form->name, nb_commands[i]->form->summary,
                    text);
}

/* Adds what its name and summary do not say. */
static void man_add_details(const struct nb_command *command,
                            struct nb_text *text)
{
    const char *details = command->form->details;
    struct nb_text tables = { 0 };
    if (details != NULL)
        man_put("", details, command->question != NULL ? "\n.PP\n" : "", text);
    if (command->print_lists != NULL) {
        nb_text_print(text, "\n.PP\n.nf\n");
        const size_t start = text->length;
        command->print_lists(text);
        man_quote(text, start);
        nb_text_print(text, ".fi");
    }
    nb_form_print_tables(command->form, " ", &tables);
    if (command->question != NULL && tables.length > 0)
        man_put("An answer holds quantities and notes, and the tables ",
                tables.bytes,
                " (\\-\\-table, \\-\\-show), some of them only with certain "
                "options.",
                text);
    else if (command->question != NULL)
        nb_text_print(text, "An answer holds quantities and notes.");
    text->has_failed |= tables.has_failed;
    nb_text_release(&tables);
    nb_text_print(text, "\n");
    if (command->word_at == NULL)
        return;
    nb_text_print(text, ".PP\n\\fIThe word\\fR is one of: ");
    const char *word;
    for (size_t i = 0; (word = command->word_at(i)) != NULL; i++)
        man_put(i > 0 ? " " : "", word, "", text);
    nb_text_print(text, "\n");
}

static void man_print_command(const struct nb_command *command,
                              struct nb_text *text)
{
    man_add_title(command, command->form->summary, text);
    man_put(".B netbound ", command->form->name, "\n", text);
    if (nb_command_words(command) != NULL)
        man_put("\\fI", nb_command_words(command), "\\fR\n", text);
    nb_text_print(text, "[\\fB\\-\\-option\\fR \\fIvalue\\fR]\\&...\n"
                        ".SH DESCRIPTION\n");
    man_add_details(command, text);
    man_add_options(command, text);
    man_put(".SH EXAMPLES\n.nf\n", command->form->example, "\n.fi\n", text);
}

void nb_man_print(const struct nb_command *command, struct nb_text *text)
{
    if (command == NULL)
        man_print_program(text);
    else
        man_print_command(command, text);
    man_add_ending(command, text);
}
