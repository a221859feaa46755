#include "queueing/onoff.h"

#include "core/memory.h"
#include "queueing/decay_root.h"
#include "queueing/phases.h"
#include "queueing/positive.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Levels of the queue and the input of the recursion. Owns its parts. */
struct onoff_work {
    struct nb_phases phases;
    struct nb_passage passage;
    long double rate, rate_error;
    long double lost; /* of nb_phases_far */
    /* [v - 1][count x silent]: sum_{l>v} diag(P(A=l|j)) G^(l-v), v < most */
    long double *from;
    long double *far; /* [n] see nb_phases_far */
    size_t room, last;
    long double *pi;    /* [room][n] P(Q = level, phase) */
    long double *moved; /* [room][n] pi times change */
    long double spread; /* see onoff_bracket */
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
        long double *own = work->from + (v - 1) * size;
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
                         long double *own)
{
    const struct nb_phases *phases = &work->phases;
    const size_t n = phases->count, width = phases->silent;
    const long double *moved = work->moved + i * n;
    const size_t more = phases->first[v + 1];
    for (size_t j = phases->first[v]; j < n; j++)
        own[j] += moved[j] * phases->share[j * (phases->most + 1) + v];
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
    long double *own = work->pi + level * n;
    if (level <= most)
        onoff_arrive(work, 0, level, own);
    for (size_t i = level > most ? level + 1 - most : 1; i < level; i++)
        onoff_arrive(work, i, level + 1 - i, own);
    nb_positive_solve_row(n, phases->calm, work->passage.factors, own);
    nb_positive_row_times(n, n, own, phases->change, work->moved + level * n);
}

static long double onoff_sum(const struct onoff_work *work, size_t level)
{
    const size_t n = work->phases.count;
    long double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += work->pi[level * n + j];
    return sum;
}

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
    const bool is_started = last >= most;
    long double least = is_started ? INFINITY : 0, greatest = 0, sum = 0;
    for (size_t i = is_started ? last + 2 - most : 0; i <= last; i++) {
        const size_t steps = last - (i > 0 ? i : 1);
        const long double factor = expl(-work->rate * (long double)steps);
        for (size_t j = 0; j < n; j++) {
            const long double x = work->pi[i * n + j] / work->far[j] * factor;
            least = x < least ? x : least;
            greatest = x > greatest ? x : greatest;
        }
    }
    for (size_t j = 0; j < n; j++)
        sum += work->far[j];
    sum /= onoff_sum(work, last);
    work->spread = fmaxl(greatest * sum - 1, 1 - least * sum);
    assert(work->spread >= 0);
}

/* Adds levels until the rest is geometric, or too rare for any question. */
static enum nb_status onoff_run(struct onoff_work *work, long double idle,
                                struct nb_error *err)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    size_t check = work->phases.most + 16;
    /* The decrease ends at the latest at the roundings, those of v and of G. */
    const long double settled =
        fmaxl(1e-12L, 64 * (long double)n * work->passage.error);
    long double before = INFINITY;
    enum nb_status status = onoff_grow(work, 0, err);
    if (status != NB_OK)
        return status;
    long double *const chain = nb_new_array(width * width, sizeof *chain);
    if (chain == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for phases");
    memcpy(chain, work->passage.down, width * width * sizeof *chain);
    nb_positive_stationary(width, chain, work->pi); /* pi_0 G = pi_0 */
    nb_delete(chain);
    for (size_t j = 0; j < width; j++)
        work->pi[j] *= idle;
    nb_positive_row_times(n, n, work->pi, work->phases.change, work->moved);
    for (size_t level = 1;; level++) {
        status = onoff_grow(work, level, err);
        if (status != NB_OK)
            break;
        onoff_next(work, level);
        work->last = level;
        if (isinf(work->rate)) { /* at most two packets */
            if (onoff_sum(work, level) == 0)
                break;
            continue;
        }
        const bool is_tiny =
            onoff_sum(work, level) < NB_DISTRIBUTION_LEAST * 1e-40L;
        if (level < check && !is_tiny)
            continue;
        onoff_bracket(work);
        if (work->spread < 64 * LDBL_EPSILON || is_tiny ||
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
    const enum nb_status status = nb_distribution_reserve(out, last, err);
    if (status != NB_OK)
        return status;
    for (size_t level = 0; level <= last; level++)
        out->mass[level] = onoff_sum(work, level);
    out->tail[last] = out->mass[last] / -expm1l(-work->rate);
    nb_distribution_add_up(out);
    /* Roundings: a few per term in each level, and those of G once per level
     * (see onoff.h); the total must be 1. */
    const long double most = (long double)work->phases.most;
    const long double each =
        4 * most + 2 * (long double)work->phases.count + 8 +
        most * work->phases.source.rate_error / LDBL_EPSILON;
    out->error =
        (long double)last * (each * LDBL_EPSILON + work->passage.error) +
        fabsl(out->tail[0] - 1);
    /* The levels compared were multiplied by powers of z up to most. */
    const long double raised =
        isinf(work->rate)
            ? 0
            : most * work->rate * (work->rate_error + 2 * LDBL_EPSILON);
    out->far_error = work->spread + 2 * raised +
                     (2 * most * work->lost + 1) * work->rate_error +
                     (32 * most * work->lost + 8) * LDBL_EPSILON;
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
    long double radix;
    const struct nb_source *source;
};

/*
 * Packets spread: lambda = 1 + mu is an eigenvalue of one source's matrix
 * with the column of ON multiplied by 1 + e, e = y sends / radix,
 *
 *     mu^2 + beta mu = a e,   beta = a + c - (1 - c) e,
 *
 * a and c the probabilities of turning ON and OFF; and the value is
 * log(1 + y) - radix log(1 + mu).
 */
static long double onoff_by_packet(const void *context, long double y,
                                   long double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const long double e = y * source->sends / setting->radix;
    const long double beta =
        source->starts + source->ends - source->goes_on * e;
    const long double root = sqrtl(beta * beta + 4 * source->starts * e);
    const long double mu =
        beta > 0 ? 2 * source->starts * e / (beta + root) : (root - beta) / 2;
    const long double own = log1pl(y);
    const long double all = setting->radix * log1pl(mu);
    /* beta cancels where its two parts are nearly equal; root then outweighs
     * it. */
    const long double lost =
        (source->starts + source->ends + source->goes_on * e) / root;
    *slack = (own + all * (1 + lost)) * 16 * LDBL_EPSILON;
    return own - all;
}

/*
 * Both states send: the greater eigenvalue of one source's matrix with its
 * columns multiplied by 1 + e_1 = 1 + y sends / radix and 1 + e_0,
 *
 *     2 mu = m + sqrt(d^2 + 4 a c (1 + e_0)(1 + e_1)),
 *     m, d = (1 - c) e_1 - c +- ((1 - a) e_0 - a).
 */
static long double onoff_by_rates(const void *context, long double y,
                                  long double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const long double on = y * source->sends / setting->radix;
    const long double off = y * source->murmurs / setting->radix;
    const long double a = source->starts, c = source->ends;
    const long double more = source->goes_on * on - c;
    const long double less = source->rests * off - a;
    const long double d = more - less, sum = more + less;
    const long double root = sqrtl(d * d + 4 * a * c * (1 + off) * (1 + on));
    /* Each of its terms is off by some ulps, the root by those of d at most. */
    const long double slip = 16 * LDBL_EPSILON * (on + off + a + c);
    /* A form of mu for either sign, without a final difference. */
    const long double product = a * on + c * off - (1 - a - c) * on * off;
    const bool is_far = sum > 0;
    const long double mu =
        is_far ? (sum + root) / 2 : 2 * product / (root - sum);
    const long double lost = is_far ? slip
                                    : 2 * 16 * LDBL_EPSILON *
                                              (a * on + c * off + on * off) /
                                              (root - sum) +
                                          mu * slip / (root - sum);
    const long double own = log1pl(y);
    const long double all = setting->radix * log1pl(mu);
    *slack = (own + all) * 16 * LDBL_EPSILON + setting->radix * lost / (1 + mu);
    return own - all;
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
static long double onoff_by_burst(const void *context, long double y,
                                  long double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const long double k = setting->radix;
    const long double mu = expm1l(log1pl(y) / k);
    const long double d = mu + source->ends - source->goes_on * y;
    if (!(d > 0)) { /* beyond the pole; any negative number works */
        *slack = 0;
        return -y;
    }
    const long double here = source->starts * (y - mu) / (k * d);
    const long double elsewhere =
        source->starts * (k - 1) * mu / (k * (mu + source->ends));
    const long double lost = (mu + source->ends + source->goes_on * y) / d;
    *slack = (mu + here * (1 + lost) + elsewhere) * 16 * LDBL_EPSILON;
    return mu - here + elsewhere;
}

enum nb_status nb_onoff_decay(const struct nb_arrivals *arrivals,
                              const struct nb_source *source, long double *rate,
                              long double *error, struct nb_error *err)
{
    const struct setting setting = { (long double)arrivals->radix, source };
    long double step;
    *rate = INFINITY;
    *error = 0;
    if (arrivals->radix <= 2 && source->goes_on == 0 && source->murmurs == 0)
        return NB_OK;
    nb_decay_function *const function = arrivals->spread == NB_SPREAD_BURST
                                            ? onoff_by_burst
                                        : source->murmurs > 0 ? onoff_by_rates
                                                              : onoff_by_packet;
    const enum nb_status status =
        nb_decay_root(function, &setting, INFINITY, &step, error, err);
    *rate = log1pl(step);
    *error += 2 * LDBL_EPSILON;
    return status;
}

/*
 * v of ON over that of OFF where both states send, lambda = 1 + mu: lambda
 * v_off = ((1 - a) v_off + c v_on) (1 + e_0); after substituting lambda this is
 * the positive root,
 *
 *     2 c (1 + e_0) v_on = d + sqrt(d^2 + 4 a c (1 + e_0)(1 + e_1)).
 */
static long double far_by_rates(const struct nb_source *source, long double k,
                                long double rate, long double *lost)
{
    const long double y = expm1l(rate);
    const long double on = y * source->sends / k;
    const long double off = y * source->murmurs / k;
    const long double a = source->starts, c = source->ends;
    const long double d = source->goes_on * on - c - (source->rests * off - a);
    const long double product = 4 * a * c * (1 + off) * (1 + on);
    const long double root = sqrtl(d * d + product);
    const long double twice = d > 0 ? d + root : product / (root - d);
    *lost = 1 + (on + off + a + c) / root;
    return twice / (2 * c * (1 + off));
}

/* lambda = 1 + mu; from lambda v_off = (1 - a) v_off + c (v_here + v_elsewhere)
 * and the equation of v_elsewhere, arranged without differences. */
long double nb_phases_far(const struct nb_arrivals *arrivals,
                          const struct nb_phases *phases, long double rate,
                          long double *v)
{
    const struct nb_source *source = &phases->source;
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    const long double k = (long double)arrivals->radix;
    const long double a = source->starts, c = source->ends;
    const long double mu = expm1l(rate / k);
    long double lost = 1;
    const long double here = source->murmurs > 0
                                 ? far_by_rates(source, k, rate, &lost)
                             : by_burst ? (mu + a * (mu + c / k) / (mu + c)) / c
                                        : (mu + a) / c;
    const long double elsewhere = by_burst ? a * (k - 1) / (k * (mu + c)) : 0;
    const size_t most = phases->most;
    long double first = 1;
    size_t phase = 0;
    for (size_t h = 0; h <= most; h++) {
        long double value = first;
        for (size_t e = 0; e <= (by_burst ? most - h : 0); e++) {
            v[phase++] = value;
            value *=
                (long double)(most - h - e) / (long double)(e + 1) * elsewhere;
        }
        first *= (long double)(most - h) / (long double)(h + 1) * here;
    }
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
    long double *beyond; /* [n][most + 1] P(A >= l | phase) */
    size_t kept, room;
    long double rest;  /* how much G further down would change, an estimate */
    long double *down; /* [kept][count x silent] G */
    /* of I - U: [count x count], then [kept - 1][count x calm] */
    long double *factors;
    long double *spare[2];   /* [count x silent] */
    long double *exit;       /* [n] */
    long double *pi, *moved; /* [depth + 1][n] */
    struct nb_pool pool;     /* everything except down and factors */
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

static const long double *loss_down(const struct loss_work *work, size_t level)
{
    const size_t size = work->phases.count * work->phases.silent;
    return work->down + loss_kept(work, level) * size;
}

/* At the top U has more columns: those of any number of arrivals. */
static size_t loss_columns(const struct loss_work *work, size_t level)
{
    return level == work->depth ? work->phases.count : work->phases.calm;
}

static long double *loss_factors(const struct loss_work *work, size_t level)
{
    const size_t n = work->phases.count, t = loss_kept(work, level);
    return work->factors + (t == 0 ? 0 : n * (n + (t - 1) * work->phases.calm));
}

/* P(A = l), or P(A >= l) if that many reach or pass the top. */
static const long double *loss_part(const struct loss_work *work, size_t base,
                                    size_t l)
{
    return (base + l >= work->depth ? work->beyond : work->phases.share) + l;
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
    long double *sum = work->spare[0], *next = work->spare[1];
    memset(sum, 0, n * width * sizeof *sum);
    for (size_t l = work->depth - base < most ? work->depth - base : most;
         l > first; l--) {
        const long double *down = loss_down(work, base + l);
        const long double *part = loss_part(work, base, l);
        const size_t from = work->phases.first[l], rest = (n - from) * width;
        nb_positive_multiply(n - from, width, width, sum + from * width, down,
                             next);
        memcpy(sum + from * width, next, rest * sizeof *sum);
        for (size_t j = from; j < n; j++)
            nb_positive_add(width, part[j * (most + 1)], down + j * width,
                            sum + j * width);
    }
}

/* out[i][j] = change[i][j] P(l arrive | j) + moved spare[0], j < columns, where
 * l arrivals lead from base to to; leaves change spare[0] in spare[1]. */
static void loss_stay(struct loss_work *work, size_t base, size_t to,
                      size_t columns, long double *out)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    const size_t most = work->phases.most;
    const long double *part = loss_part(work, base, to - base);
    loss_return(work, base, to);
    nb_positive_multiply(n, n, width, work->phases.change, work->spare[0],
                         work->spare[1]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < columns; j++)
            out[i * columns + j] =
                work->phases.change[i * n + j] * part[j * (most + 1)] +
                (j < width ? work->spare[1][i * width + j] : 0);
}

/* Adds one more distance from the top. Returns the greatest relative change of
 * G. */
static long double loss_add_level(struct loss_work *work, size_t level)
{
    const size_t n = work->phases.count, most = work->phases.most;
    const size_t width = work->phases.silent;
    const size_t columns = loss_columns(work, level);
    long double *factors = loss_factors(work, level);
    long double *down = work->down + (work->depth - level) * n * width;
    long double change = 0;
    loss_stay(work, level - 1, level, columns, factors);
    for (size_t i = 0; i < n; i++) {
        work->exit[i] = 0;
        for (size_t j = 0; j < width; j++) {
            down[i * width + j] = work->phases.change[i * n + j] *
                                  work->phases.share[j * (most + 1)];
            work->exit[i] += down[i * width + j];
        }
    }
    nb_positive_factor(n, columns, factors, work->exit);
    nb_positive_solve(n, columns, factors, width, down);
    if (level == work->depth)
        return 1;
    for (size_t i = 0; i < n * width; i++) {
        const long double moved =
            fabsl(down[i] - down[i - n * width]) / down[i];
        change = down[i] > 0 && moved > change ? moved : change;
    }
    return change;
}

static enum nb_status loss_passages(struct loss_work *work,
                                    struct nb_error *err)
{
    const size_t n = work->phases.count;
    const size_t width = work->phases.silent, calm = work->phases.calm;
    long double before = 1, pace = 0; /* of changes, while they exceed
                                       * roundings */
    for (size_t level = work->depth; level > 0; level--) {
        const size_t t = work->depth - level;
        if (t >= work->room) {
            const size_t room = work->room == 0 ? 64 : 2 * work->room;
            enum nb_status status = nb_memory_require(
                (double)room * (double)n * (double)(width + calm) *
                    sizeof(long double),
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
        const long double change = loss_add_level(work, level);
        if (change > 1e-15L)
            pace = change / before;
        before = change;
        if (change < 16 * LDBL_EPSILON && pace < 1) {
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
    long double *own = work->pi + level * n, *next = work->exit;
    memset(own, 0, n * sizeof *own);
    for (size_t to = top;; to--) {
        for (size_t i = to > most ? to - most : 0; i < level; i++) {
            const size_t base = i > 0 ? i - 1 : 0, l = to - base;
            if (l > most)
                continue;
            const long double *part = loss_part(work, base, l);
            for (size_t j = work->phases.first[l]; j < n; j++)
                own[j] += work->moved[i * n + j] * part[j * (most + 1)];
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
static void loss_count(const struct loss_work *work, long double *lost,
                       long double *all)
{
    const size_t n = work->phases.count, most = work->phases.most;
    *lost = *all = 0;
    for (size_t i = 0; i <= work->depth; i++) {
        const size_t base = i > 0 ? i - 1 : 0;
        for (size_t j = 0; j < n; j++) {
            *all += work->pi[i * n + j];
            for (size_t l = work->depth - base + 1; l <= most; l++)
                *lost +=
                    work->moved[i * n + j] * work->beyond[j * (most + 1) + l];
        }
    }
}

static enum nb_status loss_reserve(struct loss_work *work, struct nb_error *err)
{
    const size_t n = work->phases.count, most = work->phases.most;
    const size_t levels = work->depth + 1;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(2.0 * (double)levels * (double)n *
                                 sizeof(long double),
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
        const long double *share = work->phases.share + j * (most + 1);
        long double sum = 0;
        for (size_t l = most + 1; l-- > 0;) {
            sum += share[l];
            work->beyond[j * (most + 1) + l] = sum;
        }
    }
done:
    return status;
}

enum nb_status nb_onoff_loss(const struct nb_arrivals *arrivals,
                             struct nb_queue_load load, int64_t depth,
                             struct nb_bracket *loss, struct nb_error *err)
{
    struct loss_work work = { .depth = (size_t)depth };
    long double lost, all;
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
    loss_count(&work, &lost, &all);
    /* Counted, not proved: a few roundings per term of each level, and the
     * error of its passages. */
    const long double each = 8 * (long double)n +
                             8 * (long double)work.phases.most +
                             (long double)work.phases.most *
                                 work.phases.source.rate_error / LDBL_EPSILON;
    const long double error =
        (long double)(work.depth + 16) * (each * LDBL_EPSILON + work.rest);
    *loss = nb_bracket_of(lost / (all * load.rho), error);
done:
    loss_release(&work);
    return status;
}
