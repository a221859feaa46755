/* Matrices in the Matrix Market format, as adjacency matrices. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"

#include <inttypes.h>
#include <string.h>

static const char mtx_blanks[] = " \t\r\f\v";
static const char mtx_head[] = "%%MatrixMarket";

/* A file being read; owns nothing. */
struct mtx {
    struct nb_graph *graph;
    struct nb_lines lines;
    bool has_values;
    bool is_symmetric;         /* an entry stands for both */
    bool has_lower, has_upper; /* entries below and above the diagonal */
    int64_t rows, entries;
    const char **name; /* [rows] */
    size_t zeros;      /* entries of 0 */
};

static bool mtx_is(const char *text)
{
    return nb_is_same_start(text, mtx_head, strlen(mtx_head));
}

/* The next line that is not a comment; NULL at the end. */
static char *mtx_next(struct mtx *reader)
{
    char *line;
    do
        line = nb_lines_next(&reader->lines);
    while (line != NULL &&
           (*line == '%' || line[strspn(line, mtx_blanks)] == '\0'));
    return line;
}

/* %%MatrixMarket matrix coordinate real general */
static enum nb_status mtx_read_head(struct mtx *reader, struct nb_error *err)
{
    char *line = nb_lines_next(&reader->lines), *word[5] = { 0 };
    for (size_t i = 0; i < 5 && line != NULL; i++)
        word[i] = nb_lines_word(&line, mtx_blanks);
    const bool has_all = word[4] != NULL && mtx_is(word[0]) &&
                         nb_is_same_word(word[1], "matrix") &&
                         nb_is_same_word(word[2], "coordinate");
    reader->has_values = has_all && (nb_is_same_word(word[3], "real") ||
                                     nb_is_same_word(word[3], "integer"));
    reader->is_symmetric = has_all && nb_is_same_word(word[4], "symmetric");
    if (has_all &&
        (reader->has_values || nb_is_same_word(word[3], "pattern")) &&
        (reader->is_symmetric || nb_is_same_word(word[4], "general")))
        return NB_OK;
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "this kind of matrix is not read (permitted: "
                         "%s matrix coordinate, then pattern, real or integer, "
                         "then general or symmetric)",
                         mtx_head);
}

/* rows columns entries; length: of the file in bytes, which bounds them */
static enum nb_status mtx_read_size(struct mtx *reader, size_t length,
                                    struct nb_error *err)
{
    char *line = mtx_next(reader), *word[4] = { 0 };
    int64_t columns;
    enum nb_status status;
    for (size_t i = 0; i < 4 && line != NULL; i++)
        word[i] = nb_lines_word(&line, mtx_blanks);
    if (word[2] == NULL || word[3] != NULL)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the size is missing (permitted: rows columns "
                             "entries)");
    NB_TRY(nb_lines_whole(&reader->lines, "rows", "no more than bytes", word[0],
                          2, (int64_t)length, &reader->rows, err));
    NB_TRY(nb_lines_whole(&reader->lines, "columns", "as many as rows", word[1],
                          reader->rows, reader->rows, &columns, err));
    NB_TRY(nb_lines_whole(&reader->lines, "entries", "no more than bytes",
                          word[2], 0, (int64_t)length, &reader->entries, err));
done:
    return status;
}

/* row column [value] */
static enum nb_status mtx_read_entry(struct mtx *reader, char *line,
                                     struct nb_error *err)
{
    struct nb_graph_edge edge = { .line = reader->lines.number,
                                  .is_directed = !reader->is_symmetric };
    char *word[4] = { 0 };
    const size_t wanted = reader->has_values ? 3 : 2;
    struct nb_ratio value;
    int64_t row, column;
    enum nb_status status;
    for (size_t i = 0; i < 4; i++)
        word[i] = nb_lines_word(&line, mtx_blanks);
    if (word[wanted - 1] == NULL || word[wanted] != NULL)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "an entry starting \"%.60s\" has another number "
                             "of words (permitted: row column%s)",
                             word[0] != NULL ? word[0] : "",
                             reader->has_values ? " value" : "");
    NB_TRY(nb_lines_whole(&reader->lines, "row", "a row", word[0], 1,
                          reader->rows, &row, err));
    NB_TRY(nb_lines_whole(&reader->lines, "column", "a column", word[1], 1,
                          reader->rows, &column, err));
    reader->has_lower = reader->has_lower || row > column;
    reader->has_upper = reader->has_upper || row < column;
    if (reader->is_symmetric && reader->has_lower && reader->has_upper)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "entry \"%" PRId64 " %" PRId64
                             "\" is on the other "
                             "side of the diagonal (permitted in a symmetric "
                             "matrix: one side, for both)",
                             row, column);
    if (reader->has_values && nb_ratio_read(word[2], &value, NULL) == NB_OK &&
        value.numerator == 0) {
        reader->zeros++;
        goto done;
    }
    if (reader->has_values)
        NB_TRY(nb_graph_bandwidth(reader->graph, edge.line, word[2],
                                  &edge.bandwidth, err));
    edge.source = reader->name[row - 1];
    edge.target = reader->name[column - 1];
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
done:
    return status;
}

static enum nb_status mtx_read_entries(struct mtx *reader, struct nb_error *err)
{
    int64_t count = 0;
    enum nb_status status = NB_OK;
    for (char *line; (line = mtx_next(reader)) != NULL; count++)
        NB_TRY(mtx_read_entry(reader, line, err));
    if (count != reader->entries)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has %" PRId64 " entries (permitted: "
                       "%" PRId64 ", as its size says)",
                       reader->graph->path, count, reader->entries);
    if (reader->zeros > 0)
        nb_graph_note(reader->graph, "zeros",
                      "entries of value 0, which are no links: %zu",
                      reader->zeros);
done:
    return status;
}

static enum nb_status mtx_read(char *text, size_t length,
                               const struct nb_graph_options *options,
                               struct nb_graph *graph, struct nb_error *err)
{
    struct mtx reader = { .graph = graph };
    enum nb_status status;
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '\0', text, length, err));
    NB_TRY(mtx_read_head(&reader, err));
    NB_TRY(mtx_read_size(&reader, length, err));
    NB_TRY(nb_graph_name_numbers(graph, 1, (size_t)reader.rows, &reader.name,
                                 err));
    NB_TRY(mtx_read_entries(&reader, err));
    graph->directed_by = "general";
    NB_TRY(nb_graph_finish_nodes(
        graph, reader.is_symmetric ? NB_DIRECTIONS_NONE : options->directions,
        err));
done:
    return status;
}

/*
 * A square matrix in coordinates, as the SuiteSparse collection has them: an
 * entry is a link, its value, if any, the bandwidth. An entry of a symmetric
 * matrix goes both ways; of a general one, it does so unless there is one the
 * other way. Rows are counted from 1.
 *
 * Source: https://math.nist.gov/MatrixMarket/formats.html
 */
const struct nb_graph_format nb_graph_format_mtx = {
    .name = "mtx",
    .title = "Matrix Market",
    .endings = ".mtx",
    .is = mtx_is,
    .read = mtx_read,
};
