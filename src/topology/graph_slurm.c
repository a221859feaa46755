#include "topology/graph_slurm.h"

#include "core/memory.h"
#include "core/name_list.h"

enum nb_status nb_slurm_add(struct nb_graph *graph, size_t line,
                            const char *name, uint32_t terminals,
                            struct nb_error *err)
{
    const size_t count = graph->names.count;
    const enum nb_status status =
        nb_graph_router_add(graph, line, name, terminals, err);
    if (status != NB_OK || graph->names.count > count)
        return status;
    return nb_graph_fail(graph, line, NB_INVALID, err,
                         "\"%.60s\" appears twice (permitted: each switch and "
                         "each node once)",
                         name);
}

enum nb_status nb_slurm_join(struct nb_graph *graph, size_t line,
                             const char *name, const char *list, bool are_nodes,
                             struct nb_error *err)
{
    struct nb_name_list names = { 0 };
    struct nb_error why = { 0 };
    enum nb_status status =
        nb_name_list_read(list, &graph->texts, &names, &why);
    if (status != NB_OK)
        NB_TRY(nb_fail(err, status, "%.200s:%zu: %s", graph->path, line,
                       why.message));
    for (size_t i = 0; i < names.count; i++) {
        const struct nb_graph_edge edge = { .source = name,
                                            .target = names.name[i],
                                            .line = line };
        if (are_nodes)
            NB_TRY(nb_slurm_add(graph, line, names.name[i], NB_NONE, err));
        NB_TRY(nb_graph_add(graph, &edge, err));
    }
done:
    nb_name_list_release(&names);
    return status;
}

enum nb_status nb_slurm_finish(struct nb_graph *graph, struct nb_error *err)
{
    bool are_hosts;
    enum nb_status status;
    nb_graph_names_number(&graph->names);
    NB_TRY(nb_graph_number_hosts(graph, &are_hosts, err));
    NB_TRY(nb_graph_stack(graph, err));
done:
    return status;
}
