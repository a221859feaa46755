/* Certificates of oblivious routings as tables (declared in
 * optimum_tables.h). */
#include "questions/optimum/optimum_tables.h"

#include "questions/table_read.h"
#include "core/memory.h"

struct oblivious_dual {
    uint32_t channel, router;
    int64_t row, column;
};
static const struct nb_certificate oblivious_duals = {
    "duals",
    NB_COLUMNS(NB_FIELD(struct oblivious_dual, channel, NB_BELOW(channels)),
               NB_FIELD(struct oblivious_dual, router, NB_BELOW(routers)),
               NB_FIELD(struct oblivious_dual, row, NB_UP_TO(dual)),
               NB_FIELD(struct oblivious_dual, column, NB_UP_TO(dual)))
};

static const struct nb_certificate_column weights_columns[] = {
    NB_FIELD(struct nb_adversary_weight, source, NB_BELOW(routers)),
    NB_FIELD(struct nb_adversary_weight, destination, NB_BELOW(routers)),
    NB_FIELD(struct nb_adversary_weight, channel, NB_BELOW(channels)),
    NB_FIELD(struct nb_adversary_weight, weight, NB_AMONG(1, INT64_C(1) << 40)),
    { 0 },
};
static const struct nb_certificate oblivious_weights = { "weights",
                                                         weights_columns };
static const struct nb_certificate oblivious_above = { "weights_above",
                                                       weights_columns };

static const struct nb_certificate oblivious_scale = {
    "weight_scale",
    NB_COLUMNS(NB_COLUMN(struct nb_best_oblivious, weight_scale, "scale",
                         NB_AMONG(1, NB_OBLIVIOUS_MOST)))
};

#define OBLIVIOUS_UNIT ":ratio [packets/cycle/terminal]"
static const struct nb_certificate oblivious_rates = {
    "rates", NB_COLUMNS(NB_COLUMN(struct nb_best_unbalanced, rate,
                                  "proved" OBLIVIOUS_UNIT, NB_ANY),
                        NB_COLUMN(struct nb_best_unbalanced, below,
                                  "below" OBLIVIOUS_UNIT, NB_ANY),
                        NB_COLUMN(struct nb_best_unbalanced, above_rate,
                                  "above" OBLIVIOUS_UNIT, NB_ANY))
};

enum nb_status nb_optimum_add_oblivious(const struct nb_topology *topology,
                                        const char *prefix,
                                        enum nb_oblivious_goal goal,
                                        const struct nb_best_oblivious *best,
                                        struct nb_point *out,
                                        struct nb_error *err)
{
    const enum nb_status status =
        nb_optimum_add_paths(topology, prefix, &best->paths, out, err);
    const size_t table = nb_certificate_start(&oblivious_duals, prefix, out);
    for (size_t d = 0; d < best->dual_count; d++) {
        const struct nb_oblivious_dual *dual = &best->duals[d];
        for (uint32_t r = 0; r < topology->router_count; r++) {
            const struct oblivious_dual row = { dual->channel, r, dual->row[r],
                                                dual->column[r] };
            /* One row always, so that the channel is named. */
            if (r == 0 || row.row != 0 || row.column != 0)
                nb_certificate_add(&oblivious_duals, table, &row, out);
        }
    }
    nb_certificate_write(&oblivious_weights, prefix, best->weights,
                         best->weight_count, sizeof *best->weights, out);
    if (goal == NB_LEAST_MEAN_HOPS)
        nb_certificate_write(&oblivious_scale, prefix, best, 1, sizeof *best,
                             out);
    return status;
}

static enum nb_status oblivious_read_duals(const struct nb_topology *topology,
                                           const char *prefix,
                                           const struct nb_point *given,
                                           struct nb_best_oblivious *out,
                                           struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_certificate_limits limits = nb_table_limits(topology, NULL);
    const struct nb_table *table;
    enum nb_status status;
    limits.dual = (INT64_C(1) << 62) / (int64_t)n; /* of all of them */
    NB_TRY(nb_certificate_find(&oblivious_duals, prefix, given, &table, err));
    NB_TRY(nb_new(&out->duals, table->row_count, sizeof *out->duals, "duals",
                  err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_oblivious_dual *dual =
            out->dual_count > 0 ? &out->duals[out->dual_count - 1] : NULL;
        struct oblivious_dual row;
        NB_TRY(nb_certificate_read(&oblivious_duals, table, r, &limits, &row,
                                   err));
        if (dual == NULL || dual->channel != row.channel) {
            dual = &out->duals[out->dual_count++];
            dual->channel = row.channel;
            NB_TRY(nb_new(&dual->row, n, sizeof *dual->row, "duals", err));
            NB_TRY(
                nb_new(&dual->column, n, sizeof *dual->column, "duals", err));
        }
        dual->row[row.router] = row.row;
        dual->column[row.router] = row.column;
    }
done:
    return status;
}

enum nb_status nb_optimum_read_oblivious(const struct nb_topology *topology,
                                         const char *prefix,
                                         enum nb_oblivious_goal goal,
                                         const struct nb_point *given,
                                         struct nb_best_oblivious *out,
                                         struct nb_error *err)
{
    const struct nb_certificate_limits limits = nb_table_limits(topology, NULL);
    enum nb_status status = NB_OK;
    *out = (struct nb_best_oblivious){ 0 };
    NB_TRY(nb_optimum_read_paths(topology, prefix, given, &out->paths, err));
    NB_TRY(oblivious_read_duals(topology, prefix, given, out, err));
    NB_TRY(nb_certificate_read_all(&oblivious_weights, prefix, given, &limits,
                                   &out->weights, &out->weight_count,
                                   sizeof *out->weights, err));
    if (goal == NB_LEAST_MEAN_HOPS)
        NB_TRY(nb_certificate_read_one(&oblivious_scale, prefix, given, &limits,
                                       out, err));
done:
    if (status != NB_OK)
        nb_best_oblivious_release(out);
    return status;
}

void nb_optimum_add_rates(const struct nb_best_unbalanced *best,
                          struct nb_point *out)
{
    nb_certificate_write(&oblivious_above, "", best->above.weights,
                         best->above.weight_count, sizeof *best->above.weights,
                         out);
    nb_certificate_write(&oblivious_rates, "", best, 1, sizeof *best, out);
}

enum nb_status nb_optimum_read_rates(const struct nb_topology *topology,
                                     const struct nb_point *given,
                                     struct nb_best_unbalanced *out,
                                     struct nb_error *err)
{
    const struct nb_certificate_limits limits = nb_table_limits(topology, NULL);
    enum nb_status status;
    NB_TRY(nb_certificate_read_one(&oblivious_rates, "", given, &limits, out,
                                   err));
    NB_TRY(nb_certificate_read_all(
        &oblivious_above, "", given, &limits, &out->above.weights,
        &out->above.weight_count, sizeof *out->above.weights, err));
done:
    return status;
}
