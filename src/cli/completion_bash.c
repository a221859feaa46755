/* Completion for bash (declared in reference.h). */
#include "cli/reference.h"
#include "core/version.h"

#include <string.h>

static const char bash_begin[] =
    "# bash completion of " NB_PROGRAM ", made by: netbound completion bash\n";

/* A specification, in a sweep one of several, is completed from its last key
 * or value on; what is before that is $front. */
static const char bash_specification[] =
    "# $1: what is completed; $2: not empty, if kinds may follow others\n"
    "_netbound_specification()\n"
    "{\n"
    "    local part=${1##*,} kind\n"
    "    if [[ $1 == *:* ]]; then\n"
    "        kind=${1%:*} kind=${kind##*,}\n"
    "        [[ -n $2 && $part != *[:=]* ]] || choices=''\n"
    "        if [[ $part == *:* ]]; then\n"
    "            part=${part#*:}\n"
    "            _netbound_parameters \"$kinds:$kind:-\"\n"
    "        fi\n"
    "        if [[ $part == *=* ]]; then\n"
    "            choices='' files=''\n"
    "            _netbound_parameters \"$kinds:$kind:${part%%=*}\"\n"
    "            part=${part#*=}\n"
    "        elif [[ -z $files ]]; then\n"
    "            _netbound_parameters \"$kinds:$kind:\"\n"
    "        fi\n"
    "    fi\n"
    "    front=${value%\"$part\"}\n"
    "}\n"
    "\n"
    "# What may stand where $1 is COMMAND:OPTION:, or COMMAND:OPTION:= after\n"
    "# an option's \"=\"\n"
    "_netbound_offer()\n"
    "{\n"
    "    case $1 in\n";

/* Finds what is completed: the current word, or the value of an option. bash
 * makes words of their own of "=" and ":", and replaces what is behind. */
static const char bash_middle[] =
    "    esac\n"
    "}\n"
    "\n"
    "_netbound()\n"
    "{\n"
    "    local choices='' files='' kinds='' front='' option='' joint='' i\n"
    "    local at=$COMP_CWORD typed=${COMP_WORDS[COMP_CWORD]}\n"
    "    typed=${typed#[\\\"\\']}\n"
    "    local whole=$typed\n"
    "    [[ $typed == *[!=:]* ]] || typed=''\n"
    "    while ((at > 2)) && [[ ${COMP_WORDS[at]} =~ ^[=:]+$ ||\n"
    "        ${COMP_WORDS[at - 1]} =~ ^[=:]+$ ]]; do\n"
    "        whole=${COMP_WORDS[--at]}$whole\n"
    "    done\n"
    "    local value=$whole\n"
    "    if ((at == 1)); then\n"
    "        joint=first\n"
    "    elif [[ $whole == --*=* ]]; then\n"
    "        option=${whole%%=*} value=${whole#*=} joint='='\n"
    "    else\n"
    "        option=${COMP_WORDS[at - 1]}\n"
    "    fi\n"
    "    _netbound_offer \"${COMP_WORDS[1]}:$option:$joint\"\n";

/* Finds the replies; compopt fails where no completion is under way. */
static const char bash_end[] =
    "    if [[ $option == --sweep && $value == *=* ]]; then\n"
    "        choices='' front=${value##*[=,]} front=${value%\"$front\"}\n"
    "        _netbound_offer \"${COMP_WORDS[1]}:--${value%%=*}:=\"\n"
    "        [[ -z $kinds ]] || _netbound_specification \"${value#*=}\" list\n"
    "    elif [[ -n $kinds ]]; then\n"
    "        _netbound_specification \"$value\" ''\n"
    "    fi\n"
    "    local part=${value#\"$front\"}\n"
    "    COMPREPLY=()\n"
    "    case $files in\n"
    "    xml) mapfile -t COMPREPLY < <(\n"
    "        compgen -f -X '!*.xml' -- \"$part\"\n"
    "        compgen -d -- \"$part\"\n"
    "    ) ;;\n"
    "    any) mapfile -t COMPREPLY < <(compgen -f -- \"$part\") ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$choices\" -- \"$part\") ;;\n"
    "    esac\n"
    "    for i in \"${!COMPREPLY[@]}\"; do\n"
    "        COMPREPLY[i]=${whole%\"$part\"}${COMPREPLY[i]}\n"
    "        COMPREPLY[i]=${COMPREPLY[i]#\"${whole%\"$typed\"}\"}\n"
    "    done\n"
    "    if [[ -n $files ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _netbound netbound\n";

/* "choices='...'" or "files=..." of an offer that is not nothing. */
static void bash_add_offer(enum nb_offer offer, const struct nb_text *words,
                           struct nb_text *text)
{
    if (offer == NB_OFFER_FILES || offer == NB_OFFER_XML) {
        nb_text_print(text, "files=%s", offer == NB_OFFER_XML ? "xml" : "any");
        return;
    }
    nb_text_print(text, "choices=");
    nb_shell_quote(NB_SHELL_POSIX, words->bytes != NULL ? words->bytes : "",
                   text);
}

/* The values of an option; a flag has some only after "=". */
static void bash_add_option(const struct nb_command *command,
                            const struct nb_parameter *row, const char *name,
                            struct nb_text *text)
{
    struct nb_text words = { 0 };
    const enum nb_offer offer = nb_option_offer(command, row, &words);
    nb_text_print(text, "    %s:--%s:%s) ", command->form->name, name,
                  row->type == NB_FLAG ? "=" : "*");
    if (offer == NB_OFFER_KINDS)
        nb_text_print(text, "kinds=%s ", row->name);
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
    nb_text_print(text, "    %s:*:)\n        choices='", command->form->name);
    while ((row = nb_option_next(command, row)) != NULL) {
        nb_text_print(text, "--%s ", row->name);
        if (nb_option_also(command, row) != NULL)
            nb_text_print(text, "--%s ", row->also);
    }
    nb_text_print(text, "--help'\n");
    if (offer != NB_OFFER_NOTHING) {
        nb_text_print(text, "        [[ $value == -* ]] || ");
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
    nb_completion_kinds(text);
    nb_text_add(text, bash_specification, strlen(bash_specification));
    nb_text_print(text, "    *::first) choices='");
    for (size_t i = 0; nb_commands[i] != NULL; i++)
        nb_text_print(text, "%s ", nb_commands[i]->form->name);
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
    nb_text_add(text, bash_middle, strlen(bash_middle));
    nb_text_add(text, bash_end, strlen(bash_end));
}
