/* Certificates of right answers, changed: whatever a question's check accepts
 * and derives from them agrees with the answer. An input is a list of
 * changes. */
#include "../support/fuzz.h"
#include "../support/fuzz_question.h"
#include "../support/scratch.h"

#include "core/memory.h"
#include "ask/question.h"
#include "report/tree.h"

#include <stdio.h>
#include <string.h>

static const char *const certificate_lines[] = {
    "worst-case --topology torus:3x3 --routing dor",
    "worst-case --topology mesh:3x2 --routing min",
    "worst-case --topology ring:4,terminals=2 --routing val",
    "worst-case --topology ring:5 --routing dor --unbalanced",
    "worst-case --topology mesh:2x3 --routing any-minimal",
    "worst-case --topology ring:4,terminals=2 --routing any-minimal",
    "deadlock --topology ring:4 --routing dor",
    "deadlock --topology mesh:3x2 --routing min",
    "deadlock --topology ring:3 --routing dor --messages 2",
    "deadlock --topology mesh:2x2 --messages 2 --virtual-networks 2",
    "deadlock --topology torus:3x3 --routing min-adaptive",
    "audit --topology ring:4 --alone --matchings 2 --cables 2",
    "optimum --topology ring:5 --traffic tornado",
    "optimum --topology ring:5 --traffic tornado --paths minimal",
    "optimum --topology mesh:2x3 --traffic uniform",
    "optimum --topology ring:4 --worst-case",
    "optimum --topology ring:4 --worst-case --locality",
    "optimum --topology mesh:2x3 --worst-case --paths minimal",
    "optimum --topology ring:4 --worst-case --unbalanced",
    "optimum --topology ring:4 --average --count 3",
    "optimum --topology ring:5 --adversary --paths minimal",
    "optimum --topology ring:4 --traffic tornado --routing ugal",
};
enum { LINES = sizeof certificate_lines / sizeof *certificate_lines };

/* The answers, and a file for each. */
static struct nb_report certificate_right[LINES];

static const char *certificate_path(uint32_t line)
{
    char name[20];
    snprintf(name, sizeof name, "right-%u.xml", line);
    return fuzz_path(name);
}

static void certificate_prepare(void)
{
    for (uint32_t i = 0; i < LINES; i++) {
        struct nb_error err = { 0 };
        struct nb_text text = { 0 };
        fuzz_ask(certificate_lines[i], &certificate_right[i], &err);
        FUZZ_CHECK(err.status == NB_OK, "%s: %s", certificate_lines[i],
                   err.message);
        nb_report_write(&certificate_right[i], NB_FORMAT_XML, NULL, &text,
                        &err);
        nb_scratch_write(certificate_path(i), text.bytes, text.length);
        nb_text_release(&text);
    }
}

/* A table of a certificate that has rows; NULL: there is none. */
static struct nb_table *certificate_choose(struct fuzz_choices *choices,
                                           struct nb_point *point)
{
    const size_t first = fuzz_choose(choices, 16);
    for (size_t i = 0; i < point->table_count; i++) {
        struct nb_table *table =
            &point->tables[(first + i) % point->table_count];
        if (table->is_certificate && table->row_count > 0 &&
            !nb_table_has_text(table))
            return table;
    }
    return NULL;
}

static void certificate_change_cell(struct fuzz_choices *choices,
                                    enum nb_cell_type type, union nb_cell *cell)
{
    static const int64_t steps[] = { 1, -1, 2, -2, 7, 1000000 };
    const uint32_t way = fuzz_choose(choices, 9);
    const int64_t step = way < 6 ? steps[way] : 0;
    if (type == NB_CELL_WHOLE) {
        cell->whole = way < 6
                          ? (int64_t)((uint64_t)cell->whole + (uint64_t)step)
                      : way == 6 ? (int64_t)(2 * (uint64_t)cell->whole)
                      : way == 7 ? cell->whole / 2
                                 : (int64_t)(0 - (uint64_t)cell->whole);
    } else if (type == NB_CELL_NUMBER) {
        cell->number = way < 6    ? cell->number + 0.125 * (double)step
                       : way == 6 ? 2 * cell->number
                       : way == 7 ? cell->number * (1 + 1e-9)
                                  : -cell->number;
    } else if (way == 8) {
        cell->ratio = (struct nb_ratio){ 0 };
    } else {
        cell->ratio = nb_ratio_add(
            cell->ratio,
            (struct nb_ratio){ step + 3 * (way > 5), way % 2 == 0 ? 1 : 12 });
    }
}

/* Repeats or removes the row at index at. */
static void certificate_repeat_row(struct nb_table *table, size_t at,
                                   bool is_twice)
{
    const size_t width = table->column_count, end = table->row_count;
    if (is_twice && nb_grow(&table->cells, (end + 1) * width,
                            sizeof *table->cells, "cells", NULL) != NB_OK)
        return;
    memmove(table->cells + (at + is_twice) * width,
            table->cells + (at + !is_twice) * width,
            (end - at - !is_twice) * width * sizeof *table->cells);
    table->row_count = end + is_twice - !is_twice;
    table->cell_count = table->row_count * width;
}

static void certificate_change(struct fuzz_choices *choices,
                               struct nb_point *point)
{
    struct nb_table *table = certificate_choose(choices, point);
    if (table == NULL)
        return;
    const size_t width = table->column_count;
    const uint32_t most =
        table->row_count < 1 << 16 ? (uint32_t)table->row_count : 1 << 16;
    const size_t a = fuzz_choose(choices, most), b = fuzz_choose(choices, most);
    const size_t column = fuzz_choose(choices, (uint32_t)width);
    const enum nb_cell_type type = table->columns[column].type;
    union nb_cell *one = &table->cells[a * width + column];
    union nb_cell *other = &table->cells[b * width + column];
    const union nb_cell kept = *one;
    switch (fuzz_choose(choices, 6)) {
    case 0: /* of all rows */
        for (size_t row = 0; row < table->row_count; row++) {
            struct fuzz_choices same = *choices;
            certificate_change_cell(&same, type,
                                    &table->cells[row * width + column]);
        }
        break;
    case 1:
        *one = *other;
        break;
    case 2:
        *one = *other;
        *other = kept;
        break;
    case 3:
    case 4:
        certificate_repeat_row(table, a, fuzz_choose(choices, 2) == 0);
        break;
    default:
        certificate_change_cell(choices, type, one);
        break;
    }
}

/* A changed certificate may prove less, but nothing different. */
static void certificate_compare(const char *line, const struct nb_point *right,
                                const struct nb_point *proved)
{
    FUZZ_CHECK(right->quantity_count == proved->quantity_count,
               "%s: %zu quantities, %zu expected", line, proved->quantity_count,
               right->quantity_count);
    for (size_t i = 0; i < right->quantity_count; i++) {
        const struct nb_quantity *a = &right->quantities[i];
        const struct nb_quantity *b = &proved->quantities[i];
        FUZZ_CHECK(strcmp(a->name, b->name) == 0, "%s: %s, expected %s", line,
                   b->name, a->name);
        /* These report the given solution; those after the second one depend on
         * it. */
        if (strcmp(a->name, "duality_gap") == 0)
            continue;
        if (strcmp(a->name, "required_worst_case_throughput") == 0 &&
            a->value != b->value)
            return;
        FUZZ_CHECK(
            !nb_ratio_is_known(a->exact) || !nb_ratio_is_known(b->exact) ||
                nb_ratio_compare(a->exact, b->exact) == 0,
            "%s: %s %.17g, expected %.17g", line, a->name, b->value, a->value);
        FUZZ_CHECK(!(a->upper < b->lower) && !(b->upper < a->lower),
                   "%s: %s from %.17g to %.17g, expected from %.17g to %.17g",
                   line, a->name, b->lower, b->upper, a->lower, a->upper);
    }
}

static void certificate_check(uint32_t line, const struct nb_point *given)
{
    const struct nb_report *right = &certificate_right[line];
    const struct nb_question_kind *kind =
        nb_question_find(right->model.command);
    const struct nb_question question = { .model = &right->model,
                                          .run = { .threads = 1 },
                                          .is_checked = true };
    struct nb_point proved = { 0 };
    struct nb_text said = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(
        nb_question_check(kind, &question, given, &proved, &said, &err), &err);
    FUZZ_CHECK(err.status == NB_OK || err.status == NB_REFUTED, "%s: %s",
               certificate_lines[line], err.message);
    if (err.status == NB_OK)
        certificate_compare(certificate_lines[line], right->points, &proved);
    nb_text_release(&said);
    nb_point_release(&proved);
}

static void certificate(const uint8_t *bytes, size_t length)
{
    struct fuzz_choices choices = { bytes, length };
    struct nb_report given = { 0 };
    bool is_digest_right;
    fuzz_once(certificate_prepare);
    const uint32_t line = fuzz_choose(&choices, LINES);
    FUZZ_CHECK(nb_report_read_file(certificate_path(line), &given,
                                   &is_digest_right, NULL) == NB_OK,
               "%s", certificate_lines[line]);
    for (int i = 0; i < 20 && choices.left > 0; i++)
        certificate_change(&choices, given.points);
    certificate_check(line, given.points);
    nb_report_release(&given);
}

FUZZ_TARGET(certificate)
