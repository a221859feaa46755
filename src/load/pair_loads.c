#include "load/pair_loads.h"

#include "core/memory.h"
#include "load/focus.h"
#include "load/propagate.h"
#include "load/vertex_orbits.h"
#include "routing/intermediates.h"
#include "routing/quadrant.h"
#include "routing/two_phase.h"
#include "topology/fabric.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { TRANSPOSE_TILE = 16 };

/* Exchanges one tile at or below the diagonal with its mirror image. */
static void transpose_tile(uint64_t *cell, size_t n, size_t row, size_t column)
{
    for (size_t i = row; i < row + TRANSPOSE_TILE && i < n; i++)
        for (size_t j = column; j < column + TRANSPOSE_TILE && j < i; j++) {
            const uint64_t kept = cell[i * n + j];
            cell[i * n + j] = cell[j * n + i];
            cell[j * n + i] = kept;
        }
}

/* cell  [n * n] of eight bytes each; tile by tile, so that both sides of the
 * diagonal stay in cache. */
static void transpose(uint64_t *cell, size_t n)
{
    for (size_t row = 0; row < n; row += TRANSPOSE_TILE)
        for (size_t column = 0; column <= row; column += TRANSPOSE_TILE)
            transpose_tile(cell, n, row, column);
}

/* Scratch of one thread. */
struct pair_scratch {
    struct nb_walker walker;
    struct nb_upstream upstream;
    size_t room;       /* nodes */
    int64_t *visits;   /* [room] */
    double *values;    /* [room] */
    uint32_t *inverse; /* [router] inverse of an automorphism */
};

/*
 * The work of the tasks on one phase: task j fills column j of every matrix.
 * The matrices of channel c are loads[c * class_count ..], one for each
 * direction class that a packet may keep, or a single one (class_count = 0).
 */
struct pair_work {
    const struct nb_routing *routing; /* of one phase */
    size_t n;
    uint32_t *endpoint;    /* [n] */
    uint32_t *endpoint_of; /* [router] its row and column; NB_NONE: none */
    struct nb_vertex_orbits orbits;
    uint32_t *column; /* [n] in the order of the tasks */
    size_t class_count;
    size_t count; /* number of matrices */
    struct nb_pair_loads *loads;
    int64_t *column_denominator; /* [matrix * n + column]; 0: not exact */
    double *column_error;        /* [column], for the values */
    struct pair_scratch *scratch;
};

static enum nb_status pair_scratch_init(const struct nb_routing *routing,
                                        struct pair_scratch *scratch,
                                        struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_init(routing, NULL, &scratch->walker, err));
    NB_TRY(nb_new(&scratch->inverse, routing->topology->router_count,
                  sizeof(uint32_t), "symmetry", err));
done:
    return status;
}

static void pair_scratch_release(struct pair_scratch *scratch)
{
    nb_walker_release(&scratch->walker);
    nb_upstream_release(&scratch->upstream);
    nb_delete(scratch->visits);
    nb_delete(scratch->values);
    nb_delete(scratch->inverse);
}

/* routing, class_count, count and loads are set; threads: number of scratch
 * spaces. Errors: NB_NO_MEMORY. */
static enum nb_status pair_work_init(struct pair_work *work, int threads,
                                     struct nb_error *err)
{
    const size_t routers = work->routing->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->endpoint, routers, sizeof *work->endpoint, "endpoints",
                  err));
    NB_TRY(nb_new(&work->endpoint_of, routers, sizeof *work->endpoint_of,
                  "endpoints", err));
    work->n = nb_endpoints(work->routing->topology, work->endpoint);
    for (size_t r = 0; r < routers; r++)
        work->endpoint_of[r] = NB_NONE;
    for (uint32_t i = 0; i < work->n; i++)
        work->endpoint_of[work->endpoint[i]] = i;
    /* Among automorphisms, only translations keep direction classes. */
    NB_TRY(nb_vertex_orbits_find(work->routing,
                                 work->class_count > 0
                                     ? NB_TRANSLATION | NB_EVEN_TRANSLATION
                                     : NB_ANY_SYMMETRY,
                                 &work->orbits, err));
    NB_TRY(
        nb_new(&work->column, routers, sizeof *work->column, "columns", err));
    for (size_t i = 0, columns = 0; i < routers; i++)
        if (work->endpoint_of[work->orbits.routers.order[i]] != NB_NONE)
            work->column[columns++] =
                work->endpoint_of[work->orbits.routers.order[i]];
    NB_TRY(nb_new(&work->column_denominator, work->count * work->n,
                  sizeof(int64_t), "column denominators", err));
    NB_TRY(nb_new(&work->column_error, work->n, sizeof(double), "column errors",
                  err));
    NB_TRY(nb_new(&work->scratch, (size_t)threads, sizeof *work->scratch,
                  "scratch", err));
    for (int t = 0; t < threads; t++)
        NB_TRY(pair_scratch_init(work->routing, &work->scratch[t], err));
done:
    return status;
}

static void pair_work_release(struct pair_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++)
        pair_scratch_release(&work->scratch[t]);
    nb_delete(work->scratch);
    nb_delete(work->endpoint);
    nb_delete(work->endpoint_of);
    nb_delete(work->column);
    nb_vertex_orbits_release(&work->orbits);
    nb_delete(work->column_denominator);
    nb_delete(work->column_error);
}

/* Limit of whole numbers that stay below 2^61 when one per terminal is
 * added. */
static int64_t pair_limit(const struct nb_topology *topology)
{
    return ((int64_t)1 << 61) / (int64_t)topology->terminal_count;
}

/* The weight with which packets start at a node's router in its state. */
static uint64_t pair_start_weight(const struct nb_walker *walker, uint32_t node)
{
    const size_t count =
        nb_route_starts(walker->routing, walker->node[node].router,
                        walker->destination, walker->starts);
    uint64_t weight = 0;
    for (size_t s = 0; s < count; s++)
        if (walker->starts[s].state == walker->node[node].state)
            weight += walker->starts[s].weight;
    return weight;
}

/* The basis of one matrix's column: the routes to the representative of its
 * router, and the automorphism from the one to the other. */
struct pair_column {
    const struct pair_work *work;
    struct pair_scratch *scratch;
    size_t column;
    const uint32_t *map; /* NULL: the identity */
    size_t matrix;       /* first matrix of the channel */
};

/* The row and the matrix that a node's visits belong to, and their weight; 0:
 * nothing starts there. Tasks fill columns, so several may mark the same
 * row. */
static uint64_t pair_place(const struct pair_column *at, uint32_t node,
                           size_t *row, size_t *matrix)
{
    const struct pair_work *work = at->work;
    const struct nb_walker *walker = &at->scratch->walker;
    const uint32_t router = walker->node[node].router;
    const nb_route_state state = walker->node[node].state;
    *row = work->endpoint_of[at->map != NULL ? at->map[router] : router];
    *matrix = at->matrix;
    if (*row == NB_NONE)
        return 0;
    uint64_t weight = state < work->class_count;
    if (work->class_count == 0)
        weight = pair_start_weight(walker, node);
    else
        *matrix += state;
    if (weight > 0)
        __atomic_store_n(&work->loads[*matrix].has_load[*row], 1,
                         __ATOMIC_RELAXED);
    return weight;
}

/* Fills whole numbers; the denominator becomes 0 if that is impossible. A
 * source's load is the weighted mean over its starts. */
static void pair_fill_exact(const struct pair_column *at, uint32_t channel)
{
    const struct pair_work *work = at->work;
    const struct nb_walker *walker = &at->scratch->walker;
    const struct nb_upstream *upstream = &at->scratch->upstream;
    int64_t *visits = at->scratch->visits;
    const size_t matrices = work->class_count > 0 ? work->class_count : 1;
    const int64_t total =
        work->class_count > 0 ? 1 : (int64_t)work->routing->start_total;
    const int64_t limit = pair_limit(work->routing->topology) / total;
    int64_t denominator = 1;
    if (!nb_walk_visits(walker, upstream, channel, limit, visits, &denominator))
        denominator = 0;
    for (size_t m = 0; m < matrices; m++)
        work->column_denominator[(at->matrix + m) * work->n + at->column] =
            denominator * total;
    for (size_t u = 0; u < upstream->count; u++) {
        const uint32_t node = upstream->node[u];
        size_t row, matrix;
        const uint64_t weight =
            denominator > 0 ? pair_place(at, node, &row, &matrix) : 0;
        if (weight > 0)
            work->loads[matrix].weight[row * work->n + at->column] +=
                visits[node] * (int64_t)weight;
        visits[node] = 0;
    }
}

static void pair_fill_value(const struct pair_column *at, uint32_t channel)
{
    const struct pair_work *work = at->work;
    const struct nb_walker *walker = &at->scratch->walker;
    const struct nb_upstream *upstream = &at->scratch->upstream;
    double *values = at->scratch->values;
    const double total =
        work->class_count > 0 ? 1 : (double)work->routing->start_total;
    nb_walk_visits_value(walker, upstream, channel, values);
    for (size_t u = 0; u < upstream->count; u++) {
        const uint32_t node = upstream->node[u];
        size_t row, matrix;
        const uint64_t weight = pair_place(at, node, &row, &matrix);
        if (weight > 0)
            work->loads[matrix].value[row * work->n + at->column] +=
                values[node] * (double)weight / total;
        values[node] = 0;
    }
    work->column_error[at->column] =
        nb_walk_error(walker, (double)work->routing->most_starts + 2);
}

/* Makes room for visits and values, all 0, at every node. */
static enum nb_status pair_make_room(struct pair_scratch *scratch,
                                     struct nb_error *err)
{
    const size_t room = scratch->walker.node_room;
    enum nb_status status = NB_OK;
    if (scratch->room >= room)
        return NB_OK;
    nb_delete(scratch->visits);
    nb_delete(scratch->values);
    scratch->visits = NULL;
    scratch->values = NULL;
    NB_TRY(nb_new(&scratch->visits, room, sizeof(int64_t), "visits", err));
    NB_TRY(nb_new(&scratch->values, room, sizeof(double), "visits", err));
    scratch->room = room;
done:
    return status;
}

/* Finds the routes to the representative of the column's router; they are
 * followed again only where the orbit changes. */
static enum nb_status pair_walk(const struct pair_work *work,
                                uint32_t representative,
                                struct pair_scratch *scratch,
                                struct nb_error *err)
{
    struct nb_walker *walker = &scratch->walker;
    enum nb_status status = NB_OK;
    if (walker->node_count > 0 && walker->destination == representative)
        return NB_OK;
    NB_TRY(nb_walker_go(walker, representative, work->endpoint, work->n, 0,
                        work->class_count, err));
    NB_TRY(nb_upstream_take(&scratch->upstream, walker, err));
    NB_TRY(pair_make_room(scratch, err));
done:
    return status;
}

/* Task of one column, for nb_run_tasks: fills it in every matrix. */
static enum nb_status pair_task(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    const struct pair_work *work = context;
    const struct nb_topology *topology = work->routing->topology;
    const size_t matrices = work->class_count > 0 ? work->class_count : 1;
    struct pair_scratch *scratch = &work->scratch[thread];
    struct pair_column at = { .work = work,
                              .scratch = scratch,
                              .column = work->column[index] };
    const uint32_t router = work->endpoint[at.column];
    const uint32_t representative =
        nb_orbits_least(&work->orbits.routers, router);
    const enum nb_status status = pair_walk(work, representative, scratch, err);
    if (router != representative) {
        at.map = work->orbits.map + router * work->orbits.routers.size;
        for (uint32_t r = 0; r < work->orbits.routers.size; r++)
            scratch->inverse[at.map[r]] = r;
    }
    for (; at.matrix < work->count && status == NB_OK; at.matrix += matrices) {
        const struct nb_pair_loads *loads = &work->loads[at.matrix];
        const uint32_t channel =
            at.map == NULL
                ? loads->channel
                : nb_channel_image(topology, scratch->inverse, loads->channel);
        nb_upstream_find(&scratch->upstream, &scratch->walker, channel);
        if (loads->is_exact)
            pair_fill_exact(&at, channel);
        else
            pair_fill_value(&at, channel);
    }
    return status;
}

/* Divides an exact matrix and its denominator by their common factor. */
static void pair_loads_reduce(struct nb_pair_loads *loads)
{
    const size_t n = loads->n;
    uint64_t common = (uint64_t)loads->denominator;
    for (size_t i = 0; i < n && common != 1; i++)
        for (size_t j = 0; j < n && nb_pair_row_has_load(loads, i); j++)
            if (loads->weight[i * n + j] != 0)
                common = nb_gcd(common, (uint64_t)loads->weight[i * n + j]);
    for (size_t i = 0; i < n && common != 1; i++)
        for (size_t j = 0; j < n && nb_pair_row_has_load(loads, i); j++)
            loads->weight[i * n + j] /= (int64_t)common;
    loads->denominator /= (int64_t)common;
}

/*
 * Pair loads of two phases with an intermediate router from the pair's own set:
 *
 *     load(i, j) = (1 - d) sum_q times(i, j, q) / size(i, j)
 *                          (g(i, q) + g(q, j)) + d g(i, j),
 *
 * where d is the share of packets that go straight to their destinations. Few
 * pairs of one phase cross a channel, so the load of each is added to the pairs
 * that have its intermediate router.
 */

struct set_work {
    const struct nb_routing *routing;
    const uint32_t *endpoint; /* [n] */
    size_t n;
    struct set_like *like;       /* [i * n + j] */
    struct nb_pair_loads *phase; /* [count] */
    struct nb_pair_loads *out;   /* [count] */
};

/* Whether the pair (i, j) has the same set as the pair before it in its row,
 * (i, j - 1), and in its column, (i - 1, j). */
struct set_like {
    bool row, column;
};

static void set_find(const struct set_work *work, size_t i, size_t j,
                     struct nb_intermediates *out)
{
    nb_intermediates_find(work->routing, work->endpoint[i], work->endpoint[j],
                          out);
}

/* Finds which pairs have equal sets. Errors: NB_NO_MEMORY. */
static enum nb_status set_compare(struct set_work *work, struct nb_error *err)
{
    const size_t n = work->n;
    struct nb_intermediates *set = NULL; /* [j] of the row's pairs */
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->like, n * n, sizeof *work->like, "pair loads", err));
    NB_TRY(nb_new(&set, n, sizeof *set, "pair loads", err));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            struct set_like *like = &work->like[i * n + j];
            const struct nb_intermediates above = set[j];
            set_find(work, i, j, &set[j]);
            like->row = j > 0 && nb_intermediates_same(&set[j], &set[j - 1]);
            like->column = i > 0 && nb_intermediates_same(&set[j], &above);
        }
    }
done:
    nb_delete(set);
    return status;
}

/* The factor of the load of pair (i, q) or (q, j) of one phase in the load of
 * pair (i, j). */
static int64_t set_factor(const struct set_work *work, size_t i, size_t j,
                          size_t q)
{
    const struct nb_routing *routing = work->routing;
    struct nb_intermediates set;
    set_find(work, i, j, &set);
    return (int64_t)nb_intermediates_times(&set, work->endpoint[q]) *
           (routing->intermediate_scale / (int64_t)set.count) *
           (int64_t)(routing->start_total - routing->direct);
}

/* Adds the load of pair (a, b) of one phase to the pairs that have it as their
 * first or second phase. */
static void set_add(const struct set_work *work, struct nb_pair_loads *out,
                    size_t a, size_t b, int64_t load)
{
    const size_t n = work->n;
    int64_t first = 0, second = 0;
    for (size_t k = 0; k < n; k++) {
        if (!work->like[a * n + k].row)
            first = set_factor(work, a, k, b);
        if (!work->like[k * n + b].column)
            second = set_factor(work, k, b, a);
        if (first > 0)
            out->weight[a * n + k] += load * first;
        if (second > 0)
            out->weight[k * n + b] += load * second;
    }
}

static enum nb_status set_task(void *context, int thread, size_t index,
                               struct nb_error *err)
{
    (void)thread, (void)err;
    const struct set_work *work = context;
    const struct nb_pair_loads *phase = &work->phase[index];
    struct nb_pair_loads *out = &work->out[index];
    const int64_t direct = (int64_t)work->routing->direct;
    for (size_t a = 0; a < work->n; a++) {
        for (size_t b = 0; b < work->n; b++) {
            const int64_t load = phase->weight[a * work->n + b];
            if (load == 0) /* most cells; their pages of out stay untouched */
                continue;
            if (direct > 0)
                out->weight[a * work->n + b] +=
                    load * work->routing->intermediate_scale * direct;
            set_add(work, out, a, b, load);
        }
    }
    pair_loads_reduce(out);
    return NB_OK;
}

/* A channel's matrix over the scale of starts and intermediate routers times
 * the phase's denominator: a load is at most 2, so that no cell overflows. */
static enum nb_status set_reserve(const struct set_work *work, size_t channel,
                                  struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const int64_t limit = pair_limit(routing->topology) / 2;
    const struct nb_pair_loads *phase = &work->phase[channel];
    struct nb_pair_loads *out = &work->out[channel];
    enum nb_status status = NB_OK;
    const int64_t total = (int64_t)routing->start_total;
    const int64_t scale = routing->intermediate_scale * total;
    if (!phase->is_exact || scale == 0 || phase->denominator > limit / scale)
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "routing %s: the common denominator of its loads does "
                       "not fit in 62 bits",
                       routing->kind->kind.name));
    out->n = work->n;
    out->is_exact = true;
    out->denominator = phase->denominator * scale;
    NB_TRY(nb_new(&out->weight, work->n * work->n, sizeof *out->weight,
                  "pair loads", err));
done:
    return status;
}

/*
 * The same for a scheme with the pair's own set of intermediate routers, one
 * matrix of the phase per channel.
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW if a matrix cannot be exact.
 */
static enum nb_status
pair_compose_set(const struct nb_routing *routing, size_t count,
                 struct nb_pair_loads *phase, const struct nb_run *run,
                 struct nb_pair_loads *out, struct nb_error *err)
{
    uint32_t *endpoint = NULL;
    struct set_work work = { .routing = routing, .phase = phase, .out = out };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&endpoint, routing->topology->router_count, sizeof *endpoint,
                  "pair loads", err));
    work.n = nb_endpoints(routing->topology, endpoint);
    work.endpoint = endpoint;
    NB_TRY(set_compare(&work, err));
    for (size_t c = 0; c < count; c++)
        NB_TRY(set_reserve(&work, c, err));
    NB_TRY(
        nb_run_tasks(run, "intermediate routers", count, set_task, &work, err));
done:
    nb_delete(work.like);
    nb_delete(endpoint);
    return status;
}

/*
 * Pair loads of two phases with an intermediate router in a quadrant:
 *
 *     load(i, j) = sum_d w_d(i, j) / W mean_q (g_d(i, q) + g_d(q, j))
 *
 * over direction classes d, with q uniform in the quadrant of i, j and d. Seen
 * from i the quadrants are boxes that begin in one corner (quadrant.h), so one
 * table of running sums over all q gives the first term for every j; seen from
 * j, the second for every i.
 */

/* Channels processed together: a cache line of running sums. */
enum { COMPOSE_GROUP = 8 };

/* Shared by all rows and columns. The second terms are found like the first
 * while all matrices are transposed. */
struct compose_work {
    const struct nb_routing *routing;
    size_t n, matrices;    /* n: endpoints */
    uint32_t *endpoint;    /* [n] routers */
    uint32_t *endpoint_of; /* [router] NB_NONE: none */
    size_t count;          /* channels of this group */
    struct nb_pair_loads *phase;
    struct nb_pair_loads *out;
    size_t mesh_count;  /* number of sign patterns of the dimensions without
                         * wrap-around */
    bool is_backward;   /* second terms, seen from the destination */
    const int64_t *own; /* [channel] denominator of its phase's matrices */
    /* By size of a quadrant: the factor from a sum over it to a numerator over
     * out's denominator, or (divided by the own denominator) to a load. */
    int64_t *factor; /* [routers + 1] */
    double *factor_value;
    struct compose_scratch *scratch;
};

struct compose_scratch {
    int64_t *sums;    /* [class][mesh][place][channel] running sums */
    uint32_t *places; /* [n] */
    struct nb_start *starts;
};

/* The matrix cells of one row by place, then summed up in every dimension;
 * cells of all channels are adjacent. */
static void compose_sum(const struct compose_work *work, size_t class,
                        const uint32_t *places, size_t row, int64_t *sums)
{
    const struct nb_grid *grid = &work->routing->topology->grid;
    const size_t n = work->routing->topology->router_count;
    const size_t count = work->count;
    const int64_t *cell[COMPOSE_GROUP];
    int64_t scale[COMPOSE_GROUP];
    for (size_t c = 0; c < count; c++) {
        const struct nb_pair_loads *phase =
            &work->phase[c * work->matrices + class % work->matrices];
        scale[c] = work->own[c] / phase->denominator;
        cell[c] = phase->weight + row * work->n;
    }
    for (size_t p = 0; p < n; p++) {
        const uint32_t column =
            places[p] != NB_NONE ? work->endpoint_of[places[p]] : NB_NONE;
        for (size_t c = 0; c < count; c++)
            sums[p * count + c] =
                column != NB_NONE ? cell[c][column] * scale[c] : 0;
    }
    size_t stride = count;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const size_t block = stride * grid->radix[d];
        for (size_t first = 0; first < n * count; first += block)
            for (size_t p = first + stride; p < first + block; p++)
                sums[p] += sums[p - stride];
        stride = block;
    }
}

/* Adds the terms of one start to one cell of every channel. */
static void compose_add(const struct compose_work *work,
                        const struct nb_start *start, uint64_t size,
                        const int64_t *sums, size_t cell)
{
    const int64_t factor = (int64_t)start->weight * work->factor[size];
    const double weight = (double)start->weight;
    for (size_t c = 0; c < work->count; c++) {
        const struct nb_pair_loads *out = &work->out[c];
        if (out->is_exact)
            out->weight[cell] += sums[c] * factor;
        else
            out->value[cell] += (double)sums[c] * weight *
                                work->factor_value[size] / (double)work->own[c];
    }
}

/* The cell of one row in one column. */
static void compose_cell(const struct compose_work *work,
                         const struct compose_scratch *scratch, size_t row,
                         size_t column)
{
    const size_t routers = work->routing->topology->router_count;
    const uint32_t source = work->endpoint[work->is_backward ? column : row];
    const uint32_t destination =
        work->endpoint[work->is_backward ? row : column];
    const size_t count = nb_route_starts(work->routing->directions, source,
                                         destination, scratch->starts);
    for (size_t s = 0; s < count; s++) {
        const struct nb_start *start = &scratch->starts[s];
        struct nb_quadrant quadrant;
        size_t mesh;
        nb_quadrant_find(&work->routing->topology->grid, start->state, source,
                         destination, &quadrant);
        const size_t place =
            nb_quadrant_place(&quadrant, work->is_backward, &mesh);
        const size_t table =
            (start->state * work->mesh_count + mesh) * routers + place;
        compose_add(work, start, quadrant.size,
                    scratch->sums + table * work->count,
                    row * work->n + column);
    }
}

static enum nb_status compose_task(void *context, int thread, size_t index,
                                   struct nb_error *err)
{
    (void)err;
    const struct compose_work *work = context;
    const struct nb_grid *grid = &work->routing->topology->grid;
    struct compose_scratch *scratch = &work->scratch[thread];
    const size_t routers = work->routing->topology->router_count;
    int64_t *sums = scratch->sums;
    for (size_t class = 0; class < work->routing->class_count; class ++) {
        for (size_t mesh = 0; mesh < work->mesh_count; mesh++) {
            nb_quadrant_places(grid, class, mesh, work->endpoint[index],
                               work->is_backward, scratch->places);
            compose_sum(work, class, scratch->places, index, sums);
            sums += routers * work->count;
        }
    }
    for (size_t column = 0; column < work->n; column++)
        compose_cell(work, scratch, index, column);
    return NB_OK;
}

/* Transposes matrix number index of the group: first the results, then the
 * phase's. */
static enum nb_status compose_turn(void *context, int thread, size_t index,
                                   struct nb_error *err)
{
    (void)thread, (void)err;
    const struct compose_work *work = context;
    const struct nb_pair_loads *loads = index < work->count
                                            ? &work->out[index]
                                            : &work->phase[index - work->count];
    transpose(loads->is_exact ? (void *)loads->weight : (void *)loads->value,
              work->n);
    return NB_OK;
}

/* Processes one group of channels; leaves its matrices of the phase
 * transposed. */
static enum nb_status compose_group(struct compose_work *work,
                                    const struct nb_run *run,
                                    struct nb_error *err)
{
    const char *what = "intermediate routers";
    const size_t all = work->count * (1 + work->matrices);
    enum nb_status status = NB_OK;
    work->is_backward = false;
    NB_TRY(nb_run_tasks(run, what, work->n, compose_task, work, err));
    NB_TRY(nb_run_tasks(run, what, all, compose_turn, work, err));
    work->is_backward = true;
    NB_TRY(nb_run_tasks(run, what, work->n, compose_task, work, err));
    NB_TRY(nb_run_tasks(run, what, work->count, compose_turn, work, err));
done:
    return status;
}

/* The product of the denominators of starts and of quadrants by dimension; 0:
 * it does not fit. The phase's own denominator is applied per channel, so that
 * exactness does not depend on the other channels. */
static int64_t compose_find_denominator(const struct compose_work *work)
{
    const struct nb_routing *routing = work->routing;
    const int64_t limit = pair_limit(routing->topology);
    int64_t all = (int64_t)routing->start_total;
    for (size_t d = 0; d < routing->topology->grid.dimensions; d++) {
        const int64_t sides = nb_quadrant_sides(routing, d, limit);
        if (sides == 0 || all > limit / sides)
            return 0;
        all *= sides;
    }
    return all;
}

/* Allocates a channel's matrix, exact if its denominator fits. */
static enum nb_status compose_reserve(const struct compose_work *work,
                                      size_t channel, int64_t denominator,
                                      struct nb_error *err)
{
    const int64_t limit = pair_limit(work->routing->topology);
    const size_t cells = work->n * work->n;
    struct nb_pair_loads *out = &work->out[channel];
    enum nb_status status = NB_OK;
    out->n = work->n;
    out->is_exact =
        denominator > 0 && work->own[channel] <= limit / denominator;
    if (out->is_exact) {
        out->denominator = work->own[channel] * denominator;
        NB_TRY(nb_new(&out->weight, cells, 8, "pair loads", err));
        return NB_OK;
    }
    NB_TRY(nb_new(&out->value, cells, 8, "pair loads", err));
    /* A term has a sum, its weight, a factor, itself the quotient of a product
     * (one rounding each), two products, a quotient, and two additions for each
     * class. */
    out->relative_error =
        (8 + 2 * (double)work->routing->class_count) * 0x1p-53;
done:
    return status;
}

/* Sets the factors of quadrants, and allocates the matrices. */
static enum nb_status compose_prepare(struct compose_work *work, size_t count,
                                      struct nb_error *err)
{
    const int64_t all = compose_find_denominator(work);
    const int64_t total = (int64_t)work->routing->start_total;
    const size_t routers = work->routing->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->factor, routers + 1, 8, "pair loads", err));
    NB_TRY(nb_new(&work->factor_value, routers + 1, 8, "pair loads", err));
    for (size_t size = 1; size <= routers; size++) {
        /* Sizes that no quadrant has get a meaningless factor. */
        work->factor[size] = all / total / (int64_t)size;
        work->factor_value[size] = 1 / ((double)total * (double)size);
    }
    for (size_t c = 0; c < count; c++)
        NB_TRY(compose_reserve(work, c, all, err));
done:
    return status;
}

static enum nb_status compose_scratch_init(const struct compose_work *work,
                                           struct compose_scratch *scratch,
                                           struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const size_t tables = routing->class_count * work->mesh_count;
    const size_t routers = routing->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&scratch->sums, tables * routers * COMPOSE_GROUP, 8,
                  "running sums", err));
    NB_TRY(nb_new(&scratch->places, routers, sizeof *scratch->places,
                  "running sums", err));
    NB_TRY(nb_new(&scratch->starts, routing->most_starts,
                  sizeof *scratch->starts, "starts", err));
done:
    return status;
}

/* The least common denominator of a channel's matrices of the phase. */
static enum nb_status compose_find_own(const struct compose_work *work,
                                       size_t channel, int64_t *own,
                                       struct nb_error *err)
{
    const struct nb_pair_loads *phase = work->phase + channel * work->matrices;
    *own = 1;
    for (size_t m = 0; m < work->matrices; m++)
        *own = nb_unite(*own, phase[m].denominator, INT32_MAX);
    return *own > 0
               ? NB_OK
               : nb_fail(err, NB_OVERFLOW,
                         "routing %s: the loads of its phases are not exact",
                         work->routing->kind->kind.name);
}

/* Failed routers are not endpoints, but remain places of the grid. */
static enum nb_status compose_find_endpoints(struct compose_work *work,
                                             struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t routers = topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->endpoint, routers, sizeof *work->endpoint,
                  "pair loads", err));
    NB_TRY(nb_new(&work->endpoint_of, routers, sizeof *work->endpoint_of,
                  "pair loads", err));
    work->n = nb_endpoints(topology, work->endpoint);
    for (size_t r = 0; r < routers; r++)
        work->endpoint_of[r] = NB_NONE;
    for (size_t i = 0; i < work->n; i++)
        work->endpoint_of[work->endpoint[i]] = (uint32_t)i;
done:
    return status;
}

static enum nb_status compose_init(struct compose_work *work, size_t count,
                                   int threads, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(compose_find_endpoints(work, err));
    NB_TRY(compose_prepare(work, count, err));
    NB_TRY(nb_new(&work->scratch, (size_t)threads, sizeof *work->scratch,
                  "scratch", err));
    for (int t = 0; t < threads; t++)
        NB_TRY(compose_scratch_init(work, &work->scratch[t], err));
done:
    return status;
}

static void compose_release(struct compose_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        nb_delete(work->scratch[t].sums);
        nb_delete(work->scratch[t].places);
        nb_delete(work->scratch[t].starts);
    }
    nb_delete(work->scratch);
    nb_delete(work->endpoint);
    nb_delete(work->endpoint_of);
    nb_delete(work->factor);
    nb_delete(work->factor_value);
}

/*
 * The matrices of a scheme whose intermediate router lies in a quadrant, from
 * those of its phase.
 *
 * phase  [count * matrices] exact; those of channel c from c * matrices on;
 *        overwritten
 * matrices  class_count, by direction class; 1 if the phases do not keep it
 * out    [count], channel set
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW if a matrix of the phase is not exact.
 */
static enum nb_status
pair_compose(const struct nb_routing *routing, size_t count, size_t matrices,
             struct nb_pair_loads *phase, const struct nb_run *run,
             struct nb_pair_loads *out, struct nb_error *err)
{
    struct compose_work work = {
        .routing = routing,
        .matrices = matrices,
        .phase = phase,
        .out = out,
        .mesh_count = nb_quadrant_mesh_count(&routing->topology->grid),
    };
    const int threads = nb_run_threads(run, routing->topology->router_count);
    int64_t *own = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&own, count, sizeof *own, "pair loads", err));
    for (size_t c = 0; c < count; c++)
        NB_TRY(compose_find_own(&work, c, &own[c], err));
    work.own = own;
    NB_TRY(compose_init(&work, count, threads, err));
    for (size_t done = 0; done < count; done += work.count) {
        work.count =
            count - done < COMPOSE_GROUP ? count - done : COMPOSE_GROUP;
        work.phase = phase + done * matrices;
        work.out = out + done;
        work.own = own + done;
        NB_TRY(compose_group(&work, run, err));
    }
    for (size_t c = 0; c < count; c++)
        if (out[c].is_exact)
            pair_loads_reduce(&out[c]);
done:
    compose_release(&work, threads);
    nb_delete(own);
    return status;
}

void nb_pair_loads_release(struct nb_pair_loads *loads)
{
    nb_delete(loads->weight);
    nb_delete(loads->value);
    nb_delete(loads->has_load);
    *loads = (struct nb_pair_loads){ 0 };
}

size_t nb_endpoints(const struct nb_topology *topology, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            out[n++] = r;
    return n;
}

/* Matrices of one phase per channel. */
static size_t pair_phase_matrices(const struct nb_routing *routing)
{
    if (routing->intermediate == NB_NO_INTERMEDIATE ||
        routing->intermediate == NB_ANYWHERE)
        return 0;
    return routing->directions == routing->phase ? routing->class_count : 1;
}

double nb_pair_loads_bytes(const struct nb_routing *given, size_t channels)
{
    const struct nb_routing *routing = nb_route_alike(given);
    const struct nb_topology *topology = routing->topology;
    double n = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        n += topology->terminals[r] > 0;
    return n * n * 8 * (double)channels *
           (1 + (double)pair_phase_matrices(routing));
}

/* Converts the columns to the common denominator. */
static void pair_rescale(struct nb_pair_loads *loads, const int64_t *columns,
                         int64_t united)
{
    size_t same = 0;
    loads->denominator = united;
    while (same < loads->n && columns[same] == united)
        same++;
    if (same == loads->n)
        return;
    for (size_t i = 0; i < loads->n; i++) {
        int64_t *row = loads->weight + i * loads->n;
        for (size_t j = 0; j < loads->n && nb_pair_row_has_load(loads, i); j++)
            row[j] *= united / columns[j];
    }
}

/* Converts the columns to one denominator; false if it does not fit. */
static bool pair_unite(const struct pair_work *work, size_t channel)
{
    struct nb_pair_loads *loads = &work->loads[channel];
    const int64_t *columns = work->column_denominator + channel * work->n;
    const int64_t limit = pair_limit(work->routing->topology);
    nb_int128 united = 1;
    for (size_t j = 0; j < work->n; j++) {
        if (columns[j] == 0)
            return false;
        united = united /
                 (int64_t)nb_gcd((uint64_t)united, (uint64_t)columns[j]) *
                 columns[j];
        if (united > limit)
            return false;
    }
    pair_rescale(loads, columns, (int64_t)united);
    pair_loads_reduce(loads);
    return true;
}

/* Replaces the dense matrix g of one phase by the terms of both phases:
 * row(i) = sum_q g(i, q) / n, column(j) = sum_q g(q, j) / n. */
static enum nb_status pair_separate(struct nb_pair_loads *loads,
                                    struct nb_error *err)
{
    const size_t n = loads->n;
    int64_t *weight = NULL;
    double *value = NULL;
    enum nb_status status = NB_OK;
    if (loads->is_exact)
        NB_TRY(nb_new(&weight, 2 * n, sizeof *weight, "pair loads", err));
    else
        NB_TRY(nb_new(&value, 2 * n, sizeof *value, "pair loads", err));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (loads->is_exact) {
                weight[i] += loads->weight[i * n + j];
                weight[n + j] += loads->weight[i * n + j];
            } else {
                value[i] += loads->value[i * n + j] / (double)n;
                value[n + j] += loads->value[i * n + j] / (double)n;
            }
        }
    }
    nb_delete(loads->weight);
    nb_delete(loads->value);
    loads->weight = weight;
    loads->value = value;
    loads->is_separable = true;
    loads->denominator *= (int64_t)n;
    loads->relative_error += ((double)n + 2) * 0x1p-52;
done:
    return status;
}

/* The loads of a host's channel, where packets turn at switches: it carries all
 * packets of the host and no others. */
static void pair_set_host(const struct nb_topology *topology,
                          struct nb_pair_loads *loads)
{
    const struct nb_channel *at = &topology->channels[loads->channel];
    const bool is_from = nb_turn_router(topology, at->source) != at->source;
    const uint32_t host = is_from ? at->source : at->target;
    size_t place = is_from ? 0 : loads->n;
    if (nb_turn_router(topology, host) == host)
        return;
    for (uint32_t r = 0; r < host; r++)
        place += topology->terminals[r] > 0;
    for (size_t i = 0; i < 2 * loads->n; i++) {
        const bool is_it = i == place;
        if (loads->is_exact)
            loads->weight[i] = is_it ? loads->denominator : 0;
        else
            loads->value[i] = is_it;
    }
}

/* A second pass, in doubles, for the channels that are not exact. */
static enum nb_status pair_fill_values(struct pair_work *work,
                                       const struct nb_run *run,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct pair_work rest = *work;
    rest.count = 0;
    rest.loads = NULL; /* not owned by the copy if the next step fails */
    /* The tasks take a contiguous list: channels not exact, moved in front
     * of a copy that owns nothing. */
    NB_TRY(nb_new(&rest.loads, work->count, sizeof *rest.loads, "pair loads",
                  err));
    for (size_t c = 0; c < work->count; c++) {
        if (work->loads[c].is_exact)
            continue;
        nb_delete(work->loads[c].weight);
        work->loads[c].weight = NULL;
        NB_TRY(nb_new(&work->loads[c].value, work->n * work->n, sizeof(double),
                      "pair loads", err));
        rest.loads[rest.count++] = work->loads[c];
    }
    if (rest.count > 0)
        NB_TRY(nb_run_tasks(run, "pair loads", work->n, pair_task, &rest, err));
    double relative_error = 0;
    for (size_t j = 0; j < work->n; j++)
        relative_error = fmax(relative_error, work->column_error[j]);
    for (size_t c = 0; c < work->count; c++)
        if (!work->loads[c].is_exact)
            work->loads[c].relative_error = relative_error;
done:
    nb_delete(rest.loads);
    return status;
}

/* The matrices of one phase, exact or in doubles. */
static enum nb_status pair_find_phase(const struct nb_routing *phase,
                                      size_t class_count, size_t count,
                                      struct nb_pair_loads *loads,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    struct pair_work work = { .routing = phase,
                              .class_count = class_count,
                              .count = count,
                              .loads = loads };
    const int threads = nb_run_threads(run, phase->topology->router_count);
    enum nb_status status = NB_OK;
    NB_TRY(pair_work_init(&work, threads, err));
    for (size_t m = 0; m < count; m++) {
        loads[m].n = work.n;
        loads[m].is_exact = true;
        NB_TRY(nb_new(&loads[m].weight, work.n * work.n, sizeof(int64_t),
                      "pair loads", err));
        NB_TRY(nb_new(&loads[m].has_load, work.n, sizeof *loads[m].has_load,
                      "pair loads", err));
    }
    NB_TRY(nb_run_tasks(run, "pair loads", work.n, pair_task, &work, err));
    for (size_t m = 0; m < count; m++)
        loads[m].is_exact = pair_unite(&work, m);
    NB_TRY(pair_fill_values(&work, run, err));
done:
    pair_work_release(&work, threads);
    return status;
}

/* Composes every channel's matrix from those of its phase. */
static enum nb_status pair_find_composed(const struct nb_routing *routing,
                                         size_t count,
                                         struct nb_pair_loads *out,
                                         const struct nb_run *run,
                                         struct nb_error *err)
{
    const size_t matrices = pair_phase_matrices(routing);
    const size_t kept =
        routing->directions == routing->phase ? routing->class_count : 0;
    struct nb_pair_loads *phase = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&phase, count * matrices, sizeof *phase, "pair loads", err));
    for (size_t m = 0; m < count * matrices; m++)
        phase[m].channel = out[m / matrices].channel;
    NB_TRY(pair_find_phase(routing->phase, kept, count * matrices, phase, run,
                           err));
    if (routing->intermediate == NB_IN_SET)
        NB_TRY(pair_compose_set(routing, count, phase, run, out, err));
    else
        NB_TRY(pair_compose(routing, count, matrices, phase, run, out, err));
done:
    for (size_t m = 0; m < count * matrices && phase != NULL; m++)
        nb_pair_loads_release(&phase[m]);
    nb_delete(phase);
    return status;
}

static enum nb_status pair_check_channels(const struct nb_topology *topology,
                                          size_t count, const uint32_t *channel,
                                          struct nb_error *err)
{
    for (size_t c = 0; c < count; c++)
        if (channel[c] >= topology->channel_count)
            return nb_fail(err, NB_INVALID,
                           "channel %u of a network of %zu (permitted: "
                           "channels of the network)",
                           channel[c], topology->channel_count);
    return NB_OK;
}

enum nb_status nb_pair_loads_find(const struct nb_routing *given, size_t count,
                                  const uint32_t *channel,
                                  const struct nb_run *run,
                                  struct nb_pair_loads *out,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < count; c++)
        out[c] = (struct nb_pair_loads){ .channel = channel[c] };
    NB_TRY(nb_routing_check(given, err));
    NB_TRY(pair_check_channels(given->topology, count, channel, err));
    const struct nb_routing *routing = nb_route_alike(given);
    const struct nb_routing *phase =
        routing->phase != NULL ? routing->phase : routing;
    const double threads = nb_run_threads(run, routing->topology->router_count);
    NB_TRY(nb_memory_require(nb_pair_loads_bytes(routing, count) +
                                 nb_vertex_orbits_bytes(routing->topology) +
                                 nb_walker_bytes(phase) * threads,
                             "pair loads", err));
    if (pair_phase_matrices(routing) > 0)
        NB_TRY(pair_find_composed(routing, count, out, run, err));
    else
        NB_TRY(pair_find_phase(phase, 0, count, out, run, err));
    for (size_t c = 0; c < count && routing->intermediate == NB_ANYWHERE; c++) {
        NB_TRY(pair_separate(&out[c], err));
        if (nb_two_phase_turns_at_switches(routing))
            pair_set_host(routing->topology, &out[c]);
    }
done:
    for (size_t c = 0; c < count && status != NB_OK; c++)
        nb_pair_loads_release(&out[c]);
    return status;
}

int64_t nb_pair_load_weight(const struct nb_pair_loads *loads, size_t i,
                            size_t j)
{
    return loads->is_separable ? loads->weight[i] + loads->weight[loads->n + j]
                               : loads->weight[i * loads->n + j];
}

double nb_pair_load_value(const struct nb_pair_loads *loads, size_t i, size_t j)
{
    if (loads->is_exact)
        return (double)nb_pair_load_weight(loads, i, j) /
               (double)loads->denominator;
    return loads->is_separable ? loads->value[i] + loads->value[loads->n + j]
                               : loads->value[i * loads->n + j];
}
