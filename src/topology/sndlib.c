#include "topology/sndlib.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/ratio.h"
#include "core/xml.h"
#include "core/xml_node.h"

#include <stdarg.h>
#include <string.h>

static const char sndlib_start[] = "?SNDlib native format";

static bool sndlib_is_native(const char *text)
{
    text += strspn(text, " \t\r\n");
    return strncmp(text, sndlib_start, sizeof sndlib_start - 1) == 0;
}

/* XML whose first element is <network>, after comments and the like. */
static bool sndlib_is_xml(const char *text)
{
    static const char root[] = "<network";
    text += strspn(text, " \t\r\n");
    while (strncmp(text, "<?", 2) == 0 || strncmp(text, "<!--", 4) == 0) {
        const char *end = strstr(text, text[1] == '?' ? "?>" : "-->");
        if (end == NULL)
            return false;
        text = end + strcspn(end, ">") + 1;
        text += strspn(text, " \t\r\n");
    }
    return strncmp(text, root, sizeof root - 1) == 0 &&
           strchr(" \t\r\n>/", text[sizeof root - 1]) != NULL;
}

bool nb_sndlib_is(const char *text)
{
    return sndlib_is_native(text) || sndlib_is_xml(text);
}

enum nb_status nb_sndlib_fail(const struct nb_sndlib *sndlib, size_t line,
                              struct nb_error *err, const char *format, ...)
{
    char message[400];
    va_list values;
    va_start(values, format);
    nb_vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return nb_fail(err, NB_INVALID, "%.200s:%zu: %s", sndlib->path, line,
                   message);
}

/* Copies a text, without blanks around it. */
static enum nb_status sndlib_keep(struct nb_sndlib *sndlib, const char *text,
                                  size_t length, const char **out,
                                  struct nb_error *err)
{
    static const char blanks[] = " \t\r\n";
    enum nb_status status;
    for (; length > 0 && strchr(blanks, *text) != NULL; length--)
        text++;
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
        length--;
    char *kept = nb_pool_array(&sndlib->texts, length + 1, 1);
    NB_TRY(nb_pool_check(&sndlib->texts, "names", err));
    memcpy(kept, text, length);
    *out = kept;
done:
    return status;
}

static enum nb_status sndlib_add(struct nb_sndlib_list *list,
                                 const struct nb_sndlib_item *item,
                                 struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_reserve(&list->item, &list->capacity, list->count + 1,
                      sizeof *list->item, "a network of SNDlib", err));
    list->item[list->count++] = *item;
done:
    return status;
}

/*
 * Gives a link one of its capacities, unless it has a better one.
 *
 * is_module  not installed
 *
 * Errors: NB_INVALID if it is no number >= 0 or UNLIMITED.
 */
static enum nb_status sndlib_set_capacity(const struct nb_sndlib *sndlib,
                                          struct nb_sndlib_item *link,
                                          const char *capacity, bool is_module,
                                          size_t line, struct nb_error *err)
{
    struct nb_ratio own, before;
    if (strcmp(capacity, "UNLIMITED") == 0)
        return NB_OK;
    if (nb_ratio_read(capacity, &own, NULL) != NB_OK || own.numerator < 0)
        return nb_sndlib_fail(sndlib, line, err,
                              "capacity \"%.60s\" is not permitted (permitted: "
                              "a number >= 0, UNLIMITED)",
                              capacity);
    if (own.numerator == 0)
        return NB_OK;
    const bool is_better =
        link->value == NULL ||
        (link->is_module &&
         (!is_module || (nb_ratio_read(link->value, &before, NULL) == NB_OK &&
                         nb_ratio_compare(own, before) < 0)));
    if (is_better) {
        link->value = capacity;
        link->is_module = is_module;
    }
    return NB_OK;
}

/* SNDlib's native text: sections such as "LINKS ( ... )" with records such as
 * "L1 ( A B ) 0.00 0.00 0.00 0.00 ( 40.00 1.00 )". */

/* A piece of the text: "(", ")" or a word; length 0: the end. */
struct native_token {
    const char *text;
    size_t length, line;
};

/* A text being read. */
struct native {
    struct nb_sndlib *sndlib;
    const char *at;
    size_t line;
    struct native_token token; /* the next one */
};

static void native_next(struct native *reader)
{
    for (;; reader->at++) {
        if (*reader->at == '#')
            reader->at += strcspn(reader->at, "\n");
        if (*reader->at == '\0' || strchr(" \t\r\n", *reader->at) == NULL)
            break;
        reader->line += *reader->at == '\n';
    }
    const size_t word = strcspn(reader->at, " \t\r\n()#");
    const bool is_mark = *reader->at == '(' || *reader->at == ')';
    reader->token =
        (struct native_token){ reader->at, is_mark ? 1 : word, reader->line };
    reader->at += reader->token.length;
}

static bool native_is(const struct native *reader, const char *text)
{
    return reader->token.length == strlen(text) &&
           strncmp(reader->token.text, text, reader->token.length) == 0;
}

static enum nb_status native_refuse(const struct native *reader,
                                    const char *permitted, struct nb_error *err)
{
    const struct native_token *token = &reader->token;
    if (token->length == 0)
        return nb_sndlib_fail(reader->sndlib, token->line, err,
                              "the file ends here (permitted: %s)", permitted);
    return nb_sndlib_fail(reader->sndlib, token->line, err,
                          "\"%.*s\" is not permitted here (permitted: %s)",
                          (int)(token->length < 60 ? token->length : 60),
                          token->text, permitted);
}

static enum nb_status native_take(struct native *reader, const char *text,
                                  struct nb_error *err)
{
    if (!native_is(reader, text))
        return native_refuse(reader, text, err);
    native_next(reader);
    return NB_OK;
}

/* Takes a word. out: a copy; NULL: not wanted */
static enum nb_status native_take_word(struct native *reader, const char *what,
                                       const char **out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (reader->token.length == 0 || native_is(reader, "(") ||
        native_is(reader, ")"))
        return native_refuse(reader, what, err);
    if (out != NULL)
        NB_TRY(sndlib_keep(reader->sndlib, reader->token.text,
                           reader->token.length, out, err));
    native_next(reader);
done:
    return status;
}

/* Skips what follows a ( up to its ). */
static enum nb_status native_skip(struct native *reader, struct nb_error *err)
{
    size_t depth = 1;
    for (; depth > 0; native_next(reader)) {
        if (reader->token.length == 0)
            return native_refuse(reader, ")", err);
        depth += native_is(reader, "(");
        depth -= native_is(reader, ")");
    }
    return NB_OK;
}

/* NAME ( X Y ) */
static enum nb_status native_read_node(struct native *reader,
                                       struct nb_error *err)
{
    struct nb_sndlib_item node = { .line = reader->token.line };
    enum nb_status status;
    NB_TRY(native_take_word(reader, "a node or )", &node.name, err));
    if (native_is(reader, "(")) {
        native_next(reader);
        NB_TRY(native_skip(reader, err));
    }
    NB_TRY(sndlib_add(&reader->sndlib->nodes, &node, err));
done:
    return status;
}

/* NAME ( SOURCE TARGET ) */
static enum nb_status native_read_ends(struct native *reader,
                                       struct nb_sndlib_item *item,
                                       struct nb_error *err)
{
    enum nb_status status;
    item->line = reader->token.line;
    NB_TRY(native_take_word(reader, "a name or )", NULL, err));
    NB_TRY(native_take(reader, "(", err));
    NB_TRY(native_take_word(reader, "a source", &item->source, err));
    NB_TRY(native_take_word(reader, "a target", &item->target, err));
    NB_TRY(native_take(reader, ")", err));
done:
    return status;
}

/* ... CAPACITY COST ROUTING-COST SETUP-COST ( CAPACITY COST ... ) */
static enum nb_status native_read_link(struct native *reader,
                                       struct nb_error *err)
{
    struct nb_sndlib *sndlib = reader->sndlib;
    struct nb_sndlib_item link = { 0 };
    const char *capacity;
    enum nb_status status;
    NB_TRY(native_read_ends(reader, &link, err));
    NB_TRY(native_take_word(reader, "a capacity", &capacity, err));
    NB_TRY(sndlib_set_capacity(sndlib, &link, capacity, false, link.line, err));
    for (int cost = 0; cost < 3; cost++)
        NB_TRY(native_take_word(reader, "a cost", NULL, err));
    NB_TRY(native_take(reader, "(", err));
    while (!native_is(reader, ")")) {
        NB_TRY(native_take_word(reader, "a capacity or )", &capacity, err));
        NB_TRY(
            sndlib_set_capacity(sndlib, &link, capacity, true, link.line, err));
        NB_TRY(native_take_word(reader, "a cost", NULL, err));
    }
    native_next(reader);
    NB_TRY(sndlib_add(&sndlib->links, &link, err));
done:
    return status;
}

/* ... ROUTING-UNIT VALUE MAX-LENGTH */
static enum nb_status native_read_demand(struct native *reader,
                                         struct nb_error *err)
{
    struct nb_sndlib_item demand = { 0 };
    enum nb_status status;
    NB_TRY(native_read_ends(reader, &demand, err));
    NB_TRY(native_take_word(reader, "a routing unit", &demand.unit, err));
    NB_TRY(native_take_word(reader, "a value", &demand.value, err));
    NB_TRY(native_take_word(reader, "a path length", NULL, err));
    NB_TRY(sndlib_add(&reader->sndlib->demands, &demand, err));
done:
    return status;
}

static const struct native_section {
    const char *name;
    enum nb_status (*read)(struct native *reader, struct nb_error *err);
} native_sections[] = {
    { "NODES", native_read_node },
    { "LINKS", native_read_link },
    { "DEMANDS", native_read_demand },
};

/* NAME ( records ); others, such as META, are skipped. */
static enum nb_status native_read_section(struct native *reader,
                                          struct nb_error *err)
{
    const struct native_section *own = NULL;
    enum nb_status status;
    for (size_t i = 0; i < sizeof native_sections / sizeof *native_sections;
         i++)
        if (native_is(reader, native_sections[i].name))
            own = &native_sections[i];
    NB_TRY(native_take_word(reader, "a section", NULL, err));
    NB_TRY(native_take(reader, "(", err));
    if (own == NULL)
        return native_skip(reader, err);
    while (!native_is(reader, ")"))
        NB_TRY(own->read(reader, err));
    native_next(reader);
done:
    return status;
}

static enum nb_status sndlib_read_native(struct nb_sndlib *sndlib,
                                         const char *text, struct nb_error *err)
{
    struct native reader = { .sndlib = sndlib, .at = text, .line = 1 };
    enum nb_status status = NB_OK;
    for (; *reader.at != '?'; reader.at++)
        reader.line += *reader.at == '\n';
    if (strncmp(reader.at + strcspn(reader.at, ";\n"), "; type: network", 15) !=
        0)
        return nb_sndlib_fail(sndlib, reader.line, err,
                              "\"%.*s\" is not permitted (permitted: "
                              "type: network)",
                              (int)strcspn(reader.at, "\r\n"), reader.at);
    reader.at += strcspn(reader.at, "\n");
    native_next(&reader);
    while (reader.token.length > 0)
        NB_TRY(native_read_section(&reader, err));
done:
    return status;
}

/* <network><networkStructure><nodes/><links/></networkStructure><demands/>
 * </network> of SNDlib. */

static size_t xml_line(const xmlNode *node)
{
    return (size_t)xmlGetLineNo(node);
}

/* The child element of that name; NULL if there is none. */
static xmlNodePtr xml_child(const xmlNode *parent, const char *name)
{
    xmlNodePtr node = NULL;
    while (parent != NULL && (node = nb_xml_next(parent, node)) != NULL)
        if (nb_xml_is(node, name))
            return node;
    return NULL;
}

/* Copies the text of a child. Errors: NB_INVALID if it has elements. */
static enum nb_status xml_keep(struct nb_sndlib *sndlib, const xmlNode *parent,
                               const char *name, const char **out,
                               struct nb_error *err)
{
    const xmlNode *node = xml_child(parent, name);
    *out = NULL;
    if (node == NULL)
        return NB_OK;
    const xmlNode *text = node->children;
    if (text == NULL || text->type != XML_TEXT_NODE || text->next != NULL)
        return nb_sndlib_fail(sndlib, xml_line(node), err,
                              "<%.60s> is empty or has elements (permitted: a "
                              "text)",
                              name);
    return sndlib_keep(sndlib, (const char *)text->content,
                       strlen((const char *)text->content), out, err);
}

/* The same, for one that must be there. */
static enum nb_status xml_require(struct nb_sndlib *sndlib,
                                  const xmlNode *parent, const char *name,
                                  const char **out, struct nb_error *err)
{
    const enum nb_status status = xml_keep(sndlib, parent, name, out, err);
    if (status != NB_OK || *out != NULL)
        return status;
    return nb_sndlib_fail(sndlib, xml_line(parent), err, "<%.60s> has no <%s>",
                          (const char *)parent->name, name);
}

static enum nb_status xml_read_ends(struct nb_sndlib *sndlib,
                                    const xmlNode *node,
                                    struct nb_sndlib_item *item,
                                    struct nb_error *err)
{
    enum nb_status status;
    item->line = xml_line(node);
    NB_TRY(xml_require(sndlib, node, "source", &item->source, err));
    NB_TRY(xml_require(sndlib, node, "target", &item->target, err));
done:
    return status;
}

static enum nb_status xml_read_node(struct nb_sndlib *sndlib,
                                    const xmlNode *node, struct nb_error *err)
{
    struct nb_sndlib_item item = { .line = xml_line(node) };
    const char *id = nb_xml_attribute(node, "id");
    enum nb_status status;
    if (id == NULL)
        return nb_sndlib_fail(sndlib, item.line, err,
                              "<node> has no attribute \"id\"");
    NB_TRY(sndlib_keep(sndlib, id, strlen(id), &item.name, err));
    NB_TRY(sndlib_add(&sndlib->nodes, &item, err));
done:
    return status;
}

/* Gives a link the capacity in an element; NULL: none. */
static enum nb_status xml_read_module(struct nb_sndlib *sndlib,
                                      const xmlNode *module, bool is_added,
                                      struct nb_sndlib_item *link,
                                      struct nb_error *err)
{
    const char *capacity;
    enum nb_status status;
    if (module == NULL)
        return NB_OK;
    NB_TRY(xml_keep(sndlib, module, "capacity", &capacity, err));
    if (capacity != NULL)
        NB_TRY(sndlib_set_capacity(sndlib, link, capacity, is_added,
                                   xml_line(module), err));
done:
    return status;
}

static enum nb_status xml_read_link(struct nb_sndlib *sndlib,
                                    const xmlNode *node, struct nb_error *err)
{
    const xmlNode *more = xml_child(node, "additionalModules");
    struct nb_sndlib_item link = { 0 };
    enum nb_status status;
    NB_TRY(xml_read_ends(sndlib, node, &link, err));
    NB_TRY(xml_read_module(sndlib, xml_child(node, "preInstalledModule"), false,
                           &link, err));
    for (xmlNodePtr module = NULL;
         more != NULL && (module = nb_xml_next(more, module)) != NULL;)
        NB_TRY(xml_read_module(sndlib, module, true, &link, err));
    NB_TRY(sndlib_add(&sndlib->links, &link, err));
done:
    return status;
}

static enum nb_status xml_read_demand(struct nb_sndlib *sndlib,
                                      const xmlNode *node, struct nb_error *err)
{
    struct nb_sndlib_item demand = { 0 };
    enum nb_status status;
    NB_TRY(xml_read_ends(sndlib, node, &demand, err));
    NB_TRY(xml_require(sndlib, node, "demandValue", &demand.value, err));
    NB_TRY(xml_keep(sndlib, node, "routingUnit", &demand.unit, err));
    NB_TRY(sndlib_add(&sndlib->demands, &demand, err));
done:
    return status;
}

/* Reads every element of that name in a list; NULL: there is no list. */
static enum nb_status
xml_read_list(struct nb_sndlib *sndlib, const xmlNode *list, const char *name,
              enum nb_status (*read)(struct nb_sndlib *sndlib,
                                     const xmlNode *node, struct nb_error *err),
              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (xmlNodePtr node = NULL;
         list != NULL && (node = nb_xml_next(list, node)) != NULL;)
        if (nb_xml_is(node, name))
            NB_TRY(read(sndlib, node, err));
done:
    return status;
}

static enum nb_status xml_read_root(struct nb_sndlib *sndlib,
                                    const xmlNode *root, struct nb_error *err)
{
    const xmlNode *structure =
        root != NULL ? xml_child(root, "networkStructure") : NULL;
    enum nb_status status;
    if (root == NULL || !nb_xml_is(root, "network") || structure == NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is no network of SNDlib (permitted: "
                       "<network> with <networkStructure>)",
                       sndlib->path);
    NB_TRY(xml_read_list(sndlib, xml_child(structure, "nodes"), "node",
                         xml_read_node, err));
    NB_TRY(xml_read_list(sndlib, xml_child(structure, "links"), "link",
                         xml_read_link, err));
    NB_TRY(xml_read_list(sndlib, xml_child(root, "demands"), "demand",
                         xml_read_demand, err));
done:
    return status;
}

static enum nb_status sndlib_read_xml(struct nb_sndlib *sndlib,
                                      const char *text, size_t length,
                                      struct nb_error *err)
{
    xmlDocPtr document = NULL;
    enum nb_status status;
    NB_TRY(nb_xml_parse(sndlib->path, text, length, &document, err));
    NB_TRY(xml_read_root(sndlib, xmlDocGetRootElement(document), err));
done:
    xmlFreeDoc(document);
    return status;
}

enum nb_status nb_sndlib_read(const char *path, const char *text, size_t length,
                              struct nb_sndlib *out, struct nb_error *err)
{
    const size_t mark = nb_lines_mark(text);
    *out = (struct nb_sndlib){ .path = path };
    if (strlen(text) != length)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has a byte 0 (permitted: text)", path);
    const char *start = text + mark + strspn(text + mark, " \t\r\n");
    if (*start != '<' && !sndlib_is_native(start))
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is not SNDlib (permitted: XML, or \"%s\" in "
                       "its first line)",
                       path, sndlib_start);
    return sndlib_is_native(text + mark)
               ? sndlib_read_native(out, text + mark, err)
               : sndlib_read_xml(out, text, length, err);
}

void nb_sndlib_release(struct nb_sndlib *sndlib)
{
    nb_delete(sndlib->nodes.item);
    nb_delete(sndlib->links.item);
    nb_delete(sndlib->demands.item);
    nb_pool_release(&sndlib->texts);
    *sndlib = (struct nb_sndlib){ 0 };
}
