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

/* Keys of other plugins, whose files name no switches. */
static const struct {
    const char *key, *plugin;
} slurm_others[] = {
    { "BlockName", "topology/block" },
    { "BlockSizes", "topology/block" },
    { "RingName", "topology/ring" },
};
enum { SLURM_OTHERS = sizeof slurm_others / sizeof *slurm_others };

static bool slurm_begins(const char *text, const char *key)
{
    const size_t length = strlen(key);
    return nb_is_same_start(text, key, length) &&
           text[length + strspn(text + length, " \t")] == '=';
}

/* Begins with a SwitchName, or as a file of another plugin, which is refused.
 */
static bool slurm_is(const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\r\n");
        if (*text != '#') {
            bool is_slurm = slurm_begins(text, "SwitchName");
            for (size_t i = 0; i < SLURM_OTHERS; i++)
                is_slurm = is_slurm || slurm_begins(text, slurm_others[i].key);
            return is_slurm;
        }
        text += strcspn(text, "\n");
    }
    return false;
}

/* KEY=VALUE. Blanks may stand around the =, and quotes around the value. */
struct slurm_word {
    const char *key, *value; /* value NULL: none */
};

/* Cuts off the next word; false: none is left. */
static bool slurm_take(char **rest, struct slurm_word *out)
{
    char *key = *rest + strspn(*rest, slurm_blanks);
    char *key_end = key + strcspn(key, " \t\r\f\v=");
    char *sign = key_end + strspn(key_end, slurm_blanks);
    char *value = sign + 1, *end = key_end;
    *out = (struct slurm_word){ key, NULL };
    if (*key == '\0')
        return false;
    if (*sign == '=') {
        value += strspn(value, slurm_blanks);
        char *quote = *value == '"' ? strchr(value + 1, '"') : NULL;
        end = quote != NULL ? quote : value + strcspn(value, slurm_blanks);
        out->value = quote != NULL ? value + 1 : value;
    }
    *rest = *end == '\0' ? end : end + 1;
    *key_end = *end = '\0';
    return true;
}

static enum nb_status slurm_refuse_word(struct slurm *reader,
                                        const struct slurm_word *word,
                                        struct nb_error *err)
{
    const char *sign = word->value != NULL ? "=" : "";
    const char *value = word->value != NULL ? word->value : "";
    for (size_t i = 0; i < SLURM_OTHERS; i++)
        if (nb_is_same_word(word->key, slurm_others[i].key))
            return nb_lines_fail(
                &reader->lines, NB_INVALID, err,
                "\"%.60s%s%.60s\" is not permitted: the plugin %s names no "
                "switches (permitted: files of topology/tree)",
                word->key, sign, value, slurm_others[i].plugin);
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "\"%.60s%s%.60s\" is not permitted (permitted: "
                         "SwitchName=NAME, then Switches=LIST, Nodes=LIST, "
                         "LinkSpeed=NUMBER, Level=NUMBER)",
                         word->key, sign, value);
}

/* Level=1, Switches=s[1-2], Nodes=n[0-15] or LinkSpeed=100, after the name. */
static enum nb_status slurm_read_word(struct slurm *reader,
                                      const struct slurm_word *word,
                                      struct nb_error *err)
{
    const char *value = word->value;
    const bool are_nodes = nb_is_same_word(word->key, "Nodes");
    if (value == NULL || strchr(value, '=') != NULL)
        return slurm_refuse_word(reader, word, err);
    if (nb_is_same_word(word->key, "LinkSpeed"))
        return NB_OK;
    if (reader->name == NULL)
        return slurm_refuse_word(reader, word, err);
    if (are_nodes && reader->is_above)
        return NB_OK;
    if (are_nodes || nb_is_same_word(word->key, "Switches"))
        return nb_slurm_join(reader->graph, reader->lines.number, reader->name,
                             value, are_nodes, err);
    if (!nb_is_same_word(word->key, "Level") || *value == '\0' ||
        value[strspn(value, "0123456789")] != '\0')
        return slurm_refuse_word(reader, word, err);
    reader->is_above = value[strspn(value, "0")] != '\0';
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
    struct slurm_word word;
    enum nb_status status = NB_OK;
    line[strcspn(line, "#")] = '\0';
    if (!reader->continues) {
        reader->name = NULL;
        reader->is_above = false;
    }
    reader->continues = slurm_cut_backslash(line);
    while (slurm_take(&line, &word)) {
        if (reader->name == NULL && word.value != NULL && *word.value != '\0' &&
            nb_is_same_word(word.key, "SwitchName")) {
            reader->name = word.value;
            NB_TRY(nb_slurm_add(reader->graph, reader->lines.number, word.value,
                                0, err));
            continue;
        }
        NB_TRY(slurm_read_word(reader, &word, err));
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
