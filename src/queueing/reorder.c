#include "queueing/reorder.h"

#include "core/memory.h"
#include "queueing/phases.h"
#include "queueing/reorder_work.h"

#include <float.h>
#include <math.h>

/* What the recursion over slots reads and writes. Owns on and off. */
struct slots {
    const struct nb_law *delay;
    long double rho, idle;
    struct nb_source source;  /* all 0: no bursts */
    long double *on, *off;    /* [most + 2] P(count >= n) */
    size_t first, last, most; /* 1 before first, 0 after last */
    long double cutoff;       /* what is less is left out */
    bool has_cut;             /* something was */
};

static void slots_release(struct slots *work)
{
    nb_delete(work->on);
    nb_delete(work->off);
}

long double nb_reorder_below(const struct nb_law *delay, size_t i,
                             long double sum)
{
    return delay->tail[i] < 0.5L ? 1 - delay->tail[i] : sum;
}

long double nb_reorder_below_error(const struct nb_law *delay, size_t i)
{
    const long double tail = delay->tail[i];
    if (i == 0) /* no delay is below 0 */
        return 0;
    if (tail >= 0.5L)
        return delay->error + (long double)i * LDBL_EPSILON;
    const long double far = delay->far_error * delay->tail[delay->length];
    return 2 * (delay->error * tail + far) + LDBL_EPSILON;
}

long double nb_reorder_far(const struct nb_law *delay)
{
    const long double tail = delay->tail[delay->length];
    return tail > 0
               ? tail * (1 + delay->error + delay->far_error) +
                     delay->error * NB_LAW_LEAST * (long double)delay->length
               : 0;
}

struct nb_bracket nb_reorder_bracket(long double low, long double high)
{
    const double lower = low > 0 ? nb_bracket_of(low, 0).lower : 0;
    const double upper = nb_bracket_of(high, 0).upper;
    return (struct nb_bracket){ lower, upper < 1 ? upper : 1 };
}

/* One more slot, its packet in time with probability below. */
static void slots_step(struct slots *work, size_t i, long double below)
{
    const struct nb_source *source = &work->source;
    const long double late = work->delay->tail[i];
    long double *on = work->on, *off = work->off;
    size_t n = work->last < work->most ? work->last + 1 : work->most;
    if (work->off == NULL) {
        const long double p = work->rho * below;
        const long double q = work->idle + work->rho * late;
        for (; n >= work->first; n--)
            on[n] = q * on[n] + p * on[n - 1];
        return;
    }
    for (; n >= work->first; n--) {
        const long double sent = late * on[n] + below * on[n - 1];
        const long double kept = off[n];
        on[n] = source->goes_on * sent + source->ends * kept;
        off[n] = source->starts * sent + source->rests * kept;
    }
}

/* Moves the ends of what is kept; a tail that became 1 stays it for all later
 * delays, which are more than i. */
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
        tail[work->first] += on[work->first] * work->delay->tail[i + 1];
        work->first++;
    }
}

/* Fills tail [most + 1]; returns the relative error of the counts that the
 * last delay was taken with, which has none of its own slot's. */
static long double slots_run(struct slots *work, long double *tail)
{
    const struct nb_law *delay = work->delay;
    const long double rounding = work->source.error + 6 * LDBL_EPSILON;
    long double sum = 0, error = 0, used = 0;
    work->on[0] = tail[0] = 1;
    if (work->off != NULL)
        work->off[0] = 1;
    work->first = 1;
    for (size_t d = 0; d < delay->length; d++) {
        for (size_t n = work->first; n <= work->last; n++)
            tail[n] += delay->mass[d] * work->on[n];
        slots_step(work, d, nb_reorder_below(delay, d, sum));
        slots_trim(work, d, tail);
        used = error;
        error += nb_reorder_below_error(delay, d) + rounding;
        sum += delay->mass[d];
    }
    return used;
}

enum nb_status nb_reorder_find(const struct nb_law *delay,
                               const struct nb_reorder_source *source,
                               double least, size_t most,
                               struct nb_reorder *out, struct nb_error *err)
{
    const bool is_bursty = nb_ratio_is_known(source->burst);
    struct slots work = { .delay = delay,
                          .rho = source->load.rho,
                          .idle = source->load.idle };
    enum nb_status status = NB_OK;
    *out = (struct nb_reorder){ 0 };
    NB_TRY(nb_law_check(delay, 1, err));
    NB_TRY(nb_load_check(source->load, 1, err));
    if (!(least > 0))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "reorder tails from %g on (permitted: above 0)", least));
    const long double steps = (long double)delay->length;
    work.cutoff = least / steps;
    work.most = most < delay->length ? most : delay->length;
    if (is_bursty)
        NB_TRY(nb_source_find(source->burst, source->load, &work.source, err));
    NB_TRY(nb_new(&work.on, work.most + 1, sizeof *work.on, "packets", err));
    if (is_bursty)
        NB_TRY(
            nb_new(&work.off, work.most + 1, sizeof *work.off, "packets", err));
    NB_TRY(nb_new(&out->tail, work.most + 1, sizeof *out->tail, "reorder tails",
                  err));
    out->error = expm1l(slots_run(&work, out->tail) + delay->error +
                        (steps + 4) * LDBL_EPSILON);
    out->slack = (work.has_cut ? least : 0) + nb_reorder_far(delay);
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
    return nb_reorder_bracket(value * (1 - reorder->error) - reorder->slack,
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
