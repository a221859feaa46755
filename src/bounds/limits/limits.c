#include "bounds/limits/limits.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

void nb_limits_release(struct nb_limits *limits)
{
    nb_delete(limits->rows);
    *limits = (struct nb_limits){ 0 };
}

struct nb_limit nb_limit_row(const char *routing, const char *traffic,
                             struct nb_ratio value, const char *formula,
                             const char *source)
{
    struct nb_limit row = { .value = value,
                            .formula = formula,
                            .source = source };
    snprintf(row.routing, sizeof row.routing, "%s", routing);
    snprintf(row.traffic, sizeof row.traffic, "%s", traffic);
    return row;
}

void nb_limits_add(struct nb_limits_work *work, struct nb_limit row)
{
    struct nb_limits *out = work->out;
    const struct nb_ratio most =
        nb_terminal_limit(work->topology, nb_ratio_one);
    if (work->status != NB_OK || !nb_ratio_is_known(row.value))
        return;
    if (out->count == out->capacity) {
        out->capacity = 2 * out->capacity + 32;
        work->status = nb_grow(&out->rows, out->capacity, sizeof *out->rows,
                               "limits", work->err);
        if (work->status != NB_OK)
            return;
    }
    row.value =
        nb_ratio_multiply(row.value, work->topology->channels[0].bandwidth);
    if (!nb_ratio_is_known(row.value))
        return;
    if (nb_ratio_compare(row.value, most) > 0)
        row.value = most;
    out->rows[out->count++] = row;
}

enum nb_status nb_limits_find(const struct nb_topology *topology,
                              int64_t first_offset, int64_t last_offset,
                              bool with_worst, struct nb_limits *out,
                              struct nb_error *err)
{
    struct nb_limits_work work = { .topology = topology,
                                   .first_offset = first_offset,
                                   .last_offset = last_offset,
                                   .with_worst = with_worst,
                                   .out = out,
                                   .status = NB_OK,
                                   .err = err };
    *out = (struct nb_limits){ 0 };
    work.status = nb_topology_check(topology, err);
    if (work.status == NB_OK && nb_topology_is_regular(topology)) {
        nb_limits_of_dragonfly(&work);
        nb_limits_of_others(&work);
    }
    if (work.status != NB_OK)
        nb_limits_release(out);
    return work.status;
}

/* Global and local channels out of a router. */
static void limits_count(const struct nb_topology *topology, uint32_t router,
                         int64_t *local, int64_t *global)
{
    *local = *global = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        ++*(nb_channel_is_global(topology, c) ? global : local);
}

bool nb_dragonfly_find(const struct nb_topology *topology,
                       struct nb_dragonfly *out)
{
    int64_t local, global;
    if (nb_topology_check(topology, NULL) != NB_OK ||
        strcmp(topology->kind->kind.name, "dragonfly") != 0)
        return false;
    limits_count(topology, 0, &local, &global);
    *out = (struct nb_dragonfly){
        .p = topology->terminals[0],
        .a = topology->nest.size[0],
        .h = global,
        .groups = topology->groups.count,
        .is_palmtree = nb_specification_is(&topology->specification,
                                           "arrangement", "palmtree") ||
                       nb_specification_is(&topology->specification,
                                           "arrangement", "relative"),
    };
    for (uint32_t r = 0; r < topology->router_count; r++) {
        limits_count(topology, r, &local, &global);
        if (local != out->a - 1 || global != out->h)
            return false;
    }
    out->trunking = out->a * out->h / (out->groups - 1);
    return out->trunking * (out->groups - 1) == out->a * out->h;
}
