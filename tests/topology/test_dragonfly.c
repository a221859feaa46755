/* Dragonflies: how routers, groups and global links are joined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* One network of the loops below. */
struct dragonfly_case {
    char name[96];
    uint32_t h, columns, rows, a, groups, trunking, links;
    const char *arrangement;
};

static void dragonfly_name(struct dragonfly_case *now)
{
    now->a = now->columns * now->rows;
    now->links = now->trunking * (now->groups - 1);
    snprintf(now->name, sizeof now->name,
             "dragonfly:%u,a=%ux%u,p=1,groups=%u,trunking=%u,arrangement=%s",
             now->h, now->columns, now->rows, now->groups, now->trunking,
             now->arrangement);
}

/* Runs a check on many small networks; returns their number. */
static size_t dragonfly_each(void (*check)(const struct dragonfly_case *now,
                                           const struct nb_topology *topology))
{
    static const char *const arrangements[] = { "palmtree", "consecutive",
                                                "random" };
    size_t count = 0;
    for (uint32_t code = 0; code < 4 * 5 * 3; code++)
        for (uint32_t groups = 2; groups <= 46; groups++)
            for (uint32_t trunking = 1; trunking <= 60; trunking++)
                for (size_t i = 0; i < 3; i++) {
                    struct dragonfly_case now = { .h = code % 4 + 1,
                                                  .columns = code / 4 % 5 + 1,
                                                  .rows = code / 20 + 1,
                                                  .groups = groups,
                                                  .trunking = trunking,
                                                  .arrangement =
                                                      arrangements[i] };
                    struct nb_topology topology = { 0 };
                    dragonfly_name(&now);
                    /* All numbers of groups if few, else only the largest
                     * ones. */
                    if (now.links > now.a * now.h ||
                        (groups > 6 && now.links + now.h < now.a * now.h))
                        continue;
                    topology_must_build(now.name, &topology);
                    check(&now, &topology);
                    nb_topology_release(&topology);
                    count++;
                }
    return count;
}

/* Channels between any two routers: equal numbers each way, all those of a row
 * or column of a group, no other ones in the group. */
static void dragonfly_check_channels(const struct dragonfly_case *now,
                                     const struct nb_topology *topology)
{
    const uint32_t n = (uint32_t)topology->router_count;
    uint32_t *times = nb_new_array((size_t)n * n, sizeof *times);
    assert_non_null(times);
    assert_int_equal(n, now->a * now->groups);
    for (size_t c = 0; c < topology->channel_count; c++)
        times[topology->channels[c].source * n +
              topology->channels[c].target]++;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(topology->groups.of[i], i / now->a);
        assert_int_equal(topology->terminals[i], 1);
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t x = i % now->a, y = j % now->a;
            const uint32_t local =
                i != j && ((x % now->columns == y % now->columns) ||
                           (x / now->columns == y / now->columns));
            TOPOLOGY_CHECK(times[i * n + j] == times[j * n + i],
                           "%s: %u and %u", now->name, i, j);
            if (i / now->a == j / now->a)
                TOPOLOGY_CHECK(times[i * n + j] == local, "%s: %u and %u",
                               now->name, i, j);
        }
    }
    nb_delete(times);
}

/* Every two groups have `trunking` links; no router bears more than h, and the
 * numbers of any two routers differ by at most one. */
static void dragonfly_check_global(const struct dragonfly_case *now,
                                   const struct nb_topology *topology)
{
    uint32_t between[46][46] = { { 0 } }, borne[46 * 15] = { 0 };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (!nb_channel_is_global(topology, c))
            continue;
        borne[channel->source]++;
        between[channel->source / now->a][channel->target / now->a]++;
    }
    for (uint32_t i = 0; i < now->groups; i++)
        for (uint32_t j = 0; j < now->groups; j++)
            TOPOLOGY_CHECK(between[i][j] == (i == j ? 0 : now->trunking),
                           "%s: %u between %u and %u", now->name, between[i][j],
                           i, j);
    for (size_t r = 0; r < topology->router_count; r++)
        TOPOLOGY_CHECK(borne[r] <= now->h && borne[r] >= now->links / now->a &&
                           borne[r] <= (now->links + now->a - 1) / now->a,
                       "%s: router %zu bears %u", now->name, r, borne[r]);
}

static void test_channels(void **state)
{
    (void)state;
    assert_true(dragonfly_each(dragonfly_check_channels) > 1000);
}

static void test_global_links(void **state)
{
    (void)state;
    assert_true(dragonfly_each(dragonfly_check_global) > 1000);
}

/* The number of global channels from a router to one of another group. */
static uint32_t dragonfly_times(const struct nb_topology *topology,
                                uint32_t source, uint32_t target)
{
    uint32_t times = 0;
    for (uint32_t c = topology->out_start[source];
         c < topology->out_start[source + 1]; c++)
        times += topology->channels[c].target == target;
    return times;
}

/* "The first router with the h preceding groups, the last with the h
 * following", and R_j of G_i with R_{a-1-j} of G_{i-(hj+m)} [Benito2020,
 * section 2.2.1]. */
static void test_palmtree(void **state)
{
    (void)state;
    for (uint32_t h = 1; h <= 4; h++)
        for (uint32_t a = 2; a <= 8; a++) {
            struct nb_topology topology = { 0 };
            const uint32_t groups = a * h + 1;
            char name[64];
            snprintf(name, sizeof name, "dragonfly:%u,a=%u%s", h, a,
                     a % 2 == 0 ? ",arrangement=relative" : "");
            topology_must_build(name, &topology);
            for (uint32_t i = 0; i < groups; i++)
                for (uint32_t m = 1; m <= h; m++) {
                    const uint32_t before = (i + groups - m) % groups;
                    const uint32_t after = (i + m) % groups;
                    TOPOLOGY_CHECK(dragonfly_times(&topology, i * a,
                                                   before * a + a - 1) == 1 &&
                                       dragonfly_times(&topology, i * a + a - 1,
                                                       after * a) == 1,
                                   "%s: group %u, %u", name, i, m);
                    for (uint32_t j = 0; j < a; j++)
                        assert_int_equal(
                            dragonfly_times(&topology, i * a + j,
                                            (i + groups - h * j - m) % groups *
                                                    a +
                                                a - 1 - j),
                            1);
                }
            nb_topology_release(&topology);
        }
}

/* Consecutive: port k of group i leads to group k, or k + 1 from i on. */
static void test_consecutive(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("dragonfly:3,a=4,arrangement=absolute", &topology);
    for (uint32_t i = 0; i < 13; i++)
        for (uint32_t k = 0; k < 12; k++) {
            const uint32_t to = k < i ? k : k + 1;
            const uint32_t back = i < to ? i : i - 1;
            assert_int_equal(
                dragonfly_times(&topology, i * 4 + k / 3, to * 4 + back / 3),
                1);
        }
    nb_topology_release(&topology);
}

/* Every generator offered is an automorphism: for palmtree a rotation, and for
 * both arrangements a reversal unless a middle link prevents it. */
static void dragonfly_check_symmetry(const struct dragonfly_case *now,
                                     const struct nb_topology *topology)
{
    const bool is_palmtree = now->arrangement[0] == 'p';
    const bool is_even = now->links % 2 == 0 || now->a % 2 == 1;
    const size_t wanted =
        now->arrangement[0] == 'r' ? 0 : (size_t)is_palmtree + is_even;
    uint32_t *map = nb_new_array(topology->router_count, sizeof *map);
    size_t count = 0;
    assert_non_null(map);
    while (topology->kind->symmetry(topology, count, map) != 0) {
        TOPOLOGY_CHECK(topology_same_channels(topology, topology, map),
                       "%s: generator %zu", now->name, count);
        count++;
    }
    TOPOLOGY_CHECK(count == wanted, "%s: %zu generators", now->name, count);
    nb_delete(map);
}

static void test_symmetry(void **state)
{
    (void)state;
    dragonfly_each(dragonfly_check_symmetry);
}

static void test_seeds(void **state)
{
    (void)state;
    topology_must_follow_seed("dragonfly:2");
}

static const struct {
    const char *specification;
    enum nb_status status;
    const char *texts[4]; /* ends with NULL */
} refusals[] = {
    { "dragonfly", NB_INVALID, { "needs h" } },
    { "dragonfly:0", NB_INVALID, { "h", "\"0\"" } },
    { "dragonfly:2,terminals=2", NB_INVALID, { "no parameter \"terminals\"" } },
    { "dragonfly:6,groups=74", NB_INVALID, { "groups \"74\"", "2 to 73" } },
    { "dragonfly:6,groups=1", NB_INVALID, { "groups \"1\"", "2 to 73" } },
    { "dragonfly:6,groups=10,trunking=9",
      NB_INVALID,
      { "trunking \"9\"", "1 to 8", "72 global channels for 9 other groups" } },
    { "dragonfly:2,a=0x4", NB_INVALID, { "a \"0x4\"" } },
    { "dragonfly:2,a=4x0", NB_INVALID, { "a \"4x0\"" } },
    { "dragonfly:2,a=2x2x2", NB_INVALID, { "a \"2x2x2\"", "2 numbers" } },
    { "dragonfly:2,a=-4", NB_INVALID, { "-4" } },
    { "dragonfly:2,arrangement=fir", NB_INVALID, { "\"fir\"", "palmtree" } },
    { "dragonfly:2,seed=-1", NB_INVALID, { "seed", "-1" } },
    { "dragonfly:1000000,a=1000000x1000000",
      NB_NO_MEMORY,
      { "1e+30 routers", "MiB" } },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        topology_must_refuse(refusals[i].specification, refusals[i].status,
                             refusals[i].texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels), cmocka_unit_test(test_global_links),
        cmocka_unit_test(test_palmtree), cmocka_unit_test(test_consecutive),
        cmocka_unit_test(test_symmetry), cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
