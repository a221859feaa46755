/* Runs a question on a complete model (declared in question.h). */
#include "ask/question.h"

#include "ask/claims.h"

#include "core/memory.h"

#include <string.h>

/* Reads the question's options into a request of its kind. */
static enum nb_status run_read(const struct nb_question_kind *kind,
                               const struct nb_question *question,
                               struct nb_question *out, char **request,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = *question;
    *request = NULL;
    if (question->outputs != NULL)
        NB_TRY(nb_request_check_outputs(&kind->form, question->model,
                                        question->outputs, err));
    NB_TRY(nb_new(request, kind->size, 1, "a question", err));
    NB_TRY(nb_request_read(&kind->form, question->model, *request, err));
    out->request = *request;
    if (kind->accept != NULL && question->outputs != NULL)
        NB_TRY(kind->accept(out, err));
done:
    return status;
}

enum nb_status nb_question_try(const struct nb_question_kind *kind,
                               const struct nb_model *model,
                               struct nb_error *err)
{
    const struct nb_question question = { .model = model };
    struct nb_question read;
    char *request;
    enum nb_status status = run_read(kind, &question, &read, &request, err);
    if (status == NB_OK)
        status = nb_request_check_model(&kind->form, model, request, err);
    nb_delete(request);
    return status;
}

/* Computes an answer, or rebuilds it from a given one, without a check of the
 * request. */
static enum nb_status run_compute(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  const struct nb_point *given, void *answer,
                                  struct nb_text *said, struct nb_error *err)
{
    const enum nb_status status =
        given != NULL && kind->recheck != NULL
            ? kind->recheck(request, run, given, answer, said, err)
            : kind->compute(request, run, answer, err);
    if (status != NB_OK && kind->release != NULL)
        kind->release(answer);
    return status;
}

enum nb_status nb_request_recheck(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  const struct nb_point *given, void *answer,
                                  struct nb_text *said, struct nb_error *err)
{
    memset(answer, 0, kind->answer_size);
    const enum nb_status status =
        nb_request_check(kind->form.name, kind->form.options, request, err);
    return status == NB_OK
               ? run_compute(kind, request, run, given, answer, said, err)
               : status;
}

enum nb_status nb_request_compute(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  void *answer, struct nb_error *err)
{
    return nb_request_recheck(kind, request, run, NULL, answer, NULL, err);
}

/* Answers a bound question, or rebuilds a given answer. */
static enum nb_status run_answer(const struct nb_question_kind *kind,
                                 const struct nb_question *bound,
                                 const struct nb_point *given,
                                 struct nb_point *out, struct nb_text *said,
                                 struct nb_error *err)
{
    char *answer = NULL;
    enum nb_status status;
    if (given != NULL && kind->check != NULL)
        return kind->check(bound, given, out, said, err);
    if (kind->answer != NULL)
        return kind->answer(bound, out, err);
    NB_TRY(nb_new(&answer, kind->answer_size, 1, "an answer", err));
    NB_TRY(run_compute(kind, bound->request, &bound->run, given, answer, said,
                       err));
    kind->report(answer, out);
    if (kind->release != NULL)
        kind->release(answer);
done:
    nb_delete(answer);
    return status;
}

/* Checks a given answer. The kind sees only the parts that it may use. */
static enum nb_status run_check(const struct nb_question_kind *kind,
                                const struct nb_question *bound,
                                const struct nb_point *given,
                                struct nb_point *out, struct nb_text *said,
                                struct nb_error *err)
{
    struct nb_point stripped = { 0 };
    enum nb_status status;
    if (!nb_question_proves(kind))
        return run_answer(kind, bound, NULL, out, NULL, err);
    status = nb_claims_strip(kind, given, &stripped, err);
    if (status == NB_OK)
        status = run_answer(kind, bound, &stripped, out, said, err);
    nb_delete(stripped.tables);
    nb_delete(stripped.notes);
    return status;
}

enum nb_status nb_question_check(const struct nb_question_kind *kind,
                                 const struct nb_question *question,
                                 const struct nb_point *given,
                                 struct nb_point *out, struct nb_text *said,
                                 struct nb_error *err)
{
    struct nb_question read;
    char *request;
    enum nb_status status = run_read(kind, question, &read, &request, err);
    if (status == NB_OK)
        status = given != NULL ? run_check(kind, &read, given, out, said, err)
                               : run_answer(kind, &read, NULL, out, NULL, err);
    nb_point_add_times(out, question->model);
    nb_delete(request);
    return status;
}

enum nb_status nb_question_answer(const struct nb_question_kind *kind,
                                  const struct nb_question *question,
                                  struct nb_point *out, struct nb_error *err)
{
    return nb_question_check(kind, question, NULL, out, NULL, err);
}

/* Whether a file of the question's own is to be written. */
static bool run_writes(const struct nb_form *form,
                       const struct nb_question *question)
{
    for (size_t i = 0; question->outputs != NULL && form->outputs != NULL &&
                       form->outputs[i].name != NULL;
         i++)
        if (question->outputs[i] != NULL)
            return true;
    return false;
}

enum nb_status nb_question_write(const struct nb_question_kind *kind,
                                 const struct nb_question *question,
                                 const struct nb_point *point,
                                 struct nb_error *err)
{
    struct nb_question read;
    char *request;
    if (!run_writes(&kind->form, question))
        return NB_OK;
    enum nb_status status = run_read(kind, question, &read, &request, err);
    if (status == NB_OK)
        status = kind->write(&read, point, err);
    nb_delete(request);
    return status;
}
