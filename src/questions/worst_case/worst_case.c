/* netbound worst-case: the traffic that hurts a routing most, with proof. */
#include "questions/worst_case/necessary_tables.h"
#include "questions/problem.h"
#include "questions/worst_case/sampled_answers.h"
#include "questions/worst_case/unbalanced_tables.h"
#include "questions/worst_case/worst_case_tables.h"
#include "core/try.h"
#include "traffic/export.h"

static const struct nb_parameter worst_options[] = {
    NB_OPTION_TOPOLOGY,
    NB_OPTION_ROUTING,
    { .name = "unbalanced",
      .help = "let destinations receive up to 1 whatever the sources inject",
      .type = NB_FLAG,
      .initial = "no" },
    NB_OPTION_SATURATED,
    NB_OPTION_SAMPLE_PATHS,
    NB_OPTION_SEED,
    { 0 },
};

enum { WORST_PERMUTATION };

static const struct nb_parameter worst_outputs[] = {
    [WORST_PERMUTATION] = { .name = "permutation",
                            .help = "write the worst permutation to this file, "
                                    "as .csv, .json or Noxim .txt",
                            .type = NB_PATH,
                            .accepts = nb_permutation_accepts },
    { 0 },
};

static enum nb_status worst_add(const struct nb_problem *problem,
                                const struct nb_worst_case *worst,
                                struct nb_point *out, struct nb_error *err)
{
    static const char source[] = "TowlesDally2002, Theorem 2";
    const bool is_exact = nb_ratio_is_known(worst->throughput);
    const char *method =
        is_exact ? "maximum-weight matching with dual certificate"
                 : "maximum-weight matching in doubles, bracketed by duals";
    nb_point_add_enclosure(out, "worst_case_channel_load",
                           (struct nb_enclosure){ worst->load,
                                                  worst->load_lower,
                                                  worst->load_upper },
                           "packets/cycle", method, source);
    nb_problem_add_throughput(problem, out, "worst_case_throughput",
                              (struct nb_enclosure){ worst->throughput,
                                                     worst->throughput_lower,
                                                     worst->throughput_upper },
                              nb_ratio_one, method, source);
    nb_problem_note_channel(problem, out, "worst_channel",
                            worst->bounds[worst->worst].channel);
    return nb_worst_case_add_tables(&problem->topology, worst, out, err);
}

static enum nb_status worst_write(const struct nb_question *question,
                                  const struct nb_point *point,
                                  struct nb_error *err)
{
    const char *path = question->outputs[WORST_PERMUTATION];
    return path != NULL ? nb_table_write_permutation(point, path, err) : NB_OK;
}

static void worst_add_unbalanced(const struct nb_problem *problem,
                                 const struct nb_unbalanced_case *unbalanced,
                                 struct nb_point *out)
{
    nb_problem_add_throughput(
        problem, out, "worst_case_throughput",
        (struct nb_enclosure){ unbalanced->rate, unbalanced->rate_lower,
                               unbalanced->rate_upper },
        nb_ratio_one,
        nb_ratio_is_known(unbalanced->rate)
            ? "parametric transportation problem with dual certificate"
            : "parametric transportation problem on rounded loads, bracketed",
        "TowlesDally2002, section 2.1");
    nb_point_note_overload(out, unbalanced->overload);
    nb_problem_note_channel(problem, out, "worst_channel",
                            unbalanced->bounds[unbalanced->worst].channel);
    nb_unbalanced_add_tables(&problem->topology, unbalanced, out);
}

static enum nb_status worst_answer_unbalanced(
    const struct nb_question *question, const struct nb_problem *problem,
    enum nb_overload overload, struct nb_point *out, struct nb_error *err)
{
    struct nb_unbalanced_case unbalanced = { 0 };
    enum nb_status status = NB_OK;
    if (question->outputs[WORST_PERMUTATION] != NULL)
        return nb_fail(err, NB_USAGE,
                       "--permutation %s: the worst unbalanced traffic is not "
                       "a permutation (see: --table traffic)",
                       question->outputs[WORST_PERMUTATION]);
    NB_TRY(nb_unbalanced_case_find(&problem->routing, overload, &question->run,
                                   &unbalanced, err));
    worst_add_unbalanced(problem, &unbalanced, out);
done:
    nb_unbalanced_case_release(&unbalanced);
    return status;
}

static enum nb_status worst_answer(const struct nb_question *question,
                                   struct nb_point *out, struct nb_error *err)
{
    struct nb_problem problem = { 0 };
    struct nb_worst_case worst = { 0 };
    enum nb_status status = NB_OK;
    enum nb_overload overload;
    overload = nb_question_overload(question);
    if (nb_question_is_sampled(question))
        return nb_sampled_worst_case(question, out, err);
    NB_TRY(nb_problem_build_any(question, &problem, err));
    if (problem.routing.kind->is_adaptive) {
        NB_TRY(nb_necessary_answer(question, &problem, out, err));
        goto done;
    }
    if (nb_question_flag(question, "unbalanced")) {
        NB_TRY(worst_answer_unbalanced(question, &problem, overload, out, err));
        goto done;
    }
    NB_TRY(nb_worst_case_find(&problem.routing, &question->run, &worst, err));
    NB_TRY(worst_add(&problem, &worst, out, err));
done:
    nb_worst_case_release(&worst);
    nb_problem_release(&problem);
    return status;
}

/* What was recomputed, for the reader of verify. */
static void worst_say(struct nb_text *said, const char *what, uint32_t channel,
                      bool all_channels)
{
    nb_text_print(said, "%s channel %u; %s", what, channel,
                  all_channels ? "loads of every channel recomputed"
                               : "loads of every focus channel recomputed, the "
                                 "scheme's symmetry taken as declared");
}

static enum nb_status worst_check_unbalanced(const struct nb_question *question,
                                             const struct nb_problem *problem,
                                             const struct nb_point *given,
                                             struct nb_point *out,
                                             struct nb_text *said,
                                             struct nb_error *err)
{
    struct nb_unbalanced_case unbalanced = { 0 };
    bool all_channels = false;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_unbalanced_read_tables(&problem->topology, given, &unbalanced, err));
    unbalanced.overload = nb_question_overload(question);
    NB_TRY(nb_unbalanced_case_check(&problem->routing, &question->run,
                                    &unbalanced, &all_channels, err));
    worst_add_unbalanced(problem, &unbalanced, out);
    worst_say(said, "traffic fills, and duals bound, the load of",
              unbalanced.bounds[unbalanced.worst].channel, all_channels);
done:
    nb_unbalanced_case_release(&unbalanced);
    return status;
}

static enum nb_status worst_check(const struct nb_question *question,
                                  const struct nb_point *given,
                                  struct nb_point *out, struct nb_text *said,
                                  struct nb_error *err)
{
    struct nb_problem problem = { 0 };
    struct nb_worst_case worst = { 0 };
    bool all_channels = false;
    enum nb_status status = NB_OK;
    if (nb_question_is_sampled(question)) {
        nb_text_print(said, "none: the sampled paths were drawn again");
        return nb_sampled_worst_case(question, out, err);
    }
    NB_TRY(nb_problem_build_any(question, &problem, err));
    if (problem.routing.kind->is_adaptive) {
        NB_TRY(nb_necessary_recheck(question, &problem, given, out, said, err));
        goto done;
    }
    if (nb_question_flag(question, "unbalanced")) {
        NB_TRY(
            worst_check_unbalanced(question, &problem, given, out, said, err));
        goto done;
    }
    NB_TRY(nb_worst_case_read_tables(&problem.topology, given, &worst, err));
    NB_TRY(nb_worst_case_check(&problem.routing, &question->run, &worst,
                               &all_channels, err));
    NB_TRY(worst_add(&problem, &worst, out, err));
    worst_say(said, "permutation reaches, and duals bound, the load of",
              worst.bounds[worst.worst].channel, all_channels);
done:
    nb_worst_case_release(&worst);
    nb_problem_release(&problem);
    return status;
}

const struct nb_question_kind nb_question_kind_worst_case = {
    .form = {
        .name = "worst-case",
        .summary = "exact worst-case throughput of a routing, with certificate",
        .example = "netbound worst-case --topology torus:8x8 --routing dor",
        .options = worst_options,
        .outputs = worst_outputs,
        .tables = "worst_channel permutation bounds duals duals_value traffic "
                  "matching covers",
    },
    .answer = worst_answer,
    .write = worst_write,
    .check = worst_check,
};
