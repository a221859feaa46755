/* The check queues: how deep the queues of a fat tree are, hop by hop (declared
 * in validate.h). */
#include "questions/validate/validate_laws.h"

#include "core/try.h"

#include <math.h>
#include <stdio.h>

/* So small that the tail predicted goes on beyond what a simulation sees. */
#define QUEUES_OVERFLOW "1e-12"

static const struct nb_histogram *
queues_depths(const struct nb_simulation_result *result, size_t hop)
{
    return &result->depths[hop];
}

/* Whether the depth lies within the tolerance of the predicted one for certain,
 * as [Singh2005, section 7.4.1] asks: the whole interval does. */
static const char *queues_is_converged(double predicted,
                                       struct nb_estimate depth,
                                       double tolerance)
{
    const double least = (1 - tolerance) * predicted;
    const double most = (1 + tolerance) * predicted;
    const double lower = depth.mean - depth.half_width;
    const double upper = depth.mean + depth.half_width;
    if (lower >= least && upper <= most)
        return "yes";
    return lower > most || upper < least ? "no" : "uncertain";
}

/* One hop: an item, a row of table hops, and its tail. Arrivals at the first
 * hop are those of the distribution; at later ones they are taken to be. */
static enum nb_status queues_add_hop(struct nb_validation *validation,
                                     const struct nb_tail *predicted,
                                     size_t hop, size_t table,
                                     size_t *converged, struct nb_error *err)
{
    const double tolerance =
        nb_validation_tolerance(validation, NB_VALIDATE_CONVERGED);
    const double depth = nb_tail_depth(predicted, NB_VALIDATE_PROBABILITY);
    struct nb_point *out = validation->out;
    struct nb_tails tails = { 0 };
    char class[32], name[80];
    const enum nb_status status =
        nb_tails_find(validation, queues_depths, hop, &tails, err);
    if (status != NB_OK)
        return status;
    const struct nb_estimate found =
        nb_tails_depth(&tails, NB_VALIDATE_PROBABILITY, NB_VALIDATE_CONFIDENCE);
    const struct nb_interval interval = nb_interval_of(found, INFINITY);
    const char *verdict = queues_is_converged(depth, found, tolerance);
    *converged += *verdict == 'y';
    nb_queue_class_name(&validation->asked.problem.topology, hop, class);
    nb_table_add_text(out, table, class);
    nb_table_add_number(out, table, depth);
    nb_table_add_number(out, table, found.mean);
    nb_table_add_number(out, table, interval.lower);
    nb_table_add_number(out, table, interval.upper);
    nb_table_add_number(out, table, found.mean / depth - 1);
    nb_table_add_text(out, table, verdict);
    snprintf(name, sizeof name, "depth at %g, %s", NB_VALIDATE_PROBABILITY,
             class);
    nb_validation_add_estimate(
        validation, name,
        hop == 0 ? NB_VALIDATE_EXACT : NB_VALIDATE_APPROXIMATION,
        (struct nb_bracket){ depth, depth }, interval, tolerance);
    nb_validation_add_tails(validation, class, predicted, &tails,
                            NB_VALIDATE_CONFIDENCE);
    nb_tails_release(&tails);
    return NB_OK;
}

enum nb_status nb_validate_queues(struct nb_validation *validation,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = &validation->asked.problem.topology;
    const size_t hops = nb_queue_class_count(topology);
    struct nb_point *out = validation->out, point = { 0 };
    struct nb_tail predicted = { 0 };
    size_t converged = 0;
    char radix[24];
    snprintf(radix, sizeof radix, "%u", topology->tree.arity);
    const char *const options[] = { "radix", radix, "overflow", QUEUES_OVERFLOW,
                                    NULL };
    enum nb_status status;
    NB_TRY(nb_validation_ask(validation, "buffer", options, &point, err));
    NB_TRY(nb_tail_of_table(nb_point_table(&point, "ccdf"), "depth",
                            "probability", &predicted, err));
    NB_TRY(nb_validation_replicate(validation, err));
    const size_t table = nb_point_add_table(
        out, "hops", false,
        "hop:text,predicted:number [flits],simulated:number [flits],"
        "lower:number [flits],upper:number [flits],error:number,"
        "converged:text");
    for (size_t hop = 0; hop < hops; hop++)
        NB_TRY(queues_add_hop(validation, &predicted, hop, table, &converged,
                              err));
    nb_validation_add_quantity(validation, "converged_hops", (double)converged,
                               (double)converged, (double)converged, "hops");
    nb_point_add_note(out, "hops",
                      "depths at probability 1e-3, between whole numbers by "
                      "the logarithm of the tail; converged: the whole 99 % "
                      "interval is within the tolerance of the predicted "
                      "depth");
done:
    nb_tail_release(&predicted);
    nb_point_release(&point);
    return status;
}
