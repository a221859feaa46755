#include "export/charts/chart_quantities.h"

#include "core/memory.h"
#include "export/charts/chart_plot.h"
#include "model/search.h"

#include <math.h>
#include <string.h>

/* Quantities drawn first, the most wanted first; others follow in order of
 * appearance. */
static const char *const quantities_first[] = {
    "locality",
    "accepted_throughput",
    "throughput",
    "worst_case_throughput",
    "optimal_throughput",
    "optimal_worst_case_throughput",
    "mean_throughput",
    "median_throughput",
    "min_throughput",
    "saturation",
    "mean_latency",
    "latency_p50",
    "latency_p99",
    "mean_delay",
    "delay_quantile",
    "buffer_depth",
    "reorder_depth",
    "throughput_absolute",
    "worst_case_throughput_absolute",
};

/* Quantities that are not results, or show little in a picture. */
static const char *const quantities_never[] = {
    "agreeing",
    "capacity",
    "checks",
    "converged_hops",
    "count",
    "decay_rate",
    "differing",
    "duality_gap",
    "networks",
    "stability",
    "uncertain",
    "variance_delay",
    "variance_latency",
    "variance_occupancy",
    "violated",
    "offered_throughput",
    "offered_throughput_absolute",
    "required_worst_case_throughput",
    "required_worst_case_throughput_absolute",
};

/* In a saturated network, the value of NAME when the simulation ended. */
static const char quantities_measured[] = "_measured";

/* The second one is left out if the first one is drawn: they show the same. */
static const char *const quantities_same[][2] = {
    { "locality", "least_mean_hops" },
    { "throughput", "max_channel_load" },
    { "worst_case_throughput", "worst_case_channel_load" },
    { "mean_latency", "mean_wait" },
    { "mean_latency", "mean_queueing_delay" },
};

static bool quantities_has(const char *const *names, size_t count,
                           const char *name, size_t *place)
{
    for (*place = 0; *place < count; ++*place)
        if (strcmp(names[*place], name) == 0)
            return true;
    return false;
}

/* Whether two values can be distinguished in a picture. */
static bool quantities_differ(double one, double other)
{
    return isinf(one) != isinf(other) || fabs(one - other) > 1e-9 * fabs(other);
}

/* The quantity's rank: its position among those that the model shows, or else
 * among those drawn first; all others follow. false: it is not drawn. */
static bool quantities_rank(const struct nb_model *model, const char *name,
                            size_t number, size_t *rank)
{
    const size_t first = sizeof quantities_first / sizeof *quantities_first;
    size_t never;
    if (model->show_count > 0)
        return quantities_has((const char *const *)model->show,
                              model->show_count, name, rank);
    if (nb_find_is_found(model, name)) { /* the answer */
        *rank = 0;
        return true;
    }
    if (!quantities_has(quantities_first, first, name, rank))
        *rank = first + number;
    ++*rank;
    const size_t length = strlen(name), end = sizeof quantities_measured - 1;
    if (length > end && strcmp(name + length - end, quantities_measured) == 0)
        return false;
    return !quantities_has(quantities_never,
                           sizeof quantities_never / sizeof *quantities_never,
                           name, &never);
}

/* Whether a quantity varies within a curve, or between bars. values: [series],
 * scratch. */
static bool quantities_varies(const struct nb_sweep *sweep,
                              struct nb_drawable *quantity, double *values)
{
    const struct nb_report *report = sweep->report;
    bool varies = false;
    for (size_t s = 0; s < sweep->series_count; s++)
        values[s] = NAN;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_quantity *found =
            nb_point_quantity(&report->points[p], quantity->name);
        double *first = &values[sweep->is_number ? sweep->series[p] : 0];
        if (found == NULL)
            continue;
        quantity->unit = found->unit;
        nb_plot_widen(found->value, false, &quantity->low, &quantity->high);
        if (isnan(*first))
            *first = found->value;
        varies = varies || quantities_differ(found->value, *first);
    }
    return varies && !isnan(quantity->low);
}

static enum nb_status quantities_list(const struct nb_sweep *sweep,
                                      struct nb_drawables *out,
                                      struct nb_error *err)
{
    struct nb_names names = { 0 };
    double *values = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&values, sweep->series_count, sizeof *values, "quantities",
                  err));
    NB_TRY(nb_names_find(sweep->report, NB_NAME_QUANTITY, &names, err));
    NB_TRY(nb_new(&out->quantity, names.count, sizeof *out->quantity,
                  "quantities", err));
    for (size_t i = 0; i < names.count; i++) {
        struct nb_drawable found = {
            .name = names.name[i], .unit = "", .low = NAN, .high = NAN
        };
        if (quantities_rank(&sweep->report->model, found.name, i,
                            &found.rank) &&
            quantities_varies(sweep, &found, values))
            out->quantity[out->count++] = found;
    }
done:
    nb_delete(values);
    nb_names_release(&names);
    return status;
}

static struct nb_drawable *quantities_named(const struct nb_drawables *all,
                                            const char *name, size_t length)
{
    for (size_t i = 0; i < all->count; i++)
        if (strlen(all->quantity[i].name) == length &&
            strncmp(all->quantity[i].name, name, length) == 0)
            return &all->quantity[i];
    return NULL;
}

/* Leaves out quantities that others show as well: absolute rates next to
 * fractions of capacity, and the pairs above. */
static void quantities_leave_out(struct nb_drawables *all)
{
    static const char ending[] = "_absolute";
    for (size_t i = 0; i < all->count; i++) {
        struct nb_drawable *quantity = &all->quantity[i];
        const size_t length = strlen(quantity->name);
        const size_t stem = length - (sizeof ending - 1);
        if (length > sizeof ending &&
            strcmp(quantity->name + stem, ending) == 0 &&
            quantities_named(all, quantity->name, stem) != NULL)
            quantity->is_done = true;
    }
    for (size_t i = 0; i < sizeof quantities_same / sizeof *quantities_same;
         i++) {
        const char *const *pair = quantities_same[i];
        struct nb_drawable *same =
            quantities_named(all, pair[1], strlen(pair[1]));
        if (same != NULL &&
            quantities_named(all, pair[0], strlen(pair[0])) != NULL)
            same->is_done = true;
    }
}

/* Percentiles share a chart, separate from means. */
static bool quantities_is_percentile(const struct nb_drawable *quantity)
{
    return strncmp(quantity->name, "latency_p", strlen("latency_p")) == 0;
}

/* Whether two quantities can share an axis: the same unit, and similar size
 * unless they are percentiles or a family of pure numbers,
 * "terminals_clos_2". */
static bool quantities_fit(const struct nb_drawable *one,
                           const struct nb_drawable *other)
{
    enum { APART = 10 };
    if (strcmp(one->unit, other->unit) != 0)
        return false;
    if (quantities_is_percentile(one) || quantities_is_percentile(other))
        return quantities_is_percentile(one) && quantities_is_percentile(other);
    if (!nb_view_has_unit(one->unit)) {
        const size_t stem = strcspn(one->name, "_");
        return strncmp(one->name, other->name, stem + 1) == 0;
    }
    return one->high <= APART * other->high && other->high <= APART * one->high;
}

enum nb_status nb_drawables_find(const struct nb_sweep *sweep,
                                 struct nb_drawables *out, struct nb_error *err)
{
    const enum nb_status status = quantities_list(sweep, out, err);
    if (status == NB_OK && sweep->report->model.show_count == 0)
        quantities_leave_out(out);
    return status;
}

void nb_drawables_release(struct nb_drawables *all)
{
    nb_delete(all->quantity);
    *all = (struct nb_drawables){ 0 };
}

size_t nb_drawables_take(struct nb_drawables *all,
                         const struct nb_drawable **members)
{
    struct nb_drawable *leader = NULL;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!all->quantity[i].is_done &&
            (leader == NULL || all->quantity[i].rank < leader->rank))
            leader = &all->quantity[i];
    if (leader == NULL)
        return 0;
    leader->is_done = true;
    members[count++] = leader;
    for (size_t i = 0; i < all->count; i++) {
        struct nb_drawable *other = &all->quantity[i];
        if (other->is_done || !quantities_fit(leader, other))
            continue;
        other->is_done = true;
        members[count++] = other;
    }
    return count;
}

/* The number of bytes that two names share at their ends (or beginnings), in
 * whole words. */
static size_t quantities_shared(const char *one, const char *other, bool is_end)
{
    const size_t length = strlen(one), other_length = strlen(other);
    size_t shared = 0, words = 0;
    for (;; shared++) {
        const bool is_over = shared == length,
                   other_is = shared == other_length;
        const char a = is_over  ? '_'
                       : is_end ? one[length - 1 - shared]
                                : one[shared];
        const char b = other_is ? '_'
                       : is_end ? other[other_length - 1 - shared]
                                : other[shared];
        if (a != b)
            return words;
        if (a == '_')
            words = shared;
        if (is_over || other_is)
            return words;
    }
}

void nb_drawables_name(const struct nb_drawable *const *members, size_t count,
                       struct nb_text *text)
{
    const char *name = members[0]->name;
    size_t end = strlen(name), start = end;
    for (size_t i = 1; i < count; i++) {
        const size_t at_end = quantities_shared(name, members[i]->name, true);
        const size_t at_start =
            quantities_shared(name, members[i]->name, false);
        end = at_end < end ? at_end : end;
        start = at_start < start ? at_start : start;
    }
    struct nb_text words = { 0 };
    if (end > 0)
        nb_text_add(&words, name + strlen(name) - end, end);
    else
        nb_text_add(&words, name, start);
    text->has_failed |= words.has_failed;
    nb_text_add(text, "", 0);
    if (!words.has_failed)
        nb_words_add(text, words.bytes);
    nb_text_release(&words);
}
