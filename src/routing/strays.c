#include "routing/strays.h"

#include "core/memory.h"
#include "topology/turns.h"

static const char strays_what[] = "packets that do not arrive";

void nb_strays_release(struct nb_strays *strays)
{
    if (strays == NULL)
        return;
    nb_delete(strays->stray);
    nb_delete(strays->hop);
    nb_delete(strays->turn);
    nb_delete(strays->seen);
    nb_delete(strays);
}

static enum nb_status strays_open(struct nb_strays **out,
                                  const struct nb_topology *topology,
                                  struct nb_error *err)
{
    const size_t channels = topology->channel_count;
    struct nb_strays *strays;
    enum nb_status status;
    NB_TRY(nb_new(out, 1, sizeof **out, strays_what, err));
    strays = *out;
    strays->topology = topology;
    NB_TRY(nb_new(&strays->turn, channels + 1, sizeof *strays->turn,
                  strays_what, err));
    nb_turn_numbers(topology, strays->turn);
    NB_TRY(nb_new(&strays->seen, strays->turn[channels] * NB_STRAY_CLASSES,
                  sizeof *strays->seen, strays_what, err));
done:
    return status;
}

/* Records that a packet held behind one channel waits for the next one; whether
 * this is new. */
static bool strays_see(struct nb_strays *strays, uint32_t channel,
                       uint8_t class, uint32_t next, uint8_t next_class)
{
    const size_t turn =
        nb_turn_number(strays->topology, strays->turn, channel, next);
    uint64_t *seen = &strays->seen[turn * NB_STRAY_CLASSES + class];
    const bool is_new = (*seen >> next_class & 1) == 0;
    *seen |= UINT64_C(1) << next_class;
    return is_new;
}

enum nb_status nb_strays_add(struct nb_strays **strays,
                             const struct nb_topology *topology,
                             uint32_t source, uint32_t destination,
                             const uint32_t *channel, const uint8_t *class,
                             size_t length, struct nb_error *err)
{
    bool is_new = false;
    enum nb_status status = NB_OK;
    if (length < 2) /* it waits for nothing while it holds a channel */
        return NB_OK;
    if (*strays == NULL)
        NB_TRY(strays_open(strays, topology, err));
    struct nb_strays *all = *strays;
    for (size_t h = 1; h < length; h++)
        is_new |=
            strays_see(all, channel[h - 1], class[h - 1], channel[h], class[h]);
    if (!is_new)
        return NB_OK;
    NB_TRY(nb_reserve(&all->stray, &all->room, all->count + 1,
                      sizeof *all->stray, strays_what, err));
    NB_TRY(nb_reserve(&all->hop, &all->hop_room, all->hop_count + length,
                      sizeof *all->hop, strays_what, err));
    all->stray[all->count++] =
        (struct nb_stray){ source, destination, all->hop_count, length };
    for (size_t h = 0; h < length; h++)
        all->hop[all->hop_count++] =
            (struct nb_stray_hop){ channel[h], class[h] };
done:
    return status;
}
