#include "queueing/phases.h"

#include "core/memory.h"
#include "core/twofold_rows.h"
#include "queueing/onoff.h"

#include <string.h>

void nb_phases_release(struct nb_phases *phases)
{
    nb_pool_release(&phases->pool);
    *phases = (struct nb_phases){ 0 };
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
                   "load %.15g is not permitted with bursts of %.15g "
                   "packets (permitted: up to %s, since a source pauses for a "
                   "slot at least after each burst)",
                   load.rho.high, nb_ratio_value(burst), most);
}

enum nb_status nb_source_find(struct nb_ratio burst, struct nb_queue_load load,
                              struct nb_source *out, struct nb_error *err)
{
    const struct nb_ratio one = nb_ratio_one;
    const struct nb_ratio ends = nb_ratio_divide(one, burst);
    const struct nb_twofold starts = nb_twofold_divide(
        load.rho, nb_twofold_multiply(nb_twofold_of_ratio(burst), load.idle));
    *out = (struct nb_source){
        .starts = starts,
        .rests = nb_twofold_subtract(nb_twofold_from(1), starts),
        .ends = nb_twofold_of_ratio(ends),
        .goes_on = nb_twofold_of_ratio(nb_ratio_subtract(one, ends)),
        .error = 6 * NB_TWOFOLD_ERROR,
        .sends = { 1, 0 },
    };
    if (nb_ratio_is_known(load.exact)) { /* 1 - a from whole numbers */
        const nb_int128 p = load.exact.numerator, q = load.exact.denominator;
        const nb_int128 whole = burst.numerator * (q - p);
        out->rests = nb_twofold_divide(
            nb_twofold_of(whole - burst.denominator * p), nb_twofold_of(whole));
    } else if (out->rests.high > 0) {
        out->error += 6 * NB_TWOFOLD_ERROR / out->rests.high;
    }
    return out->rests.high < 0 ? source_refuse(burst, load, err) : NB_OK;
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
    const struct nb_twofold sends =
        nb_ratio_is_known(exact)
            ? nb_twofold_of_ratio(exact)
            : nb_twofold_divide(load.rho, nb_twofold_of_ratio(most));
    char text[NB_RATIO_TEXT];
    *out = (struct nb_source){
        .starts = nb_twofold_of_ratio(arrivals->alpha),
        .rests = nb_twofold_of_ratio(nb_ratio_subtract(one, arrivals->alpha)),
        .ends = nb_twofold_of_ratio(arrivals->beta),
        .goes_on = nb_twofold_of_ratio(nb_ratio_subtract(one, arrivals->beta)),
        .error = NB_TWOFOLD_ERROR,
        .sends = sends,
        .murmurs =
            nb_twofold_multiply(sends, nb_twofold_of_ratio(arrivals->low)),
        .rate_error = 4 * NB_TWOFOLD_ERROR,
    };
    if (!nb_twofold_is_less(nb_twofold_from(1), sends))
        return NB_OK;
    nb_ratio_print(most, text);
    return nb_fail(err, NB_INVALID,
                   "load %.15g is not permitted with mmp arrivals of alpha "
                   "%.15g, beta %.15g and low %.15g (permitted: up to %s, "
                   "a packet in every cycle of the bursty state)",
                   load.rho.high, out->starts.high, out->ends.high,
                   nb_ratio_value(arrivals->low), text);
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
    if (status != NB_OK || out->rests.high > 0 || out->goes_on.high > 0)
        return status;
    if (arrivals->kind == NB_ARRIVE_MMP)
        return nb_fail(err, NB_INVALID,
                       "arrivals mmp with alpha and beta 1 are not permitted "
                       "(permitted: one of them below 1; otherwise sources "
                       "alternate between both states forever)");
    return nb_fail(
        err, NB_INVALID,
        "load %.15g is not permitted with bursts of 1 packet (permitted: "
        "below 1/2; at 1/2, sources alternate between both states forever)",
        load.rho.high);
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
    struct nb_twofold none, here, elsewhere;
};

/* A distribution over (here, elsewhere), times NB_DISTRIBUTION_SCALE, with here
 * < height, elsewhere < width; zeros before every row and a row of zeros before
 * all. Owns at. */
struct grid {
    size_t height, width;
    struct nb_twofold *at;
};

static struct nb_twofold *grid_row(const struct grid *grid, size_t elsewhere)
{
    return grid->at + (elsewhere + 1) * (grid->height + 1) + 1;
}

static enum nb_status grid_reserve(struct grid *grid, struct nb_error *err)
{
    return nb_new(&grid->at, (grid->height + 1) * (grid->width + 1),
                  sizeof *grid->at, "phases", err);
}

static void grid_clear(const struct grid *grid)
{
    memset(grid->at, 0,
           (grid->height + 1) * (grid->width + 1) * sizeof *grid->at);
    *grid_row(grid, 0) = nb_twofold_from(NB_DISTRIBUTION_SCALE);
}

/* Adds one more source to the grid, in place from the top. */
static void phases_add(const struct grid *grid, struct outcome source)
{
    enum { BLOCK = 8 };
    const struct nb_twofold own[] = { source.none, source.here };
    for (size_t e = grid->width; e-- > 0;)
        for (size_t h = grid->height; h > 0;) {
            const size_t count = h < BLOCK ? h : BLOCK;
            struct nb_twofold sum[BLOCK] = { 0 }, *at = grid_row(grid, e);
            h -= count;
            at += h;
            nb_twofold_sums(2, own, at, -1, count, 1, sum);
            if (source.elsewhere.high > 0)
                nb_twofold_sums(1, &source.elsewhere, at - (grid->height + 1),
                                1, count, 1, sum);
            memcpy(at, sum, count * sizeof *sum);
        }
}

/* One row of change: that of the phase (here, elsewhere) in which a slot
 * starts. */
static void phases_row(const struct nb_phases *phases, const struct grid *grid,
                       size_t here, size_t elsewhere, struct nb_twofold *row)
{
    const struct nb_source *source = &phases->source;
    const size_t radix = phases->most, others = grid->width - 1;
    const struct nb_twofold k = nb_twofold_from((double)radix);
    const struct nb_twofold none = { 0, 0 };
    const struct nb_twofold at_this = nb_twofold_divide(source->starts, k);
    const struct outcome sends = { source->ends, source->goes_on, none };
    const struct outcome busy = { source->ends, none, source->goes_on };
    const struct outcome off = {
        source->rests,
        others > 0 ? at_this : source->starts,
        others > 0 ? nb_twofold_times(at_this, (double)(radix - 1)) : none,
    };
    grid_clear(grid);
    for (size_t i = 0; i < radix; i++)
        phases_add(grid, i < here ? sends : i < here + elsewhere ? busy : off);
    for (size_t h = 0; h <= radix; h++)
        for (size_t e = 0; e <= others && h + e <= radix; e++)
            *row++ = grid_row(grid, e)[h];
}

/* P(A = l | phase), sender by sender; the first on senders are ON. */
static void phases_share(const struct nb_phases *phases,
                         const struct grid *line, size_t phase, size_t on)
{
    const struct nb_twofold none = { 0, 0 }, murmur = phases->murmur;
    const struct outcome loud = { phases->stay, phases->join, none };
    const struct outcome quiet = {
        nb_twofold_subtract(nb_twofold_from(1), murmur), murmur, none
    };
    grid_clear(line);
    for (size_t s = 0; s < phases->senders[phase]; s++)
        phases_add(line, s < on ? loud : quiet);
    for (size_t l = 0; l <= phases->most; l++) {
        const struct nb_twofold share = grid_row(line, 0)[l];
        phases->share[phase * (phases->most + 1) + l] = share;
        phases->arrive[l * phases->count + phase] = share;
    }
}

/* The probabilities that a packet joins this queue. */
static void phases_join(const struct nb_arrivals *arrivals,
                        struct nb_phases *out)
{
    const struct nb_twofold one = { 1, 0 };
    const struct nb_twofold k = nb_twofold_from((double)arrivals->radix);
    const struct nb_twofold rest = nb_twofold_more(k, -1);
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    out->join = by_burst ? one : nb_twofold_divide(one, k);
    out->stay = by_burst ? nb_twofold_from(0) : nb_twofold_divide(rest, k);
    if (arrivals->kind == NB_ARRIVE_MMP) {
        out->join = nb_twofold_divide(out->source.sends, k);
        out->stay = nb_twofold_subtract(one, out->join);
        out->murmur = nb_twofold_divide(out->source.murmurs, k);
    }
}

enum nb_status nb_phases_build(const struct nb_arrivals *arrivals,
                               struct nb_queue_load load, struct nb_phases *out,
                               struct nb_error *err)
{
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    struct grid grid = { 0 }, line = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_phases){ 0 };
    NB_TRY(phases_check(arrivals, err));
    NB_TRY(phases_source(arrivals, load, &out->source, err));
    const size_t k = (size_t)arrivals->radix, others = by_burst ? k : 0;
    out->count = by_burst ? (k + 1) * (k + 2) / 2 : k + 1;
    out->silent = k + 1;
    out->calm = by_burst ? 2 * k + 1 : k + 1;
    out->most = k;
    phases_join(arrivals, out);
    struct nb_pool *pool = &out->pool;
    out->senders = nb_pool_array(pool, out->count, sizeof *out->senders);
    out->first = nb_pool_array(pool, k + 2, sizeof *out->first);
    out->change =
        nb_pool_array(pool, out->count * out->count, sizeof *out->change);
    out->share = nb_pool_array(pool, out->count * (k + 1), sizeof *out->share);
    out->arrive =
        nb_pool_array(pool, out->count * (k + 1), sizeof *out->arrive);
    NB_TRY(nb_pool_check(pool, "phases", err));
    grid = (struct grid){ .height = k + 1, .width = others + 1 };
    line = (struct grid){ .height = k + 1, .width = 1 };
    NB_TRY(grid_reserve(&grid, err));
    NB_TRY(grid_reserve(&line, err));
    size_t phase = 0;
    for (size_t h = 0; h <= k; h++)
        for (size_t e = 0; e <= others && h + e <= k; e++, phase++) {
            out->senders[phase] = out->murmur.high > 0 ? k : h;
            phases_share(out, &line, phase, h);
            phases_row(out, &grid, h, e, out->change + phase * out->count);
        }
    for (size_t l = 0; l < k + 2; l++)
        while (out->first[l] < out->count && out->senders[out->first[l]] < l)
            out->first[l]++;
done:
    nb_delete(grid.at);
    nb_delete(line.at);
    if (status != NB_OK)
        nb_phases_release(out);
    return status;
}
