/* Verdicts: a computed quantity against a published one (declared in
 * ledger.h). */
#include "cli/ledger.h"

#include <math.h>

/* The doubles around a ratio of any sign. */
static void verdict_bracket(struct nb_ratio a, double *lower, double *upper)
{
    if (a.numerator >= 0) {
        nb_ratio_bracket(a, lower, upper);
        return;
    }
    nb_ratio_bracket(nb_ratio_subtract(nb_ratio_zero, a), upper, lower);
    *lower = -*lower;
    *upper = -*upper;
}

/* Whether lower .. upper lies within a .. b, exactly: a double is at least a
 * where it is at least the next double above a. */
static bool verdict_is_within(double lower, double upper, struct nb_ratio a,
                              struct nb_ratio b)
{
    double least, most, unused;
    verdict_bracket(a, &unused, &least);
    verdict_bracket(b, &most, &unused);
    return lower >= least && upper <= most;
}

/* Whether a finite interval and a .. b have something in common; infinity
 * has only with itself. */
static bool verdict_is_met(const struct nb_quantity *quantity,
                           struct nb_ratio a, struct nb_ratio b)
{
    double least, most, unused;
    if (isinf(quantity->value))
        return nb_ratio_is_infinite(a);
    verdict_bracket(a, &least, &unused);
    verdict_bracket(b, &unused, &most);
    return isfinite(quantity->lower) && isfinite(quantity->upper) &&
           quantity->upper >= least && quantity->lower <= most;
}

static bool verdict_is_as_printed(const struct nb_quantity *quantity,
                                  const struct nb_printed *printed,
                                  enum nb_comparison comparison)
{
    const struct nb_ratio a = printed->lower, b = printed->upper;
    if (nb_ratio_is_known(quantity->exact))
        return nb_ratio_compare(quantity->exact, a) >= 0 &&
               nb_ratio_compare(quantity->exact, b) <= 0;
    if (comparison == NB_COMPARE_INTERVAL)
        return verdict_is_met(quantity, a, b);
    if (comparison == NB_COMPARE_ESTIMATE)
        return verdict_is_within(quantity->value, quantity->value, a, b);
    return verdict_is_within(quantity->lower, quantity->upper, a, b);
}

/* Whether the quantity may be this value, or has these first digits. */
static bool verdict_is_reference(const struct nb_quantity *quantity,
                                 const struct nb_printed *reference,
                                 enum nb_comparison comparison)
{
    double lower, upper;
    if (nb_ratio_is_known(quantity->exact) ||
        nb_ratio_compare(reference->lower, reference->upper) < 0)
        return verdict_is_as_printed(quantity, reference, comparison);
    verdict_bracket(reference->value, &lower, &upper);
    return quantity->lower <= lower && upper <= quantity->upper;
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

enum nb_status nb_entry_wonder(struct nb_entry *entry, const char *what,
                               const char *instead, struct nb_error *err)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, NB_LEDGER_SURPRISE ", the data says %s%s", what,
                  instead);
    entry->surprise = text.bytes;
    return nb_text_check(&text, err);
}

enum nb_status nb_entry_judge(struct nb_entry *entry,
                              const struct nb_quantity *quantity,
                              enum nb_comparison comparison,
                              struct nb_error *err)
{
    const struct nb_published_row *row = entry->row;
    const bool is_printed = *row->printed != '\0';
    const bool is_exact =
        *row->exact == '\0' ||
        verdict_is_reference(quantity, &row->reference, comparison);
    const bool agrees =
        is_printed ? verdict_is_as_printed(quantity, &row->rounded, comparison)
                   : is_exact;
    entry->is_computed = true;
    entry->exact = quantity->exact;
    entry->value = quantity->value;
    entry->lower = quantity->lower;
    entry->upper = quantity->upper;
    entry->difference = verdict_difference(
        quantity, is_printed ? row->rounded.value : row->reference.value);
    entry->verdict = agrees ? NB_VERDICT_AGREES
                     : row->expected == NB_VERDICT_EXPLAINED
                         ? NB_VERDICT_EXPLAINED
                         : NB_VERDICT_DISAGREES;
    if (entry->verdict != row->expected)
        return nb_entry_wonder(entry, nb_verdict_names[row->expected], "", err);
    return is_exact ? NB_OK
                    : nb_entry_wonder(entry, "exactly ", row->exact, err);
}

const char *nb_entry_verdict(const struct nb_entry *entry)
{
    if (entry->verdict != NB_VERDICT_AGREES)
        return nb_verdict_names[entry->verdict];
    return *entry->row->printed != '\0' ? "agrees to the printed digits"
                                        : "agrees with the reference value";
}
