/* Networks of SNDlib; their demands are read as traffic. */
#include "topology/formats.h"

#include "core/memory.h"
#include "topology/sndlib.h"

static void sndlib_free(void *sndlib)
{
    nb_sndlib_release(sndlib);
    nb_delete(sndlib);
}

/* Notes where the bandwidths are from. */
static void sndlib_note(const struct nb_sndlib *sndlib, struct nb_graph *graph)
{
    size_t installed = 0, modules = 0;
    for (size_t i = 0; i < sndlib->links.count; i++) {
        const struct nb_sndlib_item *link = &sndlib->links.item[i];
        modules += link->value != NULL && link->is_module;
        installed += link->value != NULL && !link->is_module;
    }
    if (installed + modules > 0)
        nb_graph_note(graph, "capacities",
                      "bandwidths are in the file's unit of capacity; links "
                      "with installed capacity: %zu, with the smallest module "
                      "that may be: %zu",
                      installed, modules);
}

static enum nb_status sndlib_add_nodes(const struct nb_sndlib *sndlib,
                                       struct nb_graph *graph,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sndlib->nodes.count; i++) {
        const struct nb_sndlib_item *item = &sndlib->nodes.item[i];
        const struct nb_graph_node node = { .name = item->name,
                                            .line = item->line };
        NB_TRY(nb_graph_node_add(graph, &node, err));
    }
done:
    return status;
}

static enum nb_status sndlib_add_links(const struct nb_sndlib *sndlib,
                                       struct nb_graph *graph,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sndlib->links.count; i++) {
        const struct nb_sndlib_item *link = &sndlib->links.item[i];
        struct nb_graph_edge edge = { .source = link->source,
                                      .target = link->target,
                                      .line = link->line };
        if (link->value != NULL)
            NB_TRY(nb_graph_bandwidth(graph, link->line, link->value,
                                      &edge.bandwidth, err));
        NB_TRY(nb_graph_add(graph, &edge, err));
    }
done:
    return status;
}

static enum nb_status sndlib_read(char *text, size_t length,
                                  const struct nb_graph_options *options,
                                  struct nb_graph *graph, struct nb_error *err)
{
    struct nb_sndlib *sndlib;
    enum nb_status status;
    NB_TRY(nb_new(&sndlib, 1, sizeof *sndlib, "a network of SNDlib", err));
    graph->document = sndlib;
    graph->free_document = sndlib_free;
    NB_TRY(nb_sndlib_read(graph->path, text, length, sndlib, err));
    if (sndlib->links.count == 0)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has no links; its demands can be read as "
                       "traffic (permitted: a network with links)",
                       graph->path);
    NB_TRY(sndlib_add_nodes(sndlib, graph, err));
    NB_TRY(sndlib_add_links(sndlib, graph, err));
    sndlib_note(sndlib, graph);
    NB_TRY(nb_graph_finish_nodes(graph, options->directions, err));
done:
    return status;
}

/*
 * Nodes and links; a link is a channel each way. Its bandwidth is the capacity
 * that is installed, or else the smallest that may be. Links that are all
 * listed from both ends are read once.
 */
const struct nb_graph_format nb_graph_format_sndlib = {
    .name = "sndlib",
    .title = "SNDlib",
    .is = nb_sndlib_is,
    .read = sndlib_read,
};
