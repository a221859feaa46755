/* netbound deadlock: whether packets can come to wait for each other forever,
 * with proof. */
#include "questions/deadlock/deadlock_question.h"
#include "questions/deadlock/deadlock_tables.h"

#include "core/try.h"
#include "topology/hosts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEADLOCK(field) offsetof(struct nb_deadlock_question, field)

static const struct nb_parameter deadlock_options[] = {
    NB_OPTION_TOPOLOGY(DEADLOCK(topology)),
    NB_OPTION_ROUTING(DEADLOCK(routing)),
    NB_OPTION("classes", DEADLOCK(classes), ROUTER, WORD, "",
              "virtual-channel rule: any, dimension, hop, phase, place or star",
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

static const char deadlock_method[] = "walk of all routes";

/* Dally and Seitz's theorem or, if packets choose, Duato's. */
static bool deadlock_chooses(const struct nb_deadlock *found)
{
    return found->dependencies.chooses_class || found->dependencies.chooses_hop;
}

static const char *deadlock_source(const struct nb_deadlock *found)
{
    return deadlock_chooses(found) ? "Duato1993" : "DallySeitz1987";
}

static void deadlock_report_verdict(const struct nb_deadlock *found,
                                    struct nb_point *out)
{
    const char *source = deadlock_source(found);
    if (found->verdict == NB_DEADLOCK_UNKNOWN) {
        nb_point_add_bracket(out, "deadlock_free", 0, 1, "1", deadlock_method,
                             source);
        if (!out->has_failed) /* what is not proved cannot be relied on */
            out->quantities[out->quantity_count - 1].value = 0;
        return;
    }
    nb_point_add_exact(out, "deadlock_free",
                       nb_ratio_make(found->verdict == NB_DEADLOCK_FREE, 1),
                       "1", deadlock_method, source);
}

static void deadlock_report_classes(const struct nb_deadlock *found,
                                    struct nb_point *out)
{
    const char *source = deadlock_source(found);
    if (found->most == NB_NO_CLASSES)
        nb_point_add_bracket(out, "classes_needed", INFINITY, INFINITY, "1",
                             deadlock_method, source);
    else if (found->least == found->most)
        nb_point_add_exact(out, "classes_needed",
                           nb_ratio_make(found->least, 1), "1", deadlock_method,
                           source);
    else
        nb_point_add_bracket(out, "classes_needed", found->least, found->most,
                             "1", deadlock_method, source);
    nb_point_add_exact(out, "classes", nb_ratio_make(found->used, 1), "1",
                       deadlock_method, found->classes.rule->source);
}

static void deadlock_report_graph(const struct nb_deadlock *found,
                                  struct nb_point *out)
{
    const struct nb_order *order = &found->proof.order;
    const struct nb_ratio count =
        nb_ratio_make((int64_t)found->dependencies.count, 1);
    const char *source = deadlock_source(found);
    if (found->dependencies.is_wider)
        nb_point_add_bracket(out, "dependencies", 0,
                             (double)found->dependencies.count, "1",
                             "walk of all routes, phase by phase", source);
    else
        nb_point_add_exact(out, "dependencies", count, "1", deadlock_method,
                           source);
    if (order->is_free)
        nb_point_add_exact(out, "longest_chain",
                           nb_ratio_make(order->longest, 1), "1",
                           deadlock_method, source);
    else
        nb_point_add_exact(out, "shortest_cycle",
                           nb_ratio_make((int64_t)order->length, 1), "1",
                           deadlock_method, source);
}

static void deadlock_report_unrouted(const struct nb_deadlock *found,
                                     struct nb_point *out)
{
    const uint64_t pairs = found->dependencies.unrouted;
    if (pairs == 0)
        return;
    nb_point_add_exact(out, "unrouted_pairs", nb_ratio_make((int64_t)pairs, 1),
                       "1", deadlock_method, "");
    nb_point_add_note(out, "unrouted",
                      "each pair in unrouted_pairs lacks at least one route; "
                      "the hops that exist are counted");
}

/* Adds what the scheme counted while it was built. */
static void deadlock_report_counts(const struct nb_routing *routing,
                                   struct nb_point *out)
{
    for (size_t i = 0; i < routing->count_count; i++)
        nb_point_add_exact(out, routing->counts[i].name,
                           nb_ratio_make((int64_t)routing->counts[i].count, 1),
                           "1", "counting", "");
}

static const char *deadlock_words(const struct nb_deadlock *found)
{
    if (found->dependencies.lacks_escape)
        return "not shown: somewhere a packet has no class that it can always "
               "fall back on";
    if (found->dependencies.is_circling)
        return "not free: the tables lead packets round, and these hold their "
               "buffers forever; no number of classes is enough";
    if (found->verdict == NB_DEADLOCK_POSSIBLE)
        return "not free: if packets of the pairs in the cycle fill its "
               "buffers, they wait for each other forever";
    if (found->verdict == NB_DEADLOCK_UNKNOWN)
        return "not shown: the classes that packets can always fall back on "
               "form a cycle; packets that choose may still escape, since "
               "Duato's condition is sufficient, not necessary";
    return deadlock_chooses(found)
               ? "free: the numbers ascend along every dependency on a class "
                 "that packets can always fall back on; where packets choose, "
                 "this is sufficient"
               : "free: the numbers ascend along every dependency, so there "
                 "is no cycle";
}

static void deadlock_report_notes(const struct nb_deadlock *found,
                                  struct nb_point *out)
{
    const bool is_single =
        found->classes.rule->is_unprotected && found->classes.count == 1;
    char text[200];
    nb_point_add_note(out, "verdict", deadlock_words(found));
    snprintf(text, sizeof text,
             "%s%s; a dependency leads from the channel class that a packet "
             "holds to one that it waits for",
             is_single ? "" : "classes by ",
             is_single ? "one class for all packets"
                       : found->classes.rule->summary);
    nb_point_add_note(out, "virtual_channels", text);
    if (found->dependencies.is_wider)
        nb_point_add_note(
            out, "phases",
            "every first phase of a route is combined with every second phase, "
            "even where no packet takes both; so the true number of "
            "dependencies may be lower, but not higher");
    if (found->dealt.count > 0)
        nb_point_add_note(out, "layers",
                          "the fewest classes known: each pair keeps to the "
                          "class of its layer; pairs not in table layers are "
                          "in layer 0");
    else if (found->most == found->dependencies.longest &&
             (found->verdict != NB_DEADLOCK_FREE || found->most < found->used))
        nb_point_add_note(out, "hops",
                          "the fewest classes known: one for each hop of the "
                          "longest route");
    if (found->has_one && !found->one.order.is_free)
        nb_point_add_note(
            out, "one_class",
            "with one class for all packets the scheme has a cycle: "
            "table one_class_waits");
}

void nb_deadlock_report(const struct nb_deadlock_answer *answer,
                        struct nb_point *out)
{
    const struct nb_deadlock *found = &answer->found;
    if (answer->protocol.classes.rule != NULL)
        nb_protocol_report(&answer->protocol, out);
    if (found->classes.rule == NULL) /* no answer without messages */
        return;
    deadlock_report_verdict(found, out);
    deadlock_report_classes(found, out);
    deadlock_report_graph(found, out);
    deadlock_report_unrouted(found, out);
    nb_problem_note_lids(&answer->routing, out);
    nb_note_file(&answer->topology, out);
    deadlock_report_counts(&answer->routing, out);
    nb_deadlock_add_paths(&answer->routing, out);
    deadlock_report_notes(found, out);
    nb_deadlock_note_lanes(found, out);
    nb_deadlock_add_proofs(found, out);
}

/* Makes the routing use the requested rule. */
static enum nb_status deadlock_choose(const char *name,
                                      struct nb_routing *routing,
                                      struct nb_error *err)
{
    struct nb_vc_classes classes = { 0 };
    struct nb_text names = { 0 };
    size_t i = 0;
    enum nb_status status = NB_OK;
    if (name == NULL)
        return NB_OK;
    for (; nb_vc_rules[i] != NULL && strcmp(nb_vc_rules[i]->name, name) != 0;
         i++)
        nb_text_print(&names, "%s%s", i > 0 ? ", " : "", nb_vc_rules[i]->name);
    NB_TRY(nb_text_check(&names, err));
    if (nb_vc_rules[i] == NULL)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "--classes %.40s: no such rule (permitted: %s)", name,
                       names.bytes));
    routing->vc_rule = nb_vc_rules[i]->name;
    NB_TRY(nb_vc_classes_build(routing, &classes, err));
    if (classes.rule != nb_vc_rules[i])
        NB_TRY(nb_fail(err, NB_INVALID,
                       "--classes %s does not suit routing %s on topology %s "
                       "(permitted: any, hop, %s)",
                       name, routing->kind->kind.name,
                       routing->topology->kind->kind.name, classes.rule->name));
done:
    nb_vc_classes_release(&classes);
    nb_text_release(&names);
    return status;
}

static enum nb_status deadlock_open(const struct nb_deadlock_question *request,
                                    struct nb_deadlock_answer *out,
                                    struct nb_error *err)
{
    bool needs_hosts;
    enum nb_status status;
    *out = (struct nb_deadlock_answer){ 0 };
    NB_TRY(nb_request_check("deadlock", deadlock_options, request, err));
    NB_TRY(nb_topology_build(request->topology, &out->topology, err));
    NB_TRY(nb_routing_needs_hosts(request->routing, &out->topology,
                                  &needs_hosts, err));
    if (needs_hosts)
        NB_TRY(nb_hosts_expand(&out->topology, err));
    NB_TRY(
        nb_routing_build(request->routing, &out->topology, &out->routing, err));
    NB_TRY(deadlock_choose(request->classes, &out->routing, err));
done:
    return status;
}

void nb_deadlock_answer_release(struct nb_deadlock_answer *answer)
{
    nb_protocol_release(&answer->protocol);
    nb_deadlock_release(&answer->found);
    nb_routing_release(&answer->routing);
    nb_topology_release(&answer->topology);
}

static unsigned deadlock_networks(const struct nb_deadlock_question *request)
{
    return request->virtual_networks > 0 ? (unsigned)request->virtual_networks
                                         : 1;
}

enum nb_status nb_deadlock_ask(const struct nb_deadlock_question *request,
                               const struct nb_run *run,
                               struct nb_deadlock_answer *out,
                               struct nb_error *err)
{
    enum nb_status status = deadlock_open(request, out, err);
    if (status == NB_OK)
        status = request->messages > 0
                     ? nb_protocol_find(
                           &out->routing, (unsigned)request->messages,
                           deadlock_networks(request), run, &out->protocol, err)
                     : nb_deadlock_find(&out->routing, run, &out->found, err);
    if (status != NB_OK)
        nb_deadlock_answer_release(out);
    return status;
}

void nb_deadlock_say(const struct nb_deadlock *found, struct nb_text *said)
{
    const char *walked = found->dealt.count > 0
                             ? "all routes walked again, also layer by layer"
                             : "all routes walked again";
    if (found->proof.order.is_free)
        nb_text_print(
            said, "the numbers ascend along all %zu dependencies, up to %u; %s",
            found->dependencies.count, found->proof.order.longest, walked);
    else
        nb_text_print(said,
                      "a cycle of %zu dependencies, each on a path of a pair, "
                      "and none is shorter; %s",
                      found->proof.order.length, walked);
}

enum nb_status nb_deadlock_recheck(const struct nb_deadlock_question *request,
                                   const struct nb_run *run,
                                   const struct nb_point *given,
                                   struct nb_deadlock_answer *out,
                                   struct nb_text *said, struct nb_error *err)
{
    enum nb_status status = deadlock_open(request, out, err);
    if (status == NB_OK && request->messages > 0) {
        status = nb_protocol_check_proof(
            &out->routing, (unsigned)request->messages,
            deadlock_networks(request), run, given, &out->protocol, err);
        if (status == NB_OK)
            nb_protocol_say(&out->protocol, said);
    } else if (status == NB_OK) {
        status = nb_deadlock_check_proofs(&out->routing, run, given,
                                          &out->found, err);
        if (status == NB_OK)
            nb_deadlock_say(&out->found, said);
    }
    if (status != NB_OK)
        nb_deadlock_answer_release(out);
    return status;
}

NB_DEFINE_ANSWER(deadlock)

NB_DEFINE_CHECK(deadlock)

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
        .tables = "waits numbering cycle cycle_paths one_class_waits "
                  "one_class_numbering one_class_cycle one_class_cycle_paths "
                  "layers",
    },
    .size = sizeof(struct nb_deadlock_question),
    .answer = deadlock_answer,
    .check = deadlock_check,
    .print = deadlock_print,
};
