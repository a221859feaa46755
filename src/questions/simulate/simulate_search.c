/* What was found of a saturation, and of a router (declared in
 * simulate_tables.h). */
#include "questions/simulate/simulate_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum nb_status nb_simulate_note_router(const struct nb_simulate_question *asked,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    const struct nb_router *router = &asked->plan.router;
    const char *turn = router->arbitration == NB_OLDEST_FIRST
                           ? "the oldest first"
                           : "one after another";
    struct nb_vc_classes classes = { 0 };
    char text[300];
    if (router->model == NB_ROUTER_IDEAL) {
        snprintf(text, sizeof text, "ideal: unbounded queues at outputs, %s",
                 turn);
        nb_point_add_note(out, "router", text);
        return NB_OK;
    }
    const enum nb_status status =
        nb_vc_classes_build(&asked->problem.routing, &classes, err);
    if (status != NB_OK)
        return status;
    snprintf(
        text, sizeof text,
        "credit: %u virtual channels of %u flits, output buffers of %u, "
        "speedup %u, pipeline %u, channel latency %u, %s, %s",
        router->virtual_channels > 0 ? router->virtual_channels : classes.count,
        router->buffer, router->output_buffer, router->speedup,
        router->pipeline, router->channel_latency,
        router->switching == NB_WORMHOLE ? "wormhole" : "cut-through", turn);
    nb_point_add_note(out, "router", text);
    if (classes.rule->is_unprotected)
        nb_point_add_note(out, "deadlock",
                          "the virtual channels of this routing do not exclude "
                          "it on this network; none was seen");
    nb_vc_classes_release(&classes);
    return NB_OK;
}

void nb_simulate_add_saturation(const struct nb_simulate_question *asked,
                                const struct nb_saturation *found,
                                struct nb_point *out)
{
    const struct nb_capacity *capacity = &asked->problem.capacity;
    const double flits = (double)asked->plan.injection.flits;
    const char *unit = nb_simulate_unit(asked);
    char columns[160], text[160];
    size_t undecided = 0;
    if (!isinf(capacity->rate.upper))
        nb_point_add_bracket(
            out, "saturation", flits * found->lower / capacity->rate.upper,
            flits * found->upper / capacity->rate.lower, "fraction of capacity",
            NB_SIMULATE_METHOD, NB_SIMULATE_SOURCE);
    nb_point_add_bracket(out, "saturation_absolute", found->lower, found->upper,
                         unit, NB_SIMULATE_METHOD, NB_SIMULATE_SOURCE);
    nb_point_add_enclosure(out, "capacity", capacity->rate,
                           "packets/cycle/terminal", capacity->method,
                           capacity->source);
    nb_point_add_note(out, "capacity_basis", capacity->basis);
    snprintf(columns, sizeof columns,
             "rate:number [%s],cycles [cycles],stability:text,evidence:text",
             unit);
    const size_t table = nb_point_add_table(out, "search", false, columns);
    for (size_t i = 0; i < found->trial_count; i++) {
        const struct nb_saturation_trial *trial = &found->trial[i];
        nb_table_add_number(out, table, trial->rate);
        nb_table_add_whole(out, table, (int64_t)trial->cycles);
        nb_table_add_text(out, table, nb_stability_names[trial->stability]);
        nb_table_add_text(out, table, trial->evidence);
        undecided += trial->stability == NB_UNDECIDED;
    }
    snprintf(text, sizeof text,
             "%zu tried, %zu of them neither stable nor saturated for certain",
             found->trial_count, undecided);
    nb_point_add_note(out, "rates", text);
    if (!found->is_narrow && !isinf(found->doubt_first)) {
        snprintf(text, sizeof text,
                 "not reached: rates from %.6g to %.6g are undecided in the "
                 "%" PRIu64 " cycles of a replication that are permitted",
                 found->doubt_first, found->doubt_last,
                 found->trial[found->trial_count - 1].cycles);
        nb_point_add_note(out, "precision", text);
    }
    if (isinf(found->upper))
        nb_point_add_note(out, "saturation",
                          found->lower == asked->most_rate
                              ? "sources cannot send what would saturate the "
                                "network"
                              : "no rate that was tried saturates the network");
}
