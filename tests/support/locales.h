/* Locales: languages with other numbers and letters than C's, made by localedef
 * for the test, since few systems have them. */
#ifndef NB_TESTS_SUPPORT_LOCALES_H
#define NB_TESTS_SUPPORT_LOCALES_H

#include <stdbool.h>

/* German: a decimal comma. Turkish: also I and i are not one letter. Persian:
 * other digits. NULL after the last. */
extern const char *locale_names[];

/* Makes one of the locales, or with CASES=most or all every one, in a folder,
 * where setlocale then finds them. Without localedef or its sources it prints
 * that the test is skipped and returns false. */
bool locales_make(const char *folder);

#endif
