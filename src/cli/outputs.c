/* The files that a run writes (declared in command.h). */
#include "cli/command.h"
#include "cli/interrupt.h"

#include "core/try.h"
#include "ask/written.h"

#include <stdio.h>
#include <string.h>

static enum nb_status output_fail(struct nb_error *err)
{
    return nb_fail(err, NB_IO, "cannot write the report to standard output");
}

enum nb_status nb_output_write(const char *path, const struct nb_text *text,
                               struct nb_error *err)
{
    return nb_output_write_spool(path, &(struct nb_spool){ .text = *text },
                                 err);
}

enum nb_status nb_output_write_spool(const char *path,
                                     const struct nb_spool *spool,
                                     struct nb_error *err)
{
    const struct nb_text *text = &spool->text;
    if (path != NULL)
        return nb_file_write_spool(path, spool, err);
    if ((spool->file == NULL || nb_spool_copy(spool->file, stdout)) &&
        fwrite(text->bytes, 1, text->length, stdout) == text->length &&
        fflush(stdout) == 0)
        return NB_OK;
    nb_interrupt_unread();
    return output_fail(err);
}

struct nb_written nb_outputs_find(const struct nb_invocation *invocation)
{
    const char *const common[][2] = {
        { "save-model", invocation->save_model.text },
        { "checkpoint", invocation->checkpoint.text },
    };
    const char *output = invocation->output.text;
    struct nb_written out = {
        .count = 1,
        .files = { { output != NULL ? "output" : NULL, output } },
    };
    for (size_t i = 0; i < 2; i++)
        if (common[i][1] != NULL)
            out.files[out.count++] =
                (struct nb_written_file){ common[i][0], common[i][1] };
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        if (invocation->outputs[i] != NULL)
            out.files[out.count++] = (struct nb_written_file){
                invocation->command->form->outputs[i].name,
                invocation->outputs[i]
            };
    return out;
}

enum nb_status nb_outputs_check(const struct nb_invocation *invocation,
                                struct nb_error *err)
{
    const bool reads_words = invocation->command->word_at == NULL;
    const struct nb_written written = nb_outputs_find(invocation);
    enum nb_status status = NB_OK;
    NB_TRY(nb_written_check_apart(&written, err));
    for (size_t i = 0; i < NB_OUTPUTS; i++) {
        if (invocation->outputs[i] == NULL)
            continue;
        const struct nb_parameter *row = &invocation->command->form->outputs[i];
        if (row->accepts != NULL)
            NB_TRY(row->accepts(invocation->outputs[i], err));
    }
    for (size_t i = 0; i < written.count; i++) {
        const char *path = written.files[i].path;
        if (path == NULL && nb_file_probe(NULL, NULL) != NB_OK)
            NB_TRY(output_fail(err));
        if (path != NULL && strcmp(path, NB_FILE_STDIN) == 0)
            NB_TRY(nb_fail(
                err, NB_USAGE,
                "--%s - is not the name of a file (permitted: a name, such as "
                "./-; without --output, reports go to standard output)",
                written.files[i].option));
        /* A checkpoint that cannot be written does not prevent the answer. */
        if (path != NULL && path != invocation->checkpoint.text)
            NB_TRY(nb_file_probe(path, err));
    }
    for (size_t i = 0; i < invocation->word_count && reads_words; i++)
        NB_TRY(nb_written_check(&written, invocation->words[i], err));
done:
    return status;
}
