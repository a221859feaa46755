#include "equilibrium/parts.h"

#include <stdlib.h>
#include <string.h>

/* Colours of ordered pairs of routers, [source * n + target]. */
struct colours {
    size_t n, count; /* routers; different colours */
    uint64_t *of, *next, *sorted;
    struct nb_pool pool;
};

static uint64_t colour_mix(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

static int colour_compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static void colours_count(struct colours *colours)
{
    const size_t pairs = colours->n * colours->n;
    memcpy(colours->sorted, colours->of, pairs * sizeof *colours->sorted);
    qsort(colours->sorted, pairs, sizeof *colours->sorted, colour_compare);
    colours->count = 0;
    for (size_t i = 0; i < pairs; i++)
        colours->count +=
            i == 0 || colours->sorted[i] != colours->sorted[i - 1];
}

/* Colours by what equivalent pairs share: terminals, groups, traffic and
 * channels. */
static void colours_begin(const struct nb_equilibrium_net *net,
                          struct colours *colours)
{
    const struct nb_topology *topology = net->topology;
    const uint32_t *group = topology->groups.of;
    const size_t n = net->n;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            colours->of[a * n + b] = colour_mix(
                (a == b) +
                2 * (uint64_t)(group != NULL && group[a] == group[b]) +
                4 * (topology->terminals[a] +
                     (uint64_t)topology->terminals[b] * UINT32_MAX));
    for (size_t p = 0; p < net->pair_count; p++) {
        const struct nb_net_pair *pair = &net->pair[p];
        uint64_t bits;
        memcpy(&bits, &pair->rate, sizeof bits);
        colours->of[pair->source * n + pair->target] += colour_mix(bits);
    }
    for (size_t c = 0; c < topology->channel_count; c++)
        colours->of[topology->channels[c].source * n +
                    topology->channels[c].target] += colour_mix(1);
}

/* Combines a pair's colour with those of all two-step paths between its
 * routers. */
static void colours_refine(struct colours *colours)
{
    const size_t n = colours->n;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            uint64_t sum =
                colour_mix(colours->of[a * n + b]) + 3 * colours->of[b * n + a];
            for (size_t w = 0; w < n; w++)
                sum += colour_mix(colours->of[a * n + w] +
                                  5 * colours->of[w * n + b]);
            colours->next[a * n + b] = sum;
        }
    uint64_t *last = colours->of;
    colours->of = colours->next;
    colours->next = last;
}

static enum nb_status colours_find(const struct nb_equilibrium_net *net,
                                   struct colours *colours,
                                   struct nb_error *err)
{
    const size_t pairs = net->n * net->n;
    struct nb_pool *pool = &colours->pool;
    size_t before = 0;
    colours->n = net->n;
    colours->of = nb_pool_array(pool, pairs, sizeof *colours->of);
    colours->next = nb_pool_array(pool, pairs, sizeof *colours->next);
    colours->sorted = nb_pool_array(pool, pairs, sizeof *colours->sorted);
    const enum nb_status status = nb_pool_check(pool, "orbits of queues", err);
    if (status != NB_OK)
        return status;
    colours_begin(net, colours);
    for (colours_count(colours); colours->count > before;
         colours_count(colours)) {
        before = colours->count;
        colours_refine(colours);
    }
    return NB_OK;
}

enum nb_status nb_net_find_alike(const struct nb_equilibrium_net *net,
                                 uint32_t *alike, uint32_t *size,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = net->topology;
    const size_t n = net->n, pairs = n * n;
    struct colours colours = { 0 };
    uint32_t *first;
    enum nb_status status = NB_OK;
    NB_TRY(colours_find(net, &colours, err));
    first = nb_pool_array(&colours.pool, pairs, sizeof *first);
    NB_TRY(nb_pool_check(&colours.pool, "orbits of queues", err));
    memset(first, 0xff, pairs * sizeof *first);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const uint64_t colour =
            colours.of[channel->source * n + channel->target];
        const uint64_t *place = bsearch(&colour, colours.sorted, pairs,
                                        sizeof colour, colour_compare);
        while (place > colours.sorted && place[-1] == colour)
            place--;
        uint32_t *least = &first[place - colours.sorted];
        if (*least == NB_NONE)
            *least = c;
        alike[c] = *least;
        size[*least]++;
    }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        size[c] = size[alike[c]];
done:
    nb_pool_release(&colours.pool);
    return status;
}
