/*
 * Ranade's merging: in each logical network a router sends what it has in the
 * order of keys. It waits until each of its inputs shows a key: that of a
 * packet in its queue, or of the last ghost that came; no packet with a smaller
 * key will follow a ghost. The least key goes on as a ghost over all channels,
 * and if it is a packet's, the packet over its own; so a router sends at most
 * one packet per cycle in a logical network. A ghost stays until something
 * follows. If both logical networks want a channel, the one that used it least
 * recently gets it, while the ghosts of both cross every channel in every
 * cycle. The thesis cites Ranade's algorithm without repeating it: this is our
 * reading. Source:
 * [Randall1994, section 2.3]; [Leighton1992].
 */
#include "sim/routers/levelled.h"

#include "core/try.h"

/* The least key that the inputs of a router show. */
struct merge_least {
    uint64_t key;
    uint32_t queue; /* of the packet; NB_NONE: at its source, or a ghost */
    bool is_packet;
    bool can_go;     /* into the queue behind its output */
    uint32_t output; /* of packets that are not at their source */
};

static struct merge_least merge_find(const struct nb_network *network,
                                     const struct nb_levelled *levelled,
                                     uint32_t router, uint32_t logical)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_rounds *rounds = &levelled->rounds;
    struct merge_least least = { NB_LEVELLED_END, NB_NONE, false, false,
                                 NB_NONE };
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t queue = topology->in_channel[i] * NB_LOGICAL + logical;
        const bool is_packet = levelled->count[queue] > 0;
        const uint32_t flight =
            is_packet ? levelled->standing[(size_t)queue * levelled->room] : 0;
        const uint64_t key =
            is_packet ? rounds->flight[flight].key : rounds->bound[queue];
        if (key > least.key || (key == least.key && !is_packet))
            continue;
        least = (struct merge_least){
            .key = key,
            .queue = is_packet ? queue : NB_NONE,
            .is_packet = is_packet,
            .output = is_packet ? rounds->flight[flight].output : NB_NONE,
        };
    }
    return least;
}

/* The same for a router with terminals, whose only input is its waiting
 * packets. */
static struct merge_least merge_find_source(struct nb_network *network,
                                            struct nb_levelled *levelled,
                                            uint32_t router, uint32_t logical)
{
    const struct nb_rounds *rounds = &levelled->rounds;
    struct merge_least least = {
        .key = nb_rounds_key(rounds, router, logical),
        .queue = NB_NONE,
        .output = NB_NONE,
    };
    least.is_packet = least.key != NB_LEVELLED_END;
    if (least.is_packet)
        least.output = nb_rounds_output(network, router, logical);
    return least;
}

static bool merge_has_room(const struct nb_network *network,
                           const struct nb_levelled *levelled, uint32_t channel,
                           uint32_t logical)
{
    return nb_levelled_is_last(network, levelled, channel) ||
           levelled->held[channel * NB_LOGICAL + logical] < levelled->room;
}

/* The key goes on as a ghost over all channels, also the one that its packet
 * wants: a packet with this key, and none with a smaller one, follows. */
static void merge_tell(const struct nb_network *network,
                       struct nb_levelled *levelled, uint32_t router,
                       uint32_t logical, uint64_t key)
{
    const uint32_t *start = &network->topology->out_start[router];
    for (uint32_t c = start[0]; c < start[1]; c++)
        levelled->rounds.bound[c * NB_LOGICAL + logical] = key;
}

static enum nb_status merge_send(struct nb_network *network, uint32_t router,
                                 uint32_t logical,
                                 const struct merge_least *least,
                                 struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    const uint32_t channel = least->output;
    uint32_t flight;
    enum nb_status status = NB_OK;
    if (least->queue == NB_NONE) {
        NB_TRY(nb_rounds_send(network, router, logical, &flight, err));
    } else {
        flight = nb_levelled_take(levelled, least->queue, 0, 0);
        levelled->wanted[channel]--;
    }
    rounds->last[channel] = (uint8_t)logical;
    NB_TRY(nb_rounds_cross(network, flight, channel, err));
    if (nb_levelled_is_last(network, levelled, channel)) {
        nb_rounds_arrive(network, flight);
        goto done;
    }
    struct nb_flight *at = &rounds->flight[flight];
    at->output = nb_levelled_route(network, at->packet,
                                   network->topology->channels[channel].target);
    levelled->wanted[at->output]++;
    nb_levelled_put(network, channel * NB_LOGICAL + logical, flight);
done:
    return status;
}

static enum nb_status merge_router(struct nb_network *network, uint32_t router,
                                   struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    const bool is_source = network->topology->terminals[router] > 0;
    struct merge_least least[NB_LOGICAL];
    enum nb_status status = NB_OK;
    for (uint32_t l = 0; l < NB_LOGICAL; l++) {
        least[l] = is_source ? merge_find_source(network, levelled, router, l)
                             : merge_find(network, levelled, router, l);
        least[l].can_go = least[l].is_packet &&
                          merge_has_room(network, levelled, least[l].output, l);
    }
    if (least[0].can_go && least[1].can_go &&
        least[0].output == least[1].output)
        least[levelled->rounds.last[least[0].output]].can_go = false;
    for (uint32_t l = 0; l < NB_LOGICAL; l++) {
        merge_tell(network, levelled, router, l, least[l].key);
        if (least[l].can_go)
            NB_TRY(merge_send(network, router, l, &least[l], err));
    }
done:
    return status;
}

/* The last level first, so that nothing moves twice. */
enum nb_status nb_merge_cycle(struct nb_network *network, struct nb_error *err)
{
    const struct nb_levelled *levelled = network->state;
    const struct nb_levels *levels = &levelled->levels;
    enum nb_status status = NB_OK;
    for (uint32_t i = 0;
         i < levels->start[levels->depth + 1] && status == NB_OK; i++)
        status = merge_router(network, levels->order[i], err);
    return status;
}
