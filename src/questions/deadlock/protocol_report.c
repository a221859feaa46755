/* Reports the answer of netbound deadlock about a protocol (declared in
 * deadlock_tables.h). */
#include "questions/deadlock/deadlock_tables.h"

#include <math.h>
#include <stdio.h>

static const char protocol_method[] = "walk of all routes";

static bool protocol_chooses(const struct nb_protocol *found)
{
    return found->graph.chooses_class || found->graph.chooses_hop;
}

static void protocol_add(struct nb_point *out, const char *name, size_t value,
                         const char *source)
{
    nb_point_add_exact(out, name, nb_ratio_make((int64_t)value, 1), "1",
                       protocol_method, source);
}

/* If packets choose, a cycle proves nothing, and so no number of networks is
 * proved to be needed. */
static void protocol_report_needed(const struct nb_protocol *found,
                                   struct nb_point *out)
{
    const double needed =
        found->needed > 0 ? (double)found->needed : (double)INFINITY;
    const bool is_exact =
        !protocol_chooses(found) && !found->graph.lacks_escape;
    if (is_exact && found->needed > 0)
        protocol_add(out, "networks_needed", found->needed, "SongPinkston2003");
    else
        nb_point_add_bracket(out, "networks_needed", is_exact ? needed : 1,
                             needed, "1", protocol_method, "SongPinkston2003");
}

static void protocol_report_verdict(const struct nb_protocol *found,
                                    struct nb_point *out)
{
    const char *source =
        protocol_chooses(found) ? "Duato1993" : "DallySeitz1987";
    if (found->verdict != NB_DEADLOCK_UNKNOWN) {
        protocol_add(out, "deadlock_free", found->verdict == NB_DEADLOCK_FREE,
                     source);
        return;
    }
    nb_point_add_bracket(out, "deadlock_free", 0, 1, "1", protocol_method,
                         source);
    if (!out->has_failed) /* what is not proved cannot be relied on */
        out->quantities[out->quantity_count - 1].value = 0;
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

static void protocol_report_notes(const struct nb_protocol *found,
                                  struct nb_point *out)
{
    char text[300];
    nb_point_add_note(out, "verdict", protocol_words(found));
    snprintf(
        text, sizeof text,
        "%u messages: a destination takes a packet of each message, except the "
        "last, once it has room for a packet of the next message; a dependency "
        "leads from the channel class that a packet holds to one that it "
        "needs, or that the message it waits for needs",
        found->messages);
    nb_point_add_note(out, "messages", text);
    snprintf(text, sizeof text,
             "%u classes in each of %u networks, counted network by network",
             found->classes.count, found->networks);
    nb_point_add_note(out, "classes", text);
    if (found->needed == 0)
        nb_point_add_note(out, "networks_needed",
                          "the routes of one message have a cycle by "
                          "themselves, which networks cannot remove");
}

void nb_protocol_report(const struct nb_protocol *found, struct nb_point *out)
{
    const struct nb_order *order = &found->proof.order;
    const char *source =
        protocol_chooses(found) ? "Duato1993" : "DallySeitz1987";
    protocol_report_verdict(found, out);
    protocol_report_needed(found, out);
    protocol_add(out, "classes", found->used, found->classes.rule->source);
    protocol_add(out, "dependencies", found->graph.count, source);
    protocol_add(out, order->is_free ? "longest_chain" : "shortest_cycle",
                 order->is_free ? order->longest : order->length, source);
    if (found->routes.unrouted > 0)
        protocol_add(out, "unrouted_pairs", found->routes.unrouted, "");
    protocol_report_notes(found, out);
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
