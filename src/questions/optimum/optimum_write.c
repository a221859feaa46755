/* The further files of netbound optimum, from its report's own tables
 * (declared in optimum_question.h). */
#include "bounds/optimum/path_orbits.h"
#include "questions/optimum/optimum_question.h"
#include "questions/optimum/optimum_tables.h"
#include "questions/worst_case/worst_case_tables.h"
#include "core/memory.h"

/* Whether a pair has paths in a sorted table (destination, then source); at:
 * where the search begins, moved on. */
static bool write_has_pair(const struct nb_path_table *table, size_t *at,
                           uint32_t source, uint32_t destination)
{
    for (; *at < table->path_count; (*at)++) {
        const struct nb_table_path *path = &table->path[*at];
        if (path->destination == destination && path->source == source)
            return true;
        if (path->destination > destination ||
            (path->destination == destination && path->source > source))
            return false;
    }
    return false;
}

/* Gives pairs without paths, as a traffic does not use all, one shortest path
 * each, so that every command accepts the table. */
static enum nb_status write_complete(const struct nb_optimum *optimum,
                                     struct nb_path_table *table,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = &optimum->problem.topology;
    struct nb_path_table missing = { 0 };
    struct nb_path_search search = { 0 };
    uint32_t *channel = NULL;
    size_t at = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_path_search_init(&optimum->class, &search, err));
    NB_TRY(
        nb_new(&channel, topology->router_count, sizeof *channel, "path", err));
    for (uint32_t to = 0; to < topology->router_count; to++) {
        if (topology->terminals[to] == 0)
            continue;
        nb_path_search_run(&search, to, NULL);
        for (uint32_t from = 0; from < topology->router_count; from++)
            if (from != to && topology->terminals[from] > 0 &&
                !write_has_pair(table, &at, from, to))
                NB_TRY(nb_path_table_add(
                    &missing, from, to, 1, channel,
                    nb_path_search_path(&search, from, channel), err));
    }
    for (size_t p = 0; p < missing.path_count; p++) {
        const struct nb_table_path *path = &missing.path[p];
        NB_TRY(nb_path_table_add(table, path->source, path->destination,
                                 path->weight, missing.channel + path->first,
                                 path->length, err));
    }
    nb_path_table_sort(table);
done:
    nb_path_table_release(&missing);
    nb_delete(channel);
    nb_path_search_release(&search);
    return status;
}

static enum nb_status write_routing(const struct nb_question *question,
                                    const struct nb_point *point,
                                    const char *path, struct nb_error *err)
{
    struct nb_optimum optimum;
    struct nb_symmetry symmetry = { 0 };
    struct nb_path_table given = { 0 }, all = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_init(question, &optimum, err));
    const struct nb_topology *topology = &optimum.problem.topology;
    NB_TRY(optimum.goal->symmetry(&optimum, point, &symmetry, err));
    NB_TRY(nb_optimum_read_paths(topology, "", point, &given, err));
    NB_TRY(nb_path_orbits_spread(&symmetry, topology, &given, &all, err));
    NB_TRY(write_complete(&optimum, &all, err));
    NB_TRY(nb_path_table_write(&all, topology, path, err));
done:
    nb_path_table_release(&all);
    nb_path_table_release(&given);
    nb_symmetry_release(&symmetry);
    nb_optimum_release(&optimum);
    return status;
}

enum nb_status nb_optimum_write(const struct nb_question *question,
                                const struct nb_point *point,
                                struct nb_error *err)
{
    const char *const *outputs = question->outputs;
    enum nb_status status = NB_OK;
    if (outputs[NB_OPTIMUM_ROUTING_TABLE] != NULL)
        NB_TRY(write_routing(question, point, outputs[NB_OPTIMUM_ROUTING_TABLE],
                             err));
    if (outputs[NB_OPTIMUM_PERMUTATION] != NULL)
        NB_TRY(nb_table_write_permutation(
            point, outputs[NB_OPTIMUM_PERMUTATION], err));
done:
    return status;
}
