/* netbound verify: re-checks a report. */
#include "cli/command.h"
#include "core/try.h"
#include "questions/verify.h"

#include <stdint.h>

enum nb_status nb_invocation_verify(const struct nb_invocation *invocation,
                                    const char *path,
                                    struct nb_report_reader *reader,
                                    struct nb_text *said, struct nb_error *err)
{
    const struct nb_written written = nb_outputs_find(invocation);
    const struct nb_run run = nb_progress_run(invocation);
    const enum nb_status status =
        nb_verify_report(path, reader, &run, &written, said, err);
    nb_progress_end();
    return status;
}

static enum nb_status verify_run(struct nb_invocation *invocation,
                                 struct nb_error *err)
{
    struct nb_report_reader *reader = NULL;
    struct nb_text said = { 0 };
    enum nb_status status = NB_OK;
    if (invocation->word_count != 1)
        return nb_fail(err, NB_USAGE,
                       "verify needs one report file, got %zu (see: netbound "
                       "help verify)",
                       invocation->word_count);
    const char *path = invocation->words[0];
    NB_TRY(nb_reader_open(path, SIZE_MAX, true, &reader, err));
    NB_TRY(nb_invocation_verify(invocation, path, reader, &said, err));
    NB_TRY(nb_output_write(invocation->output, &said, err));
done:
    nb_reader_close(reader);
    nb_text_release(&said);
    return status;
}

static const struct nb_form verify_form = {
    .name = "verify",
    .summary = "re-check a report's numbers and certificates",
    .details = "Certificates are checked without the solver that made them, "
               "all else is computed again. A model is no report: netbound run "
               "MODEL.xml --format xml makes one.",
    .example = "netbound verify report.xml",
    .common = "output threads progress",
};

const struct nb_command nb_command_verify = {
    .form = &verify_form,
    .words = "REPORT.xml",
    .run = verify_run,
};
