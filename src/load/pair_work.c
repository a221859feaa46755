#include "load/pair_work.h"

#include "core/memory.h"

static enum nb_status pair_scratch_init(const struct nb_routing *routing,
                                        struct nb_pair_scratch *scratch,
                                        struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_init(routing, NULL, &scratch->walker, err));
    NB_TRY(nb_new(&scratch->inverse, routing->topology->router_count,
                  sizeof(uint32_t), "symmetry", err));
done:
    return status;
}

static void pair_scratch_release(struct nb_pair_scratch *scratch)
{
    nb_walker_release(&scratch->walker);
    nb_upstream_release(&scratch->upstream);
    nb_delete(scratch->visits);
    nb_delete(scratch->values);
    nb_delete(scratch->inverse);
}

enum nb_status nb_pair_work_init(struct nb_pair_work *work, int threads,
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
    /* Of the automorphisms only translations keep direction classes. */
    NB_TRY(nb_vertex_orbits_find(work->routing,
                                 work->class_count > 0
                                     ? NB_TRANSLATION | NB_EVEN_TRANSLATION
                                     : NB_ANY_SYMMETRY,
                                 &work->orbits, err));
    NB_TRY(
        nb_new(&work->column, routers, sizeof *work->column, "columns", err));
    for (size_t i = 0, columns = 0; i < routers; i++)
        if (work->endpoint_of[work->orbits.order[i]] != NB_NONE)
            work->column[columns++] = work->endpoint_of[work->orbits.order[i]];
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

void nb_pair_work_release(struct nb_pair_work *work, int threads)
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
