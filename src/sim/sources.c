#include "sim/sources_work.h"

#include "core/memory.h"
#include "sim/sim.h"

#include <float.h>
#include <inttypes.h>

void nb_sources_release(struct nb_sources *sources)
{
    nb_targets_release(&sources->targets);
    nb_delete(sources->next);
    nb_delete(sources->due);
    nb_delete(sources->left);
    nb_delete(sources->aim);
    nb_delete(sources->births);
    *sources = (struct nb_sources){ 0 };
}

bool nb_sources_are_done(const struct nb_sources *sources)
{
    return sources->sent == sources->total;
}

/* The rate at which bursts of the largest row leave pauses of one cycle. */
static double sources_burst_limit(const struct nb_injection *injection,
                                  double largest_row)
{
    return injection->burst / (injection->burst + 1) / largest_row;
}

static enum nb_status sources_check_rate(const struct nb_injection *injection,
                                         double largest_row,
                                         struct nb_error *err)
{
    const double rate = injection->rate, burst = injection->burst;
    const double most = NB_RATE_MOST / (largest_row > 1 ? largest_row : 1);
    if (!(rate >= 0 && rate <= most))
        return nb_fail(err, NB_INVALID,
                       "rate %.17g is not permitted (permitted: 0 to %.17g "
                       "packets a cycle)",
                       rate, most);
    if (injection->kind != NB_INJECT_ONOFF)
        return NB_OK;
    if (!(burst >= 1 && burst <= NB_BURST_MOST))
        return nb_fail(err, NB_INVALID,
                       "bursts of %.17g packets are not permitted (permitted: "
                       "1 to %d)",
                       burst, NB_BURST_MOST);
    const double limit = sources_burst_limit(injection, largest_row);
    /* A rate at the limit may have been rounded, and so is the limit. */
    if (rate > limit * (1 + 4 * DBL_EPSILON))
        return nb_fail(err, NB_INVALID,
                       "rate %.17g is not permitted with bursts of %.17g "
                       "packets (permitted: 0 to %.17g, since a source pauses "
                       "for a cycle at least after each burst)",
                       rate, burst, limit);
    return NB_OK;
}

static enum nb_status sources_check(const struct nb_injection *injection,
                                    double largest_row, struct nb_error *err)
{
    if (injection->flits < 1 || injection->flits > NB_TRACE_FLITS)
        return nb_fail(err, NB_INVALID,
                       "packets of %" PRIu32 " flits are not permitted "
                       "(permitted: 1 to %d)",
                       injection->flits, NB_TRACE_FLITS);
    if (injection->kind != NB_INJECT_BATCH)
        return sources_check_rate(injection, largest_row, err);
    if (injection->batch < 1)
        return nb_fail(err, NB_INVALID,
                       "batches of 0 packets are not permitted (permitted: 1 "
                       "or more)");
    return NB_OK;
}

/* What the load makes of the laws of gaps and bursts. */
static void sources_set_laws(struct nb_sources *sources)
{
    const struct nb_injection *injection = &sources->plan->injection;
    const double load = sources->load =
        injection->kind == NB_INJECT_BATCH
            ? 0
            : injection->rate * sources->targets.largest_row;
    double chance = 0;
    if (injection->kind == NB_INJECT_BERNOULLI) {
        sources->whole = (uint32_t)load;
        chance = load - sources->whole;
    } else if (injection->kind == NB_INJECT_POISSON) {
        chance = -expm1(-load); /* of a cycle with packets */
    } else if (injection->kind == NB_INJECT_ONOFF) {
        chance = load / (injection->burst * (1 - load));
        chance = chance < 1 ? chance : 1; /* at the limit */
        sources->burst = nb_geometric_of(1 / injection->burst);
    }
    sources->gap = nb_geometric_of(chance);
}

/* The first packets. Geometric laws have no memory, so that the rest of a gap
 * or burst under way at cycle 0 has the law of a whole one. */
static void sources_start(struct nb_sources *sources, struct nb_random *random)
{
    const struct nb_injection *injection = &sources->plan->injection;
    const struct nb_targets *targets = &sources->targets;
    for (uint32_t t = 0; t < sources->terminal_count; t++) {
        uint64_t *next = &sources->next[t];
        if (targets->total[targets->terminal_router[t]] == 0)
            continue;
        switch (injection->kind) {
        case NB_INJECT_BATCH:
            *next = 0;
            sources->total += injection->batch;
            break;
        case NB_INJECT_ONOFF:
            *next = nb_random_unit(random) < sources->load
                        ? 0
                        : nb_geometric_draw(&sources->gap, random);
            nb_sources_begin_burst(sources, t, random);
            break;
        default:
            *next = nb_geometric_draw(&sources->gap, random) - 1;
        }
    }
}

enum nb_status nb_sources_reserve(struct nb_sources *sources, size_t births,
                                  struct nb_error *err)
{
    const enum nb_status status =
        nb_grow(&sources->births, births, sizeof *sources->births,
                "packets of a cycle", err);
    if (status == NB_OK)
        sources->birth_capacity = births;
    return status;
}

static enum nb_status sources_allocate(struct nb_sources *sources,
                                       struct nb_error *err)
{
    const struct nb_injection *injection = &sources->plan->injection;
    const size_t terminals = sources->terminal_count;
    const size_t blocks = (terminals + NB_SOURCES_BLOCK - 1) / NB_SOURCES_BLOCK;
    /* [packet] of a terminal in a cycle; Poisson: grows. */
    const size_t most = injection->kind == NB_INJECT_BATCH
                            ? injection->batch
                            : (size_t)sources->whole + 1;
    enum nb_status status;
    NB_TRY(nb_memory_require((double)terminals * (double)most *
                                 sizeof *sources->births,
                             "packets of a cycle", err));
    NB_TRY(nb_sources_reserve(sources, terminals * most, err));
    NB_TRY(nb_new(&sources->next, blocks * NB_SOURCES_BLOCK,
                  sizeof *sources->next, "terminals", err));
    NB_TRY(nb_new(&sources->due, blocks * NB_SOURCES_BLOCK,
                  sizeof *sources->due, "terminals", err));
    for (size_t t = 0; t < blocks * NB_SOURCES_BLOCK; t++)
        sources->next[t] = NB_SOURCES_NEVER;
    if (injection->kind == NB_INJECT_ONOFF) {
        NB_TRY(nb_new(&sources->left, terminals, sizeof *sources->left,
                      "bursts", err));
        NB_TRY(nb_new(&sources->aim, terminals, sizeof *sources->aim, "bursts",
                      err));
    }
done:
    return status;
}

/* Room for the packets of the trace's fullest cycle. */
static enum nb_status sources_init_trace(struct nb_sources *sources,
                                         struct nb_error *err)
{
    const struct nb_trace *trace = sources->plan->injection.trace;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const bool is_new =
            i == 0 || trace->packets[i].cycle != trace->packets[i - 1].cycle;
        count = is_new ? 1 : count + 1;
        most = count > most ? count : most;
    }
    sources->total = trace->count;
    return nb_sources_reserve(sources, most, err);
}

enum nb_status nb_sources_init(const struct nb_simulation *plan,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_random *random, struct nb_sources *out,
                               struct nb_error *err)
{
    const enum nb_injection_kind kind = plan->injection.kind;
    enum nb_status status;
    *out =
        (struct nb_sources){ .plan = plan,
                             .terminal_count = plan->topology->terminal_count };
    if (kind == NB_INJECT_TRACE) {
        NB_TRY(sources_init_trace(out, err));
        goto done;
    }
    NB_TRY(nb_targets_init(plan->traffic, terminal_start, terminal_router,
                           &out->targets, err));
    NB_TRY(sources_check(&plan->injection, out->targets.largest_row, err));
    sources_set_laws(out);
    NB_TRY(sources_allocate(out, err));
    out->total = kind == NB_INJECT_BATCH ? 0 : UINT64_MAX;
    sources_start(out, random);
done:
    if (status != NB_OK)
        nb_sources_release(out);
    return status;
}
