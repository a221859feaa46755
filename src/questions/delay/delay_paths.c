#include "questions/delay/delay_paths.h"

#include "questions/queue_options.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { PATHS_RADIX = 16 }; /* unless the options say something else */

enum nb_status nb_delay_paths_reserve(struct nb_delay_paths *paths,
                                      size_t queue_count, size_t path_count,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&paths->queues, queue_count, sizeof *paths->queues, "queues",
                  err));
    paths->queue_count = queue_count;
    NB_TRY(nb_new(&paths->delay.paths, path_count, sizeof *paths->delay.paths,
                  "paths", err));
    paths->delay.path_count = path_count;
done:
    return status;
}

void nb_delay_paths_release(struct nb_delay_paths *paths)
{
    for (size_t i = 0; i < paths->queue_count; i++) {
        nb_arrivals_release(&paths->queues[i].arrivals);
        nb_law_release(&paths->queues[i].hop.law);
    }
    nb_delete(paths->queues);
    nb_delay_release(&paths->delay);
    *paths = (struct nb_delay_paths){ 0 };
}

enum nb_status nb_delay_paths_alike(size_t count, struct nb_queue_load load,
                                    const struct nb_arrivals *arrivals,
                                    struct nb_delay_paths *out,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_delay_paths_reserve(out, 1, 1, err));
    NB_TRY(nb_delay_path_reserve(out->delay.paths, count, err));
    out->queues[0].load = load;
    out->queues[0].arrivals = *arrivals;
    out->delay.paths[0].weight = nb_ratio_one;
    for (size_t i = 0; i < count; i++)
        out->delay.paths[0].hops[i] = &out->queues[0].hop;
done:
    return status;
}

static enum nb_status paths_refuse_loads(const char *text, struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "loads \"%.60s\" is not permitted (permitted: 1 to %d "
                   "numbers from 0 to 1e6, as 0.9,0.8 or 0.9+0.8)",
                   text, NB_DELAY_HOPS);
}

/* Reads "0.9,0.8" or "0.9+0.8" into loads[NB_DELAY_HOPS]. */
static enum nb_status paths_read_loads(const char *text, struct nb_ratio *loads,
                                       size_t *count, struct nb_error *err)
{
    *count = 0;
    for (const char *part = text; part != NULL;) {
        char digits[64] = "";
        const size_t length = strcspn(part, ",+");
        struct nb_ratio load;
        if (length < sizeof digits)
            memcpy(digits, part, length);
        if (*count == NB_DELAY_HOPS ||
            nb_ratio_read(digits, &load, NULL) != NB_OK || load.numerator < 0 ||
            nb_ratio_value(load) > 1e6)
            return paths_refuse_loads(text, err);
        loads[(*count)++] = load;
        part = part[length] != '\0' ? part + length + 1 : NULL;
    }
    return NB_OK;
}

/* One queue after the other, equal neighbours being one kind. */
static enum nb_status paths_by_loads(const char *text,
                                     const struct nb_arrivals *arrivals,
                                     struct nb_delay_paths *out,
                                     struct nb_error *err)
{
    struct nb_ratio loads[NB_DELAY_HOPS];
    struct nb_delay_queue *queue = NULL;
    size_t count;
    enum nb_status status = NB_OK;
    NB_TRY(paths_read_loads(text, loads, &count, err));
    NB_TRY(nb_delay_paths_reserve(out, count, 1, err));
    NB_TRY(nb_delay_path_reserve(out->delay.paths, count, err));
    out->queue_count = 0;
    out->delay.paths[0].weight = nb_ratio_one;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || nb_ratio_compare(loads[i], loads[i - 1]) != 0) {
            queue = &out->queues[out->queue_count++];
            snprintf(queue->name, sizeof queue->name, "%zu", i + 1);
            queue->load = nb_load_of_ratio(loads[i]);
            queue->arrivals = *arrivals;
        }
        out->delay.paths[0].hops[i] = &queue->hop;
    }
done:
    return status;
}

/* Which of three options names the path. */
static enum nb_status paths_find_way(const struct nb_model *model,
                                     const char **way, struct nb_error *err)
{
    static const char *const ways[] = { "topology", "hops", "loads" };
    *way = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (nb_model_get(model, ways[i]) == NULL)
            continue;
        if (*way != NULL)
            return nb_fail(err, NB_USAGE,
                           "--%s and --%s are both given (permitted: one of "
                           "them)",
                           *way, ways[i]);
        *way = ways[i];
    }
    if (*way == NULL)
        return nb_fail(err, NB_USAGE,
                       "delay needs --topology (such as fattree:k=16,n=3), "
                       "--hops or --loads");
    return NB_OK;
}

/* Refuses options that do not go together. */
static enum nb_status paths_check(const struct nb_model *model, bool has_load,
                                  struct nb_error *err)
{
    static const char *const own[] = { "routing", "traffic" };
    const char *radix = nb_model_get(model, "radix"), *way;
    const enum nb_status status = paths_find_way(model, &way, err);
    if (status != NB_OK)
        return status;
    const bool is_topology = strcmp(way, "topology") == 0;
    const bool is_loads = strcmp(way, "loads") == 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!is_topology && nb_model_get(model, own[i]) != NULL)
            return nb_fail(err, NB_USAGE,
                           "--%s %s belongs to --topology, not to --%s", own[i],
                           nb_model_get(model, own[i]), way);
    if (is_topology && radix != NULL)
        return nb_fail(err, NB_USAGE,
                       "--radix %s is not permitted with --topology, whose k "
                       "it is",
                       radix);
    if (has_load == is_loads)
        return nb_fail(err, NB_USAGE,
                       is_loads ? "--loads are given beside --load or --rate "
                                  "(permitted: one of them)"
                                : "delay needs --load or --rate");
    return NB_OK;
}

enum nb_status nb_delay_paths_read(const struct nb_question *question,
                                   struct nb_delay_paths *out,
                                   struct nb_error *err)
{
    const struct nb_model *model = question->model;
    const char *radix = nb_model_get(model, "radix");
    const char *hops = nb_model_get(model, "hops");
    struct nb_arrivals arrivals = { .radix = PATHS_RADIX };
    struct nb_queue_load load;
    int64_t count;
    bool has_load;
    enum nb_status status = NB_OK;
    NB_TRY(nb_question_load(question, &load, &has_load, err));
    NB_TRY(paths_check(model, has_load, err));
    NB_TRY(nb_arrivals_read(nb_model_get(model, "arrivals"), &arrivals, err));
    if (radix != NULL)
        NB_TRY(nb_integer_read(radix, "radix", 1, INT64_MAX, &arrivals.radix,
                               err));
    if (nb_model_get(model, "topology") != NULL) {
        NB_TRY(nb_delay_paths_topology(model, load, &arrivals, out, err));
    } else if (hops != NULL) {
        NB_TRY(nb_integer_read(hops, "hops", 1, NB_DELAY_HOPS, &count, err));
        NB_TRY(nb_delay_paths_alike((size_t)count, load, &arrivals, out, err));
    } else {
        NB_TRY(
            paths_by_loads(nb_model_get(model, "loads"), &arrivals, out, err));
    }
    for (size_t i = 0; i < out->queue_count; i++)
        out->is_saturated = out->is_saturated || out->queues[i].load.idle <= 0;
done:
    return status;
}

static struct nb_enclosure paths_enclose(struct nb_ratio exact,
                                         struct nb_bracket bracket)
{
    if (nb_ratio_is_known(exact))
        return nb_enclosure_of_ratio(exact);
    if (bracket.upper == 0)
        return nb_enclosure_of_ratio(nb_ratio_zero);
    return (struct nb_enclosure){ .lower = bracket.lower,
                                  .upper = bracket.upper };
}

/* Law and moments of the wait, by Little's law from the queue's mean. */
static enum nb_status paths_wait(struct nb_queue_load load,
                                 struct nb_hop_delay *hop, struct nb_error *err)
{
    struct nb_law wait = { 0 };
    const enum nb_status status = nb_law_wait(&hop->law, &wait, err);
    if (status != NB_OK)
        return status;
    const struct nb_ratio mean = nb_ratio_divide(
        nb_ratio_subtract(hop->mean.exact, load.exact), load.exact);
    nb_law_release(&hop->law);
    hop->law = wait;
    hop->mean = paths_enclose(mean, nb_law_mean(&wait));
    hop->variance =
        paths_enclose((struct nb_ratio){ 0, 0 }, nb_law_variance(&wait));
    return NB_OK;
}

enum nb_status nb_delay_paths_solve(struct nb_delay_paths *paths, bool is_wait,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < paths->queue_count; i++) {
        const struct nb_delay_queue *queue = &paths->queues[i];
        struct nb_hop_delay *hop = &paths->queues[i].hop;
        struct nb_ratio mean, variance;
        NB_TRY(nb_arrivals_law(&queue->arrivals, queue->load, &hop->law, err));
        nb_arrivals_moments(&queue->arrivals, queue->load, &mean, &variance);
        hop->mean = paths_enclose(mean, nb_law_mean(&hop->law));
        hop->variance = paths_enclose(variance, nb_law_variance(&hop->law));
        if (is_wait && queue->load.rho > 0) /* else none ever waits */
            NB_TRY(paths_wait(queue->load, hop, err));
    }
    for (size_t i = 0; i < paths->delay.path_count; i++) {
        struct nb_delay_path *path = &paths->delay.paths[i];
        for (size_t k = 0; k < path->kind_count; k++)
            path->laws[k] = &path->hops[k]->law;
    }
done:
    return status;
}
