/* Channels on drawings: every kind of network, by geometry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/placed.h"
#include "../support/topology_checks.h"

#include <math.h>
#include <string.h>

/* A place on a wire, t = 0 at its start and 1 at its end. */
static struct nb_place on_wire(const struct nb_wire *wire, double t)
{
    const struct nb_place a = wire->from, b = wire->to;
    const struct nb_place control = {
        (a.x + b.x) / 2 + wire->bend * (b.y - a.y),
        (a.y + b.y) / 2 - wire->bend * (b.x - a.x),
    };
    const double u = 1 - t;
    return (struct nb_place){
        u * u * a.x + 2 * u * t * control.x + t * t * b.x,
        u * u * a.y + 2 * u * t * control.y + t * t * b.y,
    };
}

/* Whether a wire that must begin or end at a router does so at its edge. */
static void check_edge(const struct nb_placing *placing, struct nb_place end,
                       uint32_t router, const char *name)
{
    const double distance = placed_apart(end, placing->router[router]);
    TOPOLOGY_CHECK(fabs(distance - placing->radius) < 1e-6,
                   "%s: %g from the middle of router %u of radius %g", name,
                   distance, router, placing->radius);
}

static void check_wires(const struct nb_topology *topology, const char *name)
{
    static size_t examples;
    struct nb_placing placing;
    if (!nb_cases_have(examples++, 2))
        return;
    placed_build(topology, &placing);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        struct nb_wire wires[NB_PLACING_WIRES];
        const size_t count = nb_placing_wires(topology, &placing, c, wires);
        TOPOLOGY_CHECK(count == 1 || count == 2, "%s: %zu", name, count);
        check_edge(&placing, wires[0].from, channel->source, name);
        check_edge(&placing, wires[count - 1].to, channel->target, name);
        for (size_t i = 0; i < count; i++)
            for (double t = 0; t <= 1; t += 0.125)
                placed_check_inside(&placing, on_wire(&wires[i], t), 0, name);
    }
    nb_placing_release(&placing);
}

static void wires_join_their_routers_within_the_drawing(void **state)
{
    (void)state;
    topology_each_example(check_wires);
}

/* Traffic keeps to the right: the wire of the opposite channel lies there. */
static void check_apart(const struct nb_topology *topology, const char *name)
{
    static size_t examples;
    struct nb_placing placing;
    if (!nb_cases_have(examples++, 2))
        return;
    placed_build(topology, &placing);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *way = &topology->channels[c];
        for (uint32_t o = topology->out_start[way->target];
             o < topology->out_start[way->target + 1]; o++) {
            struct nb_wire one[NB_PLACING_WIRES], other[NB_PLACING_WIRES];
            if (topology->channels[o].target != way->source)
                continue;
            const size_t count = nb_placing_wires(topology, &placing, c, one);
            nb_placing_wires(topology, &placing, o, other);
            const struct nb_place mine = on_wire(&one[0], 0.5);
            const struct nb_place theirs = on_wire(&other[count - 1], 0.5);
            TOPOLOGY_CHECK(placed_apart(mine, theirs) > 0.3 * placing.radius,
                           "%s: channels %u, %u", name, c, o);
            const double x = one[0].to.x - one[0].from.x;
            const double y = one[0].to.y - one[0].from.y;
            const double right =
                (mine.y - theirs.y) * x - (mine.x - theirs.x) * y;
            TOPOLOGY_CHECK(right > 0, "%s: channels %u, %u", name, c, o);
        }
    }
    nb_placing_release(&placing);
}

static void opposite_channels_lie_side_by_side(void **state)
{
    (void)state;
    topology_each_example(check_apart);
}

/* Whether a wire of the channel (almost) touches a router that is not its
 * own. */
static bool touches_others(const struct nb_topology *topology,
                           const struct nb_placing *placing, uint32_t channel)
{
    enum { PARTS = 32 };
    struct nb_wire wires[NB_PLACING_WIRES];
    const size_t count = nb_placing_wires(topology, placing, channel, wires);
    for (size_t i = 0; i < count * (PARTS + 1); i++) {
        const struct nb_place place =
            on_wire(&wires[i / (PARTS + 1)], (double)(i % (PARTS + 1)) / PARTS);
        for (uint32_t r = 0; r < topology->router_count; r++)
            if (r != topology->channels[channel].source &&
                r != topology->channels[channel].target &&
                placed_apart(place, placing->router[r]) < 1.1 * placing->radius)
                return true;
    }
    return false;
}

/* Not guaranteed beyond four dimensions, for groups in any arrangement, and for
 * networks without a form. */
static void check_passing(const struct nb_topology *topology, const char *name)
{
    static size_t examples;
    struct nb_placing placing;
    if (!nb_cases_have(examples++, 2))
        return;
    placed_build(topology, &placing);
    const bool is_promised =
        topology->grid.dimensions + topology->hyperx.dimensions <= 4 &&
        placing.form != NB_PLACED_SPREAD &&
        (placing.form != NB_PLACED_GROUPS || strchr(name, ',') == NULL);
    for (uint32_t c = 0; c < topology->channel_count && is_promised; c++)
        TOPOLOGY_CHECK(!touches_others(topology, &placing, c),
                       "%s: channel %u from router %u to %u", name, c,
                       topology->channels[c].source,
                       topology->channels[c].target);
    nb_placing_release(&placing);
}

/* No channel seems to end at a router that it only passes. */
static void wires_pass_by_other_routers(void **state)
{
    struct nb_topology topology = { 0 };
    (void)state;
    topology_each_example(check_passing);
    topology_must_build("torus:4x4x4", &topology);
    check_passing(&topology, "torus:4x4x4");
    nb_topology_release(&topology);
}

/* Every line of more than two routers is closed by one channel each way. */
static void check_stubs(const struct nb_topology *topology, const char *name)
{
    const struct nb_grid *grid = &topology->grid;
    struct nb_placing placing;
    size_t wanted = 0, found = 0;
    placed_build(topology, &placing);
    for (size_t d = 0; d < grid->dimensions && grid->dimensions > 1; d++)
        if (grid->wraps && grid->radix[d] > 2)
            wanted += 2 * topology->router_count / grid->radix[d];
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_wire wires[NB_PLACING_WIRES];
        if (nb_placing_wires(topology, &placing, c, wires) == 1)
            continue;
        found++;
        /* Away from the other end of the line, and on from there: both stubs go
         * in the same direction. */
        const struct nb_place source =
            placing.router[topology->channels[c].source];
        const struct nb_place target =
            placing.router[topology->channels[c].target];
        TOPOLOGY_CHECK(placed_apart(wires[0].to, target) >
                               placed_apart(wires[0].from, target) &&
                           placed_apart(wires[1].from, source) >
                               placed_apart(wires[1].to, source),
                       "%s: channel %u", name, c);
        TOPOLOGY_CHECK(fabs((wires[0].to.x - wires[0].from.x) -
                            (wires[1].to.x - wires[1].from.x)) < 1e-6 &&
                           fabs((wires[0].to.y - wires[0].from.y) -
                                (wires[1].to.y - wires[1].from.y)) < 1e-6,
                       "%s: channel %u", name, c);
    }
    TOPOLOGY_CHECK(found == wanted, "%s: %zu, not %zu", name, found, wanted);
    nb_placing_release(&placing);
}

static void lines_of_a_torus_are_closed_by_stubs(void **state)
{
    (void)state;
    topology_each_example(check_stubs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_join_their_routers_within_the_drawing),
        cmocka_unit_test(opposite_channels_lie_side_by_side),
        cmocka_unit_test(wires_pass_by_other_routers),
        cmocka_unit_test(lines_of_a_torus_are_closed_by_stubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
