/* The packets of a cycle (nb_sources_draw). */
#include "sim/sources_work.h"

#include "sim/sim.h"

#include <assert.h>

void nb_sources_begin_burst(struct nb_sources *sources, uint32_t terminal,
                            struct nb_random *random)
{
    /* Below 37 NB_BURST_MOST, since random numbers have 53 bits. */
    sources->left[terminal] =
        (uint32_t)nb_geometric_draw(&sources->burst, random) - 1;
    if (sources->plan->injection.is_burst_one)
        sources->aim[terminal] =
            nb_targets_draw(&sources->targets, terminal, random);
}

/* The terminals that send in a cycle, ascending, into sources->due. */
static size_t sources_find_due(struct nb_sources *sources, uint64_t cycle)
{
    const uint64_t *next = sources->next;
    const size_t terminals = sources->terminal_count;
    uint32_t *due = sources->due;
    size_t count = 0;
    if (sources->whole > 0) { /* all; empty rows have a share of 0 */
        for (size_t t = 0; t < terminals; t++)
            due[t] = (uint32_t)t;
        return terminals;
    }
    for (size_t first = 0; first < terminals; first += NB_SOURCES_BLOCK) {
        const uint64_t *block = next + first;
        uint64_t any = 0; /* whole blocks, so that this is done in parallel */
        for (size_t i = 0; i < NB_SOURCES_BLOCK; i++)
            any |= block[i] == cycle;
        for (size_t i = 0; any != 0 && i < NB_SOURCES_BLOCK; i++) {
            due[count] = (uint32_t)(first + i);
            count += block[i] == cycle;
        }
    }
    return count;
}

/* A Poisson number that is not 0: arrivals at exponential distances, the first
 * of them known to come in time. */
static uint32_t sources_draw_poisson(double load, struct nb_random *random)
{
    uint32_t count = 0;
    for (double time = -log1p(nb_random_unit(random) * expm1(-load));
         time < load; time -= log(1 - nb_random_unit(random)))
        count++;
    return count > 0 ? count : 1; /* the first, rounded up to load */
}

/* The packets of a terminal that is due, before any is left out. */
static uint32_t sources_number(const struct nb_sources *sources,
                               uint32_t terminal, uint64_t cycle,
                               struct nb_random *random)
{
    switch (sources->plan->injection.kind) {
    case NB_INJECT_BERNOULLI:
        return sources->whole + (sources->next[terminal] == cycle);
    case NB_INJECT_POISSON:
        return sources_draw_poisson(sources->load, random);
    default:
        return 1;
    }
}

/* After the packet of this cycle: when the next one comes. */
static void sources_advance(struct nb_sources *sources, uint32_t terminal,
                            uint64_t cycle, struct nb_random *random)
{
    uint64_t *next = &sources->next[terminal];
    switch (sources->plan->injection.kind) {
    case NB_INJECT_BATCH:
        *next = NB_SOURCES_NEVER;
        break;
    case NB_INJECT_ONOFF:
        *next = cycle + 1;
        if (sources->left[terminal] > 0) {
            sources->left[terminal]--;
        } else {
            *next += nb_geometric_draw(&sources->gap, random);
            nb_sources_begin_burst(sources, terminal, random);
        }
        break;
    default:
        *next = cycle + nb_geometric_draw(&sources->gap, random);
    }
}

/* The packets of one terminal that is due. */
static enum nb_status sources_send(struct nb_sources *sources,
                                   uint32_t terminal, uint64_t cycle,
                                   struct nb_random *random, size_t *count,
                                   struct nb_error *err)
{
    const struct nb_injection *injection = &sources->plan->injection;
    const struct nb_targets *targets = &sources->targets;
    const bool has_aim =
        injection->kind == NB_INJECT_ONOFF && injection->is_burst_one;
    const double share =
        injection->kind == NB_INJECT_BATCH
            ? 1
            : targets->share[targets->terminal_router[terminal]];
    const uint32_t number = sources_number(sources, terminal, cycle, random);
    if (*count + number > sources->birth_capacity) {
        const enum nb_status status =
            nb_sources_reserve(sources, 2 * (*count + number), err);
        if (status != NB_OK)
            return status;
    }
    for (uint32_t i = 0; i < number; i++) {
        if (share < 1 && nb_random_unit(random) >= share)
            continue;
        sources->births[(*count)++] = (struct nb_birth){
            .source = terminal,
            .target = has_aim ? sources->aim[terminal]
                              : nb_targets_draw(targets, terminal, random),
            .flits = injection->flits,
        };
    }
    if (sources->next[terminal] == cycle)
        sources_advance(sources, terminal, cycle, random);
    return NB_OK;
}

/*
 * All that are due. The circle of them is begun anywhere and gone round in
 * either direction, so that of two terminals each is as often first: with r of
 * n beginnings between them, in r/n of the rounds one way and 1 - r/n of those
 * the other.
 */
static enum nb_status sources_send_due(struct nb_sources *sources,
                                       uint64_t cycle, struct nb_random *random,
                                       size_t *count, struct nb_error *err)
{
    const struct nb_injection *injection = &sources->plan->injection;
    /* Batches: one of each terminal, then another of each. */
    const uint32_t rounds =
        injection->kind == NB_INJECT_BATCH ? injection->batch : 1;
    const size_t due = sources_find_due(sources, cycle);
    if (due == 0)
        return NB_OK;
    const uint64_t order = nb_random_below(random, 2 * due);
    const size_t step = order % 2 == 0 ? 1 : due - 1;
    for (uint32_t round = 0; round < rounds; round++) {
        size_t place = order / 2;
        for (size_t i = 0; i < due; i++) {
            const enum nb_status status = sources_send(
                sources, sources->due[place], cycle, random, count, err);
            if (status != NB_OK)
                return status;
            place += step;
            place -= place >= due ? due : 0;
        }
    }
    return NB_OK;
}

/* The packets of a cycle of the trace. */
static size_t sources_replay(struct nb_sources *sources, uint64_t cycle)
{
    const struct nb_trace *trace = sources->plan->injection.trace;
    size_t count = 0;
    for (uint64_t i = sources->sent;
         i < trace->count && trace->packets[i].cycle == cycle; i++) {
        const struct nb_trace_packet *packet = &trace->packets[i];
        sources->births[count++] = (struct nb_birth){
            .source = packet->source,
            .target = packet->target,
            .flits = packet->flits,
        };
    }
    return count;
}

enum nb_status nb_sources_draw(struct nb_sources *sources, uint64_t cycle,
                               struct nb_random *random,
                               const struct nb_birth **births, size_t *count,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *count = 0;
    if (sources->plan->injection.kind == NB_INJECT_TRACE)
        *count = sources_replay(sources, cycle);
    else
        status = sources_send_due(sources, cycle, random, count, err);
    *births = sources->births;
    sources->sent += *count;
    return status;
}
