/* netbound qcn: the loop of notifications and probabilities of QCN-Switch. */
#include "questions/qcn/qcn_question.h"

#include "bounds/limits/limits.h"
#include "core/try.h"
#include "questions/problem.h"

#define QCN(field) offsetof(struct nb_qcn_question, field)

static const struct nb_parameter qcn_options[] = {
    NB_OPTION_TOPOLOGY(QCN(topology)),
    NB_OPTION("load", QCN(load), TRAFFIC, NUMBER, "0.4",
              "injection rate of each terminal, as a fraction of a channel's "
              "bandwidth",
              .is_first = true, .most = 1, .unit = "fraction"),
    NB_OPTION(
        "policy", QCN(policy), ROUTER, CHOICE, "comparison",
        "how a notification lowers a port's probability of a minimal path",
        .detail = "base: by its feedback. comparison: by how far its feedback "
                  "exceeds the mean of the router's ports.",
        .is_first = true, .choices = "comparison|base"),
    NB_OPTION("link-rate", QCN(link_rate), NETWORK, NUMBER, "40",
              "rate of a channel, in Gbps", .least = 1e-6, .most = 1e6),
    NB_OPTION("packet-size", QCN(packet_size), TRAFFIC, NUMBER, "1000",
              "bytes per packet", .least = 1, .most = 1e9),
    NB_OPTION("queue-size", QCN(queue_size), ROUTER, NUMBER, "100",
              "size of a sampled queue, in KB (1,000 bytes)", .least = 1e-6,
              .most = 1e9),
    NB_OPTION("reference-point", QCN(reference), ROUTER, NUMBER, "0.2",
              "Q_eq: a queue fuller than this fraction is congested",
              .detail =
                  "At twice this fraction the feedback reaches its maximum.",
              .least = 1e-6, .most = 0.999999, .unit = "fraction"),
    NB_OPTION("weight", QCN(loop.weight), ROUTER, NUMBER, "0",
              "w: weight of the queue's growth since the last notification",
              .most = 1000),
    NB_OPTION("sampling-cycle", QCN(sampling_cycle), ROUTER, NUMBER, "100",
              "CPC: packets between two samples of a queue",
              .counts = "packets", .least = 1, .most = 1e6),
    NB_OPTION("notified-samples", QCN(notified), ROUTER, NUMBER, "0.3",
              "%CNMs: fraction of the congested samples for which a "
              "notification is sent",
              .least = 1e-6, .most = 1, .unit = "fraction"),
    NB_OPTION("congestion-points", QCN(congestion_points), ROUTER, WHOLE, "2",
              "number of full queues that notify; 1: the congested channel's; "
              "2: also the one before it",
              .detail = "The one before it is a router's own queue towards the "
                        "router with that channel.",
              .counts = "queues", .least = 1, .most = 2),
    NB_OPTION("reduction-limit", QCN(loop.limit), ROUTER, NUMBER, "1/64",
              "L_f: feedback Fb multiplies the probability of a minimal path "
              "by 1 - L_f Fb",
              .most = 1.0 / 63),
    NB_OPTION("packet-limit", QCN(loop.packets), ROUTER, NUMBER, "100",
              "PC_l: the probability of a minimal path grows after this many "
              "packets without notification",
              .counts = "packets", .least = 1e-3, .most = 1e9),
    NB_OPTION("increase", QCN(loop.increase), ROUTER, NUMBER, "0.01",
              "PI: by how much the probability of a minimal path then grows",
              .least = 1e-4, .most = 1, .unit = "fraction"),
    NB_OPTION("threshold-below", QCN(loop.below), ROUTER, NUMBER, "0",
              "Th_1, policy comparison: feedback this far below the mean "
              "raises that probability",
              .detail = "Without effect in this model: only the congested port "
                        "has feedback, which is above the mean of all ports.",
              .most = 63),
    NB_OPTION("threshold-above", QCN(loop.above), ROUTER, NUMBER, "30",
              "Th_2, policy comparison: feedback this far above the mean "
              "lowers that probability",
              .most = 63),
    NB_OPTION(
        "transit", QCN(loop.transit), TRAFFIC, NUMBER, "",
        "load of packets in transit on a router's port, as a fraction of its "
        "channel",
        .detail =
            "Default: the load of packets for the next router's terminals.",
        .most = 0.999999, .unit = "fraction"),
    { 0 },
};

static struct nb_ratio qcn_whole(int64_t a)
{
    return nb_ratio_make(a, 1);
}

/* Reads a Dragonfly with one link between any two groups. */
static enum nb_status qcn_read_topology(const char *name,
                                        struct nb_dragonfly *out,
                                        struct nb_error *err)
{
    struct nb_topology topology = { 0 };
    enum nb_status status = NB_OK;
    bool is_fit;
    NB_TRY(nb_topology_build(name, &topology, err));
    is_fit = nb_dragonfly_find(&topology, out) && out->trunking == 1 &&
             nb_ratio_compare(topology.terminal_bandwidth, nb_ratio_one) == 0;
    for (size_t c = 0; c < topology.channel_count; c++)
        is_fit &=
            nb_ratio_compare(topology.channels[c].bandwidth, nb_ratio_one) == 0;
    if (!is_fit)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s is not permitted (permitted: a dragonfly "
                       "of trunking 1 and bandwidth 1, without failures)",
                       name));
done:
    nb_topology_release(&topology);
    return status;
}

/* Sets the parameters of the loop from the options and sizes. */
static void qcn_set_loop(const struct nb_qcn_question *request,
                         const struct nb_dragonfly *fly,
                         struct nb_qcn_answer *out)
{
    struct nb_qcn *loop = &out->loop;
    *loop = request->loop;
    loop->sources = (uint32_t)fly->a;
    loop->demand = nb_ratio_multiply(request->load, qcn_whole(fly->p));
    /* Packets from outside the group for a router's terminals enter evenly
     * through all routers of the group. */
    if (!nb_ratio_is_known(loop->transit))
        loop->transit =
            nb_ratio_multiply(request->load, nb_ratio_make(fly->p, fly->a));
    loop->queue =
        nb_ratio_divide(nb_ratio_multiply(request->queue_size, qcn_whole(1000)),
                        request->packet_size);
    loop->reference = nb_ratio_multiply(loop->queue, request->reference);
    loop->interval = nb_ratio_divide(
        request->sampling_cycle,
        nb_ratio_multiply(request->notified,
                          qcn_whole(request->congestion_points)));
    loop->ports = request->policy == NB_QCN_COMPARISON
                      ? (uint32_t)(fly->a - 1 + fly->h)
                      : 0;
    out->packet_time =
        nb_ratio_divide(nb_ratio_multiply(request->packet_size, qcn_whole(8)),
                        request->link_rate);
    out->minimal_load =
        nb_ratio_multiply(request->load, qcn_whole(fly->a * fly->p));
    out->balanced = nb_ratio_compare(out->minimal_load, nb_ratio_one) > 0
                        ? nb_ratio_divide(nb_ratio_one, out->minimal_load)
                        : nb_ratio_one;
}

/* Converts packet times to nanoseconds. */
static void qcn_convert(struct nb_qcn_answer *answer)
{
    const struct nb_enclosure ns = nb_enclosure_of_ratio(answer->packet_time);
    struct nb_qcn_response *response = &answer->response;
    struct nb_enclosure *const times[] = {
        &response->first,      &response->told, &response->within,
        &answer->cycle.period, &answer->drain,  &answer->back,
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] = nb_enclosure_multiply(*times[i], ns);
    for (size_t i = 0; i < response->moment_count; i++)
        response->moments[i].time =
            nb_enclosure_multiply(response->moments[i].time, ns);
}

/* Finds the response when the traffic turns back to uniform. */
static enum nb_status qcn_find_return(const struct nb_qcn_question *request,
                                      const struct nb_dragonfly *fly,
                                      struct nb_qcn_answer *out,
                                      struct nb_error *err)
{
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    const struct nb_enclosure share =
        out->cycle.is_none ? one : out->cycle.mean;
    /* The share of uniform traffic to the groups behind a router. */
    const struct nb_ratio behind = nb_ratio_make(fly->h, fly->groups - 1);
    const struct nb_ratio own = nb_ratio_multiply(
        behind, nb_ratio_multiply(request->load, qcn_whole(fly->p)));
    out->drain = nb_enclosure_divide(
        out->cycle.is_none ? nb_enclosure_of_whole(0) : out->cycle.longest,
        nb_enclosure_excess(one, nb_enclosure_of_ratio(request->load)));
    out->misrouted = nb_enclosure_multiply(nb_enclosure_of_ratio(behind),
                                           nb_enclosure_excess(one, share));
    return nb_qcn_return(&out->loop, own, share, &out->back, err);
}

void nb_qcn_answer_release(struct nb_qcn_answer *answer)
{
    nb_qcn_response_release(&answer->response);
    *answer = (struct nb_qcn_answer){ 0 };
}

static enum nb_status qcn_compute(const struct nb_qcn_question *request,
                                  const struct nb_run *run,
                                  struct nb_qcn_answer *out,
                                  struct nb_error *err)
{
    struct nb_dragonfly fly;
    enum nb_status status;
    bool is_raised;
    (void)run;
    NB_TRY(qcn_read_topology(request->topology, &fly, err));
    qcn_set_loop(request, &fly, out);
    out->has_two_points = request->congestion_points == 2;
    out->strongest = nb_qcn_factor(&out->loop, NB_QCN_MOST, &is_raised);
    NB_TRY(nb_qcn_respond(&out->loop, &out->response, err));
    NB_TRY(nb_qcn_cycle_find(&out->loop, &out->cycle, err));
    NB_TRY(qcn_find_return(request, &fly, out, err));
    qcn_convert(out);
done:
    return status;
}

#define QCN_ROW(field, name, ...)                                              \
    NB_QUANTITY(struct nb_qcn_answer, field, name, __VA_ARGS__)
#define QCN_CLOSED(field, name, unit)                                          \
    QCN_ROW(field, name, unit, .method = "closed form")

static const struct nb_quantity_row qcn_inputs[] = {
    QCN_CLOSED(packet_time, "packet_time", "ns"),
    QCN_CLOSED(loop.sources, "sources", "1"),
    QCN_CLOSED(loop.queue, "queue", "packets"),
    QCN_CLOSED(loop.reference, "reference_point", "packets"),
    QCN_CLOSED(loop.interval, "notification_interval", "packets"),
    QCN_CLOSED(minimal_load, "minimal_load", "1"),
    QCN_CLOSED(balanced, "balanced_probability", "1"),
    QCN_CLOSED(strongest, "strongest_factor", "1"),
    QCN_ROW(response.first, "first_notification", "ns"),
    QCN_ROW(response.told, "response_time", "ns"),
    QCN_ROW(response.share, "response_probability", "1"),
    QCN_ROW(response.within, "within_time", "ns"),
    { 0 },
};
static const struct nb_quantity_row qcn_cycle[] = {
    QCN_ROW(cycle.period, "cycle_period", "ns"),
    QCN_CLOSED(cycle.notifications, "cycle_notifications", "1"),
    QCN_CLOSED(cycle.increases, "cycle_increases", "1"),
    QCN_ROW(cycle.factor, "cycle_factor", "1"),
    QCN_ROW(cycle.least, "probability_least", "1"),
    QCN_ROW(cycle.most, "probability_most", "1"),
    QCN_ROW(cycle.mean, "probability_mean", "1"),
    QCN_ROW(cycle.accepted, "minimal_channel_use", "1"),
    QCN_ROW(cycle.shortest, "queue_least", "packets"),
    QCN_ROW(cycle.longest, "queue_most", "packets"),
    { 0 },
};
static const struct nb_quantity_row qcn_return[] = {
    QCN_ROW(misrouted, "return_misrouted", "1"),
    QCN_ROW(drain, "return_drain_time", "ns"),
    QCN_ROW(back, "return_time", "ns"),
    { 0 },
};

static const char *const qcn_events[] = {
    [NB_QCN_START] = "start",       [NB_QCN_FULL] = "full",
    [NB_QCN_NOTIFIED] = "notified", [NB_QCN_REFERENCE] = "reference",
    [NB_QCN_EMPTY] = "empty",       [NB_QCN_INCREASED] = "increased",
    [NB_QCN_REST] = "rest",
};

#define QCN_AT(field, spelled, ...)                                            \
    NB_COLUMN(struct nb_qcn_moment, field, spelled, __VA_ARGS__)

/* Upper ends of the brackets. */
static const struct nb_table_kind qcn_trajectory = {
    .name = "trajectory",
    .columns =
        NB_COLUMNS(QCN_AT(time.upper, "time:number [ns]", NB_ANY),
                   QCN_AT(event, "event:text", .names = qcn_events),
                   QCN_AT(least.upper, "probability_least:number", NB_ANY),
                   QCN_AT(mean.upper, "probability_mean:number", NB_ANY),
                   QCN_AT(inflow.upper, "inflow:number", NB_ANY),
                   QCN_AT(queue.upper, "queue:number [packets]", NB_ANY)),
};
static const struct nb_table_kind qcn_feedback =
    NB_TABLE("feedback", "feedback,queue_from:ratio [packets],factor:ratio");

/* The effect of each feedback value. The last row also describes a queue that
 * stays at twice the reference point or more and so always gives the same
 * feedback. */
static void qcn_report_feedback(const struct nb_qcn *loop, struct nb_point *out)
{
    static const uint32_t feedbacks[] = { 0, 1, 2, 4, 8, 16, 32, 48, 63 };
    const size_t table = nb_table_start(out, &qcn_feedback);
    for (size_t i = 0; i < sizeof feedbacks / sizeof *feedbacks; i++) {
        bool is_raised;
        const struct nb_ratio from = nb_ratio_multiply(
            loop->reference,
            nb_ratio_make(NB_QCN_MOST + feedbacks[i], NB_QCN_MOST));
        NB_ROW(out, table, feedbacks[i], from,
               nb_qcn_factor(loop, feedbacks[i], &is_raised));
    }
}

static void qcn_report_notes(const struct nb_qcn_answer *answer,
                             struct nb_point *out)
{
    nb_point_add_note(
        out, "model",
        "all terminals of a group start to send to the next group, to which "
        "only one channel leads; packets are divisible, and the queue of that "
        "channel grows by the inflow that the channel cannot carry; packets "
        "that do not fit into the queue are held back by flow control, and "
        "choose again when they enter");
    nb_point_add_note(
        out, "notifications",
        "one for every notification_interval packets that enter the queue "
        "while it is longer than the reference point; it goes, without delay, "
        "to the router that has received the fewest notifications relative to "
        "its packets");
    nb_point_add_note(out, "ports",
                      "a port counts every packet that leaves it, transit "
                      "included, until its probability grows");
    if (answer->has_two_points)
        nb_point_add_note(
            out, "congestion_points",
            "two: on the minimal path, the router's own queue towards the "
            "router with the channel is also full and sampled; its "
            "notifications affect the same port");
}

static const char *qcn_cycle_note(const struct nb_qcn_cycle *cycle)
{
    if (cycle->is_none)
        return "none: the channel carries all minimal traffic, or no "
               "notification lowers the probability";
    if (cycle->is_proved)
        return "proved: started at the fixed point of its affine map, the "
               "recursion returns to exactly the same probability and the same "
               "queue";
    return "not proved: this is one period after many others, and it does not "
           "repeat exactly";
}

static void qcn_report(const struct nb_qcn_answer *answer, struct nb_point *out)
{
    static const char method[] = "deterministic fluid model";
    static const char source[] = "Benito2020, section 4.6";
    if (answer->loop.sources == 0) /* no answer */
        return;
    nb_point_add_quantities(out, qcn_inputs, answer, NULL, method, source);
    if (!answer->cycle.is_none)
        nb_point_add_quantities(out, qcn_cycle, answer, NULL, method, source);
    nb_point_add_note(out, "cycle", qcn_cycle_note(&answer->cycle));
    nb_point_add_quantities(out, qcn_return, answer, NULL, method, source);
    qcn_report_notes(answer, out);
    qcn_report_feedback(&answer->loop, out);
    nb_table_write(out, &qcn_trajectory, (struct nb_table_variant){ 0 },
                   answer->response.moments, answer->response.moment_count,
                   sizeof *answer->response.moments);
}

NB_DEFINE_QUESTION(qcn);
NB_DEFINE_RELEASE(qcn);

const struct nb_question_kind nb_question_kind_qcn = {
    .form = {
        .name = "qcn",
        .summary = "response of QCN-Switch to congestion notifications",
        .example = "netbound qcn --topology dragonfly:h=6",
        .title = "<QCN loop> of {topology}[, {policy}][ at load {load}]",
        .options = qcn_options,
        .quantities = NB_QUANTITIES(qcn_inputs, qcn_cycle, qcn_return),
        .tables = NB_TABLES(&qcn_feedback, &qcn_trajectory),
    },
    NB_CALLS_OF(qcn),
    .release = qcn_release,
};
