/* The report of netbound audit. */
#include "questions/audit/audit_question.h"

#include "core/memory.h"
#include "questions/deadlock/deadlock_tables.h"
#include "questions/optimum/optimum.h"
#include "report/tree.h"
#include "topology/fabric.h"
#include "topology/pods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char report_counting[] = "following every pair";
static const char report_throughput[] = "TowlesDally2002, section 2.2";
static const char report_worst[] = "TowlesDally2002, Theorem 2";
static const char report_bisection[] = "HoeflerSchneiderLumsdaine2008";
static const char report_deadlock[] = "DallySeitz1987";

static void report_whole(struct nb_point *out, const char *name, uint64_t value,
                         const char *unit, const char *source)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)value, 1), unit,
                       report_counting, source);
}

/* Limits a rate to what a terminal and its cable permit. */
static struct nb_ratio report_limited(const struct nb_audit_answer *answer,
                                      struct nb_ratio rate)
{
    return !nb_ratio_is_known(rate) ||
                   nb_ratio_compare(rate, answer->host_limit) > 0
               ? answer->host_limit
               : rate;
}

/* One end of a channel: the router's name and, in a fabric, the port. */
static void report_end(const struct nb_topology *topology, uint32_t router,
                       uint32_t port, struct nb_text *text)
{
    nb_router_print(topology, router, text);
    if (topology->fabric != NULL)
        nb_text_print(text, "[%u]", port);
}

static void report_channel(const struct nb_topology *topology, uint32_t channel,
                           struct nb_text *text)
{
    const struct nb_channel *at = &topology->channels[channel];
    const struct nb_fabric_port *port =
        topology->fabric != NULL ? nb_fabric_port_of(topology, channel) : NULL;
    report_end(topology, at->source, port != NULL ? port->port : 0, text);
    nb_text_print(text, " to ");
    report_end(topology, at->target, port != NULL ? port->target_port : 0,
               text);
}

static void report_note_channel(const struct nb_topology *topology,
                                const char *name, uint32_t channel,
                                struct nb_point *out)
{
    struct nb_text text = { 0 };
    if (channel == NB_NONE)
        return;
    report_channel(topology, channel, &text);
    nb_point_take_note(out, name, &text);
}

/* Adds the cycle of waiting channels, by the names of switches and their
 * ports. */
static void report_cycle(const struct nb_audit_answer *answer,
                         struct nb_point *out)
{
    const struct nb_causes *causes = &answer->deadlock->proof.causes;
    struct nb_text text = { 0 };
    if (causes->count == 0)
        return;
    for (size_t i = 0; i < causes->count; i++) {
        const struct nb_cause *cause = &causes->cause[i];
        nb_text_print(&text, "%s", i > 0 ? ", then " : "");
        report_channel(&answer->problem.topology, cause->channel[cause->held],
                       &text);
    }
    nb_text_print(&text, ", and so on");
    nb_point_take_note(out, "deadlock", &text);
}

/* A number of pairs; with several paths per pair it may be a fraction. */
static void report_pairs(struct nb_point *out, const char *name,
                         struct nb_ratio pairs, const char *source)
{
    nb_point_add_exact(out, name, pairs, "pairs", report_counting, source);
}

static void report_print_ratio(struct nb_ratio value, struct nb_text *text)
{
    char number[NB_RATIO_TEXT];
    nb_ratio_print(value, number);
    nb_text_print(text, "%s", number);
}

/* A channel and its load per bandwidth. */
struct report_cable {
    uint32_t channel;
    uint64_t load;
    double share;
};

static int report_compare(const void *left, const void *right)
{
    const struct report_cable *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

const struct nb_table_kind nb_audit_cables_table = {
    .name = "cables",
    .columns = NB_SPELLED("channel,cable:text,pairs:number "
                          "[pairs],bandwidth:ratio [packets/cycle]")
};

static void report_cables(const struct nb_audit_answer *answer,
                          struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    struct report_cable *cable = NULL;
    size_t count = 0;
    if (nb_new(&cable, topology->channel_count, sizeof *cable, "cables",
               NULL) != NB_OK) {
        out->has_failed = true;
        return;
    }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (nb_audit_counts(topology, c))
            cable[count++] = (struct report_cable){
                c, answer->given.load[c],
                (double)answer->given.load[c] /
                    nb_ratio_value(topology->channels[c].bandwidth)
            };
    qsort(cable, count, sizeof *cable, report_compare);
    const size_t table = nb_table_start(out, &nb_audit_cables_table);
    for (size_t i = 0; i < count && i < (size_t)answer->cables; i++) {
        struct nb_text text = { 0 };
        report_channel(topology, cable[i].channel, &text);
        NB_ROW(out, table, cable[i].channel);
        out->has_failed |= nb_text_check(&text, NULL) != NB_OK;
        NB_ROW(out, table, text.bytes != NULL ? text.bytes : "",
               (double)cable[i].load / answer->given.ways,
               topology->channels[cable[i].channel].bandwidth);
        nb_text_release(&text);
    }
    nb_delete(cable);
}

const struct nb_table_kind nb_audit_channels_table = {
    .name = "channels",
    .columns = NB_SPELLED(
        "channel,source,target,bandwidth:ratio [packets/cycle],load:number "
        "[pairs],credit_loop")
};

/* All channels with their loads, for a drawing of the network. */
static void report_channels(const struct nb_audit_answer *answer,
                            struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const size_t table = nb_table_start(out, &nb_audit_channels_table);
    const struct nb_causes *causes = &answer->deadlock->proof.causes;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        NB_ROW(out, table, c, at->source, at->target, at->bandwidth,
               (double)answer->given.load[c] / (double)answer->given.ways);
        bool is_held = false;
        for (size_t i = 0; i < causes->count; i++)
            is_held |= causes->cause[i].channel[causes->cause[i].held] == c;
        NB_ROW(out, table, is_held);
    }
}

/* A row of table alternatives. */
static void report_audited(const struct nb_audit_answer *answer,
                           const struct nb_audited *one, const char *name,
                           size_t table, struct nb_point *out)
{
    NB_ROW(out, table, name, nb_ratio_value(one->most_load),
           nb_ratio_value(report_limited(answer, one->throughput)),
           nb_ratio_value(report_limited(answer, one->worst_throughput)),
           one->bisection.value,
           one->most == NB_NO_CLASSES ? (double)INFINITY : (double)one->most,
           one->is_free, one->has_tables, one->unrouted);
}

const struct nb_table_kind nb_audit_alternatives_table = {
    .name = "alternatives",
    .columns = NB_SPELLED(
        "routing:text,max_channel_load:number [pairs],throughput:number "
        "[packets/cycle/terminal],worst_case_throughput:number "
        "[packets/cycle/terminal],effective_bisection:number,"
        "classes_needed:number,deadlock_free,forwarding_tables,unrouted_pairs "
        "[pairs]")
};

static void report_alternatives(const struct nb_audit_answer *answer,
                                struct nb_point *out)
{
    if (answer->other_count == 0)
        return;
    const size_t table = nb_table_start(out, &nb_audit_alternatives_table);
    report_audited(answer, &answer->given, "(audited)", table, out);
    for (size_t i = 0; i < answer->other_count; i++) {
        const struct nb_audited *other = &answer->other[i];
        char kind[40]; /* name of the note */
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(other->name, ":"),
                 other->name);
        if (other->refusal.message[0] != '\0')
            nb_point_add_note(out, kind, other->refusal.message);
        else
            report_audited(answer, other, other->name, table, out);
    }
}

/* Routers with several terminals do not represent switches with hosts. */
static void report_sharing(const struct nb_topology *topology,
                           struct nb_point *out)
{
    bool share = false;
    for (size_t r = 0; r < topology->router_count; r++)
        share |= topology->terminals[r] > 1;
    if (share && topology->fabric == NULL) /* and the scheme makes no hosts */
        nb_point_add_note(
            out, "terminals",
            "here all terminals of a router share its next hops; hosts of a "
            "fabric have next hops of their own, and trees then carry much "
            "more: write the network with netbound topology --network "
            "net.ibnetdiscover and audit that file");
}

/* The first alternative that a subnet manager could use. */
static const struct nb_audited *
report_find_better(const struct nb_audit_answer *answer)
{
    for (size_t i = 0; i < answer->other_count; i++) {
        const struct nb_audited *other = &answer->other[i];
        if (other->refusal.message[0] == '\0' && other->is_free &&
            other->unrouted == 0 && other->has_tables)
            return other;
    }
    return NULL;
}

/* Adds in words what an operator must know first. */
static void report_verdict(const struct nb_audit_answer *answer,
                           struct nb_point *out)
{
    const struct nb_audited *given = &answer->given;
    const struct nb_audited *better = report_find_better(answer);
    const bool is_file = strncmp(given->name, "file", 4) == 0;
    struct nb_text text = { 0 };
    if (!is_file)
        nb_text_print(
            &text,
            "with %s, because no forwarding tables are given: ", given->name);
    if (given->is_free)
        nb_text_print(&text, "free of credit loops");
    else
        nb_text_print(&text, "%s%s",
                      answer->problem.routing.circling > 0
                          ? "CREDIT LOOP: the tables lead packets round, and "
                            "these hold their buffers forever (note deadlock)"
                      : answer->deadlock->verdict == NB_DEADLOCK_POSSIBLE
                          ? "CREDIT LOOP: packets can come to wait for each "
                            "other forever (note deadlock)"
                          : "not shown to be free of credit loops",
                      is_file && strstr(given->name, "sl=") == NULL &&
                              answer->problem.routing.circling == 0
                          ? "; all pairs are in layer 0 because no sl= is "
                            "given"
                          : "");
    if (given->unrouted > 0)
        nb_text_print(&text, "; %zu PAIRS WITHOUT A PATH", given->unrouted);
    if (given->worst_channel != NB_NONE) {
        nb_text_print(&text, "; ");
        report_print_ratio(given->most_load, &text);
        nb_text_print(
            &text, " pair%s on the fullest channel",
            nb_ratio_compare(given->most_load, nb_ratio_one) == 0 ? "" : "s");
    }
    if (better != NULL &&
        (!given->is_free || given->unrouted > 0 ||
         nb_ratio_compare(better->throughput, given->throughput) > 0)) {
        nb_text_print(&text, "; with %s: ", better->name);
        report_print_ratio(better->most_load, &text);
        nb_text_print(&text, " in %u layer%s without a loop", better->most,
                      better->most == 1 ? "" : "s");
    }
    if (answer->cabling.missing > 0)
        nb_text_print(&text, "; %zu missing cable%s (table odd_cables)",
                      (size_t)answer->cabling.missing,
                      answer->cabling.missing == 1 ? "" : "s");
    nb_point_take_note(out, "verdict", &text);
}

static void report_unrouted(const struct nb_audit_answer *answer,
                            struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    struct nb_text text = { 0 };
    if (answer->given.unrouted == 0)
        return;
    if (answer->problem.routing.circling > 0)
        nb_text_print(&text, "on %zu paths packets circle forever; ",
                      answer->problem.routing.circling);
    nb_text_print(&text, "the first pair without a path is ");
    nb_router_print(topology, answer->given.first[0], &text);
    nb_text_print(&text, " to ");
    nb_router_print(topology, answer->given.first[1], &text);
    nb_text_print(&text, "; loads, permutations and matchings cover only the "
                         "other pairs");
    nb_point_take_note(out, "unrouted_pairs", &text);
}

/* Whether a cable or its router has failed. */
static bool report_is_gone(const struct nb_topology *topology,
                           const struct nb_fabric_port *port)
{
    return port->has_failed || nb_router_has_failed(topology, port->router);
}

/* Speeds of the cables' ends, each with the number of ends. */
static void report_speeds(const struct nb_topology *topology,
                          struct nb_text *text)
{
    const struct nb_fabric *fabric = topology->fabric;
    enum { SPEEDS = 16 };
    char speed[SPEEDS][NB_FABRIC_SPEED];
    bool is_known[SPEEDS];
    size_t of[SPEEDS] = { 0 }, count = 0;
    for (size_t p = 0; p < fabric->port_count; p++) {
        size_t i = 0;
        if (report_is_gone(topology, &fabric->port[p]))
            continue;
        while (i < count && strcmp(speed[i], fabric->port[p].speed) != 0)
            i++;
        if (i == SPEEDS)
            continue;
        if (i == count) {
            is_known[count] = nb_ratio_is_known(fabric->port[p].gigabits);
            snprintf(speed[count++], NB_FABRIC_SPEED, "%s",
                     fabric->port[p].speed);
        }
        of[i]++;
    }
    for (size_t i = 0; i < count; i++)
        nb_text_print(text, "%s%zu %s%s%s", i > 0 ? ", " : "", of[i],
                      speed[i][0] != '\0' ? "of " : "without a speed", speed[i],
                      speed[i][0] != '\0' && !is_known[i]
                          ? " (unknown, counts as 1)"
                          : "");
}

/* Cables that the file records at only one of their ends. */
static void report_inferred(const struct nb_topology *topology,
                            struct nb_text *text)
{
    const struct nb_fabric *fabric = topology->fabric;
    const struct nb_fabric_port *first = NULL;
    size_t count = 0;
    for (size_t p = fabric->port_count; p-- > 0;) {
        if (!fabric->port[p].is_inferred)
            continue;
        first = &fabric->port[p];
        count++;
    }
    if (first == NULL)
        return;
    nb_text_print(text, "; recorded at one end only: %zu, the first at ",
                  count);
    report_end(topology, first->target, first->target_port, text);
    nb_text_print(text, " but not at ");
    report_end(topology, first->router, first->port, text);
}

/* Adds the note about cables and their peculiarities. */
static void report_cabling(const struct nb_topology *topology,
                           struct nb_point *out)
{
    const struct nb_fabric *fabric = topology->fabric;
    size_t loops = 0, between = 0, empty = 0, gateways = 0;
    struct nb_text text = { 0 };
    if (fabric == NULL)
        return;
    for (size_t p = 0; p < fabric->port_count; p++) {
        const struct nb_fabric_port *port = &fabric->port[p];
        if (report_is_gone(topology, port))
            continue;
        loops += port->router == port->target;
        gateways += fabric->node[port->router].is_gateway;
        between += port->router != port->target &&
                   fabric->node[port->router].is_switch &&
                   fabric->node[port->target].is_switch;
    }
    for (uint32_t r = 0; r < fabric->node_count; r++) {
        if (!fabric->node[r].is_switch || nb_router_has_failed(topology, r))
            continue;
        empty += fabric->node[r].port_count;
        for (uint32_t p = fabric->start[r]; p < fabric->start[r + 1]; p++)
            empty -= !report_is_gone(topology, &fabric->port[p]);
    }
    nb_text_print(&text,
                  "%zu cable%s between switches, %zu from a switch to itself, "
                  "%zu switch port%s without a cable; cable ends by speed: ",
                  between / 2, between / 2 == 1 ? "" : "s", loops / 2, empty,
                  empty == 1 ? "" : "s");
    report_speeds(topology, &text);
    if (gateways > 0)
        nb_text_print(&text,
                      "; ports of InfiniBand routers, which are no hosts: %zu",
                      gateways);
    report_inferred(topology, &text);
    nb_point_take_note(out, "cabling", &text);
}

const struct nb_table_kind nb_audit_tree_table = {
    .name = "tree",
    .columns = NB_SPELLED("level,switches,hosts,cables_up,cables_down")
};

/* Adds switches and hosts per level if the switches form a tree. */
static void report_levels(const struct nb_audit_answer *answer,
                          struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_cabling *cabling = &answer->cabling;
    if (cabling->levels == 0)
        return;
    const size_t table = nb_table_start(out, &nb_audit_tree_table);
    for (uint32_t l = 0; l < cabling->levels; l++) {
        uint64_t switches = 0, hosts = 0, up = 0, down = 0;
        for (uint32_t r = 0; r < topology->router_count; r++) {
            if (cabling->level[r] != l)
                continue;
            switches++;
            hosts += cabling->hosts[r];
            up += nb_cabling_cables(topology, cabling, r, l + 1);
            down += l > 0 ? nb_cabling_cables(topology, cabling, r, l - 1) : 0;
        }
        NB_ROW(out, table, l, switches, hosts, up, down);
    }
}

/* Describes an odd cable in the words of its rule. */
static void report_odd_words(const struct nb_audit_answer *answer,
                             const struct nb_odd_cable *odd,
                             struct nb_text text[4])
{
    static const char *const rules[] = {
        [NB_ODD_UP] = "cables up",
        [NB_ODD_DOWN] = "cables down",
        [NB_ODD_TRUNK] = "cables between",
        [NB_ODD_SPEED] = "bandwidth",
        [NB_ODD_HOSTS] = "hosts above the leaves",
        [NB_ODD_ACROSS] = "cable within a level",
        [NB_ODD_SELF] = "cable to itself",
    };
    const struct nb_topology *topology = &answer->problem.topology;
    char number[NB_RATIO_TEXT];
    nb_text_print(&text[0], "%s", rules[odd->rule]);
    if (odd->channel != NB_NONE && odd->rule != NB_ODD_TRUNK) {
        report_channel(topology, odd->channel, &text[1]);
    } else {
        nb_router_print(topology, odd->at, &text[1]);
        if (odd->rule == NB_ODD_TRUNK) {
            nb_text_print(&text[1], " to ");
            nb_router_print(topology, odd->to, &text[1]);
        }
    }
    nb_ratio_print(odd->found, number);
    nb_text_print(&text[2], "%s%s",
                  odd->rule == NB_ODD_SELF     ? "port "
                  : odd->rule == NB_ODD_ACROSS ? "level "
                                               : "",
                  number);
    nb_ratio_print(odd->usual, number);
    if (odd->rule == NB_ODD_SELF)
        nb_text_print(&text[2], " to port %s", number);
    else if (odd->rule != NB_ODD_ACROSS)
        nb_text_print(&text[3], "%s", number);
}

const struct nb_table_kind nb_audit_odd_cables_table = {
    .name = "odd_cables",
    .columns = NB_SPELLED("what:text,where:text,found:text,usual:text")
};

static void report_odd_cables(const struct nb_audit_answer *answer,
                              struct nb_point *out)
{
    const struct nb_cabling *cabling = &answer->cabling;
    if (cabling->odd_count == 0)
        return;
    const size_t table = nb_table_start(out, &nb_audit_odd_cables_table);
    for (size_t i = 0; i < cabling->odd_count; i++) {
        struct nb_text text[4] = { 0 };
        report_odd_words(answer, &cabling->odd[i], text);
        for (size_t t = 0; t < 4; t++) {
            out->has_failed |= nb_text_check(&text[t], NULL) != NB_OK;
            NB_ROW(out, table, text[t].bytes != NULL ? text[t].bytes : "");
            nb_text_release(&text[t]);
        }
    }
}

enum { TELL_ODD = 4 }; /* oddities of a switch that are put into words */

/* Appends an oddity to the words about one of its switches. */
static void report_odd_at(const struct nb_audit_answer *answer,
                          const struct nb_odd_cable *odd, uint32_t router,
                          struct nb_text *words, uint32_t *count)
{
    struct nb_text text[4] = { 0 };
    bool has_failed = false;
    if (router == NB_NONE || ++count[router] > TELL_ODD)
        return;
    report_odd_words(answer, odd, text);
    for (size_t t = 0; t < 4; t++)
        has_failed |= nb_text_check(&text[t], NULL) != NB_OK;
    words[router].has_failed |= has_failed;
    if (!has_failed) {
        nb_text_print(&words[router], "%s%s", count[router] > 1 ? "; " : "",
                      text[0].bytes);
        if (odd->to != NB_NONE || odd->channel != NB_NONE)
            nb_text_print(&words[router], " %s", text[1].bytes);
        nb_text_print(&words[router], ": %s", text[2].bytes);
        if (text[3].bytes != NULL)
            nb_text_print(&words[router], ", usually %s", text[3].bytes);
    }
    for (size_t t = 0; t < 4; t++)
        nb_text_release(&text[t]);
}

/* What is odd at each switch, in words. */
static void report_odd_all(const struct nb_audit_answer *answer,
                           struct nb_text *words, uint32_t *count)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_cabling *cabling = &answer->cabling;
    for (size_t i = 0; i < cabling->odd_count; i++) {
        const struct nb_odd_cable *odd = &cabling->odd[i];
        uint32_t to = odd->to;
        if (to == NB_NONE && odd->channel != NB_NONE)
            to = topology->channels[odd->channel].target;
        report_odd_at(answer, odd, odd->at, words, count);
        if (to != odd->at)
            report_odd_at(answer, odd, to, words, count);
    }
    for (size_t r = 0; r < topology->router_count; r++)
        if (count[r] > TELL_ODD)
            nb_text_print(&words[r], "; and %u more", count[r] - TELL_ODD);
}

/* A number that may not exist. */
static void report_optional(struct nb_point *out, size_t table, uint32_t value)
{
    NB_ROW(out, table, value != NB_NONE ? value : (double)NAN);
}

const struct nb_table_kind nb_audit_switches_table = {
    .name = "switches",
    .columns = NB_SPELLED("router,name:text,level:number,pod:number,plane:"
                          "number,hosts,odd:text")
};

static void report_switch_rows(const struct nb_audit_answer *answer,
                               const uint32_t *pod, const uint32_t *plane,
                               const struct nb_text *odd, struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_cabling *cabling = &answer->cabling;
    const size_t table = nb_table_start(out, &nb_audit_switches_table);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        struct nb_text name = { 0 };
        if (!nb_is_switch(topology, r))
            continue;
        nb_router_print(topology, r, &name);
        out->has_failed |= nb_text_check(&name, NULL) != NB_OK ||
                           nb_text_check(&odd[r], NULL) != NB_OK;
        NB_ROW(out, table, r, name.bytes != NULL ? name.bytes : "");
        report_optional(out, table,
                        cabling->levels > 0 ? cabling->level[r] : NB_NONE);
        report_optional(out, table, pod[r]);
        report_optional(out, table, plane[r]);
        NB_ROW(out, table, cabling->hosts[r],
               odd[r].bytes != NULL ? odd[r].bytes : "");
        nb_text_release(&name);
    }
}

/* The switches, for a drawing of the network. In a tree of three levels or more
 * those below the top level have a pod, those of the two highest levels a
 * plane. */
static void report_switches(const struct nb_audit_answer *answer,
                            struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_cabling *cabling = &answer->cabling;
    const size_t n = topology->router_count;
    const bool has_pods = cabling->levels > 2;
    const uint32_t top = has_pods ? cabling->levels - 1 : 0;
    struct nb_pool pool = { 0 };
    uint32_t *pod = nb_pool_array(&pool, n, sizeof *pod), parts;
    uint32_t *plane = nb_pool_array(&pool, n, sizeof *plane);
    uint32_t *count = nb_pool_array(&pool, n, sizeof *count);
    struct nb_text *odd = nb_pool_array(&pool, n, sizeof *odd);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "switches", NULL));
    NB_TRY(nb_pods_find(topology, cabling->level, has_pods ? 0 : 1,
                        has_pods ? top - 1 : 0, pod, &parts, NULL));
    NB_TRY(nb_pods_find(topology, cabling->level, has_pods ? top - 1 : 1, top,
                        plane, &parts, NULL));
    report_odd_all(answer, odd, count);
    report_switch_rows(answer, pod, plane, odd, out);
done:
    out->has_failed |= status != NB_OK;
    for (size_t r = 0; odd != NULL && r < n; r++)
        nb_text_release(&odd[r]);
    nb_pool_release(&pool);
}

static void report_rates(const struct nb_audit_answer *answer,
                         struct nb_point *out)
{
    const struct nb_audited *given = &answer->given;
    const struct nb_enclosure throughput =
        nb_enclosure_of_ratio(report_limited(answer, given->throughput));
    report_whole(out, "deadlock_free", given->is_free, "1", report_deadlock);
    nb_point_add_enclosure(out, "throughput", throughput,
                           "packets/cycle/terminal", report_counting,
                           report_throughput);
    nb_point_add_exact(out, "worst_case_throughput",
                       report_limited(answer, given->worst_throughput),
                       "packets/cycle/terminal",
                       "matchings of the pairs of "
                       "each channel",
                       report_worst);
    nb_point_add_quantity(
        out,
        &(struct nb_quantity){ .value = given->bisection.value,
                               .lower = given->bisection.lower,
                               .upper = given->bisection.upper },
        "effective_bisection", "1", "random perfect matchings",
        report_bisection);
    nb_point_add_enclosure(out, "optimal_throughput", answer->best.throughput,
                           "packets/cycle/terminal", "multiplicative weights",
                           "GargKonemann2007");
}

/* Adds pairs per channel, and classes of virtual channels. */
static void report_loads(const struct nb_audit_answer *answer,
                         struct nb_point *out)
{
    const struct nb_audited *given = &answer->given;
    report_pairs(out, "max_channel_load", given->most_load, report_throughput);
    nb_point_add_enclosure(out, "least_channel_load", answer->best.load,
                           "pairs", "multiplicative weights",
                           "GargKonemann2007");
    report_pairs(out, "worst_case_channel_load", given->worst_load,
                 report_worst);
    if (given->most == NB_NO_CLASSES)
        nb_point_add_bracket(out, "classes_needed", INFINITY, INFINITY, "1",
                             report_counting, report_deadlock);
    else if (given->least == given->most)
        report_whole(out, "classes_needed", given->most, "1", report_deadlock);
    else
        nb_point_add_bracket(out, "classes_needed", given->least, given->most,
                             "1", report_counting, report_deadlock);
    report_whole(out, "classes", given->classes, "1", report_deadlock);
}

static void report_counts(const struct nb_audit_answer *answer,
                          struct nb_point *out)
{
    report_whole(out, "unrouted_pairs", answer->given.unrouted, "pairs",
                 "counting");
    report_whole(out, "switches", answer->switches, "1", "counting");
    report_whole(out, "hosts", answer->hosts, "1", "counting");
    if (answer->job.terminals != NULL)
        report_whole(out, "job_hosts", answer->job.ends.terminal_count, "1",
                     "counting");
    report_whole(out, "trunks", answer->trunks, "channels", "counting");
    report_whole(out, "levels", answer->cabling.levels, "1", "counting");
    report_whole(out, "missing_cables", answer->cabling.missing, "1",
                 "counting");
}

void nb_audit_add_answer(const struct nb_audit_answer *answer,
                         struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_audited *given = &answer->given;
    report_rates(answer, out);
    report_loads(answer, out);
    report_counts(answer, out);
    report_verdict(answer, out);
    nb_audit_job_report(answer, out);
    report_sharing(topology, out);
    report_levels(answer, out);
    report_odd_cables(answer, out);
    report_cabling(topology, out);
    nb_problem_note_terminals(&answer->problem, out);
    nb_note_bandwidths(topology, out);
    nb_note_file(topology, out);
    nb_problem_note_failures(&answer->problem, out);
    report_note_channel(topology, "max_channel", given->worst_channel, out);
    report_note_channel(topology, "worst_channel", given->worst_load_channel,
                        out);
    report_cycle(answer, out);
    nb_deadlock_note_lanes(answer->deadlock, out);
    nb_problem_note_lids(&answer->problem.routing, out);
    report_unrouted(answer, out);
    report_cables(answer, out);
    report_switches(answer, out);
    report_channels(answer, out);
    report_alternatives(answer, out);
    nb_deadlock_add_proofs(answer->deadlock, out);
    nb_optimum_add_flow(topology, NB_PATHS_ANY, &answer->best.flow, out);
}
