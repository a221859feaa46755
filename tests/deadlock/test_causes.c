/* Causes of dependencies: there is one exactly for what a plain search of every
 * route shows, and the check agrees with following the packets of the pair,
 * also after a change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/route_waits.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "deadlock/causes.h"

enum { DRAWS = 60, CHANGES = 24 };
#define NOTHING SIZE_MAX

/* Part of a cause: the path of one packet. */
struct part {
    const struct nb_cause *cause;
    const uint32_t *channel;
    size_t length, held, wanted; /* NOTHING: not on this path */
};

/* Whether a packet at a node, after `index` hops, may go on to the end. */
static bool goes_on(const struct route_pair *pair, const struct part *part,
                    size_t node, size_t index)
{
    const unsigned classes = pair->classes->count;
    const struct route_node *at = &pair->node[node];
    if (index == part->length)
        return at->first == at->end;
    for (size_t h = at->first; h < at->end; h++) {
        const struct route_hop *hop = &pair->hop[h];
        const uint32_t from = part->cause->from, to = part->cause->to;
        const bool is_held =
            index != part->held || (from / classes == hop->channel &&
                                    (hop->set >> from % classes & 1) != 0);
        const bool is_wanted =
            index != part->wanted || (to / classes == hop->channel &&
                                      (hop->wanted >> to % classes & 1) != 0);
        const bool is_between = (part->held == NOTHING || index > part->held) &&
                                index < part->wanted;
        if (hop->channel == part->channel[index] && is_held && is_wanted &&
            (!is_between || hop->wanted == 0) &&
            goes_on(pair, part, hop->node, index + 1))
            return true;
    }
    return false;
}

static bool part_holds(struct route_pair *pair, const struct part *part,
                       uint32_t source, uint32_t destination)
{
    bool holds = false;
    if (!walk_has_pair(pair->classes->routing, source, destination))
        return false;
    route_pair_follow(pair, source, destination);
    for (size_t i = 0; i < pair->begun; i++)
        holds |= goes_on(pair, part, i, 0);
    return holds;
}

/* Whether the packets of a cause may wait as it says. */
static bool plain_holds(struct route_pair *pair, const struct nb_cause *cause)
{
    const size_t joint = cause->joint;
    if (cause->held >= cause->wanted || cause->wanted >= cause->length)
        return false;
    if (joint == 0)
        return part_holds(pair,
                          &(struct part){ cause, cause->channel, cause->length,
                                          cause->held, cause->wanted },
                          cause->source, cause->destination);
    if (cause->held >= joint || joint > cause->wanted)
        return false;
    const uint32_t router =
        pair->classes->routing->topology->channels[cause->channel[joint - 1]]
            .target;
    return part_holds(pair,
                      &(struct part){ cause, cause->channel, joint, cause->held,
                                      NOTHING },
                      cause->source, router) &&
           part_holds(pair,
                      &(struct part){ cause, cause->channel + joint,
                                      cause->length - joint, NOTHING,
                                      cause->wanted - joint },
                      router, cause->destination);
}

/* One network, its plain search, and random numbers. */
struct tried {
    const char *name;
    struct route_waits waits;
    struct route_pair pair;
    struct nb_random random;
};

static uint32_t below(struct tried *tried, size_t bound)
{
    return (uint32_t)nb_random_below(&tried->random, bound);
}

static void check(struct tried *tried, const struct nb_cause *cause, int change)
{
    bool holds;
    const bool expected = plain_holds(&tried->pair, cause);
    assert_int_equal(nb_cause_check(&tried->waits.classes, cause, &holds, NULL),
                     NB_OK);
    TOPOLOGY_CHECK(
        holds == expected && (expected || change >= 0),
        "%s: %u to %u, from %u to %u, held %zu, wanted %zu, joint %zu of %zu, "
        "change %d: %d, not %d",
        tried->name, cause->from, cause->to, cause->source, cause->destination,
        cause->held, cause->wanted, cause->joint, cause->length, change, holds,
        expected);
}

/* Changes one or two members to values in their range. */
static void check_changes(struct tried *tried, struct nb_cause *cause)
{
    const struct nb_topology *topology = tried->waits.classes.routing->topology;
    const struct nb_cause given = *cause;
    check(tried, cause, -1);
    for (int i = 0; i < CHANGES; i++) {
        const size_t at = below(tried, given.length);
        const uint32_t channel = given.channel[at];
        for (int twice = 0; twice < 1 + i % 2; twice++)
            switch (below(tried, 9)) {
            case 0:
                cause->held = below(tried, given.length + 1);
                break;
            case 1:
                cause->wanted = below(tried, given.length + 1);
                break;
            case 2:
                cause->joint = below(tried, given.length + 1);
                break;
            case 3:
                cause->from = below(tried, tried->waits.graph.count);
                break;
            case 4:
                cause->to = below(tried, tried->waits.graph.count);
                break;
            case 5:
                cause->source = below(tried, topology->router_count);
                break;
            case 6:
                cause->destination = below(tried, topology->router_count);
                break;
            case 7:
                cause->length = below(tried, given.length) + 1;
                break;
            default:
                given.channel[at] = below(tried, topology->channel_count);
            }
        check(tried, cause, i);
        given.channel[at] = channel;
        *cause = given;
    }
}

/* A dependency and, since they make a cycle, the one back. */
static void check_both(struct tried *tried, uint32_t from, uint32_t to)
{
    const size_t n = tried->waits.graph.count;
    const bool *arc = tried->waits.graph.arc;
    uint32_t cycle[] = { from, to };
    const struct nb_order order = { .length = 2, .cycle = cycle };
    struct nb_causes causes;
    bool is_whole;
    assert_int_equal(
        nb_causes_find(&tried->waits.classes, &order, &causes, &is_whole, NULL),
        NB_OK);
    assert_int_equal(causes.count, 2);
    assert_int_equal(is_whole, arc[from * n + to] && arc[to * n + from]);
    for (size_t i = 0; i < 2; i++) {
        struct nb_cause *cause = &causes.cause[i];
        assert_int_equal(cause->from, cycle[i]);
        assert_int_equal(cause->to, cycle[1 - i]);
        TOPOLOGY_CHECK((cause->channel != NULL) ==
                           arc[cycle[i] * n + cycle[1 - i]],
                       "%s: %u to %u", tried->name, cycle[i], cycle[1 - i]);
        if (cause->channel != NULL)
            check_changes(tried, cause);
    }
    nb_causes_release(&causes);
}

/* Two messages that meet at a router. */
static void check_joint(struct tried *tried, uint32_t from, uint32_t to,
                        uint32_t router)
{
    const size_t n = tried->waits.graph.count;
    struct nb_cause cause;
    assert_int_equal(
        nb_cause_join(&tried->waits.classes, from, to, router, &cause, NULL),
        NB_OK);
    TOPOLOGY_CHECK((cause.length > 0) ==
                       (tried->waits.is_last[router * n + from] &&
                        tried->waits.is_first[router * n + to]),
                   "%s: %u to %u at %u", tried->name, from, to, router);
    if (cause.length > 0) {
        assert_true(cause.joint > 0);
        check_changes(tried, &cause);
    }
    nb_delete(cause.channel);
}

/* A random vertex: a class that packets may always fall back on. */
static uint32_t draw_any(struct tried *tried)
{
    const struct nb_vc_classes *classes = &tried->waits.classes;
    uint32_t vertex;
    do {
        vertex = below(tried, tried->waits.graph.count);
    } while (nb_vc_classes_escape(classes,
                                  UINT64_C(1) << vertex % classes->count) == 0);
    return vertex;
}

/* A random one of the vertices marked in a row, if there are any. */
static uint32_t draw(struct tried *tried, const bool *row)
{
    const size_t n = tried->waits.graph.count;
    uint32_t vertex = draw_any(tried);
    for (size_t i = 0; i < n && !row[vertex]; i++)
        vertex = (uint32_t)((vertex + 1) % n);
    return vertex;
}

static void check_causes(const struct problem *problem, const char *name)
{
    struct tried tried = { .name = name };
    route_waits_open(&tried.waits, &problem->routing, name);
    route_pair_open(&tried.pair, &tried.waits.classes, name);
    nb_random_init(&tried.random, 1, 0);
    const size_t n = tried.waits.graph.count;
    for (int i = 0; i < DRAWS; i++) {
        const uint32_t any = draw_any(&tried);
        const uint32_t router = below(&tried, problem->topology.router_count);
        check_both(&tried, any, draw(&tried, tried.waits.graph.arc + any * n));
        if (problem->topology.terminals[router] > 0)
            check_joint(&tried, draw(&tried, tried.waits.is_last + router * n),
                        i % 3 == 0
                            ? draw_any(&tried)
                            : draw(&tried, tried.waits.is_first + router * n),
                        router);
    }
    route_pair_close(&tried.pair);
    route_waits_close(&tried.waits);
}

static void test_causes(void **state)
{
    static const char *const cases[] = {
        "min@ring:5",          "min@mesh:3x3",        "val@ring:5",
        "romm@mesh:3x3",       "goal@torus:3x3",      "goal@ring:6",
        "goal@mesh:3x3",       "min-adaptive@ring:6", "min-adaptive@mesh:3x3",
        "cqr@ring:6",          "gal@ring:5",          "par@dragonfly:h=1",
        "ugal@dragonfly:h=1",  "updown@ring:5",       "lash@ring:5",
        "min@fattree:k=2,n=2",
    };
    (void)state;
    problem_each_of(cases, sizeof cases / sizeof *cases, check_causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_causes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
