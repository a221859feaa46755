#include "questions/simulate/simulate_tables.h"

#include <stdio.h>

double nb_simulate_packets(const struct nb_simulate_question *asked)
{
    return 1 / (double)asked->plan.injection.flits;
}

const char *nb_simulate_unit(const struct nb_simulate_question *asked)
{
    return asked->plan.injection.kind == NB_INJECT_TRACE
               ? "flits/cycle/terminal"
               : "packets/cycle/terminal";
}

static void tables_add_queues(const struct nb_simulate_question *asked,
                              const struct nb_simulation_result *result,
                              struct nb_point *out)
{
    const struct nb_topology *topology = &asked->problem.topology;
    const size_t channels = topology->channel_count;
    size_t table = nb_point_add_table(
        out, "channels", false,
        "channel,source,target,utilisation:number [flits/cycle],"
        "half_width:number [flits/cycle]");
    for (size_t c = 0; c < channels; c++) {
        nb_table_add_whole(out, table, (int64_t)c);
        nb_table_add_whole(out, table, topology->channels[c].source);
        nb_table_add_whole(out, table, topology->channels[c].target);
        nb_table_add_number(out, table, result->utilisation[c].mean);
        nb_table_add_number(out, table, result->utilisation[c].half_width);
    }
    if (result->queue_count == channels)
        return;
    table = nb_point_add_table(out, "terminals", false,
                               "terminal,utilisation:number [flits/cycle],"
                               "half_width:number [flits/cycle]");
    for (size_t q = channels; q < result->queue_count; q++) {
        nb_table_add_whole(out, table, (int64_t)(q - channels));
        nb_table_add_number(out, table, result->utilisation[q].mean);
        nb_table_add_number(out, table, result->utilisation[q].half_width);
    }
}

/* Rows of a histogram's values that occurred, each with the share of those at
 * least as large. class: told apart in the first column, unless NULL */
static void tables_add_tail(const struct nb_histogram *histogram,
                            const char *class, size_t table,
                            struct nb_point *out)
{
    uint64_t rest = histogram->total;
    for (size_t value = 0; value <= histogram->size && rest > 0; value++) {
        if (histogram->count[value] == 0)
            continue;
        if (class != NULL)
            nb_table_add_text(out, table, class);
        nb_table_add_whole(out, table, (int64_t)value);
        nb_table_add_number(out, table,
                            (double)rest / (double)histogram->total);
        rest -= histogram->count[value];
    }
}

/* Says where a histogram's last row stands for all that is above. */
static void tables_note_last(const struct nb_histogram *histogram,
                             const char *name, struct nb_point *out)
{
    char text[80];
    if (histogram->total == 0 || histogram->count[histogram->size] == 0)
        return;
    snprintf(text, sizeof text, "the row of %zu stands for all from there on",
             histogram->size);
    nb_point_add_note(out, name, text);
}

static void tables_add_latencies(const struct nb_histogram *latencies,
                                 struct nb_point *out)
{
    size_t table = nb_point_add_table(out, "latency_histogram", false,
                                      "latency [cycles],packets [packets]");
    for (size_t value = 0; value <= latencies->size && latencies->total > 0;
         value++) {
        if (latencies->count[value] == 0)
            continue;
        nb_table_add_whole(out, table, (int64_t)value);
        nb_table_add_whole(out, table, (int64_t)latencies->count[value]);
    }
    table = nb_point_add_table(out, "ccdf", false,
                               "latency [cycles],probability:number");
    tables_add_tail(latencies, NULL, table, out);
    tables_note_last(latencies, "latencies", out);
}

static void tables_add_depths(const struct nb_simulate_question *asked,
                              const struct nb_simulation_result *result,
                              struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "depths", false, "class:text,depth [flits],probability:number");
    for (size_t i = 0; i < result->class_count; i++) {
        char name[32];
        nb_queue_class_name(&asked->problem.topology, i, name);
        tables_add_tail(&result->depths[i], name, table, out);
        tables_note_last(&result->depths[i], "depths", out);
    }
}

/* Accepted rates of routers and of windows of time. */
static void tables_add_accepted(const struct nb_simulate_question *asked,
                                const struct nb_simulation_result *result,
                                struct nb_point *out)
{
    const struct nb_topology *topology = &asked->problem.topology;
    const double packets = nb_simulate_packets(asked);
    const char *unit = nb_simulate_unit(asked);
    char columns[120];
    snprintf(columns, sizeof columns,
             "router,accepted:number [%s],half_width:number [%s]", unit, unit);
    size_t table = nb_point_add_table(out, "routers", false, columns);
    for (size_t r = 0; r < topology->router_count; r++) {
        if (topology->terminals[r] == 0)
            continue;
        const struct nb_estimate accepted = result->accepted_of[r];
        nb_table_add_whole(out, table, (int64_t)r);
        nb_table_add_number(out, table, packets * accepted.mean);
        nb_table_add_number(out, table, packets * accepted.half_width);
    }
    if (asked->plan.window == 0)
        return;
    snprintf(columns, sizeof columns,
             "cycle,accepted:number [%s],half_width:number [%s]", unit, unit);
    table = nb_point_add_table(out, "series", false, columns);
    for (size_t w = 0; w < result->window_count; w++) {
        nb_table_add_whole(out, table, (int64_t)(w * asked->plan.window));
        nb_table_add_number(out, table, packets * result->series[w].mean);
        nb_table_add_number(out, table, packets * result->series[w].half_width);
    }
}

void nb_simulate_add_tables(const struct nb_simulate_question *asked,
                            const struct nb_simulation_result *result,
                            struct nb_point *out)
{
    tables_add_queues(asked, result, out);
    tables_add_latencies(&result->latencies, out);
    if (asked->plan.has_depths)
        tables_add_depths(asked, result, out);
    if (asked->plan.has_reorder) {
        const size_t table = nb_point_add_table(
            out, "reorder", false, "packets [packets],probability:number");
        tables_add_tail(&result->reorder, NULL, table, out);
        tables_note_last(&result->reorder, "reorder", out);
    }
    tables_add_accepted(asked, result, out);
}
