/* Places on levels (placing_forms.h). */
#include "export/charts/placing_forms.h"

#include "core/memory.h"

#include <math.h>

/* Hops from the nearest router with terminals. */
static void levels_find(const struct nb_topology *topology, uint32_t *level,
                        uint32_t *queue)
{
    size_t end = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        level[r] = topology->terminals[r] > 0 ? 0 : NB_NONE;
        if (level[r] == 0)
            queue[end++] = r;
    }
    for (size_t i = 0; i < end; i++)
        for (uint32_t c = topology->out_start[queue[i]];
             c < topology->out_start[queue[i] + 1]; c++) {
            const uint32_t next = topology->channels[c].target;
            if (level[next] != NB_NONE)
                continue;
            level[next] = level[queue[i]] + 1;
            queue[end++] = next;
        }
}

static bool levels_are_apart(const struct nb_topology *topology,
                             const uint32_t *level)
{
    for (size_t c = 0; c < topology->channel_count; c++) {
        const uint32_t source = level[topology->channels[c].source];
        const uint32_t target = level[topology->channels[c].target];
        if (source + 1 != target && target + 1 != source)
            return false;
    }
    return true;
}

/* size: [router_count + 1] scratch, zeros. */
static void levels_place(const uint32_t *level, size_t count, uint32_t *size,
                         struct nb_place *place)
{
    uint32_t top = 0, widest = 0;
    for (size_t r = 0; r < count; r++) {
        top = level[r] > top ? level[r] : top;
        place[r].x = size[level[r]]++;
        widest = size[level[r]] > widest ? size[level[r]] : widest;
    }
    /* Wider than high, but with room for the channels. */
    const double rise = fmax(1.3, 0.7 * widest / top);
    for (size_t r = 0; r < count; r++) {
        place[r].x = (place[r].x + 0.5) * widest / size[level[r]];
        place[r].y = -rise * level[r];
    }
}

enum nb_status nb_place_levels(const struct nb_topology *topology,
                               struct nb_place *place, bool *is_placed,
                               struct nb_error *err)
{
    const size_t count = topology->router_count;
    uint32_t *level = NULL, *queue = NULL, *size = NULL;
    enum nb_status status;
    *is_placed = false;
    NB_TRY(nb_new(&level, count, sizeof *level, "levels", err));
    NB_TRY(nb_new(&queue, count, sizeof *queue, "levels", err));
    NB_TRY(nb_new(&size, count, sizeof *size, "levels", err));
    levels_find(topology, level, queue);
    /* Where all have terminals, all are on level 0 and none apart. */
    *is_placed = levels_are_apart(topology, level);
    if (*is_placed)
        levels_place(level, count, size, place);
done:
    nb_delete(level);
    nb_delete(queue);
    nb_delete(size);
    return status;
}
