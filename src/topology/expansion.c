#include "topology/expansion.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

uint32_t nb_moore_diameter(double routers, uint32_t degree, bool is_links)
{
    double reached = 1, ring = degree;
    uint32_t hops = 0;
    while (reached < routers) {
        if (ring < 1)
            return NB_NONE;
        reached += ring;
        ring *= is_links ? degree - 1.0 : degree;
        hops++;
    }
    return hops;
}

bool nb_has_links(const struct nb_topology *topology)
{
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (nb_channel_find(topology, topology->channels[c].target,
                            topology->channels[c].source,
                            nb_channel_rank(topology, c)) == NB_NONE)
            return false;
    return true;
}

/* The network as weights between routers that have not failed. */
struct expansion {
    size_t count;
    double *matrix;   /* [count * count] the Laplacian, then its reduced form */
    double *diagonal; /* [count] diagonal of the tridiagonal form */
    double *beside;   /* [count] below its diagonal, from 1 on */
    double *vector;   /* [count] */
    double *other;    /* [count] */
    uint32_t *place;  /* [router] its row; NB_NONE: it failed */
    size_t *order;    /* [count] rows sorted by vector */
    struct nb_pool pool;
};

static enum nb_status expansion_init(const struct nb_topology *topology,
                                     struct expansion *out,
                                     struct nb_error *err)
{
    const size_t routers = topology->router_count;
    out->place = nb_pool_array(&out->pool, routers, sizeof *out->place);
    if (out->place != NULL)
        for (uint32_t r = 0; r < routers; r++)
            out->place[r] = nb_router_has_failed(topology, r)
                                ? NB_NONE
                                : (uint32_t)out->count++;
    const size_t n = out->count;
    if (out->place != NULL && (n < 2 || n > NB_SPECTRUM_ROUTERS))
        return nb_fail(err, NB_INVALID,
                       "expansion of %zu routers is not permitted (permitted: "
                       "2 to %d)",
                       n, NB_SPECTRUM_ROUTERS);
    out->matrix = nb_pool_array(&out->pool, n * n, sizeof *out->matrix);
    out->diagonal = nb_pool_array(&out->pool, n, sizeof *out->diagonal);
    out->beside = nb_pool_array(&out->pool, n, sizeof *out->beside);
    out->vector = nb_pool_array(&out->pool, n, sizeof *out->vector);
    out->other = nb_pool_array(&out->pool, n, sizeof *out->other);
    out->order = nb_pool_array(&out->pool, n, sizeof *out->order);
    return nb_pool_check(&out->pool, "expansion", err);
}

/* Halves and sums of halves: exact. */
static void expansion_fill(const struct nb_topology *topology,
                           struct expansion *work)
{
    const size_t n = work->count;
    for (size_t k = 0; k < n * n; k++)
        work->matrix[k] = 0;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const size_t a = work->place[topology->channels[c].source];
        const size_t b = work->place[topology->channels[c].target];
        work->matrix[a * n + a] += 0.5;
        work->matrix[b * n + b] += 0.5;
        work->matrix[a * n + b] -= 0.5;
        work->matrix[b * n + a] -= 0.5;
    }
}

/* Householder reflections, the last row first. */
static void expansion_reduce(struct expansion *work)
{
    const size_t n = work->count;
    double *m = work->matrix, *v = work->vector, *p = work->other;
    for (size_t k = n - 1; k > 1; k--) {
        double norm = 0, along = 0;
        for (size_t j = 0; j < k; j++)
            norm = hypot(norm, m[k * n + j]);
        for (size_t j = 0; j < k; j++)
            v[j] = m[k * n + j];
        work->beside[k] = v[k - 1] > 0 ? -norm : norm;
        v[k - 1] -= work->beside[k];
        const double scale = -work->beside[k] * v[k - 1]; /* v'v / 2 */
        work->diagonal[k] = m[k * n + k];
        if (!(scale > 0))
            continue;
        for (size_t i = 0; i < k; i++) {
            double sum = 0;
            for (size_t j = 0; j < k; j++)
                sum += m[i * n + j] * v[j];
            p[i] = sum / scale;
            along += p[i] * v[i];
        }
        along /= 2 * scale;
        for (size_t i = 0; i < k; i++)
            p[i] -= along * v[i];
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                m[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
    work->beside[1] = m[n];
    work->diagonal[1] = m[n + 1];
    work->diagonal[0] = m[0];
}

/* Number of eigenvalues below a value: Sturm's count. */
static size_t expansion_below(const struct expansion *work, double number)
{
    size_t below = 0;
    double pivot = 1;
    for (size_t i = 0; i < work->count; i++) {
        const double beside = i > 0 ? work->beside[i] : 0;
        pivot = work->diagonal[i] - number - beside * beside / pivot;
        if (pivot == 0)
            pivot = -DBL_MIN;
        below += pivot < 0;
    }
    return below;
}

/* The second least eigenvalue, with allowance for rounding: reflections and
 * counts change the matrix by less than 16 n epsilon times its norm, which is
 * at most twice the largest degree. */
static struct nb_enclosure expansion_gap(struct expansion *work, double degree)
{
    const double room = 16.0 * (double)work->count * DBL_EPSILON * 2 * degree;
    double low = 0, high = 2 * degree;
    expansion_reduce(work);
    for (int i = 0; i < 200 && high - low > room / 16; i++) {
        const double middle = low + (high - low) / 2;
        if (expansion_below(work, middle) < 2)
            low = middle;
        else
            high = middle;
    }
    return nb_enclosure_of_bracket(
        (struct nb_bracket){ fmax(low - room, 0), high + room });
}

/* 2 w(U), for U given by flags. */
static int64_t expansion_cut(const struct nb_topology *topology,
                             const struct expansion *work, const bool *is_in)
{
    int64_t cut = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        cut += is_in[work->place[topology->channels[c].source]] !=
               is_in[work->place[topology->channels[c].target]];
    return cut;
}

static struct nb_ratio expansion_of(int64_t cut, size_t inside, size_t count)
{
    const size_t small = inside < count - inside ? inside : count - inside;
    return nb_ratio_make(cut, 2 * (nb_int128)small);
}

/* Tries every division, moving one router at a time; the last router never
 * moves. */
static struct nb_ratio expansion_try_all(const struct nb_topology *topology,
                                         const struct expansion *work,
                                         bool *is_in)
{
    struct nb_ratio best = nb_ratio_infinity;
    size_t inside = 0;
    for (uint32_t step = 1; step < UINT32_C(1) << (work->count - 1); step++) {
        const int changed = __builtin_ctz(step);
        is_in[changed] = !is_in[changed];
        inside += is_in[changed] ? 1 : (size_t)-1;
        const struct nb_ratio found = expansion_of(
            expansion_cut(topology, work, is_in), inside, work->count);
        if (nb_ratio_compare(found, best) < 0)
            best = found;
    }
    return best;
}

static int expansion_compare(const void *left, const void *right, void *context)
{
    const double *vector = context;
    const double a = vector[*(const size_t *)left];
    const double b = vector[*(const size_t *)right];
    return (a > b) - (a < b);
}

/* Iterates towards the eigenvector of the second least eigenvalue. */
static void expansion_iterate(const struct nb_topology *topology,
                              struct expansion *work, double degree)
{
    enum { STEPS = 1000 };
    const size_t n = work->count;
    double *v = work->vector, *next = work->other;
    for (size_t i = 0; i < n; i++)
        v[i] = sin(1.0 + (double)i * (double)i);
    for (int step = 0; step < STEPS; step++) {
        double mean = 0, norm = 0;
        for (size_t i = 0; i < n; i++)
            mean += v[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            next[i] = 2 * degree * (v[i] - mean);
        for (size_t c = 0; c < topology->channel_count; c++) {
            const size_t a = work->place[topology->channels[c].source];
            const size_t b = work->place[topology->channels[c].target];
            const double half = (v[a] - v[b]) / 2;
            next[a] -= half;
            next[b] += half;
        }
        for (size_t i = 0; i < n; i++)
            norm = hypot(norm, next[i]);
        for (size_t i = 0; i < n && norm > 0; i++)
            v[i] = next[i] / norm;
    }
}

/* The best division by a threshold of the vector. is_in: scratch. */
static struct nb_ratio expansion_sweep(const struct nb_topology *topology,
                                       struct expansion *work, bool *is_in)
{
    const size_t n = work->count;
    struct nb_ratio best = nb_ratio_infinity;
    for (size_t i = 0; i < n; i++) {
        work->order[i] = i;
        is_in[i] = false;
    }
    qsort_r(work->order, n, sizeof *work->order, expansion_compare,
            work->vector);
    for (size_t inside = 1; inside < n; inside++) {
        is_in[work->order[inside - 1]] = true;
        const struct nb_ratio found =
            expansion_of(expansion_cut(topology, work, is_in), inside, n);
        if (nb_ratio_compare(found, best) < 0)
            best = found;
    }
    return best;
}

enum nb_status nb_expansion_find(const struct nb_topology *topology,
                                 struct nb_enclosure *gap,
                                 struct nb_enclosure *expansion,
                                 struct nb_error *err)
{
    struct expansion work = { 0 };
    bool *is_in = NULL;
    double degree = 0;
    enum nb_status status;
    NB_TRY(expansion_init(topology, &work, err));
    NB_TRY(nb_new(&is_in, work.count, sizeof *is_in, "expansion", err));
    expansion_fill(topology, &work);
    for (size_t i = 0; i < work.count; i++)
        degree = fmax(degree, work.matrix[i * work.count + i]);
    *gap = expansion_gap(&work, degree);
    if (work.count <= NB_EXPANSION_ROUTERS) {
        *expansion =
            nb_enclosure_of_ratio(expansion_try_all(topology, &work, is_in));
    } else {
        /* In order of number, rows of a grid stay together. */
        for (size_t i = 0; i < work.count; i++)
            work.vector[i] = (double)i;
        const struct nb_ratio rows = expansion_sweep(topology, &work, is_in);
        expansion_iterate(topology, &work, degree);
        const struct nb_ratio cut = expansion_sweep(topology, &work, is_in);
        *expansion = nb_enclosure_of_bracket((struct nb_bracket){
            gap->lower / 2,
            nb_enclosure_of_ratio(nb_ratio_compare(rows, cut) < 0 ? rows : cut)
                .upper });
    }
done:
    nb_delete(is_in);
    nb_pool_release(&work.pool);
    return status;
}
