#include "bounds/linear/linear.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <assert.h>
#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A row or a column with its result in the last solution. */
struct linear_line {
    enum nb_linear_sense sense; /* for a row */
    double limit;               /* right-hand side, or upper end */
    double cost;                /* for a column */
    double result;              /* a column's value, a row's reduced cost */
    int basis;                  /* GLPK's status, together a basis; 0: new */
};

struct linear_lines {
    size_t count;
    size_t room;
    struct linear_line *line;
};

/*
 * GLPK's objects live for one solution only: its errors end in a jump that
 * leaves them unusable, its memory belongs to the thread that made it, and
 * copying a program costs nothing compared with solving it. The basis is kept
 * here, so that a solution can start from the last one.
 */
struct nb_linear {
    struct linear_lines rows;
    struct linear_lines columns;
    size_t entry_count;
    size_t entry_room;
    /* [1 + entry] in the form of glp_load_matrix, from 1. */
    int *entry_row;
    int *entry_column;
    double *entry_value;
    double objective;
};

/* GLPK's own limits; beyond them it ends in a fatal error. */
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
                                     struct linear_lines *lines, size_t count,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    const size_t entries = linear->entry_count + count;
    if (lines->count >= LINEAR_MOST_LINES || entries > LINEAR_MOST_ENTRIES)
        return nb_fail(err, NB_OVERFLOW,
                       "linear program of %zu lines and %zu entries "
                       "(permitted: %d and %d)",
                       lines->count + 1, entries, LINEAR_MOST_LINES,
                       LINEAR_MOST_ENTRIES);
    NB_TRY(nb_reserve(&lines->line, &lines->room, lines->count + 1,
                      sizeof *lines->line, "linear program", err));
    if (entries >= linear->entry_room) {
        const size_t capacity = 2 * entries + 64;
        NB_TRY(nb_grow(&linear->entry_row, capacity, sizeof(int),
                       "linear program", err));
        NB_TRY(nb_grow(&linear->entry_column, capacity, sizeof(int),
                       "linear program", err));
        NB_TRY(nb_grow(&linear->entry_value, capacity, sizeof(double),
                       "linear program", err));
        linear->entry_room = capacity;
    }
done:
    return status;
}

/* Entries of a new line; across: the arrays of the lines that cross it. */
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
    struct linear_lines *lines = &linear->columns;
    const enum nb_status status = linear_reserve(linear, lines, count, err);
    if (status != NB_OK)
        return status;
    assert(isfinite(cost) && most >= 0);
    if (index != NULL)
        *index = lines->count;
    lines->line[lines->count++] = (struct linear_line){
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
    struct linear_lines *lines = &linear->rows;
    const enum nb_status status = linear_reserve(linear, lines, count, err);
    if (status != NB_OK)
        return status;
    assert(isfinite(right));
    if (index != NULL)
        *index = lines->count;
    lines->line[lines->count++] = (struct linear_line){
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
    const struct linear_line *line = &linear->rows.line[row];
    return line->sense == NB_AT_MOST ? -line->result : line->result;
}

/* Maximum number of steps: ten times that of any program seen. */
enum { LINEAR_LEAST_STEPS = 10000, LINEAR_STEPS = 20 };

/* One solution. */
struct linear_run {
    struct nb_linear *linear;
    enum nb_linear_method method;
    double start, seconds;
    glp_prob *problem;
    glp_smcp control;
    int code;  /* GLPK's return code; 0: see found */
    int found; /* status of its solution */
    bool is_decided;
    jmp_buf failed;
    char message[160]; /* the last one; after a failure, the fatal error's */
};

/* [ms] Time between two of GLPK's reports, at which a stop is noticed. */
enum { LINEAR_REPORT = 200 };

/* Receives what GLPK would print: its reports and fatal errors, each of these
 * followed by its place in GLPK's source. Ends a solution that is stopped. */
static int linear_hear(void *info, const char *text)
{
    static const char place[] = "Error detected";
    struct linear_run *run = info;
    if (nb_run_is_stopped())
        longjmp(run->failed, 1);
    if (strncmp(text, place, sizeof place - 1) != 0)
        snprintf(run->message, sizeof run->message, "%.*s",
                 (int)strcspn(text, "\n"), text);
    return 1; /* heard: do not print */
}

static void linear_jump(void *info)
{
    struct linear_run *run = info;
    longjmp(run->failed, 1);
}

static void linear_copy_columns(const struct linear_lines *columns,
                                glp_prob *problem)
{
    if (columns->count > 0)
        glp_add_cols(problem, (int)columns->count);
    for (size_t k = 0; k < columns->count; k++) {
        const struct linear_line *line = &columns->line[k];
        const int type = isinf(line->limit) ? GLP_LO
                         : line->limit > 0  ? GLP_DB
                                            : GLP_FX;
        glp_set_obj_coef(problem, (int)k + 1, line->cost);
        glp_set_col_bnds(problem, (int)k + 1, type, 0, line->limit);
        glp_set_col_stat(problem, (int)k + 1,
                         line->basis != 0 ? line->basis : GLP_NL);
    }
}

static void linear_copy_rows(const struct linear_lines *rows, glp_prob *problem)
{
    if (rows->count > 0)
        glp_add_rows(problem, (int)rows->count);
    for (size_t k = 0; k < rows->count; k++) {
        const struct linear_line *line = &rows->line[k];
        const int type = line->sense == NB_EQUAL ? GLP_FX : GLP_UP;
        glp_set_row_bnds(problem, (int)k + 1, type, line->limit, line->limit);
        glp_set_row_stat(problem, (int)k + 1,
                         line->basis != 0 ? line->basis : GLP_BS);
    }
}

static void linear_keep(struct nb_linear *linear, glp_prob *problem)
{
    for (size_t k = 0; k < linear->columns.count; k++) {
        struct linear_line *line = &linear->columns.line[k];
        line->result = glp_get_col_prim(problem, (int)k + 1);
        line->basis = glp_get_col_stat(problem, (int)k + 1);
    }
    for (size_t k = 0; k < linear->rows.count; k++) {
        struct linear_line *line = &linear->rows.line[k];
        line->result = glp_get_row_dual(problem, (int)k + 1);
        line->basis = glp_get_row_stat(problem, (int)k + 1);
    }
    linear->objective = glp_get_obj_val(problem);
}

/* Sets GLPK's time limit, in ms, to the time left; at least 1, which GLPK
 * detects at the first step. */
static void linear_set_clock(struct linear_run *run)
{
    const double spent = nb_clock_now() - run->start;
    const double left = ceil(1e3 * (run->seconds - spent));
    run->control.tm_lim = left >= INT_MAX ? INT_MAX : left < 1 ? 1 : (int)left;
}

/* Whether GLPK's last result is conclusive. */
static bool linear_is_decided(struct linear_run *run)
{
    run->found = glp_get_status(run->problem);
    return run->code == GLP_ETMLIM ||
           (run->code == 0 &&
            (run->found == GLP_OPT || run->found == GLP_NOFEAS ||
             run->found == GLP_UNBND));
}

/*
 * Starts from the slack basis: from GLPK's "advanced" basis programs of
 * routings take twice as long. The dual method may fail, or end without a dual
 * feasible basis; then only the primal method can distinguish an infeasible
 * program from an unbounded one.
 */
static void linear_simplex(struct linear_run *run)
{
    run->control.meth = run->method == NB_LINEAR_PRIMAL ? GLP_PRIMAL : GLP_DUAL;
    linear_set_clock(run);
    /* The method may cycle where the program is nearly degenerate. */
    const double steps =
        LINEAR_LEAST_STEPS +
        LINEAR_STEPS * (double)(glp_get_num_rows(run->problem) +
                                glp_get_num_cols(run->problem));
    run->control.it_lim = steps < INT_MAX ? (int)steps : INT_MAX;
    run->code = glp_simplex(run->problem, &run->control);
    if (linear_is_decided(run))
        return;
    if (run->code != 0)
        glp_std_basis(run->problem);
    run->control.meth = GLP_PRIMAL;
    linear_set_clock(run);
    run->code = glp_simplex(run->problem, &run->control);
}

/* The part of a solution that runs inside GLPK. */
static void linear_work(struct linear_run *run)
{
    struct nb_linear *linear = run->linear;
    run->problem = glp_create_prob();
    linear_copy_rows(&linear->rows, run->problem);
    linear_copy_columns(&linear->columns, run->problem);
    if (linear->entry_count > 0)
        glp_load_matrix(run->problem, (int)linear->entry_count,
                        linear->entry_row, linear->entry_column,
                        linear->entry_value);
    glp_scale_prob(run->problem, GLP_SF_AUTO);
    glp_init_smcp(&run->control);
    run->control.msg_lev = GLP_MSG_ON;
    run->control.out_frq = LINEAR_REPORT;
    run->control.tol_bnd = run->control.tol_dj = 1e-9;
    linear_simplex(run);
    const bool is_empty = linear->rows.count == 0 || linear->columns.count == 0;
    if (run->method == NB_LINEAR_EXACT && !is_empty) {
        linear_set_clock(run);
        run->code = glp_exact(run->problem, &run->control);
    }
    run->is_decided = linear_is_decided(run);
    /* The method's values drift from those of its last basis; recomputed from
     * that basis they are accurate to a few roundings. */
    if (run->method != NB_LINEAR_EXACT && run->found == GLP_OPT &&
        glp_factorize(run->problem) == 0)
        glp_warm_up(run->problem);
    linear_keep(linear, run->problem);
    glp_delete_prob(run->problem);
}

/* Its own function, so that no local variable is alive across the jump.
 * Returns false after a fatal error. */
static bool linear_survives(struct linear_run *run)
{
    if (setjmp(run->failed) != 0)
        return false;
    linear_work(run);
    return true;
}

static enum nb_linear_end linear_end(const struct linear_run *run)
{
    if (!run->is_decided || run->code == GLP_ETMLIM)
        return NB_LINEAR_STOPPED;
    return run->found == GLP_OPT      ? NB_LINEAR_OPTIMAL
           : run->found == GLP_NOFEAS ? NB_LINEAR_INFEASIBLE
                                      : NB_LINEAR_UNBOUNDED;
}

/*
 * GLPK's environment belongs to the thread. If the caller has one, it is left
 * unchanged, except for its hooks, which cannot be queried. Otherwise whatever
 * a fatal error leaves behind is freed with the environment.
 */
enum nb_status nb_linear_solve(struct nb_linear *linear,
                               enum nb_linear_method method, double seconds,
                               enum nb_linear_end *end, struct nb_error *err)
{
    struct linear_run run = { .linear = linear,
                              .method = method,
                              .seconds = seconds };
    *end = NB_LINEAR_STOPPED;
    if (!(seconds > 0))
        return NB_OK;
    run.start = nb_clock_now();
    const int environment = glp_init_env();
    if (environment > 1)
        return nb_fail(err, NB_NO_MEMORY, "out of memory for GLPK");
    const int was_loud = glp_term_out(GLP_ON);
    glp_term_hook(linear_hear, &run);
    glp_error_hook(linear_jump, &run);
    const bool survived = linear_survives(&run);
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_term_out(was_loud);
    if (environment == 0)
        glp_free_env();
    if (survived) {
        *end = linear_end(&run);
        return NB_OK;
    }
    if (nb_run_is_stopped())
        return nb_run_check_stop(err);
    const bool is_memory = strstr(run.message, "memory") != NULL;
    return nb_fail(err, is_memory ? NB_NO_MEMORY : NB_NO_CONVERGENCE,
                   "linear program of %zu rows and %zu columns: GLPK: %s",
                   linear->rows.count, linear->columns.count, run.message);
}

enum nb_status nb_linear_row_init(struct nb_linear_row *row, size_t columns,
                                  struct nb_error *err)
{
    *row = (struct nb_linear_row){ 0 };
    row->place = nb_pool_array(&row->pool, columns, sizeof *row->place);
    row->value = nb_pool_array(&row->pool, columns, sizeof *row->value);
    row->at = nb_pool_array(&row->pool, columns, sizeof *row->at);
    return nb_pool_check(&row->pool, "a row of the linear program", err);
}

void nb_linear_row_release(struct nb_linear_row *row)
{
    nb_pool_release(&row->pool);
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

/* Removes entries that sum to zero; no more entries can be put. */
static void linear_row_tidy(struct nb_linear_row *row)
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

uint64_t nb_linear_row_hash(struct nb_linear_row *row)
{
    uint64_t sum = 0;
    double sign = 0;
    size_t least = SIZE_MAX;
    linear_row_tidy(row);
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
    linear_row_tidy(row);
    const enum nb_status status =
        linear == NULL ? NB_OK
                       : nb_linear_add_row(linear, sense, right, row->count,
                                           row->place, row->value, index, err);
    row->count = 0;
    return status;
}

enum nb_status nb_linear_row_add_column(struct nb_linear_row *column,
                                        struct nb_linear *linear, double cost,
                                        struct nb_error *err)
{
    linear_row_tidy(column);
    const enum nb_status status =
        nb_linear_add_column(linear, cost, INFINITY, column->count,
                             column->place, column->value, NULL, err);
    column->count = 0;
    return status;
}
