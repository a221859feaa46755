/* Options that several commands share (declared in command.h). */
#include "cli/command.h"

#include "export/export.h"

#include <string.h>

const struct nb_parameter nb_common_options[] = {
    { .name = "format",
      .help = "text for people, csv for scripts, xml with everything; the "
              "others as made by netbound export",
      .type = NB_CHOICE,
      .initial = "text",
      .choices = nb_format_choices },
    { .name = "output",
      .help = "write the report to this file instead of standard output",
      .type = NB_PATH,
      .initial = "" },
    { .name = "table",
      .help = "print this table of the report",
      .type = NB_WORD,
      .initial = "" },
    { .name = "show",
      .help = "what to show of the answer, in the order given: quantities, "
              "tables, columns of tables, such as capacity,limits.exact "
              "(limits.all: all columns); one quantity over two sweeps becomes "
              "a table of the two. csv and xml always hold everything",
      .type = NB_WORD,
      .initial = "" },
    { .name = "sweep",
      .help =
          "NAME=A:B:STEP or NAME=v1,v2,...: one answer for each value of an "
          "option, or of a parameter such as routing.ties; may be repeated",
      .type = NB_WORD,
      .initial = "" },
    { .name = "save-model",
      .help = "write the question as a model file",
      .type = NB_PATH,
      .initial = "" },
    { .name = "threads",
      .help = "threads to use; 0: all; results do not depend on it",
      .type = NB_WHOLE,
      .initial = "0",
      .most = 4096 },
    { .name = "explain",
      .help = "also how each number was found: its formula, the formula with "
              "the numbers put in, intermediate results, the sources in full",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "progress",
      .help = "progress of long computations on standard error",
      .type = NB_CHOICE,
      .initial = "auto",
      .choices = "auto|always|never" },
    { 0 },
};

bool nb_command_takes(const struct nb_command *command,
                      const struct nb_parameter *row)
{
    const size_t length = strlen(row->name);
    for (const char *word = command->form->common; word != NULL;) {
        word += strspn(word, " ");
        const size_t own = strcspn(word, " ");
        if (own == length && strncmp(word, row->name, length) == 0)
            return true;
        if (own == 0)
            return false;
        word += own;
    }
    return true;
}
