#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

/* A message quotes input, which may hold line ends and terminal controls. */
static void status_make_plain(char *message)
{
    for (char *c = message; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

enum nb_status nb_fail(struct nb_error *err, enum nb_status status,
                       const char *format, ...)
{
    if (err == NULL || err->status != NB_OK)
        return status;
    err->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    status_make_plain(err->message);
    return status;
}
