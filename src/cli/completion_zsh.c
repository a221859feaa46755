/* Completion for zsh (declared in reference.h). */
#include "cli/reference.h"
#include "core/version.h"

#include <string.h>

static const char zsh_begin[] =
    "#compdef netbound\n"
    "# zsh completion of " NB_PROGRAM ", made by: netbound completion zsh\n"
    "\n";

/* The completion system has a variable $words of its own. */
static const char zsh_specification[] =
    "# Kinds of an option, then their parameters; \"-\": names of options.\n"
    "_netbound_kinds() {\n"
    "    local choices='' files='' option=$1 kind\n"
    "    shift\n"
    "    if [[ $option != - ]] && compset -P 1 '*:'; then\n"
    "        kind=${${IPREFIX%:}##*=}\n"
    "        compset -P '*,' || _netbound_parameters \"$option:$kind:-\"\n"
    "        if compset -P 1 '*='; then\n"
    "            choices='' files=''\n"
    "            kind+=:${${IPREFIX%=}##*[:,]}\n"
    "            _netbound_parameters \"$option:$kind\"\n"
    "        elif [[ -z $files ]]; then\n"
    "            _netbound_parameters \"$option:$kind:\"\n"
    "        fi\n"
    "        if [[ -n $files ]]; then\n"
    "            _files\n"
    "            return\n"
    "        fi\n"
    "        set -- ${=choices}\n"
    "    fi\n"
    "    compadd -S '' -- ${(M)@:#*[:=]}\n"
    "    compadd -- ${@:#*[:=]}\n"
    "}\n"
    "\n"
    "_netbound() {\n"
    "    if (( CURRENT == 2 )); then\n"
    "        local -a commands=(\n";

static const char zsh_middle[] =
    "        )\n"
    "        _describe command commands\n"
    "        _arguments '--help[how to use the program]' "
    "'--version[which program it is]'\n"
    "        return\n"
    "    fi\n"
    "    shift words\n"
    "    (( CURRENT-- ))\n"
    "    case $words[1] in\n";

/* Read by the completion system on the first use, or sourced. */
static const char zsh_end[] = "    esac\n"
                              "}\n"
                              "\n"
                              "if [[ $funcstack[1] == _netbound ]]; then\n"
                              "    _netbound \"$@\"\n"
                              "else\n"
                              "    compdef _netbound netbound\n"
                              "fi\n";

/* Characters of a description, in which those of stops end or divide it. */
static void zsh_add(const char *characters, const char *stops,
                    struct nb_text *text)
{
    for (; *characters != '\0'; characters++) {
        if (*characters == '\\' || strchr(stops, *characters) != NULL)
            nb_text_add(text, "\\", 1);
        nb_text_add(text, characters, 1);
    }
}

/* Appends what _arguments is told, as one word of the shell. */
static void zsh_add_line(struct nb_text *line, struct nb_text *text)
{
    nb_text_print(text, " \\\n            ");
    nb_shell_quote(NB_SHELL_POSIX, line->bytes != NULL ? line->bytes : "",
                   text);
    text->has_failed |= line->has_failed;
    nb_text_release(line);
}

/* "what:action", which begins with a blank if it is to be called with no
 * more words than these; kinds: the option whose kinds they are, if they are.
 */
static void zsh_add_offer(const char *what, enum nb_offer offer,
                          const char *kinds, const struct nb_text *words,
                          struct nb_text *line)
{
    const char *bytes = words->bytes != NULL ? words->bytes : "";
    zsh_add(what, ":", line);
    nb_text_print(line, ":");
    if (offer == NB_OFFER_FILES)
        nb_text_print(line, "_files");
    else if (offer == NB_OFFER_XML)
        nb_text_print(line, "_files -g \"*.xml\"");
    else if (offer == NB_OFFER_KINDS)
        nb_text_print(line, " _netbound_kinds %s ", kinds);
    else if (offer == NB_OFFER_NAMES)
        nb_text_print(line, " _netbound_kinds - ");
    else if (offer == NB_OFFER_WORDS)
        nb_text_print(line, "(");
    zsh_add(bytes, ":", line);
    if (offer == NB_OFFER_WORDS)
        nb_text_print(line, ")");
}

static void zsh_add_option(const struct nb_command *command,
                           const struct nb_parameter *row, const char *name,
                           struct nb_text *text)
{
    struct nb_text words = { 0 }, line = { 0 };
    const enum nb_offer offer = nb_option_offer(command, row, &words);
    const bool is_repeated = strcmp(row->name, "sweep") == 0;
    nb_text_print(&line, "%s--%s=%s[", is_repeated ? "*" : "", name,
                  row->type == NB_FLAG ? "-" : "");
    zsh_add(row->help, "[]:", &line);
    nb_text_print(&line, "]:%s", row->type == NB_FLAG ? ":" : "");
    zsh_add_offer(name, offer, row->name, &words, &line);
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
    zsh_add_line(&line, text);
}

static void zsh_add_command(const struct nb_command *command,
                            struct nb_text *text)
{
    struct nb_text words = { 0 }, line = { 0 };
    const struct nb_parameter *row = NULL;
    const enum nb_offer offer = nb_command_offer(command, &words);
    nb_text_print(text, "    %s)\n        _arguments", command->form->name);
    while ((row = nb_option_next(command, row)) != NULL) {
        zsh_add_option(command, row, row->name, text);
        if (nb_option_also(command, row) != NULL)
            zsh_add_option(command, row, row->also, text);
    }
    nb_text_print(&line, "--help[how to use the command]");
    zsh_add_line(&line, text);
    if (offer != NB_OFFER_NOTHING) {
        nb_text_print(&line, "*:");
        zsh_add_offer(command->words, offer, NULL, &words, &line);
        zsh_add_line(&line, text);
    }
    nb_text_print(text, "\n        ;;\n");
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

void nb_completion_zsh(struct nb_text *text)
{
    nb_text_add(text, zsh_begin, strlen(zsh_begin));
    nb_completion_kinds(text);
    nb_text_add(text, zsh_specification, strlen(zsh_specification));
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        struct nb_text line = { 0 };
        zsh_add(nb_commands[i]->form->name, ":", &line);
        nb_text_print(&line, ":%s", nb_commands[i]->form->summary);
        nb_text_print(text, "            ");
        nb_shell_quote(NB_SHELL_POSIX, line.bytes != NULL ? line.bytes : "",
                       text);
        nb_text_print(text, "\n");
        text->has_failed |= line.has_failed;
        nb_text_release(&line);
    }
    nb_text_add(text, zsh_middle, strlen(zsh_middle));
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        zsh_add_command(nb_commands[i], text);
    nb_text_add(text, zsh_end, strlen(zsh_end));
}
