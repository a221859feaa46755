#include "queueing/reorder.h"

#include "core/memory.h"
#include "core/twofold_math.h"
#include "core/twofold_rows.h"
#include "queueing/phases.h"
#include "queueing/scaled.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct nb_twofold one = { 1, 0 };

/* Input and results of the recursion over slots; probabilities times
 * NB_DISTRIBUTION_SCALE. Owns on and off. */
struct slots {
    const struct nb_distribution *delay;
    struct nb_queue_load load;
    struct nb_source source;     /* all 0: no bursts */
    struct nb_twofold quietly;   /* P(a packet is sent OFF), not scaled */
    struct nb_twofold *on, *off; /* [most + 2] P(count >= n) */
    size_t first, last, most;    /* 1 before first, 0 after last */
    double cutoff;               /* smaller values are left out */
    bool has_cut;                /* something was left out */
};

static void slots_release(struct slots *work)
{
    nb_delete(work->on);
    nb_delete(work->off);
}

static struct nb_twofold scaled_rest(struct nb_twofold value)
{
    return nb_twofold_subtract(nb_scaled(one), value);
}

static bool reorder_is_low(const struct nb_distribution *delay, size_t i)
{
    return delay->tail[i].high < 0.5 * NB_DISTRIBUTION_SCALE;
}

/* 1 - P(X >= i) if P(X >= i) < 1/2; otherwise the sum of masses. */
static struct nb_twofold reorder_below(const struct nb_distribution *delay,
                                       size_t i, struct nb_twofold sum)
{
    return reorder_is_low(delay, i) ? scaled_rest(delay->tail[i]) : sum;
}

/* Its relative error. This also bounds that of a mean of neighbouring tails
 * with it and P(X >= i) as weights: at most the error of both weights, relative
 * to it. */
static double reorder_below_error(const struct nb_distribution *delay, size_t i)
{
    const double tail = nb_scaled_value(delay->tail[i]);
    if (i == 0) /* no delay is below 0 */
        return 0;
    if (!reorder_is_low(delay, i))
        return delay->error + (double)i * NB_TWOFOLD_ERROR;
    const double last = nb_scaled_value(delay->tail[delay->length]);
    return 2 * (delay->error * tail + delay->far_error * last) +
           NB_TWOFOLD_ERROR;
}

/* The most that the delays from length on, and those below
 * NB_DISTRIBUTION_LEAST, may add to a probability or change it by. */
static struct nb_twofold reorder_far(const struct nb_distribution *delay)
{
    const struct nb_twofold tail = delay->tail[delay->length];
    const double least = NB_DISTRIBUTION_LEAST * NB_DISTRIBUTION_SCALE;
    if (!(tail.high > 0))
        return nb_twofold_from(0);
    const struct nb_twofold off =
        nb_twofold_add(nb_twofold_times(tail, delay->error + delay->far_error),
                       nb_twofold_times(nb_twofold_from(least),
                                        delay->error * (double)delay->length));
    return nb_twofold_add(tail, nb_twofold_times(off, 1 + 0x1p-50));
}

/* Doubles around the probability range from low (1 - error) - slack to high (1
 * + error) + slack. */
static struct nb_bracket reorder_bracket(struct nb_twofold low,
                                         struct nb_twofold high, double error,
                                         struct nb_twofold slack)
{
    const double wide = error * (1 + 0x1p-50) + 4 * NB_TWOFOLD_ERROR;
    const struct nb_twofold lower = nb_twofold_subtract(
        low, nb_twofold_add(nb_twofold_times(low, wide), slack));
    const struct nb_twofold upper = nb_twofold_add(
        high, nb_twofold_add(nb_twofold_times(high, wide), slack));
    const double most = nb_scaled_bracket_of(upper, 0).upper;
    return (struct nb_bracket){
        lower.high > 0 ? nb_scaled_bracket_of(lower, 0).lower : 0,
        most < 1 ? most : 1,
    };
}

enum { SLOTS_BLOCK = 8 };

/* Adds counts to tails, after a packet in whichever state it was sent. */
static void slots_add(const struct slots *work, struct nb_twofold mass,
                      size_t n, size_t count, struct nb_twofold *tail)
{
    const struct nb_twofold quiet = nb_twofold_multiply(mass, work->quietly);
    const struct nb_twofold loud =
        nb_twofold_multiply(mass, nb_twofold_subtract(one, work->quietly));
    nb_twofold_sums(1, &loud, work->on + n, 1, count, NB_DISTRIBUTION_SCALE,
                    tail + n);
    if (work->quietly.high > 0)
        nb_twofold_sums(1, &quiet, work->off + n, 1, count,
                        NB_DISTRIBUTION_SCALE, tail + n);
}

/* A state's packet is in time with probability below, or late: the factors of
 * the counts at n and at n - 1. */
static void slots_factors(struct nb_twofold sends, struct nb_twofold silent,
                          struct nb_twofold late, struct nb_twofold below,
                          struct nb_twofold factor[2])
{
    factor[0] =
        nb_twofold_add(nb_twofold_multiply(sends, late), nb_scaled(silent));
    factor[1] = nb_twofold_multiply(sends, below);
}

/* One more slot, for the counts from n on. */
static void slots_move(struct slots *work, const struct nb_twofold sent[2],
                       const struct nb_twofold kept[2], size_t n, size_t count)
{
    const struct nb_source *source = &work->source;
    const struct nb_twofold to_on[] = { source->goes_on, source->ends };
    const struct nb_twofold to_off[] = { source->starts, source->rests };
    struct nb_twofold state[2][SLOTS_BLOCK] = { 0 };
    const size_t size = count * sizeof *work->on;
    nb_twofold_sums(2, sent, work->on + n, -1, count, NB_DISTRIBUTION_SCALE,
                    state[0]);
    if (work->off == NULL) {
        memcpy(work->on + n, state[0], size);
        return;
    }
    nb_twofold_sums(2, kept, work->off + n, -1, count, NB_DISTRIBUTION_SCALE,
                    state[1]);
    memset(work->on + n, 0, size);
    memset(work->off + n, 0, size);
    nb_twofold_sums(2, to_on, state[0], SLOTS_BLOCK, count, 1, work->on + n);
    nb_twofold_sums(2, to_off, state[0], SLOTS_BLOCK, count, 1, work->off + n);
}

/* Adds counts to tails, then adds one more slot to the counts; its packet is in
 * time with probability below. */
static void slots_step(struct slots *work, size_t i, struct nb_twofold below,
                       struct nb_twofold *tail)
{
    const struct nb_source *source = &work->source;
    const struct nb_twofold late = work->delay->tail[i];
    const size_t first = work->first;
    size_t end = work->last < work->most ? work->last + 2 : work->most + 1;
    struct nb_twofold sent[2], kept[2] = { 0 };
    if (end <= first)
        return;
    slots_add(work, work->delay->mass[i], first, end - first, tail);
    if (work->off == NULL) {
        slots_factors(work->load.rho, work->load.idle, late, below, sent);
    } else {
        slots_factors(source->sends, nb_twofold_subtract(one, source->sends),
                      late, below, sent);
        slots_factors(source->murmurs,
                      nb_twofold_subtract(one, source->murmurs), late, below,
                      kept);
    }
    /* from the top, since each count needs the one before it */
    while (end > first) {
        const size_t rest = end - first;
        const size_t count = rest < SLOTS_BLOCK ? rest : SLOTS_BLOCK;
        end -= count;
        slots_move(work, sent, kept, end, count);
    }
}

/* This close to 1, a tail counts as 1. */
#define SLOTS_WHOLE 0x1p-84

static bool slots_are_whole(const struct slots *work, size_t n)
{
    const double most = SLOTS_WHOLE * NB_DISTRIBUTION_SCALE;
    return scaled_rest(work->on[n]).high <= most &&
           (work->off == NULL || scaled_rest(work->off[n]).high <= most);
}

/* Moves the ends of the stored range. A tail that has reached 1 stays 1 for all
 * later delays, which are more than i. */
static void slots_trim(struct slots *work, size_t i, struct nb_twofold *tail)
{
    struct nb_twofold *on = work->on, *off = work->off;
    const size_t next = work->last + 1;
    if (next <= work->most) {
        if (on[next].high >= work->cutoff ||
            (off != NULL && off[next].high >= work->cutoff)) {
            work->last = next;
        } else {
            work->has_cut |=
                on[next].high > 0 || (off != NULL && off[next].high > 0);
            on[next] = nb_twofold_from(0);
            if (off != NULL)
                off[next] = nb_twofold_from(0);
        }
    }
    while (work->first <= work->last && slots_are_whole(work, work->first)) {
        on[work->first] = nb_scaled(one);
        if (off != NULL)
            off[work->first] = nb_scaled(one);
        slots_add(work, work->delay->tail[i + 1], work->first, 1, tail);
        work->first++;
    }
}

/* Fills tail [most + 1]. Returns the relative error of the counts used for the
 * last delay, which does not include that of its own slot. */
static double slots_run(struct slots *work, struct nb_twofold *tail)
{
    const struct nb_distribution *delay = work->delay;
    const double rounding = work->source.error + 2 * work->source.rate_error +
                            6 * NB_TWOFOLD_ROWS_ERROR + SLOTS_WHOLE;
    struct nb_twofold sum = { 0, 0 };
    double error = 0, used = 0;
    work->on[0] = tail[0] = nb_scaled(one);
    if (work->off != NULL)
        work->off[0] = nb_scaled(one);
    work->first = 1;
    for (size_t d = 0; d < delay->length; d++) {
        slots_step(work, d, reorder_below(delay, d, sum), tail);
        slots_trim(work, d, tail);
        used = error;
        error += reorder_below_error(delay, d) + rounding;
        sum = nb_twofold_add(sum, delay->mass[d]);
    }
    return used;
}

/* low beta / (alpha + low beta) */
static struct nb_twofold slots_quietly(const struct nb_arrivals *mmp)
{
    const struct nb_twofold quiet = nb_twofold_multiply(
        nb_twofold_of_ratio(mmp->low), nb_twofold_of_ratio(mmp->beta));
    return nb_twofold_divide(
        quiet, nb_twofold_add(nb_twofold_of_ratio(mmp->alpha), quiet));
}

enum nb_status nb_reorder_find(const struct nb_distribution *delay,
                               const struct nb_reorder_source *source,
                               double least, size_t most,
                               struct nb_reorder *out, struct nb_error *err)
{
    const bool is_bursty =
        nb_ratio_is_known(source->burst) || source->mmp != NULL;
    struct slots work = { .delay = delay, .load = source->load };
    enum nb_status status = NB_OK;
    *out = (struct nb_reorder){ 0 };
    NB_TRY(nb_distribution_check(delay, 1, err));
    NB_TRY(nb_load_check(source->load, 1, err));
    if (!(least > 0))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "reorder tails from %g on (permitted: above 0)", least));
    const double steps = (double)delay->length;
    work.cutoff = least / steps * NB_DISTRIBUTION_SCALE;
    work.most = most < delay->length ? most : delay->length;
    if (source->mmp != NULL) {
        NB_TRY(nb_arrivals_check(source->mmp, source->load, err));
        NB_TRY(nb_source_of(source->mmp, source->load, &work.source, err));
        work.quietly = slots_quietly(source->mmp);
    } else if (is_bursty) {
        NB_TRY(nb_source_find(source->burst, source->load, &work.source, err));
    }
    NB_TRY(nb_new(&work.on, work.most + 1, sizeof *work.on, "packets", err));
    if (is_bursty)
        NB_TRY(
            nb_new(&work.off, work.most + 1, sizeof *work.off, "packets", err));
    NB_TRY(nb_new(&out->tail, work.most + 1, sizeof *out->tail, "reorder tails",
                  err));
    out->error = expm1(slots_run(&work, out->tail) + delay->error +
                       (steps + 4) * NB_TWOFOLD_ROWS_ERROR) *
                 (1 + 0x1p-51);
    out->slack = nb_twofold_more(
        reorder_far(delay), work.has_cut ? least * NB_DISTRIBUTION_SCALE : 0);
    out->length = work.last + 1;
done:
    slots_release(&work);
    return status;
}

void nb_reorder_release(struct nb_reorder *reorder)
{
    nb_delete(reorder->tail);
    *reorder = (struct nb_reorder){ 0 };
}

struct nb_bracket nb_reorder_tail(const struct nb_reorder *reorder, size_t n)
{
    const struct nb_twofold value =
        n < reorder->length ? reorder->tail[n] : nb_twofold_from(0);
    if (n == 0)
        return (struct nb_bracket){ 1, 1 };
    if (reorder->length == 0)
        return (struct nb_bracket){ 0, 1 };
    return reorder_bracket(value, value, reorder->error, reorder->slack);
}

struct nb_bracket nb_reorder_depth(const struct nb_reorder *reorder,
                                   double overflow)
{
    size_t lower = 0;
    while (lower < reorder->length &&
           nb_reorder_tail(reorder, lower).lower >= overflow)
        lower++;
    size_t upper = lower;
    while (upper < reorder->length &&
           nb_reorder_tail(reorder, upper).upper >= overflow)
        upper++;
    const bool is_reached =
        nb_reorder_tail(reorder, upper > 0 ? upper : 1).upper < overflow;
    return (struct nb_bracket){ (double)lower,
                                is_reached ? (double)upper : INFINITY };
}

enum nb_status nb_reorder_bound_find(const struct nb_distribution *delay,
                                     struct nb_queue_load load,
                                     struct nb_reorder_bound *out,
                                     struct nb_error *err)
{
    enum nb_status status = nb_distribution_check(delay, 1, err);
    *out = (struct nb_reorder_bound){ 0 };
    if (status == NB_OK)
        status = nb_load_check(load, 1, err);
    if (status != NB_OK)
        return status;
    const size_t length = delay->length;
    status =
        nb_new(&out->sum, length + 1, sizeof *out->sum, "reorder bound", err);
    if (status != NB_OK)
        return status;
    out->delay = delay;
    const struct nb_twofold rho =
        nb_twofold_shift(load.rho, 1 / NB_DISTRIBUTION_SCALE);
    struct nb_twofold sum = { 0, 0 };
    double worst = 0;
    for (size_t d = 0; d < length; d++) {
        const double error = reorder_below_error(delay, d);
        worst = error > worst ? error : worst;
        out->sum[d + 1] = nb_twofold_add(
            out->sum[d],
            nb_twofold_multiply(rho, reorder_below(delay, d, sum)));
        sum = nb_twofold_add(sum, delay->mass[d]);
    }
    out->error = worst + ((double)length + 4) * NB_TWOFOLD_ERROR;
    return NB_OK;
}

void nb_reorder_bound_release(struct nb_reorder_bound *bound)
{
    nb_delete(bound->sum);
    nb_delete(bound->tail);
    *bound = (struct nb_reorder_bound){ 0 };
}

/* The first d with S_d >= n, or the delay's length. */
static size_t reorder_bound_reach(const struct nb_reorder_bound *bound,
                                  double n)
{
    size_t low = 0, high = bound->delay->length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bound->sum[middle].high >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* exp(exponent) at S_d < n, times NB_DISTRIBUTION_SCALE, with the exponent
 * rounded up; it is at most 0 and grows with S_d. error: a bound of that of the
 * exponent, whose derivative by S is n/S - 1. */
static struct nb_twofold reorder_power(const struct nb_reorder_bound *bound,
                                       size_t d, double n, double *error)
{
    const struct nb_twofold s = bound->sum[d];
    const struct nb_twofold part = nb_twofold_times(
        nb_twofold_log(nb_twofold_divide(s, nb_twofold_from(n))), n);
    const struct nb_twofold gap = nb_twofold_subtract(nb_twofold_from(n), s);
    *error = (gap.high * bound->error * 2 +
              2 * NB_TWOFOLD_MATH_ERROR * (n + s.high - part.high)) *
             (1 + 0x1p-51);
    const struct nb_twofold most =
        nb_twofold_more(nb_twofold_add(gap, part), *error);
    return most.high < 0 ? nb_twofold_exp(most, NB_DISTRIBUTION_POWER)
                         : nb_scaled(one);
}

/* Brackets a sum of terms for n >= 1, allowing for the errors of the delays. */
static struct nb_bracket reorder_bound_of(const struct nb_reorder_bound *bound,
                                          struct nb_twofold low,
                                          struct nb_twofold high)
{
    const struct nb_distribution *delay = bound->delay;
    const double error =
        delay->error + ((double)delay->length + 8) * NB_TWOFOLD_ERROR;
    return reorder_bracket(low, high, error, reorder_far(delay));
}

/* Terms below this fraction of a sum of bounds are not summed one by one. */
#define TERMS_LEAST 0x1p-68

/* The exponentials of one n, times NB_DISTRIBUTION_SCALE. Owns value. */
struct terms {
    struct nb_twofold *value; /* [delay->length] upper bounds; at low, of all
                               * below */
    size_t low, high; /* stored for low <= d < high, the first S_d >= n */
    double entry;     /* the largest relative error of one when it entered */
};

/* The relative increase of a term's upper bound with each n: the error of S_d
 * and those of its factor. */
static double terms_slack(const struct nb_reorder_bound *bound)
{
    return bound->error + 4 * NB_TWOFOLD_MATH_ERROR;
}

/* e (n-1)^(n-1) / n^n, rounded up. */
static struct nb_twofold terms_factor(const struct nb_reorder_bound *bound,
                                      double n)
{
    const double last = n - 1;
    const struct nb_twofold part = nb_twofold_times(
        nb_twofold_log1p(nb_twofold_divide(one, nb_twofold_from(last))), last);
    const struct nb_twofold factor = nb_twofold_divide(
        nb_twofold_exp(nb_twofold_subtract(one, part), 0), nb_twofold_from(n));
    return nb_twofold_add(factor, nb_twofold_times(factor, terms_slack(bound)));
}

/* value[d] *= sum[d] factor */
NB_TWOFOLD_CLONES static void terms_multiply(const struct nb_twofold *sum,
                                             struct nb_twofold factor,
                                             size_t count,
                                             struct nb_twofold *value)
{
    for (size_t d = 0; d < count; d++)
        value[d] =
            nb_twofold_multiply(value[d], nb_twofold_multiply(sum[d], factor));
}

/* Moves from n - 1 to n and adds the terms that enter. */
static void terms_move(const struct nb_reorder_bound *bound, size_t n,
                       struct terms *terms)
{
    const double k = (double)n;
    if (n > 1)
        terms_multiply(bound->sum + terms->low, terms_factor(bound, k),
                       terms->high - terms->low, terms->value + terms->low);
    for (;
         terms->high < bound->delay->length && bound->sum[terms->high].high < k;
         terms->high++) {
        double error = 0;
        if (bound->sum[terms->high].high > 0)
            terms->value[terms->high] =
                reorder_power(bound, terms->high, k, &error);
        else
            terms->low = terms->high; /* a term that is always 0 */
        terms->entry = fmax(terms->entry, error);
    }
}

/* Sums them from the greatest delay down. Negligible terms are dropped, since
 * they only shrink with n. */
NB_TWOFOLD_CLONES static struct nb_bracket
terms_sum(const struct nb_reorder_bound *bound, size_t n, struct terms *terms)
{
    const struct nb_distribution *delay = bound->delay;
    const double rise = 2 * terms_slack(bound);
    const double most = 2 * terms->entry + rise * (double)n;
    size_t d = terms->high;
    struct nb_twofold sum = { 0, 0 };
    const struct nb_twofold far = delay->tail[d];
    double high = far.high, lost = 0;
    while (d > terms->low + 1) {
        const struct nb_twofold value = terms->value[--d];
        if (value.high < high * TERMS_LEAST) {
            terms->low = d;
            break;
        }
        const struct nb_twofold term =
            nb_scaled_multiply(delay->mass[d], value);
        const double error = most - rise * bound->sum[d].high;
        sum = nb_twofold_add(sum, term);
        high += term.high;
        lost += term.high * fmin(error, 1);
    }
    const struct nb_twofold low = nb_twofold_more(sum, -lost * (1 + 0x1p-30));
    return reorder_bound_of(
        bound, terms->high < delay->length ? nb_twofold_add(far, low) : low,
        nb_twofold_add(nb_twofold_add(far, sum), terms->value[terms->low]));
}

enum nb_status nb_reorder_bound_list(struct nb_reorder_bound *bound,
                                     double overflow, struct nb_error *err)
{
    const size_t length = bound->delay != NULL ? bound->delay->length : 0;
    struct terms terms = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&terms.value, length, sizeof *terms.value, "bound", err));
    NB_TRY(nb_new(&bound->tail, length, sizeof *bound->tail, "bound", err));
    for (size_t n = 0; n < length; n++) {
        if (n > 0)
            terms_move(bound, n, &terms);
        bound->tail[n] =
            n > 0 ? terms_sum(bound, n, &terms) : (struct nb_bracket){ 1, 1 };
        bound->listed = n + 1;
        if (bound->tail[n].upper < overflow)
            break;
    }
done:
    nb_delete(terms.value);
    return status;
}

struct nb_bracket nb_reorder_bound_tail(const struct nb_reorder_bound *bound,
                                        size_t n)
{
    const struct nb_distribution *delay = bound->delay;
    if (delay == NULL)
        return (struct nb_bracket){ n == 0, 1 };
    if (n < bound->listed)
        return bound->tail[n];
    const double k = (double)n;
    size_t d = reorder_bound_reach(bound, k);
    const bool is_inside = d < delay->length;
    struct nb_twofold high = delay->tail[d];
    struct nb_twofold low = is_inside ? high : nb_twofold_from(0);
    /* Below this d the exponentials fall as d falls, so that all remaining ones
     * together are less than the next. */
    while (d-- > 0 && bound->sum[d].high > 0) {
        double error;
        const struct nb_twofold next = reorder_power(bound, d, k, &error);
        if (next.high < high.high * TERMS_LEAST) {
            high = nb_twofold_add(high, next);
            break;
        }
        const struct nb_twofold term = nb_scaled_multiply(delay->mass[d], next);
        high = nb_twofold_add(high, term);
        if (error < 0.5)
            low = nb_twofold_add(
                low,
                nb_twofold_subtract(term, nb_twofold_times(term, 2 * error)));
    }
    return n == 0 ? (struct nb_bracket){ 1, 1 }
                  : reorder_bound_of(bound, low, high);
}

/* The least n > low for which one end of the bracket is below overflow. */
static double reorder_bound_search(const struct nb_reorder_bound *bound,
                                   double overflow, bool is_sure)
{
    size_t low = 0, high = 1;
    for (;;) {
        const struct nb_bracket tail = nb_reorder_bound_tail(bound, high);
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            break;
        if (high > SIZE_MAX / 2)
            return INFINITY;
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const struct nb_bracket tail = nb_reorder_bound_tail(bound, middle);
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            high = middle;
        else
            low = middle;
    }
    return (double)high;
}

struct nb_bracket nb_reorder_bound_depth(const struct nb_reorder_bound *bound,
                                         double overflow)
{
    return (struct nb_bracket){
        reorder_bound_search(bound, overflow, false),
        reorder_bound_search(bound, overflow, true),
    };
}
