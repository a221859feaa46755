/* Files that the options of a model name (declared in question.h). */
#include "ask/question.h"

#include "core/digest.h"
#include "core/memory.h"
#include "model/input.h"

#include <string.h>
#include <sys/stat.h>

/* Resolves settings, at a point or of a sweep, whose option is a path. */
static enum nb_status paths_resolve(const struct nb_form *form,
                                    struct nb_model_option *settings,
                                    size_t count, const char *folder,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count; i++)
        for (const struct nb_parameter *row = form->options; row->name != NULL;
             row++)
            if (row->type == NB_PATH &&
                strcmp(row->name, settings[i].name) == 0)
                NB_TRY(nb_model_resolve_list(&settings[i], folder, err));
done:
    return status;
}

enum nb_status nb_point_resolve(const struct nb_form *form,
                                const struct nb_model *model,
                                const char *folder, struct nb_point *point,
                                struct nb_error *err)
{
    enum nb_status status = nb_model_resolve_settings(
        model, point->settings, point->setting_count, folder, err);
    if (status == NB_OK)
        status = paths_resolve(form, point->settings, point->setting_count,
                               folder, err);
    return status;
}

enum nb_status nb_model_resolve_paths(const struct nb_form *form,
                                      struct nb_model *model,
                                      const char *folder, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = form->options;
         row->name != NULL && status == NB_OK; row++)
        if (row->type == NB_PATH)
            status = nb_model_resolve_option(model, row->name, folder, err);
    if (status == NB_OK)
        status =
            paths_resolve(form, model->sweeps, model->sweep_count, folder, err);
    return status;
}

/* Takes the comma-separated paths of a sweep. */
static enum nb_status paths_take_list(const char *values, nb_model_take *take,
                                      void *context, struct nb_error *err)
{
    char *list = nb_new_string(values), *rest = NULL;
    enum nb_status status =
        list != NULL ? NB_OK
                     : nb_fail(err, NB_NO_MEMORY, "no memory for a path");
    for (char *path = list != NULL ? strtok_r(list, ",", &rest) : NULL;
         path != NULL && status == NB_OK; path = strtok_r(NULL, ",", &rest))
        status = take(context, path, err);
    nb_delete(list);
    return status;
}

enum nb_status nb_model_each_path(const struct nb_form *form,
                                  const struct nb_model *model,
                                  nb_model_take *take, void *context,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        if (row->type != NB_PATH)
            continue;
        const char *path = nb_model_get(model, row->name);
        if (path != NULL &&
            (row->initial == NULL || strcmp(path, row->initial) != 0))
            NB_TRY(take(context, path, err));
        for (size_t i = 0; i < model->sweep_count; i++)
            if (strcmp(model->sweeps[i].name, row->name) == 0)
                NB_TRY(paths_take_list(model->sweeps[i].value, take, context,
                                       err));
    }
done:
    return status;
}

/* Pins a file; skips a folder or a path that does not exist. */
static enum nb_status paths_pin(void *model, const char *path,
                                struct nb_error *err)
{
    struct stat about;
    if (strcmp(path, NB_FILE_STDIN) != 0 &&
        (stat(path, &about) != 0 || !S_ISREG(about.st_mode)))
        return NB_OK;
    return nb_model_pin_input(model, path, err);
}

enum nb_status nb_model_pin_files(const struct nb_form *form,
                                  struct nb_model *model, struct nb_error *err)
{
    enum nb_status status = nb_model_pin_inputs(model, err);
    if (status == NB_OK)
        status = nb_model_each_path(form, model, paths_pin, model, err);
    return status;
}
