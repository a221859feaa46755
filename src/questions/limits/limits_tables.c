/* The tables of limits (declared in limits_question.h). */
#include "bounds/limits/bulk.h"
#include "bounds/limits/limits.h"
#include "questions/limits/limits_question.h"
#include "core/try.h"

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
static enum nb_status limits_is_asked(const struct nb_limits_question *question,
                                      const struct nb_limit *row,
                                      bool *is_asked, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *is_asked = true;
    if (question->routing != NULL)
        NB_TRY(nb_limits_is_same_routing(question->routing, row->routing,
                                         is_asked, err));
    if (*is_asked && question->traffic != NULL && *row->traffic != '\0')
        NB_TRY(nb_limits_is_same_traffic(question->traffic, row->traffic,
                                         is_asked, err));
done:
    return status;
}

/* What the letters in formulas mean. */
static void limits_note_symbols(const struct nb_topology *topology,
                                struct nb_point *out)
{
    if (strcmp(topology->kind->kind.name, "dragonfly") == 0)
        nb_point_add_note(
            out, "formulas",
            "at bandwidth 1, and at most 1, what a terminal's channel carries; "
            "p terminals and h global channels of a router, a "
            "routers of a group, G groups; an offset is k h + m, 0 <= m < h; x "
            "= max(h-m, m), x' = max(h-m+1, m), but x = x' = m for k = 0 and "
            "x' = h for m = 0 < k");
    else if (topology->hyperx.dimensions > 0)
        nb_point_add_note(out, "formulas",
                          "at bandwidth 1, and at most 1, what a terminal's "
                          "channel carries; p terminals of a router, k the "
                          "least radix, k_0 the first");
}

static enum nb_status limits_add_row(struct nb_limits_question *question,
                                     const struct nb_limit *row, size_t table,
                                     struct nb_point *out, struct nb_error *err)
{
    struct nb_ratio exact;
    enum nb_status status = NB_OK;
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
done:
    return status;
}

enum nb_status nb_limits_add_limits(struct nb_limits_question *question,
                                    struct nb_point *out, struct nb_error *err)
{
    struct nb_limits limits = { 0 };
    bool is_any = false;
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_find(&question->topology, question->first_offset,
                          question->last_offset, question->with_worst, &limits,
                          err));
    const size_t table = nb_point_add_table(
        out, "limits", false,
        "routing:text,traffic:text,kind:text,"
        "limit:ratio [packets/cycle/terminal],"
        "exact:ratio [packets/cycle/terminal],tightness:number,formula:text,"
        "source:text");
    for (size_t i = 0; i < limits.count; i++) {
        const struct nb_limit *row = &limits.rows[i];
        bool is_asked;
        NB_TRY(limits_is_asked(question, row, &is_asked, err));
        if (!is_asked)
            continue;
        is_any = true;
        NB_TRY(limits_add_row(question, row, table, out, err));
    }
    if (is_any)
        limits_note_symbols(&question->topology, out);
done:
    nb_limits_release(&limits);
    return status;
}

struct nb_enclosure
nb_limits_latency_of(const struct nb_limits_question *question,
                     const struct nb_limits_case *at)
{
    return nb_limits_latency(&at->hops, &question->delays);
}

double nb_limits_middle(struct nb_enclosure value)
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
    const double latency = nb_limits_middle(nb_limits_latency_of(question, at));
    nb_table_add_text(out, table, traffic);
    nb_table_add_text(out, table, routing);
    nb_table_add_number(
        out, table,
        nb_limits_middle((struct nb_enclosure){
            at->hops.local, at->hops.local_lower, at->hops.local_upper }));
    nb_table_add_number(
        out, table,
        nb_limits_middle((struct nb_enclosure){
            at->hops.global, at->hops.global_lower, at->hops.global_upper }));
    nb_table_add_number(out, table, latency);
    nb_table_add_number(out, table,
                        1 - latency / nb_limits_middle(nb_limits_latency_of(
                                          question, longest)));
    nb_table_add_number(out, table, nb_limits_middle(at->throughput));
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
        "saving:number,throughput:number [packets/cycle/terminal],"
        "exact:ratio,bulk:ratio");
    nb_point_add_note(out, "columns",
                      "saving: of latency against vlb:policy=lgl; bulk: the "
                      "throughput by the load that most channels of a class "
                      "have; tightness: exact over limit");
    for (size_t t = 0; t < question->traffic_count; t++)
        for (size_t s = 0; s < question->scheme_count; s++)
            NB_TRY(limits_add_case(question, question->scheme[s],
                                   question->traffics[t], table, out, err));
done:
    return status;
}
