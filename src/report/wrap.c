#include "report/wrap.h"

#include <string.h>

size_t nb_text_width(const char *text, size_t length)
{
    size_t width = 0;
    bool is_ink = false;
    for (size_t i = 0; i < length; i++) {
        is_ink = is_ink || text[i] == '\033';
        width += !is_ink && ((unsigned char)text[i] & 0xC0) != 0x80;
        is_ink = is_ink && text[i] != 'm';
    }
    return width;
}

/* The part of an overlong word up to the last comma that fits, or else to the
 * last colon, if any. */
static size_t wrap_cut(const char *word, size_t length, size_t width)
{
    for (const char *mark = ",:"; *mark != '\0'; mark++)
        for (size_t cut = length; cut > 0; cut--)
            if (word[cut - 1] == *mark && nb_text_width(word, cut) <= width)
                return cut;
    return length;
}

size_t nb_wrap_line(const char *text, size_t width, enum nb_breaks breaks)
{
    const char *ends = breaks == NB_BREAKS_HEADING ? " _/" : " ";
    size_t length = 0, i = 0, taken = 0; /* the width up to i */
    while (text[i] != '\0') {
        const size_t word = strcspn(text + i, ends);
        const size_t step = word + (text[i + word] != '\0');
        taken += nb_text_width(text + i, step);
        i += step;
        size_t end = i;
        while (end > 0 && text[end - 1] == ' ')
            end--;
        const bool is_wide = taken - (i - end) > width;
        if (length > 0 && is_wide)
            break;
        length = end;
        if (is_wide)
            return wrap_cut(text, length, width);
    }
    return length;
}

const char *nb_wrap_rest(const char *text, size_t width, enum nb_breaks breaks)
{
    text += nb_wrap_line(text, width, breaks);
    return text + strspn(text, " ");
}

struct nb_wrapped nb_wrap_measure(const char *text, size_t width,
                                  enum nb_breaks breaks)
{
    struct nb_wrapped found = { 0 };
    for (; *text != '\0'; text = nb_wrap_rest(text, width, breaks)) {
        const size_t line =
            nb_text_width(text, nb_wrap_line(text, width, breaks));
        found.widest = line > found.widest ? line : found.widest;
        found.lines++;
    }
    return found;
}

void nb_text_wrap(const char *words, size_t width, size_t indent,
                  size_t hanging, struct nb_text *text)
{
    size_t margin = indent;
    do {
        const size_t room = width == 0       ? SIZE_MAX
                            : width > margin ? width - margin
                                             : 1;
        nb_text_print(text, "%*s%.*s\n", (int)margin, "",
                      (int)nb_wrap_line(words, room, NB_BREAKS_WORDS), words);
        words = nb_wrap_rest(words, room, NB_BREAKS_WORDS);
        margin = hanging;
    } while (*words != '\0');
}

void nb_text_fit(struct nb_text *text, size_t from, const struct nb_look *look)
{
    struct nb_text fitted = { 0 };
    if (!look->has_columns || look->width == 0 || text->has_failed)
        return;
    nb_text_add(&fitted, "", 0);
    for (char *line = text->bytes + from; *line != '\0';) {
        const size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
        const bool is_last = line[length] == '\0';
        line[length] = '\0';
        if (nb_text_width(line, length) > look->width)
            nb_text_wrap(line + indent, look->width, indent, indent + 2,
                         &fitted);
        else
            nb_text_print(&fitted, "%s\n", line);
        line += length + !is_last;
    }
    text->length = from;
    nb_text_add(text, fitted.bytes, fitted.length);
    text->has_failed |= fitted.has_failed;
    nb_text_release(&fitted);
}
