#include "queueing/law_mix.h"

#include "core/memory.h"
#include "queueing/convolve.h"

#include <float.h>

/* A convolution in the making. */
struct mix_work {
    const struct nb_law_mix *mix;
    const struct nb_law *const *laws;
    size_t length;
    struct nb_law *first; /* [count of first parts] their sums, cut */
    struct nb_law joined; /* first parts with one last part */
    long double *scratch; /* [length + 1] */
};

void nb_law_mix_release(struct nb_law_mix *mix)
{
    for (int part = 0; part < NB_MIX_PARTS; part++)
        nb_delete(mix->laws[part]);
    nb_delete(mix->shares);
    *mix = (struct nb_law_mix){ 0 };
}

/* The steps of all parts' convolutions and of the mixing. */
static enum nb_status mix_check(const struct mix_work *work,
                                struct nb_error *err)
{
    const struct nb_law_mix *mix = work->mix;
    const double length = (double)work->length;
    double steps = (double)mix->share_count * length;
    for (int part = 0; part < NB_MIX_PARTS; part++)
        for (size_t i = 0; i < mix->count[part] * mix->width[part]; i++)
            steps += (double)work->laws[mix->laws[part][i]]->length * length;
    if (steps > NB_CONVOLVE_STEPS)
        return nb_fail(err, NB_INVALID,
                       "delay laws of %zu terms over %zu and %zu kinds of ways "
                       "take %g steps (permitted: up to %g; a load further "
                       "from 1, a larger overflow or a more regular traffic "
                       "take less)",
                       work->length, mix->count[NB_MIX_FIRST],
                       mix->count[NB_MIX_LAST], steps, NB_CONVOLVE_STEPS);
    return nb_memory_require(2.0 * sizeof(long double) * (length + 1) *
                                 ((double)mix->count[NB_MIX_FIRST] + 3),
                             "delay laws", err);
}

/* The sum of no law is 0. */
static enum nb_status mix_first(const struct mix_work *work, size_t number,
                                struct nb_error *err)
{
    const size_t width = work->mix->width[NB_MIX_FIRST];
    const uint32_t *at = work->mix->laws[NB_MIX_FIRST] + number * width;
    struct nb_law *out = &work->first[number];
    const enum nb_status status = nb_law_reserve(out, work->length, err);
    if (status != NB_OK)
        return status;
    out->is_cut = true;
    out->mass[0] = 1;
    for (size_t i = 0; i < width; i++)
        nb_law_join(work->laws[at[i]], out, work->scratch);
    return NB_OK;
}

/* Adds a share of a cut law to another, whose tails but the last are not
 * used. */
static void mix_add(const struct nb_law *law, long double share,
                    struct nb_law *sum)
{
    for (size_t n = 0; n <= sum->length; n++)
        sum->mass[n] += share * law->mass[n];
    sum->tail[sum->length] += share * law->tail[sum->length];
    sum->error = law->error > sum->error ? law->error : sum->error;
}

static void mix_clear(struct nb_law *law)
{
    for (size_t n = 0; n <= law->length; n++)
        law->mass[n] = law->tail[n] = 0;
    law->error = 0;
}

/* One last part, with the shares from first on. Returns the next share. */
static size_t mix_last(struct mix_work *work, size_t share, struct nb_law *out)
{
    const struct nb_law_mix *mix = work->mix;
    const size_t width = mix->width[NB_MIX_LAST];
    const uint32_t last = mix->shares[share].part[NB_MIX_LAST];
    mix_clear(&work->joined);
    for (; share < mix->share_count &&
           mix->shares[share].part[NB_MIX_LAST] == last;
         share++)
        mix_add(&work->first[mix->shares[share].part[NB_MIX_FIRST]],
                (long double)mix->shares[share].weight /
                    (long double)mix->total,
                &work->joined);
    for (size_t i = 0; i < width; i++)
        nb_law_join(work->laws[mix->laws[NB_MIX_LAST][last * width + i]],
                    &work->joined, work->scratch);
    mix_add(&work->joined, 1, out);
    return share;
}

/*
 * A part's tail is wrong by error max(tail, NB_LAW_LEAST), so that the shares
 * sum to no more than error (tail + NB_LAW_LEAST); each share is rounded three
 * times, and every addition once.
 */
static void mix_finish(const struct nb_law_mix *mix, struct nb_law *out)
{
    nb_law_add_up(out);
    out->error = 2 * (out->error +
                      (2 * (long double)mix->share_count + 8) * LDBL_EPSILON +
                      ((long double)out->length + 1) * LDBL_EPSILON);
}

enum nb_status nb_law_mix_convolve(const struct nb_law_mix *mix,
                                   const struct nb_law *const *laws,
                                   size_t length, struct nb_law *out,
                                   struct nb_error *err)
{
    struct mix_work work = { .mix = mix, .laws = laws, .length = length };
    enum nb_status status = NB_OK;
    *out = (struct nb_law){ 0 };
    NB_TRY(mix_check(&work, err));
    NB_TRY(nb_new(&work.first, mix->count[NB_MIX_FIRST], sizeof *work.first,
                  "delay laws", err));
    NB_TRY(
        nb_new(&work.scratch, length + 1, sizeof *work.scratch, "delays", err));
    NB_TRY(nb_law_reserve(&work.joined, length, err));
    NB_TRY(nb_law_reserve(out, length, err));
    out->is_cut = true;
    for (size_t i = 0; i < mix->count[NB_MIX_FIRST]; i++)
        NB_TRY(mix_first(&work, i, err));
    for (size_t share = 0; share < mix->share_count;)
        share = mix_last(&work, share, out);
    mix_finish(mix, out);
done:
    for (size_t i = 0; work.first != NULL && i < mix->count[NB_MIX_FIRST]; i++)
        nb_law_release(&work.first[i]);
    nb_delete(work.first);
    nb_delete(work.scratch);
    nb_law_release(&work.joined);
    if (status != NB_OK)
        nb_law_release(out);
    return status;
}
