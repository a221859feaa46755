#include "sim/trace.h"

#include "core/memory.h"
#include "core/store.h"
#include "traffic/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_CYCLE, TRACE_SOURCE, TRACE_TARGET, TRACE_FLITS, TRACE_COLUMNS };

static const char *const trace_columns[TRACE_COLUMNS] = {
    "cycle",
    "source",
    "destination",
    "flits",
};

static const int64_t trace_last_cycle = ((int64_t)1 << 40) - 1;

void nb_trace_release(struct nb_trace *trace)
{
    nb_delete(trace->packets);
    *trace = (struct nb_trace){ 0 };
}

/* Cuts a line into its cells, without surrounding blanks; returns how many
 * there are. Only as many as there are columns are kept. */
static size_t trace_split(char *line, char *cell[TRACE_COLUMNS])
{
    size_t count = 0;
    for (char *next; (next = strsep(&line, ",")) != NULL; count++) {
        next += strspn(next, " \t");
        size_t length = strlen(next);
        while (length > 0 && strchr(" \t", next[length - 1]) != NULL)
            length--;
        next[length] = '\0';
        if (count < TRACE_COLUMNS)
            cell[count] = next;
    }
    return count;
}

static enum nb_status trace_read_header(struct nb_matrix *lines,
                                        struct nb_error *err)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (strncmp(lines->next, byte_order_mark, 3) == 0)
        lines->next += 3; /* spreadsheets write it */
    char *cell[TRACE_COLUMNS], seen[64];
    char *line = nb_matrix_next_line(lines, '#');
    if (line == NULL)
        return nb_fail(err, NB_INVALID,
                       "\"%s\" is empty (permitted: a header and packets)",
                       lines->path);
    snprintf(seen, sizeof seen, "%.60s", line);
    bool is_right = trace_split(line, cell) == TRACE_COLUMNS;
    for (size_t i = 0; i < TRACE_COLUMNS && is_right; i++)
        is_right = strcmp(cell[i], trace_columns[i]) == 0;
    if (!is_right)
        return nb_matrix_fail(lines, NB_INVALID, err,
                              "header \"%s\" is not permitted (permitted: "
                              "cycle,source,destination,flits)",
                              seen);
    return NB_OK;
}

static enum nb_status trace_read_whole(const struct nb_matrix *lines,
                                       size_t column, const char *text,
                                       int64_t least, int64_t most,
                                       int64_t *out, struct nb_error *err)
{
    if (nb_integer_read(text, trace_columns[column], least, most, out, NULL) !=
        NB_OK)
        return nb_matrix_fail(lines, NB_INVALID, err,
                              "%s \"%.60s\" is not permitted (permitted: a "
                              "whole number from %" PRId64 " to %" PRId64 ")",
                              trace_columns[column], text, least, most);
    return NB_OK;
}

static enum nb_status trace_read_packet(const struct nb_matrix *lines,
                                        char *line, struct nb_trace_packet *out,
                                        struct nb_error *err)
{
    char *cell[TRACE_COLUMNS] = { NULL };
    const size_t count = trace_split(line, cell);
    int64_t cycle, flits;
    enum nb_status status;
    if (count != TRACE_COLUMNS)
        return nb_matrix_fail(lines, NB_INVALID, err,
                              "%zu values are not permitted (permitted: %d)",
                              count, TRACE_COLUMNS);
    NB_TRY(trace_read_whole(lines, TRACE_CYCLE, cell[TRACE_CYCLE], 0,
                            trace_last_cycle, &cycle, err));
    NB_TRY(nb_matrix_read_index(lines, trace_columns[TRACE_SOURCE],
                                cell[TRACE_SOURCE], &out->source, err));
    NB_TRY(nb_matrix_read_index(lines, trace_columns[TRACE_TARGET],
                                cell[TRACE_TARGET], &out->target, err));
    NB_TRY(trace_read_whole(lines, TRACE_FLITS, cell[TRACE_FLITS], 1,
                            NB_TRACE_FLITS, &flits, err));
    out->cycle = (uint64_t)cycle;
    out->flits = (uint32_t)flits;
done:
    return status;
}

static enum nb_status trace_read_packets(struct nb_matrix *lines,
                                         struct nb_trace *out,
                                         struct nb_error *err)
{
    size_t capacity = 0;
    char *line;
    enum nb_status status = NB_OK;
    while ((line = nb_matrix_next_line(lines, '#')) != NULL) {
        if (out->count == capacity) {
            capacity = capacity < 64 ? 64 : 2 * capacity;
            NB_TRY(nb_grow(&out->packets, capacity, sizeof *out->packets,
                           "packets of a trace", err));
        }
        NB_TRY(trace_read_packet(lines, line, &out->packets[out->count], err));
        out->count++;
    }
    if (out->count == 0)
        status = nb_fail(err, NB_INVALID,
                         "\"%s\" has no packets (permitted: 1 or more)",
                         lines->path);
done:
    return status;
}

struct trace_place {
    uint64_t cycle;
    size_t place; /* in the file */
};

static int trace_compare(const void *left, const void *right)
{
    const struct trace_place *a = left, *b = right;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* qsort may change the order of equals: they are told apart by place. */
static enum nb_status trace_sort(struct nb_trace *trace, struct nb_error *err)
{
    struct trace_place *places = NULL;
    struct nb_trace_packet *sorted = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&places, trace->count, sizeof *places, "a trace", err));
    NB_TRY(nb_new(&sorted, trace->count, sizeof *sorted, "a trace", err));
    for (size_t i = 0; i < trace->count; i++)
        places[i] = (struct trace_place){ trace->packets[i].cycle, i };
    qsort(places, trace->count, sizeof *places, trace_compare);
    for (size_t i = 0; i < trace->count; i++)
        sorted[i] = trace->packets[places[i].place];
    nb_delete(trace->packets);
    trace->packets = sorted;
done:
    nb_delete(places);
    return status;
}

enum nb_status nb_trace_read(const char *path, size_t terminal_count,
                             struct nb_trace *out, struct nb_error *err)
{
    /* Lines and terminals are those of a matrix; there is no matrix. */
    struct nb_matrix lines = { .path = path,
                               .is_of_terminals = true,
                               .size = (uint32_t)terminal_count };
    enum nb_status status;
    *out = (struct nb_trace){ 0 };
    NB_TRY(nb_store_read(path, NB_TRACE_BYTES, &lines.text, err));
    lines.next = lines.text.bytes;
    const size_t length = strlen(lines.next);
    NB_TRY(length == lines.text.length
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "\"%s\": byte %zu is 0 (permitted: text)", path,
                         length));
    NB_TRY(trace_read_header(&lines, err));
    NB_TRY(trace_read_packets(&lines, out, err));
    NB_TRY(trace_sort(out, err));
done:
    nb_text_release(&lines.text);
    if (status != NB_OK)
        nb_trace_release(out);
    return status;
}
