/* The sample and the cells that its packets fall in (declared in
 * best_average_work.h). */
#include "bounds/best_average_work.h"

#include "core/memory.h"
#include "core/random.h"

#include <math.h>

enum { SAMPLE_ADDITIONS = 1 << 20 }; /* about a millisecond's */

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

enum nb_status
nb_best_average_symmetry(const struct nb_average_question *question,
                         struct nb_symmetry *out, struct nb_error *err)
{
    const struct nb_oblivious_question plain = sample_plain(question);
    return nb_best_oblivious_symmetry(&plain, out, err);
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

enum nb_status nb_average_case_init(const struct nb_average_question *question,
                                    struct nb_average_case *out,
                                    struct nb_error *err)
{
    const char *what = "a sample of permutations";
    enum nb_status status = NB_OK;
    *out = (struct nb_average_case){ .question = question,
                                     .plain = sample_plain(question) };
    NB_TRY(nb_oblivious_case_init(&out->plain, &out->here, err));
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
