/* Elements of the view (declared in export/view.h). */
#include "export/view.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The document remembers a failure in its private pointer. */
static void tree_note_failure(xmlDocPtr document)
{
    document->_private = document;
}

bool nb_view_has_failed(xmlDocPtr document)
{
    return document->_private != NULL;
}

bool nb_view_has_unit(const char *unit)
{
    return unit != NULL && *unit != '\0' && strcmp(unit, "1") != 0;
}

/* Whether a tree can hold the text as it is; most texts are such. */
static bool tree_is_plain(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            return false;
    return true;
}

enum tree_lines { TREE_ONE_LINE, TREE_LINES };

/* Calls set with the text that XML can hold, in one line or as it is. */
static void tree_set(xmlNodePtr node, const char *name, const char *value,
                     enum tree_lines lines,
                     bool (*set)(xmlNodePtr node, const char *name,
                                 const char *value))
{
    struct nb_text clean = { 0 };
    if (node == NULL)
        return;
    if (!tree_is_plain(value)) {
        nb_xml_clean(value, &clean);
        for (size_t i = 0; i < clean.length && lines == TREE_ONE_LINE; i++)
            if (iscntrl((unsigned char)clean.bytes[i]))
                clean.bytes[i] = ' ';
        value = clean.bytes;
    }
    if (clean.has_failed || !set(node, name, value))
        tree_note_failure(node->doc);
    nb_text_release(&clean);
}

static bool tree_set_attribute(xmlNodePtr node, const char *name,
                               const char *value)
{
    return xmlNewProp(node, BAD_CAST name, BAD_CAST value) != NULL;
}

static bool tree_add_text(xmlNodePtr node, const char *name, const char *value)
{
    (void)name;
    xmlNodePtr text = xmlNewDocText(node->doc, BAD_CAST value);
    return text != NULL && xmlAddChild(node, text) != NULL;
}

xmlNodePtr nb_view_add(xmlNodePtr parent, const char *element)
{
    if (parent == NULL)
        return NULL;
    xmlNodePtr added = xmlNewDocNode(parent->doc, NULL, BAD_CAST element, NULL);
    if (added == NULL)
        tree_note_failure(parent->doc);
    else
        xmlAddChild(parent, added);
    return added;
}

void nb_view_set(xmlNodePtr node, const char *name, const char *value)
{
    tree_set(node, name, value, TREE_ONE_LINE, tree_set_attribute);
}

void nb_view_text(xmlNodePtr node, const char *text)
{
    if (*text != '\0')
        tree_set(node, NULL, text, TREE_ONE_LINE, tree_add_text);
}

void nb_view_lines(xmlNodePtr node, const char *text)
{
    if (*text != '\0')
        tree_set(node, NULL, text, TREE_LINES, tree_add_text);
}

void nb_view_print(xmlNodePtr node, const char *name, const char *format, ...)
{
    struct nb_text value = { 0 };
    va_list arguments;
    va_start(arguments, format);
    nb_text_print_list(&value, format, arguments);
    va_end(arguments);
    if (!value.has_failed)
        nb_view_set(node, name, value.bytes);
    else if (node != NULL)
        tree_note_failure(node->doc);
    nb_text_release(&value);
}

void nb_view_place(xmlNodePtr node, const char *name, double value)
{
    char text[32];
    const double rounded = nearbyint(100 * value) / 100;
    /* Adding zero turns -0 into 0. */
    snprintf(text, sizeof text, "%.10g", rounded + 0.0);
    nb_view_set(node, name, text);
}
