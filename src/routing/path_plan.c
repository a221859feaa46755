#include "routing/path_plan.h"

#include "core/memory.h"

#include <stdlib.h>

/* A rest that was found, and where it belongs. */
struct plan_rest {
    uint32_t router;
    uint32_t state;
    struct nb_path_rest rest;
};

/* A building under way, one destination after another. */
struct plan_work {
    const struct nb_path_table *table;
    const struct nb_topology *topology;
    struct nb_path_plan *plan;
    size_t *order;          /* [most paths] those to the destination by ends */
    struct plan_rest *made; /* [most hops] rests of these paths */
    size_t made_count;
    uint32_t *state; /* [router_count] of the last path's rests, by the hops
                      * that they have left */
    uint32_t *count; /* [router] of rests there */
};

static size_t plan_more(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* A path's channel, counted from its end, 1 being the last. */
static uint32_t plan_channel(const struct nb_path_table *table,
                             const struct nb_table_path *path, uint32_t left)
{
    return table->channel[path->first + path->length - left];
}

/* The number of last hops that two paths share. */
static uint32_t plan_shared(const struct nb_path_table *table,
                            const struct nb_table_path *a,
                            const struct nb_table_path *b)
{
    uint32_t left = 0;
    while (left < a->length && left < b->length &&
           plan_channel(table, a, left + 1) == plan_channel(table, b, left + 1))
        left++;
    return left;
}

/* By channels from the end: paths that share more hops stand together. */
static int plan_compare(const void *left, const void *right, void *context)
{
    const struct nb_path_table *table = context;
    const struct nb_table_path *a = &table->path[*(const size_t *)left];
    const struct nb_table_path *b = &table->path[*(const size_t *)right];
    const uint32_t shared = plan_shared(table, a, b);
    if (shared == a->length || shared == b->length)
        return (a->length > b->length) - (a->length < b->length);
    return plan_channel(table, a, shared + 1) <
                   plan_channel(table, b, shared + 1)
               ? -1
               : 1;
}

/* Adds what a path does not share with the one before in order. */
static void plan_add_path(struct plan_work *work,
                          const struct nb_table_path *path, uint32_t shared)
{
    for (uint32_t left = shared + 1; left <= path->length; left++) {
        const uint32_t channel = plan_channel(work->table, path, left);
        const uint32_t router = work->topology->channels[channel].source;
        work->state[left] = work->count[router]++;
        work->made[work->made_count++] = (struct plan_rest){
            .router = router,
            .state = work->state[left],
            .rest = { .channel = channel, .next = work->state[left - 1] },
        };
    }
}

/* The rests found, listed by router. */
static void plan_place(struct plan_work *work, size_t pair)
{
    const size_t n = work->topology->router_count;
    struct nb_path_plan *plan = work->plan;
    for (size_t r = 0; r < n; r++) {
        plan->rest_of[pair + r + 1] = plan->rest_of[pair + r] + work->count[r];
        plan->state_count = plan_more(plan->state_count, work->count[r]);
        work->count[r] = 0;
    }
    for (size_t i = 0; i < work->made_count; i++) {
        const struct plan_rest *made = &work->made[i];
        plan->rest[plan->rest_of[pair + made->router] + made->state] =
            made->rest;
    }
    work->made_count = 0;
}

static void plan_add_destination(struct plan_work *work, size_t destination)
{
    const size_t n = work->topology->router_count, pair = destination * n;
    const struct nb_path_table *table = work->table;
    struct nb_path_plan *plan = work->plan;
    const size_t first = plan->start_of[pair];
    const size_t count = plan->start_of[pair + n] - first;
    for (size_t i = 0; i < count; i++)
        work->order[i] = first + i;
    if (count > 1)
        qsort_r(work->order, count, sizeof *work->order, plan_compare,
                (void *)table);
    for (size_t i = 0; i < count; i++) {
        const size_t p = work->order[i];
        const struct nb_table_path *path = &table->path[p];
        plan_add_path(
            work, path,
            i > 0 ? plan_shared(table, &table->path[work->order[i - 1]], path)
                  : 0);
        plan->start[p] =
            (struct nb_path_start){ .weight = path->weight,
                                    .state = work->state[path->length] };
    }
    plan_place(work, pair);
}

/* Room for everything; a table has no more rests than hops. */
static enum nb_status plan_reserve(struct plan_work *work, struct nb_error *err)
{
    const struct nb_path_table *table = work->table;
    const size_t n = work->topology->router_count, pairs = n * n + 1;
    const char *what = "states of a routing";
    enum nb_status status;
    NB_TRY(nb_memory_require(2.0 * (double)n * (double)n * sizeof(size_t), what,
                             err));
    NB_TRY(nb_new(&work->plan,
                  sizeof *work->plan + 2 * pairs * sizeof(size_t) +
                      table->path_count * sizeof(struct nb_path_start) +
                      table->channel_count * sizeof(struct nb_path_rest),
                  1, what, err));
    struct nb_path_plan *plan = work->plan;
    plan->start_of = (size_t *)(plan + 1);
    plan->rest_of = plan->start_of + pairs;
    plan->start = (struct nb_path_start *)(plan->rest_of + pairs);
    plan->rest = (struct nb_path_rest *)(plan->start + table->path_count);
    plan->state_count = plan->most_starts = 1;
    nb_path_table_index(table, n, plan->start_of);
    size_t most_paths = 0, most_hops = 0;
    for (size_t d = 0; d < n; d++) {
        size_t hops = 0;
        for (size_t p = plan->start_of[d * n]; p < plan->start_of[d * n + n];
             p++)
            hops += table->path[p].length;
        most_paths = plan_more(most_paths, plan->start_of[d * n + n] -
                                               plan->start_of[d * n]);
        most_hops = plan_more(most_hops, hops);
    }
    NB_TRY(nb_new(&work->order, most_paths, sizeof *work->order, what, err));
    NB_TRY(nb_new(&work->made, most_hops, sizeof *work->made, what, err));
    NB_TRY(nb_new(&work->state, n, sizeof *work->state, what, err));
    NB_TRY(nb_new(&work->count, n, sizeof *work->count, what, err));
done:
    return status;
}

enum nb_status nb_path_plan_build(const struct nb_path_table *table,
                                  const struct nb_topology *topology,
                                  struct nb_path_plan **plan,
                                  struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct plan_work work = { .table = table, .topology = topology };
    enum nb_status status;
    *plan = NULL;
    NB_TRY(plan_reserve(&work, err));
    for (size_t d = 0; d < n; d++)
        plan_add_destination(&work, d);
    for (size_t k = 0; k < n * n; k++)
        work.plan->most_starts =
            plan_more(work.plan->most_starts,
                      work.plan->start_of[k + 1] - work.plan->start_of[k]);
    *plan = work.plan;
done:
    nb_delete(work.order);
    nb_delete(work.made);
    nb_delete(work.state);
    nb_delete(work.count);
    if (status != NB_OK)
        nb_delete(work.plan);
    return status;
}
