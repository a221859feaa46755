/* Certificates of oblivious routings as tables (declared in
 * optimum_tables.h). */
#include "questions/optimum/optimum_tables.h"

#include "questions/table_read.h"
#include "core/memory.h"

#include <stdio.h>

#define OBLIVIOUS_DUALS "channel,router,row,column"
enum { DUALS_CHANNEL, DUALS_ROUTER, DUALS_ROW, DUALS_COLUMN, DUALS_WIDTH };

#define OBLIVIOUS_WEIGHTS "source,destination,channel,weight"
enum {
    WEIGHTS_SOURCE,
    WEIGHTS_DESTINATION,
    WEIGHTS_CHANNEL,
    WEIGHTS_WEIGHT,
    WEIGHTS_WIDTH,
};

#define OBLIVIOUS_RATES                                                        \
    "proved:ratio [packets/cycle/terminal],"                                   \
    "below:ratio [packets/cycle/terminal],above:ratio "                        \
    "[packets/cycle/terminal]"
enum { RATES_PROVED, RATES_BELOW, RATES_ABOVE, RATES_WIDTH };

enum { OBLIVIOUS_NAME = 40 };
#define OBLIVIOUS_MOST_WEIGHT (INT64_C(1) << 40)
#define OBLIVIOUS_MOST_SUM    (INT64_C(1) << 62) /* of duals */

/* The name of a table with its prefix. */
static const char *oblivious_name(char out[OBLIVIOUS_NAME], const char *prefix,
                                  const char *name)
{
    snprintf(out, OBLIVIOUS_NAME, "%s%s", prefix, name);
    return out;
}

static void oblivious_add_weights(const char *name,
                                  const struct nb_best_oblivious *best,
                                  struct nb_point *out)
{
    const size_t table = nb_point_add_table(out, name, true, OBLIVIOUS_WEIGHTS);
    for (size_t w = 0; w < best->weight_count; w++) {
        nb_table_add_whole(out, table, best->weights[w].source);
        nb_table_add_whole(out, table, best->weights[w].destination);
        nb_table_add_whole(out, table, best->weights[w].channel);
        nb_table_add_whole(out, table, best->weights[w].weight);
    }
}

enum nb_status nb_optimum_add_oblivious(const struct nb_topology *topology,
                                        const char *prefix,
                                        enum nb_oblivious_goal goal,
                                        const struct nb_best_oblivious *best,
                                        struct nb_point *out,
                                        struct nb_error *err)
{
    char name[OBLIVIOUS_NAME];
    const enum nb_status status =
        nb_optimum_add_paths(topology, oblivious_name(name, prefix, "paths"),
                             &best->paths, out, err);
    size_t table = nb_point_add_table(
        out, oblivious_name(name, prefix, "duals"), true, OBLIVIOUS_DUALS);
    for (size_t d = 0; d < best->dual_count; d++) {
        const struct nb_oblivious_dual *dual = &best->duals[d];
        for (size_t r = 0; r < topology->router_count; r++) {
            /* One row always, so that the channel is named. */
            if (r > 0 && dual->row[r] == 0 && dual->column[r] == 0)
                continue;
            nb_table_add_whole(out, table, dual->channel);
            nb_table_add_whole(out, table, (int64_t)r);
            nb_table_add_whole(out, table, dual->row[r]);
            nb_table_add_whole(out, table, dual->column[r]);
        }
    }
    oblivious_add_weights(oblivious_name(name, prefix, "weights"), best, out);
    if (goal != NB_LEAST_MEAN_HOPS)
        return status;
    table = nb_point_add_table(
        out, oblivious_name(name, prefix, "weight_scale"), true, "scale");
    nb_table_add_whole(out, table, best->weight_scale);
    return status;
}

static enum nb_status oblivious_read_duals(const struct nb_topology *topology,
                                           const struct nb_table *table,
                                           struct nb_best_oblivious *out,
                                           struct nb_error *err)
{
    const size_t n = topology->router_count;
    const int64_t last = (int64_t)topology->channel_count - 1;
    const int64_t most = OBLIVIOUS_MOST_SUM / (int64_t)n;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->duals, table->row_count, sizeof *out->duals, "duals",
                  err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_oblivious_dual *dual =
            out->dual_count > 0 ? &out->duals[out->dual_count - 1] : NULL;
        const int64_t channel = nb_table_whole(table, r, DUALS_CHANNEL, last);
        const int64_t router =
            nb_table_whole(table, r, DUALS_ROUTER, (int64_t)n - 1);
        const int64_t row = nb_table_whole(table, r, DUALS_ROW, most);
        const int64_t column = nb_table_whole(table, r, DUALS_COLUMN, most);
        if (channel < 0 || router < 0 || row < 0 || column < 0)
            NB_TRY(nb_table_bad_row(table->name, r, err));
        if (dual == NULL || dual->channel != channel) {
            dual = &out->duals[out->dual_count++];
            dual->channel = (uint32_t)channel;
            NB_TRY(nb_new(&dual->row, n, sizeof *dual->row, "duals", err));
            NB_TRY(
                nb_new(&dual->column, n, sizeof *dual->column, "duals", err));
        }
        dual->row[router] = row;
        dual->column[router] = column;
    }
done:
    return status;
}

static enum nb_status oblivious_read_weights(const struct nb_topology *topology,
                                             const struct nb_table *table,
                                             struct nb_best_oblivious *out,
                                             struct nb_error *err)
{
    const int64_t last = (int64_t)topology->router_count - 1;
    enum nb_status status = nb_new(&out->weights, table->row_count,
                                   sizeof *out->weights, "weights", err);
    for (size_t r = 0; r < table->row_count && status == NB_OK; r++) {
        const int64_t from = nb_table_whole(table, r, WEIGHTS_SOURCE, last);
        const int64_t to = nb_table_whole(table, r, WEIGHTS_DESTINATION, last);
        const int64_t channel = nb_table_whole(
            table, r, WEIGHTS_CHANNEL, (int64_t)topology->channel_count - 1);
        const int64_t weight =
            nb_table_whole(table, r, WEIGHTS_WEIGHT, OBLIVIOUS_MOST_WEIGHT);
        if (from < 0 || to < 0 || channel < 0 || weight < 1)
            return nb_table_bad_row(table->name, r, err);
        out->weights[out->weight_count++] =
            (struct nb_adversary_weight){ (uint32_t)from, (uint32_t)to,
                                          (uint32_t)channel, weight };
    }
    return status;
}

static enum nb_status oblivious_read_scale(const char *name,
                                           const struct nb_point *given,
                                           int64_t *scale, struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, name, 1, err);
    if (table == NULL)
        return NB_REFUTED;
    *scale = table->row_count == 1
                 ? nb_table_whole(table, 0, 0, NB_OBLIVIOUS_MOST)
                 : -1;
    return *scale >= 1 ? NB_OK : nb_table_bad_row(name, 0, err);
}

enum nb_status nb_optimum_read_oblivious(const struct nb_topology *topology,
                                         const char *prefix,
                                         enum nb_oblivious_goal goal,
                                         const struct nb_point *given,
                                         struct nb_best_oblivious *out,
                                         struct nb_error *err)
{
    char name[OBLIVIOUS_NAME];
    const struct nb_table *duals, *weights;
    enum nb_status status = NB_OK;
    *out = (struct nb_best_oblivious){ 0 };
    duals = nb_table_find(given, oblivious_name(name, prefix, "duals"),
                          DUALS_WIDTH, err);
    weights = nb_table_find(given, oblivious_name(name, prefix, "weights"),
                            WEIGHTS_WIDTH, err);
    NB_TRY(duals != NULL && weights != NULL ? NB_OK : NB_REFUTED);
    NB_TRY(nb_optimum_read_paths(topology,
                                 oblivious_name(name, prefix, "paths"), given,
                                 &out->paths, err));
    NB_TRY(oblivious_read_duals(topology, duals, out, err));
    NB_TRY(oblivious_read_weights(topology, weights, out, err));
    if (goal == NB_LEAST_MEAN_HOPS)
        NB_TRY(
            oblivious_read_scale(oblivious_name(name, prefix, "weight_scale"),
                                 given, &out->weight_scale, err));
done:
    if (status != NB_OK)
        nb_best_oblivious_release(out);
    return status;
}

void nb_optimum_add_rates(const struct nb_best_unbalanced *best,
                          struct nb_point *out)
{
    oblivious_add_weights("weights_above", &best->above, out);
    const size_t table =
        nb_point_add_table(out, "rates", true, OBLIVIOUS_RATES);
    nb_table_add_ratio(out, table, best->rate);
    nb_table_add_ratio(out, table, best->below);
    nb_table_add_ratio(out, table, best->above_rate);
}

enum nb_status nb_optimum_read_rates(const struct nb_topology *topology,
                                     const struct nb_point *given,
                                     struct nb_best_unbalanced *out,
                                     struct nb_error *err)
{
    const struct nb_table *weights =
        nb_table_find(given, "weights_above", WEIGHTS_WIDTH, err);
    const struct nb_table *table =
        nb_table_find(given, "rates", RATES_WIDTH, err);
    if (weights == NULL || table == NULL)
        return NB_REFUTED;
    if (table->row_count != 1)
        return nb_fail(err, NB_REFUTED, "table rates has %zu rows, not one",
                       table->row_count);
    out->rate = nb_table_ratio(table, 0, RATES_PROVED);
    out->below = nb_table_ratio(table, 0, RATES_BELOW);
    out->above_rate = nb_table_ratio(table, 0, RATES_ABOVE);
    return oblivious_read_weights(topology, weights, &out->above, err);
}
