#include "questions/power/power_question.h"

#include "core/try.h"
#include "questions/problem.h"

#define POWER(field) offsetof(struct nb_power_question, field)

static const struct nb_parameter power_options[] = {
    NB_OPTION(
        "topology", POWER(topology), NETWORK, WORD, "",
        "the network, such as dragonfly:h=6; or use --routers and --terminals",
        .detail = "See: netbound list topologies.",
        .apart = "routers terminals", .either = "routers"),
    NB_OPTION("routers", POWER(routers), NETWORK, WHOLE, "",
              "instead of --topology: number of routers", .least = 1,
              .most = 1e9, .with = "terminals"),
    NB_OPTION("terminals", POWER(terminals), NETWORK, WHOLE, "",
              "with --routers: number of terminals", .least = 1, .most = 1e12,
              .with = "routers"),
    NB_OPTION("ports", POWER(ports), ROUTER, WHOLE, "",
              "ports in use at each router, with those to terminals; default: "
              "as in the topology",
              .detail = "Includes the ports to terminals.", .counts = "ports",
              .least = 1, .most = 1e6, .either = "topology"),
    NB_OPTION("optical-port", POWER(optical_port), ROUTER, NUMBER, "0.6",
              "power of a port to another router, in W", .most = 1e6),
    NB_OPTION("electrical-port", POWER(electrical_port), ROUTER, NUMBER, "0.48",
              "power of a port to a terminal, in W", .most = 1e6),
    NB_OPTION("logic", POWER(logic), ROUTER, NUMBER, "30",
              "power of a router's processor and logic, in W", .most = 1e6),
    NB_OPTION("forwarding-table", POWER(forwarding_table), ROUTER, NUMBER, "0",
              "power of a router's forwarding table, in W", .most = 1e6),
    NB_OPTION("port-rate", POWER(port_rate), TRAFFIC, NUMBER, "40",
              "traffic that each port receives, in Gbps", .most = 1e6),
    NB_OPTION("packet-size", POWER(packet_size), TRAFFIC, NUMBER, "64",
              "bytes per packet", .least = 1, .most = 1e9),
    NB_OPTION("write-energy", POWER(write_energy), ROUTER, NUMBER, "4.4993",
              "energy to write a packet into a buffer, in nJ", .most = 1e6),
    NB_OPTION("read-energy", POWER(read_energy), ROUTER, NUMBER, "4.5048",
              "energy to read a packet from a buffer, in nJ", .most = 1e6),
    { 0 },
};

/* Counts a topology, or takes the counts given. */
static enum nb_status power_count(const struct nb_power_question *request,
                                  struct nb_power_answer *out,
                                  struct nb_error *err)
{
    struct nb_topology topology = { 0 };
    int64_t used = 0;
    enum nb_status status = NB_OK;
    out->routers = request->routers;
    out->terminals = request->terminals;
    if (request->topology != NULL) {
        NB_TRY(nb_topology_build(request->topology, &topology, err));
        out->routers =
            (int64_t)(topology.router_count - topology.failures.router_count);
        out->terminals = (int64_t)topology.terminal_count;
        used = (int64_t)topology.channel_count + out->terminals;
    }
    out->ports = request->ports > 0 ? request->ports * out->routers : used;
    used = used > out->terminals ? used : out->terminals;
    if (out->ports < used)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%lld ports are not permitted (permitted: at least the "
                       "number that the routers use, %.6g each on average)",
                       (long long)request->ports,
                       (double)used / (double)out->routers));
done:
    nb_topology_release(&topology);
    return status;
}

/* The product of a count and an option. */
static struct nb_enclosure power_times(int64_t count, struct nb_ratio each)
{
    return nb_enclosure_multiply(nb_enclosure_of_ratio(nb_ratio_make(count, 1)),
                                 nb_enclosure_of_ratio(each));
}

static enum nb_status power_compute(const struct nb_power_question *request,
                                    const struct nb_run *run,
                                    struct nb_power_answer *out,
                                    struct nb_error *err)
{
    (void)run;
    const enum nb_status status = power_count(request, out, err);
    if (status != NB_OK)
        return status;
    const struct nb_enclosure routers = power_times(out->routers, nb_ratio_one);
    const struct nb_enclosure million = nb_enclosure_of_whole(1000000);
    out->port = nb_enclosure_divide(
        nb_enclosure_add(
            power_times(out->terminals, request->electrical_port),
            power_times(out->ports - out->terminals, request->optical_port)),
        routers);
    /* Gbps over bits are packets per nanosecond; times nJ per packet, W. */
    out->packet_rate = nb_enclosure_divide(
        nb_enclosure_divide(power_times(out->ports, request->port_rate),
                            routers),
        power_times(8, request->packet_size));
    out->buffer = nb_enclosure_multiply(
        out->packet_rate, nb_enclosure_of_ratio(nb_ratio_add(
                              request->read_energy, request->write_energy)));
    out->table = nb_enclosure_of_ratio(request->forwarding_table);
    out->router =
        nb_enclosure_add(nb_enclosure_add(out->port, out->buffer),
                         nb_enclosure_of_ratio(nb_ratio_add(
                             request->forwarding_table, request->logic)));
    const struct nb_enclosure all = nb_enclosure_multiply(out->router, routers);
    out->tables = nb_enclosure_divide(
        power_times(out->routers, request->forwarding_table), million);
    out->network = nb_enclosure_divide(all, million);
    out->of_terminal =
        nb_enclosure_divide(all, power_times(out->terminals, nb_ratio_one));
    return NB_OK;
}

#define POWER_ROW(field, name, unit)                                           \
    NB_QUANTITY(struct nb_power_answer, field, name, unit)

static const struct nb_quantity_row power_rows[] = {
    POWER_ROW(routers, "routers", "1"),
    POWER_ROW(terminals, "terminals", "1"),
    POWER_ROW(ports, "ports", "1"),
    POWER_ROW(packet_rate, "packet_rate", "packets/ns"),
    POWER_ROW(port, "port_power", "W"),
    POWER_ROW(buffer, "buffer_power", "W"),
    POWER_ROW(table, "table_power", "W"),
    POWER_ROW(router, "router_power", "W"),
    POWER_ROW(tables, "network_table_power", "MW"),
    POWER_ROW(network, "network_power", "MW"),
    POWER_ROW(of_terminal, "power_per_terminal", "W"),
    { 0 },
};

static void power_report(const struct nb_power_answer *answer,
                         struct nb_point *out)
{
    nb_point_add_quantities(out, power_rows, answer, NULL, "counting",
                            "Benito2020, section 4.7.2");
    nb_point_add_note(out, "worst_case",
                      "every port in use receives packets of this size "
                      "without pause, and each packet is written into one "
                      "buffer and read from it");
}

NB_DEFINE_QUESTION(power);

const struct nb_question_kind nb_question_kind_power = {
    .form = {
        .name = "power",
        .summary = "power consumption of a network's routers",
        .example = "netbound power --topology dragonfly:h=6 --forwarding-table 25",
        .title = "topology?<Power> of {topology}|<Power>[ of {routers} routers][ of {ports} ports]",
        .options = power_options,
        .quantities = NB_QUANTITIES(power_rows),
    },
    NB_CALLS_OF(power),
};
