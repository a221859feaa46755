#include "topology/graph.h"

#include "core/memory.h"
#include "core/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum nb_status nb_graph_names_add(struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_error *err)
{
    struct nb_graph_names *names = &graph->names;
    if (!nb_utf8_is_text(text, "\t\n\r"))
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: name \"%.60s\" is not permitted "
                       "(permitted: UTF-8 without control characters but tabs "
                       "and ends of lines)",
                       graph->path, line, text);
    const enum nb_status status =
        nb_reserve(&names->entry, &names->capacity, names->count + 1,
                   sizeof *names->entry, "names", err);
    if (status != NB_OK)
        return status;
    names->entry[names->count] =
        (struct nb_name){ text, (uint32_t)names->count, NB_NONE };
    names->count++;
    return NB_OK;
}

enum nb_status nb_graph_router_add(struct nb_graph *graph, size_t line,
                                   const char *text, uint32_t terminals,
                                   struct nb_error *err)
{
    const size_t count = graph->names.count;
    enum nb_status status;
    NB_TRY(nb_graph_names_add(graph, line, text, err));
    NB_TRY(nb_reserve(&graph->terminals, &graph->terminal_capacity, count + 1,
                      sizeof *graph->terminals, "terminals", err));
    graph->terminals[count] = terminals;
done:
    return status;
}

static int names_by_first(const void *left, const void *right)
{
    const struct nb_name *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static int names_by_text(const void *left, const void *right)
{
    const struct nb_name *a = left, *b = right;
    const int order = strcmp(a->text, b->text);
    return order != 0 ? order : names_by_first(left, right);
}

/* Keeps the first of equal names; returns one that was repeated. */
static const char *names_merge(struct nb_graph_names *names)
{
    const char *repeated = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (kept > 0 &&
            strcmp(names->entry[kept - 1].text, names->entry[i].text) == 0)
            repeated = names->entry[i].text;
        else
            names->entry[kept++] = names->entry[i];
    }
    names->count = kept;
    return repeated;
}

/* The whole number that a name spells, NB_NONE if it is none below limit. */
static uint32_t names_value(const char *text, size_t limit)
{
    char plain[16];
    char *end;
    if (*text < '0' || *text > '9')
        return NB_NONE;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end != '\0' || value >= limit)
        return NB_NONE;
    /* "007" is a name, not a number: another name may be "7". */
    snprintf(plain, sizeof plain, "%" PRIu32, (uint32_t)value);
    return strcmp(plain, text) == 0 ? (uint32_t)value : NB_NONE;
}

const char *nb_graph_names_number(struct nb_graph_names *names)
{
    bool are_numbers = true;
    if (names->count == 0)
        return NULL;
    qsort(names->entry, names->count, sizeof *names->entry, names_by_text);
    const char *repeated = names_merge(names);
    qsort(names->entry, names->count, sizeof *names->entry, names_by_first);
    for (size_t i = 0; i < names->count; i++) {
        names->entry[i].number = (uint32_t)i;
        are_numbers = are_numbers && names_value(names->entry[i].text,
                                                 names->count) != NB_NONE;
    }
    /* n different numbers below n: each of 0..n-1 once. */
    for (size_t i = 0; are_numbers && i < names->count; i++)
        names->entry[i].number =
            names_value(names->entry[i].text, names->count);
    qsort(names->entry, names->count, sizeof *names->entry, names_by_text);
    return repeated;
}

static int names_compare(const void *key, const void *entry)
{
    return strcmp(key, ((const struct nb_name *)entry)->text);
}

uint32_t nb_graph_names_find(const struct nb_graph_names *names,
                             const char *text)
{
    if (names->count == 0)
        return NB_NONE;
    const struct nb_name *entry = bsearch(text, names->entry, names->count,
                                          sizeof *names->entry, names_compare);
    return entry == NULL ? NB_NONE : entry->number;
}

const char *nb_graph_names_of(const struct nb_graph_names *names,
                              uint32_t number)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->entry[i].number == number)
            return names->entry[i].text;
    return "?";
}
