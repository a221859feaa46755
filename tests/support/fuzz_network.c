#include "fuzz_network.h"

#include "network_file.h"

#include "core/memory.h"
#include "core/text.h"
#include "topology/graph_write.h"
#include "topology/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NETWORK_SPECIFICATION = NB_SCRATCH_PATH + 600 };

/* A short line of Slurm names a million nodes: a minute in six formats. */
enum { NETWORK_CHANNELS = 100000 };

static enum nb_status network_build(const char *path, const char *parameters,
                                    struct nb_topology *out,
                                    struct nb_error *err)
{
    char specification[NETWORK_SPECIFICATION];
    snprintf(specification, sizeof specification, "file:%s%s", path,
             parameters);
    return nb_topology_build(specification, out, err);
}

static int network_order(const void *a, const void *b)
{
    const struct nb_channel *one = a, *other = b;
    if (one->source != other->source)
        return one->source < other->source ? -1 : 1;
    if (one->target != other->target)
        return one->target < other->target ? -1 : 1;
    return nb_ratio_compare(one->bandwidth, other->bandwidth);
}

/* The channels in the order of their ends and bandwidths. Routers are numbered
 * as those of the same names in another network, if they have names. */
static struct nb_channel *network_channels(const struct nb_topology *topology,
                                           const struct nb_topology *named)
{
    struct nb_channel *channels =
        nb_new_array(topology->channel_count, sizeof *channels);
    for (size_t c = 0; c < topology->channel_count; c++) {
        channels[c] = topology->channels[c];
        uint32_t *const ends[] = { &channels[c].source, &channels[c].target };
        for (int i = 0; i < 2; i++) {
            const char *name = nb_router_name(topology, *ends[i]);
            if (name != NULL)
                *ends[i] = nb_router_find(named, name, strlen(name));
        }
    }
    qsort(channels, topology->channel_count, sizeof *channels, network_order);
    return channels;
}

/* The same except for the order of routers. */
static void network_compare_named(const struct nb_topology *written,
                                  const struct nb_topology *read,
                                  const char *path)
{
    FUZZ_CHECK(read->router_count == written->router_count &&
                   read->channel_count == written->channel_count &&
                   read->terminal_count == written->terminal_count &&
                   network_file_same_limit(read, written),
               "%s", path);
    struct nb_channel *before = network_channels(written, written);
    struct nb_channel *after = network_channels(read, written);
    for (size_t c = 0; c < written->channel_count; c++)
        FUZZ_CHECK(network_order(&before[c], &after[c]) == 0,
                   "%s: channel %zu from %u to %u", path, c, before[c].source,
                   before[c].target);
    nb_delete(before);
    nb_delete(after);
}

/* The routers of BookSim and InfiniBand, and some of DOT, have other names. */
static void network_compare_counts(const struct nb_topology *written,
                                   const struct nb_topology *read,
                                   const char *path)
{
    const size_t hosts = read->router_count - written->router_count;
    FUZZ_CHECK(read->terminal_count == written->terminal_count &&
                   (hosts == 0 || hosts == written->terminal_count) &&
                   read->channel_count == written->channel_count + 2 * hosts,
               "%s: %zu routers, %zu terminals, %zu channels", path,
               read->router_count, read->terminal_count, read->channel_count);
}

/* The parameters with which an edge list is read, by its first line. */
static void network_take_head(const char *path, char parameters[500])
{
    static const char head[] = "# read with: ";
    char line[500] = "";
    FILE *file = fopen(path, "r");
    FUZZ_CHECK(file != NULL && fgets(line, sizeof line, file) != NULL &&
                   strncmp(line, head, sizeof head - 1) == 0,
               "%s: %s", path, line);
    fclose(file);
    snprintf(parameters, 500, ",%.*s",
             (int)strcspn(line + sizeof head - 1, "\n"),
             line + sizeof head - 1);
}

/* Each edge of a digraph is one channel. */
static void network_take_direction(const char *path, char parameters[500])
{
    char word[8] = "";
    FILE *file = fopen(path, "r");
    FUZZ_CHECK(file != NULL && fgets(word, sizeof word, file) != NULL, "%s",
               path);
    fclose(file);
    snprintf(parameters, 500, "%s",
             strcmp(word, "digraph") == 0 ? ",directed=yes" : "");
}

typedef void network_compare(const struct nb_topology *written,
                             const struct nb_topology *read, const char *path);

static const struct {
    const char *name;
    network_compare *compare;
} network_formats[] = {
    { "again.graphml", network_file_compare },
    { "again.csv", network_compare_named },
    { "again.txt", network_compare_named },
    { "again.anynet", network_compare_counts },
    { "again.ibnetdiscover", network_compare_counts },
    { "again.dot", network_compare_counts },
};

static void network_write(const struct nb_topology *topology, size_t format)
{
    const char *path = fuzz_path(network_formats[format].name);
    network_compare *compare = network_formats[format].compare;
    char parameters[500] = "";
    struct nb_topology read = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(nb_graph_write(topology, path, &err), &err);
    FUZZ_CHECK((err.status == NB_OK) == (access(path, F_OK) == 0), "%s: %s",
               path, err.message);
    if (err.status != NB_OK) {
        FUZZ_CHECK(err.status == NB_INVALID, "%s", err.message);
        return;
    }
    if (compare == network_compare_named)
        network_take_head(path, parameters);
    else if (strcmp(network_formats[format].name, "again.dot") == 0)
        network_take_direction(path, parameters);
    network_build(path, parameters, &read, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s: %s", path, err.message);
    compare(topology, &read, path);
    nb_topology_release(&read);
    unlink(path);
}

void fuzz_network(const char *name, const char *parameters,
                  const uint8_t *bytes, size_t length)
{
    struct nb_topology topology = { 0 };
    struct nb_error err = { 0 };
    nb_topology_limit(NETWORK_CHANNELS);
    fuzz_check_error(network_build(fuzz_file(name, bytes, length), parameters,
                                   &topology, &err),
                     &err);
    nb_topology_limit(0);
    for (size_t i = 0; err.status == NB_OK &&
                       i < sizeof network_formats / sizeof *network_formats;
         i++)
        network_write(&topology, i);
    nb_topology_release(&topology);
}
