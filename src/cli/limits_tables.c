/* The tables of limits (declared in limits_question.h). */
#include "bounds/bulk.h"
#include "bounds/limits.h"
#include "cli/limits_question.h"

#include <stdio.h>
#include <string.h>

/* The exact value beside a closed form. */
static enum nb_status limits_exact(struct nb_limits_question *question,
                                   const struct nb_limit *row,
                                   struct nb_ratio *out, struct nb_error *err)
{
    const struct nb_limits_case *at;
    struct nb_enclosure worst;
    enum nb_status status = NB_OK;
    if (*row->traffic == '\0') {
        NB_TRY(nb_limits_worst(&question->cases, row->routing, &worst, err));
        *out = worst.exact;
        return NB_OK;
    }
    NB_TRY(nb_limits_case_find(&question->cases, row->routing, row->traffic,
                               &at, err));
    *out = row->link == NB_LIMIT_BULK ? at->bulk : at->throughput.exact;
done:
    return status;
}

/* Whether a row is of the scheme and the traffic asked for, if any. */
static bool limits_is_asked(const struct nb_limits_question *question,
                            const struct nb_limit *row)
{
    return (question->routing == NULL ||
            strcmp(question->routing, row->routing) == 0) &&
           (question->traffic == NULL || *row->traffic == '\0' ||
            strcmp(question->traffic, row->traffic) == 0);
}

enum nb_status nb_limits_add_limits(struct nb_limits_question *question,
                                    struct nb_point *out, struct nb_error *err)
{
    struct nb_limits limits = { 0 };
    struct nb_ratio exact;
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_find(&question->topology, question->most_offset,
                          question->with_worst, &limits, err));
    const size_t table = nb_point_add_table(
        out, "limits", false,
        "routing:text,traffic:text,kind:text,"
        "limit:ratio [packets/cycle/terminal],"
        "exact:ratio [packets/cycle/terminal],tightness:number,formula:text,"
        "source:text");
    for (size_t i = 0; i < limits.count; i++) {
        const struct nb_limit *row = &limits.rows[i];
        if (!limits_is_asked(question, row))
            continue;
        NB_TRY(limits_exact(question, row, &exact, err));
        nb_table_add_text(out, table, row->routing);
        nb_table_add_text(out, table,
                          *row->traffic != '\0' ? row->traffic : "worst case");
        nb_table_add_text(out, table,
                          row->is_bound                ? "bound"
                          : row->link == NB_LIMIT_BULK ? "bulk"
                                                       : "value");
        nb_table_add_ratio(out, table, row->value);
        nb_table_add_ratio(out, table, exact);
        nb_table_add_number(out, table,
                            nb_ratio_value(nb_ratio_divide(exact, row->value)));
        nb_table_add_text(out, table, row->formula);
        nb_table_add_text(out, table, row->source);
    }
done:
    nb_limits_release(&limits);
    return status;
}

/* The latency without load of one case [ns]. */
static struct nb_enclosure
limits_latency(const struct nb_limits_question *question,
               const struct nb_limits_case *at)
{
    return nb_limits_latency(&at->hops, &question->delays);
}

static double limits_middle(struct nb_enclosure value)
{
    return nb_ratio_is_known(value.exact) ? nb_ratio_value(value.exact)
                                          : value.lower / 2 + value.upper / 2;
}

static enum nb_status limits_add_case(struct nb_limits_question *question,
                                      const char *routing, const char *traffic,
                                      size_t table, struct nb_point *out,
                                      struct nb_error *err)
{
    const struct nb_limits_case *at, *longest;
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_case_find(&question->cases, routing, traffic, &at, err));
    NB_TRY(nb_limits_case_find(&question->cases, "vlb:policy=lgl", traffic,
                               &longest, err));
    const double latency = limits_middle(limits_latency(question, at));
    nb_table_add_text(out, table, traffic);
    nb_table_add_text(out, table, routing);
    nb_table_add_number(
        out, table,
        limits_middle((struct nb_enclosure){
            at->hops.local, at->hops.local_lower, at->hops.local_upper }));
    nb_table_add_number(
        out, table,
        limits_middle((struct nb_enclosure){
            at->hops.global, at->hops.global_lower, at->hops.global_upper }));
    nb_table_add_number(out, table, latency);
    nb_table_add_number(
        out, table,
        1 - latency / limits_middle(limits_latency(question, longest)));
    nb_table_add_ratio(out, table, at->throughput.exact);
    nb_table_add_ratio(out, table, at->bulk);
done:
    return status;
}

enum nb_status nb_limits_add_latency(struct nb_limits_question *question,
                                     struct nb_point *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (question->scheme_count == 0 || question->traffic_count == 0)
        return NB_OK;
    const size_t table = nb_point_add_table(
        out, "latency", false,
        "traffic:text,routing:text,local_hops:number [hops],"
        "global_hops:number [hops],zero_load_latency:number [ns],"
        "saving:number,throughput:ratio [packets/cycle/terminal],"
        "bulk:ratio [packets/cycle/terminal]");
    for (size_t t = 0; t < question->traffic_count; t++)
        for (size_t s = 0; s < question->scheme_count; s++)
            NB_TRY(limits_add_case(question, question->scheme[s],
                                   question->traffics[t], table, out, err));
done:
    return status;
}

/* The scheme of least latency among those whose throughput is above what is
 * carried so far; NULL if none is. */
static enum nb_status limits_next(struct nb_limits_question *question,
                                  const char *traffic, struct nb_enclosure load,
                                  const struct nb_limits_case **best,
                                  struct nb_error *err)
{
    const struct nb_limits_case *at;
    enum nb_status status = NB_OK;
    *best = NULL;
    for (size_t s = 0; s < question->scheme_count; s++) {
        NB_TRY(nb_limits_case_find(&question->cases, question->scheme[s],
                                   traffic, &at, err));
        if (nb_enclosure_compare(at->throughput, load) <= 0)
            continue;
        const int order =
            *best == NULL
                ? -1
                : nb_enclosure_compare(limits_latency(question, at),
                                       limits_latency(question, *best));
        /* Of two alike the one that carries more. */
        if (order < 0 ||
            (order == 0 &&
             nb_enclosure_compare(at->throughput, (*best)->throughput) > 0))
            *best = at;
    }
done:
    return status;
}

enum nb_status nb_limits_add_envelope(struct nb_limits_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (question->scheme_count < 2 || question->traffic_count == 0)
        return NB_OK;
    const size_t table = nb_point_add_table(
        out, "envelope", false,
        "traffic:text,load_from:number [packets/cycle/terminal],"
        "load_to:number [packets/cycle/terminal],routing:text,"
        "zero_load_latency:number [ns]");
    for (size_t t = 0; t < question->traffic_count; t++) {
        struct nb_enclosure load = nb_enclosure_of_whole(0);
        for (;;) {
            const struct nb_limits_case *best;
            NB_TRY(
                limits_next(question, question->traffics[t], load, &best, err));
            if (best == NULL)
                break;
            nb_table_add_text(out, table, question->traffics[t]);
            nb_table_add_number(out, table, limits_middle(load));
            nb_table_add_number(out, table, limits_middle(best->throughput));
            nb_table_add_text(out, table, best->routing);
            nb_table_add_number(out, table,
                                limits_middle(limits_latency(question, best)));
            load = best->throughput;
        }
    }
done:
    return status;
}

enum nb_status nb_limits_add_policies(struct nb_limits_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    enum nb_status status = NB_OK;
    if (question->topology.groups.count == 0)
        return NB_OK;
    const size_t table =
        nb_point_add_table(out, "policies", false,
                           "routing:text,local_virtual_channels,"
                           "global_virtual_channels");
    for (size_t s = 0; s < question->scheme_count; s++) {
        uint32_t local, global;
        NB_TRY(nb_routing_build(question->scheme[s], &question->topology,
                                &routing, err));
        NB_TRY(nb_longest_hops(&routing, &local, &global, err));
        nb_table_add_text(out, table, question->scheme[s]);
        nb_table_add_whole(out, table, local);
        nb_table_add_whole(out, table, global);
        if (question->routing != NULL) {
            nb_point_add_exact(out, "local_virtual_channels",
                               nb_ratio_make(local, 1), "1",
                               "most hops of a route", "Gunther1981");
            nb_point_add_exact(out, "global_virtual_channels",
                               nb_ratio_make(global, 1), "1",
                               "most hops of a route", "Gunther1981");
        }
        nb_routing_release(&routing);
        routing = (struct nb_routing){ 0 };
    }
done:
    nb_routing_release(&routing);
    return status;
}
