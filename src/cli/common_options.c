/* Options that several commands share (declared in command.h). */
#include "cli/command.h"

#include "export/export.h"

#include <string.h>

const struct nb_parameter nb_common_options[] = {
    { .name = "format",
      .help = "text for people, csv for scripts, xml with everything; the "
              "others as netbound export makes them",
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
      .help = "what of the answer to show, in this order: quantities, tables, "
              "columns of tables, such as capacity,limits.exact (limits.all: "
              "all of them); one quantity of two sweeps as a table of both. "
              "csv and xml hold everything all the same",
      .type = NB_WORD,
      .initial = "" },
    { .name = "sweep",
      .help = "NAME=A:B:STEP or NAME=v1,v2,...: one answer for each value of "
              "an option or of routing.ties and the like; may be repeated",
      .type = NB_WORD,
      .initial = "" },
    { .name = "save-model",
      .help = "write the question as a model file",
      .type = NB_PATH,
      .initial = "" },
    { .name = "threads",
      .help = "threads to use; 0: all. Results do not depend on it",
      .type = NB_WHOLE,
      .initial = "0",
      .most = 4096 },
    { .name = "explain",
      .help = "after the answer how each number is had: its formula, the "
              "formula with its numbers, the numbers in between, the sources "
              "in full",
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
