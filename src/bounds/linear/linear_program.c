#include "bounds/linear/linear_work.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>

/* GLPK's own limits: more of them end in its fatal error. */
enum { LINEAR_MOST_LINES = 100000000, LINEAR_MOST_ENTRIES = 500000000 };

enum nb_status nb_linear_new(struct nb_linear **out, struct nb_error *err)
{
    return nb_new(out, 1, sizeof **out, "linear program", err);
}

void nb_linear_release(struct nb_linear **linear)
{
    if (linear == NULL || *linear == NULL)
        return;
    nb_delete((*linear)->rows.line);
    nb_delete((*linear)->columns.line);
    nb_delete((*linear)->entry_row);
    nb_delete((*linear)->entry_column);
    nb_delete((*linear)->entry_value);
    nb_delete(*linear);
    *linear = NULL;
}

/* Makes room for another line and its entries. */
static enum nb_status linear_reserve(struct nb_linear *linear,
                                     struct nb_linear_lines *lines,
                                     size_t count, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    const size_t entries = linear->entry_count + count;
    if (lines->count >= LINEAR_MOST_LINES || entries > LINEAR_MOST_ENTRIES)
        return nb_fail(err, NB_OVERFLOW,
                       "linear program of %zu lines and %zu entries "
                       "(permitted: %d and %d)",
                       lines->count + 1, entries, LINEAR_MOST_LINES,
                       LINEAR_MOST_ENTRIES);
    if (lines->count == lines->capacity) {
        const size_t capacity = 2 * lines->capacity + 16;
        NB_TRY(nb_grow(&lines->line, capacity, sizeof *lines->line,
                       "linear program", err));
        lines->capacity = capacity;
    }
    if (entries >= linear->entry_capacity) {
        const size_t capacity = 2 * entries + 64;
        NB_TRY(nb_grow(&linear->entry_row, capacity, sizeof(int),
                       "linear program", err));
        NB_TRY(nb_grow(&linear->entry_column, capacity, sizeof(int),
                       "linear program", err));
        NB_TRY(nb_grow(&linear->entry_value, capacity, sizeof(double),
                       "linear program", err));
        linear->entry_capacity = capacity;
    }
done:
    return status;
}

/* Entries of a new line: across names the arrays of lines that cross it. */
static void linear_enter(struct nb_linear *linear, int *along, int *across,
                         int line, size_t count, const size_t *place,
                         const double *value)
{
    for (size_t k = 0; k < count; k++) {
        const size_t entry = ++linear->entry_count;
        along[entry] = line;
        across[entry] = (int)place[k] + 1;
        assert(isfinite(value[k]));
        linear->entry_value[entry] = value[k];
    }
}

enum nb_status nb_linear_add_column(struct nb_linear *linear, double cost,
                                    double most, size_t count,
                                    const size_t *place, const double *value,
                                    size_t *index, struct nb_error *err)
{
    struct nb_linear_lines *lines = &linear->columns;
    const enum nb_status status = linear_reserve(linear, lines, count, err);
    if (status != NB_OK)
        return status;
    assert(isfinite(cost) && most >= 0);
    if (index != NULL)
        *index = lines->count;
    lines->line[lines->count++] = (struct nb_linear_line){
        .limit = most,
        .cost = cost,
    };
    linear_enter(linear, linear->entry_column, linear->entry_row,
                 (int)lines->count, count, place, value);
    return NB_OK;
}

enum nb_status nb_linear_add_row(struct nb_linear *linear,
                                 enum nb_linear_sense sense, double right,
                                 size_t count, const size_t *place,
                                 const double *value, size_t *index,
                                 struct nb_error *err)
{
    struct nb_linear_lines *lines = &linear->rows;
    const enum nb_status status = linear_reserve(linear, lines, count, err);
    if (status != NB_OK)
        return status;
    assert(isfinite(right));
    if (index != NULL)
        *index = lines->count;
    lines->line[lines->count++] = (struct nb_linear_line){
        .sense = sense,
        .limit = right,
    };
    linear_enter(linear, linear->entry_row, linear->entry_column,
                 (int)lines->count, count, place, value);
    return NB_OK;
}

void nb_linear_set_cost(struct nb_linear *linear, size_t column, double cost)
{
    assert(column < linear->columns.count && isfinite(cost));
    linear->columns.line[column].cost = cost;
}

void nb_linear_set_most(struct nb_linear *linear, size_t column, double most)
{
    assert(column < linear->columns.count && most >= 0);
    linear->columns.line[column].limit = most;
}

size_t nb_linear_row_count(const struct nb_linear *linear)
{
    return linear->rows.count;
}

size_t nb_linear_column_count(const struct nb_linear *linear)
{
    return linear->columns.count;
}

double nb_linear_objective(const struct nb_linear *linear)
{
    return linear->objective;
}

double nb_linear_value(const struct nb_linear *linear, size_t column)
{
    assert(column < linear->columns.count);
    return linear->columns.line[column].result;
}

double nb_linear_dual(const struct nb_linear *linear, size_t row)
{
    assert(row < linear->rows.count);
    const struct nb_linear_line *line = &linear->rows.line[row];
    return line->sense == NB_AT_MOST ? -line->result : line->result;
}
