/* What a run writes, checked before anything is computed (declared in
 * command.h). */
#include "cli/command.h"

#include "core/try.h"

#include <string.h>

enum { OUTPUTS_MOST = NB_OUTPUTS + 2 };

/* The files that an invocation writes; the report's comes first. */
struct outputs_list {
    size_t count;
    struct outputs_file {
        const char *option; /* without dashes; NULL: none named it */
        const char *path;   /* NULL: standard output */
        enum nb_status (*accepts)(const char *path, struct nb_error *err);
    } files[OUTPUTS_MOST];
};

static void outputs_find(const struct nb_invocation *invocation,
                         struct outputs_list *out)
{
    *out = (struct outputs_list){ 0 };
    out->files[out->count++] =
        (struct outputs_file){ invocation->output != NULL ? "output" : NULL,
                               invocation->output, NULL };
    if (invocation->save_model != NULL)
        out->files[out->count++] =
            (struct outputs_file){ "save-model", invocation->save_model, NULL };
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        if (invocation->outputs[i] != NULL) {
            const struct nb_parameter *row = &invocation->command->outputs[i];
            out->files[out->count++] =
                (struct outputs_file){ row->name, invocation->outputs[i],
                                       row->accepts };
        }
}

static const char *outputs_dashes(const struct outputs_file *file)
{
    return file->option != NULL ? "--" : "";
}

static const char *outputs_name(const struct outputs_file *file)
{
    return file->option != NULL ? file->option : "standard output";
}

/* Two files under one name would leave only the one written last. */
static enum nb_status outputs_check_other(const struct outputs_file *one,
                                          const struct outputs_file *other,
                                          struct nb_error *err)
{
    if (!nb_file_is_same(one->path, other->path))
        return NB_OK;
    return nb_fail(err, NB_USAGE,
                   "%s%s and --%s both write \"%.100s\" (permitted: a file "
                   "each)",
                   outputs_dashes(one), outputs_name(one), other->option,
                   other->path);
}

enum nb_status nb_outputs_check_input(const struct nb_invocation *invocation,
                                      const char *input, struct nb_error *err)
{
    struct outputs_list outputs;
    outputs_find(invocation, &outputs);
    for (size_t i = 0; i < outputs.count; i++) {
        const struct outputs_file *file = &outputs.files[i];
        const bool is_named = file->option != NULL;
        if (nb_file_is_same(file->path, input))
            return nb_fail(err, NB_USAGE,
                           "%s%s%s%.100s would overwrite \"%.100s\", which is "
                           "read (permitted: another file)",
                           outputs_dashes(file), outputs_name(file),
                           is_named ? " " : "", is_named ? file->path : "",
                           input);
    }
    return NB_OK;
}

enum nb_status nb_outputs_check(const struct nb_invocation *invocation,
                                struct nb_error *err)
{
    const bool reads_words = invocation->command->word_at == NULL;
    struct outputs_list outputs;
    enum nb_status status = NB_OK;
    outputs_find(invocation, &outputs);
    for (size_t i = 0; i < outputs.count; i++) {
        const struct outputs_file *file = &outputs.files[i];
        for (size_t k = 0; k < i; k++)
            NB_TRY(outputs_check_other(&outputs.files[k], file, err));
        if (file->accepts != NULL)
            NB_TRY(file->accepts(file->path, err));
        if (file->path != NULL)
            NB_TRY(nb_file_probe(file->path, err));
        else if (nb_file_probe(NULL, NULL) != NB_OK)
            NB_TRY(nb_output_fail(err));
    }
    for (size_t i = 0; i < invocation->word_count && reads_words; i++)
        NB_TRY(nb_outputs_check_input(invocation, invocation->words[i], err));
done:
    return status;
}

enum nb_status nb_outputs_check_inputs(const struct nb_invocation *invocation,
                                       const struct nb_model *model,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < model->input_count && status == NB_OK; i++)
        status = nb_outputs_check_input(invocation, model->inputs[i].path, err);
    return status;
}
