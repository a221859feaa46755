#include "support/locales.h"

#include "support/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOCALES = 3 };

const char *locale_names[LOCALES + 1];

bool locales_make(const char *folder)
{
    static const char *const known[LOCALES] = { "de_DE.UTF-8", "tr_TR.UTF-8",
                                                "fa_IR.UTF-8" };
    char command[1000];
    size_t count = 0;
    bool is_any_missing = false;
    setenv("LOCPATH", folder, 1);
    for (size_t i = 0; i < LOCALES; i++)
        if (nb_cases_have(i, LOCALES))
            locale_names[count++] = known[i];
    for (size_t i = 0; locale_names[i] != NULL; i++) {
        snprintf(command, sizeof command,
                 "localedef -i %.5s -f UTF-8 '%.400s/%s' >'%.400s/said' 2>&1",
                 locale_names[i], folder, locale_names[i], folder);
        is_any_missing = is_any_missing || system(command) != 0 ||
                         setlocale(LC_ALL, locale_names[i]) == NULL;
    }
    setlocale(LC_ALL, "C");
    if (is_any_missing)
        print_message("skipped: localedef cannot make the locales (Debian: "
                      "apt-get install locales)\n");
    return !is_any_missing;
}
