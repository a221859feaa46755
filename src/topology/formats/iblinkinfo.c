/* Links of InfiniBand networks, as iblinkinfo prints them:
 *
 *   Switch: 0x0000000000000110 leaf two:
 *     4  1[  ] ==( 4X  2.5 Gbps Active/  LinkUp)==>  9  1[  ] "n4" ( )
 *   CA: n4:
 *     0x0000000000000a41  9  1[  ] ==( ... )==>  4  1[  ] "leaf two" ( )
 *
 * With -l there are no headings: a GUID and a name begin each line, and a GUID
 * comes before the other end's LID. */
#include "core/lines.h"
#include "core/memory.h"
#include "topology/fabric_draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most ports of a node without lines of its own that may be an adapter. */
enum { LINKINFO_ADAPTER = 4 };

static const char linkinfo_blanks[] = " \t\r\f\v";

/* The other end of a cable as its line names it. */
struct linkinfo_end {
    uint64_t guid; /* 0: not given */
    uint32_t lid;
    const char *name;
};

/* A file being read; owns draft and other. */
struct linkinfo {
    struct nb_draft draft;
    struct nb_lines lines;
    bool is_heading; /* name and switch_guid are those of a heading */
    const char *name;
    uint64_t switch_guid;       /* 0: an adapter */
    struct linkinfo_end *other; /* [draft.cable_count] */
    size_t other_capacity;
    uint32_t *by_lid; /* [NB_FABRIC_LIDS + 1] node + 1; 0: none */
    size_t unlisted;  /* nodes without a line of their own */
};

/* What follows the word that begins a heading; NULL: no heading. */
static const char *linkinfo_heading(const char *line, bool *is_switch)
{
    static const char *const starts[] = { "Switch: ", "Switch 0x",
                                          "CA: ", "Router: ", "RT: " };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const size_t length = strlen(starts[i]);
        *is_switch = i < 2;
        if (strncmp(line, starts[i], length) == 0)
            return i == 1 ? line + length - 2 : line + length;
    }
    return NULL;
}

static bool linkinfo_is(const char *text)
{
    bool is_switch;
    text += strspn(text, " \t\r\n");
    if (linkinfo_heading(text, &is_switch) != NULL)
        return true;
    const char *arrow = strstr(text, "==(");
    return strncmp(text, "0x", 2) == 0 && arrow != NULL &&
           arrow < text + strcspn(text, "\n");
}

static enum nb_status linkinfo_refuse(struct linkinfo *reader, const char *what,
                                      const char *text, struct nb_error *err)
{
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "%s \"%.60s\" is not permitted (permitted: a line of "
                         "iblinkinfo, such as 4 1[ ] ==( 4X 10.0 Gbps Active/ "
                         "LinkUp)==> 9 1[ ] \"NAME\")",
                         what, text != NULL ? text : "");
}

/* Switch: 0x0000000000000110 leaf two: */
static enum nb_status linkinfo_read_heading(struct linkinfo *reader, char *text,
                                            bool is_switch,
                                            struct nb_error *err)
{
    const size_t length = strlen(text);
    reader->is_heading = true;
    reader->switch_guid = 0;
    if (length > 0 && text[length - 1] == ':')
        text[length - 1] = '\0';
    if (is_switch) {
        const char *guid = nb_lines_word(&text, linkinfo_blanks);
        if (guid == NULL || !nb_draft_read_guid(guid, &reader->switch_guid) ||
            reader->switch_guid == 0)
            return linkinfo_refuse(reader, "GUID", guid, err);
    }
    reader->name = text + strspn(text, linkinfo_blanks);
    return NB_OK;
}

/* Cuts off 0x0000000000000a41, if a text begins with it; 0: it does not. */
static uint64_t linkinfo_guid(char **text)
{
    uint64_t guid = 0;
    *text += strspn(*text, linkinfo_blanks);
    if (strncmp(*text, "0x", 2) == 0 && nb_draft_read_guid(*text, &guid))
        *text += strcspn(*text, linkinfo_blanks);
    return guid;
}

/* Cuts off 4 1[  ], LID and port; false: another form. A port without the other
 * end has neither. */
static bool linkinfo_place(char **text, uint32_t *lid, uint32_t *port)
{
    char *end;
    const unsigned long first = strtoul(*text, &end, 10);
    const bool has_lid = end > *text;
    const unsigned long second = strtoul(end, text, 10);
    *lid = first <= NB_FABRIC_LIDS ? (uint32_t)first : 0;
    *port = (uint32_t)second;
    *text += strspn(*text, linkinfo_blanks);
    char *close = **text == '[' ? strchr(*text, ']') : NULL;
    if (!has_lid || second > NB_FABRIC_PORTS || close == NULL)
        return false;
    *text = close + 1;
    return true;
}

/* Reads 4X 2.5 Gbps Active/ LinkUp. */
static void linkinfo_read_speed(char *text, struct nb_fabric_port *port)
{
    const char *lanes = nb_lines_word(&text, linkinfo_blanks);
    const char *rate = nb_lines_word(&text, linkinfo_blanks);
    char *end;
    if (lanes == NULL || rate == NULL)
        return;
    const unsigned long count = strtoul(lanes, &end, 10);
    if (count > 0 && (*end == 'X' || *end == 'x'))
        nb_draft_set_rate(port, count, rate);
}

/* Adds the node of a line. Of -l, whether it is a switch shows only at the end:
 * it has one GUID for all its ports. */
static enum nb_status linkinfo_meet(struct linkinfo *reader, uint64_t guid,
                                    const char *name, uint32_t port,
                                    size_t *out, struct nb_error *err)
{
    struct nb_draft_node node = {
        .description = name,
        .line = reader->lines.number,
        /* Without headings, adapters' ports are nodes of their own. */
        .order =
            reader->is_heading && reader->switch_guid == 0 ? guid - port : guid,
        .is.port_count = port,
    };
    enum nb_status status;
    NB_TRY(nb_draft_make_id(&reader->draft, 'N', node.order, &node.id, err));
    NB_TRY(nb_draft_node_meet(&reader->draft, &node, out, err));
done:
    return status;
}

/* Reads what identifies a line's own port. */
static enum nb_status linkinfo_read_own(struct linkinfo *reader, char *line,
                                        struct nb_draft_cable *cable,
                                        struct nb_error *err)
{
    const uint64_t given = linkinfo_guid(&line);
    const uint64_t guid = given != 0 ? given : reader->switch_guid;
    uint32_t lid, port;
    enum nb_status status;
    line += strspn(line, linkinfo_blanks);
    if (*line == '"') { /* a line of -l */
        char *end = strstr(line + 1, "\" ");
        if (end == NULL)
            return linkinfo_refuse(reader, "name", line, err);
        *end = '\0';
        reader->name = line + 1 + strspn(line + 1, linkinfo_blanks);
        line = end + 1;
    } else if (!reader->is_heading) {
        return linkinfo_refuse(reader, "line", line, err);
    }
    const char *rest = line;
    if (guid == 0 || !linkinfo_place(&line, &lid, &port) || port < 1)
        return linkinfo_refuse(reader, "port", rest, err);
    NB_TRY(linkinfo_meet(reader, guid, reader->name, port, &cable->node, err));
    struct nb_draft_node *node = &reader->draft.node[cable->node];
    node->listed++;
    if (reader->switch_guid != 0)
        node->is.is_switch = true;
    node->is.lid = lid;
    cable->is.lid = lid;
    cable->is.port = port;
    cable->is.guid = guid;
    if (lid > 0)
        reader->by_lid[lid] = (uint32_t)cable->node + 1;
done:
    return status;
}

static enum nb_status linkinfo_read_port(struct linkinfo *reader, char *line,
                                         struct nb_error *err)
{
    struct nb_draft_cable cable = { .line = reader->lines.number };
    struct linkinfo_end other = { 0 };
    char *begin = strstr(line, "==("), *end;
    enum nb_status status;
    end = begin != NULL ? strstr(begin, ")==>") : NULL;
    if (end == NULL)
        return linkinfo_refuse(reader, "line", line, err);
    *begin = *end = '\0';
    NB_TRY(linkinfo_read_own(reader, line, &cable, err));
    linkinfo_read_speed(begin + 3, &cable.is);
    line = end + 4;
    other.guid = linkinfo_guid(&line);
    char *name = strchr(line, '"'), *close = strrchr(line, '"');
    if (line[strspn(line, linkinfo_blanks)] == '[')
        return NB_OK; /* no link */
    if (!linkinfo_place(&line, &other.lid, &cable.is.target_port) ||
        name == NULL || name == close || cable.is.target_port < 1)
        return linkinfo_refuse(reader, "other end", line, err);
    *close = '\0';
    other.name = name + 1;
    NB_TRY(nb_reserve(&reader->other, &reader->other_capacity,
                      reader->draft.cable_count + 1, sizeof *reader->other,
                      "cables", err));
    reader->other[reader->draft.cable_count] = other;
    NB_TRY(nb_draft_cable_add(&reader->draft, &cable, err));
done:
    return status;
}

static enum nb_status linkinfo_read_line(struct linkinfo *reader, char *line,
                                         struct nb_error *err)
{
    bool is_switch;
    const char *heading = linkinfo_heading(line, &is_switch);
    return heading != NULL
               ? linkinfo_read_heading(reader, line + (heading - line),
                                       is_switch, err)
               : linkinfo_read_port(reader, line, err);
}

/* Adds a cable as its host would list it, so that the host has its LID. */
static enum nb_status linkinfo_turn(struct nb_draft *draft, size_t c,
                                    size_t host, const struct linkinfo_end *end,
                                    struct nb_error *err)
{
    const struct nb_draft_cable *cable = &draft->cable[c];
    struct nb_draft_cable back = *cable;
    back.node = host;
    back.target_id = draft->node[cable->node].id;
    back.is.port = cable->is.target_port;
    back.is.target_port = cable->is.port;
    back.is.guid = end->guid;
    back.is.lid = end->lid;
    back.is.is_inferred = true;
    return nb_draft_cable_add(draft, &back, err);
}

/* Finds the node at the other end of a cable, or adds it as a host: files made
 * with --switches-only list only switches. */
static enum nb_status linkinfo_join(struct linkinfo *reader, size_t c,
                                    struct nb_error *err)
{
    const struct linkinfo_end *other = &reader->other[c];
    struct nb_draft *draft = &reader->draft;
    struct nb_draft_cable *cable = &draft->cable[c];
    const size_t count = draft->node_count;
    const uint32_t known = reader->by_lid[other->lid];
    size_t target = known > 0 ? known - 1 : 0;
    struct nb_draft_node node = {
        .description = other->name,
        .line = cable->line,
        .order = other->guid != 0 ? other->guid : other->lid,
        .is.lid = other->lid,
        .is.guid = other->guid,
        .is.port_count = cable->is.target_port,
        .is.is_switch = cable->is.target_port > LINKINFO_ADAPTER,
    };
    enum nb_status status = NB_OK;
    if (known == 0) {
        if (other->guid == 0 && other->lid == 0) {
            reader->lines.number = cable->line;
            return linkinfo_refuse(reader, "other end without a LID",
                                   other->name, err);
        }
        NB_TRY(nb_draft_make_id(draft, other->guid != 0 ? 'N' : 'L', node.order,
                                &node.id, err));
        NB_TRY(nb_draft_node_meet(draft, &node, &target, err));
        reader->unlisted += draft->node_count > count;
    }
    cable->target_id = draft->node[target].id;
    if (known == 0)
        NB_TRY(linkinfo_turn(draft, c, target, other, err));
done:
    return status;
}

/* Joins the cables, and tells switches from adapters. */
static enum nb_status linkinfo_finish(struct linkinfo *reader,
                                      struct nb_error *err)
{
    struct nb_draft *draft = &reader->draft;
    const size_t listed = draft->cable_count;
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < listed; c++)
        NB_TRY(linkinfo_join(reader, c, err));
    for (size_t i = 0; i < draft->node_count; i++) {
        struct nb_draft_node *node = &draft->node[i];
        if (!reader->is_heading && node->listed > 1)
            node->is.is_switch = true;
        if (!node->is.is_switch)
            node->is.guid = node->is.lid = 0;
        else if (node->listed > 0)
            node->is.guid = node->order;
    }
    for (size_t c = 0; c < draft->cable_count; c++)
        if (draft->node[draft->cable[c].node].is.is_switch)
            draft->cable[c].is.guid = draft->cable[c].is.lid = 0;
    if (reader->unlisted > 0)
        nb_graph_note(draft->graph, "unlisted",
                      "nodes without lines of their own: %zu; those linked at "
                      "ports 1 to %d are taken for hosts",
                      reader->unlisted, LINKINFO_ADAPTER);
done:
    return status;
}

static enum nb_status linkinfo_read(char *text, size_t length,
                                    const struct nb_graph_options *options,
                                    struct nb_graph *graph,
                                    struct nb_error *err)
{
    struct linkinfo reader = { .draft.graph = graph };
    enum nb_status status;
    NB_TRY(nb_new(&reader.by_lid, NB_FABRIC_LIDS + 1, sizeof *reader.by_lid,
                  "LIDs", err));
    NB_TRY(nb_lines_begin(&reader.lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(linkinfo_read_line(&reader, line, err));
    NB_TRY(linkinfo_finish(&reader, err));
    NB_TRY(nb_draft_finish(&reader.draft, options, err));
done:
    nb_delete(reader.other);
    nb_delete(reader.by_lid);
    nb_draft_release(&reader.draft);
    return status;
}

/* A line per port, with or without -l and --switches-only. The other end is
 * found by its GUID or LID; without a record of its own, it is a host. */
const struct nb_graph_format nb_graph_format_iblinkinfo = {
    .name = "iblinkinfo",
    .title = "iblinkinfo",
    .is = linkinfo_is,
    .is_undirected = true,
    .read = linkinfo_read,
};
