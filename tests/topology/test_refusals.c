/* Specifications that are refused, and the messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "topology/index.h"

static const struct {
    const char *specification;
    enum nb_status status;
    const char *texts[5]; /* ends with NULL */
} refusals[] = {
    { "", NB_INVALID, { "topology" } },
    { "tours:8x8", NB_INVALID, { "tours", "torus" } },
    { "torus", NB_INVALID, { "radices" } },
    { "torus:", NB_INVALID, { "radices" } },
    { "torus:1x8", NB_INVALID, { "1", "2" } },
    { "torus:8x0", NB_INVALID, { "0", "2" } },
    { "torus:8x", NB_INVALID, { "8x" } },
    { "torus:x8", NB_INVALID, { "x8" } },
    { "torus:-8x8", NB_INVALID, { "-8" } },
    { "torus:8.5", NB_INVALID, { "8.5" } },
    { "torus:2x2x2x2x2x2x2", NB_INVALID, { "2x2x2x2x2x2x2", "6" } },
    { "mesh:1", NB_INVALID, { "1", "2" } },
    { "mesh:2x2x2x2x2x2x2", NB_INVALID, { "6" } },
    { "mesh:nan", NB_INVALID, { "nan" } },
    { "mesh:8x8x", NB_INVALID, { "8x8x" } },
    { "ring:2", NB_INVALID, { "2", "3" } },
    { "ring:-5", NB_INVALID, { "-5" } },
    { "ring:3.0", NB_INVALID, { "3.0" } },
    { "hypercube:0", NB_INVALID, { "0", "1", "20" } },
    { "hypercube:21", NB_INVALID, { "21", "20" } },
    { "complete:1", NB_INVALID, { "1", "2" } },
    { "ccc:2", NB_INVALID, { "2", "3" } },
    { "ccc:26", NB_INVALID, { "26", "25" } },
    { "fattree:k=1,n=2", NB_INVALID, { "\"1\"", "from 2 to" } },
    { "fattree:k=2,n=1", NB_INVALID, { "\"1\"", "from 2 to 31" } },
    { "fattree:k=2,n=32", NB_INVALID, { "\"32\"", "from 2 to 31" } },
    { "fattree:k=2", NB_INVALID, { "needs n", "at least 2" } },
    { "fattree:k=2,n=2,terminals=2",
      NB_INVALID,
      { "no parameter \"terminals\"", "k, n, bandwidth" } },
    { "fattree:k=1000000,n=31", NB_NO_MEMORY, { "routers", "MiB" } },
    { "torus:8x8,terminals=0", NB_INVALID, { "terminals", "0", "1" } },
    { "torus:8x8,terminals=1000001", NB_INVALID, { "1000001" } },
    { "torus:8x8,terminals=-1", NB_INVALID, { "-1" } },
    { "torus:8x8,bandwidth=0", NB_INVALID, { "bandwidth", "0" } },
    { "torus:8x8,bandwidth=-1", NB_INVALID, { "bandwidth", "-1" } },
    { "torus:8x8,bandwidth=inf", NB_INVALID, { "bandwidth", "inf" } },
    { "torus:8x8,bandwidth=nan", NB_INVALID, { "bandwidth", "nan" } },
    { "torus:8x8,width=1", NB_INVALID, { "width" } },
    { "torus:8x8,terminals=1,terminals=2", NB_INVALID, { "terminals" } },
    /* Sizes: computed before anything is allocated. */
    { "torus:1000000x1000000",
      NB_NO_MEMORY,
      { "1e+12 routers", "4e+12 channels", "MiB" } },
    { "mesh:1000000000x1000000000x1000000000",
      NB_NO_MEMORY,
      { "1e+27 routers", "MiB" } },
    { "complete:1000000000", NB_NO_MEMORY, { "1000000000 routers", "MiB" } },
};

static void test_specifications(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        topology_must_refuse(refusals[i].specification, refusals[i].status,
                             refusals[i].texts);
}

static void test_reserve(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    assert_int_equal(nb_topology_reserve(&topology, 0, 0, NULL), NB_INVALID);
    assert_int_equal(nb_topology_reserve(&topology, -1, 0, NULL), NB_INVALID);
    /* More than the routers that can be numbered, if it fits in memory. */
    const enum nb_status status =
        nb_topology_reserve(&topology, 4294967295.0, 0, NULL);
    assert_true(status == NB_INVALID || status == NB_NO_MEMORY);
    assert_null(topology.channels);
    nb_topology_release(&topology);
}

/* A kind may set channels in any order: lists and grid follow. */
static void test_sorting(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    static const uint32_t ends[6][2] = { { 2, 0 }, { 0, 1 }, { 1, 2 },
                                         { 0, 2 }, { 2, 1 }, { 1, 0 } };
    static const uint32_t radix = 3;
    assert_int_equal(nb_grid_build(1, &radix, true, &topology, NULL), NB_OK);
    for (uint32_t c = 0; c < 6; c++) {
        topology.channels[c].source = ends[c][0];
        topology.channels[c].target = ends[c][1];
        const size_t plus = (ends[c][0] + 1) % 3 == ends[c][1];
        topology.grid.channel[2 * ends[c][0] + plus] = c;
    }
    assert_int_equal(nb_topology_index(&topology, NULL), NB_OK);
    static const uint32_t sorted[6] = { 1, 3, 2, 5, 0, 4 }; /* numbers before
                                                             * sorting */
    for (uint32_t c = 0; c < 6; c++) {
        assert_int_equal(topology.channels[c].source, ends[sorted[c]][0]);
        assert_int_equal(topology.channels[c].target, ends[sorted[c]][1]);
    }
    for (uint32_t slot = 0; slot < 6; slot++) {
        const struct nb_channel *channel =
            &topology.channels[topology.grid.channel[slot]];
        assert_int_equal(channel->source, slot / 2);
        assert_int_equal(channel->target,
                         (slot / 2 + (slot % 2 == 1 ? 1 : 2)) % 3);
    }
    nb_topology_release(&topology);
}

static void test_release(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    nb_topology_release(&topology);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specifications),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_sorting),
        cmocka_unit_test(test_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
