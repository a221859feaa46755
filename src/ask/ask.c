#include "ask/ask.h"
#include "ask/router_names.h"

#include "model/input.h"
#include "ask/find.h"

#include "core/clock.h"
#include "core/deal.h"
#include "core/grammar.h"
#include "core/memory.h"
#include "core/suggest.h"
#include "core/version.h"
#include "report/point_pack.h"
#include "report/printed.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"
#include "ask/title.h"
#include "ask/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a specification such as dor:ties=plus sets the key. */
static bool ask_sets_key(const char *specification, const char *key)
{
    const struct nb_slice all = nb_slice_of(specification);
    struct nb_slice rest =
        nb_slice_after(all, nb_specification_kind(all).length);
    struct nb_part part;
    while (nb_part_next(&rest, &part))
        if (nb_slice_is(part.key, key))
            return true;
    return false;
}

/* Refuses an option, or a part of one, that is both given and swept, or both
 * swept and to be found. */
static enum nb_status ask_check_sweeps(const struct nb_model *model,
                                       struct nb_error *err)
{
    for (size_t k = 0; k < model->sweep_count; k++) {
        const char *name = model->sweeps[k].name;
        if (nb_find_is_of(model, name, strlen(name)))
            return nb_fail_about(
                err, NB_USAGE, name,
                "%s is both swept and to be found (permitted: one "
                "of them)",
                name);
    }
    for (size_t i = 0; i < model->option_count; i++) {
        const struct nb_model_option *option = &model->options[i];
        const size_t length = strlen(option->name);
        if (nb_model_sweeps(model, option->name))
            return nb_fail_about(
                err, NB_USAGE, option->name,
                "%s is both given and %s (permitted: one of them)",
                option->name,
                nb_find_is_of(model, option->name, length) ? "to be found"
                                                           : "swept");
        for (size_t k = 0; k < model->sweep_count; k++) {
            const char *name = model->sweeps[k].name;
            if (strncmp(name, option->name, length) == 0 &&
                name[length] == '.' &&
                ask_sets_key(option->value, name + length + 1))
                return nb_fail_about(
                    err, NB_USAGE, name,
                    "%s is set both in --%s %.60s and by --sweep "
                    "%s (permitted: one of them)",
                    name + length + 1, option->name, option->value, name);
        }
    }
    return NB_OK;
}

/* Refuses --find for a question that judges, and --find or --within without
 * --where, except where the question has its own option find. */
static enum nb_status ask_check_search(const struct nb_question_kind *kind,
                                       const struct nb_model *model,
                                       struct nb_error *err)
{
    const char *name = nb_model_get(model, NB_FIND_NAME);
    const struct nb_parameter *row = kind->form.options;
    while (row->name != NULL && strcmp(row->name, NB_FIND_NAME) != 0)
        row++;
    if (nb_model_is_search(model) && kind->judge != NULL)
        return nb_fail(err, NB_USAGE,
                       "%s does not take --find: its answer is a verdict "
                       "(permitted: questions whose answer is a number)",
                       kind->form.name);
    if ((name != NULL && row->name == NULL && !nb_model_is_search(model)) ||
        (name == NULL && nb_model_get(model, NB_FIND_WITHIN) != NULL))
        return nb_fail_about(
            err, NB_USAGE, name != NULL ? NB_FIND_NAME : NB_FIND_WITHIN,
            "--%s is not permitted without the rest of a search "
            "(permitted: --find NAME --where 'QUANTITY <= VALUE')",
            name != NULL ? NB_FIND_NAME : NB_FIND_WITHIN);
    return NB_OK;
}

/* Refuses a swept specification, or a swept part of one, that no kind
 * accepts. */
static enum nb_status ask_check_words(const struct nb_model *model,
                                      const struct nb_model *here,
                                      struct nb_error *err)
{
    static const struct {
        const char *option;
        nb_kind_at *kinds;
        const struct nb_parameter *common;
    } registries[] = {
        { "topology", nb_topology_kind_at, nb_topology_parameters },
        { "traffic", nb_traffic_kind_at, nb_traffic_parameters },
        { "routing", nb_routing_kind_at, NULL },
    };
    enum nb_status status = NB_OK;
    for (size_t k = 0; k < model->sweep_count && status == NB_OK; k++)
        for (size_t r = 0; r < sizeof registries / sizeof *registries; r++) {
            const char *name = registries[r].option;
            const char *value = nb_model_get(here, name);
            if (status == NB_OK && value != NULL &&
                nb_word_is_in(name, ' ', model->sweeps[k].name,
                              strcspn(model->sweeps[k].name, ".")))
                status =
                    nb_specification_check(value, name, registries[r].kinds,
                                           registries[r].common, err);
        }
    return status;
}

enum nb_status nb_ask_model(const struct nb_form *form,
                            const struct nb_model *model, size_t index,
                            struct nb_model *out, struct nb_point *point,
                            struct nb_error *err)
{
    enum nb_status status = nb_sweep_model(model, index, out, point, err);
    if (status == NB_OK && !nb_model_is_search(out))
        status = nb_model_complete(form, out, err);
    return status;
}

enum nb_status nb_ask_try(const struct nb_question_kind *kind,
                          const struct nb_model *model, struct nb_error *err)
{
    return nb_model_is_search(model) ? nb_find_check(kind, model, err)
                                     : nb_question_try(kind, model, err);
}

enum nb_status nb_ask_compute(const struct nb_question_kind *kind,
                              const struct nb_question *question,
                              const struct nb_point *given,
                              struct nb_point *out, struct nb_text *said,
                              struct nb_error *err)
{
    return nb_model_is_search(question->model)
               ? nb_find_answer(kind, question, given, out, said, err)
               : nb_question_check(kind, question, given, out, said, err);
}

/* Checks every point before any is computed: values that no network accepts are
 * a mistake in the question, not in a point. */
static enum nb_status ask_check_points(const struct nb_question_kind *kind,
                                       const struct nb_model *model,
                                       struct nb_error *err)
{
    size_t count;
    enum nb_status status = nb_sweep_count(model, &count, err);
    for (size_t i = 0; i < count && status == NB_OK; i++) {
        struct nb_model here = { 0 };
        struct nb_point unused = { 0 };
        status = nb_ask_model(&kind->form, model, i, &here, &unused, err);
        if (status == NB_OK)
            status = nb_ask_try(kind, &here, err);
        if (status == NB_OK)
            status = ask_check_words(model, &here, err);
        nb_model_release(&here);
        nb_point_release(&unused);
    }
    return status;
}

/* A swept option needs no value of its own. */
static enum nb_status ask_complete(const struct nb_question_kind *kind,
                                   struct nb_model *model, struct nb_error *err)
{
    const struct nb_form *form = &kind->form;
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        if (nb_model_get(model, row->name) == NULL &&
            nb_model_initial(model, row) != NULL &&
            !nb_model_sweeps(model, row->name))
            NB_TRY(nb_model_set(model, row->name, nb_model_initial(model, row),
                                err));
    status = ask_check_points(kind, model, err);
done:
    return status;
}

enum nb_status nb_ask_prepare(const struct nb_question_kind *kind,
                              struct nb_model *model,
                              const struct nb_written *written,
                              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t count;
    NB_TRY(nb_sweep_count(model, &count, err));
    NB_TRY(ask_check_search(kind, model, err));
    NB_TRY(ask_check_sweeps(model, err));
    NB_TRY(ask_complete(kind, model, err));
    NB_TRY(nb_model_pin_files(&kind->form, model, err));
    NB_TRY(nb_written_check_model(written, model, err));
    NB_TRY(nb_model_check_text(model, err));
done:
    return status;
}

/* The line of an option, or of its sweep or the sweep of one of its parts; 0:
 * none. */
static long ask_find_line(const struct nb_model *model, const char *option)
{
    const struct nb_model_option *lists[] = { model->options, model->sweeps };
    const size_t counts[] = { model->option_count, model->sweep_count };
    const size_t length = strcspn(option, ".");
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < counts[l]; i++) {
            const char *name = lists[l][i].name;
            if (strcspn(name, ".") == length &&
                strncmp(name, option, length) == 0)
                return lists[l][i].line;
        }
    return 0;
}

static enum nb_status ask_fail_at(const char *path, long line,
                                  const struct nb_error *wrong,
                                  struct nb_error *err)
{
    const char *name = nb_file_name(path);
    return line > 0 ? nb_fail(err, wrong->status, "%.200s:%ld: %s", name, line,
                              wrong->message)
                    : nb_fail(err, wrong->status, "%.200s: %s", name,
                              wrong->message);
}

enum nb_status nb_ask_fail(const char *path, const struct nb_model *model,
                           const struct nb_error *wrong, struct nb_error *err)
{
    return ask_fail_at(path, ask_find_line(model, wrong->option), wrong, err);
}

/* ": did you mean "latency"?" for an unknown question. */
static const char *ask_suggest(const char *question, char out[NB_SUGGESTED])
{
    struct nb_suggestion near = { .typed = question,
                                  .length = strlen(question) };
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        nb_suggest(&near, nb_questions[i]->form.name,
                   strlen(nb_questions[i]->form.name));
    return nb_suggestion_print(&near, "", out);
}

static enum nb_status ask_find_kind(const char *path,
                                    const struct nb_model *model,
                                    const struct nb_question_kind **kind,
                                    struct nb_error *err)
{
    char meant[NB_SUGGESTED];
    struct nb_error wrong = { 0 };
    *kind = nb_question_find(model->command);
    if (*kind != NULL)
        return NB_OK;
    nb_fail(&wrong, NB_USAGE,
            "unknown command \"%.60s\"%s (permitted: a command that answers a "
            "question, such as load; see: netbound list commands)",
            model->command, ask_suggest(model->command, meant));
    return ask_fail_at(path, model->line, &wrong, err);
}

/* Whether the command has all options and sweeps of the model; a failure names
 * the line of the first that it does not have. */
static enum nb_status ask_check_names(const char *path,
                                      const struct nb_form *form,
                                      const struct nb_model *model,
                                      struct nb_error *err)
{
    const struct nb_model_option *lists[] = { model->options, model->sweeps };
    const size_t counts[] = { model->option_count, model->sweep_count };
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < counts[l]; i++) {
            const struct nb_model_option *option = &lists[l][i];
            const struct nb_parameter *row;
            struct nb_error wrong = { 0 };
            if (l == 0 && nb_find_is_part(option->name))
                continue; /* ask_check_search */
            if (nb_form_find(form, option->name, strcspn(option->name, "."),
                             &row, &wrong) != NB_OK)
                return ask_fail_at(path, option->line, &wrong, err);
        }
    return NB_OK;
}

enum nb_status nb_ask_read(const char *path, struct nb_model *out,
                           struct nb_error *err)
{
    const struct nb_question_kind *kind;
    char *folder = NULL;
    struct nb_error wrong = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_model_read_file(path, out, err));
    NB_TRY(ask_find_kind(path, out, &kind, err));
    NB_TRY(ask_check_names(path, &kind->form, out, err));
    NB_TRY(nb_model_find_folder(path, &folder, err));
    NB_TRY(nb_model_resolve_paths(&kind->form, out, folder, err));
    if (nb_model_convert(&kind->form, out, &wrong) != NB_OK)
        status = nb_ask_fail(path, out, &wrong, err);
done:
    nb_delete(folder);
    return status;
}

static enum nb_status ask_answer(const struct nb_ask *ask, size_t index,
                                 struct nb_point *out, struct nb_error *err)
{
    struct nb_model here = { 0 };
    const struct nb_question question = {
        .model = &here,
        .run = ask->run,
        .outputs = ask->outputs,
        .written = ask->written,
    };
    enum nb_status status =
        nb_ask_model(&ask->kind->form, ask->model, index, &here, out, err);
    if (status == NB_OK) {
        if (ask->run.progress != NULL)
            ask->run.progress(ask->run.progress_context, "preparing", 0, 0);
        status = nb_ask_compute(ask->kind, &question, NULL, out, NULL, err);
    }
    if (status == NB_OK)
        status = nb_point_name_routers(out, &here, err);
    nb_model_release(&here);
    return status;
}

enum nb_status nb_ask_write(const struct nb_ask *ask,
                            const struct nb_point *point, struct nb_error *err)
{
    struct nb_model here = { 0 };
    struct nb_point unused = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_ask_model(&ask->kind->form, ask->model, 0, &here, &unused, err));
    const struct nb_question question = {
        .model = &here,
        .run = ask->run,
        .outputs = ask->outputs,
    };
    status = nb_question_write(ask->kind, &question, point, err);
done:
    nb_point_release(&unused);
    nb_model_release(&here);
    return status;
}

/* The points of a question and what becomes of them. */
struct ask_points {
    struct nb_ask ask;
    struct nb_report *report;
    nb_ask_take *take;
    void *context; /* of take */
    struct nb_error *judged;
    size_t count;
    bool is_any_answered;
    struct nb_error first; /* the first point's refusal: " at PLACE: REASON" */
    size_t reason;         /* offset of the reason */
};

static enum nb_status ask_work(void *context, int thread, size_t index,
                               struct nb_text *result, struct nb_error *err)
{
    const struct ask_points *points = context;
    const struct nb_ask *ask = &points->ask;
    struct nb_point point = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status = ask_answer(ask, index, &point, &inner);
    (void)thread;
    if (status != NB_OK &&
        !nb_point_refuse(ask->kind, ask->model, status, inner.message, &point))
        NB_TRY(nb_fail_again(err, status, &inner));
    NB_TRY(nb_point_check(&point, err));
    nb_point_pack(&point, result);
done:
    nb_point_release(&point);
    return status;
}

static void ask_count(struct ask_points *points, const struct nb_point *point)
{
    const char *refusal = nb_point_refusal(point);
    struct nb_text place = { 0 };
    points->is_any_answered |= refusal == NULL;
    if (points->count++ > 0 || refusal == NULL)
        return;
    nb_place_print(point, &place);
    const char *at = place.bytes != NULL ? place.bytes : "";
    nb_fail(&points->first, NB_INVALID, "%s: %s", at, refusal);
    points->reason = strlen(at) + 2;
    nb_text_release(&place);
}

static enum nb_status ask_take(void *context, size_t index,
                               struct nb_packed *result, bool *is_enough,
                               struct nb_error *err)
{
    struct ask_points *points = context;
    const struct nb_question_kind *kind = points->ask.kind;
    struct nb_point *point = nb_report_add_point(points->report);
    enum nb_status status = NB_OK;
    (void)is_enough;
    if (point == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for the report"));
    NB_TRY(nb_point_unpack(result, point, err));
    ask_count(points, point);
    if (kind->judge != NULL && points->judged->status == NB_OK)
        (void)kind->judge(point, points->judged);
    if (points->take != NULL)
        NB_TRY(points->take(points->context, points->report, index, err));
done:
    return status;
}

enum nb_status nb_ask_points(const struct nb_ask *ask, struct nb_report *report,
                             nb_ask_take *take, void *context,
                             struct nb_error *judged, struct nb_error *err)
{
    struct ask_points points = { .ask = *ask,
                                 .report = report,
                                 .take = take,
                                 .context = context,
                                 .judged = judged };
    struct nb_tasks tasks = { .way = NB_DEAL_ONE,
                              .is_for_first = true,
                              .work = ask_work,
                              .take = ask_take,
                              .context = &points };
    const char *first = points.first.message;
    enum nb_status status;
    NB_TRY(nb_sweep_count(ask->model, &tasks.count, err));
    NB_TRY(nb_deal_tasks(&ask->run, &tasks, err));
    if (points.is_any_answered || points.first.status == NB_OK)
        goto done;
    status = points.count > 1
                 ? nb_fail(err, NB_INVALID,
                           "all %zu points are refused; the first,%s",
                           points.count, first)
                 : nb_fail(err, NB_INVALID, "%s",
                           first + strnlen(first, points.reason));
done:
    return status;
}

/* nb_deal.lose */
static void ask_lose(void *context, const char *why)
{
    nb_fail(context, NB_IO, "%s", why);
}

static int kept_compare(const void *left, const void *right)
{
    const struct nb_model_option *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* The question as checkpoints know it: everything except its presentation,
 * including the digests of its files, with the options in alphabetical
 * order. */
static enum nb_status kept_print_key(const struct nb_model *model,
                                     struct nb_text *out, struct nb_error *err)
{
    struct nb_model key = *model;
    enum nb_status status;
    key.title = NULL;
    key.show_count = 0;
    NB_TRY(nb_new(&key.options, key.option_count, sizeof *key.options,
                  "options", err));
    for (size_t i = 0; i < key.option_count; i++)
        key.options[i] = model->options[i];
    if (key.option_count > 0)
        qsort(key.options, key.option_count, sizeof *key.options, kept_compare);
    nb_model_write(&key, true, 0, out);
    status = nb_text_check(out, err);
done:
    nb_delete(key.options);
    return status;
}

enum nb_status nb_ask_keep(const struct nb_model *model, const char *path,
                           struct nb_deal *deal, struct nb_error *err)
{
    struct nb_text key = { 0 };
    enum nb_status status;
    NB_TRY(kept_print_key(model, &key, err));
    status = nb_deal_open(deal, path, NB_PROGRAM, &key, err);
done:
    nb_text_release(&key);
    return status;
}

/* Answers all points, and keeps them if run->checkpoint is set. */
static enum nb_status ask_keep_points(struct nb_ask *ask,
                                      struct nb_report *report,
                                      struct nb_error *err)
{
    struct nb_deal deal = { .lose = ask_lose, .lose_context = ask->run.lost };
    struct nb_error judged = { 0 };
    enum nb_status status = NB_OK;
    if (ask->run.checkpoint != NULL) {
        ask->run.deal = &deal;
        NB_TRY(nb_ask_keep(ask->model, ask->run.checkpoint, &deal, err));
    }
    NB_TRY(nb_ask_points(ask, report, NULL, NULL, &judged, err));
    if (judged.status != NB_OK)
        status = nb_fail_again(err, judged.status, &judged);
done:
    nb_deal_close(&deal);
    return status;
}

/* Completes the model and moves it into the report. */
static enum nb_status ask_begin(const struct nb_question_kind *kind,
                                struct nb_model *model, struct nb_report *out,
                                struct nb_error *err)
{
    const char *request = model->command != NULL ? model->command : "";
    char meant[NB_SUGGESTED];
    enum nb_status status = NB_OK;
    if (kind == NULL)
        NB_TRY(nb_fail(err, NB_INVALID, "unknown question \"%.60s\"%s", request,
                       ask_suggest(request, meant)));
    NB_TRY(nb_model_convert(&kind->form, model, err));
    NB_TRY(nb_ask_prepare(kind, model, NULL, err));
    NB_TRY(nb_new_copy(&out->program, NB_PROGRAM, "the report", err));
    out->model = *model;
    *model = (struct nb_model){ 0 };
    status = nb_report_entitle(out, err);
done:
    return status;
}

enum nb_status nb_ask(struct nb_model *model, const struct nb_run *run,
                      struct nb_report *out, struct nb_error *err)
{
    const double start = nb_clock_now();
    const int *before = nb_run_watch(run);
    struct nb_error wrong = { 0 };
    int threads = 1;
    struct nb_ask ask = {
        .kind = nb_question_find(model->command != NULL ? model->command : ""),
        .model = &out->model,
        .run = run != NULL ? *run : (struct nb_run){ 0 },
    };
    enum nb_status status = err != NULL ? err->status : NB_OK;
    *out = (struct nb_report){ 0 };
    ask.run.most_threads = &threads;
    NB_TRY(status);
    NB_TRY(ask_begin(ask.kind, model, out, &wrong));
    status = ask_keep_points(&ask, out, &wrong);
    out->made = (struct nb_made){ threads, nb_clock_now() - start };
done:
    return nb_run_unwatch(before, status, &wrong, err);
}
