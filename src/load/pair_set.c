/*
 * Pair loads of two phases with an intermediate router from the pair's own set
 * (declared in pair_work.h):
 *
 *     load(i, j) = (1 - d) sum_q times(i, j, q) / size(i, j)
 *                          (g(i, q) + g(q, j)) + d g(i, j),
 *
 * d being the part of the packets that go straight to their destinations.
 * A channel is crossed by few pairs of one phase, so each of these is handed
 * to the pairs that have its intermediate router.
 */
#include "load/pair_work.h"

#include "core/memory.h"
#include "routing/intermediates.h"

struct set_work {
    const struct nb_routing *routing;
    const uint32_t *endpoint; /* [n] */
    size_t n;
    struct nb_pair_loads *phase; /* [count] */
    struct nb_pair_loads *out;   /* [count] */
};

/* What a load of the pair (i, q) or (q, j) of one phase is to the pair (i, j).
 */
static void set_add(const struct set_work *work, struct nb_pair_loads *out,
                    size_t i, size_t j, size_t q, int64_t load)
{
    const struct nb_routing *routing = work->routing;
    struct nb_intermediates set;
    routing->find_intermediates(routing, work->endpoint[i], work->endpoint[j],
                                &set);
    const uint64_t times = nb_intermediates_times(&set, work->endpoint[q]);
    if (times == 0)
        return;
    out->weight[i * work->n + j] +=
        load * (int64_t)times *
        (routing->intermediate_scale / (int64_t)set.count) *
        (int64_t)(routing->start_total - routing->direct);
}

static enum nb_status set_task(void *context, int thread, size_t index,
                               struct nb_error *err)
{
    (void)thread, (void)err;
    const struct set_work *work = context;
    const struct nb_pair_loads *phase = &work->phase[index];
    struct nb_pair_loads *out = &work->out[index];
    for (size_t a = 0; a < work->n; a++) {
        for (size_t b = 0; b < work->n; b++) {
            const int64_t load = phase->weight[a * work->n + b];
            out->weight[a * work->n + b] += load *
                                            work->routing->intermediate_scale *
                                            (int64_t)work->routing->direct;
            for (size_t k = 0; k < work->n && load > 0; k++) {
                set_add(work, out, a, k, b, load);
                set_add(work, out, k, b, a, load);
            }
        }
    }
    nb_pair_loads_reduce(out);
    return NB_OK;
}

/* A channel's matrix over the scale of starts and intermediate routers times
 * the phase's denominator: a load is at most 2, so that no cell overflows. */
static enum nb_status set_reserve(const struct set_work *work, size_t channel,
                                  struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const int64_t limit = nb_pair_limit(routing->topology) / 2;
    const struct nb_pair_loads *phase = &work->phase[channel];
    struct nb_pair_loads *out = &work->out[channel];
    enum nb_status status = NB_OK;
    const int64_t total = (int64_t)routing->start_total;
    const int64_t scale = routing->intermediate_scale * total;
    if (!phase->is_exact || scale == 0 || phase->denominator > limit / scale)
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "routing %s: the common denominator of its loads "
                       "leaves 62 bits",
                       routing->kind->kind.name));
    out->n = work->n;
    out->is_exact = true;
    out->denominator = phase->denominator * scale;
    NB_TRY(nb_new(&out->weight, work->n * work->n, sizeof *out->weight,
                  "pair loads", err));
done:
    return status;
}

enum nb_status nb_pair_compose_set(const struct nb_routing *routing,
                                   size_t count, struct nb_pair_loads *phase,
                                   const struct nb_run *run,
                                   struct nb_pair_loads *out,
                                   struct nb_error *err)
{
    uint32_t *endpoint = NULL;
    struct set_work work = { .routing = routing, .phase = phase, .out = out };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&endpoint, routing->topology->router_count, sizeof *endpoint,
                  "pair loads", err));
    work.n = nb_endpoints(routing->topology, endpoint);
    work.endpoint = endpoint;
    for (size_t c = 0; c < count; c++)
        NB_TRY(set_reserve(&work, c, err));
    NB_TRY(
        nb_run_tasks(run, "intermediate routers", count, set_task, &work, err));
done:
    nb_delete(endpoint);
    return status;
}
