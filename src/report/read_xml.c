/* Reading a report from XML (declared in report/report.h). */
#include "report/format.h"

#include "core/digest.h"
#include "core/memory.h"
#include "core/xml.h"
#include "model/input.h"
#include "model/node.h"
#include "report/cell.h"
#include "report/read.h"
#include "report/tree.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const struct nb_node_part read_root = { "report", "version program",
                                               NB_NODE_ELEMENTS, true, false };

static const struct nb_node_part read_report_parts[] = {
    { "model", "command", NB_NODE_ELEMENTS, true, false },
    { "made", "threads seconds", NB_NODE_EMPTY, false, false },
    { "point", "", NB_NODE_ELEMENTS, false, true },
    { "digest", "algorithm", NB_NODE_TEXT, true, false },
    { 0 },
};

static const struct nb_node_part read_point_parts[] = {
    { "setting", "name", NB_NODE_TEXT, false, true },
    { "quantity", "name value lower upper unit exact? method source",
      NB_NODE_EMPTY, false, true },
    { "note", "name", NB_NODE_TEXT, false, true },
    { "table", "name certificate?", NB_NODE_ELEMENTS, false, true },
    { 0 },
};

static enum nb_status read_number(const char *file, const xmlNode *node,
                                  const char *attribute, double *out,
                                  struct nb_error *err)
{
    const char *text = nb_node_attribute(node, attribute);
    if (nb_cell_read_number(text, out))
        return NB_OK;
    return nb_node_fail(file, node, err,
                        "%s \"%.60s\" of <%s> is not permitted (permitted: a "
                        "decimal number, inf, -inf or nan)",
                        attribute, text, node->name);
}

static enum nb_status read_quantity(const char *file, const xmlNode *node,
                                    struct nb_point *point,
                                    struct nb_error *err)
{
    struct nb_quantity quantity = { 0 };
    const char *name;
    const char *exact = nb_node_attribute(node, "exact");
    enum nb_status status;
    NB_TRY(nb_node_identifier(file, node, "name", &name, err));
    NB_TRY(read_number(file, node, "value", &quantity.value, err));
    NB_TRY(read_number(file, node, "lower", &quantity.lower, err));
    NB_TRY(read_number(file, node, "upper", &quantity.upper, err));
    if (exact != NULL && !nb_cell_read_ratio(exact, &quantity.exact))
        NB_TRY(nb_node_fail(file, node, err,
                            "exact \"%.60s\" of <quantity> is not permitted "
                            "(permitted: p/q or p of 64 bits, or inf)",
                            exact));
    nb_point_add_quantity(
        point, &quantity, name, nb_node_attribute(node, "unit"),
        nb_node_attribute(node, "method"), nb_node_attribute(node, "source"));
done:
    return status;
}

static enum nb_status read_part(const char *file, const xmlNode *node,
                                struct nb_point *point, struct nb_error *err)
{
    const char *name;
    if (nb_node_is(node, "quantity"))
        return read_quantity(file, node, point, err);
    if (nb_node_is(node, "table"))
        return nb_table_read(file, node, point, err);
    const enum nb_status status =
        nb_node_identifier(file, node, "name", &name, err);
    if (status != NB_OK)
        return status;
    if (nb_node_is(node, "setting"))
        nb_point_add_setting(point, name, nb_node_text(node));
    else
        nb_point_add_note(point, name, nb_node_text(node));
    return NB_OK;
}

static enum nb_status read_point(const char *file, const xmlNode *node,
                                 struct nb_report *report, struct nb_error *err)
{
    struct nb_point *point = nb_report_add_point(report);
    enum nb_status status;
    if (point == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a report");
    NB_TRY(nb_node_check_children(file, node, read_point_parts, err));
    for (const xmlNode *part = nb_node_next(node, NULL); part != NULL;
         part = nb_node_next(node, part))
        NB_TRY(read_part(file, part, point, err));
    NB_TRY(nb_point_check(point, err));
done:
    return status;
}

static enum nb_status read_made(const char *file, const xmlNode *node,
                                struct nb_made *out, struct nb_error *err)
{
    const char *threads = nb_node_attribute(node, "threads");
    int64_t whole;
    const enum nb_status status =
        read_number(file, node, "seconds", &out->seconds, err);
    if (status != NB_OK)
        return status;
    if (!(out->seconds >= 0 && out->seconds < INFINITY)) /* nan, too */
        return nb_node_fail(file, node, err,
                            "seconds \"%.60s\" of <made> is not permitted "
                            "(permitted: a number from 0 on)",
                            nb_node_attribute(node, "seconds"));
    if (nb_integer_read(threads, "threads", 1, INT_MAX, &whole, NULL) != NB_OK)
        return nb_node_fail(file, node, err,
                            "threads \"%.60s\" of <made> is not permitted "
                            "(permitted: a whole number from 1 to %d)",
                            threads, INT_MAX);
    out->threads = (int)whole;
    return NB_OK;
}

static enum nb_status read_digest(const char *file, const xmlNode *node,
                                  struct nb_error *err)
{
    const char *algorithm = nb_node_attribute(node, "algorithm");
    if (strcmp(algorithm, "sha256") != 0)
        return nb_node_fail(file, node, err,
                            "algorithm \"%.60s\" is not permitted (permitted: "
                            "sha256)",
                            algorithm);
    if (!nb_digest_is_valid(nb_node_text(node)))
        return nb_node_fail(file, node, err,
                            "digest \"%.70s\" is not permitted (permitted: 64 "
                            "digits 0-9 a-f)",
                            nb_node_text(node));
    return NB_OK;
}

static enum nb_status read_children(const char *path, const xmlNode *root,
                                    struct nb_report *out, struct nb_error *err)
{
    char *folder = NULL;
    enum nb_status status;
    NB_TRY(nb_node_check(path, root, &read_root, err));
    NB_TRY(nb_node_version(path, root, err));
    NB_TRY(nb_node_check_children(path, root, read_report_parts, err));
    NB_TRY(nb_model_find_folder(path, &folder, err));
    out->program = nb_new_string(nb_node_attribute(root, "program"));
    if (out->program == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a report"));
    for (xmlNode *node = nb_node_next(root, NULL); node != NULL;
         node = nb_node_next(root, node)) {
        if (nb_node_is(node, "model"))
            NB_TRY(nb_model_read_node(node, path, folder, &out->model, err));
        else if (nb_node_is(node, "made"))
            NB_TRY(read_made(path, node, &out->made, err));
        else if (nb_node_is(node, "point"))
            NB_TRY(read_point(path, node, out, err));
        else
            NB_TRY(read_digest(path, node, err));
    }
done:
    nb_delete(folder);
    return status;
}

enum nb_status nb_report_read(const char *path, const struct nb_text *text,
                              struct nb_report *out, bool *is_digest_right,
                              struct nb_error *err)
{
    xmlDocPtr document = NULL;
    char digits[NB_DIGEST_TEXT], right[NB_DIGEST_TEXT];
    enum nb_status status;
    *out = (struct nb_report){ 0 };
    *is_digest_right = false;
    NB_TRY(nb_xml_parse(path, text->bytes, text->length, &document, err));
    NB_TRY(read_children(path, xmlDocGetRootElement(document), out, err));
    *is_digest_right =
        nb_report_digest(text->bytes, text->length, digits, right) &&
        strcmp(digits, right) == 0;
done:
    xmlFreeDoc(document);
    if (status != NB_OK)
        nb_report_release(out);
    return status;
}

enum nb_status nb_report_read_file(const char *path, struct nb_report *out,
                                   bool *is_digest_right, struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    *out = (struct nb_report){ 0 };
    *is_digest_right = false;
    NB_TRY(nb_text_read_file(path, NB_REPORT_BYTES, &text, err));
    NB_TRY(nb_report_read(path, &text, out, is_digest_right, err));
done:
    nb_text_release(&text);
    return status;
}
