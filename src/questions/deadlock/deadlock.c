/* netbound deadlock: whether packets can come to wait for each other forever,
 * with proof. */
#include "questions/deadlock/deadlock_question.h"
#include "questions/deadlock/deadlock_tables.h"

#include "core/try.h"
#include "topology/hosts.h"

#include <string.h>

#define DEADLOCK(field) offsetof(struct nb_deadlock_question, field)

static const struct nb_parameter deadlock_options[] = {
    NB_OPTION_TOPOLOGY(DEADLOCK(topology)),
    NB_OPTION_ROUTING(DEADLOCK(routing)),
    NB_OPTION(
        "classes", DEADLOCK(classes), ROUTER, WORD, "",
        "virtual-channel rule: any, ascending, dimension, hop, phase, place or "
        "star",
        .detail = "any: one class for all packets. Default: the rule of "
                  "the routing scheme."),
    NB_OPTION("messages", DEADLOCK(messages), TRAFFIC, WHOLE, "",
              "number of message types, each of which causes the next; 2: "
              "requests and replies",
              .detail =
                  "A destination accepts a message only if it has room for one "
                  "of the next type. The last type is always accepted.",
              .least = 1, .most = NB_MOST_MESSAGES),
    NB_OPTION("virtual-networks", DEADLOCK(virtual_networks), ROUTER, WHOLE, "",
              "with --messages: number of separate sets of virtual channels; "
              "default 1",
              .detail = "Message type m, counted from 0, uses network m modulo "
                        "this number.",
              .least = 1, .most = NB_MOST_VC_CLASSES, .with = "messages"),
    { 0 },
};

void nb_deadlock_answer_release(struct nb_deadlock_answer *answer)
{
    nb_protocol_release(&answer->protocol);
    nb_deadlock_release(&answer->found);
    nb_routing_release(&answer->routing);
    nb_topology_release(&answer->topology);
}

/* given  NULL: nothing is given to check */
static enum nb_status deadlock_prove(const struct nb_deadlock_question *request,
                                     const struct nb_run *run,
                                     const struct nb_point *given,
                                     struct nb_deadlock_answer *out,
                                     struct nb_text *said, struct nb_error *err)
{
    const struct nb_routing *routing = &out->routing;
    const unsigned messages = (unsigned)request->messages;
    const unsigned networks =
        request->virtual_networks > 1 ? (unsigned)request->virtual_networks : 1;
    bool needs_hosts;
    enum nb_status status;
    NB_TRY(nb_topology_build(request->topology, &out->topology, err));
    NB_TRY(nb_routing_needs_hosts(request->routing, &out->topology,
                                  &needs_hosts, err));
    if (needs_hosts)
        NB_TRY(nb_hosts_expand(&out->topology, err));
    NB_TRY(
        nb_routing_build(request->routing, &out->topology, &out->routing, err));
    NB_TRY(nb_vc_classes_choose(request->classes, &out->routing, err));
    if (messages > 0)
        NB_TRY(given != NULL
                   ? nb_protocol_check_proof(routing, messages, networks, run,
                                             given, &out->protocol, err)
                   : nb_protocol_find(routing, messages, networks, run,
                                      &out->protocol, err));
    else
        NB_TRY(given != NULL
                   ? nb_deadlock_check_proofs(routing, run, given, &out->found,
                                              err)
                   : nb_deadlock_find(routing, run, &out->found, err));
    if (given != NULL && messages > 0)
        nb_protocol_say(&out->protocol, said);
    else if (given != NULL)
        nb_deadlock_say(&out->found, said);
done:
    return status;
}

static void deadlock_report(const struct nb_deadlock_answer *answer,
                            struct nb_point *out)
{
    if (answer->protocol.classes.rule != NULL)
        nb_protocol_report(&answer->protocol, out);
    else if (answer->found.classes.rule != NULL)
        nb_deadlock_report_found(answer, out);
}

NB_DEFINE_COMPUTE(deadlock);
NB_DEFINE_QUESTION(deadlock);
NB_DEFINE_RELEASE(deadlock);
NB_DEFINE_RECHECK(deadlock);

/* The cycle, if there is one. */
static enum nb_status deadlock_print(const struct nb_point *point,
                                     const struct nb_look *look,
                                     struct nb_text *text, struct nb_error *err)
{
    return nb_point_print_table(point, "waits", look, text, err);
}

const struct nb_question_kind nb_question_kind_deadlock = {
    .form = {
        .name = "deadlock",
.summary = "whether packets can block each other forever, with proof",
        .example = "netbound deadlock --topology torus:8x8 --routing dor",
        .title = "<Freedom from deadlock> of {routing} on {topology}[ with classes by {classes}][, {messages} messages][ in {virtual-networks} virtual networks]",
        .options = deadlock_options,
        .quantities = NB_QUANTITIES(nb_deadlock_path_rows),
        .tables = nb_deadlock_table_kinds,
        .prefixed_tables = "one_class_waits one_class_numbering one_class_cycle "
                           "one_class_cycle_paths",
    },
    NB_CALLS_OF(deadlock),
    .release = deadlock_release,
    .recheck = deadlock_recheck,
    .print = deadlock_print,
};
