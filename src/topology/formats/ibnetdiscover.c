/* InfiniBand networks, as ibnetdiscover writes them and ibsim reads them. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/memory.h"
#include "topology/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fabric_blanks[] = " \t\r\f\v";

enum { FABRIC_LMC = 7 };

/* A record: a switch or a channel adapter. Texts point into the file. */
struct fabric_node {
    const char *id;          /* "S-0008f10400410015", or any other */
    const char *description; /* "": none */
    const char *name;        /* the description if unique, else with the id */
    size_t line;
    size_t place; /* number of the record in the file */
    struct nb_fabric_node is;
    bool is_aggregation; /* part of a switch, not a host */
    size_t cables;       /* index of the first one; an adapter has a host per
                          * cable */
    size_t cable_count;
};

/* The line of a port. */
struct fabric_cable {
    size_t node; /* index into node */
    const char *target_id;
    size_t target;        /* index into node, once all are read */
    uint64_t target_guid; /* of the target port; 0: not given */
    size_t line;
    const char *host; /* name of the router with this port */
    struct nb_fabric_port is;
};

/* A file being read; owns its arrays. */
struct fabric {
    struct nb_graph *graph;
    struct nb_lines lines;
    uint64_t guid; /* of the next node; 0: not given */
    struct fabric_node *node;
    size_t node_count, node_capacity;
    struct fabric_cable *cable;
    size_t cable_count, cable_capacity;
    struct fabric_node **by_id;    /* [node_count] */
    struct nb_fabric_node *router; /* [router] in order of names */
    size_t router_capacity;
};

/* Data rate of one lane [Gbit/s], by the names of ibnetdiscover. */
static const struct {
    const char *name;
    struct nb_ratio gigabits;
} fabric_speeds[] = {
    { "SDR", { 2, 1 } },    { "DDR", { 4, 1 } },    { "QDR", { 8, 1 } },
    { "FDR10", { 10, 1 } }, { "FDR", { 150, 11 } }, { "EDR", { 25, 1 } },
    { "HDR", { 50, 1 } },   { "NDR", { 100, 1 } },  { "XDR", { 200, 1 } },
};

bool nb_fabric_speed(struct nb_ratio gigabits, char out[NB_FABRIC_SPEED])
{
    static const unsigned lanes[] = { 4, 1, 8, 12 };
    for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
        for (size_t i = 0; i < sizeof fabric_speeds / sizeof *fabric_speeds;
             i++) {
            const struct nb_ratio data = nb_ratio_multiply(
                nb_ratio_make(lanes[l], 1), fabric_speeds[i].gigabits);
            if (nb_ratio_compare(data, gigabits) != 0)
                continue;
            snprintf(out, NB_FABRIC_SPEED, "%ux%s", lanes[l],
                     fabric_speeds[i].name);
            return true;
        }
    return false;
}

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

/* Begins with the ids or the first line of a switch or host. */
static bool fabric_is_one(const char *text)
{
    for (; *text != '\0'; text += *text == '\n') {
        text += strspn(text, " \t\r\n");
        if (*text == '#') {
            text += strcspn(text, "\n");
            continue;
        }
        const char *type = fabric_type(text);
        if (type == NULL)
            return fabric_is_head(text);
        text += strlen(type);
        text += strspn(text, " \t");
        const size_t digits = strspn(text, "0123456789");
        text += digits;
        text += strspn(text, " \t");
        return digits > 0 && *text == '"';
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

/* Reads a GUID with or without 0x, up to the end, a blank or a parenthesis;
 * false: none. */
static bool fabric_read_guid(const char *text, uint64_t *out)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    const size_t length = strspn(text, "0123456789abcdefABCDEF");
    if (length == 0 || length > 16 ||
        (text[length] != '\0' && strchr(" \t\r(", text[length]) == NULL))
        return false;
    *out = strtoull(text, NULL, 16);
    return true;
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

/* Takes a word of the form "4xQDR"; an unknown name is kept as text only. */
static void fabric_take_speed(const char *word, size_t length,
                              struct nb_fabric_port *port)
{
    char text[NB_FABRIC_SPEED] = "", *name;
    if (length >= NB_FABRIC_SPEED)
        return;
    memcpy(text, word, length);
    const unsigned long lanes = strtoul(text, &name, 10);
    if (lanes == 0 || name[0] != 'x' || name[1] < 'A' || name[1] > 'Z')
        return;
    memcpy(port->speed, text, length + 1);
    for (size_t i = 0; i < sizeof fabric_speeds / sizeof *fabric_speeds; i++)
        if (lanes <= 12 && strcmp(name + 1, fabric_speeds[i].name) == 0)
            port->gigabits =
                nb_ratio_multiply((struct nb_ratio){ (int64_t)lanes, 1 },
                                  fabric_speeds[i].gigabits);
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
            !fabric_read_guid(value, &reader->guid))
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
    struct fabric_node node = { .line = reader->lines.number,
                                .place = reader->node_count,
                                .is.guid = reader->guid };
    char *end, *comment;
    const char *part[3];
    enum nb_status status;
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
    node.is_aggregation = strstr(part[1], "Aggregation Node") != NULL;
    fabric_read_lid(part[2], &node.is.lid, &node.is.lmc);
    if (node.is.guid == 0 && node.id[0] != '\0' && node.id[1] == '-')
        (void)fabric_read_guid(node.id + 2, &node.is.guid);
    reader->guid = 0;
    NB_TRY(nb_reserve(&reader->node, &reader->node_capacity,
                      reader->node_count + 1, sizeof *reader->node, "nodes",
                      err));
    reader->node[reader->node_count++] = node;
done:
    return status;
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
    return guid != NULL && fabric_read_guid(guid, out)
               ? NB_OK
               : fabric_refuse(reader, "GUID",
                               guid != NULL ? guid : fabric_skip(*text),
                               "16 hexadecimal digits or fewer", err);
}

/* Reads the rest of a line: ibsim's settings, name=value, and a comment. */
static enum nb_status fabric_read_rest(struct fabric *reader, char *text,
                                       struct fabric_cable *cable,
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
    struct fabric_cable cable = { .line = reader->lines.number,
                                  .node = reader->node_count - 1 };
    enum nb_status status;
    if (reader->node_count == 0)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "a port comes before any Switch or Ca "
                             "(permitted: after its own)");
    const struct fabric_node *node = &reader->node[cable.node];
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
    NB_TRY(nb_reserve(&reader->cable, &reader->cable_capacity,
                      reader->cable_count + 1, sizeof *reader->cable, "cables",
                      err));
    reader->cable[reader->cable_count++] = cable;
done:
    return status;
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
    return fabric_refuse(reader, "line", line,
                         "Switch or Ca, [port], NAME=VALUE, # and a comment",
                         err);
}

static int fabric_compare_nodes(const void *left, const void *right)
{
    const struct fabric_node *a = left, *b = right;
    if (a->is.is_switch != b->is.is_switch)
        return a->is.is_switch ? -1 : 1;
    if (a->is.guid != b->is.guid)
        return a->is.guid < b->is.guid ? -1 : 1;
    const int order = strverscmp(a->id, b->id);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

/*
 * Puts switches before hosts, each by GUID, or by id where there is none: the
 * order in which ibnetdiscover finds them depends on where it runs. Names do
 * not help: they are arbitrary, not unique, and may change.
 */
static enum nb_status fabric_order_nodes(struct fabric *reader,
                                         struct nb_error *err)
{
    size_t *moved = NULL; /* [place in the file] index in the new order */
    enum nb_status status;
    if (reader->node_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&moved, reader->node_count, sizeof *moved, "nodes", err));
    qsort(reader->node, reader->node_count, sizeof *reader->node,
          fabric_compare_nodes);
    for (size_t i = 0; i < reader->node_count; i++)
        moved[reader->node[i].place] = i;
    for (size_t c = 0; c < reader->cable_count; c++)
        reader->cable[c].node = moved[reader->cable[c].node];
done:
    nb_delete(moved);
    return status;
}

static int fabric_compare_ids(const void *left, const void *right)
{
    const struct fabric_node *a = *(struct fabric_node *const *)left;
    const struct fabric_node *b = *(struct fabric_node *const *)right;
    const int order = strcmp(a->id, b->id);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int fabric_compare_descriptions(const void *left, const void *right)
{
    const struct fabric_node *a = *(struct fabric_node *const *)left;
    const struct fabric_node *b = *(struct fabric_node *const *)right;
    return strcmp(a->description, b->description);
}

static int fabric_find_id(const void *key, const void *entry)
{
    const struct fabric_node *node = *(struct fabric_node *const *)entry;
    return strcmp(key, node->id);
}

static enum nb_status fabric_sort_nodes(struct fabric *reader,
                                        struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_new(&reader->by_id, reader->node_count, sizeof *reader->by_id,
                  "nodes", err));
    for (size_t i = 0; i < reader->node_count; i++)
        reader->by_id[i] = &reader->node[i];
    qsort(reader->by_id, reader->node_count, sizeof *reader->by_id,
          fabric_compare_ids);
    for (size_t i = 1; i < reader->node_count; i++)
        if (strcmp(reader->by_id[i - 1]->id, reader->by_id[i]->id) == 0)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: \"%.60s\" is also on line %zu "
                           "(permitted: one record of each switch and host)",
                           reader->lines.path, reader->by_id[i]->line,
                           reader->by_id[i]->id, reader->by_id[i - 1]->line);
done:
    return status;
}

/* Names a node by its description if no other has it, else by description and
 * id, in the order of ids. */
static enum nb_status fabric_name_nodes(struct fabric *reader,
                                        struct nb_error *err)
{
    struct fabric_node **order = NULL;
    struct nb_pool *pool = &reader->graph->texts;
    const size_t count = reader->node_count;
    enum nb_status status;
    NB_TRY(nb_new(&order, count, sizeof *order, "names", err));
    memcpy(order, reader->by_id, count * sizeof *order);
    qsort(order, count, sizeof *order, fabric_compare_descriptions);
    for (size_t i = 0; i < count; i++) {
        struct fabric_node *node = order[i];
        const bool is_alone =
            (i == 0 ||
             fabric_compare_descriptions(&order[i - 1], &order[i]) != 0) &&
            (i + 1 == count ||
             fabric_compare_descriptions(&order[i], &order[i + 1]) != 0);
        const size_t length = strlen(node->description);
        node->name = length == 0 ? node->id : node->description;
        if (length == 0 || is_alone)
            continue;
        const size_t room = length + strlen(node->id) + 2;
        char *name = nb_pool_array(pool, room, 1);
        NB_TRY(nb_pool_check(pool, "names", err));
        snprintf(name, room, "%s %s", node->description, node->id);
        node->name = name;
    }
done:
    nb_delete(order);
    return status;
}

static int fabric_compare_cables(const void *left, const void *right)
{
    const struct fabric_cable *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->is.port != b->is.port)
        return a->is.port < b->is.port ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* The cable at a port among the first `count`; NULL: none. */
static struct fabric_cable *fabric_find_cable(const struct fabric *reader,
                                              size_t count, size_t node,
                                              uint32_t port)
{
    const struct fabric_cable key = { .node = node, .is = { .port = port } };
    size_t low = 0, end = count;
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        if (fabric_compare_cables(&reader->cable[middle], &key) < 0)
            low = middle + 1;
        else
            end = middle;
    }
    return low < count && reader->cable[low].node == node &&
                   reader->cable[low].is.port == port
               ? &reader->cable[low]
               : NULL;
}

/* Finds the target of every cable, and sorts the cables. */
static enum nb_status fabric_join_cables(struct fabric *reader,
                                         struct nb_error *err)
{
    for (size_t c = 0; c < reader->cable_count; c++) {
        struct fabric_cable *cable = &reader->cable[c];
        struct fabric_node **found =
            bsearch(cable->target_id, reader->by_id, reader->node_count,
                    sizeof *reader->by_id, fabric_find_id);
        if (found == NULL)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: \"%.60s\" has no record of its own "
                           "(permitted: a Switch or Ca that the file lists)",
                           reader->lines.path, cable->line, cable->target_id);
        cable->target = (size_t)(*found - reader->node);
        if (cable->is.target_port > (*found)->is.port_count)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: port %" PRIu32 " of \"%.60s\" is not "
                           "permitted (permitted: 1 to %" PRIu32 ")",
                           reader->lines.path, cable->line,
                           cable->is.target_port, cable->target_id,
                           (*found)->is.port_count);
    }
    if (reader->cable_count > 0)
        qsort(reader->cable, reader->cable_count, sizeof *reader->cable,
              fabric_compare_cables);
    return NB_OK;
}

static enum nb_status fabric_refuse_two(const struct fabric *reader,
                                        const struct fabric_cable *one,
                                        const struct fabric_cable *other,
                                        struct nb_error *err)
{
    const struct fabric_cable *later = one->line > other->line ? one : other;
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: the cable at port %" PRIu32 " of \"%.60s\" "
                   "leads elsewhere on line %zu (permitted: one cable at a "
                   "port, the same at both ends)",
                   reader->lines.path, later->line, later->is.port,
                   reader->node[later->node].id,
                   later == one ? other->line : one->line);
}

/* A cable as listed at its other end. */
static struct fabric_cable fabric_turn(const struct fabric_cable *cable)
{
    struct fabric_cable back = *cable;
    back.node = cable->target;
    back.target = cable->node;
    back.is.port = cable->is.target_port;
    back.is.target_port = cable->is.port;
    back.is.guid = cable->target_guid;
    back.is.lid = back.is.lmc = 0;
    back.is.is_inferred = true;
    return back;
}

/* Adds the other end of cables that only one end lists. */
static enum nb_status fabric_complete(struct fabric *reader,
                                      struct nb_error *err)
{
    const size_t count = reader->cable_count;
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < count; c++) {
        const struct fabric_cable *cable = &reader->cable[c];
        if (c > 0 && cable[-1].node == cable->node &&
            cable[-1].is.port == cable->is.port)
            return fabric_refuse_two(reader, cable - 1, cable, err);
        struct fabric_cable *other = fabric_find_cable(
            reader, count, cable->target, cable->is.target_port);
        if (other != NULL && (other->target != cable->node ||
                              other->is.target_port != cable->is.port))
            return fabric_refuse_two(reader, cable, other, err);
        if (other != NULL && other->is.guid == 0)
            other->is.guid = cable->target_guid;
        if (other != NULL)
            continue;
        const struct fabric_cable back = fabric_turn(cable);
        NB_TRY(nb_reserve(&reader->cable, &reader->cable_capacity,
                          reader->cable_count + 1, sizeof *reader->cable,
                          "cables", err));
        reader->cable[reader->cable_count++] = back;
    }
    if (count > 0)
        qsort(reader->cable, reader->cable_count, sizeof *reader->cable,
              fabric_compare_cables);
    for (size_t c = reader->cable_count; c-- > 0;) {
        reader->node[reader->cable[c].node].cables = c;
        reader->node[reader->cable[c].node].cable_count++;
    }
done:
    return status;
}

/* Adds a router with the data of its node. */
static enum nb_status fabric_add_router(struct fabric *reader,
                                        const struct fabric_node *node,
                                        const char *name, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const size_t last = graph->names.count;
    enum nb_status status;
    NB_TRY(nb_graph_router_add(graph, node->line, name,
                               node->is.is_switch || node->is.is_gateway ||
                                       node->is_aggregation
                                   ? 0
                                   : NB_NONE,
                               err));
    NB_TRY(nb_reserve(&reader->router, &reader->router_capacity, last + 1,
                      sizeof *reader->router, "routers", err));
    reader->router[last] = node->is;
    reader->router[last].description =
        node->description[0] != '\0' ? (uint32_t)strlen(node->description) : 0;
done:
    return status;
}

/* Every switch is a router, and so is every port of an adapter with a cable,
 * since adapters do not forward packets. */
static enum nb_status fabric_add_routers(struct fabric *reader,
                                         struct nb_error *err)
{
    struct nb_pool *pool = &reader->graph->texts;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < reader->node_count; i++) {
        const struct fabric_node *node = &reader->node[i];
        const bool is_one = node->is.is_switch || node->cable_count < 2;
        if (is_one)
            NB_TRY(fabric_add_router(reader, node, node->name, err));
        for (size_t c = 0; c < node->cable_count; c++) {
            struct fabric_cable *cable = &reader->cable[node->cables + c];
            const size_t room = strlen(node->name) + 16;
            cable->host = node->name;
            if (is_one)
                continue;
            char *name = nb_pool_array(pool, room, 1);
            NB_TRY(nb_pool_check(pool, "names", err));
            snprintf(name, room, "%s port %" PRIu32, node->name,
                     cable->is.port);
            cable->host = name;
            NB_TRY(fabric_add_router(reader, node, name, err));
        }
    }
done:
    return status;
}

/* Numbers the routers, and sorts their data accordingly. */
static enum nb_status fabric_number(struct fabric *reader, struct nb_error *err)
{
    const struct nb_graph_names *names = &reader->graph->names;
    struct nb_fabric_node *sorted = NULL;
    enum nb_status status;
    NB_TRY(fabric_add_routers(reader, err));
    nb_graph_names_number(&reader->graph->names);
    if (names->repeated != NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: two switches or hosts are named \"%.60s\"",
                       reader->lines.path, names->repeated);
    NB_TRY(nb_new(&sorted, names->count, sizeof *sorted, "routers", err));
    for (size_t i = 0; i < names->count; i++)
        sorted[names->entry[i].number] = reader->router[i];
    nb_delete(reader->router);
    reader->router = sorted;
    for (size_t c = 0; c < reader->cable_count; c++)
        reader->cable[c].is.router =
            nb_graph_names_find(names, reader->cable[c].host);
    for (size_t c = 0; c < reader->cable_count; c++) {
        struct fabric_cable *cable = &reader->cable[c];
        cable->is.target =
            fabric_find_cable(reader, reader->cable_count, cable->target,
                              cable->is.target_port)
                ->is.router;
    }
done:
    return status;
}

/* The speed that is bandwidth 1: the most common one of hosts' cables, the
 * slower if tied. Not known: no speed is given. */
static struct nb_ratio fabric_usual(const struct fabric *reader)
{
    struct nb_ratio usual = { 0, 0 };
    size_t most = 0;
    for (size_t i = 0; i < sizeof fabric_speeds / sizeof *fabric_speeds; i++)
        for (int lanes = 1; lanes <= 12; lanes++) {
            const struct nb_ratio speed = nb_ratio_multiply(
                (struct nb_ratio){ lanes, 1 }, fabric_speeds[i].gigabits);
            size_t count = 0;
            for (size_t c = 0; c < reader->cable_count; c++)
                count += nb_ratio_is_known(reader->cable[c].is.gigabits) &&
                         nb_ratio_compare(reader->cable[c].is.gigabits,
                                          speed) == 0 &&
                         !reader->node[reader->cable[c].node].is.is_switch;
            if (count > most || (count == most && count > 0 &&
                                 nb_ratio_compare(speed, usual) < 0)) {
                usual = speed;
                most = count;
            }
        }
    return usual;
}

/* The speed of bandwidth 1. */
static struct nb_ratio fabric_unit(const struct fabric *reader)
{
    const struct nb_ratio own = reader->graph->terminal_bandwidth;
    const struct nb_ratio usual = fabric_usual(reader);
    return nb_ratio_is_known(own) && !nb_ratio_is_infinite(own)
               ? nb_ratio_divide(usual, own)
               : usual;
}

static enum nb_status fabric_add_edges(struct fabric *reader, bool are_alike,
                                       struct nb_error *err)
{
    const struct nb_ratio unit = fabric_unit(reader);
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < reader->cable_count; c++) {
        const struct fabric_cable *cable = &reader->cable[c];
        const struct nb_graph_edge edge = {
            .source = cable->host,
            .target = fabric_find_cable(reader, reader->cable_count,
                                        cable->target, cable->is.target_port)
                          ->host,
            .bandwidth = are_alike ? (struct nb_ratio){ 0, 0 }
                                   : nb_ratio_divide(cable->is.gigabits, unit),
            .line = cable->line,
            .is_directed = true,
        };
        if (cable->is.router != cable->is.target)
            NB_TRY(nb_graph_add(reader->graph, &edge, err));
    }
done:
    return status;
}

static int fabric_compare_ports(const void *left, const void *right)
{
    const struct nb_fabric_port *a = left, *b = right;
    if (a->router != b->router)
        return a->router < b->router ? -1 : 1;
    return (a->port > b->port) - (a->port < b->port);
}

static enum nb_status fabric_keep(struct fabric *reader, struct nb_error *err)
{
    const size_t ports = reader->cable_count;
    struct nb_fabric *fabric;
    enum nb_status status;
    NB_TRY(nb_new(&fabric, 1, sizeof *fabric, "ports", err));
    reader->graph->fabric = fabric;
    NB_TRY(nb_new(&fabric->port, ports, sizeof *fabric->port, "ports", err));
    fabric->node = reader->router;
    reader->router = NULL;
    fabric->node_count = reader->graph->names.count;
    fabric->port_count = ports;
    for (size_t c = 0; c < ports; c++)
        fabric->port[c] = reader->cable[c].is;
    if (ports > 0)
        qsort(fabric->port, ports, sizeof *fabric->port, fabric_compare_ports);
    NB_TRY(nb_fabric_index(fabric, err));
done:
    return status;
}

static enum nb_status fabric_read(char *text, size_t length,
                                  const struct nb_graph_options *options,
                                  struct nb_graph *graph, struct nb_error *err)
{
    const bool are_alike = options->ignores_speeds;
    struct fabric reader = { .graph = graph };
    enum nb_status status;
    NB_TRY(nb_graph_read_notes(text + nb_lines_mark(text), graph, err));
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(fabric_read_line(&reader, line, err));
    NB_TRY(fabric_order_nodes(&reader, err));
    NB_TRY(fabric_sort_nodes(&reader, err));
    NB_TRY(fabric_name_nodes(&reader, err));
    NB_TRY(fabric_join_cables(&reader, err));
    NB_TRY(fabric_complete(&reader, err));
    NB_TRY(fabric_number(&reader, err));
    NB_TRY(fabric_add_edges(&reader, are_alike, err));
    NB_TRY(fabric_keep(&reader, err));
    if (!are_alike)
        graph->fabric->unit = fabric_unit(&reader);
    if (options->folds_hosts)
        NB_TRY(nb_graph_fold_hosts(graph, options->terminals, err));
    else /* hosts' cables are channels like others */
        graph->terminal_bandwidth = (struct nb_ratio){ 0, 0 };
done:
    nb_delete(reader.node);
    nb_delete(reader.cable);
    nb_delete(reader.by_id);
    nb_delete(reader.router);
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
    .read = fabric_read,
};
