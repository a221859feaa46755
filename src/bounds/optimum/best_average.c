#include "bounds/optimum/best_average_work.h"

#include "core/clock.h"
#include "core/memory.h"

void nb_best_average_release(struct nb_best_average *best)
{
    nb_path_table_release(&best->paths);
    nb_delete(best->weights);
    *best = (struct nb_best_average){ 0 };
}

/* Solves the program, if it is not too large, and takes certificates of its
 * solution and, where that is not the end, of none. */
static enum nb_status average_solve(const struct nb_run *run, double deadline,
                                    struct nb_average_found *found,
                                    struct nb_error *err)
{
    struct nb_average_program program = { 0 };
    enum nb_linear_end end = NB_LINEAR_STOPPED;
    enum nb_status status = NB_OK;
    if (!found->average->here.is_too_large) {
        NB_TRY(nb_average_program_build(found->average, &program, err));
        NB_TRY(nb_average_program_solve(&program, run, deadline, &end, err));
        found->was_stopped =
            end == NB_LINEAR_STOPPED && nb_clock_now() >= deadline;
        found->variables = nb_linear_column_count(program.flows.linear);
        found->rows = nb_linear_row_count(program.flows.linear);
    }
    if (program.has_flow) {
        NB_TRY(nb_average_take_flows(&program, run, found, err));
        NB_TRY(nb_average_take_duals(&program, found, err));
    }
    if (end != NB_LINEAR_OPTIMAL)
        NB_TRY(nb_average_plain_paths(run, found, err));
done:
    nb_average_program_release(&program);
    return status;
}

enum nb_status nb_best_average_find(const struct nb_average_question *question,
                                    const struct nb_run *run,
                                    struct nb_best_average *out,
                                    struct nb_error *err)
{
    const double deadline = nb_clock_now() + question->seconds;
    struct nb_average_case average = { 0 };
    struct nb_average_found found = { .average = &average };
    /* Loops over permutations are short and many, not worth reporting. */
    struct nb_run quiet = run != NULL ? *run : (struct nb_run){ 0 };
    quiet.progress = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_best_average){ 0 };
    NB_TRY(nb_average_case_init(question, &average, err));
    found.lower = nb_enclosure_of_ratio(average.least);
    NB_TRY(average_solve(&quiet, deadline, &found, err));
    *out = found.best;
    found.best = (struct nb_best_average){ 0 };
    nb_average_conclude(&average, found.lower, out);
    out->variables = found.variables;
    out->rows = found.rows;
    out->was_stopped = found.was_stopped;
done:
    nb_average_case_release(&average);
    nb_best_average_release(&found.best);
    return status;
}
