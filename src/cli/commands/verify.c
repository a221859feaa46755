/* netbound verify: re-checks a report. */
#include "cli/command.h"
#include "core/try.h"
#include "ask/claims.h"
#include "ask/verify.h"
#include "ask/written.h"

enum nb_status nb_invocation_verify(const struct nb_invocation *invocation,
                                    const char *path,
                                    struct nb_report_reader *reader,
                                    struct nb_text *said, struct nb_error *err)
{
    const struct nb_written written = nb_outputs_find(invocation);
    const struct nb_run run = nb_progress_run(invocation);
    const char *folder = nb_model_get(&invocation->model, "inputs");
    const enum nb_status status =
        reader != NULL
            ? nb_verify_report(path, reader, folder, &run, &written, said, err)
            : nb_verify_file(path, folder, &run, &written, said, err);
    nb_progress_end();
    return status;
}

/* Each file gets its lines, whatever is wrong with the others. */
static enum nb_status verify_run(struct nb_invocation *invocation,
                                 struct nb_error *err)
{
    struct nb_text said = { 0 };
    size_t failed = 0;
    const size_t count = invocation->word_count;
    enum nb_status status = NB_OK;
    if (count == 0)
        return nb_fail(err, NB_USAGE,
                       "verify needs a report file (see: netbound help "
                       "verify)");
    for (size_t i = 0; i < count; i++) {
        const size_t start = said.length;
        struct nb_error wrong = { 0 };
        status = nb_invocation_verify(invocation, invocation->words[i], NULL,
                                      &said, &wrong);
        if (status == NB_OK)
            continue;
        if (count == 1 || status == NB_NO_MEMORY)
            NB_TRY(nb_fail_again(err, status, &wrong));
        said.length = start;
        nb_text_print(&said, "%s\n", wrong.message);
        failed++;
    }
    NB_TRY(nb_text_check(&said, err));
    NB_TRY(nb_output_write(invocation->output.text, &said, err));
    if (failed > 0)
        NB_TRY(nb_fail(err, NB_REFUTED, "%zu of %zu reports are not verified",
                       failed, count));
done:
    nb_text_release(&said);
    return status;
}

static const struct nb_parameter verify_options[] = { NB_OPTION_INPUTS(NULL),
                                                      { 0 } };

static const struct nb_form verify_form = {
    .name = "verify",
    .summary = "re-check the numbers and certificates of reports",
    .details =
        "Checks certificates without the solver that made them, and computes "
        "everything else again. Reads reports in XML: netbound run MODEL.xml "
        "--format xml makes one. Exit status 1 if any of the reports fails.",
    .example = "netbound verify report.xml",
    .options = verify_options,
    .common = "output threads progress",
};

const struct nb_command nb_command_verify = {
    .form = &verify_form,
    .words = "REPORT.xml...",
    .print_lists = nb_claims_list,
    .run = verify_run,
};
