#include "topology/formats.h"

#include "core/lines.h"
#include "core/locale.h"

#include <string.h>

/* Formats that are not read, so that a file is refused by their name instead of
 * being taken for an edge list. */
static const struct {
    const char *start, *name;
} foreign_formats[] = {
    { "*Vertices", "Pajek" },
    { "*Network", "Pajek" },
    { "Unicast lids", "forwarding tables, as for --routing file:FILE" },
    { ">>graph6<<", "graph6" },
    { ">>sparse6<<", "sparse6" },
    { "Ca\t :", "ibnetdiscover -l (without cables; leave out -l, -H or -S)" },
    { "Switch\t :", "ibnetdiscover -l (without cables; leave out -l or -S)" },
};

/* The name of a format that is not read; NULL: none is recognised. */
static const char *formats_find_foreign(const char *text)
{
    static const char blanks[] = " \t\r\n";
    for (text += strspn(text, blanks); *text == '%' || *text == '#';
         text += strspn(text, blanks))
        text += strcspn(text, "\n"); /* comments */
    for (size_t i = 0; i < sizeof foreign_formats / sizeof *foreign_formats;
         i++)
        if (nb_is_same_start(text, foreign_formats[i].start,
                             strlen(foreign_formats[i].start)))
            return foreign_formats[i].name;
    return NULL;
}

/* Refuses a format that is not read, listing those that are. */
static enum nb_status formats_refuse(const char *path, const char *name,
                                     struct nb_error *err)
{
    struct nb_text list = { 0 };
    for (size_t i = 0; nb_graph_formats[i] != NULL; i++)
        nb_text_print(&list, "%s%s", i > 0 ? ", " : "",
                      nb_graph_formats[i]->title);
    enum nb_status status = nb_text_check(&list, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: its format, %s, is not read (permitted: %s)",
                         path, name, list.bytes);
    nb_text_release(&list);
    return status;
}

static bool formats_has_ending(const char *path, const char *endings)
{
    const char *ending = strrchr(path, '.');
    while (ending != NULL && endings != NULL && *endings != '\0') {
        const size_t length = strcspn(endings, " ");
        if (strlen(ending) == length &&
            nb_is_same_start(ending, endings, length))
            return true;
        endings += length;
        endings += strspn(endings, " ");
    }
    return false;
}

/* The number of words in a line, up to most; whether all are whole numbers. */
static size_t formats_count_words(const char *line, bool *are_whole)
{
    static const char blanks[] = " \t\r";
    size_t count = 0;
    *are_whole = true;
    for (line += strspn(line, blanks); *line != '\0' && *line != '\n';
         line += strspn(line, blanks)) {
        const size_t length = strcspn(line, " \t\r\n");
        *are_whole = *are_whole && strspn(line, "0123456789") == length;
        line += length;
        count++;
    }
    return count;
}

/* The nth line that is not a comment, from 0. */
static const char *formats_line(const char *text, size_t n)
{
    for (;; text += strcspn(text, "\n")) {
        text += strspn(text, " \t\r\n");
        if (*text != '#' && *text != '%' && (*text == '\0' || n-- == 0))
            return text;
    }
}

/* Whether a line of numbers of nodes, switches and links, one of switches, and
 * links with five words follow each other. */
static bool formats_may_be_ns3(const char *text)
{
    bool are_whole[3];
    const size_t counts = formats_count_words(formats_line(text, 0), are_whole);
    formats_count_words(formats_line(text, 1), are_whole + 1);
    return counts == 3 &&
           formats_count_words(formats_line(text, 2), are_whole + 2) >= 5 &&
           are_whole[0] && are_whole[1] && !are_whole[2];
}

/* Whether lines are as many as the numbers in the first of them: a matrix. */
static bool formats_may_be_matrix(const char *text)
{
    static const char apart[] = " \t\r,";
    const char *line = formats_line(text, 0);
    size_t columns = 0, rows = 0;
    for (; *line != '\0' && *line != '\n'; line += strspn(line, apart)) {
        const size_t length = strspn(line, "0123456789.");
        line += length;
        columns++;
        if (length == 0 || strchr(" \t\r\n,", *line) == NULL)
            return false;
    }
    for (line = formats_line(text, 0); *line != '\0' && rows <= columns; rows++)
        line = formats_line(line + strcspn(line, "\n"), 0);
    return columns > 2 && rows == columns;
}

const char *nb_graph_format_hint(const char *text)
{
    const char *line = formats_line(text + nb_lines_mark(text), 0);
    const char *second = formats_line(line, 1);
    const size_t length = strcspn(line, "\n");
    if (formats_may_be_ns3(text))
        return "for ns-3, rates have units, such as 100Gbps";
    if (formats_may_be_matrix(line))
        return "a matrix is read as Matrix Market only";
    if (strcspn(line, ";|") < length)
        return "words are separated by blanks, tabs or commas";
    if (strcspn(line, "0123456789") >= length &&
        strcspn(second, "0123456789") < strcspn(second, "\n"))
        return "a first line may name the columns: source, target, bandwidth";
    return NULL;
}

/* The format that the ending of a name stands for; NULL: none. */
static const struct nb_graph_format *formats_by_ending(const char *path)
{
    for (size_t i = 0; nb_graph_formats[i] != NULL; i++)
        if (formats_has_ending(path, nb_graph_formats[i]->endings))
            return nb_graph_formats[i];
    return NULL;
}

void nb_graph_format_doubt(const struct nb_graph_format *format,
                           const char *path, const char *hint,
                           struct nb_error *err)
{
    if (err == NULL || formats_by_ending(path) == format)
        return;
    const size_t length = strlen(err->message);
    if (format == &nb_graph_format_anynet)
        nb_snprintf(err->message + length, sizeof err->message - length,
                    "; read as anynet, as its first words are those of "
                    "routers or nodes (format=edges reads an edge list)");
    else if (format == &nb_graph_format_edges)
        nb_snprintf(err->message + length, sizeof err->message - length,
                    "; read as an edge list, as nothing else fits%s%s%s",
                    hint != NULL ? " (" : "", hint != NULL ? hint : "",
                    hint != NULL ? ")" : "");
}

/* The format that a text begins like; NULL: none. */
static const struct nb_graph_format *formats_by_start(const char *text)
{
    for (size_t i = 0; nb_graph_formats[i] != NULL; i++)
        if (nb_graph_formats[i]->is != NULL && nb_graph_formats[i]->is(text))
            return nb_graph_formats[i];
    return NULL;
}

enum nb_status nb_graph_format_find(const char *wanted, const char *path,
                                    const struct nb_text *text,
                                    const struct nb_graph_format **out,
                                    struct nb_error *err)
{
    const char *start = text->bytes + nb_lines_mark(text->bytes);
    if (nb_lines_are_wide(start))
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is UTF-16 (permitted: text in UTF-8; save "
                       "it as UTF-8)",
                       path);
    for (size_t i = 0; nb_graph_formats[i] != NULL; i++)
        if (nb_is_same_word(wanted, nb_graph_formats[i]->name))
            return *out = nb_graph_formats[i], NB_OK;
    const struct nb_graph_format *ending = formats_by_ending(path);
    *out = ending != NULL && ending->ending_decides ? ending
                                                    : formats_by_start(start);
    if (*out == NULL)
        *out = ending;
    if (*out != NULL)
        return NB_OK;
    const char *foreign = formats_find_foreign(start);
    if (foreign != NULL)
        return formats_refuse(path, foreign, err);
    *out = &nb_graph_format_edges;
    return NB_OK;
}
