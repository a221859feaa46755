#include "routing/follow.h"

#include "core/memory.h"

static size_t follow_table_count(const struct nb_routing *routing)
{
    const double n = (double)routing->topology->router_count;
    const double bytes = nb_route_table_bytes(routing->topology);
    if (!routing->needs_table)
        return 0;
    if (n * bytes <= NB_FOLLOW_TABLES)
        return routing->topology->router_count;
    return bytes < NB_FOLLOW_TABLES ? (size_t)(NB_FOLLOW_TABLES / bytes) : 1;
}

double nb_follow_bytes(const struct nb_routing *routing)
{
    const double n = (double)routing->topology->router_count;
    const double tables = (double)follow_table_count(routing);
    return n * sizeof(uint32_t) * 3 +
           tables * nb_route_table_bytes(routing->topology);
}

enum nb_status nb_follow_init(const struct nb_routing *routing,
                              struct nb_follow *out, struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    enum nb_status status = NB_OK;
    *out = (struct nb_follow){
        .routing = routing,
        .most_length = (routing->phase != NULL ? 2 : 1) * (n - 1),
    };
    out->starts =
        nb_pool_array(&out->pool, routing->most_starts, sizeof *out->starts);
    out->channel =
        nb_pool_array(&out->pool, out->most_length, sizeof *out->channel);
    out->hops =
        nb_pool_array(&out->pool, routing->most_hops, sizeof *out->hops);
    NB_TRY(nb_pool_check(&out->pool, "paths", err));
    NB_TRY(nb_route_tables_init(routing, follow_table_count(routing),
                                &out->tables, err));
done:
    if (status != NB_OK)
        nb_follow_release(out);
    return status;
}

void nb_follow_release(struct nb_follow *follow)
{
    nb_route_tables_release(&follow->tables);
    nb_pool_release(&follow->pool);
    *follow = (struct nb_follow){ 0 };
}

bool nb_follow_moves(const struct nb_routing *routing, uint32_t source,
                     uint32_t destination)
{
    return source != destination || routing->leaves_source ||
           (routing->phase != NULL && !routing->is_minimal);
}

unsigned nb_follow_most_crossings(const struct nb_routing *routing)
{
    const bool keeps_directions = routing->intermediate == NB_IN_QUADRANT &&
                                  routing->directions == routing->phase;
    return routing->phase == NULL || routing->is_minimal || keeps_directions
               ? 1
               : 2;
}

void nb_follow_pair(struct nb_follow *follow, uint32_t source,
                    uint32_t destination)
{
    follow->source = source;
    follow->destination = destination;
    follow->start_count =
        nb_route_starts(follow->routing, source, destination, follow->starts);
}

/* Draws the first state of a packet. */
static nb_route_state follow_begin(const struct nb_follow *follow,
                                   struct nb_random *random)
{
    const struct nb_start *start = follow->starts;
    if (follow->start_count > 1) {
        uint64_t drawn = nb_random_below(random, follow->routing->start_total);
        for (; drawn >= start->weight; start++)
            drawn -= start->weight;
    }
    const uint64_t index = start->intermediates > 1
                               ? nb_random_below(random, start->intermediates)
                               : 0;
    return nb_route_begin(follow->routing, start, index, follow->source,
                          follow->destination);
}

static const struct nb_hop *
follow_choose(const struct nb_hop *hops, size_t count, struct nb_random *random)
{
    uint64_t total = 0;
    double share = 0;
    bool is_exact = true;
    if (count == 1)
        return hops;
    for (size_t i = 0; i < count; i++) {
        is_exact = is_exact && hops[i].weight > 0;
        total += hops[i].weight;
        share += hops[i].share;
    }
    size_t i = 0;
    if (is_exact) {
        uint64_t drawn = nb_random_below(random, total);
        for (; drawn >= hops[i].weight; i++)
            drawn -= hops[i].weight;
    } else { /* off by parts in 2^50, which no number of samples can show */
        double drawn = nb_random_unit(random) * share;
        for (; i + 1 < count && drawn >= hops[i].share; i++)
            drawn -= hops[i].share;
    }
    return &hops[i];
}

enum nb_status nb_follow_draw(struct nb_follow *follow,
                              struct nb_random *random, size_t *length,
                              struct nb_error *err)
{
    const struct nb_routing *routing = follow->routing;
    const uint32_t destination = follow->destination;
    nb_route_state state = follow_begin(follow, random);
    uint32_t router = follow->source;
    enum nb_status status = NB_OK;
    *length = 0;
    for (;;) {
        const struct nb_route_table *table;
        NB_TRY(nb_route_tables_find(&follow->tables, state, router, destination,
                                    &table, err));
        const size_t count = nb_route_step(routing, table, state, router,
                                           destination, follow->hops);
        if (count == 0)
            break;
        if (*length == follow->most_length)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "routing %s loops from router %u "
                           "to router %u",
                           routing->kind->kind.name, follow->source,
                           destination));
        const struct nb_hop *hop = follow_choose(follow->hops, count, random);
        follow->channel[(*length)++] = hop->channel;
        state = hop->next;
        router = routing->topology->channels[hop->channel].target;
    }
done:
    return status;
}
