/* The rules by which a stream is split (declared in split.h). */
#include "queueing/split_work.h"

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

struct nb_enclosure nb_split_base(struct nb_mean_delay delay)
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

/* dD_i/dx_i = m_i s_i factor / (2 y_i^2), both the same. */
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

/* d(x_i D_i)/dx_i = m_i (factor / (2 y_i^2) + base), both the same. */
static void split_optimal(const struct nb_split *split,
                          struct nb_split_law *out)
{
    out->form = NB_SPLIT_EQUAL;
    out->power = 2;
    split_set_weights(split, out);
    out->lift[NB_NONMINIMAL] =
        nb_enclosure_multiply(split_detour(split), nb_split_base(split->delay));
}

/* m_i W(rho_i) = m_i (factor / (2 y_i) + constant - factor / 2), both the
 * same. */
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
 * Little's law. With p = (constant + 1) m_1, t = T s_1 and
 * root = sqrt((p - t)^2 + 2 factor m_1 t), the quadratic in x gives
 *
 *     rho = 2 t / (p + t + root),  y = (p - t + root) / (p + t + root),
 *
 * where root - (t - p) is taken as 2 factor m_1 t / (root + t - p).
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

/* By the lengths of the other way round: m_2 / (m_1 + m_2). */
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
    { .name = "threshold",
      .help = "mean number of packets of a source on the minimal path, from "
              "which on it sends the others the long way; unset: none",
      .type = NB_NUMBER,
      .initial = "",
      .least = 0.001,
      .most = 1e6 },
    { 0 },
};

static const struct nb_split_rule split_rules[] = {
    { .kind = { .name = "theorem-5",
                .summary = "equal derivatives of the delays of both classes" },
      .source = "Singh2005, Theorem 5",
      .remark = "equates the derivatives of D_1 and D_2; those of x_1 D_1 and "
                "x_2 D_2 are equal where the mean delay is least: rule optimal",
      .law = split_theorem_5 },
    { .kind = { .name = "optimal", .summary = "the least mean delay" },
      .source = "Singh2005, equation 5.4",
      .law = split_optimal },
    { .kind = { .name = "gal",
                .summary = "all minimal until the minimal paths are full, or "
                           "until a threshold of packets is on them",
                .parameters = split_gal_parameters },
      .source = "Singh2005, section 5.4.3",
      .remark = "without a threshold the minimal paths fill up first; a "
                "threshold is this program's model of the section's "
                "description (Little's law), not a formula of it",
      .law = split_gal },
    { .kind = { .name = "cqr",
                .summary = "equal products of hops and queue at a channel" },
      .source = "Singh2005, section 5.4.4",
      .law = split_cqr },
    { .kind = { .name = "rlb",
                .summary = "fixed shares, by the hops of the other class" },
      .source = "Singh2005, section 3.1",
      .law = split_rlb },
    { .kind = { .name = "minimal", .summary = "all minimal" },
      .source = "Singh2005, section 5.4.1",
      .law = split_minimal },
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
