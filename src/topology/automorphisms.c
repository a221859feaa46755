#include "topology/automorphisms.h"

#include "core/memory.h"
#include "core/sets.h"

#include <stdlib.h>
#include <string.h>

/* The search is given up after this many channels visited and routers
 * copied. */
#define SEARCH_MOST_STEPS 2e8
/* Cost of finding a channel's image, in channel visits. */
#define SEARCH_IMAGE 8
/* Limit of routers times levels; each level holds two partitions. */
#define SEARCH_MOST_PLACES ((size_t)1 << 22)

static const char search_what[] = "automorphisms";

/* Routers in cells, one cell after another. */
struct partition {
    uint32_t *order; /* [place] router */
    uint32_t *place; /* [router] */
    uint32_t *cell;  /* [router] the first place of its cell */
    uint32_t *size;  /* [place] size of the cell that begins there */
    struct nb_pool pool;
};

/* A descent from the first cells to cells of one router each: partition[level]
 * is the partition before the router of that level is singled out;
 * partition[level_count] is the last. */
struct way {
    struct partition *partition; /* [capacity] */
    size_t capacity;
};

/* A router and its key within a cell. */
struct told {
    uint64_t key;
    uint32_t router;
};

struct search {
    const struct nb_topology *topology;
    size_t n;
    uint64_t *colour; /* [channel] */
    double steps;
    /* Refinement; key, is_met and met_in are 0 between cells. */
    uint64_t *key; /* [router] */
    bool *is_met;  /* [router] */
    uint32_t *met; /* [router] list of met_count */
    size_t met_count;
    uint32_t *met_in;  /* [place] routers met in the cell that begins there */
    uint32_t *touched; /* [router] list of cells */
    struct told *told; /* [router] */
    uint32_t *queue;   /* [router] cells, a ring */
    bool *is_queued;   /* [place] */
    size_t head, waiting;
    /* The first descent, the routers it singled out and the trace of each
     * refinement; and the current descent. */
    struct way first, other;
    size_t level_count;
    uint32_t *chosen; /* [router] */
    uint64_t *trace;  /* [router] */
    uint32_t *orbit;  /* [router] under the automorphisms found */
    uint32_t *map;    /* [router] where the current descent takes it */
    struct nb_pool pool;
};

static uint64_t search_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 32;
}

static void way_release(struct way *way)
{
    for (size_t i = 0; i < way->capacity; i++)
        nb_pool_release(&way->partition[i].pool);
    nb_delete(way->partition);
}

/* Adds a level. */
static enum nb_status way_grow(struct way *way, size_t n, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_grow(&way->partition, way->capacity + 1, sizeof *way->partition,
                   search_what, err));
    struct partition *last = &way->partition[way->capacity++];
    *last = (struct partition){ 0 };
    struct nb_pool *pool = &last->pool;
    last->order = nb_pool_array(pool, n, sizeof *last->order);
    last->place = nb_pool_array(pool, n, sizeof *last->place);
    last->cell = nb_pool_array(pool, n, sizeof *last->cell);
    last->size = nb_pool_array(pool, n, sizeof *last->size);
    NB_TRY(nb_pool_check(pool, search_what, err));
done:
    return status;
}

static void partition_copy(struct search *search, const struct partition *from,
                           struct partition *to)
{
    const size_t bytes = search->n * sizeof(uint32_t);
    memcpy(to->order, from->order, bytes);
    memcpy(to->place, from->place, bytes);
    memcpy(to->cell, from->cell, bytes);
    memcpy(to->size, from->size, bytes);
    search->steps += (double)search->n;
}

/* Exchanges a router with the one at a place. */
static void partition_put(struct partition *partition, uint32_t router,
                          uint32_t place)
{
    const uint32_t there = partition->order[place];
    partition->order[partition->place[router]] = there;
    partition->place[there] = partition->place[router];
    partition->order[place] = router;
    partition->place[router] = place;
}

static void search_enqueue(struct search *search, uint32_t cell)
{
    if (search->is_queued[cell])
        return;
    search->is_queued[cell] = true;
    search->queue[(search->head + search->waiting++) % search->n] = cell;
}

static void search_meet(struct search *search, uint32_t router, uint64_t colour)
{
    if (!search->is_met[router])
        search->met[search->met_count++] = router;
    search->is_met[router] = true;
    search->key[router] += colour;
}

/* Marks the routers that channels join with those of a cell as met. */
static void search_meet_all(struct search *search,
                            const struct partition *partition, uint32_t cell)
{
    const struct nb_topology *topology = search->topology;
    for (uint32_t k = 0; k < partition->size[cell]; k++) {
        const uint32_t r = partition->order[cell + k];
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            search_meet(search, topology->channels[c].target,
                        search_mix(1, search->colour[c]));
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t c = topology->in_channel[i];
            search_meet(search, topology->channels[c].source,
                        search_mix(2, search->colour[c]));
        }
        search->steps += topology->out_start[r + 1] - topology->out_start[r] +
                         topology->in_start[r + 1] - topology->in_start[r];
    }
}

/* Lists the cells of the routers met and moves those met to the end of their
 * cells; returns the number of cells. */
static size_t search_touch(struct search *search, struct partition *partition)
{
    size_t count = 0;
    for (size_t i = 0; i < search->met_count; i++) {
        const uint32_t r = search->met[i], cell = partition->cell[r];
        if (search->met_in[cell]++ == 0)
            search->touched[count++] = cell;
        partition_put(partition, r,
                      cell + partition->size[cell] - search->met_in[cell]);
        search->is_met[r] = false;
    }
    search->met_count = 0;
    return count;
}

static int search_compare_told(const void *one, const void *other)
{
    const uint64_t a = ((const struct told *)one)->key;
    const uint64_t b = ((const struct told *)other)->key;
    return (a > b) - (a < b);
}

static int search_compare_cells(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Sorts the routers met in a cell by their keys into cells of their own, after
 * those not met. If the whole cell has left the queue already, its largest part
 * need not be queued. */
static uint64_t search_split(struct search *search, struct partition *partition,
                             uint32_t cell, uint64_t trace)
{
    const uint32_t size = partition->size[cell], met = search->met_in[cell];
    const bool was_queued = search->is_queued[cell];
    uint32_t begin = cell + size - met, largest = cell;
    search->met_in[cell] = 0;
    for (uint32_t k = 0; k < met; k++) {
        const uint32_t r = partition->order[begin + k];
        search->told[k] = (struct told){ search->key[r], r };
        search->key[r] = 0;
    }
    qsort(search->told, met, sizeof *search->told, search_compare_told);
    trace = search_mix(search_mix(trace, cell), size - met);
    if (met < size)
        partition->size[cell] = size - met;
    for (uint32_t k = 0, start = begin; k < met; k++) {
        const struct told *told = &search->told[k];
        if (k > 0 && told->key != told[-1].key)
            start = begin + k;
        partition->order[begin + k] = told->router;
        partition->place[told->router] = begin + k;
        partition->cell[told->router] = start;
        partition->size[start] = begin + k - start + 1;
        trace = search_mix(search_mix(trace, start), told->key);
    }
    for (uint32_t at = cell; at < cell + size; at += partition->size[at])
        if (partition->size[at] > partition->size[largest])
            largest = at;
    for (uint32_t at = cell; at < cell + size; at += partition->size[at])
        if (was_queued || at != largest)
            search_enqueue(search, at);
    return trace;
}

/* Splits cells until no cell in the queue distinguishes two routers of a cell;
 * new cells are queued as well. Returns a hash of what it met, equal for two
 * partitions that an automorphism takes to each other. */
static uint64_t search_refine(struct search *search,
                              struct partition *partition)
{
    uint64_t trace = 0;
    while (search->waiting > 0) {
        const uint32_t cell = search->queue[search->head];
        search->head = (search->head + 1) % search->n;
        search->waiting--;
        search->is_queued[cell] = false;
        search_meet_all(search, partition, cell);
        const size_t count = search_touch(search, partition);
        qsort(search->touched, count, sizeof *search->touched,
              search_compare_cells);
        for (size_t i = 0; i < count; i++)
            trace = search_split(search, partition, search->touched[i], trace);
    }
    return trace;
}

/* Moves a router to the end of its cell, into a cell of its own, and
 * refines. */
static uint64_t search_single_out(struct search *search,
                                  struct partition *partition, uint32_t router)
{
    const uint32_t cell = partition->cell[router];
    const uint32_t last = cell + --partition->size[cell];
    partition_put(partition, router, last);
    partition->cell[router] = last;
    partition->size[last] = 1;
    search_enqueue(search, last);
    return search_refine(search, partition);
}

/* The first of the largest cells. */
static uint32_t search_target(const struct search *search,
                              const struct partition *partition)
{
    uint32_t target = 0;
    for (uint32_t at = 0; at < search->n; at += partition->size[at])
        if (partition->size[at] > partition->size[target])
            target = at;
    return target;
}

static enum nb_status search_reserve(struct search *search,
                                     struct nb_error *err)
{
    const size_t n = search->n, m = search->topology->channel_count;
    struct nb_pool *pool = &search->pool;
    search->colour = nb_pool_array(pool, m, sizeof *search->colour);
    search->key = nb_pool_array(pool, n, sizeof *search->key);
    search->is_met = nb_pool_array(pool, n, sizeof *search->is_met);
    search->met = nb_pool_array(pool, n, sizeof *search->met);
    search->met_in = nb_pool_array(pool, n, sizeof *search->met_in);
    search->touched = nb_pool_array(pool, n, sizeof *search->touched);
    search->told = nb_pool_array(pool, n, sizeof *search->told);
    search->queue = nb_pool_array(pool, n, sizeof *search->queue);
    search->is_queued = nb_pool_array(pool, n, sizeof *search->is_queued);
    search->chosen = nb_pool_array(pool, n, sizeof *search->chosen);
    search->trace = nb_pool_array(pool, n, sizeof *search->trace);
    search->orbit = nb_pool_array(pool, n, sizeof *search->orbit);
    search->map = nb_pool_array(pool, n, sizeof *search->map);
    const enum nb_status status = nb_pool_check(pool, search_what, err);
    if (status == NB_OK)
        nb_sets_init(search->orbit, n);
    return status;
}

static void search_release(struct search *search)
{
    nb_pool_release(&search->pool);
    way_release(&search->first);
    way_release(&search->other);
}

static void search_colour(struct search *search, enum nb_automorphism_kind kind)
{
    const struct nb_topology *topology = search->topology;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_ratio bandwidth = topology->channels[c].bandwidth;
        search->colour[c] = search_mix(
            search_mix((uint64_t)bandwidth.numerator,
                       (uint64_t)bandwidth.denominator),
            kind == NB_KEEPING_GROUPS && nb_channel_is_global(topology, c));
    }
}

/* Cells of routers with equal terminals, refined. */
static void search_begin(struct search *search, struct partition *out)
{
    const size_t n = search->n;
    for (uint32_t r = 0; r < n; r++)
        search->told[r] = (struct told){ search->topology->terminals[r], r };
    qsort(search->told, n, sizeof *search->told, search_compare_told);
    for (uint32_t k = 0, start = 0; k < n; k++) {
        const struct told *told = &search->told[k];
        if (k > 0 && told->key != told[-1].key)
            start = k;
        out->order[k] = told->router;
        out->place[told->router] = k;
        out->cell[told->router] = start;
        out->size[start] = k - start + 1;
        search_enqueue(search, start);
    }
    search_refine(search, out);
}

/* The first descent to cells of one router each, unless it takes too much. */
static enum nb_status search_descend(struct search *search, bool *is_done,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *is_done = false;
    NB_TRY(way_grow(&search->first, search->n, err));
    NB_TRY(way_grow(&search->other, search->n, err));
    search_begin(search, search->first.partition);
    for (size_t level = 0;; level++) {
        struct partition *here = &search->first.partition[level];
        const uint32_t target = search_target(search, here);
        *is_done = here->size[target] == 1;
        if (*is_done || search->steps > SEARCH_MOST_STEPS ||
            (level + 2) * search->n > SEARCH_MOST_PLACES)
            break;
        NB_TRY(way_grow(&search->first, search->n, err));
        NB_TRY(way_grow(&search->other, search->n, err));
        here = &search->first.partition[level];
        partition_copy(search, here, here + 1);
        search->chosen[level] = here->order[target];
        search->trace[level] =
            search_single_out(search, here + 1, here->order[target]);
        search->level_count = level + 1;
    }
done:
    return status;
}

/* Whether the end of the current descent is an automorphism; terminals match in
 * any case. map: out, scratch. */
static bool search_fits(struct search *search, uint32_t *map)
{
    const uint32_t *from = search->first.partition[search->level_count].order;
    const uint32_t *to = search->other.partition[search->level_count].order;
    for (size_t k = 0; k < search->n; k++)
        map[from[k]] = to[k];
    search->steps += SEARCH_IMAGE * (double)search->topology->channel_count;
    for (uint32_t c = 0; c < search->topology->channel_count; c++) {
        const uint32_t image = nb_channel_image(search->topology, map, c);
        if (image == NB_NONE || search->colour[image] != search->colour[c])
            return false;
    }
    return true;
}

/* Continues the current descent from a level, with this router in place of the
 * one chosen there; true if it reaches an end that fits. */
static bool search_follow(struct search *search, size_t level, uint32_t router,
                          uint32_t *map)
{
    struct partition *here = &search->other.partition[level];
    partition_copy(search, here, here + 1);
    if (search_single_out(search, here + 1, router) != search->trace[level] ||
        search->steps > SEARCH_MOST_STEPS)
        return false;
    if (level + 1 == search->level_count)
        return search_fits(search, map);
    const uint32_t target =
        search_target(search, &search->first.partition[level + 1]);
    const uint32_t size = here[1].size[target];
    const uint32_t plain = search->chosen[level + 1];
    /* Trying the first descent's router first moves the fewest routers. */
    if (here[1].cell[plain] == target &&
        search_follow(search, level + 1, plain, map))
        return true;
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t other = here[1].order[target + k];
        if (other != plain && search_follow(search, level + 1, other, map))
            return true;
    }
    return false;
}

/* Whether the automorphisms found take router k of the cell to an earlier one:
 * then its outcome is the same. */
static bool search_is_known(struct search *search, const uint32_t *cell,
                            uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        if (nb_sets_find(search->orbit, cell[i]) ==
            nb_sets_find(search->orbit, cell[k]))
            return true;
    return false;
}

/* Finds where automorphisms can take the router of a level, if they keep the
 * routers singled out at the levels before. */
static enum nb_status search_level(struct search *search, size_t level,
                                   struct nb_symmetry *out,
                                   struct nb_error *err)
{
    const struct partition *here = &search->first.partition[level];
    const uint32_t target = here->cell[search->chosen[level]];
    const uint32_t *cell = here->order + target;
    enum nb_status status = NB_OK;
    for (uint32_t k = 1; k < here->size[target]; k++) {
        if (search_is_known(search, cell, k))
            continue;
        partition_copy(search, here, &search->other.partition[level]);
        if (!search_follow(search, level, cell[k], search->map))
            continue;
        for (uint32_t r = 0; r < search->n; r++)
            nb_sets_join(search->orbit, r, search->map[r]);
        NB_TRY(
            nb_symmetry_add(out, search->topology, search->map, NULL, 0, err));
    }
done:
    return status;
}

enum nb_status nb_automorphisms_find(const struct nb_topology *topology,
                                     enum nb_automorphism_kind kind,
                                     struct nb_symmetry *out, bool *is_whole,
                                     struct nb_error *err)
{
    struct search search = { .topology = topology,
                             .n = topology->router_count };
    bool is_done;
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ .router_count = topology->router_count,
                                 .channel_count = topology->channel_count };
    NB_TRY(search_reserve(&search, err));
    search_colour(&search, kind);
    NB_TRY(search_descend(&search, &is_done, err));
    for (size_t level = search.level_count; is_done && level-- > 0;)
        NB_TRY(search_level(&search, level, out, err));
    *is_whole = is_done && search.steps <= SEARCH_MOST_STEPS;
done:
    search_release(&search);
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}
