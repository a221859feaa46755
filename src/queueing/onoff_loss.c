/* A finite buffer fed by ON/OFF sources (declared in onoff.h). */
#include "queueing/onoff.h"

#include "core/memory.h"
#include "queueing/phases.h"
#include "queueing/positive.h"

#include <float.h>
#include <math.h>
#include <string.h>

/*
 * Levels 0 .. depth; what does not fit is lost. Passages down from a level
 * depend on its distance t to the top alone, so G and I - U are kept by
 * distance, until one equals the one before to all digits; below that they
 * stay the same. Owns its parts.
 */
struct loss_work {
    struct nb_phases phases;
    size_t depth;
    long double *beyond; /* [n][most + 1] P(A >= l | phase) */
    size_t kept, room;
    long double rest;  /* what G further down would change, an estimate */
    long double *down; /* [kept][count x silent] G */
    /* of I - U: [count x count], then [kept - 1][count x calm] */
    long double *factors;
    long double *spare[2];   /* [count x silent] */
    long double *exit;       /* [n] */
    long double *pi, *moved; /* [depth + 1][n] */
};

static void loss_release(struct loss_work *work)
{
    nb_phases_release(&work->phases);
    nb_delete(work->beyond);
    nb_delete(work->down);
    nb_delete(work->factors);
    nb_delete(work->spare[0]);
    nb_delete(work->spare[1]);
    nb_delete(work->exit);
    nb_delete(work->pi);
    nb_delete(work->moved);
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

/* At the top U has more columns, those of any arrivals at all. */
static size_t loss_columns(const struct loss_work *work, size_t level)
{
    return level == work->depth ? work->phases.count : work->phases.calm;
}

static long double *loss_factors(const struct loss_work *work, size_t level)
{
    const size_t n = work->phases.count, t = loss_kept(work, level);
    return work->factors + (t == 0 ? 0 : n * (n + (t - 1) * work->phases.calm));
}

/* P(A = l), or P(A >= l) where that many reach the top or pass it. */
static const long double *loss_part(const struct loss_work *work, size_t base,
                                    size_t l)
{
    return (base + l >= work->depth ? work->beyond : work->phases.share) + l;
}

/*
 * spare[0] = sum_l diag(P(A = l)) G_{base+l} ... G_{to+1}, base + l > to: what
 * comes down to level to after arrivals on top of base. The first rows of G
 * are a matrix on their own.
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
        nb_positive_multiply(n, width, width, sum, down, next);
        memcpy(sum, next, n * width * sizeof *sum);
        for (size_t j = 0; j < n; j++)
            nb_positive_add(width, part[j * (most + 1)], down + j * width,
                            sum + j * width);
    }
}

/* out[i][j] = change[i][j] P(l arrive | j) + moved spare[0], j < columns, l
 * what takes base to to; leaves change spare[0] in spare[1]. */
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

/* One more distance from the top; the greatest relative change of G. */
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
    long double before = 1, pace = 0; /* of changes, where not of roundings */
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

/* pi_level from the levels below: what arrives at it or above, coming down. */
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
            for (size_t j = 0; j < n; j++)
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

/* Packets lost and packets arriving, both per slot and in one unknown unit. */
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
    NB_TRY(nb_new(&work->beyond, n * (most + 1), sizeof *work->beyond, "phases",
                  err));
    for (size_t i = 0; i < 2; i++)
        NB_TRY(nb_new(&work->spare[i], n * work->phases.silent,
                      sizeof *work->spare[i], "phases", err));
    NB_TRY(nb_new(&work->exit, n, sizeof *work->exit, "phases", err));
    NB_TRY(nb_new(&work->pi, levels * n, sizeof *work->pi, "levels", err));
    NB_TRY(
        nb_new(&work->moved, levels * n, sizeof *work->moved, "levels", err));
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
    if (arrivals->radix == 1) /* one packet a slot at most always fits */
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
    /* Counted, not proved: some roundings a term of each level, and what its
     * passages lack. */
    const long double each =
        8 * (long double)n + 8 * (long double)work.phases.most;
    const long double error =
        (long double)(work.depth + 16) * (each * LDBL_EPSILON + work.rest);
    *loss = nb_bracket_of(lost / (all * load.rho), error);
done:
    loss_release(&work);
    return status;
}
