#include "routing/turn_ways.h"

#include "core/memory.h"
#include "routing/next_hops.h"

#include <string.h>

static const char turns_what[] = "turns";

static bool turns_is_back(const struct nb_topology *topology, uint32_t from,
                          uint32_t to)
{
    return topology->channels[from].source == topology->channels[to].target;
}

enum nb_status nb_turns_init(const struct nb_topology *topology,
                             struct nb_turns *out, struct nb_error *err)
{
    const size_t m = topology->channel_count;
    enum nb_status status;
    *out = (struct nb_turns){ .topology = topology };
    NB_TRY(nb_new(&out->first, m + 1, sizeof *out->first, turns_what, err));
    NB_TRY(nb_new(&out->is_usable, m, sizeof *out->is_usable, turns_what, err));
    memset(out->is_usable, true, m);
    nb_turn_numbers(topology, out->first);
    NB_TRY(nb_new(&out->is_permitted, out->first[m], sizeof *out->is_permitted,
                  turns_what, err));
    for (uint32_t c = 0; c < m; c++) {
        const uint32_t r = topology->channels[c].target;
        for (uint32_t o = topology->out_start[r];
             o < topology->out_start[r + 1]; o++)
            out->is_permitted[nb_turn(out, c, o)] =
                !turns_is_back(topology, c, o);
    }
done:
    return status;
}

void nb_turns_release(struct nb_turns *turns)
{
    nb_delete(turns->is_usable);
    nb_delete(turns->first);
    nb_delete(turns->is_permitted);
    *turns = (struct nb_turns){ 0 };
}

void nb_turns_count(const struct nb_turns *turns, size_t *all,
                    size_t *prohibited)
{
    const struct nb_topology *topology = turns->topology;
    *all = *prohibited = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t r = topology->channels[c].target;
        if (!turns->is_usable[c])
            continue;
        for (uint32_t o = topology->out_start[r];
             o < topology->out_start[r + 1]; o++) {
            const bool is_turn =
                turns->is_usable[o] && !turns_is_back(topology, c, o);
            *all += is_turn;
            *prohibited +=
                is_turn && !turns->is_permitted[nb_turn(turns, c, o)];
        }
    }
}

void nb_turns_tell(const struct nb_turns *turns, struct nb_routing *out)
{
    size_t all, prohibited;
    nb_turns_count(turns, &all, &prohibited);
    nb_routing_add_count(out, "turns", all);
    nb_routing_add_count(out, "prohibited_turns", prohibited);
}

enum nb_status nb_turns_require_links(const struct nb_routing *routing,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    for (size_t c = 0; c < topology->channel_count; c++)
        if (nb_channel_find(topology, topology->channels[c].target,
                            topology->channels[c].source, 0) == NB_NONE)
            return nb_routing_refuse(
                routing, "one whose links are all bidirectional", err);
    return NB_OK;
}

enum nb_status nb_turn_ways_refuse(const struct nb_topology *topology,
                                   uint32_t source, uint32_t destination,
                                   struct nb_error *err)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, "no path of permitted turns leads from router ");
    nb_router_print(topology, source, &text);
    nb_text_print(&text, " to router ");
    nb_router_print(topology, destination, &text);
    enum nb_status status = nb_text_check(&text, err);
    if (status == NB_OK)
        status =
            nb_fail(err, NB_INVALID, "%s (permitted: other roots)", text.bytes);
    nb_text_release(&text);
    return status;
}

/* The state of building a scheme. */
struct turn_work {
    const struct nb_topology *topology;
    const struct nb_turns *turns;
    struct nb_table_ways_work tables;
    struct nb_pool pool;
    double *load;    /* [channel] packets / bandwidth so far */
    double *inverse; /* [channel] 1 / bandwidth */
    double mean;     /* mean load, not 0 */
    /* For the current destination: */
    uint32_t *hops;  /* [channel] from its source; 0: no path */
    uint32_t *queue; /* [queue_count] channels by hops */
    size_t queue_count;
    double *beyond;      /* [channel] cost of one more packet behind it */
    double *flow;        /* [channel] packets that are not in the loads */
    double *carried;     /* [channel] packets that are */
    uint32_t *next;      /* [channel] the next one */
    uint32_t *injection; /* [router] the first channel */
    uint32_t *path;      /* [channel_count] */
};

static enum nb_status turn_init(struct turn_work *work, struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->inverse = nb_pool_array(pool, m, sizeof *work->inverse);
    work->hops = nb_pool_array(pool, m, sizeof *work->hops);
    work->queue = nb_pool_array(pool, m, sizeof *work->queue);
    work->beyond = nb_pool_array(pool, m, sizeof *work->beyond);
    work->flow = nb_pool_array(pool, m, sizeof *work->flow);
    work->carried = nb_pool_array(pool, m, sizeof *work->carried);
    work->next = nb_pool_array(pool, m, sizeof *work->next);
    work->injection = nb_pool_array(pool, n, sizeof *work->injection);
    work->path = nb_pool_array(pool, m, sizeof *work->path);
    NB_TRY(nb_pool_check(pool, turns_what, err));
    for (size_t c = 0; c < m; c++)
        work->inverse[c] =
            1 / nb_ratio_value(work->topology->channels[c].bandwidth);
    NB_TRY(nb_table_ways_open(&work->tables, work->topology, err));
done:
    return status;
}

static void turn_reach(struct turn_work *work, uint32_t channel, uint32_t hops)
{
    if (work->hops[channel] != 0 || !work->turns->is_usable[channel])
        return;
    work->hops[channel] = hops;
    work->queue[work->queue_count++] = channel;
}

/* Breadth-first search against the turns. */
static void turn_search(struct turn_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    for (size_t c = 0; c < topology->channel_count; c++) {
        work->hops[c] = 0;
        work->flow[c] = work->carried[c] = 0;
    }
    work->queue_count = 0;
    for (uint32_t i = topology->in_start[destination];
         i < topology->in_start[destination + 1]; i++)
        turn_reach(work, topology->in_channel[i], 1);
    for (size_t head = 0; head < work->queue_count; head++) {
        const uint32_t to = work->queue[head];
        const uint32_t r = topology->channels[to].source;
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t from = topology->in_channel[i];
            if (work->turns->is_permitted[nb_turn(work->turns, from, to)])
                turn_reach(work, from, work->hops[to] + 1);
        }
    }
}

/* The cost of additional packets on a channel, which may already have some for
 * this destination. */
static double turn_cost(const struct turn_work *work, uint32_t channel,
                        double packets)
{
    const double inverse = work->inverse[channel];
    return nb_load_cost((work->load[channel] + work->flow[channel] * inverse) /
                            work->mean,
                        packets * inverse / work->mean);
}

/* The best channel out of a router for a packet that came over channel `from`,
 * NB_NONE at its source: among those with the fewest hops to the destination,
 * the one on which this many additional packets cost least. */
static uint32_t turn_choose(const struct turn_work *work, uint32_t from,
                            uint32_t router, double packets)
{
    const struct nb_topology *topology = work->topology;
    uint32_t best = NB_NONE;
    double least = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        if (work->hops[c] == 0 ||
            (best != NB_NONE && work->hops[c] > work->hops[best]) ||
            (from != NB_NONE &&
             !work->turns->is_permitted[nb_turn(work->turns, from, c)]))
            continue;
        const double cost =
            packets * work->beyond[c] + turn_cost(work, c, packets);
        if (best == NB_NONE || work->hops[c] < work->hops[best] ||
            cost < least) {
            best = c;
            least = cost;
        }
    }
    return best;
}

/* Computes the cost of one more packet behind each channel, from near to
 * far. */
static void turn_look_ahead(struct turn_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    double sum = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        sum += work->load[c];
    work->mean = sum > 0 ? sum / (double)topology->channel_count : 1;
    for (size_t i = 0; i < work->queue_count; i++) {
        const uint32_t c = work->queue[i];
        const uint32_t r = topology->channels[c].target;
        work->beyond[c] = 0;
        if (r == destination)
            continue;
        const uint32_t on = turn_choose(work, c, r, 1);
        work->next[c] = on;
        work->beyond[c] = work->beyond[on] + turn_cost(work, on, 1);
    }
}

/* Chooses from far to near, so that the packets from farther away are known.
 * Errors: NB_INVALID if there is no path. */
static enum nb_status turn_choose_all(struct turn_work *work,
                                      uint32_t destination,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t s = 0; s < topology->router_count; s++) {
        const double packets =
            (double)topology->terminals[s] * topology->terminals[destination];
        if (topology->terminals[s] == 0 || s == destination)
            continue;
        const uint32_t c = turn_choose(work, NB_NONE, s, packets);
        if (c == NB_NONE)
            return nb_turn_ways_refuse(work->topology, s, destination, err);
        work->injection[s] = c;
        work->flow[c] += packets;
    }
    for (size_t i = work->queue_count; i-- > 0;) {
        const uint32_t c = work->queue[i];
        if (work->flow[c] == 0)
            continue;
        const double packets = work->flow[c];
        work->flow[c] = 0;
        work->carried[c] = packets;
        work->load[c] += packets * work->inverse[c];
        if (topology->channels[c].target == destination)
            continue;
        work->next[c] =
            turn_choose(work, c, topology->channels[c].target, packets);
        work->flow[work->next[c]] += packets;
    }
    return NB_OK;
}

/* Moves packets onto a channel and those that follow it, or off them. */
static void turn_move(struct turn_work *work, uint32_t channel,
                      uint32_t destination, double packets)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t c = channel;; c = work->next[c]) {
        work->load[c] += packets * work->inverse[c];
        work->carried[c] += packets;
        if (topology->channels[c].target == destination)
            return;
    }
}

/* The cost of additional packets on a channel and those that follow it. */
static double turn_path_cost(const struct turn_work *work, uint32_t channel,
                             uint32_t destination, double packets)
{
    double cost = 0;
    for (uint32_t c = channel;; c = work->next[c]) {
        cost += turn_cost(work, c, packets);
        if (work->topology->channels[c].target == destination)
            return cost;
    }
}

/* The best of the channels that are as near to the destination as a given one,
 * for packets that come over channel `from`, NB_NONE at their source; they are
 * moved there. */
static uint32_t turn_choose_again(struct turn_work *work, uint32_t from,
                                  uint32_t old, uint32_t destination,
                                  double packets)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t router = topology->channels[old].source;
    uint32_t best = old;
    turn_move(work, old, destination, -packets);
    double least = turn_path_cost(work, old, destination, packets);
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        if (c == old || work->hops[c] != work->hops[old] ||
            (from != NB_NONE &&
             !work->turns->is_permitted[nb_turn(work->turns, from, c)]))
            continue;
        const double cost = turn_path_cost(work, c, destination, packets);
        if (cost >= least)
            continue;
        best = c;
        least = cost;
    }
    turn_move(work, best, destination, packets);
    return best;
}

/* Chooses again, from far to near, now that the loads contain all packets:
 * those for one destination then divide, too. */
static void turn_improve(struct turn_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t s = 0; s < topology->router_count; s++)
        if (topology->terminals[s] > 0 && s != destination)
            work->injection[s] = turn_choose_again(
                work, NB_NONE, work->injection[s], destination,
                (double)topology->terminals[s] *
                    topology->terminals[destination]);
    for (size_t i = work->queue_count; i-- > 0;) {
        const uint32_t c = work->queue[i];
        if (work->carried[c] > 0 && topology->channels[c].target != destination)
            work->next[c] = turn_choose_again(work, c, work->next[c],
                                              destination, work->carried[c]);
    }
}

static enum nb_status turn_add_paths(struct turn_work *work,
                                     uint32_t destination, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status = NB_OK;
    for (uint32_t s = 0; s < topology->router_count; s++) {
        size_t length = 0;
        if (topology->terminals[s] == 0 || s == destination)
            continue;
        uint32_t c = work->injection[s];
        for (; topology->channels[c].target != destination; c = work->next[c])
            work->path[length++] = c;
        work->path[length++] = c;
        NB_TRY(nb_table_ways_add(&work->tables, s, destination, work->path,
                                 NULL, length, err));
    }
done:
    return status;
}

enum nb_status nb_turn_ways_build(struct nb_routing *out,
                                  const struct nb_turns *turns, unsigned sweeps,
                                  double *most, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    struct turn_work work = { .topology = topology, .turns = turns };
    enum nb_status status;
    NB_TRY(turn_init(&work, err));
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (topology->terminals[d] == 0)
            continue;
        turn_search(&work, d);
        turn_look_ahead(&work, d);
        NB_TRY(turn_choose_all(&work, d, err));
        for (unsigned sweep = 0; sweep < sweeps; sweep++)
            turn_improve(&work, d);
        NB_TRY(turn_add_paths(&work, d, err));
    }
    if (most != NULL)
        *most = nb_load_most(topology, work.load);
    NB_TRY(nb_table_ways_close(&work.tables, out, err));
done:
    nb_table_ways_release(&work.tables);
    nb_pool_release(&work.pool);
    return status;
}
