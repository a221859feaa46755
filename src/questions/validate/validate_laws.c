#include "questions/validate/validate_laws.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void nb_tail_release(struct nb_tail *tail)
{
    nb_delete(tail->value);
    nb_delete(tail->probability);
    *tail = (struct nb_tail){ 0 };
}

static enum nb_status tail_reserve(size_t count, struct nb_tail *out,
                                   struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_tail){ 0 };
    NB_TRY(nb_new(&out->value, count, sizeof(double), "a distribution", err));
    NB_TRY(nb_new(&out->probability, count, sizeof(double), "a distribution",
                  err));
done:
    if (status != NB_OK)
        nb_tail_release(out);
    return status;
}

static size_t tail_column(const struct nb_table *table, const char *name)
{
    size_t column = 0;
    while (strcmp(table->columns[column].name, name) != 0)
        column++;
    assert(column < table->column_count);
    return column;
}

static double tail_cell(const struct nb_table *table, size_t row, size_t column)
{
    const union nb_cell *cell =
        &table->cells[row * table->column_count + column];
    return table->columns[column].type == NB_CELL_WHOLE ? (double)cell->whole
                                                        : cell->number;
}

enum nb_status nb_tail_of_table(const struct nb_table *table, const char *value,
                                const char *probability, struct nb_tail *out,
                                struct nb_error *err)
{
    const size_t x = tail_column(table, value);
    const size_t p = tail_column(table, probability);
    const enum nb_status status = tail_reserve(table->row_count, out, err);
    for (size_t row = 0; row < table->row_count && status == NB_OK; row++) {
        if (!(tail_cell(table, row, p) > 0))
            continue;
        out->value[out->count] = tail_cell(table, row, x);
        out->probability[out->count++] = tail_cell(table, row, p);
    }
    return status;
}

enum nb_status nb_tail_of_histogram(const struct nb_histogram *histogram,
                                    struct nb_tail *out, struct nb_error *err)
{
    uint64_t rest = histogram->total;
    const enum nb_status status = tail_reserve(histogram->size + 1, out, err);
    for (size_t n = 0; n <= histogram->size && rest > 0 && status == NB_OK;
         n++) {
        out->value[out->count] = (double)n;
        out->probability[out->count++] =
            (double)rest / (double)histogram->total;
        rest -= histogram->count[n];
    }
    return status;
}

/* Between two points, by logarithms. */
static double tail_between(const struct nb_tail *tail, size_t i, double n)
{
    const double *x = tail->value, *p = tail->probability;
    const double share = (n - x[i - 1]) / (x[i] - x[i - 1]);
    return p[i - 1] * pow(p[i] / p[i - 1], share);
}

double nb_tail_at(const struct nb_tail *tail, double n)
{
    size_t i = 0;
    while (i < tail->count && tail->value[i] < n)
        i++;
    if (i == tail->count)
        return NAN;
    if (tail->value[i] == n)
        return tail->probability[i];
    return i == 0 ? 1 : tail_between(tail, i, n);
}

double nb_tail_depth(const struct nb_tail *tail, double probability)
{
    const double *x = tail->value, *p = tail->probability;
    size_t i = 0;
    while (i < tail->count && p[i] > probability)
        i++;
    if (i == tail->count)
        return INFINITY;
    if (i == 0 || p[i] == probability)
        return x[i];
    const double share = log(p[i - 1] / probability) / log(p[i - 1] / p[i]);
    return x[i - 1] + share * (x[i] - x[i - 1]);
}

enum nb_status nb_tails_find(
    const struct nb_validation *validation,
    const struct nb_histogram *(*histogram)(const struct nb_simulation_result *,
                                            size_t index),
    size_t index, struct nb_tails *out, struct nb_error *err)
{
    const size_t count = validation->asked.plan.replications;
    enum nb_status status;
    *out = (struct nb_tails){ 0 };
    NB_TRY(nb_new(&out->tail, count, sizeof *out->tail, "distributions", err));
    out->count = count;
    NB_TRY(nb_new(&out->scratch, count, sizeof(double), "distributions", err));
    for (size_t i = 0; i < count; i++) {
        NB_TRY(nb_tail_of_histogram(
            histogram(&validation->replication[i], index), &out->tail[i], err));
        if (out->tail[i].count > out->length)
            out->length = out->tail[i].count;
    }
done:
    if (status != NB_OK)
        nb_tails_release(out);
    return status;
}

void nb_tails_release(struct nb_tails *tails)
{
    for (size_t i = 0; i < tails->count; i++)
        nb_tail_release(&tails->tail[i]);
    nb_delete(tails->tail);
    nb_delete(tails->scratch);
    *tails = (struct nb_tails){ 0 };
}

static struct nb_estimate
tails_estimate(const struct nb_tails *tails, double at, double confidence,
               double (*find)(const struct nb_tail *, double))
{
    for (size_t i = 0; i < tails->count; i++)
        tails->scratch[i] = find(&tails->tail[i], at);
    return nb_estimate_mean(tails->scratch, tails->count, confidence);
}

/* What was not counted up to n was seen never. */
static double tails_seen(const struct nb_tail *tail, double n)
{
    const double probability = nb_tail_at(tail, n);
    return isnan(probability) ? 0 : probability;
}

struct nb_estimate nb_tails_at(const struct nb_tails *tails, double n,
                               double confidence)
{
    return tails_estimate(tails, n, confidence, tails_seen);
}

struct nb_estimate nb_tails_depth(const struct nb_tails *tails,
                                  double probability, double confidence)
{
    return tails_estimate(tails, probability, confidence, nb_tail_depth);
}

void nb_validation_add_tails(struct nb_validation *validation, const char *name,
                             const struct nb_tail *predicted,
                             const struct nb_tails *simulated,
                             double confidence)
{
    struct nb_point *out = validation->out;
    if (!validation->has_laws)
        validation->distributions = nb_point_add_table(
            out, "ccdf", false,
            "law:text,value,predicted:number,simulated:number,lower:number,"
            "upper:number");
    validation->has_laws = true;
    for (size_t n = 0; n < simulated->length; n++) {
        const struct nb_interval at =
            nb_interval_of(nb_tails_at(simulated, (double)n, confidence), 1);
        nb_table_add_text(out, validation->distributions, name);
        nb_table_add_whole(out, validation->distributions, (int64_t)n);
        nb_table_add_number(out, validation->distributions,
                            nb_tail_at(predicted, (double)n));
        nb_table_add_number(out, validation->distributions, at.value);
        nb_table_add_number(out, validation->distributions, at.lower);
        nb_table_add_number(out, validation->distributions, at.upper);
    }
}
