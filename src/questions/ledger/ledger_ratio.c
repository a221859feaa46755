/* Rows that are the quotient of two others: "62.3 % of DOR's throughput"
 * (declared in ledger.h). */
#include "questions/ledger/ledger.h"

#include "core/enclosure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char ratio_first[] = "ratio:of=", ratio_second[] = ",to=";

/* What a quotient x is given as: scale x + shift. */
static const struct ratio_form {
    const char *quantity;
    int scale, shift;
    const char *unit;
} ratio_forms[] = {
    { "ratio", 1, 0, "1" },
    { "percent", 100, 0, "%" },
    { "percent_above", 100, -100, "%" },
    { "percent_below", -100, 100, "%" },
};
enum { RATIO_FORMS = sizeof ratio_forms / sizeof *ratio_forms };

bool nb_entry_is_ratio(const struct nb_published_row *row)
{
    return strncmp(row->traffic, ratio_first, sizeof ratio_first - 1) == 0;
}

static const struct nb_published_row *
ratio_find_row(const struct nb_published *published, const char *id,
               size_t length)
{
    for (size_t i = 0; i < published->count; i++)
        if (strlen(published->rows[i].id) == length &&
            strncmp(published->rows[i].id, id, length) == 0)
            return &published->rows[i];
    return NULL;
}

enum nb_status nb_entry_ratio_rows(const struct nb_published_row *row,
                                   const struct nb_published *published,
                                   const struct nb_published_row *parts[2],
                                   struct nb_error *err)
{
    char message[200];
    const char *id = row->traffic + sizeof ratio_first - 1;
    const char *second = strstr(id, ratio_second);
    if (second == NULL || *row->topology != '\0' || *row->routing != '\0')
        return nb_published_fail(row, NB_INVALID,
                                 "a quotient is ratio:of=ID,to=ID, without "
                                 "topology and routing",
                                 err);
    for (int i = 0; i < 2; i++) {
        const size_t length = i == 0 ? (size_t)(second - id) : strlen(id);
        parts[i] = ratio_find_row(published, id, length);
        if (parts[i] == NULL || nb_entry_command(parts[i]) == NULL) {
            snprintf(message, sizeof message,
                     "no row \"%.*s\" to be computed (permitted: the id of one "
                     "that a command answers)",
                     length < 60 ? (int)length : 60, id);
            return nb_published_fail(row, NB_INVALID, message, err);
        }
        id = second + sizeof ratio_second - 1;
    }
    if (strcmp(parts[0]->unit, parts[1]->unit) == 0)
        return NB_OK;
    snprintf(message, sizeof message,
             "units \"%.60s\" and \"%.60s\" are not permitted (permitted: one)",
             parts[0]->unit, parts[1]->unit);
    return nb_published_fail(row, NB_INVALID, message, err);
}

static struct nb_enclosure ratio_enclose(const struct nb_quantity *quantity)
{
    return nb_ratio_is_known(quantity->exact)
               ? nb_enclosure_of_ratio(quantity->exact)
               : (struct nb_enclosure){ { 0, 0 },
                                        fmax(quantity->lower, 0),
                                        quantity->upper };
}

/* The bound of scale x + shift in a direction; one step for each rounding. */
static double ratio_bound(const struct ratio_form *form, double x,
                          double direction)
{
    const double scaled =
        form->scale == 1 ? x : nextafter(form->scale * x, direction);
    return form->shift == 0 ? scaled
                            : nextafter(scaled + form->shift, direction);
}

enum nb_status nb_entry_ratio(const struct nb_published_row *row,
                              const struct nb_quantity *of,
                              const struct nb_quantity *to,
                              struct nb_quantity *out, struct nb_error *err)
{
    const struct ratio_form *form = ratio_forms;
    const struct ratio_form *end = ratio_forms + RATIO_FORMS;
    while (form < end && strcmp(form->quantity, row->quantity) != 0)
        form++;
    if (form == end || strcmp(form->unit, row->unit) != 0)
        return nb_published_fail(row, NB_INVALID,
                                 "a quotient is in ratio [1], percent, "
                                 "percent_above or percent_below [%]",
                                 err);
    if (!(to->lower > 0))
        return nb_published_fail(row, NB_INVALID,
                                 "the divisor may be 0 (permitted: a quantity "
                                 "that is known to be more)",
                                 err);
    const struct nb_enclosure x =
        nb_enclosure_divide(ratio_enclose(of), ratio_enclose(to));
    const double one =
        ratio_bound(form, x.lower, (double)form->scale * -INFINITY);
    const double other =
        ratio_bound(form, x.upper, (double)form->scale * INFINITY);
    *out = (struct nb_quantity){
        .value = form->scale * (of->value / to->value) + form->shift,
        .lower = fmin(one, other),
        .upper = fmax(one, other),
        .exact = nb_ratio_add(
            nb_ratio_multiply(x.exact, nb_ratio_make(form->scale, 1)),
            nb_ratio_make(form->shift, 1)),
    };
    if (nb_ratio_is_known(out->exact)) {
        out->value = nb_ratio_value(out->exact);
        out->lower = nextafter(out->value, -INFINITY);
        out->upper = nextafter(out->value, INFINITY);
    }
    return NB_OK;
}
