/* JSON: the only way to parse files from outside. Its values are those of
 * jansson. */
#ifndef NB_CORE_JSON_H
#define NB_CORE_JSON_H

#include "core/text.h"

#include <jansson.h>

/*
 * Parses JSON held in memory, after a byte order mark if there is one. Numbers
 * with a fraction become doubles, which print the same up to 15 digits.
 *
 * name  the document's name in messages; usually its path
 * out   out; the caller releases it with json_decref
 *
 * Errors: NB_INVALID with the first message and its line; NB_NO_MEMORY.
 */
enum nb_status nb_json_parse(const char *name, const char *bytes, size_t length,
                             json_t **out, struct nb_error *err);

/* A value in a message: a number, the beginning of a string in quotes, or what
 * it is. NULL is permitted. */
enum { NB_JSON_SHOWN = 48 };
void nb_json_show(const json_t *value, char text[NB_JSON_SHOWN]);

/* Appends a number, string or truth value. Returns false for others. */
bool nb_json_add(const json_t *value, struct nb_text *text);

#endif
