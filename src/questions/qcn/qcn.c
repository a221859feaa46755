/* netbound qcn: the loop of notifications and probabilities of QCN-Switch. */
#include "questions/qcn/qcn_question.h"

#include "bounds/limits/limits.h"
#include "core/try.h"
#include "questions/problem.h"

#include <math.h>

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
    NB_OPTION("weight", QCN(weight), ROUTER, NUMBER, "0",
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
    NB_OPTION("reduction-limit", QCN(limit), ROUTER, NUMBER, "1/64",
              "L_f: feedback Fb multiplies the probability of a minimal path "
              "by 1 - L_f Fb",
              .most = 1.0 / 63),
    NB_OPTION("packet-limit", QCN(packet_limit), ROUTER, NUMBER, "100",
              "PC_l: the probability of a minimal path grows after this many "
              "packets without notification",
              .counts = "packets", .least = 1e-3, .most = 1e9),
    NB_OPTION("increase", QCN(increase), ROUTER, NUMBER, "0.01",
              "PI: by how much the probability of a minimal path then grows",
              .least = 1e-4, .most = 1, .unit = "fraction"),
    NB_OPTION("threshold-below", QCN(below), ROUTER, NUMBER, "0",
              "Th_1, policy comparison: feedback this far below the mean "
              "raises that probability",
              .detail = "Without effect in this model: only the congested port "
                        "has feedback, which is above the mean of all ports.",
              .most = 63),
    NB_OPTION("threshold-above", QCN(above), ROUTER, NUMBER, "30",
              "Th_2, policy comparison: feedback this far above the mean "
              "lowers that probability",
              .most = 63),
    NB_OPTION(
        "transit", QCN(transit), TRAFFIC, NUMBER, "",
        "load of packets in transit on a router's port, as a fraction of its "
        "channel",
        .detail =
            "Default: the load of packets for the next router's terminals.",
        .most = 0.999999, .unit = "fraction"),
    { 0 },
};

static const char qcn_source[] = "Benito2020, section 4.6";
static const char qcn_method[] = "deterministic fluid model";

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
    const struct nb_ratio queue =
        nb_ratio_divide(nb_ratio_multiply(request->queue_size, qcn_whole(1000)),
                        request->packet_size);
    const bool is_compared = request->policy == NB_QCN_COMPARISON;
    out->packet_time =
        nb_ratio_divide(nb_ratio_multiply(request->packet_size, qcn_whole(8)),
                        request->link_rate);
    out->behind = nb_ratio_make(fly->h, fly->groups - 1);
    out->minimal_load =
        nb_ratio_multiply(request->load, qcn_whole(fly->a * fly->p));
    out->loop = (struct nb_qcn){
        .sources = (uint32_t)fly->a,
        .demand = nb_ratio_multiply(request->load, qcn_whole(fly->p)),
        /* Packets from outside the group for a router's terminals enter evenly
         * through all routers of the group. */
        .transit = nb_ratio_is_known(request->transit)
                       ? request->transit
                       : nb_ratio_multiply(request->load,
                                           nb_ratio_make(fly->p, fly->a)),
        .queue = queue,
        .reference = nb_ratio_multiply(queue, request->reference),
        .weight = request->weight,
        .interval = nb_ratio_divide(
            request->sampling_cycle,
            nb_ratio_multiply(request->notified,
                              qcn_whole(request->congestion_points))),
        .limit = request->limit,
        .packets = request->packet_limit,
        .increase = request->increase,
        .ports = is_compared ? (uint32_t)(fly->a - 1 + fly->h) : 0,
        .below = is_compared ? request->below : nb_ratio_zero,
        .above = is_compared ? request->above : nb_ratio_zero,
    };
}

/* Finds the response when the traffic turns back to uniform. */
static enum nb_status qcn_find_return(struct nb_qcn_answer *answer,
                                      const struct nb_dragonfly *fly,
                                      struct nb_error *err)
{
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    const struct nb_enclosure share =
        answer->cycle.is_none ? one : answer->cycle.mean;
    const struct nb_ratio own = nb_ratio_multiply(
        answer->behind,
        nb_ratio_multiply(answer->request.load, qcn_whole(fly->p)));
    answer->misrouted = nb_enclosure_multiply(
        nb_enclosure_of_ratio(answer->behind), nb_enclosure_excess(one, share));
    answer->drain = nb_enclosure_divide(
        answer->cycle.is_none ? nb_enclosure_of_whole(0)
                              : answer->cycle.longest,
        nb_enclosure_excess(one, nb_enclosure_of_ratio(answer->request.load)));
    return nb_qcn_return(&answer->loop, own, share, &answer->back, err);
}

void nb_qcn_answer_release(struct nb_qcn_answer *answer)
{
    nb_qcn_response_release(&answer->response);
    *answer = (struct nb_qcn_answer){ 0 };
}

enum nb_status nb_qcn_ask(const struct nb_qcn_question *request,
                          const struct nb_run *run, struct nb_qcn_answer *out,
                          struct nb_error *err)
{
    struct nb_dragonfly fly;
    enum nb_status status = NB_OK;
    (void)run;
    *out = (struct nb_qcn_answer){ 0 };
    NB_TRY(nb_request_check("qcn", qcn_options, request, err));
    out->request = *request;
    NB_TRY(qcn_read_topology(request->topology, &fly, err));
    qcn_set_loop(request, &fly, out);
    NB_TRY(nb_qcn_respond(&out->loop, &out->response, err));
    NB_TRY(nb_qcn_cycle_find(&out->loop, &out->cycle, err));
    NB_TRY(qcn_find_return(out, &fly, err));
done:
    if (status != NB_OK)
        nb_qcn_answer_release(out);
    return status;
}

static void qcn_add(struct nb_point *out, const char *name,
                    struct nb_enclosure value, const char *unit)
{
    nb_point_add_enclosure(out, name, value, unit, qcn_method, qcn_source);
}

static void qcn_add_exact(struct nb_point *out, const char *name,
                          struct nb_ratio value, const char *unit)
{
    nb_point_add_exact(out, name, value, unit, "closed form", qcn_source);
}

/* Packet times as nanoseconds. */
static struct nb_enclosure qcn_ns(const struct nb_qcn_answer *answer,
                                  struct nb_enclosure time)
{
    return nb_enclosure_multiply(time,
                                 nb_enclosure_of_ratio(answer->packet_time));
}

static void qcn_report_inputs(const struct nb_qcn_answer *answer,
                              struct nb_point *out)
{
    bool is_raised;
    qcn_add_exact(out, "packet_time", answer->packet_time, "ns");
    qcn_add_exact(out, "sources", qcn_whole(answer->loop.sources), "1");
    qcn_add_exact(out, "queue", answer->loop.queue, "packets");
    qcn_add_exact(out, "reference_point", answer->loop.reference, "packets");
    qcn_add_exact(out, "notification_interval", answer->loop.interval,
                  "packets");
    qcn_add_exact(out, "minimal_load", answer->minimal_load, "1");
    qcn_add_exact(out, "balanced_probability",
                  nb_ratio_compare(answer->minimal_load, nb_ratio_one) > 0
                      ? nb_ratio_divide(nb_ratio_one, answer->minimal_load)
                      : nb_ratio_one,
                  "1");
    qcn_add_exact(out, "strongest_factor",
                  nb_qcn_factor(&answer->loop, NB_QCN_MOST, &is_raised), "1");
}

static void qcn_report_cycle(const struct nb_qcn_answer *answer,
                             struct nb_point *out)
{
    const struct nb_qcn_cycle *cycle = &answer->cycle;
    if (cycle->is_none) {
        nb_point_add_note(out, "cycle",
                          "none: the channel carries all minimal traffic, or "
                          "no notification lowers the probability");
        return;
    }
    qcn_add(out, "cycle_period", qcn_ns(answer, cycle->period), "ns");
    qcn_add_exact(out, "cycle_notifications", qcn_whole(cycle->notifications),
                  "1");
    qcn_add_exact(out, "cycle_increases", qcn_whole((int64_t)cycle->increases),
                  "1");
    qcn_add(out, "cycle_factor", cycle->factor, "1");
    qcn_add(out, "probability_least", cycle->least, "1");
    qcn_add(out, "probability_most", cycle->most, "1");
    qcn_add(out, "probability_mean", cycle->mean, "1");
    qcn_add(out, "minimal_channel_use", cycle->accepted, "1");
    qcn_add(out, "queue_least", cycle->shortest, "packets");
    qcn_add(out, "queue_most", cycle->longest, "packets");
    nb_point_add_note(out, "cycle",
                      cycle->is_proved
                          ? "proved: started at the fixed point of its affine "
                            "map, the recursion returns to exactly the same "
                            "probability and the same queue"
                          : "not proved: this is one period after many others, "
                            "and it does not repeat exactly");
}

static const char *const qcn_events[] = {
    [NB_QCN_START] = "start",       [NB_QCN_FULL] = "full",
    [NB_QCN_NOTIFIED] = "notified", [NB_QCN_REFERENCE] = "reference",
    [NB_QCN_EMPTY] = "empty",       [NB_QCN_INCREASED] = "increased",
    [NB_QCN_REST] = "rest",
};

/* The end of the bracket that is reported for times and lengths. */
static double qcn_upper(struct nb_enclosure a)
{
    return a.upper;
}

static void qcn_report_trajectory(const struct nb_qcn_answer *answer,
                                  struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "trajectory", false,
        "time:number [ns],event:text,probability_least:number,"
        "probability_mean:number,inflow:number,queue:number [packets]");
    for (size_t i = 0; i < answer->response.moment_count; i++) {
        const struct nb_qcn_moment *at = &answer->response.moments[i];
        nb_table_add_number(out, table, qcn_upper(qcn_ns(answer, at->time)));
        nb_table_add_text(out, table, qcn_events[at->event]);
        nb_table_add_number(out, table, qcn_upper(at->least));
        nb_table_add_number(out, table, qcn_upper(at->mean));
        nb_table_add_number(out, table, qcn_upper(at->inflow));
        nb_table_add_number(out, table, qcn_upper(at->queue));
    }
}

/* The effect of each feedback value. The last row also describes a queue that
 * stays at twice the reference point or more and so always gives the same
 * feedback. */
static void qcn_report_feedback(const struct nb_qcn_answer *answer,
                                struct nb_point *out)
{
    static const uint32_t feedbacks[] = { 0, 1, 2, 4, 8, 16, 32, 48, 63 };
    const struct nb_qcn *loop = &answer->loop;
    const size_t table =
        nb_point_add_table(out, "feedback", false,
                           "feedback,queue_from:ratio [packets],factor:ratio");
    for (size_t i = 0; i < sizeof feedbacks / sizeof *feedbacks; i++) {
        bool is_raised;
        nb_table_add_whole(out, table, feedbacks[i]);
        nb_table_add_ratio(
            out, table,
            nb_ratio_multiply(
                loop->reference,
                nb_ratio_make(NB_QCN_MOST + feedbacks[i], NB_QCN_MOST)));
        nb_table_add_ratio(out, table,
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
    if (answer->request.congestion_points == 2)
        nb_point_add_note(
            out, "congestion_points",
            "two: on the minimal path, the router's own queue towards the "
            "router with the channel is also full and sampled; its "
            "notifications affect the same port");
}

void nb_qcn_report(const struct nb_qcn_answer *answer, struct nb_point *out)
{
    if (answer->loop.sources == 0) /* no answer */
        return;
    qcn_report_inputs(answer, out);
    qcn_add(out, "first_notification", qcn_ns(answer, answer->response.first),
            "ns");
    qcn_add(out, "response_time", qcn_ns(answer, answer->response.told), "ns");
    qcn_add(out, "response_probability", answer->response.share, "1");
    qcn_add(out, "within_time", qcn_ns(answer, answer->response.within), "ns");
    qcn_report_cycle(answer, out);
    qcn_add(out, "return_misrouted", answer->misrouted, "1");
    qcn_add(out, "return_drain_time", qcn_ns(answer, answer->drain), "ns");
    qcn_add(out, "return_time", qcn_ns(answer, answer->back), "ns");
    qcn_report_notes(answer, out);
    qcn_report_feedback(answer, out);
    qcn_report_trajectory(answer, out);
}

NB_DEFINE_ANSWER(qcn)

const struct nb_question_kind nb_question_kind_qcn = {
    .form = {
        .name = "qcn",
.summary = "response of QCN-Switch to congestion notifications",
        .example = "netbound qcn --topology dragonfly:h=6",
        .title = "<QCN loop> of {topology}[, {policy}][ at load {load}]",
        .options = qcn_options,
        .tables = "feedback trajectory",
    },
    .size = sizeof(struct nb_qcn_question),
    .answer = qcn_answer,
};
