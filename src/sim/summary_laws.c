/* Histograms and series of all replications (declared in summary.h). */
#include "sim/summary.h"

#include "core/memory.h"
#include "sim/overtaking.h"

/* Adds up the histograms of all replications. */
static enum nb_status summary_add_histogram(struct nb_histogram *to,
                                            const struct nb_histogram *from,
                                            struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (to->count == NULL)
        status = nb_histogram_init(to, from->size, err);
    if (status == NB_OK)
        nb_histogram_add(to, from);
    return status;
}

static enum nb_status summary_find_series(const struct nb_network *networks,
                                          size_t count,
                                          struct nb_simulation_result *out,
                                          struct nb_error *err)
{
    const struct nb_measure *measure = &networks[0].measure;
    double *value = NULL;
    enum nb_status status = NB_OK;
    out->window_count = measure->window_count;
    NB_TRY(nb_new(&out->series, out->window_count, sizeof *out->series,
                  "series", err));
    NB_TRY(nb_new(&value, count, sizeof *value, "series", err));
    for (size_t w = 0; w < out->window_count; w++) {
        for (size_t i = 0; i < count; i++)
            value[i] = networks[i].measure.window[w] / measure->plan->window /
                       (double)networks[i].topology->terminal_count;
        out->series[w] = nb_estimate_mean(value, count, NB_SUMMARY_LEVEL);
    }
done:
    nb_delete(value);
    return status;
}

static enum nb_status summary_find_histograms(const struct nb_network *networks,
                                              size_t count,
                                              struct nb_simulation_result *out,
                                              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->depths, networks[0].measure.class_count,
                  sizeof *out->depths, "queue depths", err));
    out->class_count = networks[0].measure.class_count;
    for (size_t i = 0; i < count; i++) {
        const struct nb_measure *measure = &networks[i].measure;
        NB_TRY(
            summary_add_histogram(&out->latencies, &measure->latencies, err));
        for (size_t c = 0; c < out->class_count; c++)
            NB_TRY(summary_add_histogram(&out->depths[c], &measure->depths[c],
                                         err));
        if (measure->overtaking != NULL)
            NB_TRY(summary_add_histogram(&out->reorder,
                                         &measure->overtaking->overtaken, err));
    }
done:
    return status;
}

enum nb_status nb_summary_find_laws(const struct nb_network *networks,
                                    size_t count,
                                    struct nb_simulation_result *out,
                                    struct nb_error *err)
{
    const enum nb_status status =
        summary_find_histograms(networks, count, out, err);
    return status == NB_OK ? summary_find_series(networks, count, out, err)
                           : status;
}
