#include "report/printed.h"

#include "core/locale.h"
#include "report/format.h"
#include "report/grid.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void nb_cell_print(const union nb_cell *cell, enum nb_cell_type type,
                   char text[NB_CELL_CHARACTERS])
{
    assert(type != NB_CELL_TEXT);
    if (type == NB_CELL_WHOLE)
        snprintf(text, NB_CELL_CHARACTERS, "%" PRId64, cell->whole);
    else if (type == NB_CELL_NUMBER)
        nb_number_print(cell->number, text);
    else if (nb_ratio_is_known(cell->ratio))
        nb_ratio_print(cell->ratio, text);
    else
        snprintf(text, NB_CELL_CHARACTERS, "?");
}

void nb_print_number(double value, char out[NB_PRINTED])
{
    if (isnan(value))
        snprintf(out, NB_PRINTED, "?");
    else if (fabs(value) < 1e15 && value == rint(value))
        nb_snprintf(out, NB_PRINTED, "%.0f", value);
    else
        nb_snprintf(out, NB_PRINTED, "%.6g", value);
}

/* Prints an end of an interval, rounded outward to some digits. */
static void printed_end(double end, int digits, bool is_upper,
                        char out[NB_NUMBER_TEXT])
{
    nb_snprintf(out, NB_NUMBER_TEXT, "%.*g", digits, end);
    const double printed = nb_strtod(out, NULL);
    if (is_upper ? printed >= end : printed <= end)
        return;
    const double unit = pow(10, floor(log10(fabs(end))) - digits + 1);
    nb_snprintf(out, NB_NUMBER_TEXT, "%.*g", digits,
                is_upper ? printed + unit : printed - unit);
}

void nb_print_column(const char *column, double value, char out[NB_PRINTED])
{
    static const struct {
        const char *ending;
        bool is_upper;
    } bounds[] = { { "lower", false },
                   { "upper", true },
                   { "bound", true },
                   { "chernoff", true } };
    const size_t length = strlen(column);
    nb_print_number(value, out);
    if (!isfinite(value) || value == 0 || nb_strtod(out, NULL) == value)
        return;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const size_t tail = strlen(bounds[i].ending);
        if (length >= tail &&
            strcmp(column + length - tail, bounds[i].ending) == 0)
            printed_end(value, 6, bounds[i].is_upper, out);
    }
}

/* "[lower, upper]", rounded outward to six digits, or to seven if its ends have
 * more than three in common. */
static void printed_interval(double lower, double upper, char *out)
{
    enum { LEAST = 6, COMMON = 1000 };
    char low[NB_NUMBER_TEXT], high[NB_NUMBER_TEXT];
    const double largest = fmax(fabs(lower), fabs(upper));
    const bool is_narrow =
        isfinite(largest) && largest > COMMON * (upper - lower);
    printed_end(lower, is_narrow ? LEAST + 1 : LEAST, false, low);
    printed_end(upper, is_narrow ? LEAST + 1 : LEAST, true, high);
    snprintf(out, 2 * NB_NUMBER_TEXT + 5, "[%s, %s]", low, high);
}

/* The digits that the ends of a narrow interval have in common, "0.2593...";
 * false if these are too few to be more useful than the interval. */
static bool printed_digits(double lower, double upper, char out[NB_PRINTED])
{
    enum { LEAST = 9 };
    char low[NB_NUMBER_TEXT], high[NB_NUMBER_TEXT];
    size_t count = 0, digits = 0;
    nb_number_print_long(lower, low);
    nb_number_print_long(upper, high);
    const char *exponent = strchr(low, 'e'), *other = strchr(high, 'e');
    if (strcmp(exponent != NULL ? exponent : "", other != NULL ? other : "") !=
        0)
        return false;
    for (; low[count] == high[count] && low[count] != 'e' && low[count] != '\0';
         count++)
        digits += low[count] >= (digits == 0 ? '1' : '0') && low[count] <= '9';
    if (digits < LEAST || memchr(low, '.', count) == NULL)
        return false;
    snprintf(out, NB_PRINTED, "%.*s...%s", (int)count, low,
             exponent != NULL ? exponent : "");
    return true;
}

void nb_print_certainty(const struct nb_quantity *quantity,
                        char out[NB_PRINTED])
{
    out[0] = '\0';
    if (nb_ratio_is_known(quantity->exact)) {
        char value[NB_PRINTED];
        nb_ratio_print(quantity->exact, out);
        nb_print_number(quantity->value, value);
        if (strcmp(out, value) == 0)
            out[0] = '\0';
    } else if (quantity->lower != quantity->upper &&
               !printed_digits(quantity->lower, quantity->upper, out)) {
        strcpy(out, "in ");
        printed_interval(quantity->lower, quantity->upper, out + 3);
    }
}

void nb_print_value(const struct nb_quantity *quantity, char out[NB_PRINTED])
{
    enum { LEAST = 7, MOST = 17 };
    double lower = -INFINITY, upper = INFINITY;
    nb_print_certainty(quantity, out);
    if (strncmp(out, "in [", 4) == 0) {
        lower = nb_strtod(out + 4, NULL);
        upper = nb_strtod(strchr(out, ',') + 1, NULL);
    }
    nb_print_number(quantity->value, out);
    if (!(lower <= quantity->value && quantity->value <= upper))
        return;
    for (int digits = LEAST; digits <= MOST; digits++) {
        const double printed = nb_strtod(out, NULL);
        if (lower <= printed && printed <= upper)
            return;
        nb_snprintf(out, NB_PRINTED, "%.*g", digits, quantity->value);
    }
}

void nb_print_spread(const struct nb_quantity *quantity, char out[NB_PRINTED])
{
    enum { DIGITS = 2 };
    char most[NB_NUMBER_TEXT];
    nb_print_number(quantity->value, out);
    const double value = nb_strtod(out, NULL);
    const double spread =
        fmax(fmax(value - quantity->lower, quantity->upper - value), 0);
    nb_print_certainty(quantity, out);
    if (strncmp(out, "in ", 3) != 0)
        return;
    if (!isfinite(spread) && isfinite(quantity->lower)) {
        printed_end(quantity->lower, 6, false, most);
        snprintf(out, NB_PRINTED, ">= %s", most);
        return;
    }
    if (!isfinite(spread))
        return;
    printed_end(spread, DIGITS, true, most);
    snprintf(out, NB_PRINTED, "+-%s", most);
}

void nb_print_swept(const struct nb_quantity *quantity,
                    char out[NB_PRINTED + NB_NUMBER_TEXT])
{
    const double width = quantity->upper - quantity->lower;
    nb_print_number(quantity->value, out);
    if (!nb_ratio_is_known(quantity->exact) &&
        !(width <= 1e-6 * fabs(quantity->value))) {
        nb_print_value(quantity, out);
        strcat(out, " ");
        printed_interval(quantity->lower, quantity->upper, out + strlen(out));
    }
}

void nb_question_print(const struct nb_model *model, struct nb_text *text)
{
    nb_text_add_plain(text, model->command);
    for (size_t i = 0; i < model->option_count; i++) {
        if (strcmp(model->options[i].value, "no") == 0)
            continue; /* a flag set to no is left out */
        nb_text_print(text, "  %s ", model->options[i].name);
        nb_text_add_plain(text, model->options[i].value);
    }
    for (size_t i = 0; i < model->sweep_count; i++) {
        nb_text_print(text, "  sweep %s=", model->sweeps[i].name);
        nb_text_add_plain(text, model->sweeps[i].value);
    }
}

void nb_place_print(const struct nb_point *point, struct nb_text *text)
{
    for (size_t i = 0; i < point->setting_count; i++) {
        nb_text_print(text, "%s%s ", i == 0 ? " at " : ", ",
                      point->settings[i].name);
        nb_text_add_plain(text, point->settings[i].value);
    }
}
