/* InfiniBand networks, as ibnetdiscover writes them and ibsim reads them. */
#include "core/lines.h"
#include "core/memory.h"
#include "topology/fabric_draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fabric_blanks[] = " \t\r\f\v";

enum { FABRIC_LMC = 7 };

/* A file being read; owns draft. */
struct fabric {
    struct nb_draft draft;
    struct nb_lines lines;
    uint64_t guid;       /* of the next node; 0: not given */
    size_t messages;     /* lines left out */
    const char *message; /* the first of them */
    size_t message_line;
};

static const char *const fabric_types[] = { "Switch", "Ca", "Hca", "Rt" };

/* The node type that a word names; NULL: none. */
static const char *fabric_type(const char *text)
{
    const size_t length = strcspn(text, fabric_blanks);
    for (size_t i = 0; i < sizeof fabric_types / sizeof *fabric_types; i++)
        if (strlen(fabric_types[i]) == length &&
            strncmp(fabric_types[i], text, length) == 0)
            return fabric_types[i];
    return NULL;
}

/* vendid=0x2c9 and the like. */
static bool fabric_is_key(const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    return length > 0 && text[length] == '=';
}

/* Whether a line may come before the first line of a record. */
static bool fabric_is_head(const char *text)
{
    static const char *const heads[] = {
        "vendid=", "devid=",   "sysimgguid=", "switchguid=",
        "caguid=", "Chassis ", "Non-Chassis"
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(text, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* Whether a line begins a record: Switch 36 "S-f4521403001165a0". */
static bool fabric_is_record(const char *text)
{
    const char *type = fabric_type(text);
    if (type == NULL)
        return false;
    text += strlen(type);
    text += strspn(text, " \t");
    const size_t digits = strspn(text, "0123456789");
    text += digits;
    text += strspn(text, " \t");
    return digits > 0 && *text == '"';
}

/* Has the first line of a switch or host, perhaps after warnings, or begins
 * with its ids. */
static bool fabric_is_one(const char *text)
{
    bool is_first = true;
    for (; *text != '\0'; text += strcspn(text, "\n")) {
        text += strspn(text, " \t\r\n");
        if (*text == '#' || *text == '\0')
            continue;
        if (fabric_is_record(text) || (is_first && fabric_is_head(text)))
            return true;
        is_first = false;
    }
    return false;
}

static char *fabric_skip(char *text)
{
    return text + strspn(text, fabric_blanks);
}

/* Cuts off the text between two marks, if the text begins with the first; NULL
 * if it does not or the second is missing. */
static char *fabric_cut(char **text, char open, char close)
{
    char *begin = fabric_skip(*text);
    char *end = *begin == open ? strchr(begin + 1, close) : NULL;
    if (end == NULL)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return begin + 1;
}

/* Reads the LID and lmc after the words "lid" and "lmc" of a text. */
static void fabric_read_lid(const char *text, uint32_t *lid, uint32_t *lmc)
{
    const char *at = strstr(text, "lid ");
    unsigned long value = at != NULL ? strtoul(at + 4, NULL, 10) : 0;
    *lid = value <= NB_FABRIC_LIDS ? (uint32_t)value : 0;
    at = strstr(text, "lmc ");
    value = at != NULL ? strtoul(at + 4, NULL, 10) : 0;
    *lmc = value <= FABRIC_LMC ? (uint32_t)value : 0;
}

/* Divides a comment into the parts before, within and after its quotes, which
 * may also occur in a description; a missing part is "". */
static void fabric_divide(char *comment, const char *part[3])
{
    char *first = strchr(comment, '"');
    char *last = strrchr(comment, '"');
    part[0] = comment;
    part[1] = part[2] = "";
    if (first == NULL || first == last)
        return;
    *first = *last = '\0';
    part[1] = first + 1;
    part[2] = last + 1;
}

/* Takes a word of the form "4xQDR". */
static void fabric_take_speed(const char *word, size_t length,
                              struct nb_fabric_port *port)
{
    char text[NB_FABRIC_SPEED] = "", *name;
    if (length >= NB_FABRIC_SPEED)
        return;
    memcpy(text, word, length);
    const unsigned long lanes = strtoul(text, &name, 10);
    if (lanes > 0 && name[0] == 'x' && name[1] >= 'A' && name[1] <= 'Z')
        nb_draft_set_speed(port, lanes, name + 1);
}

/* Reads the speed, after which ibnetdiscover -f prints s=1 w=2 v=4. */
static void fabric_read_speed(const char *text, struct nb_fabric_port *port)
{
    for (text += strspn(text, fabric_blanks); *text != '\0';) {
        const size_t length = strcspn(text, fabric_blanks);
        fabric_take_speed(text, length, port);
        text += length;
        text += strspn(text, fabric_blanks);
    }
}

static enum nb_status fabric_refuse(struct fabric *reader, const char *what,
                                    const char *text, const char *permitted,
                                    struct nb_error *err)
{
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "%s \"%.60s\" is not permitted (permitted: %s)", what,
                         text, permitted);
}

/* switchguid=0x10b00(10b00) */
static enum nb_status fabric_read_key(struct fabric *reader, const char *line,
                                      struct nb_error *err)
{
    static const char *const keys[] = { "switchguid=", "caguid=", "hcaguid=",
                                        "rtguid=" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = line + strlen(keys[i]);
        if (strncmp(line, keys[i], strlen(keys[i])) == 0 &&
            !nb_draft_read_guid(value, &reader->guid))
            return fabric_refuse(reader, "GUID", value,
                                 "16 hexadecimal digits or fewer", err);
    }
    return NB_OK;
}

/* Switch 36 "S-f4521403001165a0" # "MF0;ib5:SX6036/U1" ... lid 128 lmc 0 */
static enum nb_status fabric_read_node(struct fabric *reader, const char *type,
                                       char *line, struct nb_error *err)
{
    static const char form[] =
        "Switch or Ca, its number of ports and its name in quotes";
    struct nb_draft_node node = { .line = reader->lines.number,
                                  .is.guid = reader->guid };
    char *end, *comment;
    const char *part[3];
    line += strlen(type);
    const unsigned long ports = strtoul(line, &end, 10);
    node.id = fabric_cut(&end, '"', '"');
    if (node.id == NULL || *node.id == '\0')
        return fabric_refuse(reader, type, fabric_skip(line), form, err);
    if (ports < 1 || ports > NB_FABRIC_PORTS)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "\"%.60s\" has %lu ports (permitted: 1 to %d)",
                             node.id, ports, NB_FABRIC_PORTS);
    comment = strchr(end, '#');
    fabric_divide(comment != NULL ? comment + 1 : end + strlen(end), part);
    node.description = part[1];
    node.is.port_count = (uint32_t)ports;
    node.is.is_switch = strcmp(type, "Switch") == 0;
    node.is.is_gateway = strcmp(type, "Rt") == 0;
    fabric_read_lid(part[2], &node.is.lid, &node.is.lmc);
    if (node.is.guid == 0 && node.id[0] != '\0' && node.id[1] == '-')
        (void)nb_draft_read_guid(node.id + 2, &node.is.guid);
    reader->guid = 0;
    return nb_draft_node_add(&reader->draft, &node, err);
}

/* Reads the number of a port of that node in brackets; a number of the chassis
 * may follow: [21][ext 13]. */
static enum nb_status fabric_read_number(struct fabric *reader, char **text,
                                         uint32_t most, uint32_t *out,
                                         struct nb_error *err)
{
    char permitted[64];
    char *number = fabric_cut(text, '[', ']');
    int64_t value;
    snprintf(permitted, sizeof permitted, "[1] to [%" PRIu32 "]", most);
    if (number == NULL)
        return fabric_refuse(reader, "port", fabric_skip(*text), permitted,
                             err);
    if (nb_integer_read(number, "port", 1, most, &value, NULL) != NB_OK)
        return fabric_refuse(reader, "port", number, permitted, err);
    *out = (uint32_t)value;
    if (strncmp(*text, "[ext ", 5) == 0)
        (void)fabric_cut(text, '[', ']');
    return NB_OK;
}

/* Reads a port's GUID in parentheses, if there is one. */
static enum nb_status fabric_read_port_guid(struct fabric *reader, char **text,
                                            uint64_t *out, struct nb_error *err)
{
    if (*fabric_skip(*text) != '(')
        return NB_OK;
    const char *guid = fabric_cut(text, '(', ')');
    return guid != NULL && nb_draft_read_guid(guid, out)
               ? NB_OK
               : fabric_refuse(reader, "GUID",
                               guid != NULL ? guid : fabric_skip(*text),
                               "16 hexadecimal digits or fewer", err);
}

/* Reads the rest of a line: ibsim's settings, name=value, and a comment. */
static enum nb_status fabric_read_rest(struct fabric *reader, char *text,
                                       struct nb_draft_cable *cable,
                                       struct nb_error *err)
{
    const char *part[3];
    char *comment = strchr(text, '#');
    if (comment != NULL)
        *comment++ = '\0';
    for (char *word; (word = nb_lines_word(&text, fabric_blanks)) != NULL;)
        if (strchr(word, '=') == NULL)
            return fabric_refuse(reader, "word", word,
                                 "NAME=VALUE, or # and a comment", err);
    if (comment == NULL)
        return NB_OK;
    fabric_divide(comment, part);
    fabric_read_lid(part[0], &cable->is.lid, &cable->is.lmc);
    fabric_read_speed(part[2], &cable->is);
    return NB_OK;
}

/* [1](24be05ffff985d91) "S-f4521403001165a0"[32] # lid 121 lmc 0 ... */
static enum nb_status fabric_read_port(struct fabric *reader, char *line,
                                       struct nb_error *err)
{
    struct nb_draft_cable cable = { .line = reader->lines.number,
                                    .node = reader->draft.node_count - 1 };
    enum nb_status status;
    if (reader->draft.node_count == 0)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "a port comes before any Switch or Ca "
                             "(permitted: after its own)");
    const struct nb_draft_node *node = &reader->draft.node[cable.node];
    NB_TRY(fabric_read_number(reader, &line, node->is.port_count,
                              &cable.is.port, err));
    NB_TRY(fabric_read_port_guid(reader, &line, &cable.is.guid, err));
    cable.target_id = fabric_cut(&line, '"', '"');
    if (cable.target_id == NULL)
        return fabric_refuse(reader, "port's other end", fabric_skip(line),
                             "a switch or host in quotes and its port", err);
    NB_TRY(fabric_read_number(reader, &line, NB_FABRIC_PORTS,
                              &cable.is.target_port, err));
    NB_TRY(fabric_read_port_guid(reader, &line, &cable.target_guid, err));
    NB_TRY(fabric_read_rest(reader, line, &cable, err));
    NB_TRY(nb_draft_cable_add(&reader->draft, &cable, err));
done:
    return status;
}

static enum nb_status fabric_refuse_line(struct fabric *reader,
                                         const char *line, struct nb_error *err)
{
    return fabric_refuse(reader, "line", line,
                         "Switch or Ca, [port], NAME=VALUE, # and a comment",
                         err);
}

/* Warnings of the programs, which may be mixed with their output. */
static bool fabric_is_message(const char *line)
{
    static const char *const starts[] = { "ibwarn:",  "ibpanic:", "ibdebug:",
                                          "DR path ", "src/",     "WARN" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Says what was skipped; without any record, it is an error. */
static enum nb_status fabric_note_messages(struct fabric *reader,
                                           struct nb_error *err)
{
    if (reader->messages == 0)
        return NB_OK;
    if (reader->draft.node_count == 0) {
        reader->lines.number = reader->message_line;
        return fabric_refuse_line(reader, reader->message, err);
    }
    nb_graph_note(reader->draft.graph, "messages",
                  "lines left out that describe no switch, host or port: %zu, "
                  "the first \"%.60s\"",
                  reader->messages, reader->message);
    return NB_OK;
}

static enum nb_status fabric_read_line(struct fabric *reader, char *line,
                                       struct nb_error *err)
{
    const char *type = fabric_type(line);
    if (type != NULL)
        return fabric_read_node(reader, type, line, err);
    if (*line == '[')
        return fabric_read_port(reader, line, err);
    if (fabric_is_key(line))
        return fabric_read_key(reader, line, err);
    /* Headings in files that list chassis. */
    if (strncmp(line, "Chassis", 7) == 0 ||
        strncmp(line, "Non-Chassis", 11) == 0)
        return NB_OK;
    if (!fabric_is_message(line) && reader->draft.node_count > 0)
        return fabric_refuse_line(reader, line, err);
    if (reader->messages++ == 0) {
        reader->message = line;
        reader->message_line = reader->lines.number;
    }
    return NB_OK;
}

static enum nb_status fabric_read(char *text, size_t length,
                                  const struct nb_graph_options *options,
                                  struct nb_graph *graph, struct nb_error *err)
{
    struct fabric reader = { .draft.graph = graph };
    enum nb_status status;
    NB_TRY(nb_graph_read_notes(text + nb_lines_mark(text), graph, err));
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(fabric_read_line(&reader, line, err));
    NB_TRY(fabric_note_messages(&reader, err));
    NB_TRY(nb_draft_finish(&reader.draft, options, err));
done:
    nb_draft_release(&reader.draft);
    return status;
}

/*
 * An InfiniBand network as ibnetdiscover writes it and ibsim reads it. Routers
 * are switches and hosts; a host is a port of a channel adapter that has a
 * cable. A router's name is its description if no other has the same; else its
 * id is added, and the port where an adapter has several. Only hosts have
 * terminals, except aggregation nodes, which are parts of switches, and routers
 * of InfiniBand, which lead to other subnets. Each cable is a channel each way,
 * even if only one end lists it; cables that join a node with itself are kept
 * only in the fabric.
 *
 * Refused are a port or number that is not one of the node's, a cable to a node
 * without a record or whose two ends disagree, and a node with two records.
 */
const struct nb_graph_format nb_graph_format_ibnetdiscover = {
    .name = "ibnetdiscover",
    .title = "ibnetdiscover",
    .is = fabric_is_one,
    .is_undirected = true,
    .read = fabric_read,
};
