/* netbound optimum: the best that any routing can do, with proof. */
#include "questions/optimum/optimum_question.h"
#include "questions/optimum/optimum_report.h"
#include "core/try.h"

static enum nb_status optimum_answer(const struct nb_question *question,
                                     struct nb_point *out, struct nb_error *err)
{
    struct nb_optimum optimum;
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_init(question, &optimum, err));
    NB_TRY(optimum.goal->answer(&optimum, out, err));
    NB_TRY(nb_optimum_add_schemes(&optimum, out, err));
done:
    nb_optimum_release(&optimum);
    return status;
}

static enum nb_status optimum_check(const struct nb_question *question,
                                    const struct nb_point *given,
                                    struct nb_point *out, struct nb_text *said,
                                    struct nb_error *err)
{
    struct nb_optimum optimum;
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_init(question, &optimum, err));
    NB_TRY(optimum.goal->check(&optimum, given, out, said, err));
    NB_TRY(nb_optimum_add_schemes(&optimum, out, err));
done:
    nb_optimum_release(&optimum);
    return status;
}

const struct nb_question_kind nb_question_kind_optimum = {
    .form = {
        .name = "optimum",
        .summary = "the best that any routing can do, with certificate",
        .example = "netbound optimum --topology torus:4x4 --traffic transpose "
                   "--paths minimal",
        .options = nb_optimum_options,
        .outputs = nb_optimum_outputs,
        .tables = "bottleneck paths lengths weights weight_scale duals "
                  "weights_above rates optimal_paths optimal_duals optimal_weights "
                  "optimal_weight_scale permutation schemes",
    },
    .answer = optimum_answer,
    .write = nb_optimum_write,
    .check = optimum_check,
    .print = nb_optimum_print,
};
