/*
 * The quantities of Randall's theorems, counted round by round: what a virtual
 * network gets through in V + 1 rounds (theorem 2), and how many packets are
 * still to pass each switch, and how many of these have small keys (theorem 3).
 * Source: [Randall1994, chapter 3].
 */
#include "sim/routers/levelled.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

static bool theorems_has_congestion(const struct nb_levelled *levelled)
{
    return levelled->plan->small > 0;
}

enum nb_status nb_theorems_init(struct nb_network *network,
                                struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_theorems *theorems = &levelled->theorems;
    const size_t routers = network->topology->router_count;
    const size_t networks = levelled->plan->networks;
    const char *what = "packets of rounds";
    enum nb_status status = NB_OK;
    theorems->pending =
        nb_pool_array(&levelled->pool, networks, sizeof *theorems->pending);
    theorems->backlog =
        nb_pool_array(&levelled->pool, networks, sizeof *theorems->backlog);
    theorems->delivered =
        nb_pool_array(&levelled->pool, networks, sizeof *theorems->delivered);
    NB_TRY(nb_pool_check(&levelled->pool, what, err));
    if (!theorems_has_congestion(levelled))
        return NB_OK;
    theorems->through =
        nb_pool_array(&levelled->pool, routers, sizeof *theorems->through);
    NB_TRY(nb_pool_check(&levelled->pool, what, err));
done:
    return status;
}

/* The window ends after V + 1 rounds. A virtual network that got all its
 * waiting packets through does not count, as nothing limited it. */
static void theorems_end_window(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    struct nb_theorems *theorems = &levelled->theorems;
    const uint32_t networks = levelled->plan->networks;
    if (++theorems->rounds <= networks)
        return;
    for (uint32_t v = 0; v < networks; v++) {
        if (!nb_levelled_refuses(levelled, v) &&
            theorems->delivered[v] < theorems->backlog[v])
            nb_measure_window(network, theorems->begin, theorems->delivered[v]);
        theorems->backlog[v] = theorems->pending[v];
        theorems->delivered[v] = 0;
    }
    theorems->rounds = 0;
    theorems->begin = network->cycle + 1;
}

/* Counts a waiting packet at the switches of its path from a terminal's router.
 * One that could not leave in the last round has its first hop already. Returns
 * whether it has only one path. */
static bool theorems_follow(struct nb_network *network,
                            const struct nb_waiting *waiting, uint32_t router,
                            uint32_t *count)
{
    const struct nb_packets *packets = &network->packets;
    const uint32_t packet = waiting->packet;
    const uint32_t to = network->terminal_router[packets->target[packet]];
    nb_route_state state = packets->state[packet];
    const struct nb_routes_hop *list;
    uint32_t at = router;
    size_t ways;
    if (waiting->output != NB_NONE) {
        at = network->topology->channels[waiting->output].target;
        if (at != to)
            count[at]++;
    }
    while ((ways = nb_routes_list(&network->routes, state, at, to, &list)) ==
           1) {
        state = nb_routes_next(&network->routes, state, at, to, list);
        at = network->topology->channels[list->channel].target;
        if (at != to)
            count[at]++;
    }
    return ways == 0;
}

/* Counts, at each switch, all packets with keys below the limit that are still
 * to pass it, and whose terminals take them. */
static bool theorems_count(struct nb_network *network, uint64_t limit,
                           uint32_t *count)
{
    const struct nb_levelled *levelled = network->state;
    for (uint32_t r = 0; r < network->topology->router_count; r++) {
        const struct nb_stand *stand = &levelled->rounds.stand[r];
        for (size_t i = 0; i < stand->count; i++) {
            const uint32_t packet = stand->waiting[i].packet;
            if (stand->waiting[i].key >= limit ||
                nb_levelled_refuses(levelled,
                                    nb_levelled_network(network, packet)))
                continue;
            if (!theorems_follow(network, &stand->waiting[i], r, count))
                return false;
        }
    }
    return true;
}

/* The limit of small keys: the least a log2 N / C of all, for a switch with C
 * packets; log2 N is the number of levels. */
static uint64_t theorems_limit(const struct nb_levelled *levelled,
                               uint32_t congestion)
{
    const double small = (double)levelled->plan->small * levelled->levels.depth;
    return small >= congestion
               ? NB_LEVELLED_END
               : (uint64_t)ceil(small / congestion * 0x1p32) << 32;
}

/* Small packets that the round has not delivered. */
static void theorems_count_left(struct nb_network *network)
{
    const struct nb_levelled *levelled = network->state;
    const uint64_t limit = levelled->theorems.limit;
    for (uint32_t r = 0; r < network->topology->router_count; r++) {
        const struct nb_stand *stand = &levelled->rounds.stand[r];
        for (size_t i = 0; i < stand->count; i++) {
            const struct nb_waiting *at = &stand->waiting[i];
            if (at->packet != NB_NONE && at->key < limit &&
                !nb_levelled_refuses(levelled,
                                     nb_levelled_network(network, at->packet)))
                network->measure.congestion.left++;
        }
    }
}

void nb_theorems_end(struct nb_network *network)
{
    theorems_end_window(network);
    theorems_count_left(network);
}

enum nb_status nb_theorems_begin(struct nb_network *network,
                                 struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_theorems *theorems = &levelled->theorems;
    struct nb_rounds_count *congestion = &network->measure.congestion;
    const size_t routers = network->topology->router_count;
    uint32_t most = 0;
    enum nb_status status = NB_OK;
    if (!theorems_has_congestion(levelled) || congestion->is_of_many_paths)
        return NB_OK;
    memset(theorems->through, 0, routers * sizeof *theorems->through);
    congestion->is_of_many_paths =
        !theorems_count(network, NB_LEVELLED_END, theorems->through);
    for (size_t r = 0; r < routers; r++)
        most = theorems->through[r] > most ? theorems->through[r] : most;
    theorems->limit = most > 0 ? theorems_limit(levelled, most) : 0;
    if (most == 0 || congestion->is_of_many_paths)
        return NB_OK;
    if (congestion->count == 0) {
        memcpy(congestion->through, theorems->through,
               routers * sizeof *theorems->through);
        theorems_count(network, theorems->limit, congestion->small);
    }
    NB_TRY(nb_reserve(&congestion->most, &congestion->capacity,
                      congestion->count + 1, sizeof *congestion->most, "rounds",
                      err));
    congestion->most[congestion->count++] = most;
done:
    return status;
}
