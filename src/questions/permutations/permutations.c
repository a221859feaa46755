#include "questions/permutations/permutations_question.h"

#include "core/try.h"
#include "questions/permutations/adaptive_permutations.h"
#include "load/permutation_sample.h"
#include "core/unit.h"

#include <math.h>

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
    const struct nb_enclosure capacity = answer->problem.capacity.rate;
    const struct nb_interval mean = answer->sample.mean;
    const struct nb_interval fraction = {
        .value = mean.value / (capacity.lower / 2 + capacity.upper / 2),
        .lower = permutations_divide(mean.lower, capacity.upper, 0),
        .upper = permutations_divide(mean.upper, capacity.lower, INFINITY),
    };
    if (permutations_are_fixed(answer))
        nb_problem_add_rate(
            &answer->problem, out, "mean_throughput",
            nb_permutation_throughput(&answer->loads, answer->sample.peak[0]),
            "every permutation loads the channels equally",
            PERMUTATIONS_SOURCE);
    else
        nb_problem_add_estimate(&answer->problem, out, "mean_throughput", mean,
                                fraction, method, PERMUTATIONS_SOURCE);
}

static void
permutations_add_quantities(const struct nb_permutations_answer *answer,
                            struct nb_point *out)
{
    static const struct {
        const char *name;
        unsigned percent; /* 0, 100: the least, the greatest */
    } quantiles[] = {
        { "min_throughput", 0 },          { "quantile_01_throughput", 1 },
        { "quantile_05_throughput", 5 },  { "median_throughput", 50 },
        { "quantile_95_throughput", 95 }, { "quantile_99_throughput", 99 },
        { "max_throughput", 100 },
    };
    const struct nb_permutation_sample *sample = &answer->sample;
    permutations_add_mean(answer, out);
    for (size_t q = 0; q < sizeof quantiles / sizeof *quantiles; q++) {
        const unsigned percent = quantiles[q].percent;
        const union nb_load_cell peak =
            percent == 0     ? sample->peak[0]
            : percent == 100 ? sample->peak[sample->count - 1]
                             : nb_permutation_sample_quantile(sample, percent);
        nb_problem_add_rate(
            &answer->problem, out, quantiles[q].name,
            nb_permutation_throughput(&answer->loads, peak),
            answer->loads.is_exact
                ? "order statistic of the sample, loads exact"
                : "order statistic of the sample, loads in doubles, bracketed",
            PERMUTATIONS_SOURCE);
    }
    nb_permutations_add_count(answer, sample->count, out);
}

static void permutations_add_notes(const struct nb_permutations_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_permutation_sample *sample = &answer->sample;
    const size_t busy = sample->count - sample->idle_count;
    const size_t limited =
        nb_permutation_sample_limited(&answer->loads, sample);
    char bandwidth[NB_RATIO_TEXT];
    const bool is_alike = busy > 0 && nb_permutation_sample_run(
                                          &answer->loads, sample, 0) == busy;
    nb_permutations_note_worst(sample->worst, sample->count, out);
    nb_point_note(
        out, "sample",
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
    if (limited > 0) {
        nb_ratio_print(answer->problem.topology.terminal_bandwidth, bandwidth);
        nb_point_note(out, "terminal_limit",
                      "only the terminals' channels, of bandwidth %s "
                      "packets/cycle, limit the throughput of %zu permutations",
                      bandwidth, limited);
    }
    nb_permutations_note_idle(sample->idle_count, out);
}

/* The bin of a throughput, from 0; +inf for an infinite one. */
static double permutations_bin(const struct nb_permutations_answer *answer,
                               union nb_load_cell peak)
{
    const struct nb_enclosure found =
        nb_permutation_throughput(&answer->loads, peak);
    const struct nb_enclosure fraction =
        nb_enclosure_divide(found, answer->problem.capacity.rate);
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
    const size_t table = nb_table_start(out, &nb_permutations_histogram);
    size_t first = 0, end = 0;
    while (first < sample->count) {
        const double bin = permutations_bin(answer, sample->peak[first]);
        do
            end = nb_permutation_sample_run(&answer->loads, sample, end);
        while (end < sample->count &&
               permutations_bin(answer, sample->peak[end]) <= bin);
        nb_permutations_add_bin(answer, bin, end - first, sample->count, table,
                                out);
        first = end;
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

static enum nb_status
permutations_compute(const struct nb_permutations_question *request,
                     const struct nb_run *run,
                     struct nb_permutations_answer *out, struct nb_error *err)
{
    const struct nb_network_names names = { .topology = request->topology,
                                            .routing = request->routing };
    const char *refused = request->simulate != NULL         ? "--simulate"
                          : nb_ratio_is_known(request->gap) ? "--gap"
                                                            : NULL;
    enum nb_status status = NB_OK;
    out->bins = request->bins;
    NB_TRY(nb_problem_open(&names, run, &out->problem, err));
    if (out->problem.routing.kind->is_adaptive)
        return nb_adaptive_permutations_find(request, run, out, err);
    if (refused != NULL)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "%s is not permitted with --routing %s, whose "
                       "throughputs are exact (permitted with: adaptive "
                       "schemes)",
                       refused, request->routing));
    NB_TRY(nb_permutation_loads_find(&out->problem.routing, NB_KERNEL_BEST, run,
                                     &out->loads, err));
    NB_TRY(nb_permutation_sample_draw(&out->loads, (uint64_t)request->seed,
                                      (size_t)request->count, run, &out->sample,
                                      err));
done:
    return status;
}

static void permutations_report(const struct nb_permutations_answer *answer,
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
    nb_permutations_add_worst(answer->sample.worst_permutation,
                              answer->loads.terminal_count, out);
}

NB_DEFINE_QUESTION(permutations);
NB_DEFINE_RELEASE(permutations);

const struct nb_question_kind nb_question_kind_permutations = {
    .form = {
        .name = "permutations",
.summary = "throughput of a routing over random permutations",
        .example = "netbound permutations --topology torus:8x8 --routing rlb "
                   "--count 100000",
        .title = "<Throughput> of {routing} on {topology}, random permutations",
        .options = permutations_options,
        .tables =
            NB_TABLES(&nb_permutations_histogram, &nb_permutations_worst,
                      &nb_adaptive_permutations),
    },
    NB_CALLS_OF(permutations),
    .release = permutations_release,
};
