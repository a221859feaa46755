/* Writes a network and its next hops for the simulator ORCS. */
#include "routing/formats/forwarding.h"

#include "core/locale.h"
#include "core/memory.h"
#include "core/text.h"
#include "routing/table_ways.h"

#include <inttypes.h>
#include <string.h>

/* A graph being written; owns its arrays. */
struct orcs {
    const struct nb_topology *topology;
    uint32_t *next;  /* from nb_forwarding_find */
    uint64_t *first; /* [router + 1] number of its first terminal */
    struct nb_text text;
};

bool nb_is_orcs(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending != NULL &&
           (nb_is_same_word(ending, ".dot") || nb_is_same_word(ending, ".gv"));
}

/* Whether a router is a host of a fabric; it is then its own terminal. */
static bool orcs_is_host(const struct nb_topology *topology, uint32_t router)
{
    return topology->fabric != NULL && topology->terminals[router] > 0;
}

static void orcs_add_node(struct orcs *writer, uint32_t router)
{
    if (orcs_is_host(writer->topology, router))
        nb_text_print(&writer->text, "\"H%" PRIu64 "\"", writer->first[router]);
    else
        nb_text_print(&writer->text, "\"R%" PRIu32 "\"", router);
}

/* Adds the terminals whose packets take a channel: all, if it is a host's,
 * which has only one. */
static void orcs_add_targets(struct orcs *writer, uint32_t channel)
{
    const struct nb_topology *topology = writer->topology;
    const uint32_t source = topology->channels[channel].source;
    bool is_any = false;
    if (orcs_is_host(topology, source)) {
        nb_text_print(&writer->text, "*");
        return;
    }
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (writer->next[(size_t)d * topology->router_count + source] !=
            channel)
            continue;
        for (uint64_t t = writer->first[d]; t < writer->first[d + 1]; t++) {
            nb_text_print(&writer->text, "%sH%" PRIu64, is_any ? "," : "", t);
            is_any = true;
        }
    }
}

static void orcs_add_channel(struct orcs *writer, uint32_t channel)
{
    const struct nb_channel *at = &writer->topology->channels[channel];
    nb_text_print(&writer->text, "  ");
    orcs_add_node(writer, at->source);
    nb_text_print(&writer->text, " -> ");
    orcs_add_node(writer, at->target);
    nb_text_print(&writer->text, " [comment=\"");
    orcs_add_targets(writer, channel);
    nb_text_print(&writer->text, "\"];\n");
}

/* Adds terminals that are not routers, each with an edge in both directions. */
static void orcs_add_terminals(struct orcs *writer, uint32_t router)
{
    for (uint64_t t = writer->first[router]; t < writer->first[router + 1]; t++)
        nb_text_print(&writer->text,
                      "  \"H%" PRIu64 "\" -> \"R%" PRIu32
                      "\" [comment=\"*\"];\n  \"R%" PRIu32 "\" -> \"H%" PRIu64
                      "\" [comment=\"H%" PRIu64 "\"];\n",
                      t, router, router, t, t);
}

enum nb_status nb_forwarding_write_orcs(const struct nb_routing *routing,
                                        const char *path, struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    struct orcs writer = { .topology = topology };
    enum nb_status status;
    NB_TRY(nb_table_ways_new(topology, &writer.next, err));
    NB_TRY(nb_forwarding_find(routing, path, writer.next, err));
    NB_TRY(
        nb_new(&writer.first, n + 1, sizeof *writer.first, "terminals", err));
    for (size_t r = 0; r < n; r++)
        writer.first[r + 1] = writer.first[r] + topology->terminals[r];
    nb_text_print(&writer.text, "digraph network {\n");
    for (uint32_t r = 0; r < n; r++)
        if (!orcs_is_host(topology, r))
            orcs_add_terminals(&writer, r);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        orcs_add_channel(&writer, c);
    nb_text_print(&writer.text, "}\n");
    NB_TRY(nb_text_check(&writer.text, err));
    NB_TRY(nb_file_write(path, writer.text.bytes, writer.text.length, err));
done:
    nb_delete(writer.next);
    nb_delete(writer.first);
    nb_text_release(&writer.text);
    return status;
}
