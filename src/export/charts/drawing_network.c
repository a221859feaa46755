/* The network of a drawing (declared in export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/digest.h"
#include "core/try.h"

#include <string.h>

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
    const struct nb_point *point = drawing->point;
    struct nb_model here = { 0 }; /* as the sweeps have it at the point */
    struct nb_error inner = { 0 };
    enum nb_status status;
    *is_known = false;
    NB_TRY(nb_model_at(&drawing->report->model, point->settings,
                       point->setting_count, &here, err));
    const char *topology = nb_model_get(&here, "topology");
    if (topology == NULL)
        goto done;
    NB_TRY(network_check(&drawing->report->model, topology, is_known, err));
    if (!*is_known)
        goto done;
    status = nb_topology_build(topology, out, &inner);
    *is_known = status == NB_OK;
    status = status == NB_NO_MEMORY ? nb_fail(err, status, "%s", inner.message)
                                    : NB_OK;
done:
    nb_model_release(&here);
    return status;
}
