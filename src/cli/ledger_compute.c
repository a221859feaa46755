/* Computing the rows of a ledger (declared in ledger.h). */
#include "cli/ledger.h"

#include "core/memory.h"
#include "sim/statistics.h"

#include <stdio.h>
#include <string.h>

/* A question that was answered: the model as text, and the quantities. */
struct compute_answer {
    struct nb_text question;
    struct nb_point point;
};

/* What is done to answer the rows. */
struct compute_work {
    const struct nb_question *question;
    const struct nb_published *published;
    struct nb_text root;
    size_t answer_count;
    struct compute_answer *answers;
};

/* Answers a question; of the report only the quantities are kept. Its stages
 * are not shown, because the rows are. */
static enum nb_status compute_ask(struct compute_work *work,
                                  const struct nb_model *model,
                                  struct nb_point *out, struct nb_error *err)
{
    static const char *const no_outputs[NB_OUTPUTS] = { NULL };
    const struct nb_question question = {
        .model = model,
        .run = { .threads = work->question->run.threads },
        .outputs = no_outputs,
    };
    struct nb_point point = { 0 };
    enum nb_status status =
        nb_command_find(model->command)->answer(&question, &point, err);
    if (status == NB_OK)
        status = nb_point_check(&point, err);
    if (status == NB_OK) {
        out->quantities = point.quantities;
        out->quantity_count = point.quantity_count;
        point.quantities = NULL;
        point.quantity_count = 0;
    }
    nb_point_release(&point);
    return status;
}

/* The answer to the row's question of that number; *point belongs to work. */
static enum nb_status compute_row(struct compute_work *work,
                                  const struct nb_published_row *row,
                                  int64_t number, const struct nb_point **point,
                                  struct nb_error *err)
{
    struct nb_model model = { 0 };
    struct nb_text text = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_entry_model(row, number, work->root.bytes, &model, err));
    nb_model_write(&model, false, 0, &text);
    NB_TRY(nb_text_check(&text, err));
    for (size_t i = 0; i < work->answer_count; i++) {
        *point = &work->answers[i].point;
        if (strcmp(work->answers[i].question.bytes, text.bytes) == 0)
            goto done;
    }
    NB_TRY(nb_grow(&work->answers, work->answer_count + 1,
                   sizeof *work->answers, "answers", err));
    struct compute_answer *answer = &work->answers[work->answer_count++];
    *answer = (struct compute_answer){ .question = text };
    text = (struct nb_text){ 0 };
    *point = &answer->point;
    status = compute_ask(work, &model, &answer->point, &inner);
    if (status != NB_OK)
        status = nb_published_fail(row, status, inner.message, err);
done:
    nb_text_release(&text);
    nb_model_release(&model);
    return status;
}

/* The row's quantity, which must be in the row's unit. */
static enum nb_status compute_find(const struct nb_published_row *row,
                                   const struct nb_point *point,
                                   const struct nb_quantity **out,
                                   struct nb_error *err)
{
    char message[200];
    *out = nb_point_quantity(point, row->quantity);
    if (*out == NULL)
        return nb_published_fail(row, NB_INVALID,
                                 "the answer has no such quantity", err);
    if (strcmp((*out)->unit, row->unit) == 0)
        return NB_OK;
    snprintf(message, sizeof message,
             "unit \"%.60s\" is not permitted (permitted: that of %s, \"%s\")",
             row->unit, row->quantity, (*out)->unit);
    return nb_published_fail(row, NB_INVALID, message, err);
}

/* The mean of the row's quantity over its span; what it may be by its spread
 * over the questions and by how well each is known. */
static enum nb_status compute_mean(struct compute_work *work,
                                   const struct nb_published_row *row,
                                   struct nb_entry_span span,
                                   struct nb_quantity *out,
                                   struct nb_error *err)
{
    const size_t count = (size_t)(span.last - span.first + 1);
    double *value = NULL, lower = 0, upper = 0;
    enum nb_status status;
    NB_TRY(nb_new(&value, count, sizeof *value, "a mean", err));
    for (size_t i = 0; i < count; i++) {
        const struct nb_point *point = NULL;
        const struct nb_quantity *quantity = NULL;
        NB_TRY(compute_row(work, row, span.first + (int64_t)i, &point, err));
        NB_TRY(compute_find(row, point, &quantity, err));
        value[i] = quantity->value;
        lower += quantity->lower / (double)count;
        upper += quantity->upper / (double)count;
    }
    const struct nb_estimate mean = nb_estimate_mean(value, count, 0.95);
    *out = (struct nb_quantity){ .value = mean.mean,
                                 .lower = lower - mean.half_width,
                                 .upper = upper + mean.half_width };
done:
    nb_delete(value);
    return status;
}

/* The row's quantity, over a span its mean. */
static enum nb_status compute_quantity(struct compute_work *work,
                                       const struct nb_published_row *row,
                                       struct nb_quantity *out,
                                       struct nb_error *err)
{
    const struct nb_point *point = NULL;
    const struct nb_quantity *quantity = NULL;
    struct nb_entry_span span;
    enum nb_status status = NB_OK;
    NB_TRY(nb_entry_span(row, &span, err));
    if (span.first < span.last)
        return compute_mean(work, row, span, out, err);
    NB_TRY(compute_row(work, row, span.first, &point, err));
    NB_TRY(compute_find(row, point, &quantity, err));
    *out = *quantity;
done:
    return status;
}

/* A quotient of two rows; compared as the less certain of them is. */
static enum nb_status compute_ratio(struct compute_work *work,
                                    const struct nb_published_row *row,
                                    struct nb_quantity *out,
                                    enum nb_comparison *comparison,
                                    struct nb_error *err)
{
    const struct nb_published_row *parts[2];
    struct nb_quantity quantity[2];
    enum nb_status status = NB_OK;
    *comparison = NB_COMPARE_BRACKET;
    NB_TRY(nb_entry_ratio_rows(row, work->published, parts, err));
    for (int i = 0; i < 2; i++) {
        const enum nb_comparison own = nb_entry_comparison(parts[i]);
        *comparison = own > *comparison ? own : *comparison;
        NB_TRY(compute_quantity(work, parts[i], &quantity[i], err));
    }
    NB_TRY(nb_entry_ratio(row, &quantity[0], &quantity[1], out, err));
done:
    return status;
}

static enum nb_status compute_entry(struct compute_work *work,
                                    struct nb_entry *entry,
                                    struct nb_error *err)
{
    const struct nb_published_row *row = entry->row;
    struct nb_quantity quantity;
    enum nb_comparison comparison;
    enum nb_status status = NB_OK;
    entry->verdict = NB_VERDICT_PENDING;
    if (row->expected == NB_VERDICT_PENDING)
        return NB_OK;
    if (nb_entry_is_ratio(row)) {
        NB_TRY(compute_ratio(work, row, &quantity, &comparison, err));
    } else if (nb_entry_command(row) == NULL) {
        return nb_entry_wonder(entry, nb_verdict_names[row->expected],
                               ", but no command answers its quantity", err);
    } else {
        NB_TRY(compute_quantity(work, row, &quantity, err));
        comparison = nb_entry_comparison(row);
    }
    NB_TRY(nb_entry_judge(entry, &quantity, comparison, err));
done:
    return status;
}

enum nb_status nb_entries_compute(const struct nb_question *question,
                                  const struct nb_published *published,
                                  struct nb_entry *entries, size_t count,
                                  struct nb_error *err)
{
    struct compute_work work = { .question = question, .published = published };
    const struct nb_run *run = &question->run;
    enum nb_status status = NB_OK;
    /* Paths begin where the folder "data" stands. */
    NB_TRY(nb_published_find(nb_model_get(question->model, "data"), &work.root,
                             err));
    nb_text_print(&work.root, "/../..");
    NB_TRY(nb_text_check(&work.root, err));
    for (size_t i = 0; i < count; i++) {
        if (run->progress != NULL)
            run->progress(run->progress_context, "published numbers", i, count);
        NB_TRY(compute_entry(&work, &entries[i], err));
    }
done:
    for (size_t i = 0; i < work.answer_count; i++) {
        nb_text_release(&work.answers[i].question);
        nb_point_release(&work.answers[i].point);
    }
    nb_delete(work.answers);
    nb_text_release(&work.root);
    return status;
}
