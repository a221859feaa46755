#include "core/twofold_math.h"

static const struct nb_twofold ln2 = { 0x1.62e42fefa39efp-1,
                                       0x1.abc9e3b39803fp-56 };

struct nb_twofold nb_twofold_sqrt(struct nb_twofold x)
{
    const double root = sqrt(x.high);
    if (!(root > 0 && root < INFINITY))
        return nb_twofold_from(root);
    const struct nb_twofold rest =
        nb_twofold_subtract(x, nb_twofold_product(root, root));
    return nb_twofold_join(root, rest.high / (2 * root));
}

/*
 * e^x - 1 for |x| <= 0.36, by its series at t = x / 256 and
 * e^2t - 1 = (e^t - 1) (2 + (e^t - 1)). Terms from t^6 on are below 2^-56 of
 * the sum, so that doubles are enough for them; t^11 and more is below 2^-118.
 */
NB_TWOFOLD_CLONES static struct nb_twofold expm1_small(struct nb_twofold x)
{
    static const struct nb_twofold over[] = {
        { 1, 0 },
        { 0.5, 0 },
        { 0x1.5555555555555p-3, 0x1.5555555555555p-57 },
        { 0x1.5555555555555p-5, 0x1.5555555555555p-59 },
        { 0x1.1111111111111p-7, 0x1.1111111111111p-63 },
    };
    const struct nb_twofold t = nb_twofold_shift(x, 0x1p-8);
    const double h = t.high;
    const double rest =
        (1 + h / 7 * (1 + h / 8 * (1 + h / 9 * (1 + h / 10)))) / 720;
    struct nb_twofold sum = nb_twofold_times(t, rest);
    for (int i = 4; i >= 0; i--)
        sum = nb_twofold_multiply(t, nb_twofold_add(over[i], sum));
    for (int i = 0; i < 8; i++)
        sum = nb_twofold_multiply(sum, nb_twofold_add(nb_twofold_from(2), sum));
    return sum;
}

/* x = whole ln 2 + the value returned */
static struct nb_twofold reduce(struct nb_twofold x, int *whole)
{
    const double k = rint(x.high / ln2.high);
    *whole = (int)k;
    return k == 0 ? x : nb_twofold_subtract(x, nb_twofold_times(ln2, k));
}

/* Beyond this, e^x and 2^power e^x are out of range. */
static bool is_far(double x)
{
    return !(fabs(x) < 4000);
}

static struct nb_twofold far_exp(double x)
{
    return nb_twofold_from(x > 0 ? INFINITY : x < 0 ? 0 : NAN);
}

struct nb_twofold nb_twofold_exp(struct nb_twofold x, int power)
{
    int whole;
    if (is_far(x.high))
        return far_exp(x.high);
    const struct nb_twofold more = expm1_small(reduce(x, &whole));
    const struct nb_twofold value = nb_twofold_add(nb_twofold_from(1), more);
    const double high = ldexp(value.high, whole + power);
    return isinf(high) ? nb_twofold_from(high)
                       : nb_twofold_join(high, ldexp(value.low, whole + power));
}

struct nb_twofold nb_twofold_expm1(struct nb_twofold x)
{
    int whole;
    if (is_far(x.high))
        return nb_twofold_from(far_exp(x.high).high - 1);
    const struct nb_twofold rest = reduce(x, &whole);
    if (whole == 0)
        return expm1_small(rest);
    const struct nb_twofold value = nb_twofold_exp(x, 0);
    return isinf(value.high) ? value
                             : nb_twofold_subtract(value, nb_twofold_from(1));
}

/* ln(1 + x) for -0.3 <= x <= 0.5: the double nearest to it or a neighbour, y,
 * and ln(1 + w) with w = (1 + x) e^-y - 1, which is below 2^-51 x. */
static struct nb_twofold log1p_small(struct nb_twofold x)
{
    const double y = log1p(x.high);
    const struct nb_twofold back = nb_twofold_expm1(nb_twofold_from(-y));
    const struct nb_twofold w =
        nb_twofold_add(nb_twofold_add(x, back), nb_twofold_multiply(x, back));
    return nb_twofold_more(w, y);
}

struct nb_twofold nb_twofold_log(struct nb_twofold x)
{
    int whole;
    if (!(x.high > 0 && x.high < INFINITY))
        return nb_twofold_from(log(x.high));
    const double part = frexp(x.high, &whole);
    if (part < 0.75)
        whole--;
    const struct nb_twofold scaled = { ldexp(x.high, -whole),
                                       ldexp(x.low, -whole) };
    const struct nb_twofold rest =
        log1p_small(nb_twofold_subtract(scaled, nb_twofold_from(1)));
    return nb_twofold_add(nb_twofold_times(ln2, whole), rest);
}

struct nb_twofold nb_twofold_log1p(struct nb_twofold x)
{
    if (x.high >= -0.25 && x.high <= 0.5)
        return log1p_small(x);
    return x.high < INFINITY
               ? nb_twofold_log(nb_twofold_add(nb_twofold_from(1), x))
               : nb_twofold_from(log1p(x.high));
}
