/* Route tables (declared in routing.h and route_tables.h): shortest paths to
 * one router, and a cache of such tables. */
#include "routing/route_tables.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "topology/metrics.h"

#include <math.h>

/* Distances count global channels first: no path has this many local ones. */
enum { TABLE_GLOBAL = 1 << 12 };

bool nb_is_on_the_way(const struct nb_topology *topology,
                      const struct nb_route_table *table, uint32_t channel)
{
    const struct nb_channel *at = &topology->channels[channel];
    const uint32_t length = topology->groups.counts_global_first &&
                                    nb_channel_is_global(topology, channel)
                                ? TABLE_GLOBAL
                                : 1;
    return table->distance[at->target] + length == table->distance[at->source];
}

/* Returns the number of routers in the queue: one, the target. */
static size_t ways_begin(const struct nb_topology *topology, uint32_t target,
                         uint32_t *distance, uint32_t *queue)
{
    for (size_t r = 0; r < topology->router_count; r++)
        distance[r] = NB_NONE;
    distance[target] = 0;
    queue[0] = target;
    return 1;
}

/* Routers that cannot reach the target come last. */
static void ways_end(const struct nb_topology *topology,
                     const uint32_t *distance, uint32_t *queue, size_t tail)
{
    for (uint32_t r = 0; tail < topology->router_count; r++)
        if (distance[r] == NB_NONE)
            queue[tail++] = r;
}

/* Gives a distance to each router that has a channel of one kind to this router
 * and no distance yet, and appends it to the queue. */
static void ways_spread(const struct nb_topology *topology, uint32_t router,
                        bool is_global, uint32_t *distance, uint32_t *queue,
                        size_t *tail)
{
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t channel = topology->in_channel[i];
        const uint32_t source = topology->channels[channel].source;
        if (distance[source] != NB_NONE ||
            nb_channel_is_global(topology, channel) != is_global)
            continue;
        distance[source] = distance[router] + (is_global ? TABLE_GLOBAL : 1);
        queue[(*tail)++] = source;
    }
}

/*
 * One stage for each additional global channel. The next stage consists of the
 * routers that reach the last stage's over one global channel, and those that
 * reach these over local ones. They come in order of distance if the nearer of
 * the two heads is always taken next.
 */
static void ways_by_groups(const struct nb_topology *topology, uint32_t target,
                           uint32_t *distance, uint32_t *queue)
{
    size_t global = 0, local = 0, end = 0;
    size_t tail = ways_begin(topology, target, distance, queue);
    while (global < tail) {
        const bool is_global =
            global < end &&
            (local == tail || distance[queue[global]] + TABLE_GLOBAL <=
                                  distance[queue[local]] + 1);
        if (is_global)
            ways_spread(topology, queue[global++], true, distance, queue,
                        &tail);
        else if (local < tail)
            ways_spread(topology, queue[local++], false, distance, queue,
                        &tail);
        else
            end = tail; /* the stage is over */
    }
    ways_end(topology, distance, queue, tail);
}

void nb_ways_to(const struct nb_topology *topology, uint32_t target,
                uint32_t *distance, uint32_t *queue)
{
    if (topology->groups.counts_global_first)
        ways_by_groups(topology, target, distance, queue);
    else
        nb_distances_to(topology, target, distance, queue);
}

enum nb_status nb_count_hops(const struct nb_topology *topology, uint16_t *hops,
                             struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_pool pool = { 0 };
    uint32_t *distance = nb_pool_array(&pool, n, sizeof *distance);
    uint32_t *queue = nb_pool_array(&pool, n, sizeof *queue);
    const enum nb_status status = nb_pool_check(&pool, "distances", err);
    for (uint32_t target = 0; target < n && status == NB_OK; target++) {
        if (topology->terminals[target] == 0)
            continue;
        nb_ways_to(topology, target, distance, queue);
        distance[target] = nb_distance_to_self(topology, target, distance);
        for (size_t r = 0; r < n; r++)
            if (distance[r] != NB_NONE)
                hops[target * n + r] =
                    topology->groups.counts_global_first
                        ? (uint16_t)(distance[r] / TABLE_GLOBAL +
                                     distance[r] % TABLE_GLOBAL)
                        : (uint16_t)distance[r];
    }
    nb_pool_release(&pool);
    return status;
}

double nb_route_table_bytes(const struct nb_topology *topology)
{
    const struct nb_route_table *table = NULL;
    return (double)topology->router_count *
               (sizeof *table->distance + sizeof *table->paths +
                sizeof *table->many) +
           (double)(topology->channel_count / 64 + 2) * sizeof *table->ways;
}

enum nb_status nb_route_table_init(const struct nb_topology *topology,
                                   struct nb_route_table *table,
                                   struct nb_error *err)
{
    const size_t n = topology->router_count;
    *table = (struct nb_route_table){ .target = NB_NONE };
    table->distance = nb_pool_array(&table->pool, n, sizeof *table->distance);
    table->paths = nb_pool_array(&table->pool, n, sizeof *table->paths);
    table->many = nb_pool_array(&table->pool, n, sizeof *table->many);
    table->ways = nb_pool_array(&table->pool, topology->channel_count / 64 + 2,
                                sizeof *table->ways);
    const enum nb_status status = nb_pool_check(&table->pool, "distances", err);
    if (status != NB_OK)
        nb_route_table_release(table);
    return status;
}

void nb_route_table_release(struct nb_route_table *table)
{
    nb_pool_release(&table->pool);
    *table = (struct nb_route_table){ 0 };
}

static struct nb_many_paths route_count(const struct nb_route_table *table,
                                        uint32_t router)
{
    if (table->paths[router] == 0)
        return table->many[router];
    return (struct nb_many_paths){ nb_twofold_of(table->paths[router]), 0 };
}

/* The number times 2^-exponent. */
static struct nb_twofold route_count_over(struct nb_many_paths count,
                                          int64_t exponent)
{
    const int64_t by = count.exponent - exponent;
    const int shift = (int)(by > -2000 ? by : -2000); /* then it is 0 */
    return (struct nb_twofold){ ldexp(count.value.high, shift),
                                ldexp(count.value.low, shift) };
}

/* The sum of two numbers; its value is below 2^63 so that no sum overflows. */
static struct nb_many_paths route_count_add(struct nb_many_paths a,
                                            struct nb_many_paths b)
{
    struct nb_many_paths sum = { .exponent = a.exponent > b.exponent
                                                 ? a.exponent
                                                 : b.exponent };
    sum.value = nb_twofold_add(route_count_over(a, sum.exponent),
                               route_count_over(b, sum.exponent));
    if (sum.value.high < 0x1p63)
        return sum;
    sum.exponent += 63;
    sum.value = route_count_over((struct nb_many_paths){ sum.value, 0 }, 63);
    return sum;
}

/* The sum of the next routers' numbers. */
static struct nb_many_paths route_sum_paths(const struct nb_topology *topology,
                                            const struct nb_route_table *table,
                                            uint32_t router)
{
    const uint32_t end = topology->out_start[router + 1];
    struct nb_many_paths sum = { 0 };
    for (uint32_t c = topology->out_start[router]; c < end; c += 64)
        for (uint64_t left = nb_ways_of(table, c, end); left != 0;
             left &= left - 1) {
            const uint32_t next =
                topology->channels[c + (uint32_t)__builtin_ctzll(left)].target;
            sum = route_count_add(sum, route_count(table, next));
        }
    return sum;
}

double nb_route_share(const struct nb_route_table *table, uint32_t router,
                      uint32_t next)
{
    const uint64_t most = (uint64_t)1 << 53; /* these are doubles themselves */
    const uint64_t all = table->paths[router], some = table->paths[next];
    if (all > 0 && all <= most && some > 0)
        return (double)some / (double)all;
    const struct nb_many_paths total = route_count(table, router);
    return nb_twofold_divide(
               route_count_over(route_count(table, next), total.exponent),
               total.value)
        .high;
}

/* Counts saturate above this. */
#define ROUTE_MOST ((uint64_t)1 << 62)

/* Extends the search from a router to the sources of its channels: new ones are
 * added to the queue, and the router's paths to theirs. Returns the number of
 * routers in the queue. There is no branch that depends on the source, since it
 * could not be predicted. */
static inline size_t route_spread(const struct nb_topology *topology,
                                  struct nb_route_table *table, uint32_t router,
                                  bool by_groups, uint32_t *restrict queue,
                                  size_t tail)
{
    const uint32_t *restrict in = topology->in_channel;
    const uint32_t *restrict sources = topology->in_source;
    uint32_t *restrict distance = table->distance;
    uint64_t *restrict paths = table->paths, *restrict ways = table->ways;
    const uint32_t end = topology->in_start[router + 1];
    const uint32_t near = distance[router];
    const uint64_t more = paths[router];
    for (uint32_t i = topology->in_start[router]; i < end; i++) {
        const uint32_t channel = in[i], source = sources[i];
        const bool is_global =
            by_groups && nb_channel_is_global(topology, channel);
        const uint32_t next = near + (is_global ? TABLE_GLOBAL : 1);
        const uint32_t old = distance[source];
        const uint32_t least = old < next ? old : next; /* NB_NONE: next */
        const bool is_way = least == next;
        distance[source] = least;
        queue[tail] = source;
        tail += old == NB_NONE;
        const uint64_t sum = paths[source] + (is_way ? more : 0);
        paths[source] = sum <= ROUTE_MOST ? sum : ROUTE_MOST + 1;
        ways[channel / 64] |= (uint64_t)is_way << (channel % 64);
    }
    return tail;
}

/* Fills in everything that leads to the target: distances, numbers of paths,
 * channels. */
static void route_spread_all(const struct nb_topology *topology,
                             struct nb_route_table *table, uint32_t *queue)
{
    size_t tail = topology->router_count;
    if (topology->groups.counts_global_first) {
        ways_by_groups(topology, table->target, table->distance, queue);
        for (size_t i = 0; i < tail && table->distance[queue[i]] != NB_NONE;
             i++)
            route_spread(topology, table, queue[i], true, queue, tail);
        return;
    }
    tail = ways_begin(topology, table->target, table->distance, queue);
    for (size_t i = 0; i < tail; i++)
        tail = route_spread(topology, table, queue[i], false, queue, tail);
    ways_end(topology, table->distance, queue, tail);
}

void nb_route_table_fill(const struct nb_topology *topology, uint32_t target,
                         struct nb_route_table *table, uint32_t *queue)
{
    const size_t n = topology->router_count;
    if (table->target == target)
        return;
    table->target = target;
    for (size_t i = 0; i < topology->channel_count / 64 + 2; i++)
        table->ways[i] = 0;
    for (size_t r = 0; r < n; r++)
        table->paths[r] = 0;
    table->paths[target] = 1;
    route_spread_all(topology, table, queue);
    for (size_t i = 0; i < n; i++) {
        uint64_t *paths = &table->paths[queue[i]];
        *paths = *paths <= ROUTE_MOST ? *paths : 0;
        if (*paths == 0) /* or it cannot reach the target */
            table->many[queue[i]] = route_sum_paths(topology, table, queue[i]);
    }
}

enum nb_status nb_route_tables_init(const struct nb_routing *routing,
                                    size_t most, struct nb_route_tables *out,
                                    struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const size_t count = most < n ? most : n;
    const char *what = "route tables";
    enum nb_status status = NB_OK;
    *out = (struct nb_route_tables){ .routing = routing };
    if (!routing->needs_table)
        return NB_OK;
    NB_TRY(nb_new(&out->table, count, sizeof *out->table, what, err));
    NB_TRY(nb_new(&out->queue, n + 1, sizeof *out->queue, what, err));
    out->count = count;
done:
    if (status != NB_OK)
        nb_route_tables_release(out);
    return status;
}

void nb_route_tables_release(struct nb_route_tables *tables)
{
    for (size_t t = 0; t < tables->count; t++)
        nb_route_table_release(&tables->table[t]);
    nb_delete(tables->table);
    nb_delete(tables->queue);
    *tables = (struct nb_route_tables){ 0 };
}

enum nb_status nb_route_tables_find(struct nb_route_tables *tables,
                                    nb_route_state state, uint32_t router,
                                    uint32_t destination,
                                    const struct nb_route_table **out,
                                    struct nb_error *err)
{
    const struct nb_routing *routing = tables->routing;
    enum nb_status status = NB_OK;
    *out = NULL;
    if (tables->count == 0)
        return NB_OK;
    const uint32_t target =
        nb_route_target(routing, state, router, destination);
    struct nb_route_table *table =
        &tables->table[tables->count > 1 ? target % tables->count : 0];
    if (table->distance == NULL)
        NB_TRY(nb_route_table_init(routing->topology, table, err));
    if (table->target != target) {
        NB_TRY(nb_run_check_stop(err));
        nb_route_table_fill(routing->topology, target, table, tables->queue);
    }
    *out = table;
done:
    return status;
}
