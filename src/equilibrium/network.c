#include "equilibrium/parts.h"

#include "load/load_symmetry.h"
#include "routing/walker.h"

#include <string.h>

/* Maximum number of routers for which colours are computed. */
enum { NET_COLOURED = 1024 };

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
                (struct nb_net_pair){ .source = s,
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

/* Copies what the walker found of a target. */
static enum nb_status net_take(struct nb_equilibrium_net *net,
                               const struct nb_walker *walker, uint32_t target,
                               struct nb_error *err)
{
    const uint32_t *input = net->input_of;
    const size_t nodes = walker->node_count, hops = walker->hop_count;
    const char *what = "paths of packets";
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&net->node, &net->node_room, net->node_count + nodes + 1,
                      sizeof *net->node, what, err));
    NB_TRY(nb_reserve(&net->order, &net->order_room, net->node_count + nodes,
                      sizeof *net->order, what, err));
    NB_TRY(nb_reserve(&net->hop, &net->hop_room, net->hop_count + hops,
                      sizeof *net->hop, what, err));
    struct nb_net_node *node = net->node + net->node_count;
    memcpy(net->order + net->node_count, walker->order,
           nodes * sizeof *net->order);
    for (size_t i = 0; i < nodes; i++) {
        const uint32_t v = walker->order[i];
        const struct nb_walk_node *from = &walker->node[v];
        node[v] = (struct nb_net_node){ .first = net->hop_count + from->first,
                                        .choice = SIZE_MAX,
                                        .router = from->router };
        for (size_t h = from->first; h < from[1].first; h++) {
            const struct nb_hop *hop = &walker->hop[h];
            net->hop[net->hop_count + h] =
                (struct nb_net_hop){ hop->channel, input[hop->channel],
                                     hop->node };
            const uint32_t left = node[hop->node].left + 1;
            if (h == from->first || left < node[v].left)
                node[v].left = left;
        }
        net->entry[nb_net_entry(net, target, from->router, from->state)] = v;
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

static bool net_is_choice(const struct nb_net_choice *choice,
                          const struct nb_net_hop *hop, size_t count)
{
    if (choice->count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (choice->hop[i].channel != hop[i].channel)
            return false;
    return true;
}

/* Nodes of a router with the same channels share one choice. */
static enum nb_status net_find_choices(struct nb_equilibrium_net *net,
                                       struct nb_error *err)
{
    struct nb_net_choice **of_router = NULL;
    size_t splits = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&net->choice, net->node_count, sizeof *net->choice, "choices",
                  err));
    NB_TRY(nb_new(&of_router, net->n, sizeof *of_router, "choices", err));
    for (size_t v = 0; v < net->node_count; v++) {
        struct nb_net_node *node = &net->node[v];
        const struct nb_net_hop *hop = net->hop + node->first;
        const size_t count = node[1].first - node->first;
        if (count < 2)
            continue;
        struct nb_net_choice *found = of_router[node->router];
        while (found != NULL && !net_is_choice(found, hop, count))
            found = found->next;
        if (found == NULL) {
            found = &net->choice[net->choice_count++];
            *found = (struct nb_net_choice){ .hop = hop,
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
    if (net->routing->symmetries == NB_ANY_SYMMETRY && net->n <= NET_COLOURED) {
        memset(symmetry.orbit_size, 0, channels * sizeof(uint32_t));
        NB_TRY(
            nb_net_find_alike(net, symmetry.orbit, symmetry.orbit_size, err));
    }
    net->orbit_of = nb_pool_array(pool, channels, sizeof *net->orbit_of);
    net->orbit = nb_pool_array(pool, channels, sizeof *net->orbit);
    NB_TRY(nb_pool_check(pool, "queues", err));
    for (uint32_t c = 0; c < channels; c++) {
        const uint32_t router = topology->channels[c].source;
        if (symmetry.orbit[c] != c) {
            net->orbit_of[c] = net->orbit_of[symmetry.orbit[c]];
            continue;
        }
        struct nb_net_orbit *orbit = &net->orbit[net->orbit_count];
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
            *array[i] = nb_pool_array(pool, NB_NET_DEPTH, sizeof(double));
    }
    NB_TRY(nb_pool_check(pool, "queues", err));
done:
    nb_load_symmetry_release(&symmetry);
    return status;
}

static bool net_is_like(const struct nb_equilibrium_net *net,
                        const struct nb_net_choice *one,
                        const struct nb_net_choice *other)
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
        struct nb_net_choice *choice = &net->choice[i];
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
    net->chance = nb_pool_array(pool, net->phase->most_hops, sizeof(double));
    net->before = nb_pool_array(pool, net->phase->most_hops, sizeof(double));
    net->load = nb_pool_array(pool, channels, sizeof(double));
    net->length = nb_pool_array(pool, channels, sizeof *net->length);
    net->drawn_at = nb_pool_array(pool, channels, sizeof *net->drawn_at);
    net->is_probed = nb_pool_array(pool, channels, sizeof *net->is_probed);
    const size_t starts = net->pair_count * net->routing->most_starts;
    net->sent = nb_pool_array(pool, starts, sizeof(double));
    net->drawn_sent = nb_pool_array(pool, starts, sizeof(double));
    net->injected = nb_pool_array(pool, channels, sizeof(double));
    net->drawn_injected = nb_pool_array(pool, channels, sizeof(double));
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

static void net_find_least(struct nb_equilibrium_net *net)
{
    for (size_t p = 0; p < net->pair_count; p++) {
        struct nb_net_pair *pair = &net->pair[p];
        const struct nb_net_node *node =
            net->node + net->target_node[pair->target];
        pair->least = UINT32_MAX;
        for (nb_route_state s = 0; s < net->phase->state_count; s++) {
            const uint32_t v =
                net->entry[nb_net_entry(net, pair->target, pair->source, s)];
            if (v != NB_NONE && node[v].left < pair->least)
                pair->least = node[v].left;
        }
    }
}

enum nb_status nb_net_build(struct nb_equilibrium_net *net,
                            struct nb_error *err)
{
    const struct nb_topology *topology = net->topology;
    const size_t n = net->n;
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < n; r++) {
        const size_t inputs = topology->in_start[r + 1] - topology->in_start[r];
        net->width = inputs + 1 > net->width ? inputs + 1 : net->width;
    }
    const double entries =
        (double)n * (double)n * (double)net->phase->state_count;
    NB_TRY(nb_memory_require(entries * sizeof *net->entry, "paths of packets",
                             err));
    net->entry = nb_pool_array(&net->pool, (size_t)entries, sizeof *net->entry);
    net->target_node = nb_pool_array(&net->pool, n + 1, sizeof(size_t));
    net->input_of = nb_pool_array(&net->pool, topology->channel_count,
                                  sizeof *net->input_of);
    NB_TRY(nb_pool_check(&net->pool, "paths of packets", err));
    memset(net->entry, 0xff, (size_t)entries * sizeof *net->entry);
    NB_TRY(net_list_pairs(net, err));
    NB_TRY(net_walk(net, err));
    NB_TRY(net_find_choices(net, err));
    NB_TRY(net_find_orbits(net, err));
    net_compare_choices(net);
    NB_TRY(net_make_room(net, err));
    net_find_least(net);
done:
    return status;
}
