#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symmetry_checks.h"

#include "topology_checks.h"

#include "core/memory.h"

#include <string.h>

enum { MOST_GROUP = 400, MOST_ROUTERS = 16, MOST_CHANNELS = 64 };

static void checks_permute(const uint32_t *map, size_t count, const char *name)
{
    bool *is_met = nb_new_array(count, sizeof *is_met);
    assert_non_null(is_met);
    for (size_t i = 0; i < count; i++) {
        TOPOLOGY_CHECK(map[i] < count && !is_met[map[i]], "%s: %zu -> %u", name,
                       i, map[i]);
        is_met[map[i]] = true;
    }
    nb_delete(is_met);
}

/* Routers and channels go to the same place, bandwidths and terminals stay. */
static void checks_generator(const struct nb_topology *topology,
                             const struct nb_symmetry *symmetry, size_t g,
                             const char *name)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    const uint32_t *router = symmetry->router + g * n;
    const uint32_t *channel = symmetry->channel + g * m;
    checks_permute(router, n, name);
    checks_permute(channel, m, name);
    for (size_t r = 0; r < n; r++)
        TOPOLOGY_CHECK(topology->terminals[r] == topology->terminals[router[r]],
                       "%s: generator %zu, router %zu", name, g, r);
    for (size_t c = 0; c < m; c++) {
        const struct nb_channel *from = &topology->channels[c];
        const struct nb_channel *to = &topology->channels[channel[c]];
        const bool is_turned = symmetry->is_reversal[g];
        const uint32_t source = is_turned ? from->target : from->source;
        const uint32_t target = is_turned ? from->source : from->target;
        TOPOLOGY_CHECK(
            to->source == router[source] && to->target == router[target] &&
                nb_ratio_compare(to->bandwidth, from->bandwidth) == 0,
            "%s: generator %zu, channel %zu -> %u", name, g, c, channel[c]);
    }
}

void symmetry_must_fit(const struct nb_symmetry *symmetry,
                       const struct nb_topology *topology, const char *name)
{
    assert_int_equal(symmetry->router_count, topology->router_count);
    assert_int_equal(symmetry->channel_count, topology->channel_count);
    for (size_t g = 0; g < symmetry->generator_count; g++)
        checks_generator(topology, symmetry, g, name);
}

/* An element of a group. */
struct element {
    bool is_reversal;
    uint32_t router[MOST_ROUTERS];
    uint32_t channel[MOST_CHANNELS];
};

static void checks_apply(const struct nb_symmetry *symmetry, size_t g,
                         const struct element *to, struct element *out)
{
    *out = (struct element){ .is_reversal =
                                 to->is_reversal != symmetry->is_reversal[g] };
    for (size_t r = 0; r < symmetry->router_count; r++)
        out->router[r] =
            symmetry->router[g * symmetry->router_count + to->router[r]];
    for (size_t c = 0; c < symmetry->channel_count; c++)
        out->channel[c] =
            symmetry->channel[g * symmetry->channel_count + to->channel[c]];
}

size_t symmetry_group_size(const struct nb_symmetry *symmetry)
{
    static struct element group[MOST_GROUP + 1];
    size_t count = 1;
    assert_true(symmetry->router_count <= MOST_ROUTERS &&
                symmetry->channel_count <= MOST_CHANNELS);
    group[0] = (struct element){ 0 };
    for (uint32_t r = 0; r < symmetry->router_count; r++)
        group[0].router[r] = r;
    for (uint32_t c = 0; c < symmetry->channel_count; c++)
        group[0].channel[c] = c;
    for (size_t done = 0; done < count; done++) {
        for (size_t g = 0; g < symmetry->generator_count; g++) {
            size_t same = 0;
            checks_apply(symmetry, g, &group[done], &group[count]);
            while (memcmp(&group[same], &group[count], sizeof *group) != 0)
                same++;
            count += same == count;
            assert_true(count <= MOST_GROUP);
        }
    }
    return count;
}
