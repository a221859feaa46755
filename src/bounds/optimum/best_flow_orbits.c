/* The orbits that a best flow is found in (declared in best_flow_work.h). */
#include "bounds/optimum/best_flow_work.h"

#include "bounds/symmetry/symmetry.h"
#include "core/memory.h"
#include "core/sets.h"

#include <assert.h>

/* Scratch of the making of orbits. */
struct orbits_work {
    struct nb_flow_orbits *orbits;
    struct nb_symmetry symmetry;
    uint64_t *column; /* [router] */
    uint64_t *rate;   /* [pair] */
    uint32_t *parent; /* [pair], then [channel] */
};

/* Visits the pairs, in order: counts them if they have no arrays yet, else
 * writes them there. */
static enum nb_status orbits_list(struct orbits_work *work, nb_int128 *sum,
                                  struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const size_t n = orbits->topology->router_count;
    size_t count = 0;
    *sum = 0;
    for (uint32_t j = 0; j < n; j++) {
        const enum nb_status status = nb_traffic_column(
            orbits->traffic, orbits->topology, j, work->column, err);
        if (status != NB_OK)
            return status;
        for (uint32_t i = 0; i < n; i++) {
            *sum += (nb_int128)work->column[i];
            if (i == j || work->column[i] == 0)
                continue;
            if (orbits->source != NULL) {
                orbits->source[count] = i;
                work->rate[count] = work->column[i];
            }
            count++;
        }
        orbits->start[j + 1] = count;
    }
    return NB_OK;
}

/* The place of a pair in the list; SIZE_MAX if it has no traffic. */
static size_t orbits_place(const struct nb_flow_orbits *orbits, uint32_t source,
                           uint32_t destination)
{
    size_t low = orbits->start[destination];
    size_t high = orbits->start[destination + 1];
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (orbits->source[middle] < source)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && orbits->source[low] == source ? low : SIZE_MAX;
}

static void orbits_join_pairs(struct orbits_work *work)
{
    const struct nb_flow_orbits *orbits = work->orbits;
    const size_t n = orbits->topology->router_count;
    nb_sets_init(work->parent, orbits->start[n]);
    for (size_t g = 0; g < work->symmetry.generator_count; g++) {
        for (uint32_t j = 0; j < n; j++) {
            for (size_t p = orbits->start[j]; p < orbits->start[j + 1]; p++) {
                uint32_t source = orbits->source[p], destination = j;
                nb_symmetry_pair(&work->symmetry, g, &source, &destination);
                const size_t image = orbits_place(orbits, source, destination);
                assert(image != SIZE_MAX && work->rate[image] == work->rate[p]);
                nb_sets_join(work->parent, (uint32_t)p, (uint32_t)image);
            }
        }
    }
}

/* Numbers the orbits of pairs by their first. */
static enum nb_status orbits_number_pairs(struct orbits_work *work,
                                          struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const size_t n = orbits->topology->router_count;
    const size_t pairs = orbits->start[n];
    size_t count = 0;
    for (size_t p = 0; p < pairs; p++) {
        const uint32_t first = nb_sets_find(work->parent, (uint32_t)p);
        orbits->orbit[p] =
            first == p ? (uint32_t)count++ : orbits->orbit[first];
    }
    orbits->pair_count = count;
    const enum nb_status status = nb_new(
        &orbits->pair, count, sizeof *orbits->pair, "orbits of pairs", err);
    for (uint32_t j = 0; status == NB_OK && j < n; j++) {
        for (size_t p = orbits->start[j]; p < orbits->start[j + 1]; p++) {
            struct nb_flow_pair *pair = &orbits->pair[orbits->orbit[p]];
            if (pair->size == 0)
                *pair = (struct nb_flow_pair){ orbits->source[p], j,
                                               work->rate[p], 0 };
            pair->size++;
        }
    }
    return status;
}

static enum nb_status orbits_number_channels(struct orbits_work *work,
                                             struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const struct nb_symmetry *symmetry = &work->symmetry;
    const size_t channels = orbits->topology->channel_count;
    size_t count = 0;
    nb_sets_init(work->parent, channels);
    for (size_t g = 0; g < symmetry->generator_count; g++)
        for (uint32_t c = 0; c < channels; c++)
            nb_sets_join(work->parent, c, symmetry->channel[g * channels + c]);
    for (uint32_t c = 0; c < channels; c++) {
        const uint32_t first = nb_sets_find(work->parent, c);
        orbits->line_of[c] =
            first == c ? (uint32_t)count++ : orbits->line_of[first];
    }
    orbits->line_count = count;
    const enum nb_status status = nb_new(
        &orbits->line, count, sizeof *orbits->line, "orbits of channels", err);
    for (uint32_t c = 0; status == NB_OK && c < channels; c++) {
        struct nb_flow_line *line = &orbits->line[orbits->line_of[c]];
        if (line->size++ == 0)
            line->channel = c;
    }
    return status;
}

static enum nb_status orbits_reserve(struct orbits_work *work,
                                     struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const size_t channels = orbits->topology->channel_count;
    const size_t pairs = orbits->start[orbits->topology->router_count];
    const size_t most = pairs > channels ? pairs : channels;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require((double)pairs * 20, "a list of pairs", err));
    if (pairs >= NB_NONE)
        return nb_fail(err, NB_NO_MEMORY,
                       "%zu pairs with traffic (permitted: below 2^32 - 1)",
                       pairs);
    NB_TRY(nb_new(&orbits->source, pairs, sizeof(uint32_t), "pairs", err));
    NB_TRY(nb_new(&orbits->orbit, pairs, sizeof(uint32_t), "pairs", err));
    NB_TRY(nb_new(&work->rate, pairs, sizeof(uint64_t), "rates", err));
    NB_TRY(nb_new(&work->parent, most, sizeof(uint32_t), "orbits", err));
    NB_TRY(nb_new(&orbits->line_of, channels, sizeof(uint32_t), "orbits", err));
done:
    return status;
}

enum nb_status nb_flow_orbits_init(const struct nb_best_flow_question *question,
                                   struct nb_flow_orbits *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = question->topology;
    const size_t n = topology->router_count;
    struct orbits_work work = { .orbits = out };
    enum nb_status status;
    *out = (struct nb_flow_orbits){ .topology = topology,
                                    .traffic = question->traffic };
    NB_TRY(nb_new(&out->start, n + 1, sizeof *out->start, "pairs", err));
    NB_TRY(nb_new(&work.column, n, sizeof *work.column, "rates", err));
    NB_TRY(orbits_list(&work, &out->rate_sum, err));
    NB_TRY(orbits_reserve(&work, err));
    NB_TRY(orbits_list(&work, &out->rate_sum, err));
    if (!question->ignores_symmetry)
        NB_TRY(
            nb_symmetry_find(topology, question->traffic, &work.symmetry, err));
    orbits_join_pairs(&work);
    NB_TRY(orbits_number_pairs(&work, err));
    NB_TRY(orbits_number_channels(&work, err));
done:
    nb_symmetry_release(&work.symmetry);
    nb_delete(work.column);
    nb_delete(work.rate);
    nb_delete(work.parent);
    if (status != NB_OK)
        nb_flow_orbits_release(out);
    return status;
}

void nb_flow_orbits_release(struct nb_flow_orbits *orbits)
{
    nb_delete(orbits->start);
    nb_delete(orbits->source);
    nb_delete(orbits->orbit);
    nb_delete(orbits->pair);
    nb_delete(orbits->line);
    nb_delete(orbits->line_of);
    *orbits = (struct nb_flow_orbits){ 0 };
}

uint32_t nb_flow_orbit_find(const struct nb_flow_orbits *orbits,
                            uint32_t source, uint32_t destination)
{
    const size_t place = orbits_place(orbits, source, destination);
    return place == SIZE_MAX ? NB_NONE : orbits->orbit[place];
}
