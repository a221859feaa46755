#include "questions/optimum/optimum_tables.h"

#include "questions/table_read.h"
#include "core/memory.h"

#define TABLES_PATHS "source,destination,weight,path:text"
enum { PATHS_SOURCE, PATHS_DESTINATION, PATHS_WEIGHT, PATHS_PATH, PATHS_WIDTH };

#define TABLES_LENGTHS "channel,length"
enum { LENGTHS_CHANNEL, LENGTHS_LENGTH, LENGTHS_WIDTH };

#define TABLES_BOTTLENECK "channel,source,target,length:ratio"

#define TABLES_PERMUTATION_WIDTH 2

#define TABLES_MOST_WEIGHT (INT64_C(1) << 53) /* of a path */
#define TABLES_MOST_LENGTH (INT64_C(1) << 40)

enum nb_status nb_optimum_add_paths(const struct nb_topology *topology,
                                    const char *name,
                                    const struct nb_path_table *paths,
                                    struct nb_point *out, struct nb_error *err)
{
    const size_t table = nb_point_add_table(out, name, true, TABLES_PATHS);
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        text.length = 0;
        nb_path_print(topology, path->source, paths->channel + path->first,
                      path->length, &text);
        NB_TRY(nb_text_check(&text, err));
        nb_table_add_whole(out, table, path->source);
        nb_table_add_whole(out, table, path->destination);
        nb_table_add_whole(out, table, (int64_t)path->weight);
        nb_table_add_text(out, table, text.bytes);
    }
done:
    nb_text_release(&text);
    return status;
}

enum nb_status nb_optimum_read_paths(const struct nb_topology *topology,
                                     const char *name,
                                     const struct nb_point *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, name, PATHS_WIDTH, err);
    const int64_t last = (int64_t)topology->router_count - 1;
    uint32_t *channel = NULL;
    enum nb_status status = table != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
    NB_TRY(
        nb_new(&channel, topology->router_count, sizeof *channel, "path", err));
    for (size_t r = 0; r < table->row_count; r++) {
        char wrong[NB_PATH_WRONG];
        const char *said;
        size_t length;
        const int64_t from = nb_table_whole(table, r, PATHS_SOURCE, last);
        const int64_t to = nb_table_whole(table, r, PATHS_DESTINATION, last);
        const int64_t weight =
            nb_table_whole(table, r, PATHS_WEIGHT, TABLES_MOST_WEIGHT);
        if (from < 0 || to < 0 || weight < 1 ||
            table->columns[PATHS_PATH].type != NB_CELL_TEXT)
            NB_TRY(nb_table_bad_row(name, r, err));
        said = nb_path_read(topology,
                            table->cells[r * PATHS_WIDTH + PATHS_PATH].text,
                            channel, &length, wrong);
        if (said != NULL)
            NB_TRY(nb_fail(err, NB_REFUTED, "table %s, row %zu: %s", name,
                           r + 1, said));
        NB_TRY(nb_path_table_add(out, (uint32_t)from, (uint32_t)to,
                                 (uint64_t)weight, channel, length, err));
    }
    nb_path_table_sort(out);
done:
    nb_delete(channel);
    return status;
}

enum nb_status nb_optimum_add_flow(const struct nb_topology *topology,
                                   const struct nb_best_flow *best,
                                   struct nb_point *out, struct nb_error *err)
{
    int64_t longest = 0;
    const enum nb_status status =
        nb_optimum_add_paths(topology, "paths", &best->paths, out, err);
    const size_t lengths =
        nb_point_add_table(out, "lengths", true, TABLES_LENGTHS);
    for (size_t c = 0; c < topology->channel_count; c++) {
        longest = best->length[c] > longest ? best->length[c] : longest;
        if (best->length[c] == 0)
            continue;
        nb_table_add_whole(out, lengths, (int64_t)c);
        nb_table_add_whole(out, lengths, best->length[c]);
    }
    const size_t table =
        nb_point_add_table(out, "bottleneck", false, TABLES_BOTTLENECK);
    const bool is_unlimited = nb_ratio_is_infinite(best->throughput.exact);
    for (size_t c = 0; c < topology->channel_count; c++) {
        if (best->length[c] == 0 || is_unlimited)
            continue;
        nb_table_add_whole(out, table, (int64_t)c);
        nb_table_add_whole(out, table, topology->channels[c].source);
        nb_table_add_whole(out, table, topology->channels[c].target);
        nb_table_add_ratio(out, table, nb_ratio_make(best->length[c], longest));
    }
    return status;
}

enum nb_status nb_optimum_read_flow(const struct nb_topology *topology,
                                    const struct nb_point *given,
                                    struct nb_best_flow *out,
                                    struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "lengths", LENGTHS_WIDTH, err);
    const int64_t last = (int64_t)topology->channel_count - 1;
    enum nb_status status = table != NULL ? NB_OK : NB_REFUTED;
    *out = (struct nb_best_flow){ 0 };
    NB_TRY(status);
    NB_TRY(nb_optimum_read_paths(topology, "paths", given, &out->paths, err));
    NB_TRY(nb_new(&out->length, topology->channel_count, sizeof *out->length,
                  "lengths", err));
    for (size_t r = 0; r < table->row_count; r++) {
        const int64_t channel = nb_table_whole(table, r, LENGTHS_CHANNEL, last);
        const int64_t length =
            nb_table_whole(table, r, LENGTHS_LENGTH, TABLES_MOST_LENGTH);
        if (channel < 0 || length < 0)
            NB_TRY(nb_table_bad_row(table->name, r, err));
        out->length[channel] = length;
    }
done:
    if (status != NB_OK)
        nb_best_flow_release(out);
    return status;
}

enum nb_status nb_optimum_read_permutation(const struct nb_sides *sides,
                                           const struct nb_point *given,
                                           uint32_t *permutation,
                                           struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "permutation", TABLES_PERMUTATION_WIDTH, err);
    const size_t p = sides->multiplicity, count = sides->count;
    bool *is_taken = NULL;
    enum nb_status status = table != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
    if (table->row_count != count * p)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "table permutation has %zu rows for %zu terminals",
                       table->row_count, count * p));
    NB_TRY(nb_new(&is_taken, count, sizeof *is_taken, "permutation", err));
    for (size_t s = 0; s < count; s++) {
        /* Terminals are numbered router by router, as sides are. */
        const int64_t to =
            nb_table_whole(table, s * p, 1, (int64_t)(count * p) - 1);
        if (to < 0 || is_taken[(size_t)to / p])
            NB_TRY(nb_table_bad_row(table->name, s * p, err));
        permutation[s] = (uint32_t)((size_t)to / p);
        is_taken[permutation[s]] = true;
    }
done:
    nb_delete(is_taken);
    return status;
}
