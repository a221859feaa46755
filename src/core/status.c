#include "core/status.h"

#include "core/locale.h"
#include "core/utf8.h"

#include <stdarg.h>

enum nb_status nb_fail(struct nb_error *err, enum nb_status status,
                       const char *format, ...)
{
    if (err == NULL || err->status != NB_OK)
        return status;
    err->status = status;
    va_list arguments;
    va_start(arguments, format);
    nb_vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    /* The message quotes input, which may hold line ends and terminal
     * controls. */
    nb_utf8_make_plain(err->message);
    return status;
}
