/* Summary: the joint results of the replications of a simulation. For src/sim
 * only. */
#ifndef NB_SIM_SUMMARY_H
#define NB_SIM_SUMMARY_H

#include "sim/network.h"

/* The level of intervals, and of statements about all queues or flows at
 * once. */
#define NB_SUMMARY_LEVEL 0.95

/* The replications of a simulation, taken together. */
struct nb_replications {
    const struct nb_network *networks; /* [count] */
    size_t count;
    size_t batches; /* of all of them */
    double length;  /* [cycle] mean length of a batch: those of traces differ */
    bool is_even;   /* equal numbers of batches: fewer in replications that
                     * reached the limit of packets under way */
};
struct nb_replications nb_replications_of(const struct nb_network *networks,
                                          size_t count);

/* The index-th tally of an array, by its offset in struct nb_measure, over all
 * replications. */
struct nb_tally_total {
    double sum, square;
};
struct nb_tally_total nb_replications_total(const struct nb_replications *all,
                                            size_t array, size_t index);
/* The same for groups of 2^merges batches, which must exist. */
struct nb_tally_total nb_replications_merged(const struct nb_replications *all,
                                             size_t array, size_t index,
                                             size_t merges);

/* A tally of all replications together, per cycle. Neighbours are merged by the
 * rule of nb_merge_batches: the correlation is that of pairs, by the excess of
 * their squares over those of independent ones. */
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
 * fairly the routers share that the plan asks about. Needs all means and the
 * stability in out. Errors: NB_NO_MEMORY. */
enum nb_status nb_summary_find_extremes(const struct nb_replications *all,
                                        struct nb_simulation_result *out,
                                        struct nb_error *err);

/* What virtual networks get. Needs is_slow in out. Errors: NB_NO_MEMORY. */
enum nb_status nb_summary_find_virtual(const struct nb_replications *all,
                                       struct nb_simulation_result *out,
                                       struct nb_error *err);

/* How long the windows take to settle. Needs the series in out. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_summary_find_responses(const struct nb_replications *all,
                                         struct nb_simulation_result *out,
                                         struct nb_error *err);

/* Whether it was stable: sets stability and evidence of out; needs
 * utilisation. */
void nb_summary_judge(const struct nb_network *networks, size_t count,
                      struct nb_simulation_result *out);

/* Whether it is certain by now that it is stable, or that it is saturated;
 * looks: the maximum number of calls during a simulation. */
enum nb_stability nb_summary_look(const struct nb_network *networks,
                                  size_t count, size_t looks);

/* A tally over all replications: mean per cycle, half-width of t standard
 * errors. */
struct nb_estimate nb_summary_rate(double sum, double square, size_t batches,
                                   double batch_length, double t);

#endif
