/*
 * Rounds. In the first half packets move, each with a newly drawn key. Packets
 * that have not reached their terminal by then are dropped. In the second half
 * every use of a channel is repeated in reverse time and direction by an
 * acknowledgement, so that there is room for it; its last cycles bring the next
 * round's tokens. A source keeps a packet until it hears that it was delivered;
 * packets born in a round wait for the next one. Source: [Randall1994, sections
 * 2.3 and 2.5].
 */
#include "sim/routers/levelled.h"

#include "core/memory.h"

#include <assert.h>

/* [cycle] Of a round, and of its first half. */
static enum nb_status rounds_set_length(const struct nb_levelled *levelled,
                                        struct nb_rounds *rounds,
                                        struct nb_error *err)
{
    const struct nb_ratio round = levelled->plan->round;
    const uint32_t depth = levelled->levels.depth;
    /* A packet takes depth + 1 hops between its terminals, as a token does. */
    const double least = 2.0 * (depth + 1) / depth;
    if (!nb_ratio_is_known(round) || round.numerator <= 0 ||
        nb_ratio_value(round) < least || nb_ratio_value(round) > NB_MOST_ROUND)
        return nb_fail(err, NB_INVALID,
                       "rounds of %g cycles for each of the %u levels are not "
                       "permitted (permitted: from %g, so that a packet gets "
                       "through in half a round, to %d)",
                       nb_ratio_value(round), depth, least, NB_MOST_ROUND);
    rounds->length =
        (uint64_t)((nb_int128)round.numerator * depth / round.denominator);
    rounds->forward = rounds->length / 2;
    return NB_OK;
}

enum nb_status nb_rounds_init(struct nb_network *network, struct nb_error *err)
{
    const struct nb_topology *topology = network->topology;
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    struct nb_pool *pool = &levelled->pool;
    const size_t routers = topology->router_count;
    const size_t channels = topology->channel_count;
    const size_t networks = levelled->plan->networks;
    enum nb_status status = NB_OK;
    NB_TRY(rounds_set_length(levelled, rounds, err));
    rounds->stand = nb_pool_array(pool, routers, sizeof *rounds->stand);
    rounds->bound =
        nb_pool_array(pool, channels * NB_LOGICAL, sizeof *rounds->bound);
    rounds->last = nb_pool_array(pool, channels, sizeof *rounds->last);
    rounds->token = nb_pool_array(pool, routers, sizeof *rounds->token);
    rounds->taken = nb_pool_array(pool, routers, sizeof *rounds->taken);
    rounds->is_wanted =
        nb_pool_array(pool, networks, sizeof *rounds->is_wanted);
    rounds->waited = nb_pool_array(pool, networks, sizeof *rounds->waited);
    rounds->until =
        nb_pool_array(pool, rounds->forward + 1, sizeof *rounds->until);
    NB_TRY(nb_pool_check(pool, "rounds", err));
    NB_TRY(nb_theorems_init(network, err));
    for (size_t r = 0; r < routers; r++)
        rounds->stand[r].born = NB_NONE;
    rounds->active = levelled->plan->sharing == NB_SHARE_SLICES ? 0 : NB_NONE;
    rounds->after =
        (levelled->plan->names > 0 ? levelled->plan->names : networks) - 1;
done:
    return status;
}

void nb_rounds_release(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    for (size_t r = 0;
         rounds->stand != NULL && r < network->topology->router_count; r++)
        nb_delete(rounds->stand[r].waiting);
    nb_delete(rounds->flight);
    nb_delete(rounds->crossed);
}

void nb_rounds_inject(struct nb_network *network, uint32_t packet)
{
    struct nb_levelled *levelled = network->state;
    const uint32_t router =
        network->terminal_router[network->packets.source[packet]];
    struct nb_stand *stand = &levelled->rounds.stand[router];
    network->packets.next[packet] = stand->born;
    stand->born = packet;
}

/* Restores the heap of count packets below waiting[i]. */
static void rounds_sink(struct nb_waiting *waiting, size_t count, size_t i)
{
    const struct nb_waiting sinking = waiting[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && waiting[child + 1].key < waiting[child].key)
            child++;
        if (sinking.key <= waiting[child].key)
            break;
        waiting[i] = waiting[child];
    }
    waiting[i] = sinking;
}

static void rounds_heap(struct nb_stand *stand, int logical)
{
    struct nb_waiting *waiting = stand->waiting + stand->first[logical];
    for (size_t i = stand->left[logical] / 2; i-- > 0;)
        rounds_sink(waiting, stand->left[logical], i);
}

uint32_t nb_rounds_output(struct nb_network *network, uint32_t router,
                          uint32_t logical)
{
    struct nb_levelled *levelled = network->state;
    const struct nb_stand *stand = &levelled->rounds.stand[router];
    struct nb_waiting *first = &stand->waiting[stand->first[logical]];
    if (first->output == NB_NONE)
        first->output = nb_levelled_route(network, first->packet, router);
    return first->output;
}

enum nb_status nb_rounds_send(struct nb_network *network, uint32_t router,
                              uint32_t logical, uint32_t *out,
                              struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    struct nb_stand *stand = &rounds->stand[router];
    struct nb_waiting *waiting = stand->waiting + stand->first[logical];
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&rounds->flight, &rounds->flight_capacity,
                      rounds->flight_count + 1, sizeof *rounds->flight,
                      "packets of a round", err));
    const struct nb_waiting sent = waiting[0];
    const size_t last = --stand->left[logical];
    waiting[0] = waiting[last];
    waiting[last] = sent;
    rounds_sink(waiting, last, 0);
    *out = (uint32_t)rounds->flight_count;
    rounds->flight[rounds->flight_count++] = (struct nb_flight){
        .key = sent.key,
        .packet = sent.packet,
        .source = router,
        .network = nb_levelled_network(network, sent.packet),
        .place = stand->first[logical] + last,
    };
    levelled->waiting--;
    nb_measure_leave(network, sent.packet);
    nb_measure_sent(network);
done:
    return status;
}

enum nb_status nb_rounds_cross(struct nb_network *network, uint32_t flight,
                               uint32_t channel, struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    const enum nb_status status = nb_reserve(
        &rounds->crossed, &rounds->crossed_capacity, rounds->crossed_count + 1,
        sizeof *rounds->crossed, "acknowledgements", err);
    if (status != NB_OK)
        return status;
    rounds->crossed[rounds->crossed_count++] = flight;
    rounds->flight[flight].hops++;
    network->measure.sent[channel]++;
    return NB_OK;
}

/* A packet is dropped: it waits at its source, which does not know yet. */
static void rounds_return(struct nb_network *network, struct nb_flight *flight)
{
    struct nb_levelled *levelled = network->state;
    flight->end = NB_DROPPED;
    levelled->waiting++;
    nb_measure_wait(network, flight->packet);
}

void nb_rounds_arrive(struct nb_network *network, uint32_t flight)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    struct nb_flight *at = &rounds->flight[flight];
    if (nb_levelled_refuses(levelled, at->network)) {
        rounds_return(network, at);
        return;
    }
    at->end = NB_ARRIVED;
    levelled->theorems.delivered[at->network]++;
    rounds->stand[at->source].waiting[at->place].packet = NB_NONE;
    network->packets.hops[at->packet] = at->hops;
    nb_levelled_deliver(network, at->packet);
}

/* Drops what is still in the network. */
static void rounds_drop(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    const size_t queues = network->topology->channel_count * NB_LOGICAL;
    for (size_t q = 0; q < queues; q++) {
        levelled->count[q] = levelled->held[q] = 0;
        rounds->bound[q] = 0;
    }
    for (size_t q = 0; q < network->queue_count; q++)
        levelled->wanted[q] = 0;
    for (size_t f = 0; f < rounds->flight_count; f++)
        if (rounds->flight[f].end == NB_FLYING)
            rounds_return(network, &rounds->flight[f]);
}

/* An acknowledgement has come back to its source. */
static void rounds_acknowledge(struct nb_network *network,
                               const struct nb_flight *flight)
{
    struct nb_levelled *levelled = network->state;
    nb_measure_acknowledged(network, flight->end == NB_ARRIVED);
    if (flight->end == NB_ARRIVED)
        return;
    levelled->rounds.stand[flight->source].waiting[flight->place].output =
        NB_NONE;
    nb_network_begin(network, NULL, flight->packet, flight->source);
}

/* Acknowledges the uses of channels of the cycle that this one mirrors. */
static void rounds_back(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    if (rounds->cycle >= 2 * rounds->forward)
        return;
    const uint64_t cycle = 2 * rounds->forward - 1 - rounds->cycle;
    const size_t begin = cycle > 0 ? rounds->until[cycle - 1] : 0;
    for (size_t i = begin; i < rounds->until[cycle]; i++) {
        struct nb_flight *flight = &rounds->flight[rounds->crossed[i]];
        assert(flight->back < flight->hops);
        if (++flight->back == flight->hops)
            rounds_acknowledge(network, flight);
    }
}

/* Packets for the next round: all that wait, except those delivered. Errors:
 * NB_NO_MEMORY. */
static enum nb_status rounds_gather(struct nb_network *network,
                                    struct nb_stand *stand,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t kept = 0;
    for (size_t i = 0; i < stand->count; i++)
        if (stand->waiting[i].packet != NB_NONE)
            stand->waiting[kept++] = stand->waiting[i];
    stand->count = kept;
    while (stand->born != NB_NONE) {
        NB_TRY(nb_reserve(&stand->waiting, &stand->capacity, stand->count + 1,
                          sizeof *stand->waiting, "packets at sources", err));
        stand->waiting[stand->count++] =
            (struct nb_waiting){ .packet = stand->born, .output = NB_NONE };
        stand->born = network->packets.next[stand->born];
    }
done:
    return status;
}

/* Gives all waiting packets a key and a logical network. With slices only the
 * active virtual network is sent. */
static void rounds_deal(struct nb_network *network, struct nb_stand *stand)
{
    const struct nb_levelled *levelled = network->state;
    const uint32_t active = levelled->rounds.active;
    struct nb_waiting *waiting = stand->waiting;
    size_t front = 0;
    for (size_t i = 0; i < stand->count; i++) {
        waiting[i].key = nb_random_next(&network->random) << 32 |
                         waiting[i].packet; /* a tie-break */
        if (nb_levelled_network(network, waiting[i].packet) != active)
            continue;
        const struct nb_waiting first = waiting[front];
        waiting[front++] = waiting[i];
        waiting[i] = first;
    }
    stand->first[NB_ACTIVE] = 0;
    stand->left[NB_ACTIVE] = front;
    stand->first[NB_REST] = front;
    stand->left[NB_REST] =
        levelled->plan->sharing == NB_SHARE_ROUTER ? stand->count - front : 0;
    rounds_heap(stand, NB_REST);
    rounds_heap(stand, NB_ACTIVE);
}

static enum nb_status rounds_next(struct nb_network *network,
                                  struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    const bool has_tokens = levelled->plan->sharing == NB_SHARE_ROUTER;
    enum nb_status status = NB_OK;
    for (size_t f = 0; f < rounds->flight_count; f++)
        assert(rounds->flight[f].back == rounds->flight[f].hops);
    rounds->number++;
    nb_measure_round(network, rounds->length);
    rounds->cycle = 0;
    rounds->flight_count = rounds->crossed_count = 0;
    if (has_tokens)
        NB_TRY(nb_tokens_end(network, err));
    else
        rounds->active = (uint32_t)(rounds->number % levelled->plan->networks);
    if (has_tokens)
        nb_theorems_end(network);
    for (size_t r = 0; r < network->topology->router_count; r++) {
        NB_TRY(rounds_gather(network, &rounds->stand[r], err));
        rounds_deal(network, &rounds->stand[r]);
    }
    if (has_tokens)
        NB_TRY(nb_theorems_begin(network, err));
done:
    return status;
}

/* Tokens move in the last cycles of a round. */
static void rounds_move_tokens(struct nb_network *network)
{
    const struct nb_levelled *levelled = network->state;
    const struct nb_rounds *rounds = &levelled->rounds;
    const uint64_t begin = rounds->length - levelled->levels.depth - 1;
    if (levelled->plan->sharing != NB_SHARE_ROUTER || rounds->cycle < begin)
        return;
    if (rounds->cycle == begin)
        nb_tokens_begin(network);
    nb_tokens_cycle(network, (uint32_t)(rounds->cycle - begin));
}

enum nb_status nb_rounds_move(struct nb_network *network, struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    enum nb_status status = NB_OK;
    if (rounds->cycle < rounds->forward) {
        NB_TRY(nb_merge_cycle(network, err));
        nb_levelled_settle(levelled);
        rounds->until[rounds->cycle] = rounds->crossed_count;
        if (rounds->cycle + 1 == rounds->forward)
            rounds_drop(network);
    } else {
        rounds_back(network);
    }
    rounds_move_tokens(network);
    if (++rounds->cycle == rounds->length)
        NB_TRY(rounds_next(network, err));
done:
    return status;
}
