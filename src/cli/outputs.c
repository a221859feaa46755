/* Checks the outputs of a run before anything is computed (declared in
 * command.h). */
#include "cli/command.h"

#include "core/try.h"
#include "ask/written.h"

#include <string.h>

struct nb_written nb_outputs_find(const struct nb_invocation *invocation)
{
    struct nb_written out = { 0 };
    out.files[out.count++] =
        (struct nb_written_file){ invocation->output != NULL ? "output" : NULL,
                                  invocation->output };
    if (invocation->save_model != NULL)
        out.files[out.count++] =
            (struct nb_written_file){ "save-model", invocation->save_model };
    if (invocation->checkpoint != NULL)
        out.files[out.count++] =
            (struct nb_written_file){ "checkpoint", invocation->checkpoint };
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
    for (size_t i = 0; i < written.count; i++)
        if (written.files[i].path != NULL &&
            strcmp(written.files[i].path, "-") == 0)
            NB_TRY(nb_fail(
                err, NB_USAGE,
                "--%s - is not the name of a file (permitted: a name, such as "
                "./-; without --output, reports go to standard output)",
                written.files[i].option));
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        if (invocation->outputs[i] != NULL) {
            const struct nb_parameter *row =
                &invocation->command->form->outputs[i];
            if (row->accepts != NULL)
                NB_TRY(row->accepts(invocation->outputs[i], err));
        }
    for (size_t i = 0; i < written.count; i++) {
        const char *path = written.files[i].path;
        if (path == NULL && nb_file_probe(NULL, NULL) != NB_OK)
            NB_TRY(nb_output_fail(err));
        /* A checkpoint that cannot be written does not prevent the answer. */
        if (path != NULL && path != invocation->checkpoint)
            NB_TRY(nb_file_probe(path, err));
    }
    for (size_t i = 0; i < invocation->word_count && reads_words; i++)
        NB_TRY(nb_written_check(&written, invocation->words[i], err));
done:
    return status;
}
