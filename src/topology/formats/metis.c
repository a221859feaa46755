/* Graph files of METIS: a line of neighbours for each vertex. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char metis_blanks[] = " \t\r\f\v";

/* A file being read; owns nothing. */
struct metis {
    struct nb_graph *graph;
    struct nb_lines lines;
    int64_t vertices, edges; /* as the header says */
    int64_t skipped;         /* numbers of a line before its neighbours */
    bool has_weights;        /* a weight follows each neighbour */
    const char **name;       /* [vertices] */
    int64_t listed;          /* neighbours so far */
};

/* The next line that is not a comment. An empty one is a vertex without
 * neighbours. */
static char *metis_next(struct metis *reader)
{
    char *line;
    do
        line = nb_lines_next(&reader->lines);
    while (line != NULL && *line == '%');
    return line;
}

/* fmt: three digits for vertex sizes, vertex weights and edge weights; leading
 * zeros may be missing. count: vertex weights per vertex; NULL: 1 */
static enum nb_status metis_read_form(struct metis *reader, const char *form,
                                      const char *count, struct nb_error *err)
{
    const size_t digits = strlen(form);
    int64_t weights = 1;
    if (digits > 3 || strspn(form, "01") != digits)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "fmt \"%.60s\" is not permitted (permitted: up to "
                             "three digits 0 or 1)",
                             form);
    if (count != NULL) {
        const enum nb_status status =
            nb_lines_whole(&reader->lines, "ncon", "a number of weights", count,
                           1, 1000, &weights, err);
        if (status != NB_OK)
            return status;
    }
    reader->has_weights = form[digits - 1] == '1';
    if (digits > 1 && form[digits - 2] == '1')
        reader->skipped += weights;
    if (digits > 2 && form[0] == '1')
        reader->skipped++;
    return NB_OK;
}

/* The header: vertices, edges, and the form of the lines. length: of the file
 * in bytes, which bounds both numbers */
static enum nb_status metis_read_header(struct metis *reader, size_t length,
                                        struct nb_error *err)
{
    char *line = metis_next(reader), *word[5];
    size_t count = 0;
    enum nb_status status;
    while (line != NULL && count < 5 &&
           (word[count] = nb_lines_word(&line, metis_blanks)) != NULL)
        count++;
    if (count < 2 || count > 4)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the header has %zu words (permitted: vertices "
                             "edges [fmt [ncon]])",
                             count);
    NB_TRY(nb_lines_whole(&reader->lines, "vertices", "a number of lines",
                          word[0], 2, (int64_t)length, &reader->vertices, err));
    NB_TRY(nb_lines_whole(&reader->lines, "edges", "a number of links", word[1],
                          1, (int64_t)length, &reader->edges, err));
    if (count > 2)
        NB_TRY(
            metis_read_form(reader, word[2], count > 3 ? word[3] : NULL, err));
done:
    return status;
}

/* Adds a channel to a neighbour; weight: NULL where the file has none. */
static enum nb_status metis_add(struct metis *reader, int64_t vertex,
                                const char *neighbour, const char *weight,
                                struct nb_error *err)
{
    struct nb_graph_edge edge = { .line = reader->lines.number };
    int64_t other;
    enum nb_status status;
    NB_TRY(nb_lines_whole(&reader->lines, "neighbour", "a vertex", neighbour, 1,
                          reader->vertices, &other, err));
    if (weight != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, edge.line, weight,
                                  &edge.bandwidth, err));
    edge.source = reader->name[vertex];
    edge.target = reader->name[other - 1];
    reader->listed++;
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
done:
    return status;
}

static enum nb_status metis_read_vertex(struct metis *reader, int64_t vertex,
                                        struct nb_error *err)
{
    char *line = metis_next(reader), *word;
    enum nb_status status = NB_OK;
    if (line == NULL)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the file ends after %" PRId64 " vertices "
                             "(permitted: %" PRId64 ", as the header says)",
                             vertex, reader->vertices);
    for (int64_t i = 0; i < reader->skipped; i++)
        if (nb_lines_word(&line, metis_blanks) == NULL)
            return nb_lines_fail(&reader->lines, NB_INVALID, err,
                                 "it has %" PRId64 " words (permitted: %" PRId64
                                 " weights of the vertex, then neighbours)",
                                 i, reader->skipped);
    while ((word = nb_lines_word(&line, metis_blanks)) != NULL) {
        const char *weight = NULL;
        if (reader->has_weights &&
            (weight = nb_lines_word(&line, metis_blanks)) == NULL)
            return nb_lines_fail(&reader->lines, NB_INVALID, err,
                                 "neighbour \"%.60s\" has no weight "
                                 "(permitted: one, by fmt)",
                                 word);
        NB_TRY(metis_add(reader, vertex, word, weight, err));
    }
done:
    return status;
}

/* Nothing may follow; the links must be as many as the header says, and listed
 * at both ends. */
static enum nb_status metis_finish(struct metis *reader, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const size_t listed = graph->edge_count;
    size_t mutual;
    enum nb_status status;
    for (char *line; (line = metis_next(reader)) != NULL;) {
        const char *word = nb_lines_word(&line, metis_blanks);
        if (word != NULL)
            return nb_lines_fail(&reader->lines, NB_INVALID, err,
                                 "\"%.60s\" follows the last vertex "
                                 "(permitted: %" PRId64 " vertices, as the "
                                 "header says)",
                                 word, reader->vertices);
    }
    if (reader->listed != 2 * reader->edges)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it lists %" PRId64 " neighbours (permitted: "
                       "%" PRId64 ", two per edge of the header)",
                       graph->path, reader->listed, 2 * reader->edges);
    NB_TRY(nb_graph_fold_mutual(graph, &mutual, err));
    if (mutual < listed)
        return nb_fail(err, NB_INVALID,
                       "%.200s: a link is listed from one end only, or with "
                       "two weights (permitted: the same at both vertices)",
                       graph->path);
    nb_graph_names_number(&graph->names);
done:
    return status;
}

static enum nb_status metis_read(char *text, size_t length,
                                 const struct nb_graph_options *options,
                                 struct nb_graph *graph, struct nb_error *err)
{
    struct metis reader = { .graph = graph };
    enum nb_status status;
    (void)options;
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '\0', text, length, err));
    NB_TRY(metis_read_header(&reader, length, err));
    NB_TRY(nb_graph_name_numbers(graph, 1, (size_t)reader.vertices,
                                 &reader.name, err));
    for (int64_t v = 0; v < reader.vertices; v++)
        NB_TRY(metis_read_vertex(&reader, v, err));
    NB_TRY(metis_finish(&reader, err));
done:
    return status;
}

/*
 * A header "vertices edges [fmt [ncon]]", then for each vertex a line with its
 * neighbours, which are counted from 1. An edge is a channel each way. Its
 * weight, if fmt says that there are any, is the bandwidth; sizes and weights
 * of vertices are skipped. Lines that begin with % are comments. The text may
 * look like an edge list, so only the ending tells it.
 *
 * Source: the manual of METIS 5.1.0, section 4.1.1.
 */
const struct nb_graph_format nb_graph_format_metis = {
    .name = "metis",
    .title = "METIS",
    .endings = ".graph",
    .is_undirected = true,
    .read = metis_read,
};
