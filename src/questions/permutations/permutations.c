#include "questions/permutations/permutations_question.h"

#include "core/try.h"
#include "questions/permutations/adaptive_permutations.h"
#include "load/permutation_sample.h"
#include "report/tree.h"
#include "core/unit.h"

#include <math.h>
#include <stdio.h>

#define PERMUTATIONS(field) offsetof(struct nb_permutations_question, field)

static const struct nb_parameter permutations_options[] = {
    NB_OPTION_TOPOLOGY(PERMUTATIONS(topology)),
    NB_OPTION_ROUTING(PERMUTATIONS(routing)),
    NB_OPTION("count", PERMUTATIONS(count), MEASUREMENT, WHOLE, "10000",
              "number of permutations of the terminals to draw", .least = 2,
              .most = 1e9),
    NB_OPTION("seed", PERMUTATIONS(seed), MEASUREMENT, WHOLE, "1",
              "seed of the permutations", .least = 0, .most = 0x1p53),
    NB_OPTION("bins", PERMUTATIONS(bins), OUTPUT, WHOLE, "100",
              "number of bins of the histogram, which spans 0 to capacity",
              .least = 1, .most = 1e6),
    NB_OPTION("gap", PERMUTATIONS(gap), RUN, NUMBER, "",
              "adaptive schemes: stop at this relative width of a bracket; "
              "default: exact if possible",
              .most = 0.99, .unit = "fraction"),
    NB_OPTION("simulate", PERMUTATIONS(simulate), MEASUREMENT, WORD, "",
              "adaptive schemes: N:OPTION=VALUE,... also simulates the first N "
              "permutations",
              .detail = "Finds the saturation of each with these options of "
                        "netbound simulate, by default to 5 %."),
    NB_OPTION_CLOCK(PERMUTATIONS(clock)),
    { 0 },
};

#define PERMUTATIONS_SOURCE "Singh2005, section 3.3.5"

/* A throughput of the sample, as a fraction of capacity and absolute. */
static void permutations_add(const struct nb_permutations_answer *answer,
                             struct nb_point *out, const char *name,
                             const char *method, union nb_load_cell peak)
{
    const struct nb_capacity *capacity = &answer->problem.capacity;
    const struct nb_enclosure found =
        nb_permutation_throughput(&answer->loads, peak);
    const struct nb_enclosure absolute = { found.exact, found.lower,
                                           found.upper };
    char longer[64];
    snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isinf(capacity->rate.upper))
        nb_point_add_enclosure(
            out, name, nb_enclosure_divide(absolute, capacity->rate),
            "fraction of capacity", method, PERMUTATIONS_SOURCE);
    nb_point_add_enclosure(out, longer, absolute, "packets/cycle/terminal",
                           method, PERMUTATIONS_SOURCE);
}

/* Whether no permutation can have another throughput. */
static bool permutations_are_fixed(const struct nb_permutations_answer *answer)
{
    return answer->loads.is_exact && answer->loads.kernel == NB_KERNEL_FIXED &&
           isfinite(answer->sample.mean.value);
}

/* A quotient, rounded toward a number; by 1 it is exact. */
static double permutations_divide(double a, double b, double toward)
{
    return b == 1 ? a : nextafter(a / b, toward);
}

/* The interval need not be symmetric about the mean. */
static void permutations_add_mean(const struct nb_permutations_answer *answer,
                                  struct nb_point *out)
{
    static const char method[] =
        "mean of the sample; 95 % confidence interval: Wilson's, extended to "
        "more than two values (each end is the mean of the sample tilted "
        "exponentially until that mean is t deviations off)";
    const struct nb_capacity *capacity = &answer->problem.capacity;
    const struct nb_permutation_sample *sample = &answer->sample;
    const struct nb_quantity absolute = { .value = sample->mean.value,
                                          .lower = sample->mean.lower,
                                          .upper = sample->mean.upper };
    const struct nb_quantity fraction = {
        .value = sample->mean.value /
                 (capacity->rate.lower / 2 + capacity->rate.upper / 2),
        .lower =
            permutations_divide(sample->mean.lower, capacity->rate.upper, 0),
        .upper = permutations_divide(sample->mean.upper, capacity->rate.lower,
                                     INFINITY),
    };
    if (permutations_are_fixed(answer)) {
        permutations_add(answer, out, "mean_throughput",
                         "every permutation loads the channels equally",
                         sample->peak[0]);
        return;
    }
    if (!isinf(capacity->rate.upper))
        nb_point_add_quantity(out, &fraction, "mean_throughput",
                              "fraction of capacity", method,
                              PERMUTATIONS_SOURCE);
    nb_point_add_quantity(out, &absolute, "mean_throughput_absolute",
                          "packets/cycle/terminal", method,
                          PERMUTATIONS_SOURCE);
}

static void
permutations_add_quantities(const struct nb_permutations_answer *answer,
                            struct nb_point *out)
{
    static const struct {
        const char *name;
        unsigned percent;
    } quantiles[] = {
        { "quantile_01_throughput", 1 },  { "quantile_05_throughput", 5 },
        { "median_throughput", 50 },      { "quantile_95_throughput", 95 },
        { "quantile_99_throughput", 99 },
    };
    const struct nb_permutation_sample *sample = &answer->sample;
    const char *method =
        answer->loads.is_exact
            ? "order statistic of the sample, loads exact"
            : "order statistic of the sample, loads in doubles, bracketed";
    permutations_add_mean(answer, out);
    permutations_add(answer, out, "min_throughput", method, sample->peak[0]);
    for (size_t q = 0; q < sizeof quantiles / sizeof *quantiles; q++)
        permutations_add(
            answer, out, quantiles[q].name, method,
            nb_permutation_sample_quantile(sample, quantiles[q].percent));
    permutations_add(answer, out, "max_throughput", method,
                     sample->peak[sample->count - 1]);
    nb_point_add_exact(out, "count", nb_ratio_make((nb_int128)sample->count, 1),
                       "permutations", "counting", "");
    nb_problem_add_capacity(&answer->problem, out);
}

/* Notes how many permutations are limited only by the terminals' channels:
 * those whose peaks are below all others. */
static void permutations_note_limit(const struct nb_permutations_answer *answer,
                                    struct nb_point *out)
{
    const struct nb_permutation_loads *loads = &answer->loads;
    const struct nb_permutation_sample *sample = &answer->sample;
    struct nb_permutation_loads alone = *loads;
    char bandwidth[NB_RATIO_TEXT], text[200];
    double lower, limit;
    size_t count = 0;
    nb_ratio_bracket(loads->terminal_limit, &lower, &limit);
    alone.terminal_limit = nb_ratio_infinity;
    while (count < sample->count) {
        const struct nb_enclosure found = nb_permutation_throughput(
            &alone, sample->peak[sample->count - 1 - count]);
        if (loads->is_exact
                ? nb_ratio_compare(found.exact, loads->terminal_limit) <= 0
                : found.lower <= limit)
            break;
        count++;
    }
    if (count == 0)
        return;
    nb_ratio_print(answer->problem.topology.terminal_bandwidth, bandwidth);
    snprintf(text, sizeof text,
             "only the terminals' channels, of bandwidth %s packets/cycle, "
             "limit the throughput of %zu permutations",
             bandwidth, count);
    nb_point_add_note(out, "terminal_limit", text);
}

static void permutations_add_notes(const struct nb_permutations_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_permutation_sample *sample = &answer->sample;
    char text[300];
    snprintf(text, sizeof text,
             "permutation %zu of 0 .. %zu, listed in the table "
             "worst_permutation",
             sample->worst, sample->count - 1);
    nb_point_add_note(out, "worst_permutation", text);
    const size_t busy = sample->count - sample->idle_count;
    const bool is_alike = busy > 0 && nb_permutation_sample_run(
                                          &answer->loads, sample, 0) == busy;
    snprintf(text, sizeof text,
             permutations_are_fixed(answer)
                 ? "every permutation has this throughput, not only these %zu"
             : is_alike
                 ? "all %zu sampled permutations have the same throughput; "
                   "this does not prove it for all permutations: with 95 %% "
                   "confidence, a share below 1 - 0.05^(1/%zu) has a different "
                   "one; minimum, maximum and quantiles are the sample's"
                 : "the interval of the mean is an approximate 95 %% "
                   "confidence interval, from %zu permutations; minimum, "
                   "maximum and quantiles are the sample's",
             busy, busy);
    nb_point_add_note(out, "sample", text);
    permutations_note_limit(answer, out);
    if (sample->idle_count == 0)
        return;
    snprintf(text, sizeof text,
             "%zu of the permutations load no channel: their throughput is "
             "infinite, and the mean is over the others",
             sample->idle_count);
    nb_point_add_note(out, "idle_permutations", text);
}

/* The bin of a throughput, from 0; +inf for an infinite one. */
static double permutations_bin(const struct nb_permutations_answer *answer,
                               union nb_load_cell peak)
{
    const struct nb_enclosure found =
        nb_permutation_throughput(&answer->loads, peak);
    const struct nb_enclosure fraction = nb_enclosure_divide(
        (struct nb_enclosure){ found.exact, found.lower, found.upper },
        answer->problem.capacity.rate);
    const struct nb_ratio exact = fraction.exact;
    if (isinf(found.lower))
        return INFINITY;
    if (nb_ratio_is_known(exact))
        return (double)((nb_int128)exact.numerator * answer->bins /
                        exact.denominator);
    return floor((fraction.lower / 2 + fraction.upper / 2) *
                 (double)answer->bins);
}

/* The histogram; only bins with permutations. */
static void
permutations_add_histogram(const struct nb_permutations_answer *answer,
                           struct nb_point *out)
{
    const struct nb_permutation_sample *sample = &answer->sample;
    const double bins = (double)answer->bins;
    const size_t table = nb_point_add_table(
        out, "histogram", false,
        "lower:number [fraction of capacity],"
        "upper:number [fraction of capacity],count,fraction:number");
    size_t first = 0, end = 0;
    while (first < sample->count) {
        const double bin = permutations_bin(answer, sample->peak[first]);
        do
            end = nb_permutation_sample_run(&answer->loads, sample, end);
        while (end < sample->count &&
               permutations_bin(answer, sample->peak[end]) <= bin);
        nb_table_add_number(out, table, bin / bins);
        nb_table_add_number(out, table, (bin + 1) / bins);
        nb_table_add_whole(out, table, (int64_t)(end - first));
        nb_table_add_number(out, table,
                            (double)(end - first) / (double)sample->count);
        first = end;
    }
}

static void permutations_add_worst(const struct nb_permutations_answer *answer,
                                   struct nb_point *out)
{
    const size_t table = nb_point_add_table(out, "worst_permutation", false,
                                            "source,destination");
    for (size_t t = 0; t < answer->loads.terminal_count; t++) {
        nb_table_add_whole(out, table, (int64_t)t);
        nb_table_add_whole(out, table, answer->sample.worst_permutation[t]);
    }
}

void nb_permutations_answer_release(struct nb_permutations_answer *answer)
{
    nb_permutation_sample_release(&answer->sample);
    nb_permutation_loads_release(&answer->loads);
    nb_permutation_bounds_release(&answer->bounds);
    nb_delete(answer->simulated);
    answer->simulated = NULL;
    nb_problem_release(&answer->problem);
}

enum nb_status
nb_permutations_ask(const struct nb_permutations_question *request,
                    const struct nb_run *run,
                    struct nb_permutations_answer *out, struct nb_error *err)
{
    *out = (struct nb_permutations_answer){ 0 };
    const enum nb_status held =
        nb_request_check("permutations", permutations_options, request, err);
    if (held != NB_OK)
        return held;
    const struct nb_network_names names = { .topology = request->topology,
                                            .routing = request->routing };
    enum nb_status status = NB_OK;
    *out = (struct nb_permutations_answer){ .bins = request->bins };
    NB_TRY(nb_problem_open(&names, run, &out->problem, err));
    if (out->problem.routing.kind->is_adaptive) {
        NB_TRY(nb_adaptive_permutations_find(request, run, out, err));
        return NB_OK;
    }
    if (request->simulate != NULL)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--simulate is not permitted with --routing %s, whose "
                       "throughputs are exact (permitted with: adaptive "
                       "schemes)",
                       request->routing));
    if (nb_ratio_is_known(request->gap))
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--gap is not permitted with --routing %s, whose "
                       "throughputs are exact (permitted with: adaptive "
                       "schemes)",
                       request->routing));
    NB_TRY(nb_permutation_loads_find(&out->problem.routing, NB_KERNEL_BEST, run,
                                     &out->loads, err));
    NB_TRY(nb_permutation_sample_draw(&out->loads, (uint64_t)request->seed,
                                      (size_t)request->count, run, &out->sample,
                                      err));
done:
    if (status != NB_OK)
        nb_permutations_answer_release(out);
    return status;
}

void nb_permutations_report(const struct nb_permutations_answer *answer,
                            struct nb_point *out)
{
    if (answer->problem.topology.router_count == 0) /* nothing was found */
        return;
    if (answer->bounds.count > 0) {
        nb_adaptive_permutations_report(answer, out);
        return;
    }
    permutations_add_quantities(answer, out);
    permutations_add_notes(answer, out);
    permutations_add_histogram(answer, out);
    permutations_add_worst(answer, out);
}

NB_DEFINE_ANSWER(permutations)

const struct nb_question_kind nb_question_kind_permutations = {
    .form = {
        .name = "permutations",
.summary = "throughput of a routing over random permutations",
        .example = "netbound permutations --topology torus:8x8 --routing rlb "
                   "--count 100000",
        .title = "<Throughput> of {routing} on {topology}, random permutations",
        .options = permutations_options,
        .tables = "histogram worst_permutation permutations",
    },
    .size = sizeof(struct nb_permutations_question),
    .answer = permutations_answer,
};
