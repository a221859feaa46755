/* Results of virtual networks, and what they cost (declared in
 * simulate_plan.h). */
#include "questions/simulate/simulate_plan.h"

#include "report/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define VIRTUAL_SOURCE "Randall1994"

static const char *const virtual_sharing[] = {
    [NB_SHARE_ROUTER] =
        ("the virtual router: in each round one of them has a network to "
         "itself, all others share another, on the same wires"),
    [NB_SHARE_SLICES] = "the whole network for a round, in turn",
    [NB_SHARE_CYCLES] = "every wire in turn, in shared queues",
    [NB_SHARE_CHANNELS] = ("every wire in turn, in shared queues with a "
                           "reserved place for each"),
    [NB_SHARE_SEPARATE] = "each with its own cycles and queues",
};

static void virtual_add(struct nb_point *out, const char *name,
                        struct nb_interval interval, const char *unit)
{
    const struct nb_quantity numbers = { .value = interval.value,
                                         .lower = interval.lower,
                                         .upper = interval.upper };
    if (!isnan(interval.value))
        nb_point_add_quantity(out, &numbers, name, unit, NB_SIMULATE_METHOD,
                              NB_SIMULATE_SOURCE);
}

/* Adds a count of this simulation. */
static void virtual_add_count(struct nb_point *out, const char *name,
                              uint64_t count, const char *unit)
{
    const struct nb_quantity numbers = { .value = (double)count,
                                         .lower = (double)count,
                                         .upper = (double)count };
    nb_point_add_quantity(out, &numbers, name, unit, "counting",
                          VIRTUAL_SOURCE);
}

static void virtual_add_table(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_virtual_result *found = &answer->result.virtual_networks;
    const struct nb_virtual *plan = &answer->plan.virtual_router;
    char columns[200];
    snprintf(columns, sizeof columns,
             "network,name,refused:text,accepted:number [%s],half_width:number "
             "[%s]",
             nb_problem_rate_unit(&answer->problem),
             nb_problem_rate_unit(&answer->problem));
    const size_t table =
        nb_point_add_table(out, "virtual_networks", false, columns);
    for (uint32_t v = 0; v < found->network_count; v++) {
        const bool is_refused = plan->refused != NULL && plan->refused[v];
        nb_table_add_whole(out, table, v);
        nb_table_add_whole(out, table, (int64_t)nb_virtual_name(plan, v));
        nb_table_add_text(out, table, is_refused ? "yes" : "no");
        nb_table_add_number(out, table, found->accepted_of[v].mean);
        nb_table_add_number(out, table, found->accepted_of[v].half_width);
    }
}

/* For a batch: the congestion left at the beginning of each round. */
static void virtual_add_rounds(const struct nb_virtual_result *found,
                               struct nb_point *out)
{
    if (found->round_count == 0)
        return;
    const size_t table = nb_point_add_table(
        out, "rounds", false, "round,congestion [packets],taken [packets]");
    for (size_t i = 0; i < found->round_count; i++) {
        const uint32_t left =
            i + 1 < found->round_count ? found->congestion[i + 1] : 0;
        nb_table_add_whole(out, table, (int64_t)i + 1);
        nb_table_add_whole(out, table, found->congestion[i]);
        nb_table_add_whole(out, table, (int64_t)found->congestion[i] - left);
    }
    nb_point_add_note(out, "rounds",
                      "how many packets had still to pass the busiest switch "
                      "when each round of the first replication began, and by "
                      "how many that number fell in the round");
}

void nb_simulate_report_virtual(const struct nb_simulate_answer *answer,
                                struct nb_point *out)
{
    const struct nb_virtual_result *found = &answer->result.virtual_networks;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    if (found->network_count == 0)
        return;
    virtual_add(out, "virtual_accepted_min", found->least, unit);
    virtual_add(out, "virtual_accepted_max", found->most, unit);
    virtual_add(out, "virtual_jain_index", found->jain, "1");
    virtual_add_count(out, "longest_queue", found->queue, "packets");
    if (found->cycles > 0) {
        virtual_add_count(out, "round_length", found->cycles, "cycles");
        virtual_add_count(out, "packets_sent", found->sent, "packets");
        virtual_add_count(out, "acknowledgements", found->acknowledged,
                          "packets");
        virtual_add_count(out, "packets_dropped", found->dropped, "packets");
    }
    if (answer->plan.virtual_router.sharing == NB_SHARE_ROUTER)
        virtual_add_count(out, "longest_wait", found->wait, "rounds");
    if (found->window != UINT64_MAX)
        virtual_add_count(out, "window_packets_min", found->window, "packets");
    virtual_add_table(answer, out);
    virtual_add_rounds(found, out);
}

void nb_simulate_note_virtual(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_virtual *plan = &answer->plan.virtual_router;
    char text[300];
    snprintf(text, sizeof text,
             "virtual: %u virtual network%s, %s; packets of one flit",
             plan->networks, plan->networks == 1 ? "" : "s",
             virtual_sharing[plan->sharing]);
    nb_point_add_note(out, "router", text);
}
