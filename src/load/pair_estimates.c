#include "load/pair_estimates.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/confidence.h"
#include "load/pair_loads.h"
#include "load/path_tally.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Means are not taken over sets of cells beyond this memory. */
#define ESTIMATE_POOL_BYTES 0x1p29

/* Automorphisms that keep a destination; more are not used. */
enum { ESTIMATE_STABILIZERS = 24 };

/* Finds where the orbits of endpoints begin in the list of routers by orbit,
 * and the size of each endpoint's orbit. Orbits without terminals are left
 * out. */
static enum nb_status estimates_find_orbits(struct nb_pair_sample *out,
                                            struct nb_error *err)
{
    const struct nb_orbits *routers = &out->orbits.routers;
    enum nb_status status = NB_OK;
    out->orbit =
        nb_pool_array(&out->pool, 2 * routers->count, sizeof *out->orbit);
    NB_TRY(nb_pool_check(&out->pool, "orbits", err));
    for (size_t k = 0, first = 0; k < routers->count;
         first += routers->length[k++]) {
        const size_t end = first + routers->length[k];
        if (out->endpoint_of[routers->first[k]] == NB_NONE)
            continue;
        out->orbit[2 * out->orbit_count] = first;
        out->orbit[2 * out->orbit_count + 1] = end;
        out->orbit_count++;
        for (size_t o = first; o < end; o++) {
            const uint32_t j = out->endpoint_of[routers->order[o]];
            out->alike[j] = routers->length[k];
        }
    }
done:
    return status;
}

/* Distances, if paths are shortest: they use only channels on shortest
 * paths. */
static enum nb_status estimates_find_distances(struct nb_pair_sample *out,
                                               struct nb_error *err)
{
    const struct nb_topology *topology = out->routing->topology;
    const size_t routers = topology->router_count;
    uint32_t *queue = NULL;
    enum nb_status status = NB_OK;
    if (!out->routing->is_minimal)
        return NB_OK;
    out->distance =
        nb_pool_array(&out->pool, routers * routers, sizeof(uint32_t));
    NB_TRY(nb_pool_check(&out->pool, "distances", err));
    NB_TRY(nb_new(&queue, routers, sizeof *queue, "distances", err));
    for (uint32_t r = 0; r < routers; r++)
        nb_ways_to(topology, r, out->distance + r * routers, queue);
done:
    nb_delete(queue);
    return status;
}

enum nb_status nb_pair_sample_init(const struct nb_routing *routing,
                                   const struct nb_path_sample *sample,
                                   struct nb_pair_sample *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t routers = topology->router_count;
    struct nb_pool *pool = &out->pool;
    enum nb_status status = NB_OK;
    *out = (struct nb_pair_sample){
        .routing = routing,
        .sample = *sample,
        .most_crossings = nb_follow_most_crossings(routing),
    };
    NB_TRY(nb_memory_require(nb_vertex_orbits_bytes(topology) +
                                 8.0 * (double)routers * (double)routers,
                             "symmetry", err));
    out->endpoint = nb_pool_array(pool, routers, sizeof(uint32_t));
    out->endpoint_of = nb_pool_array(pool, routers, sizeof(uint32_t));
    NB_TRY(nb_pool_check(pool, "pairs", err));
    out->n = nb_endpoints(topology, out->endpoint);
    NB_TRY(nb_path_sample_check(sample, (double)out->n * (double)out->n, err));
    /* 1e8 n up to 42 routers, 1e11 / n from 43 on. */
    assert((double)sample->paths * (double)out->n <= UINT32_MAX);
    for (size_t r = 0; r < routers; r++)
        out->endpoint_of[r] = NB_NONE;
    for (uint32_t i = 0; i < out->n; i++)
        out->endpoint_of[out->endpoint[i]] = i;
    out->paths = nb_pool_array(pool, out->n * out->n, sizeof *out->paths);
    out->alike = nb_pool_array(pool, out->n, sizeof *out->alike);
    NB_TRY(nb_pool_check(pool, "pairs", err));
    NB_TRY(nb_vertex_orbits_find(routing, NB_ANY_SYMMETRY, &out->orbits, err));
    NB_TRY(estimates_find_orbits(out, err));
    NB_TRY(estimates_find_distances(out, err));
    nb_pair_sample_resize(out, sample->paths);
done:
    if (status != NB_OK)
        nb_pair_sample_release(out);
    return status;
}

void nb_pair_sample_resize(struct nb_pair_sample *sample, double paths)
{
    const double most = floor(UINT32_MAX / (double)sample->n);
    sample->sample.paths = (uint32_t)fmin(paths, most);
    for (size_t i = 0; i < sample->n; i++)
        for (size_t j = 0; j < sample->n; j++)
            sample->paths[i * sample->n + j] =
                sample->sample.paths * sample->alike[j];
}

static bool estimates_may_cross(const struct nb_pair_sample *sample,
                                uint32_t from, uint32_t to, uint32_t channel)
{
    const struct nb_topology *topology = sample->routing->topology;
    const size_t routers = topology->router_count;
    if (sample->distance == NULL)
        return true;
    const uint32_t by = topology->channels[channel].source;
    const struct nb_route_table table = { .target = to,
                                          .distance =
                                              sample->distance + to * routers };
    return nb_is_on_the_way(topology, &table, channel) &&
           table.distance[from] ==
               sample->distance[by * routers + from] + table.distance[by];
}

/* Whether a wanted pair takes its paths from those from endpoint i to the
 * representative of this orbit. */
static bool estimates_is_wanted(const struct nb_pair_sample *sample,
                                const bool *wanted, const size_t *orbit,
                                size_t i)
{
    const struct nb_vertex_orbits *orbits = &sample->orbits;
    bool is_wanted = false;
    for (size_t o = orbit[0]; o < orbit[1] && !is_wanted; o++) {
        const uint32_t to = orbits->routers.order[o];
        const uint32_t from =
            orbits->map != NULL
                ? orbits->map[to * orbits->routers.size + sample->endpoint[i]]
                : sample->endpoint[i];
        is_wanted = wanted[sample->endpoint_of[from] * sample->n +
                           sample->endpoint_of[to]];
    }
    return is_wanted;
}

void nb_pair_sample_refine(struct nb_pair_sample *sample, const bool *wanted,
                           double paths)
{
    const size_t n = sample->n;
    double pairs = 0, more = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t o = 0; o < sample->orbit_count; o++) {
            const size_t *orbit = &sample->orbit[2 * o];
            const size_t j =
                sample->endpoint_of[sample->orbits.routers.order[orbit[0]]];
            for (size_t i = 0; i < n; i++) {
                uint32_t *own = &sample->paths[i * n + j];
                if (!estimates_is_wanted(sample, wanted, orbit, i))
                    continue;
                pairs += sample->alike[j];
                *own =
                    (uint32_t)fmin(*own + more * sample->alike[j], UINT32_MAX);
            }
        }
        more = floor(paths * (double)n * (double)n / fmax(pairs, 1));
    }
}

void nb_pair_sample_release(struct nb_pair_sample *sample)
{
    nb_pool_release(&sample->pool);
    nb_vertex_orbits_release(&sample->orbits);
    *sample = (struct nb_pair_sample){ 0 };
}

double nb_pair_estimates_bytes(const struct nb_pair_sample *sample)
{
    const double n = (double)sample->n;
    return n * n * sizeof(struct nb_pair_estimate);
}

/* Counts of the paths of one source over one channel; for the first cell of a
 * set of cells, and of its cells in a row, the counts over all of them. */
struct estimate_cell {
    uint64_t sum, squares, cubes; /* sums over paths of powers of their
                                   * crossings */
    uint64_t paths;               /* of the set: number of paths drawn */
    uint32_t rows, size;          /* of the set: numbers of sources and cells */
    uint32_t row, first; /* of the set: last of its rows, and its first channel
                          * there */
};

#define ESTIMATE_CELL_BYTES                                                    \
    ((double)(sizeof(struct estimate_cell) + 2 * sizeof(uint32_t)))

/* Task i: the paths from endpoint i to the representative of one orbit. */
struct estimate_work {
    const struct nb_pair_sample *sample;
    struct nb_pool pool;
    size_t channels;
    const uint32_t *channel;
    struct nb_pair_estimate *estimate;
    /* [router * channels + c] the channel that replaces c for packets to the
     * router's representative. */
    uint32_t *image;
    const size_t *orbit; /* of destinations: first and end */
    /* Only columns of channels that are an image are kept; all, where means
     * over sets are taken. */
    size_t width;
    uint32_t *column;           /* [channel] its column; NB_NONE: none */
    struct estimate_cell *cell; /* [n * width] */
    size_t room;
    size_t stabilizer_count;
    uint32_t *stabilizer;        /* [ESTIMATE_STABILIZERS * routers] */
    uint32_t *set;               /* [n * width] representative cell of each */
    uint32_t *together;          /* [n * width] number of channels of a row in
                                  * one set */
    struct nb_path_tally *tally; /* [thread] */
};

static uint32_t estimates_representative(const struct estimate_work *work)
{
    return work->sample->orbits.routers.order[work->orbit[0]];
}

/* The number of paths from an endpoint to the representative. */
static uint32_t estimates_paths(const struct estimate_work *work, size_t i)
{
    const struct nb_pair_sample *sample = work->sample;
    return sample->paths[i * sample->n +
                         sample->endpoint_of[estimates_representative(work)]];
}

static enum nb_status estimates_find_images(struct estimate_work *work,
                                            struct nb_error *err)
{
    const struct nb_pair_sample *sample = work->sample;
    const struct nb_topology *topology = sample->routing->topology;
    const struct nb_vertex_orbits *orbits = &sample->orbits;
    const size_t routers = topology->router_count;
    uint32_t *inverse = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&inverse, routers, sizeof(uint32_t), "symmetry", err));
    for (size_t j = 0; j < routers; j++) {
        for (uint32_t r = 0; r < routers && orbits->map != NULL; r++)
            inverse[orbits->map[j * routers + r]] = r;
        for (size_t c = 0; c < work->channels; c++)
            work->image[j * work->channels + c] =
                orbits->map != NULL
                    ? nb_channel_image(topology, inverse, work->channel[c])
                    : work->channel[c];
    }
done:
    nb_delete(inverse);
    return status;
}

/* Keeps an automorphism unless it is the identity or already known. */
static void estimates_add_stabilizer(struct estimate_work *work,
                                     const uint32_t *map)
{
    const size_t n = work->sample->orbits.routers.size;
    bool is_new = false;
    for (uint32_t r = 0; r < n && !is_new; r++)
        is_new = map[r] != r;
    for (size_t s = 0; s < work->stabilizer_count && is_new; s++)
        is_new = memcmp(map, work->stabilizer + s * n, n * sizeof *map) != 0;
    if (is_new)
        memcpy(work->stabilizer + work->stabilizer_count++ * n, map,
               n * sizeof *map);
}

/* Finds automorphisms that keep the orbit's representative r: if m_j maps r to
 * j and a generator g maps j to k, m_k^-1 g m_j does (Schreier's lemma). */
static enum nb_status estimates_find_stabilizers(struct estimate_work *work,
                                                 struct nb_error *err)
{
    const struct nb_pair_sample *sample = work->sample;
    const struct nb_vertex_orbits *orbits = &sample->orbits;
    const size_t n = orbits->routers.size;
    uint32_t *inverse = NULL, *map = NULL;
    enum nb_status status = NB_OK;
    work->stabilizer_count = 0;
    NB_TRY(nb_new(&inverse, n, sizeof *inverse, "symmetry", err));
    NB_TRY(nb_new(&map, n, sizeof *map, "symmetry", err));
    for (size_t o = work->orbit[0]; o < work->orbit[1]; o++)
        for (size_t g = 0; g < orbits->symmetry.generator_count; g++) {
            const uint32_t *generator = orbits->symmetry.router + g * n;
            const uint32_t from = orbits->routers.order[o],
                           to = generator[from];
            if (work->stabilizer_count == ESTIMATE_STABILIZERS)
                goto done;
            for (uint32_t r = 0; r < n; r++)
                inverse[orbits->map[to * n + r]] = r;
            for (uint32_t r = 0; r < n; r++)
                map[r] = inverse[generator[orbits->map[from * n + r]]];
            estimates_add_stabilizer(work, map);
        }
done:
    nb_delete(inverse);
    nb_delete(map);
    return status;
}

/* Chooses the columns to keep: all, for sets of cells, or those of images. */
static void estimates_choose_columns(struct estimate_work *work)
{
    const struct nb_pair_sample *sample = work->sample;
    const size_t channels = sample->routing->topology->channel_count;
    work->width = 0;
    for (size_t c = 0; c < channels; c++)
        work->column[c] =
            work->stabilizer_count > 0 ? (uint32_t)work->width++ : NB_NONE;
    for (size_t o = work->orbit[0]; o < work->orbit[1]; o++)
        for (size_t c = 0; c < work->channels; c++) {
            const size_t j = sample->orbits.routers.order[o];
            const uint32_t image = work->image[j * work->channels + c];
            if (work->column[image] == NB_NONE)
                work->column[image] = (uint32_t)work->width++;
        }
}

static enum nb_status estimates_reserve(struct estimate_work *work,
                                        struct nb_error *err)
{
    const size_t cells = work->sample->n * work->width;
    enum nb_status status = NB_OK;
    if (cells > work->room) {
        NB_TRY(nb_memory_require(ESTIMATE_CELL_BYTES * (double)cells,
                                 "sampled paths", err));
        NB_TRY(nb_grow(&work->cell, cells, sizeof *work->cell, "paths", err));
        NB_TRY(nb_grow(&work->set, cells, sizeof *work->set, "paths", err));
        NB_TRY(nb_grow(&work->together, cells, sizeof *work->together, "paths",
                       err));
        work->room = cells;
    }
    memset(work->cell, 0, cells * sizeof *work->cell);
done:
    return status;
}

/* Joins the cells that the stabilisers map to each other. */
static void estimates_join(struct estimate_work *work)
{
    const struct nb_pair_sample *sample = work->sample;
    const struct nb_topology *topology = sample->routing->topology;
    const size_t n = sample->n, width = work->width;
    nb_sets_init(work->set, n * width);
    for (size_t s = 0; s < work->stabilizer_count; s++) {
        const uint32_t *map = work->stabilizer + s * topology->router_count;
        for (uint32_t c = 0; c < width; c++) {
            const uint32_t image = nb_channel_image(topology, map, c);
            for (size_t i = 0; i < n; i++) {
                const size_t to = sample->endpoint_of[map[sample->endpoint[i]]];
                nb_sets_join(work->set, (uint32_t)(i * width + c),
                             (uint32_t)(to * width + image));
            }
        }
    }
}

/* Counts rows and cells of every set, row by row. */
static void estimates_count_sets(struct estimate_work *work)
{
    const size_t n = work->sample->n, width = work->width;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < width; k++) {
            const size_t index = i * width + k;
            const uint32_t set = nb_sets_find(work->set, (uint32_t)index);
            struct estimate_cell *cell = &work->cell[set];
            if (cell->rows == 0 || cell->row != i) {
                cell->row = i;
                cell->first = k;
                cell->rows++;
                cell->paths += estimates_paths(work, i);
            }
            cell->size++;
            work->set[index] = set;
            work->together[index] = cell->first;
        }
}

static enum nb_status estimates_start_orbit(struct estimate_work *work,
                                            const size_t *orbit,
                                            struct nb_error *err)
{
    const double cells = (double)work->sample->n *
                         (double)work->sample->routing->topology->channel_count;
    enum nb_status status = NB_OK;
    work->orbit = orbit;
    work->stabilizer_count = 0;
    if (ESTIMATE_CELL_BYTES * cells <= ESTIMATE_POOL_BYTES)
        NB_TRY(estimates_find_stabilizers(work, err));
    estimates_choose_columns(work);
    NB_TRY(estimates_reserve(work, err));
    estimates_join(work);
    estimates_count_sets(work);
done:
    return status;
}

/* Draws the paths of a row. */
static enum nb_status estimates_draw(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    const struct estimate_work *work = context;
    const struct nb_pair_sample *sample = work->sample;
    const uint32_t source = sample->endpoint[index];
    const uint32_t representative = estimates_representative(work);
    struct estimate_cell *row = work->cell + index * work->width;
    struct nb_path_tally *tally = &work->tally[thread];
    enum nb_status status = NB_OK;
    if (!nb_follow_moves(sample->routing, source, representative))
        return NB_OK;
    tally->orbit = work->stabilizer_count > 0
                       ? work->together + index * work->width
                       : NULL;
    NB_TRY(nb_path_tally_draw(
        tally, source, representative, estimates_paths(work, index),
        sample->sample.seed,
        (uint64_t)representative * sample->orbits.routers.size + source, err));
    for (size_t t = 0; t < tally->touched_count; t++) {
        const uint32_t column = work->column[tally->touched[t]];
        if (column == NB_NONE)
            continue;
        row[column].sum = tally->cell[tally->touched[t]].sum;
        row[column].squares = tally->cell[tally->touched[t]].squares;
        row[column].cubes = tally->cell[tally->touched[t]].cubes;
    }
done:
    return status;
}

/* Adds up every set in its first cell. */
static void estimates_add_up(struct estimate_work *work)
{
    for (size_t index = 0; index < work->sample->n * work->width; index++) {
        const struct estimate_cell *cell = &work->cell[index];
        struct estimate_cell *first = &work->cell[work->set[index]];
        if (first == cell)
            continue;
        first->sum += cell->sum;
        first->squares += cell->squares;
        first->cubes += cell->cubes;
    }
}

/* A set of independent counts, each of the crossings of size / rows
 * channels. */
static struct nb_pair_estimate
estimates_conclude(const struct estimate_work *work, size_t index)
{
    const struct estimate_cell *cell = &work->cell[work->set[index]];
    const double count = (double)cell->paths;
    const double each = count * cell->size / cell->rows;
    const double sum = (double)cell->sum, squares = (double)cell->squares;
    const double mean = sum / each, part = count / each;
    struct nb_pair_estimate own = {
        .mean = mean,
        .variance =
            part * part * nb_sample_variance(sum, squares, count) / count,
        .slope = (work->sample->most_crossings - mean) / count,
    };
    if (count > 2) /* two paths give no third cumulant */
        own.slope = nb_confidence_slope(
            own.variance,
            part * part * part / (count * count) *
                nb_sample_third(sum, squares, (double)cell->cubes, count),
            own.slope);
    return own;
}

/* gamma_c(g i', j) = gamma_(g^-1 c)(i', r), where g maps r to j. */
static enum nb_status estimates_deal(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    (void)thread;
    (void)err;
    const struct estimate_work *work = context;
    const struct nb_pair_sample *sample = work->sample;
    const struct nb_vertex_orbits *orbits = &sample->orbits;
    const size_t n = sample->n;
    const uint32_t source = sample->endpoint[index];
    if (!nb_follow_moves(sample->routing, source,
                         estimates_representative(work)))
        return NB_OK;
    for (size_t o = work->orbit[0]; o < work->orbit[1]; o++) {
        const uint32_t to = orbits->routers.order[o];
        const uint32_t from =
            orbits->map != NULL
                ? orbits->map[to * orbits->routers.size + source]
                : source;
        const size_t i = sample->endpoint_of[from];
        const size_t j = sample->endpoint_of[to];
        for (size_t c = 0; c < work->channels; c++) {
            const uint32_t image = work->image[to * work->channels + c];
            if (!estimates_may_cross(sample, from, to, work->channel[c]))
                continue;
            work->estimate[(c * n + i) * n + j] = estimates_conclude(
                work, index * work->width + work->column[image]);
        }
    }
    return NB_OK;
}

static enum nb_status estimates_find_orbit(struct estimate_work *work,
                                           const size_t *orbit,
                                           const struct nb_run *run,
                                           struct nb_error *err)
{
    const size_t n = work->sample->n;
    enum nb_status status = NB_OK;
    NB_TRY(estimates_start_orbit(work, orbit, err));
    NB_TRY(nb_run_tasks(run, "sampled paths", n, estimates_draw, work, err));
    estimates_add_up(work);
    NB_TRY(nb_run_tasks(run, "sampled paths", n, estimates_deal, work, err));
done:
    return status;
}

static void estimates_release(struct estimate_work *work, int threads)
{
    for (int t = 0; t < threads && work->tally != NULL; t++)
        nb_path_tally_release(&work->tally[t]);
    nb_pool_release(&work->pool);
    nb_delete(work->cell);
    nb_delete(work->set);
    nb_delete(work->together);
}

enum nb_status nb_pair_estimates_find(const struct nb_pair_sample *sample,
                                      size_t channels, const uint32_t *channel,
                                      const struct nb_run *run,
                                      struct nb_pair_estimate *estimate,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = sample->routing->topology;
    struct estimate_work work = { .sample = sample,
                                  .channels = channels,
                                  .channel = channel,
                                  .estimate = estimate };
    const size_t routers = topology->router_count;
    const int threads = nb_run_threads(run, sample->n);
    struct nb_pool *pool = &work.pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_path_tally_bytes(sample->routing) * threads,
                             "sampled paths", err));
    memset(estimate, 0, channels * sample->n * sample->n * sizeof *estimate);
    work.image = nb_pool_array(pool, routers * channels, sizeof(uint32_t));
    work.column =
        nb_pool_array(pool, topology->channel_count, sizeof(uint32_t));
    work.stabilizer =
        nb_pool_array(pool, ESTIMATE_STABILIZERS * routers, sizeof(uint32_t));
    work.tally = nb_pool_array(pool, (size_t)threads, sizeof *work.tally);
    NB_TRY(nb_pool_check(pool, "sampled paths", err));
    NB_TRY(estimates_find_images(&work, err));
    for (int t = 0; t < threads; t++)
        NB_TRY(nb_path_tally_init(sample->routing, NULL, &work.tally[t], err));
    for (size_t o = 0; o < sample->orbit_count; o++)
        NB_TRY(estimates_find_orbit(&work, &sample->orbit[2 * o], run, err));
done:
    estimates_release(&work, threads);
    return status;
}
