/* Formats of networks that are not read, so that a file is refused by their
 * name instead of being taken for an edge list (declared in graph.h). */
#include "topology/graph.h"

#include "core/locale.h"

#include <string.h>

static const struct {
    const char *start, *name;
} foreign_formats[] = {
    { "digraph", "DOT" },      { "strict ", "DOT" },
    { "Creator ", "GML" },     { "graph [", "GML" },
    { "graph[", "GML" },       { "CA:", "iblinkinfo (try ibnetdiscover)" },
    { "*Vertices", "Pajek" },  { "Switch:", "iblinkinfo (try ibnetdiscover)" },
    { "{", "node-link JSON" }, { "%%MatrixMarket", "Matrix Market" },
    { "graph {", "DOT" },      { "graph{", "DOT" },
};

enum nb_status nb_graph_refuse_foreign(const char *path, const char *text,
                                       struct nb_error *err)
{
    const char *ending = strrchr(path, '.');
    const char *name = ending != NULL && (nb_is_same_word(ending, ".yaml") ||
                                          nb_is_same_word(ending, ".yml"))
                           ? "YAML (of Slurm, try scontrol show topology)"
                           : NULL;
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < sizeof foreign_formats / sizeof *foreign_formats;
         i++)
        if (nb_is_same_start(text, foreign_formats[i].start,
                             strlen(foreign_formats[i].start)))
            name = foreign_formats[i].name;
    /* A named graph of DOT: graph G { */
    if (nb_is_same_start(text, "graph ", 6) &&
        text[strcspn(text, "{\n")] == '{')
        name = "DOT";
    if (name == NULL)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s: its format, %s, is not read (permitted: GraphML, "
                   "ibnetdiscover, topology.conf, anynet, RapidChiplet's JSON, "
                   "METIS, edge lists; format=edges reads it as a list)",
                   path, name);
}
