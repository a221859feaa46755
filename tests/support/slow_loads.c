#include "slow_loads.h"

#include "core/memory.h"
#include "core/random.h"
#include "topology_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SLOW_HOPS = 64 };

static void problem_add_routing(struct problem *problem, const char *routing)
{
    struct nb_error err = { 0 };
    if (nb_routing_build(routing, &problem->topology, &problem->routing,
                         &err) != NB_OK)
        fail_msg("%s: %s", routing, err.message);
}

void problem_open(struct problem *problem, const char *topology,
                  const char *routing)
{
    *problem = (struct problem){ 0 };
    topology_must_build(topology, &problem->topology);
    problem_add_routing(problem, routing);
}

void problem_open_file(struct problem *problem, const char *text,
                       const char *ending, const char *parameters,
                       const char *routing)
{
    *problem = (struct problem){ 0 };
    topology_must_build_file(text, ending, parameters, &problem->topology);
    problem_add_routing(problem, routing);
}

void problem_close(struct problem *problem)
{
    nb_routing_release(&problem->routing);
    nb_topology_release(&problem->topology);
}

void slow_random_graph(uint64_t seed, uint32_t n, uint32_t most_terminals,
                       char *text, size_t size)
{
    struct nb_random random;
    nb_random_init(&random, seed, 0);
    uint32_t left = most_terminals - 1;
    size_t at = (size_t)snprintf(
        text, size,
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminals\"/>"
        "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\"/>"
        "<graph edgedefault=\"directed\">");
    for (uint32_t r = 0; r < n; r++) {
        uint32_t terminals = (uint32_t)nb_random_below(&random, 3);
        terminals = terminals < left ? terminals : left;
        left -= terminals;
        terminals += r == 0;
        at += (size_t)snprintf(
            text + at, size - at,
            "<node id=\"%u\"><data key=\"t\">%u</data></node>", r, terminals);
    }
    for (uint32_t e = 0; e < 2 * n; e++) {
        const uint32_t from = e < n ? e : (uint32_t)nb_random_below(&random, n);
        const uint32_t step =
            e < n ? 1 : 1 + (uint32_t)nb_random_below(&random, n - 1);
        at += (size_t)snprintf(text + at, size - at,
                               "<edge source=\"%u\" target=\"%u\">"
                               "<data key=\"b\">%u/4</data></edge>",
                               from, (from + step) % n,
                               1 + (uint32_t)nb_random_below(&random, 8));
    }
    at += (size_t)snprintf(text + at, size - at, "</graph></graphml>");
    assert_true(at < size);
}

void slow_layered_graph(uint32_t layers, char *text, size_t size)
{
    struct nb_random random;
    nb_random_init(&random, 20020815, 0);
    size_t at = (size_t)snprintf(
        text, size,
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminals\"/>"
        "<graph edgedefault=\"directed\">");
    for (uint32_t r = 0; r < 4 * layers; r++)
        at += (size_t)snprintf(
            text + at, size - at,
            "<node id=\"%u\"><data key=\"t\">%d</data></node>", r, r % 4 == 0);
    for (uint32_t r = 0; r < 4 * layers; r++) {
        const uint32_t left_out = (uint32_t)nb_random_below(&random, 5);
        for (uint32_t k = 0; k < 4; k++)
            if (k == r % 4 || k != left_out)
                at += (size_t)snprintf(text + at, size - at,
                                       "<edge source=\"%u\" target=\"%u\"/>", r,
                                       (r / 4 + 1) % layers * 4 + k);
    }
    at += (size_t)snprintf(text + at, size - at, "</graph></graphml>");
    assert_true(at < size);
}

/* One packet's way. */
struct slow_walk {
    const struct nb_routing *routing;
    const struct nb_route_table *table; /* [router] */
    struct slow_loads *loads;
    uint32_t from, to;
};

static void slow_follow(const struct slow_walk *walk, nb_route_state state,
                        uint32_t router, struct nb_ratio chance)
{
    const struct nb_routing *routing = walk->routing;
    const struct nb_routing_kind *kind = routing->kind;
    struct nb_hop hops[SLOW_HOPS];
    const uint32_t target = kind->target != NULL
                                ? kind->target(routing, state, router, walk->to)
                                : walk->to;
    const size_t count =
        kind->step(routing, routing->needs_table ? &walk->table[target] : NULL,
                   state, router, walk->to, hops);
    uint64_t total = 0;
    for (size_t h = 0; h < count; h++)
        total += hops[h].weight;
    if (count == 0)
        assert_int_equal(router, walk->to);
    const size_t n = walk->loads->routers;
    for (size_t h = 0; h < count; h++) {
        const struct nb_ratio part = nb_ratio_multiply(
            chance, nb_ratio_make((nb_int128)hops[h].weight, (nb_int128)total));
        struct nb_ratio *cell =
            &walk->loads
                 ->cell[(hops[h].channel * n + walk->from) * n + walk->to];
        *cell = nb_ratio_add(*cell, part);
        assert_true(nb_ratio_is_known(*cell));
        slow_follow(walk, hops[h].next,
                    routing->topology->channels[hops[h].channel].target, part);
    }
}

static void slow_follow_all(struct slow_walk *walk)
{
    const struct nb_routing *routing = walk->routing;
    const uint64_t starts = routing->kind->start_count(routing);
    const size_t n = walk->loads->routers;
    for (walk->from = 0; walk->from < n; walk->from++)
        for (walk->to = 0; walk->to < n; walk->to++)
            for (uint64_t s = 0; s < starts; s++)
                slow_follow(
                    walk,
                    routing->kind->start(routing, s, walk->from, walk->to),
                    walk->from, nb_ratio_make(1, (nb_int128)starts));
}

void slow_loads_find(const struct nb_routing *routing, struct slow_loads *out)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    struct nb_route_table *table = nb_new_array(n, sizeof *table);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    const size_t cells = topology->channel_count * n * n;
    assert_true(routing->most_hops <= SLOW_HOPS);
    out->routers = n;
    out->cell = nb_new_array(cells, sizeof *out->cell);
    for (size_t k = 0; k < cells; k++)
        out->cell[k] = nb_ratio_zero;
    for (uint32_t r = 0; r < n; r++) {
        assert_int_equal(nb_route_table_init(topology, &table[r], NULL), NB_OK);
        nb_route_table_fill(topology, r, &table[r], queue);
    }
    struct slow_walk walk = { .routing = routing,
                              .table = table,
                              .loads = out };
    slow_follow_all(&walk);
    for (size_t r = 0; r < n; r++)
        nb_route_table_release(&table[r]);
    nb_delete(table);
    nb_delete(queue);
}

void slow_loads_release(struct slow_loads *loads)
{
    nb_delete(loads->cell);
    *loads = (struct slow_loads){ 0 };
}

int64_t slow_matrix(const struct slow_loads *loads,
                    const struct nb_topology *topology, uint32_t channel,
                    int64_t *matrix)
{
    const size_t n = loads->routers, t = topology->terminal_count;
    const struct nb_ratio *cell = loads->cell + channel * n * n;
    uint32_t router[SLOW_TERMINALS] = { 0 };
    size_t count = 0;
    int64_t denominator = 1;
    assert_true(t <= SLOW_TERMINALS);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = 0; k < topology->terminals[r]; k++)
            router[count++] = r;
    for (size_t k = 0; k < n * n; k++) {
        const int64_t own = cell[k].denominator;
        denominator *=
            own / (int64_t)nb_gcd((uint64_t)own, (uint64_t)denominator);
        assert_true(denominator > 0 && denominator < (int64_t)1 << 40);
    }
    for (size_t k = 0; k < t * t; k++) {
        const struct nb_ratio load = cell[router[k / t] * n + router[k % t]];
        matrix[k] = load.numerator * (denominator / load.denominator);
    }
    return denominator;
}
