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

static enum nb_status split_read_paths(const struct nb_split_question *asked,
                                       struct nb_split *out,
                                       struct nb_error *err)
{
    const enum nb_status status =
        split_read_pair(asked->paths, "paths", out->hops, err);
    if (status != NB_OK)
        return status;
    memcpy(out->shared, out->hops, sizeof out->shared);
    return asked->shared != NULL
               ? split_read_pair(asked->shared, "shared", out->shared, err)
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

static void split_add_value(struct nb_point *out, const char *name,
                            struct nb_enclosure value, const char *unit,
                            const struct nb_split *split, const char *method)
{
    nb_point_add_enclosure(out, name, value, unit, method, split->rule->source);
}

void nb_split_tell(const struct nb_split_told *told, struct nb_point *out)
{
    const struct nb_split *split = &told->split;
    const struct nb_split_answer *answer = &told->answer;
    static const char per_cycle[] = "packets/cycle/terminal";
    static const char closed[] = "closed form";
    const char *how =
        answer->is_closed_form ? closed : "bisection with bracketed sides";
    if (split->rule == NULL) /* nothing was found */
        return;
    split_add_value(out, "minimal_rate", answer->rate[NB_MINIMAL], per_cycle,
                    split, how);
    split_add_value(out, "nonminimal_rate", answer->rate[NB_NONMINIMAL],
                    per_cycle, split, how);
    split_add_value(out, "minimal_delay", answer->delay[NB_MINIMAL], "cycles",
                    split, how);
    split_add_value(out, "nonminimal_delay", answer->delay[NB_NONMINIMAL],
                    "cycles", split, how);
    split_add_value(out, "mean_delay", answer->mean_delay, "cycles", split,
                    how);
    split_add_value(out, "switch_point", answer->switch_point, per_cycle, split,
                    closed);
    split_add_value(out, "saturation", answer->saturation, per_cycle, split,
                    closed);
    if (split->rule->remark != NULL)
        nb_point_add_note(out, "rule", split->rule->remark);
    if (split_cqr_is_theorem_5(split) &&
        (strcmp(split->rule->kind.name, "cqr") == 0 ||
         strcmp(split->rule->kind.name, "theorem-5") == 0))
        nb_point_add_note(out, "same_rules",
                          "cqr and theorem-5 are the same rule for this delay "
                          "model and these paths");
    if (nb_enclosure_compare(told->rate, answer->saturation) > 0)
        nb_point_add_note(out, "saturated",
                          "the offered rate is above what the rule can carry; "
                          "the rates are the accepted ones");
    if (told->is_tornado)
        nb_point_add_enclosure(out, "capacity", told->capacity.rate,
                               "packets/cycle/terminal", told->capacity.method,
                               told->capacity.source);
    split_note_paths(split, told->is_tornado, out);
}

enum nb_status nb_split_ask(const struct nb_split_question *asked,
                            const struct nb_run *run, struct nb_split_told *out,
                            struct nb_error *err)
{
    *out = (struct nb_split_told){ 0 };
    const enum nb_status held =
        nb_question_hold("split", split_options, asked, err);
    if (held != NB_OK)
        return held;
    const struct nb_network_names names = { .topology = asked->topology };
    struct nb_problem problem = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_split_told){
        .is_tornado = asked->topology != NULL,
        .split.delay = asked->delay_model == 0 ? nb_delay_singh
                                               : nb_delay_pollaczek_khinchine,
    };
    NB_TRY(nb_split_rule_read(asked->rule, &out->split, err));
    if (out->is_tornado) {
        NB_TRY(nb_problem_open(&names, run, &problem, err));
        NB_TRY(split_read_topology(&problem, &out->split, err));
    } else {
        NB_TRY(split_read_paths(asked, &out->split, err));
    }
    out->capacity = problem.capacity;
    NB_TRY(
        nb_problem_rate(&problem, asked->rate, asked->load, &out->rate, err));
    NB_TRY(nb_split_find(&out->split, out->rate, &out->answer, err));
done:
    nb_problem_release(&problem);
    return status;
}

static enum nb_status split_answer(const struct nb_question *question,
                                   struct nb_point *out, struct nb_error *err)
{
    struct nb_split_told told;
    const enum nb_status status =
        nb_split_ask(question->asked, &question->run, &told, err);
    if (status == NB_OK)
        nb_split_tell(&told, out);
    return status;
}

const struct nb_question_kind nb_question_kind_split = {
    .form = {
        .name = "split",
.summary = "rates and delays of a stream split over two kinds of paths",
        .example = "netbound split --topology ring:8 --load 0.4 --rule theorem-5",
        .title = "topology?<Division> of tornado traffic on {topology}[ by {rule}]|<Division>[ between paths of {paths} hops][ by {rule}]",
        .options = split_options,
        .tables = "",
    },
    .size = sizeof(struct nb_split_question),
    .answer = split_answer,
};
