#include "queueing/distribution_mix.h"

#include "core/memory.h"
#include "core/twofold_rows.h"
#include "queueing/convolve.h"

/* A convolution in progress. */
struct mix_work {
    const struct nb_distribution_mix *mix;
    const struct nb_distribution *const *distributions;
    size_t length;
    struct nb_distribution *first; /* [count of first parts] their sums, cut */
    struct nb_distribution joined; /* first parts with one last part */
    struct nb_twofold *scratch;    /* [length + 1] */
};

void nb_distribution_mix_release(struct nb_distribution_mix *mix)
{
    for (int part = 0; part < NB_MIX_PARTS; part++)
        nb_delete(mix->distributions[part]);
    nb_delete(mix->shares);
    *mix = (struct nb_distribution_mix){ 0 };
}

/* Checks the steps of all parts' convolutions and of the mixing. */
static enum nb_status mix_check(const struct mix_work *work,
                                struct nb_error *err)
{
    const struct nb_distribution_mix *mix = work->mix;
    const double length = (double)work->length;
    double steps = (double)mix->share_count * length;
    for (int part = 0; part < NB_MIX_PARTS; part++)
        for (size_t i = 0; i < mix->count[part] * mix->width[part]; i++)
            steps += (double)work->distributions[mix->distributions[part][i]]
                         ->length *
                     length;
    if (steps > NB_CONVOLVE_STEPS)
        return nb_fail(
            err, NB_INVALID,
            "delay distributions of %zu terms over %zu and %zu kinds of paths "
            "take %g steps (permitted: up to %g; a load further from 1, a "
            "larger overflow or more regular traffic take less)",
            work->length, mix->count[NB_MIX_FIRST], mix->count[NB_MIX_LAST],
            steps, NB_CONVOLVE_STEPS);
    return nb_memory_require(2.0 * sizeof(struct nb_twofold) * (length + 1) *
                                 ((double)mix->count[NB_MIX_FIRST] + 3),
                             "delay distributions", err);
}

/* An empty sum is 0. */
static enum nb_status mix_first(const struct mix_work *work, size_t number,
                                struct nb_error *err)
{
    const size_t width = work->mix->width[NB_MIX_FIRST];
    const uint32_t *at =
        work->mix->distributions[NB_MIX_FIRST] + number * width;
    struct nb_distribution *out = &work->first[number];
    const enum nb_status status =
        nb_distribution_reserve(out, work->length, err);
    if (status != NB_OK)
        return status;
    out->is_cut = true;
    out->mass[0] = nb_twofold_from(NB_DISTRIBUTION_SCALE);
    for (size_t i = 0; i < width; i++)
        nb_distribution_join(work->distributions[at[i]], out, work->scratch);
    return NB_OK;
}

/* Adds a share of a cut distribution to another. Only the last tail of the
 * result is used. */
static void mix_add(const struct nb_distribution *distribution,
                    struct nb_twofold share, struct nb_distribution *sum)
{
    const size_t length = sum->length;
    nb_twofold_sums(1, &share, distribution->mass, 1, length + 1, 1, sum->mass);
    nb_twofold_sums(1, &share, &distribution->tail[length], 1, 1, 1,
                    &sum->tail[length]);
    sum->error =
        distribution->error > sum->error ? distribution->error : sum->error;
}

static void mix_clear(struct nb_distribution *distribution)
{
    for (size_t n = 0; n <= distribution->length; n++)
        distribution->mass[n] = distribution->tail[n] = nb_twofold_from(0);
    distribution->error = 0;
}

/* Adds one last part, with the shares from share on. Returns the next share. */
static size_t mix_last(struct mix_work *work, size_t share,
                       struct nb_distribution *out)
{
    const struct nb_distribution_mix *mix = work->mix;
    const size_t width = mix->width[NB_MIX_LAST];
    const uint32_t last = mix->shares[share].part[NB_MIX_LAST];
    mix_clear(&work->joined);
    for (; share < mix->share_count &&
           mix->shares[share].part[NB_MIX_LAST] == last;
         share++)
        mix_add(&work->first[mix->shares[share].part[NB_MIX_FIRST]],
                nb_twofold_divide(
                    nb_twofold_of((nb_int128)mix->shares[share].weight),
                    nb_twofold_of((nb_int128)mix->total)),
                &work->joined);
    for (size_t i = 0; i < width; i++)
        nb_distribution_join(
            work->distributions[mix->distributions[NB_MIX_LAST]
                                                  [last * width + i]],
            &work->joined, work->scratch);
    mix_add(&work->joined, nb_twofold_from(1), out);
    return share;
}

/*
 * A part's tail has an error of at most error max(tail, NB_DISTRIBUTION_LEAST),
 * so the shares sum to at most error (tail + NB_DISTRIBUTION_LEAST). Each share
 * is rounded, and every product and addition.
 */
static void mix_finish(const struct nb_distribution_mix *mix,
                       struct nb_distribution *out)
{
    nb_distribution_add_up(out);
    out->error =
        2 * (out->error +
             (2 * (double)mix->share_count + 8) * NB_TWOFOLD_ROWS_ERROR +
             ((double)out->length + 1) * NB_TWOFOLD_ERROR);
}

enum nb_status
nb_distribution_mix_convolve(const struct nb_distribution_mix *mix,
                             const struct nb_distribution *const *distributions,
                             size_t length, struct nb_distribution *out,
                             struct nb_error *err)
{
    struct mix_work work = { .mix = mix,
                             .distributions = distributions,
                             .length = length };
    enum nb_status status = NB_OK;
    *out = (struct nb_distribution){ 0 };
    NB_TRY(mix_check(&work, err));
    NB_TRY(nb_new(&work.first, mix->count[NB_MIX_FIRST], sizeof *work.first,
                  "delay distributions", err));
    NB_TRY(
        nb_new(&work.scratch, length + 1, sizeof *work.scratch, "delays", err));
    NB_TRY(nb_distribution_reserve(&work.joined, length, err));
    NB_TRY(nb_distribution_reserve(out, length, err));
    out->is_cut = true;
    for (size_t i = 0; i < mix->count[NB_MIX_FIRST]; i++)
        NB_TRY(mix_first(&work, i, err));
    for (size_t share = 0; share < mix->share_count;)
        share = mix_last(&work, share, out);
    mix_finish(mix, out);
done:
    for (size_t i = 0; work.first != NULL && i < mix->count[NB_MIX_FIRST]; i++)
        nb_distribution_release(&work.first[i]);
    nb_delete(work.first);
    nb_delete(work.scratch);
    nb_distribution_release(&work.joined);
    if (status != NB_OK)
        nb_distribution_release(out);
    return status;
}
