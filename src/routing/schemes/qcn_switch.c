/*
 * qcn-switch: a switch sends a packet that leaves its group straight with the
 * probability of the port to that path, else over the detour of the port by
 * which it entered, -g-. Congestion points sample the output buffers of
 * channels, or the input buffers behind them, once every `interval` packets or
 * cycles. If
 * a buffer holds more than a reference, it may notify the source of a packet
 * drawn from it. The source's switch reads the notification on its way and
 * lowers the probability of the port by which it arrives, or of the very output
 * that sent it. The probability of a port rises again after it sends `packets`
 * packets without notifications.
 *
 * A notification takes the pipelines and channels of the shortest path back,
 * ahead of all packets and at no cost to them.
 * Source: [Benito2020, sections 2.4.1 and 4.6, table 4-3].
 */
#include "routing/rule_ways.h"
#include "core/random.h"

enum {
    QCN_MOST_PACKETS = 1000000,
    QCN_UNDER_WAY = 16, /* notifications for each channel; more are lost */
};

struct qcn_plan {
    struct nb_rule_qcn rule;
    uint64_t interval; /* CPC: [packet], or [cycle] .. */
    bool is_timed;     /* .. if this */
    uint64_t packets;  /* [packet] PC_l */
    double share;      /* %CNMs, as a fraction of 1 */
    bool is_input;     /* samples input buffers */
    bool is_processed; /* by the sampling switch, too */
    bool forgets;      /* feedbacks of ports whose probability rises */
};

/* By channel: the port of its router to another switch. */
struct qcn_port {
    double probability;
    double filled;    /* fraction of the sampled buffer at its last
                       * notification */
    uint64_t sampled; /* packets passed, or cycle, at the last sample */
    uint64_t trusted; /* packets passed at the last notification or increase */
    int feedback;     /* the last one received here */
};

struct qcn_notification {
    uint64_t cycle; /* when it arrives */
    uint32_t port;
    int feedback;
};

struct qcn_memory {
    size_t under_way;
    bool is_begun; /* probabilities are 1 at the start */
    struct qcn_port port[];
};

static struct qcn_notification *qcn_notifications(const struct nb_routing *r,
                                                  struct qcn_memory *memory)
{
    return (struct qcn_notification *)&memory->port[r->topology->channel_count];
}

static size_t qcn_memory(const struct nb_routing *routing)
{
    return sizeof(struct qcn_memory) +
           routing->topology->channel_count *
               (sizeof(struct qcn_port) +
                QCN_UNDER_WAY * sizeof(struct qcn_notification));
}

static double qcn_number(const struct nb_routing *routing, const char *name)
{
    return nb_ratio_value(
        nb_specification_ratio(&routing->specification, name));
}

static enum nb_status qcn_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const enum nb_status status =
        nb_rule_ways_build(out, sizeof(struct qcn_plan), err);
    if (status != NB_OK)
        return status;
    *(struct qcn_plan *)out->plan = (struct qcn_plan){
        .rule = { .reference = qcn_number(out, "reference"),
                  .weight = qcn_number(out, "weight"),
                  .limit = qcn_number(out, "limit"),
                  .increase = qcn_number(out, "increase"),
                  .below = qcn_number(out, "below"),
                  .above = qcn_number(out, "above"),
                  .is_compared =
                      nb_specification_is(given, "variant", "comparison") },
        .interval = (uint64_t)nb_specification_whole(given, "interval"),
        .is_timed = nb_specification_is(given, "interval-in", "cycles"),
        .packets = (uint64_t)nb_specification_whole(given, "packets"),
        .share = qcn_number(out, "share"),
        .is_input = nb_specification_is(given, "sampling", "input"),
        .is_processed = nb_specification_is(given, "source-processing", "yes"),
        .forgets = nb_specification_is(given, "forget", "yes"),
    };
    return NB_OK;
}

/* The mean feedback of a switch's ports to other switches. */
static double qcn_mean(const struct nb_topology *topology,
                       const struct qcn_memory *memory, uint32_t router)
{
    const uint32_t first = topology->out_start[router],
                   end = topology->out_start[router + 1];
    double sum = 0;
    for (uint32_t c = first; c < end; c++)
        sum += memory->port[c].feedback;
    return sum / (end - first);
}

static void qcn_notify(const struct nb_routing *routing,
                       const struct nb_view *view, uint32_t port, int feedback)
{
    const struct qcn_plan *plan = routing->plan;
    const struct nb_topology *topology = routing->topology;
    struct qcn_memory *memory = view->memory;
    struct qcn_port *at = &memory->port[port];
    at->feedback = feedback;
    at->trusted = view->passed(view->network, port);
    at->probability = nb_rule_notified(
        &plan->rule, at->probability, feedback,
        qcn_mean(topology, memory, topology->channels[port].source));
}

/* Processes the notifications that arrive in this cycle, in the order in which
 * they were sent. */
static void qcn_receive(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle)
{
    struct qcn_memory *memory = view->memory;
    struct qcn_notification *list = qcn_notifications(routing, memory);
    size_t kept = 0;
    for (size_t n = 0; n < memory->under_way; n++)
        if (list[n].cycle > cycle)
            list[kept++] = list[n];
        else
            qcn_notify(routing, view, list[n].port, list[n].feedback);
    memory->under_way = kept;
}

/* Sends a notification from the router of the buffer to a source. It enters the
 * source's router by the port that leads to the buffer. */
static void qcn_send(const struct nb_routing *routing,
                     const struct nb_view *view, uint32_t router,
                     uint32_t source, int feedback, uint64_t cycle)
{
    const struct nb_topology *topology = routing->topology;
    struct qcn_memory *memory = view->memory;
    const uint32_t port = nb_rule_straight(routing, view, source, router);
    uint64_t flight = 0;
    for (uint32_t at = source, c = port; c != NB_NONE;
         c = nb_rule_straight(routing, view, at, router)) {
        flight += view->latency(view->network, c);
        at = topology->channels[c].target;
    }
    if (port == NB_NONE ||
        memory->under_way == QCN_UNDER_WAY * topology->channel_count)
        return;
    qcn_notifications(routing, memory)[memory->under_way++] =
        (struct qcn_notification){ .cycle = cycle + flight,
                                   .port = port,
                                   .feedback = feedback };
}

static void qcn_sample(const struct nb_routing *routing,
                       const struct nb_view *view, uint32_t channel,
                       uint64_t cycle)
{
    const struct qcn_plan *plan = routing->plan;
    const struct nb_channel *ends = &routing->topology->channels[channel];
    struct qcn_memory *memory = view->memory;
    struct qcn_port *port = &memory->port[channel];
    const uint32_t router = plan->is_input ? ends->target : ends->source;
    struct nb_sample sample;
    if (!view->sample(view->network, channel, plan->is_input,
                      nb_random_next(view->random), &sample))
        return;
    const int feedback =
        nb_rule_feedback(&plan->rule, sample.filled, port->filled);
    if (feedback < 0 || nb_random_unit(view->random) >= plan->share)
        return;
    port->filled = sample.filled;
    const bool is_own = sample.source == router && !plan->is_input;
    if ((is_own || plan->is_processed) && sample.output != NB_NONE)
        qcn_notify(routing, view, sample.output, feedback);
    if (sample.source != router)
        qcn_send(routing, view, router, sample.source, feedback, cycle);
}

static void qcn_begin(const struct nb_routing *routing,
                      struct qcn_memory *memory)
{
    memory->is_begun = true;
    for (size_t c = 0; c < routing->topology->channel_count; c++)
        memory->port[c].probability = 1;
}

static void qcn_observe(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle)
{
    const struct qcn_plan *plan = routing->plan;
    struct qcn_memory *memory = view->memory;
    if (!memory->is_begun)
        qcn_begin(routing, memory);
    if (view->sample == NULL)
        return;
    qcn_receive(routing, view, cycle);
    for (uint32_t c = 0; c < routing->topology->channel_count; c++) {
        struct qcn_port *port = &memory->port[c];
        const uint64_t passed = view->passed(view->network, c);
        if (passed - port->trusted >= plan->packets) {
            port->trusted = passed;
            if (plan->forgets)
                port->feedback = 0;
            port->probability += plan->rule.increase;
            if (port->probability > 1)
                port->probability = 1;
        }
        const uint64_t now = plan->is_timed ? cycle : passed;
        if (now - port->sampled >= plan->interval) {
            port->sampled = now;
            qcn_sample(routing, view, c, cycle);
        }
    }
}

static uint64_t qcn_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate)
{
    const struct qcn_memory *memory = view->memory;
    if (candidate->start->intermediates > 0)
        return 1;
    if (nb_rule_is_plain(routing, source, destination) || !memory->is_begun ||
        view->random == NULL)
        return 0;
    const uint32_t port = nb_rule_straight(routing, view, source, destination);
    return nb_random_unit(view->random) < memory->port[port].probability
               ? 0
               : UINT64_MAX;
}

static const struct nb_parameter qcn_parameters[] = {
    NB_PARAMETER("variant", CHOICE, "comparison",
                 "notifications that lower the probability: any, or those "
                 "above the mean",
                 .detail = "base: any notification lowers the probability of "
                           "its port. comparison: only one that is worse than "
                           "the mean of the switch's ports.",
                 .choices = "base|comparison"),
    NB_PARAMETER("source-processing", CHOICE, "no",
                 "whether the notifying switch also reads its own notification",
                 .detail = "The switch applies it to the output that the "
                           "sampled packet goes to.",
                 .choices = "yes|no"),
    NB_PARAMETER("sampling", CHOICE, "output",
                 "buffers to sample: output buffers of channels, or the input "
                 "buffers behind them",
                 .choices = "output|input"),
    NB_PARAMETER("interval", WHOLE, "100",
                 "CPC: packets between two samples, or cycles: interval-in",
                 .least = 1, .most = QCN_MOST_PACKETS),
    NB_PARAMETER("interval-in", CHOICE, "packets",
                 "what interval counts: packets that pass the port, or cycles",
                 .choices = "packets|cycles"),
    NB_PARAMETER(
        "share", NUMBER, "0.3",
        "%CNMs: fraction of congested samples for which a notification is sent",
        .least = 0, .most = 1),
    NB_PARAMETER("reference", NUMBER, "0.2",
                 "Q_eq: fraction of a buffer above which it is congested",
                 .least = 1e-6, .most = 1),
    NB_PARAMETER("weight", NUMBER, "0",
                 "w: weight of the growth since the last notification",
                 .least = 0, .most = 1000),
    NB_PARAMETER("limit", NUMBER, "1/64",
                 "L_f: feedback Fb, at most 63, multiplies the probability by "
                 "1 - L_f Fb",
                 .least = 0, .most = 1),
    NB_PARAMETER("packets", WHOLE, "100",
                 "PC_l: packets without notification after which a port's "
                 "probability rises",
                 .least = 1, .most = QCN_MOST_PACKETS),
    NB_PARAMETER("increase", NUMBER, "0.01",
                 "PI: by how much a port's probability then rises", .least = 0,
                 .most = 1),
    NB_PARAMETER(
        "below", NUMBER, "0",
        "Th_1: feedback this far below the mean raises the probability",
        .least = 0, .most = 63),
    NB_PARAMETER(
        "above", NUMBER, "30",
        "Th_2: feedback this far above the mean lowers the probability",
        .least = 0, .most = 63),
    NB_PARAMETER("forget", CHOICE, "no",
                 "whether the mean drops a port's last feedback when its "
                 "probability rises",
                 .detail = "no: congestion that has ended keeps the mean high.",
                 .choices = "yes|no"),
    NB_PARAMETERS_RULE,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_qcn_switch = {
    .kind = { .name = "qcn-switch",
              .summary = "minimal path, less likely under congestion",
              .detail = "Congestion notifications lower the probability of the "
                        "minimal path. Otherwise a packet takes the "
                        "non-minimal path that belongs to its port of entry. "
                        "Dragonflies, with --router credit.",
              .family = NB_FAMILY_GROUPS,
              .parameters = qcn_parameters },
    .examples =
        "qcn-switch@dragonfly:h=1 qcn-switch@dragonfly:h=2,a=2,p=1 "
        "qcn-switch:variant=base,interval=3,packets=7,reference=1/20,share=1@"
        "dragonfly:h=1 qcn-switch:sampling=input,source-processing=yes,"
        "interval=2,reference=1/100@dragonfly:h=1,groups=2,trunking=2",
    .is_adaptive = true,
    .build = qcn_build,
    .cost = qcn_cost,
    .memory = qcn_memory,
    .observe = qcn_observe,
    .heeds_buffers = true,
};
