#include "routing/acyclic.h"

#include <stdlib.h>

static const char acyclic_what[] = "turns of layers";

enum nb_status nb_acyclic_turns_init(const struct nb_topology *topology,
                                     struct nb_acyclic_turns *out,
                                     struct nb_error *err)
{
    const size_t channels = topology->channel_count;
    struct nb_pool *pool = &out->pool;
    *out = (struct nb_acyclic_turns){ .topology = topology };
    out->first = nb_pool_array(pool, channels + 1, sizeof *out->first);
    out->moved = nb_pool_array(pool, channels, sizeof *out->moved);
    out->places = nb_pool_array(pool, channels, sizeof *out->places);
    out->is_moved = nb_pool_array(pool, channels, sizeof *out->is_moved);
    out->met = nb_pool_array(pool, channels, sizeof *out->met);
    const enum nb_status status = nb_pool_check(pool, acyclic_what, err);
    if (status == NB_OK)
        nb_turn_numbers(topology, out->first);
    return status;
}

void nb_acyclic_turns_release(struct nb_acyclic_turns *turns)
{
    nb_pool_release(&turns->pool);
    *turns = (struct nb_acyclic_turns){ 0 };
}

enum nb_status nb_acyclic_init(struct nb_acyclic_turns *turns,
                               const uint32_t *order, struct nb_acyclic *out,
                               struct nb_error *err)
{
    const size_t channels = turns->topology->channel_count;
    enum nb_status status;
    *out = (struct nb_acyclic){ .turns = turns };
    NB_TRY(nb_memory_require(2.0 * (double)turns->first[channels] *
                                 sizeof *out->uses,
                             acyclic_what, err));
    NB_TRY(nb_new(&out->uses, turns->first[channels], sizeof *out->uses,
                  acyclic_what, err));
    NB_TRY(
        nb_new(&out->place, channels, sizeof *out->place, acyclic_what, err));
    NB_TRY(nb_new(&out->refused, turns->first[channels], sizeof *out->refused,
                  acyclic_what, err));
    NB_TRY(nb_new(&out->channel, channels, sizeof *out->channel, acyclic_what,
                  err));
    for (uint32_t p = 0; p < channels; p++) {
        const uint32_t channel = order != NULL ? order[p] : p;
        out->channel[p] = channel;
        out->place[channel] = p;
    }
done:
    return status;
}

void nb_acyclic_release(struct nb_acyclic *acyclic)
{
    nb_delete(acyclic->uses);
    nb_delete(acyclic->refused);
    nb_delete(acyclic->place);
    nb_delete(acyclic->channel);
    *acyclic = (struct nb_acyclic){ 0 };
}

/* Records the channels below a place that a channel leads to; false if one of
 * them is at that place. */
static bool acyclic_go_ahead(struct nb_acyclic *acyclic, uint32_t channel,
                             uint32_t below)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const struct nb_topology *topology = turns->topology;
    const uint32_t first =
        topology->out_start[topology->channels[channel].target];
    for (size_t t = turns->first[channel]; t < turns->first[channel + 1]; t++) {
        const uint32_t next = first + (uint32_t)(t - turns->first[channel]);
        if (acyclic->uses[t] == 0 || acyclic->place[next] > below ||
            turns->is_moved[next])
            continue;
        if (acyclic->place[next] == below)
            return false;
        turns->is_moved[next] = true;
        turns->moved[turns->ahead++] = next;
    }
    return true;
}

/* Records the channels above a place that lead to a channel. */
static void acyclic_go_back(struct nb_acyclic *acyclic, uint32_t channel,
                            uint32_t above)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const struct nb_topology *topology = turns->topology;
    const uint32_t router = topology->channels[channel].source;
    for (size_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t before = topology->in_channel[i];
        if (acyclic->uses[nb_acyclic_turn(turns, before, channel)] == 0 ||
            acyclic->place[before] <= above || turns->is_moved[before])
            continue;
        turns->is_moved[before] = true;
        turns->moved[turns->behind++] = before;
    }
}

static int acyclic_compare(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Redistributes the places of the recorded channels: first those that lead to
 * the turn, then those that it leads to, each in their old order. */
static void acyclic_reorder(struct nb_acyclic *acyclic)
{
    const struct nb_acyclic_turns *turns = acyclic->turns;
    const size_t ahead = turns->ahead, count = turns->behind;
    uint32_t *places = turns->places, *sorted = turns->moved;
    for (size_t i = 0; i < count; i++)
        places[i] = acyclic->place[sorted[i]];
    qsort(places, ahead, sizeof *places, acyclic_compare);
    qsort(places + ahead, count - ahead, sizeof *places, acyclic_compare);
    for (size_t i = 0; i < count; i++)
        sorted[i] = acyclic->channel[places[i]];
    qsort(places, count, sizeof *places, acyclic_compare);
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = sorted[(ahead + i) % count];
        acyclic->place[channel] = places[i];
        acyclic->channel[places[i]] = channel;
    }
}

/* Reorders channels so that a new turn ascends; false if it closes a cycle. */
static bool acyclic_make_room(struct nb_acyclic *acyclic, uint32_t from,
                              uint32_t to)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const uint32_t below = acyclic->place[from], above = acyclic->place[to];
    bool is_free = true;
    turns->moved[0] = to;
    turns->is_moved[to] = true;
    turns->ahead = 1;
    for (size_t i = 0; i < turns->ahead && is_free; i++)
        is_free = acyclic_go_ahead(acyclic, turns->moved[i], below);
    turns->behind = turns->ahead;
    if (is_free) {
        turns->moved[turns->behind++] = from;
        turns->is_moved[from] = true;
    }
    for (size_t i = turns->ahead; i < turns->behind; i++)
        acyclic_go_back(acyclic, turns->moved[i], above);
    turns->looked += turns->behind;
    if (is_free)
        acyclic_reorder(acyclic);
    for (size_t i = 0; i < turns->behind; i++)
        turns->is_moved[turns->moved[i]] = false;
    return is_free;
}

bool nb_acyclic_add(struct nb_acyclic *acyclic, uint32_t from, uint32_t to)
{
    const size_t turn = nb_acyclic_turn(acyclic->turns, from, to);
    const uint32_t below = acyclic->place[from], above = acyclic->place[to];
    const uint32_t now = acyclic->removals + 1;
    acyclic->turns->looked++;
    if (acyclic->uses[turn] == 0 && below >= above) {
        if (acyclic->refused[turn] == now)
            return false;
        if (below == above || !acyclic_make_room(acyclic, from, to)) {
            acyclic->refused[turn] = now;
            return false;
        }
    }
    acyclic->uses[turn]++;
    return true;
}

/* Lists the channels after one that the search has not met yet; true: one was
 * met from the other end. */
static bool acyclic_meet_ahead(const struct nb_acyclic *acyclic,
                               uint32_t channel, uint32_t below, size_t *count)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const struct nb_topology *topology = turns->topology;
    const uint64_t ahead = 2 * turns->searches;
    const uint32_t first =
        topology->out_start[topology->channels[channel].target];
    for (size_t t = turns->first[channel]; t < turns->first[channel + 1]; t++) {
        const uint32_t next = first + (uint32_t)(t - turns->first[channel]);
        if (acyclic->uses[t] == 0 || turns->met[next] == ahead ||
            acyclic->place[next] > below)
            continue;
        if (turns->met[next] == ahead + 1)
            return true;
        turns->met[next] = ahead;
        turns->moved[(*count)++] = next;
    }
    return false;
}

/* The same for those before one. */
static bool acyclic_meet_behind(const struct nb_acyclic *acyclic,
                                uint32_t channel, uint32_t above, size_t *count)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const struct nb_topology *topology = turns->topology;
    const uint64_t behind = 2 * turns->searches + 1;
    const uint32_t router = topology->channels[channel].source;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t before = topology->in_channel[i];
        if (turns->met[before] == behind || acyclic->place[before] < above ||
            acyclic->uses[nb_acyclic_turn(turns, before, channel)] == 0)
            continue;
        if (turns->met[before] == behind - 1)
            return true;
        turns->met[before] = behind;
        turns->places[(*count)++] = before;
    }
    return false;
}

bool nb_acyclic_closes(struct nb_acyclic *acyclic, uint32_t from, uint32_t to)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const size_t turn = nb_acyclic_turn(turns, from, to);
    const uint32_t below = acyclic->place[from], above = acyclic->place[to];
    size_t ahead = 0, ahead_count = 1, behind = 0, behind_count = 1;
    bool closes = below == above;
    if (acyclic->uses[turn] > 0 || below < above)
        return false;
    if (acyclic->refused[turn] == acyclic->removals + 1)
        return true;
    turns->searches++;
    turns->met[to] = 2 * turns->searches;
    turns->met[from] = 2 * turns->searches + 1;
    turns->moved[0] = to;
    turns->places[0] = from;
    while (!closes && ahead < ahead_count && behind < behind_count) {
        closes = acyclic_meet_ahead(acyclic, turns->moved[ahead++], below,
                                    &ahead_count) ||
                 acyclic_meet_behind(acyclic, turns->places[behind++], above,
                                     &behind_count);
    }
    turns->looked += ahead + behind;
    if (closes)
        acyclic->refused[turn] = acyclic->removals + 1;
    return closes;
}

size_t nb_acyclic_find_path(struct nb_acyclic *acyclic, uint32_t from,
                            uint32_t to, uint32_t *before)
{
    struct nb_acyclic_turns *turns = acyclic->turns;
    const struct nb_topology *topology = turns->topology;
    uint32_t *queue = turns->moved;
    size_t head = 0, tail = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        before[c] = NB_NONE;
    before[from] = from;
    queue[tail++] = from;
    while (before[to] == NB_NONE) {
        const uint32_t c = queue[head++];
        const uint32_t r = topology->channels[c].target;
        for (uint32_t o = topology->out_start[r];
             o < topology->out_start[r + 1]; o++) {
            if (before[o] != NB_NONE ||
                acyclic->place[o] > acyclic->place[to] ||
                acyclic->uses[nb_acyclic_turn(turns, c, o)] == 0)
                continue;
            before[o] = c;
            queue[tail++] = o;
        }
    }
    return head;
}

void nb_acyclic_remove(struct nb_acyclic *acyclic, uint32_t from, uint32_t to)
{
    const size_t turn = nb_acyclic_turn(acyclic->turns, from, to);
    if (--acyclic->uses[turn] == 0)
        acyclic->removals++;
}

bool nb_acyclic_add_all(struct nb_acyclic *acyclic,
                        const struct nb_acyclic_arc *arc, size_t count)
{
    size_t added = 0;
    while (added < count &&
           nb_acyclic_add(acyclic, arc[added].from, arc[added].to))
        added++;
    if (added == count)
        return true;
    nb_acyclic_remove_all(acyclic, arc, added);
    return false;
}

void nb_acyclic_remove_all(struct nb_acyclic *acyclic,
                           const struct nb_acyclic_arc *arc, size_t count)
{
    while (count-- > 0)
        nb_acyclic_remove(acyclic, arc[count].from, arc[count].to);
}
