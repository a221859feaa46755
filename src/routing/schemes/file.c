/*
 * file: a routing read from a table of paths (path_table.h), where a packet
 * draws one of its pair's paths by weight and follows it; or from the
 * forwarding tables of switches (forwarding.h).
 */
#include "core/lines.h"
#include "core/memory.h"
#include "core/store.h"
#include "topology/symmetry.h"
#include "routing/formats/forwarding.h"
#include "routing/table_ways.h"
#include "routing/path_table.h"
#include "routing/routing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct symmetry_work {
    const struct nb_path_table *table;
    size_t router_count;
    size_t *pair; /* [destination * router_count + source] its first path */
    const uint32_t *router;  /* [router] its image under a generator */
    const uint32_t *channel; /* [channel] its image */
    uint32_t *image;         /* [router_count] image of a path */
};

/* Compares a path of the image's pair with the image: less than, equal to or
 * greater than 0. */
static int symmetry_compare(const struct symmetry_work *work,
                            const struct nb_table_path *path, uint32_t length)
{
    const uint32_t *channel = work->table->channel + path->first;
    for (uint32_t i = 0; i < path->length && i < length; i++)
        if (channel[i] != work->image[i])
            return channel[i] < work->image[i] ? -1 : 1;
    return (path->length > length) - (path->length < length);
}

/* Whether the table contains the image of a path, with the same weight. */
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

/* Images of different paths differ, so if all are in the table, there are no
 * other paths. A path without hops is ignored. */
static bool symmetry_keeps_table(struct symmetry_work *work)
{
    for (size_t p = 0; p < work->table->path_count; p++)
        if (work->table->path[p].length > 0 &&
            !symmetry_has_image(work, &work->table->path[p]))
            return false;
    return true;
}

/*
 * The classes of automorphisms whose generators all map the table to itself:
 * the image of any path from i to j is a path between the images of i and j, of
 * the same weight. Only generators that the topology offers and that keep
 * bandwidths and terminals count.
 *
 * table    sorted, no path twice; the weights of each pair have the same sum
 * classes  out: sum of enum nb_symmetry_class
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status path_symmetries(const struct nb_path_table *table,
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

/* One of a pair's paths: its first state and its weight. */
struct path_start {
    uint64_t weight;
    uint32_t state;
};

/* The rest of a path: its next channel and the state after that. */
struct path_rest {
    uint32_t channel;
    uint32_t next;
};

/*
 * A state is the rest of a path: its index in the list of all different ends of
 * paths from a router to the destination. So there are few states, and paths
 * that continue equally are the same from there on. At the destination it is 0.
 *
 * Pairs are numbered as in nb_path_table_index. Everything is in one block.
 */
struct path_plan {
    size_t state_count; /* maximum of one pair of routers, at least 1 */
    size_t most_starts; /* the same */
    size_t *start_of;   /* [pair + 1] index into start: paths from the router */
    size_t *rest_of;    /* [pair + 1] index into rest: paths through the
                         * router */
    struct path_start *start;
    struct path_rest *rest;
};

/* A rest that was found, with its router and state. */
struct plan_rest {
    uint32_t router;
    uint32_t state;
    struct path_rest rest;
};

/* The state of building a plan, one destination after another. */
struct plan_work {
    const struct nb_path_table *table;
    const struct nb_topology *topology;
    struct path_plan *plan;
    size_t *order;          /* [most paths] paths to the destination, sorted by
                             * their ends */
    struct plan_rest *made; /* [most hops] rests of these paths */
    size_t made_count;
    uint32_t *state;     /* [router_count] states of the last path's rests, by
                          * the number of hops left */
    uint32_t *count;     /* [router] number of rests there */
    struct nb_pool pool; /* all except the plan */
};

static size_t plan_more(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* A path's channel, counted from its end; 1 is the last. */
static uint32_t plan_channel(const struct nb_path_table *table,
                             const struct nb_table_path *path, uint32_t left)
{
    return table->channel[path->first + path->length - left];
}

/* The number of last hops that two paths share. */
static uint32_t plan_shared(const struct nb_path_table *table,
                            const struct nb_table_path *a,
                            const struct nb_table_path *b)
{
    uint32_t left = 0;
    while (left < a->length && left < b->length &&
           plan_channel(table, a, left + 1) == plan_channel(table, b, left + 1))
        left++;
    return left;
}

/* Compares channels from the end, so that paths with more shared hops are
 * adjacent. */
static int plan_compare(const void *left, const void *right, void *context)
{
    const struct nb_path_table *table = context;
    const struct nb_table_path *a = &table->path[*(const size_t *)left];
    const struct nb_table_path *b = &table->path[*(const size_t *)right];
    const uint32_t shared = plan_shared(table, a, b);
    if (shared == a->length || shared == b->length)
        return (a->length > b->length) - (a->length < b->length);
    return plan_channel(table, a, shared + 1) <
                   plan_channel(table, b, shared + 1)
               ? -1
               : 1;
}

/* Adds the hops that a path does not share with the one before it in the
 * order. */
static void plan_add_path(struct plan_work *work,
                          const struct nb_table_path *path, uint32_t shared)
{
    for (uint32_t left = shared + 1; left <= path->length; left++) {
        const uint32_t channel = plan_channel(work->table, path, left);
        const uint32_t router = work->topology->channels[channel].source;
        work->state[left] = work->count[router]++;
        work->made[work->made_count++] = (struct plan_rest){
            .router = router,
            .state = work->state[left],
            .rest = { .channel = channel, .next = work->state[left - 1] },
        };
    }
}

/* Sorts the rests found by router. */
static void plan_place(struct plan_work *work, size_t pair)
{
    const size_t n = work->topology->router_count;
    struct path_plan *plan = work->plan;
    for (size_t r = 0; r < n; r++) {
        plan->rest_of[pair + r + 1] = plan->rest_of[pair + r] + work->count[r];
        plan->state_count = plan_more(plan->state_count, work->count[r]);
        work->count[r] = 0;
    }
    for (size_t i = 0; i < work->made_count; i++) {
        const struct plan_rest *made = &work->made[i];
        plan->rest[plan->rest_of[pair + made->router] + made->state] =
            made->rest;
    }
    work->made_count = 0;
}

static void plan_add_destination(struct plan_work *work, size_t destination)
{
    const size_t n = work->topology->router_count, pair = destination * n;
    const struct nb_path_table *table = work->table;
    struct path_plan *plan = work->plan;
    const size_t first = plan->start_of[pair];
    const size_t count = plan->start_of[pair + n] - first;
    for (size_t i = 0; i < count; i++)
        work->order[i] = first + i;
    if (count > 1)
        qsort_r(work->order, count, sizeof *work->order, plan_compare,
                (void *)table);
    for (size_t i = 0; i < count; i++) {
        const size_t p = work->order[i];
        const struct nb_table_path *path = &table->path[p];
        plan_add_path(
            work, path,
            i > 0 ? plan_shared(table, &table->path[work->order[i - 1]], path)
                  : 0);
        plan->start[p] =
            (struct path_start){ .weight = path->weight,
                                 .state = work->state[path->length] };
    }
    plan_place(work, pair);
}

/* Allocates everything; a table has no more rests than hops. */
static enum nb_status plan_reserve(struct plan_work *work, struct nb_error *err)
{
    const struct nb_path_table *table = work->table;
    const size_t n = work->topology->router_count, pairs = n * n + 1;
    const char *what = "states of a routing";
    enum nb_status status;
    NB_TRY(nb_memory_require(2.0 * (double)n * (double)n * sizeof(size_t), what,
                             err));
    NB_TRY(nb_new(&work->plan,
                  sizeof *work->plan + 2 * pairs * sizeof(size_t) +
                      table->path_count * sizeof(struct path_start) +
                      table->channel_count * sizeof(struct path_rest),
                  1, what, err));
    struct path_plan *plan = work->plan;
    plan->start_of = (size_t *)(plan + 1);
    plan->rest_of = plan->start_of + pairs;
    plan->start = (struct path_start *)(plan->rest_of + pairs);
    plan->rest = (struct path_rest *)(plan->start + table->path_count);
    plan->state_count = plan->most_starts = 1;
    nb_path_table_index(table, n, plan->start_of);
    size_t most_paths = 0, most_hops = 0;
    for (size_t d = 0; d < n; d++) {
        size_t hops = 0;
        for (size_t p = plan->start_of[d * n]; p < plan->start_of[d * n + n];
             p++)
            hops += table->path[p].length;
        most_paths = plan_more(most_paths, plan->start_of[d * n + n] -
                                               plan->start_of[d * n]);
        most_hops = plan_more(most_hops, hops);
    }
    struct nb_pool *pool = &work->pool;
    work->order = nb_pool_array(pool, most_paths, sizeof *work->order);
    work->made = nb_pool_array(pool, most_hops, sizeof *work->made);
    work->state = nb_pool_array(pool, n, sizeof *work->state);
    work->count = nb_pool_array(pool, n, sizeof *work->count);
    NB_TRY(nb_pool_check(pool, what, err));
done:
    return status;
}

/*
 * table  sorted, no path twice
 * plan   out: owned by the caller, freed with nb_delete
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status path_plan_build(const struct nb_path_table *table,
                                      const struct nb_topology *topology,
                                      struct path_plan **plan,
                                      struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct plan_work work = { .table = table, .topology = topology };
    enum nb_status status;
    *plan = NULL;
    NB_TRY(plan_reserve(&work, err));
    for (size_t d = 0; d < n; d++)
        plan_add_destination(&work, d);
    for (size_t k = 0; k < n * n; k++)
        work.plan->most_starts =
            plan_more(work.plan->most_starts,
                      work.plan->start_of[k + 1] - work.plan->start_of[k]);
    *plan = work.plan;
done:
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_delete(work.plan);
    return status;
}

#define FILE_TOTAL ((int64_t)1 << 53) /* maximum sum of weights */

/* The sum of a pair's weights, divided by their common factor; 0 if it exceeds
 * FILE_TOTAL. */
static int64_t file_sum(struct nb_table_path *path, size_t count)
{
    uint64_t common = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        common = nb_gcd(common, path[i].weight);
    for (size_t i = 0; i < count; i++)
        path[i].weight /= common;
    for (size_t i = 0; i < count && sum <= (uint64_t)FILE_TOTAL; i++)
        sum += path[i].weight;
    return sum <= (uint64_t)FILE_TOTAL ? (int64_t)sum : 0;
}

/* Scales the weights so that every pair has the same sum. */
static enum nb_status file_scale(struct nb_path_table *table, const char *file,
                                 uint64_t *total, struct nb_error *err)
{
    int64_t common = 1;
    size_t count;
    for (size_t p = 0; p < table->path_count; p += count) {
        count = nb_path_table_end(table, p) - p;
        const int64_t sum = file_sum(&table->path[p], count);
        common = nb_unite(common, sum, FILE_TOTAL);
        if (common == 0)
            return nb_fail(err, NB_INVALID,
                           "%.200s: with the weights from router %" PRIu32
                           " to %" PRIu32 " the least common multiple of the "
                           "pairs' sums exceeds 2^53 "
                           "(permitted: up to %" PRId64 ")",
                           nb_file_name(file), table->path[p].source,
                           table->path[p].destination, FILE_TOTAL);
    }
    for (size_t p = 0; p < table->path_count; p += count) {
        uint64_t sum = 0;
        count = nb_path_table_end(table, p) - p;
        for (size_t i = p; i < p + count; i++)
            sum += table->path[i].weight;
        for (size_t i = p; i < p + count; i++)
            table->path[i].weight *= (uint64_t)common / sum;
    }
    *total = (uint64_t)common;
    return NB_OK;
}

/* Whether every path is a shortest one, as route tables count them. */
static enum nb_status file_find_minimal(const struct nb_path_table *table,
                                        const struct nb_topology *topology,
                                        bool *is_minimal, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_route_table ways = { .target = NB_NONE };
    uint32_t *queue = NULL;
    enum nb_status status;
    *is_minimal = true;
    NB_TRY(nb_new(&ways.distance, n, sizeof *ways.distance, "distances", err));
    NB_TRY(nb_new(&queue, n, sizeof *queue, "distances", err));
    for (size_t p = 0; p < table->path_count && *is_minimal; p++) {
        const struct nb_table_path *path = &table->path[p];
        if (path->destination != ways.target)
            nb_ways_to(topology, path->destination, ways.distance, queue);
        ways.target = path->destination;
        for (size_t i = 0; i < path->length && *is_minimal; i++)
            *is_minimal = nb_is_on_the_way(topology, &ways,
                                           table->channel[path->first + i]);
    }
done:
    nb_delete(ways.distance);
    nb_delete(queue);
    return status;
}

static const struct nb_routing_kind file_forwarding;

static enum nb_status file_build_forwarding(struct nb_routing *out,
                                            const char *file,
                                            struct nb_error *err)
{
    const char *levels = nb_specification_text(&out->specification, "sl");
    const char *lanes = nb_specification_text(&out->specification, "sl2vl");
    struct nb_forwarding forwarding = { 0 };
    enum nb_status status;
    NB_TRY(nb_forwarding_read(
        out->topology, file,
        nb_specification_is(&out->specification, "lid", "base"), &forwarding,
        err));
    if (*levels != '\0')
        NB_TRY(nb_forwarding_read_levels(&forwarding, levels, err));
    if (*lanes != '\0')
        NB_TRY(nb_forwarding_read_lanes(&forwarding, lanes, err));
    NB_TRY(nb_forwarding_ways(&forwarding, out, err));
    out->moved_lids = forwarding.moved_lids;
    out->moved_lid = forwarding.moved_lid;
    out->kind = &file_forwarding; /* has the same name but its own steps */
done:
    nb_forwarding_release(&forwarding);
    return status;
}

/* Whether the file holds forwarding tables, by format or else by its
 * beginning. */
static enum nb_status file_is_forwarding(const struct nb_routing *routing,
                                         const char *file, bool *out,
                                         struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    *out = nb_specification_is(&routing->specification, "format", "lft");
    if (!nb_specification_is(&routing->specification, "format", "auto"))
        return NB_OK;
    NB_TRY(nb_store_read(file, NB_STORE_BYTES, &text, err));
    *out = nb_is_forwarding(text.bytes);
    const char *start = text.bytes + nb_lines_mark(text.bytes);
    if (start[strspn(start, " \t\r\n")] == '\0')
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.200s: it is empty (permitted: the header "
                       "source,destination,weight,path and rows; or "
                       "forwarding tables of opensm or dump_lfts)",
                       nb_file_name(file)));
done:
    nb_text_release(&text);
    return status;
}

static enum nb_status file_build_paths(struct nb_routing *out, const char *file,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    struct nb_path_table table = { 0 };
    struct path_plan *plan;
    enum nb_status status;
    NB_TRY(nb_path_table_read(topology, file, &table, err));
    NB_TRY(file_scale(&table, file, &out->start_total, err));
    NB_TRY(path_symmetries(&table, topology, &out->symmetries, err));
    NB_TRY(file_find_minimal(&table, topology, &out->is_minimal, err));
    NB_TRY(path_plan_build(&table, topology, &plan, err));
    out->plan = plan;
    out->state_count = plan->state_count;
    out->most_starts = plan->most_starts;
    out->most_hops = 1;
    out->vc_rule = "hop";
done:
    nb_path_table_release(&table);
    return status;
}

static enum nb_status file_build(struct nb_routing *out, struct nb_error *err)
{
    const char *file = nb_specification_text(&out->specification, "path");
    bool is_forwarding;
    const enum nb_status status =
        file_is_forwarding(out, file, &is_forwarding, err);
    if (status != NB_OK)
        return status;
    return is_forwarding ? file_build_forwarding(out, file, err)
                         : file_build_paths(out, file, err);
}

/* A router need not have a path to itself. */
static size_t file_start(const struct nb_routing *routing, uint32_t source,
                         uint32_t destination, struct nb_start *starts)
{
    const struct path_plan *plan = routing->plan;
    const size_t pair = destination * routing->topology->router_count + source;
    const size_t first = plan->start_of[pair];
    const size_t count = plan->start_of[pair + 1] - first;
    for (size_t i = 0; i < count; i++)
        starts[i] =
            (struct nb_start){ .state = plan->start[first + i].state,
                               .weight = plan->start[first + i].weight };
    if (count > 0)
        return count;
    starts[0] = (struct nb_start){ .state = 0, .weight = routing->start_total };
    return 1;
}

static size_t file_step(const struct nb_routing *routing,
                        const struct nb_route_table *table,
                        nb_route_state state, uint32_t router,
                        uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct path_plan *plan = routing->plan;
    const size_t pair = destination * routing->topology->router_count + router;
    if (router == destination)
        return 0;
    const struct path_rest *rest = &plan->rest[plan->rest_of[pair] + state];
    hops[0] = (struct nb_hop){
        .channel = rest->channel, .next = rest->next, .weight = 1, .share = 1
    };
    return 1;
}

static const struct nb_parameter file_parameters[] = {
    NB_PARAMETER(
        "path", PATH, NULL,
        "CSV of source,destination,weight,path; or forwarding tables of an "
        "InfiniBand network",
        .detail =
            "A path is routers joined by -, with /1 after a router reached by "
            "the second channel to it. Forwarding tables are read as opensm "
            "(opensm-lfts.dump, opensm.fdbs) or dump_lfts writes them.",
        .is_leading = true),
    NB_PARAMETER("format", CHOICE, "auto",
                 "a table of paths, or forwarding tables (lft); auto: by how "
                 "the file begins",
                 .choices = "auto|paths|lft"),
    NB_PARAMETER(
        "lid", CHOICE, "all",
        "forwarding tables of hosts with several LIDs (LMC above 0): packets "
        "use all LIDs of a host equally, or only the base LID, the lowest",
        .choices = "all|base"),
    NB_PARAMETER("sl", PATH, "",
                 "file of service levels: source LID, destination LID and "
                 "level; default level 0"),
    NB_PARAMETER("sl2vl", PATH, "",
                 "file of the virtual lane of each service level "
                 "(opensm-sl2vl.dump); default: the level"),
    { 0 },
};

const struct nb_routing_kind nb_routing_file = {
    .kind = { .name = "file",
              .summary = "paths, or forwarding tables, from a file",
              .parameters = file_parameters },
    .examples = "file:data/routing/ring5-weighted.csv@ring:5 "
                "file:data/routing/mesh2x3-turns.csv@mesh:2x3 "
                "file:data/fabrics/two-spines.lft@file:data/fabrics/"
                "two-spines.ibnetdiscover,speeds=alike",
    .build = file_build,
    .start = file_start,
    .step = file_step,
};

static const struct nb_routing_kind file_forwarding = {
    .kind = { .name = "file",
              .summary = "forwarding tables",
              .parameters = file_parameters },
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
