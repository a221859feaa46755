/* Searching for paths of a best flow (declared in best_flow_work.h). */
#include "bounds/optimum/best_flow_work.h"

#include "core/memory.h"

#include <string.h>

/* The length of an orbit's shortest known path. */
static int64_t search_known(const struct nb_flow_work *work, size_t orbit)
{
    int64_t least = INT64_MAX;
    for (uint32_t p = work->newest[orbit]; p != NB_NONE;
         p = work->path[p].next) {
        const struct nb_flow_path *path = &work->path[p];
        int64_t sum = 0;
        for (uint32_t h = 0; h < path->length; h++)
            sum += work->length[work->channel[path->first + h]];
        least = sum < least ? sum : least;
    }
    return least;
}

/* Notes the path found for an orbit. */
static enum nb_status search_note(struct nb_flow_group *group,
                                  const struct nb_path_search *search,
                                  size_t orbit, uint32_t source,
                                  struct nb_error *err)
{
    const size_t length = nb_path_search_path(search, source, NULL);
    if (group->count + 2 + length > group->capacity) {
        const size_t capacity = 2 * (group->count + 2 + length);
        const enum nb_status status = nb_grow(
            &group->word, capacity, sizeof *group->word, "paths found", err);
        if (status != NB_OK)
            return status;
        group->capacity = capacity;
    }
    uint32_t *word = group->word + group->count;
    word[0] = (uint32_t)orbit;
    word[1] = (uint32_t)length;
    nb_path_search_path(search, source, word + 2);
    group->count += 2 + length;
    return NB_OK;
}

static enum nb_status search_task(void *context, int thread, size_t index,
                                  struct nb_error *err)
{
    struct nb_flow_work *work = context;
    struct nb_path_search *search = &work->search[thread];
    struct nb_flow_group *group = &work->group[index];
    enum nb_status status = NB_OK;
    group->count = 0;
    nb_path_search_run(search, group->destination, work->length);
    for (size_t o = group->begin; status == NB_OK && o < group->end; o++) {
        const uint32_t source = work->orbits.pair[o].source;
        const int64_t distance = nb_path_search_distance(search, source);
        if (distance == INT64_MAX)
            return nb_fail(err, NB_INVALID,
                           "no permitted path from router %u to %u, which "
                           "have traffic",
                           source, group->destination);
        work->distance[o] = distance;
        if (work->is_adding && distance < search_known(work, o) - work->margin)
            status = search_note(group, search, o, source, err);
    }
    return status;
}

static enum nb_status work_add_path(struct nb_flow_work *work, uint32_t orbit,
                                    const uint32_t *channel, uint32_t length,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (work->path_count == work->path_capacity) {
        const size_t capacity = 2 * work->path_capacity + 64;
        NB_TRY(
            nb_grow(&work->path, capacity, sizeof *work->path, "paths", err));
        work->path_capacity = capacity;
    }
    if (work->channel_count + length > work->channel_capacity) {
        const size_t capacity = 2 * (work->channel_count + length);
        NB_TRY(nb_grow(&work->channel, capacity, sizeof *work->channel, "paths",
                       err));
        work->channel_capacity = capacity;
    }
    memcpy(work->channel + work->channel_count, channel,
           length * sizeof *channel);
    work->path[work->path_count] = (struct nb_flow_path){
        .orbit = orbit,
        .length = length,
        .first = work->channel_count,
        .next = work->newest[orbit],
        .share = work->newest[orbit] == NB_NONE ? 1 : 0,
    };
    work->newest[orbit] = (uint32_t)work->path_count++;
    work->channel_count += length;
done:
    return status;
}

/* Keeps the prices if they prove more than the best. */
static void search_judge(struct nb_flow_work *work)
{
    const struct nb_flow_orbits *orbits = &work->orbits;
    double top = 0, bottom = 0;
    for (size_t o = 0; o < orbits->pair_count; o++)
        top += work->demand[o] * (double)work->distance[o];
    for (size_t k = 0; k < orbits->line_count; k++)
        bottom += work->band[k] * (double)work->length[orbits->line[k].channel];
    if (top / bottom > work->most_bound) {
        work->most_bound = top / bottom;
        memcpy(work->best_price, work->price,
               orbits->line_count * sizeof *work->price);
    }
}

enum nb_status nb_flow_measure(struct nb_flow_work *work, struct nb_error *err)
{
    return nb_run_tasks(&work->run, "shortest paths", work->group_count,
                        search_task, work, err);
}

enum nb_status nb_flow_search(struct nb_flow_work *work, size_t *added,
                              struct nb_error *err)
{
    const size_t before = work->path_count;
    enum nb_status status;
    nb_flow_lengths(work, work->price, work->length);
    work->is_adding = true;
    NB_TRY(nb_flow_measure(work, err));
    for (size_t g = 0; g < work->group_count; g++) {
        const struct nb_flow_group *group = &work->group[g];
        for (size_t at = 0; at < group->count; at += 2 + group->word[at + 1])
            NB_TRY(work_add_path(work, group->word[at], group->word + at + 2,
                                 group->word[at + 1], err));
    }
    *added = work->path_count - before;
    work->rounds++;
    search_judge(work);
done:
    work->is_adding = false;
    return status;
}
