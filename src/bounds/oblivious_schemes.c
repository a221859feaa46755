/* The schemes that are known (declared in oblivious_work.h). */
#include "bounds/oblivious_work.h"

#include "core/clock.h"
#include "core/memory.h"
#include "load/pair_loads.h"

#include <string.h>

#define SCHEMES_BYTES 0x1p28 /* for the loads of the channels held at once */

/* One scheme after another; flows are numbered as crossings of the pairs
 * given, and there is no linear program. */
struct schemes_work {
    const struct nb_oblivious_case *here;
    const struct nb_run *run;
    struct nb_oblivious_program crossings;
    double *value; /* [flow_count] */
};

/* Adds one channel's loads, averaged over the group. */
static void schemes_add(struct schemes_work *work,
                        const struct nb_pair_loads *loads)
{
    const struct nb_oblivious_case *here = work->here;
    const size_t e = here->orbits.e, m = here->topology->channel_count;
    for (size_t p = 0; p < e * e; p++) {
        if (p / e == p % e)
            continue;
        const double load = nb_pair_load_value(loads, p / e, p % e);
        const uint32_t name =
            nb_oblivious_crossing(&here->orbits, p, loads->channel);
        const size_t at = here->index[name / m] * m + name % m;
        if (load > 0)
            work->value[at] +=
                load /
                ((double)here->orbits.pair_size[name / m] * here->alike[at]);
    }
}

/* The flows of a scheme: of every given pair the mean over those alike. */
static enum nb_status schemes_find_flows(struct schemes_work *work,
                                         const struct nb_routing *routing,
                                         struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const uint32_t m = (uint32_t)here->topology->channel_count;
    const double fit = SCHEMES_BYTES / nb_pair_loads_bytes(routing, 1);
    const uint32_t most = fit >= m ? m : fit > 1 ? (uint32_t)fit : 1;
    struct nb_pair_loads *loads = NULL;
    uint32_t *channel = NULL;
    enum nb_status status = NB_OK;
    memset(work->value, 0, work->crossings.flow_count * sizeof *work->value);
    NB_TRY(nb_new(&loads, most, sizeof *loads, "loads of a scheme", err));
    NB_TRY(nb_new(&channel, m, sizeof *channel, "loads of a scheme", err));
    for (uint32_t c = 0; c < m; c++)
        channel[c] = c;
    for (uint32_t first = 0; first < m; first += most) {
        const uint32_t count = m - first < most ? m - first : most;
        NB_TRY(nb_pair_loads_find(routing, count, channel + first, work->run,
                                  loads, err));
        for (uint32_t i = 0; i < count; i++) {
            schemes_add(work, &loads[i]);
            nb_pair_loads_release(&loads[i]);
        }
    }
    /* The least of channels alike has what all of them have. */
    for (size_t at = 0; at < work->crossings.flow_count; at++) {
        const uint32_t *name =
            here->orbits.crossing + (size_t)here->pair[at / m] * m;
        work->value[at] = work->value[at / m * m + name[at % m] % m];
    }
done:
    nb_delete(loads);
    nb_delete(channel);
    return status;
}

/* Offers a scheme if it is one for this network and these paths. */
static enum nb_status schemes_try(struct schemes_work *work,
                                  const struct nb_routing_kind *kind,
                                  struct nb_oblivious_found *found,
                                  struct nb_error *err)
{
    const bool is_minimal =
        work->here->question->class->paths == NB_PATHS_MINIMAL;
    struct nb_routing routing = { 0 };
    struct nb_error refused = { 0 };
    enum nb_status status = NB_OK;
    if (kind->is_adaptive || strcmp(kind->kind.name, "file") == 0 ||
        nb_routing_build(kind->kind.name, work->here->topology, &routing,
                         &refused) != NB_OK)
        return NB_OK;
    /* Way-points in quadrants are routers with terminals or not; their loads
     * are known where all have some. */
    const bool is_known =
        routing.intermediate != NB_IN_QUADRANT ||
        work->here->orbits.e == work->here->topology->router_count;
    if (!is_known || (is_minimal && !routing.is_minimal))
        goto done;
    NB_TRY(schemes_find_flows(work, &routing, err));
    NB_TRY(nb_oblivious_take_values(&work->crossings, work->value, found, err));
done:
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_oblivious_take_schemes(struct nb_oblivious_found *found,
                                         const struct nb_run *run,
                                         double deadline, struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const enum nb_paths paths = here->question->class->paths;
    struct schemes_work work = { .here = here, .run = run };
    enum nb_status status = NB_OK;
    if (paths != NB_PATHS_ANY && paths != NB_PATHS_MINIMAL)
        return NB_OK;
    work.crossings = (struct nb_oblivious_program){
        .here = here,
        .flow_count = here->pair_count * here->topology->channel_count,
    };
    NB_TRY(nb_new(&work.value, work.crossings.flow_count, sizeof(double),
                  "flows of a scheme", err));
    NB_TRY(nb_new(&work.crossings.flow, work.crossings.flow_count,
                  sizeof(size_t), "flows of a scheme", err));
    for (size_t f = 0; f < work.crossings.flow_count; f++)
        work.crossings.flow[f] = f;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++)
        if (!nb_oblivious_is_met(found) && nb_clock_now() < deadline)
            NB_TRY(schemes_try(&work, nb_routing_kinds[k], found, err));
done:
    nb_delete(work.value);
    nb_oblivious_program_release(&work.crossings);
    return status;
}
