#include "fuzz_question.h"

#include "cli/command.h"
#include "core/memory.h"
#include "ask/ask.h"

#include <stdio.h>
#include <string.h>

enum nb_status fuzz_ask(const char *line, struct nb_report *out,
                        struct nb_error *err)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_invocation invocation = { 0 };
    char words[600], *word[60];
    int count = 0;
    enum nb_status status;
    snprintf(words, sizeof words, "%s", line);
    for (char *rest = words; count < 60 && rest != NULL;)
        word[count++] = strsep(&rest, " ");
    invocation.command = nb_command_find(word[0]);
    NB_TRY(nb_model_begin(&invocation.model, word[0], err));
    NB_TRY(nb_invocation_read(&invocation, count - 1, word + 1, err));
    NB_TRY(nb_ask(&invocation.model, &run, out, err));
done:
    nb_invocation_release(&invocation);
    return status;
}
