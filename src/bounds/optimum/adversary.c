#include "bounds/optimum/adversary_work.h"

#include "core/clock.h"
#include "core/memory.h"

/* The tasks: task i is the i-th descent. */
struct adversary_search {
    const struct nb_adversary_question *question;
    int threads;
    double end;                     /* [s] on the monotonic clock */
    struct nb_adversary_work *work; /* [threads] */
};

void nb_adversary_end_release(struct nb_adversary_end *end)
{
    nb_delete(end->permutation);
    nb_best_flow_release(&end->flow);
    *end = (struct nb_adversary_end){ 0 };
}

/* Each descent may take as much of the time left as those that follow on its
 * thread; the first is made, as far as one bracket, however little there is. */
static enum nb_status adversary_task(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    const struct adversary_search *search = context;
    struct nb_adversary_work *work = &search->work[thread];
    const size_t threads = (size_t)search->threads;
    const size_t turns =
        (search->question->starts - index + threads - 1) / threads;
    const double now = nb_clock_now();
    if (index > 0 && now >= search->end) {
        work->was_stopped = true;
        return NB_OK;
    }
    work->deadline = now + (search->end - now) / (double)turns;
    return nb_adversary_descend(work, index, err);
}

static enum nb_status adversary_search_init(struct adversary_search *search,
                                            const struct nb_sides *sides,
                                            struct nb_error *err)
{
    const double n = (double)sides->count;
    enum nb_status status;
    /* A matching takes half a matrix more. */
    NB_TRY(nb_memory_require(1.5 * search->threads * n * n * sizeof(int64_t),
                             "distances", err));
    NB_TRY(nb_new(&search->work, (size_t)search->threads, sizeof *search->work,
                  "adversary", err));
    for (int t = 0; t < search->threads; t++) {
        search->work[t].question = search->question;
        search->work[t].sides = sides;
        search->work[t].run.threads = 1;
        NB_TRY(nb_adversary_work_init(&search->work[t], err));
    }
done:
    return status;
}

static void adversary_search_release(struct adversary_search *search)
{
    for (int t = 0; t < search->threads && search->work != NULL; t++)
        nb_adversary_work_release(&search->work[t]);
    nb_delete(search->work);
}

/* What the threads found, together. */
static void adversary_conclude(struct adversary_search *search,
                               struct nb_adversary *out)
{
    struct nb_adversary_end *best = &search->work[0].best;
    for (int t = 0; t < search->threads; t++) {
        nb_adversary_keep(best, &search->work[t].best);
        out->evaluated += search->work[t].evaluated;
        out->was_stopped = out->was_stopped || search->work[t].was_stopped;
    }
    out->permutation = best->permutation;
    out->best = best->flow;
    *best = (struct nb_adversary_end){ 0 };
}

enum nb_status nb_adversary_find(const struct nb_adversary_question *question,
                                 const struct nb_run *run,
                                 struct nb_adversary *out, struct nb_error *err)
{
    struct adversary_search search = {
        .question = question,
        .threads = nb_run_threads(run, question->starts),
        .end = nb_clock_now() + question->seconds,
    };
    enum nb_status status;
    *out = (struct nb_adversary){ 0 };
    NB_TRY(nb_sides_find(question->topology, &out->sides, err));
    NB_TRY(adversary_search_init(&search, &out->sides, err));
    NB_TRY(nb_run_tasks(run, "descents", question->starts, adversary_task,
                        &search, err));
    adversary_conclude(&search, out);
done:
    adversary_search_release(&search);
    if (status != NB_OK)
        nb_adversary_release(out);
    return status;
}

void nb_adversary_release(struct nb_adversary *adversary)
{
    nb_sides_release(&adversary->sides);
    nb_delete(adversary->permutation);
    nb_best_flow_release(&adversary->best);
    *adversary = (struct nb_adversary){ 0 };
}
