/* The checks queues, delay and reorder: distributions of a fat tree's queues
 * and of a packet's whole path through them (declared in validate.h). */
#include "questions/validate/validate_laws.h"

#include "core/locale.h"
#include "core/memory.h"
#include "questions/buffer/buffer_question.h"
#include "questions/delay/delay_question.h"
#include "questions/reorder/reorder_question.h"

#include <math.h>
#include <stdio.h>

/* The probability at which depths are compared, the confidence, and the
 * relative error that counts as convergence. Source: [Singh2005, section
 * 7.4.1]. */
#define QUEUES_PROBABILITY 1e-3
#define QUEUES_CONFIDENCE  0.99
#define QUEUES_CONVERGED   0.03
/* Small enough for the predicted tails to extend beyond those that a simulation
 * observes. */
#define QUEUES_OVERFLOW       1e-12
#define QUEUES_DELAY_OVERFLOW 1e-9
/* Probability that the interval of any value misses, when all are compared with
 * a bound. */
#define QUEUES_LEVEL 0.05

/* A named distribution: the prediction and the replications. */
struct queues_law {
    const char *name;
    struct nb_tail predicted;
    struct nb_interval mean;
    struct nb_tail bound; /* by theorem 7, where it holds */
    bool has_bound;
    struct nb_tails simulated;
};

static void queues_release(struct queues_law *law)
{
    nb_tail_release(&law->predicted);
    nb_tail_release(&law->bound);
    nb_tails_release(&law->simulated);
}

/* Adds the tails, each value with its own interval. */
static void queues_add_tails(struct nb_validate_answer *answer,
                             const struct queues_law *law)
{
    answer->has_tails = true;
    for (size_t n = 0; n < law->simulated.length; n++) {
        struct nb_validation_item item = {
            .value = n,
            .predicted.value = nb_tail_at(&law->predicted, (double)n),
            .simulated = nb_interval_of(
                nb_tails_at(&law->simulated, (double)n, QUEUES_CONFIDENCE), 1),
        };
        snprintf(item.name, sizeof item.name, "%s", law->name);
        nb_validation_append(answer, &answer->tails, &item);
    }
}

/* A simulated mean or depth; infinite if the network is saturated, since it
 * grows with the run, with the measured interval's lower end. */
static struct nb_interval
queues_simulated(const struct nb_validate_answer *answer,
                 struct nb_estimate estimate)
{
    const struct nb_interval measured = nb_interval_of(estimate, INFINITY);
    for (size_t i = 0; i < answer->simulation.plan.replications; i++)
        if (answer->replication[i].stability == NB_SATURATED)
            return (struct nb_interval){ INFINITY, measured.lower, INFINITY };
    return measured;
}

/* Adds the depth of a distribution at the compared probability, and its
 * tail. */
static void queues_add_law(struct nb_validate_answer *answer, const char *name,
                           enum nb_validation_kind kind,
                           const struct queues_law *law)
{
    const double depth = nb_tail_depth(&law->predicted, QUEUES_PROBABILITY);
    nb_validation_add(
        answer, name, kind, (struct nb_interval){ depth, depth, depth },
        queues_simulated(answer,
                         nb_tails_depth(&law->simulated, QUEUES_PROBABILITY,
                                        QUEUES_CONFIDENCE)),
        nb_validation_tolerance(answer, QUEUES_CONVERGED));
    queues_add_tails(answer, law);
}

const char *nb_validation_converged(const struct nb_validation_item *depth)
{
    const double least = (1 - depth->tolerance) * depth->predicted.value;
    const double most = (1 + depth->tolerance) * depth->predicted.value;
    const struct nb_interval found = depth->simulated;
    if (found.lower >= least && found.upper <= most)
        return "yes";
    return found.lower > most || found.upper < least ? "no" : "uncertain";
}

static double queues_buffer_at(const void *of, double n)
{
    const struct nb_distribution *distribution = of;
    const struct nb_bracket tail =
        nb_distribution_tail_bracket(distribution, n);
    const double value = nb_distribution_tail(distribution, n);
    return fmin(fmax(value, tail.lower), tail.upper);
}

/* Predicts the tail of a queue's depth. */
static enum nb_status queues_predict(const struct nb_validate_answer *answer,
                                     struct nb_tail *out, struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_buffer_question request = {
        .radix = answer->simulation.problem.topology.tree.arity,
        .load = network->load,
        .rate = network->rate,
        .arrivals = network->arrivals,
        .overflow = QUEUES_OVERFLOW,
    };
    struct nb_buffer_answer found;
    double depth = -1;
    enum nb_status status = NB_OK;
    NB_TRY(nb_buffer_ask(&request, NULL, &found, err));
    if (found.is_stable)
        depth =
            nb_distribution_depth(&found.distribution, QUEUES_OVERFLOW).upper;
    const double last = depth < 0 ? -1 : depth + ceil(depth / 20) + 1;
    NB_TRY(nb_tail_of(queues_buffer_at, &found.distribution, last, out, err));
done:
    nb_buffer_answer_release(&found);
    return status;
}

/* An item for every hop. At the first hop the arrivals have the given
 * distribution; at later hops this is assumed. */
enum nb_status nb_validate_queues(struct nb_validate_answer *answer,
                                  const struct nb_run *run,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = &answer->simulation.problem.topology;
    const size_t hops = nb_queue_class_count(topology);
    char class[32], name[80];
    struct queues_law law = { .name = class };
    double converged = 0;
    enum nb_status status = NB_OK;
    NB_TRY(queues_predict(answer, &law.predicted, err));
    NB_TRY(nb_validation_replicate(answer, run, err));
    answer->first_hop = answer->items.count;
    for (size_t hop = 0; hop < hops; hop++) {
        nb_queue_class_name(topology, hop, class);
        nb_snprintf(name, sizeof name, "depth at %g, %s", QUEUES_PROBABILITY,
                    class);
        nb_tails_release(&law.simulated);
        NB_TRY(nb_tails_find(answer, (int)hop, &law.simulated, err));
        queues_add_law(answer, name,
                       hop == 0 ? NB_VALIDATE_EXACT : NB_VALIDATE_APPROXIMATION,
                       &law);
    }
    for (size_t i = answer->first_hop; i < answer->items.count;
         i++, answer->hops++)
        converged += *nb_validation_converged(&answer->items.item[i]) == 'y';
    nb_validation_add_quantity(
        answer, "converged_hops",
        (struct nb_interval){ converged, converged, converged }, "hops");
done:
    queues_release(&law);
    return status;
}

static double queues_mean(const struct nb_simulation_result *result)
{
    return result->latency.mean;
}

/* The distributions of a packet's delay at a hop; see enum nb_hop_law. */
static const struct {
    int distribution;
    const char *mean, *delay, *reorder, *bound;
} queues_laws[] = {
    { NB_HOP_WAIT, "mean_latency, waits", "delay, waits", "reorder, waits",
      "theorem 7, waits" },
    { NB_HOP_QUEUE, "mean_latency, queues", "delay, queues", "reorder, queues",
      "theorem 7, queues" },
};
enum { QUEUES_LAWS = sizeof queues_laws / sizeof *queues_laws };

/* Adds an item "delay, waits at 0.001", and the tail. */
static void queues_add_way(struct nb_validate_answer *answer,
                           const struct queues_law *law)
{
    char name[80];
    nb_snprintf(name, sizeof name, "%s at %g", law->name, QUEUES_PROBABILITY);
    queues_add_law(answer, name, NB_VALIDATE_APPROXIMATION, law);
}

static double queues_delay_at(const void *of, double n)
{
    const struct nb_bracket tail = nb_delay_tail(of, n);
    return tail.lower + (tail.upper - tail.lower) / 2;
}

/* Predicts the tail of a packet's delay, and its mean. */
static enum nb_status
queues_predict_delay(const struct nb_validate_answer *answer, int distribution,
                     struct queues_law *out, struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_delay_question request = {
        .topology = network->topology,
        .traffic = network->traffic,
        .routing = NB_DELAY_RRR,
        .load = network->load,
        .rate = network->rate,
        .arrivals = network->arrivals,
        .distribution = distribution,
        .overflow = QUEUES_DELAY_OVERFLOW,
    };
    struct nb_delay_answer found;
    enum nb_status status = NB_OK;
    nb_tail_release(&out->predicted);
    NB_TRY(nb_delay_ask(&request, NULL, &found, err));
    out->mean = nb_validation_predicted(found.mean);
    NB_TRY(nb_tail_of(queues_delay_at, &found.paths.delay,
                      found.is_saturated ? -1 : found.quantile.upper + 1,
                      &out->predicted, err));
done:
    nb_delay_answer_release(&found);
    return status;
}

enum nb_status nb_validate_delay(struct nb_validate_answer *answer,
                                 const struct nb_run *run, struct nb_error *err)
{
    struct queues_law law = { 0 };
    struct nb_estimate latency;
    enum nb_status status;
    NB_TRY(nb_validation_replicate(answer, run, err));
    NB_TRY(nb_tails_find(answer, NB_TAILS_LATENCY, &law.simulated, err));
    NB_TRY(nb_validation_estimate(answer, queues_mean, QUEUES_CONFIDENCE,
                                  &latency, err));
    for (size_t i = 0; i < QUEUES_LAWS; i++) {
        law.name = queues_laws[i].delay;
        NB_TRY(queues_predict_delay(answer, queues_laws[i].distribution, &law,
                                    err));
        nb_validation_add(answer, queues_laws[i].mean,
                          NB_VALIDATE_APPROXIMATION, law.mean,
                          queues_simulated(answer, latency),
                          nb_validation_tolerance(answer, QUEUES_CONVERGED));
        queues_add_way(answer, &law);
    }
done:
    queues_release(&law);
    return status;
}

/* How close the observed tail comes to the bound: above 1 if it violates it. */
static double queues_nearness(double bound, struct nb_estimate found)
{
    const double lower = found.mean - found.half_width;
    return lower > bound ? lower / bound : fmin(1, found.mean / bound);
}

/* Adds the bound at the value where it is violated most, or else is closest. */
static void queues_add_bound(struct nb_validate_answer *answer,
                             const char *name, const struct queues_law *law)
{
    const struct nb_tails *simulated = &law->simulated;
    const double confidence =
        1 - QUEUES_LEVEL / (double)(simulated->length + 1);
    struct nb_estimate worst_found = { 1, 0 };
    size_t worst = 0;
    double nearest = 0, most = 1;
    char text[80];
    for (size_t n = 1; n < simulated->length; n++) {
        const struct nb_estimate found =
            nb_tails_at(simulated, (double)n, confidence);
        const double here = nb_tail_at(&law->bound, (double)n);
        if (isnan(here) || !(queues_nearness(here, found) > nearest))
            continue; /* beyond the bound's points, or not as close */
        nearest = queues_nearness(here, found);
        worst = n;
        worst_found = found;
        most = here;
    }
    snprintf(text, sizeof text, "%s, at %zu", name, worst);
    nb_validation_add(answer, text, NB_VALIDATE_BOUND,
                      (struct nb_interval){ most, -INFINITY, most },
                      nb_interval_of(worst_found, 1), 0);
}

static double queues_reorder_at(const void *of, double n)
{
    return nb_reorder_tail(of, (size_t)n).upper;
}

static double queues_bound_at(const void *of, double n)
{
    return nb_reorder_bound_tail(of, (size_t)n).upper;
}

/* Predicts the tail of a reorder buffer, and theorem 7's bound on it. */
static enum nb_status
queues_predict_reorder(const struct nb_validate_answer *answer,
                       int distribution, struct queues_law *out,
                       struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_reorder_question request = {
        .topology = network->topology,
        .load = network->load,
        .rate = network->rate,
        .arrivals = network->arrivals,
        .distribution = (enum nb_hop_law)distribution,
        .overflow = QUEUES_DELAY_OVERFLOW,
    };
    struct nb_reorder_answer found;
    enum nb_status status = NB_OK;
    nb_tail_release(&out->predicted);
    nb_tail_release(&out->bound);
    NB_TRY(nb_reorder_ask(&request, NULL, &found, err));
    out->has_bound = !found.is_bursty;
    const double last =
        found.load.idle.high > 0
            ? fmax(found.depth.value.upper, found.bound_depth.value.upper)
            : -1;
    NB_TRY(nb_tail_of(queues_reorder_at, &found.tails, last, &out->predicted,
                      err));
    if (out->has_bound)
        NB_TRY(
            nb_tail_of(queues_bound_at, &found.bound, last, &out->bound, err));
done:
    nb_reorder_answer_release(&found);
    return status;
}

/* Finds the largest share of a source's traffic that goes to one
 * destination. */
static enum nb_status queues_find_stream(struct nb_validate_answer *answer,
                                         struct nb_error *err)
{
    const struct nb_problem *problem = &answer->simulation.problem;
    const size_t n = problem->topology.router_count;
    uint64_t *rate = NULL, *sent = NULL, *most = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&rate, n, sizeof *rate, "rates", err));
    NB_TRY(nb_new(&sent, n, sizeof *sent, "rates", err));
    NB_TRY(nb_new(&most, n, sizeof *most, "rates", err));
    for (uint32_t j = 0; j < n; j++) {
        if (problem->topology.terminals[j] == 0)
            continue;
        NB_TRY(nb_traffic_column(&problem->traffic, &problem->topology, j, rate,
                                 err));
        for (size_t i = 0; i < n; i++) {
            sent[i] += rate[i];
            most[i] = rate[i] > most[i] ? rate[i] : most[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        if (sent[i] > 0)
            answer->stream =
                fmax(answer->stream, (double)most[i] / (double)sent[i]);
done:
    nb_delete(rate);
    nb_delete(sent);
    nb_delete(most);
    return status;
}

enum nb_status nb_validate_reorder(struct nb_validate_answer *answer,
                                   const struct nb_run *run,
                                   struct nb_error *err)
{
    struct queues_law law = { 0 };
    enum nb_status status;
    NB_TRY(queues_find_stream(answer, err));
    NB_TRY(nb_validation_replicate(answer, run, err));
    NB_TRY(nb_tails_find(answer, NB_TAILS_REORDER, &law.simulated, err));
    for (size_t i = 0; i < QUEUES_LAWS; i++) {
        law.name = queues_laws[i].reorder;
        NB_TRY(queues_predict_reorder(answer, queues_laws[i].distribution, &law,
                                      err));
        queues_add_way(answer, &law);
        if (law.has_bound)
            queues_add_bound(answer, queues_laws[i].bound, &law);
    }
done:
    queues_release(&law);
    return status;
}
