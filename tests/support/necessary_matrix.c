#include "necessary_matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Distances from a router by rounds over all channels except one, NB_NONE: over
 * all. */
static void find_distances(const struct nb_topology *topology, uint32_t source,
                           uint32_t without, uint32_t *distance)
{
    bool has_grown = true;
    for (size_t r = 0; r < topology->router_count; r++)
        distance[r] = UINT32_MAX;
    distance[source] = 0;
    for (uint32_t round = 0; has_grown; round++) {
        has_grown = false;
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *channel = &topology->channels[c];
            if (c == without || distance[channel->source] != round ||
                distance[channel->target] <= round)
                continue;
            distance[channel->target] = round + 1;
            has_grown = true;
        }
    }
}

void necessary_matrix(const struct nb_topology *topology, uint32_t channel,
                      bool *matrix)
{
    uint32_t with[NECESSARY_ROUTERS], without[NECESSARY_ROUTERS];
    const uint32_t n = (uint32_t)topology->router_count;
    assert_true(n <= NECESSARY_ROUTERS);
    for (uint32_t i = 0; i < n; i++) {
        find_distances(topology, i, NB_NONE, with);
        find_distances(topology, i, channel, without);
        for (uint32_t j = 0; j < n; j++)
            matrix[i * n + j] = with[j] < without[j];
    }
}

void necessary_matrix_terminals(const struct nb_topology *topology,
                                uint32_t channel, int64_t *matrix)
{
    static bool pair[NECESSARY_ROUTERS * NECESSARY_ROUTERS];
    const size_t n = topology->router_count;
    size_t count = 0;
    necessary_matrix(topology, channel, pair);
    for (size_t i = 0; i < n; i++)
        for (uint32_t s = 0; s < topology->terminals[i]; s++)
            for (size_t j = 0; j < n; j++)
                for (uint32_t t = 0; t < topology->terminals[j]; t++)
                    matrix[count++] = pair[i * n + j];
}
