#include "core/xml_embedded.h"

#include "core/try.h"
#include "core/xml_memory.h"
#include "core/xml_node.h"

#include <libxml/parser.h>
#include <string.h>

enum nb_status nb_xml_embedded_read(const struct nb_embedded *file,
                                    xmlDocPtr *out, struct nb_error *err)
{
    struct nb_xml_guard guard;
    enum nb_status status = NB_OK;
    nb_xml_enter(&guard);
    *out = NULL;
    if (!nb_xml_has_run_out()) /* libxml2 is ready */
        *out = xmlReadMemory(file->bytes, (int)file->length, file->name, NULL,
                             XML_PARSE_NONET | XML_PARSE_NOCDATA |
                                 XML_PARSE_BIG_LINES);
    if (*out == NULL)
        status =
            nb_fail(&guard.error, NB_INVALID, "\"%s\" is not XML", file->name);
    status = nb_xml_leave(&guard, status, file->name, err);
    if (status != NB_OK) {
        xmlFreeDoc(*out);
        *out = NULL;
    }
    return status;
}

enum nb_status nb_xml_include(xmlNodePtr include, const char *attribute,
                              const struct nb_embedded *files,
                              struct nb_error *err)
{
    const char *path = nb_xml_attribute(include, attribute);
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : path;
    xmlDocPtr document = NULL;
    enum nb_status status = NB_OK;
    while (files->name != NULL &&
           (name == NULL || strcmp(files->name, name) != 0))
        files++;
    if (files->name == NULL)
        NB_TRY(nb_fail(err, NB_INVALID, "the program has no part \"%.60s\"",
                       path != NULL ? path : ""));
    NB_TRY(nb_xml_embedded_read(files, &document, err));
    const xmlNode *root = xmlDocGetRootElement(document);
    for (xmlNodePtr node = nb_xml_next(root, NULL); node != NULL;
         node = nb_xml_next(root, node))
        xmlAddPrevSibling(include, xmlDocCopyNode(node, include->doc, 1));
    xmlUnlinkNode(include);
    xmlFreeNode(include);
done:
    xmlFreeDoc(document);
    return status;
}
