/* Turns that close no cycle, compared with a plain graph of dependencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/dependencies.h"
#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "routing/acyclic.h"

enum { MOST_TURNS = 4000, DRAWN = 600 };

/* Draws a turn that goes on from a random channel. */
static struct nb_acyclic_arc draw(const struct nb_topology *topology,
                                  struct nb_random *random)
{
    struct nb_acyclic_arc arc;
    do {
        arc.from = (uint32_t)nb_random_below(random, topology->channel_count);
        const uint32_t r = topology->channels[arc.from].target;
        const uint32_t outs =
            topology->out_start[r + 1] - topology->out_start[r];
        arc.to =
            topology->out_start[r] + (uint32_t)nb_random_below(random, outs);
    } while (arc.from == arc.to);
    return arc;
}

/* Checks that a path consists of turns that were added. */
static void check_path(struct nb_acyclic *acyclic, struct nb_acyclic_arc arc,
                       uint32_t *before, const char *name)
{
    const size_t m = acyclic->turns->topology->channel_count;
    size_t length = 0;
    nb_acyclic_find_path(acyclic, arc.to, arc.from, before);
    for (uint32_t c = arc.from; c != arc.to; c = before[c]) {
        const size_t turn = nb_acyclic_turn(acyclic->turns, before[c], c);
        TOPOLOGY_CHECK(acyclic->uses[turn] > 0 && length++ < m,
                       "%s: no turn from %u to %u", name, before[c], c);
    }
}

/* Adds random turns and takes others out again. */
static void follow_plain_graph(const struct problem *problem, const char *name)
{
    static struct nb_acyclic_arc added[MOST_TURNS];
    const struct nb_topology *topology = &problem->topology;
    struct nb_acyclic_turns turns = { 0 };
    struct nb_acyclic acyclic = { 0 };
    struct nb_random random;
    uint32_t *before = nb_new_array(topology->channel_count, sizeof *before);
    size_t count = 0;
    nb_random_init(&random, 1, 0);
    assert_int_equal(nb_acyclic_turns_init(topology, &turns, NULL), NB_OK);
    assert_int_equal(nb_acyclic_init(&turns, NULL, &acyclic, NULL), NB_OK);
    for (size_t i = 0; i < DRAWN; i++) {
        struct dependencies plain;
        const struct nb_acyclic_arc arc = draw(topology, &random);
        const uint32_t path[] = { arc.from, arc.to };
        dependencies_open(&plain, topology->channel_count);
        for (size_t a = 0; a < count; a++)
            dependencies_add(&plain, added[a].from, added[a].to);
        const bool fits = dependencies_accept(&plain, path, 2);
        dependencies_close(&plain);
        TOPOLOGY_CHECK(nb_acyclic_closes(&acyclic, arc.from, arc.to) == !fits,
                       "%s: turn %zu, from %u to %u", name, i, arc.from,
                       arc.to);
        if (!fits)
            check_path(&acyclic, arc, before, name);
        assert_int_equal(nb_acyclic_add(&acyclic, arc.from, arc.to), fits);
        if (fits)
            added[count++] = arc;
        if (count > 0 && nb_random_below(&random, 4) == 0) {
            const size_t out = nb_random_below(&random, count);
            nb_acyclic_remove(&acyclic, added[out].from, added[out].to);
            added[out] = added[--count];
        }
    }
    nb_acyclic_release(&acyclic);
    nb_acyclic_turns_release(&turns);
    nb_delete(before);
}

static void test_random_turns(void **state)
{
    (void)state;
    graph_each_linked(12, follow_plain_graph);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
