/* Simulation: a network, its routing and a traffic with a plan of a
 * simulation. */
#ifndef NB_TESTS_SUPPORT_SIMULATION_H
#define NB_TESTS_SUPPORT_SIMULATION_H

#include "sim/network.h"
#include "sim/sim.h"

/* Fails the running test with a message if a check is false. */
#define SIMULATION_CHECK(condition, ...)                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            print_error("%s:%d: %s: ", __FILE__, __LINE__, #condition);        \
            print_error(__VA_ARGS__);                                          \
            print_error("\n");                                                 \
            fail();                                                            \
        }                                                                      \
    } while (0)

/* Must stay in place: the plan points to the rest, and tests change it. */
struct simulation {
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_traffic traffic;
    struct nb_trace trace;
    char name[256]; /* for messages */
    struct nb_simulation plan;
    /* For networks that are driven cycle by cycle. */
    struct nb_flows flows;
    struct nb_network network;
};

/*
 * Builds "routing@topology" with a traffic or fails the test. The plan: the
 * ideal router serving the oldest, packets of one flit by Bernoulli sources,
 * one replication of seed 1, 1000 cycles of warm-up and 8000 measured and
 * drained, 2^18 packets under way. For the credit router there are buffers of 8
 * flits, and 1 for all other parameters.
 */
void simulation_open(struct simulation *s, const char *example,
                     const char *traffic, double rate);
void simulation_close(struct simulation *s);

/* Replaces injection by a list of packets, sorted by cycle: copied. */
void simulation_set_trace(struct simulation *s,
                          const struct nb_trace_packet *packets, size_t count);

/* Simulates on one thread or fails the test. */
void simulation_run(const struct simulation *s,
                    struct nb_simulation_result *out);
/* The same, on this number of threads. */
void simulation_run_on(const struct simulation *s, int threads,
                       struct nb_simulation_result *out);

/* Makes s->network, to be driven by simulation_cycle and measured from its
 * first cycle on in one batch; simulation_close releases it. */
void simulation_start(struct simulation *s);
void simulation_cycle(struct simulation *s);

/* Whether all fields and elements of two results are equal. */
bool simulation_same(const struct nb_simulation_result *a,
                     const struct nb_simulation_result *b, size_t routers);

/* By how much a value is off an estimate, in half-widths; 0 if they are
 * equal. */
double simulation_lag(struct nb_estimate estimate, double value);

/* The ratio of the half-width of batches at another confidence to that at 95
 * %. */
double simulation_widen(double confidence, size_t batches);

/* A seeded test's next seed; the same sequence in every run. */
#define SIMULATION_SEED(trial) (UINT64_C(1000003) * ((uint64_t)(trial) + 1))

#endif
