#include "core/text.h"

#include "core/locale.h"
#include "core/memory.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_reserve(struct nb_text *text, size_t more)
{
    const size_t needed = text->length + more + 1;
    if (text->has_failed)
        return false;
    if (needed <= text->capacity)
        return true;
    const size_t capacity =
        needed > 2 * text->capacity ? needed : 2 * text->capacity;
    if (!nb_locale_is_ready() ||
        nb_grow(&text->bytes, capacity, 1, "text", NULL) != NB_OK) {
        text->has_failed = true;
        return false;
    }
    text->capacity = capacity;
    return true;
}

void nb_text_add(struct nb_text *text, const char *bytes, size_t length)
{
    if (!text_reserve(text, length))
        return;
    if (length > 0)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void nb_text_print_list(struct nb_text *text, const char *format,
                        va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = nb_vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && text_reserve(text, (size_t)length))
        length = nb_vsnprintf(text->bytes + text->length, (size_t)length + 1,
                              format, again);
    text->has_failed |= length < 0; /* the C library is out of memory */
    if (!text->has_failed)
        text->length += (size_t)length;
    va_end(again);
}

void nb_text_print(struct nb_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    nb_text_print_list(text, format, arguments);
    va_end(arguments);
}

const char *nb_instead_of(const struct nb_instead *rows, int character)
{
    while (rows->instead != NULL && rows->character != character)
        rows++;
    return rows->instead;
}

enum nb_status nb_text_check(const struct nb_text *text, struct nb_error *err)
{
    if (text->has_failed)
        return nb_fail(err, NB_NO_MEMORY, "no memory for %zu bytes of text",
                       text->length);
    return NB_OK;
}

void nb_text_release(struct nb_text *text)
{
    nb_delete(text->bytes);
    *text = (struct nb_text){ 0 };
}

void nb_number_print_long(double value, char text[NB_NUMBER_TEXT])
{
    if (isnan(value))
        snprintf(text, NB_NUMBER_TEXT, "nan");
    else
        nb_snprintf(text, NB_NUMBER_TEXT, "%.17g", value);
}

/* 15 digits always survive, and suffice for most numbers; whole numbers need no
 * search. Subnormal numbers may need fewer than 15. */
void nb_number_print(double value, char text[NB_NUMBER_TEXT])
{
    enum { ALWAYS = 15, MOST = 17 };
    const double most_whole = 9007199254740992; /* 2^53 */
    if (fabs(value) < most_whole && value == (double)(int64_t)value &&
        !(value == 0 && signbit(value))) {
        snprintf(text, NB_NUMBER_TEXT, "%" PRId64, (int64_t)value);
        return;
    }
    if (!isfinite(value)) {
        nb_number_print_long(value, text);
        return;
    }
    for (int digits = fabs(value) < DBL_MIN ? 1 : ALWAYS; digits <= MOST;
         digits++) {
        nb_snprintf(text, NB_NUMBER_TEXT, "%.*g", digits, value);
        if (digits == MOST || nb_strtod(text, NULL) == value)
            return;
    }
}

enum nb_status nb_number_read(const char *text, const char *what, double least,
                              double most, double *out, struct nb_error *err)
{
    char *end;
    if (!nb_locale_is_ready())
        return nb_fail(err, NB_NO_MEMORY, "%s \"%.60s\" is not read: no memory",
                       what, text);
    /* strtod also takes hexadecimal, inf, nan and leading space. */
    const size_t plain = strspn(text, "0123456789.eE+-");
    const double value = nb_strtod(text, &end);
    const bool is_permitted = *text != '\0' && text[plain] == '\0' &&
                              *end == '\0' && isfinite(value) &&
                              value >= least && value <= most;
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "%s \"%.60s\" is not permitted (permitted: a number "
                       "from %g to %g)",
                       what, text, least, most);
    *out = value;
    return NB_OK;
}

enum nb_status nb_integer_read(const char *text, const char *what,
                               int64_t least, int64_t most, int64_t *out,
                               struct nb_error *err)
{
    char *end;
    errno = 0;
    const char *digits = text + (*text == '-');
    const size_t plain = strspn(digits, "0123456789");
    const long long value = strtoll(text, &end, 10);
    const bool is_permitted = plain > 0 && digits[plain] == '\0' &&
                              errno == 0 && value >= least && value <= most &&
                              (digits == text || value < 0);
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "%s \"%.60s\" is not permitted (permitted: a whole "
                       "number from %" PRId64 " to %" PRId64 ")",
                       what, text, least, most);
    *out = value;
    return NB_OK;
}
