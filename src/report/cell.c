#include "report/cell.h"

#include "core/locale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What follows a run of digits; NULL if there is no digit. */
static const char *cell_digits(const char *text)
{
    const size_t count = text != NULL ? strspn(text, "0123456789") : 0;
    return count > 0 ? text + count : NULL;
}

/* Only what %g prints: strtod would accept blanks, hexadecimal and more. */
static bool cell_is_decimal(const char *text)
{
    text = cell_digits(text + (*text == '-'));
    if (text != NULL && *text == '.')
        text = cell_digits(text + 1);
    if (text != NULL && *text == 'e') {
        text++;
        text = cell_digits(text + (*text == '-' || *text == '+'));
    }
    return text != NULL && *text == '\0';
}

bool nb_cell_read_number(const char *text, double *out)
{
    if (strcmp(text, "inf") == 0)
        *out = INFINITY;
    else if (strcmp(text, "-inf") == 0)
        *out = -INFINITY;
    else if (strcmp(text, "nan") == 0)
        *out = NAN;
    else if (cell_is_decimal(text)) {
        *out = nb_strtod(text, NULL);
        return isfinite(*out);
    } else
        return false;
    return true;
}

bool nb_cell_read_ratio(const char *text, struct nb_ratio *out)
{
    if (strcmp(text, "inf") == 0) {
        *out = nb_ratio_infinity;
        return true;
    }
    const char *rest = cell_digits(text + (*text == '-'));
    if (rest != NULL && *rest == '/')
        rest = cell_digits(rest + 1);
    return rest != NULL && *rest == '\0' &&
           nb_ratio_read(text, out, NULL) == NB_OK;
}

static bool cell_read_whole(const char *text, int64_t *out)
{
    const char *rest = cell_digits(text + (*text == '-'));
    errno = 0;
    *out = strtoll(text, NULL, 10);
    return rest != NULL && *rest == '\0' && errno == 0;
}

const char *nb_cell_read(const char *text, enum nb_cell_type type,
                         struct nb_point *point, size_t table)
{
    int64_t whole = 0;
    double number = 0;
    struct nb_ratio ratio = { 0 };
    switch (type) {
    case NB_CELL_WHOLE:
        if (!cell_read_whole(text, &whole))
            return "a whole number of 64 bits";
        nb_table_add_whole(point, table, whole);
        break;
    case NB_CELL_NUMBER:
        if (!nb_cell_read_number(text, &number))
            return "a decimal number, inf, -inf or nan";
        nb_table_add_number(point, table, number);
        break;
    case NB_CELL_RATIO:
        if (strcmp(text, "?") != 0 && !nb_cell_read_ratio(text, &ratio))
            return "p/q or p of 64 bits, inf or ?";
        nb_table_add_ratio(point, table, ratio);
        break;
    case NB_CELL_TEXT:
        nb_table_add_text(point, table, text);
        break;
    }
    return NULL;
}
