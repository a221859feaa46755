/* Completion for bash (declared in reference.h). */
#include "cli/reference.h"
#include "cli/version.h"

#include <string.h>

/* Finds what is completed: the current word, or the value of an option. bash
 * makes words of their own of "=" and ":". */
static const char bash_begin[] =
    "# bash completion of " NB_PROGRAM ", made by: netbound completion bash\n"
    "_netbound()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} joint='' words='' files=''\n"
    "    local option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    COMPREPLY=()\n"
    "    if [[ $current == \"=\" ]]; then\n"
    "        current='' joint='='\n"
    "    elif [[ $option == \"=\" ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]} joint='='\n"
    "    elif [[ $current == \":\" || $option == \":\" ]]; then\n"
    "        return\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        option='' joint=first\n"
    "    fi\n"
    "    case ${COMP_WORDS[1]}:$option:$joint in\n";

/* Finds the replies; compopt fails where no completion is under way. */
static const char bash_end[] =
    "    esac\n"
    "    case $files in\n"
    "    xml) mapfile -t COMPREPLY < <(\n"
    "        compgen -f -X '!*.xml' -- \"$current\"\n"
    "        compgen -d -- \"$current\"\n"
    "    ) ;;\n"
    "    any) mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") "
    ";;\n"
    "    esac\n"
    "    if [[ -n $files ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _netbound netbound\n";

/* "words='...'" or "files=..." of an offer that is not nothing. */
static void bash_add_offer(enum nb_offer offer, const struct nb_text *words,
                           struct nb_text *text)
{
    if (offer == NB_OFFER_FILES || offer == NB_OFFER_XML) {
        nb_text_print(text, "files=%s", offer == NB_OFFER_XML ? "xml" : "any");
        return;
    }
    nb_text_print(text, "words=");
    nb_shell_quote(NB_SHELL_POSIX, words->bytes != NULL ? words->bytes : "",
                   text);
}

/* The values of an option; a flag has some only after "=". */
static void bash_add_option(const struct nb_command *command,
                            const struct nb_parameter *row, const char *name,
                            struct nb_text *text)
{
    struct nb_text words = { 0 };
    const enum nb_offer offer = nb_option_offer(row, &words);
    nb_text_print(text, "    %s:--%s:%s) ", command->name, name,
                  row->type == NB_FLAG ? "=" : "*");
    if (offer != NB_OFFER_NOTHING)
        bash_add_offer(offer, &words, text);
    nb_text_print(text, " ;;\n");
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

/* What else may stand: options, or the command's words. */
static void bash_add_words(const struct nb_command *command,
                           struct nb_text *text)
{
    struct nb_text words = { 0 };
    const struct nb_parameter *row = NULL;
    const enum nb_offer offer = nb_command_offer(command, &words);
    nb_text_print(text, "    %s:*)\n        words='", command->name);
    while ((row = nb_option_next(command, row)) != NULL) {
        nb_text_print(text, "--%s ", row->name);
        if (nb_option_also(command, row) != NULL)
            nb_text_print(text, "--%s ", row->also);
    }
    nb_text_print(text, "--help'\n");
    if (offer != NB_OFFER_NOTHING) {
        nb_text_print(text, "        [[ $current == -* ]] || ");
        bash_add_offer(offer, &words, text);
        nb_text_print(text, "\n");
    }
    nb_text_print(text, "        ;;\n");
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

void nb_completion_bash(struct nb_text *text)
{
    nb_text_add(text, bash_begin, strlen(bash_begin));
    nb_text_print(text, "    *::first) words='");
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_text_print(text, "%s ", nb_commands[i]->name);
    nb_text_print(text, "--help --version' ;;\n");
    for (size_t i = 0; nb_commands[i] != NULL; i++) {
        const struct nb_parameter *row = NULL;
        while ((row = nb_option_next(nb_commands[i], row)) != NULL) {
            bash_add_option(nb_commands[i], row, row->name, text);
            if (nb_option_also(nb_commands[i], row) != NULL)
                bash_add_option(nb_commands[i], row, row->also, text);
        }
        bash_add_words(nb_commands[i], text);
    }
    nb_text_add(text, bash_end, strlen(bash_end));
}
