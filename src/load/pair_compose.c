/*
 * Pair loads of two phases with an intermediate router in a quadrant (declared
 * in pair_work.h):
 *
 *     load(i, j) = sum_d w_d(i, j) / W mean_q (g_d(i, q) + g_d(q, j))
 *
 * over direction classes d, q evenly from the quadrant of i, j and d. Seen from
 * i the quadrants are boxes that begin in one corner (quadrant.h), so one
 * table of running sums over all q gives the first term for every j; seen from
 * j, the second for every i.
 */
#include "load/pair_work.h"

#include "core/memory.h"
#include "load/transpose.h"
#include "routing/quadrant.h"

/* Channels done side by side: a cache line of running sums. */
enum { COMPOSE_GROUP = 8 };

/* What all rows and columns share. The second terms are found like the first
 * while all matrices are transposed. */
struct compose_work {
    const struct nb_routing *routing;
    size_t n, matrices;
    size_t count; /* channels of this group */
    struct nb_pair_loads *phase;
    struct nb_pair_loads *out;
    size_t mesh_count;  /* ways to direct the dimensions that end */
    bool is_backward;   /* the second terms, seen from the destination */
    const int64_t *own; /* [channel] denominator of its phase's matrices */
    /* Of a quadrant of that many routers: what turns a sum over it into a
     * numerator over out's denominator, or (divided by the own denominator)
     * into a load. */
    int64_t *factor; /* [n + 1] */
    double *factor_value;
    struct compose_scratch *scratch;
};

struct compose_scratch {
    int64_t *sums;    /* [class][mesh][place][channel] running sums */
    uint32_t *places; /* [n] */
    struct nb_start *starts;
};

/* The matrix cells of one row by place, then summed up in every dimension;
 * those of all channels side by side. */
static void compose_sum(const struct compose_work *work, size_t class,
                        const uint32_t *places, uint32_t router, int64_t *sums)
{
    const struct nb_grid *grid = &work->routing->topology->grid;
    const size_t n = work->n, count = work->count;
    const int64_t *cell[COMPOSE_GROUP];
    int64_t scale[COMPOSE_GROUP];
    for (size_t c = 0; c < count; c++) {
        const struct nb_pair_loads *phase =
            &work->phase[c * work->matrices + class % work->matrices];
        scale[c] = work->own[c] / phase->denominator;
        cell[c] = phase->weight + router * n;
    }
    for (size_t p = 0; p < n; p++)
        for (size_t c = 0; c < count; c++)
            sums[p * count + c] =
                places[p] != NB_NONE ? cell[c][places[p]] * scale[c] : 0;
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

/* The cell of one row for another router. */
static void compose_cell(const struct compose_work *work,
                         const struct compose_scratch *scratch, uint32_t router,
                         uint32_t other)
{
    const uint32_t source = work->is_backward ? other : router;
    const uint32_t destination = work->is_backward ? router : other;
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
            (start->state * work->mesh_count + mesh) * work->n + place;
        compose_add(work, start, quadrant.size,
                    scratch->sums + table * work->count,
                    router * work->n + other);
    }
}

static enum nb_status compose_task(void *context, int thread, size_t index,
                                   struct nb_error *err)
{
    (void)err;
    const struct compose_work *work = context;
    const struct nb_grid *grid = &work->routing->topology->grid;
    struct compose_scratch *scratch = &work->scratch[thread];
    const uint32_t router = (uint32_t)index;
    int64_t *sums = scratch->sums;
    for (size_t class = 0; class < work->routing->class_count; class ++) {
        for (size_t mesh = 0; mesh < work->mesh_count; mesh++) {
            nb_quadrant_places(grid, class, mesh, router, work->is_backward,
                               scratch->places);
            compose_sum(work, class, scratch->places, router, sums);
            sums += work->n * work->count;
        }
    }
    for (uint32_t other = 0; other < work->n; other++)
        compose_cell(work, scratch, router, other);
    return NB_OK;
}

/* The index-th matrix of the group: first the results, then the phase's. */
static enum nb_status compose_turn(void *context, int thread, size_t index,
                                   struct nb_error *err)
{
    (void)thread, (void)err;
    const struct compose_work *work = context;
    const struct nb_pair_loads *loads = index < work->count
                                            ? &work->out[index]
                                            : &work->phase[index - work->count];
    nb_transpose(loads->is_exact ? (void *)loads->weight : (void *)loads->value,
                 work->n);
    return NB_OK;
}

/* One group of channels; leaves its matrices of the phase transposed. */
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

/* The denominators of starts and of quadrants, by dimension, in one; 0: it
 * does not fit. The phase's own comes on top, channel by channel, so that what
 * is exact does not depend on the channels beside it. */
static int64_t compose_find_denominator(const struct compose_work *work)
{
    const struct nb_routing *routing = work->routing;
    const int64_t limit = nb_pair_limit(routing->topology);
    int64_t all = (int64_t)routing->start_total;
    for (size_t d = 0; d < routing->topology->grid.dimensions; d++) {
        const int64_t sides = nb_quadrant_sides(routing, d, limit);
        if (sides == 0 || all > limit / sides)
            return 0;
        all *= sides;
    }
    return all;
}

/* Room for a channel's matrix, exact if its denominator fits. */
static enum nb_status compose_reserve(const struct compose_work *work,
                                      size_t channel, int64_t denominator,
                                      struct nb_error *err)
{
    const int64_t limit = nb_pair_limit(work->routing->topology);
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
     * (one rounding each), two products, a quotient, and two additions for
     * each class. */
    out->relative_error =
        (8 + 2 * (double)work->routing->class_count) * 0x1p-53;
done:
    return status;
}

/* The factors of quadrants, and room for the matrices. */
static enum nb_status compose_prepare(struct compose_work *work, size_t count,
                                      struct nb_error *err)
{
    const int64_t all = compose_find_denominator(work);
    const int64_t total = (int64_t)work->routing->start_total;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->factor, work->n + 1, 8, "pair loads", err));
    NB_TRY(nb_new(&work->factor_value, work->n + 1, 8, "pair loads", err));
    for (size_t size = 1; size <= work->n; size++) {
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
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&scratch->sums, tables * work->n * COMPOSE_GROUP, 8,
                  "running sums", err));
    NB_TRY(nb_new(&scratch->places, work->n, sizeof *scratch->places,
                  "running sums", err));
    NB_TRY(nb_new(&scratch->starts, routing->most_starts,
                  sizeof *scratch->starts, "starts", err));
done:
    return status;
}

/* The least denominator that all of a channel's matrices of the phase have. */
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

static enum nb_status compose_init(struct compose_work *work, size_t count,
                                   int threads, struct nb_error *err)
{
    enum nb_status status = NB_OK;
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
    nb_delete(work->factor);
    nb_delete(work->factor_value);
}

enum nb_status nb_pair_compose(const struct nb_routing *routing, size_t count,
                               size_t matrices, struct nb_pair_loads *phase,
                               const struct nb_run *run,
                               struct nb_pair_loads *out, struct nb_error *err)
{
    struct compose_work work = {
        .routing = routing,
        .n = routing->topology->router_count,
        .matrices = matrices,
        .phase = phase,
        .out = out,
        .mesh_count = nb_quadrant_mesh_count(&routing->topology->grid),
    };
    const int threads = nb_run_threads(run, work.n);
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
            nb_pair_loads_reduce(&out[c]);
done:
    compose_release(&work, threads);
    nb_delete(own);
    return status;
}
