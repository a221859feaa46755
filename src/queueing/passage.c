/* Passages down one level (declared in phases.h). */
#include "queueing/phases.h"

#include "core/memory.h"
#include "queueing/positive.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PASSAGE_STEPS = 100000 };

/* State of the iteration. */
struct passage_work {
    size_t powers;
    long double *power;   /* [powers][count x silent] G, G^2, ... */
    long double *rows;    /* [count x silent], see passage_rows */
    long double *product; /* [count x silent] */
    long double *spare;   /* [silent] */
    long double *exit;    /* [count] row sums of A_0 */
    struct nb_pool pool;
};

void nb_passage_release(struct nb_passage *passage)
{
    nb_delete(passage->down);
    nb_delete(passage->factors);
    *passage = (struct nb_passage){ 0 };
}

static enum nb_status passage_reserve(const struct nb_phases *phases,
                                      struct nb_passage *out,
                                      struct passage_work *work,
                                      struct nb_error *err)
{
    static const char what[] = "phases of ON/OFF sources";
    const size_t n = phases->count, size = n * phases->silent;
    enum nb_status status = NB_OK;
    work->powers = 1 + (size_t)sqrt((double)phases->most / 2);
    NB_TRY(nb_new(&out->down, size, sizeof *out->down, what, err));
    NB_TRY(nb_new(&out->factors, n * phases->calm, sizeof *out->factors, what,
                  err));
    struct nb_pool *pool = &work->pool;
    work->power = nb_pool_array(pool, work->powers * size, sizeof *work->power);
    work->rows = nb_pool_array(pool, size, sizeof *work->rows);
    work->product = nb_pool_array(pool, size, sizeof *work->product);
    work->spare = nb_pool_array(pool, phases->silent, sizeof *work->spare);
    work->exit = nb_pool_array(pool, n, sizeof *work->exit);
    NB_TRY(nb_pool_check(pool, what, err));
done:
    return status;
}

/*
 * Row j of sum_{l>=2} P(A=l|j) G^(l-1). The first rows of G are a matrix H by
 * themselves, G^(l-1) = G H^(l-2); a few powers are listed, and the rest is
 * Horner's rule in the last of them.
 */
static void passage_rows(const struct nb_phases *phases,
                         struct passage_work *work, const long double *down)
{
    const size_t n = phases->count, width = phases->silent;
    const size_t size = n * width, bytes = width * sizeof *down;
    const size_t step = work->powers;
    const long double *const last = work->power + (step - 1) * size;
    memcpy(work->power, down, size * sizeof *down);
    for (size_t r = 1; r < step; r++)
        nb_positive_multiply(n, width, width, work->power + (r - 1) * size,
                             down, work->power + r * size);
    memset(work->rows, 0, size * sizeof *down);
    for (size_t j = 0; j < n; j++) {
        const long double *share = phases->share + j * (phases->most + 1) + 2;
        const size_t terms =
            phases->senders[j] < 2 ? 0 : phases->senders[j] - 1;
        long double *row = work->rows + j * width;
        for (size_t block = (terms + step - 1) / step; block-- > 0;) {
            memcpy(work->spare, row, bytes);
            memset(row, 0, bytes);
            if ((block + 1) * step < terms)
                nb_positive_row_times(width, width, work->spare, last, row);
            for (size_t t = block * step; t < terms && t < (block + 1) * step;
                 t++)
                nb_positive_add(
                    width, share[t],
                    work->power + (t - block * step) * size + j * width, row);
        }
    }
}

/* factors = U, and exit. */
static void passage_stay(const struct nb_phases *phases,
                         struct passage_work *work, struct nb_passage *out)
{
    const size_t n = phases->count, width = phases->silent;
    const size_t calm = phases->calm, shares = phases->most + 1;
    const size_t first = phases->first[2]; /* rows before it are 0 */
    passage_rows(phases, work, out->down);
    memset(work->product, 0, n * width * sizeof *work->product);
    for (size_t i = 0; i < n; i++)
        nb_positive_row_times(n - first, width, phases->change + i * n + first,
                              work->rows + first * width,
                              work->product + i * width);
    for (size_t i = 0; i < n; i++) {
        const long double *change = phases->change + i * n;
        long double *stay = out->factors + i * calm;
        for (size_t j = 0; j < calm; j++)
            stay[j] = change[j] * phases->share[j * shares + 1] +
                      (j < width ? work->product[i * width + j] : 0);
        work->exit[i] = 0;
        for (size_t j = 0; j < width; j++) {
            work->product[i * width + j] =
                change[j] * phases->share[j * shares];
            work->exit[i] += work->product[i * width + j];
        }
    }
}

/* down = (I - U)^-1 A_0. Returns the greatest relative change of an entry. */
static long double passage_step(const struct nb_phases *phases,
                                struct passage_work *work,
                                struct nb_passage *out)
{
    const size_t n = phases->count, width = phases->silent;
    long double change = 0;
    passage_stay(phases, work, out);
    nb_positive_factor(n, phases->calm, out->factors, work->exit);
    nb_positive_solve(n, phases->calm, out->factors, width, work->product);
    for (size_t i = 0; i < n; i++) {
        long double sum = 0; /* 1 except for rounding, which must not
                              * accumulate */
        for (size_t j = 0; j < width; j++)
            sum += work->product[i * width + j];
        for (size_t j = 0; j < width; j++) {
            const long double before = out->down[i * width + j];
            const long double after = work->product[i * width + j] / sum;
            const long double moved = fabsl(after - before) / after;
            change = after > 0 && moved > change ? moved : change;
            out->down[i * width + j] = after;
        }
    }
    return change;
}

/* A starting point close to G: the phases after one slot without packets. */
static void passage_start(const struct nb_phases *phases, long double *down)
{
    const size_t n = phases->count, width = phases->silent;
    for (size_t i = 0; i < n; i++) {
        long double sum = 0;
        for (size_t j = 0; j < width; j++)
            sum += phases->change[i * n + j];
        for (size_t j = 0; j < width; j++)
            down[i * width + j] = phases->change[i * n + j] / sum;
    }
}

enum nb_status nb_passage_find(const struct nb_phases *phases,
                               struct nb_passage *out, struct nb_error *err)
{
    struct passage_work work = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_passage){ 0 };
    NB_TRY(passage_reserve(phases, out, &work, err));
    passage_start(phases, out->down);
    long double before = INFINITY, change = 0, pace = 0;
    for (int i = 0; i < PASSAGE_STEPS; i++) {
        change = passage_step(phases, &work, out);
        if (change < 1e-6L && change > 1e-15L)
            pace = change / before;
        /* The remaining error, or rounding, which ends the decrease. */
        const long double rest = change * pace / (1 - pace);
        const bool is_level = change >= before * (1 + pace) / 2;
        if (change < 1e-15L && (is_level || rest < 4 * LDBL_EPSILON)) {
            out->error = rest + 4 * LDBL_EPSILON / (1 - pace);
            goto done;
        }
        before = change;
    }
    status = nb_fail(err, NB_NO_CONVERGENCE,
                     "the passage down one level did not settle in %d steps "
                     "(last relative change %.3Lg)",
                     PASSAGE_STEPS, change);
done:
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_passage_release(out);
    return status;
}
