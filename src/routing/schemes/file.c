/*
 * file: a routing read from a table of paths (path_table.h). A packet draws one
 * of its pair's paths by weight and follows it (path_plan.h).
 */
#include "routing/path_plan.h"
#include "routing/path_symmetry.h"
#include "routing/routing.h"

#include "core/memory.h"

#include <inttypes.h>

#define FILE_TOTAL ((int64_t)1 << 53) /* the greatest sum of weights */

/* The sum of a pair's weights, divided by their common factor; 0 if it passes
 * FILE_TOTAL. */
static int64_t file_sum(struct nb_table_path *path, size_t count)
{
    uint64_t common = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        common = nb_gcd(common, path[i].weight);
    for (size_t i = 0; i < count; i++)
        path[i].weight /= common;
    for (size_t i = 0; i < count && sum <= (uint64_t)FILE_TOTAL; i++)
        sum += path[i].weight;
    return sum <= (uint64_t)FILE_TOTAL ? (int64_t)sum : 0;
}

/* The number of paths of the pair that path p is the first of. */
static size_t file_pair_size(const struct nb_path_table *table, size_t p)
{
    size_t end = p + 1;
    while (end < table->path_count &&
           table->path[end].source == table->path[p].source &&
           table->path[end].destination == table->path[p].destination)
        end++;
    return end - p;
}

/* Gives the weights of every pair one sum. */
static enum nb_status file_scale(struct nb_path_table *table, const char *file,
                                 uint64_t *total, struct nb_error *err)
{
    int64_t common = 1;
    size_t count;
    for (size_t p = 0; p < table->path_count; p += count) {
        count = file_pair_size(table, p);
        const int64_t sum = file_sum(&table->path[p], count);
        common = nb_unite(common, sum, FILE_TOTAL);
        if (common == 0)
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\": with the weights from router %" PRIu32
                           " to %" PRIu32 " the least common multiple of the "
                           "pairs' sums passes 2^53 (permitted: up to %" PRId64
                           ")",
                           file, table->path[p].source,
                           table->path[p].destination, FILE_TOTAL);
    }
    for (size_t p = 0; p < table->path_count; p += count) {
        uint64_t sum = 0;
        count = file_pair_size(table, p);
        for (size_t i = p; i < p + count; i++)
            sum += table->path[i].weight;
        for (size_t i = p; i < p + count; i++)
            table->path[i].weight *= (uint64_t)common / sum;
    }
    *total = (uint64_t)common;
    return NB_OK;
}

/* Whether every path is a shortest one, as route tables count. */
static enum nb_status file_find_minimal(const struct nb_path_table *table,
                                        const struct nb_topology *topology,
                                        bool *is_minimal, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_route_table ways = { .target = NB_NONE };
    uint32_t *queue = NULL;
    enum nb_status status;
    *is_minimal = true;
    NB_TRY(nb_new(&ways.distance, n, sizeof *ways.distance, "distances", err));
    NB_TRY(nb_new(&queue, n, sizeof *queue, "distances", err));
    for (size_t p = 0; p < table->path_count && *is_minimal; p++) {
        const struct nb_table_path *path = &table->path[p];
        if (path->destination != ways.target)
            nb_ways_to(topology, path->destination, ways.distance, queue);
        ways.target = path->destination;
        for (size_t i = 0; i < path->length && *is_minimal; i++)
            *is_minimal = nb_is_on_the_way(topology, &ways,
                                           table->channel[path->first + i]);
    }
done:
    nb_delete(ways.distance);
    nb_delete(queue);
    return status;
}

static enum nb_status file_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const char *file = nb_specification_text(&out->specification, "path");
    struct nb_path_table table = { 0 };
    struct nb_path_plan *plan;
    enum nb_status status;
    NB_TRY(nb_path_table_read(topology, file, &table, err));
    NB_TRY(file_scale(&table, file, &out->start_total, err));
    NB_TRY(nb_path_symmetries(&table, topology, &out->symmetries, err));
    NB_TRY(file_find_minimal(&table, topology, &out->is_minimal, err));
    NB_TRY(nb_path_plan_build(&table, topology, &plan, err));
    out->plan = plan;
    out->state_count = plan->state_count;
    out->most_starts = plan->most_starts;
    out->most_hops = 1;
    out->vc_rule = "hop";
done:
    nb_path_table_release(&table);
    return status;
}

/* A router need not have a path to itself. */
static size_t file_start(const struct nb_routing *routing, uint32_t source,
                         uint32_t destination, struct nb_start *starts)
{
    const struct nb_path_plan *plan = routing->plan;
    const size_t pair = destination * routing->topology->router_count + source;
    const size_t first = plan->start_of[pair];
    const size_t count = plan->start_of[pair + 1] - first;
    for (size_t i = 0; i < count; i++)
        starts[i] =
            (struct nb_start){ .state = plan->start[first + i].state,
                               .weight = plan->start[first + i].weight };
    if (count > 0)
        return count;
    starts[0] = (struct nb_start){ .state = 0, .weight = routing->start_total };
    return 1;
}

static size_t file_step(const struct nb_routing *routing,
                        const struct nb_route_table *table,
                        nb_route_state state, uint32_t router,
                        uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct nb_path_plan *plan = routing->plan;
    const size_t pair = destination * routing->topology->router_count + router;
    if (router == destination)
        return 0;
    const struct nb_path_rest *rest = &plan->rest[plan->rest_of[pair] + state];
    hops[0] = (struct nb_hop){
        .channel = rest->channel, .next = rest->next, .weight = 1, .share = 1
    };
    return 1;
}

static const struct nb_parameter file_parameters[] = {
    { .name = "path",
      .help =
          "CSV of source,destination,weight,path, a path being routers "
          "joined by -, and /1 behind a router: by the second channel to it",
      .type = NB_PATH,
      .is_leading = true },
    { 0 },
};

const struct nb_routing_kind nb_routing_file = {
    .kind = { .name = "file",
              .summary = "a routing read from a table of paths and weights",
              .parameters = file_parameters },
    .examples = "file:data/routing/ring5-weighted.csv@ring:5 "
                "file:data/routing/mesh2x3-turns.csv@mesh:2x3",
    .build = file_build,
    .start = file_start,
    .step = file_step,
};
