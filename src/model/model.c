#include "model/model.h"

#include "core/memory.h"
#include "core/utf8.h"

#include <string.h>

const char *const nb_model_elements[] = { "topology", "traffic", "routing",
                                          NULL };

bool nb_model_has_element(const char *option)
{
    for (size_t i = 0; nb_model_elements[i] != NULL; i++)
        if (strcmp(nb_model_elements[i], option) == 0)
            return true;
    return false;
}

static void model_release_options(struct nb_model_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        nb_delete(options[i].name);
        nb_delete(options[i].value);
    }
    nb_delete(options);
}

void nb_model_release(struct nb_model *model)
{
    nb_delete(model->command);
    nb_delete(model->title);
    for (size_t i = 0; i < model->show_count; i++)
        nb_delete(model->show[i]);
    nb_delete(model->show);
    model_release_options(model->options, model->option_count);
    model_release_options(model->sweeps, model->sweep_count);
    for (size_t i = 0; i < model->input_count; i++)
        nb_delete(model->inputs[i].path);
    nb_delete(model->inputs);
    *model = (struct nb_model){ 0 };
}

/* The place of an option or sweep; count if it is not there. */
static size_t model_find(const struct nb_model_option *options, size_t count,
                         const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(options[i].name, name) != 0)
        i++;
    return i;
}

const char *nb_model_get(const struct nb_model *model, const char *name)
{
    const size_t i = model_find(model->options, model->option_count, name);
    return i < model->option_count ? model->options[i].value : NULL;
}

static void model_remove(struct nb_model_option *options, size_t *count,
                         const char *name)
{
    const size_t i = model_find(options, *count, name);
    if (i == *count)
        return;
    nb_delete(options[i].name);
    nb_delete(options[i].value);
    --*count;
    memmove(&options[i], &options[i + 1], (*count - i) * sizeof *options);
}

static enum nb_status model_append(struct nb_model_option **options,
                                   size_t *count, const char *name,
                                   const char *value, struct nb_error *err)
{
    struct nb_model_option new = { 0 };
    enum nb_status status;
    NB_TRY(nb_grow(options, *count + 1, sizeof **options, "options", err));
    NB_TRY(nb_new_copy(&new.name, name, "an option", err));
    NB_TRY(nb_new_copy(&new.value, value, name, err));
    (*options)[(*count)++] = new;
    new = (struct nb_model_option){ 0 };
done:
    nb_delete(new.name);
    nb_delete(new.value);
    return status;
}

enum nb_status nb_model_begin(struct nb_model *model, const char *question,
                              struct nb_error *err)
{
    *model = (struct nb_model){ 0 };
    return nb_new_copy(&model->command, question, "the question", err);
}

enum nb_status nb_model_set(struct nb_model *model, const char *name,
                            const char *value, struct nb_error *err)
{
    const size_t i = model_find(model->options, model->option_count, name);
    char *copy;
    if (value == NULL) {
        model_remove(model->options, &model->option_count, name);
        return NB_OK;
    }
    if (i == model->option_count)
        return model_append(&model->options, &model->option_count, name, value,
                            err);
    const enum nb_status status = nb_new_copy(&copy, value, name, err);
    if (status != NB_OK)
        return status;
    nb_delete(model->options[i].value);
    model->options[i].value = copy;
    return NB_OK;
}

enum nb_status nb_model_put(struct nb_model *model, const char *name,
                            const char *value, struct nb_error *err)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL)
        return nb_model_set(model, name, value, err);
    struct nb_text option = { 0 }, text = { 0 };
    enum nb_status status = NB_OK;
    nb_text_add(&option, name, (size_t)(dot - name));
    NB_TRY(nb_text_check(&option, err));
    const char *base = nb_model_get(model, option.bytes);
    if (base == NULL)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "sweep %s: option %s is not set, so it has no %s", name,
                       option.bytes, dot + 1));
    nb_text_print(&text, "%s%c%s=%s", base,
                  strchr(base, ':') != NULL ? ',' : ':', dot + 1, value);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_model_set(model, option.bytes, text.bytes, err));
done:
    nb_text_release(&option);
    nb_text_release(&text);
    return status;
}

enum nb_status nb_model_at(const struct nb_model *model,
                           const struct nb_model_option *settings, size_t count,
                           struct nb_model *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_model){ 0 };
    if (model->command != NULL)
        NB_TRY(nb_model_begin(out, model->command, err));
    for (size_t i = 0; i < model->option_count; i++)
        NB_TRY(nb_model_set(out, model->options[i].name,
                            model->options[i].value, err));
    for (size_t i = 0; i < count; i++) {
        struct nb_error inner = { 0 };
        if (nb_model_put(out, settings[i].name, settings[i].value, &inner) ==
            NB_NO_MEMORY)
            NB_TRY(nb_fail_again(err, NB_NO_MEMORY, &inner));
    }
done:
    if (status != NB_OK)
        nb_model_release(out);
    return status;
}

enum nb_status nb_model_add_sweep(struct nb_model *model, const char *name,
                                  const char *values, struct nb_error *err)
{
    return model_append(&model->sweeps, &model->sweep_count, name, values, err);
}

void nb_model_remove_sweep(struct nb_model *model, const char *name)
{
    model_remove(model->sweeps, &model->sweep_count, name);
}

/* Whether it can name an element, like those of options and parameters. */
static bool model_is_name(const char *name)
{
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "abcdefghijklmnopqrstuvwxyz0123456789-_.")] ==
           '\0';
}

enum nb_status nb_model_check_text(const struct nb_model *model,
                                   struct nb_error *err)
{
    const struct nb_model_option *lists[] = { model->options, model->sweeps };
    const size_t counts[] = { model->option_count, model->sweep_count };
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < counts[l]; i++)
            if (!model_is_name(lists[l][i].name))
                return nb_fail(err, NB_INVALID,
                               "name \"%.60s\" cannot be used in a model or "
                               "report (permitted: those of options and "
                               "parameters)",
                               lists[l][i].name);
            else if (!nb_utf8_is_text(lists[l][i].value, ""))
                return nb_fail(err, NB_INVALID,
                               "%s \"%.60s\" cannot be used in a model or "
                               "report (permitted: UTF-8 without control "
                               "characters)",
                               lists[l][i].name, lists[l][i].value);
    if (model->title != NULL && !nb_utf8_is_text(model->title, "\t\n\r"))
        return nb_fail(err, NB_INVALID,
                       "title \"%.60s\" cannot be used in a model or report "
                       "(permitted: UTF-8 without control characters)",
                       model->title);
    return NB_OK;
}
