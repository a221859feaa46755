/* Schemes that compare going straight with a detour: their decision for drawn
 * queues, by the rules in words; and the networks that par accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "core/random.h"
#include "routing/two_phase.h"

enum { MOST_CHANNELS = 64, MOST_ROUTERS = 24, CHANNELS_OF = 4, TRIALS = 1500 };

/* What is compared. */
enum look { WHOLE, ALONG, VIRTUAL, HYBRID };

struct rule {
    const char *topology, *routing;
    enum look look;
    bool is_double; /* one queue against twice the other, instead of hops */
    int threshold;  /* of mixed traffic, for tpr */
    /* tpr: packets that left in the last `window` cycles; 0: no such rule */
    uint32_t window, low, high;
    int benign, adverse;
};

/* A network with drawn queues. Packets that go straight may use the virtual
 * channels 0 and 1, others 1 and 2. */
struct drawn {
    const struct rule *rule;
    struct problem problem;
    struct walk walk;
    struct nb_random random;
    uint32_t queue[MOST_CHANNELS];
    uint32_t part[MOST_CHANNELS][CHANNELS_OF]; /* of virtual channels */
    uint32_t hops[MOST_ROUTERS][MOST_ROUTERS]; /* [target][source] */
    /* [cycle % window][source][group] packets that left */
    uint32_t left[8][MOST_ROUTERS][MOST_ROUTERS];
    uint64_t cycle;
    struct nb_view view;
};

/* The first of the hops with the shortest queue. */
static struct nb_way drawn_way(const void *network, nb_route_state state,
                               uint32_t router, uint32_t destination)
{
    struct drawn *drawn = (struct drawn *)(uintptr_t)network;
    struct nb_way way = { .channel = NB_NONE };
    const size_t count = walk_step(&drawn->walk, state, router, destination);
    for (size_t h = 0; h < count; h++) {
        const struct nb_hop *hop = &drawn->walk.hops[h];
        if (h == 0 || drawn->queue[hop->channel] < way.queue)
            way = (struct nb_way){ hop->channel, hop->next,
                                   drawn->queue[hop->channel] };
    }
    return way;
}

static uint64_t drawn_permitted(const void *network, nb_route_state state,
                                uint32_t router, uint32_t destination,
                                uint32_t channel)
{
    (void)network, (void)destination, (void)channel;
    return nb_two_phase_is_first(state, router) ? 6 : 3;
}

static uint32_t drawn_buffered(const void *network, uint32_t channel,
                               uint32_t virtual_channel)
{
    const struct drawn *drawn = network;
    return drawn->part[channel][virtual_channel];
}

static uint32_t below(struct drawn *drawn, uint64_t bound)
{
    return (uint32_t)nb_random_below(&drawn->random, bound);
}

static void drawn_open(struct drawn *drawn, const struct rule *rule)
{
    *drawn = (struct drawn){ .rule = rule };
    problem_open(&drawn->problem, rule->topology, rule->routing);
    const struct nb_routing *routing = &drawn->problem.routing;
    const size_t n = drawn->problem.topology.router_count;
    assert_true(drawn->problem.topology.channel_count <= MOST_CHANNELS &&
                n <= MOST_ROUTERS);
    walk_open(&drawn->walk, routing, rule->routing);
    for (uint32_t r = 0; r < n; r++)
        walk_shortest(&drawn->problem.topology, r, drawn->hops[r]);
    nb_random_init(&drawn->random, 5, 0);
    drawn->view = (struct nb_view){
        .network = drawn,
        .way = drawn_way,
        .permitted = drawn_permitted,
        .buffered = drawn_buffered,
    };
    if (routing->kind->memory != NULL) {
        drawn->view.memory = nb_new_array(1, routing->kind->memory(routing));
        assert_non_null(drawn->view.memory);
    }
}

static void drawn_close(struct drawn *drawn)
{
    nb_delete(drawn->view.memory);
    walk_close(&drawn->walk);
    problem_close(&drawn->problem);
}

/* New queues; and for tpr a cycle in which some packets leave. */
static void draw(struct drawn *drawn)
{
    const struct nb_routing *routing = &drawn->problem.routing;
    const struct nb_topology *topology = &drawn->problem.topology;
    const uint32_t n = (uint32_t)topology->router_count;
    for (size_t c = 0; c < topology->channel_count; c++) {
        drawn->queue[c] = below(drawn, 9);
        for (int v = 0; v < CHANNELS_OF; v++)
            drawn->part[c][v] = below(drawn, 5);
    }
    if (drawn->rule->window == 0)
        return;
    uint32_t(*now)[MOST_ROUTERS] =
        drawn->left[drawn->cycle % drawn->rule->window];
    routing->kind->observe(routing, &drawn->view, drawn->cycle++);
    now = drawn->left[drawn->cycle % drawn->rule->window];
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t g = 0; g < topology->groups.count; g++)
            now[r][g] = 0;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t p = below(drawn, 3); p > 0; p--) {
            const uint32_t to = below(drawn, n);
            routing->kind->left(routing, &drawn->view, r, to, drawn->cycle);
            now[r][topology->groups.of[to]]++;
        }
}

static int64_t threshold_of(const struct drawn *drawn, uint32_t source,
                            uint32_t destination)
{
    const struct rule *rule = drawn->rule;
    const uint32_t *group = drawn->problem.topology.groups.of;
    uint32_t sum = 0;
    if (rule->window == 0)
        return rule->threshold;
    for (uint32_t c = 0; c < rule->window; c++)
        sum += drawn->left[c][source][group[destination]];
    return group[source] == group[destination] ? 0
           : sum < rule->low                   ? rule->benign
           : sum < rule->high                  ? rule->threshold
                                               : rule->adverse;
}

/* The sum of the queues that a packet would meet. */
static int64_t sum_along(const struct drawn *drawn, nb_route_state state,
                         uint32_t source, uint32_t destination)
{
    int64_t sum = 0;
    for (uint32_t router = source;;) {
        const struct nb_way way = drawn_way(drawn, state, router, destination);
        if (way.channel == NB_NONE)
            return sum;
        sum += way.queue;
        state = way.next;
        router = drawn->problem.topology.channels[way.channel].target;
    }
}

/* One of the two paths. through: its intermediate router, which is a detour
 * unless it is one of the ends. */
struct side {
    nb_route_state state;
    struct nb_way way;
    int64_t factor, parts;
};

static struct side side_of(const struct drawn *drawn, nb_route_state state,
                           uint32_t source, uint32_t through,
                           uint32_t destination, bool is_straight)
{
    struct side side = {
        .state = state,
        .way = drawn_way(drawn, state, source, destination),
        .factor = drawn->rule->is_double
                      ? (is_straight ? 1 : 2)
                      : (int64_t)drawn->hops[through][source] +
                            drawn->hops[destination][through],
    };
    const uint64_t set =
        drawn_permitted(drawn, state, source, destination, side.way.channel);
    for (unsigned v = 0; v < CHANNELS_OF; v++)
        if ((set >> v & 1) != 0)
            side.parts += drawn->part[side.way.channel][v];
    return side;
}

/* Whether a packet goes straight instead of through a router. */
static bool goes_straight(const struct drawn *drawn, nb_route_state straight,
                          nb_route_state detour, uint32_t source,
                          uint32_t through, uint32_t destination)
{
    const enum look look = drawn->rule->look;
    const int64_t threshold = threshold_of(drawn, source, destination);
    const struct side a =
        side_of(drawn, straight, source, destination, destination, true);
    struct side b = side_of(drawn, detour, source, through, destination, false);
    if (look == ALONG)
        return sum_along(drawn, straight, source, destination) <=
               sum_along(drawn, detour, source, destination) + threshold;
    const bool is_same = through == source || through == destination;
    if (is_same && look != WHOLE) /* it is the straight path */
        b = a;
    if (look == VIRTUAL || (look == HYBRID && a.way.channel == b.way.channel))
        return a.factor * a.parts <= b.factor * b.parts + threshold;
    return a.factor * a.way.queue <= b.factor * b.way.queue + threshold;
}

static uint64_t cost_of(const struct drawn *drawn, uint32_t source,
                        uint32_t destination, const struct nb_start *start,
                        size_t index, nb_route_state state)
{
    const struct nb_routing *routing = &drawn->problem.routing;
    const struct nb_candidate candidate = {
        .start = start,
        .index = index,
        .state = state,
        .target = nb_route_target(routing, state, source, destination),
    };
    return routing->kind->cost(routing, &drawn->view, source, destination,
                               &candidate);
}

static void check_pair(struct drawn *drawn, uint32_t source,
                       uint32_t destination)
{
    const struct nb_routing *routing = &drawn->problem.routing;
    struct nb_start starts[8];
    assert_true(routing->most_starts <= 8);
    const size_t count = nb_route_starts(routing, source, destination, starts);
    assert_true(count > 1 && starts[0].intermediates == 0);
    const nb_route_state straight =
        nb_route_begin(routing, &starts[0], 0, source, destination);
    const size_t s = 1 + below(drawn, count - 1);
    const uint64_t index = below(drawn, starts[s].intermediates);
    const nb_route_state detour =
        nb_route_begin(routing, &starts[s], index, source, destination);
    const uint32_t target =
        nb_route_target(routing, detour, source, destination);
    const bool expected =
        goes_straight(drawn, straight, detour, source, target, destination);
    const bool is_straight =
        cost_of(drawn, source, destination, &starts[0], 0, straight) <=
        cost_of(drawn, source, destination, &starts[s], s, detour);
    TOPOLOGY_CHECK(is_straight == expected, "%s@%s, %u to %u through %u: %d",
                   drawn->rule->routing, drawn->rule->topology, source,
                   destination, target, is_straight);
}

static void test_decisions(void **state)
{
    static const struct rule rules[] = {
        { .topology = "dragonfly:h=1", .routing = "ugal" },
        { .topology = "torus:4x3", .routing = "ugal" },
        { .topology = "mesh:3x3",
          .routing = "ugal:threshold=-3",
          .threshold = -3 },
        { .topology = "dragonfly:h=1",
          .routing = "ugal:compare=double,threshold=2,candidates=2",
          .is_double = true,
          .threshold = 2 },
        { .topology = "torus:3x3",
          .routing = "ugal:view=global,threshold=1",
          .look = ALONG,
          .threshold = 1 },
        { .topology = "dragonfly:h=1",
          .routing = "ugal:queue=virtual",
          .look = VIRTUAL },
        { .topology = "dragonfly:h=1",
          .routing = "ugal:queue=hybrid,threshold=1",
          .look = HYBRID,
          .threshold = 1 },
        { .topology = "dragonfly:h=1",
          .routing = "par:threshold=4",
          .threshold = 4 },
        { .topology = "dragonfly:h=1,a=2x2,p=1",
          .routing = "par:compare=double",
          .is_double = true },
        { .topology = "dragonfly:h=1",
          .routing = "par:view=global",
          .look = ALONG },
        { .topology = "dragonfly:h=1",
          .routing = "tpr:window=3,low=2,high=4,benign=6,threshold=1,"
                     "adverse=-5",
          .threshold = 1,
          .window = 3,
          .low = 2,
          .high = 4,
          .benign = 6,
          .adverse = -5 },
        { .topology = "dragonfly:h=1",
          .routing = "tpr:window=1,low=1,high=2,benign=3,threshold=-2,"
                     "adverse=-9,queue=virtual,restricted=no",
          .look = VIRTUAL,
          .threshold = -2,
          .window = 1,
          .low = 1,
          .high = 2,
          .benign = 3,
          .adverse = -9 },
        { .topology = "dragonfly:h=1",
          .routing = "tpr:window=7,low=3,high=3,compare=double,candidates=2,"
                     "policy=-gl",
          .is_double = true,
          .threshold = -30,
          .window = 7,
          .low = 3,
          .high = 3,
          .benign = 150,
          .adverse = -150 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct drawn drawn;
        drawn_open(&drawn, &rules[i]);
        const uint32_t n = (uint32_t)drawn.problem.topology.router_count;
        for (int trial = 0; trial < TRIALS; trial++) {
            const uint32_t source = below(&drawn, n);
            draw(&drawn);
            check_pair(&drawn, source, (source + 1 + below(&drawn, n - 1)) % n);
        }
        drawn_close(&drawn);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The fewest global channels on the way from each router. */
static void count_globals(const struct nb_topology *topology, uint32_t target,
                          uint32_t *globals)
{
    for (size_t r = 0; r < topology->router_count; r++)
        globals[r] = r == target ? 0 : NB_NONE - 1;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *at = &topology->channels[c];
            const uint32_t own =
                globals[at->target] + nb_channel_is_global(topology, c);
            if (own >= globals[at->source])
                continue;
            globals[at->source] = own;
            changes = true;
        }
    }
}

/* par is built exactly where all routers have terminals, there are several
 * groups, and no path needs more than one global channel. */
static void check_suits(const struct nb_topology *topology, const char *name)
{
    const size_t n = topology->router_count;
    uint32_t *globals;
    struct nb_routing routing;
    bool suits = topology->groups.count > 1;
    if (topology->groups.count == 0 || n > 100)
        return;
    globals = nb_new_array(n, sizeof *globals);
    assert_non_null(globals);
    for (uint32_t d = 0; d < n; d++) {
        count_globals(topology, d, globals);
        suits &= topology->terminals[d] > 0;
        for (size_t r = 0; r < n; r++)
            suits &= globals[r] <= 1;
    }
    nb_delete(globals);
    const enum nb_status status =
        nb_routing_build("par", topology, &routing, NULL);
    TOPOLOGY_CHECK(status == (suits ? NB_OK : NB_INVALID), "%s: %d, not %d",
                   name, (int)status, suits);
    if (status == NB_OK)
        nb_routing_release(&routing);
}

static void test_par_suits(void **state)
{
    static const char *const more[] = {
        "dragonfly:h=1,fail=0-1",
        "dragonfly:h=1,fail=random:1",
        "dragonfly:h=2,a=2,p=1,fail=random:2",
        "dragonfly:h=2,a=2,p=1,fail=router:3",
        "dragonfly:h=1,groups=2,trunking=2",
        "dragonfly:h=2,groups=3,p=1",
        "dragonfly:h=1,groups=3,a=2x2,p=1,trunking=1",
    };
    (void)state;
    topology_each_example(check_suits);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct nb_topology topology;
        topology_must_build(more[i], &topology);
        check_suits(&topology, more[i]);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_par_suits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
