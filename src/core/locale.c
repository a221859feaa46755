#include "core/locale.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t locale_c; /* (locale_t)0: it cannot be made */

static void locale_make(void)
{
    locale_c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool nb_locale_is_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, locale_make);
    return locale_c != (locale_t)0;
}

locale_t nb_locale_enter(void)
{
    return nb_locale_is_ready() ? uselocale(locale_c) : (locale_t)0;
}

void nb_locale_leave(locale_t before)
{
    uselocale(before); /* (locale_t)0 changes nothing */
}

double nb_strtod(const char *text, char **end)
{
    if (nb_locale_is_ready())
        return strtod_l(text, end, locale_c);
    if (end != NULL)
        *end = (char *)text;
    return NAN;
}

int nb_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
{
    const locale_t before = nb_locale_enter();
    const int length = vsnprintf(text, size, format, arguments);
    nb_locale_leave(before);
    return nb_locale_is_ready() ? length : -1;
}

int nb_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = nb_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

bool nb_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool nb_is_letter(char c)
{
    return nb_to_lower(c) >= 'a' && nb_to_lower(c) <= 'z';
}

bool nb_is_letter_or_digit(char c)
{
    return nb_is_letter(c) || nb_is_digit(c);
}

bool nb_is_control(char c)
{
    return (unsigned char)c < ' ' || c == '\x7f';
}

char nb_to_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

char nb_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool nb_is_same_start(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (nb_to_lower(a[i]) != nb_to_lower(b[i]))
            return false;
        if (a[i] == '\0')
            break;
    }
    return true;
}

bool nb_is_same_word(const char *a, const char *b)
{
    return nb_is_same_start(a, b, SIZE_MAX);
}
