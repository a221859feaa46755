/* Computes the rows of a ledger (declared in ledger.h). */
#include "questions/ledger/ledger.h"

#include "questions/ledger/ledger_cache.h"
#include "questions/ledger/recorded.h"
#include "core/deal.h"
#include "core/memory.h"
#include "core/version.h"
#include "report/point_pack.h"
#include "sim/statistics.h"
#include "ask/written.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compute_work;
static enum nb_status compute_same(struct compute_work *work,
                                   struct nb_entry *entry,
                                   const struct nb_reading *reading,
                                   struct nb_error *err);
static enum nb_status compute_entry(struct compute_work *work,
                                    struct nb_entry *entry,
                                    struct nb_error *err);

/* A question and its answer. */
struct compute_answer {
    const struct nb_published_row *row; /* the first row that asks it */
    struct nb_model model;
    struct nb_text question; /* the model as text */
    bool is_kept;            /* was recorded, or found in the cache */
    /* Of questions that draw at random, others have no command. */
    struct nb_text command;
    char digest[NB_DIGEST_TEXT];
    const struct nb_recorded_row *recorded; /* NULL: it was not */
    struct nb_point point;
    bool *is_used; /* [point.quantity_count] */
};

/* The work of answering the rows. */
struct compute_work {
    const struct nb_question *question;
    const struct nb_published *published;
    struct nb_text root;
    struct nb_cache cache;
    struct nb_recorded recorded;
    const struct nb_recorded_row *last; /* used by the current entry, or NULL */
    int threads;                        /* per answer */
    size_t answer_count;
    struct compute_answer *answers;
};

/* Answers a question and keeps only the quantities of the report. Its progress
 * is not shown; the progress over rows is. */
static enum nb_status compute_ask(const struct compute_work *work,
                                  const struct nb_model *model,
                                  struct nb_point *out, struct nb_error *err)
{
    static const char *const no_outputs[NB_OUTPUTS] = { NULL };
    const struct nb_question question = {
        .model = model,
        .run = { .threads = work->threads },
        .outputs = no_outputs,
    };
    struct nb_point point = { 0 };
    enum nb_status status = nb_question_answer(nb_question_find(model->command),
                                               &question, &point, err);
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

/* A task: computes an answer unless it was found in the cache. */
static enum nb_status compute_answer(void *context, int thread, size_t index,
                                     struct nb_text *result,
                                     struct nb_error *err)
{
    const struct compute_work *work = context;
    struct compute_answer *answer = &work->answers[index];
    struct nb_error inner = { 0 };
    (void)thread;
    const enum nb_status status =
        answer->is_kept
            ? NB_OK
            : compute_ask(work, &answer->model, &answer->point, &inner);
    if (status != NB_OK)
        return nb_published_fail(answer->row, status, inner.message, err);
    nb_point_pack(&answer->point, result);
    return NB_OK;
}

/* Takes an answer, also from another rank, whose cache may have had it. */
static enum nb_status compute_take(void *context, size_t index,
                                   struct nb_packed *result, bool *is_enough,
                                   struct nb_error *err)
{
    const struct compute_work *work = context;
    struct nb_point *point = &work->answers[index].point;
    (void)is_enough;
    nb_point_release(point);
    return nb_point_unpack(result, point, err);
}

static void compute_release(struct compute_answer *answer)
{
    nb_text_release(&answer->question);
    nb_text_release(&answer->command);
    nb_model_release(&answer->model);
    nb_point_release(&answer->point);
    nb_delete(answer->is_used);
}

/* Names a question that draws at random, and takes its answer from the recorded
 * runs if it is there. */
static enum nb_status compute_name(const struct compute_work *work,
                                   const struct nb_published_row *request,
                                   int64_t number, struct compute_answer *out,
                                   struct nb_error *err)
{
    struct nb_model given = { 0 };
    enum nb_status status = NB_OK;
    if (!nb_cache_is_for(out->model.command))
        return NB_OK;
    NB_TRY(nb_entry_model(request, number, NULL, &given, err));
    NB_TRY(nb_recorded_question(&given, &out->model, &out->command, out->digest,
                                err));
    out->recorded = nb_recorded_find(&work->recorded, out->digest,
                                     out->command.bytes, &out->point);
    out->is_kept = out->recorded != NULL;
    NB_TRY(nb_point_check(&out->point, err));
done:
    nb_model_release(&given);
    return status;
}

/*
 * Finds the answer to the row's question with that number; its quantities may
 * not be known yet. Appends one if no earlier row asks the same.
 *
 * asked  the row, perhaps with other columns
 */
static enum nb_status
compute_find_answer(struct compute_work *work,
                    const struct nb_published_row *row,
                    const struct nb_published_row *request, int64_t number,
                    size_t *index, struct nb_error *err)
{
    struct compute_answer next = { .row = row };
    enum nb_status status = NB_OK;
    NB_TRY(nb_entry_model(request, number, work->root.bytes, &next.model, err));
    nb_model_write(&next.model, false, 0, &next.question);
    NB_TRY(nb_text_check(&next.question, err));
    for (*index = 0; *index < work->answer_count; ++*index)
        if (strcmp(work->answers[*index].question.bytes, next.question.bytes) ==
            0)
            goto done;
    NB_TRY(compute_name(work, request, number, &next, err));
    NB_TRY(nb_grow(&work->answers, work->answer_count + 1,
                   sizeof *work->answers, "answers", err));
    work->answers[work->answer_count++] = next;
    return NB_OK;
done:
    compute_release(&next);
    return status;
}

/* Lists the questions of a row, or of its check (asked). */
static enum nb_status compute_note(struct compute_work *work,
                                   const struct nb_published_row *row,
                                   const struct nb_published_row *request,
                                   struct nb_error *err)
{
    struct nb_entry_span span;
    size_t index;
    enum nb_status status;
    NB_TRY(nb_entry_span(request, &span, err));
    for (int64_t i = span.first; i <= span.last; i++)
        NB_TRY(compute_find_answer(work, row, request, i, &index, err));
done:
    return status;
}

static void compute_drop(struct nb_text texts[NB_READING_COLUMNS])
{
    for (size_t i = 0; i < NB_READING_COLUMNS; i++)
        nb_text_release(&texts[i]);
}

static bool compute_is_asked(const struct nb_published_row *row)
{
    return row->expected != NB_VERDICT_PENDING &&
           row->expected != NB_VERDICT_GIVEN &&
           (nb_entry_is_ratio(row) || nb_entry_is_default(row) ||
            nb_entry_command(row) != NULL);
}

/* The two rows of a quotient, each answered by a command. */
static enum nb_status compute_parts(const struct compute_work *work,
                                    const struct nb_published_row *row,
                                    const struct nb_published_row *parts[2],
                                    struct nb_error *err)
{
    char message[160];
    enum nb_status status = NB_OK;
    NB_TRY(nb_entry_ratio_rows(row, work->published, parts, err));
    for (int i = 0; i < 2; i++) {
        if (nb_entry_command(parts[i]) != NULL)
            continue;
        snprintf(message, sizeof message,
                 "row \"%.60s\" is not computed (permitted: id of a row that a "
                 "command answers)",
                 parts[i]->id);
        NB_TRY(nb_published_fail(row, NB_INVALID, message, err));
    }
done:
    return status;
}

/* Lists the questions of a row itself; for a quotient, those of its two rows.
 *
 * row  the row whose verdict needs them, for messages
 */
static enum nb_status compute_note_own(struct compute_work *work,
                                       const struct nb_published_row *row,
                                       const struct nb_published_row *request,
                                       struct nb_error *err)
{
    const struct nb_published_row *parts[2];
    enum nb_status status = NB_OK;
    if (nb_entry_is_default(request)) /* asks nothing */
        return NB_OK;
    if (!nb_entry_is_ratio(request))
        return compute_note(work, row, request, err);
    NB_TRY(compute_parts(work, request, parts, err));
    for (int i = 0; i < 2; i++)
        NB_TRY(compute_note(work, parts[i], parts[i], err));
done:
    return status;
}

/* The row that a reading repeats, which must not itself repeat another. */
static enum nb_status compute_find_same(const struct compute_work *work,
                                        const struct nb_published_row *row,
                                        const struct nb_reading *reading,
                                        const struct nb_published_row **out,
                                        struct nb_error *err)
{
    const char *end = reading->text + reading->length;
    enum nb_status status = NB_OK;
    NB_TRY(nb_entry_other_row(row, work->published, reading->same,
                              (size_t)(end - reading->same), out, err));
    for (size_t i = 0; i < (*out)->reading_count; i++)
        if ((*out)->readings[i].same != NULL)
            NB_TRY(nb_published_fail(row, NB_INVALID,
                                     "its check names a row that is itself "
                                     "checked by \"same as\" (permitted: any "
                                     "other row)",
                                     err));
done:
    return status;
}

/* Lists all questions that an entry's verdict needs. */
static enum nb_status compute_note_entry(struct compute_work *work,
                                         const struct nb_published_row *row,
                                         struct nb_error *err)
{
    const struct nb_published_row *other;
    struct nb_published_row request;
    struct nb_text texts[NB_READING_COLUMNS] = { { 0 } };
    enum nb_status status = NB_OK;
    NB_TRY(compute_note_own(work, row, row, err));
    for (size_t i = 0; i < row->reading_count; i++) {
        const struct nb_reading *reading = &row->readings[i];
        if (reading->same != NULL) {
            NB_TRY(compute_find_same(work, row, reading, &other, err));
            if (compute_is_asked(other))
                NB_TRY(compute_note_entry(work, other, err));
        } else if (reading->has_columns && !reading->is_of_printed) {
            NB_TRY(nb_reading_row(row, reading, texts, &request, err));
            NB_TRY(compute_note_own(work, row, &request, err));
        }
        compute_drop(texts);
    }
done:
    compute_drop(texts);
    return status;
}

/* Marks a quantity of an answer as used. */
static void compute_mark(const struct compute_answer *answer,
                         const struct nb_quantity *quantity)
{
    if (quantity != NULL && answer->is_used != NULL)
        answer->is_used[quantity - answer->point.quantities] = true;
}

/* Finds the row's quantity, which must be in the row's unit. */
static enum nb_status compute_find(const struct nb_published_row *row,
                                   const struct compute_answer *answer,
                                   const struct nb_quantity **out,
                                   struct nb_error *err)
{
    char message[200];
    *out = nb_point_quantity(&answer->point, row->quantity);
    if (*out == NULL)
        return nb_published_fail(row, NB_INVALID,
                                 "the answer does not have this quantity", err);
    compute_mark(answer, *out);
    if (*row->unit == '\0' || strcmp((*out)->unit, row->unit) == 0)
        return NB_OK;
    snprintf(message, sizeof message,
             "unit \"%.60s\" is not permitted (permitted: that of %s, \"%s\")",
             row->unit, row->quantity, (*out)->unit);
    return nb_published_fail(row, NB_INVALID, message, err);
}

/*
 * The mean of the row's quantity over its span. Its interval comes from the
 * spread over the questions and from the uncertainty of each. If every question
 * has its own seed, the spread already contains the random error. With one seed
 * that error may be common to all, and is combined with the spread like another
 * deviation. The remaining uncertainty is added at its end of the interval.
 */
static void compute_mean(const struct nb_quantity *const *each,
                         const double *value, size_t count, bool has_own_seeds,
                         struct nb_quantity *out)
{
    const struct nb_estimate mean = nb_estimate_mean(value, count, 0.95);
    double below = 0, above = 0, either = 0;
    for (size_t i = 0; i < count; i++) {
        below += (each[i]->value - each[i]->lower) / (double)count;
        above += (each[i]->upper - each[i]->value) / (double)count;
    }
    if (strstr(each[0]->method, "95 %") != NULL)
        either = fmax(fmin(below, above), 0);
    const double common = has_own_seeds ? 0 : either;
    const double half =
        isinf(either) ? 0 : hypot(mean.half_width, common) - either;
    *out = (struct nb_quantity){ .value = mean.mean,
                                 .lower = mean.mean - below - half,
                                 .upper = mean.mean + above + half };
}

static int compute_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The range of the row's quantity over its span (nb_reading_trim), whose values
 * it sorts. */
static void compute_range(double *value, size_t count, struct nb_quantity *out)
{
    const size_t trim = nb_reading_trim(count);
    qsort(value, count, sizeof *value, compute_compare);
    *out = (struct nb_quantity){ .lower = value[trim],
                                 .upper = value[count - 1 - trim] };
    out->value = out->lower / 2 + out->upper / 2;
}

/*
 * The quantity of a row after all questions are answered; over a span its mean,
 * or its range. offered: out, nb_entry_offered
 */
static enum nb_status compute_quantity(struct compute_work *work,
                                       const struct nb_published_row *row,
                                       bool is_range, struct nb_quantity *out,
                                       struct nb_ratio *offered,
                                       struct nb_error *err)
{
    const struct nb_quantity **each = NULL;
    double *value = NULL;
    const char *seed = NULL;
    bool has_own_seeds = false;
    struct nb_entry_span span;
    enum nb_status status;
    NB_TRY(nb_entry_span(row, &span, err));
    const size_t count = (size_t)(span.last - span.first + 1);
    NB_TRY(nb_new(&value, count, sizeof *value, "values", err));
    NB_TRY(nb_new(&each, count, sizeof *each, "values", err));
    for (size_t i = 0; i < count; i++) {
        size_t index;
        NB_TRY(compute_find_answer(work, row, row, span.first + (int64_t)i,
                                   &index, err));
        const struct compute_answer *answer = &work->answers[index];
        NB_TRY(compute_find(row, answer, &each[i], err));
        if (answer->recorded != NULL)
            work->last = answer->recorded;
        value[i] = each[i]->value;
        const char *own = nb_model_get(&answer->model, "seed");
        has_own_seeds = i > 0 && seed != NULL && strcmp(seed, own) != 0;
        seed = own;
        *offered = nb_entry_offered(row, &answer->model, &answer->point);
        if (nb_ratio_is_known(*offered))
            compute_mark(answer, nb_point_quantity(&answer->point, "capacity"));
    }
    if (is_range && count == 1)
        NB_TRY(nb_published_fail(row, NB_INVALID,
                                 "the range of one value is not permitted "
                                 "(permitted: a span such as seed=1..40 in the "
                                 "traffic)",
                                 err));
    if (count == 1)
        *out = *each[0];
    else if (is_range)
        compute_range(value, count, out);
    else
        compute_mean(each, value, count, has_own_seeds, out);
done:
    nb_delete(each);
    nb_delete(value);
    return status;
}

/* The quantity of a row itself; for a quotient, from its two rows; for a
 * parameter, its default. */
static enum nb_status compute_own(struct compute_work *work,
                                  const struct nb_published_row *row,
                                  struct nb_quantity *out,
                                  struct nb_ratio *offered,
                                  struct nb_error *err)
{
    const struct nb_published_row *parts[2];
    struct nb_quantity quantity[2];
    enum nb_status status = NB_OK;
    *offered = (struct nb_ratio){ 0, 0 };
    if (nb_entry_is_default(row))
        return nb_entry_default(row, out, err);
    if (!nb_entry_is_ratio(row))
        return compute_quantity(work, row, false, out, offered, err);
    NB_TRY(compute_parts(work, row, parts, err));
    for (int i = 0; i < 2; i++)
        NB_TRY(compute_quantity(work, parts[i], false, &quantity[i], offered,
                                err));
    *offered = (struct nb_ratio){ 0, 0 };
    NB_TRY(nb_entry_ratio(row, &quantity[0], &quantity[1], out, err));
done:
    return status;
}

/* The quotient of the printed numbers of a quotient's two rows. */
static enum nb_status compute_printed(const struct compute_work *work,
                                      const struct nb_published_row *row,
                                      bool is_range, struct nb_quantity *out,
                                      struct nb_error *err)
{
    const struct nb_published_row *parts[2];
    enum nb_status status = NB_OK;
    if (!nb_entry_is_ratio(row))
        return nb_published_fail(row, NB_INVALID,
                                 "the check \"printed operands\" is only "
                                 "permitted for ratio:of=ID,to=ID",
                                 err);
    NB_TRY(nb_entry_ratio_rows(row, work->published, parts, err));
    for (int i = 0; i < 2; i++)
        if (nb_row_is_reference(parts[i]))
            NB_TRY(nb_published_fail(row, NB_INVALID,
                                     "an operand is not printed (permitted: "
                                     "two printed numbers)",
                                     err));
    const struct nb_quantity of = nb_entry_printed(parts[0], is_range);
    const struct nb_quantity to = nb_entry_printed(parts[1], is_range);
    NB_TRY(nb_entry_ratio(row, &of, &to, out, err));
done:
    return status;
}

/* Whether a command answers the row with what it proves. */
static bool compute_is_proof(const struct nb_published_row *row)
{
    static const char commands[] = "deadlock load worst-case optimum topology";
    const struct nb_question_kind *command = nb_entry_command(row);
    return command != NULL && nb_word_is_in(commands, ' ', command->form.name,
                                            strlen(command->form.name));
}

/* Refuses a bound that is not proved: an estimate, an answer of a model, or a
 * quotient of any but two exact answers. */
static enum nb_status compute_check_bound(const struct compute_work *work,
                                          const struct nb_published_row *row,
                                          const struct nb_quantity *quantity,
                                          struct nb_error *err)
{
    const struct nb_published_row *parts[2];
    bool is_proved = compute_is_proof(row) && quantity->method != NULL &&
                     strstr(quantity->method, "95 %") == NULL;
    enum nb_status status = NB_OK;
    if (nb_entry_is_ratio(row)) {
        NB_TRY(compute_parts(work, row, parts, err));
        is_proved = compute_is_proof(parts[0]) && compute_is_proof(parts[1]) &&
                    nb_ratio_is_known(quantity->exact);
    }
    if (!is_proved)
        NB_TRY(nb_published_fail(
            row, NB_INVALID,
            "its check compares with a bound that is not proved (permitted: an "
            "answer of deadlock, load, worst-case, optimum or topology, no "
            "estimate; or a quotient of two that are exact)",
            err));
done:
    return status;
}

/* The quantity that a reading compares with the printed number. */
static enum nb_status compute_reading(struct compute_work *work,
                                      const struct nb_published_row *request,
                                      const struct nb_reading *reading,
                                      struct nb_quantity *out,
                                      struct nb_error *err)
{
    const bool is_range = reading->test == NB_READING_RANGE;
    const bool is_bound =
        reading->test == NB_READING_ABOVE || reading->test == NB_READING_BELOW;
    struct nb_ratio offered;
    enum nb_status status = NB_OK;
    if (reading->is_of_printed)
        return compute_printed(work, request, is_range, out, err);
    if (is_range)
        return compute_quantity(work, request, true, out, &offered, err);
    NB_TRY(compute_own(work, request, out, &offered, err));
    if (is_bound)
        NB_TRY(compute_check_bound(work, request, out, err));
done:
    return status;
}

/* Tries the readings of an entry that disagrees, until one explains it. */
static enum nb_status compute_try(struct compute_work *work,
                                  struct nb_entry *entry, struct nb_error *err)
{
    const struct nb_published_row *row = entry->row;
    struct nb_published_row request;
    struct nb_quantity quantity;
    struct nb_text texts[NB_READING_COLUMNS] = { { 0 } };
    enum nb_status status = NB_OK;
    for (size_t i = 0;
         i < row->reading_count && entry->verdict == NB_VERDICT_DISAGREES;
         i++) {
        const struct nb_reading *reading = &row->readings[i];
        if (reading->same != NULL) {
            NB_TRY(compute_same(work, entry, reading, err));
            continue;
        }
        NB_TRY(nb_reading_row(row, reading, texts, &request, err));
        NB_TRY(compute_reading(work, &request, reading, &quantity, err));
        NB_TRY(nb_entry_explain(entry, reading, &quantity, err));
        compute_drop(texts);
    }
done:
    compute_drop(texts);
    return status;
}

/* Tries the reading "same as ID". */
static enum nb_status compute_same(struct compute_work *work,
                                   struct nb_entry *entry,
                                   const struct nb_reading *reading,
                                   struct nb_error *err)
{
    struct nb_entry other = { 0 };
    enum nb_status status;
    NB_TRY(compute_find_same(work, entry->row, reading, &other.row, err));
    NB_TRY(compute_entry(work, &other, err));
    NB_TRY(nb_entry_repeat(entry, reading, &other, err));
done:
    nb_delete(other.surprise);
    nb_delete(other.shown);
    return status;
}

static enum nb_status compute_entry(struct compute_work *work,
                                    struct nb_entry *entry,
                                    struct nb_error *err)
{
    const struct nb_published_row *row = entry->row;
    struct nb_quantity quantity;
    struct nb_ratio offered = { 0, 0 };
    enum nb_status status = NB_OK;
    if (!compute_is_asked(row)) {
        entry->verdict = row->expected == NB_VERDICT_GIVEN ? NB_VERDICT_GIVEN
                                                           : NB_VERDICT_PENDING;
        return entry->verdict == row->expected
                   ? NB_OK
                   : nb_entry_wonder(entry, nb_verdict_names[row->expected],
                                     ", but no command answers its quantity",
                                     err);
    }
    NB_TRY(compute_own(work, row, &quantity, &offered, err));
    nb_entry_judge(entry, &quantity, offered);
    NB_TRY(compute_try(work, entry, err));
    NB_TRY(nb_entry_settle(entry, err));
done:
    return status;
}

/* Checks that no output overwrites a file that holds the rows or that they
 * name. */
static enum nb_status compute_check_outputs(const struct compute_work *work,
                                            struct nb_error *err)
{
    const struct nb_written *written = work->question->written;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < work->published->file_count && status == NB_OK; i++)
        status = nb_written_check(written, work->published->files[i].path, err);
    if (work->recorded.path != NULL && status == NB_OK)
        status = nb_written_check(written, work->recorded.path, err);
    for (size_t i = 0; i < work->answer_count && status == NB_OK; i++)
        status = nb_written_check_model(written, &work->answers[i].model, err);
    return status;
}

/* Answers all questions, one thread each; keeps new answers even after a
 * failure. */
static enum nb_status compute_answers(struct compute_work *work,
                                      struct nb_error *err)
{
    const struct nb_run *run = &work->question->run;
    work->threads = work->answer_count > 1 ? 1 : run->threads;
    for (size_t i = 0; i < work->answer_count; i++) {
        struct compute_answer *answer = &work->answers[i];
        answer->is_kept = answer->is_kept ||
                          nb_cache_find(&work->cache, &answer->question,
                                        answer->model.command, &answer->point);
    }
    const enum nb_status status =
        nb_deal_tasks(run,
                      &(struct nb_tasks){ .what = "published numbers",
                                          .count = work->answer_count,
                                          .work = compute_answer,
                                          .take = compute_take,
                                          .context = work },
                      err);
    for (size_t i = 0; i < work->answer_count; i++) {
        struct compute_answer *answer = &work->answers[i];
        if (!answer->is_kept && answer->point.quantity_count > 0)
            nb_cache_keep(&work->cache, &answer->question,
                          answer->model.command, &answer->point);
    }
    return status;
}

/* Makes room for marks in the answers to questions that draw at random. */
static enum nb_status compute_begin_marks(struct compute_work *work,
                                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < work->answer_count; i++) {
        struct compute_answer *answer = &work->answers[i];
        if (answer->command.length > 0 && answer->point.quantity_count > 0)
            NB_TRY(nb_new(&answer->is_used, answer->point.quantity_count,
                          sizeof *answer->is_used, "marks", err));
    }
done:
    return status;
}

const struct nb_table_kind nb_ledger_runs_table = {
    .name = "runs",
    .columns = NB_SPELLED(
        "question:text,command:text,program:text,date:text,quantity:text,"
        "value:number,lower:number,upper:number,exact:ratio,unit:text,"
        "method:text")
};

/* Adds the table of runs: every marked quantity of the questions that draw at
 * random, as a line to be recorded. */
static void compute_report_runs(const struct compute_work *work,
                                struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_ledger_runs_table);
    for (size_t i = 0; i < work->answer_count; i++) {
        const struct compute_answer *answer = &work->answers[i];
        const struct nb_recorded_row *from = answer->recorded;
        for (size_t q = 0; q < answer->point.quantity_count; q++) {
            const struct nb_quantity *quantity = &answer->point.quantities[q];
            if (answer->is_used == NULL || !answer->is_used[q])
                continue;
            NB_ROW(out, table, answer->digest, answer->command.bytes,
                   from != NULL ? from->program : NB_PROGRAM,
                   from != NULL ? from->date : "", quantity->name,
                   quantity->value, quantity->lower, quantity->upper,
                   quantity->exact, quantity->unit, quantity->method);
        }
    }
}

/* Sets the folder from which paths in rows are resolved: the parent of the
 * folder "data". */
static enum nb_status compute_start(struct compute_work *work,
                                    const char *folder, struct nb_error *err)
{
    const struct nb_ledger_question *request = work->question->request;
    enum nb_status status;
    nb_text_print(&work->root, "%s/../..", folder);
    NB_TRY(nb_text_check(&work->root, err));
    if (!request->fresh)
        NB_TRY(nb_recorded_read(folder, &work->recorded, err));
    if (!work->question->is_checked)
        NB_TRY(nb_cache_open(request->fresh, &work->cache, err));
done:
    return status;
}

enum nb_status nb_entries_compute(const struct nb_question *question,
                                  const char *folder,
                                  const struct nb_published *published,
                                  struct nb_entry *entries, size_t count,
                                  struct nb_point *out, struct nb_error *err)
{
    struct compute_work work = { .question = question, .published = published };
    enum nb_status status = NB_OK;
    NB_TRY(compute_start(&work, folder, err));
    for (size_t i = 0; i < count; i++)
        if (compute_is_asked(entries[i].row))
            NB_TRY(compute_note_entry(&work, entries[i].row, err));
    NB_TRY(compute_check_outputs(&work, err));
    NB_TRY(compute_answers(&work, err));
    NB_TRY(compute_begin_marks(&work, err));
    for (size_t i = 0; i < count; i++) {
        work.last = NULL;
        NB_TRY(compute_entry(&work, &entries[i], err));
        if (work.last != NULL)
            snprintf(entries[i].recorded, sizeof entries[i].recorded, "%s",
                     work.last->date);
    }
    compute_report_runs(&work, out);
done:
    for (size_t i = 0; i < work.answer_count; i++)
        compute_release(&work.answers[i]);
    nb_recorded_release(&work.recorded);
    nb_delete(work.answers);
    nb_cache_close(&work.cache);
    nb_text_release(&work.root);
    return status;
}
