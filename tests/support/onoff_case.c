#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "onoff_case.h"

#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct onoff_case onoff_case_read(const char *text)
{
    char load[40], burst[40], spread[16];
    int radix;
    assert_int_equal(
        sscanf(text, "%d,%39[^,],%39[^,],%15[^,]", &radix, load, burst, spread),
        4);
    struct onoff_case made = { .arrivals = { .kind = NB_ARRIVE_ONOFF,
                                             .radix = radix } };
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(load, &ratio, NULL), NB_OK);
    assert_int_equal(nb_ratio_read(burst, &made.arrivals.burst, NULL), NB_OK);
    made.load = nb_load_of_ratio(ratio);
    made.arrivals.spread =
        strcmp(spread, "burst") == 0 ? NB_SPREAD_BURST : NB_SPREAD_PACKET;
    return made;
}

void onoff_must_solve(const struct onoff_case *made,
                      struct nb_distribution *distribution)
{
    struct nb_error err = { 0 };
    const enum nb_status status =
        nb_onoff_law(&made->arrivals, made->load, distribution, &err);
    ONOFF_CHECK(status == NB_OK, "radix %d load %g: %s",
                (int)made->arrivals.radix, made->load.rho.high, err.message);
}

enum { BATCHES = 40, SOURCES = 64 };
enum onoff_state { OFF, HERE, ELSEWHERE };

/* The sources as described in the header, one by one. */
struct onoff_sources {
    struct nb_random random;
    bool by_burst;
    int count;
    double starts, ends;
    enum onoff_state state[SOURCES];
};

/* Sources start OFF, the first batch is not counted. */
static struct onoff_sources onoff_sources_of(const struct onoff_case *made,
                                             uint64_t seed)
{
    const double load = made->load.rho.high;
    const double burst = nb_ratio_value(made->arrivals.burst);
    struct onoff_sources sources = {
        .by_burst = made->arrivals.spread == NB_SPREAD_BURST,
        .count = (int)made->arrivals.radix,
        .starts = load / burst / (1 - load),
        .ends = 1 / burst,
    };
    assert_true(sources.count <= SOURCES);
    nb_random_init(&sources.random, seed, 0);
    return sources;
}

static bool onoff_is_ours(struct onoff_sources *sources)
{
    return nb_random_below(&sources->random, (uint64_t)sources->count) == 0;
}

/* A slot of every source; the packets for this queue. */
static int onoff_slot(struct onoff_sources *sources)
{
    int arrived = 0;
    for (int i = 0; i < sources->count; i++) {
        enum onoff_state *state = &sources->state[i];
        const double draw = nb_random_unit(&sources->random);
        if (*state != OFF && draw < sources->ends)
            *state = OFF;
        else if (*state == OFF && draw < sources->starts)
            *state =
                sources->by_burst && onoff_is_ours(sources) ? HERE : ELSEWHERE;
        if (*state != OFF)
            arrived +=
                sources->by_burst ? *state == HERE : onoff_is_ours(sources);
    }
    return arrived;
}

/* 3.55 is Student's quantile of 99.9 % at 39 degrees; a little more, since
 * batches are neither quite normal nor quite independent. */
static struct onoff_interval onoff_interval_of(const double batch[BATCHES])
{
    double sum = 0, squares = 0;
    for (int b = 0; b < BATCHES; b++)
        sum += batch[b];
    const double mean = sum / BATCHES;
    for (int b = 0; b < BATCHES; b++)
        squares += (batch[b] - mean) * (batch[b] - mean);
    return (struct onoff_interval){ mean, 4 * sqrt(squares / (BATCHES - 1) /
                                                   BATCHES) };
}

void onoff_simulate(const struct onoff_case *made, int64_t depth, uint64_t seed,
                    struct onoff_simulated *out)
{
    struct onoff_sources sources = onoff_sources_of(made, seed);
    const int slots = 1600000 / BATCHES / sources.count * 16;
    double mean[BATCHES], tail[ONOFF_TAILS][BATCHES], loss[BATCHES];
    int64_t queue = 0;
    for (int b = -1; b < BATCHES; b++) {
        double sum = 0, count[ONOFF_TAILS] = { 0 }, lost = 0, all = 0;
        for (int t = 0; t < slots; t++) {
            const int arrived = onoff_slot(&sources);
            queue += arrived - (queue > 0);
            const int64_t kept = queue < depth ? queue : depth;
            all += arrived;
            lost += (double)(queue - kept);
            queue = kept;
            sum += (double)queue;
            for (int n = 0; n < ONOFF_TAILS; n++)
                count[n] += queue >= n;
        }
        if (b < 0)
            continue;
        mean[b] = sum / slots;
        loss[b] = lost / all;
        for (int n = 0; n < ONOFF_TAILS; n++)
            tail[n][b] = count[n] / slots;
    }
    out->mean = onoff_interval_of(mean);
    out->loss = onoff_interval_of(loss);
    for (int n = 0; n < ONOFF_TAILS; n++)
        out->tail[n] = onoff_interval_of(tail[n]);
}

void onoff_fail_memory(const char *text, int64_t depth)
{
    const struct onoff_case made = onoff_case_read(text);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_distribution distribution = { 0 };
        struct nb_bracket loss;
        nb_memory_allow(allowed);
        status =
            depth == 0
                ? nb_onoff_law(&made.arrivals, made.load, &distribution, NULL)
                : nb_onoff_loss(&made.arrivals, made.load, depth, &loss, NULL);
        nb_memory_allow(-1);
        nb_distribution_release(&distribution);
        ONOFF_CHECK(nb_memory_live_blocks() == before, "%s leaks at %ld", text,
                    allowed);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 4);
}
