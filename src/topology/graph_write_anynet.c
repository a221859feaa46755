/* anynet, as BookSim reads it: a line for each router, with its terminals as
 * nodes and the links to routers of higher numbers. */
#include "topology/graph_write.h"

#include "core/memory.h"

#include <inttypes.h>

static enum nb_status
anynet_check_bandwidths(const struct nb_graph_writer *writer,
                        struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    const struct nb_ratio of_terminals = topology->terminal_bandwidth;
    char bandwidth[NB_RATIO_TEXT];
    if (nb_ratio_is_known(of_terminals) &&
        nb_ratio_compare(of_terminals, nb_ratio_one) != 0) {
        nb_ratio_print(of_terminals, bandwidth);
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\": anynet cannot hold the bandwidth %s of "
                       "the terminals' channels (permitted: 1)",
                       writer->path, bandwidth);
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (nb_ratio_compare(channel->bandwidth, nb_ratio_one) == 0)
            continue;
        nb_ratio_print(channel->bandwidth, bandwidth);
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\": anynet cannot hold the bandwidth %s of "
                       "channel %zu from router %" PRIu32 " to router %" PRIu32
                       " (permitted: 1)",
                       writer->path, bandwidth, c, channel->source,
                       channel->target);
    }
    return NB_OK;
}

/* BookSim keeps one link from a router to another, and makes its opposite. */
static enum nb_status anynet_check_links(const struct nb_graph_writer *writer,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    uint32_t *seen = NULL; /* [target]: the last source that leads there */
    enum nb_status status;
    NB_TRY(nb_new(&seen, topology->router_count, sizeof *seen, "links", err));
    for (size_t r = 0; r < topology->router_count; r++)
        seen[r] = NB_NONE;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (seen[channel->target] == channel->source)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "\"%.200s\": anynet cannot hold two channels from "
                           "router %" PRIu32 " to router %" PRIu32
                           " (permitted: one)",
                           writer->path, channel->source, channel->target));
        seen[channel->target] = channel->source;
    }
    if (!writer->is_mutual)
        status = nb_fail(err, NB_INVALID,
                         "\"%.200s\": anynet cannot hold channels without an "
                         "opposite (permitted: one each way)",
                         writer->path);
done:
    nb_delete(seen);
    return status;
}

enum nb_status nb_graph_write_anynet(struct nb_graph_writer *writer,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    size_t node = 0;
    enum nb_status status;
    NB_TRY(anynet_check_bandwidths(writer, err));
    NB_TRY(anynet_check_links(writer, err));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        nb_text_print(text, "router %" PRIu32, r);
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            nb_text_print(text, " node %zu", node++);
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            if (nb_graph_writes(writer, c))
                nb_text_print(text, " router %" PRIu32,
                              topology->channels[c].target);
        nb_text_print(text, "\n");
        NB_TRY(nb_graph_check_length(writer, err));
    }
done:
    return status;
}
