/* Passages down one level (declared in phases.h). */
#include "queueing/phases.h"

#include "core/memory.h"
#include "core/twofold_rows.h"
#include "queueing/positive.h"
#include "queueing/scaled.h"

#include <math.h>
#include <string.h>

enum { PASSAGE_STEPS = 100000 };

/* State of the iteration. */
struct passage_work {
    size_t powers;
    struct nb_twofold *power;   /* [powers][count x silent] G, G^2, ... */
    struct nb_twofold *rows;    /* [count x silent], see passage_rows */
    struct nb_twofold *product; /* [count x silent] */
    struct nb_twofold *spare;   /* [silent] */
    struct nb_twofold *exit;    /* [count] row sums of A_0 */
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

static struct nb_twofold passage_sum(const struct nb_twofold *row, size_t n)
{
    struct nb_twofold sum = { 0, 0 };
    for (size_t j = 0; j < n; j++)
        sum = nb_twofold_add(sum, row[j]);
    return sum;
}

/*
 * Row j of sum_{l>=2} P(A=l|j) G^(l-1). The first rows of G are a matrix H by
 * themselves, G^(l-1) = G H^(l-2); a few powers are listed, and the rest is
 * Horner's rule in the last of them.
 */
static void passage_rows(const struct nb_phases *phases,
                         struct passage_work *work,
                         const struct nb_twofold *down)
{
    const size_t n = phases->count, width = phases->silent;
    const size_t size = n * width, bytes = width * sizeof *down;
    const size_t step = work->powers;
    const struct nb_twofold *const last = work->power + (step - 1) * size;
    memcpy(work->power, down, size * sizeof *down);
    for (size_t r = 1; r < step; r++)
        nb_positive_multiply(n, width, width, work->power + (r - 1) * size,
                             down, work->power + r * size);
    memset(work->rows, 0, size * sizeof *down);
    for (size_t j = 0; j < n; j++) {
        const struct nb_twofold *share =
            phases->share + j * (phases->most + 1) + 2;
        const size_t terms =
            phases->senders[j] < 2 ? 0 : phases->senders[j] - 1;
        struct nb_twofold *row = work->rows + j * width;
        for (size_t block = (terms + step - 1) / step; block-- > 0;) {
            memcpy(work->spare, row, bytes);
            memset(row, 0, bytes);
            if ((block + 1) * step < terms)
                nb_positive_row_times(width, width, work->spare, last, row);
            const size_t rest = terms - block * step;
            nb_twofold_sums(rest < step ? rest : step, share + block * step,
                            work->power + j * width, (ptrdiff_t)size, width,
                            NB_DISTRIBUTION_SCALE, row);
        }
    }
}

/* factors = U, and exit. */
static void passage_stay(const struct nb_phases *phases,
                         struct passage_work *work, struct nb_passage *out)
{
    const size_t n = phases->count, width = phases->silent;
    const size_t calm = phases->calm;
    const size_t first = phases->first[2]; /* rows before it are 0 */
    passage_rows(phases, work, out->down);
    memset(work->product, 0, n * width * sizeof *work->product);
    for (size_t i = 0; i < n; i++)
        nb_positive_row_times(n - first, width, phases->change + i * n + first,
                              work->rows + first * width,
                              work->product + i * width);
    const struct nb_twofold *const none = phases->arrive;
    const struct nb_twofold *const single = phases->arrive + n;
    for (size_t i = 0; i < n; i++) {
        const struct nb_twofold *change = phases->change + i * n;
        struct nb_twofold *stay = out->factors + i * calm;
        struct nb_twofold *product = work->product + i * width;
        memset(stay, 0, calm * sizeof *stay);
        memcpy(stay, product, width * sizeof *stay);
        nb_twofold_dots(1, change, 0, single, 0, calm, NB_DISTRIBUTION_SCALE,
                        stay);
        memset(product, 0, width * sizeof *product);
        nb_twofold_dots(1, change, 0, none, 0, width, NB_DISTRIBUTION_SCALE,
                        product);
        work->exit[i] = passage_sum(product, width);
    }
}

/* Smaller entries of G do not count, and have few digits. */
#define PASSAGE_LEAST 0x1p-900

/* down = (I - U)^-1 A_0. Returns the greatest relative change of an entry. */
static double passage_step(const struct nb_phases *phases,
                           struct passage_work *work, struct nb_passage *out)
{
    const size_t n = phases->count, width = phases->silent;
    double change = 0;
    passage_stay(phases, work, out);
    nb_positive_factor(n, phases->calm, out->factors, work->exit);
    nb_positive_solve(n, phases->calm, out->factors, width, work->product);
    for (size_t i = 0; i < n; i++) {
        const struct nb_twofold *product = work->product + i * width;
        /* 1 except for rounding, which must not accumulate */
        const struct nb_twofold over =
            nb_twofold_divide(nb_twofold_from(NB_DISTRIBUTION_SCALE),
                              passage_sum(product, width));
        for (size_t j = 0; j < width; j++) {
            struct nb_twofold *down = &out->down[i * width + j];
            const struct nb_twofold after =
                nb_twofold_multiply(product[j], over);
            const double moved =
                fabs(nb_twofold_subtract(after, *down).high) / after.high;
            if (after.high > PASSAGE_LEAST && moved > change)
                change = moved;
            *down = after;
        }
    }
    return change;
}

/* A starting point close to G: the phases after one slot without packets. */
static void passage_start(const struct nb_phases *phases,
                          struct nb_twofold *down)
{
    const size_t n = phases->count, width = phases->silent;
    for (size_t i = 0; i < n; i++) {
        const struct nb_twofold *change = phases->change + i * n;
        const struct nb_twofold sum = passage_sum(change, width);
        for (size_t j = 0; j < width; j++)
            down[i * width + j] = nb_scaled_divide(change[j], sum);
    }
}

/* Once changes are this small they fall at an even pace, and the rest of them
 * is known. */
static const double passage_even = 1e-15, passage_settled = 0x1p-61;

enum nb_status nb_passage_find(const struct nb_phases *phases,
                               struct nb_passage *out, struct nb_error *err)
{
    struct passage_work work = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_passage){ 0 };
    NB_TRY(passage_reserve(phases, out, &work, err));
    passage_start(phases, out->down);
    double before = INFINITY, change = 0, pace = 0;
    for (int i = 0; i < PASSAGE_STEPS; i++) {
        change = passage_step(phases, &work, out);
        if (change < 1e-6 && change > passage_even)
            pace = change / before;
        /* Rounding would end the decrease. */
        const bool is_level = change >= before * (1 + pace) / 2;
        if (change < passage_even &&
            (is_level || change * pace < passage_settled)) {
            out->error =
                (change * pace + 4 * NB_TWOFOLD_ROWS_ERROR) / (1 - pace);
            goto done;
        }
        before = change;
    }
    status = nb_fail(err, NB_NO_CONVERGENCE,
                     "the passage down one level did not settle in %d steps "
                     "(last relative change %.3g)",
                     PASSAGE_STEPS, change);
done:
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_passage_release(out);
    return status;
}
