#include "optimum/worst_traffic.h"

#include "optimum/adversary.h"
#include "optimum/scheme_paths.h"
#include "bounds/worst_case/necessary_case.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"

#include <math.h>

static enum nb_status search_add(const struct nb_sides *sides,
                                 const uint32_t *target, struct nb_traffic *out,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->denominator = 1;
    for (size_t s = 0; s < sides->count && status == NB_OK; s++)
        status = nb_traffic_add(out, sides->router[s], sides->router[target[s]],
                                sides->multiplicity, err);
    return status;
}

/* Matches the sources and destinations that a matching leaves open: the first
 * source with the last destination, and so on, so that few send to
 * themselves. */
static enum nb_status search_complete(uint32_t *match, size_t sides,
                                      struct nb_error *err)
{
    bool *is_taken = NULL;
    size_t next = sides;
    const enum nb_status status =
        nb_new(&is_taken, sides, sizeof *is_taken, "destinations", err);
    for (size_t s = 0; status == NB_OK && s < sides; s++)
        if (match[s] != NB_NONE)
            is_taken[match[s]] = true;
    for (size_t s = 0; status == NB_OK && s < sides; s++) {
        if (match[s] != NB_NONE)
            continue;
        while (is_taken[next - 1])
            next--;
        match[s] = (uint32_t)--next;
    }
    nb_delete(is_taken);
    return status;
}

static enum nb_status search_necessary(struct nb_worst_search *search,
                                       struct nb_traffic *out,
                                       struct nb_error *err)
{
    struct nb_necessary_case found = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_necessary_case_find(search->routing, search->run, &found, err));
    if (found.load == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "traffic worst: routing %s is adaptive, and no channel "
                       "is on all shortest paths of any pair, so its worst "
                       "case is not known (permitted: oblivious schemes)",
                       search->routing->kind->kind.name));
    NB_TRY(search_complete(found.match, found.sides.count, err));
    NB_TRY(search_add(&found.sides, found.match, out, err));
    search->is_necessary = true;
    search->channel = found.bounds[found.worst].channel;
    search->load = nb_enclosure_of_ratio(nb_ratio_make(found.load, 1));
done:
    nb_necessary_case_release(&found);
    return status;
}

/* Number of descents in the search for a bad permutation. */
enum { SEARCH_STARTS = 4 };

static enum nb_status search_bounded(struct nb_worst_search *search,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class class;
    struct nb_adversary found = { 0 };
    const struct nb_adversary_question question = {
        .topology = search->routing->topology,
        .path_class = &class,
        .seed = 1,
        .starts = SEARCH_STARTS,
        .seconds = INFINITY,
    };
    enum nb_status status = NB_OK;
    NB_TRY(nb_path_class_init_scheme(search->routing, &paths, &class, err));
    NB_TRY(nb_adversary_find(&question, search->run, &found, err));
    NB_TRY(search_add(&found.sides, found.permutation, out, err));
    search->is_bounded = true;
    search->channel = NB_NONE;
    search->bound = found.best.throughput;
done:
    nb_adversary_release(&found);
    nb_scheme_paths_release(&paths);
    return status;
}

static enum nb_status search_matched(struct nb_worst_search *search,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    struct nb_worst_case found = { 0 };
    struct nb_error inner = { 0 };
    enum nb_status status =
        nb_worst_case_find(search->routing, search->run, &found, &inner);
    if (status != NB_OK)
        NB_TRY(nb_fail(
            err, status,
            status == NB_NO_MEMORY
                ? "traffic worst: %s (permitted: --traffic file:F, with F from "
                  "worst-case --sample-paths N --permutation F)"
                : "traffic worst: %s",
            inner.message));
    NB_TRY(search_add(&found.sides, found.permutation, out, err));
    search->channel = isinf(found.throughput.lower)
                          ? NB_NONE
                          : found.bounds[found.worst].channel;
    search->load = found.load;
done:
    nb_worst_case_release(&found);
    return status;
}

enum nb_status nb_worst_search_run(void *context, struct nb_traffic *out,
                                   struct nb_error *err)
{
    struct nb_worst_search *search = context;
    const struct nb_routing *routing = search->routing;
    const enum nb_status status =
        !routing->kind->is_adaptive ? search_matched(search, out, err)
        : routing->is_minimal       ? search_necessary(search, out, err)
                                    : search_bounded(search, out, err);
    search->is_found = status == NB_OK;
    return status;
}
