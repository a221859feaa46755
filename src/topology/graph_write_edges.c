/* Edge lists: "source target bandwidth", by commas in .csv. */
#include "topology/graph_write.h"

#include "core/try.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Whether the name is one word of an edge list. */
static bool edges_is_word(const char *name)
{
    return *name != '\0' && *name != '#' &&
           strpbrk(name, " \t,\r\n\f\v") == NULL;
}

static enum nb_status edges_check_names(const struct nb_graph_writer *writer,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    for (uint32_t r = 0; r < topology->router_count && topology->names; r++)
        if (!edges_is_word(nb_router_name(topology, r)))
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\": an edge list cannot hold the name "
                           "\"%.60s\" of router %" PRIu32
                           " (permitted: one word, not beginning with #; any "
                           "other in .graphml)",
                           writer->path, nb_router_name(topology, r), r);
    return NB_OK;
}

static enum nb_status
edges_check_terminals(const struct nb_graph_writer *writer,
                      struct nb_error *err)
{
    const uint32_t *terminals = writer->topology->terminals;
    for (size_t r = 1; r < writer->topology->router_count; r++)
        if (terminals[r] != terminals[0])
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\": an edge list cannot hold that router "
                           "0 has %" PRIu32 " terminals and router %zu has "
                           "%" PRIu32 " (permitted: equally many; any number "
                           "in .graphml and .anynet)",
                           writer->path, terminals[0], r, terminals[r]);
    return NB_OK;
}

/* What topology file: must be told to read the same network. */
static void edges_add_head(struct nb_graph_writer *writer)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    char bandwidth[NB_RATIO_TEXT];
    nb_text_print(text, "# read with: directed=%s,terminals=%" PRIu32,
                  writer->is_mutual ? "no" : "yes", topology->terminals[0]);
    if (nb_ratio_is_known(topology->terminal_bandwidth)) {
        nb_ratio_print(topology->terminal_bandwidth, bandwidth);
        nb_text_print(text, ",terminal-bandwidth=%s", bandwidth);
    }
    nb_text_print(text, "\n");
}

static void edges_add_router(const struct nb_topology *topology,
                             uint32_t router, char separator,
                             struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name != NULL)
        nb_text_print(text, "%s%c", name, separator);
    else
        nb_text_print(text, "%" PRIu32 "%c", router, separator);
}

enum nb_status nb_graph_write_edges(struct nb_graph_writer *writer,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    const char separator =
        strcasecmp(strrchr(writer->path, '.'), ".csv") == 0 ? ',' : ' ';
    enum nb_status status;
    NB_TRY(edges_check_names(writer, err));
    NB_TRY(edges_check_terminals(writer, err));
    edges_add_head(writer);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        char bandwidth[NB_RATIO_TEXT];
        if (!nb_graph_writes(writer, c))
            continue;
        edges_add_router(topology, channel->source, separator, text);
        edges_add_router(topology, channel->target, separator, text);
        nb_ratio_print(channel->bandwidth, bandwidth);
        nb_text_print(text, "%s\n", bandwidth);
        NB_TRY(nb_graph_check_length(writer, err));
    }
done:
    return status;
}
