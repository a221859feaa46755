/* Symmetry: every generator keeps what it should, on all networks and
 * traffics. */
#include "traffic/traffic_symmetry.h"

#include "support/symmetry_checks.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"
#include "optimum/path_class.h"
#include "core/memory.h"
#include "routing/routing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WAYS = 4000000 };

/* Marks the channels of the shortest paths from every router to one, as route
 * tables count. is_met: [from * channels + channel] */
static void mark_ways(const struct nb_topology *topology,
                      const struct nb_route_table *table, const uint32_t *queue,
                      bool *is_met)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    for (size_t i = 0; i < n; i++) { /* the nearest first */
        const uint32_t from = queue[i];
        memset(is_met + from * m, 0, m);
        for (uint32_t c = topology->out_start[from];
             c < topology->out_start[from + 1]; c++) {
            if (!nb_is_on_the_way(topology, table, c))
                continue;
            const bool *rest = is_met + topology->channels[c].target * m;
            for (size_t other = 0; other < m; other++)
                is_met[from * m + other] |= rest[other];
            is_met[from * m + c] = true;
        }
    }
}

/* Shortest paths stay shortest. */
static void check_ways(const struct nb_topology *topology,
                       const struct nb_symmetry *symmetry, const char *name)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_route_table table;
    if (n * n * m > MOST_WAYS)
        return;
    bool *way = nb_new_array(n * n * m, sizeof *way); /* [to][from][channel] */
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(way != NULL && queue != NULL);
    assert_int_equal(nb_route_table_init(topology, &table, NULL), NB_OK);
    for (uint32_t to = 0; to < n; to++) {
        nb_ways_to(topology, to, table.distance, queue);
        table.target = to;
        mark_ways(topology, &table, queue, way + to * n * m);
    }
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        for (size_t p = 0; p < n * n; p++) {
            uint32_t from = (uint32_t)(p % n), to = (uint32_t)(p / n);
            nb_symmetry_pair(symmetry, g, &from, &to);
            for (size_t c = 0; c < m; c++)
                TOPOLOGY_CHECK(
                    way[p * m + c] ==
                        way[(to * n + from) * m + symmetry->channel[g * m + c]],
                    "%s: generator %zu, from %zu to %zu over %zu", name, g,
                    p % n, p / n, c);
        }
    }
    nb_route_table_release(&table);
    nb_delete(way);
    nb_delete(queue);
}

/* Two-turn paths stay two-turn paths: the dimensions of a grid are not
 * mixed. */
static void check_turns(const struct nb_topology *topology,
                        const struct nb_symmetry *symmetry, const char *name)
{
    struct nb_path_class class;
    uint32_t from, along, image, first, first_image;
    if (topology->grid.dimensions != 2)
        return;
    assert_int_equal(nb_path_class_init(topology, NB_PATHS_TWO_TURN,
                                        nb_ratio_one, &class, NULL),
                     NB_OK);
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        const uint32_t *map = symmetry->channel + g * topology->channel_count;
        nb_path_class_layer(&class, 0, 0, &from, &first);
        nb_path_class_layer(&class, map[0], 0, &from, &first_image);
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            nb_path_class_layer(&class, c, 0, &from, &along);
            nb_path_class_layer(&class, map[c], 0, &from, &image);
            TOPOLOGY_CHECK((along == first) == (image == first_image),
                           "%s: generator %zu, channel %u", name, g, c);
        }
    }
}

static void check_network(const struct nb_topology *topology, const char *name)
{
    struct nb_symmetry symmetry;
    assert_int_equal(nb_symmetry_find(topology, NULL, &symmetry, NULL), NB_OK);
    symmetry_must_fit(&symmetry, topology, name);
    check_ways(topology, &symmetry, name);
    check_turns(topology, &symmetry, name);
    nb_symmetry_release(&symmetry);
    nb_symmetry_release(&symmetry);
}

static void keeps_every_network(void **state)
{
    (void)state;
    topology_each_example(check_network);
}

/* rate(i, j) equals the rate of the image of the pair. */
static void check_rates(const struct traffic_case *testcase,
                        const struct nb_symmetry *symmetry, const char *name)
{
    const struct nb_topology *topology = &testcase->topology;
    const size_t n = topology->router_count;
    uint64_t *rate = nb_new_array(n * n, sizeof *rate); /* [to * n + from] */
    assert_non_null(rate);
    symmetry_must_fit(symmetry, topology, name);
    for (uint32_t to = 0; to < n; to++)
        assert_int_equal(nb_traffic_column(&testcase->traffic, topology, to,
                                           rate + to * n, NULL),
                         NB_OK);
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        for (size_t p = 0; p < n * n; p++) {
            uint32_t from = (uint32_t)(p % n), to = (uint32_t)(p / n);
            nb_symmetry_pair(symmetry, g, &from, &to);
            TOPOLOGY_CHECK(rate[to * n + from] == rate[p],
                           "%s: generator %zu, from %zu to %zu", name, g, p % n,
                           p / n);
        }
    }
    nb_delete(rate);
}

static void check_traffic(const struct nb_traffic_kind *kind,
                          const char *example)
{
    struct traffic_case testcase;
    struct nb_symmetry symmetry;
    struct nb_error err = { 0 };
    (void)kind;
    TOPOLOGY_CHECK(traffic_case_build(example, &testcase, &err) == NB_OK,
                   "%s: %s", example, err.message);
    assert_int_equal(nb_symmetry_find(&testcase.topology, &testcase.traffic,
                                      &symmetry, NULL),
                     NB_OK);
    check_rates(&testcase, &symmetry, example);
    nb_symmetry_release(&symmetry);
    traffic_case_release(&testcase);
}

static void keeps_every_traffic(void **state)
{
    (void)state;
    traffic_case_for_each(check_traffic);
}

static void survives_failing_memory(void **state)
{
    (void)state;
    struct traffic_case testcase;
    enum nb_status status = NB_NO_MEMORY;
    assert_int_equal(traffic_case_build("transpose@torus:3x3", &testcase, NULL),
                     NB_OK);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_symmetry symmetry;
        nb_memory_allow(allowed);
        status = nb_symmetry_find(&testcase.topology, &testcase.traffic,
                                  &symmetry, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_symmetry_release(&symmetry);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    traffic_case_release(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_network),
        cmocka_unit_test(keeps_every_traffic),
        cmocka_unit_test(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
