/* Reading a model from XML (declared in model/model.h). */
#include "model/model.h"

#include "core/memory.h"
#include "core/source.h"
#include "core/xml.h"
#include "core/xml_node.h"
#include "model/input.h"
#include "model/search.h"

#include <string.h>

/* The schema cannot say of a name what it is not. (find was an option of
 * simulate's alone.) */
static enum nb_status read_option(const char *file, const xmlNode *node,
                                  struct nb_model *out, struct nb_error *err)
{
    const char *name = nb_xml_attribute(node, "name");
    if (nb_model_has_element(name) && strcmp(name, NB_FIND_NAME) != 0)
        return nb_xml_fail(file, node, err,
                           "option \"%s\" is not permitted (permitted: its "
                           "own element <%s>)",
                           name, name);
    return nb_model_set(out, name, nb_xml_text(node), err);
}

/* The option to be found, with what else makes a search as attributes. */
static enum nb_status read_find(const xmlNode *node, struct nb_model *out,
                                struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_model_set(out, NB_FIND_NAME, nb_xml_text(node), err));
    NB_TRY(nb_model_set(out, NB_FIND_WHERE,
                        nb_xml_attribute(node, NB_FIND_WHERE), err));
    NB_TRY(nb_model_set(out, NB_FIND_WITHIN,
                        nb_xml_attribute(node, NB_FIND_WITHIN), err));
done:
    return status;
}

static enum nb_status read_input(const xmlNode *node, struct nb_model *out,
                                 struct nb_error *err)
{
    const char *sha256 = nb_xml_attribute(node, "sha256");
    return nb_model_add_input(out, nb_xml_attribute(node, "path"),
                              sha256 != NULL ? sha256 : "", err);
}

static enum nb_status read_show(const char *file, const xmlNode *node,
                                struct nb_model *out, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    const enum nb_status status =
        nb_model_set_show(out, nb_xml_text(node), &inner);
    if (status == NB_INVALID)
        return nb_xml_fail(file, node, err, "%s", inner.message);
    return status == NB_OK ? NB_OK : nb_fail(err, status, "%s", inner.message);
}

static enum nb_status read_part(const char *file, const xmlNode *node,
                                struct nb_model *out, struct nb_error *err)
{
    if (nb_xml_is(node, "option"))
        return read_option(file, node, out, err);
    if (nb_xml_is(node, "sweep"))
        return nb_model_add_sweep(out, nb_xml_attribute(node, "name"),
                                  nb_xml_text(node), err);
    if (nb_xml_is(node, "input"))
        return read_input(node, out, err);
    if (nb_xml_is(node, NB_FIND_NAME))
        return read_find(node, out, err);
    if (nb_xml_is(node, "show"))
        return read_show(file, node, out, err);
    if (!nb_xml_is(node, "title"))
        return nb_model_set(out, (const char *)node->name, nb_xml_text(node),
                            err);
    return nb_new_copy(&out->title, nb_xml_text(node), "a title", err);
}

enum nb_status nb_model_read_node(xmlNodePtr element, const char *name,
                                  const char *folder, struct nb_model *out,
                                  struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_model_begin(out, nb_xml_attribute(element, "command"), err));
    for (xmlNodePtr node = nb_xml_next(element, NULL); node != NULL;
         node = nb_xml_next(element, node))
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
    (void)err;
    file->is_report |= element->parent == (xmlNodePtr)element->doc &&
                       nb_xml_is(element, "report");
    return NB_OK;
}

/* The model is the root, or the first child of a report. */
static enum nb_status read_end(void *context, xmlNodePtr element,
                               struct nb_error *err)
{
    struct read_file *file = context;
    if (file->is_read || !nb_xml_is(element, "model"))
        return NB_OK;
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
    const struct nb_xml_handler handler = { read_begin, read_end, &file,
                                            nb_schemas };
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
