#include "routing/formats/forwarding.h"

#include "core/lines.h"
#include "core/memory.h"
#include "core/store.h"
#include "routing/strays.h"
#include "routing/table_ways.h"
#include "topology/fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORWARDING_NO_PORT = 255,
    FORWARDING_DROPPED = 15 /* the management lane, which carries no data */
};

/* A row of a switch's table. */
struct forwarding_row {
    uint32_t router;
    uint16_t lid;
    uint8_t port;
};

/* Tables being read; owns its arrays. */
struct forwarding {
    struct nb_forwarding *out;
    struct nb_lines lines;
    struct forwarding_row *row;
    size_t row_count, row_room;
    size_t forgotten; /* rows before this one belong to earlier tables */
    bool *is_known;   /* [router] its table was read */
    uint16_t *port;   /* [NB_LIDS] port + 1 in the current table; 0: none */
    uint32_t router;  /* router of the current table; NB_NONE: none yet */
    bool is_ended;    /* the end of the current table was read */
    bool has_ends;    /* the file marks the ends of tables */
};

static const char forwarding_what[] = "forwarding tables";

/* Reads the GUID that follows a word in a text; false: there is none. */
static bool forwarding_read_guid(const char *text, const char *word,
                                 uint64_t *out)
{
    const char *at = strstr(text, word);
    char *end;
    if (at == NULL || at[strlen(word)] != '0')
        return false;
    *out = strtoull(at + strlen(word), &end, 16);
    return end > at + strlen(word) + 2;
}

/* "Unicast lids [0-32] of switch Lid 2 guid 0x... ('sw0'):", or
 * "dump_ucast_routes: Switch 0x..." */
static bool forwarding_is_head(const char *line, uint64_t *guid)
{
    return strncmp(line, "Unicast lids ", 13) == 0
               ? forwarding_read_guid(line, " guid ", guid)
               : (strncmp(line, "Switch ", 7) == 0 ||
                  strstr(line, ": Switch ") != NULL) &&
                     forwarding_read_guid(line, "Switch ", guid);
}

bool nb_is_forwarding(const char *text)
{
    char line[200] = "";
    uint64_t guid;
    text += nb_lines_mark(text);
    while (*text == '#' || *text == '\n' || *text == '\r')
        text += *text == '#' ? strcspn(text, "\n") : 1;
    const size_t length = strcspn(text, "\r\n");
    memcpy(line, text, length < sizeof line ? length : sizeof line - 1);
    return forwarding_is_head(line, &guid);
}

/* Whether a line is a heading of columns. */
static bool forwarding_is_heading(const char *line)
{
    return strncmp(line, "LID ", 4) == 0 || strncmp(line, "Lid ", 4) == 0 ||
           strncmp(line, "Port ", 5) == 0;
}

/* Refuses a truncated file: this table has no end mark but others have. */
static enum nb_status forwarding_end(const struct forwarding *reader,
                                     struct nb_error *err)
{
    if (!reader->has_ends || reader->is_ended)
        return NB_OK;
    return nb_lines_fail(&reader->lines, NB_INVALID, err,
                         "the table of \"%.60s\" is cut off (permitted: "
                         "\"lids dumped\" at the end of all, or of none)",
                         nb_router_name(reader->out->topology, reader->router));
}

static enum nb_status forwarding_begin(struct forwarding *reader, uint64_t guid,
                                       struct nb_error *err)
{
    const struct nb_fabric *fabric = reader->out->topology->fabric;
    const uint32_t router = nb_fabric_find_guid(fabric, guid);
    if (router == NB_NONE || !fabric->node[router].is_switch)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "no switch has GUID 0x%016" PRIx64
                             " (permitted: those of the network)",
                             guid);
    if (reader->is_known[router])
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "the table of \"%.60s\" appears twice "
                             "(permitted: once)",
                             nb_router_name(reader->out->topology, router));
    const enum nb_status status = forwarding_end(reader, err);
    reader->is_known[router] = true;
    reader->router = router;
    reader->is_ended = false;
    for (; reader->forgotten < reader->row_count; reader->forgotten++)
        reader->port[reader->row[reader->forgotten].lid] = 0;
    return status;
}

/* The owner of a LID by a port's GUID; by the network's LIDs where it does not
 * give the GUID of the port. */
static uint32_t forwarding_find_owner(const struct nb_forwarding *out,
                                      unsigned long lid, uint64_t guid)
{
    const struct nb_fabric *fabric = out->topology->fabric;
    const uint32_t found = nb_fabric_find_port_guid(fabric, guid);
    const uint32_t known = out->of_lid[lid];
    const struct nb_fabric_port *door = found == NB_NONE && known != NB_NONE
                                            ? nb_fabric_door(fabric, known)
                                            : NULL;
    return door != NULL && door->guid == 0 ? known : found;
}

/* Sets the owner of a LID; counts those that differ from the network's. */
static void forwarding_set_owner(struct nb_forwarding *out, unsigned long lid,
                                 uint64_t guid)
{
    const uint32_t known = out->of_lid[lid];
    out->of_lid[lid] = forwarding_find_owner(out, lid, guid);
    if (known == NB_NONE || out->of_lid[lid] == known)
        return;
    if (out->moved_lids++ == 0)
        out->moved_lid = (uint32_t)lid;
}

/* "0x0001 005 # Channel Adapter portguid 0x...: 'h0 HCA-1'" or
 * "0x0001 : 005  : 01   : yes". */
static enum nb_status forwarding_read_row(struct forwarding *reader,
                                          const char *line,
                                          struct nb_error *err)
{
    struct nb_forwarding *out = reader->out;
    char *end;
    const unsigned long lid = strtoul(line, &end, 16);
    const char *text = end + strspn(end, " \t:");
    unsigned long port = strtoul(text, &end, 10);
    uint64_t guid;
    enum nb_status status = NB_OK;
    if (reader->router == NB_NONE)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "a row comes before any switch (permitted: after "
                             "its switch)");
    if (lid == 0 || lid >= NB_LIDS)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "LID \"%.*s\" is not permitted (permitted: "
                             "0x0001 to 0x%04X)",
                             (int)strcspn(line, " \t"), line, NB_LIDS - 1);
    if (end == text && strncmp(text, "UNREACHABLE", 11) == 0)
        return NB_OK;
    const uint32_t most =
        out->topology->fabric->node[reader->router].port_count;
    if (end == text || strchr(" \t#:", *end) == NULL ||
        (port > most && port != FORWARDING_NO_PORT))
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "port \"%.*s\" is not permitted (permitted: 0 "
                             "to %" PRIu32 ", those of \"%.60s\")",
                             (int)strcspn(text, " \t#:"), text, most,
                             nb_router_name(out->topology, reader->router));
    if (reader->port[lid] > 0 && reader->port[lid] != port + 1)
        return nb_lines_fail(&reader->lines, NB_INVALID, err,
                             "LID 0x%04lX also has port %u (permitted: one "
                             "port per LID)",
                             lid, reader->port[lid] - 1U);
    reader->port[lid] = (uint16_t)(port + 1);
    if (forwarding_read_guid(end, "portguid ", &guid))
        forwarding_set_owner(out, lid, guid);
    NB_TRY(nb_reserve(&reader->row, &reader->row_room, reader->row_count + 1,
                      sizeof *reader->row, forwarding_what, err));
    reader->row[reader->row_count++] = (struct forwarding_row){
        .router = reader->router, .lid = (uint16_t)lid, .port = (uint8_t)port
    };
done:
    return status;
}

static enum nb_status forwarding_read_line(struct forwarding *reader,
                                           const char *line,
                                           struct nb_error *err)
{
    uint64_t guid;
    if (strncmp(line, "0x", 2) == 0)
        return forwarding_read_row(reader, line, err);
    if (forwarding_is_head(line, &guid))
        return forwarding_begin(reader, guid, err);
    if (strstr(line, " dumped") != NULL)
        reader->is_ended = reader->has_ends = true;
    else if (!forwarding_is_heading(line))
        return nb_lines_fail(
            &reader->lines, NB_INVALID, err,
            "\"%.60s\" is not permitted (permitted: Unicast "
            "lids ... of switch ... guid GUID, or Switch GUID; "
            "LID and port)",
            line);
    return NB_OK;
}

/* Takes the LIDs from the network, before the rows are read. */
static void forwarding_take_lids(struct nb_forwarding *out)
{
    const struct nb_fabric *fabric = out->topology->fabric;
    for (size_t l = 0; l < NB_LIDS; l++)
        out->of_lid[l] = NB_NONE;
    for (uint32_t r = 0; r < fabric->node_count; r++)
        if (fabric->node[r].is_switch && fabric->node[r].lid > 0)
            out->of_lid[fabric->node[r].lid] = r;
    for (size_t p = 0; p < fabric->port_count; p++) {
        const struct nb_fabric_port *port = &fabric->port[p];
        const size_t end = port->lid + ((size_t)1 << port->lmc);
        for (size_t l = port->lid; l > 0 && l < end && l < NB_LIDS; l++)
            if (!fabric->node[port->router].is_switch)
                out->of_lid[l] = port->router;
    }
}

/* Whether packets are sent to a LID. */
static bool forwarding_is_address(const struct nb_forwarding *forwarding,
                                  uint32_t lid)
{
    const uint32_t router = forwarding->of_lid[lid];
    return router != NB_NONE && forwarding->topology->terminals[router] > 0 &&
           (!forwarding->is_base || forwarding->lid[router] == lid);
}

/* Lists the addresses and allocates their next hops. */
static enum nb_status forwarding_list(struct nb_forwarding *out,
                                      struct nb_error *err)
{
    const size_t n = out->topology->router_count;
    enum nb_status status;
    for (uint32_t l = NB_LIDS; l-- > 1;)
        if (out->of_lid[l] != NB_NONE)
            out->lid[out->of_lid[l]] = l;
    for (uint32_t l = 1; l < NB_LIDS; l++)
        if (forwarding_is_address(out, l))
            out->first[out->of_lid[l] + 1]++;
    for (size_t r = 0; r < n; r++)
        out->first[r + 1] += out->first[r];
    out->address_count = out->first[n];
    NB_TRY(nb_new(&out->address, out->address_count, sizeof *out->address,
                  forwarding_what, err));
    for (uint32_t l = 1; l < NB_LIDS; l++) {
        const uint32_t router = out->of_lid[l];
        size_t at;
        if (!forwarding_is_address(out, l))
            continue;
        for (at = out->first[router]; out->address[at].lid != 0; at++)
            ;
        out->address[at] = (struct nb_forwarding_address){ l, router };
    }
    const size_t hops = out->address_count * n;
    NB_TRY(nb_memory_require((double)hops * sizeof *out->next, forwarding_what,
                             err));
    NB_TRY(nb_new(&out->next, hops, sizeof *out->next, forwarding_what, err));
    for (size_t k = 0; k < hops; k++)
        out->next[k] = NB_NONE;
done:
    return status;
}

/* The index of a LID's address; address_count: it is none. */
static size_t forwarding_find_address(const struct nb_forwarding *forwarding,
                                      uint32_t lid)
{
    if (!forwarding_is_address(forwarding, lid))
        return forwarding->address_count;
    size_t at = forwarding->first[forwarding->of_lid[lid]];
    while (forwarding->address[at].lid != lid)
        at++;
    return at;
}

/* Finds next hops: of switches from the rows, of hosts by their first cable. */
static enum nb_status forwarding_resolve(struct forwarding *reader,
                                         struct nb_error *err)
{
    struct nb_forwarding *out = reader->out;
    const struct nb_topology *topology = out->topology;
    const struct nb_fabric *fabric = topology->fabric;
    const size_t n = topology->router_count;
    bool has_host = false;
    enum nb_status status = NB_OK;
    if (reader->row_count == 0)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has no rows (permitted: Unicast lids ... "
                       "of switch ... guid GUID, or Switch GUID; LID and "
                       "port)",
                       reader->lines.path);
    NB_TRY(forwarding_list(out, err));
    for (size_t i = 0; i < reader->row_count; i++) {
        const struct forwarding_row *row = &reader->row[i];
        const size_t to = forwarding_find_address(out, row->lid);
        const struct nb_fabric_port *port =
            nb_fabric_find(fabric, row->router, row->port);
        if (to == out->address_count || out->address[to].router == row->router)
            continue;
        has_host = true;
        if (port != NULL)
            out->next[to * n + row->router] = nb_fabric_channel(topology, port);
    }
    if (!has_host)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.200s: none of its LIDs is a host's (permitted: rows "
                       "with the GUIDs of ports, or a network with LIDs)",
                       reader->lines.path));
    for (uint32_t r = 0; r < n; r++) {
        const struct nb_fabric_port *door = nb_fabric_door(fabric, r);
        for (size_t a = 0; a < out->address_count && !fabric->node[r].is_switch;
             a++)
            if (out->address[a].router != r && door != NULL)
                out->next[a * n + r] = nb_fabric_channel(topology, door);
    }
done:
    return status;
}

enum nb_status nb_forwarding_read(const struct nb_topology *topology,
                                  const char *path, bool is_base,
                                  struct nb_forwarding *out,
                                  struct nb_error *err)
{
    struct forwarding reader = { .out = out, .router = NB_NONE };
    enum nb_status status;
    *out = (struct nb_forwarding){ .topology = topology, .is_base = is_base };
    if (topology->fabric == NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: forwarding tables need GUIDs of switches, "
                       "which topology %.60s does not have (permitted: file: "
                       "with output of ibnetdiscover)",
                       nb_file_name(path), topology->kind->kind.name);
    NB_TRY(nb_new(&out->of_lid, NB_LIDS, sizeof *out->of_lid, forwarding_what,
                  err));
    NB_TRY(nb_new(&out->lid, topology->router_count, sizeof *out->lid,
                  forwarding_what, err));
    NB_TRY(nb_new(&out->first, topology->router_count + 1, sizeof *out->first,
                  forwarding_what, err));
    NB_TRY(nb_new(&reader.port, NB_LIDS, sizeof *reader.port, forwarding_what,
                  err));
    NB_TRY(nb_new(&reader.is_known, topology->router_count,
                  sizeof *reader.is_known, forwarding_what, err));
    forwarding_take_lids(out);
    NB_TRY(nb_lines_open(&reader.lines, path, '#', NB_STORE_BYTES, err));
    for (const char *line; (line = nb_lines_next(&reader.lines)) != NULL;)
        NB_TRY(forwarding_read_line(&reader, line, err));
    NB_TRY(forwarding_end(&reader, err));
    NB_TRY(forwarding_resolve(&reader, err));
done:
    nb_lines_close(&reader.lines);
    nb_delete(reader.row);
    nb_delete(reader.is_known);
    nb_delete(reader.port);
    return status;
}

/* Reads a LID in decimal, which the network must have. */
static enum nb_status forwarding_read_lid(const struct nb_forwarding *in,
                                          const struct nb_lines *lines,
                                          const char *word, uint32_t *out,
                                          struct nb_error *err)
{
    int64_t lid;
    enum nb_status status;
    NB_TRY(
        nb_lines_whole(lines, "LID", "a LID", word, 1, NB_LIDS - 1, &lid, err));
    if (in->of_lid[lid] == NB_NONE)
        return nb_lines_fail(lines, NB_INVALID, err,
                             "no switch or host has LID %" PRId64
                             " (permitted: those of the network)",
                             lid);
    *out = (uint32_t)lid;
done:
    return status;
}

static enum nb_status forwarding_read_level(struct nb_forwarding *forwarding,
                                            const struct nb_lines *lines,
                                            char *line, struct nb_error *err)
{
    static const char blanks[] = " \t";
    const char *word[3];
    uint32_t source = 0, destination = 0;
    int64_t level;
    enum nb_status status;
    for (size_t i = 0; i < 3; i++)
        word[i] = nb_lines_word(&line, blanks);
    if (word[2] == NULL || nb_lines_word(&line, blanks) != NULL)
        return nb_lines_fail(lines, NB_INVALID, err,
                             "not a pair's service level (permitted: source "
                             "LID, destination LID, level)");
    NB_TRY(forwarding_read_lid(forwarding, lines, word[0], &source, err));
    NB_TRY(forwarding_read_lid(forwarding, lines, word[1], &destination, err));
    NB_TRY(nb_lines_whole(lines, "service level", "a level", word[2], 0,
                          NB_SERVICE_LEVELS - 1, &level, err));
    const size_t count = forwarding->address_count;
    const size_t from = forwarding_find_address(forwarding, source);
    const size_t to = forwarding_find_address(forwarding, destination);
    if (from == count || to == count)
        return NB_OK;
    uint8_t *known = &forwarding->level[to * count + from];
    if (*known != NB_NO_LEVEL && *known != level)
        return nb_lines_fail(lines, NB_INVALID, err,
                             "the pair has level %u on an earlier line "
                             "(permitted: one level from a LID to a LID)",
                             *known);
    *known = (uint8_t)level;
done:
    return status;
}

enum nb_status nb_forwarding_read_levels(struct nb_forwarding *forwarding,
                                         const char *path, struct nb_error *err)
{
    const size_t pairs = forwarding->address_count * forwarding->address_count;
    struct nb_lines lines = { 0 };
    bool is_empty = true;
    enum nb_status status;
    forwarding->level_path = nb_file_name(path);
    NB_TRY(nb_memory_require((double)pairs, "service levels", err));
    NB_TRY(nb_new(&forwarding->level, pairs, 1, "service levels", err));
    memset(forwarding->level, NB_NO_LEVEL, pairs);
    NB_TRY(nb_lines_open(&lines, path, '#', NB_STORE_BYTES, err));
    for (char *line; (line = nb_lines_next(&lines)) != NULL;) {
        NB_TRY(forwarding_read_level(forwarding, &lines, line, err));
        is_empty = false;
    }
    if (is_empty)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.200s: it is empty (permitted: lines of source LID, "
                       "destination LID, level)",
                       nb_file_name(path)));
done:
    nb_lines_close(&lines);
    return status;
}

static int forwarding_compare_lanes(const void *left, const void *right)
{
    const struct nb_forwarding_lanes *a = left, *b = right;
    if (a->router != b->router)
        return a->router < b->router ? -1 : 1;
    if (a->in != b->in)
        return a->in < b->in ? -1 : 1;
    return (a->out > b->out) - (a->out < b->out);
}

/* Refuses ports that a switch does not have. */
static enum nb_status
forwarding_check_ports(const struct nb_forwarding *forwarding, uint32_t router,
                       const struct nb_lines *lines, const int64_t port[2],
                       struct nb_error *err)
{
    const struct nb_topology *topology = forwarding->topology;
    const uint32_t most = topology->fabric->node[router].port_count;
    for (size_t i = 0; i < 2; i++)
        if (port[i] > most)
            return nb_lines_fail(
                lines, NB_INVALID, err,
                "port \"%" PRId64 "\" is not permitted "
                "(permitted: 0 to %" PRIu32 ", those of \"%.60s\")",
                port[i], most, nb_router_name(topology, router));
    return NB_OK;
}

/* "1   2   : 0  1  2  3 ..." */
static enum nb_status forwarding_add_lanes(struct nb_forwarding *forwarding,
                                           size_t *room, uint32_t router,
                                           const struct nb_lines *lines,
                                           char *line, struct nb_error *err)
{
    struct nb_forwarding_lanes row = { .router = router };
    int64_t value[2 + NB_SERVICE_LEVELS];
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < 2 + NB_SERVICE_LEVELS; i++) {
        const char *word = nb_lines_word(&line, " \t:");
        NB_TRY(nb_lines_whole(
            lines, i < 2 ? "port" : "lane", i < 2 ? "a port" : "a lane",
            word != NULL ? word : "", 0,
            i < 2 ? FORWARDING_NO_PORT : FORWARDING_DROPPED, &value[i], err));
    }
    if (router == NB_NONE)
        return NB_OK;
    NB_TRY(forwarding_check_ports(forwarding, router, lines, value, err));
    row.line = lines->number;
    row.in = (uint8_t)value[0];
    row.out = (uint8_t)value[1];
    for (size_t l = 0; l < NB_SERVICE_LEVELS; l++)
        row.lane[l] = (uint8_t)value[2 + l];
    NB_TRY(nb_reserve(&forwarding->lanes, room, forwarding->lanes_count + 1,
                      sizeof *forwarding->lanes, "lanes", err));
    forwarding->lanes[forwarding->lanes_count++] = row;
done:
    return status;
}

/* "Switch 0x..., base LID 2, "sw0"", or the same for a port of a channel
 * adapter. Ports without a cable are not in the network, which is no error. */
static enum nb_status
forwarding_begin_lanes(const struct nb_forwarding *forwarding,
                       const struct nb_lines *lines, const char *line,
                       uint32_t *router, struct nb_error *err)
{
    const struct nb_fabric *fabric = forwarding->topology->fabric;
    uint64_t guid;
    const bool is_switch = forwarding_read_guid(line, "Switch ", &guid);
    if (!is_switch && !forwarding_read_guid(line, "Channel Adapter ", &guid))
        return nb_lines_fail(lines, NB_INVALID, err,
                             "\"%.60s\" is not permitted (permitted: Switch "
                             "GUID, Channel Adapter GUID; ports in and out and "
                             "the lanes of 16 levels)",
                             line);
    *router = is_switch ? nb_fabric_find_guid(fabric, guid)
                        : nb_fabric_find_port_guid(fabric, guid);
    if (is_switch && (*router == NB_NONE || !fabric->node[*router].is_switch))
        return nb_lines_fail(lines, NB_INVALID, err,
                             "no switch has GUID 0x%016" PRIx64
                             " (permitted: those of the network)",
                             guid);
    return NB_OK;
}

/* Sorts the lanes; refuses different lanes for the same ports. */
static enum nb_status forwarding_sort_lanes(struct nb_forwarding *forwarding,
                                            struct nb_error *err)
{
    struct nb_forwarding_lanes *lanes = forwarding->lanes;
    const size_t count = forwarding->lanes_count;
    if (count == 0)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has no lanes (permitted: Switch GUID, "
                       "Channel Adapter GUID; ports in and out and the lanes "
                       "of 16 levels)",
                       forwarding->lanes_path);
    qsort(lanes, count, sizeof *lanes, forwarding_compare_lanes);
    for (size_t i = 1; i < count; i++)
        if (forwarding_compare_lanes(&lanes[i - 1], &lanes[i]) == 0 &&
            memcmp(lanes[i - 1].lane, lanes[i].lane, sizeof lanes->lane) != 0)
            return nb_fail(
                err, NB_INVALID,
                "%.200s: lines %zu and %zu have different lanes from port %u "
                "to port %u of \"%.60s\" (permitted: one line)",
                forwarding->lanes_path, lanes[i - 1].line, lanes[i].line,
                lanes[i].in, lanes[i].out,
                nb_router_name(forwarding->topology, lanes[i].router));
    return NB_OK;
}

enum nb_status nb_forwarding_read_lanes(struct nb_forwarding *forwarding,
                                        const char *path, struct nb_error *err)
{
    struct nb_lines lines = { 0 };
    uint32_t router = NB_NONE;
    size_t room = 0;
    enum nb_status status;
    forwarding->lanes_path = nb_file_name(path);
    NB_TRY(nb_lines_open(&lines, path, '#', NB_STORE_BYTES, err));
    for (char *line; (line = nb_lines_next(&lines)) != NULL;)
        NB_TRY(*line >= '0' && *line <= '9'
                   ? forwarding_add_lanes(forwarding, &room, router, &lines,
                                          line, err)
                   : forwarding_begin_lanes(forwarding, &lines, line, &router,
                                            err));
    NB_TRY(forwarding_sort_lanes(forwarding, err));
done:
    nb_lines_close(&lines);
    return status;
}

/* The key of a hop's row. Packets from a host itself enter by its port 0. */
static struct nb_forwarding_lanes
forwarding_key(const struct nb_forwarding *forwarding, uint32_t before,
               uint32_t channel)
{
    const struct nb_topology *topology = forwarding->topology;
    const struct nb_fabric_port *port = nb_fabric_port_of(topology, channel);
    const bool is_first = before == NB_NONE;
    return (struct nb_forwarding_lanes){
        .router = port->router,
        .in = (uint8_t)(is_first
                            ? 0
                            : nb_fabric_port_of(topology, before)->target_port),
        .out = (uint8_t)(is_first ? 0 : port->port),
    };
}

/* Finds the lane of a hop; false: the lanes have no row for it. */
static bool forwarding_lane(const struct nb_forwarding *forwarding,
                            uint32_t before, uint32_t channel, uint8_t level,
                            uint8_t *lane)
{
    *lane = level;
    if (forwarding->lanes_count == 0)
        return true;
    const struct nb_forwarding_lanes key =
        forwarding_key(forwarding, before, channel);
    const struct nb_forwarding_lanes *row =
        bsearch(&key, forwarding->lanes, forwarding->lanes_count, sizeof key,
                forwarding_compare_lanes);
    if (row != NULL)
        *lane = row->lane[level];
    return row != NULL;
}

/* The number of a host's LIDs from which packets to an address have a level. */
static size_t forwarding_count_known(const struct nb_forwarding *forwarding,
                                     uint32_t source, size_t address)
{
    const uint8_t *level =
        &forwarding->level[address * forwarding->address_count];
    size_t known = 0;
    for (size_t a = forwarding->first[source];
         a < forwarding->first[source + 1]; a++)
        known += level[a] != NB_NO_LEVEL;
    return known;
}

/* The level of packets from the LID number `from` of a host, counted round
 * those of its LIDs that have one; 0: none has. */
static uint8_t forwarding_level(const struct nb_forwarding *forwarding,
                                uint32_t source, size_t from, size_t address)
{
    if (forwarding->level == NULL)
        return 0;
    const size_t known = forwarding_count_known(forwarding, source, address);
    if (known == 0)
        return 0;
    const uint8_t *level =
        &forwarding->level[address * forwarding->address_count];
    size_t a = forwarding->first[source];
    for (size_t left = from % known; level[a] == NB_NO_LEVEL || left > 0; a++)
        left -= level[a] != NB_NO_LEVEL;
    return level[a];
}

/* The largest number of LIDs of a host from which packets to an address have a
 * level, where two of these differ; 1: they differ nowhere. */
static size_t forwarding_count_levels(const struct nb_forwarding *forwarding)
{
    const size_t n = forwarding->topology->router_count;
    size_t most = 1;
    if (forwarding->level == NULL)
        return most;
    for (size_t a = 0; a < forwarding->address_count; a++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t known = forwarding_count_known(forwarding, s, a);
            bool differ = false;
            for (size_t f = 1; f < known && known > most && !differ; f++)
                differ = forwarding_level(forwarding, s, f, a) !=
                         forwarding_level(forwarding, s, 0, a);
            if (differ)
                most = known;
        }
    return most;
}

enum nb_forwarding_end
nb_forwarding_follow(const struct nb_forwarding *forwarding, uint32_t source,
                     size_t from, size_t address, uint32_t *channel,
                     uint8_t *class, size_t *length)
{
    const struct nb_topology *topology = forwarding->topology;
    const size_t n = topology->router_count;
    const uint32_t destination = forwarding->address[address].router;
    const uint8_t level = forwarding_level(forwarding, source, from, address);
    uint32_t before = NB_NONE;
    /* A router on the way, moved ahead each time that the way is twice as long:
     * a packet that comes back to it goes round. */
    uint32_t mark = source;
    size_t moved = 1;
    bool is_round = false;
    *length = 0;
    for (uint32_t at = source; at != destination;) {
        const uint32_t c = forwarding->next[address * n + at];
        if (c == NB_NONE || (before != NB_NONE && topology->terminals[at] > 0))
            return NB_IS_DROPPED;
        channel[*length] = c;
        if (!forwarding_lane(forwarding, before, c, level, &class[*length]))
            return NB_HAS_NO_LANE;
        if (class[*length] == FORWARDING_DROPPED)
            return NB_IS_DROPPED;
        (*length)++;
        if (is_round || *length == n)
            return NB_GOES_ROUND;
        before = c;
        at = topology->channels[c].target;
        is_round = at == mark;
        if (*length == moved) {
            mark = at;
            moved *= 2;
        }
    }
    return NB_ARRIVES;
}

/* Names the switch or host that has no lanes for a hop. */
static enum nb_status
forwarding_refuse_lane(const struct nb_forwarding *forwarding, uint32_t before,
                       uint32_t channel, struct nb_error *err)
{
    const struct nb_forwarding_lanes key =
        forwarding_key(forwarding, before, channel);
    const char *name = nb_router_name(forwarding->topology, key.router);
    bool has_any = false;
    for (size_t i = 0; i < forwarding->lanes_count && !has_any; i++)
        has_any = forwarding->lanes[i].router == key.router;
    if (!has_any)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has no lanes of \"%.60s\", which packets "
                       "pass (permitted: those of every switch and host)",
                       forwarding->lanes_path, name);
    return nb_fail(err, NB_INVALID,
                   "%.200s: it has no lanes from port %u to port %u of "
                   "\"%.60s\", which packets take (permitted: those of all "
                   "ports in and out)",
                   forwarding->lanes_path, key.in, key.out, name);
}

/* The tables being followed. */
struct forwarding_walk {
    const struct nb_forwarding *forwarding;
    struct nb_table_ways_work work;
    struct nb_routing *out;
    uint32_t *path; /* [router_count] */
    uint8_t *class; /* [router_count] */
    size_t levels;  /* ways of packets from a host to an address */
    size_t paths,
        missing;     /* paths that arrive; those of them without a level */
    uint32_t source; /* of the first path without a level */
    struct nb_forwarding_address to;
    struct nb_pool pool;
};

static void forwarding_count_level(struct forwarding_walk *walk,
                                   uint32_t source, size_t address)
{
    const struct nb_forwarding *forwarding = walk->forwarding;
    walk->paths++;
    if (forwarding->level == NULL ||
        forwarding_count_known(forwarding, source, address) > 0)
        return;
    if (walk->missing++ == 0) {
        walk->source = source;
        walk->to = forwarding->address[address];
    }
}

static enum nb_status
forwarding_check_levels(const struct forwarding_walk *walk,
                        struct nb_error *err)
{
    const struct nb_forwarding *forwarding = walk->forwarding;
    const struct nb_topology *topology = forwarding->topology;
    const bool has_more = walk->to.router < topology->router_count &&
                          forwarding->lid[walk->to.router] != walk->to.lid;
    if (walk->missing == 0)
        return NB_OK;
    return nb_fail(
        err, NB_INVALID,
        "%.200s: %zu of %zu paths have no service level; the "
        "first, from \"%.60s\", LID %" PRIu32 ", to \"%.60s\", LID "
        "%" PRIu32 " (permitted: a line for each host and LID with "
        "a path%s)",
        forwarding->level_path, walk->missing, walk->paths,
        nb_router_name(topology, walk->source), forwarding->lid[walk->source],
        nb_router_name(topology, walk->to.router), walk->to.lid,
        has_more ? "; lid=base uses only each host's lowest LID" : "");
}

/* Follows packets from the LID number `from` of a host to an address. */
static enum nb_status forwarding_walk(struct forwarding_walk *walk,
                                      uint32_t source, size_t from,
                                      size_t address, struct nb_error *err)
{
    const struct nb_forwarding *forwarding = walk->forwarding;
    const uint32_t destination = forwarding->address[address].router;
    const size_t way =
        (address - forwarding->first[destination]) * walk->levels + from;
    struct nb_routing *out = walk->out;
    size_t length;
    const enum nb_forwarding_end end = nb_forwarding_follow(
        forwarding, source, from, address, walk->path, walk->class, &length);
    if (end == NB_HAS_NO_LANE)
        return forwarding_refuse_lane(
            forwarding, length > 0 ? walk->path[length - 1] : NB_NONE,
            walk->path[length], err);
    if (end == NB_ARRIVES) {
        if (from == 0)
            forwarding_count_level(walk, source, address);
        return nb_table_ways_add_way(&walk->work, source, destination,
                                     (unsigned)way, walk->path, walk->class,
                                     length, err);
    }
    out->circling += from == 0 && end == NB_GOES_ROUND;
    out->has_gaps = true;
    for (size_t h = 0; h < length; h++)
        if (walk->class[h] >= walk->work.class_count)
            walk->work.class_count = walk->class[h] + 1u;
    return nb_strays_add(&out->strays, forwarding->topology, source,
                         destination, walk->path, walk->class, length, err);
}

static enum nb_status forwarding_walk_init(struct forwarding_walk *walk,
                                           struct nb_error *err)
{
    const struct nb_forwarding *forwarding = walk->forwarding;
    const size_t n = forwarding->topology->router_count;
    uint16_t *ways_to = nb_pool_array(&walk->pool, n, sizeof *ways_to);
    enum nb_status status;
    walk->path = nb_pool_array(&walk->pool, n, sizeof *walk->path);
    walk->class = nb_pool_array(&walk->pool, n, sizeof *walk->class);
    NB_TRY(nb_pool_check(&walk->pool, forwarding_what, err));
    walk->levels = forwarding_count_levels(forwarding);
    for (size_t d = 0; d < n; d++) {
        const size_t count = forwarding->first[d + 1] - forwarding->first[d];
        ways_to[d] = (uint16_t)(walk->levels * (count > 0 ? count : 1));
    }
    NB_TRY(nb_table_ways_open_many(&walk->work, forwarding->topology, ways_to,
                                   err));
done:
    return status;
}

enum nb_status nb_forwarding_ways(const struct nb_forwarding *forwarding,
                                  struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = forwarding->topology;
    const size_t n = topology->router_count;
    struct forwarding_walk walk = { .forwarding = forwarding,
                                    .out = out,
                                    .to.router = NB_NONE };
    enum nb_status status;
    NB_TRY(forwarding_walk_init(&walk, err));
    for (uint32_t d = 0; d < n; d++) {
        const size_t first = forwarding->first[d];
        /* A host without a LID in the tables gets no packets. */
        out->has_gaps = out->has_gaps || (topology->terminals[d] > 0 &&
                                          forwarding->first[d + 1] == first);
        for (size_t a = first; a < forwarding->first[d + 1]; a++)
            for (uint32_t s = 0; s < n; s++)
                for (size_t f = 0; f < walk.levels; f++)
                    if (topology->terminals[s] > 0 && s != d)
                        NB_TRY(forwarding_walk(&walk, s, f, a, err));
    }
    NB_TRY(forwarding_check_levels(&walk, err));
    out->vc_rule = "lane";
    NB_TRY(nb_table_ways_close(&walk.work, out, err));
done:
    nb_table_ways_release(&walk.work);
    nb_pool_release(&walk.pool);
    return status;
}

bool nb_is_forwarding_tables(const struct nb_routing *routing)
{
    return nb_is_table_ways(routing) && routing->vc_rule != NULL &&
           strcmp(routing->vc_rule, "lane") == 0;
}

void nb_forwarding_release(struct nb_forwarding *forwarding)
{
    nb_delete(forwarding->address);
    nb_delete(forwarding->first);
    nb_delete(forwarding->next);
    nb_delete(forwarding->of_lid);
    nb_delete(forwarding->lid);
    nb_delete(forwarding->level);
    nb_delete(forwarding->lanes);
    *forwarding = (struct nb_forwarding){ 0 };
}
