/* Path tables as comma-separated values (declared in path_table.h). */
#include "routing/path_text.h"

#include "core/lines.h"
#include "core/memory.h"

#include <inttypes.h>
#include <string.h>

enum { CSV_BYTES = 1 << 30 };         /* the largest file that is read */
#define CSV_WEIGHT ((int64_t)1 << 53) /* the greatest weight */

static const char csv_columns[] = "source,destination,weight,path";

/* A reading under way. */
struct csv_reader {
    struct nb_lines lines;
    /* Its arrays are owned; its stamp is the line's number, from 1. */
    struct nb_path_reading path;
    struct nb_path_table *out;
};

static enum nb_status csv_read_router(const struct csv_reader *reader,
                                      const char *what, const char *text,
                                      uint32_t *router, struct nb_error *err)
{
    const struct nb_topology *topology = reader->path.topology;
    const int64_t most = (int64_t)topology->router_count - 1;
    int64_t value;
    if (nb_integer_read(text, what, 0, most, &value, NULL) != NB_OK ||
        topology->terminals[value] == 0)
        return nb_lines_fail(
            &reader->lines, NB_INVALID, err,
            "%s \"%.60s\" is not permitted (permitted: a router "
            "with terminals, of 0 to %" PRId64 ")",
            what, text, most);
    *router = (uint32_t)value;
    return NB_OK;
}

static enum nb_status csv_read_line(struct csv_reader *reader, char *line,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = reader->path.topology;
    struct nb_path_table *out = reader->out;
    const char *cell[4];
    char wrong[NB_PATH_WRONG];
    uint32_t source = 0, destination = 0, first = 0;
    int64_t weight = 0;
    size_t length = 0;
    enum nb_status status;
    reader->path.stamp = (uint32_t)reader->lines.number;
    NB_TRY(nb_lines_cut(&reader->lines, line, csv_columns, cell, err));
    NB_TRY(csv_read_router(reader, "source", cell[0], &source, err));
    NB_TRY(csv_read_router(reader, "destination", cell[1], &destination, err));
    NB_TRY(nb_lines_whole(&reader->lines, "weight", "a whole number", cell[2],
                          1, CSV_WEIGHT, &weight, err));
    if (nb_path_text_read(&reader->path, cell[3], &first, &length, wrong) !=
        NULL)
        NB_TRY(nb_lines_fail(
            &reader->lines, NB_INVALID, err,
            "path \"%.60s\" is not permitted: %s (permitted: "
            "routers joined by \"-\", with a channel to each from "
            "the one before, none twice)",
            cell[3], wrong));
    const uint32_t last =
        length > 0 ? topology->channels[reader->path.channel[length - 1]].target
                   : first;
    if (first != source || last != destination)
        NB_TRY(nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "path \"%.60s\" is not permitted (permitted: from "
                             "source %" PRIu32 " to destination %" PRIu32 ")",
                             cell[3], source, destination));
    NB_TRY(nb_path_table_add(out, source, destination, (uint64_t)weight,
                             reader->path.channel, length, err));
    out->path[out->path_count - 1].line = reader->path.stamp;
done:
    return status;
}

/* The first path that is there twice in a sorted table. */
static enum nb_status csv_check_twice(const struct csv_reader *reader,
                                      struct nb_error *err)
{
    const struct nb_path_table *table = reader->out;
    for (size_t p = 1; p < table->path_count; p++) {
        const struct nb_table_path *a = &table->path[p - 1];
        const struct nb_table_path *b = &table->path[p];
        if (a->source == b->source && a->destination == b->destination &&
            a->length == b->length &&
            (a->length == 0 ||
             memcmp(table->channel + a->first, table->channel + b->first,
                    a->length * sizeof *table->channel) == 0))
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\", line %" PRIu32 ": the path from router "
                           "%" PRIu32 " to %" PRIu32 " is that of line %" PRIu32
                           " (permitted: once)",
                           reader->lines.path, b->line, b->source,
                           b->destination, a->line);
    }
    return NB_OK;
}

/* Whether every pair has a path in a sorted table. */
static enum nb_status csv_check_pairs(const struct csv_reader *reader,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = reader->path.topology;
    const struct nb_path_table *table = reader->out;
    size_t p = 0;
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (topology->terminals[d] == 0)
            continue; /* nor are there paths to it */
        for (uint32_t s = 0; s < topology->router_count; s++) {
            const size_t first = p;
            while (p < table->path_count && table->path[p].source == s &&
                   table->path[p].destination == d)
                p++;
            if (p == first && s != d && topology->terminals[s] > 0)
                return nb_fail(err, NB_INVALID,
                               "\"%.200s\" has no path from router %" PRIu32
                               " to %" PRIu32 " (permitted: at least one for "
                               "every pair of different routers with "
                               "terminals)",
                               reader->lines.path, s, d);
        }
    }
    return NB_OK;
}

enum nb_status nb_path_table_read(const struct nb_topology *topology,
                                  const char *file, struct nb_path_table *out,
                                  struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct csv_reader reader = { .path = { .topology = topology }, .out = out };
    enum nb_status status;
    *out = (struct nb_path_table){ 0 };
    NB_TRY(nb_lines_open(&reader.lines, file, '#', CSV_BYTES, err));
    NB_TRY(
        nb_new(&reader.path.met, n, sizeof *reader.path.met, "routers", err));
    NB_TRY(nb_new(&reader.path.channel, n, sizeof *reader.path.channel,
                  "a path", err));
    NB_TRY(nb_lines_header(&reader.lines, csv_columns, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(csv_read_line(&reader, line, err));
    nb_path_table_sort(out);
    NB_TRY(csv_check_twice(&reader, err));
    NB_TRY(csv_check_pairs(&reader, err));
done:
    nb_delete(reader.path.met);
    nb_delete(reader.path.channel);
    nb_lines_close(&reader.lines);
    if (status != NB_OK)
        nb_path_table_release(out);
    return status;
}
