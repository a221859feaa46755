/* The network of a drawing (declared in export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/digest.h"

#include <string.h>

/* The option topology as the sweeps have it at the point: "topology" itself
 * or "topology.groups" and so on. Empty if the model has none. */
static void network_print(const struct nb_drawing *drawing,
                          struct nb_text *text)
{
    static const char name[] = "topology";
    const size_t length = sizeof name - 1;
    const struct nb_point *point = drawing->point;
    const char *base = nb_model_get(&drawing->report->model, name);
    for (size_t i = 0; i < point->setting_count; i++)
        if (strcmp(point->settings[i].name, name) == 0)
            base = point->settings[i].value;
    if (base == NULL)
        return;
    nb_drawing_print(base, text);
    bool has_key = strchr(base, ':') != NULL;
    for (size_t i = 0; i < point->setting_count; i++) {
        const struct nb_model_option *setting = &point->settings[i];
        if (strncmp(setting->name, name, length) != 0 ||
            setting->name[length] != '.')
            continue;
        nb_drawing_print(has_key ? "," : ":", text);
        nb_drawing_print(setting->name + length + 1, text);
        nb_drawing_print("=", text);
        nb_drawing_print(setting->value, text);
        has_key = true;
    }
}

/* Whether a file has the contents that the model was asked about. */
static bool network_is_same(const struct nb_model *model, const char *path)
{
    char digest[NB_DIGEST_TEXT];
    for (size_t i = 0; i < model->input_count; i++)
        if (strcmp(model->inputs[i].path, path) == 0)
            return model->inputs[i].sha256[0] != '\0' &&
                   nb_digest_file(path, digest, NULL) == NB_OK &&
                   strcmp(digest, model->inputs[i].sha256) == 0;
    return false;
}

/* Whether the specification can be read and its files are as they were; a
 * pipe must not even be opened. */
static enum nb_status network_check(const struct nb_model *model,
                                    const char *text, bool *is_same,
                                    struct nb_error *err)
{
    struct nb_specification specification = { 0 };
    struct nb_error inner = { 0 };
    size_t index;
    const enum nb_status status = nb_specification_read(
        text, "topology", nb_topology_kind_at, nb_topology_parameters,
        &specification, &index, &inner);
    *is_same = status == NB_OK;
    for (size_t i = 0; i < specification.count && *is_same; i++)
        if (specification.setting[i].parameter->type == NB_PATH)
            *is_same = network_is_same(model, specification.setting[i].value);
    nb_specification_release(&specification);
    return status == NB_NO_MEMORY ? nb_fail(err, status, "%s", inner.message)
                                  : NB_OK;
}

enum nb_status nb_drawing_find_network(const struct nb_drawing *drawing,
                                       struct nb_topology *out, bool *is_known,
                                       struct nb_error *err)
{
    struct nb_text text = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status;
    *is_known = false;
    network_print(drawing, &text);
    NB_TRY(nb_text_check(&text, err));
    if (text.length == 0)
        goto done;
    NB_TRY(network_check(&drawing->report->model, text.bytes, is_known, err));
    if (!*is_known)
        goto done;
    status = nb_topology_build(text.bytes, out, &inner);
    *is_known = status == NB_OK;
    status = status == NB_NO_MEMORY ? nb_fail(err, status, "%s", inner.message)
                                    : NB_OK;
done:
    nb_text_release(&text);
    return status;
}
