/* The sample and the cells that its packets fall in (declared in
 * best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"
#include "core/random.h"
#include "routing/routing.h"

#include <math.h>

enum {
    SAMPLE_PERMUTATIONS = 100000,
    SAMPLE_ADDITIONS = 1 << 20, /* about a millisecond's */
};

static struct nb_oblivious_question
sample_plain(const struct nb_average_question *question)
{
    return (struct nb_oblivious_question){
        .topology = question->topology,
        .class = question->class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .most_load = nb_ratio_one,
        .seconds = INFINITY,
    };
}

/* Marks the channels on shortest paths as route tables count. way: out,
 * [destination * channel_count + channel] */
static enum nb_status sample_mark_ways(const struct nb_topology *topology,
                                       bool *way, struct nb_error *err)
{
    const size_t m = topology->channel_count;
    struct nb_route_table table;
    uint32_t *queue = NULL;
    enum nb_status status = nb_route_table_init(topology, &table, err);
    NB_TRY(status);
    NB_TRY(
        nb_new(&queue, topology->router_count, sizeof *queue, "routers", err));
    for (uint32_t to = 0; to < topology->router_count; to++) {
        nb_ways_to(topology, to, table.distance, queue);
        for (uint32_t c = 0; c < m; c++)
            way[to * m + c] = nb_is_on_the_way(topology, &table, c);
    }
done:
    nb_delete(queue);
    nb_route_table_release(&table);
    return status;
}

/* Whether shortest paths stay such. */
static enum nb_status sample_keeps_ways(const struct nb_topology *topology,
                                        const struct nb_symmetry *symmetry,
                                        bool *is_kept, struct nb_error *err)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    bool *way = NULL;
    enum nb_status status = NB_OK;
    *is_kept = true;
    NB_TRY(nb_memory_require((double)n * (double)m, "shortest paths", err));
    NB_TRY(nb_new(&way, n * m, sizeof *way, "shortest paths", err));
    NB_TRY(sample_mark_ways(topology, way, err));
    for (size_t g = 0; g < symmetry->generator_count; g++)
        for (size_t to = 0; to < n; to++)
            for (size_t c = 0; c < m; c++)
                *is_kept =
                    *is_kept &&
                    way[to * m + c] == way[symmetry->router[g * n + to] * m +
                                           symmetry->channel[g * m + c]];
done:
    nb_delete(way);
    return status;
}

/* Channels are all that most classes know of a network; shortest paths may
 * count global ones, and two-turn paths know dimensions. */
static enum nb_status
sample_find_group(const struct nb_average_question *question,
                  struct nb_symmetry *out, bool *is_partial,
                  const char **kept_by, struct nb_error *err)
{
    const struct nb_oblivious_question plain = sample_plain(question);
    const struct nb_topology *topology = question->topology;
    bool is_whole, is_kept = true;
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ 0 };
    *is_partial = false;
    NB_TRY(nb_path_class_check(question->class, topology, err));
    *kept_by = "every symmetry of the dimensions";
    if (question->class->paths == NB_PATHS_TWO_TURN)
        return nb_best_oblivious_symmetry(&plain, out, err);
    *kept_by = "every automorphism of the network";
    NB_TRY(nb_symmetry_find_automorphisms(topology, NB_KEEPING_CHANNELS, out,
                                          &is_whole, err));
    if (question->class->paths == NB_PATHS_MINIMAL &&
        topology->groups.count > 0)
        NB_TRY(sample_keeps_ways(topology, out, &is_kept, err));
    if (!is_kept) {
        nb_symmetry_release(out);
        *kept_by = "every automorphism of the network and its global channels";
        NB_TRY(nb_symmetry_find_automorphisms(topology, NB_KEEPING_GROUPS, out,
                                              &is_whole, err));
    }
    *is_partial = !is_whole;
done:
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}

enum nb_status
nb_best_average_symmetry(const struct nb_average_question *question,
                         struct nb_symmetry *out, struct nb_error *err)
{
    bool is_partial;
    const char *kept_by;
    return sample_find_group(question, out, &is_partial, &kept_by, err);
}

/* Draws what nb_permutation_sample_draw does. */
static enum nb_status sample_draw(struct nb_average_case *average,
                                  struct nb_error *err)
{
    const struct nb_oblivious_orbits *orbits = &average->here.orbits;
    const struct nb_topology *topology = average->here.topology;
    const size_t n = average->terminal_count;
    uint32_t *place = NULL, *permutation = NULL;
    size_t next = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&place, n, sizeof *place, "terminals", err));
    NB_TRY(nb_new(&permutation, n, sizeof *permutation, "a permutation", err));
    for (size_t i = 0; i < orbits->e; i++)
        for (uint32_t t = 0; t < topology->terminals[orbits->endpoint[i]]; t++)
            place[next++] = (uint32_t)i;
    for (size_t x = 0; x < average->question->count; x++) {
        struct nb_random random;
        nb_random_init(&random, average->question->seed, x);
        nb_random_permutation(&random, (uint32_t)n, permutation);
        for (size_t t = 0; t < n; t++) {
            const uint32_t from = place[t], to = place[permutation[t]];
            average->pair[x * n + t] =
                from == to ? NB_NONE : (uint32_t)(from * orbits->e + to);
        }
    }
done:
    nb_delete(place);
    nb_delete(permutation);
    return status;
}

static void sample_set_cells(struct nb_average_case *average)
{
    const struct nb_oblivious_case *here = &average->here;
    const size_t m = here->topology->channel_count, e = here->orbits.e;
    for (size_t p = 0; p < e * e; p++) {
        for (uint32_t c = 0; c < m && p / e != p % e; c++) {
            const uint32_t name = nb_oblivious_crossing(&here->orbits, p, c);
            average->cell[p * m + c] =
                (uint32_t)(here->index[name / m] * m + name % m);
        }
    }
}

/* Hops of a packet of every pair: [pair_count]. */
static enum nb_status sample_count_hops(const struct nb_oblivious_case *here,
                                        int64_t *hops, struct nb_error *err)
{
    struct nb_path_search search = { 0 };
    const enum nb_status status =
        nb_path_search_init(here->question->class, &search, err);
    for (size_t i = 0; i < here->pair_count && status == NB_OK; i++) {
        const size_t pair = here->pair[i];
        nb_path_search_run(&search, nb_oblivious_destination(here, pair), NULL);
        hops[i] =
            nb_path_search_distance(&search, nb_oblivious_source(here, pair));
    }
    nb_path_search_release(&search);
    return status;
}

static enum nb_status sample_find_hops(struct nb_average_case *average,
                                       struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const struct nb_topology *topology = here->topology;
    const size_t n = average->terminal_count, count = average->question->count;
    struct nb_enclosure all = nb_enclosure_of_whole(0), sum = all;
    int64_t *hops = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&hops, here->pair_count, sizeof *hops, "hops", err));
    NB_TRY(sample_count_hops(here, hops, err));
    for (uint32_t c = 0; c < topology->channel_count; c++)
        all = nb_enclosure_add(
            all, nb_enclosure_of_ratio(topology->channels[c].bandwidth));
    for (size_t x = 0; x < count; x++) {
        nb_int128 crossed = 0;
        for (size_t t = 0; t < n; t++) {
            const uint32_t pair = average->pair[x * n + t];
            if (pair != NB_NONE)
                crossed += hops[here->index[here->orbits.pair[pair]]];
        }
        struct nb_enclosure peak = nb_enclosure_of_ratio(average->least);
        if (crossed > 0)
            peak = nb_enclosure_most(
                peak, nb_enclosure_divide(nb_whole_quotient(crossed, 1), all));
        sum = nb_enclosure_add(sum, peak);
    }
    average->by_hops =
        nb_enclosure_divide(sum, nb_enclosure_of_whole((uint32_t)count));
done:
    nb_delete(hops);
    return status;
}

enum nb_status nb_average_case_init(const struct nb_average_question *question,
                                    struct nb_average_case *out,
                                    struct nb_error *err)
{
    const char *what = "a sample of permutations";
    struct nb_symmetry symmetry;
    enum nb_status status = NB_OK;
    *out = (struct nb_average_case){ .question = question,
                                     .plain = sample_plain(question) };
    if (question->count < 1 || question->count > SAMPLE_PERMUTATIONS ||
        isnan(question->seconds))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%zu permutations in %g seconds (permitted: 1 to %d, "
                       "any number of seconds)",
                       question->count, question->seconds,
                       SAMPLE_PERMUTATIONS));
    NB_TRY(sample_find_group(question, &symmetry, &out->is_group_partial,
                             &out->kept_by, err));
    NB_TRY(
        nb_oblivious_case_init_group(&out->plain, &symmetry, &out->here, err));
    const size_t m = out->here.topology->channel_count;
    const size_t pairs = out->here.orbits.e * out->here.orbits.e;
    const size_t n = question->topology->terminal_count;
    out->terminal_count = n;
    out->least = nb_ratio_divide(
        nb_ratio_one, nb_terminal_limit(question->topology, nb_ratio_one));
    NB_TRY(nb_memory_require(
        4.0 * ((double)pairs * (double)m + (double)question->count * (double)n),
        what, err));
    NB_TRY(
        nb_new(&out->pair, question->count * n, sizeof *out->pair, what, err));
    NB_TRY(nb_new(&out->cell, pairs * m, sizeof *out->cell, what, err));
    NB_TRY(sample_draw(out, err));
    sample_set_cells(out);
    NB_TRY(sample_find_hops(out, err));
done:
    if (status != NB_OK)
        nb_average_case_release(out);
    return status;
}

void nb_average_case_release(struct nb_average_case *here)
{
    nb_oblivious_case_release(&here->here);
    nb_delete(here->pair);
    nb_delete(here->cell);
    *here = (struct nb_average_case){ 0 };
}

size_t nb_average_batch(const struct nb_average_case *average)
{
    const size_t additions =
        average->terminal_count * average->here.topology->channel_count;
    return additions < SAMPLE_ADDITIONS ? SAMPLE_ADDITIONS / additions : 1;
}

int64_t nb_average_unite(const struct nb_average_case *average,
                         const int64_t *given, size_t first, size_t count,
                         int64_t limit)
{
    int64_t united = 1;
    for (size_t cell = first; cell < first + count && united != 0; cell++)
        if (given[cell] > 0)
            united = nb_unite(united, average->here.alike[cell], limit);
    return united != 0 ? united : limit;
}
