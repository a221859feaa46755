/* The credit router's sources: one queue a terminal, or injection queues by
 * destination and start (declared in credit.h). */
#include "sim/credit.h"

static uint32_t source_list(const struct nb_network *network, uint32_t source,
                            uint32_t destination, size_t start)
{
    const struct nb_credit *credit = network->state;
    return (uint32_t)(source * credit->lists_each +
                      destination * network->plan->routing->most_starts +
                      start);
}

static uint32_t source_list_of(const struct nb_network *network,
                               uint32_t packet)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    if (!credit->has_lists)
        return packets->source[packet];
    return source_list(network,
                       network->terminal_router[packets->source[packet]],
                       network->terminal_router[packets->target[packet]],
                       packets->start[packet]);
}

uint32_t nb_credit_waiting(const struct nb_network *network, uint32_t source,
                           uint32_t destination, size_t start)
{
    const struct nb_credit *credit = network->state;
    return credit->has_lists
               ? credit->lists[source_list(network, source, destination, start)]
                     .count
               : 0;
}

void nb_credit_announce(struct nb_network *network, uint32_t packet)
{
    struct nb_credit *credit = network->state;
    struct nb_packets *packets = &network->packets;
    packets->next[packet] = NB_NONE;
    if (credit->born_first == NB_NONE)
        credit->born_first = packet;
    else
        packets->next[credit->born_last] = packet;
    credit->born_last = packet;
    credit->lists[source_list_of(network, packet)].count++;
    nb_measure_wait(network, packet);
}

void nb_credit_begin(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    size_t chosen;
    packets->state[packet] =
        nb_routes_begin(&network->routes, &network->view,
                        network->terminal_router[packets->source[packet]],
                        network->terminal_router[packets->target[packet]],
                        &network->random, &chosen);
    packets->start[packet] = (uint16_t)chosen;
}

static void source_push(struct nb_network *network, struct nb_credit_list *list,
                        uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    packets->next[packet] = NB_NONE;
    if (list->first == NB_NONE) {
        list->first = packet;
        list->age = packets->age[packet];
    } else {
        packets->next[list->last] = packet;
    }
    list->last = packet;
}

static uint32_t source_pop(const struct nb_network *network,
                           struct nb_credit_list *list)
{
    const struct nb_packets *packets = &network->packets;
    const uint32_t packet = list->first;
    list->first = packets->next[packet];
    if (list->first != NB_NONE)
        list->age = packets->age[list->first];
    return packet;
}

/* Lets the first of an injection queue bid, in the order of their ages. */
static void source_activate(struct nb_credit *credit, uint32_t list)
{
    const size_t number = list / credit->lists_each;
    struct nb_credit_router *router = &credit->routers[number];
    uint32_t *active = credit->active + number * credit->lists_each;
    uint32_t i = router->active++;
    for (; i > 0 && credit->lists[active[i - 1]].age > credit->lists[list].age;
         i--)
        active[i] = active[i - 1];
    active[i] = list;
    credit->lists[list].outputs = UINT64_MAX;
    nb_credit_ask(credit, (uint32_t)number);
}

static void source_deactivate(struct nb_credit *credit, uint32_t list)
{
    const size_t number = list / credit->lists_each;
    struct nb_credit_router *router = &credit->routers[number];
    uint32_t *active = credit->active + number * credit->lists_each;
    uint32_t i = 0;
    while (active[i] != list)
        i++;
    router->active--;
    for (; i < router->active; i++)
        active[i] = active[i + 1];
}

static void source_stand(struct nb_network *network, uint32_t place,
                         uint32_t packet)
{
    struct nb_credit *credit = network->state;
    credit->inputs[place].packet = packet;
    credit->inputs[place].flits = network->packets.flits[packet];
}

/* A packet comes to the front of its terminal's queue. */
static void source_face(struct nb_network *network, uint32_t place,
                        uint32_t packet)
{
    const struct nb_credit *credit = network->state;
    source_stand(network, place, packet);
    if (credit->is_begun_once)
        nb_credit_begin(network, packet);
    nb_credit_face(network, place);
}

void nb_credit_enlist(struct nb_network *network, uint32_t packet)
{
    struct nb_credit *credit = network->state;
    const uint32_t index = source_list_of(network, packet);
    struct nb_credit_list *list = &credit->lists[index];
    if (credit->has_lists) {
        const bool is_first = list->first == NB_NONE && !list->is_leaving;
        source_push(network, list, packet);
        if (is_first)
            source_activate(credit, index);
        return;
    }
    const uint32_t router = network->terminal_router[index];
    const uint32_t place = credit->routers[router].source + index -
                           network->terminal_start[router];
    if (credit->inputs[place].packet != NB_NONE) {
        source_push(network, list, packet);
    } else {
        source_face(network, place, packet);
    }
}

void nb_credit_place(struct nb_network *network, uint32_t list, uint32_t place)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[place];
    source_deactivate(credit, list);
    credit->lists[list].is_leaving = true;
    source_stand(network, place, source_pop(network, &credit->lists[list]));
    in->list = list;
    in->age = network->packets.age[in->packet];
    in->left = in->flits;
    in->is_begun = false;
    in->target = NB_NONE;
}

bool nb_credit_leave(struct nb_network *network, uint32_t place)
{
    struct nb_credit *credit = network->state;
    const struct nb_routing *routing = network->plan->routing;
    struct nb_credit_input *in = &credit->inputs[place];
    struct nb_credit_list *list = &credit->lists[in->list];
    const uint32_t packet = in->packet;
    in->packet = NB_NONE;
    list->count--;
    nb_measure_leave(network, packet);
    if (!credit->has_lists) {
        if (list->first == NB_NONE)
            return false;
        source_face(network, place, source_pop(network, list));
        return true;
    }
    list->is_leaving = false;
    if (routing->kind->left != NULL)
        routing->kind->left(
            routing, &network->view, in->router,
            network->terminal_router[network->packets.target[packet]],
            network->cycle);
    if (list->first == NB_NONE)
        return false;
    source_activate(credit, in->list);
    return true;
}
