#include "questions/optimum/optimum_report.h"

#include "bounds/worst_case/necessary_case.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_ROWS = 10 }; /* of a table that people want to see */

#define REPORT_STOPPED "time_limit"

void nb_optimum_add_throughput(const struct nb_problem *problem,
                               struct nb_point *out, const char *name,
                               struct nb_enclosure channels, const char *method,
                               const char *source)
{
    const struct nb_enclosure absolute = nb_enclosure_least(
        channels, nb_problem_terminal_limit(problem, nb_ratio_one));
    const struct nb_enclosure whole = problem->capacity.rate;
    char longer[64];
    if (!isinf(whole.upper))
        nb_point_add_enclosure(out, name, nb_enclosure_divide(absolute, whole),
                               "fraction of capacity", method, source);
    snprintf(longer, sizeof longer, "%s_absolute", name);
    nb_point_add_enclosure(out, longer, absolute, "packets/cycle/terminal",
                           method, source);
}

void nb_optimum_add_gap(struct nb_point *out, const char *quantity,
                        const char *method, const char *source)
{
    const struct nb_quantity *found = nb_point_quantity(out, quantity);
    const struct nb_ratio unknown = { 0, 0 };
    if (found == NULL) {
        out->has_failed = true;
        return;
    }
    if (nb_ratio_is_known(found->exact)) {
        nb_point_add_exact(out, "duality_gap", nb_ratio_zero, "1", method,
                           source);
        return;
    }
    if (found->lower == 0 || isinf(found->upper)) {
        nb_point_add_bracket(out, "duality_gap", INFINITY, INFINITY, "1",
                             method, source);
        return;
    }
    const struct nb_enclosure upper = { unknown, found->upper, found->upper };
    const struct nb_enclosure lower = { unknown, found->lower, found->lower };
    nb_point_add_enclosure(
        out, "duality_gap",
        nb_enclosure_excess(nb_enclosure_divide(upper, lower),
                            nb_enclosure_of_ratio(nb_ratio_one)),
        "1", method, source);
}

bool nb_optimum_was_stopped(const struct nb_optimum *optimum,
                            const struct nb_point *given)
{
    const bool has_limit = !isinf(optimum->seconds);
    for (size_t i = 0; i < given->note_count && has_limit; i++)
        if (strcmp(given->notes[i].name, REPORT_STOPPED) == 0)
            return true;
    return false;
}

void nb_optimum_note_stop(const struct nb_optimum *optimum,
                          struct nb_point *out)
{
    char text[128];
    snprintf(text, sizeof text,
             "stopped by the time limit of %g s: the bracket is what was "
             "proved so far",
             optimum->seconds);
    nb_point_add_note(out, REPORT_STOPPED, text);
}

void nb_optimum_note_size(size_t pairs, struct nb_point *out)
{
    char text[128];
    snprintf(text, sizeof text,
             "paths of %zu pair%s of routers; any others follow by symmetry",
             pairs, pairs == 1 ? "" : "s");
    nb_point_add_note(out, "size", text);
}

enum nb_status nb_optimum_minimal_hops(const struct nb_topology *topology,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    struct nb_path_class class;
    struct nb_path_search search = { 0 };
    nb_int128 hops = 0;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_path_class_init(topology, NB_PATHS_ANY, nb_ratio_one, &class, err));
    NB_TRY(nb_path_search_init(&class, &search, err));
    for (uint32_t to = 0; to < topology->router_count; to++) {
        if (topology->terminals[to] == 0)
            continue;
        nb_path_search_run(&search, to, NULL);
        for (uint32_t from = 0; from < topology->router_count; from++)
            hops += (nb_int128)nb_path_search_distance(&search, from) *
                    topology->terminals[from] * topology->terminals[to];
    }
    *out = nb_enclosure_of_ratio(nb_ratio_make(
        hops, (nb_int128)topology->terminal_count * topology->terminal_count));
done:
    nb_path_search_release(&search);
    return status;
}

/* What all channels together carry of uniform traffic along shortest paths. */
static enum nb_status report_hop_bound(const struct nb_topology *topology,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    struct nb_enclosure hops, bandwidth = nb_enclosure_of_whole(0);
    const enum nb_status status = nb_optimum_minimal_hops(topology, &hops, err);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        bandwidth = nb_enclosure_add(
            bandwidth, nb_enclosure_of_ratio(topology->channels[c].bandwidth));
    if (status == NB_OK)
        *out = nb_enclosure_divide(
            bandwidth, nb_enclosure_multiply(
                           hops, nb_enclosure_of_whole(
                                     (uint32_t)topology->terminal_count)));
    return status;
}

enum nb_status nb_optimum_matching_bound(const struct nb_optimum *optimum,
                                         struct nb_enclosure *out,
                                         struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    struct nb_necessary_case found = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build("any-minimal", &optimum->problem.topology, &routing,
                            err));
    NB_TRY(
        nb_necessary_case_find(&routing, &optimum->question->run, &found, err));
    *out = found.throughput;
done:
    nb_necessary_case_release(&found);
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_optimum_cut_worst(const struct nb_optimum *optimum,
                                    struct nb_enclosure *throughput,
                                    struct nb_error *err)
{
    const struct nb_capacity *capacity = &optimum->problem.capacity;
    struct nb_enclosure least = nb_enclosure_of_ratio(nb_ratio_infinity), next;
    enum nb_status status = NB_OK;
    if (nb_ratio_is_known(throughput->exact) ||
        throughput->upper <= throughput->lower * (1 + 1e-6))
        return NB_OK;
    NB_TRY(report_hop_bound(&optimum->problem.topology, &least, err));
    if (capacity->is_most)
        least = nb_enclosure_least(least, capacity->rate);
    if (optimum->class.paths == NB_PATHS_MINIMAL) {
        NB_TRY(nb_optimum_matching_bound(optimum, &next, err));
        least = nb_enclosure_least(least, next);
    }
    const bool is_valid =
        least.upper < 1 || !nb_question_flag(optimum->question, "unbalanced");
    if (is_valid && least.upper < throughput->upper)
        throughput->upper = least.upper;
done:
    return status;
}

enum nb_status nb_optimum_print(const struct nb_point *point,
                                const struct nb_look *look,
                                struct nb_text *text, struct nb_error *err)
{
    const struct nb_table *bottleneck = nb_point_table(point, "bottleneck");
    enum nb_status status = NB_OK;
    if (point->setting_count > 0) /* of which point would not be said */
        return NB_OK;
    if (bottleneck != NULL && bottleneck->row_count > 0 &&
        bottleneck->row_count <= REPORT_ROWS)
        NB_TRY(nb_point_print_table(point, "bottleneck", look, text, err));
    if (nb_point_table(point, "schemes") != NULL)
        NB_TRY(nb_point_print_table(point, "schemes", look, text, err));
done:
    return status;
}
