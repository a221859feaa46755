#include "model/node.h"

#include "core/try.h"
#include "model/model.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum nb_status nb_node_fail(const char *file, const xmlNode *node,
                            struct nb_error *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = ' ';
    return nb_fail(err, NB_INVALID, "%.200s:%ld: %s", file, xmlGetLineNo(node),
                   message);
}

bool nb_node_is(const xmlNode *node, const char *name)
{
    return strcmp((const char *)node->name, name) == 0;
}

xmlNodePtr nb_node_next(const xmlNode *parent, const xmlNode *node)
{
    xmlNodePtr next = node == NULL ? parent->children : node->next;
    while (next != NULL && next->type != XML_ELEMENT_NODE)
        next = next->next;
    return next;
}

/* The characters of an element or attribute with these children; NULL if
 * they are more than plain text. The reader merges adjacent text. */
static const char *node_plain(const xmlNode *children)
{
    if (children == NULL)
        return "";
    const bool is_plain =
        children->next == NULL && (children->type == XML_TEXT_NODE ||
                                   children->type == XML_CDATA_SECTION_NODE);
    return is_plain ? (const char *)children->content : NULL;
}

const char *nb_node_attribute(const xmlNode *node, const char *name)
{
    const xmlAttr *attribute = node->properties;
    while (attribute != NULL &&
           strcmp((const char *)attribute->name, name) != 0)
        attribute = attribute->next;
    return attribute != NULL ? node_plain(attribute->children) : NULL;
}

const char *nb_node_text(const xmlNode *node)
{
    return node_plain(node->children);
}

/* The row's next word from *list; its length without a "?". */
static const char *node_word(const char **list, size_t *length,
                             bool *is_optional)
{
    const char *word = *list + strspn(*list, " ");
    const size_t end = strcspn(word, " ");
    *list = word + end;
    *is_optional = end > 0 && word[end - 1] == '?';
    *length = end - *is_optional;
    return end > 0 ? word : NULL;
}

static bool node_permits(const char *list, const char *name)
{
    size_t length;
    bool is_optional;
    const char *word;
    while ((word = node_word(&list, &length, &is_optional)) != NULL)
        if (strlen(name) == length && strncmp(word, name, length) == 0)
            return true;
    return false;
}

static enum nb_status node_check_attributes(const char *file,
                                            const xmlNode *node,
                                            const char *permitted,
                                            struct nb_error *err)
{
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        const char *name = (const char *)a->name;
        if (a->ns != NULL || !node_permits(permitted, name) ||
            node_plain(a->children) == NULL)
            return nb_node_fail(file, node, err,
                                "attribute \"%.60s\" of <%s> is not permitted "
                                "(permitted: %s)",
                                name, node->name,
                                *permitted != '\0' ? permitted : "none");
    }
    const char *list = permitted, *word;
    size_t length;
    bool is_optional;
    while ((word = node_word(&list, &length, &is_optional)) != NULL) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (!is_optional && nb_node_attribute(node, name) == NULL)
            return nb_node_fail(file, node, err,
                                "<%s> has no attribute \"%s\" (permitted: %s)",
                                node->name, name, permitted);
    }
    return NB_OK;
}

/* What stands between elements: comments and white space. */
static bool node_is_between(const xmlNode *node)
{
    if (node->type == XML_COMMENT_NODE)
        return true;
    const char *text = (const char *)node->content;
    return node->type == XML_TEXT_NODE && text[strspn(text, " \t\r\n")] == '\0';
}

enum nb_status nb_node_check_content(const char *file, const xmlNode *node,
                                     enum nb_node_content content,
                                     struct nb_error *err)
{
    if (content == NB_NODE_TEXT) {
        if (node_plain(node->children) != NULL)
            return NB_OK;
        return nb_node_fail(file, node, err,
                            "the content of <%s> is not permitted (permitted: "
                            "plain text)",
                            node->name);
    }
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (node_is_between(child) ||
            (child->type == XML_ELEMENT_NODE && content == NB_NODE_ELEMENTS))
            continue;
        const char *what = child->content != NULL ? (const char *)child->content
                                                  : (const char *)child->name;
        return nb_node_fail(file, child, err,
                            "\"%.60s\" in <%s> is not permitted (permitted: "
                            "%s)",
                            what + strspn(what, " \t\r\n"), node->name,
                            content == NB_NODE_EMPTY ? "nothing" : "elements");
    }
    return NB_OK;
}

enum nb_status nb_node_check(const char *file, const xmlNode *node,
                             const struct nb_node_part *part,
                             struct nb_error *err)
{
    if (!nb_node_is(node, part->name))
        return nb_node_fail(file, node, err,
                            "<%.60s> is not permitted here (permitted: <%s>)",
                            node->name, part->name);
    const char *space = node->ns != NULL ? (const char *)node->ns->href : "";
    if (strcmp(space, NB_XML_NAMESPACE) != 0)
        return nb_node_fail(file, node, err,
                            "<%s> is in namespace \"%.60s\" (permitted: "
                            "\"%s\")",
                            node->name, space, NB_XML_NAMESPACE);
    enum nb_status status;
    NB_TRY(node_check_attributes(file, node, part->attributes, err));
    NB_TRY(nb_node_check_content(file, node, part->content, err));
done:
    return status;
}

static enum nb_status node_unexpected(const char *file, const xmlNode *child,
                                      const struct nb_node_part *parts,
                                      struct nb_error *err)
{
    char list[200] = "";
    for (size_t length = 0; parts->name != NULL; parts++)
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s<%s>",
                             length > 0 ? ", " : "", parts->name);
    return nb_node_fail(file, child, err,
                        "<%.60s> is not permitted here (permitted, in this "
                        "order: %s)",
                        child->name, list);
}

enum nb_status nb_node_order_next(const char *file, const xmlNode *child,
                                  struct nb_node_order *order,
                                  struct nb_error *err)
{
    const struct nb_node_part *parts = order->parts;
    while (parts[order->at].name != NULL &&
           (!nb_node_is(child, parts[order->at].name) ||
            (order->seen > 0 && !parts[order->at].is_repeatable))) {
        if (parts[order->at].is_required && order->seen == 0)
            break;
        order->at++;
        order->seen = 0;
    }
    const struct nb_node_part *part = &parts[order->at];
    if (part->name == NULL || !nb_node_is(child, part->name))
        return node_unexpected(file, child, parts, err);
    order->seen++;
    return nb_node_check(file, child, part, err);
}

enum nb_status nb_node_order_end(const char *file, const xmlNode *parent,
                                 struct nb_node_order *order,
                                 struct nb_error *err)
{
    const struct nb_node_part *parts = order->parts;
    for (; parts[order->at].name != NULL; order->at++, order->seen = 0)
        if (parts[order->at].is_required && order->seen == 0)
            return nb_node_fail(file, parent, err, "<%s> has no <%s>",
                                parent->name, parts[order->at].name);
    return NB_OK;
}

enum nb_status nb_node_check_children(const char *file, const xmlNode *parent,
                                      const struct nb_node_part *parts,
                                      struct nb_error *err)
{
    struct nb_node_order order = { .parts = parts };
    enum nb_status status = NB_OK;
    for (const xmlNode *child = nb_node_next(parent, NULL); child != NULL;
         child = nb_node_next(parent, child))
        NB_TRY(nb_node_order_next(file, child, &order, err));
    status = nb_node_order_end(file, parent, &order, err);
done:
    return status;
}

enum nb_status nb_node_identifier(const char *file, const xmlNode *node,
                                  const char *attribute, const char **out,
                                  struct nb_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-.";
    *out = nb_node_attribute(node, attribute);
    const bool is_identifier =
        strchr("0123456789_-.", (*out)[0]) == NULL &&
        (*out)[strspn(*out, letters)] == '\0' &&
        (strchr(*out, '.') == NULL || nb_node_is(node, "sweep") ||
         nb_node_is(node, "setting"));
    if (is_identifier)
        return NB_OK;
    return nb_node_fail(file, node, err,
                        "%s \"%.60s\" of <%s> is not permitted (permitted: a "
                        "letter, then letters, digits, \"_\" and \"-\")",
                        attribute, *out, node->name);
}

enum nb_status nb_node_version(const char *file, const xmlNode *node,
                               struct nb_error *err)
{
    const char *version = nb_node_attribute(node, "version");
    if (strcmp(version, "1") == 0)
        return NB_OK;
    return nb_node_fail(file, node, err,
                        "version \"%.60s\" of <%s> is not permitted "
                        "(permitted: 1)",
                        version, node->name);
}
