/* Rows that print a parameter, compared with the default that its declaration
 * gives (declared in ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/specification.h"
#include "core/try.h"
#include "routing/routing.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char default_first[] = "default:of=", default_second[] = ",name=";

/* The columns that hold a specification whose parameters have defaults. */
static const struct {
    const char *what;
    nb_kind_at *kinds;
    size_t text;
} default_columns[] = {
    { "topology", nb_topology_kind_at,
      offsetof(struct nb_published_row, topology) },
    { "routing", nb_routing_kind_at,
      offsetof(struct nb_published_row, routing) },
};
enum { DEFAULT_COLUMNS = sizeof default_columns / sizeof *default_columns };

bool nb_entry_is_default(const struct nb_published_row *row)
{
    return strncmp(row->traffic, default_first, sizeof default_first - 1) == 0;
}

/* The row of that name; NULL if there is none. rows: may be NULL */
static const struct nb_parameter *default_named(const struct nb_parameter *rows,
                                                const char *name)
{
    while (rows != NULL && rows->name != NULL && strcmp(rows->name, name) != 0)
        rows++;
    return rows != NULL && rows->name != NULL ? rows : NULL;
}

/* The parameter of a kind that a specification names. */
static enum nb_status default_of_kind(const char *text, size_t column,
                                      const char *name,
                                      const struct nb_parameter **out,
                                      struct nb_error *err)
{
    struct nb_specification read = { 0 };
    size_t index;
    const enum nb_status status = nb_specification_read(
        text, default_columns[column].what, default_columns[column].kinds, NULL,
        &read, &index, err);
    if (status == NB_OK)
        *out = default_named(read.kind->parameters, name);
    nb_specification_release(&read);
    return status;
}

/* The parameter that a row names; NULL if its owner has none of that name. */
static enum nb_status default_find(const struct nb_published_row *row,
                                   const struct nb_parameter **out,
                                   struct nb_error *err)
{
    const char *owner = row->traffic + sizeof default_first - 1;
    const char *second = strstr(owner, default_second);
    char word[40] = "";
    *out = NULL;
    if (second == NULL || (size_t)(second - owner) >= sizeof word)
        return nb_fail(err, NB_INVALID,
                       "a parameter is written default:of=OWNER,name=NAME, for "
                       "OWNER topology, routing or a command");
    memcpy(word, owner, (size_t)(second - owner));
    const char *name = second + sizeof default_second - 1;
    const struct nb_question_kind *command = nb_question_find(word);
    for (size_t i = 0; i < DEFAULT_COLUMNS; i++) {
        const char *text;
        memcpy(&text, (const char *)row + default_columns[i].text, sizeof text);
        if (strcmp(default_columns[i].what, word) == 0 && *text != '\0')
            return default_of_kind(text, i, name, out, err);
    }
    if (command != NULL)
        *out = default_named(command->form.options, name);
    return NB_OK;
}

enum nb_status nb_entry_default(const struct nb_published_row *row,
                                struct nb_quantity *out, struct nb_error *err)
{
    const struct nb_parameter *found = NULL;
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_quantity){ 0 };
    NB_TRY(default_find(row, &found, &inner));
    if (found == NULL)
        NB_TRY(nb_fail(&inner, NB_INVALID,
                       "\"%.60s\" names no parameter of its owner",
                       row->traffic));
    if (found->initial == NULL ||
        nb_ratio_read(found->initial, &out->exact, NULL) != NB_OK)
        NB_TRY(nb_fail(&inner, NB_INVALID,
                       "parameter %s has no number as its default",
                       found->name));
    if (found->unit != NULL && strcmp(found->unit, row->unit) != 0)
        NB_TRY(nb_fail(&inner, NB_INVALID,
                       "unit \"%.60s\" is not permitted (permitted: that of "
                       "%s, \"%s\")",
                       row->unit, found->name, found->unit));
    out->value = nb_ratio_value(out->exact);
    out->lower = nextafter(out->value, -INFINITY);
    out->upper = nextafter(out->value, INFINITY);
done:
    return status == NB_OK ? NB_OK
                           : nb_published_fail(row, status, inner.message, err);
}
