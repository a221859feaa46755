/* Completion for fish (declared in reference.h). */
#include "cli/reference.h"
#include "core/version.h"

#include <string.h>

static const char fish_begin[] =
    "# fish completion of " NB_PROGRAM ", made by: netbound completion fish\n"
    "function __netbound_is\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
    "end\n"
    "function __netbound_is_first\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "complete -c netbound -f\n"
    "complete -c netbound -n __netbound_is_first -l help "
    "-d 'how to use the program'\n"
    "complete -c netbound -n __netbound_is_first -l version "
    "-d 'which program it is'\n";

/* A specification is completed as a whole. */
static const char fish_specification[] =
    "function __netbound_specification\n"
    "    set -l value (commandline -ct | string replace -r '^--[^=]*=' '')\n"
    "    if not string match -q '*:*' -- $value\n"
    "        __netbound_kinds $argv[1]\n"
    "        return\n"
    "    end\n"
    "    set -l kind (string replace -r ':.*' '' -- $value)\n"
    "    set -l part (string replace -r '^.*[:,]' '' -- $value)\n"
    "    set -l key (string match -r '^[^=]*(?==)' -- $part)\n"
    "    set part (string replace -r '^.*=' '' -- $part)\n"
    "    set -l front (string replace -r '[^:,=]*$' '' -- $value)\n"
    "    set -l keys \"$kind:$key\"\n"
    "    string match -qr '[,=]' -- $value; or set -a keys $kind:-\n"
    "    for name in $argv[1]:$keys\n"
    "        for line in (__netbound_parameters $name $part)\n"
    "            printf '%s%s\\n' $front $line\n"
    "        end\n"
    "    end\n"
    "end\n";

static void fish_add(const char *what, const char *characters,
                     struct nb_text *text)
{
    nb_text_print(text, " %s ", what);
    nb_shell_quote(NB_SHELL_FISH, characters, text);
}

/* " -x -a 'words'", " -r -F"; a flag's value is optional, after "=". */
static void fish_add_value(const struct nb_command *command,
                           const struct nb_parameter *row, struct nb_text *text)
{
    struct nb_text words = { 0 };
    const enum nb_offer offer = nb_option_offer(command, row, &words);
    if (offer == NB_OFFER_FILES)
        nb_text_print(text, " -r -F");
    else if (row->type != NB_FLAG)
        nb_text_print(text, " -x");
    if (offer == NB_OFFER_KINDS)
        nb_text_print(text, " -a '(__netbound_specification %s)'", row->name);
    else if (words.bytes != NULL)
        fish_add("-a", words.bytes, text);
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

static void fish_add_option(const struct nb_command *command,
                            const struct nb_parameter *row, const char *name,
                            struct nb_text *text)
{
    nb_text_print(text, "complete -c netbound -n '__netbound_is %s' -l %s",
                  command->form->name, name);
    fish_add_value(command, row, text);
    fish_add("-d", row->help, text);
    nb_text_print(text, "\n");
}

/* The words that the command takes. */
static void fish_add_words(const struct nb_command *command,
                           struct nb_text *text)
{
    struct nb_text words = { 0 };
    const enum nb_offer offer = nb_command_offer(command, &words);
    if (offer != NB_OFFER_NOTHING) {
        nb_text_print(text, "complete -c netbound -n '__netbound_is %s'",
                      command->form->name);
        if (offer == NB_OFFER_XML)
            nb_text_print(text, " -a '(__fish_complete_suffix .xml)'");
        else if (offer == NB_OFFER_FILES)
            nb_text_print(text, " -F");
        else
            fish_add("-a", words.bytes != NULL ? words.bytes : "", text);
        nb_text_print(text, "\n");
    }
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

void nb_completion_fish(struct nb_text *text)
{
    nb_text_add(text, fish_begin, strlen(fish_begin));
    nb_completion_fish_kinds(text);
    nb_text_add(text, fish_specification, strlen(fish_specification));
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const struct nb_command *command = nb_commands[i];
        const struct nb_parameter *row = NULL;
        nb_text_print(text, "complete -c netbound -n __netbound_is_first -a %s",
                      command->form->name);
        fish_add("-d", command->form->summary, text);
        nb_text_print(text, "\n");
        fish_add_words(command, text);
        while ((row = nb_option_next(command, row)) != NULL) {
            fish_add_option(command, row, row->name, text);
            if (nb_option_also(command, row) != NULL)
                fish_add_option(command, row, row->also, text);
        }
        nb_text_print(text,
                      "complete -c netbound -n '__netbound_is %s' -l help "
                      "-d 'how to use the command'\n",
                      command->form->name);
    }
}
