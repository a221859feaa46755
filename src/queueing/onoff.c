#include "queueing/onoff.h"

#include "core/memory.h"
#include "core/twofold_math.h"
#include "core/twofold_rows.h"
#include "queueing/decay_root.h"
#include "queueing/phases.h"
#include "queueing/positive.h"
#include "queueing/scaled.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Levels of the queue and the input of the recursion. Owns its parts. */
struct onoff_work {
    struct nb_phases phases;
    struct nb_passage passage;
    struct nb_twofold rate;
    double rate_error;
    double lost; /* of nb_phases_far */
    /* [v - 1][count x silent]: sum_{l>v} diag(P(A=l|j)) G^(l-v), v < most */
    struct nb_twofold *from;
    struct nb_twofold *far; /* [n] see nb_phases_far */
    size_t room, last;
    /* [room][n] P(Q = level, phase) times NB_DISTRIBUTION_SCALE, and that times
     * change */
    struct nb_twofold *pi, *moved;
    double spread; /* see onoff_bracket */
};

static void onoff_release(struct onoff_work *work)
{
    nb_phases_release(&work->phases);
    nb_passage_release(&work->passage);
    nb_delete(work->from);
    nb_delete(work->far);
    nb_delete(work->pi);
    nb_delete(work->moved);
}

/* from, downward: from_v = (diag(P(A=v+1|j)) + from_{v+1}) G. */
static enum nb_status onoff_start(const struct nb_arrivals *arrivals,
                                  struct onoff_work *work, struct nb_error *err)
{
    const struct nb_phases *phases = &work->phases;
    const size_t n = phases->count, width = phases->silent;
    const size_t most = phases->most, size = n * width;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require((double)most * (double)size * sizeof *work->from,
                             "the phases of ON/OFF sources", err));
    NB_TRY(nb_new(&work->from, most * size, sizeof *work->from,
                  "phases of ON/OFF sources", err));
    NB_TRY(nb_new(&work->far, n, sizeof *work->far, "phases", err));
    work->lost = nb_phases_far(arrivals, phases, work->rate, work->far);
    for (size_t v = most - 1; v > 0; v--) {
        struct nb_twofold *own = work->from + (v - 1) * size;
        const size_t first = phases->first[v + 1];
        nb_positive_multiply(n - first, width, width,
                             own + size + first * width, work->passage.down,
                             own + first * width);
        for (size_t j = first; j < n; j++)
            nb_positive_add(width, phases->share[j * (most + 1) + v + 1],
                            work->passage.down + j * width, own + j * width);
    }
done:
    return status;
}

/* One more level: allocates it and clears its entries. */
static enum nb_status onoff_grow(struct onoff_work *work, size_t level,
                                 struct nb_error *err)
{
    const size_t n = work->phases.count;
    enum nb_status status = NB_OK;
    if (level >= work->room) {
        const size_t room = work->room == 0 ? 64 : 2 * work->room;
        NB_TRY(
            nb_memory_require(2 * (double)room * (double)n * sizeof *work->pi,
                              "the levels of a queue of long bursts", err));
        NB_TRY(nb_grow(&work->pi, room * n, sizeof *work->pi, "levels", err));
        NB_TRY(nb_grow(&work->moved, room * n, sizeof *work->moved, "levels",
                       err));
        work->room = room;
    }
    memset(work->pi + level * n, 0, n * sizeof *work->pi);
    memset(work->moved + level * n, 0, n * sizeof *work->moved);
done:
    return status;
}

/* own = own + moved_i (diag(P(A=v|j)) + from_v) */
static void onoff_arrive(const struct onoff_work *work, size_t i, size_t v,
                         struct nb_twofold *own)
{
    const struct nb_phases *phases = &work->phases;
    const size_t n = phases->count, width = phases->silent;
    const struct nb_twofold *moved = work->moved + i * n;
    const size_t some = phases->first[v], more = phases->first[v + 1];
    nb_twofold_dots(1, moved + some, 0, phases->arrive + v * n + some, 0,
                    n - some, NB_DISTRIBUTION_SCALE, own + some);
    if (v < phases->most)
        nb_positive_row_times(n - more, width, moved + more,
                              work->from + ((v - 1) * n + more) * width, own);
}

/*
 * pi_level (I - U) = flow that arrives at the level, or first comes down to it:
 * from level 0 by at least level packets in a slot, from level i by at least
 * level + 1 - i; positive throughout.
 */
static void onoff_next(struct onoff_work *work, size_t level)
{
    const struct nb_phases *phases = &work->phases;
    const size_t n = phases->count, most = phases->most;
    struct nb_twofold *own = work->pi + level * n;
    if (level <= most)
        onoff_arrive(work, 0, level, own);
    for (size_t i = level > most ? level + 1 - most : 1; i < level; i++)
        onoff_arrive(work, i, level + 1 - i, own);
    nb_positive_solve_row(n, phases->calm, work->passage.factors, own);
    nb_positive_row_times(n, n, own, phases->change, work->moved + level * n);
}

static struct nb_twofold onoff_sum(const struct nb_twofold *row, size_t n)
{
    struct nb_twofold sum = { 0, 0 };
    for (size_t j = 0; j < n; j++)
        sum = nb_twofold_add(sum, row[j]);
    return sum;
}

static struct nb_twofold onoff_level(const struct onoff_work *work,
                                     size_t level)
{
    const size_t n = work->phases.count;
    return onoff_sum(work->pi + level * n, n);
}

/* Phases that have a smaller share of the far levels do not count there: even
 * if they were 10^30 times as probable, they would change no digit. */
#define ONOFF_LEAST_SHARE 0x1p-200
/* Smaller numbers have few digits. */
#define ONOFF_LEAST 0x1p-900

/*
 * The largest relative difference between P(Q = last + m) z^m and P(Q = last)
 * for any m >= 0. By the recursion, whose left eigenvector is v, pi_{last+m}
 * z^m / v is a mean of the same quantity of earlier levels, in any phase. So
 * all of them stay between the least and the greatest of the levels that the
 * recursion reads. If these include level 0, which enters like level 1, the
 * only bound is that none exceeds the greatest of all.
 */
static void onoff_bracket(struct onoff_work *work)
{
    const size_t n = work->phases.count, last = work->last;
    const size_t most = work->phases.most;
    const size_t first = last >= most ? last + 2 - most : 0;
    const struct nb_twofold z = nb_twofold_exp(work->rate, 0);
    /* P(Q = last) z^(last - i), over the sum of v */
    struct nb_twofold unit =
        nb_twofold_divide(onoff_level(work, last), onoff_sum(work->far, n));
    double least = last >= most ? 0 : -1, greatest = 0;
    for (size_t i = last + 1; i-- > first;) {
        for (size_t j = 0; j < n; j++) {
            const struct nb_twofold far =
                nb_twofold_multiply(unit, work->far[j]);
            const struct nb_twofold more =
                nb_twofold_subtract(work->pi[i * n + j], far);
            const double part = more.high / far.high;
            if (work->far[j].high < ONOFF_LEAST_SHARE || far.high < ONOFF_LEAST)
                continue;
            least = part < least ? part : least;
            greatest = part > greatest ? part : greatest;
        }
        if (i > 1)
            unit = nb_twofold_multiply(unit, z);
    }
    work->spread = fmax(greatest, -least);
}

/* Below SETTLED, more levels change no digit of a double. */
static const double onoff_settled = 0x1p-57, onoff_nearly = 1e-12;

/* The phases of level 0: pi_0 G = pi_0. */
static enum nb_status onoff_begin(struct onoff_work *work,
                                  struct nb_twofold idle, struct nb_error *err)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    struct nb_twofold *chain = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(onoff_grow(work, 0, err));
    NB_TRY(nb_new(&chain, width * width, sizeof *chain, "phases", err));
    memcpy(chain, work->passage.down, width * width * sizeof *chain);
    nb_positive_stationary(width, chain, work->pi);
    for (size_t j = 0; j < width; j++)
        work->pi[j] = nb_twofold_multiply(work->pi[j], idle);
    nb_positive_row_times(n, n, work->pi, work->phases.change, work->moved);
done:
    nb_delete(chain);
    return status;
}

/* Adds levels until the rest is geometric, or too rare for any question. */
static enum nb_status onoff_run(struct onoff_work *work, struct nb_twofold idle,
                                struct nb_error *err)
{
    const double least = NB_DISTRIBUTION_LEAST * NB_DISTRIBUTION_SCALE * 1e-40;
    size_t check = work->phases.most + 16;
    /* The decrease ends at the latest at the errors of G. */
    const double settled = fmax(onoff_nearly, 64 * (double)work->phases.count *
                                                  work->passage.error);
    double before = INFINITY;
    enum nb_status status = onoff_begin(work, idle, err);
    for (size_t level = 1; status == NB_OK; level++) {
        status = onoff_grow(work, level, err);
        if (status != NB_OK)
            break;
        onoff_next(work, level);
        work->last = level;
        const double mass = onoff_level(work, level).high;
        if (isinf(work->rate.high)) { /* at most two packets */
            if (mass == 0)
                break;
            continue;
        }
        const bool is_tiny = mass < least;
        if (level < check && !is_tiny)
            continue;
        onoff_bracket(work);
        if (work->spread < onoff_settled || is_tiny ||
            (work->spread < settled && work->spread > before / 2))
            break;
        before = work->spread;
        check = level + level / 8;
    }
    return status;
}

/* Lists the levels' sums as a distribution. */
static enum nb_status onoff_law(const struct onoff_work *work,
                                struct nb_distribution *out,
                                struct nb_error *err)
{
    const size_t last = work->last;
    const struct nb_source *source = &work->phases.source;
    const enum nb_status status = nb_distribution_reserve(out, last, err);
    if (status != NB_OK)
        return status;
    for (size_t level = 0; level <= last; level++)
        out->mass[level] = onoff_level(work, level);
    out->tail[last] =
        nb_twofold_divide(nb_twofold_negate(out->mass[last]),
                          nb_twofold_expm1(nb_twofold_negate(work->rate)));
    nb_distribution_add_up(out);
    /* A few roundings per term in each level, and the error of G once per level
     * (see onoff.h); the total must be 1. */
    const double most = (double)work->phases.most;
    const double count = (double)work->phases.count;
    const double each = (4 * most + 2 * count + 8) * NB_TWOFOLD_ROWS_ERROR +
                        most * source->rate_error;
    const struct nb_twofold all =
        nb_twofold_more(out->tail[0], -NB_DISTRIBUTION_SCALE);
    out->error = (double)last * (each + work->passage.error) +
                 fabs(nb_scaled_value(all));
    /* The levels compared were multiplied by powers of z up to most. */
    const double rate = work->rate.high;
    const double raised =
        isinf(rate) ? 0
                    : most * (rate * (work->rate_error + NB_TWOFOLD_ERROR) +
                              NB_TWOFOLD_MATH_ERROR);
    out->far_error = work->spread + 2 * raised +
                     (2 * most * work->lost + 1) * work->rate_error +
                     (32 * most * work->lost + 8) * NB_TWOFOLD_MATH_ERROR;
    out->rate = work->rate;
    out->rate_error = work->rate_error;
    return NB_OK;
}

enum nb_status nb_onoff_law(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load,
                            struct nb_distribution *out, struct nb_error *err)
{
    struct onoff_work work = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_phases_build(arrivals, load, &work.phases, err));
    if (arrivals->radix == 1) {
        status = nb_distribution_single(load, out, err);
        goto done;
    }
    NB_TRY(nb_onoff_decay(arrivals, &work.phases.source, &work.rate,
                          &work.rate_error, err));
    NB_TRY(nb_passage_find(&work.phases, &work.passage, err));
    NB_TRY(onoff_start(arrivals, &work, err));
    NB_TRY(onoff_run(&work, load.idle, err));
    NB_TRY(onoff_law(&work, out, err));
done:
    onoff_release(&work);
    return status;
}

struct setting {
    double radix;
    const struct nb_source *source;
};

/* Bounds the error of a value with some roundings and logarithms. */
#define ONOFF_UNIT (16 * NB_TWOFOLD_MATH_ERROR)

/* log(1 + y) - radix log(1 + mu). lost: the relative error of mu, in units. */
static struct nb_twofold onoff_excess(const struct setting *setting,
                                      struct nb_twofold y, struct nb_twofold mu,
                                      double lost, double *slack)
{
    const struct nb_twofold own = nb_twofold_log1p(y);
    const struct nb_twofold all =
        nb_twofold_times(nb_twofold_log1p(mu), setting->radix);
    *slack = (own.high + all.high * (1 + lost)) * ONOFF_UNIT;
    return nb_twofold_subtract(own, all);
}

/*
 * Packets spread: lambda = 1 + mu is an eigenvalue of one source's matrix
 * with the column of ON multiplied by 1 + e, e = y sends / radix,
 *
 *     mu^2 + beta mu = a e,   beta = a + c - (1 - c) e,
 *
 * a and c the probabilities of turning ON and OFF; and the value is
 * log(1 + y) - radix log(1 + mu).
 */
static struct nb_twofold onoff_by_packet(const void *context,
                                         struct nb_twofold y, double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const struct nb_twofold e = nb_twofold_divide(
        nb_twofold_multiply(y, source->sends), nb_twofold_from(setting->radix));
    const struct nb_twofold ends = nb_twofold_add(source->starts, source->ends);
    const struct nb_twofold rest = nb_twofold_multiply(source->goes_on, e);
    const struct nb_twofold beta = nb_twofold_subtract(ends, rest);
    const struct nb_twofold part = nb_twofold_multiply(source->starts, e);
    const struct nb_twofold root = nb_twofold_sqrt(nb_twofold_add(
        nb_twofold_multiply(beta, beta), nb_twofold_shift(part, 4)));
    const struct nb_twofold mu =
        beta.high > 0 ? nb_twofold_divide(nb_twofold_shift(part, 2),
                                          nb_twofold_add(beta, root))
                      : nb_twofold_shift(nb_twofold_subtract(root, beta), 0.5);
    /* beta cancels where its two parts are nearly equal; root then outweighs
     * it. */
    return onoff_excess(setting, y, mu, (ends.high + rest.high) / root.high,
                        slack);
}

/* a c (1 + e_0)(1 + e_1) */
static struct nb_twofold onoff_both(const struct nb_source *source,
                                    struct nb_twofold off, struct nb_twofold on)
{
    const struct nb_twofold ends =
        nb_twofold_multiply(source->starts, source->ends);
    return nb_twofold_multiply(
        ends,
        nb_twofold_multiply(nb_twofold_more(off, 1), nb_twofold_more(on, 1)));
}

/* y rate / radix */
static struct nb_twofold onoff_share(struct nb_twofold y,
                                     struct nb_twofold rate, double radix)
{
    return nb_twofold_divide(nb_twofold_multiply(y, rate),
                             nb_twofold_from(radix));
}

/*
 * Both states send: the greater eigenvalue of one source's matrix with its
 * columns multiplied by 1 + e_1 = 1 + y sends / radix and 1 + e_0,
 *
 *     2 mu = m + sqrt(d^2 + 4 a c (1 + e_0)(1 + e_1)),
 *     m, d = (1 - c) e_1 - c +- ((1 - a) e_0 - a).
 */
static struct nb_twofold onoff_by_rates(const void *context,
                                        struct nb_twofold y, double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const struct nb_twofold a = source->starts, c = source->ends;
    const struct nb_twofold on = onoff_share(y, source->sends, setting->radix);
    const struct nb_twofold off =
        onoff_share(y, source->murmurs, setting->radix);
    const struct nb_twofold more =
        nb_twofold_subtract(nb_twofold_multiply(source->goes_on, on), c);
    const struct nb_twofold less =
        nb_twofold_subtract(nb_twofold_multiply(source->rests, off), a);
    const struct nb_twofold d = nb_twofold_subtract(more, less);
    const struct nb_twofold sum = nb_twofold_add(more, less);
    const struct nb_twofold root = nb_twofold_sqrt(
        nb_twofold_add(nb_twofold_multiply(d, d),
                       nb_twofold_shift(onoff_both(source, off, on), 4)));
    /* Each of its terms is off by some units, the root by those of d at
     * most. */
    const double slip = ONOFF_UNIT * (on.high + off.high + a.high + c.high);
    /* A form of mu for either sign, without a final difference. */
    const struct nb_twofold stay =
        nb_twofold_subtract(nb_twofold_subtract(nb_twofold_from(1), a), c);
    const struct nb_twofold parts =
        nb_twofold_add(nb_twofold_multiply(a, on), nb_twofold_multiply(c, off));
    const struct nb_twofold both = nb_twofold_multiply(on, off);
    const struct nb_twofold product =
        nb_twofold_subtract(parts, nb_twofold_multiply(stay, both));
    const struct nb_twofold gap = nb_twofold_subtract(root, sum);
    const bool is_far = sum.high > 0;
    const struct nb_twofold mu =
        is_far ? nb_twofold_shift(nb_twofold_add(sum, root), 0.5)
               : nb_twofold_divide(nb_twofold_shift(product, 2), gap);
    const double lost =
        is_far ? slip
               : 2 * ONOFF_UNIT * (parts.high + both.high) / gap.high +
                     mu.high * slip / gap.high;
    const struct nb_twofold value = onoff_excess(setting, y, mu, 0, slack);
    *slack += setting->radix * lost / (1 + mu.high);
    return value;
}

/*
 * Bursts spread: with lambda = 1 + mu = (1 + y)^(1/radix), the eigenvector's
 * equation for a source that is OFF, ON elsewhere or ON here,
 *
 *     mu = a ((y - mu) / (radix d) - (1 - 1/radix) mu / (mu + c)),
 *     d = mu + c - (1 - c) y > 0;
 *
 * the value is the left side minus the right.
 */
static struct nb_twofold onoff_by_burst(const void *context,
                                        struct nb_twofold y, double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const struct nb_twofold k = nb_twofold_from(setting->radix);
    const struct nb_twofold starts = nb_twofold_divide(source->starts, k);
    const struct nb_twofold mu =
        nb_twofold_expm1(nb_twofold_divide(nb_twofold_log1p(y), k));
    const struct nb_twofold end = nb_twofold_add(mu, source->ends);
    const struct nb_twofold more = nb_twofold_multiply(source->goes_on, y);
    const struct nb_twofold d = nb_twofold_subtract(end, more);
    if (!(d.high > 0)) { /* beyond the pole; any negative number works */
        *slack = 0;
        return nb_twofold_negate(y);
    }
    const struct nb_twofold here = nb_twofold_divide(
        nb_twofold_multiply(starts, nb_twofold_subtract(y, mu)), d);
    const struct nb_twofold elsewhere = nb_twofold_divide(
        nb_twofold_multiply(nb_twofold_times(starts, setting->radix - 1), mu),
        end);
    const double lost = (end.high + more.high) / d.high;
    *slack = (mu.high + here.high * (1 + lost) + elsewhere.high) * ONOFF_UNIT;
    return nb_twofold_add(nb_twofold_subtract(mu, here), elsewhere);
}

/* Whether at most two sources pause after every packet. */
static bool onoff_is_bounded(size_t radix, const struct nb_source *source)
{
    return radix <= 2 && source->goes_on.high == 0 && source->murmurs.high == 0;
}

enum nb_status nb_onoff_decay(const struct nb_arrivals *arrivals,
                              const struct nb_source *source,
                              struct nb_twofold *rate, double *error,
                              struct nb_error *err)
{
    const struct setting setting = { (double)arrivals->radix, source };
    struct nb_twofold step;
    *rate = nb_twofold_from(INFINITY);
    *error = 0;
    if (onoff_is_bounded((size_t)arrivals->radix, source))
        return NB_OK;
    nb_decay_function *const function =
        arrivals->spread == NB_SPREAD_BURST ? onoff_by_burst
        : source->murmurs.high > 0          ? onoff_by_rates
                                            : onoff_by_packet;
    const enum nb_status status =
        nb_decay_root(function, &setting, &step, error, err);
    *rate = nb_twofold_log1p(step);
    *error += 2 * NB_TWOFOLD_MATH_ERROR;
    return status;
}

/*
 * v of ON over that of OFF where both states send, lambda = 1 + mu: lambda
 * v_off = ((1 - a) v_off + c v_on) (1 + e_0); after substituting lambda this is
 * the positive root,
 *
 *     2 c (1 + e_0) v_on = d + sqrt(d^2 + 4 a c (1 + e_0)(1 + e_1)).
 */
static struct nb_twofold far_by_rates(const struct nb_source *source, double k,
                                      struct nb_twofold rate, double *lost)
{
    const struct nb_twofold y = nb_twofold_expm1(rate);
    const struct nb_twofold on = onoff_share(y, source->sends, k);
    const struct nb_twofold off = onoff_share(y, source->murmurs, k);
    const struct nb_twofold a = source->starts, c = source->ends;
    const struct nb_twofold more =
        nb_twofold_subtract(nb_twofold_multiply(source->goes_on, on), c);
    const struct nb_twofold less =
        nb_twofold_subtract(nb_twofold_multiply(source->rests, off), a);
    const struct nb_twofold d = nb_twofold_subtract(more, less);
    const struct nb_twofold product =
        nb_twofold_shift(onoff_both(source, off, on), 4);
    const struct nb_twofold root =
        nb_twofold_sqrt(nb_twofold_add(nb_twofold_multiply(d, d), product));
    const struct nb_twofold twice =
        d.high > 0 ? nb_twofold_add(d, root)
                   : nb_twofold_divide(product, nb_twofold_subtract(root, d));
    *lost = 1 + (on.high + off.high + a.high + c.high) / root.high;
    return nb_twofold_divide(
        twice,
        nb_twofold_multiply(nb_twofold_shift(c, 2), nb_twofold_more(off, 1)));
}

/* v of one source ON for this queue and for others, that of OFF being 1. With
 * lambda = 1 + mu, from lambda v_off = (1 - a) v_off + c (v_here + v_elsewhere)
 * and the equation of v_elsewhere, arranged without differences. */
static double far_of_one(const struct nb_arrivals *arrivals,
                         const struct nb_source *source, struct nb_twofold rate,
                         struct nb_twofold *here, struct nb_twofold *elsewhere)
{
    const double radix = (double)arrivals->radix;
    const struct nb_twofold k = nb_twofold_from(radix);
    const struct nb_twofold a = source->starts, c = source->ends;
    const struct nb_twofold mu = nb_twofold_expm1(nb_twofold_divide(rate, k));
    double lost = 1;
    *elsewhere = nb_twofold_from(0);
    if (source->murmurs.high > 0) {
        *here = far_by_rates(source, radix, rate, &lost);
    } else if (arrivals->spread == NB_SPREAD_BURST) {
        const struct nb_twofold over =
            nb_twofold_divide(a, nb_twofold_add(mu, c));
        const struct nb_twofold part =
            nb_twofold_add(mu, nb_twofold_divide(c, k));
        *elsewhere = nb_twofold_divide(nb_twofold_times(over, radix - 1), k);
        *here = nb_twofold_divide(
            nb_twofold_add(mu, nb_twofold_multiply(over, part)), c);
    } else {
        *here = nb_twofold_divide(nb_twofold_add(mu, a), c);
    }
    return lost;
}

/* A number beyond the range of doubles: value 2^power. */
struct wide {
    struct nb_twofold value;
    int power;
};

/* number times factor left / (have + 1): one more source, of those left. */
static struct wide wide_more(struct wide number, size_t left, size_t have,
                             struct nb_twofold factor)
{
    int power;
    const struct nb_twofold ways = nb_twofold_divide(
        nb_twofold_from((double)left), nb_twofold_from((double)(have + 1)));
    const struct nb_twofold value =
        nb_twofold_multiply(number.value, nb_twofold_multiply(ways, factor));
    frexp(value.high, &power);
    return (struct wide){ nb_twofold_shift(value, ldexp(1, -power)),
                          number.power + power };
}

/* Lists v, each divided by 2^top, unless v is NULL. Returns the greatest power
 * of 2 in it. */
static int far_list(const struct nb_phases *phases, bool by_burst,
                    struct nb_twofold here, struct nb_twofold elsewhere,
                    int top, struct nb_twofold *v)
{
    const size_t most = phases->most;
    struct wide first = { { 1, 0 }, 0 };
    int greatest = 0;
    size_t phase = 0;
    for (size_t h = 0; h <= most; h++) {
        struct wide own = first;
        for (size_t e = 0; e <= (by_burst ? most - h : 0); e++) {
            if (own.value.high > 0 && own.power > greatest)
                greatest = own.power;
            if (v != NULL)
                v[phase++] =
                    nb_twofold_shift(own.value, ldexp(1, own.power - top));
            own = wide_more(own, most - h - e, e, elsewhere);
        }
        first = wide_more(first, most - h, h, here);
    }
    return greatest;
}

double nb_phases_far(const struct nb_arrivals *arrivals,
                     const struct nb_phases *phases, struct nb_twofold rate,
                     struct nb_twofold *v)
{
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    struct nb_twofold here, elsewhere;
    const double lost =
        far_of_one(arrivals, &phases->source, rate, &here, &elsewhere);
    const int top = far_list(phases, by_burst, here, elsewhere, 0, NULL);
    far_list(phases, by_burst, here, elsewhere, top, v);
    return lost;
}

/*
 * Levels 0 .. depth; packets that do not fit are lost. Passages down from a
 * level depend only on its distance t to the top, so G and I - U are stored by
 * distance, until one equals the one before to all digits; below that they stay
 * the same. Owns its parts.
 */
struct loss_work {
    struct nb_phases phases;
    size_t depth;
    struct nb_twofold *beyond; /* [most + 1][n] P(A >= l | phase) */
    size_t kept, room;
    double rest; /* how much G further down would change, an estimate */
    struct nb_twofold *down; /* [kept][count x silent] G */
    /* of I - U: [count x count], then [kept - 1][count x calm] */
    struct nb_twofold *factors;
    struct nb_twofold *spare[2]; /* [count x silent] */
    struct nb_twofold *exit;     /* [n] */
    /* [depth + 1][n], times NB_DISTRIBUTION_SCALE and an unknown unit */
    struct nb_twofold *pi, *moved;
    struct nb_pool pool; /* everything except down and factors */
};

static void loss_release(struct loss_work *work)
{
    nb_phases_release(&work->phases);
    nb_pool_release(&work->pool);
    nb_delete(work->down);
    nb_delete(work->factors);
}

static size_t loss_kept(const struct loss_work *work, size_t level)
{
    const size_t t = work->depth - level;
    return t < work->kept ? t : work->kept - 1;
}

static const struct nb_twofold *loss_down(const struct loss_work *work,
                                          size_t level)
{
    const size_t size = work->phases.count * work->phases.silent;
    return work->down + loss_kept(work, level) * size;
}

/* At the top U has more columns: those of any number of arrivals. */
static size_t loss_columns(const struct loss_work *work, size_t level)
{
    return level == work->depth ? work->phases.count : work->phases.calm;
}

static struct nb_twofold *loss_factors(const struct loss_work *work,
                                       size_t level)
{
    const size_t n = work->phases.count, t = loss_kept(work, level);
    return work->factors + (t == 0 ? 0 : n * (n + (t - 1) * work->phases.calm));
}

/* P(A = l), or P(A >= l) if that many reach or pass the top, of each phase. */
static const struct nb_twofold *loss_part(const struct loss_work *work,
                                          size_t base, size_t l)
{
    const struct nb_twofold *parts =
        base + l >= work->depth ? work->beyond : work->phases.arrive;
    return parts + l * work->phases.count;
}

/*
 * spare[0] = sum_l diag(P(A = l)) G_{base+l} ... G_{to+1}, base + l > to: the
 * flow that comes down to level to after arrivals on top of base. The first
 * rows of G are a matrix by themselves.
 */
static void loss_return(struct loss_work *work, size_t base, size_t to)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    const size_t most = work->phases.most, first = to - base;
    struct nb_twofold *sum = work->spare[0], *next = work->spare[1];
    memset(sum, 0, n * width * sizeof *sum);
    for (size_t l = work->depth - base < most ? work->depth - base : most;
         l > first; l--) {
        const struct nb_twofold *down = loss_down(work, base + l);
        const struct nb_twofold *part = loss_part(work, base, l);
        const size_t from = work->phases.first[l], rest = (n - from) * width;
        nb_positive_multiply(n - from, width, width, sum + from * width, down,
                             next);
        memcpy(sum + from * width, next, rest * sizeof *sum);
        for (size_t j = from; j < n; j++)
            nb_positive_add(width, part[j], down + j * width, sum + j * width);
    }
}

/* out[i][j] = change[i][j] P(l arrive | j) + moved spare[0], j < columns, where
 * l arrivals lead from base to to; leaves change spare[0] in spare[1]. */
static void loss_stay(struct loss_work *work, size_t base, size_t to,
                      size_t columns, struct nb_twofold *out)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    const struct nb_twofold *part = loss_part(work, base, to - base);
    loss_return(work, base, to);
    nb_positive_multiply(n, n, width, work->phases.change, work->spare[0],
                         work->spare[1]);
    memset(out, 0, n * columns * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        struct nb_twofold *row = out + i * columns;
        memcpy(row, work->spare[1] + i * width, width * sizeof *row);
        nb_twofold_dots(1, work->phases.change + i * n, 0, part, 0, columns,
                        NB_DISTRIBUTION_SCALE, row);
    }
}

/* Smaller entries of G do not count, and have few digits. */
#define LOSS_LEAST 0x1p-900

/* Adds one more distance from the top. Returns the greatest relative change of
 * G. */
static double loss_add_level(struct loss_work *work, size_t level)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    const size_t columns = loss_columns(work, level);
    struct nb_twofold *factors = loss_factors(work, level);
    struct nb_twofold *down = work->down + (work->depth - level) * n * width;
    double change = 0;
    loss_stay(work, level - 1, level, columns, factors);
    memset(down, 0, n * width * sizeof *down);
    for (size_t i = 0; i < n; i++) {
        nb_twofold_dots(1, work->phases.change + i * n, 0, work->phases.arrive,
                        0, width, NB_DISTRIBUTION_SCALE, down + i * width);
        work->exit[i] = onoff_sum(down + i * width, width);
    }
    nb_positive_factor(n, columns, factors, work->exit);
    nb_positive_solve(n, columns, factors, width, down);
    if (level == work->depth)
        return 1;
    for (size_t i = 0; i < n * width; i++) {
        const struct nb_twofold before = down[i - n * width];
        const double moved =
            fabs(nb_twofold_subtract(down[i], before).high) / down[i].high;
        if (down[i].high > LOSS_LEAST && moved > change)
            change = moved;
    }
    return change;
}

/* Once G changes by less, levels further down have the same. */
static const double loss_settled = 0x1p-59, loss_even = 1e-15;

static enum nb_status loss_passages(struct loss_work *work,
                                    struct nb_error *err)
{
    const size_t n = work->phases.count;
    const size_t width = work->phases.silent, calm = work->phases.calm;
    double before = 1, pace = 0; /* of changes, before they are small */
    for (size_t level = work->depth; level > 0; level--) {
        const size_t t = work->depth - level;
        if (t >= work->room) {
            const size_t room = work->room == 0 ? 64 : 2 * work->room;
            enum nb_status status = nb_memory_require(
                (double)room * (double)n * (double)(width + calm) *
                    sizeof(struct nb_twofold),
                "the passages of a buffer of this depth", err);
            if (status == NB_OK)
                status = nb_grow(&work->down, room * n * width,
                                 sizeof *work->down, "levels of a buffer", err);
            if (status == NB_OK)
                status =
                    nb_grow(&work->factors, n * (n + room * calm),
                            sizeof *work->factors, "levels of a buffer", err);
            if (status != NB_OK)
                return status;
            work->room = room;
        }
        work->kept = t + 1;
        const double change = loss_add_level(work, level);
        if (change > loss_even)
            pace = change / before;
        before = change;
        if (change < loss_settled && pace < 1) {
            work->rest = change * pace / (1 - pace);
            break;
        }
    }
    return NB_OK;
}

/* Computes pi_level from the levels below: the flow that arrives at it, or
 * above and comes down. */
static void loss_level(struct loss_work *work, size_t level)
{
    const size_t n = work->phases.count, most = work->phases.most;
    const size_t top =
        work->depth - level < most ? work->depth : level + most - 1;
    struct nb_twofold *own = work->pi + level * n, *next = work->exit;
    memset(own, 0, n * sizeof *own);
    for (size_t to = top;; to--) {
        for (size_t i = to > most ? to - most : 0; i < level; i++) {
            const size_t base = i > 0 ? i - 1 : 0, l = to - base;
            if (l > most)
                continue;
            const size_t first = work->phases.first[l];
            nb_twofold_dots(1, work->moved + i * n + first, 0,
                            loss_part(work, base, l) + first, 0, n - first,
                            NB_DISTRIBUTION_SCALE, own + first);
        }
        if (to == level)
            break;
        memset(next, 0, n * sizeof *next);
        nb_positive_row_times(n, work->phases.silent, own, loss_down(work, to),
                              next);
        memcpy(own, next, n * sizeof *own);
    }
    nb_positive_solve_row(n, loss_columns(work, level),
                          loss_factors(work, level), own);
    nb_positive_row_times(n, n, own, work->phases.change,
                          work->moved + level * n);
}

/* Packets lost and packets arriving, both per slot and in the same unknown
 * unit. */
static void loss_count(const struct loss_work *work, struct nb_twofold *lost,
                       struct nb_twofold *all)
{
    const size_t n = work->phases.count, most = work->phases.most;
    *lost = *all = nb_twofold_from(0);
    for (size_t i = 0; i <= work->depth; i++) {
        const size_t base = i > 0 ? i - 1 : 0;
        *all = nb_twofold_add(*all, onoff_sum(work->pi + i * n, n));
        for (size_t l = work->depth - base + 1; l <= most; l++)
            for (size_t j = 0; j < n; j++)
                *lost = nb_twofold_add(
                    *lost, nb_scaled_multiply(work->moved[i * n + j],
                                              work->beyond[l * n + j]));
    }
}

static enum nb_status loss_reserve(struct loss_work *work, struct nb_error *err)
{
    const size_t n = work->phases.count, most = work->phases.most;
    const size_t levels = work->depth + 1;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(2.0 * (double)levels * (double)n *
                                 sizeof(struct nb_twofold),
                             "the levels of a buffer of this depth", err));
    struct nb_pool *pool = &work->pool;
    work->beyond = nb_pool_array(pool, n * (most + 1), sizeof *work->beyond);
    work->spare[0] =
        nb_pool_array(pool, n * work->phases.silent, sizeof *work->spare[0]);
    work->spare[1] =
        nb_pool_array(pool, n * work->phases.silent, sizeof *work->spare[1]);
    work->exit = nb_pool_array(pool, n, sizeof *work->exit);
    work->pi = nb_pool_array(pool, levels * n, sizeof *work->pi);
    work->moved = nb_pool_array(pool, levels * n, sizeof *work->moved);
    NB_TRY(nb_pool_check(pool, "levels", err));
    for (size_t j = 0; j < n; j++) {
        struct nb_twofold sum = { 0, 0 };
        for (size_t l = most + 1; l-- > 0;) {
            sum = nb_twofold_add(sum, work->phases.arrive[l * n + j]);
            work->beyond[l * n + j] = sum;
        }
    }
done:
    return status;
}

/* lost / (all rho). Counted, not proved: a few roundings per term of each
 * level, and the error of its passages. */
static struct nb_bracket loss_of(const struct loss_work *work,
                                 struct nb_queue_load load)
{
    const double n = (double)work->phases.count;
    const double most = (double)work->phases.most;
    const bool is_bounded =
        onoff_is_bounded(work->phases.most, &work->phases.source);
    struct nb_twofold lost, all;
    loss_count(work, &lost, &all);
    const struct nb_twofold loss =
        nb_scaled_divide(lost, nb_twofold_multiply(all, load.rho));
    if (loss.high < NB_SCALED_MIN)
        return (struct nb_bracket){ 0, is_bounded ? 0 : DBL_TRUE_MIN };
    const double each = 8 * (n + most) * NB_TWOFOLD_ROWS_ERROR +
                        most * work->phases.source.rate_error;
    return nb_scaled_bracket_of(loss, (double)(work->depth + 16) *
                                          (each + work->rest));
}

enum nb_status nb_onoff_loss(const struct nb_arrivals *arrivals,
                             struct nb_queue_load load, int64_t depth,
                             struct nb_bracket *loss, struct nb_error *err)
{
    struct loss_work work = { .depth = (size_t)depth };
    enum nb_status status = NB_OK;
    *loss = (struct nb_bracket){ 0, 0 };
    NB_TRY(nb_phases_build(arrivals, load, &work.phases, err));
    if (arrivals->radix == 1) /* at most one packet per slot always fits */
        goto done;
    NB_TRY(loss_reserve(&work, err));
    NB_TRY(loss_passages(&work, err));
    const size_t n = work.phases.count, width = work.phases.silent;
    loss_stay(&work, 0, 0, width, work.spare[0]);
    nb_positive_stationary(width, work.spare[0], work.pi);
    nb_positive_row_times(n, n, work.pi, work.phases.change, work.moved);
    for (size_t level = 1; level <= work.depth; level++)
        loss_level(&work, level);
    *loss = loss_of(&work, load);
done:
    loss_release(&work);
    return status;
}
