/* The checks delay and reorder: distributions of a packet's whole way through a
 * fat tree (declared in validate.h). */
#include "questions/validate/validate_laws.h"

#include "core/try.h"

#include <math.h>
#include <stdio.h>

/* So small that the tail predicted goes on beyond what a simulation sees. */
#define DELAY_OVERFLOW "1e-9"
/* Chance that any value's interval misses where all are held against a bound.
 */
#define DELAY_LEVEL 0.05

static const struct nb_histogram *
delay_latencies(const struct nb_simulation_result *result, size_t unused)
{
    (void)unused;
    return &result->latencies;
}

static const struct nb_histogram *
delay_overtaking(const struct nb_simulation_result *result, size_t unused)
{
    (void)unused;
    return &result->reorder;
}

/* The depth of a distribution at the probability that is compared, and its
 * tail. */
static void delay_add_law(struct nb_validation *validation,
                          const char *distribution,
                          const struct nb_tail *predicted,
                          const struct nb_tails *simulated)
{
    const double depth = nb_tail_depth(predicted, NB_VALIDATE_PROBABILITY);
    char name[80];
    snprintf(name, sizeof name, "%s at %g", distribution,
             NB_VALIDATE_PROBABILITY);
    nb_validation_add_estimate(
        validation, name, NB_VALIDATE_APPROXIMATION,
        (struct nb_bracket){ depth, depth },
        nb_interval_of(nb_tails_depth(simulated, NB_VALIDATE_PROBABILITY,
                                      NB_VALIDATE_CONFIDENCE),
                       INFINITY),
        nb_validation_tolerance(validation, NB_VALIDATE_CONVERGED));
    nb_validation_add_tails(validation, distribution, predicted, simulated,
                            NB_VALIDATE_CONFIDENCE);
}

static double delay_mean(const struct nb_simulation_result *result)
{
    return result->latency.mean;
}

/* What is asked of a packet's delay at a hop. */
static const struct {
    const char *distribution, *mean, *delay, *reorder, *bound;
} delay_laws[] = {
    { "wait", "mean_latency, waits", "delay, waits", "reorder, waits",
      "theorem 7, waits" },
    { "queue", "mean_latency, queues", "delay, queues", "reorder, queues",
      "theorem 7, queues" },
};
enum { DELAY_LAWS = sizeof delay_laws / sizeof *delay_laws };

enum nb_status nb_validate_delay(struct nb_validation *validation,
                                 struct nb_error *err)
{
    struct nb_point point = { 0 };
    struct nb_tail predicted = { 0 };
    struct nb_tails simulated = { 0 };
    struct nb_estimate latency;
    enum nb_status status;
    NB_TRY(nb_validation_replicate(validation, err));
    NB_TRY(nb_tails_find(validation, delay_latencies, 0, &simulated, err));
    NB_TRY(nb_validation_estimate(validation, delay_mean,
                                  NB_VALIDATE_CONFIDENCE, &latency, err));
    for (size_t i = 0; i < DELAY_LAWS; i++) {
        const char *const options[] = { "law", delay_laws[i].distribution,
                                        "overflow", DELAY_OVERFLOW, NULL };
        nb_point_release(&point);
        nb_tail_release(&predicted);
        NB_TRY(nb_validation_ask(validation, "delay", options, &point, err));
        NB_TRY(nb_tail_of_table(nb_point_table(&point, "ccdf"), "delay",
                                "probability", &predicted, err));
        const struct nb_quantity *mean =
            nb_point_quantity(&point, "mean_delay");
        nb_validation_add_estimate(
            validation, delay_laws[i].mean, NB_VALIDATE_APPROXIMATION,
            (struct nb_bracket){ mean->lower, mean->upper },
            nb_interval_of(latency, INFINITY),
            nb_validation_tolerance(validation, NB_VALIDATE_CONVERGED));
        delay_add_law(validation, delay_laws[i].delay, &predicted, &simulated);
    }
done:
    nb_tails_release(&simulated);
    nb_tail_release(&predicted);
    nb_point_release(&point);
    return status;
}

/* How near the bound what was found is: beyond 1 if it is violated. */
static double delay_nearness(double bound, struct nb_estimate found)
{
    const double lower = found.mean - found.half_width;
    return lower > bound ? lower / bound : fmin(1, found.mean / bound);
}

/* The bound at the value where it is violated most, or is nearest to be. */
static void delay_add_bound(struct nb_validation *validation, const char *name,
                            const struct nb_tail *bound,
                            const struct nb_tails *simulated)
{
    const double confidence = 1 - DELAY_LEVEL / (double)(simulated->length + 1);
    struct nb_estimate worst_found = { 1, 0 };
    size_t worst = 0;
    double nearest = 0, most = 1;
    char text[80];
    for (size_t n = 1; n < simulated->length; n++) {
        const struct nb_estimate found =
            nb_tails_at(simulated, (double)n, confidence);
        const double here = nb_tail_at(bound, (double)n);
        if (isnan(here) || !(delay_nearness(here, found) > nearest))
            continue; /* beyond the bound's table, or farther */
        nearest = delay_nearness(here, found);
        worst = n;
        worst_found = found;
        most = here;
    }
    snprintf(text, sizeof text, "%s, at %zu", name, worst);
    nb_validation_add_estimate(validation, text, NB_VALIDATE_BOUND,
                               (struct nb_bracket){ -INFINITY, most },
                               nb_interval_of(worst_found, 1), 0);
}

enum nb_status nb_validate_reorder(struct nb_validation *validation,
                                   struct nb_error *err)
{
    struct nb_point point = { 0 };
    struct nb_tail predicted = { 0 }, bound = { 0 };
    struct nb_tails simulated = { 0 };
    enum nb_status status;
    NB_TRY(nb_validation_replicate(validation, err));
    NB_TRY(nb_tails_find(validation, delay_overtaking, 0, &simulated, err));
    for (size_t i = 0; i < DELAY_LAWS; i++) {
        const char *const options[] = { "law", delay_laws[i].distribution,
                                        "overflow", DELAY_OVERFLOW, NULL };
        nb_point_release(&point);
        nb_tail_release(&predicted);
        nb_tail_release(&bound);
        NB_TRY(nb_validation_ask(validation, "reorder", options, &point, err));
        const struct nb_table *table = nb_point_table(&point, "ccdf");
        NB_TRY(
            nb_tail_of_table(table, "depth", "probability", &predicted, err));
        delay_add_law(validation, delay_laws[i].reorder, &predicted,
                      &simulated);
        if (nb_point_quantity(&point, "reorder_depth_bound") == NULL)
            continue; /* bursts: theorem 7 is not of them */
        NB_TRY(nb_tail_of_table(table, "depth", "bound", &bound, err));
        delay_add_bound(validation, delay_laws[i].bound, &bound, &simulated);
    }
done:
    nb_tails_release(&simulated);
    nb_tail_release(&predicted);
    nb_tail_release(&bound);
    nb_point_release(&point);
    return status;
}
