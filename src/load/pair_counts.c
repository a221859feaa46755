#include "load/pair_counts.h"

#include "core/memory.h"
#include "load/focus.h"
#include "load/pair_loads.h"
#include "load/path_tally.h"

#include <assert.h>

/* Where the orbits of endpoints begin in the list of routers by orbit, and
 * how many paths each pair has of them. Orbits without terminals are left out.
 */
static enum nb_status counts_find_orbits(struct nb_pair_sample *out,
                                         struct nb_error *err)
{
    const struct nb_vertex_orbits *orbits = &out->orbits;
    const size_t routers = orbits->n;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->orbit, 2 * routers, sizeof *out->orbit, "orbits", err));
    for (size_t first = 0, end; first < routers; first = end) {
        const uint32_t representative = orbits->order[first];
        for (end = first + 1; end < routers; end++)
            if (orbits->representative[orbits->order[end]] != representative)
                break;
        if (out->endpoint_of[representative] == NB_NONE)
            continue;
        out->orbit[2 * out->orbit_count] = first;
        out->orbit[2 * out->orbit_count + 1] = end;
        out->orbit_count++;
        for (size_t o = first; o < end; o++)
            out->paths[out->endpoint_of[orbits->order[o]]] =
                out->sample.paths * (uint32_t)(end - first);
    }
done:
    return status;
}

enum nb_status nb_pair_sample_init(const struct nb_routing *routing,
                                   const struct nb_path_sample *sample,
                                   struct nb_pair_sample *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t routers = topology->router_count;
    enum nb_status status = NB_OK;
    *out = (struct nb_pair_sample){
        .routing = routing,
        .sample = *sample,
        .most_crossings = nb_follow_most_crossings(routing),
    };
    NB_TRY(
        nb_memory_require(nb_vertex_orbits_bytes(topology), "symmetry", err));
    NB_TRY(nb_new(&out->endpoint, routers, sizeof(uint32_t), "pairs", err));
    NB_TRY(nb_new(&out->endpoint_of, routers, sizeof(uint32_t), "pairs", err));
    out->n = nb_endpoints(topology, out->endpoint);
    NB_TRY(nb_path_sample_check(sample, (double)out->n * (double)out->n, err));
    /* 1e8 n up to 42 routers, 1e11 / n from 43 on. */
    assert((double)sample->paths * (double)out->n <= UINT32_MAX);
    for (size_t r = 0; r < routers; r++)
        out->endpoint_of[r] = NB_NONE;
    for (uint32_t i = 0; i < out->n; i++)
        out->endpoint_of[out->endpoint[i]] = i;
    NB_TRY(nb_new(&out->paths, out->n, sizeof *out->paths, "pairs", err));
    NB_TRY(nb_vertex_orbits_find(routing, NB_ANY_SYMMETRY, &out->orbits, err));
    NB_TRY(counts_find_orbits(out, err));
done:
    if (status != NB_OK)
        nb_pair_sample_release(out);
    return status;
}

void nb_pair_sample_release(struct nb_pair_sample *sample)
{
    nb_delete(sample->endpoint);
    nb_delete(sample->endpoint_of);
    nb_delete(sample->paths);
    nb_delete(sample->orbit);
    nb_vertex_orbits_release(&sample->orbits);
    *sample = (struct nb_pair_sample){ 0 };
}

double nb_pair_counts_bytes(const struct nb_pair_sample *sample)
{
    const double n = (double)sample->n;
    return n * n * sample->most_crossings * sizeof(uint32_t);
}

/* The tasks: one for each source and orbit of destinations. */
struct counts_work {
    const struct nb_pair_sample *sample;
    size_t channels;
    /* [router * channels + c] the channel that takes c's place for packets to
     * the router's representative. */
    uint32_t *image;
    uint32_t *count;
    struct nb_path_tally *tally; /* [thread] */
};

/* gamma_c(g i', j) = gamma_(g^-1 c)(i', r) where g takes r to j. */
static void counts_deal(const struct counts_work *work,
                        const struct nb_path_tally *tally, uint32_t source,
                        uint32_t destination)
{
    const struct nb_pair_sample *sample = work->sample;
    const struct nb_vertex_orbits *orbits = &sample->orbits;
    const size_t n = sample->n;
    const uint32_t image = orbits->map != NULL
                               ? orbits->map[destination * orbits->n + source]
                               : source;
    const size_t i = sample->endpoint_of[image];
    const size_t j = sample->endpoint_of[destination];
    for (size_t c = 0; c < work->channels; c++) {
        const struct nb_path_cell *cell =
            &tally->cell[work->image[destination * work->channels + c]];
        for (size_t m = 0; m < sample->most_crossings; m++)
            work->count[((c * sample->most_crossings + m) * n + i) * n + j] =
                cell->count[m];
    }
}

static enum nb_status counts_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    const struct counts_work *work = context;
    const struct nb_pair_sample *sample = work->sample;
    struct nb_path_tally *tally = &work->tally[thread];
    const size_t routers = sample->orbits.n;
    const size_t *orbit = &sample->orbit[2 * (index / sample->n)];
    const uint32_t source = sample->endpoint[index % sample->n];
    const uint32_t representative = sample->orbits.order[orbit[0]];
    enum nb_status status = NB_OK;
    if (!nb_follow_moves(sample->routing, source, representative))
        return NB_OK;
    NB_TRY(nb_path_tally_draw(
        tally, source, representative,
        sample->paths[sample->endpoint_of[representative]], sample->sample.seed,
        (uint64_t)representative * routers + source, err));
    for (size_t o = orbit[0]; o < orbit[1]; o++)
        counts_deal(work, tally, source, sample->orbits.order[o]);
done:
    return status;
}

static enum nb_status counts_find_images(struct counts_work *work,
                                         const uint32_t *channel,
                                         struct nb_error *err)
{
    const struct nb_pair_sample *sample = work->sample;
    const struct nb_topology *topology = sample->routing->topology;
    const struct nb_vertex_orbits *orbits = &sample->orbits;
    const size_t routers = topology->router_count;
    uint32_t *inverse = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->image, routers * work->channels, sizeof(uint32_t),
                  "symmetry", err));
    NB_TRY(nb_new(&inverse, routers, sizeof(uint32_t), "symmetry", err));
    for (size_t j = 0; j < routers; j++) {
        for (uint32_t r = 0; r < routers && orbits->map != NULL; r++)
            inverse[orbits->map[j * routers + r]] = r;
        for (size_t c = 0; c < work->channels; c++)
            work->image[j * work->channels + c] =
                orbits->map != NULL
                    ? nb_channel_image(topology, inverse, channel[c])
                    : channel[c];
    }
done:
    nb_delete(inverse);
    return status;
}

enum nb_status nb_pair_counts_find(const struct nb_pair_sample *sample,
                                   size_t channels, const uint32_t *channel,
                                   const struct nb_run *run, uint32_t *count,
                                   struct nb_error *err)
{
    struct counts_work work = { .sample = sample,
                                .channels = channels,
                                .count = count };
    const size_t tasks = sample->orbit_count * sample->n;
    const int threads = nb_run_threads(run, tasks);
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_path_tally_bytes(sample->routing) * threads,
                             "sampled paths", err));
    NB_TRY(counts_find_images(&work, channel, err));
    NB_TRY(nb_new(&work.tally, (size_t)threads, sizeof *work.tally, "scratch",
                  err));
    for (int t = 0; t < threads; t++)
        NB_TRY(nb_path_tally_init(sample->routing, &work.tally[t], err));
    NB_TRY(nb_run_tasks(run, "sampled paths", tasks, counts_task, &work, err));
done:
    for (int t = 0; t < threads && work.tally != NULL; t++)
        nb_path_tally_release(&work.tally[t]);
    nb_delete(work.tally);
    nb_delete(work.image);
    return status;
}
