/* Path tables as comma-separated values (declared in path_table.h). */
#include "routing/path_text.h"

#include "core/memory.h"
#include "core/store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    CSV_BYTES = 1 << 30, /* the largest file that is read */
    CSV_CELLS = 4,
};
#define CSV_WEIGHT ((int64_t)1 << 53) /* the greatest weight */

static const char *const csv_header[CSV_CELLS] = { "source", "destination",
                                                   "weight", "path" };

/* A reading under way. */
struct csv_reader {
    const char *file;
    char *next; /* what is left of the text */
    /* Its arrays are owned; its stamp is the line's number, from 1. */
    struct nb_path_reading path;
    struct nb_path_table *out;
};

/* NB_INVALID with file and line before the message. */
__attribute__((format(printf, 3, 4))) static enum nb_status
csv_fail(const struct csv_reader *reader, struct nb_error *err,
         const char *format, ...)
{
    char message[400];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return nb_fail(err, NB_INVALID, "\"%.200s\", line %" PRIu32 ": %s",
                   reader->file, reader->path.stamp, message);
}

/* The next line that is neither empty nor a comment, without surrounding
 * blanks; NULL at the end. */
static char *csv_next_line(struct csv_reader *reader)
{
    while (*reader->next != '\0') {
        char *line = reader->next;
        char *end = line + strcspn(line, "\n");
        reader->next = *end != '\0' ? end + 1 : end;
        reader->path.stamp++;
        line += strspn(line, " \t\r");
        while (end > line && strchr(" \t\r", end[-1]) != NULL)
            end--;
        *end = '\0';
        if (*line != '\0' && *line != '#')
            return line;
    }
    return NULL;
}

/* Cuts a line into its cells, without surrounding blanks. */
static enum nb_status csv_split(const struct csv_reader *reader, char *line,
                                char *cell[CSV_CELLS], struct nb_error *err)
{
    size_t found = 1;
    for (const char *c = line; (c = strchr(c, ',')) != NULL; c++)
        found++;
    if (found != CSV_CELLS)
        return csv_fail(reader, err,
                        "%zu values are not permitted (permitted: %d, "
                        "source,destination,weight,path)",
                        found, CSV_CELLS);
    for (size_t i = 0; i < CSV_CELLS; i++) {
        char *end = line + strcspn(line, ",");
        char *next = end + 1;
        cell[i] = line + strspn(line, " \t");
        while (end > cell[i] && strchr(" \t", end[-1]) != NULL)
            end--;
        *end = '\0';
        line = next;
    }
    return NB_OK;
}

static enum nb_status csv_read_header(struct csv_reader *reader,
                                      struct nb_error *err)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (strncmp(reader->next, byte_order_mark, 3) == 0)
        reader->next += 3; /* spreadsheets write it */
    char *line = csv_next_line(reader), *cell[CSV_CELLS] = { NULL };
    if (line == NULL)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" is empty (permitted: the header "
                       "source,destination,weight,path and paths)",
                       reader->file);
    const enum nb_status status = csv_split(reader, line, cell, err);
    for (size_t i = 0; i < CSV_CELLS && status == NB_OK; i++)
        if (strcmp(cell[i], csv_header[i]) != 0)
            return csv_fail(reader, err,
                            "\"%.60s\" in the header is not permitted "
                            "(permitted: source,destination,weight,path)",
                            cell[i]);
    return status;
}

static enum nb_status csv_read_router(const struct csv_reader *reader,
                                      const char *what, const char *text,
                                      uint32_t *router, struct nb_error *err)
{
    const struct nb_topology *topology = reader->path.topology;
    const int64_t most = (int64_t)topology->router_count - 1;
    int64_t value;
    if (nb_integer_read(text, what, 0, most, &value, NULL) != NB_OK ||
        topology->terminals[value] == 0)
        return csv_fail(reader, err,
                        "%s \"%.60s\" is not permitted (permitted: a router "
                        "with terminals, of 0 to %" PRId64 ")",
                        what, text, most);
    *router = (uint32_t)value;
    return NB_OK;
}

static enum nb_status csv_read_weight(const struct csv_reader *reader,
                                      const char *text, int64_t *weight,
                                      struct nb_error *err)
{
    if (nb_integer_read(text, "weight", 1, CSV_WEIGHT, weight, NULL) != NB_OK)
        return csv_fail(reader, err,
                        "weight \"%.60s\" is not permitted (permitted: a whole "
                        "number from 1 to %" PRId64 ")",
                        text, CSV_WEIGHT);
    return NB_OK;
}

static enum nb_status csv_read_line(struct csv_reader *reader, char *line,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = reader->path.topology;
    struct nb_path_table *out = reader->out;
    char *cell[CSV_CELLS] = { NULL }, wrong[NB_PATH_WRONG];
    uint32_t source = 0, destination = 0, first = 0;
    int64_t weight = 0;
    size_t length = 0;
    enum nb_status status;
    NB_TRY(csv_split(reader, line, cell, err));
    NB_TRY(csv_read_router(reader, csv_header[0], cell[0], &source, err));
    NB_TRY(csv_read_router(reader, csv_header[1], cell[1], &destination, err));
    NB_TRY(csv_read_weight(reader, cell[2], &weight, err));
    if (nb_path_text_read(&reader->path, cell[3], &first, &length, wrong) !=
        NULL)
        NB_TRY(csv_fail(reader, err,
                        "path \"%.60s\" is not permitted: %s (permitted: "
                        "routers joined by \"-\", with a channel to each from "
                        "the one before, none twice)",
                        cell[3], wrong));
    const uint32_t last =
        length > 0 ? topology->channels[reader->path.channel[length - 1]].target
                   : first;
    if (first != source || last != destination)
        NB_TRY(csv_fail(reader, err,
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
                           reader->file, b->line, b->source, b->destination,
                           a->line);
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
                               reader->file, s, d);
        }
    }
    return NB_OK;
}

enum nb_status nb_path_table_read(const struct nb_topology *topology,
                                  const char *file, struct nb_path_table *out,
                                  struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct csv_reader reader = { .file = file,
                                 .path = { .topology = topology },
                                 .out = out };
    struct nb_text text = { 0 };
    enum nb_status status;
    *out = (struct nb_path_table){ 0 };
    NB_TRY(nb_store_read(file, CSV_BYTES, &text, err));
    const size_t length = strlen(text.bytes);
    if (length != text.length)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "\"%.200s\": byte %zu is 0 (permitted: text)", file,
                       length));
    NB_TRY(
        nb_new(&reader.path.met, n, sizeof *reader.path.met, "routers", err));
    NB_TRY(nb_new(&reader.path.channel, n, sizeof *reader.path.channel,
                  "a path", err));
    reader.next = text.bytes;
    NB_TRY(csv_read_header(&reader, err));
    for (char *line; (line = csv_next_line(&reader)) != NULL;)
        NB_TRY(csv_read_line(&reader, line, err));
    nb_path_table_sort(out);
    NB_TRY(csv_check_twice(&reader, err));
    NB_TRY(csv_check_pairs(&reader, err));
done:
    nb_delete(reader.path.met);
    nb_delete(reader.path.channel);
    nb_text_release(&text);
    if (status != NB_OK)
        nb_path_table_release(out);
    return status;
}
