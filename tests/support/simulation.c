#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void simulation_set_plan(struct simulation *s, double rate)
{
    s->plan = (struct nb_simulation){
        .topology = &s->topology,
        .routing = &s->routing,
        .traffic = &s->traffic,
        .router = { .buffer = 8,
                    .output_buffer = 1,
                    .speedup = 1,
                    .channel_latency = 1 },
        .injection = { .rate = rate, .burst = 1, .batch = 1, .flits = 1 },
        .seed = 1,
        .replications = 1,
        .warm_up = 1000,
        .cycles = 8000,
        .is_drained = true,
        .packet_limit = 1 << 18,
        .pair_source = NB_NONE,
        .pair_target = NB_NONE,
    };
}

void simulation_open(struct simulation *s, const char *example,
                     const char *traffic, double rate)
{
    struct nb_error err = { 0 };
    char routing[sizeof s->name];
    *s = (struct simulation){ 0 };
    snprintf(routing, sizeof routing, "%s", example);
    char *at = strrchr(routing, '@');
    assert_non_null(at);
    *at = '\0';
    snprintf(s->name, sizeof s->name, "%s of %s", traffic, example);
    if (nb_topology_build(at + 1, &s->topology, &err) != NB_OK ||
        nb_routing_build(routing, &s->topology, &s->routing, &err) != NB_OK ||
        nb_traffic_build(traffic, &s->topology, false, &s->traffic, &err) !=
            NB_OK)
        fail_msg("%s: %s", s->name, err.message);
    simulation_set_plan(s, rate);
}

void simulation_close(struct simulation *s)
{
    nb_network_release(&s->network);
    nb_flows_release(&s->flows);
    free(s->trace.packets);
    nb_traffic_release(&s->traffic);
    nb_routing_release(&s->routing);
    nb_topology_release(&s->topology);
    *s = (struct simulation){ 0 };
}

void simulation_set_trace(struct simulation *s,
                          const struct nb_trace_packet *packets, size_t count)
{
    free(s->trace.packets);
    s->trace.packets = malloc((count + 1) * sizeof *packets);
    assert_non_null(s->trace.packets);
    if (count > 0)
        memcpy(s->trace.packets, packets, count * sizeof *packets);
    s->trace.count = count;
    s->plan.injection.kind = NB_INJECT_TRACE;
    s->plan.injection.trace = &s->trace;
}

void simulation_run_on(const struct simulation *s, int threads,
                       struct nb_simulation_result *out)
{
    struct nb_error err = { 0 };
    const struct nb_run run = { .threads = threads };
    if (nb_simulate(&s->plan, &run, out, &err) != NB_OK)
        fail_msg("%s at %g, seed %ju: %s", s->name, s->plan.injection.rate,
                 (uintmax_t)s->plan.seed, err.message);
}

void simulation_run(const struct simulation *s,
                    struct nb_simulation_result *out)
{
    simulation_run_on(s, 1, out);
}

void simulation_start(struct simulation *s)
{
    struct nb_error err = { 0 };
    nb_network_release(&s->network);
    nb_flows_release(&s->flows);
    if (nb_flows_build(&s->plan, &s->flows, &err) != NB_OK ||
        nb_network_init(&s->plan, &s->flows, 0, &s->network, &err) != NB_OK ||
        nb_measure_begin(&s->network, UINT64_MAX / 4, 1, &err) != NB_OK)
        fail_msg("%s: %s", s->name, err.message);
}

void simulation_cycle(struct simulation *s)
{
    struct nb_error err = { 0 };
    if (nb_network_cycle(&s->network, &err) != NB_OK)
        fail_msg("%s: %s", s->name, err.message);
}

/* Not by bytes, since structures have padding; NAN equals NAN. */
static bool simulation_same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool simulation_same_estimates(const struct nb_estimate *a,
                                      const struct nb_estimate *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!simulation_same_number(a[i].mean, b[i].mean) ||
            !simulation_same_number(a[i].half_width, b[i].half_width))
            return false;
    return true;
}

static bool simulation_same_series(const struct nb_window *a,
                                   const struct nb_window *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!simulation_same_estimates(&a[i].accepted, &b[i].accepted, 1) ||
            !simulation_same_estimates(&a[i].latency, &b[i].latency, 1) ||
            !simulation_same_estimates(&a[i].minimal, &b[i].minimal, 1))
            return false;
    return true;
}

static bool simulation_same_histograms(const struct nb_histogram *a,
                                       const struct nb_histogram *b,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].size != b[i].size || a[i].total != b[i].total ||
            (a[i].size > 0 && memcmp(a[i].count, b[i].count,
                                     (a[i].size + 1) * sizeof *a->count) != 0))
            return false;
    return true;
}

static bool simulation_same_counts(const struct nb_simulation_result *a,
                                   const struct nb_simulation_result *b)
{
    return a->stability == b->stability && a->evidence == b->evidence &&
           a->warm_up == b->warm_up && a->cycles == b->cycles &&
           a->packets == b->packets && a->unfinished == b->unfinished &&
           a->completion == b->completion && a->class_count == b->class_count &&
           a->queue_count == b->queue_count &&
           a->window_count == b->window_count &&
           a->least_source == b->least_source &&
           a->least_target == b->least_target;
}

bool simulation_same(const struct nb_simulation_result *a,
                     const struct nb_simulation_result *b, size_t routers)
{
    const struct nb_interval *const ends_a[] = { &a->least, &a->busiest,
                                                 &a->router_least,
                                                 &a->router_most };
    const struct nb_interval *const ends_b[] = { &b->least, &b->busiest,
                                                 &b->router_least,
                                                 &b->router_most };
    const struct nb_estimate of_a[] = {
        a->offered, a->accepted,  a->latency,    a->queueing,     a->hops,
        a->minimal, a->in_flight, a->round_trip, a->reply_latency
    };
    const struct nb_estimate of_b[] = {
        b->offered, b->accepted,  b->latency,    b->queueing,     b->hops,
        b->minimal, b->in_flight, b->round_trip, b->reply_latency
    };
    for (size_t i = 0; i < sizeof ends_a / sizeof *ends_a; i++)
        if (!simulation_same_number(ends_a[i]->value, ends_b[i]->value) ||
            !simulation_same_number(ends_a[i]->lower, ends_b[i]->lower) ||
            !simulation_same_number(ends_a[i]->upper, ends_b[i]->upper))
            return false;
    return simulation_same_counts(a, b) &&
           simulation_same_estimates(of_a, of_b, sizeof of_a / sizeof *of_a) &&
           simulation_same_estimates(a->utilisation, b->utilisation,
                                     a->queue_count) &&
           simulation_same_estimates(a->accepted_of, b->accepted_of, routers) &&
           simulation_same_series(a->series, b->series, a->window_count) &&
           simulation_same_histograms(&a->latencies, &b->latencies, 1) &&
           simulation_same_histograms(&a->reorder, &b->reorder, 1) &&
           simulation_same_histograms(a->depths, b->depths, a->class_count);
}

double simulation_lag(struct nb_estimate estimate, double value)
{
    const double away = fabs(estimate.mean - value);
    return away > 0 ? away / estimate.half_width : 0;
}

double simulation_widen(double confidence, size_t batches)
{
    return nb_t_quantile(confidence, batches) / nb_t_quantile(0.95, batches);
}
