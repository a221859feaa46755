#include "command_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum nb_status command_line_read(const char *line,
                                 char words[COMMAND_LINE_LENGTH],
                                 struct nb_invocation *out,
                                 struct nb_error *err)
{
    char *word[COMMAND_LINE_WORDS], *rest = NULL;
    int count = 0;
    assert_true(strlen(line) < COMMAND_LINE_LENGTH);
    snprintf(words, COMMAND_LINE_LENGTH, "%s", line);
    for (char *next = strtok_r(words, " ", &rest); next != NULL;
         next = strtok_r(NULL, " ", &rest)) {
        assert_true(count < COMMAND_LINE_WORDS);
        word[count++] = next;
    }
    out->command = nb_command_find(word[0]);
    assert_non_null(out->command);
    return nb_invocation_read(out, count - 1, word + 1, err);
}
