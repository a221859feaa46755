#include "support/locales.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

const char *const locale_names[] = { "de_DE.UTF-8", "tr_TR.UTF-8",
                                     "fa_IR.UTF-8", NULL };

bool locales_make(const char *folder)
{
    char command[1000];
    bool is_any_missing = false;
    setenv("LOCPATH", folder, 1);
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
