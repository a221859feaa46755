/* Node: strict reading of XML elements; messages are "FILE:LINE: ...". */
#ifndef NB_MODEL_NODE_H
#define NB_MODEL_NODE_H

#include "model/model.h"

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

enum nb_node_content { NB_NODE_EMPTY, NB_NODE_TEXT, NB_NODE_ELEMENTS };

/* One row of an element's content: which child elements there are, in this
 * order. A table of parts ends with a zero row. */
struct nb_node_part {
    const char *name;
    const char *attributes; /* separated by spaces; "?" marks optional ones */
    enum nb_node_content content;
    bool is_required;
    bool is_repeatable;
};

/* Records NB_INVALID with "FILE:LINE: " before the message, which is kept to
 * one line whatever the values in it are. */
enum nb_status nb_node_fail(const char *file, const xmlNode *node,
                            struct nb_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Checks an element against its row: name, namespace, attributes and form
 * of content. Comments are permitted between elements.
 *
 * Errors: NB_INVALID naming what is wrong and what is permitted.
 */
enum nb_status nb_node_check(const char *file, const xmlNode *node,
                             const struct nb_node_part *part,
                             struct nb_error *err);

/*
 * Checks the children of an element, each against its row, and their order.
 *
 * Errors: NB_INVALID naming what is wrong and what is permitted.
 */
enum nb_status nb_node_check_children(const char *file, const xmlNode *parent,
                                      const struct nb_node_part *parts,
                                      struct nb_error *err);

/* The same, child by child: at which row the children are. */
struct nb_node_order {
    const struct nb_node_part *parts;
    size_t at, seen; /* the current row, and how often it came */
};
enum nb_status nb_node_order_next(const char *file, const xmlNode *child,
                                  struct nb_node_order *order,
                                  struct nb_error *err);
/* Whether nothing is missing. */
enum nb_status nb_node_order_end(const char *file, const xmlNode *parent,
                                 struct nb_node_order *order,
                                 struct nb_error *err);

/* Whether all children are of the kind that the content permits. Errors:
 * NB_INVALID naming the first that is not. */
enum nb_status nb_node_check_content(const char *file, const xmlNode *node,
                                     enum nb_node_content content,
                                     struct nb_error *err);

bool nb_node_is(const xmlNode *node, const char *name);

/* The next child element of parent after node, the first after NULL; NULL at
 * the end. */
xmlNodePtr nb_node_next(const xmlNode *parent, const xmlNode *node);

/* An attribute of a checked element, NULL if it is not there; the text of a
 * checked element. Both belong to the document. */
const char *nb_node_attribute(const xmlNode *node, const char *name);
const char *nb_node_text(const xmlNode *node);

/*
 * An attribute that is an identifier: a letter, then letters, digits, "_"
 * and "-"; of sweeps and settings also "." before
 * a part of an option.
 *
 * Errors: NB_INVALID naming the value.
 */
enum nb_status nb_node_identifier(const char *file, const xmlNode *node,
                                  const char *attribute, const char **out,
                                  struct nb_error *err);

/* Checks the attribute version of a root element. Errors: NB_INVALID. */
enum nb_status nb_node_version(const char *file, const xmlNode *node,
                               struct nb_error *err);

/* Reads a model as nb_model_read_file does, from an element <model>; folder may
 * be NULL (working folder). */
enum nb_status nb_model_read_node(xmlNodePtr element, const char *name,
                                  const char *folder, struct nb_model *out,
                                  struct nb_error *err);

#endif
