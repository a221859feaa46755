#include "report/look.h"

#include <string.h>

const struct nb_look nb_look_plain = { .has_columns = true };

const char *nb_ink_begin(const struct nb_look *look, enum nb_ink ink)
{
    static const char *const sequences[] = {
        [NB_INK_PLAIN] = "",         [NB_INK_NAME] = "\033[1m",
        [NB_INK_EXACT] = "\033[36m", [NB_INK_DIM] = "\033[2m",
        [NB_INK_ALERT] = "\033[31m",
    };
    return look->has_colours ? sequences[ink] : "";
}

const char *nb_ink_end(const struct nb_look *look, enum nb_ink ink)
{
    return look->has_colours && ink != NB_INK_PLAIN ? "\033[0m" : "";
}

void nb_ink_add(const struct nb_look *look, enum nb_ink ink, const char *bytes,
                size_t length, struct nb_text *text)
{
    const enum nb_ink used = length > 0 ? ink : NB_INK_PLAIN;
    const char *begin = nb_ink_begin(look, used), *end = nb_ink_end(look, used);
    nb_text_add(text, begin, strlen(begin));
    nb_text_add(text, bytes, length);
    nb_text_add(text, end, strlen(end));
}

const char *nb_look_indent(const struct nb_look *look)
{
    return look->has_columns ? "  " : "";
}
