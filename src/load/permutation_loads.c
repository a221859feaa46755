#include "load/permutation_loads.h"

#include "core/memory.h"
#include "load/permutation_work.h"
#include "load/propagate.h"

#include <math.h>
#include <string.h>

/* Dense cells take no more than this. */
#define DENSE_BYTES 0x1p29

/* A block of a pair's cells is a cache line; every 64-bit processor adds
 * vectors of 16 bytes, and wider ones would only wait for the cache. */
enum { DENSE_LINE = 64, DENSE_VECTOR = 16 };

#define KERNEL(name) narrow_##name
#define CELL         int32_t
#define MEMBER       weight
#include "load/permutation_kernel.inc"
#undef KERNEL
#undef CELL

#define KERNEL(name) wide_##name
#define CELL         int64_t
#include "load/permutation_kernel.inc"
#undef KERNEL
#undef CELL
#undef MEMBER

#define KERNEL(name) real_##name
#define CELL         double
#define MEMBER       value
#include "load/permutation_kernel.inc"
#undef KERNEL
#undef CELL
#undef MEMBER

void nb_permutation_loads_release(struct nb_permutation_loads *loads)
{
    nb_permutation_lists_release(&loads->list);
    nb_delete(loads->endpoint);
    nb_delete(loads->narrow);
    nb_delete(loads->wide);
    nb_delete(loads->real);
    *loads = (struct nb_permutation_loads){ 0 };
}

/* Whether every sum of cells fits the narrow ones. */
static bool loads_are_narrow(const struct nb_permutation_loads *loads,
                             union nb_load_cell most)
{
    return loads->is_exact &&
           (nb_int128)most.weight * (nb_int128)loads->terminal_count <=
               INT32_MAX;
}

/* The number of dense cells: whole blocks of channels. */
static double loads_cells(const struct nb_permutation_loads *loads, size_t size)
{
    const double n = (double)loads->endpoint_count;
    const size_t line = DENSE_LINE / size;
    return n * n * (double)((loads->channel_count + line - 1) / line * line);
}

/* Dense cells are worth their room where as a rule every line of them that a
 * pair takes has a load in it. */
static bool loads_suit_dense(const struct nb_permutation_loads *loads,
                             size_t size)
{
    const struct nb_permutation_lists *list = &loads->list;
    const double entries = (double)list->start[list->row_count];
    const double places =
        (double)list->row_count * (double)loads->channel_count;
    return loads_cells(loads, size) * (double)size <= DENSE_BYTES &&
           entries * (DENSE_LINE / sizeof(int32_t)) >= places;
}

/* From the lists, which are then done with. */
static enum nb_status loads_make_dense(struct nb_permutation_loads *loads,
                                       bool is_narrow, struct nb_error *err)
{
    static const char what[] = "dense pair loads";
    const size_t size = is_narrow ? sizeof(int32_t) : sizeof(int64_t);
    const double cells = loads_cells(loads, size);
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(cells * (double)size, what, err));
    if (is_narrow) {
        NB_TRY(nb_new(&loads->narrow, (size_t)cells, size, what, err));
        narrow_fill(loads, loads->narrow);
    } else if (loads->is_exact) {
        NB_TRY(nb_new(&loads->wide, (size_t)cells, size, what, err));
        wide_fill(loads, loads->wide);
    } else {
        NB_TRY(nb_new(&loads->real, (size_t)cells, size, what, err));
        real_fill(loads, loads->real);
    }
    nb_permutation_lists_release(&loads->list);
done:
    return status;
}

enum nb_status nb_permutation_loads_find(const struct nb_routing *routing,
                                         enum nb_permutation_kernel kernel,
                                         const struct nb_run *run,
                                         struct nb_permutation_loads *out,
                                         struct nb_error *err)
{
    union nb_load_cell most;
    bool is_narrow;
    enum nb_status status = NB_OK;
    *out = (struct nb_permutation_loads){
        .kernel = kernel,
        .terminal_limit = nb_terminal_limit(routing->topology, nb_ratio_one),
    };
    if (kernel == NB_KERNEL_BEST && routing->intermediate == NB_ANYWHERE)
        out->kernel = NB_KERNEL_FIXED;
    NB_TRY(nb_permutation_lists_find(routing, out->kernel == NB_KERNEL_FIXED,
                                     run, out, &most, err));
    out->fixed = most;
    is_narrow = loads_are_narrow(out, most);
    if (out->kernel == NB_KERNEL_BEST)
        out->kernel = loads_suit_dense(out, is_narrow ? 4 : 8)
                          ? NB_KERNEL_DENSE
                          : NB_KERNEL_LISTED;
    if (out->kernel == NB_KERNEL_DENSE)
        NB_TRY(loads_make_dense(out, is_narrow, err));
done:
    if (status != NB_OK)
        nb_permutation_loads_release(out);
    return status;
}

static void listed_add_weights(const struct nb_permutation_lists *list,
                               size_t row, const uint32_t *image,
                               union nb_load_cell *sum)
{
    for (size_t e = list->start[row]; e < list->start[row + 1]; e++)
        sum[image[list->channel[e]]].weight += list->load[e].weight;
}

static void listed_add_values(const struct nb_permutation_lists *list,
                              size_t row, const uint32_t *image,
                              union nb_load_cell *sum)
{
    for (size_t e = list->start[row]; e < list->start[row + 1]; e++)
        sum[image[list->channel[e]]].value += list->load[e].value;
}

/* pair: [terminals] of one permutation. */
static union nb_load_cell listed_peak(const struct nb_permutation_loads *loads,
                                      const uint32_t *pair,
                                      union nb_load_cell *sum)
{
    const struct nb_permutation_lists *list = &loads->list;
    union nb_load_cell most = { 0 };
    if (!loads->is_exact)
        most.value = 0;
    for (size_t c = 0; c < loads->channel_count; c++)
        sum[c] = most;
    for (size_t t = 0; t < loads->terminal_count; t++) {
        const uint32_t *image =
            list->image + list->map[loads->endpoint[t]] * loads->channel_count;
        if (loads->is_exact)
            listed_add_weights(list, list->row[pair[t]], image, sum);
        else
            listed_add_values(list, list->row[pair[t]], image, sum);
    }
    for (size_t c = 0; c < loads->channel_count; c++)
        if (nb_permutation_peak_compare(loads, sum[c], most) > 0)
            most = sum[c];
    return most;
}

void nb_permutation_peaks(const struct nb_permutation_loads *loads,
                          size_t count, uint32_t *permutation,
                          union nb_load_cell *sum, union nb_load_cell *peak)
{
    const size_t terminals = loads->terminal_count;
    const uint32_t n = (uint32_t)loads->endpoint_count;
    for (size_t p = 0; p < count; p++)
        for (size_t t = 0; t < terminals; t++) {
            uint32_t *at = &permutation[p * terminals + t];
            *at = loads->endpoint[t] * n + loads->endpoint[*at];
        }
    if (loads->narrow != NULL)
        narrow_add_dense(loads, loads->narrow, count, permutation, peak);
    else if (loads->wide != NULL)
        wide_add_dense(loads, loads->wide, count, permutation, peak);
    else if (loads->real != NULL)
        real_add_dense(loads, loads->real, count, permutation, peak);
    else
        for (size_t p = 0; p < count; p++)
            peak[p] =
                loads->kernel == NB_KERNEL_FIXED
                    ? loads->fixed
                    : listed_peak(loads, permutation + p * terminals, sum);
}

int nb_permutation_peak_compare(const struct nb_permutation_loads *loads,
                                union nb_load_cell a, union nb_load_cell b)
{
    if (loads->is_exact)
        return (a.weight > b.weight) - (a.weight < b.weight);
    return (a.value > b.value) - (a.value < b.value);
}

struct nb_permutation_throughput
nb_permutation_throughput(const struct nb_permutation_loads *loads,
                          union nb_load_cell peak)
{
    struct nb_permutation_throughput result = { 0 };
    if (loads->is_exact) {
        result.exact = nb_ratio_make(loads->denominator, peak.weight);
        if (nb_ratio_compare(result.exact, loads->terminal_limit) > 0)
            result.exact = loads->terminal_limit;
        nb_ratio_bracket(result.exact, &result.lower, &result.upper);
        return result;
    }
    const double error = loads->relative_error;
    const double lower =
        peak.value < NB_LEAST_RELATIVE ? 0 : peak.value * (1 - error);
    const double upper = peak.value * (1 + error);
    /* Factors, products and quotients round. */
    result.lower = 1 / upper * (1 - 0x1p-50);
    result.upper = 1 / lower * (1 + 0x1p-50);
    double least, most;
    nb_ratio_bracket(loads->terminal_limit, &least, &most);
    result.lower = fmin(result.lower, least);
    result.upper = fmin(result.upper, most);
    return result;
}
