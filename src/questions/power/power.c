#include "questions/power/power_question.h"

#include "core/try.h"
#include "questions/problem.h"

#define POWER(field) offsetof(struct nb_power_question, field)

static const struct nb_parameter power_options[] = {
    { .name = "topology",
      .field = POWER(topology),
      .help = "the network, such as dragonfly:h=6; or use --routers and "
              "--terminals",
      .detail = "See: netbound list topologies.",
      .group = NB_GROUP_NETWORK,
      .type = NB_WORD,
      .initial = "",
      .apart = "routers terminals",
      .either = "routers" },
    { .name = "routers",
      .field = POWER(routers),
      .help = "instead of --topology: number of routers",
      .group = NB_GROUP_NETWORK,
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e9,
      .with = "terminals" },
    { .name = "terminals",
      .field = POWER(terminals),
      .help = "with --routers: number of terminals",
      .group = NB_GROUP_NETWORK,
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e12,
      .with = "routers" },
    { .name = "ports",
      .field = POWER(ports),
      .help = "ports in use at each router, with those to terminals; default: "
              "as in the topology",
      .detail = "Includes the ports to terminals.",
      .group = NB_GROUP_ROUTER,
      .type = NB_WHOLE,
      .counts = "ports",
      .initial = "",
      .least = 1,
      .most = 1e6,
      .either = "topology" },
    { .name = "optical-port",
      .field = POWER(optical_port),
      .help = "power of a port to another router, in W",
      .group = NB_GROUP_ROUTER,
      .type = NB_NUMBER,
      .initial = "0.6",
      .most = 1e6 },
    { .name = "electrical-port",
      .field = POWER(electrical_port),
      .help = "power of a port to a terminal, in W",
      .group = NB_GROUP_ROUTER,
      .type = NB_NUMBER,
      .initial = "0.48",
      .most = 1e6 },
    { .name = "logic",
      .field = POWER(logic),
      .help = "power of a router's processor and logic, in W",
      .group = NB_GROUP_ROUTER,
      .type = NB_NUMBER,
      .initial = "30",
      .most = 1e6 },
    { .name = "forwarding-table",
      .field = POWER(forwarding_table),
      .help = "power of a router's forwarding table, in W",
      .group = NB_GROUP_ROUTER,
      .type = NB_NUMBER,
      .initial = "0",
      .most = 1e6 },
    { .name = "port-rate",
      .field = POWER(port_rate),
      .help = "traffic that each port receives, in Gbps",
      .group = NB_GROUP_TRAFFIC,
      .type = NB_NUMBER,
      .initial = "40",
      .most = 1e6 },
    { .name = "packet-size",
      .field = POWER(packet_size),
      .help = "bytes per packet",
      .group = NB_GROUP_TRAFFIC,
      .type = NB_NUMBER,
      .initial = "64",
      .least = 1,
      .most = 1e9 },
    { .name = "write-energy",
      .field = POWER(write_energy),
      .help = "energy to write a packet into a buffer, in nJ",
      .group = NB_GROUP_ROUTER,
      .type = NB_NUMBER,
      .initial = "4.4993",
      .most = 1e6 },
    { .name = "read-energy",
      .field = POWER(read_energy),
      .help = "energy to read a packet from a buffer, in nJ",
      .group = NB_GROUP_ROUTER,
      .type = NB_NUMBER,
      .initial = "4.5048",
      .most = 1e6 },
    { 0 },
};

static const char power_source[] = "Benito2020, section 4.7.2";

static enum nb_status power_count_topology(const char *name,
                                           struct nb_power_told *out,
                                           struct nb_error *err)
{
    struct nb_topology topology = { 0 };
    const enum nb_status status = nb_topology_build(name, &topology, err);
    if (status == NB_OK)
        *out = (struct nb_power_told){
            .routers = (int64_t)(topology.router_count -
                                 topology.failures.router_count),
            .terminals = (int64_t)topology.terminal_count,
            .ports =
                (int64_t)(topology.channel_count + topology.terminal_count),
        };
    nb_topology_release(&topology);
    return status;
}

static enum nb_status power_count(const struct nb_power_question *asked,
                                  struct nb_power_told *out,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_power_told){ .routers = asked->routers,
                                   .terminals = asked->terminals };
    if (asked->topology != NULL)
        NB_TRY(power_count_topology(asked->topology, out, err));
    const int64_t used = out->ports;
    if (asked->ports > 0)
        out->ports = asked->ports * out->routers;
    if (out->ports < used || out->ports < out->terminals)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%lld ports are not permitted (permitted: at least the "
                       "number that the routers use, %.6g each on average)",
                       (long long)asked->ports,
                       (double)(used > out->terminals ? used : out->terminals) /
                           (double)out->routers));
done:
    return status;
}

static struct nb_enclosure power_whole(int64_t value)
{
    return nb_enclosure_of_ratio(nb_ratio_make(value, 1));
}

/* The product of a count and an option. */
static struct nb_enclosure power_times(int64_t count, struct nb_ratio each)
{
    return nb_enclosure_multiply(power_whole(count),
                                 nb_enclosure_of_ratio(each));
}

enum nb_status nb_power_ask(const struct nb_power_question *asked,
                            const struct nb_run *run, struct nb_power_told *out,
                            struct nb_error *err)
{
    *out = (struct nb_power_told){ 0 };
    const enum nb_status held =
        nb_question_hold("power", power_options, asked, err);
    if (held != NB_OK)
        return held;
    (void)run;
    const enum nb_status status = power_count(asked, out, err);
    if (status != NB_OK)
        return status;
    const struct nb_enclosure routers = power_whole(out->routers);
    const struct nb_enclosure million = nb_enclosure_of_whole(1000000);
    out->port = nb_enclosure_divide(
        nb_enclosure_add(
            power_times(out->terminals, asked->electrical_port),
            power_times(out->ports - out->terminals, asked->optical_port)),
        routers);
    /* Gbps over bits are packets per nanosecond; times nJ per packet, W. */
    out->packet_rate = nb_enclosure_divide(
        nb_enclosure_multiply(
            nb_enclosure_divide(power_whole(out->ports), routers),
            nb_enclosure_of_ratio(asked->port_rate)),
        power_times(8, asked->packet_size));
    out->buffer = nb_enclosure_multiply(
        out->packet_rate,
        nb_enclosure_add(nb_enclosure_of_ratio(asked->read_energy),
                         nb_enclosure_of_ratio(asked->write_energy)));
    out->table = nb_enclosure_of_ratio(asked->forwarding_table);
    out->router = nb_enclosure_add(
        nb_enclosure_add(out->port, out->buffer),
        nb_enclosure_add(out->table, nb_enclosure_of_ratio(asked->logic)));
    const struct nb_enclosure all = nb_enclosure_multiply(out->router, routers);
    out->tables = nb_enclosure_divide(
        nb_enclosure_multiply(out->table, routers), million);
    out->network = nb_enclosure_divide(all, million);
    out->of_terminal = nb_enclosure_divide(all, power_whole(out->terminals));
    return NB_OK;
}

void nb_power_tell(const struct nb_power_told *told, struct nb_point *out)
{
    const struct {
        const char *name;
        struct nb_enclosure value;
        const char *unit;
    } rows[] = {
        { "routers", power_whole(told->routers), "1" },
        { "terminals", power_whole(told->terminals), "1" },
        { "ports", power_whole(told->ports), "1" },
        { "packet_rate", told->packet_rate, "packets/ns" },
        { "port_power", told->port, "W" },
        { "buffer_power", told->buffer, "W" },
        { "table_power", told->table, "W" },
        { "router_power", told->router, "W" },
        { "network_table_power", told->tables, "MW" },
        { "network_power", told->network, "MW" },
        { "power_per_terminal", told->of_terminal, "W" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        nb_point_add_enclosure(out, rows[i].name, rows[i].value, rows[i].unit,
                               "counting", power_source);
    nb_point_add_note(out, "worst_case",
                      "every port in use receives packets of this size "
                      "without pause, and each packet is written into one "
                      "buffer and read from it");
}

static enum nb_status power_answer(const struct nb_question *question,
                                   struct nb_point *out, struct nb_error *err)
{
    struct nb_power_told told;
    const enum nb_status status =
        nb_power_ask(question->asked, &question->run, &told, err);
    if (status == NB_OK)
        nb_power_tell(&told, out);
    return status;
}

const struct nb_question_kind nb_question_kind_power = {
    .form = {
        .name = "power",
.summary = "power consumption of a network's routers",
        .example = "netbound power --topology dragonfly:h=6 --forwarding-table 25",
        .title = "topology?<Power> of {topology}|<Power>[ of {routers} routers][ of {ports} ports]",
        .options = power_options,
        .tables = "",
    },
    .size = sizeof(struct nb_power_question),
    .answer = power_answer,
};
