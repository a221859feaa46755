/* Locale: numbers and letters as in the C locale, whatever locale the program
 * or a thread has set, and whenever it sets it. Everywhere else in src,
 * tools/check_locale.sh refuses the functions of C that depend on it.
 *
 * If the C library cannot make a C locale, no text can be made (nb_text_check
 * fails) and no fraction is read. */
#ifndef NB_CORE_LOCALE_H
#define NB_CORE_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether there is a C locale; it does not change. */
bool nb_locale_is_ready(void);
/* Gives the calling thread the C locale, for a library that depends on it.
 * Returns what nb_locale_leave takes. */
locale_t nb_locale_enter(void);
void nb_locale_leave(locale_t before);

/* strtod; without a C locale it reads nothing and returns NAN. */
double nb_strtod(const char *text, char **end);
/* vsnprintf and snprintf; without a C locale they return -1, and numbers in the
 * text may have another decimal point. */
int nb_vsnprintf(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
int nb_snprintf(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Only ASCII characters are digits, letters or controls, and change case. */
bool nb_is_digit(char c);
bool nb_is_letter(char c);
bool nb_is_letter_or_digit(char c);
bool nb_is_control(char c);
char nb_to_upper(char c);
char nb_to_lower(char c);
/* Whether two words are the same in any case; strcasecmp differs by locale. */
bool nb_is_same_word(const char *a, const char *b);
/* The same for their first characters, up to length. */
bool nb_is_same_start(const char *a, const char *b, size_t length);

#endif
