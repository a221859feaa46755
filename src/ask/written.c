#include "ask/written.h"

#include "core/text.h"

static const char *written_dashes(const struct nb_written_file *file)
{
    return file->option != NULL ? "--" : "";
}

static const char *written_name(const struct nb_written_file *file)
{
    return file->option != NULL ? file->option : "standard output";
}

enum nb_status nb_written_check_apart(const struct nb_written *written,
                                      struct nb_error *err)
{
    for (size_t i = 0; i < written->count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct nb_written_file *one = &written->files[k];
            const struct nb_written_file *other = &written->files[i];
            if (nb_file_is_same(one->path, other->path))
                return nb_fail(err, NB_USAGE,
                               "%s%s and --%s both write \"%.100s\" "
                               "(permitted: a file each)",
                               written_dashes(one), written_name(one),
                               other->option, other->path);
        }
    return NB_OK;
}

enum nb_status nb_written_check(const struct nb_written *written,
                                const char *input, struct nb_error *err)
{
    for (size_t i = 0; written != NULL && i < written->count; i++) {
        const struct nb_written_file *file = &written->files[i];
        const bool is_named = file->option != NULL;
        if (nb_file_is_same(file->path, input))
            return nb_fail(err, NB_USAGE,
                           "%s%s%s%.100s would overwrite \"%.100s\", which is "
                           "read (permitted: another file)",
                           written_dashes(file), written_name(file),
                           is_named ? " " : "", is_named ? file->path : "",
                           nb_file_name(input));
    }
    return NB_OK;
}

enum nb_status nb_written_check_model(const struct nb_written *written,
                                      const struct nb_model *model,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < model->input_count && status == NB_OK; i++)
        status = nb_written_check(written, model->inputs[i].path, err);
    return status;
}
