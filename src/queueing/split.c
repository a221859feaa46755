#include "queueing/split.h"

#include <math.h>

/*
 * The free capacities y_i = 1 - rho_i are the unknowns: delays and their
 * derivatives are sums of positive terms in them, so nothing cancels however
 * close saturation is:
 *
 *     D_i = m_i (factor / (2 y_i) + constant + 1 - factor / 2),
 *     y_1 / s_1 + y_2 / s_2 = 1 / s_1 + 1 / s_2 - alpha.
 */
struct nb_split_law {
    enum {
        NB_SPLIT_EQUAL, /* weight_1 / y_1^p + lift_1 = weight_2 / y_2^p + lift_2
                         * unless a class would get less than nothing */
        NB_SPLIT_SHARE, /* x_1 = share alpha */
        NB_SPLIT_CAP    /* x_1 = alpha until y_1 falls to cap */
    } form;
    int power; /* p: 1 or 2 */
    struct nb_enclosure weight[NB_PATH_CLASSES];
    struct nb_enclosure lift[NB_PATH_CLASSES]; /* one of them is 0 */
    struct nb_enclosure share;
    struct nb_enclosure cap;
};

static struct nb_enclosure split_whole(uint32_t value)
{
    return nb_enclosure_of_whole(value);
}

static struct nb_enclosure split_half_factor(struct nb_mean_delay delay)
{
    return nb_enclosure_divide(nb_enclosure_of_double(delay.factor),
                               split_whole(2));
}

/* m_2 - m_1 */
static struct nb_enclosure split_detour(const struct nb_split *split)
{
    return split_whole(split->hops[NB_NONMINIMAL] - split->hops[NB_MINIMAL]);
}

/* constant + 1 - factor / 2, > 0: the delay of a hop minus factor / (2 y). */
static struct nb_enclosure split_base(struct nb_mean_delay delay)
{
    return nb_enclosure_excess(
        nb_enclosure_add(nb_enclosure_of_double(delay.constant),
                         split_whole(1)),
        split_half_factor(delay));
}

static void split_set_weights(const struct nb_split *split,
                              struct nb_split_law *out)
{
    for (int i = 0; i < NB_PATH_CLASSES; i++)
        out->weight[i] = nb_enclosure_multiply(split_whole(split->hops[i]),
                                               split_half_factor(split->delay));
}

/* dD_i/dx_i = m_i s_i factor / (2 y_i^2), equal for both classes. */
static void split_theorem_5(const struct nb_split *split,
                            struct nb_split_law *out)
{
    out->form = NB_SPLIT_EQUAL;
    out->power = 2;
    split_set_weights(split, out);
    for (int i = 0; i < NB_PATH_CLASSES; i++)
        out->weight[i] = nb_enclosure_multiply(out->weight[i],
                                               split_whole(split->shared[i]));
}

/* d(x_i D_i)/dx_i = m_i (factor / (2 y_i^2) + base), equal for both classes. */
static void split_optimal(const struct nb_split *split,
                          struct nb_split_law *out)
{
    out->form = NB_SPLIT_EQUAL;
    out->power = 2;
    split_set_weights(split, out);
    out->lift[NB_NONMINIMAL] =
        nb_enclosure_multiply(split_detour(split), split_base(split->delay));
}

/* m_i W(rho_i) = m_i (factor / (2 y_i) + constant - factor / 2), equal for both
 * classes. */
static void split_cqr(const struct nb_split *split, struct nb_split_law *out)
{
    const struct nb_enclosure constant =
        nb_enclosure_of_double(split->delay.constant);
    const struct nb_enclosure half = split_half_factor(split->delay);
    out->form = NB_SPLIT_EQUAL;
    out->power = 1;
    split_set_weights(split, out);
    out->lift[NB_NONMINIMAL] = nb_enclosure_multiply(
        split_detour(split), nb_enclosure_excess(constant, half));
    out->lift[NB_MINIMAL] = nb_enclosure_multiply(
        split_detour(split), nb_enclosure_excess(half, constant));
}

/*
 * The free capacity at which T packets are on the minimal path, x D_1 = T by
 * Little's law. With p = (constant + 1) m_1, t = T s_1 and root = sqrt((p -
 * t)^2 + 2 factor m_1 t), the quadratic in x gives
 *
 *     rho = 2 t / (p + t + root),  y = (p - t + root) / (p + t + root),
 *
 * where root - (t - p) is computed as 2 factor m_1 t / (root + t - p).
 */
static struct nb_enclosure split_threshold_cap(const struct nb_split *split)
{
    const struct nb_enclosure m = split_whole(split->hops[NB_MINIMAL]);
    const struct nb_enclosure p = nb_enclosure_multiply(
        m, nb_enclosure_add(nb_enclosure_of_double(split->delay.constant),
                            split_whole(1)));
    const struct nb_enclosure t =
        nb_enclosure_multiply(nb_enclosure_of_ratio(split->threshold),
                              split_whole(split->shared[NB_MINIMAL]));
    const struct nb_enclosure more = nb_enclosure_excess(p, t);
    const struct nb_enclosure less = nb_enclosure_excess(t, p);
    const struct nb_enclosure gap = nb_enclosure_add(more, less);
    const struct nb_enclosure rest = nb_enclosure_multiply(
        nb_enclosure_multiply(m, nb_enclosure_of_double(split->delay.factor)),
        nb_enclosure_multiply(t, split_whole(2)));
    const struct nb_enclosure root = nb_enclosure_root(
        nb_enclosure_add(nb_enclosure_multiply(gap, gap), rest));
    const struct nb_enclosure bottom =
        nb_enclosure_add(nb_enclosure_add(p, t), root);
    const struct nb_enclosure top =
        nb_enclosure_compare(p, t) >= 0
            ? nb_enclosure_add(more, root)
            : nb_enclosure_divide(rest, nb_enclosure_add(root, less));
    return nb_enclosure_divide(top, bottom);
}

static void split_gal(const struct nb_split *split, struct nb_split_law *out)
{
    out->form = NB_SPLIT_CAP;
    out->cap = nb_ratio_is_known(split->threshold) ? split_threshold_cap(split)
                                                   : split_whole(0);
}

/* In proportion to the length of the other path: m_2 / (m_1 + m_2). */
static void split_rlb(const struct nb_split *split, struct nb_split_law *out)
{
    const struct nb_enclosure m = split_whole(split->hops[NB_NONMINIMAL]);
    out->form = NB_SPLIT_SHARE;
    out->share = nb_enclosure_divide(
        m, nb_enclosure_add(m, split_whole(split->hops[NB_MINIMAL])));
}

static void split_minimal(const struct nb_split *split,
                          struct nb_split_law *out)
{
    (void)split;
    out->form = NB_SPLIT_SHARE;
    out->share = split_whole(1);
}

static const struct nb_parameter split_gal_parameters[] = {
    NB_PARAMETER("threshold", NUMBER, "",
                 "mean packets of a source on the minimal path beyond which it "
                 "uses the other",
                 .least = 0.001, .most = 1e6),
    { 0 },
};

static const struct nb_split_rule split_rules[] = {
    { .kind = { .name = "theorem-5",
                .summary = "equal derivatives of the delays of both paths" },
      .source = "Singh2005, Theorem 5",
      .remark = "makes the derivatives of D_1 and D_2 equal; the mean delay is "
                "least where the derivatives of x_1 D_1 and x_2 D_2 are equal "
                "(rule optimal)",
      .distribution = split_theorem_5 },
    { .kind = { .name = "optimal", .summary = "the least mean delay" },
      .source = "Singh2005, equation 5.4",
      .distribution = split_optimal },
    { .kind = { .name = "gal",
                .summary = "all minimal until the minimal paths are full, or "
                           "hold a threshold number of packets",
                .parameters = split_gal_parameters },
      .source = "Singh2005, section 5.4.3",
      .remark = "without a threshold the minimal paths fill up first; a "
                "threshold is this program's model of the section's "
                "description (Little's law), not a formula from it",
      .distribution = split_gal },
    { .kind = { .name = "cqr",
                .summary = "equal products of hops and queue at a channel" },
      .source = "Singh2005, section 5.4.4",
      .distribution = split_cqr },
    { .kind = { .name = "rlb",
                .summary = "fixed shares, in proportion to the hops of the "
                           "other path" },
      .source = "Singh2005, section 3.1",
      .distribution = split_rlb },
    { .kind = { .name = "minimal", .summary = "all minimal" },
      .source = "Singh2005, section 5.4.1",
      .distribution = split_minimal },
};

const struct nb_kind *nb_split_rule_at(size_t index)
{
    return index < sizeof split_rules / sizeof *split_rules
               ? &split_rules[index].kind
               : NULL;
}

enum nb_status nb_split_rule_read(const char *text, struct nb_split *out,
                                  struct nb_error *err)
{
    struct nb_specification specification;
    size_t index;
    const enum nb_status status = nb_specification_read(
        text, "rule", nb_split_rule_at, NULL, &specification, &index, err);
    if (status != NB_OK)
        return status;
    out->rule = &split_rules[index];
    out->threshold = (struct nb_ratio){ 0, 0 };
    if (specification.count > 0 &&
        *nb_specification_text(&specification, "threshold") != '\0')
        out->threshold = nb_specification_ratio(&specification, "threshold");
    nb_specification_release(&specification);
    return NB_OK;
}

static struct nb_enclosure split_power(struct nb_enclosure a, int power)
{
    return power == 2 ? nb_enclosure_multiply(a, a) : a;
}

/* a or its square root, depending on the power. */
static struct nb_enclosure split_root(struct nb_enclosure a, int power)
{
    return power == 2 ? nb_enclosure_root(a) : a;
}

/* y_2 for a given y_1: s_2 (spare - y_1 / s_1). */
static struct nb_enclosure split_other(const struct nb_split *split,
                                       struct nb_enclosure spare,
                                       struct nb_enclosure y)
{
    const struct nb_enclosure own =
        nb_enclosure_divide(y, split_whole(split->shared[NB_MINIMAL]));
    return nb_enclosure_multiply(split_whole(split->shared[NB_NONMINIMAL]),
                                 nb_enclosure_excess(spare, own));
}

/* weight_i / y^p + lift_i */
static struct nb_enclosure split_side(const struct nb_split_law *distribution,
                                      enum nb_split_path i,
                                      struct nb_enclosure y)
{
    return nb_enclosure_add(
        nb_enclosure_divide(distribution->weight[i],
                            split_power(y, distribution->power)),
        distribution->lift[i]);
}

/*
 * Where a distribution's left side ceases to be certainly greater (sign = 1:
 * the result is at most the root), or becomes certainly less (sign = -1: at
 * least the root). The left side falls in y_1 and the right side rises.
 */
static double split_bisect(const struct nb_split *split,
                           const struct nb_split_law *distribution,
                           struct nb_enclosure spare, double high, int sign)
{
    double low = 0;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            return sign > 0 ? low : high;
        const struct nb_enclosure y = { .lower = middle, .upper = middle };
        const int order =
            nb_enclosure_compare(split_side(distribution, NB_MINIMAL, y),
                                 split_side(distribution, NB_NONMINIMAL,
                                            split_other(split, spare, y)));
        if (sign > 0 ? order > 0 : order >= 0)
            low = middle;
        else
            high = middle;
    }
}

/*
 * The free capacities at which both sides of the distribution are equal,
 * whatever rates the classes then get. Without lifts y_1 = ratio y_2, a linear
 * equation.
 *
 * spare           1 / s_1 + 1 / s_2 - alpha
 * y               out, [NB_PATH_CLASSES]
 * is_closed_form  out; false: found by bisection
 */
static void split_balance(const struct nb_split *split,
                          const struct nb_split_law *distribution,
                          struct nb_enclosure spare, struct nb_enclosure y[],
                          bool *is_closed_form)
{
    const struct nb_enclosure s1 = split_whole(split->shared[NB_MINIMAL]);
    const struct nb_enclosure s2 = split_whole(split->shared[NB_NONMINIMAL]);
    *is_closed_form = nb_enclosure_is_zero(spare) ||
                      (nb_enclosure_is_zero(distribution->lift[NB_MINIMAL]) &&
                       nb_enclosure_is_zero(distribution->lift[NB_NONMINIMAL]));
    if (*is_closed_form) {
        const struct nb_enclosure ratio =
            split_root(nb_enclosure_divide(distribution->weight[NB_MINIMAL],
                                           distribution->weight[NB_NONMINIMAL]),
                       distribution->power);
        y[NB_NONMINIMAL] = nb_enclosure_divide(
            nb_enclosure_multiply(spare, nb_enclosure_multiply(s1, s2)),
            nb_enclosure_add(s1, nb_enclosure_multiply(ratio, s2)));
        y[NB_MINIMAL] = nb_enclosure_multiply(ratio, y[NB_NONMINIMAL]);
        return;
    }
    const double high = nb_enclosure_multiply(s1, spare).upper;
    y[NB_MINIMAL] = (struct nb_enclosure){
        .lower = split_bisect(split, distribution, spare, high, 1),
        .upper = split_bisect(split, distribution, spare, high, -1),
    };
    y[NB_NONMINIMAL] = split_other(split, spare, y[NB_MINIMAL]);
}

/* The rate per stream at which a channel shared by this many streams is
 * full. */
static struct nb_enclosure split_fill(uint32_t shared)
{
    return nb_enclosure_of_ratio((struct nb_ratio){ 1, shared });
}

/* The free capacity of a channel when each of its streams sends rate. */
static struct nb_enclosure split_free(uint32_t shared, struct nb_enclosure rate)
{
    return nb_enclosure_excess(
        split_whole(1), nb_enclosure_multiply(split_whole(shared), rate));
}

/* Fills in the free capacities y under the distribution. */
static void split_solve(const struct nb_split *split,
                        const struct nb_split_law *distribution,
                        struct nb_enclosure rate, struct nb_split_result *out,
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
    switch (distribution->form) {
    case NB_SPLIT_SHARE:
        y[NB_MINIMAL] =
            split_free(shared[NB_MINIMAL],
                       nb_enclosure_multiply(distribution->share, rate));
        y[NB_NONMINIMAL] = split_free(
            shared[NB_NONMINIMAL],
            nb_enclosure_multiply(nb_enclosure_excess(one, distribution->share),
                                  rate));
        break;
    case NB_SPLIT_CAP:
        y[NB_MINIMAL] = nb_enclosure_most(distribution->cap,
                                          split_free(shared[NB_MINIMAL], rate));
        y[NB_NONMINIMAL] = nb_enclosure_least(
            one,
            nb_enclosure_multiply(split_whole(shared[NB_NONMINIMAL]), spare));
        break;
    case NB_SPLIT_EQUAL:
        split_balance(split, distribution, spare, y, &out->is_closed_form);
        /* Convex: if the balance would give a class less than nothing, the
         * other one takes all. */
        for (int i = 0; i < NB_PATH_CLASSES; i++)
            y[i] = nb_enclosure_most(nb_enclosure_least(y[i], one),
                                     split_free(shared[i], rate));
        break;
    }
}

static struct nb_enclosure
split_saturation(const struct nb_split *split,
                 const struct nb_split_law *distribution)
{
    const struct nb_enclosure one = split_whole(1);
    const struct nb_enclosure first = split_fill(split->shared[NB_MINIMAL]);
    const struct nb_enclosure second = split_fill(split->shared[NB_NONMINIMAL]);
    if (distribution->form == NB_SPLIT_EQUAL)
        return nb_enclosure_add(first, second);
    if (distribution->form == NB_SPLIT_CAP)
        return nb_enclosure_add(
            nb_enclosure_multiply(first,
                                  nb_enclosure_excess(one, distribution->cap)),
            second);
    return nb_enclosure_least(
        nb_enclosure_divide(first, distribution->share),
        nb_enclosure_divide(second,
                            nb_enclosure_excess(one, distribution->share)));
}

/* Where the distribution's sides are equal at y_2 = 1; or as its form
 * states. */
static struct nb_enclosure split_switch(const struct nb_split *split,
                                        const struct nb_split_law *distribution)
{
    const struct nb_enclosure one = split_whole(1);
    struct nb_enclosure left = distribution->cap;
    if (distribution->form == NB_SPLIT_SHARE)
        return nb_enclosure_of_ratio(
            nb_enclosure_compare(distribution->share, one) < 0
                ? nb_ratio_zero
                : nb_ratio_infinity);
    if (distribution->form == NB_SPLIT_EQUAL)
        left = split_root(
            nb_enclosure_divide(
                distribution->weight[NB_MINIMAL],
                nb_enclosure_excess(
                    nb_enclosure_add(distribution->weight[NB_NONMINIMAL],
                                     distribution->lift[NB_NONMINIMAL]),
                    distribution->lift[NB_MINIMAL])),
            distribution->power);
    return nb_enclosure_multiply(nb_enclosure_excess(one, left),
                                 split_fill(split->shared[NB_MINIMAL]));
}

/* x_1 / alpha as alpha goes to 0. */
static struct nb_enclosure
split_share_at_rest(const struct nb_split *split,
                    const struct nb_split_law *distribution)
{
    if (distribution->form == NB_SPLIT_SHARE)
        return distribution->share;
    if (distribution->form == NB_SPLIT_CAP)
        return split_whole(1);
    const int order = nb_enclosure_compare(
        split_side(distribution, NB_MINIMAL, split_whole(1)),
        split_side(distribution, NB_NONMINIMAL, split_whole(1)));
    if (order != 0)
        return split_whole(order < 0);
    /* Both sides grow at the same rate: weight_i s_i x_i are equal. */
    struct nb_enclosure slope[NB_PATH_CLASSES];
    for (int i = 0; i < NB_PATH_CLASSES; i++)
        slope[i] = nb_enclosure_multiply(distribution->weight[i],
                                         split_whole(split->shared[i]));
    return nb_enclosure_divide(
        slope[NB_NONMINIMAL],
        nb_enclosure_add(slope[NB_MINIMAL], slope[NB_NONMINIMAL]));
}

static struct nb_enclosure split_mean(const struct nb_split *split,
                                      const struct nb_split_law *distribution,
                                      const struct nb_split_result *answer,
                                      struct nb_enclosure rate)
{
    struct nb_enclosure part[NB_PATH_CLASSES] = { answer->rate[NB_MINIMAL],
                                                  answer->rate[NB_NONMINIMAL] };
    struct nb_enclosure total = split_whole(0);
    if (nb_enclosure_is_zero(rate)) {
        rate = split_whole(1);
        part[NB_MINIMAL] = split_share_at_rest(split, distribution);
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
                             struct nb_split_result *out, struct nb_error *err)
{
    struct nb_enclosure y[NB_PATH_CLASSES];
    struct nb_split_law distribution = { .lift = { split_whole(0),
                                                   split_whole(0) } };
    const enum nb_status status = split_check(split, rate, err);
    if (status != NB_OK)
        return status;
    split->rule->distribution(split, &distribution);
    out->switch_point = split_switch(split, &distribution);
    out->saturation = split_saturation(split, &distribution);
    split_solve(split, &distribution, rate, out, y);
    for (int i = 0; i < NB_PATH_CLASSES; i++) {
        const struct nb_enclosure wait =
            nb_enclosure_divide(nb_enclosure_of_double(split->delay.factor),
                                nb_enclosure_multiply(split_whole(2), y[i]));
        out->rate[i] =
            nb_enclosure_multiply(nb_enclosure_excess(split_whole(1), y[i]),
                                  split_fill(split->shared[i]));
        out->delay[i] = nb_enclosure_multiply(
            split_whole(split->hops[i]),
            nb_enclosure_add(wait, split_base(split->delay)));
    }
    if (nb_enclosure_is_zero(out->rate[NB_NONMINIMAL]))
        out->is_closed_form = true;
    out->mean_delay = split_mean(split, &distribution, out, rate);
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
