/* Reading a model from XML (declared in model/model.h). */
#include "model/model.h"

#include "core/memory.h"
#include "core/source.h"
#include "core/xml.h"
#include "core/xml_node.h"
#include "model/input.h"

#include <string.h>

/* Adds an option or a sweep; each may occur once. */
static enum nb_status read_value(const char *file, const xmlNode *node,
                                 const char *name, bool is_sweep,
                                 struct nb_model *out, struct nb_error *err)
{
    const char *value = nb_xml_text(node);
    bool is_known = !is_sweep && nb_model_get(out, name) != NULL;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < out->sweep_count && is_sweep; i++)
        is_known |= strcmp(out->sweeps[i].name, name) == 0;
    if (is_known)
        NB_TRY(nb_xml_fail(file, node, err,
                           "%s is given twice (permitted: once)", name));
    if (is_sweep)
        NB_TRY(nb_model_add_sweep(out, name, value, err));
    else
        NB_TRY(nb_model_set(out, name, value, err));
    struct nb_model_option *added = is_sweep
                                        ? &out->sweeps[out->sweep_count - 1]
                                        : &out->options[out->option_count - 1];
    added->line = xmlGetLineNo(node);
done:
    return status;
}

/* Refuses option names that have an element of their own, which the schema
 * cannot do. */
static enum nb_status read_option(const char *file, const xmlNode *node,
                                  struct nb_model *out, struct nb_error *err)
{
    const char *name = nb_xml_attribute(node, "name");
    if (nb_model_has_element(name))
        return nb_xml_fail(file, node, err,
                           "option \"%s\" is not permitted (permitted: its "
                           "own element <%s>)",
                           name, name);
    return read_value(file, node, name, false, out, err);
}

/* Refuses attributes within <ask>, and text next to elements. */
static enum nb_status read_check_plain(const char *file, const xmlNode *node,
                                       struct nb_error *err)
{
    bool has_text = false;
    for (const xmlNode *child = node->children; child != NULL;
         child = child->next)
        has_text |= child->type == XML_TEXT_NODE && !xmlIsBlankNode(child);
    if (node->properties == NULL &&
        !(has_text && nb_xml_next(node, NULL) != NULL))
        return NB_OK;
    return nb_xml_fail(file, node, err,
                       "<%s> %s is not permitted (permitted: a value, or only "
                       "elements)",
                       (const char *)node->name,
                       node->properties != NULL ? "with an attribute"
                                                : "with text next to elements");
}

/* Options, each in an element of its name; is_sweep: those within <sweep>. */
static enum nb_status read_asked(const char *file, const xmlNode *parent,
                                 bool is_sweep, struct nb_model *out,
                                 struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(read_check_plain(file, parent, err));
    for (xmlNodePtr node = nb_xml_next(parent, NULL); node != NULL;
         node = nb_xml_next(parent, node)) {
        if (nb_xml_is(node, "sweep") && !is_sweep) {
            NB_TRY(read_asked(file, node, true, out, err));
            continue;
        }
        NB_TRY(read_check_plain(file, node, err));
        if (nb_xml_next(node, NULL) != NULL)
            NB_TRY(nb_xml_fail(file, nb_xml_next(node, NULL), err,
                               "<%s> is not permitted here (permitted: the "
                               "value of %s)",
                               (const char *)nb_xml_next(node, NULL)->name,
                               (const char *)node->name));
        NB_TRY(read_value(file, node, (const char *)node->name, is_sweep, out,
                          err));
    }
done:
    return status;
}

/* <ask>, with an element named like the command in it. */
static enum nb_status read_ask(const char *file, const xmlNode *ask,
                               struct nb_model *out, struct nb_error *err)
{
    const xmlNode *node = nb_xml_next(ask, NULL);
    enum nb_status status = NB_OK;
    if (out->command != NULL)
        NB_TRY(nb_xml_fail(file, ask, err,
                           "command=\"%s\" and <ask> are both given "
                           "(permitted: one of them)",
                           out->command));
    NB_TRY(nb_new_copy(&out->command, (const char *)node->name, "the question",
                       err));
    out->line = xmlGetLineNo(node);
    NB_TRY(read_asked(file, node, false, out, err));
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
    return status == NB_OK ? NB_OK : nb_fail_again(err, status, &inner);
}

static enum nb_status read_part(const char *file, const xmlNode *node,
                                struct nb_model *out, struct nb_error *err)
{
    if (nb_xml_is(node, "option"))
        return read_option(file, node, out, err);
    if (nb_xml_is(node, "sweep"))
        return read_value(file, node, nb_xml_attribute(node, "name"), true, out,
                          err);
    if (nb_xml_is(node, "ask"))
        return read_ask(file, node, out, err);
    if (nb_xml_is(node, "input"))
        return read_input(node, out, err);
    if (nb_xml_is(node, "show"))
        return read_show(file, node, out, err);
    if (!nb_xml_is(node, "title"))
        return read_value(file, node, (const char *)node->name, false, out,
                          err);
    return nb_new_copy(&out->title, nb_xml_text(node), "a title", err);
}

enum nb_status nb_model_read_node(xmlNodePtr element, const char *name,
                                  const char *folder, struct nb_model *out,
                                  struct nb_error *err)
{
    const char *command = nb_xml_attribute(element, "command");
    enum nb_status status = NB_OK;
    *out = (struct nb_model){ .line = xmlGetLineNo(element) };
    if (command != NULL)
        NB_TRY(nb_new_copy(&out->command, command, "the question", err));
    for (xmlNodePtr node = nb_xml_next(element, NULL); node != NULL;
         node = nb_xml_next(element, node))
        NB_TRY(read_part(name, node, out, err));
    if (out->command == NULL)
        NB_TRY(nb_xml_fail(name, element, err,
                           "<model> asks nothing (permitted: <ask> with an "
                           "element named like a command)"));
    NB_TRY(nb_model_resolve_inputs(out, folder, err));
done:
    if (status != NB_OK)
        nb_model_release(out);
    return status;
}

/* Reads a file up to the end of its model. */
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

/* The model is the root, or the first child of a report. Elements within <ask>
 * may have any name. */
static enum nb_status read_end(void *context, xmlNodePtr element,
                               struct nb_error *err)
{
    struct read_file *file = context;
    const xmlNode *root = xmlDocGetRootElement(element->doc);
    if (file->is_read && element != root)
        nb_xml_forget(element->parent);
    if (file->is_read || !nb_xml_is(element, "model") ||
        (element != root && element->parent != root))
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
                   "\"%.200s\" is larger than %zu bytes, the limit for models",
                   file->path, most);
}

/* A report is read to its end, because half a report is none, but nothing after
 * its model is kept. */
static enum nb_status read_source(struct nb_source *source,
                                  struct nb_xml_stream *stream,
                                  const struct read_file *file,
                                  struct nb_error *err)
{
    char bytes[NB_SOURCE_PIECE];
    size_t count = 1, size = 0;
    enum nb_status status = NB_OK;
    while (count > 0) {
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
    struct read_file file = { .path = nb_file_name(path), .out = out };
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
    NB_TRY(nb_xml_stream_new(file.path, &handler, &stream, err));
    NB_TRY(read_source(&source, stream, &file, err));
done:
    nb_xml_stream_free(stream);
    nb_source_close(&source);
    nb_delete(folder);
    if (status != NB_OK)
        nb_model_release(out);
    return status;
}
