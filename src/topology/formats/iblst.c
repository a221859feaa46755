/* Links of InfiniBand networks, as opensm and ibdiagnet list them in .lst:
 *
 *   { SW Ports:08 ... NodeGUID:... PortGUID:... {name} LID:0002 PN:01 } { CA
 *   ... } PHY=4x LOG=ACT SPD=2.5
 */
#include "core/lines.h"
#include "core/memory.h"
#include "topology/fabric_draft.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A file being read; owns draft. */
struct lst {
    struct nb_draft draft;
    struct nb_lines lines;
};

struct lst_end {
    size_t node;
    uint32_t lid, port;
    uint64_t guid; /* of the port */
    bool is_switch;
};

static bool lst_is(const char *text)
{
    text += strspn(text, " \t\r\n");
    if (*text != '{')
        return false;
    text += 1 + strspn(text + 1, " ");
    text += strcspn(text, " \n");
    return strncmp(text, " Ports:", 7) == 0;
}

static enum nb_status lst_refuse(struct lst *reader, const char *text,
                                 struct nb_error *err)
{
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "\"%.60s\" is not permitted (permitted: { TYPE "
                         "Ports:N NodeGUID:N PortGUID:N {NAME} LID:N PN:N } "
                         "for both ends, in hexadecimal digits)",
                         text);
}

/* Reads the hexadecimal number after a word; false: none, or above most. */
static bool lst_number(const char *text, const char *word, uint64_t most,
                       uint64_t *out)
{
    const char *at = strstr(text, word);
    return at != NULL && nb_draft_read_guid(at + strlen(word), out) &&
           *out <= most;
}

/* Cuts { ... {NAME} LID:0002 PN:01 } into what comes before the name, the name
 * and the rest; false: another form. */
static bool lst_cut(char **text, char **head, char **name, char **tail)
{
    *head = *text + strspn(*text, " \t");
    if (**head != '{')
        return false;
    *name = strchr(++*head, '{');
    char *end = *name != NULL ? strstr(*name, "} LID:") : NULL;
    char *close = end != NULL ? strchr(end + 1, '}') : NULL;
    if (close == NULL)
        return false;
    *(*name)++ = *end = *close = '\0';
    *tail = end + 1;
    *text = close + 1;
    return true;
}

static enum nb_status lst_read_end(struct lst *reader, char **text,
                                   struct lst_end *end, struct nb_error *err)
{
    struct nb_draft_node node = { .line = reader->lines.number };
    char *head, *name, *tail;
    uint64_t ports, lid, port;
    enum nb_status status;
    if (!lst_cut(text, &head, &name, &tail))
        return lst_refuse(reader, *text, err);
    head += strspn(head, " ");
    if (!lst_number(head, "Ports:", NB_FABRIC_PORTS, &ports) ||
        !lst_number(head, "NodeGUID:", UINT64_MAX, &node.is.guid) ||
        !lst_number(head, "PortGUID:", UINT64_MAX, &end->guid))
        return lst_refuse(reader, head, err);
    if (!lst_number(tail, "LID:", UINT16_MAX, &lid) ||
        !lst_number(tail, "PN:", NB_FABRIC_PORTS, &port))
        return lst_refuse(reader, tail, err);
    end->is_switch = strncmp(head, "SW", 2) == 0;
    end->lid = lid <= NB_FABRIC_LIDS ? (uint32_t)lid : 0;
    end->port = (uint32_t)port;
    node.description = name;
    node.is.is_switch = end->is_switch;
    node.is.is_gateway = !end->is_switch && strncmp(head, "CA", 2) != 0;
    node.is.port_count = (uint32_t)ports;
    node.is.lid = end->is_switch ? end->lid : 0;
    NB_TRY(nb_draft_make_id(&reader->draft, end->is_switch ? 'S' : 'H',
                            node.is.guid, &node.id, err));
    NB_TRY(nb_draft_node_meet(&reader->draft, &node, &end->node, err));
done:
    return status;
}

/* PHY=4x LOG=ACT SPD=2.5; returns whether the link is up. */
static bool lst_read_state(char *text, struct nb_fabric_port *port)
{
    unsigned long lanes = 0;
    bool is_up = true;
    for (char *word; (word = nb_lines_word(&text, " \t\r")) != NULL;) {
        if (strncmp(word, "PHY=", 4) == 0)
            lanes = strtoul(word + 4, NULL, 10);
        else if (strncmp(word, "LOG=", 4) == 0)
            is_up = strncmp(word + 4, "DWN", 3) != 0;
        else if (strncmp(word, "SPD=", 4) == 0 && lanes > 0)
            nb_draft_set_rate(port, lanes, word + 4);
    }
    return is_up;
}

static enum nb_status lst_read_line(struct lst *reader, char *line,
                                    struct nb_error *err)
{
    struct nb_draft_cable cable = { .line = reader->lines.number };
    struct lst_end own, other;
    enum nb_status status;
    NB_TRY(lst_read_end(reader, &line, &own, err));
    NB_TRY(lst_read_end(reader, &line, &other, err));
    if (!lst_read_state(line, &cable.is) || own.port == 0 || other.port == 0)
        return NB_OK;
    if (own.port > reader->draft.node[own.node].is.port_count)
        return nb_lines_fail(
            &reader->lines, NB_INVALID, err,
            "port %" PRIu32 " is not permitted (permitted: 1 to %" PRIu32 ")",
            own.port, reader->draft.node[own.node].is.port_count);
    cable.node = own.node;
    cable.target_id = reader->draft.node[other.node].id;
    cable.is.port = own.port;
    cable.is.target_port = other.port;
    cable.is.guid = own.is_switch ? 0 : own.guid;
    cable.is.lid = own.is_switch ? 0 : own.lid;
    cable.target_guid = other.is_switch ? 0 : other.guid;
    NB_TRY(nb_draft_cable_add(&reader->draft, &cable, err));
done:
    return status;
}

static enum nb_status lst_read(char *text, size_t length,
                               const struct nb_graph_options *options,
                               struct nb_graph *graph, struct nb_error *err)
{
    struct lst reader = { .draft.graph = graph };
    enum nb_status status;
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(lst_read_line(&reader, line, err));
    NB_TRY(nb_draft_finish(&reader.draft, options, err));
done:
    nb_draft_release(&reader.draft);
    return status;
}

/* A line per link from each end, as opensm writes opensm-subnet.lst and
 * ibdiagnet ibdiagnet.lst. */
const struct nb_graph_format nb_graph_format_iblst = {
    .name = "iblst",
    .title = ".lst of opensm",
    .is = lst_is,
    .is_undirected = true,
    .read = lst_read,
};
