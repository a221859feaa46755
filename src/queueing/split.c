#include "queueing/split.h"

#include "queueing/split_work.h"

#include <math.h>

static struct nb_enclosure split_whole(uint32_t value)
{
    return nb_enclosure_of_whole(value);
}

/* Utilisation 1 of a channel that as many streams share, per stream. */
static struct nb_enclosure split_fill(uint32_t shared)
{
    return nb_enclosure_of_ratio((struct nb_ratio){ 1, shared });
}

/* What is left of a channel when each of its streams sends rate. */
static struct nb_enclosure split_free(uint32_t shared, struct nb_enclosure rate)
{
    return nb_enclosure_excess(
        split_whole(1), nb_enclosure_multiply(split_whole(shared), rate));
}

/* Fills the free capacities y that the law leaves. */
static void split_solve(const struct nb_split *split,
                        const struct nb_split_law *law,
                        struct nb_enclosure rate, struct nb_split_answer *out,
                        struct nb_enclosure y[])
{
    const struct nb_enclosure one = split_whole(1);
    const struct nb_enclosure spare =
        nb_enclosure_excess(out->saturation, rate);
    const uint32_t *shared = split->shared;
    out->is_closed_form = true;
    if (nb_enclosure_is_zero(rate)) {
        y[NB_MINIMAL] = y[NB_NONMINIMAL] = one;
        return;
    }
    switch (law->form) {
    case NB_SPLIT_SHARE:
        y[NB_MINIMAL] = split_free(shared[NB_MINIMAL],
                                   nb_enclosure_multiply(law->share, rate));
        y[NB_NONMINIMAL] = split_free(
            shared[NB_NONMINIMAL],
            nb_enclosure_multiply(nb_enclosure_excess(one, law->share), rate));
        break;
    case NB_SPLIT_CAP:
        y[NB_MINIMAL] =
            nb_enclosure_most(law->cap, split_free(shared[NB_MINIMAL], rate));
        y[NB_NONMINIMAL] = nb_enclosure_least(
            one,
            nb_enclosure_multiply(split_whole(shared[NB_NONMINIMAL]), spare));
        break;
    case NB_SPLIT_EQUAL:
        nb_split_balance(split, law, spare, y, &out->is_closed_form);
        /* Convex: where the balance asks a class for less than nothing, the
         * other one takes all. */
        for (int i = 0; i < NB_PATH_CLASSES; i++)
            y[i] = nb_enclosure_most(nb_enclosure_least(y[i], one),
                                     split_free(shared[i], rate));
        break;
    }
}

static struct nb_enclosure split_saturation(const struct nb_split *split,
                                            const struct nb_split_law *law)
{
    const struct nb_enclosure one = split_whole(1);
    const struct nb_enclosure first = split_fill(split->shared[NB_MINIMAL]);
    const struct nb_enclosure second = split_fill(split->shared[NB_NONMINIMAL]);
    if (law->form == NB_SPLIT_EQUAL)
        return nb_enclosure_add(first, second);
    if (law->form == NB_SPLIT_CAP)
        return nb_enclosure_add(
            nb_enclosure_multiply(first, nb_enclosure_excess(one, law->cap)),
            second);
    return nb_enclosure_least(
        nb_enclosure_divide(first, law->share),
        nb_enclosure_divide(second, nb_enclosure_excess(one, law->share)));
}

/* Where the law's sides are equal at y_2 = 1; else where its form says. */
static struct nb_enclosure split_switch(const struct nb_split *split,
                                        const struct nb_split_law *law)
{
    const struct nb_enclosure one = split_whole(1);
    struct nb_enclosure left = law->cap;
    if (law->form == NB_SPLIT_SHARE)
        return nb_enclosure_of_ratio(nb_enclosure_compare(law->share, one) < 0
                                         ? nb_ratio_zero
                                         : nb_ratio_infinity);
    if (law->form == NB_SPLIT_EQUAL)
        left = nb_split_root(
            nb_enclosure_divide(
                law->weight[NB_MINIMAL],
                nb_enclosure_excess(nb_enclosure_add(law->weight[NB_NONMINIMAL],
                                                     law->lift[NB_NONMINIMAL]),
                                    law->lift[NB_MINIMAL])),
            law->power);
    return nb_enclosure_multiply(nb_enclosure_excess(one, left),
                                 split_fill(split->shared[NB_MINIMAL]));
}

/* x_1 / alpha as alpha goes to 0. */
static struct nb_enclosure split_share_at_rest(const struct nb_split *split,
                                               const struct nb_split_law *law)
{
    if (law->form == NB_SPLIT_SHARE)
        return law->share;
    if (law->form == NB_SPLIT_CAP)
        return split_whole(1);
    const int order =
        nb_enclosure_compare(nb_split_side(law, NB_MINIMAL, split_whole(1)),
                             nb_split_side(law, NB_NONMINIMAL, split_whole(1)));
    if (order != 0)
        return split_whole(order < 0);
    /* Both sides grow alike: weight_i s_i x_i are equal. */
    struct nb_enclosure slope[NB_PATH_CLASSES];
    for (int i = 0; i < NB_PATH_CLASSES; i++)
        slope[i] = nb_enclosure_multiply(law->weight[i],
                                         split_whole(split->shared[i]));
    return nb_enclosure_divide(
        slope[NB_NONMINIMAL],
        nb_enclosure_add(slope[NB_MINIMAL], slope[NB_NONMINIMAL]));
}

static struct nb_enclosure split_mean(const struct nb_split *split,
                                      const struct nb_split_law *law,
                                      const struct nb_split_answer *answer,
                                      struct nb_enclosure rate)
{
    struct nb_enclosure part[NB_PATH_CLASSES] = { answer->rate[NB_MINIMAL],
                                                  answer->rate[NB_NONMINIMAL] };
    struct nb_enclosure total = split_whole(0);
    if (nb_enclosure_is_zero(rate)) {
        rate = split_whole(1);
        part[NB_MINIMAL] = split_share_at_rest(split, law);
        part[NB_NONMINIMAL] = nb_enclosure_excess(rate, part[NB_MINIMAL]);
    }
    for (int i = 0; i < NB_PATH_CLASSES; i++) {
        if (nb_enclosure_is_zero(part[1 - i]))
            return answer->delay[i];
        total = nb_enclosure_add(
            total, nb_enclosure_multiply(part[i], answer->delay[i]));
    }
    return nb_enclosure_divide(total, rate);
}

static enum nb_status split_check(const struct nb_split *split,
                                  struct nb_enclosure rate,
                                  struct nb_error *err)
{
    const uint32_t *m = split->hops, *s = split->shared;
    for (int i = 0; i < NB_PATH_CLASSES; i++)
        if (m[i] < 1 || m[i] > NB_SPLIT_MOST || s[i] < 1 ||
            s[i] > NB_SPLIT_MOST)
            return nb_fail(err, NB_INVALID,
                           "%u hops over channels shared by %u streams are not "
                           "permitted (permitted: 1 to %d of each)",
                           m[i], s[i], NB_SPLIT_MOST);
    if (m[NB_MINIMAL] > m[NB_NONMINIMAL])
        return nb_fail(err, NB_INVALID,
                       "minimal paths of %u hops and non-minimal ones of %u "
                       "are not permitted (permitted: the minimal ones first, "
                       "not longer than the others)",
                       m[NB_MINIMAL], m[NB_NONMINIMAL]);
    const struct nb_ratio threshold = split->threshold;
    if (nb_ratio_is_known(threshold) &&
        (threshold.numerator <= 0 || threshold.denominator <= 0))
        return nb_fail(err, NB_INVALID,
                       "a threshold of %g packets is not permitted "
                       "(permitted: a finite number > 0)",
                       nb_ratio_value(threshold));
    const bool in_range = rate.lower >= 0 && rate.upper < INFINITY &&
                          split->delay.factor > 0 && split->delay.factor <= 1 &&
                          split->delay.constant >= 0 &&
                          split->delay.constant < INFINITY;
    if (!in_range)
        return nb_fail(err, NB_INVALID,
                       "rate %g, delay factor %g and constant %g are not "
                       "permitted (permitted: a finite rate >= 0, a factor > 0 "
                       "and up to 1, a finite constant >= 0)",
                       rate.upper, split->delay.factor, split->delay.constant);
    return NB_OK;
}

enum nb_status nb_split_find(const struct nb_split *split,
                             struct nb_enclosure rate,
                             struct nb_split_answer *out, struct nb_error *err)
{
    struct nb_enclosure y[NB_PATH_CLASSES];
    struct nb_split_law law = { .lift = { split_whole(0), split_whole(0) } };
    const enum nb_status status = split_check(split, rate, err);
    if (status != NB_OK)
        return status;
    split->rule->law(split, &law);
    out->switch_point = split_switch(split, &law);
    out->saturation = split_saturation(split, &law);
    split_solve(split, &law, rate, out, y);
    for (int i = 0; i < NB_PATH_CLASSES; i++) {
        const struct nb_enclosure wait =
            nb_enclosure_divide(nb_enclosure_of_double(split->delay.factor),
                                nb_enclosure_multiply(split_whole(2), y[i]));
        out->rate[i] =
            nb_enclosure_multiply(nb_enclosure_excess(split_whole(1), y[i]),
                                  split_fill(split->shared[i]));
        out->delay[i] = nb_enclosure_multiply(
            split_whole(split->hops[i]),
            nb_enclosure_add(wait, nb_split_base(split->delay)));
    }
    if (nb_enclosure_is_zero(out->rate[NB_NONMINIMAL]))
        out->is_closed_form = true;
    out->mean_delay = split_mean(split, &law, out, rate);
    return NB_OK;
}

enum nb_status nb_split_tornado(uint32_t radix, uint32_t terminals,
                                struct nb_split *out, struct nb_error *err)
{
    if (radix < 3)
        return nb_fail(err, NB_INVALID,
                       "tornado on a ring of %u routers moves no packet "
                       "(permitted: a radix of 3 or more in dimension 0)",
                       radix);
    out->hops[NB_MINIMAL] = radix - radix / 2 - 1; /* ceil(k/2) - 1 */
    out->hops[NB_NONMINIMAL] = radix - out->hops[NB_MINIMAL];
    for (int i = 0; i < NB_PATH_CLASSES; i++) {
        const uint64_t shared = (uint64_t)out->hops[i] * terminals;
        if (shared > NB_SPLIT_MOST)
            return nb_fail(err, NB_INVALID,
                           "tornado on a ring of %u routers with %u terminals "
                           "each is not permitted (permitted: at most %d "
                           "streams over a channel)",
                           radix, terminals, NB_SPLIT_MOST);
        out->shared[i] = (uint32_t)shared;
    }
    return NB_OK;
}
