/* Distribution mix: a mixture of sums of independent variables. */
#ifndef NB_QUEUEING_LAW_MIX_H
#define NB_QUEUEING_LAW_MIX_H

#include "queueing/distribution.h"

#include <stdint.h>

enum { NB_MIX_FIRST, NB_MIX_LAST, NB_MIX_PARTS };

/*
 * S = the sum of the distributions of a first part plus those of a last part.
 * The two parts are drawn together, since a first part may go with only some
 * last parts. A pair thus costs only one addition of distributions. Owns its
 * arrays; zero-initialised is valid and empty.
 */
struct nb_distribution_mix {
    size_t width[NB_MIX_PARTS]; /* distributions in each first and each last
                                   part */
    size_t count[NB_MIX_PARTS]; /* kinds of parts, >= 1 */
    uint32_t *distributions[NB_MIX_PARTS]; /* [count * width] indices of
                                            * distributions */
    size_t share_count;
    struct nb_distribution_share {
        uint32_t part[NB_MIX_PARTS];
        uint64_t weight; /* > 0 */
    } * shares;          /* by part[NB_MIX_LAST], ascending */
    uint64_t total;      /* of weights, < 2^63 */
};

NB_INTERNAL_BEGIN

void nb_distribution_mix_release(struct nb_distribution_mix *mix);

/*
 * The distribution of S, listed up to length and cut there, as in
 * nb_distributions_convolve: one convolution for each first part; then every
 * last part is joined to the mixture of first parts that it goes with.
 *
 * distributions  by index, not cut
 *
 * Errors: NB_NO_MEMORY; NB_INVALID beyond NB_CONVOLVE_STEPS.
 */
enum nb_status
nb_distribution_mix_convolve(const struct nb_distribution_mix *mix,
                             const struct nb_distribution *const *distributions,
                             size_t length, struct nb_distribution *out,
                             struct nb_error *err);

NB_INTERNAL_END

#endif
