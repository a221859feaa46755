/* What the adversary's weights prove (declared in oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "bounds/optimum/whole.h"

#include <math.h>

/* The bandwidth of a channel and all like it. */
static struct nb_enclosure
bounds_bandwidth(const struct nb_oblivious_case *here, uint32_t channel)
{
    return nb_enclosure_multiply(
        nb_enclosure_of_ratio(here->topology->channels[channel].bandwidth),
        nb_enclosure_of_whole(here->orbits.channel_size[channel]));
}

/* sum_c b_c w_c at a rate, w_c = max(row sum / rate, column sum). */
static struct nb_enclosure bounds_total(const struct nb_oblivious_sums *sums,
                                        struct nb_enclosure rate)
{
    const struct nb_oblivious_case *here = sums->here;
    struct nb_enclosure total = nb_enclosure_of_whole(0);
    for (uint32_t c = 0; c < here->topology->channel_count; c++) {
        if (here->orbits.channel[c] != c)
            continue;
        const struct nb_enclosure most = nb_enclosure_most(
            nb_enclosure_divide(sums->row[c], rate), sums->column[c]);
        total = nb_enclosure_add(
            total, nb_enclosure_multiply(bounds_bandwidth(here, c), most));
    }
    return total;
}

enum nb_status nb_oblivious_check_weights(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *lower,
                                          struct nb_error *err)
{
    const struct nb_oblivious_question *question = here->question;
    const bool has_hops = question->goal == NB_LEAST_MEAN_HOPS;
    const int64_t scale = has_hops ? claim->weight_scale : 0;
    const nb_int128 terminals = (nb_int128)here->orbits.terminal_count;
    struct nb_oblivious_sums sums = { 0 };
    enum nb_status status = NB_OK;
    if (has_hops && (scale < 1 || scale > NB_OBLIVIOUS_MOST))
        return nb_fail(err, NB_REFUTED,
                       "the scale of the weights is %lld (permitted: 1 to "
                       "2^40)",
                       (long long)scale);
    NB_TRY(nb_oblivious_sums_find(here, claim, scale, &sums, err));
    const struct nb_enclosure total =
        bounds_total(&sums, nb_enclosure_of_ratio(question->rate));
    *lower = nb_enclosure_of_whole(0);
    if (has_hops) {
        const struct nb_enclosure kept = nb_enclosure_divide(
            nb_enclosure_multiply(nb_enclosure_of_ratio(question->most_load),
                                  total),
            nb_whole_quotient(scale, 1));
        *lower = nb_enclosure_divide(
            nb_enclosure_excess(nb_whole_quotient(sums.distances, scale), kept),
            nb_whole_quotient(terminals * terminals, 1));
    } else if (!nb_enclosure_is_zero(total)) {
        *lower =
            nb_enclosure_divide(nb_whole_quotient(sums.distances, 1), total);
    }
done:
    nb_oblivious_sums_release(&sums);
    return status;
}

/* The rate at which the total, which falls, comes down to the distances: that
 * of the piece it is on there. */
static struct nb_enclosure bounds_root(const struct nb_oblivious_sums *sums,
                                       struct nb_enclosure distances)
{
    const struct nb_oblivious_case *here = sums->here;
    double low = 0, high = 0x1p60;
    for (int step = 0; step < 200; step++) {
        const double middle = low < 1 && high > 4 ? 2 : low / 2 + high / 2;
        const struct nb_enclosure there =
            bounds_total(sums, nb_enclosure_of_double(middle));
        *(there.lower > distances.lower ? &low : &high) = middle;
    }
    struct nb_enclosure rows = nb_enclosure_of_whole(0), columns = rows;
    for (uint32_t c = 0; c < here->topology->channel_count; c++) {
        if (here->orbits.channel[c] != c)
            continue;
        const bool is_row = sums->row[c].lower > high * sums->column[c].lower;
        struct nb_enclosure *sum = is_row ? &rows : &columns;
        *sum = nb_enclosure_add(
            *sum,
            nb_enclosure_multiply(bounds_bandwidth(here, c),
                                  is_row ? sums->row[c] : sums->column[c]));
    }
    return nb_enclosure_divide(rows, nb_enclosure_excess(distances, columns));
}

/* Whether the total has come down to the distances at a rate, for certain. */
static bool bounds_proves(const struct nb_oblivious_sums *sums,
                          struct nb_enclosure rate,
                          struct nb_enclosure distances)
{
    const struct nb_enclosure there = bounds_total(sums, rate);
    const bool is_exact = nb_ratio_is_known(rate.exact) &&
                          nb_ratio_is_known(there.exact) &&
                          nb_ratio_is_known(distances.exact);
    return is_exact ? nb_ratio_compare(there.exact, distances.exact) <= 0
                    : there.upper <= distances.lower;
}

enum nb_status nb_oblivious_weights_rate(const struct nb_oblivious_case *here,
                                         const struct nb_best_oblivious *claim,
                                         struct nb_enclosure *upper,
                                         struct nb_error *err)
{
    const struct nb_enclosure infinite =
        nb_enclosure_of_ratio(nb_ratio_infinity);
    struct nb_oblivious_sums sums = { 0 };
    enum nb_status status = NB_OK;
    *upper = infinite;
    NB_TRY(nb_oblivious_sums_find(here, claim, 0, &sums, err));
    const struct nb_enclosure distances = nb_whole_quotient(sums.distances, 1);
    if (nb_enclosure_compare(bounds_total(&sums, infinite), distances) >= 0)
        goto done;
    const struct nb_enclosure root = bounds_root(&sums, distances);
    if (bounds_proves(&sums, root, distances))
        *upper = root;
    /* Where it is not exact, a little more is certain. */
    for (int digits = 45; digits > 20 && isinf(upper->upper); digits -= 5) {
        const struct nb_enclosure more =
            nb_enclosure_of_double(root.upper * (1 + ldexp(1, -digits)));
        if (bounds_proves(&sums, more, distances))
            *upper = more;
    }
done:
    nb_oblivious_sums_release(&sums);
    return status;
}
