#include "clos_draw.h"

#include <stdio.h>

static size_t clos_draw_print(char *text, size_t size, const char *before,
                              const uint32_t *list, uint32_t count)
{
    size_t used = (size_t)snprintf(text, size, "%s", before);
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u",
                                 i > 0 ? "x" : "", list[i]);
    return used;
}

static void clos_draw_name(struct clos_draw *draw)
{
    const size_t used = clos_draw_print(draw->name, sizeof draw->name,
                                        "clos:", draw->down, draw->levels);
    clos_draw_print(draw->name + used, sizeof draw->name - used,
                    ",up=", draw->up, draw->levels - 1);
}

struct clos_draw clos_draw_next(struct nb_random *random)
{
    struct clos_draw draw = { .levels =
                                  2 + (uint32_t)nb_random_below(random, 3) };
    const uint32_t most = 7 - draw.levels;
    for (uint32_t l = 0; l < draw.levels; l++) {
        draw.down[l] =
            (uint32_t)nb_random_below(random, most) + (l > 0 ? 2 : 1);
        draw.up[l] = 1 + (uint32_t)nb_random_below(random, most);
    }
    clos_draw_name(&draw);
    return draw;
}
