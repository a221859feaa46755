#include "plain_formula.h"

#include "plain_work.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double plain_fail(struct plain *plain, const char *complaint)
{
    if (plain->complaint == NULL)
        plain->complaint = complaint;
    return NAN;
}

char *plain_trim(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text + strspn(text, " \n");
}

/* The last (or the first) of some characters outside brackets that is neither
 * at the beginning nor the sign of a number or exponent. */
static char *plain_find(char *text, const char *characters, bool is_first)
{
    char *found = NULL;
    int depth = 0;
    for (char *at = text; *at != '\0'; at++) {
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
        if (depth > 0 || strchr(characters, *at) == NULL || at == text)
            continue;
        const char *before = at - 1;
        while (before > text && isspace((unsigned char)*before))
            before--;
        const bool is_sign = strchr("+-*/^(,", *before) != NULL;
        const bool is_exponent = strchr("+-", *at) != NULL && at[-1] == 'e' &&
                                 at - text > 1 &&
                                 isdigit((unsigned char)at[-2]);
        if (is_sign || is_exponent)
            continue;
        found = at;
        if (is_first)
            break;
    }
    return found;
}

/* least, largest, total and count. */
static double plain_gather(struct plain *plain, const char *function,
                           char *inside)
{
    const struct nb_table *table = plain_named(plain, inside);
    double found = NAN;
    char *where = strstr(inside, " where ");
    if (table == NULL)
        return plain_fail(plain, "no table");
    if (strcmp(function, "count") == 0)
        return (double)table->row_count;
    if (where != NULL)
        *where = '\0';
    for (size_t row = 0; row < table->row_count; row++) {
        struct plain inner = *plain;
        char copy[PLAIN_LONG];
        inner.table = table;
        inner.row = row;
        if (where != NULL) {
            char *equals;
            snprintf(copy, sizeof copy, "%s", where + 7);
            equals = strchr(copy, '=');
            *equals = '\0';
            if (plain_sum(&inner, copy) != plain_sum(&inner, equals + 1))
                continue;
        }
        snprintf(copy, sizeof copy, "%s", inside);
        const double here = plain_sum(&inner, copy);
        if (inner.complaint != NULL)
            return plain_fail(plain, inner.complaint);
        if (isnan(found))
            found = here;
        else if (strcmp(function, "total") == 0)
            found += here;
        else
            found = strcmp(function, "least") == 0 ? fmin(found, here)
                                                   : fmax(found, here);
    }
    return found;
}

static double plain_call(struct plain *plain, const char *function,
                         char *inside)
{
    static const char *const gathers[] = { "least", "largest", "total",
                                           "count" };
    for (size_t i = 0; i < 4; i++)
        if (strcmp(function, gathers[i]) == 0)
            return plain_gather(plain, function, inside);
    char *comma = plain_find(inside, ",", true);
    if (comma != NULL)
        *comma = '\0';
    const double a = plain_sum(plain, inside);
    if (comma != NULL && strcmp(function, "min") == 0)
        return fmin(a, plain_call(plain, function, comma + 1));
    if (comma != NULL && strcmp(function, "max") == 0)
        return fmax(a, plain_call(plain, function, comma + 1));
    if (strcmp(function, "sqrt") == 0)
        return sqrt(a);
    if (strcmp(function, "exp") == 0)
        return exp(a);
    if (strcmp(function, "ln") == 0)
        return log(a);
    if (strcmp(function, "floor") == 0)
        return floor(a);
    if (strcmp(function, "ceil") == 0)
        return fabs(a - rint(a)) <= 1e-15 * fabs(a) ? rint(a) : ceil(a);
    if (strcmp(function, "min") == 0 || strcmp(function, "max") == 0)
        return a;
    return plain_fail(plain, "an unknown function");
}

static double plain_factor(struct plain *plain, char *text)
{
    text = plain_trim(text);
    const size_t length = strlen(text);
    char *power = plain_find(text, "^", true), *open = strchr(text, '(');
    if (power != NULL) {
        *power = '\0';
        const double base = plain_factor(plain, text);
        return pow(base, plain_factor(plain, power + 1));
    }
    if (*text == '-')
        return -plain_factor(plain, text + 1);
    if (length > 0 && isdigit((unsigned char)*text)) {
        char *end;
        const double value = strtod(text, &end);
        return *end == '\0' ? value : plain_fail(plain, "a broken number");
    }
    if (length > 1 && open != NULL && text[length - 1] == ')' &&
        (strchr(text, '[') == NULL || strchr(text, '[') > open)) {
        text[length - 1] = *open = '\0';
        return open == text ? plain_sum(plain, text + 1)
                            : plain_call(plain, text, open + 1);
    }
    return length > 0 ? plain_name(plain, text)
                      : plain_fail(plain, "a number is missing");
}

static double plain_product(struct plain *plain, char *text)
{
    char *at = plain_find(text, "*/", false);
    if (at == NULL)
        return plain_factor(plain, text);
    const bool is_product = *at == '*';
    *at = '\0';
    const double a = plain_product(plain, text);
    const double b = plain_factor(plain, at + 1);
    return is_product ? a * b : a / b;
}

double plain_sum(struct plain *plain, char *text)
{
    text = plain_trim(text);
    char *at = plain_find(text, "+-", false);
    if (at == NULL)
        return plain_product(plain, text);
    const bool is_sum = *at == '+';
    *at = '\0';
    const double a = plain_sum(plain, text);
    const double b = plain_product(plain, at + 1);
    return is_sum ? a + b : a - b;
}

struct plain_formula plain_formula_read(const struct nb_subject *subject,
                                        struct nb_stretch text)
{
    struct plain plain = { .subject = subject };
    struct plain_formula found = { .holds = true };
    char copy[PLAIN_LONG], *rest = copy;
    if (text.at == NULL || text.length >= sizeof copy)
        return (struct plain_formula){ .complaint = "no text, or too long" };
    plain_copy(text, copy);
    for (char before = '\0'; rest != NULL;) {
        char *cut = plain_find(rest, "<=", true);
        const char sign = cut != NULL ? *cut : '\0';
        const bool is_at_most = sign == '<' && cut[1] == '=';
        if (cut != NULL)
            *cut = '\0';
        const double a = found.value;
        found.value = plain_sum(&plain, rest);
        const double slack = 1e-9 * fmax(fabs(a), fabs(found.value));
        if (before == '=')
            found.holds &= a == found.value || fabs(a - found.value) <= slack;
        else if (before != '\0')
            found.holds &=
                before == 'l' ? a <= found.value + slack : a < found.value;
        found.is_comparison |= before != '\0';
        before = is_at_most ? 'l' : sign;
        rest = cut != NULL ? cut + 1 + is_at_most : NULL;
    }
    found.complaint = plain.complaint;
    return found;
}
