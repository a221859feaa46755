/* The switches of qcn-switch, written out once more from [Benito2020, sections
 * 2.4.1 and 4.6], for drawn buffers, packets and notifications. */
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

#include <math.h>

enum { MOST_CHANNELS = 40, MOST_ROUTERS = 12, MOST_SENT = 4096, CYCLES = 3000 };

struct rule {
    const char *topology, *routing;
    bool is_compared, is_input, is_processed, forgets;
    uint32_t flight; /* more cycles of each hop */
    uint64_t interval, packets;
    double share, reference, weight, limit, increase, below, above;
};

/* The port of a channel. */
struct port {
    double probability, filled;
    uint64_t sampled, trusted;
    int feedback;
};

struct notification {
    uint64_t cycle;
    uint32_t port;
    int feedback;
    bool has_come;
};

/* The scheme's view of a network, and what the switches must do. */
struct switches {
    const struct rule *rule;
    struct problem problem;
    struct nb_view view;
    struct nb_random random, drawing; /* of the network; of the test */
    struct nb_random copy;            /* of the network's, for the model */
    uint32_t hops[MOST_ROUTERS][MOST_ROUTERS]; /* [target][source] */
    uint64_t passed[MOST_CHANNELS];
    struct nb_sample sample[MOST_CHANNELS];
    bool has_sample[MOST_CHANNELS];
    struct port port[MOST_CHANNELS];
    struct notification sent[MOST_SENT];
    size_t sent_count, lost;
};

static uint32_t below(struct switches *s, uint64_t bound)
{
    return (uint32_t)nb_random_below(&s->drawing, bound);
}

/* The first channel of a shortest path; NB_NONE at its end. */
static uint32_t first_channel(const struct switches *s, uint32_t from,
                              uint32_t to)
{
    const struct nb_topology *topology = &s->problem.topology;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == from &&
            s->hops[to][topology->channels[c].target] + 1 == s->hops[to][from])
            return c;
    return NB_NONE;
}

static struct nb_way given_way(const void *network, nb_route_state state,
                               uint32_t router, uint32_t destination)
{
    (void)state;
    return (struct nb_way){
        .channel = first_channel(network, router, destination),
    };
}

static uint64_t given_passed(const void *network, uint32_t channel)
{
    return ((const struct switches *)network)->passed[channel];
}

static uint32_t given_latency(const void *network, uint32_t channel)
{
    const struct switches *s = network;
    return 1 + s->rule->flight + 7 * channel % 5;
}

static bool given_sample(const void *network, uint32_t channel, bool is_input,
                         uint64_t drawn, struct nb_sample *out)
{
    const struct switches *s = network;
    (void)drawn;
    assert_int_equal(is_input, s->rule->is_input);
    *out = s->sample[channel];
    return s->has_sample[channel];
}

static void switches_open(struct switches *s, const struct rule *rule)
{
    *s = (struct switches){ .rule = rule };
    problem_open(&s->problem, rule->topology, rule->routing);
    const struct nb_topology *topology = &s->problem.topology;
    const struct nb_routing *routing = &s->problem.routing;
    assert_true(topology->channel_count <= MOST_CHANNELS &&
                topology->router_count <= MOST_ROUTERS);
    for (uint32_t r = 0; r < topology->router_count; r++)
        walk_shortest(topology, r, s->hops[r]);
    for (size_t c = 0; c < topology->channel_count; c++)
        s->port[c].probability = 1;
    nb_random_init(&s->random, 11, 0);
    nb_random_init(&s->drawing, 12, 0);
    s->view = (struct nb_view){
        .network = s,
        .way = given_way,
        .passed = given_passed,
        .latency = given_latency,
        .sample = given_sample,
        .random = &s->random,
        .memory = nb_new_array(1, routing->kind->memory(routing)),
    };
    assert_non_null(s->view.memory);
}

static void switches_close(struct switches *s)
{
    nb_delete(s->view.memory);
    problem_close(&s->problem);
}

/* Packets cross channels, and the buffers change. */
static void draw(struct switches *s)
{
    const struct nb_topology *topology = &s->problem.topology;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        s->passed[c] += below(s, 4);
        s->has_sample[c] = below(s, 8) > 0;
        const uint32_t router = s->rule->is_input
                                    ? topology->channels[c].target
                                    : topology->channels[c].source;
        const uint32_t first = topology->out_start[router];
        const uint32_t own = topology->out_start[router + 1] - first;
        const uint32_t output = below(s, own + 1);
        s->sample[c] = (struct nb_sample){
            .filled = below(s, 33) / 32.0,
            .source =
                below(s, 3) == 0 ? router : below(s, topology->router_count),
            .output = !s->rule->is_input ? c
                      : output == own    ? NB_NONE
                                         : first + output,
        };
    }
}

/* A port learns of congestion. */
static void notify(struct switches *s, uint32_t port, int feedback)
{
    const struct nb_topology *topology = &s->problem.topology;
    const struct rule *rule = s->rule;
    struct port *at = &s->port[port];
    double sum = 0, ports = 0, probability = at->probability;
    at->feedback = feedback;
    at->trusted = s->passed[port];
    for (size_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == topology->channels[port].source) {
            sum += s->port[c].feedback;
            ports++;
        }
    const double mean = sum / ports;
    if (!rule->is_compared)
        probability *= 1 - rule->limit * feedback;
    else if (feedback > mean + rule->above)
        probability *= 1 - rule->limit * (feedback - mean);
    else if (feedback < mean - rule->below)
        probability += rule->increase;
    at->probability = fmin(1, fmax(0, probability));
}

/* A notification travels along the shortest path between the buffer's switch
 * and the source. */
static void send(struct switches *s, uint32_t router, uint32_t source,
                 int feedback, uint64_t cycle)
{
    const struct nb_topology *topology = &s->problem.topology;
    const uint32_t port = first_channel(s, source, router);
    size_t under_way = 0;
    for (uint32_t at = source; at != router;) {
        const uint32_t c = first_channel(s, at, router);
        cycle += given_latency(s, c);
        at = topology->channels[c].target;
    }
    for (size_t n = 0; n < s->sent_count; n++)
        under_way += !s->sent[n].has_come;
    if (under_way == 16 * topology->channel_count) {
        s->lost++;
        return;
    }
    for (size_t n = 0; s->sent_count == MOST_SENT && n < MOST_SENT; n++)
        if (!s->sent[n].has_come) { /* forget those before */
            for (size_t m = n; m < MOST_SENT; m++)
                s->sent[m - n] = s->sent[m];
            s->sent_count -= n;
            break;
        }
    assert_true(s->sent_count < MOST_SENT);
    s->sent[s->sent_count++] =
        (struct notification){ cycle, port, feedback, false };
}

static void take_sample(struct switches *s, uint32_t channel, uint64_t cycle)
{
    const struct rule *rule = s->rule;
    const struct nb_channel *ends = &s->problem.topology.channels[channel];
    const struct nb_sample *sample = &s->sample[channel];
    const uint32_t router = rule->is_input ? ends->target : ends->source;
    struct port *port = &s->port[channel];
    nb_random_next(&s->copy); /* which packet of the buffer */
    if (!s->has_sample[channel])
        return;
    const double above = sample->filled - rule->reference +
                         rule->weight * (sample->filled - port->filled);
    if (above <= 0 || nb_random_unit(&s->copy) >= rule->share)
        return;
    const int feedback = (int)fmin(63, floor(63 * above / rule->reference));
    port->filled = sample->filled;
    if (sample->output != NB_NONE &&
        (rule->is_processed || (!rule->is_input && sample->source == router)))
        notify(s, sample->output, feedback);
    if (sample->source != router)
        send(s, router, sample->source, feedback, cycle);
}

/* One cycle of the model. */
static void observe(struct switches *s, uint64_t cycle)
{
    const struct rule *rule = s->rule;
    for (size_t n = 0; n < s->sent_count; n++)
        if (!s->sent[n].has_come && s->sent[n].cycle <= cycle) {
            s->sent[n].has_come = true;
            notify(s, s->sent[n].port, s->sent[n].feedback);
        }
    for (uint32_t c = 0; c < s->problem.topology.channel_count; c++) {
        struct port *port = &s->port[c];
        if (s->passed[c] >= port->trusted + rule->packets) {
            port->trusted = s->passed[c];
            port->probability = fmin(1, port->probability + rule->increase);
            port->feedback = rule->forgets ? 0 : port->feedback;
        }
        if (s->passed[c] >= port->sampled + rule->interval) {
            port->sampled = s->passed[c];
            take_sample(s, c, cycle);
        }
    }
}

/* Whether a packet goes straight: the first start, if it is not dearer. */
static bool goes_straight(const struct switches *s, uint32_t source,
                          uint32_t destination)
{
    const struct nb_routing *routing = &s->problem.routing;
    struct nb_start starts[2];
    uint64_t cost[2];
    assert_true(routing->most_starts <= 2);
    assert_int_equal(nb_route_starts(routing, source, destination, starts), 2);
    for (size_t i = 0; i < 2; i++) {
        const nb_route_state state =
            nb_route_begin(routing, &starts[i], 0, source, destination);
        const struct nb_candidate candidate = {
            .start = &starts[i],
            .index = i,
            .state = state,
            .target = nb_route_target(routing, state, source, destination),
        };
        cost[i] = routing->kind->cost(routing, &s->view, source, destination,
                                      &candidate);
    }
    return cost[0] <= cost[1];
}

/* A packet goes straight within its group, and otherwise with the probability
 * of its port: by a number that the model draws too. */
static void check_packet(struct switches *s, uint64_t cycle)
{
    const struct nb_topology *topology = &s->problem.topology;
    const uint32_t *group = topology->groups.of;
    const uint32_t n = (uint32_t)topology->router_count;
    const uint32_t source = below(s, n);
    const uint32_t destination = (source + 1 + below(s, n - 1)) % n;
    const uint32_t port = first_channel(s, source, destination);
    const bool is_straight =
        group[source] == group[destination] ||
        nb_random_unit(&s->copy) < s->port[port].probability;
    TOPOLOGY_CHECK(goes_straight(s, source, destination) == is_straight,
                   "%s, cycle %d: %u to %u, probability %g: %d",
                   s->rule->routing, (int)cycle, source, destination,
                   s->port[port].probability, is_straight);
}

static void check_rule(const struct rule *rule)
{
    static struct switches s;
    const struct nb_routing *routing = &s.problem.routing;
    double least = 1;
    switches_open(&s, rule);
    s.copy = s.random;
    for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
        draw(&s);
        routing->kind->observe(routing, &s.view, cycle);
        observe(&s, cycle);
        for (int packet = 0; packet < 4; packet++)
            check_packet(&s, cycle);
        for (size_t c = 0; c < s.problem.topology.channel_count; c++)
            least = fmin(least, s.port[c].probability);
    }
    TOPOLOGY_CHECK(least < 0.9 && (s.lost > 0) == (rule->flight > 0),
                   "%s: at least %g, %zu lost", rule->routing, least, s.lost);
    switches_close(&s);
}

/* Before the first cycle, and without a running network, all go straight. */
static void test_rest(void **state)
{
    const struct rule rule = { .topology = "dragonfly:h=1",
                               .routing = "qcn-switch" };
    static struct switches s;
    (void)state;
    switches_open(&s, &rule);
    s.copy = s.random;
    for (uint32_t source = 0; source < 6; source++)
        for (uint32_t destination = 0; destination < 6; destination++)
            if (source != destination)
                assert_true(goes_straight(&s, source, destination));
    s.view.random = NULL;
    s.problem.routing.kind->observe(&s.problem.routing, &s.view, 0);
    assert_true(goes_straight(&s, 0, 5));
    switches_close(&s);
}

static void test_rules(void **state)
{
    static const struct rule rules[] = {
        { .topology = "dragonfly:h=1",
          .routing = "qcn-switch:interval=5,packets=30",
          .is_compared = true,
          .interval = 5,
          .packets = 30,
          .share = 0.3,
          .reference = 0.2,
          .limit = 1 / 64.0,
          .increase = 0.01,
          .above = 30 },
        { .topology = "dragonfly:h=2,a=2,p=1",
          .routing = "qcn-switch:variant=base,interval=3,packets=7,reference=1/"
                     "4,share=1,weight=2,increase=0.2",
          .interval = 3,
          .packets = 7,
          .share = 1,
          .reference = 0.25,
          .weight = 2,
          .limit = 1 / 64.0,
          .increase = 0.2 },
        { .topology = "dragonfly:h=1",
          .routing = "qcn-switch:sampling=input,source-processing=yes,interval="
                     "4,packets=9,share=0.5,reference=1/2,increase=0.1,below=2,"
                     "above=5,forget=yes",
          .is_compared = true,
          .is_input = true,
          .is_processed = true,
          .forgets = true,
          .interval = 4,
          .packets = 9,
          .share = 0.5,
          .reference = 0.5,
          .limit = 1 / 64.0,
          .increase = 0.1,
          .below = 2,
          .above = 5 },
        { .topology = "dragonfly:h=1,groups=2,trunking=2",
          .routing = "qcn-switch:sampling=input,interval=2,packets=12,share=1,"
                     "reference=3/4,limit=1/128,increase=0.05,below=9,above=4",
          .is_compared = true,
          .is_input = true,
          .interval = 2,
          .packets = 12,
          .share = 1,
          .reference = 0.75,
          .limit = 1 / 128.0,
          .increase = 0.05,
          .below = 9,
          .above = 4 },
        { .topology = "dragonfly:h=1",
          .routing = "qcn-switch:source-processing=yes,variant=base,interval=1,"
                     "packets=2,share=1,reference=1/8,limit=1/8,increase=1/4",
          .is_processed = true,
          .flight = 100,
          .interval = 1,
          .packets = 2,
          .share = 1,
          .reference = 0.125,
          .limit = 0.125,
          .increase = 0.25 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        check_rule(&rules[i]);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
