/* Reads prices from a file (declared in fit_question.h). */
#include "questions/fit/fit_question.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/try.h"

#include <math.h>
#include <string.h>

enum { PRICES_BYTES = 1 << 20 }; /* a larger file is refused */

static const char *const prices_items[NB_FIT_ITEMS] = {
    [NB_FIT_ROUTER] = "router",
    [NB_FIT_PORT] = "port",
    [NB_FIT_LINK_TERMINAL] = "link.terminal",
    [NB_FIT_LINK_LOCAL] = "link.local",
    [NB_FIT_LINK_GLOBAL] = "link.global",
};

static enum nb_status prices_number(const struct nb_lines *lines,
                                    const char *what, const char *text,
                                    double *out, struct nb_error *err)
{
    char *end;
    *out = nb_strtod(text, &end);
    if (end == text || *end != '\0' || !(*out >= 0 && *out <= 1e15))
        return nb_lines_fail(lines, NB_INVALID, err,
                             "%s \"%.60s\" is not permitted (permitted: a "
                             "number from 0 to 1e+15)",
                             what, text);
    return NB_OK;
}

static enum nb_status prices_item(const struct nb_lines *lines,
                                  const char *text, unsigned *seen, size_t *out,
                                  struct nb_error *err)
{
    size_t i = 0;
    while (i < NB_FIT_ITEMS && strcmp(prices_items[i], text) != 0)
        i++;
    if (i == NB_FIT_ITEMS)
        return nb_lines_fail(lines, NB_INVALID, err,
                             "item \"%.60s\" is not permitted (permitted: "
                             "router, port, link.terminal, link.local, "
                             "link.global)",
                             text);
    if ((*seen >> i & 1) != 0)
        return nb_lines_fail(lines, NB_INVALID, err,
                             "item %s already has a price", text);
    *seen |= 1u << i;
    *out = i;
    return NB_OK;
}

enum nb_status nb_fit_prices_read(const char *path, struct nb_fit_prices *out,
                                  struct nb_error *err)
{
    static const char columns[] = "item,money,watts";
    struct nb_lines lines = { 0 };
    unsigned seen = 0;
    char *line;
    enum nb_status status = NB_OK;
    *out = (struct nb_fit_prices){ 0 };
    NB_TRY(nb_lines_open(&lines, path, '#', PRICES_BYTES, err));
    NB_TRY(nb_lines_header(&lines, columns, err));
    while ((line = nb_lines_next(&lines)) != NULL) {
        const char *cell[3];
        size_t item = 0;
        NB_TRY(nb_lines_cut(&lines, line, columns, cell, err));
        NB_TRY(prices_item(&lines, cell[0], &seen, &item, err));
        NB_TRY(prices_number(&lines, "money", cell[1], &out->money[item], err));
        NB_TRY(prices_number(&lines, "watts", cell[2], &out->watts[item], err));
    }
done:
    nb_lines_close(&lines);
    return status;
}
