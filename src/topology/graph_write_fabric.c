/* Writes any network as an InfiniBand fabric, for ibsim and opensm. */
#include "topology/graph.h"

#include "core/locale.h"
#include "core/memory.h"
#include "core/text.h"
#include "topology/fabric.h"

#include <inttypes.h>
#include <string.h>

/* First GUIDs of switches and adapters; an adapter's port has the next one. */
#define FABRIC_SWITCH UINT64_C(0x10000)
#define FABRIC_HOST   UINT64_C(0x1000000000)
enum { FABRIC_STEP = 0x100 };

/* A fabric being written. */
struct fabric_writer {
    const struct nb_topology *topology;
    const char *path;  /* for messages */
    uint64_t *host;    /* [router] number of its first terminal */
    uint32_t *lid;     /* [router] 0: it has failed */
    uint32_t switches; /* LIDs of hosts come after this */
    struct nb_text *text;
};

static uint64_t fabric_switch(uint32_t router)
{
    return FABRIC_SWITCH + (uint64_t)router * FABRIC_STEP;
}

static uint64_t fabric_host(uint64_t host)
{
    return FABRIC_HOST + host * FABRIC_STEP;
}

/* The port of a switch at which a channel begins. */
static uint32_t fabric_port(const struct nb_topology *topology,
                            uint32_t channel)
{
    return channel - topology->out_start[topology->channels[channel].source] +
           1;
}

/* A description is quoted, on one line. */
static void fabric_add_name(const struct fabric_writer *writer, uint32_t router)
{
    const char *name = nb_router_name(writer->topology, router);
    if (name == NULL)
        nb_text_print(writer->text, "sw%" PRIu32, router);
    for (; name != NULL && *name != '\0'; name++)
        nb_text_add(writer->text,
                    *name == '"'           ? "'"
                    : nb_is_control(*name) ? " "
                                           : name,
                    1);
}

/* 4xQDR is bandwidth 1, so that a fabric read back has the same bandwidths. */
static enum nb_status fabric_add_speed(const struct fabric_writer *writer,
                                       struct nb_ratio bandwidth,
                                       struct nb_error *err)
{
    char speed[NB_FABRIC_SPEED], text[NB_RATIO_TEXT];
    if (!nb_fabric_speed(nb_ratio_multiply(bandwidth, nb_ratio_make(32, 1)),
                         speed)) {
        nb_ratio_print(bandwidth, text);
        return nb_fail(err, NB_INVALID,
                       "%.200s: no cable of InfiniBand has bandwidth %s "
                       "(permitted: those of 1, 4, 8 or 12 lanes from SDR to "
                       "XDR, 1 being 4xQDR, such as 1/2, 2, 25/8)",
                       writer->path, text);
    }
    nb_text_print(writer->text, " %s\n", speed);
    return NB_OK;
}

static struct nb_ratio fabric_door(const struct nb_topology *topology)
{
    return nb_ratio_is_known(topology->terminal_bandwidth)
               ? topology->terminal_bandwidth
               : nb_ratio_one;
}

static enum nb_status fabric_write_host(const struct fabric_writer *writer,
                                        uint32_t router, uint32_t terminal,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    const uint64_t host = writer->host[router] + terminal;
    const uint64_t guid = fabric_host(host);
    const uint32_t port = topology->out_start[router + 1] -
                          topology->out_start[router] + terminal + 1;
    nb_text_print(writer->text,
                  "vendid=0x2c9\ndevid=0x1003\nsysimgguid=0x%" PRIx64
                  "\ncaguid=0x%" PRIx64 "\nCa\t1 \"H-%016" PRIx64
                  "\"\t\t# \"h%" PRIu64 " HCA-1\"\n[1](%" PRIx64
                  ") \t\"S-%016" PRIx64 "\"[%" PRIu32 "]\t\t# lid %" PRIu64
                  " lmc 0 \"",
                  guid, guid, guid, host, guid + 1, fabric_switch(router), port,
                  writer->switches + host + 1);
    fabric_add_name(writer, router);
    nb_text_print(writer->text, "\" lid %" PRIu32, writer->lid[router]);
    const enum nb_status status =
        fabric_add_speed(writer, fabric_door(topology), err);
    nb_text_print(writer->text, "\n");
    return status;
}

static enum nb_status fabric_write_channel(const struct fabric_writer *writer,
                                           uint32_t channel,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    const struct nb_channel *at = &topology->channels[channel];
    const uint32_t back =
        nb_channel_alike(topology, channel, at->target, at->source);
    if (back == NB_NONE)
        return nb_fail(err, NB_INVALID,
                       "%.200s: a cable leads both ways, and channel %" PRIu32
                       " from router %" PRIu32 " to router %" PRIu32
                       " has no opposite of its bandwidth (permitted: one "
                       "each way)",
                       writer->path, channel, at->source, at->target);
    nb_text_print(writer->text,
                  "[%" PRIu32 "]\t\"S-%016" PRIx64 "\"[%" PRIu32 "]\t\t# \"",
                  fabric_port(topology, channel), fabric_switch(at->target),
                  fabric_port(topology, back));
    fabric_add_name(writer, at->target);
    nb_text_print(writer->text, "\" lid %" PRIu32, writer->lid[at->target]);
    return fabric_add_speed(writer, at->bandwidth, err);
}

static enum nb_status fabric_write_switch(const struct fabric_writer *writer,
                                          uint32_t router, struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    const uint32_t first = topology->out_start[router];
    const uint32_t end = topology->out_start[router + 1];
    const uint64_t ports = (uint64_t)end - first + topology->terminals[router];
    const uint64_t guid = fabric_switch(router);
    enum nb_status status = NB_OK;
    if (ports > NB_FABRIC_PORTS)
        return nb_fail(err, NB_INVALID,
                       "%.200s: router %" PRIu32 " needs %" PRIu64
                       " ports (permitted: up to %d, the most per switch)",
                       writer->path, router, ports, NB_FABRIC_PORTS);
    nb_text_print(writer->text,
                  "vendid=0x2c9\ndevid=0xbd36\nsysimgguid=0x%" PRIx64
                  "\nswitchguid=0x%" PRIx64 "\nSwitch\t%" PRIu64
                  " \"S-%016" PRIx64 "\"\t\t# \"",
                  guid, guid, ports, guid);
    fabric_add_name(writer, router);
    nb_text_print(writer->text, "\" enhanced port 0 lid %" PRIu32 " lmc 0\n",
                  writer->lid[router]);
    for (uint32_t c = first; c < end; c++)
        NB_TRY(fabric_write_channel(writer, c, err));
    for (uint32_t t = 0; t < topology->terminals[router]; t++) {
        const uint64_t host = writer->host[router] + t;
        nb_text_print(writer->text,
                      "[%" PRIu32 "]\t\"H-%016" PRIx64 "\"[1](%" PRIx64
                      ") \t\t# \"h%" PRIu64 " HCA-1\" lid %" PRIu64,
                      end - first + t + 1, fabric_host(host),
                      fabric_host(host) + 1, host, writer->switches + host + 1);
        NB_TRY(fabric_add_speed(writer, fabric_door(topology), err));
    }
    nb_text_print(writer->text, "\n");
done:
    return status;
}

/* LIDs start at 1, hosts at 0. */
static enum nb_status fabric_count(struct fabric_writer *writer,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    uint64_t hosts = 0;
    enum nb_status status;
    NB_TRY(nb_new(&writer->host, topology->router_count, sizeof *writer->host,
                  "hosts", err));
    NB_TRY(nb_new(&writer->lid, topology->router_count, sizeof *writer->lid,
                  "switches", err));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        writer->host[r] = hosts;
        hosts += topology->terminals[r];
        if (!nb_router_has_failed(topology, r))
            writer->lid[r] = ++writer->switches;
    }
    if (writer->switches + hosts >= NB_FABRIC_LIDS)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: %" PRIu32 " switches and %" PRIu64
                         " hosts are too many (permitted: %d, the number of "
                         "LIDs)",
                         writer->path, writer->switches, hosts, NB_FABRIC_LIDS);
done:
    return status;
}

enum nb_status nb_graph_write_fabric(const struct nb_topology *topology,
                                     const char *path, struct nb_text *text,
                                     struct nb_error *err)
{
    struct fabric_writer writer = { .topology = topology,
                                    .path = path,
                                    .text = text };
    enum nb_status status;
    if (topology->fabric != NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: the network is from a fabric's file, with its "
                       "own ports (permitted: any other network)",
                       path);
    NB_TRY(fabric_count(&writer, err));
    NB_TRY(nb_graph_print_notes(topology, text, err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            NB_TRY(fabric_write_host(&writer, r, t, err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (!nb_router_has_failed(topology, r))
            NB_TRY(fabric_write_switch(&writer, r, err));
done:
    nb_delete(writer.host);
    nb_delete(writer.lid);
    return status;
}
