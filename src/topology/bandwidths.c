#include "topology/bandwidths.h"

#include "core/memory.h"

#include <string.h>

/* Selects one of several bandwidths for a channel. */
struct bandwidths {
    const struct nb_topology *topology;
    const uint32_t *level; /* [router] in a tree; NULL: no tree */
    size_t classes;        /* of channels: dimensions or levels; else 1 */
};

/* Numbers levels from the routers with terminals; each channel joins two
 * neighbouring levels. */
static size_t bandwidths_find_levels(const struct nb_topology *topology,
                                     uint32_t *level)
{
    uint32_t highest = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        level[r] = topology->terminals[r] > 0 ? 0 : NB_NONE;
    for (bool is_more = true; is_more; highest += is_more) {
        is_more = false;
        for (size_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *channel = &topology->channels[c];
            if (level[channel->source] != highest ||
                level[channel->target] != NB_NONE)
                continue;
            level[channel->target] = highest + 1;
            is_more = true;
        }
    }
    return highest;
}

static size_t bandwidths_class(const struct bandwidths *of,
                               const struct nb_channel *channel)
{
    const struct nb_grid *grid = nb_coordinates(of->topology);
    size_t d = 0;
    if (of->classes == 1)
        return 0;
    if (of->level != NULL) {
        const uint32_t a = of->level[channel->source];
        const uint32_t b = of->level[channel->target];
        return a < b ? a : b;
    }
    while (nb_grid_coordinate(grid, channel->source, d) ==
           nb_grid_coordinate(grid, channel->target, d))
        d++;
    return d;
}

/* local-bandwidth or global-bandwidth; not known: not given. */
static struct nb_ratio bandwidths_of_group(const struct nb_topology *topology,
                                           const struct nb_channel *channel)
{
    const uint32_t *group = topology->groups.of;
    const bool is_local =
        group != NULL && group[channel->source] == group[channel->target];
    return nb_specification_ratio(&topology->specification,
                                  is_local ? "local-bandwidth"
                                           : "global-bandwidth");
}

static enum nb_status bandwidths_refuse(const struct bandwidths *of,
                                        size_t count, struct nb_error *err)
{
    const struct nb_topology *topology = of->topology;
    const char *name = topology->kind->kind.name;
    const char *text =
        nb_specification_text(&topology->specification, "bandwidth");
    if (of->classes == 1)
        return nb_fail(err, NB_INVALID,
                       "topology %s: bandwidth %.60s has %zu numbers "
                       "(permitted: 1)",
                       name, text, count);
    return nb_fail(err, NB_INVALID,
                   "topology %s: bandwidth %.60s has %zu numbers (permitted: "
                   "1, or %zu, one for each %s)",
                   name, text, count, of->classes,
                   of->level != NULL ? "level" : "dimension");
}

bool nb_terminals_are_shared(const struct nb_topology *topology)
{
    bool is_shared = false;
    for (size_t r = 0; r < topology->router_count && !is_shared; r++)
        is_shared = topology->terminals[r] > 1;
    return is_shared;
}

static enum nb_status bandwidths_set_terminals(struct nb_topology *topology,
                                               struct nb_error *err)
{
    const char *text =
        nb_specification_text(&topology->specification, "terminal-bandwidth");
    struct nb_ratio *bandwidth = &topology->terminal_bandwidth;
    if (nb_ratio_is_infinite(*bandwidth)) { /* a file says so */
        *bandwidth = (struct nb_ratio){ 0, 0 };
        return NB_OK;
    }
    if (nb_ratio_is_known(*bandwidth) || strcmp(text, "unlimited") == 0)
        return NB_OK;
    if (*text == '\0') {
        /* Terminals share their router's channels, and none may take more than
         * its own one. With one terminal per router, the literature on direct
         * networks does not limit it. */
        if (topology->kind->has_own_terminals ||
            nb_terminals_are_shared(topology))
            *bandwidth = nb_ratio_one;
        return NB_OK;
    }
    if (nb_ratio_read(text, bandwidth, NULL) == NB_OK &&
        bandwidth->numerator > 0)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "topology %s: terminal-bandwidth \"%.60s\" is not "
                   "permitted (permitted: unlimited, or a number > 0 as p/q "
                   "or decimal)",
                   topology->kind->kind.name, text);
}

enum nb_status nb_bandwidths_set(struct nb_topology *topology,
                                 struct nb_error *err)
{
    const size_t dimensions = nb_coordinates(topology)->dimensions;
    struct bandwidths of = { .topology = topology,
                             .classes = dimensions > 0 ? dimensions : 1 };
    struct nb_ratio bandwidth[NB_MAX_NUMBERS];
    uint32_t *level = NULL;
    size_t count;
    enum nb_status status = NB_OK;
    NB_TRY(bandwidths_set_terminals(topology, err));
    nb_specification_ratios(&topology->specification, "bandwidth", bandwidth,
                            &count);
    if (topology->kind->has_levels && count > 1) {
        NB_TRY(nb_new(&level, topology->router_count, sizeof *level, "levels",
                      err));
        of.classes = bandwidths_find_levels(topology, level);
        of.level = level;
    }
    if (count > 1 && count != of.classes)
        NB_TRY(bandwidths_refuse(&of, count, err));
    for (size_t c = 0; c < topology->channel_count; c++) {
        struct nb_channel *channel = &topology->channels[c];
        if (nb_ratio_is_known(channel->bandwidth))
            continue;
        channel->bandwidth = bandwidths_of_group(topology, channel);
        if (!nb_ratio_is_known(channel->bandwidth))
            channel->bandwidth =
                bandwidth[count > 1 ? bandwidths_class(&of, channel) : 0];
    }
done:
    nb_delete(level);
    return status;
}
