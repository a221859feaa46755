/* Equal sides of a law (declared in split_work.h). */
#include "queueing/split_work.h"

static struct nb_enclosure split_whole(uint32_t value)
{
    return nb_enclosure_of_whole(value);
}

static struct nb_enclosure split_power(struct nb_enclosure a, int power)
{
    return power == 2 ? nb_enclosure_multiply(a, a) : a;
}

struct nb_enclosure nb_split_root(struct nb_enclosure a, int power)
{
    return power == 2 ? nb_enclosure_root(a) : a;
}

/* y_2 where y_1 is given: s_2 (spare - y_1 / s_1). */
static struct nb_enclosure split_other(const struct nb_split *split,
                                       struct nb_enclosure spare,
                                       struct nb_enclosure y)
{
    const struct nb_enclosure own =
        nb_enclosure_divide(y, split_whole(split->shared[NB_MINIMAL]));
    return nb_enclosure_multiply(split_whole(split->shared[NB_NONMINIMAL]),
                                 nb_enclosure_excess(spare, own));
}

struct nb_enclosure nb_split_side(const struct nb_split_law *law,
                                  enum nb_split_path i, struct nb_enclosure y)
{
    return nb_enclosure_add(
        nb_enclosure_divide(law->weight[i], split_power(y, law->power)),
        law->lift[i]);
}

/*
 * Where a law's left side stops to be greater for certain (sign = 1: the
 * result is at most the root), or starts to be less for certain (sign = -1:
 * at least the root). The left side falls in y_1 and the right side rises.
 */
static double split_bisect(const struct nb_split *split,
                           const struct nb_split_law *law,
                           struct nb_enclosure spare, double high, int sign)
{
    double low = 0;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            return sign > 0 ? low : high;
        const struct nb_enclosure y = { .lower = middle, .upper = middle };
        const int order = nb_enclosure_compare(
            nb_split_side(law, NB_MINIMAL, y),
            nb_split_side(law, NB_NONMINIMAL, split_other(split, spare, y)));
        if (sign > 0 ? order > 0 : order >= 0)
            low = middle;
        else
            high = middle;
    }
}

void nb_split_balance(const struct nb_split *split,
                      const struct nb_split_law *law, struct nb_enclosure spare,
                      struct nb_enclosure y[], bool *is_closed_form)
{
    const struct nb_enclosure s1 = split_whole(split->shared[NB_MINIMAL]);
    const struct nb_enclosure s2 = split_whole(split->shared[NB_NONMINIMAL]);
    *is_closed_form = nb_enclosure_is_zero(spare) ||
                      (nb_enclosure_is_zero(law->lift[NB_MINIMAL]) &&
                       nb_enclosure_is_zero(law->lift[NB_NONMINIMAL]));
    if (*is_closed_form) {
        const struct nb_enclosure ratio =
            nb_split_root(nb_enclosure_divide(law->weight[NB_MINIMAL],
                                              law->weight[NB_NONMINIMAL]),
                          law->power);
        y[NB_NONMINIMAL] = nb_enclosure_divide(
            nb_enclosure_multiply(spare, nb_enclosure_multiply(s1, s2)),
            nb_enclosure_add(s1, nb_enclosure_multiply(ratio, s2)));
        y[NB_MINIMAL] = nb_enclosure_multiply(ratio, y[NB_NONMINIMAL]);
        return;
    }
    const double high = nb_enclosure_multiply(s1, spare).upper;
    y[NB_MINIMAL] = (struct nb_enclosure){
        .lower = split_bisect(split, law, spare, high, 1),
        .upper = split_bisect(split, law, spare, high, -1),
    };
    y[NB_NONMINIMAL] = split_other(split, spare, y[NB_MINIMAL]);
}
