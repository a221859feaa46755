#include "sim/trace.h"

#include "core/lines.h"
#include "core/memory.h"

#include <stdlib.h>

static const char trace_columns[] = "cycle,source,destination,flits";

static const int64_t trace_last_cycle = ((int64_t)1 << 40) - 1;

void nb_trace_release(struct nb_trace *trace)
{
    nb_delete(trace->packets);
    *trace = (struct nb_trace){ 0 };
}

static enum nb_status trace_read_packet(const struct nb_lines *lines,
                                        char *line, size_t terminal_count,
                                        struct nb_trace_packet *out,
                                        struct nb_error *err)
{
    static const char *const kind[] = { "a whole number", "a terminal" };
    const int64_t last = (int64_t)terminal_count - 1;
    const char *cell[4];
    int64_t cycle, source, target, flits;
    enum nb_status status;
    NB_TRY(nb_lines_cut(lines, line, trace_columns, cell, err));
    NB_TRY(nb_lines_whole(lines, "cycle", kind[0], cell[0], 0, trace_last_cycle,
                          &cycle, err));
    NB_TRY(nb_lines_whole(lines, "source", kind[1], cell[1], 0, last, &source,
                          err));
    NB_TRY(nb_lines_whole(lines, "destination", kind[1], cell[2], 0, last,
                          &target, err));
    NB_TRY(nb_lines_whole(lines, "flits", kind[0], cell[3], 1, NB_TRACE_FLITS,
                          &flits, err));
    *out = (struct nb_trace_packet){ .cycle = (uint64_t)cycle,
                                     .source = (uint32_t)source,
                                     .target = (uint32_t)target,
                                     .flits = (uint32_t)flits };
done:
    return status;
}

static enum nb_status trace_read_packets(struct nb_lines *lines,
                                         size_t terminal_count,
                                         struct nb_trace *out,
                                         struct nb_error *err)
{
    size_t capacity = 0;
    char *line;
    enum nb_status status = NB_OK;
    while ((line = nb_lines_next(lines)) != NULL) {
        NB_TRY(nb_reserve(&out->packets, &capacity, out->count + 1,
                          sizeof *out->packets, "packets of a trace", err));
        NB_TRY(trace_read_packet(lines, line, terminal_count,
                                 &out->packets[out->count], err));
        out->count++;
    }
    if (out->count == 0)
        status = nb_fail(err, NB_INVALID,
                         "%s: it has no packets (permitted: 1 or more)",
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

/* qsort may reorder equal elements: their place decides. */
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
    struct nb_lines lines = { 0 };
    enum nb_status status;
    *out = (struct nb_trace){ 0 };
    if (terminal_count > UINT32_MAX)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "a trace for %zu terminals (permitted: up to %u)",
                       terminal_count, UINT32_MAX));
    NB_TRY(nb_lines_open(&lines, path, '#', NB_TRACE_BYTES, err));
    NB_TRY(nb_lines_header(&lines, trace_columns, err));
    NB_TRY(trace_read_packets(&lines, terminal_count, out, err));
    NB_TRY(trace_sort(out, err));
done:
    nb_lines_close(&lines);
    if (status != NB_OK)
        nb_trace_release(out);
    return status;
}
