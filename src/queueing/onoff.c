#include "queueing/onoff.h"

#include "core/memory.h"
#include "queueing/passage.h"
#include "queueing/positive.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Levels of the queue and what the recursion reads. Owns its parts. */
struct onoff_work {
    struct nb_phases phases;
    struct nb_passage passage;
    long double rate, rate_error;
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
    nb_phases_far(arrivals, phases, work->rate, work->far);
    for (size_t v = most - 1; v > 0; v--) {
        long double *own = work->from + (v - 1) * size;
        nb_positive_multiply(n, width, width, own + size, work->passage.down,
                             own);
        for (size_t j = 0; j < n; j++)
            nb_positive_add(width, phases->share[j * (most + 1) + v + 1],
                            work->passage.down + j * width, own + j * width);
    }
done:
    return status;
}

/* One more level: memory, and the phases moved of the one before. */
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
    for (size_t j = 0; j < n; j++)
        own[j] += moved[j] * phases->share[j * (phases->most + 1) + v];
    if (v < phases->most)
        nb_positive_row_times(n, width, moved, work->from + (v - 1) * n * width,
                              own);
}

/*
 * pi_level (I - U) = sum of what arrives at level or comes down to it first,
 * from level 0 by level packets in a slot or more, from level i by
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
 * How far P(Q = last + m) z^m can be from P(Q = last), any m >= 0, relative to
 * it: pi_{last+m} z^m / v is, by the recursion and v being its left
 * eigenvector, a mean of the same of levels before, in any phase, so that all
 * stay between the least and the greatest of as many levels as it reads. Where
 * these go down to level 0, which enters as if it were level 1, nothing is
 * known but that none exceeds the greatest of all.
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

/* Levels until what follows is geometric, or too rare for any question. */
static enum nb_status onoff_run(struct onoff_work *work, long double idle,
                                struct nb_error *err)
{
    const size_t n = work->phases.count, width = work->phases.silent;
    size_t check = work->phases.most + 16;
    /* Where roundings, those of v and of G end the decrease at the latest. */
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
        if (isinf(work->rate)) { /* two packets at most */
            if (onoff_sum(work, level) == 0)
                break;
            continue;
        }
        const bool is_tiny = onoff_sum(work, level) < NB_LAW_LEAST * 1e-40L;
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

/* Lists the levels' sums as a law. */
static enum nb_status onoff_law(const struct onoff_work *work,
                                struct nb_law *out, struct nb_error *err)
{
    const size_t last = work->last;
    const enum nb_status status = nb_law_reserve(out, last, err);
    if (status != NB_OK)
        return status;
    for (size_t level = 0; level <= last; level++)
        out->mass[level] = onoff_sum(work, level);
    out->tail[last] = out->mass[last] / -expm1l(-work->rate);
    nb_law_add_up(out);
    /* Roundings: some a term in each level, and those of G once in each (see
     * onoff.h); and that all must come to 1. */
    const long double most = (long double)work->phases.most;
    const long double each = 4 * most + 2 * (long double)work->phases.count + 8;
    out->error =
        (long double)last * (each * LDBL_EPSILON + work->passage.error) +
        fabsl(out->tail[0] - 1);
    /* The levels compared were raised by powers of z up to most. */
    const long double raised =
        isinf(work->rate)
            ? 0
            : most * work->rate * (work->rate_error + 2 * LDBL_EPSILON);
    out->far_error = work->spread + 2 * raised +
                     (2 * most + 1) * work->rate_error +
                     (32 * most + 8) * LDBL_EPSILON;
    out->rate = work->rate;
    out->rate_error = work->rate_error;
    return NB_OK;
}

enum nb_status nb_onoff_law(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load, struct nb_law *out,
                            struct nb_error *err)
{
    struct onoff_work work = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_phases_build(arrivals, load, &work.phases, err));
    if (arrivals->radix == 1) {
        status = nb_law_single(load, out, err);
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
