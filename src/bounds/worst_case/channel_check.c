#include "bounds/worst_case/channel_check.h"

#include "core/memory.h"

#include <math.h>

/* Memory for the matrices held at once. */
#define CHECK_BATCH_BYTES 0x1p29

/* The tasks of one batch: task i checks channel[i]. */
struct check_batch {
    const struct nb_channel_check *check;
    const uint32_t *channel;
    struct nb_pair_loads *loads;
    size_t *first; /* [router] the first of its sides */
};

enum nb_status nb_channel_check_sides(const struct nb_topology *topology,
                                      const struct nb_sides *claimed,
                                      struct nb_error *err)
{
    struct nb_sides sides = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_sides_find(topology, &sides, err));
    bool are_alike = sides.count == claimed->count &&
                     sides.multiplicity == claimed->multiplicity;
    for (size_t s = 0; s < sides.count && are_alike; s++)
        are_alike = sides.router[s] == claimed->router[s];
    if (!are_alike)
        status = nb_fail(err, NB_REFUTED,
                         "%zu sides of %u terminals; permitted: %zu of %u",
                         claimed->count, claimed->multiplicity, sides.count,
                         sides.multiplicity);
done:
    nb_sides_release(&sides);
    return status;
}

enum nb_status nb_channel_refute(uint32_t channel, const char *what,
                                 struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED, "channel %u: %s", channel, what);
}

enum nb_status nb_channel_refute_pair(const struct nb_sides *sides,
                                      uint32_t channel, size_t row,
                                      size_t column, struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED,
                   "channel %u: the duals lie below the load of router %u to "
                   "router %u",
                   channel, sides->router[row], sides->router[column]);
}

/* Image of each side under the automorphism: sides of a router keep their
 * order. */
static void check_map_sides(const struct check_batch *batch,
                            const uint32_t *router_map, uint32_t *side_map)
{
    const struct nb_sides *sides = batch->check->sides;
    for (size_t s = 0; s < sides->count; s++) {
        const uint32_t router = sides->router[s];
        side_map[s] = (uint32_t)(batch->first[router_map[router]] +
                                 (s - batch->first[router]));
    }
}

static enum nb_status check_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    (void)thread;
    const struct check_batch *batch = context;
    const struct nb_channel_check *check = batch->check;
    const size_t routers = check->routing->topology->router_count;
    struct nb_pool pool = { 0 };
    uint32_t *maps = nb_pool_array(&pool, 2 * routers, sizeof *maps);
    uint32_t *side_map =
        nb_pool_array(&pool, check->sides->count, sizeof *side_map);
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&pool, "check", err));
    nb_focus_map(check->focus, batch->channel[index], maps, maps + routers);
    check_map_sides(batch, maps, side_map);
    NB_TRY(check->check(check->context, &batch->loads[index], side_map, err));
done:
    nb_pool_release(&pool);
    return status;
}

static enum nb_status check_run_batch(struct check_batch *batch, size_t count,
                                      struct nb_error *err)
{
    const struct nb_channel_check *check = batch->check;
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_loads_find(check->routing, count, batch->channel, check->run,
                              batch->loads, err));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_sides_expand(check->sides, &batch->loads[i], err));
    NB_TRY(nb_run_tasks(check->run, "check of channels", count, check_task,
                        batch, err));
done:
    for (size_t i = 0; i < count; i++)
        nb_pair_loads_release(&batch->loads[i]);
    return status;
}

enum nb_status nb_channel_check_run(const struct nb_channel_check *check,
                                    bool *all_channels, struct nb_error *err)
{
    const struct nb_topology *topology = check->routing->topology;
    const double sides = (double)check->sides->count;
    const double most = fmax(
        1, CHECK_BATCH_BYTES / nb_sides_bytes(check->sides, check->routing, 1));
    struct check_batch batch = { .check = check };
    struct nb_pool pool = { 0 };
    uint32_t *every;
    enum nb_status status = NB_OK;
    *all_channels =
        sides * sides * (double)topology->channel_count <= NB_CHECKED_CELLS;
    const size_t count =
        *all_channels ? topology->channel_count : check->focus->channels.count;
    const size_t size = most < (double)count ? (size_t)most : count;
    batch.loads = nb_pool_array(&pool, size, sizeof *batch.loads);
    batch.first =
        nb_pool_array(&pool, topology->router_count, sizeof *batch.first);
    every = nb_pool_array(&pool, topology->channel_count, sizeof *every);
    NB_TRY(nb_pool_check(&pool, "check", err));
    for (uint32_t c = 0; c < topology->channel_count; c++)
        every[c] = c;
    for (size_t s = check->sides->count; s-- > 0;)
        batch.first[check->sides->router[s]] = s;
    batch.channel = *all_channels ? every : check->focus->channels.first;
    for (size_t done = 0; done < count; done += size) {
        const size_t now = count - done < size ? count - done : size;
        NB_TRY(check_run_batch(&batch, now, err));
        batch.channel += now;
    }
done:
    nb_pool_release(&pool);
    return status;
}
