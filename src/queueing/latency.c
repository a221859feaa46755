#include "queueing/latency.h"

#include <math.h>

/* Rounds outward by the roundings of one term: utilisation 3 (including those
 * of the bandwidth), 1 - rho 1, wait 5; each at most 2^-53 of the value. */
#define LATENCY_TERM 0x1p-49

static const double latency_down = 1 - LATENCY_TERM;
static const double latency_up = 1 + LATENCY_TERM;

struct nb_queue_state nb_queue_at(const struct nb_queue *queue,
                                  struct nb_bracket rate)
{
    double least, most;
    nb_ratio_bracket(queue->bandwidth, &least, &most);
    const double lower = rate.lower * queue->load.lower / most * latency_down;
    const double upper = rate.upper * queue->load.upper / least * latency_up;
    return (struct nb_queue_state){
        .utilisation = { lower, upper },
        /* W rises with rho. */
        .wait = { nb_mean_delay_at(queue->delay_lower, lower) / most *
                      latency_down,
                  nb_mean_delay_at(queue->delay_upper, upper) / least *
                      latency_up },
    };
}

struct nb_bracket nb_latency_find_wait(const struct nb_queue *queue,
                                       size_t count, struct nb_bracket rate,
                                       struct nb_bracket total,
                                       struct nb_queue_state *state)
{
    struct nb_bracket sum = { 0, 0 };
    for (size_t q = 0; q < count; q++) {
        const struct nb_queue_state at = nb_queue_at(&queue[q], rate);
        sum.lower += queue[q].load.lower * at.wait.lower;
        if (queue[q].load.upper > 0)
            sum.upper += queue[q].load.upper * at.wait.upper;
        if (state != NULL)
            state[q] = at;
    }
    if (total.upper == 0)
        return (struct nb_bracket){ 0, 0 };
    /* A product and an addition for each queue, and the quotient. */
    const double error = ((double)count + 4) * 0x1p-52;
    sum.lower = sum.lower / total.upper * (1 - error);
    sum.upper = sum.upper / total.lower * (1 + error);
    return sum;
}

struct nb_bracket nb_latency_total(const struct nb_traffic *traffic,
                                   const struct nb_topology *topology)
{
    if (nb_traffic_check(traffic, topology, NULL) != NB_OK)
        return (struct nb_bracket){ NAN, NAN };
    struct nb_bracket total;
    nb_int128 exact =
        (nb_int128)topology->terminal_count *
        (nb_int128)(topology->terminal_count - traffic->omits_self);
    /* Sums far beyond 2^64 are rounded: a few times, and once per demand. */
    double sum = (double)traffic->background * (double)exact;
    for (size_t d = 0; d < traffic->demand_count; d++)
        sum += (double)traffic->demands[d].weight;
    const double error = ((double)traffic->demand_count + 8) * 0x1p-52;
    total.lower = sum / (double)traffic->denominator * (1 - error);
    total.upper = sum / (double)traffic->denominator * (1 + error);
    if (sum > 0x1p120)
        return total;
    exact *= (nb_int128)traffic->background;
    for (size_t d = 0; d < traffic->demand_count; d++)
        exact += (nb_int128)traffic->demands[d].weight;
    const struct nb_ratio ratio =
        nb_ratio_make(exact, (nb_int128)traffic->denominator);
    if (nb_ratio_is_known(ratio))
        nb_ratio_bracket(ratio, &total.lower, &total.upper);
    return total;
}

/* A value that a few operations computed. */
static struct nb_bracket latency_about(double value)
{
    return (struct nb_bracket){ fmax(0, value - 0x1p-49),
                                fmin(1, value + 0x1p-49) };
}

/* E[N (N - 1)] / rate^2, which rises with the rate; 0 up to rate 1. */
static double burst_within_cycle(double rate)
{
    const double k = floor(rate);
    return k < 1 ? 0 : k / rate * ((2 * rate - k - 1) / rate);
}

struct nb_bracket nb_burst_of_terminal(struct nb_bracket rate, double slot)
{
    if (slot == 1 && rate.upper <= 1)
        return (struct nb_bracket){ 0, 0 };
    return (struct nb_bracket){
        latency_about((slot - 1 + burst_within_cycle(rate.lower)) / slot).lower,
        latency_about((slot - 1 + burst_within_cycle(rate.upper)) / slot).upper,
    };
}

void nb_delay_of_inputs(const double *flow, const struct nb_bracket *burst,
                        size_t count, double relative_error,
                        struct nb_mean_delay *lower,
                        struct nb_mean_delay *upper)
{
    struct nb_bracket pairs = { 0, 0 };
    double before = 0;
    *lower = (struct nb_mean_delay){ 0, 0 };
    *upper = (struct nb_mean_delay){ 1, 0 };
    for (size_t i = 0; i < count; i++) {
        const struct nb_bracket own =
            burst != NULL ? burst[i] : (struct nb_bracket){ 0, 0 };
        pairs.lower += flow[i] * (before + own.lower * flow[i] / 2);
        pairs.upper += flow[i] * (before + own.upper * flow[i] / 2);
        before += flow[i];
    }
    if (before == 0) {
        *upper = *lower;
        return;
    }
    /* 1 - sum share^2 = 2 sum of products of pairs / square of the sum. This
     * has no difference, so errors stay relative. Flows below the least that is
     * right within its error add less than 2^-400. */
    const double error =
        1.01 * (4 * relative_error + (4 * (double)count + 16) * 0x1p-53);
    if (!(error < 0.1) || before < 0x1p-400)
        return;
    const double least =
        pairs.lower / before / before * 2 * (1 - error) - 0x1p-400;
    const double most =
        pairs.upper / before / before * 2 * (1 + error) + 0x1p-400;
    lower->factor = least > 0 ? least : 0;
    upper->factor = pairs.upper == 0 ? 0 : most < 1 ? most : 1;
}
