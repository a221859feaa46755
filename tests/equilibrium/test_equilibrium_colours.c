/* Which channels count as equivalent: known numbers of colours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "equilibrium/parts.h"
#include "support/simulation.h"

enum { MOST_CHANNELS = 64, MOST_PAIRS = 240 };

struct alike {
    size_t channels;
    uint32_t of[MOST_CHANNELS], size[MOST_CHANNELS];
};

/* Every pair has rate 1, except one that has more. terminals: of router 0. */
static void find_alike(const char *specification, uint32_t source,
                       uint32_t target, double more, uint32_t terminals,
                       struct nb_topology *topology, struct alike *out)
{
    static struct nb_net_pair pair[MOST_PAIRS];
    assert_int_equal(nb_topology_build(specification, topology, NULL), NB_OK);
    topology->terminals[0] = terminals;
    struct nb_equilibrium_net net = { .topology = topology,
                                      .n = topology->router_count,
                                      .pair = pair };
    for (uint32_t a = 0; a < net.n; a++)
        for (uint32_t b = 0; b < net.n; b++)
            if (a != b)
                pair[net.pair_count++] = (struct nb_net_pair){
                    .source = a,
                    .target = b,
                    .rate = 1 + (a == source && b == target ? more : 0),
                };
    *out = (struct alike){ .channels = topology->channel_count };
    assert_int_equal(nb_net_find_alike(&net, out->of, out->size, NULL), NB_OK);
    /* Each colour has the number of its least channel and its count of
     * channels. */
    for (uint32_t c = 0; c < out->channels; c++) {
        uint32_t count = 0;
        for (uint32_t d = 0; d < out->channels; d++)
            count += out->of[d] == out->of[c];
        assert_true(out->of[c] <= c && out->of[out->of[c]] == out->of[c]);
        SIMULATION_CHECK(out->size[c] == count, "%s, channel %u: %u of %u",
                         specification, c, out->size[c], count);
    }
}

static size_t count_colours(const struct alike *alike)
{
    size_t count = 0;
    for (uint32_t c = 0; c < alike->channels; c++)
        count += alike->of[c] == c;
    return count;
}

static void test_alike(void **state)
{
    static const struct {
        const char *topology;
        double more; /* from router 0 to 2 */
        uint32_t terminals;
        size_t colours;
    } rows[] = {
        { "torus:4x4", 0, 1, 1 },
        { "mesh:3", 0, 1, 2 }, /* to the middle, and from it */
        { "mesh:3", 1, 1, 4 }, /* one direction more than the other */
        { "mesh:4", 0, 1, 3 }, /* from ends, to ends, in the middle */
        { "ring:5", 0, 1, 1 }, /* a reflection changes directions */
        { "ring:6", 0, 1, 1 },
        { "dragonfly:h=1", 0, 1, 2 }, /* that ring, but with groups of two */
        { "complete:4", 0, 1, 1 },
        { "complete:4", 0, 2, 3 }, /* from 0, to 0, between the others */
        /* 0 to 2, 2 to 0; 0 to others, others to 0; 2 to others, others to 2;
         * between the two others */
        { "complete:4", 1, 1, 7 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology = { 0 };
        struct alike alike;
        find_alike(rows[i].topology, 0, 2, rows[i].more, rows[i].terminals,
                   &topology, &alike);
        SIMULATION_CHECK(count_colours(&alike) == rows[i].colours,
                         "%s: %zu colours", rows[i].topology,
                         count_colours(&alike));
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
