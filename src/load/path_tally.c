#include "load/path_tally.h"

#include "core/memory.h"

#include <math.h>

double nb_path_tally_bytes(const struct nb_routing *routing)
{
    const double channels = (double)routing->topology->channel_count;
    return nb_follow_bytes(routing) +
           channels * (sizeof(struct nb_path_mark) +
                       sizeof(struct nb_path_cell) + sizeof(uint32_t));
}

enum nb_status nb_path_tally_init(const struct nb_routing *routing,
                                  const uint32_t *orbit,
                                  struct nb_path_tally *out,
                                  struct nb_error *err)
{
    const size_t channels = routing->topology->channel_count;
    struct nb_pool *pool = &out->pool;
    enum nb_status status = NB_OK;
    *out = (struct nb_path_tally){
        .most_crossings = nb_follow_most_crossings(routing),
        .orbit = orbit,
    };
    NB_TRY(nb_follow_init(routing, &out->follow, err));
    out->mark = nb_pool_array(pool, channels, sizeof *out->mark);
    out->cell = nb_pool_array(pool, channels, sizeof *out->cell);
    out->touched = nb_pool_array(pool, channels, sizeof *out->touched);
    NB_TRY(nb_pool_check(pool, "paths", err));
done:
    if (status != NB_OK)
        nb_path_tally_release(out);
    return status;
}

void nb_path_tally_release(struct nb_path_tally *tally)
{
    nb_follow_release(&tally->follow);
    nb_pool_release(&tally->pool);
    *tally = (struct nb_path_tally){ 0 };
}

static void tally_clear(struct nb_path_tally *tally)
{
    for (size_t t = 0; t < tally->touched_count; t++)
        tally->cell[tally->touched[t]] = (struct nb_path_cell){ 0 };
    tally->touched_count = 0;
    tally->hops = tally->hops_squared = tally->hops_cubed = 0;
    tally->longest = 0;
}

/* Adds one to the number of times this path crosses it. */
static uint32_t tally_cross(struct nb_path_mark *mark, uint64_t path)
{
    if (mark->path != path)
        *mark = (struct nb_path_mark){ .path = path };
    return ++mark->crossings;
}

/* Counts the last path drawn. */
static enum nb_status tally_add(struct nb_path_tally *tally, size_t length,
                                struct nb_error *err)
{
    const struct nb_follow *follow = &tally->follow;
    const uint64_t path = ++tally->path;
    for (size_t h = 0; h < length; h++) {
        const uint32_t channel = follow->channel[h];
        const uint32_t orbit =
            tally->orbit != NULL ? tally->orbit[channel] : channel;
        struct nb_path_cell *cell = &tally->cell[orbit];
        if (tally_cross(&tally->mark[channel], path) > tally->most_crossings)
            return nb_fail(err, NB_INVALID,
                           "routing %s loops over channel %u "
                           "from router %u to router %u",
                           follow->routing->kind->kind.name, channel,
                           follow->source, follow->destination);
        if (cell->sum == 0)
            tally->touched[tally->touched_count++] = orbit;
        /* k^2 is the sum of the first k odd numbers, k^3 - (k - 1)^3 is
         * 3 k (k - 1) + 1. */
        const uint32_t crossings = tally_cross(&cell->mark, path);
        cell->squares += 2 * crossings - 1;
        cell->cubes += 3 * (uint64_t)crossings * (crossings - 1) + 1;
        cell->sum++;
        cell->most = cell->most > crossings ? cell->most : crossings;
    }
    const double hops = (double)length;
    tally->hops += hops;
    tally->hops_squared += hops * hops;
    tally->hops_cubed += hops * hops * hops;
    tally->longest = fmax(tally->longest, hops);
    return NB_OK;
}

enum nb_status nb_path_tally_draw(struct nb_path_tally *tally, uint32_t source,
                                  uint32_t destination, uint32_t paths,
                                  uint64_t seed, uint64_t task,
                                  struct nb_error *err)
{
    struct nb_random random;
    size_t length;
    enum nb_status status = NB_OK;
    tally_clear(tally);
    nb_random_init(&random, seed, task);
    nb_follow_pair(&tally->follow, source, destination);
    for (uint32_t p = 0; p < paths; p++) {
        NB_TRY(nb_follow_draw(&tally->follow, &random, &length, err));
        NB_TRY(tally_add(tally, length, err));
    }
done:
    return status;
}

double nb_sample_variance(double sum, double squares, double count)
{
    /* Rounding must not make a variance of 0 negative. */
    const double deviations = squares - sum / count * sum;
    return deviations > 0 ? deviations / (count - 1) : 0;
}

double nb_sample_third(double sum, double squares, double cubes, double count)
{
    const double mean = sum / count;
    const double central =
        cubes - 3 * mean * squares + 2 * count * mean * mean * mean;
    return central * count / ((count - 1) * (count - 2));
}
