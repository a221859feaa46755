/* Networks of chiplets in the JSON of RapidChiplet: a list of links, each with
 * two ends, "ep1" and "ep2". */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/memory.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CHIPLETS_DEPTH = 64, CHIPLETS_WORD = 32 };

/* A file being read. */
struct chiplets {
    struct nb_graph *graph;
    const char *at;
    size_t line;
};

/* One end of a link. */
struct chiplets_end {
    char type[CHIPLETS_WORD];
    char id[CHIPLETS_WORD];
};

/* A list of objects. */
static bool json_is(const char *text)
{
    text += strspn(text, " \t\r\n");
    if (*text != '[')
        return false;
    text++;
    text += strspn(text, " \t\r\n");
    return *text == '{';
}

static void chiplets_skip_blanks(struct chiplets *reader)
{
    for (; *reader->at != '\0' && strchr(" \t\r\n", *reader->at); reader->at++)
        reader->line += *reader->at == '\n';
}

static enum nb_status chiplets_refuse(const struct chiplets *reader,
                                      const char *permitted,
                                      struct nb_error *err)
{
    const size_t length = strcspn(reader->at, " \t\r\n");
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: \"%.*s\" is not permitted (permitted: %s)",
                   reader->graph->path, reader->line,
                   (int)(length < 40 ? length : 40), reader->at, permitted);
}

/* Whether a mark comes next; if so, skips it. */
static bool chiplets_take(struct chiplets *reader, char mark)
{
    chiplets_skip_blanks(reader);
    if (*reader->at != mark)
        return false;
    reader->at++;
    return true;
}

static enum nb_status chiplets_expect(struct chiplets *reader, char mark,
                                      struct nb_error *err)
{
    const char permitted[] = { mark, '\0' };
    return chiplets_take(reader, mark)
               ? NB_OK
               : chiplets_refuse(reader, permitted, err);
}

/* Reads a string, keeping only its beginning. */
static enum nb_status chiplets_read_string(struct chiplets *reader,
                                           char out[CHIPLETS_WORD],
                                           struct nb_error *err)
{
    size_t length = 0;
    if (!chiplets_take(reader, '"'))
        return chiplets_refuse(reader, "a string in quotes", err);
    for (; *reader->at != '"'; reader->at++) {
        if (*reader->at == '\0' || *reader->at == '\n')
            return chiplets_refuse(reader, "the end of a string", err);
        if (*reader->at == '\\' && reader->at[1] != '\0')
            reader->at++;
        if (length + 1 < CHIPLETS_WORD)
            out[length++] = *reader->at;
    }
    reader->at++;
    out[length] = '\0';
    return NB_OK;
}

/* Reads a number or word without quotes. */
static enum nb_status chiplets_read_word(struct chiplets *reader,
                                         char out[CHIPLETS_WORD],
                                         struct nb_error *err)
{
    chiplets_skip_blanks(reader);
    const size_t length =
        strspn(reader->at, "+-.0123456789abcdefghijklmnopqrst"
                           "uvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (length == 0 || length >= CHIPLETS_WORD)
        return chiplets_refuse(reader, "a value", err);
    memcpy(out, reader->at, length);
    out[length] = '\0';
    reader->at += length;
    return NB_OK;
}

/* Skips a value of any kind. */
static enum nb_status chiplets_skip(struct chiplets *reader, int depth,
                                    struct nb_error *err)
{
    char word[CHIPLETS_WORD];
    enum nb_status status = NB_OK;
    chiplets_skip_blanks(reader);
    const char open = *reader->at;
    const char close = open == '[' ? ']' : '}';
    if (open == '"')
        return chiplets_read_string(reader, word, err);
    if (open != '[' && open != '{')
        return chiplets_read_word(reader, word, err);
    if (depth == CHIPLETS_DEPTH)
        return chiplets_refuse(reader, "less nesting", err);
    reader->at++;
    if (chiplets_take(reader, close))
        return NB_OK;
    do {
        if (open == '{') {
            NB_TRY(chiplets_read_string(reader, word, err));
            NB_TRY(chiplets_expect(reader, ':', err));
        }
        NB_TRY(chiplets_skip(reader, depth + 1, err));
    } while (chiplets_take(reader, ','));
    NB_TRY(chiplets_expect(reader, close, err));
done:
    return status;
}

/* {"type": "chiplet", "outer_id": 0, "inner_id": 2} */
static enum nb_status chiplets_read_end(struct chiplets *reader,
                                        struct chiplets_end *out,
                                        struct nb_error *err)
{
    static const char permitted[] =
        "an end with \"type\", chiplet or irouter, and \"outer_id\", a whole "
        "number";
    char key[CHIPLETS_WORD];
    enum nb_status status;
    NB_TRY(chiplets_expect(reader, '{', err));
    do {
        NB_TRY(chiplets_read_string(reader, key, err));
        NB_TRY(chiplets_expect(reader, ':', err));
        if (strcmp(key, "type") == 0)
            NB_TRY(chiplets_read_string(reader, out->type, err));
        else if (strcmp(key, "outer_id") == 0)
            NB_TRY(chiplets_read_word(reader, out->id, err));
        else
            NB_TRY(chiplets_skip(reader, 0, err));
    } while (chiplets_take(reader, ','));
    int64_t id;
    if ((strcmp(out->type, "chiplet") != 0 &&
         strcmp(out->type, "irouter") != 0) ||
        nb_integer_read(out->id, "outer_id", 0, NB_NONE - 1, &id, NULL) !=
            NB_OK)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.200s:%zu: type \"%s\" and outer_id \"%s\" are not "
                       "permitted (permitted: %s)",
                       reader->graph->path, reader->line, out->type, out->id,
                       permitted));
    NB_TRY(chiplets_expect(reader, '}', err));
done:
    return status;
}

/* The name of an end: a chiplet's number, or "irouter-0" for a router in the
 * interposer, which has no terminals. */
static enum nb_status chiplets_add_end(struct chiplets *reader,
                                       const struct chiplets_end *end,
                                       const char **name, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const bool is_chiplet = strcmp(end->type, "chiplet") == 0;
    const size_t room = 2 * CHIPLETS_WORD;
    char *kept = nb_pool_array(&graph->texts, room, 1);
    enum nb_status status;
    NB_TRY(nb_pool_check(&graph->texts, "names", err));
    const char *id = end->id + strspn(end->id, "0");
    snprintf(kept, room, "%s%s", is_chiplet ? "" : "irouter-",
             *id != '\0' ? id : "0");
    NB_TRY(nb_graph_router_add(graph, reader->line, kept,
                               is_chiplet ? NB_NONE : 0, err));
    *name = kept;
done:
    return status;
}

static enum nb_status chiplets_read_link(struct chiplets *reader,
                                         struct nb_error *err)
{
    struct chiplets_end end[2] = { { "", "" }, { "", "" } };
    char key[CHIPLETS_WORD];
    enum nb_status status;
    NB_TRY(chiplets_expect(reader, '{', err));
    struct nb_graph_edge edge = { .line = reader->line };
    do {
        NB_TRY(chiplets_read_string(reader, key, err));
        NB_TRY(chiplets_expect(reader, ':', err));
        if (strcmp(key, "ep1") == 0 || strcmp(key, "ep2") == 0)
            NB_TRY(chiplets_read_end(reader, &end[key[2] - '1'], err));
        else
            NB_TRY(chiplets_skip(reader, 0, err));
    } while (chiplets_take(reader, ','));
    if (end[0].type[0] == '\0' || end[1].type[0] == '\0')
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: a link lacks an end (permitted: \"ep1\" "
                       "and \"ep2\")",
                       reader->graph->path, edge.line);
    NB_TRY(chiplets_add_end(reader, &end[0], &edge.source, err));
    NB_TRY(chiplets_add_end(reader, &end[1], &edge.target, err));
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
    NB_TRY(chiplets_expect(reader, '}', err));
done:
    return status;
}

static enum nb_status json_read(char *text, size_t length,
                                const struct nb_graph_options *options,
                                struct nb_graph *graph, struct nb_error *err)
{
    struct chiplets reader = { .graph = graph,
                               .at = text + nb_lines_mark(text),
                               .line = 1 };
    enum nb_status status;
    (void)options;
    if (strlen(text) != length)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has a byte 0 (permitted: text)",
                       graph->path);
    NB_TRY(chiplets_expect(&reader, '[', err));
    do
        NB_TRY(chiplets_read_link(&reader, err));
    while (chiplets_take(&reader, ','));
    NB_TRY(chiplets_expect(&reader, ']', err));
    chiplets_skip_blanks(&reader);
    if (*reader.at != '\0')
        NB_TRY(chiplets_refuse(&reader, "the end of the file", err));
    nb_graph_names_number(&graph->names);
done:
    return status;
}

/*
 * A network of RapidChiplet: a list of links with ends "ep1" and "ep2", each
 * with a type, chiplet or irouter (without terminals), and an outer_id. The
 * rest is skipped.
 *
 * Source: inputs/topologies of github.com/spcl/rapidchiplet.
 */
const struct nb_graph_format nb_graph_format_json = {
    .name = "json",
    .title = "RapidChiplet's JSON",
    .is = json_is,
    .read = json_read,
};
