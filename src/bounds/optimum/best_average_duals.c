/* Weights of the program's duals (declared in best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

/* How near a double must be to a ratio to be taken for it; 0: plain rounding,
 * which always gives something. */
static const double duals_tolerance[] = { 1e-11, 1e-8, 1e-6, 0 };
enum { DUALS_TRIES = sizeof duals_tolerance / sizeof duals_tolerance[0] };

/* The greatest weights and lengths, a little below what may be. */
#define DUALS_LIMIT 0x1p38

static int duals_compare(const void *left, const void *right)
{
    const struct nb_average_weight *a = left, *b = right;
    if (a->permutation != b->permutation)
        return a->permutation < b->permutation ? -1 : 1;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

/* Keeps weights of the rows if they prove more than what there is. */
static enum nb_status duals_offer(struct nb_average_found *found,
                                  const struct nb_average_row *rows,
                                  size_t count, const int64_t *whole,
                                  struct nb_error *err)
{
    struct nb_best_average offer = { 0 };
    struct nb_enclosure lower;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_new(&offer.weights, count, sizeof *offer.weights, "weights", err));
    for (size_t r = 0; r < count; r++)
        if (whole[r] > 0)
            offer.weights[offer.weight_count++] =
                (struct nb_average_weight){ rows[r].permutation,
                                            rows[r].channel, whole[r] };
    qsort(offer.weights, offer.weight_count, sizeof *offer.weights,
          duals_compare);
    NB_TRY(nb_average_check_weights(found->average, &offer, &lower, err));
    if (lower.lower > found->lower.lower) {
        nb_delete(found->best.weights);
        found->best.weights = offer.weights;
        found->best.weight_count = offer.weight_count;
        found->lower = lower;
        offer.weights = NULL;
    }
done:
    nb_delete(offer.weights);
    return status;
}

/* The greatest of the weights, and of the lengths that they make. */
static enum nb_status duals_find_most(const struct nb_average_case *average,
                                      const struct nb_average_row *rows,
                                      size_t count, const double *weight,
                                      double *most, struct nb_error *err)
{
    const struct nb_oblivious_case *here = &average->here;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    double *length = NULL;
    int64_t *is_used = NULL;
    enum nb_status status = NB_OK;
    *most = 1;
    NB_TRY(nb_new(&length, cells, sizeof *length, "lengths", err));
    NB_TRY(nb_new(&is_used, cells, sizeof *is_used, "lengths", err));
    for (size_t r = 0; r < count; r++) {
        *most = fmax(*most, weight[r]);
        for (size_t t = 0; t < average->terminal_count && weight[r] > 0; t++) {
            const size_t cell = nb_average_cell(average, rows[r].permutation, t,
                                                rows[r].channel);
            if (cell == SIZE_MAX)
                continue;
            length[cell] += weight[r];
            is_used[cell] = 1;
        }
    }
    for (size_t cell = 0; cell < cells; cell++) {
        if (is_used[cell] == 0)
            continue;
        const int64_t scale = nb_average_unite(average, is_used, cell / m * m,
                                               m, NB_AVERAGE_SCALE);
        *most = fmax(*most, length[cell] * (double)scale / here->alike[cell]);
    }
done:
    nb_delete(length);
    nb_delete(is_used);
    return status;
}

enum nb_status nb_average_take_duals(const struct nb_average_program *program,
                                     struct nb_average_found *found,
                                     struct nb_error *err)
{
    const struct nb_average_row *rows = program->rows;
    const size_t count = program->weight_count;
    const double *weight = program->weight;
    int64_t *whole = NULL;
    double most;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, count, sizeof *whole, "weights", err));
    NB_TRY(duals_find_most(found->average, rows, count, weight, &most, err));
    for (size_t t = 0; t < DUALS_TRIES && !nb_average_is_met(found); t++) {
        int64_t scale = (int64_t)(DUALS_LIMIT / most);
        if (scale > 0 && duals_tolerance[t] > 0)
            scale =
                nb_whole_find(count, weight, duals_tolerance[t], scale, whole);
        else
            nb_whole_round(count, weight, (double)scale, whole);
        if (scale > 0)
            NB_TRY(duals_offer(found, rows, count, whole, err));
    }
done:
    nb_delete(whole);
    return status;
}
