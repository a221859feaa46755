#include "bounds/linear/linear_row.h"

#include "core/memory.h"

enum nb_status nb_linear_row_init(struct nb_linear_row *row, size_t columns,
                                  struct nb_error *err)
{
    const char *what = "a row of the linear program";
    enum nb_status status = NB_OK;
    *row = (struct nb_linear_row){ 0 };
    NB_TRY(nb_new(&row->place, columns, sizeof *row->place, what, err));
    NB_TRY(nb_new(&row->value, columns, sizeof *row->value, what, err));
    NB_TRY(nb_new(&row->at, columns, sizeof *row->at, what, err));
done:
    if (status != NB_OK)
        nb_linear_row_release(row);
    return status;
}

void nb_linear_row_release(struct nb_linear_row *row)
{
    nb_delete(row->place);
    nb_delete(row->value);
    nb_delete(row->at);
    *row = (struct nb_linear_row){ 0 };
}

void nb_linear_row_put(struct nb_linear_row *row, size_t column, double value)
{
    if (row->at[column] == 0) {
        row->place[row->count] = column;
        row->value[row->count] = 0;
        row->at[column] = ++row->count;
    }
    row->value[row->at[column] - 1] += value;
}

void nb_linear_row_tidy(struct nb_linear_row *row)
{
    size_t kept = 0;
    for (size_t i = 0; i < row->count; i++) {
        row->at[row->place[i]] = 0;
        if (row->value[i] == 0)
            continue;
        row->place[kept] = row->place[i];
        row->value[kept++] = row->value[i];
    }
    row->count = kept;
}

uint64_t nb_linear_row_hash(const struct nb_linear_row *row)
{
    uint64_t sum = 0;
    double sign = 0;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < row->count; i++)
        if (row->place[i] < least) {
            least = row->place[i];
            sign = row->value[i] < 0 ? -1 : 1;
        }
    for (size_t i = 0; i < row->count; i++) {
        uint64_t mixed = row->place[i] * UINT64_C(0x9E3779B97F4A7C15) +
                         (uint64_t)(int64_t)(sign * row->value[i] * 1024);
        mixed = (mixed ^ (mixed >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
        sum += mixed ^ (mixed >> 32);
    }
    return sum;
}

enum nb_status nb_linear_row_add(struct nb_linear_row *row,
                                 struct nb_linear *linear,
                                 enum nb_linear_sense sense, double right,
                                 size_t *index, struct nb_error *err)
{
    const enum nb_status status =
        linear == NULL ? NB_OK
                       : nb_linear_add_row(linear, sense, right, row->count,
                                           row->place, row->value, index, err);
    row->count = 0;
    return status;
}
