/* Slurm's topology.conf, or what scontrol show topology prints: a tree of
 * switches, and the nodes at its leaves. */
#include "topology/formats.h"
#include "topology/graph_slurm.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"

#include <string.h>

static const char slurm_blanks[] = " \t\r\f\v";

/* A file being read; owns nothing. */
struct slurm {
    struct nb_graph *graph;
    struct nb_lines lines;
    const char *name; /* the switch of the current line */
    bool continues;   /* the next line belongs to it */
    bool is_above; /* scontrol lists a switch's nodes at those above it, too */
};

/* The value of NAME=VALUE, NULL if the word has another name. */
static char *slurm_value(char *word, const char *name)
{
    const size_t length = strlen(name);
    return nb_is_same_start(word, name, length) && word[length] == '='
               ? word + length + 1
               : NULL;
}

/* The plugin whose files have a word like this; NULL: topology/tree, or none.
 * It names no switches. */
static const char *slurm_plugin(const char *word)
{
    static const struct {
        const char *start, *plugin;
    } others[] = {
        { "BlockName=", "topology/block" },
        { "BlockSizes=", "topology/block" },
        { "RingName=", "topology/ring" },
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (nb_is_same_start(word, others[i].start, strlen(others[i].start)))
            return others[i].plugin;
    return NULL;
}

/* Begins with a SwitchName, or as a file of another plugin, which is refused.
 */
static bool slurm_is(const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\r\n");
        if (*text != '#')
            return nb_is_same_start(text, "SwitchName=", 11) ||
                   slurm_plugin(text) != NULL;
        text += strcspn(text, "\n");
    }
    return false;
}

static enum nb_status slurm_refuse_word(struct slurm *reader, const char *word,
                                        struct nb_error *err)
{
    const char *plugin = slurm_plugin(word);
    if (plugin != NULL)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "\"%.60s\" is not permitted: the plugin %s "
                             "names no switches (permitted: files of "
                             "topology/tree)",
                             word, plugin);
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "\"%.60s\" is not permitted (permitted: "
                         "SwitchName=NAME, then Switches=LIST, Nodes=LIST, "
                         "LinkSpeed=NUMBER, Level=NUMBER)",
                         word);
}

/* Level=1, Switches=s[1-2], Nodes=n[0-15] or LinkSpeed=100, after the name. */
static enum nb_status slurm_read_word(struct slurm *reader, char *word,
                                      struct nb_error *err)
{
    char *nodes = slurm_value(word, "Nodes");
    char *switches = slurm_value(word, "Switches");
    const char *level = slurm_value(word, "Level");
    if (reader->name != NULL && level != NULL && *level != '\0' &&
        level[strspn(level, "0123456789")] == '\0')
        reader->is_above = level[strspn(level, "0")] != '\0';
    else if (reader->name != NULL && nodes != NULL)
        return reader->is_above
                   ? NB_OK
                   : nb_slurm_join(reader->graph, reader->lines.number,
                                   reader->name, nodes, true, err);
    else if (reader->name != NULL && switches != NULL)
        return nb_slurm_join(reader->graph, reader->lines.number, reader->name,
                             switches, false, err);
    else if (slurm_value(word, "LinkSpeed") == NULL)
        return slurm_refuse_word(reader, word, err);
    return NB_OK;
}

/* Cuts off a backslash at the end of a line, if there is one. */
static bool slurm_cut_backslash(char *line)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(slurm_blanks, line[length - 1]) != NULL)
        length--;
    if (length == 0 || line[length - 1] != '\\')
        return false;
    line[length - 1] = '\0';
    return true;
}

/* SwitchName=s0 Switches=s[1-2] Nodes=n[0-15] LinkSpeed=100; a backslash at the
 * end continues it on the next line. */
static enum nb_status slurm_read_line(struct slurm *reader, char *line,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    line[strcspn(line, "#")] = '\0';
    if (!reader->continues) {
        reader->name = NULL;
        reader->is_above = false;
    }
    reader->continues = slurm_cut_backslash(line);
    for (char *word; (word = nb_lines_word(&line, slurm_blanks)) != NULL;) {
        char *value = slurm_value(word, "SwitchName");
        if (value != NULL && reader->name == NULL && *value != '\0') {
            reader->name = value;
            NB_TRY(nb_slurm_add(reader->graph, reader->lines.number, value, 0,
                                err));
            continue;
        }
        NB_TRY(slurm_read_word(reader, word, err));
    }
done:
    return status;
}

static enum nb_status slurm_read(char *text, size_t length,
                                 const struct nb_graph_options *options,
                                 struct nb_graph *graph, struct nb_error *err)
{
    struct slurm reader = { .graph = graph };
    enum nb_status status;
    (void)options;
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(slurm_read_line(&reader, line, err));
    NB_TRY(nb_slurm_finish(graph, err));
done:
    return status;
}

/*
 * topology.conf of Slurm, topology/tree: each line is a switch with lists of
 * the switches and nodes below it, "SwitchName=s0 Switches=s[1-2]
 * Nodes=n[0-15]". Switches are routers without terminals. Each name in a list
 * is one link, since Slurm does not give the number of links. LinkSpeed is
 * ignored.
 *
 * Source: topology.conf(5) of Slurm.
 */
const struct nb_graph_format nb_graph_format_slurm = {
    .name = "slurm",
    .title = "topology.conf",
    .is = slurm_is,
    .is_undirected = true,
    .read = slurm_read,
};
