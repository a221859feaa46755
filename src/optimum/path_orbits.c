#include "optimum/path_orbits.h"

#include "core/memory.h"

#include <assert.h>
#include <string.h>

/* Whole weights up to this are exact as doubles. */
#define ORBITS_MOST_SUM (INT64_C(1) << 53)

/* The orbit of a given path. */
struct orbits_orbit {
    size_t first; /* of its paths in the table, which are consecutive */
    size_t size;
    size_t pair;       /* index of the given pair */
    nb_int128 weight;  /* sum over the given paths */
    struct nb_ratio p; /* of each path */
};

/* A given pair and its paths [first .. end). */
struct orbits_pair {
    size_t first;
    size_t end;
    size_t size; /* pairs in its orbit */
    nb_int128 sum;
};

/* Paths found so far, without repetition; a path's weight is its orbit's number
 * from 1. */
struct orbits_search {
    const struct nb_symmetry *symmetry;
    struct nb_path_table table;
    size_t slot_count; /* a power of 2, more than twice the number of paths */
    size_t *slot;      /* a path's index from 1; 0: free */
    uint32_t *image;   /* [longest] scratch */
};

struct orbits_work {
    const struct nb_path_table *given;
    struct nb_pool pool;
    size_t pair_count;
    struct orbits_pair *pair;
    size_t orbit_count;
    struct orbits_orbit *orbit;
    uint32_t longest;
};

static void orbits_release(struct orbits_search *search)
{
    nb_path_table_release(&search->table);
    nb_delete(search->slot);
    nb_delete(search->image);
    *search = (struct orbits_search){ 0 };
}

static enum nb_status orbits_init(struct orbits_search *search,
                                  const struct nb_symmetry *symmetry,
                                  uint32_t longest, struct nb_error *err)
{
    enum nb_status status;
    *search = (struct orbits_search){ .symmetry = symmetry, .slot_count = 64 };
    NB_TRY(nb_new(&search->slot, search->slot_count, sizeof *search->slot,
                  "images of paths", err));
    NB_TRY(nb_new(&search->image, longest, sizeof *search->image,
                  "images of paths", err));
done:
    return status;
}

static uint64_t orbits_hash(const struct nb_table_path *path,
                            const uint32_t *channel)
{
    uint64_t hash = (uint64_t)path->source << 32 | path->destination;
    for (uint32_t k = 0; k < path->length; k++) {
        hash = (hash ^ channel[k]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* The slot of a path, or the free slot for it. */
static size_t *orbits_slot(const struct orbits_search *search,
                           const struct nb_table_path *path,
                           const uint32_t *channel)
{
    const struct nb_path_table *table = &search->table;
    size_t place = orbits_hash(path, channel);
    for (;; place++) {
        size_t *slot = &search->slot[place & (search->slot_count - 1)];
        if (*slot == 0)
            return slot;
        const struct nb_table_path *there = &table->path[*slot - 1];
        if (there->source == path->source &&
            there->destination == path->destination &&
            there->length == path->length &&
            (path->length == 0 || memcmp(table->channel + there->first, channel,
                                         path->length * sizeof *channel) == 0))
            return slot;
    }
}

/* Doubles the number of slots, unless they and the paths to come do not fit. */
static enum nb_status orbits_grow(struct orbits_search *search,
                                  struct nb_error *err)
{
    enum nb_status status;
    const struct nb_path_table *table = &search->table;
    const size_t slots = 2 * search->slot_count;
    const double bytes =
        (double)slots * sizeof *search->slot +
        2 * ((double)table->path_count * sizeof *table->path +
             (double)table->channel_count * sizeof *table->channel);
    NB_TRY(nb_memory_require(bytes, "paths of all pairs", err));
    nb_delete(search->slot);
    search->slot = NULL;
    search->slot_count = slots;
    NB_TRY(nb_new(&search->slot, slots, sizeof *search->slot, "images of paths",
                  err));
    for (size_t p = 0; p < table->path_count; p++)
        *orbits_slot(search, &table->path[p],
                     table->channel + table->path[p].first) = p + 1;
done:
    return status;
}

/* Adds a path if it is not there yet. */
static enum nb_status orbits_enter(struct orbits_search *search,
                                   const struct nb_table_path *path,
                                   const uint32_t *channel,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct nb_path_table *table = &search->table;
    size_t *slot = orbits_slot(search, path, channel);
    if (*slot != 0)
        return NB_OK;
    NB_TRY(nb_path_table_add(table, path->source, path->destination,
                             path->weight, channel, path->length, err));
    *slot = table->path_count;
    if (2 * table->path_count >= search->slot_count)
        NB_TRY(orbits_grow(search, err));
done:
    return status;
}

/* Replaces a path of the table by its image, the channels in search->image. */
static void orbits_map(struct orbits_search *search, size_t generator,
                       struct nb_table_path *path)
{
    const struct nb_symmetry *symmetry = search->symmetry;
    const uint32_t *map =
        symmetry->channel + generator * symmetry->channel_count;
    const uint32_t *channel = search->table.channel + path->first;
    const bool is_reversal = symmetry->is_reversal[generator];
    for (uint32_t k = 0; k < path->length; k++)
        search->image[is_reversal ? path->length - 1 - k : k] = map[channel[k]];
    nb_symmetry_pair(symmetry, generator, &path->source, &path->destination);
}

/* The number of a path's orbit, from 1; if new, it becomes next and is
 * walked. */
static enum nb_status orbits_walk(struct orbits_search *search,
                                  const struct nb_table_path *path,
                                  const uint32_t *channel, uint64_t next,
                                  uint64_t *orbit, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct nb_path_table *table = &search->table;
    const size_t found = *orbits_slot(search, path, channel);
    *orbit = found > 0 ? table->path[found - 1].weight : next;
    if (found > 0)
        return NB_OK;
    struct nb_table_path image = *path;
    size_t p = table->path_count;
    image.weight = next;
    NB_TRY(orbits_enter(search, &image, channel, err));
    for (; p < table->path_count; p++) {
        for (size_t g = 0; g < search->symmetry->generator_count; g++) {
            image = table->path[p];
            orbits_map(search, g, &image);
            NB_TRY(orbits_enter(search, &image, search->image, err));
        }
    }
done:
    return status;
}

/* Finds the given pairs and the sum of each one's weights. */
static void orbits_list_pairs(struct orbits_work *work)
{
    const struct nb_path_table *given = work->given;
    for (size_t p = 0; p < given->path_count; p++) {
        const struct nb_table_path *path = &given->path[p];
        if (p == 0 || path->source != path[-1].source ||
            path->destination != path[-1].destination)
            work->pair[work->pair_count++].first = p;
        struct orbits_pair *pair = &work->pair[work->pair_count - 1];
        pair->end = p + 1;
        pair->sum += path->weight;
        if (work->longest < path->length)
            work->longest = path->length;
    }
}

/*
 * Finds the size of each pair's orbit, walking pairs as paths without channels,
 * and rejects what cannot fit: every pair has at least one path per orbit of
 * its given paths.
 */
static enum nb_status orbits_measure(struct orbits_work *work,
                                     const struct nb_symmetry *symmetry,
                                     struct nb_error *err)
{
    enum nb_status status;
    struct orbits_search search = { 0 };
    double bytes = 0;
    NB_TRY(orbits_init(&search, symmetry, 0, err));
    for (size_t k = 0; k < work->pair_count; k++) {
        struct orbits_pair *pair = &work->pair[k];
        struct nb_table_path path = work->given->path[pair->first];
        const size_t before = search.table.path_count;
        uint64_t orbit;
        path.length = 0;
        NB_TRY(orbits_walk(&search, &path, work->given->channel, k + 1, &orbit,
                           err));
        assert(orbit == k + 1); /* given pairs are in different orbits */
        pair->size = search.table.path_count - before;
        for (size_t p = pair->first; p < pair->end; p++)
            bytes += (double)pair->size *
                     (sizeof path +
                      work->given->path[p].length * (double)sizeof(uint32_t));
    }
    NB_TRY(nb_memory_require(bytes, "paths of all pairs", err));
done:
    orbits_release(&search);
    return status;
}

static enum nb_status orbits_walk_all(struct orbits_work *work,
                                      struct orbits_search *search,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    const struct nb_path_table *given = work->given;
    for (size_t k = 0; k < work->pair_count; k++) {
        const struct orbits_pair *pair = &work->pair[k];
        for (size_t p = pair->first; p < pair->end; p++) {
            const struct nb_table_path *path = &given->path[p];
            const size_t first = search->table.path_count;
            uint64_t number;
            NB_TRY(orbits_walk(search, path, given->channel + path->first,
                               work->orbit_count + 1, &number, err));
            struct orbits_orbit *orbit = &work->orbit[number - 1];
            if (number > work->orbit_count) {
                work->orbit_count++;
                orbit->first = first;
                orbit->size = search->table.path_count - first;
                orbit->pair = k;
            }
            orbit->weight += path->weight;
        }
    }
done:
    return status;
}

/* A path's probability is its orbit's share of the pair's weight, divided by
 * the number of the orbit's paths of one pair; gives all weights the least
 * common sum. */
static enum nb_status orbits_weigh(struct orbits_work *work,
                                   struct nb_path_table *table,
                                   struct nb_error *err)
{
    int64_t sum = 1;
    for (size_t k = 0; k < work->orbit_count; k++) {
        struct orbits_orbit *orbit = &work->orbit[k];
        const struct orbits_pair *pair = &work->pair[orbit->pair];
        const size_t images = orbit->size / pair->size;
        orbit->p = nb_ratio_make(orbit->weight, pair->sum * (nb_int128)images);
        sum = nb_unite(sum, orbit->p.denominator, ORBITS_MOST_SUM);
        if (sum == 0)
            return nb_fail(err, NB_OVERFLOW,
                           "weights of the paths of a pair would sum to more "
                           "than 2^53");
    }
    for (size_t k = 0; k < work->orbit_count; k++) {
        const struct orbits_orbit *orbit = &work->orbit[k];
        const int64_t weight =
            orbit->p.numerator * (sum / orbit->p.denominator);
        for (size_t p = 0; p < orbit->size; p++)
            table->path[orbit->first + p].weight = (uint64_t)weight;
    }
    return NB_OK;
}

enum nb_status nb_path_orbits_spread(const struct nb_symmetry *symmetry,
                                     const struct nb_topology *topology,
                                     const struct nb_path_table *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err)
{
    enum nb_status status;
    struct orbits_work work = { .given = given };
    struct orbits_search search = { 0 };
    *out = (struct nb_path_table){ 0 };
    if (symmetry->channel_count != topology->channel_count)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "symmetries of %zu channels on a network of %zu "
                       "(permitted: those of this network)",
                       symmetry->channel_count, topology->channel_count));
    work.pair = nb_pool_array(&work.pool, given->path_count, sizeof *work.pair);
    work.orbit =
        nb_pool_array(&work.pool, given->path_count, sizeof *work.orbit);
    NB_TRY(nb_pool_check(&work.pool, "images of paths", err));
    orbits_list_pairs(&work);
    NB_TRY(orbits_measure(&work, symmetry, err));
    NB_TRY(orbits_init(&search, symmetry, work.longest, err));
    NB_TRY(orbits_walk_all(&work, &search, err));
    NB_TRY(orbits_weigh(&work, &search.table, err));
    nb_path_table_sort(&search.table);
    *out = search.table;
    search.table = (struct nb_path_table){ 0 };
done:
    orbits_release(&search);
    nb_pool_release(&work.pool);
    return status;
}

/* Whether a pair has paths in a table sorted by destination, then source. at:
 * where the search begins; moved on. */
static bool orbits_has_pair(const struct nb_path_table *table, size_t *at,
                            uint32_t source, uint32_t destination)
{
    for (; *at < table->path_count; (*at)++) {
        const struct nb_table_path *path = &table->path[*at];
        if (path->destination == destination && path->source == source)
            return true;
        if (path->destination > destination ||
            (path->destination == destination && path->source > source))
            return false;
    }
    return false;
}

enum nb_status nb_path_orbits_complete(const struct nb_path_class *path_class,
                                       struct nb_path_table *table,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = path_class->topology;
    struct nb_path_table missing = { 0 };
    struct nb_path_search search = { 0 };
    uint32_t *channel = NULL;
    size_t at = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_path_search_init(path_class, &search, err));
    NB_TRY(
        nb_new(&channel, topology->router_count, sizeof *channel, "path", err));
    for (uint32_t to = 0; to < topology->router_count; to++) {
        if (topology->terminals[to] == 0)
            continue;
        nb_path_search_run(&search, to, NULL);
        for (uint32_t from = 0; from < topology->router_count; from++)
            if (from != to && topology->terminals[from] > 0 &&
                !orbits_has_pair(table, &at, from, to))
                NB_TRY(nb_path_table_add(
                    &missing, from, to, 1, channel,
                    nb_path_search_path(&search, from, channel), err));
    }
    for (size_t p = 0; p < missing.path_count; p++) {
        const struct nb_table_path *path = &missing.path[p];
        NB_TRY(nb_path_table_add(table, path->source, path->destination,
                                 path->weight, missing.channel + path->first,
                                 path->length, err));
    }
    nb_path_table_sort(table);
done:
    nb_path_table_release(&missing);
    nb_delete(channel);
    nb_path_search_release(&search);
    return status;
}
