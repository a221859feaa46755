#include "queueing/reorder.h"

#include "core/memory.h"
#include "queueing/phases.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/* Input and results of the recursion over slots. Owns on and off. */
struct slots {
    const struct nb_distribution *delay;
    long double rho, idle;
    struct nb_source source;  /* all 0: no bursts */
    long double quietly;      /* P(a packet is sent OFF) */
    long double *on, *off;    /* [most + 2] P(count >= n) */
    size_t first, last, most; /* 1 before first, 0 after last */
    long double cutoff;       /* smaller values are left out */
    bool has_cut;             /* something was left out */
};

static void slots_release(struct slots *work)
{
    nb_delete(work->on);
    nb_delete(work->off);
}

/* 1 - P(X >= i) if P(X >= i) < 1/2; otherwise the sum of masses. */
static long double reorder_below(const struct nb_distribution *delay, size_t i,
                                 long double sum)
{
    return delay->tail[i] < 0.5L ? 1 - delay->tail[i] : sum;
}

/* Its relative error. This also bounds that of a mean of neighbouring tails
 * with it and P(X >= i) as weights: at most the error of both weights, relative
 * to it. */
static long double reorder_below_error(const struct nb_distribution *delay,
                                       size_t i)
{
    const long double tail = delay->tail[i];
    if (i == 0) /* no delay is below 0 */
        return 0;
    if (tail >= 0.5L)
        return delay->error + (long double)i * LDBL_EPSILON;
    const long double far = delay->far_error * delay->tail[delay->length];
    return 2 * (delay->error * tail + far) + LDBL_EPSILON;
}

/* The most that the delays from length on, and those below
 * NB_DISTRIBUTION_LEAST, may add to a probability or change it by. */
static long double reorder_far(const struct nb_distribution *delay)
{
    const long double tail = delay->tail[delay->length];
    return tail > 0 ? tail * (1 + delay->error + delay->far_error) +
                          delay->error * NB_DISTRIBUTION_LEAST *
                              (long double)delay->length
                    : 0;
}

/* Doubles around the probability range [low, high]. */
static struct nb_bracket reorder_bracket(long double low, long double high)
{
    const double lower = low > 0 ? nb_bracket_of(low, 0).lower : 0;
    const double upper = nb_bracket_of(high, 0).upper;
    return (struct nb_bracket){ lower, upper < 1 ? upper : 1 };
}

/* P(count >= n) after a packet, in whichever state it was sent. */
static long double slots_counted(const struct slots *work, size_t n)
{
    return work->quietly > 0 ? (1 - work->quietly) * work->on[n] +
                                   work->quietly * work->off[n]
                             : work->on[n];
}

/* Adds counts to tails, then adds one more slot to the counts; its packet is in
 * time with probability below. */
static void slots_step(struct slots *work, size_t i, long double below,
                       long double *tail)
{
    const struct nb_source *source = &work->source;
    const long double late = work->delay->tail[i], mass = work->delay->mass[i];
    long double *on = work->on, *off = work->off;
    const size_t first = work->first;
    size_t n = work->last < work->most ? work->last + 1 : work->most;
    if (work->off == NULL) {
        const long double p = work->rho * below;
        const long double q = work->idle + work->rho * late;
        for (long double here = on[n], less; n >= first; n--, here = less) {
            less = on[n - 1];
            tail[n] += mass * here;
            on[n] = q * here + p * less;
        }
        return;
    }
    for (; n >= first; n--) {
        const long double sent =
            source->sends * (late * on[n] + below * on[n - 1]) +
            (1 - source->sends) * on[n];
        const long double kept =
            source->murmurs * (late * off[n] + below * off[n - 1]) +
            (1 - source->murmurs) * off[n];
        tail[n] += mass * slots_counted(work, n);
        on[n] = source->goes_on * sent + source->ends * kept;
        off[n] = source->starts * sent + source->rests * kept;
    }
}

/* Moves the ends of the stored range. A tail that has reached 1 stays 1 for all
 * later delays, which are more than i. */
static void slots_trim(struct slots *work, size_t i, long double *tail)
{
    long double *on = work->on, *off = work->off;
    const size_t next = work->last + 1;
    if (next <= work->most) {
        if (on[next] >= work->cutoff ||
            (off != NULL && off[next] >= work->cutoff)) {
            work->last = next;
        } else {
            work->has_cut |= on[next] > 0 || (off != NULL && off[next] > 0);
            on[next] = 0;
            if (off != NULL)
                off[next] = 0;
        }
    }
    while (work->first <= work->last && on[work->first] >= 1 - LDBL_EPSILON &&
           (off == NULL || off[work->first] >= 1 - LDBL_EPSILON)) {
        tail[work->first] +=
            slots_counted(work, work->first) * work->delay->tail[i + 1];
        work->first++;
    }
}

/* Fills tail [most + 1]. Returns the relative error of the counts used for the
 * last delay, which does not include that of its own slot. */
static long double slots_run(struct slots *work, long double *tail)
{
    const struct nb_distribution *delay = work->delay;
    const long double rounding =
        work->source.error + 2 * work->source.rate_error + 6 * LDBL_EPSILON;
    long double sum = 0, error = 0, used = 0;
    work->on[0] = tail[0] = 1;
    if (work->off != NULL)
        work->off[0] = 1;
    work->first = 1;
    for (size_t d = 0; d < delay->length; d++) {
        slots_step(work, d, reorder_below(delay, d, sum), tail);
        slots_trim(work, d, tail);
        used = error;
        error += reorder_below_error(delay, d) + rounding;
        sum += delay->mass[d];
    }
    return used;
}

/* low beta / (alpha + low beta) */
static long double slots_quietly(const struct nb_arrivals *mmp)
{
    const long double beta = (long double)nb_ratio_value(mmp->beta);
    const long double low = (long double)nb_ratio_value(mmp->low);
    return low * beta / ((long double)nb_ratio_value(mmp->alpha) + low * beta);
}

enum nb_status nb_reorder_find(const struct nb_distribution *delay,
                               const struct nb_reorder_source *source,
                               double least, size_t most,
                               struct nb_reorder *out, struct nb_error *err)
{
    const bool is_bursty =
        nb_ratio_is_known(source->burst) || source->mmp != NULL;
    struct slots work = { .delay = delay,
                          .rho = source->load.rho,
                          .idle = source->load.idle };
    enum nb_status status = NB_OK;
    *out = (struct nb_reorder){ 0 };
    NB_TRY(nb_distribution_check(delay, 1, err));
    NB_TRY(nb_load_check(source->load, 1, err));
    if (!(least > 0))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "reorder tails from %g on (permitted: above 0)", least));
    const long double steps = (long double)delay->length;
    work.cutoff = least / steps;
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
    out->error = expm1l(slots_run(&work, out->tail) + delay->error +
                        (steps + 4) * LDBL_EPSILON);
    out->slack = (work.has_cut ? least : 0) + reorder_far(delay);
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
    const long double value = n < reorder->length ? reorder->tail[n] : 0;
    if (n == 0)
        return (struct nb_bracket){ 1, 1 };
    if (reorder->length == 0)
        return (struct nb_bracket){ 0, 1 };
    return reorder_bracket(value * (1 - reorder->error) - reorder->slack,
                           value * (1 + reorder->error) + reorder->slack);
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
    long double sum = 0, worst = 0;
    for (size_t d = 0; d < length; d++) {
        const long double error = reorder_below_error(delay, d);
        worst = error > worst ? error : worst;
        out->sum[d + 1] = out->sum[d] + load.rho * reorder_below(delay, d, sum);
        sum += delay->mass[d];
    }
    out->error = worst + ((long double)length + 4) * LDBL_EPSILON;
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
                                  long double n)
{
    size_t low = 0, high = bound->delay->length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bound->sum[middle] >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The exponent at S_d < n, which is at most 0 and grows with S_d, and a bound
 * of its error: its derivative by S is n/S - 1. */
static long double reorder_exponent(const struct nb_reorder_bound *bound,
                                    size_t d, long double n, long double *error)
{
    const long double s = bound->sum[d];
    const long double part = logl(s / n);
    *error = (n - s) * bound->error * 2 + 4 * LDBL_EPSILON * (n + s - n * part);
    return n - s + n * part;
}

/* Brackets a sum of terms for n >= 1, allowing for the errors of the delays. */
static struct nb_bracket reorder_bound_of(const struct nb_reorder_bound *bound,
                                          long double low, long double high)
{
    const struct nb_distribution *delay = bound->delay;
    const long double wide =
        delay->error + ((long double)delay->length + 8) * LDBL_EPSILON;
    const long double far = reorder_far(delay);
    return reorder_bracket(low * (1 - wide) - far, high * (1 + wide) + far);
}

/* The exponentials of one n. Owns value. */
struct terms {
    long double *value; /* [delay->length] upper bounds; at low, of all below */
    size_t low, high;   /* stored for low <= d < high, the first S_d >= n */
    long double entry;  /* the largest relative error of one when it entered */
};

/* The relative increase of a term's upper bound with each n: the error of S_d
 * and 12 roundings. */
static long double terms_slack(const struct nb_reorder_bound *bound)
{
    return bound->error + 12 * LDBL_EPSILON;
}

/* Moves from n - 1 to n and adds the terms that enter. */
static void terms_move(const struct nb_reorder_bound *bound, size_t n,
                       struct terms *terms)
{
    const long double k = (long double)n, last = k - 1;
    const long double factor =
        n > 1 ? expl(1 - last * log1pl(1 / last)) / k * (1 + terms_slack(bound))
              : 0;
    for (size_t d = terms->low; d < terms->high; d++)
        terms->value[d] *= bound->sum[d] * factor;
    for (; terms->high < bound->delay->length && bound->sum[terms->high] < k;
         terms->high++) {
        long double error = 0;
        if (bound->sum[terms->high] > 0)
            terms->value[terms->high] = expl(fminl(
                reorder_exponent(bound, terms->high, k, &error) + error, 0));
        else
            terms->low = terms->high; /* a term that is always 0 */
        terms->entry = fmaxl(terms->entry, error);
    }
}

/* Sums them from the greatest delay down. Negligible terms are dropped, since
 * they only shrink with n. */
static struct nb_bracket terms_sum(const struct nb_reorder_bound *bound,
                                   size_t n, struct terms *terms)
{
    const struct nb_distribution *delay = bound->delay;
    const long double rise = 2 * terms_slack(bound);
    const long double most = 2 * terms->entry + rise * (long double)n;
    size_t d = terms->high;
    long double low = d < delay->length ? delay->tail[d] : 0;
    long double high = delay->tail[d];
    while (d > terms->low + 1) {
        const long double value = terms->value[--d];
        if (value < high * LDBL_EPSILON / 16) {
            terms->low = d;
            break;
        }
        const long double term = delay->mass[d] * value;
        const long double error = most - rise * bound->sum[d];
        high += term;
        low += error < 1 ? term * (1 - error) : 0;
    }
    return reorder_bound_of(bound, low, high + terms->value[terms->low]);
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
    const long double k = (long double)n;
    size_t d = reorder_bound_reach(bound, k);
    const bool is_inside = d < delay->length;
    long double low = is_inside ? delay->tail[d] : 0, high = delay->tail[d];
    /* Below this d the exponentials fall as d falls, so that all remaining ones
     * together are less than the next. */
    while (d-- > 0 && bound->sum[d] > 0) {
        long double error;
        const long double exponent = reorder_exponent(bound, d, k, &error);
        const long double most = exponent + error;
        const long double next = most < 0 ? expl(most) : 1;
        if (next < high * LDBL_EPSILON / 16) {
            high += next;
            break;
        }
        high += delay->mass[d] * next;
        low += delay->mass[d] * next * (1 - 2 * error);
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
