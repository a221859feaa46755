/* least, largest, total and count over the rows of a table (declared in
 * expression_work.h). */
#include "explain/expression_work.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum gather { GATHER_LEAST, GATHER_LARGEST, GATHER_TOTAL, GATHER_COUNT };

/* The first table that is named between here and the end. */
static const struct nb_table *gather_table(const struct nb_reading *reading)
{
    const struct nb_point *point = reading->subject->point;
    struct nb_reading look = *reading;
    for (; look.at < look.end; look.at++) {
        const struct nb_stretch word = nb_reading_word(&look, false);
        if (word.length == 0)
            continue;
        for (size_t i = 0; i < point->table_count; i++)
            if (nb_stretch_is(word, point->tables[i].name))
                return &point->tables[i];
        look.at += word.length - 1;
    }
    return NULL;
}

/* The expression in one row, and whether the row is one of those meant; the
 * reading is then behind the closing bracket. */
static bool gather_row(struct nb_reading *reading, struct nb_figure *out)
{
    bool is_meant = true;
    *out = nb_reading_sum(reading);
    if (nb_reading_take(reading, "where")) {
        const struct nb_figure a = nb_reading_sum(reading);
        const bool has_both = nb_reading_take(reading, "=");
        is_meant = nb_reading_sum(reading).value == a.value;
        reading->has_failed |= !has_both;
    }
    reading->has_failed |= !nb_reading_take(reading, ")");
    return is_meant;
}

static struct nb_figure figure_add(struct nb_figure a, struct nb_figure b)
{
    const struct nb_ratio exact = nb_ratio_add(a.exact, b.exact);
    if (nb_ratio_is_known(exact))
        return nb_figure_of_ratio(exact);
    return (struct nb_figure){ a.value + b.value, exact };
}

/* Goes through all rows; best: out, that of the extreme, or row_count. */
static struct nb_figure gather_rows(struct nb_reading *reading,
                                    const struct nb_table *table,
                                    enum gather how, size_t *best)
{
    struct nb_figure found = nb_figure_of_ratio(nb_ratio_zero);
    struct nb_reading inner = *reading;
    *best = table->row_count;
    for (size_t row = 0; row < table->row_count && !inner.has_failed; row++) {
        struct nb_figure here;
        inner = *reading;
        inner.table = table;
        inner.row = row;
        inner.numbers = NULL;
        inner.symbols = row == 0 ? reading->symbols : NULL;
        if (!gather_row(&inner, &here))
            continue;
        const bool is_better = *best == table->row_count ||
                               (how == GATHER_LEAST ? here.value < found.value
                                                    : here.value > found.value);
        if (how == GATHER_TOTAL)
            found = figure_add(found, here);
        else if (is_better)
            found = here;
        if (is_better)
            *best = row;
    }
    reading->has_failed |= inner.has_failed;
    reading->at = inner.at;
    return found;
}

/* "largest(" and the numbers of the row that decides, or the total. */
static void gather_print(struct nb_reading *start, const struct nb_table *table,
                         enum gather how, size_t best, struct nb_figure found,
                         struct nb_stretch name)
{
    struct nb_figure again;
    if (start->numbers == NULL)
        return;
    if (how == GATHER_TOTAL || how == GATHER_COUNT ||
        best == table->row_count) {
        nb_figure_print(found, start->numbers);
        return;
    }
    nb_text_add(start->numbers, name.at, name.length);
    nb_text_print(start->numbers, "(..., ");
    start->table = table;
    start->row = best;
    start->symbols = NULL;
    again = nb_reading_sum(start);
    (void)again;
    nb_text_print(start->numbers, ", ...)");
}

bool nb_reading_gather(struct nb_reading *reading, struct nb_stretch name,
                       struct nb_figure *out)
{
    static const char *const names[] = { "least", "largest", "total", "count" };
    enum gather how = GATHER_LEAST;
    while (how <= GATHER_COUNT && !nb_stretch_is(name, names[how]))
        how++;
    if (how > GATHER_COUNT)
        return false;
    reading->at++; /* the bracket */
    const struct nb_table *table = gather_table(reading);
    struct nb_reading start = *reading;
    size_t best;
    *out = (struct nb_figure){ NAN, { 0, 0 } };
    if (table == NULL) {
        nb_reading_fail(reading);
        return true;
    }
    if (how == GATHER_COUNT) {
        *out = nb_figure_of_double((double)table->row_count);
        reading->at += strlen(table->name);
        best = table->row_count;
        reading->numbers = NULL;
        reading->has_failed |= !nb_reading_take(reading, ")");
    } else if (table->row_count == 0) {
        nb_reading_fail(reading);
        return true;
    } else {
        *out = gather_rows(reading, table, how, &best);
    }
    reading->numbers = start.numbers;
    gather_print(&start, table, how, best, *out, name);
    return true;
}
