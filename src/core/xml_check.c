#include "core/xml_check.h"

#include "core/locale.h"
#include "core/memory.h"
#include "core/xml_embedded.h"
#include "core/xml_memory.h"
#include "core/xml_node.h"

#include <libxml/xmlschemas.h>
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Sizes in bytes of a message: while it is reworded, and the final one. */
enum { CHECK_TEXT = 1500, CHECK_MOST = 300 };

/* A schema, compiled on first use and kept until the program ends: compiling
 * takes as long as checking ten small reports. Several threads may use it at
 * once. */
struct check_schema {
    const struct nb_embedded *files;
    xmlDocPtr document;
    xmlSchemaPtr compiled;
};
enum { CHECK_SCHEMAS = 4 };
static struct check_schema check_schemas[CHECK_SCHEMAS];
static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;

struct nb_xml_check {
    const struct check_schema *schema;
    xmlSchemaValidCtxtPtr validator;
    xmlSchemaSAXPlugPtr plug;
    xmlSAXHandlerPtr hooks; /* the validator's, called as a parser would */
    void *context;
    size_t depth; /* open elements, and their names */
    const xmlChar *name[NB_XML_DEPTH + 1], *uri[NB_XML_DEPTH + 1];
    char said[CHECK_TEXT];
};

static void check_replace(char text[CHECK_TEXT], const char *from,
                          const char *to)
{
    const size_t old = strlen(from), new = strlen(to);
    size_t length = strlen(text);
    for (char *at = strstr(text, from);
         at != NULL && length - old + new < CHECK_TEXT;
         at = strstr(at + new, from)) {
        memmove(at + new, at + old, strlen(at + old) + 1);
        memcpy(at, to, new);
        length = length - old + new;
    }
}

/* Shortens a long text to its beginning and its end. */
static void check_clip(char text[CHECK_TEXT], const char *from, size_t most)
{
    const size_t length = strlen(from), half = most / 2 - 3;
    memcpy(text, from, length < most ? length + 1 : half);
    if (length >= most)
        snprintf(text + half, CHECK_TEXT - half, " ... %s",
                 from + length - half);
}

/* Removes the facet from "[facet 'pattern'] The value ...". */
static void check_drop_facet(char text[CHECK_TEXT])
{
    char *facet = strstr(text, "[facet '"), *end;
    if (facet != NULL && (end = strstr(facet, "'] ")) != NULL)
        memmove(facet, end + 3, strlen(end + 3) + 1);
}

/* Writes "Element 'name'" as "<name>". */
static void check_quote_element(char text[CHECK_TEXT])
{
    static const char element[] = "Element '";
    char *end = NULL;
    if (strncmp(text, element, sizeof element - 1) == 0)
        end = strchr(text + sizeof element - 1, '\'');
    if (end == NULL)
        return;
    *end = '>';
    text[sizeof element - 2] = '<';
    memmove(text, text + sizeof element - 2, strlen(text) - sizeof element + 3);
}

/* Whether the schema declares an element of a file's name. */
static bool check_declares(const xmlNode *root, const struct nb_embedded *file)
{
    const size_t length = strcspn(file->name, ".");
    xmlNodePtr node = NULL;
    while ((node = nb_xml_next(root, node)) != NULL) {
        const char *name = nb_xml_attribute(node, "name");
        if (nb_xml_is(node, "element") && strlen(name) == length &&
            strncmp(name, file->name, length) == 0)
            return true;
    }
    return false;
}

/* Lists the elements that may be the root of a document. */
static void check_name_roots(const struct nb_xml_check *check,
                             char roots[CHECK_TEXT])
{
    const xmlNode *root = xmlDocGetRootElement(check->schema->document);
    size_t length = (size_t)snprintf(roots, CHECK_TEXT,
                                     " is not permitted here (permitted:");
    for (const struct nb_embedded *file = check->schema->files; file->name;
         file++)
        if (check_declares(root, file))
            length += (size_t)snprintf(
                roots + length, CHECK_TEXT - length, "%s <%.*s>",
                file == check->schema->files ? "" : " or",
                (int)strcspn(file->name, "."), file->name);
    snprintf(roots + length, CHECK_TEXT - length, " of namespace \"%s\")",
             nb_xml_attribute(root, "targetNamespace"));
}

/* Rewords a message of libxml2 like the program's other messages. */
static void check_reword(const struct nb_xml_check *check,
                         char text[CHECK_TEXT])
{
    static const char *const words[][2] = {
        { " is not accepted by the pattern ",
          " is not permitted (permitted: what fits " },
        { " is not an element of the set {", " is not permitted (permitted: " },
        { "'}", "'" },
        { " Duplicate key-sequence [", " " },
        { "] in unique identity-constraint ", " is given twice (permitted: " },
        { " is not allowed", " is not permitted" },
        { ": This element is not expected", " is not permitted here" },
        { ". Expected is one of ( ", " (permitted: " },
        { ". Expected is ( ", " (permitted: " },
        { " ).", "" },
    };
    const xmlNode *root = xmlDocGetRootElement(check->schema->document);
    char space[100], roots[CHECK_TEXT];
    snprintf(space, sizeof space, "{%s}",
             nb_xml_attribute(root, "targetNamespace"));
    check_name_roots(check, roots);
    check_replace(text, space, "");
    check_drop_facet(text);
    check_quote_element(text);
    check_replace(text,
                  ": No matching global declaration available for the "
                  "validation root",
                  roots);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check_replace(text, words[i][0], words[i][1]);
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '.')
        text[length - 1] = '\0';
    if (strstr(text, "(permitted: ") != NULL && text[strlen(text) - 1] != ')')
        strncat(text, ")", CHECK_TEXT - strlen(text) - 1);
}

/* Keeps the first message only. */
static void check_complain(void *context, xmlErrorPtr error)
{
    struct nb_xml_check *check = context;
    char text[CHECK_TEXT];
    if (check->said[0] != '\0')
        return;
    check_clip(text, error->message != NULL ? error->message : "not valid",
               CHECK_TEXT / 2);
    for (char *c = text; *c != '\0'; c++)
        if (nb_is_control(*c))
            *c = c[1] == '\0' ? '\0' : ' ';
    check_reword(check, text);
    check_clip(check->said, text, CHECK_MOST);
}

static void check_release(struct check_schema *schema)
{
    xmlSchemaFree(schema->compiled);
    xmlFreeDoc(schema->document);
    *schema = (struct check_schema){ 0 };
}

static enum nb_status check_compile(const struct nb_embedded *files,
                                    struct check_schema *out,
                                    struct nb_error *err)
{
    struct check_schema made = { .files = files };
    struct nb_xml_guard guard;
    xmlNodePtr next, node;
    enum nb_status status;
    NB_TRY(nb_xml_embedded_read(files, &made.document, err));
    next = nb_xml_next(xmlDocGetRootElement(made.document), NULL);
    while ((node = next) != NULL) {
        next = nb_xml_next(node->parent, node);
        if (nb_xml_is(node, "include")) { /* may include others */
            NB_TRY(nb_xml_include(node, "schemaLocation", files, err));
            next = nb_xml_next(xmlDocGetRootElement(made.document), NULL);
        }
    }
    nb_xml_enter(&guard);
    xmlSchemaParserCtxtPtr parser = xmlSchemaNewDocParserCtxt(made.document);
    if (parser != NULL)
        made.compiled = xmlSchemaParse(parser);
    xmlSchemaFreeParserCtxt(parser);
    status = made.compiled != NULL
                 ? NB_OK
                 : nb_fail(&guard.error, NB_INVALID, "\"%s\" is not a schema",
                           files->name);
    NB_TRY(nb_xml_leave(&guard, status, files->name, err));
    *out = made;
    made = (struct check_schema){ 0 };
done:
    check_release(&made);
    return status;
}

void nb_xml_check_finish(void)
{
    for (size_t i = 0; i < CHECK_SCHEMAS; i++)
        check_release(&check_schemas[i]);
    xmlCleanupParser();
    xmlDictCleanup(); /* its lock may have been made after another cleanup */
}

/* Finds the schema among those kept, or compiles it. */
static enum nb_status check_find(const struct nb_embedded *files,
                                 const struct check_schema **out,
                                 struct nb_error *err)
{
    struct check_schema *schema = check_schemas;
    enum nb_status status = NB_OK;
    pthread_mutex_lock(&check_lock);
    while (schema->files != NULL && schema->files != files)
        schema++;
    assert(schema < check_schemas + CHECK_SCHEMAS - 1);
    if (schema->files == NULL)
        status = check_compile(files, schema, err);
    pthread_mutex_unlock(&check_lock);
    *out = schema;
    return status;
}

enum nb_status nb_xml_check_new(const struct nb_embedded *schema,
                                struct nb_xml_check **out, struct nb_error *err)
{
    struct nb_xml_check *check = NULL;
    struct nb_xml_guard guard;
    enum nb_status status;
    NB_TRY(nb_new(&check, 1, sizeof *check, "a schema", err));
    NB_TRY(check_find(schema, &check->schema, err));
    nb_xml_enter(&guard);
    check->validator = xmlSchemaNewValidCtxt(check->schema->compiled);
    if (check->validator != NULL)
        check->plug =
            xmlSchemaSAXPlug(check->validator, &check->hooks, &check->context);
    if (check->plug != NULL)
        xmlSchemaSetValidStructuredErrors(check->validator, check_complain,
                                          check);
    else
        status = nb_fail(&guard.error, NB_NO_MEMORY, "no memory for a schema");
    NB_TRY(nb_xml_leave(&guard, status, schema->name, err));
done:
    if (status != NB_OK) {
        nb_xml_check_free(check);
        check = NULL;
    }
    *out = check;
    return status;
}

void nb_xml_check_free(struct nb_xml_check *check)
{
    if (check == NULL)
        return;
    while (check->depth > 0) /* else the validator leaks their states */
        nb_xml_check_end(check, check->name[check->depth - 1], NULL,
                         check->uri[check->depth - 1]);
    if (check->plug != NULL)
        xmlSchemaSAXUnplug(check->plug);
    xmlSchemaFreeValidCtxt(check->validator);
    nb_delete(check);
}

void nb_xml_check_begin(struct nb_xml_check *check, const xmlChar *name,
                        const xmlChar *prefix, const xmlChar *uri,
                        int attributes, const xmlChar **attribute)
{
    check->name[check->depth] = name;
    check->uri[check->depth++] = uri;
    check->hooks->startElementNs(check->context, name, prefix, uri, 0, NULL,
                                 attributes, 0, attribute);
    /* Refuses xsi: attributes, which may change what is permitted. */
    for (int i = 0; i < attributes; i++)
        if (attribute[5 * i + 2] != NULL && check->said[0] == '\0')
            snprintf(check->said, CHECK_TEXT,
                     "<%.60s>: attribute \"%.60s:%.60s\" is not permitted",
                     (const char *)name, (const char *)attribute[5 * i + 1],
                     (const char *)attribute[5 * i]);
}

void nb_xml_check_text(struct nb_xml_check *check, const xmlChar *text)
{
    check->hooks->characters(check->context, text, xmlStrlen(text));
}

void nb_xml_check_end(struct nb_xml_check *check, const xmlChar *name,
                      const xmlChar *prefix, const xmlChar *uri)
{
    check->depth--;
    check->hooks->endElementNs(check->context, name, prefix, uri);
}

const char *nb_xml_check_said(const struct nb_xml_check *check)
{
    return check->said;
}
