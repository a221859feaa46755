#include "questions/optimum/optimum_question.h"
#include "core/try.h"
#include "traffic/export.h"

#include <math.h>
#include <string.h>

const struct nb_parameter nb_optimum_options[] = {
    NB_OPTION_TOPOLOGY,
    { .name = "traffic",
      .help = "the best throughput of this traffic, such as transpose (see: "
              "netbound list traffics)",
      .type = NB_WORD,
      .initial = "" },
    { .name = "worst-case",
      .help = "the best worst case of an oblivious routing",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "average",
      .help = "the best mean over random permutations of an oblivious routing",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "adversary",
      .help = "a permutation that leaves the best routing little, by local "
              "search: a bound on adaptive routings, too",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "paths",
      .help = "that the routing may take",
      .type = NB_CHOICE,
      .initial = "any",
      .choices = "any|minimal|two-turn" },
    { .name = "stretch",
      .help = "only paths of at most this many times the shortest one's hops, "
              "with --paths any",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { .name = "allow-inadmissible",
      .help = "accept traffic from a file with rows or columns above 1",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "gap",
      .help = "with --traffic: end once the ends of the bracket are this "
              "close, relatively; exact, where it can be, unless given",
      .type = NB_NUMBER,
      .initial = "",
      .most = 0.99,
      .unit = "fraction" },
    { .name = "unbalanced",
      .help = "with --worst-case: let destinations receive up to 1 whatever "
              "the sources inject",
      .type = NB_FLAG,
      .initial = "no" },
    NB_OPTION_SATURATED,
    { .name = "locality",
      .help = "with --worst-case: the least mean hops that it leaves, too",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "at",
      .help = "the fraction of the best worst case that --locality is asked "
              "at, and asks for it; 1 unless given",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1e-3,
      .most = 1,
      .unit = "fraction" },
    { .name = "schemes",
      .help = "the same numbers of the routings that are not adaptive (see: "
              "netbound list routings), as table schemes",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "count",
      .help = "with --average: how many permutations of the terminals to draw; "
              "100 unless given",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e5 },
    { .name = "starts",
      .help = "with --adversary: descents, each from a permutation of its "
              "own; 4 unless given",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { .name = "seed",
      .help = "with --adversary: which permutations they begin at; with "
              "--average: which ones",
      .type = NB_WHOLE,
      .initial = "1",
      .most = 0x1p53,
      .with = "average adversary" },
    { .name = "time-limit",
      .help = "seconds after which what was proved so far is the answer",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1e-3,
      .most = 1e9,
      .unit = "s" },
    { 0 },
};

const struct nb_parameter nb_optimum_outputs[] = {
    [NB_OPTIMUM_ROUTING_TABLE] = { .name = "routing-table",
                                   .help = "write the routing found to this "
                                           "file, for --routing file:FILE; "
                                           "pairs that the traffic does not "
                                           "use get one shortest path each",
                                   .type = NB_PATH },
    [NB_OPTIMUM_PERMUTATION] = { .name = "permutation",
                                 .help = "with --adversary: write the "
                                         "permutation to this file, as .csv, "
                                         ".json or Noxim .txt",
                                 .type = NB_PATH,
                                 .accepts = nb_permutation_accepts },
    { 0 },
};

static const struct nb_optimum_goal *const optimum_goals[] = {
    &nb_optimum_traffic,
    &nb_optimum_worst_case,
    &nb_optimum_average,
    &nb_optimum_adversary,
};
enum { GOAL_COUNT = sizeof optimum_goals / sizeof *optimum_goals };

/* Whether an option is given: has a value that is no flag's "no". */
static bool optimum_is_given(const struct nb_question *question,
                             const char *name)
{
    const char *value = nb_model_get(question->model, name);
    return value != NULL && strcmp(value, "no") != 0;
}

/* Appends "--traffic, --worst-case, ...": the goals, or those that take an
 * option if one is named. */
static void optimum_print_goals(const char *option, struct nb_text *text)
{
    for (size_t i = 0; i < GOAL_COUNT; i++)
        if (option == NULL || nb_word_is_in(optimum_goals[i]->permitted, ' ',
                                            option, strlen(option)))
            nb_text_print(text, "%s--%s", text->length > 0 ? ", " : "",
                          optimum_goals[i]->option);
}

static enum nb_status optimum_find_goal(const struct nb_question *question,
                                        const struct nb_optimum_goal **out,
                                        struct nb_error *err)
{
    struct nb_text goals = { 0 };
    enum nb_status status = NB_OK;
    *out = NULL;
    for (size_t i = 0; i < GOAL_COUNT; i++) {
        if (!optimum_is_given(question, optimum_goals[i]->option))
            continue;
        if (*out != NULL)
            return nb_fail(err, NB_USAGE,
                           "--%s and --%s are both given (permitted: one of "
                           "them)",
                           (*out)->option, optimum_goals[i]->option);
        *out = optimum_goals[i];
    }
    if (*out != NULL)
        return NB_OK;
    optimum_print_goals(NULL, &goals);
    NB_TRY(nb_text_check(&goals, err));
    status = nb_fail(err, NB_USAGE,
                     "optimum needs what to find the best routing for "
                     "(permitted: one of %s)",
                     goals.bytes);
done:
    nb_text_release(&goals);
    return status;
}

/* An option or output that the goal cannot use; value: NULL for flags. */
static enum nb_status optimum_refuse(const struct nb_optimum_goal *goal,
                                     const char *name, const char *value,
                                     struct nb_error *err)
{
    struct nb_text goals = { 0 };
    enum nb_status status = NB_OK;
    if (nb_word_is_in(goal->permitted, ' ', name, strlen(name)))
        return NB_OK;
    optimum_print_goals(name, &goals);
    NB_TRY(nb_text_check(&goals, err));
    status = nb_fail(err, NB_USAGE,
                     "--%s%s%.60s is not permitted with --%s (permitted with: "
                     "%s)",
                     name, value != NULL ? " " : "", value != NULL ? value : "",
                     goal->option, goals.bytes);
done:
    nb_text_release(&goals);
    return status;
}

/* Whether the row is of every goal, or names one. */
static bool optimum_is_common(const char *name)
{
    static const char common[] = "topology paths stretch time-limit";
    for (size_t i = 0; i < GOAL_COUNT; i++)
        if (strcmp(optimum_goals[i]->option, name) == 0)
            return true;
    return nb_word_is_in(common, ' ', name, strlen(name));
}

static enum nb_status optimum_check(const struct nb_question *question,
                                    const struct nb_optimum_goal *goal,
                                    struct nb_error *err)
{
    const struct nb_model *model = question->model;
    const char *paths = nb_model_get(model, "paths");
    const char *stretch = nb_model_get(model, "stretch");
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = nb_optimum_options; row->name != NULL;
         row++)
        if (!optimum_is_common(row->name) &&
            optimum_is_given(question, row->name))
            NB_TRY(optimum_refuse(
                goal, row->name,
                row->type == NB_FLAG ? NULL : nb_model_get(model, row->name),
                err));
    for (size_t i = 0;
         question->outputs != NULL && nb_optimum_outputs[i].name != NULL; i++)
        if (question->outputs[i] != NULL)
            NB_TRY(optimum_refuse(goal, nb_optimum_outputs[i].name,
                                  question->outputs[i], err));
    if (stretch != NULL && strcmp(paths, "any") != 0)
        status = nb_fail(err, NB_USAGE,
                         "--stretch %s is not permitted with --paths %s "
                         "(permitted with: --paths any)",
                         stretch, paths);
done:
    return status;
}

struct nb_ratio nb_optimum_number(const struct nb_optimum *optimum,
                                  const char *name)
{
    const char *text = nb_model_get(optimum->question->model, name);
    struct nb_ratio value = { 0, 0 };
    if (text != NULL)
        nb_ratio_read(text, &value, NULL); /* checked when it was given */
    return value;
}

uint64_t nb_optimum_whole(const struct nb_optimum *optimum, const char *name,
                          int64_t initial)
{
    const struct nb_ratio value = nb_optimum_number(optimum, name);
    return (uint64_t)(nb_ratio_is_known(value) ? value.numerator : initial);
}

static enum nb_status optimum_build_class(struct nb_optimum *out,
                                          struct nb_error *err)
{
    static const struct {
        const char *word;
        enum nb_paths paths;
    } classes[] = {
        { "any", NB_PATHS_ANY },
        { "minimal", NB_PATHS_MINIMAL },
        { "two-turn", NB_PATHS_TWO_TURN },
    };
    const char *word = nb_model_get(out->question->model, "paths");
    struct nb_ratio stretch = nb_optimum_number(out, "stretch");
    enum nb_paths paths = NB_PATHS_STRETCH;
    if (!nb_ratio_is_known(stretch)) {
        size_t i = 0;
        while (strcmp(classes[i].word, word) != 0)
            i++;
        paths = classes[i].paths;
        stretch = nb_ratio_one;
    }
    return nb_path_class_init(&out->problem.topology, paths, stretch,
                              &out->class, err);
}

enum nb_status nb_optimum_init(const struct nb_question *question,
                               struct nb_optimum *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_optimum){ .question = question, .seconds = INFINITY };
    NB_TRY(optimum_find_goal(question, &out->goal, err));
    NB_TRY(optimum_check(question, out->goal, err));
    out->overload = nb_question_overload(question);
    NB_TRY(nb_problem_build(question, &out->problem, err));
    NB_TRY(optimum_build_class(out, err));
    const struct nb_ratio seconds = nb_optimum_number(out, "time-limit");
    if (nb_ratio_is_known(seconds))
        out->seconds = nb_ratio_value(seconds);
done:
    return status;
}

void nb_optimum_release(struct nb_optimum *optimum)
{
    nb_problem_release(&optimum->problem);
}
