#include "cli/options.h"

#include "export/export.h"
#include "model/search.h"

#include <string.h>

#define OPTIONS_FIELD(name) offsetof(struct nb_invocation, name)

const struct nb_parameter nb_common_options[] = {
    NB_OPTION("format", OPTIONS_FIELD(format_name), OUTPUT, WORD, "text",
              "output format",
              .detail =
                  "text: for people\ncsv: one table, for scripts\nxml: the "
                  "whole report; verify, export and run can read it\njson: the "
                  "whole report\nhtml: a page with charts, in one "
                  "file\nmarkdown, latex: tables\nsvg: the charts\nipynb: a "
                  "notebook that asks the question again\nnetbound export "
                  "makes the same formats from a report in XML.",
              .is_first = true, .choices = nb_format_choices),
    NB_OPTION("output", OPTIONS_FIELD(output), OUTPUT, PATH, "",
              "write the report to this file instead of standard output",
              .is_first = true),
    NB_OPTION("table", OPTIONS_FIELD(table), OUTPUT, WORD, "",
              "print only this table of the report, such as channels"),
    NB_OPTION("show", OPTIONS_FIELD(show), OUTPUT, WORD, "",
              "quantities, tables or TABLE.COLUMN to show, in this "
              "order, such as throughput,channels",
              .detail = "TABLE.all shows all columns of a table. One "
                        "quantity over two sweeps becomes a two-way table. "
                        "csv, xml and json always hold everything.",
              .is_first = true),
    NB_OPTION("numbers", OPTIONS_FIELD(numbers), OUTPUT, CHOICE, "both",
              "show exact numbers as decimals, as ratios, or both",
              .detail = "csv, xml and json always hold both.",
              .choices = "both|decimal|exact"),
    NB_OPTION("title", OPTIONS_FIELD(title), OUTPUT, WORD, "",
              "title of the report, in every format",
              .detail = "Default: the title in the model, or the question."),
    NB_COMMAND_OPTION(
        "sweep", SEARCH, WORD, "",
        "one answer per value: NAME=FROM:TO:STEP or NAME=v1,v2,...; may be "
        "repeated",
        .detail =
            "NAME is an option, or a parameter in one, such as routing.ties.",
        .is_first = true),
    NB_COMMAND_OPTION(NB_FIND_NAME, SEARCH, WORD, "",
                      "find the value of this option that just meets --where, "
                      "such as load or load=0.1:0.9",
                      .detail = "The option may also be a parameter, such as "
                                "topology.h. NAME=A:B searches from A to B.",
                      .is_first = true),
    NB_COMMAND_OPTION(
        NB_FIND_WHERE, SEARCH, WORD, "",
        "condition for --find: 'QUANTITY <= VALUE' or 'QUANTITY >= VALUE'",
        .detail = "For example 'mean_latency <= 20'.", .is_first = true),
    NB_COMMAND_OPTION(NB_FIND_WITHIN, SEARCH, REAL, "",
                      "relative width of the bracket at which --find stops; "
                      "default 1e-4, or 0.01 if simulated",
                      .detail = "Whole numbers are found exactly.",
                      .least = 1e-12, .most = 1),
    NB_OPTION("save-model", OPTIONS_FIELD(save_model), OUTPUT, PATH, "",
              "write the question to this file, for netbound run"),
    NB_OPTION(
        "checkpoint", OPTIONS_FIELD(checkpoint), RUN, PATH, "",
        "file for finished work; if it exists, its run is resumed",
        .detail =
            "It belongs to one question. If it cannot be written, standard "
            "error says so, and the answer is computed without it."),
    NB_OPTION("threads", OPTIONS_FIELD(threads), RUN, WHOLE, "0",
              "threads to use, 0 for all; results do not depend on it",
              .most = 4096),
    NB_OPTION("explain", OPTIONS_FIELD(explains), OUTPUT, FLAG, "no",
              "also show the formula and sources of each number",
              .detail =
                  "For each number: its formula, the formula with values "
                  "inserted, intermediate results, and the sources in full.",
              .is_first = true),
    NB_OPTION("progress", OPTIONS_FIELD(progress), RUN, CHOICE, "auto",
              "show progress on standard error",
              .choices = "auto|always|never"),
    { 0 },
};

bool nb_option_is_in(const struct nb_parameter *table,
                     const struct nb_parameter *row)
{
    for (; table != NULL && table->name != NULL; table++)
        if (table == row)
            return true;
    return false;
}

bool nb_option_is_named(const struct nb_parameter *row, const char *name,
                        size_t length)
{
    return nb_word_is_in(row->name, ' ', name, length);
}

const struct nb_parameter *nb_rows_find(const struct nb_parameter *rows,
                                        const char *name, size_t length)
{
    const struct nb_parameter *row = nb_option_find(rows, name, length);
    for (; row == NULL && rows != NULL && rows->name != NULL; rows++)
        if (nb_word_is_in(rows->also, ' ', name, length))
            row = rows;
    return row;
}

bool nb_command_takes(const struct nb_command *command,
                      const struct nb_parameter *row)
{
    const char *common = command->form->common;
    const size_t length = strlen(row->name);
    if (nb_find_is_part(row->name) && /* only some questions can be searched */
        (command->question == NULL || command->question->judge != NULL ||
         nb_rows_find(command->form->options, row->name, length) != NULL))
        return false;
    return common == NULL || nb_word_is_in(common, ' ', row->name, length);
}

const struct nb_parameter *nb_option_next(const struct nb_command *command,
                                          const struct nb_parameter *row)
{
    const struct nb_parameter *const tables[] = { command->form->options,
                                                  command->form->outputs,
                                                  nb_common_options };
    bool is_next = row == NULL;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct nb_parameter *next = tables[t];
             next != NULL && next->name != NULL; next++) {
            const bool is_taken = tables[t] != nb_common_options ||
                                  nb_command_takes(command, next);
            if (is_next && is_taken)
                return next;
            is_next = is_next || next == row;
        }
    return NULL;
}

const struct nb_parameter *nb_command_option(const struct nb_command *command,
                                             const char *name, size_t length)
{
    const struct nb_parameter *row = NULL;
    while ((row = nb_option_next(command, row)) != NULL)
        if (nb_option_is_named(row, name, length))
            return row;
    return nb_rows_find(command->form->options, name, length);
}

const char *nb_option_also(const struct nb_command *command,
                           const struct nb_parameter *row)
{
    const char *also = row->also;
    return also != NULL && nb_command_option(command, also, strlen(also)) == row
               ? also
               : NULL;
}

const struct nb_parameter *nb_command_network(const struct nb_command *command)
{
    const struct nb_parameter *row =
        command->words == NULL
            ? nb_option_find(command->form->options, "topology", 8)
            : NULL;
    return row != NULL && row->type == NB_WORD ? row : NULL;
}

const char *nb_command_words(const struct nb_command *command)
{
    return nb_command_network(command) != NULL ? "[TOPOLOGY]" : command->words;
}

const struct nb_registry *nb_option_registry(const struct nb_parameter *row)
{
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        if (row->type == NB_WORD && strcmp(at->option, row->name) == 0)
            return at;
    return NULL;
}
