/* What the program's solution gives, as whole numbers (declared in
 * oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>

/* How near a double must be to a ratio to be taken for it; 0: plain rounding,
 * which always gives something. */
static const double round_tolerance[] = { 1e-11, 1e-8, 1e-6, 0 };
enum { ROUND_TRIES = sizeof round_tolerance / sizeof round_tolerance[0] };

/* The greatest denominators of flows and of weights. */
#define ROUND_LIMIT ((int64_t)1 << 38)

enum nb_status
nb_oblivious_take_values(const struct nb_oblivious_program *program,
                         const double *value, struct nb_oblivious_found *found,
                         struct nb_error *err)
{
    const size_t count = program->flow_count;
    struct nb_path_table paths = { 0 };
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, count, sizeof *whole, "flows", err));
    for (size_t t = 0; t < ROUND_TRIES && !nb_oblivious_is_met(found); t++) {
        int64_t denominator = ROUND_LIMIT;
        if (round_tolerance[t] > 0)
            denominator = nb_whole_find(count, value, round_tolerance[t],
                                        ROUND_LIMIT, whole);
        else
            nb_whole_round(count, value, (double)denominator, whole);
        if (denominator == 0)
            continue;
        NB_TRY(nb_oblivious_peel(program, whole, denominator, &paths, err));
        NB_TRY(nb_oblivious_offer_paths(found, &paths, err));
    }
done:
    nb_delete(whole);
    nb_path_table_release(&paths);
    return status;
}

enum nb_status
nb_oblivious_take_flows(const struct nb_oblivious_program *program,
                        struct nb_oblivious_found *found, struct nb_error *err)
{
    double *value = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&value, program->flow_count, sizeof *value, "flows", err));
    for (size_t f = 0; f < program->flow_count; f++)
        value[f] = fmax(0, nb_linear_value(program->linear, f));
    NB_TRY(nb_oblivious_take_values(program, value, found, err));
done:
    nb_delete(value);
    return status;
}

/* The adversary's weights of the cells; returns the greatest. */
static double round_find_weights(const struct nb_oblivious_program *program,
                                 double *value)
{
    const struct nb_oblivious_case *here = program->here;
    const size_t m = here->topology->channel_count;
    double most = 0;
    for (size_t cell = 0; cell < here->pair_count * m; cell++) {
        const double size =
            (double)here->orbits.pair_size[here->pair[cell / m]] *
            here->alike[cell];
        const size_t row = program->cell[cell];
        value[cell] =
            row == SIZE_MAX
                ? 0
                : fmax(0, nb_linear_dual(program->linear, row)) / size;
        most = fmax(most, value[cell]);
    }
    return most;
}

/* The scale up to which no length passes ROUND_LIMIT, the hop's own included.
 */
static int64_t round_most_scale(const struct nb_oblivious_case *here,
                                double most)
{
    double terminals = 0;
    for (size_t i = 0; i < here->orbits.e; i++)
        terminals = fmax(terminals,
                         here->topology->terminals[here->orbits.endpoint[i]]);
    if (here->question->goal == NB_LEAST_MEAN_HOPS)
        most += terminals * terminals;
    return (int64_t)((double)ROUND_LIMIT / fmax(most, 1));
}

enum nb_status
nb_oblivious_take_duals(const struct nb_oblivious_program *program,
                        struct nb_oblivious_found *found, struct nb_error *err)
{
    const size_t cells =
        program->here->pair_count * program->here->topology->channel_count;
    double *value = NULL;
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&value, cells, sizeof *value, "weights", err));
    NB_TRY(nb_new(&whole, cells, sizeof *whole, "weights", err));
    const double most = round_find_weights(program, value);
    if (most == 0 || !(most < (double)ROUND_LIMIT))
        goto done;
    const int64_t most_scale = round_most_scale(program->here, most);
    for (size_t t = 0; t < ROUND_TRIES && !nb_oblivious_is_met(found); t++) {
        int64_t scale = most_scale;
        if (scale > 0 && round_tolerance[t] > 0)
            scale = most > 0x1p20
                        ? 0
                        : nb_whole_find(cells, value, round_tolerance[t],
                                        most_scale, whole);
        else
            nb_whole_round(cells, value, (double)scale, whole);
        if (scale > 0)
            NB_TRY(nb_oblivious_offer_weights(found, whole, scale, err));
    }
done:
    nb_delete(value);
    nb_delete(whole);
    return status;
}
