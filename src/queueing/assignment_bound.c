/* Both sides of the bracket (declared in assignment_work.h). */
#include "queueing/assignment_work.h"

#include <float.h>
#include <math.h>

double nb_assignment_settle(struct nb_assignment_work *work)
{
    const size_t channels = work->topology->channel_count;
    double deviation = 0, most = 0;
    double *const terms = work->length; /* of the load of a channel */
    for (size_t c = 0; c < channels; c++) {
        work->load[c] = 0;
        terms[c] = 0;
    }
    for (size_t p = 0; p < work->pair_count; p++) {
        struct nb_assignment_pair *pair = &work->pair[p];
        long double sum = 0, after = 0;
        for (size_t w = 0; w < pair->way_count; w++)
            sum += pair->way[w].flow;
        for (size_t w = 0; w < pair->way_count; w++) {
            struct nb_assignment_way *way = &pair->way[w];
            way->flow = (double)(way->flow / sum * pair->demand);
            after += way->flow;
            for (size_t i = 0; i < way->length; i++) {
                work->load[way->channel[i]] += way->flow;
                terms[way->channel[i]]++;
            }
        }
        most = fmax(most, (double)pair->way_count);
        deviation = fmax(deviation, fabs((double)(after / pair->demand - 1)));
    }
    for (uint32_t c = 0; c < channels; c++) {
        most = fmax(most, terms[c]);
        nb_assignment_price(work, c);
    }
    /* The routing meant has flows in proportion to these, adding up to the
     * demands: off by the deviation, which itself rounds with every flow of a
     * pair and is rounded, by 3 roundings of the demand, and by an addition
     * for every path over a channel. */
    return (deviation + most * (0x1p-53 + (double)LDBL_EPSILON) + 0x1p-49) *
           1.001;
}

/* The utilisation below 1 at which the delay's own marginal is the price; the
 * bound holds for any. */
static double bound_utilisation(const struct nb_assignment_work *work,
                                uint32_t channel)
{
    const double rate = (work->rate.lower + work->rate.upper) / 2;
    const double band = work->band[channel];
    const double rho = rate * work->load[channel] / band;
    if (rho < work->knee)
        return rho;
    const double marginal =
        (work->price[channel] - 1) * band - work->delay.constant;
    const double found = 1 - 1 / sqrt(1 + 2 * marginal / work->delay.factor);
    return fmin(found, 1 - 0x1p-50);
}

/* Sets a channel's length, at most 1 + marginal(rho)/b, and returns a value at
 * least that of the conjugate, factor/2 (rho/(1-rho))^2 / rate: each has less
 * than 16 roundings. */
static double bound_channel(struct nb_assignment_work *work, uint32_t channel)
{
    const double rho = bound_utilisation(work, channel);
    double least, most;
    nb_ratio_bracket(work->topology->channels[channel].bandwidth, &least,
                     &most);
    work->length[channel] =
        (1 + nb_mean_delay_marginal(work->delay, rho) / most) * (1 - 0x1p-48);
    if (rho == 0)
        return 0;
    /* In this order there is no underflow that matters. */
    return work->delay.factor / 2 / (1 - rho) / (1 - rho) * rho *
               (rho / work->rate.lower) * (1 + 0x1p-48) +
           DBL_MIN;
}

double nb_assignment_error(const struct nb_assignment_work *work)
{
    /* Sums in long double: an addition and a product a term; a distance has
     * an addition in double for every hop; lengths are 2^-47 off. */
    const double terms =
        (double)work->topology->channel_count + (double)work->pair_count + 16;
    return terms * (double)LDBL_EPSILON +
           ((double)work->topology->router_count + 8) * 0x1p-53 + 0x1p-47;
}

double nb_assignment_bound(struct nb_assignment_work *work)
{
    const struct nb_topology *topology = work->topology;
    long double conjugate = 0, room = 0, way = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        conjugate += bound_channel(work, c);
        room += (long double)work->band[c] * work->length[c];
    }
    for (uint32_t t = 0; t < topology->router_count; t++) {
        if (work->pair_start[t] == work->pair_start[t + 1])
            continue;
        nb_assignment_search(work, t);
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            way += (long double)work->pair[p].weight *
                   work->distance[work->pair[p].source];
    }
    const double error = nb_assignment_error(work);
    const double mean = (double)(way / work->weights) * (1 - error);
    if ((double)room * (1 + error) <=
        mean * work->total.lower * work->rate.lower * (1 - error))
        return INFINITY;
    const double less = (double)(conjugate / work->total.lower) * (1 + error);
    const double bound = mean - less;
    return bound - fabs(bound) * 0x1p-52;
}
