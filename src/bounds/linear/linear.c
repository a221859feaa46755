#include "bounds/linear/linear_work.h"

#include "core/clock.h"

#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

/* Steps that the method may take: ten times as many as any program known. */
enum { LINEAR_LEAST_STEPS = 10000, LINEAR_STEPS = 20 };

/* One solution. */
struct linear_run {
    struct nb_linear *linear;
    enum nb_linear_method method;
    double start, seconds;
    glp_prob *problem;
    glp_smcp control;
    int code;  /* what GLPK returns; 0: see found */
    int found; /* status of its solution */
    bool is_decided;
    jmp_buf failed;
    char message[160]; /* of a fatal error */
};

/* Hears what GLPK would print, which its fatal errors do even when it is told
 * to be silent. */
static int linear_hear(void *info, const char *text)
{
    struct linear_run *run = info;
    const size_t used = strlen(run->message);
    const size_t length = strcspn(text, "\n");
    if (used == 0 && length < sizeof run->message)
        memcpy(run->message, text, length);
    return 1; /* heard: do not print */
}

static void linear_jump(void *info)
{
    struct linear_run *run = info;
    longjmp(run->failed, 1);
}

static void linear_copy_columns(const struct nb_linear_lines *columns,
                                glp_prob *problem)
{
    if (columns->count > 0)
        glp_add_cols(problem, (int)columns->count);
    for (size_t k = 0; k < columns->count; k++) {
        const struct nb_linear_line *line = &columns->line[k];
        const int type = isinf(line->limit) ? GLP_LO
                         : line->limit > 0  ? GLP_DB
                                            : GLP_FX;
        glp_set_obj_coef(problem, (int)k + 1, line->cost);
        glp_set_col_bnds(problem, (int)k + 1, type, 0, line->limit);
        glp_set_col_stat(problem, (int)k + 1,
                         line->basis != 0 ? line->basis : GLP_NL);
    }
}

static void linear_copy_rows(const struct nb_linear_lines *rows,
                             glp_prob *problem)
{
    if (rows->count > 0)
        glp_add_rows(problem, (int)rows->count);
    for (size_t k = 0; k < rows->count; k++) {
        const struct nb_linear_line *line = &rows->line[k];
        const int type = line->sense == NB_EQUAL ? GLP_FX : GLP_UP;
        glp_set_row_bnds(problem, (int)k + 1, type, line->limit, line->limit);
        glp_set_row_stat(problem, (int)k + 1,
                         line->basis != 0 ? line->basis : GLP_BS);
    }
}

static void linear_keep(struct nb_linear *linear, glp_prob *problem)
{
    for (size_t k = 0; k < linear->columns.count; k++) {
        struct nb_linear_line *line = &linear->columns.line[k];
        line->result = glp_get_col_prim(problem, (int)k + 1);
        line->basis = glp_get_col_stat(problem, (int)k + 1);
    }
    for (size_t k = 0; k < linear->rows.count; k++) {
        struct nb_linear_line *line = &linear->rows.line[k];
        line->result = glp_get_row_dual(problem, (int)k + 1);
        line->basis = glp_get_row_stat(problem, (int)k + 1);
    }
    linear->objective = glp_get_obj_val(problem);
}

/* Sets GLPK's time limit, in ms, to what is left; at least 1, which it
 * notices at the first step. */
static void linear_set_clock(struct linear_run *run)
{
    const double spent = nb_clock_now() - run->start;
    const double left = ceil(1e3 * (run->seconds - spent));
    run->control.tm_lim = left >= INT_MAX ? INT_MAX : left < 1 ? 1 : (int)left;
}

/* Whether GLPK's last answer is one. */
static bool linear_is_decided(struct linear_run *run)
{
    run->found = glp_get_status(run->problem);
    return run->code == GLP_ETMLIM ||
           (run->code == 0 &&
            (run->found == GLP_OPT || run->found == GLP_NOFEAS ||
             run->found == GLP_UNBND));
}

/*
 * The slack basis is the start, not GLPK's "advanced" one, from which programs
 * of routings take twice as long. The dual method may fail, or end without a
 * dual feasible basis, when only the primal method tells an infeasible program
 * from an unbounded one.
 */
static void linear_simplex(struct linear_run *run)
{
    run->control.meth = run->method == NB_LINEAR_PRIMAL ? GLP_PRIMAL : GLP_DUAL;
    linear_set_clock(run);
    /* It may go round in circles where the program is nearly degenerate. */
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

/* All of a solution that happens in GLPK. */
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
    run->control.msg_lev = GLP_MSG_OFF;
    run->control.tol_bnd = run->control.tol_dj = 1e-9;
    linear_simplex(run);
    const bool is_empty = linear->rows.count == 0 || linear->columns.count == 0;
    if (run->method == NB_LINEAR_EXACT && !is_empty) {
        linear_set_clock(run);
        run->code = glp_exact(run->problem, &run->control);
    }
    run->is_decided = linear_is_decided(run);
    /* The method drifts from the values of its last basis; once more from
     * there they are right to a few roundings. */
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
 * GLPK's environment is of the thread; one that a caller has is left as it was
 * but for hooks, which cannot be asked for. What a fatal error leaves behind
 * goes with the environment.
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
        return nb_fail(err, NB_NO_MEMORY, "no memory for GLPK");
    const int was_loud = glp_term_out(GLP_OFF);
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
    const bool is_memory = strstr(run.message, "memory") != NULL;
    return nb_fail(err, is_memory ? NB_NO_MEMORY : NB_NO_CONVERGENCE,
                   "linear program of %zu rows and %zu columns: GLPK: %s",
                   linear->rows.count, linear->columns.count, run.message);
}
