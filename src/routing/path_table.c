#include "routing/path_table.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The buffer for a path, and data that detects a router met twice. The arrays
 * are owned elsewhere. */
struct path_reading {
    const struct nb_topology *topology;
    uint32_t *channel; /* [router_count] out */
    uint32_t *met;     /* [router] the last path that met it; NULL: search the
                        * path itself */
    uint32_t stamp;    /* number of this path; no other in met has it */
};

/* Prints a sign and a number. */
static void text_print_number(struct nb_text *text, char sign, uint32_t number)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (sign != '\0')
        digits[--at] = sign;
    nb_text_add(text, digits + at, sizeof digits - at);
}

void nb_path_print(const struct nb_topology *topology, uint32_t source,
                   const uint32_t *channel, size_t length, struct nb_text *text)
{
    text_print_number(text, '\0', source);
    for (size_t i = 0; i < length; i++) {
        const uint32_t rank = nb_channel_rank(topology, channel[i]);
        text_print_number(text, '-', topology->channels[channel[i]].target);
        if (rank > 0)
            text_print_number(text, '/', rank);
    }
}

/* Reads digits and moves past them; a value above 32 bits becomes NB_NONE.
 * False if there are none. */
static bool text_cut_number(const char **text, uint32_t *number)
{
    const char *start = *text;
    uint64_t value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        if (value < NB_NONE)
            value = value * 10 + (uint64_t)(**text - '0');
    *number = value < NB_NONE ? (uint32_t)value : NB_NONE;
    return *text != start;
}

/* Whether a path of `length` hops, now at router `at`, met a router before;
 * marks the router as met. */
static bool text_meets(const struct path_reading *reading, uint32_t at,
                       size_t length, uint32_t router)
{
    bool is_met = router == at;
    if (reading->met != NULL) {
        is_met = reading->met[router] == reading->stamp;
        reading->met[router] = reading->stamp;
        return is_met;
    }
    for (size_t i = 0; i < length && !is_met; i++)
        is_met =
            reading->topology->channels[reading->channel[i]].source == router;
    return is_met;
}

/* Writes the error into wrong. */
__attribute__((format(printf, 2, 3))) static const char *
text_wrong(char wrong[NB_PATH_WRONG], const char *format, ...)
{
    va_list values;
    va_start(values, format);
    nb_vsnprintf(wrong, NB_PATH_WRONG, format, values);
    va_end(values);
    return wrong;
}

/* As nb_path_read; source: out, the router where the path begins. */
static const char *path_text_read(const struct path_reading *reading,
                                  const char *text, uint32_t *source,
                                  size_t *length, char wrong[NB_PATH_WRONG])
{
    const struct nb_topology *topology = reading->topology;
    uint32_t at = NB_NONE; /* the router that the path has reached */
    for (*length = 0;; text++) {
        const char *word = text;
        uint32_t router, rank = 0;
        bool is_read = text_cut_number(&text, &router);
        if (is_read && *text == '/' && at != NB_NONE) {
            text++;
            is_read = text_cut_number(&text, &rank);
        }
        if (!is_read || (*text != '-' && *text != '\0'))
            return text_wrong(wrong, "no router at \"%.20s\"", word);
        const int width = text - word < 20 ? (int)(text - word) : 20;
        if (router >= topology->router_count)
            return text_wrong(wrong, "no router %.*s", width, word);
        const uint32_t channel =
            at != NB_NONE ? nb_channel_find(topology, at, router, rank) : 0;
        if (channel == NB_NONE)
            return text_wrong(wrong,
                              "no channel from router %" PRIu32 " to %.*s", at,
                              width, word);
        if (text_meets(reading, at, *length, router))
            return text_wrong(wrong, "router %" PRIu32 " twice", router);
        if (at == NB_NONE)
            *source = router;
        else
            reading->channel[(*length)++] = channel;
        at = router;
        if (*text == '\0')
            return NULL;
    }
}

const char *nb_path_read(const struct nb_topology *topology, const char *text,
                         uint32_t *channel, size_t *length,
                         char wrong[NB_PATH_WRONG])
{
    const struct path_reading reading = { .topology = topology,
                                          .channel = channel };
    uint32_t source;
    return path_text_read(&reading, text, &source, length, wrong);
}

enum { CSV_BYTES = 1 << 30 };         /* the largest file that is read */
#define CSV_WEIGHT ((int64_t)1 << 53) /* the greatest weight */

static const char csv_columns[] = "source,destination,weight,path";

/* The state of reading a file. */
struct csv_reader {
    struct nb_lines lines;
    /* The arrays are owned; the stamp is the line's number, from 1. */
    struct path_reading path;
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
    if (path_text_read(&reader->path, cell[3], &first, &length, wrong) != NULL)
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

/* The first path that appears twice in a sorted table. */
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
                           "%.200s:%" PRIu32 ": the path from router "
                           "%" PRIu32 " to %" PRIu32 " repeats line %" PRIu32
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
            continue; /* no paths lead to it */
        for (uint32_t s = 0; s < topology->router_count; s++) {
            const size_t first = p;
            while (p < table->path_count && table->path[p].source == s &&
                   table->path[p].destination == d)
                p++;
            if (p == first && s != d && topology->terminals[s] > 0)
                return nb_fail(err, NB_INVALID,
                               "%.200s: it has no path from router %" PRIu32
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

enum nb_status nb_path_table_add(struct nb_path_table *table, uint32_t source,
                                 uint32_t destination, uint64_t weight,
                                 const uint32_t *channel, size_t length,
                                 struct nb_error *err)
{
    static const char what[] = "paths of a routing";
    enum nb_status status;
    if (weight == 0 || length >= NB_NONE)
        return nb_fail(err, NB_INVALID,
                       "a path of weight %llu and %zu channels (permitted: a "
                       "weight of 1 and more, fewer than 2^32 - 1 channels)",
                       (unsigned long long)weight, length);
    NB_TRY(nb_reserve(&table->path, &table->path_capacity,
                      table->path_count + 1, sizeof *table->path, what, err));
    NB_TRY(nb_reserve(&table->channel, &table->channel_capacity,
                      table->channel_count + length, sizeof *table->channel,
                      what, err));
    table->path[table->path_count++] =
        (struct nb_table_path){ .source = source,
                                .destination = destination,
                                .weight = weight,
                                .first = table->channel_count,
                                .length = (uint32_t)length };
    if (length > 0)
        memcpy(table->channel + table->channel_count, channel,
               length * sizeof *channel);
    table->channel_count += length;
done:
    return status;
}

void nb_path_table_release(struct nb_path_table *table)
{
    nb_delete(table->path);
    nb_delete(table->channel);
    *table = (struct nb_path_table){ 0 };
}

static int table_order(const struct nb_table_path *a,
                       const struct nb_table_path *b, const uint32_t *channel)
{
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        const uint32_t one = channel[a->first + i];
        const uint32_t other = channel[b->first + i];
        if (one != other)
            return one < other ? -1 : 1;
    }
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return (a->leg > b->leg) - (a->leg < b->leg);
}

/* Equal paths keep the order in which they were added. */
static int table_compare(const void *left, const void *right, void *context)
{
    const struct nb_table_path *a = left, *b = right;
    const int order = table_order(a, b, context);
    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

void nb_path_table_sort(struct nb_path_table *table)
{
    if (table->path_count > 1)
        qsort_r(table->path, table->path_count, sizeof *table->path,
                table_compare, table->channel);
}

void nb_path_table_unite(struct nb_path_table *table)
{
    size_t count = 0;
    for (size_t p = 0; p < table->path_count; p++) {
        struct nb_table_path *path = &table->path[p];
        if (count > 0 &&
            table_order(&table->path[count - 1], path, table->channel) == 0)
            table->path[count - 1].weight += path->weight;
        else
            table->path[count++] = *path;
    }
    table->path_count = count;
}

size_t nb_path_table_end(const struct nb_path_table *table, size_t first)
{
    const struct nb_table_path *pair = &table->path[first];
    size_t end = first + 1;
    while (end < table->path_count && table->path[end].source == pair->source &&
           table->path[end].destination == pair->destination)
        end++;
    return end;
}

void nb_path_table_index(const struct nb_path_table *table, size_t router_count,
                         size_t *pair)
{
    size_t k = 0;
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const size_t own = path->destination * router_count + path->source;
        while (k <= own)
            pair[k++] = p;
    }
    while (k <= router_count * router_count)
        pair[k++] = table->path_count;
}

enum nb_status nb_path_table_write(const struct nb_path_table *table,
                                   const struct nb_topology *topology,
                                   const char *file, struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_text_print(&text, "source,destination,weight,path\n");
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        nb_text_print(&text, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",",
                      path->source, path->destination, path->weight);
        nb_path_print(topology, path->source, table->channel + path->first,
                      path->length, &text);
        nb_text_add(&text, "\n", 1);
    }
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_file_write(file, text.bytes, text.length, err));
done:
    nb_text_release(&text);
    return status;
}
