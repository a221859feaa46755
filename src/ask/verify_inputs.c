#include "ask/verify_inputs.h"

#include "core/memory.h"
#include "model/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct inputs {
    const struct nb_model *recorded;
    struct nb_model read;   /* only its inputs */
    const char *folders[2]; /* the second may be NULL */
};

static const struct nb_model_input *inputs_find(const struct nb_model *model,
                                                const char *path)
{
    for (size_t i = 0; i < model->input_count; i++)
        if (strcmp(model->inputs[i].path, path) == 0)
            return &model->inputs[i];
    return NULL;
}

static bool inputs_is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || folder[length - 1] == '/');
}

/* The path without links, owned by the caller. */
static enum nb_status inputs_resolve(const char *path, char **out,
                                     struct nb_error *err)
{
    *out = realpath(path, NULL);
    if (*out == NULL)
        return nb_fail(err, NB_IO, "cannot read \"%.200s\": %s", path,
                       strerror(errno));
    return NB_OK;
}

static enum nb_status inputs_refuse(const struct inputs *inputs,
                                    const char *path, struct nb_error *err)
{
    const char *other = inputs->folders[1];
    return other != NULL
               ? nb_fail(err, NB_INVALID,
                         "input \"%.200s\" leads to a file elsewhere, which "
                         "must not be read (permitted: files below \"%.200s\" "
                         "or \"%.200s\")",
                         path, inputs->folders[0], other)
               : nb_fail(err, NB_INVALID,
                         "input \"%.200s\" leads to a file elsewhere, which "
                         "must not be read (permitted: files below \"%.200s\"; "
                         "--inputs names another folder)",
                         path, inputs->folders[0]);
}

/* Checks that a file is below one of the folders; mode: what it is. */
static enum nb_status inputs_check_place(const struct inputs *inputs,
                                         const char *path, mode_t *mode,
                                         struct nb_error *err)
{
    char *real = NULL, *folder = NULL;
    struct stat state;
    enum nb_status status;
    bool is_below = false;
    if (inputs_resolve(path, &real, NULL) != NB_OK)
        NB_TRY(nb_fail(err, NB_IO, "cannot read input \"%.200s\": %s%s", path,
                       strerror(errno),
                       inputs->folders[1] == NULL
                           ? " (--inputs names another folder)"
                           : ""));
    for (size_t i = 0; i < 2 && inputs->folders[i] != NULL; i++) {
        free(folder);
        NB_TRY(inputs_resolve(inputs->folders[i], &folder, err));
        is_below |= inputs_is_below(real, folder);
    }
    if (!is_below)
        NB_TRY(inputs_refuse(inputs, path, err));
    *mode = stat(real, &state) == 0 ? state.st_mode : 0;
done:
    free(real);
    free(folder);
    return status;
}

static enum nb_status inputs_check(void *context, const char *path,
                                   struct nb_error *err)
{
    struct inputs *inputs = context;
    const struct nb_model_input *input = inputs_find(inputs->recorded, path);
    mode_t mode;
    enum nb_status status = NB_OK;
    if (input == NULL)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "input \"%.200s\" is read but not recorded", path));
    if (input->sha256[0] == '\0')
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "input \"%.200s\" has no digest: it was read from a "
                       "pipe or device",
                       path));
    NB_TRY(inputs_check_place(inputs, path, &mode, err));
    if (!S_ISREG(mode))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "input \"%.200s\" must not be read (permitted: regular "
                       "files)",
                       path));
    NB_TRY(nb_model_add_input(&inputs->read, path, input->sha256, err));
    NB_TRY(nb_model_pin_input(&inputs->read, path, err));
done:
    return status;
}

/* The files of a folder that an option names are not recorded. */
static enum nb_status inputs_check_option(void *context, const char *path,
                                          struct nb_error *err)
{
    mode_t mode;
    const enum nb_status status = inputs_check_place(context, path, &mode, err);
    return status == NB_OK && !S_ISDIR(mode) ? inputs_check(context, path, err)
                                             : status;
}

enum nb_status nb_verify_inputs(const struct nb_form *form,
                                struct nb_model *model, const char *folder,
                                const char *inputs, struct nb_error *err)
{
    struct inputs work = {
        .recorded = model, .folders = { folder != NULL ? folder : ".", inputs }
    };
    enum nb_status status;
    NB_TRY(nb_model_each_input(model, inputs_check, &work, err));
    NB_TRY(nb_model_each_path(form, model, inputs_check_option, &work, err));
    for (size_t i = 0; i < model->input_count; i++)
        if (inputs_find(&work.read, model->inputs[i].path) == NULL)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "input \"%.200s\" is recorded but not read",
                           model->inputs[i].path));
done:
    nb_model_release(&work.read);
    return status;
}
