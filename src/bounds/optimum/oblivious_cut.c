/* Weights that a cut gives (declared in oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "bounds/cuts/bisection.h"
#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>

/* For every channel over the cut and every pair on its two sides terminals
 * times terminals, averaged over the group and brought down to 2^20. value:
 * [pair_count * channel_count], zeros, set at the least of channels alike. */
static void cut_fill(const struct nb_oblivious_case *here,
                     const bool *is_inside, double *value)
{
    const struct nb_oblivious_orbits *orbits = &here->orbits;
    const struct nb_topology *topology = here->topology;
    const size_t m = topology->channel_count, e = orbits->e;
    double most = 0;
    for (size_t i = 0; i < e; i++)
        most = fmax(most, topology->terminals[orbits->endpoint[i]]);
    const double unit = fmax(1, most * most * 0x1p-20);
    for (uint32_t c = 0; c < m; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (is_inside[at->source] == is_inside[at->target])
            continue;
        for (size_t p = 0; p < e * e; p++) {
            const uint32_t source = orbits->endpoint[p / e];
            const uint32_t destination = orbits->endpoint[p % e];
            if (is_inside[source] != is_inside[at->source] ||
                is_inside[destination] != is_inside[at->target])
                continue;
            const uint32_t name = nb_oblivious_crossing(orbits, p, c);
            value[here->index[name / m] * m + name % m] +=
                (double)topology->terminals[source] *
                topology->terminals[destination];
        }
    }
    for (size_t cell = 0; cell < here->pair_count * m; cell++)
        value[cell] /=
            unit * orbits->pair_size[here->pair[cell / m]] * here->alike[cell];
}

enum nb_status nb_oblivious_cut_weights(struct nb_oblivious_found *found,
                                        const struct nb_run *run,
                                        struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const size_t cells = here->pair_count * here->topology->channel_count;
    struct nb_capacity capacity;
    struct nb_bisection bisection = { 0 };
    double *value = NULL;
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&value, cells, sizeof *value, "weights", err));
    NB_TRY(nb_new(&whole, cells, sizeof *whole, "weights", err));
    NB_TRY(nb_capacity_find(here->topology, run, &capacity, err));
    NB_TRY(
        nb_bisection_bracket(here->topology, &capacity, run, &bisection, err));
    if (bisection.is_inside == NULL)
        goto done;
    cut_fill(here, bisection.is_inside, value);
    const int64_t scale =
        nb_whole_find(cells, value, 1e-9, (int64_t)1 << 20, whole);
    if (scale == 0)
        nb_whole_round(cells, value, 0x1p20, whole);
    NB_TRY(nb_oblivious_offer_weights(found, whole, 1, err));
done:
    nb_bisection_release(&bisection);
    nb_delete(value);
    nb_delete(whole);
    return status;
}
