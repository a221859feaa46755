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

enum nb_status nb_fail_in(enum nb_status status, struct nb_error *err,
                          const char *option)
{
    if (status != NB_OK && err != NULL && err->option[0] == '\0')
        nb_snprintf(err->option, sizeof err->option, "%s", option);
    return status;
}

enum nb_status nb_fail_again(struct nb_error *err, enum nb_status status,
                             const struct nb_error *inner)
{
    if (err != NULL && err->status == NB_OK) {
        *err = *inner;
        err->status = status;
    }
    return status;
}
