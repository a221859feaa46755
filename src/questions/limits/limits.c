/* netbound limits: compares closed forms with counted values. */
#include "questions/limits/limits_question.h"

#include "core/try.h"
#include "core/unit.h"

#define LIMITS(field) offsetof(struct nb_limits_question, field)

static const struct nb_parameter limits_options[] = {
    NB_OPTION_TOPOLOGY(LIMITS(topology)),
    NB_OPTION("routing", LIMITS(routing), NETWORK, WORD, "",
              "show only this scheme, such as val:policy=-g-; default: all "
              "with closed forms",
              .detail = "Default: all schemes that have closed forms, or use "
                        "groups, on this network.",
              .is_first = true),
    NB_OPTION("traffic", LIMITS(traffic), TRAFFIC, WORD, "",
              "show only this traffic, such as adversarial:offset=9+11",
              .detail = "Default: uniform and the adversarial patterns.",
              .is_first = true),
    NB_OPTION("offsets", LIMITS(offsets), TRAFFIC, WHOLE, "0",
              "largest offset of adversarial traffic; 0: twice the global "
              "channels of a router",
              .most = 1e6),
    NB_OPTION("worst-case", LIMITS(worst_case), MEASUREMENT, FLAG, "no",
              "also report the exact worst case over all admissible traffic"),
    NB_OPTION(
        "adaptive", LIMITS(adaptive), MEASUREMENT, FLAG, "no",
        "also report what adaptive schemes gain over the best single policy",
        .detail = "Table mixtures has the least latency at each load if a "
                  "fixed share of packets takes min. Table adaptive has the "
                  "largest throughput over the paths of each adaptive scheme.",
        .apart = "routing"),
    NB_OPTION("router-delay", LIMITS(router_delay), ROUTER, NUMBER, "90",
              "delay of a router from port to port, in ns",
              .detail = "A latency counts one router more than hops, and no "
                        "cables to terminals.",
              .most = 1e9, .unit = "ns"),
    NB_OPTION("pipeline", LIMITS(pipeline), ROUTER, NUMBER, "",
              "part of the router delay before a flit leaves its buffer, in "
              "ns; default 0",
              .detail =
                  "Buffers must also hold the flits that arrive in this time.",
              .most = 1e9, .unit = "ns"),
    NB_OPTION(
        "local-delay", LIMITS(local_delay), ROUTER, NUMBER, "15",
        "delay of a channel within a group, in ns",
        .detail =
            "A group of a HyperX is a row along dimension 0; of a Clos network "
            "or fat tree, a subtree below the roots. In networks without "
            "groups, this is the delay of every channel. That includes the "
            "Slim Fly: only topology --fit divides its cables by racks.",
        .most = 1e9, .unit = "ns", .also = "link-latency"),
    NB_OPTION("global-delay", LIMITS(global_delay), ROUTER, NUMBER, "150",
              "delay of a channel between groups, in ns", .most = 1e9,
              .unit = "ns", .also = "link-latency"),
    NB_OPTION("packet", LIMITS(packet), TRAFFIC, WHOLE, "10",
              "flits per packet", .counts = "flits", .least = 1, .most = 1e6),
    NB_OPTION("flit-size", LIMITS(flit_size), ROUTER, NUMBER, "",
              "bytes per flit; buffer sizes are then also given in KB",
              .least = 1e-9, .most = 1e9),
    NB_OPTION("flit-time", LIMITS(flit_time), ROUTER, NUMBER, "1",
              "time of a flit on a channel, in ns", .least = 1e-9, .most = 1e9,
              .unit = nb_unit_clock, .also = "clock"),
    { 0 },
};

static enum nb_status limits_compute(const struct nb_limits_question *request,
                                     const struct nb_run *run,
                                     struct nb_limits_answer *out,
                                     struct nb_error *err)
{
    enum nb_status status = nb_limits_find_all(request, run, false, out, err);
    if (status == NB_OK && request->adaptive)
        status = nb_limits_find_adaptive(out, err);
    return status;
}

static void limits_report(const struct nb_limits_answer *answer,
                          struct nb_point *out)
{
    nb_limits_add_answer(answer, out);
}

NB_DEFINE_QUESTION(limits);

/* If only a quantity that is counted is wanted, nothing else is found. */
static enum nb_status limits_answer(const struct nb_question *question,
                                    struct nb_point *out, struct nb_error *err)
{
    struct nb_limits_answer answer = { 0 };
    const enum nb_status status =
        question->wanted != NULL
            ? nb_limits_find_all(question->request, &question->run, true,
                                 &answer, err)
            : limits_compute(question->request, &question->run, &answer, err);
    if (status == NB_OK)
        limits_report(&answer, out);
    nb_limits_answer_release(&answer);
    return status;
}

static enum nb_status limits_print(const struct nb_point *point,
                                   const struct nb_look *look,
                                   struct nb_text *text, struct nb_error *err)
{
    static const char *const tables[] = { "limits",   "latency",  "envelope",
                                          "mixtures", "adaptive", "policies" };
    enum nb_status status = NB_OK;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        const struct nb_table *table = nb_point_table(point, tables[t]);
        if (table != NULL && table->row_count > 0)
            NB_TRY(nb_point_print_table(point, tables[t], look, text, err));
    }
done:
    return status;
}

const struct nb_question_kind nb_question_kind_limits = {
    .form = {
        .name = "limits",
        .summary = "closed-form limits of a network, next to exact values",
        .example = "netbound limits --topology dragonfly:h=6",
        .title = "<Limits>[ of {routing}] on {topology}[, {traffic} traffic]",
        .options = limits_options,
        .tables = NB_TABLES(
            &nb_limits_limits_table, &nb_limits_latency_table,
            &nb_limits_envelope_table, &nb_limits_mixtures_table,
            &nb_limits_adaptive_table, &nb_limits_policies_table,
            &nb_limits_intermediate_local_table),
    },
    .alone = "router_ports groups routing_table_entries "
             "routing_table_entries_by_switch routing_table_entries_flat "
             "routing_table_entries_compact",
    NB_CALLS_OF(limits),
    .answer = limits_answer,
    .print = limits_print,
};
