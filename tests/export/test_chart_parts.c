/* Networks too large to be drawn, as matrices of their parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/drawn.h"
#include "../support/topology_checks.h"

#include <string.h>

enum { LOADS = 40 };
static int64_t load_of(size_t channel)
{
    return (int64_t)(channel * 7 % (LOADS + 1));
}

/*
 * A large network: the level of every cell is that of the largest load of its
 * channels, found by a separate pass over all channels for each cell.
 */
static void check_parts(const char *specification, size_t cells, size_t side,
                        void (*find)(const struct nb_topology *topology,
                                     const struct nb_channel *channel,
                                     size_t *column, size_t *row))
{
    struct nb_report report = { 0 };
    struct nb_topology topology = { 0 };
    static int64_t most[64][64];
    topology_must_build(specification, &topology);
    struct nb_point *point = nb_drawn_report(&report, specification);
    nb_drawn_add_loads(&topology, point, load_of);
    xmlNodePtr charts = nb_drawn_charts(&report);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    assert_string_equal(nb_drawn_text(chart, "kind"), "matrix");
    assert_string_equal(nb_drawn_text(chart, "x"), "source");
    assert_string_equal(nb_drawn_text(chart, "y"), "target");
    assert_string_equal(nb_drawn_text(chart, "value"), "load");
    assert_non_null(strstr(nb_drawn_text(chart, "note"), "too many"));
    assert_int_equal(nb_drawn_count(chart, "cell"), cells);
    memset(most, 0, sizeof most);
    for (size_t c = 0; c < topology.channel_count; c++) {
        size_t column, row;
        find(&topology, &topology.channels[c], &column, &row);
        assert_true(column < side && row < side);
        if (load_of(c) > most[column][row])
            most[column][row] = load_of(c);
    }
    const double left =
        nb_drawn_number(nb_drawn_child(chart, "axis", 0), "from");
    const double low =
        nb_drawn_number(nb_drawn_child(chart, "axis", 1), "from");
    const double step =
        (nb_drawn_number(nb_drawn_child(chart, "axis", 0), "to") -
         nb_drawn_number(nb_drawn_child(chart, "axis", 0), "from")) /
        (double)side;
    for (xmlNodePtr cell = nb_drawn_child(chart, "cell", 0);
         strcmp((const char *)cell->name, "cell") == 0; cell = cell->next) {
        const double x = nb_drawn_number(cell, "x") - left;
        const double y = low - nb_drawn_number(cell, "y");
        const size_t column = (size_t)(x / step + 0.1);
        const size_t row = (size_t)(y / step - 0.1);
        assert_true(column < side && row < side);
        assert_int_equal((int)nb_drawn_number(cell, "level"),
                         (8 * most[column][row] + LOADS - 1) / LOADS);
    }
    xmlFreeDoc(charts->doc);
    nb_topology_release(&topology);
    nb_report_release(&report);
}

static void by_place(const struct nb_topology *topology,
                     const struct nb_channel *channel, size_t *column,
                     size_t *row)
{
    (void)topology;
    *column = channel->source % 32;
    *row = channel->source / 32;
}

static void by_groups(const struct nb_topology *topology,
                      const struct nb_channel *channel, size_t *column,
                      size_t *row)
{
    (void)topology;
    *column = channel->source / 8;
    *row = channel->target / 8;
}

static void by_two_groups(const struct nb_topology *topology,
                          const struct nb_channel *channel, size_t *column,
                          size_t *row)
{
    (void)topology;
    *column = channel->source / 24;
    *row = channel->target / 24;
}

static void by_routers(const struct nb_topology *topology,
                       const struct nb_channel *channel, size_t *column,
                       size_t *row)
{
    (void)topology;
    *column = channel->source;
    *row = channel->target;
}

static void large_networks_are_drawn_in_parts(void **state)
{
    (void)state;
    check_parts("torus:32x32", 32 * 32, 32, by_place);
    check_parts("dragonfly:4", 33 * 33, 33, by_groups);
    check_parts("dragonfly:6", 37 * 37, 37, by_two_groups);
    check_parts("complete:50", 50 * 49, 50, by_routers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_networks_are_drawn_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
