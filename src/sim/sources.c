#include "sim/sources.h"

#include "core/memory.h"
#include "sim/sim.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

/* In place of all larger numbers, and if the chance is 0. */
#define GEOMETRIC_MOST ((uint64_t)1 << 62)

static struct nb_geometric geometric_of(double chance)
{
    return (struct nb_geometric){ chance, 1 / log1p(-chance) };
}

/* >= 1; P(N > n) = (1 - chance)^n, inverted. */
static inline uint64_t geometric_draw(const struct nb_geometric *distribution,
                                      struct nb_random *random)
{
    const double drawn = nb_random_unit(random);
    if (drawn < distribution->chance)
        return 1; /* the result of the next line, without a logarithm */
    const double more =
        log(1 - drawn) * distribution->scale; /* NaN from 0 and 0 */
    return more < 0x1p62 ? 1 + (uint64_t)more : GEOMETRIC_MOST;
}

#define SOURCES_NEVER UINT64_MAX

enum { SOURCES_BLOCK = 64 }; /* terminals tested together */

/* Draws a burst: its length and, if it has one, its target. */
static void sources_begin_burst(struct nb_sources *sources, uint32_t terminal,
                                struct nb_random *random)
{
    /* Below 37 NB_BURST_MOST, since random numbers have 53 bits. */
    sources->left[terminal] =
        (uint32_t)geometric_draw(&sources->burst, random) - 1;
    if (sources->injection->is_burst_one)
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
    for (size_t first = 0; first < terminals; first += SOURCES_BLOCK) {
        const uint64_t *block = next + first;
        uint64_t any = 0; /* whole blocks, to permit vector code */
        for (size_t i = 0; i < SOURCES_BLOCK; i++)
            any |= block[i] == cycle;
        for (size_t i = 0; any != 0 && i < SOURCES_BLOCK; i++) {
            due[count] = (uint32_t)(first + i);
            count += block[i] == cycle;
        }
    }
    return count;
}

/* A Poisson number that is not 0: arrivals at exponential distances, the first
 * conditioned to come in time. */
static uint32_t sources_draw_poisson(double load, struct nb_random *random)
{
    uint32_t count = 0;
    for (double time = -log1p(nb_random_unit(random) * expm1(-load));
         time < load; time -= log(1 - nb_random_unit(random)))
        count++;
    return count > 0 ? count : 1; /* the first, rounded up to load */
}

/*
 * A Markov-modulated source at its next event: the cycle in which its state
 * changes, in which it sends with that state's probability, or an earlier one
 * with a packet. Neither distance has a memory, so both are drawn anew at each
 * event and the earlier one counts. Returns whether it sends.
 */
static bool sources_modulate(struct nb_sources *sources, uint32_t terminal,
                             uint64_t cycle, struct nb_random *random)
{
    struct nb_state *state = &sources->state[terminal];
    const size_t now = state->is_bursty;
    const struct nb_geometric *packet = &sources->packet[now];
    const bool is_sent =
        !state->is_entered || nb_random_unit(random) < packet->chance;
    const uint64_t stay = geometric_draw(&sources->stay[now], random);
    const uint64_t gap = geometric_draw(packet, random);
    state->is_entered = stay <= gap;
    state->is_bursty ^= state->is_entered;
    sources->next[terminal] = cycle + (stay < gap ? stay : gap);
    return is_sent;
}

/* The number of packets of a due terminal, before any is left out. */
static uint32_t sources_number(struct nb_sources *sources, uint32_t terminal,
                               uint64_t cycle, struct nb_random *random)
{
    switch (sources->injection->kind) {
    case NB_INJECT_BERNOULLI:
        return sources->whole + (sources->next[terminal] == cycle);
    case NB_INJECT_POISSON:
        return sources_draw_poisson(sources->load, random);
    case NB_INJECT_MMP:
        return sources_modulate(sources, terminal, cycle, random);
    default:
        return 1;
    }
}

/* After the packet of this cycle: when the next one comes. */
static void sources_advance(struct nb_sources *sources, uint32_t terminal,
                            uint64_t cycle, struct nb_random *random)
{
    uint64_t *next = &sources->next[terminal];
    switch (sources->injection->kind) {
    case NB_INJECT_BATCH:
        *next = SOURCES_NEVER;
        break;
    case NB_INJECT_ONOFF:
        *next = cycle + 1;
        if (sources->left[terminal] > 0) {
            sources->left[terminal]--;
        } else {
            *next += geometric_draw(&sources->gap, random);
            sources_begin_burst(sources, terminal, random);
        }
        break;
    default:
        *next = cycle + geometric_draw(&sources->gap, random);
    }
}

/* The packets of one due terminal. */
static enum nb_status sources_send(struct nb_sources *sources,
                                   uint32_t terminal, uint64_t cycle,
                                   struct nb_random *random, size_t *count,
                                   struct nb_error *err)
{
    const struct nb_injection *injection = sources->injection;
    const struct nb_targets *targets = &sources->targets;
    const bool has_aim =
        injection->kind == NB_INJECT_ONOFF && injection->is_burst_one;
    const double share =
        injection->kind == NB_INJECT_BATCH
            ? 1
            : targets->share[nb_targets_row(targets, terminal)];
    const uint32_t number = sources_number(sources, terminal, cycle, random);
    if (*count + number > sources->birth_capacity) {
        const enum nb_status status = nb_reserve(
            &sources->births, &sources->birth_capacity, *count + number,
            sizeof *sources->births, "packets of a cycle", err);
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
 * The packets of all due terminals. Their circle is begun anywhere and
 * traversed in either direction, so that of two terminals each is equally often
 * first: if r of n starts lie between them, in r/n of the rounds in one
 * direction and 1 - r/n of those in the other.
 */
static enum nb_status sources_send_due(struct nb_sources *sources,
                                       uint64_t cycle, struct nb_random *random,
                                       size_t *count, struct nb_error *err)
{
    const struct nb_injection *injection = sources->injection;
    /* Batches: one packet of each terminal, then another of each. */
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
    const struct nb_trace *trace = sources->injection->trace;
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
    if (sources->injection->kind == NB_INJECT_TRACE)
        *count = sources_replay(sources, cycle);
    else
        status = sources_send_due(sources, cycle, random, count, err);
    *births = sources->births;
    sources->sent += *count;
    return status;
}

void nb_sources_release(struct nb_sources *sources)
{
    nb_targets_release(&sources->targets);
    nb_pool_release(&sources->pool);
    nb_delete(sources->births);
    *sources = (struct nb_sources){ 0 };
}

uint64_t nb_sources_next(const struct nb_sources *sources)
{
    const struct nb_trace *trace = sources->injection->trace;
    return sources->injection->kind == NB_INJECT_TRACE &&
                   sources->sent < trace->count
               ? trace->packets[sources->sent].cycle
               : UINT64_MAX;
}

bool nb_sources_are_done(const struct nb_sources *sources)
{
    return sources->sent == sources->total;
}

/* The rate at which bursts of the largest row are one cycle apart. */
static double sources_burst_limit(const struct nb_injection *injection,
                                  double largest_row)
{
    return injection->burst / (injection->burst + 1) / largest_row;
}

double nb_injection_mmp_most(const struct nb_injection *injection)
{
    return (injection->alpha + injection->low * injection->beta) /
           (injection->alpha + injection->beta);
}

static enum nb_status sources_check_mmp(const struct nb_injection *injection,
                                        double largest_row,
                                        struct nb_error *err)
{
    const double alpha = injection->alpha, beta = injection->beta;
    const double low = injection->low;
    char rate_text[NB_NUMBER_TEXT], most_text[NB_NUMBER_TEXT];
    if (!(alpha > 0 && alpha <= 1 && beta > 0 && beta <= 1 && low >= 0 &&
          low <= 1))
        return nb_fail(err, NB_INVALID,
                       "mmp sources of alpha %g, beta %g and low %g are not "
                       "permitted (permitted: alpha and beta above 0, all up "
                       "to 1)",
                       alpha, beta, low);
    const double limit = nb_injection_mmp_most(injection) / largest_row;
    /* A rate at the limit may be rounded, and the limit too. */
    if (injection->rate <= limit * (1 + 4 * DBL_EPSILON))
        return NB_OK;
    nb_number_print(injection->rate, rate_text);
    nb_number_print(limit, most_text);
    return nb_fail(
        err, NB_INVALID,
        "rate %s is not permitted with mmp sources of alpha %g, beta "
        "%g and low %g (permitted: 0 to %s, a packet in every cycle "
        "of the bursty state)",
        rate_text, alpha, beta, low, most_text);
}

static enum nb_status sources_check_rate(const struct nb_injection *injection,
                                         double largest_row,
                                         struct nb_error *err)
{
    const double rate = injection->rate, burst = injection->burst;
    const double most = NB_RATE_MOST / (largest_row > 1 ? largest_row : 1);
    const double limit = sources_burst_limit(injection, largest_row);
    char rate_text[NB_NUMBER_TEXT], burst_text[NB_NUMBER_TEXT];
    char most_text[NB_NUMBER_TEXT];
    nb_number_print(rate, rate_text);
    nb_number_print(burst, burst_text);
    nb_number_print(most, most_text);
    if (!(rate >= 0 && rate <= most))
        return nb_fail(err, NB_INVALID,
                       "rate %s is not permitted (permitted: 0 to %s packets "
                       "per cycle)",
                       rate_text, most_text);
    if (injection->kind == NB_INJECT_MMP)
        return sources_check_mmp(injection, largest_row, err);
    if (injection->kind != NB_INJECT_ONOFF)
        return NB_OK;
    if (!(burst >= 1 && burst <= NB_BURST_MOST))
        return nb_fail(err, NB_INVALID,
                       "bursts of %s packets are not permitted (permitted: "
                       "1 to %d)",
                       burst_text, NB_BURST_MOST);
    nb_number_print(limit, most_text);
    /* A rate at the limit may be rounded, and the limit too. */
    if (rate > limit * (1 + 4 * DBL_EPSILON))
        return nb_fail(err, NB_INVALID,
                       "rate %s is not permitted with bursts of %s packets "
                       "(permitted: 0 to %s, since a source pauses for at "
                       "least one cycle after each burst)",
                       rate_text, burst_text, most_text);
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

/* The rates of both states, whose mean is the load. */
static void sources_set_states(struct nb_sources *sources)
{
    const struct nb_injection *injection = sources->injection;
    double high = sources->load / nb_injection_mmp_most(injection);
    high = high < 1 ? high : 1; /* at the limit */
    sources->packet[1] = geometric_of(high);
    sources->packet[0] = geometric_of(injection->low * high);
    sources->stay[1] = geometric_of(injection->beta);
    sources->stay[0] = geometric_of(injection->alpha);
}

/* Sets the distributions of gaps and bursts from the load. */
static void sources_set_laws(struct nb_sources *sources)
{
    const struct nb_injection *injection = sources->injection;
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
        sources->burst = geometric_of(1 / injection->burst);
    } else if (injection->kind == NB_INJECT_MMP) {
        sources_set_states(sources);
    }
    sources->gap = geometric_of(chance);
}

/* The first packets. Geometric distributions have no memory, so the rest of a
 * gap or burst under way at the first cycle has the distribution of a whole
 * one. */
static void sources_start(struct nb_sources *sources, uint64_t cycle,
                          struct nb_random *random)
{
    const struct nb_injection *injection = sources->injection;
    const struct nb_targets *targets = &sources->targets;
    for (uint32_t t = 0; t < sources->terminal_count; t++) {
        uint64_t *next = &sources->next[t];
        if (targets->total[nb_targets_row(targets, t)] == 0)
            continue;
        switch (injection->kind) {
        case NB_INJECT_BATCH:
            *next = cycle;
            sources->total += injection->batch;
            break;
        case NB_INJECT_ONOFF:
            *next = nb_random_unit(random) < sources->load
                        ? cycle
                        : cycle + geometric_draw(&sources->gap, random);
            sources_begin_burst(sources, t, random);
            break;
        case NB_INJECT_MMP: /* alpha / (alpha + beta), as after a change */
            *next = cycle;
            sources->state[t] = (struct nb_state){
                .is_bursty = nb_random_unit(random) *
                                 (injection->alpha + injection->beta) <
                             injection->alpha,
                .is_entered = true,
            };
            break;
        default:
            *next = cycle + geometric_draw(&sources->gap, random) - 1;
        }
    }
}

static enum nb_status sources_allocate(struct nb_sources *sources,
                                       struct nb_error *err)
{
    const struct nb_injection *injection = sources->injection;
    const size_t terminals = sources->terminal_count;
    const size_t blocks = (terminals + SOURCES_BLOCK - 1) / SOURCES_BLOCK;
    /* [packet] of a terminal in a cycle; Poisson: grows on demand. */
    const size_t most = injection->kind == NB_INJECT_BATCH
                            ? injection->batch
                            : (size_t)sources->whole + 1;
    enum nb_status status;
    NB_TRY(nb_memory_require((double)terminals * (double)most *
                                 sizeof *sources->births,
                             "packets of a cycle", err));
    NB_TRY(nb_reserve(&sources->births, &sources->birth_capacity,
                      terminals * most, sizeof *sources->births,
                      "packets of a cycle", err));
    const bool has_bursts = injection->kind == NB_INJECT_ONOFF;
    struct nb_pool *pool = &sources->pool;
    sources->next =
        nb_pool_array(pool, blocks * SOURCES_BLOCK, sizeof *sources->next);
    sources->due =
        nb_pool_array(pool, blocks * SOURCES_BLOCK, sizeof *sources->due);
    sources->left =
        nb_pool_array(pool, has_bursts ? terminals : 0, sizeof *sources->left);
    sources->aim =
        nb_pool_array(pool, has_bursts ? terminals : 0, sizeof *sources->aim);
    sources->state =
        nb_pool_array(pool, injection->kind == NB_INJECT_MMP ? terminals : 0,
                      sizeof *sources->state);
    NB_TRY(nb_pool_check(pool, "terminals", err));
    for (size_t t = 0; t < blocks * SOURCES_BLOCK; t++)
        sources->next[t] = SOURCES_NEVER;
done:
    return status;
}

/* Room for the packets of the trace's fullest cycle. */
static enum nb_status sources_init_trace(struct nb_sources *sources,
                                         struct nb_error *err)
{
    const struct nb_trace *trace = sources->injection->trace;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const bool is_new =
            i == 0 || trace->packets[i].cycle != trace->packets[i - 1].cycle;
        count = is_new ? 1 : count + 1;
        most = count > most ? count : most;
    }
    sources->total = trace->count;
    return nb_reserve(&sources->births, &sources->birth_capacity, most,
                      sizeof *sources->births, "packets of a cycle", err);
}

/* Sources of a plan or step, but not of a trace. cycle: their first */
static enum nb_status sources_open(const struct nb_injection *injection,
                                   const struct nb_traffic *traffic,
                                   const uint32_t *terminal_start,
                                   const uint32_t *terminal_router,
                                   uint64_t cycle, struct nb_random *random,
                                   struct nb_sources *out, struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_sources){
        .injection = injection,
        .total = injection->kind == NB_INJECT_BATCH ? 0 : UINT64_MAX,
    };
    NB_TRY(nb_targets_init(traffic, terminal_start, terminal_router,
                           &out->targets, err));
    out->terminal_count = out->targets.terminal_count;
    NB_TRY(sources_check(injection, out->targets.largest_row, err));
    sources_set_laws(out);
    NB_TRY(sources_allocate(out, err));
    sources_start(out, cycle, random);
done:
    if (status != NB_OK)
        nb_sources_release(out);
    return status;
}

enum nb_status nb_sources_init(const struct nb_simulation *plan,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_random *random, struct nb_sources *out,
                               struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_sources){ .injection = &plan->injection };
    if (plan->injection.kind == NB_INJECT_TRACE) {
        NB_TRY(sources_init_trace(out, err));
        goto done;
    }
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct nb_step *step = &plan->steps[i];
        struct nb_random unused = *random;
        struct nb_error inner = { 0 };
        status = sources_open(&step->injection, step->traffic, terminal_start,
                              terminal_router, 0, &unused, out, &inner);
        if (status != NB_OK)
            NB_TRY(nb_fail(err, status, "from cycle %" PRIu64 " on: %s",
                           step->cycle, inner.message));
        nb_sources_release(out);
    }
    NB_TRY(sources_open(&plan->injection, plan->traffic, terminal_start,
                        terminal_router, 0, random, out, err));
done:
    if (status != NB_OK)
        nb_sources_release(out);
    return status;
}

enum nb_status nb_sources_step(struct nb_sources *sources,
                               const struct nb_step *step, uint64_t cycle,
                               struct nb_random *random, struct nb_error *err)
{
    struct nb_sources next;
    const enum nb_status status = sources_open(
        &step->injection, step->traffic, sources->targets.terminal_start,
        sources->targets.terminal_router, cycle, random, &next, err);
    if (status != NB_OK)
        return status;
    next.sent = sources->sent;
    nb_sources_release(sources);
    *sources = next;
    return NB_OK;
}
