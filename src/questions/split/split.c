#include "questions/split/split_question.h"

#include "core/try.h"
#include "core/unit.h"

#include <stdio.h>
#include <string.h>

#define SPLIT(field) offsetof(struct nb_split_question, field)

static const struct nb_parameter split_options[] = {
    NB_OPTION(
        "topology", SPLIT(topology), NETWORK, WORD, "",
        "a ring or torus, with tornado traffic in dimension 0; or use --paths",
        .apart = "paths", .either = "paths"),
    NB_OPTION("paths", SPLIT(paths), NETWORK, WORD, "",
              "instead of --topology: hops of the minimal and the non-minimal "
              "path, such as 3,5",
              .detail = "In sweeps: 3+5."),
    NB_OPTION("shared", SPLIT(shared), NETWORK, WORD, "",
              "streams per channel on the minimal and the non-minimal path, "
              "such as 3,5; default: the hops of each",
              .with = "paths"),
    NB_OPTION("rate", SPLIT(rate), TRAFFIC, NUMBER, "",
              "rate of the stream, packets per terminal and cycle; this or "
              "--load is required",
              .most = 1e6, .unit = "packets/cycle", .apart = "load",
              .either = "load"),
    NB_OPTION_CLOCK(SPLIT(clock)),
    NB_OPTION("load", SPLIT(load), TRAFFIC, NUMBER, "",
              "rate as a fraction of the capacity of the topology",
              .detail = "--paths have no capacity.", .most = 1e6,
              .unit = "fraction", .with = "topology"),
    NB_OPTION("rule", SPLIT(rule), MEASUREMENT, WORD, "optimal",
              "rule that divides the stream: " NB_SPLIT_RULES,
              .detail =
                  "gal:threshold=T models Singh's section 5.4.3: a source uses "
                  "the minimal path until it has T packets there."),
    NB_OPTION("delay-model", SPLIT(delay_model), MEASUREMENT, CHOICE, "singh",
              "wait for a channel of utilisation r: 1/(2(1-r)) or r/(2(1-r))",
              .choices = "singh|pollaczek-khinchine"),
    { 0 },
};

/* Reads "3,5" or "3+5". */
static enum nb_status split_read_pair(const char *text, const char *what,
                                      uint32_t out[], struct nb_error *err)
{
    size_t count;
    const char separator = strchr(text, '+') != NULL ? '+' : ',';
    if (nb_whole_list_read(text, what, separator, 1, NB_SPLIT_MOST,
                           NB_PATH_CLASSES, out, &count, NULL) == NB_OK &&
        count == NB_PATH_CLASSES)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%s \"%.60s\" is not permitted (permitted: two whole "
                   "numbers from 1 to %d, as 3,5 or 3+5)",
                   what, text, NB_SPLIT_MOST);
}

static enum nb_status split_read_paths(const struct nb_split_question *request,
                                       struct nb_split *out,
                                       struct nb_error *err)
{
    const enum nb_status status =
        split_read_pair(request->paths, "paths", out->hops, err);
    if (status != NB_OK)
        return status;
    memcpy(out->shared, out->hops, sizeof out->shared);
    return request->shared != NULL
               ? split_read_pair(request->shared, "shared", out->shared, err)
               : NB_OK;
}

/* Reads the paths of tornado traffic in dimension 0. */
static enum nb_status split_read_topology(const struct nb_problem *problem,
                                          struct nb_split *out,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    const struct nb_grid *grid = &topology->grid;
    if (grid->dimensions == 0 || !grid->wraps)
        return nb_fail(err, NB_INVALID,
                       "topology %s has no dimension 0 that closes to a ring "
                       "(permitted: ring, torus; or --paths)",
                       topology->kind->kind.name);
    if (nb_has_failures(topology))
        return nb_fail(err, NB_INVALID,
                       "topology %s: with failures the two directions of a "
                       "ring differ (permitted: fail=none; or --paths)",
                       topology->kind->kind.name);
    const struct nb_ratio bandwidth = topology->channels[0].bandwidth;
    if (nb_ratio_compare(bandwidth, nb_ratio_one) != 0) {
        char text[NB_RATIO_TEXT];
        nb_ratio_print(bandwidth, text);
        return nb_fail(err, NB_INVALID,
                       "channels of bandwidth %s are not permitted here "
                       "(permitted: 1, a packet takes one cycle)",
                       text);
    }
    return nb_split_tornado(grid->radix[0], topology->terminals[0], out, err);
}

static void split_note_paths(const struct nb_split *split, bool is_tornado,
                             struct nb_point *out)
{
    char text[200];
    snprintf(
        text, sizeof text,
        "%s%u hops on the minimal path, %u on the non-minimal one; %u streams "
        "share each channel of the first path, %u each channel of the second",
        is_tornado ? "tornado in dimension 0: " : "", split->hops[NB_MINIMAL],
        split->hops[NB_NONMINIMAL], split->shared[NB_MINIMAL],
        split->shared[NB_NONMINIMAL]);
    nb_point_add_note(out, "paths", text);
}

/* m_i W(rho_i) is m_i factor / (2 (1 - rho_i)) if constant = factor / 2. Its
 * square is m_i s_i / (1 - rho_i)^2 times a constant if also s_1 : s_2 = m_1 :
 * m_2. */
static bool split_cqr_is_theorem_5(const struct nb_split *split)
{
    const uint32_t *m = split->hops, *s = split->shared;
    return 2 * split->delay.constant == split->delay.factor &&
           (uint64_t)m[0] * s[1] == (uint64_t)m[1] * s[0];
}

#define SPLIT_ROW(field, ...)                                                  \
    NB_QUANTITY(struct nb_split_answer, field, __VA_ARGS__)
#define SPLIT_RATE   "packets/cycle/terminal"
#define SPLIT_CLOSED "packets/cycle/terminal", .method = "closed form"

static const struct nb_quantity_row split_rows[] = {
    SPLIT_ROW(answer.rate[NB_MINIMAL], "minimal_rate", SPLIT_RATE),
    SPLIT_ROW(answer.rate[NB_NONMINIMAL], "nonminimal_rate", SPLIT_RATE),
    SPLIT_ROW(answer.delay[NB_MINIMAL], "minimal_delay", "cycles"),
    SPLIT_ROW(answer.delay[NB_NONMINIMAL], "nonminimal_delay", "cycles"),
    SPLIT_ROW(answer.mean_delay, "mean_delay", "cycles"),
    SPLIT_ROW(answer.switch_point, "switch_point", SPLIT_CLOSED),
    SPLIT_ROW(answer.saturation, "saturation", SPLIT_CLOSED),
    { 0 },
};
static const struct nb_quantity_row split_capacity[] = {
    SPLIT_ROW(capacity.rate, "capacity", SPLIT_RATE),
    { 0 },
};

static void split_report(const struct nb_split_answer *answer,
                         struct nb_point *out)
{
    const struct nb_split *split = &answer->split;
    if (split->rule == NULL) /* nothing was found */
        return;
    nb_point_add_quantities(out, split_rows, answer, NULL,
                            answer->answer.is_closed_form
                                ? "closed form"
                                : "bisection with bracketed sides",
                            split->rule->source);
    if (split->rule->remark != NULL)
        nb_point_add_note(out, "rule", split->rule->remark);
    if (split_cqr_is_theorem_5(split) &&
        (strcmp(split->rule->kind.name, "cqr") == 0 ||
         strcmp(split->rule->kind.name, "theorem-5") == 0))
        nb_point_add_note(out, "same_rules",
                          "cqr and theorem-5 are the same rule for this delay "
                          "model and these paths");
    if (nb_enclosure_compare(answer->rate, answer->answer.saturation) > 0)
        nb_point_add_note(out, "saturated",
                          "the offered rate is above what the rule can carry; "
                          "the rates are the accepted ones");
    if (answer->is_tornado)
        nb_point_add_quantities(out, split_capacity, answer, NULL,
                                answer->capacity.method,
                                answer->capacity.source);
    split_note_paths(split, answer->is_tornado, out);
}

static enum nb_status split_compute(const struct nb_split_question *request,
                                    const struct nb_run *run,
                                    struct nb_split_answer *out,
                                    struct nb_error *err)
{
    const struct nb_network_names names = { .topology = request->topology };
    struct nb_problem problem = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_split_answer){
        .is_tornado = request->topology != NULL,
        .split.delay = request->delay_model == 0 ? nb_delay_singh
                                                 : nb_delay_pollaczek_khinchine,
    };
    NB_TRY(nb_split_rule_read(request->rule, &out->split, err));
    if (out->is_tornado) {
        NB_TRY(nb_problem_open(&names, run, &problem, err));
        NB_TRY(split_read_topology(&problem, &out->split, err));
    } else {
        NB_TRY(split_read_paths(request, &out->split, err));
    }
    out->capacity = problem.capacity;
    NB_TRY(nb_problem_rate(&problem, request->rate, request->load, &out->rate,
                           err));
    NB_TRY(nb_split_find(&out->split, out->rate, &out->answer, err));
done:
    nb_problem_release(&problem);
    return status;
}

NB_DEFINE_QUESTION(split);

const struct nb_question_kind nb_question_kind_split = {
    .form = {
        .name = "split",
        .summary = "rates and delays of a stream split over two kinds of paths",
        .example = "netbound split --topology ring:8 --load 0.4 --rule theorem-5",
        .title = "topology?<Division> of tornado traffic on {topology}[ by {rule}]|<Division>[ between paths of {paths} hops][ by {rule}]",
        .options = split_options,
        .quantities = NB_QUANTITIES(split_rows, split_capacity),
    },
    NB_CALLS_OF(split),
};
