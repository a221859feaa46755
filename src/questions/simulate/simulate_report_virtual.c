/* Results of virtual networks, and what they cost (declared in
 * simulate_plan.h). */
#include "questions/simulate/simulate_plan.h"

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

const struct nb_quantity_row nb_simulate_virtual_shares[] = {
    NB_QUANTITY(struct nb_virtual_result, least, "virtual_accepted_min", NULL),
    NB_QUANTITY(struct nb_virtual_result, most, "virtual_accepted_max", NULL),
    NB_QUANTITY(struct nb_virtual_result, jain, "virtual_jain_index", "1"),
    { 0 },
};
const struct nb_table_kind nb_simulate_virtual =
    NB_TABLE("virtual_networks", "network,name,refused:text,accepted:number "
                                 "[%],half_width:number [%]");
const struct nb_table_kind nb_simulate_rounds =
    NB_TABLE("rounds", "round,congestion [packets],taken [packets]");

/* Adds a count of this simulation. */
static void virtual_add_count(struct nb_point *out, const char *name,
                              uint64_t count, const char *unit)
{
    const double value = (double)count;
    nb_point_add_interval(out, name,
                          (struct nb_interval){ value, value, value }, unit,
                          "counting", VIRTUAL_SOURCE);
}

static void virtual_add_table(const struct nb_simulate_answer *answer,
                              struct nb_point *out)
{
    const struct nb_virtual_result *found = &answer->result.virtual_networks;
    const struct nb_virtual *plan = &answer->plan.virtual_router;
    const size_t table =
        nb_table_start_as(out, &nb_simulate_virtual,
                          (struct nb_table_variant){
                              .unit = nb_problem_rate_unit(&answer->problem) });
    for (uint32_t v = 0; v < found->network_count; v++) {
        const bool is_refused = plan->refused != NULL && plan->refused[v];
        NB_ROW(out, table, v, (int64_t)nb_virtual_name(plan, v),
               is_refused ? "yes" : "no", found->accepted_of[v].mean,
               found->accepted_of[v].half_width);
    }
}

/* For a batch: the congestion left at the beginning of each round. */
static void virtual_add_rounds(const struct nb_virtual_result *found,
                               struct nb_point *out)
{
    if (found->round_count == 0)
        return;
    const size_t table = nb_table_start(out, &nb_simulate_rounds);
    for (size_t i = 0; i < found->round_count; i++) {
        const uint32_t left =
            i + 1 < found->round_count ? found->congestion[i + 1] : 0;
        NB_ROW(out, table, i + 1, found->congestion[i],
               (int64_t)found->congestion[i] - left);
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
    const struct nb_router *router = &answer->plan.router;
    const struct nb_places places =
        nb_virtual_places(&answer->plan.virtual_router);
    if (router->model == NB_ROUTER_VIRTUAL)
        nb_point_add_exact(
            out, "queue_places",
            nb_ratio_make(
                places.reserved + places.queues * (int64_t)router->buffer, 1),
            "packets", "counting", VIRTUAL_SOURCE);
    if (found->network_count == 0)
        return;
    nb_point_add_quantities(out, nb_simulate_virtual_shares, found,
                            nb_problem_rate_unit(&answer->problem),
                            NB_SIMULATE_METHOD, NB_SIMULATE_SOURCE);
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
    nb_point_note(out, "router",
                  "virtual: %u virtual network%s, %s; packets of one flit",
                  plan->networks, plan->networks == 1 ? "" : "s",
                  virtual_sharing[plan->sharing]);
}
