#include "questions/latency/latency_tables.h"

static void tables_add_state(struct nb_point *out, size_t table,
                             const struct nb_queue_state *state)
{
    nb_table_add_number(out, table, state->utilisation_lower);
    nb_table_add_number(out, table, state->utilisation_upper);
    nb_table_add_number(out, table, state->wait_lower);
    nb_table_add_number(out, table, state->wait_upper);
}

void nb_latency_add_queues(const struct nb_topology *topology,
                           const struct nb_latency_queues *queues,
                           const struct nb_queue_state *states,
                           struct nb_point *out)
{
    size_t table = nb_point_add_table(
        out, "channels", false,
        "channel,source,target,utilisation:number,utilisation_upper:number,"
        "wait:number [cycles],wait_upper:number [cycles]");
    for (size_t q = 0; q < queues->channel_count; q++) {
        const struct nb_queue_state *state = &states[q];
        nb_table_add_whole(out, table, (int64_t)q);
        nb_table_add_whole(out, table, topology->channels[q].source);
        nb_table_add_whole(out, table, topology->channels[q].target);
        tables_add_state(out, table, state);
    }
    if (queues->terminal_count == 0)
        return;
    table = nb_point_add_table(out, "terminals", false,
                               "terminal,utilisation:number,"
                               "utilisation_upper:number,wait:number [cycles],"
                               "wait_upper:number [cycles]");
    for (size_t t = 0; t < queues->terminal_count; t++) {
        const struct nb_queue_state *state = &states[queues->channel_count + t];
        nb_table_add_whole(out, table, (int64_t)t);
        tables_add_state(out, table, state);
    }
}

void nb_latency_add_paths(const struct nb_topology *topology,
                          const struct nb_assignment *found,
                          struct nb_point *out)
{
    const size_t table =
        nb_point_add_table(out, "paths", false,
                           "source,destination,share:number,hops,routers:text");
    for (size_t p = 0; p < found->path_count; p++) {
        const struct nb_assignment_path *path = &found->path[p];
        struct nb_text text = { 0 };
        nb_text_print(&text, "%u", path->source);
        for (size_t i = path->first; i < path->first + path->length; i++)
            nb_text_print(&text, ">%u",
                          topology->channels[found->channel[i]].target);
        nb_table_add_whole(out, table, path->source);
        nb_table_add_whole(out, table, path->target);
        nb_table_add_number(out, table, path->share);
        nb_table_add_whole(out, table, (int64_t)path->length);
        nb_table_add_text(out, table, text.bytes != NULL ? text.bytes : "");
        out->has_failed = out->has_failed || text.has_failed;
        nb_text_release(&text);
    }
}
