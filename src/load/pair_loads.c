#include "load/pair_loads.h"

#include "core/memory.h"
#include "load/pair_work.h"

#include <math.h>

void nb_pair_loads_release(struct nb_pair_loads *loads)
{
    nb_delete(loads->weight);
    nb_delete(loads->value);
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

/* Matrices of one phase that a channel's loads are made of. */
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

void nb_pair_loads_reduce(struct nb_pair_loads *loads)
{
    const size_t cells = loads->n * loads->n;
    uint64_t common = (uint64_t)loads->denominator;
    for (size_t i = 0; i < cells && common != 1; i++)
        if (loads->weight[i] != 0)
            common = nb_gcd(common, (uint64_t)loads->weight[i]);
    for (size_t i = 0; i < cells && common != 1; i++)
        loads->weight[i] /= (int64_t)common;
    loads->denominator /= (int64_t)common;
}

/* Brings the columns to one denominator; false if it does not fit. */
static bool pair_unite(const struct nb_pair_work *work, size_t channel)
{
    struct nb_pair_loads *loads = &work->loads[channel];
    const int64_t *columns = work->column_denominator + channel * work->n;
    const int64_t limit = nb_pair_limit(work->routing->topology);
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
    for (size_t i = 0; i < work->n; i++)
        for (size_t j = 0; j < work->n; j++)
            loads->weight[i * work->n + j] *= (int64_t)united / columns[j];
    loads->denominator = (int64_t)united;
    nb_pair_loads_reduce(loads);
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

/* A second pass, in doubles, for the channels that are not exact. */
static enum nb_status pair_fill_values(struct nb_pair_work *work,
                                       const struct nb_run *run,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct nb_pair_work rest = *work;
    rest.count = 0;
    rest.loads = NULL; /* not the copy's to free if the next step fails */
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
        NB_TRY(
            nb_run_tasks(run, "pair loads", work->n, nb_pair_task, &rest, err));
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
    struct nb_pair_work work = { .routing = phase,
                                 .class_count = class_count,
                                 .count = count,
                                 .loads = loads };
    const int threads = nb_run_threads(run, phase->topology->router_count);
    enum nb_status status = NB_OK;
    NB_TRY(nb_pair_work_init(&work, threads, err));
    for (size_t m = 0; m < count; m++) {
        loads[m].n = work.n;
        loads[m].is_exact = true;
        NB_TRY(nb_new(&loads[m].weight, work.n * work.n, sizeof(int64_t),
                      "pair loads", err));
    }
    NB_TRY(nb_run_tasks(run, "pair loads", work.n, nb_pair_task, &work, err));
    for (size_t m = 0; m < count; m++)
        loads[m].is_exact = pair_unite(&work, m);
    NB_TRY(pair_fill_values(&work, run, err));
done:
    nb_pair_work_release(&work, threads);
    return status;
}

/* Every channel's matrix from those of its phase. */
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
        NB_TRY(nb_pair_compose_set(routing, count, phase, run, out, err));
    else
        NB_TRY(nb_pair_compose(routing, count, matrices, phase, run, out, err));
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
                           "channel %u of a network of %zu (permitted: those "
                           "that it has)",
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
    for (size_t c = 0; c < count && routing->intermediate == NB_ANYWHERE; c++)
        NB_TRY(pair_separate(&out[c], err));
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
