#include "topology/graph_write.h"

#include "core/memory.h"
#include "topology/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct graph_format {
    const char *ending;
    enum nb_status (*write)(struct nb_graph_writer *writer,
                            struct nb_error *err);
} graph_formats[] = {
    { ".graphml", nb_graph_write_graphml }, { ".xml", nb_graph_write_graphml },
    { ".dot", nb_graph_write_dot },         { ".gv", nb_graph_write_dot },
    { ".csv", nb_graph_write_edges },       { ".txt", nb_graph_write_edges },
    { ".anynet", nb_graph_write_anynet },
};

enum { GRAPH_FORMATS = sizeof graph_formats / sizeof *graph_formats };

static enum nb_status graph_find_format(const char *path,
                                        const struct graph_format **out,
                                        struct nb_error *err)
{
    const char *ending = strrchr(path, '.');
    struct nb_text endings = { 0 };
    for (size_t i = 0; i < GRAPH_FORMATS && ending != NULL; i++)
        if (strcasecmp(ending, graph_formats[i].ending) == 0) {
            *out = &graph_formats[i];
            return NB_OK;
        }
    for (size_t i = 0; i < GRAPH_FORMATS; i++)
        nb_text_print(&endings, "%s%s", i > 0 ? ", " : "",
                      graph_formats[i].ending);
    enum nb_status status = nb_text_check(&endings, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "the ending of \"%.200s\" names no format for "
                         "networks (permitted: %s)",
                         path, endings.bytes);
    nb_text_release(&endings);
    return status;
}

enum nb_status nb_graph_accepts(const char *path, struct nb_error *err)
{
    const struct graph_format *format;
    return graph_find_format(path, &format, err);
}

/* A channel as one direction of what joins two routers. */
struct graph_side {
    uint32_t low, high;
    struct nb_ratio bandwidth;
    bool is_upward; /* from low to high */
};

static int graph_compare_joints(const void *left, const void *right)
{
    const struct graph_side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return nb_ratio_compare(a->bandwidth, b->bandwidth);
}

static enum nb_status graph_find_mutual(const struct nb_topology *topology,
                                        bool *out, struct nb_error *err)
{
    const size_t count = topology->channel_count;
    struct graph_side *sides = NULL;
    const enum nb_status status =
        nb_new(&sides, count, sizeof *sides, "channels", err);
    if (status != NB_OK)
        return status;
    for (size_t c = 0; c < count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const bool is_upward = channel->source < channel->target;
        sides[c] =
            (struct graph_side){ is_upward ? channel->source : channel->target,
                                 is_upward ? channel->target : channel->source,
                                 channel->bandwidth, is_upward };
    }
    qsort(sides, count, sizeof *sides, graph_compare_joints);
    int64_t balance = 0; /* of equal sides, those upward less the others */
    *out = true;
    for (size_t c = 0; c < count; c++) {
        balance += sides[c].is_upward ? 1 : -1;
        if (c + 1 < count &&
            graph_compare_joints(&sides[c], &sides[c + 1]) == 0)
            continue;
        *out = *out && balance == 0;
        balance = 0;
    }
    nb_delete(sides);
    return NB_OK;
}

bool nb_graph_writes(const struct nb_graph_writer *writer, size_t channel)
{
    const struct nb_channel *at = &writer->topology->channels[channel];
    return !writer->is_mutual || at->source < at->target;
}

enum nb_status nb_graph_check_length(const struct nb_graph_writer *writer,
                                     struct nb_error *err)
{
    if (writer->text.length <= NB_GRAPH_BYTES)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "\"%.200s\": a network of %zu routers and %zu channels "
                   "takes more than %d bytes, the most that is read back",
                   writer->path, writer->topology->router_count,
                   writer->topology->channel_count, NB_GRAPH_BYTES);
}

enum nb_status nb_graph_write(const struct nb_topology *topology,
                              const char *path, struct nb_error *err)
{
    struct nb_graph_writer writer = { .topology = topology, .path = path };
    const struct graph_format *format = NULL;
    enum nb_status status;
    NB_TRY(nb_topology_check(topology, err));
    NB_TRY(graph_find_format(path, &format, err));
    NB_TRY(graph_find_mutual(topology, &writer.is_mutual, err));
    NB_TRY(format->write(&writer, err));
    NB_TRY(nb_text_check(&writer.text, err));
    NB_TRY(nb_graph_check_length(&writer, err));
    NB_TRY(nb_file_write(path, writer.text.bytes, writer.text.length, err));
done:
    nb_text_release(&writer.text);
    return status;
}
