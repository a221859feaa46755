/* Verdicts: compares a computed quantity with a published one (declared in
 * ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether lower .. upper lies within a .. b, exactly: a double is at least a if
 * it is at least the next double above a. */
static bool verdict_is_within(double lower, double upper, struct nb_ratio a,
                              struct nb_ratio b)
{
    double least, most, unused;
    nb_ratio_bracket(a, &unused, &least);
    nb_ratio_bracket(b, &most, &unused);
    return lower >= least && upper <= most;
}

/* How the possible values of a quantity lie relative to a .. b. */
enum verdict_place { VERDICT_OUTSIDE, VERDICT_MEETS, VERDICT_WITHIN };

static enum verdict_place verdict_place(const struct nb_quantity *quantity,
                                        struct nb_ratio a, struct nb_ratio b)
{
    double least, most, unused;
    if (nb_ratio_is_known(quantity->exact))
        return nb_ratio_compare(quantity->exact, a) >= 0 &&
                       nb_ratio_compare(quantity->exact, b) <= 0
                   ? VERDICT_WITHIN
                   : VERDICT_OUTSIDE;
    if (isinf(quantity->value) || nb_ratio_is_infinite(a))
        return isinf(quantity->value) && nb_ratio_is_infinite(a)
                   ? VERDICT_WITHIN
                   : VERDICT_OUTSIDE;
    if (verdict_is_within(quantity->lower, quantity->upper, a, b))
        return VERDICT_WITHIN;
    nb_ratio_bracket(a, &least, &unused);
    nb_ratio_bracket(b, &unused, &most);
    return quantity->upper >= least && quantity->lower <= most
               ? VERDICT_MEETS
               : VERDICT_OUTSIDE;
}

/* Whether the quantity can be this value, or has these first digits. */
static bool verdict_is_reference(const struct nb_quantity *quantity,
                                 const struct nb_printed *reference)
{
    double lower, upper;
    if (nb_ratio_is_known(quantity->exact) || isinf(quantity->value) ||
        nb_ratio_compare(reference->lower, reference->upper) < 0)
        return verdict_place(quantity, reference->lower, reference->upper) ==
               VERDICT_WITHIN;
    nb_ratio_bracket(reference->value, &lower, &upper);
    return quantity->lower <= lower && upper <= quantity->upper;
}

/* Whether all possible values begin with the printed digits, without
 * rounding. */
static bool verdict_is_cut(const struct nb_quantity *quantity,
                           const struct nb_printed *printed)
{
    const struct nb_ratio unit =
        nb_ratio_subtract(printed->upper, printed->lower);
    const struct nb_ratio next = nb_ratio_add(printed->value, unit);
    return verdict_place(quantity, printed->value, next) == VERDICT_WITHIN &&
           verdict_place(quantity, next, next) == VERDICT_OUTSIDE;
}

/* Whether all possible values are within the reading's distance of the printed
 * number. */
static bool verdict_is_near(const struct nb_quantity *quantity,
                            const struct nb_reading *reading,
                            const struct nb_printed *printed)
{
    const struct nb_ratio value = printed->value;
    const struct nb_ratio by = reading->is_share
                                   ? nb_ratio_multiply(reading->within, value)
                                   : reading->within;
    return verdict_place(quantity, nb_ratio_subtract(value, by),
                         nb_ratio_add(value, by)) == VERDICT_WITHIN;
}

/* The quantity over 10^tens, for a number printed with a power of ten. */
static struct nb_quantity verdict_over(const struct nb_quantity *quantity,
                                       const struct nb_printed *printed)
{
    struct nb_quantity out = *quantity;
    const double scale = pow(10, -printed->tens);
    if (printed->tens == 0)
        return out;
    out.exact = (struct nb_ratio){ 0 };
    out.value = quantity->value * scale;
    /* The power and the two products have errors of at most 2^-51 together. */
    out.lower = quantity->lower * scale;
    out.upper = quantity->upper * scale;
    out.lower -= fabs(out.lower) * 1e-15;
    out.upper += fabs(out.upper) * 1e-15;
    return out;
}

static double verdict_difference(const struct nb_quantity *quantity,
                                 struct nb_ratio from)
{
    if (nb_ratio_is_infinite(from) && isinf(quantity->value))
        return 0;
    const struct nb_ratio exact = nb_ratio_subtract(quantity->exact, from);
    return nb_ratio_is_known(exact) ? nb_ratio_value(exact)
                                    : quantity->value - nb_ratio_value(from);
}

/* Whether it may be anything from nothing to the whole offered load. */
static bool verdict_is_open(const struct nb_quantity *quantity,
                            struct nb_ratio offered)
{
    double least, unused;
    if (!nb_ratio_is_known(offered))
        return false;
    nb_ratio_bracket(offered, &least, &unused);
    return quantity->lower <= 0 && quantity->upper >= least;
}

enum nb_status nb_entry_wonder(struct nb_entry *entry, const char *what,
                               const char *instead, struct nb_error *err)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, NB_LEDGER_SURPRISE ", the data says %s%s", what,
                  instead);
    entry->surprise = text.bytes;
    return nb_text_check(&text, err);
}

void nb_entry_judge(struct nb_entry *entry, const struct nb_quantity *quantity,
                    struct nb_ratio offered)
{
    static const enum nb_verdict verdicts[] = { NB_VERDICT_DISAGREES,
                                                NB_VERDICT_CONSISTENT,
                                                NB_VERDICT_AGREES };
    const struct nb_published_row *row = entry->row;
    const struct nb_printed *rounded = &row->rounded;
    const bool is_reference = nb_row_is_reference(row);
    const struct nb_printed *printed = is_reference ? &row->reference : rounded;
    const struct nb_quantity over = verdict_over(quantity, printed);
    const struct nb_quantity exactly = verdict_over(quantity, &row->reference);
    entry->is_computed = true;
    entry->exact = quantity->exact;
    entry->value = quantity->value;
    entry->lower = quantity->lower;
    entry->upper = quantity->upper;
    entry->difference = verdict_difference(&over, printed->value) *
                        (double)powl(10, printed->tens);
    entry->is_exact_met =
        *row->exact == '\0' || verdict_is_reference(&exactly, &row->reference);
    if (is_reference)
        entry->verdict =
            entry->is_exact_met ? NB_VERDICT_AGREES : NB_VERDICT_DISAGREES;
    else
        entry->verdict =
            verdicts[verdict_place(&over, rounded->lower, rounded->upper)];
    if (entry->verdict == NB_VERDICT_AGREES && nb_ratio_is_known(offered) &&
        nb_ratio_compare(offered, rounded->upper) < 0)
        entry->verdict = NB_VERDICT_CONSISTENT;
    if (entry->verdict == NB_VERDICT_CONSISTENT &&
        verdict_is_open(quantity, offered))
        entry->verdict = NB_VERDICT_PENDING;
}

/* Whether no value that the printed digits cover respects the bound. */
static bool verdict_is_excluded(const struct nb_quantity *bound,
                                const struct nb_printed *printed, bool is_above)
{
    const struct nb_ratio end = is_above ? printed->lower : printed->upper;
    double lower, upper;
    if (nb_ratio_is_known(bound->exact)) {
        const int order = nb_ratio_compare(end, bound->exact);
        return is_above ? order > 0 : order < 0;
    }
    nb_ratio_bracket(end, &lower, &upper);
    return is_above ? lower > bound->upper : upper < bound->lower;
}

/* Whether the quantity passes the reading's test; over: both are times 10^tens
 * of the printed number. */
static bool verdict_passes(const struct nb_reading *reading,
                           const struct nb_quantity *over,
                           const struct nb_printed *printed)
{
    const enum verdict_place place =
        verdict_place(over, printed->lower, printed->upper);
    switch (reading->test) {
    case NB_READING_CUT:
        return verdict_is_cut(over, printed);
    case NB_READING_RANGE:
        return place != VERDICT_OUTSIDE;
    case NB_READING_WITHIN:
        return verdict_is_near(over, reading, printed);
    case NB_READING_ABOVE:
        return verdict_is_excluded(over, printed, true);
    case NB_READING_BELOW:
        return verdict_is_excluded(over, printed, false);
    case NB_READING_DIGITS:
        break;
    }
    return place == VERDICT_WITHIN;
}

/* Appends a reading and its result to what was shown. */
static enum nb_status verdict_show(struct nb_entry *entry, bool is_shown,
                                   const struct nb_reading *reading,
                                   const char *result, struct nb_error *err)
{
    struct nb_text text = { 0 };
    if (entry->shown != NULL)
        nb_text_print(&text, "%s; ", entry->shown);
    nb_text_print(&text, "%s %.*s: %s", is_shown ? "shown by" : "not shown by",
                  (int)reading->length, reading->text, result);
    nb_delete(entry->shown);
    entry->shown = text.bytes;
    if (is_shown)
        entry->verdict = NB_VERDICT_EXPLAINED;
    return nb_text_check(&text, err);
}

enum nb_status nb_entry_explain(struct nb_entry *entry,
                                const struct nb_reading *reading,
                                const struct nb_quantity *quantity,
                                struct nb_error *err)
{
    const struct nb_printed *printed = &entry->row->rounded;
    const struct nb_quantity over = verdict_over(quantity, printed);
    struct nb_text result = { 0 };
    nb_text_print(&result, "%.6g", quantity->value);
    if (!nb_ratio_is_known(quantity->exact) &&
        quantity->lower < quantity->upper)
        nb_text_print(&result, " [%.6g, %.6g]", quantity->lower,
                      quantity->upper);
    enum nb_status status = nb_text_check(&result, err);
    if (status == NB_OK)
        status = verdict_show(entry, verdict_passes(reading, &over, printed),
                              reading, result.bytes, err);
    nb_text_release(&result);
    return status;
}

enum nb_status nb_entry_repeat(struct nb_entry *entry,
                               const struct nb_reading *reading,
                               const struct nb_entry *other,
                               struct nb_error *err)
{
    const struct nb_printed *own = &entry->row->rounded;
    const struct nb_printed *there = &other->row->rounded;
    const bool is_understood = other->verdict == NB_VERDICT_AGREES ||
                               other->verdict == NB_VERDICT_EXPLAINED;
    const bool is_same = own->tens == there->tens &&
                         nb_ratio_compare(there->value, own->lower) >= 0 &&
                         nb_ratio_compare(there->value, own->upper) <= 0;
    char result[120];
    snprintf(result, sizeof result, "%.40s, %s", other->row->printed,
             nb_entry_verdict(other));
    return verdict_show(entry, is_understood && is_same, reading, result, err);
}

enum nb_status nb_entry_settle(struct nb_entry *entry, struct nb_error *err)
{
    const struct nb_published_row *row = entry->row;
    if (entry->verdict != row->expected)
        return nb_entry_wonder(entry, nb_verdict_names[row->expected], "", err);
    return entry->is_exact_met
               ? NB_OK
               : nb_entry_wonder(entry, "exactly ", row->exact, err);
}

const char *nb_entry_verdict(const struct nb_entry *entry)
{
    if (entry->verdict != NB_VERDICT_AGREES)
        return nb_verdict_names[entry->verdict];
    if (nb_row_is_reference(entry->row))
        return *entry->row->exact == '\0' ? "nothing to agree with"
                                          : "agrees with the reference value";
    return strncmp(entry->row->check, "as ", 3) == 0
               ? "agrees with what is printed"
               : "agrees to the printed digits";
}
