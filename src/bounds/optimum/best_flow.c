#include "bounds/optimum/best_flow_work.h"

#include "core/memory.h"

/* Multiplicative weights come first: they find most of the paths, and soon a
 * routing not far from the best. Then, so many searches at most. */
#define FLOW_START_GAP 0.1
enum { FLOW_START_ROUNDS = 30 };

/* Where they must do alone. */
#define FLOW_LARGE_GAP 0.01
enum { FLOW_LARGE_ROUNDS = 1000 };

static enum nb_status flow_solve(struct nb_flow_work *work, bool *is_vertex,
                                 struct nb_error *err)
{
    const double gap = work->question->gap;
    bool is_solved = false;
    size_t added;
    enum nb_status status;
    NB_TRY(nb_flow_search(work, &added, err));
    nb_flow_keep(work, nb_flow_load(work));
    if (!work->is_large) {
        NB_TRY(nb_flow_weights_run(work, gap > 0 ? gap : FLOW_START_GAP,
                                   FLOW_START_ROUNDS, err));
        if (gap == 0 || !nb_flow_is_within(work, gap))
            NB_TRY(nb_flow_columns_run(work, &is_solved, err));
        /* If the solver failed, they must do alone after all. */
        work->is_large = true;
    }
    *is_vertex = is_solved;
    if (!is_solved)
        NB_TRY(nb_flow_weights_run(work, gap > 0 ? gap : FLOW_LARGE_GAP,
                                   FLOW_LARGE_ROUNDS, err));
done:
    return status;
}

enum nb_status nb_best_flow_find(const struct nb_best_flow_question *question,
                                 const struct nb_run *run,
                                 struct nb_best_flow *out, struct nb_error *err)
{
    struct nb_flow_work work = { 0 };
    bool is_vertex = false;
    enum nb_status status;
    *out = (struct nb_best_flow){ 0 };
    NB_TRY(nb_flow_check_question(question, err));
    const size_t channels = question->topology->channel_count;
    NB_TRY(nb_flow_work_init(question, run, &work, err));
    NB_TRY(nb_new(&out->length, channels, sizeof *out->length, "lengths", err));
    for (size_t c = 0; c < channels; c++)
        out->length[c] = 1;
    if (work.orbits.pair_count > 0) {
        NB_TRY(flow_solve(&work, &is_vertex, err));
        NB_TRY(nb_flow_round(&work, is_vertex, &out->paths, out->length, err));
    }
    out->rounds = work.rounds;
    out->was_stopped = work.was_stopped;
    NB_TRY(nb_best_flow_check(question, out, err));
done:
    nb_flow_work_release(&work);
    if (status != NB_OK)
        nb_best_flow_release(out);
    return status;
}

void nb_best_flow_release(struct nb_best_flow *flow)
{
    nb_path_table_release(&flow->paths);
    nb_delete(flow->length);
    *flow = (struct nb_best_flow){ 0 };
}
