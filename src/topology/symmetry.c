#include "topology/symmetry.h"

#include "core/memory.h"

#include <string.h>

uint32_t nb_channel_image(const struct nb_topology *topology,
                          const uint32_t *map, uint32_t channel)
{
    const struct nb_channel *from = &topology->channels[channel];
    return nb_channel_alike(topology, channel, map[from->source],
                            map[from->target]);
}

static bool symmetry_keeps_terminals(const struct nb_topology *topology,
                                     const uint32_t *map)
{
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] != topology->terminals[map[r]])
            return false;
    return true;
}

/* Whether every channel has an image under the last generator. */
static bool symmetry_keeps_channels(const struct nb_symmetry *symmetry)
{
    const size_t m = symmetry->channel_count;
    const uint32_t *image =
        symmetry->channel + (symmetry->generator_count - 1) * m;
    for (size_t c = 0; c < m; c++)
        if (image[c] == NB_NONE)
            return false;
    return true;
}

enum nb_status nb_symmetry_add(struct nb_symmetry *symmetry,
                               const struct nb_topology *topology,
                               const uint32_t *map, const uint32_t *reverse,
                               unsigned known_as, struct nb_error *err)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    const size_t count = symmetry->generator_count;
    const char *what = "symmetries";
    enum nb_status status = NB_OK;
    symmetry->router_count = n;
    symmetry->channel_count = m;
    NB_TRY(nb_grow(&symmetry->router, (count + 1) * n, sizeof(uint32_t), what,
                   err));
    NB_TRY(nb_grow(&symmetry->channel, (count + 1) * m, sizeof(uint32_t), what,
                   err));
    NB_TRY(nb_grow(&symmetry->is_reversal, count + 1, sizeof(bool), what, err));
    NB_TRY(
        nb_grow(&symmetry->known_as, count + 1, sizeof(unsigned), what, err));
    memcpy(symmetry->router + count * n, map, n * sizeof(uint32_t));
    for (uint32_t c = 0; c < m; c++)
        symmetry->channel[count * m + c] =
            nb_channel_image(topology, map, reverse != NULL ? reverse[c] : c);
    symmetry->is_reversal[count] = reverse != NULL;
    symmetry->known_as[count] = known_as;
    symmetry->generator_count++;
done:
    return status;
}

enum nb_status nb_symmetry_offered(const struct nb_topology *topology,
                                   unsigned classes, struct nb_symmetry *out,
                                   struct nb_error *err)
{
    const size_t n = topology->router_count;
    uint32_t *map = NULL;
    unsigned class;
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ .router_count = n,
                                 .channel_count = topology->channel_count };
    if (topology->kind->symmetry == NULL)
        return NB_OK;
    NB_TRY(nb_new(&map, n, sizeof *map, "symmetries", err));
    for (size_t i = 0;
         (class = topology->kind->symmetry(topology, i, map)) != 0; i++) {
        if ((class & classes) == 0 || !symmetry_keeps_terminals(topology, map))
            continue;
        NB_TRY(nb_symmetry_add(out, topology, map, NULL, class, err));
        if (!symmetry_keeps_channels(out))
            out->generator_count--;
    }
done:
    nb_delete(map);
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}

void nb_symmetry_release(struct nb_symmetry *symmetry)
{
    nb_delete(symmetry->router);
    nb_delete(symmetry->channel);
    nb_delete(symmetry->is_reversal);
    nb_delete(symmetry->known_as);
    *symmetry = (struct nb_symmetry){ 0 };
}

void nb_symmetry_select(struct nb_symmetry *symmetry,
                        bool (*keeps)(const struct nb_symmetry *symmetry,
                                      size_t generator, const void *context),
                        const void *context)
{
    const size_t n = symmetry->router_count, m = symmetry->channel_count;
    size_t kept = 0;
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        if (!keeps(symmetry, g, context))
            continue;
        memmove(symmetry->router + kept * n, symmetry->router + g * n,
                n * sizeof(uint32_t));
        memmove(symmetry->channel + kept * m, symmetry->channel + g * m,
                m * sizeof(uint32_t));
        symmetry->is_reversal[kept] = symmetry->is_reversal[g];
        symmetry->known_as[kept++] = symmetry->known_as[g];
    }
    symmetry->generator_count = kept;
}
