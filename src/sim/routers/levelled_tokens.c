/* Tokens: which virtual network is the next to be active. Source:
 * [Randall1994, section 2.4]. */
#include "sim/routers/levelled.h"

uint64_t nb_virtual_name(const struct nb_virtual *plan,
                         uint32_t virtual_network)
{
    if (plan->name != NULL)
        return plan->name[virtual_network];
    return plan->names == 0 ? virtual_network
                            : (uint64_t)((nb_uint128)virtual_network *
                                         plan->names / plan->networks);
}

/* The token that goes on where two meet. */
static uint32_t tokens_first(const struct nb_levelled *levelled, uint32_t a,
                             uint32_t b)
{
    const struct nb_virtual *plan = levelled->plan;
    const uint64_t names = plan->names > 0 ? plan->names : plan->networks;
    const uint64_t after = levelled->rounds.after;
    if (a == b || b == NB_NONE)
        return a;
    if (a == NB_NONE)
        return b;
    return nb_token_rank(nb_virtual_name(plan, a), after, names) <
                   nb_token_rank(nb_virtual_name(plan, b), after, names)
               ? a
               : b;
}

static void tokens_offer(struct nb_levelled *levelled, uint32_t router,
                         uint32_t virtual_network)
{
    struct nb_rounds *rounds = &levelled->rounds;
    rounds->is_wanted[virtual_network] = true;
    rounds->token[router] =
        tokens_first(levelled, rounds->token[router], virtual_network);
}

/* A packet waits at a terminal. */
static void tokens_pend(struct nb_network *network, uint32_t router,
                        uint32_t packet)
{
    struct nb_levelled *levelled = network->state;
    const uint32_t of = nb_levelled_network(network, packet);
    levelled->theorems.pending[of]++;
    tokens_offer(levelled, router, of);
}

/* Every terminal offers the virtual networks of its outstanding packets: those
 * not sent, or sent without an acknowledgement yet. */
void nb_tokens_begin(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    for (uint32_t v = 0; v < levelled->plan->networks; v++) {
        rounds->is_wanted[v] = false;
        levelled->theorems.pending[v] = 0;
    }
    for (uint32_t r = 0; r < network->topology->router_count; r++) {
        const struct nb_stand *stand = &rounds->stand[r];
        rounds->token[r] = rounds->taken[r] = NB_NONE;
        for (size_t i = 0; i < stand->count; i++)
            if (stand->waiting[i].packet != NB_NONE)
                tokens_pend(network, r, stand->waiting[i].packet);
        for (uint32_t p = stand->born; p != NB_NONE;
             p = network->packets.next[p])
            tokens_pend(network, r, p);
    }
    for (size_t f = 0; f < rounds->flight_count; f++)
        if (rounds->flight[f].back < rounds->flight[f].hops)
            tokens_offer(levelled, rounds->flight[f].source,
                         rounds->flight[f].network);
}

void nb_tokens_cycle(struct nb_network *network, uint32_t level)
{
    const struct nb_topology *topology = network->topology;
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    const struct nb_levels *levels = &levelled->levels;
    const uint32_t *start = &levels->start[levels->depth - level];
    for (uint32_t i = start[0]; i < start[1]; i++) {
        const uint32_t r = levels->order[i];
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            uint32_t *at =
                level == levels->depth ? rounds->taken : rounds->token;
            at[to] = tokens_first(levelled, at[to], rounds->token[r]);
        }
    }
}

/* Checks that all terminals have the same token now. */
static enum nb_status tokens_check(const struct nb_network *network,
                                   uint32_t *active, struct nb_error *err)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_levelled *levelled = network->state;
    uint32_t first = NB_NONE;
    *active = NB_NONE;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t taken = levelled->rounds.taken[r];
        if (topology->in_start[r + 1] == topology->in_start[r] ||
            topology->terminals[r] == 0)
            continue;
        if (first != NB_NONE && taken != *active)
            return nb_fail(err, NB_INVALID,
                           "different tokens have come to the terminals of "
                           "routers %u and %u (permitted: networks in which "
                           "all terminals reach each of them)",
                           first, r);
        first = r;
        *active = taken;
    }
    return NB_OK;
}

enum nb_status nb_tokens_end(struct nb_network *network, struct nb_error *err)
{
    struct nb_levelled *levelled = network->state;
    struct nb_rounds *rounds = &levelled->rounds;
    uint32_t active;
    const enum nb_status status = tokens_check(network, &active, err);
    if (status != NB_OK)
        return status;
    for (uint32_t v = 0; v < levelled->plan->networks; v++) {
        rounds->waited[v] =
            rounds->is_wanted[v] && v != active ? rounds->waited[v] + 1 : 0;
        nb_measure_activation(network, rounds->waited[v]);
    }
    rounds->active = active;
    if (active != NB_NONE)
        rounds->after = nb_virtual_name(levelled->plan, active);
    return NB_OK;
}
