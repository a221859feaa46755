#include "equilibrium/parts.h"

#include "core/parallel.h"

#include <math.h>
#include <string.h>

/* Means are compared in units of 1 / NET_PARTS packet, each drawn within
 * NET_SPREAD of its value, relative. */
enum { NET_PARTS = 1024 };
#define NET_SPREAD 0.01
/* Packets that wait for a channel and have left their injection queues: at the
 * head of the source, and in the output buffer. */
enum { NET_PLACES = 2 };

double nb_net_mean_delay(const struct nb_equilibrium_net *net, double load)
{
    /* It goes on rising beyond capacity, so that loads there can be
     * compared. */
    const double within = fmin(load, NB_NET_FULL);
    return nb_mean_delay_at(net->asked.delay, within) +
           (load - within) / ((1 - NB_NET_FULL) * (1 - NB_NET_FULL));
}

uint32_t nb_net_length(struct nb_equilibrium_net *net, uint32_t channel)
{
    const struct nb_net_orbit *orbit = &net->orbit[net->orbit_of[channel]];
    uint32_t n = 0;
    if (net->drawn_at[channel] == net->cycle)
        return net->length[channel];
    double drawn = nb_random_unit(&net->random);
    net->drawn_at[channel] = net->cycle;
    if (net->asked.compared == NB_COMPARED_MEANS) {
        const double within = 1 + NET_SPREAD * (2 * drawn - 1);
        n = (uint32_t)fmin(
            nb_net_mean_delay(net, orbit->load) * within * NET_PARTS, 0x1p30);
    } else {
        for (; n + 1 < net->depth && drawn >= orbit->law.injected[n]; n++)
            drawn -= orbit->law.injected[n];
        n *= net->asked.flits;
    }
    net->length[channel] = n;
    return n;
}

static uint32_t net_queue(const void *context, uint32_t channel)
{
    const struct nb_equilibrium_net *net = context;
    return nb_net_length(net->self, channel);
}

static uint32_t net_buffered(const void *context, uint32_t channel,
                             uint32_t virtual_channel)
{
    (void)context, (void)channel, (void)virtual_channel;
    return 0;
}

/*
 * The packets in an injection queue of the pair asked about, as if packets in
 * transit went first, as the oldest do: then all that waits for a channel waits
 * at its source, in the queues that lead there, in proportion to what they
 * send.
 */
static uint32_t net_waiting(const void *context, uint32_t source,
                            uint32_t destination, size_t start)
{
    struct nb_equilibrium_net *net =
        ((const struct nb_equilibrium_net *)context)->self;
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    const double packet = is_means ? NET_PARTS : net->asked.flits;
    const struct nb_routes_hop *list;
    nb_route_starts(net->routing, source, destination, net->starts);
    const size_t count = nb_routes_list(&net->routes, net->starts[start].state,
                                        source, destination, &list);
    const double sent =
        net->sent[net->asking * net->routing->most_starts + start];
    double waiting = nb_random_unit(&net->random);
    for (size_t i = 0; i < count && sent > 0; i++) {
        const uint32_t c = list[i].channel;
        waiting += fmax(nb_net_length(net, c) / packet - NET_PLACES, 0) *
                   fmin(sent / ((double)count * net->injected[c]), 1);
    }
    return (uint32_t)waiting;
}

static struct nb_way net_way(const void *context, nb_route_state state,
                             uint32_t router, uint32_t destination)
{
    const struct nb_equilibrium_net *net = context;
    return nb_routes_shortest(net->view_routes, &net->view, state, router,
                              destination);
}

/* Sets one channel of each router to any of the lengths it reaches, all equally
 * likely. The others keep their distributions, so that what joins it is what
 * joins whenever it has that length: rare lengths are sampled as well as
 * others. */
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
        struct nb_net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        const uint32_t length =
            (uint32_t)nb_random_below(&net->random, orbit->reach);
        net->length[c] = length * net->asked.flits;
        net->drawn_at[c] = net->cycle;
        net->is_probed[c] = 1;
        orbit->next_visits[length]++;
    }
}

/* How a packet begins; by the outset before there are queues. */
static nb_route_state net_begin(struct nb_equilibrium_net *net,
                                const struct nb_net_pair *pair, int outset,
                                size_t *chosen)
{
    const struct nb_routing *routing = net->routing;
    if (outset < 0)
        return nb_routes_begin(&net->routes, &net->view, pair->source,
                               pair->target, 0, &net->random, chosen);
    const size_t count =
        nb_route_starts(routing, pair->source, pair->target, net->starts);
    *chosen = outset == NB_OUTSET_FIRST  ? 0
              : outset == NB_OUTSET_LAST ? count - 1
                                         : nb_random_below(&net->random, count);
    const struct nb_start *start = &net->starts[*chosen];
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
        const uint32_t length = nb_net_length(net, list[i].channel);
        const uint32_t least = nb_net_length(net, list[best].channel);
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
                       const struct nb_net_pair *pair, double weight,
                       int outset, bool is_probe)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    const struct nb_routes_hop *list;
    size_t chosen;
    net->asking = (size_t)(pair - net->pair);
    const nb_route_state state = net_begin(net, pair, outset, &chosen);
    const size_t count =
        nb_routes_list(&net->routes, state, pair->source, pair->target, &list);
    if (count == 0) {
        net->drawn_minimal += is_probe ? 0 : weight;
        return;
    }
    const struct nb_routes_hop *hop = &list[net_shortest(net, list, count)];
    const uint32_t channel = hop->channel;
    if (!is_means && (!is_probe || net->is_probed[channel]))
        net->orbit[net->orbit_of[channel]]
            .next_joins[nb_net_length(net, channel) / net->asked.flits] +=
            weight;
    if (is_probe)
        return;
    net->drawn_sent[net->asking * net->routing->most_starts + chosen] += weight;
    net->drawn_injected[channel] += weight;
    const uint32_t router = net->topology->channels[channel].target;
    const uint32_t target =
        nb_route_target(net->routing, state, pair->source, pair->target);
    const size_t first = net->target_node[target];
    const uint32_t node =
        net->entry[nb_net_entry(net, target, router, hop->next)];
    const bool is_first = target != pair->target;
    uint32_t hops = 1 + net->node[first + node].left;
    net->drawn[!is_first]
              [(first + node) * net->width + net->input_of[channel]] += weight;
    if (is_first) {
        net->drawn_second[target * net->n + pair->target] += weight;
        hops +=
            net->node[net->target_node[pair->target] +
                      net->entry[nb_net_entry(net, pair->target, target, 0)]]
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

void nb_net_ask(struct nb_equilibrium_net *net, double rate, double step,
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
        for (size_t p = 0; p < net->pair_count && !nb_run_is_stopped(); p++)
            net_decide(net, &net->pair[p], net->pair[p].rate * rate, outset,
                       is_probe);
        if (kind->observe != NULL)
            kind->observe(net->routing, &net->view, net->cycle);
    }
    for (size_t p = 0; p < 2; p++)
        net_average(net->flow[p], net->drawn[p], flows, step, scale);
    net_average(net->second, net->drawn_second, net->n * net->n, step, scale);
    net_average(&net->minimal, &net->drawn_minimal, 1, step, scale);
    net_average(net->sent, net->drawn_sent,
                net->pair_count * net->routing->most_starts, step, scale);
    net_average(net->injected, net->drawn_injected,
                net->topology->channel_count, step, scale);
    for (size_t k = 0; k < net->orbit_count && !is_means; k++) {
        struct nb_net_orbit *orbit = &net->orbit[k];
        for (size_t n = 0; n < orbit->reach; n++) /* by distribution and by
                                                   * probes */
            orbit->next_visits[n] +=
                (double)(networks * orbit->size) * orbit->law.injected[n];
        net_average(orbit->visits, orbit->next_visits, net->depth, step, scale);
        net_average(orbit->joins, orbit->next_joins, net->depth, step, scale);
    }
}

void nb_net_inject(struct nb_equilibrium_net *net, double rate)
{
    const struct nb_routing *routing = net->routing;
    for (size_t p = 0; p < net->pair_count; p++) {
        const struct nb_net_pair *pair = &net->pair[p];
        const size_t first = net->target_node[pair->target];
        const size_t count =
            nb_route_starts(routing, pair->source, pair->target, net->starts);
        for (size_t i = 0; i < count; i++) {
            const uint32_t node = net->entry[nb_net_entry(
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

enum nb_status nb_net_init_view(struct nb_equilibrium_net *net,
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
