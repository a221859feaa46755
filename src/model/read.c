/* Reading a model from XML (declared in model/model.h). */
#include "model/model.h"

#include "core/digest.h"
#include "core/memory.h"
#include "core/source.h"
#include "core/xml.h"
#include "model/element.h"
#include "model/input.h"
#include "model/node.h"

#include <string.h>

/* Options, sweeps and inputs of one model each; a bound on the work that a
 * hostile file can cause. models/model.xsd has the same number. */
enum { READ_MOST = 1000 };

static const struct nb_node_part read_root = { "model", "version command",
                                               NB_NODE_ELEMENTS, true, false };
static const struct nb_node_part read_inner = { "model", "command",
                                                NB_NODE_ELEMENTS, true, false };

static const struct nb_node_part read_parts[] = {
    { "title", "", NB_NODE_TEXT, false, false },
    { "show", "", NB_NODE_TEXT, false, false },
    { "topology", "", NB_NODE_TEXT, false, false },
    { "traffic", "", NB_NODE_TEXT, false, false },
    { "routing", "", NB_NODE_TEXT, false, false },
    { "option", "name", NB_NODE_TEXT, false, true },
    { "sweep", "name", NB_NODE_TEXT, false, true },
    { "input", "path sha256?", NB_NODE_EMPTY, false, true },
    { 0 },
};

/* A model's list must stay shorter than READ_MOST. */
static enum nb_status read_count(const char *file, const xmlNode *node,
                                 size_t count, struct nb_error *err)
{
    if (count < READ_MOST)
        return NB_OK;
    return nb_node_fail(file, node, err,
                        "more than %d <%s> are not permitted (permitted: 0 "
                        "to %d)",
                        READ_MOST, node->name, READ_MOST);
}

static enum nb_status read_option(const char *file, const xmlNode *node,
                                  struct nb_model *out, struct nb_error *err)
{
    const char *name;
    enum nb_status status;
    NB_TRY(read_count(file, node, out->option_count, err));
    NB_TRY(nb_node_identifier(file, node, "name", &name, err));
    if (nb_model_has_element(name))
        NB_TRY(nb_node_fail(file, node, err,
                            "option \"%s\" is not permitted (permitted: its "
                            "own element <%s>)",
                            name, name));
    if (nb_model_get(out, name) != NULL)
        NB_TRY(nb_node_fail(file, node, err,
                            "option \"%.60s\" is given twice (permitted: "
                            "once)",
                            name));
    NB_TRY(nb_model_set(out, name, nb_node_text(node), err));
done:
    return status;
}

static enum nb_status read_sweep(const char *file, const xmlNode *node,
                                 struct nb_model *out, struct nb_error *err)
{
    const char *name;
    enum nb_status status;
    NB_TRY(read_count(file, node, out->sweep_count, err));
    NB_TRY(nb_node_identifier(file, node, "name", &name, err));
    for (size_t i = 0; i < out->sweep_count; i++)
        if (strcmp(out->sweeps[i].name, name) == 0)
            NB_TRY(nb_node_fail(file, node, err,
                                "sweep \"%.60s\" is given twice (permitted: "
                                "once)",
                                name));
    NB_TRY(nb_model_add_sweep(out, name, nb_node_text(node), err));
done:
    return status;
}

static enum nb_status read_input(const char *file, const xmlNode *node,
                                 struct nb_model *out, struct nb_error *err)
{
    const char *path = nb_node_attribute(node, "path");
    const char *sha256 = nb_node_attribute(node, "sha256");
    enum nb_status status;
    NB_TRY(read_count(file, node, out->input_count, err));
    if (sha256 != NULL && !nb_digest_is_valid(sha256))
        NB_TRY(nb_node_fail(file, node, err,
                            "sha256 \"%.70s\" is not permitted (permitted: 64 "
                            "digits 0-9 a-f)",
                            sha256));
    for (size_t i = 0; i < out->input_count; i++)
        if (strcmp(out->inputs[i].path, path) == 0)
            NB_TRY(nb_node_fail(file, node, err,
                                "input \"%.60s\" is given twice (permitted: "
                                "once)",
                                path));
    NB_TRY(nb_model_add_input(out, path, sha256 != NULL ? sha256 : "", err));
done:
    return status;
}

static enum nb_status read_show(const char *file, const xmlNode *node,
                                struct nb_model *out, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    const enum nb_status status =
        nb_model_set_show(out, nb_node_text(node), &inner);
    if (status == NB_INVALID)
        return nb_node_fail(file, node, err, "%s", inner.message);
    return status == NB_OK ? NB_OK : nb_fail(err, status, "%s", inner.message);
}

static enum nb_status read_part(const char *file, const xmlNode *node,
                                struct nb_model *out, struct nb_error *err)
{
    if (nb_node_is(node, "option"))
        return read_option(file, node, out, err);
    if (nb_node_is(node, "sweep"))
        return read_sweep(file, node, out, err);
    if (nb_node_is(node, "input"))
        return read_input(file, node, out, err);
    if (nb_node_is(node, "show"))
        return read_show(file, node, out, err);
    if (!nb_node_is(node, "title"))
        return nb_model_set(out, (const char *)node->name, nb_node_text(node),
                            err);
    out->title = nb_new_string(nb_node_text(node));
    if (out->title == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a title");
    return NB_OK;
}

enum nb_status nb_model_read_node(xmlNodePtr element, const char *name,
                                  const char *folder, struct nb_model *out,
                                  struct nb_error *err)
{
    const bool is_root = xmlDocGetRootElement(element->doc) == element;
    const char *command;
    enum nb_status status;
    *out = (struct nb_model){ 0 };
    NB_TRY(
        nb_node_check(name, element, is_root ? &read_root : &read_inner, err));
    if (is_root)
        NB_TRY(nb_node_version(name, element, err));
    NB_TRY(nb_node_check_children(name, element, read_parts, err));
    NB_TRY(nb_node_identifier(name, element, "command", &command, err));
    out->command = nb_new_string(command);
    if (out->command == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a command"));
    for (xmlNodePtr node = nb_node_next(element, NULL); node != NULL;
         node = nb_node_next(element, node))
        NB_TRY(read_part(name, node, out, err));
    NB_TRY(nb_model_resolve_inputs(out, folder, err));
done:
    if (status != NB_OK)
        nb_model_release(out);
    return status;
}

/* Reading a file as far as its model goes. */
struct read_file {
    const char *path;
    const char *folder;
    bool is_report;
    bool is_read;
    struct nb_model *out;
};

static enum nb_status read_begin(void *context, xmlNodePtr element,
                                 struct nb_error *err)
{
    struct read_file *file = context;
    if (xmlDocGetRootElement(element->doc) != element)
        return NB_OK;
    file->is_report = nb_node_is(element, "report");
    if (file->is_report || nb_node_is(element, "model"))
        return NB_OK;
    return nb_node_fail(file->path, element, err,
                        "<%.60s> is not permitted here (permitted: <model> or "
                        "<report>)",
                        element->name);
}

/* The model is the root, or the first child of a report. */
static enum nb_status read_end(void *context, xmlNodePtr element,
                               struct nb_error *err)
{
    struct read_file *file = context;
    const xmlNode *root = xmlDocGetRootElement(element->doc);
    const bool is_model =
        file->is_report ? nb_node_next(root, NULL) == element : element == root;
    if (file->is_read || (!is_model && element != root))
        return NB_OK;
    if (!is_model)
        return nb_node_fail(file->path, element, err,
                            "<report> has no <model>");
    file->is_read = true;
    return nb_model_read_node(element, file->path, file->folder, file->out,
                              err);
}

static enum nb_status read_check_size(const struct read_file *file, size_t size,
                                      struct nb_error *err)
{
    const size_t most = file->is_report ? NB_REPORT_BYTES : NB_MODEL_BYTES;
    if (size <= most)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "\"%.200s\" is larger than %zu bytes, the most that is "
                   "read of a model",
                   file->path, most);
}

/* Of a report only what stands before its points. */
static enum nb_status read_source(struct nb_source *source,
                                  struct nb_xml_stream *stream,
                                  const struct read_file *file,
                                  struct nb_error *err)
{
    char bytes[NB_SOURCE_PIECE];
    size_t count = 1, size = 0;
    enum nb_status status = NB_OK;
    while (count > 0 && !(file->is_report && file->is_read)) {
        NB_TRY(nb_source_read(source, bytes, &count, err));
        NB_TRY(nb_xml_stream_feed(stream, bytes, count, err));
        size += count;
        if (!(file->is_report && file->is_read))
            NB_TRY(read_check_size(file, size, err));
    }
    nb_source_drain(source);
done:
    return status;
}

enum nb_status nb_model_read_file(const char *path, struct nb_model *out,
                                  struct nb_error *err)
{
    struct read_file file = { .path = path, .out = out };
    const struct nb_xml_handler handler = { read_begin, read_end, &file };
    struct nb_source source = { 0 };
    struct nb_xml_stream *stream = NULL;
    char *folder = NULL;
    enum nb_status status;
    *out = (struct nb_model){ 0 };
    NB_TRY(nb_source_open(path, false, &source, err));
    NB_TRY(nb_model_find_folder(path, &folder, err));
    file.folder = folder;
    NB_TRY(nb_xml_stream_new(path, &handler, &stream, err));
    NB_TRY(read_source(&source, stream, &file, err));
done:
    nb_xml_stream_free(stream);
    nb_source_close(&source);
    nb_delete(folder);
    if (status != NB_OK)
        nb_model_release(out);
    return status;
}
