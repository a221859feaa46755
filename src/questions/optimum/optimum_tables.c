#include "questions/optimum/optimum_tables.h"

#include "questions/table_read.h"
#include "core/memory.h"

struct tables_path {
    uint32_t source, destination;
    int64_t weight;
    const char *path;
};
static const struct nb_certificate tables_paths = {
    "paths",
    NB_COLUMNS(
        NB_FIELD(struct tables_path, source, NB_BELOW(routers)),
        NB_FIELD(struct tables_path, destination, NB_BELOW(routers)),
        NB_FIELD(struct tables_path, weight, NB_AMONG(1, INT64_C(1) << 53)),
        NB_COLUMN(struct tables_path, path, "path:text", NB_ANY))
};

struct tables_length {
    uint32_t channel;
    int64_t length;
};
static const struct nb_certificate tables_lengths = {
    "lengths",
    NB_COLUMNS(
        NB_FIELD(struct tables_length, channel, NB_BELOW(channels)),
        NB_FIELD(struct tables_length, length, NB_AMONG(0, INT64_C(1) << 40)))
};

#define TABLES_BOTTLENECK "channel,source,target,length:ratio"

enum nb_status nb_optimum_add_paths(const struct nb_topology *topology,
                                    const char *prefix,
                                    const struct nb_path_table *paths,
                                    struct nb_point *out, struct nb_error *err)
{
    const size_t table = nb_certificate_start(&tables_paths, prefix, out);
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        text.length = 0;
        nb_path_print(topology, path->source, paths->channel + path->first,
                      path->length, &text);
        NB_TRY(nb_text_check(&text, err));
        const struct tables_path row = { path->source, path->destination,
                                         (int64_t)path->weight, text.bytes };
        nb_certificate_add(&tables_paths, table, &row, out);
    }
done:
    nb_text_release(&text);
    return status;
}

enum nb_status nb_optimum_read_paths(const struct nb_topology *topology,
                                     const char *prefix,
                                     const struct nb_point *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err)
{
    const struct nb_certificate_limits limits = nb_table_limits(topology, NULL);
    const struct nb_table *table;
    uint32_t *channel = NULL;
    enum nb_status status;
    NB_TRY(nb_certificate_find(&tables_paths, prefix, given, &table, err));
    NB_TRY(
        nb_new(&channel, topology->router_count, sizeof *channel, "path", err));
    for (size_t r = 0; r < table->row_count; r++) {
        char wrong[NB_PATH_WRONG];
        const char *said;
        size_t length;
        struct tables_path row;
        NB_TRY(
            nb_certificate_read(&tables_paths, table, r, &limits, &row, err));
        said = nb_path_read(topology, row.path, channel, &length, wrong);
        if (said != NULL)
            NB_TRY(nb_fail(err, NB_REFUTED, "table %s, row %zu: %s",
                           table->name, r + 1, said));
        NB_TRY(nb_path_table_add(out, row.source, row.destination,
                                 (uint64_t)row.weight, channel, length, err));
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
        nb_optimum_add_paths(topology, "", &best->paths, out, err);
    const size_t lengths = nb_certificate_start(&tables_lengths, "", out);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct tables_length row = { (uint32_t)c, best->length[c] };
        longest = row.length > longest ? row.length : longest;
        if (row.length > 0)
            nb_certificate_add(&tables_lengths, lengths, &row, out);
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
    const struct nb_certificate_limits limits = nb_table_limits(topology, NULL);
    const struct nb_table *table;
    enum nb_status status;
    *out = (struct nb_best_flow){ 0 };
    NB_TRY(nb_certificate_find(&tables_lengths, "", given, &table, err));
    NB_TRY(nb_optimum_read_paths(topology, "", given, &out->paths, err));
    NB_TRY(nb_new(&out->length, topology->channel_count, sizeof *out->length,
                  "lengths", err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct tables_length row;
        NB_TRY(
            nb_certificate_read(&tables_lengths, table, r, &limits, &row, err));
        out->length[row.channel] = row.length;
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
    const size_t p = sides->multiplicity, count = sides->count;
    const struct nb_certificate_limits limits = { .terminals =
                                                      (int64_t)(count * p) };
    const struct nb_table *table;
    bool *is_taken = NULL;
    enum nb_status status;
    NB_TRY(nb_certificate_find(&nb_pairs_permutation, "", given, &table, err));
    if (table->row_count != count * p)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "table permutation has %zu rows for %zu terminals",
                       table->row_count, count * p));
    NB_TRY(nb_new(&is_taken, count, sizeof *is_taken, "permutation", err));
    for (size_t s = 0; s < count; s++) {
        /* Terminals are numbered router by router, as sides are. */
        struct nb_pair_row pair;
        NB_TRY(nb_certificate_read(&nb_pairs_permutation, table, s * p, &limits,
                                   &pair, err));
        permutation[s] = pair.destination / sides->multiplicity;
        if (is_taken[permutation[s]])
            NB_TRY(nb_certificate_refute(table, s * p, err));
        is_taken[permutation[s]] = true;
    }
done:
    nb_delete(is_taken);
    return status;
}
