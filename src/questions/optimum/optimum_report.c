/* Common parts of the reports of netbound optimum (declared in optimum.h). */
#include "questions/optimum/optimum.h"

#include "bounds/worst_case/necessary_case.h"
#include "core/locale.h"
#include "core/memory.h"
#include "ask/table_read.h"
#include "topology/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void nb_optimum_add_best(const struct nb_optimum_answer *answer,
                         struct nb_point *out, const char *name,
                         const char *method, const char *source)
{
    nb_problem_add_throughput(&answer->problem, out, name, answer->throughput,
                              nb_traffic_sums_most(&answer->sums), method,
                              source);
}

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

void nb_optimum_note_stop(const struct nb_optimum_answer *answer,
                          struct nb_point *out)
{
    char text[128];
    nb_snprintf(text, sizeof text,
                "stopped by the time limit of %g s: the bracket is what was "
                "proved by then",
                answer->seconds);
    nb_point_add_note(out, NB_OPTIMUM_STOPPED, text);
}

void nb_optimum_note_bound(const struct nb_optimum_answer *answer,
                           struct nb_point *out)
{
    nb_point_add_note(out, "bound",
                      "the throughput of the scheme's paths if the shares are "
                      "chosen globally; a choice by queue lengths cannot carry "
                      "more, and the scheme may carry less");
    if (answer->has_rounded_shares)
        nb_point_add_note(out, "shares",
                          "the largest share that may go through random "
                          "routers is rounded up to a multiple of a small "
                          "share: the bound remains valid");
}

void nb_optimum_note_size(size_t pairs, struct nb_point *out)
{
    char text[128];
    snprintf(text, sizeof text,
             "paths of %zu pair%s of routers; all others follow by symmetry",
             pairs, pairs == 1 ? "" : "s");
    nb_point_add_note(out, "size", text);
}

enum nb_status nb_optimum_minimal_hops(const struct nb_topology *topology,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    struct nb_distance_summary found;
    const enum nb_status status = nb_distance_search(topology, &found, err);
    if (status == NB_OK)
        *out = nb_enclosure_of_ratio(found.mean);
    return status;
}

enum nb_status nb_optimum_matching_bound(const struct nb_optimum *optimum,
                                         struct nb_enclosure *out,
                                         struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    struct nb_necessary_case found = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build("any-minimal", &optimum->answer->problem.topology,
                            &routing, err));
    NB_TRY(nb_necessary_case_find(&routing, optimum->run, &found, err));
    *out = found.throughput;
done:
    nb_necessary_case_release(&found);
    nb_routing_release(&routing);
    return status;
}

struct report_path {
    uint32_t source, destination;
    int64_t weight;
    const char *path;
};
static const struct nb_table_kind report_paths = {
    "paths",
    NB_COLUMNS(
        NB_FIELD(struct report_path, source, NB_BELOW(routers)),
        NB_FIELD(struct report_path, destination, NB_BELOW(routers)),
        NB_FIELD(struct report_path, weight, NB_AMONG(1, INT64_C(1) << 53)),
        NB_COLUMN(struct report_path, path, "path:text", NB_ANY)),
    true
};

/* The same for an adaptive scheme: path is the first phase, onward the second;
 * straight is the part before both if the scheme decided again on the way.
 * Empty: no such part. */
struct report_way {
    uint32_t source, destination;
    int64_t weight;
    uint32_t start;
    const char *straight, *path, *onward;
};
static const struct nb_table_kind report_ways = {
    "scheme_paths",
    NB_COLUMNS(
        NB_FIELD(struct report_way, source, NB_BELOW(routers)),
        NB_FIELD(struct report_way, destination, NB_BELOW(routers)),
        NB_FIELD(struct report_way, weight, NB_AMONG(1, INT64_C(1) << 53)),
        NB_FIELD(struct report_way, start, NB_AMONG(0, INT32_MAX)),
        NB_COLUMN(struct report_way, straight, "straight:text", NB_ANY),
        NB_COLUMN(struct report_way, path, "path:text", NB_ANY),
        NB_COLUMN(struct report_way, onward, "onward:text", NB_ANY)),
    true
};

/* Prints hops first .. end - 1 of a path; nothing if there are none and
 * may_be_empty. Returns the text. */
static const char *report_print_leg(const struct nb_topology *topology,
                                    const struct nb_table_path *path,
                                    const uint32_t *channel, uint32_t first,
                                    uint32_t end, bool may_be_empty,
                                    struct nb_text *text)
{
    const uint32_t from = first == 0
                              ? path->source
                              : topology->channels[channel[first - 1]].target;
    text->length = 0;
    if (may_be_empty && first == end)
        return "";
    nb_path_print(topology, from, channel + first, end - first, text);
    return text->bytes;
}

void nb_optimum_add_ways(const struct nb_topology *topology,
                         const struct nb_path_table *paths,
                         struct nb_point *out)
{
    const size_t table = nb_table_start(out, &report_ways);
    struct nb_text text[3] = { { 0 } };
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        const uint32_t *channel = paths->channel + path->first;
        const struct report_way row = {
            path->source,
            path->destination,
            (int64_t)path->weight,
            path->start,
            report_print_leg(topology, path, channel, 0, path->turn, true,
                             &text[0]),
            report_print_leg(topology, path, channel, path->turn, path->leg,
                             false, &text[1]),
            report_print_leg(topology, path, channel, path->leg, path->length,
                             true, &text[2]),
        };
        for (size_t t = 0; t < 3; t++)
            out->has_failed |= nb_text_check(&text[t], NULL) != NB_OK;
        nb_table_add_fields(out, table, &report_ways, &row);
    }
    for (size_t t = 0; t < 3; t++)
        nb_text_release(&text[t]);
}

/* Appends the channels of a path to those before it. Errors: NB_REFUTED. */
static enum nb_status report_read_leg(const struct nb_topology *topology,
                                      const char *text, const char *table,
                                      size_t row, uint32_t *channel,
                                      size_t *length, struct nb_error *err)
{
    char wrong[NB_PATH_WRONG];
    size_t hops = 0;
    if (*text == '\0')
        return NB_OK;
    const char *said =
        nb_path_read(topology, text, channel + *length, &hops, wrong);
    *length += hops;
    return said == NULL ? NB_OK
                        : nb_fail(err, NB_REFUTED, "table %s, row %zu: %s",
                                  table, row + 1, said);
}

enum nb_status nb_optimum_read_ways(const struct nb_topology *topology,
                                    const struct nb_point *given,
                                    struct nb_path_table *out,
                                    struct nb_error *err)
{
    const struct nb_row_limits limits = nb_table_limits(topology, NULL);
    const struct nb_table *table;
    uint32_t *channel = NULL;
    enum nb_status status;
    NB_TRY(nb_table_find(&report_ways, "", given, &table, err));
    NB_TRY(nb_new(&channel, 3 * topology->router_count, sizeof *channel, "path",
                  err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct report_way row;
        size_t length = 0;
        NB_TRY(nb_table_read_row(&report_ways, table, r, &limits, &row, err));
        NB_TRY(report_read_leg(topology, row.straight, table->name, r, channel,
                               &length, err));
        const uint32_t turn = (uint32_t)length;
        NB_TRY(report_read_leg(topology, row.path, table->name, r, channel,
                               &length, err));
        const uint32_t leg = (uint32_t)length;
        NB_TRY(report_read_leg(topology, row.onward, table->name, r, channel,
                               &length, err));
        NB_TRY(nb_path_table_add(out, row.source, row.destination,
                                 (uint64_t)row.weight, channel, length, err));
        out->path[out->path_count - 1].start = row.start;
        out->path[out->path_count - 1].turn = turn;
        out->path[out->path_count - 1].leg = leg;
    }
    nb_path_table_sort(out);
done:
    nb_delete(channel);
    return status;
}

void nb_optimum_add_paths(const struct nb_topology *topology,
                          const char *prefix, const struct nb_path_table *paths,
                          struct nb_point *out)
{
    const size_t table = nb_table_start_as(
        out, &report_paths, (struct nb_table_variant){ .prefix = prefix });
    struct nb_text text = { 0 };
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        text.length = 0;
        nb_path_print(topology, path->source, paths->channel + path->first,
                      path->length, &text);
        out->has_failed |= nb_text_check(&text, NULL) != NB_OK;
        const struct report_path row = { path->source, path->destination,
                                         (int64_t)path->weight, text.bytes };
        nb_table_add_fields(out, table, &report_paths, &row);
    }
    nb_text_release(&text);
}

enum nb_status nb_optimum_read_paths(const struct nb_topology *topology,
                                     const char *prefix,
                                     const struct nb_point *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err)
{
    const struct nb_row_limits limits = nb_table_limits(topology, NULL);
    const struct nb_table *table;
    uint32_t *channel = NULL;
    enum nb_status status;
    NB_TRY(nb_table_find(&report_paths, prefix, given, &table, err));
    NB_TRY(
        nb_new(&channel, topology->router_count, sizeof *channel, "path", err));
    for (size_t r = 0; r < table->row_count; r++) {
        char wrong[NB_PATH_WRONG];
        const char *said;
        size_t length;
        struct report_path row;
        NB_TRY(nb_table_read_row(&report_paths, table, r, &limits, &row, err));
        said = nb_path_read(topology, row.path, channel, &length, wrong);
        if (said != NULL)
            NB_TRY(nb_fail(err, NB_REFUTED, "table %s, row %zu: %s",
                           table->name, r + 1, said));
        NB_TRY(nb_path_table_add(out, row.source, row.destination,
                                 (uint64_t)row.weight, channel, length, err));
    }
    nb_path_table_sort(out);
done:
    nb_delete(channel);
    return status;
}
