#include "routing/next_hops.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "routing/table_ways.h"
#include "topology/metrics.h"

#include <math.h>
#include <string.h>

enum {
    HOPS_STEPS = 1 << 24, /* channels visited by moves */
    HOPS_PATIENCE = 2,    /* sweeps in a row that do not lower the load */
};

struct hops_work {
    const struct nb_topology *topology;
    const struct nb_hop_rule *rule; /* NULL: shortest paths */
    struct nb_pool pool;
    uint32_t *next;  /* [destination * router_count + router] */
    double *load;    /* [channel] from all pairs so far */
    double *inverse; /* [channel] 1 / bandwidth */
    double mean;     /* mean load, not 0 */
    /* For one destination: */
    uint32_t *distance; /* [router] */
    uint32_t *queue;    /* [router] in order of distance */
    double *flow;       /* [router] packets */
    double *ahead;      /* [router] cost of one more packet from there to the
                         * end */
};

static enum nb_status hops_init(struct hops_work *work, struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    enum nb_status status;
    work->load = nb_pool_array(&work->pool, m, sizeof *work->load);
    work->inverse = nb_pool_array(&work->pool, m, sizeof *work->inverse);
    work->distance = nb_pool_array(&work->pool, n, sizeof *work->distance);
    work->queue = nb_pool_array(&work->pool, n, sizeof *work->queue);
    work->flow = nb_pool_array(&work->pool, n, sizeof *work->flow);
    work->ahead = nb_pool_array(&work->pool, n, sizeof *work->ahead);
    NB_TRY(nb_pool_check(&work->pool, "next hops", err));
    for (size_t c = 0; c < m; c++)
        work->inverse[c] =
            1 / nb_ratio_value(work->topology->channels[c].bandwidth);
done:
    return status;
}

/* Finds the distances of all routers to a destination. */
static void hops_find(struct hops_work *work, uint32_t destination)
{
    if (work->rule != NULL)
        work->rule->find(work->rule->context, destination, work->distance,
                         work->queue);
    else
        nb_distances_to(work->topology, destination, work->distance,
                        work->queue);
}

/* Whether a channel leads a packet from a router nearer to the destination. */
static bool hops_is_nearer(const struct hops_work *work, uint32_t channel,
                           uint32_t router)
{
    const uint32_t to = work->topology->channels[channel].target;
    return work->distance[to] + 1 == work->distance[router] &&
           (work->rule == NULL ||
            work->rule->permits(work->rule->context, channel));
}

/* Whether a router has a path to the destination of at least one hop. */
static bool hops_has_way(const struct hops_work *work, uint32_t router)
{
    return work->distance[router] != NB_NONE && work->distance[router] > 0;
}

static void hops_begin_flow(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    for (size_t r = 0; r < topology->router_count; r++)
        work->flow[r] =
            (double)topology->terminals[r] * topology->terminals[destination];
}

/* Adds the destination's packets to the loads, or removes them. */
static void hops_count(struct hops_work *work, uint32_t destination,
                       double sign)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t *next = work->next + destination * topology->router_count;
    hops_begin_flow(work, destination);
    for (size_t i = topology->router_count; i-- > 1;) {
        const uint32_t r = work->queue[i];
        if (!hops_has_way(work, r))
            continue;
        work->load[next[r]] += sign * work->flow[r] * work->inverse[next[r]];
        work->flow[topology->channels[next[r]].target] += work->flow[r];
    }
}

/* The cost of additional packets on a channel. */
static double hops_cost(const struct hops_work *work, uint32_t channel,
                        double packets)
{
    return nb_load_cost(work->load[channel] / work->mean,
                        packets * work->inverse[channel] / work->mean);
}

/* The cost of one more packet, from near to far. */
static void hops_look_ahead(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    work->ahead[destination] = 0;
    for (size_t i = 1; i < topology->router_count; i++) {
        const uint32_t r = work->queue[i];
        if (!hops_has_way(work, r))
            break;
        work->ahead[r] = INFINITY;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const double cost = work->ahead[topology->channels[c].target] +
                                hops_cost(work, c, 1);
            if (hops_is_nearer(work, c, r) && cost < work->ahead[r])
                work->ahead[r] = cost;
        }
    }
}

/* Goes from far to near, so that the packets from farther away are known. */
static void hops_choose(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *next = work->next + destination * topology->router_count;
    hops_begin_flow(work, destination);
    for (size_t i = topology->router_count; i-- > 1;) {
        const uint32_t r = work->queue[i];
        double least = INFINITY;
        if (!hops_has_way(work, r))
            continue;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            if (!hops_is_nearer(work, c, r))
                continue;
            const double cost =
                work->flow[r] * work->ahead[topology->channels[c].target] +
                hops_cost(work, c, work->flow[r]);
            if (cost < least || least == INFINITY) {
                least = cost;
                next[r] = c;
            }
        }
        work->flow[topology->channels[next[r]].target] += work->flow[r];
    }
}

/* Moves packets from a router's next hops to the destination, or back. */
static void hops_move(struct hops_work *work, const uint32_t *next,
                      uint32_t router, uint32_t destination, double packets)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t at = router; at != destination;
         at = topology->channels[next[at]].target) {
        work->load[next[at]] += packets * work->inverse[next[at]];
        if (at != router)
            work->flow[at] += packets;
    }
}

/* The cost of sending a router's packets over a channel, and from there over
 * the next hops. */
static double hops_path_cost(const struct hops_work *work, const uint32_t *next,
                             uint32_t router, uint32_t channel,
                             uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const double packets = work->flow[router];
    double cost = hops_cost(work, channel, packets);
    for (uint32_t at = topology->channels[channel].target; at != destination;
         at = topology->channels[next[at]].target)
        cost += hops_cost(work, next[at], packets);
    return cost;
}

/* Chooses again for one router after another, now that the loads contain the
 * packets of all others: packets for one destination then divide, too. */
static void hops_choose_again(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *next = work->next + destination * topology->router_count;
    for (size_t i = topology->router_count; i-- > 1;) {
        const uint32_t r = work->queue[i];
        double least = INFINITY;
        uint32_t best = NB_NONE, nearer = 0;
        for (uint32_t c = topology->out_start[r];
             hops_has_way(work, r) && c < topology->out_start[r + 1]; c++)
            nearer += hops_is_nearer(work, c, r);
        if (nearer < 2 || work->flow[r] == 0)
            continue;
        hops_move(work, next, r, destination, -work->flow[r]);
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            if (!hops_is_nearer(work, c, r))
                continue;
            const double cost = hops_path_cost(work, next, r, c, destination);
            if (cost < least || (cost == least && c == next[r])) {
                least = cost;
                best = c;
            }
        }
        next[r] = best;
        hops_move(work, next, r, destination, work->flow[r]);
    }
}

/* Sets the mean load. */
static void hops_average(struct hops_work *work)
{
    const size_t m = work->topology->channel_count;
    double sum = 0;
    for (size_t c = 0; c < m; c++)
        sum += work->load[c];
    work->mean = sum > 0 ? sum / (double)m : 1;
}

/* Finds next hops to a destination whose packets are not in the loads. */
static void hops_add(struct hops_work *work, uint32_t destination)
{
    hops_find(work, destination);
    hops_look_ahead(work, destination);
    hops_choose(work, destination);
    hops_count(work, destination, 1);
    hops_choose_again(work, destination);
}

/* Visits all destinations; is_first: the loads contain no packets of theirs
 * yet, so that they are still growing. */
static void hops_sweep(struct hops_work *work, bool is_first)
{
    const struct nb_topology *topology = work->topology;
    hops_average(work);
    for (uint32_t d = 0; d < topology->router_count && !nb_run_is_stopped();
         d++) {
        if (topology->terminals[d] == 0)
            continue;
        if (is_first) {
            hops_average(work);
        } else {
            hops_find(work, d);
            hops_count(work, d, -1);
        }
        hops_add(work, d);
    }
}

static void hops_choose_by_number(struct hops_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *next = work->next + destination * topology->router_count;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        uint32_t least = NB_NONE;
        for (uint32_t c = topology->out_start[r];
             hops_has_way(work, r) && c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            const uint32_t differs = to > r ? to - r : r - to;
            if (hops_is_nearer(work, c, r) && differs < least) {
                least = differs;
                next[r] = c;
            }
        }
    }
}

static void hops_find_by_number(struct hops_work *work)
{
    const size_t n = work->topology->router_count;
    for (uint32_t d = 0; d < n && !nb_run_is_stopped(); d++) {
        if (work->topology->terminals[d] == 0)
            continue;
        nb_distances_to(work->topology, d, work->distance, work->queue);
        hops_choose_by_number(work, d);
        hops_count(work, d, 1);
    }
}

enum nb_status nb_next_hops_by_number(const struct nb_topology *topology,
                                      uint32_t *next, struct nb_error *err)
{
    struct hops_work work = { .topology = topology, .next = next };
    enum nb_status status;
    NB_TRY(hops_init(&work, err));
    hops_find_by_number(&work);
    status = nb_run_check_stop(err);
done:
    nb_pool_release(&work.pool);
    return status;
}

/* Adds or removes the packets of all destinations of a move. */
static void hops_count_moved(struct hops_work *work,
                             const struct nb_moves *moves, double sign)
{
    for (size_t i = 0; i < moves->count; i++) {
        hops_find(work, moves->moved[i].destination);
        hops_count(work, moves->moved[i].destination, sign);
    }
}

/* Whether a move lowers the strain; one that raises it is taken back. */
static bool hops_try(struct hops_work *work, struct nb_moves *moves)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    const double most = nb_load_most(topology, work->load);
    const double before = nb_load_strain(topology, work->load, most);
    hops_average(work);
    nb_moves_draw(moves, work->load, work->next);
    hops_count_moved(work, moves, -1);
    for (size_t i = 0; i < moves->count; i++)
        hops_add(work, moves->moved[i].destination);
    const double after = nb_load_strain(topology, work->load, most);
    if (after <= before)
        return after < before * (1 - 1e-9);
    hops_count_moved(work, moves, -1);
    for (size_t i = 0; i < moves->count; i++)
        memcpy(work->next + moves->moved[i].destination * n,
               moves->moved[i].next, n * sizeof *work->next);
    hops_count_moved(work, moves, 1);
    return false;
}

/* Keeps next hops if they have the least load so far. */
static void hops_keep(const struct hops_work *work, uint32_t *next,
                      double *least)
{
    const size_t n = work->topology->router_count;
    const double most = nb_load_most(work->topology, work->load);
    if (most >= *least)
        return;
    *least = most;
    for (uint32_t d = 0; d < n && work->next != next; d++)
        if (work->topology->terminals[d] > 0)
            memcpy(next + d * n, work->next + d * n, n * sizeof *next);
}

/* Begins with the best next hops, and moves destinations while that helps. */
static enum nb_status hops_refine(struct hops_work *work, uint32_t *next,
                                  double *least, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_moves moves = { 0 };
    size_t patience = NB_MOVES_VAIN, steps = 0;
    enum nb_status status;
    NB_TRY(nb_moves_init(topology, &moves, err));
    memset(work->load, 0, m * sizeof *work->load);
    for (uint32_t d = 0; d < n; d++) {
        if (topology->terminals[d] == 0)
            continue;
        memcpy(work->next + d * n, next + d * n, n * sizeof *next);
        hops_find(work, d);
        hops_count(work, d, 1);
    }
    while (*least > 0 && patience-- > 0 && steps < HOPS_STEPS) {
        if (hops_try(work, &moves))
            patience = NB_MOVES_VAIN;
        hops_keep(work, next, least);
        steps += 4 * moves.count * m;
        NB_TRY(nb_run_check_stop(err));
    }
done:
    nb_moves_release(&moves);
    return status;
}

enum nb_status nb_next_hops_by_load(const struct nb_topology *topology,
                                    const struct nb_hop_rule *rule,
                                    unsigned sweeps, uint32_t *next,
                                    double *least, struct nb_error *err)
{
    struct hops_work work = { .topology = topology,
                              .rule = rule,
                              .next = next };
    double ignored = 0;
    uint32_t *now = NULL;
    enum nb_status status;
    least = least != NULL ? least : &ignored;
    *least = INFINITY;
    NB_TRY(hops_init(&work, err));
    if (sweeps > 0) {
        NB_TRY(nb_table_ways_new(topology, &now, err));
        if (rule == NULL)
            hops_find_by_number(&work);
        NB_TRY(nb_run_check_stop(err));
        if (rule == NULL)
            hops_keep(&work, next, least);
        memset(work.load, 0, topology->channel_count * sizeof *work.load);
        work.next = now;
    }
    unsigned patience = HOPS_PATIENCE;
    for (unsigned sweep = 0; sweep <= sweeps && patience > 0; sweep++) {
        const double before = *least;
        hops_sweep(&work, sweep == 0);
        NB_TRY(nb_run_check_stop(err));
        hops_keep(&work, next, least);
        patience = *least < before ? HOPS_PATIENCE : patience - 1;
    }
    if (sweeps > 0)
        NB_TRY(hops_refine(&work, next, least, err));
done:
    nb_delete(now);
    nb_pool_release(&work.pool);
    return status;
}
