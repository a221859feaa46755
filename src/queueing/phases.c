#include "queueing/phases.h"

#include "core/memory.h"
#include "queueing/onoff.h"

#include <float.h>
#include <math.h>
#include <string.h>

void nb_phases_release(struct nb_phases *phases)
{
    nb_pool_release(&phases->pool);
    *phases = (struct nb_phases){ 0 };
}

static long double phases_value(struct nb_ratio ratio)
{
    return (long double)ratio.numerator / (long double)ratio.denominator;
}

/* A load that such sources cannot send. */
static enum nb_status source_refuse(struct nb_ratio burst,
                                    struct nb_queue_load load,
                                    struct nb_error *err)
{
    char most[NB_RATIO_TEXT];
    nb_ratio_print(nb_ratio_make(burst.numerator, (nb_int128)burst.numerator +
                                                      burst.denominator),
                   most);
    return nb_fail(err, NB_INVALID,
                   "load %.18Lg is not permitted with bursts of %.18Lg "
                   "packets (permitted: up to %s, since a source pauses for a "
                   "slot at least after each burst)",
                   load.rho, phases_value(burst), most);
}

enum nb_status nb_source_find(struct nb_ratio burst, struct nb_queue_load load,
                              struct nb_source *out, struct nb_error *err)
{
    const struct nb_ratio one = nb_ratio_one;
    const struct nb_ratio ends = nb_ratio_divide(one, burst);
    const long double starts = load.rho / (phases_value(burst) * load.idle);
    *out = (struct nb_source){
        .starts = starts,
        .rests = 1 - starts,
        .ends = phases_value(ends),
        .goes_on = phases_value(nb_ratio_subtract(one, ends)),
        .error = 6 * LDBL_EPSILON,
        .sends = 1,
    };
    if (nb_ratio_is_known(load.exact)) { /* 1 - a from whole numbers */
        const nb_int128 p = load.exact.numerator, q = load.exact.denominator;
        const nb_int128 whole = burst.numerator * (q - p);
        out->rests =
            (long double)(whole - burst.denominator * p) / (long double)whole;
    } else if (out->rests > 0) {
        out->error += 6 * LDBL_EPSILON / out->rests;
    }
    return out->rests < 0 ? source_refuse(burst, load, err) : NB_OK;
}

/* A Markov-modulated source: probabilities as given, rates from the load. */
static enum nb_status source_find_mmp(const struct nb_arrivals *arrivals,
                                      struct nb_queue_load load,
                                      struct nb_source *out,
                                      struct nb_error *err)
{
    const struct nb_ratio one = nb_ratio_one;
    const struct nb_ratio most = nb_mmp_most(arrivals);
    const struct nb_ratio exact = nb_ratio_divide(load.exact, most);
    const long double sends = nb_ratio_is_known(exact)
                                  ? phases_value(exact)
                                  : load.rho / phases_value(most);
    char text[NB_RATIO_TEXT];
    *out = (struct nb_source){
        .starts = phases_value(arrivals->alpha),
        .rests = phases_value(nb_ratio_subtract(one, arrivals->alpha)),
        .ends = phases_value(arrivals->beta),
        .goes_on = phases_value(nb_ratio_subtract(one, arrivals->beta)),
        .error = LDBL_EPSILON,
        .sends = sends,
        .murmurs = sends * phases_value(arrivals->low),
        .rate_error = 4 * LDBL_EPSILON,
    };
    if (sends <= 1)
        return NB_OK;
    nb_ratio_print(most, text);
    return nb_fail(err, NB_INVALID,
                   "load %.18Lg is not permitted with mmp arrivals of alpha "
                   "%.18Lg, beta %.18Lg and low %.18Lg (permitted: up to %s, "
                   "a packet in every cycle of the bursty state)",
                   load.rho, out->starts, out->ends,
                   phases_value(arrivals->low), text);
}

enum nb_status nb_source_of(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load, struct nb_source *out,
                            struct nb_error *err)
{
    return arrivals->kind == NB_ARRIVE_MMP
               ? source_find_mmp(arrivals, load, out, err)
               : nb_source_find(arrivals->burst, load, out, err);
}

/* Requires that a source does not alternate forever in step with all others. */
static enum nb_status phases_source(const struct nb_arrivals *arrivals,
                                    struct nb_queue_load load,
                                    struct nb_source *out, struct nb_error *err)
{
    const enum nb_status status = nb_source_of(arrivals, load, out, err);
    if (status != NB_OK || out->rests > 0 || out->goes_on > 0)
        return status;
    if (arrivals->kind == NB_ARRIVE_MMP)
        return nb_fail(err, NB_INVALID,
                       "arrivals mmp with alpha and beta 1 are not permitted "
                       "(permitted: one of them below 1; otherwise sources "
                       "alternate between both states forever)");
    return nb_fail(
        err, NB_INVALID,
        "load %.18Lg is not permitted with bursts of 1 packet (permitted: "
        "below 1/2; at 1/2, sources alternate between both states forever)",
        load.rho);
}

static enum nb_status phases_check(const struct nb_arrivals *arrivals,
                                   struct nb_error *err)
{
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    const int64_t most =
        by_burst ? NB_ONOFF_RADIX_BURST : NB_ONOFF_RADIX_PACKET;
    if (arrivals->radix <= most)
        return NB_OK;
    if (arrivals->kind == NB_ARRIVE_MMP)
        return nb_fail(err, NB_INVALID,
                       "radix %lld is not permitted with mmp arrivals "
                       "(permitted: 1 to %lld)",
                       (long long)arrivals->radix, (long long)most);
    return nb_fail(err, NB_INVALID,
                   "radix %lld is not permitted with onoff arrivals spread by "
                   "%s (permitted: 1 to %lld)",
                   (long long)arrivals->radix, by_burst ? "burst" : "packet",
                   (long long)most);
}

/* How one source ends a slot: idle, ON for this queue, ON for others. */
struct outcome {
    long double none, here, elsewhere;
};

/* Adds one more source to distribution over (here, elsewhere), below height and
 * width. */
static void phases_add(long double *distribution, size_t height, size_t width,
                       struct outcome source)
{
    for (size_t h = height; h-- > 0;)
        for (size_t e = width; e-- > 0;) {
            long double value = distribution[h * width + e] * source.none;
            if (h > 0)
                value += distribution[(h - 1) * width + e] * source.here;
            if (e > 0)
                value += distribution[h * width + e - 1] * source.elsewhere;
            distribution[h * width + e] = value;
        }
}

/* One row of change: that of the phase (here, elsewhere) in which a slot
 * starts. */
static void phases_row(struct nb_phases *phases, size_t radix, size_t others,
                       size_t here, size_t elsewhere, long double at_this,
                       long double *distribution, long double *row)
{
    const struct nb_source *source = &phases->source;
    const struct outcome sends = { source->ends, source->goes_on, 0 };
    const struct outcome busy = { source->ends, 0, source->goes_on };
    const struct outcome off = {
        source->rests,
        source->starts * at_this,
        others > 0
            ? source->starts * (long double)(radix - 1) / (long double)radix
            : 0,
    };
    const size_t height = radix + 1, width = others + 1;
    memset(distribution, 0, height * width * sizeof *distribution);
    distribution[0] = 1;
    for (size_t i = 0; i < radix; i++)
        phases_add(distribution, height, width,
                   i < here               ? sends
                   : i < here + elsewhere ? busy
                                          : off);
    for (size_t h = 0; h <= radix; h++)
        for (size_t e = 0; e <= others && h + e <= radix; e++)
            *row++ = distribution[h * width + e];
}

/* P(A = l | phase), sender by sender; the first on senders are ON. */
static void phases_share(const struct nb_phases *phases, size_t phase,
                         size_t on)
{
    long double *share = phases->share + phase * (phases->most + 1);
    share[0] = 1;
    for (size_t s = 0; s < phases->senders[phase]; s++) {
        const long double join = s < on ? phases->join : phases->murmur;
        const long double stay = s < on ? phases->stay : 1 - phases->murmur;
        for (size_t l = s + 2; l-- > 0;)
            share[l] = share[l] * stay + (l > 0 ? share[l - 1] * join : 0);
    }
}

enum nb_status nb_phases_build(const struct nb_arrivals *arrivals,
                               struct nb_queue_load load, struct nb_phases *out,
                               struct nb_error *err)
{
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    long double *distribution = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_phases){ 0 };
    NB_TRY(phases_check(arrivals, err));
    NB_TRY(phases_source(arrivals, load, &out->source, err));
    const size_t k = (size_t)arrivals->radix, others = by_burst ? k : 0;
    const long double part = 1 / (long double)k;
    out->count = by_burst ? (k + 1) * (k + 2) / 2 : k + 1;
    out->silent = k + 1;
    out->calm = by_burst ? 2 * k + 1 : k + 1;
    out->most = k;
    out->join = by_burst ? 1 : part;
    out->stay = by_burst ? 0 : (long double)(k - 1) / (long double)k;
    if (arrivals->kind == NB_ARRIVE_MMP) {
        out->join = out->source.sends / (long double)k;
        out->stay = 1 - out->join;
        out->murmur = out->source.murmurs / (long double)k;
    }
    struct nb_pool *pool = &out->pool;
    out->senders = nb_pool_array(pool, out->count, sizeof *out->senders);
    out->first = nb_pool_array(pool, k + 2, sizeof *out->first);
    out->change =
        nb_pool_array(pool, out->count * out->count, sizeof *out->change);
    out->share = nb_pool_array(pool, out->count * (k + 1), sizeof *out->share);
    NB_TRY(nb_pool_check(pool, "phases", err));
    NB_TRY(nb_new(&distribution, (k + 1) * (others + 1), sizeof *distribution,
                  "phases", err));
    size_t phase = 0;
    for (size_t h = 0; h <= k; h++)
        for (size_t e = 0; e <= others && h + e <= k; e++, phase++) {
            out->senders[phase] = out->murmur > 0 ? k : h;
            phases_share(out, phase, h);
            phases_row(out, k, others, h, e, by_burst ? part : 1, distribution,
                       out->change + phase * out->count);
        }
    for (size_t l = 0; l < k + 2; l++)
        while (out->first[l] < out->count && out->senders[out->first[l]] < l)
            out->first[l]++;
done:
    nb_delete(distribution);
    if (status != NB_OK)
        nb_phases_release(out);
    return status;
}
