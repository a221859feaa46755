/* Reports the answers of netbound deadlock (declared in deadlock_tables.h). */
#include "questions/deadlock/deadlock_tables.h"

#include "core/locale.h"
#include "routing/layers.h"
#include "routing/table_ways.h"

#include <math.h>
#include <string.h>

static const char report_method[] = "walk of all routes";

/* Adds a whole number known to lie between these. */
static void report_add(struct nb_point *out, const char *name, double lower,
                       double upper, const char *source)
{
    if (lower == upper && isfinite(upper))
        nb_point_add_enclosure(out, name, nb_enclosure_of_double(upper), "1",
                               report_method, source);
    else
        nb_point_add_bracket(out, name, lower, upper, "1", report_method,
                             source);
}

static void report_add_count(struct nb_point *out, const char *name,
                             size_t count, const char *method)
{
    nb_point_add_exact(out, name, nb_ratio_make((int64_t)count, 1), "1", method,
                       "");
}

static bool report_chooses(const struct nb_dependencies *graph)
{
    return graph->chooses_class || graph->chooses_hop;
}

/* Dally and Seitz's theorem or, if packets choose, Duato's. */
static const char *report_source(const struct nb_dependencies *graph)
{
    return report_chooses(graph) ? "Duato1993" : "DallySeitz1987";
}

static void report_verdict(enum nb_deadlock_verdict verdict, const char *source,
                           struct nb_point *out)
{
    const bool is_unknown = verdict == NB_DEADLOCK_UNKNOWN;
    report_add(out, "deadlock_free", verdict == NB_DEADLOCK_FREE,
               is_unknown || verdict == NB_DEADLOCK_FREE, source);
    if (is_unknown && !out->has_failed) /* cannot be relied on */
        out->quantities[out->quantity_count - 1].value = 0;
}

static void report_order(const struct nb_order *order, const char *source,
                         struct nb_point *out)
{
    const double count =
        order->is_free ? (double)order->longest : (double)order->length;
    report_add(out, order->is_free ? "longest_chain" : "shortest_cycle", count,
               count, source);
}

const struct nb_quantity_row nb_deadlock_path_rows[] = {
    NB_QUANTITY(struct nb_table_ways_paths, pairs, "routed_pairs", "1"),
    NB_QUANTITY(struct nb_table_ways_paths, dependencies, "path_dependencies",
                "1"),
    NB_QUANTITY(struct nb_table_ways_paths, transitions, "path_transitions",
                "1"),
    { 0 },
};

/* Adds how the layers are filled, for a scheme that has several and is executed
 * from tables. */
static void report_paths(const struct nb_routing *routing, struct nb_point *out)
{
    static const char method[] = "all paths";
    struct nb_table_ways_paths paths;
    out->has_failed |= nb_table_ways_count(routing, &paths, NULL) != NB_OK;
    if (paths.layers < 2)
        return;
    nb_point_add_quantities(out, nb_deadlock_path_rows, &paths, NULL, method,
                            "");
    for (unsigned l = 0; l < paths.layers; l++) {
        char name[40];
        nb_snprintf(name, sizeof name, "path_dependencies_%u", l + 1);
        report_add_count(out, name, paths.within[l], method);
    }
}

static void report_quantities(const struct nb_deadlock_answer *answer,
                              struct nb_point *out)
{
    const struct nb_deadlock *found = &answer->found;
    const struct nb_dependencies *graph = &found->dependencies;
    const struct nb_routing *routing = &answer->routing;
    const char *source = report_source(graph);
    const double count = (double)graph->count;
    const bool is_none = found->most == NB_NO_CLASSES;
    report_verdict(found->verdict, source, out);
    report_add(out, "classes_needed", is_none ? (double)INFINITY : found->least,
               is_none ? (double)INFINITY : found->most, source);
    report_add(out, "classes", found->used, found->used,
               found->classes.rule->source);
    if (graph->is_wider)
        nb_point_add_bracket(out, "dependencies", 0, count, "1",
                             "walk of all routes, phase by phase", source);
    else
        report_add(out, "dependencies", count, count, source);
    report_order(&found->proof.order, source, out);
    if (graph->unrouted > 0) {
        report_add_count(out, "unrouted_pairs", graph->unrouted, report_method);
        nb_point_add_note(out, "unrouted",
                          "each pair in unrouted_pairs lacks at least one "
                          "route; the hops that exist are counted");
    }
    nb_problem_note_lids(routing, out);
    nb_note_file(&answer->topology, out);
    for (size_t i = 0; i < routing->count_count; i++) /* when it was built */
        report_add_count(out, routing->counts[i].name, routing->counts[i].count,
                         "counting");
    report_paths(routing, out);
}

static const char *report_words(const struct nb_deadlock *found)
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
    return report_chooses(&found->dependencies)
               ? "free: the numbers ascend along every dependency on a class "
                 "that packets can always fall back on; where packets choose, "
                 "this is sufficient"
               : "free: the numbers ascend along every dependency, so there "
                 "is no cycle";
}

static void report_notes(const struct nb_deadlock *found, struct nb_point *out)
{
    const bool is_single =
        found->classes.rule->is_unprotected && found->classes.count == 1;
    nb_point_add_note(out, "verdict", report_words(found));
    nb_point_note(out, "virtual_channels",
                  "%s%s; a dependency leads from the channel class that a "
                  "packet holds to one that it waits for",
                  is_single ? "" : "classes by ",
                  is_single ? "one class for all packets"
                            : found->classes.rule->summary);
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
    nb_deadlock_note_lanes(found, out);
}

void nb_deadlock_note_lanes(const struct nb_deadlock *found,
                            struct nb_point *out)
{
    if (strcmp(found->classes.rule->name, "layer") == 0 &&
        found->used > NB_COMMON_LANES)
        nb_point_note(out, "lanes",
                      "%u layers are more than the %d data lanes that "
                      "InfiniBand switches usually have; nue:layers=%d needs "
                      "no more than these",
                      found->used, NB_COMMON_LANES, NB_COMMON_LANES);
}

void nb_deadlock_report_found(const struct nb_deadlock_answer *answer,
                              struct nb_point *out)
{
    report_quantities(answer, out);
    report_notes(&answer->found, out);
    nb_deadlock_add_proofs(&answer->found, out);
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

static const char *protocol_words(const struct nb_protocol *found)
{
    if (found->graph.lacks_escape)
        return "not shown: somewhere a packet has no class that it can always "
               "fall back on";
    if (found->verdict == NB_DEADLOCK_FREE)
        return "free: the numbers ascend along every dependency, also from "
               "one message to the next, so there is no cycle";
    if (found->verdict == NB_DEADLOCK_UNKNOWN)
        return "not shown: the classes that packets can always fall back on "
               "form a cycle; packets that choose may still escape";
    return "not free: if packets of the cycle fill its buffers, and the room "
           "for the next message where the cycle names it, they wait for each "
           "other forever";
}

static void report_protocol_notes(const struct nb_protocol *found,
                                  struct nb_point *out)
{
    nb_point_add_note(out, "verdict", protocol_words(found));
    nb_point_note(
        out, "messages",
        "%u messages: a destination takes a packet of each message, except the "
        "last, once it has room for a packet of the next message; a dependency "
        "leads from the channel class that a packet holds to one that it "
        "needs, or that the message it waits for needs",
        found->messages);
    nb_point_note(
        out, "classes",
        "%u classes in each of %u networks, counted network by network",
        found->classes.count, found->networks);
    if (found->needed == 0)
        nb_point_add_note(out, "networks_needed",
                          "the routes of one message have a cycle by "
                          "themselves, which networks cannot remove");
}

void nb_protocol_report(const struct nb_protocol *found, struct nb_point *out)
{
    const struct nb_dependencies *graph = &found->graph;
    static const char networks[] = "SongPinkston2003";
    const char *source = report_source(graph);
    const double needed =
        found->needed > 0 ? (double)found->needed : (double)INFINITY;
    /* If packets choose, a cycle proves nothing, and so no number of networks
     * is proved to be needed. */
    const bool is_exact = !report_chooses(graph) && !graph->lacks_escape;
    report_verdict(found->verdict, source, out);
    if (is_exact)
        report_add(out, "networks_needed", needed, needed, networks);
    else
        nb_point_add_bracket(out, "networks_needed", 1, needed, "1",
                             report_method, networks);
    report_add(out, "classes", found->used, found->used,
               found->classes.rule->source);
    report_add(out, "dependencies", (double)graph->count, (double)graph->count,
               source);
    report_order(&found->proof.order, source, out);
    if (found->routes.unrouted > 0)
        report_add_count(out, "unrouted_pairs", found->routes.unrouted,
                         report_method);
    report_protocol_notes(found, out);
    nb_protocol_add_proof(found, out);
}

void nb_protocol_say(const struct nb_protocol *found, struct nb_text *said)
{
    if (found->proof.order.is_free)
        nb_text_print(said,
                      "the numbers ascend along all %zu dependencies of %u "
                      "messages, up to %u; all routes walked again",
                      found->graph.count, found->messages,
                      found->proof.order.longest);
    else
        nb_text_print(said,
                      "a cycle of %zu dependencies, each on a path of a pair "
                      "or of two messages, and none is shorter; all routes "
                      "walked again",
                      found->proof.order.length);
}
