/* Routers on drawings: every kind of network, by geometry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/placed.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <math.h>

static void check_routers(const struct nb_topology *topology, const char *name)
{
    struct nb_placing placing;
    placed_build(topology, &placing);
    TOPOLOGY_CHECK(placing.width == PLACED_WIDTH && placing.height <= 640 &&
                       placing.radius > 0,
                   "%s: height %g", name, placing.height);
    double least = INFINITY;
    for (size_t r = 0; r < topology->router_count; r++) {
        placed_check_inside(&placing, placing.router[r], placing.radius, name);
        for (size_t k = 0; k < r; k++)
            least =
                fmin(least, placed_apart(placing.router[r], placing.router[k]));
    }
    TOPOLOGY_CHECK(least > 2 * placing.radius, "%s: %g apart, radius %g", name,
                   least, placing.radius);
    TOPOLOGY_CHECK(fabs(least - placing.step) < 1e-9, "%s: %g, step %g", name,
                   least, placing.step);
    nb_placing_release(&placing);
}

static void every_router_has_a_place_of_its_own(void **state)
{
    (void)state;
    topology_each_example(check_routers);
}

/* The place is a sum over dimensions of coordinate times a step. */
static void check_grid(const struct nb_topology *topology, const char *name)
{
    const struct nb_grid *grid = &topology->grid;
    struct nb_placing placing;
    if (grid->dimensions < 2 && !(grid->dimensions == 1 && !grid->wraps))
        return;
    placed_build(topology, &placing);
    TOPOLOGY_CHECK(placing.form == NB_PLACED_GRID, "%s", name);
    const struct nb_place origin = placing.router[0];
    for (uint32_t r = 0; r < topology->router_count; r++) {
        struct nb_place wanted = origin;
        uint32_t stride = 1, rest = r;
        for (size_t d = 0; d < grid->dimensions; d++) {
            const struct nb_place next = placing.router[stride];
            wanted.x += (rest % grid->radix[d]) * (next.x - origin.x);
            wanted.y += (rest % grid->radix[d]) * (next.y - origin.y);
            rest /= grid->radix[d];
            stride *= grid->radix[d];
        }
        TOPOLOGY_CHECK(placed_apart(wanted, placing.router[r]) < 1e-6,
                       "%s: router %u", name, r);
    }
    if (grid->dimensions == 2) {
        const struct nb_place right = placing.router[1];
        const struct nb_place below = placing.router[grid->radix[0]];
        TOPOLOGY_CHECK(fabs(placed_apart(right, origin) -
                            placed_apart(below, origin)) < 1e-6,
                       "%s: not square", name);
        TOPOLOGY_CHECK(fabs((right.x - origin.x) * (below.x - origin.x) +
                            (right.y - origin.y) * (below.y - origin.y)) < 1e-6,
                       "%s: not at right angles", name);
    }
    nb_placing_release(&placing);
}

static void grids_have_equal_steps(void **state)
{
    (void)state;
    topology_each_example(check_grid);
}

static struct nb_place middle_of(const struct nb_topology *topology,
                                 const struct nb_placing *placing)
{
    struct nb_place middle = { 0, 0 };
    for (size_t r = 0; r < topology->router_count; r++) {
        middle.x += placing->router[r].x / (double)topology->router_count;
        middle.y += placing->router[r].y / (double)topology->router_count;
    }
    return middle;
}

/* After rotation about the middle by one of `count` parts of a circle, router r
 * lies where router r + step was, within each `of` routers. */
static void check_turn(const char *specification, uint32_t first, uint32_t of,
                       uint32_t step)
{
    struct nb_topology topology = { 0 };
    struct nb_placing placing;
    topology_must_build(specification, &topology);
    placed_build(&topology, &placing);
    const struct nb_place middle = middle_of(&topology, &placing);
    const double angle = 2 * M_PI * step / of;
    for (uint32_t r = 0; r < of; r++) {
        const double x = placing.router[first + r].x - middle.x;
        const double y = placing.router[first + r].y - middle.y;
        const struct nb_place turned = {
            middle.x + x * cos(angle) - y * sin(angle),
            middle.y + x * sin(angle) + y * cos(angle),
        };
        const struct nb_place image = placing.router[first + (r + step) % of];
        TOPOLOGY_CHECK(placed_apart(turned, image) < 1e-6, "%s: router %u",
                       specification, r);
    }
    nb_placing_release(&placing);
    nb_topology_release(&topology);
}

static void circles_look_alike_from_every_part(void **state)
{
    (void)state;
    check_turn("ring:8", 0, 8, 1);
    check_turn("complete:7", 0, 7, 1);
    check_turn("hyperx:5", 0, 5, 1);
    check_turn("slimfly:5", 0, 50, 1);
    check_turn("dragonfly:2", 0, 36, 4);
    check_turn("dragonfly:1,a=3x3,groups=6", 0, 54, 9);
    check_turn("megafly:1,leaves=3,spines=2", 0, 9, 3);
    check_turn("megafly:1,leaves=3,spines=2", 9, 6, 2);
}

/* The routers of a group are closer to each other than to those of other
 * groups. */
static void groups_are_clusters(void **state)
{
    struct nb_topology topology = { 0 };
    struct nb_placing placing;
    (void)state;
    topology_must_build("dragonfly:3", &topology);
    placed_build(&topology, &placing);
    double within = 0, apart = INFINITY;
    for (uint32_t r = 0; r < topology.router_count; r++) {
        double near = INFINITY;
        for (uint32_t k = 0; k < topology.router_count; k++) {
            const double distance =
                placed_apart(placing.router[r], placing.router[k]);
            if (k != r && k / 6 == r / 6)
                near = fmin(near, distance);
            else if (k != r)
                apart = fmin(apart, distance);
        }
        within = fmax(within, near);
    }
    assert_true(within < apart);
    nb_placing_release(&placing);
    nb_topology_release(&topology);
}

static void check_levels(const char *specification, const uint32_t *sizes,
                         size_t levels)
{
    struct nb_topology topology = { 0 };
    struct nb_placing placing;
    uint32_t router = 0;
    double before = INFINITY;
    topology_must_build(specification, &topology);
    placed_build(&topology, &placing);
    for (size_t level = 0; level < levels; level++) {
        const double y = placing.router[router].y;
        TOPOLOGY_CHECK(y < before - 2 * placing.radius, "%s: level %zu",
                       specification, level);
        for (uint32_t i = 0; i < sizes[level]; i++, router++) {
            TOPOLOGY_CHECK(fabs(placing.router[router].y - y) < 1e-9,
                           "%s: router %u", specification, router);
            const double mirrored =
                placing.router[router + sizes[level] - 1 - 2 * i].x;
            TOPOLOGY_CHECK(
                fabs(placing.router[router].x + mirrored - PLACED_WIDTH) < 1e-6,
                "%s: router %u", specification, router);
        }
        before = y;
    }
    TOPOLOGY_CHECK(router == topology.router_count, "%s", specification);
    nb_placing_release(&placing);
    nb_topology_release(&topology);
}

static void fat_trees_stand_on_their_leaves(void **state)
{
    (void)state;
    check_levels("fattree:k=2,n=3", (const uint32_t[]){ 4, 4, 4 }, 3);
    check_levels("fattree:k=4,n=3", (const uint32_t[]){ 16, 16, 16 }, 3);
    check_levels("clos:2x3x2,up=2x1", (const uint32_t[]){ 6, 4, 2 }, 3);
    check_levels("clos:4x4,up=2", (const uint32_t[]){ 4, 2 }, 2);
}

/* Sum over pairs of the squared relative error of distances, at the best
 * scale. */
static double stress_of(const struct nb_topology *topology,
                        const struct nb_place *place)
{
    uint32_t distance[64], queue[64];
    double sums[3] = { 0, 0, 0 };
    assert_in_range(topology->router_count, 2, 64);
    for (uint32_t t = 0; t < topology->router_count; t++) {
        nb_distances_to(topology, t, distance, queue);
        for (uint32_t r = 0; r < topology->router_count; r++) {
            if (r == t)
                continue;
            const double ratio = placed_apart(place[r], place[t]) / distance[r];
            sums[0] += 1;
            sums[1] += ratio;
            sums[2] += ratio * ratio;
        }
    }
    return sums[0] - sums[1] * sums[1] / sums[2];
}

/* Routers few hops apart are close: much more so than around a circle, and
 * moving any router a little does not improve it. */
static void distances_are_near_to_hops(void **state)
{
    struct nb_topology topology = { 0 };
    struct nb_placing placing;
    struct nb_place circle[64];
    (void)state;
    topology_must_build("file:data/topologies/abilene.txt", &topology);
    placed_build(&topology, &placing);
    assert_int_equal(placing.form, NB_PLACED_SPREAD);
    const double stress = stress_of(&topology, placing.router);
    for (uint32_t r = 0; r < topology.router_count; r++) {
        const double angle = 2 * M_PI * r / (double)topology.router_count;
        circle[r] = (struct nb_place){ cos(angle), sin(angle) };
    }
    assert_true(3 * stress < stress_of(&topology, circle));
    for (uint32_t r = 0; r < topology.router_count; r++)
        for (int i = 0; i < 4; i++) {
            const struct nb_place own = placing.router[r];
            placing.router[r].x += (i % 2 == 0 ? 0.1 : -0.1) * placing.step;
            placing.router[r].y += (i / 2 == 0 ? 0.1 : -0.1) * placing.step;
            assert_true(stress_of(&topology, placing.router) > stress);
            placing.router[r] = own;
        }
    nb_placing_release(&placing);
    nb_topology_release(&topology);
}

static void failing_allocations_leak_nothing(void **state)
{
    static const char *const names[] = { "torus:3x3", "fattree:k=2,n=2",
                                         "dragonfly:1", "complete:4",
                                         "file:data/topologies/abilene.txt" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_topology topology = { 0 };
        enum nb_status status = NB_NO_MEMORY;
        topology_must_build(names[i], &topology);
        const long blocks = nb_memory_live_blocks();
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_placing placing;
            nb_memory_allow(allowed);
            status = nb_placing_build(&topology, PLACED_WIDTH, &placing, NULL);
            nb_memory_allow(-1);
            nb_placing_release(&placing);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == blocks, "%s leaks",
                           names[i]);
        }
        TOPOLOGY_CHECK(status == NB_OK, "%s", names[i]);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_router_has_a_place_of_its_own),
        cmocka_unit_test(grids_have_equal_steps),
        cmocka_unit_test(circles_look_alike_from_every_part),
        cmocka_unit_test(groups_are_clusters),
        cmocka_unit_test(fat_trees_stand_on_their_leaves),
        cmocka_unit_test(distances_are_near_to_hops),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
