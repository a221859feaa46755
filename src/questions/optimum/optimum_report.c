/* Common parts of the reports of netbound optimum (declared in optimum.h). */
#include "questions/optimum/optimum.h"

#include "bounds/worst_case/necessary_case.h"
#include "core/memory.h"
#include "ask/table_read.h"
#include "topology/metrics.h"

#include <math.h>

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
    nb_problem_add_rate(
        problem, out, name,
        nb_enclosure_least(channels,
                           nb_problem_terminal_limit(problem, nb_ratio_one)),
        method, source);
}

void nb_optimum_add_gap(struct nb_point *out, const char *quantity,
                        const char *method, const char *source)
{
    const struct nb_quantity *found = nb_point_quantity(out, quantity);
    struct nb_enclosure gap = { { 0, 0 }, INFINITY, INFINITY };
    if (found == NULL) {
        out->has_failed = true;
        return;
    }
    if (nb_ratio_is_known(found->exact))
        gap = nb_enclosure_of_whole(0);
    else if (found->lower > 0 && !isinf(found->upper))
        gap = nb_enclosure_excess(
            nb_enclosure_divide(
                (struct nb_enclosure){ { 0, 0 }, found->upper, found->upper },
                (struct nb_enclosure){ { 0, 0 }, found->lower, found->lower }),
            nb_enclosure_of_whole(1));
    nb_point_add_enclosure(out, "duality_gap", gap, "1", method, source);
}

void nb_optimum_note_stop(const struct nb_optimum_answer *answer,
                          struct nb_point *out)
{
    nb_point_note(out, NB_OPTIMUM_STOPPED,
                  "stopped by the time limit of %g s: the bracket is what was "
                  "proved by then",
                  answer->seconds);
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
    nb_point_note(
        out, "size",
        "paths of %zu pair%s of routers; all others follow by symmetry", pairs,
        pairs == 1 ? "" : "s");
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

/* A path. That of an adaptive scheme has three legs: path is the first phase,
 * onward the second; straight is the part before both if the scheme decided
 * again on the way. Empty: no such part. */
enum { REPORT_STRAIGHT, REPORT_PATH, REPORT_ONWARD, REPORT_LEGS };
struct report_path {
    uint32_t source, destination;
    int64_t weight;
    uint32_t start;
    const char *leg[REPORT_LEGS];
};
#define REPORT_ENDS                                                            \
    NB_FIELD(struct report_path, source, NB_BELOW(routers)),                   \
        NB_FIELD(struct report_path, destination, NB_BELOW(routers)),          \
        NB_FIELD(struct report_path, weight, NB_AMONG(1, INT64_C(1) << 53))
#define REPORT_LEG(leg_, name)                                                 \
    NB_COLUMN(struct report_path, leg[leg_], name ":text", NB_ANY)

const struct nb_table_kind nb_optimum_paths = {
    .name = "paths",
    .columns = NB_COLUMNS(REPORT_ENDS, REPORT_LEG(REPORT_PATH, "path")),
    .is_certificate = true
};
const struct nb_table_kind nb_optimum_scheme_paths = {
    .name = "scheme_paths",
    .columns = NB_COLUMNS(
        REPORT_ENDS,
        NB_FIELD(struct report_path, start, NB_AMONG(0, INT32_MAX)),
        REPORT_LEG(REPORT_STRAIGHT, "straight"),
        REPORT_LEG(REPORT_PATH, "path"), REPORT_LEG(REPORT_ONWARD, "onward")),
    .is_certificate = true
};

void nb_optimum_add_paths(const struct nb_topology *topology,
                          const struct nb_table_kind *kind, const char *prefix,
                          const struct nb_path_table *paths,
                          struct nb_point *out)
{
    const bool is_scheme = kind == &nb_optimum_scheme_paths;
    const size_t table = nb_table_start_as(
        out, kind, (struct nb_table_variant){ .prefix = prefix });
    struct nb_text text[REPORT_LEGS] = { { 0 } };
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        const uint32_t *channel = paths->channel + path->first;
        const size_t end[REPORT_LEGS] = { path->turn,
                                          is_scheme ? path->leg : path->length,
                                          path->length };
        struct report_path row = { path->source,
                                   path->destination,
                                   (int64_t)path->weight,
                                   path->start,
                                   { "", "", "" } };
        uint32_t from = path->source;
        for (size_t leg = 0, first = 0; leg < REPORT_LEGS; first = end[leg++]) {
            text[leg].length = 0;
            if (leg != REPORT_PATH && first == end[leg])
                continue;
            nb_path_print(topology, from, channel + first, end[leg] - first,
                          &text[leg]);
            out->has_failed |= text[leg].has_failed;
            row.leg[leg] = text[leg].bytes;
            if (end[leg] > 0)
                from = topology->channels[channel[end[leg] - 1]].target;
        }
        nb_table_add_fields(out, table, kind, &row);
    }
    for (size_t leg = 0; leg < REPORT_LEGS; leg++)
        nb_text_release(&text[leg]);
}

void nb_optimum_read_paths(struct nb_table_reader *in,
                           const struct nb_table_kind *kind,
                           struct nb_path_table *out)
{
    const size_t routers = in->topology->router_count;
    struct report_path row = { .leg = { "", "", "" } };
    uint32_t *channel = NULL;
    nb_read_new(in, &channel, REPORT_LEGS * routers, sizeof *channel);
    while (nb_read_row(in, kind, &row)) {
        uint32_t end[REPORT_LEGS];
        size_t length = 0;
        for (size_t leg = 0; leg < REPORT_LEGS && in->status == NB_OK; leg++) {
            char wrong[NB_PATH_WRONG];
            size_t hops = 0;
            if (leg == REPORT_PATH || *row.leg[leg] != '\0') {
                const char *said = nb_path_read(in->topology, row.leg[leg],
                                                channel + length, &hops, wrong);
                if (said != NULL)
                    nb_read_refute(in, said);
            }
            length += hops;
            end[leg] = (uint32_t)length;
        }
        if (in->status == NB_OK)
            in->status = nb_path_table_add(out, row.source, row.destination,
                                           (uint64_t)row.weight, channel,
                                           length, in->err);
        if (in->status == NB_OK && kind == &nb_optimum_scheme_paths) {
            struct nb_table_path *path = &out->path[out->path_count - 1];
            path->start = row.start;
            path->turn = end[REPORT_STRAIGHT];
            path->leg = end[REPORT_PATH];
        }
    }
    nb_path_table_sort(out);
    nb_delete(channel);
}
