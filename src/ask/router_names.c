#include "ask/router_names.h"

#include "core/try.h"
#include "topology/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Columns of routers or, in some tables, of terminals. */
static const char *const names_columns[] = { "source", "target", "destination",
                                             "router" };
enum { NAMES_COLUMNS = sizeof names_columns / sizeof *names_columns };

static const char names_of_terminals[] =
    "permutation matching worst_permutation";

static void names_print_router(const void *context, int64_t number,
                               struct nb_text *text)
{
    const struct nb_topology *topology = context;
    if (number >= 0 && number < (int64_t)topology->router_count)
        nb_router_print(topology, (uint32_t)number, text);
}

static void names_print_terminal(const void *context, int64_t number,
                                 struct nb_text *text)
{
    const struct nb_topology *topology = context;
    uint32_t router = 0;
    if (number < 0 || number >= (int64_t)topology->terminal_count)
        return;
    while (number >= topology->terminals[router])
        number -= topology->terminals[router++];
    nb_router_print(topology, router, text);
    if (topology->terminals[router] > 1)
        nb_text_print(text, ".%" PRId64, number);
}

static void names_add_to_table(const struct nb_topology *topology, size_t table,
                               struct nb_point *point)
{
    const char *own = point->tables[table].name;
    const bool is_of_terminals =
        nb_word_is_in(names_of_terminals, ' ', own, strlen(own));
    for (size_t i = 0; i < NAMES_COLUMNS && !point->has_failed; i++) {
        const struct nb_table *at = &point->tables[table];
        const size_t column = nb_table_column(at, names_columns[i]);
        char name[32];
        if (column == at->column_count ||
            at->columns[column].type != NB_CELL_WHOLE ||
            nb_table_column(at, "name") < at->column_count)
            continue;
        snprintf(name, sizeof name, "%s_name", names_columns[i]);
        nb_table_add_labels(point, table, column, name,
                            is_of_terminals ? names_print_terminal
                                            : names_print_router,
                            topology);
    }
}

enum nb_status nb_point_name_routers(struct nb_point *point,
                                     const struct nb_model *model,
                                     struct nb_error *err)
{
    const char *given = nb_model_get(model, "topology");
    struct nb_topology topology = { 0 };
    enum nb_status status = NB_OK;
    if (given == NULL || strncmp(given, "file:", 5) != 0 ||
        point->table_count == 0)
        return NB_OK;
    NB_TRY(nb_topology_build(given, &topology, err));
    for (size_t t = 0;
         topology.names != NULL && !point->has_failed && t < point->table_count;
         t++)
        names_add_to_table(&topology, t, point);
done:
    nb_topology_release(&topology);
    return status;
}
