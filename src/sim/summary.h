/* Summary: what the replications of a simulation say together. For src/sim
 * alone. */
#ifndef NB_SIM_SUMMARY_H
#define NB_SIM_SUMMARY_H

#include "sim/network.h"

/* The level of intervals, and of what holds for all queues or flows at
 * once. */
#define NB_SUMMARY_LEVEL 0.95

/* The replications of a simulation, looked at together. */
struct nb_replications {
    const struct nb_network *networks; /* [count] */
    size_t count;
    size_t batches; /* of all of them */
    double length;  /* [cycle] of a batch, on average: traces' differ */
    bool is_even;   /* equally many batches each: where too many packets were
                     * under   way some have fewer */
};
struct nb_replications nb_replications_of(const struct nb_network *networks,
                                          size_t count);

/* Of the index-th tally of an array, by its offset in struct nb_measure, over
 * all replications. */
struct nb_tally_total {
    double sum, square;
};
struct nb_tally_total nb_replications_total(const struct nb_replications *all,
                                            size_t array, size_t index);
/* The same of 2^merges batches together each, which there must be. */
struct nb_tally_total nb_replications_merged(const struct nb_replications *all,
                                             size_t array, size_t index,
                                             size_t merges);

/* A tally of all replications together, per cycle. Neighbours are merged by the
 * rule of nb_merge_batches: the correlation is that of twos, by what their
 * squares are more than those of independent ones. */
struct nb_estimate nb_replications_tally(const struct nb_replications *all,
                                         size_t array, size_t index,
                                         double confidence);

/* The half-width of the mean latency over the mean so far. */
double nb_summary_precision(const struct nb_network *networks, size_t count);

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_summary_find(const struct nb_network *networks, size_t count,
                               struct nb_simulation_result *out,
                               struct nb_error *err);

/* The busiest queue, the pairs and routers that get least and most, and how
 * fairly those share that the plan asks about; of out, of which all means and
 * the stability are known. Errors: NB_NO_MEMORY. */
enum nb_status nb_summary_find_extremes(const struct nb_replications *all,
                                        struct nb_simulation_result *out,
                                        struct nb_error *err);

/* What virtual networks get, of out, of which it is known whether it is slow.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_summary_find_virtual(const struct nb_replications *all,
                                       struct nb_simulation_result *out,
                                       struct nb_error *err);

/* How long what its windows show takes to settle, of out, of which these are
 * known. Errors: NB_NO_MEMORY. */
enum nb_status nb_summary_find_responses(const struct nb_replications *all,
                                         struct nb_simulation_result *out,
                                         struct nb_error *err);

/* Whether it was stable: stability and evidence of out, of which utilisation
 * is known. */
void nb_summary_judge(const struct nb_network *networks, size_t count,
                      struct nb_simulation_result *out);

/* Whether it is certain by now that it is stable, or that it is saturated,
 * which may be asked so many times while it goes on. */
enum nb_stability nb_summary_look(const struct nb_network *networks,
                                  size_t count, size_t looks);

/* The tally of something over all replications: mean per cycle, half-width of
 * t standard errors. */
struct nb_estimate nb_summary_rate(double sum, double square, size_t batches,
                                   double batch_length, double t);

#endif
