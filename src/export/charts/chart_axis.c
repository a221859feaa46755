#include "export/charts/chart_axis.h"

#include "core/locale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double axis_value(double number, int exponent)
{
    return number * pow(10, exponent);
}

/* "0.25", "15000", "2.5e7", "1e-6". */
static void axis_print(double value, char label[NB_AXIS_LABEL])
{
    const double size = fabs(value);
    if (size == 0 || (size >= 1e-4 && size < 1e6)) {
        nb_snprintf(label, NB_AXIS_LABEL, "%.10g", value + 0.0);
        return;
    }
    int exponent = (int)floor(log10(size));
    double mantissa = axis_value(value, -exponent);
    if (fabs(mantissa) >= 10 - 1e-9) { /* the logarithm was rounded */
        mantissa /= 10;
        exponent++;
    }
    nb_snprintf(label, NB_AXIS_LABEL, "%.10ge%d", mantissa, exponent);
}

static void axis_add(struct nb_axis *axis, double value)
{
    if (axis->tick_count == NB_AXIS_TICKS)
        return;
    struct nb_axis_tick *tick = &axis->ticks[axis->tick_count++];
    tick->value = value;
    axis_print(value, tick->label);
}

/* The least of 1, 2, 5 times a power of ten that is at least size. */
static int axis_round_up(double size, int *exponent)
{
    *exponent = (int)floor(log10(size));
    const double ratio = axis_value(size, -*exponent) * (1 - 1e-9);
    if (ratio <= 1)
        return 1;
    if (ratio <= 2)
        return 2;
    if (ratio <= 5)
        return 5;
    ++*exponent;
    return 1;
}

static void axis_fit_linear(struct nb_axis *axis, double low, double high,
                            int wanted)
{
    const double size = fmax(fabs(low), fabs(high));
    if (!(high - low > 1e-9 * size) || high - low < 1 / NB_AXIS_MOST) {
        const double room = size > 1e-200 ? size / 2 : 1;
        high += room;
        low = low >= 0 && low < room ? 0 : low - room;
    }
    int exponent;
    int number = axis_round_up((high - low) / wanted, &exponent);
    if (axis->is_whole && exponent < 0) {
        number = 1;
        exponent = 0;
    }
    const double step = axis_value(number, exponent);
    /* Ends that are already multiples stay, despite rounding. */
    const double first = floor(low / step + 1e-9);
    const double last = ceil(high / step - 1e-9);
    axis->least = axis_value(first * number, exponent);
    axis->most = axis_value(last * number, exponent);
    for (double i = first; i <= last; i++)
        axis_add(axis, axis_value(i * number, exponent));
}

/* The largest of 1, 2, 5 times a power of ten that is at most value. */
static double axis_round_down(double value)
{
    const int exponent = (int)floor(log10(value) + 1e-12);
    const double unit = pow(10, exponent);
    return value >= 5 * unit   ? 5 * unit
           : value >= 2 * unit ? 2 * unit
                               : fmin(unit, value);
}

/* Adds powers of ten; only every second, third, fifth and so on if all would be
 * more than wanted. */
static void axis_add_decades(struct nb_axis *axis, int wanted)
{
    static const int strides[] = { 1, 2, 3, 5, 10, 20, 50, 100, 200 };
    const int first = (int)ceil(log10(axis->least) - 1e-9);
    const int last = (int)floor(log10(axis->most) + 1e-9);
    size_t s = 0;
    while (s + 1 < sizeof strides / sizeof *strides &&
           (last - first) / strides[s] > wanted)
        s++;
    const bool is_plain = first >= -3 && last <= 5;
    for (int e = first; e <= last; e++) {
        if (e % strides[s] != 0)
            continue;
        axis_add(axis, pow(10, e));
        struct nb_axis_tick *tick = &axis->ticks[axis->tick_count - 1];
        if (e == 0 || is_plain)
            nb_snprintf(tick->label, NB_AXIS_LABEL, "%.10g", pow(10, e));
        else
            snprintf(tick->label, NB_AXIS_LABEL, "1e%d", e);
    }
}

static void axis_fit_log(struct nb_axis *axis, double low, double high,
                         int wanted)
{
    if (!(high > low * (1 + 1e-9))) {
        low /= 2;
        high *= 2;
    }
    if (log10(high) - log10(low) >= 3) { /* to whole decades */
        axis->least = pow(10, floor(log10(low) + 1e-9));
        axis->most = pow(10, ceil(log10(high) - 1e-9));
        axis_add_decades(axis, wanted);
        return;
    }
    int exponent;
    const int number = axis_round_up(high, &exponent);
    axis->least = axis_round_down(low);
    axis->most = axis_value(number, exponent);
    if (log10(axis->most) - log10(axis->least) > 2) {
        axis_add_decades(axis, wanted);
        return;
    }
    for (int e = (int)floor(log10(axis->least)) - 1; e <= exponent; e++)
        for (int n = 1; n <= 5; n += n == 1 ? 1 : 3) {
            const double value = axis_value(n, e);
            if (value >= axis->least * (1 - 1e-9) &&
                value <= axis->most * (1 + 1e-9))
                axis_add(axis, value);
        }
}

void nb_axis_fit(struct nb_axis *axis, double low, double high, bool is_log,
                 int wanted)
{
    axis->is_log = is_log;
    axis->tick_count = 0;
    if (is_log)
        axis_fit_log(axis, low, high, wanted);
    else
        axis_fit_linear(axis, low, high, wanted);
}

void nb_axis_trim(struct nb_axis *axis, double least, double most)
{
    int kept = 0;
    axis->least = fmax(axis->least, least);
    axis->most = fmin(axis->most, most);
    for (int i = 0; i < axis->tick_count; i++)
        if (axis->ticks[i].value >= axis->least &&
            axis->ticks[i].value <= axis->most)
            axis->ticks[kept++] = axis->ticks[i];
    axis->tick_count = kept;
}

double nb_axis_place(const struct nb_axis *axis, double value)
{
    double least = axis->least, most = axis->most;
    double share = value <= least ? 0 : 1;
    if (value > least && value < most) {
        if (axis->is_log) {
            value = log(value);
            least = log(least);
            most = log(most);
        }
        share = (value - least) / (most - least);
    }
    return axis->from + share * (axis->to - axis->from);
}

bool nb_axis_has(bool is_log, double value)
{
    if (!(fabs(value) <= NB_AXIS_MOST)) /* also NaN */
        return false;
    return !is_log || value >= 1 / NB_AXIS_MOST;
}
