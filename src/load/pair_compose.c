/*
 * Pair loads of two phases with a way-point in a quadrant (declared in
 * pair_work.h):
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
#include "routing/quadrant.h"

/* What all rows and columns share. */
struct compose_work {
    const struct nb_routing *routing;
    const struct nb_pair_loads *const *phase;
    struct nb_pair_loads *out;
    size_t mesh_count;   /* ways to direct the dimensions that end */
    bool is_column;      /* the second terms instead of the first */
    int64_t denominator; /* that of all matrices of the phase */
    /* Of a quadrant of that many routers: what turns a sum over it into a
     * numerator over out's denominator, or into a load. */
    int64_t *factor; /* [n + 1] */
    double *factor_value;
    struct compose_scratch *scratch;
};

struct compose_scratch {
    int64_t *sums;    /* [class][mesh][n] running sums by place */
    uint32_t *places; /* [n] */
    struct nb_start *starts;
};

/* The matrix cells of one row or column by place, then summed up in every
 * dimension. */
static void compose_sum(const struct compose_work *work, size_t class,
                        size_t mesh, uint32_t router,
                        struct compose_scratch *scratch)
{
    const struct nb_grid *grid = &work->routing->topology->grid;
    const struct nb_pair_loads *phase = work->phase[class];
    const size_t n = phase->n;
    const size_t step = work->is_column ? n : 1;
    const int64_t scale = work->denominator / phase->denominator;
    const int64_t *cell =
        phase->weight + (work->is_column ? router : router * n);
    int64_t *sums = scratch->sums + (class * work->mesh_count + mesh) * n;
    nb_quadrant_places(grid, class, mesh, router, work->is_column,
                       scratch->places);
    for (size_t p = 0; p < n; p++)
        sums[p] = scratch->places[p] != NB_NONE
                      ? cell[scratch->places[p] * step] * scale
                      : 0;
    size_t stride = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const size_t block = stride * grid->radix[d];
        for (size_t first = 0; first < n; first += block)
            for (size_t p = first + stride; p < first + block; p++)
                sums[p] += sums[p - stride];
        stride = block;
    }
}

/* Adds the terms of all classes to one cell. */
static void compose_cell(const struct compose_work *work,
                         const struct compose_scratch *scratch, size_t i,
                         size_t j)
{
    const struct nb_grid *grid = &work->routing->topology->grid;
    const size_t n = work->out->n;
    const size_t count = nb_route_starts(work->routing->directions, (uint32_t)i,
                                         (uint32_t)j, scratch->starts);
    for (size_t s = 0; s < count; s++) {
        const struct nb_start *start = &scratch->starts[s];
        struct nb_quadrant quadrant;
        size_t mesh;
        nb_quadrant_find(grid, start->state, (uint32_t)i, (uint32_t)j,
                         &quadrant);
        const size_t place =
            nb_quadrant_place(&quadrant, work->is_column, &mesh);
        const int64_t sum =
            scratch->sums[(start->state * work->mesh_count + mesh) * n + place];
        if (work->out->is_exact)
            work->out->weight[i * n + j] +=
                sum * (int64_t)start->weight * work->factor[quadrant.size];
        else
            work->out->value[i * n + j] += (double)sum * (double)start->weight *
                                           work->factor_value[quadrant.size];
    }
}

static enum nb_status compose_task(void *context, int thread, size_t index,
                                   struct nb_error *err)
{
    (void)err;
    const struct compose_work *work = context;
    struct compose_scratch *scratch = &work->scratch[thread];
    const size_t n = work->out->n;
    for (size_t class = 0; class < work->routing->class_count; class ++)
        for (size_t mesh = 0; mesh < work->mesh_count; mesh++)
            compose_sum(work, class, mesh, (uint32_t)index, scratch);
    for (size_t other = 0; other < n; other++) {
        if (work->is_column)
            compose_cell(work, scratch, other, index);
        else
            compose_cell(work, scratch, index, other);
    }
    return NB_OK;
}

/* A denominator that fits every cell: of the starts' weights, the phase's
 * loads and the routers of a quadrant, by dimension. 0: there is none. */
static int64_t compose_find_denominator(const struct compose_work *work)
{
    const struct nb_routing *routing = work->routing;
    const struct nb_grid *grid = &routing->topology->grid;
    const int64_t limit = nb_pair_limit(routing->topology);
    int64_t all = (int64_t)routing->start_total;
    if (work->denominator > limit / all)
        return 0;
    all *= work->denominator;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const int64_t sides = nb_quadrant_sides(routing, d, limit);
        if (sides == 0 || all > limit / sides)
            return 0;
        all *= sides;
    }
    return all;
}

/* Exact if the denominator fits, else with doubles; and the factors. */
static enum nb_status compose_prepare(struct compose_work *work,
                                      struct nb_error *err)
{
    struct nb_pair_loads *out = work->out;
    const struct nb_routing *routing = work->routing;
    enum nb_status status = NB_OK;
    work->denominator = 1;
    for (size_t class = 0; class < routing->class_count; class ++)
        work->denominator = nb_unite(
            work->denominator, work->phase[class]->denominator, INT32_MAX);
    if (work->denominator == 0)
        return nb_fail(err, NB_OVERFLOW,
                       "routing %s: the loads of its phase are not exact",
                       routing->kind->kind.name);
    out->denominator = compose_find_denominator(work);
    out->is_exact = out->denominator > 0;
    const uint64_t share = routing->start_total * (uint64_t)work->denominator;
    const size_t cells = out->n * out->n;
    if (out->is_exact) {
        NB_TRY(nb_new(&out->weight, cells, 8, "pair loads", err));
        NB_TRY(nb_new(&work->factor, out->n + 1, 8, "pair loads", err));
        /* Sizes that no quadrant has get a meaningless factor. */
        for (size_t size = 1; size <= out->n; size++)
            work->factor[size] =
                out->denominator / (int64_t)share / (int64_t)size;
    } else {
        out->denominator = 0;
        NB_TRY(nb_new(&out->value, cells, 8, "pair loads", err));
        NB_TRY(nb_new(&work->factor_value, out->n + 1, 8, "pair loads", err));
        for (size_t size = 1; size <= out->n; size++)
            work->factor_value[size] = 1 / ((double)share * (double)size);
        /* A term has a sum, its weight and a factor, itself the quotient of a
         * product (one rounding each), two products, and two additions for
         * each class. */
        out->relative_error = (7 + 2 * (double)routing->class_count) * 0x1p-53;
    }
done:
    return status;
}

enum nb_status nb_pair_compose(const struct nb_routing *routing,
                               const struct nb_pair_loads *const *phase,
                               const struct nb_run *run,
                               struct nb_pair_loads *out, struct nb_error *err)
{
    const struct nb_grid *grid = &routing->topology->grid;
    struct compose_work work = { .routing = routing,
                                 .phase = phase,
                                 .out = out,
                                 .mesh_count = nb_quadrant_mesh_count(grid) };
    const int threads = nb_run_threads(run, out->n);
    enum nb_status status = NB_OK;
    NB_TRY(compose_prepare(&work, err));
    NB_TRY(nb_new(&work.scratch, (size_t)threads, sizeof *work.scratch,
                  "scratch", err));
    for (int t = 0; t < threads; t++) {
        struct compose_scratch *scratch = &work.scratch[t];
        NB_TRY(nb_new(&scratch->sums,
                      routing->class_count * work.mesh_count * out->n, 8,
                      "running sums", err));
        NB_TRY(nb_new(&scratch->places, out->n, sizeof *scratch->places,
                      "running sums", err));
        NB_TRY(nb_new(&scratch->starts, routing->most_starts,
                      sizeof *scratch->starts, "starts", err));
    }
    NB_TRY(nb_run_tasks(run, "way-points", out->n, compose_task, &work, err));
    work.is_column = true;
    NB_TRY(nb_run_tasks(run, "way-points", out->n, compose_task, &work, err));
    if (out->is_exact)
        nb_pair_loads_reduce(out);
done:
    for (int t = 0; t < threads && work.scratch != NULL; t++) {
        nb_delete(work.scratch[t].sums);
        nb_delete(work.scratch[t].places);
        nb_delete(work.scratch[t].starts);
    }
    nb_delete(work.scratch);
    nb_delete(work.factor);
    nb_delete(work.factor_value);
    return status;
}
