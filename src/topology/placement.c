#include "topology/placement.h"

#include "core/memory.h"
#include "core/sort_falling.h"
#include "topology/fabric.h"
#include "topology/pods.h"

#include <stdlib.h>
#include <string.h>

/* A port of a host in the job: the first word of its name is the host's. */
struct placement_port {
    const char *name;
    uint32_t part;
};

struct placement_work {
    const struct nb_topology *topology;
    const struct nb_cabling *cabling;
    const struct nb_topology *ends;
    uint32_t *at;                /* [router with terminals] its switch */
    uint32_t *part;              /* [router] */
    int64_t *all;                /* [part] hosts */
    uint64_t *job;               /* [part] those of the job */
    struct placement_port *port; /* [router] */
};

/* The switch of a host; a router that is no host stands for itself. */
static uint32_t placement_switch(const struct nb_topology *topology,
                                 uint32_t router)
{
    const size_t first = topology->out_start[router];
    return nb_is_switch(topology, router) ||
                   first == topology->out_start[router + 1]
               ? router
               : topology->channels[first].target;
}

/* Numbers the parts of a level; those of switches above it follow the
 * others. */
static enum nb_status placement_part(struct placement_work *work, size_t level,
                                     struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const bool is_tree = work->cabling->levels > 0;
    uint32_t count = 0;
    enum nb_status status = NB_OK;
    if (level > 0 && is_tree)
        NB_TRY(nb_pods_find(work->topology, work->cabling->level, 0,
                            (uint32_t)level, work->part, &count, err));
    for (uint32_t r = 0; r < n; r++)
        if (level == 0)
            work->part[r] = r;
        else if (!is_tree)
            work->part[r] = 0;
        else if (work->part[r] == NB_NONE)
            work->part[r] = count + r;
done:
    return status;
}

static int placement_compare(const void *left, const void *right)
{
    const struct placement_port *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static bool placement_is_same_host(const char *a, const char *b)
{
    const size_t length = strcspn(a, " ");
    return length == strcspn(b, " ") && strncmp(a, b, length) == 0;
}

/* The most parts in which the ports of one host of the job are: it needs so
 * many wherever it is. Ports of the same name are adapters that kept the names
 * they were made with, not ports of one host. */
static uint64_t placement_spread(struct placement_work *work)
{
    size_t count = 0;
    uint64_t most = 0;
    for (uint32_t r = 0; r < work->topology->router_count; r++)
        if (work->topology->names != NULL && work->ends->terminals[r] > 0 &&
            work->at[r] != r)
            work->port[count++] =
                (struct placement_port){ nb_router_name(work->topology, r),
                                         work->part[work->at[r]] };
    if (count > 1)
        qsort(work->port, count, sizeof *work->port, placement_compare);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t parts = 1;
        bool is_host = true;
        for (end = i + 1;
             end < count &&
             placement_is_same_host(work->port[i].name, work->port[end].name);
             end++) {
            size_t same = i;
            while (work->port[same].part != work->port[end].part)
                same++;
            parts += same == end;
            is_host = is_host && strcmp(work->port[end - 1].name,
                                        work->port[end].name) != 0;
        }
        most = is_host && parts > most ? parts : most;
    }
    return most;
}

/* together  in: pairs in the same part below; out: at this level */
static void placement_count(struct placement_work *work, uint64_t *together,
                            struct nb_placement_level *out)
{
    const size_t n = work->topology->router_count;
    uint64_t same = 0, room = 0;
    for (size_t p = 0; p < 2 * n; p++)
        work->all[p] = 0, work->job[p] = 0;
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t part = work->part[work->at[r]];
        work->all[part] += work->topology->terminals[r];
        work->job[part] += work->ends->terminals[r];
    }
    for (size_t p = 0; p < 2 * n; p++) {
        const uint64_t hosts = work->job[p];
        if (hosts == 0)
            continue;
        out->parts++;
        same += hosts * (hosts - 1);
        out->most_hosts = hosts > out->most_hosts ? hosts : out->most_hosts;
    }
    out->pairs = same - *together;
    *together = same;
    nb_sort_falling(work->all, 2 * n);
    while (room < work->ends->terminal_count)
        room += (uint64_t)work->all[out->least_parts++];
    const uint64_t spread = placement_spread(work);
    out->least_parts = spread > out->least_parts ? spread : out->least_parts;
}

enum nb_status nb_placement_find(const struct nb_topology *topology,
                                 const struct nb_cabling *cabling,
                                 const struct nb_topology *ends,
                                 struct nb_placement *out, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_pool pool = { 0 };
    struct placement_work work = {
        .topology = topology,
        .cabling = cabling,
        .ends = ends,
        .at = nb_pool_array(&pool, n, sizeof *work.at),
        .part = nb_pool_array(&pool, n, sizeof *work.part),
        .all = nb_pool_array(&pool, 2 * n, sizeof *work.all),
        .job = nb_pool_array(&pool, 2 * n, sizeof *work.job),
        .port = nb_pool_array(&pool, n, sizeof *work.port),
    };
    uint64_t together = 0;
    enum nb_status status;
    *out = (struct nb_placement){ .count = cabling->levels > 0 ? cabling->levels
                                                               : 2 };
    NB_TRY(nb_pool_check(&pool, "placement", err));
    NB_TRY(
        nb_new(&out->level, out->count, sizeof *out->level, "placement", err));
    for (uint32_t r = 0; r < n; r++)
        work.at[r] = placement_switch(topology, r);
    for (size_t i = 0; i < out->count; i++) {
        NB_TRY(placement_part(&work, i, err));
        placement_count(&work, &together, &out->level[i]);
    }
done:
    nb_pool_release(&pool);
    return status;
}

void nb_placement_release(struct nb_placement *placement)
{
    nb_delete(placement->level);
    *placement = (struct nb_placement){ 0 };
}
