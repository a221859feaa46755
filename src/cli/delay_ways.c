/* Paths of a traffic in a fat tree, added up by the kinds of their queues
 * (declared in delay_traffic.h). */
#include "cli/delay_traffic.h"

#include "core/memory.h"

#include <stdlib.h>

/* Leaves whose packets meet the same kinds of queues on the way up, or down,
 * so far. */
struct classes {
    enum nb_tree_direction direction;
    size_t count;
    uint32_t *of; /* [leaf] */
    struct way {
        uint32_t class, kind, leaf;
    } * ways; /* [leaves] by class, then leaf */
};

struct ways {
    const struct nb_delay_kinds *kinds;
    const struct nb_topology *topology;
    const struct nb_traffic *traffic;
    struct nb_delay_paths *paths;
    struct classes classes[NB_MIX_PARTS];
    uint64_t *rate;    /* [router] a column of the traffic */
    nb_uint128 *sum;   /* [leaves] of rates, by class of the source */
    uint32_t *number;  /* [kinds or leaves] a new number, or NB_NONE */
    size_t share_room; /* of the mix in the making */
    nb_uint128 total;  /* of all rates */
};

static int ways_compare(const void *a, const void *b)
{
    const struct way *left = a, *right = b;
    if (left->class != right->class)
        return left->class < right->class ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return (left->leaf > right->leaf) - (left->leaf < right->leaf);
}

/* Divides classes by the kind of the next queue. */
static void ways_refine(const struct ways *work, struct classes *classes,
                        uint32_t height)
{
    const uint32_t leaves = work->kinds->flows.tree.words;
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        classes->ways[leaf] = (struct way){
            classes->of[leaf],
            nb_delay_kinds_at(work->kinds, classes->direction, height, leaf),
            leaf,
        };
    qsort(classes->ways, leaves, sizeof *classes->ways, ways_compare);
    classes->count = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        const struct way *way = &classes->ways[i];
        if (i == 0 || way->class != way[-1].class || way->kind != way[-1].kind)
            classes->count++;
        classes->of[way->leaf] = (uint32_t)classes->count - 1;
    }
}

/* The sources' sums as shares of one class of destinations; cleared. */
static enum nb_status ways_add_shares(struct ways *work, uint32_t last,
                                      struct nb_law_mix *mix,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t u = 0; u < work->classes[NB_MIX_FIRST].count; u++) {
        if (work->sum[u] == 0)
            continue;
        if (mix->share_count == work->share_room) {
            work->share_room = 2 * work->share_room + 64;
            NB_TRY(nb_grow(&mix->shares, work->share_room, sizeof *mix->shares,
                           "kinds of ways", err));
        }
        work->total += work->sum[u];
        if (work->total > INT64_MAX)
            return nb_fail(err, NB_OVERFLOW,
                           "the sum of the traffic's rates leaves 63 bits over "
                           "their common denominator (permitted: fewer "
                           "digits)");
        mix->total += (uint64_t)work->sum[u];
        mix->shares[mix->share_count++] =
            (struct nb_law_share){ { u, last }, (uint64_t)work->sum[u] };
        work->sum[u] = 0;
    }
done:
    return status;
}

/* Adds up what turns at this height, one class of destinations after the
 * other. */
static enum nb_status ways_share(struct ways *work, uint32_t height,
                                 struct nb_law_mix *mix, struct nb_error *err)
{
    const struct nb_tree_flows *flows = &work->kinds->flows;
    const struct classes *last = &work->classes[NB_MIX_LAST];
    const bool is_by_root = flows->is_by_root;
    const uint32_t leaves = flows->tree.words;
    uint32_t span = 1, near = 0; /* leaves below that height, and nearer */
    enum nb_status status = NB_OK;
    for (uint32_t h = 1; h < height; h++) {
        near = is_by_root ? 0 : span;
        span *= flows->tree.arity;
    }
    work->share_room = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        const uint32_t d = last->ways[i].leaf, first = d - d % span;
        const uint32_t skip = near > 0 ? d - d % near : leaves;
        NB_TRY(nb_traffic_column(work->traffic, work->topology, d, work->rate,
                                 err));
        for (uint32_t s = first; s < first + span; s++)
            if ((s < skip || s >= skip + near) && work->rate[s] > 0)
                work->sum[work->classes[NB_MIX_FIRST].of[s]] += work->rate[s];
        if (i + 1 == leaves || last->of[last->ways[i + 1].leaf] != last->of[d])
            NB_TRY(ways_add_shares(work, last->of[d], mix, err));
    }
done:
    return status;
}

/* Numbers the classes that have shares, in order. */
static void ways_compress(struct ways *work, struct nb_law_mix *mix, int part)
{
    const size_t count = work->classes[part].count;
    for (size_t i = 0; i < count; i++)
        work->number[i] = NB_NONE;
    for (size_t i = 0; i < mix->share_count; i++)
        work->number[mix->shares[i].part[part]] = 0;
    for (size_t i = 0; i < count; i++)
        if (work->number[i] != NB_NONE)
            work->number[i] = (uint32_t)mix->count[part]++;
    for (size_t i = 0; i < mix->share_count; i++)
        mix->shares[i].part[part] = work->number[mix->shares[i].part[part]];
}

/* The kinds of queues in their order on the way, of every class with shares
 * (by work->number). */
static enum nb_status ways_parts(struct ways *work, uint32_t height,
                                 struct nb_law_mix *mix, int part,
                                 struct nb_error *err)
{
    const struct classes *classes = &work->classes[part];
    const uint32_t leaves = work->kinds->flows.tree.words;
    const bool is_up = part == NB_MIX_FIRST;
    ways_compress(work, mix, part);
    mix->width[part] = is_up ? height - 1 : height;
    const enum nb_status status =
        nb_new(&mix->laws[part], mix->count[part] * mix->width[part],
               sizeof *mix->laws[part], "kinds of ways", err);
    if (status != NB_OK)
        return status;
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        const uint32_t number = work->number[classes->of[leaf]];
        if (number == NB_NONE)
            continue;
        for (uint32_t i = 0; i < mix->width[part]; i++)
            mix->laws[part][number * mix->width[part] + i] =
                nb_delay_kinds_at(work->kinds, classes->direction,
                                  is_up ? i + 1 : height - 1 - i, leaf);
    }
    return NB_OK;
}

/* Gives the path the kinds of queues that it has, numbered anew. */
static enum nb_status ways_hops(struct ways *work, struct nb_delay_path *path,
                                struct nb_error *err)
{
    struct nb_law_mix *mix = &path->mix;
    uint32_t count = 0;
    for (size_t i = 0; i < work->kinds->count; i++)
        work->number[i] = NB_NONE;
    for (int part = 0; part < NB_MIX_PARTS; part++)
        for (size_t i = 0; i < mix->count[part] * mix->width[part]; i++) {
            uint32_t *law = &mix->laws[part][i];
            if (work->number[*law] == NB_NONE)
                work->number[*law] = count++;
        }
    const enum nb_status status = nb_delay_path_reserve(path, count, err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < work->kinds->count; i++)
        if (work->number[i] != NB_NONE)
            path->hops[work->number[i]] = &work->paths->queues[i].hop;
    for (int part = 0; part < NB_MIX_PARTS; part++)
        for (size_t i = 0; i < mix->count[part] * mix->width[part]; i++)
            mix->laws[part][i] = work->number[mix->laws[part][i]];
    return NB_OK;
}

static enum nb_status ways_path(struct ways *work, uint32_t height,
                                struct nb_delay_path *path,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(ways_share(work, height, &path->mix, err));
    for (int part = 0; part < NB_MIX_PARTS; part++)
        NB_TRY(ways_parts(work, height, &path->mix, part, err));
    NB_TRY(ways_hops(work, path, err));
    path->count = 2 * (size_t)height - 1;
done:
    return status;
}

static enum nb_status ways_reserve(struct ways *work, struct nb_error *err)
{
    const uint32_t leaves = work->kinds->flows.tree.words;
    const size_t numbers =
        work->kinds->count > leaves ? work->kinds->count : leaves;
    enum nb_status status = NB_OK;
    for (int part = 0; part < NB_MIX_PARTS; part++) {
        struct classes *classes = &work->classes[part];
        classes->direction = part == NB_MIX_FIRST ? NB_TREE_UP : NB_TREE_DOWN;
        classes->count = 1;
        NB_TRY(nb_new(&classes->of, leaves, sizeof *classes->of,
                      "kinds of ways", err));
        NB_TRY(nb_new(&classes->ways, leaves, sizeof *classes->ways,
                      "kinds of ways", err));
    }
    NB_TRY(nb_new(&work->rate, work->topology->router_count, sizeof *work->rate,
                  "rates", err));
    NB_TRY(nb_new(&work->sum, leaves, sizeof *work->sum, "rates", err));
    NB_TRY(nb_new(&work->number, numbers, sizeof *work->number, "kinds of ways",
                  err));
done:
    return status;
}

/* Shares of all packets; the sum of all totals fits 63 bits. */
static enum nb_status ways_weigh(const struct ways *work, struct nb_error *err)
{
    struct nb_delay *delay = &work->paths->delay;
    if (work->total == 0)
        return nb_fail(err, NB_INVALID,
                       "traffic %s sends no packets (permitted: one that "
                       "does)",
                       work->traffic->specification.kind->name);
    for (size_t i = 0; i < delay->path_count; i++)
        delay->paths[i].weight = nb_ratio_make(
            (nb_int128)delay->paths[i].mix.total, (nb_int128)work->total);
    return NB_OK;
}

enum nb_status nb_delay_ways_find(const struct nb_delay_kinds *kinds,
                                  const struct nb_topology *topology,
                                  const struct nb_traffic *traffic,
                                  struct nb_delay_paths *paths,
                                  struct nb_error *err)
{
    struct ways work = {
        .kinds = kinds, .topology = topology, .traffic = traffic, .paths = paths
    };
    const uint32_t levels = kinds->flows.tree.levels;
    const bool is_by_root = kinds->flows.is_by_root;
    enum nb_status status = NB_OK;
    NB_TRY(ways_reserve(&work, err));
    for (uint32_t height = 1; height <= levels; height++) {
        if (height > 1)
            ways_refine(&work, &work.classes[NB_MIX_FIRST], height - 1);
        ways_refine(&work, &work.classes[NB_MIX_LAST], height - 1);
        if (!is_by_root || height == levels)
            NB_TRY(ways_path(&work, height,
                             &paths->delay.paths[is_by_root ? 0 : height - 1],
                             err));
    }
    NB_TRY(ways_weigh(&work, err));
done:
    for (int part = 0; part < NB_MIX_PARTS; part++) {
        nb_delete(work.classes[part].of);
        nb_delete(work.classes[part].ways);
    }
    nb_delete(work.rate);
    nb_delete(work.sum);
    nb_delete(work.number);
    return status;
}
