#include "topology/graph.h"

#include "core/memory.h"
#include "core/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place of a name, or the free place for it (FNV-1a). */
static uint32_t *names_place(const struct nb_graph_names *names,
                             const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    size_t at = (hash ^ hash >> 32) & (names->place_count - 1);
    while (names->place[at] != 0 &&
           strcmp(names->entry[names->place[at] - 1].text, text) != 0)
        at = (at + 1) & (names->place_count - 1);
    return &names->place[at];
}

/* Makes room for one more name; half of the places stay empty. */
static enum nb_status names_reserve(struct nb_graph_names *names,
                                    struct nb_error *err)
{
    const size_t wanted = names->place_count > 0 ? 2 * names->place_count : 64;
    uint32_t *place;
    enum nb_status status;
    NB_TRY(nb_reserve(&names->entry, &names->capacity, names->count + 1,
                      sizeof *names->entry, "names", err));
    if (2 * (names->count + 1) <= names->place_count)
        return NB_OK;
    NB_TRY(nb_new(&place, wanted, sizeof *place, "names", err));
    nb_delete(names->place);
    names->place = place;
    names->place_count = wanted;
    for (uint32_t i = 0; i < names->count; i++)
        *names_place(names, names->entry[i].text) = i + 1;
done:
    return status;
}

enum nb_status nb_graph_names_add(struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_error *err)
{
    struct nb_graph_names *names = &graph->names;
    enum nb_status status;
    NB_TRY(names_reserve(names, err));
    uint32_t *place = names_place(names, text);
    if (*place != 0) {
        names->repeated = text;
        return NB_OK;
    }
    if (!nb_utf8_is_text(text, "\t\n\r"))
        return nb_graph_fail(graph, line, NB_INVALID, err,
                             "name \"%.60s\" is not permitted (permitted: "
                             "UTF-8 without control characters except tabs and "
                             "ends of lines)",
                             text);
    names->entry[names->count++] = (struct nb_name){ text, NULL, NB_NONE };
    *place = (uint32_t)names->count;
done:
    return status;
}

enum nb_status nb_graph_name_numbers(struct nb_graph *graph, size_t first,
                                     size_t count, const char ***out,
                                     struct nb_error *err)
{
    enum { ROOM = 21 };
    struct nb_pool *pool = &graph->texts;
    char *text = nb_pool_array(pool, count, ROOM);
    const char **name = nb_pool_array(pool, count, sizeof *name);
    enum nb_status status;
    NB_TRY(nb_pool_check(pool, "names", err));
    for (size_t i = 0; i < count; i++) {
        snprintf(text + i * ROOM, ROOM, "%zu", first + i);
        name[i] = text + i * ROOM;
        NB_TRY(nb_graph_names_add(graph, 0, name[i], err));
    }
    *out = name;
done:
    return status;
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
    if (graph->names.count > count)
        graph->terminals[count] = terminals;
done:
    return status;
}

/* The whole number that a name spells, NB_NONE if it is not a number below
 * limit. */
static uint32_t names_value(const char *text, size_t limit)
{
    char plain[16];
    char *end;
    if (*text < '0' || *text > '9')
        return NB_NONE;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end != '\0' || value >= limit)
        return NB_NONE;
    /* "007" is a name, not a number, as another name may be "7". */
    snprintf(plain, sizeof plain, "%" PRIu32, (uint32_t)value);
    return strcmp(plain, text) == 0 ? (uint32_t)value : NB_NONE;
}

/* The whole number that a router is called by, or that is its name in edges. */
static uint32_t names_own_value(const struct nb_graph_names *names, size_t i,
                                bool is_shown)
{
    const struct nb_name *name = &names->entry[i];
    return names_value(is_shown ? nb_name_shown(name) : name->text,
                       names->count);
}

/* n distinct numbers below n: each of 0..n-1 once. */
static void names_use_values(struct nb_graph_names *names, bool are_shown)
{
    for (size_t i = 0; i < names->count; i++)
        if (names_own_value(names, i, are_shown) == NB_NONE)
            return;
    for (size_t i = 0; i < names->count; i++)
        names->entry[i].number = names_own_value(names, i, are_shown);
}

void nb_graph_names_number(struct nb_graph_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        names->entry[i].number = (uint32_t)i;
    names_use_values(names, false);
}

void nb_graph_names_number_shown(struct nb_graph_names *names)
{
    names_use_values(names, true);
}

enum nb_status nb_graph_label_numbers(struct nb_graph *graph,
                                      struct nb_error *err)
{
    enum { ROOM = 16 };
    struct nb_graph_names *names = &graph->names;
    const size_t all = graph->part.count > 1 ? graph->part.all : names->count;
    bool are_own = true;
    char *text = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const struct nb_name *name = &names->entry[i];
        const uint32_t value = names_value(name->text, all);
        if (value == NB_NONE || name->label != NULL)
            return NB_OK;
        are_own = are_own && value == name->number;
    }
    if (are_own)
        return NB_OK;
    text = nb_pool_array(&graph->texts, names->count, ROOM);
    const enum nb_status status = nb_pool_check(&graph->texts, "names", err);
    for (size_t i = 0; status == NB_OK && i < names->count; i++) {
        snprintf(text + i * ROOM, ROOM, "node%s", names->entry[i].text);
        names->entry[i].label = text + i * ROOM;
    }
    return status;
}

uint32_t nb_graph_names_find(const struct nb_graph_names *names,
                             const char *text)
{
    const uint32_t place =
        names->place_count > 0 ? *names_place(names, text) : 0;
    return place > 0 ? names->entry[place - 1].number : NB_NONE;
}

const char *nb_graph_names_of(const struct nb_graph_names *names,
                              uint32_t number)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->entry[i].number == number)
            return names->entry[i].text;
    return "?";
}
