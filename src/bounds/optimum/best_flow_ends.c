/* What paths and lengths prove (declared in best_flow_work.h). */
#include "bounds/optimum/best_flow_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>

/*
 * Sums of rates times whole numbers. Rates that do not leave enough of 127
 * bits are divided by 2^shift first, once rounded down and once up.
 */
struct flow_sum {
    nb_int128 lower, upper;
};

static void sum_add(struct flow_sum *sum, nb_int128 amount, unsigned shift,
                    nb_int128 times)
{
    const nb_int128 lower = amount >> shift;
    const bool is_whole = lower << shift == amount;
    sum->lower += lower * times;
    sum->upper += (lower + !is_whole) * times;
}

/* Rate of all pairs of an orbit, below 2^95. */
static nb_int128 sum_amount(const struct nb_flow_pair *pair)
{
    return (nb_int128)pair->rate * pair->size;
}

/* The least shift that leaves room for rates times whole numbers that add up
 * to no more than times for each pair. */
static unsigned sum_shift(const struct nb_flow_orbits *orbits, double times)
{
    double all = 1;
    for (size_t o = 0; o < orbits->pair_count; o++)
        all += (double)sum_amount(&orbits->pair[o]);
    /* Rounding up adds less than 1 for each orbit: 2 is enough for both. */
    const double bits = log2(all) + log2(times) + 2 - 126;
    return bits > 0 ? (unsigned)ceil(bits) : 0;
}

/* sum 2^shift / bottom; bottom > 0. */
static struct nb_enclosure sum_divide(struct flow_sum sum, unsigned shift,
                                      nb_int128 bottom)
{
    const struct nb_enclosure lower = nb_whole_quotient(sum.lower, bottom);
    if (shift == 0)
        return lower;
    const struct nb_enclosure upper = nb_whole_quotient(sum.upper, bottom);
    return nb_enclosure_of_bracket((struct nb_bracket){
        ldexp(lower.lower, (int)shift), ldexp(upper.upper, (int)shift) });
}

/* Bandwidth of a line's channels together. */
static struct nb_enclosure line_band(const struct nb_flow_orbits *orbits,
                                     size_t k)
{
    const struct nb_flow_line *line = &orbits->line[k];
    return nb_enclosure_multiply(
        nb_enclosure_of_ratio(
            orbits->topology->channels[line->channel].bandwidth),
        nb_enclosure_of_whole(line->size));
}

/* Adds up loads and hops. */
static void carried_sum(const struct nb_flow_orbits *orbits,
                        const struct nb_path_table *table,
                        const uint32_t *orbit, unsigned shift,
                        struct flow_sum *load, struct flow_sum *hops)
{
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const nb_int128 amount = sum_amount(&orbits->pair[orbit[p]]);
        const nb_int128 weight = (nb_int128)path->weight;
        sum_add(hops, amount, shift, weight * path->length);
        for (uint32_t h = 0; h < path->length; h++)
            sum_add(&load[orbits->line_of[table->channel[path->first + h]]],
                    amount, shift, weight);
    }
}

static struct nb_enclosure carried_least(const struct nb_flow_orbits *orbits,
                                         const struct flow_sum *load,
                                         unsigned shift, int64_t sum)
{
    const nb_int128 bottom = (nb_int128)orbits->traffic->denominator * sum;
    struct nb_enclosure least = nb_enclosure_of_ratio(nb_ratio_infinity);
    for (size_t k = 0; k < orbits->line_count; k++)
        if (load[k].upper > 0)
            least = nb_enclosure_least(
                least, nb_enclosure_divide(line_band(orbits, k),
                                           sum_divide(load[k], shift, bottom)));
    return least;
}

enum nb_status nb_flow_carried(const struct nb_flow_orbits *orbits,
                               const struct nb_path_table *table,
                               const uint32_t *orbit, int64_t sum,
                               struct nb_enclosure *throughput,
                               struct nb_enclosure *mean_hops,
                               struct nb_error *err)
{
    struct flow_sum *load = NULL, hops = { 0 };
    uint32_t longest = 1;
    const enum nb_status status =
        nb_new(&load, orbits->line_count, sizeof *load, "channel loads", err);
    if (status != NB_OK)
        return status;
    for (size_t p = 0; p < table->path_count; p++)
        if (table->path[p].length > longest)
            longest = table->path[p].length;
    const unsigned shift = sum_shift(orbits, (double)sum * longest);
    carried_sum(orbits, table, orbit, shift, load, &hops);
    *throughput = carried_least(orbits, load, shift, sum);
    if (mean_hops != NULL)
        *mean_hops = orbits->rate_sum == 0
                         ? nb_enclosure_of_ratio(nb_ratio_zero)
                         : nb_enclosure_divide(
                               sum_divide(hops, shift, sum),
                               sum_divide((struct flow_sum){ orbits->rate_sum,
                                                             orbits->rate_sum },
                                          0, 1));
    nb_delete(load);
    return NB_OK;
}

struct nb_enclosure nb_flow_bound(const struct nb_flow_orbits *orbits,
                                  const int64_t *length,
                                  const int64_t *distance)
{
    struct nb_enclosure top = nb_enclosure_of_ratio(nb_ratio_zero);
    struct flow_sum bottom = { 0 };
    int64_t most = 1;
    for (size_t o = 0; o < orbits->pair_count; o++)
        if (distance[o] > most)
            most = distance[o];
    const unsigned shift = sum_shift(orbits, (double)most);
    for (size_t o = 0; o < orbits->pair_count; o++)
        sum_add(&bottom, sum_amount(&orbits->pair[o]), shift, distance[o]);
    for (size_t k = 0; k < orbits->line_count; k++)
        top = nb_enclosure_add(
            top,
            nb_enclosure_multiply(line_band(orbits, k),
                                  nb_enclosure_of_ratio((struct nb_ratio){
                                      length[orbits->line[k].channel], 1 })));
    return nb_enclosure_divide(
        top, sum_divide(bottom, shift, orbits->traffic->denominator));
}
