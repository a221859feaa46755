#include "sim/equilibrium.h"

#include "core/memory.h"
#include "core/random.h"
#include "load/load_symmetry.h"
#include "queueing/joining.h"
#include "routing/walker.h"
#include "sim/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths that are told apart; means are compared in so many parts of a packet,
 * each drawn within so much of its value, relative. */
enum { NET_DEPTH = 256, NET_PARTS = 1024, NET_OPTIONS = 128 };
enum {
    NET_TOLD = 8,
    NET_LUMPS = 4
};                       /* inputs told apart; all others as so
                          * many */
enum { NET_DRAWS = 64 }; /* of means, in a round */
#define NET_SPREAD 0.01

/* Ways to begin that are compared in a round, at least. The rounds settle
 * first, until the means of two windows differ by less than that, relative;
 * then what they find is averaged. */
enum { NET_DECISIONS = 1 << 14, NET_FORCED = 4, NET_WINDOW = 10 };
enum { NET_AVERAGED = 100, NET_MEANS = 300, NET_MOST = 1000, NET_ROUGH = 300 };
/* Rounds after which it is looked for a channel that is full, and in which one
 * is all the time. */
enum { NET_LOOK = 40, NET_STUCK = 20 };
#define NET_SETTLED 5e-3
#define NET_JOIN    0.5   /* of new laws of joining */
#define NET_STEP    0.25  /* of what is drawn, until then */
#define NET_EXACT   1e-9  /* residual at which nothing moves any more */
#define NET_RARE    1e-4  /* P(longer than what is drawn) */
enum { NET_REACH = 6 };   /* lengths that are drawn at least */
#define NET_OVERFULL 1e-3 /* P(longer than all lengths) of a full channel */
/* Utilisation that is no error of what is drawn: a channel that others relieve
 * may be busy all the time. */
#define NET_MUCH 1.5
enum { NET_FIRST = 4 };     /* of the highest rate: the first one asked about */
#define NET_FULL (1 - 1e-3) /* utilisation of one, by means */

struct net_pair {
    uint32_t source, target;
    uint32_t least; /* hops of a shortest path */
    double rate;    /* at rate 1 */
};

struct net_node {
    size_t first;  /* its hops, up to the next node's first */
    size_t choice; /* of its hops; SIZE_MAX: there is one, or none */
    uint32_t router;
    uint32_t left; /* least number of hops to its target */
};

struct net_hop {
    uint32_t channel;
    uint32_t input; /* index of the channel among those into its target */
    uint32_t node;  /* of the same target */
};

/* Channels of a router of which the shortest queue is taken. */
struct net_choice {
    const struct net_hop *hop;
    size_t count;
    double *split;            /* [count] of transit packets */
    double *split_injected;   /* [count] of packets from terminals */
    double transit, injected; /* [packets/slot] that choose */
    struct net_choice *next;  /* of the router */
    struct net_choice *like;  /* the first whose channels are of the same
                               * orbits, which is found for all */
};

/* Channels that symmetry makes alike. */
struct net_orbit {
    uint32_t size;
    size_t inputs, sources;     /* of a channel */
    size_t told;                /* inputs that are told apart */
    double source_rate;         /* [packets/slot] that one of them sends */
    double load;                /* [packets/slot] of a channel */
    double *share;              /* [inputs] of the transit, largest first */
    double *transit, *injected; /* [NET_DEPTH] as of struct nb_joining */
    double *next_transit, *next_injected; /* the same, as they add up */
    double transit_only, injected_only;   /* that have no other channel */
    /* Of the lengths drawn: how many, and rates that joined. */
    double *visits, *joins; /* [NET_DEPTH] */
    size_t reach;           /* lengths that are drawn */
    double *next_visits, *next_joins;
    struct nb_joining_law law;
    /* P(length above n) of the law. */
    double *above_transit, *above_injected;
};

struct nb_equilibrium_net {
    struct nb_equilibrium_question asked;
    const struct nb_routing *routing, *phase;
    const struct nb_topology *topology;
    bool draws;      /* ways to begin are compared */
    size_t n, width; /* routers; inputs of a router, terminals the last */
    double total;    /* [packet/cycle] at rate 1 */
    struct net_pair *pair;
    size_t pair_count;

    /* Nodes target by target, of target t from target_node[t] on. */
    size_t *target_node; /* [n + 1] */
    struct net_node *node;
    struct net_hop *hop;
    uint32_t *order; /* of a target's nodes, each after those it leads to */
    size_t node_count, hop_count, node_room, hop_room, order_room;
    uint32_t *entry; /* [(target n + router) states + state] node of the target;
                      * NB_NONE: none */
    struct net_choice *choice;
    size_t choice_count;
    double *splits;

    size_t orbit_count;
    struct net_orbit *orbit;
    uint32_t *orbit_of; /* [channel] */
    uint32_t *input_of; /* [channel] index among those into its target */
    uint64_t cycle;
    size_t decisions; /* that are drawn in a round, about */

    /* By round. */
    double *flow[2];  /* [phase][node * width + input] that come there first */
    double *drawn[2]; /* the same, of the round */
    double *second;   /* [router n + target] that go on in a second phase */
    double *drawn_second;
    double *arrived; /* [router * width + input] at intermediate routers */
    double *work;    /* [node of one target * width] */
    double *turn;    /* [turn_start[channel] + input] */
    size_t *turn_start;
    double *load;                  /* [channel] */
    double minimal, drawn_minimal; /* [packet/slot] */
    uint32_t *length;              /* [channel] drawn .. */
    uint64_t *drawn_at;            /* [channel] .. in this cycle */
    uint8_t *is_probed;            /* [channel] */

    struct nb_random random;
    struct nb_equilibrium_net *self; /* what a view of it draws in */
    struct nb_routes routes;
    struct nb_routes *view_routes;
    struct nb_start *starts; /* [most_starts] scratch */
    struct nb_view view;
    struct nb_pool pool;
};

/* --- the network ---------------------------------------------------------- */

static enum nb_status net_check(const struct nb_routing *routing,
                                struct nb_error *err)
{
    const struct nb_routing_kind *kind = routing->kind;
    const struct nb_topology *topology = routing->topology;
    const char *why = NULL;
    if (kind->stands_for_any)
        why = "stands for any choice";
    else if (kind->is_deflecting)
        why = "deflects packets that are blocked";
    else if (routing->is_progressive)
        why = "chooses again on the way";
    else if (kind->is_deflecting)
        why = "deflects packets";
    else if (kind->has_injection_queues)
        why = "compares queues of its sources";
    else if (kind->left != NULL)
        why = "chooses by what happened before";
    if (why != NULL)
        return nb_fail(err, NB_INVALID,
                       "prediction of routing %s, which %s (permitted: schemes "
                       "that compare the queues of channels once, at the "
                       "source, and the next ones on the way)",
                       kind->kind.name, why);
    for (size_t c = 0; c < topology->channel_count; c++)
        if (nb_ratio_compare(topology->channels[c].bandwidth, nb_ratio_one) !=
            0)
            return nb_fail(err, NB_INVALID,
                           "prediction of routing %s over channels of other "
                           "bandwidths than 1 (permitted: 1, a packet of one "
                           "flit takes one cycle)",
                           kind->kind.name);
    return NB_OK;
}

static enum nb_status net_list_pairs(struct nb_equilibrium_net *net,
                                     struct nb_error *err)
{
    const struct nb_traffic *traffic = net->asked.traffic;
    uint64_t *rate = NULL;
    size_t room = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&rate, net->n, sizeof *rate, "rates", err));
    for (uint32_t d = 0; d < net->n; d++) {
        NB_TRY(nb_traffic_column(traffic, net->topology, d, rate, err));
        for (uint32_t s = 0; s < net->n; s++) {
            if (rate[s] == 0)
                continue;
            NB_TRY(nb_reserve(&net->pair, &room, net->pair_count + 1,
                              sizeof *net->pair, "pairs", err));
            net->pair[net->pair_count++] =
                (struct net_pair){ .source = s,
                                   .target = d,
                                   .rate = (double)rate[s] /
                                           (double)traffic->denominator };
            net->total += net->pair[net->pair_count - 1].rate;
        }
    }
done:
    nb_delete(rate);
    return status;
}

static size_t net_entry(const struct nb_equilibrium_net *net, uint32_t target,
                        uint32_t router, nb_route_state state)
{
    return (target * net->n + router) * net->phase->state_count + state;
}

/* Copies what the walker found of a target. */
static enum nb_status net_take(struct nb_equilibrium_net *net,
                               const struct nb_walker *walker, uint32_t target,
                               struct nb_error *err)
{
    const uint32_t *input = net->input_of;
    const size_t nodes = walker->node_count, hops = walker->hop_count;
    const char *what = "ways of packets";
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&net->node, &net->node_room, net->node_count + nodes + 1,
                      sizeof *net->node, what, err));
    NB_TRY(nb_reserve(&net->order, &net->order_room, net->node_count + nodes,
                      sizeof *net->order, what, err));
    NB_TRY(nb_reserve(&net->hop, &net->hop_room, net->hop_count + hops,
                      sizeof *net->hop, what, err));
    struct net_node *node = net->node + net->node_count;
    memcpy(net->order + net->node_count, walker->order,
           nodes * sizeof *net->order);
    for (size_t i = 0; i < nodes; i++) {
        const uint32_t v = walker->order[i];
        const struct nb_walk_node *from = &walker->node[v];
        node[v] = (struct net_node){ .first = net->hop_count + from->first,
                                     .choice = SIZE_MAX,
                                     .router = from->router };
        for (size_t h = from->first; h < from[1].first; h++) {
            const struct nb_walk_hop *hop = &walker->hop[h];
            net->hop[net->hop_count + h] =
                (struct net_hop){ hop->channel, input[hop->channel],
                                  hop->node };
            const uint32_t left = node[hop->node].left + 1;
            if (h == from->first || left < node[v].left)
                node[v].left = left;
        }
        net->entry[net_entry(net, target, from->router, from->state)] = v;
    }
    net->node_count += nodes;
    net->hop_count += hops;
    net->node[net->node_count].first = net->hop_count;
done:
    return status;
}

static enum nb_status net_walk(struct nb_equilibrium_net *net,
                               struct nb_error *err)
{
    const struct nb_topology *topology = net->topology;
    struct nb_walker walker = { 0 };
    uint32_t *endpoint = NULL;
    size_t count = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_init(net->phase, NULL, &walker, err));
    NB_TRY(nb_new(&endpoint, net->n, sizeof *endpoint, "routers", err));
    for (uint32_t r = 0; r < net->n; r++) {
        if (topology->terminals[r] > 0)
            endpoint[count++] = r;
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++)
            net->input_of[topology->in_channel[i]] = i - topology->in_start[r];
    }
    for (uint32_t t = 0; t < net->n; t++) {
        net->target_node[t] = net->node_count;
        if (topology->terminals[t] == 0)
            continue;
        NB_TRY(nb_walker_go(&walker, t, endpoint, count, 0, 0, err));
        NB_TRY(net_take(net, &walker, t, err));
    }
    net->target_node[net->n] = net->node_count;
done:
    nb_walker_release(&walker);
    nb_delete(endpoint);
    return status;
}

static bool net_is_choice(const struct net_choice *choice,
                          const struct net_hop *hop, size_t count)
{
    if (choice->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (choice->hop[i].channel != hop[i].channel)
            return false;
    return true;
}

/* Nodes of a router with the same channels have one choice. */
static enum nb_status net_find_choices(struct nb_equilibrium_net *net,
                                       struct nb_error *err)
{
    struct net_choice **of_router = NULL;
    size_t splits = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&net->choice, net->node_count, sizeof *net->choice, "choices",
                  err));
    NB_TRY(nb_new(&of_router, net->n, sizeof *of_router, "choices", err));
    for (size_t v = 0; v < net->node_count; v++) {
        struct net_node *node = &net->node[v];
        const struct net_hop *hop = net->hop + node->first;
        const size_t count = node[1].first - node->first;
        if (count < 2)
            continue;
        struct net_choice *found = of_router[node->router];
        while (found != NULL && !net_is_choice(found, hop, count))
            found = found->next;
        if (found == NULL) {
            found = &net->choice[net->choice_count++];
            *found = (struct net_choice){ .hop = hop,
                                          .count = count,
                                          .next = of_router[node->router] };
            of_router[node->router] = found;
            splits += count;
        }
        node->choice = (size_t)(found - net->choice);
    }
    NB_TRY(
        nb_new(&net->splits, 2 * splits, sizeof *net->splits, "choices", err));
    double *split = net->splits;
    for (size_t i = 0; i < net->choice_count; i++) {
        net->choice[i].split = split;
        net->choice[i].split_injected = split + net->choice[i].count;
        split += 2 * net->choice[i].count;
    }
done:
    nb_delete(of_router);
    return status;
}

static enum nb_status net_find_orbits(struct nb_equilibrium_net *net,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = net->topology;
    const size_t channels = topology->channel_count;
    struct nb_load_symmetry symmetry = { 0 };
    struct nb_pool *pool = &net->pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_load_symmetry_find(net->routing, net->asked.traffic, &symmetry,
                                 err));
    net->orbit_of = nb_pool_array(pool, channels, sizeof *net->orbit_of);
    net->orbit = nb_pool_array(pool, channels, sizeof *net->orbit);
    NB_TRY(nb_pool_check(pool, "queues", err));
    for (uint32_t c = 0; c < channels; c++) {
        const uint32_t router = topology->channels[c].source;
        if (symmetry.orbit[c] != c) {
            net->orbit_of[c] = net->orbit_of[symmetry.orbit[c]];
            continue;
        }
        struct net_orbit *orbit = &net->orbit[net->orbit_count];
        net->orbit_of[c] = (uint32_t)net->orbit_count++;
        orbit->size = symmetry.orbit_size[c];
        orbit->inputs =
            topology->in_start[router + 1] - topology->in_start[router];
        orbit->sources = topology->terminals[router];
        orbit->share = nb_pool_array(pool, orbit->inputs, sizeof(double));
        double **array[] = { &orbit->transit,       &orbit->injected,
                             &orbit->next_transit,  &orbit->next_injected,
                             &orbit->visits,        &orbit->joins,
                             &orbit->next_visits,   &orbit->next_joins,
                             &orbit->law.transit,   &orbit->law.injected,
                             &orbit->above_transit, &orbit->above_injected };
        for (size_t i = 0; i < sizeof array / sizeof *array; i++)
            *array[i] = nb_pool_array(pool, NET_DEPTH, sizeof(double));
    }
    NB_TRY(nb_pool_check(pool, "queues", err));
done:
    nb_load_symmetry_release(&symmetry);
    return status;
}

static bool net_is_like(const struct nb_equilibrium_net *net,
                        const struct net_choice *one,
                        const struct net_choice *other)
{
    if (one->count != other->count)
        return false;
    for (size_t m = 0; m < one->count; m++)
        if (net->orbit_of[one->hop[m].channel] !=
            net->orbit_of[other->hop[m].channel])
            return false;
    return true;
}

static void net_compare_choices(struct nb_equilibrium_net *net)
{
    for (size_t i = 0; i < net->choice_count; i++) {
        struct net_choice *choice = &net->choice[i];
        size_t first = 0;
        while (net->choice[first].like != &net->choice[first] ||
               !net_is_like(net, &net->choice[first], choice))
            if (++first >= i)
                break;
        choice->like = first < i ? &net->choice[first] : choice;
    }
}

static enum nb_status net_make_room(struct nb_equilibrium_net *net,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = net->topology;
    const size_t channels = topology->channel_count;
    const size_t flows = net->node_count * net->width;
    struct nb_pool *pool = &net->pool;
    size_t most = 0;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_memory_require(4.0 * (double)flows * sizeof(double), "flows", err));
    for (size_t p = 0; p < 2; p++) {
        net->flow[p] = nb_pool_array(pool, flows, sizeof(double));
        net->drawn[p] = nb_pool_array(pool, flows, sizeof(double));
    }
    net->second = nb_pool_array(pool, net->n * net->n, sizeof(double));
    net->drawn_second = nb_pool_array(pool, net->n * net->n, sizeof(double));
    net->arrived = nb_pool_array(pool, net->n * net->width, sizeof(double));
    for (size_t t = 0; t < net->n; t++)
        if (net->target_node[t + 1] - net->target_node[t] > most)
            most = net->target_node[t + 1] - net->target_node[t];
    net->work = nb_pool_array(pool, most * net->width, sizeof(double));
    net->load = nb_pool_array(pool, channels, sizeof(double));
    net->length = nb_pool_array(pool, channels, sizeof *net->length);
    net->drawn_at = nb_pool_array(pool, channels, sizeof *net->drawn_at);
    net->is_probed = nb_pool_array(pool, channels, sizeof *net->is_probed);
    net->turn_start = nb_pool_array(pool, channels + 1, sizeof(size_t));
    NB_TRY(nb_pool_check(pool, "flows", err));
    for (size_t c = 0; c < channels; c++) {
        const uint32_t r = topology->channels[c].source;
        net->turn_start[c + 1] = net->turn_start[c] +
                                 topology->in_start[r + 1] -
                                 topology->in_start[r];
    }
    net->turn = nb_pool_array(pool, net->turn_start[channels], sizeof(double));
    NB_TRY(nb_pool_check(pool, "flows", err));
done:
    return status;
}

/* --- what is drawn -------------------------------------------------------- */

static double net_mean_delay(const struct nb_equilibrium_net *net, double load)
{
    /* Beyond capacity it goes on rising, so that the comparison does. */
    const double within = fmin(load, NET_FULL);
    return nb_mean_delay_at(net->asked.delay, within) +
           (load - within) / ((1 - NET_FULL) * (1 - NET_FULL));
}

/* The length of a queue in the network drawn, in flits, or a mean in parts of
 * a packet; drawn when it is asked for first. */
static uint32_t net_length(struct nb_equilibrium_net *net, uint32_t channel)
{
    const struct net_orbit *orbit = &net->orbit[net->orbit_of[channel]];
    uint32_t n = 0;
    if (net->drawn_at[channel] == net->cycle)
        return net->length[channel];
    double drawn = nb_random_unit(&net->random);
    net->drawn_at[channel] = net->cycle;
    if (net->asked.compared == NB_COMPARED_MEANS) {
        const double within = 1 + NET_SPREAD * (2 * drawn - 1);
        n = (uint32_t)fmin(
            net_mean_delay(net, orbit->load) * within * NET_PARTS, 0x1p30);
    } else {
        for (; n + 1 < NET_DEPTH && drawn >= orbit->law.injected[n]; n++)
            drawn -= orbit->law.injected[n];
        n *= net->asked.flits;
    }
    net->length[channel] = n;
    return n;
}

static uint32_t net_queue(const void *context, uint32_t channel)
{
    const struct nb_equilibrium_net *net = context;
    return net_length(net->self, channel);
}

static uint32_t net_buffered(const void *context, uint32_t channel,
                             uint32_t virtual_channel)
{
    (void)context, (void)channel, (void)virtual_channel;
    return 0;
}

static uint32_t net_waiting(const void *context, uint32_t source,
                            uint32_t destination, size_t start)
{
    (void)context, (void)source, (void)destination, (void)start;
    return 0; /* nothing waits at a source */
}

static struct nb_way net_way(const void *context, nb_route_state state,
                             uint32_t router, uint32_t destination)
{
    const struct nb_equilibrium_net *net = context;
    return nb_routes_shortest(net->view_routes, &net->view, state, router,
                              destination);
}

/* One channel of each router at any length that it comes to, all alike. The
 * others keep to their laws, so that what joins it then is what does whenever
 * it is that long: lengths that are rare are known as well as the others. */
static void net_probe(struct nb_equilibrium_net *net)
{
    const struct nb_topology *topology = net->topology;
    memset(net->is_probed, 0, topology->channel_count);
    for (size_t r = 0; r < net->n; r++) {
        const uint32_t first = topology->out_start[r];
        const uint64_t count = topology->out_start[r + 1] - first;
        if (count == 0)
            continue;
        const size_t c = first + nb_random_below(&net->random, count);
        struct net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        const uint32_t length =
            (uint32_t)nb_random_below(&net->random, orbit->reach);
        net->length[c] = length * net->asked.flits;
        net->drawn_at[c] = net->cycle;
        net->is_probed[c] = 1;
        orbit->next_visits[length]++;
    }
}

/* How a packet begins; before the queues say anything, by the outset. */
static nb_route_state net_begin(struct nb_equilibrium_net *net,
                                const struct net_pair *pair, int outset)
{
    const struct nb_routing *routing = net->routing;
    size_t chosen;
    if (outset < 0)
        return nb_routes_begin(&net->routes, &net->view, pair->source,
                               pair->target, &net->random, &chosen);
    const size_t count =
        nb_route_starts(routing, pair->source, pair->target, net->starts);
    chosen = outset == NB_OUTSET_FIRST  ? 0
             : outset == NB_OUTSET_LAST ? count - 1
                                        : nb_random_below(&net->random, count);
    const struct nb_start *start = &net->starts[chosen];
    return nb_route_begin(routing, start,
                          nb_random_below(&net->random, nb_start_ways(start)),
                          pair->source, pair->target);
}

static size_t net_shortest(struct nb_equilibrium_net *net,
                           const struct nb_routes_hop *list, size_t count)
{
    size_t best = 0;
    uint64_t ties = 1;
    for (size_t i = 1; i < count; i++) {
        const uint32_t length = net_length(net, list[i].channel);
        const uint32_t least = net_length(net, list[best].channel);
        if (length < least) {
            best = i;
            ties = 1;
        } else if (length == least &&
                   nb_random_below(&net->random, ++ties) == 0) {
            best = i;
        }
    }
    return best;
}

/* A packet of the pair begins in the network drawn; weight: its rate. */
static void net_decide(struct nb_equilibrium_net *net,
                       const struct net_pair *pair, double weight, int outset,
                       bool is_probe)
{
    const struct nb_routes_hop *list;
    const nb_route_state state = net_begin(net, pair, outset);
    const size_t count =
        nb_routes_list(&net->routes, state, pair->source, pair->target, &list);
    if (count == 0) {
        net->drawn_minimal += is_probe ? 0 : weight;
        return;
    }
    const struct nb_routes_hop *hop = &list[net_shortest(net, list, count)];
    const uint32_t channel = hop->channel;
    if (is_probe) {
        if (net->is_probed[channel])
            net->orbit[net->orbit_of[channel]]
                .next_joins[net->length[channel] / net->asked.flits] += weight;
        return;
    }
    const uint32_t router = net->topology->channels[channel].target;
    const uint32_t target =
        nb_route_target(net->routing, state, pair->source, pair->target);
    const size_t first = net->target_node[target];
    const uint32_t node = net->entry[net_entry(net, target, router, hop->next)];
    const bool is_first = target != pair->target;
    uint32_t hops = 1 + net->node[first + node].left;
    net->drawn[!is_first]
              [(first + node) * net->width + net->input_of[channel]] += weight;
    if (is_first) {
        net->drawn_second[target * net->n + pair->target] += weight;
        hops += net->node[net->target_node[pair->target] +
                          net->entry[net_entry(net, pair->target, target, 0)]]
                    .left;
    }
    net->drawn_minimal += hops == pair->least ? weight : 0;
}

static void net_average(double *mean, double *drawn, size_t count, double step,
                        double scale)
{
    for (size_t i = 0; i < count; i++) {
        mean[i] += step * (drawn[i] * scale - mean[i]);
        drawn[i] = 0;
    }
}

/* Draws networks and asks all pairs in each; step: what the round counts in
 * the averages. */
static void net_ask(struct nb_equilibrium_net *net, double rate, double step,
                    int outset)
{
    const struct nb_routing_kind *kind = net->routing->kind;
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    const size_t networks = net->decisions / net->pair_count + 1;
    const size_t flows = net->node_count * net->width;
    const double scale = 1 / (double)networks;
    for (size_t i = 0; i < 2 * networks; i++) {
        const bool is_probe = i % 2 == 1;
        if (is_probe && is_means)
            continue;
        net->cycle++;
        if (is_probe)
            net_probe(net);
        for (size_t p = 0; p < net->pair_count; p++)
            net_decide(net, &net->pair[p], net->pair[p].rate * rate, outset,
                       is_probe);
        if (kind->observe != NULL)
            kind->observe(net->routing, &net->view, net->cycle);
    }
    for (size_t p = 0; p < 2; p++)
        net_average(net->flow[p], net->drawn[p], flows, step, scale);
    net_average(net->second, net->drawn_second, net->n * net->n, step, scale);
    net_average(&net->minimal, &net->drawn_minimal, 1, step, scale);
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct net_orbit *orbit = &net->orbit[k];
        net_average(orbit->visits, orbit->next_visits, NET_DEPTH, step, scale);
        net_average(orbit->joins, orbit->next_joins, NET_DEPTH, step, scale);
    }
}

/* Schemes that compare nothing at the source: what begins where. */
static void net_inject(struct nb_equilibrium_net *net, double rate)
{
    const struct nb_routing *routing = net->routing;
    net->minimal = 0;
    memset(net->flow[1], 0,
           net->node_count * net->width * sizeof *net->flow[1]);
    for (size_t p = 0; p < net->pair_count; p++) {
        const struct net_pair *pair = &net->pair[p];
        const size_t first = net->target_node[pair->target];
        const size_t count =
            nb_route_starts(routing, pair->source, pair->target, net->starts);
        for (size_t i = 0; i < count; i++) {
            const uint32_t node = net->entry[net_entry(
                net, pair->target, pair->source, net->starts[i].state)];
            const double part = pair->rate * rate *
                                (double)net->starts[i].weight /
                                (double)routing->start_total;
            net->flow[1][(first + node) * net->width + net->width - 1] += part;
            if (net->node[first + node].left == pair->least)
                net->minimal += part;
        }
    }
}

/* --- flows ---------------------------------------------------------------- */

static double choice_factor(const struct nb_equilibrium_net *net,
                            const struct net_choice *choice, bool is_injected,
                            size_t n, size_t m, double t)
{
    const struct net_orbit *orbit =
        &net->orbit[net->orbit_of[choice->hop[m].channel]];
    return is_injected ? orbit->above_injected[n] + t * orbit->law.injected[n]
                       : orbit->above_transit[n] + t * orbit->law.transit[n];
}

/* P(each channel of a choice is taken | its queue holds n), the others by their
 * laws, ties evenly: with t uniform on (0, 1) the integral of the product over
 * the others of P(longer) + t P(as long). */
static void choice_chances(const struct nb_equilibrium_net *net,
                           const struct net_choice *choice, bool is_injected,
                           size_t n, double *chance)
{
    /* Gauss-Legendre on (0, 1), exact for 16 channels. */
    static const double point[] = { 0.0198550717512319, 0.1016667612931866,
                                    0.2372337950418355, 0.4082826787521751 };
    static const double weight[] = { 0.0506142681451882, 0.1111905172266872,
                                     0.1568533229389437, 0.1813418916891810 };
    for (size_t m = 0; m < choice->count; m++)
        chance[m] = 0;
    for (size_t g = 0; g < 8; g++) {
        const double t = g < 4 ? point[g] : 1 - point[g - 4];
        double before[NET_OPTIONS] = { 0 }, all = weight[g % 4];
        for (size_t m = 0; m < choice->count; m++) {
            before[m] = all;
            all *= choice_factor(net, choice, is_injected, n, m, t);
        }
        all = 1;
        for (size_t m = choice->count; m-- > 0;) {
            chance[m] += before[m] * all;
            all *= choice_factor(net, choice, is_injected, n, m, t);
        }
    }
}

/* How transit, or what terminals send, divides over the channels of a choice,
 * and what of it joins them by their lengths. */
static void choice_find(struct nb_equilibrium_net *net,
                        struct net_choice *choice, bool is_injected)
{
    double chance[NET_OPTIONS], sum = 0;
    double *split = is_injected ? choice->split_injected : choice->split;
    const double flow = is_injected ? choice->injected : choice->transit;
    memset(split, 0, choice->count * sizeof *split);
    for (size_t n = 0; n < NET_DEPTH && sum < 1 - 1e-12; n++) {
        choice_chances(net, choice, is_injected, n, chance);
        for (size_t m = 0; m < choice->count; m++) {
            struct net_orbit *orbit =
                &net->orbit[net->orbit_of[choice->hop[m].channel]];
            double *joins =
                is_injected ? orbit->next_injected : orbit->next_transit;
            const double *law =
                is_injected ? orbit->law.injected : orbit->law.transit;
            joins[n] += flow * chance[m] / orbit->size;
            split[m] += law[n] * chance[m];
            sum += law[n] * chance[m];
        }
    }
    for (size_t m = 0; m < choice->count; m++)
        split[m] /= sum;
}

/* By means: the shares of the rounds so far in which each was least. */
static void choice_draw(struct nb_equilibrium_net *net,
                        struct net_choice *choice, double step)
{
    size_t best = 0;
    for (size_t m = 1; m < choice->count; m++)
        if (net_length(net, choice->hop[m].channel) <
            net_length(net, choice->hop[best].channel))
            best = m;
    for (size_t m = 0; m < choice->count; m++) {
        choice->split[m] += step * ((m == best) - choice->split[m]);
        choice->split_injected[m] = choice->split[m];
    }
}

static void net_split(struct nb_equilibrium_net *net, double step)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    for (size_t i = 0; i < NET_DRAWS && is_means; i++) {
        net->cycle++;
        for (size_t k = 0; k < net->choice_count; k++)
            choice_draw(net, &net->choice[k], step / NET_DRAWS);
    }
    for (size_t i = 0; i < net->choice_count && !is_means; i++) {
        struct net_choice *choice = &net->choice[i];
        if (choice->like == choice)
            continue;
        choice->like->transit += choice->transit;
        choice->like->injected += choice->injected;
    }
    for (size_t i = 0; i < net->choice_count && !is_means; i++) {
        struct net_choice *choice = &net->choice[i];
        if (choice->like != choice) { /* which comes earlier */
            memcpy(choice->split, choice->like->split,
                   2 * choice->count * sizeof *choice->split);
            continue;
        }
        choice_find(net, choice, false);
        if (!net->draws)
            choice_find(net, choice, true);
        else
            memcpy(choice->split_injected, choice->split,
                   choice->count * sizeof *choice->split);
    }
}

/* A flow by one of a node's hops, from an input of the node's router. */
static void carry_hop(struct nb_equilibrium_net *net, double *work,
                      const struct net_hop *hop, size_t input, double flow)
{
    work[hop->node * net->width + hop->input] += flow;
    net->load[hop->channel] += flow;
    if (input + 1 < net->width)
        net->turn[net->turn_start[hop->channel] + input] += flow;
}

static void carry_node(struct nb_equilibrium_net *net,
                       const struct net_node *node, double *work,
                       const double *flow)
{
    const struct net_hop *hop = net->hop + node->first;
    struct net_choice *choice =
        node->choice != SIZE_MAX ? &net->choice[node->choice] : NULL;
    for (size_t i = 0; i < net->width; i++) {
        const bool is_injected = i + 1 == net->width;
        if (flow[i] == 0)
            continue;
        if (choice != NULL) {
            const double *split =
                is_injected ? choice->split_injected : choice->split;
            *(is_injected ? &choice->injected : &choice->transit) += flow[i];
            for (size_t m = 0; m < choice->count; m++)
                carry_hop(net, work, &hop[m], i, flow[i] * split[m]);
            continue;
        }
        struct net_orbit *orbit = &net->orbit[net->orbit_of[hop->channel]];
        *(is_injected ? &orbit->injected_only : &orbit->transit_only) +=
            flow[i] / orbit->size;
        carry_hop(net, work, hop, i, flow[i]);
    }
}

/* What goes on from intermediate routers, as it came there. */
static void carry_second(struct nb_equilibrium_net *net, uint32_t target)
{
    for (uint32_t r = 0; r < net->n; r++) {
        const double flow = net->second[r * net->n + target];
        const double *arrived = net->arrived + r * net->width;
        double sum = 0;
        for (size_t i = 0; i < net->width; i++)
            sum += arrived[i];
        if (flow == 0 || sum == 0)
            continue;
        double *work =
            net->work + net->entry[net_entry(net, target, r, 0)] * net->width;
        for (size_t i = 0; i < net->width; i++)
            work[i] += flow * arrived[i] / sum;
    }
}

static void carry_target(struct nb_equilibrium_net *net, uint32_t target,
                         size_t phase)
{
    const size_t first = net->target_node[target], width = net->width;
    const size_t count = net->target_node[target + 1] - first;
    const struct nb_topology *topology = net->topology;
    double *work = net->work;
    memcpy(work, net->flow[phase] + first * width,
           count * width * sizeof *work);
    for (size_t v = 0; v < count; v++) { /* the first hops */
        const uint32_t router = net->node[first + v].router;
        for (size_t i = 0; i + 1 < width; i++)
            if (work[v * width + i] > 0)
                net->load[topology
                              ->in_channel[topology->in_start[router] + i]] +=
                    work[v * width + i];
    }
    if (phase == 1)
        carry_second(net, target);
    for (size_t i = count; i-- > 0;) {
        const uint32_t v = net->order[first + i];
        const struct net_node *node = &net->node[first + v];
        if (node[1].first > node->first) {
            carry_node(net, node, work, work + v * width);
            continue;
        }
        for (size_t j = 0; j < width && phase == 0; j++)
            net->arrived[target * width + j] += work[v * width + j];
    }
}

static void net_carry(struct nb_equilibrium_net *net)
{
    const size_t channels = net->topology->channel_count;
    memset(net->load, 0, channels * sizeof *net->load);
    memset(net->turn, 0, net->turn_start[channels] * sizeof *net->turn);
    memset(net->arrived, 0, net->n * net->width * sizeof *net->arrived);
    for (size_t i = 0; i < net->choice_count; i++)
        net->choice[i].transit = net->choice[i].injected = 0;
    for (size_t k = 0; k < net->orbit_count; k++)
        net->orbit[k].transit_only = net->orbit[k].injected_only = 0;
    for (size_t phase = net->routing->phase != NULL ? 0 : 1; phase < 2; phase++)
        for (uint32_t t = 0; t < net->n; t++)
            if (net->target_node[t + 1] > net->target_node[t])
                carry_target(net, t, phase);
}

/* --- laws ----------------------------------------------------------------- */

static int net_compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one < other) - (one > other);
}

/* Loads of orbits, and their transit by input, the largest first. */
static void net_gather(struct nb_equilibrium_net *net)
{
    for (size_t k = 0; k < net->orbit_count; k++) {
        net->orbit[k].load = 0;
        memset(net->orbit[k].share, 0, net->orbit[k].inputs * sizeof(double));
    }
    for (size_t c = 0; c < net->topology->channel_count; c++) {
        struct net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        double *turn = net->turn + net->turn_start[c];
        orbit->load += net->load[c] / orbit->size;
        qsort(turn, orbit->inputs, sizeof *turn, net_compare);
        for (size_t i = 0; i < orbit->inputs; i++)
            orbit->share[i] += turn[i];
    }
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct net_orbit *orbit = &net->orbit[k];
        double sum = 0;
        for (size_t i = 0; i < orbit->inputs; i++)
            sum += orbit->share[i];
        for (size_t i = 0; i < orbit->inputs; i++)
            orbit->share[i] =
                sum > 0 ? orbit->share[i] / sum : (double)(i == 0);
        orbit->told = orbit->inputs;
        if (orbit->inputs <= NET_TOLD + NET_LUMPS)
            continue;
        double rest = 0; /* of which none brings much */
        for (size_t i = NET_TOLD; i < orbit->inputs; i++)
            rest += orbit->share[i];
        for (size_t i = NET_TOLD; i < NET_TOLD + NET_LUMPS; i++)
            orbit->share[i] = rest / NET_LUMPS;
        orbit->told = NET_TOLD + NET_LUMPS;
    }
}

static void law_above(const double *law, double *above)
{
    double sum = 0;
    for (size_t n = NET_DEPTH; n-- > 0;) {
        above[n] = sum;
        sum += law[n];
    }
}

static void net_solve(struct nb_equilibrium_net *net)
{
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct net_orbit *orbit = &net->orbit[k];
        const struct nb_joining queue = {
            .depth = NET_DEPTH,
            .transit = orbit->transit,
            .injected = orbit->injected,
            .share =
                net->asked.compared == NB_COMPARED_INPUTS ? orbit->share : NULL,
            .input_count = orbit->told,
            .source_count = orbit->sources,
            .source_rate = orbit->source_rate,
        };
        nb_joining_find(&queue, &orbit->law);
        law_above(orbit->law.transit, orbit->above_transit);
        law_above(orbit->law.injected, orbit->above_injected);
        for (orbit->reach = NET_REACH; orbit->reach < NET_DEPTH; orbit->reach++)
            if (orbit->above_injected[orbit->reach - 1] < NET_RARE)
                break;
    }
}

/* What joins each queue at each length, from what was drawn and carried. */
static void net_join(struct nb_equilibrium_net *net, double step)
{
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct net_orbit *orbit = &net->orbit[k];
        double last = 0;
        for (size_t n = 0; n < NET_DEPTH; n++) {
            if (n < orbit->reach && orbit->visits[n] > 0)
                last = orbit->joins[n] / orbit->visits[n];
            const double injected =
                orbit->injected_only + orbit->next_injected[n] + last;
            const double transit = orbit->transit_only + orbit->next_transit[n];
            orbit->injected[n] += step * (injected - orbit->injected[n]);
            orbit->transit[n] += step * (transit - orbit->transit[n]);
            orbit->next_injected[n] = orbit->next_transit[n] = 0;
        }
    }
}

/* --- rounds --------------------------------------------------------------- */

static void net_reset(struct nb_equilibrium_net *net)
{
    const size_t flows = net->node_count * net->width * sizeof(double);
    for (size_t p = 0; p < 2; p++)
        memset(net->flow[p], 0, flows);
    memset(net->second, 0, net->n * net->n * sizeof *net->second);
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct net_orbit *orbit = &net->orbit[k];
        double *array[] = { orbit->transit, orbit->injected, orbit->visits,
                            orbit->joins };
        for (size_t i = 0; i < sizeof array / sizeof *array; i++)
            memset(array[i], 0, NET_DEPTH * sizeof(double));
        orbit->load = 0;
    }
    for (size_t i = 0; i < net->choice_count; i++) {
        struct net_choice *choice = &net->choice[i];
        choice->transit = choice->injected = 0;
        for (size_t m = 0; m < choice->count; m++)
            choice->split[m] = choice->split_injected[m] =
                1 / (double)choice->count;
    }
    nb_random_init(&net->random, net->asked.seed, 0);
    net->minimal = 0;
    net->cycle = 0;
    memset(net->drawn_at, 0,
           net->topology->channel_count * sizeof *net->drawn_at);
}

/* What terminals send, by which channels. */
static void net_send(struct nb_equilibrium_net *net, double rate)
{
    const struct nb_topology *topology = net->topology;
    double *sent = net->arrived; /* free before the first round */
    memset(sent, 0, net->n * sizeof *sent);
    for (size_t p = 0; p < net->pair_count; p++)
        sent[net->pair[p].source] += net->pair[p].rate * rate;
    for (size_t c = 0; c < topology->channel_count; c++) {
        struct net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        const uint32_t router = topology->channels[c].source;
        if (topology->terminals[router] > 0)
            orbit->source_rate =
                sent[router] / (double)topology->terminals[router];
    }
}

/* What the state of the rounds says. */
static void net_sum_up(const struct nb_equilibrium_net *net, double rate,
                       struct nb_equilibrium *out)
{
    const double sent = net->total * rate;
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    out->hops = out->wait = out->busiest = 0;
    out->is_saturated = false;
    for (size_t k = 0; k < net->orbit_count; k++) {
        const struct net_orbit *orbit = &net->orbit[k];
        const double load = orbit->load;
        const double waits =
            is_means ? load * nb_mean_delay_at(net->asked.delay, load)
                     : orbit->law.mean;
        out->hops += orbit->size * load / sent;
        out->wait += orbit->size * waits / sent;
        out->busiest = fmax(out->busiest, load);
        out->is_saturated =
            out->is_saturated ||
            (is_means ? load > NET_FULL
                      : load > (net->draws ? NET_MUCH : 1 + NET_EXACT) ||
                            orbit->law.overflow > NET_OVERFULL);
    }
    out->minimal = net->minimal / sent;
}

static void net_list_channels(const struct nb_equilibrium_net *net,
                              struct nb_equilibrium *out)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    for (size_t c = 0; c < net->topology->channel_count; c++) {
        const struct net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        const double load = orbit->load;
        out->channel[c] = (struct nb_equilibrium_channel){
            .load = load,
            .wait = is_means   ? nb_mean_delay_at(net->asked.delay, load)
                    : load > 0 ? orbit->law.mean / load
                               : 0,
        };
    }
}

static double net_moved(const struct nb_equilibrium *one,
                        const struct nb_equilibrium *other)
{
    const double latency = other->hops + other->wait;
    return fmax(fabs(one->hops + one->wait - latency) / fmax(latency, 1e-300),
                fabs(one->minimal - other->minimal));
}

static void net_round(struct nb_equilibrium_net *net, double rate, double step,
                      int outset)
{
    net_split(net, step);
    if (net->draws)
        net_ask(net, rate, step, outset);
    net_carry(net);
    net_gather(net);
    if (net->asked.compared == NB_COMPARED_MEANS)
        return;
    net_join(net, step == 1 ? 1 : NET_JOIN);
    net_solve(net);
}

/* Whether the mean of the last rounds is what it was before them; window: sums
 * of the last and of those before. */
static bool rounds_have_settled(double window[2], size_t round, double latency)
{
    window[0] += latency;
    if ((round + 1) % NET_WINDOW != 0)
        return false;
    const bool is_settled =
        round + 1 >= 2 * NET_WINDOW &&
        fabs(window[0] - window[1]) < NET_SETTLED * window[0];
    window[1] = window[0];
    window[0] = 0;
    return is_settled;
}

/* The state before the first round. */
static void net_begin_rounds(struct nb_equilibrium_net *net, double rate)
{
    net_reset(net);
    net_send(net, rate);
    if (!net->draws)
        net_inject(net, rate);
    if (net->asked.compared != NB_COMPARED_MEANS)
        net_solve(net);
}

static void net_find(struct nb_equilibrium_net *net, double rate,
                     enum nb_outset outset, bool is_rough,
                     struct nb_equilibrium *out)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    const bool is_drawn = net->draws || is_means;
    const size_t most = is_rough ? NET_ROUGH : NET_MOST;
    const size_t averages = is_means   ? NET_MEANS
                            : is_rough ? NET_AVERAGED / 3
                                       : NET_AVERAGED;
    struct nb_equilibrium last = { 0 };
    double window[2] = { 0 };
    size_t averaged = 0;
    size_t full = 0;
    net->decisions = is_rough ? NET_DECISIONS / 2 : NET_DECISIONS;
    net_begin_rounds(net, rate);
    for (size_t round = 0;
         round < most && averaged < averages && full < NET_STUCK; round++) {
        const double step = round == 0 ? 1
                            : averaged == 0
                                ? NET_STEP
                                : 1 / (1 / NET_STEP + (double)averaged);
        net_round(net, rate, step, round < NET_FORCED ? (int)outset : -1);
        out->rounds = round + 1;
        net_sum_up(net, rate, out);
        out->residual = net_moved(out, &last);
        full =
            out->is_saturated && !is_means && round >= NET_LOOK ? full + 1 : 0;
        if (!is_drawn && round >= NET_FORCED &&
            out->residual < (is_rough ? NET_SETTLED / 10 : NET_EXACT))
            break;
        if (is_drawn &&
            (averaged > 0 || is_means ||
             rounds_have_settled(window, round, out->hops + out->wait)))
            averaged++;
        if (!is_drawn || averaged <= averages / 2)
            last = *out;
    }
}

enum nb_status nb_equilibrium_find(struct nb_equilibrium_net *net, double rate,
                                   enum nb_outset outset,
                                   struct nb_equilibrium *out,
                                   struct nb_error *err)
{
    *out = (struct nb_equilibrium){ 0 };
    const enum nb_status status =
        nb_new(&out->channel, net->topology->channel_count,
               sizeof *out->channel, "channels", err);
    if (status != NB_OK)
        return status;
    net_find(net, rate, outset, false, out);
    net_list_channels(net, out);
    return NB_OK;
}

struct nb_bracket nb_equilibrium_saturation(struct nb_equilibrium_net *net,
                                            double most, double precision)
{
    struct nb_equilibrium found = { 0 };
    double hops = 0;
    for (size_t p = 0; p < net->pair_count; p++)
        hops += net->pair[p].rate * net->pair[p].least;
    most = fmin(most, (double)net->topology->channel_count / hops);
    if (isinf(most)) /* nobody goes anywhere */
        return (struct nb_bracket){ most, most };
    struct nb_bracket bracket = { 0, most };
    double rate = most / NET_FIRST;
    bool is_above = false; /* whether upper was found to be too much */
    while (bracket.upper - bracket.lower > precision * bracket.upper) {
        net_find(net, rate, NB_OUTSET_FIRST, true, &found);
        is_above = is_above || found.is_saturated;
        if (found.is_saturated)
            bracket.upper = rate;
        else
            bracket.lower = rate;
        /* From below: what is too much takes longer to be found so. */
        rate = is_above ? (bracket.lower + bracket.upper) / 2
                        : fmin(2 * bracket.lower, most);
    }
    return bracket;
}

void nb_equilibrium_release(struct nb_equilibrium *equilibrium)
{
    nb_delete(equilibrium->channel);
    *equilibrium = (struct nb_equilibrium){ 0 };
}

/* --- opening and closing -------------------------------------------------- */

static void net_find_least(struct nb_equilibrium_net *net)
{
    for (size_t p = 0; p < net->pair_count; p++) {
        struct net_pair *pair = &net->pair[p];
        const struct net_node *node =
            net->node + net->target_node[pair->target];
        pair->least = UINT32_MAX;
        for (nb_route_state s = 0; s < net->phase->state_count; s++) {
            const uint32_t v =
                net->entry[net_entry(net, pair->target, pair->source, s)];
            if (v != NB_NONE && node[v].left < pair->least)
                pair->least = node[v].left;
        }
    }
}

static enum nb_status net_init_view(struct nb_equilibrium_net *net,
                                    struct nb_error *err)
{
    const struct nb_routing *routing = net->routing;
    enum nb_status status = NB_OK;
    NB_TRY(nb_routes_init(routing, &net->routes, err));
    net->view_routes = &net->routes;
    net->self = net;
    net->view = (struct nb_view){
        .network = net,
        .queue = net_queue,
        .buffered = net_buffered,
        .way = net_way,
        .waiting = net_waiting,
    };
    NB_TRY(nb_new(&net->starts, routing->most_starts, sizeof *net->starts,
                  "starts", err));
    if (routing->kind->memory != NULL)
        NB_TRY(nb_new(&net->view.memory, routing->kind->memory(routing), 1,
                      "memory of the routing scheme", err));
done:
    return status;
}

enum nb_status nb_equilibrium_open(const struct nb_equilibrium_question *asked,
                                   struct nb_equilibrium_net **out,
                                   struct nb_error *err)
{
    const struct nb_routing *routing = asked->routing;
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    struct nb_equilibrium_net *net;
    enum nb_status status = NB_OK;
    *out = NULL;
    NB_TRY(net_check(routing, err));
    NB_TRY(nb_new(out, 1, sizeof **out, "prediction", err));
    net = *out;
    *net = (struct nb_equilibrium_net){
        .asked = *asked,
        .routing = routing,
        .phase = routing->phase != NULL ? routing->phase : routing,
        .topology = topology,
        .draws = routing->kind->cost != NULL,
        .n = n,
    };
    for (size_t r = 0; r < n; r++) {
        const size_t inputs = topology->in_start[r + 1] - topology->in_start[r];
        net->width = inputs + 1 > net->width ? inputs + 1 : net->width;
    }
    const double entries =
        (double)n * (double)n * (double)net->phase->state_count;
    NB_TRY(nb_memory_require(entries * sizeof *net->entry, "ways of packets",
                             err));
    net->entry = nb_pool_array(&net->pool, (size_t)entries, sizeof *net->entry);
    net->target_node = nb_pool_array(&net->pool, n + 1, sizeof(size_t));
    net->input_of = nb_pool_array(&net->pool, topology->channel_count,
                                  sizeof *net->input_of);
    NB_TRY(nb_pool_check(&net->pool, "ways of packets", err));
    memset(net->entry, 0xff, (size_t)entries * sizeof *net->entry);
    NB_TRY(net_list_pairs(net, err));
    NB_TRY(net_walk(net, err));
    NB_TRY(net_find_choices(net, err));
    NB_TRY(net_find_orbits(net, err));
    net_compare_choices(net);
    NB_TRY(net_make_room(net, err));
    NB_TRY(net_init_view(net, err));
    net_find_least(net);
done:
    if (status != NB_OK) {
        nb_equilibrium_close(*out);
        *out = NULL;
    }
    return status;
}

void nb_equilibrium_close(struct nb_equilibrium_net *net)
{
    if (net == NULL)
        return;
    nb_routes_release(&net->routes);
    nb_delete(net->view.memory);
    nb_delete(net->starts);
    nb_delete(net->pair);
    nb_delete(net->node);
    nb_delete(net->hop);
    nb_delete(net->order);
    nb_delete(net->choice);
    nb_delete(net->splits);
    nb_pool_release(&net->pool);
    nb_delete(net);
}
