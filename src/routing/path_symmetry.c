#include "routing/path_symmetry.h"

#include "core/memory.h"
#include "topology/symmetry.h"

struct symmetry_work {
    const struct nb_path_table *table;
    size_t router_count;
    size_t *pair; /* [destination * router_count + source] its first path */
    const uint32_t *router;  /* [router] where a generator takes it */
    const uint32_t *channel; /* [channel] the same */
    uint32_t *image;         /* [router_count] of a path */
};

/* Less than, equal to or greater than 0 as a path of the image's pair comes
 * before, is or comes after the image. */
static int symmetry_compare(const struct symmetry_work *work,
                            const struct nb_table_path *path, uint32_t length)
{
    const uint32_t *channel = work->table->channel + path->first;
    for (uint32_t i = 0; i < path->length && i < length; i++)
        if (channel[i] != work->image[i])
            return channel[i] < work->image[i] ? -1 : 1;
    return (path->length > length) - (path->length < length);
}

/* Whether the image of a path is there, with its weight. */
static bool symmetry_has_image(struct symmetry_work *work,
                               const struct nb_table_path *path)
{
    const size_t pair = work->router[path->destination] * work->router_count +
                        work->router[path->source];
    const uint32_t *channel = work->table->channel + path->first;
    for (uint32_t i = 0; i < path->length; i++)
        work->image[i] = work->channel[channel[i]];
    size_t low = work->pair[pair], end = work->pair[pair + 1];
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        const struct nb_table_path *other = &work->table->path[middle];
        const int order = symmetry_compare(work, other, path->length);
        if (order == 0)
            return other->weight == path->weight;
        if (order < 0)
            low = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* Images differ, so where all are there, there are no other paths. A path of
 * no hops says nothing. */
static bool symmetry_keeps_table(struct symmetry_work *work)
{
    for (size_t p = 0; p < work->table->path_count; p++)
        if (work->table->path[p].length > 0 &&
            !symmetry_has_image(work, &work->table->path[p]))
            return false;
    return true;
}

enum nb_status nb_path_symmetries(const struct nb_path_table *table,
                                  const struct nb_topology *topology,
                                  unsigned *classes, struct nb_error *err)
{
    const size_t n = topology->router_count;
    const char *what = "symmetry of a routing";
    struct symmetry_work work = { .table = table, .router_count = n };
    struct nb_symmetry symmetry = { 0 };
    unsigned broken = 0;
    enum nb_status status = NB_OK;
    *classes = 0;
    if (topology->kind->symmetry == NULL)
        return NB_OK;
    NB_TRY(nb_symmetry_offered(topology, NB_ANY_SYMMETRY, &symmetry, err));
    NB_TRY(nb_new(&work.pair, n * n + 1, sizeof *work.pair, what, err));
    NB_TRY(nb_new(&work.image, n, sizeof *work.image, what, err));
    nb_path_table_index(table, n, work.pair);
    for (size_t g = 0; g < symmetry.generator_count; g++) {
        const unsigned class = symmetry.known_as[g];
        work.router = symmetry.router + g * n;
        work.channel = symmetry.channel + g * topology->channel_count;
        *classes |= class;
        if ((class & ~broken) != 0 && !symmetry_keeps_table(&work))
            broken |= class;
    }
    *classes &= ~broken;
done:
    nb_symmetry_release(&symmetry);
    nb_delete(work.pair);
    nb_delete(work.image);
    return status;
}
