/* Ports of InfiniBand networks, as ibnetdiscover -p lists them:
 *
 *   CA 9 1 0x0000000000000a41 4x SDR - SW 4 1 0x0000000000000110 ( 'n4' - 's' )
 *   SW 4 8 0x0000000000000110 4x SDR                                    's'
 */
#include "core/lines.h"
#include "core/memory.h"
#include "topology/fabric_draft.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char ports_blanks[] = " \t\r\f\v";

/* A file being read; owns draft. */
struct ports {
    struct nb_draft draft;
    struct nb_lines lines;
};

/* One end of a cable: type, LID, port and GUID of the port. */
struct ports_end {
    char type; /* S, H or R, as in ids */
    uint32_t lid, port;
    uint64_t guid;
    const char *name;
};

/* The type of a word, as in ids; '\0': none. */
static char ports_type(const char *word)
{
    return strncmp(word, "SW", 2) == 0   ? 'S'
           : strncmp(word, "CA", 2) == 0 ? 'H'
           : strncmp(word, "RT", 2) == 0 ? 'R'
                                         : '\0';
}

static bool ports_is(const char *text)
{
    while (*text == '#' || (*text != '\0' && strchr(ports_blanks, *text)) ||
           *text == '\n')
        text += *text == '#' ? strcspn(text, "\n") : 1;
    if (ports_type(text) == '\0')
        return false;
    text += 2;
    for (int i = 0; i < 2; i++) {
        const size_t blanks = strspn(text, " ");
        const size_t digits = strspn(text + blanks, "0123456789");
        if (blanks == 0 || digits == 0)
            return false;
        text += blanks + digits;
    }
    return strncmp(text, " 0x", 3) == 0;
}

static enum nb_status ports_refuse(struct ports *reader, const char *what,
                                   const char *text, struct nb_error *err)
{
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "%s \"%.60s\" is not permitted (permitted: SW, CA or "
                         "RT, LID, port, GUID and speed; after - the same of "
                         "the other end, and both names)",
                         what, text != NULL ? text : "");
}

static enum nb_status ports_read_end(struct ports *reader, char **rest,
                                     struct ports_end *end,
                                     struct nb_error *err)
{
    const char *type = nb_lines_word(rest, ports_blanks);
    const char *lid = nb_lines_word(rest, ports_blanks);
    const char *port = nb_lines_word(rest, ports_blanks);
    const char *guid = nb_lines_word(rest, ports_blanks);
    int64_t value;
    enum nb_status status;
    if (guid == NULL || strlen(type) != 2 || ports_type(type) == '\0')
        return ports_refuse(reader, "port", type, err);
    end->type = ports_type(type);
    NB_TRY(nb_lines_whole(&reader->lines, "LID", "a LID", lid, 0,
                          NB_FABRIC_LIDS, &value, err));
    end->lid = (uint32_t)value;
    NB_TRY(nb_lines_whole(&reader->lines, "port", "a port", port, 0,
                          NB_FABRIC_PORTS, &value, err));
    end->port = (uint32_t)value;
    if (!nb_draft_read_guid(guid, &end->guid))
        return ports_refuse(reader, "GUID", guid, err);
done:
    return status;
}

/* Reads the speed, up to the - before the other end or the quote before the
 * name. out: whether there is another end */
static bool ports_read_speed(char **rest, struct nb_fabric_port *port)
{
    const char *lanes = nb_lines_word(rest, ports_blanks);
    while (lanes != NULL) {
        *rest += strspn(*rest, ports_blanks);
        if (**rest == '\'')
            return false;
        const char *word = nb_lines_word(rest, ports_blanks);
        if (word == NULL || strcmp(word, "-") == 0)
            return word != NULL;
        if (port->speed[0] == '\0' && *word >= 'A' && *word <= 'Z')
            nb_draft_set_speed(port, strtoul(lanes, NULL, 10), word);
    }
    return false;
}

/* ( 'n4' - 'leaf two' ), or 'leaf two' where there is no other end; NULL
 * texts: another form */
static void ports_read_names(char *rest, const char *name[2])
{
    char *first = strchr(rest, '\''), *last = strrchr(rest, '\'');
    name[0] = name[1] = NULL;
    if (first == NULL || first == last)
        return;
    *last = '\0';
    name[0] = first + 1;
    char *between = strstr(first + 1, "' - '");
    if (between == NULL)
        return;
    *between = '\0';
    name[1] = between + 5;
}

/* Adds the node of an end. A switch has one GUID; the GUIDs of an adapter's
 * ports follow its own. */
static enum nb_status ports_meet(struct ports *reader,
                                 const struct ports_end *end, size_t *out,
                                 struct nb_error *err)
{
    const bool is_switch = end->type == 'S';
    struct nb_draft_node node = {
        .description = end->name,
        .line = reader->lines.number,
        .order = is_switch ? end->guid : end->guid - end->port,
        .is = { .guid = is_switch ? end->guid : 0,
                .lid = is_switch ? end->lid : 0,
                .port_count = end->port,
                .is_switch = is_switch,
                .is_gateway = end->type == 'R' },
    };
    enum nb_status status;
    NB_TRY(
        nb_draft_make_id(&reader->draft, end->type, node.order, &node.id, err));
    NB_TRY(nb_draft_node_meet(&reader->draft, &node, out, err));
done:
    return status;
}

static enum nb_status ports_read_line(struct ports *reader, char *line,
                                      struct nb_error *err)
{
    struct nb_draft_cable cable = { .line = reader->lines.number };
    struct ports_end own, other;
    const char *name[2];
    size_t target;
    enum nb_status status;
    NB_TRY(ports_read_end(reader, &line, &own, err));
    const bool is_linked = ports_read_speed(&line, &cable.is);
    if (is_linked)
        NB_TRY(ports_read_end(reader, &line, &other, err));
    ports_read_names(line, name);
    if (name[0] == NULL || (name[1] != NULL) != is_linked)
        return ports_refuse(reader, "names", line, err);
    own.name = name[0];
    other.name = name[1];
    NB_TRY(ports_meet(reader, &own, &cable.node, err));
    if (!is_linked || own.port == 0)
        return NB_OK;
    NB_TRY(ports_meet(reader, &other, &target, err));
    cable.target_id = reader->draft.node[target].id;
    cable.is.port = own.port;
    cable.is.target_port = other.port;
    cable.is.guid = own.type == 'S' ? 0 : own.guid;
    cable.is.lid = own.type == 'S' ? 0 : own.lid;
    cable.target_guid = other.type == 'S' ? 0 : other.guid;
    NB_TRY(nb_draft_cable_add(&reader->draft, &cable, err));
done:
    return status;
}

static enum nb_status ports_read(char *text, size_t length,
                                 const struct nb_graph_options *options,
                                 struct nb_graph *graph, struct nb_error *err)
{
    struct ports reader = { .draft.graph = graph };
    enum nb_status status;
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(ports_read_line(&reader, line, err));
    NB_TRY(nb_draft_finish(&reader.draft, options, err));
done:
    nb_draft_release(&reader.draft);
    return status;
}

/* A line per port. The ports of an adapter are told from those of others by
 * their GUIDs, which follow that of the adapter. */
const struct nb_graph_format nb_graph_format_ibports = {
    .name = "ibports",
    .title = "ibnetdiscover -p",
    .is = ports_is,
    .is_undirected = true,
    .read = ports_read,
};
