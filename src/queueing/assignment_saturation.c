/* A proof in whole numbers that no routing carries the rate (declared in
 * assignment_work.h). */
#include "queueing/assignment_work.h"

#include <math.h>

/* At saturation the prices of the channels that limit the network go to
 * infinity, and their ratios to those of lengths that prove it: most often
 * 1 for a cut and 0 elsewhere, or small whole numbers. */
enum { SATURATION_UNITS = 32 };
#define SATURATION_NEAR 0x1p-4

/* Sets lengths to the prices in so many units of which the greatest is made,
 * rounded. Returns by how much at most. */
static double saturation_round(struct nb_assignment_work *work, int units)
{
    const size_t channels = work->topology->channel_count;
    double greatest = 0, error = 0;
    for (size_t c = 0; c < channels; c++)
        greatest = fmax(greatest, work->price[c]);
    for (size_t c = 0; c < channels; c++) {
        const double length = work->price[c] / greatest * units;
        work->length[c] = floor(length + 0.5);
        error = fmax(error, fabs(work->length[c] - length));
    }
    return error;
}

/* Whether sum_c b_c l_c <= rate sum_ij rate(i, j) distance_l(i, j), for
 * lengths of which one is not 0; doubles hold whole distances exactly. */
static bool saturation_prove(struct nb_assignment_work *work)
{
    const struct nb_topology *topology = work->topology;
    struct nb_ratio room = nb_ratio_zero;
    nb_int128 way = 0;
    /* Distances are less than this; their sum must fit. */
    const long double farthest =
        (long double)SATURATION_UNITS * (long double)topology->router_count;
    if (work->weights * farthest >= 0x1p126L)
        return false;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_ratio length = { (int64_t)work->length[c], 1 };
        room = nb_ratio_add(
            room, nb_ratio_multiply(topology->channels[c].bandwidth, length));
    }
    for (uint32_t t = 0; t < topology->router_count; t++) {
        if (work->pair_start[t] == work->pair_start[t + 1])
            continue;
        nb_assignment_search(work, t);
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            way += (nb_int128)work->pair[p].weight *
                   (nb_int128)work->distance[work->pair[p].source];
    }
    const struct nb_ratio used = nb_ratio_multiply(
        work->exact_rate, nb_ratio_make(way, (nb_int128)work->denominator));
    return nb_ratio_is_known(room) && nb_ratio_is_known(used) &&
           nb_ratio_compare(room, used) <= 0;
}

bool nb_assignment_is_saturated(struct nb_assignment_work *work)
{
    if (!nb_ratio_is_known(work->exact_rate))
        return false;
    /* A cut is worth a try even where prices are not yet near 0 or 1. */
    const double error = saturation_round(work, 1);
    if (saturation_prove(work))
        return true;
    if (error <= SATURATION_NEAR)
        return false;
    for (int units = 2; units <= SATURATION_UNITS; units++)
        if (saturation_round(work, units) <= SATURATION_NEAR)
            return saturation_prove(work);
    return false;
}
